// `cargo xtask bench web`: the sizes of what a page loads, and how long decoding takes in Chromium beside EXT_meshopt_compression by meshoptimizer's own decoder, in the
// same page. Medians of runs that take turns; ratios say more than milliseconds.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { launch, page, serve } from "./test/browser.mjs";
import { program, root } from "./test/program.mjs";
import { take } from "./take.mjs";

const dist = join(root, "web/keyfold/dist");
const modules = join(root, "web/node_modules");

/** A script with all that it imports before it runs. */
function closure(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(dist, file), "utf8");
  for (const [, next] of text.matchAll(/(?:import|from)\s*"\.\/([\w.-]+\.js)"/g)) closure(next, seen);
  return seen;
}

const kilobytes = (bytes) => (bytes / 1000).toFixed(1);
const sizes = (buffers) => ({ raw: kilobytes(Buffer.concat(buffers).length), gzip: kilobytes(gzipSync(Buffer.concat(buffers), { level: 9 }).length) });

function sizeTable() {
  const table = {};
  for (const entry of ["index", "three", "babylon", "clip", "tools"]) {
    table[entry === "index" ? "keyfold" : `keyfold/${entry}`] = sizes([...closure(`${entry}.js`)].map((file) => readFileSync(join(dist, file))));
  }
  const program = readdirSync(dist).find((name) => /^program-.*\.js$/.test(name));
  table["keyfold/tools, when it is used"] = sizes([readFileSync(join(dist, program))]);
  table["meshoptimizer's decoder"] = sizes([readFileSync(join(modules, "meshoptimizer/meshopt_decoder.mjs"))]);
  table["Draco's decoder (wasm)"] = sizes([readFileSync(join(modules, "draco3dgltf/draco_decoder_gltf.wasm"))]);
  table["gltfpack (wasm)"] = sizes([readFileSync(join(modules, "gltfpack/library.wasm"))]);
  console.table(table);
}

const STORAGES = ["quantization", "draco", "meshopt", "stream"];
const shared = join(root, "../shared/corpus");
const FILES = existsSync(shared)
  ? ["fox.glb", "kaykit_knight.glb"].map((name) => join(shared, name))
  : ["figure.glb", "machine.glb"].map((name) => join(root, "samples", name));

/** In the page: how long each way takes, in milliseconds, the median of several runs that take turns. */
async function timed({ files, runs }) {
  const { unpack } = await import("keyfold");
  const { MeshoptDecoder } = await import("meshoptimizer");
  await MeshoptDecoder.ready;
  const load = async (name) => new Uint8Array(await (await fetch(`/files/${name}`)).arrayBuffer());
  const meshopt = (bytes) => {
    const view = new DataView(bytes.buffer);
    const length = view.getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
    const bin = bytes.subarray(28 + length);
    for (const { extensions } of json.bufferViews) {
      const packed = extensions?.EXT_meshopt_compression;
      if (!packed) continue;
      const out = new Uint8Array(packed.count * packed.byteStride);
      const source = bin.subarray(packed.byteOffset ?? 0, (packed.byteOffset ?? 0) + packed.byteLength);
      MeshoptDecoder.decodeGltfBuffer(out, packed.count, packed.byteStride, source, packed.mode, packed.filter);
    }
  };
  const ways = [];
  for (const [way, name] of Object.entries(files)) {
    const bytes = await load(name);
    ways.push({ way, times: [], run: () => unpack(bytes) });
    if (way === "meshopt") ways.push({ way: "EXT_meshopt_compression by meshoptimizer", times: [], run: async () => meshopt(bytes) });
  }
  for (let i = 0; i < runs; i++) {
    for (const { run, times } of ways) {
      const start = performance.now();
      await run();
      times.push(performance.now() - start);
    }
  }
  return ways.map(({ way, times }) => [way, times.sort((a, b) => a - b)[Math.floor(times.length / 2)]]);
}

async function timeTable() {
  const folder = mkdtempSync(join(tmpdir(), "keyfold-bench-"));
  const server = await serve(folder, { "/": { body: page() } });
  const browser = await launch();
  const tab = await browser.newPage();
  await tab.goto(server.address);
  const minute = join(folder, "take_of_a_minute.glb");
  writeFileSync(minute, take());
  for (const file of [...FILES, minute]) {
    const name = file.split("/").at(-1);
    const files = {};
    const lengths = {};
    for (const storage of STORAGES) {
      files[storage] = `${name}.${storage}.glb`;
      execFileSync(program, ["pack", file, "--storage", storage, "--level", "fast", "-o", join(folder, files[storage])], { stdio: "ignore" });
      lengths[storage] = kilobytes(readFileSync(join(folder, files[storage])).length);
    }
    const times = await tab.evaluate(timed, { files, runs: 15 });
    const beside = times.find(([way]) => way.startsWith("EXT_"))[1];
    console.log(`${name}, packed at the default bound:`);
    console.table(Object.fromEntries(times.map(([way, time]) => [way, { "file, KB": lengths[way] ?? lengths.meshopt, milliseconds: time.toFixed(2), ratio: (time / beside).toFixed(2) }])));
  }
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true });
}

sizeTable();
await timeTable();
