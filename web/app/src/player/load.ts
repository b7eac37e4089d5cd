// A file as three.js has it: scene, nodes by their index in the file, clips by theirs. What three cannot show is left out and told.

import { type AnimationClip, Group, LoadingManager, type Object3D } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { MeshoptDecoder } from "three/addons/libs/meshopt_decoder.module.js";
import { KeyfoldPlugin } from "keyfold/three";
import { type Gltf, readDocument } from "../open/document.js";
import type { Files } from "../program/tasks.js";

export interface Model {
  root: Object3D;
  /** By index in the file; nothing where a node is in no scene that is shown. */
  nodes: (Object3D | undefined)[];
  clips: AnimationClip[];
  /** What is not shown. */
  notes: string[];
}

/** A pixel for an image that is not there. */
const PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNoaGj4DwAFBAKAqvUf1AAAAABJRU5ErkJggg==";

/** Takes meshes out of a document, and what only they need. */
export function withoutMeshes(json: Gltf): void {
  for (const key of ["meshes", "skins", "materials", "textures", "images", "cameras"] as const) delete json[key];
  for (const node of json.nodes ?? []) for (const key of ["mesh", "skin", "camera"] as const) delete node[key];
}

/** Takes out what needs decoders that the page does not have. */
function showable(json: Gltf, notes: string[]): void {
  const required = json.extensionsRequired ?? [];
  if (required.includes("KHR_draco_mesh_compression")) {
    notes.push("Its meshes are compressed by Draco, which this page does not decode: the skeleton is shown.");
    withoutMeshes(json);
    json.extensionsRequired = required.filter((name) => name !== "KHR_draco_mesh_compression");
  }
  if (required.includes("KHR_texture_basisu")) {
    notes.push("Its textures are in KTX 2, which this page does not decode: meshes are shown without.");
    delete json.materials;
    for (const mesh of json.meshes ?? []) for (const primitive of mesh.primitives ?? []) delete (primitive as { material?: number }).material;
    json.extensionsRequired = (json.extensionsRequired ?? []).filter((name) => name !== "KHR_texture_basisu");
  }
}

/** Loads a document; `edit` may take parts out of its JSON before. */
export async function loadModel(files: Files, edit: (json: Gltf) => void = () => {}): Promise<Model> {
  const notes: string[] = [];
  const contents = files.entries.find(([path]) => path === files.name)![1];
  const { json, jsonBytes } = await readDocument(files.name, contents);
  const before = JSON.stringify(json);
  showable(json, notes);
  edit(json);
  const after = JSON.stringify(json);
  const isGlb = new DataView(await contents.slice(0, 4).arrayBuffer()).getUint32(0, true) === 0x46546c67;
  const data = !isGlb ? after : before === after ? await contents.arrayBuffer() : await rebuilt(after, contents.slice(20 + jsonBytes)).arrayBuffer();
  const blobs = new Map(files.entries.map(([path, blob]) => [path, URL.createObjectURL(blob)]));
  try {
    return { ...(await parse(data, blobs)), notes };
  } finally {
    blobs.forEach((address) => URL.revokeObjectURL(address));
  }
}

/** A GLB with other JSON in front of the same data. */
function rebuilt(text: string, rest: Blob): Blob {
  const json = new TextEncoder().encode(text);
  const padding = new Uint8Array((4 - (json.length % 4)) % 4).fill(0x20);
  const head = new Uint32Array([0x46546c67, 2, 20 + json.length + padding.length + rest.size, json.length + padding.length, 0x4e4f534a]);
  return new Blob([head, json, padding, rest]);
}

async function parse(data: ArrayBuffer | string, blobs: Map<string, string>): Promise<Omit<Model, "notes">> {
  const manager = new LoadingManager();
  manager.setURLModifier((address) => {
    if (/^(data|blob):/.test(address)) return address;
    const path = decodeURIComponent(address).replace(/^\.\//, "");
    return blobs.get(path) ?? (/\.(png|jpe?g|webp|avif|ktx2?)$/i.test(path) ? PIXEL : "data:application/octet-stream,");
  });
  const loader = new GLTFLoader(manager);
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.register((parser) => new KeyfoldPlugin(parser));
  const gltf = await loader.parseAsync(data, "");
  const root = gltf.scene ?? (await allNodes(gltf.parser));
  const nodes: (Object3D | undefined)[] = [];
  root.traverse((object) => {
    const index = gltf.parser.associations.get(object)?.nodes;
    if (index !== undefined) nodes[index] ??= object;
    // Bounds of skins are those at rest: in motion they would be culled while they can be seen.
    object.frustumCulled = false;
  });
  return { root, nodes, clips: gltf.animations };
}

/** The nodes of a file that has no scene. */
async function allNodes(parser: { getDependencies(type: string): Promise<Object3D[]> }): Promise<Group> {
  const group = new Group();
  for (const node of await parser.getDependencies("node")) if (!node.parent) group.add(node);
  return group;
}
