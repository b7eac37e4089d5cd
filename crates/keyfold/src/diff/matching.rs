//! Which node and which animation of one file is which of the other's.
//!
//! By index where both files have the same names in the same places; otherwise by the names from the root down, otherwise by a name
//! that both files have only once.

use crate::{Animation, Scene};
use std::collections::BTreeMap;

/// For each node of `a` its twin in `b`.
pub(super) fn nodes(a: &Scene, b: &Scene) -> Vec<Option<usize>> {
    let (count, others) = (a.skeleton().len(), b.skeleton().len());
    if count == others && (0..count).all(|n| a.name(n) == b.name(n)) {
        return (0..count).map(Some).collect();
    }
    let paths = once((0..others).filter_map(|n| Some((b.path(n)?, n))));
    let own_paths = once((0..count).filter_map(|n| Some((a.path(n)?, n))));
    let names = once((0..others).filter_map(|n| Some((b.name(n)?, n))));
    let own_names = once((0..count).filter_map(|n| Some((a.name(n)?, n))));
    let by_path = |n| a.path(n).filter(|p| own_paths.contains_key(p)).and_then(|p| paths.get(&p).copied());
    let by_name = |n| a.name(n).filter(|p| own_names.contains_key(p)).and_then(|p| names.get(p).copied());
    let by_index = |n: usize| (n < others && a.name(n) == b.name(n)).then_some(n);
    (0..count).map(|n| by_path(n).or_else(|| by_name(n)).or_else(|| by_index(n))).collect()
}

/// For each animation of `a` its twin in `b`; what has none is told.
pub(super) fn animations(a: &[Animation], b: &[Animation], unmatched: &mut Vec<String>) -> Vec<Option<usize>> {
    let names = once(b.iter().enumerate().filter_map(|(i, x)| Some((x.name.as_deref()?, i))));
    let own_names = once(a.iter().enumerate().filter_map(|(i, x)| Some((x.name.as_deref()?, i))));
    let twin = |index: usize, animation: &Animation| {
        let same_place = b.get(index).filter(|other| other.name == animation.name).map(|_| index);
        let by_name =
            || animation.name.as_deref().filter(|n| own_names.contains_key(n)).and_then(|n| names.get(n).copied());
        same_place.or_else(by_name).or_else(|| (a.len() == b.len()).then_some(index))
    };
    let twins: Vec<_> = a.iter().enumerate().map(|(i, animation)| twin(i, animation)).collect();
    for (index, _) in twins.iter().enumerate().filter(|(_, twin)| twin.is_none()) {
        unmatched.push(format!("/animations/{index}: the second file lacks it"));
    }
    for index in (0..b.len()).filter(|i| !twins.contains(&Some(*i))) {
        unmatched.push(format!("/animations/{index} of the second file: the first file lacks it"));
    }
    twins
}

/// The entries whose key comes only once.
fn once<K: Ord>(entries: impl Iterator<Item = (K, usize)>) -> BTreeMap<K, usize> {
    let mut counted: BTreeMap<K, (usize, usize)> = BTreeMap::new();
    for (key, index) in entries {
        counted.entry(key).and_modify(|(_, n)| *n += 1).or_insert((index, 1));
    }
    counted.into_iter().filter(|(_, (_, n))| *n == 1).map(|(key, (index, _))| (key, index)).collect()
}
