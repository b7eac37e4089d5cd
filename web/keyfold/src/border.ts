// How bytes cross the border of a WebAssembly module (crates/keyfold-wasm): into its input, out of its output.

import { KeyfoldError, malformed } from "./error.js";

/** What every module of ours exports. */
export interface Exports {
  memory: WebAssembly.Memory;
  input(length: number): number;
  output(): number;
  output_length(): number;
}

/** One instance of a module. */
export class Border<E extends Exports> {
  private constructor(readonly exports: E) {}

  static async create<E extends Exports>(module: WebAssembly.Module): Promise<Border<E>> {
    const { exports } = await WebAssembly.instantiate(module, {}).catch((error: Error) => {
      throw new KeyfoldError("limit", `WebAssembly gets no memory: ${error.message}`, "", { cause: error });
    });
    return new Border(exports as unknown as E);
  }

  /** Hands over bytes, runs an operation, takes a copy of what comes back. `at` is the place in the document that it is about. */
  call(at: string, input: Uint8Array[], operation: (exports: E) => number): Uint8Array<ArrayBuffer> {
    try {
      this.fill(input);
      const failed = operation(this.exports) !== 0;
      const [start, length] = [this.exports.output() >>> 0, this.exports.output_length() >>> 0];
      const bytes = new Uint8Array(this.exports.memory.buffer, start, length).slice() as Uint8Array<ArrayBuffer>;
      if (failed) throw malformed(at, new TextDecoder().decode(bytes));
      return bytes;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
        // The module ends itself where memory does.
        throw new KeyfoldError("limit", "decoding takes more memory than there is", at, { cause: error });
      }
      throw error;
    }
  }

  private fill(pieces: Uint8Array[]): void {
    let at = this.exports.input(pieces.reduce((sum, piece) => sum + piece.length, 0)) >>> 0;
    for (const piece of pieces) {
      new Uint8Array(this.exports.memory.buffer, at, piece.length).set(piece);
      at += piece.length;
    }
  }
}
