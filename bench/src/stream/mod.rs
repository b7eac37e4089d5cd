//! KEYFOLD_animation_stream: bytes at gltfpack's own error and time to encode, against gltfpack and our own meshopt; time to decode, against meshopt's decoder and gunzip.

mod bytes;
mod decoding;
mod growth;

use anyhow::Result;

pub(crate) fn run() -> Result<()> {
    bytes::table()?;
    println!();
    decoding::table()?;
    println!();
    growth::table()
}
