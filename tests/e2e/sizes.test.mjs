import assert from "node:assert/strict";
import { test } from "node:test";
import { DIST } from "./harness.mjs";
import { laterFiles, LIMIT_BYTES, namedFiles, relaxedFiles, total, weigh } from "./sizes.mjs";

test("the first picture fits in its limit on the wire", () => {
  const files = weigh(DIST);
  for (const ending of ["index.html", ".css", ".js", "_bg.wasm"]) {
    assert.ok(files.some(({ name }) => name.endsWith(ending)), `a critical file *${ending}`);
  }
  const relaxed = weigh(DIST, relaxedFiles);
  assert.equal(relaxed.filter(({ name }) => name.startsWith("relaxed-page")).length, 2, "glue and program");
  assert.equal(relaxed.length, files.length);
  for (const { brotli } of [total(files), total(relaxed)]) {
    assert.ok(brotli <= LIMIT_BYTES, `${brotli} bytes of brotli, the limit is ${LIMIT_BYTES}`);
  }
});

test("modules that are loaded later are no part of the first picture, and small", () => {
  const files = weigh(DIST, laterFiles);
  const critical = weigh(DIST).map(({ name }) => name);
  assert.deepEqual(files.map(({ name }) => name.replace(/-[0-9a-f]{8,}/, "")), ["gpu", "document", "lab", "relaxed-page", "relaxed-document", "relaxed-lab"].flatMap((name) => [`${name}.js`, `${name}_bg.wasm`]));
  assert.ok(files.every(({ name }) => !critical.includes(name)));
  for (const [module, limit] of [["gpu", 40_000], ["lab", 110_000], ["document", 140_000], ["relaxed-lab", 110_000], ["relaxed-document", 140_000]]) {
    const { brotli } = total(files.filter(({ name }) => name.startsWith(module)));
    assert.ok(brotli <= limit, `${module}: ${brotli} bytes of brotli`);
  }
});

test("critical files are read from every attribute, each once, this host's only", () => {
  const html = `<link href="./a.css"><script src="./s.js" data-page="./p.js" data-wasm="./p.wasm"></script>
    <link rel="preload" href="./p.wasm"><a href="https://example.org/x"></a><a href="#top"></a><img src="data:,">`;
  assert.deepEqual(namedFiles(html), ["index.html", "a.css", "s.js", "p.js", "p.wasm"]);
});
