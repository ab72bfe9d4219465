// The element: one loop for all, and what a page expects of a picture that moves.

import { load } from "./player.js";
import { RemotePlayer } from "./remote.js";
import { BoneLayerError } from "./wasm.js";

const MOST_DENSITY = 2;
/** A page that slept goes on where it was. */
const LONGEST_STEP = 0.1;
const ICONS = { play: "M3 2v12l11-6z", pause: "M3 2h4v12H3zm6 0h4v12H9z", restart: "M8 3V0L3.5 4 8 8V5a4 4 0 1 1-4 4H2a6 6 0 1 0 6-6z" };
const STYLE = `
:host { display: inline-block; position: relative; max-width: 100%; vertical-align: bottom; contain: content }
:host([hidden]) { display: none }
canvas, slot, img { position: absolute; inset: 0; width: 100%; height: 100% }
canvas { touch-action: manipulation }
slot { display: block }
slot::slotted(*) { width: 100%; height: 100%; object-fit: contain }
img { object-fit: contain }
.flow { position: static; width: auto; height: auto; max-width: 100% }
.flow::slotted(*) { width: auto; height: auto; max-width: 100% }
[hidden] { display: none !important }
.controls { position: absolute; inset: auto auto 8px 8px; display: flex; gap: 6px }
button { all: unset; box-sizing: border-box; display: grid; place-items: center; width: 36px; height: 36px; border-radius: 18px; background: #1d1d1fcc; color: #fff; cursor: pointer }
button:hover { background: #1d1d1f }
button:focus-visible { outline: 2px solid #fff; box-shadow: 0 0 0 4px #1d1d1f }
svg { width: 16px; height: 16px; fill: currentColor }
`;

/** @type {CSSStyleSheet | undefined} */
let sheet;
/** Elements whose next frame is wanted. @type {Set<BoneLayerElement>} */
const wanted = new Set();
let frame = 0;
/** @type {IntersectionObserver | undefined} */
let seen;
/** @type {ResizeObserver | undefined} */
let sizes;
/** @type {MediaQueryList | undefined} */
let reduced;
/** All that are connected. @type {Set<BoneLayerElement>} */
const connected = new Set();

/** What all elements of a page share, made with the first one. */
function begin() {
  if (seen) return;
  seen = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => /** @type {BoneLayerElement} */ (target).setSeen(isIntersecting)));
  sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => /** @type {BoneLayerElement} */ (target).measure()));
  reduced = matchMedia("(prefers-reduced-motion: reduce)");
  reduced.addEventListener("change", () => connected.forEach((element) => element.motionChanged()));
  document.addEventListener("visibilitychange", () => connected.forEach((element) => element.want()));
}

/** @param {number} now */
function tick(now) {
  frame = 0;
  const these = [...wanted];
  wanted.clear();
  for (const element of these) element.tick(now);
}

/** @param {string} name */
const icon = (name) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[/** @type {keyof typeof ICONS} */ (name)]);
  svg.append(path);
  return svg;
};

/** `<bone-layer src="hero.bones" clip="walk" alt="A person walks">` */
export class BoneLayerElement extends /** @type {typeof HTMLElement} */ (globalThis.HTMLElement ?? class {}) {
  static observedAttributes = ["src", "clip", "machine", "wear", "controls", "speed", "fit", "poster", "alt", "decorative", "reduced-motion"];

  /** @type {any} */
  player = null;
  /** @type {any} */
  figure = null;
  /** Resolves with the player once it is there. @type {Promise<any>} */
  ready = Promise.resolve(null);
  #settled = true;
  #settle = { resolve: (/** @type {any} */ _player) => {}, reject: (/** @type {any} */ _error) => {} };
  /** @type {HTMLCanvasElement} */
  #canvas;
  #slot;
  /** @type {HTMLImageElement | null} */
  #poster = null;
  #controls;
  #toggle;
  /** @type {any} */
  #playback = null;
  /** @type {AbortController | null} */
  #loading = null;
  #playing = false;
  #seen = false;
  #dirty = true;
  #before = 0;
  #drawn = false;

  constructor() {
    super();
    this.#renew();
    const root = this.attachShadow({ mode: "open" });
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(STYLE);
    }
    root.adoptedStyleSheets = [sheet];
    this.#canvas = this.#newCanvas();
    this.#slot = document.createElement("slot");
    this.#slot.part.add("poster");
    this.#controls = document.createElement("div");
    this.#controls.className = "controls";
    this.#controls.part.add("controls");
    this.#controls.hidden = true;
    this.#toggle = this.#button("play", "Play", () => (this.#playing ? this.pause() : this.play()));
    this.#button("restart", "Restart", () => this.restart());
    root.append(this.#slot, this.#canvas, this.#controls);
  }

  #newCanvas() {
    const canvas = document.createElement("canvas");
    canvas.part.add("canvas");
    canvas.hidden = true;
    canvas.addEventListener("click", (event) => this.#clicked(event));
    return canvas;
  }

  /** @param {string} name @param {string} label @param {() => void} act */
  #button(name, label, act) {
    const button = document.createElement("button");
    button.type = "button";
    button.part.add("button", name);
    button.setAttribute("aria-label", label);
    button.append(icon(name));
    button.addEventListener("click", act);
    this.#controls.append(button);
    return button;
  }

  /** Promises of the player stay pending until it is there or has failed. */
  #renew() {
    if (!this.#settled) return;
    this.#settled = false;
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // Errors are events, too.
    this.ready.catch(() => {});
  }

  get paused() {
    return !this.#playing;
  }

  connectedCallback() {
    begin();
    connected.add(this);
    seen?.observe(this);
    sizes?.observe(this);
    this.#describe();
    if (!this.figure && !this.#loading) void this.#open();
    this.want();
  }

  disconnectedCallback() {
    connected.delete(this);
    seen?.unobserve(this);
    sizes?.unobserve(this);
    this.#seen = false;
    // An element that is moved within the page is connected again before this.
    queueMicrotask(() => this.isConnected || this.close());
  }

  /** @param {string} name @param {string | null} before @param {string | null} value */
  attributeChangedCallback(name, before, value) {
    if (before === value || !this.isConnected) return;
    if (name === "src") {
      this.close();
      void this.#open();
    } else if ((name === "clip" || name === "machine") && this.player) this.#begin(0.2);
    else if (name === "wear" && this.player) this.#wear();
    else if (name === "speed" && this.#playback) this.player.setSpeed(this.#playback, this.#speed);
    else if (name === "reduced-motion") this.motionChanged();
    this.#describe();
    this.#dirty = true;
    this.want();
  }

  get #speed() {
    const speed = Number(this.getAttribute("speed") ?? 1);
    return Number.isFinite(speed) ? speed : 1;
  }

  /** What the system and the attributes allow: `play`, `once`, or `poster`. */
  get #mode() {
    if (!reduced?.matches) return "play";
    return this.getAttribute("reduced-motion") ?? (this.getAttribute("autoplay") === "on" ? "play" : "poster");
  }

  /** What a reader of the screen reads, and the poster. */
  #describe() {
    const decorative = this.hasAttribute("decorative") || this.getAttribute("alt") === "";
    const canvas = this.#canvas;
    canvas.toggleAttribute("aria-hidden", false);
    if (decorative) {
      canvas.removeAttribute("role");
      canvas.removeAttribute("aria-label");
      canvas.setAttribute("aria-hidden", "true");
    } else {
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", this.getAttribute("alt") ?? "Animation");
    }
    this.#controls.hidden = !this.hasAttribute("controls") || !this.figure;
    const poster = this.getAttribute("poster");
    if (poster && !this.#poster) {
      this.#poster = document.createElement("img");
      this.#poster.part.add("poster");
      this.#slot.before(this.#poster);
    }
    if (this.#poster) {
      this.#poster.alt = decorative ? "" : this.getAttribute("alt") ?? "";
      if (poster && this.#poster.getAttribute("src") !== poster) this.#poster.src = poster;
    }
    this.#cover();
  }

  /** The poster is there until the first frame is. */
  #cover() {
    const still = !this.#drawn || (this.#stays && !this.#playing);
    const poster = Boolean(this.getAttribute("poster"));
    // Until the drawing gives the element a size, the poster does.
    for (const part of [this.#slot, this.#poster]) part?.classList.toggle("flow", !this.figure);
    const covered = still && (poster || this.childElementCount > 0);
    this.#canvas.hidden = covered || !this.#drawn;
    this.#slot.hidden = !covered && this.#drawn || poster;
    if (this.#poster) this.#poster.hidden = !covered || !poster;
  }

  /** Whether the poster stays because motion is reduced. */
  get #stays() {
    return this.#mode === "poster" && !this.#started;
  }
  #started = false;

  async #open() {
    const src = this.getAttribute("src");
    if (!src) return;
    this.#renew();
    const loading = this.#loading = new AbortController();
    try {
      if (this.hasAttribute("worker") && "transferControlToOffscreen" in this.#canvas) await this.#openRemote(src, loading.signal);
      else {
        const figure = await load(new URL(src, this.baseURI), { signal: loading.signal });
        this.figure = figure;
        this.player = figure.player();
      }
    } catch (error) {
      if (loading.signal.aborted) return;
      this.#loading = null;
      return this.fail(error);
    }
    this.#loading = null;
    const { width, height } = this.figure;
    // Without a size of the page's own, as large as the drawing. Rules of the page come first.
    const own = new CSSStyleSheet();
    own.replaceSync(`:host { width: ${width}px; aspect-ratio: ${width} / ${height} }`);
    /** @type {ShadowRoot} */ (this.shadowRoot).adoptedStyleSheets = [/** @type {CSSStyleSheet} */ (sheet), own];
    for (const name of ["loop", "end", "marker", "input", "state"]) {
      this.player.addEventListener(name, (/** @type {CustomEvent} */ { detail }) => {
        if (name === "end" && detail.playback?.id === this.#playback?.id) this.#pause();
        this.#tell(name, detail);
      });
    }
    this.player.addEventListener("change", () => {
      this.#dirty = true;
      this.want();
    });
    if (this.hasAttribute("wear")) this.#wear();
    this.#begin(0);
    if (this.getAttribute("autoplay") !== "off" && this.#mode !== "poster") this.#play();
    this.measure();
    this.#describe();
    this.#settled = true;
    this.#settle.resolve(this.player);
    this.#tell("load", { width, height });
  }

  /** @param {string} src @param {AbortSignal} signal */
  async #openRemote(src, signal) {
    const player = new RemotePlayer(this.#canvas.transferControlToOffscreen(), String(new URL(src, this.baseURI)));
    signal.addEventListener("abort", () => player.close());
    player.addEventListener("painted", () => this.#painted());
    player.addEventListener("failed", (event) => this.fail(/** @type {CustomEvent} */ (event).detail));
    this.figure = await player.opened;
    this.player = player;
  }

  /** Plays the machine or the clip of the attributes, or the first clip. @param {number} fade */
  #begin(fade) {
    const machine = this.getAttribute("machine");
    const clip = this.getAttribute("clip") ?? this.figure.clips[0]?.name;
    if (!machine && clip === undefined) return;
    try {
      if (machine) return void this.player.start(machine, { fade });
      const once = this.#mode === "once" ? { repeat: 1 } : {};
      this.#playback = this.player.play(clip, { fade, speed: this.#speed, ...once });
    } catch (error) {
      this.fail(error);
    }
  }

  /** Puts the outfits of the attribute on. */
  #wear() {
    try {
      this.player.wear(this.getAttribute("wear")?.split(",").map((name) => name.trim()).filter(Boolean) ?? null);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Plays on, or again from the start if it has ended. */
  play() {
    this.#started = true;
    if (!this.player) return void this.ready.then(() => this.play(), () => {});
    if (this.#ended) this.#begin(0);
    this.#play();
  }

  /** From the start. */
  restart() {
    this.#started = true;
    if (!this.player) return this.play();
    this.#begin(0);
    this.#play();
  }

  #ended = false;

  #play() {
    this.#ended = false;
    if (this.#playing) return;
    this.#playing = true;
    this.#before = 0;
    this.#show("pause", "Pause");
    this.player.run?.(this.#runs);
    this.#tell("play");
    this.want();
  }

  pause() {
    this.#pause(false);
  }

  #pause(ended = true) {
    this.#ended = ended;
    if (!this.#playing) return;
    this.#playing = false;
    this.#show("play", "Play");
    this.player?.run?.(false);
    this.#tell("pause");
  }

  /** @param {string} name @param {string} label */
  #show(name, label) {
    this.#toggle.setAttribute("aria-label", label);
    this.#toggle.replaceChildren(icon(name));
    this.#cover();
  }

  /** The setting of the system, or of the attribute, is another one. */
  motionChanged() {
    if (!this.player) return;
    this.#started = false;
    if (this.#mode !== "play") this.#pause(false);
    else if (this.getAttribute("autoplay") !== "off") this.#play();
    this.#cover();
  }

  get #runs() {
    return this.#playing && this.#seen && !document.hidden;
  }

  /** @param {boolean} on */
  setSeen(on) {
    this.#seen = on;
    this.#before = 0;
    this.want();
  }

  /** Asks for a frame, if one would be seen. */
  want() {
    if (!this.player) return;
    this.player.run?.(this.#runs);
    if (this.player.run || document.hidden || !this.#seen || !(this.#playing || this.#dirty)) return void (this.#before = 0);
    wanted.add(this);
    frame ||= requestAnimationFrame(tick);
  }

  /** @param {number} now */
  tick(now) {
    if (!this.player || document.hidden || !this.#seen) return;
    const seconds = this.#playing && this.#before ? Math.min(LONGEST_STEP, (now - this.#before) / 1000) : 0;
    this.#before = this.#playing ? now : 0;
    this.#dirty = false;
    try {
      this.player.step(seconds);
      this.player.draw(this.#canvas, this.#view());
    } catch (error) {
      return this.fail(error);
    }
    this.#painted();
    this.want();
  }

  #painted() {
    if (!this.#drawn || this.#canvas.hidden) {
      this.#drawn = true;
      this.#cover();
    }
  }

  /** From the page of the drawing to the pixels of the canvas, or of the element. @param {number} [width] @param {number} [height] */
  #view(width = this.#size[0], height = this.#size[1]) {
    const by = [width / this.figure.width, height / this.figure.height];
    const fit = this.getAttribute("fit") ?? "contain";
    const scale = fit === "cover" ? Math.max(...by) : fit === "none" ? width / Math.max(1, this.clientWidth) : Math.min(...by);
    return { a: scale, d: scale, e: (width - scale * this.figure.width) / 2, f: (height - scale * this.figure.height) / 2 };
  }

  /** Width and height of the canvas, in its pixels. */
  #size = [0, 0];

  /** Fits the canvas to the element. */
  measure() {
    if (!this.figure) return;
    const density = Math.min(MOST_DENSITY, devicePixelRatio || 1);
    const size = [this.clientWidth, this.clientHeight].map((length) => Math.max(1, Math.round(length * density)));
    if (size[0] === this.#size[0] && size[1] === this.#size[1] && !this.player.run) return;
    this.#size = size;
    if (this.player.run) this.player.resize(...size, this.#view());
    else [this.#canvas.width, this.#canvas.height] = size;
    this.#dirty = true;
    this.want();
  }

  /** @param {MouseEvent} event */
  async #clicked({ clientX, clientY }) {
    if (!this.figure) return;
    const box = this.#canvas.getBoundingClientRect();
    const { a, e, f } = this.#view(box.width, box.height);
    const [x, y] = [(clientX - box.left - e) / a, (clientY - box.top - f) / a];
    const element = await this.player.hit(x, y, 1);
    if (element !== null) this.#tell("elementclick", { element, x, y });
  }

  /** @param {string} name @param {any} [detail] */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** @param {any} error */
  fail(error) {
    this.#pause(false);
    const { message = String(error) } = error ?? {};
    const code = error instanceof BoneLayerError ? error.code : "other";
    if (code === "wasm" || code === "panic") this.close();
    this.#settled = true;
    this.#settle.reject(error);
    this.#tell("error", { code, message });
  }

  /** Gives back what the player uses. An element that is connected again loads again. */
  close() {
    this.#loading?.abort();
    this.#loading = null;
    this.#pause(false);
    const remote = Boolean(this.player?.run);
    this.player?.close();
    this.figure?.close();
    this.player = this.figure = this.#playback = null;
    this.#drawn = this.#started = false;
    this.#dirty = true;
    this.#size = [0, 0];
    wanted.delete(this);
    // A canvas that was given to a worker stays there.
    if (remote) {
      const canvas = this.#newCanvas();
      this.#canvas.replaceWith(canvas);
      this.#canvas = canvas;
    } else this.#canvas.width = this.#canvas.height = 0;
    this.#describe();
  }
}

if (globalThis.customElements && globalThis.HTMLElement && !customElements.get("bone-layer")) customElements.define("bone-layer", BoneLayerElement);
