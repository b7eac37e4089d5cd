// Draws traces: a lane for each unit, below it the difference on a scale of its own.

import { token } from "../dom.js";
import { significant } from "../format.js";
import { type Trace, valueAt } from "./traces.js";

/** What part of time is seen, and how much values are stretched and moved. */
export interface View {
  from: number;
  to: number;
  stretch: number;
  shift: number;
}

const LEFT = 58;
const BOTTOM = 18;
/** Closer than this, in pixels, keys are no longer marked. */
const CROWDED = 5;

interface Lane {
  top: number;
  height: number;
  low: number;
  high: number;
}

export class Plot {
  private readonly pen: CanvasRenderingContext2D;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.pen = canvas.getContext("2d")!;
  }

  private get area(): { width: number; height: number } {
    return { width: this.canvas.clientWidth - LEFT - 6, height: this.canvas.clientHeight - BOTTOM };
  }

  timeAt(x: number, { from, to }: View): number {
    return from + ((x - LEFT) / this.area.width) * (to - from);
  }

  private x(time: number, { from, to }: View): number {
    return LEFT + ((time - from) / (to - from)) * this.area.width;
  }

  draw(traces: Trace[], view: View, cursor: number | null, playhead: number): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0) return;
    [this.canvas.width, this.canvas.height] = [width * devicePixelRatio, height * devicePixelRatio];
    this.pen.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    this.pen.font = "11px system-ui, sans-serif";
    this.pen.lineJoin = "round";
    this.times(view);
    const units = [...new Set(traces.map(({ unit }) => unit))];
    units.forEach((unit, i) => {
      const group = traces.filter((trace) => trace.unit === unit);
      const both = group.some(({ before, after }) => before && after);
      const room = this.area.height / units.length;
      const top = i * room;
      const share = both ? 0.72 : 1;
      this.values(group, { top, height: room * share }, unit, view);
      if (both) this.differences(group, { top: top + room * share, height: room * (1 - share) }, view);
    });
    this.upright(playhead, view, token("--accent"), [4, 3]);
    if (cursor !== null) this.upright(cursor, view, token("--soft"), []);
  }

  private times(view: View): void {
    const { height } = this.area;
    const step = niceStep((view.to - view.from) / 6);
    this.pen.fillStyle = token("--soft");
    this.pen.strokeStyle = token("--grid");
    this.pen.lineWidth = 1;
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const x = this.x(time, view);
      this.line(x, 0, x, height);
      this.pen.fillText(`${significant(time)} s`, x + 3, height + 13);
    }
  }

  /** A lane's scale with its numbers. */
  private scale(lane: Lane, label: string): (value: number) => number {
    const y = (value: number): number => lane.top + 6 + ((lane.high - value) / (lane.high - lane.low)) * (lane.height - 12);
    const step = niceStep((lane.high - lane.low) / Math.max(2, lane.height / 45));
    this.pen.fillStyle = token("--soft");
    this.pen.strokeStyle = token("--grid");
    for (let value = Math.ceil(lane.low / step) * step; value <= lane.high; value += step) {
      this.line(LEFT, y(value), LEFT + this.area.width, y(value));
      const text = significant(Math.abs(value) < step / 1e6 ? 0 : value);
      this.pen.fillText(text, LEFT - 6 - this.pen.measureText(text).width, y(value) + 4);
    }
    this.pen.strokeStyle = token("--line");
    this.line(LEFT, lane.top + lane.height, LEFT + this.area.width, lane.top + lane.height);
    this.pen.fillText(label, LEFT + this.area.width - this.pen.measureText(label).width - 4, lane.top + 14);
    return y;
  }

  private values(traces: Trace[], { top, height }: { top: number; height: number }, unit: string, view: View): void {
    const lines = traces.flatMap(({ times, before, after }) => [before, after].flatMap((line) => (line ? [{ times, values: line.values }] : [])));
    const [low, high] = range(lines, view, 1e-6);
    const [middle, half] = [(low + high) / 2, (high - low) / 2 / view.stretch];
    const offset = middle + view.shift * half;
    const y = this.scale({ top, height, low: offset - 1.05 * half, high: offset + 1.05 * half }, unit);
    this.inside(top, height, () => {
      for (const { color, times, before, after } of traces) {
        if (before) this.curve(times, before.values, view, y, token(color), after ? 4 : 1.6, after ? 0.35 : 1);
        if (after) this.curve(times, after.values, view, y, token(color), 1.5, 1);
        for (const [line, filled] of [[before, false], [after, true]] as const) {
          if (!line) continue;
          this.keys(line.keys, times, line.values, view, y, token(color), filled);
          this.handles(line, view, y, token(color));
        }
      }
    });
  }

  private differences(traces: Trace[], { top, height }: { top: number; height: number }, view: View): void {
    const both = traces.flatMap(({ times, before, after, color }) =>
      before && after ? [{ times, color, values: after.values.map((value, i) => value - before.values[i]!) }] : []);
    const [low, high] = range(both, view, 1e-12);
    const most = Math.max(Math.abs(low), Math.abs(high));
    const y = this.scale({ top, height, low: -1.1 * most, high: 1.1 * most }, "difference");
    this.inside(top, height, () => both.forEach(({ times, values, color }) => this.curve(times, values, view, y, token(color), 1.2, 1)));
  }

  private inside(top: number, height: number, draw: () => void): void {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(LEFT, top, this.area.width, height);
    this.pen.clip();
    draw();
    this.pen.restore();
  }

  private curve(times: Float64Array, values: Float64Array, view: View, y: (value: number) => number, color: string, width: number, strength: number): void {
    Object.assign(this.pen, { strokeStyle: color, lineWidth: width, globalAlpha: strength });
    this.pen.beginPath();
    times.forEach((time, i) => this.pen.lineTo(this.x(time, view), y(values[i]!)));
    this.pen.stroke();
    this.pen.globalAlpha = 1;
  }

  private keys(keys: number[], times: Float64Array, values: Float64Array, view: View, y: (value: number) => number, color: string, filled: boolean): void {
    const seen = keys.filter((time) => time >= view.from && time <= view.to);
    if (seen.length * CROWDED > this.area.width) return;
    Object.assign(this.pen, { strokeStyle: color, fillStyle: filled ? color : token("--raised"), lineWidth: 1.2 });
    for (const time of seen) {
      const [x, at, size] = [this.x(time, view), y(valueAt(times, values, time)), filled ? 3 : 4.5];
      this.pen.beginPath();
      this.pen.moveTo(x, at - size);
      this.pen.lineTo(x + size, at);
      this.pen.lineTo(x, at + size);
      this.pen.lineTo(x - size, at);
      this.pen.closePath();
      this.pen.fill();
      this.pen.stroke();
    }
  }

  private handles({ handles }: NonNullable<Trace["before"]>, view: View, y: (value: number) => number, color: string): void {
    const seen = handles.filter(({ time }) => time >= view.from && time <= view.to);
    if (seen.length * CROWDED > this.area.width) return;
    Object.assign(this.pen, { strokeStyle: color, fillStyle: color, lineWidth: 1, globalAlpha: 0.7 });
    for (const { time, value, toTime, toValue } of seen) {
      const [x, at] = [this.x(toTime, view), y(toValue)];
      this.line(this.x(time, view), y(value), x, at);
      this.pen.fillRect(x - 2, at - 2, 4, 4);
    }
    this.pen.globalAlpha = 1;
  }

  private upright(time: number, view: View, color: string, dashes: number[]): void {
    const x = this.x(time, view);
    if (x < LEFT) return;
    this.pen.strokeStyle = color;
    this.pen.setLineDash(dashes);
    this.line(x, 0, x, this.area.height);
    this.pen.setLineDash([]);
  }

  private line(x1: number, y1: number, x2: number, y2: number): void {
    this.pen.beginPath();
    this.pen.moveTo(x1, y1);
    this.pen.lineTo(x2, y2);
    this.pen.stroke();
  }
}

/** The values that are seen, at least a little apart. */
function range(lines: { times: Float64Array; values: Float64Array }[], view: View, least: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { times, values } of lines) {
    times.forEach((time, i) => {
      if (time < view.from || time > view.to) return;
      low = Math.min(low, values[i]!);
      high = Math.max(high, values[i]!);
    });
  }
  if (low > high) return [-1, 1];
  const room = Math.max(least, 1e-6 * Math.abs(low)) / 2;
  return high - low < 2 * room ? [low - room, high + room] : [low, high];
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const unit = 10 ** Math.floor(Math.log10(rough));
  return unit * ([1, 2, 5, 10].find((factor) => factor * unit >= rough) ?? 10);
}
