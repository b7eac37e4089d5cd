//! The memory that opening a clip may take. It is charged before anything is allocated.

use super::ClipError;

/// Bytes of memory that are left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory(usize);

impl Memory {
    pub(super) fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Charges `count` items of `size` bytes each.
    pub(super) fn pay(&mut self, count: usize, size: usize) -> Result<(), ClipError> {
        self.0 = count.checked_mul(size).and_then(|bytes| self.0.checked_sub(bytes)).ok_or(ClipError::Limit)?;
        Ok(())
    }
}
