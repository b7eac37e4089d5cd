//! The encoder of runtime clips. It takes curves and writes bytes that keep the error bound.
//!
//! ```text
//! keys     times of the keys (as many as splines need), values there, and lines or parabolas between them
//! plan     which tracks are constant, exact or keyed, and which are not stored
//! keyed    wanted values of keyed tracks at the keys, rotations in axes of their own (frame)
//! segments each is a job for the engine, which sees its tracks through codec ─> codes; or fixed
//! pack     codes to bytes
//! measure  reads the bytes, compares at all times ─> done; over the bound: keys nearby weigh more, again
//! ```
//!
//! `docs/clips.md` lists what was tried, with results. Transcendental functions come from `libm`, so the same
//! input makes the same bytes on every platform.

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
    /// The index of the animation in its file.
    pub index: usize,
    /// The hierarchy that it animates.
    pub skeleton: &'a Skeleton,
    /// The probe radius of each node, in scene units: errors are measured at points this far from its origin.
    pub probe_radii: &'a [f64],
    /// The tracks of the animation.
    pub tracks: &'a [SourceTrack<'a>],
}

impl Source<'_> {
    /// The motion of the source's own curves.
    fn motion(&self) -> Motion<'_> {
        self.played(self.tracks.iter().map(|track| track.curve))
    }

    /// The motion with other curves in place of the tracks' own.
    fn played<'c>(&'c self, curves: impl IntoIterator<Item = &'c Curve>) -> Motion<'c> {
        keys::motion(self.skeleton, self.tracks.iter().map(|track| &track.target).zip(curves))
    }
}

/// A curve and its target.
#[derive(Clone, Debug)]
pub struct SourceTrack<'a> {
    /// The target of the curve. Nodes are indices in the skeleton.
    pub target: Target,
    /// The curve.
    pub curve: &'a Curve,
    /// The target's value without animation, if known. A track that never leaves it is not stored.
    pub rest: Option<Vec<f32>>,
    /// The largest error of a component if the target moves no points.
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

/// Options for building.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Keys per second. `None`: linear curves keep their keys; splines become parabolas, or lines if those
    /// are smaller or the encoding is `fixed`.
    pub rate: Option<f32>,
    /// How to store the keys.
    pub encoding: Encoding,
    /// Bits per component of `fixed`, whatever the error. `None`: the fewest that hold the bound.
    pub bits: Option<u32>,
    /// The error bound: the largest error of any probe at any time, in scene units.
    pub max_error: f64,
    /// The limits of memory and work.
    pub limits: Limits,
}

/// The memory and work that building a clip may take. It fails beyond them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Approximate bytes of memory.
    pub memory: u64,
    /// Units of work, a few nanoseconds each.
    pub work: u64,
}

impl Limits {
    /// No limits.
    pub const NONE: Self = Self { memory: u64::MAX, work: u64::MAX };
}

/// A clip and its measured errors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Built {
    /// The clip, for [`Clip::open`](crate::clip::Clip::open).
    pub bytes: Vec<u8>,
    /// The largest error found against the resampled animation, in scene units. Without a rate, the curves
    /// themselves are the reference.
    pub error: f64,
    /// The proven upper bound of the error at any time, in scene units, including the rounding of floats that
    /// was observed.
    pub possible: f64,
    /// Whether `possible` is within the bound, and tracks that move no points are within their tolerances.
    pub holds: bool,
    /// The largest error of the resampling alone; 0 without a rate.
    pub resampling: f64,
    /// The largest error against the original animation, including resampling.
    pub total: f64,
}

/// The reason why no clip was built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// The animation has no tracks.
    Empty,
    /// A track's node does not exist, or the width of its curve does not fit its target.
    Target(String),
    /// The rate, the bound or the number of bits is not valid.
    Options(&'static str),
    /// Values lie too far apart for the codes of a clip.
    Range,
    /// Building takes more of this resource than [`Limits`] allow.
    Limit(&'static str),
    /// The finished clip cannot be opened.
    Clip(ClipError),
    /// `watch` returned false.
    Cancelled,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the animation has no tracks"),
            Self::Target(target) => write!(f, "{target}: the curve does not fit its target"),
            Self::Options(what) => f.write_str(what),
            Self::Range => f.write_str("the values of a track lie too far apart for the codes of a clip"),
            Self::Limit(what) => write!(
                f,
                "building the clip takes more {what} than the limit; a rate of few keys per second takes less"
            ),
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

/// The input that all steps of building share.
struct Job<'a> {
    source: &'a Source<'a>,
    options: &'a Options,
    budget: &'a Budget<'a>,
    /// The bound of this search: a share of the one that was asked for.
    bound: f64,
    /// The least cosine between a rotation and the mean that its parameters count from.
    least_cosine: f64,
    /// The probes at which errors are measured: one for each node that moves.
    probes: &'a [Probe],
}

/// The work that is left for tries, and the caller's `watch`.
struct Budget<'a> {
    /// Units of work that are left.
    work: Cell<u64>,
    /// The progress reported so far. It does not go back if a search begins again.
    reported: Cell<f64>,
    watch: &'a dyn Fn(f64) -> bool,
}

impl Job<'_> {
    /// Pays for another try, which samples `moments`, and reports the progress `done` (0 to 1) of all work.
    fn pay(&self, moments: usize, done: f64) -> Result<(), BuildError> {
        let Budget { work, reported, watch } = self.budget;
        reported.set(reported.get().max(done));
        if !watch(reported.get()) {
            return Err(BuildError::Cancelled);
        }
        let left = work.get().checked_sub(self.for_each(moments, 60, 20));
        left.map(|left| work.set(left)).ok_or(BuildError::Limit("work"))
    }

    /// Approximate bytes of memory for building a clip with `keys` keys. For each key: four matrices of each
    /// node that moves, and three numbers of each component.
    fn memory(&self, keys: usize) -> u64 {
        self.for_each(keys, 4 * size_of::<Affine>() as u64, 3 * size_of::<f64>() as u64)
    }

    /// The cost of `moments`. Each costs `node` for each node that moves and `component` for each component
    /// of a track.
    fn for_each(&self, moments: usize, node: u64, component: u64) -> u64 {
        let components: usize = self.source.tracks.iter().map(|track| track.curve.width()).sum();
        (moments as u64).saturating_mul(self.probes.len() as u64 * node + components as u64 * component)
    }
}

/// The share of the bound that the first search gets. A search only samples errors. Errors between samples,
/// which are proven later, and the rounding of floats may be larger.
const MARGIN: f64 = 0.995;
/// How many searches are made with bounds that differ little: if a proof is over the bound, the next search
/// gets a slightly smaller one.
const SEARCHES: usize = 3;
/// The least cosine between a rotation and its track's mean in the first search, where parameters have a length of
/// at most 3.5, and in later ones (2): finer steps then have codes, but most clips take more bytes.
const LEAST_COSINES: [f64; 2] = [-0.85, -0.6];
/// The least and the largest factor of the bound from one of them to the next.
const LESS: (f64, f64) = (0.9, 0.995);
/// How many searches follow with a far smaller bound: half of the bound that the error requires. If joints
/// turn far between two keys, errors follow the quantization steps only roughly.
const FAR_SEARCHES: usize = 3;
/// The least factor of the bound from one of these searches to the next, before it is halved.
const LEAST: f64 = 1e-3;

/// Builds a clip.
///
/// `watch` gets the progress before every try, from 0 to 1. Building is cancelled if it returns false.
pub fn build(source: &Source<'_>, options: &Options, watch: &dyn Fn(f64) -> bool) -> Result<Built, BuildError> {
    check(source, options)?;
    let budget = Budget { work: Cell::new(options.limits.work), reported: Cell::new(0.0), watch };
    let (mut share, mut searches) = (MARGIN, 1);
    let probes = probes(source.skeleton, &source.motion().moved(), |node| source.probe_radii[node]);
    loop {
        let bound = options.max_error * share;
        let least_cosine = LEAST_COSINES[usize::from(searches > 1)];
        let built = match build_within(&Job { source, options, budget: &budget, bound, least_cosine, probes: &probes })
        {
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
        Options { bits: Some(bits), .. } if !(1..=MAX_BITS).contains(&bits) => "bits must be 1 to 24",
        _ => match source.tracks.iter().find(|track| !track.fits(source.skeleton)) {
            Some(track) => return Err(BuildError::Target(track.target.to_string())),
            None => return Ok(()),
        },
    };
    Err(BuildError::Options(refused))
}

/// The input of both encodings: the plan, and the reference for errors.
struct Encoder<'a> {
    job: &'a Job<'a>,
    keys: &'a KeyTimes,
    plan: Plan<'a>,
    /// The reference for errors: the resampled animation, or the animation itself if there is no rate.
    wanted: Motion<'a>,
    /// By node: the index of its part of the hierarchy. A part is a topmost node that moves, with everything
    /// below.
    part_of: Vec<Option<usize>>,
    /// The moments at which errors are measured.
    moments: Vec<Moment>,
    /// The times at which the clip plays them.
    played_at: Vec<f64>,
    /// The reference poses at the first moments, block by block, up to `KEPT` bytes.
    kept: Vec<Poses>,
}

/// Bytes of reference poses that are kept between tries. The others are computed again each time.
const KEPT: usize = 32 << 20;

impl<'a> Encoder<'a> {
    /// `lines` are the source's tracks as a clip plays them between its keys.
    fn new(job: &'a Job<'a>, keys: &'a KeyTimes, lines: &'a [Curve]) -> Self {
        // A parabola has a key in the middle: moments lie on both sides of it.
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

    /// The number of parts of the hierarchy.
    fn parts(&self) -> usize {
        self.part_of.iter().flatten().max().map_or(0, |last| last + 1)
    }
}

/// The least and the largest value.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
}
