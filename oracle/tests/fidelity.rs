//! What Keyfold does not change comes out as it went in: `convert` without options on every file there is.

use keyfold::{Document, read};
use keyfold_oracle::{gltf_files, sample_files, shared_dir};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The document's text, with buffers' `uri` left out: that is where the bytes are, not what they are.
fn text(document: &Document) -> String {
    let mut json = document.json().clone();
    let buffers = json.get_mut("buffers").and_then(Value::as_array_mut).into_iter().flatten();
    buffers.filter_map(Value::as_object_mut).for_each(|buffer| drop(buffer.shift_remove("uri")));
    json.to_string()
}

/// The bytes of every buffer, up to its length; `None` for one that cannot be loaded.
fn bytes(document: &Document) -> Vec<Option<Vec<u8>>> {
    let length = |i| document.element("buffers", i).ok()?.index("byteLength").ok()?;
    let load = |i: usize| document.buffer(i).ok().map(|b| b[..length(i).unwrap_or(0).min(b.len())].to_vec());
    (0..document.count("buffers")).map(load).collect()
}

fn assert_same(original: &Document, copy: &Path) {
    let copy_of = Document::open(copy).unwrap_or_else(|e| panic!("{}: {e}", copy.display()));
    assert_eq!(text(original), text(&copy_of), "{}", copy.display());
    assert!(bytes(original) == bytes(&copy_of), "the buffers of {} differ", copy.display());
}

fn everything() -> Vec<PathBuf> {
    let mut files = sample_files();
    if let Some(shared) = shared_dir() {
        files.extend(gltf_files(&shared.join("corpus")));
        files.extend(gltf_files(&shared.join("fixtures")));
    }
    files
}

#[test]
fn a_copy_has_the_same_values_in_the_same_order_and_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (mut copied, mut unreadable) = (0, 0);
    for (n, file) in everything().iter().enumerate() {
        let Ok(original) = Document::open(file) else {
            unreadable += 1;
            continue;
        };
        let place = |step: &str, name: &str| folder.path().join(n.to_string()).join(step).join(name);
        let same = place("same", &file.file_name().unwrap().to_string_lossy());
        original.save(&same).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert_same(&original, &same);
        let (binary, back) = (place("glb", "copy.glb"), place("back", "copy.gltf"));
        original.save(&binary).unwrap();
        Document::open(&binary).unwrap().save(&back).unwrap();
        assert_same(&original, &binary);
        assert_same(&original, &back);
        copied += 1;
    }
    println!("{copied} files came through three copies each without a change; {unreadable} are no documents");
    assert!(copied > 0);
}

#[test]
fn the_golden_files_are_read_whole() {
    let Some(shared) = shared_dir() else { return };
    let mut count = 0;
    for suite in ["asset-generator", "blender-io"] {
        for file in gltf_files(&shared.join("fixtures").join(suite)) {
            let document = Document::open(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            let found = read(&document).unwrap();
            // A channel without a node is legal, and worth a note.
            let bad = found.findings.iter().find(|f| f.severity != keyfold::Severity::Info);
            assert!(bad.is_none(), "{}: {bad:?}", file.display());
            (0..document.count("accessors")).for_each(|i| {
                document.floats(i).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            });
            count += 1;
        }
    }
    println!("{count} golden files read, every accessor of them");
    assert!(count > 0);
}

#[test]
fn animation_bytes_agree_with_the_corpus_manifest() {
    let Some(shared) = shared_dir() else { return };
    let manifest: Value = serde_json::from_slice(&std::fs::read(shared.join("corpus/MANIFEST.json")).unwrap()).unwrap();
    let mut compared = 0;
    for entry in manifest.as_array().unwrap() {
        let (Some(file), Some(expected)) = (entry["file"].as_str(), entry["animation_bytes"].as_u64()) else {
            continue;
        };
        let document = Document::open(shared.join("corpus").join(file)).unwrap();
        let found = read(&document).unwrap();
        let tracks = found.animations.iter().flat_map(|a| &a.tracks);
        let bytes = keyfold::inspect::animation_bytes(&document, tracks);
        // The manifest counts decompressed bytes, and also channels that cannot be read.
        if document.json()["extensionsUsed"].to_string().contains("compression") || !found.findings.is_empty() {
            continue;
        }
        assert_eq!(bytes as u64, expected, "{file}");
        compared += 1;
    }
    println!("{compared} files weigh what the manifest says");
    assert!(compared > 0);
}
