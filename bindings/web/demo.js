// A page of all examples: their clips, and what they have to be turned.

import "./index.js";

const names = /** @type {string[]} */ (await (await fetch("demo/examples.json")).json());
const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (document.querySelector(selector));
const [picture, clips, inputs, log, gallery] = [".picture", "#clips", "#inputs div", "#log", "#gallery"].map(find);
const speed = /** @type {HTMLInputElement} */ (find("#speed"));
/** @type {any} */
let figure;

/** @param {string} tag @param {Record<string, any>} [properties] @param {...(Node | string)} children */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A slider with its name and its value. @param {string} name @param {{ min: number, max: number, step: number, value: number }} range @param {(value: number) => void} set */
function slider(name, range, set) {
  const output = make("output", {}, "");
  const input = make("input", { type: "range", min: range.min, max: range.max, step: range.step, input: () => {
    const value = Number(/** @type {HTMLInputElement} */ (input).value);
    output.textContent = range.step === 1 ? `${value}` : value.toFixed(2);
    set(value);
  } });
  /** @type {HTMLInputElement} */ (input).value = String(range.value);
  return make("label", { class: "row" }, make("span", { title: name }, name), input, output);
}

/** @param {any} player @param {{ name: string, kind: string, min: number, max: number }} input */
function control(player, { name, kind, min, max }) {
  if (kind === "choice") return slider(name, { min, max, step: 1, value: 0 }, (value) => player.setInput(name, value));
  if (kind === "number") {
    const bounded = Number.isFinite(min) && Number.isFinite(max);
    const range = bounded ? { min, max } : { min: 0, max: name.startsWith("machine:") ? 3 : 1 };
    return slider(name, { ...range, step: (range.max - range.min) / 100, value: name.startsWith("mix:") ? 1 : Math.max(0, range.min) }, (value) => player.setInput(name, value));
  }
  if (kind === "trigger") return make("div", { class: "row" }, make("span", { title: name }, name), make("button", { type: "button", click: () => player.setInput(name, true) }, "set"));
  if (kind === "flag") {
    const box = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", input: () => player.setInput(name, box.checked) }));
    return make("label", { class: "row" }, make("span", { title: name }, name), box);
  }
  const place = { x: figure.figure.width / 2, y: figure.figure.height / 2 };
  const axis = (/** @type {"x" | "y"} */ of, /** @type {number} */ most) => {
    const input = /** @type {HTMLInputElement} */ (make("input", { type: "range", min: 0, max: most, step: 1, "aria-label": `${name}, ${of}`, input: () => {
      place[of] = Number(input.value);
      player.setInput(name, place);
    } }));
    input.value = String(place[of]);
    return input;
  };
  return make("div", { class: "row two" }, make("span", { title: name }, name), axis("x", figure.figure.width), axis("y", figure.figure.height), make("output", {}, "x y"));
}

/** @param {string} name */
async function choose(name) {
  for (const button of gallery.children) button.setAttribute("aria-pressed", String(button.getAttribute("value") === name));
  const own = figure = /** @type {any} */ (make("bone-layer", { src: `demo/${name}.bones`, controls: "", alt: `The example ${name}` }));
  picture.replaceChildren(own);
  find("#name").textContent = name.replace("-", " ");
  find("#about").textContent = "…";
  log.textContent = "Click the figure: the element under the pointer is named here.";
  clips.replaceChildren();
  inputs.replaceChildren();
  own.addEventListener("elementclick", (/** @type {CustomEvent} */ { detail }) => (log.textContent = `Element: ${detail.element}`));
  own.addEventListener("marker", (/** @type {CustomEvent} */ { detail }) => (log.textContent = `Marker: ${detail.name}`));
  own.addEventListener("error", (/** @type {CustomEvent} */ { detail }) => (log.textContent = `${detail.code}: ${detail.message}`));
  const player = await own.ready;
  if (own !== figure) return;
  const about = own.figure;
  const left = about.unsupported.length ? ` Left out: ${about.unsupported.join(", ")}.` : "";
  find("#about").textContent = `${about.width} × ${about.height}, ${about.bones.length} bones, ${about.elements.length} elements.${left}`;
  own.addEventListener("state", (/** @type {CustomEvent} */ { detail }) => (log.textContent = `State: ${detail.name}`));
  clips.replaceChildren(...about.machines.map((/** @type {string} */ machine) => make("button", { type: "button", "aria-pressed": "false", title: "State machine", click: (/** @type {MouseEvent} */ { currentTarget }) => {
    for (const button of clips.children) button.setAttribute("aria-pressed", String(button === currentTarget));
    own.setAttribute("machine", machine);
    own.play();
  } }, `machine ${machine}`)), ...about.clips.map((/** @type {{ name: string, length: number }} */ clip, /** @type {number} */ k) => make("button", { type: "button", "aria-pressed": String(k === 0), title: `${clip.length.toFixed(2)} s`, click: (/** @type {MouseEvent} */ { currentTarget }) => {
    for (const button of clips.children) button.setAttribute("aria-pressed", String(button === currentTarget));
    own.removeAttribute("machine");
    own.setAttribute("clip", clip.name);
    own.play();
  } }, clip.name)));
  inputs.replaceChildren(...about.inputs.map((/** @type {any} */ input) => control(player, input)));
  find("#inputs").hidden = about.inputs.length === 0;
  own.setAttribute("speed", speed.value);
}

speed.addEventListener("input", () => {
  figure?.setAttribute("speed", speed.value);
  /** @type {HTMLElement} */ (speed.nextElementSibling).textContent = Number(speed.value).toFixed(2);
});
gallery.append(...names.map((name) => make("button", { type: "button", value: name, click: () => {
  void choose(name);
  find(".stage").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth", block: "nearest" });
} }, make("bone-layer", { src: `demo/${name}.bones`, decorative: "" }), make("span", {}, name.replace("-", " ")))));
void choose(names.includes("walk") ? "walk" : names[0]);
