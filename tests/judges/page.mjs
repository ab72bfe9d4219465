// The page as a static site, without a network, beside the server: the same gestures on the same drawing give the same
// text, and it is there when the page is loaded again.
// node page.mjs FOLDER PROGRAM, with puppeteer-core beside this file or in JUDGES.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { copyFileSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";

const [folder, program] = process.argv.slice(2);
const require = createRequire(join(process.env.JUDGES ?? ".", "package.json"));
const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".json": "application/json" };
const drawing = join(import.meta.dirname, "../../assets/live/robot.svg");

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
let failed = 0;
function check(what, is, seen = "") {
  console.log(`${is ? "ok" : "FAILED"}  ${what} ${seen}`);
  failed += is ? 0 : 1;
}

const site = createServer((request, response) => {
  const name = new URL(request.url, "http://x").pathname.replace(/\/$/, "/index.html");
  try {
    response.setHeader("Content-Type", TYPES[extname(name)] ?? "application/octet-stream");
    response.end(readFileSync(join(folder, decodeURIComponent(name))));
  } catch {
    response.statusCode = 404;
    response.end();
  }
});
await new Promise((done) => site.listen(0, "127.0.0.1", done));
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"], defaultViewport: { width: 1280, height: 800 } });

/** A page that is connected and has its picture. */
async function settled(page) {
  await page.waitForFunction(() => document.documentElement.dataset.connected === "true" && document.documentElement.dataset.painted === document.documentElement.dataset.revision && document.querySelector("rig-stage").pictures.idle, { timeout: 60000 });
}

async function prepared(page) {
  await settled(page);
  await page.evaluate(async () => {
    window.model = (await import("./model.js")).model;
    window.stage = document.querySelector("rig-stage");
    stage.focus();
  });
}

/** The gestures: a chain along the arm, the arm bound to it, a key. */
async function gestures(page) {
  await prepared(page);
  const at = (x, y) => page.evaluate((x, y) => {
    const box = stage.getBoundingClientRect();
    const place = stage.view.toStage(x, y);
    return [box.left + place[0], box.top + place[1]];
  }, x, y);
  const step = async (act) => {
    const before = await page.evaluate(() => model.rig.rev);
    await act();
    await page.waitForFunction((before) => model.rig.rev > before, { timeout: 20000 }, before);
    await settled(page);
  };
  await page.keyboard.press("Tab");
  await settled(page);
  await page.keyboard.press("n");
  await page.keyboard.down("Control");
  for (const [x, y] of [[304, 265], [350, 265], [396, 265]]) {
    await page.mouse.move(...await at(x, y), { steps: 3 });
    await pause(200);
    await page.mouse.down();
    await page.mouse.up();
    await pause(200);
  }
  await page.keyboard.up("Control");
  await step(() => page.keyboard.press("Enter"));
  await page.keyboard.press("Escape");
  await page.evaluate(() => {
    model.select(["arm", "arm_2"], ["arm"]);
    stage.focus();
  });
  await step(() => page.keyboard.press("b"));
  await page.keyboard.press("Tab");
  await page.evaluate(() => model.setTime(0.5));
  await settled(page);
  const bone = await page.evaluate(() => model.rig.bones[model.rig.bones.length - 1].name);
  await step(async () => {
    const ends = await page.evaluate((bone) => {
      const box = stage.getBoundingClientRect();
      return stage.ends(bone).map((end) => [end[0] + box.left, end[1] + box.top]);
    }, bone);
    const middle = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2];
    await page.mouse.move(...middle);
    await page.mouse.down();
    await page.mouse.move(middle[0], middle[1] - 60, { steps: 6 });
    await page.mouse.up();
  });
}

const page = await browser.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(error.message));
const started = Date.now();
await page.goto(`http://127.0.0.1:${site.address().port}/`);
await settled(page);
check("usable after", true, `${Date.now() - started} ms (on this machine, from the same machine)`);
await page.waitForFunction(() => document.documentElement.dataset.offline === "ready", { timeout: 30000 });

// Without a network, and without the server of the files.
site.closeAllConnections();
await new Promise((done) => site.close(done));
await page.setOfflineMode(true);
await page.reload();
await settled(page);
check("opens without a network", true);
const [chooser] = await Promise.all([page.waitForFileChooser(), page.evaluate(() => [...document.querySelectorAll("rig-toolbar button")].find((button) => button.textContent === "Open …").click())]);
await chooser.accept([drawing]);
await page.waitForFunction(() => document.title.startsWith("robot.ron"), { timeout: 30000 });
// The picture of the rig before has the same revision.
await pause(2000);
await gestures(page);
const kept = () => page.evaluate(async () => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("rig");
  return (await (await folder.getFileHandle("robot.ron")).getFile()).text();
});
await page.waitForFunction(async () => {
  const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("rig");
  const text = await (await (await folder.getFileHandle("robot.ron")).getFile()).text();
  return /rotate: \[\(0, 0\), \(0\.5/.test(text) || /"[^"]+": \(rotate/.test(text.split("clips")[1] ?? "");
}, { timeout: 20000 });
await pause(500);
const own = await kept();
await page.reload();
await prepared(page);
const bones = await page.evaluate(() => model.rig.bones.length);
check("the rig is there when the page is loaded again", bones === (own.split("clips")[0].match(/\(parent|\(from/g) ?? []).length, `${bones} bones`);
check("its text is the same", await kept() === own, `${own.length} bytes`);
check("no errors of the page", errors.length === 0 && (await page.evaluate(() => window.__errors)).length === 0, errors.join("; "));

// The same with the server.
const desk = mkdtempSync(join(tmpdir(), "page-"));
copyFileSync(drawing, join(desk, "robot.svg"));
const live = spawn(resolve(program), ["live", "--no-open", "robot.svg"], { cwd: desk });
const address = await new Promise((done) => live.stdout.on("data", (bytes) => {
  const found = /http:\/\/\S+/.exec(String(bytes));
  if (found) done(found[0]);
}));
const served = await browser.newPage();
await served.goto(address);
await gestures(served);
await pause(500);
const theirs = readFileSync(join(desk, "robot.ron"), "utf8");
check("text equal to the server's", own === theirs, `${theirs.length} bytes`);
if (own !== theirs) {
  const [a, b] = [own.split("\n"), theirs.split("\n")];
  a.forEach((line, at) => line !== b[at] && console.log(`  ${at + 1}: ${line}\n     ${b[at]}`));
}
live.kill();
const wasm = readFileSync(join(folder, "bone-layer-page.wasm"));
const small = brotliCompressSync(wasm).length;
check("the module", small < 2.5e6, `${(wasm.length / 1e6).toFixed(2)} MB, brotli ${(small / 1e6).toFixed(2)} MB (goal 1.2)`);
await browser.close();
process.exit(failed ? 1 : 0);
