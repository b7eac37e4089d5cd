// The native program, and the files that tests work on.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

export const root = new URL("../..", import.meta.url).pathname;

/** The native program; `cargo xtask test` says where it is. */
export const program = process.env.KEYFOLD ?? join(root, "target/release/keyfold");

/** Whether to take the time for all files: `cargo xtask test --full`. */
export const full = process.env.KEYFOLD_FULL !== undefined;

const run = promisify(execFile);

/** Runs the program; its exit code and what it printed. */
export async function keyfold(...args) {
  try {
    const { stdout, stderr } = await run(program, args, { maxBuffer: 1 << 28, encoding: "utf8" });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

/** A folder of one's own, for as long as the tests run. */
export function scratch() {
  return mkdtempSync(join(tmpdir(), "keyfold-web-"));
}

function filesUnder(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesUnder(path) : [path];
  });
}

const isGltf = (path) => /\.(glb|gltf|vrm|vrma)$/.test(path);

/** Our own animated files. */
export const samples = ["figure.glb", "machine.glb", "face.glb", "lamp.gltf"].map((name) => join(root, "samples", name));

/** Every file of the conformance sets, broken ones included. */
export const conformance = filesUnder(join(root, "samples/conformance")).filter(isGltf);

const shared = join(root, "../shared/corpus");

/** Files of others, where they are at hand: the small ones, or all of them where there is time. */
export const corpus = existsSync(shared)
  ? filesUnder(shared).filter((path) => isGltf(path) && !path.includes("/invalid/") && (full || statSync(path).size < 200_000))
  : [];

/** Runs a task over items, a few at a time. */
export async function forEach(items, task, atOnce = 3) {
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await task(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
