import type { Player } from "./index.js";

/** What a figure has beside what an `Extern` of Phaser has. */
export interface BoneObject {
  readonly player: Player;
  /** Why it is drawn on a canvas and not as triangles: bits of `left_out` in bone_layer.h, 0 for triangles. */
  readonly leftOut: number;
  /** Whether the scene advances the player: for all but one of the objects that share it this is false. */
  playing: boolean;
}

/** The class of figures, of the Phaser that a page has: version 3.60 to 4 with WebGL. Import this before the first figure is loaded,
 * as it names another module. */
export function boneObject<Extern>(Phaser: { GameObjects: { Extern: new (...values: any[]) => Extern } }): new (scene: any, x: number, y: number, player: Player) => Extern & BoneObject;
