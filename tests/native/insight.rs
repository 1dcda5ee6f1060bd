//! The meaning: every number of insight against the trace it was read from.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::golden::{engine_trace, scores_problem, toy_problem};
use attention_lab::attention::{Held, Mask, Problem, Source, Stage, Trace, embedding, oracle, random_weights};
use attention_lab::insight::entropy::{effective_number, mean_normalised, normalised};
use attention_lab::insight::statistics::{self, extremes, fully_masked_rows, leak, row_sums, spread, worst_row_sum};
use attention_lab::insight::{
    Reading, Side, compare, decode, difference, readings, story, strongest_key, strongest_query,
};
use attention_lab::tensor::Heads;
use std::rc::Rc;

const OPENING: [&str; 4] = ["<BOS>", "猫", "追", "老鼠"];

fn near(got: f64, want: f64, tolerance: f64) {
    assert!((got - want).abs() <= tolerance, "{got} where {want} was expected");
}

/// The trace with other weights: a broken engine.
fn with_weights(trace: &Trace<f32>, change: impl FnOnce(&mut Heads<f32>)) -> Trace<f32> {
    let mut broken = trace.clone();
    let layer = broken.layers.last_mut().unwrap();
    let mut weights = layer.weights.get().unwrap().clone();
    change(&mut weights);
    layer.weights = Held::Held(Rc::new(weights));
    broken
}

#[test]
fn entropy_is_1_for_uniform_and_0_without_a_choice() {
    let trace = engine_trace(&toy_problem(OPENING, true));
    near(normalised(&trace, 0, 2).unwrap(), 1.0, 1e-6);
    near(effective_number(&trace, 0, 2).unwrap(), 4.0, 1e-5);
    near(mean_normalised(&trace, 0).unwrap(), 1.0, 1e-6);
    assert!(normalised(&trace, 3, 2).unwrap() < 0.1);
    assert_eq!(normalised(&trace, 8, 0), None);
    let causal = engine_trace(&Problem { mask: Mask { causal: true, ..Mask::none() }, ..toy_problem(OPENING, true) });
    assert_eq!((normalised(&causal, 0, 0), effective_number(&causal, 0, 0)), (Some(0.0), Some(1.0)));
    near(effective_number(&causal, 0, 2).unwrap(), 3.0, 1e-5);
    // The row without a choice does not pull the mean down.
    near(mean_normalised(&causal, 0).unwrap(), 1.0, 1e-6);
    let mut masked = scores_problem(&[1.0, 2.0], 1.0);
    masked.mask.keys = Some([false, false].into());
    let masked = engine_trace(&masked);
    assert_eq!((normalised(&masked, 0, 0), effective_number(&masked, 0, 0)), (Some(0.0), Some(0.0)));
    assert_eq!(mean_normalised(&masked, 0), None);
}

#[test]
fn spread_counts_permitted_cells_only() {
    let mut problem = scores_problem(&[1.0, 3.0, 100.0], 1.0);
    problem.scale = 0.5;
    problem.mask.keys = Some([true, true, false].into());
    let trace = engine_trace(&problem);
    let raw = spread(&trace, &problem.mask, Stage::Raw, 0).unwrap();
    assert_eq!((raw.mean, raw.deviation), (2.0, 1.0));
    let scaled = spread(&trace, &problem.mask, Stage::Scaled, 0).unwrap();
    assert_eq!((scaled.mean, scaled.deviation), (1.0, 0.5));
    assert_eq!(spread(&trace, &problem.mask, Stage::Raw, 1), None);
    assert_eq!(extremes(&trace, Stage::Masked, 0), Some((0.5, 1.5)));
    assert_eq!(extremes(&trace, Stage::Raw, 0), Some((1.0, 100.0)));
    assert_eq!(leak(&trace, &problem.mask, 0).unwrap().total, 0.0);
}

#[test]
fn sums_and_leaks_are_read_from_the_weights() {
    let causal = Mask { causal: true, ..Mask::none() };
    let problem = Problem { mask: causal.clone(), ..toy_problem(OPENING, true) };
    let trace = engine_trace(&problem);
    assert!(worst_row_sum(&trace, 3).unwrap() < 1e-6);
    assert!(row_sums(&trace, 3).unwrap().iter().all(|sum| (sum - 1.0).abs() < 1e-6));
    let broken = with_weights(&trace, |weights| {
        weights[[3, 0, 2]] = 0.25;
        weights[[3, 1, 3]] = 0.5;
    });
    let found = leak(&broken, &causal, 3).unwrap();
    assert_eq!((found.total, found.cells), (0.75, vec![(0, 2), (1, 3)]));
    near(worst_row_sum(&broken, 3).unwrap(), 0.5, 1e-6);
    assert!(readings(&broken, &causal).contains(&Reading::WeightLeak { head: 3, weight: 0.75, cells: 2 }));
    assert!(!readings(&trace, &causal).iter().any(|reading| matches!(reading, Reading::WeightLeak { .. })));
    let poisoned = with_weights(&trace, |weights| weights[[3, 2, 0]] = f32::NAN);
    assert!(worst_row_sum(&poisoned, 3).unwrap().is_nan());
}

#[test]
fn fully_masked_rows_are_found() {
    let cells = [(0, false), (1, false), (2, false), (3, false)].map(|(key, may)| ((2, key), may));
    let problem = Problem { mask: Mask { cells: Rc::new(cells.into()), ..Mask::none() }, ..toy_problem(OPENING, true) };
    let trace = engine_trace(&problem);
    assert_eq!(fully_masked_rows(&trace, 5), [2]);
    assert_eq!(worst_row_sum(&trace, 5).map(|worst| worst < 1e-6), Some(true), "a row of zeros is no wrong sum");
    assert_eq!(readings(&trace, &problem.mask)[0], Reading::FullyMaskedRows { rows: vec![2] });
    assert_eq!(strongest_key(&trace, 3, 2), None);
    assert_ne!(strongest_query(&trace, 3), Some(2));
}

#[test]
fn the_story_adds_up() {
    let mut bias = Heads::zeros((1, 4, 4));
    bias[[0, 2, 1]] = -0.5;
    bias[[0, 2, 0]] = f32::NEG_INFINITY;
    let mask = Mask { causal: true, bias: Some(Rc::new(bias)), ..Mask::none() };
    let problem = Problem { temperature: 1.5, mask, ..toy_problem(OPENING, true) };
    let trace = engine_trace(&problem);
    for head in 0..8 {
        for query in 0..4 {
            let mut output = [0.0; 8];
            let (mut shares, mut lengths) = (Vec::new(), Vec::new());
            for key in 0..4 {
                let story = story(&trace, &problem, head, query, key).unwrap();
                let size = story.raw.abs().max(1.0);
                near(story.products.iter().map(|p| p.product).sum(), story.raw, 2e-6 * size);
                assert!(story.products.iter().all(|p| p.product == p.q * p.k));
                near(story.raw * story.scale, story.scaled, 1e-6 * size);
                near(story.scaled / story.temperature, story.tempered, 1e-6 * size);
                assert_eq!(story.permitted, key <= query && (query, key) != (2, 0));
                if story.permitted {
                    near(story.tempered + story.bias, story.masked, 1e-6 * size);
                    near(story.masked - story.row_max, story.exponent.unwrap(), 0.0);
                    near(story.exponent.unwrap().exp(), story.exp, 0.0);
                    near(story.exp / story.sum, story.weight, 1e-6);
                } else {
                    assert_eq!((story.exponent, story.exp, story.weight), (None, 0.0, 0.0));
                    assert_eq!(story.masked, f64::NEG_INFINITY);
                }
                for ((sum, part), value) in output.iter_mut().zip(&story.contribution).zip(&story.value) {
                    near(*part, story.weight * value, 0.0);
                    *sum += part;
                }
                shares.push(story.share.unwrap_or(0.0));
                lengths.push(story.contribution.iter().map(|part| part * part).sum::<f64>().sqrt());
                if key == 3 {
                    for (sum, want) in output.iter().zip(&story.output) {
                        near(*sum, *want, 1e-6);
                    }
                    let total = lengths.iter().sum::<f64>();
                    assert_eq!(story.share.is_some(), total > 0.0);
                    for (share, length) in shares.iter().zip(&lengths).filter(|_| total > 0.0) {
                        assert!((0.0..=1.0).contains(share));
                        near(*share, length / total, 1e-12);
                    }
                    near(shares.iter().sum(), if total > 0.0 { 1.0 } else { 0.0 }, 1e-12);
                }
            }
        }
    }
    let cell = story(&trace, &problem, 3, 2, 1).unwrap();
    assert_eq!(cell.bias, -0.5);
    for (side, stage, token) in [(Side::Query, Stage::Q, 2), (Side::Key, Stage::K, 1), (Side::Value, Stage::V, 1)] {
        for d in 0..8 {
            let terms = cell.terms(&problem, side, d).unwrap();
            assert!(terms.iter().all(|term| term.product != 0.0 && term.product == term.x * term.w));
            near(terms.iter().map(|t| t.product).sum(), f64::from(trace.at(stage, 3, token, d).unwrap()), 1e-5);
        }
        assert_eq!(cell.terms(&problem, side, 8), None);
    }
    // Dimension 0 of head 4: the verb asks. One term only, feature 4.
    let terms = cell.terms(&problem, Side::Query, 0).unwrap();
    assert_eq!(terms.iter().map(|term| term.index).collect::<Vec<_>>(), [4]);
    assert_eq!(story(&trace, &problem, 3, 4, 0), None);
    assert_eq!(story(&trace, &problem, 3, 0, 4), None);
    let given = scores_problem(&[1.0], 1.0);
    assert_eq!(story(&engine_trace(&given), &given, 0, 0, 0).unwrap().terms(&given, Side::Key, 0), None);
}

#[test]
fn outputs_decode_to_words_and_ties_are_ties() {
    let trace = engine_trace(&toy_problem(OPENING, true));
    let found = decode(&trace, 3, 2).unwrap();
    assert_eq!((found[0].key, found[0].rank, found[0].tied), (1, 1, false));
    near(found[0].cosine, 1.0, 1e-3);
    assert!(found[1..3].iter().all(|c| c.key >= 2 && (c.cosine - 0.25).abs() < 0.02), "{found:?}");
    assert_eq!(found.iter().map(|c| c.rank).collect::<Vec<_>>(), [1, 2, 3, 4]);
    // The codes of cat and chased are equal in these 8 bits, as the reference notes.
    let trace = engine_trace(&toy_problem(["<BOS>", "cat", "chased", "mouse"], true));
    let found = decode(&trace, 3, 2).unwrap();
    assert_eq!(found[..2].iter().map(|c| (c.key, c.rank, c.tied)).collect::<Vec<_>>(), [(1, 1, true), (2, 1, true)]);
    assert!(found[2].rank >= 3);
    let mut masked = toy_problem(OPENING, true);
    masked.mask.keys = Some([false; 4].into());
    assert_eq!(decode(&engine_trace(&masked), 3, 2), None, "an output of 0 points nowhere");
}

#[test]
fn the_selection_finds_something_to_see() {
    let trace = engine_trace(&toy_problem(OPENING, true));
    assert_eq!(strongest_key(&trace, 3, 2), Some(1));
    assert_eq!(strongest_key(&trace, 0, 2), Some(0), "the first of equals");
    assert_eq!((strongest_query(&trace, 3), strongest_query(&trace, 4)), (Some(2), Some(2)));
    assert_eq!(strongest_key(&trace, 7, 1), Some(0));
    // Every row of the sink points at key 0; one is chosen all the same.
    assert!(strongest_query(&trace, 7).is_some());
    assert_eq!(strongest_query(&trace, 8), None);
    assert_eq!(strongest_key(&trace, 0, 4), None);
    let causal = Problem { mask: Mask { causal: true, ..Mask::none() }, ..toy_problem(["猫", "追", "老鼠"], true) };
    assert_ne!(strongest_query(&engine_trace(&causal), 0), Some(0), "a row without a choice is not interesting");
}

#[test]
fn healthy_sentences_raise_no_alarm() {
    let golden: serde_json::Value = serde_json::from_str(include_str!("../golden/toy_model.json")).unwrap();
    for (sentence, case) in golden.as_object().unwrap() {
        let words = case["tokens"].as_array().unwrap().iter().map(|t| t.as_str().unwrap());
        let problem = toy_problem(words, true);
        for problem in [problem.clone(), Problem { mask: Mask { causal: true, ..Mask::none() }, ..problem }] {
            for reading in readings(&engine_trace(&problem), &problem.mask) {
                // What head 1 is made to be, and heads that look back by themselves; nothing else.
                let healthy = matches!(reading, Reading::Uniform { head: 0, .. })
                    || matches!(reading, Reading::IdleMask { .. }) && problem.mask.causal;
                assert!(healthy, "{sentence}: {reading:?}");
            }
        }
    }
    for d_k in [8, 64] {
        let problem = random_problem(d_k, 1.0);
        assert_eq!(readings(&oracle::trace(&problem).unwrap(), &problem.mask), [], "random weights, d_k {d_k}");
    }
}

/// Random weights on a sentence; scores are `times` larger than they should be.
fn random_problem(d_k: usize, times: f32) -> Problem {
    let words = "<BOS> The cat that chased the mouse was tired".split(' ');
    let mut x = embedding::embed(&super::golden::tokens(words), true);
    random_weights::normalise_rows(&mut x);
    let x = Rc::new(x);
    let weights = Rc::new(random_weights::weights(1, 4, d_k));
    let source = Source::Embedded { x_q: Rc::clone(&x), x_k: x, weights };
    let scale = times / f32::from(u16::try_from(d_k).unwrap()).sqrt();
    Problem { source, scale, temperature: 1.0, mask: Mask::none(), method: None }
}

#[test]
fn rows_that_ignore_their_query_are_read_as_identical() {
    // q = 1 for every query: rows (0.67, 0.24, 0.09), all alike, not uniform, and not resting on one key.
    let scores = |scores: &[f32]| {
        let mut problem = scores_problem(scores, 1.0);
        let Source::Given { q, .. } = &mut problem.source else { unreachable!() };
        *q = Rc::new(Heads::ones((1, 4, 1)));
        problem
    };
    let read = |problem: &Problem| readings(&engine_trace(problem), &problem.mask);
    assert_eq!(read(&scores(&[2.0, 1.0, 0.0])), [Reading::IdenticalRows { head: 0 }]);
    assert_eq!(read(&scores(&[9.0, 1.0, 0.0])), [], "resting on one key is what a sink does");
    let causal = Problem { mask: Mask { causal: true, ..Mask::none() }, ..scores(&[2.0, 1.0, 0.0]) };
    assert_eq!(read(&causal), [], "rows with different keys are not alike");
    assert!(matches!(read(&scores(&[1.0, 1.0, 1.0]))[..], [Reading::Uniform { .. }]));
}

#[test]
fn a_mask_that_takes_nothing_is_said_to_be_idle_and_one_that_takes_is_not() {
    let mut idle = 0;
    let golden: serde_json::Value = serde_json::from_str(include_str!("../golden/toy_model.json")).unwrap();
    for case in golden.as_object().unwrap().values() {
        let words: Vec<&str> = case["tokens"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
        let open = toy_problem(words.iter().copied(), true);
        let masked = Problem { mask: Mask { causal: true, ..Mask::none() }, ..open.clone() };
        let (without, with) = (oracle::trace(&open).unwrap(), engine_trace(&masked));
        let said = readings(&with, &masked.mask);
        for head in 0..8 {
            // The witness: what lies above the diagonal when nothing forbids it.
            let taken = (0..words.len())
                .map(|query| {
                    let row = without.rows(Stage::Weights, head, query..query + 1).unwrap();
                    row.iter().skip(query + 1).sum::<f64>()
                })
                .fold(0.0, f64::max);
            let found = statistics::taken_by_mask(&with, &masked.mask, head).unwrap();
            assert!((found - taken).abs() < 1e-5, "{words:?} head {head}: {found} for {taken}");
            assert_eq!(said.contains(&Reading::IdleMask { head }), taken < 0.005, "{words:?} head {head}: {taken}");
            idle += usize::from(taken < 0.005);
        }
        assert_eq!(statistics::taken_by_mask(&with, &open.mask, 0), None, "no mask takes nothing");
    }
    assert!((1..56).contains(&idle), "both kinds were seen: {idle}");
}

#[test]
fn a_missing_scale_is_read_as_saturation() {
    let problem = random_problem(64, 8.0);
    let found = readings(&engine_trace(&problem), &problem.mask);
    let saturated: Vec<_> = found.iter().filter(|r| matches!(r, Reading::Saturated { .. })).collect();
    assert!(!saturated.is_empty(), "{found:?}");
    for reading in saturated {
        let &Reading::Saturated { softness, deviation, times, .. } = reading else { unreachable!() };
        assert!(softness < 0.2 && deviation > 3.0, "{reading:?}");
        near(times, 8.0, 1e-3);
    }
    // The constructed model on the opening sentence, scale off: head 4 is one-hot.
    let problem = Problem { scale: 1.0, ..toy_problem(OPENING, true) };
    let found = readings(&engine_trace(&problem), &problem.mask);
    assert!(found.iter().any(|r| matches!(r, Reading::Saturated { head: 3, .. })), "{found:?}");
}

#[test]
fn a_difference_of_any_stage_is_what_it_is_called() {
    let a = engine_trace(&toy_problem(OPENING, true));
    let b = with_weights(&a, |weights| {
        let (one, three) = (weights[[3, 2, 1]], weights[[3, 2, 3]]);
        (weights[[3, 2, 1]], weights[[3, 2, 3]]) = (three, one);
    });
    let by = f64::from(a.at(Stage::Weights, 3, 2, 1).unwrap() - a.at(Stage::Weights, 3, 2, 3).unwrap());
    let (query, key, most) = compare(&a, &b, 3).unwrap().most().unwrap();
    assert!((query, [1, 3].contains(&key)) == (2, true), "{query}, {key}");
    near(most.abs(), by, 1e-6);
    assert_eq!(compare(&a, &a, 3).unwrap().most(), None, "nothing moved");
    let moved = difference(&a, &b, Stage::Weights, 3).unwrap();
    near(f64::from(moved[[2, 3]]), by, 1e-6);
    near(f64::from(moved[[2, 1]]), -by, 1e-6);
    // Infinities on both sides are no difference; on one side they are.
    let causal = Mask { causal: true, ..Mask::none() };
    let masked = engine_trace(&Problem { mask: causal, ..toy_problem(OPENING, true) });
    assert!(difference(&masked, &masked, Stage::Masked, 3).unwrap().iter().all(|x| *x == 0.0));
    assert_eq!(difference(&a, &masked, Stage::Masked, 3).unwrap()[[0, 1]], f32::NEG_INFINITY);
    let shorter = engine_trace(&toy_problem(["<BOS>", "猫", "追"], true));
    assert!(compare(&a, &shorter, 3).is_none() && difference(&a, &shorter, Stage::Raw, 3).is_none());
}
