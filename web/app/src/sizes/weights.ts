// Where a file's bytes are: animations by clip and track, as the program tells; meshes, textures and JSON, as the document tells.

import { type Gltf, accessorBytes } from "../open/document.js";
import type { AnimationLook } from "../program/tasks.js";

export interface Weight {
  name: string;
  bytes: number;
  /** Which colour it has. */
  group: number;
  parts: Weight[];
}

function sum(name: string, group: number, parts: Weight[]): Weight {
  return { name, group, parts, bytes: parts.reduce((total, part) => total + part.bytes, 0) };
}

const leaf = (name: string, group: number, bytes: number): Weight => ({ name, group, bytes, parts: [] });

/** What a target is called: `foot.left rotation`. */
export function targetName(target: string, json: Gltf | null): string {
  const [, node, property] = /^\/nodes\/(\d+)\/(.*)$/.exec(target) ?? [];
  if (!node) return target;
  return `${json?.nodes?.[Number(node)]?.name ?? `node ${node}`} ${property}`;
}

/** Tracks of a clip. What they share counts in each of them, so they are scaled to what the clip takes. */
function clip(animation: AnimationLook, json: Gltf): Weight {
  const all = animation.tracks.reduce((total, track) => total + track.bytes, 0);
  const scale = all > 0 ? animation.animation_bytes / all : 0;
  return sum(animation.name ?? `#${animation.index}`, 0, animation.tracks.map((track) => leaf(targetName(track.target, json), 0, track.bytes * scale)));
}

/** Everything a file takes; what nobody claims is `Other`. */
export function weigh(json: Gltf, jsonBytes: number, total: number, animations: AnimationLook[], outside: Map<string, number>): Weight {
  const taken = new Set<number>();
  const accessors = (list: (number | undefined)[]): number => {
    const fresh = list.filter((index): index is number => typeof index === "number" && !taken.has(index));
    fresh.forEach((index) => taken.add(index));
    return fresh.reduce((bytes, index) => bytes + accessorBytes(json, index), 0);
  };
  const view = (index: number | undefined): number => json.bufferViews?.[index ?? -1]?.byteLength ?? 0;
  const meshes = (json.meshes ?? []).map((mesh, i) => {
    const primitives = mesh.primitives ?? [];
    const compressed = primitives.map(({ extensions }) => view(extensions?.["KHR_draco_mesh_compression"]?.bufferView));
    const plain = accessors(primitives.flatMap(({ attributes, indices, targets }) => [...Object.values(attributes ?? {}), indices, ...(targets ?? []).flatMap((target) => Object.values(target))]));
    const drawn = compressed.reduce((a, b) => a + b, 0);
    return leaf(mesh.name ?? `mesh ${i}`, 1, drawn || plain);
  });
  const textures = (json.images ?? []).map(({ name, uri, bufferView }, i) => leaf(name ?? (uri && !uri.startsWith("data:") ? uri : `image ${i}`), 2, uri ? (outside.get(uri) ?? 0) : view(bufferView)));
  const skins = leaf("Skins", 5, accessors((json.skins ?? []).map(({ inverseBindMatrices }) => inverseBindMatrices)));
  const groups = [
    sum("Animations", 0, animations.map((animation) => clip(animation, json))),
    sum("Meshes", 1, meshes),
    sum("Textures", 2, textures),
    skins,
    leaf("JSON", 3, jsonBytes),
  ];
  const known = groups.reduce((bytes, group) => bytes + group.bytes, 0);
  return sum("File", 4, [...groups, leaf("Other", 4, Math.max(0, total - known))].filter(({ bytes }) => bytes > 0));
}
