// How files are packed: what the panel offers, and the same as a command line.

export const STORAGES = ["core", "quantization", "draco", "meshopt", "stream"] as const;
export type Storage = (typeof STORAGES)[number];
export const LEVELS = ["fast", "default", "max"] as const;
export type Level = (typeof LEVELS)[number];

export interface Settings {
  /** As `--max-error` takes it: `0.01%`, `0.5mm`. */
  readonly bound: string;
  readonly storage: Storage | "smallest";
  readonly level: Level;
  /** As `--max-property-error` takes it. */
  readonly propertyBound: string;
  /** Tracks that are left alone: patterns of `--keep`. */
  readonly keep: readonly string[];
}

export const DEFAULTS: Settings = { bound: "0.01%", storage: "core", level: "default", propertyBound: "0.001", keep: [] };

/** The stops of the slider. */
export const BOUNDS = ["0.001%", "0.002%", "0.005%", "0.01%", "0.02%", "0.05%", "0.1%", "0.2%", "0.5%", "1%"] as const;

/** What is not as it would be anyway, as options of `keyfold pack`. */
function options({ bound, storage, level, propertyBound, keep }: Settings): string[] {
  const said: string[] = [];
  if (bound !== DEFAULTS.bound) said.push("--max-error", bound);
  if (storage !== DEFAULTS.storage) said.push("--storage", storage);
  if (level !== DEFAULTS.level) said.push("--level", level);
  if (propertyBound !== DEFAULTS.propertyBound) said.push("--max-property-error", propertyBound);
  return [...said, ...keep.flatMap((pattern) => ["--keep", pattern])];
}

/** What a packed file is called: beside its original, in one file of its own. */
export function packedName(name: string): string {
  const [, stem, extension] = /^(.*?)(\.[^.]*)?$/.exec(name)!;
  return `${stem}.packed${extension === ".gltf" || !extension ? ".glb" : extension}`;
}

/** The command that packs a file so; it is what the page runs, and what it offers to copy. */
export function packCommand(name: string, settings: Settings): string[] {
  return ["pack", name, "-o", packedName(name), ...options(settings)];
}

/** A command line for a shell. */
export function shellLine(args: string[]): string {
  const quoted = (arg: string): string => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`);
  return ["keyfold", ...args].map(quoted).join(" ");
}

/** Settings as a name for what comes of them. */
export function keyOf(settings: Settings): string {
  return JSON.stringify([settings.bound, settings.storage, settings.level, settings.propertyBound, settings.keep]);
}
