// The state of the page in its address, so that a link shows what one sees. The file itself is never in it.

import { LEVELS, STORAGES, type Settings } from "./settings.js";
import { type State, store } from "./state.js";

const FLAGS = ["mesh", "wireframe", "skeleton", "heat", "ghost", "loop"] as const;

/** The address's part after `#`; what is as it would be anyway is left out. */
function spelled(state: State, usual: State): string {
  const said = new URLSearchParams();
  const put = (name: string, value: string | number, normal: string | number): void => {
    if (value !== normal) said.set(name, String(value));
  };
  if (state.source?.sample) said.set("sample", state.source.sample);
  put("error", state.settings.bound, usual.settings.bound);
  put("storage", state.settings.storage, usual.settings.storage);
  put("level", state.settings.level, usual.settings.level);
  put("property", state.settings.propertyBound, usual.settings.propertyBound);
  put("keep", state.settings.keep.join(" "), "");
  put("animation", state.animation, 0);
  if (!state.playing) put("time", Number(state.time.toFixed(3)), 0);
  for (const name of ["tab", "layout", "rotations", "exaggerate", "speed"] as const) put(name, state[name], usual[name]);
  for (const flag of FLAGS) put(flag, Number(state[flag]), Number(usual[flag]));
  put("tracks", state.chosen.join(" "), "");
  return said.toString();
}

function one<Value extends string>(told: string | null, all: readonly Value[], usual: Value): Value {
  return all.find((value) => value === told) ?? usual;
}

/** What an address says; what it does not say, or what means nothing, stays. */
function read(address: string, usual: State): Partial<State> {
  const told = new URLSearchParams(address);
  const number = (name: string, normal: number): number => {
    const value = Number(told.get(name) ?? Number.NaN);
    return Number.isFinite(value) && value >= 0 ? value : normal;
  };
  const settings: Settings = {
    bound: told.get("error") ?? usual.settings.bound,
    storage: one(told.get("storage"), [...STORAGES, "smallest"], usual.settings.storage),
    level: one(told.get("level"), LEVELS, usual.settings.level),
    propertyBound: told.get("property") ?? usual.settings.propertyBound,
    keep: told.get("keep")?.split(" ").filter(Boolean) ?? usual.settings.keep,
  };
  const flags = Object.fromEntries(FLAGS.filter((flag) => told.has(flag)).map((flag) => [flag, told.get(flag) === "1"]));
  return {
    settings,
    ...flags,
    animation: Math.floor(number("animation", 0)),
    time: number("time", 0),
    speed: number("speed", 1),
    exaggerate: [1, 10, 100].find((times) => times === number("exaggerate", 1)) ?? 1,
    tab: one(told.get("tab"), ["player", "curves"], usual.tab),
    layout: one(told.get("layout"), ["side", "divider"], usual.layout),
    rotations: one(told.get("rotations"), ["euler", "quaternion", "angle"], usual.rotations),
    chosen: told.get("tracks")?.split(" ").filter(Boolean) ?? [],
  };
}

/** Takes the state from the address, and keeps the address up with it; the sample that it names. */
export function mountAddress(): string | null {
  const usual = store.now;
  const told = location.hash.slice(1);
  if (told) store.set(read(told, usual));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = (): void => {
    const said = spelled(store.now, usual);
    history.replaceState(null, "", said ? `#${said}` : location.pathname + location.search);
  };
  const keys: (keyof State)[] = ["source", "settings", "animation", "playing", "time", "tab", "layout", "rotations", "exaggerate", "speed", "chosen", ...FLAGS];
  store.watch(keys, (state) => {
    // Browsers allow few changes a second.
    clearTimeout(timer);
    if (state.source) timer = setTimeout(write, 300);
  });
  return new URLSearchParams(told).get("sample");
}
