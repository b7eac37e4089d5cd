// A document's JSON out of its file: enough to know what it needs and what it weighs. What it means, the program tells.

import { NotReadable } from "./source.js";

interface View {
  buffer?: number;
  byteLength?: number;
  extensions?: Record<string, { byteLength?: number }>;
}

interface Accessor {
  bufferView?: number;
  componentType?: number;
  count?: number;
  type?: string;
  sparse?: { count?: number; indices?: { componentType?: number } };
}

/** What the page looks at of a glTF document; anything may be missing or wrong. */
export interface Gltf {
  buffers?: { uri?: string; byteLength?: number }[];
  bufferViews?: View[];
  accessors?: Accessor[];
  images?: { uri?: string; bufferView?: number; name?: string }[];
  meshes?: { name?: string; primitives?: { attributes?: Record<string, number>; indices?: number; targets?: Record<string, number>[]; extensions?: Record<string, { bufferView?: number }> }[] }[];
  skins?: { inverseBindMatrices?: number; joints?: number[] }[];
  nodes?: { name?: string; mesh?: number; skin?: number; camera?: number; children?: number[] }[];
  animations?: { name?: string; channels?: { target?: { node?: number; path?: string; extensions?: object } }[] }[];
  extensionsUsed?: string[];
  extensionsRequired?: string[];
  materials?: unknown;
  textures?: unknown;
  cameras?: unknown;
  scenes?: unknown;
}

const GLB = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;

/** The JSON of a `.glb` or `.gltf` file, whatever its name, and how long it is. */
export async function readDocument(name: string, contents: Blob): Promise<{ json: Gltf; jsonBytes: number }> {
  const head = new DataView(await contents.slice(0, 20).arrayBuffer());
  const isGlb = head.byteLength >= 4 && head.getUint32(0, true) === GLB;
  if (isGlb && (head.byteLength < 20 || head.getUint32(16, true) !== JSON_CHUNK)) {
    throw new NotReadable(`${name} cannot be read`, "It is a GLB file without the JSON that should come first.", "byte 12");
  }
  const length = isGlb ? head.getUint32(12, true) : contents.size;
  const from = isGlb ? 20 : 0;
  if (from + length > contents.size) {
    throw new NotReadable(`${name} is cut short`, `The file ends inside its JSON: ${contents.size - from} of ${length} bytes are there.`, "byte 12");
  }
  const text = await contents.slice(from, from + length).text();
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== "object" || json === null || Array.isArray(json)) throw new Error("it is no object");
    return { json: json as Gltf, jsonBytes: length };
  } catch (error) {
    throw new NotReadable(`${name} cannot be read`, `Its JSON is broken: ${(error as Error).message}.`);
  }
}

const COMPONENT_BYTES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const COMPONENTS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };

/** What an accessor takes: its elements, in a compressed view their part of it, and those that a sparse one replaces. */
export function accessorBytes(json: Gltf, index: number): number {
  const { bufferView, count = 0, type = "", componentType = 0, sparse } = json.accessors?.[index] ?? {};
  const element = (COMPONENTS[type] ?? 0) * (COMPONENT_BYTES[componentType] ?? 0);
  const replaced = (sparse?.count ?? 0) * (element + (COMPONENT_BYTES[sparse?.indices?.componentType ?? 0] ?? 0));
  const view = json.bufferViews?.[bufferView ?? -1];
  if (!view) return replaced;
  const compressed = ["EXT_meshopt_compression", "KHR_meshopt_compression"].map((name) => view.extensions?.[name]?.byteLength).find((bytes) => bytes !== undefined);
  const share = compressed === undefined || !view.byteLength ? 1 : compressed / view.byteLength;
  return count * element * share + replaced;
}
