// What is drawn: a line for each component of each chosen track, on both sides, with its keys.

import type { Lines, Side, TrackReport } from "../program/tasks.js";
import type { Rotations } from "../state.js";
import { drawn, isRotation } from "./values.js";

/** A tangent or a control of a key, from the key to where it ends. */
export interface Handle {
  time: number;
  value: number;
  toTime: number;
  toValue: number;
}

export interface Line {
  values: Float64Array;
  keys: number[];
  handles: Handle[];
}

export interface Trace {
  target: string;
  name: string;
  component: string;
  color: string;
  unit: string;
  times: Float64Array;
  before: Line | null;
  after: Line | null;
}

const COLORS = ["--x", "--y", "--z", "--w"];

export function tracesOf(
  chosen: readonly string[],
  report: Map<string, TrackReport>,
  nameOf: (target: string) => string,
  [a, b]: [Lines | null, Lines | null],
  rotations: Rotations,
): Trace[] {
  return chosen.flatMap((target) => {
    const [one, other] = [a?.targets.get(target), b?.targets.get(target)];
    const first = one ?? other;
    const times = (a ?? b)?.times;
    if (!first || !times) return [];
    const shapes = [one, other].map((rows) => rows && drawn(target, rows, rotations, first));
    const shape = shapes[0] ?? shapes[1]!;
    const track = report.get(target);
    return shape.names.map((component, k): Trace => {
      const line = (rows: typeof shape | undefined, side: Side | null | undefined): Line | null => {
        if (!rows) return null;
        const values = Float64Array.from({ length: times.length }, (_, i) => rows.values[i * rows.width + k]!);
        const raw = !isRotation(target) || rotations === "quaternion";
        return { values, keys: side ? [...side.times] : [], handles: side && raw ? handlesOf(side, rows.names.length, k, times, values) : [] };
      };
      const color = COLORS[shape.names.length === 1 ? 3 : k % 4]!;
      return { target, name: nameOf(target), component, color, unit: shape.unit, times, before: line(shapes[0], track?.before), after: line(shapes[1], track?.after) };
    });
  });
}

/** The line's value at a time: the nearest that was sampled, and keys are among these. */
export function valueAt(times: Float64Array, values: Float64Array, time: number): number {
  let [low, high] = [0, times.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle;
  }
  if (high <= low) return values[low]!;
  const part = Math.min(1, Math.max(0, (time - times[low]!) / (times[high]! - times[low]!)));
  return values[low]! + (values[high]! - values[low]!) * part;
}

/** Of splines the tangents, of CUBICSLERP the controls; both end a third of the way to the next key. */
function handlesOf({ interpolation, times, values }: Side, width: number, component: number, drawnTimes: Float64Array, line: Float64Array): Handle[] {
  const cubic = interpolation === "CUBICSPLINE" || interpolation === "CUBIC";
  if (!cubic && interpolation !== "CUBICSLERP") return [];
  const stored = (key: number, element: number): number => values[(3 * key + element) * width + component]!;
  const handles: Handle[] = [];
  times.forEach((time, key) => {
    if (time < drawnTimes[0]! || time > drawnTimes.at(-1)!) return;
    const value = valueAt(drawnTimes, line, time);
    // A quaternion may be drawn as its negative.
    const sign = Math.sign(stored(key, 1)) * Math.sign(value) < 0 ? -1 : 1;
    for (const [element, next] of [[0, key - 1], [2, key + 1]] as const) {
      const there = times[next];
      if (there === undefined) continue;
      const third = (there - time) / 3;
      const toValue = cubic ? value + sign * stored(key, element) * third : sign * stored(key, element);
      handles.push({ time, value, toTime: time + third, toValue });
    }
  });
  return handles;
}
