//! `samples/conformance/pointer`: a file for every property that can be animated through a pointer, in every form in which pointers were
//! written, and a file for every rule that can be broken. `manifest.json` says what to expect of each.
//!
//! `ratified/` holds KHR_animation_pointer alone; `older/` the same property in the four forms that came before, one animation each;
//! `broken/` files with one mistake.

mod broken;
mod property;
mod scene;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    Sample,
    gltf::{Clip, Gltf},
};
use property::Property;

const FOLDER: &str = "samples/conformance/pointer";

/// Where the validator's tests look for a file that breaks a rule, and one that just does not.
const CODES: &str = "crates/keyfold/tests/codes";

/// The forms that came before, by the name that their animation has in a file of `older/`.
const OLDER: [&str; 4] = ["animation2", "animation2-path", "property-animation", "pointer-path"];

/// All files, with their paths from the root of the project.
pub(super) fn all() -> Vec<Sample> {
    let mut files = Vec::new();
    let mut valid = Vec::new();
    for property in property::all() {
        if property.is_current() {
            let file = format!("ratified/{}.gltf", property.name());
            valid.push(expected(&file, &property, &["pointer"]));
            files.push((file, ratified(&property)));
        }
        let file = format!("older/{}.gltf", property.name());
        valid.push(expected(&file, &property, &OLDER));
        files.push((file, older(&property)));
    }
    let mut broken = Vec::new();
    // Several cases may break one rule: the last of them stands for it.
    let mut twins = BTreeMap::new();
    for case in broken::all() {
        let file = format!("broken/{}.gltf", case.name);
        broken.push(json!({ "file": file, "code": case.code, "at": case.at }));
        if !broken::KHRONOS.contains(&case.code) {
            twins.insert(format!("{CODES}/{}.bad.gltf", case.code), case.bytes.clone());
            twins.insert(format!("{CODES}/{}.good.gltf", case.code), case.twin);
        }
        files.push((file, case.bytes));
    }
    let mut manifest = serde_json::to_vec_pretty(&json!({ "valid": valid, "broken": broken })).expect("JSON");
    manifest.push(b'\n');
    files.push(("manifest.json".into(), manifest));
    let files = files.into_iter().map(|(file, bytes)| (format!("{FOLDER}/{file}"), bytes));
    files.chain(twins).map(|(path, bytes)| Sample { path, bytes }).collect()
}

fn expected(file: &str, property: &Property, animations: &[&str]) -> Value {
    json!({
        "file": file, "template": property.template(), "target": property.target(), "animations": animations,
        "times": property::TIMES, "values": property.values(),
    })
}

fn ratified(property: &Property) -> Vec<u8> {
    let mut gltf = scene::scene(property, &["KHR_animation_pointer"]);
    animate(&mut gltf, property, "pointer", ratified_target(&property.pointer()));
    gltf.embedded()
}

fn ratified_target(pointer: &str) -> Value {
    json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } })
}

fn animate(gltf: &mut Gltf, property: &Property, name: &str, target: Value) {
    let (input, output) = property.accessors(gltf);
    let mut clip = Clip::new(name);
    clip.channel(target, property.interpolation(), input, output);
    clip.finish(gltf);
}

fn older(property: &Property) -> Vec<u8> {
    let declared = ["KHR_animation2", "EXT_property_animation", "KHR_animation_pointer"];
    let mut gltf = scene::scene(property, &declared);
    let (input, output) = property.accessors(&mut gltf);
    let pointer = property.pointer();
    let sampler = json!({ "input": input, "interpolation": property.interpolation(), "output": output });
    for form in OLDER {
        let target = match form {
            "animation2" => json!({ "path": pointer, "extensions": { "KHR_animation2": {} } }),
            "animation2-path" => json!({ "path": "scale", "extensions": { "KHR_animation2": { "path": pointer } } }),
            "pointer-path" => {
                json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "path": pointer } } })
            }
            _ => json!(pointer),
        };
        let channels = json!([{ "sampler": 0, "target": target }]);
        let animation = if target.is_string() {
            let extension = json!({ "EXT_property_animation": { "channels": channels } });
            json!({ "name": form, "channels": [], "samplers": [sampler], "extensions": extension })
        } else {
            json!({ "name": form, "channels": channels, "samplers": [sampler] })
        };
        gltf.push("animations", animation);
    }
    gltf.embedded()
}
