//! `face.glb`: a head with seven morph targets, stored sparse, that talks (LINEAR, baked) and makes faces (CUBICSPLINE).

use std::f64::consts::{PI, TAU};

use glam::{DQuat, DVec3};
use serde_json::json;

use super::gltf::{Clip, Gltf, Usage};
use super::shape::{Shape, Vertices, ellipsoid, floats, ring};

/// What a vertex belongs to; a side is +1 for the left and -1 for the right.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Skin,
    Hair,
    White,
    Iris,
    UpperLid(i8),
    LowerLid(i8),
    Brow,
    Lip,
    Mouth,
    Shirt,
}

impl Part {
    fn color(self) -> [u8; 4] {
        match self {
            Part::Skin => [222, 146, 104, 255],
            Part::UpperLid(_) | Part::LowerLid(_) => [205, 126, 88, 255],
            Part::Hair | Part::Brow => [52, 26, 14, 255],
            Part::White => [236, 234, 228, 255],
            Part::Iris => [16, 42, 62, 255],
            Part::Lip => [176, 62, 54, 255],
            Part::Mouth => [40, 6, 8, 255],
            Part::Shirt => [12, 118, 128, 255],
        }
    }
}

/// The head's half axes, where its left eye is and how large, where its mouth is and how wide.
const HEAD: DVec3 = DVec3::new(0.78, 1.0, 0.85);
const EYE: DVec3 = DVec3::new(0.28, 0.1, 0.66);
const EYE_RADIUS: f64 = 0.19;
const LID_RADIUS: f64 = 0.207;
const MOUTH: f64 = -0.45;
const MOUTH_WIDTH: f64 = 0.25;

/// How a morph target moves a vertex.
type Target = fn(Part, DVec3) -> DVec3;

/// The targets in their order.
const TARGETS: [(&str, Target); 7] = [
    ("smile", smile),
    ("open", open),
    ("pucker", pucker),
    ("blink_left", |part, p| blink(part, p, 1)),
    ("blink_right", |part, p| blink(part, p, -1)),
    ("brows_up", brows_up),
    ("frown", frown),
];

const COUNT: usize = TARGETS.len();

/// All weights at one moment.
type Weights = [f64; COUNT];

pub(crate) fn face() -> Gltf {
    let mut gltf = Gltf::new(&[]);
    let mesh = mesh(&mut gltf);
    let head = gltf.push("nodes", json!({ "name": "head", "mesh": mesh }));
    gltf.push("scenes", json!({ "name": "face", "nodes": [head] }));
    talk(&mut gltf, head);
    expressions(&mut gltf, head);
    gltf
}

fn mesh(gltf: &mut Gltf) -> usize {
    let vertices = shape().vertices();
    let factors = json!({ "metallicFactor": 0, "roughnessFactor": 0.6 });
    let material = gltf.push("materials", json!({ "name": "face", "pbrMetallicRoughness": factors }));
    let mut primitive = vertices.primitive(gltf, material);
    let colors: Vec<[u8; 4]> = vertices.attributes.iter().map(|part| part.color()).collect();
    primitive["attributes"]["COLOR_0"] = json!(gltf.accessor(&colors, Usage::VertexFraction));
    let targets: Vec<_> =
        TARGETS.iter().map(|(_, target)| json!({ "POSITION": gltf.sparse(&moves(&vertices, *target)) })).collect();
    primitive["targets"] = json!(targets);
    let names = TARGETS.map(|(name, _)| name);
    let mesh = json!({
        "name": "face",
        "primitives": [primitive],
        "weights": vec![0.0; COUNT],
        "extras": { "targetNames": names },
    });
    gltf.push("meshes", mesh)
}

/// How far a target moves each vertex; less than a hair's breadth is not stored.
fn moves(vertices: &Vertices<Part>, target: Target) -> Vec<[f32; 3]> {
    let moved = vertices.positions.iter().zip(&vertices.attributes).map(|(&position, &part)| target(part, position));
    let kept: Vec<_> = moved.map(|by| if by.length() < 0.002 { DVec3::ZERO } else { by }).collect();
    floats(&kept)
}

fn shape() -> Shape<Part> {
    let mut face = ellipsoid(HEAD, 28, Part::Skin).map(chin);
    let ball = |radii: [f64; 3], points, part, x, y, z| {
        ellipsoid(DVec3::from_array(radii), points, part).map(|p| p + DVec3::new(x, y, z))
    };
    face.add(ball([0.84, 0.86, 0.84], 24, Part::Hair, 0.0, 0.32, -0.17));
    face.add(ball([0.1, 0.17, 0.15], 14, Part::Skin, 0.0, -0.13, 0.85));
    face.add(ball([0.26, 0.5, 0.28], 16, Part::Skin, 0.0, -1.05, -0.08));
    face.add(ball([0.95, 0.4, 0.55], 20, Part::Shirt, 0.0, -1.55, -0.1));
    for side in [1, -1] {
        let x = f64::from(side);
        face.add(ball([0.1, 0.2, 0.13], 14, Part::Skin, x * 0.8, -0.05, 0.0));
        face.add(eye(side));
        face.add(brow(x));
    }
    face.add(lips());
    face.add(mouth());
    face
}

/// The skull narrows towards the chin.
fn chin(p: DVec3) -> DVec3 {
    let below = (-p.y).max(0.0);
    DVec3::new(p.x * (1.0 - 0.25 * below * below), p.y, p.z + 0.06 * below)
}

/// The depth of the face's surface at a place seen from the front.
fn depth(x: f64, y: f64) -> f64 {
    let below = (-y).max(0.0);
    let across = x / (HEAD.x * (1.0 - 0.25 * below * below));
    HEAD.z * (1.0 - across * across - y * y).max(0.0).sqrt() + 0.06 * below
}

fn eye(side: i8) -> Shape<Part> {
    let center = EYE * DVec3::new(f64::from(side), 1.0, 1.0);
    let mut eye = ellipsoid(DVec3::splat(EYE_RADIUS), 18, Part::White).map(|p| p + center);
    let iris = DVec3::new(0.0, 0.0, EYE_RADIUS * 0.85);
    eye.add(ellipsoid(DVec3::new(0.085, 0.085, 0.034), 14, Part::Iris).map(|p| p + iris + center));
    eye.add(lid(center, [PI / 2.0, 0.48], Part::UpperLid(side)));
    eye.add(lid(center, [-0.5, -PI / 2.0], Part::LowerLid(side)));
    eye
}

/// A shell over the eyeball between two elevations, from above to below. Behind, it is inside the head.
fn lid(center: DVec3, [top, bottom]: [f64; 2], part: Part) -> Shape<Part> {
    let bands = 5;
    let rings: Vec<_> = (0..=bands)
        .map(|i| {
            let elevation = bottom + (top - bottom) * f64::from(i) / f64::from(bands);
            let flat = LID_RADIUS * libm::cos(elevation);
            ring(center + DVec3::Y * LID_RADIUS * libm::sin(elevation), DVec3::Z * flat, DVec3::X * flat, 18)
        })
        .collect();
    Shape::loft(&rings, |_| part)
}

fn brow(side: f64) -> Shape<Part> {
    ellipsoid(DVec3::new(0.2, 0.035, 0.05), 14, Part::Brow).map(|p| {
        let (x, y) = (side * EYE.x + p.x, 0.42 + p.y - 0.9 * p.x * p.x);
        DVec3::new(x, y, depth(x, 0.42) + p.z + 0.015)
    })
}

/// A ring of lip around the mouth.
fn lips() -> Shape<Part> {
    let rings: Vec<_> = (0..=28)
        .map(|i| {
            let angle = TAU * f64::from(i % 28) / 28.0;
            let (x, y) = (MOUTH_WIDTH * libm::cos(angle), 0.045 * libm::sin(angle));
            let middle = DVec3::new(x, MOUTH + y, depth(x, MOUTH + y) + 0.01);
            let thick = 0.022 + 0.02 * libm::sin(angle) * libm::sin(angle);
            let out = DVec3::new(libm::cos(angle), libm::sin(angle), 0.0);
            ring(middle, out * thick, DVec3::Z * thick * 1.2, 8)
        })
        .collect();
    Shape::loft(&rings, |_| Part::Lip)
}

/// The dark between the lips, just before the skin.
fn mouth() -> Shape<Part> {
    let patch = |size: f64, out: f64| {
        (0..28)
            .map(|i| {
                let angle = TAU * f64::from(i) / 28.0;
                let (x, y) = (size * MOUTH_WIDTH * libm::cos(angle), MOUTH + size * 0.045 * libm::sin(angle));
                DVec3::new(x, y, depth(x, y) + out)
            })
            .collect::<Vec<_>>()
    };
    Shape::loft(&[patch(1.0, 0.012), patch(0.7, 0.02), patch(0.35, 0.022), patch(0.0, 0.022)], |_| Part::Mouth)
}

/// How much a vertex of the mouth is in its middle (1) or at a corner (0), and its place between them (-1 to 1).
fn across(p: DVec3) -> (f64, f64) {
    let x = (p.x / MOUTH_WIDTH).clamp(-1.15, 1.15);
    ((1.0 - x * x).max(0.0), x)
}

fn is_mouth(part: Part) -> bool {
    matches!(part, Part::Lip | Part::Mouth)
}

/// 1 at a distance of 0, falling off smoothly to 0 at `reach`.
fn near(distance: f64, reach: f64) -> f64 {
    let t = (1.0 - distance / reach).max(0.0);
    t * t * (3.0 - 2.0 * t)
}

fn smile(part: Part, p: DVec3) -> DVec3 {
    let (_, x) = across(p);
    match part {
        _ if is_mouth(part) => DVec3::new(0.13 * x, 0.16 * x * x - 0.03, -0.07 * x * x + 0.01),
        Part::Skin => {
            let cheek = DVec3::new(p.x.signum() * 0.42, -0.22, 0.62);
            DVec3::new(p.x.signum() * 0.03, 0.05, 0.05) * near((p - cheek).length(), 0.4)
        }
        Part::LowerLid(_) => DVec3::new(0.0, 0.05, 0.02) * near((p.z - EYE.z - 0.2).abs(), 0.2),
        _ => DVec3::ZERO,
    }
}

fn open(part: Part, p: DVec3) -> DVec3 {
    let (middle, _) = across(p);
    let lower = ((MOUTH + 0.05 - p.y) / 0.1).clamp(0.0, 1.0);
    match part {
        _ if is_mouth(part) => DVec3::new(-0.15 * p.x, (0.05 - 0.36 * lower) * middle, 0.03 * middle * lower),
        Part::Skin if p.y < MOUTH && p.z > -0.2 => DVec3::new(0.0, -0.2, -0.02) * near((p.y + 1.0).abs(), 0.55),
        _ => DVec3::ZERO,
    }
}

fn pucker(part: Part, p: DVec3) -> DVec3 {
    let (middle, x) = across(p);
    if is_mouth(part) { DVec3::new(-0.13 * x, (p.y - MOUTH) * 1.1 * middle, 0.09 * middle + 0.03) } else { DVec3::ZERO }
}

/// Both lids of a side turn over the eyeball until they meet a little below its middle.
fn blink(part: Part, p: DVec3, side: i8) -> DVec3 {
    let (turn, edge) = match part {
        Part::UpperLid(s) if s == side => (0.6, 0.48),
        Part::LowerLid(s) if s == side => (-0.4, -0.5),
        _ => return DVec3::ZERO,
    };
    let from = p - EYE * DVec3::new(f64::from(side), 1.0, 1.0);
    let elevation = libm::asin((from.y / (LID_RADIUS)).clamp(-1.0, 1.0));
    // All of it at the lid's edge, nothing at its pole.
    let share = 1.0 - (elevation - edge).abs() / (PI / 2.0 - edge.abs());
    let closed = DQuat::from_rotation_x(turn * share) * from;
    // Behind the eye the shell stays in the head.
    if from.z < 0.0 { DVec3::ZERO } else { closed - from }
}

fn brows_up(part: Part, p: DVec3) -> DVec3 {
    match part {
        Part::Brow => DVec3::new(0.0, 0.13, depth(p.x, 0.55) - depth(p.x, 0.42)),
        Part::UpperLid(_) => DVec3::new(0.0, 0.02, -0.01) * near((p.z - EYE.z - 0.2).abs(), 0.2),
        _ => DVec3::ZERO,
    }
}

fn frown(part: Part, p: DVec3) -> DVec3 {
    let (_, x) = across(p);
    match part {
        Part::Brow => {
            let inner = ((0.48 - p.x.abs()) / 0.4).clamp(0.0, 1.0);
            DVec3::new(-p.x.signum() * 0.04 * inner, 0.05 - 0.17 * inner, 0.05 * inner)
        }
        _ if is_mouth(part) => DVec3::new(-0.03 * x, -0.13 * x * x + 0.03, -0.03 * x * x),
        _ => DVec3::ZERO,
    }
}

/// Three seconds of speech, baked at 30 Hz: the mouth by syllables, two blinks, the head nodding along.
fn talk(gltf: &mut Gltf, head: usize) {
    let times: Vec<[f32; 1]> = (0..=90u8).map(|frame| [f32::from(frame) / 30.0]).collect();
    let moments = || (0..=90).map(|frame| f64::from(frame) / 30.0);
    let weights: Vec<[f32; 1]> = moments().flat_map(|time| speech(time).map(|w| [w as f32])).collect();
    let nods: Vec<[f32; 4]> = moments().map(|time| nod(time).to_array().map(|x| x as f32)).collect();
    let mut clip = Clip::new("talk");
    let input = gltf.accessor(&times, Usage::Times);
    let weights = gltf.accessor(&weights, Usage::Values);
    let nods = gltf.accessor(&nods, Usage::Values);
    clip.channel(json!({ "node": head, "path": "weights" }), "LINEAR", input, weights);
    clip.channel(json!({ "node": head, "path": "rotation" }), "LINEAR", input, nods);
    clip.finish(gltf);
}

fn speech(time: f64) -> Weights {
    let turn = TAU * time / 3.0;
    let syllable = (libm::sin(9.0 * turn) + 0.6 * libm::sin(14.0 * turn + 0.7)).max(0.0) / 1.6;
    // Quiet at both ends, so that the clip closes into a loop, and between two sentences.
    let loud = near((time - 0.75).abs(), 0.75).max(near((time - 2.2).abs(), 0.75));
    let round = 0.5 + 0.5 * libm::sin(5.0 * turn + 1.0);
    let shut = near((time - 0.4).abs(), 0.12).max(near((time - 1.5).abs(), 0.14));
    let stress = near((time - 1.1).abs(), 0.4);
    [
        0.25 + 0.2 * libm::sin(turn) * loud,
        0.9 * syllable * loud,
        0.7 * round * syllable * loud,
        shut,
        shut,
        0.7 * stress,
        0.0,
    ]
}

fn nod(time: f64) -> DQuat {
    let turn = TAU * time / 3.0;
    let pitch = 0.05 * libm::sin(3.0 * turn) * libm::sin(turn);
    DQuat::from_rotation_y(0.12 * libm::sin(turn)) * DQuat::from_rotation_x(pitch)
}

/// Expressions with few keys: time and all weights. The curve's slopes follow the keys around each one.
const EXPRESSIONS: [(f64, Weights); 8] = [
    (0.0, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
    (0.6, [1.0, 0.15, 0.0, 0.1, 0.1, 0.4, 0.0]),
    (1.3, [0.9, 0.3, 0.0, 0.0, 1.0, 0.3, 0.0]),
    (1.8, [0.3, 0.9, 0.0, 0.0, 0.0, 1.0, 0.0]),
    (2.5, [0.0, 0.2, 0.9, 0.0, 0.0, 0.8, 0.1]),
    (3.2, [0.0, 0.0, 0.2, 0.3, 0.3, 0.0, 1.0]),
    (3.8, [0.1, 0.0, 0.0, 1.0, 1.0, 0.1, 0.4]),
    (4.5, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
];

fn expressions(gltf: &mut Gltf, head: usize) {
    let keys = &EXPRESSIONS;
    let slope = |key: usize, target: usize| {
        if key == 0 || key + 1 == keys.len() {
            return 0.0;
        }
        let (before, after) = (&keys[key - 1], &keys[key + 1]);
        (after.1[target] - before.1[target]) / (after.0 - before.0)
    };
    let mut values: Vec<[f32; 1]> = Vec::new();
    for (key, (_, weights)) in keys.iter().enumerate() {
        let slopes: Vec<f64> = (0..COUNT).map(|target| slope(key, target)).collect();
        for row in [&slopes, &weights.to_vec(), &slopes] {
            values.extend(row.iter().map(|&x| [x as f32]));
        }
    }
    let times: Vec<[f32; 1]> = keys.iter().map(|key| [key.0 as f32]).collect();
    let mut clip = Clip::new("expressions");
    let input = gltf.accessor(&times, Usage::Times);
    let output = gltf.accessor(&values, Usage::Values);
    clip.channel(json!({ "node": head, "path": "weights" }), "CUBICSPLINE", input, output);
    clip.finish(gltf);
}
