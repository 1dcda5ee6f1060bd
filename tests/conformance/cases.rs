//! The problems that every engine must answer, each with its tolerance.

use attention_lab::attention::{Mask, Problem, Source, random_weights};
use attention_lab::state::{Settings, plan};
use attention_lab::tensor::random::SplitMix64;
use attention_lab::tensor::{Heads, Matrix};
use std::rc::Rc;

/// A problem, and how near an engine in f32 must come to the oracle.
pub struct Case {
    /// What it is, for a failure's text.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// Allowed distance of every number.
    pub absolute: f64,
    /// The same as a part of the oracle's number.
    pub relative: f64,
}

/// A number of (−1, 1).
pub fn unit(random: &mut SplitMix64) -> f32 {
    2.0 * random.next_unit() - 1.0
}

/// Numbers of (−2, 2).
pub fn heads(random: &mut SplitMix64, shape: (usize, usize, usize)) -> Rc<Heads<f32>> {
    Rc::new(Heads::from_shape_simple_fn(shape, || 2.0 * unit(random)))
}

/// Random q, k and v; sizes are h, n_q, n_k, d_k, d_v.
pub fn given([h, n_q, n_k, d_k, d_v]: [usize; 5], seed: u64) -> Problem {
    let mut random = SplitMix64::new(seed);
    let q = heads(&mut random, (h, n_q, d_k));
    let (k, v) = (heads(&mut random, (h, n_k, d_k)), heads(&mut random, (h, n_k, d_v)));
    Problem { source: Source::Given { q, k, v }, scale: 1.0 / 3.0, temperature: 1.0, mask: Mask::none(), method: None }
}

/// Mutually different odd sizes: h 3, n_q 5, n_k 7, d_k 9, d_v 11.
pub const ODD: [usize; 5] = [3, 5, 7, 9, 11];

/// Random q, k and v of the odd sizes.
pub fn odd(seed: u64) -> Problem {
    given(ODD, seed)
}

/// Masks of every kind and their combinations; some rows end up fully masked.
pub fn masks([h, n_q, n_k, ..]: [usize; 5], seed: u64) -> Vec<Mask> {
    let mut random = SplitMix64::new(seed);
    let mut coin = |shape| Rc::new(Heads::from_shape_simple_fn(shape, || random.next_unit() < 0.6));
    let given = [None, Some(coin((1, n_q, n_k))), Some(coin((h, n_q, n_k)))];
    let mut random = SplitMix64::new(seed + 1);
    let mut biased = |shape| {
        Rc::new(Heads::from_shape_simple_fn(shape, || match random.next_unit() {
            u if u < 0.2 => f32::NEG_INFINITY,
            u => 4.0 * u - 2.0,
        }))
    };
    let bias = [None, Some(biased((1, n_q, n_k))), Some(biased((h, n_q, n_k)))];
    let visible: Rc<[bool]> = (0..n_k).map(|key| [true, true, false, true, true, false, false][key % 7]).collect();
    let cells = [vec![], vec![((0, 6), true), ((2, 0), false), ((4, 2), true), ((90, 90), true)]];
    let mut all = Vec::new();
    for causal in [false, true] {
        for keys in [None, Some(Rc::clone(&visible))] {
            for cells in &cells {
                for given in &given {
                    for bias in &bias {
                        all.push(Mask {
                            causal,
                            keys: keys.clone(),
                            rule: None,
                            cells: Rc::new(cells.iter().copied().collect()),
                            given: given.clone(),
                            bias: bias.clone(),
                        });
                    }
                }
            }
        }
    }
    all
}

/// Sizes on, below and above registers (4), workgroups of tiles (32), rows of a workgroup and words of bits (32).
const EDGES: [[usize; 5]; 14] = [
    [1, 1, 1, 1, 1],
    [2, 1, 9, 4, 3],
    [2, 9, 1, 3, 4],
    [1, 3, 4, 5, 3],
    [2, 4, 5, 4, 4],
    [5, 5, 3, 7, 8],
    [1, 31, 33, 8, 31],
    [2, 32, 32, 32, 32],
    [1, 33, 31, 33, 33],
    [3, 7, 64, 5, 36],
    [1, 65, 63, 12, 5],
    [1, 2, 129, 3, 2],
    [1, 130, 2, 2, 35],
    [12, 16, 16, 8, 8],
];

/// 1e-5 as a rule. An error of a score is multiplied by 1/T, so that 0.05 asks for more room.
fn tolerance(temperature: f32) -> f64 {
    if temperature < 1.0 { 2e-4 } else { 1e-5 }
}

fn case(name: String, problem: Problem) -> Case {
    let absolute = tolerance(problem.temperature);
    Case { name, problem, absolute, relative: 1e-5 }
}

/// Every case.
pub fn all() -> Vec<Case> {
    let mut all = Vec::new();
    for (number, mask) in masks(ODD, 3).into_iter().enumerate() {
        for temperature in [0.05, 1.0, 20.0] {
            let problem = Problem { temperature, mask: mask.clone(), ..odd(11) };
            all.push(case(format!("odd sizes, mask {number}, T {temperature}"), problem));
        }
    }
    for size in EDGES {
        let masks = masks(size, 5);
        // None; causal alone; keys, cells, given and bias by head, all at once.
        for (number, mask) in [0, 36, 71].map(|at| (at, masks[at].clone())) {
            all.push(case(format!("sizes {size:?}, mask {number}"), Problem { mask, ..given(size, 17) }));
        }
    }
    all.extend(embedded());
    all.extend(logits());
    all.extend(closed());
    let landing = plan(&Settings::default()).problem.expect("the landing sentence has words");
    all.push(case("the landing sentence".into(), landing));
    all
}

/// Projections of widths that split unevenly, queries and keys of different sentences.
fn embedded() -> Vec<Case> {
    let mut random = SplitMix64::new(1762);
    let mut problem = |(h, d_k): (usize, usize)| {
        let mut x = Matrix::from_shape_simple_fn((9, 64), || unit(&mut random));
        random_weights::normalise_rows(&mut x);
        let x_q = Rc::new(x.slice(ndarray::s![2..7, ..]).to_owned());
        let weights = Rc::new(random_weights::weights(5, h, d_k));
        let source = Source::Embedded { x_q, x_k: Rc::new(x), weights };
        let mask = Mask { causal: true, ..Mask::none() };
        case(
            format!("embedded, h {h}, d_k {d_k}"),
            Problem { source, scale: 0.3, temperature: 1.5, mask, method: None },
        )
    };
    [(1, 1), (3, 5), (8, 8), (7, 17), (16, 128)].into_iter().map(&mut problem).collect()
}

/// Scores of ±1e4, exact in f32, so that only what follows is on trial; a quotient of 500 is rounded by up to 8e-5.
fn logits() -> Vec<Case> {
    let scores = [1e4, -1e4, 9_999.0, 0.0, 9_990.5, 1e4];
    let column = |numbers: &[f32]| Rc::new(Heads::from_shape_vec((1, numbers.len(), 1), numbers.to_vec()).unwrap());
    let problem = |scores: &[f32], temperature| {
        let values: Vec<f32> = (0_u8..).map(f32::from).take(scores.len()).collect();
        let source = Source::Given { q: column(&[1.0]), k: column(scores), v: column(&values) };
        Problem { source, scale: 1.0, temperature, mask: Mask::none(), method: None }
    };
    let mut all = Vec::new();
    for temperature in [0.05, 1.0, 20.0] {
        for (name, scores) in [("±1e4", &scores[..]), ("all −1e4", &[-1e4; 5][..]), ("all 1e4", &[1e4; 9][..])] {
            let name = format!("logits {name}, T {temperature}");
            let absolute = if temperature > 1.0 { 2e-4 } else { 1e-5 };
            all.push(Case { name, problem: problem(scores, temperature), absolute, relative: 1e-6 });
        }
    }
    all
}

/// Rows, heads and whole problems that permit nothing.
fn closed() -> Vec<Case> {
    let mut all = Vec::new();
    let closed_head = Heads::from_shape_fn((3, 5, 7), |(head, query, _)| head != 1 && query != 2);
    let nothing: Rc<[bool]> = [false; 7].into();
    for (name, mask) in [
        ("one head and one row closed", Mask { given: Some(Rc::new(closed_head)), ..Mask::none() }),
        ("all keys hidden", Mask { keys: Some(nothing), ..Mask::none() }),
        ("a bias of −∞", Mask { bias: Some(Rc::new(Heads::from_elem((1, 5, 7), f32::NEG_INFINITY))), ..Mask::none() }),
    ] {
        all.push(case(name.into(), Problem { mask, ..odd(23) }));
    }
    all
}
