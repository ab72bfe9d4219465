// Rules that are added by a gesture: a palette at the pointer, then a click or a drag; and the list of those there are.

import { el } from "./dom.js";
import { model } from "./model.js";
import { ask, field } from "./setup.js";
import { distance } from "./view.js";

// The module of the stage needs this one.
const stage = () => /** @type {import("./stage.js").Stage} */ (document.querySelector("rig-stage"));

/** Key, name, the kind in the rig, whether it is dragged from the bone, and what it does. @type {[string, string, string, boolean, string][]} */
const RULES = [
  ["I", "Goal", "Ik", true, "Drag from the tip to where it is to stay; Page Up and Down: bones of the chain"],
  ["P", "Pin", "Pin", false, "Holds the tip of the bone where holds of a clip say"],
  ["L", "Limits", "Limit", false, "Limits the turns of the bone; drag the ends of the arc"],
  ["A", "Aim", "Aim", true, "Drag from the bone to a bone or a point that it looks at"],
  ["C", "Copy", "Copy", true, "Drag from the bone to the one whose turns it takes"],
  ["D", "Distance", "Distance", true, "Drag from the bone to a bone or a point: the distance stays"],
  ["T", "Path", "Path", false, "Puts the selected bones on the outline of the selected art"],
  ["S", "Spring", "Spring", false, "Lets the bone and what is below it swing"],
  ["M", "Mask", "Mask", false, "Shows the selected art only inside of what was selected last"],
  ["V", "Slider", "Slider", false, "A number with a name that clips key; it records poses"],
];

/** The rule that a drag from a bone adds. @type {string | null} */
let dragged = null;

/** The palette of rules, at the pointer. */
export function palette() {
  const [x, y] = stage().grab.pointer;
  const box = stage().getBoundingClientRect();
  const button = (/** @type {typeof RULES[0]} */ [key, name, kind, drags, about]) => el("button", {
    type: "button", role: "menuitem", title: about, onclick: () => {
      dialog.close();
      void choose(kind, drags, about);
    },
  }, el("kbd", { text: key }), ` ${name}`);
  const dialog = el("dialog", { class: "palette", "aria-label": "Add a rule" }, el("div", { role: "menu" }, ...RULES.map(button)));
  dialog.style.left = `${Math.max(0, Math.min(box.left + x, innerWidth - 180))}px`;
  dialog.style.top = `${Math.max(0, Math.min(box.top + y, innerHeight - 300))}px`;
  dialog.addEventListener("close", () => {
    dialog.remove();
    stage().focus({ preventScroll: true });
  });
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => {
    const buttons = [...dialog.querySelectorAll("button")];
    const at = buttons.findIndex((each) => each === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) buttons[(at + step + buttons.length) % buttons.length].focus();
    const rule = event.ctrlKey || event.altKey ? -1 : RULES.findIndex(([key]) => key === event.key.toUpperCase());
    if (!step && rule < 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (rule >= 0) buttons[rule].click();
  });
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} kind @param {boolean} drags @param {string} about */
async function choose(kind, drags, about) {
  if (!model.mayEdit()) return;
  if (kind === "Slider") return addSlider();
  if (kind === "Mask") return addMask();
  if (!drags) return model.bones.length ? addRule(kind) : model.announce("Select a bone first, then X");
  dragged = kind;
  model.setTool("rule");
  model.announce(`${about}. Enter: at the tip`);
}

/** @param {string} kind @param {{ at?: Pair, target?: string | null, bones?: string[] }} [of] */
async function addRule(kind, { at, target, bones = model.bones } = {}) {
  const several = kind === "Path" || kind === "Spring";
  const moved = several ? bones : bones.slice(-1);
  const chain = kind === "Ik" || kind === "Pin" ? model.chain : null;
  const answer = await model.edit(`Add ${RULES.find((rule) => rule[2] === kind)?.[1].toLowerCase() ?? kind} to ${moved.join(", ")}`, [
    { op: "AddRule", kind, bones: moved, target: target ?? null, at: at ?? null, art: model.arts[model.arts.length - 1] ?? null, chain },
  ]);
  if (answer.t === "done") model.select(moved);
}

/** A press with the tool: from a bone to what the rule follows. @param {Pair} at @param {Hit} hit @returns {StageGesture | null} */
export function drag(at, hit) {
  const bone = hit?.what === "bone" ? hit.bone : model.active?.name;
  const kind = dragged;
  if (!bone || !kind) return null;
  const from = stage().ends(bone)?.[1] ?? at;
  const over = (/** @type {Pair} */ to) => {
    const below = stage().hit(to);
    return below?.what === "bone" && below.bone !== bone ? below.bone : null;
  };
  return {
    move: (to) => {
      stage().line = [from, to];
      stage().hovered = kind === "Ik" ? null : over(to);
      stage().redraw();
      stage().showTip(to, bone, kind === "Ik" ? "to this place" : (stage().hovered ?? (kind === "Copy" ? "drop it on a bone" : "to this place")));
    },
    end: (to) => {
      const target = kind === "Ik" ? null : over(to);
      cancel();
      const place = distance(at, to) < 3 ? undefined : stage().view.toCanvas(to);
      void addRule(kind, { bones: [bone], target, at: target ? undefined : place });
    },
    cancel: () => void cancel(),
  };
}

/** Enter with the tool: the rule is added where the bone is. */
export function confirm() {
  const kind = dragged;
  if (!kind || model.tool !== "rule") return false;
  cancel();
  const { active } = model;
  void addRule(kind, { at: active?.to });
  return true;
}

function cancel() {
  dragged = null;
  stage().line = null;
  stage().showTip([0, 0], "", "");
  if (model.tool === "rule") model.setTool("select");
  stage().redraw();
}

/** Art that was selected is seen inside of what was selected after it. */
async function addMask() {
  const [by, ...arts] = [...model.arts].reverse();
  if (!arts.length) return model.announce("Select what is to be masked, then with Shift what masks it, then X");
  const [quoted, names] = [JSON.stringify(by), JSON.stringify(arts.reverse())];
  const value = { ron: `(art: ${arts.length > 1 ? names : names.slice(1, -1)}, by: ${quoted})` };
  await model.edit(`Mask ${arts.join(", ")} by ${by}`, [{ op: "Insert", into: ["masks"], before: null, value }]);
}

async function addSlider() {
  const taken = new Set(model.rig?.sliders.map((slider) => slider.name));
  let number = 1;
  while (taken.has(`slider${number}`)) number += 1;
  const answer = await ask("New slider", [field("name", "Name", `slider${number}`), field("least", "From", "0", "number"), field("most", "To", "1", "number")], "Add");
  if (!answer?.name || !model.mayEdit()) return;
  const range = `(range: (${Number(answer.least) || 0}, ${Number(answer.most) || 0}))`;
  const done = await model.edit(`Add slider ${answer.name}`, [{ op: "Add", into: ["sliders"], name: answer.name, value: { ron: range } }]);
  // The panel has the sliders where nothing is selected.
  if (done.t === "done") model.select([]);
}

/** A slider records a pose at the value at which it stands. @param {string} slider */
export function startRecording(slider) {
  const facts = model.rig?.sliders.find((each) => each.name === slider);
  const value = model.sliders[slider] ?? model.posed?.sliders?.[slider]?.v ?? facts?.rest;
  if (!facts || !model.mayEdit()) return;
  if (value === facts.rest) return model.announce(`Move "${slider}" away from its rest first`);
  model.recording = { slider, value, autokey: model.autokey };
  model.autokey = false;
  model.setPlaying(false);
  model.slide(slider, value);
  document.body.classList.add("mode-record");
  model.emit("tool");
  model.announce(`${slider} = ${value}: pose bones, Enter records them, Esc leaves them`);
}

/** Ends a recording; what is posed becomes what the slider does. @param {boolean} keep */
export async function stopRecording(keep) {
  const { recording, moment } = model;
  if (!recording) return false;
  model.recording = null;
  model.autokey = recording.autokey;
  document.body.classList.remove("mode-record");
  const posed = model.pose;
  if (keep && Object.keys(posed).length) {
    // What the clip has there without the pose.
    const clip = await model.link.ask({ t: "copy", clip: model.shown, time: model.time, bones: Object.keys(posed) });
    if (clip.t === "copied") {
      const pose = Object.fromEntries(Object.entries(posed).map(([bone, values]) => [bone, change(clip.values[bone] ?? {}, values)]));
      await model.edit(`Record ${recording.slider}`, [{ op: "RecordPose", slider: recording.slider, value: recording.value, pose }]);
    }
  }
  model.keep(moment, {});
  model.emit("tool");
  model.emit("time");
  return true;
}

/** What a pose changes of values: turns and places are added, scales are factors. @param {BoneValues} from @param {BoneValues} to */
function change(from, to) {
  const round = (/** @type {number} */ value, digits = 2) => Number(value.toFixed(digits));
  const all = /** @type {Record<string, any>} */ ({});
  if (to.rotate !== undefined) all.rotate = round(to.rotate - (from.rotate ?? 0), 1);
  if (to.move) all.move = to.move.map((value, axis) => round(value - (from.move?.[axis] ?? 0)));
  if (to.scale) all.scale = to.scale.map((value, axis) => round(value / (from.scale?.[axis] || 1), 3));
  if (to.stretch !== undefined) all.stretch = round(1 + to.stretch - (from.stretch ?? 1), 3);
  return all;
}

/** The rule that is selected, by where it is written. */
export const ruleId = (/** @type {RuleFacts} */ rule) => JSON.stringify(rule.at);

/** @returns {RuleFacts | null} */
export const chosenRule = () => model.rig?.rules.find((rule) => ruleId(rule) === model.rule) ?? null;

/** What a rule is called in lists. @param {RuleFacts} rule */
export const ruleName = ({ kind, name, bones }) => `${kind} ${name ?? bones[0] ?? ""}`;

/** Takes out the rule that is selected, with what clips key of it. */
export async function deleteRule() {
  const rule = chosenRule();
  if (!rule) return;
  model.rule = null;
  await model.edit(`Delete ${ruleName(rule)}`, [{ op: "DeleteRule", at: rule.at }]);
}
