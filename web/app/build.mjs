// Builds the page into `dist`: plain files that any web server can hand out, from any path. Needs the npm package beside it to be built.
//
// Names carry a hash of what is inside, so that a new page never meets an old part of itself in a cache.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

const app = new URL(".", import.meta.url).pathname;
const dist = join(app, "dist");
const SAMPLES = ["figure.glb", "machine.glb", "face.glb", "lamp.gltf", "lamp.bin"];

/** Puts a file into the page under a name of its contents. */
function place(name, contents) {
  const hash = createHash("sha256").update(contents).digest("hex").slice(0, 8);
  const hashed = name.replace(/\.(\w+)$/, `-${hash}.$1`);
  writeFileSync(join(dist, hashed), contents);
  return hashed;
}

/** A bundle by its entry; the others are chunks that it loads when they are wanted. */
async function bundle(entry, define, format) {
  const { metafile } = await build({
    absWorkingDir: app,
    entryPoints: [`src/${entry}`],
    outdir: "dist",
    bundle: true,
    minify: true,
    metafile: true,
    splitting: format === "esm",
    format,
    target: "es2022",
    platform: "browser",
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    logLevel: "warning",
    // The package says itself that its parts have no side effects.
    logOverride: { "ignored-bare-import": "silent" },
    define,
  });
  const made = Object.entries(metafile.outputs).find(([, output]) => output.entryPoint === `src/${entry}`);
  return basename(made[0]);
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(join(dist, "samples"), { recursive: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "app"], { cwd: join(app, ".."), stdio: "inherit" });
const program = place("program.wasm", readFileSync(join(app, "../keyfold/src/generated/program.wasm")));
const worker = await bundle("program/worker.ts", {}, "iife");
const script = await bundle("main.ts", { PROGRAM_FILE: JSON.stringify(program), WORKER_FILE: JSON.stringify(worker) }, "esm");
const style = place("style.css", readFileSync(join(app, "style.css"), "utf8").replace(/\n\s*/g, "\n"));
const html = readFileSync(join(app, "index.html"), "utf8");
writeFileSync(join(dist, "index.html"), html.replace("main.js", script).replace("style.css", style));
copyFileSync(join(app, "icon.svg"), join(dist, "icon.svg"));
for (const name of SAMPLES) copyFileSync(join(app, "../../samples", name), join(dist, "samples", name));
