// Runtime clips in three: an AnimationClip whose tracks take their values from the packed bytes, so that mixers play, fade and blend it like
// any other. All tracks of a time share one pose.

import {
  AnimationClip, BooleanKeyframeTrack, type KeyframeTrack, type Mesh, NumberKeyframeTrack, type Object3D, QuaternionKeyframeTrack,
  VectorKeyframeTrack,
} from "three";
import type { Clip, ClipTrack } from "../clip.js";
import type { Parser } from "../three.js";
import { type Binding, bindingsOf, nameOf, same } from "./bindings.js";

/** What GLTFLoader answers with, as much as is asked for here. */
export interface Model {
  parser: object;
  scenes: Object3D[];
}

/** A clip of `keyfold/clip` as three's, for the model that it was made of: `mixer.clipAction(await animationClip(clip, gltf)).play()`. It is for playing: its
 * tracks have no keys that could be edited or saved. */
export async function animationClip(clip: Clip, model: Model): Promise<AnimationClip> {
  const pose = new SharedPose(clip);
  const tracks: KeyframeTrack[] = [];
  for (const track of clip.tracks) {
    for (const binding of await bindings(track, model.parser as Parser, model.scenes)) tracks.push(played(binding, track, pose));
  }
  return new AnimationClip(clip.name ?? `animation_${clip.index}`, clip.duration, tracks);
}

/** The pose of the time that was asked for last: a mixer asks track by track. */
class SharedPose {
  readonly values: Float32Array;
  readonly duration: number;
  private time = NaN;

  constructor(private readonly clip: Clip) {
    this.values = new Float32Array(clip.poseLength);
    this.duration = clip.duration;
  }

  moveTo(time: number): void {
    if (time === this.time) return;
    this.clip.sample(time, this.values);
    this.time = time;
  }
}

const NODE = /^\/nodes\/(\d+)\/(?:(translation|rotation|scale)(?:\.([xyz]))?|weights)$/;
const PROPERTIES: Record<string, string> = { translation: "position", rotation: "quaternion", scale: "scale" };

/** All that a track drives in three; nothing where three cannot show it. */
async function bindings({ target, width }: ClipTrack, parser: Parser, scenes: Object3D[]): Promise<Binding[]> {
  const [found, index, property, axis] = NODE.exec(target) ?? [];
  if (!found) return bindingsOf(target, parser, scenes);
  const node: Object3D = await parser.getDependency("node", Number(index));
  const take = Array.from({ length: width }, (_, i) => i);
  if (property) return [{ path: `${nameOf(node)}.${PROPERTIES[property]}${axis ? `[${axis}]` : ""}`, take, map: same }];
  const meshes = [node, ...node.children].filter((o) => (o as Mesh).morphTargetInfluences);
  return meshes.map((mesh) => ({ path: `${nameOf(mesh)}.morphTargetInfluences`, take, map: same }));
}

function played(binding: Binding, { offset }: ClipTrack, pose: SharedPose): KeyframeTrack {
  const { path, take, is } = binding;
  const isVector = take.length > 1 && !path.endsWith("morphTargetInfluences");
  const Track = is === "bool" ? BooleanKeyframeTrack : path.endsWith(".quaternion") ? QuaternionKeyframeTrack : isVector ? VectorKeyframeTrack : NumberKeyframeTrack;
  const track = new Track(path, [0, pose.duration], new Array<never>(2 * take.length).fill(0 as never)) as KeyframeTrack & { createInterpolant: unknown };
  track.createInterpolant = (result?: Float32Array) => new PoseInterpolant(binding, offset, pose, result ?? new Float32Array(take.length));
  return track;
}

/** A track's part of the pose; a mixer says where it goes. */
class PoseInterpolant {
  settings: unknown = {};

  constructor(
    private readonly binding: Binding,
    private readonly offset: number,
    private readonly pose: SharedPose,
    public resultBuffer: Float32Array,
  ) {}

  evaluate(time: number): Float32Array {
    const { pose, offset, resultBuffer } = this;
    const { take, map } = this.binding;
    pose.moveTo(time);
    for (let i = 0; i < take.length; i++) resultBuffer[i] = map(pose.values[offset + take[i]!]!, i);
    return resultBuffer;
  }
}
