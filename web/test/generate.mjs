// Small animated files made at random: every path, type and shape, strides, sparse accessors, parameters, pointers in their forms.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Numbers from a seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return { next, below: (n) => Math.floor(next() * n), pick: (list) => list[Math.floor(next() * list.length)], chance: (p) => next() < p };
}

const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const WRITE = { 5120: "setInt8", 5121: "setUint8", 5122: "setInt16", 5123: "setUint16", 5125: "setUint32", 5126: "setFloat32" };
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

class File {
  constructor(random) {
    this.random = random;
    this.bytes = [];
    this.json = { asset: { version: "2.0" }, extensionsUsed: ["EXT_animation_quantization"], accessors: [], bufferViews: [] };
  }

  view(bytes, stride) {
    while (this.bytes.length % 4) this.bytes.push(0);
    const view = { buffer: 0, byteOffset: this.bytes.length, byteLength: bytes.length, ...(stride ? { byteStride: stride } : {}) };
    this.bytes.push(...bytes);
    return this.json.bufferViews.push(view) - 1;
  }

  accessor(numbers, type, componentType, normalized) {
    const { random } = this;
    const width = WIDTHS[type];
    const size = SIZES[componentType];
    const count = numbers.length / width;
    const stride = random.chance(0.2) ? width * size + 4 * random.below(3) : width * size;
    const put = (numbers, stride) => {
      const out = new Uint8Array(Math.max(1, (numbers.length / width) * stride));
      const data = new DataView(out.buffer);
      numbers.forEach((n, i) => data[WRITE[componentType]](Math.floor(i / width) * stride + (i % width) * size, n, true));
      return out;
    };
    const accessor = { componentType, count, type, ...(normalized ? { normalized } : {}) };
    accessor.bufferView = this.view(put(numbers, stride), stride === width * size ? undefined : stride);
    if (random.chance(0.1) && count > 1) {
      const place = random.below(count);
      const indices = this.view(Uint8Array.of(place));
      const values = this.view(put(numbers.slice(0, width), width * size));
      accessor.sparse = { count: 1, indices: { bufferView: indices, componentType: 5121 }, values: { bufferView: values } };
    }
    return this.json.accessors.push(accessor) - 1;
  }

  gltf() {
    const uri = `data:application/octet-stream;base64,${Buffer.from(this.bytes).toString("base64")}`;
    return JSON.stringify({ ...this.json, buffers: [{ byteLength: this.bytes.length, uri }] });
  }
}

function document(random) {
  const file = new File(random);
  const { json } = file;
  json.nodes = Array.from({ length: 1 + random.below(3) }, () => ({
    ...(random.chance(0.3) ? { translation: [1, random.next(), -2] } : {}),
    ...(random.chance(0.3) ? { scale: [2, 1, random.next()] } : {}),
  }));
  json.materials = [{ pbrMetallicRoughness: random.chance(0.5) ? { baseColorFactor: [0.1, 0.2, 0.3, 0.4] } : {} }];
  if (random.chance(0.5)) json.extensionsUsed.push("KHR_animation2");
  const animation = { channels: [], samplers: [] };
  const driven = new Set();
  for (let n = 1 + random.below(5); n > 0; n--) channel(file, animation, driven);
  json.animations = [animation];
  return file.gltf();
}

function channel(file, animation, driven) {
  const { random, json } = file;
  const keys = 1 + random.below(5);
  const node = random.below(json.nodes.length);
  const path = random.pick(["translation", "rotation", "scale", "translation.x", "translation.y", "scale.z", "rotation.y", "pointer"]);
  const key = path === "pointer" ? "pointer" : `${node} ${path}`;
  if (driven.has(key) || (path.includes(".") && driven.has(`${node} ${path.split(".")[0]}`))) return;
  driven.add(key);
  const property = path.split(".")[0];
  const interpolation = random.pick(["LINEAR", "STEP", ...(property === "rotation" && path !== "rotation" ? [] : ["CUBICSPLINE"])]);
  const types = {
    translation: ["VEC3"], rotation: interpolation === "CUBICSPLINE" ? ["VEC4"] : ["VEC4", "VEC3"], scale: ["VEC3", "SCALAR"],
    "rotation.y": ["SCALAR", "VEC2"], pointer: ["VEC4"],
  };
  const type = random.pick(types[path] ?? ["SCALAR"]);
  const listed = property === "rotation" ? [[5126], [5120, true], [5121, true], [5122, true], [5123, true]] : [[5126], [5121], [5121, true], [5123], [5123, true]];
  const [component, normalized] = path === "pointer" ? [5126] : random.pick(listed);
  const count = keys * (interpolation === "CUBICSPLINE" ? 3 : 1) * WIDTHS[type];
  const most = component === 5126 ? 1 : { 1: 100, 2: 30000 }[SIZES[component]];
  const values = Array.from({ length: count }, () => (component === 5126 ? random.next() : random.below(most)));
  const [timeComponent, timeNormalized] = path === "pointer" ? [5126] : random.pick([[5126], [5121], [5123], [5123, true]]);
  const times = Array.from({ length: keys }, (_, i) => (timeComponent === 5126 ? i * 0.5 + 0.25 * random.next() : i * 3 + 1));
  const sampler = { input: file.accessor(times, "SCALAR", timeComponent, timeNormalized), output: file.accessor(values, type, component, normalized), interpolation };
  const target = path === "pointer" ? pointer(random, json) : { node, path };
  const made = { sampler: animation.samplers.push(sampler) - 1, target };
  if (path !== "pointer" && random.chance(0.6)) made.extensions = { EXT_animation_quantization: parameters(random, WIDTHS[type]) };
  animation.channels.push(made);
}

function pointer(random, json) {
  const text = "/materials/0/pbrMetallicRoughness/baseColorFactor";
  if (json.extensionsUsed.includes("KHR_animation2")) return { path: random.pick([text, text.slice(1)]), extensions: { KHR_animation2: {} } };
  return { path: "pointer", extensions: { KHR_animation_pointer: { [random.pick(["pointer", "path"])]: text } } };
}

function parameters(random, width) {
  const numbers = () => Array.from({ length: width }, () => random.next() * 2 - 1);
  const out = {};
  if (random.chance(0.6)) out.offset = numbers();
  if (random.chance(0.6)) out.scale = numbers();
  if (random.chance(0.5)) out.timeScale = 0.01 + random.next();
  return out;
}

/** Writes as many files as asked for; their paths. */
export function generated(count, folder) {
  return Array.from({ length: count }, (_, seed) => {
    const path = join(folder, `generated${seed}.gltf`);
    writeFileSync(path, document(random(seed + 1)));
    return path;
  });
}
