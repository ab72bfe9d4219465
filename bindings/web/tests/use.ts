// What a program of a user may write; compiled, not run.

import { BoneLayerError, load, setWasm, setWorker, type Figure, type Playback } from "bone-layer";

setWasm(new URL("bone-layer.wasm", "https://example.org/"));
setWorker("worker.js");
const controller = new AbortController();
const figure: Figure = await load("hero.bones", { signal: controller.signal });
const player = figure.player();
const walk: Playback = player.play("walk", { fade: 0.2, repeat: Infinity });
player.layer("wave", { weight: 0.5 });
player.addEventListener("marker", ({ detail }) => console.log(detail.name, detail.value));
player.setInput("target:hand", { x: 10, y: 20 });
player.setInput("mix:look", null);
player.setColor("shirt", "teal", "stroke");
player.seek(walk, 0.5);
const time: number | null = player.time(walk);
player.step(1 / 60);
const context = document.createElement("canvas").getContext("2d");
if (context) player.paint(context, { a: 2, d: 2 });
const hit: string | null = player.hit(1, 2);
try {
  player.play("none");
} catch (error) {
  if (error instanceof BoneLayerError && error.code === "name") console.log(error.message, time, hit);
}
const element = document.querySelector("bone-layer");
element?.addEventListener("error", () => element.pause());
element?.ready.then((own) => own.setVisible("hat", false));
// @ts-expect-error A player is made by its figure.
new (await import("bone-layer")).Player();
// @ts-expect-error Parts are fills and strokes.
player.setColor("shirt", "teal", "outline");

import { Stage, type Actor } from "bone-layer/stage";
const stage = new Stage(document.createElement("canvas"), { background: "white" });
const actor: Actor = stage.add(player, { a: 0.2, d: 0.2 });
actor.speed = 2;
stage.start();
player.setBone("hip", { angle: 20 });
player.fire("machine:hero/jump");
console.log(stage.hit(1, 2)?.element);
// @ts-expect-error A player is not steered through its stage.
stage.play("walk");
