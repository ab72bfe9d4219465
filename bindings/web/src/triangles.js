// What the adapters for graphics cards share: the shaders of vertices as bone_layer.h describes them.

import { BoneLayerError, setWasm } from "./index.js";

// The module with triangles is another file: pages that draw on a 2D canvas need not load it.
setWasm(new URL("./bone-layer-mesh.wasm", import.meta.url));

/** Bytes of a vertex, and its attributes: name, count, bytes from its start, and whether it is a share of 255. */
export const STRIDE = 24;
export const ATTRIBUTES = /** @type {[string, number, number, "float" | "share" | "byte"][]} */ ([
  ["aPosition", 2, 0, "float"],
  ["aColor", 4, 8, "share"],
  ["aPlace", 2, 12, "float"],
  ["aPaint", 4, 20, "byte"],
]);
export const RAMP_WIDTH = 256;
export const TRIANGLES = 0, PICTURE = 1, CLIP = 2, UNCLIP = 3;

/** The triangles of the moment: views of the module's memory, until its next call. @param {any} player
 * @param {number} pixel the size of a pixel of the screen on the page */
export function trianglesOf(player, pixel) {
  const [engine, handle] = player.inside;
  if (!engine.exports.bl_mesh) throw new BoneLayerError("wasm", "a figure was loaded before the module with triangles: import bone-layer/pixi or bone-layer/phaser before the first load");
  const view = new Uint8Array(new Float64Array([1, 0, 0, 1, 0, 0]).buffer);
  engine.lend(view, (/** @type {number} */ at) => engine.call("bl_mesh", handle, at, pixel, engine.result));
  const { buffer } = engine, words = new Uint32Array(buffer, engine.result, 11);
  const [vertices, vertexCount, indices, indexCount, draws, drawCount, ramps, rampCount, revision, , leftOut] = words;
  return {
    vertices: new Float32Array(buffer, vertices, 6 * vertexCount),
    indices: new Uint32Array(buffer, indices, indexCount),
    draws: new Uint32Array(buffer, draws, 5 * drawCount),
    ramps: new Uint8Array(buffer, ramps, 4 * RAMP_WIDTH * rampCount),
    revision,
    leftOut,
  };
}

/** The picture of a node, which may have been set. @param {any} player @param {number} node @param {number} element */
export const pictureOf = (player, node, element) => player.inside[2].get(element) ?? player.figure.picture(node);

/** @param {string} position how a place of the page becomes one of the screen @param {string} declared */
export const vertexShader = (position, declared) => `attribute vec2 aPosition; attribute vec4 aColor; attribute vec2 aPlace; attribute vec4 aPaint;
varying vec4 vColor; varying vec2 vPlace; varying vec4 vPaint;
${declared}
void main() {
  vColor = aColor; vPlace = aPlace; vPaint = aPaint;
  gl_Position = vec4((${position} * vec3(aPosition, 1.0)).xy, 0.0, 1.0);
}`;

/** The texture has the gradients, a row each, or a picture. Of a radial gradient: the ray from the focus through the place ends
 * at the circle. @param {string} tint @param {string} declared */
export const fragmentShader = (tint, declared) => `precision highp float;
varying vec4 vColor; varying vec2 vPlace; varying vec4 vPaint;
uniform sampler2D uTexture; uniform float uRows;
${declared}
void main() {
  float form = floor(vPaint.z + 0.5), spread = floor(form / 4.0), kind = form - 4.0 * spread;
  vec4 color = vec4(vColor.rgb, 1.0);
  if (kind > 2.5) color *= texture2D(uTexture, vPlace);
  else if (kind > 0.5) {
    float t = vPlace.x;
    if (kind > 1.5) {
      float focus = vPaint.w / 255.0, x = vPlace.x - focus, rest = 1.0 - focus * focus;
      t = (focus * x + sqrt(focus * focus * x * x + (x * x + vPlace.y * vPlace.y) * rest)) / rest;
    }
    if (spread > 1.5) t = fract(t);
    else if (spread > 0.5) t = 1.0 - abs(mod(t, 2.0) - 1.0);
    float row = floor(vPaint.x + 256.0 * vPaint.y + 0.5);
    color = texture2D(uTexture, vec2((clamp(t, 0.0, 1.0) * ${RAMP_WIDTH - 1}.0 + 0.5) / ${RAMP_WIDTH}.0, (row + 0.5) / uRows));
  }
  gl_FragColor = color * vColor.a * ${tint};
}`;
