"""Documents: joints, animations, tracks, and their values at any time."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _keyfold
from ._vertices import Surface, surfaces

Floats: TypeAlias = NDArray[np.float32]
Source: TypeAlias = "str | os.PathLike[str] | bytes | bytearray | memoryview"


def border(source: Source) -> os.PathLike[str] | str | bytes:
    """A source as the border takes it: views become bytes."""
    return source if isinstance(source, (str, os.PathLike)) else bytes(source)


def open(source: Source) -> Document:
    """Opens a `.glb` or `.gltf` file, under any name, in any storage that Keyfold reads.

    >>> import keyfold
    >>> document = keyfold.open("samples/figure.glb")
    >>> [animation.name for animation in document.animations]
    ['walk', 'run', 'idle']
    """
    return Document(_keyfold.Document(border(source)))


def seconds(times: ArrayLike) -> NDArray[np.float64]:
    """Times as a flat array."""
    return np.atleast_1d(np.asarray(times, dtype=np.float64)).ravel()


@dataclass(frozen=True)
class Joints:
    """The nodes of a document, by glTF index: everything that an animation can move, whether or not a skin uses it.

    `names`: a node without a name is called `#3`. `parents`: -1 for roots. `rest`: float32 `[J, 10]`, each node's local transform in rest
    pose: translation 3, rotation XYZW 4, scale 3.
    """

    names: list[str]
    parents: NDArray[np.int64]
    rest: Floats

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Track:
    """A curve of an animation and its target.

    `target` is a JSON pointer (`/nodes/3/rotation`; one axis is `/nodes/3/translation.x`). `times` and `values` are the keys, with
    storages undone: `[K]` and `[K, W]`, rotations XYZW. Cubic interpolations have three rows per key: in-tangent, value, out-tangent.
    """

    target: str
    interpolation: Literal["STEP", "LINEAR", "CUBICSPLINE", "CUBICSLERP"]
    times: Floats
    values: Floats
    _document: _keyfold.Document = field(repr=False)
    _animation: int = field(repr=False)
    _index: int = field(repr=False)

    def sample(self, times: ArrayLike) -> Floats:
        """The values at times in seconds: float32 `[T, W]`, rotations as unit quaternions XYZW."""
        return self._document.track(self._animation, self._index, seconds(times))


@dataclass(frozen=True)
class Animation:
    """An animation: its `name` (if it has one), `duration` in seconds, `tracks`, and poses of joints and meshes."""

    index: int
    name: str | None
    duration: float
    _document: Document = field(repr=False)

    @cached_property
    def tracks(self) -> list[Track]:
        """Its curves, in the file's order."""
        border = self._document._border  # pyright: ignore[reportPrivateUsage]
        parts = border.tracks(self.index)
        return [Track(*part, border, self.index, index) for index, part in enumerate(parts)]

    def times(self, fps: float) -> NDArray[np.float64]:
        """Times from 0 to the end, at `fps` per second, the end included.

        >>> import keyfold
        >>> keyfold.open("samples/figure.glb").animations[0].times(fps=2).round(3).tolist()
        [0.0, 0.5, 1.0, 1.067]
        """
        if not fps > 0:
            raise ValueError("fps should be a positive number")
        frames = np.arange(int(self.duration * fps) + 1) / fps
        return frames if self.duration - frames[-1] <= 1e-6 / fps else np.append(frames, self.duration)

    @overload
    def sample(self, times: ArrayLike, space: Literal["local", "world"] = "local") -> Floats: ...
    @overload
    def sample(self, times: ArrayLike, space: str = "local") -> Floats: ...
    def sample(self, times: ArrayLike, space: str = "local") -> Floats:
        """Samples all joints at times in seconds. Times outside the keys clamp to the nearest key.

        `space="local"`: float32 `[T, J, 10]`, each node's local translation 3, rotation XYZW 4 (a unit quaternion), scale 3.
        `space="world"`: float32 `[T, J, 4, 4]`, matrices that transform points of a node, as columns, to the scene (`m @ p`).

        >>> import keyfold
        >>> walk = keyfold.open("samples/figure.glb").animations[0]
        >>> walk.sample([0, 0.5]).shape, walk.sample(0.25, space="world").shape
        ((2, 25, 10), (1, 25, 4, 4))
        """
        border = self._document._border  # pyright: ignore[reportPrivateUsage]
        if space == "local":
            return border.local(self.index, seconds(times))
        if space == "world":
            return border.world(self.index, seconds(times)).astype(np.float32)
        raise ValueError(f"space is 'local' or 'world', not {space!r}")

    def vertices(self, times: ArrayLike) -> Floats:
        """Computes all vertices at times in seconds, morphed and skinned, in the scene: float32 `[T, N, 3]`.

        They are ordered by node and primitive; `document.surfaces` lists the vertices of each.

        >>> import keyfold
        >>> document = keyfold.open("samples/face.glb")
        >>> document.animations[0].vertices([0, 0.1, 0.2]).shape[0]
        3
        """
        at = seconds(times)
        world = self._document._border.world(self.index, at)  # pyright: ignore[reportPrivateUsage]
        weights = {track.target: track.sample(at) for track in self.tracks if "/weights" in track.target}
        parts = [surface.moved(world, weights) for surface in self._document.surfaces]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(at), 0, 3), np.float32)


class Document:
    """An open glTF file."""

    def __init__(self, border: _keyfold.Document) -> None:
        self._border = border

    @cached_property
    def joints(self) -> Joints:
        """The nodes: names, parents, rest pose."""
        names = [name if name is not None else f"#{index}" for index, name in enumerate(self._border.names())]
        return Joints(names, self._border.parents(), self._border.rest())

    @cached_property
    def animations(self) -> list[Animation]:
        """The animations, in the file's order."""
        parts = enumerate(self._border.animations())
        return [Animation(index, name, duration, self) for index, (name, duration) in parts]

    @cached_property
    def surfaces(self) -> list[Surface]:
        """The primitives that nodes carry: their range in `vertices`, and their triangles."""
        return surfaces(self._border)

    @cached_property
    def json(self) -> dict[str, Any]:
        """The document's JSON."""
        parsed: dict[str, Any] = json.loads(self._border.json())
        return parsed

    @cached_property
    def findings(self) -> list[dict[str, str]]:
        """What could not be read of the animations, in the form of `validate`: severity, code, at, message."""
        keys = ("severity", "code", "at", "message")
        return [dict(zip(keys, finding)) for finding in self._border.findings()]
