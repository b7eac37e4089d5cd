//! `cargo xtask hostile`: broken files through every command, in processes with limits. Built with checks of overflow on.

use anyhow::Result;

use crate::shell::{cargo, show};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many broken files
    #[arg(long, default_value_t = 1000)]
    count: u64,
    /// What they grow from: other seeds make other files
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many processes at a time
    #[arg(long, default_value_t = 2)]
    workers: u64,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--package", "keyfold-fuzz", "--example", "hostile", "--"]);
    for (name, number) in [("--count", options.count), ("--seed", options.seed), ("--workers", options.workers)] {
        command.arg(name).arg(number.to_string());
    }
    show(command)
}
