// Pictures of the engine on the stage's canvas: one request at a time while the artist works, three while playing.
// Bones of an answer appear together with its picture.

import { model } from "./model.js";

/** @typedef {import("./view.js").View} View */

/** Above this many milliseconds from request to picture, pictures of a drag have half the size. */
const SLOW = 70;

export class Pictures {
  #wanted = false;
  /** Requests without an answer: number to the time they were sent. @type {Map<number, number>} */
  #waiting = new Map();
  /** Answers whose pictures have not come. @type {Map<number, Posed>} */
  #posed = new Map();
  #shown = 0;
  #pause = 0;
  #round = 0;
  /** The rectangle of the canvas that the picture on the stage shows. @type {number[] | null} */
  #view = null;
  /** Where a drag is: its messages take the place of others. @type {(() => Message | null) | null} */
  drag = null;
  /** The number of the last message of a drag, which is sent before it is committed. */
  last = 0;
  /** The last answer, whose picture may still be decoded. @type {Posed | null} */
  latest = null;
  /** Times from a request to its picture, milliseconds: the last ones. @type {number[]} */
  times = [];

  /** @param {View} view @param {HTMLCanvasElement} canvas */
  constructor(view, canvas) {
    this.view = view;
    this.canvas = canvas;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  }

  /** Takes the answers of the engine: those of the stage on the page, and not of a copy of it. */
  listen() {
    model.handlers.set("posed", (message) => this.#answer(/** @type {any} */ (message)));
    model.handlers.set("picture", (message) => void this.#picture(message));
    model.handlers.set("failed", (message) => {
      this.#settle(message.seq);
      model.announce(`Not drawn: ${message.why}`);
      this.#pump();
    });
    model.handlers.set("fresh", () => this.request());
    model.on("link", (connected) => {
      this.#waiting.clear();
      this.#posed.clear();
      if (connected) this.request();
    });
  }

  /** Whether the stage shows what was asked for. */
  get idle() {
    return !this.#wanted && !this.#waiting.size && !this.#posed.size;
  }

  /** A new picture is needed. */
  request() {
    this.#wanted = true;
    this.#pump();
  }

  #pump() {
    const limit = model.playing ? 3 : 1;
    if (!this.#wanted || this.#waiting.size >= limit || !model.rig || !model.link.connected) return;
    const message = this.#message();
    if (!message) return;
    this.#wanted = false;
    const seq = model.link.next();
    this.#waiting.set(seq, performance.now());
    model.link.send(/** @type {PageMessage} */ ({ ...message, seq }));
  }

  /** @returns {Message | null} */
  #message() {
    const { size, view } = this.view.visible();
    const onion = model.onion && !model.playing ? { ...model.onionOptions, opacity: 0.5 } : null;
    const paper = model.checker ? "checker" : "#ffffff";
    const slow = this.drag && this.#round > SLOW;
    const half = slow ? size.map((side) => Math.max(1, Math.round(side / 2))) : size;
    const look = { size: half, view, paper, onion };
    clearTimeout(this.#pause);
    if (this.drag) {
      const drag = this.drag();
      if (slow) this.#pause = setTimeout(() => this.#sharp(), 150);
      return drag && { ...drag, ...look };
    }
    if (model.plays) {
      return { t: "frame", time: model.run, ...look, onion: null, play: model.playing, picture: true, machine: { name: model.machine, start: model.start, inputs: model.inputs } };
    }
    return {
      t: "frame", clip: model.shown, time: model.shown === null ? 0 : model.time, ...look, pose: model.pose, goals: model.goals,
      sliders: model.sliders, values: model.bones, values_of_art: model.mode === "pose" ? model.arts : [], play: model.playing, picture: true,
    };
  }

  /** The pointer rests: once more in full size. */
  #sharp() {
    const round = this.#round;
    this.#round = 0;
    this.request();
    this.#round = round;
  }

  /** An answer means that earlier requests get none. @param {number} seq */
  #settle(seq) {
    const sent = this.#waiting.get(seq);
    for (const waiting of this.#waiting.keys()) if (waiting <= seq) this.#waiting.delete(waiting);
    return sent;
  }

  /** @param {Posed} posed */
  #answer(posed) {
    this.latest = posed;
    // A drag in the setup has no picture.
    if ((this.drag || posed.seq === this.last) && model.mode === "setup") {
      this.#settle(posed.seq);
      if (posed.seq > this.#shown) this.#show(posed);
      this.#pump();
    } else if (posed.seq > this.#shown) {
      this.#posed.set(posed.seq, posed);
    }
  }

  /** @param {Message} message */
  async #picture({ seq, rev, png }) {
    if (!this.#posed.has(seq)) return void model.handlers.get("png")?.({ t: "png", seq, png });
    const sent = this.#settle(seq);
    this.#pump();
    const image = await createImageBitmap(png, { premultiplyAlpha: "none", colorSpaceConversion: "none" });
    const posed = this.#posed.get(seq);
    for (const waiting of this.#posed.keys()) if (waiting <= seq) this.#posed.delete(waiting);
    if (seq > this.#shown && posed) {
      this.#shown = seq;
      const { canvas } = this;
      if (canvas.width !== image.width || canvas.height !== image.height) {
        canvas.width = image.width;
        canvas.height = image.height;
      }
      this.context.drawImage(image, 0, 0);
      const [a, , , d, e, f] = posed.to_picture;
      this.#view = [-e / a, -f / d, image.width / a, image.height / d];
      this.place();
      if (sent !== undefined) {
        const took = performance.now() - sent;
        this.#round = this.#round * 0.7 + took * 0.3;
        this.times.push(took);
        if (this.times.length > 400) this.times.shift();
      }
      this.#show(posed);
      document.documentElement.dataset.painted = String(rev);
      document.documentElement.dataset.frame = String(seq);
    }
    image.close();
  }

  /** @param {Posed} posed */
  #show(posed) {
    model.posed = posed;
    model.emit("posed", posed);
  }

  /** Puts the picture that there is where it belongs, until a sharp one comes. */
  place() {
    if (!this.#view) return;
    const { view, canvas } = this;
    const [x, y, across, down] = this.#view;
    const [left, top] = view.toStage(x, y).map((at) => at * view.density);
    const [right, bottom] = view.toStage(x + across, y + down).map((at) => at * view.density);
    const [width, height] = [right - left, bottom - top];
    const same = Math.abs(width - canvas.width) < 0.5;
    canvas.style.imageRendering = same ? "pixelated" : "auto";
    canvas.style.transform = `translate(${Math.round(left) / view.density}px, ${Math.round(top) / view.density}px)`;
    canvas.style.width = `${(same ? canvas.width : width) / view.density}px`;
    canvas.style.height = `${(same ? canvas.height : height) / view.density}px`;
  }
}
