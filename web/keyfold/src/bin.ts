#!/usr/bin/env node
// `npx keyfold ...`: the program on the command line, as the native one.

import fs from "node:fs";
import { isatty } from "node:tty";
import { disk } from "./program/disk.js";
import { loadProgram } from "./program/start.js";
import { runProgram } from "./program/wasi.js";

/** Reads what there is; a pipe that has nothing yet is asked again. */
function stdin(room: Uint8Array): number {
  for (;;) {
    try {
      return fs.readSync(0, room);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Writes all of it; a pipe that is full is asked again. */
function write(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if ((error as { code?: string }).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
process.exitCode = runProgram(await loadProgram(), {
  args: ["keyfold", ...process.argv.slice(2)],
  env,
  files: disk,
  folder: process.cwd(),
  isTerminal: isatty,
  stdin,
  stdout: (bytes) => write(1, bytes),
  stderr: (bytes) => write(2, bytes),
});
