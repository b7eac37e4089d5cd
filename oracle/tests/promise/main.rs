//! The promise of `pack`, on random skeletons in every storage: splines with and without signs that flip, tiny and huge scales, steps, chains. What was
//! packed is held against the original by a second implementation of playing (`second`) that proves nothing and only looks, very often, and around
//! every spike. Some hundred files in every run, 10,000 of others with `cargo xtask test --full`.

mod clocks;
mod made;
mod second;

use keyfold::{
    Bound, Document, OpenOptions, Storage,
    pack::{Level, Options, pack, weigh},
    unpack,
};
use keyfold_oracle::{Random, is_full, note};
use made::made;
use second::{Pose, Scene, looks};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

/// Rounding of doubles, as a share of the model.
const ROUNDING: f64 = 1e-9;
/// How far from a node the points lie that are looked at, as a share of the model: what Keyfold promises for nodes without meshes.
const SHELL: f64 = 0.03;

/// What became of a file.
struct Packed {
    storage: Storage,
    /// The largest error that was seen, as a share of the bound.
    used: f64,
    /// Whether something had to stay as it was.
    left: bool,
    /// Whether the animations take less than before.
    smaller: bool,
}

fn packed(seed: u64) -> Result<Packed, String> {
    let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95));
    let bytes = made(&mut random);
    let storage = random.pick(&Storage::ALL);
    let share = random.pick(&[0.01, 0.001, 0.0001, 0.00002]);
    let level = if random.chance(10) { Level::Default } else { Level::Fast };
    // Half of the files are looked at as their storage decodes them, half as `unpack` writes them.
    let unpacked = random.chance(50);
    let told = format!("file {seed} as {storage} at {share}, {level:?}{}", if unpacked { ", unpacked" } else { "" });
    let (document, packed) = (|| {
        let document = open(&bytes)?;
        let options = Options { storage, max_error: Bound::Relative(share), level, ..Options::default() };
        let packed = pack(&document, &options)?;
        Ok((document, packed))
    })()
    .map_err(|error: keyfold::Error| format!("{told}: {error}"))?;
    let after = open(&packed.document.to_bytes().unwrap()).unwrap();
    let other = match unpacked {
        true => Scene::plain(&unpack(&after, Bound::Relative(share)).unwrap().document.to_bytes().unwrap()),
        false => Scene::decoded(&after),
    };
    let worst = apart(&Scene::plain(&bytes), &other, SHELL * packed.diff.model_size);
    let rounding = ROUNDING * packed.diff.model_size;
    let promised = packed.diff.possible <= packed.bound && worst <= packed.diff.possible + rounding;
    if !promised || worst > packed.bound + rounding {
        let (bound, possible) = (packed.bound, packed.diff.possible);
        return Err(format!("{told}: {worst} is {} of the bound, {possible} was thought possible", worst / bound));
    }
    let before = weigh::weight(&document).gzip;
    let (left, smaller) = (!packed.left.is_empty(), packed.gzip_bytes < before);
    Ok(Packed { storage, used: worst / packed.bound, left, smaller })
}

fn open(bytes: &[u8]) -> keyfold::Result<Document> {
    Document::from_bytes(bytes, None, &OpenOptions::default())
}

/// The largest distance between a point and its twin at any of very many times.
fn apart(one: &Scene, other: &Scene, shell: f64) -> f64 {
    let offsets = one.offsets(shell);
    let distance = |time: f64| Pose::distance(&one.pose(time), &other.pose(time), &offsets);
    looks(&[one, other]).into_iter().map(distance).fold(0.0, f64::max)
}

#[test]
fn no_pack_is_over_its_bound_wherever_one_looks() {
    let (count, seed) = if is_full() { (10_000, 1_000_000) } else { (120, 0) };
    let (next, results) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for number in std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|n| *n < count)
                {
                    let result = packed(seed + number);
                    if let Err(failure) = &result {
                        note(failure);
                    }
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let over = results.iter().filter(|result| result.is_err()).count();
    let kept: Vec<Packed> = results.into_iter().flatten().collect();
    tell(&kept);
    assert_eq!(over, 0, "of {count} packs");
    // A bound that is kept by not packing is no success.
    let share = |of: fn(&Packed) -> bool| kept.iter().filter(|p| of(p)).count() as f64 / kept.len() as f64;
    assert!(share(|p| p.smaller) > 0.8 && share(|p| p.left) < 0.1 && share(|p| p.used > 0.5) > 0.5);
}

fn tell(kept: &[Packed]) {
    let mut by_storage: BTreeMap<Storage, Vec<&Packed>> = BTreeMap::new();
    kept.iter().for_each(|packed| by_storage.entry(packed.storage).or_default().push(packed));
    for (storage, packs) in by_storage {
        let count = |of: fn(&Packed) -> bool| packs.iter().filter(|p| of(p)).count();
        let most = packs.iter().map(|p| p.used).fold(0.0, f64::max);
        note(&format!(
            "{storage}: {} packs within their bounds, at most {most:.6} of it, {} over half of it; {} smaller, {} with something left as it was",
            packs.len(),
            count(|p| p.used > 0.5),
            count(|p| p.smaller),
            count(|p| p.left)
        ));
    }
}
