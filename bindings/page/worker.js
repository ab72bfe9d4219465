// The engine of the page in a worker: messages of the page go in, what the server would send comes out. After each
// change the files are kept by the browser.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @type {any} */
let wasm;
/** The texts that are kept, by name. @type {Map<string, string>} */
const kept = new Map();
let keeping = Promise.resolve();

async function load() {
  const { instance } = await WebAssembly.instantiateStreaming(fetch("bone-layer-page.wasm"), {});
  wasm = instance.exports;
}

/** @param {...Uint8Array} parts */
function input(...parts) {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const at = wasm.page_input(length);
  let offset = at;
  for (const part of parts) {
    new Uint8Array(wasm.memory.buffer, offset, part.length).set(part);
    offset += part.length;
  }
}

function output() {
  return new Uint8Array(wasm.memory.buffer, wasm.page_output(), wasm.page_output_length()).slice();
}

/** The files as the module has them. @returns {Map<string, Uint8Array>} */
function files() {
  const all = new Map();
  for (let number = 0; wasm.page_saved(number); number += 1) {
    const bytes = output();
    const end = bytes.indexOf(0);
    all.set(decoder.decode(bytes.subarray(0, end)), bytes.subarray(end + 1));
  }
  return all;
}

const folder = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("rig", { create: true });

/** Keeps what has changed. One after the other: a later text is not overtaken by an earlier one. */
function keep() {
  const now = files();
  keeping = keeping.then(async () => {
    const into = await folder();
    for (const [name, bytes] of now) {
      const text = decoder.decode(bytes);
      if (kept.get(name) === text) continue;
      const file = await into.getFileHandle(encodeURIComponent(name), { create: true });
      const stream = await file.createWritable();
      await stream.write(bytes);
      await stream.close();
      kept.set(name, text);
    }
    postMessage({ kept: true });
  }).catch((error) => postMessage({ failed: `The browser does not keep the files: ${error.message}` }));
}

function drain() {
  let changed = false;
  for (let kind = wasm.page_next(); kind; kind = wasm.page_next()) {
    const bytes = output();
    if (kind === 2) postMessage({ bytes: bytes.buffer }, /** @type {any} */ ([bytes.buffer]));
    else {
      const text = decoder.decode(bytes);
      changed ||= text.includes('"t":"delta"');
      postMessage({ text });
    }
  }
  return changed;
}

/** What the browser has kept; none on a first visit. @returns {Promise<[string, Uint8Array][]>} */
async function stored() {
  const all = /** @type {[string, Uint8Array][]} */ ([]);
  try {
    for await (const [name, handle] of /** @type {any} */ (await folder()).entries()) {
      all.push([decodeURIComponent(name), new Uint8Array(await (await handle.getFile()).arrayBuffer())]);
    }
  } catch {
    // A browser that keeps nothing begins with the example each time.
  }
  return all;
}

/** The example that is there before anything is opened. @returns {Promise<[string, Uint8Array][]>} */
async function example() {
  const names = /** @type {string[]} */ (await (await fetch("example.json")).json());
  const read = async (/** @type {string} */ name) => new Uint8Array(await (await fetch(`example/${name}`)).arrayBuffer());
  return Promise.all(names.map(async (name) => /** @type {[string, Uint8Array]} */ ([name, await read(name)])));
}

/** Opens a rig among files; a drawing alone gets a scaffold. @param {[string, Uint8Array][]} all @param {boolean} anew */
async function open(all, anew) {
  for (const [name, bytes] of all) {
    const key = encoder.encode(name);
    input(key, bytes);
    wasm.page_file(key.length);
  }
  let rig = all.map(([name]) => name).find((name) => name.endsWith(".ron"));
  const drawing = all.map(([name]) => name).find((name) => name.endsWith(".svg"));
  if (!rig && drawing) {
    input(encoder.encode(drawing));
    if (!wasm.page_scaffold()) return postMessage({ failed: `${drawing} cannot be read: is it a whole SVG?` });
    rig = drawing.replace(/\.svg$/, ".ron");
  }
  if (!rig) return postMessage({ failed: "There is no drawing (.svg) and no rig (.ron) among the files." });
  input(encoder.encode(rig));
  if (!wasm.page_open()) return postMessage({ failed: `${rig} cannot be opened.` });
  if (anew) {
    const into = await folder();
    for await (const name of /** @type {any} */ (into).keys()) await into.removeEntry(name);
    kept.clear();
    keep();
    await keeping;
  }
  for (const [name, bytes] of all) if (!anew) kept.set(name, decoder.decode(bytes));
  postMessage({ opened: rig });
  drain();
}

const ready = load();

addEventListener("message", async ({ data }) => {
  await ready;
  if (data.begin) {
    const all = await stored();
    return open(all.length ? all : await example(), false);
  }
  if (data.open) return open(data.open, true);
  if (data.files) return postMessage({ files: [...files()] });
  input(encoder.encode(data.text));
  wasm.page_receive();
  if (drain()) keep();
});
