// The curve of one channel: keys that move in time and value, and handles of the selected key's ease.

import { short } from "./dom.js";
import { channelName, keyId, model } from "./model.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */

export class Graph {
  /** @type {{ times: number[], values: number[][], of: string } | null} */
  #curve = null;
  /** Least and greatest value that are shown. @type {[number, number]} */
  #range = [-1, 1];
  #top = 24;
  #height = 100;
  /** What a drag shows: a key elsewhere, or an ease. @type {{ key: Key, time: number, values: number[] } | null} */
  #moved = null;
  /** @type {number[] | null} */
  #bezier = null;

  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    model.handlers.set("curve", (message) => {
      if (message.seq !== this.#seq) return;
      this.#curve = { times: message.times, values: message.values, of: this.#asked };
      this.#fit();
      timeline.queue();
    });
    model.on("rig selection tool", () => this.#ask());
  }

  #asked = "";
  #seq = 0;

  /** The channel: the chosen one, or the first of the active bone. @returns {Track | null} */
  get track() {
    const tracks = model.tracks().filter((track) => track.keys.every((key) => numbers(key).length));
    const active = model.active?.name;
    const chosen = tracks.find((track) => JSON.stringify(track.path) === model.channel);
    if (chosen && (!active || chosen.path[3] === active || model.keys.size)) return chosen;
    return tracks.find((track) => track.path[3] === active) ?? chosen ?? tracks[0] ?? null;
  }

  #ask() {
    const { track } = this;
    if (!model.graph || !track) return;
    this.#asked = JSON.stringify(track.path);
    model.link.send({ t: "curve", seq: (this.#seq = model.link.next()), path: /** @type {string[]} */ (track.path), from: 0, to: model.length, count: 240 });
  }

  #fit() {
    const all = (this.#curve?.values ?? []).flat();
    const least = Math.min(...all);
    const most = Math.max(...all);
    const margin = Math.max((most - least) * 0.12, 0.5);
    if (Number.isFinite(least)) this.#range = [least - margin, most + margin];
  }

  /** @param {number} value */
  #y(value) {
    const [least, most] = this.#range;
    return this.#top + ((most - value) / (most - least)) * this.#height;
  }

  /** @param {number} y */
  #value(y) {
    const [least, most] = this.#range;
    return most - ((y - this.#top) / this.#height) * (most - least);
  }

  /** The keys of the channel with their numbers, as they are being moved. */
  #keys() {
    return (this.track?.keys ?? []).map((key) => {
      const moved = this.#moved?.key === key ? this.#moved : null;
      return { key, time: moved?.time ?? key.t, values: moved?.values ?? numbers(key) };
    });
  }

  /** The handles of the selected key: places of its Bezier, for each number. */
  #handles() {
    const { track } = this;
    if (!track) return [];
    const keys = this.#keys();
    const at = keys.findIndex(({ key }) => model.keys.has(keyId(track.path, key.t)));
    const [from, to] = [keys[at], keys[at + 1]];
    if (!from || !to) return [];
    const ease = from.key.ease ?? track.ease ?? "Smooth";
    const bezier = this.#bezier ?? asBezier(ease);
    return from.values.flatMap((value, index) => [0, 1].map((end) => ({
      key: from.key, end, bezier, index,
      x: this.timeline.x(from.time + bezier[2 * end] * (to.time - from.time)),
      y: this.#y(value + bezier[2 * end + 1] * (to.values[index] - value)),
      base: end ? [this.timeline.x(to.time), this.#y(to.values[index])] : [this.timeline.x(from.time), this.#y(value)],
      span: [from.time, to.time - from.time, value, to.values[index] - value],
    })));
  }

  /** @param {number} x @param {number} y @param {PointerEvent} event */
  down(x, y, event) {
    const { track, timeline } = this;
    if (!track || x < timeline.names) return null;
    const handle = this.#handles().find((each) => Math.hypot(each.x - x, each.y - y) < 9);
    if (handle) return this.#pull(track, handle);
    for (const { key, values } of this.#keys()) {
      const index = values.findIndex((value) => Math.hypot(timeline.x(key.t) - x, this.#y(value) - y) < 9);
      if (index < 0) continue;
      model.setOption({ channel: JSON.stringify(track.path) });
      model.selectKeys([keyId(track.path, key.t)]);
      if (!model.clipInfo?.editable || event.shiftKey) return null;
      return this.#drag(track, key, index, x, y);
    }
    return null;
  }

  /** @param {Track} track @param {Key} key @param {number} index @param {number} x @param {number} y */
  #drag(track, key, index, x, y) {
    const { timeline } = this;
    const before = numbers(key);
    /** @param {number} to @param {number} down @param {PointerEvent} event */
    const move = (to, down, event) => {
      if (!this.#moved && Math.hypot(to - x, down - y) < 3) return;
      const values = [...before];
      const step = 10 ** Math.floor(Math.log10((this.#range[1] - this.#range[0]) / this.#height));
      if (!event.ctrlKey) values[index] = Number((Math.round((before[index] + this.#value(down) - this.#value(y)) / step) * step).toFixed(4));
      const time = event.shiftKey ? key.t : Math.max(0, timeline.snap(key.t + timeline.time(to) - timeline.time(x), event.altKey));
      this.#moved = { key, time, values };
      model.announce(`${channelName(track.path)}: ${values.map((each) => short(each, 3)).join(", ")} at ${short(time, 3)} s`);
      timeline.queue();
    };
    return {
      move,
      end: () => {
        const moved = this.#moved;
        this.#moved = null;
        if (moved) void this.#commit(track, key, moved.time, moved.values);
      },
      cancel: () => {
        this.#moved = null;
      },
    };
  }

  /** @param {Track} track @param {Key} key @param {number} time @param {number[]} values */
  async #commit(track, key, time, values) {
    const channel = track.path;
    const ops = [];
    const to = Number(time.toFixed(4));
    if (String(values) !== String(numbers(key))) ops.push({ op: "SetKey", channel, time: key.t, value: values.length > 1 ? values : values[0], ease: null });
    if (Math.abs(to - key.t) > 1e-4) {
      if (track.keys.some((other) => Math.abs(other.t - to) < 1e-4)) return model.announce("There is another key");
      ops.push({ op: "MoveKey", channel, from: key.t, to });
    }
    const answer = await model.edit(`Move key of ${channelName(channel)}`, ops);
    if (answer.t === "done") model.selectKeys([keyId(channel, to)]);
  }

  /** @param {Track} track @param {{ key: Key, end: number, bezier: number[], span: number[] }} handle */
  #pull(track, { key, end, bezier, span }) {
    const next = [...bezier];
    return {
      /** @param {number} x @param {number} y */
      move: (x, y) => {
        next[2 * end] = Number(Math.max(0, Math.min(1, (this.timeline.time(x) - span[0]) / span[1])).toFixed(2));
        if (span[3]) next[2 * end + 1] = Number(((this.#value(y) - span[2]) / span[3]).toFixed(2));
        this.#bezier = next;
        this.timeline.queue();
      },
      end: () => {
        this.#bezier = null;
        if (String(next) === String(bezier)) return;
        void model.edit(`Ease of ${channelName(track.path)}`, [{ op: "SetEase", channel: track.path, time: key.t, ease: { Bezier: next } }]);
      },
      cancel: () => {
        this.#bezier = null;
      },
    };
  }

  /**
   * @param {CanvasRenderingContext2D} context @param {Theme} theme
   * @param {number} width @param {number} height @param {number} ruler
   */
  draw(context, theme, width, height, ruler) {
    const { track, timeline } = this;
    this.#top = ruler + 6;
    this.#height = height - ruler - 12;
    if (!track) {
      context.fillStyle = theme.muted;
      context.fillText("Select a bone with keys to see its curves.", timeline.names + 16, ruler + 22);
      return;
    }
    const [least, most] = this.#range;
    const step = niceStep((most - least) / (this.#height / 36));
    context.lineWidth = 1;
    for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
      const y = Math.round(this.#y(value)) + 0.5;
      context.strokeStyle = theme.line;
      context.beginPath();
      context.moveTo(timeline.names, y);
      context.lineTo(width, y);
      context.stroke();
      context.fillStyle = theme.muted;
      context.fillText(short(value, 3), timeline.names - 40, y);
    }
    context.fillStyle = theme.text;
    context.fillText(channelName(track.path), 12, ruler + 14);
    context.save();
    context.beginPath();
    context.rect(timeline.names, ruler, width, height);
    context.clip();
    const curve = this.#curve?.of === JSON.stringify(track.path) ? this.#curve : null;
    curve?.values.forEach((values, index) => {
      context.strokeStyle = index ? theme.setup : theme.accent;
      context.lineWidth = 2;
      context.setLineDash(index ? [6, 3] : []);
      context.beginPath();
      values.forEach((value, at) => context.lineTo(timeline.x(curve.times[at]), this.#y(value)));
      context.stroke();
    });
    context.setLineDash([]);
    for (const { x, y, base } of this.#handles()) {
      context.strokeStyle = theme["strong-line"];
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(base[0], base[1]);
      context.lineTo(x, y);
      context.stroke();
      context.fillStyle = theme.raised;
      context.beginPath();
      context.rect(x - 4, y - 4, 8, 8);
      context.fill();
      context.stroke();
    }
    for (const { key, time, values } of this.#keys()) {
      const chosen = model.keys.has(keyId(track.path, key.t));
      for (const value of values) {
        context.beginPath();
        context.arc(timeline.x(time), this.#y(value), chosen ? 6 : 4.5, 0, 2 * Math.PI);
        context.fillStyle = chosen ? theme.accent : theme.raised;
        context.strokeStyle = chosen ? theme.text : theme.muted;
        context.lineWidth = 1.5;
        context.fill();
        context.stroke();
      }
    }
    context.restore();
  }
}

/** @param {Key} key @returns {number[]} */
function numbers(key) {
  if (typeof key.v === "number") return [key.v];
  return Array.isArray(key.v) && key.v.every((each) => typeof each === "number") ? key.v : [];
}

/** The curve from which a drag of a handle starts. @param {Ease} ease @returns {number[]} */
function asBezier(ease) {
  const [name, parts] = typeof ease === "string" ? [ease, []] : Object.entries(ease)[0];
  const numbers = /** @type {number[]} */ (parts);
  if (name === "Bezier") return [...numbers];
  if (name === "Ease") return [numbers[0], 0, 1 - numbers[1], 1];
  const named = { Linear: [1 / 3, 1 / 3, 2 / 3, 2 / 3], EaseIn: [0.42, 0, 1, 1], EaseOut: [0, 0, 0.58, 1], EaseInOut: [0.42, 0, 0.58, 1] };
  return named[/** @type {keyof typeof named} */ (name)] ?? [0.4, 0, 0.6, 1];
}

/** @param {number} step */
function niceStep(step) {
  const power = 10 ** Math.floor(Math.log10(step || 1));
  return ([1, 2, 5, 10].find((each) => each * power >= step) ?? 10) * power;
}
