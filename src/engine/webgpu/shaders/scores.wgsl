// raw_ij = Σ_c q_ic k_jc: the dot product of every query with every key, head by head.
//
// Shapes, padded to multiples of 4 with zeros, four columns to a vec4:
//   q    [heads, n_q, d_k]
//   k    [heads, n_k, d_k]
//   raw  [heads, n_q, n_k]
// One invocation computes 4 queries by 4 keys in named registers (see product.wgsl).
// Bounds: ids beyond `keys` and `tiles` return; every other access lies inside by the padding.
struct Sizes {
  tiles: u32,       // n_q / 4
  keys: u32,        // n_k / 4
  inner: u32,       // vec4s in a row of q and of k
  first_tile: u32,  // where this dispatch begins
  first_batch: u32,
}

override SIDE: u32 = 8;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> q: array<vec4f>;
@group(0) @binding(2) var<storage, read> k: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> raw: array<vec4f>;

@compute @workgroup_size(SIDE, SIDE)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  let tile = sizes.first_tile + id.y;
  let batch = sizes.first_batch + id.z;
  if (column >= sizes.keys || tile >= sizes.tiles) {
    return;
  }
  let inner = sizes.inner;
  var from_q = (batch * sizes.tiles + tile) * 4u * inner;
  var from_k = (batch * sizes.keys + column) * 4u * inner;
  var s0 = vec4f();
  var s1 = vec4f();
  var s2 = vec4f();
  var s3 = vec4f();
  for (var c = 0u; c < inner; c++) {
    let k0 = k[from_k];
    let k1 = k[from_k + inner];
    let k2 = k[from_k + 2u * inner];
    let k3 = k[from_k + 3u * inner];
    let q0 = q[from_q];
    let q1 = q[from_q + inner];
    let q2 = q[from_q + 2u * inner];
    let q3 = q[from_q + 3u * inner];
    s0 += vec4f(dot(q0, k0), dot(q0, k1), dot(q0, k2), dot(q0, k3));
    s1 += vec4f(dot(q1, k0), dot(q1, k1), dot(q1, k2), dot(q1, k3));
    s2 += vec4f(dot(q2, k0), dot(q2, k1), dot(q2, k2), dot(q2, k3));
    s3 += vec4f(dot(q3, k0), dot(q3, k1), dot(q3, k2), dot(q3, k3));
    from_q++;
    from_k++;
  }
  let step = sizes.keys;
  let to = (batch * sizes.tiles + tile) * 4u * step + column;
  raw[to] = s0;
  raw[to + step] = s1;
  raw[to + 2u * step] = s2;
  raw[to + 3u * step] = s3;
}
