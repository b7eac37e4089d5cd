//! gltf-validator's verdict and ours on the conformance sets, and on files in which two drafts meet: as they should be, and with faults. What is right has no error of
//! ours; a fault that gltf-validator sees, or that any loader would stumble over, has one.

use keyfold::{
    Bound, Document, Interpolation, OpenOptions, RetargetOptions, Severity, Storage, Targets,
    pack::{Level, Options, pack},
    retarget,
    rotation::{CoreSampler, RotationOptions, convert_rotations},
    validate,
};
use keyfold_oracle::{gltf_files, node_available, note, root, validator};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What a file may have, in the order in which it gets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Draft {
    Sqlerp,
    Quantization,
    Draco,
    Meshopt,
    Stream,
    Pointer,
    Animation2,
}

const DRAFTS: [Draft; 7] = [
    Draft::Sqlerp,
    Draft::Quantization,
    Draft::Draco,
    Draft::Meshopt,
    Draft::Stream,
    Draft::Pointer,
    Draft::Animation2,
];

/// A document that has a draft, besides what it has; `animation` is the one that a storage is for.
fn with(document: &Document, draft: Draft, animation: &str) -> Document {
    let stored = |storage| {
        let animation = Some(animation.to_owned());
        let options = Options { storage, animation, level: Level::Fast, ..Options::default() };
        pack(document, &options).expect("packed").document
    };
    let addressed = |targets| {
        let wanted = RetargetOptions { targets: Some(targets), ..RetargetOptions::default() };
        retarget(document, &wanted).expect("readdressed").document
    };
    match draft {
        Draft::Quantization => stored(Storage::Quantization),
        Draft::Draco => stored(Storage::Draco),
        Draft::Meshopt => stored(Storage::Meshopt),
        Draft::Stream => stored(Storage::Stream),
        Draft::Pointer => addressed(Targets::Pointer),
        Draft::Animation2 => addressed(Targets::Animation2),
        Draft::Sqlerp => {
            let (interpolation, core) = (Interpolation::CubicSlerp, CoreSampler::None);
            let bound = Bound::Relative(0.01);
            let options = RotationOptions { interpolation, only: None, max_error: bound, core };
            convert_rotations(document, &options).expect("rotations").document
        }
    }
}

/// A fault, and how a file gets it.
type Fault = (&'static str, fn(&mut Value));

const NO_TYPE: &str = "values of a type that no other draft has";

const FAULTS: [Fault; 5] = [
    ("two channels on one target", |json| {
        let channel = json["animations"][0]["channels"][0].clone();
        json["animations"][0]["channels"].as_array_mut().expect("channels").push(channel);
    }),
    ("values that are not there", |json| {
        json["animations"][0]["samplers"][0]["output"] = json!(9999);
    }),
    ("times that are not there", |json| {
        json["animations"][0]["samplers"][0]["input"] = json!(9999);
    }),
    (NO_TYPE, |json| {
        let output = json["animations"][0]["samplers"][0]["output"].as_u64().expect("an output") as usize;
        json["accessors"][output]["componentType"] = json!(5125);
    }),
    ("nothing declared", |json| {
        let root = json.as_object_mut().expect("an object");
        root.remove("extensionsUsed");
        root.remove("extensionsRequired");
    }),
];

fn errors(file: &Path) -> Vec<String> {
    let (bytes, folder) = (fs::read(file).expect("a file"), file.parent().map(PathBuf::from));
    let found = validate::validate_bytes(&bytes, folder, &OpenOptions::default()).expect("readable").findings;
    let errors = found.into_iter().filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{} {}", finding.code, finding.at)).collect()
}

/// What both say of files.
fn verdicts(files: &[PathBuf]) -> Vec<(Vec<String>, Option<Vec<String>>)> {
    let theirs = node_available().then(|| validator::validate(files).expect("gltf-validator runs"));
    let theirs = |index: usize| theirs.as_ref().map(|reports| reports[index].errors());
    files.iter().enumerate().map(|(index, file)| (errors(file), theirs(index))).collect()
}

fn counted(verdict: &(Vec<String>, Option<Vec<String>>)) -> String {
    let theirs = verdict.1.as_ref().map_or_else(|| "-".to_owned(), |errors| errors.len().to_string());
    format!("{}/{theirs}", verdict.0.len())
}

#[test]
fn where_two_drafts_meet_what_is_right_has_no_error_and_what_is_wrong_has_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let figure = Document::open(root().join("samples/figure.glb")).expect("a sample");
    let (mut names, mut files) = (Vec::new(), Vec::new());
    for (i, first) in DRAFTS.into_iter().enumerate() {
        for second in
            DRAFTS.into_iter().skip(i + 1).filter(|second| (first, *second) != (Draft::Pointer, Draft::Animation2))
        {
            let document = with(&with(&figure, first, "0"), second, "1");
            let file = folder.path().join(format!("{first:?}-{second:?}.gltf"));
            document.save(&file).expect("saved");
            let json: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
            names.push((first, second, "as it should be"));
            files.push(file.clone());
            for (number, (what, spoil)) in FAULTS.into_iter().enumerate() {
                let mut json = json.clone();
                spoil(&mut json);
                let spoiled = file.with_extension(format!("{number}.gltf"));
                fs::write(&spoiled, json.to_string()).expect("written");
                names.push((first, second, what));
                files.push(spoiled);
            }
        }
    }
    note("ours/gltf-validator's errors: as it should be, then with each fault");
    let all = verdicts(&files);
    let mut rows: BTreeMap<(Draft, Draft), Vec<String>> = BTreeMap::new();
    for ((first, second, what), verdict) in names.iter().zip(&all) {
        rows.entry((*first, *second)).or_default().push(counted(verdict));
        // KHR_animation_pointer converts whatever type there is.
        if (*second, *what) == (Draft::Pointer, NO_TYPE) {
            continue;
        }
        let right = *what == "as it should be";
        assert_eq!(verdict.0.is_empty(), right, "{first:?} and {second:?}, {what}: {verdict:#?}");
    }
    assert_eq!(rows.len(), 20);
    rows.iter().for_each(|((first, second), row)| note(&format!("{first:?} x {second:?}: {}", row.join("  "))));
}

#[test]
fn conformance_files_have_errors_only_where_they_are_broken() {
    let files = gltf_files(&root().join("samples/conformance"));
    let all = verdicts(&files);
    let mut sums: BTreeMap<(String, bool), [usize; 3]> = BTreeMap::new();
    for (file, verdict) in files.iter().zip(&all) {
        let relative = file.strip_prefix(root().join("samples/conformance")).expect("inside").display().to_string();
        let set = relative.split('/').next().unwrap_or_default().to_owned();
        let broken = relative.contains("broken") || relative.contains("bad_") || relative.contains("too_long");
        let sum = sums.entry((set, broken)).or_default();
        sum[0] += 1;
        sum[1] += usize::from(!verdict.0.is_empty());
        sum[2] += usize::from(verdict.1.as_ref().is_some_and(|errors| !errors.is_empty()));
        assert!(broken || verdict.0.is_empty(), "{relative}: {:?}", verdict.0);
    }
    note("set, broken: files, with errors of ours, with errors of gltf-validator's");
    sums.iter().for_each(|((set, broken), sum)| note(&format!("{set} {broken}: {sum:?}")));
    assert!(sums.values().map(|sum| sum[0]).sum::<usize>() > 300, "{sums:?}");
}
