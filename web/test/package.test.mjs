// The package as users get it: packed by `npm pack`, installed into an empty project, built by Vite, by webpack and by nobody, run in Chromium; its
// types in a strict TypeScript project.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, serve } from "./browser.mjs";
import { keyfold, root, scratch } from "./program.mjs";

const folder = scratch();
const project = join(folder, "project");
const modules = join(root, "web/node_modules");
let server, browser;

const MAIN = `
import { inspect, isPacked, unpack } from "keyfold";
import { openClip } from "keyfold/clip";
import { pack } from "keyfold/tools";
import { KeyfoldPlugin } from "keyfold/three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

const load = async (name) => new Uint8Array(await (await fetch("/files/" + name)).arrayBuffer());
try {
  const packed = await load("packed.glb");
  const plain = await unpack(packed);
  const loader = new GLTFLoader();
  loader.register((parser) => new KeyfoldPlugin(parser));
  const { animations } = await loader.parseAsync(packed.buffer, "");
  const clip = await openClip(await load("machine.kfc"));
  clip.sample(0.2, new Float32Array(clip.poseLength));
  const smaller = await pack(await load("machine.glb"), { storage: "stream" });
  document.body.dataset.done = JSON.stringify({
    packed: [isPacked(packed), isPacked(plain)],
    animations: [(await inspect(packed)).animations.length, animations.length],
    tracks: clip.tracks.length > 0,
    smaller: smaller.bytes.length < (await load("machine.glb")).length,
  });
} catch (error) {
  document.body.dataset.done = String(error.stack);
}
`;
const EXPECTED = { packed: [true, false], animations: [2, 2], tracks: true, smaller: true };

const html = (head) => `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><body>${head}</body>`;

before(async () => {
  const machine = join(root, "samples/machine.glb");
  await keyfold("convert", machine, "--storage", "quantization", "-o", join(folder, "packed.glb"));
  await keyfold("clip", "build", machine, "-o", join(folder, "machine.kfc"));
  writeFileSync(join(folder, "machine.glb"), readFileSync(machine));
  const npm = (args, cwd) => execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const [{ filename }] = JSON.parse(npm(["pack", "--json", "--pack-destination", folder], join(root, "web/keyfold")));
  mkdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  npm(["install", "--offline", "--no-audit", "--no-fund", join(folder, filename)], project);
  // What the package leaves to its user.
  for (const peer of ["three", "@types", "@babylonjs"]) symlinkSync(join(modules, peer), join(project, "node_modules", peer));
  writeFileSync(join(project, "main.js"), MAIN);
  writeFileSync(join(project, "index.html"), html('<script type="module" src="./main.js"></script>'));
  server = await serve(folder);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** What the page of a build says. */
async function run(path) {
  const tab = await browser.newPage();
  tab.on("pageerror", (error) => console.log(`page: ${error.message}`));
  await tab.goto(`${server.address}/files/project/${path}`);
  await tab.waitForSelector("body[data-done]", { timeout: 240_000, state: "attached" });
  const done = await tab.evaluate(() => document.body.dataset.done);
  await tab.close();
  return done.startsWith("{") ? JSON.parse(done) : done;
}

test("the package holds what it should, and nothing else", () => {
  const names = readdirSync(join(project, "node_modules/keyfold"));
  assert.deepEqual(names.sort(), ["README.md", "dist", "package.json"]);
  const { dependencies } = JSON.parse(readFileSync(join(project, "node_modules/keyfold/package.json"), "utf8"));
  assert.equal(dependencies, undefined);
});

test("no bundler", async () => {
  const at = "/files/project/node_modules/";
  const entries = ["clip", "tools", "three"].map((name) => [`keyfold/${name}`, `${at}keyfold/dist/${name}.js`]);
  const imports = { keyfold: `${at}keyfold/dist/index.js`, ...Object.fromEntries(entries), three: `${at}three/build/three.module.js`, "three/addons/": `${at}three/examples/jsm/` };
  const page = html(`<script type="importmap">${JSON.stringify({ imports })}</script><script type="module" src="main.js"></script>`);
  writeFileSync(join(project, "none.html"), page);
  assert.deepEqual(await run("none.html"), EXPECTED);
});

test("Vite", async () => {
  const { build } = await import("vite");
  await build({ root: project, base: "./", logLevel: "warn", configFile: false, build: { outDir: "vite", target: "es2022" } });
  assert.deepEqual(await run("vite/index.html"), EXPECTED);
});

test("webpack", async () => {
  const { default: webpack } = await import("webpack");
  const output = { path: join(project, "webpack"), filename: "main.js", publicPath: "auto" };
  const stats = await new Promise((resolve, reject) => {
    const options = { mode: "production", context: project, entry: "./main.js", output, optimization: { minimize: false }, performance: { hints: false } };
    webpack(options, (error, stats) => (error ? reject(error) : resolve(stats)));
  });
  assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }).errors, []);
  writeFileSync(join(project, "webpack/index.html"), html('<script type="module" src="main.js"></script>'));
  assert.deepEqual(await run("webpack/index.html"), EXPECTED);
});

const CONSUMER = `
import { inspect, isPacked, KeyfoldError, unpack, type Inspection, type Options } from "keyfold";
import { openClip, type Clip } from "keyfold/clip";
import { convert, diff, pack, type PackSettings } from "keyfold/tools";
import { animationClip, KeyfoldPlugin } from "keyfold/three";
import { registerKeyfold } from "keyfold/babylon";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import type { AnimationClip } from "three";

export async function use(bytes: Uint8Array): Promise<number> {
  const options: Options = { resolve: async (uri: string) => new Uint8Array(uri.length), limits: { memory: 1e9 }, signal: new AbortController().signal };
  const plain: Uint8Array = await unpack(bytes, options);
  const told: Inspection = await inspect(plain);
  const settings: PackSettings = { maxError: "0.1%", storage: "stream", onProgress: ({ done }) => void done.toFixed(2) };
  const { bytes: smaller } = await pack(plain, settings);
  await diff(plain, (await convert(smaller, { storage: "meshopt" })).bytes);
  const clip: Clip = await openClip(bytes);
  const pose = new Float32Array(clip.poseLength);
  clip.sample(0.5, pose);
  const loader = new GLTFLoader();
  loader.register((parser) => new KeyfoldPlugin(parser, { limits: { memory: 1e8 } }));
  const gltf = await loader.loadAsync("walk.glb");
  const played: AnimationClip = await animationClip(clip, gltf);
  registerKeyfold();
  try {
    return isPacked(bytes) ? told.animations.length : played.tracks.length;
  } catch (error) {
    if (error instanceof KeyfoldError && error.code === "malformed") return error.at.length;
    throw error;
  }
}
// @ts-expect-error an option that is not there
void unpack(new Uint8Array(), { limit: 1 });
`;

for (const [moduleResolution, module] of [["bundler", "es2022"], ["nodenext", "nodenext"]]) {
  test(`types in a strict project, as ${moduleResolution} finds them`, () => {
    writeFileSync(join(project, "consumer.ts"), CONSUMER);
    const compilerOptions = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: "es2022", lib: ["es2022", "dom"], module, moduleResolution, types: [], skipLibCheck: true };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
    const said = (() => {
      try {
        return execFileSync(process.execPath, [join(modules, "typescript/bin/tsc"), "-p", project], { encoding: "utf8" });
      } catch (error) {
        return error.stdout;
      }
    })();
    assert.equal(said, "");
  });
}
