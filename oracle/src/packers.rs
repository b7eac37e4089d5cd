//! Other programs that make glTF files smaller: gltfpack and glTF-Transform. Benchmarks compare with what they write.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::root;

/// Runs gltfpack: `input` to `output` with further arguments, for example `["-cz", "-af", "0"]`.
pub fn gltfpack(input: &Path, output: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = package_program("gltfpack");
    command.arg("-i").arg(input).arg("-o").arg(output).args(arguments);
    finish(command)
}

/// Runs a command of glTF-Transform, for example `meshopt` or `resample`, from `input` to `output`.
pub fn gltf_transform(command_name: &str, input: &Path, output: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = package_program("gltf-transform");
    command.arg(command_name).arg(input).arg(output).args(arguments);
    finish(command)
}

fn package_program(name: &str) -> Command {
    Command::new(root().join("oracle/node_modules/.bin").join(name))
}

fn finish(mut command: Command) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    ensure!(
        output.status.success(),
        "{:?} failed: {}",
        command.get_program(),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}
