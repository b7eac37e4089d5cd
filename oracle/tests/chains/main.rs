//! Chains of commands over random documents: each result is opened from disk, keeps the rules, and lies no farther from the first
//! document than all bounds on the way together; what nobody understands is in it letter by letter. 2,000 chains in every run, 20,000 of others with `cargo xtask test --full`.

mod documents;
mod steps;
mod strange;

use documents::{Form, make};
use keyfold::{Diff, Document, Severity, diff, read, validate};
use keyfold_oracle::{Random, is_full, note};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use steps::{Kind, Step, step};

/// What moves no points may be off by this share of its range in each step.
const PROPERTY_BOUND: f64 = 0.001;
/// What floats lose when a curve is written in another form.
const ROUNDING: f64 = 1e-6;

#[test]
fn no_chain_of_commands_loses_anything() {
    let (count, seed) = if is_full() { (20_000, 1_000_000) } else { (2_000, 0) };
    let (next, steps, failures) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for number in std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|n| *n < count)
                {
                    let mut chain = Chain::new(seed + number as u64);
                    let result = chain.run();
                    steps.fetch_add(chain.told.len(), Ordering::Relaxed);
                    if let Err(why) = result {
                        let failure = format!("chain {}: {}\n  {why}", seed + number as u64, chain.told.join("\n    "));
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    note(&format!("{count} chains of {} commands: {} failed", steps.into_inner(), failures.len()));
    assert!(failures.is_empty(), "{}", failures.iter().take(12).cloned().collect::<Vec<_>>().join("\n"));
}

/// One chain.
struct Chain {
    random: Random,
    folder: tempfile::TempDir,
    /// What was done, for whoever has to find out why.
    told: Vec<String>,
}

/// What results are held against.
struct Reference {
    document: Document,
    /// The sum of all bounds since.
    bound: f64,
    property_bound: f64,
}

impl Chain {
    fn new(seed: u64) -> Self {
        Self { random: Random(seed), folder: tempfile::tempdir().unwrap(), told: Vec::new() }
    }

    fn run(&mut self) -> Result<(), String> {
        let (mut current, form) = make(&mut self.random, self.folder.path());
        self.told.push(format!("{form:?}"));
        let mut reference = Reference { document: open(&current)?, bound: ROUNDING, property_bound: ROUNDING };
        let neighbour = self.folder.path().join("neighbour.gltf");
        let beside = (form == Form::SharedFile).then(|| open(&neighbour)).transpose()?;
        for _ in 0..1 + self.random.below(4) {
            let step = step(&mut self.random);
            let output = self.output(&step, &current);
            let (known, kept) = (errors(&open(&current)?), strange::counted(&current));
            self.execute(&step, &current, &output)?;
            let result = open(&output)?;
            let new: Vec<String> = errors(&result).difference(&known).cloned().collect();
            if !new.is_empty() {
                return Err(format!("new errors: {new:?}"));
            }
            let after = strange::counted(&output);
            if after != kept {
                return Err(format!("what nobody understands is there {after:?} times, and was {kept:?}"));
            }
            reference = reference.hold(&step, open(&current)?, result)?;
            if let Some(before) = &beside {
                unchanged(before, &open(&neighbour)?)?;
            }
            current = output;
        }
        Ok(())
    }

    /// Where a result goes: a place of its own, one that was written before, or the input's own.
    fn output(&mut self, step: &Step, input: &Path) -> PathBuf {
        if step.kind == Kind::Fix && self.random.chance(50) {
            return input.to_path_buf();
        }
        let folder =
            if self.random.chance(30) { self.folder.path().join("sub") } else { self.folder.path().to_owned() };
        let names = ["a.glb", "b.glb", "a.gltf", "b.gltf"].map(|name| folder.join(name));
        let free: Vec<PathBuf> = names.into_iter().filter(|name| name != input).collect();
        free[self.random.below(free.len())].clone()
    }

    fn execute(&mut self, step: &Step, input: &Path, output: &Path) -> Result<(), String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_keyfold-program"));
        command.current_dir(self.folder.path()).env("RAYON_NUM_THREADS", "1");
        command.arg(&step.words[0]).arg(input).args(&step.words[1..]);
        // What goes to standard output is put where it can be found again: beside the input, whose files it names.
        let beside = input.parent() == output.parent() && self.random.chance(15);
        let place =
            if input == output { vec!["--in-place".into()] } else { vec!["-o".into(), output.as_os_str().to_owned()] };
        if beside && input != output && input.extension() == output.extension() {
            command.args(["-o", "-"]);
        } else {
            command.args(place);
        }
        let told =
            command.get_args().map(|word| word.to_string_lossy().replace(&*self.folder.path().to_string_lossy(), ""));
        self.told.push(told.collect::<Vec<_>>().join(" "));
        let run = command.output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        let code = run.status.code().unwrap_or(-1);
        if !(0..=1).contains(&code) || said.contains("that is more than") || said.contains("of its range off") {
            return Err(format!("exit code {code}: {said}"));
        }
        if command.get_args().any(|word| word == "-") {
            fs::write(output, run.stdout).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

impl Reference {
    /// Holds a result against what it should be; what the next one is held against.
    fn hold(self, step: &Step, before: Document, result: Document) -> Result<Self, String> {
        if step.kind == Kind::Apply {
            let tracks = |document: &Document| {
                let animations = read(document).map(|read| read.animations).unwrap_or_default();
                animations.into_iter().flat_map(|a| a.tracks).map(|t| (t.target, t.curve)).collect::<Vec<_>>()
            };
            return match tracks(&before) == tracks(&result) {
                true => Ok(Self { document: result, bound: ROUNDING, property_bound: ROUNDING }),
                false => Err("the animations are other ones".into()),
            };
        }
        if step.kind == Kind::Fix && validate::fix(&result).is_ok_and(|fixed| fixed.is_some()) {
            return Err("what was fixed can be fixed again".into());
        }
        let (bound, property_bound) = (self.bound + step.bound, self.property_bound + PROPERTY_BOUND);
        let found = diff(&self.document, &result, None).map_err(|error| error.to_string())?;
        let properties = found.animations.iter().map(|a| a.properties.max).fold(0.0, f64::max);
        if found.error > bound * found.model_size || properties > property_bound || !found.unmatched.is_empty() {
            return Err(far(&found, bound));
        }
        Ok(Self { bound, property_bound, ..self })
    }
}

fn far(found: &Diff, bound: f64) -> String {
    let Diff { error, model_size, unmatched, .. } = found;
    let properties: Vec<_> = found.animations.iter().map(|a| &a.properties).collect();
    format!("{error} off where {} is allowed; {properties:?}; {unmatched:?}", bound * model_size)
}

fn open(path: &Path) -> Result<Document, String> {
    let document = Document::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for index in 0..document.count("accessors") {
        document.floats(index).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(document)
}

/// The codes of all errors in a document.
fn errors(document: &Document) -> BTreeSet<String> {
    let findings = validate::validate(document).into_iter().filter(|finding| finding.severity == Severity::Error);
    findings.map(|finding| finding.code.to_owned()).collect()
}

/// Whether a document that nobody asked to change is what it was.
fn unchanged(before: &Document, after: &Document) -> Result<(), String> {
    let bytes = |document: &Document| -> Vec<_> {
        (0..document.count("buffers")).map(|index| document.buffer(index).ok().map(|bytes| bytes.to_vec())).collect()
    };
    match before.json() == after.json() && bytes(before) == bytes(after) {
        true => Ok(()),
        false => Err("a document that shares a file was changed".into()),
    }
}
