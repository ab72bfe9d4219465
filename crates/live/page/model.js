// What the page shows: the state of the server, and what the artist has chosen. Everything else listens to it.

import { Link } from "./link.js";


/** Two times of keys are one if they are no further apart, seconds. */
export const SAME_TIME = 0.51e-4;

class Model {
  /** @type {State | null} */
  rig = null;
  /** The clip or sequence. @type {string | null} */
  clip = null;
  time = 0;
  /** The state machine that is played in the place of a clip, its seconds, and the values of its inputs; of a trigger how often it was set. @type {string | null} */
  machine = null;
  run = 0;
  /** What is chosen of the machine: a layer, and in it a state or a transition. @type {Picked | null} */
  picked = null;
  /** How often one was started. */
  start = 0;
  /** @type {Record<string, number>} */
  inputs = {};
  /** When each input was set since the start, as programs read it. @type {[seconds: number, input: string, value: number | boolean][]} */
  played = [];
  /** @type {"pose" | "setup"} */
  mode = "pose";
  /** @type {"select" | "add" | "parent" | "bind" | "brush" | "split" | "rule"} */
  tool = "select";
  /** The selected bones; the last one is active. @type {string[]} */
  bones = [];
  /** @type {string[]} */
  arts = [];
  /** The selected keys, by `keyId`. @type {Set<string>} */
  keys = new Set();
  autokey = true;
  onion = false;
  onionOptions = { before: 2, after: 2, step: 2, keys: false };
  weights = false;
  rulers = false;
  checker = false;
  playing = false;
  looping = true;
  speed = 1;
  /** Whether sounds are heard. */
  sound = true;
  graph = false;
  /** Whether each curve has its own height. */
  normal = false;
  /** The channel whose curve is edited: its path as JSON. @type {string | null} */
  channel = null;
  /** The radius of the brush, CSS pixels, and what a stroke adds. */
  brush = 40;
  strength = 0.3;
  /** Bones whose shares a stroke leaves alone. @type {Set<string>} */
  locks = new Set();
  /** The bindings that bend, with their strokes. @type {WeightBinding[]} */
  weightBindings = [];
  /** Whether the way of the selected bone's tip is shown. */
  trail = false;
  /** The selected part of a shot. @type {number | null} */
  part = null;
  /** The x of the mirror, for bones that are drawn; none: it is off. @type {number | null} */
  axis = null;
  /** The slider that records a pose, its value, and whether keys were set by themselves before. @type {{ slider: string, value: number, autokey: boolean } | null} */
  recording = null;
  /** The rule that is selected, by where it is written. @type {string | null} */
  rule = null;
  /** How many bones a drag of a tip moves. */
  chain = 2;
  /** The last frame that is on the stage. @type {Posed | null} */
  posed = null;
  /** The copied pose. @type {PoseValues | null} */
  copied = null;
  /** Device pixels for each unit of the canvas. */
  scale = 1;
  /** @type {Link} */
  link = /** @type {any} */ (null);
  /** What is changed and not keyed, by clip and time. @type {Map<string, PoseValues>} */
  #unkeyed = new Map();
  /** @type {Map<string, Record<string, Pair>>} */
  #moved = new Map();
  /** @type {Map<string, Record<string, number>>} */
  #slid = new Map();
  /** @type {Map<string, ((detail: any) => void)[]>} */
  #listeners = new Map();
  /** Selections before the steps that were made here, for undo. @type {[string[], Set<string>][]} */
  #before = [];
  /** @type {[string[], Set<string>][]} */
  #after = [];
  /** @type {Map<string, ((message: Message) => void)>} */
  handlers = new Map();

  /** @param {string} topics topics with spaces between @param {(detail: any) => void} act */
  on(topics, act) {
    for (const topic of topics.split(" ")) this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), act]);
  }

  /** @param {Topic} topic @param {any} [detail] */
  emit(topic, detail) {
    for (const act of this.#listeners.get(topic) ?? []) act(detail);
  }

  connect() {
    this.link = new Link(
      (message) => this.#receive(message),
      (seq, rev, time, png) => this.handlers.get("picture")?.({ t: "picture", seq, rev, time, png }),
      (connected) => {
        document.documentElement.dataset.connected = String(connected);
        this.emit("link", connected);
      },
      () => this.note({
        kind: "error", id: "address", text: "This is not the whole address of the page, or one of before.", stays: true,
        help: ["Open the address that `render-frames live` printed; the same command prints it again."],
      }),
    );
  }

  /** @param {Message} message */
  #receive(message) {
    switch (message.t) {
      case "state": {
        this.rig = /** @type {State} */ (/** @type {unknown} */ (message));
        return this.#changed(null);
      }
      case "delta":
        if (this.rig) this.#merge(message);
        return;
      case "conflict": {
        const { file, why, places } = message;
        const lines = places.map((/** @type {any} */ place) =>
          `${place.at}: it was ${place.base}, another program set ${place.theirs}, you set ${place.ours}`);
        /** @param {string} keep */
        const resolve = (keep) => () => void this.request({ t: "resolve", file, keep });
        return this.note({
          kind: "conflict", id: `conflict ${file}`, text: `${file}: ${why}`, help: lines, stays: true,
          actions: [["Keep yours", resolve("ours")], ["Take theirs", resolve("theirs")]],
        });
      }
      case "unsaved":
        return this.note({ kind: "error", id: "unsaved", text: `${message.file} is not written: ${message.why}`, help: message.help, stays: true });
      case "missing": {
        const { file, why, help } = message;
        /** @type {[string, () => void][]} */
        const actions = [["Write it anew", () => void this.request({ t: "save", file, anew: true })]];
        if (file === this.rig?.rig) actions.push(["Save as …", () => void import("./setup.js").then(({ saveCopy }) => saveCopy())]);
        return this.note({ kind: "error", id: `missing ${file}`, text: why, help, stays: true, actions });
      }
      case "followed":
        return this.note({ kind: "plain", id: `missing ${message.file}`, text: message.why });
      case "error":
        return this.note({ kind: "error", text: message.why });
      case "busy":
        return this.announce(message.what ? `Working: ${message.what} …` : "Ready");
      case "bye":
        return this.announce("The server has ended");
      default:
        this.handlers.get(message.t)?.(message);
    }
  }

  /** @param {Message} delta */
  #merge(delta) {
    const rig = /** @type {State} */ (this.rig);
    const { clips, art, ...rest } = delta.changed;
    const next = { ...rig, ...rest, rev: delta.rev };
    // By the place in the list, or the whole list.
    if (art) next.art = Array.isArray(art) ? art : Object.assign([...rig.art], art);
    // Entries and not assignments: a clip may have the name `__proto__`.
    if (clips) next.clips = Object.fromEntries(Object.entries({ ...rig.clips, ...clips }).filter(([, clip]) => clip));
    this.rig = next;
    this.#changed(delta);
  }

  /** @param {Message | null} delta */
  #changed(delta) {
    const rig = /** @type {State} */ (this.rig);
    if (this.clip === null || !Object.hasOwn(rig.clips, this.clip)) this.clip = rig.order.find((name) => name === "film") ?? rig.order[0] ?? null;
    const layers = rig.machines.find(({ name }) => name === this.machine)?.layers;
    if (!layers) this.machine = null;
    else if (this.plays) this.restart();
    const layer = this.picked && layers?.[this.picked.layer];
    if (!layer || this.picked?.state !== undefined && !layer.states.some(({ name }) => name === this.picked?.state) || this.picked?.arrow !== undefined && !layer.arrows[this.picked.arrow]) this.picked = null;
    const bones = new Set(rig.bones.map((bone) => bone.name));
    const arts = new Set(rig.art.map((art) => art.address));
    this.bones = this.bones.filter((bone) => bones.has(bone));
    this.arts = this.arts.filter((art) => arts.has(art));
    const keys = new Set(this.tracks().flatMap((track) => track.keys.map((key) => keyId(track.path, key.t))));
    this.keys = new Set([...this.keys].filter((key) => keys.has(key)));
    document.title = `${rig.rig} · bone-layer`;
    document.documentElement.dataset.revision = String(rig.rev);
    document.documentElement.dataset.good = String(rig.good);
    if (delta && delta.by !== "you" && delta.title) this.announce(`${delta.by === "disk" ? "From the file" : "Changed"}: ${delta.title}`);
    if (rig.journal) this.#offer(rig.journal);
    this.emit("rig", delta);
  }

  /** @param {{ since: number, steps: string[] }} journal */
  #offer(journal) {
    /** @param {boolean} take */
    const answer = (take) => () => void this.request({ t: "journal", take });
    this.note({
      kind: "conflict", id: "journal", stays: true, help: journal.steps,
      text: `An earlier run (${new Date(journal.since * 1000).toLocaleString()}) ended before these steps were written.`,
      actions: [["Make them again", answer(true)], ["Drop them", answer(false)]],
    });
  }

  /** Whether edits are possible now. */
  get editable() {
    return !!this.rig?.good && this.link.connected;
  }

  /** The clip that is drawn: none in the setup. */
  get shown() {
    return this.mode === "setup" ? null : this.clip;
  }

  get clipInfo() {
    return this.clip === null ? null : (this.rig?.clips[this.clip] ?? null);
  }

  get fps() {
    return this.rig?.fps ?? 24;
  }

  get length() {
    return this.clipInfo?.length ?? 0;
  }

  tracks() {
    return this.clipInfo?.tracks ?? [];
  }

  /** @param {string} name */
  bone(name) {
    return this.rig?.bones.find((bone) => bone.name === name) ?? null;
  }

  /** @param {string} name */
  isActor(name) {
    return !!this.rig?.actors.some((actor) => actor.name === name);
  }

  get active() {
    return this.bones.length ? this.bone(this.bones[this.bones.length - 1]) : null;
  }

  /** @param {string} name */
  children(name) {
    return this.rig?.bones.filter((bone) => bone.parent === name) ?? [];
  }

  /** @param {string | null | undefined} address */
  art(address) {
    return this.rig?.art.find((each) => each.address === address) ?? null;
  }

  /** Whether a constraint of some kinds moves a bone at this time. @param {Bone} bone @param {RegExp} kinds */
  isHeld(bone, kinds) {
    return (this.rig?.constraints ?? []).some(({ kind, name }, index) =>
      kinds.test(kind) && this.posed?.statuses[index] !== "off" && bone.held.includes(name ? `${kind} ${name}` : kind));
  }

  // The pose of a moment that is not keyed.

  /** The clip and the time, as one name. */
  get moment() {
    return `${this.shown ?? ""}\n${this.shown === null ? 0 : Math.round(this.time * 1e4)}`;
  }

  /** @returns {PoseValues} */
  get pose() {
    return this.poseAt(this.moment);
  }

  /** @param {PoseValues} pose */
  set pose(pose) {
    this.keep(this.moment, pose);
  }

  /** Targets of constraints that were moved and are not keyed, here. @returns {Record<string, Pair>} */
  get goals() {
    return this.#moved.get(this.moment) ?? {};
  }

  /** Sliders that were moved and are not keyed, here. @returns {Record<string, number>} */
  get sliders() {
    return this.#slid.get(this.moment) ?? {};
  }

  /** Moves a slider without a key; without a value it is that of the clip. @param {string} name @param {any} value @param {string} [moment] */
  slide(name, value, moment = this.moment) {
    const { [name]: _, ...others } = this.#slid.get(moment) ?? {};
    this.#slid.set(moment, value === null ? others : { ...others, [name]: value });
    this.emit("time");
  }

  /** @param {string} moment @returns {PoseValues} */
  poseAt(moment) {
    return this.#unkeyed.get(moment) ?? {};
  }

  /** What a moment has that is not keyed: the artist may be at another one meanwhile. @param {string} moment @param {PoseValues} pose @param {Record<string, Pair>} [goals] */
  keep(moment, pose, goals) {
    if (Object.keys(pose).length) this.#unkeyed.set(moment, pose);
    else this.#unkeyed.delete(moment);
    if (goals) this.#moved.set(moment, goals);
  }

  // What the artist does.

  /** @param {number} time @param {boolean} [free] whether it may lie between frames */
  setTime(time, free = false) {
    const limited = Math.max(0, Math.min(time, Math.max(this.length, 0)));
    this.time = free ? limited : Math.round(limited * this.fps) / this.fps;
    if (this.time > this.length && this.length) this.time = this.length;
    this.emit("time");
  }

  /** @param {string | null} clip */
  setClip(clip) {
    this.clip = clip;
    this.#leaveMachine();
    this.keys = new Set();
    this.part = null;
    this.time = Math.min(this.time, this.length);
    this.emit("rig", null);
  }

  /** Whether a machine is shown, so that there is nothing to pose; says so. */
  isPlayed() {
    if (this.plays) this.announce("A machine plays: choose a clip to pose bones");
    return this.plays;
  }

  #leaveMachine() {
    if (this.machine === null) return;
    this.machine = null;
    this.setPlaying(false);
    this.emit("tool");
  }

  /** Plays a state machine, by its inputs, from its start. @param {string} name */
  setMachine(name) {
    this.machine = name;
    this.inputs = {};
    this.restart();
    this.bones = this.arts = [];
    this.rule = this.part = this.picked = null;
    this.keys = new Set();
    this.setMode("pose");
    this.emit("selection");
    this.emit("rig", null);
    this.setPlaying(true);
    this.announce(`${name} plays: its inputs are on the right`);
  }

  /** Chooses of a machine what the panel changes. @param {Picked | null} picked */
  pickState(picked) {
    this.picked = picked;
    this.emit("selection");
  }

  /** Starts the machine anew, with its inputs as they are. */
  restart() {
    this.run = 0;
    this.start += 1;
    this.played = this.#inputs.flatMap(({ name, kind, rest }) => (kind === "trigger" || (this.inputs[name] ?? rest) === rest ? [] : [this.#setting(name, this.inputs[name])]));
    this.emit("time");
  }

  /** Sets an input of the machine. @param {string} name @param {number} [value] none: a trigger is set */
  setInput(name, value = (this.inputs[name] ?? 0) + 1) {
    this.inputs = { ...this.inputs, [name]: value };
    const setting = this.#setting(name, value);
    const last = this.played[this.played.length - 1];
    // A slider on its way is where it was last.
    if (last?.[0] === setting[0] && last[1] === name && typeof last[2] === "number") this.played.pop();
    this.played.push(setting);
    this.emit("time");
  }

  get #inputs() {
    return this.rig?.machines.find(({ name }) => name === this.machine)?.inputs ?? [];
  }

  /** @param {string} name @param {number} value @returns {[number, string, number | boolean]} */
  #setting(name, value) {
    const isNumber = this.#inputs.find((input) => input.name === name)?.kind === "number";
    return [Number(this.run.toFixed(4)), name, isNumber ? Number(value.toFixed(4)) : value !== 0];
  }

  /** Whether the stage shows a machine, which is played and not posed. */
  get plays() {
    return this.machine !== null && this.mode === "pose";
  }

  /** @param {string[]} bones @param {string[]} [arts] */
  select(bones, arts = []) {
    if (bones.length && this.isPlayed()) return;
    this.bones = bones;
    this.arts = arts;
    this.rule = null;
    this.emit("selection");
  }

  /** @param {string} bone @param {boolean} add */
  pick(bone, add) {
    if (!add) return this.bones.length === 1 && this.bones[0] === bone && !this.arts.length ? undefined : this.select([bone], []);
    const rest = this.bones.filter((name) => name !== bone);
    this.select(rest.length === this.bones.length ? [...rest, bone] : rest, this.arts);
  }

  /** A rule, and the bones that it moves. @param {RuleFacts} rule */
  selectRule(rule) {
    if (this.isPlayed()) return;
    this.bones = rule.bones.filter((bone) => this.bone(bone));
    this.arts = [];
    this.rule = JSON.stringify(rule.at);
    this.emit("selection");
  }

  /** @param {Iterable<string>} keys */
  selectKeys(keys) {
    this.keys = new Set(keys);
    this.emit("selection");
  }

  /** @param {"pose" | "setup"} mode */
  setMode(mode) {
    this.mode = mode;
    this.tool = "select";
    if (mode === "pose") this.weights = false;
    if (mode === "setup") this.setPlaying(false);
    document.body.classList.toggle("mode-setup", mode === "setup");
    this.emit("tool");
    this.announce(mode === "setup" ? "Setup: bones and bindings at rest" : "Pose: keys of the clip");
  }

  /** @param {Model["tool"]} tool */
  setTool(tool) {
    this.tool = tool;
    this.emit("tool");
  }

  /** @param {boolean} playing */
  setPlaying(playing) {
    if (playing && (this.mode === "setup" || !this.length && !this.plays)) playing = false;
    if (playing !== this.playing) {
      this.playing = playing;
      this.emit("play");
    }
  }

  /** @param {Record<string, any>} options */
  setOption(options) {
    Object.assign(this, options);
    // Weights are those of the drawing at rest.
    if (options.weights && this.mode === "pose") return this.setMode("setup");
    this.emit("tool");
  }

  /**
   * Sends a request that changes the rig, and shows a refusal.
   * @param {Message} message
   */
  async request(message) {
    const before = /** @type {[string[], Set<string>]} */ ([this.bones, this.keys]);
    const answer = await this.link.ask({ base: this.rig?.rev, ...message });
    if (answer.t === "overtaken") {
      const { why, help, again, rev } = answer;
      this.note({ kind: "conflict", text: why, help, stays: true, choice: [() => void this.request({ ...again, base: rev }), () => {}] });
    } else if (answer.t === "refused") {
      this.note({ kind: "error", text: answer.why, help: answer.help });
    } else if (answer.t === "lost") {
      this.note({ kind: "error", text: "There is no connection to the server: nothing was changed." });
    } else if (["edit", "key", "paste", "paint", "commit"].includes(message.t)) {
      this.#before.push(before);
      this.#after = [];
    }
    return answer;
  }

  /**
   * One step of some operations.
   * @param {string} title @param {Op[]} ops
   */
  async edit(title, ops) {
    if (!ops.length || !this.mayEdit()) return { t: "refused" };
    const answer = await this.request({ t: "edit", title, gesture: null, ops });
    if (answer.t === "done") this.announce(title);
    return answer;
  }

  /** Whether an edit can be made; announces the reason if not. */
  mayEdit() {
    if (!this.link.connected) this.announce("There is no connection to the server: editing is off");
    else if (!this.rig?.good) this.announce("The text has mistakes: editing is off until they are corrected");
    return this.editable;
  }

  undo() {
    return this.#step("undo", "Undone", this.#before, this.#after);
  }

  redo() {
    return this.#step("redo", "Done again", this.#after, this.#before);
  }

  /**
   * A step of the server's list, which may be ahead of the page.
   * @param {string} t @param {string} word @param {[string[], Set<string>][]} from @param {[string[], Set<string>][]} to
   */
  async #step(t, word, from, to) {
    const title = t === "undo" ? this.rig?.undo?.[0] : this.rig?.redo;
    const answer = await this.link.ask({ t });
    if (answer.t !== "done") return this.announce(answer.why ?? "There is no connection to the server");
    this.#restore(from, to);
    this.announce(title ? `${word}: ${title}` : word);
  }

  /** @param {[string[], Set<string>][]} from @param {[string[], Set<string>][]} to */
  #restore(from, to) {
    const selection = from.pop();
    if (!selection) return;
    to.push([this.bones, this.keys]);
    this.bones = selection[0].filter((bone) => this.bone(bone));
    this.keys = selection[1];
    this.emit("selection");
  }

  /** A short line for the status bar, read out by screen readers. @param {string} text */
  announce(text) {
    this.emit("status", text);
  }

  /** @param {Note} note */
  note(note) {
    this.emit("note", note);
  }
}

/** @param {Path} path @param {number} time */
export const keyId = (path, time) => `${JSON.stringify(path)}@${Math.round(time * 1e4)}`;

/** The bone of a channel: in a shot, that of an actor. @param {Path} path */
export const boneOf = (path) => (path[2] === "bones" || path[2] === "actors" ? String(path[3]) : null);

/** What a channel is called: `fore.L rotate`. @param {Path} path */
export function channelName(path) {
  const names = path.slice(path[2] === "camera" ? 2 : 3).map((step) => (typeof step === "object" ? `${step.time}` : String(step)));
  return names.join(" ");
}

export const model = new Model();
