//! One full pose after the other, sampled forward at 60 Hz: nanoseconds per track, against three.js.
//!
//! Of three.js two figures are taken: its interpolants alone, which is the work that Keyfold does, and the AnimationMixer, which
//! also carries the values to the scene's objects. Runtime clips have a peer of their own: see `clip`.

use std::time::Duration;

use anyhow::{Result, ensure};
use keyfold::{Animation, Document, Targets, Track, read};
use keyfold_core::curve::Cursor;
use keyfold_oracle::three::{self, Stopwatch};
use keyfold_oracle::{corpus_files, node_available, sample_files};

use crate::measure::{alone, mean, stem};

const STEP: f64 = 1.0 / 60.0;
const TIME_PER_FILE: Duration = Duration::from_millis(400);

pub(crate) fn run() -> Result<()> {
    ensure!(node_available(), "three.js is not there");
    let mut files = Vec::new();
    let mut longest = Vec::new();
    for file in corpus_files().into_iter().chain(sample_files()) {
        if let Some(animation) = longest_animation(read(&Document::open(&file)?)?.animations) {
            files.push(Stopwatch {
                file,
                animation: animation.index,
                step: STEP,
                seconds: TIME_PER_FILE.as_secs_f64(),
            });
            longest.push(animation);
        }
    }
    let peers = three::time(&files)?;
    println!(
        "{:<42} {:>7} {:>9} {:>26} {:>8} {:>8}",
        "ns per track", "tracks", "keyfold", "three: interpolants / mixer", "ratio", "ratio"
    );
    let (mut alone, mut mixed) = (Vec::new(), Vec::new());
    for ((file, animation), peer) in files.iter().zip(&longest).zip(peers) {
        let ours = nanoseconds(animation);
        let ratios = (ours / peer.interpolants, ours / peer.mixer);
        println!(
            "{:<42} {:>7} {ours:>9.1} {:>16.1} /{:>8.1} {:>8.2} {:>8.2}",
            stem(&file.file),
            animation.tracks.len(),
            peer.interpolants,
            peer.mixer,
            ratios.0,
            ratios.1,
        );
        alone.push(ratios.0);
        mixed.push(ratios.1);
    }
    println!("\ngeometric mean: {:.2} of the interpolants' time, {:.2} of the mixer's", mean(&alone), mean(&mixed));
    Ok(())
}

/// The longest of a file's animations that move something, of core channels only.
fn longest_animation(animations: Vec<Animation>) -> Option<Animation> {
    let core = |mut animation: Animation| {
        animation.tracks.retain(|track| track.source.targets == Targets::Core);
        animation
    };
    let moving = animations.into_iter().map(core).filter(|animation| animation.duration() > 0.0);
    moving.max_by(|a, b| a.duration().total_cmp(&b.duration()))
}

/// Plays an animation from its start to its end, again and again: time per track and pose. A measurement is of as many rounds
/// as make it long against the clock's own time.
fn nanoseconds(animation: &Animation) -> f64 {
    let frames = (f64::from(animation.duration()) / STEP) as usize + 1;
    let samples = frames * animation.tracks.len();
    let rounds = 50_000_usize.div_ceil(samples);
    let mut player = Player::new(&animation.tracks);
    let cost = alone(TIME_PER_FILE, || {
        for frame in (0..rounds).flat_map(|_| 0..frames) {
            player.pose(frame as f64 * STEP);
        }
        player.values[0]
    });
    cost.seconds * 1e9 / (rounds * samples) as f64
}

/// A player as an application would write it: a cursor per track, and one array for the values of the pose.
struct Player<'a> {
    tracks: Vec<(&'a Track, Cursor)>,
    values: Vec<f64>,
}

impl<'a> Player<'a> {
    fn new(tracks: &'a [Track]) -> Self {
        let values = tracks.iter().map(|track| track.curve.width()).sum();
        Player { tracks: tracks.iter().map(|track| (track, Cursor::default())).collect(), values: vec![0.0; values] }
    }

    fn pose(&mut self, time: f64) {
        let mut rest = self.values.as_mut_slice();
        for (track, cursor) in &mut self.tracks {
            let (out, after) = rest.split_at_mut(track.curve.width());
            let place = cursor.locate(track.curve.times(), time);
            track.curve.blend(track.target.kind(), place, out);
            rest = after;
        }
    }
}
