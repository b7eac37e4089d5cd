"""Which files to pack, and where each goes: as a manifest that is never in memory as a whole."""

from __future__ import annotations

import os
import posixpath
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from . import _places as places

Paths: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"


def spelled(path: str | os.PathLike[str]) -> str:
    """A path that workers understand, too: absolute, or an address."""
    text = os.fspath(path)
    return os.path.abspath(places.local(text)) if places.is_local(text) else text


def inputs(paths: Paths, out: str) -> Iterable[str]:
    """The inputs, one after the other, as often as they are asked for."""
    if not isinstance(paths, (str, os.PathLike)):
        return [spelled(path) for path in paths]
    text = spelled(paths)
    extension = posixpath.splitext(text)[1].lower()
    if extension in (".txt", ".csv", ".parquet"):
        return _Again(lambda: _listed(text, extension))
    if extension in places.EXTENSIONS:
        return [text]
    # What a run before has put into a folder inside is no input.
    return _Again(lambda: (file for file in places.files(text) if not file.startswith(out.rstrip("/") + "/")))


class _Again(Iterable[str]):
    """Something to walk through more than once."""

    def __init__(self, make: Callable[[], Iterator[str]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[str]:
        return self._make()


def _listed(manifest: str, extension: str) -> Iterator[str]:
    """The inputs that a manifest lists, a batch at a time."""
    if extension == ".txt":
        yield from map(spelled, places.lines(manifest))
        return
    for batch in places.dataset(manifest, extension[1:]).to_batches(columns=["input"]):
        yield from map(spelled, batch.column(0).to_pylist())


def write_manifest(inputs: Iterable[str], out: str, manifest: str) -> None:
    """Writes inputs and outputs as Parquet, row group by row group. Outputs lie in `out` as inputs lie in the folder that all share."""
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    shared = _shared_folder(inputs)
    schema = arrow.schema([("input", arrow.string()), ("output", arrow.string())])
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "manifest.parquet"
        with parquet.ParquetWriter(made, schema) as writer:
            group: list[dict[str, str]] = []
            for source in inputs:
                output = places.join(out, _relative(source, shared))
                if output == source:
                    raise ValueError(f"{source} would overwrite itself")
                group.append({"input": source, "output": output})
                if len(group) == 4096:
                    writer.write_table(arrow.Table.from_pylist(group, schema=schema))
                    group = []
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
        places.publish(made, manifest)


def _shared_folder(inputs: Iterable[str]) -> str:
    """The folder that all inputs lie in, with its slash; nothing where there is none."""
    shared: str | None = None
    for source in inputs:
        folder = source.rpartition("/")[0] + "/"
        shared = folder if shared is None else os.path.commonprefix([shared, folder])
    if shared is None:
        raise ValueError("there is no .gltf, .glb, .vrm or .vrma file to pack")
    return shared[: shared.rfind("/") + 1]


def _relative(source: str, shared: str) -> str:
    return source[len(shared) :].replace("://", "/").lstrip("/")
