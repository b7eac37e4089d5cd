//! What streams take at the error that gltfpack leaves, small files first. Bytes are those of the animations and of their JSON after gzip.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use keyfold::pack::{Options, Packed, pack};
use keyfold::{Bound, Document, Storage};
use keyfold_oracle::corpus_files;

use crate::measure::{mean, rivals, stem};
use crate::pack::{GLTFPACK, is_skeletal, with_gltfpack};

/// How long files are packed in turns, at least once.
const TIME: Duration = Duration::from_secs(2);

/// What a stream takes as a share of gltfpack's bytes and of our own meshopt's, and its encoder's time as a share of meshopt's.
struct Row {
    gltfpack: f64,
    meshopt: f64,
    time: f64,
}

/// A row for each file of the corpus in which joints move joints.
pub(super) fn table() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("keyfold-bench-stream-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    println!(
        "goal: 0.50 of gltfpack's bytes, no file over 0.9; 0.74 of our meshopt's, whose time is taken 1.5 times at most\n"
    );
    println!("| file | gltfpack gz @ error | meshopt | stream | / gltfpack | / meshopt | time / meshopt's |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let mut files = corpus_files();
    files.sort_by_key(|file| fs::metadata(file).map_or(0, |data| data.len()));
    let rows = files.iter().filter_map(|file| row(file, &folder).transpose()).collect::<Result<Vec<Row>>>();
    let _ = fs::remove_dir_all(&folder);
    let rows = rows?;
    let column = |pick: fn(&Row) -> f64| mean(&rows.iter().map(pick).collect::<Vec<_>>());
    let (gltfpack, meshopt, time) = (column(|r| r.gltfpack), column(|r| r.meshopt), column(|r| r.time));
    println!("| geometric mean of {} | | | | {gltfpack:.3} | {meshopt:.3} | {time:.2} |", rows.len());
    Ok(())
}

fn row(file: &Path, folder: &Path) -> Result<Option<Row>> {
    let (name, document) = (stem(file), Document::open(file)?);
    if !is_skeletal(&document)? {
        return Ok(None);
    }
    let Ok(theirs) = with_gltfpack(file, folder, &document, &GLTFPACK) else { return Ok(None) };
    let packed = |storage| {
        let options = Options { storage, max_error: Bound::Length(theirs.error), ..Options::default() };
        pack(&document, &options)
    };
    let (meshopt, stream) = (packed(Storage::Meshopt)?, packed(Storage::Stream)?);
    ensure!([&meshopt, &stream].iter().all(|p| p.diff.error <= theirs.error), "{name}: the bound is broken");
    let [usual, time] = rivals(TIME, || packed(Storage::Meshopt), || packed(Storage::Stream));
    let bytes = |packed: &Packed| packed.gzip_bytes as f64;
    let gltfpack = bytes(&stream) / theirs.gzip as f64;
    let row = Row { gltfpack, meshopt: bytes(&stream) / bytes(&meshopt), time: time.seconds / usual.seconds };
    println!(
        "| {name} | {} @ {:.4} % | {} | {} | {gltfpack:.3} | {:.3} | {:.2} |",
        theirs.gzip,
        theirs.relative * 100.0,
        meshopt.gzip_bytes,
        stream.gzip_bytes,
        row.meshopt,
        row.time
    );
    Ok(Some(row))
}
