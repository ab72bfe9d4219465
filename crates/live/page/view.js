// Where the canvas of the rig lies on the stage. Everything is in whole device pixels, so that a picture of the
// engine is shown as it is.

/** The widest page, device pixels: browsers place nothing beyond 2^25. */
const MOST = 8e6;

export class View {
  /** The canvas of the rig: x, y, width, height in its units. */
  canvas = [0, 0, 100, 100];
  /** The stage in device pixels. */
  width = 1;
  height = 1;
  /** Device pixels for each CSS pixel. */
  density = 1;
  /** Device pixels for each unit. */
  scale = 1;
  /** The canvas' left top corner on the stage, device pixels. */
  left = 0;
  top = 0;
  /** Whether it follows the size of the stage. */
  fitted = true;

  /** The size of the whole canvas in device pixels. */
  get page() {
    return [Math.max(1, Math.round(this.canvas[2] * this.scale)), Math.max(1, Math.round(this.canvas[3] * this.scale))];
  }

  /** Device pixels for each unit downwards: a frame of whole pixels is filled. */
  get #down() {
    return this.page[1] / this.canvas[3];
  }

  /** A scale at which the canvas is a whole number of pixels wide. @param {number} scale */
  #whole(scale) {
    const width = Math.max(8, Math.min(Math.round(this.canvas[2] * scale), MOST));
    return width / this.canvas[2];
  }

  fit() {
    const margin = 28 * this.density;
    const wide = (this.width - 2 * margin) / this.canvas[2];
    const high = (this.height - 2 * margin) / this.canvas[3];
    // Rounded down, so that it fits.
    const width = Math.max(8, Math.floor(this.canvas[2] * Math.min(wide, high)));
    this.scale = width / this.canvas[2];
    this.centre();
    this.fitted = true;
  }

  centre() {
    const [width, height] = this.page;
    this.left = Math.round((this.width - width) / 2);
    this.top = Math.round((this.height - height) / 2);
  }

  /** One unit is one CSS pixel times `zoom`. @param {number} zoom @param {Pair} at the place that stays, CSS pixels */
  zoomTo(zoom, at) {
    const [x, y] = this.toCanvas(at);
    this.scale = this.#whole(zoom * this.density);
    this.left = Math.round(at[0] * this.density - (x - this.canvas[0]) * this.scale);
    this.top = Math.round(at[1] * this.density - (y - this.canvas[1]) * this.#down);
    this.fitted = false;
  }

  /** @param {number} x @param {number} y CSS pixels */
  pan(x, y) {
    this.left += Math.round(x * this.density);
    this.top += Math.round(y * this.density);
    this.fitted = false;
  }

  get zoom() {
    return this.scale / this.density;
  }

  /** A place of the canvas in CSS pixels of the stage. @param {number} x @param {number} y @returns {Pair} */
  toStage(x, y) {
    return [
      ((x - this.canvas[0]) * this.scale + this.left) / this.density,
      ((y - this.canvas[1]) * this.#down + this.top) / this.density,
    ];
  }

  /** @param {Pair} at CSS pixels @returns {Pair} */
  toCanvas(at) {
    return [
      (at[0] * this.density - this.left) / this.scale + this.canvas[0],
      (at[1] * this.density - this.top) / this.#down + this.canvas[1],
    ];
  }

  /**
   * What can be seen, the page and what lies beside it: its size in pixels, and its rectangle.
   * @returns {{ size: Pair, view: number[] }}
   */
  visible() {
    const size = /** @type {Pair} */ ([Math.max(1, this.width), Math.max(1, this.height)]);
    const view = [this.canvas[0] - this.left / this.scale, this.canvas[1] - this.top / this.#down, size[0] / this.scale, size[1] / this.#down];
    return { size, view };
  }
}

/** The distance from a point to a segment, and how far along it is the nearest place. @param {Pair} p @param {Pair} a @param {Pair} b */
export function toSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const square = dx * dx + dy * dy;
  const along = square ? Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / square)) : 0;
  return { distance: Math.hypot(x - ax - along * dx, y - ay - along * dy), along };
}

/** @param {Pair} a @param {Pair} b */
export const distance = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

/** The outline of a bone from its joint to its tip, as points of a polygon. @param {Pair} from @param {Pair} to */
export function boneOutline([x, y], [tx, ty]) {
  const [dx, dy] = [tx - x, ty - y];
  const length = Math.hypot(dx, dy) || 1;
  const half = Math.max(3, Math.min(length * 0.1, 9));
  const near = Math.min(length * 0.18, 2 * half);
  const [ux, uy] = [dx / length, dy / length];
  const side = (/** @type {number} */ sign) => [x + ux * near - sign * uy * half, y + uy * near + sign * ux * half];
  return [[x, y], side(1), [tx, ty], side(-1)].map((p) => p.map((v) => v.toFixed(2)).join()).join(" ");
}
