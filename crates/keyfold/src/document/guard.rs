//! Buffers that loaders refuse which do not know what the file requires.
//!
//! three.js only warns of a required extension that it does not know, and plays what it reads: a rotation without W
//! sends it into an endless loop. It does refuse a buffer whose `type`, a member of glTF 1.0, it does not know, and
//! says which; so the buffers of a file whose channels would be misread carry the extension's name there. Other
//! loaders look at `extensionsRequired` alone.

use crate::extensions;
use serde_json::{Value, json};

/// The member of glTF 1.0.
const TYPE: &str = "type";

/// Whether a buffer carries the name of a required extension.
pub(crate) fn is_guarded(json: &Value, buffer: &Value) -> bool {
    buffer.get(TYPE).and_then(Value::as_str).is_some_and(|name| extensions::is_listed(json, "extensionsRequired", name))
}

/// Marks all buffers with a required extension's name, and takes marks off whose extension is not required any more.
pub(super) fn guard(json: &mut Value, extension: Option<&'static str>) {
    let required = |name: &&str| extensions::is_listed(json, "extensionsRequired", name);
    let extension = extension.filter(required);
    let former: Vec<&str> = extensions::names().filter(|name| !required(name)).collect();
    let buffers = json.get_mut("buffers").and_then(Value::as_array_mut);
    for buffer in buffers.into_iter().flatten().filter_map(Value::as_object_mut) {
        if buffer.get(TYPE).and_then(Value::as_str).is_some_and(|name| former.contains(&name)) {
            buffer.shift_remove(TYPE);
        }
        if let Some(extension) = extension {
            buffer.entry(TYPE).or_insert_with(|| json!(extension));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = extensions::quantization::NAME;

    #[test]
    fn marks_come_with_a_required_extension_and_go_with_it() {
        let mut json = json!({ "extensionsRequired": [NAME], "buffers": [{ "byteLength": 4 }, { "byteLength": 1, "type": "x" }, 7] });
        guard(&mut json, Some(NAME));
        assert_eq!(json["buffers"], json!([{ "byteLength": 4, "type": NAME }, { "byteLength": 1, "type": "x" }, 7]));
        assert!(is_guarded(&json, &json["buffers"][0]));
        let marked = json.clone();
        guard(&mut json, None);
        assert_eq!(json, marked, "what is still required stays");
        json["extensionsRequired"] = json!([]);
        assert!(!is_guarded(&json, &json["buffers"][0]));
        guard(&mut json, Some(NAME));
        assert_eq!(json["buffers"], json!([{ "byteLength": 4 }, { "byteLength": 1, "type": "x" }, 7]));
    }
}
