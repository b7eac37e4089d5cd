//! Files that each break one rule, and the same files fixed.

use super::super::conformance::Broken;
use super::file::{NAME, content, document};
use serde_json::json;

pub(super) fn all() -> Vec<Broken> {
    vec![unreadable(), length(), not_required(), fallback_unused(), stride()]
}

fn place(key: &str) -> String {
    format!("/bufferViews/0{key}")
}

fn unreadable() -> Broken {
    let (good, mut bad) = (content(1), content(1));
    let middle = bad.stream.len() / 2;
    bad.stream[middle] ^= 0x55;
    let bad = document(&bad, false);
    let about = "a byte of the stream was changed";
    let at = place(&format!("/extensions/{NAME}"));
    Broken { code: "STREAM_UNREADABLE", at, about, bad, good: document(&good, false) }
}

fn length() -> Broken {
    let good = document(&content(1), false);
    let mut bad = good.clone();
    let length = bad["bufferViews"][0]["byteLength"].as_u64().unwrap_or(0) - 4;
    bad["bufferViews"][0]["byteLength"] = json!(length);
    let about = "the view is shorter than what the stream stands for";
    Broken { code: "STREAM_LENGTH", at: place("/byteLength"), about, bad, good }
}

fn not_required() -> Broken {
    let good = document(&content(1), false);
    let mut bad = good.clone();
    bad.as_object_mut().map(|root| root.remove("extensionsRequired"));
    let about = "the bytes are in the stream only, and the extension is not required";
    Broken { code: "STREAM_NOT_REQUIRED", at: place(&format!("/extensions/{NAME}")), about, bad, good }
}

fn fallback_unused() -> Broken {
    let good = document(&content(1), true);
    let mut bad = good.clone();
    bad["extensionsRequired"] = json!([NAME]);
    let about = "the extension is required, and the plain bytes are there, too";
    Broken { code: "STREAM_FALLBACK_UNUSED", at: "/extensionsRequired".into(), about, bad, good }
}

fn stride() -> Broken {
    let good = document(&content(1), false);
    let mut bad = good.clone();
    bad["bufferViews"][0]["byteStride"] = json!(16);
    let about = "a view that comes from a stream has a byteStride";
    Broken { code: "STREAM_STRIDE", at: place("/byteStride"), about, bad, good }
}
