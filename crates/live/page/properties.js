// The numbers of what is selected, to be read and typed. A field says in `data-of` what it is of, and that is read
// when something is done: no field keeps a bone or a clip of before.

import { actorFields, deleteActors, setActor, setThere } from "./actors.js";
import { assign, el, icon, patch, short } from "./dom.js";
import { setStroke, weightFields } from "./brush.js";
import { bind, describe, keyBones, keyRow } from "./grab.js";
import { boneOf, model, SAME_TIME } from "./model.js";
import { chosenRule, deleteRule, ruleId, ruleName, startRecording, stopRecording } from "./rules.js";
import { MACHINE_BUTTONS, machineFields, setMachineField } from "./machine.js";
import { deleteBones, renameBone, renameClip } from "./setup.js";
import { addPart, deletePart, isShot, isTyped } from "./shots.js";

/** The states of a channel: three shapes, three colours. */
const STATES = { none: "not keyed", changed: "changed, not keyed", keyed: "keyed here" };
const JOINTS = ["Pin", "Free", "Slide", "Fixed"];

/** @param {Owner} of @param {string} name @param {any} value none: the field goes */
function set({ what, name: owner }, name, value) {
  const at = [`${what}s`, owner];
  void model.edit(`${name} of ${owner}`, [value === null ? { op: "Remove", at: [...at, name] } : { op: "Set", at: [...at, name], value }]);
}

/** @param {string} bone @param {{ from?: number[], to: number[] | null }} ends */
const place = (bone, ends) => void model.edit(`Place ${bone}`, [{ op: "PlaceBone", bone, from: null, ...ends }]);

/** @param {Bone} bone */
function lengthAndAngle({ from, to }) {
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  return [Math.hypot(x, y), (Math.atan2(y, x) * 180) / Math.PI];
}

/** The tip at a length and an angle. @param {Bone} bone @param {number} length @param {number} degrees */
function turned(bone, length, degrees) {
  const angle = (degrees * Math.PI) / 180;
  place(bone.name, { to: [bone.from[0] + length * Math.cos(angle), bone.from[1] + length * Math.sin(angle)].map((v) => Number(v.toFixed(3))) });
}

/** What a typed value of a bone at rest does, by the label of its field. @type {Record<string, (bone: Bone, numbers: number[], word: string) => void>} */
const BONE = {
  Joint: (bone, from) => place(bone.name, { from, to: bone.to }),
  Tip: (bone, to) => place(bone.name, { to }),
  Length: (bone, [length]) => turned(bone, length, lengthAndAngle(bone)[1]),
  Angle: (bone, [degrees]) => turned(bone, lengthAndAngle(bone)[0], degrees),
  Parent: ({ name }, _, parent) => void model.edit(`Parent of ${name}`, [{ op: "SetParent", bone: name, parent: parent || null, keep_place: true }]),
  "Moves as": ({ name }, _, word) => set({ what: "bone", name }, "joint", word === "Pin" ? null : { word }),
  Place: ({ name }, from) => place(name, { from, to: null }),
  Limits: ({ name }, limits) => set({ what: "bone", name }, "limits", limits),
  Volume: ({ name }, [volume]) => set({ what: "bone", name }, "volume", volume > 0 ? Math.min(volume, 2) : null),
};

/** How often the keys of a clip are played, as the list has it. */
const LOOPS = ["Once", "Again and again", "Back and forth", "A number of times"];
/** @type {Record<string, any>} */
const REPEATS = { "Once": null, "Again and again": true, "Back and forth": { word: "PingPong" }, "A number of times": 2 };

/** @param {any} repeat of the rig */
const loopOf = (repeat) => LOOPS[repeat === false ? 0 : repeat === true ? 1 : repeat === "PingPong" ? 2 : 3];

/** What a typed value of a clip does. @type {Record<string, (of: Owner, numbers: number[], word: string) => void>} */
const CLIP = {
  Length: (of, [length]) => set(of, "length", length),
  "Held for": (of, [step]) => set(of, "step", step > 1 ? step : null),
  Loop: (of, _, word) => set(of, "loop", REPEATS[word]),
  Rounds: (of, [rounds]) => set(of, "loop", Math.max(1, Math.round(rounds))),
};

/** A typed number of the selected part of a shot, or a clip that is added. @param {string} label @param {number} value @param {string} word */
function setPart(label, value, word) {
  if (label === "Add clip") return void (word && addPart(word));
  const own = model.clipInfo?.parts[model.part ?? -1];
  if (!own) return;
  const { at, clip } = own;
  const field = label.toLowerCase();
  const unset = field === "repeat" || field === "speed" ? value === 1 : value <= 0;
  void model.edit(`${label} of ${clip}`, [isShot(own) ? { op: "Set", at: [...at, field], value } : { op: "SetPart", at, field, value: unset ? null : value }]);
}

/** Rules are applied in their order. @param {string} rule @param {number} by */
function moveRule(rule, by) {
  const [section, index] = JSON.parse(rule);
  model.rule = JSON.stringify([section, index + by]);
  void model.edit(by < 0 ? "A rule earlier" : "A rule later", [{ op: "Move", at: [section, index], to: index + by }]);
}

/** Whether art is seen outside of its mask. @param {Path} at @param {boolean} out */
function setSide(at, out) {
  void model.edit(out ? "Outside of a mask" : "Inside of a mask", [out ? { op: "Set", at, value: true } : { op: "Remove", at }]);
}

/** What a button does. @type {Record<string, (of: Owner, channel: string) => void>} */
const BUTTONS = {
  key: (of, channel) => {
    if (of.what !== "bone") return keyRowHere(of, channel);
    const { name } = of;
    if (!model.posed?.values?.[name]?.[channel]?.here || model.posed.values[name][channel].changed) return void keyBones([name], [channel]);
    const isHere = (/** @type {Track} */ { path, keys }) => boneOf(path) === name && keyedAs(String(path[4])) === channel && keys.some((key) => Math.abs(key.t - model.time) <= SAME_TIME);
    const edits = model.tracks().filter(isHere).map((track) => ({ op: "DeleteKey", channel: track.path, time: model.time }));
    if (edits.length) void model.edit(`Delete key of ${name} ${channel}`, edits);
  },
  rename: ({ what, name }) => void (what === "bone" ? renameBone(name) : renameClip(what, name)),
  delete: ({ what, name }) => void (what === "bone" ? deleteBones(model.bones.includes(name) ? model.bones : [name]) : model.edit(`Delete ${name}`, [{ op: "Delete", of: what, name, dependants: false }])),
  "delete-actor": ({ name }) => void deleteActors([name]),
  ...MACHINE_BUTTONS,
  earlier: ({ name }) => moveRule(name, -1),
  later: ({ name }) => moveRule(name, 1),
  drop: () => void deleteRule(),
  fire: ({ name }) => model.setInput(name),
  record: ({ name }) => void (model.recording ? stopRecording(true) : startRecording(name)),
  duplicate: ({ what, name }) => void model.edit(`Duplicate ${name}`, [{ op: "Duplicate", of: what, name, copy: `${name}_2` }]),
  unpaint: ({ name }) => setStroke(name, null, true),
  bare: ({ name }) => setStroke(name, null),
  "take-out": () => deletePart(),
  unlimited: (of) => set(of, "limits", null),
  region: (of) => {
    const bone = model.bone(of.name);
    if (bone) set(of, "region", bone.region ? null : [Math.round(bone.length / 4), Math.round(bone.length / 5)]);
  },
  bind: ({ name }) => void bind(chosen(name), model.bones),
  unbind: ({ name }) => {
    const arts = chosen(name).filter((address) => model.art(address)?.bound);
    void model.edit(`Unbind ${arts.join(", ")}`, [{ op: "Unbind", arts }]);
  },
  smooth: ({ name }) => void model.request({ t: "paint", art: [name], do: "smooth", times: 2, strength: 0.5 }),
};

/** What is posed of art, its filter, a slider or the camera, by channel. @param {Owner} of @returns {Record<string, ChannelState>} */
function rowsOf({ what, name }) {
  if (what === "camera") return model.posed?.camera ?? {};
  const slider = model.posed?.sliders[name];
  if (what === "filter") return model.posed?.of_filters[name] ?? {};
  return what === "slider" ? (slider ? { slider } : {}) : (model.posed?.of_art[name] ?? {});
}

/** Keys what is seen, or deletes its key. @param {Owner} of @param {string} channel */
function keyRowHere(of, channel) {
  const state = rowsOf(of)[channel];
  if (!state) return;
  if (!state.here || state.changed) return void keyRow(of, channel, model.sliders[of.name] ?? state.v);
  const art = model.art(of.name);
  const end = of.what === "filter" ? ".filter" : "";
  const isOf = (/** @type {any} */ typed) => of.what === "camera" || typed === of.name + end || !!art && [art.address, art.id, art.label].some((name) => typed === name + end);
  const at = of.what === "art" || of.what === "filter" ? 4 : 3;
  const section = of.what === "slider" || of.what === "filter" ? `${of.what}s` : of.what;
  const isHere = (/** @type {Track} */ { path, keys }) => path[2] === section && isOf(path[3])
    && (of.what === "slider" || path[at] === channel) && keys.some((key) => Math.abs(key.t - model.time) <= SAME_TIME);
  const edits = model.tracks().filter(isHere).map((track) => ({ op: "DeleteKey", channel: track.path, time: model.time }));
  if (edits.length) void model.edit(`Delete key of ${of.name} ${channel}`, edits);
}

/** A name as a label: `stroke_width` is Stroke width. @param {string} name */
const titled = (name) => (name[0].toUpperCase() + name.slice(1)).replaceAll("_", " ");

/** The selected art, or what is shown if that is no part of it. @param {string} art */
const chosen = (art) => (model.arts.includes(art) ? model.arts : [art]);

/** A channel as the panel calls it: of an absolute one the relative one, of a half the pair, of an actor that of its bone. @param {string} channel */
function keyedAs(channel) {
  const pair = channel.replace(/_[xy]$/, "");
  return { angle: "rotate", turn: "rotate", origin: "move" }[pair] ?? pair;
}

class Properties extends HTMLElement {
  #title = el("h2");
  #fields = el("div", { class: "props" });

  connectedCallback() {
    this.append(el("div", { class: "head" }, this.#title), this.#fields);
    model.on("rig selection tool posed weights", () => this.#draw());
    this.addEventListener("click", ({ target }) => {
      const button = /** @type {Element} */ (target).closest("button");
      const of = this.#of(button);
      if (button && of) BUTTONS[button.dataset.do ?? ""]?.(of, button.dataset.channel ?? "");
    });
    this.addEventListener("change", ({ target }) => this.#typed(/** @type {HTMLInputElement | HTMLSelectElement} */ (target)));
    this.addEventListener("input", ({ target }) => {
      const of = target instanceof HTMLInputElement && target.type === "range" ? this.#of(target) : null;
      if (of?.what === "input") return model.setInput(of.name, Number(/** @type {HTMLInputElement} */ (target).value));
      if (of) model.slide(of.name, Number(/** @type {HTMLInputElement} */ (target).value));
    });
    this.addEventListener("keydown", (event) => this.#key(event));
  }

  /** What a control is of. @param {Element | null} control @returns {Owner | null} */
  #of(control) {
    const field = /** @type {HTMLElement | null | undefined} */ (control?.closest("[data-of]"));
    return field ? JSON.parse(field.dataset.of ?? "null") : null;
  }

  /** @param {HTMLInputElement | HTMLSelectElement} control */
  #typed(control) {
    const field = /** @type {HTMLElement | null} */ (control.closest("[data-of]"));
    const of = this.#of(control);
    if (!field || !of) return;
    const { label = "", channel } = field.dataset;
    const numbers = [...field.querySelectorAll("input")].map((input) => Number(input.value.replace(",", ".")));
    const isText = control instanceof HTMLInputElement && !["color", "checkbox"].includes(control.type) && control.dataset.words === undefined;
    const word = control.value;
    // A list of what is done, and not of what there is.
    if (control instanceof HTMLSelectElement && /^(Add|Lead|Leave|Change) /.test(label)) control.value = "";
    if (of.what === "lock") {
      if (!model.locks.delete(of.name)) model.locks.add(of.name);
      return;
    }
    if (of.what === "input") {
      const value = control.type === "checkbox" ? Number(/** @type {HTMLInputElement} */ (control).checked) : Number(control.value.replace(",", "."));
      return Number.isFinite(value) ? model.setInput(of.name, value) : void (control.value = control.dataset.shown ?? "");
    }
    if (of.what === "machine") return !isText || numbers.every(Number.isFinite) ? setMachineField(label, numbers, word) : void (control.value = control.dataset.shown ?? "");
    if (of.what === "role") return setThere(of.name, /** @type {HTMLInputElement} */ (control).checked);
    if (of.what !== "bone" && channel && (!isText || numbers.every(Number.isFinite))) {
      const option = control instanceof HTMLSelectElement ? word || null : word;
      const typed = isText ? (control.type === "range" ? Number(control.value) : numbers.length > 1 && of.what !== "slider" ? numbers : Number(control.value.replace(",", "."))) : option;
      const value = control.type === "checkbox" ? /** @type {HTMLInputElement} */ (control).checked : typed;
      // What does nothing yet is slid to record its first pose, and needs no key.
      const acts = model.rig?.rules.some(({ at, name }) => at[0] === "drivers" && name === of.name);
      if (of.what === "slider" && !(model.autokey && acts)) return model.slide(of.name, value);
      return void keyRow(of, channel, value);
    }
    if (isText && !numbers.every(Number.isFinite)) control.value = control.dataset.shown ?? "";
    else if (of.what === "bone" && channel) this.#posed(of.name, channel, numbers);
    else if (of.what === "bone") {
      const bone = model.bone(of.name);
      if (bone) BONE[label]?.(bone, numbers, control.value);
    } else if (of.what === "stroke") setStroke(of.name, Math.max(-1, Math.min(numbers[0], 1)));
    else if (of.what === "actor") setActor(of.name, label, isText ? numbers[0] : control.value || null);
    else if (of.what === "part") setPart(label, numbers[0], word);
    else if (of.what === "rule" && control.type === "checkbox") setSide([...JSON.parse(of.name), "out"], /** @type {HTMLInputElement} */ (control).checked);
    else if (of.what === "rule") void model.edit("Mix of a rule", [{ op: "Set", at: [...JSON.parse(of.name), "mix"], value: Math.max(0, Math.min(1, numbers[0])) }]);
    else CLIP[label]?.(of, numbers, control.value);
  }

  /** A typed value of a pose. @param {string} bone @param {string} channel @param {number[]} numbers */
  #posed(bone, channel, numbers) {
    const value = numbers.length > 1 ? numbers : numbers[0];
    model.pose = { ...model.pose, [bone]: { ...model.pose[bone], [channel]: value } };
    if (model.autokey && model.clipInfo?.editable) void keyBones([bone], [channel]);
    else model.emit("time");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const input = event.target;
    if (!(input instanceof HTMLInputElement) || ["range", "color", "checkbox"].includes(input.type)) return;
    if (event.key === "Escape") input.value = input.dataset.shown ?? "";
    if (event.key === "Enter" || event.key === "Escape") input.blur();
    const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!step || input.dataset.words !== undefined) return;
    event.preventDefault();
    const fine = /^(Scale|Stretch|Volume|Zoom|Mix)|opacity|^Trim/i.test(input.ariaLabel ?? "");
    input.value = short(Number(input.value) + step * (event.shiftKey ? 10 : fine ? 0.1 : 1), 3);
  }

  #draw() {
    if (model.playing && !model.plays) return;
    if (model.plays) return this.#show(...machineFields());
    const bone = model.active;
    const art = model.art(model.arts[model.arts.length - 1]);
    const rule = chosenRule();
    const fields = rule ? this.#rule(rule) : [...(bone ? (model.mode === "setup" ? this.#setup(bone) : this.#pose(bone)) : []), ...(art ? this.#art(art) : [])];
    if (!fields.length) fields.push(...this.#clip());
    if (model.mode === "pose" && !art && !rule) fields.push(...this.#sliders());
    if (model.mode === "pose" && !art && !bone) fields.push(...this.#rows({ what: "camera", name: "camera" }, "camera", "Camera "));
    this.#show(rule ? ruleName(rule) : bone ? bone.name : art ? (art.label ?? art.address) : model.clip ? `Clip ${model.clip}` : "Properties", fields);
  }

  /** @param {string} title @param {Field[]} fields */
  #show(title, fields) {
    const focused = /** @type {HTMLElement | null} */ (this.contains(document.activeElement) ? document.activeElement : null);
    const key = (/** @type {Field} */ { of, label }) => JSON.stringify([of, label]);
    // What is typed into a field that goes is for what it was of.
    const stays = fields.some((field) => key(field) === /** @type {HTMLElement | null | undefined} */ (focused?.closest("[data-of]"))?.dataset.key);
    if (!stays && focused instanceof HTMLInputElement) focused.blur();
    this.#title.textContent = title;
    patch(this.#fields, fields, key, (field) => this.#make(field), (node, field) => this.#update(node, field));
    if (focused?.id && !this.contains(focused)) document.getElementById(focused.id)?.focus();
  }

  /** @param {Field} field @returns {HTMLElement} */
  #make({ of, label, kind, values = [], channel, range }) {
    const data = { "data-of": JSON.stringify(of), "data-label": label, "data-channel": channel };
    if (kind === "note") return el("p", data);
    if (kind === "actions") return el("div", { class: "actions", ...data });
    if (kind === "pad") return el("div", data, document.createElement("rig-pad"));
    const id = `p-${label}`;
    const key = channel && el("button", { type: "button", class: "keystate", id: `k-${of.what === "bone" ? channel : label}`, "data-do": "key", "data-channel": channel });
    const typed = /** @type {Record<string, () => HTMLElement>} */ ({
      color: () => el("input", { id, type: "color" }), flag: () => el("input", { id, type: "checkbox" }), name: () => el("select", { id }),
      text: () => el("input", { id, "data-words": "", autocomplete: "off" }),
    })[kind]?.();
    if (typed) return el("div", { class: "field", ...data }, el("label", { for: id, text: label }), typed, key);
    if (kind === "slider") {
      const [min, max] = range ?? [0, 1];
      const slide = el("input", { id, type: "range", min, max, step: (max - min) / 200, "aria-label": label });
      const number = el("input", { id: `${id}-n`, inputmode: "decimal", "aria-label": `${label}, number` });
      return el("div", { class: "field", role: "group", "aria-label": label, ...data }, el("span", { class: "label", text: label }), el("div", { class: "pair slide" }, slide, number), key);
    }
    if (kind === "list") return el("div", { class: "field", ...data }, el("label", { for: id, text: label }), el("select", { id }));
    const inputs = values.map((_, index) => el("input", { id: `${id}-${index}`, inputmode: "decimal", "aria-label": values.length > 1 ? `${label} ${"xy"[index]}` : label }));
    return el("div", { class: "field", role: "group", "aria-label": label, ...data }, el("span", { class: "label", text: label }), el("div", { class: "pair" }, ...inputs), key);
  }

  /** @param {HTMLElement} node @param {Field} field */
  #update(node, { of, channel, kind, label, pad, values = [], text, why, options, value, state, buttons = [] }) {
    const disabled = !model.editable;
    if (pad) /** @type {any} */ (node.firstElementChild).show(pad);
    if (kind === "note") assign(node, { text, class: why ? "why" : "muted" });
    if (kind === "actions") {
      patch(node, buttons, ([act]) => act, ([act]) => el("button", { type: "button", "data-do": act }),
        (button, [, name, title, off]) => assign(button, { text: name, title, disabled: disabled || off }));
    }
    const select = node.querySelector("select");
    if (select) {
      patch(select, options ?? [], (option) => option ?? "", (option) => el("option", { value: option ?? "", text: option ?? "none" }), () => {});
      select.value = value ?? "";
      select.disabled = disabled;
    }
    [...node.querySelectorAll("input")].forEach((input, index) => {
      input.disabled = disabled || !!channel && of.what !== "bone" && !model.clipInfo?.editable;
      if (input.type === "checkbox") return void (input.checked = values[0] === /** @type {any} */ (true));
      if (kind === "text") return void (input !== document.activeElement && (input.dataset.shown = input.value = String(values[0])));
      if (input.type === "color") return void (input !== document.activeElement && (input.value = String(values[0])));
      if (kind === "slider") return void (input !== document.activeElement && (input.dataset.shown = input.value = short(values[0], 2)));
      if (input !== document.activeElement) input.dataset.shown = input.value = short(values[index], 3);
    });
    const key = node.querySelector("button.keystate");
    if (!key || !state || /** @type {HTMLElement} */ (key).dataset.state === state && key.hasAttribute("disabled") === !model.clipInfo?.editable) return;
    assign(key, { "data-state": state, disabled: !model.clipInfo?.editable, "aria-label": `Key ${label}: ${STATES[state]}`, title: `${STATES[state]}; click to ${state === "keyed" ? "delete the key" : "key it (I)"}` });
    key.replaceChildren(icon({ none: "none", changed: "changed", keyed: "key" }[state]));
  }

  /** @param {Bone} bone @returns {Field[]} */
  #pose(bone) {
    const of = /** @type {Owner} */ ({ what: "bone", name: bone.name });
    const isActor = !!model.clipInfo?.shot && model.clipInfo.editable && model.isActor(bone.name);
    const properties = (model.rig?.properties.bones ?? []).filter(({ name }) => !isActor || name === "move" || name === "rotate");
    const rows = this.#fieldsOf(of, properties, model.posed?.values?.[bone.name] ?? {}, "");
    if (isActor) rows.push({ of: { what: "role", name: bone.name }, label: "There", kind: "flag", values: [!model.clipInfo?.hidden.includes(bone.name)] });
    const unkeyed = Object.entries(model.pose).map(([name, changed]) => `${name}: ${describe(changed)}`);
    const notes = /** @type {[string, any][]} */ ([
      ["held", bone.held.length && `Held by ${bone.held.join(", ")}: drag its tip or its goal.`],
      ["shot", !model.clipInfo?.editable && (model.clipInfo ? "A sequence has no keys of its own: choose one of its clips." : "There is no clip: add one above.")],
      ["unkeyed", unkeyed.length && `Changed, not keyed: ${unkeyed.join("; ")}`],
    ]);
    return [...rows, ...notes.filter(([, text]) => text).map(([label, text]) => /** @type {Field} */ ({ of, label, kind: "note", text, why: true }))];
  }

  /** The fields of values that a clip can key. @param {Owner} of @param {PropertyFacts[]} properties @param {Record<string, ChannelState>} values @param {string} before @returns {Field[]} */
  #fieldsOf(of, properties, values, before) {
    return properties.filter(({ name }) => values[name]).map(({ name, input, range }) => {
      const { v, here, changed, options } = values[name];
      const kind = input === "number" || input === "pair" ? "numbers" : input;
      const label = before ? before + name : titled(name);
      const names = options && [null, ...options];
      return /** @type {Field} */ ({ of, label, kind, channel: name, values: [v].flat(), options: names, value: v, range, state: changed ? "changed" : here ? "keyed" : "none" });
    });
  }

  /** @param {Owner} of @param {string} section @param {string} [before] */
  #rows(of, section, before = "") {
    const values = rowsOf(of), facts = model.rig?.properties[section] ?? [];
    // Of the property `shape` there is one value for each shape, named after it.
    const shapes = Object.keys(values).filter((name) => name.startsWith("shape ")).map((name) => ({ name, input: "number", range: facts.find((of) => of.name === "shape")?.range ?? null }));
    return model.clipInfo?.shot && !(of.what === "camera" && model.clipInfo.editable) ? [] : this.#fieldsOf(of, [...facts, ...shapes], values, before);
  }

  /** @returns {Field[]} */
  #sliders() {
    if (model.clipInfo?.shot) return [];
    return (model.rig?.sliders ?? []).flatMap(({ name, range }) => {
      const of = /** @type {Owner} */ ({ what: "slider", name });
      const { slider } = rowsOf(of);
      const value = model.sliders[name] ?? slider?.v;
      const record = /** @type {Field} */ ({ of, label: `record ${name}`, kind: "actions", buttons: [["record", model.recording?.slider === name ? `Record at ${model.recording.value} (Enter)` : "Record a pose", "Pose bones for the value at which the slider stands"]] });
      return slider ? [/** @type {Field} */ ({ of, label: name, kind: "slider", channel: "slider", values: [value], range, state: slider.changed ? "changed" : slider.here ? "keyed" : "none" }), record] : [];
    });
  }

  /** @param {Bone} bone @returns {Field[]} */
  #setup(bone) {
    const of = /** @type {Owner} */ ({ what: "bone", name: bone.name });
    const numbers = (/** @type {string} */ label, /** @type {number[]} */ values) => /** @type {Field} */ ({ of, label, kind: "numbers", values });
    if (model.isActor(bone.name)) return actorFields(bone);
    const parents = [null, ...(model.rig?.bones ?? []).map((each) => each.name).filter((name) => name !== bone.name)];
    const joint = JOINTS.find((each) => each.toLowerCase() === bone.joint) ?? "Pin";
    const [length, angle] = lengthAndAngle(bone);
    const buttons = /** @type {Field["buttons"]} */ ([["rename", "Rename", "Rename (F2)"], ...(bone.limits ? [["unlimited", "No limits"]] : []),
      ["region", bone.region ? "No region" : "Region"], ["delete", "Delete", "Delete (Del)"]]);
    return [
      numbers("Joint", bone.from), numbers("Tip", bone.to), numbers("Length", [length]), numbers("Angle", [angle]),
      { of, label: "Parent", kind: "list", options: parents, value: bone.parent }, { of, label: "Moves as", kind: "list", options: JOINTS, value: joint },
      numbers("Limits", bone.limits ?? [-180, 180]), numbers("Volume", [bone.volume]), { of, label: "actions", kind: "actions", buttons },
    ];
  }

  /** @param {RuleFacts} rule @returns {Field[]} */
  #rule(rule) {
    const of = /** @type {Owner} */ ({ what: "rule", name: ruleId(rule) });
    const [section, index] = rule.at;
    const count = model.rig?.rules.filter((other) => other.at[0] === section).length ?? 0;
    const text = { of, label: "rule", kind: /** @type {const} */ ("note"), text: rule.text };
    // Names of art may have any words.
    const out = rule.text.replace(/"(\\.|[^"\\])*"/g, "").includes("out: true");
    const own = /** @type {Record<string, Field[]>} */ ({ drivers: [], masks: [{ of, label: "Outside", kind: "flag", values: [out] }] });
    const mix = own[String(section)] ?? [/** @type {Field} */ ({ of, label: "Mix", kind: "numbers", values: [rule.mix ?? 1] })];
    return [text, ...mix, { of, label: "actions", kind: "actions", buttons: [
      ["earlier", "Earlier", "Before the one above it", index === 0], ["later", "Later", "After the one below it", Number(index) >= count - 1],
      ["drop", "Delete", "Delete (Del)"]] }];
  }

  /** Nothing is selected: the clip. @returns {Field[]} */
  #clip() {
    const { clip, clipInfo } = model;
    const hint = /** @type {Field} */ ({ of: { what: "clip", name: "" }, label: "hint", kind: "note", text: "Click a bone or art, on the stage or in the list." });
    if (!clipInfo || !clip) return [hint];
    const of = /** @type {Owner} */ ({ what: clipInfo.shot ? "shot" : "clip", name: clip });
    const buttons = /** @type {NonNullable<Field["buttons"]>} */ ([["rename", "Rename"], ["duplicate", "Duplicate"], ["delete", "Delete"]]);
    if (clipInfo.shot && model.rig?.scene) {
      const own = /** @type {Field[]} */ ([{ of, label: "Length", kind: "numbers", values: [clipInfo.length] }, ...this.#part(), { of, label: "actions", kind: "actions", buttons }]);
      return [...(clipInfo.editable ? own : this.#part()), hint];
    }
    return [
      { of, label: "Length", kind: "numbers", values: [clipInfo.keys] }, { of, label: "Held for", kind: "numbers", values: [clipInfo.step] },
      { of, label: "Loop", kind: "list", options: clipInfo.shot ? LOOPS.slice(0, 2) : LOOPS, value: loopOf(clipInfo.repeat) },
      ...this.#part(),
      ...(typeof clipInfo.repeat === "number" ? [/** @type {Field} */ ({ of, label: "Rounds", kind: "numbers", values: [clipInfo.repeat] })] : []),
      { of, label: "actions", kind: "actions", buttons }, hint,
    ];
  }

  /** The selected part of a shot, and what can be put behind it. @returns {Field[]} */
  #part() {
    const { clipInfo, part, rig } = model;
    if (!clipInfo?.shot) return [];
    const of = /** @type {Owner} */ ({ what: "part", name: String(part) });
    const own = part === null ? null : clipInfo.parts[part];
    const isOf = (/** @type {string} */ name) => !rig?.scene || clipInfo.editable && name.startsWith(own?.of ? `${own.of}/` : "") && rig.actors.some((actor) => name.startsWith(`${actor.name}/`));
    const clips = (rig?.order ?? []).filter((name) => !rig?.clips[name]?.shot && isOf(name));
    const add = clips.length ? [/** @type {Field} */ ({ of, label: "Add clip", kind: "list", options: [null, ...clips], value: null })] : [];
    if (!own) return add;
    const what = /** @type {Field} */ ({ of, label: `Part ${Number(part) + 1}`, kind: "note", text: `${own.of ? `${own.of}: ` : ""}${own.clip}, from ${short(own.start, 3)} s${isTyped(own) ? "" : ", by itself"}` });
    const number = (/** @type {string} */ label, /** @type {number} */ value) => /** @type {Field} */ ({ of, label, kind: "numbers", values: [value] });
    const numbers = !isTyped(own) ? [] : isShot(own) ? [number("Length", own.length)] : [number("Fade", own.fade), number("Repeat", own.repeat ?? 1), number("From", own.from), number("Speed", own.speed)];
    const out = /** @type {Field} */ ({ of, label: "part", kind: "actions", buttons: [["take-out", "Take it out", "Take it out (Del)", own.of === null && clipInfo.parts.length < 2]] });
    return [what, ...numbers, ...(isTyped(own) ? [out] : []), ...add];
  }

  /** @param {Art} art @returns {Field[]} */
  #art(art) {
    const of = /** @type {Owner} */ ({ what: "art", name: art.address });
    const note = (/** @type {string} */ label, /** @type {string} */ text, why = false) => /** @type {Field} */ ({ of, label, kind: "note", text, why });
    const buttons = /** @type {NonNullable<Field["buttons"]>} */ ([["bind", `Bind to ${model.bones.join(", ") || "a bone"}`, "Bind (B)", !model.bones.length]]);
    if (chosen(art.address).some((address) => model.art(address)?.bound)) buttons.push(["unbind", "Unbind"]);
    if (art.bound && art.follows?.how === "Explicit") buttons.push(["smooth", "Smooth weights"]);
    return [
      note("art", `${art.address} (${art.tag})`), note("follows", art.follows ? `${art.follows.how} with ${art.follows.bones.join(", ")}` : "Follows no bone."),
      { of, label: "actions", kind: "actions", buttons }, ...(model.weights ? weightFields(art) : []), ...(model.mode === "pose" ? this.#rows(of, "art") : []),
      ...(model.mode === "pose" ? this.#rows({ what: "filter", name: art.address }, "filter", "Filter ") : []),
    ];
  }
}
customElements.define("rig-properties", Properties);
