// Parts of the page that need no browser: areas, command lines, rotations as they are drawn, what a file's bytes are.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";
import { root } from "../../test/program.mjs";

const source = new URL("../src/", import.meta.url).pathname;

/** A module of the page. */
async function load(path) {
  const { outputFiles } = await build({ entryPoints: [join(source, path)], bundle: true, format: "esm", write: false, logLevel: "error" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

const { tiles } = await load("sizes/treemap.ts");
const { weigh } = await load("sizes/weights.ts");
const { DEFAULTS, packCommand, packedName, shellLine } = await load("settings.ts");
const { drawn } = await load("curves/values.ts");
const { complaint } = await load("program/tasks.ts");

test("areas are to each other as bytes are, inside the room, and none lies over another", () => {
  const parts = [500, 130, 77, 77, 20, 3, 0].map((bytes, i) => ({ name: String(i), bytes, group: 0, parts: [] }));
  const laid = tiles(parts, { x: 5, y: 7, width: 160, height: 100 });
  assert.equal(laid.length, 6);
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { weight, x, y, width, height } of laid) {
    assert.ok(Math.abs(width * height - (16000 * weight.bytes) / total) < 1e-6);
    assert.ok(x >= 5 - 1e-9 && y >= 7 - 1e-9 && x + width <= 165 + 1e-9 && y + height <= 107 + 1e-9);
  }
  for (const a of laid) for (const b of laid) {
    if (a === b) continue;
    const over = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 1e-9 && Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 1e-9;
    assert.ok(!over);
  }
});

test("a file's parts weigh what the file does", () => {
  const file = readFileSync(join(root, "samples/face.glb"));
  const length = file.readUInt32LE(12);
  const json = JSON.parse(file.subarray(20, 20 + length));
  const animations = [{ index: 0, name: "talk", animation_bytes: 100, tracks: [{ target: "/nodes/0/rotation", bytes: 150 }, { target: "/nodes/0/weights", bytes: 50 }] }];
  const { bytes, parts } = weigh(json, length, file.length, animations, new Map());
  assert.ok(Math.abs(bytes - file.length) < 1, `${bytes} of ${file.length}`);
  const [clip] = parts.find(({ name }) => name === "Animations").parts;
  assert.deepEqual(clip.parts.map((part) => part.bytes), [75, 25]);
});

test("command lines are what a shell takes", () => {
  const settings = { ...DEFAULTS, bound: "0.5mm", storage: "stream", keep: ["it's *"] };
  assert.equal(shellLine(packCommand("my walk.glb", settings)), `keyfold pack 'my walk.glb' -o 'my walk.packed.glb' --max-error 0.5mm --storage stream --keep 'it'\\''s *'`);
  assert.deepEqual(["a.gltf", "b.vrma", "c", "d.e.glb"].map(packedName), ["a.packed.glb", "b.packed.vrma", "c.packed.glb", "d.e.packed.glb"]);
});

test("rotations are drawn without jumps", () => {
  const turns = Array.from({ length: 40 }, (_, i) => (i * 30 * Math.PI) / 180);
  // Every other quaternion is written as its negative, which means the same.
  const values = Float64Array.from(turns.flatMap((turn, i) => [0, 0, Math.sin(turn / 2), Math.cos(turn / 2)].map((v) => (i % 2 ? -v : v))));
  const rows = { width: 4, values };
  const euler = drawn("/nodes/0/rotation", rows, "euler");
  turns.forEach((turn, i) => assert.ok(Math.abs(euler.values[3 * i + 2] - (turn * 180) / Math.PI) < 1e-9));
  const quaternion = drawn("/nodes/0/rotation", rows, "quaternion");
  for (let i = 4; i < values.length; i++) assert.ok(Math.abs(quaternion.values[i] - quaternion.values[i - 4]) < 0.3);
  const angle = drawn("/nodes/0/rotation", rows, "angle");
  assert.ok(Math.abs(angle.values[3] - 90) < 1e-9 && Math.abs(angle.values[12]) < 1e-6);
  assert.deepEqual(drawn("/nodes/0/translation", { width: 3, values: new Float64Array(3) }, "euler").names, ["X", "Y", "Z"]);
});

test("the program's words are split into place and message", () => {
  assert.deepEqual(complaint("error: cannot read a.gltf: /accessors/3/count: is no number\nerror: nothing was written"), { message: "is no number", at: "/accessors/3/count" });
  assert.deepEqual(complaint("error: cannot read h.glb: not JSON: expected value"), { message: "not JSON: expected value", at: "" });
});
