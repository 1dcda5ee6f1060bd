// WebGPU on the built page: the module comes when it is needed, its numbers are the CPU's, and every way to be without it is
// said. Chromium's software adapter computes here; `launch({ webgpu: false })` has no adapter at all.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { answer, apply, array, call, choice, close, named, onPage, state } from "./steps.mjs";

let gpu, none;
before(async () => ([gpu, none] = [await launch({ webgpu: true }), await launch()]));
after(() => Promise.all([gpu?.close(), none?.close()]));

const LARGE = { s: "one two three four five six seven eight ".repeat(16).trim(), w: "random", heads: 16, dk: 128 };

/** The paths of the module's files that this page asked for. */
const fetched = (page) =>
  page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname).filter((path) => /\/gpu-/.test(path)));

const notices = (page) => page.locator(".notice").evaluateAll((all) => all.map(({ dataset }) => dataset.code));

/** Every number of a computation on the GPU against the CPU's; compared in the page, for there are millions. */
async function same(page, keys) {
  const apart = await page.evaluate(async (keys) => {
    const lab = window.attentionLab;
    const [one, other] = [await lab.compute({ ...keys, engine: "webgpu" }), await lab.compute({ ...keys, engine: "cpu" })];
    const worst = (got, want) =>
      want.data.reduce((most, number, at) => {
        const apart = number === got.data[at] ? 0 : Math.abs(number - got.data[at]) / (1 + Math.abs(number));
        return Number.isNaN(most) || apart <= most ? most : apart; // a NaN stays
      }, 0);
    const names = ["weights", "scores", "output", "entropy", "layerOutput"];
    const shapes = names.every((name) => `${one[name].shape}` === `${other[name].shape}` && one[name].data.length > 0);
    return { engines: [one.engine, other.engine], shapes, worst: names.map((name) => worst(one[name], other[name])) };
  }, keys);
  assert.deepEqual([apart.engines, apart.shapes], [["webgpu", "cpu"], true]);
  assert.ok(apart.worst.every((worst) => worst <= 1e-5), `${JSON.stringify(keys).slice(0, 80)}: ${apart.worst}`);
}

test("automatic stays on the CPU for a sentence and loads no module", async () => {
  await onPage(gpu, {}, async ({ page }) => {
    const { engine, engineInUse, engineWhy } = await state(page);
    assert.deepEqual([engine, engineInUse], ["auto", "cpu"]);
    assert.match(engineWhy, /CPU 更快/);
    assert.deepEqual(await fetched(page), []);
  });
});

test("automatic looks at the adapter when a computation is large, and leaves a software one alone", async () => {
  for (const [lab, why] of [[gpu, /软件/], [none, /没有可用的显卡/]]) {
    await onPage(lab, { fragment: LARGE }, async ({ page }) => {
      await page.waitForFunction((why) => new RegExp(why).test(window.attentionLab.state().engineWhy), why.source);
      assert.equal((await state(page)).engineInUse, "cpu");
      assert.deepEqual(await fetched(page), []);
      assert.deepEqual(await notices(page).then((all) => all.filter((code) => /gpu|adapter/.test(code))), []);
    });
  }
});

test("a real adapter is timed once, and the faster engine computes", async () => {
  // The software adapter dressed as a real one: the CPU must win, and a clock that hurries for the CPU lets it lose.
  const real = () => Object.defineProperty(GPUAdapterInfo.prototype, "isFallbackAdapter", { get: () => false });
  await onPage(gpu, { fragment: LARGE, init: real }, async ({ page }) => {
    await page.waitForFunction(() => /量过/.test(window.attentionLab.state().engineWhy));
    const { engineInUse, engineWhy } = await state(page);
    assert.match(engineWhy, engineInUse === "cpu" ? /CPU 更快/ : /GPU 更快/);
    assert.ok((await fetched(page)).length >= 2);
    assert.equal((await apply(page, { t: 2 })).engineInUse, engineInUse);
  });
});

test("forced WebGPU draws the CPU's numbers to 1e-5, says so, and measures the difference", async () => {
  await onPage(gpu, { fragment: { engine: "webgpu" } }, async ({ page }) => {
    const first = await state(page);
    assert.deepEqual([first.engine, first.engineInUse, first.current], ["webgpu", "webgpu", true]);
    assert.match(first.engineWhy, /由你指定/);
    assert.match(await named(page, "engine").innerText(), /^WebGPU · f32/);
    assert.deepEqual((await fetched(page)).map((path) => path.replace(/-[0-9a-f]+/, "")).sort(), ["/gpu.js", "/gpu_bg.wasm"]);
    await named(page, "compare").click();
    const difference = await named(page, "difference").innerText();
    assert.ok(Number(/[\d.]+e-?\d+$/.exec(difference)?.[0]) < 1e-5, difference);
    // The map reads the GPU's trace.
    assert.match(await page.locator(".map-read").innerText(), /0\.989/);
    await apply(page, { engine: "cpu" });
    assert.match(await named(page, "engine").innerText(), /^CPU/);
    assert.equal(await named(page, "compare").count(), 0);
  });
});

test("the same numbers on both engines, whatever the settings", async () => {
  await onPage(gpu, {}, async ({ page }) => {
    for (const keys of [
      {}, { s: "猫" }, { mask: "causal" }, { mask: "causal+padding", pad: 3 }, { cells: "AhQF" }, { t: 20 }, { scale: "none" },
      { s: "The cat chased the mouse because it was hungry" }, { w: "random", heads: 3, dk: 5, seed: 7 }, LARGE,
    ]) {
      await same(page, keys);
    }
  });
});

test("attention() computes on WebGPU where that is asked for", async () => {
  await onPage(gpu, {}, async ({ page }) => {
    const numbers = (count, of) => Array.from({ length: count }, (_, at) => Math.sin(at * of));
    const input = { q: array([3, 5, 9], numbers(135, 1.7)), k: array([3, 7, 9], numbers(189, 2.3)), v: array([3, 7, 11], numbers(231, 0.7)), causal: true, want: ["weights", "output", "scores", "entropy"] };
    const one = await answer(page, "attention", { ...input, engine: "webgpu" });
    const other = await answer(page, "attention", { ...input, engine: "cpu" });
    assert.deepEqual([one.engine, other.engine], ["webgpu", "cpu"]);
    for (const name of input.want) close(one[name].data.data, other[name].data.data, 1e-5, name);
    const { error } = await call(page, "attention", { ...input, q: array([3, 5, 9], Array(135).fill(NaN)), engine: "webgpu" });
    assert.equal(error.code, "not_finite");
  });
});

test("the latest change wins, and apply() resolves when its own numbers stand", async () => {
  await onPage(gpu, { fragment: { engine: "webgpu" } }, async ({ page }) => {
    const last = await page.evaluate(async () => {
      const lab = window.attentionLab;
      const all = ["猫追老鼠", "狗咬人", "我爱你", "你爱我"].map((s) => lab.apply({ s }));
      return (await Promise.all(all)).at(-1);
    });
    assert.deepEqual([last.s, last.tokens.map(({ text }) => text).join(""), last.engineInUse, last.current], ["你爱我", "<BOS>你爱我", "webgpu", true]);
  });
});

test("the control chooses WebGPU", async () => {
  await onPage(gpu, {}, async ({ page }) => {
    await named(page, "more").click();
    await choice(page, "engine", 2).click();
    await page.waitForFunction(() => window.attentionLab.state().engineInUse === "webgpu");
    assert.match(page.url(), /engine=webgpu/);
  });
});

for (const [what, lab, init, code, word] of [
  ["no WebGPU", () => gpu, () => delete Navigator.prototype.gpu, "no_webgpu", /没有 WebGPU/],
  ["no adapter", () => none, undefined, "no_adapter", /显卡/],
]) {
  test(`forced WebGPU with ${what}: a message, and the CPU's picture only with it`, async () => {
    await onPage(lab(), { fragment: { engine: "webgpu", s: "狗咬人" }, init }, async ({ page }) => {
      const now = await state(page);
      assert.deepEqual([now.engine, now.engineInUse, now.current], ["webgpu", "cpu", true]);
      const said = now.warnings.find((warning) => warning.code === code);
      assert.match(said.text, word);
      assert.match(said.text, /CPU/);
      assert.deepEqual(await notices(page), [code]);
      // It is said again with every picture for which it holds, and not silently forgotten.
      assert.ok((await apply(page, { t: 2 })).warnings.some((warning) => warning.code === code));
      for (const method of ["compute", "attention"]) {
        const small = { q: array([1, 1, 1], [1]), k: array([1, 1, 1], [1]), v: array([1, 1, 1], [1]) };
        const { error } = await call(page, method, { ...(method === "attention" ? small : {}), engine: "webgpu" });
        assert.deepEqual([error?.name, error?.code], ["AttentionError", code], method);
      }
      assert.ok(!(await apply(page, { engine: "auto" })).warnings.some((warning) => warning.code === code));
    });
  });
}

/** Devices are destroyed right after their next submissions: the first `times` of them. */
const losing = (times) => `(() => {
  let left = ${times};
  const ask = GPUAdapter.prototype.requestDevice, submit = GPUQueue.prototype.submit, owner = new WeakMap();
  GPUAdapter.prototype.requestDevice = async function (...given) {
    const device = await ask.apply(this, given);
    owner.set(device.queue, device);
    return device;
  };
  GPUQueue.prototype.submit = function (commands) {
    submit.call(this, commands);
    if (left-- > 0) owner.get(this).destroy();
  };
  window.loseAgain = (times) => (left = times);
})()`;

test("a device lost in mid-run is replaced, and the numbers are right", async () => {
  await onPage(gpu, { fragment: { engine: "webgpu" }, init: losing(1) }, async ({ page }) => {
    assert.equal((await state(page)).engineInUse, "webgpu");
    assert.deepEqual(await notices(page), []);
    await page.evaluate(() => window.loseAgain(1));
    await same(page, { mask: "causal" });
  });
});

test("a device that is lost again and again gives way to the CPU, with a message, and comes back", async () => {
  await onPage(gpu, { fragment: { engine: "webgpu", s: "狗咬人" }, init: losing(2) }, async ({ page }) => {
    const now = await state(page);
    assert.deepEqual([now.s, now.engineInUse, now.current], ["狗咬人", "cpu", true]);
    assert.match(now.engineWhy, /丢失/);
    assert.deepEqual(await notices(page), ["gpu_failed"]);
    const next = await apply(page, { t: 2 });
    assert.deepEqual([next.engineInUse, next.warnings.length], ["webgpu", 0]);
  });
});

test("a module that does not load is said", async () => {
  const visit = await gpu.page({ fragment: { engine: "webgpu" }, missing: /gpu-[0-9a-f]+\.js$/ });
  await visit.page.evaluate(() => window.attentionLab.ready);
  assert.equal((await state(visit.page)).engineInUse, "cpu");
  assert.deepEqual(await notices(visit.page), ["gpu_failed"]);
  await visit.close();
});
