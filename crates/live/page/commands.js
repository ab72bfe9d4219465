// The keys of the page: one table for what they do and for the list of F1.

import { deliver } from "./deliver.js";
import { bind, keyBones } from "./grab.js";
import { model } from "./model.js";
import { chosenRule, confirm as confirmRule, deleteRule, palette, stopRecording } from "./rules.js";
import { addClip, bindAll, deleteBones, deleteWithAll, mirrorSide, renameBone, saveCopy, toggleHalf, toggleMirror } from "./setup.js";
import { choose as chooseDrawing } from "./replace.js";
import { openPalette } from "./palette.js";
import { addShot, deletePart } from "./shots.js";
import { addActor } from "./actors.js";
import { addMachine, deletePicked, MACHINE_BUTTONS } from "./machine.js";
import { stage } from "./stage.js";
import { chooseEase, deleteKeys, selectedKeys, timeline } from "./timeline.js";

/** @param {number} frames */
const step = (frames) => {
  model.setPlaying(false);
  model.setTime(Math.round(model.time * model.fps + frames) / model.fps);
};

/** The start of the clip, or of the machine. */
export function toStart() {
  if (model.plays) model.restart();
  else model.setTime(0);
}

/** To the next or previous key of the selected bones, or of all. @param {number} direction */
function toKey(direction) {
  const tracks = model.tracks();
  const own = tracks.filter((track) => model.bones.includes(String(track.path[3])));
  const times = (own.length ? own : tracks).flatMap((track) => track.keys.map((key) => key.t));
  const ahead = times.filter((time) => (time - model.time) * direction > 1e-4);
  if (!ahead.length) return model.announce("No key there");
  model.setPlaying(false);
  model.setTime(direction > 0 ? Math.min(...ahead) : Math.max(...ahead), true);
}

/** Keys of what is selected: the channels that have keys or have changed; else rotate. */
function keySelection() {
  if (!model.bones.length) return model.announce("Select a bone first");
  const names = new Set(model.bones.flatMap((bone) => Object.entries(model.posed?.values?.[bone] ?? {})
    .filter(([, { keyed, changed }]) => keyed || changed).map(([name]) => name)));
  void keyBones(model.bones, names.size ? [...names] : ["rotate"]);
}

/** @param {boolean} [all] */
async function copyPose(all = false) {
  if (model.isPlayed()) return;
  const answer = await model.link.ask({ t: "copy", clip: model.shown, time: model.time, pose: model.pose, bones: all || !model.bones.length ? null : model.bones });
  if (answer.t !== "copied") return;
  model.copied = answer.values;
  model.announce(`Copied the pose of ${Object.keys(answer.values).length} bones`);
}

/** @param {boolean} mirror */
async function pastePose(mirror) {
  if (model.isPlayed()) return;
  if (!model.copied) return model.announce("Copy a pose first (Ctrl C)");
  if (!model.mayEdit() || !model.clip) return;
  const answer = await model.request({ t: "paste", clip: model.clip, time: model.time, values: model.copied, mirror, scale: model.scale });
  if (answer.t === "done") model.announce(mirror ? "Pasted, mirrored" : "Pasted");
}

/** Copied keys: channel, seconds from the first of them, value, ease. @type {{ channel: Path, after: number, value: any, ease: any }[]} */
let keys = [];

function copyKeys() {
  const places = selectedKeys();
  const first = Math.min(...places.map(({ key }) => key.t));
  keys = places.map(({ track, key }) => ({ channel: track.path, after: key.t - first, value: key.v, ease: key.ease }));
  model.announce(`Copied ${keys.length} keys`);
}

async function pasteKeys() {
  if (model.isPlayed()) return;
  await model.edit(`Paste ${keys.length} keys`, keys.map(({ channel, after, value, ease }) => ({
    op: "SetKey", channel: ["clips", "shots"].includes(String(channel[0])) ? [channel[0], model.clip ?? "", ...channel.slice(2)] : channel,
    time: Number((model.time + after).toFixed(4)), value, ease,
  })));
}

/** In the setup pose again: rotation, place or scale of the selected bones. @param {string} channel @param {any} rest */
function clear(channel, rest) {
  if (model.mode === "setup" || !model.bones.length) return;
  model.pose = { ...model.pose, ...Object.fromEntries(model.bones.map((bone) => [bone, { ...model.pose[bone], [channel]: rest }])) };
  if (model.autokey) void keyBones(model.bones, [channel]);
  else model.emit("time");
}

function escape() {
  if (stage().grab.cancel() || stage().chain.cancel() || timeline().cancel()) return;
  if (model.recording) return void stopRecording(false);
  if (model.picked) return model.pickState(null);
  if (model.tool !== "select") return model.setTool("select");
  if (Object.keys(model.pose).length) {
    model.pose = {};
    model.announce("Changes that are not keyed are gone");
    return model.emit("time");
  }
  /** @type {any} */ (document.querySelector("rig-notes")).clear();
}

/** @param {number} by */
function chain(by) {
  model.chain = Math.max(1, Math.min(model.chain + by, 40));
  model.announce(`A drag of a tip moves ${model.chain} ${model.chain === 1 ? "bone" : "bones"}`);
  if (stage().grab.busy) stage().pictures.request();
}

/** A new clip; a scene gets a shot. */
export const addTime = () => void (model.rig?.scene ? addShot() : addClip());

/** Bones are drawn; a scene gets an actor. */
export function add() {
  if (model.rig?.scene) void addActor();
  else tool("add", "Click the joints, Enter ends the chain; or drag from joint to tip. Shift: 15°, Ctrl: no snapping, M: mirror. Arrows and Space draw, too")();
}

const tool = (/** @type {"add" | "parent" | "bind" | "split"} */ name, /** @type {string} */ hint) => () => {
  if (model.mode !== "setup") model.setMode("setup");
  model.setTool(model.tool === name ? "select" : name);
  if (model.tool === name) model.announce(hint);
};

function brush() {
  const on = model.tool !== "brush";
  if (on && !model.weights) model.setOption({ weights: true });
  model.setTool(on ? "brush" : "select");
  if (on) model.announce(model.active ? `Paint weights of ${model.active.name}; Alt: less, Shift: smooth; [ and ] change the size, Shift and the wheel the strength` : "Select the bone whose weights are painted");
}

/** @param {number} by */
function brushSize(by) {
  model.brush = Math.max(6, Math.min(model.brush * by, 400));
  model.announce(`Brush: ${Math.round(model.brush)} px`);
  stage().redraw();
}

function bindKey() {
  if (model.mode !== "setup") model.setMode("setup");
  if (!model.arts.length) return model.announce("Select art first: click it, or choose it in the list of art");
  if (!model.bones.length) {
    model.setTool("bind");
    return model.announce("Click the bone that the art is to follow");
  }
  void bind(model.arts, model.bones);
}

/** @type {Command[]} */
export const COMMANDS = [
  [["Space"], "Play, pause (held: pan)", () => model.setPlaying(!model.playing)],
  [["ArrowLeft", "ArrowRight"], "A frame back, on; Shift: ten", (event) => step((event.key === "ArrowLeft" ? -1 : 1) * (event.shiftKey ? 10 : 1))],
  [["ArrowUp", "ArrowDown"], "Next, previous key", (event) => toKey(event.key === "ArrowUp" ? 1 : -1)],
  [["K", "J"], "Next, previous key", (event) => toKey(event.key.toLowerCase() === "k" ? 1 : -1)],
  [["Home", "End"], "First, last frame", (event) => (event.key === "Home" ? toStart() : model.setTime(model.length))],
  [["L"], "Loop", () => model.setOption({ looping: !model.looping })],
  [["R"], "Turn: pointer or number, Enter, Esc", () => stage().grab.modal("rotate")],
  [["G"], "Move", () => stage().grab.modal("translate")],
  [["S"], "Scale", () => stage().grab.modal("scale")],
  [["Alt R"], "Rotation as in the setup", () => clear("rotate", 0)],
  [["Alt G"], "Place as in the setup", () => clear("move", [0, 0])],
  [["Alt S"], "Scale as in the setup", () => clear("scale", [1, 1])],
  [["PageUp", "PageDown"], "Longer, shorter chain of a dragged tip (Ctrl: this bone only)", (event) => chain(event.key === "PageUp" ? 1 : -1)],
  [["I"], "Key the selected bones", keySelection],
  [["A"], "Auto key on, off", () => model.setOption({ autokey: !model.autokey })],
  [["1", "2", "3", "4", "5", "6", "7", "8", "9"], "Ease of keys, in the order of the list of eases", (event) => chooseEase(Number(event.key) - 1)],
  [["Delete", "Backspace"], "Delete keys, a part of a shot, the selected rule, or what is chosen of a machine; in the setup, bones: children keep their places", (event) => {
    if (event.key === "Backspace" && stage().chain.busy) stage().chain.back();
    else if (model.plays) deletePicked();
    else void (chosenRule() ? deleteRule() : model.mode === "setup" ? deleteBones() : model.clipInfo?.shot && !model.keys.size ? deletePart() : deleteKeys());
  }],
  [["Alt Delete"], "Delete bones with all that uses them", () => void deleteWithAll()],
  [["Ctrl C"], "Copy keys, or the pose", () => void (model.keys.size && !stage().matches(":focus") ? copyKeys() : ((keys = []), copyPose()))],
  [["Ctrl V"], "Paste", () => void (keys.length ? pasteKeys() : pastePose(false))],
  [["Ctrl Shift V"], "Paste the pose mirrored", () => void pastePose(true)],
  [["Ctrl A"], "Select all bones", () => model.select((model.rig?.bones ?? []).map((bone) => bone.name), [])],
  [["Ctrl Z"], "Undo", () => void model.undo()],
  [["Ctrl Shift Z", "Ctrl Y"], "Redo", () => void model.redo()],
  [["Ctrl S"], "Write what is not written", () => void model.request({ t: "save" })],
  [["Ctrl Shift S"], "Save a copy under another name", () => void saveCopy()],
  [["Tab"], "Setup or pose, on the stage", () => model.setMode(model.mode === "setup" ? "pose" : "setup")],
  [["N"], "Draw bones: click the joints and press Enter, or drag one bone; in a scene, a new actor", add],
  [["Enter"], "Add the chain that is drawn; end a recording", () => void (model.recording ? stopRecording(true) : confirmRule() || stage().chain.finish())],
  [["M"], "Mirror: bones that are drawn get twins", toggleMirror],
  [["Ctrl M"], "Mirror the selected bones to the other side", () => void mirrorSide()],
  [["E"], "Split a bone: click where", tool("split", "Click the bone where it is to be cut")],
  [["X"], "Add a rule: goal, pin, limits, aim, copy, distance, path, spring, mask, slider", palette],
  [["Ctrl B"], "Bind everything that is not bound", () => void bindAll()],
  [["Z"], "The clip is half a cycle, or a whole one", () => void toggleHalf()],
  [["P"], "New parent: click it", tool("parent", "Click the new parent, on the stage or in the tree")],
  [["B"], "Bind the selected art to the selected bones", bindKey],
  [["F2"], "Rename the bone, or the state", () => void (model.plays ? MACHINE_BUTTONS["rename-state"]() : renameBone())],
  [["C"], "New clip; in a scene, a new shot", addTime],
  [["Ctrl Shift K"], "New shot of the clips", () => void addShot()],
  [["Ctrl Shift M"], "New state machine", () => void addMachine()],
  [["D"], "The way of the selected bone's tip; drag its squares", () => model.setOption({ trail: !model.trail })],
  [["Ctrl K", "/"], "Search: commands, bones, art, rules, clips", () => openPalette(COMMANDS)],
  [["Ctrl E"], "Export", () => void deliver().open()],
  [["Ctrl O"], "Replace the drawing by another SVG (or drop it on the stage)", () => chooseDrawing()],
  [["O"], "Onion skin", () => model.setOption({ onion: !model.onion })],
  [["W"], "Weights", () => model.setOption({ weights: !model.weights })],
  [["Q"], "Brush: paint weights of the selected bone; Alt: less, Shift: smooth", brush],
  [["[", "]"], "Smaller, larger brush", (event) => brushSize(event.key === "]" ? 1.25 : 0.8)],
  [["U"], "Rulers", () => model.setOption({ rulers: !model.rulers })],
  [["V"], "Keys or curves", () => model.setOption({ graph: !model.graph })],
  [["Alt V"], "Each curve in its own height, or by its numbers", () => timeline().graph?.normalise()],
  [["T"], "To the keys in the timeline", () => timeline().focusKeys()],
  [["F"], "Fit the drawing, or the curves below the pointer", () => (timeline().matches(":hover") && model.graph ? timeline().graph?.fit() : stage().fit())],
  [["Alt 1"], "One pixel for each unit", () => stage().actual()],
  [["+", "-"], "Zoom", (event) => stage().zoomBy(event.key === "-" ? 0.8 : 1.25, [stage().clientWidth / 2, stage().clientHeight / 2])],
  [["Escape"], "Cancel", escape],
  [["F1", "?"], "All keys", () => /** @type {any} */ (document.querySelector("rig-help")).open()],
];

const TABLE = new Map(COMMANDS.flatMap(([names, , act]) => names.map((name) => [name, act])));

/** @param {KeyboardEvent} event */
function named(event) {
  const letter = event.altKey && /^(Key|Digit)/.test(event.code) ? event.code.slice(-1) : event.key;
  const key = letter === " " ? "Space" : letter.length === 1 ? letter.toUpperCase() : letter;
  const ctrl = event.ctrlKey || event.metaKey;
  const shift = event.shiftKey && ctrl;
  return `${ctrl ? "Ctrl " : ""}${event.altKey ? "Alt " : ""}${shift ? "Shift " : ""}${key}`;
}

/** The next joint of a chain by the arrows, Space sets it. @param {KeyboardEvent} event @param {string} name */
function draws({ key, shiftKey }, name) {
  const step = shiftKey ? 40 : 5;
  const by = /** @type {Record<string, Pair>} */ ({ ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] })[key];
  if (by) stage().chain.nudge(by);
  return by ? true : name === "Space" && stage().chain.plant();
}

export function listen() {
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (document.querySelector("dialog[open]")) return;
    // Only fields of text take letters.
    const typing = target instanceof HTMLInputElement && target.type !== "checkbox" || target instanceof HTMLTextAreaElement;
    const name = named(event);
    const history = ["Ctrl Z", "Ctrl Y", "Ctrl Shift Z", "Ctrl S", "F1"].includes(name);
    if (typing && !history) return;
    if (stage().grab.typed(event)) return event.preventDefault();
    // Tab walks through the controls, but on the stage and in the body it changes the mode.
    const free = target === stage() || target === document.body;
    if (event.key === "Tab" && (event.shiftKey || !free)) return;
    if (model.tool === "add" && free && draws(event, name)) return event.preventDefault();
    const onControl = target.closest("button, select, input, rig-splitter");
    if (onControl && /^(Space|Enter|(Alt )?Arrow)/.test(name)) return;
    if (target instanceof HTMLSelectElement) {
      if (/^(Home|End|Page)/.test(name)) return;
      if (event.key.length === 1) event.preventDefault();
    }
    if (name === "Space" && free) {
      event.preventDefault();
      if (!event.repeat) {
        stage().grab.spaceHeld = true;
        stage().grab.spaceUsed = false;
        stage().dataset.tool = "pan";
      }
      return;
    }
    const act = TABLE.get(name);
    if (!act) return;
    event.preventDefault();
    act(event);
  });
  // After a choice the keys are for the stage again; arrows go on through a list.
  let last = "";
  for (const kind of ["keydown", "pointerdown"]) addEventListener(kind, (event) => (last = event instanceof KeyboardEvent ? event.key : ""), true);
  const back = () => {
    if (!document.querySelector("dialog[open]") && !/^(Arrow|Home|End|Page)/.test(last)) stage().focus({ preventScroll: true });
  };
  addEventListener("change", ({ target }) => {
    if (target instanceof HTMLSelectElement || target instanceof HTMLInputElement && target.type === "checkbox") back();
  });
  addEventListener("click", (event) => {
    if (event.detail && /** @type {Element} */ (event.target).closest("button, [role=tree]")) back();
  });
  addEventListener("keyup", (event) => {
    const { grab } = stage();
    if (event.key !== " " || !grab.spaceHeld) return;
    grab.spaceHeld = false;
    stage().dataset.tool = model.tool;
    // Space alone plays; with a drag it has panned.
    if (!grab.spaceUsed) model.setPlaying(!model.playing);
  });
  addEventListener("blur", () => {
    stage().grab.spaceHeld = false;
  });
}
