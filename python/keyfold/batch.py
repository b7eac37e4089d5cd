"""Packing many files: a plain function for a worker, whatever runs the workers (Ray, Dask, a pool of processes).

A file becomes an output that appears whole or not at all, and a row that says what came of it. Rows go to Parquet, a part for each batch,
written when the batch is done. What has a row with the same input and settings is not packed again. `docs/scale.md` has the whole picture.
"""

from __future__ import annotations

import hashlib
import io
import json
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypedDict

from . import _places as places
from ._child import Child, TooMuch
from ._tools import version

Jobs: TypeAlias = Iterable[tuple[str, str]]


@dataclass(frozen=True)
class Settings:
    """How to pack, and the limits of time and memory per file.

    The first five are those of `keyfold.pack`. A file that takes more than `timeout` seconds or `memory` bytes is tried again with
    `level="fast"`, then left.
    """

    max_error: str = "0.01%"
    storage: str = "core"
    level: str = "default"
    max_property_error: float = 0.001
    keep: tuple[str, ...] = ()
    timeout: float | None = 600.0
    memory: int | None = 4 << 30

    def options(self, level: str) -> dict[str, Any]:
        """What `keyfold.pack` is given."""
        options = asdict(self) | {"level": level}
        return {key: value for key, value in options.items() if key not in ("timeout", "memory")}

    def digest(self) -> str:
        """Everything that decides what comes out."""
        return _digest(json.dumps([version(), self.options(self.level)], sort_keys=True).encode())


class Row(TypedDict):
    """The result for a file.

    `status`: `packed`, `copied` (nothing could be saved), `failed` (`failure` says why), or `left` (too much time or memory, see
    `failure`). `level`: the level that it was packed with, which may be `fast` where another was asked for. `error` is in scene units,
    `relative` a fraction of the model's size.
    """

    input: str
    output: str | None
    status: str
    level: str | None
    storage: str | None
    bytes_before: int | None
    bytes_after: int | None
    error: float | None
    relative: float | None
    worst_joint: str | None
    seconds: float
    cpu_seconds: float | None
    peak_memory: int | None
    input_hash: str | None
    settings_hash: str
    failure: str | None
    at: str | None
    finished: float


def key(input: str, input_hash: str, settings_hash: str) -> bytes:
    """What makes a file's row its own: 16 bytes of a hash."""
    return hashlib.sha256("\0".join((input, input_hash, settings_hash)).encode()).digest()[:16]


def is_done(row: Row) -> bool:
    """Whether a row's file need not be packed again: it was, or it never can be. What was left, or could not be read, is tried again."""
    return row["status"] != "left" and row["input_hash"] is not None


def fingerprint(path: Path) -> str:
    """The hash of a file and of the buffers beside it."""
    data = path.read_bytes()
    hashed = hashlib.sha256(data)
    for uri in places.buffers_beside(data):
        beside = path.parent / uri
        hashed.update(beside.read_bytes() if beside.is_file() else b"")
    return hashed.hexdigest()


def pack_files(jobs: Jobs, settings: Settings, rows: str | None = None, done: Container[bytes] = ()) -> list[Row]:
    """Packs files, each from its input to its output, and returns the rows of those that were not done before.

    `rows`: the folder of Parquet parts; the batch's own part is written when all its files are done, and read first. `done`: keys of rows
    in other parts.
    """
    batch = list(jobs)
    part = None if rows is None else places.join(rows, part_name(batch, settings))
    before = [] if part is None or not places.exists(part) else read_rows(part)
    known = {_key_of(row) for row in before if is_done(row)}

    def is_known(key: bytes) -> bool:
        return key in known or key in done

    made: list[Row] = []
    with Child(settings.timeout, settings.memory) as child:
        for source, output in batch:
            row = _pack(child, source, output, settings, is_known)
            made += [row] if row is not None else []
    if part is not None and made:
        anew = {row["input"] for row in made}
        write_rows([row for row in before if row["input"] not in anew] + made, part)
    return made


def part_name(batch: Sequence[tuple[str, str]], settings: Settings) -> str:
    """The same batch has the same part, however often it is tried."""
    return f"part-{_digest(json.dumps([settings.digest(), batch]).encode())}.parquet"


def read_rows(part: str) -> list[Row]:
    """The rows of a part."""
    import pyarrow.parquet as parquet

    rows: list[Row] = parquet.read_table(io.BytesIO(places.read(part))).to_pylist()
    return rows


def write_rows(rows: Sequence[Row], part: str) -> None:
    """Writes a part, whole or not at all."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    names = {str: arrow.string(), int: arrow.int64(), float: arrow.float64()}
    types = {name: kind for name, kind in Row.__annotations__.items()}
    fields = [(name, next(names[t] for t in names if t.__name__ in str(kind))) for name, kind in types.items()]
    buffer = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(list(rows), schema=arrow.schema(fields)), buffer)
    places.write(buffer.getvalue(), part)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _key_of(row: Row) -> bytes:
    return key(row["input"], row["input_hash"] or "", row["settings_hash"])


def _pack(child: Child, source: str, output: str, settings: Settings, is_known: Callable[[bytes], bool]) -> Row | None:
    """The row of a file; nothing where it was done before."""
    row = Row(
        input=source, output=None, status="failed", level=None, storage=None, bytes_before=None, bytes_after=None, error=None,
        relative=None, worst_joint=None, seconds=0.0, cpu_seconds=None, peak_memory=None, input_hash=None,
        settings_hash=settings.digest(), failure=None, at=None, finished=0.0,
    )  # fmt: skip
    started = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="keyfold-") as folder:
            fetched = places.fetch(source, Path(folder))
            row["input_hash"] = fingerprint(fetched)
            if is_known(_key_of(row)):
                return None
            row["bytes_before"] = fetched.stat().st_size
            _attempt(child, fetched, output, Path(folder) / "out", settings, row)
    except Exception as error:
        # A file's failure is a row, whatever it is: the run goes on.
        row["failure"] = f"{type(error).__name__}: {error}"
    row["seconds"] = time.monotonic() - started
    row["finished"] = time.time()
    return row


def _attempt(child: Child, source: Path, output: str, scratch: Path, settings: Settings, row: Row) -> None:
    """Packs at the level that is asked for, then at the fastest; then leaves the file."""
    made = places.local(output) if places.is_local(output) else scratch / output.rpartition("/")[2]
    told: list[str] = []
    for level in dict.fromkeys((settings.level, "fast")):
        try:
            answer = child.pack(source, made, settings.options(level))
        except TooMuch as limit:
            told.append(f"level {level} {limit}")
            continue
        _fill(row, answer, level)
        row["failure"] = "; ".join([*told, *filter(None, [row["failure"]])]) or None
        if row["status"] != "failed":
            if not places.is_local(output):
                _publish(scratch, made, output)
            row["output"] = output
        return
    row["status"], row["failure"] = "left", "; ".join(told)


def _publish(folder: Path, made: Path, output: str) -> None:
    """What was made, the document itself last: whoever finds it finds what it refers to."""
    beside = output[: -len(made.name)]
    for file in sorted(p for p in folder.rglob("*") if p.is_file() and p != made):
        places.publish(file, beside + file.relative_to(folder).as_posix())
    places.publish(made, output)


def _fill(row: Row, answer: dict[str, Any], level: str) -> None:
    row["cpu_seconds"], row["peak_memory"] = answer["cpu_seconds"], answer["peak_memory"]
    if "failure" in answer:
        row["failure"], row["at"] = answer["failure"], answer["at"]
        return
    [report] = answer["report"]["files"]
    row["status"], row["level"], row["storage"] = "copied" if report["copied"] else "packed", level, report["storage"]
    row["bytes_before"], row["bytes_after"] = report["bytes"]["before"], report["bytes"]["after"]
    if (error := report["error"]) is not None:
        row["error"], row["relative"], row["worst_joint"] = error["max"], error["relative"], error["node"]
    row["failure"] = "; ".join(report["left"]) or None
