//! The suite that every engine passes: stage by stage against the f64 oracle, and the laws of attention.
//!
//! Each check is generic over [`Engine`]; [`suite`] makes the tests of one engine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::conformance::cases::{ODD, heads, odd};
use super::conformance::{agree, cases, rows_hold};
use super::golden::{row, scores_problem, toy_problem};
use attention_lab::attention::{
    Mask, Problem, ProblemError, Source, Stage, Trace, embedding, oracle, random_weights, toy,
};
use attention_lab::engine::cpu::CpuEngine;
use attention_lab::engine::{Engine, Generation, Want};
use attention_lab::tensor::compare::all_close;
use attention_lab::tensor::random::SplitMix64;
use attention_lab::tensor::{Heads, Matrix};
use std::rc::Rc;

/// Runs an engine to its end and hands back its last trace.
pub fn run(engine: &mut impl Engine, problem: &Problem, want: &Want) -> Rc<Trace<f32>> {
    let mut answers = Vec::new();
    engine.run(problem, want, Generation(7), &mut |answer| answers.push(answer)).unwrap();
    let last = answers.last().expect("an engine answers");
    assert!(!last.more && answers.iter().all(|answer| answer.generation == Generation(7)));
    Rc::clone(&last.trace)
}

fn odd_sizes_and_all_masks<E: Engine>(mut make: impl FnMut() -> E) {
    let mut engine = make();
    let all = cases::masks(ODD, 3);
    assert_eq!(all.len(), 72);
    for (number, mask) in all.into_iter().enumerate() {
        for temperature in [0.05, 1.0, 20.0] {
            let problem = Problem { temperature, mask: mask.clone(), ..odd(11) };
            let trace = run(&mut engine, &problem, &Want::everything());
            let tolerance = if temperature < 1.0 { 1e-4 } else { 1e-5 };
            let oracle = oracle::trace(&problem).unwrap();
            agree(&format!("mask {number} at T {temperature}"), &trace, &oracle, tolerance, 1e-5);
            rows_hold("rows", &trace, &problem.mask);
        }
    }
}

fn embedded_problems<E: Engine>(mut make: impl FnMut() -> E) {
    for (h, d_k) in [(1, 1), (3, 5), (8, 8), (12, 64), (16, 17)] {
        let words = ["<BOS>", "那只", "猫", "女巫", "追", "老鼠", "<PAD>"];
        let Source::Embedded { x_q, .. } = toy_problem(words, true).source else { unreachable!() };
        let mut x = Matrix::clone(&x_q);
        random_weights::normalise_rows(&mut x);
        let x_k = Rc::new(x);
        let x_q = Rc::new(x_k.slice(ndarray::s![1..4, ..]).to_owned());
        let weights = Rc::new(random_weights::weights(5, h, d_k));
        let source = Source::Embedded { x_q, x_k, weights };
        let problem =
            Problem { source, scale: 0.3, temperature: 1.5, mask: Mask { causal: true, ..Mask::none() }, method: None };
        let trace = run(&mut make(), &problem, &Want::everything());
        agree(&format!("h {h}, d_k {d_k}"), &trace, &oracle::trace(&problem).unwrap(), 1e-5, 1e-5);
    }
}

fn one_token<E: Engine>(mut make: impl FnMut() -> E) {
    let mut random = SplitMix64::new(2);
    let v = heads(&mut random, (2, 1, 3));
    let source = Source::Given { q: heads(&mut random, (2, 1, 4)), k: heads(&mut random, (2, 1, 4)), v: Rc::clone(&v) };
    let problem = Problem { source, scale: 0.5, temperature: 1.0, mask: Mask::none(), method: None };
    let trace = run(&mut make(), &problem, &Want::everything());
    let layer = trace.top().unwrap();
    assert!(layer.weights.get().unwrap().iter().all(|&w| w == 1.0));
    assert_eq!(layer.head_output.get().unwrap(), &*v);
    assert!(layer.rows.entropy.iter().all(|&entropy| entropy == 0.0));
}

fn large_logits<E: Engine>(mut make: impl FnMut() -> E) {
    // Exact in f32, so that only softmax is on trial; but at T = 20, 499.95 is rounded by up to 1.5e-5.
    let scores = [1e4, -1e4, 9_999.0, 0.0, 9_990.5, 1e4];
    for temperature in [0.05, 1.0, 20.0] {
        let problem = scores_problem(&scores, temperature);
        let trace = run(&mut make(), &problem, &Want::everything());
        let tolerance = if temperature > 1.0 { 2e-5 } else { 2e-6 };
        agree("large logits", &trace, &oracle::trace(&problem).unwrap(), tolerance, 2e-7);
        rows_hold("rows", &trace, &Mask::none());
    }
    let all_low = scores_problem(&[-1e4, -1e4], 0.05);
    assert_eq!(row(&run(&mut make(), &all_low, &Want::everything()), 0, 0), [0.5, 0.5]);
}

fn overflow_is_refused<E: Engine>(mut make: impl FnMut() -> E) {
    let mut problem = scores_problem(&[3e38, 1.0], 0.05);
    let mut engine = make();
    let mut refuse = |problem: &Problem| {
        let mut called = false;
        let result = engine.run(problem, &Want::everything(), Generation(1), &mut |_| called = true);
        assert!(!called, "no trace holds an infinity");
        result.unwrap_err()
    };
    assert_eq!(refuse(&problem), ProblemError::NotFinite { what: "scores", index: 0 });
    problem.mask.bias = Some(Rc::new(Heads::from_shape_vec((1, 1, 2), vec![0.0, f32::MAX]).unwrap()));
    problem.temperature = 1.0;
    let Source::Given { k, .. } = &mut problem.source else { unreachable!() };
    *k = Rc::new(Heads::from_shape_vec((1, 2, 1), vec![1.0, 3e38]).unwrap());
    assert_eq!(refuse(&problem), ProblemError::NotFinite { what: "scores", index: 1 });
    // After an error the engine answers the next problem as if nothing had been.
    let good = scores_problem(&[1.0, 2.0], 1.0);
    let trace = run(&mut engine, &good, &Want::everything());
    agree("after an error", &trace, &oracle::trace(&good).unwrap(), 1e-6, 1e-6);
}

fn invalid_problems_are_refused<E: Engine>(mut make: impl FnMut() -> E) {
    let mut engine = make();
    let good = odd(1);
    run(&mut engine, &good, &Want::everything());
    // The engine knows this source already, and must look at the rest all the same.
    for bad in [
        Problem { temperature: 0.0, ..good.clone() },
        Problem { scale: f32::INFINITY, ..good.clone() },
        Problem { mask: Mask { keys: Some([true].into()), ..Mask::none() }, ..good.clone() },
    ] {
        let result = engine.run(&bad, &Want::everything(), Generation(0), &mut |_| panic!("computed"));
        assert_eq!(result.unwrap_err(), bad.shape().unwrap_err());
    }
}

fn causal_is_exact_and_leaks_nothing<E: Engine>(mut make: impl FnMut() -> E) {
    let words = ["<BOS>", "猫", "追", "老鼠", "了"];
    let causal = |words| Problem { mask: Mask { causal: true, ..Mask::none() }, ..toy_problem(words, true) };
    let before = run(&mut make(), &causal(words), &Want::everything());
    for head in 0..8 {
        for query in 0..5 {
            assert!(row(&before, head, query)[query + 1..].iter().all(|&w| w == 0.0));
        }
    }
    // Editing token j leaves all rows before j as they were, bit for bit.
    for j in 1..5 {
        let mut edited = words;
        edited[j] = "银行";
        let after = run(&mut make(), &causal(edited), &Want::everything());
        assert_eq!(before.rows(Stage::Output, 0, 0..j), after.rows(Stage::Output, 0, 0..j), "token {j}");
        assert_ne!(before.rows(Stage::Output, 0, j..5), after.rows(Stage::Output, 0, j..5), "token {j}");
    }
}

fn two_tokens_with_a_mask<E: Engine>(mut make: impl FnMut() -> E) {
    // Query i = 0 sees key 0 only; the second sees both, with equal scores.
    let v = Rc::new(Heads::from_shape_vec((1, 2, 2), vec![1.0, 2.0, 1.0, 2.0]).unwrap());
    let q = Rc::new(Heads::ones((1, 2, 1)));
    let source = Source::Given { q: Rc::clone(&q), k: q, v };
    let mask = Mask { causal: true, ..Mask::none() };
    let trace =
        run(&mut make(), &Problem { source, scale: 1.0, temperature: 1.0, mask, method: None }, &Want::everything());
    let output: Vec<f32> = trace.rows(Stage::HeadOutput, 0, 0..2).unwrap().iter().copied().collect();
    assert_eq!(output, [1.0, 2.0, 1.0, 2.0]);
}

fn causal_conventions<E: Engine>(mut make: impl FnMut() -> E) {
    let n = 5;
    let (q, k, v) = {
        let mut random = SplitMix64::new(9);
        (heads(&mut random, (1, n, 3)), heads(&mut random, (1, n, 3)), heads(&mut random, (1, n, 3)))
    };
    let mut output = |mask: Mask| {
        let source = Source::Given { q: Rc::clone(&q), k: Rc::clone(&k), v: Rc::clone(&v) };
        let trace = run(
            &mut make(),
            &Problem { source, scale: 0.5, temperature: 1.0, mask, method: None },
            &Want::everything(),
        );
        trace.rows(Stage::HeadOutput, 0, 0..n).unwrap().to_owned()
    };
    let causal = output(Mask { causal: true, ..Mask::none() });
    let triangle = |lower: bool, diagonal: isize, true_means_keep: bool| {
        let cells = Heads::from_shape_fn((1, n, n), |(_, i, j)| {
            let offset = isize::try_from(j).unwrap() - isize::try_from(i).unwrap();
            let member = if lower { offset <= diagonal } else { offset >= diagonal };
            member == true_means_keep
        });
        Mask { given: Some(Rc::new(cells)), ..Mask::none() }
    };
    let mut right = Vec::new();
    for lower in [true, false] {
        for diagonal in [0, 1] {
            for true_means_keep in [true, false] {
                if output(triangle(lower, diagonal, true_means_keep)) == causal {
                    right.push((lower, diagonal, true_means_keep));
                }
            }
        }
    }
    // Of eight conventions two are right: keep tril(0), and block triu(1).
    assert_eq!(right, [(true, 0, true), (false, 1, false)]);
}

fn shifting_a_row_changes_nothing<E: Engine>(mut make: impl FnMut() -> E) {
    let plain = run(&mut make(), &odd(4), &Want::everything());
    let shift = Heads::from_shape_fn((1, 5, 7), |(_, i, _)| [3.0, -8.0, 100.0, 0.0, -1.5][i]);
    let shifted = Problem { mask: Mask { bias: Some(Rc::new(shift)), ..Mask::none() }, ..odd(4) };
    let shifted = run(&mut make(), &shifted, &Want::everything());
    let weights = |trace: &Trace<f32>| trace.top().unwrap().weights.get().unwrap().clone();
    all_close(weights(&shifted), weights(&plain), 1e-5, 0.0).unwrap();
}

fn without_positions_words_only_swap_places<E: Engine>(mut make: impl FnMut() -> E) {
    let mut output = |words: [&str; 4], positions| {
        run(&mut make(), &toy_problem(words, positions), &Want::everything())
            .top()
            .unwrap()
            .output
            .get()
            .unwrap()
            .clone()
    };
    let swap = |a: &Matrix<f32>| a.select(ndarray::Axis(0), &[0, 3, 2, 1]);
    let (one, other) = (["<BOS>", "我", "爱", "你"], ["<BOS>", "你", "爱", "我"]);
    all_close(swap(&output(one, false)), output(other, false), 1e-6, 0.0).unwrap();
    assert!(all_close(swap(&output(one, true)), output(other, true), 0.1, 0.0).is_err());
}

fn heads_are_independent<E: Engine>(mut make: impl FnMut() -> E) {
    let problem = Problem { mask: cases::masks(ODD, 8).pop().unwrap(), ..odd(6) };
    let Source::Given { q, k, v } = &problem.source else { unreachable!() };
    let together = run(&mut make(), &problem, &Want::everything());
    for head in 0..3 {
        let one = |a: &Heads<f32>| Rc::new(a.slice(ndarray::s![head..=head, .., ..]).to_owned());
        let mut mask = problem.mask.clone();
        mask.given = mask.given.map(|a| Rc::new(a.slice(ndarray::s![head..=head, .., ..]).to_owned()));
        mask.bias = mask.bias.map(|a| one(&a));
        let alone = Problem { source: Source::Given { q: one(q), k: one(k), v: one(v) }, mask, ..problem.clone() };
        let alone = run(&mut make(), &alone, &Want::everything());
        assert_eq!(alone.rows(Stage::HeadOutput, 0, 0..5), together.rows(Stage::HeadOutput, head, 0..5));
        assert_eq!(alone.rows(Stage::Weights, 0, 0..5), together.rows(Stage::Weights, head, 0..5));
    }
}

fn only_what_is_wanted_is_held<E: Engine>(mut make: impl FnMut() -> E) {
    let problem = toy_problem(["<BOS>", "猫", "追", "老鼠"], true);
    let full = run(&mut make(), &problem, &Want::everything());
    for stage in Stage::ALL {
        let trace = run(&mut make(), &problem, &Want::only(&[stage]));
        for other in Stage::ALL {
            let got = trace.rows(other, 0, 0..4);
            assert_eq!(got.is_some(), other == stage, "{other:?} when {stage:?} is wanted");
            assert!(got.is_none() || got == full.rows(other, 0, 0..4), "{other:?}");
        }
        assert_eq!(trace.top().unwrap().rows, full.top().unwrap().rows);
    }
}

fn warm_equals_cold<E: Engine>(mut make: impl FnMut() -> E) {
    let mut random = SplitMix64::new(77);
    let mut pick = |count: usize| usize::try_from(random.next_u64() >> 33).unwrap() % count;
    let masks = cases::masks(ODD, 21);
    let words = ["<BOS>", "那只", "猫", "追", "老鼠"];
    let x: Vec<_> = [true, false].map(|on| Rc::new(embedding::embed(&super::golden::tokens(words), on))).into();
    let weights = [Rc::new(toy::weights()), Rc::new(random_weights::weights(4, 3, 5))];
    let mut sources: Vec<Source> = vec![odd(1).source, odd(2).source];
    for x in &x {
        for weights in &weights {
            sources.push(Source::Embedded { x_q: Rc::clone(x), x_k: Rc::clone(x), weights: Rc::clone(weights) });
        }
    }
    let wants = [
        Want::everything(),
        Want::only(&[Stage::Weights]),
        Want::only(&[Stage::Masked, Stage::Output]),
        Want::only(&[]),
    ];
    let mut problem =
        Problem { source: sources[0].clone(), scale: 0.5, temperature: 1.0, mask: Mask::none(), method: None };
    let mut warm = make();
    for step in 0..400 {
        match pick(5) {
            0 => {
                problem.source = sources[pick(sources.len())].clone();
                problem.mask = Mask::none();
            }
            1 => problem.scale = [0.5, 0.25, 1.0][pick(3)],
            2 => problem.temperature = [0.05, 1.0, 2.5, 20.0][pick(4)],
            // Masks are made for 5 × 7; the sentences are 5 × 5 and take what has no array.
            3 if matches!(problem.source, Source::Given { .. }) => problem.mask = masks[pick(masks.len())].clone(),
            3 => problem.mask.causal = !problem.mask.causal,
            _ => {}
        }
        let want = &wants[pick(wants.len())];
        let (warm, cold) = (run(&mut warm, &problem, want), run(&mut make(), &problem, want));
        assert_eq!(bits(&warm), bits(&cold), "step {step}");
    }
}

/// Every number of a trace as bits: −0 is not 0 here.
fn bits(trace: &Trace<f32>) -> Vec<Vec<u32>> {
    let shape = trace.shape;
    let mut all: Vec<Vec<u32>> = Vec::new();
    for stage in Stage::ALL {
        let rows = if matches!(stage, Stage::K | Stage::V | Stage::XKey) { shape.n_k } else { shape.n_q };
        for head in 0..shape.heads {
            all.push(trace.rows(stage, head, 0..rows).map_or(vec![], |a| a.iter().map(|x| x.to_bits()).collect()));
        }
    }
    let rows = &trace.top().unwrap().rows;
    all.extend([&rows.max, &rows.inverse_sum, &rows.entropy].map(|a| a.iter().map(|x| x.to_bits()).collect()));
    all.push(rows.permitted.iter().copied().collect());
    all
}

/// Memory of a trace that was given back holds old numbers: none of them may show through, whatever the mask leaves out.
#[test]
fn recycled_memory_shows_nothing_of_before() {
    let want = Want::only(&[Stage::Weights, Stage::HeadOutput]);
    let mut engine = CpuEngine::keeping(0);
    for mask in cases::masks(ODD, 3) {
        let problem = Problem { mask, ..odd(11) };
        let cold = run(&mut CpuEngine::new(), &problem, &want);
        let again = run(&mut engine, &problem, &want);
        assert_eq!(bits(&again), bits(&cold));
        engine.recycle(again);
    }
    // Who still reads a trace keeps it.
    let kept = run(&mut engine, &odd(11), &want);
    let before = bits(&kept);
    engine.recycle(Rc::clone(&kept));
    let other = run(&mut engine, &odd(12), &want);
    engine.recycle(other);
    run(&mut engine, &odd(13), &want);
    assert_eq!(bits(&kept), before);
}

fn column_major_inputs_are_read_by_index<E: Engine>(mut make: impl FnMut() -> E) {
    let problem = odd(15);
    let Source::Given { q, k, v } = &problem.source else { unreachable!() };
    // The same numbers in another memory order.
    let turned = |a: &Heads<f32>| {
        let mut other = Heads::zeros(ndarray::ShapeBuilder::f(a.dim()));
        other.assign(a);
        assert!(other.as_slice().is_none());
        Rc::new(other)
    };
    let source = Source::Given { q: turned(q), k: turned(k), v: turned(v) };
    let other = run(&mut make(), &Problem { source, ..problem.clone() }, &Want::everything());
    assert_eq!(*other, *run(&mut make(), &problem, &Want::everything()));
}

/// The tests of one engine.
macro_rules! suite {
    ($name:ident, $make:expr, [$($check:ident),* $(,)?]) => {
        mod $name {
            use super::*;
            $(#[test] fn $check() { super::$check(|| $make); })*
        }
    };
}

macro_rules! suites {
    ($($name:ident: $make:expr),* $(,)?) => {$(
        suite!($name, $make, [
            odd_sizes_and_all_masks, embedded_problems, one_token, large_logits, overflow_is_refused,
            invalid_problems_are_refused, causal_is_exact_and_leaks_nothing, two_tokens_with_a_mask, causal_conventions,
            shifting_a_row_changes_nothing, without_positions_words_only_swap_places, heads_are_independent,
            only_what_is_wanted_is_held, warm_equals_cold, column_major_inputs_are_read_by_index,
        ]);
    )*};
}

suites! {
    cpu: CpuEngine::new(),
    // Raw scores are not kept but computed row by row, as for long texts.
    cpu_keeping_nothing: CpuEngine::keeping(0),
}

#[test]
fn unchanged_stages_are_shared_not_copied() {
    use attention_lab::attention::Held;
    let mut engine = CpuEngine::new();
    let problem = odd(3);
    let first = run(&mut engine, &problem, &Want::everything());
    let second = run(&mut engine, &Problem { temperature: 2.0, ..problem }, &Want::everything());
    let (first, second) = (first.top().unwrap(), second.top().unwrap());
    let shared = |a: &Held<Heads<f32>>, b: &Held<Heads<f32>>| std::ptr::eq(a.get().unwrap(), b.get().unwrap());
    for (a, b) in
        [(&first.q, &second.q), (&first.v, &second.v), (&first.raw, &second.raw), (&first.scaled, &second.scaled)]
    {
        assert!(shared(a, b));
    }
    assert!(!shared(&first.tempered, &second.tempered) && first.tempered != second.tempered);
}
