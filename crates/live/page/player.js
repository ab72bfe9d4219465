// Playing in real time: each display frame shows the frame of the clip that is due; late ones are left out. What is heard
// leads.

import { model } from "./model.js";
import { clock, start, stop } from "./sound.js";

let began = 0;
let from = 0;
let waiting = 0;
/** A machine goes on by at most so many seconds for each display frame: a page that was hidden does not catch up. */
const MOST = 0.1;
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
  if (model.plays) {
    const now = performance.now();
    model.run += Math.min((now - began) / 1000, MOST) * model.speed;
    began = now;
    model.emit("time");
    return void (waiting = requestAnimationFrame(tick));
  }
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
      if (model.plays) began = performance.now();
      else begin(model.time >= model.length ? 0 : model.time);
      waiting ||= requestAnimationFrame(tick);
    } else {
      stop();
      model.emit("time");
    }
  });
  model.on("tool", () => {
    if (model.playing && !model.plays && (speed !== model.speed || sound !== model.sound)) begin(model.time);
    ({ speed, sound } = model);
  });
}
