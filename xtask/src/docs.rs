//! `cargo xtask docs`: writes the pages of `docs/` that are made from the source.
//!
//! The page is made by the test that checks it, so that this program needs none of the crates.

use anyhow::Result;

use crate::shell::{cargo, quiet};

pub(crate) fn run() -> Result<()> {
    let mut command = cargo(&["test", "--package", "keyfold-oracle", "--test", "codes_page"]);
    command.env("KEYFOLD_WRITE_DOCS", "1");
    quiet(command)?;
    println!("wrote docs/codes.md");
    Ok(())
}
