// Figures in Phaser 3 and 4, drawn by its WebGL context.

import { ATTRIBUTES, CLIP, PICTURE, RAMP_WIDTH, STRIDE, UNCLIP, fragmentShader, pictureOf, trianglesOf, vertexShader } from "./triangles.js";

/** @typedef {{ program: WebGLProgram, array: any, bind: (array: any) => void, vertices: WebGLBuffer, indices: WebGLBuffer, ramps: WebGLTexture, picture: WebGLTexture, place: WebGLUniformLocation | null, rows: WebGLUniformLocation | null, tint: WebGLUniformLocation | null, pictures: Map<any, WebGLTexture>, loaded: Uint8Array, known: Uint8Array[], stencil: boolean }} Card */

/** @param {WebGLRenderingContext} gl @param {number} type @param {string} source */
function compiled(gl, type, source) {
  const shader = /** @type {WebGLShader} */ (gl.createShader(type));
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  return shader;
}

/** Of how many kinds of figures the gradients are kept, for them to be compared. */
const MOST_RAMPS = 31;

/** What a context keeps for all figures. @type {WeakMap<WebGLRenderingContext, Card>} */
const cards = new WeakMap();

/** @param {WebGLRenderingContext} gl @returns {Card} */
function card(gl) {
  const kept = cards.get(gl);
  if (kept) return kept;
  // What was lost with the context is made anew.
  gl.canvas.addEventListener("webglcontextlost", () => cards.delete(gl), { once: true });
  const program = /** @type {WebGLProgram} */ (gl.createProgram());
  gl.attachShader(program, compiled(gl, gl.VERTEX_SHADER, vertexShader("uPlace", "uniform mat3 uPlace;")));
  gl.attachShader(program, compiled(gl, gl.FRAGMENT_SHADER, fragmentShader("uTint", "uniform vec4 uTint;")));
  ATTRIBUTES.forEach(([name], at) => gl.bindAttribLocation(program, at, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(`bone-layer: ${gl.getProgramInfoLog(program)}`);
  gl.getExtension("OES_element_index_uint");
  // In WebGL 1 they are an extension, which all browsers have.
  const arrays = "createVertexArray" in gl ? /** @type {any} */ (gl) : gl.getExtension("OES_vertex_array_object");
  const array = arrays.createVertexArray?.() ?? arrays.createVertexArrayOES();
  const bind = (/** @type {any} */ array) => void (arrays.bindVertexArray ? arrays.bindVertexArray(array) : arrays.bindVertexArrayOES(array));
  const vertices = gl.createBuffer(), indices = gl.createBuffer();
  bind(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, vertices);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
  ATTRIBUTES.forEach(([, count, offset, form], at) => {
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, count, form === "float" ? gl.FLOAT : gl.UNSIGNED_BYTE, form === "share", STRIDE, offset);
  });
  bind(null);
  const made = { program, array, bind, vertices, indices, ramps: texture(gl), picture: texture(gl), place: gl.getUniformLocation(program, "uPlace"), rows: gl.getUniformLocation(program, "uRows"), tint: gl.getUniformLocation(program, "uTint"), pictures: new Map(), loaded: new Uint8Array(), known: [], stencil: Boolean(gl.getContextAttributes()?.stencil) };
  cards.set(gl, /** @type {Card} */ (made));
  return /** @type {Card} */ (made);
}

/** @param {WebGLRenderingContext} gl */
function texture(gl) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  for (const way of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, way, gl.LINEAR);
  return made;
}

/** @param {WebGLRenderingContext} gl @param {WebGLTexture} into @param {any} picture */
function load(gl, into, picture) {
  gl.bindTexture(gl.TEXTURE_2D, into);
  gl.pixelStorei(gl.UNPACK_FLIP_Y_WEBGL, false);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, !(picture instanceof Uint8Array));
  if (picture instanceof Uint8Array) gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, RAMP_WIDTH, picture.length / (4 * RAMP_WIDTH), 0, gl.RGBA, gl.UNSIGNED_BYTE, picture);
  else gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
}

/** Whether a texture has these gradients: figures that look alike share it. @param {Uint8Array} a @param {Uint8Array} b */
function same(a, b) {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
}

/** The game object of a figure, of a Phaser that a page has. @param {any} Phaser */
export function boneObject(Phaser) {
  return class BoneObject extends Phaser.GameObjects.Extern {
    /** Why the figure is drawn on a canvas and not as triangles: bits of `left_out` in bone_layer.h. */
    leftOut = 0;
    #player;
    #revision = -1;
    /** Its gradients: the same bytes for all figures that have the same. */
    #ramps = new Uint8Array();
    /** @type {any} */
    #canvas = null;

    /** @param {any} scene @param {number} x @param {number} y @param {any} player */
    constructor(scene, x, y, player) {
      super(scene);
      this.#player = player;
      this.setPosition(x, y);
      this.setSize(player.figure.width, player.figure.height);
      this.setOrigin(0, 0);
    }

    get player() {
      return this.#player;
    }

    /** Advances the player with the scene; a player of several objects is advanced by `playing: false` on all but one. */
    playing = true;

    /** @param {number} _time @param {number} delta */
    preUpdate(_time, delta) {
      if (this.playing) this.#player.step(Math.min(delta, 100) / 1000);
    }

    /** @param {any} renderer @param {any} into a camera of Phaser 3, or the drawing context of Phaser 4 @param {any} matrix */
    render(renderer, into, matrix) {
      const gl = /** @type {WebGLRenderingContext} */ (renderer.gl);
      const kept = card(gl);
      const { a, b, c, d, e, f } = matrix;
      const scale = Math.sqrt(Math.abs(a * d - b * c));
      if (!(scale > 0)) return;
      const mesh = trianglesOf(this.#player, 1 / scale);
      const clips = mesh.draws.some((/** @type {number} */ kind, /** @type {number} */ at) => at % 5 === 0 && kind === CLIP);
      this.leftOut = mesh.leftOut;
      // Its vertices are of the page, whose corner is the origin of the object.
      const { width, height } = into.camera ? into : renderer;
      const [sx, sy] = [2 / width, -2 / height];
      const ox = -this.displayOriginX, oy = -this.displayOriginY;
      const place = [a * sx, b * sy, 0, c * sx, d * sy, 0, (a * ox + c * oy + e) * sx - 1, (b * ox + d * oy + f) * sy + 1, 1];
      const camera = into.camera ?? into, alpha = (camera.alpha ?? 1) * this.alpha;
      const state = [gl.BLEND, gl.STENCIL_TEST, gl.DEPTH_TEST, gl.CULL_FACE].map((name) => /** @type {const} */ ([name, gl.isEnabled(name)]));
      gl.useProgram(kept.program);
      kept.bind(kept.array);
      gl.activeTexture(gl.TEXTURE0);
      gl.uniformMatrix3fv(kept.place, false, place);
      const tint = this.tintTopLeft ?? 0xffffff, part = (/** @type {number} */ shift) => ((tint >> shift) & 255) / 255 * alpha;
      gl.uniform4f(kept.tint, part(16), part(8), part(0), alpha);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      gl.disable(gl.DEPTH_TEST);
      gl.disable(gl.CULL_FACE);
      // A mask of the game has the stencil for itself.
      if (mesh.leftOut || (clips && (!kept.stencil || gl.isEnabled(gl.STENCIL_TEST)))) this.#onCanvas(gl, kept, scale);
      else this.#triangles(gl, kept, mesh);
      kept.bind(null);
      for (const [name, on] of state) on ? gl.enable(name) : gl.disable(name);
    }

    /** @param {WebGLRenderingContext} gl @param {Card} kept @param {any} mesh */
    #triangles(gl, kept, { vertices, indices, draws, ramps, revision }) {
      gl.bindBuffer(gl.ARRAY_BUFFER, kept.vertices);
      gl.bufferData(gl.ARRAY_BUFFER, vertices, gl.STREAM_DRAW);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STREAM_DRAW);
      if (revision !== this.#revision) {
        this.#revision = revision;
        this.#ramps = kept.known.find((known) => same(known, ramps)) ?? ramps.slice();
        if (!kept.known.includes(this.#ramps)) kept.known = [...kept.known.slice(-MOST_RAMPS), this.#ramps];
      }
      if (this.#ramps !== kept.loaded && ramps.length) load(gl, kept.ramps, (kept.loaded = this.#ramps));
      gl.uniform1f(kept.rows, kept.loaded.length / (4 * RAMP_WIDTH) || 1);
      let depth = 0;
      /** @type {[number, number][]} */
      const clips = [];
      for (let at = 0; at < draws.length; at += 5) {
        const [kind, node, element, first, count] = draws.subarray(at, at + 5);
        if (kind === UNCLIP) {
          const [from, length] = clips.pop() ?? [0, 0];
          this.#stencil(gl, from, length, depth--, false);
          if (!depth) gl.disable(gl.STENCIL_TEST);
        } else if (kind === CLIP) {
          if (!depth) {
            gl.enable(gl.STENCIL_TEST);
            gl.clearStencil(0);
            gl.clear(gl.STENCIL_BUFFER_BIT);
          }
          clips.push([first, count]);
          this.#stencil(gl, first, count, depth++, true);
        } else {
          gl.bindTexture(gl.TEXTURE_2D, kept.ramps);
          if (kind === PICTURE) {
            const picture = pictureOf(this.#player, node, element);
            if (!picture) continue;
            let own = kept.pictures.get(picture);
            if (!own) {
              own = texture(gl);
              load(gl, own, picture);
              kept.pictures.set(picture, own);
            }
            gl.bindTexture(gl.TEXTURE_2D, own);
          }
          gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
        }
      }
    }

    /** Counts how many clip paths each pixel is in: one more within these triangles, once each, or one less again.
     * @param {WebGLRenderingContext} gl @param {number} first @param {number} count @param {number} depth @param {boolean} opens */
    #stencil(gl, first, count, depth, opens) {
      gl.colorMask(false, false, false, false);
      gl.stencilFunc(gl.EQUAL, depth, 0xff);
      gl.stencilOp(gl.KEEP, gl.KEEP, opens ? gl.INCR : gl.DECR);
      gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
      gl.colorMask(true, true, true, true);
      gl.stencilFunc(gl.EQUAL, opens ? depth + 1 : depth - 1, 0xff);
      gl.stencilOp(gl.KEEP, gl.KEEP, gl.KEEP);
    }

    /** What has no triangles is drawn on a canvas, and that as a picture. @param {WebGLRenderingContext} gl @param {Card} kept @param {number} scale */
    #onCanvas(gl, kept, scale) {
      const { width, height } = this.#player.figure;
      const own = Math.min(scale, 4096 / Math.max(width, height));
      const [w, h] = [width, height].map((side) => Math.max(1, Math.ceil(side * own)));
      this.#canvas ??= globalThis.OffscreenCanvas ? new OffscreenCanvas(w, h) : document.createElement("canvas");
      if (this.#canvas.width !== w || this.#canvas.height !== h) Object.assign(this.#canvas, { width: w, height: h });
      this.#player.draw(this.#canvas, { a: w / width, d: h / height });
      load(gl, kept.picture, this.#canvas);
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
      const bytes = new DataView(new ArrayBuffer(4 * STRIDE));
      corners.forEach(([u, v], at) => {
        [u * width, v * height].forEach((number, k) => bytes.setFloat32(STRIDE * at + 4 * k, number, true));
        bytes.setUint32(STRIDE * at + 8, 0xffffffff);
        [u, v].forEach((number, k) => bytes.setFloat32(STRIDE * at + 12 + 4 * k, number, true));
        bytes.setUint8(STRIDE * at + 22, 3);
      });
      gl.bindBuffer(gl.ARRAY_BUFFER, kept.vertices);
      gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STREAM_DRAW);
      gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array([0, 1, 2, 0, 2, 3]), gl.STREAM_DRAW);
      gl.drawElements(gl.TRIANGLES, 6, gl.UNSIGNED_INT, 0);
    }
  };
}
