//! `cargo xtask bench NAME...`: the benchmarks of the `bench` crate, built with optimisation, and those of the Python and the npm package.

use anyhow::Result;

use crate::shell::{cargo, show};
use crate::{python, web};

/// The benchmark that also says how large a module is.
const STREAM: &str = "stream";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Names of benchmarks; none lists them
    names: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let (web, others): (Vec<&String>, Vec<&String>) = options.names.iter().partition(|name| *name == web::BENCHMARK);
    let (python, native): (Vec<&String>, Vec<&String>) =
        others.into_iter().partition(|name| python::BENCHMARKS.contains(&name.as_str()));
    if !native.is_empty() || options.names.is_empty() {
        let mut command = cargo(&["run", "--quiet", "--release", "--package", "keyfold-bench", "--"]);
        command.args(native);
        show(command)?;
    }
    if options.names.iter().any(|name| name == STREAM) {
        web::stream_module()?;
    }
    if options.names.is_empty() {
        println!("{}\n{}", python::BENCHMARKS.join("\n"), web::BENCHMARK);
    }
    web.into_iter().try_for_each(|_| web::bench())?;
    python.into_iter().try_for_each(|name| python::bench(name))
}
