//! `cargo xtask bench NAME...`: the benchmarks of the `bench` crate, built with optimisation, and those of the Python package.

use anyhow::Result;

use crate::python;
use crate::shell::{cargo, show};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Names of benchmarks; none lists them
    names: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let (python, native): (Vec<&String>, Vec<&String>) =
        options.names.iter().partition(|name| python::BENCHMARKS.contains(&name.as_str()));
    if !native.is_empty() || python.is_empty() {
        let mut command = cargo(&["run", "--quiet", "--release", "--package", "keyfold-bench", "--"]);
        command.args(native);
        show(command)?;
    }
    if options.names.is_empty() {
        println!("{}", python::BENCHMARKS.join("\n"));
    }
    python.into_iter().try_for_each(|name| python::bench(name))
}
