// The actors of a scene: rigs that are put on its drawing, what they do by themselves, and whether they are in a shot.

import { el } from "./dom.js";
import { model } from "./model.js";
import { ask, field } from "./setup.js";

/** A field of an actor, and what holds without it, by its label. @type {Record<string, [field: "scale" | "behind" | "clip" | "speed", rest: any]>} */
const FIELDS = { Scale: ["scale", 1], Behind: ["behind", null], Plays: ["clip", null], Speed: ["speed", 1] };

/** @param {string} name */
const factsOf = (name) => model.rig?.actors.find((actor) => actor.name === name);

/** @param {string} name @param {string} label @param {any} value */
export function setActor(name, label, value) {
  const [field, rest] = FIELDS[label];
  const at = ["actors", name, field];
  // What holds without the field is not written.
  if ((factsOf(name)?.[field] ?? rest) !== value) void model.edit(`${label} of ${name}`, [value === rest ? { op: "Remove", at } : { op: "Set", at, value }]);
}

/** Whether an actor is there in the shot. @param {string} name @param {boolean} there */
export function setThere(name, there) {
  const at = ["shots", model.clip ?? "", "actors", name, "visible"];
  void model.edit(`${name} is ${there ? "" : "not "}there`, [there ? { op: "Remove", at } : { op: "Set", at, value: false }]);
}

/** What can be typed of an actor at rest. @param {Bone} bone @returns {Field[]} */
export function actorFields({ name, from }) {
  const { rig } = model;
  const facts = factsOf(name);
  if (!rig || !facts) return [];
  const of = /** @type {Owner} */ ({ what: "actor", name });
  const number = (/** @type {string} */ label, /** @type {number} */ value) => /** @type {Field} */ ({ of, label, kind: "numbers", values: [value] });
  const list = (/** @type {string} */ label, /** @type {string[]} */ options, /** @type {string | null} */ value) => /** @type {Field} */ ({ of, label, kind: "list", options: [null, ...options], value });
  const before = rig.art.filter((art) => art.parent === null && !art.definition && !model.isActor(art.address) && (art.id || art.label)).map((art) => art.id ?? art.label ?? "");
  const clips = rig.order.filter((clip) => clip.startsWith(`${name}/`)).map((clip) => clip.slice(name.length + 1));
  return [
    { of, label: "rig", kind: "note", text: facts.on ? `${facts.rig}, on ${facts.on}` : facts.rig },
    { of: { what: "bone", name }, label: "Place", kind: "numbers", values: from }, number("Scale", facts.scale),
    ...(facts.on ? [] : [list("Behind", before, facts.behind)]), list("Plays", clips, facts.clip), number("Speed", facts.speed),
    { of, label: "actions", kind: "actions", buttons: [["delete-actor", "Delete", "Delete (Del)"]] },
  ];
}

/** Puts a rig of the folder on the scene, in the middle of its lower half. */
export async function addActor() {
  const { rig } = model;
  if (!rig || !model.mayEdit()) return;
  const { rigs = [] } = /** @type {{ rigs?: string[] }} */ (await model.link.ask({ t: "folder" }));
  const rest = rigs.filter((name) => name !== rig.rig);
  if (!rest.length) return model.announce("No rig is in the folder of the scene, or below it");
  const named = (/** @type {string} */ file) => {
    const stem = file.replace(/^.*\//, "").replace(/\.[^.]*$/, "").replace(/[^\p{L}\p{N}_]/gu, "_");
    let [name, number] = [stem, 1];
    while (model.bone(name)) name = `${stem}${(number += 1)}`;
    return name;
  };
  const name = field("name", "Name", named(rest[0]));
  const list = el("select", { id: "field-rig", name: "rig", onchange: () => (/** @type {HTMLInputElement} */ (name.querySelector("input")).value = named(list.value)) },
    ...rest.map((file) => el("option", { value: file, text: file })));
  const answer = await ask("New actor", [el("div", { class: "field" }, el("label", { for: "field-rig", text: "Rig" }), list), name], "Add");
  if (!answer?.name || !model.mayEdit()) return;
  const [left, top, width, height] = rig.canvas;
  const at = [left + width / 2, top + height * 0.8].map((each) => Number(each.toFixed(1)));
  const value = { ron: `(rig: ${JSON.stringify(answer.rig)}, at: (${at.join(", ")}))` };
  const done = await model.edit(`Add ${answer.name}`, [{ op: "Add", into: ["actors"], name: answer.name, value }]);
  if (done.t !== "done") return;
  if (model.mode !== "setup") model.setMode("setup");
  model.select([answer.name]);
}

/** Takes actors out of the scene, with what they do in its shots. @param {string[]} names */
export async function deleteActors(names) {
  const roles = names.flatMap((name) => (factsOf(name)?.shots ?? []).map((shot) => ["shots", shot, "actors", name]));
  await model.edit(`Delete ${names.join(", ")}`, [...roles, ...names.map((name) => ["actors", name])].map((at) => ({ op: "Remove", at })));
}
