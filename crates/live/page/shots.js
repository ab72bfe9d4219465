// Shots as blocks: clips one after the other, their fades where they overlap. A scene has a row for each actor, and its
// film has one for the shots.

import { el, short } from "./dom.js";
import { model } from "./model.js";
import { ask, field } from "./setup.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

/** The end of a block is held from this near, CSS pixels. */
const EDGE = 7;

/** Whether a part is a whole shot, in the film of a scene. @param {ShotPart} part */
export const isShot = ({ at }) => at.length === 2;

/** Whether a part is written in the shot; else it is what the actor does by itself. @param {ShotPart} part */
export const isTyped = ({ at }) => at.length === 2 || typeof at[at.length - 1] === "number";

/** The actor to whom a clip of the rig of a scene belongs. @param {string} clip */
const actorOf = (clip) => model.rig?.actors.find(({ name }) => clip.startsWith(`${name}/`))?.name ?? null;

/** The blocks of a shot on the timeline. */
export class Blocks {
  /** Where the block that is held would go: its index, seconds by which it is moved, its new length. @type {{ part: number, by: number, length: number | null } | null} */
  #moved = null;
  /** Where a clip would be dropped: the actor, and the place among its parts. @type {{ of: string | null, place: number } | null} */
  drop = null;

  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
  }

  get parts() {
    return model.clipInfo?.parts ?? [];
  }

  /** The indices of the parts of an actor, or of a shot of a rig. @param {string | null} of */
  row(of) {
    return this.parts.flatMap((part, index) => (part.of === of ? [index] : []));
  }

  cancel() {
    this.#moved = this.drop = null;
  }

  /** The block of a row at a place. @param {Row | undefined} row @param {number} x @returns {{ part: number, end: boolean } | null} */
  at(row, x) {
    // The later block lies above the one before it.
    const part = row?.parts?.findLast((index) => {
      const { start, length } = this.parts[index];
      return x >= this.timeline.x(start) && x <= this.timeline.x(start + length) + EDGE / 2;
    });
    if (part === undefined) return null;
    const { start, length } = this.parts[part];
    return { part, end: Math.abs(this.timeline.x(start + length) - x) <= EDGE };
  }

  /** @param {Row} row @param {number} x @returns {TimeGesture | null} */
  down(row, x) {
    const hit = this.at(row, x);
    if (!hit) return null;
    const { timeline } = this;
    const { part, end } = hit;
    model.part = part;
    model.emit("selection");
    const own = this.parts[part];
    return {
      move: (to, _, event) => {
        if (!this.#moved && Math.abs(to - x) < 3) return;
        if (!isTyped(own)) return model.announce(`${own.clip} is what ${own.of} does by itself: put a clip on its row, or change the actor in the setup`);
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

  /** The part before one in its row. @param {number} part */
  #before(part) {
    const row = this.row(this.parts[part].of);
    return this.parts[row[row.indexOf(part) - 1]];
  }

  /** The fade that a block has when it is moved: as long as it overlaps the one before. @param {number} part @param {number} by */
  #fade(part, by) {
    const before = this.#before(part);
    const own = this.parts[part];
    if (!before || isShot(own)) return 0;
    const most = Math.min(before.length, own.length);
    return Math.max(0, Math.min(Number((own.fade - by).toFixed(4)), most));
  }

  /** The place in its row at which a block is put when its middle passes that of another one. @param {number} part @param {number} by */
  #place(part, by) {
    const middle = (/** @type {ShotPart} */ { start, length }) => start + length / 2;
    const own = middle(this.parts[part]) + by;
    return this.row(this.parts[part].of).filter((other) => other !== part && middle(this.parts[other]) < own).length;
  }

  /** @param {number} part @param {number} by */
  #what(part, by) {
    const own = this.parts[part];
    const to = this.#place(part, by);
    if (to !== this.row(own.of).indexOf(part)) return `${own.clip}: to place ${to + 1}`;
    return isShot(own) ? `${own.clip}: shots are cut, and do not fade` : `${own.clip}: fade ${short(this.#fade(part, by), 3)} s`;
  }

  /** Puts a part before or after the one beside it. @param {number} part @param {number} by */
  step(part, by) {
    const own = this.parts[part];
    const row = own ? this.row(own.of) : [];
    const to = row.indexOf(part) + by;
    if (!own || !isTyped(own) || to < 0 || to >= row.length) return;
    model.part = row[to];
    void model.edit(`Move ${own.clip}`, [{ op: "Move", at: own.at, to }]);
  }

  /** @param {{ part: number, by: number, length: number | null }} moved */
  async #set({ part, by, length }) {
    const own = this.parts[part];
    if (!own) return;
    const { at } = own;
    if (length !== null && isShot(own)) return void model.edit(`Length of ${own.clip}`, [{ op: "Set", at: [...at, "length"], value: Number(length.toFixed(4)) }]);
    if (length !== null) {
      const one = own.length / (own.repeat ?? 1);
      const field = own.typed === null ? "repeat" : "length";
      const value = own.typed === null ? Number((length / one).toFixed(2)) : length;
      return void model.edit(`Length of ${own.clip}`, [{ op: "SetPart", at, field, value: field === "repeat" && value === 1 ? null : value }]);
    }
    const row = this.row(own.of);
    const to = this.#place(part, by);
    if (to !== row.indexOf(part)) {
      model.part = row[to];
      return void model.edit(`Move ${own.clip}`, [{ op: "Move", at, to }]);
    }
    if (isShot(own)) return;
    if (row[0] === part) return model.announce("The first part begins the shot: drag the ones behind it");
    const fade = this.#fade(part, by);
    if (fade !== own.fade) void model.edit(`Fade of ${own.clip}`, [{ op: "SetPart", at, field: "fade", value: fade || null }]);
  }

  /** Draws the blocks of a row. @param {CanvasRenderingContext2D} context @param {Theme} theme @param {number} width @param {Row} row @param {number} top @param {number} height */
  draw(context, theme, width, row, top, height) {
    const { timeline } = this;
    const parts = row.parts ?? [];
    const [y, high] = [top + 1.5, height - 3];
    const last = this.parts[parts[parts.length - 1]];
    if (last && !isShot(last)) {
      // It holds or repeats to the end of the shot.
      context.fillStyle = theme.line;
      const from = Math.max(timeline.x(last.start + last.length), timeline.names);
      context.fillRect(from, top + height / 2 - 1, Math.max(0, timeline.x(model.length) - from), 2);
    }
    for (const part of parts) {
      const own = this.parts[part];
      const { clip, start, length, fade } = own;
      const moved = this.#moved?.part === part ? this.#moved : null;
      const from = timeline.x(start + (moved?.by ?? 0));
      const to = timeline.x(start + (moved?.by ?? 0) + (moved?.length ?? length));
      if (to < timeline.names || from > width) continue;
      const chosen = model.part === part;
      const left = Math.max(from, timeline.names);
      context.globalAlpha = moved || row.muted ? 0.6 : 1;
      context.fillStyle = chosen ? theme["accent-soft"] : theme.raised;
      context.strokeStyle = chosen ? theme.accent : theme["strong-line"];
      context.lineWidth = chosen ? 2 : 1;
      if (!isTyped(own)) context.setLineDash([4, 3]);
      context.beginPath();
      context.roundRect(left, y, to - left, high, 4);
      context.fill();
      context.stroke();
      context.setLineDash([]);
      if (fade && !moved) {
        context.beginPath();
        context.moveTo(from, y + high);
        context.lineTo(timeline.x(start + fade), y);
        context.stroke();
      }
      context.fillStyle = isTyped(own) ? theme.text : theme.muted;
      context.save();
      context.beginPath();
      context.rect(left + 4, y, to - left - 8, high);
      context.clip();
      context.fillText(clip, Math.max(from + (fade ? timeline.x(start + fade) - from : 0), timeline.names) + 8, top + height / 2);
      context.restore();
      context.globalAlpha = 1;
    }
    if (this.drop && this.drop.of === (row.bone ?? null)) {
      const next = this.parts[parts[this.drop.place]];
      context.fillStyle = theme.accent;
      context.fillRect(timeline.x(next ? next.start : last ? last.start + last.length : 0) - 1.5, top, 3, height);
    }
  }

  /** Where a clip from the list would go if it is dropped at a place; null: nowhere. @param {string} clip @param {number} x */
  dropAt(clip, x) {
    const of = actorOf(clip);
    const row = this.row(of);
    const isHere = model.clipInfo?.shot && !model.rig?.clips[clip]?.shot && (of !== null || !model.rig?.scene) && (of === null || model.clipInfo.editable);
    return isHere ? { of, place: row.filter((part) => this.timeline.x(this.parts[part].start + this.parts[part].length / 2) < x).length } : null;
  }
}

/** Puts a clip into the shot that is shown: in a scene, behind or before others of its actor. @param {string} name @param {number} [place] */
export async function addPart(name, place) {
  const { clip, clipInfo, rig } = model;
  if (!clip || !clipInfo?.shot || rig?.clips[name]?.shot) return model.announce("Choose a shot, and drop a clip on its blocks");
  const of = actorOf(name);
  if (rig?.scene && (of === null || !clipInfo.editable)) return model.announce(of === null ? `${name} is of no actor` : "Choose a shot: the film plays them all");
  const at = of === null ? ["shots", clip, "play"] : ["shots", clip, "actors", of, "play"];
  const own = of === null ? name : name.slice(of.length + 1);
  const row = clipInfo.parts.filter((part) => part.of === of);
  if (row.length && row.every(isTyped)) {
    const before = place === undefined || place >= row.length ? null : place;
    return void await model.edit(`Add ${name}`, [{ op: "Insert", into: at, before, value: own }]);
  }
  // What it does by itself goes on being played before it.
  const names = [...row.map((part) => part.clip), own];
  if (place === 0) names.reverse();
  await model.edit(`Add ${name}`, [{ op: "Set", at, value: { ron: `[${names.map((each) => JSON.stringify(each)).join(", ")}]` } }]);
}

/** Takes the selected part out of the shot. */
export function deletePart() {
  const { clipInfo, part } = model;
  const parts = clipInfo?.parts ?? [];
  const own = part === null ? null : parts[part];
  if (!own) return model.announce("Select a part of the shot first");
  if (!isTyped(own)) return model.announce(`${own.clip} is what ${own.of} does by itself`);
  if (own.of === null && parts.length < 2) return model.announce("A shot has at least one part: delete the shot instead");
  model.part = null;
  void model.edit(`Take ${own.clip} out`, [{ op: "Remove", at: own.at }]);
}

export async function addShot() {
  const clips = (model.rig?.order ?? []).filter((name) => !model.rig?.clips[name]?.shot);
  const isScene = !!model.rig?.scene;
  if (!clips.length && !isScene) return model.announce("Add a clip first (C)");
  const taken = model.rig?.clips ?? {};
  let number = 1;
  while (taken[`shot${number}`]) number += 1;
  const first = model.clip && clips.includes(model.clip) ? model.clip : clips[0];
  const list = el("select", { id: "field-clip", name: "clip" }, ...clips.map((name) => el("option", { value: name, text: name, selected: name === first })));
  const how = isScene ? field("length", "Seconds", "3", "number") : el("div", { class: "field" }, el("label", { for: "field-clip", text: "First clip" }), list);
  const answer = await ask("New shot", [field("name", "Name", `shot${number}`), how], "Add");
  if (!answer?.name || !model.mayEdit()) return;
  const done = await model.edit(`Add shot ${answer.name}`, isScene
    ? [{ op: "Add", into: ["shots"], name: answer.name, value: { ron: `(length: ${Number(answer.length) || 3})` } }]
    : [{ op: "AddShot", name: answer.name, clips: [list.value || first] }]);
  if (done.t === "done") model.setClip(answer.name);
}
