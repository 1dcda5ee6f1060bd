// What the tests of the view on a long text do more than once, and the weights of its first head by plain loops.
import { launch } from "./harness.mjs";

/** Opens a page of the view (of the sentence where `plain`) that must stay quiet, and closes it with its test. */
export async function withPage(t, { plain = false, ...options }) {
  const browser = await launch();
  const opened = await browser.page(options);
  t.after(async () => {
    await browser.close();
    opened.assertClean();
  });
  await opened.page.waitForSelector(plain ? ".main .map-grid canvas" : ".document-canvas");
  return opened.page;
}

/** Rows computed, and rows in all, of all heads together. */
export const progressOf = (page) => page.evaluate(() => {
  const { value, max } = document.querySelector(".document-progress progress");
  return [value, max];
});

/** Waits until every head's map is there. */
export const finished = (page) => page.waitForSelector('[data-finished="true"]', { timeout: 120_000 });

/** Clicks the map at these shares of its width and height, the rulers not counted. */
export async function chooseAt(page, x, y) {
  const box = await page.locator(".document-canvas").boundingBox();
  const side = await page.locator(".document-canvas canvas").evaluate((canvas) => canvas.getBoundingClientRect().width - 76);
  await page.mouse.click(box.x + 76 + x * side, box.y + 60 + y * side);
}

/** The read-out of a cell, once it is of the cell clicked last. */
export async function cellRead(page) {
  await page.waitForFunction(() => {
    const chosen = Number(location.hash.match(/[#&]q=(\d+)/)?.[1]);
    const read = document.querySelector('[data-name="cell"]')?.dataset;
    return read && chosen >> 5 === Number(read.query) >> 5;
  });
  const { query, key, weight } = await page.locator('[data-name="cell"]').evaluate((cell) => ({ ...cell.dataset }));
  return { query: Number(query), key: Number(key), weight: Number(weight) };
}

const MASK = (1n << 64n) - 1n;
/** FNV-1a, 64 bits, of a text's bytes. */
const fnv = (text) => new TextEncoder().encode(text).reduce((hash, byte) => ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK, 0xcbf29ce484222325n);
/** The first number of SplitMix64. */
function mixed(seed) {
  let z = (seed + 0x9e3779b97f4a7c15n) & MASK;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return z ^ (z >> 31n);
}

/** One weight of the head "same word" over characters, from the formula: softmax of 24 · (1 − 2 · differing signs ÷ 48). */
export function sameWordByHand(text, query, key) {
  const characters = [...text].filter((c) => !/\s/.test(c)).slice(0, 16384).map((c) => c.toLowerCase());
  const codes = new Map();
  const code = (c) => codes.get(c) ?? codes.set(c, mixed(fnv(c)) & ((1n << 48n) - 1n)).get(c);
  const scores = new Map();
  const score = (c) => {
    if (!scores.has(c)) {
      const differing = (code(c) ^ code(characters[query])).toString(2).replaceAll("0", "").length;
      scores.set(c, 24 * (1 - (2 * differing) / 48));
    }
    return scores.get(c);
  };
  let sum = 0;
  for (const c of characters) sum += Math.exp(score(c));
  return Math.exp(score(characters[key])) / sum;
}
