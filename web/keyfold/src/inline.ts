// WebAssembly modules that lie in the JavaScript itself, so that every bundler takes them along: gzip, then base64.

import { KeyfoldError } from "./error.js";

/** A module that is compiled when it is first asked for, and once. */
export function lazyModule(load: () => Promise<string> | string): () => Promise<WebAssembly.Module> {
  let compiled: Promise<WebAssembly.Module> | undefined;
  return () => {
    compiled ??= compile(load).catch((error: unknown) => {
      // What failed once (a policy, a lack of memory, a network) may work another time.
      compiled = undefined;
      throw new KeyfoldError("unsupported", `WebAssembly does not start: ${(error as Error).message}`, "", { cause: error });
    });
    return compiled;
  };
}

async function compile(load: () => Promise<string> | string): Promise<WebAssembly.Module> {
  const packed = Uint8Array.from(atob(await load()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
