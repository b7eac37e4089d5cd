"""Many files: the samples with changed values, small motions, and broken ones. Rows and workers, for whoever runs them."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import numpy as np

import keyfold
from keyfold import batch

ROOT = Path(__file__).resolve().parents[2]


def changed(data: bytes, seed: int) -> bytes:
    """A copy of a GLB with other values: the time line of every animation is stretched a little, so that each file is its own."""
    length = int.from_bytes(data[12:16], "little")
    document = json.loads(data[20 : 20 + length])
    start = 20 + length + 8
    binary = bytearray(data[start:])
    for index in {sampler["input"] for animation in document["animations"] for sampler in animation["samplers"]}:
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        times = np.frombuffer(binary, "<f4", accessor["count"], at) * np.float32(1 + seed / 50_000)
        binary[at : at + times.nbytes] = times.astype("<f4").tobytes()
        accessor["min"], accessor["max"] = [float(times.min())], [float(times.max())]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = len(text).to_bytes(4, "little") + b"JSON" + text + data[start - 8 : start] + bytes(binary)
    return data[:8] + (12 + len(chunks)).to_bytes(4, "little") + chunks


def samples(folder: Path, count: int) -> list[Path]:
    """Copies of the samples with changed values, in folders of their own."""
    names = ("face.glb", "machine.glb", "face.glb", "machine.glb", "figure.glb")
    originals = [(ROOT / "samples" / name).read_bytes() for name in names]
    files = [folder / str(index % 10) / f"{index}.glb" for index in range(count)]
    for index, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(changed(originals[index % len(originals)], index))
    return files


def motions(folder: Path, count: int) -> list[Path]:
    """Small files, each with values of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{index}.glb" for index in range(count)]
    for index, file in enumerate(files):
        angles = np.sin(np.linspace(0, 3 + index / 7, 40)) * 0.8
        turns = np.zeros((40, 3, 4))
        turns[..., 2], turns[..., 3] = np.sin(angles / 2)[:, None], np.cos(angles / 2)[:, None]
        file.write_bytes(keyfold.write_glb(["a", "b", "c"], [-1, 0, 1], [[0, 1, 0]] * 3, turns, fps=30))
    return files


def broken(folder: Path, count: int) -> list[Path]:
    """Files that are broken in as many ways as random numbers find, every second one also cut off."""
    folder.mkdir(parents=True, exist_ok=True)
    random, whole = np.random.default_rng(5), (ROOT / "samples" / "machine.glb").read_bytes()
    files = [folder / f"bad{index}.glb" for index in range(count)]
    for index, file in enumerate(files):
        data = bytearray(whole[: random.integers(0, 4000)] if index % 2 else whole)
        for at in random.integers(0, min(len(data), 4000), 40) if data else []:
            data[at] = random.integers(0, 256)
        file.write_bytes(data)
    return files


def rows_in(out: Path) -> list[batch.Row]:
    """All rows of a run, part by part."""
    return [row for part in sorted((out / "keyfold-rows").glob("part-*")) for row in batch.read_rows(str(part))]


def kill_worker() -> bool:
    """Ends a worker of this process' cluster in the midst of a batch with SIGKILL: the parent of a process that packs."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"keyfold._child" in (process / "cmdline").read_bytes().split(b"\0"):
                worker, *above = ancestors(int(process.name))
                if os.getpid() in above:
                    os.kill(worker, signal.SIGKILL)
                    return True
        except (OSError, ValueError):
            continue
    return False


def ancestors(process: int) -> list[int]:
    """A process' parent, its parent, and so on."""
    parent = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return [parent, *ancestors(parent)] if parent > 1 else []
