//! What extensions that Keyfold does not know may mean: they name objects and bytes by numbers, in ways of their own.

use super::json::to_index;
use serde_json::Value;
use std::{collections::BTreeSet, ops::Range};

/// The numbers that unknown extensions hold: any of them may be an index, or an offset.
pub(crate) struct Mentions {
    numbers: BTreeSet<usize>,
    /// A text that speaks of storage may hold a pointer to anything.
    anything: bool,
}

/// What texts have in them that speak of storage: accessors, bufferViews, buffers, samplers.
const STORAGE: [&str; 4] = ["ccessors", "ufferViews", "uffers", "amplers"];

impl Mentions {
    /// Those in a document, or a part of one, with these unknown extensions.
    pub(crate) fn of(json: &Value, unknown: &[String]) -> Self {
        let mut found = Self { numbers: BTreeSet::new(), anything: false };
        found.search(json, unknown, false);
        found
    }

    fn search(&mut self, value: &Value, unknown: &[String], inside: bool) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    self.search(member, unknown, inside || unknown.iter().any(|name| name == key));
                }
            }
            Value::Array(elements) => elements.iter().for_each(|e| self.search(e, unknown, inside)),
            Value::Number(_) if inside => self.numbers.extend(to_index(value)),
            Value::String(text) if inside => self.anything |= STORAGE.iter().any(|word| text.contains(word)),
            _ => {}
        }
    }

    /// Whether an object may be meant by its index.
    pub(crate) fn contains(&self, index: usize) -> bool {
        self.anything || self.numbers.contains(&index)
    }

    /// How many of `len` objects have to keep their places: up to the last one that may be meant.
    pub(crate) fn fixed(&self, len: usize) -> usize {
        if self.anything { len } else { self.numbers.range(..len).next_back().map_or(0, |last| last + 1) }
    }

    /// Whether a number may mean bytes of a range: some that no view covers, or those where a view begins. `starts`
    /// and `covered` are sorted.
    pub(super) fn mean_bytes(&self, range: Range<usize>, starts: &[usize], covered: &[Range<usize>]) -> bool {
        let is_covered = |n: usize| covered.get(covered.partition_point(|r| r.end <= n)).is_some_and(|r| r.start <= n);
        let is_meant = |n: &usize| !is_covered(*n) || starts.binary_search(n).is_ok();
        !range.is_empty() && self.numbers.range(range).any(is_meant)
    }
}
