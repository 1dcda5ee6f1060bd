//! Every method, mask rule and mistake: engine ↔ oracle ↔ golden values of NumPy and PyTorch.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::conformance::cases::{self, ODD};
use super::golden::{engine_trace, toy_problem};
use attention_lab::attention::method::{Additive, Biases};
use attention_lab::attention::{
    Bug, Bugs, Cells, Fill, Mask, Method, Position, Precision, Problem, ProblemError, Rule, Score, Source, Stage,
    Trace, Weighting, Weights, oracle, positions, random_weights,
};
use attention_lab::engine::choice::{Choice, Gpu, Kind, Why, choose, choose_for};
use attention_lab::tensor::random::SplitMix64;
use attention_lab::tensor::{Heads, Matrix, Number};
use serde_json::Value;
use std::rc::Rc;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/field.json")).unwrap()
}

fn number(value: &Value) -> f64 {
    match value.as_str() {
        Some("nan") => f64::NAN,
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(other) => panic!("no number: {other}"),
        None => value.as_f64().unwrap(),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "inputs are exact in f32")]
fn singles(value: &Value) -> Vec<f32> {
    numbers(value).into_iter().map(|x| x as f32).collect()
}

fn sizes(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|n| usize::try_from(n.as_u64().unwrap()).unwrap()).collect()
}

fn bools(value: &Value) -> Vec<bool> {
    value.as_array().unwrap().iter().map(|n| n.as_u64() == Some(1)).collect()
}

fn heads(inputs: &Value, name: &str) -> Heads<f32> {
    let shape = sizes(&inputs[name]["shape"]);
    Heads::from_shape_vec((shape[0], shape[1], shape[2]), singles(&inputs[name]["data"])).unwrap()
}

fn matrix(inputs: &Value, name: &str) -> Matrix<f32> {
    let shape = sizes(&inputs[name]["shape"]);
    Matrix::from_shape_vec((shape[0], shape[1]), singles(&inputs[name]["data"])).unwrap()
}

fn rule(value: &Value) -> Rule {
    if value == "causal" {
        return Rule::Causal;
    }
    let (kind, argument) = (value[0].as_str().unwrap(), &value[1]);
    let size = || usize::try_from(argument.as_u64().unwrap()).unwrap();
    let rules = || argument.as_array().unwrap().iter().map(rule).collect();
    match kind {
        "keys" => Rule::Keys(bools(argument).into()),
        "queries" => Rule::Queries(bools(argument).into()),
        "prefix" => Rule::Prefix(size()),
        "window" => Rule::Window(size()),
        "strided" => Rule::Strided(size()),
        "block" => Rule::Block(size()),
        "global" => Rule::Global { tokens: sizes(argument)[0], window: sizes(argument)[1] },
        "documents" => Rule::Documents(
            argument.as_array().unwrap().iter().map(|id| u32::try_from(id.as_u64().unwrap()).unwrap()).collect(),
        ),
        "all" => Rule::All(rules()),
        "any" => Rule::Any(rules()),
        "not" => Rule::Not(Rc::new(rule(argument))),
        other => panic!("no rule {other}"),
    }
}

fn mask(value: &Value) -> Mask {
    let mut cells = Cells::default();
    for cell in value["cells"].as_array().into_iter().flatten() {
        let at = |n: usize| u32::try_from(cell[n].as_u64().unwrap()).unwrap();
        cells.insert((at(0), at(1)), at(2) == 1);
    }
    Mask {
        causal: value["causal"].as_bool().unwrap_or(false),
        keys: value.get("keys").map(|keys| bools(keys).into()),
        rule: value.get("rule").map(|value| Rc::new(rule(value))),
        cells: Rc::new(cells),
        ..Mask::none()
    }
}

fn method(value: &Value, inputs: &Value) -> Method {
    let text = |key: &str| value[key].as_str();
    #[expect(clippy::cast_possible_truncation, reason = "exact in f32")]
    let single = |key: &str| value[key].as_f64().unwrap() as f32;
    let seed = || u32::try_from(value["seed"].as_u64().unwrap()).unwrap();
    let additive = |tanh| {
        let weights = Additive { w_q: heads(inputs, "a_q"), w_k: heads(inputs, "a_k"), v: matrix(inputs, "a_v") };
        Score::Additive { weights: Rc::new(weights), tanh }
    };
    let bias = |name: &str| singles(&inputs[name]["data"]);
    Method {
        score: match text("score") {
            None => Score::Dot,
            Some("general") => Score::General(Rc::new(heads(inputs, "w_a"))),
            Some("additive") => additive(true),
            Some("additive-linear") => additive(false),
            Some(other) => panic!("no score {other}"),
        },
        position: match text("position") {
            None => Position::None,
            Some("rotary") => Position::Rotary { base: single("base") },
            Some("alibi") => Position::Alibi,
            Some(other) => panic!("no position {other}"),
        },
        weighting: match text("weighting") {
            None => Weighting::Softmax,
            Some("without-maximum") => Weighting::WithoutMaximum,
            Some("hard") => Weighting::Hard,
            Some("sampled") => Weighting::Sampled { seed: seed() },
            Some("gumbel") => Weighting::Gumbel { tau: single("tau"), seed: seed() },
            Some("linear") => Weighting::Linear,
            Some(other) => panic!("no weighting {other}"),
        },
        fill: text("fill")
            .map_or(Fill::Exclude, |name| Fill::ALL.into_iter().find(|fill| fill.name() == name).unwrap()),
        precision: if value["half"] == true { Precision::Half } else { Precision::Single },
        biases: (value["biases"] == true)
            .then(|| Rc::new(Biases { q: bias("b_q"), k: bias("b_k"), v: bias("b_v"), o: bias("b_o") })),
        bugs: value["bugs"]
            .as_array()
            .into_iter()
            .flatten()
            .fold(Bugs::NONE, |bugs, name| bugs.with(Bug::named(name.as_str().unwrap()).unwrap(), true)),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "exact in f32")]
fn problem(case: &Value, inputs: &Value) -> Problem {
    let source = if case["source"] == "given" {
        let array = |name| Rc::new(heads(inputs, name));
        Source::Given { q: array("q"), k: array("k"), v: array("v") }
    } else {
        let x_k = Rc::new(matrix(inputs, "x"));
        let x_q = if case["source"] == "cross" { Rc::new(matrix(inputs, "x_q")) } else { Rc::clone(&x_k) };
        let w = |name| matrix(inputs, name);
        let weights = Weights { heads: 2, w_q: w("w_q"), w_k: w("w_k"), w_v: w("w_v"), w_o: w("w_o") };
        Source::Embedded { x_q, x_k, weights: Rc::new(weights) }
    };
    // A padding mask of a square problem fits its keys; the grid of a transposed one reads it by queries.
    Problem {
        source,
        scale: case["scale"].as_f64().unwrap() as f32,
        temperature: case["temperature"].as_f64().unwrap() as f32,
        mask: mask(&case["mask"]),
        method: Some(Rc::new(method(&case["method"], inputs))),
    }
}

/// Element by element; a NaN agrees with a NaN and with nothing else, an infinity with itself.
fn same<A: Number, B: Number>(
    what: &str,
    got: impl IntoIterator<Item = A>,
    want: impl IntoIterator<Item = B>,
    tolerance: f64,
) {
    let got: Vec<f64> = got.into_iter().map(Number::to_f64).collect();
    let want: Vec<f64> = want.into_iter().map(Number::to_f64).collect();
    assert_eq!(got.len(), want.len(), "{what}");
    for (at, (&got, &want)) in got.iter().zip(&want).enumerate() {
        let close =
            got == want || (got - want).abs() <= tolerance * (1.0 + want.abs()) || (got.is_nan() && want.is_nan());
        assert!(close && got.is_infinite() == want.is_infinite(), "{what}, {at}: {got} where {want} was expected");
    }
}

fn every_stage<T: Number>(trace: &Trace<T>, stage: Stage) -> Vec<f64> {
    let shape = trace.shape;
    let one = matches!(stage, Stage::XQuery | Stage::XKey | Stage::Concat | Stage::Output);
    let n = if matches!(stage, Stage::K | Stage::V | Stage::XKey) { shape.n_k } else { shape.n_q };
    let rows = (0..if one { 1 } else { shape.heads }).filter_map(|head| trace.rows(stage, head, 0..n));
    rows.flat_map(|rows| rows.iter().map(|x| x.to_f64()).collect::<Vec<_>>()).collect()
}

/// Every stage and statistic of the engine against the oracle.
fn engine_is_true(what: &str, problem: &Problem, tolerance: f64) -> Rc<Trace<f32>> {
    let (engine, truth) = (engine_trace(problem), oracle::trace(problem).unwrap());
    assert_eq!(engine.shape, truth.shape);
    for stage in Stage::ALL {
        let (got, want) = (every_stage(&engine, stage), every_stage(&truth, stage));
        same(&format!("{what}, {stage:?}"), got, want, tolerance);
    }
    let (got, want) = (&engine.top().unwrap().rows, &truth.top().unwrap().rows);
    same(&format!("{what}, max"), got.max.iter().copied(), want.max.iter().copied(), tolerance);
    same(&format!("{what}, 1/sum"), got.inverse_sum.iter().copied(), want.inverse_sum.iter().copied(), tolerance);
    same(&format!("{what}, entropy"), got.entropy.iter().copied(), want.entropy.iter().copied(), tolerance);
    assert_eq!(got.permitted, want.permitted, "{what}");
    engine
}

#[test]
fn engine_and_oracle_and_numpy_agree() {
    let golden = golden();
    let cases = golden["cases"].as_array().unwrap();
    assert!(cases.len() > 50, "{} cases", cases.len());
    let (mut bugs, mut fills) = (Bugs::NONE, Vec::new());
    for case in cases {
        let (name, problem) = (case["name"].as_str().unwrap(), problem(case, &golden["inputs"]));
        let engine = engine_is_true(name, &problem, 1e-5);
        let truth = oracle::trace(&problem).unwrap();
        for (stage, key) in [
            (Stage::Raw, "raw"),
            (Stage::Masked, "masked"),
            (Stage::Weights, "weights"),
            (Stage::HeadOutput, "head_output"),
            (Stage::Concat, "concat"),
            (Stage::Output, "output"),
        ] {
            if let Some(want) = case["stages"].get(key).map(numbers) {
                same(&format!("{name}, {key}, oracle"), every_stage(&truth, stage), want.iter().copied(), 1e-7);
                same(&format!("{name}, {key}, engine"), every_stage(&engine, stage), want, 1e-5);
            }
        }
        let method = problem.method.as_deref().unwrap();
        bugs = method.bugs.iter().fold(bugs, |bugs, bug| bugs.with(bug, true));
        fills.push(method.fill);
    }
    assert!(Bug::ALL.into_iter().all(|bug| bugs.has(bug)), "a bug without golden values");
    assert!(Fill::ALL.into_iter().all(|fill| fills.contains(&fill)), "a fill without golden values");
}

#[test]
fn rules_are_the_grids_of_numpy() {
    let golden = golden();
    for case in golden["rules"].as_array().unwrap() {
        let rule = rule(&case["rule"]);
        let grid: String = (0..49).map(|at| if rule.permits(at / 7, at % 7) { '1' } else { '0' }).collect();
        assert_eq!(grid, case["grid"].as_str().unwrap(), "{rule:?}");
    }
    same("sinusoids", positions::sinusoidal(12, 8, 1e4), numbers(&golden["sinusoidal_12_8"]), 1e-7);
}

#[test]
fn only_the_cpu_computes_a_method_and_says_so() {
    let odd = Method { fill: Fill::Zero, ..Method::default() };
    for wish in [None, Some(Kind::WebGpu), Some(Kind::Cpu)] {
        let choice = choose_for(Some(&odd), wish, u64::MAX, Gpu::Faster);
        assert_eq!(choice, Choice { kind: Kind::Cpu, why: Why::Method });
        assert!(!choice.is_denied(wish), "a method denies nobody a GPU");
        let standard = choose_for(Some(&Method::default()), wish, u64::MAX, Gpu::Faster);
        assert_eq!(standard, choose(wish, u64::MAX, Gpu::Faster));
    }
}

#[test]
fn a_standard_method_is_the_fast_path_bit_by_bit() {
    let plain = toy_problem(["猫", "追", "老鼠"], true);
    let named = Problem { method: Some(Rc::new(Method::default())), ..plain.clone() };
    let (plain, named) = (engine_trace(&plain), engine_trace(&named));
    for stage in Stage::ALL {
        assert_eq!(every_stage(&plain, stage), every_stage(&named, stage), "{stage:?}");
    }
}

#[test]
fn a_table_of_positions_ends_where_it_ends() {
    assert_eq!(positions::learned(positions::LEARNED_LENGTH, 1).unwrap().nrows(), positions::LEARNED_LENGTH);
    let error = positions::learned(positions::LEARNED_LENGTH + 1, 1).unwrap_err();
    assert!(matches!(error, ProblemError::Shape { what: "learned positions", .. }), "{error:?}");
    assert_ne!(positions::learned(4, 1).unwrap(), positions::learned(4, 2).unwrap(), "a seed is a table");
}

#[test]
fn a_method_that_does_not_fit_is_refused() {
    let plain = toy_problem(["猫", "追"], true);
    let with = |method| Problem { method: Some(Rc::new(method)), ..plain.clone() }.shape();
    for tau in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let method = Method { weighting: Weighting::Gumbel { tau, seed: 1 }, ..Method::default() };
        assert!(matches!(with(method), Err(ProblemError::Temperature { .. })), "τ = {tau}");
    }
    let score = Score::general(1, 8, 9);
    assert!(matches!(with(Method { score, ..Method::default() }), Err(ProblemError::Shape { what: "w_a", .. })));
    for base in [1.0, 0.0, f32::NAN] {
        let position = Position::Rotary { base };
        assert!(with(Method { position, ..Method::default() }).is_err(), "base {base}");
    }
}

#[test]
fn many_draws_have_the_frequencies_of_the_weights() {
    let plain = toy_problem(["猫", "追", "老鼠"], true);
    let weights = every_stage(&engine_trace(&plain), Stage::Weights);
    let mut tally = vec![0.0; weights.len()];
    let draws = 4000;
    for seed in 0..draws {
        let method = Method { weighting: Weighting::Sampled { seed }, ..Method::default() };
        let drawn = engine_trace(&Problem { method: Some(Rc::new(method)), ..plain.clone() });
        tally.iter_mut().zip(every_stage(&drawn, Stage::Weights)).for_each(|(sum, w)| *sum += w);
    }
    for (at, (&count, &weight)) in tally.iter().zip(&weights).enumerate() {
        let (share, spread) = (count / f64::from(draws), (weight * (1.0 - weight) / f64::from(draws)).sqrt());
        assert!((share - weight).abs() <= 5.0 * spread + 1e-3, "{at}: drawn {share}, weight {weight}");
    }
}

/// A problem of odd sizes with something of everything, drawn from `random`.
fn any_problem(random: &mut SplitMix64, masks: &[Mask]) -> Problem {
    let mut pick = |n: usize| usize::try_from(random.next_u64() % n as u64).unwrap();
    let seed = u32::try_from(pick(1000)).unwrap();
    let mut problem = cases::given(ODD, seed.into());
    problem.mask = masks[pick(masks.len())].clone();
    problem.scale = [1.0, 1.0 / 3.0, -0.5, 2.0][pick(4)];
    problem.temperature = [0.5, 1.0, 3.0][pick(3)];
    if pick(2) == 0 {
        let rules = [Rule::Window(2), Rule::Block(2), Rule::Prefix(3), Rule::Global { tokens: 1, window: 1 }];
        problem.mask.rule = Some(Rc::new(Rule::Any(rules[pick(4)..].into())));
    }
    if pick(2) == 0 {
        let mut x = Matrix::from_shape_simple_fn((7, 64), || cases::unit(&mut SplitMix64::new(pick(1 << 20) as u64)));
        random_weights::normalise_rows(&mut x);
        let weights = Rc::new(random_weights::weights(seed, 3, 9));
        problem.source =
            Source::Embedded { x_q: Rc::new(x.slice(ndarray::s![2.., ..]).to_owned()), x_k: Rc::new(x), weights };
    }
    let shape = problem.shape().unwrap();
    let method = Method {
        score: match pick(4) {
            0 | 1 => Score::Dot,
            2 => Score::general(seed, 3, 9),
            _ => Score::additive(seed, 3, 9, pick(2) == 0),
        },
        position: [Position::None, Position::Rotary { base: 50.0 }, Position::Alibi][pick(3)],
        weighting: [
            Weighting::Softmax,
            Weighting::WithoutMaximum,
            Weighting::Hard,
            Weighting::Sampled { seed },
            Weighting::Gumbel { tau: 0.7, seed },
            Weighting::Linear,
        ][pick(6)],
        fill: Fill::ALL[pick(7)],
        precision: Precision::Single,
        biases: (shape.d_model > 0 && pick(2) == 0).then(|| Rc::new(Biases::random(seed, &shape))),
        bugs: (0..pick(4)).fold(Bugs::NONE, |bugs, _| bugs.with(Bug::ALL[pick(10)], true)),
    };
    Problem { method: Some(Rc::new(method)), ..problem }
}

/// What no one thought of: six hundred combinations, several mistakes at once.
#[test]
fn any_combination_of_methods_agrees_with_the_oracle() {
    let (mut random, masks) = (SplitMix64::new(2026), cases::masks(ODD, 3));
    for number in 0..600 {
        let problem = any_problem(&mut random, &masks);
        // Near −1e4 a step of f32 is 1e-3: a score that differs in its last bit may be rounded to the next one.
        let coarse = problem.method.as_ref().is_some_and(|method| method.fill == Fill::AddTenThousand);
        engine_is_true(&format!("{number}: {:?}", problem.method), &problem, if coarse { 2e-3 } else { 5e-5 });
    }
}
