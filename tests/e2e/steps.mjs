// Steps that several tests share: opening the drawn page, talking to `window.attentionLab`, finding cells of the map.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** A file of the golden values, parsed. */
export const golden = (name) => JSON.parse(readFileSync(new URL(`../golden/${name}`, import.meta.url), "utf8"));

/** Opens a page, waits for its first picture, runs `body(visit)`, and fails when the page was not quiet. */
export async function onPage(lab, options, body) {
  const visit = await lab.page(options);
  try {
    await visit.page.evaluate(() => window.attentionLab.ready);
    await body(visit);
    visit.assertClean();
  } finally {
    await visit.close();
  }
}

/** A typed array that `call` makes in the page: `{typed: "Float32Array", data: [...]}`, or `fill` zeros. */
export const typed = (name, data) => (typeof data === "number" ? { typed: name, fill: data } : { typed: name, data: [...data] });

/** `{shape, data}` as the API takes it. */
export const array = (shape, data, name = "Float32Array") => ({ shape, data: typed(name, data) });

/**
 * Calls a method of `window.attentionLab`; typed arrays come back as `{typed, data}` and what is thrown as `{error}`.
 * @returns {Promise<{value?: any, error?: {isError: boolean, name: string, code: string, message: string}}>}
 */
export function call(page, method, argument) {
  return page.evaluate(
    async ([method, argument]) => {
      const revive = (value) => {
        if (Array.isArray(value)) return value.map(revive);
        if (typeof value !== "object" || value === null) return value;
        if (value.typed) return new globalThis[value.typed](value.fill ?? value.data);
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, revive(part)]));
      };
      const plain = (value) => {
        if (ArrayBuffer.isView(value)) return { typed: value.constructor.name, data: Array.from(value) };
        if (Array.isArray(value)) return value.map(plain);
        if (typeof value !== "object" || value === null) return value;
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
      };
      try {
        return { value: plain(await window.attentionLab[method](revive(argument))) };
      } catch (error) {
        const { name, code, message } = error ?? {};
        return { error: { isError: error instanceof Error, name, code, message } };
      }
    },
    [method, argument],
  );
}

/** The answer of a call that must succeed. */
export async function answer(page, method, argument) {
  const { value, error } = await call(page, method, argument);
  assert.equal(error, undefined, `${method}(${JSON.stringify(argument)?.slice(0, 200)})`);
  return value;
}

export const state = (page) => answer(page, "state");
export const apply = (page, keys) => answer(page, "apply", keys);
export const compute = (page, keys) => answer(page, "compute", keys);

/** Settings of a state: everything that does not depend on how fast this machine is. */
export function settled(state) {
  const { elapsedMs, notices, ...rest } = state;
  return rest;
}

/** Waits for the next frame, and for all that follows it (`use_snapshot` in src/web/hooks.rs). */
export const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));

/** Waits until the state holds these keys; the failure shows what it holds instead. */
export async function until(page, keys) {
  try {
    await page.waitForFunction(
      (keys) => {
        const state = window.attentionLab.state();
        return Object.entries(keys).every(([key, value]) => JSON.stringify(state[key]) === JSON.stringify(value));
      },
      keys,
      { timeout: 5000 },
    );
    await drawn(page);
  } catch {
    const now = await state(page);
    const held = Object.fromEntries(Object.keys(keys).map((key) => [key, now[key]]));
    assert.deepEqual(held, keys);
  }
}

/** Fails unless |got − want| ≤ tolerance × (1 + |want|) everywhere; infinities must be the same, NaN never passes. */
export function close(got, want, tolerance, what) {
  assert.equal(got.length, want.length, `${what}: how many numbers`);
  for (let at = 0; at < want.length; at++) {
    const same = got[at] === want[at] || Math.abs(got[at] - want[at]) <= tolerance * (1 + Math.abs(want[at]));
    assert.ok(same, `${what}[${at}]: ${got[at]}, expected ${want[at]}`);
  }
}

/** The texts of the tokens on show. */
export const tokens = async (page) => (await state(page)).tokens.map(({ text }) => text);

/** The cell of the map that a sentence like 追 对 猫：0.9890 or "cat to mat: 0.99" speaks of. */
export const spokenCell = (sentence) => /^(.+?) (?:对|to) (.+?)(?:：|: )(\S+?)(?:（.*| \(.*)?$/.exec(sentence)?.slice(1) ?? [];

/**
 * Where the cells of the big map are: resolves to `(query, key) => {x, y}` in the view, indices from 0.
 * The map is one canvas; its own read-out under the pointer says where each cell begins and ends. The labels of the
 * sentence must differ from one another.
 */
export async function cells(page) {
  await page.locator(".map-grid canvas").scrollIntoViewIfNeeded();
  const found = await page.evaluate(async () => {
    const canvas = document.querySelector(".map-grid canvas");
    const read = document.querySelector(".map-read");
    const grid = document.querySelector(".map-grid");
    const [rows, columns] = [grid.ariaRowCount, grid.ariaColCount].map(Number);
    const box = canvas.getBoundingClientRect();
    const rendered = () => new Promise((resolve) => setTimeout(resolve));
    const at = async (x, y) => {
      const where = { clientX: box.left + x, clientY: box.top + y, bubbles: true };
      canvas.dispatchEvent(new PointerEvent("pointermove", where));
      await rendered();
      return read.textContent.replace(/[：:].*$/s, "");
    };
    const rest = await at(0, 0);
    // A line across the map tells all its cells apart, unless it crosses the selected one, which also stands for "nothing".
    const scan = async (length, point, count) => {
      const runs = new Map();
      for (let place = 1; place < length; place += 3) {
        const text = await at(...point(place));
        if (text === rest) continue;
        const run = runs.get(text);
        if (run) run[1] = place;
        else runs.set(text, [place, place]);
      }
      return runs.size === count ? [...runs.values()].map(([from, to]) => (from + to) / 2) : null;
    };
    let ys = null;
    let xs = null;
    for (const part of [0.5, 0.4, 0.6, 0.3, 0.7, 0.8]) ys ??= await scan(box.height, (y) => [box.width * part, y], rows);
    for (const y of ys ?? []) xs ??= await scan(box.width, (x) => [x, y], columns);
    canvas.dispatchEvent(new PointerEvent("pointerleave", { bubbles: true }));
    canvas.dispatchEvent(new PointerEvent("pointerout", { bubbles: true, relatedTarget: document.body }));
    return { xs, ys };
  });
  assert.ok(found.xs && found.ys, "the read-out under the pointer tells every cell apart");
  const box = await page.locator(".map-grid canvas").boundingBox();
  return (query, key) => ({ x: box.x + found.xs[key], y: box.y + found.ys[query] });
}

/** A button by its `data-name`. */
export const named = (page, name) => page.locator(`[data-name="${name}"]`);

/** The nth choice (from 0) of a row of choices. */
export const choice = (page, row, at) => page.locator(`.seg[data-name="${row}"] button`).nth(at);
