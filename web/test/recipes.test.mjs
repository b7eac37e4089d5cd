// The recipes in Chromium: each shows the same picture whatever the storage.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build } from "esbuild";
import { launch, page, serve } from "./browser.mjs";
import { full, keyfold, root, scratch } from "./program.mjs";

const STORAGES = ["core", "quantization", "draco", "meshopt", "stream"];
const FILES = ["figure.glb", "machine.glb", "lamp.gltf"];
const folder = scratch();
let server, browser;

before(async () => {
  const strict = "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:";
  const csp = { body: page(), headers: { "content-security-policy": strict } };
  const { outputFiles } = await build({
    entryPoints: [join(root, "web/recipes/drei.jsx")], bundle: true, write: false, format: "esm", jsx: "automatic", minify: true,
    define: { "process.env.NODE_ENV": '"production"' }, logLevel: "error",
  });
  const drei = { body: outputFiles[0].text, headers: { "content-type": "text/javascript" } };
  server = await serve(folder, { "/": { body: page() }, "/strict": csp, "/recipes/drei.js": drei });
  browser = await launch();
  for (const file of FILES) {
    for (const storage of STORAGES) {
      const made = await keyfold("convert", join(root, "samples", file), "--storage", storage, "-o", join(folder, `${file}.${storage}.glb`));
      assert.ok(made.code < 2, made.stderr);
    }
  }
});
after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true });
});

/** A recipe with a file: what it looks like, pixel by pixel. */
async function picture(recipe, file) {
  const tab = await browser.newPage({ viewport: { width: 320, height: 320 } });
  const errors = [];
  tab.on("pageerror", (error) => errors.push(error.message));
  await tab.goto(`${server.address}/recipes/${recipe}.html?file=/files/${file}`);
  await tab.waitForSelector("body[data-ready]", { timeout: 240_000, state: "attached" }).catch((error) => errors.push(error.message));
  assert.deepEqual(errors, [], `${recipe} ${file}`);
  const png = await tab.screenshot({ timeout: 240_000 });
  const pixels = await tab.evaluate(async (base64) => {
    const image = Object.assign(new Image(), { src: `data:image/png;base64,${base64}` });
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    return [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data];
  }, png.toString("base64"));
  const place = process.env.KEYFOLD_PICTURES;
  if (place) {
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${recipe}-${file}.png`), png);
  }
  await tab.close();
  return pixels;
}

/** Recipes with the files and storages that pictures are taken of. Babylon comes in thousands of files here, without a bundler, and model-viewer draws slowly without a
 * graphics card. */
const PICTURES = {
  three: { files: FILES, storages: STORAGES },
  babylon: { files: full ? FILES : FILES.slice(0, 1), storages: STORAGES },
  drei: { files: ["figure.glb"], storages: STORAGES },
  "model-viewer": { files: ["figure.glb"], storages: full ? STORAGES : ["core", "stream"] },
};

for (const [recipe, { files, storages }] of Object.entries(PICTURES)) {
  test(`${recipe}.html shows the same picture in every storage`, async () => {
    for (const file of files) {
      const original = await picture(recipe, `${file}.core.glb`);
      assert.ok(new Set(original).size > 20, `${recipe} ${file}: the picture is empty`);
      for (const storage of storages.slice(1)) {
        const shown = await picture(recipe, `${file}.${storage}.glb`);
        const off = shown.filter((value, i) => Math.abs(value - original[i]) > 32).length / shown.length;
        assert.ok(off < 0.002, `${recipe} ${file} in ${storage}: ${(100 * off).toFixed(3)} % of the pixels differ`);
      }
    }
  });
}

test("any-viewer.html unpacks in a worker", async () => {
  const tab = await browser.newPage();
  await tab.goto(`${server.address}/recipes/any-viewer.html?file=/files/figure.glb.stream.glb`);
  await tab.waitForSelector("body[data-ready]", { timeout: 180_000, state: "attached" });
  const clips = await tab.evaluate(async () => {
    const { unpack, isPacked } = await import("/keyfold/dist/index.js");
    const plain = new Uint8Array(await (await fetch(document.querySelector("a").href)).arrayBuffer());
    return [isPacked(plain), (await unpack(plain)).length === plain.length];
  });
  assert.deepEqual(clips, [false, true]);
  await tab.close();
});

test("a strict Content-Security-Policy needs 'wasm-unsafe-eval' and no more", async () => {
  const tab = await browser.newPage();
  await tab.goto(`${server.address}/strict`);
  const unpacked = await tab.evaluate(async () => {
    const { unpack } = await import("/keyfold/dist/index.js");
    return (await unpack(new Uint8Array(await (await fetch("/files/figure.glb.draco.glb")).arrayBuffer()))).length;
  });
  assert.ok(unpacked > 100_000);
  await tab.close();
});
