// What the page asks the program for, in the worker: command lines over files in memory, and answers in the shapes that the page draws. Long lists
// of numbers leave as typed arrays, so that the page never parses them.

import type { Done } from "../../../keyfold/src/program/worker.js";

/** A file with those beside it, by relative path; `name` is the one that is meant. */
export interface Files {
  name: string;
  entries: [path: string, contents: Blob][];
}

/** Runs the program over files in memory. */
export type Run = (args: string[], files: [path: string, contents: Blob][]) => Promise<Done>;

export interface Finding {
  severity: "error" | "warning" | "info" | "hint";
  code: string;
  at: string;
  message: string;
  subject?: string;
}

export interface TrackLook {
  target: string;
  interpolation: string;
  keys: number;
  storage: string;
  bytes: number;
}

export interface AnimationLook {
  index: number;
  name: string | null;
  duration: number;
  keys: number;
  animation_bytes: number;
  tracks: TrackLook[];
}

/** `inspect` and `validate` in one. */
export interface Look {
  bytes: number;
  extensions: { used: string[]; required: string[] };
  animations: AnimationLook[];
  findings: Finding[];
}

/** What packing came to: the report of `pack --json`, and the files. */
export interface Packed {
  report: PackReport;
  files: Files;
  /** What the program said beside it. */
  notes: string[];
}

export interface PackReport {
  storage: string;
  bytes: { before: number; after: number };
  animation_bytes: { before: number; after: number };
  error: {
    max: number; relative: number; possible?: number; rms: number; bound: number;
    animation: string | null; node: string | null; time: number | null;
    properties: { max: number; target: string | null };
  } | null;
  candidates: { storage: string; animation_bytes: number; gzip_bytes: number; error: number | null; plays: string; quick: boolean }[];
  left: string[];
  copied: boolean;
  failed?: string;
}

export interface Side {
  interpolation: string;
  bytes: number;
  times: Float32Array;
  /** A key after the other, as they are stored: splines have in-tangent, value and out-tangent. */
  values: Float32Array;
}

export interface TrackReport {
  target: string;
  name: string | null;
  before: Side | null;
  after: Side | null;
  /** Degrees for rotations, the property's own unit otherwise. */
  difference: number;
}

export interface JointReport {
  node: number;
  twin: number;
  name: string | null;
  error: number;
  time: number;
  offsets: [number, number, number];
  parts: Float32Array;
}

/** `diff --over-time` of one animation. */
export interface OverTime {
  index: number;
  start: number;
  end: number;
  modelSize: number;
  joints: JointReport[];
  tracks: TrackReport[];
}

/** Values at times, by target: one row a time. */
export interface Lines {
  times: Float64Array;
  targets: Map<string, { width: number; values: Float64Array }>;
}

/** What stands in the program's last words: the place, where there is one, and the message. */
export function complaint(said: string): { message: string; at: string } {
  const lines = said.split("\n").filter((line) => line.startsWith("error: ") && line !== "error: nothing was written");
  const line = (lines[0] ?? said.trim().split("\n")[0] ?? "").replace(/^error: (cannot read [^:]+: )?/, "");
  const [, at, message] = /^(\/[^\s:]+): (.*)$/s.exec(line) ?? [];
  // Files in memory have no system behind them whose numbers would help.
  const plain = (text: string): string => text.replace(/ \(os error \d+\)/g, "").replace(/ \(ANIMATION_CHANNEL_UNREADABLE\)/g, "");
  return { message: plain(message ?? line) || "the program gave no reason", at: at ?? "" };
}

/** An error that says where. */
export class ProgramError extends Error {
  constructor(said: string) {
    super(JSON.stringify(complaint(said)));
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

async function json(run: Run, args: string[], files: Files["entries"]): Promise<Json> {
  const done = await run([...args, "--json"], files);
  if (done.code > 1 || !done.stdout) throw new ProgramError(done.stderr);
  return JSON.parse(done.stdout);
}

/** Files of two documents, each in a folder of its own. */
const inFolder = (folder: string, { entries }: Files): Files["entries"] => entries.map(([path, contents]) => [`${folder}/${path}`, contents]);

export const tasks = {
  async look(run: Run, { files }: { files: Files }): Promise<Look> {
    const { bytes, extensions, animations } = await json(run, ["inspect", files.name], files.entries);
    const { findings } = await json(run, ["validate", files.name], files.entries);
    return { bytes, extensions, animations, findings };
  },

  /** A clip has no document: what it drives is all there is to tell. */
  async clip(run: Run, { files }: { files: Files }): Promise<Look> {
    const info = await json(run, ["clip", "info", files.name], files.entries);
    const tracks = info.tracks.map((track: Json) => ({ target: track.target, interpolation: "LINEAR", keys: info.keys, storage: info.encoding, bytes: 0 }));
    const animation = { index: 0, name: info.animation.name, duration: info.duration, keys: info.keys, animation_bytes: info.bytes, tracks };
    return { bytes: info.bytes, extensions: { used: [], required: [] }, animations: [animation], findings: [] };
  },

  async pack(run: Run, { files, args, output }: { files: Files; args: string[]; output: string }): Promise<Packed> {
    // Quietly: what other storages would take is packed one by one, and shown elsewhere.
    const done = await run([...args, "--json", "--quiet"], files.entries);
    if (!done.stdout) throw new ProgramError(done.stderr);
    const report: PackReport = JSON.parse(done.stdout).files[0];
    if (report.failed) throw new ProgramError(`error: ${report.failed}`);
    const known = new Set(files.entries.map(([path]) => path));
    const made = [...done.files].map(([path, bytes]) => [path.slice(1), new Blob([bytes as Uint8Array<ArrayBuffer>])] as [string, Blob]);
    const entries = made.filter(([path]) => !known.has(path));
    // Images beside the original stay where they are, and belong to both.
    return { report, files: { name: output, entries: [...entries, ...files.entries.filter(([path]) => path !== files.name)] }, notes: done.stderr.split("\n").filter(Boolean) };
  },

  /** The report of `pack` alone, for one point of the picture. */
  async size(run: Run, { files, args }: { files: Files; args: string[] }): Promise<PackReport> {
    const done = await run([...args, "--json", "--quiet"], files.entries);
    if (!done.stdout) throw new ProgramError(done.stderr);
    return JSON.parse(done.stdout).files[0];
  },

  async page(run: Run, { files, args }: { files: Files; args: string[] }): Promise<Blob> {
    const done = await run([...args, "--report", "report.html"], files.entries);
    const page = done.files.get("/report.html");
    if (!page) throw new ProgramError(done.stderr);
    return new Blob([page as Uint8Array<ArrayBuffer>], { type: "text/html" });
  },

  async overTime(run: Run, { a, b, animation }: { a: Files; b: Files; animation: number }): Promise<OverTime> {
    const args = ["diff", `a/${a.name}`, `b/${b.name}`, "--over-time", `--animation=${animation}`];
    const told = await json(run, args, [...inFolder("a", a), ...inFolder("b", b)]);
    const side = (side: Json): Side | null =>
      side && { interpolation: side.interpolation, bytes: side.bytes, times: Float32Array.from(side.times), values: Float32Array.from(side.values.flat()) };
    const [one] = told.over_time;
    return {
      index: animation,
      start: one.start,
      end: one.end,
      modelSize: told.model_size,
      joints: one.joints.map((joint: Json) => ({ ...joint, parts: Float32Array.from(joint.parts) })),
      tracks: one.tracks.map((track: Json) => ({ ...track, before: side(track.before), after: side(track.after) })),
    };
  },

  /** Exact values at times; without targets, of every track. */
  async lines(run: Run, { files, animation, targets, times }: { files: Files; animation: number; targets: string[]; times: number[] | null }): Promise<Lines> {
    const when = times ? `--time=${times.join(",")}` : "--fps=60";
    const isClip = files.name.endsWith(".kfc");
    const patterns = targets.flatMap((target) => ["--track", target, "--track", `${target}.*`]);
    const args = isClip ? ["clip", "sample", files.name, when] : ["sample", files.name, `--animation=${animation}`, when, ...patterns];
    const told = await json(run, args, files.entries);
    const flat = (values: number[][]): { width: number; values: Float64Array } => ({ width: values[0]?.length ?? 0, values: Float64Array.from(values.flat()) });
    const rows = new Map<string, { width: number; values: Float64Array }>(told.tracks.map((track: Json) => [track.target, flat(track.values)]));
    return { times: Float64Array.from(told.times), targets: joinAxes(rows) };
  },

  /** What a file takes after gzip. */
  async gzip(_run: Run, { contents }: { contents: Blob }): Promise<number> {
    let length = 0;
    const count = new WritableStream<Uint8Array>({ write: (piece) => void (length += piece.length) });
    await contents.stream().pipeThrough(new CompressionStream("gzip")).pipeTo(count);
    return length;
  },
};

export type Tasks = typeof tasks;

/** Axes that a storage keeps apart (`/nodes/3/translation.x`), as the one property that they are. */
function joinAxes(rows: Lines["targets"]): Lines["targets"] {
  const whole: Lines["targets"] = new Map();
  for (const [target, { width, values }] of rows) {
    const [, property, axis] = /^(.*)\.([xyz])$/.exec(target) ?? [];
    if (!property) {
      whole.set(target, { width, values });
      continue;
    }
    const joined = whole.get(property) ?? { width: 3, values: new Float64Array(3 * values.length) };
    values.forEach((value, i) => (joined.values[3 * i + "xyz".indexOf(axis!)] = value));
    whole.set(property, joined);
  }
  return whole;
}
