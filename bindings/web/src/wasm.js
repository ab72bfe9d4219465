// The module of the player: its memory, its calls, its errors. One instance a page.

/** What went wrong. The codes are those of `bl_status`, and `wasm-blocked`, `wasm`, `network`, `color`, `canvas`. */
export class BoneLayerError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.name = "BoneLayerError";
    this.code = code;
  }
}

const STATUSES = ["ok", "null", "closed", "pack", "newer", "name", "number", "input", "text", "space", "panic", "not-playing", "not-kept", "other"];
const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Bytes for what calls write. */
const RESULT = 64;
const VERSION = 3;
/** Of Node alone. A name in a variable is not bundled. @type {string} */
const FILES = "node:fs/promises";

/** An instance of the module. */
export class Engine {
  /** Whether it has failed within a call. Then nothing of it can be used. */
  dead = false;
  #bytes = new Uint8Array();
  #floats = new Float64Array();

  /** @param {any} exports */
  constructor(exports) {
    this.exports = exports;
    if (exports.bl_abi_version() !== VERSION) throw new BoneLayerError("wasm", "bone-layer.wasm is of another version");
    /** Where calls write their results. */
    this.result = exports.bl_alloc(RESULT);
  }

  get buffer() {
    return this.exports.memory.buffer;
  }

  /** The memory, which is another one after it has grown. */
  get bytes() {
    if (this.#bytes.buffer !== this.buffer) this.#bytes = new Uint8Array(this.buffer);
    return this.#bytes;
  }

  /** The memory as numbers of 64 bits. */
  get floats() {
    const { buffer } = this;
    if (this.#floats.buffer !== buffer) this.#floats = new Float64Array(buffer, 0, buffer.byteLength >> 3);
    return this.#floats;
  }

  /** Calls a function that returns a status. @param {string} name @param {...any} values */
  call(name, ...values) {
    if (this.dead) throw new BoneLayerError("wasm", "the module has failed: load the rig again");
    let status;
    try {
      status = this.exports[name](...values);
    } catch (error) {
      this.dead = true;
      if (shared.engine === this) shared.opening = shared.engine = null;
      throw new BoneLayerError("wasm", `${name}: ${error}`);
    }
    if (status === 0) return;
    const { bytes } = this;
    const at = this.exports.bl_last_error();
    throw new BoneLayerError(STATUSES[status] ?? "other", decoder.decode(bytes.slice(at, bytes.indexOf(0, at))));
  }

  /** The numbers that a call has written. @param {number} count @param {string} name @param {...any} values */
  numbers(count, name, ...values) {
    this.call(name, ...values, this.result);
    return this.written(count);
  }

  /** Numbers where calls write them. @param {number} count */
  written(count) {
    const at = this.result >> 3;
    return Array.from(this.floats.subarray(at, at + count));
  }

  /** @param {string} name @param {...any} values @returns {bigint} */
  handle(name, ...values) {
    this.call(name, ...values, this.result);
    return new BigUint64Array(this.buffer, this.result, 1)[0];
  }

  /** @param {string} name @param {...any} values */
  id(name, ...values) {
    this.call(name, ...values, this.result);
    return new Uint32Array(this.buffer, this.result, 1)[0];
  }

  /** Calls a function with bytes in the memory. @template T @param {Uint8Array} bytes @param {(at: number, length: number) => T} use */
  lend(bytes, use) {
    const at = this.exports.bl_alloc(bytes.length);
    if (!at) throw new BoneLayerError("space", "no memory is left");
    try {
      this.bytes.set(bytes, at);
      return use(at, bytes.length);
    } finally {
      if (!this.dead) this.exports.bl_dealloc(at, bytes.length);
    }
  }

  /** @template T @param {string} text @param {(at: number, length: number) => T} use */
  lendText(text, use) {
    return this.lend(encoder.encode(text), use);
  }

  /** All names of a kind. @param {bigint} figure @param {number} kind @returns {string[]} */
  names(figure, kind) {
    const ROOM = 1024;
    return this.lend(new Uint8Array(ROOM), (at) => Array.from({ length: this.id("bl_figure_count", figure, kind) }, (_, id) => {
      try {
        this.call("bl_figure_name", figure, kind, id, at, ROOM, this.result);
      } catch (error) {
        if (/** @type {BoneLayerError} */ (error).code !== "space") throw error;
        return `${id}`;
      }
      const length = new Uint32Array(this.buffer, this.result, 1)[0];
      return decoder.decode(this.bytes.slice(at, at + length));
    }));
  }
}

/** @type {{ source: any, opening: Promise<Engine> | null, engine: Engine | null }} */
const shared = { source: null, opening: null, engine: null };

/** Where the module is: an address, its bytes, or compiled. Used from the next `load` of a page without one on.
 * @param {string | URL | BufferSource | WebAssembly.Module} from */
export function setWasm(from) {
  shared.source = from;
}

/** What is at an address; files in Node, too. @param {string | URL} address @param {AbortSignal} [signal] @returns {Promise<Response>} */
export async function fetched(address, signal) {
  const url = new URL(address, globalThis.document?.baseURI ?? globalThis.location?.href ?? import.meta.url);
  if (url.protocol === "file:" && !globalThis.document) {
    const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ FILES);
    return new Response(await readFile(url));
  }
  let response;
  try {
    response = await fetch(url, { signal });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new BoneLayerError("network", `${url}: ${error}`);
  }
  if (!response.ok) throw new BoneLayerError("network", `${url}: ${response.status} ${response.statusText}`);
  return response;
}

/** @returns {Promise<Engine>} */
async function instantiate() {
  if (typeof WebAssembly === "undefined") throw new BoneLayerError("wasm-blocked", "there is no WebAssembly");
  const source = shared.source ?? new URL("./bone-layer.wasm", import.meta.url);
  try {
    if (source instanceof WebAssembly.Module) return new Engine((await WebAssembly.instantiate(source, {})).exports);
    const bytes = typeof source === "string" || source instanceof URL ? await (await fetched(source)).arrayBuffer() : source;
    return new Engine((await WebAssembly.instantiate(bytes, {})).instance.exports);
  } catch (error) {
    if (error instanceof BoneLayerError) throw error;
    const message = String(error);
    if (/content.security.policy|blocked by csp|unsafe-eval/i.test(message)) {
      throw new BoneLayerError("wasm-blocked", `script-src needs 'wasm-unsafe-eval': ${message}`);
    }
    throw new BoneLayerError("wasm", message);
  }
}

/** The instance of this page. @returns {Promise<Engine>} */
export function engine() {
  shared.opening ??= instantiate().then((engine) => (shared.engine = engine), (error) => {
    shared.opening = null;
    throw error;
  });
  return shared.opening;
}
