//! Long texts: their link, their beginning within the limit, the bundled texts.

use attention_lab::attention::document::{ROLES, code};
use attention_lab::attention::{Pattern, Sparse};
use attention_lab::state::document::{DocumentSettings, MOST_TOKENS, NAMES, Pooling, Source};
use attention_lab::state::document_plan::{beginning, nearest_word, source};
use attention_lab::tensor::random::SplitMix64;
use attention_lab::text::Tokenizer;
use std::collections::HashSet;

fn decode(fragment: &str) -> DocumentSettings {
    DocumentSettings::decode(fragment).unwrap_or_else(|| panic!("{fragment} asks for a text"))
}

#[test]
fn a_link_opens_the_picture_that_it_was_made_from() {
    let mut random = SplitMix64::new(5);
    for _ in 0..2_000 {
        let mut pick = |most: usize| (random.next_u64() % most as u64) as usize;
        let sparse = [Sparse::Full, Sparse::Window(1 + pick(900)), Sparse::Strided(2 + pick(300))][pick(3)];
        let source = [Source::Constructed, Source::Random][pick(2)];
        let (heads, d_k, seed) =
            if source == Source::Random { (1 + pick(16), 1 + pick(128), pick(9) as u32) } else { (8, 8, 1) };
        let settings = DocumentSettings {
            name: ["sanguo", "alice", ""][pick(3)].to_owned(),
            tokenizer: [Tokenizer::Word, Tokenizer::Char, Tokenizer::Space][pick(3)],
            source,
            heads,
            d_k,
            seed,
            head: 1 + pick(if source == Source::Random { heads } else { ROLES.len() }),
            temperature: (pick(400) + 1) as f64 / 20.0,
            pattern: Pattern { causal: pick(2) == 1, sparse },
            pooling: [Pooling::Max, Pooling::Mean][pick(2)],
            cell: (pick(2) == 1).then(|| (pick(MOST_TOKENS), pick(MOST_TOKENS))),
            view: (pick(2) == 1).then(|| [pick(9_000), pick(9_000), 1 + pick(9_000)]),
            kept: if pick(2) == 1 { vec![("lang".to_owned(), "zh".to_owned())] } else { Vec::new() },
        };
        assert_eq!(decode(&settings.encode()), settings, "{}", settings.encode());
    }
}

#[test]
fn a_link_from_a_stranger_is_read_within_the_limits() {
    assert_eq!(DocumentSettings::decode("s=abc&h=3"), None);
    assert_eq!(DocumentSettings::decode(""), None);
    let wild =
        decode("doc=%E4%B8%89&h=999&t=NaN&mask=window:0+strided:x+causal+&pool=sum&q=5&view=1,2&seed=-1&w=toy&&=&k");
    let plain = DocumentSettings::default();
    assert_eq!((wild.name.as_str(), wild.is_known()), ("三", false));
    assert_eq!((wild.head, wild.temperature, wild.pooling, wild.source), (4, 1.0, Pooling::Max, Source::Constructed));
    assert_eq!(wild.pattern, Pattern { causal: true, sparse: Sparse::Strided(128) });
    assert_eq!((wild.cell, wild.view, wild.seed), (Some((5, 5)), None, plain.seed));
    assert_eq!(decode("doc=alice&t=0").temperature, 0.05);
    assert_eq!(decode("doc=alice&mask=causal%2Bwindow").pattern.sparse, Sparse::Window(256));
    assert_eq!(decode("doc=alice&w=random&heads=3&h=9").head, 3);
}

#[test]
fn a_long_text_is_cut_at_the_limit_and_says_so() {
    let whole = beginning("猫追老鼠", Tokenizer::Word);
    assert_eq!((whole.tokens.len(), whole.bytes, whole.cut), (3, 12, false));
    assert!(beginning("", Tokenizer::Word).tokens.is_empty());
    assert!(beginning(" \n\t ", Tokenizer::Word).tokens.is_empty());
    let million = "猫".repeat(1_000_000);
    let cut = beginning(&million, Tokenizer::Char);
    assert_eq!((cut.tokens.len(), cut.bytes, cut.cut), (MOST_TOKENS, 3 * MOST_TOKENS, true));
    // Long words: more bytes than the first try are read.
    let long_words = "abcdefghijklmnopqrstuvwxyz0123456789 ".repeat(MOST_TOKENS + 5);
    let cut = beginning(&long_words, Tokenizer::Space);
    assert_eq!((cut.tokens.len(), cut.cut), (MOST_TOKENS, true));
    let exactly = "a ".repeat(MOST_TOKENS);
    assert!(!beginning(&exactly, Tokenizer::Space).cut);
    // One word without an end: nothing hangs.
    let endless = beginning(&"a".repeat(9_000_000), Tokenizer::Space);
    assert_eq!((endless.tokens.len(), endless.cut), (1, true));
}

#[test]
fn the_bundled_texts_fit_and_words_keep_apart() {
    for name in NAMES {
        let path = format!("{}/static/document/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path}: {why}"));
        let start = beginning(&text, Tokenizer::Word);
        assert!(!start.cut && start.tokens.len() > 12_000, "{name}: {} tokens", start.tokens.len());
        let settings = DocumentSettings::default();
        let (source, scale) = source(&settings, &start.tokens);
        let shape = source.shape().unwrap_or_else(|why| panic!("{why}"));
        assert_eq!((shape.n_k, shape.heads, shape.d_k, scale), (start.tokens.len(), 4, 64, 0.125));
        // No two words of the text share a code, and no pair comes near it.
        let words: HashSet<u64> = start.tokens.iter().map(|token| token.identity).collect();
        let bits = |word: &u64| SplitMix64::new(*word).next_u64() & 0xffff_ffff_ffff;
        let codes: Vec<u64> = words.iter().map(bits).collect();
        let apart =
            codes.iter().enumerate().flat_map(|(at, a)| codes[at + 1..].iter().map(move |b| (a ^ b).count_ones()));
        assert!(apart.min() >= Some(6), "{name}: two words are too much alike");
    }
}

#[test]
fn an_output_is_read_as_its_nearest_word() {
    let start = beginning("the cat and the dog", Tokenizer::Word);
    let code: Vec<f32> = code(start.tokens[4].identity).collect();
    assert!(matches!(nearest_word(&start.tokens, &code), Some((4, cosine)) if cosine > 0.999));
    assert_eq!(nearest_word(&start.tokens, &[0.0; 48]), None);
}
