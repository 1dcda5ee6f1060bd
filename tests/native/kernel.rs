//! The kernel's loops by themselves, against f64 and plain loops.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::conformance::cases::unit;
use attention_kernel::{BLOCK, SMALLEST, Summary, exp, softmax_rows};
use attention_lab::tensor::compare::all_close;
use attention_lab::tensor::random::SplitMix64;

/// Weights, entropy, largest score and 1/Σ of one row.
fn softmax_f64(scores: &[f32]) -> (Vec<f64>, f64, f64, f64) {
    let max = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let exps: Vec<f64> = scores.iter().map(|&score| (f64::from(score) - f64::from(max)).exp()).collect();
    let sum: f64 = exps.iter().sum();
    let weights: Vec<f64> = exps.iter().map(|e| e / sum).collect();
    let entropy = weights.iter().filter(|&&w| w > 0.0).map(|w| -w * w.ln()).sum();
    (weights, entropy, f64::from(max), 1.0 / sum)
}

/// Rows of different lengths in one call, as a causal mask makes them, around every group of four and eight; and empty ones.
#[test]
fn softmax_of_rows_of_every_length() {
    let mut random = SplitMix64::new(3);
    for width in [1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 40] {
        for count in [1, 2, 3, 4, 5, 8, BLOCK] {
            let lengths: Vec<usize> = (0..count).map(|row| (row * 5 + width) % (width + 1)).collect();
            let scores: Vec<f32> = (0..count * width).map(|_| 20.0 * unit(&mut random)).collect();
            let (mut rows, mut summaries) = (scores.clone(), [Summary::EMPTY; BLOCK]);
            assert!(softmax_rows(&mut rows, width, &lengths, &mut summaries));
            for (row, &length) in lengths.iter().enumerate() {
                let (got, summary) = (&rows[row * width..][..width], summaries[row]);
                assert!(got[length..].iter().all(|&weight| weight.to_bits() == 0), "a forbidden key has a weight");
                if length == 0 {
                    assert_eq!(summary, Summary::EMPTY);
                    continue;
                }
                let (weights, entropy, max, inverse) = softmax_f64(&scores[row * width..][..length]);
                all_close(got[..length].iter().copied(), weights, 1e-6, 1e-9).unwrap();
                let got = [summary.max, summary.inverse_sum, summary.entropy];
                all_close(got, [max, inverse, entropy], 2e-6, 2e-6).unwrap();
            }
        }
    }
}

/// A score that overflowed is seen wherever it stands, and rows in groups before it are weights.
#[test]
fn softmax_refuses_what_is_not_finite() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for width in [1, 3, 4, 8, 11, 16] {
            for at in 0..6 * width {
                let (mut rows, mut summaries) = (vec![0.5; 6 * width], [Summary::EMPTY; 6]);
                rows[at] = bad;
                assert!(!softmax_rows(&mut rows, width, &[width; 6], &mut summaries), "{bad} at {at} of {width}");
                assert_eq!(rows[at].to_bits(), bad.to_bits());
                // Behind what is permitted nobody looks.
                let mut lengths = [width; 6];
                lengths[at / width] = at % width;
                assert!(softmax_rows(&mut vec![0.5; 6 * width], width, &lengths, &mut summaries));
            }
        }
    }
}

/// Finite scores whose distance is no finite number: the far one has weight 0, and its share of the entropy is 0, not NaN.
#[test]
fn softmax_of_scores_farther_apart_than_f32_reaches() {
    let (mut rows, mut summaries) = ([3e38, -3e38, 3e38, -3e38, -3e38], [Summary::EMPTY; 1]);
    assert!(softmax_rows(&mut rows, 5, &[5], &mut summaries));
    assert_eq!(rows, [0.5, 0.0, 0.5, 0.0, 0.0]);
    assert!((summaries[0].entropy - std::f32::consts::LN_2).abs() < 1e-6, "{:?}", summaries[0]);
}

#[test]
fn exp_is_accurate_on_its_whole_range() {
    let mut worst = 0.0_f64;
    for step in 0..=218_000_u32 {
        #[expect(clippy::cast_possible_truncation, reason = "any f32 near by will do")]
        let x = (-f64::from(step) / 2_500.0) as f32;
        let want = f64::from(x).exp();
        worst = worst.max((f64::from(exp(x)) / want - 1.0).abs());
    }
    assert!(worst <= 3e-7, "relative error {worst}");
    assert_eq!((exp(0.0), exp(-0.0)), (1.0, 1.0));
    assert!(exp(SMALLEST) > 0.0);
    for x in [-87.34, -88.0, -104.0, -1e4, -3e38, f32::NEG_INFINITY] {
        assert_eq!(exp(x).to_bits(), 0, "exp({x})");
    }
}

/// Every size around the edges of tiles, panels, blocks and depths, with rows wider than what is used.
#[test]
fn kernel_is_a_matrix_product_for_every_size() {
    use attention_kernel::{BLOCK, Panels, Rows, SCRATCH, multiply, pack, pack_transposed, panels_len};
    let mut random = SplitMix64::new(1);
    let sizes = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33];
    let cases = sizes.iter().flat_map(|&depth| sizes.iter().map(move |&columns| (5, depth, depth, columns)));
    // Panels may be deeper than what is used of them; of nothing the sum is 0.
    let deep = [0, 1, 255, 256, 257, 300, 599].map(|used| (7, 600, used, 19));
    let all_rows = (1..=BLOCK).map(|rows| (rows, 6, 6, 13));
    for (rows, depth, used, columns) in cases.chain(deep).chain(all_rows) {
        let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| unit(&mut random)).collect() };
        let (width, spare) = (depth + 3, 2);
        let (a, b) = (numbers(rows * width), numbers(depth * columns));
        // Filled with NaN: every number must be written.
        let (mut panels, mut scratch) = (vec![f32::NAN; panels_len(depth, columns)], vec![f32::NAN; SCRATCH]);
        pack(&b, columns, &mut panels);
        let mut out = vec![f32::NAN; rows * (columns + spare)];
        let factor = Rows { numbers: &a, width, used };
        multiply(factor, Panels::new(&panels, depth), &mut out, columns + spare, columns, &mut scratch);
        for (row, out) in out.chunks_exact(columns + spare).enumerate() {
            let sum = |c: usize| (0..used).map(|m| f64::from(a[row * width + m]) * f64::from(b[m * columns + c])).sum();
            let want: Vec<f64> = (0..columns).map(sum).collect();
            all_close(out[..columns].iter().copied(), want, 2e-5, 0.0).unwrap();
            assert!(out[columns..].iter().all(|x| x.is_nan()), "written beside the columns");
        }
        let turned: Vec<f32> =
            (0..columns).flat_map(|c| (0..depth).map(move |m| (m, c))).map(|(m, c)| b[m * columns + c]).collect();
        let mut other = vec![f32::NAN; panels.len()];
        pack_transposed(&turned, depth, &mut other);
        assert_eq!(other, panels, "{depth} × {columns}");
    }
}

#[test]
fn logarithms_are_accurate() {
    assert_eq!(attention_kernel::ln(1.0), 0.0);
    for step in 0..200_000_u32 {
        #[expect(clippy::cast_possible_truncation, reason = "any f32 near by will do")]
        let x = (f64::from(step) / 5_000.0).exp() as f32;
        let (got, want) = (f64::from(attention_kernel::ln(x)), f64::from(x).ln());
        assert!((got - want).abs() <= 1.2e-7 * want.max(1.0), "ln {x}: {got}, not {want}");
    }
}
