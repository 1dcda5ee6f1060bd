// No serious violation that axe can find, a tab order that reaches everything, and a focus that is seen.
import { AxeBuilder } from "@axe-core/playwright";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { named, onPage, until } from "./steps.mjs";

let lab;
before(async () => (lab = await launch()));
after(() => lab?.close());

/** Axe, sparing the passes that nobody reads. */
const axe = (page) => new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] });

/** Fails at every serious or critical violation, each as a readable line. */
async function sound(page, what) {
  // A panel that is half faded in has half its contrast.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
  const { violations } = await axe(page).analyze();
  const grave = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const lines = grave.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary.replaceAll("\n", " ")}`));
  assert.deepEqual(lines, [], what);
}

const OPEN = {
  more: "#more-controls",
  "all-presets": ".preset-groups",
  "edit-word": "#word-editor",
  share: "#share",
  table: ".numbers",
};

for (const lang of ["zh", "en"]) {
  for (const theme of ["light", "dark"]) {
    test(`axe finds nothing serious in ${lang}, ${theme}`, async () => {
      await onPage(lab, { lang, theme }, async ({ page }) => {
        await sound(page, "the start");
        const open = async (name) => {
          await named(page, name).click();
          await page.locator(OPEN[name]).waitFor();
        };
        // Of the panels above the picture one is open at a time.
        await open("more");
        await open("table");
        await open("share");
        await sound(page, "more controls, the numbers and the link");
        await open("all-presets");
        await page.locator(".limits").click();
        await named(page, "pencil").click();
        await page.locator(".seg[data-name=mask] button").nth(1).click();
        await until(page, { mask: "causal" });
        await sound(page, "presets, limits, the pencil and a causal mask");
        await open("edit-word");
        await page.locator(".seg[data-name=w] button").nth(1).click();
        await until(page, { w: "random" });
        await page.locator("input[data-name=temperature]").fill("hot");
        await page.locator("input[data-name=temperature]").press("Enter");
        await page.locator("#temperature-error").waitFor();
        await sound(page, "the word editor, random weights and an error");
      });
    });
  }
}

test("axe finds nothing serious on a phone, with notices, marks and an unknown word", async () => {
  const fragment = "s=女巫追哥布林，它累了。&h=3&q=1&t=NaN&pad=2&mask=padding&cells=AhQF&contrast=auto";
  await onPage(lab, { width: 390, height: 844, fragment }, async ({ page }) => {
    await sound(page, "a phone");
  });
});

test("axe finds nothing serious with the steps of the story open", async () => {
  await onPage(lab, { fragment: { mask: "causal" } }, async ({ page }) => {
    for (const step of [0, 1, 4, 8, 9]) {
      await page.locator(`.step[data-step='${step}']`).click();
      await page.locator(`.step[data-step='${step}'][aria-expanded=true]`).waitFor();
      await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished)));
      const { violations } = await axe(page).include(".step-body").analyze();
      assert.deepEqual(violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes[0].html}`), [], `step ${step}`);
    }
  });
});

test("axe would find a violation if there were one", async () => {
  await onPage(lab, {}, async ({ page }) => {
    await page.evaluate(() => document.querySelector("[data-name=theme]").removeAttribute("aria-label"));
    await page.evaluate(() => document.querySelector("[data-name=theme]").removeAttribute("title"));
    await assert.rejects(sound(page, "a button without a name"), /button-name/);
  });
});

/** What has the focus: a name that says which control it is. */
const focused = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    if (element.dataset.reached) return null;
    const { outlineStyle, outlineWidth, borderBottomWidth } = getComputedStyle(element);
    const rect = element.querySelector?.(":scope > .word-focus");
    const seen =
      (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) ||
      (rect && parseFloat(getComputedStyle(rect).strokeWidth) >= 2 && getComputedStyle(rect).stroke !== "none") ||
      (element.tagName === "TEXTAREA" && parseFloat(borderBottomWidth) > 2);
    element.dataset.reached = "yes";
    return { name: element.dataset.name ?? element.id ?? element.className, seen, html: element.outerHTML.slice(0, 120) };
  });

for (const [width, height] of [[1440, 900], [390, 844]]) {
  test(`Tab reaches every control at ${width} × ${height}, in reading order, and the focus is seen`, async () => {
    await onPage(lab, { width, height }, async ({ page }) => {
      await named(page, "more").click();
      await named(page, "table").click();
      // From the very first control back out of the page, and in again.
      await named(page, "share").focus();
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Tab");
      const order = [];
      for (let presses = 0; presses < 120; presses++) {
        const now = await focused(page);
        if (!now) break;
        assert.ok(now.seen, `the focus is seen on ${now.html}`);
        order.push(now.name);
        await page.keyboard.press("Tab");
      }
      assert.ok(order.length > 30 && order.length < 120, `${order.length} stops`);
      const missed = await page.evaluate(() => {
        const all = [...document.querySelectorAll("button, input, textarea, select, a[href], [tabindex='0']")];
        const able = all.filter((element) => !element.disabled && element.tabIndex >= 0 && element.checkVisibility());
        return able.filter((element) => !element.dataset.reached).map((element) => element.outerHTML.slice(0, 120));
      });
      assert.deepEqual(missed, []);
      // One stop for all heads, one for all words, one for the whole map: arrows move inside.
      const stops = (selector) => page.locator(`${selector}[data-reached]`).count();
      assert.deepEqual([await stops(".head"), await stops(".arcs [data-word]"), await stops(".map-grid")], [1, 1, 1]);
      const place = (name) => order.indexOf(name);
      const sequence = ["share", "language", "theme", "sentence", "all-presets", "temperature", "more"].map(place);
      assert.deepEqual(sequence, [...sequence].sort((a, b) => a - b), `reading order: ${order}`);
    });
  });
}

test("the page has one main heading, landmarks with names, and speaks its changes", async () => {
  await onPage(lab, {}, async ({ page }) => {
    assert.equal(await page.locator("h1").count(), 1);
    for (const landmark of ["header", "main", "aside", "footer"]) assert.equal(await page.locator(landmark).count(), 1, landmark);
    assert.ok(await page.locator("aside").getAttribute("aria-label"));
    assert.equal(await page.locator("[role=status]:has(.notices)").getAttribute("aria-live"), "polite");
    assert.equal(await page.locator(".map-grid").getAttribute("role"), "grid");
    assert.match(await page.locator(".map-grid").getAttribute("aria-label"), /行是查询，列是键/);
  });
});
