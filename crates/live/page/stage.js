// The stage: the engine's picture, the bones above it, and the hand that moves them.

import { brushStrength } from "./brush.js";
import { colours, el, icon, iconButton, short, svg } from "./dom.js";
import { Chain } from "./chain.js";
import { cutAt, Grab } from "./grab.js";
import { model } from "./model.js";
import { Pictures } from "./pictures.js";
import { listen as listenToDrops } from "./replace.js";
import { Trail } from "./trail.js";
import { boneOutline, distance, toSegment, View } from "./view.js";


/** A bone is hit from this many CSS pixels beside it. */
const SLACK = 8;

export class Stage extends HTMLElement {
  view = new View();
  /** @type {string | null} */
  hovered = null;
  /** Bones that are being drawn. @type {[Pair, Pair][]} */
  ghosts = [];
  /** What a point snaps to. @type {{ at: Pair, word: string } | null} */
  ring = null;
  /** A line from a bone to what a rule is to follow. @type {[Pair, Pair] | null} */
  line = null;
  /** A rectangle of art, in canvas units. @type {number[] | null} */
  outline = null;
  /** @type {WeightPath[]} */
  weightPaths = [];
  /** The bone whose shares these are. */
  weightsOf = "";
  /** A box that is drawn to select what lies in it, CSS pixels. @type {{ x: number, y: number, width: number, height: number } | null} */
  box = null;
  /** Where the brush is, CSS pixels. @type {Pair | null} */
  brushAt = null;
  #canvas = el("canvas", { class: "picture", role: "img", "aria-label": "The drawing as the engine poses it" });
  pictures = new Pictures(this.view, this.#canvas);
  grab = new Grab(this);
  chain = new Chain(this);
  trail = new Trail(this);
  /** The page: what lies beside it is seen through the colour of the table. */
  #paper = el("div", { class: "paper" });
  #bones = svg("svg", { class: "bones", "aria-hidden": "true" });
  #shapes = /** @type {Map<string, SVGElement>} */ (new Map());
  #extras = svg("g");
  #boneGroup = svg("g");
  #rulers = el("canvas", { class: "ruler", hidden: true });
  #badge = el("div", { class: "badge", hidden: true, text: "Setup" });
  #tip = el("div", { class: "tip", hidden: true });
  #zoom = el("output", { "aria-label": "Zoom" });
  #hovering = false;
  /** @type {{ resolve: (hit: any) => void } | null} */
  #asked = null;
  #weightsAsked = "";

  connectedCallback() {
    this.pictures.listen();
    this.trail.listen();
    listenToDrops(this);
    this.tabIndex = 0;
    this.setAttribute("role", "application");
    this.setAttribute("aria-label", "Stage");
    this.setAttribute("aria-describedby", "stage-help");
    this.#bones.append(this.#extras, this.#boneGroup);
    const middle = () => /** @type {Pair} */ ([this.clientWidth / 2, this.clientHeight / 2]);
    const paper = iconButton("weights", "Checkerboard behind the drawing", "", () => model.setOption({ checker: !model.checker }));
    paper.replaceChildren("▦");
    const buttons = el("div", { class: "zoom", role: "group", "aria-label": "View" },
      paper,
      el("button", { type: "button", "aria-label": "Zoom out", title: "Zoom out (-)", text: "−", onclick: () => this.zoomBy(0.8, middle()) }),
      this.#zoom,
      el("button", { type: "button", "aria-label": "Zoom in", title: "Zoom in (+)", text: "+", onclick: () => this.zoomBy(1.25, middle()) }),
      el("button", { type: "button", title: "One pixel for each unit (Alt 1)", text: "1:1", onclick: () => this.actual() }),
      el("button", { type: "button", title: "Fit (F)", "aria-label": "Fit", onclick: () => this.fit() }, icon("fit")));
    buttons.addEventListener("pointerdown", (event) => event.stopPropagation());
    this.append(this.#canvas, this.#paper, this.#bones, this.#rulers, this.#badge, this.#tip, buttons,
      el("p", { id: "stage-help", class: "hidden-text", text: "Choose bones in the tree; R turns, G moves, S scales the selected bone by a typed number. F1 lists all keys." }));
    model.handlers.set("hit", (message) => {
      this.#asked?.resolve(message);
      this.#asked = null;
    });
    model.handlers.set("weights", (message) => {
      this.weightPaths = message.paths;
      model.weightBindings = message.bindings;
      this.weightsOf = message.bone;
      model.emit("weights");
      this.#draw();
    });
    const sized = new ResizeObserver((entries) => this.#resize(entries[0]));
    try {
      sized.observe(this, { box: "device-pixel-content-box" });
    } catch {
      sized.observe(this);
    }
    model.on("posed", () => this.#draw());
    model.on("rig", () => this.#rig());
    model.on("time", () => this.pictures.request());
    model.on("selection", () => {
      this.#draw();
      this.#askWeights();
      if (!model.playing) this.pictures.request();
    });
    model.on("tool", () => {
      this.#badge.hidden = model.mode !== "setup";
      this.#bones.classList.toggle("setup-bones", model.mode === "setup");
      this.dataset.tool = model.tool;
      this.#rulers.hidden = !model.rulers;
      paper.setAttribute("aria-pressed", String(model.checker));
      this.outline = null;
      this.#askWeights();
      this.pictures.request();
      this.#draw();
    });
    this.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    this.addEventListener("pointermove", (event) => void this.#hover(event));
    this.addEventListener("pointerleave", () => this.#leave());
    this.addEventListener("contextmenu", (event) => event.preventDefault());
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => this.#draw());
    }
  }

  /** @param {ResizeObserverEntry} entry */
  #resize(entry) {
    const { view } = this;
    const box = entry.devicePixelContentBoxSize?.[0];
    view.density = devicePixelRatio;
    view.width = box ? box.inlineSize : Math.round(this.clientWidth * view.density);
    view.height = box ? box.blockSize : Math.round(this.clientHeight * view.density);
    if (view.fitted) view.fit();
    this.moved();
  }

  #rig() {
    const { rig } = model;
    if (!rig) return;
    this.classList.toggle("stale", !rig.good || rig.files.some((file) => file.missing && file.role === "drawing"));
    if (String(this.view.canvas) !== String(rig.canvas)) {
      this.view.canvas = rig.canvas;
      if (this.view.fitted) this.view.fit();
      this.moved();
    }
    this.#weightsAsked = "";
    this.#askWeights();
    this.pictures.request();
  }

  /** The view has changed. */
  moved() {
    const { view } = this;
    const [width, height] = view.page;
    model.scale = view.scale;
    this.#paper.style.transform = `translate(${view.left / view.density}px, ${view.top / view.density}px)`;
    this.#paper.style.width = `${width / view.density}px`;
    this.#paper.style.height = `${height / view.density}px`;
    this.#zoom.value = `${Math.round(view.zoom * 100)} %`;
    this.pictures.place();
    this.pictures.request();
    this.#draw();
  }

  fit() {
    this.view.fit();
    this.moved();
  }

  actual() {
    this.view.zoomTo(1, [this.clientWidth / 2, this.clientHeight / 2]);
    this.moved();
  }

  /** @param {number} factor @param {Pair} at */
  zoomBy(factor, at) {
    this.view.zoomTo(Math.max(0.02, Math.min(this.view.zoom * factor, 64)), at);
    this.moved();
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    if (event.shiftKey && model.tool === "brush") return brushStrength(event.deltaY + event.deltaX > 0 ? -0.05 : 0.05);
    const step = event.deltaMode ? 20 : 1;
    this.zoomBy(Math.exp(-event.deltaY * step * 0.0015), this.at(event));
  }

  /** The place of an event in CSS pixels of the stage. @param {MouseEvent} event @returns {Pair} */
  at(event) {
    const box = this.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** Joint and tip of a bone on the stage. @param {string} name @returns {[Pair, Pair] | null} */
  ends(name) {
    const index = model.rig?.bones.findIndex((bone) => bone.name === name) ?? -1;
    const posed = model.posed?.bones[index];
    return posed ? [this.view.toStage(posed[0], posed[1]), this.view.toStage(posed[2], posed[3])] : null;
  }

  /** What is under the pointer. @param {Pair} at @returns {Hit} */
  hit(at) {
    for (const handle of this.#extras.querySelectorAll("[data-hit]")) {
      const data = /** @type {HTMLElement} */ (/** @type {unknown} */ (handle)).dataset;
      if (distance(at, [Number(data.x), Number(data.y)]) <= 10) return JSON.parse(data.hit ?? "null");
    }
    if (!model.rig || !model.posed) return null;
    /** @type {{ bone: string, distance: number, along: number, from: Pair, to: Pair } | null} */
    let best = null;
    for (const { name } of model.rig.bones) {
      const ends = this.ends(name);
      if (!ends) continue;
      const found = toSegment(at, ...ends);
      // Of bones that are equally near, a selected one counts.
      const score = found.distance - (model.bones.includes(name) ? 1.5 : 0);
      if (found.distance <= SLACK && (!best || score < best.distance)) {
        best = { bone: name, distance: score, along: found.along, from: ends[0], to: ends[1] };
      }
    }
    if (!best) return null;
    const length = distance(best.from, best.to);
    const reach = Math.min(SLACK, length / 3);
    const part = distance(at, best.to) <= reach ? "tip" : distance(at, best.from) <= reach ? "joint" : "body";
    return { what: "bone", bone: best.bone, part };
  }

  /** The art at a place, as the engine finds it. @param {Pair} at @returns {Promise<string | null>} */
  art(at) {
    return new Promise((resolve) => {
      this.#asked?.resolve(null);
      this.#asked = { resolve: (hit) => resolve(hit?.art?.address ?? null) };
      model.link.send({
        t: "hit", seq: model.link.next(), clip: model.shown, time: model.time, pose: model.pose,
        at: this.view.toCanvas(at), reach: 3 / this.view.zoom,
      });
    });
  }

  /** @param {PointerEvent} event */
  async #hover(event) {
    const at = this.at(event);
    if (model.tool === "brush" && !this.grab.busy) {
      this.brushAt = at;
      this.#draw();
    }
    if (this.chain.busy) return;
    if (this.grab.busy || event.target !== this && !this.#bones.contains(/** @type {Node} */ (event.target))) return this.#leave();
    const hit = this.hit(at);
    const bone = hit?.what === "bone" ? hit.bone : null;
    if (bone !== this.hovered) {
      this.hovered = bone;
      this.#draw();
    }
    const cut = model.tool === "split" && bone ? this.ends(bone) : null;
    if (bone && cut) {
      const [share, length] = [cutAt(at, cut), distance(...cut) / this.view.zoom];
      return this.showTip(at, `Cut ${bone}`, `${short(length * share, 1)} and ${short(length * (1 - share), 1)}`);
    }
    if (bone || hit) return this.showTip(at, bone ?? ("name" in /** @type {any} */ (hit) ? /** @type {any} */ (hit).name : ""), this.#about(hit));
    if (this.#hovering || model.playing) return;
    this.#hovering = true;
    const art = await this.art(at);
    this.#hovering = false;
    const info = model.art(art);
    if (!info || this.grab.busy) return this.showTip(at, "", "");
    const follows = info.follows ? `${info.follows.how}: ${info.follows.bones.join(", ")}` : "follows no bone";
    this.showTip(at, info.label ?? info.id ?? info.address, `${info.address} · ${follows}`);
  }

  /** @param {Hit} hit */
  #about(hit) {
    if (hit?.what === "goal") return "goal: drag it";
    if (hit?.what === "axis") return "axis of the mirror: drag it";
    if (hit?.what === "limit") return "limit of the bone: drag it";
    if (hit?.what === "region") return "region of influence: drag it";
    if (hit?.what === "vertex") return `vertex ${hit.vertex} of ${hit.art}: ${short(hit.share * 100, 0)} %`;
    if (hit?.what === "trail") return `key at ${short(hit.time, 3)} s: drag it`;
    const bone = hit && model.bone(hit.bone);
    if (!bone) return "";
    const held = bone.held.length ? `held by ${bone.held.join(", ")} · ` : "";
    return `${held}${bone.carries.length ? `carries ${bone.carries.join(", ")}` : "carries nothing"}`;
  }

  /** @param {Pair} at @param {string} name @param {string} about */
  showTip(at, name, about) {
    this.#tip.hidden = !name && !about;
    if (this.#tip.hidden) return;
    this.#tip.replaceChildren(el("span", { text: name }), el("small", { text: about }));
    const x = Math.min(at[0] + 16, this.clientWidth - this.#tip.offsetWidth - 4);
    const y = Math.min(at[1] + 18, this.clientHeight - this.#tip.offsetHeight - 4);
    this.#tip.style.transform = `translate(${Math.max(0, x)}px, ${Math.max(0, y)}px)`;
  }

  #leave() {
    this.#tip.hidden = true;
    if (this.brushAt && !this.grab.busy) {
      this.brushAt = null;
      this.#draw();
    }
    if (this.hovered) {
      this.hovered = null;
      this.#draw();
    }
  }

  #askWeights() {
    const bone = model.active?.name ?? model.rig?.bones[0]?.name ?? "";
    if (!model.weights) {
      this.weightPaths = [];
      this.#weightsAsked = "";
    } else if (bone && bone !== this.#weightsAsked) {
      this.#weightsAsked = bone;
      model.link.send({ t: "weights", seq: model.link.next(), bone, art: null });
    }
  }

  /** The weights as the server has them. */
  askWeightsAgain() {
    this.#weightsAsked = "";
    this.#askWeights();
  }

  /** Draws the bones again. */
  redraw() {
    this.#draw();
  }

  #draw() {
    const { rig, posed } = model;
    if (!rig || !posed) return;
    const { view } = this;
    const names = new Set();
    const active = model.active?.name;
    rig.bones.forEach((bone, index) => {
      const ends = posed.bones[index];
      if (!ends) return;
      names.add(bone.name);
      let shape = this.#shapes.get(bone.name);
      if (!shape) {
        shape = svg("polygon", { "data-bone": bone.name });
        this.#shapes.set(bone.name, shape);
        this.#boneGroup.append(shape);
      }
      const points = boneOutline(view.toStage(ends[0], ends[1]), view.toStage(ends[2], ends[3]));
      if (shape.getAttribute("points") !== points) shape.setAttribute("points", points);
      const classes = ["bone", bone.held.length && "held", model.bones.includes(bone.name) && "selected",
        bone.name === active && "active", bone.name === this.hovered && "hover"].filter(Boolean).join(" ");
      if (shape.getAttribute("class") !== classes) shape.setAttribute("class", classes);
    });
    for (const [name, shape] of this.#shapes) {
      if (!names.has(name)) {
        shape.remove();
        this.#shapes.delete(name);
      }
    }
    this.#boneGroup.setAttribute("opacity", model.playing ? "0.35" : "1");
    this.#extras.replaceChildren(...this.#drawExtras());
    this.#bones.append(this.#extras);
    if (model.rulers) this.#drawRulers();
  }

  /** Handles and lines of what is selected. */
  #drawExtras() {
    const { view } = this;
    const { posed } = model;
    const extras = /** @type {SVGElement[]} */ ([]);
    if (!posed || model.playing) return extras;
    /** @param {Pair} at @param {string} kind @param {Hit} hit @param {number} [size] */
    const handle = ([x, y], kind, hit, size = 5) => {
      const data = { "data-hit": JSON.stringify(hit), "data-x": x, "data-y": y };
      extras.push(svg("circle", { class: kind, cx: x, cy: y, r: size, ...data }));
    };
    for (const box of this.outline ? [this.outline] : model.arts.map((art) => model.art(art)?.box)) {
      if (!box) continue;
      const [x, y] = view.toStage(box[0], box[1]);
      extras.push(svg("rect", { class: "arthit", x, y, width: box[2] * view.zoom, height: box[3] * view.zoom }));
    }
    if (model.weights) {
      const painting = model.tool === "brush";
      for (const path of this.weightPaths) {
        // Where the bone has no share, vertices are shown to the brush alone.
        if (!painting && !path.points.some((point) => point[2] > 0)) continue;
        for (const [px, py, share, vertex] of path.points) {
          const [x, y] = view.toStage(px, py);
          const hit = { what: "vertex", art: path.art, binding: path.binding, path: path.path, vertex, share };
          const fill = `hsl(${Math.round(240 - 240 * share)} 85% 50%)`;
          extras.push(svg("circle", { class: "weight", cx: x, cy: y, r: 5, fill, "data-hit": JSON.stringify(hit), "data-x": x, "data-y": y }));
          if (view.zoom * 20 > 24 && share > 0) {
            extras.push(svg("text", { class: "weight-label", x: x + 7, y: y + 4 }, short(share * 100, 0)));
          }
        }
      }
    }
    if (model.mode === "pose" && posed.seen) {
      const { seen } = posed;
      const corners = [0, 2, 4, 6].map((at) => view.toStage(seen[at], seen[at + 1]).join(","));
      extras.push(svg("polygon", { class: "camera", points: corners.join(" ") }));
    }
    if (model.mode === "pose") {
      for (const [name, at] of Object.entries(posed.goals)) {
        // A pin has no target of its own.
        if (!model.rig?.constraints.find((each) => each.name === name)?.targets.length) continue;
        const [x, y] = view.toStage(...at);
        extras.push(svg("path", { class: "goal", d: `M${x - 9} ${y}h18M${x} ${y - 9}v18` }));
        handle([x, y], "goal", { what: "goal", name }, 6);
      }
    }
    this.trail.draw(extras, handle);
    const bone = model.active;
    const ends = bone && this.ends(bone.name);
    if (bone && ends) {
      const [from, to] = ends;
      extras.push(svg("circle", { class: "handle", cx: from[0], cy: from[1], r: 5 }));
      extras.push(svg("circle", { class: "handle", cx: to[0], cy: to[1], r: 4 }));
      if (model.mode === "setup") this.#drawSetup(bone, from, to, extras, handle);
      const goal = this.grab.target;
      if (posed.reach && goal) {
        const tip = this.ends(bone.name)?.[1] ?? to;
        extras.push(svg("line", { class: "reach", x1: tip[0], y1: tip[1], x2: goal[0], y2: goal[1] }));
        extras.push(svg("text", { class: "name-label", x: goal[0] + 10, y: goal[1] }, "out of reach"));
      }
    }
    if (model.axis !== null && model.mode === "setup") {
      const x = view.toStage(model.axis, 0)[0];
      extras.push(svg("line", { class: "axis", x1: x, y1: 0, x2: x, y2: this.clientHeight }));
      handle([x, 26], "limit-handle", { what: "axis" });
    }
    if (this.box) extras.push(svg("rect", { class: "selecting", ...this.box }));
    if (this.brushAt && model.tool === "brush" && model.weights) {
      extras.push(svg("circle", { class: "brush", cx: this.brushAt[0], cy: this.brushAt[1], r: model.brush }));
    }
    for (const ghost of this.ghosts) extras.push(svg("polygon", { class: "ghost", points: boneOutline(...ghost) }));
    if (this.line) extras.push(svg("line", { class: "reach", x1: this.line[0][0], y1: this.line[0][1], x2: this.line[1][0], y2: this.line[1][1] }));
    if (this.ring) {
      extras.push(svg("circle", { class: "ring", cx: this.ring.at[0], cy: this.ring.at[1], r: 7 }));
      extras.push(svg("text", { class: "name-label", x: this.ring.at[0] + 11, y: this.ring.at[1] - 9 }, this.ring.word));
    }
    return extras;
  }

  /**
   * @param {Bone} bone @param {Pair} from @param {Pair} to @param {SVGElement[]} extras
   * @param {(at: Pair, kind: string, hit: Hit, size?: number) => void} handle
   */
  #drawSetup(bone, from, to, extras, handle) {
    const length = distance(from, to);
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    if (bone.limits && bone.joint === "pin") {
      const radius = Math.max(24, Math.min(length * 0.6, 90));
      const ends = bone.limits.map((limit) => angle + (limit * Math.PI) / 180);
      const [a, b] = ends.map((end) => /** @type {Pair} */ ([from[0] + radius * Math.cos(end), from[1] + radius * Math.sin(end)]));
      const wide = bone.limits[1] - bone.limits[0];
      const arc = wide >= 360 ? "" : `M${from[0]} ${from[1]}L${a[0]} ${a[1]}A${radius} ${radius} 0 ${wide > 180 ? 1 : 0} 1 ${b[0]} ${b[1]}Z`;
      extras.unshift(svg("path", { class: "limit", d: arc }));
      handle(a, "limit-handle", { what: "limit", bone: bone.name, end: 0 });
      handle(b, "limit-handle", { what: "limit", bone: bone.name, end: 1 });
    }
    if (bone.region) {
      const across = angle + Math.PI / 2;
      [from, to].forEach((end, index) => {
        const radius = /** @type {Pair} */ (bone.region)[index] * this.view.zoom;
        extras.unshift(svg("circle", { class: "limit", cx: end[0], cy: end[1], r: radius }));
        handle([end[0] + radius * Math.cos(across), end[1] + radius * Math.sin(across)], "limit-handle", { what: "region", bone: bone.name, end: index });
      });
    }
  }

  #drawRulers() {
    const { view } = this;
    const canvas = this.#rulers;
    canvas.width = view.width;
    canvas.height = view.height;
    canvas.style.width = `${view.width / view.density}px`;
    canvas.style.height = `${view.height / view.density}px`;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const theme = colours();
    context.scale(view.density, view.density);
    const [width, height] = [view.width / view.density, view.height / view.density];
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000].find((each) => each * view.zoom >= 50) ?? 10000;
    context.font = "10px system-ui, sans-serif";
    for (const across of [true, false]) {
      context.fillStyle = theme.panel;
      context.fillRect(0, 0, across ? width : 18, across ? 18 : height);
      const [from, to] = across
        ? [view.toCanvas([0, 0])[0], view.toCanvas([width, 0])[0]]
        : [view.toCanvas([0, 0])[1], view.toCanvas([0, height])[1]];
      for (let value = Math.ceil(from / step) * step; value <= to; value += step) {
        const at = across ? view.toStage(value, 0)[0] : view.toStage(0, value)[1];
        context.fillStyle = theme["strong-line"];
        if (across) context.fillRect(Math.round(at), 11, 1, 7);
        else context.fillRect(11, Math.round(at), 7, 1);
        context.fillStyle = theme.muted;
        context.save();
        context.translate(across ? at + 3 : 9, across ? 10 : at + 3);
        if (!across) context.rotate(Math.PI / 2);
        context.fillText(short(value, 1), 0, 0);
        context.restore();
      }
    }
  }
}
customElements.define("rig-stage", Stage);

/** @returns {Stage} */
export const stage = () => /** @type {Stage} */ (document.querySelector("rig-stage"));
