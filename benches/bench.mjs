// The benchmark: one page, one run, the same inputs, every result verified; the table goes to docs/benchmarks.md.
//   cargo xtask bench        builds what is needed and starts this
// Options: --only=TEXT,TEXT (parts of contestants' names), --rounds=N, --sizes=0,1 (by number), --no-page, --no-write
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { launch } from "../tests/e2e/harness.mjs";
import { pageFigures } from "./page.mjs";
import { document } from "./report.mjs";
import { ROOT, serve } from "./serve.mjs";

const SIZES = [
  { h: 8, n: 16, d: 8 },
  { h: 12, n: 64, d: 64 },
  { h: 12, n: 256, d: 64 },
  { h: 12, n: 1024, d: 64 },
  { h: 1, n: 4096, d: 64 },
];
const LONG = 16384;

const option = (name) => process.argv.find((argument) => argument.startsWith(`--${name}`))?.split("=")[1];
const has = (name) => process.argv.includes(`--${name}`);
const only = option("only")?.split(",") ?? null;
const rounds = Number(option("rounds") ?? 15);
const sizes = option("sizes")?.split(",").map((number) => SIZES[number]) ?? SIZES;

const started = Date.now();
const browser = await launch();
const server = await serve();
const page = await browser.browser.newPage();
page.setDefaultTimeout(0);
page.on("pageerror", (error) => console.error(`in the page: ${error.stack ?? error}`));
await page.goto(server.url);
await page.evaluate(() => attentionLab.ready);
/** Calls a function of benches/web/sections.mjs in the page; a failure is a figure that says so. */
const measure = (name, ...given) =>
  page.evaluate(async ([name, given]) => (await import("/benches/web/sections.mjs"))[name](...given), [name, given]);
const tried = (figure) => figure.catch((error) => ({ error: String(error.message ?? error).split("\n")[0] }));

const results = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  browser: `Chromium ${browser.browser.version()}, headless`,
  contests: [],
};
for (const size of sizes) {
  console.log(`\n(${size.h}, ${size.n}, ${size.d})`);
  const lines = await measure("contest", size, { rounds, only });
  for (const { name, min, median, error } of lines) {
    console.log(`  ${name.padEnd(44)} ${error ? `out: ${error}` : `min ${min.toPrecision(3)} ms, median ${median.toPrecision(3)} ms`}`);
  }
  results.contests.push({ size, lines });
}
results.shares = {};
results.workers = {};
results.long = {};
for (const kind of ["simd128", "relaxed"]) {
  const size = { h: 12, n: 1024, d: 64 };
  results.shares[kind] = await tried(measure("share", kind, size));
  results.workers[kind] = { one: await tried(measure("workers", kind, 1, size)), two: await tried(measure("workers", kind, 2, size)) };
  results.long[kind] = { map: await tried(measure("longMap", kind, LONG)), output: await tried(measure("longMap", kind, LONG, { output: true, rounds: 1 })) };
}
console.log(JSON.stringify({ shares: results.shares, workers: results.workers, long: results.long }, null, 1));
await page.close();
await server.close();
if (!has("no-page")) results.page = await pageFigures(browser, console.log);
await browser.close();
results.minutes = (Date.now() - started) / 60000;
const text = document(results);
if (has("no-write")) console.log(text);
else writeFileSync(join(ROOT, "docs/benchmarks.md"), text);
