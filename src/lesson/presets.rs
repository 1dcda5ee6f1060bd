//! Prepared sentences: what to look at first, and where the constructed heads go wrong.
//!
//! Every selection and every claim about a weight was checked against the reference model; the tests check them again.

use super::Text;
use crate::state::Settings;
use crate::text::{AddedWord, Feature, FeatureSet};

/// Which list a preset stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// The sentences to begin with.
    Main,
    /// Pairs that differ in little: order, number.
    Swap,
    /// Whom a pronoun means.
    Reference,
    /// Words with several senses.
    Sense,
    /// What the heads get wrong, and why one layer can't do better.
    Challenge,
}

/// A prepared sentence with a selection that shows something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// A stable name.
    pub id: &'static str,
    /// Its list.
    pub group: Group,
    /// The sentence.
    pub sentence: &'static str,
    /// What a Chinese sentence means, in English; empty for an English one.
    pub gloss: &'static str,
    /// Words that the sentence needs beyond the lexicon.
    pub words: &'static [(&'static str, FeatureSet)],
    /// Selected head, from 1.
    pub head: usize,
    /// Selected query, from 0, `<BOS>` counted.
    pub query: usize,
    /// The key of the largest weight in that row, from 0.
    pub key: usize,
    /// The preset to compare with, by id.
    pub partner: Option<&'static str>,
    /// What there is to see, in a sentence or two.
    pub note: Text,
}

impl Preset {
    /// The settings that it stands for: everything else at its default.
    #[must_use]
    pub fn settings(&self) -> Settings {
        let word = |&(text, features): &(&str, FeatureSet)| AddedWord { text: text.into(), features, split: false };
        Settings {
            sentence: self.sentence.into(),
            words: self.words.iter().map(word).collect(),
            head: self.head,
            query: self.query,
            key: self.key,
            ..Settings::default()
        }
    }
}

/// The preset of this name.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// The presets of a list, in its order.
pub fn in_group(group: Group) -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().filter(move |preset| preset.group == group)
}

/// Every preset.
pub const PRESETS: [Preset; 24] = [
    Preset {
        id: "cat-chases",
        group: Group::Main,
        sentence: "猫追老鼠",
        gloss: "The cat chases the mouse",
        words: &[],
        head: 4,
        query: 2,
        key: 1,
        partner: None,
        note: Text {
            zh: "施事头里，“追”去找一个在它前面、能做动作的词，几乎把全部权重给了“猫”。换到受事头，同一个“追”看的就是“老鼠”。",
            en: "In the agent head, 追 (chase) looks for someone before it who can act, and gives nearly all its weight to 猫 (cat). In the patient head the same word looks at 老鼠 (mouse).",
        },
    },
    Preset {
        id: "i-love-you",
        group: Group::Swap,
        sentence: "我爱你",
        gloss: "I love you",
        words: &[],
        head: 4,
        query: 2,
        key: 1,
        partner: Some("you-love-me"),
        note: Text {
            zh: "和“你爱我”用的是同样三个词，只是换了次序。试试关掉位置编码：“爱”就分不清谁在前谁在后，“我”和“你”各得一半。",
            en: "The same three words as 你爱我, in another order. Switch positions off: 爱 (love) can no longer tell who comes first, and 我 and 你 share the weight equally.",
        },
    },
    Preset {
        id: "you-love-me",
        group: Group::Swap,
        sentence: "你爱我",
        gloss: "You love me",
        words: &[],
        head: 4,
        query: 2,
        key: 1,
        partner: Some("i-love-you"),
        note: Text {
            zh: "次序一换，施事就从“我”变成“你”。区别完全来自位置编码，因为词还是那些词。",
            en: "Swap the order and the agent changes from 我 to 你. Only the positions make the difference; the words are the same.",
        },
    },
    Preset {
        id: "relative-clause",
        group: Group::Main,
        sentence: "那只被主人遗弃的猫终于找到了新家",
        gloss: "The cat that was abandoned by its owner found a new home at last",
        words: &[],
        head: 6,
        query: 1,
        key: 6,
        partner: None,
        note: Text {
            zh: "量词“只”要的是动物，所以“那只”越过“被主人遗弃的”，直接找到五个词以外的“猫”；“主人”是人，不合适。再看施事头：“遗弃”的是主人，“找到”的是猫。",
            en: "The classifier 只 wants an animal, so 那只 (that) reaches past “abandoned by its owner” straight to 猫 (cat), five tokens away; 主人 (owner) is a human and does not fit. In the agent head, 遗弃 (abandon) finds the owner and 找到 (find) the cat.",
        },
    },
    Preset {
        id: "cat-was-tired",
        group: Group::Main,
        sentence: "The cat that chased the mouse was tired",
        gloss: "",
        words: &[],
        head: 6,
        query: 7,
        key: 2,
        partner: Some("mice-was"),
        note: Text {
            zh: "“was”主要看“cat”，没有被更近的“mouse”带走。不过两个名词都是单数，看错了动词形式也一样，所以这句话还证明不了什么；请和含有“mice”的那句对照。",
            en: "\"was\" mostly looks at \"cat\", not at the nearer \"mouse\". But both nouns are singular, so even a wrong look would give the right verb form: compare the sentence with \"mice\", which really puts it to the test.",
        },
    },
    Preset {
        id: "mice-was",
        group: Group::Swap,
        sentence: "The cat that chased the mice was tired",
        gloss: "",
        words: &[],
        head: 6,
        query: 7,
        key: 2,
        partner: Some("cats-were"),
        note: Text {
            zh: "“mice”是复数，和“was”对不上，“cat”因此得到几乎全部权重。这样的句子才检验得出：看的是主语，还是离得最近的名词。",
            en: "\"mice\" is plural and does not agree with \"was\", so \"cat\" gets nearly all the weight. Only a sentence like this can tell a look at the subject from a look at the nearest noun.",
        },
    },
    Preset {
        id: "cats-were",
        group: Group::Swap,
        sentence: "The cats that chased the mouse were tired",
        gloss: "",
        words: &[],
        head: 6,
        query: 7,
        key: 2,
        partner: Some("mice-was"),
        note: Text {
            zh: "这次主语是复数“cats”，“were”越过单数的“mouse”找到了它。",
            en: "Now the subject is the plural \"cats\", and \"were\" finds it across the singular \"mouse\".",
        },
    },
    Preset {
        id: "riverside-bank",
        group: Group::Main,
        sentence: "河边的银行",
        gloss: "The bank by the river",
        words: &[],
        head: 7,
        query: 3,
        key: 1,
        partner: Some("bank-rates-zh"),
        note: Text {
            zh: "“银行”把“河边”的语境读了进来。要说明的是：中文的“银行”只有一个意思，河边的银行还是金融机构；真正的一词多义，请看英文的 bank 或“苹果”。",
            en: "银行 takes in the context of 河边 (riverside). A caution: the Chinese word has only one sense, and a bank by the river is still a financial one. For a truly ambiguous word look at English “bank” or at 苹果 (apple).",
        },
    },
    Preset {
        id: "bank-rates-zh",
        group: Group::Main,
        sentence: "银行的存款利率",
        gloss: "The bank's deposit rate",
        words: &[],
        head: 7,
        query: 1,
        key: 3,
        partner: Some("riverside-bank"),
        note: Text {
            zh: "同一个“银行”，这次从“存款”和“利率”各取约一半。变的是混进来的语境，不是词义：中文的“银行”本来就只有一个意思。",
            en: "The same 银行 now draws about half its weight from 存款 (deposit) and half from 利率 (rates). What changes is the context mixed in, not the sense: the Chinese word only has one.",
        },
    },
    Preset {
        id: "dog-bites",
        group: Group::Swap,
        sentence: "狗咬人",
        gloss: "A dog bites a man",
        words: &[],
        head: 4,
        query: 2,
        key: 1,
        partner: Some("man-bites"),
        note: Text {
            zh: "“咬”在它前面找做动作的，找到了“狗”。",
            en: "咬 (bite) looks before itself for the one who acts and finds 狗 (dog).",
        },
    },
    Preset {
        id: "man-bites",
        group: Group::Swap,
        sentence: "人咬狗",
        gloss: "A man bites a dog",
        words: &[],
        head: 4,
        query: 2,
        key: 1,
        partner: Some("dog-bites"),
        note: Text {
            zh: "三个词一个没变，新闻却大了：次序一换，施事就成了“人”。",
            en: "Not a word has changed, and yet it is news: with the order swapped, the agent is 人 (man).",
        },
    },
    Preset {
        id: "it-laughed",
        group: Group::Reference,
        sentence: "主人找到了那只猫，它笑了",
        gloss: "The owner found the cat, and it smiled",
        words: &[],
        head: 6,
        query: 7,
        key: 5,
        partner: Some("she-laughed"),
        note: Text {
            zh: "“它”要的是动物或东西，“主人”是人，所以“它”看向“猫”。",
            en: "它 (it) wants an animal or a thing; 主人 (owner) is a human, so it looks at 猫 (cat).",
        },
    },
    Preset {
        id: "she-laughed",
        group: Group::Reference,
        sentence: "妈妈看见那只猫，她笑了",
        gloss: "Mother saw the cat, and she smiled",
        words: &[],
        head: 6,
        query: 6,
        key: 1,
        partner: Some("it-laughed"),
        note: Text {
            zh: "“她”要的是人，于是跳过更近的“猫”，看向句首的“妈妈”。",
            en: "她 (she) wants a human, so it skips the nearer 猫 (cat) and looks at 妈妈 (mum) at the very beginning.",
        },
    },
    Preset {
        id: "river-bank",
        group: Group::Sense,
        sentence: "We saw the river bank",
        gloss: "",
        words: &[],
        head: 7,
        query: 5,
        key: 4,
        partner: Some("loan-rates"),
        note: Text {
            zh: "英文的“bank”既是河岸也是银行。这里只有“river”能说明是哪一个，权重就给了它。",
            en: "English \"bank\" is the side of a river or a place for money. Here only \"river\" can say which, so it gets the weight.",
        },
    },
    Preset {
        id: "loan-rates",
        group: Group::Sense,
        sentence: "the bank loan rates",
        gloss: "",
        words: &[],
        head: 7,
        query: 2,
        key: 3,
        partner: Some("river-bank"),
        note: Text {
            zh: "换成“loan”和“rates”，同一个“bank”就读到了金融的语境，两个词各得约一半。",
            en: "With \"loan\" and \"rates\" beside it the same \"bank\" reads a financial context, about half from each.",
        },
    },
    Preset {
        id: "apple-phone",
        group: Group::Sense,
        sentence: "苹果手机",
        gloss: "An Apple phone",
        words: &[],
        head: 7,
        query: 1,
        key: 2,
        partner: Some("apple-juice"),
        note: Text {
            zh: "“苹果”可以是水果，也可以是公司。“手机”一出现，它就看向“手机”。",
            en: "苹果 (apple) can be a fruit or a company. Beside 手机 (phone), that is what it looks at.",
        },
    },
    Preset {
        id: "apple-juice",
        group: Group::Sense,
        sentence: "苹果果汁",
        gloss: "Apple juice",
        words: &[],
        head: 7,
        query: 1,
        key: 2,
        partner: Some("apple-phone"),
        note: Text {
            zh: "还是那个“苹果”，旁边换成“果汁”，读到的语境就变成了食物。",
            en: "The same 苹果 (apple) beside 果汁 (juice): now the context it reads is food.",
        },
    },
    Preset {
        id: "passive",
        group: Group::Challenge,
        sentence: "The mouse was chased by the cat",
        gloss: "",
        words: &[],
        head: 4,
        query: 4,
        key: 2,
        partner: None,
        note: Text {
            zh: "追的是猫，施事头却认定是“mouse”，权重超过 0.99。“chased”的查询只由它自己的词和位置算出，不知道前面有“was”、后面有“by”；先由一层把这个消息写进“chased”，下一层才用得上。",
            en: "The cat does the chasing, yet the agent head picks \"mouse\" with more than 0.99. The query of \"chased\" is made from its own word and place only and knows nothing of \"was\" and \"by\"; a first layer would have to write that into \"chased\" before a second could use it.",
        },
    },
    Preset {
        id: "bei",
        group: Group::Challenge,
        sentence: "鱼被猫吃",
        gloss: "The fish is eaten by the cat",
        words: &[],
        head: 5,
        query: 4,
        key: 0,
        partner: None,
        note: Text {
            zh: "被吃的是鱼，受事头却没找到：它到动词后面去找，而“鱼”在前面，大部分权重只好停在 <BOS>。“吃”自己看不出句中有“被”，要靠另一层先告诉它。",
            en: "The fish is eaten, but the patient head does not find it: it looks after the verb, and 鱼 (fish) stands before, so most of the weight rests on <BOS>. 吃 (eat) cannot see by itself that 被 is there; another layer would have to tell it first.",
        },
    },
    Preset {
        id: "stone",
        group: Group::Challenge,
        sentence: "石头砸了车",
        gloss: "A stone hit the car",
        words: &[
            ("石头", FeatureSet::of(&[Feature::Noun, Feature::Thing])),
            ("砸", FeatureSet::of(&[Feature::Verb, Feature::Trans])),
        ],
        head: 4,
        query: 2,
        key: 0,
        partner: None,
        note: Text {
            zh: "砸车的是石头，可施事头只认有生命的词，“砸”只好停在 <BOS>。这是构造时定下的偏好；要知道哪些动词容得下无生命的施事，得看动词和名词的搭配，而这个头没有这样的特征。",
            en: "The stone does the hitting, but the agent head accepts only living things, so 砸 (hit) rests on <BOS>. That preference was built in; to know which verbs allow a lifeless agent takes features of verb and noun together that this head does not have.",
        },
    },
    Preset {
        id: "in-the-house",
        group: Group::Challenge,
        sentence: "In the house the cat was tired",
        gloss: "",
        words: &[],
        head: 6,
        query: 6,
        key: 3,
        partner: None,
        note: Text {
            zh: "累的是猫，“was”却给了先出现的“house”近八成。这个头偏爱先提到的名词；“house”的键里没有写着它跟在“In”后面，一层看不见介词短语。",
            en: "The cat was tired, yet \"was\" gives \"house\" nearly eight tenths, because this head prefers the noun mentioned first. Nothing in the key of \"house\" says that it follows \"In\"; one layer cannot see the phrase.",
        },
    },
    Preset {
        id: "witch",
        group: Group::Challenge,
        sentence: "女巫追哥布林",
        gloss: "The witch chases the goblin",
        words: &[],
        head: 4,
        query: 3,
        key: 0,
        partner: None,
        note: Text {
            zh: "词表里没有“女巫”和“哥布林”，只好拆成一个个单字，“追”找不到做动作的，停在 <BOS>。把字合成词，再给它们勾上“名词”“有生命”，箭头就会转向“女巫”。",
            en: "女巫 (witch) and 哥布林 (goblin) are not in the lexicon and fall apart into characters; 追 (chase) finds no one who acts and rests on <BOS>. Join them into words and tick “noun” and “animate”: the arc will turn to the witch.",
        },
    },
    Preset {
        id: "no-agent",
        group: Group::Challenge,
        sentence: "追老鼠",
        gloss: "Chase the mouse",
        words: &[],
        head: 4,
        query: 1,
        key: 0,
        partner: None,
        note: Text {
            zh: "没说谁在追。softmax 的权重总要加到 1，这个头就把它交给 <BOS>，等于说“没找到”；“老鼠”在动词后面，只分到一点点。",
            en: "Nobody is said to chase. Softmax weights must add up to 1, so the head puts them on <BOS>, its way of saying “no one”; 老鼠 (mouse) stands after the verb and gets very little.",
        },
    },
    Preset {
        id: "mice-were",
        group: Group::Challenge,
        sentence: "The cat that chased the mice were tired",
        gloss: "",
        words: &[],
        head: 6,
        query: 7,
        key: 6,
        partner: None,
        note: Text {
            zh: "主语是“cat”，该用“was”。这个头不管句子对不对，只看单复数，“were”就被“mice”吸引过去。一层注意力是在匹配特征，并没有在分析句子结构。",
            en: "The subject is \"cat\", so it should be \"was\". The head does not judge the sentence; it matches number, and \"were\" is drawn to \"mice\". One layer of attention matches features; it does not parse.",
        },
    },
];
