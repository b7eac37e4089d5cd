// Draco_animation_compression: accessors whose values come from a stream. Both layouts are read: the draft's (`compressedAnimations`,
// `attributeId`) and that of the files of 2018 (a bare array, `attributesId`).

import { Decoder } from "./decoder.js";
import { KeyfoldError, asKeyfoldError, malformed } from "./error.js";
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

/** The floats that streams provide for accessors. */
export class DracoStreams {
  /** By accessor its floats, or what is wrong with its stream. */
  private readonly provided = new Map<number, Float32Array | KeyfoldError>();

  constructor(
    private readonly root: Look,
    private readonly used: (name: string) => boolean,
    private readonly storage: Storage,
    private readonly decoder: Decoder,
  ) {}

  /** Decodes all streams. One that is broken falls back to the accessors' own data where readers may ignore the extension. */
  async open(): Promise<void> {
    const required = this.root.list("extensionsRequired").values;
    for (const name of DRACO.filter(this.used)) {
      for (const object of listed(this.root, name)) {
        const stream = read(object);
        const error = await this.decode(stream).then(() => undefined, asKeyfoldError);
        const indices = stream.attributes.map(([accessor]) => accessor);
        const hasData = (index: number): boolean => this.storage.accessor(index).view !== undefined;
        const fallsBack = error !== undefined && error.code !== "limit" && !required.includes(name) && indices.every(hasData);
        for (const index of error ? indices : []) {
          if (fallsBack) this.provided.delete(index);
          else this.provided.set(index, error!);
        }
      }
    }
  }

  has(accessor: number): boolean {
    return this.provided.has(accessor);
  }

  /** An accessor's floats. */
  floats(accessor: number): Float32Array {
    const floats = this.provided.get(accessor);
    if (!(floats instanceof Float32Array)) throw floats;
    return floats;
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
      this.provided.set(index, floats);
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
