// One plain worker: a module of its own, some of the heads. Weights stay here.
import { Kernel } from "./kernel.mjs";

let run;
onmessage = async ({ data }) => {
  if (data.module) {
    const kernel = await Kernel.open(data.module);
    run = kernel.dense(data.size, data.q, data.k, data.v, data.scale);
    postMessage("ready");
    return;
  }
  const { o } = run();
  postMessage({ o: o.slice() });
};
