// Values as they are drawn: rotations as angles about X, Y and Z, as components, or as the angle from the first one.

import type { Rotations } from "../state.js";

/** Rows of numbers, one after the other. */
export interface Rows {
  width: number;
  values: Float64Array;
}

export interface Drawn extends Rows {
  /** What the components are called. */
  names: string[];
  unit: string;
}

const DEGREES = 180 / Math.PI;

export const isRotation = (target: string): boolean => /\/rotation$/.test(target);

/** How a property's values are drawn; `reference` is what signs and turns are counted from, where two sides are drawn together. */
export function drawn(target: string, rows: Rows, rotations: Rotations, reference: Rows = rows): Drawn {
  if (!isRotation(target) || rows.width !== 4) return { ...rows, names: namesOf(target, rows.width), unit: unitOf(target) };
  const aligned = sameSigns(rows.values, reference.values);
  if (rotations === "quaternion") return { width: 4, values: aligned, names: ["X", "Y", "Z", "W"], unit: "quaternion" };
  if (rotations === "angle") return { width: 1, values: angles(aligned, reference.values), names: ["angle"], unit: "°" };
  return { width: 3, values: euler(aligned), names: ["X", "Y", "Z"], unit: "°" };
}

function namesOf(target: string, width: number): string[] {
  if (/\/(translation|scale)$/.test(target)) return ["X", "Y", "Z"];
  return Array.from({ length: width }, (_, i) => (width === 1 ? "value" : String(i)));
}

function unitOf(target: string): string {
  return /\/translation$/.test(target) ? "m" : /\/scale$/.test(target) ? "scale" : /\/weights/.test(target) ? "weight" : "value";
}

/** Quaternions without jumps of sign: each like the one before, the first like the reference's. */
function sameSigns(values: Float64Array, reference: Float64Array): Float64Array {
  const out = values.slice();
  for (let i = 0; i < out.length; i += 4) {
    const [like, from] = i === 0 ? [reference, 0] : [out, i - 4];
    let dot = 0;
    for (let k = 0; k < 4; k++) dot += out[i + k]! * like[from + k]!;
    if (dot < 0) for (let k = 0; k < 4; k++) out[i + k] = -out[i + k]!;
  }
  return out;
}

/** The angle between each rotation and the reference's first, in degrees. */
function angles(values: Float64Array, reference: Float64Array): Float64Array {
  const [rx, ry, rz, rw] = reference as unknown as [number, number, number, number];
  return Float64Array.from({ length: values.length / 4 }, (_, i) => {
    const [x, y, z, w] = values.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
    const chord = Math.hypot(x - rx, y - ry, z - rz, w - rw);
    const sum = Math.hypot(x + rx, y + ry, z + rz, w + rw);
    return 4 * Math.atan2(Math.min(chord, sum), Math.max(chord, sum)) * DEGREES;
  });
}

/** Angles about X, then Y, then Z, in degrees, each near the one before. */
function euler(values: Float64Array): Float64Array {
  const out = new Float64Array((values.length / 4) * 3);
  for (let i = 0; i < values.length / 4; i++) {
    const [x, y, z, w] = values.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
    const sine = Math.min(1, Math.max(-1, 2 * (w * y - z * x)));
    const turns = [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(sine), Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
    turns.forEach((turn, k) => {
      const degrees = turn * DEGREES;
      const before = i > 0 ? out[3 * (i - 1) + k]! : degrees;
      out[3 * i + k] = degrees - 360 * Math.round((degrees - before) / 360);
    });
  }
  return out;
}
