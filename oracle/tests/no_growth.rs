//! `keyfold pack` on every file there is, in every storage: no output is larger than its input, files beside it counted in, nor than what `keyfold convert` makes of it; exit
//! codes are those that are promised; what is written keeps to the bound.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use keyfold::{Document, Storage, diff};
use keyfold_oracle::{corpus_files, gltf_files, is_full, note, sample_files, shared_dir};
use serde_json::Value;

/// What is small enough to be packed four times in every run.
const SMALL: u64 = 100_000;
/// Bytes by which whole files may differ after gzip where their animations, which are weighed, do not.
const GZIP_NOISE: u64 = 4;

/// The project's samples, the corpus and the fixtures, those that are broken on purpose too; the small ones unless in a full run.
fn files() -> Vec<PathBuf> {
    let shared = shared_dir().into_iter().flat_map(|shared| ["corpus", "fixtures"].map(|name| shared.join(name)));
    let files = sample_files().into_iter().chain(shared.flat_map(|folder| gltf_files(&folder)));
    files.filter(|file| is_full() || file.metadata().is_ok_and(|m| m.len() < SMALL)).collect()
}

fn keyfold(name: &str, input: &Path, output: &Path, storage: Storage) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keyfold-program"));
    command.arg(name).arg(input).arg("-o").arg(output).args(["--storage", storage.name()]);
    if name == "pack" {
        command.arg("--json");
    }
    command.output().unwrap()
}

/// What a document takes on the disk: its own bytes, and those of buffers that lie beside it.
fn weight(path: &Path) -> u64 {
    path.metadata().unwrap().len() + Document::open(path).unwrap().bytes_apart()
}

/// What a document takes after gzip, without the buffers beside it.
fn gzipped(path: &Path) -> u64 {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&std::fs::read(path).unwrap()).unwrap();
    encoder.finish().unwrap().len() as u64
}

#[test]
fn no_file_grows() {
    let (mut codes, mut before, mut after) = ([0; 3], 0, 0);
    for file in files() {
        for storage in Storage::ALL {
            let what = format!("{} {}", file.display(), storage.name());
            let folder = tempfile::tempdir().unwrap();
            let output = folder.path().join("out").with_extension(file.extension().unwrap());
            let run = keyfold("pack", &file, &output, storage);
            let said = String::from_utf8_lossy(&run.stderr);
            let code = run.status.code().unwrap_or(-1);
            assert!((0..=2).contains(&code) && !said.contains("panicked"), "{what}: exit code {code}, {said}");
            codes[code as usize] += 1;
            if code == 2 {
                assert!(!output.exists() && !said.is_empty(), "{what}: unreadable, yet written or not told");
                continue;
            }
            let (one, other) = (weight(&file), weight(&output));
            assert!(other <= one, "{what}: {one} became {other} bytes");
            (before, after) = (before + one, after + other);
            let report: Value = serde_json::from_slice(&run.stdout).unwrap();
            let told = &report["files"][0];
            assert_eq!((told["bytes"]["before"].as_u64(), told["bytes"]["after"].as_u64()), (Some(one), Some(other)));
            let found = diff(&Document::open(&file).unwrap(), &Document::open(&output).unwrap(), None).unwrap();
            let bound = told["error"]["bound"].as_f64().unwrap();
            assert!(found.error <= bound, "{what}: {} over {bound}", found.error);
            assert!(code == 1 || found.unmatched.is_empty(), "{what}: {:?}", found.unmatched);
        }
    }
    assert!(codes[0] >= 15, "{codes:?}");
    note(&format!("pack: {before} bytes became {after}, none grew; {codes:?} runs ended with 0, 1 and 2"));
}

#[test]
fn pack_is_no_larger_than_convert() {
    let (files, mut count) = (sample_files().into_iter().chain(corpus_files()), 0);
    for file in files.filter(|file| is_full() || file.metadata().is_ok_and(|m| m.len() < 2 * SMALL)) {
        for storage in Storage::ALL {
            let folder = tempfile::tempdir().unwrap();
            let output = |name: &str| folder.path().join(name).with_extension(file.extension().unwrap());
            let [packed, converted] = ["pack", "convert"].map(|name| {
                let done = keyfold(name, &file, &output(name), storage).status.code() == Some(0);
                done.then(|| (weight(&output(name)), gzipped(&output(name))))
            });
            let Some((packed, converted)) = packed.zip(converted) else { continue };
            let what = format!("{} {}: {packed:?} of {converted:?}", file.display(), storage.name());
            assert!(packed.0 <= converted.0 && packed.1 <= converted.1 + GZIP_NOISE, "{what}");
            count += 1;
        }
    }
    assert!(count >= 15, "{count} pairs");
    note(&format!("pack beside convert: {count} pairs"));
}
