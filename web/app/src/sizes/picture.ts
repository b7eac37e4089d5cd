// Size against bound as a picture, with the slider on it.

import { at, h, svg, token } from "../dom.js";
import { bytes } from "../format.js";
import { BOUNDS, STORAGES, type Settings } from "../settings.js";
import { store } from "../state.js";
import { type Point, TOTAL, pointKey, series, startSeries, stopSeries } from "./series.js";

const [WIDTH, HEIGHT] = [380, 180];
const AREA = { left: 52, right: 8, top: 8, bottom: 18 };

const across = (index: number): number => AREA.left + (index / (BOUNDS.length - 1)) * (WIDTH - AREA.left - AREA.right);

/** Where on the slider a bound lies; between two stops, where it is one of neither. */
function placeOf(bound: string): number | null {
  const exact = (BOUNDS as readonly string[]).indexOf(bound);
  if (exact >= 0) return exact;
  const share = /^([\d.]+)\s*%$/.exec(bound);
  if (!share) return null;
  const next = BOUNDS.findIndex((stop) => parseFloat(stop) >= Number(share[1]));
  return next < 0 ? BOUNDS.length - 1 : next;
}

export function mountPicture(): void {
  const change = (settings: Partial<Settings>): void => store.set({ settings: { ...store.now.settings, ...settings } });
  const drawing = h("div");
  const slider = h("input", { type: "range", id: "bound-slider", min: 0, max: BOUNDS.length - 1, step: 1, "aria-label": "Largest error allowed, as a share of the model's size" });
  slider.addEventListener("input", () => change({ bound: BOUNDS[Number(slider.value)]! }));
  const ticks = h("div", { class: "ticks", "aria-hidden": "true" }, ...["0.001 %", "0.01 %", "0.1 %", "1 %"].map((text) => h("span", {}, text)));
  // The thumb moves over the picture's own area.
  const indent = { "margin-left": `${(100 * AREA.left) / WIDTH - 2}%`, "margin-right": `${(100 * AREA.right) / WIDTH - 2}%` };
  const state = h("div", { class: "row soft", id: "series-state" });
  const table = h("details", {}, h("summary", {}, "As a table"));
  at("picture").append(drawing, h("div", { style: indent }, slider, ticks), state, table);

  const draw = (): void => {
    const { bound } = store.now.settings;
    const place = placeOf(bound);
    if (place !== null) slider.value = String(place);
    slider.setAttribute("aria-valuetext", bound);
    drawing.replaceChildren(picture(place));
    table.replaceChildren(h("summary", {}, "As a table"), asTable());
    state.replaceChildren(...told());
  };
  store.watch(["settings", "packed"], draw);
  series.watch(["points", "running", "waits"], draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

/** What is being computed, and what can be done about it. */
function told(): (HTMLElement | string)[] {
  const { points, running, waits } = series.now;
  if (running) return [`${points.size} of ${TOTAL} sizes known`, h("button", { type: "button", onclick: stopSeries }, "Stop")];
  if (points.size >= TOTAL || points.size === 0) return [];
  const start = h("button", { type: "button", onclick: () => void startSeries() }, "Compute the rest");
  return [waits ? "Packing this file takes a while." : `${points.size} of ${TOTAL} sizes known`, start];
}

/** A round number at or above. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((factor) => factor * unit).find((round) => round >= value)!;
}

function picture(place: number | null): SVGElement {
  const { points } = series.now;
  const { storage, bound } = store.now.settings;
  const largest = roundUp(Math.max(1, ...[...points.values()].map(({ gzip }) => gzip)));
  const down = (value: number): number => HEIGHT - AREA.bottom - (value / largest) * (HEIGHT - AREA.top - AREA.bottom);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": summary() });
  for (const part of [0, 0.5, 1]) {
    drawing.append(
      svg("line", { class: "axis", x1: AREA.left, x2: WIDTH - AREA.right, y1: down(part * largest), y2: down(part * largest) }),
      svg("text", { x: AREA.left - 6, y: down(part * largest) + 4, "text-anchor": "end" }, bytes(part * largest)),
    );
  }
  if (place !== null) drawing.append(svg("line", { class: "chosen", x1: across(place), x2: across(place), y1: AREA.top, y2: HEIGHT - AREA.bottom }));
  for (const name of STORAGES) {
    const known = BOUNDS.flatMap((stop, i) => {
      const point = points.get(pointKey(name, stop));
      return point ? [[across(i), down(point.gzip), stop] as const] : [];
    });
    const color = token(`--${name}`);
    const strong = name === storage;
    drawing.append(svg("polyline", { points: known.map(([x, y]) => `${x},${y}`).join(" "), fill: "none", stroke: color, "stroke-width": strong ? 2.5 : 1.5, "stroke-linejoin": "round" }));
    for (const [x, y, stop] of known) drawing.append(svg("circle", { cx: x, cy: y, r: strong && stop === bound ? 5 : 2.5, fill: color }));
  }
  drawing.append(svg("text", { x: AREA.left, y: HEIGHT - 3 }, "animations after gzip, against the bound"));
  return drawing;
}

/** The same in words. */
function summary(): string {
  const { bound } = store.now.settings;
  const now = STORAGES.flatMap((storage) => {
    const point = series.now.points.get(pointKey(storage, bound));
    return point ? [`${storage} ${bytes(point.gzip)}`] : [];
  });
  return `Size of the animations after gzip against the bound, for each storage. At ${bound}: ${now.join(", ") || "not known yet"}.`;
}

function asTable(): HTMLTableElement {
  const cell = (point: Point | undefined): string => (point ? bytes(point.gzip) : "–");
  const rows = BOUNDS.map((bound) => h("tr", {}, h("th", { scope: "row" }, bound), ...STORAGES.map((storage) => h("td", {}, cell(series.now.points.get(pointKey(storage, bound)))))));
  return h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "bound"), ...STORAGES.map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...rows));
}
