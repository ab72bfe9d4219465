// The connection to the server: requests with answers, pictures, and connecting again after a loss.

export class Link {
  /** Milliseconds until the next attempt to connect. */
  #wait = 100;
  #last = 0;
  /** Requests that wait for an answer, by id. @type {Map<string, (answer: Message) => void>} */
  #asked = new Map();
  /** @type {WebSocket | null} */
  #socket = null;

  /**
   * @param {(message: Message) => void} onmessage
   * @param {(seq: number, rev: number, time: number, png: Blob) => void} onpicture
   * @param {(connected: boolean) => void} onchange
   */
  constructor(onmessage, onpicture, onchange) {
    this.onmessage = onmessage;
    this.onpicture = onpicture;
    this.onchange = onchange;
    this.#connect();
    addEventListener("online", () => this.#connect());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.#connect();
    });
  }

  get connected() {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #connect() {
    if (this.#socket) return;
    const socket = new WebSocket(`ws://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onopen = () => {
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
      setTimeout(() => this.#connect(), this.#wait);
      this.#wait = Math.min(this.#wait * 1.5, 1000);
    };
  }

  /** @param {ArrayBuffer} data */
  #picture(data) {
    const head = new DataView(data, 0, 16);
    const png = new Blob([data.slice(16)], { type: "image/png" });
    this.onpicture(head.getUint32(0, true), head.getUint32(4, true), head.getFloat64(8, true), png);
  }

  /** Ends the connection; another one is made at once. */
  drop() {
    this.#socket?.close();
  }

  /** The number of the next request that is answered in order. */
  next() {
    return ++this.#last;
  }

  /** @param {Message} message */
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
      if (!this.send({ ...message, id })) return answer({ t: "lost" });
      this.#asked.set(id, answer);
    });
  }
}
