//! Running other programs from the workspace's root.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The workspace's root folder.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// A command that will run in the workspace's root.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// The cargo that runs this program.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    command(&program, arguments)
}

/// Runs a command whose output is the reader's to see.
pub(crate) fn show(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| spelled(&command))?;
    ensure!(status.success(), "`{}` failed: {status}", spelled(&command));
    Ok(())
}

/// Runs a command whose result is what it prints.
pub(crate) fn output(mut command: Command) -> Result<Vec<u8>> {
    let output = command.stderr(Stdio::inherit()).output().with_context(|| spelled(&command))?;
    ensure!(output.status.success(), "`{}` failed: {}", spelled(&command), output.status);
    Ok(output.stdout)
}

/// Runs a command whose output matters only when it fails.
pub(crate) fn quiet(mut command: Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| spelled(&command))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    ensure!(output.status.success(), "`{}` failed: {}", spelled(&command), last.unwrap_or("it said nothing"));
    Ok(())
}

/// Where a program is found, if it is.
pub(crate) fn which(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The command as a reader would type it.
fn spelled(command: &Command) -> String {
    let program = Path::new(command.get_program());
    program
        .file_name()
        .into_iter()
        .chain(command.get_args())
        .map(|part| part.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
