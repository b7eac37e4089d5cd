//! Packing to meshopt at one error for all files, against gltfpack's rate curve: the fewest bytes that any of its bits for rotations and translations take at
//! that error, read off between neighbours of the curve in logarithms. gltfpack writes KHR_meshopt_compression here; ours is held against it as what most loaders know
//! (EXT_meshopt_compression), and as the same.

use std::fs;
use std::path::Path;

use anyhow::Result;
use keyfold::pack::{Options, pack};
use keyfold::write::MeshoptVersion;
use keyfold::{Bound, Document, Storage};
use keyfold_oracle::corpus_files;

use crate::measure::{mean, stem};
use crate::pack::{GLTFPACK, Theirs, is_skeletal, with_gltfpack};

/// The error, as a share of the model's size.
const ERROR: f64 = 0.0002;
/// Bits of rotations and of translations that gltfpack is asked for.
const ROTATION: [&str; 9] = ["8", "9", "10", "11", "12", "13", "14", "15", "16"];
const TRANSLATION: [&str; 5] = ["12", "14", "16", "18", "20"];

pub(crate) fn run() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("keyfold-bench-rate-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    println!("goal: 0.75 of gltfpack's bytes at {} %, no file over 0.88\n", ERROR * 100.0);
    println!("| file | gltfpack gz | EXT gz | ratio | KHR gz | ratio |\n|---|--:|--:|--:|--:|--:|");
    let rows = corpus_files().iter().filter_map(|file| row(file, &folder).transpose()).collect::<Result<Vec<_>>>();
    let _ = fs::remove_dir_all(&folder);
    let rows = rows?;
    let [ext, khr] = [0, 1].map(|version| mean(&rows.iter().map(|row| row[version]).collect::<Vec<f64>>()));
    println!("| geometric mean of {} | | | {ext:.3} | | {khr:.3} |", rows.len());
    Ok(())
}

/// The ratios of a file in which joints move joints, by version of the extension; nothing where gltfpack has no setting on either side of the error.
fn row(file: &Path, folder: &Path) -> Result<Option<[f64; 2]>> {
    let (name, document) = (stem(file), Document::open(file)?);
    if !is_skeletal(&document)? {
        return Ok(None);
    }
    let settings = ROTATION.iter().flat_map(|rotation| TRANSLATION.map(|translation| (*rotation, translation)));
    let run = |(rotation, translation)| {
        let bits = ["-ar", rotation, "-at", translation];
        with_gltfpack(file, folder, &document, &[&GLTFPACK[..], &bits].concat()).ok()
    };
    let Some(theirs) = at_error(settings.filter_map(run).collect()) else { return Ok(None) };
    let ours = |meshopt: MeshoptVersion| {
        let (storage, bound) = (Storage::Meshopt, Bound::Relative(ERROR));
        pack(&document, &Options { storage, meshopt, max_error: bound, ..Options::default() })
            .map(|ours| ours.gzip_bytes as f64)
    };
    let (ext, khr) = (ours(MeshoptVersion::Ext)?, ours(MeshoptVersion::Khr)?);
    let ratios = [ext, khr].map(|bytes| bytes / theirs);
    println!("| {name} | {theirs:.0} | {ext:.0} | {:.2} | {khr:.0} | {:.2} |", ratios[0], ratios[1]);
    Ok(Some(ratios))
}

/// The bytes of a rate curve at the error.
fn at_error(mut runs: Vec<Theirs>) -> Option<f64> {
    runs.sort_by(|a, b| a.relative.total_cmp(&b.relative));
    // Of runs that are as near, only those count that take fewer bytes than any nearer one.
    let mut least = usize::MAX;
    runs.retain(|run| {
        let is_less = run.gzip < least;
        least = least.min(run.gzip);
        is_less
    });
    let after = runs.partition_point(|run| run.relative <= ERROR);
    let (near, far) = (runs.get(after.checked_sub(1)?)?, runs.get(after)?);
    let share = (ERROR / near.relative).ln() / (far.relative / near.relative).ln();
    let [near, far] = [near, far].map(|run| (run.gzip as f64).ln());
    Some((near + (far - near) * share).exp())
}
