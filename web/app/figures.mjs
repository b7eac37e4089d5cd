// `npm run figures`: what the page takes, in Chromium on this machine. Bytes until it can be seen; from a file to its packed result; tasks that
// keep it from answering while it packs; the memory of a large file.

import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { launch } from "../test/browser.mjs";
import { root } from "../test/program.mjs";
import { packed, servePage, visit } from "./test/page.mjs";

const dist = new URL("dist/", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keyfold-figures-"));
const corpus = join(root, "../shared/corpus");

/** A GLB with other chunks. */
function glb(json, bin) {
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const head = Buffer.alloc(20);
  [0x46546c67, 2, 28 + padded.length + bin.length, padded.length, 0x4e4f534a].forEach((word, i) => head.writeUInt32LE(word, 4 * i));
  const between = Buffer.alloc(8);
  [bin.length, 0x004e4942].forEach((word, i) => between.writeUInt32LE(word, 4 * i));
  return Buffer.concat([head, padded, between, bin]);
}

/** The figure with so many bytes of animation (its clips again, slower by a little each time) and of vertices. */
function large(name, animationBytes, vertexBytes) {
  const figure = readFileSync(join(root, "samples/figure.glb"));
  const length = figure.readUInt32LE(12);
  const json = JSON.parse(figure.subarray(20, 20 + length));
  const pieces = [figure.subarray(28 + length, 28 + length + figure.readUInt32LE(20 + length))];
  let size = pieces[0].length;
  const add = (bytes) => {
    json.bufferViews.push({ buffer: 0, byteOffset: size, byteLength: bytes.length });
    pieces.push(bytes);
    size += bytes.length;
    return json.bufferViews.length - 1;
  };
  const element = { SCALAR: 1, VEC3: 3, VEC4: 4 };
  const originals = json.animations.slice();
  const floats = (index) => {
    const { bufferView, byteOffset = 0, count, type } = json.accessors[index];
    const view = json.bufferViews[bufferView];
    const from = (view.byteOffset ?? 0) + byteOffset;
    return Float32Array.from({ length: count * element[type] }, (_, i) => pieces[0].readFloatLE(from + 4 * i));
  };
  for (let copy = 0, made = 0; made < animationBytes; copy++) {
    const original = originals[copy % originals.length];
    const inputs = new Map();
    const samplers = original.samplers.map((sampler) => {
      const [times, values] = [floats(sampler.input), floats(sampler.output)];
      if (!inputs.has(sampler.input)) {
        const slower = times.map((time) => time * (1 + 0.001 * (copy + 1)));
        const { min, max, ...rest } = json.accessors[sampler.input];
        const view = add(Buffer.from(slower.buffer));
        inputs.set(sampler.input, json.accessors.push({ ...rest, byteOffset: 0, bufferView: view, min: [slower[0]], max: [slower.at(-1)] }) - 1);
      }
      // Not the same data again: packing would share it.
      const moved = values.map((value, i) => value * (1 + 1e-4 * Math.sin(copy + i)));
      made += moved.byteLength;
      const { min, max, ...rest } = json.accessors[sampler.output];
      return { ...sampler, input: inputs.get(sampler.input), output: json.accessors.push({ ...rest, byteOffset: 0, bufferView: add(Buffer.from(moved.buffer)) }) - 1 };
    });
    json.animations.push({ ...original, name: `${original.name} ${copy + 2}`, samplers });
  }
  if (vertexBytes > 0) {
    const count = Math.floor(vertexBytes / 12 / 3) * 3;
    const points = Float32Array.from({ length: 3 * count }, (_, i) => Math.sin(i * 12.9898) * 0.5);
    const accessor = json.accessors.push({ bufferView: add(Buffer.from(points.buffer)), componentType: 5126, count, type: "VEC3", min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5] }) - 1;
    const mesh = json.meshes.push({ name: "many", primitives: [{ attributes: { POSITION: accessor }, mode: 0 }] }) - 1;
    json.scenes[json.scene ?? 0].nodes.push(json.nodes.push({ name: "many", mesh }) - 1);
  }
  json.buffers[0].byteLength = size;
  const path = join(folder, name);
  writeFileSync(path, glb(json, Buffer.concat(pieces)));
  return path;
}

/** What all of a browser's processes hold, in MiB: shared pages divided among those who share them. */
function memory() {
  const children = (pid) => [pid, ...readdirSync(`/proc/${pid}/task`).flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).flatMap((child) => children(child)))];
  const pss = (pid) => Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
  const own = children(String(process.pid)).filter((pid) => pid !== String(process.pid));
  return own.reduce((sum, pid) => { try { return sum + pss(pid); } catch { return sum; } }, 0) / 1024;
}

const [server, browser] = [await servePage(), await launch()];

/** The longest tasks of the page's own thread, in milliseconds of processor time: others may keep the machine busy. Those that draw stand apart. */
function longest(trace) {
  const { traceEvents } = JSON.parse(trace);
  const main = new Set(traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`));
  const events = traceEvents.filter(({ ph, pid, tid }) => ph === "X" && main.has(`${pid} ${tid}`));
  const frames = events.filter(({ name }) => name === "FireAnimationFrame");
  const draws = ({ ts, dur, pid }) => frames.some((frame) => frame.pid === pid && frame.ts >= ts && frame.ts <= ts + dur);
  const tasks = events.filter(({ name, tdur }) => /RunTask$/.test(name) && tdur > 1000);
  const most = (list) => Math.round(Math.max(0, ...list.map(({ tdur }) => tdur)) / 1000);
  return { drawing: most(tasks.filter(draws)), other: most(tasks.filter((task) => !draws(task))) };
}

/** Opens a file, waits for its packed result, moves the slider and waits again. */
async function measure(label, file, { level = "", peak = false } = {}) {
  const { page, close } = await visit(browser, server.address + level);
  await page.waitForTimeout(500);
  const before = memory();
  let most = before;
  const watch = peak && setInterval(() => (most = Math.max(most, memory())), 250);
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  const started = Date.now();
  await page.setInputFiles("#files", file);
  await packed(page);
  const took = Date.now() - started;
  await page.waitForTimeout(5000);
  await page.focus("#bound-slider");
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(5000);
  const { drawing, other } = longest(await browser.stopTracing());
  clearInterval(watch);
  console.log(`${label}: ${statSync(file).size} bytes, first packed result after ${took} ms; longest task ${other} ms of processor time, ${drawing} ms where it draws${peak ? `; memory ${Math.round(before)} to ${Math.round(most)} MiB` : ""}`);
  await close();
}

const page = await visit(browser, server.address);
await page.page.waitForTimeout(1500);
const paint = await page.page.evaluate(async () => {
  const paints = performance.getEntriesByType("paint");
  return { first: paints.find(({ name }) => name === "first-contentful-paint")?.startTime, names: performance.getEntriesByType("resource").filter(({ renderBlockingStatus, initiatorType }) => renderBlockingStatus === "blocking" || initiatorType === "script" || initiatorType === "link").map(({ name }) => name) };
});
await page.close();
const until = ["index.html", ...paint.names.map((name) => basename(new URL(name).pathname))].filter((name) => existsSync(join(dist, name)));
const bytes = until.map((name) => readFileSync(join(dist, name)));
console.log(`until first paint: ${until.join(", ")}: ${bytes.reduce((sum, b) => sum + b.length, 0)} bytes, ${bytes.reduce((sum, b) => sum + gzipSync(b).length, 0)} with gzip; painted after ${Math.round(paint.first)} ms`);

const wanted = process.argv.slice(2);
const is = (name) => wanted.length === 0 || wanted.includes(name);
if (is("figure")) await measure("figure", join(root, "samples/figure.glb"));
if (is("fox") && existsSync(corpus)) await measure("fox", join(corpus, "fox.glb"));
// BrainStem has 3.2 MB, 3 MB of them animation.
if (is("brainstem")) await measure("BrainStem-sized", large("brainstem-sized.glb", 1_300_000, 200_000));
if (is("10mb")) await measure("10 MB", large("10mb.glb", 4_000_000, 5_600_000), { level: "#level=fast" });
if (is("100mb")) await measure("100 MB", large("100mb.glb", 1_000_000, 98_600_000), { level: "#level=fast", peak: true });
await browser.close();
server.close();
rmSync(folder, { recursive: true });
