//! Accessors behind each other in one buffer view, as they are. Times that others begin with lie in those: clips of one rate have most of their times in common.

use super::{Stored, order::kind};
use crate::{Result, document::Edit};

/// Contents in one piece.
pub(crate) struct Plain {
    /// All bytes.
    pub(crate) bytes: Vec<u8>,
    /// By content, where it begins.
    pub(crate) offsets: Vec<usize>,
}

impl Plain {
    /// Contents in an order, each start aligned to four bytes.
    pub(crate) fn new(contents: &[&Stored], order: &[usize]) -> Self {
        let hosts = hosts(contents);
        let mut plain = Self { bytes: Vec::new(), offsets: vec![0; contents.len()] };
        for index in order.iter().copied().filter(|index| hosts[*index] == *index) {
            plain.bytes.resize(plain.bytes.len().next_multiple_of(4), 0);
            plain.offsets[index] = plain.bytes.len();
            plain.bytes.extend_from_slice(&contents[index].bytes);
        }
        plain.offsets = hosts.into_iter().map(|host| plain.offsets[host]).collect();
        plain
    }
}

/// By content, the one in whose bytes it lies: for times the longest that begin with them, else itself.
pub(super) fn hosts(contents: &[&Stored]) -> Vec<usize> {
    let mut hosts: Vec<usize> = (0..contents.len()).collect();
    let mut times: Vec<usize> = hosts.iter().copied().filter(|index| contents[*index].bounds).collect();
    // Of one kind, an array stands right before those that begin with it.
    times.sort_unstable_by_key(|index| contents[*index]);
    for pair in times.windows(2).rev() {
        let [shorter, longer] = [pair[0], pair[1]].map(|index| contents[index]);
        if kind(shorter) == kind(longer) && longer.bytes.starts_with(&shorter.bytes) {
            hosts[pair[0]] = hosts[pair[1]];
        }
    }
    hosts
}

/// All accessors in one buffer view, alike ones together.
pub fn place_plain(edit: &mut Edit<'_>, contents: &[&Stored]) -> Result<Vec<usize>> {
    if contents.is_empty() {
        return Ok(Vec::new());
    }
    let order = super::alike(contents);
    let Plain { bytes, offsets } = Plain::new(contents, &order);
    let view = edit.push_view(bytes);
    let mut accessors = vec![0; contents.len()];
    for index in order {
        accessors[index] = edit.push("accessors", contents[index].accessor(Some((view, offsets[index]))).into());
    }
    Ok(accessors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Shape;

    #[test]
    fn times_lie_in_longer_ones_that_begin_with_them() {
        let times = [&[0.0, 1.0][..], &[0.0, 1.0, 2.0], &[0.0], &[0.0, 1.0, 3.0], &[1.0]].map(Stored::times);
        let value = Stored::floats(Shape::Scalar, &[0.0]);
        let contents: Vec<&Stored> = times.iter().chain([&value]).collect();
        let plain = Plain::new(&contents, &[0, 1, 2, 3, 4, 5]);
        assert_eq!(plain.bytes.len(), 4 * (3 + 3 + 1 + 1), "two of three times, another and a value");
        for (content, offset) in contents.iter().zip(&plain.offsets) {
            assert!(plain.bytes[*offset..].starts_with(&content.bytes), "{content:?}");
        }
        assert_eq!(plain.offsets[5], 28, "a value is no time");
    }
}
