//! Buffers and buffer views: what their URIs name is there and long enough, and views lie inside.

use super::{
    Findings,
    khronos::{
        BUFFER_BYTE_LENGTH_MISMATCH, BUFFER_DATA_URI_MIME_TYPE_INVALID, BUFFER_GLB_CHUNK_TOO_BIG,
        BUFFER_MISSING_GLB_DATA, BUFFER_VIEW_TOO_LONG, DATA_URI_GLB, INVALID_URI, IO_ERROR, NON_RELATIVE_URI,
        UNEXPECTED_PROPERTY, URI_GLB,
    },
    model::{Buffer, Model, View, resolve},
    own::BUFFER_WITHOUT_DATA,
};
use crate::{
    Error,
    document::{Container, is_guarded, uri},
};

/// Chunks of a GLB are padded to multiples of four.
const PADDING: usize = 3;

pub(super) fn rules(model: &Model<'_>, findings: &mut Findings) {
    let guards = |at: &str| {
        let json = model.document.json();
        json.pointer(at).is_some_and(|buffer| is_guarded(json, buffer))
    };
    findings.suppress(|f| f.code == UNEXPECTED_PROPERTY.name && f.at.strip_suffix("/type").is_some_and(guards));
    for (i, buffer) in model.buffers.iter().enumerate() {
        if let Some(buffer) = buffer {
            check_buffer(model, i, buffer, findings);
        }
    }
    for (i, view) in model.views.iter().enumerate() {
        if let Some(view) = view {
            check_view(model, i, view, findings);
        }
    }
}

fn check_buffer(model: &Model<'_>, index: usize, buffer: &Buffer<'_>, findings: &mut Findings) {
    let at = format!("/buffers/{index}");
    let glb = model.document.container() == Container::Glb;
    match buffer.uri {
        Some(uri) => check_uri(uri, &format!("{at}/uri"), glb, findings),
        None if buffer.has_uri => return,
        None if glb && index == 0 => {}
        None => {
            findings.add(&BUFFER_WITHOUT_DATA, at, "has no uri; its bytes are nowhere");
            return;
        }
    }
    match (model.document.buffer(index), buffer.length) {
        (Ok(bytes), Some(length)) if bytes.len() < length => {
            let message = format!("{} bytes, where {length} are announced", bytes.len());
            findings.add(&BUFFER_BYTE_LENGTH_MISMATCH, at, message);
        }
        (Ok(bytes), Some(length)) if buffer.uri.is_none() && bytes.len() > length.saturating_add(PADDING) => {
            let message = format!("the BIN chunk is {} bytes longer than the buffer", bytes.len() - length);
            findings.add(&BUFFER_GLB_CHUNK_TOO_BIG, at, message);
        }
        (Ok(_), _) => {}
        (Err(_), _) if buffer.uri.is_none() => {
            findings.add(&BUFFER_MISSING_GLB_DATA, at, "stands for a BIN chunk that is not there");
        }
        (Err(error @ Error::Malformed { .. }), _) => {
            findings.add(&INVALID_URI, format!("{at}/uri"), error.to_string());
        }
        (Err(Error::Refused { what, .. }), _) => findings.add(&IO_ERROR, format!("{at}/uri"), what),
        (Err(error), _) => findings.add(&IO_ERROR, format!("{at}/uri"), error.to_string()),
    }
}

fn check_uri(uri: &str, at: &str, glb: bool, findings: &mut Findings) {
    let Some(data) = uri::data_of(uri) else {
        if uri.contains("://") || uri.starts_with('/') {
            findings.add(&NON_RELATIVE_URI, at, "the URI is not relative");
        }
        if glb {
            findings.add(&URI_GLB, at, "a file beside a GLB");
        }
        return;
    };
    let media = data.split([',', ';']).next().unwrap_or_default();
    if !["application/octet-stream", "application/gltf-buffer"].contains(&media) {
        findings.add(&BUFFER_DATA_URI_MIME_TYPE_INVALID, at, format!("the media type is `{media}`"));
    }
    if glb {
        findings.add(&DATA_URI_GLB, at, "a data URI in a GLB");
    }
}

fn check_view(model: &Model<'_>, index: usize, view: &View, findings: &mut Findings) {
    let at = |key: &str| format!("/bufferViews/{index}/{key}");
    resolve(&model.buffers, view.buffer, || at("buffer"), findings);
    let buffer = view.buffer.and_then(|i| model.buffers.get(i)).and_then(Option::as_ref);
    let (Some(whole), Some(offset)) = (buffer.and_then(|b| b.length), view.offset) else { return };
    let message = || format!("does not fit its buffer of {whole} bytes");
    if offset >= whole {
        findings.add(&BUFFER_VIEW_TOO_LONG, at("byteOffset"), message());
    } else if view.length.is_some_and(|length| offset.saturating_add(length) > whole) {
        findings.add(&BUFFER_VIEW_TOO_LONG, at("byteLength"), message());
    }
}
