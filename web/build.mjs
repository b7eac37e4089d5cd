// Builds the npm package from TypeScript and the modules in `keyfold/src/generated`: types by tsc, JavaScript by esbuild. What entries share
// is a file of its own, so that nothing is loaded twice.

import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const folder = new URL("keyfold/", import.meta.url).pathname;
const common = { absWorkingDir: folder, bundle: true, minify: true, target: "es2022", platform: "neutral", logLevel: "warning" };

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

/** Scripts as text, each with all that it needs: for workers. */
const scriptText = {
  name: "script as text",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => ({ path: join(resolveDir, path.replace("?text", "")), namespace: "text" }));
    onLoad({ filter: /.*/, namespace: "text" }, async ({ path }) => {
      const { outputFiles } = await build({ ...common, entryPoints: [path], format: "iife", write: false });
      return { contents: outputFiles[0].text, loader: "text", watchDirs: [dirname(path)] };
    });
  },
};

rmSync(join(folder, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "keyfold"], { stdio: "inherit" });
await build({
  ...common,
  entryPoints: ["index", "three", "babylon", "clip", "tools", "bin"].map((name) => `src/${name}.ts`),
  outdir: "dist",
  splitting: true,
  format: "esm",
  external: ["three", "@babylonjs/*", "node:*"],
  plugins: [inlineWasm, scriptText],
  chunkNames: "[name]-[hash]",
});
chmodSync(join(folder, "dist/bin.js"), 0o755);
copyFileSync(join(folder, "src/generated/stream.wasm"), join(folder, "dist/stream.wasm"));
await import("./app/build.mjs");
