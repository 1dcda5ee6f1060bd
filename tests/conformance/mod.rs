//! What every engine must answer: cases, and checks of an answer against the f64 oracle. Knows no engine.
//!
//! A runner asks its engine for [`Want::everything`] of each of [`cases::all`] and hands the trace to [`check`]. The native
//! tests do so with the CPU engine on the host, the browser tests with the CPU engine's simd128 code and with WebGPU.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

pub mod cases;

use attention_lab::attention::{Mask, Trace, oracle};
use attention_lab::tensor::compare::all_close;
use cases::Case;

/// Every stage and statistic of an engine's answer to a case against the oracle, and the laws of its rows.
pub fn check(case: &Case, trace: &Trace<f32>) {
    let truth = oracle::trace(&case.problem).unwrap();
    agree(&case.name, trace, &truth, case.absolute, case.relative);
    rows_hold(&case.name, trace, &case.problem.mask);
}

/// Every stage and statistic of an engine against the oracle, within `absolute + relative × |oracle|`; a NaN never passes.
pub fn agree(what: &str, engine: &Trace<f32>, oracle: &Trace<f64>, absolute: f64, relative: f64) {
    assert_eq!(engine.shape, oracle.shape, "{what}");
    let (got, want) = (engine.top().unwrap(), oracle.top().unwrap());
    macro_rules! same {
        ($($stage:ident),*) => {$(
            match (got.$stage.get(), want.$stage.get()) {
                (Some(got), Some(want)) => {
                    assert_eq!(got.shape(), want.shape(), "{what}, {}", stringify!($stage));
                    if let Err(e) = all_close(got.iter().copied(), want.iter().copied(), absolute, relative) {
                        panic!("{what}, {}: {e}", stringify!($stage));
                    }
                }
                (got, want) => assert_eq!(got.is_some(), want.is_some(), "{what}, {}", stringify!($stage)),
            }
        )*};
    }
    same!(x_query, x_key, q, k, v, raw, scaled, tempered, masked, weights, head_output, concat, output);
    for (name, got, want) in [
        ("max", &got.rows.max, &want.rows.max),
        ("inverse_sum", &got.rows.inverse_sum, &want.rows.inverse_sum),
        ("entropy", &got.rows.entropy, &want.rows.entropy),
    ] {
        assert_eq!(got.shape(), want.shape());
        if let Err(e) = all_close(got.iter().copied(), want.iter().copied(), absolute, relative) {
            panic!("{what}, {name}: {e}");
        }
    }
    assert_eq!(got.rows.permitted, want.rows.permitted, "{what}");
}

/// Weights of a row sum to 1 over its permitted keys, are exactly 0 elsewhere, and all 0 where no key is permitted.
pub fn rows_hold(what: &str, trace: &Trace<f32>, mask: &Mask) {
    let shape = trace.shape;
    let layer = trace.top().unwrap();
    let weights = layer.weights.get().unwrap();
    for head in 0..shape.heads {
        for query in 0..shape.n_q {
            let mut may = vec![false; shape.n_k];
            mask.fill_row(head, query, &mut may);
            let mut sum = 0.0;
            for (key, &may) in may.iter().enumerate() {
                let weight = weights[[head, query, key]];
                assert!(may || weight == 0.0, "{what}: a forbidden key has weight {weight}");
                assert!((0.0..=1.0 + 1e-6).contains(&weight), "{what}: weight {weight}");
                sum += f64::from(weight);
            }
            let permitted = may.iter().filter(|&&may| may).count();
            let want = if permitted == 0 { 0.0 } else { 1.0 };
            assert!((sum - want).abs() <= 2e-6, "{what}: row {query} of head {head} sums to {sum}");
            let entropy = layer.rows.entropy[[head, query]];
            let most = f64::from(u32::try_from(permitted.max(1)).unwrap()).ln() + 1e-5;
            assert!(entropy >= 0.0 && f64::from(entropy) <= most, "{what}: entropy {entropy}");
        }
    }
}
