"""Many files without Ray: the worker as a plain function."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from conftest import ROOT, program
from many import broken, motions

from keyfold import _child, _places, batch

pytest.importorskip("pyarrow")
QUICK = batch.Settings(level="fast")


def jobs_of(files: list[Path]) -> list[tuple[str, str]]:
    """Files and where they go: to a folder `out` beside theirs."""
    return [(str(file), str(file.parent.parent / "out" / file.name)) for file in files]


def test_rows_say_what_came_of_files(tmp_path: Path) -> None:
    files = [*motions(tmp_path / "in", 3), *broken(tmp_path / "in", 100)]
    jobs = [*jobs_of(files), ("missing.glb", str(tmp_path / "out/missing.glb"))]
    rows = batch.pack_files(jobs, QUICK, str(tmp_path / "rows"))
    assert [row["input"] for row in rows] == [source for source, _ in jobs]
    for row, (source, output) in zip(rows, jobs):
        assert (row["output"] is None) == (row["status"] == "failed") == (not Path(output).exists()), row
        if row["status"] == "failed":
            assert row["failure"]
        else:
            report = json.loads(program("pack", source, "-o", tmp_path / "native.glb", "--level", "fast", "--json").stdout)["files"][0]
            assert Path(output).read_bytes() == (tmp_path / "native.glb").read_bytes()
            assert (row["bytes_before"], row["bytes_after"]) == (report["bytes"]["before"], report["bytes"]["after"])
            assert (row["error"], row["worst_joint"]) == (report["error"]["max"], report["error"]["node"])
            assert row["cpu_seconds"] is not None and row["input_hash"] and row["level"] == "fast"
    assert [row["status"] for row in rows[:3]] == ["packed"] * 3
    assert sum(row["status"] == "failed" for row in rows[3:]) >= 95
    [part] = (tmp_path / "rows").iterdir()
    assert batch.read_rows(str(part)) == rows
    assert not [p for p in tmp_path.rglob(".keyfold-*")]


def test_what_is_done_is_not_done_again_unless_it_changed(tmp_path: Path) -> None:
    jobs, rows = jobs_of(motions(tmp_path / "in", 3)), str(tmp_path / "rows")
    first = batch.pack_files(jobs, QUICK, rows)
    assert len(first) == 3 and batch.pack_files(jobs, QUICK, rows) == []
    Path(jobs[1][0]).write_bytes(Path(jobs[2][0]).read_bytes())
    [again] = batch.pack_files(jobs, QUICK, rows)
    assert again["input"] == jobs[1][0]
    [part] = (tmp_path / "rows").iterdir()
    assert sorted(row["finished"] for row in batch.read_rows(str(part))) == sorted(
        [first[0]["finished"], first[2]["finished"], again["finished"]]
    )
    assert len(batch.pack_files(jobs, batch.Settings(level="fast", max_error="1%"), rows)) == 3
    # Another batch, the same files: their keys are known.
    known = {batch.key(r["input"], r["input_hash"] or "", r["settings_hash"]) for r in [*first, again]}
    assert batch.pack_files(jobs[:2], QUICK, str(tmp_path / "other"), known) == []


def test_buffers_beside_a_document_belong_to_it(tmp_path: Path) -> None:
    for name in ("lamp.gltf", "lamp.bin"):
        (tmp_path / name).write_bytes((ROOT / "samples" / name).read_bytes())
    before = batch.fingerprint(tmp_path / "lamp.gltf")
    (tmp_path / "lamp.bin").write_bytes(bytes((ROOT / "samples" / "lamp.bin").stat().st_size))
    assert batch.fingerprint(tmp_path / "lamp.gltf") != before
    assert _places.buffers_beside(b'{"buffers": [{"uri": "../up.bin"}, {"uri": "/root.bin"}, {"uri": "a%20b.bin"}, {}]}') == ["a b.bin"]


def test_too_long_or_too_much_drops_to_fast_then_leaves(tmp_path: Path) -> None:
    figure = str(ROOT / "samples" / "figure.glb")
    jobs = [(figure, str(tmp_path / "figure.glb")), *jobs_of(motions(tmp_path / "in", 1))]
    [large, small] = batch.pack_files(jobs, batch.Settings(level="max", memory=12 << 20), None)
    assert large["status"] == "left" and "level max" in (large["failure"] or "") and "level fast" in (large["failure"] or "")
    assert not (tmp_path / "figure.glb").exists()
    # The next file has a process of its own.
    assert small["status"] == "packed"
    [late] = batch.pack_files(jobs[:1], batch.Settings(level="max", timeout=0.01), None)
    assert late["status"] == "left" and "took more than 0.01 s" in (late["failure"] or "")


class Reluctant(_child.Child):
    """Lets only the fastest level through."""

    def pack(self, source: Path, output: Path, options: _child.Json) -> _child.Json:
        if options["level"] != "fast":
            raise _child.TooMuch("took more than 1 s")
        return super().pack(source, output, options)


def test_a_file_that_was_dropped_to_fast_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "Child", Reluctant)
    [row] = batch.pack_files(jobs_of(motions(tmp_path / "in", 1)), batch.Settings(), None)
    assert (row["status"], row["level"], row["failure"]) == ("packed", "fast", "level default took more than 1 s")


def test_a_pool_of_processes_can_run_the_worker(tmp_path: Path) -> None:
    jobs = jobs_of(motions(tmp_path / "in", 4))
    with ProcessPoolExecutor(2) as pool:
        done = pool.map(batch.pack_files, [jobs[:2], jobs[2:]], [QUICK] * 2, [str(tmp_path / "rows")] * 2)
        assert [row["status"] for rows in done for row in rows] == ["packed"] * 4
    assert len(list((tmp_path / "rows").iterdir())) == 2


def test_fsspec_places(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    [(source, output)] = jobs_of(motions(tmp_path / "in", 1))
    memory.pipe("/in/deep/a.glb", Path(source).read_bytes())
    for name in ("lamp.gltf", "lamp.bin"):
        memory.pipe(f"/in/{name}", (ROOT / "samples" / name).read_bytes())
    assert list(_places.files("memory://in")) == ["memory:///in/lamp.gltf", "memory:///in/deep/a.glb"]
    jobs = [("memory://in/deep/a.glb", "memory://out/deep/a.glb"), ("memory://in/lamp.gltf", "memory://out/lamp.gltf")]
    rows = batch.pack_files(jobs, QUICK, "memory://rows")
    assert [row["status"] for row in rows] == ["packed", "packed"], rows
    batch.pack_files([(source, output)], QUICK)
    assert memory.cat("/out/deep/a.glb") == Path(output).read_bytes()
    assert memory.exists("/out/lamp.gltf") and len(memory.ls("/rows")) == 1
    assert batch.pack_files(jobs, QUICK, "memory://rows") == []
