// What the engine finds in the text, notes that need an answer, and the line at the bottom that is read out.

import { el } from "./dom.js";
import { model } from "./model.js";

class Problems extends HTMLElement {
  connectedCallback() {
    model.on("rig", () => this.#draw());
  }

  #draw() {
    const { rig } = model;
    const findings = rig?.findings?.findings ?? [];
    this.hidden = !findings.length;
    const errors = rig?.findings?.errors ?? 0;
    const items = findings.map((/** @type {any} */ found) => {
      const { file, line, column } = found.place ?? {};
      const known = rig?.files.find(({ name }) => file === name || file?.endsWith(`/${name}`));
      const place = file ? `${known?.name ?? file}:${line}:${column}` : "";
      const cures = [found.help ?? []].flat();
      return el("li", { class: found.severity },
        el("div", {}, el("strong", { text: `${found.severity}: ` }), el("span", { text: found.message })),
        place && el("div", { class: "place", text: place }),
        ...cures.map((/** @type {string} */ cure) => el("div", { class: "cure", text: cure })));
    });
    const count = el("span", { class: errors ? "count errors" : "count", text: String(findings.length) });
    const stale = rig && !rig.good && el("p", { class: "why", text: `The picture is the last one without mistakes. Editing is off until the text is corrected.` });
    this.replaceChildren(el("div", { class: "head" }, el("h2", { text: "Problems" }), count), el("ol", { "aria-label": "Problems" }, stale ? el("li", {}, stale) : "", ...items));
    const first = findings.find((/** @type {any} */ each) => each.severity === "error");
    if (errors) model.announce(`${errors} ${errors === 1 ? "error" : "errors"} in the text: ${first?.message}`);
  }
}
customElements.define("rig-problems", Problems);

class Notes extends HTMLElement {
  connectedCallback() {
    this.setAttribute("role", "log");
    this.setAttribute("aria-live", "polite");
    model.on("note", (note) => this.#add(note));
    model.on("rig", () => {
      for (const file of model.rig?.files ?? []) {
        if (!file.conflict) this.#remove(`conflict ${file.name}`);
        if (!file.missing) this.#remove(`missing ${file.name}`);
      }
      this.#remove("address");
      if (!model.rig?.journal) this.#remove("journal");
      if (!model.rig?.files.some((file) => file.changed)) this.#remove("unsaved");
    });
  }

  /** @param {string} id */
  #remove(id) {
    for (const card of this.children) if (/** @type {HTMLElement} */ (card).dataset.id === id) card.remove();
  }

  /** @param {Note} note */
  #add(note) {
    if (note.id) this.#remove(note.id);
    const close = () => card.remove();
    const { choice } = note;
    /** @type {[string, () => void][]} */
    const actions = choice ? [["Keep yours (Enter)", choice[0]], ["Take theirs (Esc)", choice[1]]] : [...(note.actions ?? []), [note.stays ? "Later" : "Close", () => {}]];
    const card = el("div", { class: `card ${note.kind}`, "data-id": note.id },
      el("p", { text: note.text }),
      ...(note.help ?? []).map((line) => el("p", { class: "muted", text: line })),
      el("div", { class: "actions" }, ...actions.map(([name, act]) => el("button", {
        type: "button", text: name, onclick: () => {
          close();
          act();
        },
      }))));
    this.append(card);
    if (choice) this.#choose(card, choice, close);
    if (!note.stays) setTimeout(close, 9000);
  }

  /**
   * A card at the pointer that Enter and Esc answer.
   * @param {HTMLElement} card @param {[() => void, () => void]} choice @param {() => void} close
   */
  #choose(card, choice, close) {
    const stage = /** @type {import("./stage.js").Stage} */ (document.querySelector("rig-stage"));
    const box = stage.getBoundingClientRect();
    const [x, y] = stage.grab.pointer;
    card.classList.add("here");
    card.style.left = `${Math.min(box.x + x, innerWidth - card.offsetWidth)}px`;
    card.style.top = `${Math.min(box.y + y, innerHeight - card.offsetHeight)}px`;
    card.tabIndex = -1;
    card.onkeydown = (event) => {
      const at = ["Enter", "Escape"].indexOf(event.key);
      // On a button, Enter presses that.
      if (at < 0 || (!at && event.target !== card)) return;
      event.stopPropagation();
      close();
      choice[at]();
      stage.focus();
    };
    card.focus();
  }

  clear() {
    this.querySelectorAll(".card:not(.conflict)").forEach((card) => card.remove());
  }
}
customElements.define("rig-notes", Notes);

class Status extends HTMLElement {
  connectedCallback() {
    const line = el("span", { class: "line", role: "status", "aria-live": "polite" });
    this.append(line);
    model.on("status", (text) => {
      line.textContent = text;
    });
  }
}
customElements.define("rig-status", Status);
