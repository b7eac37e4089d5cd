// Starts the program in a worker of its own. The worker's text and the module lie in the JavaScript, so that no bundler has to know of them;
// the module is fetched when it is first used.

import { KeyfoldError, throwIfAborted } from "../error.js";
import { lazyModule } from "../inline.js";
import text from "./worker-entry.ts?text";
import { type Done, type Job, type Message, type Progress, work } from "./worker.js";

/** What every call may be given. */
export interface RunOptions {
  /** Told how far the work is. */
  onProgress?: (progress: Progress) => void;
  /** Ends the work at once. */
  signal?: AbortSignal;
  /** Whether to work in a worker; where a Content-Security-Policy allows none from `blob:`, say `false`. */
  worker?: boolean;
}

/** The program, compiled once. */
export const loadProgram = lazyModule(async () => (await import("../generated/program.wasm")).default);

/** Runs a command line over files in memory. */
export async function run(args: string[], files: Map<string, Uint8Array>, options: RunOptions = {}): Promise<Done> {
  throwIfAborted(options.signal);
  const job: Job = { module: await loadProgram(), args, files };
  const onProgress = options.onProgress ?? (() => {});
  if (options.worker === false) return work(job, onProgress);
  return inWorker(job, onProgress, options.signal);
}

/** A worker of a page or of Node.js. */
interface Thread {
  postMessage(job: Job): void;
  terminate(): unknown;
}

function inWorker(job: Job, onProgress: (progress: Progress) => void, signal: AbortSignal | undefined): Promise<Done> {
  return new Promise((resolve, reject) => {
    const hear = (message: Message): void => {
      if ("progress" in message) return onProgress(message.progress);
      end();
      if ("done" in message) resolve(message.done);
      else reject(new KeyfoldError("internal", message.failed));
    };
    const fail = (error: { message?: string }): void => {
      end();
      reject(new KeyfoldError("internal", `the worker ended: ${error.message ?? "no reason given"}`));
    };
    const thread = startThread(hear, fail);
    const abort = (): void => {
      end();
      reject(new KeyfoldError("aborted", "the signal ended it", "", { cause: signal?.reason }));
    };
    const end = (): void => {
      signal?.removeEventListener("abort", abort);
      thread.terminate();
    };
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) return abort();
    thread.postMessage(job);
  });
}

interface NodeThreads {
  Worker: new (text: string, options: { eval: true }) => Thread & { on(event: string, listener: (value: never) => void): void };
}

declare const process: { getBuiltinModule?(name: string): NodeThreads } | undefined;

function startThread(hear: (message: Message) => void, fail: (error: { message?: string }) => void): Thread {
  if (typeof Worker === "undefined") {
    const threads = typeof process === "object" ? process?.getBuiltinModule?.("node:worker_threads") : undefined;
    if (!threads) throw new KeyfoldError("unsupported", "there are no workers here; `worker: false` does without");
    const thread = new threads.Worker(text, { eval: true });
    thread.on("message", hear as (value: never) => void);
    thread.on("error", fail as (value: never) => void);
    return thread;
  }
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = fail;
  return worker;
}
