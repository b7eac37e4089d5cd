"""Packing more files than one machine can, on Ray Data: `keyfold.ray.pack`, or `python -m keyfold.ray`.

The driver writes a manifest of inputs and outputs and streams it through `map_batches`; workers read, pack and write (`keyfold.batch`).
The driver's memory does not grow with the number of files, except for 16 bytes per file that an earlier run has done.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _places as places
from ._manifest import Paths, inputs, spelled, write_manifest
from .batch import Settings, is_done, key, pack_files

# Files of a task: what is lost at most where a worker dies, and what a part of the rows holds.
BATCH = 16


@dataclass
class Summary:
    """How many files came out how, how many were done before, and the bytes before and after of those that are new."""

    packed: int = 0
    copied: int = 0
    failed: int = 0
    left: int = 0
    done_before: int = 0
    bytes_before: int = 0
    bytes_after: int = 0

    def add(self, row: dict[str, Any]) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + int(row[field.name]))


def pack(
    paths: Paths,
    out: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    rows: str | None = None,
    batch: int = BATCH,
    concurrency: int | None = None,
) -> Summary:
    """Packs files into `out`, keeping folders, and writes a row for each to Parquet in `rows` (default: `out/keyfold-rows`).

    `paths`: a folder, paths, or a manifest (`.txt` with one path per line, `.csv` or `.parquet` with a column `input`), on disks that
    all workers see, or anywhere that fsspec supports. Needs `pip install keyfold[ray]`. Uses the cluster that `ray.init` connected to,
    else starts a local one. Run again, it continues where it stopped: files that have a row with the same input and settings are
    skipped.
    """
    import ray

    settings = settings or Settings()
    target = spelled(out)
    parts = rows or places.join(target, "keyfold-rows")
    manifest = places.join(target, "keyfold-manifest.parquet")
    write_manifest(inputs(paths, target), target, manifest)
    done = ray.put(keys_done(parts))
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = sys.stderr.isatty()
    jobs = ray.data.read_parquet(manifest).repartition(target_num_rows_per_block=batch)
    # Ray Data tries a task again that died with its worker.
    told = jobs.map_batches(
        partial(_task, settings=settings, rows=parts, done=done),
        batch_size=batch,
        num_cpus=1,
        concurrency=concurrency,
    )
    summary = Summary()
    for row in told.iter_rows():
        summary.add(row)
    return summary


def _task(batch: Any, settings: Settings, rows: str, done: Any) -> Any:
    """What a worker does: packs a batch, writes its rows, and tells how many of which there are."""
    import ray

    jobs = list(zip(batch["input"].tolist(), batch["output"].tolist()))
    made = pack_files(jobs, settings, rows, Keys(ray.get(done)))
    count = {status: sum(row["status"] == status for row in made) for status in ("packed", "copied", "failed", "left")}
    wrote = [row for row in made if row["output"] is not None]
    summary = Summary(
        **count,
        done_before=len(jobs) - len(made),
        bytes_before=sum(row["bytes_before"] or 0 for row in wrote),
        bytes_after=sum(row["bytes_after"] or 0 for row in wrote),
    )
    return {field.name: [getattr(summary, field.name)] for field in fields(summary)}


class Keys:
    """A set of 16-byte keys as one sorted array, which workers of a machine share."""

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        self._keys = keys

    def __contains__(self, key: object) -> bool:
        assert isinstance(key, bytes)
        high, low = np.frombuffer(key, ">u8").astype(np.uint64)
        first, last = (int(np.searchsorted(self._keys[:, 0], high, side)) for side in ("left", "right"))
        return bool((self._keys[first:last, 1] == low).any())


def keys_done(rows: str) -> NDArray[np.uint64]:
    """The keys of all rows whose files need not be packed again, `[n, 2]`, sorted."""
    if not places.exists(rows):
        return np.zeros((0, 2), np.uint64)
    columns = ["input", "input_hash", "settings_hash", "status"]
    found = bytearray()
    for batch in places.dataset(rows, "parquet").to_batches(columns=columns):
        for row in batch.to_pylist():
            if is_done(row):
                found += key(row["input"], row["input_hash"], row["settings_hash"])
    pairs = np.frombuffer(bytes(found), ">u8").astype(np.uint64).reshape(-1, 2)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m keyfold.ray", description="Pack many files on Ray")
    parser.add_argument("paths", nargs="+", help="a folder, files, or a manifest (.txt, .csv or .parquet with a column input)")
    parser.add_argument("-o", "--out", required=True, help="the folder to write to: a path, or a URL that fsspec supports")
    parser.add_argument("--rows", help="the folder for rows [default: OUT/keyfold-rows]")
    parser.add_argument("--address", help="a Ray cluster [default: starts a local one]")
    parser.add_argument("--cpus", type=int, help="number of processors of a local cluster")
    parser.add_argument("--batch", type=int, default=BATCH, help="files per task")
    defaults = Settings()
    parser.add_argument("--max-error", default=defaults.max_error)
    parser.add_argument("--storage", default=defaults.storage)
    parser.add_argument("--level", default=defaults.level, choices=["fast", "default", "max"])
    parser.add_argument("--max-property-error", type=float, default=defaults.max_property_error)
    parser.add_argument("--keep", action="append", default=[])
    parser.add_argument(
        "--timeout", type=float, default=defaults.timeout, help="seconds a file may take before it is packed at level fast, then left"
    )
    parser.add_argument("--memory", type=int, default=defaults.memory, help="memory limit per file in bytes")
    arguments = parser.parse_args()
    import ray

    # A driver that is ended from outside must not leave its workers behind.
    ray.init(address=arguments.address, num_cpus=arguments.cpus, log_to_driver=False)
    settings = Settings(
        **{field.name: getattr(arguments, field.name) for field in fields(Settings) if field.name != "keep"},
        keep=tuple(arguments.keep),
    )
    paths = arguments.paths[0] if len(arguments.paths) == 1 else arguments.paths
    summary = pack(paths, arguments.out, settings, rows=arguments.rows, batch=arguments.batch)
    print(summary)
    sys.exit(1 if summary.failed or summary.left else 0)


if __name__ == "__main__":
    # What workers are sent should be the package's, not that of a module called `__main__`.
    from keyfold.ray import main as run

    run()
