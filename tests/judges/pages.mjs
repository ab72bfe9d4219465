// Draws animated SVGs and Lottie files in Chromium, and SVGs in Firefox, and writes PNGs: node pages.mjs JOBS.json
// A job: { kind: "svg" | "firefox" | "lottie" | "canvas" | "skottie", file, width, height, times: [seconds or frames], out: [PNG files] }.
// puppeteer-core, lottie-web and canvaskit-wasm are looked up in the folder of the environment variable JUDGES.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.JUDGES ?? process.cwd();
const require = createRequire(join(folder, "package.json"));
const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
const jobs = JSON.parse(readFileSync(process.argv[2], "utf8"));
const needs = (kinds) => jobs.some((job) => kinds.includes(job.kind));
const browser = !needs(["svg", "lottie", "canvas"]) ? null : await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--force-color-profile=srgb", "--hide-scrollbars", "--disable-lcd-text"],
});

const settle = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

async function svg(page, job, background = "transparent") {
  const text = readFileSync(job.file, "utf8");
  await page.setContent(`<html><body style="margin:0;background:${background}">${text}</body></html>`);
  for (const [at, time] of job.times.entries()) {
    await page.evaluate((time) => {
      const root = document.querySelector("svg");
      root.style.display = "block";
      root.pauseAnimations();
      root.setCurrentTime(time);
    }, time);
    await settle(page);
    await page.screenshot({ path: job.out[at], omitBackground: background === "transparent" });
  }
}

async function lottie(page, job) {
  const script = readFileSync(require.resolve("lottie-web/build/player/lottie.min.js"), "utf8");
  const data = readFileSync(job.file, "utf8");
  await page.setContent(
    `<html><body style="margin:0;background:transparent"><div id=a style="width:${job.width}px;height:${job.height}px"></div></body></html>`,
  );
  await page.addScriptTag({ content: script });
  await page.evaluate(
    (text, renderer) =>
      new Promise((done) => {
        const container = document.getElementById("a");
        const animationData = JSON.parse(text);
        window.animation = lottie.loadAnimation({ container, renderer, loop: false, autoplay: false, animationData });
        window.animation.setSubframe(true);
        if (window.animation.isLoaded) done();
        else window.animation.addEventListener("DOMLoaded", done);
      }),
    data,
    job.kind === "canvas" ? "canvas" : "svg",
  );
  for (const [at, frame] of job.times.entries()) {
    await page.evaluate((frame) => window.animation.goToAndStop(frame, true), frame);
    await settle(page);
    await page.screenshot({ path: job.out[at], omitBackground: true });
  }
}

// Skottie needs no page.
let canvasKit;
async function skottie(job) {
  if (!canvasKit) {
    const init = require("canvaskit-wasm/bin/full/canvaskit.js");
    canvasKit = await init({ locateFile: (file) => require.resolve(`canvaskit-wasm/bin/full/${file}`) });
  }
  const animation = canvasKit.MakeManagedAnimation(readFileSync(job.file, "utf8"));
  if (!animation) throw new Error(`Skottie cannot read ${job.file}`);
  const surface = canvasKit.MakeSurface(job.width, job.height);
  const fps = animation.fps();
  for (const [at, frame] of job.times.entries()) {
    animation.seekFrame(frame);
    const canvas = surface.getCanvas();
    canvas.clear(canvasKit.TRANSPARENT);
    animation.render(canvas, [0, 0, job.width, job.height]);
    const image = surface.makeImageSnapshot();
    writeFileSync(job.out[at], image.encodeToBytes());
    image.delete();
  }
  animation.delete();
  surface.delete();
  return fps;
}

const problems = [];
const pageOf = async (browser) => {
  const page = await browser.newPage();
  page.on("pageerror", (error) => problems.push(String(error)));
  return page;
};
const firefox = !needs(["firefox"]) ? null : await puppeteer.launch({
  browser: "firefox",
  executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
  headless: true,
});
const pages = { chromium: browser && (await pageOf(browser)), firefox: firefox && (await pageOf(firefox)) };
for (const job of jobs) {
  const page = job.kind === "firefox" ? pages.firefox : pages.chromium;
  if (job.kind !== "skottie") await page.setViewport({ width: job.width, height: job.height, deviceScaleFactor: 1 });
  if (job.kind === "svg") await svg(page, job);
  // Its screenshots have no alpha.
  else if (job.kind === "firefox") await svg(page, job, "white");
  else if (["lottie", "canvas"].includes(job.kind)) await lottie(page, job);
  else await skottie(job);
}
await browser?.close();
await firefox?.close();
if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
