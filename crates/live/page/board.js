// State machines: their states as boxes, what leads from one to another as arrows. A drag from box to box leads there.

import { el, short, svg } from "./dom.js";
import { addArrow, conditionText, layerName, machine } from "./machine.js";
import { model } from "./model.js";

/** Sizes of a box and of the space around it, CSS pixels. */
const WIDTH = 132, HEIGHT = 46, ACROSS = 150, DOWN = 40, EDGE = 16;
/** The space below the name of a layer. */
const HEAD = 26;
/** Arrows between the same two boxes are this far apart. */
const APART = 14;

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
  /** Whether a drag ends, and not a click. */
  #dragged = false;
  /** The last states of the layers. @type {string[]} */
  #seen = [];

  connectedCallback() {
    model.on("rig tool", () => this.#draw());
    model.on("posed", () => this.#mark());
    model.on("selection", () => this.#choose());
    this.addEventListener("click", ({ target }) => {
      const of = (/** @type {string} */ what) => /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest(what))?.dataset;
      const [state, arrow, layer] = [of("[data-state]"), of("[data-arrow]"), of("h2[data-layer]")];
      if (this.#dragged) this.#dragged = false;
      else if (state) model.pickState({ layer: Number(state.layer), state: state.state });
      else if (arrow) model.pickState({ layer: Number(arrow.layer), arrow: Number(arrow.arrow) });
      else model.pickState(layer ? { layer: Number(layer.layer) } : null);
    });
    this.addEventListener("pointerdown", (event) => this.#down(event));
  }

  /** From a state to another one: it leads there. @param {PointerEvent} event */
  #down(event) {
    const box = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".state[data-state]"));
    const field = box?.parentElement;
    this.#dragged = false;
    if (!box || !field || event.button !== 0) return;
    const { left, top } = field.getBoundingClientRect();
    const start = [box.offsetLeft + WIDTH / 2, box.offsetTop + HEIGHT / 2];
    const line = svg("path", { class: "arrow taken" });
    /** @param {PointerEvent} moved @returns {HTMLElement | null} */
    const below = (moved) => {
      const other = /** @type {HTMLElement | null | undefined} */ (document.elementFromPoint(moved.clientX, moved.clientY)?.closest(".state[data-state]"));
      return other && other !== box && other.parentElement === field ? other : null;
    };
    const move = (/** @type {PointerEvent} */ moved) => {
      if (!this.#dragged && Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) < 5) return;
      this.#dragged = true;
      field.querySelector("svg")?.append(line);
      line.setAttribute("d", `M${start}L${[moved.clientX - left, moved.clientY - top]}`);
      const other = below(moved);
      model.announce(other ? `From ${box.dataset.state} to ${other.dataset.state}` : "Drop it on the state to which it leads");
    };
    const stop = (/** @type {PointerEvent} */ ended) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", stop);
      removeEventListener("pointercancel", stop);
      line.remove();
      const other = this.#dragged && ended.type === "pointerup" ? below(ended) : null;
      if (other) void addArrow(Number(box.dataset.layer), box.dataset.state ?? "", other.dataset.state ?? "");
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
    addEventListener("pointercancel", stop);
  }

  /** Marks what is chosen. */
  #choose() {
    const { picked } = model;
    for (const each of this.querySelectorAll("[data-layer]")) {
      const { layer, state, arrow } = /** @type {HTMLElement} */ (each).dataset;
      each.classList.toggle("chosen", !!picked && Number(layer) === picked.layer && state === picked.state && arrow === (picked.arrow === undefined ? undefined : String(picked.arrow)));
    }
  }

  #draw() {
    const now = model.mode === "pose" ? machine() : null;
    document.body.classList.toggle("with-machine", !!now);
    if (now === this.#drawn) return;
    this.#drawn = now;
    this.replaceChildren(...(now?.layers ?? []).map((layer, at) => this.#layer(layer, at)));
    this.#seen = [];
    this.#mark();
    this.#choose();
  }

  /** @param {StatesFacts} layer @param {number} index */
  #layer(layer, index) {
    const { all, width, height } = places(layer);
    const title = layerName(layer, index);
    const lines = svg("svg", { width, height, "aria-hidden": "true" });
    const words = /** @type {HTMLElement[]} */ ([]);
    const between = /** @type {Map<string, number>} */ (new Map());
    layer.arrows.forEach(({ from, to, when, fade }, arrow) => {
      const [start, end] = [all.get(from), all.get(to)];
      if (!start || !end) return;
      const pair = JSON.stringify([from, to]);
      const beside = between.get(pair) ?? 0;
      between.set(pair, beside + 1);
      const { d, middle } = way(start, end, beside);
      lines.append(svg("path", { d, class: "arrow", "data-way": JSON.stringify([from, to]) }));
      const text = when.map(conditionText).join(", ") || "at once";
      const label = el("button", { type: "button", class: "condition", "data-layer": index, "data-arrow": arrow, title: `${from ?? "any other"} to ${to}: ${text}${fade ? `, fade ${short(fade, 3)} s` : ""}` }, el("span", { text }));
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
        ? el("button", { type: "button", class: "state", "data-layer": index, "data-state": own.name, title: `${own.name} plays ${clips}. Drag it to another state: it leads there` }, el("b", { text: own.name }), el("small", { text: clips }))
        : el("span", { class: "state any" }, el("b", { text: "any other" }));
      if (own?.name === layer.start) box.classList.add("start");
      box.style.left = `${x}px`;
      box.style.top = `${y}px`;
      return box;
    });
    const field = el("div", { class: "states", role: "group", "aria-label": title, "data-states": index }, el("h2", { text: title, "data-layer": index }), lines, ...boxes, ...words);
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
