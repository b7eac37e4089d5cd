//! The program `keyfold`: arguments, one file per command, printing. No mathematics and no glTF: those are the library's.
//!
//! Each command is a file with its `Args` and a `run` that answers with an `Outcome`. stdout carries the result, stderr the rest.

mod batch;
mod clip;
mod completions;
mod convert;
mod diff;
mod files;
mod input;
mod inspect;
mod limits;
mod measure;
mod nodes;
mod output;
mod pack;
mod sample;
mod sizes;
mod storage;
mod turns;
mod unpack;
mod validate;
mod view;

use clap::{CommandFactory, Parser, Subcommand};
use output::Loudness;
use std::ffi::OsString;

/// Compresses glTF 2.0 animations within an error bound, and inspects, samples, converts and validates them
#[derive(Parser)]
#[command(name = "keyfold", version, max_term_width = 100, after_help = EXIT_CODES)]
// Also before the command's name: what is said there reaches the argument of the same name in `ReadArgs`.
#[command(arg = input::allow_outside().global(true))]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Commands find these in their own arguments.
    #[command(flatten)]
    _limits: limits::Global,
    /// Print only problems: no notes, no advice, no sizes
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = LAST)]
    quiet: bool,
    /// Print more: every finding by itself, and the time per file
    #[arg(short, long, global = true, display_order = LAST)]
    verbose: bool,
}

/// Behind a command's own options.
const LAST: usize = 900;

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  done, but something is wrong: something was left out, a bound is exceeded, a file is invalid
  2  bad usage or unreadable input

Start with `keyfold pack walk.glb`. Every command has --help with examples.";

#[derive(Subcommand)]
enum Command {
    Pack(pack::Args),
    Diff(diff::Args),
    Inspect(inspect::Args),
    Sample(sample::Args),
    Convert(convert::Args),
    Unpack(unpack::Args),
    Validate(validate::Args),
    View(view::Args),
    Clip(clip::Args),
    Completions(completions::Args),
}

/// How a command that ran to its end went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// All is well.
    Done,
    /// It is done, and something is wrong.
    Wrong,
}

impl Outcome {
    fn wrong_if(wrong: bool) -> Self {
        if wrong { Self::Wrong } else { Self::Done }
    }

    /// Wrong where either is.
    fn and(self, other: Self) -> Self {
        Self::wrong_if(self == Self::Wrong || other == Self::Wrong)
    }
}

/// The program's arguments as `clap` sees them: for completions and manual pages.
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program with arguments, the first of which is its own name; its exit code. Whoever calls it from another language has the
/// program: it reads files and standard input, and writes to standard output and standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no mistakes. Nothing can be done where even stderr is gone.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    output::speak(match (cli.quiet, cli.verbose) {
        (true, _) => Loudness::Quiet,
        (_, true) => Loudness::Verbose,
        _ => Loudness::Usual,
    });
    let outcome = match cli.command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Sample(args) => sample::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Unpack(args) => unpack::run(&args),
        Command::Clip(args) => clip::run(&args),
        Command::Pack(args) => pack::run(&args, &arguments),
        Command::Diff(args) => diff::run(&args),
        Command::Validate(args) => validate::run(&args),
        Command::View(args) => view::run(&args),
        Command::Completions(args) => completions::run(&args),
    };
    match outcome {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Wrong) => 1,
        Err(error) => {
            output::error(&limits::explained(&error));
            2
        }
    }
}
