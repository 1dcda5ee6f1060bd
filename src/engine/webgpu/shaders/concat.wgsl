// concat_ic = head_output of head c ÷ d_v, row i, column c mod d_v: the heads side by side.
//
// Shapes, padded to multiples of 4 with zeros:
//   head_output  [heads of this block, n_q, d_v]
//   concat       [n_q, heads · d_v]
// One invocation writes one number. Bounds: ids beyond `to_column` and `rows` return; columns beyond `columns` are padding
// and get 0.
struct Sizes {
  rows: u32,         // n_q, padded
  columns: u32,      // heads · d_v
  padded: u32,       // columns of concat, padded
  width: u32,        // d_v
  padded_width: u32,
  first_head: u32,   // of this block
  from_column: u32,  // the block's columns, with the padding after the last
  to_column: u32,
}

override SIDE: u32 = 8;

@group(0) @binding(0) var<uniform> sizes: Sizes;
@group(0) @binding(1) var<storage, read> head_output: array<f32>;
@group(0) @binding(2) var<storage, read_write> concat: array<f32>;

@compute @workgroup_size(SIDE, SIDE)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let column = sizes.from_column + id.x;
  let row = id.y;
  if (column >= sizes.to_column || row >= sizes.rows) {
    return;
  }
  var number = 0.0;
  if (column < sizes.columns) {
    let head = column / sizes.width - sizes.first_head;
    number = head_output[(head * sizes.rows + row) * sizes.padded_width + column % sizes.width];
  }
  concat[row * sizes.padded + column] = number;
}
