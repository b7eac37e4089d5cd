// The packed side: the original's scene once more, moved by the packed file's clips. Meshes and textures are shared, so that a new bound costs no
// more than its animations.

import { AnimationClip, type KeyframeTrack, type Mesh, NumberKeyframeTrack, type Object3D, QuaternionKeyframeTrack, VectorKeyframeTrack } from "three";
import { clone } from "three/addons/utils/SkeletonUtils.js";
import type { Gltf } from "../open/document.js";
import { readDocument } from "../open/document.js";
import type { Files, Lines } from "../program/tasks.js";
import { type Model, loadModel, withoutMeshes } from "./load.js";

/** A model that moves by itself and shares everything else. */
function copyOf({ root, nodes }: Model): Model {
  const copy = clone(root);
  const twins = new Map<Object3D, Object3D>();
  pair(root, copy, twins);
  return { root: copy, nodes: nodes.map((node) => node && twins.get(node)), clips: [], notes: [] };
}

function pair(one: Object3D, other: Object3D, twins: Map<Object3D, Object3D>): void {
  twins.set(one, other);
  one.children.forEach((child, i) => pair(child, other.children[i]!, twins));
}

/** Weights and pointers drive meshes and materials: there, nothing can be shared. */
function drivesMeshes(json: Gltf): boolean {
  const channels = (json.animations ?? []).flatMap((animation) => animation?.channels ?? []);
  return channels.some((channel) => channel?.target?.path === "weights" || channel?.target?.path === "pointer" || channel?.target?.extensions !== undefined)
    || (json.extensionsUsed ?? []).some((name) => /animation2|animation_pointer|property_animation/.test(name));
}

/** The packed file beside its original. */
export async function loadTwin(original: Model, files: Files): Promise<Model> {
  const contents = files.entries.find(([path]) => path === files.name)![1];
  const { json } = await readDocument(files.name, contents);
  if (drivesMeshes(json)) return loadModel(files);
  const moving = await loadModel(files, withoutMeshes);
  const twin = copyOf(original);
  const byName = new Map(moving.nodes.flatMap((node, i) => (node ? [[node.name || node.uuid, twin.nodes[i]] as const] : [])));
  twin.clips = moving.clips.map((clip) => new AnimationClip(clip.name, clip.duration, clip.tracks.flatMap((track) => moved(track, byName))));
  return twin;
}

/** A track of the loaded file that drives the copy's node. */
function moved(track: KeyframeTrack, byName: Map<string, Object3D | undefined>): KeyframeTrack[] {
  const dot = track.name.lastIndexOf(".");
  const node = byName.get(track.name.slice(0, dot));
  if (!node) return [];
  // How it interpolates hangs on the track itself.
  track.name = node.uuid + track.name.slice(dot);
  return [track];
}

/** A runtime clip on its model, played from samples that lie close together. */
export function clipTwin(original: Model, { times, targets }: Lines, animation: number): Model {
  const twin = copyOf(original);
  const tracks = [...targets].flatMap(([target, { values }]) => trackOf(twin, target, times, values));
  twin.clips[animation] = new AnimationClip("clip", -1, tracks);
  return twin;
}

function trackOf({ nodes }: Model, target: string, times: Float64Array, values: Float64Array): KeyframeTrack[] {
  const [, index, property] = /^\/nodes\/(\d+)\/(\w+)$/.exec(target) ?? [];
  const node = nodes[Number(index)];
  if (!node) return [];
  const [t, v] = [Float32Array.from(times), Float32Array.from(values)];
  switch (property) {
    case "translation":
      return [new VectorKeyframeTrack(`${node.uuid}.position`, t, v)];
    case "rotation":
      return [new QuaternionKeyframeTrack(`${node.uuid}.quaternion`, t, v)];
    case "scale":
      return [new VectorKeyframeTrack(`${node.uuid}.scale`, t, v)];
    default:
      return [node, ...node.children]
        .filter((object) => (object as Mesh).morphTargetInfluences)
        .map((mesh) => new NumberKeyframeTrack(`${mesh.uuid}.morphTargetInfluences`, t, v));
  }
}
