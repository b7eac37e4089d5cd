// `unpack` of the package beside `unpack` of the native program: the same curves, bit for bit.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { KeyfoldError, inspect, isPacked, unpack } from "keyfold";
import { conformance, corpus, forEach, keyfold, samples, scratch } from "./program.mjs";
import { curvesOf } from "./curves.mjs";
import { generated } from "./generate.mjs";

const folder = scratch();
after(() => rmSync(folder, { recursive: true }));

const STORAGES = ["core", "quantization", "draco", "meshopt", "stream"];
const resolveIn = (file) => ({ resolve: (uri) => readFile(join(dirname(file), decodeURIComponent(uri))) });

/** Both ways of unpacking one file: nothing where the program refuses it. */
async function both(file, out) {
  const native = await keyfold("unpack", file, "-o", out);
  const ours = await unpack(readFileSync(file), resolveIn(file)).catch((error) => error);
  return { native, ours, expected: native.code < 2 ? readFileSync(out) : undefined };
}

/** Fails where curves differ; CUBICSLERP, which becomes CUBICSPLINE in two ways, is for another test. Answers how many were compared. */
function compare(file, ours, expected) {
  const [a, b] = [curvesOf(ours, dirname(file)), curvesOf(expected, folder)];
  assert.deepEqual([...a.keys()].sort(), [...b.keys()].sort(), file);
  for (const [target, curve] of a) assert.deepEqual(curve, b.get(target), `${file}: ${target}`);
  return a.size;
}

test("samples and corpus in every storage", async () => {
  const jobs = [...samples, ...corpus].flatMap((file) => STORAGES.map((storage) => [file, storage]));
  let curves = 0;
  await forEach(jobs, async ([file, storage], i) => {
    const packed = join(folder, `${i}.glb`);
    const converted = await keyfold("convert", file, "--storage", storage, "-o", packed);
    assert.ok(converted.code < 2, `${file} in ${storage}: ${converted.stderr}`);
    const { ours, expected } = await both(packed, join(folder, `${i}.out.glb`));
    if (ours instanceof Error) throw ours;
    curves += compare(packed, ours, expected);
    rmSync(packed);
  });
  console.log(`${jobs.length} files, ${curves} curves are the same${corpus.length ? "" : " (skipped: ../shared/corpus is not there)"}`);
  assert.ok(curves > 500);
});

/** Files that both sides unpack, or both refuse; and what is known to differ. */
async function sameVerdict(files) {
  const counts = { same: 0, refused: 0, slerp: 0, stricter: 0 };
  await forEach(files, async (file, i) => {
    const { native, ours, expected } = await both(file, join(folder, `c${i}.glb`));
    if (ours instanceof Error) {
      assert.ok(ours instanceof KeyfoldError && ours.code !== "internal", `${file}: ${ours.stack}`);
      // A channel that cannot be read: the program leaves it out and says so, the package refuses the file.
      assert.ok(native.code > 0, `${file}: the program has nothing against it, the package: ${ours.message}`);
      counts[native.code === 2 ? "refused" : "stricter"]++;
    } else if (expected && /CUBICSLERP|"CUBIC"/.test(readFileSync(file, "latin1"))) {
      counts.slerp++;
    } else if (expected && native.code === 0) {
      compare(file, ours, expected);
      counts.same++;
    }
  });
  return counts;
}

test("conformance files", async () => {
  const counts = await sameVerdict(conformance);
  console.log(JSON.stringify(counts));
  assert.ok(counts.same > 100);
});

test("2,000 generated files", async () => {
  const files = generated(2000, folder);
  const counts = await sameVerdict(files);
  console.log(JSON.stringify(counts));
  assert.ok(counts.same > 1000);
});

test("inspect tells what the program tells", async () => {
  for (const file of [...samples, join(folder, "packed.glb")]) {
    if (file.startsWith(folder)) await keyfold("convert", samples[0], "--storage", "draco", "-o", file);
    const told = JSON.parse((await keyfold("inspect", file, "--json")).stdout);
    const ours = await inspect(readFileSync(file), resolveIn(file));
    const plain = ({ extensions, animations }) => ({
      extensions,
      animations: animations.map(({ index, name, duration, keys, tracks }) => ({
        index, name, duration: Math.fround(duration), keys,
        tracks: tracks.map(({ target, interpolation, keys, storage }) => ({ target, interpolation, keys, storage })),
      })),
    });
    assert.deepEqual(plain(ours), plain(told), file);
  }
});

test("what is plain stays as it is, and is not packed", async () => {
  const bytes = readFileSync(samples[0]);
  assert.equal(isPacked(bytes), false);
  assert.equal(await unpack(bytes), bytes);
});

test("a signal ends it, a limit holds, an address without resolve is said", async () => {
  const bytes = readFileSync(samples[3]);
  await assert.rejects(unpack(bytes), { name: "KeyfoldError", code: "missing", at: "/buffers/0/uri" });
  await assert.rejects(unpack(bytes, { signal: AbortSignal.abort() }), { code: "aborted" });
  const packed = join(folder, "limited.glb");
  await keyfold("convert", samples[0], "--storage", "draco", "-o", packed);
  await assert.rejects(unpack(readFileSync(packed), { limits: { memory: 1000 } }), { name: "KeyfoldError" });
});
