//! The Draco decoder on mutated streams.

use keyfold_core::draco::{Animation, Attribute, AttributeKind, Choice, Coding, Options, Quantize, Values, encode};
use keyfold_fuzz::{Mutator, draco};

/// Streams that between them use every coder, scheme and option.
fn seeds() -> Vec<Vec<u8>> {
    let wave = |count: usize, step: f32| (0..count).map(|i| (i as f32 * step).sin()).collect::<Vec<f32>>();
    let integers = Values::I16((0..120i16).map(|i| i * 7 % 90).collect());
    let kind = AttributeKind::Generic;
    let animation = Animation {
        keys: 40,
        attributes: vec![
            Attribute::floats(0, 1, (0..40).map(|key| key as f32 / 30.0).collect()),
            Attribute::floats(1, 4, wave(160, 0.1)),
            Attribute { unique_id: 2, kind, normalized: true, components: 3, values: integers },
            Attribute::floats(300, 1, vec![1.5; 40]),
        ],
        metadata: vec![1, 1, 1, 1, b'a', 1, b'b', 0, 0, 0],
    };
    let coding = |bits, predict| Coding { quantize: bits, predict };
    let mut streams = Vec::new();
    for choice in [Choice::Reference, Choice::Smallest] {
        for entropy in [true, false] {
            let options = Options { choice, entropy, ..Options::default() };
            for (bits, predict) in [(Quantize::Bits(6), true), (Quantize::Bits(14), false), (Quantize::Off, true)] {
                streams.push(encode(&animation, |_| coding(bits.clone(), predict), &options).unwrap());
            }
        }
    }
    let plain = Animation { metadata: Vec::new(), ..animation };
    streams.push(encode(&plain, |_| Coding::bits(9), &Options::default()).unwrap());
    streams
}

#[test]
fn seeds_decode() {
    seeds().iter().for_each(|seed| draco(seed));
}

#[test]
fn mutated_streams_never_panic() {
    Mutator::feed(1, 20_000, &seeds(), draco);
}

#[test]
fn every_beginning_of_a_stream_is_harmless() {
    Mutator::feed_beginnings(usize::MAX, &seeds(), draco);
}
