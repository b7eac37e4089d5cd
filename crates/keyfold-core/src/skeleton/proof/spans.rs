//! The stretches between neighbouring keys, where everything is smooth, and the moments at which they are
//! sampled.

use super::super::{Moment, Motion};
use alloc::vec::Vec;

/// From one key of either motion to the next. The length is zero if there is no time between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) start: f64,
    pub(super) end: f64,
    /// Whether a `Step` key is at the end. Then only the value before it belongs to the span.
    pub(super) edge: bool,
}

/// All spans of two motions, ascending; each key starts one.
pub(super) fn spans(a: &Motion<'_>, b: &Motion<'_>) -> Vec<Span> {
    let mut all = a.keys();
    for (mine, theirs) in all.iter_mut().zip(b.keys()) {
        mine.extend(theirs);
        mine.sort_unstable_by(f64::total_cmp);
        mine.dedup();
    }
    let [keys, edges, pairs] = all;
    let mut edges = edges.into_iter().peekable();
    let mut out = Vec::with_capacity(keys.len());
    for (i, &start) in keys.iter().enumerate() {
        // If two neighbouring floats form an edge, there is no time between them. If they are keys of
        // different curves, there is.
        let is_edge = pairs.binary_search_by(|pair| pair.total_cmp(&start)).is_ok();
        let end = keys.get(i + 1).copied().filter(|_| !is_edge).unwrap_or(start);
        while edges.next_if(|edge| *edge < end).is_some() {}
        out.push(Span { start, end, edge: end > start && edges.peek() == Some(&end) });
    }
    out
}

impl Span {
    /// Whether its length is zero.
    pub(super) fn is_instant(&self) -> bool {
        self.end <= self.start
    }

    /// Its two halves; `None` if no number lies between its ends.
    pub(super) fn halves(&self) -> Option<[Self; 2]> {
        let middle = self.start + (self.end - self.start) / 2.0;
        (middle > self.start && middle < self.end)
            .then_some([Self { end: middle, edge: false, ..*self }, Self { start: middle, ..*self }])
    }

    fn last(&self) -> Moment {
        Moment { time: self.end, left: self.edge }
    }
}

/// The moments of `spans`, and the index of each span's first moment. A span has four, at even steps from end
/// to end, or one. Neighbours share one.
pub(super) fn moments_of(spans: impl Iterator<Item = Span>) -> (Vec<Moment>, Vec<usize>) {
    let (mut moments, mut firsts) = (Vec::<Moment>::new(), Vec::new());
    for span in spans {
        let start = Moment::at(span.start);
        if moments.last() != Some(&start) {
            moments.push(start);
        }
        firsts.push(moments.len() - 1);
        if !span.is_instant() {
            let step = (span.end - span.start) / 3.0;
            moments.extend([Moment::at(span.start + step), Moment::at(span.end - step), span.last()]);
        }
    }
    (moments, firsts)
}
