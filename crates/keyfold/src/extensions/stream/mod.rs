//! KEYFOLD_animation_stream: buffer views whose bytes come from an entropy-coded stream (`docs/stream.md`). The codec is `keyfold_core::stream`; here is what the extension says about
//! it. A view's own bytes are a fallback for readers without the extension and are never opened here.

mod rules;

use super::Extension;
use crate::{
    Document, Error, Result,
    document::{Object, slice_of},
};
use keyfold_core::stream::{Limits, Stream, StreamError};

pub(crate) const NAME: &str = "KEYFOLD_animation_stream";

pub(super) const ROW: Extension = Extension {
    view: Some(view),
    tidy: Some(|json| super::tidy_views(json, NAME)),
    rules: Some(rules::rules),
    codes: rules::CODES,
    places: rules::PLACES,
    ..Extension::new(NAME)
};

fn view(document: &Document, index: usize) -> Result<Option<Vec<u8>>> {
    let view = document.element("bufferViews", index)?;
    let length = view.required_index("byteLength")?;
    let Some(decoded) = opened(document, &view, |stream| Ok(stream.byte_length()))? else { return Ok(None) };
    if decoded != length {
        let what = format!("the stream stands for {decoded} bytes, the view has {length}");
        return Err(Error::malformed(view.at(), what));
    }
    // What comes out stays; on the way the largest array is there twice more.
    document.account().hold(length, || view.at())?;
    document.account().afford(length.saturating_mul(2), || view.at())?;
    document.account().work((length as u64).saturating_mul(2), || view.at())?;
    opened(document, &view, |stream| stream.decode())
}

/// What is made of the stream behind a buffer view; `None` where the view comes from no stream.
fn opened<T>(
    document: &Document,
    view: &Object<'_>,
    make: impl FnOnce(&Stream<'_>) -> Result<T, StreamError>,
) -> Result<Option<T>> {
    let Some(object) = view.extension(NAME)? else { return Ok(None) };
    let bytes = slice_of(document, &object)?;
    let left = document.account().left().memory;
    let limits = Limits { values: left / 4, memory: left, ..Limits::default() };
    let made = Stream::open(&bytes, &limits).and_then(|stream| make(&stream));
    made.map(Some).map_err(|error| match error {
        StreamError::Limit => Error::limit(object.at(), error.to_string()),
        _ => Error::malformed(object.at(), error.to_string()),
    })
}
