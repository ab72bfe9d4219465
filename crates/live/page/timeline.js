// The timeline: keys on one canvas, and the same keys as a grid for screen readers and the keyboard.

import { colours, el, short } from "./dom.js";
import { Graph } from "./graph.js";
import { boneOf, channelName, keyId, model, SAME_TIME } from "./model.js";
import { Blocks, isShot } from "./shots.js";
import { drawWave, sounds } from "./sound.js";


/** Heights in CSS pixels, as large as the text. */
const size = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
let RULER = 24;
let ROW = 22;
/** A key is hit from this far away, CSS pixels. */
const REACH = 8;

export class Timeline extends HTMLElement {
  #canvas = el("canvas", { "aria-hidden": "true" });
  #grid = el("table", { role: "grid", class: "hidden-text", "aria-label": "Keys" });
  /** @type {Row[]} */
  #rows = [];
  #scroll = 0;
  /** Seconds at the left side, and CSS pixels for each second; none: the whole clip. @type {[number, number] | null} */
  #zoomed = null;
  /** What is being moved: seconds, and whether copies. @type {{ by: number, copy: boolean } | null} */
  #shift = null;
  /** The stretch of the selected keys while one of its ends is dragged: before, and now. @type {{ from: number, until: number, start: number, end: number } | null} */
  #stretch = null;
  /** Where a sound that is dragged would begin. @type {{ path: Path, time: number } | null} */
  #heard = null;
  /** @type {number[] | null} */
  #box = null;
  /** @type {number | null} */
  #end = null;
  /** @type {TimeGesture | null} */
  #held = null;
  #queued = false;
  #theme = /** @type {Theme} */ ({});
  #focus = "";

  connectedCallback() {
    this.graph = new Graph(this);
    this.blocks = new Blocks(this);
    this.append(this.#canvas, this.#grid);
    new ResizeObserver(() => this.queue()).observe(this);
    model.on("rig selection tool", () => {
      this.#list();
      this.queue();
    });
    model.on("time sound", () => this.queue());
    this.addEventListener("pointerdown", (event) => this.#down(event));
    this.addEventListener("pointermove", (event) => this.#move(event));
    this.addEventListener("pointerup", (event) => {
      const held = this.#held;
      this.#held = null;
      held?.end?.(event);
      this.queue();
    });
    this.addEventListener("pointercancel", () => this.cancel());
    this.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.#grid.addEventListener("keydown", (event) => this.#cellKey(event));
    this.#grid.addEventListener("focusin", (event) => {
      this.#focus = /** @type {HTMLElement} */ (event.target).dataset.key ?? "";
      this.queue();
    });
    this.#grid.addEventListener("focusout", () => {
      this.#focus = "";
      this.queue();
    });
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => {
        this.#theme = {};
        this.queue();
      });
    }
  }

  cancel() {
    const held = this.#held;
    this.#held = null;
    this.#shift = this.#box = this.#end = this.#stretch = this.#heard = null;
    this.blocks?.cancel();
    held?.cancel?.();
    this.queue();
    return !!held;
  }

  queue() {
    if (this.#queued) return;
    this.#queued = true;
    requestAnimationFrame(() => {
      this.#queued = false;
      this.#draw();
    });
  }

  // Rows.

  #list() {
    const rows = /** @type {Row[]} */ ([]);
    const tracks = model.tracks();
    const all = { name: "all keys", depth: 0, bone: null, tracks, strong: true };
    const ofBone = new Map();
    const others = [];
    for (const track of tracks) {
      const bone = boneOf(track.path);
      if (bone !== null) ofBone.set(bone, [...(ofBone.get(bone) ?? []), track]);
      else others.push(track);
    }
    if (tracks.length) rows.push(all);
    const { shot, parts = [], editable, hidden = [] } = model.clipInfo ?? {};
    const { blocks } = this;
    if (shot && !editable) rows.push({ name: parts[0] && isShot(parts[0]) ? "shots" : "play", depth: 0, bone: null, tracks: [], strong: false, parts: blocks?.row(null) });
    for (const { name } of shot && editable ? model.rig?.actors ?? [] : []) {
      rows.push({ name, depth: 0, bone: name, tracks: [], strong: true, parts: blocks?.row(name), muted: hidden.includes(name) });
      for (const track of ofBone.get(name) ?? []) rows.push({ name: String(track.path[4]), depth: 1, bone: name, tracks: [track], strong: false });
    }
    for (const bone of shot ? [] : model.rig?.bones ?? []) {
      const own = /** @type {Track[]} */ (ofBone.get(bone.name) ?? []);
      const selected = model.bones.includes(bone.name);
      if (!own.length && !selected) continue;
      rows.push({ name: bone.name, depth: 0, bone: bone.name, tracks: own, strong: true });
      if (selected) for (const track of own) rows.push({ name: String(track.path[4]), depth: 1, bone: bone.name, tracks: [track], strong: false });
    }
    for (const track of others) rows.push({ name: channelName(track.path), depth: 0, bone: null, tracks: [track], strong: false });
    sounds().forEach((sound, index) => rows.push({ name: sound.file, depth: 0, bone: null, tracks: [], strong: false, sound, path: model.clipInfo?.sounds_at[index] }));
    this.#rows = rows;
    this.#fillGrid();
  }

  /** One row for each channel, one cell for each key; of a shot, one row for each actor, one cell for each part. */
  #fillGrid() {
    const focused = this.#focus;
    const tracks = model.tracks();
    const rows = tracks.map((track) => el("tr", { role: "row" },
      el("th", { role: "rowheader", scope: "row", text: channelName(track.path) }),
      ...track.keys.map((key) => {
        const id = keyId(track.path, key.t);
        const ease = key.ease ?? track.ease ?? "Smooth";
        return el("td", {
          role: "gridcell", tabindex: "-1", "data-key": id, "aria-selected": String(model.keys.has(id)),
          text: `${short(key.t, 4)} s: ${valueText(key.v)}, ${easeText(ease)}`,
        });
      })));
    const parts = this.#rows.filter(({ parts }) => parts?.length).map((row) => el("tr", { role: "row" },
      el("th", { role: "rowheader", scope: "row", text: row.name }),
      ...(row.parts ?? []).map((part) => {
        const { clip, start, length } = model.clipInfo?.parts[part] ?? { clip: "", start: 0, length: 0 };
        return el("td", { role: "gridcell", tabindex: "-1", "data-key": `part ${part}`, "aria-selected": String(model.part === part), text: `${clip}: ${short(start, 3)} to ${short(start + length, 3)} s` });
      })));
    this.#grid.replaceChildren(el("tbody", {}, ...parts, ...rows));
    const cells = [...this.#grid.querySelectorAll("td")];
    (cells.find((cell) => cell.dataset.key === focused) ?? cells[0])?.setAttribute("tabindex", "0");
    if (focused) cells.find((cell) => cell.dataset.key === focused)?.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  #cellKey(event) {
    const cell = /** @type {HTMLTableCellElement} */ (event.target);
    const row = /** @type {HTMLTableRowElement} */ (cell.parentElement);
    const go = (/** @type {Element | null | undefined} */ to) => {
      if (!(to instanceof HTMLElement) || !to.dataset.key) return;
      cell.tabIndex = -1;
      to.tabIndex = 0;
      to.focus({ preventScroll: true });
    };
    const index = [...row.cells].indexOf(cell);
    const beside = (/** @type {Element | null} */ other) =>
      other instanceof HTMLTableRowElement ? other.cells[Math.min(index, other.cells.length - 1)] : null;
    const id = cell.dataset.key ?? "";
    const part = id.startsWith("part ") ? Number(id.slice(5)) : null;
    if (part !== null && (event.altKey && /^Arrow(Left|Right)$/.test(event.key) || event.key === " " || event.key === "Enter")) {
      this.#focus = id;
      model.part = part;
      model.emit("selection");
      if (event.altKey) this.blocks?.step(part, event.key === "ArrowLeft" ? -1 : 1);
    } else if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      if (!model.keys.has(id)) model.selectKeys([id]);
      void this.moveKeys(selectedKeys(), (event.key === "ArrowLeft" ? -1 : 1) / model.fps, event.ctrlKey);
    } else if (event.key === "ArrowLeft") go(cell.previousElementSibling);
    else if (event.key === "ArrowRight") go(cell.nextElementSibling);
    else if (event.key === "ArrowUp") go(beside(row.previousElementSibling));
    else if (event.key === "ArrowDown") go(beside(row.nextElementSibling));
    else if (event.key === " " || event.key === "Enter") {
      this.#focus = id;
      model.selectKeys(event.ctrlKey || event.shiftKey ? toggle(model.keys, id) : [id]);
      const found = placeOf(id);
      if (found) model.setTime(found.key.t, true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Puts the focus on the keys. */
  focusKeys() {
    /** @type {HTMLElement | null} */ (this.#grid.querySelector("[tabindex='0']"))?.focus({ preventScroll: true });
  }

  // Places.

  get names() {
    return Math.min(150 * size(), this.clientWidth * 0.25);
  }

  /** Seconds at the left, and pixels for each second. @returns {[number, number]} */
  get range() {
    const width = this.clientWidth - this.names - 32;
    return this.#zoomed ?? [0, width / Math.max(model.length, 1 / model.fps)];
  }

  /** @param {number} time */
  x(time) {
    const [from, scale] = this.range;
    return this.names + 14 + (time - from) * scale;
  }

  /** @param {number} x */
  time(x) {
    const [from, scale] = this.range;
    return from + (x - this.names - 14) / scale;
  }

  /** @param {number} time @param {boolean} free */
  snap(time, free) {
    return free ? time : Math.round(time * model.fps) / model.fps;
  }

  /** @param {number} y @returns {Row | undefined} */
  rowAt(y) {
    return this.#showsCurves ? undefined : this.#rows[Math.floor((y - RULER + this.#scroll) / ROW)];
  }

  /** Curves in the place of rows: what has no keys has none. */
  get #showsCurves() {
    return model.graph && (!model.clipInfo?.shot || model.clipInfo.editable);
  }

  /** The keys near a place. @param {number} x @param {number} y @returns {KeyPlace[]} */
  #hit(x, y) {
    const row = this.rowAt(y);
    if (!row || x < this.names) return [];
    const places = row.tracks.flatMap((track) => track.keys.map((key) => ({ track, key, far: Math.abs(this.x(key.t) - x) })));
    const nearest = Math.min(...places.map((place) => place.far));
    if (!(nearest <= REACH)) return [];
    const at = places.find((place) => place.far === nearest)?.key.t ?? 0;
    return places.filter((place) => Math.abs(place.key.t - at) <= SAME_TIME);
  }

  // Gestures.

  /** @param {PointerEvent} event @returns {[number, number]} */
  #at(event) {
    const box = this.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (this.#held) return;
    const [x, y] = this.#at(event);
    this.setPointerCapture(event.pointerId);
    event.preventDefault();
    // What is typed in a field is of the time before.
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
    if (event.button === 1) return this.#pan(x);
    if (event.button !== 0) return;
    const grip = this.#gripAt(x, y);
    if (grip) return this.#retime(grip);
    if (y < RULER && x > this.names) {
      if (Math.abs(x - this.x(model.length)) < 7 && Math.abs(this.x(model.time) - x) > 10 && model.clipInfo?.editable) return this.#length();
      return this.#scrub(x, event);
    }
    if (this.#showsCurves) {
      this.#held = this.graph?.down(x, y, event) ?? null;
      return;
    }
    if (x < this.names) {
      const row = this.rowAt(y);
      if (row?.bone) model.pick(row.bone, event.shiftKey || event.ctrlKey);
      if (row?.tracks.length === 1) model.setOption({ channel: JSON.stringify(row.tracks[0].path) });
      return;
    }
    const row = this.rowAt(y);
    if (row?.parts) return void (this.#held = this.blocks?.down(row, x) ?? null);
    if (row?.sound && row.path) return this.#sound(row.sound, row.path, x);
    const places = this.#hit(x, y);
    if (places.length) return this.#keys(places, x, event);
    this.#select(x, y, event);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const [x, y] = this.#at(event);
    this.#held?.move(x, y, event);
    if (this.#held) return;
    if (this.#gripAt(x, y)) return void (this.style.cursor = "ew-resize");
    const block = x < this.names ? null : this.blocks?.at(this.rowAt(y), x);
    if (block) return void (this.style.cursor = block.end ? "ew-resize" : "grab");
    const end = Math.abs(x - this.x(model.length)) < 7 && Math.abs(this.x(model.time) - x) > 10;
    this.style.cursor = y < RULER && x > this.names ? (end ? "ew-resize" : "col-resize") : this.#hit(x, y).length || x > this.names && this.rowAt(y)?.path ? "move" : "default";
  }

  /** @param {number} x @param {PointerEvent} event */
  #scrub(x, event) {
    model.setPlaying(false);
    model.setTime(this.time(x), event.altKey);
    this.#held = this.#scrubbing();
  }

  #scrubbing() {
    return {
      move: (/** @type {number} */ x, /** @type {number} */ _, /** @type {PointerEvent} */ event) => model.setTime(this.time(x), event.altKey),
    };
  }

  /** A sound begins at another time. @param {SoundFacts} sound @param {Path} path @param {number} x */
  #sound(sound, path, x) {
    const { file, time } = sound;
    this.#held = {
      move: (to, _, event) => {
        if (this.#heard === null && Math.abs(to - x) < 3) return;
        this.#heard = { path, time: Math.max(0, this.snap(time + this.time(to) - this.time(x), event.altKey)) };
        model.announce(`${file} at ${short(this.#heard.time, 3)} s`);
        this.queue();
      },
      end: () => {
        const heard = this.#heard;
        this.#heard = null;
        if (heard && Math.abs(heard.time - time) > SAME_TIME) void model.edit(`Move ${file}`, [{ op: "Set", at: [...path, "at"], value: Number(heard.time.toFixed(4)) }]);
      },
    };
  }

  /** The end of the clip. */
  #length() {
    const { clip } = model;
    this.#held = {
      move: (x, _, event) => {
        this.#end = Math.max(1 / model.fps, this.snap(this.time(x), event.altKey));
        this.queue();
      },
      end: () => {
        const length = this.#end;
        this.#end = null;
        // The length of a rig is that of one round.
        const ratio = model.clipInfo ? model.clipInfo.keys / model.clipInfo.length : 1;
        if (length !== null && clip && clip === model.clip && Math.abs(length - model.length) > SAME_TIME) {
          void model.edit(`Length of ${clip}`, [{ op: "Set", at: [model.clipInfo?.shot ? "shots" : "clips", clip, "length"], value: Number((length * ratio).toFixed(4)) }]);
        }
      },
    };
  }

  /** The first and the last time of the selected keys; none if they are at one time. @returns {[number, number] | null} */
  get selectedSpan() {
    const times = model.keys.size > 1 ? selectedKeys().map(({ key }) => key.t) : [];
    const [first, last] = [Math.min(...times), Math.max(...times)];
    return last - first > SAME_TIME ? [first, last] : null;
  }

  /** The end of the bar above selected keys that is at a place. @param {number} x @param {number} y @returns {"start" | "end" | null} */
  #gripAt(x, y) {
    const span = model.graph || y < RULER - 9 || y > RULER + 2 || !model.clipInfo?.editable ? null : this.selectedSpan;
    if (!span) return null;
    if (Math.abs(this.x(span[0]) - x) <= 6) return "start";
    return Math.abs(this.x(span[1]) - x) <= 6 ? "end" : null;
  }

  /** Scales the times of the selected keys. @param {"start" | "end"} grip */
  #retime(grip) {
    const [from, until] = this.selectedSpan ?? [0, 0];
    this.#held = {
      move: (x, _, event) => {
        const stretch = { from, until, start: from, end: until };
        const to = this.snap(this.time(x), event.altKey);
        stretch[grip] = grip === "start" ? Math.max(0, Math.min(to, until - 1 / model.fps)) : Math.max(to, from + 1 / model.fps);
        this.#stretch = stretch;
        this.queue();
        model.announce(`${short(stretch.start, 3)} to ${short(stretch.end, 3)} s`);
      },
      end: async () => {
        const stretch = this.#stretch;
        this.#stretch = null;
        if (!stretch || stretch.start === from && stretch.end === until) return;
        const places = selectedKeys();
        const kept = places.map(({ track, key }) => keyId(track.path, stretched(key.t, stretch)));
        const channels = [...new Map(places.map(({ track }) => [JSON.stringify(track.path), track.path])).values()];
        const answer = await model.edit(`Retime ${places.length} keys`, [{ op: "Retime", channels, ...stretch }]);
        if (answer.t === "done") model.selectKeys(kept);
      },
    };
  }

  /** @param {KeyPlace[]} places @param {number} x @param {PointerEvent} event */
  #keys(places, x, event) {
    const ids = places.map(({ track, key }) => keyId(track.path, key.t));
    const were = ids.every((id) => model.keys.has(id));
    if (event.shiftKey) return model.selectKeys(were ? [...model.keys].filter((id) => !ids.includes(id)) : [...model.keys, ...ids]);
    if (!were) model.selectKeys(ids);
    if (places.length === 1) model.setOption({ channel: JSON.stringify(places[0].track.path) });
    const start = places[0].key.t;
    this.#held = {
      move: (to, _, moved) => {
        if (!this.#shift && Math.abs(to - x) < 3) return;
        const free = moved.altKey;
        const time = Math.max(0, this.snap(start + this.time(to) - this.time(x), free));
        this.#shift = { by: time - start, copy: moved.ctrlKey };
        this.queue();
        model.announce(`${moved.ctrlKey ? "Copy" : "Move"} to ${short(time, 3)} s`);
      },
      end: () => {
        const shift = this.#shift;
        this.#shift = null;
        if (shift?.by) void this.moveKeys(selectedKeys(), shift.by, shift.copy);
        else if (!shift && were) model.selectKeys(ids);
      },
    };
  }

  /** Moves keys in time, or copies of them, after other operations of the same step. @param {KeyPlace[]} places @param {number} by seconds @param {boolean} copy @param {Op[]} before */
  async moveKeys(places, by, copy, before = []) {
    if (places.some(({ key }) => key.t + by < -SAME_TIME)) return model.announce("A key cannot be before the start");
    const moving = new Set(places.map(({ track, key }) => keyId(track.path, key.t)));
    // From the side to which they move, so that none meets another.
    places.sort((a, b) => (b.key.t - a.key.t) * Math.sign(by));
    const ops = !by ? [] : places.flatMap(({ track, key }) => {
      const to = Number((key.t + by).toFixed(4));
      const there = track.keys.some((other) => Math.abs(other.t - to) <= SAME_TIME && (copy || !moving.has(keyId(track.path, other.t))));
      const channel = track.path;
      const free = there ? [{ op: "DeleteKey", channel, time: to }] : [];
      return [...free, { op: copy ? "CopyKey" : "MoveKey", channel, from: key.t, to }];
    });
    const kept = places.map(({ track, key }) => keyId(track.path, key.t + by));
    if (moving.has(this.#focus)) this.#focus = kept[0];
    const answer = await model.edit(`${copy ? "Copy" : "Move"} ${places.length === 1 ? "a key" : `${places.length} keys`}`, [...before, ...ops]);
    if (answer.t === "done") model.selectKeys(kept);
  }

  /** @param {number} x @param {number} y @param {PointerEvent} event */
  #select(x, y, event) {
    const before = event.shiftKey ? [...model.keys] : [];
    this.#held = {
      move: (to, down) => {
        this.#box = [Math.min(x, to), Math.min(y, down), Math.abs(to - x), Math.abs(down - y)];
        const [left, top, width, height] = this.#box;
        const rows = this.#rows.filter((_, index) => {
          const middle = RULER + (index + 0.5) * ROW - this.#scroll;
          return middle >= top - ROW / 2 && middle <= top + height + ROW / 2;
        });
        const inside = (/** @type {Key} */ key) => this.x(key.t) >= left && this.x(key.t) <= left + width;
        const ids = rows.flatMap((row) => row.tracks.flatMap((track) => track.keys.filter(inside).map((key) => keyId(track.path, key.t))));
        model.selectKeys([...before, ...ids]);
      },
      end: () => {
        if (!this.#box && !event.shiftKey) model.selectKeys([]);
        this.#box = null;
      },
      cancel: () => model.selectKeys(before),
    };
  }

  /** @param {number} x */
  #pan(x) {
    const [from, scale] = this.range;
    this.#held = {
      move: (to) => {
        this.#zoomed = [Math.max(0, from - (to - x) / scale), scale];
        this.queue();
      },
    };
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const [x] = this.#at(/** @type {any} */ (event));
    if (event.ctrlKey || event.shiftKey || model.graph) {
      const [from, scale] = this.range;
      const least = (this.clientWidth - this.names - 32) / Math.max(model.length, 0.01);
      const next = Math.max(least, Math.min(scale * Math.exp(-(event.deltaY || event.deltaX) * 0.002), 20000));
      const at = this.time(x);
      this.#zoomed = next === least ? null : [Math.max(0, at - (at - from) * (scale / next)), next];
    } else {
      this.#scroll = Math.max(0, Math.min(this.#scroll + event.deltaY, this.#rows.length * ROW - this.clientHeight + RULER + 8));
    }
    this.queue();
  }

  // Drawing.

  #draw() {
    const density = devicePixelRatio;
    const [width, height] = [this.clientWidth, this.clientHeight];
    const canvas = this.#canvas;
    if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
      canvas.width = Math.round(width * density);
      canvas.height = Math.round(height * density);
    }
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    if (!this.#theme.text) this.#theme = colours();
    const theme = this.#theme;
    context.setTransform(density, 0, 0, density, 0, 0);
    RULER = 24 * size();
    ROW = 22 * size();
    context.font = `${11.5 * size()}px system-ui, "DejaVu Sans", sans-serif`;
    context.textBaseline = "middle";
    context.fillStyle = theme.panel;
    context.fillRect(0, 0, width, height);
    const end = this.x(this.#end ?? model.length);
    context.fillStyle = theme.ground;
    context.fillRect(Math.max(end, this.names), RULER, width, height);
    this.#drawFrames(context, theme, width, height);
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height - RULER);
    context.clip();
    if (this.#showsCurves) this.graph?.draw(context, theme, width, height, RULER);
    else this.#drawRows(context, theme, width);
    context.restore();
    this.#drawEvents(context, theme);
    const now = Math.round(this.x(model.time)) + 0.5;
    if (now >= this.names) {
      context.strokeStyle = context.fillStyle = theme.accent;
      context.lineWidth = 1.5;
      context.beginPath();
      context.moveTo(now, RULER - 4);
      context.lineTo(now, height);
      context.stroke();
      context.beginPath();
      context.roundRect(now - 5, 5, 10, RULER - 10, 4);
      context.fill();
    }
    const box = this.#box ?? this.graph?.box;
    if (box) {
      context.strokeStyle = theme.accent;
      context.lineWidth = 1;
      context.setLineDash([4, 3]);
      context.strokeRect(...(/** @type {[number, number, number, number]} */ (box)));
      context.setLineDash([]);
    }
    if (model.clipInfo && !this.#showsCurves && (model.clipInfo.shot || !model.tracks().length)) {
      context.fillStyle = theme.muted;
      const hint = model.clipInfo.shot ? this.#shotHint() : "No keys yet. Move the playhead, turn a bone: its key appears here.";
      context.fillText(hint, this.names + 16, RULER + (this.#rows.length + 1) * ROW - this.#scroll);
    }
  }

  #shotHint() {
    const { editable, parts = [] } = model.clipInfo ?? {};
    if (parts[0] && isShot(parts[0])) return "All shots. Drag one to another place, or its right end. Choose one of them to change what is in it.";
    return `Drag a block onto the one before it: they fade. Its right end repeats it. Drag clips here from the list of clips.${editable ? " Drag an actor on the stage: it moves." : ""}`;
  }

  /** Events as flags below the ruler, each with its name.
   *  @param {CanvasRenderingContext2D} context @param {Theme} theme */
  #drawEvents(context, theme) {
    for (const { time, name } of model.clipInfo?.events ?? []) {
      const x = Math.round(this.x(time)) + 0.5;
      if (x < this.names) continue;
      context.fillStyle = theme.muted;
      context.beginPath();
      context.moveTo(x, RULER);
      context.lineTo(x + 5, RULER + 4);
      context.lineTo(x, RULER + 8);
      context.fill();
      context.fillText(name, x + 8, RULER + 6);
    }
  }

  /** @param {CanvasRenderingContext2D} context @param {Theme} theme @param {number} width @param {number} height */
  #drawFrames(context, theme, width, height) {
    const [from, scale] = this.range;
    const frame = scale / model.fps;
    const step = [1, 2, 5, 10, 12, 24, 48, 120, 240, 480].find((each) => each * frame >= 44) ?? 960;
    const fine = frame >= 6 ? 1 : step;
    const last = Math.ceil(this.time(width) * model.fps);
    for (let at = Math.floor(from * model.fps); at <= last; at += 1) {
      if (at % fine && at % step) continue;
      const x = Math.round(this.x(at / model.fps)) + 0.5;
      if (x < this.names) continue;
      const strong = at % step === 0;
      context.strokeStyle = theme.line;
      context.globalAlpha = strong ? 1 : 0.45;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x, strong ? RULER - 6 : RULER - 3);
      context.lineTo(x, height);
      context.stroke();
      context.globalAlpha = 1;
      if (!strong) continue;
      context.fillStyle = theme.muted;
      context.fillText(String(at), x + 7, RULER / 2);
    }
    context.fillStyle = theme.line;
    context.fillRect(0, RULER - 1, width, 1);
    const span = model.graph ? null : this.selectedSpan;
    if (span) {
      const [start, end] = [this.x(this.#stretch?.start ?? span[0]), this.x(this.#stretch?.end ?? span[1])];
      context.fillStyle = theme.accent;
      context.globalAlpha = 0.5;
      context.fillRect(start, RULER - 5, end - start, 3);
      context.globalAlpha = 1;
      for (const x of [start, end]) if (x >= this.names) context.fillRect(x - 2.5, RULER - 8, 5, 8);
    }
    const end = Math.round(this.x(this.#end ?? model.length));
    context.fillStyle = theme["strong-line"];
    if (model.length && end >= this.names) context.fillRect(end - 1, 3, 3, RULER - 5);
  }

  /** @param {CanvasRenderingContext2D} context @param {Theme} theme @param {number} width */
  #drawRows(context, theme, width) {
    this.#rows.forEach((row, index) => {
      const top = RULER + index * ROW - this.#scroll;
      const middle = top + ROW / 2;
      if (middle < 0 || top > this.clientHeight) return;
      const selected = row.bone !== null && model.bones.includes(row.bone);
      if (selected) {
        context.fillStyle = theme["accent-soft"];
        context.fillRect(0, top, this.names, ROW);
      }
      const first = Math.min(...row.tracks.map((track) => track.keys[0]?.t ?? Infinity));
      const last = Math.max(...row.tracks.map((track) => track.keys[track.keys.length - 1]?.t ?? -Infinity));
      if (last > first && index > 0) {
        context.fillStyle = theme.line;
        context.fillRect(Math.max(this.x(first), this.names), middle - 1, this.x(last) - Math.max(this.x(first), this.names), 2);
      }
      if (row.parts) this.blocks?.draw(context, theme, width, row, top, ROW);
      if (row.sound) {
        context.fillStyle = theme.muted;
        const sound = this.#heard && this.#heard.path === row.path ? { ...row.sound, time: this.#heard.time } : row.sound;
        drawWave(context, sound, (time) => this.x(time), [this.names, width], middle, ROW / 2 - 2);
      }
      // Selected keys are above others.
      for (const pass of [false, true]) {
        for (const track of row.tracks) {
          for (const key of track.keys) {
            const id = keyId(track.path, key.t);
            const chosen = model.keys.has(id);
            if (chosen !== pass) continue;
            const moved = !chosen ? 0 : this.#stretch ? stretched(key.t, this.#stretch) - key.t : (this.#shift?.by ?? 0);
            if (moved && this.#shift?.copy) this.#drawKey(context, theme, this.x(key.t), middle, key, track, false, row.strong);
            this.#drawKey(context, theme, this.x(key.t + moved), middle, key, track, chosen, row.strong);
            if (id === this.#focus) {
              context.strokeStyle = theme.accent;
              context.lineWidth = 2;
              context.strokeRect(this.x(key.t) - 9, middle - 9, 18, 18);
            }
          }
        }
      }
      context.fillStyle = theme.panel;
      if (!selected) context.fillRect(0, top, this.names, ROW);
      context.fillStyle = selected ? theme.accent : row.depth || row.muted || index === 0 ? theme.muted : theme.text;
      context.save();
      context.beginPath();
      context.rect(0, top, this.names - 6, ROW);
      context.clip();
      context.fillText(row.name, 12 + row.depth * 14, middle);
      context.restore();
    });
    context.fillStyle = theme.line;
    context.fillRect(this.names, 0, 1, this.clientHeight);
    context.fillRect(0, 0, width, 1);
  }

  /**
   * A key has the shape of its ease: a circle for Smooth, a square for Hold, a diamond for all others.
   * @param {CanvasRenderingContext2D} context @param {Theme} theme @param {number} x @param {number} y
   * @param {Key} key @param {Track} track @param {boolean} chosen @param {boolean} strong
   */
  #drawKey(context, theme, x, y, key, track, chosen, strong) {
    if (x < this.names - 6) return;
    const ease = key.ease ?? track.ease ?? "Smooth";
    const r = strong ? 5 : 4;
    context.beginPath();
    if (ease === "Smooth") context.arc(x, y, r, 0, 2 * Math.PI);
    else if (ease === "Hold") context.rect(x - r, y - r, 2 * r, 2 * r);
    else {
      context.moveTo(x, y - r - 1);
      context.lineTo(x + r + 1, y);
      context.lineTo(x, y + r + 1);
      context.lineTo(x - r - 1, y);
      context.closePath();
    }
    context.fillStyle = chosen ? theme.accent : strong ? theme.muted : theme.raised;
    context.strokeStyle = chosen ? theme.text : theme.muted;
    context.lineWidth = chosen ? 2 : 1.5;
    context.fill();
    context.stroke();
  }
}
customElements.define("rig-timeline", Timeline);

/** @returns {Timeline} */
export const timeline = () => /** @type {Timeline} */ (document.querySelector("rig-timeline"));

/** A time of a stretch that becomes another one. @param {number} time @param {{ from: number, until: number, start: number, end: number }} stretch */
const stretched = (time, { from, until, start, end }) => start + ((time - from) * (end - start)) / (until - from);

/** @param {Set<string>} set @param {string} item */
const toggle = (set, item) => (set.has(item) ? [...set].filter((each) => each !== item) : [...set, item]);

/** @param {string} id @returns {KeyPlace | null} */
function placeOf(id) {
  for (const track of model.tracks()) for (const key of track.keys) if (keyId(track.path, key.t) === id) return { track, key };
  return null;
}

/** The selected keys. @returns {KeyPlace[]} */
export function selectedKeys() {
  return model.tracks().flatMap((track) => track.keys
    .filter((key) => model.keys.has(keyId(track.path, key.t))).map((key) => ({ track, key })));
}

/** @param {any} value @returns {string} */
export function valueText(value) {
  if (typeof value === "number") return short(value, 3);
  if (Array.isArray(value)) return value.map((each) => short(each, 3)).join(", ");
  return value?.ron ?? value?.word ?? String(value);
}

/** @param {Ease} ease */
export function easeText(ease) {
  if (typeof ease === "string") return ease;
  const [[name, parts]] = Object.entries(ease);
  return `${name}(${parts.map((part) => typeof part === "string" ? part : short(part, 3)).join(", ")})`;
}

/** The names of all eases, those that have one by a word with it, in the order of the keys 1 to 9. */
export const easeNames = () => (model.rig?.eases ?? []).map((ease) => {
  const [name, parts] = typeof ease === "string" ? [ease, []] : Object.entries(ease)[0];
  return typeof parts[0] === "string" ? easeText(ease) : name;
});

/** Gives the selected keys an ease of the list, with its usual numbers. @param {number} at */
export function chooseEase(at) {
  const ease = model.rig?.eases?.[at];
  if (ease) void setEase(ease);
}

/** @param {Ease} ease */
async function setEase(ease) {
  const places = selectedKeys();
  if (!places.length) return model.announce("Select keys first");
  await model.edit(`Ease ${easeText(ease)}`, places.map(({ track, key }) => ({
    op: "SetEase", channel: track.path, time: key.t,
    // What a channel has anyway is not written.
    ease: easeText(track.ease ?? "Smooth") === easeText(ease) ? null : ease,
  })));
}

export async function deleteKeys() {
  const places = selectedKeys();
  if (!places.length) return model.announce("Select keys first");
  await model.edit(`Delete ${places.length === 1 ? "a key" : `${places.length} keys`}`,
    places.map(({ track, key }) => ({ op: "DeleteKey", channel: track.path, time: key.t })));
}
