"""Ray itself, on two processors, over a modest number of files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import FULL, program
from many import broken, kill_worker, motions, rows_in, samples

from keyfold import _manifest, batch

ray = pytest.importorskip("ray")
keyfold_ray = pytest.importorskip("keyfold.ray")
QUICK = batch.Settings(level="fast")


def start(attempts: int) -> None:
    """Ray gives its processes 30 seconds to start, which is not enough where a machine is busy."""
    try:
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except Exception:
        ray.shutdown()
        if attempts == 1:
            raise
        start(attempts - 1)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ["RAY_TRAIN_V2_ENABLED"] = "0"
    start(attempts=4)
    yield ray
    ray.shutdown()


def test_every_file_has_a_row_and_a_second_run_does_nothing(cluster: Any, tmp_path: Path) -> None:
    motions(tmp_path / "in" / "good", 30)
    broken(tmp_path / "in" / "bad", 10)
    out = tmp_path / "out"
    summary = keyfold_ray.pack(tmp_path / "in", out, QUICK, batch=4)
    rows = rows_in(out)
    assert sorted(row["input"] for row in rows) == sorted(str(p) for p in (tmp_path / "in").rglob("*.glb"))
    assert summary.packed + summary.copied + summary.failed + summary.left == 40 and summary.failed >= 5
    for row in rows:
        relative = Path(row["input"]).relative_to(tmp_path / "in")
        assert (out / relative).exists() == (row["output"] is not None)
    plain = batch.pack_files([(rows[0]["input"], str(tmp_path / "plain.glb"))], QUICK)
    if plain[0]["output"]:
        assert (tmp_path / "plain.glb").read_bytes() == Path(rows[0]["output"] or "").read_bytes()
    # Another batch size is another way to cut the same files into parts.
    again = keyfold_ray.pack(tmp_path / "in", out, QUICK, batch=7)
    assert again.done_before == 40 and again.packed == again.failed == 0
    assert rows_in(out) == rows


def wait_for(out: Path, parts: int, driver: subprocess.Popen[bytes]) -> None:
    while driver.poll() is None and len(list((out / "keyfold-rows").glob("part-*"))) < parts:
        time.sleep(0.02)


def test_killed_workers_and_drivers_lose_nothing(cluster: Any, tmp_path: Path) -> None:
    """A worker and then the driver are killed with SIGKILL; the run is repeated."""
    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc to find workers in")
    good, bad, size = (2000, 100, 16) if FULL else (40, 10, 2)
    source, out = tmp_path / "in", tmp_path / "out"
    files = [*samples(source, good), *broken(source / "bad", bad)]
    command = [sys.executable, "-m", "keyfold.ray", str(source), "-o", str(out)]
    command += ["--level", "fast", "--batch", str(size), "--address", ray.get_runtime_context().gcs_address]

    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(out, 1, driver)
    killed = False
    while driver.poll() is None and not killed:
        killed = kill_worker()
    wait_for(out, len(files) // size // 3, driver)
    driver.kill()
    driver.wait()
    before = rows_in(out)
    assert killed and 0 < len(before) < len(files), f"the driver had written {len(before)} rows"

    again = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    after = rows_in(out)
    assert sorted(row["input"] for row in after) == sorted(str(file) for file in files), again.stdout
    finished = {row["input"]: row["finished"] for row in after}
    assert all(finished[row["input"]] == row["finished"] for row in before), "a file was packed twice whose row was written"
    failed = [row for row in after if row["status"] == "failed"]
    assert all(row["failure"] for row in failed) and len(failed) >= 0.95 * bad
    compare(source, out, after)


def compare(source: Path, out: Path, rows: list[batch.Row]) -> None:
    """Outputs are the native program's, byte by byte, where the row does not say otherwise."""
    native = out.with_name("native")
    program("pack", source, "--recursive", "--out-dir", native, "--level", "fast")
    made = [Path(row["output"]).relative_to(out) for row in rows if row["output"] and row["level"] == "fast"]
    assert len(made) >= len(rows) / 2
    assert [place for place in made if (native / place).read_bytes() != (out / place).read_bytes()] == []


def test_manifests_and_folders_keep_their_shape(tmp_path: Path) -> None:
    import pyarrow.parquet as parquet

    motions(tmp_path / "in" / "a", 2)
    motions(tmp_path / "in" / "b", 1)
    (tmp_path / "list.txt").write_text(f"{tmp_path}/in/a/0.glb\n\n{tmp_path}/in/b/0.glb\n")
    (tmp_path / "list.csv").write_text(f"input,note\n{tmp_path}/in/a/1.glb,x\n")
    for paths, expected in (
        (str(tmp_path / "in"), ["a/0.glb", "a/1.glb", "b/0.glb"]),
        (tmp_path / "list.txt", ["a/0.glb", "b/0.glb"]),
        (tmp_path / "list.csv", ["1.glb"]),
        ([tmp_path / "in" / "b" / "0.glb"], ["0.glb"]),
        (["s3://bucket/x.glb", "/disk/x.glb"], ["s3/bucket/x.glb", "disk/x.glb"]),
    ):
        manifest = str(tmp_path / "manifest.parquet")
        _manifest.write_manifest(_manifest.inputs(paths, "/out"), "/out", manifest)
        assert parquet.read_table(manifest)["output"].to_pylist() == [f"/out/{name}" for name in expected]
    for wrong in (tmp_path / "nothing", str(tmp_path / "in" / "a")):
        with pytest.raises(ValueError):
            _manifest.write_manifest(_manifest.inputs(wrong, str(tmp_path / "in" / "a" / "x")), str(wrong), manifest)


def test_keys_are_found_among_many() -> None:
    random = np.random.default_rng(2)
    raw = [random.bytes(16) for _ in range(1000)]
    pairs = np.frombuffer(b"".join(raw), ">u8").astype(np.uint64).reshape(-1, 2)
    keys = keyfold_ray.Keys(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])
    assert all(key in keys for key in raw) and random.bytes(16) not in keys
    assert b"\0" * 16 not in keyfold_ray.Keys(np.zeros((0, 2), np.uint64))
