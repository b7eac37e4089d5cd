// `keyfold/clip`: poses as `keyfold clip sample` says them, nothing allocated for one, and broken clips.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { crc32 } from "node:zlib";
import { KeyfoldError, openClip } from "keyfold/clip";
import { random } from "./generate.mjs";
import { keyfold, root, scratch } from "./program.mjs";

const folder = scratch();
after(() => rmSync(folder, { recursive: true }));

const CLIPS = [
  ["figure.glb", "--fps", "30"], ["figure.glb", "--encoding", "fixed", "--fps", "30"], ["machine.glb"], ["face.glb"], ["lamp.gltf"],
];

/** A clip of a sample, as a file. */
async function built([file, ...options], i) {
  const path = join(folder, `${i}.kfc`);
  const { code, stderr } = await keyfold("clip", "build", join(root, "samples", file), ...options, "-o", path);
  assert.ok(code < 2, stderr);
  return path;
}

test("poses are those of the program", async () => {
  let values = 0;
  for (const [i, options] of CLIPS.entries()) {
    const path = await built(options, i);
    const clip = await openClip(readFileSync(path));
    const info = JSON.parse((await keyfold("clip", "info", path, "--json")).stdout);
    assert.deepEqual(clip.tracks.map(({ target, form, width }) => [target, form, width]), info.tracks.map((t) => [t.target, t.form, t.components]));
    assert.deepEqual([clip.name, clip.index, clip.keys, clip.duration], [info.animation.name, info.animation.index, info.keys, Math.fround(info.duration)]);
    const times = Array.from({ length: 20 }, (_, i) => ((i - 1.37) / 17) * clip.duration);
    const said = JSON.parse((await keyfold("clip", "sample", path, `--time=${times.join(",")}`, "--json")).stdout);
    const pose = new Float32Array(clip.poseLength);
    times.forEach((time, row) => {
      clip.sample(time, pose);
      clip.tracks.forEach(({ offset, width }, t) => {
        const expected = said.tracks[t].values[row].map(Math.fround);
        assert.deepEqual([...pose.subarray(offset, offset + width)], expected, `${path} at ${time}`);
        values += width;
      });
    });
    clip.close();
    assert.throws(() => clip.sample(0, pose), { name: "KeyfoldError", code: "usage" });
  }
  console.log(`${values} values are the same`);
  assert.ok(values > 5000);
});

test("a pose allocates nothing", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const clip = await openClip(readFileSync(await built(CLIPS[0], "a")));
  const pose = new Float32Array(clip.poseLength);
  const play = (poses) => {
    for (let i = 0; i < poses; i++) clip.sample((i % 100) * 0.01, pose);
  };
  play(20_000);
  collect();
  const before = process.memoryUsage();
  play(100_000);
  const after = process.memoryUsage();
  assert.ok(after.heapUsed - before.heapUsed < 8 * 100_000, `${after.heapUsed - before.heapUsed} bytes of heap`);
  assert.ok(after.arrayBuffers <= before.arrayBuffers);
});

test("many clips at once, and a room that is too small", async () => {
  const bytes = readFileSync(await built(CLIPS[2], "m"));
  const clips = await Promise.all(Array.from({ length: 300 }, () => openClip(bytes)));
  const [a, b] = [new Float32Array(clips[0].poseLength), new Float32Array(clips[0].poseLength)];
  clips[0].sample(0.3, a);
  clips[299].sample(0.3, b);
  assert.deepEqual(a, b);
  assert.throws(() => clips[0].sample(0, new Float32Array(1)), { name: "KeyfoldError", code: "usage" });
  clips.forEach((clip) => clip.close());
});

/** Gives bytes the checksum that they should have (docs/kfc.md). */
function seal(bytes) {
  if (bytes.length > 16) new DataView(bytes.buffer, bytes.byteOffset).setUint32(12, crc32(bytes.subarray(16)), true);
}

test("1,000 mutated clips", async () => {
  const sources = [];
  for (const [i, options] of CLIPS.entries()) sources.push(readFileSync(await built(options, `h${i}`)));
  const counts = { fine: 0 };
  for (let seed = 0; seed < 1000; seed++) {
    const numbers = random(seed + 5);
    const bytes = Uint8Array.from(sources[seed % sources.length]);
    for (let n = 1 + numbers.below(4); n > 0; n--) bytes[numbers.below(bytes.length)] = numbers.below(256);
    const cut = numbers.chance(0.2) ? bytes.subarray(0, numbers.below(bytes.length)) : bytes;
    // What is broken has another checksum; with the right one it comes further.
    if (numbers.chance(0.7)) seal(cut);
    try {
      const clip = await openClip(cut);
      clip.sample(0.4, new Float32Array(clip.poseLength));
      clip.close();
      counts.fine++;
    } catch (error) {
      assert.ok(error instanceof KeyfoldError && error.code !== "internal", `seed ${seed}: ${error.stack}`);
      counts[error.code] = (counts[error.code] ?? 0) + 1;
    }
  }
  console.log(JSON.stringify(counts));
  assert.ok(counts.malformed > 300);
  const clip = await openClip(sources[0]);
  clip.sample(0.4, new Float32Array(clip.poseLength));
});
