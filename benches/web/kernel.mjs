// A stand-alone kernel module as JavaScript uses it: arrays in its memory, and the three kinds of call.

/** Every key, for a module's `before` and `after`. */
const ALL = 0xffffffff;

export class Kernel {
  /** @param {WebAssembly.Module} module */
  static async open(module) {
    return new Kernel((await WebAssembly.instantiate(module)).exports);
  }

  constructor(exports) {
    this.exports = exports;
  }

  get bytes() {
    return this.exports.memory.buffer.byteLength;
  }

  /** The address of `count` numbers, filled with `from` where it is given. */
  numbers(count, from) {
    const at = this.exports.reserve(count * 4);
    if (!at) throw new Error("no memory");
    if (from) this.view(at, count).set(from);
    return at;
  }

  view(at, count) {
    return new Float32Array(this.exports.memory.buffer, at, count);
  }

  /** Writes words, of which those at `floats` are f32, and returns their address. */
  words(values, floats = []) {
    const at = this.numbers(values.length);
    new Uint32Array(this.exports.memory.buffer, at, values.length).set(values);
    const view = this.view(at, values.length);
    floats.forEach((index) => (view[index] = values[index]));
    return at;
  }

  /** Prepares dense attention over `h` heads; `run()` leaves weights and output in memory, as views. */
  dense({ h, n, d }, q, k, v, scale) {
    const [qs, ks, vs] = [q, k, v].map((x) => this.numbers(x.length, x));
    const [ws, os, ss] = [h * n * n, h * n * d, h * n * 3].map((count) => this.numbers(count));
    const call = this.words([h, n, n, d, d, scale, 1, ALL, ALL, qs, ks, vs, ws, os, ss], [5, 6]);
    return () => {
      if (this.exports.attention(call) !== 1) throw new Error("not finite");
      return { w: this.view(ws, h * n * n), o: this.view(os, h * n * d) };
    };
  }

  /** Prepares the pooled map of one long head; `rows(first, count)` computes some rows and adds them to the map. */
  long({ n, d, cells }, q, k, v, scale, { output = false } = {}) {
    const { panel_numbers, pack_keys, pack_values, scratch_numbers } = this.exports;
    const [qs, kp, vp] = [this.numbers(n * d, q), this.numbers(panel_numbers(d, n)), this.numbers(panel_numbers(n, d))];
    const mark = this.exports.mark();
    pack_keys(this.numbers(n * d, k), n, d, kp);
    this.exports.release(mark);
    pack_values(this.numbers(n * d, v), n, d, vp);
    this.exports.release(mark);
    const statistics = this.numbers(n * 3), os = output ? this.numbers(n * d) : 0;
    const [mean, max] = [this.numbers(cells * cells, new Float32Array(cells * cells)), this.numbers(cells * cells, new Float32Array(cells * cells))];
    const grid = this.words([0, n, 0, n, cells, cells, mean, max]);
    const call = this.words([n, n, d, d, scale, 1, ALL, ALL, qs, kp, vp, this.numbers(scratch_numbers(n))], [4, 5]);
    return {
      rows: (first, count) => {
        if (this.exports.rows(call, first, count, statistics + first * 12, os && os + first * d * 4, grid) !== 1) throw new Error("not finite");
      },
      mean: () => this.view(mean, cells * cells),
      max: () => this.view(max, cells * cells),
      rectangle: (query, queries, key, keys) => {
        const out = this.numbers(queries * keys);
        const start = performance.now();
        this.exports.rectangle(call, query, queries, key, keys, statistics + query * 12, out);
        return { ms: performance.now() - start, weights: this.view(out, queries * keys) };
      },
    };
  }

  /** Billions of operations a second of the innermost loop, its numbers in the first cache. */
  peak() {
    const mark = this.exports.mark();
    const [a, b, out] = [256, 512, 32].map((count) => this.numbers(count, new Float32Array(count).fill(0.01)));
    const times = 30000;
    const start = performance.now();
    this.exports.tiles(times, a, b, out);
    const seconds = (performance.now() - start) / 1000;
    this.exports.release(mark);
    return (times * 2 * 4 * 8 * 64) / seconds / 1e9;
  }
}
