// Broken bytes: 2,000 mutated files end in a KeyfoldError or in a file, memory stays bounded, and the next file unpacks as before.

import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { KeyfoldError, inspect, unpack } from "keyfold";
import { random } from "./generate.mjs";
import { conformance, keyfold, samples, scratch } from "./program.mjs";

const folder = scratch();
after(() => rmSync(folder, { recursive: true }));

/** Bits flipped, bytes replaced, pieces cut, doubled or moved; in JSON, numbers changed. */
function mutate(bytes, random) {
  let out = Uint8Array.from(bytes);
  for (let n = 1 + random.below(8); n > 0; n--) {
    const at = random.below(out.length);
    switch (random.below(6)) {
      case 0: out[at] ^= 1 << random.below(8); break;
      case 1: out[at] = random.below(256); break;
      case 2: out = out.slice(0, Math.max(1, at)); break;
      case 3: out.copyWithin(at, random.below(out.length), random.below(out.length)); break;
      case 4: out.set(new TextEncoder().encode(String(random.pick([0, 1, 4294967295, 1e9, -1, 255]))).subarray(0, out.length - at), at); break;
      default: {
        const digit = out.findIndex((b, i) => i >= at && b >= 0x30 && b <= 0x39);
        if (digit >= 0) out[digit] = 0x30 + random.below(10);
      }
    }
  }
  return out;
}

test("2,000 mutated files", async () => {
  const files = [...conformance.filter((_, i) => i % 8 === 0)];
  for (const [i, storage] of ["quantization", "draco", "meshopt", "stream"].entries()) {
    for (const sample of samples.slice(0, 3)) {
      const path = join(folder, `${i}${samples.indexOf(sample)}.glb`);
      await keyfold("convert", sample, "--storage", storage, "-o", path);
      files.push(path);
    }
  }
  const sources = files.map((file) => readFileSync(file));
  const good = sources.at(-1);
  const before = await unpack(good);
  const codes = {};
  for (let seed = 0; seed < 2000; seed++) {
    const numbers = random(seed + 77);
    const bytes = mutate(sources[seed % sources.length], numbers);
    const limits = { memory: 64 << 20 };
    for (const work of [unpack, inspect]) {
      const error = await work(bytes, { limits }).then(() => undefined, (error) => error);
      const code = error ? error.code : "fine";
      codes[code] = (codes[code] ?? 0) + 1;
      if (error) assert.ok(error instanceof KeyfoldError && error.code !== "internal", `seed ${seed}: ${error.stack}\n${error.cause?.stack}`);
    }
  }
  console.log(JSON.stringify(codes));
  assert.ok(codes.malformed > 500 && codes.fine > 100);
  assert.deepEqual(await unpack(good), before);
  const { rss } = process.memoryUsage();
  console.log(`${Math.round(rss / (1 << 20))} MiB resident at the end`);
  assert.ok(rss < 1 << 30);
});
