"""Ray over many files: what is lost when workers and drivers are killed, files a second, the driver's memory.

`python scale.py FILES [FOLDER]`. Files are the samples with changed values, and 100 broken ones. The native program
(KEYFOLD_PROGRAM) packs them too, and outputs are compared byte by byte.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import keyfold
from keyfold import batch

ROOT = Path(__file__).resolve().parents[2]
LEVEL = "fast"


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


def make(folder: Path, count: int) -> None:
    names = ("face.glb", "machine.glb", "face.glb", "machine.glb", "figure.glb")
    samples = [(ROOT / "samples" / name).read_bytes() for name in names]
    dice = random.Random(1)
    for index in range(count):
        place = folder / f"{index % 10}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{index}.glb").write_bytes(changed(samples[index % len(samples)], index))
    for index in range(100):
        data = bytearray(samples[1][: dice.randrange(3000)])
        for _ in range(min(len(data), 9)):
            data[dice.randrange(len(data))] = dice.randrange(256)
        (folder / f"broken{index}.glb").write_bytes(data)


def driver(source: Path, out: Path, cpus: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "keyfold.ray", str(source), "-o", str(out), "--level", LEVEL, "--cpus", str(cpus)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def rows(out: Path) -> list[batch.Row]:
    return [row for part in sorted((out / "keyfold-rows").glob("part-*")) for row in batch.read_rows(str(part))]


def kill_worker() -> bool:
    """Ends the parent of a process that packs: a worker of Ray's, in the midst of a batch."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"keyfold._child" in (process / "cmdline").read_bytes().split(b"\0"):
                os.kill(int((process / "stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
                return True
        except (OSError, ValueError):
            continue
    return False


def wait_for(out: Path, parts: int, running: subprocess.Popen[bytes]) -> None:
    while running.poll() is None and len(list((out / "keyfold-rows").glob("part-*"))) < parts:
        time.sleep(0.1)


def survive(source: Path, out: Path, count: int) -> None:
    """A worker killed, the driver killed, the run repeated."""
    first = driver(source, out, 2)
    wait_for(out, count // 16 // 8, first)
    print("a worker was killed:", kill_worker(), flush=True)
    wait_for(out, count // 16 // 3, first)
    first.kill()
    first.wait()
    time.sleep(10)
    before = rows(out)
    print(f"the driver was killed with {len(before)} rows written", flush=True)
    second = driver(source, out, 2)
    told = second.communicate()[0].decode().strip()
    after = rows(out)
    print(told)
    inputs = sorted(str(p) for p in source.rglob("*.glb"))
    assert sorted(row["input"] for row in after) == inputs, "a file is missing, or twice there"
    kept = {row["input"]: row["finished"] for row in after}
    assert all(kept[row["input"]] == row["finished"] for row in before), "a file was packed twice"
    failed = [row for row in after if row["status"] == "failed"]
    assert all(row["failure"] for row in failed)
    print(f"{len(after)} rows for {len(inputs)} files; {len(failed)} failed, each with its error")


def compare(source: Path, out: Path) -> None:
    """The outputs against the native program's."""
    program = os.environ["KEYFOLD_PROGRAM"]
    native = out.with_name("native")
    subprocess.run([program, "pack", source, "--recursive", "--out-dir", native, "--level", LEVEL], capture_output=True)
    equal = 0
    for row in rows(out):
        if row["output"] is not None and row["level"] == LEVEL:
            place = Path(row["output"]).relative_to(out)
            assert (native / place).read_bytes() == (out / place).read_bytes(), place
            equal += 1
    print(f"{equal} outputs are the native program's, byte by byte")


def seconds(found: list[batch.Row]) -> None:
    packed = [row for row in found if row["cpu_seconds"] is not None and row["output"] is not None]
    cpu, size = (sum(row[key] or 0 for row in packed) for key in ("cpu_seconds", "bytes_before"))
    each = f"{cpu / len(packed):.3f} per file of {size / len(packed) / 1e3:.0f} KB"
    print(f"level {LEVEL}: {cpu / (size / 1e6):.2f} CPU seconds per MB ({each})")
    peaks = sorted(row["peak_memory"] or 0 for row in packed)
    print(f"peak memory of a file: median {peaks[len(peaks) // 2] / 2**20:.0f} MiB, largest {peaks[-1] / 2**20:.0f} MiB")


def rate(source: Path, out: Path, cpus: int) -> float:
    """Files a second, from the first row to the last."""
    running = driver(source, out, cpus)
    running.communicate()
    finished = sorted(row["finished"] for row in rows(out))
    return (len(finished) - 1) / (finished[-1] - finished[0])


MEASURE = """
import resource, sys, ray, keyfold.ray
from keyfold.batch import Settings
ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False, logging_level="ERROR")
print(keyfold.ray.pack(sys.argv[1], sys.argv[2], Settings(level="fast")))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def memory(folder: Path, files: int) -> float:
    """The driver's peak in MiB over so many files that take no time."""
    source = folder / f"tiny{files}"
    source.mkdir()
    for index in range(files):
        (source / f"{index}.glb").write_bytes(b"glTF")
    done = subprocess.run([sys.executable, "-c", MEASURE, source, folder / f"out{files}"], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    folder = Path(tempfile.mkdtemp(prefix="keyfold-scale-", dir=sys.argv[2] if len(sys.argv) > 2 else None))
    try:
        source, out = folder / "in", folder / "out"
        make(source, count)
        survive(source, out, count)
        compare(source, out)
        seconds(rows(out))
        few = folder / "few"
        make(few, 200)
        one, two = (rate(few, folder / f"rate{cpus}", cpus) for cpus in (1, 2))
        print(f"files a second: two CPUs / one: {two / one:.2f}")
        small, large = memory(folder, 1000), memory(folder, 10_000)
        print(f"the driver's peak memory: {small:.0f} MiB at 1,000 rows, {large:.0f} MiB at 10,000")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    print(f"keyfold {keyfold.__version__}")
    main()
