//! How much a file may ask for: no count that comes from a file is trusted before it is paid for.

/// What decoding may use up. The defaults let every ordinary file through within 2 GiB of address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file: the document itself or a buffer beside it.
    pub file_bytes: u64,
    /// Elements' floats of one accessor that no bytes of the file stand behind (zeros, or compressed data).
    pub unpaid_values: usize,
    /// Floats of all curves of a document together: channels that share an accessor count each.
    pub curve_values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 1 << 30, unpaid_values: 1 << 24, curve_values: 1 << 27 }
    }
}
