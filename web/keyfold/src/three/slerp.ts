// CUBICSLERP in three: an interpolant that asks the core for every point, so that it plays exactly.

import { type AnimationClip, Interpolant, type KeyframeTrack, type Object3D, type TypedArray } from "three";
import type { Decoder } from "../decoder.js";

/** Makes the rotation of a node, which was loaded as CUBICSPLINE, play as CUBICSLERP. */
export function playSlerp(clip: AnimationClip, node: Object3D, decoder: Decoder): void {
  const name = `${node.name || node.uuid}.quaternion`;
  const track = clip.tracks.find((track) => track.name === name) as (KeyframeTrack & { createInterpolant: unknown }) | undefined;
  if (!track) return;
  track.createInterpolant = function (this: KeyframeTrack, result?: Float32Array) {
    return new CubicSlerpInterpolant(this.times, this.values, 4, result, decoder);
  };
}

/** Each key stores three quaternions: the control before it, its value, the control behind it. */
class CubicSlerpInterpolant extends Interpolant {
  constructor(
    times: Float32Array,
    values: Float32Array,
    size: number,
    result: Float32Array | undefined,
    private readonly decoder: Decoder,
  ) {
    super(times, values, size, result);
  }

  override copySampleValue_(key: number): TypedArray {
    for (let i = 0; i < 4; i++) this.resultBuffer[i] = this.sampleValues[12 * key + 4 + i]!;
    return this.resultBuffer;
  }

  override interpolate_(key: number, start: number, time: number, end: number): TypedArray {
    this.decoder.between(this.sampleValues, 12 * (key - 1), (time - start) / (end - start), this.resultBuffer);
    return this.resultBuffer;
  }
}
