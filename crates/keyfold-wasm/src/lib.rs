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
//!
//! The features `decode` and `clip` are two modules: the one is small, the other quick. `stream`, a part of `decode`, is the smallest one by itself.

#[cfg(target_arch = "wasm32")]
pub mod border;
#[cfg(feature = "clip")]
pub mod clip;
#[cfg(feature = "decode")]
pub mod curves;
#[cfg(feature = "decode")]
pub mod decode;
#[cfg(feature = "stream")]
pub mod stream;
pub mod wire;
