// Reads the curves of a file in plain core glTF: by hand, so that the package is not its own judge.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ARRAYS = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const MOST = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** A file's JSON and a function for the bytes of its buffers. */
export function parts(bytes, folder = ".") {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isGlb = view.getUint32(0, true) === 0x46546c67;
  const length = isGlb ? view.getUint32(12, true) : bytes.length;
  const start = isGlb ? 20 : 0;
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(start, start + length)));
  const bin = isGlb && bytes.length > 20 + length ? bytes.subarray(28 + length) : undefined;
  const buffer = (i) => {
    const { uri } = json.buffers[i];
    if (uri === undefined) return bin;
    return uri.startsWith("data:") ? Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64") : readFileSync(join(folder, decodeURIComponent(uri)));
  };
  return { json, buffer };
}

/** All curves of a file: by animation and target, the interpolation and the bits of times and values. */
export function curvesOf(bytes, folder) {
  const { json, buffer } = parts(bytes, folder);
  const floats = (index) => {
    const a = json.accessors[index];
    const width = WIDTHS[a.type];
    const Kind = ARRAYS[a.componentType];
    const out = new Float32Array(a.count * width);
    const read = (viewIndex, offset, count, Array, width, put) => {
      const v = json.bufferViews[viewIndex];
      const source = buffer(v.buffer);
      const size = Array.BYTES_PER_ELEMENT;
      for (let i = 0; i < count; i++) {
        const at = (v.byteOffset ?? 0) + (offset ?? 0) + i * (v.byteStride || size * width);
        put(i, new Array(Uint8Array.from(source.subarray(at, at + size * width)).buffer));
      }
    };
    const put = (i, element) => element.forEach((x, c) => (out[i * width + c] = a.normalized ? Math.max(x / MOST[a.componentType], -1) : x));
    if (a.bufferView !== undefined) read(a.bufferView, a.byteOffset, a.count, Kind, width, put);
    if (a.sparse) {
      const places = [];
      read(a.sparse.indices.bufferView, a.sparse.indices.byteOffset, a.sparse.count, ARRAYS[a.sparse.indices.componentType], 1, (i, e) => (places[i] = e[0]));
      read(a.sparse.values.bufferView, a.sparse.values.byteOffset, a.sparse.count, Kind, width, (i, e) => put(places[i], e));
    }
    return out;
  };
  const curves = new Map();
  (json.animations ?? []).forEach((animation, i) => {
    for (const { sampler, target } of animation.channels ?? []) {
      const pointer = target?.extensions?.KHR_animation_pointer?.pointer ?? (target?.node === undefined ? undefined : `/nodes/${target.node}/${target.path}`);
      const s = animation.samplers?.[sampler];
      if (!pointer || !s) continue;
      const bits = (index) => Buffer.from(floats(index).buffer).toString("base64");
      curves.set(`${i} ${pointer}`, { interpolation: s.interpolation ?? "LINEAR", times: bits(s.input), values: bits(s.output) });
    }
  });
  return curves;
}
