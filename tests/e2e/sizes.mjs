// Weighs what the first picture needs: index.html and every file of this host that it names.
// As a program: `node sizes.mjs dist` prints the table. The limit is a test's (sizes.test.mjs).
import { readFileSync } from "node:fs";
import { join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** The most that the first picture may cost on the wire, in bytes after brotli 11. */
export const LIMIT_BYTES = 260_000;

/** The relative files that a page's attributes name, each once, index.html first. */
export function namedFiles(html) {
  // Quoted or, where Trunk minified the page, not.
  const attributes = /\s(?:href|src|data-page|data-wasm)=(?:"([^"#]+)"|([^"\s>#]+))/g;
  const names = [...html.matchAll(attributes)].map(([, quoted, bare]) => quoted ?? bare);
  const own = names.filter((name) => !/^(?:[a-z]+:|\/)/i.test(name)).map((name) => normalize(name));
  return [...new Set(["index.html", ...own])];
}

/** The files of modules that are loaded when they are needed: start.js's other data attributes name their glue. */
export function laterFiles(html) {
  const attributes = /\sdata-(?!page|wasm)[a-z-]+="?\.\/([^"\s>]+)\.js/g;
  return [...html.matchAll(attributes)].flatMap(([, name]) => [`${name}.js`, `${name}_bg.wasm`]);
}

/** What the first picture needs where start.js chooses the programs with relaxed SIMD. */
export function relaxedFiles(html) {
  const [glue] = laterFiles(html).filter((name) => name.startsWith("relaxed-page"));
  const name = glue.replace(/\.js$/, "");
  return namedFiles(html).map((file) => file.replace(/^page-[0-9a-f]+/, name));
}

/** Raw, gzip (9) and brotli (11) bytes of each critical file of a built page, or of those that `files` names. */
export function weigh(dist, files = namedFiles) {
  return files(readFileSync(join(dist, "index.html"), "utf8")).map((name) => {
    const body = readFileSync(join(dist, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
    return { name, raw: body.length, gzip: gzipSync(body, { level: 9 }).length, brotli: brotliCompressSync(body, { params }).length };
  });
}

/** The sum of weighed files, as one more line of the table. */
export function total(files) {
  const sum = (unit) => files.reduce((bytes, file) => bytes + file[unit], 0);
  return { name: "first picture", raw: sum("raw"), gzip: sum("gzip"), brotli: sum("brotli") };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = weigh(process.argv[2] ?? "dist");
  const line = (...cells) => console.log(cells[0].padEnd(34) + cells.slice(1).map((cell) => String(cell).padStart(10)).join(""));
  line("bytes", "raw", "gzip", "brotli");
  for (const { name, raw, gzip, brotli } of [...files, total(files), ...weigh(process.argv[2] ?? "dist", laterFiles)]) line(name, raw, gzip, brotli);
}
