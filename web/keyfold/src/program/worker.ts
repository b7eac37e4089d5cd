// Runs the program in a worker: in a page, or in Node.js.

import { MemoryFiles } from "./files.js";
import { runProgram } from "./wasi.js";

/** What the program is asked for. */
export interface Job {
  module: WebAssembly.Module;
  args: string[];
  /** Files by absolute path. */
  files: Map<string, Uint8Array>;
}

/** What came of it. */
export interface Done {
  code: number;
  stdout: string;
  stderr: string;
  files: Map<string, Uint8Array>;
}

/** What a worker says: where it stands, and at last what came of it. */
export type Message = { progress: Progress } | { done: Done } | { failed: string };

/** How far the work is. */
export interface Progress {
  /** From 0 to 1. */
  done: number;
  /** What is being done. */
  what: string;
}

const PROGRESS = /^progress ([\d.e-]+) ?(.*)$/;

/** Runs the program over files in memory. */
export function work({ module, args, files }: Job, onProgress: (progress: Progress) => void): Done {
  const [stdout, stderr] = [new TextDecoder(), new TextDecoder()];
  let [out, rest, notes] = ["", "", ""];
  const memory = new MemoryFiles(files);
  const code = runProgram(module, {
    args: ["keyfold", ...args],
    env: { KEYFOLD_PROGRESS: "lines" },
    files: memory,
    folder: "/",
    isTerminal: () => false,
    stdin: () => 0,
    stdout: (bytes) => void (out += stdout.decode(bytes, { stream: true })),
    stderr: (bytes) => {
      const lines = (rest + stderr.decode(bytes, { stream: true })).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        const told = PROGRESS.exec(line);
        if (told) onProgress({ done: Number(told[1]), what: told[2]! });
        else notes += `${line}\n`;
      }
    },
  });
  return { code, stdout: out, stderr: notes + rest, files: memory.contents };
}

interface Port {
  postMessage(message: Message): void;
}

declare const self: (Port & { onmessage: (event: { data: Job }) => void }) | undefined;
declare const process: { getBuiltinModule?(name: string): { parentPort: (Port & { on(event: "message", listener: (job: Job) => void): void }) | null } } | undefined;

/** Waits for jobs, where this is a worker. */
export function listen(): void {
  const threads = typeof process === "object" ? process?.getBuiltinModule?.("node:worker_threads") : undefined;
  const port: Port | null | undefined = threads?.parentPort ?? self;
  if (!port) return;
  const answer = (job: Job): void => {
    try {
      port.postMessage({ done: work(job, (progress) => port.postMessage({ progress })) });
    } catch (error) {
      port.postMessage({ failed: error instanceof Error ? error.message : String(error) });
    }
  };
  if (threads?.parentPort) threads.parentPort.on("message", answer);
  else self!.onmessage = ({ data }) => answer(data);
}
