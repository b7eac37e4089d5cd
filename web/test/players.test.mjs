// Every storage x every kind of curve x {three.js, Babylon.js} in Chromium: what the players show is what `keyfold sample` says.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, page, serve } from "./browser.mjs";
import { difference } from "./difference.mjs";
import { keyfold, root, scratch } from "./program.mjs";

const TOLERANCE = 5e-5;
/** What Babylon resamples (CUBICSLERP) stays within this share of the model, as does what is compared. */
const RESAMPLED = 1e-4;

const STORAGES = ["core", "quantization", "draco", "meshopt", "stream"];
const sample = (name) => join(root, "samples", name);

/** A kind of curve: a file that has it, an animation of that file, and which of its tracks. */
const KINDS = [
  { kind: "LINEAR", file: "figure.glb", animation: 0 },
  { kind: "STEP", file: "machine.glb", animation: 0, only: "STEP" },
  { kind: "CUBICSPLINE", file: "machine.glb", animation: 0, only: "CUBICSPLINE" },
  { kind: "CUBICSLERP", file: "machine.glb", animation: 0, only: "CUBICSLERP", convert: ["--rotation", "cubicslerp"] },
  { kind: "weights", file: "face.glb", animation: 0 },
  { kind: "weights, cubic", file: "face.glb", animation: 1 },
  { kind: "pointers", file: "lamp.gltf", animation: 0 },
  { kind: "KHR_animation2", file: "lamp.gltf", animation: 0, convert: ["--targets", "animation2"] },
];

/** Cells that are empty, and why. */
const EMPTY = { "draco CUBICSLERP": "written as CUBICSPLINE" };

const folder = scratch();
let server, browser;

/** The other end of what is supported; the newest versions are those without a name of their own. */
const OLDEST = { three: "three-oldest", babylon: { core: "babylon-core-oldest", loaders: "babylon-loaders-oldest" } };

async function open(path) {
  const tab = await browser.newPage();
  tab.on("pageerror", (error) => console.log(`page: ${error.message}`));
  await tab.goto(server.address + path);
  return tab;
}

before(async () => {
  server = await serve(folder, { "/": { body: page() }, "/oldest": { body: page("", OLDEST) } });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

const prepared = new Map();

/** A file in a storage, made once. */
function prepare(kind, storage) {
  const key = `${kind.kind} ${storage}`;
  if (!prepared.has(key)) prepared.set(key, makeFile(kind, storage));
  return prepared.get(key);
}

/** A file in a storage, with what the program says about it at 20 times away from the edges of STEP. */
async function makeFile({ kind, file, animation, only, convert = [] }, storage) {
  const name = `${kind.replace(/\W+/g, "_")}.${storage}.glb`;
  const path = join(folder, name);
  // Plain floats are what a file has without being asked for; `--storage core` would undo CUBICSLERP.
  const stored = storage === "core" ? [] : ["--storage", storage];
  const converted = await keyfold("convert", sample(file), ...convert, ...stored, "-o", path);
  assert.ok(converted.code < 2, `${name}: ${converted.stderr}`);
  const inspected = JSON.parse((await keyfold("inspect", path, "--json")).stdout).animations[animation];
  const tracks = inspected.tracks.filter((track) => !only || track.interpolation === only);
  assert.ok(tracks.length > 0, `${name} has no ${only}`);
  const wanted = new Set(tracks.map((track) => wholeTarget(track.target)));
  const times = Array.from({ length: 20 }, (_, i) => ((i + 0.37) / 20) * inspected.duration);
  const ask = async (file) => JSON.parse((await keyfold("sample", file, "--animation", String(animation), "--time", times.join(","), "--json")).stdout).tracks;
  const said = await ask(path);
  const axes = said.filter((track) => track.target !== wholeTarget(track.target));
  if (axes.length > 0) {
    // Players show whole properties: what a joined one is says the program, too.
    const plain = join(folder, `${name}.plain.glb`);
    await keyfold("unpack", path, "-o", plain);
    const whole = new Set(axes.map((track) => wholeTarget(track.target)));
    said.push(...(await ask(plain)).filter((track) => whole.has(track.target)));
  }
  return { name, times, expected: said.filter((track) => wanted.has(track.target)) };
}

const wholeTarget = (target) => target.replace(/\.[xyz]$/, "");

// Babylon lets a cubic curve that ends before its animation swing on with the tangents of its last key: with plain files, too.
const PLAYERS = [["three", "/"], ["babylon", "/"], ["three", "/oldest"], ["babylon", "/oldest"]];
for (const [player, path] of PLAYERS) {
  test(`${player} shows what the program says${path === "/" ? "" : ", in its oldest version"}`, async () => {
    const tab = await open(path);
    const matrix = {};
    const failures = [];
    for (const kind of KINDS) {
      matrix[kind.kind] = {};
      for (const storage of STORAGES) {
        const reason = EMPTY[`${storage} ${kind.kind}`] ?? EMPTY[`${player} ${storage}`];
        if (reason) {
          matrix[kind.kind][storage] = `(${reason})`;
          continue;
        }
        const { name, times, expected } = await prepare(kind, storage);
        const ask = { player, name, times, animation: kind.animation, targets: expected.map((track) => track.target) };
        const shown = await tab
          .evaluate(async ({ player, name, times, animation, targets }) => {
            const players = await import("/test/players.js");
            const file = await players[player](`${location.origin}/files/${name}`);
            return file.sample(animation, times, targets);
          }, ask)
          .catch((error) => error);
        if (shown instanceof Error) {
          matrix[kind.kind][storage] = "failed";
          failures.push(`${name}: ${shown.message}`);
          continue;
        }
        const { worst, where } = difference(expected, shown, !(player === "babylon" && kind.kind.startsWith("CUBIC")));
        matrix[kind.kind][storage] = worst.toExponential(1);
        const most = player === "babylon" && kind.kind === "CUBICSLERP" ? RESAMPLED : TOLERANCE;
        if (!(worst <= most)) failures.push(`${name}: ${worst} off: ${where}`);
      }
    }
    await tab.close();
    console.log(player, path);
    console.table(matrix);
    assert.deepEqual(failures, []);
  });
}
