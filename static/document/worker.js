// The worker of the view on a long text: runs the module beside this file's folder whose glue is named after "?".
// Messages that come before the program listens wait here.
const early = [];
self.onmessage = (event) => early.push(event);
try {
  const { href } = new URL(`../${import.meta.url.split("?")[1]}`, import.meta.url);
  const { default: init, serve } = await import(href);
  await init({ module_or_path: href.replace(/\.js$/, "_bg.wasm") });
  serve();
  for (const event of early) self.onmessage(event);
} catch (error) {
  console.error(error);
  self.postMessage(["broken"]);
}
