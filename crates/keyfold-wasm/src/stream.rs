//! Streams of KEYFOLD_animation_stream: the decoder alone is a module that a loader of one's own can take.

use crate::wire::Failure;
use alloc::vec::Vec;
use keyfold_core::stream::{Limits, Stream};

/// The bytes of a buffer view that a stream stands for; it may hold `values` numbers.
pub fn stream_view(values: u64, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let limits = Limits { values, ..Limits::default() };
    Stream::open(bytes, &limits).and_then(|stream| stream.decode()).map_err(|e| e.message().into())
}
