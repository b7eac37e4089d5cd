"""Vertices in motion: morph targets, then skins (glTF 2.0, sections 3.7.2.2 and 3.7.3), in numpy.

The file's side (which accessor is what, and whether it fits) is the border's; here is the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ._error import KeyfoldError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from . import _keyfold


@dataclass(frozen=True)
class Skin:
    """`joints` by node, and the matrices that take a vertex to each joint's space: `[J]`, `[J, 4, 4]`."""

    joints: list[int]
    inverse_bind: NDArray[np.float32]


@dataclass(frozen=True)
class Surface:
    """A primitive that a node carries.

    `first` and `count` are the range of its vertices among the document's; `triangles` `[M, 3]` are indices into its vertices.
    """

    node: int
    first: int
    count: int
    triangles: NDArray[np.uint32]
    _primitive: _keyfold.Primitive = field(repr=False)
    _skin: Skin | None = field(repr=False)

    def moved(self, world: NDArray[np.float64], weights: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        """Its vertices in the scene: `[T, count, 3]`, given all nodes' matrices and the animated weights by target."""
        positions = self._morphed(len(world), weights)
        if self._skin is None:
            matrices = world[:, self.node]
            turned = positions @ matrices[:, :3, :3].transpose(0, 2, 1) + matrices[:, None, :3, 3]
            return turned.astype(np.float32)
        return skinned(positions, self._skin, self._primitive, world)

    def _morphed(self, times: int, weights: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float64]:
        positions = self._primitive.positions().astype(np.float64)
        targets = self._primitive.targets()
        if not len(targets):
            return np.broadcast_to(positions, (times, *positions.shape))
        at = np.tile(self._primitive.weights, (times, 1))
        for owner in self._primitive.weighted_by:
            if (whole := weights.get(f"{owner}/weights")) is not None and whole.shape[1] == len(targets):
                at[:] = whole
            for index in range(len(targets)):
                if (one := weights.get(f"{owner}/weights/{index}")) is not None:
                    at[:, index] = one[:, 0]
        moved: NDArray[np.float64] = positions + np.tensordot(at, targets, axes=1)
        return moved


def skinned(positions: NDArray[np.float64], skin: Skin, primitive: _keyfold.Primitive, world: NDArray[np.float64]) -> NDArray[np.float32]:
    """Each vertex by the blend of its joints' matrices. The node's own place does not count, as glTF says."""
    numbers, weights = primitive.influences()
    joints = numbers.astype(np.int64)
    if joints.size and joints.max() >= len(skin.joints):
        raise KeyfoldError("a vertex hangs on a joint that its skin does not have", f"/nodes/{primitive.node}/mesh")
    total = weights.sum(axis=1, keepdims=True, dtype=np.float64)
    shares = weights / np.where(total > 0, total, 1)
    carried = world[:, skin.joints, :3] @ skin.inverse_bind.astype(np.float64)
    out = np.empty(positions.shape, np.float32)
    # Time by time: a matrix for each vertex is as much as should be in memory at once.
    for row, matrices, vertices in zip(out, carried, positions):
        blended = np.einsum("vk,vkij->vij", shares, matrices[joints])
        row[:] = np.einsum("vij,vj->vi", blended[:, :, :3], vertices) + blended[:, :, 3]
    return out


def surfaces(border: _keyfold.Document) -> list[Surface]:
    """The primitives of a document, numbered through."""
    skins = [Skin(joints, inverse) for joints, inverse in border.skins()]
    found: list[Surface] = []
    first = 0
    for primitive in border.primitives():
        # A skin without joints and weights to hang on moves nothing.
        index = primitive.skin if primitive.influenced else None
        if index is not None and index >= len(skins):
            raise KeyfoldError(f"skin {index} does not exist", f"/nodes/{primitive.node}/skin")
        skin = None if index is None else skins[index]
        found.append(Surface(primitive.node, first, primitive.count, primitive.triangles(), primitive, skin))
        first += primitive.count
    return found
