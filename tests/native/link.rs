//! The share link: round trips, limits, and everything that can be wrong with one.

use crate::state::assert_valid;
use attention_lab::attention::{Bug, Bugs, Fill};
use attention_lab::locale;
use attention_lab::state::field::TAU;
use attention_lab::state::link::{self, cells, decode, decode_pairs, encode, feat, pairs, percent};
use attention_lab::state::settings::{MAX_SENTENCE, TEMPERATURE};
use attention_lab::state::{
    Contrast, EngineChoice, Field, MaskKind, MaskKinds, Normalisation, Notice, PositionKind, Scale, ScoreKind,
    Settings, Severity, ShownStage, Sizes, Tab, Theme, WeightsKind,
};
use attention_lab::tensor::random::SplitMix64;
use attention_lab::text::{AddedWord, Feature, FeatureSet, Lang, Tokenizer};
use std::rc::Rc;

/// Every key of the contract that this version has, in the order of a link.
const KEYS: [&str; 38] = [
    "v", "lang", "tab", "s", "tok", "feat", "w", "heads", "dk", "seed", "h", "q", "k", "t", "scale", "mask", "cells",
    "prefix", "window", "stride", "block", "global", "fill", "pos", "score", "norm", "tau", "draw", "num", "bias",
    "bug", "bos", "pad", "stage", "contrast", "engine", "a", "theme",
];

fn below(random: &mut SplitMix64, n: u64) -> u64 {
    random.next_u64() % n
}

fn index(random: &mut SplitMix64, n: usize) -> usize {
    below(random, n as u64) as usize
}

fn pick<T: Copy>(random: &mut SplitMix64, from: &[T]) -> T {
    from[index(random, from.len())]
}

fn flip(random: &mut SplitMix64) -> bool {
    below(random, 2) == 1
}

fn random_text(random: &mut SplitMix64, longest: usize) -> String {
    const CHARACTERS: [char; 24] = [
        '猫', '追', '鼠', 'a', 'Z', '0', ' ', '+', '%', '&', '=', '#', ',', ':', '/', '<', '"', '\'', '\\', '\n', '🐈',
        '\u{FFFD}', 'é', '\u{0}',
    ];
    (0..index(random, longest + 1)).map(|_| pick(random, &CHARACTERS)).collect()
}

fn random_words(random: &mut SplitMix64) -> Rc<[AddedWord]> {
    let settable: Vec<_> = Feature::ALL
        .into_iter()
        .filter(|feature| !matches!(feature, Feature::Const | Feature::Bos | Feature::Unk))
        .collect();
    let mut words: Vec<AddedWord> = Vec::new();
    for _ in 0..index(random, 5) {
        let text = random_text(random, 12);
        let text = text.trim();
        if text.is_empty() || words.iter().any(|word| &*word.text == text) {
            continue;
        }
        let mut features = FeatureSet::EMPTY;
        for _ in 0..index(random, 4) {
            features = features.with(pick(random, &settable), true);
        }
        words.push(AddedWord { text: text.into(), features, split: flip(random) });
    }
    words.into()
}

fn random_cells(random: &mut SplitMix64) -> cells::Cells {
    let most = if flip(random) { 512 } else { 6 };
    let side = 1 + below(random, most);
    let mut set = cells::Cells::new();
    for _ in 0..index(random, 60) {
        let cell = (below(random, side) as u32, below(random, side) as u32);
        set.insert(cell, flip(random));
    }
    set
}

const POSITIONS: [PositionKind; 6] = [
    PositionKind::On,
    PositionKind::Off,
    PositionKind::Sinusoidal,
    PositionKind::Learned,
    PositionKind::Rope,
    PositionKind::Alibi,
];

fn random_field(random: &mut SplitMix64) -> Field {
    Field {
        score: pick(random, &[ScoreKind::Dot, ScoreKind::General, ScoreKind::Additive, ScoreKind::Linear]),
        normalisation: pick(
            random,
            &[
                Normalisation::Softmax,
                Normalisation::WithoutMaximum,
                Normalisation::Hard,
                Normalisation::Sampled,
                Normalisation::Gumbel,
                Normalisation::Linear,
            ],
        ),
        tau: (TAU.0 + (TAU.1 - TAU.0) * f64::from(random.next_unit())).clamp(TAU.0, TAU.1),
        draw: random.next_u64() as u32,
        fill: pick(random, &Fill::ALL),
        half: flip(random),
        bias: flip(random),
        bugs: Bug::ALL.into_iter().fold(Bugs::NONE, |bugs, bug| bugs.with(bug, flip(random))),
    }
}

fn random_settings(random: &mut SplitMix64) -> Settings {
    let settings = unpinned_settings(random);
    let pinned = if flip(random) { link::pin(&unpinned_settings(random)) } else { "".into() };
    Settings { pinned, ..settings }
}

fn unpinned_settings(random: &mut SplitMix64) -> Settings {
    let weights = pick(random, &[WeightsKind::Toy, WeightsKind::Random, WeightsKind::Identity]);
    let heads = 1 + index(random, 16);
    let head_count = if weights == WeightsKind::Toy { 8 } else { heads };
    let (low, high) = TEMPERATURE;
    Settings {
        lang: pick(random, &[None, Some(Lang::Zh), Some(Lang::En)]),
        tab: pick(random, &[Tab::Play, Tab::Lessons, Tab::Clinic, Tab::Labs, Tab::Glossary, Tab::About]),
        sentence: random_text(random, 40).into(),
        tokenizer: pick(random, &[Tokenizer::Word, Tokenizer::Char, Tokenizer::Space, Tokenizer::Byte]),
        words: random_words(random),
        weights,
        heads,
        d_k: 1 + index(random, 128),
        seed: random.next_u64() as u32,
        head: 1 + index(random, head_count),
        query: index(random, 137),
        key: index(random, 137),
        stage: pick(random, &[ShownStage::Weights, ShownStage::Raw, ShownStage::Scaled, ShownStage::Masked]),
        temperature: (low + (high - low) * f64::from(random.next_unit())).clamp(low, high),
        scale: pick(random, &[Scale::SqrtDk, Scale::None, Scale::SqrtDModel]),
        causal: flip(random),
        padding: flip(random),
        cells: Rc::new(random_cells(random)),
        masks: MaskKind::ALL.into_iter().fold(MaskKinds::default(), |kinds, (_, kind)| kinds.with(kind, flip(random))),
        sizes: Sizes {
            prefix: 1 + index(random, 128),
            window: 1 + index(random, 128),
            stride: 1 + index(random, 128),
            block: 1 + index(random, 128),
            global: 1 + index(random, 128),
        },
        positions: pick(random, &POSITIONS),
        field: random_field(random),
        bos: flip(random),
        pad: index(random, 9),
        contrast: pick(random, &[Contrast::Fixed, Contrast::Auto]),
        engine: pick(random, &[EngineChoice::Auto, EngineChoice::Cpu, EngineChoice::WebGpu]),
        theme: pick(random, &[Theme::Auto, Theme::Light, Theme::Dark]),
        pinned: "".into(),
    }
}

#[test]
fn valid_settings_survive_the_round_trip_exactly() {
    let mut random = SplitMix64::new(2024);
    for round in 0..2000 {
        let settings = random_settings(&mut random);
        assert_valid(&settings);
        let fragment = encode(&settings);
        assert!(fragment.is_ascii() && !fragment.contains([' ', '<', '"', '#']), "{fragment}");
        let (back, notices) = decode(&fragment);
        assert_eq!(back, settings, "round {round}: {fragment}");
        assert_eq!(notices, [], "round {round}: {fragment}");
        assert_eq!(encode(&back), fragment, "one value, one link");
    }
}

#[test]
fn every_pair_goes_back_over_any_base() {
    let mut random = SplitMix64::new(7);
    for _ in 0..300 {
        let (settings, base) = (random_settings(&mut random), random_settings(&mut random));
        let (back, notices) = decode_pairs(&base, pairs(&settings).into_iter());
        assert_eq!(back, settings);
        assert_eq!(notices, []);
    }
}

#[test]
fn defaults_are_left_out_and_the_order_is_that_of_the_table() {
    assert_eq!(encode(&Settings::default()), "");
    assert_eq!(decode(""), (Settings::default(), vec![]));
    assert_eq!(decode("#"), (Settings::default(), vec![]));
    let keys: Vec<_> = pairs(&Settings::default()).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, KEYS);
    let mut random = SplitMix64::new(99);
    for _ in 0..100 {
        let fragment = encode(&random_settings(&mut random));
        let keys = fragment.split('&').filter_map(|pair| pair.split_once('=')).map(|(key, _)| key);
        let places: Vec<_> = keys.map(|key| KEYS.iter().position(|&known| known == key)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{fragment}");
    }
}

#[test]
fn every_value_of_the_contract_is_read() {
    type Check = fn(&Settings) -> bool;
    let table: [(&str, Check); 44] = [
        ("v=1", |s| *s == Settings::default()),
        ("lang=zh", |s| s.lang == Some(Lang::Zh)),
        ("lang=en", |s| s.lang == Some(Lang::En)),
        ("tab=glossary", |s| s.tab == Tab::Glossary),
        ("s=1%2B1+1%26%3D", |s| &*s.sentence == "1+1+1&="),
        ("s=猫", |s| &*s.sentence == "猫"),
        ("s=", |s| s.sentence.is_empty()),
        ("tok=char", |s| s.tokenizer == Tokenizer::Char),
        ("tok=space", |s| s.tokenizer == Tokenizer::Space),
        ("tok=byte", |s| s.tokenizer == Tokenizer::Byte),
        ("w=random", |s| s.weights == WeightsKind::Random),
        ("heads=16", |s| s.heads == 16),
        ("dk=128", |s| s.d_k == 128),
        ("seed=4294967295", |s| s.seed == u32::MAX),
        ("h=8", |s| s.head == 8),
        ("w=random&heads=16&h=16", |s| s.head == 16),
        ("q=0", |s| s.query == 0),
        ("k=7", |s| s.key == 7),
        ("t=0.5", |s| s.temperature == 0.5),
        ("t=.5", |s| s.temperature == 0.5),
        ("t=1e1", |s| s.temperature == 10.0),
        ("t=20", |s| s.temperature == 20.0),
        ("scale=none", |s| s.scale == Scale::None),
        ("scale=sqrt_dmodel", |s| s.scale == Scale::SqrtDModel),
        ("mask=causal", |s| s.causal && !s.padding),
        ("mask=padding+causal", |s| s.causal && s.padding),
        ("mask=causal%2Bpadding", |s| s.causal && s.padding),
        ("mask=none", |s| !s.causal && !s.padding),
        ("fill=exclude", |s| *s == Settings::default()),
        ("pos=off", |s| s.positions == PositionKind::Off),
        ("pos=rope", |s| s.positions == PositionKind::Rope),
        ("mask=causal+window&window=3", |s| s.causal && s.masks.has(MaskKind::Window) && s.sizes.window == 3),
        ("fill=add_neg_1e4", |s| s.field.fill == Fill::AddTenThousand),
        ("bug=mask-strict+nan-row", |s| s.field.bugs.has(Bug::MaskStrict) && s.field.bugs.has(Bug::NanRow)),
        ("norm=gumbel&tau=0.1&draw=7", |s| s.field.tau == 0.1 && s.field.draw == 7),
        ("score=additive_linear&num=f16&bias=1", |s| {
            s.field.score == ScoreKind::Linear && s.field.half && s.field.bias
        }),
        ("w=identity&heads=4", |s| s.weights == WeightsKind::Identity && s.head_width() == 16),
        ("bos=0", |s| !s.bos && s.query == 2),
        ("pad=8", |s| s.pad == 8),
        ("stage=raw", |s| s.stage == ShownStage::Raw),
        ("stage=masked", |s| s.stage == ShownStage::Masked),
        ("contrast=auto", |s| s.contrast == Contrast::Auto),
        ("engine=cpu", |s| s.engine == EngineChoice::Cpu),
        ("theme=dark", |s| s.theme == Theme::Dark),
    ];
    for (fragment, check) in table {
        let (settings, notices) = decode(fragment);
        assert!(check(&settings), "{fragment}: {settings:?}");
        assert_eq!(notices, [], "{fragment}");
    }
}

/// What a bad link must say, and that everything else stays at its default.
fn says(fragment: &str, code: &str) -> Vec<Notice> {
    let (settings, notices) = decode(fragment);
    assert_valid(&settings);
    assert!(notices.iter().any(|notice| notice.code() == code), "{fragment}: no {code} in {notices:?}");
    notices
}

#[test]
fn what_means_nothing_keeps_the_default_and_is_said() {
    for fragment in [
        "t=NaN",
        "t=nan",
        "t=inf",
        "t=-inf",
        "t=infinity",
        "t=1e999",
        "t=-1e999",
        "t=",
        "t=x",
        "t=1,5",
        "t=0x1",
        "t=1 ",
        "h=",
        "h=4.5",
        "h=1e1",
        "h=NaN",
        "h=--4",
        "h=-",
        "q=+",
        "q=٣",
        "k=abc",
        "heads=eight",
        "dk=",
        "seed=-",
        "bos=2",
        "bos=true",
        "bos=",
        "pad=",
        "pos=",
        "pos=maybe",
        "mask=",
        "mask=foo",
        "mask=causal+",
        "mask=causal+none",
        "mask=Causal",
        "cells=!",
        "cells=A",
        "cells=AAAA",
        "w=",
        "w=gpt",
        "tok=words",
        "tab=x",
        "lang=fr",
        "scale=2",
        "stage=output",
        "contrast=1",
        "engine=quantum",
        "theme=pink",
        "fill=",
        "fill=one",
        "bug=4",
        "bug=nan-row+",
        "norm=soft",
        "score=cosine",
        "num=f64",
        "tau=small",
        "mask=causal+windows",
        "t",
        "h&q",
    ] {
        let notices = says(fragment, "unreadable");
        assert_eq!(decode(fragment).0, Settings::default(), "{fragment}");
        assert!(notices.iter().all(|notice| notice.severity() == Severity::Warning), "{fragment}");
    }
    let (_, notices) = decode("t=NaN");
    let [Notice::Unreadable { key: "t", given, used }] = notices.as_slice() else { panic!("{notices:?}") };
    assert_eq!((given.as_str(), used.as_str()), ("NaN", "1"));
}

#[test]
fn what_is_out_of_range_is_moved_to_the_nearest_end_and_said() {
    type Check = fn(&Settings) -> bool;
    let huge = format!("h={}", "9".repeat(400));
    let table: [(&str, Check); 23] = [
        ("tau=0", |s| s.field.tau == TAU.0),
        ("tau=1e9", |s| s.field.tau == TAU.1),
        ("mask=window&window=0", |s| s.sizes.window == 1),
        ("block=129", |s| s.sizes.block == 128),
        ("t=0", |s| s.temperature == 0.05),
        ("t=-5", |s| s.temperature == 0.05),
        ("t=1e300", |s| s.temperature == 20.0),
        ("t=20.000001", |s| s.temperature == 20.0),
        ("h=0", |s| s.head == 1),
        ("h=9", |s| s.head == 8),
        ("h=17", |s| s.head == 8),
        ("h=-3", |s| s.head == 1),
        (&huge, |s| s.head == 8),
        ("w=random&heads=3&h=5", |s| s.head == 3),
        ("h=5&heads=3&w=random", |s| s.head == 3),
        ("heads=17", |s| s.heads == 16),
        ("heads=0", |s| s.heads == 1),
        ("dk=129", |s| s.d_k == 128),
        ("seed=4294967296", |s| s.seed == u32::MAX),
        ("seed=-1", |s| s.seed == 0),
        ("q=137", |s| s.query == 136),
        ("k=-99999999999999999999999", |s| s.key == 0),
        ("pad=9", |s| s.pad == 8),
    ];
    for (fragment, check) in table {
        let notices = says(fragment, "clamped");
        assert_eq!(notices.len(), 1, "{fragment}: {notices:?}");
        assert!(check(&decode(fragment).0), "{fragment}: {:?}", decode(fragment).0);
    }
}

#[test]
fn what_comes_later_is_known_and_said() {
    for fragment in ["w=trained", "w=doc", "w=imported"] {
        says(fragment, "not_yet");
        assert_eq!(decode(fragment).0, Settings::default(), "{fragment}");
    }
    let notices = says("s2=a&doc=b&present=1&embed=1&hide=t&layer=2&lesson=1&step=2&case=3", "reserved_keys");
    assert_eq!(notices.len(), 1);
    assert_eq!(notices[0].severity(), Severity::Quiet);
}

#[test]
fn unknown_and_repeated_keys_do_no_harm() {
    let notices = says("foo=1&t=2&bar=%zz&&=&constructor=1&__proto__=2&T=3", "unknown_keys");
    assert_eq!(decode("foo=1&t=2").0.temperature, 2.0);
    let [Notice::UnknownKeys { first, count }] = notices.as_slice() else { panic!("{notices:?}") };
    assert_eq!((first.len(), *count), (4, 6));
    assert_eq!(notices[0].severity(), Severity::Quiet);
    let (settings, notices) = decode("t=2&t=3&t=NaN&h=5&h=6");
    assert_eq!((settings.temperature, settings.head), (2.0, 5), "the first wins");
    let repeated: Vec<_> = notices.iter().map(Notice::code).collect();
    assert_eq!(repeated, ["repeated_key", "repeated_key"]);
    says("v=2", "version");
    says("v=", "version");
}

#[test]
fn text_is_only_text_and_broken_escapes_are_said() {
    let (settings, notices) = decode("s=</script><img onerror=alert(1)>");
    assert_eq!(&*settings.sentence, "</script><img onerror=alert(1)>");
    assert_eq!(notices, []);
    assert!(!encode(&settings).contains('<'));
    for (fragment, sentence) in [
        ("s=100%", "100%"),
        ("s=%zz", "%zz"),
        ("s=%E7%8C", "\u{FFFD}"),
        ("s=%FFa", "\u{FFFD}a"),
        ("s=%ED%A0%80", "\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("s=%4", "%4"),
    ] {
        says(fragment, "broken_escapes");
        assert_eq!(&*decode(fragment).0.sentence, sentence, "{fragment}");
    }
    let long = "x".repeat(5000);
    let (_, notices) = decode(&format!("t={long}"));
    let [Notice::Unreadable { given, .. }] = notices.as_slice() else { panic!("{notices:?}") };
    assert!(given.as_str().chars().count() <= 40 && given.as_str().ends_with('…'));
}

#[test]
fn enormous_links_are_cut_without_inventing_values() {
    let sentence = "猫".repeat(60_000);
    let (settings, notices) = decode(&format!("t=0.5&s={sentence}"));
    assert_eq!(settings.sentence.encode_utf16().count(), MAX_SENTENCE);
    assert_eq!(settings.temperature, 0.5);
    let codes: Vec<_> = notices.iter().map(Notice::code).collect();
    assert_eq!(codes, ["link_too_long", "sentence_too_long"]);
    // The cut falls into an escape of the sentence: cut, not broken.
    for shift in 0..9 {
        let encoded = percent::encode(&sentence);
        let (settings, notices) = decode(&format!("{}s={encoded}", "&".repeat(shift)));
        assert_eq!(settings.sentence.chars().filter(|&c| c != '猫').count(), 0);
        assert!(notices.iter().any(|notice| notice.code() == "link_too_long"));
    }
    // The cut falls between "t=1" and "0": t = 1 was not what the link said.
    let filler = "x".repeat(link::MAX_FRAGMENT - "foo=&q=1".len());
    let (settings, notices) = decode(&format!("foo={filler}&q=10"));
    assert_eq!(settings.query, Settings::default().query);
    assert!(notices.iter().any(|notice| notice.code() == "link_too_long"));
    let (settings, _) = decode(&format!("foo={}&q=10", &filler[1..]));
    assert_eq!(settings.query, 10, "this one fits");
    // A surrogate pair is not cut in two.
    let cats = "a".to_owned() + &"🐈".repeat(3000);
    let kept = decode(&format!("s={cats}")).0.sentence;
    assert_eq!(kept.encode_utf16().count(), MAX_SENTENCE - 1);
}

#[test]
fn garbage_never_panics_and_always_gives_valid_settings() {
    let mut random = SplitMix64::new(5);
    let pieces: Vec<String> = KEYS
        .iter()
        .chain(&["s2", "doc", "x", ""])
        .map(|key| (*key).to_owned())
        .chain(
            ["=", "&", "%", "%E7", "%00", "+", ",", ":", "-", "1", "9e99", "NaN", "auto", "toy", "BAAB", "猫", "split"]
                .map(str::to_owned),
        )
        .collect();
    for round in 0..6000 {
        let fragment: String = if round % 2 == 0 {
            (0..index(&mut random, 40)).map(|_| pieces[index(&mut random, pieces.len())].as_str()).collect()
        } else {
            let bytes: Vec<u8> = (0..index(&mut random, 60)).map(|_| random.next_u64() as u8).collect();
            let key = pick(&mut random, &KEYS);
            format!("{key}={}", String::from_utf8_lossy(&bytes))
        };
        let (settings, notices) = decode(&fragment);
        assert_valid(&settings);
        let mended = encode(&settings);
        assert_eq!(decode(&mended), (settings, vec![]), "{fragment:?} was read as {mended:?} with {notices:?}");
    }
}

#[test]
fn added_words_keep_their_text_and_features() {
    let (words, notices) = feat::decode("女巫:noun+animate,哥布林,那只:split");
    assert_eq!(notices, []);
    let features = FeatureSet::of(&[Feature::Noun, Feature::Animate]);
    let expected = [
        AddedWord { text: "女巫".into(), features, split: false },
        AddedWord { text: "哥布林".into(), features: FeatureSet::EMPTY, split: false },
        AddedWord { text: "那只".into(), features: FeatureSet::EMPTY, split: true },
    ];
    assert_eq!(words, expected);
    assert_eq!(feat::encode(&words), "女巫:noun+animate,哥布林,那只:split");
    let odd = [AddedWord { text: "a,b:c+d%2C".into(), features: FeatureSet::EMPTY, split: false }];
    assert_eq!(feat::encode(&odd), "a%2Cb%3Ac%2Bd%252C");
    assert_eq!(feat::decode(&feat::encode(&odd)), (odd.to_vec(), vec![]));

    let codes = |value: &str| feat::decode(value).1.iter().map(Notice::code).collect::<Vec<_>>();
    assert_eq!(codes("a:noun+nonsense"), ["unknown_feature"]);
    assert_eq!(codes("a:bos"), ["unknown_feature"], "no word may pass for <BOS>");
    assert_eq!(codes("a,,b"), ["words_left_out"]);
    assert_eq!(codes("a,a:noun"), ["words_left_out"]);
    assert_eq!(codes(&"x".repeat(65)), ["words_left_out"]);
    assert_eq!(codes(&"猫".repeat(64)), [] as [&str; 0]);
    let many = (0..300).map(|i| format!("w{i}")).collect::<Vec<_>>().join(",");
    let (words, notices) = feat::decode(&many);
    assert_eq!((words.len(), notices), (256, vec![Notice::WordsLeftOut { kept: 256, of: 300 }]));
}

#[test]
fn cells_are_compact_and_bounded() {
    let mut random = SplitMix64::new(11);
    for _ in 0..500 {
        let set = random_cells(&mut random);
        assert_eq!(cells::decode(&cells::encode(&set)), Some(set));
    }
    let whole: cells::Cells = (0..512).flat_map(|q| (0..512).map(move |k| ((q, k), true))).collect();
    let text = cells::encode(&whole);
    assert!(text.len() < 10, "{text}: one run");
    assert_eq!(cells::decode(&text), Some(whole));
    assert_eq!(cells::encode(&cells::Cells::new()), "");
    // The format, byte by byte: width 2, one untouched cell (1 << 2), one permitted (1 << 2 | 2).
    let one = cells::Cells::from([((0, 1), true)]);
    assert_eq!(cells::encode(&one), "AgQG");
    for (why, bad) in [
        ("width 0", "AAY"),
        ("width 513", "gQQG"),
        ("a run one cell too long", "gASGgEA"),
        ("runs that add up to too much", "AbIJsQk"),
        ("state 3", "Agc"),
        ("length 0", "AgI"),
        ("an end within a varint", "AoY"),
        ("a varint of five bytes", "AoaAgIAB"),
        ("padding", "Ag=="),
        ("a space", "A g"),
        ("foreign digits", "猫"),
        ("an impossible length", "AgQGA"),
        ("left-over bits", "AgR"),
    ] {
        assert_eq!(cells::decode(bad), None, "{why}: {bad}");
    }
}

#[test]
fn pairs_are_a_change_and_what_pointed_at_old_tokens_follows() {
    let base = Settings { cells: Rc::new([((1, 2), false)].into()), temperature: 2.0, ..Settings::default() };
    let given = |pairs: &[(&'static str, &str)]| {
        let pairs: Vec<_> = pairs.iter().map(|&(key, value)| (key, value.to_owned())).collect();
        decode_pairs(&base, pairs.into_iter())
    };
    let (settings, notices) = given(&[("h", "5")]);
    assert_eq!(settings, Settings { head: 5, ..base.clone() }, "keys not given stay as they are");
    assert_eq!(notices, []);
    let (settings, notices) = given(&[("s", "狗咬人和猫")]);
    assert!(settings.cells.is_empty());
    assert_eq!(notices, [Notice::CellsDropped { count: 1 }]);
    let (settings, notices) = given(&[("s", "狗咬人和猫"), ("cells", "AgQG"), ("q", "4")]);
    assert_eq!((settings.cells.len(), settings.query, notices.len()), (1, 4, 0));
    let (settings, _) = given(&[("s", "我爱猫"), ("h", "5")]);
    assert_eq!((settings.head, settings.query, settings.key), (5, 2, 3), "the telling row of the head that was given");
    let (settings, _) = given(&[("bos", "0")]);
    assert_eq!((settings.query, settings.key), (1, 0), "the same words");
    let (settings, _) = given(&[("bos", "0"), ("q", "2"), ("k", "2")]);
    assert_eq!((settings.query, settings.key), (2, 2), "what is given counts");
    let (_, notices) = given(&[("t", "1e999")]);
    assert_eq!(notices[0].code(), "unreadable");
    let (settings, _) = given(&[("t", "1e999")]);
    assert_eq!(settings.temperature, 2.0, "the base's value stays");
}

#[test]
fn what_was_given_is_quoted_as_it_was_given() {
    let (settings, notices) = decode("h=99");
    assert_eq!(settings.head, 8);
    let said: Vec<String> = notices.iter().map(|notice| locale::notice(Lang::En, notice)).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("99") && said[0].contains('8') && !said[0].contains("16"), "{said:?}");
    let (_, notices) = decode("h=12");
    assert!(locale::notice(Lang::En, &notices[0]).contains("12"));
}

#[test]
fn a_known_word_with_unknown_features_keeps_its_own() {
    for (value, kept) in
        [("cat:zzz", 0), ("cat:zzz%2Byyy,狗:noun", 1), ("cat:zzz+noun", 1), ("cat", 1), ("cat:zzz+split", 1)]
    {
        let (settings, notices) = decode(&format!("feat={value}"));
        assert_eq!(settings.words.len(), kept, "{value}");
        assert_eq!(
            notices.iter().any(|n| matches!(n, Notice::UnknownFeature { .. })),
            value.contains("zzz"),
            "{value}"
        );
        assert!(!notices.iter().any(|n| matches!(n, Notice::WordsLeftOut { .. })), "{value}");
    }
}

#[test]
fn what_is_pinned_is_a_whole_table_without_the_person_and_without_a_pin() {
    let (settings, notices) = decode("t=2&a=t%3D0.5%26mask%3Dcausal%26lang%3Den%26theme%3Ddark%26a%3Dt%253D9");
    assert_eq!(notices, []);
    assert_eq!(&*settings.pinned, "t=0.5&mask=causal");
    let pinned = link::pinned(&settings).expect("something is pinned");
    assert_eq!((pinned.temperature, pinned.causal, pinned.pinned.is_empty()), (0.5, true, true));
    assert_eq!(decode(&encode(&settings)).0, settings);
    // Faults of the pinned table are said like those of the link.
    let (settings, notices) = decode("a=t%3D99%26wurst%3D1");
    assert_eq!(&*settings.pinned, "t=20");
    assert_eq!(notices.iter().map(Notice::code).collect::<Vec<_>>(), ["clamped", "unknown_keys"]);
    assert_eq!(&*decode("a=v%3D1").0.pinned, "v=1", "the landing state can be pinned too");
    assert_eq!(link::pinned(&decode("a=v%3D1").0), Some(Settings::default()));
    assert!(link::pinned(&decode("a=").0).is_none());
    assert!(link::pinned(&decode("t=2").0).is_none());
    // However deep pins are nested, reading ends.
    let deep = (0..12).fold(String::from("t=3"), |inner, _| format!("a={}", percent::encode(&inner)));
    assert!(link::pinned(&decode(&deep).0).is_none_or(|pinned| pinned.pinned.is_empty()));
}
