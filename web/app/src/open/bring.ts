// Where files come from: dropped, chosen, pasted, one of our samples, or those that the program was started with.

import { NotReadable } from "./source.js";

type Brought = [path: string, contents: Blob][];

/** All files of a drop, folders included. */
export async function fromDrop(transfer: DataTransfer): Promise<Brought> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some((entry) => entry?.isDirectory)) return fromList(transfer.files);
  const found: Brought = [];
  for (const entry of entries) if (entry) await walk(entry, "", found);
  return found;
}

export function fromList(list: FileList): Brought {
  return [...list].map((file) => [file.webkitRelativePath || file.name, file]);
}

async function walk(entry: FileSystemEntry, folder: string, found: Brought): Promise<void> {
  const path = folder + entry.name;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push([path, file]);
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const read = (): Promise<FileSystemEntry[]> => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
  for (let entries = await read(); entries.length > 0; entries = await read()) {
    for (const inner of entries) await walk(inner, `${path}/`, found);
  }
}

export interface Sample {
  name: string;
  title: string;
  what: string;
  files: string[];
}

export const SAMPLES: Sample[] = [
  { name: "figure", title: "Figure", what: "24 joints, three baked clips", files: ["figure.glb"] },
  { name: "machine", title: "Machine", what: "steps and splines", files: ["machine.glb"] },
  { name: "face", title: "Face", what: "morph targets", files: ["face.glb"] },
  { name: "lamp", title: "Lamp", what: "colours, lights, visibility", files: ["lamp.gltf", "lamp.bin"] },
];

async function fetched(address: string): Promise<Blob> {
  const answer = await fetch(new URL(address, document.baseURI));
  if (!answer.ok) throw new NotReadable("A file could not be loaded", (await answer.text()) || answer.statusText);
  return answer.blob();
}

export async function fromSample({ files }: Sample): Promise<Brought> {
  return Promise.all(files.map(async (name) => [name, await fetched(`samples/${name}`)] as [string, Blob]));
}

/** A file that `keyfold view` was started with. */
interface Named {
  name: string;
  beside: string[];
}

/** What `keyfold view` was started with; it writes that into the page. */
export function named(): Named[] {
  const told = document.querySelector<HTMLMetaElement>('meta[name="keyfold-files"]')?.content;
  return told ? JSON.parse(told) : [];
}

/** The files that `keyfold view` was started with, each with what it refers to; what is not there is missing. */
export async function fromProgram(files: Named[]): Promise<Brought[]> {
  return Promise.all(
    files.map(async ({ name, beside }, i) => {
      const main: [string, Blob] = [name, await fetched(`files/${i}`)];
      const others = beside.map(async (uri, k) => [decodeURIComponent(uri), await fetched(`files/${i}/${k}`)] as [string, Blob]);
      const settled = await Promise.allSettled(others);
      return [main, ...settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []))];
    }),
  );
}
