import type { Player } from "./index.js";

/** What a figure has beside what a container of PixiJS has. */
export interface BoneContainer {
  readonly player: Player;
  /** Why it is drawn on a canvas and not as triangles: bits of `left_out` in bone_layer.h, 0 for triangles. */
  readonly leftOut: number;
  /** Advances the player. */
  step(seconds: number): void;
}

/** The class of figures, of the PixiJS that a page has: version 8 with its WebGL renderer. Import this before the first figure is
 * loaded, as it names another module. */
export function boneContainer<Container>(PIXI: { Container: new () => Container }): new (player: Player) => Container & BoneContainer;
