// The worker of the view on a long text: runs the module that lies beside this file's folder, with the folder's name.
// Messages that come before the program listens wait here.
const early = [];
self.onmessage = (event) => early.push(event);
try {
  const folder = new URL(".", import.meta.url).href.slice(0, -1);
  const { default: init, serve } = await import(`${folder}.js`);
  await init({ module_or_path: `${folder}_bg.wasm` });
  serve();
  for (const event of early) self.onmessage(event);
} catch (error) {
  console.error(error);
  self.postMessage(["broken"]);
}
