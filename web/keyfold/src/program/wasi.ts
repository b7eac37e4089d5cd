// WASI preview 1, as much of it as a Rust program asks for: arguments, standard streams, clocks, files. Paths are not confined: whoever
// starts the program says what files there are (`./files.ts`).

import type { Files, Handle, Stat } from "./files.js";

/** What a program is started with. */
export interface Start {
  args: string[];
  env: Record<string, string>;
  files: Files;
  /** Where relative paths start: an absolute path. */
  folder: string;
  /** Fills as much of the room as there is to read; 0 at the end. */
  stdin(room: Uint8Array): number;
  stdout(bytes: Uint8Array): void;
  stderr(bytes: Uint8Array): void;
  /** Whether a standard stream is a terminal. */
  isTerminal(stream: number): boolean;
}

const ERRORS: Record<string, number> = {
  EACCES: 2, EAGAIN: 6, EBADF: 8, EEXIST: 20, EINVAL: 28, EIO: 29, EISDIR: 31, ELOOP: 32, EMFILE: 33, ENAMETOOLONG: 37, ENOENT: 44,
  ENOSPC: 51, ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, EPERM: 63, EPIPE: 64, EROFS: 69, EXDEV: 75,
};
const FOLDER = 3;
const REGULAR = 4;
const CHARACTERS = 2;
const SOCKET = 6;
const ALL_RIGHTS = 0xffff_ffff_ffffn;
const utf8 = new TextEncoder();

/** The program ended itself. */
class Exit {
  constructor(readonly code: number) {}
}

type Open = { stream: 0 | 1 | 2 } | { folder: string; preopened?: string; entries?: string[] } | { file: Handle; at: number };

/** Runs a program to its end; its exit code. */
export function runProgram(module: WebAssembly.Module, start: Start): number {
  const host = new Host(start);
  const functions = new Proxy({}, { get: (_, name: string) => host.call(name) });
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: functions as WebAssembly.ModuleImports });
  host.memory = instance.exports.memory as WebAssembly.Memory;
  try {
    (instance.exports._start as () => void)();
    return 0;
  } catch (end) {
    if (end instanceof Exit) return end.code;
    throw end;
  }
}

/** What the program sees of the world. */
class Host {
  memory!: WebAssembly.Memory;
  private readonly open: (Open | undefined)[];
  /** The absolute paths that the program was started with. */
  private readonly absolute: string[];

  constructor(private readonly start: Start) {
    this.open = [
      { stream: 0 }, { stream: 1 }, { stream: 2 },
      { folder: start.folder, preopened: "." },
    ];
    // `/out.glb` may also stand behind an option: `--output=/out.glb`.
    this.absolute = start.args.flatMap((arg) => /^(?:-[^/=]*=)?(\/.*)$/s.exec(arg)?.[1] ?? []).map((path) => joined("/", path));
  }

  /** A function by its name; one that is not there says so when it is called. */
  call(name: string): (...args: never[]) => number {
    const method = (this as unknown as Record<string, ((...args: unknown[]) => number | void) | undefined>)[name];
    return (...args: unknown[]) => {
      if (!method) return ERRORS.ENOSYS!;
      try {
        return method.apply(this, args) ?? 0;
      } catch (error) {
        if (error instanceof Exit) throw error;
        const code = (error as { code?: unknown }).code;
        if (typeof code !== "string") throw error;
        return ERRORS[code] ?? ERRORS.EIO!;
      }
    };
  }

  // ---- memory

  private view(): DataView {
    return new DataView(this.memory.buffer);
  }

  private bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at >>> 0, length >>> 0);
  }

  private text(at: number, length: number): string {
    return new TextDecoder().decode(this.bytes(at, length));
  }

  /** The rooms of a scattered read or write. */
  private rooms(list: number, count: number): Uint8Array[] {
    const view = this.view();
    return Array.from({ length: count }, (_, i) => this.bytes(view.getUint32(list + 8 * i, true), view.getUint32(list + 8 * i + 4, true)));
  }

  private strings(list: string[], pointers: number, at: number): void {
    for (const [i, text] of list.entries()) {
      this.view().setUint32(pointers + 4 * i, at, true);
      const bytes = utf8.encode(`${text}\0`);
      this.bytes(at, bytes.length).set(bytes);
      at += bytes.length;
    }
  }

  private sizes(list: string[], count: number, length: number): void {
    this.view().setUint32(count, list.length, true);
    this.view().setUint32(length, list.reduce((sum, text) => sum + utf8.encode(text).length + 1, 0), true);
  }

  // ---- what the program was started with

  args_get(pointers: number, at: number): void {
    this.strings(this.start.args, pointers, at);
  }

  args_sizes_get(count: number, length: number): void {
    this.sizes(this.start.args, count, length);
  }

  private get environment(): string[] {
    return Object.entries(this.start.env).map(([name, value]) => `${name}=${value}`);
  }

  environ_get(pointers: number, at: number): void {
    this.strings(this.environment, pointers, at);
  }

  environ_sizes_get(count: number, length: number): void {
    this.sizes(this.environment, count, length);
  }

  clock_time_get(id: number, _precision: bigint, out: number): void {
    const milliseconds = id === 0 ? Date.now() : performance.now();
    this.view().setBigUint64(out, BigInt(Math.round(milliseconds * 1e6)), true);
  }

  random_get(at: number, length: number): void {
    // At most this much is given at once.
    for (let i = 0; i < length; i += 65536) crypto.getRandomValues(this.bytes(at + i, Math.min(65536, length - i)) as Uint8Array<ArrayBuffer>);
  }

  sched_yield(): void {}

  proc_exit(code: number): never {
    throw new Exit(code);
  }

  // ---- open files

  private get(fd: number): Open {
    const open = this.open[fd];
    if (!open) throw Object.assign(new Error("EBADF"), { code: "EBADF" });
    return open;
  }

  private file(fd: number): { file: Handle; at: number } {
    const open = this.get(fd);
    if (!("file" in open)) throw Object.assign(new Error("EBADF"), { code: "folder" in open ? "EISDIR" : "EBADF" });
    return open;
  }

  fd_close(fd: number): void {
    const open = this.get(fd);
    if ("file" in open) open.file.close();
    this.open[fd] = undefined;
  }

  fd_fdstat_get(fd: number, out: number): void {
    const open = this.get(fd);
    const view = this.view();
    view.setUint8(out, "stream" in open ? this.streamKind(open.stream) : "folder" in open ? FOLDER : REGULAR);
    view.setUint16(out + 2, 0, true);
    // What can be sought is no terminal.
    const rights = "stream" in open ? 0x0800_004an : ALL_RIGHTS;
    view.setBigUint64(out + 8, rights, true);
    view.setBigUint64(out + 16, rights, true);
  }

  private streamKind(stream: number): number {
    return this.start.isTerminal(stream) ? CHARACTERS : SOCKET;
  }

  fd_fdstat_set_flags(): void {}
  fd_sync(): void {}
  fd_datasync(): void {}
  fd_advise(): void {}

  fd_filestat_get(fd: number, out: number): void {
    const open = this.get(fd);
    if ("stream" in open) return this.putStat(out, { isFolder: false, size: 0, modified: 0n, inode: BigInt(fd) }, this.streamKind(open.stream));
    this.putStat(out, "folder" in open ? this.start.files.stat(open.folder) : open.file.stat());
  }

  private putStat(out: number, { isFolder, size, modified, inode }: Stat, kind = isFolder ? FOLDER : REGULAR): void {
    const view = this.view();
    this.bytes(out, 64).fill(0);
    view.setBigUint64(out + 8, BigInt.asUintN(64, inode), true);
    view.setUint8(out + 16, kind);
    view.setBigUint64(out + 24, 1n, true);
    view.setBigUint64(out + 32, BigInt(size), true);
    [40, 48, 56].forEach((at) => view.setBigUint64(out + at, BigInt.asUintN(64, modified), true));
  }

  fd_filestat_set_size(fd: number, size: bigint): void {
    this.file(fd).file.truncate(Number(size));
  }

  fd_prestat_get(fd: number, out: number): void {
    const open = this.get(fd);
    if (!("preopened" in open) || open.preopened === undefined) throw Object.assign(new Error("EBADF"), { code: "EBADF" });
    this.view().setUint8(out, 0);
    this.view().setUint32(out + 4, utf8.encode(open.preopened).length, true);
  }

  fd_prestat_dir_name(fd: number, at: number, length: number): void {
    const open = this.get(fd) as { preopened: string };
    this.bytes(at, length).set(utf8.encode(open.preopened).subarray(0, length));
  }

  fd_read(fd: number, rooms: number, count: number, out: number): void {
    const open = this.get(fd);
    let total = 0;
    for (const room of this.rooms(rooms, count)) {
      const read = "stream" in open ? this.start.stdin(room) : this.file(fd).file.read(room, this.file(fd).at);
      if ("file" in open) open.at += read;
      total += read;
      if (read < room.length) break;
    }
    this.view().setUint32(out, total, true);
  }

  fd_write(fd: number, rooms: number, count: number, out: number): void {
    const open = this.get(fd);
    let total = 0;
    for (const room of this.rooms(rooms, count)) {
      if ("stream" in open) (open.stream === 2 ? this.start.stderr : this.start.stdout)(room.slice());
      else this.file(fd).at += this.file(fd).file.write(room, this.file(fd).at);
      total += room.length;
    }
    this.view().setUint32(out, total, true);
  }

  fd_pread(fd: number, rooms: number, count: number, place: bigint, out: number): void {
    let at = Number(place);
    for (const room of this.rooms(rooms, count)) at += this.file(fd).file.read(room, at);
    this.view().setUint32(out, at - Number(place), true);
  }

  fd_seek(fd: number, offset: bigint, whence: number, out: number): void {
    const open = this.file(fd);
    const base = whence === 0 ? 0 : whence === 1 ? open.at : open.file.stat().size;
    open.at = base + Number(offset);
    this.view().setBigUint64(out, BigInt(open.at), true);
  }

  fd_tell(fd: number, out: number): void {
    this.view().setBigUint64(out, BigInt(this.file(fd).at), true);
  }

  fd_readdir(fd: number, at: number, length: number, cookie: bigint, out: number): void {
    const open = this.get(fd);
    if (!("folder" in open)) throw Object.assign(new Error("ENOTDIR"), { code: "ENOTDIR" });
    open.entries ??= this.start.files.list(open.folder);
    let used = 0;
    for (let i = Number(cookie); i < open.entries.length && used < length; i++) {
      const name = utf8.encode(open.entries[i]!);
      const entry = new Uint8Array(24 + name.length);
      const view = new DataView(entry.buffer);
      const { isFolder, inode } = this.start.files.stat(joined(open.folder, open.entries[i]!));
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setBigUint64(8, BigInt.asUintN(64, inode), true);
      view.setUint32(16, name.length, true);
      view.setUint8(20, isFolder ? FOLDER : REGULAR);
      entry.set(name, 24);
      const part = entry.subarray(0, length - used);
      this.bytes(at + used, part.length).set(part);
      used += part.length;
    }
    this.view().setUint32(out, used, true);
  }

  // ---- paths

  private path(fd: number, at: number, length: number): string {
    const open = this.get(fd);
    if (!("folder" in open)) throw Object.assign(new Error("ENOTDIR"), { code: "ENOTDIR" });
    const path = this.text(at, length);
    return joined(open.preopened !== undefined && this.isAbsolute(`/${path}`) ? "/" : open.folder, path);
  }

  /** WASI's C library takes the first slash off a path and tells nobody. Absolute are those that were said to be, and what lies beside,
   * above or inside them. */
  private isAbsolute(path: string): boolean {
    const folder = (of: string): string => of.slice(0, of.lastIndexOf("/") + 1);
    return this.absolute.some((said) => said === path || path.startsWith(`${said}/`) || said.startsWith(`${path}/`) || (folder(said) !== "/" && path.startsWith(folder(said))));
  }

  path_open(fd: number, _lookup: number, at: number, length: number, how: number, rights: bigint, _inheriting: bigint, _flags: number, out: number): void {
    const path = this.path(fd, at, length);
    const [create, folder, exclusive, truncate] = [1, 2, 4, 8].map((bit) => (how & bit) !== 0) as [boolean, boolean, boolean, boolean];
    const opened = folder || (!create && this.start.files.stat(path).isFolder) ? this.openFolder(path) : this.openFile(path, create, exclusive, truncate, rights);
    const free = this.open.findIndex((open, i) => i > 3 && !open);
    const place = free < 0 ? this.open.length : free;
    this.open[place] = opened;
    this.view().setUint32(out, place, true);
  }

  private openFolder(path: string): Open {
    if (!this.start.files.stat(path).isFolder) throw Object.assign(new Error("ENOTDIR"), { code: "ENOTDIR" });
    return { folder: path };
  }

  private openFile(path: string, create: boolean, exclusive: boolean, truncate: boolean, rights: bigint): Open {
    const write = (rights & 0x40n) !== 0n;
    return { file: this.start.files.open(path, { create, exclusive, truncate, write }), at: 0 };
  }

  path_filestat_get(fd: number, _flags: number, at: number, length: number, out: number): void {
    this.putStat(out, this.start.files.stat(this.path(fd, at, length)));
  }

  path_create_directory(fd: number, at: number, length: number): void {
    this.start.files.makeFolder(this.path(fd, at, length));
  }

  path_remove_directory(fd: number, at: number, length: number): void {
    this.start.files.removeFolder(this.path(fd, at, length));
  }

  path_unlink_file(fd: number, at: number, length: number): void {
    this.start.files.remove(this.path(fd, at, length));
  }

  path_rename(fd: number, at: number, length: number, newFd: number, newAt: number, newLength: number): void {
    this.start.files.rename(this.path(fd, at, length), this.path(newFd, newAt, newLength));
  }

  /** No file is a link here: paths are followed by whoever opens them. */
  path_readlink(): number {
    return ERRORS.EINVAL!;
  }
}

/** A path inside a folder, without `.` and `..`. */
function joined(folder: string, path: string): string {
  const steps: string[] = [];
  for (const step of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return `/${steps.join("/")}`;
}
