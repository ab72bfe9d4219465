// A player whose figure, steps and pictures are in a worker. One worker a page.

import { BoneLayerError } from "./wasm.js";

/** @type {string | URL | null} */
let address = null;
/** @type {Worker | null} */
let worker = null;
/** @type {Map<number, RemotePlayer>} */
const players = new Map();
let last = 0;

/** Where `worker.js` is, for pages that bundle it. @param {string | URL} url */
export function setWorker(url) {
  address = url;
}

function open() {
  if (worker) return worker;
  worker = address ? new Worker(address, { type: "module" }) : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => players.get(data.id)?.receive(data);
  worker.onerror = (event) => players.forEach((player) => player.receive({ failed: { code: "wasm", message: event.message ?? "the worker cannot be started" } }));
  return worker;
}

/** The calls of a player, as messages; what it answers comes as events, or as promises. */
export class RemotePlayer extends EventTarget {
  #id = ++last;
  #playbacks = 0;
  #running = false;
  #questions = /** @type {Map<number, { resolve: (value: any) => void, reject: (error: any) => void }>} */ (new Map());
  #asked = 0;
  #opening = { resolve: (/** @type {any} */ _figure) => {}, reject: (/** @type {any} */ _error) => {} };

  /** @param {OffscreenCanvas} canvas @param {string} src */
  constructor(canvas, src) {
    super();
    this.opened = new Promise((resolve, reject) => (this.#opening = { resolve, reject }));
    players.set(this.#id, this);
    open().postMessage({ id: this.#id, open: { canvas, src } }, [canvas]);
  }

  /** @param {any} data */
  receive({ opened, event, detail, failed, answer, question }) {
    if (opened) this.#opening.resolve({ ...opened, close() {} });
    else if (event) this.dispatchEvent(new CustomEvent(event, { detail }));
    else if (question !== undefined) {
      const asked = this.#questions.get(question);
      this.#questions.delete(question);
      if (failed) asked?.reject(new BoneLayerError(failed.code, failed.message));
      else asked?.resolve(answer);
    } else if (failed) {
      const error = new BoneLayerError(failed.code, failed.message);
      this.#opening.reject(error);
      this.dispatchEvent(new CustomEvent("failed", { detail: error }));
    }
  }

  /** @param {any} message */
  #post(message) {
    if (!players.has(this.#id)) throw new BoneLayerError("closed", "the player was closed");
    worker?.postMessage({ id: this.#id, ...message });
  }

  /** @param {string} name @param {any[]} values */
  #call(name, ...values) {
    this.#post({ call: name, values });
  }

  /** @param {string} name @param {any[]} values @returns {Promise<any>} */
  #ask(name, ...values) {
    const question = ++this.#asked;
    return new Promise((resolve, reject) => {
      this.#questions.set(question, { resolve, reject });
      this.#post({ call: name, values, question });
    });
  }

  // Those of a player that answer nothing.
  static {
    for (const name of ["start", "stop", "seek", "setSpeed", "setInput", "fire", "setBone", "setColor", "setText", "setImage", "setVisible", "wear"]) {
      /** @type {any} */ (this.prototype)[name] = /** @this {RemotePlayer} @param {...any} values */ function (...values) {
        this.#call(name, ...values);
      };
    }
  }

  /** @param {"play" | "layer"} name @param {string} clip @param {any} [options] */
  #begin(name, clip, options) {
    const playback = { id: ++this.#playbacks, clip };
    this.#post({ call: name, values: [clip, options], playback: playback.id });
    return playback;
  }

  /** @param {string} clip @param {any} [options] */
  play(clip, options) {
    return this.#begin("play", clip, options);
  }
  /** @param {string} clip @param {any} [options] */
  layer(clip, options) {
    return this.#begin("layer", clip, options);
  }
  /** @param {string} name */
  bone(name) {
    return this.#ask("bone", name);
  }
  /** @param {string} [element] */
  bounds(element) {
    return this.#ask("bounds", element);
  }
  /** @param {number} x @param {number} y @param {number} [reach] */
  hit(x, y, reach) {
    return this.#ask("hit", x, y, reach);
  }
  /** Whether it plays. @param {boolean} on */
  run(on) {
    if (on !== this.#running) this.#post({ run: this.#running = on });
  }
  /** @param {number} width @param {number} height @param {any} view */
  resize(width, height, view) {
    this.#post({ size: [width, height], view });
  }

  close() {
    if (!players.delete(this.#id)) return;
    worker?.postMessage({ id: this.#id, close: true });
    const closed = new BoneLayerError("closed", "the player was closed");
    this.#opening.reject(closed);
    this.opened.catch(() => {});
    this.#questions.forEach(({ reject }) => reject(closed));
  }
}
