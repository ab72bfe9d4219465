// Chains of bones: a point for each click, or one bone from a press to its release; with the mirror, twins beside it.

import { short } from "./dom.js";
import { model } from "./model.js";
import { distance } from "./view.js";

/** @typedef {import("./stage.js").Stage} Stage */

/** A press that moves less is a click, CSS pixels. */
const STILL = 3;
/** A point snaps to what is this near, CSS pixels. */
const SNAP = 8;

/** A place of the canvas that a point snaps to, and the word beside the ring. @typedef {{ at: Pair, word: string }} Snapped */

export class Chain {
  /** The points so far, in canvas units. @type {Pair[]} */
  points = [];
  /** @type {string | null} */
  #parent = null;
  /** Where the next point would be. @type {Snapped} */
  #next = { at: [0, 0], word: "" };
  /** The middle of the art as the server found it, for a place of the pointer. @type {{ of: Pair, at: Pair | null } | null} */
  #middle = null;
  #asked = 0;
  /** The number of the last question. */
  #sent = 0;
  /** The next joint as the keyboard has moved it, canvas units. @type {Pair | null} */
  #cursor = null;

  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    // An answer about an earlier place is none about this one.
    model.handlers.set("snap", ({ seq, at }) => seq === this.#sent && this.#answered?.(at));
    model.on("tool", () => {
      if (model.tool !== "add") this.#clear();
    });
  }

  get busy() {
    return this.points.length > 0;
  }

  /** @type {((at: Pair | null) => void) | null} */
  #answered = null;

  /** Asks for the middle of the art across a place. @param {Pair} of @returns {Promise<Pair | null>} */
  #ask(of) {
    return new Promise((resolve) => {
      this.#answered?.(null);
      this.#answered = (at) => {
        this.#answered = null;
        this.#middle = { of, at };
        resolve(at);
      };
      const { view } = this.stage;
      this.#sent = model.link.next();
      model.link.send({ t: "snap", seq: this.#sent, at: view.toCanvas(of), reach: SNAP / view.zoom });
    });
  }

  /** What a place snaps to without the server, or the place itself. @param {Pair} at @param {PointerEvent} event @returns {Snapped} */
  #snapped(at, event) {
    const { view } = this.stage;
    const free = { at: view.toCanvas(at), word: "" };
    if (event.ctrlKey) return free;
    const last = this.points[this.points.length - 1];
    for (const { name, from, to } of model.rig?.bones ?? []) {
      for (const [end, word] of /** @type {[Pair, string][]} */ ([[to, `tip of ${name}`], [from, `joint of ${name}`]])) {
        if (distance(view.toStage(...end), at) <= SNAP) return { at: end, word };
      }
    }
    if (event.shiftKey && last) return { at: straight(last, free.at), word: "15°" };
    const { axis } = model;
    if (axis !== null && Math.abs(view.toStage(axis, 0)[0] - at[0]) <= SNAP) return { at: [axis, free.at[1]], word: "axis" };
    // Of a place of before it would lag behind the pointer.
    if (this.#middle?.at && distance(this.#middle.of, at) < 1 && distance(view.toStage(...this.#middle.at), at) <= SNAP) {
      return { at: this.#middle.at, word: "middle" };
    }
    return free;
  }

  /** The pointer moves, pressed or not. @param {Pair} at @param {PointerEvent} event */
  hover(at, event) {
    this.#next = this.#snapped(at, event);
    const asked = ++this.#asked;
    if (!event.ctrlKey && (!this.#middle || distance(this.#middle.of, at) > 1)) {
      void this.#ask(at).then((found) => {
        if (!found || asked !== this.#asked || model.tool !== "add") return;
        this.#next = this.#snapped(at, event);
        this.#show(at);
      });
    }
    this.#show(at);
  }

  /** @param {Pair} at */
  #show(at) {
    const { stage } = this;
    const { view } = stage;
    const last = this.points[this.points.length - 1];
    const all = [...this.points, ...(last ? [this.#next.at] : [])];
    const bones = all.slice(1).map((to, index) => /** @type {[Pair, Pair]} */ ([all[index], to]));
    const { axis } = model;
    const twins = axis === null ? [] : bones.map((ends) => /** @type {[Pair, Pair]} */ (ends.map(([x, y]) => [2 * axis - x, y])));
    stage.ghosts = [...bones, ...twins].map(([from, to]) => [view.toStage(...from), view.toStage(...to)]);
    stage.ring = this.#next.word ? { at: view.toStage(...this.#next.at), word: this.#next.word } : null;
    stage.redraw();
    const below = this.#parent ? ` · child of ${this.#parent}` : " · root";
    if (last) stage.showTip(at, "", `length ${short(distance(last, this.#next.at), 1)}${this.points.length < 2 ? below : ""}`);
  }

  /** A press: the first point, or the next one. @param {Pair} at @param {Hit} hit @param {PointerEvent} event @returns {StageGesture} */
  press(at, hit, event) {
    const starts = !this.points.length;
    if (starts) {
      this.#parent = hit?.what === "bone" && hit.part !== "body" ? hit.bone : model.active?.name ?? null;
      const tip = this.#parent ? this.stage.ends(this.#parent)?.[1] : null;
      const near = tip && distance(at, tip) <= 12 ? model.bone(this.#parent ?? "")?.to : null;
      this.points.push(near ?? this.#snapped(at, event).at);
      // The middle of the art is known a moment later.
      if (!near && !event.ctrlKey) void this.#ask(at).then((found) => this.points.length === 1 && found && this.#snapped(at, event).word === "middle" && (this.points[0] = found));
    }
    return {
      move: (to, moved) => this.hover(to, moved),
      end: (to, released) => {
        const dragged = distance(at, to) >= STILL;
        if (starts && !dragged) return this.#show(to);
        void this.#add(to, released).then(() => void (starts && this.finish()));
      },
      cancel: () => this.#clear(),
    };
  }

  /** @param {Pair} at @param {PointerEvent} event */
  async #add(at, event) {
    if (!event.ctrlKey && !this.#snapped(at, event).word) await this.#ask(at);
    const { at: point } = this.#snapped(at, event);
    const last = this.points[this.points.length - 1];
    if (last && distance(last, point) * this.stage.view.zoom < STILL) return void this.finish();
    this.points.push(point);
    this.#show(at);
  }

  /** Moves the next joint by the keyboard: the first one is the tip of the selected bone, or the middle. @param {Pair} by CSS pixels */
  nudge([dx, dy]) {
    const { view } = this.stage;
    if (!this.points.length) {
      const [x, y, width, height] = view.canvas;
      this.#parent = model.active?.name ?? null;
      this.points.push(model.active?.to ?? [x + width / 2, y + height / 2]);
    }
    const last = this.points[this.points.length - 1];
    const [x, y] = this.#cursor ?? last;
    const at = /** @type {Pair} */ ([x + dx / view.zoom, y + dy / view.zoom]);
    this.#cursor = at;
    this.#next = { at, word: "" };
    this.#show(view.toStage(...at));
    model.announce(`Next joint at ${at.map((v) => short(v, 1)).join(", ")}, length ${short(distance(last, at), 1)}. Space sets it, Enter ends the chain`);
  }

  /** Sets the joint that the keyboard has moved. */
  plant() {
    if (!this.#cursor) return false;
    this.points.push(this.#cursor);
    this.#cursor = null;
    return true;
  }

  /** The last point goes. */
  back() {
    this.points.pop();
    if (this.points.length) this.#show(this.stage.grab.pointer);
    else this.#clear();
  }

  /** Enter: the chain is added. */
  async finish() {
    this.plant();
    const { points } = this;
    const parent = this.#parent;
    this.#clear();
    if (points.length < 2) return;
    const before = new Set(model.rig?.bones.map((bone) => bone.name));
    const round = (/** @type {Pair} */ at) => at.map((v) => digits(v, model.scale));
    const title = points.length > 2 ? `Draw a chain of ${points.length - 1} bones` : "Draw a bone";
    const answer = await model.edit(title, [{ op: "DrawChain", points: points.map(round), parent, axis: model.axis }]);
    if (answer.t !== "done") return;
    const last = points[points.length - 1];
    const added = (model.rig?.bones ?? []).filter((bone) => !before.has(bone.name));
    const end = added.find((bone) => distance(bone.to, last) * this.stage.view.zoom < STILL) ?? added[added.length - 1];
    if (!end) return;
    model.select([end.name]);
    model.announce(`Added ${added.map((bone) => bone.name).join(", ")}. F2 renames; the next chain starts at the tip`);
  }

  cancel() {
    const { busy } = this;
    this.#clear();
    return busy;
  }

  #clear() {
    const { stage } = this;
    this.points = [];
    this.#middle = this.#cursor = null;
    if (!stage.ghosts.length && !stage.ring) return;
    stage.ghosts = [];
    stage.ring = null;
    stage.showTip([0, 0], "", "");
    stage.redraw();
  }
}

/** In steps of 15 degrees. @param {Pair} from @param {Pair} to @returns {Pair} */
function straight(from, to) {
  const step = Math.PI / 12;
  const angle = Math.round(Math.atan2(to[1] - from[1], to[0] - from[0]) / step) * step;
  const length = distance(from, to);
  return [from[0] + length * Math.cos(angle), from[1] + length * Math.sin(angle)];
}

/** A number with as many digits as the screen resolves: a tenth of a pixel. @param {number} value @param {number} scale */
export function digits(value, scale) {
  return Number(value.toFixed(Math.max(0, Math.min(4, Math.ceil(Math.log10(Math.max(scale, 1e-3)) + 1)))));
}
