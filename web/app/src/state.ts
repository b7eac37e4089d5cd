// What the page knows and what it shows.

import type { Source } from "./open/source.js";
import type { Look, OverTime, Packed } from "./program/tasks.js";
import { DEFAULTS, type Settings } from "./settings.js";
import { Store } from "./store.js";

export type Tab = "player" | "curves";
export type Layout = "side" | "divider";
export type Rotations = "euler" | "quaternion" | "angle";

/** What went wrong, in words, with its place in the file. */
export interface Trouble {
  title: string;
  message: string;
  at: string;
}

export interface State {
  /** What was opened together: one of them is looked at. */
  readonly sources: readonly Source[];
  readonly source: Source | null;
  /** What the program says of the original. */
  readonly look: Look | null;
  readonly trouble: Trouble | null;
  /** What cannot be shown of a file that can. */
  readonly notes: readonly string[];
  readonly busy: string | null;

  readonly settings: Settings;
  readonly packed: Packed | null;
  /** How far packing is, from 0 to 1; nothing where it does not go on. */
  readonly progress: number | null;
  readonly packTrouble: Trouble | null;
  /** What the packed file takes after gzip. */
  readonly gzip: { before: number | null; after: number | null };

  readonly tab: Tab;
  readonly animation: number;
  readonly time: number;
  readonly playing: boolean;
  readonly speed: number;
  readonly loop: boolean;
  readonly layout: Layout;
  /** Where the divider is, from 0 to 1. */
  readonly divider: number;
  readonly mesh: boolean;
  readonly wireframe: boolean;
  readonly skeleton: boolean;
  readonly heat: boolean;
  readonly ghost: boolean;
  readonly exaggerate: number;

  /** Error over time and tracks of the animation that is looked at, of the original and what is beside it. */
  readonly overTime: OverTime | null;
  readonly chosen: readonly string[];
  readonly rotations: Rotations;
}

export const store = new Store<State>({
  sources: [],
  source: null,
  look: null,
  trouble: null,
  notes: [],
  busy: null,
  settings: DEFAULTS,
  packed: null,
  progress: null,
  packTrouble: null,
  gzip: { before: null, after: null },
  tab: "player",
  animation: 0,
  time: 0,
  playing: false,
  speed: 1,
  loop: true,
  layout: "side",
  divider: 0.5,
  mesh: true,
  wireframe: false,
  skeleton: true,
  heat: true,
  ghost: false,
  exaggerate: 1,
  overTime: null,
  chosen: [],
  rotations: "euler",
});

/** The animation that is looked at. */
export function animationOf({ look, animation }: State): Look["animations"][number] | undefined {
  return look?.animations[animation];
}

/** Sets the clock: within the animation, around its end where it loops. */
export function seek(time: number): void {
  const end = animationOf(store.now)?.duration ?? 0;
  store.set({ time: Math.min(Math.max(time, 0), end) });
}
