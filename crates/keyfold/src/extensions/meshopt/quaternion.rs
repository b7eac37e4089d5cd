//! Undoing the QUATERNION filter (EXT_meshopt_compression, appendix B).
//!
//! meshoptimizer's scalar, SSE and NEON versions of it differ in the last digit for some elements. Here is the scalar one, whose order of
//! operations is the specification's: what Keyfold reads and decides is the same on every processor.

/// Elements back to normalized shorts: three components and, in the fourth, which one was left out and the scale.
pub(crate) fn decode(elements: &mut [[i16; 4]]) {
    for element in elements {
        *element = quaternion(*element);
    }
}

fn quaternion([x, y, z, last]: [i16; 4]) -> [i16; 4] {
    let scale = f32::from(last | 3);
    let [x, y, z] = [x, y, z].map(f32::from);
    // The square root of a half stands for `scale`: the length is its square twice.
    let rest = scale * scale * 2.0 - x * x - y * y - z * z;
    let w = rest.max(0.0).sqrt();
    let to_short = 32767.0 / 2f32.sqrt() / scale;
    let rounded = |value: f32| (value * to_short + if value >= 0.0 { 0.5 } else { -0.5 }) as i32 as i16;
    let left_out = usize::from(last as u16 & 3);
    let mut out = [0; 4];
    for (step, component) in [w, x, y, z].into_iter().enumerate() {
        out[(left_out + step) % 4] = rounded(component);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_component_that_was_left_out_goes_to_its_place() {
        let mut elements: [[i16; 4]; 4] = std::array::from_fn(|i| [0, 0, 0, 1020 | i as i16]);
        decode(&mut elements);
        for (i, element) in elements.iter().enumerate() {
            assert_eq!(*element, std::array::from_fn(|c| if c == i { 32767 } else { 0 }));
        }
    }

    #[test]
    fn rounding_is_that_of_the_scalar_filter() {
        // meshoptimizer's SSE version has another last digit in each of these.
        for (element, expected) in SCALAR {
            let mut elements = [element];
            decode(&mut elements);
            assert_eq!(elements[0], expected);
        }
    }

    const SCALAR: [([i16; 4], [i16; 4]); 4] = [
        ([3148, 4616, -9805, 21884], [30512, 3333, 4887, -10380]),
        ([8916, -14960, -12989, 31047], [6654, -11164, -9693, 28475]),
        ([-5656, 5255, 7908, 23133], [7920, 30841, -5665, 5263]),
        ([-4234, -4823, -566, 10010], [-11163, -1310, 29178, -9799]),
    ];
}
