//! Settings, actions, the telling row, and the plan with its caches.

use attention_lab::attention::Cells;
use attention_lab::attention::toy::{ROLES, Role};
use attention_lab::attention::{Problem, Source};
use attention_lab::state::field::TAU;
use attention_lab::state::settings::{MAX_INDEX, MAX_SENTENCE, TEMPERATURE};
use attention_lab::state::words::OWN_FEATURES;
use attention_lab::state::{
    Action, CellEdit, Field, MaskKind, Notice, PageState, Planner, PositionKind, Scale, Settings, ShownStage, Sizes,
    Theme, WeightsKind, answering_key, asking_query, plan, update,
};
use attention_lab::tensor::random::SplitMix64;
use attention_lab::text::{AddedWord, Feature, FeatureSet, Lang, Marks, Token, TokenKind, Tokenizer, tokenize};
use std::rc::Rc;

/// Fails unless every number is in its range: what all ways into the settings promise.
pub fn assert_valid(settings: &Settings) {
    let s = settings;
    assert!(s.sentence.encode_utf16().count() <= MAX_SENTENCE, "sentence");
    assert!(s.words.len() <= 256, "number of words");
    for (at, word) in s.words.iter().enumerate() {
        let length = word.text.chars().count();
        assert!((1..=64).contains(&length) && word.text.trim() == &*word.text, "word {:?}", word.text);
        assert!(word.features.0 >> Feature::ALL.len() == 0, "features of {:?}", word.text);
        assert!(word.features.iter().all(|feature| !OWN_FEATURES.has(feature)), "features of {:?}", word.text);
        assert!(s.words[..at].iter().all(|other| other.text != word.text), "{:?} twice", word.text);
    }
    assert!((1..=16).contains(&s.heads) && (1..=128).contains(&s.d_k), "heads {} d_k {}", s.heads, s.d_k);
    let heads = if s.weights == WeightsKind::Toy { 8 } else { s.heads };
    assert!((1..=heads).contains(&s.head), "head {} of {heads}", s.head);
    assert!(s.query <= MAX_INDEX && s.key <= MAX_INDEX && s.pad <= 8, "{} {} {}", s.query, s.key, s.pad);
    assert!(s.temperature >= TEMPERATURE.0 && s.temperature <= TEMPERATURE.1, "t {}", s.temperature);
    let Sizes { prefix, window, stride, block, global } = s.sizes;
    assert!([prefix, window, stride, block, global].iter().all(|size| (1..=128).contains(size)), "{:?}", s.sizes);
    assert!(s.field.tau >= TAU.0 && s.field.tau <= TAU.1, "tau {}", s.field.tau);
    assert!(s.cells.iter().all(|((query, key), _)| query < 512 && key < 512), "cells");
}

fn edit(query: u32, key: u32, permit: Option<bool>) -> CellEdit {
    CellEdit { query, key, permit }
}

fn with_cell() -> Settings {
    update(&Settings::default(), &Action::SetCell(edit(2, 1, Some(false))))
}

fn word(text: &str, features: &[Feature]) -> AddedWord {
    AddedWord { text: text.into(), features: FeatureSet::of(features), split: false }
}

fn codes(notices: &[Notice]) -> Vec<&'static str> {
    notices.iter().map(Notice::code).collect()
}

fn tokens(sentence: &str) -> Vec<Token> {
    tokenize(sentence, Tokenizer::Word, &[], Marks { bos: true, pad: 0 })
}

#[test]
fn values_are_moved_into_their_range() {
    let start = Settings::default();
    let after = |action| update(&start, &action);
    assert_eq!(after(Action::Temperature(1e9)).temperature, 20.0);
    assert_eq!(after(Action::Temperature(f64::NEG_INFINITY)).temperature, 0.05);
    assert_eq!(after(Action::Temperature(f64::NAN)), start);
    assert_eq!(after(Action::Pad(99)).pad, 8);
    assert_eq!(after(Action::Heads(0)).heads, 1);
    assert_eq!(after(Action::HeadWidth(999)).d_k, 128);
    assert_eq!(after(Action::Select { head: Some(0), query: Some(9999), key: Some(9999) }).query, MAX_INDEX);
    assert_eq!(after(Action::SetCell(edit(512, 0, Some(true)))), start);
    let long = "猫".repeat(MAX_SENTENCE + 1);
    assert_eq!(after(Action::SetSentence(long.into())).sentence.chars().count(), MAX_SENTENCE);
    let random = Settings { weights: WeightsKind::Random, heads: 16, head: 16, ..start.clone() };
    assert_eq!(update(&random, &Action::Weights(WeightsKind::Toy)).head, 8, "head 16 does not exist there");
    assert_eq!(update(&random, &Action::Heads(3)).head, 3);
    let wrong = Settings { temperature: f64::NAN, head: 99, pad: 99, d_k: 0, ..start };
    assert_valid(&update(&random, &Action::Replace(Box::new(wrong))));
}

#[test]
fn nothing_changed_is_an_equal_value() {
    let start = Settings { words: [word("女巫", &[Feature::Noun])].into(), ..with_cell() };
    for action in [
        Action::SetSentence(Rc::clone(&start.sentence)),
        Action::SetWords(start.words.to_vec()),
        Action::ProposeWords(vec![word("女巫", &[])]),
        Action::Tokenizer(start.tokenizer),
        Action::Weights(start.weights),
        Action::Heads(start.heads),
        Action::HeadWidth(start.d_k),
        Action::Seed(start.seed),
        Action::Select { head: None, query: None, key: None },
        Action::Select { head: Some(start.head), query: None, key: None },
        Action::Temperature(start.temperature),
        Action::Scale(start.scale),
        Action::Causal(start.causal),
        Action::Padding(start.padding),
        Action::SetCell(edit(2, 1, Some(false))),
        Action::SetCells(vec![edit(0, 0, None), edit(2, 1, Some(false))]),
        Action::Positions(start.positions),
        Action::Mask(MaskKind::Window, false),
        Action::Sizes(start.sizes),
        Action::Field(start.field),
        Action::Bos(start.bos),
        Action::Pad(start.pad),
        Action::Stage(start.stage),
        Action::Contrast(start.contrast),
        Action::Engine(start.engine),
        Action::Theme(start.theme),
        Action::Lang(start.lang),
        Action::Tab(start.tab),
        Action::Pin(false),
        Action::Swap,
        Action::Preset(Box::new(start.clone())),
        Action::Replace(Box::new(start.clone())),
    ] {
        let after = update(&start, &action);
        assert_eq!(after, start, "{action:?}");
        assert!(Rc::ptr_eq(&after.words, &start.words), "{action:?}");
        assert!(Rc::ptr_eq(&after.cells, &start.cells), "{action:?}");
    }
}

#[test]
fn any_row_of_actions_leaves_valid_settings() {
    let mut random = SplitMix64::new(77);
    let mut settings = Settings::default();
    let sentences = ["", "猫追老鼠", "The cat that chased the mouse was tired", "🐈 a", "女巫追哥布林"];
    for _ in 0..800 {
        let n = random.next_u64();
        let small = (n >> 16) as usize % 300;
        let on = n >> 40 & 1 == 1;
        let action = match n % 18 {
            0 => Action::SetSentence(sentences[small % sentences.len()].into()),
            1 => Action::ProposeWords(vec![word("女巫", &[]), word(&"x".repeat(small), &[])]),
            2 => Action::SetWords(vec![word(" 哥布林 ", &[Feature::Noun, Feature::Bos]), word("", &[])]),
            3 => Action::Tokenizer([Tokenizer::Word, Tokenizer::Char, Tokenizer::Space, Tokenizer::Byte][small % 4]),
            4 => Action::Weights([WeightsKind::Random, WeightsKind::Toy, WeightsKind::Identity][small % 3]),
            5 => Action::Heads(small),
            6 => Action::HeadWidth(small),
            7 => {
                Action::Select { head: on.then_some(small), query: small.is_multiple_of(3).then_some(small), key: None }
            }
            8 => Action::Temperature(f64::from_bits(n)),
            9 => Action::SetCell(edit(small as u32, small as u32 * 2, Some(on))),
            10 => Action::Bos(on),
            11 => Action::Pad(small),
            12 => Action::ClearCells,
            13 => Action::Padding(on),
            14 => Action::Mask(MaskKind::ALL[small % MaskKind::ALL.len()].1, on),
            15 => Action::Sizes(Sizes { prefix: small, window: 0, stride: small, block: small * small, global: small }),
            16 => Action::Field(Field { tau: f64::from_bits(n), draw: small as u32, half: on, ..Field::default() }),
            _ => Action::Positions(if on { PositionKind::On } else { PositionKind::Rope }),
        };
        settings = update(&settings, &action);
        assert_valid(&settings);
        let plan = plan(&settings);
        if let Some(Problem { source: Source::Embedded { x_q, .. }, .. }) = &plan.problem {
            assert_eq!(x_q.nrows(), plan.tokens.len());
            assert!(plan.selection.query < plan.tokens.len() && plan.selection.key < plan.tokens.len());
        }
        assert!(plan.selection.head < plan.heads);
    }
}

#[test]
fn cells_are_dropped_when_their_indices_would_lie() {
    let start = with_cell();
    assert_eq!(start.cells.get(&(2, 1)), Some(false));
    for action in [
        Action::SetSentence("猫追老鼠吃".into()),
        Action::Tokenizer(Tokenizer::Char),
        Action::Bos(false),
        Action::Pad(1),
        Action::SetWords(vec![word("猫追", &[])]),
    ] {
        assert!(update(&start, &action).cells.is_empty(), "{action:?}");
    }
    for action in
        [Action::Temperature(2.0), Action::Positions(PositionKind::Off), Action::Causal(true), Action::Heads(3)]
    {
        assert_eq!(update(&start, &action).cells, start.cells, "{action:?}");
    }
    let chips = update(&start, &Action::SetWords(vec![word("猫", &[Feature::Noun])]));
    assert_eq!(chips.cells, start.cells, "a chip changes a word, not its place");
    let erased = update(&start, &Action::SetCell(edit(2, 1, None)));
    assert_eq!(erased, Settings::default());
    let stroke = update(&start, &Action::SetCells(vec![edit(0, 0, Some(true)), edit(2, 1, None)]));
    assert_eq!(*stroke.cells, Cells::from([((0, 0), true)]));
    assert!(update(&stroke, &Action::ClearCells).cells.is_empty());
}

#[test]
fn the_selection_stays_on_its_words() {
    let start = Settings::default();
    let without = update(&start, &Action::Bos(false));
    assert_eq!((without.query, without.key), (1, 0));
    assert_eq!(update(&without, &Action::Bos(true)), start);
    let on_bos = Settings { key: 0, ..start.clone() };
    assert_eq!(update(&on_bos, &Action::Bos(false)).key, 0, "what is gone leaves the nearest");
    let characters = update(&Settings { key: 3, ..start.clone() }, &Action::Tokenizer(Tokenizer::Byte));
    assert_eq!((characters.query, characters.key), (4, 7), "the first byte of 追 and of 老");
    let padded = update(&Settings { key: 6, pad: 3, ..start.clone() }, &Action::Pad(1));
    assert_eq!((padded.query, padded.key), (2, 4), "the third <PAD> is gone, the last is left");
    let random = Settings { weights: WeightsKind::Random, ..start };
    let typed = update(&random, &Action::SetSentence("狗".into()));
    assert_eq!((typed.query, typed.key), (2, 1), "nobody knows what random heads ask; the plan keeps it inside");
    assert_eq!(plan(&typed).selection.query, 1);
    assert_eq!(codes(&plan(&typed).notices), ["selection_moved"]);
}

#[test]
fn typing_and_choosing_a_head_go_to_the_telling_row() {
    let select =
        |settings: &Settings, head| update(settings, &Action::Select { head: Some(head), query: None, key: None });
    let start = Settings::default();
    let whom = select(&start, 5);
    assert_eq!((whom.head, whom.query, whom.key), (5, 2, 3), "追 → 老鼠");
    let typed = update(&start, &Action::SetSentence("那只被主人遗弃的猫终于找到了新家".into()));
    assert_eq!((typed.query, typed.key), (4, 3), "遗弃 → 主人");
    let found = Settings { query: 8, ..typed };
    let whom = select(&found, 5);
    assert_eq!((whom.query, whom.key), (8, 10), "the same verb is asked: 找到 → 新家");
    let reference = select(&whom, 6);
    assert_eq!((reference.query, reference.key), (1, 6), "那只 → 猫");
    let given = update(&start, &Action::Select { head: Some(5), query: Some(1), key: None });
    assert_eq!((given.head, given.query, given.key), (5, 1, 1), "what is given counts");
}

/// The row and key of each head in each of the seven sentences of the reference model, as its weights have them.
#[test]
fn telling_rows_agree_with_the_reference_model() {
    for (sentence, role, query, key) in [
        ("猫追老鼠", Role::Agent, 2, 1),
        ("猫追老鼠", Role::Patient, 2, 3),
        ("猫追老鼠", Role::SameCategory, 1, 3),
        ("猫追老鼠", Role::PreviousToken, 1, 0),
        ("猫追老鼠", Role::Sink, 1, 0),
        ("我爱你", Role::Agent, 2, 1),
        ("你爱我", Role::Patient, 2, 3),
        ("追老鼠", Role::Agent, 1, 0),
        ("那只被主人遗弃的猫终于找到了新家", Role::Agent, 4, 3),
        ("那只被主人遗弃的猫终于找到了新家", Role::Patient, 4, 6),
        ("那只被主人遗弃的猫终于找到了新家", Role::Reference, 1, 6),
        ("The cat that chased the mouse was tired", Role::Agent, 4, 2),
        ("The cat that chased the mouse was tired", Role::Patient, 4, 6),
        ("The cat that chased the mouse was tired", Role::Reference, 7, 2),
        ("The cat that chased the mice were tired", Role::Reference, 7, 6),
        ("主人找到了那只猫，它笑了", Role::Reference, 7, 5),
        ("河边的银行", Role::WordSense, 3, 1),
        ("银行的存款利率", Role::WordSense, 1, 3),
    ] {
        let tokens = tokens(sentence);
        assert_eq!(asking_query(&tokens, role), Some(query), "{sentence} {role:?}");
        assert_eq!(answering_key(&tokens, role, query), key, "{sentence} {role:?}");
    }
    for role in ROLES {
        assert_eq!(asking_query(&[], role), None);
        assert_eq!(asking_query(&tokens("。"), role), Some(1), "{role:?}: the first word where nothing asks");
        assert_eq!(asking_query(&tokens(""), role), Some(0), "{role:?}");
        assert_eq!(answering_key(&tokens("猫"), role, 99), 0, "{role:?}");
    }
}

#[test]
fn proposals_never_override_the_person_and_do_not_pile_up() {
    let own = word("女巫", &[Feature::Noun]);
    let start = Settings { sentence: "女巫追哥布林".into(), words: [own.clone()].into(), ..Settings::default() };
    let proposed = update(&start, &Action::ProposeWords(vec![word("女巫", &[]), word("哥布林", &[])]));
    assert_eq!(*proposed.words, [own.clone(), word("哥布林", &[])]);
    let typed = update(&proposed, &Action::SetSentence("精灵追女巫".into()));
    let next = update(&typed, &Action::ProposeWords(vec![word("精灵", &[])]));
    assert_eq!(*next.words, [own, word("精灵", &[])], "哥布林 was only a proposal and is no longer there");
}

#[test]
fn presets_keep_what_belongs_to_the_person() {
    let mine = Settings { lang: Some(Lang::En), theme: Theme::Dark, temperature: 3.0, ..with_cell() };
    let preset = Settings { sentence: "我爱你".into(), stage: ShownStage::Raw, ..Settings::default() };
    let after = update(&mine, &Action::Preset(Box::new(preset.clone())));
    assert_eq!(after, Settings { lang: Some(Lang::En), theme: Theme::Dark, ..preset });
    let page = PageState { a: Some(mine.clone().into()), b: mine.into(), ..PageState::default() };
    let next = page.after(&Action::Temperature(2.0));
    assert_eq!((next.b.temperature, next.a), (2.0, page.a));
}

fn parts(problem: &Problem) -> (&Rc<attention_lab::tensor::Matrix<f32>>, &Rc<attention_lab::attention::Weights>) {
    match &problem.source {
        Source::Embedded { x_q, x_k, weights } => {
            assert!(Rc::ptr_eq(x_q, x_k), "self-attention");
            (x_q, weights)
        }
        Source::Given { .. } => panic!("a sentence is embedded"),
    }
}

#[test]
fn a_plan_is_what_the_settings_say() {
    let plan_1 = plan(&Settings::default());
    assert_eq!(plan_1.notices, []);
    assert_eq!((plan_1.heads, plan_1.d_k), (8, 8));
    assert_eq!((plan_1.selection.head, plan_1.selection.query, plan_1.selection.key), (3, 2, 1));
    let words: Vec<_> = plan_1.tokens.iter().map(|token| &*token.text).collect();
    assert_eq!(words, ["<BOS>", "猫", "追", "老鼠"]);
    let problem = plan_1.problem.as_ref().expect("there are words");
    assert_eq!((problem.scale, problem.temperature), ((1.0 / 8.0_f64.sqrt()) as f32, 1.0));
    assert!(problem.mask.is_none());

    let settings = Settings {
        weights: WeightsKind::Random,
        heads: 3,
        d_k: 5,
        scale: Scale::SqrtDModel,
        temperature: 0.5,
        pad: 2,
        padding: true,
        causal: true,
        cells: Rc::new([((0, 1), true), ((6, 0), true), ((0, 6), false)].into()),
        query: 100,
        ..Settings::default()
    };
    let plan_2 = plan(&settings);
    assert_eq!((plan_2.heads, plan_2.d_k, plan_2.tokens.len(), plan_2.selection.query), (3, 5, 6, 5));
    assert_eq!(codes(&plan_2.notices), ["selection_moved", "cells_outside"]);
    let problem = plan_2.problem.as_ref().expect("there are words");
    assert_eq!((problem.scale, problem.temperature), (0.125, 0.5));
    let (x, weights) = parts(problem);
    assert_eq!((weights.heads, weights.w_q.dim()), (3, (64, 15)));
    for row in x.rows() {
        let square = row.iter().map(|value| value * value).sum::<f32>() / 64.0;
        assert!((square - 1.0).abs() < 1e-5, "random weights see rows of root mean square 1, not {square}");
    }
    assert!(problem.mask.causal && problem.mask.permits(0, 0, 1) && !problem.mask.permits(0, 5, 4));
    assert_eq!(problem.mask.cells.len(), 1);
    assert_eq!(problem.mask.keys.as_deref(), Some([true, true, true, true, false, false].as_slice()));
    assert_eq!(plan(&Settings { padding: false, ..settings }).problem.expect("words").mask.keys, None);
}

#[test]
fn what_did_not_change_keeps_its_pointer() {
    let mut planner = Planner::new();
    let start = Settings { pad: 1, padding: true, cells: Rc::new([((9, 9), true)].into()), ..Settings::default() };
    let first = planner.plan(&start);
    let first_problem = first.problem.as_ref().expect("there are words");
    let (x, weights) = parts(first_problem);
    // An equal link, decoded anew, shares no pointer with the old settings and must be recognised by value.
    let anew = Settings { sentence: start.sentence.to_string().into(), words: [].into(), ..start.clone() };
    for settings in [
        start.clone(),
        anew,
        Settings { temperature: 2.0, ..start.clone() },
        Settings { scale: Scale::None, causal: true, ..start.clone() },
        Settings { query: 0, key: 0, head: 1, ..start.clone() },
        Settings { sentence: "猫追老鼠".into(), theme: Theme::Dark, ..start.clone() },
        Settings { seed: 9, heads: 2, d_k: 3, ..start.clone() }, // of no use to constructed weights
    ] {
        let next = planner.plan(&settings);
        let problem = next.problem.as_ref().expect("there are words");
        let (next_x, next_weights) = parts(problem);
        assert!(Rc::ptr_eq(&next.tokens, &first.tokens), "{settings:?}");
        assert!(Rc::ptr_eq(next_x, x) && Rc::ptr_eq(next_weights, weights), "{settings:?}");
        assert!(Rc::ptr_eq(&problem.mask.cells, &first_problem.mask.cells), "{settings:?}");
        let (Some(keys), Some(old)) = (&problem.mask.keys, &first_problem.mask.keys) else { panic!("padding") };
        assert!(Rc::ptr_eq(keys, old));
    }
    let off = planner.plan(&Settings { positions: PositionKind::Off, ..start.clone() }).problem.expect("words");
    assert!(!Rc::ptr_eq(parts(&off).0, x) && Rc::ptr_eq(parts(&off).1, weights));
    let mut old = planner.plan(&Settings { weights: WeightsKind::Random, ..start.clone() }).problem.expect("words");
    for (what, same_weights, settings) in [
        ("seed", false, Settings { weights: WeightsKind::Random, seed: 2, ..start.clone() }),
        ("d_k", false, Settings { weights: WeightsKind::Random, seed: 2, d_k: 3, ..start.clone() }),
        (
            "temperature",
            true,
            Settings { weights: WeightsKind::Random, seed: 2, d_k: 3, temperature: 4.0, ..start.clone() },
        ),
    ] {
        let next = planner.plan(&settings).problem.expect("words");
        assert!(Rc::ptr_eq(parts(&next).0, parts(&old).0), "{what}: x");
        assert_eq!(Rc::ptr_eq(parts(&next).1, parts(&old).1), same_weights, "{what}: weights");
        old = next;
    }
    let again = planner.plan(&start);
    assert_eq!(parts(again.problem.as_ref().expect("words")).0, x, "and caches never change a value");
    for permit in [true, false] {
        let cells = Rc::new(Cells::from([((1, 1), permit), ((9, 9), permit)]));
        let flipped = planner.plan(&Settings { cells, ..start.clone() }).problem.expect("words");
        assert_eq!(*flipped.mask.cells, Cells::from([((1, 1), permit)]), "as many cells, but other ones");
    }
    let other = planner.plan(&Settings { sentence: "狗追老鼠".into(), ..start });
    assert!(!Rc::ptr_eq(&other.tokens, &first.tokens));
}

#[test]
fn long_and_empty_sentences() {
    let sentence = |text: &str| Settings { sentence: text.into(), query: 0, key: 0, ..Settings::default() };
    let long = plan(&Settings { pad: 3, ..sentence(&"猫".repeat(200)) });
    assert_eq!(long.tokens.len(), 1 + 128 + 3);
    assert_eq!(long.tokens.iter().filter(|token| token.kind == TokenKind::Pad).count(), 3, "marks are not cut");
    assert_eq!(
        long.notices,
        [Notice::SentenceCut { kept: 128, of: 200 }, Notice::HeadTwoRepeats { tokens: 132, period: 32 }]
    );
    assert_eq!(codes(&plan(&sentence(&"猫".repeat(128))).notices), ["head_two_repeats"]);
    assert_eq!(codes(&plan(&sentence(&"猫".repeat(31))).notices), [] as [&str; 0]);
    assert_eq!(codes(&plan(&sentence(&"猫".repeat(32))).notices), ["head_two_repeats"]);
    let off = Settings { positions: PositionKind::Off, ..sentence(&"猫".repeat(40)) };
    assert_eq!(codes(&plan(&off).notices), [] as [&str; 0], "no position, no period");
    let too_long = plan(&sentence(&"猫".repeat(5000)));
    assert_eq!(too_long.notices[0], Notice::SentenceTooLong { kept: 4096, of: 5000 });

    for text in ["", " ", " \n\u{3000}"] {
        let empty = plan(&sentence(text));
        assert!(empty.problem.is_none());
        assert_eq!(empty.notices, [Notice::NothingToRead], "{text:?}");
        let padded = plan(&Settings { pad: 2, bos: false, ..sentence(text) });
        assert!(padded.problem.is_none());
        assert_eq!(padded.notices, [Notice::OnlyPadding { pad: 2 }]);
    }
    assert!(plan(&Settings { bos: false, ..sentence("。") }).problem.is_some(), "a mark is something to read");
    let broken = plan(&sentence("猫\u{FFFD}\u{FFFD}"));
    assert_eq!(broken.notices, [Notice::BrokenCharacters { count: 2 }]);
    assert!(broken.problem.is_some());
}

#[test]
fn pinning_keeps_swapping_exchanges_and_letting_go_forgets() {
    let warm = Settings { temperature: 2.0, theme: Theme::Dark, ..Settings::default() };
    let pinned = update(&warm, &Action::Pin(true));
    assert_eq!(&*pinned.pinned, "t=2", "the theme is the person's");
    let changed = update(&update(&pinned, &Action::Causal(true)), &Action::Temperature(1.0));
    let swapped = update(&changed, &Action::Swap);
    assert_eq!((swapped.temperature, swapped.causal, swapped.theme), (2.0, false, Theme::Dark));
    assert_eq!(&*swapped.pinned, "mask=causal");
    let back = update(&swapped, &Action::Swap);
    assert_eq!(back, changed, "twice is once around");
    assert_eq!(&*update(&back, &Action::Pin(false)).pinned, "");
    assert_eq!(update(&warm, &Action::Swap), warm, "nothing is pinned");
}
