// Who takes part: every contestant computes softmax(q·kᵀ × scale)·v and ends with weights and output as Float32Arrays.
//
// A contestant is {name, ours?, peer?, setup(), prepare(size, q, k, v, scale) → {run() → {w, o, ms?}, free()}}. `ms` is the
// contestant's own time where the answer is not copied out of its memory to be timed: then w and o may be absent.

import { Kernel } from "./kernel.mjs";
import { blockedLoops, loops } from "./loops.mjs";

const scriptTag = (url) =>
  new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: url, onload: done, onerror: () => failed(new Error(url)) });
    document.head.append(script);
  });
const modules = "/benches/node_modules";

// ---------------------------------------------------------------- ours

/** The page's program through its public API, copies in and out included; or what it says it needed for the numbers alone. */
function ours(name, own) {
  return {
    name,
    ours: true,
    async setup() {
      await attentionLab.ready;
    },
    async prepare({ h, n, d }, q, k, v, scale) {
      const array = (data) => ({ shape: [h, n, d], data });
      const input = { q: array(q), k: array(k), v: array(v), scale, engine: "cpu" };
      return {
        async run() {
          const { weights, output, elapsedMs } = await attentionLab.attention(input);
          return { w: weights.data, o: output.data, ms: own ? elapsedMs : undefined };
        },
        free() {},
      };
    },
  };
}

/** A kernel module with memory of its own; the weights stay there and are read as a view. */
function standAlone(name, url) {
  return {
    name,
    ours: true,
    async setup() {
      this.module = await WebAssembly.compileStreaming(fetch(url));
    },
    async prepare(size, q, k, v, scale) {
      const run = (await Kernel.open(this.module)).dense(size, q, k, v, scale);
      return { run: async () => run(), free() {} };
    },
  };
}

// ---------------------------------------------------------------- TensorFlow.js

async function tensorflow() {
  if (!globalThis.tf) {
    await scriptTag(`${modules}/@tensorflow/tfjs/dist/tf.min.js`);
    await scriptTag(`${modules}/@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js`);
    tf.wasm.setWasmPaths(`${modules}/@tensorflow/tfjs-backend-wasm/dist/`);
    tf.wasm.setThreadsCount(1);
    if (!(await tf.setBackend("wasm"))) throw new Error("no wasm backend");
    await tf.ready();
  }
  return globalThis.tf;
}

const tfBatched = {
  name: "TensorFlow.js wasm",
  peer: true,
  setup: tensorflow,
  async prepare({ h, n, d }, q, k, v, scale) {
    const [Q, K, V] = [q, k, v].map((x) => tf.tensor3d(x, [h, n, d]));
    return {
      async run() {
        const [W, O] = tf.tidy(() => {
          const W = tf.softmax(tf.mul(tf.matMul(Q, K, false, true), scale));
          return [W, tf.matMul(W, V)];
        });
        const [w, o] = [W.dataSync(), O.dataSync()];
        tf.dispose([W, O]);
        return { w, o };
      },
      free: () => tf.dispose([Q, K, V]),
    };
  },
};

// Two-dimensional products without transposes are the one form for which its wasm backend takes its fast path.
const tfPerHead = {
  name: "TensorFlow.js wasm, per head",
  peer: true,
  setup: tensorflow,
  async prepare({ h, n, d }, q, k, v, scale) {
    const heads = (x) => Array.from({ length: h }, (_, a) => tf.tensor2d(x.subarray(a * n * d, (a + 1) * n * d), [n, d]));
    const [Q, K, V] = [q, k, v].map(heads);
    return {
      async run() {
        const [w, o] = [new Float32Array(h * n * n), new Float32Array(h * n * d)];
        for (let a = 0; a < h; a += 1) {
          tf.tidy(() => {
            const W = tf.softmax(tf.mul(tf.matMul(Q[a], tf.transpose(K[a])), scale));
            w.set(W.dataSync(), a * n * n);
            o.set(tf.matMul(W, V[a]).dataSync(), a * n * d);
          });
        }
        return { w, o };
      },
      free: () => tf.dispose([Q, K, V]),
    };
  },
};

// ---------------------------------------------------------------- onnxruntime-web

const onnx = {
  name: "onnxruntime-web wasm",
  peer: true,
  async setup() {
    this.ort = await import(`${modules}/onnxruntime-web/dist/ort.wasm.min.mjs`);
    Object.assign(this.ort.env.wasm, { numThreads: 1, wasmPaths: `${modules}/onnxruntime-web/dist/` });
    this.ort.env.logLevel = "error";
    const options = { executionProviders: ["wasm"], graphOptimizationLevel: "all" };
    this.session = await this.ort.InferenceSession.create("/benches/attention.onnx", options);
  },
  async prepare({ h, n, d }, q, k, v, scale) {
    const { ort, session } = this;
    const tensor = (x, shape = [h, n, d]) => new ort.Tensor("float32", x, shape);
    const feeds = { q: tensor(q), k: tensor(k), v: tensor(v), scale: tensor(Float32Array.of(scale), []) };
    return {
      async run() {
        const answer = await session.run(feeds);
        const [w, o] = [await answer.w.getData(), await answer.o.getData()];
        Object.values(answer).forEach((tensor) => tensor.dispose?.());
        return { w, o };
      },
      free() {},
    };
  },
};

// ---------------------------------------------------------------- jax-js

const jax = {
  name: "jax-js wasm",
  peer: true,
  async setup() {
    this.jax = await import(`${modules}/@jax-js/jax/dist/index.js`);
    if (!(await this.jax.init("wasm")).includes("wasm")) throw new Error("no wasm device");
    this.jax.defaultDevice("wasm");
  },
  async prepare({ h, n, d }, q, k, v, scale) {
    const { numpy: np, nn, jit } = this.jax;
    const [Q, K, V] = [q, k, v].map((x) => np.array(x).reshape([h, n, d]));
    const attention = jit((Q, K, V) => {
      const W = nn.softmax(np.einsum("hid,hjd->hij", Q, K).mul(scale), -1);
      return [W, np.einsum("hij,hjd->hid", W.ref, V)];
    });
    return {
      async run() {
        const [W, O] = attention(Q.ref, K.ref, V.ref);
        const [w, o] = await Promise.all([W.data(), O.data()]);
        return { w, o };
      },
      free() {
        [Q, K, V].forEach((x) => x.dispose());
        attention.dispose?.();
      },
    };
  },
};

// ---------------------------------------------------------------- Rust crates and plain loops

/** A crate compiled by benches/peers: `reserve(bytes)` and `attention(h, n, d, scale, q, k, v, w, o)`, results read as views. */
function rust(crate) {
  return {
    name: `${crate} (Rust, wasm)`,
    peer: true,
    async setup() {
      const module = await WebAssembly.compileStreaming(fetch(`/benches/peers/${crate}.wasm`));
      // What their dependencies would ask of JavaScript (random seeds) is never called.
      const never = () => {
        throw new Error("not part of attention");
      };
      const imports = {};
      for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = never;
      this.exports = (await WebAssembly.instantiate(module, imports)).exports;
    },
    async prepare({ h, n, d }, q, k, v, scale) {
      const { memory, reserve, release, attention } = this.exports;
      const sizes = [h * n * d, h * n * d, h * n * d, h * n * n, h * n * d].map((count) => count * 4);
      const at = sizes.map((size) => reserve(size));
      const view = (i) => new Float32Array(memory.buffer, at[i], sizes[i] / 4);
      [q, k, v].forEach((numbers, i) => view(i).set(numbers));
      return {
        async run() {
          attention(h, n, d, scale, ...at);
          return { w: view(3), o: view(4) };
        },
        free: () => at.forEach((pointer, i) => release(pointer, sizes[i])),
      };
    },
  };
}

const plain = (name, compute) => ({
  name,
  peer: true,
  async setup() {},
  async prepare(size, q, k, v, scale) {
    const { h, n, d } = size;
    const [w, o] = [new Float32Array(h * n * n), new Float32Array(h * n * d)];
    return {
      async run() {
        compute(size, q, k, v, scale, w, o);
        return { w, o };
      },
      free() {},
    };
  },
});

/** Everyone; the first is what ratios are taken from. */
export const contestants = [
  ours("Attention Lab, page's path", true),
  ours("Attention Lab, attentionLab.attention", false),
  standAlone("Attention Lab, stand-alone module", "/benches/kernel/simd128.wasm"),
  standAlone("Attention Lab, stand-alone, relaxed SIMD", "/benches/kernel/relaxed.wasm"),
  onnx,
  tfBatched,
  tfPerHead,
  jax,
  rust("candle"),
  rust("gemm"),
  rust("ndarray"),
  plain("JavaScript loops", loops),
  plain("JavaScript loops, blocked", blockedLoops),
];
