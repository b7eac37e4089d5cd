//! `lamp.gltf` with `lamp.bin`: a desk lamp whose colour, brightness and visitor are animated by KHR_animation_pointer.
//!
//! The light's colour and intensity, the bulb's glow, the shade's paint (stored as normalized bytes) and the moth's
//! visibility (bytes, STEP) are pointers; the head's rotation and the moth's flight are core channels beside them.

use std::f64::consts::{FRAC_PI_2, TAU};

use glam::{DQuat, DVec2, DVec3};
use serde_json::{Value, json};

use super::gltf::{Clip, Component, Gltf, Usage};
use super::shape::{Shape, cylinder, ellipsoid, lathe, prism};

const EXTENSIONS: [&str; 3] = ["KHR_animation_pointer", "KHR_lights_punctual", "KHR_node_visibility"];

const METAL: usize = 0;
const SHADE: usize = 1;
const BULB: usize = 2;
const WINGS: usize = 3;
const DESK: usize = 4;

pub(crate) fn lamp() -> Gltf {
    let mut gltf = Gltf::new(&EXTENSIONS);
    let light = json!({
        "type": "spot", "color": [1.0, 0.8, 0.55], "intensity": 0.9,
        "spot": { "innerConeAngle": 0.4, "outerConeAngle": 0.95 },
    });
    gltf.set("extensions", json!({ "KHR_lights_punctual": { "lights": [light] } }));
    materials(&mut gltf);
    let nodes = nodes(&mut gltf);
    gltf.push("scenes", json!({ "name": "lamp", "nodes": [nodes.desk, nodes.base, nodes.flight] }));
    evening(&mut gltf, &nodes);
    gltf
}

fn materials(gltf: &mut Gltf) {
    let mut finish = |name: &str, color: [f64; 4], metallic: f64, roughness: f64, rest: Value| {
        let factors = json!({ "baseColorFactor": color, "metallicFactor": metallic, "roughnessFactor": roughness });
        let mut material = json!({ "name": name, "pbrMetallicRoughness": factors });
        for (member, value) in rest.as_object().into_iter().flatten() {
            material[member] = value.clone();
        }
        gltf.push("materials", material)
    };
    finish("metal", [0.5, 0.5, 0.52, 1.0], 0.6, 0.35, json!({}));
    finish("shade", [0.7, 0.08, 0.05, 1.0], 0.0, 0.4, json!({ "doubleSided": true }));
    finish("bulb", [1.0, 0.95, 0.85, 1.0], 0.0, 0.2, json!({ "emissiveFactor": [1.0, 0.8, 0.55] }));
    finish("wings", [0.75, 0.7, 0.6, 1.0], 0.0, 0.9, json!({ "doubleSided": true }));
    finish("desk", [0.42, 0.25, 0.13, 1.0], 0.0, 0.7, json!({}));
}

struct Nodes {
    desk: usize,
    base: usize,
    head: usize,
    flight: usize,
    moth: usize,
    wings: [usize; 2],
}

fn nodes(gltf: &mut Gltf) -> Nodes {
    let desk = node(gltf, "desk", DVec3::new(0.15, -0.05, 0.05), [(cylinder(0.75, 0.05, 0.01, ()), DESK)], &[]);
    let bulb = node(gltf, "bulb", DVec3::NEG_Y * 0.09, [(ellipsoid(DVec3::new(0.05, 0.065, 0.05), 16, ()), BULB)], &[]);
    let light = gltf.push(
        "nodes",
        json!({
            "name": "light",
            "rotation": quaternion(DQuat::from_rotation_x(-FRAC_PI_2)),
            "translation": [0.0, -0.1, 0.0],
            "extensions": { "KHR_lights_punctual": { "light": 0 } },
        }),
    );
    let head = node(gltf, "head", DVec3::Y * 0.42, [(shade(), SHADE), (cap(), METAL)], &[bulb, light]);
    turn(gltf, head, head_turn(0.0));
    let upper = node(gltf, "upper_arm", DVec3::Y * 0.48, [(arm(0.42), METAL)], &[head]);
    turn(gltf, upper, DQuat::from_rotation_z(-1.45));
    let lower = node(gltf, "lower_arm", DVec3::Y * 0.05, [(arm(0.48), METAL)], &[upper]);
    turn(gltf, lower, DQuat::from_rotation_z(0.35));
    let base = node(gltf, "base", DVec3::new(-0.2, 0.0, 0.0), [(cylinder(0.16, 0.05, 0.015, ()), METAL)], &[lower]);
    let wings = [1.0, -1.0].map(|side| {
        let name = if side > 0.0 { "wing.left" } else { "wing.right" };
        node(gltf, name, DVec3::ZERO, [(wing(side), WINGS)], &[])
    });
    let body = ellipsoid(DVec3::new(0.011, 0.011, 0.035), 10, ());
    let moth = node(gltf, "moth", DVec3::new(0.24, 0.0, 0.0), [(body, WINGS)], &wings);
    gltf.amend("nodes", moth, "extensions", json!({ "KHR_node_visibility": { "visible": true } }));
    let flight = gltf.push("nodes", json!({ "name": "flight", "translation": [0.1, 0.42, 0.0], "children": [moth] }));
    Nodes { desk, base, head, flight, moth, wings }
}

fn node<const N: usize>(
    gltf: &mut Gltf,
    name: &str,
    place: DVec3,
    solids: [(Shape<()>, usize); N],
    children: &[usize],
) -> usize {
    let primitives: Vec<_> =
        solids.iter().map(|(solid, material)| solid.vertices().primitive(gltf, *material)).collect();
    let mesh = gltf.push("meshes", json!({ "name": name, "primitives": primitives }));
    let place = place.to_array().map(|x| x as f32);
    let mut node = json!({ "name": name, "mesh": mesh, "translation": place });
    if !children.is_empty() {
        node["children"] = json!(children);
    }
    gltf.push("nodes", node)
}

fn turn(gltf: &mut Gltf, node: usize, rotation: DQuat) {
    gltf.amend("nodes", node, "rotation", json!(quaternion(rotation)));
}

fn quaternion(rotation: DQuat) -> [f32; 4] {
    rotation.to_array().map(|x| x as f32)
}

fn arm(length: f64) -> Shape<()> {
    let mut arm = cylinder(0.016, length, 0.004, ());
    arm.add(ellipsoid(DVec3::splat(0.032), 14, ()));
    arm
}

/// An open bell, seen from both sides.
fn shade() -> Shape<()> {
    lathe(&[(0.17, -0.15), (0.155, -0.1), (0.12, -0.04), (0.07, 0.01), (0.03, 0.03)], 28, ())
}

fn cap() -> Shape<()> {
    lathe(&[(0.0, 0.015), (0.04, 0.02), (0.042, 0.05), (0.03, 0.07), (0.0, 0.075)], 20, ())
}

fn wing(side: f64) -> Shape<()> {
    let outline: Vec<DVec2> = (0..12)
        .map(|i| {
            let angle = TAU * f64::from(i) / 12.0;
            DVec2::new(0.036 * libm::cos(angle), 0.045 * libm::sin(angle))
        })
        .collect();
    prism(&outline, 0.002, 0.0005, ()).map(|p| p + DVec3::new(side * 0.047, 0.0, 0.0))
}

/// How the lamp's head hangs on the upper arm, which points sideways, when it looks `aside` radians from straight down.
fn head_turn(aside: f64) -> DQuat {
    DQuat::from_rotation_z(1.1 + aside)
}

/// Six seconds: warm light fades in, turns cold, turns coloured; a moth comes while it is bright.
fn evening(gltf: &mut Gltf, nodes: &Nodes) {
    let mut clip = Clip::new("evening");
    let hues: [[f32; 3]; 5] =
        [[1.0, 0.45, 0.15], [1.0, 0.8, 0.55], [0.85, 0.92, 1.0], [0.35, 0.3, 1.0], [1.0, 0.45, 0.15]];
    let input = gltf.accessor(&[[0.0f32], [1.5], [3.0], [4.5], [6.0]], Usage::Times);
    let light = "/extensions/KHR_lights_punctual/lights/0";
    pointer(gltf, &mut clip, &format!("{light}/color"), "LINEAR", input, &hues);
    let glows = hues.map(|hue| hue.map(|x| x * 0.9));
    pointer(gltf, &mut clip, &format!("/materials/{BULB}/emissiveFactor"), "LINEAR", input, &glows);

    let input = gltf.accessor(&[[0.0f32], [1.0], [2.0], [4.0], [5.5]], Usage::Times);
    // Per key: slope before, intensity, slope after.
    let intensities = [0.0, 0.1, 0.0, 1.0, 0.9, 0.6, 0.0, 1.5, 0.0, -0.4, 0.8, -0.4, 0.0, 0.1, 0.0f32];
    pointer(gltf, &mut clip, &format!("{light}/intensity"), "CUBICSPLINE", input, &intensities.map(|x| [x]));

    let input = gltf.accessor(&[[0.5f32], [3.0], [5.0]], Usage::Times);
    let paints = [[179u8, 20, 13, 255], [20, 110, 120, 255], [179, 20, 13, 255]];
    let shade = format!("/materials/{SHADE}/pbrMetallicRoughness/baseColorFactor");
    pointer(gltf, &mut clip, &shade, "LINEAR", input, &paints);

    let input = gltf.accessor(&[[0.0f32], [1.0], [4.75]], Usage::Times);
    let visible = format!("/nodes/{}/extensions/KHR_node_visibility/visible", nodes.moth);
    pointer(gltf, &mut clip, &visible, "STEP", input, &[[0u8], [1], [0]]);

    flight(gltf, &mut clip, nodes);
    clip.finish(gltf);
}

/// The core channels: the lamp's head looks after the moth, which circles and beats its wings.
fn flight(gltf: &mut Gltf, clip: &mut Clip, nodes: &Nodes) {
    let rounds = turns(24, |phase| DQuat::from_rotation_y(TAU * 3.0 * phase));
    rotate(gltf, clip, nodes.flight, &rounds);
    let looks = turns(12, |phase| head_turn(0.25 * libm::sin(TAU * phase)));
    rotate(gltf, clip, nodes.head, &looks);
    for (wing, side) in nodes.wings.into_iter().zip([1.0, -1.0]) {
        let beats = turns(96, |phase| DQuat::from_rotation_z(side * (0.3 + 0.8 * libm::sin(TAU * 24.0 * phase))));
        rotate(gltf, clip, wing, &beats);
    }
}

/// Rotations at equal steps through the six seconds.
fn turns(steps: u16, rotation: impl Fn(f64) -> DQuat) -> Vec<DQuat> {
    (0..=steps).map(|i| rotation(f64::from(i) / f64::from(steps))).collect()
}

fn rotate(gltf: &mut Gltf, clip: &mut Clip, node: usize, rotations: &[DQuat]) {
    let step = 6.0 / (rotations.len() - 1) as f32;
    let times: Vec<[f32; 1]> = (0..rotations.len()).map(|i| [i as f32 * step]).collect();
    let values: Vec<[f32; 4]> = rotations.iter().map(|&rotation| quaternion(rotation)).collect();
    let input = gltf.accessor(&times, Usage::Times);
    let output = gltf.accessor(&values, Usage::Values);
    clip.channel(json!({ "node": node, "path": "rotation" }), "LINEAR", input, output);
}

fn pointer<T: Component, const N: usize>(
    gltf: &mut Gltf,
    clip: &mut Clip,
    pointer: &str,
    interpolation: &str,
    input: usize,
    values: &[[T; N]],
) {
    // A colour in bytes is a fraction; a truth value is not.
    let usage = if T::TYPE == u8::TYPE && N > 1 { Usage::Fractions } else { Usage::Values };
    let output = gltf.accessor(values, usage);
    let target = json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
    clip.channel(target, interpolation, input, output);
}
