// Figures and players: packed rigs, what plays of them, and what is set.

import { Painter, inverse, product } from "./painter.js";
import { BoneLayerError, engine, fetched } from "./wasm.js";

const CLIP = 0, BONE = 1, INPUT = 2, ELEMENT = 3, MARKER = 4, NODE = 5, MACHINE = 6, STATE = 7, OUTFIT = 8;
const NONE = 0xffffffff;
const EVENTS = ["loop", "end", "removed", "marker", "input", "overflow", "state", "stuck"];
const FORMATS = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/svg+xml"];
const INPUT_KINDS = ["choice", "number", "place", "flag", "trigger"];

/** Closes what its owner has forgotten. */
const forgotten = new FinalizationRegistry((/** @type {{ engine: import("./wasm.js").Engine, handle: bigint }} */ { engine, handle }) => free(engine, handle));

/** @param {import("./wasm.js").Engine} engine @param {bigint} handle */
function free(engine, handle) {
  if (!engine.dead) engine.exports.bl_free(handle);
}

/** Rigs that were fetched, by address. @type {Map<string, Promise<Uint8Array>>} */
const fetching = new Map();

/** The figure of a packed rig: its address, or its bytes.
 * @param {string | URL | ArrayBuffer | Uint8Array} source @param {{ signal?: AbortSignal }} [options] @returns {Promise<Figure>} */
export async function load(source, { signal } = {}) {
  const opening = engine();
  // If one fails, the rejection of the other one is handled, too.
  opening.catch(() => {});
  /** @type {Uint8Array} */
  let bytes;
  if (typeof source === "string" || source instanceof URL) {
    const key = String(source);
    const fresh = fetching.get(key) ?? fetched(source).then(async (response) => new Uint8Array(await response.arrayBuffer()));
    fetching.set(key, fresh);
    fresh.finally(() => fetching.delete(key)).catch(() => {});
    bytes = await fresh;
  } else bytes = source instanceof Uint8Array ? source : new Uint8Array(source);
  const opened = await opening;
  signal?.throwIfAborted();
  const figure = new Figure(opened, opened.lend(bytes, (at, length) => opened.handle("bl_figure_load", at, length)));
  try {
    await figure.decode();
    signal?.throwIfAborted();
  } catch (error) {
    figure.close();
    throw error;
  }
  return figure;
}

/** A packed rig. Players of a figure that was closed play on. */
export class Figure {
  #engine;
  #handle;
  /** @type {Map<number, any>} */
  #pictures = new Map();
  #closed = false;
  /** @type {Set<string>} */
  #unsupported = new Set();

  /** @param {import("./wasm.js").Engine} engine @param {bigint} handle */
  constructor(engine, handle) {
    this.#engine = engine;
    this.#handle = handle;
    forgotten.register(this, { engine, handle }, this);
    const [width, height, ...page] = engine.numbers(8, "bl_figure_page", handle);
    this.width = width;
    this.height = height;
    /** From the canvas of the drawing to the pixels of its page. */
    this.page = /** @type {import("./painter.js").Matrix} */ (/** @type {unknown} */ (page));
    const names = (/** @type {number} */ kind) => engine.names(handle, kind);
    this.clips = Object.freeze(names(CLIP).map((name, id) => {
      const [length, loop] = engine.numbers(2, "bl_clip_info", handle, id);
      return Object.freeze({ name, length, loop: loop === 1 });
    }));
    this.inputs = Object.freeze(names(INPUT).map((name, id) => {
      const [kind, min, max] = engine.numbers(3, "bl_input_info", handle, id);
      return Object.freeze({ name, kind: INPUT_KINDS[kind], min, max });
    }));
    this.elements = Object.freeze(names(ELEMENT));
    this.bones = Object.freeze(names(BONE));
    this.markers = Object.freeze(names(MARKER));
    this.machines = Object.freeze(names(MACHINE));
    this.states = names(STATE);
    this.outfits = Object.freeze(names(OUTFIT));
  }

  /** What of it a canvas does not draw, as far as it was painted. */
  get unsupported() {
    return [...this.#unsupported];
  }

  /** The id of a name. @param {number} kind @param {string} name */
  find(kind, name) {
    return this.#engine.lendText(name, (at, length) => this.#engine.id("bl_figure_find", this.#handle, kind, at, length));
  }

  /** Decodes the pictures of the drawing. */
  async decode() {
    if (typeof createImageBitmap === "undefined") return;
    const engine = this.#engine;
    const player = engine.handle("bl_player_new", this.#handle);
    const jobs = [];
    for (let node = 0, nodes = engine.id("bl_figure_count", this.#handle, NODE); node < nodes; node++) {
      const { result } = engine;
      try {
        engine.call("bl_image", player, node, result, result + 4, result + 8);
      } catch {
        continue;
      }
      const [at, length, format] = new Uint32Array(engine.buffer, result, 3);
      const blob = new Blob([engine.bytes.slice(at, at + length)], { type: FORMATS[format] });
      jobs.push(decoded(blob).then((picture) => this.#pictures.set(node, picture), () => this.#unsupported.add(`pictures of ${FORMATS[format]}`)));
    }
    engine.call("bl_free", player);
    await Promise.all(jobs);
  }

  /** @param {number} node */
  picture(node) {
    return this.#pictures.get(node) ?? null;
  }

  /** @param {Iterable<string>} what */
  leaveOut(what) {
    for (const name of what) this.#unsupported.add(name);
  }

  /** A player in the setup pose. */
  player() {
    if (this.#closed) throw new BoneLayerError("closed", "the figure was closed");
    return new Player(this, this.#engine, this.#engine.handle("bl_player_new", this.#handle));
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    forgotten.unregister(this);
    free(this.#engine, this.#handle);
  }
}

/** @param {Blob} blob @returns {Promise<any>} */
async function decoded(blob) {
  if (blob.type !== "image/svg+xml") return createImageBitmap(blob);
  const image = new Image();
  image.src = `data:image/svg+xml;base64,${btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())))}`;
  await image.decode();
  return image;
}

/** A clip that a player plays. */
class Playback {
  /** @param {bigint} id @param {string} clip */
  constructor(id, clip) {
    this.id = id;
    this.clip = clip;
  }
}

/** What plays of a figure. Places are pixels of its page. */
export class Player extends EventTarget {
  #engine;
  #handle;
  #painter = new Painter();
  /** @type {Map<bigint, Playback>} */
  #playbacks = new Map();
  /** Pictures that were set, by the ids of elements. @type {Map<number, any>} */
  #set = new Map();
  #closed = false;
  #calls = 0;
  #toCanvas;
  #options;

  /** @param {Figure} figure @param {import("./wasm.js").Engine} engine @param {bigint} handle */
  constructor(figure, engine, handle) {
    super();
    this.figure = figure;
    this.#engine = engine;
    this.#handle = handle;
    this.#toCanvas = inverse(figure.page);
    this.#options = new DataView(new ArrayBuffer(32));
    forgotten.register(this, { engine, handle }, this);
  }

  /** @param {string} name @param {...any} values */
  #call(name, ...values) {
    if (this.#closed) throw new BoneLayerError("closed", "the player was closed");
    this.#calls++;
    this.#engine.call(name, this.#handle, ...values);
  }

  /** What was set is seen with the next step or picture. */
  #changed() {
    this.dispatchEvent(new Event("change"));
  }

  /** @param {string} clip @param {(out: number) => void} start */
  #start(clip, start) {
    start(this.#engine.result);
    const playback = new Playback(new BigUint64Array(this.#engine.buffer, this.#engine.result, 1)[0], clip);
    this.#playbacks.set(playback.id, playback);
    this.#changed();
    return playback;
  }

  /** Fades into a clip. @param {string} clip @param {{ fade?: number, speed?: number, repeat?: number, at?: number }} [options] */
  play(clip, { fade = 0, speed = 1, repeat, at = 0 } = {}) {
    const id = this.figure.find(CLIP, clip);
    const times = repeat === undefined ? 0 : repeat === Infinity ? NONE : repeat;
    if (!(Number.isInteger(times) && times >= 0 && times <= NONE) || repeat === 0) throw new BoneLayerError("number", "repeat is a whole number above 0, or Infinity");
    const options = this.#options;
    options.setUint32(0, 32, true);
    options.setUint32(4, times, true);
    [fade, speed, at].forEach((number, k) => options.setFloat64(8 + 8 * k, number, true));
    return this.#start(clip, (out) => this.#engine.lend(new Uint8Array(options.buffer), (from) => this.#call("bl_play", id, from, out)));
  }

  /** Puts a clip above all others. @param {string} clip @param {{ weight?: number, fade?: number }} [options] */
  layer(clip, { weight = 1, fade = 0 } = {}) {
    const id = this.figure.find(CLIP, clip);
    return this.#start(clip, (out) => this.#call("bl_layer", id, weight, fade, out));
  }

  /** Fades into a state machine. @param {string} machine @param {{ fade?: number }} [options] */
  start(machine, { fade = 0 } = {}) {
    this.#call("bl_start", this.figure.find(MACHINE, machine), fade);
    this.#changed();
  }

  /** @param {Playback} playback @param {number} [fade] */
  stop(playback, fade = 0) {
    this.#call("bl_stop", playback.id, fade);
    this.#changed();
  }

  /** @param {Playback} playback @param {number} seconds */
  seek(playback, seconds) {
    this.#call("bl_seek", playback.id, seconds);
    this.#changed();
  }

  /** @param {Playback} playback @param {number} speed */
  setSpeed(playback, speed) {
    this.#call("bl_set_speed", playback.id, speed);
  }

  /** The time of a clip in its own seconds; null if it has ended. @param {Playback} playback */
  time(playback) {
    try {
      this.#call("bl_time", playback.id, this.#engine.result);
    } catch (error) {
      if (/** @type {BoneLayerError} */ (error).code === "not-playing") return null;
      throw error;
    }
    return this.#engine.written(1)[0];
  }

  /** Advances everything, and dispatches what happened. @param {number} seconds */
  step(seconds) {
    this.#call("bl_step", seconds);
    const { result } = this.#engine;
    this.#call("bl_events", result, result + 4);
    const [at, count] = new Uint32Array(this.#engine.buffer, result, 2);
    if (!count) return;
    const view = new DataView(this.#engine.buffer.slice(at, at + 24 * count));
    for (let p = 0; p < 24 * count; p += 24) {
      const kind = EVENTS[view.getUint32(p, true)] ?? "overflow", id = view.getUint32(p + 4, true), key = view.getBigUint64(p + 8, true);
      const playback = this.#playbacks.get(key) ?? null;
      if (kind === "removed") this.#playbacks.delete(key);
      const name = { marker: this.figure.markers[id], input: this.figure.inputs[id]?.name, state: this.figure.states[id] }[kind];
      this.dispatchEvent(new CustomEvent(kind, { detail: { playback, name, value: view.getFloat64(p + 16, true) } }));
    }
  }

  /** A moment of a clip as render-frames draws it. @param {string} clip @param {number} seconds */
  exact(clip, seconds) {
    this.#call("bl_exact", this.figure.find(CLIP, clip), seconds);
    this.#changed();
  }

  /** @param {string} name @param {number | boolean | { x: number, y: number } | null} value null gives it back to the clips */
  setInput(name, value) {
    const id = this.figure.find(INPUT, name);
    if (value === null) this.#call("bl_reset_input", id);
    else if (typeof value === "object") this.#call("bl_set_target", id, ...this.#onCanvas(value.x, value.y));
    else this.#call("bl_set_input", id, Number(value));
    this.#changed();
  }

  /** Sets a trigger, which counts in the next step. @param {string} name */
  fire(name) {
    this.#call("bl_fire", this.figure.find(INPUT, name));
    this.#changed();
  }

  /** @param {string} element @param {string | null} css @param {"fill" | "stroke"} [part] */
  setColor(element, css, part = "fill") {
    const id = this.figure.find(ELEMENT, element), number = part === "stroke" ? 1 : 0;
    if (css === null) this.#call("bl_set_color", id, number, 0);
    else this.#engine.lend(new Uint8Array(new Float32Array(colorOf(css)).buffer), (at) => this.#call("bl_set_color", id, number, at));
    this.#changed();
  }

  /** Puts outfits on, in this order; null gives back what the figure wears by itself. @param {string[] | null} outfits */
  wear(outfits) {
    const ids = new Uint32Array((outfits ?? []).map((name) => this.figure.find(OUTFIT, name)));
    // Without outfits there is memory all the same: null means something else.
    this.#engine.lend(new Uint8Array([...new Uint8Array(ids.buffer), 0]), (at) => this.#call("bl_wear", outfits ? at : 0, ids.length));
    this.step(0);
  }

  /** @param {string} element @param {string | null} text */
  setText(element, text) {
    const id = this.figure.find(ELEMENT, element);
    if (text === null) this.#call("bl_set_text", id, 0, 0);
    else this.#engine.lendText(text, (at, length) => this.#call("bl_set_text", id, at, length));
    this.#changed();
  }

  /** @param {string} element @param {CanvasImageSource | null} picture */
  setImage(element, picture) {
    const address = this.figure.elements[this.figure.find(ELEMENT, element)];
    this.figure.elements.forEach((name, id) => {
      if (name !== address && !name.startsWith(`${address}/`)) return;
      if (picture) this.#set.set(id, picture);
      else this.#set.delete(id);
    });
    this.#changed();
  }

  /** @param {string} element @param {boolean | null} on */
  setVisible(element, on) {
    this.#call("bl_set_visible", this.figure.find(ELEMENT, element), on === null ? -1 : Number(on));
    this.#changed();
  }

  /** The matrix from the frame of a bone to the page. @param {string} name */
  bone(name) {
    const id = this.figure.find(BONE, name);
    const [a, b, c, d, e, f] = product(this.figure.page, /** @type {any} */ (this.#numbers(6, "bl_bone_get", id)));
    return { a, b, c, d, e, f };
  }

  /** Moves a bone in its parent's frame, on top of the clips or in their place; null gives it back.
   * @param {string} name @param {{ x?: number, y?: number, angle?: number, scaleX?: number, scaleY?: number, stretch?: number, replace?: boolean } | null} pose */
  setBone(name, pose) {
    const id = this.figure.find(BONE, name);
    const { x = 0, y = 0, angle = 0, scaleX = 1, scaleY = 1, stretch = 1, replace = false } = pose ?? {};
    const numbers = new Uint8Array(new Float64Array([x, y, angle, scaleX, scaleY, stretch]).buffer);
    this.#engine.lend(numbers, (at) => this.#call("bl_set_bone", id, pose ? at : 0, Number(replace)));
    this.#changed();
  }

  /** @param {number} count @param {string} name @param {...any} values */
  #numbers(count, name, ...values) {
    this.#call(name, ...values, this.#engine.result);
    return this.#engine.written(count);
  }

  /** @param {number} x @param {number} y */
  #onCanvas(x, y) {
    return product(this.#toCanvas, [1, 0, 0, 1, x, y]).slice(4);
  }

  /** The box of an element, or of everything; null if nothing of it is painted. @param {string} [element] */
  bounds(element) {
    const id = element === undefined ? NONE : this.figure.find(ELEMENT, element);
    let sides;
    try {
      sides = this.#numbers(4, "bl_bounds", id);
    } catch (error) {
      if (/** @type {BoneLayerError} */ (error).code === "not-kept") return null;
      throw error;
    }
    const corners = [[0, 1], [2, 1], [0, 3], [2, 3]].map(([x, y]) => product(this.figure.page, [1, 0, 0, 1, sides[x], sides[y]]));
    const xs = corners.map((corner) => corner[4]), ys = corners.map((corner) => corner[5]);
    const [x, y] = [Math.min(...xs), Math.min(...ys)];
    return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y };
  }

  /** The element in front at a place; null if there is none. @param {number} x @param {number} y @param {number} [reach] */
  hit(x, y, reach = 0) {
    const [at, down] = this.#onCanvas(x, y);
    const page = this.figure.page, scale = Math.sqrt(Math.abs(page[0] * page[3] - page[1] * page[2]));
    this.#call("bl_hit", at, down, reach / scale, this.#engine.result);
    const id = new Uint32Array(this.#engine.buffer, this.#engine.result, 1)[0];
    return id === NONE ? null : this.figure.elements[id] ?? null;
  }

  /** Draws the moment into a context, on top of its transform.
   * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} context @param {DOMMatrix2DInit} [matrix] */
  paint(context, { a = 1, b = 0, c = 0, d = 1, e = 0, f = 0 } = {}) {
    const now = context.getTransform();
    const view = product([now.a, now.b, now.c, now.d, now.e, now.f], [a, b, c, d, e, f]);
    const { result } = this.#engine;
    this.#engine.lend(new Uint8Array(new Float64Array(view).buffer), (at) => this.#call("bl_paint", at, result));
    const { buffer } = this.#engine;
    const [verbs, verbCount, points, pointCount, transforms, transformCount, words, wordCount] = new Uint32Array(buffer, result, 8);
    this.#painter.paint(context, {
      verbs: new Uint8Array(buffer, verbs, verbCount),
      coordinates: new Float32Array(buffer, points, pointCount),
      transforms: new Float64Array(buffer, transforms, 6 * transformCount),
      words: new Uint32Array(buffer, words, wordCount),
      floats: new Float32Array(buffer, words, wordCount),
    }, (node, element) => this.#set.get(element) ?? this.figure.picture(node));
    this.figure.leaveOut(this.#painter.unsupported);
  }

  /** For the adapters. */
  get inside() {
    return /** @type {const} */ ([this.#engine, this.#handle, this.#set, this.#calls]);
  }

  /** Empties a canvas and draws the moment, cut at the borders of the page. Without a view, the page fits into the canvas.
   * @param {HTMLCanvasElement | OffscreenCanvas} canvas @param {{ a?: number, d?: number, e?: number, f?: number }} [view] */
  draw(canvas, view) {
    const { width, height } = this.figure;
    const context = contexts.get(canvas) ?? /** @type {CanvasRenderingContext2D | null} */ (canvas.getContext("2d"));
    if (context) contexts.set(canvas, context);
    else throw new BoneLayerError("canvas", "the canvas has another context");
    const fit = Math.min(canvas.width / width, canvas.height / height);
    const { a = 1, d = 1, e = 0, f = 0 } = view ?? { a: fit, d: fit, e: (canvas.width - fit * width) / 2, f: (canvas.height - fit * height) / 2 };
    context.reset();
    context.rect(e, f, a * width, d * height);
    context.clip();
    this.paint(context, { a, d, e, f });
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    forgotten.unregister(this);
    free(this.#engine, this.#handle);
  }
}

/** Firefox gives a canvas of a worker its context only once. @type {WeakMap<object, CanvasRenderingContext2D>} */
const contexts = new WeakMap();
/** @type {any} */
let colors;

/** Red, green, blue and alpha from 0 to 1. @param {string} css */
function colorOf(css) {
  let hex = /^#([0-9a-f]{3,8})$/i.exec(css)?.[1];
  if (!hex && (globalThis.OffscreenCanvas || globalThis.document)) {
    colors ??= (globalThis.OffscreenCanvas ? new OffscreenCanvas(1, 1) : document.createElement("canvas")).getContext("2d");
    // An invalid colour leaves the one before.
    const read = (/** @type {string} */ before) => {
      colors.fillStyle = before;
      colors.fillStyle = css;
      return /** @type {string} */ (colors.fillStyle);
    };
    const color = read("#000");
    if (color === read("#fff")) {
      const numbers = color.match(/[\d.]+/g)?.map(Number) ?? [];
      if (color.startsWith("rgba(")) return [numbers[0] / 255, numbers[1] / 255, numbers[2] / 255, numbers[3]];
      hex = color.slice(1);
    }
  }
  if (hex && hex.length < 5) hex = [...hex].map((digit) => digit + digit).join("");
  if (hex?.length !== 6 && hex?.length !== 8) throw new BoneLayerError("color", `"${css}" is no colour (Node reads #rrggbb)`);
  return [0, 2, 4, 6].map((at) => parseInt(hex.slice(at, at + 2) || "ff", 16) / 255);
}
