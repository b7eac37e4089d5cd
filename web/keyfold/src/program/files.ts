// What a program may do with files, for `./wasi.ts`: in memory, for the page; Node.js has its own (`./disk.ts`).

/** What is known of a file or folder. */
export interface Stat {
  isFolder: boolean;
  size: number;
  /** Nanoseconds since 1970. */
  modified: bigint;
  /** What tells two files apart. */
  inode: bigint;
}

/** How a file is opened. */
export interface OpenMode {
  create: boolean;
  exclusive: boolean;
  truncate: boolean;
  write: boolean;
}

/** An open file. */
export interface Handle {
  stat(): Stat;
  /** Fills as much of the room as there are bytes from a place on; how many. */
  read(room: Uint8Array, place: number): number;
  write(bytes: Uint8Array, place: number): number;
  truncate(size: number): void;
  close(): void;
}

/** Files by absolute path. What goes wrong is thrown as an error with a `code` such as `ENOENT`. */
export interface Files {
  stat(path: string): Stat;
  open(path: string, mode: OpenMode): Handle;
  list(path: string): string[];
  makeFolder(path: string): void;
  removeFolder(path: string): void;
  remove(path: string): void;
  rename(from: string, to: string): void;
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Files in memory; folders are there where files are in them. */
export class MemoryFiles implements Files {
  constructor(readonly contents: Map<string, Uint8Array> = new Map()) {}

  stat(path: string): Stat {
    const isFolder = path === "/" || [...this.contents.keys()].some((name) => name.startsWith(`${path}/`));
    if (isFolder) return { isFolder, size: 0, modified: 0n, inode: 1n };
    return { isFolder: false, size: this.get(path).length, modified: 0n, inode: BigInt(2 + [...this.contents.keys()].indexOf(path)) };
  }

  private get(path: string): Uint8Array {
    const bytes = this.contents.get(path);
    if (!bytes) throw failure("ENOENT");
    return bytes;
  }

  open(path: string, mode: OpenMode): Handle {
    if (path === "/") throw failure("EISDIR");
    const there = this.contents.has(path);
    if (there && mode.exclusive) throw failure("EEXIST");
    if (!there && !mode.create) throw failure("ENOENT");
    if (!there || mode.truncate) this.contents.set(path, new Uint8Array());
    return new MemoryHandle(this, path);
  }

  list(path: string): string[] {
    if (path !== "/") throw failure("ENOTDIR");
    return [...this.contents.keys()].map((name) => name.slice(1));
  }

  makeFolder(path: string): void {
    throw failure(path === "/" ? "EEXIST" : "EACCES");
  }

  removeFolder(): void {
    throw failure("EACCES");
  }

  remove(path: string): void {
    if (!this.contents.delete(path)) throw failure("ENOENT");
  }

  rename(from: string, to: string): void {
    this.contents.set(to, this.get(from));
    this.contents.delete(from);
  }
}

/** A file in memory; it stays the same file when it is renamed. */
class MemoryHandle implements Handle {
  private size: number;
  private room: Uint8Array;

  constructor(
    private readonly files: MemoryFiles,
    private readonly path: string,
  ) {
    this.room = files.contents.get(path)!;
    this.size = this.room.length;
  }

  stat(): Stat {
    return { isFolder: false, size: this.size, modified: 0n, inode: 0n };
  }

  read(room: Uint8Array, place: number): number {
    const bytes = this.room.subarray(Math.min(place, this.size), Math.min(place + room.length, this.size));
    room.set(bytes);
    return bytes.length;
  }

  write(bytes: Uint8Array, place: number): number {
    const end = place + bytes.length;
    if (end > this.room.length) {
      const larger = new Uint8Array(Math.max(end, 2 * this.room.length, 4096));
      larger.set(this.room);
      this.room = larger;
    }
    this.room.set(bytes, place);
    this.truncate(Math.max(this.size, end));
    return bytes.length;
  }

  truncate(size: number): void {
    this.size = size;
    if (this.files.contents.has(this.path)) this.files.contents.set(this.path, this.room.subarray(0, size));
  }

  close(): void {}
}
