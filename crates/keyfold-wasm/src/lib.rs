//! What the npm package `keyfold` calls. No logic of its own: bytes come in, a codec or a curve of the library is asked, bytes go out.
//! JSON is read in TypeScript, which keeps the module small.
//!
//! | file | what it is |
//! |---|---|
//! | `border` | what the module exports: the only place with `unsafe` |
//! | `decode` | storages undone: Draco streams, meshopt views, quantized elements |
//! | `curves` | curves joined, brought to another form, evaluated |
//! | `wire` | how numbers and curves lie in the bytes that cross the border |

#[cfg(target_arch = "wasm32")]
pub mod border;
pub mod curves;
pub mod decode;
pub mod wire;
