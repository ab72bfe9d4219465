// Gestures on the stage: each is begun, dragged and committed as one step of the text, or cancelled without a trace.

import { brush } from "./brush.js";
import { short } from "./dom.js";
import { model } from "./model.js";
import { drag as dragRule } from "./rules.js";
import { distance, toSegment } from "./view.js";

/** @typedef {import("./stage.js").Stage} Stage */

/** A press that moves less is a click, CSS pixels. */
const STILL = 3;

export class Grab {
  /** What the pressed pointer does. @type {StageGesture | null} */
  #held = null;
  /**
   * A gesture that goes on without a pressed button, R, G or S, of the bones and the moment at which it began.
   * @type {{ kind: string, typed: string, bone: string, bones: string[], moment: string, before: PoseValues, base: Record<string, Record<string, ChannelState>>, preview: PoseValues | null } | null}
   */
  #modal = null;
  #gesture = "";
  /** The moment at which the gesture began, and the bone that it moves. */
  #moment = "";
  #moved = "";
  /** How many bones it moves, if not as many as are set. @type {number | null} */
  #reach = null;
  #count = 0;
  /** Where the pointer is, CSS pixels of the stage. @type {Pair} */
  pointer = [0, 0];
  /** The point that a chain is to reach. @type {Pair | null} */
  target = null;
  /** @type {Map<number, Pair>} */
  #touches = new Map();
  spaceHeld = false;
  spaceUsed = false;

  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    stage.addEventListener("pointerdown", (event) => this.#down(event));
    stage.addEventListener("pointermove", (event) => this.#move(event));
    stage.addEventListener("pointerup", (event) => this.#up(event));
    stage.addEventListener("pointercancel", () => this.cancel());
    stage.addEventListener("lostpointercapture", () => this.#held && this.cancel());
    model.handlers.set("ended", ({ gesture, why }) => {
      if (gesture === this.#gesture) this.cancel();
      model.note({ kind: "error", text: why });
    });
  }

  /** Whether a gesture goes on. */
  get busy() {
    return !!this.#held || !!this.#modal;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const at = this.stage.at(event);
    this.pointer = at;
    this.stage.focus({ preventScroll: true });
    if (this.#modal) return void this.confirm();
    if (event.pointerType === "touch") {
      this.#touches.set(event.pointerId, at);
      if (this.#touches.size === 2) {
        this.cancel();
        return this.#pinch();
      }
    }
    if (this.#held) return;
    this.stage.setPointerCapture(event.pointerId);
    if (event.button === 1 || this.spaceHeld) return this.#pan(at);
    if (event.button !== 0) return;
    event.preventDefault();
    if (model.isPlayed()) return;
    const hit = this.stage.hit(at);
    if (model.mode === "setup" && model.tool === "add") return void (this.#held = this.stage.chain.press(at, hit, event));
    if (hit?.what === "axis") return this.#axis();
    if (model.tool === "split") return void (hit?.what === "bone" && this.#split(hit.bone, at));
    if (model.tool === "rule") return void (this.#held = dragRule(at, hit));
    if (model.tool === "parent" && hit?.what === "bone") return void this.#reparent(hit.bone);
    if (model.tool === "bind") return void this.bindTo(hit?.what === "bone" ? hit.bone : null);
    if (hit?.what === "goal") return this.#start({ kind: "goal", name: hit.name }, at);
    if (hit?.what === "limit" || hit?.what === "region") return this.#start({ kind: hit.what, bone: hit.bone, end: hit.end }, at);
    if (model.tool === "brush" && model.weights) return void (this.#held = brush(this.stage, at, event));
    if (hit?.what === "trail" && model.active) {
      model.setTime(hit.time, true);
      return this.#start({ kind: "ik", bone: model.active.name }, at);
    }
    if (hit?.what === "vertex") return this.#paint(hit, at, event);
    if (hit?.what === "bone") return this.#bone(hit, at, event);
    this.#art(at, event);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const at = this.stage.at(event);
    this.pointer = at;
    if (this.#touches.has(event.pointerId)) this.#touches.set(event.pointerId, at);
    if (this.#held) this.#held.move(at, event);
    else if (this.#modal && !this.#modal.typed) this.#drag();
    else if (model.tool === "add") this.stage.chain.hover(at, event);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.#touches.delete(event.pointerId);
    const held = this.#held;
    this.#held = null;
    delete this.stage.dataset.grab;
    held?.end(this.stage.at(event), event);
  }

  /** Ends what goes on; file, pose and undo are as before. */
  cancel() {
    const held = this.#held;
    this.#held = null;
    held?.cancel?.();
    if (this.#modal || this.#gesture) this.#drop();
    delete this.stage.dataset.grab;
    return !!held;
  }

  // Gestures that the server makes.

  /** @param {Record<string, any>} grab @param {Pair} at */
  #start(grab, at) {
    let began = false;
    this.stage.dataset.grab = grab.kind === "rotate" ? "turn" : "move";
    this.#held = {
      move: (to) => {
        if (!began && distance(at, to) < STILL) return;
        if (!began) {
          began = true;
          if (!model.mayEdit()) return void (this.#held = null);
          this.#begin(grab, at);
        }
        this.#drag();
      },
      end: () => void (began && this.#commit()),
    };
  }

  /** @param {Record<string, any>} grab @param {Pair} at */
  #begin(grab, at) {
    model.setPlaying(false);
    this.#gesture = `g${Date.now().toString(36)}${++this.#count}`;
    this.#moment = model.moment;
    this.#moved = grab.bone ?? "";
    const { reach, ...held } = grab;
    this.#reach = reach ?? null;
    model.link.send({
      t: "begin", gesture: this.#gesture, base: model.rig?.rev, clip: model.shown, time: model.time, pose: model.pose, goals: model.goals, sliders: model.sliders,
      grab: /** @type {GrabWish} */ ({ ...held, at: this.stage.view.toCanvas(at) }),
    });
    const gesture = this.#gesture;
    this.stage.pictures.drag = () => ({
      t: "drag", gesture, to: this.stage.view.toCanvas(this.pointer), chain: this.#reach ?? model.chain,
    });
    this.target = grab.kind === "ik" ? this.pointer : null;
  }

  #drag() {
    if (!this.#gesture) return;
    if (this.target) this.target = this.pointer;
    this.stage.pictures.request();
    const { posed } = model;
    const bone = this.#moved;
    const values = posed?.pose?.[bone];
    if (posed?.held?.length) this.stage.showTip(this.pointer, posed.held.join(", "), "nothing will be changed");
    else if (values) this.stage.showTip(this.pointer, bone, describe(values));
  }

  /** The last place counts: it is sent before the gesture ends. */
  async #commit() {
    const gesture = this.#gesture;
    const moment = this.#moment;
    const { pictures, view } = this.stage;
    this.#gesture = "";
    pictures.drag = null;
    this.target = null;
    this.stage.showTip([0, 0], "", "");
    if (!gesture) return;
    pictures.last = model.link.next();
    model.link.send({
      t: "drag", gesture, seq: pictures.last, to: view.toCanvas(this.pointer), chain: this.#reach ?? model.chain, ...view.visible(),
      paper: "#ffffff", onion: null,
    });
    const key = model.mode === "setup" || model.autokey;
    const answer = await model.request({ t: "commit", gesture, key, scale: view.scale });
    if (answer.t === "done") {
      const posed = pictures.latest;
      model.keep(moment, (!key && posed?.pose) || {}, (!key && posed?.moved_goals) || {});
      if (key && model.rig) model.announce(model.mode === "setup" ? "Placed" : `Keyed at ${short(model.time, 3)} s`);
    }
    pictures.request();
  }

  #drop() {
    const gesture = this.#gesture;
    const modal = this.#modal;
    this.#gesture = "";
    this.#modal = null;
    if (modal) model.keep(modal.moment, modal.before);
    this.target = null;
    this.stage.pictures.drag = null;
    this.stage.showTip([0, 0], "", "");
    if (gesture) model.link.send({ t: "cancel", gesture });
    model.announce("Cancelled");
    this.stage.pictures.request();
  }

  // Bones.

  /** @param {{ bone: string, part: string }} hit @param {Pair} at @param {PointerEvent} event */
  #bone(hit, at, event) {
    const bone = model.bone(hit.bone);
    if (!bone) return;
    const was = model.bones.includes(bone.name);
    if (!was || event.shiftKey) model.pick(bone.name, event.shiftKey);
    else if (model.bones[model.bones.length - 1] !== bone.name) model.select([...model.bones.filter((name) => name !== bone.name), bone.name]);
    if (event.shiftKey) return;
    const isEnd = !model.children(bone.name).length;
    if (model.mode === "setup") {
      return this.#start({ kind: hit.part === "body" ? "bone" : hit.part, bone: bone.name, tear: event.altKey }, at);
    }
    if (model.isActor(bone.name)) return this.#start({ kind: "translate", bone: bone.name }, at);
    const held = model.isHeld(bone, /^(Ik|Pin)$/);
    if (!event.ctrlKey && (held || (hit.part === "tip" && isEnd && bone.parent && model.bones.length < 2))) {
      return this.#start({ kind: "ik", bone: bone.name }, at);
    }
    if (!bone.parent && hit.part === "joint") return this.#start({ kind: "translate", bone: bone.name }, at);
    this.#start({ kind: "rotate", bone: bone.name, bones: model.bones }, at);
  }

  /** R, G, S: the active bone follows the pointer until Enter or a click. @param {"rotate" | "translate" | "scale"} kind */
  modal(kind) {
    const bone = model.active;
    if (!bone) return model.announce("Select a bone first");
    if (this.busy) this.cancel();
    if (!model.mayEdit()) return;
    if (model.mode === "setup" && kind !== "translate") return model.announce("In the setup, type length and angle at the right, or drag the ends");
    const base = Object.fromEntries(model.bones.map((name) => [name, model.posed?.values?.[name] ?? {}]));
    this.#modal = { kind, typed: "", bone: bone.name, bones: model.bones, moment: model.moment, before: model.pose, base, preview: null };
    const ends = this.stage.ends(bone.name);
    const over = this.stage.matches(":hover");
    if (!over && ends) this.pointer = ends[1];
    const setup = model.mode === "setup" ? "bone" : kind;
    this.#begin({ kind: setup, bone: bone.name, bones: model.bones }, this.pointer);
    const what = { rotate: "Turn", translate: "Move", scale: "Scale" }[kind];
    model.announce(`${what} ${bone.name}: move the pointer or type a number; Enter sets it, Esc leaves it`);
  }

  /** A key while R, G or S goes on. @param {KeyboardEvent} event @returns {boolean} whether it was taken */
  typed(event) {
    if (!this.#modal) return false;
    if (event.key === "Enter") void this.confirm();
    else if (event.key === "Escape") this.cancel();
    else if (event.key === "Backspace") this.#type(this.#modal.typed.slice(0, -1));
    else if (/^[-+0-9.,]$/.test(event.key)) this.#type(this.#modal.typed + event.key);
    else return false;
    return true;
  }

  /** @param {string} text */
  #type(text) {
    const modal = this.#modal;
    if (!modal) return;
    modal.typed = text;
    const typed = this.#typedPose();
    model.announce(`${modal.kind} ${modal.bone}: ${text}`);
    this.stage.showTip(this.pointer, modal.bone, `${modal.kind} ${text}`);
    if (!typed) return;
    if (this.#gesture) model.link.send({ t: "cancel", gesture: this.#gesture });
    this.#gesture = "";
    this.stage.pictures.drag = null;
    modal.preview = typed;
    const pose = modal.before;
    model.keep(modal.moment, { ...pose, ...Object.fromEntries(Object.entries(typed).map(([name, values]) => [name, { ...pose[name], ...values }])) });
    this.stage.pictures.request();
  }

  /** The typed number as values: a turn is that of all bones, all else that of the active one. @returns {PoseValues | null} */
  #typedPose() {
    const modal = this.#modal;
    const numbers = modal?.typed.split(",").map(Number) ?? [];
    if (!modal?.typed || numbers.some((number) => Number.isNaN(number))) return null;
    const [x, y] = numbers;
    const of = (/** @type {string} */ name) => {
      const { rotate, scale, move } = modal.base[name] ?? {};
      if (modal.kind === "rotate") return { rotate: (rotate?.v ?? 0) + x };
      if (modal.kind === "scale") return { scale: [(scale?.v?.[0] ?? 1) * x, (scale?.v?.[1] ?? 1) * (y ?? x)] };
      return { move: [(move?.v?.[0] ?? 0) + x, (move?.v?.[1] ?? 0) + (y ?? 0)] };
    };
    const bones = modal.kind === "rotate" ? modal.bones : [modal.bone];
    return /** @type {PoseValues} */ (Object.fromEntries(bones.map((name) => [name, of(name)])));
  }

  /** Enter, or a click: what R, G or S did is set, at the moment at which it began. */
  async confirm() {
    const modal = this.#modal;
    if (!modal) return;
    if (modal.moment !== model.moment) return void this.cancel();
    this.#modal = null;
    this.stage.showTip([0, 0], "", "");
    if (!modal.preview) return this.#commit();
    const bone = model.bone(modal.bone);
    if (model.mode === "setup" && bone) {
      const [x, y] = modal.typed.split(",").map(Number);
      const shifted = (/** @type {Pair} */ at) => [at[0] + (x || 0), at[1] + (y || 0)];
      model.pose = {};
      await model.edit(`Move ${bone.name}`, [{ op: "PlaceBone", bone: bone.name, from: shifted(bone.from), to: shifted(bone.to) }]);
    } else if (model.autokey) {
      await keyBones(Object.keys(modal.preview), Object.values(modal.preview).flatMap((values) => Object.keys(values)));
    }
    this.stage.pictures.request();
  }

  // Setup.

  /** The axis of the mirror. */
  #axis() {
    const { view } = this.stage;
    this.#held = {
      move: (to) => {
        model.axis = Math.round(view.toCanvas(to)[0] * 10) / 10;
        this.stage.redraw();
        this.stage.showTip(to, "Mirror", `x ${short(model.axis, 1)}`);
      },
      end: () => this.stage.showTip([0, 0], "", ""),
    };
  }

  /** E, then a place on a bone: it is cut there. @param {string} bone @param {Pair} at */
  async #split(bone, at) {
    const ends = this.stage.ends(bone);
    if (!ends) return;
    model.setTool("select");
    const answer = await model.edit(`Split ${bone}`, [{ op: "SplitBone", bone, at: cutAt(at, ends) }]);
    if (answer.t === "done") model.select([bone]);
  }

  /** P, then a bone: the parent of the selected ones. @param {string | null} parent */
  async #reparent(parent) {
    model.setTool("select");
    await reparent(model.bones.filter((bone) => bone !== parent), parent);
  }

  /** B, then a bone: the selected art follows it. @param {string | null} bone */
  async bindTo(bone) {
    model.setTool("select");
    if (bone && !model.bones.includes(bone)) await bind(model.arts, [bone]);
  }

  /** @param {{ binding: string[], path: number, vertex: number, share: number }} hit @param {Pair} at @param {PointerEvent} event */
  #paint(hit, at, event) {
    const bone = this.stage.weightsOf;
    if (!bone || !model.mayEdit()) return;
    const start = hit.share;
    let value = start;
    this.#held = {
      move: (to) => {
        value = Math.max(0, Math.min(1, start + (at[1] - to[1]) / 100));
        this.stage.showTip(to, bone, `vertex ${hit.vertex}: ${short(value * 100, 0)} %`);
      },
      end: () => {
        this.stage.showTip([0, 0], "", "");
        if (value === start) value = Math.max(0, Math.min(1, start + (event.altKey ? -0.1 : 0.1)));
        void model.request({ t: "paint", art: hit.binding, do: "set", bone, values: [[hit.path, hit.vertex, Number(value.toFixed(2))]] });
        model.announce(`Weight of ${bone} at vertex ${hit.vertex}: ${short(value * 100, 0)} %`);
      },
      cancel: () => this.stage.showTip([0, 0], "", ""),
    };
  }

  /** A press beside the bones: art, or nothing. @param {Pair} at @param {PointerEvent} event */
  #art(at, event) {
    const found = this.stage.art(at);
    const add = event.shiftKey;
    let moved = false;
    if (event.pointerType === "touch") return this.#pan(at);
    this.#held = {
      move: (to) => {
        if (!moved && distance(at, to) < STILL) return;
        const first = !moved;
        moved = true;
        void found.then((art) => {
          if (model.mode === "setup" && art) return this.#carry(art, to);
          const bone = first && !add && art ? this.#boneOf(art, at) : null;
          if (!bone || !this.#held) return this.#frame(at, to);
          this.#pull(bone, at, event.ctrlKey);
        });
      },
      end: (to) => void found.then(async (art) => {
        this.stage.showTip([0, 0], "", "");
        this.#frame(null, to);
        const bone = this.stage.hit(to);
        this.stage.hovered = null;
        if (!moved && art) return model.select(model.bones, add ? toggled(model.arts, art) : [art]);
        if (!moved) return model.select([], []);
        if (model.mode !== "setup" || !art) return this.#inside(at, to, add);
        const arts = model.arts.includes(art) ? model.arts : [art];
        if (bone?.what === "bone") {
          await bind(arts, model.bones.length > 1 && model.bones.includes(bone.bone) ? model.bones : [bone.bone]);
        }
      }),
      cancel: () => {
        this.stage.showTip([0, 0], "", "");
        this.#frame(null, at);
      },
    };
  }

  /** The bone that a press on art holds: of those that the art follows, the nearest. @param {string} art @param {Pair} at */
  #boneOf(art, at) {
    const far = (/** @type {string} */ name) => {
      const ends = this.stage.ends(name);
      return ends ? toSegment(at, ...ends).distance : Infinity;
    };
    const bones = model.art(art)?.follows?.bones ?? [];
    return bones.length ? bones.reduce((best, name) => (far(name) < far(best) ? name : best)) : null;
  }

  /** Art is drawn along: its bone and those above it up to the first branch follow; with Ctrl it turns alone. @param {string} name @param {Pair} at @param {boolean} alone */
  #pull(name, at, alone) {
    const bone = model.bone(name);
    if (!bone || !model.mayEdit()) return;
    model.pick(name, false);
    let chain = 1;
    for (let above = bone.parent; above && model.children(above).length < 2 && chain < model.chain; above = model.bone(above)?.parent ?? null) chain += 1;
    // A root without a rule is moved as a whole.
    const kind = alone ? "rotate" : bone.parent || model.isHeld(bone, /^(Ik|Pin)$/) ? "ik" : "translate";
    this.#start({ kind, bone: name, point: kind === "ik" ? "grip" : undefined, reach: chain }, at);
    this.#held?.move(this.pointer, /** @type {any} */ ({}));
  }

  /** The box that is drawn from a press to the pointer. @param {Pair | null} from @param {Pair} to */
  #frame(from, to) {
    const box = from && this.#held ? { x: Math.min(from[0], to[0]), y: Math.min(from[1], to[1]), width: Math.abs(to[0] - from[0]), height: Math.abs(to[1] - from[1]) } : null;
    if (!box && !this.stage.box) return;
    this.stage.box = box;
    this.stage.redraw();
  }

  /** Selects the bones that reach into a box; art that lies in it, if there are none. @param {Pair} from @param {Pair} to @param {boolean} add */
  #inside(from, to, add) {
    const { stage } = this;
    const [left, right] = [Math.min(from[0], to[0]), Math.max(from[0], to[0])];
    const [top, bottom] = [Math.min(from[1], to[1]), Math.max(from[1], to[1])];
    const holds = (/** @type {Pair} */ [x, y]) => x >= left && x <= right && y >= top && y <= bottom;
    const bones = (model.rig?.bones ?? []).map(({ name }) => name).filter((name) => {
      const ends = stage.ends(name);
      // The joint, the tip, or what lies between them.
      return ends && [0, 0.25, 0.5, 0.75, 1].some((part) => holds([ends[0][0] + (ends[1][0] - ends[0][0]) * part, ends[0][1] + (ends[1][1] - ends[0][1]) * part]));
    });
    const arts = bones.length || model.mode !== "setup" ? [] : (model.rig?.art ?? []).filter(({ box, definition, kind }) => {
      if (!box || definition || kind === "group") return false;
      return holds(stage.view.toStage(box[0], box[1])) && holds(stage.view.toStage(box[0] + box[2], box[1] + box[3]));
    }).map(({ address }) => address);
    const joined = (/** @type {string[]} */ old, /** @type {string[]} */ more) => (add ? [...new Set([...old, ...more])] : more);
    model.select(joined(model.bones, bones), joined(model.arts, arts));
    model.announce(`Selected ${bones.length || arts.length} ${bones.length || !arts.length ? "bones" : "pieces of art"}`);
  }

  /** Art is held above a bone: shows what a drop will do. @param {string | null} art @param {Pair} to */
  #carry(art, to) {
    if (!this.#held || !art || model.mode !== "setup") return;
    const hit = this.stage.hit(to);
    const bone = hit?.what === "bone" ? hit.bone : null;
    this.stage.hovered = bone;
    this.stage.outline = model.art(art)?.box ?? null;
    this.stage.redraw();
    const bones = bone && model.bones.length > 1 && model.bones.includes(bone) ? model.bones : [bone];
    this.stage.showTip(to, art, bone ? `${bones.length > 1 ? "Smooth" : "Rigid"}: will follow ${bones.join(", ")}` : "drop it on a bone");
  }

  // The view.

  /** @param {Pair} at */
  #pan(at) {
    let last = at;
    this.spaceUsed = true;
    this.stage.dataset.grab = "move";
    this.#held = {
      move: (to) => {
        this.stage.view.pan(to[0] - last[0], to[1] - last[1]);
        last = to;
        this.stage.moved();
      },
      end: () => {},
    };
  }

  /** Two fingers. */
  #pinch() {
    const places = () => [...this.#touches.values()];
    let [a, b] = places();
    this.#held = {
      move: () => {
        const [c, d] = places();
        if (!c || !d) return;
        const middle = /** @type {Pair} */ ([(c[0] + d[0]) / 2, (c[1] + d[1]) / 2]);
        this.stage.view.pan(middle[0] - (a[0] + b[0]) / 2, middle[1] - (a[1] + b[1]) / 2);
        this.stage.zoomBy(distance(c, d) / Math.max(1, distance(a, b)), middle);
        [a, b] = [c, d];
      },
      end: () => {},
    };
  }
}

/** @param {string[]} list @param {string} item */
const toggled = (list, item) => (list.includes(item) ? list.filter((each) => each !== item) : [...list, item]);

/** Where on a bone a cut is: half of it is easy to find. @param {Pair} at @param {[Pair, Pair]} ends */
export function cutAt(at, ends) {
  const { along } = toSegment(at, ...ends);
  const half = Math.abs(along - 0.5) * distance(...ends) <= 6;
  return half ? 0.5 : Math.max(0.02, Math.min(Number(along.toFixed(3)), 0.98));
}

/** @param {BoneValues} values */
export function describe(values) {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.map((v) => short(v, 1)).join(", ") : short(value, 1)}${name === "rotate" ? "°" : ""}`)
    .join(" · ");
}

/** A pose without some channels of some bones. @param {PoseValues} pose @param {string[]} bones @param {string[]} channels @returns {PoseValues} */
function without(pose, bones, channels) {
  const rest = Object.entries(pose).map(([bone, values]) => [
    bone, Object.fromEntries(Object.entries(values).filter(([name]) => !(bones.includes(bone) && channels.includes(name)))),
  ]);
  return Object.fromEntries(rest.filter(([, values]) => Object.keys(values).length));
}

/**
 * Keys bones as they are posed now.
 * @param {string[]} bones @param {string[]} channels
 */
export async function keyBones(bones, channels) {
  if (!model.clip || !bones.length || !model.mayEdit()) return;
  const { moment } = model;
  const set = /** @type {any} */ (model.pose[bones[0]])?.[channels[0]] ?? model.posed?.values?.[bones[0]]?.[channels[0]]?.v;
  const answer = await model.request({
    t: "key", clip: model.clip, time: model.time, pose: model.pose, goals: model.goals, bones, channels, scale: model.scale,
  });
  if (answer.t !== "done") return;
  model.keep(moment, without(model.poseAt(moment), bones, channels), {});
  const value = set === undefined || bones.length > 1 ? "" : ` ${[set].flat().map((each) => short(each)).join(", ")}`;
  model.emit("time");
  model.announce(`Key set at ${short(model.time, 3)} s, ${bones.join(", ")}${value}`);
}

/** Keys a value of art, a slider or the camera. @param {Owner} of @param {string} property @param {any} value */
export async function keyRow({ what: kind, name }, property, value) {
  if (!model.clip || !model.mayEdit()) return;
  const { moment } = model;
  const rows = [{ owner: { of: kind, name }, property, value }];
  const answer = await model.request({ t: "key", clip: model.clip, time: model.time, rows, scale: model.scale });
  if (kind === "slider") model.slide(name, null, moment);
  if (answer.t !== "done") return;
  model.announce(`Key set at ${short(model.time, 3)} s, ${kind === "slider" ? name : `${name} ${property}`}`);
}

/** @param {string[]} bones @param {string | null} parent */
export async function reparent(bones, parent) {
  if (!bones.length) return;
  await model.edit(`${parent ? `Put ${bones.join(", ")} under ${parent}` : `Make ${bones.join(", ")} a root`}`,
    bones.map((bone) => ({ op: "SetParent", bone, parent, keep_place: true })));
}

/** @param {string[]} arts @param {string[]} bones */
export async function bind(arts, bones) {
  if (!arts.length) return model.announce("Select art first: click it, or choose it in the list of art");
  if (!bones.length) return model.announce("Select a bone first, or several for art that bends");
  const how = bones.length > 1 ? "Smooth" : "Rigid";
  await model.edit(`Bind ${arts.join(", ")} to ${bones.join(", ")}`, [{ op: "Bind", arts, bones, how }]);
}
