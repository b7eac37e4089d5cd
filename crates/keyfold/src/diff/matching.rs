//! Which node and which animation of one file is which of the other's.
//!
//! By index where both files have the same names in the same places; otherwise by the names from the root down, otherwise by name.
//! Where several have the same, and both files have as many of them, they match in their order.

use crate::{Animation, Scene};
use std::collections::BTreeMap;

/// For each node of `a` its twin in `b`.
pub(super) fn nodes(a: &Scene, b: &Scene) -> Vec<Option<usize>> {
    let (count, others) = (a.skeleton().len(), b.skeleton().len());
    if count == others && (0..count).all(|n| a.name(n) == b.name(n)) {
        return (0..count).map(Some).collect();
    }
    let by_path = twins(count, |n| a.path(n), others, |n| b.path(n));
    let by_name = twins(count, |n| a.name(n), others, |n| b.name(n));
    let by_index = |n: usize| (n < others && a.name(n) == b.name(n)).then_some(n);
    (0..count).map(|n| by_path[n].or(by_name[n]).or_else(|| by_index(n))).collect()
}

/// For each animation of `a` its twin in `b`; what has none is told.
pub(super) fn animations(a: &[Animation], b: &[Animation], unmatched: &mut Vec<String>) -> Vec<Option<usize>> {
    let by_name = twins(a.len(), |i| a[i].name.as_deref(), b.len(), |i| b[i].name.as_deref());
    let twin = |index: usize| {
        let same_place = b.get(index).filter(|other| other.name == a[index].name).map(|_| index);
        same_place.or(by_name[index]).or_else(|| (a.len() == b.len()).then_some(index))
    };
    let twins: Vec<_> = (0..a.len()).map(twin).collect();
    for (index, _) in twins.iter().enumerate().filter(|(_, twin)| twin.is_none()) {
        unmatched.push(format!("/animations/{index}: the second file lacks it"));
    }
    for index in (0..b.len()).filter(|i| !twins.contains(&Some(*i))) {
        unmatched.push(format!("/animations/{index} of the second file: the first file lacks it"));
    }
    twins
}

/// For each of `count` things the one of `others` with the same key, where both sides have as many with it.
fn twins<K: Ord>(
    count: usize,
    key: impl Fn(usize) -> Option<K>,
    others: usize,
    other_key: impl Fn(usize) -> Option<K>,
) -> Vec<Option<usize>> {
    let mut groups: BTreeMap<K, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    (0..count).for_each(|i| key(i).into_iter().for_each(|k| groups.entry(k).or_default().0.push(i)));
    (0..others).for_each(|i| other_key(i).into_iter().for_each(|k| groups.entry(k).or_default().1.push(i)));
    let mut twins = vec![None; count];
    for (mine, theirs) in groups.into_values().filter(|(mine, theirs)| mine.len() == theirs.len()) {
        mine.into_iter().zip(theirs).for_each(|(i, twin)| twins[i] = Some(twin));
    }
    twins
}
