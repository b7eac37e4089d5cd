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

/// One step's name, what became of it and how long it took.
struct Outcome(&'static str, Result<()>, Duration);

pub(crate) fn run(options: &Options) -> Result<()> {
    println!("== set-up");
    let mut missing = setup::run()?;
    let environment = python::set_up(&mut missing);
    let has_web = web::set_up(&mut missing);
    missing.print();

    let mut outcomes: Vec<Outcome> =
        STEPS.into_iter().map(|(name, arguments)| step(name, || show(checked(arguments, options)))).collect();
    outcomes.extend(environment.map(|environment| step("Python package", || python::test(&environment))));
    outcomes.extend(has_web.then(|| step("npm package", web::test)));

    println!("\n== summary");
    for Outcome(name, result, took) in &outcomes {
        let said = match result {
            Ok(()) => "ok".to_owned(),
            Err(error) => format!("FAILED: {error:#}"),
        };
        println!("{name:<30} {:>5.0} s  {said}", took.as_secs_f64());
    }
    missing.print();
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
