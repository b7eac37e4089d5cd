"""What the tests share: files to read, the program, peers that may be missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = [ROOT / "samples" / name for name in ("figure.glb", "face.glb", "machine.glb", "lamp.gltf")]
CORPUS = ROOT.parent / "shared" / "corpus"
# `cargo xtask test --full`: all files, and many of them.
FULL = "KEYFOLD_FULL" in os.environ
LARGEST = 1 << 40 if FULL else 200_000


def corpus() -> list[Path]:
    """Its animated files; the large ones, which take their time, only with `--full`."""
    found = (p for p in CORPUS.rglob("*") if p.suffix in (".glb", ".gltf", ".vrma") and "invalid" not in p.parts)
    return sorted(p for p in found if p.stat().st_size <= LARGEST)


FILES = SAMPLES + corpus()


def pytest_report_header() -> str:
    return f"{len(FILES)} files; " + ("" if CORPUS.is_dir() else "there is no corpus beside the project: its files are skipped")


def program(*arguments: str | os.PathLike[str]) -> subprocess.CompletedProcess[str]:
    """Runs the native program where the environment names it, else the package's."""
    native = os.environ.get("KEYFOLD_PROGRAM")
    command = [native] if native else [sys.executable, "-m", "keyfold"]
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True)


def said(*arguments: str | os.PathLike[str]) -> Any:
    """The one JSON document that a command prints."""
    return json.loads(program(*arguments, "--json").stdout)


def peer(script: str, request: Any) -> Any:
    """Asks a script of `oracle/js`; skips where its packages are not installed."""
    modules = ROOT / "oracle" / "node_modules"
    if not (modules / "three").is_dir():
        pytest.skip("npm packages are not installed: `cargo xtask setup`")
    done = subprocess.run(["node", ROOT / "oracle" / "js" / script], input=json.dumps(request), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def times_in(duration: float, count: int = 7) -> NDArray[np.float64]:
    """Times from before the start to after the end, none of them round."""
    return np.append(np.linspace(-0.1, duration + 0.1, count), np.random.default_rng(1).uniform(0, duration, count))


def matrix(local: NDArray[np.float64]) -> NDArray[np.float64]:
    """The matrices of transforms `[..., 10]`, written without Keyfold: the quaternion's product with each axis."""
    translation, q, scale = local[..., :3], local[..., 3:7], local[..., 7:]
    u, w = q[..., None, :3], q[..., 3, None, None]
    axes = np.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3))
    turned = axes + 2 * np.cross(u, np.cross(u, axes) + w * axes)
    out = np.zeros((*q.shape[:-1], 4, 4))
    out[..., :3, :3] = np.swapaxes(turned * scale[..., :, None], -1, -2)
    out[..., :3, 3], out[..., 3, 3] = translation, 1
    return out


def chained(local: NDArray[np.float64], parents: NDArray[np.int64]) -> NDArray[np.float64]:
    """Matrices to the scene from own ones `[T, J, 4, 4]`."""
    world = local.copy()
    done = parents < 0
    while not done.all():
        ready = [j for j in np.flatnonzero(~done) if done[parents[j]]]
        world[:, ready] = world[:, parents[ready]] @ local[:, ready]
        done[ready] = True
    return world
