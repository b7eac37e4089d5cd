// `inspect`: what a file's animations are and what they weigh, in the shape of `keyfold inspect --json`; and `isPacked`.

import { Target } from "./address.js";
import { open } from "./container.js";
import { Decoder } from "./decoder.js";
import { asKeyfoldError, throwIfAborted } from "./error.js";
import { Json, Look } from "./look.js";
import { OURS } from "./names.js";
import { Channel, Reader } from "./reader.js";
import { Budget, Storage } from "./storage.js";
import { Options, bufferLoader, memoryOf } from "./unpack.js";

/** What `inspect` tells of a file. */
export interface Inspection {
  /** The file's size. */
  bytes: number;
  extensions: { used: string[]; required: string[] };
  animations: AnimationSummary[];
}

export interface AnimationSummary {
  index: number;
  name: string | null;
  /** When its last key is, in seconds. */
  duration: number;
  keys: number;
  tracks: TrackSummary[];
}

export interface TrackSummary {
  /** What it drives, as a JSON pointer; one axis is `/nodes/3/translation.x`. */
  target: string;
  interpolation: string;
  keys: number;
  storage: string;
}

/** What a file's animations are. */
export async function inspect(bytes: Uint8Array, options: Options = {}): Promise<Inspection> {
  try {
    const opened = open(bytes);
    const root = Look.root(opened.json);
    const decoder = await Decoder.create();
    const storage = new Storage(root, decoder, bufferLoader(opened, options), new Budget(memoryOf(options)));
    const reader = new Reader(root, storage, decoder);
    await reader.open();
    const animations: AnimationSummary[] = [];
    for (const animation of root.list("animations")) {
      throwIfAborted(options.signal);
      animations.push(await summary(reader, animation, animations.length));
    }
    const names = (key: string): string[] => root.list(key).values.filter((name) => typeof name === "string");
    const extensions = { used: names("extensionsUsed"), required: names("extensionsRequired") };
    return { bytes: bytes.length, extensions, animations };
  } catch (error) {
    throw asKeyfoldError(error);
  }
}

async function summary(reader: Reader, animation: Look, index: number): Promise<AnimationSummary> {
  const tracks: TrackSummary[] = [];
  let duration = 0;
  for (const object of reader.channels(animation)) {
    const channel = reader.channel(animation, object);
    if (!channel) continue;
    const { times, interpolation } = await reader.curve(channel);
    duration = Math.max(duration, times.at(-1)!);
    tracks.push(...channel.address.targets.map((target) => track(channel, target, interpolation, times.length)));
  }
  const name: Json = animation.get("name");
  const keys = tracks.reduce((sum, track) => sum + track.keys, 0);
  return { index, name: typeof name === "string" ? name : null, duration, keys, tracks };
}

function track(channel: Channel, target: Target, interpolation: string, keys: number): TrackSummary {
  return { target: spelled(target), interpolation, keys, storage: channel.storage };
}

function spelled({ pointer, node, property, part }: Target): string {
  if (pointer !== undefined) return part === undefined ? pointer : `${pointer}/${part}`;
  return `/nodes/${node}/${property}${part === undefined ? "" : `.${"xyz"[part]}`}`;
}

/** Whether a file's animations need this package to be played: whether it uses a storage that no loader knows by itself. Quick, and without
 * WebAssembly. */
export function isPacked(bytes: Uint8Array): boolean {
  const used: Json[] = Look.root(open(bytes).json).list("extensionsUsed").values;
  return used.some((name) => OURS.includes(name));
}
