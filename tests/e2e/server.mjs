// Serves the built page as a strict host would: under any path, with the Content-Security-Policy, right types, compressed.
// Owns nothing but files of one folder, on this machine only.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

/** The policy that the page must live under; README's hosting notes name the same. */
export const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "font-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/** The file that a request's path means inside `root`, or null when it means none. */
export function fileOf(root, base, path) {
  let inside;
  try {
    inside = decodeURIComponent(path);
  } catch {
    return null;
  }
  if (!inside.startsWith(base) || inside.includes("\0")) return null;
  inside = inside.slice(base.length);
  const file = normalize(join(root, inside === "" || inside.endsWith("/") ? `${inside}index.html` : inside));
  return file.startsWith(normalize(root) + sep) ? file : null;
}

function encoded(body, accepted) {
  if (/\bbr\b/.test(accepted)) {
    // Quality 5 is quick; sizes.mjs weighs at 11.
    return ["br", brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })];
  }
  return /\bgzip\b/.test(accepted) ? ["gzip", gzipSync(body)] : [null, body];
}

/**
 * Serves `root` under the path `base` (which starts and ends with a slash) on a free port.
 * `missing` names files, by a pattern, that this host pretends not to have.
 * @returns {Promise<{url: string, origin: string, close: () => Promise<void>}>}
 */
export async function serve(root, { base = "/", missing = null } = {}) {
  // Compressing the program takes a good part of a page's start: once per file and encoding is enough.
  const compressed = new Map();
  const compress = (file, body, accepted) => {
    const key = `${file} ${accepted}`;
    if (!compressed.get(key)?.of.equals(body)) compressed.set(key, { of: body, as: encoded(body, accepted) });
    return compressed.get(key).as;
  };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    const file = fileOf(root, base, pathname);
    const body = file && !missing?.test(file) ? await readFile(file).catch(() => null) : null;
    const headers = { "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache" };
    if (body === null) {
      response.writeHead(404, { ...headers, "Content-Type": "text/plain; charset=utf-8" }).end("not here\n");
      return;
    }
    const [encoding, bytes] = compress(file, body, request.headers["accept-encoding"] ?? "");
    headers["Content-Type"] = TYPES[extname(file)] ?? "application/octet-stream";
    headers["Vary"] = "Accept-Encoding";
    if (encoding) headers["Content-Encoding"] = encoding;
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : bytes);
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: origin + base, origin, close };
}
