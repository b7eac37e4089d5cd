// Draco_animation_compression: accessors whose values come from a stream. Both layouts are read: the draft's (`compressedAnimations`,
// `attributeId`) and that of the files of 2018 (a bare array, `attributesId`).

import { Decoder } from "./decoder.js";
import { malformed } from "./error.js";
import { List, Look, isIndex } from "./look.js";
import { DRACO } from "./names.js";
import { Storage } from "./storage.js";

const TIMESTAMPS = 0;

interface Stream {
  object: Look;
  view: number;
  /** Accessors with the ids of their attributes. */
  attributes: [accessor: number, id: number][];
}

/** The floats that streams provide for accessors, decoded when first asked for. */
export class DracoStreams {
  private readonly streams = new Map<number, Stream>();
  private readonly decoded = new Map<number, Float32Array>();

  constructor(
    root: Look,
    used: (name: string) => boolean,
    private readonly storage: Storage,
    private readonly decoder: Decoder,
  ) {
    for (const name of DRACO.filter(used)) {
      for (const object of listed(root, name)) {
        const stream = read(object);
        for (const [accessor] of stream.attributes) this.streams.set(accessor, stream);
      }
    }
  }

  has(accessor: number): boolean {
    return this.streams.has(accessor);
  }

  /** An accessor's floats. */
  async floats(accessor: number): Promise<Float32Array> {
    if (!this.decoded.has(accessor)) await this.decode(this.streams.get(accessor)!);
    return this.decoded.get(accessor)!;
  }

  private async decode({ object, view, attributes }: Stream): Promise<void> {
    const { budget } = this.storage;
    this.decoder.dracoStream(await this.storage.view(view), budget.bytes, object.place("bufferView"));
    for (const [index, id] of attributes) {
      const accessor = this.storage.accessor(index);
      const floats = this.decoder.dracoAttribute(id, accessor.normalized, object.at);
      const expected = accessor.count * accessor.width;
      if (floats.length !== expected) {
        throw malformed(`${accessor.at}/count`, `says ${expected} values, the Draco stream has ${floats.length} for it`);
      }
      budget.take(floats.byteLength, object.at);
      this.decoded.set(index, floats);
    }
  }
}

function listed(root: Look, name: string): List {
  const extensions = root.object("extensions");
  const value = extensions?.get(name);
  if (!extensions || value === undefined) return new List([], "");
  return Array.isArray(value) ? extensions.list(name) : extensions.needObject(name).list("compressedAnimations");
}

function read(object: Look): Stream {
  const indices = (key: string): number[] => {
    const { values, at } = object.list(key);
    if (!values.every(isIndex)) throw malformed(at, "should be an array of whole numbers");
    return values as number[];
  };
  const ids = indices(object.get("attributeId") !== undefined ? "attributeId" : "attributesId");
  const outputs = indices("outputs");
  if (ids.length !== outputs.length) throw malformed(object.at, `${outputs.length} outputs have ${ids.length} ids`);
  const attributes = outputs.map((output, i): [number, number] => [output, ids[i]!]);
  return { object, view: object.needIndex("bufferView"), attributes: [[object.needIndex("input"), TIMESTAMPS], ...attributes] };
}
