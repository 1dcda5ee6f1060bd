// What is measured besides the contest: the innermost loop, two workers, the map of a long text.
import { contest, gaussian } from "./contest.mjs";
import { Kernel } from "./kernel.mjs";
import { loops } from "./loops.mjs";

export { contest };

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const compiled = (name) => WebAssembly.compileStreaming(fetch(`/benches/kernel/${name}.wasm`));

/** The innermost loop's rate and the whole's at one size, turn by turn, so that both see the same machine. */
export async function share(name, size, rounds = 9) {
  const kernel = await Kernel.open(await compiled(name));
  const [q, k, v] = [1, 2, 3].map((seed) => gaussian(size.h * size.n * size.d, seed));
  const run = kernel.dense(size, q, k, v, 1 / Math.sqrt(size.d));
  run();
  const peaks = [], times = [];
  for (let i = 0; i < rounds; i += 1) {
    peaks.push(kernel.peak());
    const start = performance.now();
    run();
    times.push(performance.now() - start);
  }
  const operations = (4 * size.h * size.n * size.n * size.d) / 1e6;
  return { peak: Math.max(...peaks), whole: operations / Math.min(...times), medianPeak: median(peaks), medianWhole: operations / median(times) };
}

/** Plain workers without shared memory, each with its part of the heads; the weights stay with them. */
export async function workers(name, count, size, rounds = 9) {
  const module = await compiled(name);
  const { h, n, d } = size;
  const scale = Math.fround(1 / Math.sqrt(d));
  const inputs = [1, 2, 3].map((seed) => gaussian(h * n * d, seed));
  const part = (h / count) * n * d;
  const ask = (worker, message) =>
    new Promise((done, failed) => {
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = ({ message }) => failed(new Error(message));
      worker.postMessage(message);
    });
  const all = Array.from({ length: count }, () => new Worker("/benches/web/worker.mjs", { type: "module" }));
  await Promise.all(all.map((worker, i) => {
    const [q, k, v] = inputs.map((x) => x.slice(i * part, (i + 1) * part));
    return ask(worker, { module, size: { h: h / count, n, d }, q, k, v, scale });
  }));
  const times = [];
  let answers;
  for (let i = 0; i < rounds; i += 1) {
    const start = performance.now();
    answers = await Promise.all(all.map((worker) => ask(worker, {})));
    times.push(performance.now() - start);
  }
  all.forEach((worker) => worker.terminate());
  const [w, o] = [new Float32Array(h * n * n), new Float32Array(h * n * d)];
  loops(size, ...inputs, scale, w, o);
  const wrong = answers.some((answer, i) => answer.o.some((x, at) => !(Math.abs(x - o[i * part + at]) <= 2e-5)));
  if (wrong) throw new Error("the workers' output differs from plain loops");
  return { min: Math.min(...times), median: median(times) };
}

/** The exact pooled map of one head over `n` tokens, in slices of rows; one row of it is compared with plain loops. */
export async function longMap(name, n, { d = 64, cells = 512, output = false, slice = 64, rounds = 3 } = {}) {
  const module = await compiled(name);
  const [q, k, v] = [1, 2, 3].map((seed) => gaussian(n * d, seed));
  const scale = Math.fround(1 / Math.sqrt(d));
  const times = [], slices = [];
  let kernel, long;
  for (let round = 0; round < rounds; round += 1) {
    kernel = await Kernel.open(module);
    const start = performance.now();
    long = kernel.long({ n, d, cells }, q, k, v, scale, { output });
    for (let first = 0; first < n; first += slice) {
      const before = performance.now();
      long.rows(first, Math.min(slice, n - first));
      slices.push(performance.now() - before);
    }
    times.push(performance.now() - start);
  }
  const bytes = kernel.bytes;
  // The cell row in the middle, from plain loops.
  const row = cells >> 1, from = Math.floor((row * n) / cells), to = Math.floor(((row + 1) * n) / cells);
  const mean = new Float64Array(cells), max = new Float64Array(cells);
  for (let i = from; i < to; i += 1) {
    const scores = Float64Array.from({ length: n }, (_, j) => {
      let sum = 0;
      for (let c = 0; c < d; c += 1) sum += q[i * d + c] * k[j * d + c];
      return sum * scale;
    });
    const most = scores.reduce((a, b) => Math.max(a, b)), exps = scores.map((s) => Math.exp(s - most));
    const sum = exps.reduce((a, b) => a + b, 0);
    exps.forEach((e, j) => {
      const cell = Math.min(cells - 1, Math.floor(((j + 1) * cells - 1) / n));
      mean[cell] += e / sum / ((to - from) * (Math.floor(((cell + 1) * n) / cells) - Math.floor((cell * n) / cells)));
      max[cell] = Math.max(max[cell], e / sum);
    });
  }
  const close = (got, want) => Array.from(want).every((x, c) => Math.abs(got[row * cells + c] - x) <= 1e-5 * x + 1e-9);
  if (!close(long.mean(), mean) || !close(long.max(), max)) throw new Error("the map differs from plain loops");
  const tile = long.rectangle(from, 512, 0, 512).ms;
  return { min: Math.min(...times), median: median(times), longestSlice: Math.max(...slices), medianSlice: median(slices), megabytes: bytes / 1e6, tile };
}
