// Many players on one canvas: one context, one loop.

/** @typedef {{ a: number, b: number, c: number, d: number, e: number, f: number }} Matrix */
const LONGEST_STEP = 0.1;

/** A player and where its page is on the canvas, in pixels of it. */
class Actor {
  visible = true;
  /** Seconds of the player in a second of the stage. */
  speed = 1;

  /** @param {any} player @param {Partial<Matrix>} place */
  constructor(player, { a = 1, b = 0, c = 0, d = 1, e = 0, f = 0 }) {
    this.player = player;
    /** @type {Matrix} */
    this.matrix = { a, b, c, d, e, f };
  }
}

/** Steps and paints players, those behind first. Beyond its borders, in a hidden page and for people who ask for less motion it
 * stands still. */
export class Stage {
  /** Those that are painted, back to front: it may be sorted and cut. @type {Actor[]} */
  actors = [];
  #context;
  #background;
  #moves;
  #running = false;
  #seen = true;
  #before = 0;
  #frame = 0;
  #watcher;
  #wake = () => this.#want();

  /** @param {HTMLCanvasElement} canvas @param {{ background?: string | null, reducedMotion?: "still" | "play" }} [options] */
  constructor(canvas, { background = null, reducedMotion = "still" } = {}) {
    const context = canvas.getContext("2d");
    if (!context) throw new TypeError("the canvas has another context");
    this.canvas = canvas;
    this.#context = context;
    this.#background = background;
    this.#moves = reducedMotion === "play" ? null : globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");
    this.#watcher = globalThis.IntersectionObserver && new IntersectionObserver((entries) => {
      this.#seen = entries[entries.length - 1].isIntersecting;
      this.#want();
    });
    this.#watcher?.observe(canvas);
    globalThis.document?.addEventListener("visibilitychange", this.#wake);
    this.#moves?.addEventListener("change", this.#wake);
  }

  /** Puts a player in front of all others. The same player may stand in several places.
   * @param {any} player @param {Partial<Matrix>} [place] */
  add(player, place = {}) {
    const actor = new Actor(player, place);
    this.actors.push(actor);
    return actor;
  }

  /** Takes an actor off; its player goes on. @param {Actor} actor */
  remove(actor) {
    this.actors = this.actors.filter((own) => own !== actor);
  }

  /** Advances each player once. @param {number} seconds */
  step(seconds) {
    const stepped = new Set();
    for (const { player, speed } of this.actors) {
      if (!stepped.has(player)) player.step(seconds * speed);
      stepped.add(player);
    }
  }

  /** Paints all that is visible. */
  paint() {
    const context = this.#context, { width, height } = this.canvas;
    context.reset();
    if (this.#background) {
      context.fillStyle = this.#background;
      context.fillRect(0, 0, width, height);
    }
    for (const { player, matrix, visible } of this.actors) if (visible) player.paint(context, matrix);
  }

  /** What is in front at a place of the canvas: the actor and its element; null if there is nothing.
   * @param {number} x @param {number} y @param {number} [reach] */
  hit(x, y, reach = 0) {
    for (const actor of this.actors.slice().reverse()) {
      const { a, b, c, d, e, f } = actor.matrix, area = a * d - b * c;
      if (!actor.visible || !area) continue;
      const [right, down] = [x - e, y - f];
      const at = [(d * right - c * down) / area, (a * down - b * right) / area];
      const element = actor.player.hit(at[0], at[1], reach / Math.sqrt(Math.abs(area)));
      if (element !== null) return { actor, element };
    }
    return null;
  }

  /** Plays until it is stopped. What a step or a picture throws stops it, and is thrown. */
  start() {
    this.#running = true;
    this.#before = 0;
    this.step(0);
    this.paint();
    this.#want();
  }

  stop() {
    this.#running = false;
  }

  /** Whether it plays, or would if it were seen. */
  get running() {
    return this.#running;
  }

  /** Stops, and forgets its canvas and its actors; their players stay open. */
  close() {
    this.stop();
    this.#watcher?.disconnect();
    globalThis.document?.removeEventListener("visibilitychange", this.#wake);
    this.#moves?.removeEventListener("change", this.#wake);
    this.actors = [];
  }

  #want() {
    const stands = !this.#running || !this.#seen || document.hidden || this.#moves?.matches;
    if (stands) this.#before = 0;
    else this.#frame ||= requestAnimationFrame((now) => this.#tick(now));
  }

  /** @param {number} now */
  #tick(now) {
    this.#frame = 0;
    if (!this.#running) return;
    const seconds = this.#before ? Math.min(LONGEST_STEP, (now - this.#before) / 1000) : 0;
    this.#before = now;
    try {
      this.step(seconds);
      this.paint();
    } catch (error) {
      this.stop();
      throw error;
    }
    this.#want();
  }
}
