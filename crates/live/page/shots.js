// Shots as blocks: clips one after the other, their fades where they overlap.

import { el, short } from "./dom.js";
import { model } from "./model.js";
import { ask, field } from "./setup.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

const TOP = 30, HEIGHT = 34;
/** The end of a block is held from this near, CSS pixels. */
const EDGE = 7;

/** The blocks of a shot on the timeline. */
export class Blocks {
  /** Where the block that is held would go: its index, seconds by which it is moved, its new length. @type {{ part: number, by: number, length: number | null } | null} */
  #moved = null;
  /** Where a clip would be dropped. @type {number | null} */
  drop = null;

  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
  }

  get parts() {
    return model.clipInfo?.parts ?? [];
  }

  cancel() {
    this.#moved = this.drop = null;
  }

  /** @param {number} x @param {number} y @returns {{ part: number, end: boolean } | null} */
  at(x, y) {
    if (y < TOP || y > TOP + HEIGHT) return null;
    // The later block lies above the one before it.
    const part = this.parts.findLastIndex(({ start, length }) => x >= this.timeline.x(start) && x <= this.timeline.x(start + length) + EDGE / 2);
    if (part < 0) return null;
    const { start, length } = this.parts[part];
    return { part, end: Math.abs(this.timeline.x(start + length) - x) <= EDGE };
  }

  /** @param {number} x @param {number} y @returns {TimeGesture | null} */
  down(x, y) {
    const hit = this.at(x, y);
    if (!hit) return null;
    const { timeline } = this;
    const { part, end } = hit;
    model.part = part;
    model.emit("selection");
    const own = this.parts[part];
    return {
      move: (to, _, event) => {
        if (!this.#moved && Math.abs(to - x) < 3) return;
        const by = timeline.time(to) - timeline.time(x);
        const length = end ? Math.max(1 / model.fps, timeline.snap(own.length + by, event.altKey)) : null;
        this.#moved = { part, by: end ? 0 : timeline.snap(by, event.altKey), length };
        model.announce(length === null ? this.#what(part, this.#moved.by) : `${own.clip}: ${short(length, 3)} s`);
        timeline.queue();
      },
      end: () => {
        const moved = this.#moved;
        this.#moved = null;
        if (moved) void this.#set(moved);
      },
      cancel: () => this.cancel(),
    };
  }

  /** The fade that a block has when it is moved: as long as it overlaps the one before. @param {number} part @param {number} by */
  #fade(part, by) {
    const before = this.parts[part - 1];
    const own = this.parts[part];
    if (!before) return 0;
    const most = Math.min(before.length, own.length);
    return Math.max(0, Math.min(Number((own.fade - by).toFixed(4)), most));
  }

  /** The place at which a block is put when its middle passes that of another one. @param {number} part @param {number} by */
  #place(part, by) {
    const middle = (/** @type {ShotPart} */ { start, length }) => start + length / 2;
    const own = middle(this.parts[part]) + by;
    return this.parts.filter((other, index) => index !== part && middle(other) < own).length;
  }

  /** @param {number} part @param {number} by */
  #what(part, by) {
    const to = this.#place(part, by);
    if (to !== part) return `${this.parts[part].clip}: to place ${to + 1}`;
    return `${this.parts[part].clip}: fade ${short(this.#fade(part, by), 3)} s`;
  }

  /** @param {{ part: number, by: number, length: number | null }} moved */
  async #set({ part, by, length }) {
    const { clip } = model;
    const own = this.parts[part];
    if (!clip || !own) return;
    if (length !== null) {
      const one = own.length / (own.repeat ?? 1);
      const field = own.typed === null ? "repeat" : "length";
      const value = own.typed === null ? Number((length / one).toFixed(2)) : length;
      return void model.edit(`Length of ${own.clip}`, [{ op: "SetPart", shot: clip, part, field, value: field === "repeat" && value === 1 ? null : value }]);
    }
    const to = this.#place(part, by);
    if (to !== part) {
      model.part = to;
      return void model.edit(`Move ${own.clip}`, [{ op: "Move", at: ["shots", clip, "play", part], to }]);
    }
    if (part === 0) return model.announce("The first part begins the shot: drag the ones behind it");
    const fade = this.#fade(part, by);
    if (fade !== own.fade) void model.edit(`Fade of ${own.clip}`, [{ op: "SetPart", shot: clip, part, field: "fade", value: fade || null }]);
  }

  /** @param {CanvasRenderingContext2D} context @param {Theme} theme @param {number} width */
  draw(context, theme, width) {
    const { timeline } = this;
    context.fillStyle = theme.muted;
    context.fillText("play", 12, TOP + HEIGHT / 2);
    this.parts.forEach(({ clip, start, length, fade }, part) => {
      const moved = this.#moved?.part === part ? this.#moved : null;
      const from = timeline.x(start + (moved?.by ?? 0));
      const to = timeline.x(start + (moved?.by ?? 0) + (moved?.length ?? length));
      if (to < timeline.names || from > width) return;
      const chosen = model.part === part;
      context.globalAlpha = moved ? 0.7 : 1;
      context.fillStyle = chosen ? theme["accent-soft"] : theme.raised;
      context.strokeStyle = chosen ? theme.accent : theme["strong-line"];
      context.lineWidth = chosen ? 2 : 1;
      context.beginPath();
      context.roundRect(Math.max(from, timeline.names), TOP, to - Math.max(from, timeline.names), HEIGHT, 4);
      context.fill();
      context.stroke();
      if (fade && !moved) {
        context.beginPath();
        context.moveTo(from, TOP + HEIGHT);
        context.lineTo(timeline.x(start + fade), TOP);
        context.stroke();
      }
      context.fillStyle = theme.text;
      context.save();
      context.beginPath();
      context.rect(Math.max(from, timeline.names) + 4, TOP, to - from - 8, HEIGHT);
      context.clip();
      context.fillText(clip, Math.max(from + (fade ? timeline.x(start + fade) - from : 0), timeline.names) + 8, TOP + HEIGHT / 2);
      context.restore();
      context.globalAlpha = 1;
    });
    if (this.drop !== null) {
      const at = this.drop < this.parts.length ? this.parts[this.drop].start : model.length;
      context.fillStyle = theme.accent;
      context.fillRect(timeline.x(at) - 1.5, TOP - 4, 3, HEIGHT + 8);
    }
  }

  /** The place for a clip that is dropped. @param {number} x */
  placeAt(x) {
    return this.parts.filter(({ start, length }) => this.timeline.x(start + length / 2) < x).length;
  }
}

/** Puts a clip into the shot that is shown. @param {string} name @param {number} [before] */
export async function addPart(name, before) {
  const { clip, clipInfo } = model;
  if (!clip || !clipInfo?.shot || model.rig?.clips[name]?.shot) return model.announce("Choose a shot, and drop a clip on its blocks");
  const place = before === undefined || before >= (clipInfo.parts?.length ?? 0) ? null : before;
  await model.edit(`Add ${name}`, [{ op: "Insert", into: ["shots", clip, "play"], before: place, value: name }]);
}

/** Takes the selected part out of the shot. */
export function deletePart() {
  const { clip, part } = model;
  const parts = model.clipInfo?.parts ?? [];
  if (part === null || !clip || !parts[part]) return model.announce("Select a part of the shot first");
  if (parts.length < 2) return model.announce("A shot has at least one part: delete the shot instead");
  model.part = null;
  void model.edit(`Take ${parts[part].clip} out`, [{ op: "Remove", at: ["shots", clip, "play", part] }]);
}

export async function addShot() {
  const clips = (model.rig?.order ?? []).filter((name) => !model.rig?.clips[name]?.shot);
  if (!clips.length) return model.announce("Add a clip first (C)");
  const taken = model.rig?.clips ?? {};
  let number = 1;
  while (taken[`shot${number}`]) number += 1;
  const first = model.clip && clips.includes(model.clip) ? model.clip : clips[0];
  const list = el("select", { id: "field-clip", name: "clip" }, ...clips.map((name) => el("option", { value: name, text: name, selected: name === first })));
  const answer = await ask("New shot", [field("name", "Name", `shot${number}`), el("div", { class: "field" }, el("label", { for: "field-clip", text: "First clip" }), list)], "Add");
  if (!answer?.name || !model.mayEdit()) return;
  const done = await model.edit(`Add shot ${answer.name}`, [{ op: "AddShot", name: answer.name, clips: [list.value || first] }]);
  if (done.t === "done") model.setClip(answer.name);
}
