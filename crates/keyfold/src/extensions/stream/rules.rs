//! What the extension asks of a file: members of the right types, streams that decode to as many bytes as their views have, and that a reader without the extension is
//! told where it would find nothing.

use super::{NAME, opened};
use crate::{
    Document, Error,
    validate::{
        Findings, Members,
        khronos::{BUFFER_MISSING_GLB_DATA, UNRESOLVED_REFERENCE},
        own::BUFFER_WITHOUT_DATA,
    },
};
use serde_json::Value;

crate::validate::codes! { Keyfold;
    STREAM_FALLBACK_UNUSED: Hint,
        "The file requires KEYFOLD_animation_stream and has all of its data plain, too: nobody will read that.",
        "Take the extension off extensionsRequired, or drop the plain data.";
    STREAM_LENGTH: Error,
        "A buffer view is not as long as what its stream stands for.",
        "Set the view's `byteLength` to the length of what the stream decodes to.";
    STREAM_NOT_REQUIRED: Error,
        "A buffer view's bytes are in a stream only, and the file does not require KEYFOLD_animation_stream.",
        "List it in extensionsRequired, or keep the plain data (`convert --storage stream --fallback`).";
    STREAM_STRIDE: Error,
        "A buffer view whose bytes come from a stream has a byteStride: streams hold no vertices.",
        "Remove `byteStride`.";
    STREAM_UNREADABLE: Error,
        "A stream cannot be decoded; the message says what is wrong with it.",
        "Pack the animation again.";
}

/// The objects that may carry the extension.
pub(super) const PLACES: &[&str] = &["/buffers/*", "/bufferViews/*"];

pub(super) fn rules(document: &Document, findings: &mut Findings) {
    // A fallback buffer need not be there.
    let absent = [BUFFER_MISSING_GLB_DATA.name, BUFFER_WITHOUT_DATA.name];
    findings.suppress(|finding| absent.contains(&finding.code) && is_fallback(document.json().pointer(&finding.at)));
    let json = document.json();
    let list = |key: &str| json.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (index, buffer) in list("buffers").iter().enumerate() {
        let at = format!("/buffers/{index}/extensions/{NAME}");
        let Some(mut members) = object(buffer).and_then(|value| Members::new(value, at, findings)) else { continue };
        members.only(&["fallback"]);
    }
    let (mut streams, mut plain) = (0, 0);
    for (index, view) in list("bufferViews").iter().enumerate() {
        let at = format!("/bufferViews/{index}/extensions/{NAME}");
        let Some(mut members) = object(view).and_then(|value| Members::new(value, at, findings)) else { continue };
        streams += 1;
        members.only(&["buffer", "byteOffset", "byteLength"]);
        members.required(&["buffer", "byteLength"]);
        let (buffer, _, _) = (members.index("buffer"), members.index("byteOffset"), members.index("byteLength"));
        let place = members.place("buffer");
        if buffer.is_some_and(|buffer| buffer >= document.count("buffers")) {
            findings.add(&UNRESOLVED_REFERENCE, place, "there is no such buffer");
            continue;
        }
        plain += usize::from(check_fallback(document, index, view, findings));
        check_content(document, index, view, findings);
    }
    if streams > 0 && plain == streams && requires(document) {
        findings.add(&STREAM_FALLBACK_UNUSED, "/extensionsRequired", "all streams have their plain bytes beside them");
    }
}

/// The extension's object of a buffer or a buffer view.
fn object(value: &Value) -> Option<&Value> {
    value.get("extensions")?.get(NAME)
}

fn is_fallback(buffer: Option<&Value>) -> bool {
    buffer.and_then(object).and_then(|object| object.get("fallback")).and_then(Value::as_bool) == Some(true)
}

fn requires(document: &Document) -> bool {
    let required = document.json().get("extensionsRequired").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|name| name == NAME))
}

/// Whether the plain bytes of a view are there. Where they are not, the extension has to be required.
fn check_fallback(document: &Document, index: usize, view: &Value, findings: &mut Findings) -> bool {
    let buffer = view.get("buffer").and_then(Value::as_u64).map(|buffer| format!("/buffers/{buffer}"));
    let buffer = buffer.and_then(|place| document.json().pointer(&place));
    let plain = !is_fallback(buffer) || buffer.is_some_and(|buffer| buffer.get("uri").is_some());
    if !plain && !requires(document) {
        let at = format!("/bufferViews/{index}/extensions/{NAME}");
        findings.add(&STREAM_NOT_REQUIRED, at, "without the extension there are no bytes to be read");
    }
    plain
}

fn check_content(document: &Document, index: usize, view: &Value, findings: &mut Findings) {
    let at = format!("/bufferViews/{index}");
    if view.get("byteStride").is_some() {
        findings.add(&STREAM_STRIDE, format!("{at}/byteStride"), "streams hold no vertices");
    }
    let length = view.get("byteLength").and_then(Value::as_u64);
    let decoded = document
        .element("bufferViews", index)
        .and_then(|view| opened(document, &view, |stream| stream.decode().map(|bytes| bytes.len() as u64)));
    match decoded {
        Ok(Some(decoded)) if length.is_some_and(|length| length != decoded) => {
            let message = format!("the stream stands for {decoded} bytes");
            findings.add(&STREAM_LENGTH, format!("{at}/byteLength"), message);
        }
        Err(Error::Malformed { at, what }) => findings.add(&STREAM_UNREADABLE, at, what),
        Err(error) => findings.add(&STREAM_UNREADABLE, format!("{at}/extensions/{NAME}"), error.to_string()),
        Ok(_) => {}
    }
}
