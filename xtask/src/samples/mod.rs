//! `cargo xtask samples`: writes the animated files in `samples/`, the same bytes on every machine.

mod conformance;
mod draco;
mod face;
mod figure;
mod gltf;
mod lamp;
mod machine;
mod pointer;
mod quantization;
mod shape;
mod sqlerp;
mod stream;

use std::fs;

use anyhow::{Context, Result};

use crate::shell::root;

/// A file of the project.
struct Sample {
    /// Where, from the project's root.
    path: String,
    bytes: Vec<u8>,
}

fn all() -> Vec<Sample> {
    let (lamp, lamp_bin) = lamp::lamp().text_and_bin("lamp.bin");
    let figures = [
        ("figure.glb", figure::figure().glb()),
        ("machine.glb", machine::machine().glb()),
        ("face.glb", face::face().glb()),
        ("lamp.gltf", lamp),
        ("lamp.bin", lamp_bin),
    ]
    .map(|(name, bytes)| Sample { path: format!("samples/{name}"), bytes });
    let sets = [quantization::all(), sqlerp::all(), pointer::all(), draco::all(), stream::all()];
    figures.into_iter().chain(sets.into_iter().flatten()).collect()
}

pub(crate) fn run() -> Result<()> {
    for Sample { path, bytes } in all() {
        let place = root().join(&path);
        let written = place.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&place, &bytes));
        written.with_context(|| format!("cannot write {path}"))?;
        println!("{path}: {} bytes", bytes.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Sample, all, fs, root};

    #[test]
    fn committed_samples_are_what_is_generated() {
        for sample in all() {
            let committed = fs::read(root().join(&sample.path)).unwrap_or_default();
            assert!(committed == sample.bytes, "{} is stale: run `cargo xtask samples`", sample.path);
        }
    }

    #[test]
    fn samples_stay_small() {
        let (sets, samples): (Vec<_>, Vec<_>) = all().into_iter().partition(|sample| !is_of_samples(&sample.path));
        let total = |files: &[Sample]| files.iter().map(|sample| sample.bytes.len()).sum::<usize>();
        assert!(total(&samples) < 1_000_000, "{} bytes of samples", total(&samples));
        assert!(total(&sets) < 2_000_000, "{} bytes of conformance sets and files for tests", total(&sets));
    }

    fn is_of_samples(path: &str) -> bool {
        path.starts_with("samples/") && !path.starts_with("samples/conformance/")
    }
}
