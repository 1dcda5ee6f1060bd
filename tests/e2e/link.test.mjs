// The link carries everything, and no link breaks the page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { apply, choice, named, onPage, settled, state, until } from "./steps.mjs";

let lab;
before(async () => (lab = await launch()));
after(() => lab?.close());

const RICH = {
  s: "女巫 追+哥布林 & the 100% <b>#1</b>，=?", feat: "女巫:noun+animate,哥布林,b:split", tok: "word", h: 5, q: 3, k: 1, t: 0.37,
  scale: "none", mask: "causal+padding", cells: "AhQF", pos: "off", bos: 0, pad: 2, stage: "masked", contrast: "auto", engine: "cpu", theme: "dark",
};

for (const [what, keys] of [
  ["everything at once", RICH],
  ["random weights", { w: "random", heads: 5, dk: 3, seed: 4294967295, h: 5, s: "The cat", tok: "char", lang: "en" }],
  ["nothing", {}],
]) {
  test(`the shared link opens the same state elsewhere: ${what}`, async () => {
    await onPage(lab, {}, async ({ page }) => {
      await apply(page, keys);
      const here = settled(await state(page));
      for (const [key, value] of Object.entries(keys)) assert.equal(here[key], value, key);
      await named(page, "share").click();
      const link = await named(page, "link").inputValue();
      // The reader's browser speaks the other language and is on another machine.
      await onPage(lab, { lang: here.lang === "zh" ? "en" : "zh", fragment: new URL(link).hash }, async ({ page: other }) => {
        assert.deepEqual(settled(await state(other)), here);
      });
    });
  });
}

test("copying puts the link on the clipboard, and says so when the browser refuses", async () => {
  const context = { permissions: ["clipboard-read", "clipboard-write"] };
  await onPage(lab, { context, fragment: { t: 2 } }, async ({ page }) => {
    await named(page, "share").click();
    await named(page, "copy").click();
    await page.getByText("已复制").waitFor();
    const link = await named(page, "link").inputValue();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
    assert.match(link, /[#&]t=2(&|$)/);
    assert.match(link, /lang=zh/);
  });
  const init = () => (navigator.clipboard.writeText = () => Promise.reject(new Error("denied")));
  await onPage(lab, { init }, async ({ page }) => {
    await named(page, "share").click();
    await named(page, "copy").click();
    await page.getByText("浏览器没有允许复制").waitFor();
    const selected = await named(page, "link").evaluate((input) => input.value.slice(input.selectionStart, input.selectionEnd));
    assert.equal(selected, await named(page, "link").inputValue());
  });
});

/** Garbage, what the page says about it (codes), and whether a person reads it on the page. */
const GARBAGE = [
  ["t=NaN", ["unreadable"], true],
  ["t=1e999", ["unreadable"], true],
  ["t=-Infinity", ["unreadable"], true],
  ["t=-3&pad=-1&h=-2&q=-1&k=-9", ["clamped", "clamped", "clamped", "clamped", "clamped"], true],
  ["t=99999999999999999999&pad=99&h=99&heads=99&dk=0&seed=99999999999", Array(6).fill("clamped"), true],
  ["t=0.5&t=2&t=3", ["repeated_key"], true],
  ["frobnicate=1&__proto__=x&constructor=y&toString=z&%00=1", ["unknown_keys"], false],
  ["s2=a&lesson=3&present=1", ["reserved_keys"], false],
  ["a=t%3D99%26wurst%3D1", ["clamped", "unknown_keys"], true],
  ["w=trained", ["not_yet"], true],
  ["bug=wurst&norm=x&score=&num=f8&tau=NaN&mask=window%2Bx&fill=no&pos=1", Array(8).fill("unreadable"), true],
  ["tau=0&window=0&prefix=999&draw=-1&stride=1e9", [...Array(4).fill("clamped"), "unreadable"], true],
  ["tok=wurst&w=&mask=causal%2Bcausalx&scale=%2B&stage=0&bos=yes&lang=fr&theme=pink", Array(8).fill("unreadable"), true],
  ["s=%E7%8C%AB%FF%E8%BF%BD%E8%80%81%E9%BC%A0", ["broken_escapes", "broken_characters"], true],
  ["s=%&t=%zz", ["broken_escapes", "broken_escapes", "unreadable"], true],
  ["cells=!!!", ["unreadable"], true],
  ["cells=AAAA", null, null],
  ["cells=____________________", ["unreadable"], true],
  ["q=99&k=99", ["selection_moved"], true],
  ["feat=a:wurst,b:noun", ["unknown_feature"], true],
  ["s=", ["nothing_to_read"], true],
  ["s=&pad=3", ["only_padding"], true],
  ["v=7", ["version"], true],
  ["&&&===&=&#&#t=2", null, null],
  ["%", null, null],
  [`s=${"a".repeat(70_000)}`, ["link_too_long", "sentence_too_long"], true],
  [`t=2&s=${encodeURIComponent("猫追老鼠，".repeat(1600))}`, ["link_too_long", "sentence_too_long"], true],
  [Array.from({ length: 12_000 }, (_, i) => `x${i}=1`).join("&"), ["link_too_long", "unknown_keys"], true],
  [`feat=${Array.from({ length: 500 }, (_, i) => `w${i}:noun`).join(",")}`, ["words_left_out"], true],
];

test("no link breaks the page, and what is wrong with it is said", async () => {
  const size = (fragment) => (fragment.length > 60 ? `${fragment.slice(0, 50)}… (${fragment.length})` : fragment);
  // The worst ones are opened, the rest are put into the address of an open page: both are ways in.
  for (const [fragment, codes] of GARBAGE.filter(([fragment]) => fragment.length > 60_000)) {
    await onPage(lab, { fragment }, async ({ page }) => {
      const { warnings } = await state(page);
      for (const code of codes ?? []) assert.ok(warnings.some((warning) => warning.code === code), `${size(fragment)}: ${warnings.map(({ code }) => code)}`);
    });
  }
  await onPage(lab, {}, async ({ page }) => {
    for (const [fragment, codes, visible] of GARBAGE) {
      await page.evaluate((fragment) => (location.hash = "#" + fragment), fragment);
      // hashchange comes in a task of its own, before the next timer.
      const marker = await page.evaluate(() => new Promise((resolve) => setTimeout(() => resolve(window.attentionLab.state()))));
      const said = marker.warnings.map(({ code }) => code);
      if (codes) {
        for (const code of new Set(codes)) {
          const count = codes.filter((other) => other === code).length;
          assert.equal(said.filter((other) => other === code).length, count, `${size(fragment)}: ${code} among ${said}`);
        }
      }
      for (const { text } of marker.warnings) assert.ok(text.length > 8 && !text.includes("undefined"), text);
      if (visible) {
        const shown = page.locator(".notices li");
        await shown.first().waitFor();
        assert.match(await shown.first().innerText(), /。/);
      }
      // The page lives: it answers, and the next link is read in full.
      const { current, tokens } = await apply(page, { s: "狗咬人" });
      assert.deepEqual([current, tokens.length >= 3], [true, true], size(fragment));
    }
    const hash = await page.evaluate(() => location.hash);
    assert.ok(hash.length < 70_000);
  });
});

test("a notice can be dismissed", async () => {
  await onPage(lab, { fragment: "t=NaN&h=99" }, async ({ page }) => {
    assert.equal(await page.locator(".notices li").count(), 2);
    await page.locator("[data-code=unreadable] button").click();
    await page.locator("[data-code=unreadable]").waitFor({ state: "detached" });
    assert.equal(await page.locator("[data-code=clamped]").count(), 1);
  });
});

test("back and forward are undo and redo, of every kind of change", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const states = [settled(await state(page))];
    const steps = [
      () => page.locator(".head[data-head='5']").click(),
      () => choice(page, "mask", 1).click(),
      () => choice(page, "stage", 1).click(),
      () => page.locator("[data-preset=i-love-you]").first().click(),
    ];
    for (const step of steps) {
      const entries = await page.evaluate(() => history.length);
      await step();
      await page.waitForFunction((n) => history.length === n, entries + 1);
      states.push(settled(await state(page)));
    }
    const without = ({ warnings, engineWhy, ...rest }) => rest;
    for (let at = steps.length - 1; at >= 0; at--) {
      await page.goBack();
      await until(page, without(states[at]));
    }
    for (let at = 1; at <= steps.length; at++) {
      await page.goForward();
      await until(page, without(states[at]));
    }
  });
});

test("language and theme are the person's, and no step of undo", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const entries = await page.evaluate(() => history.length);
    await named(page, "language").click();
    await until(page, { lang: "en" });
    await named(page, "theme").click();
    await until(page, { theme: "dark" });
    assert.equal(await page.evaluate(() => history.length), entries);
    assert.match(page.url(), /lang=en.*theme=dark/);
  });
});

test("a hand-edited address is followed at once, without a reload", async () => {
  await onPage(lab, { fragment: "t=2" }, async ({ page }) => {
    await page.evaluate(() => (window.same = true));
    await page.evaluate(() => (location.hash = "#s=狗咬人&t=0.5&h=5"));
    await until(page, { s: "狗咬人", t: 0.5, h: 5 });
    assert.equal(await named(page, "sentence").inputValue(), "狗咬人");
    await page.evaluate(() => (location.hash = ""));
    await until(page, { s: "猫追老鼠", t: 1, h: 4 });
    assert.equal(await page.evaluate(() => window.same), true);
    await page.goBack();
    await until(page, { s: "狗咬人", t: 0.5 });
  });
});

test("keys at their default are left out of the address, and plain Chinese in it is read", async () => {
  await onPage(lab, { fragment: "s=猫追老鼠&t=1&h=4" }, async ({ page }) => {
    assert.deepEqual((await state(page)).warnings, []);
    await apply(page, { t: 2 });
    assert.equal(await page.evaluate(() => location.hash), "#t=2");
    await apply(page, { t: 1 });
    assert.equal(await page.evaluate(() => location.hash), "");
  });
});
