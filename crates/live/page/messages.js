// The messages of PROTOCOL.md, as types.

/** @typedef {[number, number]} Pair */
/** @typedef {string | number | { time: number }} PathStep */
/** @typedef {PathStep[]} Path */
/** @typedef {string | { [name: string]: number[] }} Ease */
/** @typedef {number | string | boolean | null | number[] | { ron: string } | { word: string }} Value */

/** @typedef {{ t: number, v: Value, ease: Ease | null }} Key */
/** @typedef {{ path: Path, ease: Ease | null, extend: string | null, keys: Key[] }} Track */
/**
 * @typedef {{ shot: boolean, length: number, loop: boolean, step: number, frames: number, editable: boolean,
 *   tracks: Track[] }} Clip
 */
/**
 * @typedef {{ name: string, parent: string | null, from: Pair, to: Pair, angle: number, length: number,
 *   form: string[], joint: string, limits: Pair | null, region: Pair | null, inherit: string, spring: boolean,
 *   held: string[], driven_by: string[], drives: string[], mirror: string | null, carries: string[] }} Bone
 */
/** @typedef {{ by: string | null, how: string, method?: string, blend?: string, bones: string[] }} Follows */
/**
 * @typedef {{ art: string, id: string | null, label: string | null, address: string, tag: string, kind: string,
 *   parent: string | null, state: string, why: string | null, definition: boolean, fill: any, stroke: any,
 *   box: number[] | null, vertices: number[], bound: boolean, moves: boolean, why_not: string | null,
 *   follows: Follows | null }} Art
 */
/** @typedef {{ name: string | null, kind: string, bones: string[], targets: string[] }} Constraint */
/** @typedef {{ name: string, role: string, changed: boolean, writable: boolean, conflict: string | null }} RigFile */
/**
 * @typedef {{ rev: number, rig: string, hold: boolean, files: RigFile[], good: boolean, good_rev: number,
 *   findings: any, undo: string[], redo: string[] | null, size: Pair, canvas: number[], fps: number,
 *   bones: Bone[], art: Art[], constraints: Constraint[], clips: Record<string, Clip>, order: string[],
 *   journal: { saved: string, steps: string[] } | null }} State
 */
/** @typedef {{ rotate?: number, move?: Pair, scale?: Pair, stretch?: number }} BoneValues */
/** @typedef {Record<string, BoneValues>} PoseValues */
/** @typedef {{ v: any, keyed: boolean, here: boolean, changed: boolean }} Channel */
/**
 * @typedef {{ t: "posed", seq: number, rev: number, clip: string | null, time: number, size: Pair, stale: boolean,
 *   to_picture: number[], bones: number[][], pose: PoseValues, goals: Record<string, Pair>,
 *   values: Record<string, Record<string, Channel>>, statuses: string[], reach: number | null }} Posed
 */
/** @typedef {{ op: string, [field: string]: any }} Op */
/** @typedef {{ t: string, [field: string]: any }} Message */

export {};
