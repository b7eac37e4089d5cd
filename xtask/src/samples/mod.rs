//! `cargo xtask samples`: writes the animated files in `samples/`, the same bytes on every machine.

mod face;
mod figure;
mod gltf;
mod lamp;
mod machine;
mod shape;

use std::fs;

use anyhow::{Context, Result};

use crate::shell::root;

/// A file of `samples/`.
struct Sample {
    name: &'static str,
    bytes: Vec<u8>,
}

fn all() -> Vec<Sample> {
    let (lamp, lamp_bin) = lamp::lamp().text_and_bin("lamp.bin");
    [
        ("figure.glb", figure::figure().glb()),
        ("machine.glb", machine::machine().glb()),
        ("face.glb", face::face().glb()),
        ("lamp.gltf", lamp),
        ("lamp.bin", lamp_bin),
    ]
    .map(|(name, bytes)| Sample { name, bytes })
    .into()
}

pub(crate) fn run() -> Result<()> {
    let folder = root().join("samples");
    fs::create_dir_all(&folder)?;
    for Sample { name, bytes } in all() {
        fs::write(folder.join(name), &bytes).with_context(|| format!("cannot write samples/{name}"))?;
        println!("samples/{name}: {} bytes", bytes.len());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{all, fs, root};

    #[test]
    fn committed_samples_are_what_is_generated() {
        for sample in all() {
            let committed = fs::read(root().join("samples").join(sample.name)).unwrap_or_default();
            assert!(committed == sample.bytes, "samples/{} is stale: run `cargo xtask samples`", sample.name);
        }
    }

    #[test]
    fn samples_stay_small() {
        let total: usize = all().iter().map(|sample| sample.bytes.len()).sum();
        assert!(total < 1_000_000, "{total} bytes of samples");
    }
}
