// Loads sprite sheets into Phaser and PixiJS in Chromium, draws each frame over white and writes PNGs:
// node sheets.mjs JOBS.json. Also shows files in an <img>.
// A job: { kind: "phaser" | "pixi", folder, json, png, frames, width, height, out: [PNG files] }, or
// { kind: "img", file, width, height, out: [PNG file] }.
// puppeteer-core, phaser and pixi.js are looked up in the folder of the environment variable JUDGES.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.JUDGES ?? process.cwd();
const require = createRequire(join(folder, "package.json"));
const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
const jobs = JSON.parse(readFileSync(process.argv[2], "utf8"));
const types = { json: "application/json", png: "image/png", js: "text/javascript", svg: "image/svg+xml" };
let served = ".";
// Loaders ask a server, as a page of a game does.
const server = createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1).split("?")[0]);
  if (name === "") return response.writeHead(200, { "Content-Type": "text/html" }).end("<html><body></body></html>");
  const scripts = { "phaser.js": "phaser/dist/phaser.min.js", "pixi.js": "pixi.js/dist/pixi.min.js" };
  try {
    const file = scripts[name] ? join(folder, "node_modules", scripts[name]) : join(served, name);
    const type = types[file.split(".").pop()] ?? "application/octet-stream";
    const data = readFileSync(file);
    response.writeHead(200, { "Content-Type": type }).end(data);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const home = `http://127.0.0.1:${server.address().port}/`;
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
  ],
});

// Each returns, in the page, a function that draws a frame and gives the canvas as a PNG.
const players = {
  phaser: async ({ json, png, width, height }) => {
    const scene = await new Promise((done) => {
      const game = new Phaser.Game({
        type: Phaser.CANVAS,
        width,
        height,
        backgroundColor: "#ffffff",
        banner: false,
        audio: { noAudio: true },
        scene: {
          preload() {
            this.load.aseprite("sheet", png, json);
          },
          create() {
            done(this);
          },
        },
      });
      window.game = game;
    });
    const made = scene.anims.createFromAseprite("sheet");
    window.clips = Object.fromEntries(
      made.map((clip) => [clip.key, { frames: clip.frames.map((f) => f.frame.name), fps: clip.frameRate }]),
    );
    const image = scene.add.image(0, 0, "sheet");
    window.draw = async (at) => {
      image.setFrame(String(at));
      // The pivot of a frame becomes the origin.
      const frame = image.frame;
      image.setPosition(frame.pivotX * width, frame.pivotY * height);
      await new Promise((done) => scene.game.events.once("postrender", done));
      return scene.game.canvas.toDataURL("image/png");
    };
  },
  pixi: async ({ json, width, height }) => {
    const app = new PIXI.Application();
    const background = "#ffffff";
    await app.init({ width, height, background, preference: "webgl", preserveDrawingBuffer: true, autoStart: false });
    const sheet = await PIXI.Assets.load(json);
    const pages = [sheet, ...(sheet.linkedSheets ?? [])];
    window.clips = Object.fromEntries(
      Object.entries(sheet.data.animations).map(([name, frames]) => [name, { frames }]),
    );
    const sprite = new PIXI.Sprite();
    app.stage.addChild(sprite);
    window.draw = async (at) => {
      const texture = pages.map((page) => page.textures[String(at)]).find((found) => found);
      sprite.texture = texture;
      const anchor = texture.defaultAnchor ?? { x: 0, y: 0 };
      sprite.anchor.set(anchor.x, anchor.y);
      sprite.position.set(anchor.x * width, anchor.y * height);
      app.render();
      return app.canvas.toDataURL("image/png");
    };
  },
};

const problems = [];
for (const job of jobs) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => problems.push(`${job.json ?? job.file}: ${error}`));
  await page.setViewport({ width: job.width, height: job.height, deviceScaleFactor: 1 });
  served = job.folder;
  if (job.kind === "img") {
    await page.goto(home);
    await page.evaluate(async (file) => {
      document.body.style.margin = 0;
      const image = new Image();
      image.style.display = "block";
      image.src = file;
      document.body.append(image);
      await image.decode();
    }, job.file);
    // What is shown after a while, because a picture that does not move is no animation.
    for (const [at, out] of job.out.entries()) {
      await new Promise((done) => setTimeout(done, at === 0 ? 0 : job.pause));
      await page.screenshot({ path: out });
    }
    // Frames as the browser decodes them.
    if (job.type) {
      const frames = await page.evaluate(
        async (file, type) => {
          const data = await (await fetch(file)).arrayBuffer();
          const decoder = new ImageDecoder({ data, type, preferAnimation: true, premultiplyAlpha: "none" });
          await decoder.tracks.ready;
          await decoder.completed;
          const track = decoder.tracks.selectedTrack;
          const canvas = new OffscreenCanvas(1, 1);
          const context = canvas.getContext("2d", { willReadFrequently: true });
          const found = [];
          for (let at = 0; at < track.frameCount; at++) {
            const { image } = await decoder.decode({ frameIndex: at });
            [canvas.width, canvas.height] = [image.displayWidth, image.displayHeight];
            context.drawImage(image, 0, 0);
            const pixels = context.getImageData(0, 0, canvas.width, canvas.height).data;
            let text = "";
            for (let from = 0; from < pixels.length; from += 8192)
              text += String.fromCharCode(...pixels.subarray(from, from + 8192));
            found.push({ duration: image.duration, pixels: btoa(text) });
            image.close();
          }
          return { repeat: track.repetitionCount, frames: found };
        },
        job.file,
        job.type,
      );
      frames.repeat = frames.repeat === null ? "endless" : frames.repeat;
      writeFileSync(job.decoded, JSON.stringify(frames));
    }
  } else {
    await page.goto(home);
    await page.addScriptTag({ url: `/${job.kind}.js` });
    await page.evaluate(players[job.kind], job);
    const clips = await page.evaluate(() => window.clips);
    writeFileSync(job.clips, JSON.stringify(clips));
    for (const [at, out] of job.out.entries()) {
      const data = await page.evaluate((at) => window.draw(at), at);
      writeFileSync(out, Buffer.from(data.split(",")[1], "base64"));
    }
  }
  await page.close();
}
await browser.close();
server.close();
if (problems.length) {
  console.error(problems.join("\n"));
  process.exit(1);
}
