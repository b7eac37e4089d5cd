//! Golden streams: between them they use every coding, every predictor, segments, and numbers at the ends of their ranges. Each comes with the bytes that it stands for.

use keyfold_core::stream::{Array, Clock, Coding, Limits, RotationGrid, Stream, StreamError, encode};

/// A stream and what it decodes to.
pub(super) struct Golden {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) stream: Vec<u8>,
    pub(super) bytes: Vec<u8>,
}

pub(super) fn all() -> Vec<Golden> {
    vec![
        golden("empty", "No clocks and no arrays.", &[], &[]),
        golden("times", "Times by several steps, one key and many.", &clocks(&[200, 1]), &times()),
        golden(
            "rotations",
            "Rotations on grids of many steps, far from their middle, and beyond what is let be.",
            &clocks(&[97]),
            &rotations(),
        ),
        golden(
            "steps",
            "Floats of equal steps: multipliers, divisors, exponents, infinite ones.",
            &clocks(&[40]),
            &steps(),
        ),
        golden(
            "floats",
            "Floats of any value: zeros of either sign, the smallest, infinite ones.",
            &clocks(&[12]),
            &floats(),
        ),
        golden(
            "integers",
            "Integers of one, two and four bytes, wide keys, gaps between arrays.",
            &clocks(&[31]),
            &integers(),
        ),
        golden("predictors", "An array for each predictor, in their order.", &clocks(&[WALK as u32]), &predicted()),
        golden(
            "segments",
            "Five segments of different lengths; one clock has keys in the first only.",
            &segmented(),
            &segmented_arrays(),
        ),
        golden(
            "places",
            "Arrays just below and at the size from which they begin at round places.",
            &clocks(&[99, 100, 24, 25]),
            &placed(),
        ),
        golden("wild", "Numbers of all 32 bits, and differences that wrap around.", &clocks(&[64]), &wild()),
        sizes(),
    ]
}

fn golden(name: &'static str, about: &'static str, clocks: &[Clock], arrays: &[Array]) -> Golden {
    let stream = encode(clocks, arrays).expect("the arrays fit their clocks");
    let bytes = decoded(&stream).expect("it was just encoded");
    Golden { name, about, stream, bytes }
}

fn decoded(stream: &[u8]) -> Result<Vec<u8>, StreamError> {
    Stream::open(stream, &Limits::default())?.decode()
}

/// A second block that no encoder writes. Its zeros are bits that are set: those of the longest number. What follows makes it larger than 2^31; one byte of that is chosen so that the block ends as it
/// should.
fn sizes() -> Golden {
    let array = Array { clock: 0, width: 1, coding: Coding::Integers { bytes: 4 }, codes: vec![7, 8, 9] };
    let usual = encode(&[Clock { keys: vec![1, 2] }], &[array]).expect("the array fits its clock");
    let (version, lengths, blocks) = (usual[0], &usual[1..4], &usual[4..]);
    assert!(lengths[0] == 2 && lengths.iter().all(|length| *length < 0x80));
    let first = &blocks[..usize::from(lengths[1])];
    let stream = |chosen: u8| {
        let second = [0, 0, 0, 0, 0xC3, 0x5E, chosen, 0x2B, 0x77, 0xE4];
        [&[version, 2, lengths[1], second.len() as u8], first, &second].concat()
    };
    let found = (0..=u8::MAX).map(stream).find_map(|stream| decoded(&stream).ok().map(|bytes| (stream, bytes)));
    let (stream, bytes) = found.expect("one of all bytes ends it");
    Golden { name: "sizes", about: "A number whose size is above 2^31, and one that follows it.", stream, bytes }
}

fn placed() -> Vec<Array> {
    let array = |clock: usize, keys: i32, width: usize, bytes: u8| Array {
        clock,
        width,
        coding: Coding::Integers { bytes },
        codes: (0..keys * width as i32).map(|code| code / 3).collect(),
    };
    [array(0, 99, 1, 1), array(1, 100, 1, 1), array(0, 99, 1, 1), array(2, 24, 1, 4), array(3, 25, 1, 4)].into()
}

fn clocks(keys: &[u32]) -> Vec<Clock> {
    keys.iter().map(|keys| Clock { keys: vec![*keys] }).collect()
}

const fn parts(divisor: u32) -> Coding {
    Coding::Steps { multiplier: 1, divisor, exponent: 0 }
}

fn times() -> Vec<Array> {
    let even = |coding| Array { clock: 0, width: 1, coding, codes: (0..200).collect() };
    let frames = (0..200).map(|k| k * k / 3).collect();
    let single = Coding::Steps { multiplier: 14_330_539, divisor: 1, exponent: -22 };
    vec![
        even(parts(30)),
        even(Coding::Steps { multiplier: 8_947_849, divisor: 1, exponent: -28 }),
        Array { clock: 0, width: 1, coding: parts(24), codes: frames },
        Array { clock: 1, width: 1, coding: single, codes: vec![1] },
    ]
}

fn rotations() -> Vec<Array> {
    let array = |left, right, steps, size: f64| {
        let wave = |k: i32, c: i32| (libm::sin(f64::from(k) * 0.11 + f64::from(c)) * size) as i32;
        let codes = (0..97).flat_map(|k| (0..3).map(move |c| wave(k, c))).collect();
        Array { clock: 0, width: 4, coding: Coding::Rotations(RotationGrid { left, right, steps }), codes }
    };
    vec![
        array([0; 3], [0; 3], [120; 3], 100.0),
        array([3, -5, 1], [7, -2, -11], [110, 111, 125], 800.0),
        array([-8, 8, 0], [0, 0, 16], [0, 40, 80], 2_000_000.0),
        array([127, -128, 5], [-128, 127, 99], [199, 160, 7], 3000.0),
        array([1, 1, 1], [-3, 2, 1], [150, 150, 150], 1_500_000_000.0),
    ]
}

fn steps() -> Vec<Array> {
    let array = |multiplier, divisor, exponent, scale: i32, width: usize| {
        let codes = (0..40 * width as i32).map(|i| (i * i % 37 - 18).wrapping_mul(scale)).collect();
        Array { clock: 0, width, coding: Coding::Steps { multiplier, divisor, exponent }, codes }
    };
    vec![
        array(1, 1, -10, 1, 3),
        array(13, 1, -20, 40, 3),
        array(1, 255, 0, 7, 2),
        array(1, 65_535, 0, 1800, 1),
        array(16_777_215, 7, -100, 90_000_000, 1),
        array(1, 1, -150, 3, 1),
        array(4_294_967_295, 4_294_967_295, 100, 1, 1),
        array(0, 3, 150, 1, 1),
        array(4_294_967_295, 1, 150, 1_000, 2),
    ]
}

fn floats() -> Vec<Array> {
    let values = [0.0f32, -0.0, 1.0, -1.0, 1e-45, -1e-45, f32::MAX, f32::MIN, f32::INFINITY, 0.1, -0.3, 123_456.7];
    let code =
        |v: &f32| if v.is_sign_negative() { -1 - (v.to_bits() & 0x7FFF_FFFF) as i32 } else { v.to_bits() as i32 };
    let codes: Vec<i32> = values.iter().map(code).collect();
    let twice = codes.iter().flat_map(|c| [*c, c ^ 1]).collect();
    vec![
        Array { clock: 0, width: 1, coding: Coding::Floats, codes },
        Array { clock: 0, width: 2, coding: Coding::Floats, codes: twice },
    ]
}

fn integers() -> Vec<Array> {
    let array = |bytes, width: i32| Array {
        clock: 0,
        width: width as usize,
        coding: Coding::Integers { bytes },
        codes: (0..31 * width).map(|i| (i - 90) * (i % 11) * i32::from(bytes)).collect(),
    };
    vec![array(1, 1), array(2, 1), array(1, 7), array(4, 2), array(2, 13)]
}

/// How long walks are: with fewer steps, noise may suit another predictor better.
const WALK: usize = 500;

/// Walks that follow a predictor, with a little noise: that predictor suits them.
fn predicted() -> Vec<Array> {
    const EIGHTHS: [[i32; 4]; 14] = [
        [0, 0, 0, 0],
        [8, 0, 0, 0],
        [16, -8, 0, 0],
        [24, -24, 8, 0],
        [12, -4, 0, 0],
        [10, -2, 0, 0],
        [14, -6, 0, 0],
        [8, 4, 0, -4],
        [16, -10, 2, 0],
        [20, -16, 4, 0],
        [11, 2, -5, 0],
        [18, -6, -10, 6],
        [6, 2, 0, 0],
        [4, 4, 0, 0],
    ];
    let mut random = random();
    let mut array = |eighths: &[i32; 4]| {
        let mut codes: Vec<i32> = vec![0; 4];
        while codes.len() < WALK {
            let at = |back: usize| i64::from(codes[codes.len() - back]) * i64::from(eighths[back - 1]);
            let next = (at(1) + at(2) + at(3) + at(4) + 4) >> 3;
            codes.push(next as i32 + (random() >> 28) as i32 - 8);
        }
        Array { clock: 0, width: 1, coding: Coding::Integers { bytes: 4 }, codes }
    };
    EIGHTHS.iter().map(&mut array).collect()
}

fn segmented() -> Vec<Clock> {
    vec![Clock { keys: vec![60, 61, 60, 1, 17] }, Clock { keys: vec![2, 0, 0, 0, 0] }]
}

fn segmented_arrays() -> Vec<Array> {
    let wave = |k: i32, c: i32| (libm::cos(f64::from(k) * 0.07 + f64::from(c)) * 500.0) as i32;
    let waves = |width: i32| (0..199).flat_map(move |k| (0..width).map(move |c| wave(k, c))).collect();
    let grid = RotationGrid { left: [0, 1, -2], right: [5, 0, 0], steps: [118, 118, 118] };
    let step = Coding::Steps { multiplier: 1, divisor: 1, exponent: -12 };
    vec![
        Array { clock: 0, width: 1, coding: parts(60), codes: (0..199).collect() },
        Array { clock: 0, width: 4, coding: Coding::Rotations(grid), codes: waves(3) },
        Array { clock: 1, width: 1, coding: parts(60), codes: vec![0, 198] },
        Array { clock: 1, width: 3, coding: step, codes: vec![1, 2, 3, -1, -2, -3] },
        Array { clock: 0, width: 1, coding: Coding::Integers { bytes: 1 }, codes: waves(1) },
    ]
}

fn wild() -> Vec<Array> {
    let mut random = random();
    let codes =
        (0..64 * 4).map(|i| ((random() >> (i % 31)) as i32).wrapping_mul(if i % 3 == 0 { -1 } else { 1 })).collect();
    let ends = (0..64).map(|i| [i32::MIN, i32::MAX, 0, -1, 1][i % 5]).collect();
    let array = |width, coding, codes| Array { clock: 0, width, coding, codes };
    vec![array(4, Coding::Integers { bytes: 4 }, codes), array(1, Coding::Integers { bytes: 4 }, ends)]
}

/// A linear congruential generator (Numerical Recipes).
fn random() -> impl FnMut() -> u32 {
    let mut state = 7u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn golden_streams_use_every_predictor_and_coding() {
        let all = all();
        let open = |golden: &Golden| Stream::open(&golden.stream, &Limits::default()).unwrap().arrays().to_vec();
        let predictors = all.iter().find(|golden| golden.name == "predictors").map(open).unwrap();
        let predictors = predictors.iter().map(|array| array.predictor);
        assert_eq!(predictors.collect::<Vec<_>>(), (0..14).collect::<Vec<u8>>());
        let codings: BTreeSet<_> = all
            .iter()
            .flat_map(open)
            .map(|array| std::mem::discriminant(&array.coding))
            .map(|d| format!("{d:?}"))
            .collect();
        assert_eq!(codings.len(), 4);
    }

    #[test]
    fn steps_become_infinite_either_way() {
        let all = all();
        let steps = all.iter().find(|golden| golden.name == "steps").unwrap();
        let floats: Vec<f32> = steps.bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        assert!(floats.contains(&f32::INFINITY) && floats.contains(&f32::NEG_INFINITY));
    }
}
