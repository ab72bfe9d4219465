// Everything by its name: commands, bones, art, rules and clips.

import { el } from "./dom.js";
import { model } from "./model.js";
import { ruleName } from "./rules.js";

/** At most so many are listed. */
const MOST = 50;

/** @param {Command[]} commands @returns {{ text: string, kind: string, act: () => void }[]} */
function entries(commands) {
  const { rig } = model;
  const press = (/** @type {string[]} */ names) => new KeyboardEvent("keydown", { key: names[0] });
  return [
    ...commands.map(([names, text, act]) => ({ text, kind: names.map((name) => name.replace("Arrow", "")).join(", "), act: () => act(press(names)) })),
    ...(rig?.bones ?? []).map(({ name }) => ({ text: name, kind: "bone", act: () => model.select([name]) })),
    ...(rig?.art ?? []).filter(({ definition }) => !definition).map(({ address, label, id }) => ({ text: label ?? id ?? address, kind: `art ${address}`, act: () => model.select(model.bones, [address]) })),
    ...(rig?.rules ?? []).map((rule) => ({ text: ruleName(rule), kind: "rule", act: () => model.selectRule(rule) })),
    ...(rig?.machines ?? []).map(({ name }) => ({ text: name, kind: "machine", act: () => model.setMachine(name) })),
    ...(rig?.order ?? []).map((name) => ({ text: name, kind: rig?.clips[name]?.shot ? "shot" : "clip", act: () => model.setClip(name) })),
  ];
}

/** How well words fit: all of them, at best at the start. @param {string} text @param {string[]} words */
function fits(text, words) {
  const low = text.toLowerCase();
  const places = words.map((word) => low.indexOf(word));
  return places.some((at) => at < 0) ? null : places.reduce((sum, at) => sum + at, 0) + low.length / 100;
}

/** @param {Command[]} commands */
export function openPalette(commands) {
  const all = entries(commands);
  const input = el("input", { type: "search", "aria-label": "Search", placeholder: "A command, a bone, art, a rule, a clip", autocomplete: "off", role: "combobox", "aria-expanded": "true", "aria-controls": "found" });
  const list = el("ul", { id: "found", role: "listbox", "aria-label": "Found" });
  const dialog = el("dialog", { class: "search", "aria-label": "Search" }, input, list);
  /** @type {(() => void)[]} */
  let acts = [];
  let chosen = 0;
  const mark = () => [...list.querySelectorAll("[role=option]")].forEach((item, at) => {
    item.setAttribute("aria-selected", String(at === chosen));
    if (at === chosen) item.scrollIntoView({ block: "nearest" });
  });
  const search = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.map((entry) => ({ entry, score: fits(`${entry.text} ${entry.kind}`, words) })).filter(({ score }) => score !== null);
    if (words.length) found.sort((a, b) => Number(a.score) - Number(b.score));
    const shown = found.slice(0, MOST).map(({ entry }) => entry);
    acts = shown.map(({ act }) => act);
    chosen = 0;
    list.replaceChildren(...shown.map(({ text, kind }, at) => el("li", { role: "option", id: `found-${at}`, onclick: () => run(at) }, el("span", { text }), el("span", { class: "note", text: kind }))));
    if (!shown.length) list.append(el("li", { class: "muted", role: "none", text: "Nothing is called so." }));
    mark();
  };
  const run = (/** @type {number} */ at) => {
    dialog.close();
    acts[at]?.();
  };
  input.addEventListener("input", search);
  input.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (by && acts.length) chosen = Math.max(0, Math.min(chosen + by, acts.length - 1));
    else if (event.key === "Enter") run(chosen);
    else return;
    event.preventDefault();
    mark();
    input.setAttribute("aria-activedescendant", `found-${chosen}`);
  });
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  search();
  dialog.showModal();
  input.focus();
}
