//! Packing, against gltfpack at its default bits without resampling: bytes after gzip at the error that gltfpack leaves, as our own
//! measure finds it, and processor time and memory of whole programs.
//!
//! Bytes are those of the animations and of their JSON (`keyfold::pack::weigh`), whoever wrote the file.

mod failures;
mod resources;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use keyfold::pack::{Options, pack, weigh};
use keyfold::{Bound, Document, Scene, Storage, Unmatched, diff, read};
use keyfold_oracle::{corpus_files, packers};

use crate::measure::{mean, stem};

/// gltfpack's strongest setting that keeps names, materials and extras, and neither resamples nor touches meshes.
pub(crate) const GLTFPACK: [&str; 7] = ["-cz", "-af", "0", "-kn", "-km", "-ke", "-noq"];
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
    let names: Vec<&str> = Storage::ALL.iter().map(|s| s.name()).collect();
    println!("| file | float gz | gltfpack gz @ error | {} | core @ 0.02 % / float |", names.join(" | "));
    println!("|---|--:|--:|{}--:|", "--:|".repeat(names.len()));
    let (mut rows, mut left) = (Vec::new(), Vec::new());
    for file in corpus_files() {
        let (name, document) = (stem(&file), Document::open(&file)?);
        let float = weigh::weight(&document).gzip;
        let theirs = match with_gltfpack(&file, folder, &document, &GLTFPACK) {
            Ok(theirs) => theirs,
            Err(why) => {
                left.push(format!("{name} ({why:#})"));
                continue;
            }
        };
        let (mut cells, mut ratios) = (Vec::new(), Vec::new());
        for storage in Storage::ALL {
            let options = Options { storage, max_error: Bound::Length(theirs.error), ..Options::default() };
            let packed = pack(&document, &options)?;
            ensure!(packed.diff.error <= theirs.error, "{name}: the bound is broken");
            ratios.push(packed.gzip_bytes as f64 / theirs.gzip as f64);
            cells.push(format!("{} ({:.2})", packed.gzip_bytes, packed.gzip_bytes as f64 / theirs.gzip as f64));
        }
        let core = pack(&document, &Options { max_error: TIGHT, ..Options::default() })?;
        ratios.push(core.gzip_bytes as f64 / float as f64);
        println!(
            "| {name} | {float} | {} @ {:.4} % | {} | {:.2} |",
            theirs.gzip,
            theirs.relative * 100.0,
            cells.join(" | "),
            core.gzip_bytes as f64 / float as f64
        );
        rows.push((is_skeletal(&document)?, ratios));
    }
    means("geometric mean, all", rows.iter().map(|(_, ratios)| ratios));
    means("geometric mean, skeletal", rows.iter().filter(|(skeletal, _)| *skeletal).map(|(_, ratios)| ratios));
    println!("\nleft out: {}", left.join("; "));
    Ok(())
}

fn means<'a>(name: &str, rows: impl Iterator<Item = &'a Vec<f64>>) {
    let rows: Vec<&Vec<f64>> = rows.collect();
    let column = |c: usize| rows.iter().map(|row| row[c]).collect::<Vec<_>>();
    let means: Vec<String> = (0..=Storage::ALL.len()).map(|c| format!("{:.3}", mean(&column(c)))).collect();
    println!("| {name} ({}) | | | {} |", rows.len(), means.join(" | "));
}

/// Whether some animation moves a node and another one above it: what makes a skeleton.
pub(crate) fn is_skeletal(document: &Document) -> Result<bool> {
    let animations = read(document)?.animations;
    let scene = Scene::new(document, &animations, None)?;
    Ok(animations.iter().any(|animation| {
        let moved: BTreeSet<usize> = animation.tracks.iter().filter_map(|t| t.target.moved_node()).collect();
        moved.iter().any(|node| {
            std::iter::successors(scene.skeleton().parent(*node), |n| scene.skeleton().parent(*n))
                .any(|n| moved.contains(&n))
        })
    }))
}

/// What gltfpack makes of a file.
pub(crate) struct Theirs {
    pub(crate) gzip: usize,
    pub(crate) error: f64,
    pub(crate) relative: f64,
}

/// What gltfpack makes of a file with these arguments; an error where its animations are not the same any more.
pub(crate) fn with_gltfpack(file: &Path, folder: &Path, document: &Document, arguments: &[&str]) -> Result<Theirs> {
    let output = folder.join("gltfpack.glb");
    // It goes by the name: a `.vrma` is a GLB.
    let known = file.extension().is_some_and(|e| e == "glb" || e == "gltf");
    let input = if known { file.to_path_buf() } else { folder.join("input.glb") };
    if !known {
        fs::copy(file, &input)?;
    }
    packers::gltfpack(&input, &output, arguments)?;
    let packed = Document::open(&output)?;
    let found = diff(document, &packed, None)?;
    ensure!(packed.count("animations") == document.count("animations"), "gltfpack loses animations");
    ensure!(found.error > 0.0, "nothing moves points");
    ensure!(found.relative < 0.01, "gltfpack is {:.1} % off", found.relative * 100.0);
    let lost = found.unmatched.iter().filter(|what| matches!(what, Unmatched::Node { .. })).count();
    ensure!(lost == 0, "gltfpack loses {lost} animated nodes");
    Ok(Theirs { gzip: weigh::weight(&packed).gzip, error: found.error, relative: found.relative })
}
