// Softmax of every row over its permitted keys, and what is known of the row:
//   s_j = raw_j × scale ÷ temperature + bias_j
//   m = max s_j,  e_j = exp(s_j − m),  Σ = sum of e_j        over permitted keys only
//   weights_j = e_j ÷ Σ where permitted, 0 elsewhere
//   entropy = −Σ_j w_j ln w_j = ln Σ − (sum of e_j (s_j − m)) ÷ Σ
// A row that permits nothing has weights 0 and statistics 0.
//
// Shapes, padded to multiples of 4, four columns to a vec4:
//   raw, weights  [heads, n_q, n_k]
//   permitted     [1 or heads, n_q, n_k] bits, 32 keys to a word, low bits first, rows to whole words; read where MASK is 2
//   bias          [1 or heads, n_q, n_k], finite; read with BIAS
//   statistics    [heads, n_q] of (m, 1 ÷ Σ, entropy, number of permitted keys)
// The mask is a predicate (MASK 0: none, 1: key ≤ query, 2: bits): a forbidden score enters no maximum and no sum, and no
// infinity enters anything. One invocation computes a row. Bounds: ids beyond `padded_rows` return; rows beyond `rows`
// are padding and permit nothing; keys beyond `keys` are never permitted.
struct Sizes {
  rows: u32,         // n_q
  padded_rows: u32,
  keys: u32,         // n_k
  columns: u32,      // n_k / 4, rounded up
  bits_step: u32,    // words from one head's bits to the next; 0: one for all
  bits_row: u32,     // words of a row of bits
  bias_step: u32,    // vec4s from one head's bias to the next; 0: one for all
  scale: f32,
  temperature: f32,
  first_row: u32,    // where this dispatch begins
  first_batch: u32,
}

override WIDTH: u32 = 32;
override MASK: u32 = 0;
override BIAS: bool = false;

// exp of anything lower is 0 in f32.
const SMALLEST: f32 = -87.33654;
const LOWEST: f32 = -3.4028234e38;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> raw: array<vec4f>;
@group(0) @binding(2) var<storage, read> permitted: array<u32>;
@group(0) @binding(3) var<storage, read> bias: array<vec4f>;
@group(0) @binding(4) var<storage, read_write> weights: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> statistics: array<vec4f>;

// Which of the four keys of `column` query `row` may attend to; `bits` is where the row's bits begin.
fn may(row: u32, column: u32, bits: u32) -> vec4<bool> {
  let key = vec4u(column * 4u) + vec4u(0u, 1u, 2u, 3u);
  if (MASK == 1u) {
    return key <= vec4u(min(row, sizes.keys - 1u));
  }
  if (MASK == 2u) {
    let four = permitted[bits + column / 8u] >> (column % 8u * 4u);
    return (vec4u(four) & vec4u(1u, 2u, 4u, 8u)) != vec4u();
  }
  return key < vec4u(sizes.keys);
}

fn score(at: u32, bias_at: u32) -> vec4f {
  var s = raw[at] * sizes.scale / sizes.temperature;
  if (BIAS) {
    s += bias[bias_at];
  }
  return s;
}

@compute @workgroup_size(WIDTH)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let row = sizes.first_row + id.x;
  let batch = sizes.first_batch + id.y;
  if (row >= sizes.padded_rows) {
    return;
  }
  let columns = sizes.columns;
  let at_row = batch * sizes.padded_rows + row;
  let at = at_row * columns;
  let bias_at = batch * sizes.bias_step + row * columns;
  let bits = batch * sizes.bits_step + row * sizes.bits_row;
  let real = row < sizes.rows;

  var largest = vec4f(LOWEST);
  var counts = vec4u();
  for (var j = 0u; j < columns && real; j++) {
    let here = may(row, j, bits);
    largest = select(largest, max(largest, score(at + j, bias_at + j)), here);
    counts += select(vec4u(), vec4u(1u), here);
  }
  let count = counts.x + counts.y + counts.z + counts.w;
  if (count == 0u) {
    for (var j = 0u; j < columns; j++) {
      weights[at + j] = vec4f();
    }
    statistics[at_row] = vec4f();
    return;
  }
  let most = max(max(largest.x, largest.y), max(largest.z, largest.w));
  var sums = vec4f();
  var spreads = vec4f();
  for (var j = 0u; j < columns; j++) {
    let below = score(at + j, bias_at + j) - most;
    let e = select(vec4f(), exp(below), may(row, j, bits) & (below >= vec4f(SMALLEST)));
    sums += e;
    spreads += select(vec4f(), e * below, e > vec4f());
    weights[at + j] = e;
  }
  let sum = sums.x + sums.y + sums.z + sums.w;
  let inverse = 1.0 / sum;
  for (var j = 0u; j < columns; j++) {
    weights[at + j] *= inverse;
  }
  let entropy = log(sum) - (spreads.x + spreads.y + spreads.z + spreads.w) * inverse;
  statistics[at_row] = vec4f(most, inverse, max(entropy, 0.0), f32(count));
}
