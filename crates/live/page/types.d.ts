// The messages of PROTOCOL.md and what the modules share, as types. The page does not load this file.

declare type Pair = [number, number];
declare type PathStep = string | number | { time: number };
declare type Path = PathStep[];
declare type Ease = string | { [name: string]: number[] };
declare type Value = number | string | boolean | null | number[] | { ron: string } | { word: string };
declare type Key = { t: number, v: Value, ease: Ease | null };
declare type Track = { path: Path, ease: Ease | null, extend: string | null, keys: Key[] };
declare type Clip = { shot: boolean, length: number, loop: boolean, step: number, frames: number, editable:
  boolean, tracks: Track[] };
declare type Bone = { name: string, parent: string | null, from: Pair, to: Pair, angle: number, length:
  number, form: string[], joint: string, limits: Pair | null, region: Pair | null, inherit: string, spring:
  boolean, held: string[], driven_by: string[], drives: string[], mirror: string | null, carries: string[] };
declare type Follows = { by: string | null, how: string, method?: string, blend?: string, bones: string[] };
declare type Art = { art: string, id: string | null, label: string | null, address: string, tag: string, kind:
  string, parent: string | null, state: string, why: string | null, definition: boolean, fill: any, stroke:
  any, box: number[] | null, vertices: number[], bound: boolean, moves: boolean, why_not: string | null,
  follows: Follows | null };
declare type Constraint = { name: string | null, kind: string, bones: string[], targets: string[] };
declare type RigFile = { name: string, role: string, changed: boolean, writable: boolean, conflict: string |
  null, missing: boolean };
declare type State = { rev: number, rig: string, hold: boolean, files: RigFile[], good: boolean, good_rev:
  number, findings: any, undo: string[], redo: string | null, size: Pair, canvas: number[], fps: number,
  bones: Bone[], art: Art[], constraints: Constraint[], clips: Record<string, Clip>, order: string[], journal:
  { since: number, steps: string[] } | null };
declare type BoneValues = { rotate?: number, move?: Pair, scale?: Pair, stretch?: number };
declare type PoseValues = Record<string, BoneValues>;
declare type Channel = { v: any, keyed: boolean, here: boolean, changed: boolean };
declare type Posed = { t: "posed", seq: number, rev: number, clip: string | null, time: number, size: Pair,
  stale: boolean, to_picture: number[], bones: number[][], pose: PoseValues, goals: Record<string, Pair>,
  values: Record<string, Record<string, Channel>>, statuses: string[], reach: number | null, held?: string[],
  moved_goals?: Record<string, Pair> };
declare type Op = { op: string, [field: string]: any };
declare type Message = { t: string, [field: string]: any };

/** What the model notifies listeners of. */
declare type Topic = "rig" | "time" | "selection" | "tool" | "posed" | "link" | "play" | "note" | "status";
declare type Note = { kind: "plain" | "error" | "conflict", text: string, help?: string[], id?: string,
  actions?: [string, () => void][], stays?: boolean, choice?: [mine: () => void, theirs: () => void] };
/** A copied or selected key. */
declare type KeyPlace = { track: Track, key: Key };
/** A row of the timeline. */
declare type Row = { name: string, depth: number, bone: string | null, tracks: Track[], strong: boolean };
/** What is under the pointer on the stage. */
declare type Hit = { what: "bone", bone: string, part: "joint" | "tip" | "body" } | { what: "goal", name:
  string } | { what: "limit", bone: string, end: number } | { what: "region", bone: string, end: number } | {
  what: "vertex", art: string, binding: string[], path: number, vertex: number, share: number } | null;
/** A path that bends: place, share of the bone and number of each vertex. */
declare type WeightPath = { art: string, binding: string[], path: number, points: number[][] };
/** What a field of the panel is of. */
declare type Owner = { what: "bone" | "art" | "clip" | "shot", name: string };
/** A field of the panel: numbers with the state of their key, a list, a box, a line of text, or buttons. */
declare type Field = { of: Owner, label: string, kind: "numbers" | "list" | "check" | "note" | "actions",
  channel?: string, values?: number[], state?: "none" | "changed" | "keyed", options?: (string | null)[], value?:
  string | null, text?: string, why?: boolean, buttons?: [act: string, name: string, title?: string, off?:
  boolean][] };
declare type Command = [keys: string[], name: string, act: (event: KeyboardEvent) => void];
declare type Theme = Record<string, string>;
/** What a pressed pointer does in the timeline. */
declare type TimeGesture = { move: (x: number, y: number, event: PointerEvent) => void, end?: (event:
  PointerEvent) => void, cancel?: () => void };
/** What a pressed pointer does on the stage. */
declare type StageGesture = { move: (at: Pair, event: PointerEvent) => void, end: (at: Pair, event:
  PointerEvent) => void, cancel?: () => void };
