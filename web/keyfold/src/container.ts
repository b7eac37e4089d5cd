// The two containers of a glTF document: JSON alone, and GLB (glTF 2.0 section 4.4). Framing only.

import { KeyfoldError, malformed } from "./error.js";
import { Json, Look } from "./look.js";

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;

/** A document taken out of its container. */
export interface Opened {
  json: Json;
  /** The bytes of the first buffer, where the container carries them. */
  bin?: Uint8Array;
}

/** Takes a file apart, whichever container it is. Chunks of unknown kinds are skipped. */
export function open(bytes: Uint8Array): Opened {
  if (!(bytes instanceof Uint8Array)) throw new KeyfoldError("usage", "a file is given as a Uint8Array");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isGlb = bytes.length >= 4 && view.getUint32(0, true) === MAGIC;
  return isGlb ? openGlb(bytes, view) : { json: parse(bytes) };
}

function openGlb(bytes: Uint8Array, view: DataView): Opened {
  if (bytes.length < 12) throw malformed("", `GLB: the file ends after ${bytes.length} bytes, inside its header`);
  const version = view.getUint32(4, true);
  if (version !== 2) throw malformed("", `GLB: version ${version} at byte 4; only 2 is known`);
  const length = view.getUint32(8, true);
  if (length > bytes.length) throw malformed("", `GLB: ${length} bytes are announced, ${bytes.length} are there`);
  const chunks: [kind: number, data: Uint8Array][] = [];
  for (let at = 12; at < length; ) {
    if (at + 8 > length) throw malformed("", `GLB: the file ends inside the header of the chunk at byte ${at}`);
    const size = view.getUint32(at, true);
    if (at + 8 + size > length) throw malformed("", `GLB: the file ends inside the chunk at byte ${at}`);
    chunks.push([view.getUint32(at + 4, true), bytes.subarray(at + 8, at + 8 + size)]);
    at += 8 + size;
  }
  const [first, second] = chunks;
  if (first?.[0] !== JSON_CHUNK) throw malformed("", "GLB: the first chunk is not JSON");
  const opened: Opened = { json: parse(first[1]) };
  if (second?.[0] === BIN_CHUNK) opened.bin = second[1];
  return opened;
}

function parse(bytes: Uint8Array): Json {
  try {
    return Look.root(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes))).value;
  } catch (error) {
    if (error instanceof KeyfoldError) throw error;
    throw new KeyfoldError("malformed", `not JSON: ${(error as Error).message}`, "", { cause: error });
  }
}

/** Puts a GLB together; the pieces of its BIN chunk follow each other, each from a multiple of four on. */
export function toGlb(json: Json, pieces: readonly Uint8Array[]): Uint8Array {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const bin = pieces.reduce((sum, piece) => sum + padded(piece.length), 0);
  const length = 12 + 8 + padded(text.length) + (pieces.length > 0 ? 8 + bin : 0);
  if (length > 0xffff_ffff) throw new KeyfoldError("limit", `a GLB of ${length} bytes`);
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  [MAGIC, 2, length, padded(text.length), JSON_CHUNK].forEach((word, i) => view.setUint32(4 * i, word, true));
  out.fill(0x20, 20, 20 + padded(text.length));
  out.set(text, 20);
  let at = 20 + padded(text.length);
  if (pieces.length > 0) {
    view.setUint32(at, bin, true);
    view.setUint32(at + 4, BIN_CHUNK, true);
    at += 8;
  }
  for (const piece of pieces) {
    out.set(piece, at);
    at += padded(piece.length);
  }
  return out;
}

/** Bytes of a chunk or piece with what brings it to a multiple of four. */
export function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}
