//! Benchmarks: `cargo xtask bench NAME...`. Ratios against peers, measured in one run on one machine.
//!
//! A benchmark is a file with a function, and a line in [`BENCHES`]. Tests never time anything; this is where speed lives.

mod clip;
mod diff;
mod draco;
mod growth;
mod load;
mod measure;
mod pack;
mod rate;
mod sample;
mod stream;
mod validate;

use std::env;
use std::process::ExitCode;

use anyhow::{Context, Result};

/// A benchmark: what it is called, what it compares, and the function that prints its figures.
struct Bench {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<()>,
}

/// All benchmarks. A new one is a line here.
const BENCHES: &[Bench] = &[
    Bench {
        name: "clip",
        about: "runtime clips: bytes against ACL, the time of a pose against ozz-animation-rs",
        run: clip::run,
    },
    Bench {
        name: "diff",
        about: "the error that is found and the one that is possible; time, against the program that KEYFOLD_OTHER names",
        run: diff::run,
    },
    Bench { name: "draco", about: "decoding and encoding Draco streams, against libdraco", run: draco::run },
    Bench {
        name: "growth",
        about: "time, memory and bytes of 30 actors in one animation, against those of 10",
        run: growth::run,
    },
    Bench { name: "load", about: "files to curves, against the crate gltf", run: load::run },
    Bench {
        name: "pack",
        about: "bytes at equal error, time and memory, against gltfpack and glTF-Transform",
        run: pack::run,
    },
    Bench {
        name: "rate",
        about: "bytes at one error for all files, against gltfpack's rate curve over its bits",
        run: rate::run,
    },
    Bench { name: "sample", about: "poses played forward, against three.js", run: sample::run },
    Bench {
        name: "stream",
        about: "streams: bytes at equal error against gltfpack, decoding against meshopt's decoder and gunzip",
        run: stream::run,
    },
    Bench { name: "validate", about: "the whole corpus validated, against gltf-validator", run: validate::run },
];

fn main() -> ExitCode {
    let names: Vec<String> = env::args().skip(1).collect();
    match run(&names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(names: &[String]) -> Result<()> {
    if names.is_empty() {
        list();
        return Ok(());
    }
    if let [clip::POSES, file, count] = names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return clip::poses(file, count);
    }
    let chosen = names.iter().map(|name| find(name)).collect::<Result<Vec<_>>>()?;
    for bench in chosen {
        println!("# {}: {}\n", bench.name, bench.about);
        (bench.run)()?;
        println!();
    }
    Ok(())
}

fn list() {
    for Bench { name, about, .. } in BENCHES {
        println!("{name:<10} {about}");
    }
}

fn find(name: &str) -> Result<&'static Bench> {
    BENCHES
        .iter()
        .find(|bench| bench.name == name)
        .with_context(|| format!("there is no benchmark {name:?}; run without a name to list them"))
}
