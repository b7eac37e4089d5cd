"""What the package calls in Rust (`src/lib.rs`). No interface of its own: it may change with every version."""

import os
from collections.abc import Callable
from typing import Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Document",
    "Primitive",
    "clip_build",
    "convert",
    "diff",
    "inspect",
    "pack",
    "run",
    "unpack",
    "validate",
    "version",
]

_Source: TypeAlias = str | os.PathLike[str] | bytes
_Progress: TypeAlias = Callable[[float, str], object]
_Interpolation: TypeAlias = Literal["STEP", "LINEAR", "CUBICSPLINE", "CUBICSLERP"]

@final
class Document:
    def __new__(cls, source: _Source) -> Document: ...
    def json(self) -> str: ...
    def findings(self) -> list[tuple[str, str, str, str]]: ...
    def names(self) -> list[str | None]: ...
    def parents(self) -> NDArray[np.int64]: ...
    def rest(self) -> NDArray[np.float32]: ...
    def animations(self) -> list[tuple[str | None, float]]: ...
    def tracks(self, animation: int) -> list[tuple[str, _Interpolation, NDArray[np.float32], NDArray[np.float32]]]: ...
    def track(self, animation: int, track: int, at: NDArray[np.float64]) -> NDArray[np.float32]: ...
    def local(self, animation: int, at: NDArray[np.float64]) -> NDArray[np.float32]: ...
    def world(self, animation: int, at: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def primitives(self) -> list[Primitive]: ...
    def skins(self) -> list[tuple[list[int], NDArray[np.float32]]]: ...

@final
class Primitive:
    node: int
    skin: int | None
    weights: list[float]
    weighted_by: list[str]
    count: int
    influenced: bool
    def positions(self) -> NDArray[np.float32]: ...
    def triangles(self) -> NDArray[np.uint32]: ...
    def targets(self) -> NDArray[np.float32]: ...
    def influences(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...

def version() -> str: ...
def run(arguments: list[str]) -> int: ...
def pack(
    source: _Source,
    max_error: str,
    storage: str,
    *,
    level: str,
    max_property_error: float,
    shell: str | None,
    animation: str | None,
    keep: list[str],
    output: str | os.PathLike[str] | None,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[bytes, str]: ...
def diff(
    a: _Source,
    b: _Source,
    *,
    shell: str | None,
    threads: int | None,
    progress: _Progress | None,
) -> str: ...
def validate(source: _Source) -> str: ...
def inspect(source: _Source) -> str: ...
def convert(
    source: _Source,
    *,
    storage: str | None,
    targets: str | None,
    rotation: str | None,
    max_error: str,
    fallback: bool,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[bytes, list[str]]: ...
def unpack(
    source: _Source,
    *,
    max_error: str,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[bytes, list[str]]: ...
def clip_build(
    source: _Source,
    animation: str | None,
    *,
    fps: float | None,
    encoding: str,
    bits: int | None,
    max_error: str,
    threads: int | None,
    progress: _Progress | None,
) -> tuple[bytes, str]: ...
