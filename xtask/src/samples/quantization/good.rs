//! Files that a reader should understand: one per row of the draft's tables, and what the tables leave to the text.

use super::file::{Channel, Data, document};
use serde_json::Value;

/// A file and the tracks in it.
pub(super) struct Good {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) document: Value,
    pub(super) tracks: Vec<Value>,
}

impl Good {
    fn new(name: impl Into<String>, about: impl Into<String>, channels: &[Channel]) -> Self {
        let tracks = channels.iter().map(Channel::expected).collect();
        Self { name: name.into(), about: about.into(), document: document(channels), tracks }
    }
}

const TYPES: [(u32, bool, &str); 7] = [
    (5126, false, "float"),
    (5121, false, "u8"),
    (5121, true, "u8n"),
    (5123, false, "u16"),
    (5123, true, "u16n"),
    (5120, true, "i8n"),
    (5122, true, "i16n"),
];

const PATHS: [(&str, &[&str]); 12] = [
    ("translation", &["VEC3"]),
    ("translation.x", &["SCALAR"]),
    ("translation.y", &["SCALAR"]),
    ("translation.z", &["SCALAR"]),
    ("rotation", &["VEC3", "VEC4"]),
    ("rotation.x", &["SCALAR", "VEC2"]),
    ("rotation.y", &["SCALAR", "VEC2"]),
    ("rotation.z", &["SCALAR", "VEC2"]),
    ("scale", &["VEC3", "SCALAR"]),
    ("scale.x", &["SCALAR"]),
    ("scale.y", &["SCALAR"]),
    ("scale.z", &["SCALAR"]),
];

/// A quarter of a second apart, which floats and integers alike can say.
fn times() -> Data {
    Data::seconds(&[0.0, 0.25, 0.75])
}

pub(super) fn all() -> Vec<Good> {
    let mut files: Vec<Good> = rows();
    files.extend(time_rows());
    files.extend([
        without_parameters(),
        step(),
        cubic_translation(),
        cubic_rotation(),
        shared_sampler(),
        axes_apart(),
        too_long(),
        half_turn(),
        frames(),
    ]);
    files
}

/// Every path with every shape and type that the draft lists for it.
fn rows() -> Vec<Good> {
    let mut files = Vec::new();
    for (path, shapes) in PATHS {
        let turns = path.starts_with("rotation");
        for shape in shapes {
            for (component, normalized, word) in TYPES {
                let signed = matches!(component, 5120 | 5122);
                let listed = component == 5126 || if turns { normalized } else { !signed };
                if listed {
                    let about = format!(
                        "`{path}` as {shape}, component type {component}{}",
                        if normalized { ", normalized" } else { "" }
                    );
                    let channel = if turns {
                        rotation(path, shape, component)
                    } else {
                        vector(path, shape, component, normalized)
                    };
                    files.push(Good::new(format!("{path}_{}_{word}", shape.to_lowercase()), about, &[channel]));
                }
            }
        }
    }
    files
}

/// A translation or a scale that uses the whole range of its type.
fn vector(path: &'static str, shape: &'static str, component: u32, normalized: bool) -> Channel {
    let width = if shape == "VEC3" { 3 } else { 1 };
    let mut values = Data::new(component, normalized, shape, &[]);
    let fractions = [0.0, 0.4, 1.0, 0.2, 1.0, 0.6, 1.0, 0.0, 0.8];
    let range = if component == 5126 { 1.0 } else { values.greatest() };
    values.numbers = (0..3 * width).map(|i| fractions[if width == 1 { 4 * i } else { i }] * range).collect();
    if component != 5126 {
        values.numbers.iter_mut().for_each(|n| *n = n.round());
    }
    let mut channel = Channel::new(path, times(), values);
    if component != 5126 {
        let unit = if normalized { 1.0 } else { 1.0 / range };
        channel.scale = Some([2.0 * unit, 4.0 * unit, 0.5 * unit][..width].to_vec());
        channel.offset = Some([-0.5, 1.0, 0.25][..width].to_vec());
    }
    channel
}

/// A rotation by 0, 50 and 100 degrees, about the path's axis or a slanted one.
fn rotation(path: &'static str, shape: &'static str, component: u32) -> Channel {
    let axis = match path.split_once('.').map(|(_, axis)| axis) {
        Some("x") => [1.0, 0.0, 0.0],
        Some("y") => [0.0, 1.0, 0.0],
        Some(_) => [0.0, 0.0, 1.0],
        None => [0.6, -0.48, 0.64],
    };
    let mut values = Data::new(component, component != 5126, shape, &[]);
    for degrees in [0.0f64, 50.0, 100.0] {
        let (sin, cos) = (libm::sin(degrees.to_radians() / 2.0), libm::cos(degrees.to_radians() / 2.0));
        let xyz = axis.map(|a| a * sin);
        let one: f64 = xyz.iter().sum();
        values.numbers.extend(match shape {
            "SCALAR" => vec![one],
            "VEC2" => vec![one, cos],
            "VEC3" => xyz.to_vec(),
            _ => [&xyz[..], &[cos]].concat(),
        });
    }
    let mut channel = Channel::new(path, times(), values);
    let (width, greatest) = (channel.values.components(), channel.values.greatest());
    match component {
        5126 => {}
        // Unsigned integers need an offset to be negative, and an even number of steps to have a zero.
        5121 | 5123 => {
            let scale = greatest / ((greatest - 1.0) / 2.0);
            channel.values.numbers.iter_mut().for_each(|n| *n = ((*n + 1.0) / scale * greatest).round());
            channel.scale = Some(vec![scale; width]);
            channel.offset = Some(vec![-1.0; width]);
        }
        _ => channel.values.numbers.iter_mut().for_each(|n| *n = (*n * greatest).round()),
    }
    channel
}

/// Times in every type that the draft lists for them.
fn time_rows() -> Vec<Good> {
    let types = TYPES.into_iter().filter(|(component, ..)| !matches!(component, 5120 | 5122));
    types
        .map(|(component, normalized, word)| {
            let stored: &[f64] = if component == 5126 { &[0.0, 0.5, 1.5] } else { &[0.0, 51.0, 255.0] };
            let mut channel = vector("translation", "VEC3", 5123, true);
            channel.times = Data::new(component, normalized, "SCALAR", stored);
            channel.time_scale = Some(if normalized { 2.5 } else { 0.125 });
            let about = format!("times of component type {component}{}", if normalized { ", normalized" } else { "" });
            Good::new(format!("time_scalar_{word}"), about, &[channel])
        })
        .collect()
}

fn without_parameters() -> Good {
    let values = Data::new(5121, false, "VEC3", &[0.0, 1.0, 2.0, 3.0, 40.0, 50.0, 255.0, 7.0, 8.0]);
    let channel = Channel::new("translation", Data::new(5121, false, "SCALAR", &[1.0, 2.0, 5.0]), values);
    Good::new(
        "without_parameters",
        "integers as they are: neither scaled nor offset, times in whole seconds",
        &[channel],
    )
}

fn step() -> Good {
    let channel = Channel { interpolation: "STEP", ..vector("scale.y", "SCALAR", 5121, true) };
    Good::new("step", "STEP", &[channel])
}

fn cubic_translation() -> Good {
    let numbers = [0.0, 30.0, 10.0, 0.0, 10.0, 20.0, 255.0, 99.0, 0.0, 0.0, 7.0, 0.0];
    let numbers = [&numbers[..], &[250.0, 20.0, 10.0, 5.0, 5.0, 5.0]].concat();
    let mut channel = Channel::new("translation", Data::seconds(&[0.0, 1.0]), Data::new(5121, false, "VEC3", &numbers));
    (channel.interpolation, channel.time_scale) = ("CUBICSPLINE", Some(2.0));
    (channel.scale, channel.offset) = (Some(vec![0.01, 0.02, 0.04]), Some(vec![-1.0, -0.5, 0.0]));
    let about = "CUBICSPLINE: tangents are scaled and offset like values, and are per second after timeScale";
    Good::new("cubic_translation", about, &[channel])
}

fn cubic_rotation() -> Good {
    let half = 32767.0 * std::f64::consts::FRAC_1_SQRT_2;
    let numbers = [
        [0.0; 4],
        [0.0, 0.0, 0.0, 32767.0],
        [0.0, 8000.0, 0.0, 0.0],
        [0.0, 4000.0, 0.0, -4000.0],
        [0.0, half.round(), 0.0, half.round()],
        [0.0; 4],
    ];
    let values = Data::new(5122, true, "VEC4", numbers.as_flattened());
    let channel =
        Channel { interpolation: "CUBICSPLINE", ..Channel::new("rotation", Data::seconds(&[0.0, 1.0]), values) };
    Good::new("cubic_rotation", "CUBICSPLINE of a rotation, which needs its W", &[channel])
}

fn shared_sampler() -> Good {
    let values = Data::new(5123, true, "SCALAR", &[0.0, 65535.0, 13107.0]);
    let one = |node, path, offset: f64, scale: f64, time_scale| Channel {
        node,
        offset: Some(vec![offset]),
        scale: Some(vec![scale]),
        time_scale,
        ..Channel::new(path, Data::new(5121, false, "SCALAR", &[0.0, 10.0, 30.0]), values.clone())
    };
    let channels = [
        one(0, "translation.x", -1.0, 2.0, Some(0.1)),
        one(0, "translation.z", 5.0, 0.5, Some(0.2)),
        one(1, "scale", 0.5, 1.0, Some(0.1)),
    ];
    Good::new("shared_sampler", "three channels read one sampler, each with parameters of its own", &channels)
}

fn axes_apart() -> Good {
    let scalar = |path, times: &[f64], codes: &[f64]| Channel {
        scale: Some(vec![1.0 / 64.0]),
        ..Channel::new(path, Data::seconds(times), Data::new(5121, false, "SCALAR", codes))
    };
    let y = Channel { interpolation: "STEP", ..scalar("translation.y", &[0.0, 0.5], &[64.0, 128.0]) };
    let channels = [scalar("translation.x", &[0.0, 1.0, 1.5], &[0.0, 64.0, 32.0]), y];
    let about = "axes with keys and interpolations of their own; Z keeps the node's value";
    Good::new("axes_apart", about, &channels)
}

fn too_long() -> Good {
    let values = Data::new(5120, true, "VEC3", &[90.0, 90.0, 0.0, 74.0, 73.0, 73.0]);
    let channel = Channel::new("rotation", Data::seconds(&[0.0, 1.0]), values);
    Good::new(
        "rotation_too_long",
        "X, Y and Z that are longer than 1 once rounded: W is zero, the rest is shortened",
        &[channel],
    )
}

fn half_turn() -> Good {
    let values = Data::new(5122, true, "VEC3", &[0.0, 0.0, 0.0, 0.0, 32000.0, 0.0, 0.0, 32767.0, 0.0]);
    let channel = Channel::new("rotation", times(), values);
    Good::new(
        "rotation_near_half_turn",
        "close to half a turn, where W is what little is missing to unit length",
        &[channel],
    )
}

fn frames() -> Good {
    let frames: Vec<f64> = [0.0, 1.0, 2.0, 7.0, 100.0, 20001.0, 65535.0].to_vec();
    let codes = [0.0, 20.0, 40.0, 60.0, 30.0, 10.0, 0.0];
    let mut channel = Channel::new(
        "translation.x",
        Data::new(5123, false, "SCALAR", &frames),
        Data::new(5121, false, "SCALAR", &codes),
    );
    channel.time_scale = Some(1.0 / 30.0);
    Good::new(
        "frame_numbers",
        "frame numbers at 30 per second: computed in double precision and rounded once, the times are exact",
        &[channel],
    )
}
