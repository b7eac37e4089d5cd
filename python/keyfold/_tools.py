"""The program's commands as functions on bytes or paths."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from . import _keyfold
from ._document import Source, border

Report: TypeAlias = "dict[str, Any]"
Progress: TypeAlias = Callable[[float, str], object]


class KeyfoldWarning(UserWarning):
    """Something that had to be left as it was, or does not keep to a bound."""


class Packed(NamedTuple):
    """A file's `bytes`, and the `report` on it in the shape of the program's `--json`."""

    bytes: bytes
    report: Report


def version() -> str:
    """The version, which decides what comes out as much as the settings do."""
    return _keyfold.version()


def pack(
    source: Source,
    max_error: str | float = "0.01%",
    storage: str = "core",
    *,
    level: str = "default",
    max_property_error: float = 0.001,
    shell: str | None = None,
    animation: str | None = None,
    keep: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Packed:
    """The smallest file within an error bound, proven on what was written.

    `max_error`: how far a measured point may lie from where it was: a share of the model's size (`"0.01%"`), a length (`"0.5mm"`), or
    scene units. `storage`: `core` (plays everywhere), `quantization`, `draco`, `meshopt`, `stream`, or `smallest`. `level`: `fast`,
    `default`, `max`. `keep`: tracks to leave alone, by target or node name, `*` for anything. `output`: also write it there, whole or not
    at all. `threads`: all processors where not given. `progress`: called now and then with how much is done, from 0 to 1, and what is
    going on; what it raises, or Ctrl-C, ends the work.

    >>> import keyfold
    >>> packed = keyfold.pack("samples/figure.glb", level="fast")
    >>> [file] = packed.report["files"]
    >>> file["bytes"]["after"] == len(packed.bytes) < file["bytes"]["before"]
    True
    """
    made, report = _keyfold.pack(
        border(source),
        str(max_error),
        storage,
        level=level,
        max_property_error=max_property_error,
        shell=shell,
        animation=animation,
        keep=list(keep),
        output=output,
        threads=threads,
        progress=progress,
    )
    return Packed(made, json.loads(report))


def diff(a: Source, b: Source, *, shell: str | None = None, threads: int | None = None, progress: Progress | None = None) -> Report:
    """How far the animations of two files lie apart: which joint, which second.

    >>> import keyfold
    >>> keyfold.diff("samples/figure.glb", "samples/figure.glb")["error"]
    0.0
    """
    report: Report = json.loads(_keyfold.diff(border(a), border(b), shell=shell, threads=threads, progress=progress))
    return report


def validate(source: Source) -> Report:
    """Whether a file keeps the rules, as far as animation reaches: errors, warnings, findings.

    >>> import keyfold
    >>> keyfold.validate("samples/figure.glb")["errors"]
    0
    """
    report: Report = json.loads(_keyfold.validate(border(source)))
    return report


def inspect(source: Source) -> Report:
    """What a file's animations are and what they weigh.

    >>> import keyfold
    >>> [animation["name"] for animation in keyfold.inspect("samples/figure.glb")["animations"]]
    ['walk', 'run', 'idle']
    """
    report: Report = json.loads(_keyfold.inspect(border(source)))
    return report


def convert(
    source: Source,
    *,
    storage: str | None = None,
    targets: str | None = None,
    rotation: str | None = None,
    max_error: str | float = "0.01%",
    fallback: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> bytes:
    """A file in another form; with no option, as it was.

    `storage`: `core`, `quantization`, `draco`, `meshopt` or `stream`. `targets`: `core`, `pointer` or `animation2`. `rotation`: `linear`,
    `cubicspline` or `cubicslerp`. `fallback`: also write what readers understand that do not know the form. What could not be brought to
    the form, or lies farther off than `max_error`, is a `KeyfoldWarning`.

    >>> import keyfold
    >>> small = keyfold.convert("samples/figure.glb", storage="meshopt")
    >>> keyfold.diff("samples/figure.glb", small)["error"]
    0.0
    """
    made, broken = _keyfold.convert(
        border(source),
        storage=storage,
        targets=targets,
        rotation=rotation,
        max_error=str(max_error),
        fallback=fallback,
        threads=threads,
        progress=progress,
    )
    return warned(made, broken)


def unpack(source: Source, *, max_error: str | float = "0.01%", threads: int | None = None, progress: Progress | None = None) -> bytes:
    """A file with every storage undone: plain core floats, for any reader.

    >>> import keyfold
    >>> plain = keyfold.unpack(keyfold.pack("samples/figure.glb", storage="quantization", level="fast").bytes)
    >>> {track["storage"] for track in keyfold.inspect(plain)["animations"][0]["tracks"]}
    {'core'}
    """
    made, broken = _keyfold.unpack(border(source), max_error=str(max_error), threads=threads, progress=progress)
    return warned(made, broken)


def clip_build(
    source: Source,
    animation: str | None = None,
    *,
    fps: float | None = None,
    encoding: str = "variable",
    bits: int | None = None,
    max_error: str | float = "0.01%",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Packed:
    """A runtime clip (`.kfc`) of an animation, by name or index; the first where not given.

    >>> import keyfold
    >>> clip = keyfold.clip_build("samples/figure.glb", "run", fps=30)
    >>> clip.bytes[:3], clip.report["held"]
    (b'KFC', True)
    """
    made, report = _keyfold.clip_build(
        border(source),
        animation,
        fps=fps,
        encoding=encoding,
        bits=bits,
        max_error=str(max_error),
        threads=threads,
        progress=progress,
    )
    return Packed(made, json.loads(report))


def warned(made: bytes, broken: Sequence[str]) -> bytes:
    """What was made, and a warning for each thing that is not as it was asked for."""
    for what in broken:
        warnings.warn(what, KeyfoldWarning, stacklevel=3)
    return made
