//! The text room: lexicon against the reference, the four tokenizers, editing of words, labels and offsets.

use attention_lab::tensor::random::SplitMix64;
use attention_lab::text::decimal;
use attention_lab::text::edit::{merge, propose, set_feature, split, unknown_stretches, with_word};
use attention_lab::text::fold::{fold, folded};
use attention_lab::text::hash::fnv1a;
use attention_lab::text::lexicon::{self, lookup};
use attention_lab::text::tokenize::text_identity;
use attention_lab::text::{
    AddedWord, Feature, FeatureSet, Marks, Token, TokenKind, Tokenizer, byte_span, display, tokenize, utf16_span,
    utf16_spans,
};
use std::collections::{BTreeMap, BTreeSet};

const TOKENIZERS: [Tokenizer; 4] = [Tokenizer::Word, Tokenizer::Char, Tokenizer::Space, Tokenizer::Byte];
const UNKNOWN: FeatureSet = FeatureSet::of(&[Feature::Unk]);

fn set(names: &str) -> FeatureSet {
    names.split_whitespace().fold(FeatureSet::EMPTY, |set, name| {
        set.with(Feature::from_name(name).unwrap_or_else(|| panic!("no feature is called {name}")), true)
    })
}

fn added(text: &str, features: &str) -> AddedWord {
    AddedWord { text: text.into(), features: set(features), split: false }
}

fn forbidden(text: &str) -> AddedWord {
    AddedWord { text: text.into(), features: FeatureSet::EMPTY, split: true }
}

fn cut_with(input: &str, tokenizer: Tokenizer, words: &[AddedWord]) -> Vec<Token> {
    tokenize(input, tokenizer, words, Marks::default())
}

fn texts(tokens: &[Token]) -> Vec<&str> {
    tokens.iter().map(|token| &*token.text).collect()
}

/// Asserts the word tokenizer's cut, written with `|` between tokens.
#[track_caller]
fn assert_words(input: &str, words: &[AddedWord], expected: &str) {
    assert_eq!(texts(&cut_with(input, Tokenizer::Word, words)).join("|"), expected, "{input:?} with {words:?}");
}

fn find<'a>(tokens: &'a [Token], text: &str) -> &'a Token {
    tokens.iter().find(|token| &*token.text == text).unwrap_or_else(|| panic!("{text} is not in {:?}", texts(tokens)))
}

/// SplitMix64, written here anew so that the property tests lean on nothing of the crate.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % n as u64).expect("smaller than a usize")
    }

    fn char(&mut self) -> char {
        const NOTABLE: [&str; 9] = [
            "猫追老鼠那只被主人银行发布会我爱你女巫哥布林",
            " \t\r\n\u{85}\u{A0}\u{3000}\u{2028}",
            "\0\u{1}\u{1B}\u{1C}\u{7F}\u{9B}",
            "aAbcétheT019'’-_.,!?İßΣσς",
            "\u{301}\u{308}\u{200B}\u{200C}\u{200D}\u{FE0F}\u{20E3}\u{202E}\u{2066}\u{FEFF}\u{AD}\u{600}",
            "👨👩👧🏽🇨🇳🇺🇸❤1",
            "שלוםمرحباहिन्दीกำไทยខ្មែរမြန်မာ한국어",
            "ＡＢｃ１２３、。，「」・ーアィがｱﾞ",
            "\u{FFFF}\u{FDD0}\u{E000}\u{10FFFF}\u{E0041}①㈱Ⓐ",
        ];
        if self.below(8) == 0 {
            return char::from_u32(self.below(0x11_0000) as u32).unwrap_or('\u{FFFD}');
        }
        let group: Vec<char> = NOTABLE[self.below(NOTABLE.len())].chars().collect();
        group[self.below(group.len())]
    }

    fn text(&mut self, most: usize) -> String {
        let len = self.below(most + 1);
        (0..len).map(|_| self.char()).collect()
    }

    /// Added words that are likely to match: pieces of the input at random places, and words from nowhere.
    fn words(&mut self, input: &str) -> Vec<AddedWord> {
        let chars: Vec<char> = input.chars().collect();
        (0..self.below(6))
            .map(|_| {
                let text: String = if chars.is_empty() || self.below(4) == 0 {
                    self.text(4)
                } else {
                    let start = self.below(chars.len());
                    chars[start..chars.len().min(start + 1 + self.below(6))].iter().collect()
                };
                let features = FeatureSet(u32::try_from(self.next() >> 33).expect("31 bits"));
                let features = if self.below(2) == 0 { FeatureSet::EMPTY } else { features };
                AddedWord { text: text.into(), features, split: self.below(3) == 0 }
            })
            .collect()
    }
}

/// Every promise that a token list makes about its input.
#[track_caller]
fn assert_tiles(input: &str, tokenizer: Tokenizer, words: &[AddedWord], tokens: &[Token]) {
    let context = || format!("{input:?} by {tokenizer:?} with {words:?}: {:?}", texts(tokens));
    let mut end = 0;
    for token in tokens {
        assert!(token.span.start >= end, "overlap in {}", context());
        assert!(token.span.end > token.span.start, "empty token in {}", context());
        if let TokenKind::Byte { value, piece, of } = token.kind {
            assert_eq!(token.span, end..end + 1, "bytes tile the input: {}", context());
            assert_eq!(value, input.as_bytes()[end]);
            let start = end + 1 - usize::from(piece);
            assert_eq!(input.get(start..start + usize::from(of)), Some(&*token.text), "{}", context());
            assert_eq!(token.identity, fnv1a(&[0xFF, value, piece, of]));
            assert!(!token.known && token.features == UNKNOWN);
        } else {
            assert_eq!(input.get(token.span.clone()), Some(&*token.text), "{}", context());
            let between = input.get(end..token.span.start).unwrap_or_else(|| panic!("border in {}", context()));
            assert!(between.chars().all(char::is_whitespace), "{between:?} is lost in {}", context());
            assert_eq!(token.identity, fnv1a(folded(&token.text).as_bytes()));
            assert_eq!(token.known, token.features != UNKNOWN, "{}", context());
            assert!(
                !token.features.is_empty() && !token.features.has(Feature::Const) && !token.features.has(Feature::Bos)
            );
        }
        end = token.span.end;
    }
    assert!(input[end..].chars().all(char::is_whitespace), "the end is lost in {}", context());
}

// ---------------------------------------------------------------------------------------------------------- lexicon

/// The `add("words", "features")` calls of the reference, later calls over earlier ones.
fn reference_lexicon() -> BTreeMap<String, FeatureSet> {
    let reference = include_str!("../golden/toy_model.py");
    let mut words = BTreeMap::new();
    for line in reference.lines().filter(|line| line.starts_with("add(")) {
        for call in line.split("add(").skip(1) {
            let quoted: Vec<&str> = call.split('"').collect();
            let prefix = if quoted[2].contains("N +") { "noun " } else { "" };
            let features = set(&format!("{prefix}{}", quoted[3]));
            words.extend(quoted[1].split_whitespace().map(|word| (word.to_owned(), features)));
        }
    }
    words
}

#[test]
fn lexicon_is_the_reference_lexicon() {
    let expected = reference_lexicon();
    assert_eq!(expected.len(), 193);
    assert_eq!(lexicon::entries().len(), 193);
    for (word, features) in &expected {
        assert_eq!(lookup(word), Some(*features), "{word}");
    }
    assert!(lexicon::entries().is_sorted_by(|a, b| a.0 < b.0));
}

#[test]
fn lexicon_features_and_case() {
    assert_eq!(lookup("猫"), Some(set("noun animate animal")));
    assert_eq!(lookup("mice"), Some(set("noun animate animal pl")));
    assert_eq!(lookup("银行"), Some(set("noun thing s_fin s_nat")));
    assert_eq!(lookup("那只"), Some(set("det want_animal")));
    assert_eq!(lookup("was"), Some(set("be want_sg")));
    assert_eq!(lookup("，"), Some(set("punct")));
    assert_eq!(lookup("The"), Some(set("det")));
    assert_eq!(lookup("BANK"), lookup("bank"));
    assert_eq!(lookup("I"), Some(set("pron animate human")));
    assert_eq!(lookup("i"), None, "only the upper-case form is in the lexicon");
    assert_eq!(lookup("女巫"), None);
    assert_eq!(lookup(""), None);
}

#[test]
fn feature_names_round_trip() {
    let names: BTreeSet<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
    assert_eq!(names.len(), 31);
    for (index, feature) in Feature::ALL.into_iter().enumerate() {
        assert_eq!(feature as usize, index);
        assert_eq!(Feature::from_name(feature.name()), Some(feature));
    }
    // The reference's own order of dimensions.
    let reference = include_str!("../golden/toy_model.py");
    let start = reference.find("\"const bos").expect("the list of features") + 1;
    let listed = reference[start..].split("spare").next().expect("its end").replace(['"', '\n'], " ");
    let ours: Vec<&str> = Feature::ALL.iter().map(|feature| feature.name()).collect();
    assert_eq!(listed.split_whitespace().collect::<Vec<_>>(), ours);

    assert_eq!(Feature::from_name("Noun"), None);
    assert_eq!(Feature::from_name(""), None);
    let fixed = set("const bos unk punct");
    for feature in Feature::ALL {
        assert_eq!(Feature::SETTABLE.contains(&feature), !fixed.has(feature), "{}", feature.name());
    }
}

#[test]
fn hashes_are_the_reference_values() {
    assert_eq!(fnv1a("猫".as_bytes()), 2_853_223_995_777_570_639);
    assert_eq!(fnv1a(b"cat"), 17_718_013_163_177_550_631);
    assert_eq!(text_identity("Cat"), 17_718_013_163_177_550_631);
}

// ------------------------------------------------------------------------------------------------------- tokenizers

#[test]
fn fixtures_tokenize_as_listed() {
    let fixtures: serde_json::Value =
        serde_json::from_str(include_str!("../golden/toy_model.json")).expect("fixtures are JSON");
    let fixtures = fixtures.as_object().expect("an object by sentence");
    assert_eq!(fixtures.len(), 7);
    for (sentence, fixture) in fixtures {
        let expected: Vec<&str> =
            fixture["tokens"].as_array().expect("a list").iter().map(|token| token.as_str().expect("text")).collect();
        let tokens = tokenize(sentence, Tokenizer::Word, &[], Marks { bos: true, pad: 0 });
        assert_eq!(texts(&tokens), expected);
        assert!(tokens.iter().all(|token| token.known), "{sentence}");
        assert_tiles(sentence, Tokenizer::Word, &[], &tokens[1..]);
    }
}

#[test]
fn marks_stand_around_the_words() {
    let tokens = tokenize("猫 ", Tokenizer::Word, &[], Marks { bos: true, pad: 2 });
    assert_eq!(texts(&tokens), ["<BOS>", "猫", "<PAD>", "<PAD>"]);
    let (bos, pad) = (&tokens[0], &tokens[3]);
    assert_eq!((bos.kind, bos.span.clone(), bos.features), (TokenKind::Bos, 0..0, set("bos")));
    assert_eq!((pad.kind, pad.span.clone(), pad.features), (TokenKind::Pad, 4..4, FeatureSet::EMPTY));
    assert!(bos.known && pad.known);
    assert_eq!((bos.identity, pad.identity), (fnv1a(b"<bos>"), fnv1a(b"<pad>")));
    for tokenizer in TOKENIZERS {
        assert_eq!(tokenize("", tokenizer, &[], Marks { bos: true, pad: 1 }).len(), 2);
        assert_eq!(tokenize("", tokenizer, &[], Marks::default()), []);
    }
}

#[test]
fn letters_of_spaced_scripts_form_runs() {
    assert_words("The café is naïve, Ångström!", &[], "The|café|is|naïve|,|Ångström|!");
    assert_words("cafe\u{301} nai\u{308}ve", &[], "cafe\u{301}|nai\u{308}ve");
    assert_words("ＡＢＣ１２３ ｃａｔ", &[], "ＡＢＣ１２３|ｃａｔ");
    assert_words("שלום עולם", &[], "שלום|עולם");
    assert_words("צה״ל \"אב\"", &[], "צה״ל|\"|אב|\"");
    assert_words("مرحبا بالعالم، ٣٢١", &[], "مرحبا|بالعالم|،|٣٢١");
    assert_words("Ελληνικά кошка नमस्ते दुनिया 고양이가 쥐를", &[], "Ελληνικά|кошка|नमस्ते|दुनिया|고양이가|쥐를");
    let single = &cut_with("x", Tokenizer::Word, &[])[0];
    assert_eq!((single.kind, single.known), (TokenKind::Word, false), "a run of one letter is a word");
    assert_words("GPT4 3.14 a_b", &[], "GPT4|3|.|14|a|_|b");
}

#[test]
fn apostrophes_and_hyphens_join_only_between_letters() {
    assert_words("I don't, don’t well-known x-1", &[], "I|don't|,|don’t|well-known|x-1");
    assert_words("- 'a' rock-'n'-roll dogs' a--b -", &[], "-|'|a|'|rock|-|'|n|'|-|roll|dogs|'|a|-|-|b|-");
    assert_words("猫-狗", &[], "猫|-|狗");
    assert_eq!(cut_with("-", Tokenizer::Word, &[])[0].kind, TokenKind::Punct);
}

#[test]
fn punctuation_symbols_and_emoji_are_single() {
    assert_words("猫！！「好」……", &[], "猫|！|！|「|好|」|…|…");
    assert_words("?!...", &[], "?|!|.|.|.");
    assert_words("👨‍👩‍👧👍🏽🇨🇳🇺🇸❤️1️⃣2️⃣", &[], "👨‍👩‍👧|👍🏽|🇨🇳|🇺🇸|❤️|1️⃣|2️⃣");
    assert_words("cat👍dog①②", &[], "cat|👍|dog|①|②");
    let tokens = cut_with("。👍", Tokenizer::Word, &[]);
    assert_eq!(tokens.iter().map(|token| token.kind).collect::<Vec<_>>(), [TokenKind::Punct; 2]);
    assert_eq!((tokens[0].features, tokens[0].known), (set("punct"), true));
    assert_eq!((tokens[1].features, tokens[1].known), (UNKNOWN, false));
}

#[test]
fn scripts_without_spaces_match_the_longest_word_then_single_clusters() {
    assert_words("手机发布会", &[], "手机|发布会");
    assert_words("发布新书", &[], "发布|新|书");
    assert_words("女巫追哥布林", &[], "女|巫|追|哥|布|林");
    assert_words("我爱cat和iPhone手机", &[], "我|爱|cat|和|iPhone|手机");
    assert_words("猫がいる・アー", &[], "猫|が|い|る|・|ア|ー");
    assert_words("กำไร๑๒", &[], "กำ|ไ|ร|๑๒");
    assert_words("㐀𠀀々", &[], "㐀|𠀀|々");
    let tokens = cut_with("女猫", Tokenizer::Word, &[]);
    assert_eq!((tokens[0].kind, tokens[0].known, tokens[0].features), (TokenKind::Char, false, UNKNOWN));
    assert_eq!((tokens[1].kind, tokens[1].known), (TokenKind::Word, true));
    // A combining mark makes another character of it.
    assert_words("猫\u{301}追", &[], "猫\u{301}|追");
    assert!(!cut_with("猫\u{301}追", Tokenizer::Word, &[])[0].known);
}

#[test]
fn control_and_format_characters_and_lone_marks_are_tokens() {
    assert_words("a\0b\u{1B}\u{202E}猫", &[], "a|\0|b|\u{1B}|\u{202E}|猫");
    assert_words("\u{301}a \u{301}", &[], "\u{301}|a|\u{301}");
    assert_words("\u{600} b", &[], "\u{600}|b");
    let tokens = cut_with("\0\u{200B}\u{301}", Tokenizer::Word, &[]);
    assert!(tokens.iter().all(|token| token.kind == TokenKind::Char), "{tokens:?}");
    // White space of every kind only separates.
    assert_words("a\tb\r\nc\u{3000}猫\u{A0}d\u{85}", &[], "a|b|c|猫|d");
}

#[test]
fn characters_are_clusters() {
    let tokens = cut_with("The 老鼠 e\u{301}👨‍👩‍👧.\0", Tokenizer::Char, &[]);
    assert_eq!(texts(&tokens), ["T", "h", "e", "老", "鼠", "e\u{301}", "👨‍👩‍👧", ".", "\0"]);
    assert!(tokens.iter().all(|token| token.kind == TokenKind::Char));
    let tokens = cut_with("A猫女", Tokenizer::Char, &[added("女", "noun human")]);
    assert_eq!(tokens[0].features, set("det"));
    assert_eq!(tokens[1].features, set("noun animate animal"));
    assert_eq!(tokens[2].features, set("noun human"));
}

#[test]
fn chunks_are_cut_at_white_space_only() {
    let tokens = cut_with("  The cat,  don't\u{3000}猫追老鼠\r\n", Tokenizer::Space, &[added("猫追老鼠", "verb")]);
    assert_eq!(texts(&tokens), ["The", "cat,", "don't", "猫追老鼠"]);
    assert!(tokens.iter().all(|token| token.kind == TokenKind::Chunk));
    assert_eq!(tokens[0].features, set("det"));
    assert!(!tokens[1].known);
    assert_eq!(tokens[3].features, set("verb"));
    // "Never one word" is about cutting words; a chunk has the lexicon's features all the same.
    assert_eq!(cut_with("老鼠", Tokenizer::Space, &[forbidden("老鼠")])[0].features, set("noun animate animal"));
}

#[test]
fn bytes_know_their_character() {
    let tokens = cut_with("追 a😀", Tokenizer::Byte, &[]);
    assert_eq!(tokens.len(), 3 + 1 + 1 + 4);
    assert_eq!(tokens[1].kind, TokenKind::Byte { value: 0xBF, piece: 2, of: 3 });
    assert_eq!((&*tokens[1].text, tokens[1].span.clone()), ("追", 1..2));
    assert_eq!(tokens[3].kind, TokenKind::Byte { value: b' ', piece: 1, of: 1 });
    assert_eq!(tokens[8].kind, TokenKind::Byte { value: 0x80, piece: 4, of: 4 });
    assert_tiles("追 a😀", Tokenizer::Byte, &[], &tokens);
    // The letter a as a byte is not the word "a".
    assert_ne!(tokens[4].identity, text_identity("a"));
}

// ------------------------------------------------------------------------------------------------------ added words

#[test]
fn added_words_are_found_longest_first() {
    let words = [added("女巫", "noun animate human"), added("哥布林", "")];
    let tokens = cut_with("女巫追哥布林", Tokenizer::Word, &words);
    assert_eq!(texts(&tokens), ["女巫", "追", "哥布林"]);
    assert_eq!((tokens[0].features, tokens[0].known), (set("noun animate human"), true));
    assert_eq!((tokens[2].features, tokens[2].known, tokens[2].kind), (UNKNOWN, false, TokenKind::Word));
    assert_words("哥布林王", &[added("哥布", ""), added("哥布林王", ""), added("哥布林", "")], "哥布林王");
    // The longest of lexicon and added wins.
    assert_words("发布会", &[added("发布", "")], "发布会");
    assert_words("发布会上", &[added("发布会上", "")], "发布会上");
    assert_words("C++11和C#", &[added("C++", ""), added("C#", "")], "C++|11|和|C#");
    assert_words("a New York cat", &[added("New York", "noun thing")], "a|New York|cat");
    assert_words("Newer York", &[added("New", "")], "Newer|York");
    assert_words("猫AB", &[added("猫A", "")], "猫|AB");
    assert_words("well-known", &[added("well", ""), added("well-", "")], "well-known");
    // Flags don't match across their border.
    assert_words("🇨🇳🇺🇸", &[added("🇳🇺", "")], "🇨🇳|🇺🇸");
}

#[test]
fn added_words_override_the_lexicon() {
    assert_eq!(cut_with("猫", Tokenizer::Word, &[added("猫", "noun thing")])[0].features, set("noun thing"));
    let hidden = cut_with("猫", Tokenizer::Word, &[added("猫", "")]);
    assert_eq!((hidden[0].features, hidden[0].known), (UNKNOWN, false));
    // In lower case too, the exact entry first, the later of two for the same text.
    let words = [added("apple", "thing t_food"), added("Apple", "thing t_tech")];
    let tokens = cut_with("Apple apple APPLE", Tokenizer::Word, &words);
    assert_eq!(tokens[0].features, set("thing t_tech"));
    assert_eq!(tokens[1].features, set("thing t_food"));
    assert_eq!(cut_with("Cat", Tokenizer::Word, &[added("cat", "verb")])[0].features, set("verb"));
    let twice = [added("女巫", "noun"), added("女巫", "verb")];
    assert_eq!(cut_with("女巫", Tokenizer::Word, &twice)[0].features, set("verb"));
    // What the model and the tokenizer give, nobody claims.
    assert_eq!(cut_with("x", Tokenizer::Word, &[added("x", "const bos noun")])[0].features, set("noun"));
    assert!(!cut_with("x", Tokenizer::Word, &[added("x", "bos unk")])[0].known);
}

#[test]
fn forbidden_words_are_cut() {
    assert_words("猫追老鼠", &[forbidden("老鼠")], "猫|追|老|鼠");
    assert_words("发布会", &[forbidden("发布会")], "发布|会");
    assert_words("the cat Cat cats", &[forbidden("cat")], "the|c|a|t|C|a|t|cats");
    assert_words("unhappy", &[forbidden("unhappy"), added("un", ""), added("happy", "")], "un|happy");
    assert_words("unhappy", &[forbidden("unhappy"), added("hap", "")], "u|n|hap|p|y");
    assert_words("New York", &[forbidden("New"), added("New York", "")], "New York");
    assert_words("女巫", &[added("女巫", ""), forbidden("女巫")], "女|巫");
    assert_words("女巫", &[forbidden("女巫"), added("女巫", "")], "女巫");
    let tokens = cut_with("don't", Tokenizer::Word, &[forbidden("don't")]);
    assert_eq!(texts(&tokens), ["d", "o", "n", "'", "t"]);
    assert_eq!(tokens[3].kind, TokenKind::Punct);
    assert_eq!(tokens[0].kind, TokenKind::Char);
}

#[test]
fn words_that_cannot_match_are_ignored() {
    let words = [added("", "noun"), added(" ", "noun"), added(" 猫", "noun"), added("狗\n", "noun"), forbidden("")];
    assert_words(" 猫 狗\n", &words, "猫|狗");
    for tokenizer in TOKENIZERS {
        let input = " 猫 狗\n";
        assert_tiles(input, tokenizer, &words, &cut_with(input, tokenizer, &words));
    }
}

// ----------------------------------------------------------------------------------------------------------- editing

#[test]
fn merging_makes_one_word() {
    let input = "女巫追哥布林, New York";
    let tokens = cut_with(input, Tokenizer::Word, &[]);
    let word = merge(input, &tokens, 0).expect("two characters side by side");
    assert_eq!(word, added("女巫", ""));
    let words = with_word(&[], word);
    assert_words(input, &words, "女巫|追|哥|布|林|,|New|York");
    let york = tokens.len() - 2;
    let words = with_word(&words, merge(input, &tokens, york).expect("two words with a space"));
    assert_words(input, &words, "女巫|追|哥|布|林|,|New York");
    assert_eq!(merge(input, &tokens, york - 1), None, "a comma, a space, a word");
    assert_eq!(merge(input, &tokens, york + 1), None, "no next token");
    assert_eq!(merge(input, &tokens, usize::MAX), None);
    let with_marks = tokenize("猫", Tokenizer::Word, &[], Marks { bos: true, pad: 1 });
    assert_eq!((merge("猫", &with_marks, 0), merge("猫", &with_marks, 1)), (None, None));
    assert_eq!(merge("ab", &cut_with("ab", Tokenizer::Byte, &[]), 0), None);
    assert_eq!(merge("a b", &cut_with("a b", Tokenizer::Space, &[]), 0), None);
    // Spans of another input give nothing rather than a panic.
    assert_eq!(merge("", &tokens, 0), None);
    // Two words and one: "New York City".
    let input = "New York City";
    let tokens = cut_with(input, Tokenizer::Word, &[added("New York", "")]);
    assert_eq!(merge(input, &tokens, 0), Some(added("New York City", "")));
}

#[test]
fn splitting_and_merging_are_opposite() {
    let tokens = cut_with("猫追老鼠", Tokenizer::Word, &[]);
    let words = split(find(&tokens, "老鼠"), &[]);
    assert_eq!(words, [forbidden("老鼠")]);
    let tokens = cut_with("猫追老鼠", Tokenizer::Word, &words);
    assert_eq!(texts(&tokens), ["猫", "追", "老", "鼠"]);
    // Merging a word of the lexicon again leaves nothing to say.
    assert_eq!(with_word(&words, merge("猫追老鼠", &tokens, 2).expect("touching")), []);

    let words = [added("New York", "noun thing"), added("女巫", "")];
    let tokens = cut_with("New York女巫", Tokenizer::Word, &words);
    assert_eq!(split(&tokens[0], &words), words[1..]);
    // The segmenter would propose it again, so the person's will is kept.
    assert_eq!(split(&tokens[1], &words), [words[0].clone(), forbidden("女巫")]);

    let tokens = cut_with("Cat 猫 -", Tokenizer::Word, &[]);
    assert_eq!(split(&tokens[0], &[]), [forbidden("Cat")]);
    assert_eq!(split(&tokens[1], &[]), [], "one character");
    assert_eq!(split(&tokens[2], &[]), []);
    // Features set on a word of the lexicon do not save it from being split.
    let words = [added("老鼠", "noun thing")];
    let tokens = cut_with("老鼠", Tokenizer::Word, &words);
    assert_words("老鼠", &split(&tokens[0], &words), "老|鼠");
    let tokens = tokenize("猫追", Tokenizer::Byte, &[], Marks { bos: true, pad: 1 });
    for token in &tokens {
        assert_eq!(split(token, &words), words);
    }
}

#[test]
fn features_are_set_and_dropped() {
    let first = |input: &str, words: &[AddedWord]| cut_with(input, Tokenizer::Word, words)[0].clone();
    // An unknown word gains features, and loses its entry with the last of them.
    let words = set_feature(&first("goblin", &[]), Feature::Noun, true, &[]);
    assert_eq!(words, [added("goblin", "noun")]);
    let words = set_feature(&first("goblin", &words), Feature::Animate, true, &words);
    assert_eq!(words, [added("goblin", "noun animate")]);
    let words = set_feature(&first("goblin", &words), Feature::Noun, false, &words);
    let words = set_feature(&first("goblin", &words), Feature::Animate, false, &words);
    assert_eq!(words, []);
    // A merged word keeps its entry: it is what makes it one word.
    let words = set_feature(&first("女巫", &[added("女巫", "noun")]), Feature::Noun, false, &[added("女巫", "noun")]);
    assert_eq!(words, [added("女巫", "")]);
    // A word of the lexicon starts from its features and is as before when they are back.
    let words = set_feature(&first("猫", &[]), Feature::Animal, false, &[]);
    assert_eq!(words, [added("猫", "noun animate")]);
    assert_eq!(set_feature(&first("猫", &words), Feature::Animal, true, &words), []);
    // With its last feature gone it is unknown, not back in the lexicon.
    let words = set_feature(&first("the", &[]), Feature::Det, false, &[]);
    assert_eq!(words, [added("the", "")]);
    assert!(!first("the", &words).known);
    // The other case of the same word is the same entry; its place in the list stays.
    let words = [added("cat", "verb"), added("dog", "verb")];
    let next = set_feature(&first("Cat", &words), Feature::Noun, true, &words);
    assert_eq!(next, [added("cat", "noun verb"), added("dog", "verb")]);
    // A chunk or a character has the same entries.
    let chunk = &cut_with("cat,", Tokenizer::Space, &[])[0];
    let words = set_feature(chunk, Feature::Noun, true, &[]);
    assert_eq!(words, [added("cat,", "noun")]);
    // Not every feature, and not on every token.
    for fixed in [Feature::Const, Feature::Bos, Feature::Unk, Feature::Punct] {
        assert_eq!(set_feature(&first("猫", &[]), fixed, true, &words), words);
    }
    let marks = tokenize("a", Tokenizer::Byte, &[], Marks { bos: true, pad: 1 });
    for token in &marks {
        assert_eq!(set_feature(token, Feature::Noun, true, &words), words);
    }
}

#[test]
fn segmenter_words_stay_within_unknown_stretches() {
    let input = "女巫追哥布林，魔cat王";
    assert_eq!(unknown_stretches(input, &[]), [0..6, 9..18]);
    let at = |text: &str| {
        let start = input.find(text).expect("in the input");
        start..start + text.len()
    };
    let segments =
        [at("女巫"), at("追"), at("哥布林"), at("，"), at("cat"), at("巫追"), at("林，"), 1..6, 0..999, 9..9];
    let proposed = propose(input, &segments, &[]);
    assert_eq!(proposed, [added("女巫", ""), added("哥布林", "")]);
    assert_words(input, &proposed, "女巫|追|哥布林|，|魔|cat|王");
    assert_eq!(unknown_stretches(input, &proposed), []);
    assert_eq!(propose(input, &segments, &proposed), []);
    // What the person took apart is not put together again.
    let tokens = cut_with(input, Tokenizer::Word, &proposed);
    let words = split(find(&tokens, "女巫"), &proposed);
    assert_words(input, &words, "女|巫|追|哥布林|，|魔|cat|王");
    assert_eq!(propose(input, &segments, &words), []);
    // A segment that would cut a character in two is none.
    assert_eq!(propose("女巫\u{301}王", &[0..6, 0..8], &[]), [added("女巫\u{301}", "")]);
    assert_eq!(unknown_stretches("女 巫", &[]), [], "white space ends a stretch");
}

// ------------------------------------------------------------------------------------------------- labels and offsets

#[test]
fn labels_show_everything() {
    let labels = |input: &str, tokenizer| -> Vec<String> {
        tokenize(input, tokenizer, &[], Marks { bos: true, pad: 1 }).iter().map(display).collect()
    };
    let word = |input: &str| labels(input, Tokenizer::Word)[1].clone();
    assert_eq!(labels("猫 cat", Tokenizer::Word), ["BOS", "猫", "cat", "PAD"]);
    assert_eq!(labels("追 a\n", Tokenizer::Byte), ["BOS", "追 1/3", "追 2/3", "追 3/3", "␠", "a", "␊", "PAD"]);
    assert_eq!(labels("\u{202E}", Tokenizer::Byte)[1], "U+202E 1/3");
    assert_eq!(labels("\u{301}\u{3000}", Tokenizer::Byte)[1..4], ["◌\u{301} 1/2", "◌\u{301} 2/2", "U+3000 1/3"]);
    assert_eq!(word("\0"), "␀");
    assert_eq!(word("\u{7F}"), "␡");
    assert_eq!(word("\u{9B}"), "U+009B");
    assert_eq!(word("\u{301}"), "◌\u{301}");
    assert_eq!(word("\u{200B}"), "U+200B");
    assert_eq!(word("\u{200D}"), "U+200D");
    assert_eq!(word("\u{FEFF}"), "U+FEFF");
    assert_eq!(word("\u{E0041}"), "U+E0041");
    // Within a cluster they do their work.
    assert_eq!(word("👨‍👩‍👧"), "👨‍👩‍👧");
    assert_eq!(word("می‌خواهم"), "می‌خواهم");
    assert_eq!(word("🏽"), "🏽");
    let chunk = |input: &str| labels(input, Tokenizer::Space)[1].clone();
    assert_eq!(chunk("a\u{202E}b\0"), "aU+202Eb␀");
    let merged = tokenize("New York", Tokenizer::Word, &[added("New York", "")], Marks::default());
    assert_eq!(display(&merged[0]), "New York");
}

#[test]
fn offsets_are_utf16() {
    let input = "a追😀b";
    assert_eq!(utf16_span(input, 0..1), 0..1);
    assert_eq!(utf16_span(input, 1..4), 1..2);
    assert_eq!(utf16_span(input, 4..8), 2..4);
    assert_eq!(utf16_span(input, 5..6), 2..4, "a byte has its whole character");
    assert_eq!(utf16_span(input, 8..9), 4..5);
    assert_eq!(utf16_span(input, 9..9), 5..5);
    assert_eq!(utf16_span(input, 9..1000), 5..5);
    assert_eq!(byte_span(input, 2..4), Some(4..8));
    assert_eq!(byte_span(input, 5..5), Some(9..9));
    assert_eq!(byte_span(input, 2..3), None, "half of a surrogate pair");
    assert_eq!(byte_span(input, 4..6), None);
    assert_eq!(byte_span(input, std::ops::Range { start: 4, end: 2 }), None, "ends before it starts");
    assert_eq!(utf16_span(input, std::ops::Range { start: 8, end: 4 }), 4..4);
    for tokenizer in TOKENIZERS {
        let tokens = tokenize(input, tokenizer, &[], Marks { bos: true, pad: 2 });
        let spans = utf16_spans(input, &tokens);
        let single: Vec<_> = tokens.iter().map(|token| utf16_span(input, token.span.clone())).collect();
        assert_eq!(spans, single);
        assert_eq!(spans.last(), Some(&(5..5)));
        let reversed: Vec<Token> = tokens.into_iter().rev().collect();
        assert_eq!(utf16_spans(input, &reversed), single.into_iter().rev().collect::<Vec<_>>());
    }
}

// -------------------------------------------------------------------------------------------------------- properties

#[test]
fn every_input_is_tiled_by_every_tokenizer() {
    let mut random = Random(20_240_607);
    for _ in 0..1500 {
        let input = random.text(24);
        let words = random.words(&input);
        for tokenizer in TOKENIZERS {
            let tokens = cut_with(&input, tokenizer, &words);
            assert_tiles(&input, tokenizer, &words, &tokens);
            let units = input.encode_utf16().count();
            for (token, span) in tokens.iter().zip(utf16_spans(&input, &tokens)) {
                let label = display(token);
                assert!(label.chars().any(|c| !c.is_whitespace()), "{token:?} is shown as {label:?}");
                assert!(!label.contains(['\u{202E}', '\u{2066}', '\u{200B}', '\0', '\n']), "{label:?}");
                assert!(span.start < span.end && span.end as usize <= units);
                if !matches!(token.kind, TokenKind::Byte { .. }) {
                    assert_eq!(byte_span(&input, span), Some(token.span.clone()));
                }
            }
        }
    }
}

#[test]
fn every_edit_does_what_it_says() {
    let mut random = Random(7);
    let (mut merges, mut splits, mut changes) = (0, 0, 0);
    for _ in 0..1500 {
        let input = random.text(12);
        let words = random.words(&input);
        let tokens = cut_with(&input, Tokenizer::Word, &words);
        if let Some(word) = merge(&input, &tokens, 0) {
            let text = word.text.clone();
            let next = with_word(&words, word);
            let first = &cut_with(&text, Tokenizer::Word, &next)[0];
            assert_eq!(&*first.text, &*text, "{input:?} with {words:?}");
            merges += 1;
        }
        for token in &tokens {
            let next = split(token, &words);
            if next != words {
                assert!(cut_with(&token.text, Tokenizer::Word, &next).len() > 1, "{token:?} with {words:?}");
                splits += 1;
            }
            let feature = Feature::SETTABLE[random.below(Feature::SETTABLE.len())];
            let on = !token.features.has(feature);
            let next = set_feature(token, feature, on, &words);
            let after = &cut_with(&token.text, Tokenizer::Word, &next)[0];
            // A character left over from a word that is split may be covered by no entry of its own: look at the same cut.
            if *after.text == *token.text {
                assert_eq!(after.features.has(feature), on, "{token:?} {feature:?} with {words:?}");
                changes += 1;
            }
            let stretch_words = propose(&input, &unknown_stretches(&input, &next), &next);
            assert!(stretch_words.iter().all(|word| word.text.chars().count() > 1 && !word.split));
        }
    }
    assert!(merges > 300 && splits > 300 && changes > 3000, "{merges} merges, {splits} splits, {changes} changes");
}

#[test]
fn the_longest_input_is_cut() {
    let mut random = Random(4096);
    let input: String = (0..4096).map(|_| random.char()).collect();
    let words: Vec<AddedWord> = (0..40).flat_map(|_| random.words(&input)).collect();
    for tokenizer in TOKENIZERS {
        assert_tiles(&input, tokenizer, &words, &cut_with(&input, tokenizer, &words));
    }
    let run = "a".repeat(4096);
    let words = [forbidden(&run), added(&"a".repeat(100), ""), added("aa", "")];
    let tokens = cut_with(&run, Tokenizer::Word, &words);
    assert_eq!(tokens.len(), 40 + 48, "4,096 = 40 · 100 + 48 · 2");
    assert_tiles(&run, Tokenizer::Word, &words, &tokens);
}

#[test]
fn decimals_read_as_the_standard_library_reads_them() {
    let same = |text: &str| {
        let want = text.parse::<f64>().ok().filter(|number| number.is_finite());
        assert_eq!(decimal(text).map(f64::to_bits), want.map(f64::to_bits), "{text}");
    };
    for text in [
        "0",
        "-0",
        "+1",
        "1.",
        ".5",
        "-.5",
        "0.1",
        "1e1",
        "1E+1",
        "1e-3",
        "20.000001",
        "9007199254740993",
        "1e19",
        "0.3e-18",
        "123456789012345678",
        "1e999",
        "0e999",
        "-1e999",
        "",
        ".",
        "-",
        "+-1",
        "e1",
        "1e",
        "1e1.5",
        "1..2",
        "1.2.3",
        "inf",
        "NaN",
        "infinity",
        "1 ",
        " 1",
        "1,5",
        "0x1",
        "１",
        "1_0",
        "9223372036854775807.5",
    ] {
        same(text);
    }
    let mut random = SplitMix64::new(7);
    for _ in 0..20_000 {
        let size = 10_f64.powi((random.next_u64() % 7) as i32 - 1);
        let number = (0.1 + f64::from(random.next_unit()) + f64::from(random.next_unit()) * 1e-8) * size;
        same(&number.to_string());
        same(&format!("{number:.6}"));
        same(&format!("{number:e}"));
    }
}

#[test]
fn folding_is_lower_case_in_the_alphabets_it_covers() {
    let lower = |c: char| {
        let mut small = c.to_lowercase();
        small.next().filter(|_| small.next().is_none()).unwrap_or(c)
    };
    let mut left_alone = String::new();
    for c in (0..=0xFFFF).filter_map(char::from_u32).filter(|&c| c != 'ς') {
        if fold(c) != lower(c) {
            assert_eq!(fold(c), c, "{c} becomes its small letter or stays");
            left_alone.extend((u32::from(c) < 0x590).then_some(c));
        }
        assert_eq!(fold(fold(c)), fold(c));
    }
    // What is left of the common blocks: letters of African and phonetic alphabets, digraphs, a few Greek ones.
    assert_eq!(left_alone, "ƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƦƧƩƬƮƱƲƳƵƷƸƼǄǅǇǈǊǋǱǲǴǶǷȠȺȻȽȾɁɃɄɅͶͿϏϴϷϹϺϽϾϿ");
    assert_eq!(folded("ΟΔΟΣ"), folded("οδος"));
    assert_eq!(folded("Straße ŒUVRE Ёлка ԱՐԵՎ İI"), "straße œuvre ёлка արեվ İi");
}
