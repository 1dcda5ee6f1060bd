// The measured figures as docs/benchmarks.md. Owns no measuring and no figure of its own.

const ms = (x) => (x === undefined ? "–" : x >= 100 ? x.toFixed(0) : x.toPrecision(3));
const times = (x) => (Number.isFinite(x) ? `${x >= 10 ? x.toFixed(0) : x.toFixed(1)}×` : "–");
const row = (cells) => `| ${cells.join(" | ")} |`;
const table = (head, rows) => [row(head), row(head.map((_, i) => (i ? "--:" : "---"))), ...rows.map(row)].join("\n");
const label = ({ h, n, d }) => `(${h}, ${n}, ${d})`;
const find = (lines, part) => lines.find(({ name }) => name.includes(part));
const bestPeer = (lines, unit) => Math.min(...lines.filter(({ peer, error }) => peer && !error).map((line) => line[unit]));

function ratios({ contests }, unit) {
  const of = (lines, ours, theirs) => times(theirs / (find(lines, ours)?.[unit] ?? NaN));
  return table(
    ["size (h, n, d)", "page's path over onnxruntime-web", "page's path over best peer", "attentionLab.attention over best peer", "relaxed module over onnxruntime-web"],
    contests.map(({ size, lines }) => {
      const onnx = find(lines, "onnxruntime")?.[unit] ?? NaN, best = bestPeer(lines, unit);
      return [label(size), of(lines, "page's path", onnx), of(lines, "page's path", best), of(lines, "attentionLab.attention", best), of(lines, "relaxed", onnx)];
    }),
  );
}

function everyone({ contests }) {
  const names = [...new Set(contests.flatMap(({ lines }) => lines.map(({ name }) => name)))];
  const cell = ({ lines }, name) => {
    const line = lines.find((line) => line.name === name);
    return !line ? "–" : line.error ? "out" : `${ms(line.min)} (${ms(line.median)})`;
  };
  return table(["contestant", ...contests.map(({ size }) => label(size))], names.map((name) => [name, ...contests.map((contest) => cell(contest, name))]));
}

const left = ({ contests }) => {
  const out = contests.flatMap(({ size, lines }) => lines.filter(({ error }) => error).map(({ name, error }) => `- ${name} at ${label(size)}: ${error}`));
  return out.length ? `Left out:\n\n${out.join("\n")}\n` : "Nobody was left out.\n";
};

const kinds = [["simd128", "simd128"], ["relaxed", "relaxed SIMD"]];

function module({ shares, workers, long }) {
  const rows = kinds.map(([kind, name]) => {
    const share = shares[kind], { one, two } = workers[kind], { map, output } = long[kind];
    const bad = [share, one, two, map, output].find((figure) => figure.error);
    if (bad) return [name, `out: ${bad.error}`, "", "", "", "", "", "", ""];
    return [
      name,
      `${share.peak.toFixed(1)} GFLOP/s`,
      `${share.whole.toFixed(1)} (${((100 * share.whole) / share.peak).toFixed(0)} %)`,
      ms(one.min),
      ms(two.min),
      ms(map.min),
      ms(output.min),
      `${map.medianSlice.toFixed(1)} (${map.longestSlice.toFixed(0)})`,
      `${map.megabytes.toFixed(0)} MB`,
    ];
  });
  return table(["module", "4 × 8 loop alone", "whole at (12, 1024, 64)", "one worker, ms", "two workers, ms", "map of 16,384 tokens, ms", "with output, ms", "a slice of 64 rows, median (longest), ms", "memory"], rows);
}

function page({ page }) {
  if (!page) return "";
  const { bytes, opening, cases } = page;
  const rows = cases.map(({ name, work, frame, mainThread, engine }) => [name, ms(engine.median), `${ms(work.median)} (${ms(work.most)})`, ms(mainThread), ms(frame.median)]);
  return `## The page

First picture: ${(bytes.brotli / 1000).toFixed(1)} kB with brotli (${(bytes.raw / 1000).toFixed(0)} kB raw), ${ms(opening.median)} ms from navigation, median, on a warm local server.

One tick of the temperature slider, milliseconds: settings to numbers (raw scores kept); from the input event until the page is
ready to paint, median (95th percentile); the whole main thread's CPU time, mean; until the frame is painted.

${table(["case", "settings to numbers", "event to ready", "main thread", "event to frame"], rows)}
`;
}

/** The whole document. */
export function document(results) {
  return `# Benchmarks

Written by \`cargo xtask bench\` on ${results.date}: ${results.machine}, ${results.browser}. One page, one run of ${results.minutes.toFixed(0)} minutes, the
same inputs for all, contestants in rotation, every result compared with plain loops (weights within 2e-6, output within 2e-5).
Each computes softmax(q·kᵀ × scale)·v in f32 on one thread and returns the weights. Milliseconds are of this machine on this day,
and other work on it makes them wander: look at the ratios, which are taken inside the run.

- *Page's path*: the built page's program computes and leaves the weights where the picture reads them (the \`elapsedMs\` of
  \`attentionLab.attention\`). *attentionLab.attention*: the same with all arrays copied in and out.
- *Stand-alone module*: the kernel with memory of its own, results read as views, as are those of the Rust crates.
- The peers' results are read as each library's user would: onnxruntime-web's and jax-js's are copied out by the library.

## Times faster, by the smallest time

${ratios(results, "min")}

By the median:

${ratios(results, "median")}

## Milliseconds, smallest (median)

${everyone(results)}

${left(results)}
## The kernel module

The innermost loop alone, on numbers in the first cache, against the whole computation in the same turns; plain workers without
shared memory, the weights staying with them; the exact pooled 512 × 512 map (mean and maximum) of one head with d 64, in memory
that grows with the length.

${module(results)}

${page(results)}`;
}
