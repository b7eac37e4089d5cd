//! Pairs of things of two lists: what each of the first is in the second. Nothing is ever the twin of two.

use std::collections::BTreeMap;

/// Up to so many are paired by how near they are, more in their order.
const NEAREST: usize = 256;

/// For each thing of one list its twin in another, as far as they are found.
#[derive(Clone, Debug)]
pub(in crate::diff) struct Twins {
    of: Vec<Option<usize>>,
    whose: Vec<Option<usize>>,
}

impl Twins {
    /// Of `count` things and `others`, none paired yet.
    pub(super) fn none(count: usize, others: usize) -> Self {
        Self { of: vec![None; count], whose: vec![None; others] }
    }

    /// Each is the one in the same place.
    pub(super) fn same(count: usize) -> Self {
        let of: Vec<_> = (0..count).map(Some).collect();
        Self { whose: of.clone(), of }
    }

    /// The twin of a thing of the first list.
    pub(in crate::diff) fn of(&self, mine: usize) -> Option<usize> {
        self.of.get(mine).copied().flatten()
    }

    /// The thing of the first list whose twin `theirs` is.
    pub(super) fn whose(&self, theirs: usize) -> Option<usize> {
        self.whose.get(theirs).copied().flatten()
    }

    /// All things of the first list, each with its twin.
    pub(in crate::diff) fn all(&self) -> &[Option<usize>] {
        &self.of
    }

    /// What of the first list has no twin.
    pub(in crate::diff) fn alone(&self) -> Vec<usize> {
        (0..self.of.len()).filter(|i| self.of[*i].is_none()).collect()
    }

    /// What of the second list is nobody's twin.
    pub(in crate::diff) fn left(&self) -> Vec<usize> {
        (0..self.whose.len()).filter(|i| self.whose[*i].is_none()).collect()
    }

    /// Makes two things twins, if both are there and neither has one.
    pub(super) fn pair(&mut self, mine: usize, theirs: usize) {
        if self.of.get(mine) == Some(&None) && self.whose.get(theirs) == Some(&None) {
            (self.of[mine], self.whose[theirs]) = (Some(theirs), Some(mine));
        }
    }

    /// Of two lists of things, those that have no twin yet.
    pub(super) fn free(&self, mine: &[usize], theirs: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let mine = mine.iter().copied().filter(|i| self.of[*i].is_none());
        (mine.collect(), theirs.iter().copied().filter(|i| self.whose[*i].is_none()).collect())
    }

    /// Pairs all of two lists of the same length, those first that are nearest to each other; what is as near, in its
    /// order.
    pub(super) fn pair_nearest(&mut self, mine: &[usize], theirs: &[usize], distance: impl Fn(usize, usize) -> f64) {
        if (2..=NEAREST).contains(&mine.len()) {
            let every = (0..mine.len()).flat_map(|i| (0..theirs.len()).map(move |j| (i, j)));
            let mut pairs: Vec<_> = every.map(|(i, j)| (distance(i, j), i.abs_diff(j), i, j)).collect();
            pairs.sort_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
            pairs.into_iter().for_each(|(_, _, i, j)| self.pair(mine[i], theirs[j]));
        }
        mine.iter().zip(theirs).for_each(|(m, t)| self.pair(*m, *t));
    }

    /// Pairs what has the same key, where both sides have as many with it: in their order, but no more than `most` of
    /// one key.
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

/// What of two lists has the same key, key by key; what has none is left out.
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
