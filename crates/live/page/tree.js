// The bones and the art as trees.

import { el, short } from "./dom.js";
import { bind, reparent } from "./grab.js";
import { model } from "./model.js";
import { ruleId, ruleName } from "./rules.js";
import { openPage } from "./replace.js";
import { renameBone } from "./setup.js";
import { addState } from "./machine.js";
import { addPart } from "./shots.js";
import { stage } from "./stage.js";
import { timeline } from "./timeline.js";

/** Of longer lists only the rows that are seen are made. */
const WINDOW = 200;
/** Rows beside those that are seen. */
const BESIDE = 20;

/** @typedef {{ name: string, text: string, parent: string | null, note: string, muted: boolean }} TreeNode */
/** @typedef {{ node: TreeNode, depth: number, open: boolean | null }} TreeRow */

/** What was last asked to be worn, until the rig that has it is here. @type {{ rev: number, worn: string[] }} */
let asked = { rev: 0, worn: [] };

/** Puts an outfit on, above the others, or takes it off. What is of its group comes off. @param {string} name */
async function wear(name) {
  const { outfits = [], rev = 0 } = model.rig ?? {};
  const of = outfits.find((outfit) => outfit.name === name);
  if (!of) return;
  const known = outfits.filter((outfit) => outfit.worn !== null).sort((a, b) => Number(a.worn) - Number(b.worn)).map((outfit) => outfit.name);
  const before = rev < asked.rev ? asked.worn : known;
  const isOn = before.includes(name);
  const isOfGroup = (/** @type {string} */ other) => of.group !== null && outfits.find((outfit) => outfit.name === other)?.group === of.group;
  const stays = before.filter((other) => other !== name && (isOn || !isOfGroup(other)));
  const worn = isOn ? stays : [...stays, name];
  asked = { rev: Infinity, worn };
  const answer = await model.edit(isOn ? `Take ${name} off` : `Wear ${name}`, [{ op: "Set", at: ["wear"], value: { ron: JSON.stringify(worn) } }]);
  if (asked.worn === worn) asked.rev = answer.t === "done" ? answer.rev : 0;
}

class Tree extends HTMLElement {
  /** @type {"bones" | "art" | "rules" | "clips" | "outfits" | "files"} */
  #shows = "bones";
  #list = el("ul", { role: "tree", "aria-multiselectable": "true", tabindex: "-1" });
  #tabs = el("div", { class: "tabs", role: "tablist" });
  #focus = "";
  /** Groups that were opened or closed by hand. @type {Map<string, boolean>} */
  #open = new Map();
  /** @type {string | null} */
  #dragged = null;
  /** @type {TreeNode[]} */
  #files = [];
  /** What the rows were made of. @type {any[]} */
  #made = [];
  /** @type {TreeRow[]} */
  #rows = [];
  /** The rows that are made, by name. @type {Map<string, HTMLElement>} */
  #items = new Map();
  /** The first row that is made, and the one behind the last. */
  #seen = [0, 0];

  connectedCallback() {
    for (const [shows, name] of /** @type {const} */ ([["bones", "Bones"], ["art", "Art"], ["rules", "Rules"], ["clips", "Clips"], ["outfits", "Outfits"], ["files", "Files"]])) {
      const act = () => {
        this.#shows = shows;
        if (shows === "files") void this.#askFiles();
        this.#draw();
      };
      this.#tabs.append(el("button", { type: "button", role: "tab", "data-shows": shows, text: name, onclick: act }));
    }
    this.append(el("div", { class: "head" }, this.#tabs), this.#list);
    model.on("rig", () => this.#draw());
    model.on("selection", () => this.#mark());
    this.#list.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("click", (event) => this.#click(event));
    this.#list.addEventListener("dblclick", (event) => {
      const name = this.#name(event);
      if (name !== null && this.#shows === "bones") void renameBone(name);
      if (name !== null && this.#shows === "files") void openPage(name);
    });
    this.#list.addEventListener("pointerdown", (event) => this.#down(event));
    this.#list.addEventListener("scroll", () => this.#fill(), { passive: true });
    this.#list.addEventListener("focusin", (event) => {
      this.#focus = /** @type {HTMLElement} */ (event.target).dataset.name ?? this.#focus;
    });
  }

  /** @param {Event} event @returns {string | null} */
  #name(event) {
    const item = /** @type {Element} */ (event.target).closest("[role=treeitem]");
    return item instanceof HTMLElement ? (item.dataset.name ?? null) : null;
  }

  #draw() {
    const { rig } = model;
    if (!rig) return;
    for (const tab of this.#tabs.children) tab.setAttribute("aria-selected", String(/** @type {HTMLElement} */ (tab).dataset.shows === this.#shows));
    this.#list.setAttribute("aria-label", { bones: "Bones", art: "Art", rules: "Rules", clips: "Clips", outfits: "Outfits", files: "Files of the folder" }[this.#shows]);
    const bones = this.#shows === "bones";
    const rules = this.#shows === "rules";
    const clips = this.#shows === "clips";
    const outfits = this.#shows === "outfits";
    const files = this.#shows === "files";
    // A rig without outfits has no place for them.
    for (const tab of this.#tabs.children) /** @type {HTMLElement} */ (tab).hidden = /** @type {HTMLElement} */ (tab).dataset.shows === "outfits" && !rig.outfits.length && !outfits;
    const made = [this.#shows, outfits ? rig.outfits : files ? this.#files : bones ? rig.bones : rules ? rig.rules : clips ? rig.clips : rig.art, ...this.#open.values()];
    if (made.length === this.#made.length && made.every((each, at) => each === this.#made[at])) return this.#mark();
    this.#made = made;
    const byArt = new Map(rig.art.map((art) => [art.art, art.address]));
    const nodes = outfits ? rig.outfits.map(({ name, group, worn }) => ({ name, text: name, parent: null, note: [worn === null ? "" : "worn", group ?? ""].filter(Boolean).join(", "), muted: worn === null })) : files ? this.#files : clips ? rig.order.map((name) => ({ name, text: name, parent: null, note: rig.clips[name]?.shot ? "shot" : `${short(rig.clips[name]?.length ?? 0, 2)} s`, muted: false })) : rules ? rig.rules.map((rule) => ({ name: ruleId(rule), text: ruleName(rule), parent: null, note: rule.bones.join(", "), muted: rule.mix === 0 })) : bones
      ? rig.bones.map((bone) => ({ name: bone.name, text: bone.name, parent: bone.parent, note: bone.held[0] ?? (bone.spring ? "spring" : ""), muted: false }))
      : rig.art.filter((art) => !art.definition).map((art) => ({
        name: art.address, text: art.label ?? art.id ?? art.address, parent: byArt.get(art.parent ?? "") ?? null,
        note: art.bound ? (art.follows?.bones.join(", ") ?? "") : "", muted: !art.moves,
      }));
    const had = this.#list.contains(document.activeElement);
    // Art without a name of its own is shown when its group is opened.
    const full = new Set(nodes.filter((node) => !node.name.includes("#")).map((node) => node.parent));
    const groups = new Set(nodes.map((node) => node.parent));
    const isOpen = (/** @type {string} */ name) => this.#open.get(name) ?? full.has(name);
    /** @type {Map<string, number>} */
    const depths = new Map();
    this.#rows = [];
    for (const node of nodes) {
      const above = node.parent === null ? -1 : (isOpen(node.parent) ? depths.get(node.parent) : undefined);
      if (above === undefined) continue;
      depths.set(node.name, above + 1);
      this.#rows.push({ node, depth: above + 1, open: groups.has(node.name) ? isOpen(node.name) : null });
    }
    const empty = outfits ? "No outfits any more." : files ? "No other rig and no other drawing is in this folder." : clips ? "No clips yet: press C." : rules ? "No rules yet. Select a bone, then X." : bones
      ? "No bones yet. Press Tab for the setup, then N, and draw the first one on the stage."
      : "The drawing has no art with a name.";
    this.#seen = [0, 0];
    if (!this.#rows.length) this.#list.replaceChildren(el("li", { class: "muted", role: "none", text: empty }));
    this.#fill();
    this.#mark(had);
  }

  /** The rigs of the folder, and the drawings without one. */
  async #askFiles() {
    const { rigs = [], drawings = [] } = await model.link.ask({ t: "folder" });
    const own = model.rig?.files.map(({ name }) => name) ?? [];
    const rest = drawings.filter((/** @type {string} */ name) => !own.includes(name) && !rigs.includes(name.replace(/\.svg$/i, ".ron")));
    const node = (/** @type {string} */ name, /** @type {string} */ note) => ({ name, text: name, parent: null, note, muted: own.includes(name) });
    this.#files = [...rigs.map((/** @type {string} */ name) => node(name, own.includes(name) ? "open" : "rig")), ...rest.map((/** @type {string} */ name) => node(name, "drawing: double click makes a rig"))];
    this.#draw();
  }

  /** The height of a row, CSS pixels. */
  get #height() {
    return this.#list.querySelector(".row")?.getBoundingClientRect().height || 22;
  }

  /** Makes the rows that are seen, or all of a short list. */
  #fill() {
    const count = this.#rows.length;
    if (!count) return;
    const height = count > WINDOW ? this.#height : 0;
    const top = height ? Math.floor(this.#list.scrollTop / height) : 0;
    const first = Math.max(0, top - BESIDE);
    const last = height ? Math.min(count, top + Math.ceil((this.#list.clientHeight || 600) / height) + BESIDE) : count;
    // As long as rows are left on both sides, nothing is made anew.
    const [from, to] = this.#seen;
    if (to > from && (from === 0 || from < first + BESIDE / 2) && (to === count || to > last - BESIDE / 2) && (!height || to - from < 400)) return;
    const had = this.#list.contains(document.activeElement);
    this.#seen = [first, last];
    const rules = this.#shows === "rules";
    this.#items = new Map(this.#rows.slice(first, last).map(({ node, depth, open }, at) => {
      const item = el("li", {
        role: "treeitem", "data-name": node.name, "aria-selected": "false", tabindex: "-1", "aria-level": depth + 1,
        "aria-expanded": open === null ? null : String(open), "aria-setsize": count, "aria-posinset": first + at + 1,
      }, el("div", { class: "row" },
        el("span", { class: "twist", "aria-hidden": "true", text: open === null ? "" : open ? "▾" : "▸" }),
        el("span", { class: node.muted ? "name muted" : "name", text: node.text, title: rules ? node.text : node.name }),
        el("span", { class: "note", text: node.note })));
      /** @type {HTMLElement} */ (item.firstElementChild).style.paddingLeft = `${depth * 0.8}rem`;
      return [node.name, item];
    }));
    const [above, below] = [el("li", { role: "none" }), el("li", { role: "none" })];
    this.#list.replaceChildren(...(height ? [above] : []), ...this.#items.values(), ...(height ? [below] : []));
    // What is left out is as high as it would be.
    above.style.height = `${first * this.#height}px`;
    below.style.height = `${(count - last) * this.#height}px`;
    this.#chosen().forEach((name) => this.#items.get(name)?.setAttribute("aria-selected", "true"));
    const focused = this.#items.get(this.#focus);
    if (focused) focused.tabIndex = 0;
    if (had) (focused ?? this.#list).focus({ preventScroll: true });
  }

  /** Scrolls to a row, and makes it. @param {string} name */
  #reveal(name) {
    const at = this.#rows.findIndex(({ node }) => node.name === name);
    if (at < 0) return null;
    if (!this.#items.has(name)) {
      this.#list.scrollTop = Math.max(0, (at - 3) * this.#height);
      this.#fill();
    }
    const item = this.#items.get(name);
    item?.firstElementChild?.scrollIntoView({ block: "nearest" });
    return item ?? null;
  }

  /** The names that are selected. */
  #chosen() {
    if (this.#shows === "rules") return [model.rule ?? ""];
    if (this.#shows === "clips") return [model.clip ?? ""];
    if (["files", "outfits"].includes(this.#shows)) return [this.#focus];
    return this.#shows === "bones" ? model.bones : model.arts;
  }

  /** Marks what is selected: two rows, and not all of them. @param {boolean} [focus] */
  #mark(focus = this.#list.contains(document.activeElement)) {
    const chosen = this.#chosen();
    for (const item of this.#list.querySelectorAll("[aria-selected=true]")) {
      if (!chosen.includes(/** @type {HTMLElement} */ (item).dataset.name ?? "")) item.setAttribute("aria-selected", "false");
    }
    for (const name of chosen) this.#items.get(name)?.setAttribute("aria-selected", "true");
    const last = chosen[chosen.length - 1] ?? "";
    const first = this.#items.get(this.#focus) ?? this.#items.get(last) ?? this.#items.values().next().value;
    for (const item of this.#list.querySelectorAll("[tabindex='0']")) if (item !== first) /** @type {HTMLElement} */ (item).tabIndex = -1;
    if (first) first.tabIndex = 0;
    if (focus) first?.focus({ preventScroll: true });
    if (last) this.#reveal(last);
  }

  /** @param {string} name @param {boolean} add */
  #choose(name, add) {
    this.#focus = name;
    if (this.#shows === "rules") {
      const rule = model.rig?.rules.find((each) => ruleId(each) === name);
      return rule && model.selectRule(rule);
    }
    if (this.#shows === "clips") return model.setClip(name);
    if (this.#shows === "files") return this.#mark();
    if (this.#shows === "outfits") return void wear(name);
    if (this.#shows === "bones") {
      if (model.tool === "parent") {
        model.setTool("select");
        return void reparent(model.bones.filter((bone) => bone !== name), name);
      }
      return model.pick(name, add);
    }
    const rest = model.arts.filter((art) => art !== name);
    model.select(model.bones, add ? (rest.length === model.arts.length ? [...rest, name] : rest) : [name]);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const name = this.#name(event);
    if (name !== null && /** @type {Element} */ (event.target).matches(".twist:not(:empty)")) return this.#turn(name);
    if (name !== null) this.#choose(name, event.shiftKey || event.ctrlKey || event.metaKey);
  }

  /** Opens or closes a group. @param {string} name */
  #turn(name) {
    this.#open.set(name, !this.#rows.find(({ node }) => node.name === name)?.open);
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const rows = this.#rows;
    const at = rows.findIndex(({ node }) => node.name === this.#focus);
    const row = rows[at];
    const go = { ArrowDown: rows[at + 1], ArrowUp: rows[at - 1], Home: rows[0], End: rows[rows.length - 1],
      ArrowLeft: rows.slice(0, Math.max(at, 0)).findLast((each) => each.depth < (row?.depth ?? 0)), ArrowRight: rows[at + 1] }[event.key];
    if (row && row.open !== null && event.key === (row.open ? "ArrowLeft" : "ArrowRight") && !event.ctrlKey) {
      this.#turn(row.node.name);
    } else if (event.key === " " || event.key === "Enter") {
      if (row && this.#shows === "files" && event.key === "Enter") return void openPage(row.node.name);
      if (row) this.#choose(row.node.name, event.ctrlKey || event.shiftKey);
      if (event.key === "Enter") stage().focus({ preventScroll: true });
    } else if (go) {
      const item = this.#reveal(go.node.name);
      for (const other of this.#list.querySelectorAll("[tabindex='0']")) /** @type {HTMLElement} */ (other).tabIndex = -1;
      if (item) item.tabIndex = 0;
      item?.focus({ preventScroll: true });
      this.#focus = go.node.name;
      if (!event.ctrlKey && !event.shiftKey && this.#shows !== "outfits") this.#choose(go.node.name, false);
    } else if (!["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** A drag in the tree: a bone onto its new parent, art onto a bone. @param {PointerEvent} event */
  #down(event) {
    const name = this.#name(event);
    if (name === null || event.button !== 0 || event.pointerType === "touch" || ["rules", "files", "outfits"].includes(this.#shows)) return;
    const { clientX, clientY } = event;
    const art = this.#shows === "art";
    /** @type {Element | null} */
    let target = null;
    const move = (/** @type {PointerEvent} */ moved) => {
      if (!this.#dragged && Math.hypot(moved.clientX - clientX, moved.clientY - clientY) < 5) return;
      this.#dragged = name;
      target?.classList.remove("target");
      const below = document.elementFromPoint(moved.clientX, moved.clientY);
      if (this.#shows === "clips") {
        target = below?.closest("rig-timeline, [data-states], rig-board") ?? null;
        target?.classList.add("target");
        const { blocks } = timeline();
        if (blocks) blocks.drop = target?.matches("rig-timeline") ? blocks.dropAt(name, moved.clientX - timeline().getBoundingClientRect().left) : null;
        return timeline().queue();
      }
      target = below?.closest("rig-stage") ?? (art ? null : (below?.closest("[role=treeitem], [role=tree]") ?? null));
      target?.classList.add("target");
      if (target?.matches("rig-stage")) {
        const hit = stage().hit(stage().at(moved));
        const bone = hit?.what === "bone" ? hit.bone : null;
        stage().hovered = bone;
        stage().redraw();
        stage().showTip(stage().at(moved), name, bone ? `${art ? "will follow" : "will be a child of"} ${bone}` : "drop it on a bone");
      }
    };
    const up = async (/** @type {PointerEvent} */ ended) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      const dragged = this.#dragged;
      this.#dragged = null;
      target?.classList.remove("target");
      if (this.#shows === "clips") {
        const { blocks } = timeline();
        const place = blocks?.drop?.place;
        blocks?.cancel();
        timeline().queue();
        if (dragged !== null && target instanceof HTMLElement && model.plays) return void addState(Number(target.dataset.states ?? 0), dragged);
        return void (dragged !== null && target && addPart(dragged, place));
      }
      if (dragged === null || !target) return;
      let bone = target instanceof HTMLElement ? (target.dataset.name ?? null) : null;
      if (target.matches("rig-stage")) {
        const hit = stage().hit(stage().at(ended));
        stage().showTip([0, 0], "", "");
        if (hit?.what !== "bone") return;
        bone = hit.bone;
      }
      const bones = model.bones.includes(bone ?? "") ? model.bones : [bone ?? ""];
      if (art && bone) await bind(model.arts.includes(dragged) ? model.arts : [dragged], bones);
      else if (!art && bone !== dragged) await reparent([dragged], bone);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  }
}
customElements.define("rig-tree", Tree);
