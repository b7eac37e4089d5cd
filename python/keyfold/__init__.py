"""Keyfold: reads and plays animated glTF files exactly, makes them from arrays, and compresses them within an error bound."""

from ._bvh import Motion, read_bvh
from ._document import Animation, Document, Joints, Track, open
from ._error import KeyfoldError
from ._glb import write_glb
from ._tools import KeyfoldWarning, Packed, Progress, clip_build, convert, diff, inspect, pack, unpack, validate, version
from ._vertices import Surface

__version__ = version()

__all__ = [
    "Animation",
    "Document",
    "Joints",
    "KeyfoldError",
    "KeyfoldWarning",
    "Motion",
    "Packed",
    "Progress",
    "Surface",
    "Track",
    "clip_build",
    "convert",
    "diff",
    "inspect",
    "open",
    "pack",
    "read_bvh",
    "unpack",
    "validate",
    "write_glb",
]
