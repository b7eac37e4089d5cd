//! How numbers and curves lie in the bytes that cross the border: little endian, one after the other.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use keyfold_core::curve::{Curve, Interpolation};

/// Why an operation failed, in words for a person.
pub type Failure = String;

/// Bytes that are read from the front.
#[derive(Debug)]
pub struct Wire<'a>(&'a [u8]);

impl<'a> Wire<'a> {
    /// All of these bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// The next `length` bytes.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], Failure> {
        let (head, tail) = self.0.split_at_checked(length).ok_or("the message is too short")?;
        self.0 = tail;
        Ok(head)
    }

    /// All that is left.
    pub fn rest(self) -> &'a [u8] {
        self.0
    }

    /// A whole number.
    pub fn u32(&mut self) -> Result<u32, Failure> {
        Ok(u32::from_le_bytes(self.bytes(4)?.try_into().unwrap_or_default()))
    }

    /// Numbers in double precision.
    pub fn f64s(&mut self, count: usize) -> Result<Vec<f64>, Failure> {
        let bytes = self.bytes(count.saturating_mul(8))?;
        Ok(bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
    }

    fn f32s(&mut self, count: usize) -> Result<Vec<f32>, Failure> {
        let bytes = self.bytes(count.saturating_mul(4))?;
        Ok(bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
    }

    /// A curve as [`put_curve`] writes it.
    pub fn curve(&mut self) -> Result<Curve, Failure> {
        let [interpolation, width, keys] = [self.u32()?, self.u32()?, self.u32()?];
        let interpolation = *INTERPOLATIONS.get(interpolation as usize).ok_or("no such interpolation")?;
        let (width, keys) = (width as usize, keys as usize);
        let values = keys.saturating_mul(width).saturating_mul(interpolation.elements_per_key());
        let times = self.f32s(keys)?;
        Curve::new(interpolation, width, times, self.f32s(values)?).map_err(|e| e.to_string())
    }
}

const INTERPOLATIONS: [Interpolation; 4] =
    [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline, Interpolation::CubicSlerp];

/// A curve as bytes: interpolation, width, number of keys, times, values.
pub fn put_curve(curve: &Curve) -> Vec<u8> {
    let code = INTERPOLATIONS.iter().position(|i| *i == curve.interpolation()).unwrap_or_default();
    let mut out = Vec::new();
    put_words(&mut out, [code, curve.width(), curve.keys()]);
    out.extend(curve.times().iter().chain(curve.values()).flat_map(|v| v.to_le_bytes()));
    out
}

/// Floats as bytes.
pub fn put_floats(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Whole numbers of four bytes each.
pub fn put_words<const N: usize>(out: &mut Vec<u8>, words: [usize; N]) {
    out.extend(words.map(|word| (word as u32).to_le_bytes()).as_flattened());
}

/// A text behind its length.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put_words(out, [text.len()]);
    out.extend(text.as_bytes());
}
