/** A packed rig: its address, or its bytes as `render-frames pack` makes them. Several calls share one fetch. */
export function load(source: string | URL | ArrayBuffer | Uint8Array, options?: { signal?: AbortSignal }): Promise<Figure>;
/** Where the module is: an address, its bytes, or compiled. Call it before the first `load`. */
export function setWasm(from: string | URL | BufferSource | WebAssembly.Module): void;
/** Where `worker.js` is, for pages that bundle it. Call it before the first element with `worker`. */
export function setWorker(url: string | URL): void;

export type ErrorCode =
  | "wasm-blocked" | "wasm" | "network" | "color" | "canvas"
  | "null" | "closed" | "pack" | "newer" | "name" | "number" | "input" | "text" | "space" | "panic" | "not-playing" | "not-kept" | "other";

export class BoneLayerError extends Error {
  constructor(code: ErrorCode, message: string);
  readonly code: ErrorCode;
}

export interface ClipInfo {
  readonly name: string;
  /** Seconds. */
  readonly length: number;
  readonly loop: boolean;
}

export interface InputInfo {
  /** `switch:mouth`, `mix:look`, `amount:track`, `target:hand`, `slider:age`, or `machine:hero/speed`. */
  readonly name: string;
  /** The number of a child, or -1 for none; a number; a place on the page; true or false; what counts at one moment. */
  readonly kind: "choice" | "number" | "place" | "flag" | "trigger";
  readonly min: number;
  readonly max: number;
}

export interface Place {
  x: number;
  y: number;
}

/** What is set of a bone. Without a number nothing of the kind changes. */
export interface BoneSet {
  x?: number;
  y?: number;
  /** Degrees. */
  angle?: number;
  /** Factors along the bone and across it. */
  scaleX?: number;
  scaleY?: number;
  stretch?: number;
  /** In place of what the clips have, and not on top of it. */
  replace?: boolean;
}

export interface Box extends Place {
  width: number;
  height: number;
}

export interface Matrix {
  a: number;
  b: number;
  c: number;
  d: number;
  e: number;
  f: number;
}

/** A clip that a player plays. */
export interface Playback {
  readonly clip: string;
}

export interface PlayOptions {
  /** Seconds in which it replaces what has played. */
  fade?: number;
  /** Seconds of the clip in a second; below 0 it plays backwards. */
  speed?: number;
  /** How often it plays; as the clip is without it. */
  repeat?: number;
  /** The time of the clip at which it begins. */
  at?: number;
}

export interface LayerOptions {
  weight?: number;
  fade?: number;
}

export interface PlayerEventDetail {
  readonly playback: Playback | null;
  /** Of a marker, an input or a state. */
  readonly name?: string;
  /** How many times it looped, the share of the clip that passed the marker, or the layer that entered the state. */
  readonly value: number;
}

export interface PlayerEventMap {
  loop: CustomEvent<PlayerEventDetail>;
  end: CustomEvent<PlayerEventDetail>;
  removed: CustomEvent<PlayerEventDetail>;
  marker: CustomEvent<PlayerEventDetail>;
  input: CustomEvent<PlayerEventDetail>;
  /** A layer of the state machine entered a state. */
  state: CustomEvent<PlayerEventDetail>;
  /** Transitions lead round in a circle without taking time. */
  stuck: CustomEvent<PlayerEventDetail>;
  /** More happened in a step than is listed. */
  overflow: CustomEvent<PlayerEventDetail>;
  /** Something was set that the next step or picture shows. */
  change: Event;
}

/** Images, patterns and whatever a 2D context can draw. */
export type Context2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

export class Figure {
  private constructor();
  readonly width: number;
  readonly height: number;
  readonly clips: readonly ClipInfo[];
  readonly inputs: readonly InputInfo[];
  /** Addresses, such as `Body/Arm/hand`. Calls take ids and labels, too. */
  readonly elements: readonly string[];
  readonly bones: readonly string[];
  readonly markers: readonly string[];
  /** State machines, whose inputs are among `inputs`. */
  readonly machines: readonly string[];
  /** What the figure can wear. */
  readonly outfits: readonly string[];
  /** What of it a canvas does not draw, as far as it was painted. */
  readonly unsupported: readonly string[];
  player(): Player;
  /** Its players play on. */
  close(): void;
}

/** What plays of a figure. Places are pixels of its page. Errors are `BoneLayerError`, and change nothing. */
export class Player extends EventTarget {
  private constructor();
  readonly figure: Figure;
  play(clip: string, options?: PlayOptions): Playback;
  layer(clip: string, options?: LayerOptions): Playback;
  /** Fades into a state machine, which plays until something else is played. */
  start(machine: string, options?: { fade?: number }): void;
  stop(playback: Playback, fade?: number): void;
  seek(playback: Playback, seconds: number): void;
  setSpeed(playback: Playback, speed: number): void;
  /** Its own seconds; null if it has ended. */
  time(playback: Playback): number | null;
  step(seconds: number): void;
  /** A moment of a clip as `render-frames` draws it. */
  exact(clip: string, seconds: number): void;
  /** Null gives it back to the clips; so it does below. */
  setInput(name: string, value: number | boolean | Place | null): void;
  /** Sets a trigger, which counts in the next step. */
  fire(name: string): void;
  setColor(element: string, css: string | null, part?: "fill" | "stroke"): void;
  /** Puts outfits on, in this order; null gives back what the figure wears by itself. */
  wear(outfits: readonly string[] | null): void;
  setText(element: string, text: string | null): void;
  setImage(element: string, picture: ImageBitmap | HTMLImageElement | HTMLCanvasElement | null): void;
  setVisible(element: string, on: boolean | null): void;
  /** From the frame of the bone to the page. */
  bone(name: string): Matrix;
  /** Moves a bone in its parent's frame, on top of the clips or in their place. The next step shows it. */
  setBone(name: string, pose: BoneSet | null): void;
  /** Of an element, or of everything; null if nothing of it is painted. */
  bounds(element?: string): Box | null;
  /** The element in front; null if there is none. */
  hit(x: number, y: number, reach?: number): string | null;
  /** Draws into a context, on top of its transform. */
  paint(context: Context2D, matrix?: Partial<Matrix>): void;
  /** Empties a canvas and draws the moment, cut at the borders of the page. Without a view, the page fits into it. */
  draw(canvas: HTMLCanvasElement | OffscreenCanvas, view?: Partial<Pick<Matrix, "a" | "d" | "e" | "f">>): void;
  close(): void;
  addEventListener<K extends keyof PlayerEventMap>(type: K, listener: (event: PlayerEventMap[K]) => void, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void;
}

/** The player of an element with `worker`: its calls are messages, what it answers are promises. */
export interface RemotePlayer extends Omit<Player, "figure" | "time" | "step" | "exact" | "bone" | "bounds" | "hit" | "paint" | "draw"> {
  bone(name: string): Promise<Matrix>;
  bounds(element?: string): Promise<Box | null>;
  hit(x: number, y: number, reach?: number): Promise<string | null>;
}

export interface ElementEventMap {
  load: CustomEvent<{ width: number; height: number }>;
  error: CustomEvent<{ code: ErrorCode; message: string }>;
  play: CustomEvent;
  pause: CustomEvent;
  loop: CustomEvent<PlayerEventDetail>;
  end: CustomEvent<PlayerEventDetail>;
  marker: CustomEvent<PlayerEventDetail>;
  input: CustomEvent<PlayerEventDetail>;
  state: CustomEvent<PlayerEventDetail>;
  elementclick: CustomEvent<Place & { element: string }>;
}

/** `<bone-layer>`. In Node the class is there, and cannot be made. */
export class BoneLayerElement extends HTMLElement {
  /** Null until it is loaded. With `worker`, a `RemotePlayer`. */
  readonly player: Player | null;
  readonly figure: Figure | null;
  readonly ready: Promise<Player>;
  readonly paused: boolean;
  play(): void;
  pause(): void;
  restart(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "bone-layer": BoneLayerElement;
  }
}
