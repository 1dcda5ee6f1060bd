// Every control does what it says, live while it moves and as one step of undo when it rests; pointer and keyboard alike.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { apply, cells, choice, drawn, named, onPage, spokenCell, state, tokens, until } from "./steps.mjs";

let lab;
before(async () => (lab = await launch()));
after(() => lab?.close());

const MAP = ".map-grid";
/** What the map's read-out says: [query, key, number]. */
const readOut = async (page) => spokenCell(await page.locator(".map-read").innerText());
/** What a screen reader hears of the active cell. */
const active = async (page) => {
  await drawn(page);
  return page.evaluate(() => document.getElementById(document.querySelector(".map-grid").getAttribute("aria-activedescendant")).textContent.trim());
};
const temperatureField = (page) => page.locator("input[data-name=temperature]");
/** The numbers of the open table, row by row without labels and sums. */
const table = (page) => page.locator(".numbers tbody tr").evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));

test("dragging the temperature changes the weights live and is one step of undo", async () => {
  await onPage(lab, { fragment: { t: 3 } }, async ({ page }) => {
    const before = await readOut(page);
    const entries = await page.evaluate(() => history.length);
    const slider = await page.locator("#temperature").boundingBox();
    const y = slider.y + slider.height / 2;
    const at = await page.locator("#temperature").evaluate((input) => (input.value - input.min) / (input.max - input.min));
    const thumb = 16;
    await page.mouse.move(slider.x + thumb / 2 + at * (slider.width - thumb), y);
    await page.mouse.down();
    const seen = [];
    for (const part of [0.7, 0.8, 0.9, 0.97]) {
      await page.mouse.move(slider.x + slider.width * part, y, { steps: 3 });
      await page.waitForFunction((last) => window.attentionLab.state().t !== last, seen.at(-1)?.t ?? 3);
      seen.push({ t: (await state(page)).t, weight: Number((await readOut(page))[2]) });
      assert.equal(await temperatureField(page).inputValue(), String(seen.at(-1).t), "the number follows the slider");
    }
    await page.mouse.up();
    for (const [i, now] of seen.entries()) {
      const last = i ? seen[i - 1] : { t: 3, weight: Number(before[2]) };
      assert.ok(now.t > last.t && now.weight < last.weight, `hotter is flatter: ${JSON.stringify([last, now])}`);
    }
    await page.waitForFunction((n) => history.length === n, entries + 1);
    const hot = (await state(page)).t;
    await page.goBack();
    await until(page, { t: 3 });
    assert.deepEqual(await readOut(page), before);
    assert.equal(await temperatureField(page).inputValue(), "3");
    await page.goForward();
    await until(page, { t: hot });
  });
});

test("the slider works by keyboard, and its value is spoken as the temperature", async () => {
  await onPage(lab, {}, async ({ page }) => {
    await page.locator("#temperature").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => window.attentionLab.state().t > 1);
    await page.keyboard.press("End");
    await until(page, { t: 20 });
    assert.equal(await page.locator("#temperature").getAttribute("aria-valuetext"), "20");
    await page.keyboard.press("Home");
    await until(page, { t: 0.05 });
    assert.equal(await page.locator("#temperature").getAttribute("aria-valuetext"), "0.05");
  });
});

test("a typed temperature is taken; nonsense gets a sentence and the picture stays", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const field = temperatureField(page);
    await field.fill("0.37");
    await field.press("Enter");
    await until(page, { t: 0.37 });
    await field.fill("2,5");
    await field.press("Tab");
    await until(page, { t: 2.5 });
    const before = await page.locator(".map-read").innerText();
    for (const nonsense of ["hot", "0", "-1", "21", "1e999", "NaN", ""]) {
      await field.fill(nonsense);
      await field.press("Enter");
      await page.locator("#temperature-error").waitFor();
      assert.match(await page.locator("#temperature-error").innerText(), /0\.05 到 20/);
      assert.equal(await field.getAttribute("aria-invalid"), "true");
      assert.equal((await state(page)).t, 2.5, nonsense);
      assert.equal(await page.locator(".map-read").innerText(), before);
      await field.fill("2.4");
      await field.press("Enter");
      await until(page, { t: 2.4 });
      assert.equal(await page.locator("#temperature-error").count(), 0);
      await field.fill("2.5");
      await field.press("Enter");
      await until(page, { t: 2.5 });
    }
  });
});

test("without the scale the scores are √d_k as large", async () => {
  await onPage(lab, { fragment: { w: "random", dk: 16, stage: "scaled", h: 1 } }, async ({ page }) => {
    const scaled = Number((await readOut(page))[2].replace("−", "-"));
    await choice(page, "scale", 1).click();
    await until(page, { scale: "none" });
    const raw = Number((await readOut(page))[2].replace("−", "-"));
    assert.ok(Math.abs(raw - 4 * scaled) < 0.001, `${scaled} × 4 = ${raw}`);
    await choice(page, "scale", 0).click();
    await until(page, { scale: "sqrt_dk" });
    assert.equal(await choice(page, "scale", 0).getAttribute("aria-pressed"), "true");
    await named(page, "more").click();
    await choice(page, "scale", 2).click();
    await until(page, { scale: "sqrt_dmodel" });
  });
});

test("the causal mask hatches the upper triangle and its weights are exactly 0", async () => {
  await onPage(lab, {}, async ({ page }) => {
    await named(page, "table").click();
    await page.locator(".numbers").waitFor();
    await choice(page, "mask", 1).click();
    await until(page, { mask: "causal" });
    const { weights } = await page.evaluate(async () => {
      const { weights } = await window.attentionLab.compute({ mask: "causal" });
      return { weights: [...weights.data] };
    });
    for (let h = 0; h < 8; h++) {
      for (let q = 0; q < 4; q++) for (let k = q + 1; k < 4; k++) assert.equal(weights[(h * 4 + q) * 4 + k], 0, `head ${h + 1}, ${q} → ${k}`);
    }
    const shown = await table(page);
    for (const [q, row] of shown.entries()) for (let k = q + 1; k < 4; k++) assert.equal(row[k], "0.0000");
    assert.ok(shown.every((row) => row.at(-1) === "1.0000"), "every row adds up to 1");
    // Beside its number a forbidden cell shows lines on a ground, a permitted one a single colour.
    const at = await cells(page);
    const canvas = await page.locator(`${MAP} canvas`).boundingBox();
    const places = [0, 1, 2, 3].flatMap((q) => [0, 1, 2, 3].map((k) => [at(q, k).x - canvas.x - 8, at(q, k).y - canvas.y + 12]));
    const colours = await page.evaluate((places) => {
      const map = document.querySelector(".map-grid canvas");
      const { data, width } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
      const pixel = (x, y) => data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3).join();
      return places.map(([x, y]) => {
        const seen = new Set();
        for (let row = 0; row < 8; row++) {
          for (let column = 0; column < 16; column++) seen.add(pixel(Math.round(x) + column, Math.round(y) + row));
        }
        return seen.size;
      });
    }, places);
    for (const [cell, count] of colours.entries()) {
      const [q, k] = [Math.floor(cell / 4), cell % 4];
      if (k > q) assert.ok(count > 1, `${q}, ${k} is hatched`);
      else assert.equal(count, 1, `${q}, ${k} is not hatched`);
    }
    assert.equal(await page.locator(".legend .hatch").count(), 1, "the legend names the hatching");
    await page.locator(MAP).focus();
    await page.keyboard.press("End");
    assert.match(await active(page), /（掩码禁止）/);
    await choice(page, "mask", 0).click();
    await until(page, { mask: "none" });
    assert.equal(await page.locator(".legend .hatch").count(), 0);
  });
});

test("<PAD> tokens take weight until the padding mask hides them", async () => {
  await onPage(lab, { fragment: { h: 1 } }, async ({ page }) => {
    await choice(page, "mask", 2).click();
    await until(page, { mask: "padding" });
    assert.match(await page.locator(".controls-note").innerText(), /<PAD>/, "without a <PAD> the page says that there is none");
    await named(page, "more").click();
    await page.locator("#pad").fill("3");
    await page.locator("#pad").press("Enter");
    await until(page, { pad: 3 });
    assert.deepEqual((await tokens(page)).slice(-3), ["<PAD>", "<PAD>", "<PAD>"]);
    await named(page, "table").click();
    for (const row of (await table(page)).slice(0, 4)) assert.deepEqual(row.slice(4, 7), ["0.0000", "0.0000", "0.0000"]);
    assert.equal(await page.locator(".controls-note").count(), 0);
    await choice(page, "mask", 0).click();
    await until(page, { mask: "none" });
    assert.deepEqual((await table(page))[0].slice(0, 7), Array(7).fill("0.1429"));
    await page.locator("#pad").fill("9");
    await page.locator("#pad").press("Enter");
    await page.locator("#number-error").waitFor();
    assert.equal((await state(page)).pad, 3);
  });
});

test("without <BOS>, and cut in other ways, the tokens are others", async () => {
  await onPage(lab, { fragment: { s: "猫追the老鼠" } }, async ({ page }) => {
    await named(page, "more").click();
    await choice(page, "bos", 1).click();
    await until(page, { bos: 0 });
    assert.deepEqual(await tokens(page), ["猫", "追", "the", "老鼠"]);
    for (const [at, tok, cut] of [
      [1, "char", ["猫", "追", "t", "h", "e", "老", "鼠"]],
      [2, "space", ["猫追the老鼠"]],
      [0, "word", ["猫", "追", "the", "老鼠"]],
    ]) {
      await choice(page, "tok", at).click();
      await until(page, { tok });
      assert.deepEqual(await tokens(page), cut, tok);
      assert.equal(await page.locator(".arcs [data-word]").count(), cut.length);
    }
    await choice(page, "tok", 3).click();
    await until(page, { tok: "byte" });
    assert.equal((await tokens(page)).length, new TextEncoder().encode("猫追the老鼠").length);
  });
});

test("random weights: heads, d_k and seed are followed, and never dressed as constructed", async () => {
  await onPage(lab, {}, async ({ page }) => {
    assert.match(await named(page, "badge").innerText(), /构造/);
    await named(page, "more").click();
    await choice(page, "w", 1).click();
    await until(page, { w: "random" });
    assert.match(await named(page, "badge").innerText(), /随机/);
    for (const [id, value, key] of [["heads", 12, "heads"], ["dk", 32, "dk"], ["seed", 4294967295, "seed"]]) {
      await page.locator(`#${id}`).fill(String(value));
      await page.locator(`#${id}`).press("Enter");
      await until(page, { [key]: value });
    }
    assert.equal(await page.locator(".head").count(), 12);
    assert.match(await page.locator(".foot").innerText(), /12 头 · d\s*k\s*32/);
    const first = await page.locator(".map-read").innerText();
    await page.locator("#seed").fill("7");
    await page.locator("#seed").press("Enter");
    await until(page, { seed: 7 });
    assert.notEqual(await page.locator(".map-read").innerText(), first, "another seed, other numbers");
    for (const [id, nonsense] of [["heads", "17"], ["dk", "0"], ["seed", "4294967296"], ["heads", "2.5"]]) {
      await page.locator(`#${id}`).fill(nonsense);
      await page.locator(`#${id}`).press("Enter");
      await page.locator("#number-error").waitFor();
      const now = await state(page);
      assert.deepEqual([now.heads, now.dk, now.seed], [12, 32, 7], `${id} = ${nonsense}`);
    }
  });
});

test("without positions 我爱你 can't tell who loves whom: .4994 and .4994", async () => {
  await onPage(lab, { fragment: { s: "我爱你", q: 2, k: 1 } }, async ({ page }) => {
    assert.ok(Number((await readOut(page))[2]) > 0.9);
    await named(page, "more").click();
    await choice(page, "pos", 1).click();
    await until(page, { pos: "off" });
    assert.deepEqual(await readOut(page), ["爱", "我", "0.4994"]);
    const at = await cells(page);
    await page.mouse.click(at(2, 3).x, at(2, 3).y);
    await until(page, { q: 2, k: 3 });
    assert.deepEqual(await readOut(page), ["爱", "你", "0.4994"]);
  });
});

test("a click selects a cell, hovering only previews it", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const at = await cells(page);
    await page.mouse.move(at(3, 2).x, at(3, 2).y);
    await page.waitForFunction(() => document.querySelector(".map-read").textContent.startsWith("老鼠 对 追"));
    assert.deepEqual([(await state(page)).q, (await state(page)).k], [2, 1]);
    await page.mouse.click(at(3, 0).x, at(3, 0).y);
    await until(page, { q: 3, k: 0 });
    assert.match(await page.locator(".story h2").innerText(), /^老鼠 → BOS/);
    assert.equal(await page.locator(".arcs [data-word][aria-pressed=true]").getAttribute("data-word"), "3");
    await page.mouse.move(5, 5);
    await page.waitForFunction(() => document.querySelector(".map-read").textContent.startsWith("老鼠 对 BOS"));
  });
});

test("a quick stroke of the pencil leaves no cell out, and begins anew where it comes back to the map", async () => {
  await onPage(lab, { fragment: { s: "猫追老鼠狗吃鱼" } }, async ({ page }) => {
    await named(page, "pencil").click();
    await page.locator(`${MAP}[data-is=pencil]`).waitFor();
    const at = await cells(page);
    await page.mouse.move(at(1, 1).x, at(1, 1).y);
    await page.mouse.down();
    await page.mouse.move(at(5, 5).x, at(5, 5).y); // one event for four cells
    const box = await page.locator(`${MAP} canvas`).boundingBox();
    await page.mouse.move(at(5, 5).x, box.y + box.height + 40);
    await page.mouse.move(at(5, 1).x, at(5, 1).y);
    await page.mouse.up();
    const set = await page.evaluate(async () => {
      const { weights: { data, shape } } = await window.attentionLab.compute({ ...window.attentionLab.state() });
      const [, n] = shape;
      return Array.from({ length: n * n }, (_, i) => i).filter((i) => data[i] === 0).map((i) => [Math.floor(i / n), i % n]);
    });
    assert.deepEqual(set, [[1, 1], [2, 2], [3, 3], [4, 4], [5, 1], [5, 5]]);
  });
});

test("the answer names the key that is looked at most, and the chosen one where it is another", async () => {
  await onPage(lab, { lang: "en", fragment: "q=1&k=2&mask=causal&h=2" }, async ({ page }) => {
    assert.match(await page.locator(".answer p").innerText(), /猫 looks at BOS, weight (1\.00|> 0\.99) \(chosen: 追, forbidden by the mask\)/);
    await page.evaluate(() => window.attentionLab.apply({ mask: "none" }));
    await until(page, { mask: "none" });
    assert.match(await page.locator(".answer p").innerText(), /猫 looks at BOS, weight (1\.00|> 0\.99) \(chosen: 追 (<0\.01|0)\)/);
  });
});

test("the pencil is put down where it is used, and its line does not move the map", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const top = () => page.locator(MAP).evaluate((map) => map.getBoundingClientRect().top + scrollY);
    const before = await top();
    await named(page, "pencil").click();
    await named(page, "pencil-done").waitFor();
    assert.equal(await top(), before, "the map stays where it was");
    await named(page, "pencil-done").click();
    await page.locator(`${MAP}:not([data-is])`).waitFor();
    assert.equal(await named(page, "pencil-done").count(), 0);
  });
});

test("the pencil: a drag sets cells as one step, Space sets the active one, clearing takes all back", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const at = await cells(page);
    await page.mouse.click(at(1, 1).x, at(1, 1).y);
    await until(page, { q: 1, k: 1, cells: "" });
    await named(page, "pencil").click();
    await page.locator(`${MAP}[data-is=pencil]`).waitFor();
    const now = await cells(page);
    await page.mouse.move(now(2, 0).x, now(2, 0).y);
    await page.mouse.down();
    await page.mouse.move(now(2, 1).x, now(2, 1).y, { steps: 4 });
    await page.mouse.move(now(2, 2).x, now(2, 2).y, { steps: 4 });
    await page.mouse.up();
    // Width 3; 2 × 3 untouched, 3 forbidden: 3, 6·4+0, 3·4+1.
    const dragged = Buffer.from([3, 24, 13]).toString("base64url");
    await until(page, { cells: dragged });
    const row = await page.evaluate(async () => {
      const { cells } = window.attentionLab.state();
      const { weights } = await window.attentionLab.compute({ cells });
      return [...weights.data.slice((3 * 4 + 2) * 4, (3 * 4 + 2) * 4 + 4)];
    });
    assert.deepEqual(row, [0, 0, 0, 1], "追 can only look at 老鼠");
    assert.deepEqual([(await state(page)).q, (await state(page)).k], [1, 1], "with the pencil a click selects nothing");
    await page.goBack();
    await until(page, { cells: "" });
    await page.goForward();
    await until(page, { cells: dragged });

    await page.locator(MAP).focus();
    await page.keyboard.press("PageUp");
    await page.keyboard.press("Home");
    await until(page, { q: 0, k: 0 });
    await page.keyboard.press("Space");
    await page.waitForFunction((dragged) => window.attentionLab.state().cells !== dragged, dragged);
    assert.match(await active(page), /^BOS 对 BOS：0\.00（掩码禁止）$/);
    await page.keyboard.press("Space");
    await until(page, { cells: dragged });
    await page.keyboard.press("Escape");
    await page.locator(`${MAP}:not([data-is])`).waitFor();
    assert.equal(await named(page, "pencil").getAttribute("aria-pressed"), "false");
    await named(page, "clear-cells").click();
    await until(page, { cells: "" });
    assert.equal(await named(page, "clear-cells").count(), 0);
  });
});

test("a row without any key gives zeros and a warning", async () => {
  await onPage(lab, {}, async ({ page }) => {
    // 4 wide, 8 untouched, 4 forbidden: all of row 2.
    await apply(page, { cells: Buffer.from([4, 32, 17]).toString("base64url") });
    assert.match(await page.locator(".readings [data-is=warning]").innerText(), /追 没有任何可以看的键/);
    assert.deepEqual((await state(page)).warnings.map(({ code }) => code), ["fully_masked_rows"]);
    await named(page, "table").click();
    assert.deepEqual((await table(page))[2], ["0.0000", "0.0000", "0.0000", "0.0000", "0.0000"]);
  });
});

test("the map is walked by keyboard, and every cell is a sentence", async () => {
  await onPage(lab, {}, async ({ page }) => {
    assert.equal(await active(page), "追 对 猫：0.99");
    await page.locator(MAP).focus();
    for (const [key, q, k, sentence] of [
      ["ArrowRight", 2, 2, /^追 对 追：\d\.\d\d$/],
      ["ArrowUp", 1, 2, /^猫 对 追：/],
      ["ArrowLeft", 1, 1, /^猫 对 猫：/],
      ["Home", 1, 0, /^猫 对 BOS：/],
      ["ArrowLeft", 1, 0, /^猫 对 BOS：/],
      ["PageUp", 0, 0, /^BOS 对 BOS：/],
      ["ArrowUp", 0, 0, /^BOS 对 BOS：/],
      ["End", 0, 3, /^BOS 对 老鼠：/],
      ["PageDown", 3, 3, /^老鼠 对 老鼠：/],
      ["ArrowDown", 3, 3, /^老鼠 对 老鼠：/],
    ]) {
      await page.keyboard.press(key);
      await until(page, { q, k });
      await page.waitForFunction((id) => document.querySelector(".map-grid").getAttribute("aria-activedescendant") === id, `cell-${q}-${k}`);
      assert.match(await active(page), sentence, key);
      const grid = page.locator(MAP);
      assert.equal(await grid.locator("[role=row]").getAttribute("aria-rowindex"), String(q + 1));
      assert.equal(await grid.locator("[role=gridcell][aria-selected=true]").getAttribute("aria-colindex"), String(k + 1));
    }
    assert.deepEqual([await page.locator(MAP).getAttribute("aria-rowcount"), await page.locator(MAP).getAttribute("aria-colcount")], ["4", "4"]);
  });
});

test("heads are chosen by click and by arrow keys, and go round", async () => {
  await onPage(lab, {}, async ({ page }) => {
    await page.locator(".head[data-head='5']").click();
    await until(page, { h: 5 });
    assert.deepEqual((await readOut(page)).slice(0, 2), ["追", "老鼠"], "the patient head answers for the same verb");
    for (const [key, h] of [["ArrowRight", 6], ["ArrowDown", 7], ["End", 8], ["ArrowRight", 1], ["ArrowLeft", 8], ["Home", 1]]) {
      await page.keyboard.press(key);
      await until(page, { h });
      assert.equal(await page.evaluate(() => document.activeElement.dataset.head), String(h), "the focus goes along");
      assert.equal(await page.locator(".head[aria-checked=true]").count(), 1);
    }
  });
});

test("the question's swap asks whom instead of who", async () => {
  await onPage(lab, {}, async ({ page }) => {
    assert.match(await page.locator(".answer h1").innerText(), /谁在追/);
    await named(page, "swap").click();
    await until(page, { h: 5, q: 2, k: 3 });
    assert.match(await page.locator(".answer h1").innerText(), /追谁/);
    assert.match(await page.locator(".answer p").innerText(), /老鼠.*0\.99/);
  });
});

test("words of the line are chosen by arrow keys", async () => {
  await onPage(lab, {}, async ({ page }) => {
    await page.locator(".arcs [data-word='2']").focus();
    for (const [key, q] of [["ArrowRight", 3], ["ArrowRight", 3], ["Home", 0], ["ArrowLeft", 0], ["End", 3], ["ArrowLeft", 2]]) {
      await page.keyboard.press(key);
      await until(page, { q });
      await page.waitForFunction((q) => document.activeElement.dataset.word === q, String(q));
    }
  });
});

test("the inspector walks its ten steps by ← and →", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const open = (step) => page.locator(`.step[data-step='${step}'][aria-expanded=true]`).waitFor();
    await open(1);
    await page.keyboard.press("ArrowRight");
    await open(2);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await open(0);
    await page.keyboard.press("ArrowLeft");
    await open(0);
    assert.equal(await named(page, "step-back").isDisabled(), true);
    for (let step = 1; step < 10; step++) {
      await page.keyboard.press("ArrowRight");
      await open(step);
    }
    assert.equal(await named(page, "step-on").isDisabled(), true);
    await named(page, "step-back").click();
    await open(8);
    await page.locator(".step[data-step='3']").click();
    await open(3);
    await page.keyboard.press("ArrowRight");
    await open(4);
    assert.equal(await page.locator(".step[aria-expanded=true]").count(), 1);
    // Arrows in the sentence box move its cursor, not the steps.
    await named(page, "sentence").click();
    await page.keyboard.press("ArrowRight");
    await open(4);
    // The weight at the end is the weight of the map.
    assert.match(await page.locator(".step[data-step='8'] em").innerText(), /0\.98\d|0\.99/);
  });
});

test("Escape closes what is open", async () => {
  await onPage(lab, {}, async ({ page }) => {
    for (const [opener, panel] of [["share", "#share"], ["edit-word", "#word-editor"], ["all-presets", ".preset-groups"]]) {
      await named(page, opener).click();
      await page.locator(panel).waitFor();
      assert.equal(await named(page, opener).getAttribute("aria-expanded"), "true");
      await page.keyboard.press("Escape");
      await page.locator(panel).waitFor({ state: "detached" });
      assert.equal(await named(page, opener).getAttribute("aria-expanded"), "false");
    }
  });
});

test("presets bring their sentence and selection, as one step", async () => {
  await onPage(lab, { fragment: { t: 4 } }, async ({ page }) => {
    await page.locator("[data-preset=i-love-you]").first().click();
    await until(page, { s: "我爱你", t: 1, q: 2, k: 1 });
    await named(page, "all-presets").click();
    await page.locator(".preset-groups [data-preset=passive]").click();
    await page.waitForFunction(() => window.attentionLab.state().s !== "我爱你");
    assert.equal((await state(page)).current, true);
    await page.goBack();
    await until(page, { s: "我爱你" });
    await page.goBack();
    await until(page, { s: "猫追老鼠", t: 4 });
  });
});

test("contrast and stages say what they show", async () => {
  await onPage(lab, {}, async ({ page }) => {
    for (const [at, stage] of [[1, "raw"], [2, "scaled"], [3, "masked"], [0, "weights"]]) {
      await choice(page, "stage", at).click();
      await until(page, { stage });
    }
    await named(page, "more").click();
    await choice(page, "contrast", 1).click();
    await until(page, { contrast: "auto" });
    assert.match(await page.locator(".legend .badge").innerText(), /自动/);
    await choice(page, "contrast", 0).click();
    await until(page, { contrast: "fixed" });
    assert.equal(await page.locator(".legend .badge").count(), 0);
  });
});
