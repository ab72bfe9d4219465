// The curves of the selection: keys that move in time and value, boxes, and handles of the selected key's eases.

import { short } from "./dom.js";
import { channelName, keyId, model } from "./model.js";

/** @typedef {import("./timeline.js").Timeline} Timeline */
/** @typedef {{ track: Track, key: Key, time: number, values: number[] }} CurveKey */
/** A handle of an ease: the key where the stretch begins, which end, what is dragged from. @typedef {{ track: Track, key: Key, end: number, bezier: number[], x: number, y: number, base: [number, number], span: [time: number, seconds: number, value: number, change: number], index: number }} Handle */

/** Colours of curves, readable on light and dark, in turn. */
const HUES = [210, 28, 140, 330, 265, 60, 185, 0];
/** As many curves at once. */
const MOST = 24;
/** Samples of a curve. */
const COUNT = 320;
/** A key or a handle is hit from this far away, CSS pixels. */
const REACH = 9;

export class Graph {
  /** The samples that there are: of which channels, over which times. @type {{ of: string[], times: number[], values: number[][][] } | null} */
  #curves = null;
  /** @type {string[]} */
  #asked = [];
  #span = "";
  #seq = 0;
  /** Least and greatest value that are shown. @type {[number, number]} */
  #range = [-1, 1];
  #fitted = "";
  #top = 24;
  #height = 100;
  /** How far the selected keys are moved. @type {{ time: number, value: number } | null} */
  #shift = null;
  /** Eases while a handle is dragged, by the key where they begin. @type {Map<string, number[]>} */
  #eases = new Map();
  /** @type {number[] | null} */
  box = null;

  /** @param {Timeline} timeline */
  constructor(timeline) {
    this.timeline = timeline;
    model.handlers.set("curve", (message) => {
      if (message.seq !== this.#seq) return;
      this.#curves = { of: this.#asked, times: message.times, values: message.values };
      if (this.#fitted !== String(this.#asked)) this.fit();
      timeline.queue();
    });
    model.on("rig selection tool", () => {
      this.#span = "";
      timeline.queue();
    });
  }

  /** What is shown: the numbers of what is selected, or one channel. @returns {Track[]} */
  get tracks() {
    const tracks = model.tracks().filter((track) => track.keys.length && track.keys.every((key) => numbers(key).length));
    const rule = model.rig?.rules.find((each) => JSON.stringify(each.at) === model.rule);
    const filters = model.arts.map((art) => `${art}.filter`);
    const is = (/** @type {Track} */ { path }) => {
      const [, , section, owner] = path;
      if (rule) return section === "constraints" && owner === rule.name;
      return section === "bones" ? model.bones.includes(String(owner)) : section === "art" ? model.arts.includes(String(owner))
        : section === "filters" && filters.some((filter) => String(owner).startsWith(filter));
    };
    const own = tracks.filter(is);
    if (own.length) return own.slice(0, MOST);
    const chosen = tracks.find((track) => JSON.stringify(track.path) === model.channel);
    return chosen ? [chosen] : tracks.slice(0, 1);
  }

  /** The channel whose name is chosen, or the first one. */
  get active() {
    const { tracks } = this;
    const keyed = tracks.find((track) => track.keys.some((key) => model.keys.has(keyId(track.path, key.t))));
    return tracks.find((track) => JSON.stringify(track.path) === model.channel) ?? keyed ?? tracks[0] ?? null;
  }

  /** Asks for the samples of what is seen, once for each change. */
  #ask() {
    const { tracks, timeline } = this;
    const from = Math.max(0, timeline.time(timeline.names));
    const to = Math.min(model.length, timeline.time(timeline.clientWidth));
    const asked = tracks.map((track) => JSON.stringify(track.path));
    const span = JSON.stringify([asked, from, to]);
    if (!tracks.length || span === this.#span || !(to > from)) return;
    this.#span = span;
    this.#asked = asked;
    model.link.send({ t: "curve", seq: (this.#seq = model.link.next()), paths: tracks.map((track) => /** @type {string[]} */ (track.path)), from, to, count: COUNT });
  }

  /** The channels whose samples are shown. */
  get shown() {
    return this.#curves?.of.join() ?? "";
  }

  /** Where a value of a track is, CSS pixels of the timeline. @param {Track} track @param {number} value */
  place(track, value) {
    return this.#y(value, this.#scale(track));
  }

  /** All that is seen, from the least to the greatest value. */
  fit() {
    const curves = this.#curves;
    if (!curves) return;
    this.#fitted = String(curves.of);
    const all = model.normal ? [0, 1] : curves.values.flat(2);
    const [least, most] = [all.reduce((a, b) => Math.min(a, b), Infinity), all.reduce((a, b) => Math.max(a, b), -Infinity)];
    const margin = (most - least) * 0.12 || 0.5;
    if (Number.isFinite(least)) this.#range = [least - margin, most + margin];
    this.timeline.queue();
  }

  /** Each curve in its own height, or all by their numbers. */
  normalise() {
    model.normal = !model.normal;
    this.fit();
    model.announce(model.normal ? "Each curve in its own height" : "Curves by their numbers");
  }

  /** The least value of a track and its height, if each has its own. @param {Track} track @returns {[number, number]} */
  #scale(track) {
    if (!model.normal) return [0, 1];
    const at = this.#curves?.of.indexOf(JSON.stringify(track.path)) ?? -1;
    const all = [...(this.#curves?.values[at]?.flat() ?? []), ...track.keys.flatMap(numbers)];
    const least = all.reduce((a, b) => Math.min(a, b), Infinity);
    return [least, all.reduce((a, b) => Math.max(a, b), -Infinity) - least || 1];
  }

  /** @param {number} value @param {[number, number]} [scale] */
  #y(value, [least, height] = [0, 1]) {
    const [low, high] = this.#range;
    return this.#top + ((high - (value - least) / height) / (high - low)) * this.#height;
  }

  /** @param {number} y @param {[number, number]} [scale] */
  #value(y, [least, height] = [0, 1]) {
    const [low, high] = this.#range;
    return least + (high - ((y - this.#top) / this.#height) * (high - low)) * height;
  }

  /** The keys of a track, as they are being moved. @param {Track} track @returns {CurveKey[]} */
  #keys(track) {
    const [, height] = this.#scale(track);
    return track.keys.map((key) => {
      const moved = this.#shift && model.keys.has(keyId(track.path, key.t)) ? this.#shift : { time: 0, value: 0 };
      return { track, key, time: key.t + moved.time, values: numbers(key).map((value) => value + moved.value * height) };
    });
  }

  /** The handles of the one selected key: of the stretch behind it, and of that before it. @returns {Handle[]} */
  get handles() {
    const track = this.active;
    if (!track) return [];
    const keys = this.#keys(track);
    const at = keys.findIndex(({ key }) => model.keys.has(keyId(track.path, key.t)));
    if (at < 0 || model.keys.size !== 1) return [];
    const scale = this.#scale(track);
    const handles = /** @type {Handle[]} */ ([]);
    for (const [from, to, end] of /** @type {[CurveKey, CurveKey, number][]} */ ([[keys[at], keys[at + 1], 0], [keys[at - 1], keys[at], 1]])) {
      if (!from || !to || to.time <= from.time) continue;
      const bezier = this.#eases.get(keyId(track.path, from.key.t)) ?? this.#bezier(track, from, to);
      from.values.forEach((value, index) => {
        const change = to.values[index] - value;
        if (!change) return;
        handles.push({
          track, key: from.key, end, bezier, index,
          x: this.timeline.x(from.time + bezier[2 * end] * (to.time - from.time)),
          y: this.#y(value + bezier[2 * end + 1] * change, scale),
          base: end ? [this.timeline.x(to.time), this.#y(to.values[index], scale)] : [this.timeline.x(from.time), this.#y(value, scale)],
          span: [from.time, to.time - from.time, value, change],
        });
      });
    }
    return handles;
  }

  /** The ease of a stretch as a curve of Bézier: of a smooth one, that with its slopes. @param {Track} track @param {CurveKey} from @param {CurveKey} to */
  #bezier(track, from, to) {
    const ease = from.key.ease ?? track.ease ?? "Smooth";
    const at = this.#curves?.of.indexOf(JSON.stringify(track.path)) ?? -1;
    const values = this.#curves?.values[at];
    const index = from.values.findIndex((value, axis) => value !== to.values[axis]);
    if (ease !== "Smooth" || !values || index < 0) return asBezier(ease);
    const times = this.#curves?.times ?? [];
    const inside = times.flatMap((time, sample) => (time >= from.time && time <= to.time ? [sample] : []));
    if (inside.length < 4) return asBezier(ease);
    const slope = (/** @type {number} */ a, /** @type {number} */ b) => {
      const [seconds, change] = [times[b] - times[a], values[index][b] - values[index][a]];
      return (change / seconds) * ((to.time - from.time) / (to.values[index] - from.values[index]));
    };
    const round = (/** @type {number} */ value) => Number(value.toFixed(2));
    return [0.33, round(slope(inside[0], inside[1]) / 3), 0.67, round(1 - slope(inside[inside.length - 2], inside[inside.length - 1]) / 3)];
  }

  /** The keys near a place. @param {number} x @param {number} y */
  #at(x, y) {
    const found = this.tracks.flatMap((track) => this.#keys(track).map((key) => {
      const scale = this.#scale(track);
      const far = Math.min(...key.values.map((value) => Math.hypot(this.timeline.x(key.time) - x, this.#y(value, scale) - y)));
      return { ...key, far: far - (track === this.active ? 1 : 0) };
    }));
    return found.filter(({ far }) => far < REACH).sort((a, b) => a.far - b.far)[0] ?? null;
  }

  /** @param {number} x @param {number} y @param {PointerEvent} event @returns {TimeGesture | null} */
  down(x, y, event) {
    const { tracks, timeline } = this;
    if (x < timeline.names) {
      const track = tracks[Math.floor((y - this.#top) / this.#row)];
      if (track) model.setOption({ channel: JSON.stringify(track.path) });
      return null;
    }
    const handle = this.handles.find((each) => Math.hypot(each.x - x, each.y - y) < REACH);
    if (handle) return model.clipInfo?.editable ? this.#pull(handle) : null;
    const found = this.#at(x, y);
    if (!found) return this.#select(x, y, event);
    const id = keyId(found.track.path, found.key.t);
    const were = model.keys.has(id);
    model.channel = JSON.stringify(found.track.path);
    if (event.shiftKey && event.ctrlKey) model.selectKeys(were ? [...model.keys].filter((key) => key !== id) : [...model.keys, id]);
    else if (!were) model.selectKeys(event.shiftKey ? [...model.keys, id] : [id]);
    model.setTime(found.key.t, true);
    return model.clipInfo?.editable ? this.#drag(found, x, y) : null;
  }

  /** Moves the selected keys: with Shift in time or in value alone. @param {CurveKey} from @param {number} x @param {number} y @returns {TimeGesture} */
  #drag({ track, key }, x, y) {
    const { timeline } = this;
    const step = 10 ** Math.floor(Math.log10((this.#range[1] - this.#range[0]) / this.#height));
    return {
      move: (to, down, event) => {
        if (!this.#shift && Math.hypot(to - x, down - y) < 3) return;
        const across = Math.abs(to - x) > Math.abs(down - y);
        const time = event.shiftKey && !across ? 0 : Math.max(0, timeline.snap(key.t + timeline.time(to) - timeline.time(x), event.altKey)) - key.t;
        const value = event.shiftKey && across ? 0 : Math.round((this.#value(down) - this.#value(y)) / step) * step;
        this.#shift = { time, value };
        const [, height] = this.#scale(track);
        model.announce(`${channelName(track.path)}: ${numbers(key).map((each) => short(each + value * height, 3)).join(", ")} at ${short(key.t + time, 3)} s`);
        timeline.queue();
      },
      end: () => {
        const shift = this.#shift;
        this.#shift = null;
        if (shift?.time || shift?.value) void this.#commit(shift);
      },
      cancel: () => {
        this.#shift = null;
      },
    };
  }

  /** @param {{ time: number, value: number }} shift */
  async #commit({ time, value }) {
    const places = this.tracks.flatMap((track) => track.keys.filter((key) => model.keys.has(keyId(track.path, key.t))).map((key) => ({ track, key })));
    const values = !value ? [] : places.map(({ track, key }) => {
      const [, height] = this.#scale(track);
      const moved = numbers(key).map((each) => Number((each + value * height).toFixed(4)));
      return { op: "SetKey", channel: track.path, time: key.t, value: moved.length > 1 ? moved : moved[0], ease: null };
    });
    await this.timeline.moveKeys(places, time, false, values);
  }

  /** A handle: the stretch gets a Bézier. A neighbour that has one, too, keeps the direction, but for Alt. @param {Handle} handle @returns {TimeGesture} */
  #pull(handle) {
    const { track, key, end, bezier, span } = handle;
    const scale = this.#scale(track);
    const next = [...bezier];
    const other = this.handles.find((each) => each.end !== end && each.index === handle.index);
    const isBent = (/** @type {Key} */ of) => Object.hasOwn(Object(of.ease ?? track.ease), "Bezier");
    const beside = other && isBent(other.key) ? other : null;
    const round = (/** @type {number} */ value) => Number(value.toFixed(2));
    return {
      move: (x, y, event) => {
        next[2 * end] = round(Math.max(0, Math.min(1, (this.timeline.time(x) - span[0]) / span[1])));
        next[2 * end + 1] = round((this.#value(y, scale) - span[2]) / span[3]);
        this.#eases = new Map([[keyId(track.path, key.t), next]]);
        if (beside && !event.altKey) {
          // The same slope, in the units of the other stretch, over its own time.
          const seconds = (end ? 1 - next[2] : next[0]) * span[1];
          const change = (end ? 1 - next[3] : next[1]) * span[3];
          const turned = [...beside.bezier];
          const [, long, , high] = beside.span;
          const own = (beside.end ? 1 - turned[2] : turned[0]) * long;
          const share = seconds ? ((change / seconds) * own) / high : 0;
          turned[2 * beside.end + 1] = round(beside.end ? 1 - share : share);
          this.#eases.set(keyId(track.path, beside.key.t), turned);
        }
        this.timeline.queue();
      },
      end: () => {
        const eases = this.#eases;
        this.#eases = new Map();
        const ops = track.keys.flatMap((own) => {
          const ease = eases.get(keyId(track.path, own.t));
          return ease ? [{ op: "SetEase", channel: track.path, time: own.t, ease: { Bezier: ease } }] : [];
        });
        if (String(next) !== String(bezier)) void model.edit(`Ease of ${channelName(track.path)}`, ops);
      },
      cancel: () => {
        this.#eases = new Map();
      },
    };
  }

  /** A box over keys; a click beside them selects none. @param {number} x @param {number} y @param {PointerEvent} event @returns {TimeGesture} */
  #select(x, y, event) {
    const before = event.shiftKey ? [...model.keys] : [];
    return {
      move: (to, down) => {
        this.box = [Math.min(x, to), Math.min(y, down), Math.abs(to - x), Math.abs(down - y)];
        const [left, top, width, height] = this.box;
        const ids = this.tracks.flatMap((track) => this.#keys(track).filter((key) => {
          const [at, scale] = [this.timeline.x(key.time), this.#scale(track)];
          const inside = (/** @type {number} */ value) => this.#y(value, scale) >= top && this.#y(value, scale) <= top + height;
          return at >= left && at <= left + width && key.values.some(inside);
        }).map(({ key }) => keyId(track.path, key.t)));
        model.selectKeys([...before, ...ids]);
      },
      end: () => {
        if (!this.box && !event.shiftKey) model.selectKeys([]);
        this.box = null;
      },
      cancel: () => {
        this.box = null;
        model.selectKeys(before);
      },
    };
  }

  #row = 18;

  /**
   * @param {CanvasRenderingContext2D} context @param {Theme} theme
   * @param {number} width @param {number} height @param {number} ruler
   */
  draw(context, theme, width, height, ruler) {
    const { tracks, timeline, active } = this;
    this.#top = ruler + 6;
    this.#height = height - ruler - 12;
    this.#row = ruler * 0.75;
    this.#ask();
    if (!tracks.length) {
      context.fillStyle = theme.muted;
      context.fillText("Select what has keys to see its curves.", timeline.names + 16, ruler + 22);
      return;
    }
    this.#drawNames(context, theme, tracks);
    if (!model.normal) this.#drawLines(context, theme, width);
    context.save();
    context.beginPath();
    context.rect(timeline.names, ruler, width, height);
    context.clip();
    tracks.forEach((track, at) => this.#drawCurve(context, track, hue(at), track === active));
    for (const { x, y, base } of this.handles) {
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
    tracks.forEach((track, at) => this.#drawKeys(context, theme, track, hue(at)));
    context.restore();
  }

  /** Lines of values, with their numbers. @param {CanvasRenderingContext2D} context @param {Theme} theme @param {number} width */
  #drawLines(context, theme, width) {
    const { timeline } = this;
    const [least, most] = this.#range;
    const step = niceStep((most - least) / (this.#height / 36));
    context.lineWidth = 1;
    context.textAlign = "right";
    for (let value = Math.ceil(least / step) * step; value <= most; value += step) {
      const y = Math.round(this.#y(value)) + 0.5;
      context.strokeStyle = theme.line;
      context.beginPath();
      context.moveTo(timeline.names, y);
      context.lineTo(width, y);
      context.stroke();
      context.fillStyle = theme.muted;
      context.fillText(short(value, 3), timeline.names - 6, y);
    }
    context.textAlign = "left";
  }

  /** @param {CanvasRenderingContext2D} context @param {Theme} theme @param {Track[]} tracks */
  #drawNames(context, theme, tracks) {
    context.save();
    context.beginPath();
    context.rect(0, this.#top, this.timeline.names - 44, this.#height);
    context.clip();
    tracks.forEach((track, at) => {
      const y = this.#top + (at + 0.5) * this.#row;
      context.fillStyle = hue(at);
      context.fillRect(8, y - 4, 8, 8);
      context.fillStyle = track === this.active ? theme.text : theme.muted;
      context.fillText(channelName(track.path), 22, y);
    });
    context.restore();
  }

  /** @param {CanvasRenderingContext2D} context @param {Track} track @param {string} colour @param {boolean} active */
  #drawCurve(context, track, colour, active) {
    const curves = this.#curves;
    const values = curves?.values[curves.of.indexOf(JSON.stringify(track.path))] ?? [];
    const scale = this.#scale(track);
    context.strokeStyle = colour;
    context.lineWidth = active ? 2 : 1.25;
    values.forEach((line, index) => {
      context.setLineDash(index ? [6, 3] : []);
      context.beginPath();
      line.forEach((value, at) => context.lineTo(this.timeline.x(curves?.times[at] ?? 0), this.#y(value, scale)));
      context.stroke();
    });
    // The stretch as it will be, while a handle is dragged.
    const keys = this.#keys(track);
    context.setLineDash([2, 2]);
    keys.slice(0, -1).forEach((from, at) => {
      const bezier = this.#eases.get(keyId(track.path, from.key.t));
      const to = keys[at + 1];
      if (bezier) from.values.forEach((value, index) => {
        const place = (/** @type {number} */ x, /** @type {number} */ y) => /** @type {const} */ ([
          this.timeline.x(from.time + x * (to.time - from.time)), this.#y(value + y * (to.values[index] - value), scale)]);
        context.beginPath();
        context.moveTo(...place(0, 0));
        context.bezierCurveTo(...place(bezier[0], bezier[1]), ...place(bezier[2], bezier[3]), ...place(1, 1));
        context.stroke();
      });
    });
    context.setLineDash([]);
  }

  /** @param {CanvasRenderingContext2D} context @param {Theme} theme @param {Track} track @param {string} colour */
  #drawKeys(context, theme, track, colour) {
    const scale = this.#scale(track);
    for (const { key, time, values } of this.#keys(track)) {
      const chosen = model.keys.has(keyId(track.path, key.t));
      for (const value of values) {
        context.beginPath();
        context.arc(this.timeline.x(time), this.#y(value, scale), chosen ? 6 : 4, 0, 2 * Math.PI);
        context.fillStyle = chosen ? theme.accent : theme.raised;
        context.strokeStyle = chosen ? theme.text : colour;
        context.lineWidth = 1.5;
        context.fill();
        context.stroke();
      }
    }
  }
}

/** @param {number} at */
const hue = (at) => `hsl(${HUES[at % HUES.length]} 65% 52%)`;

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
