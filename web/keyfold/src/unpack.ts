// `unpack`: a file with any storage as a GLB in plain core glTF, for any loader.

import { Opened, open, padded, toGlb } from "./container.js";
import { KeyfoldError, asKeyfoldError, malformed, throwIfAborted } from "./error.js";
import { Json, Look, isObject } from "./look.js";
import { VIEW_CODECS } from "./names.js";
import { makePlain } from "./plain.js";
import { LoadBuffer } from "./storage.js";

/** What is asked of reading. */
export interface Options {
  /** The bytes that a buffer's address stands for; without it, a file must hold all of its own. Addresses are as the file has them. */
  resolve?: (uri: string) => Promise<Uint8Array> | Uint8Array;
  limits?: Limits;
  /** Ends the work early. */
  signal?: AbortSignal;
}

/** How much a file may ask for. */
export interface Limits {
  /** Bytes that decoding may make; 512 MiB where it is not said. */
  memory?: number;
}

const MEMORY = 512 * 1024 * 1024;

export function memoryOf(options: Options): number {
  return options.limits?.memory ?? MEMORY;
}

/** Any glTF or GLB file as a GLB in plain core glTF: every storage of animations undone, CUBICSLERP as CUBICSPLINE. What is plain already
 * stays as it is. Buffers come along into the file; images stay where they are. */
export async function unpack(bytes: Uint8Array, options: Options = {}): Promise<Uint8Array> {
  try {
    throwIfAborted(options.signal);
    const opened = open(bytes);
    const { json } = opened;
    const load = bufferLoader(opened, options);
    const plain = await makePlain(json, { load, memory: memoryOf(options), signal: options.signal });
    throwIfAborted(options.signal);
    if (opened.bin && !plain.changed && isWhole(json)) return bytes;
    const bin = await gatherBuffers(json, opened, load);
    if (plain.view !== undefined) {
      json.bufferViews[plain.view] = { buffer: 0, byteOffset: bin.length, byteLength: plain.bytes.length };
      bin.push(plain.bytes);
    }
    if (bin.length > 0) setFirstBuffer(json, bin.length);
    return toGlb(json, bin.pieces);
  } catch (error) {
    throw asKeyfoldError(error);
  }
}

/** Whether a document has all of its bytes in the BIN chunk. */
function isWhole(json: Json): boolean {
  return (json.buffers ?? []).every((buffer: Json) => buffer?.uri === undefined);
}

/** The bytes of the BIN chunk, piece by piece. */
class Bin {
  readonly pieces: Uint8Array[] = [];
  length = 0;

  push(piece: Uint8Array): void {
    this.pieces.push(piece);
    this.length += padded(piece.length);
  }
}

function setFirstBuffer(json: Json, byteLength: number): void {
  if (!Array.isArray(json.buffers) || json.buffers.length === 0) json.buffers = [{}];
  // A `type` says what the file needs that was unpacked.
  const { uri: _, type: __, ...first } = json.buffers[0];
  json.buffers[0] = { ...first, byteLength };
}

/** Brings every buffer that has bytes into the BIN chunk: whoever gets the file has no folder to look into. */
async function gatherBuffers(json: Json, opened: Opened, load: LoadBuffer): Promise<Bin> {
  const bin = new Bin();
  const buffers = Look.root(json).list("buffers");
  const places = new Map<number, number>();
  for (let i = 0; i < buffers.length; i++) {
    if (!(i === 0 && opened.bin) && buffers.element(i).get("uri") === undefined) continue;
    places.set(i, bin.length);
    bin.push(await load(i));
  }
  const others = buffers.values.flatMap((_, i) => (places.has(i) ? [] : [i]));
  if (places.size > 1 || (places.size === 1 && !places.has(0))) {
    const index = (old: number): number => (places.has(old) ? 0 : 1 + others.indexOf(old));
    for (const view of Look.root(json).list("bufferViews").values) {
      for (const object of [view, ...VIEW_CODECS.map((name) => view?.extensions?.[name])]) {
        if (!isObject(object) || typeof object.buffer !== "number") continue;
        const start = places.get(object.buffer);
        if (start) object.byteOffset = (object.byteOffset ?? 0) + start;
        object.buffer = index(object.buffer);
      }
    }
    json.buffers = [buffers.values[0] ?? {}, ...others.map((i) => buffers.values[i])];
  }
  return bin;
}

/** Buffers from the container, from data URIs, and from the caller. */
export function bufferLoader({ json, bin }: Opened, options: Options): LoadBuffer {
  const buffers = Look.root(json).list("buffers");
  return async (index) => {
    const buffer = buffers.element(index);
    const uri = buffer.text("uri");
    if (uri === undefined) {
      if (index === 0 && bin) return bin;
      throw malformed(buffer.at, "has neither a `uri` nor a BIN chunk");
    }
    if (uri.startsWith("data:")) return dataUri(uri, buffer.place("uri"));
    if (!options.resolve) throw new KeyfoldError("missing", `\`${uri}\` lies outside the file, and there is no \`resolve\``, buffer.place("uri"));
    let bytes: Uint8Array;
    try {
      bytes = await options.resolve(uri);
    } catch (error) {
      throw new KeyfoldError("missing", `\`${uri}\`: ${(error as Error)?.message}`, buffer.place("uri"), { cause: error });
    }
    if (!(bytes instanceof Uint8Array)) throw new KeyfoldError("usage", "`resolve` answers with a Uint8Array", buffer.place("uri"));
    return bytes;
  };
}

function dataUri(uri: string, at: string): Uint8Array {
  const comma = uri.indexOf(",");
  if (comma < 0) throw malformed(at, "the data URI has no comma");
  try {
    const body = decodeURIComponent(uri.slice(comma + 1));
    const text = uri.slice(0, comma).endsWith(";base64") ? atob(body) : body;
    return Uint8Array.from(text, (c) => c.charCodeAt(0));
  } catch (error) {
    throw malformed(at, `the data URI is not base64: ${(error as Error).message}`);
  }
}
