// bone-layer: packed rigs that play in a page, in a worker, or in Node. Importing it in Node touches no global.

export { BoneLayerElement } from "./element.js";
export { Figure, Player, load } from "./player.js";
export { setWorker } from "./remote.js";
export { BoneLayerError, setWasm } from "./wasm.js";
