// Everything that the page needs, kept for when there is no network. The name changes with the files.

const NAME = "bone-layer-VERSION";
const FILES = ["./" /* FILES */];

addEventListener("install", (event) => {
  /** @type {any} */ (event).waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)).then(() => /** @type {any} */ (self).skipWaiting()));
});

addEventListener("activate", (event) => {
  const others = caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith("bone-layer-") && name !== NAME).map((name) => caches.delete(name))));
  /** @type {any} */ (event).waitUntil(others.then(() => /** @type {any} */ (self).clients.claim()));
});

addEventListener("fetch", (event) => {
  const { request } = /** @type {any} */ (event);
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  /** @type {any} */ (event).respondWith(caches.match(request, { ignoreSearch: true }).then((found) => found ?? fetch(request)));
});
