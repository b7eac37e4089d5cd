// What a channel drives: core's node and path, the dotted paths of EXT_animation_quantization, and JSON pointers in every form in which
// they were ever written, brought to the form of today.

import { malformed } from "./error.js";
import { Json, Look, isObject } from "./look.js";
import { ANIMATION2, POINTER, PROPERTY_ANIMATION, QUANTIZATION } from "./names.js";
import vectors from "./vectors.js";

export type Property = "translation" | "rotation" | "scale" | "weights";
const PROPERTIES: readonly string[] = ["translation", "rotation", "scale", "weights"] satisfies Property[];

/** What a channel drives. `part` is one component of it, as only drafts allow. */
export type Target =
  | { node: number; property: Property; pointer?: undefined; part: number | undefined }
  | { pointer: string; node?: undefined; property?: undefined; part: number | undefined };

/** What a channel drives, and in whose words the file says so. */
export interface Address {
  targets: Target[];
  /** Whether the file says it as a loader of today would expect. */
  plain: boolean;
}

/** What a channel drives; `undefined` where it drives nothing that is known. */
export function addressOf(root: Look, channel: Look, used: (name: string) => boolean): Address | undefined {
  const said = pointerOf(channel, used);
  if (said) {
    const pointers = today(said.text, root);
    const plain = said.ratified && pointers.length === 1 && pointers[0] === said.text;
    const targets = pointers.flatMap((pointer) => targetOf(pointer, root) ?? []);
    // What core can say is said in core's way.
    return { targets, plain: plain && targets.every((t) => t.pointer !== undefined && t.part === undefined) };
  }
  const target = channel.needObject("target");
  const [name, axis] = splitPath(target.needText("path"), used(QUANTIZATION));
  if (!PROPERTIES.includes(name)) return undefined;
  const node = target.index("node");
  if (node === undefined) return undefined;
  if (node >= root.list("nodes").length) throw malformed(target.place("node"), `node ${node} does not exist`);
  const property = name as Property;
  // The other axes of a rotation are zero, so the whole of it is driven.
  const part = property === "rotation" ? undefined : axis;
  return { targets: [{ node, property, part }], plain: axis === undefined };
}

function splitPath(path: string, dotted: boolean): [name: string, axis: number | undefined] {
  const match = dotted ? /^(translation|rotation|scale)\.([xyz])$/.exec(path) : null;
  return match ? [match[1]!, "xyz".indexOf(match[2]!)] : [path, undefined];
}

/** A channel's pointer as the file writes it. */
function pointerOf(channel: Look, used: (name: string) => boolean): { text: string; ratified: boolean } | undefined {
  if (typeof channel.get("target") === "string") {
    return used(PROPERTY_ANIMATION) ? { text: channel.needText("target"), ratified: false } : undefined;
  }
  const target = channel.object("target");
  const ratified = target?.extension(POINTER);
  if (ratified) {
    const early = ratified.get("pointer") === undefined && ratified.get("path") !== undefined;
    return { text: ratified.needText(early ? "path" : "pointer"), ratified: !early };
  }
  const draft = target?.extension(ANIMATION2);
  if (draft?.get("path") !== undefined) return { text: draft.needText("path"), ratified: false };
  const path = target?.text("path");
  if (path === undefined) return undefined;
  const isPointer = (draft && !PROPERTIES.includes(path)) || (path.startsWith("/") && used(ANIMATION2));
  return isPointer ? { text: path, ratified: false } : undefined;
}

/** Pointers as the object model spells them today: several where a mesh's weights mean those of its nodes. */
function today(text: string, root: Look): string[] {
  const slashed = text === "" || text.startsWith("/") ? text : `/${text}`;
  const pointer = punctualLight(slashed, root) ?? slashed;
  const weights = /^\/meshes\/(0|[1-9]\d*)\/weights(\/(?:0|[1-9]\d*))?$/.exec(pointer);
  if (!weights) return [pointer];
  const nodes: Json[] = root.list("nodes").values;
  const isInstance = (node: Json): boolean => isObject(node) && node.mesh === Number(weights[1]);
  return nodes.flatMap((node, i) => (isInstance(node) ? [`/nodes/${i}/weights${weights[2] ?? ""}`] : []));
}

/** The draft's name for a light, where the document has KHR_lights_punctual in its place. */
function punctualLight(pointer: string, root: Look): string | undefined {
  const match = /^\/extensions\/KHR_lights\/lights\/([^/]*)\/(.*)$/s.exec(pointer);
  const extensions = match ? root.get("extensions") : undefined;
  if (!match || extensions?.KHR_lights !== undefined || extensions?.KHR_lights_punctual?.lights === undefined) return undefined;
  const spot = ["innerConeAngle", "outerConeAngle"].includes(match[2]!) ? "spot/" : "";
  return `/extensions/KHR_lights_punctual/lights/${match[1]}/${spot}${match[2]}`;
}

const INDEX = "(0|[1-9]\\d*)";
const NODE = new RegExp(`^/nodes/${INDEX}/(translation|rotation|scale|weights)$`);
const NODE_PART = new RegExp(`^/nodes/${INDEX}/(translation|scale)/([012])$`);

function targetOf(pointer: string, root: Look): Target | undefined {
  const whole = NODE.exec(pointer) ?? NODE_PART.exec(pointer);
  if (whole) {
    const node = Number(whole[1]);
    if (node >= root.list("nodes").length) return undefined;
    return { node, property: whole[2] as Property, part: whole[3] === undefined ? undefined : Number(whole[3]) };
  }
  const part = vectorPart(pointer);
  return part ? { pointer: part.whole, part: part.index } : { pointer, part: undefined };
}

/** The vector that a pointer addresses one component of. */
function vectorPart(pointer: string): { whole: string; index: number } | undefined {
  const match = /^(.*)\/([0-3])$/s.exec(pointer);
  const vector = match ? vectorOf(match[1]!) : undefined;
  return match && vector && Number(match[2]) < vector.length ? { whole: match[1]!, index: Number(match[2]) } : undefined;
}

/** The default value of a vector of the object model; `undefined` for everything else. */
function vectorOf(pointer: string): readonly number[] | undefined {
  return vectors.find(([pattern]) => new RegExp(pattern).test(pointer))?.[1];
}

/** What a vector is at rest; `undefined` where the document does not define it. */
export function restOf(pointer: string, root: Look): readonly number[] | undefined {
  const tokens = pointer.split("/").slice(1).map((t) => t.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = tokens.pop()!;
  let value: Json = root.value;
  for (const token of tokens) {
    value = typeof value === "object" && value !== null && Object.hasOwn(value, token) ? value[token] : undefined;
  }
  if (!isObject(value)) return undefined;
  const fallback = vectorOf(pointer)!;
  const own = value[last];
  if (own === undefined) return fallback;
  return Array.isArray(own) && own.length === fallback.length && own.every((v) => typeof v === "number") ? own : undefined;
}

/** What a node's translation or scale is at rest. */
export function nodeRest(node: number, property: Property, root: Look): number[] {
  const object: Json = root.list("nodes").values[node];
  const own = isObject(object) ? object[property] : undefined;
  const isVector = Array.isArray(own) && own.length === 3 && own.every((v) => typeof v === "number");
  return isVector ? own : property === "scale" ? [1, 1, 1] : [0, 0, 0];
}

/** The `target` of a channel as loaders of today expect it; what else the old one had stays. */
export function plainTarget(old: Json, target: Target): Json {
  const rest = isObject(old) ? { ...old } : {};
  delete rest.node;
  const extensions = { ...(isObject(rest.extensions) ? rest.extensions : {}) };
  delete extensions[POINTER];
  delete extensions[ANIMATION2];
  if (target.pointer !== undefined) extensions[POINTER] = { pointer: target.pointer };
  const plain = target.pointer === undefined ? { node: target.node, path: target.property } : { path: "pointer" };
  delete rest.extensions;
  return { ...rest, ...plain, ...(Object.keys(extensions).length > 0 ? { extensions } : {}) };
}
