"""Arrays to GLB and back; BVH in three dialects."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import chained, matrix, peer
from numpy.typing import NDArray

import keyfold

DATA = Path(__file__).parent / "data"
DIALECTS = [("cmu.bvh", "cmu", 0.0254 / 0.45), ("lafan.bvh", "cm", 0.01), ("bandai.bvh", "cm", 0.01)]


def arm(frames: int = 9, joints: int = 5, seed: int = 3) -> keyfold.Motion:
    """A chain with a side branch, turned at random."""
    random = np.random.default_rng(seed)
    rest = np.tile(np.array([0, 0.3, 0, 0, 0, 0, 1, 1, 1, 1], np.float32), (joints, 1))
    parents = np.maximum(np.arange(joints) - 1, -1)
    parents[-1] = 1
    q = random.normal(size=(frames, joints, 4))
    q = (q / np.linalg.norm(q, axis=-1, keepdims=True)).astype(np.float32)
    t = (rest[:, :3] + random.normal(scale=0.05, size=(frames, joints, 3))).astype(np.float32)
    return keyfold.Motion([f"joint {i}" for i in range(joints)], parents, rest, q, t, 24.0)


def tracks(animation: keyfold.Animation, path: str) -> NDArray[np.float32]:
    """The keys of all joints as stored, `[T, J, W]`."""
    found = {t.target: t.values for t in animation.tracks}
    return np.stack([found[f"/nodes/{i}/{path}"] for i in range(len(found) // 2)], axis=1)


def validated(tmp_path: Path, *glbs: bytes) -> list[Path]:
    files = [tmp_path / f"{i}.glb" for i in range(len(glbs))]
    for file, glb in zip(files, glbs):
        file.write_bytes(glb)
    for report in peer("validate.mjs", [str(f) for f in files]):
        assert report["failure"] is None
        assert [i for i in report["issues"] if i["severity"] <= 1] == []
    return files


def test_arrays_come_back_bit_by_bit() -> None:
    motion = arm()
    document = keyfold.open(keyfold.write_glb(*motion))
    assert document.joints.names == motion.names
    assert np.array_equal(document.joints.parents, motion.parents)
    assert np.array_equal(document.joints.rest, motion.rest)
    [animation] = document.animations
    assert np.array_equal(tracks(animation, "rotation"), motion.rotations)
    assert np.array_equal(tracks(animation, "translation"), motion.translations)
    times = animation.tracks[0].times
    assert np.array_equal(times, (np.arange(9) / 24).astype(np.float32))
    sampled = animation.sample(times)
    assert np.array_equal(sampled[..., :3], motion.translations)
    # Sampling normalizes what is off by rounding.
    assert np.abs(sampled[..., 3:7] - motion.rotations).max() < 1e-7


def test_several_clips_have_their_names_and_joints_at_rest_no_track() -> None:
    walk, run = arm(5, seed=1), arm(8, seed=2)
    still = walk.rotations.copy()
    still[:, 2] = [0, 0, 0, 1]
    glb = keyfold.write_glb(
        walk.names, walk.parents, walk.rest[:, :3], {"walk": still, "run": run.rotations}, {"run": run.translations[:, 0]}, 30
    )
    document = keyfold.open(glb)
    assert [(a.name, round(a.duration * 30)) for a in document.animations] == [("walk", 4), ("run", 7)]
    targets = [t.target for t in document.animations[0].tracks]
    assert targets == [f"/nodes/{i}/rotation" for i in (0, 1, 3, 4)]
    assert "/nodes/0/translation" in [t.target for t in document.animations[1].tracks]


def test_output_is_valid_and_plays_in_three_js(tmp_path: Path) -> None:
    motion = arm()
    rest = np.tile(np.array([0, 0, 0, 1], np.float32), (1, 5, 1))
    glbs = [
        keyfold.write_glb(*motion),
        keyfold.write_glb(*motion, sticks=False),
        keyfold.write_glb(motion.names, motion.parents, motion.rest, rest),
        *(keyfold.write_glb(*keyfold.read_bvh(DATA / name, unit=unit)) for name, unit, _ in DIALECTS),
    ]
    files = validated(tmp_path, *glbs)
    times = [float(t) for t in (np.arange(9) / 24).astype(np.float32)]
    [answer] = peer("three_sample.mjs", [{"file": str(files[0]), "times": [times], "world": True}])
    assert answer["failure"] is None
    played = {a["node"]: np.frombuffer(base64.b64decode(a["floats"]), np.float32) for a in answer["animations"][0] if a["path"] == "world"}
    local = np.tile(motion.rest.astype(np.float64), (9, 1, 1))
    local[..., :3], local[..., 3:7] = motion.translations, motion.rotations
    world = chained(matrix(local), motion.parents)
    assert sorted(played) == list(range(5))
    for node, floats in played.items():
        assert np.abs(floats.reshape(9, 4, 4).transpose(0, 2, 1) - world[:, node]).max() < 1e-5


def test_sticks_reach_from_joint_to_child() -> None:
    motion = arm()
    document = keyfold.open(keyfold.write_glb(*motion))
    assert {surface.node for surface in document.surfaces} == {0, 1, 2}
    for surface in document.surfaces:
        # Every edge of a closed surface has its twin in the other direction.
        edges = {(int(t[i]), int(t[(i + 1) % 3])) for t in surface.triangles for i in range(3)}
        assert edges == {(b, a) for a, b in edges} and len(edges) == surface.triangles.size
    still = keyfold.open(keyfold.write_glb(motion.names, motion.parents, motion.rest, motion.rotations)).animations[0]
    vertices, world = still.vertices([0.1]), still.sample([0.1], space="world")
    for tip in (1, 2, 3, 4):
        assert np.linalg.norm(vertices[0] - world[0, tip, :3, 3], axis=1).min() < 1e-6


def test_wrong_arrays_are_refused() -> None:
    names, parents, rest, rotations, translations, _ = arm()
    wrong: list[tuple[Any, ...]] = [
        (names, [0, 0, 1, 2, 3], rest, rotations),
        (names, [-1, 9, 1, 2, 3], rest, rotations),
        (names[:4], parents, rest, rotations),
        (names, parents, rest[:, :4], rotations),
        (names, parents, rest, rotations[:, :4]),
        (names, parents, rest, rotations * 0),
        (names, parents, rest, rotations * np.nan),
        (names, parents, rest, rotations[:0]),
        (names, parents, rest, {"a": rotations}, translations),
        (names, parents, rest, {"a": rotations}, {"b": translations}),
        (names, parents, rest, rotations, translations[1:]),
        (names, parents, rest, rotations, translations, 0.0),
    ]
    for arguments in wrong:
        with pytest.raises(ValueError):
            keyfold.write_glb(*arguments)


def own_kinematics(text: str) -> tuple[list[str], NDArray[np.float64]]:
    """What a BVH file says, written without Keyfold: matrices, a stack and no quaternion. Positions `[T, joints]` in the file's units."""
    head, body = text.split("MOTION")
    rows = [list(map(float, line.split())) for line in body.strip().splitlines()[2:]]
    names: list[str] = []
    placed: list[list[NDArray[np.float64]]] = [[] for _ in rows]
    stacks: list[list[NDArray[np.float64]]] = [[np.eye(4)] for _ in rows]
    lines = [line.split() for line in head.splitlines()]
    column = 0
    for number, words in enumerate(lines):
        if words[:1] in (["ROOT"], ["JOINT"], ["End"]):
            names.append(words[1] if words[0] != "End" else names[-1] + "_end")
            offset = np.array(list(map(float, lines[number + 2][1:])))
            channels = lines[number + 3][2:] if lines[number + 3][0] == "CHANNELS" else []
            for row, stack, places in zip(rows, stacks, placed):
                at, turn = offset.copy(), np.eye(3)
                for channel, value in zip(channels, row[column:]):
                    axis = "XYZ".index(channel[0])
                    if channel[1:] == "position":
                        at[axis] = value
                    else:
                        c, s = np.cos(np.radians(value)), np.sin(np.radians(value))
                        plane = np.ix_([(axis + 1) % 3, (axis + 2) % 3], [(axis + 1) % 3, (axis + 2) % 3])
                        one = np.eye(3)
                        one[plane] = [[c, -s], [s, c]]
                        turn = turn @ one
                own = np.eye(4)
                own[:3, :3], own[:3, 3] = turn, at
                stack.append(stack[-1] @ own)
                places.append(stack[-1][:3, 3])
            column += len(channels)
        elif words[:1] == ["}"]:
            for stack in stacks:
                stack.pop()
    return names, np.array(placed)


@pytest.mark.parametrize(("name", "unit", "metres"), DIALECTS)
@pytest.mark.parametrize("up", ["y", "z"])
def test_bvh_moves_as_it_says(name: str, unit: str, metres: float, up: str) -> None:
    motion = keyfold.read_bvh(DATA / name, unit=unit, up=up)
    names, places = own_kinematics((DATA / name).read_text())
    if up == "z":
        places = places[..., [0, 2, 1]] * [1, 1, -1]
    animation = keyfold.open(keyfold.write_glb(*motion)).animations[0]
    times = animation.tracks[0].times
    world = animation.sample(times, space="world")
    assert motion.names == names and any(n.endswith("_end") for n in names)
    assert world.shape[:2] == places.shape[:2]
    assert np.abs(world[..., :3, 3] - places * metres).max() < 1e-4
    # What comes from BVH is normalized as sampling does it: all of it comes back exactly.
    local = animation.sample(times)
    assert np.array_equal(local[..., 3:7], motion.rotations) and np.array_equal(local[..., :3], motion.translations)


def test_frame_times_are_rates() -> None:
    assert [keyfold.read_bvh(DATA / name).fps for name, _, _ in DIALECTS] == [120.0, 30.0, 30.0]


GOOD = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n"


@pytest.mark.parametrize(
    ("change", "to", "at"),
    [
        ("HIERARCHY", "", "line 2"),
        ("OFFSET 0 0 0", "OFFSET 0 zero 0", "line 4"),
        ("Xrotation", "Wrotation", "line 5"),
        ("OFFSET", "SHIFT", "line 4"),
        ("}", "", "line 5"),
        ("Frames: 1", "Frames: 2", "line 10"),
        ("Frames: 1", "Frames: 99999999999", "line 10"),
        ("0.1\n0", "0.1\nnan", "line 10"),
        ("0.1", "none", "line 8"),
        ("MOTION", "", "line 8"),
        (GOOD, "", "line 1"),
    ],
)
def test_broken_bvh_says_where(tmp_path: Path, change: str, to: str, at: str) -> None:
    file = tmp_path / "broken.bvh"
    file.write_text(GOOD)
    assert keyfold.read_bvh(file).names == ["a"]
    file.write_text(GOOD.replace(change, to))
    with pytest.raises(keyfold.KeyfoldError) as error:
        keyfold.read_bvh(file)
    assert error.value.at == at
