// What is changed in a state machine: its states, what leads from one to another, its inputs and layers.

import { el, short } from "./dom.js";
import { model } from "./model.js";
import { pads } from "./pad.js";
import { ask, field } from "./setup.js";

/** What a transition waits for besides inputs. */
const ENDED = "the clip has ended", AFTER = "some time";
/** The state that a transition without one leaves. */
const ANY = "(any other)";

/** @returns {MachineFacts | null} */
export const machine = () => model.rig?.machines.find(({ name }) => name === model.machine) ?? null;

/** @param {number} number */
const text = (number) => String(Number(number.toFixed(4)));
/** @param {any} name */
const quoted = (name) => JSON.stringify(name);

/** @param {StateBox} state */
function stateText({ clips, at, by, sync, speed }) {
  const place = (/** @type {Pair} */ [x, y]) => (by.length > 1 ? `(${text(x)}, ${text(y)})` : text(x));
  const parts = by.length
    ? [`by: [${by.map(quoted).join(", ")}]`, `blend: [${clips.map((clip, index) => `(at: ${place(at[index])}, clip: ${quoted(clip)})`).join(", ")}]`]
    : clips.map((clip) => `clip: ${quoted(clip)}`);
  if (by.length && sync !== null) parts.push(`sync: ${sync}`);
  if (speed !== 1) parts.push(`speed: ${text(speed)}`);
  return `(${parts.join(", ")})`;
}

/** @param {StateArrow} arrow */
function arrowText({ from, to, when, fade }) {
  const of = (/** @type {string} */ kind, /** @type {(value: number) => string} */ shown) => when.filter((each) => each.kind === kind).map(({ input, value }) => `${quoted(input)}: ${shown(value)}`).join(", ");
  const fired = when.filter(({ kind }) => kind === "fired").map(({ input }) => quoted(input));
  const after = when.find(({ kind }) => kind === "after");
  const maps = [["above", of("above", text)], ["below", of("below", text)], ["is", of("is", (value) => String(value !== 0))]];
  return `(${[
    from !== null && `from: ${quoted(from)}`, `to: ${quoted(to)}`, ...maps.map(([name, inside]) => inside && `${name}: {${inside}}`),
    fired.length && `fired: [${fired.join(", ")}]`, when.some(({ kind }) => kind === "ended") && "ended: true",
    after && `after: ${text(after.value)}`, fade > 0 && `fade: ${text(fade)}`,
  ].filter(Boolean).join(", ")})`;
}

/** A condition in words. @param {StateCondition} condition */
export function conditionText({ kind, input, value }) {
  if (kind === "ended") return "clip ended";
  if (kind === "after") return `after ${short(value, 3)} s`;
  if (kind === "is") return value ? `${input}` : `not ${input}`;
  return kind === "fired" ? `${input}` : `${input} ${kind === "above" ? ">" : "<"} ${short(value, 3)}`;
}

/** What is chosen: its layer, and in it a state or a transition. */
function chosen() {
  const { picked } = model;
  const layer = picked && machine()?.layers[picked.layer];
  if (!picked || !layer) return null;
  const state = layer.states.find(({ name }) => name === picked.state) ?? null;
  const arrow = picked.arrow === undefined ? null : layer.arrows[picked.arrow] ?? null;
  return { layer, state, arrow, index: picked.arrow ?? 0 };
}

/** A step that sets a field, or takes it out. @param {string} title @param {Path} at @param {any} value null: it goes */
const put = (title, at, value) => void model.edit(title, [value === null ? { op: "Remove", at } : { op: "Set", at, value }]);

/** A new transition, which waits for the end of the clip, or where that loops, a second. @param {number} at the layer @param {string} from @param {string} to */
export async function addArrow(at, from, to) {
  const layer = machine()?.layers[at];
  const state = layer?.states.find(({ name }) => name === from);
  if (!layer || !state || from === to) return;
  const ends = state.clips.length > 0 && state.clips.every((clip) => !model.rig?.clips[clip]?.loop);
  const when = [ends ? { kind: "ended", input: null, value: 1 } : { kind: "after", input: null, value: 1 }];
  const value = { ron: arrowText({ from, to, when, fade: 0.2 }) };
  const into = [...layer.at, "transitions"];
  const done = await model.edit(`From ${from} to ${to}`, [layer.arrows.length ? { op: "Insert", into, before: null, value } : { op: "Set", at: into, value: { ron: `[${value.ron}]` } }]);
  if (done.t === "done") model.pickState({ layer: at, arrow: layer.arrows.length });
}

/** A name that nothing has yet. @param {string} name @param {string[]} taken */
function free(name, taken) {
  let [own, number] = [name, 1];
  while (taken.includes(own)) own = `${name}${(number += 1)}`;
  return own;
}

/** A new state that plays a clip. @param {number} at the layer @param {string | null} clip @param {string} [name] */
export async function addState(at, clip, name = clip ?? "state") {
  const layer = machine()?.layers[at];
  if (!layer || clip !== null && !model.rig?.clips[clip]) return;
  const own = free(name, layer.states.map((state) => state.name));
  const done = await model.edit(`Add state ${own}`, [{ op: "Set", at: [...layer.at, "states", own], value: { ron: clip === null ? "()" : `(clip: ${quoted(clip)})` } }]);
  if (done.t === "done") model.pickState({ layer: at, state: own });
}

/** @param {string} id @param {string} label @param {string[]} options */
const choice = (id, label, options) => el("div", { class: "field" }, el("label", { for: `field-${id}`, text: label }),
  el("select", { id: `field-${id}`, name: id }, ...options.map((option) => el("option", { value: option, text: option || "nothing" }))));

const inputsAt = () => ["machines", model.machine ?? "", "inputs"];

/** What an input is at first, by the word of its kind. @type {Record<string, any>} */
const FIRST = { "a number": 0, "yes or no": false, "a trigger": { word: "Trigger" } };

/** What the buttons of the panel do. @type {Record<string, () => void | Promise<void>>} */
export const MACHINE_BUTTONS = {
  "add-state": async () => {
    const layers = machine()?.layers ?? [];
    const answer = await ask("New state", [field("name", "Name", ""), choice("clip", "Plays", ["", ...(model.rig?.order ?? [])]), ...(layers.length > 1 ? [choice("layer", "In", layers.map((layer, at) => layerName(layer, at)))] : [])], "Add");
    const at = Math.max(0, layers.findIndex((layer, index) => layerName(layer, index) === answer?.layer));
    if (answer) await addState(at, answer.clip || null, answer.name.trim() || answer.clip || "state");
  },
  "add-input": async () => {
    const answer = await ask("New input", [field("name", "Name", free("input", machine()?.inputs.map(({ name }) => name) ?? [])), choice("kind", "It is", Object.keys(FIRST))], "Add");
    if (answer?.name.trim()) await model.edit(`Add input ${answer.name}`, [{ op: "Add", into: inputsAt(), name: answer.name.trim(), value: FIRST[answer.kind] }]);
  },
  "add-layer": async () => {
    const layers = machine()?.layers ?? [];
    const answer = await ask("New layer", [choice("bone", "Moves", (model.rig?.bones ?? []).map(({ name }) => name)), el("p", { class: "muted", text: "With all bones below it. It lies above the other layers, and does nothing yet." })], "Add");
    if (!answer || !model.machine) return;
    const item = `(states: {"off": ()}, bones: [${quoted(answer.bone)}])`;
    const at = ["machines", model.machine, "layers"];
    await model.edit("Add a layer", [layers.length > 1 ? { op: "Insert", into: at, before: null, value: { ron: item } } : { op: "Set", at, value: { ron: `[${item}]` } }]);
  },
  "rename-state": () => {
    const { layer, state } = chosen() ?? {};
    if (layer && state) void rename("state", state.name, layer.at);
  },
  "copy-inputs": async () => {
    try {
      await navigator.clipboard.writeText(`[${model.played.map((each) => quoted(each)).join(", ")}]`);
      model.announce(`In the clipboard: what was set since the start, for render-frames --machine ${model.machine} --inputs`);
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      model.note({ kind: "error", text: `Not copied: ${message}` });
    }
  },
  "rename-machine": () => rename("machine", model.machine ?? ""),
  "start-here": () => {
    const { layer, state } = chosen() ?? {};
    if (layer && state) void model.edit(`It begins in ${state.name}`, [{ op: "Set", at: [...layer.at, "start"], value: state.name }]);
  },
  "arrow-earlier": () => moveArrow(-1),
  "arrow-later": () => moveArrow(1),
  "delete-picked": () => deletePicked(),
  "delete-machine": () => void model.edit(`Delete ${model.machine}`, [{ op: "Remove", at: (model.rig?.machines.length ?? 0) > 1 ? ["machines", model.machine ?? ""] : ["machines"] }]),
};

/** @param {"state" | "input" | "machine"} of @param {string} from @param {Path} [within] */
async function rename(of, from, within) {
  const to = (await ask(`Rename ${from}`, [field("name", "New name", from)], "Rename"))?.name.trim();
  if (!to || to === from || !model.mayEdit()) return;
  const { picked } = model;
  const done = await model.edit(`Rename ${of} ${from} to ${to}`, [{ op: "Rename", of, from, to, within: within ?? null }]);
  if (done.t !== "done") return;
  if (of === "state" && picked) model.pickState({ layer: picked.layer, state: to });
  if (of === "machine") model.setMachine(to);
}

/** @param {number} by */
async function moveArrow(by) {
  const { layer, index } = chosen() ?? {};
  const { picked } = model;
  if (!layer || index === undefined || !picked) return;
  const done = await model.edit("Another order of transitions", [{ op: "Move", at: [...layer.at, "transitions", index], to: index + by }]);
  if (done.t === "done") model.pickState({ ...picked, arrow: index + by });
}

/** Deletes what is chosen: a state with what leads to it, a transition, a layer. */
export function deletePicked() {
  const { layer, state, arrow, index } = chosen() ?? {};
  if (!layer) return model.announce("Choose a state or a transition first");
  model.pickState(null);
  if (state) return void model.edit(`Delete state ${state.name}`, [{ op: "Delete", of: "state", name: state.name, dependants: true, within: layer.at }]);
  if (arrow) return void model.edit(`Delete from ${arrow.from ?? "any other"} to ${arrow.to}`, [{ op: "Remove", at: [...layer.at, "transitions", index] }]);
  if (layer.at.length > 2) void model.edit("Delete a layer", [{ op: "Remove", at: layer.at }]);
}

/** The input that is chosen in its list: another name, another value at first, or none of it. @param {string} name */
async function changeInput(name) {
  const own = machine()?.inputs.find((input) => input.name === name);
  if (!own) return;
  const first = own.kind === "trigger" ? [] : [field("rest", "At first", own.kind === "flag" ? String(own.rest !== 0) : text(own.rest))];
  const answer = await ask(`Input ${name}`, [field("name", "Name", name), ...first, el("p", { class: "muted", text: "Conditions and blends follow the name; with the input, its conditions are deleted." })], "Change", "Delete");
  if (!answer || !model.mayEdit()) return;
  const within = ["machines", model.machine ?? ""];
  if (answer.other) return void model.edit(`Delete input ${name}`, [{ op: "Delete", of: "input", name, dependants: true, within }]);
  const to = answer.name.trim() || name;
  const rest = own.kind === "flag" ? answer.rest === "true" || answer.rest === "1" : Number(String(answer.rest).replace(",", "."));
  const ops = /** @type {Op[]} */ ([]);
  if (own.kind !== "trigger" && Number(rest) !== own.rest) ops.push({ op: "Set", at: [...within, "inputs", name], value: rest });
  if (to !== name) ops.push({ op: "Rename", of: "input", from: name, to, within });
  await model.edit(`Input ${to}`, ops);
}

/** A new machine with the clip that is shown. */
export async function addMachine() {
  const clip = model.clip ?? model.rig?.order[0];
  if (!clip) return model.announce("Add a clip first (C)");
  const answer = await ask("New state machine", [field("name", "Name", free("machine", model.rig?.machines.map(({ name }) => name) ?? [])),
    el("p", { class: "muted", text: `It begins with a state that plays ${clip}. Drop other clips on it, and drag from state to state.` })], "Add");
  const name = answer?.name.trim();
  if (!name || !model.mayEdit()) return;
  const done = await model.edit(`Add ${name}`, [{ op: "Add", into: ["machines"], name, value: { ron: `(states: {${quoted(clip)}: (clip: ${quoted(clip)})})` } }]);
  if (done.t === "done") model.setMachine(name);
}

/** @param {StatesFacts} layer @param {number} index */
export const layerName = ({ bones, add }, index) => (index ? `Layer ${index}: ${bones.join(", ") || "all bones"}${add ? ", added" : ""}` : "Whole figure");

// The panel.

/** @param {string} label @param {Partial<Field>} rest @returns {Field} */
const row = (label, rest) => ({ of: { what: "machine", name: model.machine ?? "" }, label, kind: "list", ...rest });
/** @param {string} label @param {(string | null)[]} options @param {string | null} value */
const list = (label, options, value) => row(label, { options, value });
/** @param {string} label @param {number[]} values */
const numbers = (label, values) => row(label, { kind: "numbers", values });

/** The fields of what is chosen, or of the inputs, and their title. @returns {[title: string, fields: Field[]]} */
export function machineFields() {
  const now = chosen();
  if (!now) return [`Inputs of ${model.machine}`, inputFields()];
  const { layer, state, arrow, index } = now;
  const states = layer.states.map(({ name }) => name);
  const inputs = machine()?.inputs ?? [];
  const button = (/** @type {NonNullable<Field["buttons"]>} */ ...buttons) => row("actions", { kind: "actions", buttons });
  if (state) {
    const { clips, at, by, speed } = state;
    const numeric = inputs.filter(({ kind }) => kind === "number").map(({ name }) => name);
    const all = model.rig?.order ?? [];
    const blended = clips.flatMap((clip, point) => [list(`Clip ${point + 1}`, [null, ...all], clip), numbers(`At ${point + 1}`, by.length > 1 ? at[point] : [at[point]?.[0] ?? 0])]);
    return [`State ${state.name}`, [
      ...(by.length ? [...blended, list("Add clip", [null, ...all], null)] : [list("Plays", [null, ...all], clips[0] ?? null)]),
      ...(numeric.length ? [list("Blended by", [null, ...numeric], by[0] ?? null)] : []),
      ...(by.length && numeric.length > 1 ? [list("and by", [null, ...numeric.filter((name) => name !== by[0])], by[1] ?? null)] : []),
      numbers("Speed", [speed]), list("Lead to", [null, ...states.filter((name) => name !== state.name)], null),
      button(["rename-state", "Rename", "Rename (F2)"], ["start-here", "Begin here", "The machine begins in this state", layer.start === state.name], ["delete-picked", "Delete", "Delete (Del)", states.length < 2]),
    ]];
  }
  if (arrow) {
    const added = inputs.flatMap(({ name, kind }) => (kind === "trigger" ? [`${name} is set`] : kind === "flag" ? [`${name}`, `not ${name}`] : [`${name} above`, `${name} below`]));
    const typed = arrow.when.filter(({ kind }) => ["above", "below", "after"].includes(kind)).map(({ kind, input, value }) => numbers(input === null ? "After (s)" : `${input} ${kind}`, [value]));
    return [`${arrow.from ?? "any other"} to ${arrow.to}`, [
      list("From", [ANY, ...states], arrow.from ?? ANY), list("To", states, arrow.to),
      row("when", { kind: "note", text: arrow.when.length ? `When ${arrow.when.map(conditionText).join(" and ")}.` : "At once." }), ...typed,
      list("Add condition", [null, ...added, ENDED, AFTER], null), ...(arrow.when.length ? [list("Leave out", [null, ...arrow.when.map(conditionText)], null)] : []),
      numbers("Fade", [arrow.fade]),
      button(["arrow-earlier", "Earlier", "Tried before the one above it", index === 0], ["arrow-later", "Later", "Tried after the one below it", index >= layer.arrows.length - 1], ["delete-picked", "Delete", "Delete (Del)"]),
    ]];
  }
  const bones = (model.rig?.bones ?? []).map(({ name }) => name);
  return [layerName(layer, model.picked?.layer ?? 0), layer.at.length > 2 ? [
    list("Add bone", [null, ...bones.filter((name) => !layer.bones.includes(name))], null), ...(layer.bones.length > 1 ? [list("Leave out", [null, ...layer.bones], null)] : []),
    list("Is", ["laid over what is below", "added to what is below"], layer.add ? "added to what is below" : "laid over what is below"), button(["delete-picked", "Delete", "Delete (Del)"]),
  ] : [row("whole", { kind: "note", text: "The states of the whole figure." })]];
}

/** The inputs, to play with. @returns {Field[]} */
function inputFields() {
  const inputs = machine()?.inputs ?? [];
  const fields = inputs.map(({ name, kind, rest, range }) => {
    const of = /** @type {Owner} */ ({ what: "input", name });
    const value = model.inputs[name] ?? rest;
    if (kind === "trigger") return /** @type {Field} */ ({ of, label: name, kind: "actions", buttons: [["fire", name, `Sets ${name}`]] });
    return /** @type {Field} */ (kind === "flag" ? { of, label: name, kind: "flag", values: [value !== 0] } : { of, label: name, kind: "slider", values: [value], range });
  });
  const of = /** @type {Owner} */ ({ what: "machine", name: model.machine ?? "" });
  const fieldsOfTwo = pads(machine()).map((pad) => /** @type {Field} */ ({ of, label: pad.inputs.map(({ name }) => name).join(" and "), kind: "pad", pad }));
  return [
    ...fieldsOfTwo, ...fields, ...(inputs.length ? [list("Change input", [null, ...inputs.map(({ name }) => name)], null)] : []),
    row("parts", { kind: "actions", buttons: [["add-state", "Add state"], ["add-input", "Add input"], ["add-layer", "Add layer"]] }),
    row("whole", { kind: "actions", buttons: [["copy-inputs", "Copy what was played", "What was set since the start, as the file of render-frames --inputs"], ["rename-machine", "Rename"], ["delete-machine", "Delete"]] }),
    row("hint", { kind: "note", text: "Drag from state to state to lead there. Drop a clip of the list on the states. Click a state or a condition to change it." }),
  ];
}

/** What is typed or chosen in the panel. @param {string} label @param {number[]} typed @param {string} word */
export function setMachineField(label, typed, word) {
  const { layer, state, arrow, index } = chosen() ?? {};
  if (label === "Change input") return void (word && changeInput(word));
  if (!layer) return;
  if (state) return setState(layer, state, label, typed, word);
  if (arrow) return setArrow(arrow, [...layer.at, "transitions", index ?? 0], label, typed[0], word);
  const bones = (/** @type {string[]} */ names) => ({ ron: `[${names.map(quoted).join(", ")}]` });
  if (label === "Add bone" && word) return put(`It moves ${word}`, [...layer.at, "bones"], bones([...layer.bones, word]));
  if (label === "Leave out" && word) return put(`It leaves ${word} alone`, [...layer.at, "bones"], bones(layer.bones.filter((name) => name !== word)));
  if (label === "Is") put("How a layer is laid over", [...layer.at, "mode"], word.startsWith("added") ? { word: "Add" } : null);
}

/** @param {StatesFacts} layer @param {StateBox} state @param {string} label @param {number[]} typed @param {string} word */
function setState(layer, state, label, typed, word) {
  const { name, clips, at, by } = state;
  const path = [...layer.at, "states", name];
  const [, what, number] = /^(Clip|At) (\d+)$/.exec(label) ?? [];
  const point = [...path, "blend", Number(number) - 1];
  const whole = (/** @type {Partial<StateBox>} */ change) => put(`State ${name}`, path, { ron: stateText({ ...state, ...change }) });
  if (what === "Clip" && word) return put(`State ${name}`, [...point, "clip"], word);
  // A blend of one clip is that clip.
  if (what === "Clip") return clips.length > 2 ? put(`State ${name}`, point, null) : whole({ by: [], clips: clips.toSpliced(Number(number) - 1, 1), at: [] });
  if (what === "At") return put(`State ${name}`, [...point, "at"], typed.length > 1 ? typed : typed[0]);
  if (label === "Plays") return put(`State ${name}`, [...path, "clip"], word || null);
  if (label === "Speed") return typed[0] === state.speed ? undefined : put(`State ${name}`, [...path, "speed"], typed[0] === 1 ? null : typed[0]);
  if (label === "Lead to") return void (word && addArrow(model.picked?.layer ?? 0, name, word));
  if (label === "Add clip") {
    const next = Math.max(-1, ...at.map(([x]) => x)) + 1;
    const value = { ron: `(at: ${by.length > 1 ? `(${text(next)}, 0)` : text(next)}, clip: ${quoted(word)})` };
    return void (word && model.edit(`State ${name}`, [{ op: "Insert", into: [...path, "blend"], before: null, value }]));
  }
  if (label === "and by") whole({ by: word ? [by[0], word] : [by[0]] });
  else if (word && by.length) put(`State ${name}`, [...path, "by", 0], word);
  else if (word && !clips.length) model.announce("Choose first what the state plays");
  // The second clip is then another one.
  else if (word) whole({ by: [word], clips: [clips[0], clips[0]], at: [[0, 0], [1, 0]] });
  else whole({ by: [], clips: clips.slice(0, 1), at: [] });
}

/** @param {StateArrow} arrow @param {Path} at @param {string} label @param {number} number @param {string} word */
function setArrow({ from, to, when, fade }, at, label, number, word) {
  const title = `From ${from ?? "any other"} to ${to}`;
  // Triggers are a list, all others have a place of their own.
  const place = (/** @type {StateCondition} */ { kind, input }) => [...at, kind, ...(input === null ? [] : [input])];
  const triggers = (/** @type {(string | null)[]} */ names) => put(title, [...at, "fired"], names.length ? { ron: `[${names.map(quoted).join(", ")}]` } : null);
  const fired = when.filter(({ kind }) => kind === "fired").map(({ input }) => input);
  if (label === "From") return put(title, [...at, "from"], word === ANY ? null : word);
  if (label === "To") return put(title, [...at, "to"], word);
  if (label === "Fade") return number === fade ? undefined : put(title, [...at, "fade"], number > 0 ? number : null);
  if (label === "Leave out") {
    const own = when.find((each) => conditionText(each) === word);
    return own?.kind === "fired" ? triggers(fired.filter((name) => name !== own.input)) : own && put(title, place(own), null);
  }
  if (label === "Add condition") {
    if (word === ENDED || word === AFTER) return put(title, [...at, word === ENDED ? "ended" : "after"], word === ENDED ? true : 1);
    for (const { name, kind, rest } of machine()?.inputs ?? []) {
      if (kind === "trigger" && word === `${name} is set` && !fired.includes(name)) return triggers([...fired, name]);
      if (kind === "flag" && (word === name || word === `not ${name}`)) return put(title, [...at, "is", name], word === name);
      for (const side of kind === "number" ? ["above", "below"] : []) if (word === `${name} ${side}`) return put(title, [...at, side, name], rest);
    }
    return;
  }
  const own = when.find(({ kind, input }) => label === (input === null ? "After (s)" : `${input} ${kind}`));
  if (own) put(title, place(own), number);
}
