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
    """Something had to be left as it was, or exceeds a bound."""


class Packed(NamedTuple):
    """A file's `bytes`, and the `report` on it in the shape of the program's `--json`."""

    bytes: bytes
    report: Report


def version() -> str:
    """The version. Like the settings, it decides the output."""
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
    """Makes animations as small as an error bound allows; the bound is proven on the output.

    `max_error`: how far a measured point may move: a percentage of the model's size (`"0.01%"`), a length (`"0.5mm"`), or scene
    units. `storage`: `core` (plays everywhere), `quantization`, `draco`, `meshopt`, `stream`, or `smallest`. `level`: `fast`,
    `default`, `max`. `keep`: tracks to leave alone, by target or node name; `*` matches anything. `output`: also write the file there,
    atomically. `threads`: all processors if not given. `progress`: called from time to time with the progress, from 0 to 1, and the
    current step; an exception that it raises, or Ctrl-C, ends the work.

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
    """Measures how far the animations of two files differ: at which joint, at which second.

    >>> import keyfold
    >>> keyfold.diff("samples/figure.glb", "samples/figure.glb")["error"]
    0.0
    """
    report: Report = json.loads(_keyfold.diff(border(a), border(b), shell=shell, threads=threads, progress=progress))
    return report


def validate(source: Source) -> Report:
    """Checks a file against the rules that concern animation: errors, warnings, findings.

    >>> import keyfold
    >>> keyfold.validate("samples/figure.glb")["errors"]
    0
    """
    report: Report = json.loads(_keyfold.validate(border(source)))
    return report


def inspect(source: Source) -> Report:
    """Summarizes a file's animations and their sizes.

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
    """Converts a file to another form; without options, returns it unchanged.

    `storage`: `core`, `quantization`, `draco`, `meshopt` or `stream`. `targets`: `core`, `pointer` or `animation2`. `rotation`: `linear`,
    `cubicspline` or `cubicslerp`. `fallback`: also write plain data for readers that do not know the extension. Warns with
    `KeyfoldWarning` about what could not be converted or exceeds `max_error`.

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
    """Undoes every storage: returns plain core floats that any reader understands.

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
    """Builds a runtime clip (`.kfc`) of an animation, by name or index; the first by default.

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
