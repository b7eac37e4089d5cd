// Packs what is looked at whenever its settings change, and asks for what there is to know about the result. Results are kept: going back costs nothing.

import { Ended, TaskError, lanes } from "./program/client.js";
import type { Look, Packed } from "./program/tasks.js";
import { keyOf, packCommand, packedName } from "./settings.js";
import { type State, type Trouble, store } from "./state.js";

/** So many results of one file are kept; their bytes are the browser's to store. */
const KEPT = 24;
/** The slider may pass over many stops: only where it rests is packed. */
const PAUSE = 120;

const results = new Map<string, Packed>();
const looks = new WeakMap<Packed, Promise<Look>>();
let control: AbortController | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What went wrong, for people. */
export function troubleOf(title: string, error: unknown): Trouble {
  if (error instanceof TaskError) return { title, ...error.trouble };
  return { title, message: error instanceof Error ? error.message : String(error), at: "" };
}

/** Whether there is something to pack. */
export function packable({ source }: State): boolean {
  return Boolean(source?.json) && !source?.clip;
}

/** Ends what goes on. */
export function cancel(): void {
  clearTimeout(timer);
  control?.abort();
  control = undefined;
  store.set({ progress: null });
}

/** Packs again, also what was cancelled before. */
export function pack(): void {
  cancel();
  const { source, settings } = store.now;
  if (!source || !packable(store.now)) return;
  const key = keyOf(settings);
  const known = results.get(key);
  if (known) return store.set({ packed: known, packTrouble: null });
  store.set({ progress: 0, packTrouble: null });
  timer = setTimeout(() => void run(key), PAUSE);
}

async function run(key: string): Promise<void> {
  const { source, settings } = store.now;
  const mine = (control = new AbortController());
  const { files } = source!;
  try {
    const input = { files, args: packCommand(files.name, settings), output: packedName(files.name) };
    const packed = await lanes.pack.ask("pack", input, { signal: mine.signal, onProgress: (progress) => mine === control && store.set({ progress }) });
    if (store.now.source !== source) return;
    keep(key, packed);
    if (mine === control) store.set({ packed, progress: null });
  } catch (error) {
    if (error instanceof Ended || mine !== control) return;
    store.set({ progress: null, packed: null, packTrouble: troubleOf("It could not be packed", error) });
  }
}

function keep(key: string, packed: Packed): void {
  results.set(key, packed);
  const [oldest] = results.keys();
  if (results.size > KEPT) results.delete(oldest!);
}

/** What `inspect` and `validate` say of what was packed. */
export function lookAt(packed: Packed): Promise<Look> {
  const known = looks.get(packed) ?? lanes.look.ask("look", { files: packed.files });
  looks.set(packed, known);
  return known;
}

export function mountPacking(): void {
  store.watch(["source"], ({ source }) => {
    results.clear();
    store.set({ packed: null, overTime: null, gzip: { before: null, after: null } });
    const main = source?.files.entries[0]?.[1];
    if (main) void gzip("before", main, () => store.now.source === source);
  });
  store.watch(["source", "settings"], () => pack());
  store.watch(["packed"], ({ packed }) => {
    store.set({ gzip: { ...store.now.gzip, after: null } });
    if (packed) void gzip("after", packed.files.entries[0]![1], () => store.now.packed === packed);
  });
  store.watch(["source", "packed", "packTrouble", "animation", "look"], () => void overTime());
}

async function gzip(which: "before" | "after", contents: Blob, wanted: () => boolean): Promise<void> {
  const size = await lanes.look.ask("gzip", { contents }).catch(() => null);
  if (wanted()) store.set({ gzip: { ...store.now.gzip, [which]: size } });
}

let asked = "";

/** Error over time, once there is something to hold against the original, or once it is known that there will not be. */
async function overTime(): Promise<void> {
  const { source, packed, packTrouble, animation, look } = store.now;
  if (!source?.json || !look?.animations[animation] || (!packed && !packTrouble && !source.clip)) return;
  const other = packed?.files ?? source.files;
  const key = `${source.files.name} ${animation} ${packed ? keyOf(store.now.settings) : ""}`;
  if (key === asked && store.now.overTime) return;
  asked = key;
  try {
    const overTime = await lanes.look.ask("overTime", { a: source.files, b: other, animation });
    if (asked === key && store.now.source === source) store.set({ overTime });
  } catch (error) {
    if (asked === key) store.set({ notes: [...store.now.notes, `Errors over time cannot be told: ${troubleOf("", error).message}`] });
  }
}
