//! The Python package: a virtual environment in `target/python`, the wheel, its tests and type checks, and the README's example in an
//! environment that has nothing but the wheel.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::setup::Missing;
use crate::shell::{cargo, command, quiet, root, show, which};

/// What the tests need.
const REQUIREMENTS: &str = "python/tests/requirements.txt";

/// What type checkers read, beside the READMEs' examples.
const TYPED: [&str; 3] = ["keyfold", "tests", "bench"];
const EXAMPLES: &str = "target/python-examples";

/// Makes the environment; what keeps it from being made becomes a line among what is missing.
pub(crate) fn set_up(missing: &mut Missing) -> Option<Environment> {
    match Environment::new("target/python").and_then(Environment::with_requirements) {
        Ok(environment) => Some(environment),
        Err(error) => {
            missing.add("Python packages", &error);
            None
        }
    }
}

/// Everything that concerns the package.
pub(crate) fn test(environment: &Environment, full: bool) -> Result<()> {
    // Of the same packages as the other steps, hence with the same features: what these have built serves the program and the wheel, too.
    show(cargo(&["build", "--workspace", "--bin", "keyfold"]))?;
    let wheel = build(environment, "dev")?;
    environment.install(&["--force-reinstall", "--no-deps", &wheel])?;
    let mut pytest =
        environment.run(&["-m", "pytest", "-q", "python/tests", "--doctest-modules", "--pyargs", "keyfold"]);
    pytest.args(["--durations", "8"]).env("KEYFOLD_PROGRAM", program());
    if full {
        pytest.env("KEYFOLD_FULL", "1");
    }
    show(pytest)?;
    show(environment.run(&["python/tests/readme.py", EXAMPLES]))?;
    let (format, lint) = (&["-m", "ruff", "format", "--check"][..], &["-m", "ruff", "check"][..]);
    for checker in [format, lint, &["-m", "mypy", "--strict"], &["-m", "pyright"]] {
        let mut check = environment.run(&[checker, &TYPED].concat());
        check.arg(root().join(EXAMPLES)).current_dir(root().join("python"));
        show(check)?;
    }
    show(environment.run(&["-m", "mypy.stubtest", "keyfold._keyfold", "--ignore-disjoint-bases"]))?;
    let empty = Environment::anew("target/python-empty")?;
    empty.install(&[&wheel])?;
    show(empty.run(&["python/tests/readme.py"]))
}

/// What `cargo xtask bench` knows of the package: `python/bench/NAME.py`.
pub(crate) const BENCHMARKS: [&str; 2] = ["python-threads", "python-scale"];

/// Runs a benchmark on the wheel as it is released. Benchmarks make their files as the tests do.
pub(crate) fn bench(name: &str) -> Result<()> {
    let environment = Environment::new("target/python")?.with_requirements()?;
    let wheel = build(&environment, "release")?;
    environment.install(&["--force-reinstall", "--no-deps", &wheel])?;
    let script = format!("python/bench/{}.py", name.trim_start_matches("python-"));
    let mut command = environment.run(&[&script]);
    command.env("PYTHONPATH", root().join("python/tests"));
    show(command)
}

/// The program as the tests have built it.
fn program() -> PathBuf {
    root().join(format!("target/debug/keyfold{}", env::consts::EXE_SUFFIX))
}

/// Builds the wheel with a profile of cargo's, and tells where it is.
fn build(environment: &Environment, profile: &str) -> Result<String> {
    let folder = root().join("target/wheels");
    let _ = fs::remove_dir_all(&folder);
    let mut maturin = environment.run(&["-m", "maturin", "build", "--manifest-path", "python/Cargo.toml"]);
    maturin.args(["--profile", profile, "--out"]).arg(&folder);
    show(maturin)?;
    let wheel = fs::read_dir(&folder)?.next().context("maturin left no wheel")??.path();
    Ok(wheel.to_string_lossy().into_owned())
}

/// A virtual environment.
pub(crate) struct Environment(PathBuf);

impl Environment {
    fn new(folder: &str) -> Result<Self> {
        let environment = Self(root().join(folder));
        if !environment.python().is_file() {
            let python = ["python3", "python"].into_iter().find(|name| which(name).is_some());
            let python = python.context("there is no python3 here")?;
            quiet(command(python, &["-m", "venv", folder]))?;
        }
        Ok(environment)
    }

    fn anew(folder: &str) -> Result<Self> {
        let _ = fs::remove_dir_all(root().join(folder));
        Self::new(folder)
    }

    /// With the packages that the tests need. A copy of their list says that they are there.
    fn with_requirements(self) -> Result<Self> {
        let wanted = fs::read(root().join(REQUIREMENTS))?;
        let stamp = self.0.join("installed-requirements.txt");
        if !fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
            println!("installing Python packages into target/python");
            self.install(&["-r", REQUIREMENTS])?;
            fs::write(&stamp, wanted)?;
        }
        Ok(self)
    }

    fn install(&self, what: &[&str]) -> Result<()> {
        quiet(self.run(&[&["-m", "pip", "install", "--quiet", "--disable-pip-version-check"], what].concat()))
    }

    fn python(&self) -> PathBuf {
        self.0.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
    }

    /// Python in this environment, with its programs first in the path.
    fn run(&self, arguments: &[&str]) -> Command {
        let python = self.python();
        let mut command = command(&python.to_string_lossy(), arguments);
        let programs = python.parent().map(Path::to_path_buf).into_iter();
        let path = env::var_os("PATH").unwrap_or_default();
        if let Ok(path) = env::join_paths(programs.chain(env::split_paths(&path))) {
            command.env("PATH", path);
        }
        command.env("VIRTUAL_ENV", &self.0);
        command
    }
}
