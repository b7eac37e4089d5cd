//! `cargo xtask test`: everything that must hold before a change lands, step by step.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::shell::{cargo, show};
use crate::{python, setup, web};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also run what takes long: more fuzzing, more times, more files
    #[arg(long)]
    full: bool,
    /// Only what a change needs while it is written: format, lints and unit tests, without peers
    #[arg(long, conflicts_with = "full")]
    quick: bool,
}

/// The checks, the quick ones first. All tests are of one build: the same packages, hence the same features.
const STEPS: [(&str, &[&str]); 6] = [
    ("format", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("docs", &["doc", "--workspace", "--no-deps"]),
    ("unit tests", &["test", "--workspace", "--no-fail-fast", "--lib", "--bins"]),
    ("golden, oracle and fuzz tests", &["test", "--workspace", "--no-fail-fast", "--test", "*"]),
    ("doc tests", &["test", "--workspace", "--doc"]),
];

/// The checks of `--quick`: of what is published, without peers, and without the wasm and Python packages.
const QUICK: [(&str, &[&str]); 3] = [
    ("format", &["fmt", "--all", "--check"]),
    (
        "lints",
        &[
            "clippy",
            "-p",
            "keyfold",
            "-p",
            "keyfold-core",
            "-p",
            "keyfold-cli",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ],
    ),
    (
        "unit tests",
        &["test", "-p", "keyfold", "-p", "keyfold-core", "-p", "keyfold-cli", "--no-fail-fast", "--lib", "--bins"],
    ),
];

/// One step's name, what became of it and how long it took.
struct Outcome(&'static str, Result<()>, Duration);

pub(crate) fn run(options: &Options) -> Result<()> {
    if options.quick {
        return summary(&all(&QUICK, options));
    }
    println!("== set-up");
    let mut missing = setup::run()?;
    let environment = python::set_up(&mut missing);
    let has_web = web::set_up(&mut missing);
    missing.print();

    let mut outcomes = all(&STEPS, options);
    outcomes.extend(environment.map(|environment| step("Python package", || python::test(&environment, options.full))));
    outcomes.extend(has_web.then(|| step("npm package", || web::test(options.full))));

    let done = summary(&outcomes);
    missing.print();
    done
}

/// Runs steps that are commands of cargo.
fn all(steps: &[(&'static str, &[&str])], options: &Options) -> Vec<Outcome> {
    steps.iter().map(|(name, arguments)| step(name, || show(checked(arguments, options)))).collect()
}

fn summary(outcomes: &[Outcome]) -> Result<()> {
    println!("\n== summary");
    for Outcome(name, result, took) in outcomes {
        let said = match result {
            Ok(()) => "ok".to_owned(),
            Err(error) => format!("FAILED: {error:#}"),
        };
        println!("{name:<30} {:>5.0} s  {said}", took.as_secs_f64());
    }
    let failed = outcomes.iter().filter(|outcome| outcome.1.is_err()).count();
    ensure!(failed == 0, "{failed} of {} steps failed", outcomes.len());
    Ok(())
}

fn checked(arguments: &[&str], options: &Options) -> Command {
    let mut command = cargo(arguments);
    command.env("RUSTDOCFLAGS", "-D warnings");
    if options.full {
        command.env("KEYFOLD_FULL", "1");
    }
    command
}

fn step(name: &'static str, run: impl FnOnce() -> Result<()>) -> Outcome {
    println!("\n== {name}");
    let started = Instant::now();
    let result = run();
    Outcome(name, result, started.elapsed())
}
