// out_b = a_b · w_b for every matrix b of a stack.
//
// Shapes, padded to multiples of 4 with zeros, four columns to a vec4:
//   a    [stack or 1, rows, inner]     `a_step` 0: one matrix for all (x of a projection)
//   w    [stack, inner, columns]
//   out  [stack, rows, columns]
// One invocation computes a tile of 4 rows by 4 columns in named registers: arrays that are indexed, and barriers,
// are many times slower on software adapters, and no device needs them here.
// Bounds: ids beyond `columns` and `tiles` return; every other access lies inside by the padding.
struct Sizes {
  tiles: u32,       // rows / 4
  inner: u32,       // vec4s in a row of a
  columns: u32,     // vec4s in a row of w and of out
  a_step: u32,      // vec4s from one matrix of a to the next
  first_tile: u32,  // where this dispatch begins
  first_batch: u32,
}

override SIDE: u32 = 8;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> a: array<vec4f>;
@group(0) @binding(2) var<storage, read> w: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(SIDE, SIDE)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  let tile = sizes.first_tile + id.y;
  let batch = sizes.first_batch + id.z;
  if (column >= sizes.columns || tile >= sizes.tiles) {
    return;
  }
  let inner = sizes.inner;
  let step = sizes.columns;
  var from_a = batch * sizes.a_step + tile * 4u * inner;
  var from_w = batch * inner * 4u * step + column;
  var s0 = vec4f();
  var s1 = vec4f();
  var s2 = vec4f();
  var s3 = vec4f();
  for (var m = 0u; m < inner; m++) {
    let four = mat4x4f(w[from_w], w[from_w + step], w[from_w + 2u * step], w[from_w + 3u * step]);
    s0 += four * a[from_a];
    s1 += four * a[from_a + inner];
    s2 += four * a[from_a + 2u * inner];
    s3 += four * a[from_a + 3u * inner];
    from_a++;
    from_w += 4u * step;
  }
  let to = (batch * sizes.tiles + tile) * 4u * step + column;
  out[to] = s0;
  out[to + step] = s1;
  out[to + 2u * step] = s2;
  out[to + 3u * step] = s3;
}
