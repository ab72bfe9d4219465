// The bones and the art as trees.

import { el } from "./dom.js";
import { bind, reparent } from "./grab.js";
import { model } from "./model.js";
import { ruleId, ruleName } from "./rules.js";
import { renameBone } from "./setup.js";
import { stage } from "./stage.js";

class Tree extends HTMLElement {
  /** @type {"bones" | "art" | "rules"} */
  #shows = "bones";
  #list = el("ul", { role: "tree", "aria-multiselectable": "true" });
  #tabs = el("div", { class: "tabs", role: "tablist" });
  #focus = "";
  /** Groups that were opened or closed by hand. @type {Map<string, boolean>} */
  #open = new Map();
  /** @type {string | null} */
  #dragged = null;

  connectedCallback() {
    for (const [shows, name] of /** @type {const} */ ([["bones", "Bones"], ["art", "Art"], ["rules", "Rules"]])) {
      const act = () => {
        this.#shows = shows;
        this.#draw();
      };
      this.#tabs.append(el("button", { type: "button", role: "tab", "data-shows": shows, text: name, onclick: act }));
    }
    this.append(el("div", { class: "head" }, this.#tabs), this.#list);
    model.on("rig", () => this.#draw());
    model.on("selection", () => this.#draw());
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
    this.#list.setAttribute("aria-label", { bones: "Bones", art: "Art", rules: "Rules" }[this.#shows]);
    const bones = this.#shows === "bones";
    const rules = this.#shows === "rules";
    const nodes = rules ? rig.rules.map((rule) => ({ name: ruleId(rule), text: ruleName(rule), parent: null, note: rule.bones.join(", "), muted: rule.mix === 0 })) : bones
      ? rig.bones.map((bone) => ({ name: bone.name, text: bone.name, parent: bone.parent, note: bone.held[0] ?? (bone.spring ? "spring" : ""), muted: false }))
      : rig.art.filter((art) => !art.definition).map((art) => ({
        name: art.address, text: art.label ?? art.id ?? art.address, parent: rig.art.find((each) => each.art === art.parent)?.address ?? null,
        note: art.bound ? (art.follows?.bones.join(", ") ?? "") : "", muted: !art.moves,
      }));
    const chosen = new Set(rules ? [model.rule ?? ""] : bones ? model.bones : model.arts);
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
        role: "treeitem", "data-name": node.name, "aria-selected": String(chosen.has(node.name)), tabindex: "-1",
        "aria-level": depth + 1, "aria-expanded": groups.has(node.name) ? String(isOpen(node.name)) : null,
      }, el("div", { class: "row" },
        el("span", { class: "twist", "aria-hidden": "true", text: groups.has(node.name) ? (isOpen(node.name) ? "▾" : "▸") : "" }),
        el("span", { class: node.muted ? "name muted" : "name", text: node.text, title: rules ? node.text : node.name }),
        el("span", { class: "note", text: node.note })));
      items.set(node.name, item);
      /** @type {HTMLElement} */ (item.firstElementChild).style.paddingLeft = `${depth * 0.8}rem`;
    }
    const empty = rules ? "No rules yet. Select a bone, then X." : bones
      ? "No bones yet. Press Tab for the setup, then N, and draw the first one on the stage."
      : "The drawing has no art with a name.";
    this.#list.replaceChildren(...(items.size ? items.values() : [el("li", { class: "muted", role: "none", text: empty })]));
    const first = items.get(this.#focus) ?? items.get([...chosen].pop() ?? "") ?? items.values().next().value;
    if (first) first.tabIndex = 0;
    if (had) first?.focus({ preventScroll: true });
    const last = rules ? model.rule : bones ? model.active?.name : model.arts[model.arts.length - 1];
    if (last) items.get(last)?.firstElementChild?.scrollIntoView({ block: "nearest" });
  }

  /** @param {string} name @param {boolean} add */
  #choose(name, add) {
    this.#focus = name;
    if (this.#shows === "rules") {
      const rule = model.rig?.rules.find((each) => ruleId(each) === name);
      return rule && model.selectRule(rule);
    }
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
