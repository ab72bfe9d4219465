// Writes index.js, worker.js, react.js, stage.js, pixi.js and phaser.js of the package: the sources in one file, without comments.
// node bundle.mjs OUT

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const out = process.argv[2];
const here = import.meta.dirname;
const { version, license } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
/** Each uses only those before it. */
const SOURCES = ["wasm", "painter", "player", "remote", "element"];

/** A source as a part of one file; no string of the sources looks like a comment. */
function read(name) {
  const text = readFileSync(join(here, "src", `${name}.js`), "utf8")
    .replace(/\/\*\*.*?\*\/\s*/gs, "")
    .replace(/^\s*\/\/.*\n/gm, "")
    .replace(/^[ \t]+/gm, "")
    .replace(/\n+/g, "\n");
  // Private names are of one class; the shorter ones say as much to a browser.
  const own = [...new Set([...text.matchAll(/this\.#(\w+)/g)].map(([, own]) => own))];
  return own.reduce((text, long, at) => text.replace(new RegExp(`(^|[.\\s])#${long}\\b`, "gm"), `$1#_${at.toString(36)}`), text);
}

/** Without spaces around signs, but in texts and regular expressions, which have no space behind their first stroke. */
const tight = (text) => text.replace(
  /("(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|\/[^ */][^\n/]*\/)|([^"`/]+|\/)/g,
  (_, text, code) => text ?? code.replace(/ ?([=<>!&|?:,;{}()[\]*]) ?/g, "$1").replace(/([;{,(])\n|(})\n(?=})/g, "$1$2").replace(/\b0\./g, "."),
);

const imports = /^import .* from "\.\/.*";\n/gm;
const names = [...read("index").matchAll(/^export \{ (.*?) \} from/gm)].flatMap(([, list]) => list.split(", "));
const parts = SOURCES.map((name) => read(name).replace(imports, "").replace(/^export /gm, ""));
const title = `// bone-layer ${version}, ${license}\n`;
writeFileSync(join(out, "index.js"), title + tight(`${parts.join("")}export { ${names.join(", ")} };\n`));
writeFileSync(join(out, "worker.js"), title + tight(read("worker").replace(imports, 'import { load } from "./index.js";\n')));
// Each adapter has its own copy of what they share: a page has one of them.
for (const name of ["pixi", "phaser"]) {
  const shared = read("triangles");
  const own = `${shared.replace(/^export /gm, "")}${read(name).replace(imports, "")}`;
  writeFileSync(join(out, `${name}.js`), title + tight(own));
}
for (const name of ["react", "stage"]) writeFileSync(join(out, `${name}.js`), title + tight(read(name)));
