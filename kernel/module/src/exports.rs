//! What the module computes. Arrays are addresses of f32 numbers, row-major; every size is in numbers.
//!
//! # Safety
//! Of every function here: each address is that of an array of the size said, placed with `reserve`, and arrays that are
//! written overlap no other. A wrong address reads or writes other numbers of this module's memory, or traps; it can't
//! reach beyond.

use crate::memory::{mark, release, reserve};
use attention_kernel::{Dense, Panels, Pool, Reach, SCRATCH, Sequence, Summary, dense_heads, panels_len, scratch_len};
use core::slice::{from_raw_parts, from_raw_parts_mut};

/// Numbers of an array at an address.
///
/// # Safety
/// See the module.
unsafe fn read<'a, T>(at: usize, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise; nothing reads at 0.
    unsafe { from_raw_parts(core::ptr::with_exposed_provenance(at), count) }
}

/// # Safety
/// See the module.
unsafe fn write<'a, T>(at: usize, count: usize) -> &'a mut [T] {
    // SAFETY: the caller's promise.
    unsafe { from_raw_parts_mut(core::ptr::with_exposed_provenance_mut(at), count) }
}

/// Numbers in the panels of `columns` columns of `depth` numbers.
#[unsafe(no_mangle)]
pub extern "C" fn panel_numbers(depth: usize, columns: usize) -> usize {
    panels_len(depth, columns)
}

/// Packs values `[n_k, d_v]` into `panels`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pack_values(v: usize, n_k: usize, d_v: usize, panels: usize) {
    // SAFETY: the caller's promise.
    let (v, panels) = unsafe { (read(v, n_k * d_v), write(panels, panels_len(n_k, d_v))) };
    attention_kernel::pack(v, d_v, panels);
}

/// Packs keys `[n_k, d_k]` into `panels`.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pack_keys(k: usize, n_k: usize, d_k: usize, panels: usize) {
    // SAFETY: the caller's promise.
    let (k, panels) = unsafe { (read(k, n_k * d_k), write(panels, panels_len(d_k, n_k))) };
    attention_kernel::pack_transposed(k, d_k, panels);
}

/// Sizes and arrays of dense attention over some heads, as the caller writes them: 32-bit words in this order.
#[repr(C)]
pub struct DenseCall {
    heads: usize,
    n_q: usize,
    n_k: usize,
    d_k: usize,
    d_v: usize,
    scale: f32,
    temperature: f32,
    before: usize,
    after: usize,
    q: usize,
    k: usize,
    v: usize,
    weights: usize,
    output: usize,
    statistics: usize,
}

/// Weights `[heads, n_q, n_k]`, output `[heads, n_q, d_v]` and statistics `[heads, n_q, 3]` (max, 1/Σ, entropy).
///
/// 1 when done; 0 when a permitted score was infinite or NaN; −1 without memory for about n_k × (d_k + d_v) numbers more.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn attention(call: usize) -> i32 {
    // SAFETY: the caller's promise.
    let call: &DenseCall = unsafe { &read(call, 1)[0] };
    let DenseCall { heads, n_q, n_k, d_k, d_v, scale, temperature, before, after, .. } = *call;
    let mark = mark();
    let (k_len, v_len) = (panels_len(d_k, n_k), panels_len(n_k, d_v));
    let scratch = reserve(4 * (k_len + v_len + SCRATCH));
    if scratch == 0 {
        return -1;
    }
    // SAFETY: the caller's promise, and the array just reserved.
    let done = unsafe {
        let input = Dense {
            q: read(call.q, heads * n_q * d_k),
            k: read(call.k, heads * n_k * d_k),
            v: read(call.v, heads * n_k * d_v),
            sizes: [n_q, n_k, d_k, d_v],
            scale,
            temperature,
            reach: Reach { before, after },
        };
        dense_heads(
            &input,
            write(call.weights, heads * n_q * n_k),
            write(call.output, heads * n_q * d_v),
            write(call.statistics, heads * n_q),
            write(scratch, k_len + v_len + SCRATCH),
        )
    };
    release(mark);
    i32::from(done)
}

/// One head of a long sequence, as the caller writes it: 32-bit words in this order. `k` and `v` are panels; `scratch` has
/// [`scratch_numbers`].
#[repr(C)]
pub struct LongCall {
    n_q: usize,
    n_k: usize,
    d_k: usize,
    d_v: usize,
    scale: f32,
    temperature: f32,
    before: usize,
    after: usize,
    q: usize,
    k: usize,
    v: usize,
    scratch: usize,
}

impl LongCall {
    /// # Safety
    /// See the module.
    unsafe fn open<'a>(at: usize) -> (Sequence<'a>, &'a mut [f32]) {
        // SAFETY: the caller's promise.
        unsafe {
            let call: &Self = &read(at, 1)[0];
            let Self { n_q, n_k, d_k, d_v, scale, temperature, before, after, .. } = *call;
            let sequence = Sequence {
                q: read(call.q, n_q * d_k),
                k: Panels::new(read(call.k, panels_len(d_k, n_k)), d_k),
                v: Panels::new(read(call.v, panels_len(n_k, d_v)), n_k),
                n_k,
                d_v,
                scale,
                temperature,
                reach: Reach { before, after },
            };
            (sequence, write(call.scratch, scratch_len(n_k)))
        }
    }
}

/// A grid of cells over some queries and keys, as the caller writes it: 32-bit words in this order. `mean` and `max` are
/// `[rows, columns]`, zeros at the start.
#[repr(C)]
pub struct Grid {
    first_query: usize,
    queries: usize,
    first_key: usize,
    keys: usize,
    rows: usize,
    columns: usize,
    mean: usize,
    max: usize,
}

impl Grid {
    /// # Safety
    /// See the module.
    unsafe fn open<'a>(at: usize) -> Pool<'a> {
        // SAFETY: the caller's promise.
        unsafe {
            let grid: &Self = &read(at, 1)[0];
            Pool {
                queries: grid.first_query..grid.first_query + grid.queries,
                keys: grid.first_key..grid.first_key + grid.keys,
                columns: grid.columns,
                mean: write(grid.mean, grid.rows * grid.columns),
                max: write(grid.max, grid.rows * grid.columns),
            }
        }
    }
}

/// Numbers of scratch memory for a sequence of `n_k` keys.
#[unsafe(no_mangle)]
pub extern "C" fn scratch_numbers(n_k: usize) -> usize {
    scratch_len(n_k)
}

/// Rows `first` to `first + count` of a long sequence: statistics `[count, 3]` (max, 1/Σ, entropy), their output
/// `[count, d_v]` unless `output` is 0, and, unless `grid` is 0, their part of a pooled map. 1 when done, 0 when a permitted
/// score was infinite or NaN.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rows(
    call: usize,
    first: usize,
    count: usize,
    statistics: usize,
    output: usize,
    grid: usize,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        let (sequence, scratch) = LongCall::open(call);
        let output = (output != 0).then(|| write(output, count * sequence.d_v));
        let mut pool = (grid != 0).then(|| Grid::open(grid));
        i32::from(sequence.rows(first, write(statistics, count), output, pool.as_mut(), scratch))
    }
}

/// The weights of a rectangle, `[queries, keys]`, from the statistics of its rows.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rectangle(
    call: usize,
    first_query: usize,
    queries: usize,
    first_key: usize,
    keys: usize,
    statistics: usize,
    out: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let (sequence, scratch) = LongCall::open(call);
        let (summaries, out) = (read::<Summary>(statistics, queries), write(out, queries * keys));
        let (of_queries, of_keys) = (first_query..first_query + queries, first_key..first_key + keys);
        sequence.rectangle(of_queries, of_keys, summaries, out, scratch);
    }
}

/// The weights of a grid's queries and keys, from the statistics of these queries, pooled into it.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pooled(call: usize, statistics: usize, grid: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let ((sequence, scratch), mut pool) = (LongCall::open(call), Grid::open(grid));
        sequence.pooled(read::<Summary>(statistics, pool.queries.len()), &mut pool, scratch);
    }
}

/// The innermost loop alone, on numbers in the first cache: `times` tiles of 4 × 8 sums of 64 terms. For measuring what
/// part of it the whole reaches. `a` is `[64, 4]`, `b` `[64, 8]`, `out` `[4, 8]`, which is added to.
///
/// # Safety
/// See the module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tiles(times: usize, a: usize, b: usize, out: usize) {
    // SAFETY: the caller's promise.
    let (a, b, out) = unsafe { (read(a, 64 * 4), read(b, 64 * 8), write(out, 4 * 8)) };
    for _ in 0..times {
        attention_kernel::one_tile(a, b, out);
    }
}
