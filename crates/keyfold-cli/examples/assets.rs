//! Writes the program's shell completions and manual pages into a folder: `cargo xtask assets`.

use std::path::PathBuf;
use std::{env, fs, io};

use clap::ValueEnum;
use clap_complete::{Shell, generate_to};

fn main() -> io::Result<()> {
    let folder = PathBuf::from(env::args_os().nth(1).unwrap_or_else(|| ".".into()));
    let [completions, man] = ["completions", "man"].map(|name| folder.join(name));
    fs::create_dir_all(&completions)?;
    fs::create_dir_all(&man)?;
    for &shell in Shell::value_variants() {
        let file = generate_to(shell, &mut keyfold_cli::command(), "keyfold", &completions)?;
        println!("{}", file.display());
    }
    clap_mangen::generate_to(keyfold_cli::command(), &man)?;
    println!("{}/*.1", man.display());
    Ok(())
}
