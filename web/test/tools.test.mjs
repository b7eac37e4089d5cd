// `keyfold/tools` and the bin beside the native program: the same bytes, reports, exit codes and output.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { buildClip, convert, diff, pack, run, sample, validate } from "keyfold/tools";
import { conformance, corpus, forEach, full, keyfold, program, root, samples, scratch } from "./program.mjs";

const folder = scratch();
after(() => rmSync(folder, { recursive: true }));
const STORAGES = ["core", "quantization", "draco", "meshopt", "stream"];

test("pack makes the native program's bytes, in every storage", async () => {
  const small = corpus.filter((file) => file.endsWith(".glb")).map((file) => [readFileSync(file).length, file]).sort(([a], [b]) => a - b);
  const files = [...samples.slice(0, 3), ...small.slice(0, full ? 7 : 2).map(([, file]) => file)];
  let same = 0;
  await forEach(files.flatMap((file) => STORAGES.map((storage) => [file, storage])), async ([file, storage], i) => {
    const out = join(folder, `p${i}.glb`);
    const native = await keyfold("pack", file, "-o", out, "--storage", storage, "--json");
    assert.ok(native.code < 2, native.stderr);
    const told = [];
    const { bytes, report } = await pack(readFileSync(file), { storage, onProgress: ({ done }) => told.push(done) });
    assert.ok(told.length > 0 && told.every((done, i) => done >= (told[i - 1] ?? 0) && done <= 1), `${file} in ${storage}: progress ${told}`);
    assert.ok(Buffer.from(bytes).equals(readFileSync(out)), `${file} in ${storage}`);
    const expected = JSON.parse(native.stdout).files[0];
    assert.deepEqual({ ...report.files[0], input: 0, output: 0 }, { ...expected, input: 0, output: 0 });
    same++;
  }, 2);
  console.log(`${same} files are the same${corpus.length ? "" : " (skipped: ../shared/corpus is not there)"}`);
  assert.ok(same >= 12);
});

test("the other tools answer as the program does", async () => {
  const [figure, machine] = samples.map((file) => readFileSync(file));
  const ask = async (...args) => JSON.parse((await keyfold(...args, "--json")).stdout);
  assert.deepEqual(await sample(figure, { time: [0, 0.5], animation: "run" }), await ask("sample", samples[0], "--time", "0,0.5", "--animation", "run"));
  const { bytes } = await convert(machine, { storage: "quantization" });
  const packed = join(folder, "q.glb");
  await keyfold("convert", samples[1], "--storage", "quantization", "-o", packed);
  assert.ok(Buffer.from(bytes).equals(readFileSync(packed)));
  assert.deepEqual(await diff(machine, bytes), await ask("diff", samples[1], packed));
  const { file: _, ...validated } = await validate(machine);
  const { file: __, ...expected } = await ask("validate", samples[1]);
  assert.deepEqual(validated, expected);
  const clip = await buildClip(figure);
  await keyfold("clip", "build", samples[0], "-o", join(folder, "c.kfc"));
  assert.ok(Buffer.from(clip.bytes).equals(readFileSync(join(folder, "c.kfc"))));
});

test("errors are KeyfoldErrors, a signal ends the work", async () => {
  await assert.rejects(pack(new Uint8Array(7)), { name: "KeyfoldError", code: "malformed" });
  await assert.rejects(pack(readFileSync(samples[0]), { storage: "papyrus" }), { name: "KeyfoldError", code: "usage" });
  const control = new AbortController();
  const work = pack(readFileSync(samples[0]), { signal: control.signal });
  setTimeout(() => control.abort(), 50);
  await assert.rejects(work, { name: "KeyfoldError", code: "aborted" });
  const here = await run(["inspect", "in.glb"], { "in.glb": readFileSync(samples[1]) }, { worker: false });
  assert.equal(here.code, 0);
});

/** Command lines, in a folder with the samples under their names; `OUT` stands for a folder of one's own. */
const broken = conformance.filter((file) => file.includes("/broken/")).slice(0, 8);
const LINES = [
  ["--help"], ["--version"], [], ["nonsense"], ["pack"], ["pack", "--help"], ["convert", "--help"], ["inspect", "missing.glb"],
  ...["figure.glb", "machine.glb", "face.glb", "lamp.gltf"].flatMap((file) => [
    ["inspect", file], ["inspect", file, "--json"], ["validate", file], ["validate", file, "--json"], ["sample", file, "--time", "0,0.5"],
    ["sample", file, "--fps", "7", "--csv"], ["unpack", file, "-o", "OUT/u.glb"], ["convert", file, "-o", "OUT/c.gltf"],
  ]),
  ...STORAGES.map((storage) => ["convert", "machine.glb", "--storage", storage, "-o", "OUT/s.glb"]),
  ...STORAGES.map((storage) => ["pack", "machine.glb", "--storage", storage, "-o", "OUT/p.glb"]),
  ["pack", "machine.glb", "face.glb", "-o", "OUT", "--json"], ["pack", "machine.glb", "--max-error", "nonsense", "-o", "OUT/p.glb"],
  ["diff", "machine.glb", "figure.glb"], ["diff", "machine.glb", "machine.glb", "--json"],
  ["clip", "build", "figure.glb", "-o", "OUT/f.kfc", "--json"], ["clip", "build", "figure.glb", "--animation", "nobody", "-o", "OUT/f.kfc"],
  ["convert", "../files/machine.glb", "--rotation", "cubicslerp", "-o", "OUT/r.glb"],
  ...broken.map((file) => ["validate", file]),
];

/** A run in a folder that holds the samples: what it printed and every file that it left. */
async function trial(command, args, place, out) {
  mkdirSync(out, { recursive: true });
  const named = args.map((arg) => arg.replace("OUT", out));
  const told = await new Promise((resolve) => {
    execFile(command[0], [...command.slice(1), ...named], { cwd: place, encoding: "latin1", maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
  // A journal names the paths of its own run.
  const files = Object.fromEntries(readdirSync(out).filter((name) => !name.startsWith(".")).map((name) => [name, readFileSync(join(out, name)).toString("base64")]));
  // The system's errors have other numbers in WASI.
  const plain = (text) => text.replaceAll(out, "OUT").replace(/ \(os error \d+\)/g, "");
  return { code: told.code, stdout: plain(told.stdout), stderr: plain(told.stderr), files };
}

test(`${LINES.length} command lines: the bin and the native program`, async () => {
  const place = join(folder, "files");
  mkdirSync(place);
  for (const name of ["figure.glb", "machine.glb", "face.glb", "lamp.gltf", "lamp.bin"]) copyFileSync(join(root, "samples", name), join(place, name));
  const bin = [process.execPath, join(root, "web/keyfold/dist/bin.js")];
  assert.ok(LINES.length >= 60);
  await forEach(LINES, async (args, i) => {
    const native = await trial([program], args, place, join(folder, `n${i}`));
    const ours = await trial(bin, args, place, join(folder, `w${i}`));
    assert.deepEqual(ours, native, args.join(" "));
  }, 2);
});
