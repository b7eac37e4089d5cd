"""The program's commands as functions: what they answer is what the program answers."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from conftest import CORPUS, ROOT, SAMPLES, program, said

import keyfold

FIGURE = ROOT / "samples" / "figure.glb"
# Quick to pack: the rest is the program's own tests' business.
PACKED = [*SAMPLES, *(CORPUS / name for name in ("cube_visibility.glb", "interpolation_test.glb", "fox.glb") if CORPUS.is_dir())]


@pytest.mark.parametrize("file", PACKED, ids=lambda p: p.name)
@pytest.mark.parametrize("storage", ["core", "meshopt"])
def test_packing_writes_the_programs_bytes(tmp_path: Path, file: Path, storage: str) -> None:
    native, ours = tmp_path / "native" / file.name, tmp_path / "ours" / file.name
    native.parent.mkdir()
    command = ["pack", str(file), "-o", str(native), "--storage", storage, "--level", "fast"]
    [expected] = said(*command)["files"]
    packed = keyfold.pack(file, storage=storage, level="fast", output=ours, threads=1)
    [report] = packed.report["files"]
    assert {p.name: p.read_bytes() for p in native.parent.iterdir()} == {p.name: p.read_bytes() for p in ours.parent.iterdir()}
    assert packed.bytes == ours.read_bytes()
    # The program also tells what other storages would take, and the two wrote to different places.
    apart = ("output", "candidates")
    assert {key: report[key] for key in report if key not in apart} == {key: expected[key] for key in expected if key not in apart}


def test_bytes_are_packed_as_paths_are() -> None:
    from_path, from_bytes = (keyfold.pack(source, level="fast") for source in (FIGURE, memoryview(FIGURE.read_bytes())))
    assert from_path.bytes == from_bytes.bytes and len(from_path.bytes) < FIGURE.stat().st_size
    report = keyfold.diff(FIGURE, from_path.bytes)
    assert report["error"] == from_path.report["files"][0]["error"]["max"]


def test_reports_are_the_programs(tmp_path: Path) -> None:
    small = tmp_path / "small.glb"
    small.write_bytes(keyfold.pack(FIGURE, max_error="1%", level="fast").bytes)
    assert keyfold.diff(FIGURE, small) == said("diff", FIGURE, small)
    for file in SAMPLES:
        assert keyfold.validate(file) == said("validate", file)
        assert keyfold.inspect(file) == said("inspect", file)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ({}, []),
        ({"storage": "quantization"}, ["--storage", "quantization"]),
        ({"storage": "draco"}, ["--storage", "draco"]),
        ({"storage": "meshopt"}, ["--storage", "meshopt"]),
        ({"storage": "stream"}, ["--storage", "stream"]),
        ({"storage": "core", "targets": "pointer"}, ["--storage", "core", "--targets", "pointer"]),
        ({"rotation": "cubicspline", "max_error": "0.1%"}, ["--rotation", "cubicspline", "--max-error", "0.1%"]),
    ],
)
def test_converting_is_the_programs(tmp_path: Path, options: dict[str, Any], arguments: list[str]) -> None:
    native = tmp_path / "native.glb"
    assert program("convert", FIGURE, "-o", native, *arguments).returncode == 0
    assert keyfold.convert(FIGURE, **options) == native.read_bytes()
    assert program("unpack", native, "-o", tmp_path / "plain.glb").returncode == 0
    assert keyfold.unpack(native) == (tmp_path / "plain.glb").read_bytes()


def test_clips_are_the_programs(tmp_path: Path) -> None:
    expected = said("clip", "build", FIGURE, "-o", tmp_path / "run.kfc", "--animation", "run", "--fps", "30")
    clip = keyfold.clip_build(FIGURE, "run", fps=30)
    assert clip.bytes == (tmp_path / "run.kfc").read_bytes()
    assert clip.report == {key: value for key, value in expected.items() if key != "output"}


def test_what_is_left_out_is_a_warning() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        keyfold.convert(ROOT / "samples" / "lamp.gltf", targets="core")
    assert caught and all(w.category is keyfold.KeyfoldWarning and "/animations/" in str(w.message) for w in caught)


def test_wrong_settings_are_refused() -> None:
    wrong: list[Any] = [
        lambda: keyfold.pack(FIGURE, max_error="much"),
        lambda: keyfold.pack(FIGURE, storage="zip"),
        lambda: keyfold.pack(FIGURE, level="slow"),
        lambda: keyfold.convert(FIGURE, targets="nowhere"),
        lambda: keyfold.convert(FIGURE, fallback=True),
        lambda: keyfold.clip_build(FIGURE, encoding="none"),
    ]
    for call in wrong:
        with pytest.raises(ValueError):
            call()
    for call in (lambda: keyfold.pack(FIGURE, animation="swim"), lambda: keyfold.clip_build(FIGURE, "swim")):
        with pytest.raises(keyfold.KeyfoldError) as error:
            call()
        assert error.value.at == "/animations"


def test_errors_travel_between_processes() -> None:
    error = pickle.loads(pickle.dumps(keyfold.KeyfoldError("it is broken", "/nodes/3")))
    assert (str(error), error.at) == ("it is broken", "/nodes/3")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_packs_too() -> None:
    keyfold.pack(FIGURE, level="fast")
    if (child := os.fork()) == 0:
        os._exit(0 if keyfold.pack(FIGURE, level="fast").bytes else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_progress_is_told_on_the_thread_that_waits() -> None:
    told: list[tuple[float, str, int]] = []
    keyfold.pack(FIGURE, level="fast", progress=lambda done, what: told.append((done, what, threading.get_ident())))
    assert told and all(0 <= done <= 1 and what and thread == threading.get_ident() for done, what, thread in told)


def test_progress_goes_forward() -> None:
    told: dict[str, list[float]] = {"pack": [], "diff": [], "convert": [], "unpack": [], "clip_build": []}

    def listen(work: str) -> keyfold.Progress:
        return lambda done, what: told[work].append(done)

    keyfold.pack(FIGURE, level="fast", threads=1, progress=listen("pack"))
    keyfold.diff(FIGURE, FIGURE, progress=listen("diff"))
    keyfold.convert(FIGURE, storage="meshopt", progress=listen("convert"))
    keyfold.unpack(FIGURE, progress=listen("unpack"))
    keyfold.clip_build(FIGURE, progress=listen("clip_build"))
    for work, done in told.items():
        assert done == sorted(done) and len(set(done)) > 1 and done[0] >= 0 and done[-1] <= 1, work


def test_what_a_callback_raises_ends_the_work(tmp_path: Path) -> None:
    def stop(done: float, what: str) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        keyfold.pack(FIGURE, output=tmp_path / "out.glb", progress=stop)
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys, threading, keyfold
file, pipe, out = sys.argv[1:]
os.mkfifo(pipe)
interrupted, told = threading.Semaphore(0), []

def interrupt(number, frame):
    interrupted.release()
    raise KeyboardInterrupt

def feed():
    with open(pipe, "wb") as sink:
        # The work has begun: somebody reads. Who sees the second signal has done with the first.
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            interrupted.acquire()
        sink.write(open(file, "rb").read())

signal.signal(signal.SIGINT, interrupt)
threading.Thread(target=feed).start()
try:
    WORK
except KeyboardInterrupt:
    print("ended", len(told))
"""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize(
    "work",
    ["pack(pipe, output=out", "diff(pipe, file", "convert(pipe, storage='draco'", "unpack(pipe", "clip_build(pipe"],
)
def test_control_c_ends_the_work(tmp_path: Path, work: str) -> None:
    """Another Python thread goes on while Rust waits for it: the lock is released, or this would never end. No step begins afterwards."""
    code = INTERRUPTED.replace("WORK", f"keyfold.{work}, progress=lambda *step: told.append(step))")
    out = tmp_path / "out.glb"
    command = [sys.executable, "-c", code, str(FIGURE), str(tmp_path / "pipe"), str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout == "ended 0\n", done.stderr
    assert not out.exists()


def test_python_m_keyfold_is_the_program(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "keyfold", *arguments], capture_output=True, text=True)

    assert run("--version").stdout == f"keyfold {keyfold.__version__}\n"
    assert json.loads(run("inspect", str(FIGURE), "--json").stdout) == said("inspect", FIGURE)
    assert (run("inspect", "nothing.glb").returncode, run("fly").returncode) == (2, 2)
    assert run("pack", str(FIGURE), "-o", str(tmp_path / "a.glb"), "--level", "fast").returncode == 0
    assert (tmp_path / "a.glb").read_bytes() == keyfold.pack(FIGURE, level="fast").bytes
