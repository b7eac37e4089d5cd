"""Writes motion arrays to a GLB: a skeleton of plain nodes, its clips, and sticks that viewers can show."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats: TypeAlias = NDArray[np.float32]
Json: TypeAlias = "dict[str, Any]"

# How far a float32 quaternion's length may be from 1 by rounding alone.
_ROUNDED = 1e-6


def write_glb(
    names: Sequence[str],
    parents: ArrayLike,
    rest: ArrayLike,
    rotations: ArrayLike | Mapping[str, ArrayLike],
    translations: ArrayLike | Mapping[str, ArrayLike] | None = None,
    fps: float = 30.0,
    *,
    name: str = "motion",
    sticks: bool = True,
) -> bytes:
    """Writes motion arrays to a GLB that any viewer plays.

    `parents`: each joint's parent, -1 for roots. `rest`: `[J, 3]` translations, or `[J, 10]`: translation 3, rotation XYZW 4, scale 3.
    `rotations`: `[T, J, 4]`, XYZW. `translations`: `[T, J, 3]`, `[T, 3]` for the first root only, or nothing. Lengths are in metres, Y is
    up.

    Several clips in one file: give `rotations` (and `translations`) by name, `{"walk": ..., "run": ...}`; a single clip is called
    `name`. `sticks`: each joint carries a mesh that reaches to its children. Float32 values are kept bit for bit if
    quaternions are of unit length. Joints that stay at rest get no track.

    >>> import keyfold, numpy as np
    >>> turn = np.zeros((2, 2, 4)); turn[0, :, 3] = 1; turn[1, :, :] = [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    >>> glb = keyfold.write_glb(["hip", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]], turn, fps=1)
    >>> leg = keyfold.open(glb).animations[0]
    >>> leg.name, leg.duration, leg.sample([1], space="world")[0, 1, :3, 3].round(3).tolist()
    ('motion', 1.0, [0.5, 1.0, 0.0])
    """
    skeleton = _Skeleton.new(names, parents, rest)
    if not fps > 0:
        raise ValueError("fps should be a positive number")
    if isinstance(rotations, Mapping):
        if not (translations is None or isinstance(translations, Mapping)):
            raise ValueError("rotations are given by name, so translations should be, too")
        moved: Mapping[str, ArrayLike] = translations or {}
        if unknown := moved.keys() - rotations.keys():
            raise ValueError(f"there are translations without rotations: {sorted(unknown)}")
        clips = [_Clip.new(skeleton, title, values, moved.get(title), fps) for title, values in rotations.items()]
    else:
        if isinstance(translations, Mapping):
            raise ValueError("translations are given by name, so rotations should be, too")
        clips = [_Clip.new(skeleton, name, rotations, translations, fps)]
    return _File().of(skeleton, clips, sticks)


def unit(quaternions: NDArray[np.floating[Any]]) -> Floats:
    """Quaternions as float32 that stay what they are when they are normalized and rounded again: what sampling does."""
    rounded = quaternions.astype(np.float32)
    for _ in range(4):
        wide = rounded.astype(np.float64)
        rounded = (wide / np.linalg.norm(wide, axis=-1, keepdims=True)).astype(np.float32)
    return rounded


@dataclass(frozen=True)
class _Skeleton:
    names: list[str]
    parents: NDArray[np.int64]
    rest: Floats

    @classmethod
    def new(cls, names: Sequence[str], parents: ArrayLike, rest: ArrayLike) -> _Skeleton:
        count = len(names)
        above = _array("parents", np.asarray(parents), (count,)).astype(np.int64)
        if count == 0:
            raise ValueError("there is no joint")
        if above.min() < -1 or above.max() >= count:
            raise ValueError("a parent is no joint")
        _check_tree(above)
        pose = np.asarray(rest, np.float32)
        if pose.shape == (count, 3):
            pose = np.hstack([pose, np.tile(np.array([0, 0, 0, 1, 1, 1, 1], np.float32), (count, 1))])
        pose = _array("rest", pose, (count, 10)).copy()
        pose[:, 3:7] = _of_unit_length("rest", pose[:, 3:7])
        return cls(list(names), above, pose)

    def children(self, joint: int) -> list[int]:
        return [int(child) for child in np.flatnonzero(self.parents == joint)]


def _check_tree(parents: NDArray[np.int64]) -> None:
    """Every joint leads to a root: after as many steps as there are joints, all have arrived."""
    ancestors = parents
    for _ in range(len(parents).bit_length()):
        # Twice as far with every round.
        ancestors = np.where(ancestors < 0, -1, ancestors[ancestors])
    if (ancestors >= 0).any():
        raise ValueError(f"joint {int(np.flatnonzero(ancestors >= 0)[0])} is its own ancestor")


@dataclass(frozen=True)
class _Clip:
    name: str
    times: Floats
    rotations: Floats
    translations: Floats

    @classmethod
    def new(cls, skeleton: _Skeleton, name: str, rotations: ArrayLike, translations: ArrayLike | None, fps: float) -> _Clip:
        turned = np.asarray(rotations)
        frames, joints = turned.shape[0] if turned.ndim else 0, len(skeleton.names)
        turned = _of_unit_length(f"rotations of {name}", _array("rotations", turned, (frames, joints, 4)))
        if frames == 0:
            raise ValueError(f"{name} has no frame")
        times: Floats = (np.arange(frames, dtype=np.float64) / fps).astype(np.float32)
        if (np.diff(times) <= 0).any():
            raise ValueError(f"{name} has more frames than float32 can tell apart")
        return cls(name, times, turned, cls._translations(skeleton, frames, translations))

    @staticmethod
    def _translations(skeleton: _Skeleton, frames: int, given: ArrayLike | None) -> Floats:
        at_rest = np.tile(skeleton.rest[:, :3], (frames, 1, 1))
        if given is None:
            return at_rest
        moved = np.asarray(given, np.float32)
        if moved.ndim == 2:
            at_rest[:, int(np.flatnonzero(skeleton.parents < 0)[0])] = _array("translations", moved, (frames, 3))
            return at_rest
        return _array("translations", moved, at_rest.shape)


def _array(name: str, values: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    if values.shape != shape:
        raise ValueError(f"{name}: the shape should be {list(shape)}, not {list(values.shape)}")
    if not np.isfinite(values).all():
        raise ValueError(f"{name}: a value is not finite")
    return values


def _of_unit_length(name: str, quaternions: NDArray[Any]) -> Floats:
    lengths = np.linalg.norm(quaternions.astype(np.float64), axis=-1)
    if (lengths < 1e-6).any():
        raise ValueError(f"{name}: a quaternion is zero")
    kept = (quaternions.dtype == np.float32) & (np.abs(lengths - 1) <= _ROUNDED)
    return np.where(kept[..., None], quaternions, unit(quaternions)).astype(np.float32)


@dataclass
class _File:
    """A GLB in the making."""

    data: bytearray = field(default_factory=bytearray)
    views: list[Json] = field(default_factory=list[Json])
    accessors: list[Json] = field(default_factory=list[Json])

    def of(self, skeleton: _Skeleton, clips: Sequence[_Clip], sticks: bool) -> bytes:
        nodes = [self._node(skeleton, joint) for joint in range(len(skeleton.names))]
        meshes = self._sticks(skeleton, nodes) if sticks else []
        document: Json = {
            "asset": {"version": "2.0", "generator": "keyfold"},
            "scene": 0,
            "scenes": [{"nodes": skeleton.children(-1)}],
            "nodes": nodes,
            "meshes": meshes,
            "animations": [self._animation(skeleton, clip) for clip in clips],
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{"byteLength": len(self.data)}],
        }
        return _glb({key: value for key, value in document.items() if value != []}, bytes(self.data))

    def _node(self, skeleton: _Skeleton, joint: int) -> Json:
        pose, children = skeleton.rest[joint], skeleton.children(joint)
        translation, rotation, scale = _numbers(pose[:3]), _numbers(pose[3:7]), _numbers(pose[7:])
        return {
            "name": skeleton.names[joint],
            **({"children": children} if children else {}),
            **({"translation": translation} if any(translation) else {}),
            **({"rotation": rotation} if rotation != [0, 0, 0, 1] else {}),
            **({"scale": scale} if scale != [1, 1, 1] else {}),
        }

    def _view(self, values: NDArray[Any], **more: int) -> int:
        self.data += bytes(-len(self.data) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes, **more})
        self.data += values.tobytes()
        return len(self.views) - 1

    def _accessor(self, view: int, offset: int, values: NDArray[Any], kind: str, bounds: bool = False) -> int:
        code = {"float32": 5126, "uint16": 5123}[values.dtype.name]
        accessor: Json = {"bufferView": view, "byteOffset": offset, "componentType": code, "count": len(values), "type": kind}
        if bounds:
            accessor |= {
                "min": np.atleast_1d(values.min(axis=0)).tolist(),
                "max": np.atleast_1d(values.max(axis=0)).tolist(),
            }
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def _animation(self, skeleton: _Skeleton, clip: _Clip) -> Json:
        times = self._accessor(self._view(clip.times), 0, clip.times, "SCALAR", bounds=True)
        driven = [
            *self._outputs("rotation", "VEC4", clip.rotations, skeleton.rest[:, 3:7]),
            *self._outputs("translation", "VEC3", clip.translations, skeleton.rest[:, :3]),
        ]
        if not driven:
            # An animation needs a channel, and this one its duration.
            driven = [*self._outputs("rotation", "VEC4", clip.rotations[:, :1], np.full((1, 4), np.inf, np.float32))]
        return {
            "name": clip.name,
            "channels": [{"sampler": i, "target": {"node": node, "path": path}} for i, (node, path, _) in enumerate(driven)],
            "samplers": [{"input": times, "output": output} for _, _, output in driven],
        }

    def _outputs(self, path: str, kind: str, values: Floats, rest: Floats) -> list[tuple[int, str, int]]:
        """A track for each joint that does not stay at rest: node, path, accessor."""
        moving = np.flatnonzero((values != rest).any(axis=(0, 2)))
        if not len(moving):
            return []
        tracks = np.ascontiguousarray(values[:, moving].transpose(1, 0, 2))
        view, stride = self._view(tracks), tracks[0].nbytes
        return [(int(node), path, self._accessor(view, index * stride, tracks[index], kind)) for index, node in enumerate(moving)]

    def _sticks(self, skeleton: _Skeleton, nodes: list[Json]) -> list[Json]:
        """Gives each joint that has somewhere to reach a mesh, and returns the meshes."""
        shapes = {joint: _stick(skeleton.rest[skeleton.children(joint), :3]) for joint in range(len(nodes))}
        shapes = {joint: shape for joint, shape in shapes.items() if len(shape[0])}
        if not shapes:
            return []
        corners = self._view(np.concatenate([points for points, _ in shapes.values()]), byteStride=12, target=34962)
        most = max((faces for _, faces in shapes.values()), key=len)
        # Sticks differ in where their corners are, not in how they are joined: each takes as much of one list as it needs.
        indices = self._view(most, target=34963)
        meshes: list[Json] = []
        offset = 0
        for joint, (points, faces) in shapes.items():
            position = self._accessor(corners, offset, points, "VEC3", bounds=True)
            offset += points.nbytes
            index = self._accessor(indices, 0, faces, "SCALAR")
            nodes[joint]["mesh"] = len(meshes)
            meshes.append({"primitives": [{"attributes": {"POSITION": position}, "indices": index}]})
        return meshes


# The corners of a stick's faces: its two tips are 0 and 5, the four corners around its thickest part lie between.
_FACES = np.array([[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 1, 4], [5, 1, 2], [5, 2, 3], [5, 3, 4], [5, 4, 1]], np.uint16)
# Where a stick is thickest, and how thick, as shares of its length.
_THICKEST, _THICKNESS = 0.15, 0.06


def _stick(tips: Floats) -> tuple[Floats, NDArray[np.uint16]]:
    """Corners `[6 n, 3]` and faces `[24 n]` of sticks from the origin to each of the tips that lie apart from it."""
    ends = tips[np.linalg.norm(tips, axis=1) > 1e-6].astype(np.float64)
    points = np.empty((len(ends), 6, 3), np.float32)
    for end, corners in zip(ends, points):
        length = np.linalg.norm(end)
        aside = np.cross(end, np.eye(3)[np.argmin(np.abs(end))])
        aside *= _THICKNESS * length / np.linalg.norm(aside)
        across = np.cross(end, aside) / length
        corners[:] = [np.zeros(3), *(_THICKEST * end + s for s in (aside, across, -aside, -across)), end]
    faces = (_FACES.reshape(1, 24) + 6 * np.arange(len(ends), dtype=np.uint16)[:, None]).astype(np.uint16)
    return points.reshape(-1, 3), faces.ravel()


def _numbers(values: Floats) -> list[float]:
    """Float32 values as the shortest decimals that mean them."""
    return [float(str(value)) for value in values]


def _glb(document: Json, data: bytes) -> bytes:
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 4)
    data += bytes(-len(data) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
