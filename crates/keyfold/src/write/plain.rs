//! Accessors behind each other in one buffer view, as they are. Times that others begin with lie in those: clips of
//! one rate have most of their times in common. So do values of one key that others come by.

use super::{Filter, Stored, order};
use crate::{Result, document::Edit};
use std::collections::BTreeMap;

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
        let places = places(contents);
        let mut plain = Self { bytes: Vec::new(), offsets: vec![0; contents.len()] };
        for index in order.iter().copied().filter(|index| places[*index].host == *index) {
            plain.bytes.resize(plain.bytes.len().next_multiple_of(4), 0);
            plain.offsets[index] = plain.bytes.len();
            plain.bytes.extend_from_slice(&contents[index].bytes);
        }
        plain.offsets = places.into_iter().map(|place| plain.offsets[place.host] + place.offset).collect();
        plain
    }
}

/// Where a content's bytes are: in which content, which may be itself, and how far behind its beginning.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) host: usize,
    pub(super) offset: usize,
}

/// By content, where it lies: times in the longest that begin with them, a value of one key in the first that come by
/// it.
pub(super) fn places(contents: &[&Stored]) -> Vec<Place> {
    let mut places: Vec<Place> = (0..contents.len()).map(|host| Place { host, offset: 0 }).collect();
    let mut times: Vec<usize> = (0..contents.len()).filter(|index| contents[*index].bounds).collect();
    // Of one kind, an array stands right before those that begin with it.
    times.sort_unstable_by_key(|index| contents[*index]);
    for pair in times.windows(2).rev() {
        let [shorter, longer] = [pair[0], pair[1]].map(|index| contents[index]);
        if kind(shorter) == kind(longer) && longer.bytes.starts_with(&shorter.bytes) {
            places[pair[0]] = places[pair[1]];
        }
    }
    let (single, several): (Vec<_>, Vec<_>) = contents
        .iter()
        .enumerate()
        .filter(|(_, content)| !content.bounds)
        .partition(|(_, content)| content.count() == 1);
    let mut single: BTreeMap<_, _> =
        single.into_iter().map(|(index, c)| ((kind(c), c.bytes.as_slice()), index)).collect();
    for (host, content) in several {
        for (element, bytes) in content.bytes.chunks_exact(content.element_size()).enumerate() {
            if let Some(guest) = single.remove(&(kind(content), bytes)) {
                places[guest] = Place { host, offset: element * content.element_size() };
            }
        }
    }
    places
}

/// What contents have in common whose bytes mean the same.
fn kind(content: &Stored) -> (order::Kind, Filter) {
    (order::kind(content), content.filter)
}

/// Places all accessors in one buffer view, similar ones together.
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

    #[test]
    fn values_of_one_key_lie_in_those_that_come_by_them() {
        let [moving, held, other] = [&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0][..], &[3.0, 4.0, 5.0], &[2.0, 3.0, 4.0]]
            .map(|v| Stored::floats(Shape::Vec3, v));
        let filtered = Stored { filter: Filter::Exponential, ..held.clone() };
        let plain = Plain::new(&[&held, &moving, &other, &filtered], &[0, 1, 2, 3]);
        assert_eq!(plain.offsets, [12, 0, 24, 36], "whole elements of the same kind");
        assert_eq!(plain.bytes.len(), 48);
    }
}
