// The sounds of the clip that is shown: heard while it plays and where the playhead is dragged, and drawn as waves.

import { model } from "./model.js";

/** Peaks a second of a wave. */
const FINE = 200;
/** Seconds from the order to play to the first sample. */
const AHEAD = 0.04;

/** @type {AudioContext | null} */
let context = null;
/** Decoded files by name; null while one is on its way, or if there is none. @type {Map<string, { buffer: AudioBuffer, peaks: Float32Array } | null>} */
const files = new Map();
/** What is heard now. @type {AudioBufferSourceNode[]} */
let heard = [];
/** When the clip began, by the clock of what is heard. */
let origin = 0;

/** @returns {SoundFacts[]} */
export const sounds = () => model.clipInfo?.sounds ?? [];

/** A file as it is known; asks for it otherwise. @param {string} file */
function known(file) {
  if (!files.has(file)) {
    files.set(file, null);
    void decoded(file).then((buffer) => {
      if (!buffer) return;
      files.set(file, { buffer, peaks: peaksOf(buffer) });
      model.emit("sound");
    });
  }
  return files.get(file);
}

/** @param {string} file */
async function decoded(file) {
  const bytes = await model.link.askBytes({ t: "sound", file });
  if (!bytes) return null;
  try {
    // Decoding needs no permission to be heard.
    return await new OfflineAudioContext(1, 1, 48000).decodeAudioData(await bytes.arrayBuffer());
  } catch {
    model.note({ kind: "error", id: `sound ${file}`, text: `This browser does not play ${file}.`, help: ["WAV, MP3 and Ogg play in all of them."] });
    return null;
  }
}

/** The greatest values of short stretches. @param {AudioBuffer} buffer */
function peaksOf(buffer) {
  const values = buffer.getChannelData(0);
  const step = buffer.sampleRate / FINE;
  return Float32Array.from({ length: Math.ceil(buffer.duration * FINE) }, (_, at) => {
    let most = 0;
    for (let k = Math.floor(at * step); k < Math.min((at + 1) * step, values.length); k += 1) most = Math.max(most, Math.abs(values[k]));
    return most;
  });
}

/** How loud a sound is in the seconds since it began, as a share. @param {SoundFacts} sound @param {number} length */
const envelope = ({ gain, fade: [comes, goes] }, length) => (/** @type {number} */ since) => {
  const share = (/** @type {number} */ part, /** @type {number} */ whole) => (whole > 0 ? Math.max(0, Math.min(part / whole, 1)) : 1);
  return 10 ** (gain / 20) * share(since, comes) * share(length - since, goes);
};

export function stop() {
  for (const source of heard) source.stop();
  heard = [];
}

/** Plays what is heard from a time of the clip on. @param {number} time */
export function start(time) {
  stop();
  if (!model.sound) return;
  const { speed } = model;
  for (const sound of sounds()) {
    const buffer = known(sound.file)?.buffer;
    const length = (buffer?.duration ?? 0) - sound.from;
    const since = Math.max(0, time - sound.time);
    if (!buffer || since >= length) continue;
    context ??= new AudioContext({ latencyHint: "interactive" });
    void context.resume();
    const source = new AudioBufferSourceNode(context, { buffer, playbackRate: speed });
    const volume = new GainNode(context);
    const begin = context.currentTime + AHEAD + Math.max(0, sound.time - time) / speed;
    const loud = envelope(sound, length);
    volume.gain.setValueAtTime(loud(since), begin);
    for (const at of [sound.fade[0], length - sound.fade[1], length]) {
      if (at > since) volume.gain.linearRampToValueAtTime(loud(at), begin + (at - since) / speed);
    }
    source.connect(volume).connect(context.destination);
    source.start(begin, sound.from + since);
    heard.push(source);
  }
  if (context && heard.length) origin = context.currentTime + AHEAD - time / speed;
}

/** The time of the clip by what is heard; null if nothing is. */
export const clock = () => (context?.state === "running" && heard.length ? Math.max(0, (context.currentTime - origin) * model.speed) : null);

let silence = 0;
let last = -1;

/** A frame is heard where the playhead is put. */
function scrub() {
  const moved = model.time !== last;
  last = model.time;
  if (model.playing || !moved) return;
  if (!sounds().length || model.mode === "setup" || !navigator.userActivation?.hasBeenActive) return;
  clearTimeout(silence);
  start(model.time);
  silence = window.setTimeout(() => {
    if (!model.playing) stop();
  }, 1000 * (AHEAD + 1.5 / model.fps));
}

export function listen() {
  model.on("time", scrub);
  model.on("play", () => clearTimeout(silence));
  // One that was not there may be there now.
  model.on("rig", () => {
    for (const { file } of sounds()) known(file);
  });
  model.on("link", (connected) => {
    if (connected) for (const [file, found] of files) if (!found) files.delete(file);
  });
}

/**
 * Draws a wave, as high as a row.
 * @param {CanvasRenderingContext2D} context @param {SoundFacts} sound @param {(time: number) => number} x
 * @param {[number, number]} seen the least and the greatest x @param {number} middle @param {number} half
 */
export function drawWave(context, sound, x, [least, most], middle, half) {
  const { buffer, peaks } = known(sound.file) ?? {};
  if (!buffer || !peaks) return;
  const length = buffer.duration - sound.from;
  const loud = envelope(sound, length);
  const scale = x(sound.time + 1) - x(sound.time);
  const [from, to] = [Math.max(least, x(sound.time)), Math.min(most, x(sound.time + length))];
  for (let at = Math.floor(from); at < to; at += 1) {
    const since = (at - x(sound.time)) / scale;
    const [first, end] = [since, since + 1 / scale].map((seconds) => Math.max(0, (sound.from + seconds) * FINE));
    let peak = 0;
    for (let k = Math.floor(first); k < Math.max(end, first + 1) && k < peaks.length; k += 1) peak = Math.max(peak, peaks[k]);
    const high = Math.max(0.5, Math.min(peak * loud(Math.max(0, since)), 1) * half);
    context.fillRect(at, middle - high, 1, 2 * high);
  }
}
