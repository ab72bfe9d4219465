// The messages of PROTOCOL.md, and what the modules share, as types. The page does not load this file.

declare type Pair = [number, number];
declare type PathStep = string | number | { time: number };
declare type Path = PathStep[];
declare type Ease = string | { [name: string]: (number | string)[] };
declare type Value = number | string | boolean | null | number[] | { ron: string } | { word: string };
declare type BoneValues = { rotate?: number, move?: Pair, scale?: Pair, stretch?: number };
declare type PoseValues = Record<string, BoneValues>;
declare type Op = { op: string, [field: string]: any };
// Written from the messages of the server.
/** The onion skin. */
declare type OnionWish = { before?: number, after?: number, step?: number, opacity?: number, keys?: boolean };
/** A state machine that plays: another number of `start` starts it anew. With the values of its inputs: 1 or 0 of a flag, and of a trigger how often it was set since then. */
declare type PlayWish = { name: string, start?: number, inputs?: Record<string, number> };
/** A place in a text, and the same in bytes. */
declare type TextPlace = { file: string, line: number, column: number, end_line: number, end_column: number,
    bytes: number[] };
/** A place that belongs to a finding, and why. */
declare type Related = { place: TextPlace, why: string };
/** A finding. */
declare type Finding = { severity: string, code: string, message: string, place: TextPlace | null,
    label: string, help: string[], related: Related[] };
/** What is wrong with a rig. */
declare type Findings = { errors: number, warnings: number, findings: Finding[] };
/** What art is bound to. */
declare type Follows = { by: string | null, how: string, method: string | null, blend: string | null,
    bones: string[] };
/** An element of the drawing, and whether any bone moves it. */
declare type Art = { art: string, id: string | null, label: string | null, address: string, tag: string,
    kind: string, parent: string | null, state: string, why: string | null, definition: boolean, fill: any,
    stroke: any, box: number[] | null, vertices: number[], bound: boolean, follows: Follows | null,
    moves: boolean };
/** A bone at rest. */
declare type Bone = { name: string, parent: string | null, angle: number, length: number, inherit: string,
    joint: string, limits: Pair | null, region: Pair | null, spring: boolean, driven_by: string[],
    drives: string[], carries: string[], from: Pair, to: Pair, form: string[], held: string[],
    mirror: string | null, volume: number };
/** A constraint. */
declare type Constraint = { name: string | null, kind: string, bones: string[], targets: string[] };
/** A constraint, a spring or a driver: where it is written, its strength if it has one, and its text. */
declare type RuleFacts = { at: Path, kind: string, name: string | null, bones: string[], mix: number | null,
    text: string };
/** A key: its time, value and ease. */
declare type TrackKey = { t: number, v: Value, ease: any };
/** A channel of a clip, with its keys. */
declare type Track = { path: Path, ease: any, extend: any, keys: TrackKey[] };
/** A moment of a clip with a name. */
declare type EventFacts = { time: number, name: string };
/** When a sound of a clip begins, its file, and how it is played: decibels, seconds. */
declare type SoundFacts = { time: number, file: string, from: number, gain: number, fade: Pair };
/** A clip or a shot; `hidden` are the actors that are not there in it, `sounds_at` where its sounds are written, null of those of other clips. */
declare type Clip = { shot: boolean, length: number, loop: boolean, keys: number, repeat: any, step: number,
    frames: number, events: EventFacts[], sounds: SoundFacts[], editable: boolean, half: string | null,
    tracks: Track[], parts: ShotPart[], hidden: string[], sounds_at: (Path | null)[] };
/** A file of the rig. */
declare type RigFile = { name: string, role: string, changed: boolean, writable: boolean,
    conflict: string | null, missing: boolean };
/** What an earlier run did not save, with the time of its last step in seconds since 1970. */
declare type Lost = { since: number, steps: string[] };
/** A value, for fields and buttons: whether the clip keys it, here, and whether it is changed; the names to choose from. */
declare type ChannelState = { v: any, keyed: boolean, here: boolean, changed: boolean,
    options: string[] | null };
/** Of what a value is: `art` with its address, the `filter` of art with that, a `slider`, or the `camera`. */
declare type RowOwner = { of: string, name?: string };
/** A value to be keyed. */
declare type RowKey = { owner: RowOwner, property: string, value: Value };
/** A value that clips key: its name, and how it is typed: `number`, `pair`, `color`, `flag`, `name` or `text`. */
declare type PropertyFacts = { name: string, input: string, range: Pair | null };
/** A slider. */
declare type SliderFacts = { name: string, range: Pair, rest: number };
/** An outfit, and the place that it has among those that the rig wears. */
declare type OutfitFacts = { name: string, group: string | null, worn: number | null };
/** An input of a state machine: `number`, `flag` or `trigger`; its value before it is set, and the numbers between which what reads it changes. */
declare type MachineKnob = { name: string, kind: string, rest: number, range: Pair };
/** A state: its clips, each at its place if inputs choose between them. */
declare type StateBox = { name: string, clips: string[], at: Pair[], by: string[], sync: boolean | null,
    speed: number };
/** What has to hold: `fired`, `is` (1 or 0), `above` and `below` of an input, `ended`, `after` so many seconds. */
declare type StateCondition = { kind: string, input: string | null, value: number };
/** What leads from a state, or from any other, to a state. */
declare type StateArrow = { from: string | null, to: string, when: StateCondition[], fade: number };
/** A layer of a machine: where it is written, the bones that it moves, the state in which it begins. */
declare type StatesFacts = { at: Path, bones: string[], add: boolean, start: string, states: StateBox[],
    arrows: StateArrow[] };
/** A state machine. */
declare type MachineFacts = { name: string, inputs: MachineKnob[], layers: StatesFacts[] };
/** Both values of what an edit would overwrite. A side that has no such value is null. */
declare type OvertakenPlace = { at: string, file: string, was: string | null, mine: string | null,
    theirs: string | null };
/** A place that two programs changed. */
declare type ConflictPlace = { at: string, base: string | null, ours: string | null, theirs: string | null };
/** A bone at a place; `part` is `joint`, `tip` or `body`. */
declare type HitBone = { name: string, part: string };
/** Art at a place. */
declare type HitArt = { art: string, id: string | null, label: string | null, address: string };
/** A path that bends: place, share of the bone and number of each vertex. */
declare type WeightPath = { art: string | null, binding: string[], path: number, points: number[][] };
/** A stroke of a brush on weights: what it adds to the bone, or without one how far it evens out. */
declare type WeightStroke = { bone: string | null, much: number, width: number };
/** A binding that bends: its strokes; null where weights are typed. */
declare type WeightBinding = { art: string[], strokes: WeightStroke[] | null };
/** Art, and what it is called in another drawing. */
declare type ReplacedArt = { from: string, to: string | null };
/** A part of a shot: where it is written, the actor that plays it, its clip, where it begins, and its numbers as they are written. Of a film it is a shot. */
declare type ShotPart = { at: Path, of: string | null, clip: string, start: number, length: number,
    fade: number, repeat: number | null, typed: number | null, from: number, speed: number };
/** An actor of a scene; `shots` are those that say what it does. */
declare type ActorFacts = { name: string, rig: string, scale: number, behind: string | null,
    on: string | null, clip: string | null, speed: number, shots: string[] };
declare type GrabWish =
  | { kind: "rotate", bone: string, at: Pair, bones?: string[] }
  | { kind: "translate", bone: string, at: Pair }
  | { kind: "scale", bone: string, at: Pair }
  | { kind: "ik", bone: string, point?: string | null, at?: Pair | null }
  | { kind: "goal", name: string, at?: Pair | null }
  | { kind: "bone", bone: string, at?: Pair | null, tear?: boolean }
  | { kind: "joint", bone: string, at?: Pair | null, tear?: boolean }
  | { kind: "tip", bone: string, at?: Pair | null, tear?: boolean }
  | { kind: "limit", bone: string, end?: number }
  | { kind: "region", bone: string, end?: number };
declare type PageMessage =
  | { t: "frame", seq: number, clip?: string | null, time: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number>, size?: Pair, view?: number[] | null,
    paper?: string | null, onion?: OnionWish | null, values?: string[], values_of_art?: string[],
    play?: boolean, picture?: boolean, machine?: PlayWish | null }
  | { t: "begin", gesture: string, clip?: string | null, time?: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number>, grab: GrabWish, base?: number | null }
  | { t: "drag", seq: number, gesture: string, to: Pair, chain?: number | null, size?: Pair,
    view?: number[] | null, paper?: string | null, onion?: OnionWish | null, values?: string[],
    values_of_art?: string[] }
  | { t: "commit", id?: any, gesture?: string | null, scale?: number, key?: boolean }
  | { t: "cancel", id?: any, gesture?: string | null }
  | { t: "hit", seq: number, clip?: string | null, time?: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number>, at: Pair, reach?: number }
  | { t: "snap", seq: number, at: Pair, reach: number }
  | { t: "copy", id?: any, clip?: string | null, time?: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number>, bones?: string[] }
  | { t: "key", id?: any, clip: string, time: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number>, bones?: string[], channels?: string[],
    rows?: RowKey[], scale?: number, base?: number | null }
  | { t: "paste", id?: any, clip: string, time: number, values: Record<string, BoneValues>, mirror?: boolean,
    scale?: number, base?: number | null }
  | { t: "curve", seq: number, paths?: string[][], from: number, to: number, count?: number }
  | { t: "trail", seq: number, clip?: string | null, time?: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number>, bone: string, from: number, to: number }
  | { t: "weights", seq: number, bone: string, art?: string | null }
  | { t: "svg", id?: any, clip?: string | null, time?: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number> }
  | { t: "png", seq: number, clip?: string | null, time?: number, pose?: Record<string, BoneValues>,
    goals?: Record<string, Pair>, sliders?: Record<string, number>, size?: Pair, view?: number[] | null,
    paper?: string | null, onion?: OnionWish | null }
  | { t: "edit", id?: any, title?: string, ops: Op[], scale?: number | null, gesture?: string | null,
    base?: number | null }
  | { t: "undo", id?: any }
  | { t: "redo", id?: any }
  | { t: "save", id?: any, file?: string | null, as?: string | null, anew?: boolean }
  | { t: "replace", id?: any, name: string, text: string, names?: Record<string, string> | null }
  | { t: "folder", id?: any }
  | { t: "open", id?: any, name: string, text?: string | null }
  | { t: "hold", id?: any, on?: boolean }
  | { t: "resolve", id?: any, file: string, keep: "ours" | "theirs" }
  | { t: "paint", id?: any, art?: string[], do: string, bone?: string | null, values?: number[][],
    times?: number | null, strength?: number | null, from?: string | null, lock?: string[],
    gesture?: string | null, base?: number | null }
  | { t: "journal", id?: any, take?: boolean }
  | { t: "dependants", id?: any, of: string, name: string }
  | { t: "text", id?: any, file: string }
  | { t: "sound", id?: any, seq: number, file: string }
  | { t: "select", of?: string | null, name?: string, clip?: string | null, time?: number | null }
  | { t: "formats", id?: any }
  | { t: "export", id?: any, output: string, args?: string[], replace?: boolean }
  | { t: "stop", id?: any };
declare type ServerMessage =
  | { t: "state", rev: number, rig: string, hold: boolean, files: RigFile[], good: boolean, good_rev: number,
    findings: Findings, undo: string[], redo: string | null, journal: Lost | null, journal_off: string | null,
    eases: Ease[], properties: Record<string, PropertyFacts[]>, size: Pair, canvas: number[], fps: number,
    bones: Bone[], art: Art[], constraints: Constraint[], rules: RuleFacts[], sliders: SliderFacts[],
    outfits: OutfitFacts[], machines: MachineFacts[], scene: boolean, actors: ActorFacts[],
    clips: Record<string, Clip>, order: string[] }
  | { t: "delta", rev: number, by: string, title: string, changed: any }
  | { t: "posed", seq: number, rev: number, clip: string | null, time: number, size: Pair, stale: boolean,
    to_picture: number[], bones: number[][], pose: Record<string, BoneValues>, goals: Record<string, Pair>,
    moved_goals: Record<string, Pair>, values: Record<string, Record<string, ChannelState>>,
    of_art: Record<string, Record<string, ChannelState>>,
    of_filters: Record<string, Record<string, ChannelState>>, sliders: Record<string, ChannelState>,
    camera: Record<string, ChannelState>, seen: number[] | null, statuses: string[], reach: number | null,
    held: string[], setup: number | null, states: string[] }
  | { t: "failed", seq: any, why: string }
  | { t: "ended", gesture: string, why: string }
  | { t: "done", id: any, rev: number }
  | { t: "refused", id: any, why: string, help: string[] }
  | { t: "overtaken", id: any, rev: number, why: string, help: string[], places: OvertakenPlace[],
    again: any }
  | { t: "error", why: string }
  | { t: "select", of: string | null, name: string, clip: string | null, time: number | null }
  | { t: "hit", seq: number, bone: HitBone | null, art: HitArt | null }
  | { t: "snap", seq: number, at: Pair | null }
  | { t: "dependants", id: any, paths: string[] }
  | { t: "replacement", id: any, art: ReplacedArt[], names: string[] }
  | { t: "copied", id: any, values: Record<string, BoneValues> }
  | { t: "curve", seq: number, times: number[], values: number[][][] }
  | { t: "weights", seq: number, bone: string, bindings: WeightBinding[], paths: WeightPath[] }
  | { t: "trail", seq: number, bone: string, times: number[], points: Pair[] }
  | { t: "svg", id: any, text: string }
  | { t: "text", id: any, file: string, text: string | null, outside: string | null }
  | { t: "fresh", rev: number }
  | { t: "unsaved", rev: number, file: string, why: string, help: string[] }
  | { t: "followed", file: string, now: string, why: string }
  | { t: "missing", file: string, text: boolean, why: string, help: string[] }
  | { t: "conflict", file: string, why: string, places: ConflictPlace[] }
  | { t: "formats", id: any, formats: any }
  | { t: "folder", id: any, rigs: string[], drawings: string[] }
  | { t: "opened", id: any, address: string }
  | { t: "progress", id: string, line: string, done: any, total: any }
  | { t: "exported", id: string, code: number | null, output: string, why: string | null }
  | { t: "busy", what: string | null }
  | { t: "watch", how: string, why?: string }
  | { t: "bye" };
// End.
declare type Key = TrackKey;
declare type State = Extract<ServerMessage, { t: "state" }>;
declare type Posed = Extract<ServerMessage, { t: "posed" }>;
declare type Message = { t: string, [field: string]: any };

/** What the model notifies listeners of. */
declare type Topic = "rig" | "time" | "selection" | "tool" | "posed" | "link" | "play" | "note" | "status" | "weights" | "sound";
declare type Note = { kind: "plain" | "error" | "conflict", text: string, help?: string[], id?: string,
  actions?: [string, () => void][], stays?: boolean, choice?: [mine: () => void, theirs: () => void] };
/** A copied or selected key. */
declare type KeyPlace = { track: Track, key: Key };
/** What is chosen of a state machine. */
declare type Picked = { layer: number, state?: string, arrow?: number };
/** A row of the timeline. */
declare type Row = { name: string, depth: number, bone: string | null, tracks: Track[], strong: boolean,
  sound?: SoundFacts, path?: Path | null, parts?: number[], muted?: boolean };
/** What is under the pointer on the stage. */
declare type Hit = { what: "bone", bone: string, part: "joint" | "tip" | "body" } | { what: "axis" } | { what: "goal",
  name: string } | { what: "limit", bone: string, end: number } | { what: "region", bone: string, end: number } | {
  what: "vertex", art: string, binding: string[], path: number, vertex: number, share: number } | { what: "trail",
  time: number } | null;
/** What a field of the panel is of. */
declare type Owner = { what: "bone" | "art" | "filter" | "slider" | "camera" | "clip" | "shot" | "rule" | "lock" |
  "stroke" | "part" | "input" | "actor" | "role" | "machine", name: string };
/** A field of the panel: numbers with the state of their key, a list, a box, a line of text, or buttons. */
declare type Field = { of: Owner, label: string, kind: "numbers" | "list" | "check" | "note" | "actions" | "color" |
  "flag" | "name" | "text" | "slider" | "pad", pad?: import("./pad.js").PadFacts, channel?: string, values?: any[], range?: Pair | null, state?: "none" | "changed" |
  "keyed", options?: (string | null)[], value?: any, text?: string, why?: boolean, buttons?: [act: string, name: string,
  title?: string, off?: boolean][] };
declare type Command = [keys: string[], name: string, act: (event: KeyboardEvent) => void];
declare type Theme = Record<string, string>;
/** What a pressed pointer does in the timeline. */
declare type TimeGesture = { move: (x: number, y: number, event: PointerEvent) => void, end?: (event:
  PointerEvent) => void, cancel?: () => void };
/** What a pressed pointer does on the stage. */
declare type StageGesture = { move: (at: Pair, event: PointerEvent) => void, end: (at: Pair, event:
  PointerEvent) => void, cancel?: () => void };
