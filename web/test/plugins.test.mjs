// Our plugin for three.js beside those of others, before and behind them: @pixiv/three-vrm, meshoptimizer's decoder, Needle's animated pointers. And
// runtime clips in three's own mixer.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, page, serve } from "./browser.mjs";
import { parts } from "./curves.mjs";
import { difference } from "./difference.mjs";
import { keyfold, root, scratch } from "./program.mjs";

const folder = scratch();
let server, browser, tab;

before(async () => {
  server = await serve(folder, { "/": { body: page() } });
  browser = await launch();
  tab = await browser.newPage();
  await tab.goto(server.address);
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

const sample = (name) => join(root, "samples", name);

/** A file in a storage. */
async function stored(file, storage) {
  const name = `${file.split("/").at(-1)}.${storage}.glb`;
  const { code, stderr } = await keyfold("convert", file, "--storage", storage, "-o", join(folder, name));
  assert.ok(code < 2, stderr);
  return name;
}

/** What the program says of a file's first animation; single axes, which players do not have, are for `players.test.mjs`. */
async function said(path) {
  const times = Array.from({ length: 10 }, (_, i) => (i + 0.37) * 0.08);
  const { tracks } = JSON.parse((await keyfold("sample", path, "--animation", "0", "--time", times.join(","), "--json")).stdout);
  return { times, expected: tracks.filter((track) => !/\.[xyz]$/.test(track.target)) };
}

/** What three shows; and what else is asked for of what was loaded. */
async function shown(name, { times, expected }, options) {
  const targets = expected.map((track) => track.target);
  return tab.evaluate(async ({ name, times, targets, options }) => {
    const { three } = await import("/test/players.js");
    const file = await three(`${location.origin}/files/${name}`, options);
    const names = file.gltf.animations[0].tracks.map((track) => track.name);
    return {
      values: file.sample(0, times, targets),
      bones: Object.keys(file.gltf.userData.vrm?.humanoid.humanBones ?? {}).length,
      doubled: names.length - new Set(names).size,
    };
  }, { name, times, targets, options });
}

/** The figure as a VRM: its bones named. */
function asVrm(path) {
  const bytes = readFileSync(path);
  const { json } = parts(bytes);
  const bones = {
    hips: "hips", spine: "spine", chest: "chest", neck: "neck", head: "head",
    ...Object.fromEntries(["left", "right"].flatMap((side) => [
      [`${side}UpperArm`, `upper_arm.${side}`], [`${side}LowerArm`, `forearm.${side}`], [`${side}Hand`, `hand.${side}`],
      [`${side}UpperLeg`, `thigh.${side}`], [`${side}LowerLeg`, `shin.${side}`], [`${side}Foot`, `foot.${side}`],
    ])),
  };
  const humanBones = Object.fromEntries(Object.entries(bones).map(([bone, name]) => [bone, { node: json.nodes.findIndex((n) => n.name === name) }]));
  json.extensionsUsed = [...(json.extensionsUsed ?? []), "VRMC_vrm"];
  const meta = { name: "figure", authors: ["Keyfold"], licenseUrl: "https://vrm.dev/licenses/1.0/" };
  json.extensions = { ...json.extensions, VRMC_vrm: { specVersion: "1.0", meta, humanoid: { humanBones } } };
  writeFileSync(path, withJson(bytes, json));
}

/** A GLB with other JSON. */
function withJson(bytes, json) {
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const rest = bytes.subarray(20 + bytes.readUInt32LE(12));
  const head = Buffer.alloc(20);
  [0x46546c67, 2, 20 + padded.length + rest.length, padded.length, 0x4e4f534a].forEach((word, i) => head.writeUInt32LE(word, 4 * i));
  return Buffer.concat([head, padded, rest]);
}

/** Meshes compressed by gltfpack; the animations are ours to pack. */
function withMeshopt(file) {
  const out = join(folder, "meshes.glb");
  execFileSync(process.execPath, [join(root, "web/node_modules/gltfpack/cli.js"), "-i", file, "-o", out, "-c", "-kn", "-noq"]);
  return out;
}

const CASES = [
  { other: "vrm", file: () => sample("figure.glb"), edit: asVrm },
  { other: "meshopt", file: () => withMeshopt(sample("figure.glb")) },
  // Needle's plugin blends some curves in its own way: what counts is that it plays what it plays of a plain file.
  { other: "needle", file: () => sample("lamp.gltf"), asPlain: true },
];

for (const { other, file, edit, asPlain } of CASES) {
  test(`beside ${other}`, async () => {
    const original = file();
    for (const storage of ["quantization", "draco", "stream"]) {
      const name = await stored(original, storage);
      edit?.(join(folder, name));
      const told = await said(join(folder, name));
      assert.ok(told.expected.length > 0);
      if (asPlain) {
        await keyfold("unpack", join(folder, name), "-o", join(folder, "plain.glb"));
        const { values } = await shown("plain.glb", told, { plugin: false, before: [other] });
        told.expected.forEach((track, t) => (track.values = values.map((row) => row[t])));
      }
      for (const options of [{ before: [other] }, { behind: [other] }]) {
        const { values, bones, doubled } = await shown(name, told, options);
        const { worst, where } = difference(told.expected, values, true);
        assert.ok(worst <= 5e-5, `${storage} ${JSON.stringify(options)}: ${worst} ${where}`);
        assert.equal(doubled, 0);
        assert.equal(bones > 0, other === "vrm");
      }
    }
  });
}

test("runtime clips in three's mixer", async () => {
  for (const file of ["figure.glb", "machine.glb", "face.glb", "lamp.gltf"]) {
    const name = await stored(sample(file), "core");
    const clip = `${file}.kfc`;
    const { code, stderr } = await keyfold("clip", "build", sample(file), "--keep-rest", "-o", join(folder, clip));
    assert.ok(code < 2, stderr);
    const { times } = await said(sample(file));
    const expected = JSON.parse((await keyfold("clip", "sample", join(folder, clip), "--time", times.join(","), "--json")).stdout).tracks;
    const told = { times, expected };
    assert.ok(expected.length > 0);
    const { values } = await shown(name, told, { clip: `${server.address}/files/${clip}` });
    const { worst, where } = difference(told.expected, values, true);
    assert.ok(worst <= 5e-5, `${file}: ${worst} ${where}`);
  }
});
