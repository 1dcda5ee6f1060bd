//! The CPU engine has the same bits everywhere: simd128 in the browser, plain arrays on the host, and scalar code.
//!
//! These tests run on both; [`TABLE`] is the same for both. What a browser must not do is agree only with itself.

use crate::conformance;
use crate::twin::{self, Twin};
use attention_kernel::{SMALLEST, exp};
use attention_lab::attention::{Mask, Problem, Source, Stage, Trace, oracle, random_weights};
use attention_lab::engine::cpu::CpuEngine;
use attention_lab::engine::{Engine, Generation, Want};
use attention_lab::state::{Settings, plan};
use attention_lab::tensor::compare::all_close;
use attention_lab::tensor::random::SplitMix64;
use attention_lab::tensor::{Heads, Matrix};
use std::rc::Rc;
#[cfg(not(target_arch = "wasm32"))]
use test as bits_test;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as bits_test;

/// h, n_q, n_k, d_k, d_v: off the width of a register, of four registers, and on them.
const SIZES: [[usize; 5]; 9] = [
    [1, 1, 1, 1, 1],
    [3, 5, 7, 9, 11],
    [2, 3, 4, 5, 6],
    [1, 17, 33, 16, 3],
    [5, 2, 67, 31, 1],
    [8, 12, 12, 8, 8],
    [2, 9, 16, 17, 32],
    [1, 3, 19, 64, 65],
    [4, 21, 21, 3, 15],
];

/// Checksum of every number of the problems of each size, then of embedded problems, of the landing sentence and of exp.
const TABLE: [u64; SIZES.len() + 3] = [
    0xa382_4512_71c9_217e,
    0xd05b_0c74_35d3_d020,
    0xfc7e_7fdb_de21_ceb5,
    0x5df1_7c02_be95_0385,
    0xa911_4a81_17db_8df7,
    0xd360_823c_f03e_81d7,
    0xacb2_da75_a8ff_438d,
    0x431a_111f_0912_9de9,
    0x8cdf_b674_e26e_5210,
    0x1b92_24e6_604f_9840,
    0xba92_794c_af65_dc30,
    0x9403_beea_b326_6397,
];

fn unit(random: &mut SplitMix64) -> f32 {
    2.0 * random.next_unit() - 1.0
}

fn heads(random: &mut SplitMix64, shape: (usize, usize, usize)) -> Rc<Heads<f32>> {
    Rc::new(Heads::from_shape_simple_fn(shape, || 2.0 * unit(random)))
}

/// No mask, and masks of every kind; some rows end up with no key.
fn masks(random: &mut SplitMix64, [h, n_q, n_k, ..]: [usize; 5]) -> Vec<Mask> {
    let given = Heads::from_shape_simple_fn((h, n_q, n_k), || random.next_unit() < 0.6);
    let bias = Heads::from_shape_simple_fn((1, n_q, n_k), || match random.next_unit() {
        u if u < 0.2 => f32::NEG_INFINITY,
        u => 4.0 * u - 2.0,
    });
    let keys: Rc<[bool]> = (0..n_k).map(|key| key % 3 != 1).collect();
    let cells = Rc::new([((0, 0), false), ((1, 2), true)].into_iter().collect());
    vec![
        Mask::none(),
        Mask { causal: true, ..Mask::none() },
        Mask { causal: true, keys: Some(keys), cells, ..Mask::none() },
        Mask { given: Some(Rc::new(given)), ..Mask::none() },
        Mask { bias: Some(Rc::new(bias)), ..Mask::none() },
    ]
}

/// Random q, k and v of one size under every mask and at three temperatures.
fn given(size: [usize; 5]) -> Vec<Problem> {
    let [h, n_q, n_k, d_k, d_v] = size;
    let mut random = SplitMix64::new(2017);
    let q = heads(&mut random, (h, n_q, d_k));
    let (k, v) = (heads(&mut random, (h, n_k, d_k)), heads(&mut random, (h, n_k, d_v)));
    let source = Source::Given { q, k, v };
    let mut all = Vec::new();
    for mask in masks(&mut random, size) {
        for temperature in [0.05, 1.0, 20.0] {
            all.push(Problem { source: source.clone(), scale: 0.37, temperature, mask: mask.clone(), method: None });
        }
    }
    all
}

/// Projections of widths that split unevenly into registers.
fn embedded() -> Vec<Problem> {
    let mut random = SplitMix64::new(1762);
    let sizes = [(1, 1), (3, 5), (8, 8), (7, 17)];
    let problem = |(h, d_k): (usize, usize)| {
        let mut x = Matrix::from_shape_simple_fn((9, 64), || unit(&mut random));
        random_weights::normalise_rows(&mut x);
        let x_q = Rc::new(x.slice(ndarray::s![2..7, ..]).to_owned());
        let weights = Rc::new(random_weights::weights(5, h, d_k));
        let source = Source::Embedded { x_q, x_k: Rc::new(x), weights };
        Problem { source, scale: 0.3, temperature: 1.5, mask: Mask { causal: true, ..Mask::none() }, method: None }
    };
    sizes.map(problem).into()
}

fn landing() -> Problem {
    plan(&Settings::default()).problem.expect("the landing sentence has words")
}

fn run(problem: &Problem) -> Rc<Trace<f32>> {
    let mut trace = None;
    let ran =
        CpuEngine::new().run(problem, &Want::everything(), Generation(0), &mut |answer| trace = Some(answer.trace));
    ran.expect("a valid problem");
    trace.expect("an engine answers")
}

/// Every number of a stage, heads one after the other.
fn stage(trace: &Trace<f32>, stage: Stage) -> Vec<f32> {
    let layer = trace.top().expect("one layer");
    let heads = match stage {
        Stage::Raw => &layer.raw,
        Stage::Scaled => &layer.scaled,
        Stage::Tempered => &layer.tempered,
        Stage::Masked => &layer.masked,
        Stage::Weights => &layer.weights,
        Stage::HeadOutput => &layer.head_output,
        Stage::Output => return layer.output.get().map(|a| a.iter().copied().collect()).unwrap_or_default(),
        _ => unreachable!("no other stage is compared"),
    };
    heads.get().expect("every stage is wanted").iter().copied().collect()
}

const COMPARED: [Stage; 7] =
    [Stage::Raw, Stage::Scaled, Stage::Tempered, Stage::Masked, Stage::Weights, Stage::HeadOutput, Stage::Output];

/// FNV-1a over the bits of numbers.
fn checksum(numbers: impl IntoIterator<Item = f32>) -> u64 {
    let bytes = numbers.into_iter().flat_map(|number| number.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn checksum_of(problems: &[Problem]) -> u64 {
    checksum(problems.iter().flat_map(|problem| {
        let trace = run(problem);
        let rows = &trace.top().expect("one layer").rows;
        let mut all: Vec<f32> = COMPARED.iter().flat_map(|&compared| stage(&trace, compared)).collect();
        all.extend(rows.max.iter().chain(&rows.inverse_sum).chain(&rows.entropy));
        all
    }))
}

/// Arguments from 0 to below the smallest, unevenly spaced.
fn exponents() -> impl Iterator<Item = f32> {
    (0..=40_000_u16).map(|step| f32::from(step) * -0.002_201_7)
}

#[bits_test]
fn every_bit_is_that_of_the_table() {
    let mut found: Vec<u64> = SIZES.iter().map(|&size| checksum_of(&given(size))).collect();
    found.push(checksum_of(&embedded()));
    found.push(checksum_of(&[landing()]));
    found.push(checksum(exponents().map(exp)));
    assert_eq!(found, TABLE, "{found:#x?}");
}

/// Fails at the first number that differs in any bit.
fn same_bits(what: &str, got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got.to_bits(), want.to_bits(), "{what}, element {at}: {got} is not {want}");
    }
}

#[bits_test]
fn every_bit_is_that_of_scalar_code() {
    let problems = SIZES.iter().flat_map(|&size| given(size)).chain(embedded()).chain([landing()]);
    for (number, problem) in problems.enumerate() {
        let (trace, twin) = (run(&problem), twin::compute(&problem));
        let Twin { raw, scaled, tempered, masked, weights, head_output, output, .. } = &twin;
        let of_twin = [raw, scaled, tempered, masked, weights, head_output, output];
        for (compared, want) in COMPARED.into_iter().zip(of_twin) {
            same_bits(&format!("{compared:?} of problem {number}"), &stage(&trace, compared), want);
        }
        let rows = &trace.top().expect("one layer").rows;
        for (name, got, want) in [
            ("max", &rows.max, &twin.max),
            ("inverse sum", &rows.inverse_sum, &twin.inverse_sum),
            ("entropy", &rows.entropy, &twin.entropy),
        ] {
            let got: Vec<f32> = got.iter().copied().collect();
            same_bits(&format!("{name} of problem {number}"), &got, want);
        }
    }
}

#[bits_test]
fn random_problems_agree_with_the_oracle() {
    let problems = SIZES.iter().flat_map(|&size| given(size)).chain(embedded()).chain([landing()]);
    for (number, problem) in problems.enumerate() {
        let (trace, oracle) = (run(&problem), oracle::trace(&problem).expect("a valid problem"));
        // At T = 0.05 an error of a score is multiplied by 20.
        let tolerance = if problem.temperature < 1.0 { 2e-4 } else { 1e-5 };
        let layer = oracle.top().expect("one layer");
        let close = |name: &str, got: Vec<f32>, want: Vec<f64>| {
            if let Err(mismatch) = all_close(got, want, tolerance, 1e-5) {
                panic!("{name} of problem {number}: {mismatch}");
            }
        };
        let rows = &trace.top().expect("one layer").rows;
        close("entropy", rows.entropy.iter().copied().collect(), layer.rows.entropy.iter().copied().collect());
        close("max", rows.max.iter().copied().collect(), layer.rows.max.iter().copied().collect());
        let weights = layer.weights.get().expect("the oracle holds every stage");
        close("weights", stage(&trace, Stage::Weights), weights.iter().copied().collect());
        let output = layer.head_output.get().expect("the oracle holds every stage");
        close("head outputs", stage(&trace, Stage::HeadOutput), output.iter().copied().collect());
        let output: Vec<f64> = layer.output.get().map(|a| a.iter().copied().collect()).unwrap_or_default();
        close("output", stage(&trace, Stage::Output), output);
    }
}

#[bits_test]
fn the_cpu_engine_conforms() {
    for case in &conformance::cases::all() {
        conformance::check(case, &run(&case.problem));
    }
}

#[bits_test]
fn exp_is_accurate_on_its_whole_range() {
    let mut worst = 0.0_f64;
    for x in exponents().filter(|&x| x >= SMALLEST) {
        worst = worst.max((f64::from(exp(x)) / f64::from(x).exp() - 1.0).abs());
        assert_eq!(exp(x).to_bits(), twin::exp(x).to_bits(), "exp({x})");
    }
    assert!(worst > 0.0 && worst <= 3e-7, "relative error {worst}");
    assert_eq!((exp(0.0), exp(-0.0)), (1.0, 1.0));
    assert!(exp(SMALLEST) > 0.0);
    for x in [-87.34, -88.0, -104.0, -1e4, -3e38, f32::NEG_INFINITY] {
        assert_eq!(exp(x).to_bits(), 0, "exp({x})");
    }
}
