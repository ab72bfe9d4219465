// The brush: strokes on the weights of art. A stroke on weights that were found is written as a stroke; weights that
// are typed get other numbers at the vertices under it.

import { model } from "./model.js";
import { distance, toSegment } from "./view.js";

/** @typedef {import("./stage.js").Stage} Stage */

let count = 0;

/** As in the engine: all of it on the line, nothing from the radius on. @param {number} far of the radius */
const falloff = (far) => {
  const t = Math.max(0, 1 - far);
  return t * t * (3 - 2 * t);
};

/** Whether the bindings of art have typed weights. @param {string[]} binding */
const isTyped = (binding) => model.weightBindings.find((each) => each.art[0] === binding[0])?.strokes === null;

/**
 * A stroke from a press on: art gets more of the active bone, with Alt less; with Shift shares are evened out.
 * @param {Stage} stage @param {Pair} at @param {PointerEvent} event @returns {StageGesture | null}
 */
export function brush(stage, at, event) {
  const bone = model.active?.name;
  const fail = (/** @type {string} */ why) => (model.announce(why), null);
  if (!bone) return fail("Select the bone whose weights are painted");
  if (stage.weightsOf !== bone) return fail(`The weights of ${bone} are on their way`);
  if (!model.mayEdit()) return null;
  const own = model.arts.length ? stage.weightPaths.filter(({ binding }) => binding.some((art) => model.arts.includes(art))) : stage.weightPaths;
  const points = own.flatMap((path) => path.points.map((point) => ({ path, point, start: point[2], near: Infinity })));
  const smooth = event.shiftKey;
  const sign = event.altKey ? -1 : 1;
  // A mouse has the pressure 0.5.
  let pressure = 0;
  const line = /** @type {Pair[]} */ ([]);
  const touch = (/** @type {Pair} */ to, /** @type {PointerEvent} */ moved) => {
    pressure = Math.max(pressure, (moved.pressure || 0.5) * 2);
    const last = line[line.length - 1] ?? to;
    if (!line.length || distance(last, to) >= 2) line.push(to);
    for (const each of points) {
      const place = stage.view.toStage(each.point[0], each.point[1]);
      each.near = Math.min(each.near, toSegment(place, last, to).distance / model.brush);
      if (!smooth) each.point[2] = Math.max(0, Math.min(1, each.start + sign * model.strength * pressure * falloff(each.near)));
    }
    stage.brushAt = to;
    stage.redraw();
  };
  touch(at, event);
  return {
    move: touch,
    end: () => void painted(stage, bone, { line, smooth, much: model.strength * Math.min(pressure, 2) * sign }, points.filter(({ near }) => near < 1)),
    cancel: () => {
      for (const { point, start } of points) point[2] = start;
      stage.redraw();
    },
  };
}

/**
 * Writes a stroke: one step, whatever it touched.
 * @param {Stage} stage @param {string} bone @param {{ line: Pair[], smooth: boolean, much: number }} stroke
 * @param {{ path: WeightPath, point: number[] }[]} points
 */
async function painted(stage, bone, { line, smooth, much }, points) {
  const touched = new Map(points.map(({ path }) => [path.binding[0], path.binding]));
  if (!touched.size) return model.announce("No art that bends lies under the brush");
  const found = [...touched.values()].filter((binding) => !isTyped(binding));
  const gesture = `b${Date.now().toString(36)}${++count}`;
  const requests = /** @type {Message[]} */ ([]);
  if (found.length) {
    const own = smooth ? { smooth: Math.abs(much) } : { bone, add: Math.max(-1, Math.min(much, 1)) };
    const at = line.map((place) => stage.view.toCanvas(place));
    const { zoom } = stage.view;
    const lock = [...model.locks].filter((locked) => model.bone(locked) && locked !== bone);
    requests.push({ t: "edit", title: smooth ? "Smooth weights" : `Paint ${bone}`, ops: [{ op: "Stroke", arts: found.map(([art]) => art), ...own, width: model.brush / zoom, at, lock, pixel: 1 / zoom }] });
  }
  for (const art of [...touched.values()].filter(isTyped)) {
    const values = points.filter(({ path }) => path.binding[0] === art[0]).map(({ path, point }) => [path.path, point[3], Number(point[2].toFixed(2))]);
    requests.push(smooth ? { t: "paint", art, do: "smooth", times: 1, strength: Math.abs(much) } : { t: "paint", art, do: "set", bone, values, lock: [...model.locks] });
  }
  let done = true;
  for (const request of requests) {
    const answer = await model.link.ask({ ...request, gesture });
    if (answer.t === "refused") model.note({ kind: "error", text: answer.why, help: answer.help });
    done &&= answer.t === "done";
  }
  await model.request({ t: done ? "commit" : "cancel", gesture });
  if (done) model.announce(smooth ? "Smoothed" : `Painted ${bone}`);
  else stage.askWeightsAgain();
}

/** @param {number} by */
export function brushStrength(by) {
  model.strength = Math.max(0.05, Math.min(Number((model.strength + by).toFixed(2)), 1));
  model.announce(`Strength of the brush: ${Math.round(model.strength * 100)} %`);
}

/** The rows of the panel: bones with their locks, and the strokes of the art. @param {Art} art @returns {Field[]} */
export function weightFields(art) {
  const binding = model.weightBindings.find((each) => [art.address, art.id, art.label].some((name) => name && each.art.includes(name)));
  if (!binding) return [];
  const locks = (art.follows?.bones ?? []).map((name) => /** @type {Field} */ ({ of: { what: "lock", name }, label: `Lock ${name}`, kind: "flag", values: [model.locks.has(name)] }));
  const strokes = (binding.strokes ?? []).map(({ bone, much }, index) => /** @type {Field} */ ({
    of: { what: "stroke", name: JSON.stringify([binding.art[0], index]) }, label: `Stroke ${index + 1}, ${bone ?? "smooth"}`, kind: "numbers", values: [much],
  }));
  const of = /** @type {Owner} */ ({ what: "stroke", name: JSON.stringify([binding.art[0], null]) });
  if (strokes.length) strokes.push({ of, label: "strokes", kind: "actions", buttons: [["unpaint", "Delete the last stroke"], ["bare", "Delete all"]] });
  return [...locks, ...strokes];
}

/** @param {string} name of a field of a stroke @param {number | null} much none: it is deleted @param {boolean} [last] */
export function setStroke(name, much, last) {
  const [art, index] = JSON.parse(name);
  const strokes = model.weightBindings.find((each) => each.art[0] === art)?.strokes ?? [];
  const stroke = last ? strokes.length - 1 : index;
  void model.edit(much === null ? "Delete strokes" : "Strength of a stroke", [{ op: "SetStroke", art, stroke, much }]);
}
