//! What `pack` writes for every viewer, in a viewer: the error found from three.js' own world matrices is the one that `diff` tells.

use std::path::{Path, PathBuf};

use keyfold::pack::{Options, pack};
use keyfold::{Animation, Document, Scene, diff, read};
use keyfold_core::skeleton::{Affine, Probe};
use keyfold_oracle::three::{self, Job, Playback};
use keyfold_oracle::{node_available, note, shared_dir};

/// Skeletons of all kinds: scans, games, motion capture, CUBICSPLINE.
const FILES: [&str; 12] = [
    "aframe_left_hand",
    "cesium_man",
    "cmu_02_01_walk",
    "cmu_02_03_run",
    "cmu_05_06_dance-cartwheel-pirouettes",
    "cmu_49_07_cartwheel",
    "cmu_91_39_jump-forward",
    "fox",
    "godot_platformer_robot",
    "kaykit_combat_melee",
    "kenney_character",
    "quaternius_wolf",
];
/// How many times of each animation are looked at, besides the worst one.
const TIMES: usize = 60;
/// Bounds, and how far the two errors may differ: at the finer one the last bit of a short begins to show, since three.js does not
/// normalize rotations (DIFFERENCES.md, "Rotations that are not unit").
const BOUNDS: [(&str, f64); 2] = [("0.1%", 0.01), ("0.01%", 0.15)];

/// What three.js' matrices of floats leave open by themselves, as a share of the model's size: where packing changes next to
/// nothing, that is all there is to see.
const NOISE: f64 = 4.0 * f32::EPSILON as f64;

/// A file before and after.
struct Pair {
    name: String,
    tolerance: f64,
    scene: Scene,
    animations: Vec<Animation>,
    times: Vec<Vec<f64>>,
    error: f64,
}

#[test]
fn world_matrices_of_three_js_tell_the_same_error() {
    let Some(shared) = shared_dir() else { return };
    if !node_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut pairs, mut jobs) = (Vec::new(), Vec::new());
    for (name, (bound, tolerance)) in FILES.iter().flat_map(|name| BOUNDS.map(|bound| (name, bound))) {
        let original = shared.join("corpus").join(name).with_extension("glb");
        let packed = folder.path().join(format!("{name}.{bound}.glb"));
        let pair = Pair { name: format!("{name} {bound}"), tolerance, ..prepare(&original, &packed, bound) };
        jobs.extend([&original, &packed].map(|file| job(file, &pair.times)));
        pairs.push(pair);
    }
    let played = three::play(&jobs).expect("three.js runs");
    let mut apart = Vec::new();
    for (pair, played) in pairs.iter().zip(played.chunks_exact(2)) {
        let theirs = world_error(pair, &played[0], &played[1]);
        note(&format!("{}: diff {:.4e}, from three.js' matrices {theirs:.4e}", pair.name, pair.error));
        if (theirs - pair.error).abs() > pair.tolerance * pair.error + NOISE * pair.scene.model_size() {
            apart.push(&pair.name);
        }
    }
    assert!(apart.is_empty(), "{apart:?}");
}

fn prepare(original: &Path, packed: &Path, bound: &str) -> Pair {
    let document = Document::open(original).unwrap();
    let options = Options { max_error: bound.parse().unwrap(), ..Options::default() };
    pack(&document, &options).unwrap().document.save(packed).unwrap();
    let found = diff(&document, &Document::open(packed).unwrap(), None).unwrap();
    let animations = read(&document).unwrap().animations;
    let scene = Scene::new(&document, &animations, None).unwrap();
    let times = |animation: &Animation| {
        let (end, worst) = (f64::from(animation.duration()), found.animations[animation.index].time);
        (0..TIMES).map(|i| end * i as f64 / (TIMES - 1) as f64).chain(worst).collect()
    };
    let times = animations.iter().map(times).collect();
    Pair { name: String::new(), tolerance: 0.0, scene, animations, times, error: found.error }
}

fn job(file: &Path, times: &[Vec<f64>]) -> Job {
    Job { file: PathBuf::from(file), times: times.to_vec(), world: true }
}

/// The largest distance between a point of the original and its twin, as three.js places them.
fn world_error(pair: &Pair, before: &Playback, after: &Playback) -> f64 {
    assert_eq!((&before.failure, &after.failure), (&None, &None), "{}", pair.name);
    let mut worst = 0.0f64;
    for (index, animation) in pair.animations.iter().enumerate() {
        let probes = pair.scene.probes(&pair.scene.motion(animation).moved());
        for probe in &probes {
            let rows = |playback: &Playback| world(playback, index, probe);
            let (before, after) = (rows(before), rows(after));
            assert_eq!(before.len(), pair.times[index].len(), "{} node {}", pair.name, probe.a);
            let distances = before.iter().zip(&after).map(|(a, b)| probe.squared_distance(a, b).sqrt());
            worst = distances.fold(worst, f64::max);
        }
    }
    worst
}

/// A node's matrices to the scene, one per time; none where three.js does not show the node.
fn world(playback: &Playback, animation: usize, probe: &Probe) -> Vec<Affine> {
    let tracks = &playback.animations[animation];
    let track = tracks.iter().find(|t| t.path == "world" && t.node == probe.a).expect("the node is in the scene");
    let matrix = |row: &Vec<f32>| {
        let columns: [f64; 16] = std::array::from_fn(|i| f64::from(row[i]));
        Affine::from_columns(&columns)
    };
    track.rows.iter().map(matrix).collect()
}
