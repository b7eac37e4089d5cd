// A document in plain core glTF: every storage undone, every target in the form that loaders know. The JSON is changed in place, so that
// loaders that hold it can be helped; new data comes as one buffer view.

import { Target, nodeRest, plainTarget, restOf } from "./address.js";
import { Curve, Decoder, bytesOf } from "./decoder.js";
import { throwIfAborted } from "./error.js";
import { Json, Look, isObject } from "./look.js";
import { ANIMATION2, DRACO, POINTER, PROPERTY_ANIMATION, QUANTIZATION, SQLERP, VIEW_CODECS } from "./names.js";
import { Channel, Reader } from "./reader.js";
import { Budget, FLOAT, LoadBuffer, Storage, fromFloats } from "./storage.js";
import { padded } from "./container.js";

/** How far, in radians, a CUBICSLERP rotation may stray that becomes CUBICSPLINE: a chain of twenty such nodes stays under 0.01 % of its
 * own length. */
const SPLINE_TOLERANCE = 4e-6;

export interface PlainOptions {
  load: LoadBuffer;
  /** Bytes that may be made. */
  memory: number;
  signal?: AbortSignal | undefined;
  /** Whether CUBICSLERP keys stay as they are, said to be CUBICSPLINE: for whoever can play them. */
  keepSlerp?: boolean;
  /** Whether rotations get keys of unit length: for players that blend keys as they stand. */
  unitRotations?: boolean;
}

/** What became of a document. */
export interface Plain {
  /** Whether anything had to be done. */
  changed: boolean;
  /** The index of the new buffer view; nothing where there is no new data. */
  view: number | undefined;
  /** Its bytes. */
  bytes: Uint8Array;
  /** The rotations that are CUBICSLERP in truth. */
  slerps: { animation: number; node: number }[];
  /** For whoever evaluates those. */
  decoder: Decoder;
}

/** Changes a document's JSON to plain core glTF. */
export async function makePlain(json: Json, options: PlainOptions): Promise<Plain> {
  const root = Look.root(json);
  const decoder = await Decoder.create();
  const storage = new Storage(root, decoder, options.load, new Budget(options.memory));
  const reader = new Reader(root, storage, decoder);
  await reader.open();
  const plain: Plain = { changed: false, view: undefined, bytes: new Uint8Array(), slerps: [], decoder };
  const data = new NewData(root.list("bufferViews").length, root.list("accessors").length);
  const rewritten: [Json, Rewritten][] = [];
  for (const [index, animation] of [...root.list("animations")].entries()) {
    throwIfAborted(options.signal);
    const rewriter = new Rewriter(reader, animation, data, options);
    const result = await rewriter.run();
    if (result) rewritten.push([animation.value, result]);
    plain.slerps.push(...rewriter.slerps.map((node) => ({ animation: index, node })));
  }
  // Nothing was changed so far: a file that cannot be read stays as it was.
  if (rewritten.length === 0) return plain;
  plain.changed = true;
  for (const [animation, { channels, samplers }] of rewritten) {
    Object.assign(animation, { channels, samplers });
    removeExtension(animation, PROPERTY_ANIMATION);
  }
  if (data.length > 0) {
    json.accessors = [...(json.accessors ?? []), ...data.accessors];
    json.bufferViews = [...(json.bufferViews ?? []), { buffer: 0, byteLength: data.length }];
    plain.view = data.view;
    plain.bytes = data.bytes();
  }
  tidy(json, storage);
  return plain;
}

/** Data that the document did not have before. */
class NewData {
  readonly accessors: Json[] = [];
  private readonly pieces: Uint8Array[] = [];
  private readonly known = new Map<string, Map<Float32Array, number>>();
  private readonly units = new Map<Float32Array, Float32Array>();
  length = 0;

  constructor(
    readonly view: number,
    private readonly firstAccessor: number,
  ) {}

  /** The accessor of an array, which is the same for the same array. */
  accessor(array: Float32Array, type: string, width: number, component: number, bounds: boolean): number {
    const kind = `${type} ${component}`;
    const known = this.known.get(kind) ?? this.known.set(kind, new Map()).get(kind)!;
    let index = known.get(array);
    if (index === undefined) {
      index = this.firstAccessor + this.accessors.length;
      known.set(array, index);
      const limits = bounds ? { min: [array[0]], max: [array.at(-1)] } : {};
      const object = { bufferView: this.view, byteOffset: this.length, componentType: component, count: array.length / width, type };
      this.accessors.push({ ...object, ...limits });
      this.push(component === FLOAT ? bytesOf(array) : fromFloats(array, component));
    }
    return index;
  }

  /** Quaternions of unit length, which are the same for the same array. */
  unit(values: Float32Array): Float32Array {
    let unit = this.units.get(values);
    if (!unit) this.units.set(values, (unit = normalized(values)));
    return unit;
  }

  private push(bytes: Uint8Array): void {
    this.pieces.push(bytes);
    this.length += padded(bytes.length);
  }

  bytes(): Uint8Array {
    const out = new Uint8Array(this.length);
    let at = 0;
    for (const piece of this.pieces) {
      out.set(piece, at);
      at += padded(piece.length);
    }
    return out;
  }
}

interface Rewritten {
  channels: Json[];
  samplers: Json[];
}

/** A track in the making: what it drives, with which keys, in place of which channel. */
interface Track {
  channel: Channel;
  target: Target;
  curve: Curve;
}

/** Rewrites the channels of one animation that are not plain. */
class Rewriter {
  readonly slerps: number[] = [];
  private readonly samplers: Json[];

  constructor(
    private readonly reader: Reader,
    private readonly animation: Look,
    private readonly data: NewData,
    private readonly options: Pick<PlainOptions, "keepSlerp" | "unitRotations">,
  ) {
    this.samplers = [...animation.list("samplers").values];
  }

  /** The animation's new channels and samplers; nothing where all of it is plain. */
  async run(): Promise<Rewritten | undefined> {
    const objects = this.reader.channels(this.animation);
    const channels = objects.map((object) => this.reader.channel(this.animation, object));
    const parts = this.partGroups(channels);
    const isPlain = (channel: Channel | undefined): boolean => !channel || (isPlainChannel(channel) && !parts.of(channel));
    if (channels.every(isPlain) && objects.length === this.animation.list("channels").length) return undefined;
    const out: Json[] = [];
    for (const [i, channel] of channels.entries()) {
      if (!channel || isPlain(channel)) {
        out.push(objects[i]!.value);
        continue;
      }
      const group = parts.of(channel);
      if (group && group[0] !== channel) continue;
      const tracks = group ? await this.joined(group) : await this.tracks(channel);
      out.push(...(tracks?.map((track) => this.write(track)) ?? group!.map((c) => c.object.value)));
    }
    return this.compact(out);
  }

  private async tracks(channel: Channel): Promise<Track[]> {
    const curve = await this.reader.curve(channel);
    return channel.address.targets.map((target) => ({ channel, target, curve }));
  }

  /** Channels that drive parts of one property, or it and parts of it. */
  private partGroups(channels: (Channel | undefined)[]): { of(channel: Channel): Channel[] | undefined } {
    const groups = new Map<string, Channel[]>();
    for (const channel of channels) {
      const key = channel && wholeKey(channel);
      if (key) groups.set(key, [...(groups.get(key) ?? []), channel]);
    }
    const isGroup = (group: Channel[]): boolean => group.some((c) => c.address.targets[0]!.part !== undefined);
    return {
      of: (channel) => {
        const group = groups.get(wholeKey(channel) ?? "");
        return group && isGroup(group) ? group : undefined;
      },
    };
  }

  /** One track from channels that drive parts of it; nothing where they cannot be joined, and stay as they are. */
  private async joined(group: Channel[]): Promise<Track[] | undefined> {
    const { root, decoder } = this.reader;
    const target = group[0]!.address.targets[0]!;
    const rest = target.pointer === undefined ? nodeRest(target.node, target.property, root) : restOf(target.pointer, root);
    if (!rest) return undefined;
    const curves = await Promise.all(group.map((channel) => this.reader.curve(channel)));
    const start = Math.min(...curves.map((curve) => curve.times[0]!));
    const of = (part: number | undefined): number => group.findLastIndex((c) => c.address.targets[0]!.part === part);
    // A pointer may be driven whole or in parts, not both, and each part once; of a node's axes the last one counts.
    if (target.pointer !== undefined && (of(undefined) >= 0 || new Set(group.map((c) => c.address.targets[0]!.part)).size < group.length)) {
      return undefined;
    }
    const parts = rest.map((value, part): Curve => {
      if (of(part) >= 0) return curves[of(part)]!;
      if (of(undefined) >= 0) return component(curves[of(undefined)]!, part);
      return { interpolation: "LINEAR", width: 1, times: Float32Array.of(start), values: Float32Array.of(value) };
    });
    const curve = decoder.join(parts, group[0]!.object.at);
    return [{ channel: group[0]!, target: { ...target, part: undefined }, curve }];
  }

  /** A track as a channel; its sampler goes to the end of the list. */
  private write({ channel, target, curve }: Track): Json {
    const { interpolation, width, times, values } = this.playable(target, curve, channel);
    const type = target.property === "weights" ? "SCALAR" : ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1] ?? "SCALAR";
    const shape = target.pointer !== undefined && channel.output.type === "SCALAR" && channel.address.targets[0]!.part === undefined ? "SCALAR" : type;
    const whole = target.pointer !== undefined && channel.output.component !== FLOAT && !channel.output.normalized && channel.storage !== "quantization";
    const input = this.data.accessor(times, "SCALAR", 1, FLOAT, true);
    const output = this.data.accessor(values, shape, shape === "SCALAR" ? 1 : width, whole ? channel.output.component : FLOAT, false);
    const sampler = { ...channel.sampler.value, input, output, interpolation: interpolation === "CUBICSLERP" ? "CUBICSPLINE" : interpolation };
    const object = { ...channel.object.value, sampler: this.samplers.push(sampler) - 1, target: plainTarget(channel.object.get("target"), target) };
    removeExtension(object, QUANTIZATION);
    removeExtension(object, SQLERP);
    return object;
  }

  /** The curve as whoever plays it can. */
  private playable(target: Target, curve: Curve, channel: Channel): Curve {
    const { keepSlerp, unitRotations } = this.options;
    if (curve.interpolation !== "CUBICSLERP") {
      const blends = target.property === "rotation" && curve.interpolation !== "CUBICSPLINE";
      return unitRotations && blends ? { ...curve, values: this.data.unit(curve.values) } : curve;
    }
    if (!(keepSlerp && target.property === "rotation" && curve.times.length > 1)) return this.spline(curve, channel);
    this.slerps.push(target.node);
    return curve;
  }

  private spline(curve: Curve, channel: Channel): Curve {
    if (curve.times.length > 1) return this.reader.decoder.asSpline(curve, SPLINE_TOLERANCE, channel.object.at);
    return { ...curve, interpolation: "STEP", values: curve.values.slice(curve.width, 2 * curve.width) };
  }

  /** The channels with the samplers that they use, and no others. */
  private compact(channels: Json[]): Rewritten {
    const places = channels.flatMap((c) => (isObject(c) ? [c, c.extensions?.[SQLERP]] : [])).filter((o) => typeof o?.sampler === "number");
    const used = [...new Set(places.map((o) => o.sampler as number))].filter((i) => i < this.samplers.length).sort((a, b) => a - b);
    const renumbered = new Map(used.map((old, i) => [old, i]));
    const renumber = (o: Json): Json => (renumbered.has(o?.sampler) ? { ...o, sampler: renumbered.get(o.sampler) } : o);
    const all = channels.map((c) => {
      const channel = renumber(c);
      const extended = c?.extensions?.[SQLERP];
      return extended === undefined ? channel : { ...channel, extensions: { ...c.extensions, [SQLERP]: renumber(extended) } };
    });
    return { channels: all, samplers: used.map((i) => this.samplers[i]) };
  }
}

function isPlainChannel(channel: Channel): boolean {
  return channel.address.plain && !channel.packed && channel.interpolation !== "CUBICSLERP";
}

/** The property that a channel drives, or drives a part of; nothing where it cannot be a part of anything. */
function wholeKey({ address }: Channel): string | undefined {
  const [target, ...others] = address.targets;
  if (!target || others.length > 0) return undefined;
  if (target.pointer !== undefined) return target.pointer;
  return target.property === "translation" || target.property === "scale" ? `${target.node} ${target.property}` : undefined;
}

function normalized(values: Float32Array): Float32Array {
  const out = values.slice();
  for (let i = 0; i + 3 < out.length; i += 4) {
    const length = Math.hypot(out[i]!, out[i + 1]!, out[i + 2]!, out[i + 3]!);
    for (let c = i; c < i + 4 && length > 0; c++) out[c]! /= length;
  }
  return out;
}

function component({ interpolation, width, times, values }: Curve, index: number): Curve {
  return { interpolation, width: 1, times, values: values.filter((_, i) => i % width === index) };
}

/** Takes out what nothing needs any more: the objects of storages that were undone, and their names. */
function tidy(json: Json, storage: Storage): void {
  for (const name of DRACO) removeExtension(json, name);
  freeViews(json, storage);
  const holds = (list: Json, name: string): boolean => (list ?? []).some((o: Json) => isObject(o?.extensions) && Object.hasOwn(o.extensions, name));
  const channels: Json[] = json.animations.flatMap((a: Json) => a.channels ?? []);
  const gone = [QUANTIZATION, SQLERP].filter((name) => !holds(channels, name));
  gone.push(...[ANIMATION2].filter((name) => !holds(channels.map((c) => c?.target), name)));
  gone.push(...DRACO, ...VIEW_CODECS.filter((name) => !holds(json.bufferViews, name)));
  gone.push(...[PROPERTY_ANIMATION].filter((name) => !holds(json.animations, name)));
  for (const list of ["extensionsUsed", "extensionsRequired"]) {
    if (!Array.isArray(json[list])) continue;
    json[list] = json[list].filter((name: Json) => !gone.includes(name));
    if (json[list].length === 0) delete json[list];
  }
  const pointers = holds(channels.map((c) => c?.target), POINTER);
  if (pointers && !json.extensionsUsed?.includes(POINTER)) json.extensionsUsed = [...(json.extensionsUsed ?? []), POINTER];
}

/** Compressed views that only animations used become plain bytes, which nobody looks at; accessors of them have no data any more. */
function freeViews(json: Json, storage: Storage): void {
  const samplers = json.animations.flatMap((a: Json) => a.samplers ?? []);
  const used = new Set<number>(samplers.flatMap((s: Json) => [s?.input, s?.output]));
  for (const mesh of json.meshes ?? []) {
    for (const p of mesh?.primitives ?? []) {
      [p?.indices, ...Object.values(p?.attributes ?? {}), ...(p?.targets ?? []).flatMap((t: Json) => Object.values(t ?? {}))].forEach((a) => used.add(a));
    }
  }
  (json.skins ?? []).forEach((skin: Json) => used.add(skin?.inverseBindMatrices));
  const views: number = storage.views.length;
  const needed = new Set<number>((json.accessors ?? []).flatMap((a: Json, i: number) => (used.has(i) ? viewsOf(a) : [])));
  for (let i = 0; i < views; i++) {
    const packed = needed.has(i) ? undefined : storage.compression(i);
    const users = packed ? json.accessors.filter((a: Json) => viewsOf(a).includes(i)) : [];
    // A view without accessors belongs to somebody else.
    if (!packed || users.length === 0) continue;
    for (const accessor of users) ["bufferView", "byteOffset", "sparse", "min", "max"].forEach((key) => delete accessor[key]);
    const { buffer, byteOffset, byteLength } = packed.value;
    json.bufferViews[i] = { buffer, ...(byteOffset ? { byteOffset } : {}), byteLength };
  }
  const held = new Set((json.bufferViews ?? []).map((v: Json) => v?.buffer));
  const isFallback = (b: Json): boolean => isObject(b) && b.uri === undefined && VIEW_CODECS.some((name) => b.extensions?.[name]?.fallback === true);
  while (json.buffers?.length > 1 && !held.has(json.buffers.length - 1) && isFallback(json.buffers.at(-1))) json.buffers.pop();
}

function viewsOf(accessor: Json): number[] {
  const all = [accessor?.bufferView, accessor?.sparse?.indices?.bufferView, accessor?.sparse?.values?.bufferView];
  return all.filter((view) => typeof view === "number");
}

/** Takes an extension's object off what carries it; `extensions` goes with the last. */
function removeExtension(object: Json, name: string): void {
  if (!isObject(object.extensions) || !Object.hasOwn(object.extensions, name)) return;
  const { [name]: _, ...rest } = object.extensions;
  if (Object.keys(rest).length > 0) object.extensions = rest;
  else delete object.extensions;
}
