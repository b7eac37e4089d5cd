// The worker: runs tasks one after the other. It is a file of the page's own, and so is the program: a policy that allows no `blob:` scripts
// allows it, and the browser compiles the program while it arrives.

import { work } from "../../../keyfold/src/program/worker.js";
import { type Tasks, tasks } from "./tasks.js";

/** What the page asks for. */
export interface Request {
  module: WebAssembly.Module;
  task: keyof Tasks;
  input: unknown;
}

export type Answer = { progress: number } | { done: unknown } | { failed: string };

const post = (answer: Answer): void => (self as unknown as { postMessage(answer: Answer): void }).postMessage(answer);

self.onmessage = async ({ data: { module, task, input } }: MessageEvent<Request>) => {
  try {
    const run = async (args: string[], entries: [string, Blob][]): Promise<ReturnType<typeof work>> => {
      const files = new Map<string, Uint8Array>();
      for (const [path, contents] of entries) files.set(`/${path}`, new Uint8Array(await contents.arrayBuffer()));
      return work({ module, args, files }, ({ done }) => post({ progress: done }));
    };
    post({ done: await (tasks[task] as (run: unknown, input: unknown) => Promise<unknown>)(run, input) });
  } catch (error) {
    post({ failed: error instanceof Error ? error.message : String(error) });
  }
};
