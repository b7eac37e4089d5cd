// Animated pointers in three: tracks for what a clip can drive by three's own bindings (`./bindings.ts`).

import {
  type AnimationClip, BooleanKeyframeTrack, InterpolateDiscrete, InterpolateLinear, type KeyframeTrack, NumberKeyframeTrack,
  type Object3D, VectorKeyframeTrack,
} from "three";
import type { Json } from "../look.js";
import { POINTER } from "../names.js";
import type { Parser } from "../three.js";
import { type Binding, bindingsOf } from "./bindings.js";

/** A channel's keys as the loader read them. */
interface Keys {
  interpolation: string;
  times: Float32Array;
  values: ArrayLike<number>;
  /** Numbers of one element. */
  width: number;
}

/** Adds tracks for the channels with pointers to the clips of their animations. */
export async function addPointerTracks(parser: Parser, clips: AnimationClip[], scenes: Object3D[]): Promise<void> {
  for (const [index, animation] of (parser.json.animations ?? []).entries()) {
    const tracks: KeyframeTrack[] = [];
    for (const channel of animation.channels ?? []) {
      const pointer = channel.target?.extensions?.[POINTER]?.pointer;
      if (typeof pointer !== "string") continue;
      const bindings = await bindingsOf(pointer, parser, scenes);
      const keys = bindings.length > 0 ? await keysOf(parser, animation.samplers[channel.sampler]) : undefined;
      tracks.push(...bindings.map((binding) => track(parser, binding, keys!)));
    }
    const clip = clips[index];
    if (!clip || tracks.length === 0) continue;
    clip.tracks.push(...tracks);
    clip.resetDuration();
  }
}

async function keysOf(parser: Parser, sampler: Json): Promise<Keys> {
  const [input, output] = await Promise.all([sampler.input, sampler.output].map((i) => parser.getDependency("accessor", i)));
  const interpolation = sampler.interpolation ?? "LINEAR";
  const elements = interpolation === "CUBICSPLINE" ? 3 : 1;
  const values = output.normalized ? Float32Array.from({ length: output.array.length }, (_, i) => at(output, i)) : output.array;
  return { interpolation, times: input.array, values, width: values.length / (input.array.length * elements) };
}

/** A component of an attribute, as the fraction that it stands for. */
function at(attribute: Json, i: number): number {
  return attribute.getComponent(Math.floor(i / attribute.itemSize), i % attribute.itemSize);
}

function track(parser: Parser, { path, take, map, is }: Binding, keys: Keys): KeyframeTrack {
  const values: number[] = [];
  const cubic = keys.interpolation === "CUBICSPLINE";
  for (let element = 0; element * keys.width < keys.values.length; element++) {
    take.forEach((from, to) => values.push(map(keys.values[element * keys.width + from]!, to)));
  }
  const times = keys.times as unknown as number[];
  if (is === "bool") return new BooleanKeyframeTrack(path, times, values.map((v) => v !== 0));
  const Track = take.length > 1 ? VectorKeyframeTrack : NumberKeyframeTrack;
  const made = new Track(path, times, values, keys.interpolation === "STEP" ? InterpolateDiscrete : InterpolateLinear);
  // The loader's own spline, as for every other CUBICSPLINE track.
  if (cubic) (parser as Json)._createCubicSplineTrackInterpolant(made);
  return made;
}
