// A look at a JSON value that knows its place, so that what is wrong there can be said with a JSON pointer.

import { malformed } from "./error.js";

/** A value parsed from JSON. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

/** The largest index or count: what 32 bits can say. */
const MOST = 0xffff_ffff;

/** An object of the document, and where it stands. */
export class Look {
  constructor(
    readonly value: Record<string, Json>,
    readonly at: string,
  ) {}

  /** The root of a document. */
  static root(json: Json): Look {
    if (!isObject(json)) throw malformed("", "the JSON is no object");
    return new Look(json, "");
  }

  place(key: string | number): string {
    return `${this.at}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }

  /** A member as it is; `undefined` where there is none. */
  get(key: string): Json {
    return Object.hasOwn(this.value, key) ? this.value[key] : undefined;
  }

  object(key: string): Look | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (!isObject(value)) throw malformed(this.place(key), "should be an object");
    return new Look(value, this.place(key));
  }

  /** The elements of an array member, none where there is no such member; each is looked at when asked for. */
  list(key: string): List {
    const value = this.get(key);
    if (value !== undefined && !Array.isArray(value)) throw malformed(this.place(key), "should be an array");
    return new List(value ?? [], this.place(key));
  }

  index(key: string): number | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    if (!isIndex(value)) throw malformed(this.place(key), "should be a whole number");
    return value;
  }

  needIndex(key: string): number {
    return this.index(key) ?? this.missing(key);
  }

  text(key: string): string | undefined {
    const value = this.get(key);
    if (value !== undefined && typeof value !== "string") throw malformed(this.place(key), "should be a string");
    return value;
  }

  needText(key: string): string {
    return this.text(key) ?? this.missing(key);
  }

  needObject(key: string): Look {
    return this.object(key) ?? this.missing(key);
  }

  number(key: string): number | undefined {
    const value = this.get(key);
    if (value !== undefined && typeof value !== "number") throw malformed(this.place(key), "should be a number");
    return value;
  }

  numbers(key: string): number[] | undefined {
    const value = this.get(key);
    if (value === undefined) return undefined;
    const isNumbers = Array.isArray(value) && value.every((v) => typeof v === "number");
    if (!isNumbers) throw malformed(this.place(key), "should be an array of numbers");
    return value;
  }

  flag(key: string): boolean {
    const value = this.get(key);
    if (value !== undefined && typeof value !== "boolean") throw malformed(this.place(key), "should be true or false");
    return value ?? false;
  }

  /** The object that an extension keeps here. */
  extension(name: string): Look | undefined {
    return this.object("extensions")?.object(name);
  }

  private missing(key: string): never {
    throw malformed(this.at, `\`${key}\` is missing`);
  }
}

/** An array of objects, and where it stands. */
export class List {
  constructor(
    readonly values: Json[],
    readonly at: string,
  ) {}

  get length(): number {
    return this.values.length;
  }

  /** The element at an index; it must be there and be an object. */
  element(index: number): Look {
    const at = `${this.at}/${index}`;
    if (index >= this.values.length) throw malformed(at, "does not exist");
    if (!isObject(this.values[index])) throw malformed(at, "should be an object");
    return new Look(this.values[index], at);
  }

  /** Every element. */
  *[Symbol.iterator](): Generator<Look> {
    for (let i = 0; i < this.length; i++) yield this.element(i);
  }
}

export function isObject(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isIndex(value: Json): value is number {
  return Number.isInteger(value) && value >= 0 && value <= MOST;
}
