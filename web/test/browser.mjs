// Chromium, and the pages that tests open in it: served from this folder, bare imports by an import map, no bundler.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const web = new URL("..", import.meta.url).pathname;
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html", ".json": "application/json", ".wasm": "application/wasm" };

/** A server for this folder and, under `/files`, another one; its address, and how to end it. */
export async function serve(files, more = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    requests.push(path);
    if (more[path]) return void response.writeHead(200, { "content-type": "text/html", ...more[path].headers }).end(more[path].body);
    const file = path.startsWith("/files/") ? join(files, path.slice(7)) : join(web, path);
    if (!existsSync(file) || !statSync(file).isFile()) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}`, requests, close: () => server.close() };
}

/** Chromium without anything that calls home. */
export function launch() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", ...quiet] });
}

/** A page whose imports are found among the npm packages; `versions` takes others than the newest. */
export function page(body = "", versions = {}) {
  const three = versions.three ?? "three";
  const babylon = versions.babylon ?? { core: "@babylonjs/core", loaders: "@babylonjs/loaders" };
  const imports = {
    keyfold: "/keyfold/dist/index.js",
    "keyfold/three": "/keyfold/dist/three.js",
    "keyfold/babylon": "/keyfold/dist/babylon.js",
    "keyfold/clip": "/keyfold/dist/clip.js",
    three: `/node_modules/${three}/build/three.module.js`,
    "three/addons/": `/node_modules/${three}/examples/jsm/`,
    "three/examples/jsm/": `/node_modules/${three}/examples/jsm/`,
    "@pixiv/three-vrm": "/node_modules/@pixiv/three-vrm/lib/three-vrm.module.js",
    "@needle-tools/three-animation-pointer": "/node_modules/@needle-tools/three-animation-pointer/src/index.js",
    meshoptimizer: "/node_modules/meshoptimizer/meshopt_decoder.mjs",
    "@babylonjs/core/": `/node_modules/${babylon.core}/`,
    "@babylonjs/loaders/": `/node_modules/${babylon.loaders}/`,
  };
  return `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>${body}`;
}
