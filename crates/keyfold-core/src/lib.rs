//! The core of Keyfold: animation curves, quantization, codecs, the search within an error bound, and runtime clips.
//!
//! It works on bytes and floats. JSON, files and the terminal belong to the `keyfold` library and program. `no_std`
//! with `alloc`.
//!
//! | module | purpose |
//! |---|---|
//! | [`clip`] | runtime clips: small, immutable, decoded one pose at a time; encoder and sampler |
//! | [`curve`] | curves: keys, finding a time among them, interpolation |
//! | [`draco`] | the Draco keyframe-animation bitstream, decoder and encoder |
//! | [`engine`] | the search within an error bound, for every storage |
//! | [`fit`] | fitting a curve in another interpolation within a tolerance, with few keys |
//! | [`quantize`] | a number in a range to an N-bit integer and back |
//! | [`quat`] | quaternion operations for animation, in `f64` |
//! | [`skeleton`] | hierarchy, global transforms, object-space error between two motions |
//! | [`stream`] | KEYFOLD_animation_stream: entropy-coded arrays of keys |
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
