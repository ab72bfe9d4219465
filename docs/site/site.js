// Finds headings of all pages while one types. Without a script the list of pages is there all the same.

const MOST = 12;
const field = /** @type {HTMLInputElement} */ (document.getElementById("find"));
const list = /** @type {HTMLUListElement} */ (document.getElementById("found"));
let headings = null;

field.addEventListener("focus", () => (headings ??= fetch("headings.json").then((answer) => answer.json())), { once: true });

field.addEventListener("input", async () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  headings ??= fetch("headings.json").then((answer) => answer.json());
  const all = await headings;
  // What was typed meanwhile has an answer of its own.
  if (words.join(" ") !== field.value.toLowerCase().split(/\s+/).filter(Boolean).join(" ")) return;
  const has = ([text, , page]) => words.every((word) => `${text} ${page}`.toLowerCase().includes(word));
  const begins = ([text]) => (text.toLowerCase().startsWith(words[0]) ? 0 : 1);
  const found = words.length ? all.filter(has).sort((a, b) => begins(a) - begins(b)).slice(0, MOST) : [];
  list.hidden = !words.length;
  list.replaceChildren(...found.map(([text, address, page]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    link.href = address;
    link.textContent = text;
    if (text !== page) link.append(Object.assign(document.createElement("small"), { textContent: page }));
    item.append(link);
    return item;
  }));
  if (words.length && !found.length) list.append(Object.assign(document.createElement("li"), { textContent: "nothing" }));
});

field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click();
  if (event.key === "Escape") field.value = "", (list.hidden = true);
});
