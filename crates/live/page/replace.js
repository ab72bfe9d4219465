// Another drawing: an SVG that is dropped on the stage takes the place of the one that there is, or opens as a new rig.

import { el } from "./dom.js";
import { model } from "./model.js";
import { ask } from "./setup.js";

/** The largest drawing that is sent. */
const MOST = 32 << 20;

/** In place of names: the drawing is to be a rig of its own. */
const NEW = Symbol("new");

/** Opens a rig or a drawing of the folder, or a new drawing, in this tab. @param {string} name @param {string} [text] */
export async function openPage(name, text) {
  const answer = await model.request({ t: "open", name, text: text ?? null });
  if (answer.t === "opened") location.assign(answer.address);
}

/** @param {HTMLElement} stage */
export function listen(stage) {
  const isFile = (/** @type {DragEvent} */ event) => !!event.dataTransfer?.types.includes("Files");
  stage.addEventListener("dragover", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    stage.classList.add("target");
  });
  stage.addEventListener("dragleave", () => stage.classList.remove("target"));
  stage.addEventListener("drop", (event) => {
    if (!isFile(event)) return;
    event.preventDefault();
    stage.classList.remove("target");
    const file = event.dataTransfer?.files[0];
    if (file) void replace(file);
  });
}

/** Asks for a file. */
export function choose() {
  const input = el("input", { type: "file", accept: ".svg,image/svg+xml" });
  input.addEventListener("change", () => input.files?.[0] && void replace(input.files[0]));
  input.click();
}

/** @param {File} file */
async function replace(file) {
  if (!/\.svg$/i.test(file.name)) return model.note({ kind: "error", text: `${file.name} is no SVG`, help: ["Drop a drawing that is saved as plain SVG."] });
  if (file.size > MOST) return model.note({ kind: "error", text: `${file.name} is larger than 32 MB` });
  if (!model.mayEdit()) return;
  const message = { t: "replace", name: file.name.replace(/\.SVG$/, ".svg"), text: await file.text() };
  const found = await model.request(message);
  if (found.t !== "replacement") return;
  const names = await chooseNames(file.name, found.art, found.names);
  if (!names) return;
  if (names === NEW) return openPage(message.name, message.text);
  const done = await model.request({ ...message, names });
  if (done.t === "done") model.announce(`The drawing is ${file.name} now`);
}

/**
 * Which art is which: what has its name is not asked for.
 * @param {string} file @param {{ from: string, to: string | null }[]} art @param {string[]} names
 * @returns {Promise<Record<string, string> | typeof NEW | null>}
 */
async function chooseNames(file, art, names) {
  const open = art.filter(({ from, to }) => from !== to);
  const rows = open.map(({ from, to }) => {
    const list = el("select", { "aria-label": `${from} is` }, el("option", { value: "", text: "not in the drawing" }), ...names.map((name) => el("option", { value: name, text: name, selected: name === to })));
    return { from, list, row: el("tr", {}, el("td", { text: from }), el("td", {}, list)) };
  });
  const kept = art.length - open.length;
  const text = open.length ? `${kept} of ${art.length} pieces of art keep their names. The others:` : `All ${kept} pieces of art that the rig names are in it.`;
  const answer = await ask(`Replace the drawing by ${file}?`, [el("p", { text }), ...(rows.length ? [el("table", { class: "names" }, el("tbody", {}, ...rows.map(({ row }) => row)))] : []),
    el("p", { class: "muted", text: "The old file stays where it is. One step, which can be undone." })], "Replace", "Open as a new rig");
  if (answer?.other) return NEW;
  return answer && Object.fromEntries(rows.filter(({ list }) => list.value).map(({ from, list }) => [from, list.value]));
}
