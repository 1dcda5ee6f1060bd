// Mechanisms, masks and mistakes: each is chosen by hand, said, linked and computed as the oracle's rules say, and mended.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { apply, choice, named, onPage, state, until } from "./steps.mjs";

let lab;
before(async () => (lab = await launch()));
after(() => lab?.close());

/** Opens the panel at one of its three parts. */
async function part(page, at) {
  if ((await named(page, "lab").getAttribute("aria-expanded")) === "false") await named(page, "lab").click();
  await page.locator(`[data-part="${at}"]`).click();
}

/** The weights of the selected head as rows. */
const rows = (page) =>
  page.evaluate(async () => {
    const { h, ...rest } = window.attentionLab.state();
    const { weights } = await window.attentionLab.compute(Object.fromEntries(Object.entries(rest).filter(([key]) => "s w heads dk seed t scale mask cells fill pos score norm tau draw num bias bug prefix window stride block global bos pad feat tok".split(" ").includes(key))));
    const [, n, m] = weights.shape;
    const data = [...weights.data].slice((h - 1) * n * m, h * n * m);
    return Array.from({ length: n }, (_, q) => data.slice(q * m, (q + 1) * m));
  });
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

test("every mechanism of the panel is computed, explained and linked", async () => {
  await onPage(lab, { fragment: { w: "random", h: 1 } }, async ({ page }) => {
    await part(page, 0);
    for (const [row, key, values] of [
      ["score", "score", ["dot", "general", "additive", "additive_linear"]],
      ["norm", "norm", ["softmax", "no_max", "hard", "sampled", "gumbel", "linear"]],
      ["pos-kind", "pos", ["on", "off", "sinusoidal", "learned", "rope", "alibi"]],
      ["num", "num", ["f32", "f16"]],
      ["bias", "bias", [0, 1]],
    ]) {
      const seen = new Set();
      for (const [at, value] of values.entries()) {
        await choice(page, row, at).click();
        await until(page, { [key]: value });
        const weights = await rows(page);
        seen.add(JSON.stringify(weights));
        if (key !== "num") assert.ok(weights.every((row) => Math.abs(sum(row) - 1) < 1e-4), `${value}: rows add up to 1`);
        if (value === "hard" || value === "sampled") assert.ok(weights.flat().every((w) => w === 0 || w === 1), value);
        if (value === "additive_linear") {
          assert.ok(weights.every((row) => row.every((w, k) => Math.abs(w - weights[0][k]) < 1e-5)), "all rows are alike");
          await named(page, "broken").waitFor();
        }
        if (at > 0) assert.match(page.url(), new RegExp(`[#&]${key}=${value}(&|$)`));
      }
      // The maximum that is not subtracted changes nothing where nothing overflows; all others differ.
      assert.ok(seen.size >= values.length - 1, `${key}: ${seen.size} of ${values.length} differ`);
      await choice(page, row, 0).click();
      await until(page, { [key]: values[0] });
    }
    assert.equal(await named(page, "broken").count(), 0);
  });
});

test("drawing again draws anew, and the frequencies are the weights", async () => {
  await onPage(lab, { fragment: { w: "random", h: 1, t: 3, norm: "sampled" } }, async ({ page }) => {
    await part(page, 0);
    const drawn = new Set();
    for (let i = 0; i < 12; i++) {
      drawn.add(JSON.stringify(await rows(page)));
      await named(page, "draw").click();
      await until(page, { draw: i + 2 });
    }
    assert.ok(drawn.size > 3, `${drawn.size} different draws of 12`);
  });
});

test("masks are combined, sized, inverted and refused with a sentence", async () => {
  await onPage(lab, { fragment: { h: 1 } }, async ({ page }) => {
    await part(page, 1);
    await choice(page, "masks", 4).click();
    await until(page, { mask: "window" });
    const open = (weights) => weights.map((row) => row.map((w) => Number(w > 0)).join("")).join(" ");
    assert.equal(open(await rows(page)), "1100 1110 0111 0011");
    const field = page.locator("#window");
    for (const nonsense of ["0", "129", "1.5", ""]) {
      // A number field takes no letters from a person, but a script can clear it.
      await field.evaluate((input, text) => ((input.value = text), input.dispatchEvent(new Event("change", { bubbles: true }))), nonsense);
      await page.locator("#number-error").waitFor();
    }
    await field.fill("2");
    await field.press("Enter");
    await until(page, { window: 2 });
    assert.equal(await page.locator("#number-error").count(), 0);
    assert.equal(open(await rows(page)), "1110 1111 1111 0111");
    await choice(page, "masks", 0).click();
    await until(page, { mask: "causal+window" });
    assert.equal(open(await rows(page)), "1000 1100 1110 0111");
    await choice(page, "combine", 1).click();
    await until(page, { mask: "causal+window+not" });
    assert.equal(open(await rows(page)), "0111 0011 0001 1000");
    await choice(page, "mask", 0).click();
    await until(page, { mask: "none" });
  });
});

test("a forbidden row is what its fill makes of it, and the page says so", async () => {
  const expected = { exclude: 0, neg_inf: NaN, replace_neg_1e9: 0.25, add_neg_1e9: 0.25, add_neg_1e4: 0.25, zero: 0.25, multiply_after: 0 };
  await onPage(lab, { fragment: { h: 1, mask: "not" } }, async ({ page }) => {
    await part(page, 1);
    for (const [at, [fill, weight]] of Object.entries(expected).entries()) {
      await choice(page, "fill", at).click();
      await until(page, { fill });
      for (const w of (await rows(page)).flat()) assert.ok(Object.is(w, weight) || Math.abs(w - weight) < 1e-6, `${fill}: ${w}`);
      const text = await page.locator("main").innerText();
      assert.doesNotMatch(text, /undefined|NaN ±|± NaN|∞ ±/, fill);
    }
  });
});

const BUGS = "mask-transposed mask-strict mask-loose mask-inverted mask-on-queries scale-after-softmax softmax-over-queries split-without-transpose merge-without-transpose nan-row".split(" ");

test("every mistake has a badge, a link and a way to mend it", async () => {
  await onPage(lab, { fragment: { w: "random", mask: "causal+padding", pad: 2 } }, async ({ page }) => {
    const healthy = await rows(page);
    const output = () => page.evaluate(async () => [...(await window.attentionLab.compute({ w: "random", mask: "causal+padding", pad: 2, bug: window.attentionLab.state().bug })).output.data]);
    const healthyOutput = await output();
    await part(page, 2);
    for (const [at, bug] of BUGS.entries()) {
      await choice(page, "bugs", at).click();
      await until(page, { bug });
      await named(page, "broken").waitFor();
      assert.match(page.url(), new RegExp(`[#&]bug=${bug}`));
      const moved = JSON.stringify(await rows(page)) !== JSON.stringify(healthy) || JSON.stringify(await output()) !== JSON.stringify(healthyOutput);
      assert.ok(moved, `${bug} changes a number`);
      // Never told the mistake, the diagnosis names it: among its first two guesses.
      const name = await choice(page, "bugs", at).innerText();
      const diagnosis = await named(page, "diagnosis").innerText();
      assert.ok(diagnosis.includes(name), `${bug}: ${diagnosis}`);
      assert.doesNotMatch(diagnosis, /undefined|Infinity/);
      await named(page, "mend").click();
      await until(page, { bug: "none" });
      assert.equal(await named(page, "broken").count(), 0);
    }
    assert.deepEqual(await rows(page), healthy, "mended is as before");
  });
});

test("a link opens broken, in both languages, with the badge on the first screen", async () => {
  for (const lang of ["zh", "en"]) {
    await onPage(lab, { lang, fragment: { mask: "causal", bug: "mask-transposed+nan-row" } }, async ({ page }) => {
      const badge = await named(page, "broken").boundingBox();
      assert.ok(badge.y + badge.height < 900);
      assert.equal((await state(page)).bug, "mask-transposed+nan-row");
      await apply(page, { bug: "none" });
      await until(page, { bug: "none" });
      assert.equal(await named(page, "broken").count(), 0);
    });
  }
});

test("the inspector claims no softmax where there is none", async () => {
  await onPage(lab, { lang: "en", fragment: { norm: "hard" } }, async ({ page }) => {
    const steps = await page.locator(".steps").innerText();
    assert.match(steps, /another way/);
    assert.match(steps, /1\.0000/);
    await apply(page, { norm: "softmax" });
    await until(page, { norm: "softmax" });
    assert.doesNotMatch(await page.locator(".steps").innerText(), /another way/);
  });
});

test("the open panel fits a phone", async () => {
  for (const width of [360, 390]) {
    await onPage(lab, { width, height: 844 }, async ({ page }) => {
      for (const at of [0, 1, 2]) {
        await part(page, at);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(wide, 0, `part ${at} at ${width} px`);
      }
    });
  }
});

test("two settings are compared: pinned, subtracted, swapped, linked and let go", async () => {
  await onPage(lab, { fragment: {} }, async ({ page }) => {
    await named(page, "pin").click();
    await until(page, { a: "v=1" });
    await named(page, "compare-line").waitFor();
    await apply(page, { t: 4 });
    await until(page, { t: 4 });
    const [before, now] = await page.evaluate(async () => {
      const cell = async (t) => (await window.attentionLab.compute({ t })).weights.data[3 * 16 + 2 * 4 + 1];
      return [await cell(1), await cell(4)];
    });
    const shown = () => page.locator(".map-read").innerText();
    assert.ok((await shown()).endsWith((now - before).toFixed(4).replace("-", "−")), `${await shown()} is ${now - before}`);
    assert.match(await named(page, "compare-line").innerText(), /t 1 → 4/);
    const button = (at) => named(page, "compare-line").locator(".seg button").nth(at);
    await button(0).click();
    assert.ok((await shown()).endsWith(before.toFixed(4)), await shown());
    await button(1).click();
    assert.ok((await shown()).endsWith(now.toFixed(4)), await shown());
    await named(page, "swap-ab").click();
    await until(page, { t: 1, a: "t=4" });
    // The link brings both.
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.evaluate(() => window.attentionLab.ready);
    assert.ok((await shown()).endsWith(`+${(before - now).toFixed(4)}`), await shown());
    // Another sentence has nothing to subtract, and says so; letting go shows the plain map again.
    await apply(page, { s: "我爱你和他" });
    await until(page, { s: "我爱你和他" });
    assert.match(await named(page, "compare-line").innerText(), /没法逐格相减/);
    await named(page, "unpin").click();
    await until(page, { a: "" });
    assert.equal(await named(page, "compare-line").count(), 0);
  });
});

test("a mistake without effect says so, and a healthy page raises no alarm", async () => {
  await onPage(lab, { lang: "en", fragment: {} }, async ({ page }) => {
    await part(page, 2);
    assert.match(await named(page, "diagnosis").innerText(), /Nothing wrong was found/);
    // Nothing is masked, so there is nothing to transpose.
    await choice(page, "bugs", 0).click();
    await until(page, { bug: "mask-transposed" });
    assert.match(await named(page, "diagnosis").innerText(), /changes no number here/);
    await apply(page, { mask: "causal" });
    await until(page, { mask: "causal" });
    assert.match(await named(page, "diagnosis").innerText(), /Most likely: mask transposed/);
  });
});

test("the last step says what is lost without an edge, a word and a head", async () => {
  await onPage(lab, { lang: "en", fragment: {} }, async ({ page }) => {
    await page.locator('[data-step="9"]').click();
    const body = await page.locator(".step-body").innerText();
    const shares = [...body.matchAll(/this (?:edge|key, in every head|head)\s*([\d.]+)%/g)].map(([, share]) => Number(share));
    assert.equal(shares.length, 3, body);
    assert.ok(shares.every((share) => share > 1 && share < 200), `${shares}`);
    assert.match(body, /w·‖v‖/);
  });
});

test("a mask is shown as code in four conventions, pasted back, and refused with a sentence", async () => {
  await onPage(lab, { lang: "en", fragment: { h: 1, mask: "causal" } }, async ({ page }) => {
    await part(page, 1);
    const said = () => named(page, "mask-said").innerText();
    const area = named(page, "mask-text");
    await choice(page, "convention", 1).click();
    assert.match(await area.inputValue(), /^np\.array\(\[\[False, True, True, True\],/);
    await choice(page, "convention", 0).click();
    assert.match(await area.inputValue(), /^np\.array\(\[\[True, False, False, False\],/);
    const before = await rows(page);
    for (const [text, reason] of [["True False", /16 cells are needed and there are 2/], ["perhaps ".repeat(16), /“perhaps” means nothing/], ["<b>1</b>", /“<b>1<\/b>” means nothing/]]) {
      await area.fill(text);
      await named(page, "use-mask").click();
      await page.waitForFunction(() => document.querySelector("[data-name=mask-said]").textContent);
      assert.match(await said(), reason);
      assert.equal(await area.inputValue(), text, "what was refused stays to be mended");
      assert.deepEqual(await rows(page), before);
    }
    // The diagonal and nothing else.
    await area.fill([0, 1, 2, 3].map((q) => [0, 1, 2, 3].map((k) => (q === k ? "True" : "False")).join(" ")).join("\n"));
    await named(page, "use-mask").click();
    await page.waitForFunction(() => window.attentionLab.state().cells);
    assert.deepEqual(await rows(page), [0, 1, 2, 3].map((q) => [0, 1, 2, 3].map((k) => Number(q === k))));
  });
});
