// Starts the compiled page, or says in place of a blank page why it cannot run here.
// Owns: the probes for WebAssembly, its 128-bit SIMD and WebGPU, loading, and the sentence when it fails. Nothing of the page itself.
// `cargo xtask finish-page` writes the hashed file names into this script's data-page and data-wasm, and the glue of each
// module that is loaded when it is needed into data-NAME.
(() => {
  "use strict";
  const { page, wasm, ...modules } = document.currentScript.dataset;

  // (module (func (result v128) (f32x4.relaxed_madd of three zeros))): valid only where relaxed SIMD is known. Such a
  // browser gets programs that were compiled with it: a multiplication and an addition are one instruction there.
  const relaxed = Uint8Array.of(
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0,
    10, 19, 1, 17, 0, 65, 0, 253, 15, 65, 0, 253, 15, 65, 0, 253, 15, 253, 133, 2, 11,
  );
  const isRelaxed = () => WebAssembly.validate(relaxed);
  // The glue of a program: relaxedPage, relaxedLab … where there is one for this browser.
  const glue = (name) =>
    new URL((isRelaxed() && modules[`relaxed${name[0].toUpperCase()}${name.slice(1)}`]) || modules[name] || page, document.baseURI).href;

  const reasons = {
    noWebAssembly: {
      "zh-CN": "注意力实验室需要 WebAssembly，而这个浏览器没有或关闭了它：请换用 2023 年以后的 Chrome、Edge、Firefox 或 Safari。",
      en: "Attention Lab needs WebAssembly, which this browser lacks or has switched off: please use Chrome, Edge, Firefox or Safari from 2023 or later.",
    },
    noSimd: {
      "zh-CN": "注意力实验室需要 WebAssembly 的 SIMD 指令，而这个浏览器没有或关闭了它：请换用 2023 年以后的 Chrome、Edge、Firefox 或 Safari。",
      en: "Attention Lab needs WebAssembly SIMD, which this browser lacks or has switched off: please use Chrome, Edge, Firefox or Safari from 2023 or later.",
    },
    broken: {
      "zh-CN": "这一页出了错，停住了：请重新载入，网址里的内容不会丢。",
      en: "The page ran into a fault and stopped: please reload, the address keeps your work.",
    },
    notStarted: {
      "zh-CN": "注意力实验室没能启动：有文件未能载入或运行。请检查网络后重新载入本页。",
      en: "Attention Lab could not start: one of its files did not load or run. Please check the connection and reload this page.",
    },
  };

  // The JavaScript API: calls wait for the program, two of them for a program of their own (src/bin/lab.rs), and what a caller gives becomes plain values of this page before it goes
  // in. A getter that throws, an array of another frame or a detached buffer end here, as a rejection.
  let started, failed;
  const ready = new Promise((resolve, reject) => ([started, failed] = [resolve, reject]));
  ready.catch(() => {}); // who waits is told; who doesn't is not bothered by an unhandled rejection
  const program = {};
  const api = (window.attentionLab = { ready, started, program });

  const text = (key, value) => {
    if (typeof value === "boolean") return key === "pos" ? (value ? "on" : "off") : value ? "1" : "0";
    if (Array.isArray(value)) return value.map((part) => text(key, part)).join(key === "feat" ? "," : "+");
    try {
      return value === null ? "" : String(value);
    } catch {
      return ""; // what can't be written as text is a value that can't be read, and is said
    }
  };
  // Keys of the link as pairs of texts; what is no object of keys becomes a key that nobody knows, and is said.
  const pairs = (keys) => {
    if (keys === undefined || keys === null) return [];
    if (typeof keys !== "object") return [[String(keys), ""]];
    return Object.entries(keys).filter(([, value]) => value !== undefined).map(([key, value]) => [key, text(key, value)]);
  };
  const view = (data, Kind) =>
    ArrayBuffer.isView(data) && Object.prototype.toString.call(data) === `[object ${Kind.name}]`
      ? new Kind(data.buffer, data.byteOffset, data.length)
      : data;
  const list = (values) => (Array.isArray(values) ? [...values] : values);
  const array = (given) =>
    given && typeof given === "object"
      ? { shape: list(given.shape), data: view(view(given.data, Float32Array), Uint8Array) }
      : given;
  const arrays = (input) => {
    if (!input || typeof input !== "object") return input;
    const { q, k, v, mask, want, ...rest } = input;
    return { ...rest, q: array(q), k: array(k), v: array(v), mask: array(mask), want: list(want) };
  };
  const refusal = (code, sentence, cause) =>
    Object.assign(new Error(sentence, { cause }), { name: "AttentionError", code });
  for (const [name, plain] of Object.entries({ apply: pairs, compute: pairs, attention: arrays })) {
    api[name] = async (argument) => {
      await ready;
      let given;
      try {
        given = plain(argument);
      } catch (cause) {
        throw refusal("unreadable", `The argument can't be read: ${cause}`, cause);
      }
      if (name in program) return program[name](given);
      const lab = await once("lab").catch((cause) => {
        throw refusal("not_loaded", reasons.notStarted.en, cause);
      });
      return lab[name](program, document.documentElement.lang[0] === "z", given);
    };
  }

  // A module of the page's own, beside it: its program has the name of its glue. One that did not load is tried again.
  const loaded = {};
  const load = async (name) => {
    const href = glue(name);
    const coming = fetch(href.replace(/\.js$/, "_bg.wasm")); // while its glue comes
    coming.catch(() => {}); // said by the line that waits for it
    const module = await import(href);
    await module.default({ module_or_path: coming });
    return module;
  };
  const once = (name) =>
    (loaded[name] ??= load(name).catch((error) => {
      delete loaded[name];
      throw error;
    }));

  // The page needs no network once it stands: what scripts may call is fetched when the picture is there.
  ready.then(() => setTimeout(() => once("lab").catch(() => {}), 300), () => {});

  // The numbers of a request, or the name of what went wrong: see src/bin/gpu.rs.
  program.turn = 0;
  program.gpu = async (words) => {
    program.turn += 1;
    const own = words.slice(); // the words of the program's memory are its own again when this returns
    try {
      const found = loaded.gpu ? "" : await program.adapter();
      if (found.startsWith("no_")) return found;
      return await (await once("gpu")).run(own);
    } catch (error) {
      console.info(error);
      return String(error?.name);
    }
  };

  // What GPU the browser offers: nothing is loaded and nothing is created to know it.
  program.adapter = async () => {
    if (!navigator.gpu) return "no_webgpu";
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) return "no_adapter";
    return (adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter) ? "software" : "real";
  };

  // A text too long for the sentence box, or a link to one: the module with a view of its own, in place of the page's parts.
  const whole = async (text) => {
    await ready.catch(() => {});
    const folder = new URL(modules.document, document.baseURI).href.replace(/\.js$/, "/");
    // The worker runs the same program as the view does.
    (await once("document")).open(folder, `${folder}worker.js?${glue("document").split("/").pop()}`, text);
  };
  const BOX = 4096; // what the sentence box takes, in UTF-16 units
  const take = (event, text) => {
    event.preventDefault();
    event.stopPropagation();
    whole(text);
  };
  const follow = (event) => {
    if (!/^#(.*&)?doc=/.test(location.hash)) return;
    event?.stopImmediatePropagation(); // the sentence stays as it is
    whole();
  };
  for (const name of ["hashchange", "popstate"]) addEventListener(name, follow);
  addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (text.length > BOX) take(event, text);
  }, true);
  addEventListener("dragover", (event) => event.dataTransfer.types.includes("Files") && event.preventDefault());
  addEventListener("drop", async (event) => {
    const [file] = event.dataTransfer.files;
    const text = event.dataTransfer.getData("text");
    if (file) take(event, await (event.preventDefault(), file.text()));
    else if (text.length > BOX) take(event, text);
  }, true);

  const sentences = (reason) => {
    const notice = document.createElement(reason === "broken" ? "div" : "main");
    notice.dataset.reason = reason;
    notice.setAttribute("role", "alert");
    for (const [lang, sentence] of Object.entries(reasons[reason])) {
      const paragraph = document.createElement("p");
      paragraph.lang = lang;
      paragraph.textContent = sentence;
      notice.append(paragraph);
    }
    return notice;
  };

  const say = (reason) => {
    failed(new Error(reasons[reason].en));
    const notice = sentences(reason);
    notice.id = "not-started";
    notice.className = "plain-sentence";
    document.body.replaceChildren(notice);
  };

  // (module (func (result v128) (i8x16.popcnt (i8x16.splat (i32.const 0))))): valid only where simd128 is known.
  const simdModule = Uint8Array.of(
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  );

  // A trap of the program is a defect; should one happen, the page says so and keeps the last picture in sight.
  const onTrap = (error) => {
    if (!(error instanceof WebAssembly.RuntimeError) || document.getElementById("broken")) return;
    const notice = sentences("broken");
    notice.id = "broken";
    notice.className = "notice";
    document.body.prepend(notice);
  };
  addEventListener("error", (event) => onTrap(event.error));
  addEventListener("unhandledrejection", (event) => onTrap(event.reason));

  const start = async () => {
    if (typeof WebAssembly !== "object" || !WebAssembly) return say("noWebAssembly");
    if (!WebAssembly.validate(simdModule)) return say("noSimd");
    try {
      await load("page");
    } catch (error) {
      console.error(error);
      say("notStarted");
    }
  };
  start();
  follow();
})();
