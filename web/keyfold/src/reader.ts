// From a document's channels to curves: which channels are packed, and what they hold once that is undone.

import { Address, addressOf } from "./address.js";
import { Curve, Decoder, Interpolation, bytesOf, elementsPerKey } from "./decoder.js";
import { DracoStreams } from "./draco.js";
import { malformed } from "./error.js";
import { Look, isObject } from "./look.js";
import { ANIMATION2, PROPERTY_ANIMATION, QUANTIZATION, SQLERP, STREAM } from "./names.js";
import { Accessor, FLOAT, Storage, toFloats } from "./storage.js";

/** A channel that is understood. */
export interface Channel {
  object: Look;
  address: Address;
  sampler: Look;
  interpolation: Interpolation;
  input: Accessor;
  output: Accessor;
  /** How its data is stored. */
  storage: "core" | "quantization" | "draco" | "meshopt" | "stream";
  /** Whether its data, or the name of its interpolation, is something that core does not know. */
  packed: boolean;
}

/** Reads the channels of a document. */
export class Reader {
  readonly used: (name: string) => boolean;
  private readonly draco: DracoStreams;
  /** What was decoded so far: tracks on one input or output share one array. */
  private readonly arrays = new Map<string, Promise<Float32Array>>();

  constructor(
    readonly root: Look,
    private readonly storage: Storage,
    readonly decoder: Decoder,
  ) {
    const names = new Set(root.list("extensionsUsed").values);
    this.used = (name) => names.has(name);
    this.draco = new DracoStreams(root, this.used, storage, decoder);
  }

  /** Decodes what decides where an accessor's values come from. */
  open(): Promise<void> {
    return this.draco.open();
  }

  /** All channels of an animation: core's, and behind them those of EXT_property_animation. */
  channels(animation: Look): Look[] {
    const further = this.used(PROPERTY_ANIMATION) ? animation.extension(PROPERTY_ANIMATION)?.list("channels") : undefined;
    return [...animation.list("channels"), ...(further ?? [])];
  }

  /** A channel; `undefined` where nobody knows what it means, and it is left alone. */
  channel(animation: Look, object: Look): Channel | undefined {
    const address = addressOf(this.root, object, this.used);
    if (!address) return undefined;
    const sampler = animation.list("samplers").element(this.samplerIndex(object));
    const interpolation = this.interpolation(sampler, address.targets.some(isRotation));
    if (!interpolation) return undefined;
    const input = this.storage.accessor(sampler.needIndex("input"));
    const output = this.storage.accessor(sampler.needIndex("output"));
    const storage = this.storageOf(object, input, output);
    return { object, address, sampler, interpolation, input, output, storage, packed: storage !== "core" || sampler.get("interpolation") === "CUBIC" };
  }

  private samplerIndex(channel: Look): number {
    const extended = this.used(SQLERP) ? channel.extension(SQLERP) : undefined;
    return (extended ?? channel).needIndex("sampler");
  }

  private interpolation(sampler: Look, rotates: boolean): Interpolation | undefined {
    const name = sampler.get("interpolation");
    switch (name) {
      case "STEP":
      case "LINEAR":
      case "CUBICSPLINE":
      case "CUBICSLERP":
        return name;
      case "CUBIC":
        // The draft says what it is for rotations; of anything else it is core's spline.
        return this.used(ANIMATION2) ? (rotates ? "CUBICSLERP" : "CUBICSPLINE") : undefined;
      default:
        // An exporter of Babylon.js wrote numbers; every viewer takes the default.
        return typeof name === "string" ? undefined : "LINEAR";
    }
  }

  private storageOf(channel: Look, input: Accessor, output: Accessor): Channel["storage"] {
    if (this.draco.has(input.index) || this.draco.has(output.index)) return "draco";
    if (this.used(QUANTIZATION) && this.needsQuantization(channel, input, output)) return "quantization";
    const codecs = [output, input].map((a) => a.view !== undefined && this.storage.compression(a.view)).filter((codec) => codec !== undefined && codec !== false);
    return codecs.length === 0 ? "core" : codecs.some((codec) => codec.at.endsWith(STREAM)) ? "stream" : "meshopt";
  }

  /** Parameters, dotted paths, shapes and types that core does not know. */
  private needsQuantization(channel: Look, input: Accessor, output: Accessor): boolean {
    if (channel.extension(QUANTIZATION)) return true;
    const target = channel.get("target");
    const path = isObject(target) ? target.path : undefined;
    if (input.component !== FLOAT && this.pathOf(channel) !== "") return true;
    switch (path) {
      case "weights":
        return false;
      case "rotation":
        return output.type !== "VEC4";
      case "translation":
      case "scale":
        return output.type !== "VEC3" || output.component !== FLOAT;
      default:
        return this.pathOf(channel) !== "";
    }
  }

  /** The path of a channel, where it is one that EXT_animation_quantization speaks of; else nothing. */
  private pathOf(channel: Look): string {
    const target = channel.get("target");
    const path = isObject(target) ? target.path : undefined;
    return /^((translation|rotation|scale)(\.[xyz])?|weights)$/.test(path) ? path : "";
  }

  /** A channel's curve, its storage undone. */
  async curve(channel: Channel): Promise<Curve> {
    const { object, input, output, interpolation, address } = channel;
    const parameters = this.used(QUANTIZATION) ? object.extension(QUANTIZATION) : undefined;
    const path = this.used(QUANTIZATION) ? this.pathOf(object) : "";
    if (input.type !== "SCALAR") throw malformed(`${input.at}/type`, "times should be SCALAR");
    const quantized = path !== "" || parameters !== undefined;
    const times = await (quantized ? this.quantizedTimes(input, parameters) : this.floats(input));
    const values = await (quantized ? this.quantizedValues(channel, path, parameters) : this.floats(output));
    const width = this.width(channel, values.length, times.length);
    const isDriven = (w: number): boolean => address.targets.some((t) => t.property && t.property !== "weights" && w !== partWidth(t));
    if (!quantized && output.width !== width && output.type !== "SCALAR") {
      throw malformed(`${output.at}/type`, `${output.type} does not fit a value of ${width} components`);
    }
    if (isDriven(width)) throw malformed(object.at, `values have ${width} components`);
    const coarse = !quantized && this.draco.has(output.index) && address.targets.some(isRotation) && width === 4 && elementsPerKey(interpolation) === 1;
    return checked({ interpolation, width, times, values: coarse ? unitRotations(values) : values }, object.at);
  }

  /** Components of a value: what the target asks for, or as many as the values have room for at each key. */
  private width({ address, interpolation, output }: Channel, values: number, keys: number): number {
    const target = address.targets[0];
    if (target?.property && target.property !== "weights") return partWidth(target);
    if (target?.pointer !== undefined && output.type !== "SCALAR") return output.width;
    if (target?.part !== undefined) return 1;
    const width = values / (keys * elementsPerKey(interpolation));
    if (!(width >= 1 && Number.isInteger(width))) throw malformed(output.at, `${values} values do not divide among ${keys} keys`);
    return width;
  }

  private floats(accessor: Accessor): Promise<Float32Array> {
    return this.once(`floats ${accessor.index}`, async () => {
      if (this.draco.has(accessor.index)) return this.draco.floats(accessor.index);
      const stored = await this.storage.elements(accessor);
      this.storage.budget.take(stored.bytes.length * 4, accessor.at);
      return toFloats(stored);
    });
  }

  private quantizedTimes(input: Accessor, parameters: Look | undefined): Promise<Float32Array> {
    const scale = parameters?.number("timeScale") ?? 1;
    if (!(scale > 0 && Number.isFinite(scale))) throw malformed(parameters!.place("timeScale"), "should be greater than zero");
    return this.once(`times ${input.index} ${scale}`, async () => {
      const stored = await this.stored(input);
      return this.decoder.quantizedTimes(stored, scale, `${input.at}/componentType`);
    });
  }

  private quantizedValues({ output, interpolation }: Channel, path: string, parameters: Look | undefined): Promise<Float32Array> {
    const numbers = (key: string, otherwise: number): number[] => {
      const given = parameters?.numbers(key);
      if (given && given.length !== output.width) {
        throw malformed(parameters!.place(key), `${output.type} elements need ${output.width} numbers`);
      }
      return given ?? new Array<number>(output.width).fill(otherwise);
    };
    const [offset, scale] = [numbers("offset", 0), numbers("scale", 1)];
    const cubic = elementsPerKey(interpolation) === 3;
    return this.once(`values ${output.index} ${path} ${offset} ${scale} ${cubic}`, async () => {
      const stored = await this.stored(output);
      return this.decoder.quantizedValues(stored, path, offset, scale, cubic, `${output.at}/type`);
    });
  }

  /** The numbers of an accessor as stored; a stream's are floats. */
  private async stored(accessor: Accessor): ReturnType<Storage["elements"]> {
    // Decoded in double precision on the way, and up to four floats may come of one number.
    this.storage.budget.take(accessor.count * accessor.width * 16, accessor.at);
    if (!this.draco.has(accessor.index)) return this.storage.elements(accessor);
    const floats = await this.draco.floats(accessor.index);
    return { component: FLOAT, normalized: false, bytes: bytesOf(floats) };
  }

  private once(key: string, make: () => Promise<Float32Array>): Promise<Float32Array> {
    let array = this.arrays.get(key);
    if (!array) this.arrays.set(key, (array = make()));
    return array;
  }
}

function isRotation(target: Address["targets"][number]): boolean {
  return target.property === "rotation" || /^\/extensions\/EXT_lights_image_based\/lights\/\d+\/rotation$/.test(target.pointer ?? "");
}

/** Rotations rounded to a stream's grid are not of unit length; each stands for the rotation of its direction. What is of unit length stays as it is. */
function unitRotations(values: Float32Array): Float32Array {
  const keys = values.slice();
  for (let i = 0; i + 4 <= keys.length; i += 4) {
    const [x, y, z, w] = keys.subarray(i, i + 4) as unknown as [number, number, number, number];
    const square = x * x + y * y + z * z + w * w;
    if (Math.abs(square - 1) > 2 ** -22 && square > 0 && square < Infinity) {
      const length = Math.sqrt(square);
      keys.set([x / length, y / length, z / length, w / length], i);
    }
  }
  return keys;
}

function partWidth(target: Address["targets"][number]): number {
  return target.part !== undefined ? 1 : target.property === "rotation" ? 4 : 3;
}

/** The curve, if its times increase and all of its values are there and finite. */
function checked(curve: Curve, at: string): Curve {
  const { times, values, width, interpolation } = curve;
  const expected = times.length * width * elementsPerKey(interpolation);
  if (times.length === 0) throw malformed(at, "there is no key");
  if (values.length !== expected) throw malformed(at, `the keys need ${expected} floats of values, ${values.length} are there`);
  for (let i = 0; i < times.length; i++) {
    if (!Number.isFinite(times[i])) throw malformed(at, `the time of key ${i} is not finite`);
    if (i > 0 && times[i]! <= times[i - 1]!) throw malformed(at, `the time of key ${i} is not later than the one before it`);
  }
  const wrong = values.findIndex((value) => !Number.isFinite(value));
  if (wrong >= 0) throw malformed(at, `a value of key ${Math.floor(wrong / (expected / times.length))} is not finite`);
  return curve;
}
