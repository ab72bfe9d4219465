// The way of the tip of the selected bone: a dot for each frame, a square for each key. A square can be dragged.

import { svg } from "./dom.js";
import { boneOf, model } from "./model.js";
import { distance } from "./view.js";

/** @typedef {import("./stage.js").Stage} Stage */

/** Seconds of a long clip that are shown to each side of the time. */
const AROUND = 5;

export class Trail {
  /** @type {number[]} */
  #times = [];
  /** @type {Pair[]} */
  #points = [];
  #bone = "";
  #asked = "";

  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
  }

  listen() {
    model.handlers.set("trail", (message) => {
      this.#times = message.times;
      this.#points = message.points;
      this.#bone = message.bone;
      this.stage.redraw();
    });
    model.on("rig", () => this.ask(true));
    model.on("selection tool time", () => this.ask(false));
  }

  /** @param {boolean} anew */
  ask(anew) {
    const bone = model.active?.name;
    if (!model.trail || model.mode !== "pose" || !bone || !model.clip || !model.length || model.playing) return;
    const long = model.length > 2 * AROUND;
    const from = long ? Math.max(0, Math.round(model.time - AROUND)) : 0;
    const to = long ? Math.min(model.length, from + 2 * AROUND) : model.length;
    const asked = JSON.stringify([bone, model.clip, from, to, model.pose]);
    if (!anew && asked === this.#asked) return;
    this.#asked = asked;
    model.link.send({ t: "trail", seq: model.link.next(), clip: model.clip, time: 0, bone, from, to });
  }

  /** Times at which the bone or one above it has a key. */
  #keys() {
    const chain = new Set();
    for (let bone = model.active; bone; bone = bone.parent ? model.bone(bone.parent) : null) chain.add(bone.name);
    const tracks = model.tracks().filter(({ path }) => chain.has(boneOf(path)));
    return new Set(tracks.flatMap(({ keys }) => keys.map(({ t }) => Math.round(t * 1e4))));
  }

  /** @param {SVGElement[]} extras @param {(at: Pair, kind: string, hit: Hit, size?: number) => void} handle */
  draw(extras, handle) {
    if (!model.trail || model.mode !== "pose" || this.#bone !== model.active?.name) return;
    const places = this.#points.map((at) => this.stage.view.toStage(...at));
    extras.push(svg("polyline", { class: "trail", points: places.map((at) => at.map((v) => v.toFixed(1)).join()).join(" ") }));
    const keys = this.#keys();
    places.forEach((at, index) => {
      const time = this.#times[index];
      const keyed = keys.has(Math.round(time * 1e4));
      if (keyed) {
        extras.push(svg("rect", { class: "trail-key", x: at[0] - 4, y: at[1] - 4, width: 8, height: 8 }));
        handle(at, "trail-hit", { what: "trail", time }, 6);
      } else if (index === 0 || distance(at, places[index - 1]) > 1.5) extras.push(svg("circle", { class: "trail-dot", cx: at[0], cy: at[1], r: 1.8 }));
    });
  }
}
