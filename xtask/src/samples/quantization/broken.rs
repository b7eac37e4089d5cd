//! Files that each break one rule, and the same files fixed.

use super::super::conformance::Broken;
use super::file::{Channel, Data, NAME, document};
use serde_json::json;

pub(super) fn all() -> Vec<Broken> {
    vec![
        not_required(),
        array_length(),
        time_scale(),
        forbidden_combination(),
        output_format(),
        not_normalized(),
        signed_type(),
        cubic_rotation(),
        cubic_rotation_axis(),
        input_format(),
        time_collision(),
        misplaced(),
    ]
}

const CHANNEL: &str = "/animations/0/channels/0";

fn times() -> Data {
    Data::new(5121, false, "SCALAR", &[0.0, 1.0])
}

fn parameters(key: &str) -> String {
    format!("{CHANNEL}/extensions/{NAME}/{key}")
}

fn translation() -> Channel {
    let values = Data::new(5121, true, "VEC3", &[0.0, 10.0, 20.0, 250.0, 240.0, 230.0]);
    Channel { scale: Some(vec![2.0, 3.0, 4.0]), ..Channel::new("translation", times(), values) }
}

fn rotation(shape: &'static str, numbers: &[f64]) -> Channel {
    Channel::new(
        if shape == "VEC2" { "rotation.x" } else { "rotation" },
        times(),
        Data::new(5120, true, shape, numbers),
    )
}

fn not_required() -> Broken {
    let good = document(&[translation()]);
    let mut bad = good.clone();
    bad.as_object_mut().map(|root| root.remove("extensionsRequired"));
    let about = "the extension is used and not required";
    Broken { code: "QUANT_NOT_REQUIRED", at: "/extensionsUsed/0".into(), about, bad, good }
}

fn array_length() -> Broken {
    let good = document(&[translation()]);
    let bad = document(&[Channel { scale: Some(vec![2.0]), ..translation() }]);
    let about = "scale has not one number for each component";
    Broken { code: "QUANT_ARRAY_LENGTH", at: parameters("scale"), about, bad, good }
}

fn time_scale() -> Broken {
    let of = |scale| document(&[Channel { time_scale: Some(scale), ..translation() }]);
    let about = "timeScale is not greater than zero";
    Broken { code: "QUANT_TIME_SCALE", at: parameters("timeScale"), about, bad: of(0.0), good: of(0.5) }
}

fn forbidden_combination() -> Broken {
    let x = |node| Channel {
        node,
        ..Channel::new("translation.x", times(), Data::new(5121, false, "SCALAR", &[0.0, 9.0]))
    };
    let of = |node| document(&[translation(), x(node)]);
    let at = "/animations/0/channels/1/target".into();
    let about = "a translation and one axis of it on the same node";
    Broken { code: "QUANT_FORBIDDEN_COMBINATION", at, about, bad: of(0), good: of(1) }
}

fn output_format() -> Broken {
    let bad = document(&[rotation("VEC2", &[0.0, 127.0, 127.0, 0.0])]);
    let mut bad = bad;
    bad["animations"][0]["channels"][0]["target"]["path"] = json!("rotation");
    let good = document(&[rotation("VEC2", &[0.0, 127.0, 127.0, 0.0])]);
    let about = "a whole rotation as VEC2, which only one axis can be";
    Broken { code: "QUANT_OUTPUT_FORMAT", at: format!("{CHANNEL}/sampler"), about, bad, good }
}

fn not_normalized() -> Broken {
    let of = |normalized| {
        let mut channel = rotation("VEC4", &[0.0, 0.0, 0.0, 127.0, 0.0, 127.0, 0.0, 0.0]);
        channel.values.normalized = normalized;
        document(&[channel])
    };
    let about = "integers of a rotation that are not normalized";
    Broken { code: "QUANT_NOT_NORMALIZED", at: format!("{CHANNEL}/sampler"), about, bad: of(false), good: of(true) }
}

fn signed_type() -> Broken {
    let of = |component| {
        let values = Data::new(component, false, "VEC3", &[0.0, 10.0, 20.0, 100.0, 50.0, 70.0]);
        document(&[Channel::new("translation", times(), values)])
    };
    let about = "signed integers, which the table does not list for a translation";
    Broken { code: "QUANT_SIGNED_TYPE", at: format!("{CHANNEL}/sampler"), about, bad: of(5120), good: of(5121) }
}

fn cubic_rotation() -> Broken {
    let cubic =
        |shape, numbers: &[f64]| document(&[Channel { interpolation: "CUBICSPLINE", ..rotation(shape, numbers) }]);
    let (zero, identity, turned) = ([0.0; 4], [0.0, 0.0, 0.0, 127.0], [0.0, 127.0, 0.0, 0.0]);
    let four = [zero, identity, zero, zero, turned, zero];
    let three: Vec<f64> = four.iter().flat_map(|q| [q[0], q[1], q[2]]).collect();
    let about = "CUBICSPLINE of a rotation without W: no W can be rebuilt for tangents";
    let (bad, good) = (cubic("VEC3", &three), cubic("VEC4", four.as_flattened()));
    Broken { code: "QUANT_CUBIC_ROTATION", at: format!("{CHANNEL}/sampler"), about, bad, good }
}

fn cubic_rotation_axis() -> Broken {
    let numbers = [0.0, 0.0, 0.0, 127.0, 0.0, 0.0, 0.0, 0.0, 127.0, 0.0, 0.0, 0.0];
    let bad = document(&[Channel { interpolation: "CUBICSPLINE", ..rotation("VEC2", &numbers) }]);
    let good = document(&[rotation("VEC2", &numbers[2..6])]);
    let about = "CUBICSPLINE of a rotation about one axis: the signs of its keys matter, and readers may change them";
    Broken { code: "QUANT_CUBIC_ROTATION_AXIS", at: format!("{CHANNEL}/sampler"), about, bad, good }
}

fn input_format() -> Broken {
    let of =
        |component| document(&[Channel { times: Data::new(component, false, "SCALAR", &[0.0, 1.0]), ..translation() }]);
    let about = "32-bit integers as times";
    Broken {
        code: "QUANT_INPUT_FORMAT",
        at: "/animations/0/samplers/0/input".into(),
        about,
        bad: of(5125),
        good: of(5123),
    }
}

fn time_collision() -> Broken {
    let of = |second| {
        let values = Data::new(5121, true, "SCALAR", &[0.0, 10.0, 200.0]);
        let times = Data::new(5121, false, "SCALAR", &[0.0, second, 9.0]);
        document(&[Channel { time_scale: Some(0.1), ..Channel::new("scale", times, values) }])
    };
    let about = "two times with the same code";
    Broken {
        code: "QUANT_TIME_COLLISION",
        at: "/animations/0/samplers/0/input".into(),
        about,
        bad: of(0.0),
        good: of(4.0),
    }
}

fn misplaced() -> Broken {
    let good = document(&[translation()]);
    let mut bad = good.clone();
    bad["animations"][0]["extensions"] = json!({ NAME: { "timeScale": 2 } });
    let about = "the extension's object on an animation, where an early draft had it, and not on a channel";
    Broken { code: "UNEXPECTED_EXTENSION_OBJECT", at: format!("/animations/0/extensions/{NAME}"), about, bad, good }
}
