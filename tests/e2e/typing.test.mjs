// Typing: input methods, unknown words and their features, cutting words by hand, and texts that nobody expects.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch } from "./harness.mjs";
import { answer, apply, compute, named, onPage, state, tokens, until } from "./steps.mjs";

let lab;
before(async () => (lab = await launch()));
after(() => lab?.close());

const box = (page) => named(page, "sentence");
const word = (page, at) => page.locator(`.arcs [data-word="${at}"]`);

/** What this browser's segmenter takes for words of more than one character. */
const words = (page, text) =>
  page.evaluate((text) => {
    const segments = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)];
    return segments.filter(({ isWordLike, segment }) => isWordLike && segment.length > 1).map(({ segment }) => segment);
  }, text);

/** Empties the sentence box and leaves the cursor in it. */
async function emptied(page) {
  await box(page).click();
  await box(page).fill("");
}

test("an input method composes undisturbed, and what it commits is taken", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const devtools = await page.context().newCDPSession(page);
    await box(page).click();
    await page.keyboard.press("ControlOrMeta+a");
    const before = await state(page);
    const places = await page.evaluate(() => [history.length, location.href]);
    for (const text of ["gou'y", "gou'yao'ren"]) {
      await devtools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
      assert.equal(await box(page).inputValue(), text, "the composition stands in the box");
      const now = await state(page);
      assert.deepEqual([now.s, now.tokens], [before.s, before.tokens], "and nothing of it is taken");
    }
    // Enter belongs to the input method: browsers give it the key code 229.
    for (const type of ["rawKeyDown", "keyUp"]) {
      await devtools.send("Input.dispatchKeyEvent", { type, key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 });
    }
    assert.equal(await box(page).inputValue(), "gou'yao'ren");
    assert.equal((await state(page)).s, before.s);
    assert.deepEqual(await page.evaluate(() => [history.length, location.href]), places);

    await devtools.send("Input.insertText", { text: "狗咬人" });
    await until(page, { s: "狗咬人" });
    assert.deepEqual(await tokens(page), ["<BOS>", "狗", "咬", "人"]);
    assert.equal(await box(page).inputValue(), "狗咬人");
    await page.locator(".arcs [data-word]").nth(3).waitFor();
    // A second word in the middle of the first.
    await page.keyboard.press("Home");
    await devtools.send("Input.imeSetComposition", { text: "wo", selectionStart: 2, selectionEnd: 2 });
    assert.equal((await state(page)).s, "狗咬人");
    await devtools.send("Input.insertText", { text: "我" });
    await until(page, { s: "我狗咬人" });
  });
});

test("a composition that is given up leaves the sentence as it was", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const devtools = await page.context().newCDPSession(page);
    await box(page).click();
    await page.keyboard.press("End");
    await devtools.send("Input.imeSetComposition", { text: "mao", selectionStart: 3, selectionEnd: 3 });
    await devtools.send("Input.imeSetComposition", { text: "", selectionStart: 0, selectionEnd: 0 });
    await page.waitForFunction(() => document.querySelector("[data-name=sentence]").value === "猫追老鼠");
    assert.equal((await state(page)).s, "猫追老鼠");
    assert.equal((await state(page)).current, true);
  });
});

test("every keystroke of an English sentence is followed, and Enter makes one step of undo of all of them", async () => {
  await onPage(lab, { lang: "en", fragment: "s=%E7%8C%AB" }, async ({ page }) => {
    await emptied(page);
    for (const [typed, cut] of [
      ["The cat", ["<BOS>", "The", "cat"]],
      [" chased the", ["<BOS>", "The", "cat", "chased", "the"]],
      [" mouse", ["<BOS>", "The", "cat", "chased", "the", "mouse"]],
    ]) {
      await page.keyboard.type(typed);
      await page.waitForFunction((n) => window.attentionLab.state().tokens.length === n, cut.length);
      assert.deepEqual(await tokens(page), cut);
    }
    assert.equal(await page.locator(".arcs [data-word]").count(), 6);
    await page.keyboard.press("Enter");
    assert.equal(await box(page).inputValue(), "The cat chased the mouse", "Enter is no line break");
    await page.waitForURL(/s=The/);
    await page.goBack();
    await until(page, { s: "猫" });
    assert.equal(await box(page).inputValue(), "猫");
    await page.goForward();
    await until(page, { s: "The cat chased the mouse" });
  });
});

test("a sentence that is typed opens on a row that tells", async () => {
  await onPage(lab, { fragment: "q=1&k=0" }, async ({ page }) => {
    const typed = async (text) => {
      await emptied(page);
      await page.keyboard.insertText(text);
      await until(page, { s: text });
      const { q, k } = await state(page);
      const all = await tokens(page);
      return [all[q], all[k]];
    };
    // No word of the first asks head 4 for anybody: nothing better than the row that was there.
    assert.equal((await typed("今天天气好"))[1], "<BOS>");
    // Whether 小狗 is one word is the browser's segmenter's business; who bites is a dog in both.
    const [asker, found] = await typed("小狗咬了小猫");
    assert.equal(asker, "咬");
    assert.match(found, /狗$/);
    // Without <BOS> the first word is an answer like any other.
    await apply(page, { bos: false });
    assert.deepEqual(await typed("狗咬人"), ["咬", "狗"]);
    await apply(page, { bos: true });
    // Random weights ask for nothing: there a row gives way that rests on the first token, if another one does not.
    for (const seed of [1, 2, 3, 4]) {
      await apply(page, { w: "random", seed, q: 1, k: 0 });
      await typed(`the cat saw a dog ${"!".repeat(seed)}`);
      const { h, q, k, s } = await state(page);
      const { weights } = await compute(page, { s, w: "random", seed });
      const [, n, m] = weights.shape;
      const strongest = (row) => {
        const start = ((h - 1) * n + row) * m;
        const numbers = weights.data.data.slice(start, start + m);
        return numbers.indexOf(Math.max(...numbers));
      };
      const all = Array.from({ length: n }, (_, row) => strongest(row));
      assert.equal(k, all[q], "the key follows its row");
      assert.equal(k === 0, all.every((key) => key === 0), `seed ${seed}: ${all}`);
    }
  });
});

test("a word that the lexicon lacks is offered for teaching, wherever the selection is", async () => {
  await onPage(lab, { lang: "en", fragment: "s=the%20wug%20chased%20the%20cat&q=3&k=1" }, async ({ page }) => {
    assert.equal((await state(page)).q, 3, "the verb asks");
    const teach = named(page, "teach");
    assert.equal(await teach.innerText(), "Not in the lexicon: wug");
    await teach.click();
    await until(page, { q: 2 });
    await page.locator("#word-editor").waitFor();
    assert.match(await page.locator("#word-editor h2").innerText(), /wug/);
    assert.equal(await teach.count(), 0, "it is the chosen word now");
    // Random weights know no word of any language: nothing there is to be taught.
    await page.evaluate(() => window.attentionLab.apply({ w: "random", q: "1" }));
    await until(page, { q: 1 });
    assert.equal(await teach.count(), 0);
  });
});

test("unknown words are marked, the segmenter's proposal lands in the link, and features make 追 look at 女巫", async () => {
  await onPage(lab, {}, async ({ page }) => {
    // Which words a browser's segmenter knows is its business: Chromium's has 女巫, and may or may not have 哥布林.
    const proposed = await words(page, "女巫追哥布林");
    assert.ok(proposed.includes("女巫"), `this browser sees ${proposed}`);
    await emptied(page);
    await page.keyboard.insertText("女巫追哥布林");
    await until(page, { s: "女巫追哥布林" });
    assert.deepEqual((await tokens(page)).slice(0, 3), ["<BOS>", "女巫", "追"]);
    assert.equal((await state(page)).feat, proposed.join(","));
    assert.match(await word(page, 1).getAttribute("aria-label"), /女巫，不在词典里/);
    assert.match(await word(page, 3).getAttribute("aria-label"), /，不在词典里/);
    assert.doesNotMatch(await word(page, 2).getAttribute("aria-label"), /不在词典里/);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => decodeURIComponent(url.hash).includes("feat=女巫"));

    const agent = async () => {
      const { s, feat } = await state(page);
      const { weights } = await compute(page, { s, feat });
      const [, n, m] = weights.shape;
      return weights.data.data.slice((3 * n + 2) * m, (3 * n + 2) * m + m);
    };
    const before = await agent();
    assert.ok(before[1] < 0.9, `unknown, 女巫 gets ${before[1]}`);
    await word(page, 1).click();
    await until(page, { q: 1 });
    assert.match(await page.locator(".word-bar").innerText(), /不在词典里/);
    await named(page, "edit-word").click();
    for (const feature of ["noun", "animate"]) {
      const chip = page.locator(`[data-feature=${feature}]`);
      assert.equal(await chip.getAttribute("aria-pressed"), "false");
      await chip.click();
      await page.locator(`[data-feature=${feature}][aria-pressed=true]`).waitFor();
    }
    await word(page, 2).click();
    await until(page, { q: 2, k: 1 });
    const { feat } = await state(page);
    assert.ok(feat.split(",").includes("女巫:noun+animate"), feat);
    const now = await agent();
    assert.equal(now.indexOf(Math.max(...now)), 1, `追 looks most at 女巫: ${now}`);
    assert.ok(now[1] > 0.9, `with ${now[1]}`);
    assert.match(await page.locator(".answer").innerText(), /女巫/);
    // The link says all of it.
    const again = await page.evaluate(() => location.hash);
    await onPage(lab, { fragment: again }, async ({ page: other }) => {
      assert.equal((await state(other)).feat, feat);
      assert.equal((await state(other)).k, 1);
    });
  });
});

test("what the segmenter saw in an unfinished word is forgotten when the word goes on", async () => {
  await onPage(lab, {}, async ({ page }) => {
    await emptied(page);
    for (const letters of ["女", "巫", "追", "哥", "布", "林"]) await page.keyboard.insertText(letters);
    await until(page, { s: "女巫追哥布林", feat: (await words(page, "女巫追哥布林")).join(",") });
  });
});

test("words are merged and split by hand, and both can be undone", async () => {
  await onPage(lab, { fragment: { q: 1 } }, async ({ page }) => {
    await named(page, "edit-word").click();
    await named(page, "merge").click();
    await page.waitForFunction(() => window.attentionLab.state().tokens.length === 3);
    assert.deepEqual(await tokens(page), ["<BOS>", "猫追", "老鼠"]);
    await named(page, "split").click();
    await page.waitForFunction(() => window.attentionLab.state().tokens.length === 4);
    assert.deepEqual(await tokens(page), ["<BOS>", "猫", "追", "老鼠"]);
    await word(page, 3).click();
    await until(page, { q: 3 });
    await named(page, "split").click();
    await page.waitForFunction(() => window.attentionLab.state().tokens.length === 5);
    assert.deepEqual(await tokens(page), ["<BOS>", "猫", "追", "老", "鼠"]);
    await page.goBack();
    await page.waitForFunction(() => window.attentionLab.state().tokens.length === 4);
    assert.deepEqual(await tokens(page), ["<BOS>", "猫", "追", "老鼠"]);
  });
});

test("an empty box keeps the last picture and says so", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const picture = () => page.evaluate(() => document.querySelector(".map-grid canvas").toDataURL());
    const before = await picture();
    for (const nothing of ["", "   "]) {
      await emptied(page);
      await page.keyboard.insertText(nothing);
      await page.locator("[data-code=nothing_to_read]").waitFor();
      const now = await state(page);
      assert.deepEqual([now.current, now.tokens.map(({ text }) => text)], [false, ["<BOS>", "猫", "追", "老鼠"]]);
      assert.match(await page.locator("[data-code=nothing_to_read]").innerText(), /请输入一句话/);
      assert.equal(await picture(), before);
    }
    await page.keyboard.insertText("狗");
    await page.waitForFunction(() => window.attentionLab.state().current);
    assert.equal(await page.locator("[data-code=nothing_to_read]").count(), 0);
    assert.deepEqual(await tokens(page), ["<BOS>", "狗"]);
  });
});

test("4,096 characters are read, one more is cut off, and both are said", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const long = "猫追老鼠，".repeat(900).slice(0, 4096);
    await emptied(page);
    await page.keyboard.insertText(long);
    await until(page, { s: long });
    const now = await state(page);
    assert.equal(now.tokens.length, 129, "<BOS> and 128 tokens are drawn");
    assert.ok(now.warnings.some(({ code }) => code === "sentence_cut"));
    assert.ok(!now.warnings.some(({ code }) => code === "sentence_too_long"));
    assert.match(await page.locator("[data-code=sentence_cut]").innerText(), /128/);
    await page.keyboard.press("End");
    await page.keyboard.insertText("猫");
    await page.locator("[data-code=sentence_too_long]").waitFor();
    assert.match(await page.locator("[data-code=sentence_too_long]").innerText(), /4097/);
    assert.equal((await state(page)).s, long);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  });
});

test("control characters, emoji, right-to-left text and broken surrogates are shown, not obeyed", async () => {
  await onPage(lab, {}, async ({ page }) => {
    const strange = ["猫\u0000追\u0007\u001b[31m老鼠", "猫\u202e追\u2066老鼠\u200b", "😀👩‍👩‍👧🇨🇳猫", "שלום عليكم 猫", "é\u0301\u0301\u0301猫", "\ufeff猫", "\ud800猫\udc00"];
    for (const s of strange) {
      const now = await apply(page, { s });
      assert.equal(now.current, true, JSON.stringify(s));
      const labels = await page.locator(".arcs [data-word]").evaluateAll((words) => words.map((word) => word.getAttribute("aria-label")));
      assert.equal(labels.length, now.tokens.length);
      for (const label of labels) assert.doesNotMatch(label, /[\u0000-\u001f\u202a-\u202e\u2066-\u2069]/, JSON.stringify(label));
    }
    await emptied(page);
    await page.keyboard.insertText("猫\t追\u0001老鼠\r\n狗");
    await page.waitForFunction(() => window.attentionLab.state().s.includes("狗"));
    assert.equal((await state(page)).current, true);
  });
});

test("markup in a sentence, a word or a link stays text", async () => {
  const evil = "</script><img src=x onerror=alert(1)><svg onload=alert(2)>";
  await onPage(lab, { fragment: { s: evil, feat: `${"<b>"}:noun,<img src=x>`, tok: "<i>", [`${"<u>"}`]: 1 } }, async ({ page }) => {
    const dialogs = [];
    page.on("dialog", (dialog) => (dialogs.push(dialog.message()), dialog.dismiss()));
    assert.equal((await state(page)).s, evil);
    await emptied(page);
    await page.keyboard.insertText(evil);
    await until(page, { s: evil });
    await named(page, "share").click();
    await named(page, "table").click();
    assert.equal(await page.locator("img, body b > u, main i > img, script:not([src])").count(), 0);
    assert.equal(await box(page).inputValue(), evil);
    const { tokens: all } = await answer(page, "compute", { s: evil, tok: "space" });
    assert.ok(all.some(({ text }) => text.includes("onerror=alert(1)")));
    assert.deepEqual(dialogs, []);
  });
});
