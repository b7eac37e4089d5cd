"""Ray itself, on two processors, over a modest number of files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_batch import QUICK, broken, motions

from keyfold import _manifest, batch

ray = pytest.importorskip("ray")
keyfold_ray = pytest.importorskip("keyfold.ray")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    os.environ["RAY_TRAIN_V2_ENABLED"] = "0"
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield ray
    ray.shutdown()


def rows_in(folder: Path) -> list[batch.Row]:
    return [row for part in sorted((folder / "keyfold-rows").iterdir()) for row in batch.read_rows(str(part))]


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


def test_a_killed_worker_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    jobs = motions(tmp_path / "in", 24)
    killed: list[int] = []

    def kill() -> None:
        # A worker in the midst of a batch: the parent of a child that packs.
        while not killed:
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    words = (process / "cmdline").read_bytes().split(b"\0")
                    if b"keyfold._child" in words and list((tmp_path / "out").glob("*.glb")):
                        parent = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                        if parent != os.getpid():
                            os.kill(parent, signal.SIGKILL)
                            killed.append(parent)
                            break
                except (OSError, ValueError):
                    continue
            time.sleep(0.01)

    if not Path("/proc").is_dir():
        pytest.skip("there is no /proc to find workers in")
    import threading

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    summary = keyfold_ray.pack([source for source, _ in jobs], tmp_path / "out", QUICK, batch=6)
    assert killed, "no worker was found in time"
    rows = rows_in(tmp_path / "out")
    assert sorted(row["input"] for row in rows) == sorted(source for source, _ in jobs)
    assert all(Path(row["output"] or "").exists() for row in rows)
    assert summary.failed == summary.left == 0


def test_a_killed_driver_is_taken_up_again(cluster: Any, tmp_path: Path) -> None:
    motions(tmp_path / "in", 48)
    out = tmp_path / "out"
    command = [
        sys.executable,
        "-m",
        "keyfold.ray",
        str(tmp_path / "in"),
        "-o",
        str(out),
        "--level",
        "fast",
        "--batch",
        "4",
        "--address",
        "auto",
    ]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while driver.poll() is None and len(list((out / "keyfold-rows").glob("part-*"))) < 2:
        time.sleep(0.02)
    driver.kill()
    driver.wait()
    time.sleep(3)
    before = rows_in(out)
    assert 0 < len(before) < 48, f"the driver had written {len(before)} rows"
    summary = keyfold_ray.pack(tmp_path / "in", out, QUICK, batch=4)
    after = rows_in(out)
    assert len(after) == 48 and len({row["input"] for row in after}) == 48
    assert summary.done_before >= len(before)
    kept = {row["input"]: row["finished"] for row in after}
    assert all(kept[row["input"]] == row["finished"] for row in before)


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
