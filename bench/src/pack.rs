//! Packing, against gltfpack at its default bits without resampling: bytes after gzip at the error that gltfpack leaves, as our own
//! measure finds it, and processor time and memory of whole programs.
//!
//! Bytes are those of the animations and of their JSON (`keyfold::pack::weigh`), whoever wrote the file.

mod failures;
mod resources;

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use keyfold::pack::{STORAGES, Settings, pack, weigh};
use keyfold::{Bound, Document, diff};
use keyfold_oracle::{corpus_files, packers};

use crate::measure::{mean, stem};

/// gltfpack's strongest setting that keeps names, materials and extras, and neither resamples nor touches meshes.
const GLTFPACK: [&str; 7] = ["-cz", "-af", "0", "-kn", "-km", "-ke", "-noq"];
/// The bound at which core storage is held against float originals.
const TIGHT: Bound = Bound::Relative(0.0002);

pub(crate) fn run() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("keyfold-bench-pack-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let outcome = bytes(&folder).and_then(|()| failures::table(&folder)).and_then(|()| resources::table(&folder));
    let _ = fs::remove_dir_all(&folder);
    outcome
}

/// What a storage takes, as a share of gltfpack's bytes and of the float original's.
fn bytes(folder: &Path) -> Result<()> {
    let names: Vec<&str> = STORAGES.iter().map(|s| s.name()).collect();
    println!("| file | float gz | gltfpack gz @ error | {} | core @ 0.02 % / float |", names.join(" | "));
    println!("|---|--:|--:|{}--:|", "--:|".repeat(names.len()));
    let (mut ratios, mut tight, mut left) = (vec![Vec::new(); STORAGES.len()], Vec::new(), Vec::new());
    for file in corpus_files() {
        let (name, document) = (stem(&file), Document::open(&file)?);
        let float = weigh::gzip_bytes(&document)?;
        let theirs = match with_gltfpack(&file, folder, &document) {
            Ok(theirs) => theirs,
            Err(why) => {
                left.push(format!("{name} ({why:#})"));
                continue;
            }
        };
        let mut cells = Vec::new();
        for (storage, ratios) in STORAGES.into_iter().zip(&mut ratios) {
            let settings = Settings { storage, bound: Bound::Length(theirs.error), ..Settings::default() };
            let packed = pack(&document, &settings)?;
            ensure!(packed.diff.error <= theirs.error, "{name}: the bound is broken");
            ratios.push(packed.gzip_bytes as f64 / theirs.gzip as f64);
            cells.push(format!("{} ({:.2})", packed.gzip_bytes, packed.gzip_bytes as f64 / theirs.gzip as f64));
        }
        let core = pack(&document, &Settings { bound: TIGHT, ..Settings::default() })?;
        tight.push(core.gzip_bytes as f64 / float as f64);
        println!(
            "| {name} | {float} | {} @ {:.4} % | {} | {:.2} |",
            theirs.gzip,
            theirs.relative * 100.0,
            cells.join(" | "),
            core.gzip_bytes as f64 / float as f64
        );
    }
    let means: Vec<String> = ratios.iter().map(|r| format!("{:.3}", mean(r))).collect();
    println!("| geometric mean | | | {} | {:.3} |", means.join(" | "), mean(&tight));
    println!("\nleft out: {}", left.join("; "));
    Ok(())
}

/// What gltfpack makes of a file.
struct Theirs {
    gzip: usize,
    error: f64,
    relative: f64,
}

fn with_gltfpack(file: &Path, folder: &Path, document: &Document) -> Result<Theirs> {
    let output = folder.join("gltfpack.glb");
    packers::gltfpack(file, &output, &GLTFPACK)?;
    let packed = Document::open(&output)?;
    let found = diff(document, &packed, None)?;
    ensure!(packed.count("animations") == document.count("animations"), "gltfpack loses animations");
    ensure!(found.error > 0.0, "nothing moves points");
    ensure!(found.relative < 0.01, "gltfpack is {:.1} % off", found.relative * 100.0);
    let lost = found.unmatched.iter().filter(|what| what.starts_with("/nodes")).count();
    ensure!(lost == 0, "gltfpack loses {lost} animated nodes");
    Ok(Theirs { gzip: weigh::gzip_bytes(&packed)?, error: found.error, relative: found.relative })
}
