// State machines: their states as boxes, what leads from one to another as arrows, and their inputs to play with.

import { el, short, svg } from "./dom.js";
import { model } from "./model.js";
import { ask, field } from "./setup.js";

/** Sizes of a box and of the space around it, CSS pixels. */
const WIDTH = 132, HEIGHT = 46, ACROSS = 150, DOWN = 40, EDGE = 16;
/** The space below the name of a layer. */
const HEAD = 26;
/** Arrows between the same two boxes are this far apart. */
const APART = 14;

/** @returns {MachineFacts | null} */
const machine = () => model.rig?.machines.find(({ name }) => name === model.machine) ?? null;

/** Where the boxes of a layer are: a column for each step from the start, the state "any other" in front. @param {StatesFacts} layer */
function places(layer) {
  /** @type {Map<string | null, Pair>} */
  const all = new Map();
  const counts = /** @type {number[]} */ ([]);
  const put = (/** @type {string | null} */ name, /** @type {number} */ column) => {
    const row = counts[column] ?? 0;
    counts[column] = row + 1;
    all.set(name, [EDGE + column * (WIDTH + ACROSS), HEAD + row * (HEIGHT + DOWN)]);
  };
  const first = layer.arrows.some(({ from }) => from === null) ? 1 : 0;
  if (first) put(null, 0);
  let column = first;
  let now = [layer.start];
  while (now.length) {
    for (const name of now) put(name, column);
    const next = layer.arrows.filter(({ from }) => from !== null && now.includes(from)).map(({ to }) => to);
    now = layer.states.map(({ name }) => name).filter((name) => next.includes(name) && !all.has(name));
    column += 1;
  }
  // Those to which only "any other" or nothing leads.
  const rest = layer.states.map(({ name }) => name).filter((name) => !all.has(name));
  for (const name of rest) put(name, Math.max(column, 1));
  return { all, width: EDGE + counts.length * (WIDTH + ACROSS) - ACROSS + EDGE, height: HEAD + Math.max(1, ...counts) * (HEIGHT + DOWN) };
}

/** The way of an arrow from box to box, beside others between the same two, and the place of its words. @param {Pair} from @param {Pair} to @param {number} at @returns {{ d: string, middle: Pair }} */
function way([x0, y0], [x1, y1], at) {
  const side = (at + 0.5) * APART;
  const flat = x0 !== x1;
  const right = x1 > x0;
  const down = y1 > y0;
  // On the right of the way: two arrows between two boxes do not meet.
  const start = flat ? [right ? x0 + WIDTH : x0, y0 + HEIGHT / 2 + (right ? side : -side)] : [x0 + WIDTH / 2 - (down ? side : -side), down ? y0 + HEIGHT : y0];
  const end = flat ? [right ? x1 : x1 + WIDTH, y1 + HEIGHT / 2 + (right ? side : -side)] : [x1 + WIDTH / 2 - (down ? side : -side), down ? y1 : y1 + HEIGHT];
  const far = Math.abs(x1 - x0) > WIDTH + ACROSS + 1;
  const middle = /** @type {Pair} */ ([(start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + (far ? (right ? 1 : -1) * (HEIGHT / 2 + DOWN / 2) : 0)]);
  return { d: far ? `M${start}Q${middle[0]} ${2 * middle[1] - (start[1] + end[1]) / 2} ${end}` : `M${start}L${end}`, middle };
}

class Board extends HTMLElement {
  /** What was drawn. @type {MachineFacts | null} */
  #drawn = null;
  /** The last states of the layers. @type {string[]} */
  #seen = [];

  connectedCallback() {
    model.on("rig tool", () => this.#draw());
    model.on("posed", () => this.#mark());
    this.addEventListener("click", ({ target }) => {
      const data = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest("[data-state]"))?.dataset;
      if (data) void change(Number(data.layer), data.state ?? "");
    });
  }

  #draw() {
    const now = model.mode === "pose" ? machine() : null;
    document.body.classList.toggle("with-machine", !!now);
    if (now === this.#drawn) return;
    this.#drawn = now;
    this.replaceChildren(...(now?.layers ?? []).map((layer, at) => this.#layer(layer, at)));
    this.#seen = [];
    this.#mark();
  }

  /** @param {StatesFacts} layer @param {number} index */
  #layer(layer, index) {
    const { all, width, height } = places(layer);
    const title = index ? `Layer ${index}: ${layer.bones.join(", ") || "all bones"}${layer.add ? ", added" : ""}` : "Whole figure";
    const lines = svg("svg", { width, height, "aria-hidden": "true" });
    const words = /** @type {HTMLElement[]} */ ([]);
    const between = /** @type {Map<string, number>} */ (new Map());
    layer.arrows.forEach(({ from, to, when, fade }) => {
      const [start, end] = [all.get(from), all.get(to)];
      if (!start || !end) return;
      const pair = JSON.stringify([from, to]);
      const beside = between.get(pair) ?? 0;
      between.set(pair, beside + 1);
      const { d, middle } = way(start, end, beside);
      lines.append(svg("path", { d, class: "arrow", "data-way": JSON.stringify([from, to]) }));
      const text = when.join(", ") || "at once";
      const label = el("span", { class: "condition", text, title: `${from ?? "any other"} to ${to}: ${text}${fade ? `, fade ${short(fade, 3)} s` : ""}` });
      label.style.left = `${middle[0]}px`;
      label.style.top = `${middle[1]}px`;
      words.push(label);
    });
    lines.prepend(svg("defs", {}, svg("marker", { id: `head-${index}`, viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { d: "M0 0 8 4 0 8Z", class: "arrowhead" }))));
    for (const line of lines.querySelectorAll(".arrow")) line.setAttribute("marker-end", `url(#head-${index})`);
    const boxes = [...all].map(([name, [x, y]]) => {
      const own = layer.states.find((state) => state.name === name);
      const clips = own?.clips.length ? `${own.clips.join(", ")}${own.by.length ? ` by ${own.by.join(", ")}` : ""}` : "nothing";
      const box = own
        ? el("button", { type: "button", class: "state", "data-layer": index, "data-state": own.name, title: `${own.name} plays ${clips}. Click: rename or delete it` }, el("b", { text: own.name }), el("small", { text: clips }))
        : el("span", { class: "state any" }, el("b", { text: "any other" }));
      if (own?.name === layer.start) box.classList.add("start");
      box.style.left = `${x}px`;
      box.style.top = `${y}px`;
      return box;
    });
    const field = el("div", { class: "states", role: "group", "aria-label": title }, el("h2", { text: title }), lines, ...boxes, ...words);
    field.style.width = `${width}px`;
    field.style.height = `${height}px`;
    return field;
  }

  /** Marks the states that are seen, and the arrows by which they were entered. */
  #mark() {
    const seen = model.posed?.states ?? [];
    if (!this.#drawn || String(seen) === String(this.#seen)) return;
    [...this.children].forEach((field, layer) => {
      for (const box of field.querySelectorAll(".state[data-state]")) {
        const is = /** @type {HTMLElement} */ (box).dataset.state === seen[layer];
        box.classList.toggle("now", is);
        if (is) box.setAttribute("aria-current", "step");
        else box.removeAttribute("aria-current");
      }
      if (seen[layer] === this.#seen[layer]) return;
      for (const line of field.querySelectorAll("[data-way]")) {
        const [from, to] = JSON.parse(line.getAttribute("data-way") ?? "[]");
        line.classList.toggle("taken", to === seen[layer] && (from === null || from === this.#seen[layer]));
      }
    });
    this.#seen = seen;
  }
}
customElements.define("rig-board", Board);

/** Another name for a state, or none: then what leads to it goes, too. @param {number} layer @param {string} name */
async function change(layer, name) {
  const within = machine()?.layers[layer]?.at;
  const answer = within && await ask(`State ${name}`, [field("name", "Name", name), el("p", { class: "muted", text: "Transitions follow the name; with the state they are deleted." })], "Rename", "Delete");
  if (!answer || !model.mayEdit()) return;
  const to = answer.name.trim();
  if (answer.other) return void model.edit(`Delete state ${name}`, [{ op: "Delete", of: "state", name, dependants: true, within }]);
  if (to && to !== name) await model.edit(`Rename state ${name} to ${to}`, [{ op: "Rename", of: "state", from: name, to, within }]);
}

/** The fields of the inputs. @returns {Field[]} */
export function inputFields() {
  return (machine()?.inputs ?? []).map(({ name, kind, rest, range }) => {
    const of = /** @type {Owner} */ ({ what: "input", name });
    const value = model.inputs[name] ?? rest;
    if (kind === "trigger") return /** @type {Field} */ ({ of, label: name, kind: "actions", buttons: [["fire", name, `Sets ${name}`]] });
    return /** @type {Field} */ (kind === "flag" ? { of, label: name, kind: "flag", values: [value !== 0] } : { of, label: name, kind: "slider", values: [value], range });
  });
}
