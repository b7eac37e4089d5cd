//! What the npm package `keyfold` calls. No logic of its own: bytes come in, a codec, a curve or a clip of the library is asked, bytes go out.
//! JSON is read in TypeScript, which keeps the module small.
//!
//! | file | what it is |
//! |---|---|
//! | `border` | what the modules export: the only place with `unsafe` |
//! | `decode` | storages undone: Draco streams, meshopt views, quantized elements |
//! | `stream` | streams of KEYFOLD_animation_stream |
//! | `curves` | curves joined, brought to another form, evaluated |
//! | `clip` | runtime clips played |
//! | `wire` | how numbers and curves lie in the bytes that cross the border |
//! | `bare` | what a module without the standard library has to bring itself |
//!
//! The features `decode` and `clip` are two modules: the one is small, the other quick. `stream` by itself is the smallest one: what `decode` can do with streams, and nothing else.
#![cfg_attr(all(target_arch = "wasm32", not(any(feature = "decode", feature = "clip"))), no_std)]

extern crate alloc;

#[cfg(all(target_arch = "wasm32", not(any(feature = "decode", feature = "clip"))))]
mod bare;
#[cfg(target_arch = "wasm32")]
pub mod border;
#[cfg(feature = "clip")]
pub mod clip;
#[cfg(feature = "decode")]
pub mod curves;
#[cfg(feature = "decode")]
pub mod decode;
#[cfg(any(feature = "decode", feature = "stream"))]
pub mod stream;
pub mod wire;
