"""Biovision hierarchies (`.bvh`) as arrays, in the dialects of the datasets.

Channels are applied in the order in which a joint lists them: `Zrotation Xrotation Yrotation` means Rz Rx Ry. Position channels replace
a joint's OFFSET, as LAFAN1 and the Bandai-Namco dataset require (CMU's roots have none). End sites become joints named
`NAME_end`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._error import KeyfoldError
from ._glb import unit as normalized

# Metres. 0.45 of the CMU library's units are an inch.
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "cmu": 0.0254 / 0.45}


class Motion(NamedTuple):
    """Motion as arrays, in the order in which `write_glb` takes them: `write_glb(*motion)`.

    `parents`: -1 for roots. `rest`: float32 `[J, 10]`: translation 3, rotation XYZW 4, scale 3. `rotations`: float32 `[T, J, 4]`, unit
    quaternions XYZW. `translations`: float32 `[T, J, 3]`, metres.
    """

    names: list[str]
    parents: NDArray[np.int64]
    rest: NDArray[np.float32]
    rotations: NDArray[np.float32]
    translations: NDArray[np.float32]
    fps: float


def read_bvh(path: str | os.PathLike[str], unit: str | float = "cm", up: str = "y") -> Motion:
    """Reads a BVH file as arrays for `write_glb`, in metres and with Y up.

    `unit`: the unit of the file's lengths: `m`, `cm` (LAFAN1, Bandai-Namco), `mm`, `in`, `cmu` (the CMU library's own),
    or a number of metres. `up`: the file's upward axis, `y` or `z`.

    >>> import keyfold
    >>> motion = keyfold.read_bvh("python/tests/data/lafan.bvh")
    >>> motion.names[:2], motion.rotations.shape, motion.fps
    (['Hips', 'LeftUpLeg'], (4, 7, 4), 30.0)
    >>> packed = keyfold.pack(keyfold.write_glb(*motion), max_error="1mm").bytes
    """
    scale = UNITS.get(unit) if isinstance(unit, str) else unit
    if scale is None or not scale > 0:
        raise ValueError(f"unit is one of {', '.join(UNITS)} or a positive number, not {unit!r}")
    if up not in ("y", "z"):
        raise ValueError(f"up is 'y' or 'z', not {up!r}")
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise KeyfoldError(f"{os.fspath(path)}: {error}") from error
    return _Reader(text).motion(scale, z_up=up == "z")


@dataclass
class _Joint:
    name: str
    parent: int
    offset: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    # Each channel's name in lower case, and its column.
    channels: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])


_CHANNELS = {f"{axis}{what}" for axis in "xyz" for what in ("rotation", "position")}


class _Reader:
    """The hierarchy word by word; the frames, which are most of the file, at once."""

    def __init__(self, text: str) -> None:
        lines = text.splitlines()
        first = next((i for i, line in enumerate(lines) if line.strip().upper() == "MOTION"), len(lines))
        self._words = [(word, i + 1) for i, line in enumerate(lines[:first]) for word in line.split()]
        self._frames, self._first = lines[first + 1 :], first + 2
        self._at = 0
        self._joints: list[_Joint] = []
        self._columns = 0

    def motion(self, scale: float, z_up: bool) -> Motion:
        self._expect("HIERARCHY")
        while self._at < len(self._words):
            self._expect("ROOT")
            self._tree()
        if not self._joints:
            raise KeyfoldError("there is no ROOT", "line 1")
        frames, fps = self._values()
        return _motion(self._joints, frames, fps, scale, z_up)

    def _word(self) -> str:
        if self._at == len(self._words):
            raise KeyfoldError("the hierarchy ends too early", self._place())
        self._at += 1
        return self._words[self._at - 1][0]

    def _place(self) -> str:
        """The line of the word that was read last."""
        return f"line {self._words[self._at - 1][1] if self._words else 1}"

    def _expect(self, wanted: str) -> None:
        found = self._word()
        if found.upper() != wanted:
            raise KeyfoldError(f"{wanted} should be here, not {found}", self._place())

    def _number(self) -> float:
        word = self._word()
        try:
            value = float(word)
        except ValueError:
            value = float("nan")
        if not np.isfinite(value):
            raise KeyfoldError(f"a number should be here, not {word}", self._place())
        return value

    def _tree(self) -> None:
        """A root and all below it."""
        open_joints = [self._joint(-1)]
        while open_joints:
            joint = self._joints[open_joints[-1]]
            word = self._word()
            match word.upper():
                case "OFFSET":
                    joint.offset = [self._number() for _ in range(3)]
                case "CHANNELS":
                    self._channels(joint)
                case "JOINT":
                    open_joints.append(self._joint(open_joints[-1]))
                case "END":
                    self._expect("SITE")
                    open_joints.append(self._joint(open_joints[-1], end=True))
                case "}":
                    open_joints.pop()
                case _:
                    raise KeyfoldError(f"{word} is not known here", self._place())

    def _joint(self, parent: int, end: bool = False) -> int:
        # Names may have several words.
        words = [] if end else [self._word()]
        while (word := self._word()) != "{":
            words.append(word)
        name = f"{self._joints[parent].name}_end" if end else " ".join(words)
        self._joints.append(_Joint(name, parent))
        return len(self._joints) - 1

    def _channels(self, joint: _Joint) -> None:
        for _ in range(int(self._number())):
            channel = self._word().lower()
            if channel not in _CHANNELS:
                raise KeyfoldError(f"{channel} is no channel", self._place())
            joint.channels.append((channel, self._columns))
            self._columns += 1

    def _values(self) -> tuple[NDArray[np.float64], float]:
        """All frames `[T, channels]`, and frames a second."""
        words = " ".join(self._frames[:2]).replace(":", " : ").split()
        try:
            count, seconds = int(words[2]), float(words[words.index(":", 3) + 1])
            values = np.array(" ".join(self._frames[2:]).split(), dtype=np.float64)
        except (IndexError, ValueError) as error:
            raise KeyfoldError(f"the frames cannot be read: {error}", f"line {self._first}") from error
        if count < 1 or not (np.isfinite(seconds) and seconds > 0):
            raise KeyfoldError("there should be frames, and a time for each", f"line {self._first}")
        if values.size != count * self._columns or not np.isfinite(values).all():
            what = f"{count} frames of {self._columns} channels should be here, there are {values.size} numbers"
            raise KeyfoldError(what, f"line {self._first + 2}")
        # Frame times are written with few digits: 0.033333 means 30 frames a second.
        rate = 1 / seconds
        return values.reshape(count, self._columns), round(rate) if abs(rate - round(rate)) < 1e-4 * rate else rate


def _motion(joints: list[_Joint], frames: NDArray[np.float64], fps: float, scale: float, z_up: bool) -> Motion:
    count = len(joints)
    rest = np.tile(np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], np.float64), (count, 1))
    rest[:, :3] = [joint.offset for joint in joints]
    translations = np.tile(rest[:, :3], (len(frames), 1, 1))
    rotations = np.tile(rest[:, 3:7], (len(frames), 1, 1))
    for index, joint in enumerate(joints):
        for channel, column in joint.channels:
            axis, values = "xyz".index(channel[0]), frames[:, column]
            if channel.endswith("position"):
                translations[:, index, axis] = values
            else:
                rotations[:, index] = _product(rotations[:, index], _about(axis, np.radians(values)))
    parents = np.array([joint.parent for joint in joints], np.int64)
    if z_up:
        # Z goes to Y: a quarter turn back about X, of everything that hangs on no joint.
        upright, roots = _about(0, np.array(-np.pi / 2)), parents < 0
        for pose in (rest[None, :, :3], translations):
            pose[:, roots] = pose[:, roots][..., [0, 2, 1]] * [1, 1, -1]
        for turns in (rest[None, :, 3:7], rotations):
            turns[:, roots] = _product(np.broadcast_to(upright, turns[:, roots].shape), turns[:, roots])
    rest[:, :3] *= scale
    resting = rest.astype(np.float32)
    resting[:, 3:7] = normalized(rest[:, 3:7])
    moved = (translations * scale).astype(np.float32)
    return Motion([joint.name for joint in joints], parents, resting, normalized(rotations), moved, float(fps))


def _about(axis: int, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quaternions XYZW that turn about an axis."""
    turned: NDArray[np.float64] = np.zeros((*angles.shape, 4))
    turned[..., axis], turned[..., 3] = np.sin(angles / 2), np.cos(angles / 2)
    return turned


def _product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
    """First `b`, then `a`, as quaternions XYZW."""
    (ax, ay, az, aw), (bx, by, bz, bw) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )
