"""Keyfold: animated glTF files, read, played exactly, made from arrays, and made small within an error bound."""

from ._bvh import Motion, read_bvh
from ._document import Animation, Document, Joints, Track, open
from ._error import KeyfoldError
from ._glb import write_glb
from ._vertices import Surface

__all__ = [
    "Animation",
    "Document",
    "Joints",
    "KeyfoldError",
    "Motion",
    "Surface",
    "Track",
    "open",
    "read_bvh",
    "write_glb",
]
