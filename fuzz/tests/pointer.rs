//! Mutated pointers through everything that follows one.

use keyfold::object_model::Registry;
use keyfold_fuzz::{Mutator, pointer};

/// A pointer for every row of the registry, and the forms of the past.
fn seeds() -> Vec<String> {
    let rows = Registry::standard().rows().iter();
    let mut seeds: Vec<String> =
        rows.map(|row| row.template.replace("{}", "0").replace("/**/*Texture", "/normalTexture")).collect();
    let others = ["", "/", "/nodes/0/extras/a~1b", "nodes/0/scale", "/nodes/0/translation/1", "/nodes/1/rotation/3"];
    seeds.extend(others.map(str::to_owned));
    seeds
}

#[test]
fn seeds_pass() {
    seeds().iter().for_each(|seed| pointer(seed.as_bytes()));
}

#[test]
fn mutated_pointers_never_panic() {
    let seeds = seeds();
    let mut mutator = Mutator::new(4);
    for round in 0..Mutator::rounds(2_000) {
        pointer(&mutator.mutate(seeds[round as usize % seeds.len()].as_bytes()));
    }
}
