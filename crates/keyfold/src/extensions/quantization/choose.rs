//! Which form a track gets: candidates by cost, the first that is good enough.
//!
//! Every candidate is encoded, decoded as a reader would and measured on the curve, between the keys too; nothing is assumed about
//! how well a form will do. The last resort is floats, which are exact.

use super::{
    Coded, CodedTimes, Encoding, Grid, Layout, Options, Path,
    encode::{component, encode_values, parameters, path_of, reduce, shape},
    grid::ranges,
};
use crate::{Axis, Curve, Kind, Property, diff::worst_difference};
use std::sync::Arc;

/// What a byte of JSON costs beside a byte of a buffer. Parameters repeat from channel to channel, so that a transport's compression takes
/// most of them away again, which it cannot do with keys.
const JSON: f64 = 0.125;
/// Bytes of JSON that a channel takes with its sampler and its accessor, about.
const CHANNEL: f64 = 180.0;
/// Bytes of JSON around a channel's parameters.
const OBJECT: f64 = 48.0;

/// A track to be stored.
pub(super) struct Task<'a> {
    pub(super) path: Path,
    pub(super) curve: &'a Curve,
    pub(super) times: &'a Timing,
    /// How far values may be off: in their own unit, or radians.
    pub(super) tolerance: f64,
    /// Axes that need no channel: constant and equal to the node's own value wherever the node is animated.
    pub(super) idle: [bool; 3],
    /// Whether an axis that never changes still needs all keys: the animation would end sooner without them.
    pub(super) keep_keys: bool,
    pub(super) options: &'a Options,
}

/// Times as they will be stored and read back.
#[derive(Clone, Debug)]
pub(super) struct Timing {
    pub(super) coded: CodedTimes,
    pub(super) decoded: Arc<[f32]>,
}

impl Timing {
    pub(super) fn new(coded: CodedTimes) -> Self {
        Self { decoded: coded.decode().into(), coded }
    }
}

/// The channels that store a track, and what they mean when read back.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) channels: Vec<Channel>,
    cost: f64,
}

/// One channel of a choice.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) values: Coded,
    pub(super) times: CodedTimes,
    pub(super) decoded: Curve,
}

/// Picks the cheapest form of a track.
pub(super) fn choose(task: &Task<'_>) -> Choice {
    let splits = task.path.axis.is_none() && matches!(task.path.property, Property::Translation | Property::Scale);
    match task.options.axes(task.path.property) {
        _ if !splits => whole(task),
        Some(true) => by_axis(task),
        Some(false) => whole(task),
        None => {
            let (whole, split) = (whole(task), by_axis(task));
            if split.cost < whole.cost { split } else { whole }
        }
    }
}

/// A channel for each axis that needs one; one key where it is constant.
fn by_axis(task: &Task<'_>) -> Choice {
    let idle_all = task.idle.iter().all(|idle| *idle);
    let mut choice = Choice { channels: Vec::new(), cost: 0.0 };
    for axis in Axis::ALL.into_iter().filter(|a| idle_all || !task.idle[*a as usize]) {
        let curve = component(task.curve, axis);
        let (curve, times) = match constant(&curve, Kind::Vector).filter(|_| !task.keep_keys) {
            Some(one) => (one.clone(), Timing::new(CodedTimes::floats(one.times()))),
            None => (curve, task.times.clone()),
        };
        let path = Path::axis(task.path.property, axis);
        let part = whole(&Task { path, curve: &curve, times: &times, ..*task });
        choice.cost += part.cost + CHANNEL * JSON;
        choice.channels.extend(part.channels);
    }
    // The channel that a whole track needs anyway.
    choice.cost -= CHANNEL * JSON;
    choice
}

/// A curve that never changes as its first key alone.
pub(super) fn constant(curve: &Curve, kind: Kind) -> Option<Curve> {
    let first = curve.value(0);
    let same = |v: &[f32]| v == first || kind == Kind::Rotation && v.iter().zip(first).all(|(a, b)| *a == -b);
    let still = |tangent: Option<&[f32]>| tangent.is_none_or(|t| t.iter().all(|c| *c == 0.0));
    let (cubic, last) = (curve.interpolation() == crate::Interpolation::CubicSpline, curve.keys() - 1);
    // The tangents before the first and after the last key lead nowhere.
    let holds = |k: usize| {
        same(curve.value(k))
            && (!cubic || (k == 0 || still(curve.in_tangent(k))) && (k == last || still(curve.out_tangent(k))))
    };
    (curve.keys() > 1 && (0..curve.keys()).all(holds)).then(|| Curve::constant(curve.start(), first).ok()).flatten()
}

/// A way to store values.
struct Candidate {
    layout: Layout,
    encoding: Encoding,
    grids: Vec<Grid>,
    cost: f64,
}

fn whole(task: &Task<'_>) -> Choice {
    let mut candidates: Vec<Candidate> = layouts(task).into_iter().flat_map(|l| candidates(task, l)).collect();
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let asked = task.options.asked(task.path).is_some();
    let tolerance = if asked { f64::INFINITY } else { task.tolerance };
    candidates.iter().find_map(|c| accept(task, c, tolerance)).unwrap_or_else(|| floats(task))
}

fn accept(task: &Task<'_>, candidate: &Candidate, tolerance: f64) -> Option<Choice> {
    let Candidate { layout, encoding, grids, cost } = candidate;
    let stored = reduce(task.curve, task.path.property, *layout);
    let values = encode_values(path_of(task.path, *layout), *layout, &stored, *encoding, grids);
    let channel = channel(task, values)?;
    let good = tolerance.is_infinite() || close(task, &channel.decoded, tolerance);
    good.then(|| Choice { channels: vec![channel], cost: *cost })
}

fn channel(task: &Task<'_>, values: Coded) -> Option<Channel> {
    let curve = task.curve;
    let decoded = Curve::new(curve.interpolation(), curve.width(), task.times.decoded.clone(), values.decode()).ok()?;
    Some(Channel { values, times: task.times.coded.clone(), decoded })
}

fn close(task: &Task<'_>, decoded: &Curve, tolerance: f64) -> bool {
    let kind = kind(task.path);
    // Most candidates that fail, fail at a key: look there before looking everywhere.
    let vectors = kind == Kind::Vector && task.curve.interpolation().elements_per_key() == 1;
    let off = |(a, b): (&f32, &f32)| (f64::from(*a) - f64::from(*b)).abs() > tolerance;
    if vectors && task.curve.values().iter().zip(decoded.values()).any(off) {
        return false;
    }
    if vectors && decoded.times() == task.curve.times() {
        return true;
    }
    worst_difference(kind, task.curve, decoded) <= tolerance
}

/// Floats as they are, which are exact.
fn floats(task: &Task<'_>) -> Choice {
    let stored: Vec<f64> = task.curve.values().iter().map(|v| f64::from(*v)).collect();
    let values = encode_values(task.path, Layout::Whole, &stored, Encoding::FLOAT, &[]);
    let cost = cost(task, Layout::Whole, Encoding::FLOAT, &[]);
    let channels = channel(task, values).into_iter().collect();
    Choice { channels, cost }
}

pub(super) fn kind(path: Path) -> Kind {
    if path.property == Property::Rotation { Kind::Rotation } else { Kind::Vector }
}

/// The layouts that can hold the curve at all; a wish that cannot be met is dropped.
fn layouts(task: &Task<'_>) -> Vec<Layout> {
    let possible: Vec<Layout> = possible_layouts(task.path, task.curve).collect();
    let wanted = |l: &Layout| task.options.wants(task.path.property, *l);
    let met: Vec<Layout> = possible.iter().copied().filter(wanted).collect();
    if met.is_empty() { vec![Layout::Whole] } else { met }
}

fn possible_layouts(path: Path, curve: &Curve) -> impl Iterator<Item = Layout> {
    let alike = |v: &[f32]| v.iter().all(|c| (c - v[0]).abs() <= v[0].abs() * 1e-6);
    let uniform = path.property == Property::Scale && path.axis.is_none() && curve.values().chunks_exact(3).all(alike);
    // Splines of rotations have tangents, from which no W can be rebuilt.
    let turns = path.property == Property::Rotation && curve.interpolation().elements_per_key() == 1;
    let about = |axis: Axis| move |v: &[f32]| (0..3).all(|i| i == axis as usize || v[i].abs() < 1e-4);
    let axes = Axis::ALL.into_iter().filter(move |a| turns && curve.values().chunks_exact(4).all(about(*a)));
    let layouts = [(true, Layout::Whole), (uniform, Layout::Uniform), (turns, Layout::WithoutW)];
    let axes = axes.flat_map(|axis| [Layout::OneAxis(axis), Layout::OneAxisAndW(axis)]);
    layouts.into_iter().filter(|l| l.0).map(|l| l.1).chain(axes)
}

fn candidates(task: &Task<'_>, layout: Layout) -> Vec<Candidate> {
    let path = path_of(task.path, layout);
    let stored = reduce(task.curve, task.path.property, layout);
    let Ok(ranges) = ranges(&stored, shape(path, layout).components()) else { return Vec::new() };
    let mut found = Vec::new();
    for encoding in task.options.encodings(path) {
        let natural = Grid::natural(encoding);
        let grids: Vec<Vec<Grid>> = match encoding == Encoding::FLOAT {
            true => vec![Vec::new()],
            // Signed codes that reach need no parameters; a finer grid is what unsigned ones are for.
            false if ranges.iter().all(|r| natural.reaches(*r, encoding)) && encoding.signed() => vec![Vec::new()],
            false => {
                let on = |grid: fn(_, _) -> Grid| ranges.iter().map(|r| grid(*r, encoding)).collect::<Vec<_>>();
                let reached = ranges.iter().all(|r| natural.reaches(*r, encoding));
                reached.then(Vec::new).into_iter().chain([on(Grid::brief), on(Grid::spanning)]).collect()
            }
        };
        let asked = task.options.asked(path).is_some();
        // Where the encoding is given and nothing measured, a grid that fits the values is wanted, not the one without parameters.
        let skip = usize::from(asked && !encoding.signed() && grids.len() == 3);
        found.extend(grids.into_iter().skip(skip).map(|grids| {
            let cost = cost(task, layout, encoding, &grids);
            Candidate { layout, encoding, grids, cost }
        }));
    }
    found
}

fn cost(task: &Task<'_>, layout: Layout, encoding: Encoding, grids: &[Grid]) -> f64 {
    let path = path_of(task.path, layout);
    let elements = task.curve.keys() * task.curve.interpolation().elements_per_key();
    let bytes = elements * shape(path, layout).stored_size(encoding.component);
    let said = if grids.is_empty() { None } else { parameters(encoding, grids).to_json() };
    let json = said.map_or(0.0, |object| object.to_string().len() as f64 + OBJECT);
    let normalized = if encoding.normalized { 18.0 } else { 0.0 };
    bytes.next_multiple_of(4) as f64 + JSON * (json + normalized)
}

#[cfg(test)]
mod tests;
