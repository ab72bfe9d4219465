// The npm package in a browser: its pictures beside those of render-frames, and what pages expect of an element.
// node web.mjs PACKAGE PROGRAM [firefox], with puppeteer-core in JUDGES and axe-core's axe.min.js in AXE.
// PACKAGE is what bindings/web/build.sh has made.

import { execFileSync, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";

const [folder, program, browserName = "chromium"] = process.argv.slice(2);
const require = createRequire(join(process.env.JUDGES ?? ".", "package.json"));
const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
const root = join(import.meta.dirname, "../..");
// FRAMES=folder keeps packed rigs and frames for the next run.
const work = process.env.FRAMES ? resolve(process.env.FRAMES) : mkdtempSync(join(tmpdir(), "web-"));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".png": "image/png", ".json": "application/json", ".svg": "image/svg+xml" };
const FPS = 24;
/** Mean levels of 255 that a picture may differ by. */
const MOST = 1;
/** Bytes with brotli. The module's goal is 180 kB; the gate is what it may not grow beyond. The order of its functions
 * follows the folder it was built in, which is worth up to 3 kB. */
const WASM_GOAL = 180e3, WASM_GATE = 422e3, SCRIPT_GATE = 14e3;

/** What may differ more: Firefox samples turned tiles otherwise in its own drawing of SVG. */
const ROUGH = browserName === "firefox" ? { "pattern-transformed": 3 } : {};
/** A file that is cut short: decoders fill what is missing in their own ways. */
const CUT = "image-gif";

let failed = 0;
function check(what, is, seen = "") {
  console.log(`${is ? "ok" : "FAILED"}  ${what} ${seen}`);
  failed += is ? 0 : 1;
}

// Sizes.
const brotli = (name) => brotliCompressSync(readFileSync(join(folder, name))).length;
const kilobytes = (name) => `${(brotli(name) / 1e3).toFixed(1)} kB`;
check("the module", brotli("bone-layer.wasm") <= WASM_GATE, `${kilobytes("bone-layer.wasm")} with brotli (goal ${WASM_GOAL / 1e3})`);
check("the script", brotli("index.js") <= SCRIPT_GATE, `${kilobytes("index.js")} with brotli (at most ${SCRIPT_GATE / 1e3}); worker.js ${kilobytes("worker.js")}, react.js ${kilobytes("react.js")}`);

// Rigs and their frames: all examples at three moments, all drawings of tests/svg at one.
const rigs = [];
for (const name of readdirSync(join(root, "examples"))) {
  const rig = join(root, "examples", name, "rig.ron");
  if (readdirSync(join(root, "examples"), { withFileTypes: true }).find((entry) => entry.name === name).isDirectory() && readdirSync(join(root, "examples", name)).includes("rig.ron")) rigs.push({ name, rig });
}
rigs.push({ name: "outfits", rig: join(root, "tests/rigs/outfits.ron") });
mkdirSync(join(work, "svg"), { recursive: true });
for (const file of readdirSync(join(root, "tests/svg")).filter((file) => file.endsWith(".svg") && file !== `${CUT}.svg`)) {
  const name = basename(file, ".svg"), rig = join(work, "svg", `${name}.ron`);
  writeFileSync(rig, `Rig(version: 1, drawing: ${JSON.stringify(join(root, "tests/svg", file))}, bones: { "still": (from: (0, 0), to: (1, 0)) }, clips: { "still": (length: 1, bones: {}) })\n`);
  rigs.push({ name, rig, drawing: true });
}
const quietly = { stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1e8 };
for (const rig of rigs) {
  const packed = join(work, `${rig.name}.bones`);
  try {
    if (!existsSync(packed)) execFileSync(program, ["pack", rig.rig, "-o", packed], quietly);
    rig.frames = [0];
    if (!rig.drawing) {
      const count = Number(execFileSync(program, ["inspect", rig.rig, "--json"], quietly).toString().match(/"frames": ?(\d+)/)?.[1] ?? 24);
      rig.frames = [0, Math.floor(count / 3), Math.floor((2 * count) / 3)];
    }
    if (!rig.frames.every((frame) => existsSync(join(work, `${rig.name}_${frame}.png`)))) execFileSync(program, ["render", rig.rig, "-o", join(work, `${rig.name}_#.png`), "--fps", String(FPS), "--frames", rig.frames.join(","), "--background", "white", "--progress", "none"], quietly);
  } catch (error) {
    if (rig.drawing) rig.skipped = String(error.stderr ?? error).trim().split("\n")[0];
    else throw error;
  }
}

// A server of the package, the rigs and small pages.
const pages = new Map();
const site = createServer((request, response) => {
  const url = new URL(request.url, "http://x");
  const made = pages.get(url.pathname);
  const file = url.pathname.startsWith("/rigs/") ? join(work, basename(url.pathname)) : url.pathname.startsWith("/svg/") ? join(root, "tests/svg", basename(url.pathname)) : join(folder, decodeURIComponent(url.pathname));
  try {
    const { type, policy, body } = made ?? { type: TYPES[extname(file)], body: readFileSync(file) };
    if (policy) response.setHeader("Content-Security-Policy", policy);
    response.setHeader("Content-Type", type ?? "application/octet-stream");
    response.end(body);
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((done) => site.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${site.address().port}`;
const html = (path, body, policy) => pages.set(path, { type: "text/html", policy, body: `<!doctype html><html lang="en"><title>Figures</title><main><h1>Figures</h1>${body}</main></html>` });
html("/plain", "");

const browser = await puppeteer.launch(browserName === "firefox"
  ? { browser: "firefox", executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr", headless: true }
  : { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--enable-precise-memory-info"], defaultViewport: { width: 1000, height: 800 } });
const errors = [];
async function open(path, prepare) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => errors.push(`${path}: ${error.message}`));
  await prepare?.(page);
  await page.goto(origin + path);
  return page;
}

// Pictures.
const page = await open("/plain", (page) => page.evaluateOnNewDocument(() => {
  // The memory of the module, which the package keeps to itself.
  window.instances = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = async (...values) => {
    const made = await instantiate(...values);
    window.instances.push(made.instance.exports);
    return made;
  };
}));
const compared = await page.evaluate(async (rigs, FPS, MOST) => {
  const { load } = await import("/index.js");
  const results = [];
  for (const { name, frames, skipped, drawing } of rigs) {
    if (skipped) continue;
    try {
      const figure = await load(`/rigs/${name}.bones`);
      const player = figure.player();
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(figure.width);
      canvas.height = Math.round(figure.height);
      const context = canvas.getContext("2d", { willReadFrequently: true });
      const means = [];
      const painted = (paint) => {
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.globalCompositeOperation = "source-over";
        context.clearRect(0, 0, canvas.width, canvas.height);
        paint();
        context.globalCompositeOperation = "destination-over";
        context.fillStyle = "#fff";
        context.fillRect(0, 0, canvas.width, canvas.height);
        return context.getImageData(0, 0, canvas.width, canvas.height).data;
      };
      const mean = (found, wanted) => (found.reduce((sum, level, p) => sum + Math.abs(level - wanted[p]), 0) * 4) / 3 / found.length;
      for (const frame of frames) {
        const reference = await createImageBitmap(await (await fetch(`/rigs/${name}_${frame}.png`)).blob());
        player.exact(figure.clips[0].name, frame / FPS);
        const wanted = painted(() => context.drawImage(reference, 0, 0));
        means.push(mean(painted(() => player.paint(context)), wanted));
      }
      // What is painted a second time comes of what was kept.
      const before = painted(() => player.paint(context)), again = painted(() => player.paint(context));
      const picture = canvas.width * canvas.height < 4e5 ? canvas.toDataURL() : null;
      // Where renderers of SVG differ, such as for tiles that are no whole pixels, the browser's own is as good.
      if (drawing && means[0] > MOST) {
        const own = new Image();
        own.src = `/svg/${name}.svg`;
        await own.decode();
        const mine = painted(() => player.paint(context));
        means[0] = Math.min(means[0], mean(mine, painted(() => context.drawImage(own, 0, 0, figure.width, figure.height))));
      }
      results.push({ name, means, same: before.every((level, p) => level === again[p]), unsupported: figure.unsupported, picture });
      player.close();
      figure.close();
    } catch (error) {
      results.push({ name, means: [Infinity], unsupported: [], error: `${error.code} ${error.message} ${error.stack}` });
    }
  }
  return results;
}, rigs, FPS, MOST);
const worst = (result) => Math.max(...result.means);
for (const drawing of [false, true]) {
  const these = compared.filter((result) => Boolean(rigs.find((rig) => rig.name === result.name).drawing) === drawing);
  const off = these.filter((result) => worst(result) > (ROUGH[result.name] ?? MOST) && !result.unsupported.length);
  const named = these.filter((result) => worst(result) > MOST && result.unsupported.length);
  const what = drawing ? "drawings of tests/svg" : "examples";
  const figures = these.map(worst).sort((a, b) => a - b);
  check(`${these.length} ${what}`, off.length === 0, `differ by ${figures[figures.length >> 1]?.toFixed(2)} levels in the median, ${figures[figures.length - 1]?.toFixed(2)} at most; ${named.length} over ${MOST} name why`);
  for (const result of [...off, ...named]) console.log(`        ${result.name}: ${worst(result).toFixed(2)} ${result.unsupported.join(", ")} ${result.error ?? ""}`);
  if (!drawing) these.forEach((result) => console.log(`        ${result.name.padEnd(12)} ${result.means.map((mean) => mean.toFixed(2)).join(" ")} ${result.unsupported.join(", ")}`));
  check("the same again", these.every((result) => result.same !== false), these.filter((result) => result.same === false).map((result) => result.name).join(" "));
  if (process.env.PICTURES) for (const result of compared) if (result.picture) writeFileSync(join(process.env.PICTURES, `${result.name}.png`), Buffer.from(result.picture.split(",")[1], "base64"));
}
rigs.filter((rig) => rig.skipped).forEach((rig) => console.log(`        not compared: ${rig.name}: ${rig.skipped}`));

// What is set, and what happens.
const calls = await page.evaluate(async () => {
  const { load, BoneLayerError } = await import("/index.js");
  const code = (act) => {
    try {
      act();
      return null;
    } catch (error) {
      return error instanceof BoneLayerError ? error.code : String(error);
    }
  };
  const bytes = new Uint8Array(await (await fetch("/rigs/face.bones")).arrayBuffer());
  const figure = await load(bytes), player = figure.player();
  const canvas = new OffscreenCanvas(figure.width, figure.height), context = canvas.getContext("2d", { willReadFrequently: true });
  const picture = () => {
    player.step(0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    player.paint(context);
    return context.getImageData(0, 0, canvas.width, canvas.height).data;
  };
  const differ = (a, b) => a.some((level, p) => level !== b[p]);
  const out = {};
  const events = [];
  for (const name of ["loop", "end", "removed", "marker", "input", "change"]) player.addEventListener(name, () => events.push(name));
  const rest = picture();
  const number = figure.inputs.find((input) => input.kind === "number"), choice = figure.inputs.find((input) => input.kind === "choice");
  if (choice) {
    player.setInput(choice.name, choice.max);
    const one = picture();
    player.setInput(choice.name, -1);
    out.choice = differ(one, picture());
    player.setInput(choice.name, null);
    out.back = !differ(rest, picture());
  }
  out.inputs = figure.inputs.map((input) => input.name);
  const element = player.hit(canvas.width / 2, canvas.height / 2);
  player.setColor(element, "rgb(255 0 0 / 50%)");
  out.colored = differ(rest, picture());
  player.setColor(element, null);
  out.uncolored = !differ(rest, picture());
  const box = player.bounds();
  out.bounds = box.width > 10 && box.x >= -box.width;
  const filled = [];
  for (let y = 2; y < canvas.height; y += 23) for (let x = 2; x < canvas.width; x += 23) {
    const seen = rest[4 * (y * canvas.width + x) + 3] > 0, hit = player.hit(x + 0.5, y + 0.5) !== null;
    filled.push(seen === hit);
  }
  out.hits = filled.filter(Boolean).length / filled.length;
  player.setVisible(element, false);
  out.hidden = differ(rest, picture());
  player.setVisible(element, null);
  out.shown = !differ(rest, picture());
  const bone = figure.bones[0], still = player.bone(bone);
  player.setBone(bone, { angle: 90 });
  player.step(0);
  const turned = player.bone(bone);
  out.turned = Math.abs(turned.a * still.a + turned.b * still.b) < 1e-6 * Math.hypot(still.a, still.b) ** 2;
  player.setBone(bone, null);
  player.step(0);
  out.turned &&= JSON.stringify(player.bone(bone)) === JSON.stringify(still);
  const clip = figure.clips[0];
  const playback = player.play(clip.name, { repeat: 2 });
  for (let t = 0; t < 3 * clip.length; t += 0.05) player.step(0.05);
  out.events = [...new Set(events)];
  out.time = player.time(playback);
  out.codes = [code(() => player.play("no such clip")), code(() => player.step(-1)), code(() => player.setColor(element, "no colour")), code(() => player.setInput("slider:none", 1)), code(() => player.play(clip.name, { repeat: 0.5 }))];
  player.close();
  out.codes.push(code(() => player.step(0)));
  out.pack = await load(bytes.slice(0, 90)).catch((error) => error.code);
  out.network = await load("/rigs/none.bones").catch((error) => error.code);
  figure.close();
  return out;
});
check("inputs", calls.choice !== false && calls.back !== false && calls.inputs.length > 0, calls.inputs.join(" "));
check("colours", calls.colored && calls.uncolored);
check("visibility", calls.hidden && calls.shown);
check("bones are set", calls.turned);
check("hits are where ink is", calls.hits > 0.98, `${(100 * calls.hits).toFixed(1)} %`);
check("events", ["loop", "end", "change", "input"].every((name) => calls.events.includes(name)), calls.events.join(" "));
check("codes", calls.codes.join() === "name,number,color,name,number,closed" && calls.pack === "pack" && calls.network === "network", `${calls.codes} ${calls.pack} ${calls.network}`);

// Many on one canvas.
const crowd = await page.evaluate(async () => {
  const { load } = await import("/index.js");
  const { Stage } = await import("/stage.js");
  const figure = await load("/rigs/walk.bones");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [900, 500];
  document.body.prepend(canvas);
  const stage = new Stage(canvas, { background: "#fff", reducedMotion: "play" }), out = {};
  const place = (at) => ({ a: 0.15, d: 0.15, e: 80 * (at % 10), f: 40 * Math.floor(at / 10) });
  for (let at = 0; at < 100; at++) {
    const player = figure.player();
    player.play("walk", { at: at / 100 });
    stage.add(player, place(at));
  }
  const pixels = () => canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
  const same = (a, b) => a.every((level, at) => level === b[at]);
  stage.step(0.1);
  stage.paint();
  const together = pixels();
  // The same by hand, on a canvas alone.
  const alone = canvas.cloneNode(), context = alone.getContext("2d");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, 900, 500);
  for (let at = 0; at < 100; at++) {
    const player = figure.player();
    player.play("walk", { at: at / 100 });
    player.step(0.1);
    player.paint(context, place(at));
    player.close();
  }
  out.alike = same(together, context.getImageData(0, 0, 900, 500).data);
  const last = stage.actors[99], front = stage.hit(80 * 9 + 0.15 * 320, 360 + 0.15 * 400);
  out.hit = front?.actor === last && last.player.hit(320, 400) === front.element;
  last.visible = false;
  out.behind = stage.hit(80 * 9 + 0.15 * 320, 360 + 0.15 * 400)?.actor !== last;
  const before = performance.now();
  for (let turn = 0; turn < 5; turn++) stage.step(1 / 60), stage.paint();
  out.frame = (performance.now() - before) / 5;
  const times = () => stage.actors[0].player.bone("hip").f;
  stage.start();
  const first = times();
  await new Promise((done) => setTimeout(done, 400));
  out.runs = stage.running && times() !== first;
  stage.stop();
  const still = times();
  await new Promise((done) => setTimeout(done, 200));
  out.stops = !stage.running && times() === still;
  const players = stage.actors.map(({ player }) => player);
  stage.remove(last);
  out.removed = stage.actors.length === 99;
  stage.close();
  players.forEach((player) => player.close());
  figure.close();
  canvas.remove();
  return out;
});
check("a stage of 100", crowd.alike && crowd.hit && crowd.behind && crowd.runs && crowd.stops && crowd.removed, `${JSON.stringify(crowd)}`);

// A state machine by its inputs: whole steps and cut ones enter the same states.
const machine = await page.evaluate(async () => {
  const { load } = await import("/index.js");
  const figure = await load("/rigs/chick.bones");
  const played = (cuts) => {
    const player = figure.player(), states = [];
    player.addEventListener("state", ({ detail }) => states.push(`${detail.value}:${detail.name}`));
    player.setInput("machine:chick/speed", 1);
    player.start("chick");
    const pass = (seconds) => { for (let k = 0; k < cuts; k++) player.step(seconds / cuts); };
    pass(0.5);
    player.fire("machine:chick/jump");
    player.setInput("machine:chick/left", true);
    pass(0.5);
    pass(1);
    player.setInput("machine:chick/speed", 0);
    player.setInput("machine:chick/peck", true);
    pass(0.3);
    const { e, f } = player.bone("wing");
    player.close();
    return { states: states.join(" "), e, f };
  };
  const whole = played(1), cut = played(17);
  const kinds = figure.inputs.filter(({ name }) => name.startsWith("machine:")).map(({ kind }) => kind);
  const element = document.createElement("bone-layer");
  Object.assign(element, { alt: "" });
  element.setAttribute("src", "/rigs/chick.bones");
  element.setAttribute("machine", "chick");
  element.setAttribute("autoplay", "on");
  document.body.append(element);
  const player = await element.ready;
  const entered = new Promise((resolve) => element.addEventListener("state", ({ detail }) => resolve(detail.name)));
  player.setInput("machine:chick/jump", true);
  const seen = await Promise.race([entered, new Promise((resolve) => setTimeout(() => resolve("nothing"), 4000))]);
  element.remove();
  const wrong = (() => { try { figure.player().start("hen"); } catch ({ code, message }) { return `${code}: ${message}`; } return ""; })();
  figure.close();
  return { whole, cut, kinds, seen, wrong };
});
const states = "0:air 1:left 0:ground 2:pecks";
check("a state machine", machine.whole.states === states && machine.cut.states === states && Math.hypot(machine.whole.e - machine.cut.e, machine.whole.f - machine.cut.f) < 0.01, `${machine.whole.states}; ${machine.kinds.join(" ")}`);
check("a state machine in an element", machine.seen === "air" && machine.wrong.startsWith("name: no machine is called"), `${machine.seen}; ${machine.wrong}`);

// What a figure wears: by itself, by the attribute, and by a player that stands still.
const worn = await page.evaluate(async () => {
  const element = document.createElement("bone-layer");
  element.setAttribute("src", "/rigs/outfits.bones");
  element.setAttribute("alt", "");
  element.setAttribute("wear", "winter, robot");
  document.body.append(element);
  const player = await element.ready;
  const seen = () => ["cape", "coat", "shirt", "mouths", "mouths.metal"].filter((art) => player.bounds(art)).join();
  const out = [player.figure.outfits.join(), seen()];
  const change = (act) => { act(); out.push(seen()); };
  change(() => element.removeAttribute("wear"));
  change(() => player.wear(["summer"]));
  change(() => player.wear([]));
  change(() => player.wear(null));
  out.push((() => { try { player.wear(["wintr"]); } catch ({ code, message }) { return `${code}: ${message}`; } return ""; })());
  out.push(seen());
  element.remove();
  return out;
});
check("outfits", worn.join("; ") === "winter,summer,robot,caped; coat,mouths.metal; cape,shirt,mouths; shirt,mouths; shirt,mouths; cape,shirt,mouths; name: no outfit is called \"wintr\"; there is \"winter\"; cape,shirt,mouths", worn.join("; "));

// Elements: two hundred come and go.
const leaks = await page.evaluate(async () => {
  const { memory } = window.instances[0];
  const sizes = [];
  for (let round = 0; round < 10; round++) {
    for (let k = 0; k < 20; k++) {
      const element = document.createElement("bone-layer");
      element.setAttribute("src", "/rigs/walk.bones");
      element.alt = "";
      document.body.append(element);
      await element.ready;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      element.remove();
      await null;
    }
    sizes.push(memory.buffer.byteLength);
  }
  return { sizes, instances: window.instances.length };
});
check("200 mounts and unmounts", leaks.instances === 1 && leaks.sizes[9] === leaks.sizes[1], `${leaks.sizes.map((size) => (size / 1048576).toFixed(1)).join(" ")} MiB`);

const settled = (page) => page.evaluate(() => Promise.all([...document.querySelectorAll("bone-layer")].map((element) => element.ready.then(() => true, (error) => error.code))));
const still = (page, milliseconds = 400) => page.evaluate(async (milliseconds) => {
  const canvas = document.querySelector("bone-layer").shadowRoot.querySelector("canvas");
  const shot = async () => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height), context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    return [...context.getImageData(0, 0, copy.width, copy.height).data].reduce((sum, level, p) => (sum * 31 + level * (p % 97 + 1)) % 1000003, 7);
  };
  await new Promise((done) => setTimeout(done, 200));
  const before = await shot();
  await new Promise((done) => setTimeout(done, milliseconds));
  return { moves: before !== await shot(), drawn: !canvas.hidden && canvas.width > 1 };
}, milliseconds);

// It plays, and pauses off screen.
html("/playing", `<bone-layer id="figure" src="/rigs/walk.bones" controls alt="A person walks"></bone-layer><script type="module" src="/index.js"></script>`);
const playing = await open("/playing");
await settled(playing);
const moving = await still(playing);
check("plays", moving.moves && moving.drawn);
if (process.env.AXE && browserName === "chromium") {
  await playing.evaluate(readFileSync(process.env.AXE, "utf8"));
  const found = await playing.evaluate(async () => (await axe.run()).violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html.slice(0, 90)).join("; ")}`));
  check("axe-core", found.length === 0, found.join(" | "));
}
await playing.evaluate(() => document.querySelector("bone-layer").shadowRoot.querySelector("button").focus());
await playing.keyboard.press(" ");
check("a key pauses", !(await still(playing)).moves);
await playing.keyboard.press("Enter");
check("a key plays", (await still(playing)).moves);
await playing.evaluate(() => {
  document.querySelector("main").prepend(Object.assign(document.createElement("div"), { style: "height: 5000px" }));
  scrollTo(0, 0);
});
check("pauses off screen", !(await still(playing)).moves);
await playing.evaluate(() => document.querySelector("bone-layer").scrollIntoView());
check("goes on in sight", (await still(playing)).moves);
const clicked = await playing.evaluate(async () => {
  const element = document.querySelector("bone-layer"), { figure, player } = element;
  const box = player.bounds(), canvas = element.shadowRoot.querySelector("canvas"), area = canvas.getBoundingClientRect();
  let named = null;
  element.addEventListener("elementclick", ({ detail }) => (named = detail.element));
  for (let k = 0; k < 40 && !named; k++) {
    const x = box.x + box.width * ((k * 0.37) % 1), y = box.y + box.height * ((k * 0.61) % 1);
    const scale = Math.min(area.width / figure.width, area.height / figure.height);
    canvas.dispatchEvent(new MouseEvent("click", { clientX: area.left + (area.width - scale * figure.width) / 2 + x * scale, clientY: area.top + (area.height - scale * figure.height) / 2 + y * scale }));
    await new Promise((done) => setTimeout(done));
  }
  return named;
});
check("a click names an element", Boolean(clicked), clicked);

// Reduced motion.
if (browserName === "chromium") {
  const reduce = (value) => (page) => page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value }]);
  const quiet = await open("/playing", reduce("reduce"));
  await settled(quiet);
  const first = await still(quiet);
  check("reduced motion: the first frame alone", first.drawn && !first.moves);
  await quiet.evaluate(() => document.querySelector("bone-layer").shadowRoot.querySelector("button").focus());
  await quiet.keyboard.press("Enter");
  check("reduced motion: a key plays", (await still(quiet)).moves);
  await reduce("no-preference")(quiet);
  await reduce("reduce")(quiet);
  check("reduced motion: also when the setting changes", !(await still(quiet)).moves);
}

// Content-Security-Policy.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; img-src 'self'; worker-src 'self'";
html("/strict", `<bone-layer src="/rigs/walk.bones" alt="A person walks"></bone-layer><script type="module" src="/index.js"></script>`, policy);
html("/strict-worker", `<bone-layer src="/rigs/walk.bones" worker alt="A person walks"></bone-layer><script type="module" src="/index.js"></script>`, policy);
html("/blocked", `<bone-layer src="/rigs/walk.bones" alt="A person walks"><img src="/rigs/walk_0.png" alt=""></bone-layer><script type="module" src="/index.js"></script>`, policy.replace(" 'wasm-unsafe-eval'", ""));
const violations = (page) => page.evaluateOnNewDocument(() => {
  window.violations = [];
  document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective + " " + event.blockedURI));
});
for (const path of ["/strict", "/strict-worker"]) {
  const strict = await open(path, violations);
  const [ready] = await settled(strict);
  await new Promise((done) => setTimeout(done, 500));
  const found = await strict.evaluate(() => ({ violations: window.violations, canvas: !document.querySelector("bone-layer").shadowRoot.querySelector("canvas").hidden }));
  check(`policy ${path}`, ready === true && found.violations.length === 0 && found.canvas, `${ready} ${found.violations}`);
}
const blocked = await open("/blocked", violations);
const [code] = await settled(blocked);
const poster = await blocked.evaluate(() => {
  const image = document.querySelector("bone-layer img"), box = image.getBoundingClientRect();
  return box.width > 1 && image.checkVisibility();
});
check("without 'wasm-unsafe-eval': the poster", code === "wasm-blocked" && poster, code);

// A worker, and what it answers.
html("/worker", `<bone-layer src="/rigs/walk.bones" worker alt="A person walks"></bone-layer><script type="module" src="/index.js"></script>`);
const worker = await open("/worker");
const [workerReady] = await settled(worker);
const remote = workerReady === true ? await still(worker) : { moves: false };
const answers = await worker.evaluate(async () => {
  const { player, figure } = document.querySelector("bone-layer");
  const pose = async () => JSON.stringify(await Promise.all(figure.bones.map((name) => player.bone(name))));
  const before = await pose();
  await new Promise((done) => setTimeout(done, 300));
  const moves = before !== await pose();
  const box = await player.bounds();
  const code = await player.bounds("no such thing").catch((error) => error.code);
  return [box?.width > 10, code, moves];
});
// Firefox gives no pixels of a canvas that a worker has.
check("a worker plays", answers[2] && (remote.moves || browserName === "firefox"), `${workerReady} ${answers}`);
check("a worker answers", answers[0] && answers[1] === "name");

// A fault of the module: the next load gets another instance.
const fault = await open("/plain", (page) => page.evaluateOnNewDocument(() => {
  const { instantiate } = WebAssembly;
  window.faults = true;
  WebAssembly.instantiate = async (...values) => {
    const { exports } = (await instantiate(...values)).instance;
    const bl_step = (...values) => {
      if (window.faults) throw new WebAssembly.RuntimeError("unreachable");
      return exports.bl_step(...values);
    };
    return { instance: { exports: { ...exports, bl_step } } };
  };
}));
const faults = await fault.evaluate(async () => {
  const { load } = await import("/index.js");
  const element = document.createElement("bone-layer");
  element.setAttribute("src", "/rigs/walk.bones");
  const seen = new Promise((done) => element.addEventListener("error", ({ detail }) => done(detail.code)));
  document.body.append(element);
  const code = await seen;
  window.faults = false;
  const player = (await load("/rigs/walk.bones")).player();
  player.step(0.1);
  return [code, player.bounds().width > 10];
});
check("after a fault of the module", faults[0] === "wasm" && faults[1], String(faults));

// The package as npm packs it.
const packed = spawnSync("npm", ["pack", "--dry-run"], { cwd: folder, encoding: "utf8" });
const listed = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "THIRD-PARTY.txt", "bone-layer-mesh.wasm", "bone-layer.wasm", "index.d.ts", "index.js", "package.json", "phaser.d.ts", "phaser.js", "pixi.d.ts", "pixi.js", "react.d.ts", "react.js", "stage.d.ts", "stage.js", "worker.js"];
check("npm pack", packed.status === 0 && !/warn/i.test(packed.stderr) && listed.every((name) => packed.stderr.includes(name)) && packed.stderr.includes(`total files: ${listed.length}`), packed.stderr.match(/warn.*|total files.*/gi)?.join("; "));

// Node.
const node = execFileSync(process.execPath, ["--input-type=module", "-e", `
  const before = Object.keys(globalThis).join();
  const { load } = await import(${JSON.stringify(resolve(folder, "index.js"))});
  if (Object.keys(globalThis).join() !== before) throw new Error("a global was touched");
  const { readFileSync } = await import("node:fs");
  const figure = await load(readFileSync(${JSON.stringify(join(work, "whale.bones"))}));
  const started = performance.now();
  const player = figure.player();
  player.play(figure.clips[0].name);
  for (let k = 0; k < 400; k++) player.step(1 / 60);
  console.log(figure.clips.length, ((performance.now() - started) / 400 * 1000).toFixed(0));
`]).toString().trim();
check("Node imports and plays", /^\d+ \d+$/.test(node), `${node.split(" ")[1]} us a step of the whale`);

// Firefox reports what a policy has blocked as an error of the page.
const unexpected = errors.filter((error) => !error.startsWith("/blocked: Content-Security-Policy"));
check("no errors of the pages", unexpected.length === 0, unexpected.join("; "));
await browser.close();
site.close();
if (!process.env.FRAMES) rmSync(work, { recursive: true });
process.exit(failed ? 1 : 0);
