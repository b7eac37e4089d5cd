//! What a stream may ask for.

/// What a stream is granted before it is refused.
///
/// What never changes costs next to nothing: a few bytes may stand for millions of keys. The number of values is
/// therefore what a stream has to pay for: `values` come free, more only at `values_per_byte`. All counts are checked
/// before anything is allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Values (keys times components, of all arrays together) that any stream may hold.
    pub values: u64,
    /// Values that each byte of the stream pays for, where that is more than `values`.
    pub values_per_byte: u64,
    /// Most bytes of decoded values. Working memory (twice what the largest array takes) comes on top.
    pub memory: u64,
    /// Whether a stream that was cut off is read as far as its segments are whole.
    pub truncated: bool,
}

impl Default for Limits {
    /// A million values, or 256 for each byte of the stream; 512 MiB; only whole streams.
    fn default() -> Self {
        Self { values: 1 << 20, values_per_byte: 256, memory: 512 << 20, truncated: false }
    }
}

impl Limits {
    /// How many values a stream of `bytes` may hold.
    pub(super) fn values_for(&self, bytes: usize) -> u64 {
        self.values.max(self.values_per_byte.saturating_mul(bytes as u64))
    }
}
