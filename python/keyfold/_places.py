"""Where files are: on a disk, or anywhere that fsspec knows (`s3://...`). Disks need no fsspec."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

EXTENSIONS = (".gltf", ".glb", ".vrm", ".vrma")


def is_local(place: str) -> bool:
    return "://" not in place or place.startswith("file://")


def local(place: str) -> Path:
    return Path(place.removeprefix("file://"))


def join(folder: str, relative: str) -> str:
    return f"{folder.rstrip('/')}/{relative}"


def _remote(place: str) -> tuple[Any, str]:
    """The file system behind an address, and the path there."""
    import fsspec

    system, path = fsspec.core.url_to_fs(place)
    return system, path


def exists(place: str) -> bool:
    if is_local(place):
        return local(place).exists()
    system, path = _remote(place)
    return bool(system.exists(path))


def read(place: str) -> bytes:
    if is_local(place):
        return local(place).read_bytes()
    system, path = _remote(place)
    data: bytes = system.cat_file(path)
    return data


def lines(place: str) -> Iterator[str]:
    """The lines of a text that say something, one after the other."""
    if is_local(place):
        opened: Any = local(place).open(encoding="utf-8")
    else:
        system, path = _remote(place)
        opened = system.open(path, "r", encoding="utf-8")
    with opened as file:
        yield from (line.strip() for line in file if line.strip())


def dataset(place: str, form: str) -> Any:
    """A file or a folder as pyarrow reads it, piece by piece."""
    import pyarrow.dataset as datasets

    if is_local(place):
        return datasets.dataset(local(place), format=form)
    system, path = _remote(place)
    return datasets.dataset(path, filesystem=system, format=form)


def files(folder: str) -> Iterator[str]:
    """The glTF files below a folder, in order; none of those that `pack` writes beside its input."""
    if is_local(folder):
        listed = ((parent, names) for parent, folders, names in os.walk(local(folder)) if folders.sort() is None)
        prefix = ""
    else:
        system, path = _remote(folder)
        listed = ((parent, names) for parent, _, names in system.walk(path))
        prefix = folder.partition("://")[0] + "://"
    for parent, names in listed:
        for name in sorted(names):
            stem, extension = os.path.splitext(name)
            if extension.lower() in EXTENSIONS and not stem.endswith(".packed"):
                yield f"{prefix}{parent}/{name}"


def fetch(place: str, folder: Path) -> Path:
    """A file and the buffers that it refers to, on a disk: where they are, or copied into `folder`."""
    if is_local(place):
        return local(place)
    name = place.rpartition("/")[2]
    data = read(place)
    (folder / name).write_bytes(data)
    for uri in buffers_beside(data):
        target = folder / uri
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(read(place[: -len(name)] + uri))
    return folder / name


def buffers_beside(data: bytes) -> list[str]:
    """The buffers in files of their own that lie in the document's folder or below it."""
    if data[:4] == b"glTF":
        data = data[20 : 20 + int.from_bytes(data[12:16], "little")]
    try:
        uris = [buffer.get("uri") for buffer in json.loads(data).get("buffers", [])]
    except (ValueError, AttributeError, TypeError, RecursionError):
        # What is no document has no buffers; packing will say what is wrong with it.
        return []
    paths = [unquote(uri) for uri in uris if isinstance(uri, str) and "://" not in uri and not uri.startswith("data:")]
    inside = (PurePosixPath(path) for path in paths)
    return [str(path) for path in inside if not path.is_absolute() and ".." not in path.parts]


def publish(made: Path, place: str) -> None:
    """Moves a file to its place, whole or not at all."""
    if is_local(place):
        write(made.read_bytes(), place)
        return
    system, path = _remote(place)
    system.makedirs(path.rpartition("/")[0], exist_ok=True)
    # Nothing is there before it is committed.
    with system.open(path, "wb", autocommit=False) as file, made.open("rb") as source:
        shutil.copyfileobj(source, file)
    file.commit()


def write(data: bytes, place: str) -> None:
    """Writes a file, whole or not at all."""
    if not is_local(place):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "made"
            made.write_bytes(data)
            publish(made, place)
        return
    target = local(place)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=".keyfold-", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise
