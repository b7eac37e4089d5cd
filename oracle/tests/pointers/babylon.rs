//! Babylon.js plays what Keyfold writes, and shows the same values. What it does not do right is listed, with the reason.

use std::collections::BTreeSet;

use keyfold::Targets;
use keyfold_oracle::{babylon, node_available};

use crate::{manifest, to};

/// Properties that Babylon.js 9.28 shows otherwise, or not at all: a part of the template, and the reason.
const KNOWN: &[(&str, &str)] = &[
    ("/nodes/{}/weights/{}", "it does not animate one weight alone"),
    ("/orthographic/xmag", "it shows the left and right planes, the second of them a key ahead"),
    ("/orthographic/ymag", "it shows the lower and upper planes, the second of them a key ahead"),
    ("/perspective/aspectRatio", "it does not animate it"),
    ("/alphaCutoff", "it does not animate it"),
    ("/metallicFactor", "it maps the pointer twice, and the value stays 1"),
    ("/roughnessFactor", "it never maps the pointer"),
    ("/metallicRoughnessTexture/", "its key for the pointer has two slashes"),
    ("/dispersion", "it does not animate it"),
    ("/sheenRoughnessFactor", "the value stays 1"),
    ("ADOBE_materials", "it does not know the extension"),
    ("/hoverable", "it does not animate it"),
    ("/selectable", "it does not animate it"),
    ("EXT_lights_ies", "it refuses the file: the light has no profile"),
    ("EXT_lights_image_based", "it refuses the file: the light has no real images"),
    ("/transmissionTexture/", "it needs a renderer for the texture"),
    ("/thicknessTexture/", "it needs a renderer for the texture"),
];

/// What stands in Babylon.js for one unit of the property: texture rotations turn the other way, cones are told from edge to edge.
fn unit(template: &str) -> f64 {
    if template.ends_with("/KHR_texture_transform/rotation") {
        -1.0
    } else if template.ends_with("ConeAngle") {
        2.0
    } else {
        1.0
    }
}

#[test]
fn babylon_shows_the_same_values() {
    if !node_available() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let files: Vec<_> = manifest().valid.into_iter().filter(|file| file.is_ratified()).collect();
    let mut jobs = Vec::new();
    for file in &files {
        let place = folder.path().join(file.file.file_name().expect("a name"));
        to(&to(&file.open(), Targets::Animation2), Targets::Pointer).save(&place).expect("saved");
        jobs.push(babylon::Job { file: place, pointer: file.target.clone(), times: file.times.clone() });
    }
    let played = babylon::play(&jobs).expect("Babylon.js runs");
    let mut same = 0;
    let mut met = BTreeSet::new();
    for (file, playback) in files.iter().zip(played) {
        let near = |(a, b): (&f64, &f64)| (a / unit(&file.template) - b).abs() <= 1e-5 * b.abs().max(1.0);
        let row_near = |(found, expected): (&Vec<f64>, &Vec<f64>)| {
            found.len() == expected.len() && found.iter().zip(expected).all(near)
        };
        if playback.rows.len() == file.values.len() && playback.rows.iter().zip(&file.values).all(row_near) {
            same += 1;
            continue;
        }
        let known = KNOWN.iter().find(|(part, _)| file.template.contains(part));
        let seen = || {
            playback
                .failure
                .clone()
                .unwrap_or_else(|| format!("{:?}", playback.rows))
                .chars()
                .take(300)
                .collect::<String>()
        };
        let (part, why) = known.unwrap_or_else(|| panic!("{}: {}, not {:?}", file.template, seen(), file.values));
        println!("{}: {why}", file.template);
        met.insert(*part);
    }
    println!(
        "Babylon.js: {same} of {} properties the same, {} differ for known reasons",
        files.len(),
        files.len() - same
    );
    let stale: Vec<_> = KNOWN.iter().filter(|(part, _)| !met.contains(part)).collect();
    assert!(stale.is_empty(), "Babylon.js does these right now: {stale:?}");
}
