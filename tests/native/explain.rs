//! Explanations: every number against what the engine computes when the thing is really done.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::golden::{engine_trace, toy_problem};
use attention_lab::attention::{
    Cells, Mask, Method, Position, Problem, Source, Stage, Trace, Weighting, Weights, oracle, random_weights,
};
use attention_lab::insight::explain::{Without, contributions, handed, rank, without};
use attention_lab::insight::{compare, flash, other_weights, rotary};
use attention_lab::tensor::Matrix;
use std::rc::Rc;

const CAT: [&str; 9] = ["<BOS>", "The", "cat", "that", "chased", "the", "mouse", "was", "tired"];

fn near(what: &str, got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{what}: {got} where {want} was expected");
}

/// The sentence with random weights of odd sizes, under a causal mask.
fn random_problem() -> Problem {
    let mut problem = toy_problem(CAT, true);
    if let Source::Embedded { x_q, x_k, weights } = &mut problem.source {
        let mut x = (**x_q).clone();
        random_weights::normalise_rows(&mut x);
        (*x_q, *weights) = (Rc::new(x), Rc::new(random_weights::weights(77, 3, 5)));
        *x_k = Rc::clone(x_q);
    }
    Problem { scale: 0.4, mask: Mask { causal: true, ..Mask::none() }, ..problem }
}

fn w_o(problem: &Problem) -> Rc<Weights> {
    match &problem.source {
        Source::Embedded { weights, .. } => Rc::clone(weights),
        Source::Given { .. } => panic!("no projections"),
    }
}

fn output(trace: &Trace<f32>) -> Matrix<f64> {
    trace.rows(Stage::Output, 0, 0..trace.shape.n_q).unwrap().mapv(f64::from)
}

fn row_length(row: ndarray::ArrayView1<'_, f64>) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn contributions_of_heads_add_up_to_the_output() {
    for problem in [toy_problem(CAT, true), random_problem()] {
        let trace = engine_trace(&problem);
        let parts = contributions(&trace, &w_o(&problem).w_o).unwrap();
        assert_eq!(parts.len(), trace.shape.heads);
        let sum = parts.iter().fold(Matrix::zeros(parts[0].dim()), |sum, part| sum + part);
        let output = output(&trace);
        sum.iter().zip(&output).for_each(|(got, want)| near("sum of parts", *got, *want, 1e-5));
        assert!(parts.iter().any(|part| part.iter().any(|x| x.abs() > 0.1)));
        assert_eq!(contributions(&trace, &Matrix::zeros((2, 3))), None, "W_O of another size");
    }
}

/// Doing without, on paper and by the engine.
#[test]
fn without_is_what_the_engine_computes_without() {
    for problem in [toy_problem(CAT, true), random_problem()] {
        let trace = engine_trace(&problem);
        let (weights, before) = (w_o(&problem), output(&trace));
        let check = |what: Without, changed: &Problem| {
            let after = output(&engine_trace(changed));
            let moved = without(&trace, Some(&weights.w_o), what).unwrap();
            for (query, moved) in moved.iter().enumerate() {
                let by = row_length((&after.row(query) - &before.row(query)).view());
                near(&format!("{what:?}, query {query}"), moved.by, by, 2e-5);
                near("length", moved.of, row_length(before.row(query)), 2e-5);
            }
            moved.iter().map(|moved| moved.by).fold(0.0, f64::max)
        };
        for head in 0..trace.shape.heads {
            let d_v = trace.shape.d_v;
            let mut silent = (*weights).clone();
            silent.w_o.slice_mut(ndarray::s![head * d_v..(head + 1) * d_v, ..]).fill(0.0);
            let mut changed = problem.clone();
            if let Source::Embedded { weights, .. } = &mut changed.source {
                *weights = Rc::new(silent);
            }
            assert!(check(Without::Head(head), &changed) > 1e-3);
        }
        for key in [0, 2, 6] {
            let keys = (0..9).map(|at| at != key).collect();
            let changed = Problem { mask: Mask { keys: Some(keys), ..problem.mask.clone() }, ..problem.clone() };
            assert!(check(Without::Key(key), &changed) > 1e-3);
        }
        // An edge of one head alone: a mask by head.
        let given = ndarray::Array3::from_shape_fn((trace.shape.heads, 9, 9), |at| at != (2, 4, 2));
        let changed = Problem { mask: Mask { given: Some(Rc::new(given)), ..problem.mask.clone() }, ..problem.clone() };
        check(Without::Edge { head: 2, query: 4, key: 2 }, &changed);
        assert_eq!(without(&trace, None, Without::Head(trace.shape.heads)), None);
        assert_eq!(without(&trace, None, Without::Key(9)), None);
        // Without W_O the heads stand side by side: of one head that is gone all of its own length.
        let alone = without(&trace, None, Without::Head(1)).unwrap();
        let own = trace.rows(Stage::HeadOutput, 1, 4..5).unwrap().mapv(f64::from);
        near("one head", alone[4].by, row_length(own.row(0)), 1e-9);
    }
}

#[test]
fn a_sink_has_the_weight_and_hands_over_little() {
    let trace = engine_trace(&toy_problem(["<BOS>", "猫", "追", "老鼠"], true));
    let sink = handed(&trace, 7, 2).unwrap();
    assert!(sink[0].weight > 0.97 && sink[0].product < 0.2, "{sink:?}");
    let agent = handed(&trace, 3, 2).unwrap();
    assert!(agent[1].weight > 0.98 && agent[1].product > 5.0 * sink[0].product, "{agent:?}");
    for of in agent {
        near("product", of.product, of.weight * of.length, 1e-12);
    }
    assert_eq!(handed(&trace, 8, 0), None);
}

#[test]
fn scores_have_no_more_directions_than_d_k() {
    let trace = engine_trace(&random_problem());
    for head in 0..3 {
        let rank = rank(&trace, head).unwrap();
        assert_eq!((rank.bound, rank.of_scores), (5, 5), "nine tokens in five dimensions");
    }
    let toy = engine_trace(&toy_problem(CAT, true));
    assert_eq!(rank(&toy, 0).unwrap().of_scores, 0, "the uniform head's scores are all 0");
    for head in 0..8 {
        let rank = rank(&toy, head).unwrap();
        assert!(rank.of_scores <= rank.bound && rank.bound == 8);
    }
    // q_i k_j + c has rank 2 at most, and 1 without c.
    let mut outer = (*toy).clone();
    let raw = ndarray::Array3::from_shape_fn((8, 9, 9), |(_, i, j)| (i as f32 - 3.5) * (j as f32 + 0.5));
    outer.layers[0].raw = attention_lab::attention::Held::Held(Rc::new(raw));
    assert_eq!(rank(&outer, 2).unwrap().of_scores, 1);
}

#[test]
fn two_traces_differ_where_they_differ() {
    let plain = toy_problem(["猫", "追", "老鼠"], true);
    let (a, b) = (engine_trace(&plain), engine_trace(&Problem { temperature: 3.0, ..plain.clone() }));
    let same = compare(&a, &a, 3).unwrap();
    assert!(same.difference.iter().all(|&x| x == 0.0));
    assert!(same.rows.iter().all(|row| row.js == Some(0.0) && row.kl_a_b == Some(0.0) && row.flip.is_none()));
    let hotter = compare(&a, &b, 3).unwrap();
    for (i, row) in hotter.rows.iter().enumerate() {
        let weights = |trace: &Trace<f32>| trace.rows(Stage::Weights, 3, i..i + 1).unwrap().mapv(f64::from);
        let (p, q) = (weights(&a), weights(&b));
        let kl = |p: &Matrix<f64>, q: &Matrix<f64>| p.iter().zip(q).map(|(p, q)| p * (p.ln() - q.ln())).sum::<f64>();
        let middle = (&p + &q) * 0.5;
        near("KL", row.kl_a_b.unwrap(), kl(&p, &q), 1e-6);
        near("KL back", row.kl_b_a.unwrap(), kl(&q, &p), 1e-6);
        near("JS", row.js.unwrap(), 0.5 * (kl(&p, &middle) + kl(&q, &middle)), 1e-6);
        assert_eq!(row.flip, None, "a temperature never changes the order");
        near("difference", hotter.difference[[i, 1]], q[[0, 1]] - p[[0, 1]], 1e-12);
    }
    // A mask: rows that share no key are ln 2 apart, what only one sees is infinitely far, and the strongest key flips.
    let only = |key: usize| {
        let keys = (0..3).map(|at| at == key).collect();
        engine_trace(&Problem { mask: Mask { keys: Some(keys), ..Mask::none() }, ..plain.clone() })
    };
    let row = compare(&only(0), &only(2), 3).unwrap().rows[1];
    near("apart", row.js.unwrap(), std::f64::consts::LN_2, 1e-12);
    assert_eq!((row.kl_a_b, row.flip), (Some(f64::INFINITY), Some((0, 2))));
    let nothing =
        engine_trace(&Problem { mask: Mask { keys: Some([false; 3].into()), ..Mask::none() }, ..plain.clone() });
    assert_eq!(compare(&a, &nothing, 3).unwrap().rows[1].js, None, "a row of zeros is no distribution");
    assert_eq!(compare(&a, &engine_trace(&toy_problem(["猫", "追"], true)), 3), None);
}

#[test]
fn other_weights_give_the_same_output() {
    let problem = Problem { mask: Mask::none(), ..random_problem() };
    let trace = engine_trace(&problem);
    for (head, query) in [(0, 0), (1, 4), (2, 8)] {
        let other = other_weights::with_same_output(&trace, head, query).expect("nine keys, five dimensions");
        let weights = trace.rows(Stage::Weights, head, query..query + 1).unwrap();
        let values = trace.rows(Stage::V, head, 0..9).unwrap();
        near("sum", other.iter().sum(), 1.0, 1e-6);
        assert!(other.iter().all(|&w| w >= 0.0));
        let farthest = other.iter().zip(&weights).map(|(a, &b)| (a - f64::from(b)).abs()).fold(0.0, f64::max);
        assert!(farthest > 0.01, "head {head}, query {query}: {farthest}");
        for c in 0..5 {
            let mix: f64 = other.iter().zip(values.column(c)).map(|(w, &v)| w * f64::from(v)).sum();
            let output = trace.at(Stage::HeadOutput, head, query, c).unwrap();
            near("output", mix, f64::from(output), 1e-5);
        }
        let shuffled = other_weights::shuffled(&trace, head, query, 5).unwrap();
        let sorted = |mut row: Vec<f64>| {
            row.sort_by(f64::total_cmp);
            row
        };
        assert_eq!(sorted(shuffled.weights.clone()), sorted(weights.iter().map(|&w| f64::from(w)).collect()));
        assert!(shuffled.moved > 0.01 && shuffled.of > 0.0, "{shuffled:?}");
    }
    // Four keys whose values point in four directions: then the weights are the only ones.
    let few = engine_trace(&toy_problem(["<BOS>", "猫", "追", "老鼠"], true));
    assert_eq!(other_weights::with_same_output(&few, 3, 2), None);
    // Under a mask no weight goes to what is forbidden.
    let masked = engine_trace(&random_problem());
    let other = other_weights::with_same_output(&masked, 1, 7).unwrap();
    assert_eq!(other[8], 0.0);
}

#[test]
fn draws_come_out_as_the_weights() {
    let trace = engine_trace(&toy_problem(["<BOS>", "那只", "猫", "追", "老鼠"], true));
    let drawn = Method { weighting: Weighting::Sampled { seed: 3 }, ..Method::default() };
    let problem =
        Problem { method: Some(Rc::new(drawn)), ..toy_problem(["<BOS>", "那只", "猫", "追", "老鼠"], true) };
    let one_hot = engine_trace(&problem);
    for head in 0..8 {
        let counts = other_weights::tally(&trace, head, 2, 11, 20_000).unwrap();
        assert_eq!(counts.iter().sum::<u32>(), 20_000);
        assert_eq!(other_weights::tally(&one_hot, head, 2, 11, 20_000).unwrap(), counts, "the softmax behind the draw");
        for (key, &count) in counts.iter().enumerate() {
            let weight = f64::from(trace.at(Stage::Weights, head, 2, key).unwrap());
            near(
                "share",
                f64::from(count) / 20_000.0,
                weight,
                5.0 * (weight * (1.0 - weight) / 20_000.0).sqrt() + 1e-4,
            );
        }
    }
}

#[test]
fn rotary_scores_depend_on_the_distance_and_wave() {
    let ones = vec![1.0; 64];
    let distances = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
    let scores = rotary::by_distance(&ones, &ones, 1e4, &distances);
    for (got, want) in scores.iter().zip([64.0, 61.8, 56.6, 47.9, 44.8, 38.7, 39.1, 27.8]) {
        near("printed score", *got, want, 0.06);
    }
    assert!(scores[6] > scores[5], "it does not only fall");
    let q: Vec<f64> = (0..64).map(|c| f64::from(c % 7) - 2.5).collect();
    let key = rotary::key_peaking_at(&q, 20.0, 1e4);
    let all: Vec<f64> = (0..200).map(f64::from).collect();
    let curve = rotary::by_distance(&q, &key, 1e4, &all);
    let top = (0..200).max_by(|&a, &b| curve[a].total_cmp(&curve[b])).unwrap();
    assert_eq!(top, 20);
    near("peak", curve[20], q.iter().map(|x| x * x).sum(), 1e-9);

    // The engine's raw scores are on the curve of its own q and k, turned back.
    for d_k in [4, 5] {
        let mut problem = random_problem();
        if let Source::Embedded { weights, .. } = &mut problem.source {
            *weights = Rc::new(random_weights::weights(8, 2, d_k));
        }
        let position = Position::Rotary { base: 100.0 };
        let turned = Problem { method: Some(Rc::new(Method { position, ..Method::default() })), ..problem.clone() };
        let (plain, turned) = (oracle::trace(&problem).unwrap(), oracle::trace(&turned).unwrap());
        for (i, j) in [(0_u8, 0_u8), (8, 1), (3, 7), (5, 4)] {
            let row = |stage, at: u8| plain.rows(stage, 1, at.into()..usize::from(at) + 1).unwrap().row(0).to_vec();
            let distance = f64::from(i) - f64::from(j);
            let score = rotary::by_distance(&row(Stage::Q, i), &row(Stage::K, j), 100.0, &[distance])[0];
            near("raw", score, turned.at(Stage::Raw, 1, i.into(), j.into()).unwrap(), 1e-9);
            let back = rotary::turned(
                &turned.rows(Stage::Q, 1, i.into()..usize::from(i) + 1).unwrap().row(0).to_vec(),
                -f64::from(i),
                100.0,
            );
            back.iter().zip(row(Stage::Q, i)).for_each(|(got, want)| near("turned back", *got, want, 1e-9));
        }
    }
}

#[test]
fn tiles_end_at_the_plain_numbers() {
    let mut cells = Cells::default();
    (3..6).for_each(|key| cells.insert((7, key), false));
    let mask = Mask { cells: Rc::new(cells), ..random_problem().mask };
    for problem in [Problem { mask, ..random_problem() }, toy_problem(CAT, true)] {
        let trace = engine_trace(&problem);
        for (head, query) in [(0, 0), (1, 7), (2, 8)] {
            for width in [1, 2, 3, 4, 9, 50] {
                let tiles = flash::tiles(&trace, head, query, width).unwrap();
                assert_eq!(tiles.len(), 9_usize.div_ceil(width));
                assert!(
                    tiles.windows(2).all(|pair| pair[0].keys.end == pair[1].keys.start && pair[0].max <= pair[1].max)
                );
                let last = tiles.last().unwrap();
                let rows = &trace.top().unwrap().rows;
                near("max", last.max, f64::from(rows.max[[head, query]]), 0.0);
                near("1/sum", 1.0 / last.sum, f64::from(rows.inverse_sum[[head, query]]), 1e-6);
                for (c, output) in last.output.iter().enumerate() {
                    let plain = trace.at(Stage::HeadOutput, head, query, c).unwrap();
                    near("output", output / last.sum, f64::from(plain), 1e-5);
                }
            }
        }
        assert_eq!(flash::tiles(&trace, 0, 0, 0), None);
        assert_eq!(flash::tiles(&trace, 0, 9, 2), None);
    }
}
