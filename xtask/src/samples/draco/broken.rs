//! Files that each break one rule, and files that just do not.

use super::super::conformance::Broken;
use super::file::{File, NAME, data_uri};
use super::good::{base, motion, two_streams, weights};
use serde_json::{Value, json};

pub(super) fn all() -> Vec<Broken> {
    layout().into_iter().chain(ids()).chain(accessors()).chain(streams()).collect()
}

/// The first stream, and where it is.
fn first(json: &mut Value) -> &mut Value {
    &mut json["extensions"][NAME]["compressedAnimations"][0]
}

fn of_first(key: &str) -> String {
    format!("/extensions/{NAME}/compressedAnimations/0/{key}")
}

fn written(file: &File) -> Value {
    file.write("").json
}

/// A file, changed; the file as it was is the good one.
fn changed(file: &File, code: &'static str, at: String, about: &'static str, change: impl Fn(&mut Value)) -> Broken {
    let good = written(file);
    let mut bad = good.clone();
    change(&mut bad);
    Broken { code, at, about, bad, good }
}

fn layout() -> Vec<Broken> {
    let place = format!("/extensions/{NAME}");
    let base = &base();
    vec![
        changed(base, "DRACO_LEGACY_LAYOUT", place, "a bare array, as in files of 2018", |json| {
            *json = written(&File { is_2018: true, ..base.clone() });
        }),
        changed(
            base,
            "UNDEFINED_PROPERTY",
            format!("/extensions/{NAME}/compressedAnimations/0"),
            "no bufferView",
            |json| {
                first(json).as_object_mut().map(|stream| stream.remove("bufferView"));
            },
        ),
        changed(base, "UNRESOLVED_REFERENCE", of_first("bufferView"), "a bufferView that does not exist", |json| {
            first(json)["bufferView"] = json!(7);
        }),
        changed(
            base,
            "UNEXPECTED_EXTENSION_OBJECT",
            format!("/animations/0/extensions/{NAME}"),
            "the extension's object on an animation, not at the root",
            |json| {
                let object = json["extensions"][NAME].clone();
                json["animations"][0]["extensions"] = json!({ NAME: object });
                json.as_object_mut().map(|root| root.remove("extensions"));
            },
        ),
    ]
}

fn ids() -> Vec<Broken> {
    let base = &base();
    vec![
        changed(
            base,
            "DRACO_ID_COUNT",
            format!("/extensions/{NAME}/compressedAnimations/0"),
            "three outputs with two ids",
            |json| first(json)["attributeId"] = json!([1, 2]),
        ),
        changed(base, "DRACO_ID_UNKNOWN", of_first("attributeId/1"), "an id that the stream does not have", |json| {
            first(json)["attributeId"] = json!([1, 7, 3]);
        }),
        changed(base, "DUPLICATE_ELEMENTS", of_first("attributeId/1"), "two outputs with the same id", |json| {
            first(json)["attributeId"] = json!([3, 3, 1]);
        }),
        changed(
            base,
            "VALUE_NOT_IN_RANGE",
            of_first("attributeId/0"),
            "an output with the id of the timestamps",
            |json| {
                first(json)["attributeId"] = json!([0, 2, 3]);
            },
        ),
    ]
}

fn accessors() -> Vec<Broken> {
    let (base, two) = (&base(), &two_streams());
    let optional = File { fallback: true, targets: 1, ..base.clone() };
    vec![
        changed(
            base,
            "DRACO_NOT_REQUIRED",
            "/extensionsUsed/0".into(),
            "no uncompressed data in a file that does not require the extension",
            |json| drop(json.as_object_mut().map(|root| root.remove("extensionsRequired"))),
        ),
        changed(
            base,
            "DRACO_FALLBACK_UNUSED",
            "/extensionsRequired/0".into(),
            "all data uncompressed, too, in a file that requires the extension",
            |json| *json = required(inlined(&optional)),
        ),
        changed(
            two,
            "DRACO_ACCESSOR_TWICE",
            format!("/extensions/{NAME}/compressedAnimations/1/outputs/0"),
            "an output that two streams claim",
            |json| {
                let output = first(json)["outputs"][0].clone();
                json["extensions"][NAME]["compressedAnimations"][1]["outputs"][0] = output;
            },
        ),
        changed(
            two,
            "DRACO_SAMPLER_INPUT",
            "/animations/0/samplers/1/input".into(),
            "a sampler with the times of one stream and the values of another",
            |json| {
                let input = json["animations"][0]["samplers"][0]["input"].clone();
                json["animations"][0]["samplers"][1]["input"] = input;
            },
        ),
        changed(
            base,
            "DRACO_COMPONENT_TYPE",
            "/accessors/1/componentType".into(),
            "16-bit integers by the accessor, as in the draft's example; floats in the stream",
            |json| json["accessors"][1]["componentType"] = json!(5123),
        ),
        changed(base, "DRACO_SPARSE", "/accessors/1/sparse".into(), "a sparse accessor in a stream", |json| {
            let zeros = json!([{ "byteLength": 16, "uri": data_uri(&[0; 16]) }]);
            push_all(json, "buffers", zeros);
            push_all(
                json,
                "bufferViews",
                json!([{ "buffer": 1, "byteLength": 1 }, { "buffer": 1, "byteOffset": 4, "byteLength": 12 }]),
            );
            let indices = json!({ "bufferView": 1, "componentType": 5121 });
            json["accessors"][1]["sparse"] = json!({ "count": 1, "indices": indices, "values": { "bufferView": 2 } });
        }),
        changed(
            base,
            "DRACO_POINT_COUNT_MISMATCH",
            of_first("outputs/0"),
            "an accessor with one element less than the stream has keys",
            |json| json["accessors"][1]["count"] = json!(4),
        ),
    ]
}

fn push_all(json: &mut Value, list: &str, elements: Value) {
    let (Some(list), Value::Array(elements)) = (json[list].as_array_mut(), elements) else { return };
    list.extend(elements);
}

/// The file with its three buffers inside.
fn inlined(file: &File) -> Value {
    let written = file.write("");
    let mut json = written.json;
    for (i, (_, bytes)) in written.beside.iter().enumerate() {
        json["buffers"][i]["uri"] = json!(data_uri(bytes));
    }
    json
}

fn required(mut json: Value) -> Value {
    json["extensionsRequired"] = json!([NAME]);
    json
}

fn streams() -> Vec<Broken> {
    let base = &base();
    let mut together = motion();
    together.times[2] = together.times[1];
    vec![
        changed(
            base,
            "DRACO_STREAM_UNREADABLE",
            of_first("bufferView"),
            "a stream of a version that does not exist",
            |json| *json = written(&File { tamper: |stream| stream[6] = 9, ..base.clone() }),
        ),
        changed(
            base,
            "DRACO_STREAM_UNDESCRIBED",
            "/accessors/0".into(),
            "accessors over a stream that no object describes, as one exporter wrote them",
            |json| {
                let root = json.as_object_mut().expect("the root is an object");
                root.remove("extensions");
                json["accessors"][0]["bufferView"] = json!(0);
            },
        ),
        changed(
            &weights(127),
            "DRACO_MANY_COMPONENTS",
            of_first("outputs/0"),
            "128 morph targets: one more than a signed byte can say",
            |json| *json = written(&weights(128)),
        ),
        changed(
            base,
            "ACCESSOR_ANIMATION_INPUT_NON_INCREASING",
            "/animations/0/samplers/0/input".into(),
            "two decoded times that are equal",
            |json| *json = written(&File::new(vec![together.clone()])),
        ),
    ]
}
