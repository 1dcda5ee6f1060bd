// The attention graph for onnxruntime-web, written as ONNX's own bytes: Transpose, MatMul, Mul, Softmax, MatMul on [h, n, d].
// Owns the few protobuf fields that it needs (onnx.proto3: ModelProto and what hangs on it).

const varint = (value) => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return [...bytes, value];
};
const number = (field, value) => [...varint(field * 8), ...varint(value)];
const bytes = (field, body) => [...varint(field * 8 + 2), ...varint(body.length), ...body];
const text = (field, string) => bytes(field, [...new TextEncoder().encode(string)]);
const parts = (field, list) => list.flatMap((body) => bytes(field, body));

const FLOAT = 1; // TensorProto.DataType
const INTS = 7; // AttributeProto.AttributeType
const INT = 2;

const attributeInts = (name, values) => [...text(1, name), ...values.flatMap((value) => number(8, value)), ...number(20, INTS)];
const attributeInt = (name, value) => [...text(1, name), ...varint(3 * 8), ...int64(value), ...number(20, INT)];
// Negative numbers are ten bytes of two's complement.
const int64 = (value) => {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out = [];
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  return [...out, Number(rest)];
};
const node = (operator, inputs, outputs, attributes = []) => [
  ...inputs.flatMap((name) => text(1, name)),
  ...outputs.flatMap((name) => text(2, name)),
  ...text(4, operator),
  ...parts(5, attributes),
];
// ValueInfoProto: name, TypeProto{tensor_type{elem_type, shape{dim{dim_param}}}}
const value = (name, sizes) => {
  const shape = sizes.flatMap((size) => bytes(1, text(2, size)));
  return [...text(1, name), ...bytes(2, bytes(1, [...number(1, FLOAT), ...bytes(2, shape)]))];
};

/** The model: inputs q, k, v `[h, n, d]` and scale `[]`, outputs w `[h, n, n]` and o `[h, n, d]`. */
export function attentionModel() {
  const wide = ["h", "n", "d"];
  const graph = [
    ...parts(1, [
      node("Transpose", ["k"], ["kt"], [attributeInts("perm", [0, 2, 1])]),
      node("MatMul", ["q", "kt"], ["raw"]),
      node("Mul", ["raw", "scale"], ["scores"]),
      node("Softmax", ["scores"], ["w"], [attributeInt("axis", -1)]),
      node("MatMul", ["w", "v"], ["o"]),
    ]),
    ...text(2, "attention"),
    ...parts(11, [value("q", wide), value("k", wide), value("v", wide), value("scale", [])]),
    ...parts(12, [value("w", ["h", "n", "n"]), value("o", wide)]),
  ];
  const opset = number(2, 17);
  return Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, opset)]);
}
