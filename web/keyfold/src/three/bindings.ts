// From a pointer to what three calls it: paths of three's PropertyBinding. Interpolation happens in the file's values; where three keeps
// something else than a multiple of them, a property of ours is put in front of three's.

import type { Camera, Light, Material, Mesh, Object3D, PerspectiveCamera, OrthographicCamera, SpotLight } from "three";
import type { Json } from "../look.js";
import type { Parser } from "../three.js";

/** What a track drives, and how its values come from the file's. */
export interface Binding {
  /** As three's PropertyBinding spells it. */
  path: string;
  /** The components of the file's value that make up three's. */
  take: number[];
  /** Three's number from the file's: a factor, so that tangents follow; `component` is three's. */
  map: (value: number, component: number) => number;
  is?: "bool";
}

export const same = (value: number): number => value;
export const nameOf = (object: Object3D): string => object.name || object.uuid;

/** All that a pointer drives in three; nothing where three cannot show it. */
export async function bindingsOf(pointer: string, parser: Parser, scenes: Object3D[]): Promise<Binding[]> {
  const [, collection, index, rest] = /^\/(?:extensions\/KHR_lights_punctual\/)?(nodes|materials|cameras|lights)\/(\d+)\/(.+)$/.exec(pointer) ?? [];
  switch (collection) {
    case "nodes":
      return nodeBindings(rest!, await parser.getDependency("node", Number(index)));
    case "materials":
      return materialBindings(rest!, Number(index), parser, scenes);
    case "cameras":
      return (await attached(parser, (node) => node.camera === Number(index), "isCamera")).flatMap((o) => cameraBindings(rest!, o as Camera));
    case "lights":
      return (await attached(parser, (node) => node.extensions?.KHR_lights_punctual?.light === Number(index), "isLight")).flatMap((o) =>
        lightBindings(rest!, o as Light),
      );
    default:
      return [];
  }
}

function nodeBindings(rest: string, node: Object3D | undefined): Binding[] {
  if (!node) return [];
  if (rest === "extensions/KHR_node_visibility/visible") return [{ path: `${nameOf(node)}.visible`, take: [0], map: same, is: "bool" }];
  const weight = /^weights\/(\d+)$/.exec(rest);
  if (!weight) return [];
  const meshes = [node, ...node.children].filter((o) => (o as Mesh).morphTargetInfluences) as Mesh[];
  return meshes.map((mesh) => ({ path: `${nameOf(mesh)}.morphTargetInfluences[${weight[1]}]`, take: [0], map: same }));
}

const COLOR = [0, 1, 2];
const ONE = [0];
const PBR = "pbrMetallicRoughness";
const MATERIALS = "extensions/KHR_materials_";

/** What a material's property is called in three, and which components make it up. */
const MATERIAL: Record<string, [property: string, take: number[]][]> = {
  [`${PBR}/baseColorFactor`]: [["color", COLOR], ["opacity", [3]]],
  [`${PBR}/metallicFactor`]: [["metalness", ONE]],
  [`${PBR}/roughnessFactor`]: [["roughness", ONE]],
  "normalTexture/scale": [["normalScale", [0, 0]]],
  "occlusionTexture/strength": [["aoMapIntensity", ONE]],
  emissiveFactor: [["emissive", COLOR]],
  alphaCutoff: [["alphaTest", ONE]],
  [`${MATERIALS}emissive_strength/emissiveStrength`]: [["emissiveIntensity", ONE]],
  [`${MATERIALS}anisotropy/anisotropyStrength`]: [["anisotropy", ONE]],
  [`${MATERIALS}anisotropy/anisotropyRotation`]: [["anisotropyRotation", ONE]],
  [`${MATERIALS}clearcoat/clearcoatFactor`]: [["clearcoat", ONE]],
  [`${MATERIALS}clearcoat/clearcoatRoughnessFactor`]: [["clearcoatRoughness", ONE]],
  [`${MATERIALS}clearcoat/clearcoatNormalTexture/scale`]: [["clearcoatNormalScale", [0, 0]]],
  [`${MATERIALS}dispersion/dispersion`]: [["dispersion", ONE]],
  [`${MATERIALS}ior/ior`]: [["ior", ONE]],
  [`${MATERIALS}iridescence/iridescenceFactor`]: [["iridescence", ONE]],
  [`${MATERIALS}iridescence/iridescenceIor`]: [["iridescenceIOR", ONE]],
  [`${MATERIALS}iridescence/iridescenceThicknessMinimum`]: [["iridescenceThicknessRange[0]", ONE]],
  [`${MATERIALS}iridescence/iridescenceThicknessMaximum`]: [["iridescenceThicknessRange[1]", ONE]],
  [`${MATERIALS}sheen/sheenColorFactor`]: [["sheenColor", COLOR]],
  [`${MATERIALS}sheen/sheenRoughnessFactor`]: [["sheenRoughness", ONE]],
  [`${MATERIALS}specular/specularFactor`]: [["specularIntensity", ONE]],
  [`${MATERIALS}specular/specularColorFactor`]: [["specularColor", COLOR]],
  [`${MATERIALS}transmission/transmissionFactor`]: [["transmission", ONE]],
  [`${MATERIALS}volume/thicknessFactor`]: [["thickness", ONE]],
  [`${MATERIALS}volume/attenuationDistance`]: [["attenuationDistance", ONE]],
  [`${MATERIALS}volume/attenuationColor`]: [["attenuationColor", COLOR]],
};

/** A track for each material that the loader made of the file's one. */
function materialBindings(rest: string, index: number, parser: Parser, scenes: Object3D[]): Binding[] {
  const transform = /^pbrMetallicRoughness\/baseColorTexture\/extensions\/KHR_texture_transform\/(offset|rotation|scale)$/.exec(rest);
  const properties = transform ? textureTransform(transform[1]!) : (MATERIAL[rest] ?? []).map(([property, take]) => [`material.${property}`, take] as const);
  const meshes = new Map<Material, Mesh>();
  for (const scene of scenes) {
    scene.traverse((object) => {
      const { material } = object as Mesh;
      const isOurs = material && !Array.isArray(material) && parser.associations.get(material)?.materials === index;
      if (isOurs && !meshes.has(material)) meshes.set(material, object as Mesh);
    });
  }
  return [...meshes].flatMap(([material, mesh]) =>
    properties
      .filter(([property]) => transform || (property.split(/[.[]/)[1] as string) in material)
      .map(([property, take]) => ({ path: `${nameOf(mesh)}.${property}`, take: [...take], map: flipped(material, property) })),
  );
}

function textureTransform(name: string): (readonly [string, number[]])[] {
  return [name === "scale" ? ["map.repeat", [0, 1]] : name === "offset" ? ["map.offset", [0, 1]] : ["map.rotation", ONE]];
}

/** Without tangents in the file, three turns normal maps upside down by a negative second component. */
function flipped(material: Json, property: string): Binding["map"] {
  const scale = material[property.split(".")[1]!];
  if (!property.endsWith("ormalScale") || !(scale?.y < 0)) return same;
  return (value, component) => (component === 0 ? value : -value);
}

/** The cameras or lights of all nodes that refer to one: the node itself, or a child that the loader gave it. */
async function attached(parser: Parser, refers: (node: Json) => boolean, kind: "isCamera" | "isLight"): Promise<Object3D[]> {
  const nodes: number[] = (parser.json.nodes ?? []).flatMap((node: Json, i: number) => (refers(node) ? [i] : []));
  const objects: Object3D[] = await Promise.all(nodes.map((i) => parser.getDependency("node", i)));
  return objects.flatMap((node) => [node, ...node.children].filter((o: Json) => o[kind]));
}

const DEGREES = 180 / Math.PI;

function cameraBindings(rest: string, camera: Camera): Binding[] {
  const one = (property: string, map: Binding["map"] = same): Binding => ({ path: `${nameOf(camera)}.${property}`, take: ONE, map });
  const [kind, member] = rest.split("/");
  if (kind === "perspective" && (camera as PerspectiveCamera).isPerspectiveCamera) {
    const names: Record<string, string> = { yfov: "fov", znear: "near", zfar: "far", aspectRatio: "aspect" };
    if (!names[member!]) return [];
    project(camera, names[member!]!);
    return [one(names[member!]!, member === "yfov" ? (value) => value * DEGREES : same)];
  }
  if (kind === "orthographic" && (camera as OrthographicCamera).isOrthographicCamera) {
    const names: Record<string, string[]> = { xmag: ["left", "right"], ymag: ["top", "bottom"], znear: ["near"], zfar: ["far"] };
    return (names[member!] ?? []).map((name) => {
      project(camera, name);
      return one(name, name === "left" || name === "bottom" ? (value) => -value : same);
    });
  }
  return [];
}

/** Lets a camera follow when one of its numbers changes: by itself, three's does not. */
function project(camera: Camera, property: string): void {
  let value: number = (camera as Json)[property];
  Object.defineProperty(camera, property, {
    configurable: true,
    enumerable: true,
    get: () => value,
    set: (next: number) => {
      value = next;
      (camera as PerspectiveCamera).updateProjectionMatrix?.();
    },
  });
}

function lightBindings(rest: string, light: Light): Binding[] {
  const binding = (property: string, take: number[]): Binding[] => [{ path: `${nameOf(light)}.${property}`, take, map: same }];
  switch (rest) {
    case "color":
      return binding("color", COLOR);
    case "intensity":
      return binding("intensity", ONE);
    case "range":
      return "distance" in light ? binding("distance", ONE) : [];
    case "spot/innerConeAngle":
    case "spot/outerConeAngle":
      if (!(light as SpotLight).isSpotLight) return [];
      coneAngles(light as SpotLight);
      return binding(rest.slice("spot/".length), ONE);
    default:
      return [];
  }
}

/** glTF's two angles of a spot's cone in front of three's angle and penumbra, which hang together. */
function coneAngles(light: SpotLight & { innerConeAngle?: number }): void {
  if (light.innerConeAngle !== undefined) return;
  let [inner, outer] = [light.angle * (1 - light.penumbra), light.angle];
  const apply = (): void => void Object.assign(light, { angle: outer, penumbra: 1 - inner / outer });
  Object.defineProperties(light, {
    innerConeAngle: { configurable: true, get: () => inner, set: (value: number) => ((inner = value), apply()) },
    outerConeAngle: { configurable: true, get: () => outer, set: (value: number) => ((outer = value), apply()) },
  });
}
