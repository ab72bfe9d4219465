// The page without a server: the engine is a worker, and the browser keeps the files. It takes the place of the
// WebSocket before the page connects.

/** What the page uses of a WebSocket. */
class LocalSocket {
  readyState = WebSocket.CONNECTING;
  /** @type {(() => void) | null} */
  onopen = null;
  /** @type {((event: { data: string | ArrayBuffer }) => void) | null} */
  onmessage = null;
  /** @type {(() => void) | null} */
  onclose = null;
  binaryType = "arraybuffer";

  constructor() {
    worker.onmessage = ({ data }) => this.#receive(data);
    worker.onerror = (event) => say(`The engine failed: ${event.message}. What was kept is there when the page is loaded again.`);
    worker.postMessage({ begin: true });
  }

  /** @param {any} data */
  #receive(data) {
    if (data.text !== undefined) this.onmessage?.({ data: data.text });
    else if (data.bytes) this.onmessage?.({ data: data.bytes });
    else if (data.failed) say(data.failed);
    else if (data.files) download(data.files);
    else if (data.kept) document.documentElement.dataset.kept = String(Number(document.documentElement.dataset.kept ?? 0) + 1);
    else if (data.opened && this.readyState === WebSocket.CONNECTING) {
      this.readyState = WebSocket.OPEN;
      this.onopen?.();
    }
  }

  /** @param {string} text */
  send(text) {
    worker.postMessage({ text });
  }

  close() {}
}

const worker = new Worker("worker.js");
/** @type {any} */ (globalThis).openEngine = () => new LocalSocket();

/** @param {string} text */
async function say(text) {
  const { model } = await import("./model.js");
  model.note({ kind: "error", text });
}

/** @param {[string, Uint8Array][]} files */
function download(files) {
  for (const [name, bytes] of files) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([/** @type {any} */ (bytes)]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
}

/** @param {Iterable<File>} files */
async function open(files) {
  const list = [...files].filter(({ name }) => /\.(svg|ron|json|png|jpe?g|webp|gif|wav|ogg|opus|mp3|flac|m4a)$/i.test(name));
  const read = list.map(async (file) => /** @type {[string, Uint8Array]} */ ([file.name, new Uint8Array(await file.arrayBuffer())]));
  worker.postMessage({ open: await Promise.all(read) });
}

addEventListener("DOMContentLoaded", () => {
  const input = Object.assign(document.createElement("input"), { type: "file", multiple: true, accept: ".svg,.ron,.json,.png,.jpg,.jpeg,.webp,.gif,.wav,.ogg,.opus,.mp3,.flac,.m4a" });
  input.addEventListener("change", () => input.files && void open(input.files));
  const button = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, title });
    made.addEventListener("click", act);
    return made;
  };
  const bar = document.querySelector("rig-toolbar");
  const add = () => {
    const gap = bar?.querySelector(".gap");
    gap?.after(
      button("Open …", "A drawing (SVG), or a rig with its drawing", () => input.click()),
      button("Download", "The rig and its drawing, as files", () => worker.postMessage({ files: true })));
    // Files are rendered by the program.
    const exporting = bar?.querySelector("button.main");
    if (exporting instanceof HTMLElement) exporting.hidden = true;
  };
  requestAnimationFrame(add);
});

if ("serviceWorker" in navigator) void navigator.serviceWorker.register("offline.js").then(() => navigator.serviceWorker.ready).then(() => {
  document.documentElement.dataset.offline = "ready";
});
