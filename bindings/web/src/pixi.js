// Figures in PixiJS 8, drawn by its WebGL renderer.

import { ATTRIBUTES, CLIP, PICTURE, RAMP_WIDTH, STRIDE, UNCLIP, fragmentShader, pictureOf, trianglesOf, vertexShader } from "./triangles.js";

const FORMATS = { float: "float32x", share: "unorm8x", byte: "uint8x" };
/** Bytes of a picture's side at most, where a figure is drawn on a canvas. */
const MOST = 4096;

/** The container of a figure, of a PixiJS that a page has. @param {any} PIXI */
export function boneContainer(PIXI) {
  const { Buffer, BufferImageSource, BufferUsage, CanvasSource, Container, Geometry, GlProgram, Mesh, Shader, Sprite, Texture, UniformGroup } = PIXI;
  /** @type {any} */
  let program;
  const empty = () => new BufferImageSource({ resource: new Uint8Array(4 * RAMP_WIDTH), width: RAMP_WIDTH, height: 1, alphaMode: "premultiplied-alpha" });

  return class BoneContainer extends Container {
    /** Why the figure is drawn on a canvas and not as triangles: bits of `left_out` in bone_layer.h. */
    leftOut = 0;
    #player;
    #vertices;
    #ramps = empty();
    #revision = -1;
    #rows = new UniformGroup({ uRows: { value: 1, type: "f32" } });
    /** @type {{ mesh: any, kind: number, indices: any, node: number, source: any }[]} */
    #parts = [];
    /** What the parts are: other ones are built anew. */
    #form = "";
    /** @type {any} */
    #sprite = null;
    #changed = true;
    #calls = -1;
    #pixel = 0;
    #onChange = () => {
      this.#changed = true;
    };

    /** @param {any} player */
    constructor(player) {
      super();
      this.#player = player;
      this.#vertices = new Buffer({ data: new Float32Array(6), usage: BufferUsage.VERTEX | BufferUsage.COPY_DST });
      player.addEventListener("change", this.#onChange);
      this.onRender = (/** @type {any} */ renderer) => this.#refresh(renderer);
    }

    get player() {
      return this.#player;
    }

    /** Advances the player. @param {number} seconds */
    step(seconds) {
      this.#player.step(seconds);
    }

    /** @param {any} renderer */
    #refresh(renderer) {
      const { a, b, c, d } = this.worldTransform;
      const scale = Math.sqrt(Math.abs(a * d - b * c)) * (renderer?.resolution ?? 1) || 1;
      // In steps: a figure that grows is cut anew where that is seen.
      const pixel = 2 ** (Math.round(-4 * Math.log2(scale)) / 4);
      // Whoever steps or sets the player.
      const calls = this.#player.inside[3];
      if (!this.#changed && calls === this.#calls && pixel === this.#pixel) return;
      this.#changed = false;
      this.#calls = calls;
      this.#pixel = pixel;
      const mesh = trianglesOf(this.#player, pixel);
      this.leftOut = mesh.leftOut;
      if (mesh.leftOut) this.#onCanvas();
      else this.#show(mesh);
    }

    /** @param {any} mesh */
    #show({ vertices, indices, draws, ramps, revision }) {
      this.#sprite?.removeFromParent();
      if (revision !== this.#revision) {
        this.#revision = revision;
        const height = ramps.length / (4 * RAMP_WIDTH) || 1;
        this.#ramps.resource = ramps.length ? ramps.slice() : new Uint8Array(4 * RAMP_WIDTH);
        this.#ramps.resize(RAMP_WIDTH, height);
        this.#ramps.update();
        this.#rows.uniforms.uRows = height;
        this.#rows.update();
      }
      write(this.#vertices, vertices);
      const kinds = [];
      for (let at = 0; at < draws.length; at += 5) kinds.push(draws[at] === PICTURE ? `p${draws[at + 1]}` : draws[at]);
      const form = kinds.join();
      if (form !== this.#form || !this.#parts.length) this.#build(draws, form);
      this.#parts.forEach((part, k) => {
        const at = 5 * k;
        if (!part.indices) return;
        write(part.indices, indices.subarray(draws[at + 3], draws[at + 3] + draws[at + 4]));
        if (part.kind !== PICTURE) return;
        const picture = pictureOf(this.#player, draws[at + 1], draws[at + 2]);
        if (picture === part.source) return;
        part.source = picture;
        part.mesh.visible = Boolean(picture);
        if (picture) part.mesh.shader.resources.uTexture = Texture.from(picture).source;
      });
    }

    /** The children of the calls: a clip path is the mask of a container. @param {Uint32Array} draws @param {string} form */
    #build(draws, form) {
      this.#clear();
      this.#form = form;
      const open = [/** @type {any} */ (this)];
      for (let at = 0; at < draws.length; at += 5) {
        const kind = draws[at], top = open[open.length - 1];
        if (kind === UNCLIP) {
          open.pop();
          this.#parts.push({ mesh: null, kind, indices: null, node: 0, source: null });
          continue;
        }
        const indices = new Buffer({ data: new Uint32Array(3), usage: BufferUsage.INDEX | BufferUsage.COPY_DST });
        const attributes = Object.fromEntries(ATTRIBUTES.map(([name, count, offset, form]) => [name, { buffer: this.#vertices, format: FORMATS[form] + count, stride: STRIDE, offset }]));
        program ??= GlProgram.from({
          name: "bone-layer",
          vertex: vertexShader("(uProjectionMatrix * uWorldTransformMatrix * uTransformMatrix)", "uniform mat3 uProjectionMatrix, uWorldTransformMatrix, uTransformMatrix;"),
          fragment: fragmentShader("uColor * uWorldColorAlpha", "uniform vec4 uColor, uWorldColorAlpha;"),
        });
        const shader = new Shader({ glProgram: program, resources: { uTexture: kind === PICTURE ? Texture.WHITE.source : this.#ramps, rows: this.#rows } });
        const mesh = new Mesh({ geometry: new Geometry({ attributes, indexBuffer: indices, topology: "triangle-list" }), shader });
        mesh.state.culling = false;
        this.#parts.push({ mesh, kind, indices, node: draws[at + 1], source: null });
        if (kind === CLIP) {
          const inside = new Container();
          inside.addChild(mesh);
          inside.mask = mesh;
          top.addChild(inside);
          open.push(inside);
        } else top.addChild(mesh);
      }
    }

    /** What has no triangles is drawn on a canvas, as large as it is seen. */
    #onCanvas() {
      this.#clear();
      const { width, height } = this.#player.figure;
      const scale = Math.min(1 / this.#pixel, MOST / Math.max(width, height));
      const [w, h] = [width, height].map((side) => Math.max(1, Math.ceil(side * scale)));
      this.#sprite ??= new Sprite();
      let { source } = this.#sprite.texture;
      if (!(source instanceof CanvasSource) || source.pixelWidth !== w || source.pixelHeight !== h) {
        if (source instanceof CanvasSource) this.#sprite.texture.destroy(true);
        const canvas = globalThis.OffscreenCanvas ? new OffscreenCanvas(w, h) : Object.assign(document.createElement("canvas"), { width: w, height: h });
        source = new CanvasSource({ resource: canvas, width: w, height: h, resolution: 1 });
        this.#sprite.texture = new Texture({ source });
      }
      this.#player.draw(source.resource, { a: w / width, d: h / height });
      source.update();
      this.#sprite.setSize(width, height);
      this.addChild(this.#sprite);
    }

    #clear() {
      for (const { mesh, indices } of this.#parts) {
        if (!mesh) continue;
        mesh.parent?.mask && (mesh.parent.mask = null);
        mesh.geometry.destroy();
        indices.destroy();
        mesh.destroy();
      }
      this.#parts = [];
      this.#form = "";
      for (const child of this.removeChildren()) if (child !== this.#sprite) child.destroy({ children: true });
    }

    /** The player stays open. @param {any} [options] */
    destroy(options) {
      this.onRender = /** @type {any} */ (null);
      this.#player.removeEventListener("change", this.#onChange);
      this.#clear();
      this.#sprite?.destroy({ texture: true, textureSource: true });
      this.#vertices.destroy();
      this.#ramps.destroy();
      super.destroy(options);
    }
  };
}

/** Puts numbers into a buffer of the graphics card, whose room grows. What is behind them is 0: indices of no triangle.
 * @param {any} buffer @param {Uint32Array | Float32Array} numbers */
function write(buffer, numbers) {
  const { data } = buffer;
  if (data.length < numbers.length) {
    const room = numbers instanceof Float32Array ? new Float32Array(1.25 * numbers.length) : new Uint32Array(1.25 * numbers.length);
    room.set(numbers);
    buffer.data = room;
    return;
  }
  if (numbers instanceof Uint32Array) {
    // Triangles mostly keep their corners.
    let same = 0;
    while (same < numbers.length && data[same] === numbers[same]) same++;
    if (same === numbers.length && !data[same]) return;
    data.fill(0, numbers.length);
  }
  data.set(numbers);
  buffer.update(data instanceof Float32Array ? numbers.byteLength : data.byteLength);
}
