//! Quantizing every animated file of the shared corpus: bytes, errors, and which forms were chosen.

use keyfold::{
    Document, Targets, kept,
    quantization::{Options, Path, quantize},
};
use std::{collections::BTreeMap, path::PathBuf};

fn corpus() -> Vec<PathBuf> {
    let Some(shared) = keyfold_oracle::shared_dir() else { return keyfold_oracle::sample_files() };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(shared.join("corpus")).unwrap().map(|e| e.unwrap().path()).collect();
    let inside = |folder: &PathBuf| std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    let folders: Vec<PathBuf> = files.iter().filter(|f| f.is_dir() && !f.ends_with("invalid")).cloned().collect();
    files.extend(folders.iter().flat_map(inside));
    files.retain(|f| f.extension().is_some_and(|e| ["glb", "gltf", "vrma"].iter().any(|known| e == *known)));
    files.sort();
    files
}

/// Bytes that animations take up in the buffers.
fn bytes(document: &Document) -> usize {
    let read = keyfold::read(document).unwrap();
    keyfold::inspect::animation_bytes(document, read.animations.iter().flat_map(|a| &a.tracks))
}

/// Bytes that plain floats would take up.
fn float_bytes(document: &Document) -> usize {
    bytes(&keyfold::unpack(document, keyfold::Bound::default()).unwrap().document)
}

/// How often each row of the extension's table stands in a document.
fn count_forms(document: &Document, forms: &mut BTreeMap<String, usize>) {
    for animation in document.json()["animations"].as_array().into_iter().flatten() {
        for channel in animation["channels"].as_array().into_iter().flatten() {
            let Some(path) = channel["target"]["path"].as_str().and_then(Path::from_name) else { continue };
            let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
            let mut add = |what: String, index: &serde_json::Value| {
                let accessor = document.accessor(index.as_u64().unwrap() as usize).unwrap();
                let normalized = if accessor.normalized { " normalized" } else { "" };
                let name = format!("{what} {} {:?}{normalized}", accessor.shape.name(), accessor.component);
                *forms.entry(name).or_default() += 1;
            };
            add(path.to_string(), &sampler["output"]);
            add("time".into(), &sampler["input"]);
        }
    }
}

#[test]
fn every_skeletal_file_shrinks_within_the_bound() {
    let (mut ratios, mut forms) = (Vec::new(), BTreeMap::new());
    println!(
        "{:<45} {:>9} {:>9} {:>6} {:>10} {:>9} {:>9}",
        "file", "floats", "after", "ratio", "error", "file", "after"
    );
    for path in corpus() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let document = Document::open(&path).unwrap();
        let read = keyfold::read(&document).unwrap();
        // The extension has no form for what is addressed by pointer.
        let mut moving = read.animations.iter().flat_map(|a| &a.tracks).filter(|t| t.target.moved_node().is_some());
        let by_pointer = |t: &keyfold::Track| t.source.targets != Targets::Core;
        if moving.next().is_none_or(by_pointer) || moving.any(by_pointer) {
            continue;
        }
        let quantized = quantize(&document, keyfold::Bound::default(), &Options::default()).unwrap().document;
        let kept = kept(&document, &quantized, keyfold::Bound::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (before_file, after_file) = (folder.path().join("a.glb"), folder.path().join("b.glb"));
        document.save(&before_file).unwrap();
        quantized.save(&after_file).unwrap();
        let size = |p: &PathBuf| std::fs::metadata(p).unwrap().len();
        let (before, after) = (float_bytes(&document), bytes(&quantized));
        assert!(kept.broken.is_empty(), "{name}: {:?}", kept.broken);
        assert!(after <= before, "{name}: {before} -> {after}");
        // One key is held throughout: the numbers of a grid would take more than it does.
        if read.animations.iter().flat_map(|a| &a.tracks).all(|track| track.curve.keys() == 1) {
            continue;
        }
        let ratio = after as f64 / before as f64;
        println!(
            "{name:<45} {before:>9} {after:>9} {ratio:>6.3} {:>9.5}% {:>9} {:>9}",
            kept.diff.relative * 100.0,
            size(&before_file),
            size(&after_file)
        );
        count_forms(&quantized, &mut forms);
        ratios.push((ratio, name));
    }
    forms.iter().for_each(|(form, count)| println!("{count:>6} {form}"));
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(ratios.len() >= 2, "{ratios:?}");
    let (median, _) = &ratios[ratios.len() / 2];
    println!("median {median:.3}, worst {:?}", ratios.last());
    assert!(*median < 0.5 && ratios.iter().all(|(ratio, _)| *ratio <= 0.6), "{ratios:?}");
}
