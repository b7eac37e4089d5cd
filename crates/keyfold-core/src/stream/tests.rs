//! Streams as a whole: what goes in comes out, and what is broken is refused.

use super::*;
use crate::quat;
use alloc::{vec, vec::Vec};

/// A walk of rotations, translations, times, weights and a constant, in so many segments.
fn some(segments: u32) -> (Vec<Clock>, Vec<Array>) {
    let clocks = vec![
        Clock { keys: (0..segments).map(|s| 20 + s).collect() },
        Clock { keys: (0..segments).map(|s| u32::from(s == 0)).collect() },
    ];
    let keys = clocks[0].total() as i32;
    let wave = |k: i32, c: i32| (libm::sin(f64::from(k) * 0.2 + f64::from(c)) * 300.0) as i32;
    let waves = |width: i32| (0..keys).flat_map(move |k| (0..width).map(move |c| wave(k, c))).collect::<Vec<i32>>();
    let grid = RotationGrid { left: [1, -2, 3], right: [0, 4, -1], steps: [120, 121, 118] };
    let arrays = vec![
        Array { clock: 0, width: 1, coding: thirtieths(), codes: (0..keys).collect() },
        Array { clock: 0, width: 4, coding: Coding::Rotations(grid), codes: waves(3) },
        Array {
            clock: 0,
            width: 3,
            coding: Coding::Steps { multiplier: 3, divisor: 1, exponent: -12 },
            codes: waves(3),
        },
        Array { clock: 0, width: 5, coding: Coding::Integers { bytes: 1 }, codes: waves(5) },
        Array { clock: 1, width: 3, coding: Coding::Floats, codes: vec![0x3F80_0000, -1, -0x4000_0000] },
        Array { clock: 0, width: 2, coding: Coding::Integers { bytes: 2 }, codes: waves(2) },
    ];
    (clocks, arrays)
}

fn thirtieths() -> Coding {
    Coding::Steps { multiplier: 1, divisor: 30, exponent: 0 }
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

#[test]
fn arrays_come_back_behind_each_other() {
    for segments in [1, 2, 7] {
        let (clocks, arrays) = some(segments);
        let bytes = encode(&clocks, &arrays).unwrap();
        let stream = Stream::open(&bytes, &Limits::default()).unwrap();
        assert_eq!((stream.clocks(), stream.segments()), (&clocks[..], segments as usize));
        let out = stream.decode().unwrap();
        assert_eq!(out.len(), stream.byte_length());
        let keys = clocks[0].total() as usize;
        let times: Vec<f32> = (0..keys).map(|k| k as f32 / 30.0).collect();
        assert_eq!(floats(&out[..keys * 4]), times);
        let at = |array: usize| stream.offset(array).unwrap();
        let rotation = floats(&out[at(1)..][..16 * keys]);
        assert!((0..6).all(|array| at(array) % 4 == 0));
        assert!(
            rotation
                .as_chunks::<4>()
                .0
                .iter()
                .all(|q| (quat::dot(q.map(f64::from), q.map(f64::from)) - 1.0).abs() < 1e-6)
        );
        let moved: Vec<f32> = arrays[2].codes.iter().map(|c| (c * 3) as f32 / 4096.0).collect();
        assert_eq!(floats(&out[at(2)..][..12 * keys]), moved);
        let bytes: Vec<u8> = arrays[3].codes.iter().map(|c| *c as u8).collect();
        assert_eq!(out[at(3)..][..bytes.len()], bytes);
        assert_eq!(
            floats(&out[at(4)..][..12]).iter().map(|f| f.to_bits()).collect::<Vec<_>>(),
            [1.0f32.to_bits(), (-0.0f32).to_bits(), 0xBFFF_FFFF]
        );
        let shorts: Vec<u8> = arrays[5].codes.iter().flat_map(|c| (*c as i16).to_le_bytes()).collect();
        assert_eq!(out[at(5)..][..shorts.len()], shorts);
    }
}

#[test]
fn a_segment_decodes_by_itself() {
    let (clocks, arrays) = some(5);
    let bytes = encode(&clocks, &arrays).unwrap();
    let stream = Stream::open(&bytes, &Limits::default()).unwrap();
    let whole = stream.decode().unwrap();
    let mut alone = vec![0; stream.byte_length()];
    stream.decode_segment(3, &mut alone).unwrap();
    let before: usize = clocks[0].keys[..3].iter().map(|k| *k as usize).sum();
    let keys = clocks[0].keys[3] as usize;
    for (array, stride) in [(0, 4), (1, 16), (2, 12), (3, 5), (5, 4)] {
        let start = stream.offset(array).unwrap() + before * stride;
        assert_eq!(alone[start..start + keys * stride], whole[start..start + keys * stride]);
    }
    assert_eq!(stream.decode_segment(5, &mut alone), Err(StreamError::NoSuchSegment));
    assert_eq!(stream.decode_segment(0, &mut alone[1..]), Err(StreamError::Unfit));
}

#[test]
fn a_cut_stream_gives_its_whole_segments_where_that_is_asked_for() {
    let (clocks, arrays) = some(4);
    let bytes = encode(&clocks, &arrays).unwrap();
    let whole = Stream::open(&bytes, &Limits::default()).unwrap().decode().unwrap();
    let lenient = Limits { truncated: true, ..Limits::default() };
    let mut seen = vec![false; 5];
    for length in 0..bytes.len() {
        let refused = Stream::open(&bytes[..length], &Limits::default()).err();
        assert_eq!(refused, Some(StreamError::Truncated), "{length}");
        let Ok(stream) = Stream::open(&bytes[..length], &lenient) else { continue };
        seen[stream.whole_segments()] = true;
        let times: usize = clocks[0].keys[..stream.whole_segments()].iter().map(|k| 4 * *k as usize).sum();
        let out = stream.decode().unwrap();
        assert_eq!(out[..times], whole[..times]);
        assert!(out[times..stream.offset(1).unwrap()].iter().all(|byte| *byte == 0));
    }
    assert_eq!(seen, [false, true, true, true, false]);
}

#[test]
fn what_does_not_fit_is_not_written() {
    let (clocks, arrays) = some(2);
    let unfit = |clocks: &[Clock], arrays: &[Array]| assert_eq!(encode(clocks, arrays), Err(StreamError::Unfit));
    unfit(&clocks[..1], &arrays);
    unfit(&[clocks[0].clone(), Clock { keys: vec![1] }], &arrays);
    unfit(&clocks, &[Array { width: 0, codes: Vec::new(), ..arrays[0].clone() }]);
    unfit(&clocks, &[Array { codes: vec![0; 3], ..arrays[0].clone() }]);
    let empty = encode(&[], &[]).unwrap();
    assert_eq!(Stream::open(&empty, &Limits::default()).unwrap().decode().unwrap(), []);
}

#[test]
fn what_is_not_paid_for_is_refused() {
    let array = |keys: usize| Array { clock: 0, width: 1, coding: Coding::Floats, codes: vec![0; keys] };
    let many = encode(&[Clock { keys: vec![100_000] }], &[array(100_000)]).unwrap();
    let limits = Limits { values: 1000, values_per_byte: 100, ..Limits::default() };
    assert_eq!(Stream::open(&many, &limits).err(), Some(StreamError::Limit));
    assert!(Stream::open(&many, &Limits { values: 100_000, ..limits }).is_ok());
    let few = encode(&[Clock { keys: vec![1000] }], &[array(1000)]).unwrap();
    let memory = Limits { memory: 3996, ..Limits::default() };
    assert_eq!(Stream::open(&few, &memory).err(), Some(StreamError::Limit));
    assert!(Stream::open(&few, &Limits { memory: 4000, ..memory }).is_ok());
}

#[test]
fn changed_bytes_are_found_or_give_other_values_and_never_panic() {
    let (clocks, arrays) = some(2);
    let bytes = encode(&clocks, &arrays).unwrap();
    let (mut refused, mut changed) = (0, 0);
    for place in 0..bytes.len() {
        for bit in 0..8 {
            let mut broken = bytes.clone();
            broken[place] ^= 1 << bit;
            match Stream::open(&broken, &Limits::default()).and_then(|stream| stream.decode()) {
                Ok(_) => changed += 1,
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 20 * changed, "{refused} refused, {changed} not");
}

#[test]
fn floats_take_the_steps_that_they_lie_on() {
    let thirds: Vec<f32> = (0..100).map(|k| k as f32 / 30.0).collect();
    assert_eq!(fitting(&thirds, 1).0, thirtieths());
    let multiplied: Vec<f32> = (0..100).map(|k| k as f32 * 0.033_333_335).collect();
    assert!(matches!(fitting(&multiplied, 1).0, Coding::Steps { divisor: 1, .. }));
    let halves: Vec<f32> = [0.5, -1.5, 2.0, 8.25].to_vec();
    assert_eq!(fitting(&halves, 1), (Coding::Steps { multiplier: 1, divisor: 1, exponent: -2 }, vec![2, -6, 8, 33]));
    let wild = [1.0e-40f32, -3.0e38, 0.1, f32::NAN, -0.0];
    let (coding, codes) = fitting(&wild, 1);
    assert_eq!(coding, Coding::Floats);
    let bytes = encode(&[Clock { keys: vec![5] }], &[Array { clock: 0, width: 1, coding, codes }]).unwrap();
    let out = Stream::open(&bytes, &Limits::default()).unwrap().decode().unwrap();
    assert_eq!(floats(&out).iter().map(|f| f.to_bits()).collect::<Vec<_>>(), wild.map(f32::to_bits));
}
