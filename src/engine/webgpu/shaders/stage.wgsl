// One stage between raw scores and softmax, where somebody wants to see it:
//   STAGE 1  scaled_ij   = raw_ij × scale
//   STAGE 2  tempered_ij = scaled_ij ÷ temperature
//   STAGE 3  masked_ij   = tempered_ij + bias_ij; the host records −∞ where the mask forbids, no arithmetic here sees it
//
// Shapes, padded to multiples of 4, four columns to a vec4:
//   raw, out  [heads, n_q, n_k]
//   bias      [1 or heads, n_q, n_k]; without BIAS any buffer, which is not read
// One invocation computes four neighbouring keys. Bounds: ids beyond `keys` and `rows` return.
struct Sizes {
  rows: u32,       // n_q, padded
  keys: u32,       // n_k / 4
  bias_step: u32,  // vec4s from one head's bias to the next; 0: one for all
  scale: f32,
  temperature: f32,
  first_row: u32,  // where this dispatch begins
  first_batch: u32,
}

override SIDE: u32 = 8;
override STAGE: u32 = 1;
override BIAS: bool = false;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> raw: array<vec4f>;
@group(0) @binding(2) var<storage, read> bias: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(SIDE, SIDE)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  let row = sizes.first_row + id.y;
  let batch = sizes.first_batch + id.z;
  if (column >= sizes.keys || row >= sizes.rows) {
    return;
  }
  let in_head = row * sizes.keys + column;
  let at = batch * sizes.rows * sizes.keys + in_head;
  var score = raw[at] * sizes.scale;
  if (STAGE >= 2u) {
    score = score / sizes.temperature;
  }
  if (STAGE >= 3u && BIAS) {
    score += bias[batch * sizes.bias_step + in_head];
  }
  out[at] = score;
}
