//! Bytes and floats of animation: curves and how they are blended, quantization, codecs, runtime clips.
//!
//! No JSON, no files, no terminal: those live in the `keyfold` library and program. `no_std` with `alloc`.
//!
//! | module | what it is |
//! |---|---|
//! | [`clip`] | runtime clips: small, immutable, decoded a pose at a time; encoder and sampler |
//! | [`curve`] | what a curve is, where a time falls in it, how each interpolation blends |
//! | [`draco`] | the Draco keyframe-animation bitstream, decoded and encoded |
//! | [`engine`] | staying within an error bound, whatever the storage |
//! | [`fit`] | a curve in another form, within a tolerance, with few keys |
//! | [`quantize`] | a number in a range to an N-bit integer and back |
//! | [`quat`] | the few quaternion operations that animation needs, in `f64` |
//! | [`skeleton`] | hierarchy, global transforms, object-space error between two motions |
//! | [`stream`] | KEYFOLD_animation_stream: arrays of keys, entropy-coded |
//! | [`vector`] | vectors of three numbers |
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod clip;
pub mod curve;
pub mod draco;
pub mod engine;
pub mod fit;
pub mod quantize;
pub mod quat;
pub mod skeleton;
pub mod stream;
pub mod vector;
