// The bones and the art as trees.

import { el, short } from "./dom.js";
import { bind, reparent } from "./grab.js";
import { model } from "./model.js";
import { ruleId, ruleName } from "./rules.js";
import { renameBone } from "./setup.js";
import { addPart } from "./shots.js";
import { stage } from "./stage.js";
import { timeline } from "./timeline.js";

class Tree extends HTMLElement {
  /** @type {"bones" | "art" | "rules" | "clips"} */
  #shows = "bones";
  #list = el("ul", { role: "tree", "aria-multiselectable": "true" });
  #tabs = el("div", { class: "tabs", role: "tablist" });
  #focus = "";
  /** Groups that were opened or closed by hand. @type {Map<string, boolean>} */
  #open = new Map();
  /** @type {string | null} */
  #dragged = null;
  /** What the rows were made of, and the rows by name. @type {any[]} */
  #made = [];
  /** @type {Map<string, HTMLElement>} */
  #items = new Map();

  connectedCallback() {
    for (const [shows, name] of /** @type {const} */ ([["bones", "Bones"], ["art", "Art"], ["rules", "Rules"], ["clips", "Clips"]])) {
      const act = () => {
        this.#shows = shows;
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
    });
    this.#list.addEventListener("pointerdown", (event) => this.#down(event));
    this.#list.addEventListener("focusin", (event) => {
      this.#focus = /** @type {HTMLElement} */ (event.target).dataset.name ?? "";
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
    this.#list.setAttribute("aria-label", { bones: "Bones", art: "Art", rules: "Rules", clips: "Clips" }[this.#shows]);
    const bones = this.#shows === "bones";
    const rules = this.#shows === "rules";
    const clips = this.#shows === "clips";
    const made = [this.#shows, bones ? rig.bones : rules ? rig.rules : clips ? rig.clips : rig.art, ...this.#open.values()];
    if (made.length === this.#made.length && made.every((each, at) => each === this.#made[at])) return this.#mark();
    this.#made = made;
    const byArt = new Map(rig.art.map((art) => [art.art, art.address]));
    const nodes = clips ? rig.order.map((name) => ({ name, text: name, parent: null, note: rig.clips[name]?.shot ? "shot" : `${short(rig.clips[name]?.length ?? 0, 2)} s`, muted: false })) : rules ? rig.rules.map((rule) => ({ name: ruleId(rule), text: ruleName(rule), parent: null, note: rule.bones.join(", "), muted: rule.mix === 0 })) : bones
      ? rig.bones.map((bone) => ({ name: bone.name, text: bone.name, parent: bone.parent, note: bone.held[0] ?? (bone.spring ? "spring" : ""), muted: false }))
      : rig.art.filter((art) => !art.definition).map((art) => ({
        name: art.address, text: art.label ?? art.id ?? art.address, parent: byArt.get(art.parent ?? "") ?? null,
        note: art.bound ? (art.follows?.bones.join(", ") ?? "") : "", muted: !art.moves,
      }));
    const had = this.#list.contains(document.activeElement);
    /** @type {Map<string, HTMLElement>} */
    const items = new Map();
    // Art without a name of its own is shown when its group is opened.
    const full = new Set(nodes.filter((node) => !node.name.includes("#")).map((node) => node.parent));
    const groups = new Set(nodes.map((node) => node.parent));
    const isOpen = (/** @type {string} */ name) => this.#open.get(name) ?? full.has(name);
    for (const node of nodes) {
      if (node.parent !== null && (!items.has(node.parent) || !isOpen(node.parent))) continue;
      const depth = node.parent === null ? 0 : Number(items.get(node.parent)?.ariaLevel);
      const item = el("li", {
        role: "treeitem", "data-name": node.name, "aria-selected": "false", tabindex: "-1",
        "aria-level": depth + 1, "aria-expanded": groups.has(node.name) ? String(isOpen(node.name)) : null,
      }, el("div", { class: "row" },
        el("span", { class: "twist", "aria-hidden": "true", text: groups.has(node.name) ? (isOpen(node.name) ? "▾" : "▸") : "" }),
        el("span", { class: node.muted ? "name muted" : "name", text: node.text, title: rules ? node.text : node.name }),
        el("span", { class: "note", text: node.note })));
      items.set(node.name, item);
      /** @type {HTMLElement} */ (item.firstElementChild).style.paddingLeft = `${depth * 0.8}rem`;
    }
    const empty = clips ? "No clips yet: press C." : rules ? "No rules yet. Select a bone, then X." : bones
      ? "No bones yet. Press Tab for the setup, then N, and draw the first one on the stage."
      : "The drawing has no art with a name.";
    this.#list.replaceChildren(...(items.size ? items.values() : [el("li", { class: "muted", role: "none", text: empty })]));
    this.#items = items;
    this.#mark(had);
  }

  /** The names that are selected. */
  #chosen() {
    if (this.#shows === "rules") return [model.rule ?? ""];
    if (this.#shows === "clips") return [model.clip ?? ""];
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
    this.#items.get(last)?.firstElementChild?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} name @param {boolean} add */
  #choose(name, add) {
    this.#focus = name;
    if (this.#shows === "rules") {
      const rule = model.rig?.rules.find((each) => ruleId(each) === name);
      return rule && model.selectRule(rule);
    }
    if (this.#shows === "clips") return model.setClip(name);
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
    const open = this.#list.querySelector(`[data-name="${CSS.escape(name)}"]`)?.getAttribute("aria-expanded") === "true";
    this.#open.set(name, !open);
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = /** @type {HTMLElement[]} */ ([...this.#list.querySelectorAll("[role=treeitem]")]);
    const at = items.findIndex((item) => item === document.activeElement);
    const item = items[at];
    const go = { ArrowDown: items[at + 1], ArrowUp: items[at - 1], Home: items[0], End: items[items.length - 1],
      ArrowLeft: items.slice(0, at).findLast((each) => Number(each.ariaLevel) < Number(item?.ariaLevel)), ArrowRight: items[at + 1] }[event.key];
    const expanded = item?.getAttribute("aria-expanded");
    if (event.key === (expanded === "true" ? "ArrowLeft" : "ArrowRight") && expanded && !event.ctrlKey && item?.dataset.name) {
      this.#focus = item.dataset.name;
      this.#turn(item.dataset.name);
    } else if (event.key === " " || event.key === "Enter") {
      if (item?.dataset.name !== undefined) this.#choose(item.dataset.name, event.ctrlKey || event.shiftKey);
      if (event.key === "Enter") stage().focus({ preventScroll: true });
    } else if (go instanceof HTMLElement) {
      if (item) item.tabIndex = -1;
      go.tabIndex = 0;
      go.focus();
      if (!event.ctrlKey && !event.shiftKey) this.#choose(go.dataset.name ?? "", false);
    } else if (!["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** A drag in the tree: a bone onto its new parent, art onto a bone. @param {PointerEvent} event */
  #down(event) {
    const name = this.#name(event);
    if (name === null || event.button !== 0 || event.pointerType === "touch" || this.#shows === "rules") return;
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
        target = below?.closest("rig-timeline") ?? null;
        target?.classList.add("target");
        const { blocks } = timeline();
        if (blocks) blocks.drop = target && model.clipInfo?.shot ? blocks.placeAt(moved.clientX - timeline().getBoundingClientRect().left) : null;
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
        const place = blocks?.drop ?? null;
        blocks?.cancel();
        timeline().queue();
        return void (dragged !== null && target && addPart(dragged, place ?? undefined));
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
