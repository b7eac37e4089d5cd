"""Values: the program's, rounded once; matrices: numpy's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import CORPUS, FILES, SAMPLES, chained, matrix, peer, said, times_in
from numpy.typing import NDArray

import keyfold

COLUMNS = {"translation": slice(0, 3), "rotation": slice(3, 7), "scale": slice(7, 10)}


def resting(nodes: list[dict[str, Any]]) -> NDArray[np.float64]:
    """The nodes' own transforms as the JSON says them: `[J, 10]`."""
    parts = {"translation": [0.0] * 3, "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0] * 3}
    rest = np.array([[number for name, plain in parts.items() for number in node.get(name, plain)] for node in nodes])
    rest[:, 3:7] /= np.linalg.norm(rest[:, 3:7], axis=1, keepdims=True)
    return rest


@pytest.mark.parametrize("file", FILES, ids=lambda p: p.name)
def test_samples_are_the_programs(file: Path) -> None:
    document = keyfold.open(file)
    assert document.animations
    checked = 0
    for animation in document.animations[:2]:
        times = times_in(animation.duration)
        listed = ",".join(map(repr, times.tolist()))
        report = said("sample", file, "--animation", str(animation.index), f"--time={listed}")
        local = animation.sample(times)
        assert [track.target for track in animation.tracks] == [track["target"] for track in report["tracks"]]
        wide = np.tile(resting(document.json["nodes"]), (len(times), 1, 1))
        for track, expected in zip(animation.tracks, report["tracks"]):
            values = np.array(expected["values"])
            assert np.array_equal(track.sample(times), values.astype(np.float32)), track.target
            checked += 1
            if found := re.fullmatch(r"/nodes/(\d+)/(translation|rotation|scale)(?:\.([xyz]))?", track.target):
                node, columns = int(found[1]), COLUMNS[found[2]]
                if found[3]:
                    columns = slice(columns.start + "xyz".index(found[3]), columns.start + "xyz".index(found[3]) + 1)
                assert np.array_equal(local[:, node, columns], values.astype(np.float32))
                wide[:, node, columns] = values
        own = matrix(wide)
        for node, content in enumerate(document.json["nodes"]):
            if "matrix" in content:
                own[:, node] = np.array(content["matrix"]).reshape(4, 4).T
        expected_world = chained(own, document.joints.parents)
        world = animation.sample(times, space="world")
        # Where coordinates are large, float32 cannot tell them apart more finely.
        assert (np.abs(world - expected_world) <= 1e-6 * np.maximum(1, np.abs(expected_world))).all()
    assert checked


def test_rest_matrices_keep_their_shear() -> None:
    shear = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 2, 0, 3, 4, 5, 1]
    glb = keyfold.write_glb(["a"], [-1], [[0, 0, 0]], np.array([[[0, 0, 0, 1]], [[0, 1, 0, 0]]]), sticks=False)
    document = keyfold.open(glb).json
    import base64

    tail = glb[20 + int.from_bytes(glb[12:16], "little") + 8 :]
    document["nodes"].append({"matrix": shear})
    document["scenes"][0]["nodes"].append(1)
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(tail).decode()
    import json

    world = keyfold.open(json.dumps(document).encode()).animations[0].sample([0], space="world")
    assert np.array_equal(world[0, 1].T.ravel(), np.array(shear, np.float32))


THREE = [("figure.glb", 0), ("face.glb", 0), ("machine.glb", 0)]
MORE = [("cesium_man.glb", 0), ("fox.glb", 1), ("morph_stress_test.glb", 0), ("recursive_skeletons.glb", 0)]


@pytest.mark.parametrize(("name", "index"), THREE + MORE)
def test_vertices_are_three_js(name: str, index: int) -> None:
    file = next(f for f in (*SAMPLES, CORPUS / name) if f.name == name)
    if not file.is_file():
        pytest.skip(f"{name} is not here")
    document = keyfold.open(file)
    animation = document.animations[index]
    times = np.linspace(0.05, animation.duration * 0.95, 4)
    [answer] = peer("three_vertices.mjs", [{"file": str(file), "animation": index, "times": times.tolist()}])
    assert answer["failure"] is None
    import base64

    expected = np.frombuffer(base64.b64decode(answer["floats"]), np.float32).reshape(len(times), -1, 3)
    ours = animation.vertices(times)
    assert ours.shape == expected.shape and ours.shape[1] > 0
    assert ours.shape[1] == sum(surface.count for surface in document.surfaces)
    size = max(1.0, np.abs(expected).max())
    assert np.abs(ours - expected).max() <= 1e-4 * size
    assert np.abs(ours - ours[:1]).max() > 0


def test_what_is_asked_wrongly_is_refused() -> None:
    animation = keyfold.open(FILES[0]).animations[0]
    for wrong in (lambda: animation.sample([0], space="view"), lambda: animation.sample([float("nan")]), lambda: animation.times(0)):
        with pytest.raises(ValueError):
            wrong()


def test_what_cannot_be_read_says_where() -> None:
    with pytest.raises(keyfold.KeyfoldError) as error:
        keyfold.open(b'{"asset": {"version": "2.0"}, "nodes": [{"children": [0]}]}')
    assert error.value.at == "/nodes"
    for unreadable in (b"", b"glTF", "nothing.glb"):
        with pytest.raises(keyfold.KeyfoldError):
            keyfold.open(unreadable)
