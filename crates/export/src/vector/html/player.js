"use strict";
const root = document.querySelector("svg");
const [slider, button, clock] = ["input", "button", "output"].map((name) => document.querySelector(name));
const { seconds, fps, endless } = document.body.dataset;
const length = Number(seconds), step = 1 / Number(fps), loops = endless === "true";
let playing = false;
const within = (time) => (loops ? ((time % length) + length) % length : Math.min(Math.max(time, 0), length));
const now = () => within(root.getCurrentTime());
const show = () => {
  slider.value = String(now());
  clock.value = `${now().toFixed(2)} s of ${length.toFixed(2)} s`;
};
const play = (on) => {
  playing = on;
  if (on && !loops && now() >= length) root.setCurrentTime(0);
  if (on) root.unpauseAnimations();
  else root.pauseAnimations();
  button.textContent = on ? "Pause" : "Play";
  if (on) requestAnimationFrame(tick);
};
const tick = () => {
  if (!playing) return;
  show();
  if (!loops && now() >= length) play(false);
  else requestAnimationFrame(tick);
};
// The middle of a unit in the last place, so that a step never falls back to the frame before.
const seek = (time) => {
  play(false);
  root.setCurrentTime(within(time) + 1e-6);
  show();
};
const frame = (way) => seek((Math.round(now() / step) + way) * step);
const keys = {
  " ": () => play(!playing),
  ArrowLeft: () => frame(-1),
  ArrowRight: () => frame(1),
  Home: () => seek(0),
  End: () => seek(loops ? length - step : length),
};
button.addEventListener("click", () => play(!playing));
slider.addEventListener("input", () => seek(Number(slider.value)));
document.addEventListener("keydown", (event) => {
  const act = event.ctrlKey || event.altKey || event.metaKey ? undefined : keys[event.key];
  // A button takes a space itself.
  if (!act || (event.key === " " && event.target === button)) return;
  event.preventDefault();
  act();
});
const still = matchMedia("(prefers-reduced-motion: reduce)");
still.addEventListener("change", () => still.matches && play(false));
play(!still.matches);
show();
