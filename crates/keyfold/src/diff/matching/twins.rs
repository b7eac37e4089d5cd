//! Pairs of objects of two lists. Each object has one twin at most.

use std::collections::BTreeMap;

/// Up to this many objects are paired by distance, more of them in order.
const NEAREST: usize = 256;

/// For each object of two lists, its twin in the other, if known.
#[derive(Clone, Debug)]
pub(in crate::diff) struct Twins {
    of: Vec<Option<usize>>,
    whose: Vec<Option<usize>>,
}

impl Twins {
    /// Lists without any pairs.
    pub(super) fn none(count: usize, others: usize) -> Self {
        Self { of: vec![None; count], whose: vec![None; others] }
    }

    /// Pairs objects with the same index.
    pub(super) fn same(count: usize) -> Self {
        let of: Vec<_> = (0..count).map(Some).collect();
        Self { whose: of.clone(), of }
    }

    /// The twin of an object of the first list.
    pub(in crate::diff) fn of(&self, mine: usize) -> Option<usize> {
        self.of.get(mine).copied().flatten()
    }

    /// The object of the first list whose twin is `theirs`.
    pub(super) fn whose(&self, theirs: usize) -> Option<usize> {
        self.whose.get(theirs).copied().flatten()
    }

    /// The twins of all objects of the first list.
    pub(in crate::diff) fn all(&self) -> &[Option<usize>] {
        &self.of
    }

    /// The objects of the first list without a twin.
    pub(in crate::diff) fn alone(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|i| self.of[*i].is_none()).collect()
    }

    /// The objects of the second list without a twin.
    pub(in crate::diff) fn left(&self) -> Vec<usize> {
        (0..self.whose.len()).filter(|i| self.whose[*i].is_none()).collect()
    }

    /// Pairs two objects, if both exist and neither has a twin.
    pub(super) fn pair(&mut self, mine: usize, theirs: usize) {
        if self.of.get(mine) == Some(&None) && self.whose.get(theirs) == Some(&None) {
            (self.of[mine], self.whose[theirs]) = (Some(theirs), Some(mine));
        }
    }

    /// The objects of two lists that have no twin yet.
    pub(super) fn free(&self, mine: &[usize], theirs: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let mine = mine.iter().copied().filter(|i| self.of[*i].is_none());
        (mine.collect(), theirs.iter().copied().filter(|i| self.whose[*i].is_none()).collect())
    }

    /// Pairs all objects of two lists of the same length, the closest first, and equally close ones in order.
    pub(super) fn pair_nearest(&mut self, mine: &[usize], theirs: &[usize], distance: impl Fn(usize, usize) -> f64) {
        if (2..=NEAREST).contains(&mine.len()) {
            let every = (0..mine.len()).flat_map(|i| (0..theirs.len()).map(move |j| (i, j)));
            let mut pairs: Vec<_> = every.map(|(i, j)| (distance(i, j), i.abs_diff(j), i, j)).collect();
            pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
            pairs.into_iter().for_each(|(_, _, i, j)| self.pair(mine[i], theirs[j]));
        }
        mine.iter().zip(theirs).for_each(|(m, t)| self.pair(*m, *t));
    }

    /// Pairs objects with equal keys in order, if both lists have as many of the key and no more than `most`.
    pub(super) fn pair_by_key<K: Ord>(
        &mut self,
        most: usize,
        key: impl Fn(usize) -> Option<K>,
        other_key: impl Fn(usize) -> Option<K>,
    ) {
        let fit = |(mine, theirs): &(Vec<usize>, Vec<usize>)| mine.len() == theirs.len() && mine.len() <= most;
        for (mine, theirs) in groups(&self.alone(), key, &self.left(), other_key).filter(fit) {
            mine.into_iter().zip(theirs).for_each(|(i, twin)| self.pair(i, twin));
        }
    }
}

/// The objects of two lists grouped by key. Those without a key are left out.
pub(super) fn groups<K: Ord>(
    mine: &[usize],
    key: impl Fn(usize) -> Option<K>,
    theirs: &[usize],
    other_key: impl Fn(usize) -> Option<K>,
) -> impl Iterator<Item = (Vec<usize>, Vec<usize>)> {
    let mut groups: BTreeMap<K, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    mine.iter().for_each(|i| key(*i).into_iter().for_each(|k| groups.entry(k).or_default().0.push(*i)));
    theirs.iter().for_each(|i| other_key(*i).into_iter().for_each(|k| groups.entry(k).or_default().1.push(*i)));
    groups.into_values().filter(|(mine, theirs)| !mine.is_empty() && !theirs.is_empty())
}
