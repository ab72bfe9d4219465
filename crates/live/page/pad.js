// A field of two inputs between which clips are blended: a point is dragged among the places of the clips.

import { el } from "./dom.js";
import { model } from "./model.js";

/** Sizes of the field, and its margin, CSS pixels. */
const SIZE = /** @type {const} */ ([240, 150]), EDGE = 12;

/** What a pad shows: its two inputs, their ranges, and the places of clips. @typedef {{ inputs: [MachineKnob, MachineKnob], places: { at: Pair, clip: string }[] }} PadFacts */

/** The pairs of inputs that blend clips in a machine, each once. @param {MachineFacts | null} machine @returns {PadFacts[]} */
export function pads(machine) {
  const all = /** @type {Map<string, PadFacts>} */ (new Map());
  for (const { by, at, clips } of machine?.layers.flatMap(({ states }) => states) ?? []) {
    const [x, y] = by.map((name) => machine?.inputs.find((input) => input.name === name));
    if (!x || !y) continue;
    const pad = all.get(JSON.stringify(by)) ?? { inputs: [x, y], places: [] };
    pad.places.push(...at.map((place, index) => ({ at: place, clip: clips[index] })));
    all.set(JSON.stringify(by), pad);
  }
  return [...all.values()];
}

class Pad extends HTMLElement {
  /** @type {PadFacts | null} */
  #facts = null;
  #point = el("button", { type: "button", class: "point" });
  #places = el("div", {});

  connectedCallback() {
    this.append(this.#places, this.#point);
    this.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      this.setPointerCapture(event.pointerId);
      this.#point.focus({ preventScroll: true });
      this.#to(event);
    });
    this.addEventListener("pointermove", (event) => this.hasPointerCapture(event.pointerId) && this.#to(event));
    this.addEventListener("keydown", (event) => {
      const [x, y] = /** @type {Record<string, Pair>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] })[event.key] ?? [0, 0];
      if (!x && !y || !this.#facts) return;
      event.preventDefault();
      event.stopPropagation();
      const now = this.#values();
      this.#set([x, y].map((by, axis) => now[axis] + by * this.#wide(axis) * (event.shiftKey ? 0.1 : 0.02)));
    });
  }

  /** @param {PadFacts} facts */
  show(facts) {
    this.#facts = facts;
    const names = facts.inputs.map(({ name }) => name);
    this.#places.replaceChildren(...facts.places.map(({ at, clip }) => {
      // Its name is on the side where there is more room.
      const place = el("span", { class: `place${this.#put(this.#point, at) > 0.5 ? " left" : ""}`, text: clip });
      this.#put(place, at);
      return place;
    }));
    this.title = `${names[0]} to the right, ${names[1]} up`;
    const now = this.#values();
    this.#put(this.#point, now);
    this.#point.setAttribute("aria-label", `${names.join(" and ")}: ${now.map((each) => each.toFixed(2)).join(", ")}. Arrows move it.`);
  }

  /** @returns {number[]} */
  #values() {
    return this.#facts?.inputs.map(({ name, rest }) => model.inputs[name] ?? rest) ?? [0, 0];
  }

  /** @param {number} axis */
  #wide(axis) {
    const [least, most] = this.#facts?.inputs[axis].range ?? [0, 1];
    return most - least;
  }

  /** Puts something at values of both inputs; how far to the right that is. @param {HTMLElement} node @param {number[]} at */
  #put(node, at) {
    const [x, y] = at.map((value, axis) => (value - (this.#facts?.inputs[axis].range[0] ?? 0)) / this.#wide(axis));
    node.style.left = `${EDGE + x * (SIZE[0] - 2 * EDGE)}px`;
    node.style.top = `${SIZE[1] - EDGE - y * (SIZE[1] - 2 * EDGE)}px`;
    return x;
  }

  /** @param {PointerEvent} event */
  #to(event) {
    const box = this.getBoundingClientRect();
    const [left, top] = [box.left + this.clientLeft, box.top + this.clientTop];
    const shares = [(event.clientX - left - EDGE) / (SIZE[0] - 2 * EDGE), (top + SIZE[1] - EDGE - event.clientY) / (SIZE[1] - 2 * EDGE)];
    this.#set(shares.map((share, axis) => (this.#facts?.inputs[axis].range[0] ?? 0) + share * this.#wide(axis)));
  }

  /** @param {number[]} values */
  #set(values) {
    if (!this.#facts) return;
    this.#facts.inputs.forEach(({ name, range: [least, most] }, axis) => model.setInput(name, Math.max(least, Math.min(values[axis], most))));
    this.show(this.#facts);
  }
}
customElements.define("rig-pad", Pad);
