// The selection in step with the cursor of an editor: each side says by its name in the rig what is selected.

import { keyId, model, SAME_TIME } from "./model.js";
import { selectedKeys } from "./timeline.js";

/** What the maps of a clip are of. @type {Record<string, string>} */
const KINDS = { bones: "bone", actors: "bone", art: "art", constraints: "constraint", sliders: "slider" };

/** What both sides have; none before the page has begun. @type {string | null} */
let last = null;
let taking = false;

/** @returns {Message} */
function selected() {
  const [place] = selectedKeys();
  if (place) {
    const [, clip, section, name] = place.track.path;
    const of = KINDS[String(section)] ?? null;
    return { t: "select", of, name: of ? String(name) : "", clip: String(clip), time: place.key.t };
  }
  const at = { clip: null, time: null };
  const rule = model.rig?.rules.find((each) => JSON.stringify(each.at) === model.rule);
  if (rule?.name) return { t: "select", of: "constraint", name: rule.name, ...at };
  const bone = model.bones.at(-1);
  if (bone) return { t: "select", of: "bone", name: bone, ...at };
  const art = model.rig?.art.find((each) => each.address === model.arts.at(-1));
  if (art) return { t: "select", of: "art", name: art.art, ...at };
  return { t: "select", of: null, name: "", clip: model.clip, time: null };
}

function tell() {
  if (taking || !model.rig) return;
  const message = selected();
  const now = JSON.stringify(message);
  if (now === last) return;
  // What is selected when the page opens was not chosen.
  if (last !== null) model.link.send(/** @type {PageMessage} */ (message));
  last = now;
}

/** @param {Message} message */
function take({ of, name, clip, time }) {
  taking = true;
  try {
    if (clip && clip !== model.clip && model.rig?.clips[clip]) model.setClip(clip);
    if (of === "bone" && model.bone(name)) model.select([name]);
    const art = of === "art" && model.rig?.art.find((each) => [each.art, each.id, each.label].includes(name));
    if (art) model.select([], [art.address]);
    const rule = of === "constraint" && model.rig?.rules.find((each) => each.name === name);
    if (rule) model.selectRule(rule);
    if (time !== null && clip === model.clip) {
      model.setPlaying(false);
      model.setTime(time, true);
      const own = model.tracks().filter(({ path }) => KINDS[String(path[2])] === of && path[3] === name);
      model.selectKeys(own.flatMap(({ path, keys }) => keys.filter((key) => Math.abs(key.t - time) <= SAME_TIME).map((key) => keyId(path, key.t))));
    }
  } finally {
    taking = false;
  }
  last = JSON.stringify(selected());
}

export function listen() {
  model.handlers.set("select", take);
  model.on("selection rig", tell);
}
