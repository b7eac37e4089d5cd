//! `cargo xtask assets`: the program's shell completions and manual pages, into `target/assets`.

use anyhow::Result;

use crate::shell::{cargo, show};

pub(crate) fn run() -> Result<()> {
    let example = ["run", "--quiet", "--package", "keyfold-cli", "--example", "assets", "--", "target/assets"];
    show(cargo(&example))
}
