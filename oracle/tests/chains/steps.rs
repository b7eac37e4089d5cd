//! Random commands, as people would type them.

use keyfold::Storage;
use keyfold_oracle::Random;

/// A command, and what it may cost.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The command and its options, without input and output.
    pub(crate) words: Vec<String>,
    pub(crate) kind: Kind,
    /// How far anything may move, as a share of the model's size.
    pub(crate) bound: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The same animations within the bound.
    Faithful,
    /// The same, and no errors are left that have an obvious cure.
    Fix,
    /// The pose of a moment becomes the rest pose; animations stay as they are.
    Apply,
}

const BOUNDS: [(&str, f64); 3] = [("0.01%", 1e-4), ("0.1%", 1e-3), ("1%", 1e-2)];

/// A random command.
pub(crate) fn step(random: &mut Random) -> Step {
    match random.below(10) {
        0..=4 => convert(random),
        5 | 6 => bounded(random, "unpack", Vec::new()),
        7 | 8 => pack(random),
        _ if random.chance(60) => Step { words: words("validate --fix"), kind: Kind::Fix, bound: 1e-6 },
        _ => {
            let words = words(&format!("sample --time 0.{} --apply --keep-animations", random.below(8)));
            Step { words, kind: Kind::Apply, bound: 0.0 }
        }
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

fn bounded(random: &mut Random, command: &str, options: Vec<String>) -> Step {
    let (text, bound) = random.pick(&BOUNDS);
    let mut words = vec![command.to_owned(), "--max-error".to_owned(), text.to_owned()];
    words.extend(options);
    Step { words, kind: Kind::Faithful, bound }
}

fn storage(random: &mut Random) -> &'static str {
    random.pick(&Storage::ALL).name()
}

fn convert(random: &mut Random) -> Step {
    let mut options: Vec<String> = Vec::new();
    let mut say = |name: &str, value: &str| options.extend([format!("--{name}"), value.to_owned()]);
    let stored = random.chance(60).then(|| storage(random));
    stored.into_iter().for_each(|storage| say("storage", storage));
    let rotation = random.chance(30).then(|| random.pick(&["linear", "cubicspline", "cubicslerp"]));
    rotation.into_iter().for_each(|rotation| say("rotation", rotation));
    if random.chance(40) {
        say("targets", random.pick(&["core", "pointer", "animation2"]));
    }
    if random.chance(20) {
        say("weights", random.pick(&["split", "whole"]));
    }
    if (stored == Some("draco") || rotation.is_some()) && random.chance(40) {
        options.push("--fallback".to_owned());
    }
    if stored == Some("quantization") && random.chance(20) {
        options.push("--keep-rest".to_owned());
    }
    bounded(random, "convert", options)
}

fn pack(random: &mut Random) -> Step {
    let mut options = words(&format!("--storage {} --level fast", storage(random)));
    if random.chance(20) {
        options.push("--keep-rest".to_owned());
    }
    bounded(random, "pack", options)
}
