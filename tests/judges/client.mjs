// The client library of VS Code against the language server: node client.mjs PROGRAM [LOG]
// CLIENT is the folder with vscode-languageserver-protocol. LOG gets every message, a line each.

import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [program, log] = process.argv.slice(2);
const require = createRequire(join(resolve(process.env.CLIENT ?? "."), "package.json"));
const rpc = require("vscode-jsonrpc/node");
const lsp = require("vscode-languageserver-protocol");

let failed = 0;
function check(what, is, seen = "") {
    console.log(`${is ? "ok    " : "FAILED"} ${what} ${typeof seen === "string" ? seen : JSON.stringify(seen)}`);
    failed += is ? 0 : 1;
}
/** Whether an answer is a list of values that the library takes for ones of a type, and not empty. */
function all(type, list) {
    return Array.isArray(list) && list.length > 0 && list.every((value) => type.is(value));
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><g id="flags"><path id="flag" d="M5 5H35V20H5Z" fill="#e63"/><circle id="dot" cx="8" cy="30" r="3"/></g></svg>`;
const RIG = `Rig(version: 1, drawing: "flag.svg",
  bones: { "Käse😀": (from: (5, 5), to: (35, 45)), "tip": (parent: "Käse😀", lenght: 4) },
    skin: [Rigid(art: "flag", bone: "Käse😀"), Rigid(art: "dot", bone: "tip")],
    clips: {"wave": (length: 2, bones: {"Käse😀": (rotate: [(0, 0), (0.5, 30), (2, 0)])},
        art: {"flag": (fill: [(0, "#e63"), (2, "navy")])})},
)`;
const folder = mkdtempSync(join(tmpdir(), "client-"));
const path = join(folder, "rig.ron");
writeFileSync(join(folder, "flag.svg"), SVG);
writeFileSync(path, RIG);
const uri = pathToFileURL(path).href;

const server = spawn(program, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const reader = new rpc.StreamMessageReader(server.stdout), writer = new rpc.StreamMessageWriter(server.stdin);
const client = lsp.createProtocolConnection(reader, writer, console);
if (log) {
    writeFileSync(log, "");
    client.trace(rpc.Trace.Verbose, { log: (data) => appendFileSync(log, `${typeof data === "string" ? data : JSON.stringify(data)}\n`) }, { traceFormat: rpc.TraceFormat.JSON });
}
client.onError(([error]) => check("the messages are of the protocol", false, String(error)));
client.onUnhandledNotification((message) => check("notifications are known ones", message.method === "window/logMessage", message.method));
let refreshed = 0;
const registered = [];
client.onRequest(lsp.InlayHintRefreshRequest.type, () => { refreshed += 1; });
client.onRequest(lsp.RegistrationRequest.type, ({ registrations }) => { registered.push(...registrations.map((one) => one.method)); });
/** Findings by version. */
const published = new Map();
let heard = () => {};
client.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
    if (params.uri === uri) {
        published.set(params.version, params.diagnostics);
        heard();
    }
});
async function findings(version) {
    while (!published.has(version)) {
        await new Promise((resolve) => { heard = resolve; });
    }
    return published.get(version);
}
client.listen();

// The library keeps the text by its own arithmetic.
let document = lsp.TextDocument.create(uri, "bone-layer-rig", 1, RIG);
const at = (words, behind = 0) => document.positionAt(document.getText().indexOf(words) + behind);
const here = (words, behind) => ({ textDocument: { uri }, position: at(words, behind) });
const shown = (range) => document.getText().slice(document.offsetAt(range.start), document.offsetAt(range.end));

const started = performance.now();
const { capabilities, serverInfo } = await client.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: null,
    initializationOptions: { pictures: true },
    capabilities: {
        general: { positionEncodings: ["utf-16"] },
        workspace: { inlayHint: { refreshSupport: true }, didChangeWatchedFiles: { dynamicRegistration: true } },
        textDocument: { completion: { completionItem: { snippetSupport: true } }, publishDiagnostics: { versionSupport: true } },
    },
});
check("it is initialized", serverInfo.name === "bone-layer", `${(performance.now() - started).toFixed(0)} ms`);
check("columns are of UTF-16, changes are parts", capabilities.positionEncoding === "utf-16" && capabilities.textDocumentSync.change === lsp.TextDocumentSyncKind.Incremental);
await client.sendNotification(lsp.InitializedNotification.type, {});
await client.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "bone-layer-rig", version: 1, text: RIG } });

const found = await findings(1);
check("the misspelt field is found at its place", all(lsp.Diagnostic, found) && found.some((one) => shown(one.range) === "lenght"), found.map((one) => one.message));
const actions = await client.sendRequest(lsp.CodeActionRequest.type, { textDocument: { uri }, range: found[0].range, context: { diagnostics: found } });
check("it has a fix", all(lsp.CodeAction, actions), actions.map((action) => action.title));

// The fix, sent as the change that an editor makes of it.
const [fix] = actions[0].edit.changes[uri];
const before = document;
document = lsp.TextDocument.create(uri, "bone-layer-rig", 2, lsp.TextDocument.applyEdits(before, [fix]));
await client.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument: { uri, version: 2 }, contentChanges: [{ range: fix.range, text: fix.newText }] });
check("with it there is no finding", (await findings(2)).length === 0 && document.getText().includes("length: 4"));

const completed = await client.sendRequest(lsp.CompletionRequest.type, here('bone: "tip', 'bone: "t'.length));
check("bones are completed", completed.items.map((item) => item.label).join() === "Käse😀,tip" && completed.items.every((item) => lsp.TextEdit.is(item.textEdit)));
const hover = await client.sendRequest(lsp.HoverRequest.type, here("length: 4", 2));
check("a field has its documentation", lsp.Hover.is(hover) && hover.contents.value.includes("**length**"));
for (const [what, words] of [["art", 'flag", bone'], ["a key", "(0.5, 30)"]]) {
    const { contents } = await client.sendRequest(lsp.HoverRequest.type, here(words, 1));
    const picture = /!\[\]\(data:image\/png;base64,([A-Za-z0-9+/=]+)\)$/.exec(contents.value);
    const png = Buffer.from(picture?.[1] ?? "", "base64");
    check(`${what} has a picture`, png.subarray(1, 4).toString() === "PNG" && picture[0].length < 30_000, `${png.length} bytes`);
}
const definition = await client.sendRequest(lsp.DefinitionRequest.type, here('parent: "', 'parent: "'.length + 1));
check("a bone has its definition", all(lsp.Location, definition) && shown(definition[0].range) === "Käse😀");
const art = await client.sendRequest(lsp.DefinitionRequest.type, here('art: "flag"', 7));
check("art has its definition in the drawing", all(lsp.Location, art) && art[0].uri.endsWith("/flag.svg"));
const references = await client.sendRequest(lsp.ReferencesRequest.type, { ...here("Käse"), context: { includeDeclaration: true } });
check("all uses are found", all(lsp.Location, references) && references.length === 4 && references.every((one) => shown(one.range) === "Käse😀"));
const highlights = await client.sendRequest(lsp.DocumentHighlightRequest.type, here("Käse"));
check("they are highlighted", highlights.length === 4 && highlights.every((one) => lsp.Range.is(one.range)));
const prepared = await client.sendRequest(lsp.PrepareRenameRequest.type, here('parent: "', 'parent: "'.length + 1));
check("a name can be renamed", lsp.Range.is(prepared.range) && prepared.placeholder === "Käse😀");
const renamed = await client.sendRequest(lsp.RenameRequest.type, { ...here("Käse"), newName: "pole" });
const after = lsp.TextDocument.applyEdits(document, renamed.changes[uri]);
check("it is, wherever it is used", lsp.WorkspaceEdit.is(renamed) && !after.includes("Käse") && after.split('"pole"').length === 5);
const refusal = await client.sendRequest(lsp.RenameRequest.type, { ...here("Käse"), newName: "tip" }).catch((error) => error);
check("a taken name is refused", refusal instanceof rpc.ResponseError, refusal.message);
const symbols = await client.sendRequest(lsp.DocumentSymbolRequest.type, { textDocument: { uri } });
check("there are symbols", all(lsp.DocumentSymbol, symbols), symbols.map((symbol) => symbol.name));
const folds = await client.sendRequest(lsp.FoldingRangeRequest.type, { textDocument: { uri } });
check("there are folds", all(lsp.FoldingRange, folds));
const selections = await client.sendRequest(lsp.SelectionRangeRequest.type, { textDocument: { uri }, positions: [at("0.5")] });
check("selections grow", all(lsp.SelectionRange, selections) && shown(selections[0].range) === "0.5" && shown(selections[0].parent.range) === "(0.5, 30)");
const whole = { start: { line: 0, character: 0 }, end: document.positionAt(document.getText().length) };
const hints = await client.sendRequest(lsp.InlayHintRequest.type, { textDocument: { uri }, range: whole });
const labels = hints.map((hint) => `${document.getText()[document.offsetAt(hint.position) - 1]} ${hint.label}`);
check("hints have frames and lengths", all(lsp.InlayHint, hints) && labels.join() === ") length 50,2 f48,5 f12,2 f48,2 f48", labels);
check("hints were to be asked for again", refreshed > 0);
const colors = await client.sendRequest(lsp.DocumentColorRequest.type, { textDocument: { uri } });
check("there are colours", all(lsp.ColorInformation, colors) && colors.map((one) => shown(one.range)).join() === "#e63,navy");
const [{ color, range }] = colors;
const written = await client.sendRequest(lsp.ColorPresentationRequest.type, { textDocument: { uri }, color, range });
check("a colour is written as it is", all(lsp.ColorPresentation, written) && written[0].label === "#ee6633");
const options = { tabSize: 4, insertSpaces: true };
const edits = await client.sendRequest(lsp.DocumentFormattingRequest.type, { textDocument: { uri }, options });
const formatted = lsp.TextDocument.applyEdits(document, edits);
check("white space is laid out", all(lsp.TextEdit, edits) && formatted.includes('\n  bones: {"Käse😀"') && formatted.replace(/\s/g, "") === document.getText().replace(/\s/g, ""));
const part = await client.sendRequest(lsp.DocumentRangeFormattingRequest.type, { textDocument: { uri }, range: { start: at("skin"), end: at("skin", 4) }, options });
check("so is a range", part.length === 1 && part[0].range.start.line === 1);

check("files are watched", registered.join() === "workspace/didChangeWatchedFiles");
// A file that changes outside is read.
writeFileSync(join(folder, "flag.svg"), SVG.replace('id="dot"', 'id="spot"'));
published.delete(2);
await client.sendNotification(lsp.DidChangeWatchedFilesNotification.type, { changes: [{ uri: pathToFileURL(join(folder, "flag.svg")).href, type: lsp.FileChangeType.Changed }] });
check("a change of the drawing is found", (await findings(2)).some((one) => one.message.includes("dot")));
const unknown = await client.sendRequest("textDocument/moniker", here("Käse")).catch((error) => error.code);
check("an unknown method is refused", unknown === rpc.ErrorCodes.MethodNotFound);
await client.sendNotification(lsp.DidCloseTextDocumentNotification.type, { textDocument: { uri } });
await client.sendRequest(lsp.ShutdownRequest.type);
const ended = new Promise((resolve) => { server.on("exit", resolve); });
await client.sendNotification(lsp.ExitNotification.type);
check("it ends", (await ended) === 0);
if (log) {
    const lines = readFileSync(log, "utf8").trim().split("\n").length;
    check("the messages are in the log", lines > 60, `${lines} lines`);
}
rmSync(folder, { recursive: true, force: true });
process.exit(failed > 0 ? 1 : 0);
