//! `cargo xtask docs`: writes what is made from the source: pages of `docs/`, and what the npm package knows of the object model.
//!
//! Each is made by the test that checks it, so that this program needs none of the crates.

use anyhow::Result;

use crate::shell::{cargo, quiet};

pub(crate) fn run() -> Result<()> {
    let mut command = cargo(&["test", "--package", "keyfold-oracle", "--test", "codes_page", "--test", "web_vectors"]);
    command.env("KEYFOLD_WRITE_DOCS", "1");
    quiet(command)?;
    println!("wrote docs/codes.md and web/keyfold/src/vectors.ts");
    Ok(())
}
