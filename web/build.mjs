// Builds the npm package from TypeScript and the modules in `keyfold/src/generated`: types by tsc, JavaScript by esbuild. What entries share
// is a file of its own, so that nothing is loaded twice.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const folder = new URL("keyfold/", import.meta.url).pathname;

/** Modules as text: gzip, so that they stay small on their way, and base64, so that every bundler takes them along. */
const inlineWasm = {
  name: "inline wasm",
  setup({ onLoad }) {
    onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
      contents: gzipSync(readFileSync(path), { level: 9 }).toString("base64"),
      loader: "text",
    }));
  },
};

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "keyfold"], { stdio: "inherit" });
await build({
  absWorkingDir: folder,
  entryPoints: ["index", "three", "babylon"].map((name) => `src/${name}.ts`),
  outdir: "dist",
  bundle: true,
  splitting: true,
  minify: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  external: ["three", "@babylonjs/*"],
  plugins: [inlineWasm],
  chunkNames: "[name]-[hash]",
  logLevel: "warning",
});
