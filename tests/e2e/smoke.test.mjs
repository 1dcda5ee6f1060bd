// The page starts under the strict policy wherever it is served from, and says so in a sentence where it can't.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DIST, launch, started } from "./harness.mjs";
import { fileOf, POLICY, serve } from "./server.mjs";

let lab;
before(async () => (lab = await launch()));
after(() => lab?.close());

for (const base of ["/", "/some/where/"]) {
  test(`the page starts under ${base} with nothing in the console and no request to another host`, async () => {
    const visit = await lab.page({ base });
    await started(visit.page);
    await visit.page.waitForLoadState("networkidle");
    assert.equal(await visit.page.locator("#not-started").count(), 0);
    const used = await visit.page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
    const programs = used.filter((path) => /page-\w+_bg\.wasm$/.test(path));
    assert.equal(new Set(programs).size, 1, `one compiled page was fetched: ${used}`);
    // The browser of these tests has relaxed SIMD.
    assert.match(programs[0], /\/relaxed-page-/);
    assert.ok(used.every((path) => path.startsWith(base)), `all from under ${base}: ${used}`);
    visit.assertClean();
    await visit.close();
  });
}

test("a browser without relaxed SIMD gets the programs without, and the same numbers", async () => {
  const noRelaxed = () => {
    const validate = WebAssembly.validate.bind(WebAssembly);
    // The probe is the only module that is asked about which holds f32x4.relaxed_madd, 253 133 2.
    WebAssembly.validate = (bytes) => !String(bytes).includes("253,133,2") && validate(bytes);
  };
  const answers = [];
  for (const init of [noRelaxed, () => {}]) {
    const visit = await lab.page({ init });
    await started(visit.page);
    // A resource is listed a moment after its last byte.
    await visit.page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => /lab-\w+_bg\.wasm$/.test(name)));
    answers.push(await visit.page.evaluate(async () => {
      const { weights } = await attentionLab.compute({ s: "猫追老鼠" });
      const names = performance.getEntriesByType("resource").map(({ name }) => name.split("/").pop());
      return { weights: Array.from(weights.data), programs: names.filter((name) => /_bg\.wasm$/.test(name)).map((name) => name.replace(/-\w+\.wasm$/, "")).sort() };
    }));
    visit.assertClean();
    await visit.close();
  }
  const [plain, relaxed] = answers;
  assert.deepEqual(plain.programs, ["lab", "page"]);
  assert.deepEqual(relaxed.programs, ["relaxed-lab", "relaxed-page"]);
  assert.equal(plain.weights.length, 8 * 4 * 4);
  plain.weights.forEach((weight, at) => assert.ok(Math.abs(weight - relaxed.weights[at]) < 1e-5, `weight ${at}`));
});

const noWebAssembly = () => delete globalThis.WebAssembly;
const noSimd = () => (WebAssembly.validate = () => false);
for (const [reason, init, word] of [
  ["noWebAssembly", noWebAssembly, "WebAssembly"],
  ["noSimd", noSimd, "SIMD"],
]) {
  test(`a browser that fails the probe reads a sentence in both languages: ${reason}`, async () => {
    const visit = await lab.page({ init });
    const notice = visit.page.locator(`#not-started[data-reason=${reason}]`);
    await notice.waitFor();
    for (const lang of ["zh-CN", "en"]) {
      const sentence = notice.locator(`p[lang=${lang}]`);
      assert.ok(await sentence.isVisible());
      assert.match(await sentence.innerText(), new RegExp(word));
    }
    visit.assertClean();
    await visit.close();
  });
}

for (const [what, missing] of [
  ["wasm", /_bg\.wasm$/],
  ["glue", /page-[0-9a-f]+\.js$/],
]) {
  test(`a file that does not load is said, not left blank: ${what}`, async () => {
    const visit = await lab.page({ missing });
    await visit.page.locator("#not-started[data-reason=notStarted]").waitFor();
    assert.match(await visit.page.locator("#not-started p[lang=zh-CN]").innerText(), /没能启动/);
    assert.ok(visit.problems.some((problem) => problem.startsWith("status 404")), "the harness saw the missing file");
    await visit.close();
  });
}

test("without JavaScript the page says what it needs", async () => {
  const visit = await lab.page({ context: { javaScriptEnabled: false } });
  for (const lang of ["zh-CN", "en"]) assert.ok(await visit.page.locator(`noscript p[lang=${lang}]`).isVisible());
  await visit.close();
});

test("the harness notices a violated policy, another host and a console error", async () => {
  const visit = await lab.page();
  await visit.page.evaluate(async () => {
    const inline = document.createElement("script");
    inline.textContent = "window.ran = true";
    document.head.append(inline);
    const image = new Image();
    image.src = "http://other.invalid/x.png";
    await new Promise((resolve) => (image.onerror = resolve));
    console.error("said aloud");
  });
  assert.equal(await visit.page.evaluate(() => window.ran), undefined);
  const seen = visit.problems.join("\n");
  assert.match(seen, /policy violated: script-src-elem inline/);
  assert.match(seen, /policy violated: img-src http:\/\/other\.invalid/);
  assert.match(seen, /console error: said aloud/);
  assert.throws(() => visit.assertClean());
  await visit.close();
});

test("the test's server sends the policy, types and compression, and nothing outside its folder", async () => {
  const server = await serve(DIST, { base: "/a/" });
  try {
    const response = await fetch(server.url, { headers: { "accept-encoding": "br" } });
    assert.equal(response.headers.get("content-security-policy"), POLICY);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(response.headers.get("content-encoding"), "br");
    assert.equal((await fetch(`${server.origin}/`)).status, 404);
    for (const path of ["/a/../package.json", "/a/..%2fpackage.json", "/a/%00", "/a/%", "/b/"]) {
      assert.equal(fileOf(DIST, "/a/", path), null, path);
    }
  } finally {
    await server.close();
  }
});
