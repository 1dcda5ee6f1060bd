// Serves the built page and, beside it under /benches/, what the benchmark adds: contestants, peers, kernel modules, the
// ONNX graph. Isolated (COOP, COEP), so that the page's clock ticks every 5 µs instead of every 100.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { attentionModel } from "./onnx.mjs";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml", ".wasm": "application/wasm" };
const FOLDERS = [
  ["/benches/kernel/", "target/bench/kernel/"],
  ["/benches/peers/", "target/bench/peers/"],
  ["/benches/", "benches/"],
  ["/", "dist/"],
];

export async function serve() {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const [from, to] = FOLDERS.find(([from]) => path.startsWith(from));
    const root = join(ROOT, to);
    const rest = path.slice(from.length) || "index.html";
    const file = normalize(join(root, rest));
    const inside = file.startsWith(normalize(root).replace(/[/\\]?$/, sep));
    const body = path === "/benches/attention.onnx" ? attentionModel() : inside ? await readFile(file).catch(() => null) : null;
    response.writeHead(body ? 200 : 404, {
      "Content-Type": TYPES[extname(file)] ?? "application/octet-stream",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Embedder-Policy": "require-corp",
    });
    response.end(body ?? "not here\n");
  });
  await new Promise((done, failed) => server.once("error", failed).listen(0, "127.0.0.1", done));
  const close = () => new Promise((done) => (server.close(done), server.closeAllConnections()));
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
