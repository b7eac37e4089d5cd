//! Streams of KEYFOLD_animation_stream: whatever opens says how long it is, and its segments decode one by one to what they do together.

use keyfold_core::stream::{Limits, Stream};

/// Few values: a fuzzer finds more in many rounds than in long ones.
const LIMITS: Limits = Limits { values: 1 << 13, values_per_byte: 0, memory: 1 << 20, truncated: true };

/// Decodes `data` at once and by segments.
pub fn stream(data: &[u8]) {
    let Ok(stream) = Stream::open(data, &LIMITS) else { return };
    let strict = Stream::open(data, &Limits { truncated: false, ..LIMITS });
    assert_eq!(strict.is_ok(), stream.whole_segments() == stream.segments());
    let mut parts = vec![0; stream.byte_length()];
    // From the last to the first: none needs another.
    let decoded = (0..stream.whole_segments()).rev().all(|segment| stream.decode_segment(segment, &mut parts).is_ok());
    match stream.decode() {
        Ok(whole) => assert!(decoded && whole == parts),
        Err(_) => assert!(!decoded),
    }
}
