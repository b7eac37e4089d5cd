//! Tracks whose exact values hold from key to key: steps and booleans.

use super::ClipError;
use super::bits::{BitReader, BitWriter};
use alloc::vec::Vec;

/// Exact values that hold from key to key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StepTrack {
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<f32>,
}

impl StepTrack {
    /// Writes the track. Values that are all 0 or 1 take a bit each.
    pub(super) fn write(&self, out: &mut BitWriter) {
        let bools = self.values.iter().all(|v| v.to_bits() == 0 || *v == 1.0);
        out.put_count(self.times.len() as u64);
        out.put(bools.into(), 1);
        self.times.iter().for_each(|t| out.put_f32(*t));
        self.values.iter().for_each(|v| if bools { out.put((*v == 1.0).into(), 1) } else { out.put_f32(*v) });
    }

    pub(super) fn read(width: usize, from: &mut BitReader<'_>) -> Result<Self, ClipError> {
        let keys = from.paid_count(width.saturating_add(32))?;
        let bools = from.flag()?;
        let times = (0..keys).map(|_| from.f32()).collect::<Result<Vec<_>, _>>()?;
        if keys == 0 || !times.windows(2).all(|w| w[0] < w[1]) {
            return Err(ClipError::Malformed("the times of a step track do not increase"));
        }
        let value = |from: &mut BitReader<'_>| if bools { Ok(f32::from(from.flag()? as u8)) } else { from.f32() };
        let values = (0..keys * width).map(|_| value(from)).collect::<Result<Vec<_>, _>>()?;
        Ok(Self { times, values })
    }

    /// The value at `t` seconds, with `width` components.
    pub(super) fn at(&self, t: f64, width: usize) -> &[f32] {
        let key = self.times.partition_point(|k| f64::from(*k) <= t).saturating_sub(1);
        &self.values[key * width..(key + 1) * width]
    }
}
