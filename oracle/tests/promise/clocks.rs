//! Times of EXT_animation_quantization are numbers times a scale, and readers multiply in floats, or in doubles and round what comes out to a float. The bound holds for both, on motion so
//! steep that the last bit of a time shows.

use super::{SHELL, apart, made::File, open, second::Scene};
use keyfold::{
    Bound, Storage,
    pack::{Level, Options, pack},
};
use serde_json::{Value, json};

/// Rates that are no whole numbers: their frames have no float that all readers agree on.
const RATES: [f64; 6] = [23.976, 29.97, 59.94, 7.3, 31.25, 100.0 / 3.0];

#[test]
fn quantized_times_hold_the_bound_for_readers_in_floats_and_in_doubles() {
    let (mut packs, mut scaled) = (0, 0);
    for rate in RATES {
        for (keys, start) in [(40, 0), (40, 3), (200, 0), (200, 240)] {
            for form in ["LINEAR", "CUBICSPLINE"] {
                let bytes = steep(rate, keys, start, form);
                for share in [0.01, 0.001, 0.0001, 0.00002] {
                    scaled += usize::from(holds(&bytes, share).unwrap_or_else(|over| {
                        panic!("{rate} frames a second, {keys} keys from frame {start}, {form}, {share}: {over}")
                    }));
                    packs += 1;
                }
            }
        }
    }
    assert_eq!(packs, 192);
    assert!(scaled > 48, "{scaled} of {packs} packs have quantized times");
}

/// A node that is somewhere else, far away, at every key.
fn steep(rate: f64, keys: usize, start: usize, form: &str) -> Vec<u8> {
    let times: Vec<f32> = (0..keys).map(|i| ((start + i) as f64 / rate) as f32).collect();
    let place = |i: usize| [if i.is_multiple_of(2) { -500.0 } else { 500.0 }, 3.0 * (i % 7) as f64, 0.0];
    let key = |i: usize| match form {
        "CUBICSPLINE" => [[0.0; 3], place(i), [0.0; 3]].concat(),
        _ => place(i).to_vec(),
    };
    let mut file = File::default();
    file.track(0, "translation", form, &times, &(0..keys).flat_map(key).collect::<Vec<f64>>());
    file.glb(&[json!({ "name": "steep" })])
}

/// Whether a pack has quantized times; how far it is over its bound in either reading, if it is.
fn holds(bytes: &[u8], share: f64) -> Result<bool, String> {
    let bound = Bound::Relative(share);
    let options =
        Options { storage: Storage::Quantization, max_error: bound, level: Level::Fast, ..Options::default() };
    let packed = pack(&open(bytes).unwrap(), &options).unwrap();
    let written = packed.document.to_bytes().unwrap();
    let mut scaled = false;
    for in_floats in [true, false] {
        let mut scene = Scene::decoded(&open(&written).unwrap());
        for (track, times) in times(&written, in_floats).into_iter().enumerate() {
            scaled |= times.is_some();
            times.into_iter().for_each(|times| scene.set_times(track, times));
        }
        let worst = apart(&Scene::plain(bytes), &scene, SHELL * packed.diff.model_size);
        if worst > packed.bound * (1.0 + 1e-9) {
            return Err(format!("{} of the bound, read in floats: {in_floats}", worst / packed.bound));
        }
    }
    Ok(scaled)
}

/// The times of each channel that has a scale, as one of the two readers gets them.
fn times(glb: &[u8], in_floats: bool) -> Vec<Option<Vec<f64>>> {
    let (json, bin) = super::second::parts(glb);
    let animation = &json["animations"][0];
    let channel = |channel: &Value| {
        let scale = channel["extensions"]["EXT_animation_quantization"]["timeScale"].as_f64()?;
        let index = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let accessor = &json["accessors"][index(&animation["samplers"][index(&channel["sampler"])]["input"])];
        let view = &json["bufferViews"][index(&accessor["bufferView"])];
        let size = match index(&accessor["componentType"]) {
            5121 => 1,
            5123 => 2,
            5125 => 4,
            other => panic!("{other}"),
        };
        assert!(accessor["normalized"].as_bool() != Some(true));
        let start = index(&view["byteOffset"]) + index(&accessor["byteOffset"]);
        let stride = view["byteStride"].as_u64().map_or(size, |stride| stride as usize);
        let number = |i: usize| bin[start + i * stride..][..size].iter().rev().fold(0, |n, b| n << 8 | u32::from(*b));
        let time = |i: usize| match in_floats {
            true => f64::from(number(i) as f32 * scale as f32),
            false => f64::from((f64::from(number(i)) * scale) as f32),
        };
        Some((0..index(&accessor["count"])).map(time).collect())
    };
    animation["channels"].as_array().unwrap().iter().map(channel).collect()
}
