//! Keyfold's chores: `cargo xtask COMMAND`, one file per command.

mod assets;
mod bench;
mod docs;
mod hostile;
mod python;
mod samples;
mod setup;
mod shell;
mod test;
mod wasm_target;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Keyfold's chores")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install what the tests need: Debian packages and npm packages
    Setup,
    /// Set up, then run every check and every test
    Test(test::Options),
    /// Write the animated files in `samples/`
    Samples,
    /// Write the program's shell completions and manual pages into `target/assets`
    Assets,
    /// Write the pages of `docs/` that are made from the source
    Docs,
    /// Build the npm package in `web/keyfold` and the page in `web/app`
    Web,
    /// Put broken files through every command, under limits of memory and time
    Hostile(hostile::Options),
    /// Run benchmarks by name; without a name, list them
    Bench(bench::Options),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Setup => setup::run().map(|missing| missing.print()),
        Command::Test(options) => test::run(&options),
        Command::Samples => samples::run(),
        Command::Assets => assets::run(),
        Command::Docs => docs::run(),
        Command::Web => web::run(),
        Command::Hostile(options) => hostile::run(&options),
        Command::Bench(options) => bench::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
