//! Long sequences: statistics, outputs, pooled maps and rectangles of the streamed computation against the oracle.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use attention_kernel::{
    BAND, Dense, Panels, Pool, Reach, SCRATCH, Sequence, Summary, dense_heads, pack, pack_transposed, panels_len,
    scratch_len,
};
use attention_lab::attention::{Mask, Problem, Source, Stage, Trace, oracle};
use attention_lab::engine::cpu::CpuEngine;
use attention_lab::engine::{Engine, Generation, Want};
use attention_lab::tensor::Heads;
use attention_lab::tensor::compare::all_close;
use attention_lab::tensor::random::SplitMix64;
use std::rc::Rc;

const REACHES: [Reach; 5] = [
    Reach::ALL,
    Reach::CAUSAL,
    Reach { before: 11, after: 0 },
    Reach { before: 3, after: 9 },
    Reach { before: 0, after: 0 },
];

/// n_q, n_k, d_k, d_v: off the edges of bands, panels and registers, and on them.
const SIZES: [[usize; 4]; 5] = [[1, 1, 1, 1], [37, 41, 9, 11], [64, 64, 8, 8], [33, 130, 5, 3], [50, 23, 16, 7]];

/// A problem of one head with a mask that says the same as `reach`, and its packed form.
struct Case {
    problem: Problem,
    size: [usize; 4],
    reach: Reach,
    k: Vec<f32>,
    v: Vec<f32>,
}

impl Case {
    fn new(size: [usize; 4], reach: Reach, temperature: f32) -> Self {
        let [n_q, n_k, d_k, d_v] = size;
        let mut random = SplitMix64::new(41);
        let mut heads = |n, d| Rc::new(Heads::from_shape_simple_fn((1, n, d), || 4.0 * random.next_unit() - 2.0));
        let (q, k, v) = (heads(n_q, d_k), heads(n_k, d_k), heads(n_k, d_v));
        let sees = |i: usize, j: usize| i <= j.saturating_add(reach.before) && j <= i.saturating_add(reach.after);
        let given = Heads::from_shape_fn((1, n_q, n_k), |(_, i, j)| sees(i, j));
        let mut case = Self {
            k: vec![f32::NAN; panels_len(d_k, n_k)],
            v: vec![f32::NAN; panels_len(n_k, d_v)],
            problem: Problem {
                source: Source::Given { q, k, v },
                scale: 0.6,
                temperature,
                mask: Mask { given: Some(Rc::new(given)), ..Mask::none() },
                method: None,
            },
            size,
            reach,
        };
        let Source::Given { k, v, .. } = &case.problem.source else { unreachable!() };
        pack_transposed(k.as_slice().unwrap(), d_k, &mut case.k);
        pack(v.as_slice().unwrap(), d_v, &mut case.v);
        case
    }

    fn sequence(&self) -> Sequence<'_> {
        let [_, n_k, d_k, d_v] = self.size;
        let Source::Given { q, .. } = &self.problem.source else { unreachable!() };
        Sequence {
            q: q.as_slice().unwrap(),
            k: Panels::new(&self.k, d_k),
            v: Panels::new(&self.v, n_k),
            n_k,
            d_v,
            scale: self.problem.scale,
            temperature: self.problem.temperature,
            reach: self.reach,
        }
    }

    /// Statistics of all rows and the output, written over NaN.
    fn all_rows(&self, pool: Option<&mut Pool<'_>>) -> (Vec<Summary>, Vec<f32>) {
        let [n_q, n_k, _, d_v] = self.size;
        let nothing = Summary { max: f32::NAN, inverse_sum: f32::NAN, entropy: f32::NAN };
        let (mut summaries, mut output) = (vec![nothing; n_q], vec![f32::NAN; n_q * d_v]);
        let mut scratch = vec![f32::NAN; scratch_len(n_k)];
        assert!(self.sequence().rows(0, &mut summaries, Some(&mut output), pool, &mut scratch));
        (summaries, output)
    }
}

fn cases() -> impl Iterator<Item = Case> {
    let temperatures = [0.25, 1.0, 20.0];
    let all = SIZES.iter().flat_map(|&size| REACHES.iter().map(move |&reach| (size, reach)));
    all.flat_map(move |(size, reach)| temperatures.map(|temperature| Case::new(size, reach, temperature)))
}

fn numbers(trace: &Trace<f64>, stage: Stage) -> Vec<f64> {
    trace.rows(stage, 0, 0..trace.shape.n_q).unwrap().iter().copied().collect()
}

#[test]
fn statistics_and_outputs_are_those_of_the_oracle() {
    for case in cases() {
        let what = format!("{:?} {:?} at T {}", case.size, case.reach, case.problem.temperature);
        let oracle = oracle::trace(&case.problem).unwrap();
        let (summaries, output) = case.all_rows(None);
        let rows = &oracle.top().unwrap().rows;
        let close = |name: &str, got: Vec<f32>, want: Vec<f64>| {
            all_close(got, want, 2e-5, 1e-5).unwrap_or_else(|mismatch| panic!("{what}, {name}: {mismatch}"));
        };
        close("max", summaries.iter().map(|row| row.max).collect(), rows.max.iter().copied().collect());
        let inverse_sums = summaries.iter().map(|row| row.inverse_sum).collect();
        close("inverse sum", inverse_sums, rows.inverse_sum.iter().copied().collect());
        close("entropy", summaries.iter().map(|row| row.entropy).collect(), rows.entropy.iter().copied().collect());
        close("output", output, numbers(&oracle, Stage::HeadOutput));
    }
}

#[test]
fn rectangles_are_those_of_the_oracle() {
    for case in cases() {
        let [n_q, n_k, ..] = case.size;
        let oracle = oracle::trace(&case.problem).unwrap();
        let (summaries, _) = case.all_rows(None);
        let whole = numbers(&oracle, Stage::Weights);
        let mut scratch = vec![f32::NAN; scratch_len(n_k)];
        for (queries, keys) in [
            (0..n_q, 0..n_k),
            (n_q / 3..n_q, n_k / 2..n_k),
            (0..n_q.min(BAND + 1), n_k / 3..(2 * n_k).div_ceil(3)),
            (n_q - 1..n_q, 0..1),
        ] {
            let mut got = vec![f32::NAN; queries.len() * keys.len()];
            let of_rows = &summaries[queries.clone()];
            case.sequence().rectangle(queries.clone(), keys.clone(), of_rows, &mut got, &mut scratch);
            let want = queries.flat_map(|i| whole[i * n_k..][keys.clone()].to_vec());
            all_close(got, want, 2e-5, 1e-5).unwrap_or_else(|e| panic!("{:?} {:?}: {e}", case.size, case.reach));
        }
    }
}

/// Mean and maximum of each cell, from the oracle's weights.
fn pooled(
    weights: &[f64],
    n_k: usize,
    queries: (usize, usize),
    keys: (usize, usize),
    grid: [usize; 2],
) -> [Vec<f64>; 2] {
    let edge = |(from, to): (usize, usize), cell: usize, cells: usize| from + cell * (to - from) / cells;
    let (mut mean, mut max) = (Vec::new(), Vec::new());
    for row in 0..grid[0] {
        for column in 0..grid[1] {
            let mut cell = Vec::new();
            for i in edge(queries, row, grid[0])..edge(queries, row + 1, grid[0]) {
                for j in edge(keys, column, grid[1])..edge(keys, column + 1, grid[1]) {
                    cell.push(weights[i * n_k + j]);
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "few cells")]
            mean.push(cell.iter().sum::<f64>() / cell.len() as f64);
            max.push(cell.into_iter().fold(0.0, f64::max));
        }
    }
    [mean, max]
}

#[test]
fn pooled_maps_are_those_of_the_oracle() {
    for case in cases() {
        let [n_q, n_k, ..] = case.size;
        let what = format!("{:?} {:?}", case.size, case.reach);
        let whole = numbers(&oracle::trace(&case.problem).unwrap(), Stage::Weights);
        let (summaries, _) = case.all_rows(None);
        let mut scratch = vec![f32::NAN; scratch_len(n_k)];
        for (queries, keys) in [((0, n_q), (0, n_k)), ((n_q / 3, n_q), (n_k / 2, n_k))] {
            for most in [1, 5, 8] {
                let grid = [most.min(queries.1 - queries.0), most.min(keys.1 - keys.0)];
                let [want_mean, want_max] = pooled(&whole, n_k, queries, keys, grid);
                let check = |mean: &[f32], max: &[f32], how: &str| {
                    for (name, got, want) in [("mean", mean, &want_mean), ("max", max, &want_max)] {
                        all_close(got.iter().copied(), want.iter().copied(), 1e-5, 1e-5)
                            .unwrap_or_else(|e| panic!("{what}, {name} {how} of {grid:?}: {e}"));
                    }
                };
                let (mut mean, mut max) = (vec![0.0; grid[0] * grid[1]], vec![0.0; grid[0] * grid[1]]);
                let (q, k) = (queries.0..queries.1, keys.0..keys.1);
                let mut pool =
                    Pool { queries: q.clone(), keys: k.clone(), columns: grid[1], mean: &mut mean, max: &mut max };
                case.sequence().pooled(&summaries[q.clone()], &mut pool, &mut scratch);
                check(&mean, &max, "again");
                if q.len() == n_q && k.len() == n_k {
                    let (mut mean, mut max) = (vec![0.0; mean.len()], vec![0.0; max.len()]);
                    let mut pool = Pool { queries: q, keys: k, columns: grid[1], mean: &mut mean, max: &mut max };
                    case.all_rows(Some(&mut pool));
                    check(&mean, &max, "at once");
                }
            }
        }
    }
}

#[test]
fn bits_are_those_of_the_engine_that_holds_all_weights() {
    for case in cases() {
        let [n_q, n_k, _, d_v] = case.size;
        let mut trace = None;
        let want = Want::only(&[Stage::Weights, Stage::HeadOutput]);
        CpuEngine::new().run(&case.problem, &want, Generation(0), &mut |answer| trace = Some(answer.trace)).unwrap();
        let trace = trace.unwrap();
        let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let held = |stage| bits(&trace.rows(stage, 0, 0..n_q).unwrap().iter().copied().collect::<Vec<_>>());
        let (summaries, output) = case.all_rows(None);
        assert_eq!(bits(&output), held(Stage::HeadOutput));
        let mut weights = vec![f32::NAN; n_q * n_k];
        let mut scratch = vec![f32::NAN; scratch_len(n_k)];
        case.sequence().rectangle(0..n_q, 0..n_k, &summaries, &mut weights, &mut scratch);
        assert_eq!(bits(&weights), held(Stage::Weights));
        let entropy: Vec<f32> = trace.top().unwrap().rows.entropy.iter().copied().collect();
        assert_eq!(bits(&entropy), bits(&summaries.iter().map(|row| row.entropy).collect::<Vec<_>>()));
        // Rows may come in parts, as they do where work is sliced.
        let half = n_q / 2;
        let (mut part, mut output_part) = (vec![Summary::EMPTY; n_q - half], vec![f32::NAN; (n_q - half) * d_v]);
        assert!(case.sequence().rows(half, &mut part, Some(&mut output_part), None, &mut scratch));
        assert_eq!((&part[..], &output_part[..]), (&summaries[half..], &output[half * d_v..]));
    }
}

#[test]
fn overflow_is_said() {
    let mut case = Case::new([5, 9, 2, 2], Reach::ALL, 1.0);
    case.problem.scale = f32::MAX;
    let mut scratch = vec![0.0; scratch_len(9)];
    assert!(!case.sequence().rows(0, &mut [Summary::EMPTY; 5], None, None, &mut scratch));
}

#[test]
fn heads_at_once_have_the_bits_of_the_engine() {
    for case in cases() {
        let [n_q, n_k, d_k, d_v] = case.size;
        // Two heads: the second has the first one's keys the other way round.
        let Source::Given { q, k, v } = &case.problem.source else { unreachable!() };
        let stack = |a: &Heads<f32>| {
            let other = a.slice(ndarray::s![.., ..;-1, ..]).to_owned();
            Rc::new(ndarray::concatenate(ndarray::Axis(0), &[a.view(), other.view()]).unwrap())
        };
        let (q, k, v) = (stack(q), stack(k), stack(v));
        let source = Source::Given { q: Rc::clone(&q), k: Rc::clone(&k), v: Rc::clone(&v) };
        let problem = Problem { source, ..case.problem.clone() };
        let mut trace = None;
        let want = Want::only(&[Stage::Weights, Stage::HeadOutput]);
        CpuEngine::new().run(&problem, &want, Generation(0), &mut |answer| trace = Some(answer.trace)).unwrap();
        let (mut weights, mut output) = (vec![f32::NAN; 2 * n_q * n_k], vec![f32::NAN; 2 * n_q * d_v]);
        let mut summaries = vec![Summary::EMPTY; 2 * n_q];
        let mut scratch = vec![f32::NAN; SCRATCH + panels_len(d_k, n_k) + panels_len(n_k, d_v)];
        let input = Dense {
            q: q.as_slice().unwrap(),
            k: k.as_slice().unwrap(),
            v: v.as_slice().unwrap(),
            sizes: case.size,
            scale: problem.scale,
            temperature: problem.temperature,
            reach: case.reach,
        };
        assert!(dense_heads(&input, &mut weights, &mut output, &mut summaries, &mut scratch));
        let trace = trace.unwrap();
        let layer = trace.top().unwrap();
        let bits = |numbers: &[f32]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&weights), bits(layer.weights.get().unwrap().as_slice().unwrap()));
        assert_eq!(bits(&output), bits(layer.head_output.get().unwrap().as_slice().unwrap()));
        let max: Vec<f32> = summaries.iter().map(|row| row.max).collect();
        assert_eq!(bits(&max), bits(layer.rows.max.as_slice().unwrap()));
    }
}
