// `keyfold/babylon`: loader extensions for Babylon.js. While Babylon makes its extensions ready, the document becomes plain core glTF in
// place; what Babylon plays by itself, pointers among it, it plays.

import type { IGLTFLoaderExtension } from "@babylonjs/loaders/glTF/2.0/glTFLoaderExtension.js";
import {
  registerGLTFExtension, registeredGLTFExtensions, unregisterGLTFExtension,
} from "@babylonjs/loaders/glTF/2.0/glTFLoaderExtensionRegistry.js";
import { asKeyfoldError } from "./error.js";
import type { Json } from "./look.js";
import { OURS, POINTER } from "./names.js";
import { type Plain, makePlain } from "./plain.js";
import { type Limits, memoryOf } from "./unpack.js";

export { KeyfoldError } from "./error.js";
export type { Limits } from "./unpack.js";

/** What the extension asks of Babylon's loader. */
interface Loader {
  gltf: Json;
  bin: { byteLength: number; readAsync(offset: number, length: number): Promise<ArrayBufferView> } | null;
  loadUriAsync(context: string, property: unknown, uri: string): Promise<ArrayBufferView>;
}

/** Lets Babylon's loader play every storage that Keyfold writes. Once is enough; files that use none of them are not touched. */
export function registerKeyfold(options: { limits?: Limits } = {}): void {
  for (const name of OURS) {
    unregisterGLTFExtension(name);
    registerGLTFExtension(name, true, async (loader) => new Extension(name, await prepared(loader as unknown as Loader, options)));
  }
}

/** A document that was made plain. */
interface Prepared {
  plain: Plain;
  /** The one of our extensions that acts for all that the file uses. */
  acting: string;
  /** Babylon's own extension for pointers, where the file did not ask for it before it was made plain. */
  pointers: Json;
}

const documents = new WeakMap<object, Promise<Prepared>>();

function prepared(loader: Loader, options: { limits?: Limits }): Promise<Prepared> {
  let document = documents.get(loader.gltf);
  if (!document) documents.set(loader.gltf, (document = prepare(loader, options)));
  return document;
}

async function prepare(loader: Loader, options: { limits?: Limits }): Promise<Prepared> {
  const { gltf } = loader;
  const used: string[] = gltf.extensionsUsed ?? [];
  const acting = OURS.find((name) => used.includes(name))!;
  try {
    const plain = await makePlain(gltf, { load: (index) => loadBuffer(loader, index), memory: memoryOf(options), unitRotations: true });
    // Babylon numbers what it finds in a file before extensions come into play.
    for (const list of [gltf.accessors, gltf.bufferViews, gltf.animations]) list?.forEach((item: Json, i: number) => (item.index = i));
    for (const animation of gltf.animations ?? []) {
      for (const list of [animation.channels, animation.samplers]) list?.forEach((item: Json, i: number) => (item.index = i));
    }
    const isNew = !used.includes(POINTER) && gltf.extensionsUsed?.includes(POINTER);
    const pointers = isNew ? await registeredGLTFExtensions.get(POINTER)?.factory(loader as Json) : undefined;
    return { plain, acting, pointers };
  } catch (error) {
    throw asKeyfoldError(error);
  }
}

async function loadBuffer(loader: Loader, index: number): Promise<Uint8Array> {
  const buffer = loader.gltf.buffers[index];
  const inside = buffer.uri === undefined && loader.bin;
  const data = await (inside ? inside.readAsync(0, inside.byteLength) : loader.loadUriAsync(`/buffers/${index}/uri`, buffer, buffer.uri));
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

class Extension implements IGLTFLoaderExtension {
  readonly enabled = true;

  constructor(
    readonly name: string,
    private readonly document: Prepared,
  ) {}

  dispose(): void {
    if (this.acts) this.document.pointers?.dispose();
  }

  private get acts(): boolean {
    return this.name === this.document.acting;
  }

  /** The one buffer view that the file itself does not have. */
  loadBufferViewAsync(_context: string, bufferView: Json): Promise<ArrayBufferView> | null {
    const { view, bytes } = this.document.plain;
    return this.acts && bufferView.index === view ? Promise.resolve(bytes) : null;
  }

  /** Channels with pointers go to Babylon's own extension. */
  _loadAnimationChannelAsync(...channel: unknown[]): Promise<void> | null {
    return this.acts ? (this.document.pointers?._loadAnimationChannelAsync(...channel) ?? null) : null;
  }
}
