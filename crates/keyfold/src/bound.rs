//! The allowed error: a fraction of the model's size, or a length.

use std::{fmt, str::FromStr};

/// A length in a scene: `0.01%` of the model's size, `0.1mm`, `2cm` (glTF's units are metres), or a bare number of
/// scene units.
///
/// ```
/// use keyfold::Bound;
/// assert_eq!("0.5%".parse(), Ok(Bound::Relative(0.005)));
/// assert_eq!("2cm".parse::<Bound>().unwrap().in_scene(100.0), 0.02);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A fraction of the model's size: 0.0001 is 0.01 %.
    Relative(f64),
    /// Scene units.
    Length(f64),
}

/// 0.01 % of the model's size.
impl Default for Bound {
    fn default() -> Self {
        Self::Relative(0.0001)
    }
}

impl Bound {
    /// The bound multiplied by `share`.
    #[must_use]
    pub fn scaled(self, share: f64) -> Self {
        match self {
            Self::Relative(whole) => Self::Relative(share * whole),
            Self::Length(whole) => Self::Length(share * whole),
        }
    }

    /// The length in scene units for a model of this size.
    pub fn in_scene(self, model_size: f64) -> f64 {
        match self {
            Self::Relative(share) => share * model_size,
            Self::Length(length) => length,
        }
    }
}

/// The default bound of properties that move no points, as a fraction of their natural range.
pub const PROPERTY_BOUND: f64 = 0.001;

/// The error bound of properties that move no points, as a fraction of their natural range.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct PropertyBound(pub f64);

impl Default for PropertyBound {
    fn default() -> Self {
        Self(PROPERTY_BOUND)
    }
}

/// An error for text that is not a bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no length: give a percentage (0.01%), a length (0.1mm, 2cm) or a number of scene units")]
pub struct BoundError(String);

/// Units and how many metres they are; longer names first, so that `mm` is not taken for `m`.
const UNITS: [(&str, f64); 6] = [("um", 1e-6), ("µm", 1e-6), ("mm", 1e-3), ("cm", 1e-2), ("km", 1e3), ("m", 1.0)];

impl FromStr for Bound {
    type Err = BoundError;

    fn from_str(text: &str) -> Result<Self, BoundError> {
        let number = |digits: &str| match digits.trim().parse::<f64>() {
            Ok(n) if n.is_finite() && n >= 0.0 => Ok(n),
            _ => Err(BoundError(text.to_owned())),
        };
        let trimmed = text.trim();
        if let Some(digits) = trimmed.strip_suffix('%') {
            return Ok(Self::Relative(number(digits)? / 100.0));
        }
        for (unit, metres) in UNITS {
            if let Some(digits) = trimmed.strip_suffix(unit) {
                return Ok(Self::Length(number(digits)? * metres));
            }
        }
        Ok(Self::Length(number(trimmed)?))
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Relative(share) => write!(f, "{}%", (share * 1e14).round() / 1e12),
            Self::Length(length) => write!(f, "{length}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_with_their_units() {
        let read = |text: &str| text.parse::<Bound>().ok();
        assert_eq!(read("0.01%"), Some(Bound::Relative(0.0001)));
        assert_eq!(read(" 0.1 mm "), Some(Bound::Length(0.1 * 1e-3)));
        assert_eq!(read("2cm"), Some(Bound::Length(0.02)));
        assert_eq!(read("1m"), Some(Bound::Length(1.0)));
        assert_eq!(read("0.25"), Some(Bound::Length(0.25)));
        assert_eq!(read("0"), Some(Bound::Length(0.0)));
        for bad in ["", "%", "mm", "-1", "nan", "inf%", "1 furlong", "1e999"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_bound_prints_as_it_is_read() {
        for text in ["0.01%", "1%", "0.002%", "0.25"] {
            assert_eq!(text.parse::<Bound>().unwrap().to_string(), text);
        }
    }
}
