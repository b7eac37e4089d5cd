//! Grids for EXT_animation_quantization: as coarse as a budget allows, in bytes where that is nearly enough, and with numbers of few
//! digits, because they stand in the JSON of every channel.

/// The values `offset + code x step` of up to three components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grid {
    /// What code 0 stands for.
    pub(crate) offsets: [f64; 3],
    /// The channel's `scale`: of a normalized type what the largest code adds, else what each code adds.
    pub(crate) scale: f64,
    /// The largest code.
    pub(crate) most: u16,
    /// Whether codes stand for fractions of the largest one.
    pub(crate) normalized: bool,
}

/// Numbers of two digits: the steps from one power of ten to the next.
const DIGITS: [u32; 10] = [10, 12, 15, 20, 25, 30, 40, 50, 60, 80];
/// How much coarser than asked for a grid may be where that makes bytes of shorts.
const COARSER: f64 = 1.5;
/// Values may leave the span that they had in the original by so many steps.
const MARGIN: f64 = 3.0;
/// Offsets are multiples of the power of ten that is at most so many steps.
const LEEWAY: f64 = 32.0;

impl Grid {
    /// A grid with steps of at most about `step` over the spans of components; `None` where shorts do not reach.
    pub(crate) fn new(spans: &[(f64, f64)], step: f64, normalized: bool) -> Option<Self> {
        // Both of a normalized type's scales are short: a short's is 257 times a byte's.
        let unit = if normalized { 255.0 } else { 1.0 };
        let widest = spans.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let reaches = |short: &Short, most: u16| {
            let step = short.value() / unit;
            widest + 2.0 * MARGIN * step + ten_within(LEEWAY * step).value() <= f64::from(most) * step
        };
        let byte = [step, step * COARSER].map(|step| short_within(step * unit));
        let byte = byte.into_iter().find(|short| reaches(short, 255)).map(|short| (short, 255));
        let short =
            || Some(short_within(step * unit)).filter(|short| reaches(short, 65535)).map(|short| (short, 65535));
        let (short, most) = byte.or_else(short)?;
        let step = short.value() / unit;
        let coarse = ten_within(LEEWAY * step);
        let mut offsets = [0.0; 3];
        for (offset, (low, _)) in offsets.iter_mut().zip(spans) {
            *offset = coarse.times(((low - MARGIN * step) / coarse.value()).floor());
        }
        let scale = if normalized && most == 65535 { short.times(257.0) } else { short.value() };
        Some(Self { offsets, scale, most, normalized })
    }

    /// How far neighbouring values lie apart.
    pub(crate) fn spacing(&self) -> f64 {
        if self.normalized { self.scale / f64::from(self.most) } else { self.scale }
    }

    /// The code of a value of a component.
    pub(crate) fn code(&self, component: usize, value: f64) -> u16 {
        ((value - self.offsets[component]) / self.spacing()).round().clamp(0.0, f64::from(self.most)) as u16
    }

    /// The values that a reader gets.
    pub(crate) fn snap(&self, values: [f64; 3]) -> [f64; 3] {
        let unit = if self.normalized { f64::from(self.most) } else { 1.0 };
        [0, 1, 2].map(|i| f64::from(self.code(i, values[i])) / unit * self.scale + self.offsets[i])
    }
}

/// A number of few decimal digits.
#[derive(Clone, Copy)]
struct Short {
    digits: f64,
    exponent: i32,
}

impl Short {
    fn value(self) -> f64 {
        self.times(1.0)
    }

    /// Multiplied before the point is set, so that the result is the nearest float to a short number.
    fn times(self, by: f64) -> f64 {
        let ten = libm::exp10(f64::from(self.exponent.abs()));
        if self.exponent < 0 { self.digits * by / ten } else { self.digits * by * ten }
    }
}

/// The largest power of ten that is at most `x`.
fn ten_within(x: f64) -> Short {
    let mut ten = Short { digits: 1.0, exponent: libm::floor(libm::log10(x)).clamp(-40.0, 40.0) as i32 };
    if ten.value() > x {
        ten.exponent -= 1;
    }
    ten
}

/// The largest number of the ladder that is at most `x`.
fn short_within(x: f64) -> Short {
    let exponent = ten_within(x).exponent - 1;
    let numbers = DIGITS.iter().rev().map(|digits| Short { digits: f64::from(*digits), exponent });
    numbers.into_iter().find(|short| short.value() <= x).unwrap_or(Short { digits: 10.0, exponent })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_cover_their_spans_in_short_numbers() {
        let spans = [(-0.31, 0.2), (0.0, 0.05), (0.7, 0.71)];
        let grid = Grid::new(&spans, 0.004, true).unwrap();
        assert_eq!((grid.most, grid.scale.to_string().as_str()), (255, "1"));
        assert_eq!(grid.offsets.map(|o| o.to_string()), ["-0.4", "-0.1", "0.6"]);
        for (axis, (low, high)) in spans.into_iter().enumerate() {
            for value in [low, (low + high) / 2.0, high] {
                let mut wanted = [0.0; 3];
                wanted[axis] = value;
                assert!((grid.snap(wanted)[axis] - value).abs() <= 0.002 + 1e-12);
            }
        }
    }

    #[test]
    fn shorts_where_bytes_do_not_reach_and_nothing_beyond() {
        let fine = Grid::new(&[(-0.31, 0.2)], 0.001, true).unwrap();
        assert_eq!((fine.most, fine.scale.to_string().as_str()), (65535, "64.25"));
        assert!((fine.spacing() - 0.25 / 255.0).abs() < 1e-12);
        // Half as coarse again, and bytes do.
        assert_eq!(Grid::new(&[(-0.2, 0.1)], 0.0012, true).unwrap().most, 255);
        assert!(Grid::new(&[(0.0, 100.0)], 0.001, false).is_none());
        let plain = Grid::new(&[(0.0, 10.0)], 0.0013, false).unwrap();
        assert_eq!((plain.scale, plain.most), (0.0012, 65535));
    }
}
