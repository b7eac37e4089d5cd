//! `keyfold validate --fix`: what is mended has no errors by both validators, nothing else changed, and each mend is reported. On the mendable
//! files of the shared corpus and of the validator's fixtures, and on files made here: one for each kind of mend, for each way in which
//! accessors and bytes can be shared, and combinations.

mod cases;
mod compare;
mod made;

use keyfold::{Document, Finding, Severity, Track, read, validate};
use keyfold_oracle::{gltf_files, node_available, note, shared_dir, validator};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// Errors that `--fix` cures, by Khronos' name.
const MENDABLE: [&str; 16] = [
    "ACCESSOR_ANIMATION_INPUT_NEGATIVE",
    "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
    "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
    "ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND",
    "ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND",
    "ACCESSOR_MAX_MISMATCH",
    "ACCESSOR_MIN_MISMATCH",
    "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS",
    "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE",
    "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS",
    "QUANT_NOT_REQUIRED",
    "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE",
    "SQLERP_NOT_REQUIRED",
    "UNDECLARED_EXTENSION",
    "UNRESOLVED_REFERENCE",
    "UNUSED_EXTENSION_REQUIRED",
];

fn errors(document: &Document) -> Vec<Finding> {
    validate::validate(document).into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}

fn is_mendable(errors: &[Finding]) -> bool {
    let cured = |f: &Finding| {
        MENDABLE.contains(&f.code) && (f.code != "UNRESOLVED_REFERENCE" || f.at.ends_with("/target/node"))
    };
    !errors.is_empty() && errors.iter().all(cured)
}

/// A mended file, and what its mends were.
struct Mended {
    file: PathBuf,
    codes: BTreeSet<&'static str>,
    unexplained: Vec<String>,
}

fn mend(file: &Path, folder: &Path) -> Mended {
    let before = Document::open(file).unwrap();
    let mended = validate::mend(&before).unwrap().unwrap_or_else(|| panic!("{}: nothing mended", file.display()));
    let name = file.file_name().unwrap();
    let target = folder.join(name);
    mended.document.save(&target).unwrap();
    let after = Document::open(&target).unwrap();
    assert_eq!(errors(&after), [], "{}: {:?}", file.display(), mended.done);
    for mend in mended.done.iter().filter(|mend| mend.code != "MENDED_DECLARATION" && mend.code != "MENDED_BOUNDS") {
        assert!(before.json().pointer(&mend.at).is_some(), "{}: no {}", file.display(), mend.at);
    }
    let again = validate::mend(&after).unwrap();
    assert!(again.is_none_or(|again| again.done.is_empty()), "{}: mended twice", file.display());
    Mended {
        unexplained: compare::unexplained(&before, &after, &mended.done),
        codes: mended.done.iter().map(|mend| mend.code).collect(),
        file: target,
    }
}

/// Nothing is left to complain about, by anyone, and nothing changed that no mend tells of.
fn all_is_well(mended: &[(String, Mended)]) {
    for (name, Mended { unexplained, codes, .. }) in mended {
        note(&format!("{name:<46} {}", codes.iter().copied().collect::<Vec<_>>().join(", ")));
        assert!(unexplained.is_empty(), "{name}: changed without a word: {unexplained:?}");
    }
    if node_available() {
        let files: Vec<PathBuf> = mended.iter().map(|(_, mended)| mended.file.clone()).collect();
        for (report, (name, _)) in validator::validate(&files).unwrap().iter().zip(mended) {
            assert_eq!(report.errors(), [] as [String; 0], "{name} by gltf-validator");
        }
    }
    note(&format!("{} files mended, without errors by both validators", mended.len()));
}

#[test]
fn mendable_files_of_others_are_mended() {
    let Some(shared) = shared_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let files =
        [shared.join("corpus/invalid"), shared.join("fixtures/validator")].map(|folder| gltf_files(&folder)).concat();
    let mut mended = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let Ok(document) = Document::open(file) else { continue };
        if is_mendable(&errors(&document)) {
            let name = file.strip_prefix(&shared).unwrap().display().to_string();
            let mine = folder.path().join(i.to_string());
            mended.push((name, mend(file, &mine)));
            assert_same_tracks(&document, &Document::open(&mended.last().unwrap().1.file).unwrap(), file);
        }
    }
    assert!(mended.len() >= 7, "{} files", mended.len());
    all_is_well(&mended);
}

/// What could be played before plays on as it did: floats are equal, rotations the same but for their length.
fn assert_same_tracks(before: &Document, after: &Document, file: &Path) {
    let (before, after) = (read(before).unwrap().animations, read(after).unwrap().animations);
    for (a, b) in before.iter().zip(&after) {
        assert_eq!(a.tracks.len(), b.tracks.len(), "{}", file.display());
        for (a, b) in a.tracks.iter().zip(&b.tracks) {
            assert_eq!((&a.target, a.curve.times()), (&b.target, b.curve.times()), "{}", file.display());
            let (start, end) = (f64::from(a.curve.start()), f64::from(a.curve.end()));
            let times: Vec<f64> = (0..=64).map(|i| start + (end - start) * f64::from(i) / 64.0).collect();
            let sampled = |track: &Track| {
                let mut rows = vec![0.0; times.len() * track.curve.width()];
                track.curve.sample_many(track.target.kind(), &times, &mut rows);
                rows
            };
            let apart = sampled(a).iter().zip(sampled(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "{}: {} moved by {apart}", file.display(), a.target);
        }
    }
}

#[test]
fn every_kind_of_mend_is_made_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (broken, whole) = (folder.path().join("broken"), folder.path().join("mended"));
    std::fs::create_dir_all(&broken).unwrap();
    let mut mended = Vec::new();
    for case in cases::all() {
        for extension in ["glb", "gltf"] {
            let file = broken.join(format!("{}.{extension}", case.name));
            case.write(&file);
            let found = errors(&Document::open(&file).unwrap());
            assert!(is_mendable(&found), "{}: {found:?}", case.name);
            let result = mend(&file, &whole);
            assert_eq!(result.codes, case.mends.iter().copied().collect(), "{}", case.name);
            case.check(&Document::open(&result.file).unwrap());
            mended.push((format!("{}.{extension}", case.name), result));
        }
    }
    all_is_well(&mended);
}
