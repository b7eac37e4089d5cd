//! `pack` on real files: every storage keeps every bound, at times that the search never used; Khronos' validator has nothing
//! against what it writes, and three.js plays it as Keyfold samples it.

use std::path::{Path, PathBuf};

use keyfold::pack::{Options, Packed, pack};
use keyfold::{Animation, Document, Kind, OpenOptions, Scene, Storage, Targets, Track, diff, read};
use keyfold_core::skeleton::{self, random_moments};
use keyfold_oracle::three::{self, Job};
use keyfold_oracle::{corpus_files, gltf_files, is_full, node_available, note, root, sample_files, validator};

const BOUNDS: [&str; 4] = ["1%", "0.1%", "0.01%", "0.002%"];
/// What is small enough to be packed sixteen times in every run.
const SMALL: u64 = 170_000;
/// How many times of each animation are looked at, and what they grow from: another seed than that of `diff`, by which `pack` itself
/// measures.
const TIMES: (usize, u64) = (500, 0x0007_1E57);
/// three.js computes in f32, and its rotations are as long as they are stored (DIFFERENCES.md, "Rotations that are not unit").
const TOLERANCE: f64 = 5e-5;
/// Every so many of our own conformance files.
const OF_OUR_OWN: usize = 25;
/// Its rotations are bytes, far from unit length, and stay as they are.
const OF_BYTES: &str = "asset_generator_sampler_type_01";

/// All files of the corpus in a full run, otherwise the small ones; of our own, which are there without it, a few from each kind.
fn files() -> Vec<PathBuf> {
    let small = |file: &PathBuf| is_full() || file.metadata().is_ok_and(|m| m.len() < SMALL);
    let mut files: Vec<PathBuf> = corpus_files().into_iter().filter(small).collect();
    let conformance = gltf_files(&root().join("samples/conformance"));
    let good = conformance.into_iter().filter(|file| !file.components().any(|c| c.as_os_str() == "broken"));
    files.extend(good.step_by(OF_OUR_OWN));
    files.push(root().join("samples/lamp.gltf"));
    assert!(files.len() > 5, "{} files", files.len());
    files
}

fn packed(document: &Document, storage: Storage, bound: &str) -> Packed {
    let options = Options { storage, max_error: bound.parse().unwrap(), ..Options::default() };
    pack(document, &options).unwrap()
}

fn name(file: &Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[test]
fn every_bound_holds_in_every_storage() {
    let (mut checked, mut fullest) = (0, 0.0f64);
    for file in files() {
        let document = Document::open(&file).unwrap();
        for (storage, bound) in Storage::ALL.iter().flat_map(|s| BOUNDS.map(|b| (*s, b))) {
            let packed = packed(&document, storage, bound);
            let bytes = packed.document.to_bytes().unwrap();
            let back =
                Document::from_bytes(&bytes, file.parent().map(Path::to_path_buf), &OpenOptions::default()).unwrap();
            let what = format!("{} {} {bound}", name(&file), storage.name());
            let found = diff(&document, &back, None).unwrap();
            assert!(found.error <= packed.bound, "{what}: {} over {}", found.error, packed.bound);
            assert!(found.animations.iter().all(|a| a.properties.max <= 0.001), "{what}: a property is off");
            assert!(found.unmatched.is_empty(), "{what}: {:?}", found.unmatched);
            let elsewhere = error_elsewhere(&document, &back);
            assert!(elsewhere <= packed.bound, "{what}: {elsewhere} over {}", packed.bound);
            (checked, fullest) = (checked + 1, fullest.max(elsewhere / packed.bound));
        }
    }
    assert!(checked > 50, "{checked} outputs");
    note(&format!("pack: {checked} outputs, none over its bound; at fresh times at most {fullest:.4} of it"));
}

/// The largest error at random times that neither the search nor `diff` looks at.
fn error_elsewhere(before: &Document, after: &Document) -> f64 {
    let (one, other) = (read(before).unwrap().animations, read(after).unwrap().animations);
    assert_eq!(one.len(), other.len());
    let (scene, twin_scene) = (Scene::new(before, &one, None).unwrap(), Scene::new(after, &other, None).unwrap());
    let mut worst = 0.0f64;
    for (animation, twin) in one.iter().zip(&other) {
        let (motion, twin) = (scene.motion(animation), twin_scene.motion(twin));
        let (start, end) = motion.span();
        let moments = random_moments(start, end, TIMES.0, TIMES.1);
        let probes = scene.probes(&motion.moved());
        worst = worst.max(skeleton::compare(&motion, &twin, &probes, &moments).error());
    }
    worst
}

#[test]
fn the_validator_finds_no_errors_and_three_js_plays_what_is_sampled() {
    if !node_available() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut written, mut core) = (Vec::new(), Vec::new());
    let mut files: Vec<PathBuf> = files().into_iter().chain(sample_files()).collect();
    files.sort();
    files.dedup();
    for (file, before) in files.iter().zip(validator::validate(&files).unwrap()) {
        let document = Document::open(file).unwrap();
        for (storage, bound) in [(Storage::Core, "0.01%"), (Storage::Core, "1%"), (Storage::Meshopt, "0.01%")] {
            let output = folder.path().join(format!("{}.{}.{bound}.glb", name(file), storage.name()));
            packed(&document, storage, bound).document.save(&output).unwrap();
            // Drafts are errors to both peers, also where packing leaves them alone.
            if before.errors().is_empty() {
                written.push(output.clone());
                core.extend((storage == Storage::Core && name(file) != OF_BYTES).then_some(output));
            }
        }
    }
    let reports = validator::validate(&written).unwrap();
    for report in &reports {
        assert_eq!(report.errors(), [] as [String; 0], "{}", report.file.display());
    }
    note(&format!("gltf-validator: {} packed files without an error", reports.len()));
    play(&core);
}

/// Plays files and holds every track against our own sampling.
fn play(files: &[PathBuf]) {
    let animations: Vec<Vec<Animation>> =
        files.iter().map(|file| read(&Document::open(file).unwrap()).unwrap().animations).collect();
    let times = |animation: &Animation| {
        let times = random_moments(0.0, f64::from(animation.duration()), 30, TIMES.1);
        times.iter().map(|m| m.time).collect::<Vec<_>>()
    };
    let job = |(file, animations): (&PathBuf, &Vec<Animation>)| Job {
        file: file.clone(),
        times: animations.iter().map(times).collect(),
        world: false,
    };
    let jobs: Vec<Job> = files.iter().zip(&animations).map(job).collect();
    let (mut tracks, mut worst) = (0, 0.0f64);
    for ((job, animations), played) in jobs.iter().zip(&animations).zip(three::play(&jobs).expect("three.js runs")) {
        assert_eq!(played.failure, None, "{}", job.file.display());
        for ((animation, peers), times) in animations.iter().zip(&played.animations).zip(&job.times) {
            let ours: Vec<&Track> = animation.tracks.iter().filter(|t| t.source.targets == Targets::Core).collect();
            assert_eq!(ours.len(), peers.len(), "{} #{}", job.file.display(), animation.index);
            for (track, peer) in ours.iter().zip(peers) {
                let apart = times.iter().zip(&peer.rows).map(|(time, row)| distance(track, *time, row));
                let apart = apart.fold(0.0, f64::max);
                assert!(apart <= TOLERANCE, "{} {}: {apart:e}", job.file.display(), track.target);
                (tracks, worst) = (tracks + 1, worst.max(apart));
            }
        }
    }
    note(&format!("three.js: {} packed files, {tracks} tracks, largest difference {worst:.1e}", files.len()));
}

/// The largest difference of a component, as a share of the track's largest value where that is above 1. A quaternion and its
/// negative are the same rotation.
fn distance(track: &Track, time: f64, theirs: &[f32]) -> f64 {
    let ours = track.sample(time);
    assert_eq!(ours.len(), theirs.len(), "{}", track.target);
    let reach = track.curve.values().iter().fold(1.0, |reach: f64, v| reach.max(f64::from(v.abs())));
    let apart =
        |sign: f64| ours.iter().zip(theirs).map(|(a, b)| (a - sign * f64::from(*b)).abs()).fold(0.0, f64::max) / reach;
    if track.target.kind() == Kind::Rotation { apart(1.0).min(apart(-1.0)) } else { apart(1.0) }
}
