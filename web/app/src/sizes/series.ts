// Size against bound for every storage: one pack after the other in the background, the ends and the middle first, what lies between them later.

import { Ended, lanes } from "../program/client.js";
import type { PackReport } from "../program/tasks.js";
import { BOUNDS, STORAGES, type Settings, type Storage, packCommand } from "../settings.js";
import { type State, store } from "../state.js";
import { Store } from "../store.js";
import { packable } from "../packing.js";

/** What a bound comes to in a storage. */
export interface Point {
  bytes: number;
  gzip: number;
}

export interface Series {
  readonly points: ReadonlyMap<string, Point>;
  readonly running: boolean;
  /** Where packing takes long, whoever looks decides. */
  readonly waits: boolean;
}

export const series = new Store<Series>({ points: new Map(), running: false, waits: false });
export const TOTAL = BOUNDS.length * STORAGES.length;

/** Coarse first. */
const ORDER = [3, 9, 0, 6, 1, 8, 4, 7, 2, 5];
/** Animations, or files, that take more bytes than this are not packed fifty times over unasked. */
const LARGE = { animations: 2 << 20, file: 16 << 20 };

export const pointKey = (storage: string, bound: string): string => `${storage} ${bound}`;

let control: AbortController | undefined;

/** What everything but bound and storage is: another picture for each. */
const rest = ({ level, propertyBound, keep }: Settings): string => JSON.stringify([level, propertyBound, keep]);

function add(storage: string, bound: string, report: PackReport): void {
  const mine = report.candidates.find((candidate) => candidate.storage === storage && !candidate.quick);
  if (!mine) return;
  const points = new Map(series.now.points).set(pointKey(storage, bound), { bytes: mine.animation_bytes, gzip: mine.gzip_bytes });
  series.set({ points });
}

export function stopSeries(): void {
  control?.abort();
  control = undefined;
  series.set({ running: false });
}

/** Computes what is not known yet. */
export async function startSeries(): Promise<void> {
  stopSeries();
  const mine = (control = new AbortController());
  series.set({ running: true, waits: false });
  const { source, settings } = store.now;
  try {
    for (const [bound, storage] of ORDER.flatMap((i) => STORAGES.map((storage) => [BOUNDS[i]!, storage] as const))) {
      if (series.now.points.has(pointKey(storage, bound))) continue;
      await lone(source!.files, { ...settings, bound, storage }, mine.signal);
    }
  } catch (error) {
    if (!(error instanceof Ended)) series.set({ waits: false });
  }
  if (mine === control) series.set({ running: false });
}

async function lone(files: NonNullable<State["source"]>["files"], settings: Settings, signal: AbortSignal): Promise<void> {
  const args = packCommand(files.name, settings);
  const report = await lanes.background.ask("size", { files, args }, { signal });
  if (!signal.aborted) add(settings.storage, settings.bound, report);
}

export function mountSeries(): void {
  let known = "";
  store.watch(["source", "settings"], ({ source, settings }) => {
    const key = `${source?.files.name} ${source?.bytes} ${rest(settings)}`;
    if (key === known) return;
    known = key;
    stopSeries();
    series.set({ points: new Map(), waits: false });
  });
  store.watch(["packed"], (state) => {
    const { packed, settings } = state;
    if (!packed || !packable(state)) return;
    add(packed.report.storage as Storage, settings.bound, packed.report);
    if (series.now.running || series.now.points.size >= TOTAL) return;
    const { animation_bytes: animations, bytes } = packed.report;
    if (animations.before > LARGE.animations || bytes.before > LARGE.file) series.set({ waits: true });
    else void startSeries();
  });
}
