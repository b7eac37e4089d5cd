"""Ray over many files: CPU seconds of a file, files a second on one and two processors, the driver's memory.

`python scale.py [FILES]`, with the tests' folder in PYTHONPATH: `cargo xtask bench python-scale`. What is lost when workers and drivers are
killed is a test's business (`test_ray.py`, over 2,000 files with `cargo xtask test --full`).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from many import rows_in, samples

import keyfold
from keyfold import batch

LEVEL = "fast"


def run(source: Path, out: Path, cpus: int) -> list[batch.Row]:
    command = [sys.executable, "-m", "keyfold.ray", str(source), "-o", str(out), "--level", LEVEL, "--cpus", str(cpus)]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return rows_in(out)


def rate(rows: list[batch.Row]) -> float:
    """Files a second, from the first that was finished to the last: without the start of Ray."""
    finished = [row["finished"] for row in rows]
    return (len(finished) - 1) / (max(finished) - min(finished))


def seconds(rows: list[batch.Row]) -> None:
    packed = [row for row in rows if row["cpu_seconds"] is not None and row["output"] is not None]
    cpu, size = (sum(row[key] or 0 for row in packed) for key in ("cpu_seconds", "bytes_before"))
    each = f"{cpu / len(packed):.3f} per file of {size / len(packed) / 1e3:.0f} KB"
    print(f"level {LEVEL}: {cpu / (size / 1e6):.2f} CPU seconds per MB ({each})")
    peaks = sorted(row["peak_memory"] or 0 for row in packed)
    print(f"peak memory of a file: median {peaks[len(peaks) // 2] / 2**20:.0f} MiB, largest {peaks[-1] / 2**20:.0f} MiB")


MEASURE = """
import resource, sys, ray, keyfold.ray
from keyfold.batch import Settings
ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False, logging_level="ERROR")
keyfold.ray.pack(sys.argv[1], sys.argv[2], Settings(level="fast"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def memory(folder: Path, files: int) -> float:
    """The driver's peak in MiB over so many files that take no time."""
    source = folder / f"tiny{files}"
    source.mkdir()
    for index in range(files):
        (source / f"{index}.glb").write_bytes(b"glTF")
    command = [sys.executable, "-c", MEASURE, str(source), str(folder / f"out{files}")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert len(rows_in(folder / f"out{files}")) == files
    return float(done.stdout.split()[-1])


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory(prefix="keyfold-scale-") as name:
        folder = Path(name)
        samples(folder / "in", count)
        one, two = (run(folder / "in", folder / f"out{cpus}", cpus) for cpus in (1, 2))
        assert len(one) == len(two) == count
        seconds(one)
        print(f"files a second: {rate(one):.1f} on one CPU, {rate(two):.1f} on two: {rate(two) / rate(one):.2f}", flush=True)
        small, large = memory(folder, 1000), memory(folder, 10_000)
        print(f"the driver's peak memory: {small:.0f} MiB at 1,000 rows, {large:.0f} MiB at 10,000")


if __name__ == "__main__":
    print(f"keyfold {keyfold.__version__}")
    main()
