//! Keyfold's sampling against three.js's playback: every file of the corpus and every sample, at random times inside and
//! outside the keys, and at keys. What differs for a reason is told in `oracle/DIFFERENCES.md`.

use std::path::{Path, PathBuf};

use keyfold::{Animation, Document, Kind, Targets, Track, read};
use keyfold_oracle::three::{self, Job, Playback};
use keyfold_oracle::{corpus_files, node_available, note, sample_files};

/// Times per animation: random ones, and keys of each of its first tracks.
const RANDOM_TIMES: usize = 100;
const KEY_TIMES: usize = 10;

/// three.js computes in f32: some of its last bits, relative to a track's largest value where that is above 1.
const TOLERANCE: f64 = 1e-6;

/// Files whose rotations three.js blends as long as they are stored, and how far that takes it (DIFFERENCES.md, "Rotations
/// that are not unit").
const NOT_UNIT: [(&str, f64); 3] =
    [("asset_generator_sampler_type_01", 2e-3), ("asset_generator_sampler_type_02", 1e-5), ("meshopt_cube_test", 1e-5)];

#[test]
fn playback_agrees_with_three_js() {
    if !node_available() {
        return;
    }
    let files: Vec<PathBuf> = corpus_files().into_iter().chain(sample_files()).collect();
    let animations: Vec<Vec<Animation>> = files.iter().map(|file| animations(file)).collect();
    let jobs: Vec<Job> = files.iter().zip(&animations).map(|(file, animations)| job(file, animations)).collect();
    let played = three::play(&jobs).expect("three.js runs");

    let mut worst = Difference::default();
    let mut tracks = 0;
    for ((job, animations), playback) in jobs.iter().zip(&animations).zip(&played) {
        assert_eq!(playback.failure, None, "{}", job.file.display());
        let (count, difference) = compare(job, animations, playback);
        tracks += count;
        worst = worst.max(difference);
    }
    note(&format!(
        "three.js: {} files, {tracks} tracks at {RANDOM_TIMES} random times each and at keys; largest difference {:.1e} ({}), exceptions apart",
        files.len(),
        worst.size,
        worst.place
    ));
    assert!(tracks > 0);
}

fn animations(file: &Path) -> Vec<Animation> {
    let document = Document::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    read(&document).unwrap_or_else(|error| panic!("{}: {error}", file.display())).animations
}

fn job(file: &Path, animations: &[Animation]) -> Job {
    Job { file: file.to_owned(), times: animations.iter().map(times).collect(), world: false }
}

/// Random times from well before the animation's start to well after its end, then keys.
fn times(animation: &Animation) -> Vec<f64> {
    let duration = f64::from(animation.duration());
    let mut state = 1u64;
    let random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let unit = (state >> 11) as f64 / (1u64 << 53) as f64;
        unit * (1.2 * duration + 0.2) - 0.1 * duration - 0.1
    };
    let keys = animation.tracks.iter().take(KEY_TIMES).enumerate();
    let keys = keys.map(|(i, track)| f64::from(track.curve.times()[i * 7 % track.curve.keys()]));
    std::iter::repeat_with(random).take(RANDOM_TIMES).chain(keys).collect()
}

/// How far apart two values are, and where.
#[derive(Clone, Default)]
struct Difference {
    size: f64,
    place: String,
}

impl Difference {
    fn max(self, other: Self) -> Self {
        if other.size > self.size { other } else { self }
    }
}

/// Compares all tracks of a file, both ways: neither side may have one that the other lacks.
fn compare(job: &Job, animations: &[Animation], playback: &Playback) -> (usize, Difference) {
    let name = job.file.file_stem().unwrap_or_default().to_string_lossy();
    let exception = NOT_UNIT.iter().find(|(file, _)| *file == name).map(|&(_, tolerance)| tolerance);
    let mut worst = Difference::default();
    let mut count = 0;
    for ((animation, peers), times) in animations.iter().zip(&playback.animations).zip(&job.times) {
        let ours: Vec<&Track> = animation.tracks.iter().filter(|t| t.source.targets == Targets::Core).collect();
        assert_eq!(ours.len(), peers.len(), "{name} #{}", animation.index);
        for (track, peer) in ours.into_iter().zip(peers) {
            let pointer = format!("/nodes/{}/{}", peer.node, peer.path);
            assert_eq!(track.target.to_string(), pointer, "{name} #{}", animation.index);
            let (size, time) = largest(track, times, &peer.rows);
            worst = worst.max(Difference { size, place: format!("{name} #{} {pointer} at {time} s", animation.index) });
            count += 1;
        }
    }
    assert!(worst.size <= exception.unwrap_or(TOLERANCE), "{:e} at {}", worst.size, worst.place);
    assert!(exception.is_none() || worst.size > TOLERANCE, "{name} is an exception no more: take it off the list");
    (count, if exception.is_some() { Difference::default() } else { worst })
}

/// A track's largest difference, and the time of it.
fn largest(track: &Track, times: &[f64], rows: &[Vec<f32>]) -> (f64, f64) {
    assert_eq!(times.len(), rows.len(), "{}", track.target);
    let apart = times.iter().zip(rows).map(|(&time, row)| (distance(track, time, row), time));
    apart.fold((0.0, 0.0), |worst, this| if this.0 > worst.0 { this } else { worst })
}

/// The largest difference of a component. A quaternion and its negative are the same rotation.
fn distance(track: &Track, time: f64, theirs: &[f32]) -> f64 {
    let ours = track.sample(time);
    assert_eq!(ours.len(), theirs.len(), "{}", track.target);
    assert!(theirs.iter().all(|x| x.is_finite()) && ours.iter().all(|x| x.is_finite()), "{}", track.target);
    let reach = track.curve.values().iter().fold(1.0, |reach: f64, &x| reach.max(f64::from(x.abs())));
    let apart =
        |sign: f64| ours.iter().zip(theirs).map(|(a, b)| (a - sign * f64::from(*b)).abs()).fold(0.0, f64::max) / reach;
    if track.target.kind() == Kind::Rotation { apart(1.0).min(apart(-1.0)) } else { apart(1.0) }
}
