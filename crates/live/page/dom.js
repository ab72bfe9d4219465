// Elements without markup: every text goes in as text.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, any>} [props] attributes, `on...` listeners, `text`
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  assign(node, props);
  node.append(.../** @type {(Node|string)[]} */ (children.filter(Boolean)));
  return node;
}

/** @param {Element} node @param {Record<string, any>} props */
export function assign(node, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "text") node.textContent = value;
    else if (name === "value") /** @type {any} */ (node).value = value;
    else if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else if (node.getAttribute(name) !== String(value === true ? "" : value)) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
}

/**
 * Makes the children of a parent those of a list. A child stays with its key, and with it the focus and what is
 * typed; another key is another child.
 * @template T
 * @param {Element} parent @param {T[]} items @param {(item: T) => string} key
 * @param {(item: T) => HTMLElement} make @param {(node: HTMLElement, item: T) => void} update
 */
export function patch(parent, items, key, make, update) {
  const old = new Map([...parent.children].map((child) => [/** @type {HTMLElement} */ (child).dataset.key, /** @type {HTMLElement} */ (child)]));
  const nodes = items.map((item) => {
    const name = key(item);
    const node = old.get(name) ?? make(item);
    node.dataset.key = name;
    update(node, item);
    return node;
  });
  const kept = new Set(nodes);
  for (const child of old.values()) if (!kept.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (parent.children[at] !== node) parent.insertBefore(node, parent.children[at] ?? null);
  });
}

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, any>} [props] @param {...(Node|string)} children */
export function svg(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  assign(node, props);
  node.append(...children);
  return node;
}

/** Paths of 16 by 16; those that begin with `=` are filled. @type {Record<string, string[]>} */
const ICONS = {
  undo: ["M3 6h6a4 4 0 0 1 0 8H6", "M6 3 3 6l3 3"],
  redo: ["M13 6H7a4 4 0 0 0 0 8h3", "m10 3 3 3-3 3"],
  play: ["=M4 2.5v11l9.5-5.5Z"],
  pause: ["=M4 3h3v10H4ZM9 3h3v10H9Z"],
  first: ["M4 3v10", "=M13 3v10L6 8Z"],
  back: ["=M11 3v10L4 8Z"],
  next: ["=M5 3v10l7-5Z"],
  loop: ["M3 8a4 4 0 0 1 4-4h5", "m10 2 2 2-2 2", "M13 8a4 4 0 0 1-4 4H4", "m6 14-2-2 2-2"],
  onion: ["M5.5 3.5a4.5 4.5 0 1 0 0 9", "M10 3.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Z"],
  weights: ["M2 12c3 0 3-8 6-8s3 8 6 8", "=M8 2.5a1.5 1.5 0 1 0 .01 0Z"],
  ruler: ["M2 5h12v6H2Z", "M5 5v3M8 5v3M11 5v3"],
  key: ["=M8 3l5 5-5 5-5-5Z"],
  changed: ["=M8 3l5.5 10h-11Z"],
  none: ["M8 3.5a4.5 4.5 0 1 0 .01 0Z"],
  add: ["M8 3v10M3 8h10"],
  fit: ["M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3"],
  help: ["M8 2a6 6 0 1 0 .01 0Z", "M6.2 6.2a1.8 1.8 0 1 1 2.6 1.9c-.6.3-.8.6-.8 1.2", "M8 11.6v.1"],
  deliver: ["M8 2v8", "m5 7 3 3 3-3", "M3 13h10"],
};

/** @param {string} name */
export function icon(name) {
  const paths = ICONS[name].map((d) => svg("path", d[0] === "=" ? { d: d.slice(1), class: "solid" } : { d }));
  return svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, ...paths);
}

/**
 * A button with an icon, a name that readers and tooltips have, and perhaps a key.
 * @param {string} image @param {string} name @param {string} keys @param {(event: Event) => void} act
 * @param {Record<string, any>} [props]
 */
export function iconButton(image, name, keys, act, props = {}) {
  const title = keys ? `${name} (${keys})` : name;
  return el("button", { type: "button", "aria-label": name, title, onclick: act, ...props }, icon(image));
}

/** The colours of the page, as a canvas takes them. */
export function colours() {
  const probe = el("span", { hidden: true });
  document.body.append(probe);
  probe.style.setProperty("forced-color-adjust", "none");
  /** @param {string} name */
  const of = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const all = Object.fromEntries(
    ["ground", "panel", "raised", "line", "strong-line", "text", "muted", "accent", "accent-soft", "changed", "keyed", "setup"]
      .map((name) => [name, of(name)]));
  probe.remove();
  return all;
}

/** @param {number} value @param {number} [digits] */
export const short = (value, digits = 2) => String(Number(value.toFixed(digits)) + 0);
