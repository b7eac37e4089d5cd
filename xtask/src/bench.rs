//! `cargo xtask bench NAME...`: the benchmarks of the `bench` crate, built with optimisation.

use anyhow::Result;

use crate::shell::{cargo, show};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Names of benchmarks; none lists them
    names: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "keyfold-bench", "--"]);
    command.args(&options.names);
    show(command)
}
