//! meshopt's QUATERNION filter with steps of our own choice: EXT_meshopt_compression, appendix B.
//!
//! An element holds three components as integers and, in the fourth, which one was left out (two bits) and the integer that stands
//! for the square root of a half (the rest, its two low bits taken as set). meshoptimizer's own encoder offers only
//! powers of two for it; a decoder takes any.

pub(crate) use crate::extensions::meshopt::quaternion::decode;
use keyfold_core::quat::{self, Quat};

/// Steps to a unit (here: to the square root of a half) that writers choose from: four to an octave, the coarsest first.
pub(crate) const LADDER: [i32; 49] = ladder();

const fn ladder() -> [i32; 49] {
    // 2^(1/4), 2^(2/4), 2^(3/4) in thousandths.
    let fractions = [1000, 1189, 1414, 1682];
    let mut scales = [0; 49];
    let mut i = 0;
    while i < scales.len() {
        scales[i] = ((4 << (i / 4)) * fractions[i % 4] / 1000) | 3;
        i += 1;
    }
    scales
}

/// The coarsest scale whose step is at most about `step`, a component of a unit quaternion; `None` where the filter's output,
/// normalized shorts, would be coarser than that.
pub(crate) fn scale_within(step: f64) -> Option<i32> {
    let wanted = 1.0 / (step * std::f64::consts::SQRT_2);
    LADDER.into_iter().find(|scale| f64::from(*scale) >= wanted)
}

/// The filter's element for a rotation.
pub(crate) fn encode(q: Quat, scale: i32) -> [i16; 4] {
    let largest = (1..4).fold(0, |best, i| if q[i].abs() > q[best].abs() { i } else { best });
    encode_without(q, scale, largest)
}

fn encode_without(q: Quat, scale: i32, left_out: usize) -> [i16; 4] {
    let q = if q[left_out] < 0.0 { quat::negate(q) } else { q };
    let factor = f64::from(scale) * std::f64::consts::SQRT_2;
    let code = |i: usize| (q[(left_out + i) % 4] * factor).round().clamp(-32767.0, 32767.0) as i16;
    [code(1), code(2), code(3), (scale & !3) as i16 | left_out as i16]
}

/// The coarsest filter elements that decode to exactly these normalized shorts; `None` where no scale does.
pub(crate) fn exact(shorts: &[[i16; 4]]) -> Option<Vec<[i16; 4]>> {
    LADDER.into_iter().find_map(|scale| {
        // Most scales fail at the first few elements.
        let (head, tail) = shorts.split_at(shorts.len().min(4));
        let mut elements = exact_at(head, scale)?;
        elements.extend(exact_at(tail, scale)?);
        Some(elements)
    })
}

fn exact_at(shorts: &[[i16; 4]], scale: i32) -> Option<Vec<[i16; 4]>> {
    shorts.iter().map(|short| exact_element(*short, scale)).collect()
}

fn exact_element(short: [i16; 4], scale: i32) -> Option<[i16; 4]> {
    let q = short.map(|c| f64::from(c) / 32767.0);
    let largest = short.iter().map(|c| c.unsigned_abs()).max()?;
    // Where two components are about as large, the one that was left out may have come back a little smaller.
    let candidates = (0..4).filter(|i| i32::from(short[*i].unsigned_abs()) * 16 >= i32::from(largest) * 15);
    candidates.map(|left_out| encode_without(q, scale, left_out)).find(|element| {
        let mut decoded = [*element];
        decode(&mut decoded);
        decoded[0] == short
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Quat> {
        (0..500).map(|i| quat::exp([f64::from(i) * 0.013, (f64::from(i) * 0.1).sin(), 0.4])).collect()
    }

    #[test]
    fn the_ladder_climbs_and_marks_its_scales() {
        assert!(LADDER.windows(2).all(|w| w[0] <= w[1]) && LADDER.iter().all(|s| s & 3 == 3));
        assert!(LADDER[48] < 32768 && scale_within(1e-6).is_none());
    }

    #[test]
    fn elements_decode_near_the_rotation_and_are_found_again() {
        for scale in [LADDER[10], LADDER[20], LADDER[30]] {
            let elements: Vec<[i16; 4]> = some().into_iter().map(|q| encode(q, scale)).collect();
            let mut shorts = elements.clone();
            decode(&mut shorts);
            for (q, s) in some().into_iter().zip(&shorts) {
                let back = quat::normalize(s.map(|c| f64::from(c) / 32767.0));
                assert!(quat::angle(q, back) < 2.5 / f64::from(scale), "{scale}");
            }
            let mut found = exact(&shorts).unwrap();
            decode(&mut found);
            assert_eq!(found, shorts);
        }
    }
}
