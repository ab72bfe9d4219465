// Frames and files from the page, with progress; and this frame for the clipboard.

import { el } from "./dom.js";
import { model } from "./model.js";

/** Endings of files, with their names and further options. @typedef {[string, string, string[]]} Format */
/** Files of single frames. @type {Format[]} */
const FRAMES = [["/{clip}_####.png", "PNG frames", []], ["/{clip}_####.svg", "Posed SVG frames", ["--format", "svg"]]];

/** The exit code where an output is there already, or is what the rig is made of. */
const EXISTS = 2;

class Deliver extends HTMLElement {
  #dialog = el("dialog", { "aria-label": "Export" });
  #running = "";
  /** @type {Format[]} */
  #formats = [];
  /** Exports over what is there. */
  #replace = () => {};
  /** The number of the frame that is to be copied. */
  #asked = 0;

  connectedCallback() {
    this.append(this.#dialog);
    model.handlers.set("progress", (message) => this.#progress(message.line));
    model.handlers.set("exported", (message) => this.#ended(message));
    model.handlers.set("png", ({ seq, png }) => {
      if (seq === this.#asked) void this.#copied(png);
    });
  }

  async open() {
    const { formats } = await model.link.ask({ t: "formats" });
    this.#formats = [...FRAMES, ...formats ?? []];
    const clip = model.clip ?? "";
    const select = (/** @type {string} */ id, /** @type {string} */ label, /** @type {[string, string][]} */ options, /** @type {string} */ value) => el("div", { class: "field" },
      el("label", { for: id, text: label }), el("select", { id, onchange: name }, ...options.map(([key, text]) => el("option", { value: key, text, selected: key === value }))));
    const input = (/** @type {string} */ id, /** @type {string} */ label, /** @type {string} */ value) => el("div", { class: "field" },
      el("label", { for: id, text: label }), el("input", { id, value, autocomplete: "off" }));
    const get = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (this.#dialog.querySelector(`#${id}`)).value;
    const name = () => {
      const output = /** @type {HTMLInputElement} */ (this.#dialog.querySelector("#x-output"));
      const format = get("x-format");
      output.value = `out/${format.startsWith("/") ? format.slice(1) : `${get("x-clip") || "frames"}${format}`}`;
    };
    const clips = (model.rig?.order ?? []).map((each) => /** @type {[string, string]} */ ([each, each]));
    const start = (replace = false) => {
      const args = ["--scale", get("x-scale"), ...(get("x-clip") ? ["--clip", get("x-clip")] : []), ...(get("x-background") ? ["--background", get("x-background")] : [])];
      args.push(...(this.#formats.find(([end]) => end === get("x-format"))?.[2] ?? []));
      this.#running = `x${Date.now().toString(36)}`;
      const output = get("x-output").replace("{clip}", get("x-clip"));
      model.link.send({ t: "export", id: this.#running, output, args, replace });
      this.#progress("Starting …");
    };
    this.#replace = () => start(true);
    this.#dialog.replaceChildren(el("h2", { text: "Export" }),
      select("x-clip", "Clip", clips, clip), select("x-format", "Format", this.#formats.map(([end, label]) => [end, label]), ".gif"),
      input("x-scale", "Scale", "1"), input("x-background", "Background", ""), input("x-output", "File", `out/${clip || "frames"}.gif`),
      el("p", { class: "muted", text: "Files lie beside the rig. Without a background they are transparent where the format can be." }),
      el("div", { id: "x-state", role: "status", "aria-live": "polite" }),
      el("footer", {},
        el("button", { type: "button", text: "Copy frame", onclick: () => this.copyFrame() }),
        el("button", { type: "button", text: "Copy posed SVG", onclick: () => void this.copySvg() }),
        el("span", { class: "gap" }),
        el("button", { type: "button", id: "x-stop", text: "Stop", hidden: true, onclick: () => model.link.send({ t: "stop", id: this.#running }) }),
        el("button", { type: "button", text: "Close", onclick: () => this.#dialog.close() }),
        el("button", { type: "button", id: "x-start", class: "main", autofocus: true, text: "Export", onclick: () => start() })));
    this.#dialog.showModal();
  }

  /** @param {string} line @param {boolean} [ended] */
  #progress(line, ended = false) {
    const state = this.#dialog.querySelector("#x-state");
    if (!state) return;
    const [done, all] = (line.match(/(\d+) of (\d+)/) ?? []).slice(1).map(Number);
    const bar = el("progress", { "aria-label": "Progress", ...(all ? { max: all, value: done } : ended ? { max: 1, value: 1 } : {}) });
    state.replaceChildren(...(ended ? [] : [bar]), el("p", { text: line }));
    /** @type {HTMLElement} */ (this.#dialog.querySelector("#x-stop")).hidden = ended;
    /** @type {HTMLButtonElement} */ (this.#dialog.querySelector("#x-start")).disabled = !ended;
  }

  /** @param {Message} message */
  #ended({ id, code, output, why }) {
    if (id !== this.#running) return;
    const text = code === 0 ? `Written: ${output}` : code === null ? "Stopped" : `It failed: ${why ?? `code ${code}`}`;
    this.#progress(text, true);
    if (code === EXISTS) this.#dialog.querySelector("#x-state")?.append(el("button", { type: "button", id: "x-replace", text: "Replace it", onclick: this.#replace }));
    model.announce(text);
  }

  copyFrame() {
    const [, , width, height] = model.rig?.canvas ?? [0, 0, 1, 1];
    const scale = model.rig ? model.rig.size[0] / width : 1;
    this.#asked = model.link.next();
    model.link.send({ t: "png", seq: this.#asked, clip: model.shown, time: model.time, pose: model.pose, size: [Math.round(width * scale), Math.round(height * scale)] });
  }

  /** @param {Blob} png */
  async #copied(png) {
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
      model.announce("The frame is in the clipboard, as PNG");
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      model.note({ kind: "error", text: `Not copied: ${message}` });
    }
  }

  async copySvg() {
    const answer = await model.link.ask({ t: "svg", clip: model.shown, time: model.time, pose: model.pose });
    if (answer.t !== "svg") return;
    try {
      await navigator.clipboard.writeText(answer.text);
      model.announce("The posed SVG is in the clipboard");
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      model.note({ kind: "error", text: `Not copied: ${message}` });
    }
  }
}
customElements.define("rig-deliver", Deliver);

/** @returns {Deliver} */
export const deliver = () => /** @type {Deliver} */ (document.querySelector("rig-deliver"));
