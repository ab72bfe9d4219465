// A figure that is steered by keys: a state machine, and what is held down.

import "./index.js";

const element = /** @type {any} */ (document.querySelector("bone-layer"));
const player = await element.ready;
const set = (/** @type {string} */ name, /** @type {number | boolean} */ value) => player.setInput(`machine:chick/${name}`, value);
/** @type {Set<string>} */
const held = new Set();
let speed = 0, wanted = 0;

/** What is held down says how fast it should be, and which way it looks. */
function steer() {
  const way = Number(held.has("ArrowRight")) - Number(held.has("ArrowLeft"));
  wanted = way === 0 ? 0 : held.has("Shift") ? 2.4 : 1;
  if (way !== 0) set("left", way < 0);
}

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === " " || event.key.startsWith("Arrow")) event.preventDefault();
  if (!event.repeat && event.key === " ") set("jump", true);
  if (!event.repeat && event.key === "Enter") set("peck", true);
  held.add(event.key);
  steer();
});
addEventListener("keyup", ({ key }) => {
  held.delete(key);
  steer();
});
addEventListener("blur", () => {
  held.clear();
  steer();
});
element.addEventListener("state", (/** @type {CustomEvent} */ { detail }) => {
  /** @type {HTMLElement} */ (document.querySelector("#log")).textContent = `State: ${detail.name}`;
});

// It gets faster and slower within a moment, and not at once.
let before = 0;
function tick(/** @type {number} */ now) {
  const by = 6 * Math.min(0.1, before ? (now - before) / 1000 : 0);
  before = now;
  if (speed !== wanted) set("speed", speed = speed < wanted ? Math.min(wanted, speed + by) : Math.max(wanted, speed - by));
  requestAnimationFrame(tick);
}
requestAnimationFrame(tick);
