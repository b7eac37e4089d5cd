//! The encoder of runtime clips: curves in, bytes out, the bound held.
//!
//! ```text
//! keys     when the keys are (splines: how many follow those), the values there, and the lines or parabolas between: what errors are measured against
//! plan     which tracks are constant, exact or keyed, and which need not be stored at all
//! keyed    what keyed tracks should have at their keys, rotations in axes of their own (frame)
//! segments each a job for the engine, which sees it by codec ─> codes; or fixed
//! pack     codes to bytes
//! measure  read back, compared everywhere ─> bytes, or keys beside errors over the bound nearer, again
//! ```
//!
//! `docs/clips.md` tells what was tried and what it brought. Transcendental functions come from `libm`: the same input
//! makes the same bytes on every platform.

mod codec;
mod fixed;
mod frame;
mod keyed;
mod keys;
mod measure;
mod pack;
mod plan;
mod segments;
mod splines;

use super::coding::MAX_BITS;
use super::timing::{MAX_EVEN_KEYS, Timing};
use super::{ClipError, Encoding, NodeProperty, Target};
use crate::curve::Curve;
use crate::skeleton::{Affine, BETWEEN, BLOCK, Moment, Motion, Poses, Probe, Skeleton, moments, probes};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::{cell::Cell, fmt};

use keys::KeyTimes;
use plan::Plan;

/// An animation to build a clip from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The animation's name.
    pub name: &'a str,
    /// Its number in the file it comes from.
    pub index: usize,
    /// The hierarchy that it moves.
    pub skeleton: &'a Skeleton,
    /// By node: how far from its origin errors are measured, in scene units.
    pub probe_radii: &'a [f64],
    /// What it drives, and how.
    pub tracks: &'a [SourceTrack<'a>],
}

impl Source<'_> {
    /// The motion of the curves themselves.
    fn motion(&self) -> Motion<'_> {
        self.played(self.tracks.iter().map(|track| track.curve))
    }

    /// The motion of other curves for its tracks.
    fn played<'c>(&'c self, curves: impl IntoIterator<Item = &'c Curve>) -> Motion<'c> {
        keys::motion(self.skeleton, self.tracks.iter().map(|track| &track.target).zip(curves))
    }
}

/// A curve and what it drives.
#[derive(Clone, Debug)]
pub struct SourceTrack<'a> {
    /// What the curve drives. Nodes are those of the skeleton.
    pub target: Target,
    /// The curve.
    pub curve: &'a Curve,
    /// The value that the target has without animation, where it is known: a track that never leaves it is not stored.
    pub rest: Option<Vec<f32>>,
    /// How far a component may be off, where the target moves no points.
    pub tolerance: f64,
}

impl SourceTrack<'_> {
    /// Whether its node exists and its curve has as many components as its target.
    fn fits(&self, skeleton: &Skeleton) -> bool {
        let exists = match &self.target {
            Target::Node(node, property) => (*node as usize) < skeleton.len() && NodeProperty::ALL.contains(property),
            Target::Pointer(..) => true,
        };
        exists && self.target.width().is_none_or(|width| width == self.curve.width())
    }
}

/// How to build.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Keys per second; without, curves that run straight keep their own keys, and splines are followed by parabolas, or by lines where those cost less or
    /// the encoding is `fixed`.
    pub rate: Option<f32>,
    /// How to store the keys.
    pub encoding: Encoding,
    /// `fixed`: bits of every component, whatever error they make; without, the fewest that hold the bound.
    pub bits: Option<u32>,
    /// The largest error of any probe at any time, in scene units.
    pub max_error: f64,
    /// What building may take.
    pub limits: Limits,
}

/// What building a clip may take before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of memory, about.
    pub memory: u64,
    /// Steps of a few nanoseconds.
    pub work: u64,
}

impl Limits {
    /// As much as there is.
    pub const NONE: Self = Self { memory: u64::MAX, work: u64::MAX };
}

/// A clip that was built, and what was measured on it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Built {
    /// The clip, for [`Clip::open`](crate::clip::Clip::open).
    pub bytes: Vec<u8>,
    /// The largest error against the resampled animation (against the curves themselves where there is no rate).
    pub error: f64,
    /// What is not ruled out anywhere: proven between keys, and what floats round as far as it was seen.
    pub possible: f64,
    /// Whether that and the tolerances of what moves no points are kept.
    pub holds: bool,
    /// The largest error of the resampling alone.
    pub resampling: f64,
    /// The largest error against the animation as it was, resampling and all.
    pub total: f64,
}

/// Why no clip was built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no track.
    Empty,
    /// A track's node, or the width of its curve, does not fit its target.
    Target(String),
    /// The rate, the bound or the number of bits makes no sense.
    Options(&'static str),
    /// Values lie so far apart that no code of a clip reaches from one to the other.
    Range,
    /// It takes more of this than [`Limits`] grant.
    Limit(&'static str),
    /// The finished clip cannot be opened.
    Clip(ClipError),
    /// Who watched it wanted no more of it.
    Cancelled,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the animation has no tracks"),
            Self::Target(target) => write!(f, "{target}: the curve does not fit its target"),
            Self::Options(what) => f.write_str(what),
            Self::Range => f.write_str("the values of a track lie too far apart for the codes of a clip"),
            Self::Limit(what) => write!(f, "building the clip takes more {what} than the limit"),
            Self::Clip(error) => write!(f, "the finished clip cannot be opened: {error}"),
            Self::Cancelled => f.write_str("cancelled"),
        }
    }
}

impl core::error::Error for BuildError {}

impl From<ClipError> for BuildError {
    fn from(error: ClipError) -> Self {
        Self::Clip(error)
    }
}

/// What all steps of building share.
struct Job<'a> {
    source: &'a Source<'a>,
    options: &'a Options,
    budget: &'a Budget<'a>,
    /// The bound that is searched within: a part of the one that was asked for.
    bound: f64,
    /// The points in which errors are measured: those of all nodes that move.
    probes: &'a [Probe],
}

/// What tries are paid from, and who watches them.
struct Budget<'a> {
    /// Steps of work that are left.
    work: Cell<u64>,
    /// How much was told as done: a search that begins again does not go back.
    done: Cell<f64>,
    watch: &'a dyn Fn(f64) -> bool,
}

impl Job<'_> {
    /// Pays for one more try, which looks at so many moments, after so much of all work was done.
    fn pay(&self, moments: usize, done: f64) -> Result<(), BuildError> {
        let Budget { work, done: told, watch } = self.budget;
        told.set(told.get().max(done));
        if !watch(told.get()) {
            return Err(BuildError::Cancelled);
        }
        let left = work.get().checked_sub(self.for_each(moments, 60, 20));
        left.map(|left| work.set(left)).ok_or(BuildError::Limit("work"))
    }

    /// About how many bytes it takes to build a clip with so many keys: four matrices of each node that moves, three numbers of each component.
    fn memory(&self, keys: usize) -> u64 {
        self.for_each(keys, 4 * size_of::<Affine>() as u64, 3 * size_of::<f64>() as u64)
    }

    /// What so many moments take, where each takes so much for a node that moves and for a component of a track.
    fn for_each(&self, moments: usize, node: u64, component: u64) -> u64 {
        let components: usize = self.source.tracks.iter().map(|track| track.curve.width()).sum();
        (moments as u64).saturating_mul(self.probes.len() as u64 * node + components as u64 * component)
    }
}

/// What is left of the bound for the search, which only looks: the last word is with what is proven between times, and with what floats round.
const MARGIN: f64 = 0.995;
/// How often what was proven leaves a little less to another search, and how much less at least and at most.
const SEARCHES: usize = 3;
const LESS: (f64, f64) = (0.9, 0.995);
/// How often far less is left after that: half of what the error asks for, because errors follow the steps only roughly where joints turn far between two keys.
const FAR_SEARCHES: usize = 3;
/// The least share of the bound that one search leaves to the next.
const LEAST: f64 = 1e-3;

/// Builds a clip.
///
/// `watch` is told before every try how much is done, from 0 to 1, and says whether to go on.
pub fn build(source: &Source<'_>, options: &Options, watch: &dyn Fn(f64) -> bool) -> Result<Built, BuildError> {
    check(source, options)?;
    let budget = Budget { work: Cell::new(options.limits.work), done: Cell::new(0.0), watch };
    let (mut share, mut searches) = (MARGIN, 1);
    let probes = probes(source.skeleton, &source.motion().moved(), |node| source.probe_radii[node]);
    loop {
        let bound = options.max_error * share;
        let built = match build_within(&Job { source, options, budget: &budget, bound, probes: &probes }) {
            Err(BuildError::Range) if searches < SEARCHES => {
                (share, searches) = (share * LESS.0, searches + 1);
                continue;
            }
            built => built?,
        };
        if built.holds || options.bits.is_some() || searches == SEARCHES + FAR_SEARCHES {
            return Ok(built);
        }
        let kept = options.max_error / built.possible;
        share *= if searches < SEARCHES { (MARGIN * kept).clamp(LESS.0, LESS.1) } else { kept.clamp(LEAST, 1.0) / 2.0 };
        searches += 1;
    }
}

fn build_within(job: &Job<'_>) -> Result<Built, BuildError> {
    let keys = KeyTimes::new(job)?;
    let lines = keys.lines(job.source);
    let encoder = Encoder::new(job, &keys, &lines);
    match job.options.encoding {
        Encoding::Variable => encoder.variable(),
        Encoding::Fixed => encoder.fixed(),
    }
}

fn check(source: &Source<'_>, options: &Options) -> Result<(), BuildError> {
    let is_positive = |v: f64| v > 0.0 && v.is_finite();
    let too_many = |rate: f32| Timing::even(keys::duration(source), rate).keys() > MAX_EVEN_KEYS;
    let refused = match *options {
        _ if source.tracks.is_empty() => return Err(BuildError::Empty),
        Options { rate: Some(rate), .. } if !is_positive(rate.into()) => "the rate must be a positive number",
        Options { rate: Some(rate), .. } if too_many(rate) => "at this rate the clip has more than 16777216 keys",
        Options { max_error, .. } if !is_positive(max_error) => "the largest error must be a positive number",
        Options { bits: Some(bits), .. } if !(1..=MAX_BITS).contains(&bits) => "a component has 1 to 24 bits",
        _ => match source.tracks.iter().find(|track| !track.fits(source.skeleton)) {
            Some(track) => return Err(BuildError::Target(track.target.to_string())),
            None => return Ok(()),
        },
    };
    Err(BuildError::Options(refused))
}

/// What all ways to encode a clip share: what is stored, and what that is measured against.
struct Encoder<'a> {
    job: &'a Job<'a>,
    keys: &'a KeyTimes,
    plan: Plan<'a>,
    /// What the clip should play: the animation resampled, or itself where there is no rate.
    wanted: Motion<'a>,
    /// By node, its part of the hierarchy: one for each topmost node that moves, with all below.
    part_of: Vec<Option<usize>>,
    /// The moments at which errors are measured, and when the clip plays them.
    moments: Vec<Moment>,
    played_at: Vec<f64>,
    /// What should be played at the first of them, block by block, as far as memory is spent on it.
    kept: Vec<Poses>,
}

/// Bytes of poses that are kept between tries; the others are computed again each time.
const KEPT: usize = 32 << 20;

impl<'a> Encoder<'a> {
    /// `lines` are the source's tracks as a clip runs between keys.
    fn new(job: &'a Job<'a>, keys: &'a KeyTimes, lines: &'a [Curve]) -> Self {
        // A parabola has a key in its midst.
        let between = if keys.bends { 2 * BETWEEN + 1 } else { BETWEEN };
        let moments = moments(&[&job.source.played(lines)], between);
        let wanted: Vec<&Curve> = match job.options.rate {
            Some(_) => lines.iter().collect(),
            None => job.source.tracks.iter().map(|track| track.curve).collect(),
        };
        let (plan, wanted) = (Plan::new(job, keys, &wanted), job.source.played(wanted));
        let blocks = KEPT / (BLOCK * size_of::<Affine>() * job.probes.len().max(1));
        let kept = moments.chunks(BLOCK).take(blocks).map(|block| Poses::new(&wanted, block)).collect();
        let part_of = job.source.skeleton.parts(|node| wanted.animates(node));
        Self { job, keys, plan, wanted, part_of, played_at: keys.played_at(&moments), moments, kept }
    }

    /// How many parts there are.
    fn parts(&self) -> usize {
        self.part_of.iter().flatten().max().map_or(0, |last| last + 1)
    }
}

/// The least and the largest.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}
