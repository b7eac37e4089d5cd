// A file that is looked at, with those beside it.

import type { Files } from "../program/tasks.js";
import { type Gltf, readDocument } from "./document.js";

export interface Source {
  readonly files: Files;
  /** The document's JSON; nothing for a clip by itself. */
  readonly json: Gltf | null;
  /** How long the JSON is in the file. */
  readonly jsonBytes: number;
  /** All files together. */
  readonly bytes: number;
  /** Addresses that the document names and nobody brought. */
  readonly missing: readonly string[];
  /** A clip that plays on this model. */
  readonly clip: Files | null;
  /** Which of our samples it is. */
  readonly sample: string | null;
}

/** The name of a file, without folders. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const isDocument = (path: string): boolean => /\.(glb|gltf|vrm|vrma)$/i.test(path);
const isClip = (path: string): boolean => /\.kfc$/i.test(path);

/** A file that is no glTF at all. */
export class NotReadable extends Error {
  constructor(
    readonly title: string,
    message: string,
    readonly at = "",
  ) {
    super(message);
  }
}

/** What was brought, sorted: documents, each with the files that it names, and clips beside them. */
export async function sortFiles(brought: [path: string, contents: Blob][], sample: string | null = null): Promise<Source[]> {
  const documents = brought.filter(([path]) => isDocument(path));
  const clips = brought.filter(([path]) => isClip(path));
  if (documents.length === 0 && clips.length === 0) {
    const names = brought.map(([path]) => baseName(path)).join(", ");
    throw new NotReadable("That is not a glTF file", `${names || "Nothing"}: a .glb, .gltf, .vrm, .vrma or .kfc file is needed.`);
  }
  const sources = await Promise.all(documents.map(([path, contents]) => open(path, contents, brought, sample)));
  const clip = clips[0] && { name: baseName(clips[0][0]), entries: [[baseName(clips[0][0]), clips[0][1]]] satisfies Files["entries"] };
  if (sources.length === 0) return clips.map(([path, contents]) => clipAlone(baseName(path), contents));
  return clip ? sources.map((source) => ({ ...source, clip })) : sources;
}

function clipAlone(name: string, contents: Blob): Source {
  return { files: { name, entries: [[name, contents]] }, json: null, jsonBytes: 0, bytes: contents.size, missing: [], clip: null, sample: null };
}

async function open(path: string, contents: Blob, brought: [string, Blob][], sample: string | null): Promise<Source> {
  const name = baseName(path);
  const { json, jsonBytes } = await readDocument(name, contents);
  const folder = path.slice(0, path.length - name.length);
  const entries: Files["entries"] = [[name, contents]];
  const missing: string[] = [];
  for (const uri of addresses(json)) {
    const found = find(folder, uri, brought);
    if (found) entries.push([decoded(uri), found]);
    else missing.push(uri);
  }
  const bytes = entries.reduce((sum, [, { size }]) => sum + size, 0);
  return { files: { name, entries }, json, jsonBytes, bytes, missing, clip: null, sample };
}

/** The files that a document names. */
function addresses(json: Gltf): string[] {
  const uris = [...(json.buffers ?? []), ...(json.images ?? [])].map(({ uri }) => uri);
  return [...new Set(uris.filter((uri): uri is string => typeof uri === "string" && !uri.startsWith("data:")))];
}

function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri).replace(/^\.\//, "");
  } catch {
    return uri;
  }
}

/** By its place or, where files come without their folders, by its name. */
function find(folder: string, uri: string, brought: [string, Blob][]): Blob | undefined {
  const path = decoded(uri);
  const exact = brought.find(([there]) => there === folder + path || there === path);
  return (exact ?? brought.find(([there]) => baseName(there) === baseName(path)))?.[1];
}
