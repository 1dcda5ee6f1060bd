//! Presets and questions: every claim against the f64 oracle, in both languages.

use attention_lab::attention::toy::{ROLES, Role};
use attention_lab::attention::{Stage, oracle};
use attention_lab::lesson::presets::{Group, PRESETS, Preset, by_id, in_group};
use attention_lab::lesson::question::{Answer, Question, question};
use attention_lab::state::link::{decode, encode};
use attention_lab::state::{Plan, PositionKind, Settings, plan, role_of_head};
use attention_lab::text::{AddedWord, Feature, FeatureSet, Lang};

/// The plan of some settings and the weights of row `query` in head `head` (from 1), by the oracle.
fn row(settings: &Settings, head: usize, query: usize) -> (Plan, Vec<f32>) {
    let plan = plan(settings);
    let trace = oracle::trace(plan.problem.as_ref().expect("there are words")).expect("a plan is computable");
    let weights = trace.rows(Stage::Weights, head - 1, query..query + 1).expect("inside the grid");
    let weights = weights.iter().map(|&weight| weight as f32).collect();
    (plan, weights)
}

fn preset(id: &str) -> &'static Preset {
    by_id(id).unwrap_or_else(|| panic!("no preset {id}"))
}

fn ask(lang: Lang, settings: &Settings, head: usize, query: usize) -> Question {
    let (plan, weights) = row(settings, head, query);
    question(lang, role_of_head(settings, head), &plan.tokens, query, &weights, &|_| true).expect("inside the grid")
}

#[test]
fn presets_open_without_a_word_of_warning() {
    for preset in &PRESETS {
        let settings = preset.settings();
        assert_eq!(decode(&encode(&settings)), (settings.clone(), vec![]), "{}", preset.id);
        let plan = plan(&settings);
        assert_eq!(plan.notices, [], "{}", preset.id);
        assert!(plan.problem.is_some(), "{}", preset.id);
        assert_eq!(
            (plan.selection.head + 1, plan.selection.query, plan.selection.key),
            (preset.head, preset.query, preset.key),
            "{}",
            preset.id
        );
    }
    assert_eq!(PRESETS[0].settings(), Settings::default(), "the first is the landing state");
}

#[test]
fn presets_select_the_largest_weight_and_it_is_what_the_reference_model_has() {
    for (id, query, key, weight) in [
        ("cat-chases", "追", "猫", 0.989),
        ("i-love-you", "爱", "我", 0.989),
        ("you-love-me", "爱", "你", 0.989),
        ("relative-clause", "那只", "猫", 0.999),
        ("cat-was-tired", "was", "cat", 0.924),
        ("mice-was", "was", "cat", 1.000),
        ("cats-were", "were", "cats", 1.000),
        ("riverside-bank", "银行", "河边", 0.981),
        ("bank-rates-zh", "银行", "存款", 0.495),
        ("dog-bites", "咬", "狗", 0.989),
        ("man-bites", "咬", "人", 0.989),
        ("it-laughed", "它", "猫", 1.000),
        ("she-laughed", "她", "妈妈", 0.958),
        ("river-bank", "bank", "river", 0.981),
        ("loan-rates", "bank", "loan", 0.495),
        ("apple-phone", "苹果", "手机", 0.982),
        ("apple-juice", "苹果", "果汁", 0.982),
        ("passive", "chased", "mouse", 1.000),
        ("bei", "吃", "<BOS>", 0.740),
        ("stone", "砸", "<BOS>", 1.000),
        ("in-the-house", "was", "house", 0.778),
        ("witch", "追", "<BOS>", 1.000),
        ("no-agent", "追", "<BOS>", 0.931),
        ("mice-were", "were", "mice", 0.971),
    ] {
        let preset = preset(id);
        let (plan, weights) = row(&preset.settings(), preset.head, preset.query);
        assert_eq!(&*plan.tokens[preset.query].text, query, "{id}");
        assert_eq!(&*plan.tokens[preset.key].text, key, "{id}");
        let found = weights[preset.key];
        assert!((found - weight).abs() < 0.000_51, "{id}: {found}");
        assert!(weights.iter().all(|&other| other <= found + 1e-6), "{id}: {weights:?}");
    }
}

#[test]
fn every_preset_speaks_both_languages_and_has_its_partner() {
    assert_eq!(PRESETS.len(), 24, "a preset that was added needs its line in the table of weights above");
    for (at, preset) in PRESETS.iter().enumerate() {
        assert!(PRESETS[..at].iter().all(|other| other.id != preset.id), "{} twice", preset.id);
        let (zh, en) = (preset.note.in_language(Lang::Zh), preset.note.in_language(Lang::En));
        assert!(!zh.trim().is_empty() && !en.trim().is_empty() && zh != en, "{}", preset.id);
        assert!(zh.chars().any(|c| ('一'..='龥').contains(&c)), "{}: {zh}", preset.id);
        assert!(en.chars().any(|c| c.is_ascii_alphabetic()), "{}: {en}", preset.id);
        // A Chinese sentence says in English what it means, and only a Chinese one.
        assert_eq!(preset.sentence.is_ascii(), preset.gloss.is_empty(), "{}", preset.id);
        assert!(preset.gloss.is_ascii(), "{}: {}", preset.id, preset.gloss);
        let partner = preset.partner.map(self::preset);
        assert!(partner.is_none_or(|partner| partner.id != preset.id), "{}", preset.id);
    }
    for group in [Group::Main, Group::Swap, Group::Reference, Group::Sense, Group::Challenge] {
        assert!(in_group(group).count() > 1, "{group:?}");
    }
}

#[test]
fn the_landing_question_and_its_other_half() {
    let settings = Settings::default();
    let zh = ask(Lang::Zh, &settings, 4, 2);
    assert_eq!((zh.question.as_str(), zh.answer_text.as_str()), ("谁在追？", "“猫”，权重 0.99"));
    assert!(matches!(zh.answer, Answer::LooksAt { key: 1, weight } if (weight - 0.9893).abs() < 1e-4));
    let swap = zh.swap.expect("a verb has both");
    assert_eq!((swap.head, swap.label.as_str()), (5, "换个问题：追谁？"));
    let other = ask(Lang::Zh, &settings, swap.head, 2);
    assert_eq!(other.question, swap.question);
    assert_eq!(other.swap.expect("and back").question, zh.question);
    let en = ask(Lang::En, &settings, 4, 2);
    assert_eq!(en.question, "Who is chasing?");
    assert_eq!(en.swap.expect("a verb has both").label, "Another question: chasing whom?");
}

#[test]
fn questions_fit_their_heads() {
    for (id, head, query, zh, en) in [
        ("cat-was-tired", 4, 4, "“chased”是谁做的？", "Who chased?"),
        ("cat-was-tired", 5, 4, "“chased”的对象是谁？", "Chased whom?"),
        ("cat-was-tired", 6, 7, "“was tired”说的是谁？", "Who was tired?"),
        ("in-the-house", 6, 6, "“was tired”说的是什么？", "What was tired?"),
        ("cat-was-tired", 6, 8, "“tired”说的是谁？", "Who is said to be \"tired\"?"),
        ("cat-was-tired", 6, 3, "“that”指谁？", "Who does \"that\" refer to?"),
        ("relative-clause", 6, 1, "“那只”指谁？", "Who does \"那只\" refer to?"),
        ("relative-clause", 5, 8, "找到了什么？", "Found what?"),
        ("relative-clause", 4, 8, "谁找到了？", "Who found?"),
        ("stone", 4, 2, "“砸”是谁做的？", "Who is the doer of \"砸\"?"),
        ("stone", 5, 2, "“砸”的对象是什么？", "What is \"砸\" done to?"),
        ("river-bank", 7, 5, "“bank”是哪个意思，看哪个词？", "Which word settles what \"bank\" means?"),
        ("riverside-bank", 7, 3, "“银行”从哪个词读到语境？", "Which word gives \"银行\" its context?"),
        ("cat-chases", 2, 2, "“追”的前一个是什么？", "What comes just before \"追\"?"),
        ("cat-chases", 3, 1, "哪些词和“猫”同类？", "Which words are of the same class as \"猫\"?"),
        ("cat-chases", 8, 1, "“猫”的注意力停在哪里？", "Where does the attention of \"猫\" rest?"),
        ("cat-chases", 4, 1, "“猫”在看谁？", "What does \"猫\" look at?"),
        ("cat-chases", 1, 1, "“猫”在看谁？", "What does \"猫\" look at?"),
    ] {
        let settings = preset(id).settings();
        assert_eq!(ask(Lang::Zh, &settings, head, query).question, zh, "{id} head {head}");
        assert_eq!(ask(Lang::En, &settings, head, query).question, en, "{id} head {head}");
    }
}

#[test]
fn a_verb_that_wants_things_asks_what_even_where_it_found_nothing() {
    let sentence = |text: &str| Settings { sentence: text.into(), ..Settings::default() };
    for (text, query, zh, en) in [
        ("他买", 2, "买了什么？", "Bought what?"),
        ("他买老鼠", 2, "买了谁？", "Bought whom?"),
        ("他买你", 2, "买了谁？", "Bought whom?"),
        ("他追", 2, "追谁？", "Chasing whom?"),
    ] {
        let asked = [ask(Lang::Zh, &sentence(text), 5, query), ask(Lang::En, &sentence(text), 5, query)];
        assert_eq!(asked.map(|asked| asked.question), [zh, en], "{text}");
        let from_agent = ask(Lang::Zh, &sentence(text), 4, query);
        assert_eq!(from_agent.swap.map(|swap| swap.question).as_deref(), Some(zh), "{text}, from the other question");
    }
}

#[test]
fn answers_say_no_one_ties_and_evenly_when_that_is_so() {
    let no_agent = ask(Lang::Zh, &preset("no-agent").settings(), 4, 1);
    assert!(matches!(no_agent.answer, Answer::NoOne { weight } if (weight - 0.931).abs() < 1e-3));
    assert_eq!(no_agent.answer_text, "没有找到合适的词，“追”停在 <BOS> 上，权重 0.93");
    let parked = ask(Lang::Zh, &Settings::default(), 4, 1);
    assert!(matches!(parked.answer, Answer::Rests { weight } if weight > 0.99), "猫 asks for nobody");

    let tie = ask(Lang::En, &Settings { positions: PositionKind::Off, ..preset("i-love-you").settings() }, 4, 2);
    assert!(matches!(&tie.answer, Answer::Tied { keys, .. } if *keys == [1, 3]), "{tie:?}");
    assert_eq!(tie.answer_text, "\"我\", \"你\" tie, weight 0.50 each");
    let rates = ask(Lang::Zh, &preset("bank-rates-zh").settings(), 7, 1);
    assert!(matches!(&rates.answer, Answer::Tied { keys, .. } if *keys == [3, 4]), "{rates:?}");

    let even = ask(Lang::Zh, &Settings::default(), 1, 2);
    assert_eq!(even.answer_text, "平均地看能看到的每个词元，各 0.25");
    assert!(even.swap.is_none());
    let causal = ask(Lang::En, &Settings { causal: true, ..Settings::default() }, 1, 1);
    assert!(matches!(causal.answer, Answer::Evenly { share } if (share - 0.5).abs() < 1e-6));

    let cells = std::rc::Rc::new((0..4).map(|key| ((2, key), false)).collect());
    let hidden = ask(Lang::Zh, &Settings { cells, ..Settings::default() }, 4, 2);
    assert_eq!(hidden.answer, Answer::AllForbidden);
    assert_eq!(ask(Lang::En, &preset("passive").settings(), 4, 4).answer_text, "\"mouse\", weight > 0.99");
}

#[test]
fn ticking_the_chips_turns_the_arc_to_the_witch() {
    let word = |text: &str, features: &[Feature]| AddedWord {
        text: text.into(),
        features: FeatureSet::of(features),
        split: false,
    };
    let animate = [Feature::Noun, Feature::Animate];
    let words = [word("女巫", &animate), word("哥布林", &animate)].into();
    let settings = Settings { words, query: 2, ..preset("witch").settings() };
    let answer = ask(Lang::Zh, &settings, 4, 2);
    assert_eq!((answer.question.as_str(), answer.answer_text.as_str()), ("谁在追？", "“女巫”，权重 0.99"));
}

#[test]
fn questions_are_only_asked_where_there_is_a_row() {
    let plan = plan(&Settings::default());
    let weights = [0.25; 4];
    for role in ROLES.map(Some).into_iter().chain([None]) {
        assert_eq!(question(Lang::Zh, role, &plan.tokens, 4, &weights, &|_| true), None);
        assert_eq!(question(Lang::Zh, role, &plan.tokens, 0, &weights[1..], &|_| true), None);
        for (query, lang) in [(0, Lang::Zh), (1, Lang::En), (2, Lang::Zh), (3, Lang::En)] {
            let asked = question(lang, role, &plan.tokens, query, &weights, &|_| true).expect("a row");
            assert!(!asked.question.is_empty() && !asked.answer_text.is_empty());
            let odd = question(lang, role, &plan.tokens, query, &[f32::NAN; 4], &|_| true).expect("a row");
            assert_eq!(odd.answer, Answer::AllForbidden, "NaN is never an answer");
        }
    }
    let random = question(Lang::En, None, &plan.tokens, 2, &[0.1, 0.2, 0.3, 0.4], &|_| true).expect("a row");
    assert_eq!(random.question, "What does \"追\" look at?", "random weights ask nothing in particular");
    assert_eq!(random.swap, None);
    let bos_only =
        question(Lang::En, Some(Role::Agent), &plan.tokens, 2, &[1.0, 0.0, 0.0, 0.0], &|_| true).expect("a row");
    assert_eq!(bos_only.answer_text, "nobody suitable: \"追\" rests on <BOS>, weight 1.00");
}

/// On `<BOS>` for three reasons, and each is told: nobody is there, the mask hides the one, the word asks for nothing.
#[test]
fn resting_on_bos_is_explained() {
    let plan = plan(&Settings::default());
    let on_bos = [1.0, 0.0, 0.0, 0.0];
    let ask = |role, query, permits: &dyn Fn(usize) -> bool| {
        question(Lang::Zh, Some(role), &plan.tokens, query, &on_bos, permits).expect("a row")
    };
    assert!(matches!(ask(Role::Patient, 2, &|_| true).answer, Answer::NoOne { .. }));
    let hidden = ask(Role::Patient, 2, &|key| key <= 2);
    assert!(matches!(hidden.answer, Answer::Hidden { key: 3, .. }));
    assert!(hidden.answer_text.contains("掩码挡住了“老鼠”"), "{}", hidden.answer_text);
    let resting = ask(Role::Agent, 3, &|_| true);
    assert!(matches!(resting.answer, Answer::Rests { .. }));
    assert!(resting.answer_text.contains("不找别的词"), "{}", resting.answer_text);
}
