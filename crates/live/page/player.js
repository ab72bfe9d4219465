// Playing in real time: each display frame shows the frame of the clip that is due; late ones are left out. What is heard
// leads.

import { model } from "./model.js";
import { clock, start, stop } from "./sound.js";

let began = 0;
let from = 0;
let waiting = 0;
/** The clip that plays. @type {string | null} */
let clip = null;

/** @param {number} time */
function begin(time) {
  began = performance.now();
  from = time;
  ({ clip } = model);
  start(time);
}

function tick() {
  waiting = 0;
  if (!model.playing) return;
  const { length, fps } = model;
  if (clip !== model.clip) begin(model.time);
  let time = clock() ?? from + ((performance.now() - began) / 1000) * model.speed;
  if (time >= length) {
    if (!model.looping) {
      model.setTime(length);
      return model.setPlaying(false);
    }
    time %= length;
    begin(time);
  }
  const due = Math.floor(time * fps + 1e-6) / fps;
  if (due !== model.time) model.setTime(due, true);
  waiting = requestAnimationFrame(tick);
}

export function listen() {
  let { speed, sound } = model;
  model.on("play", () => {
    if (model.playing) {
      begin(model.time >= model.length ? 0 : model.time);
      waiting ||= requestAnimationFrame(tick);
    } else {
      stop();
      model.emit("time");
    }
  });
  model.on("tool", () => {
    if (model.playing && (speed !== model.speed || sound !== model.sound)) begin(model.time);
    ({ speed, sound } = model);
  });
}
