// `keyfold/tools`: the whole program over bytes in memory, in a worker. Settings and reports are those of the command line: `maxError` is
// `--max-error`, and a report is what `--json` prints.

import { KeyfoldError, asKeyfoldError } from "./error.js";
import { type RunOptions, run as runProgram } from "./program/start.js";

export { KeyfoldError } from "./error.js";
export type { RunOptions } from "./program/start.js";
export type { Progress } from "./program/worker.js";

/** A report as `--json` prints it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Report = any;

export type Storage = "core" | "quantization" | "draco" | "meshopt" | "stream";

/** Further settings of a command: `--some-option VALUE` is `someOption: VALUE`, a flag is `true`. */
export interface Settings extends RunOptions {
  /** Files beside the document, by relative path: buffers that it refers to. */
  files?: Record<string, Uint8Array>;
  [option: string]: unknown;
}

export interface PackSettings extends Settings {
  /** How far points may move: `"0.01%"` of the model's size, a length (`"0.1mm"`), or scene units. */
  maxError?: string | number;
  storage?: Storage | "smallest";
}

export interface ConvertSettings extends Settings {
  storage?: Storage;
  targets?: "core" | "pointer" | "animation2";
  rotation?: "linear" | "cubicspline" | "cubicslerp";
  maxError?: string | number;
}

export interface SampleSettings extends Settings {
  animation?: string | number;
  /** Seconds. */
  time?: number[];
  fps?: number;
}

/** A file, and what there is to say about it. */
export interface Made {
  bytes: Uint8Array;
  /** What the program said beside its result, line by line. */
  notes: string[];
}

/** The smallest file within an error bound. */
export async function pack(bytes: Uint8Array, settings: PackSettings = {}): Promise<Made & { report: Report }> {
  const made = await make(["pack", INPUT, "-o", "/out.glb", "--json"], "/out.glb", { [INPUT]: bytes }, settings);
  return { bytes: made.bytes, notes: made.notes, report: JSON.parse(made.stdout) };
}

/** The file in another form; without settings a faithful copy. */
export async function convert(bytes: Uint8Array, settings: ConvertSettings = {}): Promise<Made> {
  const { bytes: out, notes } = await make(["convert", INPUT, "-o", "/out.glb"], "/out.glb", { [INPUT]: bytes }, settings);
  return { bytes: out, notes };
}

/** One animation as a runtime clip, for `keyfold/clip`. */
export async function buildClip(bytes: Uint8Array, settings: Settings = {}): Promise<Made & { report: Report }> {
  const made = await make(["clip", "build", INPUT, "-o", "/out.kfc", "--json"], "/out.kfc", { [INPUT]: bytes }, settings);
  return { bytes: made.bytes, notes: made.notes, report: JSON.parse(made.stdout) };
}

/** How far two files' animations lie apart. */
export async function diff(a: Uint8Array, b: Uint8Array, settings: Settings = {}): Promise<Report> {
  return tell(["diff", "/a.glb", "/b.glb", "--json"], { "/a.glb": a, "/b.glb": b }, settings);
}

/** Whether a file keeps the rules. */
export async function validate(bytes: Uint8Array, settings: Settings = {}): Promise<Report> {
  return tell(["validate", INPUT, "--json"], { [INPUT]: bytes }, settings);
}

/** The exact values of an animation at times. */
export async function sample(bytes: Uint8Array, settings: SampleSettings): Promise<Report> {
  return tell(["sample", INPUT, "--json"], { [INPUT]: bytes }, settings);
}

/** A whole command line over files in memory; nothing is thrown for its exit code. */
export async function run(args: string[], files: Record<string, Uint8Array>, options: RunOptions = {}): Promise<CommandResult> {
  const paths = new Map(Object.entries(files).map(([path, bytes]) => [absolute(path), bytes]));
  const done = await runProgram(args, paths, options);
  const left = Object.fromEntries([...done.files].map(([path, bytes]) => [path.slice(1), bytes]));
  return { code: done.code, stdout: done.stdout, stderr: done.stderr, files: left };
}

/** What a command line came to. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
  /** All files that are there at the end, by relative path. */
  files: Record<string, Uint8Array>;
}

const INPUT = "/in.glb";

async function make(args: string[], output: string, files: Record<string, Uint8Array>, settings: Settings): Promise<Made & { stdout: string }> {
  const { done, notes } = await command(args, files, settings);
  const bytes = done.files.get(output);
  if (!bytes) throw new KeyfoldError("internal", notes.join("\n") || "nothing was written");
  return { bytes, notes, stdout: done.stdout };
}

async function tell(args: string[], files: Record<string, Uint8Array>, settings: Settings): Promise<Report> {
  return JSON.parse((await command(args, files, settings)).done.stdout);
}

async function command(args: string[], inputs: Record<string, Uint8Array>, settings: Settings): Promise<{ done: Awaited<ReturnType<typeof runProgram>>; notes: string[] }> {
  try {
    const { onProgress, signal, worker, files, ...flags } = settings;
    const beside = Object.entries(files ?? {}).map(([path, bytes]) => [absolute(path), bytes] as const);
    const options = { ...(onProgress && { onProgress }), ...(signal && { signal }), ...(worker !== undefined && { worker }) };
    const done = await runProgram([...args, ...spelled(flags)], new Map([...beside, ...Object.entries(inputs)]), options);
    const notes = done.stderr.split("\n").filter((line) => line !== "");
    if (done.code === 2) throw refusal(notes.join("\n"));
    return { done, notes };
  } catch (error) {
    throw asKeyfoldError(error);
  }
}

function absolute(path: string): string {
  return `/${path.replace(/^(\.?\/)+/, "")}`;
}

/** Settings as the command line has them. */
function spelled(settings: Record<string, unknown>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}`;
    if (value === undefined || value === false) return [];
    if (value === true) return [option];
    if (Array.isArray(value)) return [`${option}=${value.join(",")}`];
    if (typeof value === "string" || typeof value === "number") return [`${option}=${value}`];
    throw new KeyfoldError("usage", `\`${name}\` is neither text, number, list nor flag`);
  });
}

/** What the program said when it gave up, as an error. */
function refusal(said: string): KeyfoldError {
  const message = said.replace(/^error: /, "").replace(/^\/(in|a|b)\.glb: /, "");
  const [, at, what] = /^(\/[^\s:]+): (.*)$/s.exec(message) ?? [];
  const usage = /\n\nUsage: |For more information, try/.test(said);
  return new KeyfoldError(usage ? "usage" : /raise the limits\)/.test(said) ? "limit" : "malformed", what ?? message, at ?? "");
}
