//! The schemas of the extension objects, and the files against them.

use keyfold_oracle::schema::keeps;
use serde_json::Value;

use crate::{folder, manifest, open};

fn schema(extension: &str) -> Value {
    let file = folder().join(format!("schema/animation.channel.target.{extension}.schema.json"));
    serde_json::from_slice(&std::fs::read(file).expect("a schema")).expect("JSON")
}

/// The objects of an extension on a document's channels, and whether each keeps its schema.
fn checks(json: &Value, extension: &str) -> Vec<bool> {
    let schema = schema(extension);
    let channels =
        json["animations"].as_array().into_iter().flatten().filter_map(|a| a["channels"].as_array()).flatten();
    let objects = channels.filter_map(|channel| channel["target"]["extensions"].get(extension));
    objects.map(|object| keeps(&schema, object)).collect()
}

#[test]
fn files_keep_the_schemas() {
    let (mut ratified, mut draft) = (0, 0);
    for file in manifest().valid {
        let document = file.open();
        let found = checks(document.json(), "KHR_animation_pointer");
        if file.is_ratified() {
            assert_eq!(found, [true], "{}", file.file.display());
            ratified += 1;
        } else {
            assert_eq!(found, [false], "{}: the form with `path` is not the ratified one", file.file.display());
            assert_eq!(checks(document.json(), "KHR_animation2"), [true, true], "{}", file.file.display());
            draft += 2;
        }
    }
    println!("{ratified} objects of KHR_animation_pointer, {draft} of KHR_animation2 keep their schemas");
    let malformed = open("broken/no-pointer.gltf".as_ref());
    assert_eq!(checks(malformed.json(), "KHR_animation_pointer"), [false]);
}
