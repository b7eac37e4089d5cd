//! Limits of a stream.

/// The limits beyond which [`decode`](super::decode) refuses a stream.
///
/// Entropy coding makes constant tracks nearly free: fifty bytes may legally stand for a hundred
/// million keyframes. The number of values is therefore what a stream has to pay for: `values` come
/// free, more only at `values_per_byte` of the stream. All counts are checked before anything is
/// allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of keyframes.
    pub points: u32,
    /// The number of values (keyframes times components, of all attributes together) that any stream may hold.
    pub values: u64,
    /// The number of values per byte of the stream, if that allows more than `values`.
    pub values_per_byte: u64,
    /// The maximum number of bytes of decoded values. Working memory (a table of at most 8 MiB) comes on top.
    pub memory: u64,
}

impl Default for Limits {
    /// 16 million keyframes; 4 million values, or 32 for each byte of the stream; 512 MiB.
    fn default() -> Self {
        Limits { points: 1 << 24, values: 1 << 22, values_per_byte: 32, memory: 512 << 20 }
    }
}

impl Limits {
    /// How many values a stream of `bytes` may hold.
    pub(super) fn values_for(&self, bytes: usize) -> u64 {
        self.values.max(self.values_per_byte.saturating_mul(bytes as u64))
    }
}
