// The page: what went wrong is collected first, then the parts are put together.

/** @type {string[]} */
const errors = [];
/** @type {any} */ (window).__errors = errors;
addEventListener("error", (event) => errors.push(event.message));
addEventListener("unhandledrejection", (event) => errors.push(String(event.reason?.stack ?? event.reason)));
addEventListener("securitypolicyviolation", (event) => errors.push(`${event.violatedDirective}: ${event.blockedURI}`));

import { add as addMore, addTime, COMMANDS, listen as listenToKeys, toStart } from "./commands.js";
import { deliver } from "./deliver.js";
import { assign, el, icon, iconButton, patch, short } from "./dom.js";
import { keyBones } from "./grab.js";
import { model } from "./model.js";
import { listen as listenToPlay } from "./player.js";
import { listen as listenToSound, sounds } from "./sound.js";
import "./problems.js";
import "./properties.js";
import "./stage.js";
import "./board.js";
import { listen as keepInStep } from "./step.js";
import { chooseEase, easeNames } from "./timeline.js";
import "./tree.js";

class Toolbar extends HTMLElement {
  connectedCallback() {
    const name = el("h1");
    const saved = el("span", { class: "saved", role: "status" });
    const clips = el("select", { "aria-label": "Clip", onchange: () => (rig().machines[clips.selectedIndex - rig().order.length] ? model.setMachine(clips.value) : model.setClip(clips.value)) });
    const rig = () => /** @type {State} */ (model.rig);
    const pose = el("button", { type: "button", text: "Pose", onclick: () => model.setMode("pose") });
    const setup = el("button", { type: "button", text: "Setup", title: "Setup (Tab)", onclick: () => model.setMode("setup") });
    const added = el("span", {});
    const add = el("button", { type: "button", onclick: addMore }, icon("add"), added);
    const undo = iconButton("undo", "Undo", "Ctrl Z", () => void model.undo());
    const redo = iconButton("redo", "Redo", "Ctrl Shift Z", () => void model.redo());
    const option = (/** @type {string} */ image, /** @type {string} */ label, /** @type {string} */ keys, /** @type {"onion" | "weights" | "rulers"} */ of) => {
      const button = iconButton(image, label, keys, () => model.setOption({ [of]: !model[of] }));
      model.on("tool", () => button.setAttribute("aria-pressed", String(model[of])));
      return button;
    };
    this.append(name, saved, clips, iconButton("add", "New clip", "C", addTime), el("span", { class: "rule" }),
      el("div", { class: "group mode", role: "group", "aria-label": "Mode" }, pose, setup), add, el("span", { class: "rule" }), undo, redo,
      el("span", { class: "rule" }), option("onion", "Onion skin", "O", "onion"), option("weights", "Weights", "W", "weights"), option("ruler", "Rulers", "U", "rulers"),
      el("span", { class: "gap" }),
      el("button", { type: "button", class: "main", onclick: () => void deliver().open() }, icon("deliver"), "Export"),
      iconButton("help", "All keys", "F1", () => /** @type {any} */ (document.querySelector("rig-help")).open()));
    const draw = () => {
      const { rig } = model;
      if (!rig) return;
      name.textContent = rig.rig;
      name.title = rig.files.map((file) => file.name).join("\n");
      const changed = rig.files.some((file) => file.changed);
      const gone = rig.files.find((file) => file.missing);
      const [state, text] = !model.link.connected ? ["away", "connecting …"] : gone ? ["stale", `${gone.name} is missing`] : !rig.good ? ["stale", "mistakes in the text"] : changed ? ["away", "not written"] : ["saved", "in the file"];
      saved.dataset.state = state;
      saved.textContent = text;
      const all = [...rig.order.map((name) => ({ name, kind: rig.clips[name]?.shot ? " (sequence)" : "" })), ...rig.machines.map(({ name }) => ({ name, kind: " (machine)" }))];
      patch(clips, all, ({ name, kind }) => name + kind, ({ name }) => el("option", { value: name }), (option, { name, kind }) => assign(option, { text: name + kind }));
      clips.selectedIndex = all.findIndex(({ name, kind }) => (model.machine === null ? name === model.clip : name === model.machine && kind === " (machine)"));
      clips.disabled = !all.length;
      for (const [button, step, what] of /** @type {const} */ ([[undo, rig.undo[0], "Undo"], [redo, rig.redo, "Redo"]])) {
        button.disabled = !step || !model.editable;
        button.title = step ? `${what}: ${step}` : `Nothing to ${what.toLowerCase()}`;
      }
      pose.setAttribute("aria-pressed", String(model.mode === "pose"));
      setup.setAttribute("aria-pressed", String(model.mode === "setup"));
      added.textContent = rig.scene ? "Actor" : "Bone";
      add.title = rig.scene ? "Add an actor (N)" : "Add bones (N)";
      add.hidden = model.mode !== "setup";
      add.disabled = !model.editable;
      add.setAttribute("aria-pressed", String(model.tool === "add"));
    };
    model.on("rig tool link", draw);
  }
}
customElements.define("rig-toolbar", Toolbar);

class Transport extends HTMLElement {
  connectedCallback() {
    const play = iconButton("play", "Play", "Space", () => model.setPlaying(!model.playing));
    const loop = iconButton("loop", "Loop", "L", () => model.setOption({ looping: !model.looping }));
    const speed = el("select", { "aria-label": "Speed", onchange: () => model.setOption({ speed: Number(speed.value) }) },
      ...[0.1, 0.25, 0.5, 1, 2].map((each) => el("option", { value: each, text: `${each}×`, selected: each === 1 })));
    const sound = el("button", { type: "button", text: "Sound", title: "Whether sounds are heard", onclick: () => model.setOption({ sound: !model.sound }) });
    const frame = el("input", { "aria-label": "Frame", inputmode: "numeric", onchange: () => model.setTime(Number(frame.value) / model.fps || 0) });
    const seconds = el("span", { class: "muted value" });
    const auto = el("button", { type: "button", title: "Auto key (A)", onclick: () => model.setOption({ autokey: !model.autokey }) }, icon("key"), "Auto key");
    const key = el("button", { type: "button", text: "Key", title: "Key the selected bones (I)", onclick: () => void keyBones(model.bones, ["rotate"]) });
    const ease = el("select", { "aria-label": "Ease of the selected keys", onchange: () => {
      chooseEase(easeNames().indexOf(ease.value));
      ease.value = "";
    } }, el("option", { value: "", text: "Ease …" }));
    model.on("rig", () => {
      if (ease.length === 1) ease.append(...easeNames().map((name, at) => el("option", { value: name, text: at < 9 ? `${name} (${at + 1})` : name })));
    });
    const graph = el("button", { type: "button", text: "Curves", title: "Keys or curves (V)", onclick: () => model.setOption({ graph: !model.graph }) });
    this.append(
      iconButton("first", "First frame", "Home", toStart), play, loop, speed, sound, frame, seconds, el("span", { class: "gap" }), auto, key, ease, graph);
    const time = () => {
      if (document.activeElement !== frame) frame.value = short(model.time * model.fps, 1);
      frame.hidden = model.plays;
      seconds.textContent = model.plays ? `${model.run.toFixed(2)} s` : `${model.time.toFixed(2)} of ${short(model.length, 2)} s`;
    };
    const draw = () => {
      time();
      play.replaceChildren(icon(model.playing ? "pause" : "play"));
      play.setAttribute("aria-label", model.playing ? "Pause" : "Play");
      loop.hidden = graph.hidden = auto.hidden = key.hidden = ease.hidden = model.plays;
      loop.setAttribute("aria-pressed", String(model.looping));
      sound.setAttribute("aria-pressed", String(model.sound));
      sound.hidden = !sounds().length;
      auto.setAttribute("aria-pressed", String(model.autokey));
      graph.setAttribute("aria-pressed", String(model.graph));
      key.disabled = !model.editable || !model.bones.length;
      ease.disabled = !model.editable || !model.keys.size;
    };
    model.on("time", time);
    model.on("rig tool play selection link", draw);
  }
}
customElements.define("rig-transport", Transport);

class Splitter extends HTMLElement {
  connectedCallback() {
    const of = this.dataset.of ?? "";
    const upright = of !== "bottom";
    const label = { left: "Width of the lists", right: "Width of the properties", bottom: "Height of the timeline" }[of];
    for (const [name, value] of Object.entries({ role: "separator", tabindex: "0", "aria-orientation": upright ? "vertical" : "horizontal", "aria-label": label })) this.setAttribute(name, value ?? "");
    const size = () => document.getElementById(of)?.getBoundingClientRect()[upright ? "width" : "height"] ?? 0;
    const set = (/** @type {number} */ to) => {
      const most = (upright ? innerWidth : innerHeight) * 0.6;
      document.body.style.setProperty(`--${of}`, `${Math.max(60, Math.min(to, most))}px`);
      this.setAttribute("aria-valuenow", String(Math.round(size())));
    };
    requestAnimationFrame(() => this.setAttribute("aria-valuenow", String(Math.round(size()))));
    const sign = of === "left" ? 1 : -1;
    this.addEventListener("pointerdown", (event) => {
      this.setPointerCapture(event.pointerId);
      const start = size();
      const from = upright ? event.clientX : event.clientY;
      this.onpointermove = (/** @type {PointerEvent} */ moved) => set(start + sign * ((upright ? moved.clientX : moved.clientY) - from));
    });
    this.addEventListener("pointerup", () => {
      this.onpointermove = null;
    });
    this.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -16, ArrowRight: 16, ArrowUp: -16, ArrowDown: 16 }[event.key];
      if (!by) return;
      event.preventDefault();
      set(size() + sign * by);
    });
  }
}
customElements.define("rig-splitter", Splitter);

class Help extends HTMLElement {
  open() {
    const rows = COMMANDS.map(([names, what]) => el("tr", {}, el("td", {}, ...names.flatMap((name) => [el("kbd", { text: name.replace("Arrow", "") }), " "])), el("td", { text: what })));
    const dialog = el("dialog", { "aria-label": "Keys" }, el("h2", { text: "Keys" }), el("table", {}, el("tbody", {}, ...rows)),
      el("footer", {}, el("button", { type: "button", class: "main", text: "Close", onclick: () => dialog.close() })));
    dialog.addEventListener("close", () => dialog.remove());
    this.append(dialog);
    dialog.showModal();
  }
}
customElements.define("rig-help", Help);

listenToKeys();
listenToPlay();
listenToSound();
keepInStep();
model.connect();
