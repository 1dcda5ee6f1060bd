//! The words of the lexicon, in groups that share their features. Only data: look-up is in the parent module.
//!
//! The toy model's heads are built for these features, so a word here changes what the heads do.

use super::Feature::*;
use super::FeatureSet;

/// Words, separated by one space, and their features. A word that stands twice has the features of its last group.
pub(super) const GROUPS: &[(&str, FeatureSet)] = &[
    ("猫 狗 老鼠 鸟 鱼 兔子", FeatureSet::of(&[Noun, Animate, Animal])),
    ("cat dog bird rabbit", FeatureSet::of(&[Noun, Animate, Animal, Sg])),
    ("mouse", FeatureSet::of(&[Noun, Animate, Animal, Sg])),
    ("mice cats dogs birds", FeatureSet::of(&[Noun, Animate, Animal, Pl])),
    ("主人 老师 学生 妈妈 孩子 医生 农民 人", FeatureSet::of(&[Noun, Animate, Human])),
    ("owner teacher student doctor boy girl man woman", FeatureSet::of(&[Noun, Animate, Human, Sg])),
    ("teachers students boys girls people", FeatureSet::of(&[Noun, Animate, Human, Pl])),
    ("家 新家 房子 书 车 桥 门 桌子", FeatureSet::of(&[Noun, Thing])),
    ("home house book car door table", FeatureSet::of(&[Noun, Thing, Sg])),
    ("河 河边 水 river water shore 山 山上 树", FeatureSet::of(&[Noun, Thing, TNat])),
    ("存款 利率 贷款 钱 money deposit loan interest rates", FeatureSet::of(&[Noun, Thing, TFin])),
    ("水果 果汁 甜 juice pie sweet", FeatureSet::of(&[Noun, Thing, TFood])),
    ("手机 发布会 公司 电脑 phone company laptop", FeatureSet::of(&[Noun, Thing, TTech])),
    ("银行", FeatureSet::of(&[Noun, Thing, SFin, SNat])),
    ("bank", FeatureSet::of(&[Noun, Thing, Sg, SFin, SNat])),
    ("苹果 apple", FeatureSet::of(&[Noun, Thing, SFood, STech])),
    ("我 你 I me you we us", FeatureSet::of(&[Pron, Animate, Human])),
    ("他 她 he she", FeatureSet::of(&[Pron, Animate, Human, WantHuman])),
    ("它 it", FeatureSet::of(&[Pron, Animate, WantAnimal, WantThing])),
    ("追 爱 看见 吃 咬 打 喜欢 找到 遗弃 帮助 买 发布", FeatureSet::of(&[Verb, Trans])),
    ("chased loves love saw ate bit likes found helped bought abandoned", FeatureSet::of(&[Verb, Trans])),
    ("睡 跑 笑 跳", FeatureSet::of(&[Verb])),
    ("slept ran laughed sleeps runs", FeatureSet::of(&[Verb])),
    ("was is", FeatureSet::of(&[Be, WantSg])),
    ("were are", FeatureSet::of(&[Be, WantPl])),
    ("是", FeatureSet::of(&[Be])),
    ("tired happy hungry", FeatureSet::of(&[Mod, Be])),
    ("累 高兴", FeatureSet::of(&[Mod, Be])),
    ("新 大 小 终于 很 new big finally very", FeatureSet::of(&[Mod])),
    ("那只 这只 一只", FeatureSet::of(&[Det, WantAnimal])),
    ("那个 这个", FeatureSet::of(&[Det, WantHuman, WantThing])),
    ("那位 这位", FeatureSet::of(&[Det, WantHuman])),
    ("那本 那辆", FeatureSet::of(&[Det, WantThing])),
    ("the a an The A 那 这 那些", FeatureSet::of(&[Det])),
    ("that who which", FeatureSet::of(&[Func, WantAnimal, WantHuman])),
    ("的 被 把 了 在 by of in on to 和 and 地 得 着 过", FeatureSet::of(&[Func])),
    ("。 ， ！ ？ . , ! ?", FeatureSet::of(&[Punct])),
];
