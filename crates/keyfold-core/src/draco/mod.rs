//! Draco keyframe animations: Keyfold's own decoder and encoder of libdraco's bitstream.
//!
//! A keyframe animation is a Draco point cloud in sequential encoding: keyframes are points, timestamps and
//! tracks are attributes. Versions 2.0 to 2.3 are read, 2.3 is written. Meshes, kd-trees and the coder for
//! normals are not: no animation has them.
//!
//! One element of the bitstream is one file, in the order of a stream: `header`, `metadata`, `descriptor`,
//! then for each attribute its `values` (raw) or integers, made of `prediction` and symbols, which are a
//! probability `table`, a rANS block and `bits`; last the `quantizer` that turns integers into floats.
//! Where reading and writing an element have little in common, each has its file (`..._decoder`, `..._encoder`).

mod animation;
mod bits;
mod cursor;
mod decode;
mod descriptor;
mod encode;
mod error;
mod header;
mod histogram;
mod integer_decoder;
mod integer_encoder;
mod limits;
mod metadata;
mod prediction;
mod probabilities;
mod quantizer;
mod rans_decoder;
mod rans_encoder;
mod smallest;
mod symbol_decoder;
mod symbol_encoder;
mod table;
mod values;

pub use animation::{Animation, Attribute, TIMESTAMPS};
pub use decode::{count_values, decode, decode_prefix};
pub use descriptor::AttributeKind;
pub use encode::{Choice, Coding, EncodedAttribute, Options, Quantize, assemble, encode};
pub use error::{DecodeError, Element, EncodeError, EncodeFault, Fault};
pub use limits::Limits;
pub use quantizer::Quantizer;
pub use values::{DataType, Values};
