//! `figure.glb`: a skinned figure of 24 joints that walks, runs and stands.
//!
//! Its clips are written as a baking exporter writes them: translation, rotation and scale of every joint at every frame,
//! each with times of its own. That is the waste that packing removes.

mod body;
mod motion;
mod rig;

use glam::DQuat;
use serde_json::{Value, json};

use self::motion::{MOTIONS, Motion};
use self::rig::{COUNT, HIPS, Pose, Rig};
use super::gltf::{Clip, Gltf, Usage};

const FRAMES_PER_SECOND: f32 = 30.0;

pub(crate) fn figure() -> Gltf {
    let rig = Rig::new();
    let mut gltf = Gltf::new(&[]);
    skeleton(&mut gltf, &rig);
    let skin = skin(&mut gltf, &rig);
    let mesh = mesh(&mut gltf, &rig);
    let body = gltf.push("nodes", json!({ "name": "figure", "mesh": mesh, "skin": skin }));
    gltf.push("scenes", json!({ "name": "figure", "nodes": [HIPS, body] }));
    for motion in &MOTIONS {
        bake(&mut gltf, &rig, motion);
    }
    gltf
}

/// The joints: the first nodes of the file, in the order of the rig.
fn skeleton(gltf: &mut Gltf, rig: &Rig) {
    for joint in 0..COUNT {
        let children: Vec<usize> = (1..COUNT).filter(|&child| rig.parents[child] == joint).collect();
        let offset = rig.offset(joint).to_array().map(|x| x as f32);
        let mut node = json!({ "name": rig.names[joint], "translation": offset });
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        gltf.push("nodes", node);
    }
}

fn skin(gltf: &mut Gltf, rig: &Rig) -> usize {
    let matrices: Vec<[f32; 16]> = rig
        .places
        .iter()
        .map(|place| {
            let [x, y, z] = (-*place).to_array().map(|x| x as f32);
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, z, 1.0]
        })
        .collect();
    let matrices = gltf.accessor(&matrices, Usage::Values);
    let joints: Vec<usize> = (0..COUNT).collect();
    gltf.push("skins", json!({ "inverseBindMatrices": matrices, "joints": joints, "skeleton": HIPS }))
}

fn mesh(gltf: &mut Gltf, rig: &Rig) -> usize {
    let vertices = body::body(rig).vertices();
    let material = gltf.push(
        "materials",
        json!({ "name": "body", "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 0.8 } }),
    );
    let mut primitive = vertices.primitive(gltf, material);
    let flesh = &vertices.attributes;
    let colors: Vec<[u8; 4]> = flesh.iter().map(|f| [f.color[0], f.color[1], f.color[2], 255]).collect();
    let joints: Vec<[u8; 4]> = flesh.iter().map(|f| [f.joints[0] as u8, second_joint(f), 0, 0]).collect();
    let weights: Vec<[u8; 4]> = flesh.iter().map(|f| [255 - f.second, f.second, 0, 0]).collect();
    primitive["attributes"]["COLOR_0"] = json!(gltf.accessor(&colors, Usage::VertexFraction));
    primitive["attributes"]["JOINTS_0"] = json!(gltf.accessor(&joints, Usage::Vertex));
    primitive["attributes"]["WEIGHTS_0"] = json!(gltf.accessor(&weights, Usage::VertexFraction));
    gltf.push("meshes", json!({ "name": "figure", "primitives": [primitive] }))
}

/// A joint without weight is written as 0.
fn second_joint(flesh: &body::Flesh) -> u8 {
    if flesh.second == 0 { 0 } else { flesh.joints[1] as u8 }
}

fn bake(gltf: &mut Gltf, rig: &Rig, motion: &Motion) {
    let frames = 0..=motion.frames;
    let times: Vec<[f32; 1]> = frames.clone().map(|frame| [frame as f32 / FRAMES_PER_SECOND]).collect();
    let phase = |frame| f64::from(frame % motion.frames) / f64::from(motion.frames);
    let poses: Vec<Pose> = frames.map(|frame| (motion.pose)(rig, phase(frame))).collect();
    let mut clip = Clip::new(motion.name);
    for joint in 0..COUNT {
        let offset = rig.offset(joint);
        let place = |pose: &Pose| if joint == HIPS { pose.hips } else { offset };
        let translations: Vec<_> = poses.iter().map(|pose| place(pose).to_array().map(|x| x as f32)).collect();
        let rotations = rotations(poses.iter().map(|pose| pose.rotations[joint]));
        let scales = vec![[1.0f32; 3]; poses.len()];
        for (path, output) in [
            ("translation", gltf.accessor(&translations, Usage::Values)),
            ("rotation", gltf.accessor(&rotations, Usage::Values)),
            ("scale", gltf.accessor(&scales, Usage::Values)),
        ] {
            let input = gltf.accessor(&times, Usage::Times);
            clip.channel(target(joint, path), "LINEAR", input, output);
        }
    }
    clip.finish(gltf);
}

fn target(node: usize, path: &str) -> Value {
    json!({ "node": node, "path": path })
}

/// Rotations as stored, neighbours in one hemisphere.
fn rotations(turns: impl Iterator<Item = DQuat>) -> Vec<[f32; 4]> {
    let mut last = DQuat::IDENTITY;
    turns
        .map(|turn| {
            last = if turn.dot(last) < 0.0 { -turn } else { turn }.normalize();
            last.to_array().map(|x| x as f32)
        })
        .collect()
}
