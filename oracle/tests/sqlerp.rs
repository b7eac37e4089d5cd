//! Rotations from one interpolation to another on real files: the bound holds at every time that is looked at, the fallback plays in
//! three.js, and what was LINEAR comes back within the sum of the bounds.

use keyfold::{
    Bound, Document, Interpolation, diff, read,
    rotation::{ChangedRotations, CoreSampler, RotationOptions, convert_rotations},
};
use keyfold_oracle::{is_full, node_available, note, root, shared_dir, three};
use std::path::{Path, PathBuf};

const BOUNDS: [f64; 3] = [1e-2, 1e-3, 1e-4];

/// The corpus' CUBICSPLINE files, and motion capture: a short clip, longer ones where there is time.
fn files() -> Vec<PathBuf> {
    let Some(shared) = shared_dir() else { return vec![root().join("samples/machine.glb")] };
    let mut names = vec!["aframe_left_hand", "interpolation_test", "cmu_02_03_run"];
    if is_full() {
        names.extend(["cmu_02_01_walk", "cmu_49_07_cartwheel", "fox", "cesium_man"]);
    }
    names.into_iter().map(|name| shared.join("corpus").join(name).with_extension("glb")).collect()
}

fn open(file: &Path) -> Document {
    Document::open(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn convert(document: &Document, form: Interpolation, bound: f64, core: CoreSampler) -> ChangedRotations {
    let options = RotationOptions { interpolation: form, only: None, max_error: Bound::Relative(bound), core };
    convert_rotations(document, &options).expect("the bound can be kept")
}

/// All keys of all rotations.
fn keys(document: &Document) -> usize {
    let read = read(document).expect("it was read before");
    let rotations =
        read.animations.iter().flat_map(|a| &a.tracks).filter(|t| t.target.kind() == keyfold::Kind::Rotation);
    rotations.map(|t| t.curve.keys()).sum()
}

fn bytes(document: &Document) -> usize {
    document.to_bytes().expect("it can be written").len()
}

#[test]
fn every_conversion_of_real_files_keeps_its_bound() {
    let (mut all, mut left) = (0, 0);
    for file in files() {
        let original = open(&file);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for form in [Interpolation::Linear, Interpolation::CubicSpline, Interpolation::CubicSlerp] {
            for bound in BOUNDS {
                let ChangedRotations { document: written, report, .. } =
                    convert(&original, form, bound, CoreSampler::None);
                // What cannot be proven to keep to the bound stays as it was, and is told of.
                let told = report.findings.iter().all(|finding| finding.code == "ROTATION_UNCHANGED");
                assert!(told, "{name}: {:?}", report.findings);
                (all, left) = (all + 1, left + usize::from(!report.findings.is_empty()));
                // Read back from bytes, measured by the comparison of files.
                let again = Document::from_bytes(written.to_bytes().unwrap(), None, &Default::default()).unwrap();
                let measured = diff(&original, &again, None).unwrap();
                assert!(
                    measured.relative <= bound && measured.unmatched.is_empty(),
                    "{name} {form:?} {bound}: {measured:?}"
                );
                note(&format!(
                    "{name} {} {}%: {} -> {} keys of rotations, {} -> {} bytes of the file, error {:.5}%",
                    form.name(),
                    bound * 100.0,
                    keys(&original),
                    keys(&again),
                    bytes(&original),
                    bytes(&again),
                    measured.relative * 100.0
                ));
            }
        }
    }
    note(&format!("{left} of {all} conversions left some rotations as they were"));
    assert!(left * 8 <= all, "{left} of {all}");
}

#[test]
fn what_was_linear_comes_back_within_the_sum_of_the_bounds() {
    let Some(file) = files().into_iter().find(|file| file.ends_with("cmu_02_03_run.glb")) else { return };
    let original = open(&file);
    for bound in BOUNDS {
        let squad = convert(&original, Interpolation::CubicSlerp, bound, CoreSampler::None).document;
        let linear = convert(&squad, Interpolation::Linear, bound, CoreSampler::None).document;
        let error = diff(&original, &linear, None).unwrap().relative;
        assert!(error <= 2.0 * bound, "{bound}: {error}");
        note(&format!(
            "LINEAR -> CUBICSLERP -> LINEAR at {}% each: {} -> {} -> {} keys, {:.5}% in all",
            bound * 100.0,
            keys(&original),
            keys(&squad),
            keys(&linear),
            error * 100.0
        ));
    }
}

#[test]
fn the_fallback_plays_in_three_js() {
    let Some(file) = files().into_iter().find(|file| file.ends_with("cmu_02_03_run.glb")) else { return };
    if !node_available() {
        return;
    }
    let written = convert(&open(&file), Interpolation::CubicSlerp, 1e-3, CoreSampler::Linear).document;
    let path = std::env::temp_dir().join(format!("keyfold-fallback-{}.glb", std::process::id()));
    written.save(&path).unwrap();
    let fallback = read(&written.ignoring("EXT_animation_sqlerp").unwrap()).unwrap().animations;
    let times: Vec<f64> = (0..50).map(|i| f64::from(fallback[0].duration()) * f64::from(i) / 49.0).collect();
    let played = three::play(&[three::Job { file: path.clone(), times: vec![times.clone()], world: false }]);
    let _ = std::fs::remove_file(path);
    let played = &played.expect("three.js runs")[0];
    assert_eq!(played.failure, None);
    let mut compared = 0;
    for (track, peer) in fallback[0].tracks.iter().zip(&played.animations[0]) {
        assert_eq!(track.target.to_string(), format!("/nodes/{}/{}", peer.node, peer.path));
        for (time, theirs) in times.iter().zip(&peer.rows) {
            let ours = track.sample(*time);
            let apart = |sign: f64| ours.iter().zip(theirs).map(move |(a, b)| (a - sign * f64::from(*b)).abs());
            let apart = apart(1.0).fold(0.0, f64::max).min(apart(-1.0).fold(0.0, f64::max));
            assert!(apart < 1e-5, "{} at {time} s: {apart}", track.target);
            compared += 1;
        }
    }
    assert!(compared > 1000);
}
