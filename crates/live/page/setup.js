// Questions before a change of the setup: names, what depends on what is deleted.

import { el } from "./dom.js";
import { model } from "./model.js";

/**
 * A dialog with fields; null if it was left.
 * @param {string} title @param {(Node | string)[]} contents @param {string} action @param {string} [other] another action, in the values as `other`
 * @returns {Promise<Record<string, string> | null>}
 */
export function ask(title, contents, action, other) {
  const form = el("form", { method: "dialog" }, el("h2", { text: title }), ...contents, el("footer", {},
    el("button", { value: "", text: "Cancel", formnovalidate: true }),
    other && el("button", { value: "other", text: other, formnovalidate: true }),
    el("button", { value: "ok", class: "main", text: action })));
  const dialog = el("dialog", { "aria-label": title }, form);
  document.body.append(dialog);
  const back = /** @type {HTMLElement | null} */ (document.activeElement);
  // Enter is the action, not the first button.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    dialog.close("ok");
  });
  dialog.showModal();
  /** @type {HTMLInputElement | null} */ (dialog.querySelector("input"))?.select();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    const values = Object.fromEntries([...dialog.querySelectorAll("input, select")].map((input) =>
      [/** @type {HTMLInputElement} */ (input).name, /** @type {HTMLInputElement} */ (input).value]));
    dialog.remove();
    back?.focus({ preventScroll: true });
    const { returnValue } = dialog;
    resolve(returnValue === "ok" ? values : returnValue === "other" ? { ...values, other: "yes" } : null);
  }));
}

/** @param {string} name @param {string} label @param {string} value @param {string} [type] */
export const field = (name, label, value, type = "text") => el("div", { class: "field" },
  el("label", { for: `field-${name}`, text: label }),
  el("input", { id: `field-${name}`, name, value, type, step: "any", autocomplete: "off", spellcheck: "false" }));

/** @param {string | undefined} bone */
export async function renameBone(bone = model.active?.name) {
  if (!bone) return model.announce("Select a bone first");
  const answer = await ask(`Rename ${bone}`, [field("name", "New name", bone),
    el("p", { class: "muted", text: "In all files of the rig, as one step." })], "Rename");
  const to = answer?.name.trim();
  if (!to || to === bone || !model.mayEdit()) return;
  const done = await model.edit(`Rename ${bone} to ${to}`, [{ op: "Rename", of: "bone", from: bone, to }]);
  if (done.t === "done") model.select([to]);
}

/** Bones go; their children stay in place below the next bone, and so does their art. */
export async function deleteBones(names = model.bones) {
  if (!names.length || !model.mayEdit()) return;
  if (names.every((name) => model.isActor(name))) return void (await import("./actors.js")).deleteActors(names);
  const heirs = new Set(names.map((name) => model.bone(name)?.parent).filter((parent) => parent && !names.includes(parent)));
  const done = await model.edit(`Delete ${names.join(", ")}`, [{ op: "DeleteBones", bones: names }]);
  if (done.t === "done") model.announce(`Deleted ${names.join(", ")}${heirs.size ? `; ${[...heirs].join(", ")} is the parent now` : ""}`);
}

/** Bones with all that uses them, which is listed first. @param {string[]} [names] */
export async function deleteWithAll(names = model.bones) {
  if (!names.length || !model.mayEdit()) return;
  const answers = await Promise.all(names.map((name) => model.link.ask({ t: "dependants", of: "bone", name })));
  const paths = [...new Set(answers.flatMap((answer) => /** @type {string[]} */ (answer.paths ?? [])))];
  if (paths.length) {
    const list = el("ul", {}, ...paths.map((path) => el("li", { text: path })));
    const sure = await ask(`Delete ${names.join(", ")}?`, [el("p", { text: "This goes with it:" }), list], "Delete");
    if (!sure) return;
  }
  await model.edit(`Delete ${names.join(", ")} with all`, names.map((name) => ({ op: "Delete", of: "bone", name, dependants: true })));
}

/** The other side of the selected bones. */
export async function mirrorSide() {
  if (!model.bones.length) return model.announce("Select the bones of one side first");
  await model.edit(`Mirror ${model.bones.join(", ")}`, [{ op: "MirrorSide", bones: model.bones, axis: model.axis }]);
}

/** All art follows the bones that pass through it. */
export async function bindAll() {
  const bound = () => (model.rig?.art ?? []).filter((art) => art.bound).length;
  const before = bound();
  const done = await model.edit("Bind everything", [{ op: "BindAll" }]);
  if (done.t === "done") model.announce(`Bound ${bound() - before} pieces of art`);
}

/** The mirror of bones that are drawn: its axis goes through the first root, or the middle of the page. */
export function toggleMirror() {
  const root = model.rig?.bones.find((bone) => bone.parent === null);
  const [left, , width] = model.rig?.canvas ?? [0, 0, 100];
  model.axis = model.axis === null ? (root ? root.from[0] : left + width / 2) : null;
  if (model.mode !== "setup") model.setMode("setup");
  model.emit("tool");
  model.announce(model.axis === null ? "Mirror off" : "Mirror on: bones beside the axis get twins. Drag its handle to move it");
}

/** The keys of a clip are half a cycle; the other half has the sides changed. */
export async function toggleHalf() {
  const { clip, clipInfo } = model;
  if (!clip || !clipInfo?.editable) return model.announce("Choose a clip first");
  const at = ["clips", clip, "half"];
  await model.edit(clipInfo.half ? `${clip} as it is typed` : `${clip} is half a cycle`, [clipInfo.half ? { op: "Remove", at } : { op: "Set", at, value: { word: "Swap" } }]);
}

export async function addClip() {
  const taken = model.rig?.clips ?? {};
  let number = 1;
  while (taken[`clip${number}`]) number += 1;
  const answer = await ask("New clip", [field("name", "Name", `clip${number}`), field("length", "Seconds", "2", "number")], "Add");
  if (!answer?.name || !model.mayEdit()) return;
  const done = await model.edit(`Add clip ${answer.name}`, [
    { op: "AddClip", name: answer.name, length: Number(answer.length) || 2 },
    { op: "Set", at: ["clips", answer.name, "loop"], value: true },
  ]);
  if (done.t === "done") model.setClip(answer.name);
}

/** @param {string} of "clip" or "shot" @param {string} from */
export async function renameClip(of, from) {
  const to = (await ask(`Rename ${from}`, [field("name", "New name", from)], "Rename"))?.name.trim();
  if (!to || to === from || !model.mayEdit()) return;
  const done = await model.edit(`Rename ${from} to ${to}`, [{ op: "Rename", of, from, to }]);
  if (done.t === "done" && model.rig?.clips[to]) model.setClip(to);
}

/** Writes the rig, as it is now, under a name that is free. */
export async function saveCopy() {
  const from = model.rig?.rig ?? "rig.ron";
  const answer = await ask("Save a copy", [field("name", "File beside the rig", from.replace(/(\.[^.]*)?$/, "-2$1")),
    el("p", { class: "muted", text: "The page stays with the file that is open." })], "Save");
  const name = answer?.name.trim();
  if (!name) return;
  const done = await model.request({ t: "save", as: name });
  if (done.t === "done") model.announce(`Saved ${name}`);
}
