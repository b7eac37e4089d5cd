// The graph: what part is seen, what the cursor reads, and the values that are asked of the program for it.

import { choice } from "../controls.js";
import { at, h } from "../dom.js";
import { significant } from "../format.js";
import { lanes } from "../program/client.js";
import type { Files, Lines, TrackReport } from "../program/tasks.js";
import { targetName } from "../sizes/weights.js";
import { animationOf, store } from "../state.js";
import { Plot, type View } from "./plot.js";
import { type Trace, tracesOf, valueAt } from "./traces.js";

/** Values between keys are asked for at so many times; keys come in addition, as long as there are not more than that. */
const EVEN = 500;
const KEYS = 1500;
const READ = 12;

export function mountGraph(): void {
  const canvas = h("canvas", { id: "graph-canvas", tabindex: 0, role: "application", "aria-label": "Curves. Arrow keys move the cursor, with Shift the view; plus and minus zoom; 0 shows all." });
  const readout = h("div", { id: "readout", class: "number", "aria-live": "off" });
  const fit = h("button", { type: "button", id: "fit-graph" }, "Show all");
  const rotations = choice("Rotations as", "rotations", [["euler", "Euler angles"], ["quaternion", "quaternion"], ["angle", "angle"]]);
  const legend = h("span", { class: "soft" }, "wide: original ◇, thin: packed ◆");
  at("graph").append(h("div", { class: "row" }, rotations, fit, legend), h("div", { class: "paper" }, canvas), readout);

  const plot = new Plot(canvas);
  let view: View = { from: 0, to: 1, stretch: 1, shift: 0 };
  let cursor: number | null = null;
  let traces: Trace[] = [];
  let scheduled = false;
  const draw = (): void => {
    if (scheduled || store.now.tab !== "curves") return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      plot.draw(traces, view, cursor, store.now.time);
      readout.replaceChildren(...read(traces, cursor ?? store.now.time));
    });
  };
  const end = (): number => animationOf(store.now)?.duration || 1;
  const move = (next: Partial<View>): void => {
    const wide = Math.min(Math.max((next.to ?? view.to) - (next.from ?? view.from), end() / 5000), 1.2 * end());
    const from = Math.min(Math.max(next.from ?? view.from, -0.1 * end()), 1.1 * end() - wide);
    view = { ...view, ...next, from, to: from + wide };
    draw();
    ask();
  };
  const all = (): void => move({ from: -0.02 * end(), to: 1.02 * end(), stretch: 1, shift: 0 });
  const zoom = (factor: number, around: number): void => move({ from: around + (view.from - around) * factor, to: around + (view.to - around) * factor });
  const shiftTime = (part: number): void => move({ from: view.from + part * (view.to - view.from), to: view.to + part * (view.to - view.from) });
  fit.addEventListener("click", all);

  let [asking, again] = [false, false];
  /** Asks for values of what is seen; while an answer is awaited, only the newest question is kept. */
  const ask = (): void => {
    if (asking) return void (again = true);
    asking = true;
    void fetchTraces(view).then((found) => {
      if (found) traces = found;
      draw();
    }, () => {}).finally(() => {
      asking = false;
      if (again) [again] = [false], ask();
    });
  };

  mountPointer(canvas, { plot, view: () => view, move, zoom, hover: (time) => ((cursor = time), draw()), all });
  canvas.addEventListener("keydown", (event) => {
    const wide = view.to - view.from;
    const at = cursor ?? store.now.time;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? shiftTime(-0.1) : ((cursor = Math.max(0, at - wide / 100)), draw())),
      ArrowRight: () => (event.shiftKey ? shiftTime(0.1) : ((cursor = Math.min(end(), at + wide / 100)), draw())),
      ArrowUp: () => move({ shift: view.shift + 0.1 }),
      ArrowDown: () => move({ shift: view.shift - 0.1 }),
      "+": () => zoom(0.8, at), "=": () => zoom(0.8, at), "-": () => zoom(1.25, at), "0": all,
      "*": () => move({ stretch: view.stretch * 1.25 }), "/": () => move({ stretch: view.stretch / 1.25 }),
      Enter: () => store.set({ time: at, playing: false }),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });

  store.watch(["animation", "source", "look"], all);
  store.watch(["chosen", "overTime", "tab"], () => store.now.tab === "curves" && ask());
  store.watch(["rotations"], () => ask());
  store.watch(["time"], draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  new ResizeObserver(draw).observe(canvas);
}

/** Exact values of what is seen, from the program. */
async function fetchTraces(view: View): Promise<Trace[] | null> {
  const { source, packed, animation, chosen, overTime, rotations } = store.now;
  if (!source || chosen.length === 0) return [];
  const report = new Map((overTime?.tracks ?? []).map((track) => [track.target, track]));
  const times = timesOf(view, chosen.flatMap((target) => report.get(target) ?? []), animationOf(store.now)?.duration ?? 0);
  const lines = (files: Files | undefined | null): Promise<Lines | null> =>
    files ? lanes.look.ask("lines", { files, animation, targets: [...chosen], times }).catch(() => null) : Promise.resolve(null);
  const [a, b] = [await lines(source.files), await lines(packed?.files ?? source.clip)];
  if (store.now.source !== source || store.now.animation !== animation) return null;
  return tracesOf(chosen, report, (target) => targetName(target, source.json), [a, b], rotations);
}

/** Even times in view, and the keys among them; steps are seen from both sides. */
function timesOf({ from, to }: View, tracks: TrackReport[], duration: number): number[] {
  const [start, end] = [Math.max(0, from), Math.min(duration, to)];
  const times = new Set(Array.from({ length: EVEN }, (_, i) => start + ((end - start) * i) / (EVEN - 1)));
  const keys = tracks.flatMap(({ before, after }) => [before, after].flatMap((side) =>
    side ? [...side.times].flatMap((time) => (side.interpolation === "STEP" ? [time - 1e-6 * Math.max(1, duration), time] : [time])) : []));
  const seen = [...new Set(keys)].filter((time) => time >= start && time <= end);
  if (seen.length <= KEYS) seen.forEach((time) => times.add(time));
  return [...times].sort((a, b) => a - b);
}

/** What the curves are at the cursor. */
function read(traces: Trace[], time: number): HTMLElement[] {
  const rows = traces.slice(0, READ).map(({ name, component, unit, color, times, before, after }) => {
    const [a, b] = [before, after].map((line) => line && valueAt(times, line.values, time));
    const shown = (value: number): string => significant(value, 5);
    const both = a !== null && a !== undefined && b !== null && b !== undefined;
    const text = both ? `${shown(a)} → ${shown(b)} (${b >= a ? "+" : ""}${significant(b - a, 2)})` : shown((a ?? b)!);
    return h("span", {}, h("b", { style: { color: `var(${color})` } }, component), ` ${name} ${text}${unit === "°" ? "°" : ""}`);
  });
  const more = traces.length > READ ? [h("span", { class: "soft" }, `and ${traces.length - READ} more`)] : [];
  return traces.length > 0 ? [h("span", { class: "soft" }, `${time.toFixed(3)} s`), ...rows, ...more] : [h("span", { class: "soft" }, "Choose tracks to see their curves.")];
}

interface Hand {
  plot: Plot;
  view(): View;
  move(next: Partial<View>): void;
  zoom(factor: number, around: number): void;
  hover(time: number | null): void;
  all(): void;
}

/** Wheel, drag, pinch. */
function mountPointer(canvas: HTMLCanvasElement, { plot, view, move, zoom, hover, all }: Hand): void {
  const fingers = new Map<number, PointerEvent>();
  const apart = (): number => {
    const [one, other] = [...fingers.values()];
    return one && other ? Math.abs(one.offsetX - other.offsetX) : 0;
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const factor = Math.exp(event.deltaY / 500);
    if (event.shiftKey) move({ stretch: Math.min(Math.max(view().stretch / factor, 0.1), 1e6) });
    else zoom(factor, plot.timeAt(event.offsetX, view()));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    hover(plot.timeAt(event.offsetX, view()));
    if (!last) return;
    const before = apart();
    fingers.set(event.pointerId, event);
    if (fingers.size === 2 && before > 8 && apart() > 8) return zoom(before / apart(), plot.timeAt(event.offsetX, view()));
    if (fingers.size !== 1) return;
    const shift = plot.timeAt(last.offsetX, view()) - plot.timeAt(event.offsetX, view());
    const up = ((event.offsetY - last.offsetY) / canvas.clientHeight) * 2;
    move({ from: view().from + shift, to: view().to + shift, shift: view().shift + up });
  });
  for (const gone of ["pointerup", "pointercancel"] as const) canvas.addEventListener(gone, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => hover(null));
  canvas.addEventListener("dblclick", all);
}
