// The contest in the page: the same inputs for all, every result compared with plain loops, contestants in rotation.
import { contestants } from "./contestants.mjs";
import { loops } from "./loops.mjs";

/** Largest difference to the plain loops' numbers that counts as right. */
const TOLERANCE = { w: 2e-6, o: 2e-5 };
/** A contestant's turn lasts about this long, so that the clock's grain does not matter. */
const TURN_MS = 30;

/** Normal numbers from a seed, the same in every run. */
export function gaussian(count, seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return Float32Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()));
}

function difference(got, want) {
  if (got.length !== want.length) return Infinity;
  let most = 0;
  for (let i = 0; i < want.length; i += 1) {
    const here = Math.abs(got[i] - want[i]);
    if (!(here <= most)) most = here; // a NaN is taken, and stays
    if (Number.isNaN(here)) return NaN;
  }
  return most;
}

/**
 * One size: `{h, n, d}`; returns a line per contestant with milliseconds per run (`min`, `median`) and the differences.
 * Who fails or answers wrongly has `error` and no times.
 */
export async function contest(size, { rounds = 9, budgetMs = 3000, only = null } = {}) {
  const { h, n, d } = size;
  const [q, k, v] = [1, 2, 3].map((seed) => gaussian(h * n * d, 1000 * n + seed));
  const scale = Math.fround(1 / Math.sqrt(d));
  const [w, o] = [new Float32Array(h * n * n), new Float32Array(h * n * d)];
  loops(size, q, k, v, scale, w, o);
  const lines = [];
  for (const contestant of contestants) {
    const { name, ours = false, peer = false } = contestant;
    if (only && !only.some((part) => name.includes(part))) continue;
    const line = { name, ours, peer, times: [], spent: 0 };
    lines.push(line);
    try {
      if (!contestant.isReady) await contestant.setup();
      contestant.isReady = true;
      line.prepared = await contestant.prepare(size, q, k, v, scale);
      const answer = await line.prepared.run();
      line.difference = { w: difference(answer.w, w), o: difference(answer.o, o) };
      if (!(line.difference.w <= TOLERANCE.w && line.difference.o <= TOLERANCE.o)) {
        throw new Error(`differs from plain loops by ${line.difference.w} in the weights, ${line.difference.o} in the output`);
      }
      const start = performance.now();
      await line.prepared.run();
      line.repeats = Math.max(1, Math.min(4000, Math.floor(TURN_MS / Math.max(performance.now() - start, 0.001))));
    } catch (error) {
      line.error = String(error?.message ?? error).slice(0, 300);
    }
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const line of lines) {
      if (line.error || line.spent > budgetMs) continue;
      let own = 0, isOwn = false;
      const start = performance.now();
      for (let i = 0; i < line.repeats; i += 1) {
        const { ms } = await line.prepared.run();
        if (ms !== undefined) [own, isOwn] = [own + ms, true];
      }
      const all = performance.now() - start;
      line.times.push((isOwn ? own : all) / line.repeats);
      line.spent += all;
    }
  }
  return lines.map(({ name, ours, peer, times, difference, error, prepared, repeats }) => {
    prepared?.free();
    const sorted = [...times].sort((a, b) => a - b);
    return { name, ours, peer, error, difference, runs: times.length * (repeats ?? 0), min: sorted[0], median: sorted[sorted.length >> 1] };
  });
}
