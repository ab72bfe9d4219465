// Draws the commands of a frame onto a 2D context. Their form is described in bone_layer.h. Paths and gradients are
// kept while their numbers stay the same.

const FILL = 0, STROKE = 1, IMAGE = 2, PUSH = 3, POP = 4, MASK = 5, TILE = 6;
const EVEN_ODD = 1, CRISP = 2, MITER_CLIP = 4;
const CAPS = /** @type {CanvasLineCap[]} */ (["butt", "round", "square"]);
const JOINS = /** @type {CanvasLineJoin[]} */ (["miter", "round", "bevel"]);
const BLENDS = /** @type {GlobalCompositeOperation[]} */ (["source-over", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn", "hard-light", "soft-light", "difference", "exclusion", "hue", "saturation", "color", "luminosity", "lighter"]);
/** What a layer has that is not drawn, by the bits of `partial`. */
const PARTIAL = ["filters other than blurs and shadows in sRGB", "clip paths of single shapes within a clip path", "masks within masks"];
/** How often a gradient repeats at most, and how large the canvas of a tile is. */
const MOST_ROUNDS = 64, MOST_TILE = 2048;

/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context */
/** @typedef {[number, number, number, number, number, number]} Matrix */
/** @typedef {{ verbs: Uint8Array, coordinates: Float32Array, transforms: Float64Array, words: Uint32Array, floats: Float32Array }} Commands */
/** An outline with what was made of it. @typedef {{ verbs: Uint8Array, coordinates: Float32Array, path: Path2D, words?: Uint32Array, style?: CanvasGradient | string, own?: Matrix | null, moved?: Path2D | null }} Kept */
/** Left, top, width and height. @typedef {[number, number, number, number]} Region */
/** What is open; a mask whose pixels are read has the box of what is drawn. @typedef {{ context: Context, into: Context | null, alpha: number, blend: GlobalCompositeOperation, scale: [number, number] | null, kind: number, at: number, box?: number[], masks: { mask: Context, region?: Region }[], unions: Context[] }} Open */

/** @param {Matrix} a @param {Matrix} b @returns {Matrix} */
export function product(a, b) {
  return [a[0] * b[0] + a[2] * b[1], a[1] * b[0] + a[3] * b[1], a[0] * b[2] + a[2] * b[3], a[1] * b[2] + a[3] * b[3], a[0] * b[4] + a[2] * b[5] + a[4], a[1] * b[4] + a[3] * b[5] + a[5]];
}

/** @param {Matrix} m @returns {Matrix} */
export function inverse([a, b, c, d, e, f]) {
  const by = 1 / (a * d - b * c);
  return [d * by, -b * by, -c * by, a * by, (c * f - d * e) * by, (b * e - a * f) * by];
}

/** Red, green, blue and alpha of a stop. Six digits are read fastest. @param {Float32Array} stop */
function css([, red, green, blue, alpha]) {
  const [r, g, b] = [red, green, blue].map((level) => Math.round(level * 255));
  return alpha === 1 ? `#${(0x1000000 | r << 16 | g << 8 | b).toString(16).slice(1)}` : `rgb(${r} ${g} ${b} / ${alpha})`;
}

/** @param {Matrix} m */
const dom = (m) => new DOMMatrix(m);

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function same(a, b) {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** @param {Uint8Array} verbs @param {Float32Array} points */
function pathOf(verbs, points) {
  const path = new Path2D();
  let p = 0;
  for (const verb of verbs) {
    if (verb === 0) path.moveTo(points[p], points[p + 1]);
    else if (verb === 1) path.lineTo(points[p], points[p + 1]);
    else if (verb === 2) path.quadraticCurveTo(points[p], points[p + 1], points[p + 2], points[p + 3]);
    else if (verb === 3) path.bezierCurveTo(points[p], points[p + 1], points[p + 2], points[p + 3], points[p + 4], points[p + 5]);
    else path.closePath();
    p += verb < 2 ? 2 : verb === 4 ? 0 : 2 * verb;
  }
  return path;
}

/** @param {number} width @param {number} height @param {boolean} [read] @returns {Context} */
function spareContext(width, height, read) {
  const canvas = globalThis.OffscreenCanvas ? new OffscreenCanvas(width, height) : Object.assign(document.createElement("canvas"), { width, height });
  return /** @type {Context} */ (canvas.getContext("2d", { willReadFrequently: read }));
}

export class Painter {
  /** What was met that a canvas cannot draw. @type {Set<string>} */
  unsupported = new Set();
  /** Images whose files were not there yet, by their nodes. @type {Set<number>} */
  missing = new Set();
  /** @type {Kept[]} */
  #kept = [];
  #slot = 0;
  /** Canvases of layers, and those of masks, whose pixels are read. @type {[Context[], Context[]]} */
  #spare = [[], []];
  /** @type {Map<number, { words: Uint32Array, source: any, canvas: any }>} */
  #tinted = new Map();
  /** @type {Commands} */
  #commands = /** @type {any} */ (null);

  /** @param {Context} target @param {Commands} commands @param {(node: number, element: number) => CanvasImageSource | null} picture */
  paint(target, commands, picture) {
    this.#commands = commands;
    this.#slot = 0;
    const { words, floats } = commands;
    const plain = this.#layers(words, floats);
    /** @type {Open[]} */
    const open = [{ context: target, into: null, alpha: 1, blend: "source-over", scale: null, kind: PUSH, at: 0, masks: [], unions: [] }];
    /** @type {Context | null} */
    let tile = null;
    let tileMatrix = /** @type {Matrix} */ ([1, 0, 0, 1, 0, 0]);
    target.save();
    for (let at = 0; at < words.length; at += words[at + 1]) {
      const top = open[open.length - 1], { context } = top;
      switch (words[at]) {
        case FILL:
        case STROKE:
          this.#shape(top, at, tile, tileMatrix);
          break;
        case IMAGE:
          this.#image(top, at, picture(words[at + 2], words[at + 3]));
          break;
        case PUSH:
          open.push(this.#push(top, at, plain.get(at) ?? true));
          break;
        case MASK: {
          const read = words[at + 2] === 0 && !this.#isWhite(at);
          const own = this.#take(context, read);
          own.save();
          own.setTransform(...this.#scaled(top, this.#matrix(at + 7)));
          own.beginPath();
          own.rect(floats[at + 3], floats[at + 4], floats[at + 5], floats[at + 6]);
          own.clip();
          open.push({ ...top, context: own, into: null, alpha: 1, blend: "source-over", kind: MASK, at, box: [Infinity, Infinity, -Infinity, -Infinity], masks: [], unions: [] });
          if (!read) open[open.length - 1].box = undefined;
          break;
        }
        case TILE: {
          const end = this.#end(at), matrix = this.#matrix(at + 6);
          const [a, b, c, d] = this.#scaled(top, product(this.#transform(words[end + 4]), matrix));
          const [, , width, height] = floats.subarray(at + 2, at + 6);
          const size = [Math.hypot(a, b) * width, Math.hypot(c, d) * height].map((length) => Math.min(MOST_TILE, Math.max(1, Math.ceil(length) || 1)));
          const own = spareContext(size[0], size[1]);
          const scale = /** @type {[number, number]} */ ([size[0] / width, size[1] / height]);
          open.push({ context: own, into: null, alpha: 1, blend: "source-over", scale, kind: TILE, at, masks: [], unions: [] });
          break;
        }
        default: {
          open.pop();
          const below = open[open.length - 1];
          if (top.kind === TILE) {
            const scale = top.scale ?? [1, 1];
            tile = context;
            tileMatrix = product(this.#matrix(top.at + 6), [1 / scale[0], 0, 0, 1 / scale[1], floats[top.at + 2], floats[top.at + 3]]);
          } else if (top.kind === MASK) {
            context.restore();
            const region = top.box && regionOf(top.box, context.canvas);
            if (region) luminanceToAlpha(context, region);
            below.masks.push({ mask: context, region });
          } else this.#pop(top);
        }
      }
    }
    target.restore();
  }

  /** Which layers need no canvas of their own: those without effect, and those of one shape. @param {Uint32Array} words @param {Float32Array} floats */
  #layers(words, floats) {
    /** @type {Map<number, boolean>} */
    const plain = new Map();
    /** @type {{ at: number, shapes: number, blends: boolean }[]} */
    const open = [];
    for (let at = 0; at < words.length; at += words[at + 1]) {
      const kind = words[at];
      if (kind <= IMAGE && open.length) open[open.length - 1].shapes += 1;
      else if (kind >= PUSH && kind !== POP) open.push({ at, shapes: 0, blends: false });
      else if (kind === POP) {
        const { at, shapes, blends } = /** @type {{ at: number, shapes: number, blends: boolean }} */ (open.pop());
        const around = open[open.length - 1];
        if (words[at] !== PUSH) continue;
        const normal = words[at + 5] === 0;
        // What is in a layer counts as more than one shape of that around it.
        if (around) {
          around.shapes += 2;
          around.blends ||= !normal;
        }
        const [filters, masks] = this.#effects(at);
        const isolated = blends || filters > 0 || masks > 0 || ((floats[at + 4] < 1 || !normal) && shapes !== 1);
        plain.set(at, !isolated);
      }
    }
    return plain;
  }

  /** Where the matrix behind the clip paths of a layer is. @param {number} at */
  #afterClips(at) {
    const { words } = this.#commands;
    let p = at + 8;
    for (let clips = words[at + 7]; clips > 0; clips--) p += 1 + 6 * words[p];
    return p;
  }

  /** How many filters and masks a layer has. @param {number} at */
  #effects(at) {
    const { words } = this.#commands;
    const p = this.#afterClips(at) + 6;
    return [words[p], words[at + words[at + 1] - 1]];
  }

  /** The place behind the pop of what opens here. @param {number} at */
  #end(at) {
    const { words } = this.#commands;
    let depth = 0;
    do {
      if (words[at] === POP) depth -= 1;
      else if (words[at] >= PUSH) depth += 1;
      at += words[at + 1];
    } while (depth > 0 && at < words.length);
    return at;
  }

  /** Whether all in a mask is white: then its luminance is its alpha, and no pixel has to be read. @param {number} at */
  #isWhite(at) {
    const { words, floats } = this.#commands;
    for (const end = this.#end(at); at < end; at += words[at + 1]) {
      if (words[at] === IMAGE || words[at] === TILE) return false;
      if (words[at] > STROKE) continue;
      const paint = words[at] === FILL ? at + 11 : at + 17 + words[at + 16];
      if (words[paint] === 0 ? words[paint + 1] !== 0xffffff : words[paint] === 3) return false;
      for (let stop = paint + 15, end = at + words[at + 1]; words[paint] && stop < end; stop += 5) {
        if (floats[stop + 1] < 1 || floats[stop + 2] < 1 || floats[stop + 3] < 1) return false;
      }
    }
    return true;
  }

  /** @param {number} at @returns {Matrix} */
  #matrix(at) {
    return /** @type {any} */ ([...this.#commands.floats.subarray(at, at + 6)]);
  }

  /** @param {number} index @returns {Matrix} */
  #transform(index) {
    return /** @type {any} */ ([...this.#commands.transforms.subarray(6 * index, 6 * index + 6)]);
  }

  /** A transform within a tile, whose canvas has a scale. @param {Open} top @param {Matrix} m @returns {Matrix} */
  #scaled({ scale }, m) {
    return scale ? product([scale[0], 0, 0, scale[1], 0, 0], m) : m;
  }

  /** An empty canvas as large as another one. @param {Context} like @param {boolean} [read] */
  #take(like, read) {
    const { width, height } = like.canvas;
    const context = this.#spare[Number(Boolean(read))].pop();
    if (!context) return spareContext(width, height, read);
    if (context.canvas.width !== width || context.canvas.height !== height) Object.assign(context.canvas, { width, height });
    else context.reset();
    return context;
  }

  /** @param {Context} context @param {boolean} [read] */
  #give(context, read) {
    this.#spare[Number(Boolean(read))].push(context);
  }

  /** The outline at a place of the words. @param {number} at @returns {Kept} */
  #outline(at) {
    const { words, verbs: allVerbs, coordinates: all } = this.#commands;
    const verbs = allVerbs.subarray(words[at], words[at] + words[at + 1]);
    const coordinates = all.subarray(words[at + 2], words[at + 2] + words[at + 3]);
    const kept = this.#kept[this.#slot];
    if (kept && same(kept.coordinates, coordinates) && same(kept.verbs, verbs)) {
      this.#slot += 1;
      return kept;
    }
    // Gradients that repeat depend on how far the outline reaches.
    const style = kept?.words && (kept.words[0] === 0 || kept.words[1] === 0) ? { words: kept.words, style: kept.style, own: kept.own } : {};
    return this.#kept[this.#slot++] = { verbs: verbs.slice(), coordinates: coordinates.slice(), path: pathOf(verbs, coordinates), ...style };
  }

  /** @param {Open} top @param {number} at @param {Context | null} tile @param {Matrix} tileMatrix */
  #shape(top, at, tile, tileMatrix) {
    const { words, floats } = this.#commands;
    const { context } = top;
    const fills = words[at] === FILL;
    const kept = this.#outline(at + 5);
    const flags = words[at + 9];
    if (flags & CRISP) this.unsupported.add("edges that are not smooth");
    if (flags & MITER_CLIP) this.unsupported.add("miter-clip");
    const paint = fills ? at + 11 : at + 17 + words[at + 16];
    const place = this.#scaled(top, this.#transform(words[at + 4]));
    let style = this.#style(kept, paint, at + words[at + 1]);
    if (style === null) {
      if (!words[paint + 1] || !tile) return void this.unsupported.add("patterns within patterns");
      const pattern = /** @type {CanvasPattern} */ (context.createPattern(tile.canvas, "repeat"));
      pattern.setTransform(dom(tileMatrix));
      style = /** @type {any} */ (pattern);
    }
    if (top.box) grow(top.box, place, kept.coordinates, fills ? 0 : floats[at + 11] * Math.max(1, floats[at + 14]));
    context.globalAlpha = floats[at + 10] * top.alpha;
    context.globalCompositeOperation = top.blend;
    const rule = flags & EVEN_ODD ? "evenodd" : "nonzero";
    if (fills) {
      context.fillStyle = /** @type {any} */ (style);
      if (kept.own) {
        if (!kept.moved) {
          kept.moved = new Path2D();
          kept.moved.addPath(kept.path, dom(inverse(kept.own)));
        }
        context.setTransform(...product(place, kept.own));
        return context.fill(kept.moved, rule);
      }
      context.setTransform(...place);
      return context.fill(kept.path, rule);
    }
    const stroke = (/** @type {Context} */ context, /** @type {any} */ style) => {
      context.setTransform(...place);
      context.lineWidth = floats[at + 11];
      context.lineCap = CAPS[words[at + 12]];
      context.lineJoin = JOINS[words[at + 13]];
      context.miterLimit = floats[at + 14];
      context.lineDashOffset = floats[at + 15];
      context.setLineDash([...floats.subarray(at + 17, at + 17 + words[at + 16])]);
      context.strokeStyle = style;
      context.stroke(kept.path);
    };
    if (!kept.own) return stroke(context, style);
    // A gradient of another shape than circles and lines: the stroke is where it shows.
    const own = this.#take(context);
    stroke(own, "#000");
    own.globalCompositeOperation = "source-in";
    own.setTransform(...product(place, kept.own));
    own.fillStyle = /** @type {any} */ (style);
    const [a, b, c, d, e, f] = inverse(product(place, kept.own));
    const { width, height } = own.canvas;
    const xs = [e, e + a * width, e + c * height, e + a * width + c * height], ys = [f, f + b * width, f + d * height, f + b * width + d * height];
    own.fillRect(Math.min(...xs), Math.min(...ys), Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(own.canvas, 0, 0);
    this.#give(own);
  }

  /** A colour or gradient; null for a pattern. What no line or circle can show is drawn in a space of its own. @param {Kept} kept @param {number} at @param {number} end */
  #style(kept, at, end) {
    const { words, floats } = this.#commands;
    const own = words.subarray(at, end);
    if (kept.words && kept.style && same(kept.words, own)) return kept.style;
    kept.words = own.slice();
    kept.own = kept.moved = null;
    if (words[at] === 0) return kept.style = `#${words[at + 1].toString(16).padStart(6, "0")}`;
    if (words[at] === 3) {
      kept.style = undefined;
      return null;
    }
    const [x0, y0, r0, x1, y1, r1] = floats.subarray(at + 2, at + 8);
    const matrix = this.#matrix(at + 8);
    const stops = Array.from({ length: words[at + 14] }, (_, k) => floats.subarray(at + 15 + 5 * k, at + 20 + 5 * k));
    const [a, b, c, d] = matrix, linear = words[at] === 1;
    const det = a * d - b * c;
    const nothing = linear ? x0 === x1 && y0 === y1 : !(r1 > 0);
    if (nothing || !det || !stops.length) return kept.style = stops.length ? css(stops[stops.length - 1]) : "#0000";
    // From round -before to round after, where a gradient repeats.
    let before = 0, after = 1;
    if (words[at + 1]) [before, after] = this.#rounds(kept, matrix, linear, [x0, y0, r0, x1, y1, r1]);
    const point = (/** @type {number} */ t) => [x0 + t * (x1 - x0), y0 + t * (y1 - y0), r0 + t * (r1 - r0)];
    let from = point(-before), to = point(after), scale = 1;
    if (linear) {
      // Lines of one colour stay lines: the new gradient is square to them.
      const across = [-(to[1] - from[1]), to[0] - from[0]];
      const line = [a * across[0] + c * across[1], b * across[0] + d * across[1]];
      const start = product(matrix, [1, 0, 0, 1, from[0], from[1]]), end = product(matrix, [1, 0, 0, 1, to[0], to[1]]);
      const share = ((end[4] - start[4]) * line[0] + (end[5] - start[5]) * line[1]) / (line[0] ** 2 + line[1] ** 2);
      from = [start[4], start[5]];
      to = [end[4] - share * line[0], end[5] - share * line[1]];
    } else if (Math.hypot(a - d, b + c) < 1e-5 * Math.hypot(a, b) || Math.hypot(a + d, b - c) < 1e-5 * Math.hypot(a, b)) {
      scale = Math.hypot(a, b);
      const moved = [from, to].map(([x, y, r]) => [a * x + c * y + matrix[4], b * x + d * y + matrix[5], r * scale]);
      [from, to] = moved;
    } else kept.own = matrix;
    const made = linear ? probe().createLinearGradient(from[0], from[1], to[0], to[1]) : probe().createRadialGradient(from[0], from[1], Math.max(0, from[2]), to[0], to[1], to[2]);
    for (let round = -before; round < after; round++) {
      const back = words[at + 1] === 1 && round % 2 !== 0;
      for (const stop of back ? [...stops].reverse() : stops) {
        const offset = (round + (back ? 1 - stop[0] : stop[0]) + before) / (before + after);
        made.addColorStop(Math.min(1, Math.max(0, offset)), css(stop));
      }
    }
    return kept.style = made;
  }

  /** How many rounds before and after its own a gradient needs to cover the outline. @param {Kept} kept @param {Matrix} matrix @param {boolean} linear @param {number[]} circles */
  #rounds({ coordinates }, matrix, linear, [x0, y0, r0, x1, y1, r1]) {
    const [a, b, c, d, e, f] = inverse(matrix);
    let least = 0, most = 1;
    const along = [x1 - x0, y1 - y0], length = along[0] ** 2 + along[1] ** 2;
    for (let p = 0; p + 1 < coordinates.length; p += 2) {
      const x = a * coordinates[p] + c * coordinates[p + 1] + e, y = b * coordinates[p] + d * coordinates[p + 1] + f;
      // The circle of a round grows by at least the radius less the shift of its middle.
      const at = linear ? ((x - x0) * along[0] + (y - y0) * along[1]) / length : Math.hypot(x - x0, y - y0) / Math.max(1e-6, r1 - r0 - Math.sqrt(length));
      least = Math.min(least, at);
      most = Math.max(most, at);
    }
    // The outline bulges beyond its points, and a stroke is wider than it.
    const rounds = (/** @type {number} */ n) => Math.min(MOST_ROUNDS, Math.ceil(n) + 1 || 1);
    return linear ? [rounds(-least), rounds(most)] : [r1 > r0 ? Math.floor(r0 / (r1 - r0)) : 0, rounds(most)];
  }

  /** @param {Open} top @param {number} at @param {any} source */
  #image(top, at, source) {
    const { words, floats } = this.#commands;
    const { context } = top;
    if (!source) return void this.missing.add(words[at + 2]);
    if (words[at + 8]) source = this.#tint(source, words.slice(at + 2, at + words[at + 1]), floats.slice(at + 9, at + 15));
    const place = this.#scaled(top, this.#transform(words[at + 4]));
    if (top.box) grow(top.box, place, [0, 0, floats[at + 5], floats[at + 6]], 0);
    context.setTransform(...place);
    context.globalAlpha = top.alpha;
    context.globalCompositeOperation = top.blend;
    const sampling = words[at + 7];
    context.imageSmoothingEnabled = sampling !== 1 && sampling < 4;
    context.imageSmoothingQuality = sampling === 2 ? "low" : "high";
    context.drawImage(source, 0, 0, floats[at + 5], floats[at + 6]);
  }

  /** @param {any} source @param {Uint32Array} words @param {Float32Array} by */
  #tint(source, words, by) {
    const made = this.#tinted.get(words[0]);
    if (made && made.source === source && same(made.words.subarray(6), words.subarray(6))) return made.canvas;
    const { width, height } = source;
    const context = spareContext(width, height, true);
    context.drawImage(source, 0, 0, width, height);
    const pixels = context.getImageData(0, 0, width, height), { data } = pixels;
    for (let p = 0; p < data.length; p++) if (p % 4 < 3) data[p] = data[p] * by[p % 4] + by[3 + p % 4];
    context.putImageData(pixels, 0, 0);
    this.#tinted.set(words[0], { words, source, canvas: context.canvas });
    return context.canvas;
  }

  /** @param {Open} top @param {number} at @param {boolean} plain @returns {Open} */
  #push(top, at, plain) {
    const { words, floats } = this.#commands;
    const { context } = top;
    PARTIAL.forEach((what, bit) => words[at + 6] >> bit & 1 && this.unsupported.add(what));
    context.save();
    const unions = [];
    let p = at + 8;
    for (let clips = words[at + 7]; clips > 0; clips--) {
      const outlines = words[p++];
      // Without an outline, nothing is visible.
      const union = outlines === 1 ? null : this.#take(context);
      if (union) unions.push(union);
      for (let k = 0; k < outlines; k++, p += 6) {
        const { path } = this.#outline(p + 1), into = union ?? context;
        into.setTransform(...this.#scaled(top, this.#transform(words[p])));
        const rule = words[p + 5] & EVEN_ODD ? "evenodd" : "nonzero";
        if (union) into.fill(path, rule);
        else into.clip(path, rule);
      }
    }
    const open = { ...top, kind: PUSH, at, into: null, masks: [], unions };
    const alpha = floats[at + 4], blend = BLENDS[words[at + 5]] ?? "source-over";
    if (plain && !unions.length) return { ...open, alpha: top.alpha * alpha, blend: words[at + 5] ? blend : top.blend };
    return { ...open, context: this.#take(context), into: context, alpha: 1, blend: "source-over" };
  }

  /** @param {Open} top */
  #pop({ context, into, at, masks, unions, scale }) {
    if (!into) return context.restore();
    const { words, floats } = this.#commands;
    const p = this.#afterClips(at);
    const matrix = this.#scaled(/** @type {any} */ ({ scale }), this.#matrix(p));
    let shown = context;
    let f = p + 7;
    for (let filters = words[p + 6]; filters > 0; filters--) {
      const steps = words[f + 4];
      const own = this.#take(shown);
      own.setTransform(...matrix);
      own.beginPath();
      own.rect(floats[f], floats[f + 1], floats[f + 2], floats[f + 3]);
      own.clip();
      own.setTransform(1, 0, 0, 1, 0, 0);
      const css = this.#filter(f + 5, steps, matrix);
      if (css) own.filter = css;
      own.drawImage(shown.canvas, 0, 0);
      this.#give(shown);
      shown = own;
      f += 5 + 9 * steps;
    }
    const { width, height } = shown.canvas;
    /** @type {Region} */
    let region = [0, 0, width, height];
    for (const { mask, region: drawn } of [...masks, ...unions.map((mask) => ({ mask, region: undefined }))]) {
      shown.setTransform(1, 0, 0, 1, 0, 0);
      shown.filter = "none";
      shown.globalAlpha = 1;
      shown.globalCompositeOperation = "destination-in";
      // Outside of what a mask draws nothing is visible, so nothing of it is composited.
      if (drawn) {
        shown.beginPath();
        shown.rect(...drawn);
        shown.clip();
        region = meet(region, drawn);
      }
      shown.drawImage(mask.canvas, 0, 0);
    }
    into.setTransform(1, 0, 0, 1, 0, 0);
    into.globalAlpha = floats[at + 4];
    into.globalCompositeOperation = BLENDS[words[at + 5]] ?? "source-over";
    if (region[2] > 0 && region[3] > 0) into.drawImage(shown.canvas, ...region, ...region);
    into.restore();
    this.#give(shown);
    masks.forEach(({ mask, region }) => this.#give(mask, Boolean(region)));
    unions.forEach((union) => this.#give(union));
  }

  /** The steps of a filter in CSS. @param {number} at @param {number} steps @param {Matrix} matrix */
  #filter(at, steps, [a, b, c, d]) {
    const { words, floats } = this.#commands;
    if (typeof probe().filter !== "string") {
      this.unsupported.add("filters (in this browser)");
      return "";
    }
    const scale = Math.sqrt(Math.abs(a * d - b * c));
    const all = [];
    for (; steps > 0; steps--, at += 9) {
      const [across, down, dx, dy, red, green, blue, opacity] = floats.subarray(at + 1, at + 9);
      if (Math.abs(across - down) > 0.05 * Math.max(across, down)) this.unsupported.add("blurs that differ across and down");
      const blur = `${(across + down) / 2 * scale}px`;
      all.push(words[at] === 0 ? `blur(${blur})` : `drop-shadow(${a * dx + c * dy}px ${b * dx + d * dy}px ${blur} rgb(${red} ${green} ${blue} / ${opacity}))`);
    }
    return all.join(" ");
  }
}

/** @type {Context | undefined} */
let probed;
/** A context that makes gradients for all. */
const probe = () => probed ??= spareContext(1, 1);

/** Extends a box by points under a matrix. @param {number[]} box @param {Matrix} matrix @param {ArrayLike<number>} points @param {number} by */
function grow(box, [a, b, c, d, e, f], points, by) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let p = 0; p + 1 < points.length; p += 2) {
    left = Math.min(left, points[p]);
    right = Math.max(right, points[p]);
    top = Math.min(top, points[p + 1]);
    bottom = Math.max(bottom, points[p + 1]);
  }
  for (const [x, y] of [[left - by, top - by], [right + by, top - by], [left - by, bottom + by], [right + by, bottom + by]]) {
    const across = a * x + c * y + e, down = b * x + d * y + f;
    box[0] = Math.min(box[0], across);
    box[1] = Math.min(box[1], down);
    box[2] = Math.max(box[2], across);
    box[3] = Math.max(box[3], down);
  }
}

/** The pixels of a box on a canvas. @param {number[]} box @param {{ width: number, height: number }} canvas @returns {Region} */
function regionOf(box, { width, height }) {
  const [left, top] = [Math.max(0, Math.floor(box[0]) - 1), Math.max(0, Math.floor(box[1]) - 1)];
  const size = [Math.min(width, Math.ceil(box[2]) + 1) - left, Math.min(height, Math.ceil(box[3]) + 1) - top];
  return size[0] > 0 && size[1] > 0 ? [left, top, size[0], size[1]] : [0, 0, 0, 0];
}

/** What two regions have in common. @param {Region} a @param {Region} b @returns {Region} */
function meet(a, b) {
  const [left, top] = [Math.max(a[0], b[0]), Math.max(a[1], b[1])];
  return [left, top, Math.min(a[0] + a[2], b[0] + b[2]) - left, Math.min(a[1] + a[3], b[1] + b[3]) - top];
}

/** @param {Context} context @param {Region} region */
function luminanceToAlpha(context, [left, top, width, height]) {
  if (!width) return;
  const pixels = context.getImageData(left, top, width, height), { data } = pixels;
  // The weights of linear light that SVG takes for sRGB as well.
  for (let p = 0; p < data.length; p += 4) {
    if (data[p + 3]) data[p + 3] *= (0.2125 * data[p] + 0.7154 * data[p + 1] + 0.0721 * data[p + 2]) / 255;
  }
  context.putImageData(pixels, left, top);
}
