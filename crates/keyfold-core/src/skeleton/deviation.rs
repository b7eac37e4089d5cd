//! The deviation between two motions: the distances between points that the moved nodes carry and their twins.
//!
//! The error at a moment is the largest distance between a probe's points and their twins. Root mean square and the
//! worst of every probe come along, for reports and for searches that want to know where the error is.

use super::{Affine, Moment, Motion, Poses};
use alloc::{vec, vec::Vec};

/// How many moments [`compare`] takes at once: callers that split the work in parallel split at its multiples, so
/// that sums come out the same on any number of threads. Few, because each takes four matrices of every node.
pub(crate) const BLOCK: usize = 64;

/// Three points that a node carries, one on each of its axes, in two hierarchies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The node in the first hierarchy.
    pub a: usize,
    /// The same node in the second one.
    pub b: usize,
    /// How far each point lies from the origin along its axis, in the node's own units.
    pub offsets: [f64; 3],
}

impl Probe {
    /// From the three points as the second matrix carries them to where the first one does.
    #[inline]
    pub fn differences(&self, a: &Affine, b: &Affine) -> [[f64; 3]; 3] {
        let origin = [0, 1, 2].map(|k| a.origin[k] - b.origin[k]);
        [0, 1, 2].map(|axis| [0, 1, 2].map(|k| origin[k] + (a.axes[axis][k] - b.axes[axis][k]) * self.offsets[axis]))
    }

    /// The three points, carried to the scene.
    pub fn points(&self, carrier: &Affine) -> [[f64; 3]; 3] {
        [0, 1, 2].map(|axis| {
            let v = carrier.axes[axis].map(|c| c * self.offsets[axis]);
            [0, 1, 2].map(|k| carrier.origin[k] + v[k])
        })
    }

    /// The largest squared distance between the three points carried by one matrix and by the other.
    #[inline]
    pub fn squared_distance(&self, a: &Affine, b: &Affine) -> f64 {
        let squares = self.differences(a, b).map(|d| d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        // A distance that is no number is no small one.
        squares.into_iter().fold(0.0, |m, squared| if squared.is_nan() { f64::INFINITY } else { squared.max(m) })
    }
}

/// The largest error of one probe and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// The distance, in scene units.
    pub error: f64,
    /// The time.
    pub moment: Moment,
}

/// The deviation between two motions.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// The worst of each probe, in the order of the probes.
    pub probes: Vec<Worst>,
    squares: f64,
    count: u64,
}

impl Deviation {
    /// No deviation, nothing measured yet.
    pub fn none(probes: usize) -> Self {
        Self { probes: vec![Worst { error: 0.0, moment: Moment::at(0.0) }; probes], squares: 0.0, count: 0 }
    }

    /// The largest error, and which probe has it; `None` if there is no probe.
    pub fn worst(&self) -> Option<(usize, Worst)> {
        let all = self.probes.iter().copied().enumerate();
        all.reduce(|best, next| if next.1.error > best.1.error { next } else { best })
    }

    /// The largest error: zero where there is no probe.
    pub fn error(&self) -> f64 {
        self.probes.iter().fold(0.0, |m, w| m.max(w.error))
    }

    /// The root of the mean square over all probes and moments.
    pub fn rms(&self) -> f64 {
        if self.count == 0 { 0.0 } else { libm::sqrt(self.squares / self.count as f64) }
    }

    /// Adds the deviation of the same probes at other moments. Of equal errors the present one stays.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.probes.iter_mut().zip(&other.probes) {
            if theirs.error > mine.error {
                *mine = *theirs;
            }
        }
        self.squares += other.squares;
        self.count += other.count;
    }

    /// Adds the deviation of some of the probes.
    pub(super) fn take_in(&mut self, other: &Self, probes: &[usize]) {
        probes.iter().zip(&other.probes).for_each(|(probe, worst)| self.probes[*probe] = *worst);
        self.squares += other.squares;
        self.count += other.count;
    }

    /// Adds one more look at a probe, which does not count for the mean.
    pub(super) fn include(&mut self, probe: usize, squared: f64, moment: Moment) {
        let worst = &mut self.probes[probe];
        if squared > worst.error * worst.error {
            *worst = Worst { error: libm::sqrt(squared), moment };
        }
    }

    /// Takes everything that was found for rounding.
    pub(super) fn forget_errors(&mut self) {
        self.probes.iter_mut().for_each(|worst| worst.error = 0.0);
        self.squares = 0.0;
    }

    /// Adds the deviation between two sets of poses at the same `moments`.
    pub fn add(&mut self, a: &Poses, b: &Poses, probes: &[Probe], moments: &[Moment]) {
        for (probe, worst) in probes.iter().zip(&mut self.probes) {
            let mut largest = (worst.error * worst.error, None);
            for i in 0..moments.len() {
                let squared = probe.squared_distance(a.global(probe.a, i), b.global(probe.b, i));
                self.squares += squared;
                if squared > largest.0 {
                    largest = (squared, Some(i));
                }
            }
            if let (squared, Some(i)) = largest {
                *worst = Worst { error: libm::sqrt(squared), moment: moments[i] };
            }
            self.count += moments.len() as u64;
        }
    }
}

/// The deviation between `a` and `b` at `moments`.
pub fn compare(a: &Motion<'_>, b: &Motion<'_>, probes: &[Probe], moments: &[Moment]) -> Deviation {
    let mut out = Deviation::none(probes.len());
    for block in moments.chunks(BLOCK) {
        let mut part = Deviation::none(probes.len());
        part.add(&Poses::new(a, block), &Poses::new(b, block), probes, block);
        out.merge(&part);
    }
    out
}
