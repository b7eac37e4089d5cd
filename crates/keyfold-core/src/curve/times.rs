//! Merged times of several curves.

use alloc::vec::Vec;

/// All times of several arrays, ascending, without duplicates.
///
/// ```
/// let times = [&[0.0, 1.0][..], &[0.5, 1.0]];
/// assert_eq!(keyfold_core::curve::merged_times(times.into_iter()), [0.0, 0.5, 1.0]);
/// ```
pub fn merged_times<'a>(arrays: impl Iterator<Item = &'a [f32]>) -> Vec<f32> {
    let mut out: Vec<f32> = once(arrays).flatten().copied().collect();
    out.sort_unstable_by(f32::total_cmp);
    out.dedup();
    out
}

/// Arrays without those that are shared with the one before.
pub(crate) fn once<'a>(arrays: impl Iterator<Item = &'a [f32]>) -> impl Iterator<Item = &'a [f32]> {
    let mut last = None;
    arrays.filter(move |array| last.replace(array.as_ptr()) != Some(array.as_ptr()))
}
