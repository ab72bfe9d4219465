// Playing in real time: each display frame shows the frame of the clip that is due; late ones are left out.

import { model } from "./model.js";

let began = 0;
let from = 0;
let waiting = 0;

function tick() {
  waiting = 0;
  if (!model.playing) return;
  const { length, fps } = model;
  let time = from + ((performance.now() - began) / 1000) * model.speed;
  if (time >= length) {
    if (!model.looping) {
      model.setTime(length);
      return model.setPlaying(false);
    }
    time %= length;
  }
  const due = Math.floor(time * fps + 1e-6) / fps;
  if (due !== model.time) model.setTime(due, true);
  waiting = requestAnimationFrame(tick);
}

export function listen() {
  const start = () => {
    began = performance.now();
    from = model.time >= model.length ? 0 : model.time;
    if (model.playing && !waiting) waiting = requestAnimationFrame(tick);
  };
  let { speed } = model;
  model.on("play", () => {
    start();
    if (!model.playing) model.emit("time");
  });
  model.on("tool", () => {
    if (speed !== model.speed) start();
    speed = model.speed;
  });
}
