// The program from the page's side: lanes of work, each a worker that does one task after the other. What is no longer wanted is ended, wherever
// it is.

import type { Answer, Request } from "./worker.js";
import type { Tasks } from "./tasks.js";
import type { Trouble } from "../state.js";

declare const PROGRAM_FILE: string;
declare const WORKER_FILE: string;

const address = (file: string): string => new URL(file, document.baseURI).href;

let compiled: Promise<WebAssembly.Module> | undefined;

/** The program, fetched when it is first wanted. */
export function loadProgram(): Promise<WebAssembly.Module> {
  compiled ??= WebAssembly.compileStreaming(fetch(address(PROGRAM_FILE)));
  // Who was offline may try again.
  compiled.catch(() => (compiled = undefined));
  return compiled;
}

/** What a task said when it gave up. */
export class TaskError extends Error {
  constructor(readonly trouble: Omit<Trouble, "title">) {
    super(trouble.message);
  }
}

/** It was ended on purpose. */
export class Ended extends Error {}

export interface Options {
  signal?: AbortSignal | undefined;
  onProgress?: (done: number) => void;
}

type Output<Name extends keyof Tasks> = Awaited<ReturnType<Tasks[Name]>>;
type Input<Name extends keyof Tasks> = Parameters<Tasks[Name]>[1];

/** A worker that read more than this is not kept: what it holds would stay with it. */
const HEAVY = 16 << 20;

/** What a task has to read: all files in its input. */
function weightOf(input: unknown): number {
  if (input instanceof Blob) return input.size;
  return typeof input === "object" && input !== null ? Object.values(input).reduce((sum: number, part) => sum + weightOf(part), 0) : 0;
}

/** A worker and those who wait for it. */
export class Lane {
  private worker: Worker | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** Runs a task when those before it are done. */
  ask<Name extends keyof Tasks>(task: Name, input: Input<Name>, options: Options = {}): Promise<Output<Name>> {
    const asked = this.last.then(() => this.run(task, input, options)) as Promise<Output<Name>>;
    this.last = asked.catch(() => {});
    return asked;
  }

  private async run(task: keyof Tasks, input: unknown, { signal, onProgress }: Options): Promise<unknown> {
    if (signal?.aborted) throw new Ended();
    const module = await loadProgram().catch((error: Error) => {
      throw new TaskError({ message: `The program could not be loaded: ${error.message}`, at: "" });
    });
    if (signal?.aborted) throw new Ended();
    const worker = (this.worker ??= new Worker(address(WORKER_FILE)));
    const finished = new AbortController();
    const answer = new Promise((resolve, reject) => {
      const end = (): void => {
        worker.terminate();
        this.worker = undefined;
      };
      signal?.addEventListener("abort", () => (end(), reject(new Ended())), { once: true, signal: finished.signal });
      worker.onmessage = ({ data }: MessageEvent<Answer>) => {
        if ("progress" in data) return onProgress?.(data.progress);
        if (weightOf(input) > HEAVY) end();
        if ("done" in data) resolve(data.done);
        else reject(new TaskError(told(data.failed)));
      };
      worker.onerror = (event) => {
        end();
        reject(new TaskError({ message: `The worker ended: ${event.message || "it ran out of memory"}`, at: "" }));
      };
      worker.postMessage({ module, task, input } satisfies Request);
    });
    // What is done cannot be ended any more: the worker is somebody else's then.
    return answer.finally(() => finished.abort());
  }
}

/** Words and a place, or whatever else was thrown. */
function told(failed: string): Omit<Trouble, "title"> {
  try {
    const { message, at } = JSON.parse(failed);
    return { message, at };
  } catch {
    return { message: failed, at: "" };
  }
}

/** What is looked at, what is packed, and what can wait. */
export const lanes = { look: new Lane(), pack: new Lane(), background: new Lane() };
