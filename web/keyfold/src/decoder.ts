// The border to the WebAssembly module: codecs and curves, which exist once, in Rust (crates/keyfold-wasm).

import { Border, type Exports } from "./border.js";
import { lazyModule } from "./inline.js";
import wasm from "./generated/decoder.wasm";

interface DecoderExports extends Exports {
  draco_stream(memory: number): number;
  draco_attribute(id: number, normalized: number): number;
  meshopt_view(modeLength: number, filterLength: number, count: number, stride: number): number;
  stream_view(values: number): number;
  quantized_times(component: number, normalized: number, scale: number): number;
  quantized_values(pathLength: number, components: number, component: number, normalized: number, cubic: number): number;
  join(count: number): number;
  as_spline(tolerance: number): number;
  segment(): number;
  between(s: number): number;
}

/** How values between keys come about; the order is the border's. */
export const INTERPOLATIONS = ["STEP", "LINEAR", "CUBICSPLINE", "CUBICSLERP"] as const;
export type Interpolation = (typeof INTERPOLATIONS)[number];

/** Keys in time with their values. */
export interface Curve {
  interpolation: Interpolation;
  /** Components of a value. */
  width: number;
  times: Float32Array;
  values: Float32Array;
}

/** How many elements a key stores. */
export function elementsPerKey(interpolation: Interpolation): number {
  return interpolation === "CUBICSPLINE" || interpolation === "CUBICSLERP" ? 3 : 1;
}

/** What is stored in an accessor of EXT_animation_quantization. */
export interface Stored {
  component: number;
  normalized: boolean;
  bytes: Uint8Array;
}

const compiled = lazyModule(() => wasm);
const utf8 = new TextEncoder();

/** One instance of the module. Every file gets its own, so that nothing outlives a file: neither memory nor a fault. */
export class Decoder {
  private constructor(private readonly border: Border<DecoderExports>) {}

  /** An instance; the module is compiled once. */
  static async create(): Promise<Decoder> {
    return new Decoder(await Border.create(await compiled()));
  }

  /** Opens a Draco stream, whose attributes can then be asked for. */
  dracoStream(stream: Uint8Array, memory: number, at: string): void {
    this.call(at, [stream], (e) => e.draco_stream(memory));
  }

  dracoAttribute(id: number, normalized: boolean, at: string): Float32Array {
    return floats(this.call(at, [], (e) => e.draco_attribute(id, Number(normalized))));
  }

  meshoptView(view: Uint8Array, mode: string, filter: string, count: number, stride: number, at: string): Uint8Array {
    const [m, f] = [utf8.encode(mode), utf8.encode(filter)];
    return this.call(at, [m, f, view], (e) => e.meshopt_view(m.length, f.length, count, stride));
  }

  streamView(stream: Uint8Array, values: number, at: string): Uint8Array {
    return this.call(at, [stream], (e) => e.stream_view(values));
  }

  quantizedTimes(stored: Stored, scale: number, at: string): Float32Array {
    const { component, normalized, bytes } = stored;
    return floats(this.call(at, [bytes], (e) => e.quantized_times(component, Number(normalized), scale)));
  }

  /** `path` is the channel's; none for a pointer. */
  quantizedValues(stored: Stored, path: string, offset: number[], scale: number[], cubic: boolean, at: string): Float32Array {
    const { component, normalized, bytes } = stored;
    const name = utf8.encode(path);
    const numbers = new Uint8Array(Float64Array.from([...offset, ...scale]).buffer);
    const values = this.call(at, [name, numbers, bytes], (e) =>
      e.quantized_values(name.length, offset.length, component, Number(normalized), Number(cubic)),
    );
    return floats(values);
  }

  /** Curves of one component each as one curve of them all. */
  join(parts: Curve[], at: string): Curve {
    return curve(this.call(at, parts.flatMap(pieces), (e) => e.join(parts.length)));
  }

  /** A CUBICSLERP curve as CUBICSPLINE, nowhere farther from it than a tolerance in radians. */
  asSpline(slerp: Curve, tolerance: number, at: string): Curve {
    return curve(this.call(at, pieces(slerp), (e) => e.as_spline(tolerance)));
  }

  /** A point of a CUBICSLERP curve, `s` of the way from one key to the next; `from` is where the first key's floats begin. */
  between(values: ArrayLike<number>, from: number, s: number, out: { [i: number]: number }): void {
    const { exports } = this.border;
    const segment = new Float32Array(exports.memory.buffer, exports.segment(), 24);
    for (let i = 0; i < 24; i++) segment[i] = values[from + i]!;
    // The memory may grow on the way.
    const found = exports.between(s);
    const point = new Float64Array(exports.memory.buffer, found, 4);
    for (let i = 0; i < 4; i++) out[i] = point[i]!;
  }

  private call(at: string, input: Uint8Array[], operation: (exports: DecoderExports) => number): Uint8Array<ArrayBuffer> {
    return this.border.call(at, input, operation);
  }
}

function floats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** Bytes of floats or words. */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function pieces({ interpolation, width, times, values }: Curve): Uint8Array[] {
  const head = Uint32Array.of(INTERPOLATIONS.indexOf(interpolation), width, times.length);
  return [head, times, values].map(bytesOf);
}

function curve(bytes: Uint8Array): Curve {
  const [code, width, keys] = new Uint32Array(bytes.buffer, 0, 3) as unknown as [number, number, number];
  const times = new Float32Array(bytes.buffer, 12, keys);
  return { interpolation: INTERPOLATIONS[code]!, width, times, values: new Float32Array(bytes.buffer, 12 + 4 * keys) };
}
