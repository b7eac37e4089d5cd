// How far every joint is off at a moment, and the colours for that.
//
// The measure is that of `keyfold diff`: three points that the node carries, one on each axis at the offsets that the program tells, and the
// largest distance between one of them and its twin.

import type { Matrix4 } from "three";
import type { JointReport } from "../program/tasks.js";
import type { Model } from "./load.js";

function distance(a: Matrix4, b: Matrix4, offsets: readonly number[]): number {
  const [p, q] = [a.elements, b.elements];
  let largest = 0;
  for (let axis = 0; axis < 3; axis++) {
    let sum = 0;
    for (let k = 0; k < 3; k++) {
      const apart = p[12 + k]! - q[12 + k]! + (p[4 * axis + k]! - q[4 * axis + k]!) * offsets[axis]!;
      sum += apart * apart;
    }
    largest = Math.max(largest, sum);
  }
  return Math.sqrt(largest);
}

/** The error of every node of `a` that moves, by index, as both models stand now. */
export function errorsNow(a: Model, b: Model, joints: readonly JointReport[]): Map<number, number> {
  const errors = new Map<number, number>();
  for (const { node, twin, offsets } of joints) {
    const [one, other] = [a.nodes[node], b.nodes[twin]];
    if (one && other) errors.set(node, distance(one.matrixWorld, other.matrixWorld, offsets));
  }
  return errors;
}

/** From nothing to all of the bound: viridis, whose lightness tells the order to every eye. */
const RAMP = [[0x44, 0x3a, 0x83], [0x31, 0x68, 0x8e], [0x21, 0x90, 0x8c], [0x35, 0xb7, 0x79], [0x8f, 0xd7, 0x44], [0xfd, 0xe7, 0x25]] as const;

/** The colour of a share of the bound, as parts of 255. */
export function heatColor(share: number): [number, number, number] {
  const place = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const [from, to] = [RAMP[Math.floor(place)]!, RAMP[Math.ceil(place)]!];
  const part = place - Math.floor(place);
  return [0, 1, 2].map((k) => from[k]! + (to[k]! - from[k]!) * part) as [number, number, number];
}
