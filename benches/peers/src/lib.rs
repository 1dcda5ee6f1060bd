//! Attention by other crates, each behind a feature, under one interface: `reserve`, `release` and `attention`.
//!
//! Written as a careful user of each crate would: contiguous arrays, no copies that its interface does not ask for.

use std::alloc::{Layout, alloc, dealloc};

const ALIGN: usize = 64;

/// Memory for `bytes` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut u8 {
    let layout = Layout::from_size_align(bytes.max(ALIGN), ALIGN).expect("a size that fits");
    // SAFETY: the layout is not empty.
    unsafe { alloc(layout) }
}

/// Gives back what [`reserve`] gave for the same number of bytes.
///
/// # Safety
/// `at` came from `reserve(bytes)` and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(at: *mut u8, bytes: usize) {
    let layout = Layout::from_size_align(bytes.max(ALIGN), ALIGN).expect("a size that fits");
    // SAFETY: the caller's promise.
    unsafe { dealloc(at, layout) }
}

/// weights `w` `[h, n, n]` and output `o` `[h, n, d]` of q, k and v `[h, n, d]`.
///
/// # Safety
/// The five pointers are to that many numbers, which do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn attention(
    h: usize,
    n: usize,
    d: usize,
    scale: f32,
    q: *const f32,
    k: *const f32,
    v: *const f32,
    w: *mut f32,
    o: *mut f32,
) {
    // SAFETY: the caller's promise.
    let (q, k, v, w, o) = unsafe {
        (
            std::slice::from_raw_parts(q, h * n * d),
            std::slice::from_raw_parts(k, h * n * d),
            std::slice::from_raw_parts(v, h * n * d),
            std::slice::from_raw_parts_mut(w, h * n * n),
            std::slice::from_raw_parts_mut(o, h * n * d),
        )
    };
    peer::attention([h, n, d], scale, [q, k, v], w, o);
}

#[cfg(feature = "candle")]
mod peer {
    use candle_core::{Device, Storage, Tensor};

    pub fn attention([h, n, d]: [usize; 3], scale: f32, inputs: [&[f32]; 3], w: &mut [f32], o: &mut [f32]) {
        let [q, k, v] = inputs.map(|x| Tensor::from_slice(x, (h, n, d), &Device::Cpu).expect("that many numbers"));
        let scores = (q.matmul(&k.t().expect("a matrix")).expect("shapes agree") * f64::from(scale)).expect("a number");
        let weights = candle_nn::ops::softmax_last_dim(&scores).expect("a last dimension");
        copy(&weights.matmul(&v).expect("shapes agree"), o);
        copy(&weights, w);
    }

    fn copy(tensor: &Tensor, to: &mut [f32]) {
        let (storage, _) = tensor.storage_and_layout();
        if let Storage::Cpu(numbers) = &*storage {
            to.copy_from_slice(numbers.as_slice().expect("f32 numbers"));
        }
    }
}

#[cfg(any(feature = "gemm", feature = "ndarray"))]
fn softmax(rows: &mut [f32], n: usize) {
    for row in rows.chunks_exact_mut(n) {
        let max = row.iter().fold(f32::NEG_INFINITY, |max, &x| max.max(x));
        let mut sum = 0.0;
        for x in row.iter_mut() {
            *x = (*x - max).exp();
            sum += *x;
        }
        let inverse = 1.0 / sum;
        row.iter_mut().for_each(|x| *x *= inverse);
    }
}

#[cfg(feature = "gemm")]
mod peer {
    use gemm::{Parallelism, gemm};

    pub fn attention([h, n, d]: [usize; 3], scale: f32, inputs: [&[f32]; 3], w: &mut [f32], o: &mut [f32]) {
        let [q, k, v] = inputs.map(<[f32]>::as_ptr);
        let (rows, wide) = (n.cast_signed(), d.cast_signed());
        let one = Parallelism::None;
        for head in 0..h {
            let (at, cells) = (head * n * d, head * n * n);
            let w = w[cells..].as_mut_ptr();
            // SAFETY: n × d numbers of one head, and n × n of its weights.
            unsafe { gemm(n, n, d, w, 1, rows, false, q.add(at), 1, wide, k.add(at), wide, 1, 0.0, scale, false, false, false, one) };
        }
        super::softmax(w, n);
        for head in 0..h {
            let (at, cells) = (head * n * d, head * n * n);
            let (w, o) = (w[cells..].as_ptr(), o[at..].as_mut_ptr());
            // SAFETY: as above.
            unsafe { gemm(n, d, n, o, 1, wide, false, w, 1, rows, v.add(at), 1, wide, 0.0, 1.0, false, false, false, one) };
        }
    }
}

#[cfg(feature = "ndarray")]
mod peer {
    use ndarray::linalg::general_mat_mul;
    use ndarray::{ArrayView2, ArrayViewMut2};

    pub fn attention([h, n, d]: [usize; 3], scale: f32, inputs: [&[f32]; 3], w: &mut [f32], o: &mut [f32]) {
        for head in 0..h {
            let [q, k, _] = inputs.map(|x| {
                ArrayView2::from_shape((n, d), &x[head * n * d..][..n * d]).expect("that many numbers")
            });
            let cells = &mut w[head * n * n..][..n * n];
            let mut cells = ArrayViewMut2::from_shape((n, n), cells).expect("that many numbers");
            general_mat_mul(scale, &q, &k.t(), 0.0, &mut cells);
        }
        super::softmax(w, n);
        for head in 0..h {
            let v = ArrayView2::from_shape((n, d), &inputs[2][head * n * d..][..n * d]).expect("that many numbers");
            let w = ArrayView2::from_shape((n, n), &w[head * n * n..][..n * n]).expect("that many numbers");
            let o = ArrayViewMut2::from_shape((n, d), &mut o[head * n * d..][..n * d]);
            general_mat_mul(1.0, &w, &v, 0.0, &mut o.expect("that many numbers"));
        }
    }
}
