// The adapters for PixiJS and Phaser in Chromium: each example at three moments beside the pictures of render-frames, what is
// drawn before and behind a figure, and a hundred walkers.
// node engines.mjs PACKAGE PROGRAM, with puppeteer-core, pixi.js, phaser and phaser4 in JUDGES. PACKAGE is what bindings/web/build.sh
// has made. KEEP=FOLDER keeps the pictures.

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";

const [folder, program] = process.argv.slice(2);
const modules = join(process.env.JUDGES ?? ".", "node_modules");
const require = createRequire(join(modules, "../package.json"));
const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
const root = join(import.meta.dirname, "../..");
const work = mkdtempSync(join(tmpdir(), "engines-"));
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".png": "image/png", ".json": "application/json" };
const ENGINES = { "PixiJS 8": "pixi.js/dist/pixi.min.js", "Phaser 3": "phaser/dist/phaser.min.js", "Phaser 4": "phaser4/dist/phaser.min.js" };
/** Mean levels of 255 that a picture may differ by, and how large it is at most. */
const MOST = 3, SIDE = 400, FPS = 24;

let failed = 0;
function check(what, is, seen = "") {
  console.log(`${is ? "ok" : "FAILED"}  ${what} ${seen}`);
  failed += is ? 0 : 1;
}

const names = readdirSync(join(root, "examples")).filter((name) => existsSync(join(root, "examples", name, "rig.ron")));
const rigs = names.map((name) => {
  const rig = join(root, "examples", name, "rig.ron");
  execFileSync(program, ["pack", rig, "-o", join(work, `${name}.bones`)], { stdio: "ignore" });
  const told = execFileSync(program, ["inspect", rig, "--json"], { maxBuffer: 1e8 }).toString();
  const count = Number(told.match(/"frames": ?(\d+)/)?.[1] ?? 24);
  const [width, height] = JSON.parse(told).size;
  const scale = SIDE / Math.max(width, height);
  const frames = [0, Math.floor(count / 3), Math.floor((2 * count) / 3)];
  execFileSync(program, ["render", rig, "-o", join(work, `${name}_#.png`), "--fps", String(FPS), "--frames", frames.join(","), "--scale", String(scale), "--background", "white", "--progress", "none"], { stdio: ["ignore", "pipe", "ignore"] });
  return { name, frames };
});

const site = createServer((request, response) => {
  const { pathname } = new URL(request.url, "http://x");
  const engine = Object.entries(ENGINES).find(([name]) => pathname === `/${encodeURIComponent(name)}`)?.[1];
  const file = engine ? join(modules, engine) : pathname.startsWith("/frames/") ? join(work, basename(pathname)) : join(folder, pathname);
  response.setHeader("Content-Type", pathname === "/" ? "text/html" : (TYPES[engine ? ".js" : extname(file)] ?? "application/octet-stream"));
  try {
    response.end(pathname === "/" ? "<!doctype html><title>Figures</title>" : readFileSync(file));
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((done) => site.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${site.address().port}/`;
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"], defaultViewport: { width: 600, height: 600 } });

/** In the page: a game with one figure at a time. */
async function prepare(engine, side) {
  await new Promise((onload, onerror) => document.head.append(Object.assign(document.createElement("script"), { src: `/${encodeURIComponent(engine)}`, onload, onerror })));
  const pixi = engine.startsWith("Pixi");
  const { [pixi ? "boneContainer" : "boneObject"]: made } = await import(pixi ? "/pixi.js" : "/phaser.js");
  const { load } = await import("/index.js");
  window.load = load;
  if (pixi) {
    const app = new PIXI.Application();
    await app.init({ width: side, height: side, background: "#ffffff", preference: "webgl", autoStart: false });
    const Figure = made(PIXI);
    window.game = {
      canvas: app.canvas,
      show(player, scale, x = 0, y = 0) {
        const figure = new Figure(player);
        figure.scale.set(scale);
        figure.position.set(x, y);
        return app.stage.addChild(figure);
      },
      mark: (x, y, size, color) => app.stage.addChild(new PIXI.Graphics().rect(x, y, size, size).fill(color)),
      async draw() {
        app.render();
      },
      clear: () => app.stage.removeChildren().forEach((child) => child.destroy()),
      step: (figure) => figure.step(1 / 60),
    };
    return;
  }
  const Figure = made(Phaser);
  await new Promise((done) => {
    const game = new Phaser.Game({ type: Phaser.WEBGL, width: side, height: side, backgroundColor: "#ffffff", banner: false, audio: { noAudio: true }, render: { preserveDrawingBuffer: true, stencil: true }, scene: { create() {
      const scene = this;
      window.game = {
        canvas: game.canvas,
        show(player, scale, x = 0, y = 0) {
          const figure = new Figure(scene, x, y, player);
          figure.playing = false;
          return scene.add.existing(figure.setScale(scale));
        },
        mark: (x, y, size, color) => scene.add.rectangle(x, y, size, size, color).setOrigin(0, 0),
        async draw() {
          game.loop.sleep();
          game.step(performance.now(), 16);
        },
        clear: () => scene.children.removeAll(true),
        step: (figure) => figure.player.step(1 / 60),
      };
      done();
    } } });
  });
}

for (const engine of Object.keys(ENGINES)) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(origin);
  await page.evaluate(prepare, engine, SIDE);
  const results = await page.evaluate(async (rigs, FPS) => {
    const results = [];
    const flat = document.createElement("canvas");
    flat.width = flat.height = window.game.canvas.width;
    const context = flat.getContext("2d", { willReadFrequently: true });
    for (const { name, frames } of rigs) {
      const figure = await window.load(`/frames/${name}.bones`);
      const player = figure.player();
      for (const frame of frames) {
        const truth = await createImageBitmap(await (await fetch(`/frames/${name}_${frame}.png`)).blob());
        const { width, height } = truth;
        player.exact(figure.clips[0].name, frame / FPS);
        window.game.clear();
        window.game.mark(0, 0, 20, 0x00ff00);
        const shown = window.game.show(player, width / figure.width);
        window.game.mark(width - 8, height - 8, 8, 0xff0000);
        // The scale of the screen is known after a first picture.
        await window.game.draw();
        await window.game.draw();
        context.fillStyle = "#fff";
        const read = (image) => {
          context.fillRect(0, 0, flat.width, flat.height);
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, width, height).data;
        };
        const wanted = read(truth), found = read(window.game.canvas);
        const [red, green] = found.subarray(found.length - 4);
        let sum = 0;
        for (let at = 0; at < found.length; at++) {
          const [x, y] = [(at >> 2) % width, Math.floor((at >> 2) / width)];
          // Not what lies behind and before it, which shows where the figure is clear.
          if ((x < 20 && y < 20) || (x >= width - 8 && y >= height - 8)) continue;
          sum += Math.abs(found[at] - wanted[at]);
        }
        results.push({ name, frame, mean: (sum * 4) / 3 / found.length, leftOut: shown.leftOut, before: red > 250 && green < 5, picture: window.game.canvas.toDataURL() });
      }
      player.close();
      figure.close();
    }
    return results;
  }, rigs, FPS);
  if (process.env.KEEP) for (const { name, frame, picture } of results) writeFileSync(join(process.env.KEEP, `${engine} ${name} ${frame}.png`), Buffer.from(picture.split(",")[1], "base64"));
  const means = results.map(({ mean }) => mean).sort((a, b) => a - b);
  const off = results.filter(({ mean, before }) => mean > MOST || !before).map(({ name, frame, mean, before }) => `${name} at ${frame}: ${mean.toFixed(2)}${before ? "" : ", and what is before it is hidden"}`);
  const canvases = new Set(results.filter(({ leftOut }) => leftOut).map(({ name }) => name));
  check(`${engine}: ${results.length} pictures`, off.length === 0 && errors.length === 0, `differ by ${means[means.length >> 1].toFixed(2)} levels in the median, ${means[means.length - 1].toFixed(2)} at most (${MOST}); by a canvas ${[...canvases].join(", ") || "none"} ${[...off, ...errors].join("; ")}`);

  // A hundred walkers. The processor stands in for a graphics card here: what is measured is what the scripts take, without triangles
  // being drawn.
  const walkers = await page.evaluate(async () => {
    window.game.clear();
    const figure = await window.load("/frames/walk.bones");
    const figures = Array.from({ length: 100 }, (_, k) => {
      const player = figure.player();
      player.play(figure.clips[0].name, { at: k * 0.037 });
      return window.game.show(player, 0.15, (k % 10) * 40, Math.floor(k / 10) * 40);
    });
    await window.game.draw();
    for (const kind of [WebGLRenderingContext, WebGL2RenderingContext]) kind.prototype.drawElements = () => {};
    const times = [];
    for (let round = 0; round < 30; round++) {
      const start = performance.now();
      figures.forEach(window.game.step);
      await window.game.draw();
      times.push(performance.now() - start);
      await new Promise(requestAnimationFrame);
    }
    return times.sort((a, b) => a - b)[15];
  });
  console.log(`        100 walkers: ${walkers.toFixed(1)} ms of script and uploads a frame (goal 16)`);
  check(`${engine}: no error`, errors.length === 0, errors.join("; "));
  await page.close();
}
await browser.close();
site.close();
rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
