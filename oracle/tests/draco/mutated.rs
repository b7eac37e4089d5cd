//! Streams with some bytes changed: where libdraco decodes them, so do we, to the same values; else an error.

use std::env;

use keyfold_core::draco::{DecodeError, Element, Fault, Limits, decode_prefix};
use keyfold_oracle::draco::{Answer, Libdraco};

use crate::content;
use crate::random::random_job;
use keyfold_oracle::Random;

/// Where the number of keyframes is, in a stream without metadata.
const NEGATIVE_COUNT_AT: usize = 11;

/// What we refuse and libdraco may decode; see DIFFERENCES.md.
fn is_justified(error: &DecodeError) -> bool {
    match (error.fault, error.element) {
        (Fault::Limit, _) => true,
        (Fault::Invalid, Element::PointCount) => error.at == NEGATIVE_COUNT_AT,
        // A final state of four bytes in a shorter block: libdraco reads the bytes before the block.
        (Fault::Invalid, Element::RansState) => true,
        (Fault::Unsupported, Element::Version | Element::Coder) => true,
        _ => false,
    }
}

/// Mostly single bytes, sometimes cut, sometimes with bytes put in or taken out.
fn mutate(random: &mut Random, stream: &mut Vec<u8>) {
    for _ in 0..1 + random.below(3) {
        let at = random.below(stream.len());
        match random.below(12) {
            0 => stream.truncate(at.max(12)),
            1 => stream.insert(at, random.number() as u8),
            2 => drop(stream.remove(at)),
            3..=5 => stream[at] ^= 1 << random.below(8),
            6..=7 => stream[at] = stream[at].wrapping_add(1),
            8 => stream[at] = 0,
            9 => stream[at] = 0xff,
            _ => stream[at] = random.number() as u8,
        }
    }
}

#[test]
fn mutated_streams_get_libdracos_answers() {
    let Some(mut libdraco) = Libdraco::start() else { return };
    let rounds = if env::var_os("KEYFOLD_FULL").is_some() { 50_000 } else { 3_000 };
    let mut random = Random(8);
    let (mut decoded, mut crashed) = (0, 0);
    let mut base = Vec::new();
    for round in 0..rounds {
        if round % 20 == 0 {
            base = small_stream(&mut random);
        }
        let mut stream = base.clone();
        mutate(&mut random, &mut stream);
        let ours = decode_prefix(&stream, &Limits::default());
        if ours.as_ref().is_err_and(is_justified) {
            continue;
        }
        match (ours, libdraco.decode(&stream).unwrap()) {
            (_, Answer::Crashed(_)) => crashed += 1,
            (Err(_), Answer::Refused(_)) => {}
            (Ok((ours, read)), Answer::Done((theirs, their_read))) => {
                assert_eq!((ours.keys, read), (theirs.keys, their_read), "round {round}: {stream:02x?}");
                assert!(content(&ours) == content(&theirs), "round {round}: {stream:02x?}");
                decoded += 1;
            }
            (ours, theirs) => panic!("round {round}: {:?}, libdraco {theirs:?}: {stream:02x?}", ours.err()),
        }
    }
    println!("{rounds} streams: both decode {decoded}, libdraco crashes on {crashed}");
    assert!(decoded > rounds / 10);
}

/// A stream of under a thousand bytes, so that mutations hit more than raw values.
fn small_stream(random: &mut Random) -> Vec<u8> {
    loop {
        let stream = random_job(random).encode();
        if stream.len() < 1000 {
            return stream;
        }
    }
}
