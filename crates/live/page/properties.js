// The numbers of what is selected, to be read and typed.

import { el, icon, short } from "./dom.js";
import { bind, describe, keyBones } from "./grab.js";
import { model } from "./model.js";
import { deleteBones, renameBone, renameClip } from "./setup.js";

/** The states of a channel: three shapes, three colours. */
const STATES = { none: "not keyed", changed: "changed, not keyed", keyed: "keyed here" };
/** @type {[string, string, any][]} */
const CHANNELS = [["rotate", "Rotate", 0], ["move", "Move", [0, 0]], ["scale", "Scale", [1, 1]], ["stretch", "Stretch", 1]];

class Properties extends HTMLElement {
  #key = "";

  connectedCallback() {
    model.on("rig selection tool posed", () => this.#draw());
  }

  #draw() {
    if (model.playing || (this.contains(document.activeElement) && document.activeElement instanceof HTMLInputElement)) return;
    const bone = model.active;
    const art = model.rig?.art.find((each) => each.address === model.arts[model.arts.length - 1]);
    const contents = [];
    if (bone) contents.push(...(model.mode === "setup" ? this.#setup(bone) : this.#pose(bone)));
    if (art) contents.push(...this.#art(art));
    if (!contents.length) contents.push(...this.#clip());
    // The same again is not put in again: the focus stays.
    const key = contents.map((node) => node.outerHTML + [...node.querySelectorAll("input")].map((input) => input.value).join()).join();
    if (key === this.#key) return;
    this.#key = key;
    const focused = /** @type {HTMLElement | null} */ (this.contains(document.activeElement) ? document.activeElement : null)?.id;
    this.replaceChildren(el("div", { class: "head" }, el("h2", { text: bone ? bone.name : art ? (art.label ?? art.address) : model.clip ? `Clip ${model.clip}` : "Properties" })), el("div", { class: "props" }, ...contents));
    if (focused) document.getElementById(focused)?.focus();
  }

  /** @param {string} label @param {number[]} values @param {(values: number[]) => void} set @param {Node} [more] */
  #numbers(label, values, set, more) {
    const inputs = values.map((value, index) => {
      const input = el("input", {
        id: `p-${label}-${index}`, inputmode: "decimal", value: short(value, 3), disabled: !model.editable,
        "aria-label": values.length > 1 ? `${label} ${"xy"[index]}` : label,
        onchange: () => {
          const typed = inputs.map((each) => Number(each.value.replace(",", ".")));
          if (typed.every(Number.isFinite)) set(typed);
          else input.value = short(value, 3);
        },
        onkeydown: (/** @type {KeyboardEvent} */ event) => {
          const step = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (event.key === "Enter" || event.key === "Escape") {
            if (event.key === "Escape") input.value = short(value, 3);
            input.blur();
          }
          if (!step) return;
          event.preventDefault();
          input.value = short(Number(input.value) + step * (event.shiftKey ? 10 : label === "Scale" || label === "Stretch" ? 0.1 : 1), 3);
        },
      });
      return input;
    });
    return el("div", { class: "field", role: "group", "aria-label": label }, el("span", { class: "label", text: label }), el("div", { class: "pair" }, ...inputs), more);
  }

  /** @param {Bone} bone */
  #pose(bone) {
    const values = model.posed?.values?.[bone.name] ?? {};
    const editable = !!model.clipInfo?.editable;
    const rows = CHANNELS.map(([channel, label, rest]) => {
      const { v, here, changed } = values[channel] ?? { v: rest, here: false, changed: false };
      const state = changed ? "changed" : here ? "keyed" : "none";
      const pair = Array.isArray(rest);
      const key = el("button", {
        type: "button", class: "keystate", "data-state": state, disabled: !editable, "aria-label": `Key ${label}: ${STATES[state]}`,
        id: `k-${channel}`, title: `${STATES[state]}; click to ${state === "keyed" ? "delete the key" : "key it (I)"}`,
        onclick: () => {
          if (state !== "keyed") return void keyBones([bone.name], [channel]);
          const track = model.tracks().find((each) => each.path[2] === "bones" && each.path[3] === bone.name && each.path[4] === channel);
          if (track) void model.edit(`Delete key of ${bone.name} ${channel}`, [{ op: "DeleteKey", channel: track.path, time: model.time }]);
        },
      }, icon({ none: "none", changed: "changed", keyed: "key" }[state]));
      return this.#numbers(label, pair ? v : [v], (typed) => {
        const value = pair ? typed : typed[0];
        model.pose = { ...model.pose, [bone.name]: { ...model.pose[bone.name], [channel]: value } };
        if (model.autokey && editable) void keyBones([bone.name], [channel]);
        else model.emit("time");
      }, key);
    });
    const held = bone.held.length && el("p", { class: "why", text: `Held by ${bone.held.join(", ")}: drag its tip or its goal.` });
    const shot = !editable && el("p", { class: "why", text: model.clipInfo ? "A sequence has no keys of its own: choose one of its clips." : "There is no clip: add one above." });
    const unkeyed = Object.entries(model.pose).map(([name, changed]) => `${name}: ${describe(changed)}`);
    const note = unkeyed.length && el("p", { class: "why", text: `Changed, not keyed: ${unkeyed.join("; ")}` });
    return /** @type {HTMLElement[]} */ ([...rows, held, shot, note].filter(Boolean));
  }

  /** @param {Bone} bone */
  #setup(bone) {
    const at = ["bones", bone.name];
    const set = (/** @type {string} */ name, /** @type {any} */ value) =>
      void model.edit(`${name} of ${bone.name}`, [value === null ? { op: "Remove", at: [...at, name] } : { op: "Set", at: [...at, name], value }]);
    const place = (/** @type {any} */ ends) => void model.edit(`Place ${bone.name}`, [{ op: "PlaceBone", bone: bone.name, from: null, to: null, ...ends }]);
    const joints = ["Pin", "Free", "Slide", "Fixed"];
    const joint = joints.find((each) => each.toLowerCase() === bone.joint) ?? "Pin";
    const parents = [null, ...(model.rig?.bones ?? []).map((each) => each.name).filter((name) => name !== bone.name)];
    const select = (/** @type {string} */ label, /** @type {(string | null)[]} */ options, /** @type {string | null} */ value, /** @type {(v: string) => void} */ act) =>
      el("div", { class: "field" }, el("label", { for: `p-${label}`, text: label }), el("select", {
        id: `p-${label}`, disabled: !model.editable, onchange: (/** @type {Event} */ event) => act(/** @type {HTMLSelectElement} */ (event.target).value),
      }, ...options.map((option) => el("option", { value: option ?? "", text: option ?? "none", selected: option === value }))));
    const [x, y] = [bone.to[0] - bone.from[0], bone.to[1] - bone.from[1]];
    const turned = (/** @type {number} */ length, /** @type {number} */ degrees) => {
      const angle = (degrees * Math.PI) / 180;
      return { to: [bone.from[0] + length * Math.cos(angle), bone.from[1] + length * Math.sin(angle)].map((v) => Number(v.toFixed(3))) };
    };
    const angle = (Math.atan2(y, x) * 180) / Math.PI;
    return [
      this.#numbers("Joint", bone.from, (from) => place({ from, to: bone.to })),
      this.#numbers("Tip", bone.to, (to) => place({ to })),
      this.#numbers("Length", [bone.length], ([length]) => place(turned(length, angle))),
      this.#numbers("Angle", [angle], ([degrees]) => place(turned(Math.hypot(x, y), degrees))),
      select("Parent", parents, bone.parent, (parent) => void model.edit(`Parent of ${bone.name}`, [{ op: "SetParent", bone: bone.name, parent: parent || null, keep_place: true }])),
      select("Moves as", joints, joint, (word) => set("joint", word === "Pin" ? null : { word })),
      this.#numbers("Limits", bone.limits ?? [-180, 180], (limits) => set("limits", limits)),
      el("div", { class: "actions" },
        el("button", { type: "button", text: "Rename", title: "Rename (F2)", onclick: () => void renameBone() }),
        bone.limits && el("button", { type: "button", text: "No limits", onclick: () => set("limits", null) }),
        el("button", { type: "button", text: bone.region ? "No region" : "Region", onclick: () => set("region", bone.region ? null : [Math.round(bone.length / 4), Math.round(bone.length / 5)]) }),
        el("button", { type: "button", text: "Delete", title: "Delete (Del)", onclick: () => void deleteBones() })),
    ];
  }

  /** Nothing is selected: the clip. */
  #clip() {
    const { clip, clipInfo } = model;
    const hint = el("p", { class: "muted", text: "Click a bone or art, on the stage or in the list." });
    if (!clipInfo || !clip) return [hint];
    const of = clipInfo.shot ? "shot" : "clip";
    const at = [`${of}s`, clip];
    const set = (/** @type {string} */ name, /** @type {any} */ value) =>
      void model.edit(`${name} of ${clip}`, [value === null ? { op: "Remove", at: [...at, name] } : { op: "Set", at: [...at, name], value }]);
    const loop = el("input", { id: "p-loop", type: "checkbox", disabled: !model.editable, onchange: () => set("loop", loop.checked || null) });
    loop.checked = clipInfo.loop;
    loop.toggleAttribute("checked", clipInfo.loop);
    return [
      this.#numbers("Length", [clipInfo.length], ([length]) => set("length", length)),
      this.#numbers("Held for", [clipInfo.step], ([step]) => set("step", step > 1 ? step : null)),
      el("div", { class: "field" }, el("label", { for: "p-loop", text: "Loop" }), loop),
      el("div", { class: "actions" },
        el("button", { type: "button", text: "Rename", disabled: !model.editable, onclick: () => void renameClip(of) }),
        el("button", { type: "button", text: "Duplicate", disabled: !model.editable, onclick: () => void model.edit(`Duplicate ${clip}`, [{ op: "Duplicate", of, name: clip, copy: `${clip}_2` }]) }),
        el("button", { type: "button", text: "Delete", disabled: !model.editable, onclick: () => void model.edit(`Delete ${clip}`, [{ op: "Delete", of, name: clip, dependants: false }]) })),
      hint,
    ];
  }

  /** @param {Art} art */
  #art(art) {
    const follows = art.follows ? `${art.follows.how} with ${art.follows.bones.join(", ")}` : "Follows no bone.";
    const note = art.why_not && el("p", { class: "why", text: `Moves nothing: ${art.why_not}` });
    const targets = model.bones.length ? model.bones.join(", ") : "a bone";
    const some = art.follows?.how !== "Rigid" && art.bound;
    return /** @type {HTMLElement[]} */ ([
      el("p", { text: `${art.address} (${art.tag})` }), el("p", { class: "muted", text: follows }), note,
      el("div", { class: "actions" },
        el("button", { type: "button", text: `Bind to ${targets}`, title: "Bind (B)", disabled: !model.bones.length || !model.editable, onclick: () => void bind(model.arts, model.bones) }),
        art.bound && el("button", { type: "button", text: "Unbind", disabled: !model.editable, onclick: () => void model.edit(`Unbind ${art.address}`, [{ op: "Unbind", art: art.address }]) }),
        some && el("button", { type: "button", text: "Smooth weights", disabled: !model.editable, onclick: () => void model.request({ t: "paint", art: [art.address], do: "smooth", times: 2, strength: 0.5 }) })),
    ].filter(Boolean));
  }
}
customElements.define("rig-properties", Properties);
