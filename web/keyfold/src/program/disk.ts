// Files as Node.js has them, for the program on the command line.

import fs from "node:fs";
import type { Files, Handle, OpenMode, Stat } from "./files.js";

function told(stat: fs.BigIntStats): Stat {
  return { isFolder: stat.isDirectory(), size: Number(stat.size), modified: stat.mtimeNs, inode: stat.ino };
}

/** The machine's own files. */
export const disk: Files = {
  stat: (path) => told(fs.statSync(path, { bigint: true })),
  open: (path, mode) => new DiskHandle(fs.openSync(path, flags(mode))),
  list: (path) => fs.readdirSync(path),
  makeFolder: (path) => fs.mkdirSync(path),
  removeFolder: (path) => fs.rmdirSync(path),
  remove: (path) => fs.unlinkSync(path),
  rename: (from, to) => fs.renameSync(from, to),
};

function flags({ create, exclusive, truncate, write }: OpenMode): number {
  const { O_CREAT, O_EXCL, O_TRUNC, O_RDWR, O_RDONLY } = fs.constants;
  return (write ? O_RDWR : O_RDONLY) | (create ? O_CREAT : 0) | (exclusive ? O_EXCL : 0) | (truncate ? O_TRUNC : 0);
}

class DiskHandle implements Handle {
  constructor(private readonly fd: number) {}

  stat(): Stat {
    return told(fs.fstatSync(this.fd, { bigint: true }));
  }

  read(room: Uint8Array, place: number): number {
    return fs.readSync(this.fd, room, 0, room.length, place);
  }

  write(bytes: Uint8Array, place: number): number {
    return fs.writeSync(this.fd, bytes, 0, bytes.length, place);
  }

  truncate(size: number): void {
    fs.ftruncateSync(this.fd, size);
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}
