//! The least scene in which a property is defined, and in which viewers load what it belongs to.

use serde_json::{Map, Value, json};

use super::property::Property;
use crate::samples::gltf::{Gltf, Usage};

/// One white pixel, as a PNG.
const PIXEL: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

/// A scene with the property's owner; `declared` are the extensions that animate it.
pub(super) fn scene(property: &Property, declared: &[&str]) -> Gltf {
    let path = property.pointer();
    let mut extensions: Vec<&str> = declared.to_vec();
    extensions.extend(path.split("/extensions/").skip(1).filter_map(|rest| rest.split('/').next()));
    let mut gltf = Gltf::new(&extensions);
    let mut node = Map::from_iter([("name".to_owned(), json!("subject"))]);
    match path.split('/').nth(1) {
        Some("cameras") => drop(node.insert("camera".into(), json!(camera(&mut gltf, &path)))),
        Some("materials") => {
            let material = material(&mut gltf, &path);
            node.insert(
                "mesh".into(),
                json!(mesh(&mut gltf, Some(material), path.contains("Texture") || path.contains("anisotropy"), 0)),
            );
        }
        Some("meshes") => drop(node.insert("mesh".into(), json!(mesh(&mut gltf, None, false, 2)))),
        Some("nodes") => {
            let targets = if path.contains("weights") { 2 } else { 0 };
            node.insert("mesh".into(), json!(mesh(&mut gltf, None, false, targets)));
            node.extend(node_extension(&mut gltf, &path));
        }
        _ => node.extend(light(&mut gltf, &path)),
    }
    gltf.push("nodes", Value::Object(node));
    let mut scene = json!({ "nodes": [0] });
    if path.contains("image_based") {
        scene["extensions"] = json!({ "EXT_lights_image_based": { "light": 0 } });
    }
    gltf.push("scenes", scene);
    gltf
}

fn camera(gltf: &mut Gltf, path: &str) -> usize {
    let camera = if path.contains("orthographic") {
        json!({ "type": "orthographic", "orthographic": { "xmag": 1.5, "ymag": 1.5, "zfar": 20, "znear": 0.125 } })
    } else {
        let perspective = json!({ "aspectRatio": 1.5, "yfov": 0.5, "zfar": 20, "znear": 0.125 });
        json!({ "type": "perspective", "perspective": perspective })
    };
    gltf.push("cameras", camera)
}

/// A material with the objects on the way to a property.
fn material(gltf: &mut Gltf, path: &str) -> usize {
    let mut material = json!({ "name": "subject" });
    let steps: Vec<&str> = path.split('/').skip(3).collect();
    let mut object = &mut material;
    for step in &steps[..steps.len() - 1] {
        object[*step] = if step.ends_with("Texture") { json!({ "index": 0 }) } else { json!({}) };
        object = &mut object[*step];
    }
    if path.contains("Texture") {
        let image = gltf.push("images", json!({ "uri": PIXEL }));
        gltf.push("textures", json!({ "source": image }));
    }
    if path.contains("alphaCutoff") {
        material["alphaMode"] = json!("MASK");
    }
    gltf.push("materials", material)
}

fn mesh(gltf: &mut Gltf, material: Option<usize>, textured: bool, targets: usize) -> usize {
    let corners = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut attributes = json!({ "POSITION": gltf.accessor(&corners, Usage::Position) });
    if textured {
        // Normal textures and anisotropy ask for tangents.
        attributes["NORMAL"] = json!(gltf.accessor(&[[0.0f32, 0.0, 1.0]; 3], Usage::Vertex));
        attributes["TANGENT"] = json!(gltf.accessor(&[[1.0f32, 0.0, 0.0, 1.0]; 3], Usage::Vertex));
        attributes["TEXCOORD_0"] = json!(gltf.accessor(&[[0.0f32, 0.0], [1.0, 0.0], [0.0, 1.0]], Usage::Vertex));
    }
    let mut primitive = json!({ "attributes": attributes });
    if let Some(material) = material {
        primitive["material"] = json!(material);
    }
    if targets > 0 {
        let moved: Vec<Value> =
            (0..targets).map(|_| json!({ "POSITION": gltf.accessor(&corners, Usage::Position) })).collect();
        primitive["targets"] = json!(moved);
    }
    gltf.push("meshes", json!({ "primitives": [primitive] }))
}

fn node_extension(gltf: &mut Gltf, path: &str) -> Map<String, Value> {
    let mut members = Map::new();
    if let Some(name) = path.split("/extensions/").nth(1).and_then(|rest| rest.split('/').next()) {
        let mut object = json!({});
        if name == "EXT_lights_ies" {
            gltf.set("extensions", json!({ name: { "lights": [{ "uri": "data:application/x-ies-lm-63;base64," }] } }));
            object["light"] = json!(0);
        }
        if name == "AVR_lights_static" {
            object["strength"] = json!(1.0);
        }
        members.insert("extensions".into(), json!({ name: object }));
    }
    members
}

/// The lights that the document holds, and what a node needs to carry one.
fn light(gltf: &mut Gltf, path: &str) -> Map<String, Value> {
    let name = path.split('/').nth(2).unwrap_or_default();
    let cone = json!({ "innerConeAngle": 0.25, "outerConeAngle": 1.5 });
    let light = match name {
        "EXT_lights_image_based" => {
            gltf.push("images", json!({ "uri": PIXEL }));
            json!({ "irradianceCoefficients": vec![[0.5; 3]; 9], "specularImageSize": 1, "specularImages": [[0, 0, 0, 0, 0, 0]] })
        }
        "KHR_lights" => json!({ "type": "spot", "innerConeAngle": 0.25, "outerConeAngle": 1.5 }),
        _ => json!({ "type": "spot", "range": 5.0, "spot": cone }),
    };
    gltf.set("extensions", json!({ name: { "lights": [light] } }));
    match name {
        "EXT_lights_image_based" => Map::new(),
        _ => Map::from_iter([("extensions".to_owned(), json!({ name: { "light": 0 } }))]),
    }
}
