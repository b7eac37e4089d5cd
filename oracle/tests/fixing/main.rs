//! `keyfold validate --fix`: what is fixed has no errors by both validators, nothing else changed, and each fix is reported. On the fixable
//! files of the shared corpus and of the validator's fixtures, and on files made here: one for each kind of fix, for each way in which
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
const FIXABLE: [&str; 16] = [
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

fn is_fixable(errors: &[Finding]) -> bool {
    let cured =
        |f: &Finding| FIXABLE.contains(&f.code) && (f.code != "UNRESOLVED_REFERENCE" || f.at.ends_with("/target/node"));
    !errors.is_empty() && errors.iter().all(cured)
}

/// A fixed file, and what its fixes were.
struct Fixed {
    file: PathBuf,
    codes: BTreeSet<&'static str>,
    unexplained: Vec<String>,
}

fn fix(file: &Path, folder: &Path) -> Fixed {
    let before = Document::open(file).unwrap();
    let fixed = validate::fix(&before).unwrap().unwrap_or_else(|| panic!("{}: nothing fixed", file.display()));
    let name = file.file_name().unwrap();
    let target = folder.join(name);
    fixed.document.save(&target).unwrap();
    let after = Document::open(&target).unwrap();
    assert_eq!(errors(&after), [], "{}: {:?}", file.display(), fixed.done);
    for fix in fixed.done.iter().filter(|fix| fix.code != "MENDED_DECLARATION" && fix.code != "MENDED_BOUNDS") {
        assert!(before.json().pointer(&fix.at).is_some(), "{}: no {}", file.display(), fix.at);
    }
    let again = validate::fix(&after).unwrap();
    assert!(again.is_none_or(|again| again.done.is_empty()), "{}: fixed twice", file.display());
    Fixed {
        unexplained: compare::unexplained(&before, &after, &fixed.done),
        codes: fixed.done.iter().map(|fix| fix.code).collect(),
        file: target,
    }
}

/// Nothing is left to complain about, by anyone, and nothing changed that no fix tells of.
fn all_is_well(fixed: &[(String, Fixed)]) {
    for (name, Fixed { unexplained, codes, .. }) in fixed {
        note(&format!("{name:<46} {}", codes.iter().copied().collect::<Vec<_>>().join(", ")));
        assert!(unexplained.is_empty(), "{name}: changed without a word: {unexplained:?}");
    }
    if node_available() {
        let files: Vec<PathBuf> = fixed.iter().map(|(_, fixed)| fixed.file.clone()).collect();
        for (report, (name, _)) in validator::validate(&files).unwrap().iter().zip(fixed) {
            assert_eq!(report.errors(), [] as [String; 0], "{name} by gltf-validator");
        }
    }
    note(&format!("{} files fixed, without errors by both validators", fixed.len()));
}

#[test]
fn fixable_files_of_others_are_fixed() {
    let Some(shared) = shared_dir() else { return };
    let folder = tempfile::tempdir().unwrap();
    let files =
        [shared.join("corpus/invalid"), shared.join("fixtures/validator")].map(|folder| gltf_files(&folder)).concat();
    let mut fixed = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let Ok(document) = Document::open(file) else { continue };
        if is_fixable(&errors(&document)) {
            let name = file.strip_prefix(&shared).unwrap().display().to_string();
            let mine = folder.path().join(i.to_string());
            fixed.push((name, fix(file, &mine)));
            assert_same_tracks(&document, &Document::open(&fixed.last().unwrap().1.file).unwrap(), file);
        }
    }
    assert!(fixed.len() >= 7, "{} files", fixed.len());
    all_is_well(&fixed);
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
fn every_kind_of_fix_is_made_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (broken, whole) = (folder.path().join("broken"), folder.path().join("fixed"));
    std::fs::create_dir_all(&broken).unwrap();
    let mut fixed = Vec::new();
    for case in cases::all() {
        for extension in ["glb", "gltf"] {
            let file = broken.join(format!("{}.{extension}", case.name));
            case.write(&file);
            let found = errors(&Document::open(&file).unwrap());
            assert!(is_fixable(&found), "{}: {found:?}", case.name);
            let result = fix(&file, &whole);
            assert_eq!(result.codes, case.fixes.iter().copied().collect(), "{}", case.name);
            case.check(&Document::open(&result.file).unwrap());
            fixed.push((format!("{}.{extension}", case.name), result));
        }
    }
    all_is_well(&fixed);
}
