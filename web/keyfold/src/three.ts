// `keyfold/three`: a plugin for three.js' GLTFLoader. Before anything is loaded, the document becomes plain core glTF in place; what three
// has no words for (CUBICSLERP, animated pointers) is added to the clips once they are there.
//
// Hooks that are exclusive (`loadAnimation`) are left to others.

import type { AnimationClip, Object3D } from "three";
import { asKeyfoldError } from "./error.js";
import type { Json } from "./look.js";
import { OURS, POINTER } from "./names.js";
import { type Plain, makePlain } from "./plain.js";
import { addPointerTracks } from "./three/pointers.js";
import { playSlerp } from "./three/slerp.js";
import { type Limits, memoryOf } from "./unpack.js";

export { KeyfoldError } from "./error.js";
export { animationClip } from "./three/clip.js";
export type { Limits } from "./unpack.js";

/** What the plugin asks of GLTFLoader's parser. */
export interface Parser {
  json: Json;
  plugins: Record<string, unknown>;
  associations: Map<unknown, Json>;
  getDependency(type: string, index: number): Promise<Json>;
}

/** What GLTFLoader loaded. */
interface Loaded {
  animations: AnimationClip[];
  scenes: Object3D[];
}

/** Plays every storage that Keyfold writes: `loader.register((parser) => new KeyfoldPlugin(parser))`. */
export class KeyfoldPlugin {
  readonly name = "KEYFOLD";
  private plain: Plain | undefined;
  private readonly parser: Parser;

  constructor(
    parser: object,
    private readonly options: { limits?: Limits } = {},
  ) {
    this.parser = parser as Parser;
    // The loader warns of required extensions that no plugin is named after, and one plugin has one name.
    const { json } = this.parser;
    if (Array.isArray(json.extensionsRequired)) {
      json.extensionsRequired = json.extensionsRequired.filter((name: Json) => !OURS.includes(name));
    }
    // Buffers that carry such a name are there for loaders without this plugin: they refuse them.
    for (const buffer of Array.isArray(json.buffers) ? json.buffers : []) {
      if (OURS.includes(buffer?.type)) delete buffer.type;
    }
  }

  /** Awaited by the loader before it loads anything. */
  async beforeRoot(): Promise<void> {
    const { json } = this.parser;
    const load = async (index: number): Promise<Uint8Array> => new Uint8Array(await this.parser.getDependency("buffer", index));
    try {
      this.plain = await makePlain(json, { load, memory: memoryOf(this.options), keepSlerp: true, unitRotations: true });
    } catch (error) {
      throw asKeyfoldError(error);
    }
  }

  /** The one buffer view that the file itself does not have. */
  loadBufferView(index: number): Promise<ArrayBuffer> | null {
    if (!this.plain || index !== this.plain.view) return null;
    return Promise.resolve(this.plain.bytes.buffer as ArrayBuffer);
  }

  /** Awaited by the loader before it hands over what it loaded. */
  async afterRoot(loaded: Loaded): Promise<void> {
    for (const { animation, node } of this.plain?.slerps ?? []) {
      playSlerp(loaded.animations[animation]!, await this.parser.getDependency("node", node), this.plain!.decoder);
    }
    if (!this.parser.plugins?.[POINTER]) await addPointerTracks(this.parser, loaded.animations, loaded.scenes);
  }
}
