// `keyfold/clip`: plays runtime clips (`.kfc`, docs/kfc.md) from their packed bytes, a pose at a time.

import { Border, type Exports } from "./border.js";
import { KeyfoldError, asKeyfoldError } from "./error.js";
import { lazyModule } from "./inline.js";
import wasm from "./generated/clip.wasm";

export { KeyfoldError } from "./error.js";

interface ClipExports extends Exports {
  clip_open(memory: number): number;
  clip_sample(clip: number, time: number): number;
  clip_close(clip: number): void;
}

const FORMS = ["constant", "step", "keyed"] as const;

/** What a clip drives, and where its value stands in a pose. */
export interface ClipTrack {
  /** A JSON pointer; one axis is `/nodes/3/translation.x`. */
  target: string;
  form: (typeof FORMS)[number];
  /** The first of its floats in a pose. */
  offset: number;
  /** How many they are. */
  width: number;
}

export interface ClipOptions {
  limits?: {
    /** Bytes that an opened clip may take besides its own; 64 MiB and eight times its length where it is not said. */
    memory?: number;
  };
}

const compiled = lazyModule(() => wasm);

/** All clips live in one instance: browsers grant few memories. Where it ended itself for lack of memory, the next clip gets another. */
let shared: Promise<Border<ClipExports>> | undefined;

/** Clips that nobody can reach any more give their memory back. */
const forgotten = new FinalizationRegistry(({ border, number }: Held) => border.exports.clip_close(number));

interface Held {
  border: Border<ClipExports>;
  number: number;
}

/** Opens a clip, which is checked once. */
export async function openClip(bytes: Uint8Array, { limits }: ClipOptions = {}): Promise<Clip> {
  try {
    const border = await (shared ??= compiled().then((module) => Border.create<ClipExports>(module)));
    const memory = limits?.memory ?? 8 * bytes.length + 64 * 1024 * 1024;
    return new Clip(border, border.call("", [bytes], (exports) => exports.clip_open(memory)));
  } catch (error) {
    const wrong = asKeyfoldError(error);
    if (wrong.code !== "malformed") shared = undefined;
    throw wrong;
  }
}

/** An opened clip. Whoever plays it holds the pose. */
export class Clip {
  /** The animation's name. */
  readonly name: string | null;
  /** Its number in the file that it came from. */
  readonly index: number;
  /** Seconds from the start to the last key. */
  readonly duration: number;
  readonly keys: number;
  readonly tracks: readonly ClipTrack[];
  /** How many floats a pose has. */
  readonly poseLength: number;
  private readonly held: Held;
  /** Where the module leaves the pose; made again when its memory has moved. */
  private place = new Float32Array();

  /** @internal */
  constructor(border: Border<ClipExports>, described: Uint8Array<ArrayBuffer>) {
    const view = new DataView(described.buffer);
    let at = 0;
    const word = (): number => view.getUint32((at += 4) - 4, true);
    const text = (): string => {
      const length = word();
      return new TextDecoder().decode(described.subarray(at, (at += length)));
    };
    this.held = { border, number: word() };
    this.index = word();
    this.keys = word();
    this.duration = view.getFloat32((at += 4) - 4, true);
    const count = word();
    this.name = text() || null;
    let offset = 0;
    this.tracks = Array.from({ length: count }, (): ClipTrack => {
      const [form, width] = [FORMS[word()]!, word()];
      offset += width;
      return { target: text(), form, offset: offset - width, width };
    });
    this.poseLength = offset;
    forgotten.register(this, this.held, this);
  }

  /** Writes the values of all tracks at a time into `pose`, which has room for `poseLength` floats. Before the start and behind the end it is the
   * pose of the first and of the last key. Nothing is allocated. */
  sample(time: number, pose: Float32Array): void {
    if (pose.length < this.poseLength) throw new KeyfoldError("usage", `a pose of this clip has ${this.poseLength} floats, ${pose.length} are given`);
    const { exports } = this.held.border;
    const start = exports.clip_sample(this.held.number, time);
    if (start === 0) throw new KeyfoldError("usage", "the clip is closed");
    if (this.place.buffer !== exports.memory.buffer || this.place.byteOffset !== start) {
      this.place = new Float32Array(exports.memory.buffer, start, this.poseLength);
    }
    pose.set(this.place);
  }

  /** Gives the clip's memory back at once. Clips that are forgotten give it back by themselves, some time. */
  close(): void {
    if (!forgotten.unregister(this)) return;
    this.held.border.exports.clip_close(this.held.number);
    this.held.number = 0xffff_ffff;
  }
}
