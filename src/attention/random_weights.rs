//! Seeded random projections: what attention looks like before anything was learned or constructed.

use super::D_MODEL;
use super::embedding::rounded;
use super::problem::Weights;
use crate::tensor::Matrix;
use crate::tensor::random::SplitMix64;

/// Half the width of a uniform distribution of variance 1/64: √(3/64). With x of root mean square 1 it gives q and k
/// of variance 1, so that raw scores spread by about √d_k.
const HALF_WIDTH: f32 = 0.216_506_35;

/// Uniform weights of variance 1/64 from SplitMix64(seed), in the order Q, K, V, O, row-major, d_v = d_k.
#[must_use]
pub fn weights(seed: u32, heads: usize, d_k: usize) -> Weights {
    let mut random = SplitMix64::new(u64::from(seed));
    // The fields of a struct expression are evaluated in the order written: Q, K, V, O.
    Weights {
        heads,
        w_q: matrix(&mut random, D_MODEL, heads * d_k),
        w_k: matrix(&mut random, D_MODEL, heads * d_k),
        w_v: matrix(&mut random, D_MODEL, heads * d_k),
        w_o: matrix(&mut random, heads * d_k, D_MODEL),
    }
}

/// W_Q = W_K = W_V = W_O = I: every head sees its own slice of ⌊64 ÷ h⌋ numbers of x, as it is. At most 64 heads.
#[must_use]
pub fn identity(heads: usize) -> Weights {
    let heads = heads.clamp(1, D_MODEL);
    let width = D_MODEL / heads * heads;
    let one = |rows, columns| Matrix::from_shape_fn((rows, columns), |(i, j)| if i == j { 1.0 } else { 0.0 });
    let w = one(D_MODEL, width);
    Weights { heads, w_q: w.clone(), w_k: w.clone(), w_v: w, w_o: one(width, D_MODEL) }
}

fn matrix(random: &mut SplitMix64, rows: usize, columns: usize) -> Matrix<f32> {
    Matrix::from_shape_simple_fn((rows, columns), || (2.0 * random.next_unit() - 1.0) * HALF_WIDTH)
}

/// Scales every row of x to a root mean square of 1; a row of zeros stays as it is.
#[expect(clippy::cast_precision_loss, reason = "widths are small")]
pub fn normalise_rows(x: &mut Matrix<f32>) {
    for mut row in x.rows_mut() {
        let mean_square = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / row.len().max(1) as f64;
        if mean_square > 0.0 {
            let root = mean_square.sqrt();
            row.mapv_inplace(|x| rounded(f64::from(x) / root));
        }
    }
}
