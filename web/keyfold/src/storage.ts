// From indices to bytes: buffers, buffer views, accessors (glTF 2.0 section 3.6). Everything is checked before it is allocated, and
// what is made is counted against the caller's limit.

import { Decoder, Stored } from "./decoder.js";
import { KeyfoldError, malformed } from "./error.js";
import { Json, List, Look } from "./look.js";
import { STREAM, VIEW_CODECS } from "./names.js";

/** Where a buffer's bytes come from. */
export type LoadBuffer = (index: number) => Promise<Uint8Array>;

const SIZES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
export const FLOAT = 5126;

/** What an accessor says about itself. */
export interface Accessor {
  index: number;
  at: string;
  component: number;
  /** Components of an element. */
  width: number;
  type: string;
  normalized: boolean;
  count: number;
  view: number | undefined;
  offset: number;
  sparse: Look | undefined;
}

/** Bytes that may still be made. */
export class Budget {
  constructor(private left: number) {}

  /** What is left, in bytes. */
  get bytes(): number {
    return this.left;
  }

  take(bytes: number, at: string): void {
    if (bytes > this.left) throw new KeyfoldError("limit", `${bytes} more bytes are over the limit`, at);
    this.left -= bytes;
  }
}

/** The bytes behind a document. */
export class Storage {
  readonly accessors: List;
  readonly views: List;
  private readonly codecs: string[];
  private readonly loaded = new Map<number, Promise<Uint8Array>>();
  private readonly decompressed = new Map<number, Promise<Uint8Array>>();

  constructor(
    root: Look,
    private readonly decoder: Decoder,
    private readonly loadBuffer: LoadBuffer,
    readonly budget: Budget,
  ) {
    this.accessors = root.list("accessors");
    this.views = root.list("bufferViews");
    const used: Json[] = root.list("extensionsUsed").values;
    this.codecs = VIEW_CODECS.filter((name) => used.includes(name));
  }

  accessor(index: number): Accessor {
    const object = this.accessors.element(index);
    const component = object.needIndex("componentType");
    const type = object.needText("type");
    if (SIZES[component] === undefined) throw malformed(object.place("componentType"), `${component} is not known`);
    const width = WIDTHS[type];
    if (width === undefined) throw malformed(object.place("type"), `${type} is not for animations`);
    return {
      index,
      at: object.at,
      component,
      width,
      type,
      normalized: object.flag("normalized"),
      count: object.needIndex("count"),
      view: object.index("bufferView"),
      offset: object.index("byteOffset") ?? 0,
      sparse: object.object("sparse"),
    };
  }

  /** An accessor's elements without gaps, sparse replacements made. */
  async elements(accessor: Accessor): Promise<Stored> {
    const { component, normalized, view, count, at } = accessor;
    const size = accessor.width * SIZES[component]!;
    let bytes: Uint8Array;
    if (view === undefined) {
      this.budget.take(count * size, at);
      bytes = new Uint8Array(count * size);
    } else {
      const stride = this.views.element(view).index("byteStride") || size;
      bytes = this.gather(await this.view(view), count, size, accessor.offset, stride, at);
    }
    if (accessor.sparse) bytes = await this.replaceSparse(accessor.sparse, bytes, size, at);
    return { component, normalized, bytes };
  }

  /** The bytes that a buffer view stands for, decompressed where an extension says so. */
  view(index: number): Promise<Uint8Array> {
    const view = this.views.element(index);
    const packed = this.compression(index);
    if (!packed) return this.slice(view);
    let bytes = this.decompressed.get(index);
    if (!bytes) this.decompressed.set(index, (bytes = packed.at.endsWith(STREAM) ? this.decode(packed, view) : this.decompress(packed)));
    return bytes;
  }

  /** The object by which an extension compresses a view. */
  compression(index: number): Look | undefined {
    const view = this.views.element(index);
    return this.codecs.map((name) => view.extension(name)).find((object) => object !== undefined);
  }

  /** A stream of KEYFOLD_animation_stream. */
  private async decode(object: Look, view: Look): Promise<Uint8Array> {
    const length = view.needIndex("byteLength");
    this.budget.take(length, view.at);
    const bytes = this.decoder.streamView(await this.slice(object), length, object.at);
    if (bytes.length !== length) throw malformed(view.at, `the stream stands for ${bytes.length} bytes, the view has ${length}`);
    return bytes;
  }

  /** A view of meshopt. */
  private async decompress(object: Look): Promise<Uint8Array> {
    const [count, stride] = [object.needIndex("count"), object.needIndex("byteStride")];
    const [mode, filter] = [object.needText("mode"), object.text("filter") ?? "NONE"];
    this.budget.take(count * stride, object.at);
    return this.decoder.meshoptView(await this.slice(object), mode, filter, count, stride, object.at);
  }

  /** What `buffer`, `byteOffset` and `byteLength` of an object name. */
  private async slice(object: Look): Promise<Uint8Array> {
    const index = object.needIndex("buffer");
    const [start, length] = [object.index("byteOffset") ?? 0, object.needIndex("byteLength")];
    let buffer = this.loaded.get(index);
    if (!buffer) this.loaded.set(index, (buffer = this.loadBuffer(index)));
    const bytes = await buffer;
    if (start + length > bytes.length) {
      throw malformed(object.at, `reaches past the end of its buffer, which has ${bytes.length} bytes`);
    }
    return bytes.subarray(start, start + length);
  }

  private gather(view: Uint8Array, count: number, size: number, offset: number, stride: number, at: string): Uint8Array {
    if (stride < size) throw malformed(at, `the buffer view's byteStride ${stride} is less than an element`);
    const end = offset + (count === 0 ? 0 : stride * (count - 1) + size);
    if (end > view.length) throw malformed(at, `${count} elements reach past the end of the buffer view`);
    if (stride === size) return view.subarray(offset, end);
    this.budget.take(count * size, at);
    const out = new Uint8Array(count * size);
    for (let i = 0; i < count; i++) {
      const from = offset + i * stride;
      out.set(view.subarray(from, from + size), i * size);
    }
    return out;
  }

  private async replaceSparse(sparse: Look, base: Uint8Array, size: number, at: string): Promise<Uint8Array> {
    const count = sparse.needIndex("count");
    const [indices, values] = [sparse.needObject("indices"), sparse.needObject("values")];
    const component = indices.needIndex("componentType");
    if (![5121, 5123, 5125].includes(component)) {
      throw malformed(indices.place("componentType"), "should be 5121, 5123 or 5125");
    }
    const read = async (object: Look, size: number): Promise<Uint8Array> => {
      const view = await this.view(object.needIndex("bufferView"));
      return this.gather(view, count, size, object.index("byteOffset") ?? 0, size, at);
    };
    const places = await read(indices, SIZES[component]!);
    const replacements = await read(values, size);
    this.budget.take(base.length, at);
    const out = base.slice();
    for (let i = 0; i < count; i++) {
      const place = whole(places, i, SIZES[component]!);
      if ((place + 1) * size > out.length) throw malformed(sparse.at, `index ${place} is not below the accessor's count`);
      out.set(replacements.subarray(i * size, (i + 1) * size), place * size);
    }
    return out;
  }
}

function whole(bytes: Uint8Array, index: number, size: number): number {
  let value = 0;
  for (let i = size - 1; i >= 0; i--) value = value * 256 + bytes[index * size + i]!;
  return value;
}

/** Components as floats: integers as the equal one or, where normalized, by glTF's equations. */
export function toFloats({ component, normalized, bytes }: Stored): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = SIZES[component]!;
  const out = new Float32Array(bytes.length / size);
  const fraction = (value: number, most: number): number => (normalized ? Math.max(value / most, -1) : value);
  for (let i = 0; i < out.length; i++) {
    const at = i * size;
    out[i] =
      component === FLOAT ? view.getFloat32(at, true)
      : component === 5120 ? fraction(view.getInt8(at), 127)
      : component === 5121 ? fraction(view.getUint8(at), 255)
      : component === 5122 ? fraction(view.getInt16(at, true), 32767)
      : component === 5123 ? fraction(view.getUint16(at, true), 65535)
      : view.getUint32(at, true);
  }
  return out;
}

/** Floats as components of a type, for what must not be a float: truth values and whole numbers. */
export function fromFloats(floats: Float32Array, component: number): Uint8Array {
  const kinds = { 5120: Int8Array, 5121: Uint8Array, 5122: Int16Array, 5123: Uint16Array, 5125: Uint32Array } as const;
  const Kind = kinds[component as keyof typeof kinds] ?? Float32Array;
  const out = Kind.from(floats);
  return new Uint8Array(out.buffer, 0, out.byteLength);
}
