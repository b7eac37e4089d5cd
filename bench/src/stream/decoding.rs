//! Decoding streams of KEYFOLD_animation_stream, against meshopt's decoder and gunzip of the same animations, packed within the same bound.
//!
//! Both are timed through a document: opening it and asking for the animations' buffer views, less opening it alone.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::time::Duration;

use anyhow::Result;
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use keyfold::pack::{Level, Options, pack};
use keyfold::{Bound, Document, OpenOptions, Storage, read};
use keyfold_oracle::corpus_files;

use crate::measure::{alone, mean, stem};

/// Files of different kinds: short and long clips, libraries.
const FILES: [&str; 6] =
    ["fox", "cesium_man", "kenney_character", "cmu_02_01_walk", "kaykit_combat_melee", "cmu_49_07_cartwheel"];
const BOUND: Bound = Bound::Relative(0.0005);
const TIME: Duration = Duration::from_millis(300);

pub(super) fn table() -> Result<()> {
    println!("goal: at most 4 times meshopt's decoder and gunzip, never more than 8\n");
    println!("| file | values | stream, million values a second | meshopt + gunzip | ratio of times |");
    println!("|---|--:|--:|--:|--:|");
    let mut ratios = Vec::new();
    for file in corpus_files().into_iter().filter(|file| FILES.contains(&stem(file).as_str())) {
        let document = Document::open(&file)?;
        let packed = |storage| -> Result<Vec<u8>> {
            let options = Options { storage, max_error: BOUND, level: Level::Fast, ..Options::default() };
            Ok(pack(&document, &options)?.document.to_bytes()?)
        };
        let (stream, meshopt) = (packed(Storage::Stream)?, packed(Storage::Meshopt)?);
        let values =
            read(&document)?.animations.iter().flat_map(|a| &a.tracks).map(|t| t.curve.values().len()).sum::<usize>();
        let (ours, theirs) = (decoding(&stream)?, decoding(&meshopt)? + unzipping(&meshopt)?);
        let speed = |seconds: f64| values as f64 / seconds / 1e6;
        let ratio = ours / theirs;
        println!("| {} | {values} | {:.1} | {:.1} | {ratio:.2} |", stem(&file), speed(ours), speed(theirs));
        ratios.push(ratio);
    }
    println!("\ngeometric mean of ratios: {:.2}", mean(&ratios));
    Ok(())
}

/// Seconds that a document's animation views take to decode.
fn decoding(bytes: &[u8]) -> Result<f64> {
    let open = || Document::from_bytes(bytes, None, &OpenOptions::default());
    let views = views(&open()?)?;
    let whole =
        alone(TIME, || open().map(|document| views.iter().map(|view| document.view(*view)).collect::<Vec<_>>()));
    let opening = alone(TIME, || open().map(|document| document.count("bufferViews")));
    Ok((whole.seconds - opening.seconds).max(1e-9))
}

/// Seconds that gunzip takes for the compressed bytes of a document's animation views.
fn unzipping(bytes: &[u8]) -> Result<f64> {
    let document = Document::from_bytes(bytes, None, &OpenOptions::default())?;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for view in views(&document)? {
        let json = document.json();
        let object = &json["bufferViews"][view]["extensions"]["EXT_meshopt_compression"];
        let number = |key: &str| object.get(key).and_then(|v| v.as_u64()).unwrap_or(0) as usize;
        let buffer = document.buffer(number("buffer"))?;
        encoder.write_all(&buffer[number("byteOffset")..][..number("byteLength")])?;
    }
    let zipped = encoder.finish()?;
    let unzip = || {
        let mut out = Vec::new();
        GzDecoder::new(&zipped[..]).read_to_end(&mut out).map(|_| out)
    };
    Ok(alone(TIME, unzip).seconds)
}

fn views(document: &Document) -> Result<BTreeSet<usize>> {
    let animations = read(document)?.animations;
    let accessors = animations.iter().flat_map(|a| &a.tracks).flat_map(|t| [t.source.input, t.source.output]);
    Ok(accessors.filter_map(|accessor| document.accessor(accessor).ok()?.view).collect())
}
