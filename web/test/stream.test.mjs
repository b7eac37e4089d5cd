// `keyfold/stream.wasm`, the decoder of streams alone: golden streams come to their bytes, broken ones to a message, and an instance outlives both.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "./program.mjs";

const golden = join(root, "samples/conformance/stream/golden");
const module = await WebAssembly.compile(readFileSync(new URL(import.meta.resolve("keyfold/stream.wasm"))));
const { exports } = await WebAssembly.instantiate(module, {});

/** What a stream decodes to, or what is wrong with it. */
function decode(stream) {
  // Memory may grow here, which detaches the buffer that was there before.
  const at = exports.input(stream.length);
  new Uint8Array(exports.memory.buffer, at, stream.length).set(stream);
  const failed = exports.stream_view(1 << 20) !== 0;
  const bytes = Buffer.from(new Uint8Array(exports.memory.buffer, exports.output(), exports.output_length()));
  return failed ? bytes.toString() : bytes;
}

test("golden streams come to their bytes, whatever was decoded before", () => {
  const names = readdirSync(golden).filter((name) => name.endsWith(".kfs"));
  assert.ok(names.length > 8);
  for (const name of names) {
    const stream = readFileSync(join(golden, name));
    const bytes = readFileSync(join(golden, name.replace(".kfs", ".bin")));
    assert.deepEqual(decode(stream), bytes, name);
    assert.equal(decode(stream.subarray(0, stream.length >> 1)), "the stream ends before what it holds does", name);
    assert.equal(decode(Uint8Array.of(0xff)), "the stream is of no version that is known");
  }
});

test("it needs nothing from outside", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});
