// WebAssembly modules that lie in the JavaScript itself, so that every bundler takes them along: gzip, then base64.

/** The bytes of a module. */
export async function inflate(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
