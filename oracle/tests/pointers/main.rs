//! Animation pointers: every mutable property in every form, against the manifest, gltf-validator and Babylon.js; the corpus' files there
//! and back.

mod babylon;
mod conformance;
mod corpus;
mod rules;
mod schema;
mod stored;
mod validator;

use std::path::PathBuf;

use keyfold::{Animation, Document, RetargetOptions, Target, Targets, read, retarget};
use serde::Deserialize;

/// What `manifest.json` says.
#[derive(Deserialize)]
struct Manifest {
    valid: Vec<Valid>,
}

/// A file that keeps the rules, and the values of each of its animations.
#[derive(Clone, Deserialize)]
struct Valid {
    file: PathBuf,
    template: String,
    target: String,
    animations: Vec<String>,
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
}

fn folder() -> PathBuf {
    keyfold_oracle::root().join("samples/conformance/pointer")
}

fn manifest() -> Manifest {
    let text = std::fs::read(folder().join("manifest.json")).expect("the manifest");
    serde_json::from_slice(&text).expect("the manifest is as expected")
}

impl Valid {
    fn open(&self) -> Document {
        open(&self.file)
    }

    fn is_ratified(&self) -> bool {
        self.file.starts_with("ratified")
    }

    /// The ways to address its target that keep it as it is: core has no single weights, and makes them whole.
    fn ways(&self) -> &'static [Targets] {
        let all = &[Targets::Pointer, Targets::Animation2, Targets::Core];
        if self.template.ends_with("/weights/{}") { &all[..2] } else { all }
    }

    /// Every animation has the values that the manifest promises.
    fn assert_played(&self, document: &Document, told: &str) {
        let animations = read(document).expect("readable").animations;
        let names: Vec<_> = animations.iter().filter_map(|animation| animation.name.clone()).collect();
        assert_eq!(names, self.animations, "{} {told}", self.file.display());
        animations.iter().for_each(|animation| self.assert_values(animation, told));
    }

    fn assert_values(&self, animation: &Animation, told: &str) {
        let place = format!("{} {told} {:?}", self.file.display(), animation.name);
        assert_eq!(animation.tracks.len(), 1, "{place}");
        let track = &animation.tracks[0];
        assert_eq!(track.target.to_string(), self.target, "{place}");
        for (time, expected) in self.times.iter().zip(&self.values) {
            let found = track.sample(*time);
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
            assert!(near && found.len() == expected.len(), "{place} at {time}: {found:?}, not {expected:?}");
        }
    }
}

fn open(file: &std::path::Path) -> Document {
    Document::open(folder().join(file)).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn to(document: &Document, targets: Targets) -> Document {
    let wanted = RetargetOptions { targets: Some(targets), ..RetargetOptions::default() };
    retarget(document, &wanted).expect("converted").document
}

/// What a document's animations say, without where they say it.
fn said(document: &Document) -> Vec<Vec<(Target, keyfold::Curve)>> {
    let tracks = |animation: Animation| animation.tracks.into_iter().map(|track| (track.target, track.curve)).collect();
    read(document).expect("readable").animations.into_iter().map(tracks).collect()
}
