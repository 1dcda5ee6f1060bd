// Opens the built page in Chromium as a person would, and notices everything that a quiet page must not do: console errors,
// uncaught errors, violations of the Content-Security-Policy, missing files, requests to another host.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./server.mjs";

/** The built page: `cargo xtask build` writes it. */
export const DIST = fileURLToPath(new URL("../../dist", import.meta.url));

/** Chromium without outside look-ups of its own. */
const QUIET = [
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// Chromium's own word when a page asks for a WebGPU adapter and there is none; asking is what the page must do.
const NO_ADAPTER = "No available adapters.";

/** @typedef {{
 *   width?: number, height?: number,          CSS pixels; 1440 × 900
 *   lang?: "zh"|"en",                         the browser's language; zh
 *   theme?: "light"|"dark",                   the system's; light
 *   fragment?: string|Record<string, unknown>, the link: "h=4&t=2" or its keys
 *   base?: string,                            the path that the page is served under; "/"
 *   missing?: RegExp,                         files that the host pretends not to have
 *   init?: (() => void)|string,               runs in the page before anything else
 *   context?: object,                         further Playwright context options (hasTouch, reducedMotion, …)
 * }} PageOptions */

/** The text after "#" of a link with these keys. */
export function fragmentOf(fragment = "") {
  if (typeof fragment === "string") return fragment.replace(/^#/, "");
  return Object.entries(fragment)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`)
    .join("&");
}

/**
 * Starts Chromium; `webgpu` gives it a software adapter, without it `requestAdapter` finds none.
 * `close()` ends the browser and every server that its pages needed.
 */
export async function launch({ webgpu = false } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // A container's root has no sandbox to offer, and its /dev/shm is small.
    args: [...QUIET, "--no-sandbox", "--disable-dev-shm-usage", ...(webgpu ? ["--enable-unsafe-webgpu"] : [])],
  });
  const servers = new Map();
  const serverFor = (base, missing) => {
    const key = `${base} ${missing}`;
    if (!servers.has(key)) servers.set(key, serve(DIST, { base, missing }));
    return servers.get(key);
  };
  return {
    browser,
    /** @param {PageOptions} options */
    page: async (options = {}) => open(browser, await serverFor(options.base ?? "/", options.missing), options),
    close: async () => {
      await browser.close();
      await Promise.all([...servers.values()].map(async (server) => (await server).close()));
    },
  };
}

/** Opens the page and waits until it has loaded; returns `{page, url, problems, assertClean, close}`. */
async function open(browser, server, { width = 1440, height = 900, lang = "zh", theme = "light", fragment, init, context: extra }) {
  const context = await browser.newContext({
    viewport: { width, height },
    locale: lang === "zh" ? "zh-CN" : "en-US",
    colorScheme: theme,
    ...extra,
  });
  const page = await context.newPage();
  const problems = watch(page, server.origin);
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy violated: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  if (init) await page.addInitScript(init);
  const after = fragmentOf(fragment);
  const url = server.url + (after && `#${after}`);
  await page.goto(url, { waitUntil: "load" });
  return {
    page,
    url,
    problems,
    /** Fails when the page has done anything that a quiet page must not. */
    assertClean: () => assert.deepEqual(problems, []),
    close: () => context.close(),
  };
}

/** Collects, as sentences, what goes wrong on a page; the list grows as it happens. */
function watch(page, origin) {
  const problems = [];
  page.on("console", (message) => {
    const bad = message.type() === "error" || (message.type() === "warning" && message.text() !== NO_ADAPTER);
    if (bad) problems.push(`console ${message.type()}: ${message.text()} ${message.location().url}`.trimEnd());
  });
  page.on("pageerror", (error) => problems.push(`uncaught: ${error.stack ?? error}`));
  page.on("crash", () => problems.push("the page crashed"));
  page.on("request", (request) => {
    const { protocol, origin: to } = new URL(request.url());
    if (to !== origin && protocol !== "data:" && protocol !== "blob:") problems.push(`request to another host: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    // Whoever leaves a page early ends Chromium's own request for the tab's icon.
    if (/\/icon-\w+\.svg$/.test(request.url()) && request.failure()?.errorText === "net::ERR_ABORTED") return;
    problems.push(`failed: ${request.url()} ${request.failure()?.errorText}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`status ${response.status()}: ${response.url()}`);
  });
  return problems;
}

/** Waits until the compiled page has mounted something, or start.js has said why it can't. */
export async function started(page) {
  await page.waitForSelector("body > :not(noscript):not(script)", { state: "attached" });
}
