import type { Matrix, Player } from "./index.js";

/** A player and where its page is on the canvas. */
export interface Actor {
  readonly player: Player;
  /** From the page of the player to the pixels of the canvas. */
  matrix: Matrix;
  visible: boolean;
  /** Seconds of the player in a second of the stage. */
  speed: number;
}

export interface StageOptions {
  /** A colour behind everything. */
  background?: string | null;
  /** For people who ask for less motion: it stands still, or plays all the same. */
  reducedMotion?: "still" | "play";
}

/** Many players on one canvas, with one loop. Out of sight and in a hidden page it stands still. */
export class Stage {
  constructor(canvas: HTMLCanvasElement, options?: StageOptions);
  readonly canvas: HTMLCanvasElement;
  /** Those that are painted, back to front: it may be sorted and cut. */
  actors: Actor[];
  readonly running: boolean;
  /** Puts a player in front of all others. The same player may stand in several places. */
  add(player: Player, place?: Partial<Matrix>): Actor;
  remove(actor: Actor): void;
  /** Advances each player once. */
  step(seconds: number): void;
  paint(): void;
  /** What is in front at a place of the canvas. */
  hit(x: number, y: number, reach?: number): { actor: Actor; element: string } | null;
  start(): void;
  stop(): void;
  /** Their players stay open. */
  close(): void;
}
