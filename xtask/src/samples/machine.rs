//! `machine.glb`: a press whose parts move in every interpolation and stop at different times.
//!
//! The ram, the table and the gauge are CUBICSPLINE with few keys, the flywheel is LINEAR, the counter and the signal are
//! STEP; the counter's first key is later than 0, and `press` and `halt` move different parts.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use glam::{DQuat, DVec2, DVec3};
use serde_json::json;

use super::gltf::{Clip, Gltf, Usage};
use super::shape::{Shape, block, cylinder, ellipsoid, lathe, prism};

type Solid = Shape<()>;

/// A finish: name, base colour, metallic, roughness, emissive colour.
type Finish = (&'static str, [f64; 4], f64, f64, [f64; 3]);

const FINISHES: [Finish; 6] = [
    ("paint", [0.95, 0.55, 0.06, 1.0], 0.0, 0.5, [0.0; 3]),
    ("iron", [0.1, 0.11, 0.13, 1.0], 0.3, 0.6, [0.0; 3]),
    ("steel", [0.62, 0.65, 0.7, 1.0], 0.5, 0.35, [0.0; 3]),
    ("brass", [0.83, 0.55, 0.2, 1.0], 0.5, 0.4, [0.0; 3]),
    ("enamel", [0.9, 0.9, 0.86, 1.0], 0.0, 0.4, [0.0; 3]),
    ("signal", [0.75, 0.05, 0.04, 1.0], 0.0, 0.3, [0.5, 0.02, 0.01]),
];
const PAINT: usize = 0;
const IRON: usize = 1;
const STEEL: usize = 2;
const BRASS: usize = 3;
const ENAMEL: usize = 4;
const SIGNAL: usize = 5;

/// Where the axis of the table stands, and how far from it things are pressed.
const TABLE: DVec3 = DVec3::new(0.0, 0.15, 0.06);
const STATION: f64 = 0.26;

pub(crate) fn machine() -> Gltf {
    let mut gltf = Gltf::new(&[]);
    for (name, color, metallic, roughness, glow) in FINISHES {
        let factors = json!({ "baseColorFactor": color, "metallicFactor": metallic, "roughnessFactor": roughness });
        let material = json!({ "name": name, "pbrMetallicRoughness": factors, "emissiveFactor": glow });
        gltf.push("materials", material);
    }
    let parts = Parts {
        ram: part(&mut gltf, "ram", DVec3::new(0.0, 0.62, TABLE.z + STATION), ram()),
        table: part(&mut gltf, "table", TABLE, table()),
        flywheel: part(&mut gltf, "flywheel", DVec3::new(0.56, 1.2, 0.05), flywheel()),
        counter: part(&mut gltf, "counter", DVec3::new(-0.3, 1.2, 0.46), counter()),
        needle: part(&mut gltf, "needle", DVec3::new(0.18, 1.2, 0.485), needle()),
        signal: part(&mut gltf, "signal", DVec3::new(0.0, 1.36, 0.05), signal()),
        lever: part(&mut gltf, "lever", DVec3::new(-0.58, 0.45, 0.3), lever()),
    };
    let frame = part(&mut gltf, "frame", DVec3::ZERO, frame());
    let nodes: Vec<usize> = (0..=frame).collect();
    gltf.push("scenes", json!({ "name": "machine", "nodes": nodes }));
    press(&mut gltf, &parts);
    halt(&mut gltf, &parts);
    gltf
}

/// The nodes that move.
struct Parts {
    ram: usize,
    table: usize,
    flywheel: usize,
    counter: usize,
    needle: usize,
    signal: usize,
    lever: usize,
}

/// A node with a mesh: solids, each with its finish.
fn part(gltf: &mut Gltf, name: &str, place: DVec3, solids: Vec<(Solid, usize)>) -> usize {
    let primitives: Vec<_> = solids.iter().map(|(solid, finish)| solid.vertices().primitive(gltf, *finish)).collect();
    let mesh = gltf.push("meshes", json!({ "name": name, "primitives": primitives }));
    let place = place.to_array().map(|x| x as f32);
    gltf.push("nodes", json!({ "name": name, "mesh": mesh, "translation": place }))
}

fn at(solid: Solid, x: f64, y: f64, z: f64) -> Solid {
    solid.map(|p| p + DVec3::new(x, y, z))
}

/// A solid that stands along Y, laid along X or Z.
fn along_x(solid: Solid) -> Solid {
    solid.map(|p| DVec3::new(p.y, p.z, p.x))
}

fn along_z(solid: Solid) -> Solid {
    solid.map(|p| DVec3::new(p.z, p.x, p.y))
}

fn boxed(x: f64, y: f64, z: f64) -> Solid {
    block(DVec3::new(x, y, z), 0.012, ())
}

fn round(radius: f64, height: f64) -> Solid {
    cylinder(radius, height, 0.008, ())
}

fn joined(solids: impl IntoIterator<Item = Solid>) -> Solid {
    let mut all = Shape::empty();
    solids.into_iter().for_each(|solid| all.add(solid));
    all
}

fn frame() -> Vec<(Solid, usize)> {
    let columns = [-0.4, 0.4].map(|x| at(boxed(0.14, 0.95, 0.2), x, 0.12, -0.25));
    let head = at(boxed(0.98, 0.3, 0.8), 0.0, 1.05, 0.05);
    let guide = at(boxed(0.3, 0.16, 0.26), 0.0, 0.93, TABLE.z + STATION);
    let post = at(round(0.035, 0.34), -0.58, 0.12, 0.3);
    let dial = at(along_z(round(0.12, 0.03)), 0.18, 1.2, 0.45);
    vec![
        (at(boxed(1.3, 0.14, 1.05), 0.0, 0.0, 0.0), IRON),
        (joined(columns.into_iter().chain([head])), PAINT),
        (joined([guide, post]), IRON),
        (dial, ENAMEL),
    ]
}

fn ram() -> Vec<(Solid, usize)> {
    vec![(at(boxed(0.16, 0.72, 0.16), 0.0, 0.06, 0.0), STEEL), (round(0.075, 0.06), IRON)]
}

fn table() -> Vec<(Solid, usize)> {
    let work = (0..6).map(|i| {
        let angle = TAU * f64::from(i) / 6.0;
        at(round(0.065, 0.05), STATION * libm::sin(angle), 0.06, STATION * libm::cos(angle))
    });
    vec![(round(0.38, 0.06), STEEL), (joined(work), BRASS), (at(round(0.06, 0.09), 0.0, 0.0, 0.0), IRON)]
}

fn flywheel() -> Vec<(Solid, usize)> {
    let rim = lathe(&[(0.25, 0.0), (0.32, 0.0), (0.32, 0.07), (0.25, 0.07), (0.25, 0.0)], 32, ());
    let spokes = (0..3).map(|i| {
        let turn = DQuat::from_rotation_y(PI * f64::from(i) / 3.0);
        at(boxed(0.52, 0.04, 0.05), 0.0, 0.015, 0.0).map(|p| turn * p)
    });
    let pin = at(round(0.03, 0.12), 0.0, 0.03, 0.2);
    vec![
        (along_x(rim), IRON),
        (along_x(joined(spokes.chain([at(round(0.07, 0.12), 0.0, -0.06, 0.0)]))), PAINT),
        (along_x(pin), STEEL),
    ]
}

/// A toothed wheel of twelve steps with a mark.
fn counter() -> Vec<(Solid, usize)> {
    let outline: Vec<DVec2> = (0..48)
        .map(|i| {
            let radius = if i % 4 < 2 { 0.12 } else { 0.095 };
            // Each tooth is a little narrower at its tip.
            let lean = [0.12, -0.12, 0.0, 0.0][i % 4];
            let angle = TAU * (i as f64 + lean) / 48.0;
            DVec2::new(radius * libm::cos(angle), radius * libm::sin(angle))
        })
        .collect();
    let mark = at(boxed(0.02, 0.012, 0.05), 0.0, 0.035, 0.055);
    vec![(along_z(prism(&outline, 0.04, 0.004, ())), BRASS), (along_z(mark), IRON)]
}

fn needle() -> Vec<(Solid, usize)> {
    let hand = at(boxed(0.012, 0.1, 0.012).map(|p| p * DVec3::new(1.0, 1.0, 0.5)), 0.0, -0.015, 0.0);
    vec![(hand, SIGNAL), (along_z(round(0.018, 0.016)), IRON)]
}

fn signal() -> Vec<(Solid, usize)> {
    vec![(at(ellipsoid(DVec3::new(0.07, 0.09, 0.07), 20, ()), 0.0, 0.06, 0.0), SIGNAL)]
}

fn lever() -> Vec<(Solid, usize)> {
    let knob = at(ellipsoid(DVec3::splat(0.05), 16, ()), 0.0, 0.42, 0.0);
    vec![(round(0.018, 0.4), STEEL), (knob, SIGNAL), (at(along_x(round(0.05, 0.08)), -0.04, 0.0, 0.0), IRON)]
}

/// A key of a CUBICSPLINE: time, value and its change per second.
type Key<const N: usize> = (f64, [f64; N], [f64; N]);

/// Adds a CUBICSPLINE channel whose curve runs smoothly through its keys.
fn cubic<const N: usize>(gltf: &mut Gltf, clip: &mut Clip, node: usize, path: &str, keys: &[Key<N>]) {
    let times: Vec<[f32; 1]> = keys.iter().map(|key| [key.0 as f32]).collect();
    let stored = |numbers: [f64; N]| numbers.map(|x| x as f32);
    let last = keys.len() - 1;
    let values: Vec<[f32; N]> = (0..)
        .zip(keys)
        .flat_map(|(i, &(_, value, slope))| {
            let [arriving, leaving] = [i != 0, i != last].map(|is_used| if is_used { slope } else { [0.0; N] });
            [stored(arriving), stored(value), stored(leaving)]
        })
        .collect();
    keyed(gltf, clip, node, path, "CUBICSPLINE", &times, &values);
}

fn keyed<const N: usize>(
    gltf: &mut Gltf,
    clip: &mut Clip,
    node: usize,
    path: &str,
    interpolation: &str,
    times: &[[f32; 1]],
    values: &[[f32; N]],
) {
    let input = gltf.accessor(times, Usage::Times);
    let output = gltf.accessor(values, Usage::Values);
    clip.channel(json!({ "node": node, "path": path }), interpolation, input, output);
}

/// A rotation about a main axis that changes by `speed` radians per second, as a CUBICSPLINE key.
fn turning(time: f64, axis: usize, angle: f64, speed: f64) -> Key<4> {
    let (sin, cos) = (libm::sin(angle / 2.0), libm::cos(angle / 2.0));
    let [mut value, mut slope] = [[0.0, 0.0, 0.0, cos], [0.0, 0.0, 0.0, -sin * speed / 2.0]];
    value[axis] = sin;
    slope[axis] = cos * speed / 2.0;
    (time, value, slope)
}

fn turned(axis: usize, angle: f64) -> [f32; 4] {
    turning(0.0, axis, angle, 0.0).1.map(|x| x as f32)
}

/// Three strokes: the table turns by a sixth, the ram comes down, the counter counts.
fn press(gltf: &mut Gltf, parts: &Parts) {
    let mut clip = Clip::new("press");
    cubic(gltf, &mut clip, parts.ram, "translation", &strokes());
    cubic(gltf, &mut clip, parts.table, "rotation", &sixths());

    let quarters: Vec<[f32; 1]> = (0..=12u8).map(|i| [f32::from(i) * 0.25]).collect();
    let turns: Vec<_> = (0..=12).map(|i| turned(0, FRAC_PI_2 * f64::from(i))).collect();
    keyed(gltf, &mut clip, parts.flywheel, "rotation", "LINEAR", &quarters, &turns);

    let counts: Vec<_> = (1..=3).map(|i| turned(2, -TAU * f64::from(i) / 12.0)).collect();
    keyed(gltf, &mut clip, parts.counter, "rotation", "STEP", &[[0.5], [1.5], [2.5]], &counts);

    let blinks = [[0.0], [0.4], [0.65], [1.4], [1.65], [2.4], [2.65]];
    let sizes: Vec<[f32; 3]> = (0..7).map(|i| if i % 2 == 0 { [0.55; 3] } else { [1.0; 3] }).collect();
    keyed(gltf, &mut clip, parts.signal, "scale", "STEP", &blinks, &sizes);

    cubic(gltf, &mut clip, parts.needle, "rotation", &rising());
    let pull = [turning(0.1, 0, -0.5, 0.0), turning(0.35, 0, 0.65, 0.0), turning(0.6, 0, 0.5, 0.0)];
    cubic(gltf, &mut clip, parts.lever, "rotation", &pull);
    clip.finish(gltf);
}

/// The ram waits above, falls ever faster, rests for a moment and rises.
fn strokes() -> Vec<Key<3>> {
    let key = |time, y, speed| (time, [0.0, y, TABLE.z + STATION], [0.0, speed, 0.0]);
    let stroke = |start: f64| {
        [
            key(start, 0.62, 0.0),
            key(start + 0.2, 0.64, 0.0),
            key(start + 0.48, 0.285, -1.6),
            key(start + 0.5, 0.265, 0.0),
            key(start + 0.6, 0.265, 0.0),
            key(start + 0.9, 0.61, 0.3),
        ]
    };
    (0..3).flat_map(|i| stroke(f64::from(i))).collect()
}

/// The table rests while the ram is down and turns by a sixth while it is up.
fn sixths() -> Vec<Key<4>> {
    let key = |time, sixth: i32| turning(time, 1, TAU / 6.0 * f64::from(sixth), 0.0);
    (0..3).flat_map(|i| [key(f64::from(i) + 0.68, i), key(f64::from(i) + 1.1, i + 1)]).collect()
}

/// The gauge's needle swings in: a damped oscillation with its own slope at each key.
fn rising() -> Vec<Key<4>> {
    (0..=11)
        .map(|i| {
            let time = f64::from(i) * 0.2;
            let (fade, angle) = (libm::exp(-1.8 * time), 6.0 * time);
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            turning(time, 2, 1.1 - 1.7 * (1.0 - fade * cos), -1.7 * fade * (1.8 * cos + 6.0 * sin))
        })
        .collect()
}

/// The flywheel runs down, the lever goes back; nothing else moves.
fn halt(gltf: &mut Gltf, parts: &Parts) {
    let mut clip = Clip::new("halt");
    let spin: Vec<_> = (0..=8)
        .map(|i| {
            let time = f64::from(i) * 0.25;
            let left = 1.0 - time / 2.0;
            turning(time, 0, TAU * (1.0 - left * left), TAU * left)
        })
        .collect();
    cubic(gltf, &mut clip, parts.flywheel, "rotation", &spin);
    let push = [turning(0.0, 0, 0.5, 0.0), turning(0.4, 0, -0.5, 0.0)];
    cubic(gltf, &mut clip, parts.lever, "rotation", &push);
    clip.finish(gltf);
}
