//! `keyfold completions`: what a shell needs to know to complete the program's arguments.

use crate::{Outcome, command, output};
use anyhow::Result;
use clap_complete::Shell;

/// Print completions for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  keyfold completions bash > ~/.local/share/bash-completion/completions/keyfold
  keyfold completions zsh > ~/.zfunc/_keyfold
  keyfold completions fish > ~/.config/fish/completions/keyfold.fish")]
pub(crate) struct Args {
    /// Which shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "keyfold", &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Done)
}
