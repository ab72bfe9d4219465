// Pages that play one rig by this package and, as our Lottie, by lottie-web and dotlottie-web: what is sent, and when the first
// picture is there. A bench: it prints, and fails only where a page shows nothing.
// node beside.mjs PACKAGE PROGRAM [RIG...], with puppeteer-core and lottie-web in JUDGES, and @lottiefiles/dotlottie-web in
// DOTLOTTIE, a folder with node_modules, if it is to be compared.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";

const [folder, program] = process.argv.slice(2, 4).map((path) => resolve(path));
const root = join(import.meta.dirname, "../..");
const rigs = process.argv.length > 4 ? process.argv.slice(4) : ["walk", "face", "whale", "scarf"].map((name) => join(root, "examples", name, "rig.ron"));
const require = createRequire(join(resolve(process.env.JUDGES ?? "."), "package.json"));
const puppeteer = (await import(require.resolve("puppeteer-core"))).default;
const lottie = require.resolve("lottie-web/build/player/lottie_canvas.min.js");
const dotlottie = process.env.DOTLOTTIE && join(resolve(process.env.DOTLOTTIE), "node_modules/@lottiefiles/dotlottie-web/dist");
const RUNS = 5;
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json", ".html": "text/html" };

const work = mkdtempSync(join(tmpdir(), "beside-"));
const files = new Map();
const add = (path, file) => files.set(path, readFileSync(file));
for (const name of ["index.js", "bone-layer.wasm"]) add(`/${name}`, join(folder, name));
add("/lottie.js", lottie);
if (dotlottie) for (const [name, file] of [["/dotlottie.js", "index.js"], ["/dotlottie-player.wasm", "dotlottie-player.wasm"]]) add(name, join(dotlottie, file));

// The page tells when the first picture that is not empty is in its canvas: it looks at each frame of the browser.
const watch = `<script>
  const look = () => {
    const canvas = document.querySelector("canvas") ?? document.querySelector("bone-layer")?.shadowRoot?.querySelector("canvas");
    const context = canvas?.width && canvas.getContext("2d");
    if (context) {
      const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
      for (let at = 3; at < pixels.length; at += 4 * 97) if (pixels[at]) return void (window.first = performance.now());
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
</script>`;
const page = (body) => Buffer.from(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Beside</title><style>bone-layer, canvas, #place { display: block; width: 480px; height: 480px }</style>${watch}${body}`);
const players = {
  "bone-layer": (name) => ({ files: ["/index.js", "/bone-layer.wasm", `/${name}.bones`],
    body: `<bone-layer src="/${name}.bones" autoplay="on" decorative></bone-layer><script type="module" src="/index.js"></script>` }),
  "lottie-web": (name) => ({ files: ["/lottie.js", `/${name}.json`],
    body: `<div id="place"></div><script src="/lottie.js"></script><script>lottie.loadAnimation({ container: document.getElementById("place"), renderer: "canvas", loop: true, autoplay: true, path: "/${name}.json" })</script>` }),
  ...(dotlottie && { "dotlottie-web": (name) => ({ files: ["/dotlottie.js", "/dotlottie-player.wasm", `/${name}.json`],
    body: `<canvas width="480" height="480"></canvas><script type="module">import { DotLottie } from "/dotlottie.js"; DotLottie.setWasmUrl("/dotlottie-player.wasm"); new DotLottie({ canvas: document.querySelector("canvas"), src: "/${name}.json", autoplay: true, loop: true })</script>` }) }),
};
const served = createServer((request, response) => {
  const path = new URL(request.url, "http://x").pathname, body = files.get(path);
  response.statusCode = body ? 200 : 404;
  response.setHeader("Content-Type", TYPES[extname(path) || ".html"] ?? "application/octet-stream");
  response.setHeader("Cache-Control", "no-store");
  response.end(body);
});
await new Promise((done) => served.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${served.address().port}`;
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });

const kilobytes = (path) => brotliCompressSync(files.get(path)).length / 1e3;
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
let failed = false;
console.log("| rig | player | player, kB with brotli | rig, kB with brotli | first picture, ms |\n|---|---|---|---|---|");
for (const rig of rigs) {
  const name = basename(dirname(resolve(rig)));
  execFileSync(program, ["pack", rig, "-o", join(work, `${name}.bones`)], { stdio: "pipe" });
  execFileSync(program, ["render", rig, "-o", join(work, `${name}.json`), "--progress", "none"], { stdio: "pipe" });
  for (const ending of ["bones", "json"]) add(`/${name}.${ending}`, join(work, `${name}.${ending}`));
  for (const [player, make] of Object.entries(players)) {
    const { files: sent, body } = make(name), address = `/${player}/${name}`;
    files.set(address, page(body));
    const times = [];
    for (let run = 0; run < RUNS; run++) {
      // Nothing of the run before is kept, neither files nor compiled code.
      const context = await browser.createBrowserContext();
      const tab = await context.newPage();
      await tab.goto(origin + address);
      await tab.waitForFunction("window.first", { timeout: 20e3 }).then(async () => times.push(await tab.evaluate("window.first")), () => {});
      await context.close();
    }
    failed ||= times.length < RUNS;
    const [own, rest] = [sent.slice(0, -1), sent.slice(-1)].map((paths) => paths.reduce((sum, path) => sum + kilobytes(path), 0).toFixed(1));
    console.log(`| ${name} | ${player} | ${own} | ${rest} | ${times.length ? median(times).toFixed(0) : "none"} |`);
  }
}
await browser.close();
served.close();
process.exit(failed ? 1 : 0);
