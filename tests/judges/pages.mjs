// Draws animated SVGs and Lottie files in Chromium, and SVGs in Firefox, and writes PNGs: node pages.mjs JOBS.json
// A job: { kind: "svg" | "html" | "firefox" | "lottie" | "canvas" | "skottie", file, width, height, times: [seconds or frames], out: [PNG files] }.
// puppeteer-core, lottie-web and canvaskit-wasm are looked up in the folder of the environment variable JUDGES.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.JUDGES ?? process.cwd();
const require = createRequire(join(folder, "package.json"));
const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
const jobs = JSON.parse(readFileSync(process.argv[2], "utf8"));
const needs = (kinds) => jobs.some((job) => kinds.includes(job.kind));
const browser = !needs(["svg", "html", "lottie", "canvas"]) ? null : await puppeteer.launch({
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

// From the disk, by its own controls alone; what the page may not do is a problem.
async function html(page, job) {
  const expect = (holds, what) => holds || problems.push(`${job.file}: ${what}`);
  page.on("console", (message) => ["error", "warn"].includes(message.type()) && problems.push(message.text()));
  await page.setViewport({ width: job.width + 40, height: job.height + 100, deviceScaleFactor: 1 });
  const open = async (value) => {
    await page.emulateMediaFeatures([{ name: "prefers-reduced-motion", value }]);
    await page.goto(`file://${job.file}`);
    return page.$eval("button", (button) => button.textContent);
  };
  expect((await open("no-preference")) === "Pause", "it does not play");
  const time = () => page.$eval("input", (input) => Number(input.value));
  await new Promise((done) => setTimeout(done, 300));
  expect((await time()) > 0.05, "its slider stands still");
  await page.bringToFront();
  await page.keyboard.press("Space");
  const label = () => page.$eval("button", (button) => button.textContent);
  // On a busy machine the key takes a moment.
  for (let tries = 0; tries < 50 && (await label()) !== "Play"; tries += 1) await new Promise((done) => setTimeout(done, 100));
  expect((await label()) === "Play", "a space does not stop it");
  const stopped = await time();
  await page.keyboard.press("Home");
  expect((await time()) < 1e-4, "Home is not the start");
  const step = 1 / (await page.$eval("body", (body) => Number(body.dataset.fps)));
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  expect(Math.abs((await time()) - step) < 1e-3, `an arrow is no step: ${await time()}`);
  expect(stopped > 0, "no time was shown");
  await page.evaluate(() => (document.body.dataset.ran = "script" + String(!!document.querySelector("script"))));
  const made = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "document.title = 'foreign'";
    document.body.append(script);
    return document.title;
  });
  expect(made !== "foreign", "another script runs");
  problems.splice(0, problems.length, ...problems.filter((problem) => !/Content Security Policy/.test(problem)));
  expect((await open("reduce")) === "Play" && (await time()) < 0.01, "it plays where motion is to be reduced");
  for (const [at, seconds] of job.times.entries()) {
    await page.$eval("input", (input, value) => ((input.value = value), input.dispatchEvent(new Event("input"))), String(seconds));
    await settle(page);
    const picture = await page.$("svg");
    await page.evaluate(() => (document.documentElement.style.background = "transparent"));
    await picture.screenshot({ path: job.out[at], omitBackground: true });
  }
  if (process.env.KEEP) await page.screenshot({ path: `${job.file}.png` });
  page.removeAllListeners("console");
  // Its policy would hold for what is written into the same document.
  await page.goto("about:blank");
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
  else if (job.kind === "html") await html(page, job);
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
