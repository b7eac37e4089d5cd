//! Whether decoding takes time that grows with keys and tracks, and with nothing else: streams of rotations that swing, with some noise.

use std::time::Duration;

use anyhow::Result;
use keyfold_core::stream::{Array, Clock, Coding, Limits, RotationGrid, Stream, encode};

use crate::measure::alone;

/// Keys and tracks.
const SIZES: [(u32, usize); 6] = [(100, 10), (1_000, 10), (10_000, 10), (100, 1_000), (1_000, 1_000), (100_000, 10)];
const TIME: Duration = Duration::from_millis(300);

pub(super) fn table() -> Result<()> {
    println!("| keys | tracks | values | bytes | nanoseconds for a value |");
    println!("|--:|--:|--:|--:|--:|");
    for (keys, tracks) in SIZES {
        let bytes = encode(&[Clock { keys: vec![keys] }], &vec![swing(keys); tracks])?;
        let limits = Limits { values: u64::MAX, ..Limits::default() };
        let cost = alone(TIME, || Stream::open(&bytes, &limits).and_then(|stream| stream.decode()));
        let values = keys as usize * tracks * 4;
        println!("| {keys} | {tracks} | {values} | {} | {:.1} |", bytes.len(), cost.seconds * 1e9 / values as f64);
    }
    Ok(())
}

fn swing(keys: u32) -> Array {
    let grid = RotationGrid { left: [1, -2, 3], right: [0; 3], steps: [120; 3] };
    let mut state = 7u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 30) as i32
    };
    let code = |i: u32| (f64::from(i / 3) * 0.1 + f64::from(i % 3)).sin() * 300.0;
    Array {
        clock: 0,
        width: 4,
        coding: Coding::Rotations(grid),
        codes: (0..keys * 3).map(|i| code(i) as i32 + noise()).collect(),
    }
}
