//! Which broken file goes through which command.

use keyfold_fuzz::{Mutator, sealed};
use std::path::{Path, PathBuf};

/// Commands; IN is the broken file, GOOD the one that it was, OUT a place to write to.
const DOCUMENT: &[&str] = &[
    "inspect IN --json",
    "sample IN --fps 30 --json",
    "sample IN --fps 10 --csv",
    "sample IN --time 0.1 --apply -o OUT.glb",
    "validate IN --json",
    "validate IN --fix -o OUT.gltf",
    "unpack IN -o OUT.gltf",
    "unpack IN -o OUT.glb",
    "convert IN -o OUT.gltf",
    "convert IN -o OUT.glb --storage core",
    "convert IN -o OUT.glb --storage quantization",
    "convert IN -o OUT.glb --storage draco",
    "convert IN -o OUT.glb --storage meshopt",
    "convert IN -o OUT.glb --storage stream",
    "convert IN -o OUT.gltf --targets core",
    "convert IN -o OUT.gltf --targets pointer",
    "convert IN -o OUT.gltf --targets animation2",
    "convert IN -o OUT.glb --rotation linear",
    "convert IN -o OUT.glb --rotation cubicspline",
    "convert IN -o OUT.glb --rotation cubicslerp",
    "pack IN -o OUT.glb",
    "pack IN -o OUT.glb --storage quantization",
    "pack IN -o OUT.glb --storage draco --level fast",
    "pack IN -o OUT.glb --storage meshopt --level fast",
    "pack IN -o OUT.glb --storage stream --level fast",
    "pack IN -o OUT.gltf --level fast --report OUT.html",
    "pack IN GOOD --out-dir OUT --level fast --json",
    "diff IN GOOD --json",
    "diff GOOD IN",
    "clip build IN -o OUT.kfc",
    "clip build IN -o OUT.kfc --fps 30",
    "clip build IN --all -o OUT --fps 10 --encoding fixed",
];

const CLIP: &[&str] = &[
    "clip info IN --json",
    "clip sample IN --fps 10 --csv",
    "clip sample IN --time 0,0.5",
    "clip bench IN --poses 10",
];

/// Large samples are broken seldom: what is done with them takes long.
const SMALL: usize = 30_000;
const SELDOM: usize = 100;

/// A good file.
pub(crate) struct Seed {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Seed {
    fn is_clip(&self) -> bool {
        self.path.extension().is_some_and(|e| e == "kfc")
    }
}

/// Our own samples, files of others where there are any, and clips of some samples.
pub(crate) fn seeds(folder: &Path) -> Vec<Seed> {
    let root = keyfold_oracle::root();
    let mut files = keyfold_oracle::gltf_files(&root.join("samples"));
    assert!(files.len() > 400, "{} samples", files.len());
    files.extend(keyfold_oracle::corpus_files());
    let read = |path: PathBuf| Seed { bytes: std::fs::read(&path).expect("samples can be read"), path };
    let mut seeds: Vec<Seed> = files.into_iter().map(read).filter(|seed| seed.bytes.len() < 500_000).collect();
    std::fs::create_dir_all(folder).expect("there is a place for broken files");
    for (i, sample) in ["figure.glb", "face.glb", "machine.glb"].into_iter().enumerate() {
        for encoding in ["fixed", "variable"] {
            let path = folder.join(format!("seed-{i}-{encoding}.kfc"));
            let (from, to) = (root.join("samples").join(sample), path.clone());
            let arguments =
                ["keyfold", "clip", "build"].map(Into::into).into_iter().chain([from.into(), "-o".into(), to.into()]);
            let code = keyfold_cli::run(arguments.chain(["--fps", "30", "--encoding", encoding].map(Into::into)));
            assert_eq!(code, 0, "{sample} becomes a clip");
            seeds.push(read(path));
        }
    }
    seeds
}

/// A broken file and what is done with it.
pub(crate) struct Job {
    /// The command as the list has it.
    pub(crate) command: String,
    pub(crate) arguments: Vec<String>,
    pub(crate) input: PathBuf,
    pub(crate) bytes: Vec<u8>,
    /// Bytes of all that is read.
    read: usize,
}

impl Job {
    /// The job with this number: the same one for the same seeds. Commands take turns, so that each gets as many files as any other.
    pub(crate) fn new(seeds: &[Seed], seed: u64, number: usize, folder: &Path) -> Self {
        let mut random = Mutator::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(number as u64) << 8);
        let turn = number % (DOCUMENT.len() + CLIP.len());
        let clip = turn >= DOCUMENT.len();
        let command = if clip { CLIP[turn - DOCUMENT.len()] } else { DOCUMENT[turn] };
        let good = loop {
            let good = &seeds[random.below(seeds.len())];
            if good.is_clip() == clip && (good.bytes.len() < SMALL || random.below(SELDOM) == 0) {
                break good;
            }
        };
        let bytes = match (clip, random.below(5)) {
            (true, _) => sealed(&random.mutate(&good.bytes)),
            (_, 0) => random.mutate(&good.bytes),
            (_, 1) => random.change_digits(&good.bytes),
            _ => random.restructure(&good.bytes),
        };
        let extension = good.path.extension().unwrap_or_default();
        let input = folder.join(format!("in-{number}")).with_extension(extension);
        let out = folder.join(format!("out-{number}")).display().to_string();
        let word = |word: &str| match word {
            "IN" => input.display().to_string(),
            "GOOD" => good.path.display().to_string(),
            _ => word.replace("OUT", &out),
        };
        let read = bytes.len() + if command.contains("GOOD") { good.bytes.len() } else { 0 };
        let arguments = command.split(' ').map(word).collect();
        Self { command: command.to_owned(), arguments, input, bytes, read }
    }

    /// The bytes of memory that it may take.
    pub(crate) fn memory(&self) -> u64 {
        16 * self.read as u64 + (256 << 20)
    }
}
