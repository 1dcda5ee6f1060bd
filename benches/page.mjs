// How fast the built page is, in the browser's own marks: a section of `cargo xtask bench`. Figures of one machine at one
// time, not a test. From navigation to the first picture on a warm local server, and the
// main thread's work for one tick of the temperature slider: everything that runs from the input event until the
// page is ready to paint (settings, computation, rendering, canvas), then until the next frame was painted; and the
// whole main thread's CPU time, which includes the browser's style, layout and painting.
import { join } from "node:path";
import { total, weigh } from "../tests/e2e/sizes.mjs";
import { ROOT } from "./serve.mjs";

const TICKS = 200;
const OPENINGS = 15;

const words = "the cat saw a dog and the bird ate fish in the river while people slept".split(" ");
const sentence = Array.from({ length: 63 }, (_, i) => words[i % words.length]).join(" ");
const cases = [
  { name: "猫追老鼠, 8 constructed heads", fragment: {} },
  { name: "64 tokens × 12 random heads, d_k 64", fragment: { s: sentence, w: "random", heads: 12, dk: 64 } },
  { name: "64 tokens × 12 random heads, d_k 64, causal", fragment: { s: sentence, w: "random", heads: 12, dk: 64, mask: "causal" } },
];

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
const figures = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return { median: at(sorted, 0.5), most: at(sorted, 0.95) };
};

/** Drags in the page: positions of the slider one after the other, each followed to the next painted frame. */
async function drag(ticks) {
  const slider = document.querySelector("#temperature");
  const task = () => new Promise((done) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
  const work = [], frame = [];
  for (let tick = 0; tick < ticks; tick += 1) {
    // Between frames, as input comes: within a frame the browser's own painting would be counted in.
    await new Promise((done) => setTimeout(done, 4));
    performance.mark("tick");
    slider.value = String(Math.round(100 * Math.sin(tick / 9)));
    slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await task(); // after all microtasks, in which the page renders and paints its canvases
    performance.mark("worked");
    await new Promise(requestAnimationFrame);
    await task();
    performance.mark("painted");
    // What follows the frame (the head strip, the inspector) and its own frame are not of the next tick.
    for (let frames = 0; frames < 2; frames += 1) {
      await new Promise(requestAnimationFrame);
      await task();
    }
    work.push(performance.measure("work", "tick", "worked").duration);
    frame.push(performance.measure("frame", "tick", "painted").duration);
  }
  return { work, frame };
}

/** Everything about the page: `{bytes, opening, cases: [{name, work, frame, mainThread}]}`, times in milliseconds. */
export async function pageFigures(browser, say) {
  const { raw, gzip, brotli } = total(weigh(join(ROOT, "dist")));
  const openings = [];
  for (let i = 0; i < OPENINGS; i += 1) {
    const { page, close } = await browser.page({});
    await page.evaluate(() => attentionLab.ready);
    openings.push(await page.evaluate(() => performance.getEntriesByName("first-picture")[0].startTime));
    await close();
  }
  const results = { bytes: { raw, gzip, brotli }, opening: figures(openings.slice(3)), cases: [] };
  say(`\nnavigation to first picture: median ${results.opening.median.toFixed(0)} ms`);
  for (const { name, fragment } of cases) {
    const { page, close } = await browser.page({ fragment });
    await page.evaluate(() => attentionLab.ready);
    await page.evaluate(drag, 40); // warm
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const taken = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration").value * 1000;
    };
    const before = await taken();
    const { work, frame } = await page.evaluate(drag, TICKS);
    const mainThread = ((await taken()) - before) / TICKS;
    // The engine's own part of a tick, as the page measures it.
    const engine = [];
    for (let i = 0; i < 40; i += 1) {
      engine.push(await page.evaluate(async (t) => (await attentionLab.apply({ t }), attentionLab.state().elapsedMs), 0.5 + i / 20));
    }
    const line = { name, work: figures(work), frame: figures(frame), mainThread, engine: figures(engine) };
    results.cases.push(line);
    say(`${name}: input to ready to paint, median ${line.work.median.toFixed(2)} ms; main thread ${mainThread.toFixed(2)} ms; settings to numbers ${line.engine.median.toFixed(2)} ms`);
    await close();
  }
  return results;
}
