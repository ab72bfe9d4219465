// The connection to the server: requests with answers, pictures, and connecting again after a loss.

/** The subprotocol of the WebSocket; the secret is offered beside it. */
const PROTOCOL = "bone-layer";
const SECRET = /^#([0-9a-f]{32})$/;

/** What was given in the address. A tab keeps it, also when it is loaded again. */
let secret = "";

/** Takes the secret out of the address, where others may see it and the browser keeps it. */
function takeSecret() {
  const [, given] = SECRET.exec(location.hash) ?? [];
  try {
    if (given) sessionStorage.setItem("secret", given);
    secret = given ?? sessionStorage.getItem("secret") ?? secret;
  } catch {
    // Without storage the page works until it is loaded again.
    secret = given ?? secret;
  }
  if (given) history.replaceState(null, "", location.pathname);
  return !!given;
}

export class Link {
  /** Milliseconds until the next attempt to connect. */
  #wait = 100;
  #last = 0;
  /** Requests that wait for an answer, by id. @type {Map<string, (answer: Message) => void>} */
  #asked = new Map();
  /** Requests that wait for bytes, by their numbers. @type {Map<number, (bytes: Blob | null) => void>} */
  #bytes = new Map();
  /** @type {WebSocket | null} */
  #socket = null;

  /**
   * @param {(message: Message) => void} onmessage
   * @param {(seq: number, rev: number, time: number, png: Blob) => void} onpicture
   * @param {(connected: boolean) => void} onchange
   * @param {() => void} onrefused
   */
  constructor(onmessage, onpicture, onchange, onrefused) {
    this.onmessage = onmessage;
    this.onpicture = onpicture;
    this.onchange = onchange;
    this.onrefused = onrefused;
    takeSecret();
    this.#connect();
    addEventListener("online", () => this.#connect());
    addEventListener("hashchange", () => {
      if (!takeSecret()) return;
      this.drop();
      this.#connect();
    });
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#connect();
    });
  }

  get connected() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #connect() {
    if (this.#socket) return;
    // A page without a server has its engine in a worker.
    const local = /** @type {(() => WebSocket) | undefined} */ (/** @type {any} */ (globalThis).openEngine);
    if (!secret && !local) return this.onrefused();
    let opened = false;
    const socket = local ? local() : new WebSocket(`ws://${location.host}/socket`, [PROTOCOL, secret]);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
      opened = true;
      this.#wait = 100;
      this.onchange(true);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data !== "string") return this.#picture(data);
      const message = JSON.parse(data);
      const asked = message.id && this.#asked.get(message.id);
      if (asked && message.t !== "progress") {
        this.#asked.delete(message.id);
        asked(message);
      }
      this.onmessage(message);
    };
    socket.onclose = () => {
      this.#socket = null;
      for (const answer of this.#asked.values()) answer({ t: "lost" });
      this.#asked.clear();
      this.onchange(false);
      // A server that answers and does not open the socket has another secret.
      if (!opened) void fetch("/", { method: "HEAD" }).then(({ ok }) => ok && !this.connected && this.onrefused(), () => {});
      setTimeout(() => this.#connect(), this.#wait);
      this.#wait = Math.min(this.#wait * 1.5, 1000);
    };
  }

  /** @param {ArrayBuffer} data */
  #picture(data) {
    const head = new DataView(data, 0, 16);
    const seq = head.getUint32(0, true);
    const wanted = this.#bytes.get(seq);
    const png = new Blob([data.slice(16)], wanted ? {} : { type: "image/png" });
    if (wanted) return wanted(png);
    this.onpicture(seq, head.getUint32(4, true), head.getFloat64(8, true), png);
  }

  /** Ends the connection; another one is made at once. */
  drop() {
    this.#socket?.close();
  }

  /** The number of the next request that is answered in order. */
  next() {
    return ++this.#last;
  }

  /** @param {PageMessage} message */
  send(message) {
    if (this.connected) this.#socket?.send(JSON.stringify(message));
    return this.connected;
  }

  /**
   * Sends a request and waits for the answer with its id.
   * @param {Message} message
   * @returns {Promise<Message>}
   */
  ask(message) {
    const id = `${message.t}${++this.#last}`;
    return new Promise((answer) => {
      if (!this.send(/** @type {PageMessage} */ ({ ...message, id }))) return answer({ t: "lost" });
      this.#asked.set(id, answer);
    });
  }

  /**
   * Sends a request whose answer is bytes; null if it is refused.
   * @param {Message} message
   * @returns {Promise<Blob | null>}
   */
  async askBytes(message) {
    const seq = this.next();
    const bytes = new Promise((/** @type {(bytes: Blob | null) => void} */ answer) => this.#bytes.set(seq, answer));
    const answer = await Promise.race([bytes, this.ask({ ...message, seq }).then(() => null)]);
    this.#bytes.delete(seq);
    return answer;
  }
}
