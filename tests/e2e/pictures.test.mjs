// The main states look as they looked: screenshots against the images in pictures/.
// `UPDATE_PICTURES=1 node --test tests/e2e/pictures.test.mjs` takes them anew; look at them before they are committed.
// The fonts are those of the packages fonts-noto-cjk and fonts-liberation, as on every test machine.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { launch } from "./harness.mjs";
import { onPage } from "./steps.mjs";

let lab;
before(async () => (lab = await launch()));
after(() => lab?.close());

const folder = (name) => fileURLToPath(new URL(name, import.meta.url));
const [FOLDER, RESULTS] = [folder("pictures/"), folder("results/")];
const UPDATE = process.env.UPDATE_PICTURES === "1";
/** How many pixels may differ beyond antialiasing: fewer than a digit that changes. */
const TOLERATED = 24;

/** How many pixels of two pictures differ; Infinity when their sizes do. */
function difference(got, want) {
  const [a, b] = [got, want].map((png) => PNG.sync.read(png));
  if (a.width !== b.width || a.height !== b.height) return { pixels: Infinity, why: `${a.width} × ${a.height} instead of ${b.width} × ${b.height}` };
  const map = new PNG({ width: a.width, height: a.height });
  const pixels = pixelmatch(a.data, b.data, map.data, a.width, a.height, { threshold: 0.15, includeAA: false });
  return { pixels, why: `${pixels} of ${a.width * a.height} pixels`, map: PNG.sync.write(map) };
}

async function looksLike(name, element) {
  const file = `${FOLDER}${name}.png`;
  // A canvas by its own pixels, wherever the page puts it; all else as the screen shows it.
  const canvas = await element.evaluate((node) => (node instanceof HTMLCanvasElement ? node.toDataURL().split(",")[1] : ""));
  const got = canvas ? Buffer.from(canvas, "base64") : await element.screenshot({ animations: "disabled", caret: "hide", scale: "css" });
  if (UPDATE) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(file, got);
    return;
  }
  let want;
  try {
    want = readFileSync(file);
  } catch {
    assert.fail(`pictures/${name}.png is missing: take it with UPDATE_PICTURES=1, look at it, commit it.`);
  }
  const { pixels, why, map } = difference(got, want);
  if (pixels > TOLERATED) {
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(`${RESULTS}${name}.png`, got);
    if (map) writeFileSync(`${RESULTS}${name}.diff.png`, map);
  }
  assert.ok(pixels <= TOLERATED, `${name} looks different (${why}): see results/${name}.png and .diff.png`);
}

const MAP = ".map-grid canvas";
const ARCS = ".arcs canvas";
const PICTURES = [
  ["landing-map", MAP, {}],
  ["landing-map-dark", MAP, { theme: "dark" }],
  ["landing-map-phone", MAP, { width: 390, height: 844 }],
  ["causal-map", MAP, { fragment: { mask: "causal" } }],
  ["cells-map", MAP, { fragment: { cells: "AhQF", mask: "causal", h: 1 } }],
  ["raw-map", MAP, { fragment: { stage: "raw" } }],
  ["eleven-map", MAP, { fragment: { s: "那只被主人遗弃的猫终于找到了新家", q: 4, k: 6 } }],
  ["landing-arcs", ARCS, {}],
  ["landing-arcs-dark", ARCS, { theme: "dark" }],
  ["english-arcs", ARCS, { lang: "en", fragment: { s: "The cat that chased the mouse was tired", q: 4, k: 2 } }],
  ["unknown-arcs", ARCS, { fragment: { s: "女巫追哥布林", feat: "女巫,哥布林", q: 2, k: 1 } }],
  ["heads", ".strip", {}],
];

for (const [name, selector, options] of PICTURES) {
  test(`looks as it looked: ${name}`, async () => {
    await onPage(lab, { ...options, context: { deviceScaleFactor: 1, reducedMotion: "reduce" } }, async ({ page }) => {
      await looksLike(name, page.locator(selector));
    });
  });
}

test("the comparison sees another picture, and forgives none that is missing", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const shot = () => page.locator(MAP).screenshot({ scale: "css" });
    const one = await shot();
    assert.equal(difference(one, one).pixels, 0);
    await page.evaluate(() => window.attentionLab.apply({ t: 1.5 }));
    assert.ok(difference(await shot(), one).pixels > TOLERATED, "half a degree of temperature is seen");
    await page.evaluate(() => window.attentionLab.apply({ t: 1, k: 2 }));
    assert.ok(difference(await shot(), one).pixels > TOLERATED, "another selected cell is seen");
  });
  if (!UPDATE) await assert.rejects(onPage(lab, {}, ({ page }) => looksLike("no-such-picture", page.locator(".arcs"))), /missing/);
});
