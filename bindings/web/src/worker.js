// Plays figures on canvases that a page has given to this worker.

import { load } from "./player.js";

const LONGEST_STEP = 0.1;
/** @typedef {{ canvas: OffscreenCanvas, figure: any, player: any, view: any, run: boolean, before: number, dirty: boolean, playbacks: Map<number, any>, closed: boolean, waiting: any[] }} Seat */
/** @type {Map<number, Seat>} */
const seats = new Map();
let frame = 0;

const post = (/** @type {any} */ message) => postMessage(message);
const failure = (/** @type {any} */ error) => ({ code: typeof error?.code === "string" ? error.code : "other", message: error?.message ?? String(error) });

/** @param {number} now */
function tick(now) {
  frame = 0;
  for (const [id, seat] of seats) {
    if (!seat.player || !seat.view || !(seat.run || seat.dirty)) continue;
    const seconds = seat.run && seat.before ? Math.min(LONGEST_STEP, (now - seat.before) / 1000) : 0;
    seat.before = seat.run ? now : 0;
    seat.dirty = false;
    try {
      seat.player.step(seconds);
      seat.player.draw(seat.canvas, seat.view);
      post({ id, event: "painted" });
    } catch (error) {
      seat.run = false;
      post({ id, failed: failure(error) });
    }
  }
  want();
}

function want() {
  if (!frame && [...seats.values()].some((seat) => seat.player && seat.view && (seat.run || seat.dirty))) frame = requestAnimationFrame(tick);
}

/** @param {number} id @param {{ canvas: OffscreenCanvas, src: string }} request */
async function open(id, { canvas, src }) {
  /** @type {Seat} */
  const seat = { canvas, figure: null, player: null, view: null, run: false, before: 0, dirty: true, playbacks: new Map(), closed: false, waiting: [] };
  seats.set(id, seat);
  try {
    const figure = seat.figure = await load(src);
    if (seat.closed) return figure.close();
    seat.player = figure.player();
    for (const name of ["loop", "end", "removed", "marker", "input", "state"]) {
      seat.player.addEventListener(name, (/** @type {CustomEvent} */ { detail: { playback, ...detail } }) => {
        const number = [...seat.playbacks].find(([, own]) => own === playback)?.[0];
        if (name === "removed" && number !== undefined) seat.playbacks.delete(number);
        post({ id, event: name, detail: { ...detail, playback: number === undefined ? null : { id: number, clip: playback.clip } } });
      });
    }
    seat.player.addEventListener("change", () => {
      seat.dirty = true;
      want();
    });
    const { width, height, clips, inputs, elements, bones, markers, machines, outfits } = figure;
    post({ id, opened: { width, height, clips, inputs, elements, bones, markers, machines, outfits } });
    seat.waiting.splice(0).forEach((message) => receive(seat, message));
  } catch (error) {
    post({ id, failed: failure(error) });
  }
}

/** @param {Seat} seat @param {any} message */
function receive(seat, { id, call, values, playback, question, run, size, view }) {
  if (run !== undefined) {
    seat.run = run;
    seat.before = 0;
  }
  if (size) {
    [seat.canvas.width, seat.canvas.height] = size;
    seat.view = view;
    seat.dirty = true;
  }
  if (call) {
    try {
      const own = values.map((/** @type {any} */ value) => seat.playbacks.get(value?.id) ?? value);
      const answer = seat.player[call](...own);
      if (playback !== undefined) seat.playbacks.set(playback, answer);
      if (question !== undefined) post({ id, question, answer });
    } catch (error) {
      post({ id, question, failed: failure(error) });
    }
  }
  want();
}

addEventListener("message", ({ data }) => {
  if (data.open) return void open(data.id, data.open);
  const seat = seats.get(data.id);
  if (!seat) return;
  if (data.close) {
    seat.closed = true;
    seats.delete(data.id);
    seat.player?.close();
    seat.figure?.close();
  } else if (seat.player) receive(seat, data);
  else seat.waiting.push(data);
});
