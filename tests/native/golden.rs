//! Golden values: the constructed model against its NumPy reference, and attention against PyTorch.
//!
//! Also the helpers with which other tests make tokens, without the `text` room: words and features are read from the
//! reference script itself, an independent witness.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use attention_lab::attention::{Mask, Problem, Source, Stage, Trace, embedding, oracle, toy};
use attention_lab::engine::{Want, cpu::CpuEngine};
use attention_lab::tensor::compare::all_close;
use attention_lab::tensor::{Heads, Matrix, Number};
use attention_lab::text::{Feature, FeatureSet, Token, TokenKind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

const SCRIPT: &str = include_str!("../golden/toy_model.py");

/// Reads `F = {…}` and the `add("words", N + "features")` calls of the reference script.
pub fn lexicon() -> BTreeMap<String, FeatureSet> {
    let names = SCRIPT.split("for i, n in enumerate(").nth(1).unwrap().split(".split()").next().unwrap();
    let names: Vec<&str> =
        names.split_whitespace().map(|name| name.trim_matches('"')).filter(|n| !n.is_empty()).collect();
    assert_eq!((names.len(), names[0], names[31]), (32, "const", "spare"));
    let mut words = BTreeMap::new();
    for line in SCRIPT.lines().filter(|line| line.starts_with("add(\"")) {
        for call in line.split("add(\"").skip(1) {
            let (list, rest) = call.split_once('"').unwrap();
            let quoted = rest.split('"').nth(1).unwrap();
            let noun = if rest.trim_start_matches(", ").starts_with("N +") { "noun " } else { "" };
            let features = format!("{noun}{quoted}");
            let set = features.split_whitespace().fold(FeatureSet::EMPTY, |set, name| {
                let at = names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("no feature {name}"));
                set.with(Feature::ALL[at], true)
            });
            for word in list.split_whitespace() {
                words.insert(word.to_owned(), set);
            }
        }
    }
    words
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Tokens of words as the reference knows them; `<BOS>` and `<PAD>` are the marks.
pub fn tokens<'a>(words: impl IntoIterator<Item = &'a str>) -> Vec<Token> {
    let lexicon = lexicon();
    let token = |word: &str| {
        let known = lexicon.get(word).or_else(|| lexicon.get(&word.to_lowercase())).copied();
        let (kind, features) = match word {
            "<BOS>" => (TokenKind::Bos, FeatureSet::of(&[Feature::Bos])),
            "<PAD>" => (TokenKind::Pad, FeatureSet::EMPTY),
            _ => (TokenKind::Word, known.unwrap_or(FeatureSet::of(&[Feature::Unk]))),
        };
        let identity = fnv1a(&word.to_lowercase());
        Token { kind, text: word.into(), span: 0..0, features, known: known.is_some(), identity }
    };
    words.into_iter().map(token).collect()
}

/// The constructed model on words, as the page opens: scale 1/√8, temperature 1, no mask.
pub fn toy_problem<'a>(words: impl IntoIterator<Item = &'a str>, positions: bool) -> Problem {
    let x = Rc::new(embedding::embed(&tokens(words), positions));
    Problem {
        source: Source::Embedded { x_q: Rc::clone(&x), x_k: x, weights: Rc::new(toy::weights()) },
        scale: 0.125_f32.sqrt(),
        temperature: 1.0,
        mask: Mask::none(),
        method: None,
    }
}

/// The engine's trace of every stage.
pub fn engine_trace(problem: &Problem) -> Rc<Trace<f32>> {
    super::engine::run(&mut CpuEngine::new(), problem, &Want::everything())
}

/// The weights of one row.
pub fn row<T: Number>(trace: &Trace<T>, head: usize, query: usize) -> Vec<f64> {
    trace.rows(Stage::Weights, head, query..query + 1).unwrap().iter().map(|w| w.to_f64()).collect()
}

fn number(value: &Value) -> f64 {
    match value {
        Value::String(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            other => panic!("not a number: {other}"),
        },
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        other => other.as_f64().unwrap(),
    }
}

/// An array `{shape, data}`.
struct Golden {
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl Golden {
    fn read(value: &Value) -> Self {
        let shape: Vec<usize> =
            value["shape"].as_array().unwrap().iter().map(|size| size.as_u64().unwrap().try_into().unwrap()).collect();
        let data: Vec<f64> = value["data"].as_array().unwrap().iter().map(number).collect();
        assert_eq!(data.len(), shape.iter().product::<usize>());
        Self { shape, data }
    }
    /// Batch `b` of `[batch, h, n, d]`; a mask `[n, n]` has one head and no batch.
    fn heads(&self, b: usize) -> Heads<f64> {
        let (batches, dims) = match self.shape[..] {
            [batches, h, n, d] => (batches, (h, n, d)),
            [n, d] => (1, (1, n, d)),
            ref other => panic!("shape {other:?}"),
        };
        let size = self.data.len() / batches;
        Heads::from_shape_vec(dims, self.data[b % batches * size..][..size].to_vec()).unwrap()
    }
    /// Batch `b` of `[batch, n, d]`, or a matrix `[n, d]`.
    fn matrix(&self, b: usize) -> Matrix<f64> {
        let (n, d) = (self.shape[self.shape.len() - 2], self.shape[self.shape.len() - 1]);
        Matrix::from_shape_vec((n, d), self.data[b * n * d..][..n * d].to_vec()).unwrap()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "golden numbers were made in f32")]
fn narrow(array: &Heads<f64>) -> Rc<Heads<f32>> {
    Rc::new(array.mapv(|x| x as f32))
}

fn close<A: Number, B: Number>(
    what: &str,
    got: impl IntoIterator<Item = A>,
    want: impl IntoIterator<Item = B>,
    tolerance: f64,
) {
    if let Err(mismatch) = all_close(got, want, tolerance, tolerance) {
        panic!("{what}: {mismatch}");
    }
}

#[test]
fn the_script_knows_193_words() {
    let words = lexicon();
    assert_eq!(words.len(), 193);
    assert_eq!(words["银行"], FeatureSet::of(&[Feature::Noun, Feature::Thing, Feature::SFin, Feature::SNat]));
    assert_eq!(words["were"], FeatureSet::of(&[Feature::Be, Feature::WantPl]));
    assert_eq!(fnv1a("猫"), 2_853_223_995_777_570_639);
    assert_eq!(fnv1a("cat"), 17_718_013_163_177_550_631);
}

#[test]
fn constructed_model_matches_the_reference_on_seven_sentences() {
    let golden: Value = serde_json::from_str(include_str!("../golden/toy_model.json")).unwrap();
    let sentences = golden.as_object().unwrap();
    assert_eq!(sentences.len(), 7);
    for (sentence, case) in sentences {
        let words: Vec<&str> = case["tokens"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
        let problem = toy_problem(words.iter().copied(), true);
        let (engine, oracle) = (engine_trace(&problem), oracle::trace(&problem).unwrap());
        let heads = case["weights"].as_array().unwrap();
        assert_eq!(heads.len(), 8);
        for (head, rows) in heads.iter().enumerate() {
            let want: Vec<f64> =
                rows.as_array().unwrap().iter().flat_map(|r| r.as_array().unwrap()).map(number).collect();
            assert_eq!(want.len(), words.len() * words.len());
            let what = format!("{sentence}, head {}", head + 1);
            let all = 0..words.len();
            close(
                &what,
                engine.rows(Stage::Weights, head, all.clone()).unwrap().iter().copied(),
                want.iter().copied(),
                1e-5,
            );
            close(&what, oracle.rows(Stage::Weights, head, all).unwrap().iter().copied(), want, 2e-6);
        }
    }
}

/// Checks weights and outputs of engine and oracle against one golden case.
fn check(what: &str, problem: &Problem, weights: &Heads<f64>, output: &Heads<f64>) {
    let oracle = oracle::trace(problem).unwrap();
    let engine = engine_trace(problem);
    let (by_oracle, by_engine) = (oracle.top().unwrap(), engine.top().unwrap());
    close(
        &format!("{what}: oracle weights"),
        by_oracle.weights.get().unwrap().iter().copied(),
        weights.iter().copied(),
        1e-5,
    );
    close(
        &format!("{what}: engine weights"),
        by_engine.weights.get().unwrap().iter().copied(),
        weights.iter().copied(),
        1e-5,
    );
    close(
        &format!("{what}: oracle output"),
        by_oracle.head_output.get().unwrap().iter().copied(),
        output.iter().copied(),
        1e-5,
    );
    close(
        &format!("{what}: engine output"),
        by_engine.head_output.get().unwrap().iter().copied(),
        output.iter().copied(),
        1e-5,
    );
}

#[test]
fn sdpa_matches_torch() {
    let golden: Value = serde_json::from_str(include_str!("../golden/torch/sdpa.json")).unwrap();
    let cases = golden["cases"].as_object().unwrap();
    assert_eq!(cases.len(), 11);
    for (name, case) in cases {
        let array = |key: &str| Golden::read(&case[key]).heads(0);
        let (q, mut k, mut v) = (array("q"), array("k"), array("v"));
        if case["enable_gqa"].as_bool().unwrap() {
            let group = q.dim().0 / k.dim().0;
            let repeat = |a: &Heads<f64>| {
                Heads::from_shape_fn((q.dim().0, a.dim().1, a.dim().2), |(h, i, j)| a[[h / group, i, j]])
            };
            (k, v) = (repeat(&k), repeat(&v));
        }
        let mut mask = Mask { causal: case["is_causal"].as_bool().unwrap(), ..Mask::none() };
        match case["mask_kind"].as_str() {
            Some("bool_true_keeps") => mask.given = Some(Rc::new(array("mask").mapv(|x| x != 0.0))),
            Some("additive") => mask.bias = Some(narrow(&array("mask"))),
            Some(other) => panic!("mask kind {other}"),
            None => {}
        }
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "small sizes")]
        let scale = case["scale"].as_f64().unwrap_or((q.dim().2 as f64).powf(-0.5)) as f32;
        let source = Source::Given { q: narrow(&q), k: narrow(&k), v: narrow(&v) };
        let problem = Problem { source, scale, temperature: 1.0, mask, method: None };
        check(name, &problem, &array("weights"), &array("output"));
        let masked = oracle::trace(&problem).unwrap();
        let scores = array("scores_masked");
        close(name, masked.top().unwrap().masked.get().unwrap().iter().copied(), scores.iter().copied(), 2e-7 * 10.0);
        if name == "fully_masked_row" {
            assert!(row(&engine_trace(&problem), 0, 1).iter().all(|&w| w == 0.0));
            assert!(engine_trace(&problem).rows(Stage::HeadOutput, 1, 1..2).unwrap().iter().all(|&o| o == 0.0));
        }
    }
}

/// y = x Wᵀ + b in f64, as torch.nn.Linear has it.
fn linear(x: &Matrix<f64>, w: &Matrix<f64>, b: Option<&[f64]>) -> Matrix<f64> {
    let mut y = x.dot(&w.t());
    if let Some(b) = b {
        y.rows_mut().into_iter().for_each(|mut row| row.iter_mut().zip(b).for_each(|(y, b)| *y += b));
    }
    y
}

fn split(wide: &Matrix<f64>, heads: usize) -> Heads<f64> {
    let d = wide.ncols() / heads;
    Heads::from_shape_fn((heads, wide.nrows(), d), |(h, i, c)| wide[[i, h * d + c]])
}

/// Adds a key row at the end.
fn with_row(matrix: &Matrix<f64>, row: &[f64]) -> Matrix<f64> {
    let data = matrix.iter().copied().chain(row.iter().copied()).collect();
    Matrix::from_shape_vec((matrix.nrows() + 1, matrix.ncols()), data).unwrap()
}

#[test]
fn multi_head_attention_matches_torch() {
    let golden: Value = serde_json::from_str(include_str!("../golden/torch/mha.json")).unwrap();
    let cases = golden["cases"].as_object().unwrap();
    assert_eq!(cases.len(), 9);
    for (name, case) in cases {
        let state = &case["state"];
        let has = |key: &str| state.get(key).is_some();
        let parameter = |key: &str| Golden::read(&state[key]);
        let embed = usize::try_from(case["embed_dim"].as_u64().unwrap()).unwrap();
        let heads = usize::try_from(case["num_heads"].as_u64().unwrap()).unwrap();
        let bias = has("in_proj_bias").then(|| parameter("in_proj_bias").data);
        let part = |at: usize, own: &str| {
            let w = if has(own) {
                parameter(own).matrix(0)
            } else {
                let all = parameter("in_proj_weight").matrix(0);
                all.slice(ndarray::s![at * embed..(at + 1) * embed, ..]).to_owned()
            };
            (w, bias.as_ref().map(|bias| bias[at * embed..(at + 1) * embed].to_vec()))
        };
        let inputs = ["query", "key", "value"].map(|key| Golden::read(&case[key]));
        let (weights, output) = (Golden::read(&case["weights_per_head"]), Golden::read(&case["output"]));
        for b in 0..inputs[0].shape[0] {
            let project = |at: usize, own: &str| {
                let (w, bias) = part(at, own);
                linear(&inputs[at].matrix(b), &w, bias.as_deref())
            };
            let q = project(0, "q_proj_weight");
            let (mut k, mut v) = (project(1, "k_proj_weight"), project(2, "v_proj_weight"));
            if has("bias_k") {
                // add_bias_kv and add_zero_attn: two more keys that every query sees.
                k = with_row(&with_row(&k, &parameter("bias_k").data), &vec![0.0; embed]);
                v = with_row(&with_row(&v, &parameter("bias_v").data), &vec![0.0; embed]);
            }
            let mut mask = Mask::none();
            if let Some(padding) = case["masks"].get("key_padding_mask") {
                // Here True means blocked.
                let blocked = Golden::read(padding).matrix(0);
                mask.keys = Some(blocked.row(b).iter().map(|&blocked| blocked == 0.0).collect());
            }
            if let Some(given) = case["masks"].get("attn_mask") {
                let cells = Golden::read(given).heads(0);
                if given["data"][0].is_boolean() {
                    mask.given = Some(Rc::new(cells.mapv(|blocked| blocked == 0.0)));
                } else {
                    mask.bias = Some(narrow(&cells));
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "small sizes")]
            let scale = ((embed / heads) as f32).sqrt().recip();
            let source = Source::Given {
                q: narrow(&split(&q, heads)),
                k: narrow(&split(&k, heads)),
                v: narrow(&split(&v, heads)),
            };
            let problem = Problem { source, scale, temperature: 1.0, mask, method: None };
            let oracle = oracle::trace(&problem).unwrap();
            let engine = engine_trace(&problem);
            let what = format!("{name}, batch {b}");
            let finish = |concat: Matrix<f64>| {
                linear(
                    &concat,
                    &parameter("out_proj.weight").matrix(0),
                    has("out_proj.bias").then(|| parameter("out_proj.bias").data).as_deref(),
                )
            };
            let by_oracle = finish(oracle.top().unwrap().concat.get().unwrap().clone());
            let by_engine = finish(engine.top().unwrap().concat.get().unwrap().mapv(f64::from));
            let (want_weights, want_output) = (weights.heads(b), output.matrix(b));
            if name == "fully_masked" {
                // PyTorch says NaN with weights; its fused path, like us, weights 0 and so the bias of the output alone.
                assert!(want_weights.iter().all(|w| w.is_nan()));
                assert!(oracle.top().unwrap().weights.get().unwrap().iter().all(|&w| w == 0.0));
                assert!(engine.top().unwrap().weights.get().unwrap().iter().all(|&w| w == 0.0));
                let fused = Golden::read(&case["output_need_weights_false_sdpa_path"]).matrix(b);
                close(&what, by_oracle, fused.clone(), 1e-5);
                close(&what, by_engine, fused, 1e-5);
                continue;
            }
            close(
                &what,
                oracle.top().unwrap().weights.get().unwrap().iter().copied(),
                want_weights.iter().copied(),
                1e-5,
            );
            close(
                &what,
                engine.top().unwrap().weights.get().unwrap().iter().copied(),
                want_weights.iter().copied(),
                1e-5,
            );
            close(&what, by_oracle, want_output.iter().copied(), 1e-5);
            close(&what, by_engine, want_output.iter().copied(), 1e-5);
        }
    }
}

#[test]
fn three_by_four_example() {
    let x = [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]];
    let x = Rc::new(Heads::from_shape_fn((1, 3, 4), |(_, i, c)| x[i][c]));
    let source = || Source::Given { q: Rc::clone(&x), k: Rc::clone(&x), v: Rc::clone(&x) };
    let problem = Problem { source: source(), scale: 0.5, temperature: 1.0, mask: Mask::none(), method: None };
    let engine = engine_trace(&problem);
    let layer = engine.top().unwrap();
    assert_eq!(
        layer.raw.get().unwrap().iter().copied().collect::<Vec<_>>(),
        [2.0, 0.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0, 2.0]
    );
    let weights = [0.5065, 0.1863, 0.3072, 0.1863, 0.5065, 0.3072, 0.2741, 0.2741, 0.4519];
    let outputs = [0.8137, 0.4935, 0.5065, 0.1863, 0.4935, 0.8137, 0.1863, 0.5065, 0.7259, 0.7259, 0.2741, 0.2741];
    close("weights", layer.weights.get().unwrap().iter().copied(), weights, 1e-4);
    close("outputs", layer.head_output.get().unwrap().iter().copied(), outputs, 1e-4);
    close("entropies", layer.rows.entropy.iter().copied(), [1.020, 1.020, 1.068], 5e-4);
    let oracle = oracle::trace(&problem).unwrap();
    super::conformance::agree("3 × 4", &engine, &oracle, 1e-6, 1e-6);
    let unscaled =
        engine_trace(&Problem { source: source(), scale: 1.0, temperature: 1.0, mask: Mask::none(), method: None });
    close("unscaled", row(&unscaled, 0, 0), [0.6652, 0.0900, 0.2447], 1e-4);
}

/// One row of given scores, as q = [1] and k = scores.
pub fn scores_problem(scores: &[f32], temperature: f32) -> Problem {
    let k = Rc::new(Heads::from_shape_vec((1, scores.len(), 1), scores.to_vec()).unwrap());
    let source = Source::Given { q: Rc::new(Heads::ones((1, 1, 1))), k: Rc::clone(&k), v: k };
    Problem { source, scale: 1.0, temperature, mask: Mask::none(), method: None }
}

#[test]
fn softmax_of_two_one_zero_at_three_temperatures() {
    for (temperature, want) in
        [(0.5, [0.8668, 0.1173, 0.0159]), (1.0, [0.6652, 0.2447, 0.0900]), (2.0, [0.5065, 0.3072, 0.1863])]
    {
        let problem = scores_problem(&[2.0, 1.0, 0.0], temperature);
        close("engine", row(&engine_trace(&problem), 0, 0), want, 6e-5);
        close("oracle", row(&oracle::trace(&problem).unwrap(), 0, 0), want, 6e-5);
    }
}

#[test]
fn entropy_of_a_known_row() {
    let problem = scores_problem(&[0.8_f32.ln(), 0.15_f32.ln(), 0.05_f32.ln()], 1.0);
    close("engine", engine_trace(&problem).top().unwrap().rows.entropy.iter().copied(), [0.612_869], 1e-6);
    close("oracle", oracle::trace(&problem).unwrap().top().unwrap().rows.entropy.iter().copied(), [0.612_869], 1e-6);
}

#[test]
fn measured_values_of_the_constructed_model() {
    let words = ["<BOS>", "猫", "追", "老鼠"];
    let agent = |problem: &Problem| row(&engine_trace(problem), 3, 2);
    let opening = toy_problem(words, true);
    close("agent", agent(&opening), [0.0105, 0.9893, 0.0, 0.0002], 6e-5);
    close("patient", [row(&engine_trace(&opening), 4, 2)[3]], [0.9879], 6e-5);
    close("category", [row(&engine_trace(&opening), 2, 1)[1], row(&engine_trace(&opening), 2, 1)[3]], [0.5, 0.5], 3e-3);
    for (temperature, want) in [(0.5, 0.9999), (1.0, 0.9893), (2.0, 0.896), (4.0, 0.695)] {
        let problem = Problem { temperature, ..opening.clone() };
        close(&format!("T = {temperature}"), [agent(&problem)[1]], [want], 5e-4);
    }
    close("scale off", [agent(&Problem { scale: 1.0, ..opening.clone() })[1]], [0.999_997], 1e-6);
    let causal = Problem { mask: Mask { causal: true, ..Mask::none() }, ..opening };
    close("causal: 追 falls to <BOS>", [row(&engine_trace(&causal), 4, 2)[0]], [0.985], 1e-3);

    for order in [["<BOS>", "我", "爱", "你"], ["<BOS>", "你", "爱", "我"]] {
        close("agent by position", [agent(&toy_problem(order, true))[1]], [0.989], 1e-3);
        let tie = agent(&toy_problem(order, false));
        close("positions off: a tie", [tie[1], tie[3]], [0.4994, 0.4994], 6e-5);
    }
    close(
        "追老鼠: nobody chases",
        [row(&engine_trace(&toy_problem(["<BOS>", "追", "老鼠"], true)), 3, 1)[0]],
        [0.931],
        1e-3,
    );
    // Without <BOS> the first word has position 0, and the sink head has nowhere to rest.
    let no_bos = engine_trace(&toy_problem(["猫", "追", "老鼠"], true));
    close("no <BOS>: sink is uniform", row(&no_bos, 7, 0), [1.0 / 3.0; 3], 1e-6);
    let unknown = toy_problem(["<BOS>", "女巫", "追", "哥布林"], true);
    assert!(row(&engine_trace(&unknown), 3, 2)[0] > 0.9, "unknown words are no agents");
    let passive = toy_problem("<BOS> The mouse was chased by the cat".split(' '), true);
    assert!(row(&engine_trace(&passive), 3, 4)[2] > 0.999, "the English passive fools head 4, as documented");
}
