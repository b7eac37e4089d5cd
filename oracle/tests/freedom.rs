//! What `pack` says of other storages, held against what it then makes of them; and that more freedom costs no bytes: neither a looser bound nor a higher level.

use std::path::PathBuf;

use keyfold::pack::{Level, Options, estimates, pack};
use keyfold::{Bound, Document, Storage};
use keyfold_oracle::{corpus_files, is_full, note, root};

/// What is small enough to be packed many times in every run.
const SMALL_FILE: u64 = 110_000;
/// How far an estimate may be off, in percent, and what more freedom may cost.
const NEAR: f64 = 15.0;
const GROWTH: f64 = 1.005;
/// Bytes that a short file may grow by all the same: what gzip makes of it does not follow its freedom so closely.
const FEW: f64 = 16.0;
const BOUNDS: [f64; 6] = [1e-4, 2e-4, 5e-4, 1e-3, 5e-3, 1e-2];
/// Files of the corpus that bounds and levels are tried on: short and long, with splines and with pointers.
const SERIES: [&str; 8] = [
    "aframe_left_hand",
    "animated_colors_cube",
    "cesium_man",
    "chatvrm_idle_loop",
    "cmu_02_03_run",
    "fox",
    "kenney_character",
    "whack_a_mole",
];

/// Samples and the corpus, the small files unless in a full run.
fn files() -> Vec<PathBuf> {
    let samples = ["machine", "face", "figure"].map(|name| root().join("samples").join(name).with_extension("glb"));
    let small = |file: &PathBuf| is_full() || file.metadata().is_ok_and(|m| m.len() < SMALL_FILE);
    samples.into_iter().chain(corpus_files().into_iter().filter(small)).collect()
}

fn stem(file: &std::path::Path) -> String {
    file.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

#[test]
fn estimates_are_near() {
    let (mut worst, mut count) = (0.0f64, 0);
    note("file, then for each storage what gzip and animation bytes of the estimate are off");
    for file in files() {
        let (document, options) = (Document::open(&file).unwrap(), Options::default());
        let mut row = format!("{}:", stem(&file));
        let packed = pack(&document, &options).unwrap();
        for about in estimates(&document, &options, &packed, &Storage::ALL, &()).unwrap() {
            let real = pack(&document, &Options { storage: about.storage, ..options.clone() }).unwrap();
            let off = |about: u64, real: u64| 100.0 * (about as f64 / real as f64 - 1.0);
            let gzip = off(about.gzip_bytes as u64, real.gzip_bytes as u64);
            let raw = off(about.animation_bytes, keyfold::inspect::document_bytes(&real.document));
            row += &format!(" {} {gzip:+.1} % {raw:+.1} %", about.storage);
            worst = worst.max(gzip.abs());
            count += 1;
        }
        note(&row);
    }
    assert!(count >= 15 && worst <= NEAR, "{worst} % of {count}");
}

#[test]
fn more_freedom_costs_no_bytes() {
    let mut count = 0;
    for file in files().into_iter().filter(|file| SERIES.contains(&stem(file).as_str()) || stem(file) == "machine") {
        for storage in Storage::ALL {
            let bytes = |bound: f64, level: Level| {
                // Work adds up for a document, and this is a lot of it.
                let document = Document::open(&file).unwrap();
                let options = Options { storage, max_error: Bound::Relative(bound), level, ..Options::default() };
                pack(&document, &options).unwrap().gzip_bytes
            };
            let bounds = BOUNDS.map(|bound| bytes(bound, Level::Default));
            let levels = [Level::Fast, Level::Default, Level::Max].map(|level| bytes(BOUNDS[2], level));
            note(&format!("{} {storage}: bounds {bounds:?}, levels {levels:?}", stem(&file)));
            for series in [&bounds[..], &levels] {
                let mut least = f64::INFINITY;
                for bytes in series.iter().map(|bytes| *bytes as f64) {
                    least = least.min(bytes);
                    assert!(bytes <= GROWTH * least + FEW, "{} {storage}: {series:?}", stem(&file));
                }
            }
            count += 1;
        }
    }
    assert!(count >= 5, "{count} series");
}
