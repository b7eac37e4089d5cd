//! Advice: hints about tracks that are valid and could be better, whatever their storage, and notes about channels that
//! the reader leaves alone.

use super::{Findings, khronos, own};
use crate::{Curve, Document, Finding, Interpolation, Kind, Severity, Track, read};
use keyfold_core::quat::{self, Quat};
use std::collections::{BTreeMap, BTreeSet};

/// The largest distance of a redundant key from the line between its neighbours, as a fraction of their magnitude.
const ON_THE_LINE: f64 = 1e-6;
/// Redundant keys are reported if they are at least one in so many.
const WORTH_SAYING: usize = 10;
/// The dot product of neighbouring keys below which they are half a turn apart: floats cannot tell the shorter way.
const HALF_TURN: f64 = 1e-6;
/// The dot product below which a cubic curve passes so close to zero that its direction there is noise.
const ANTIPODAL: f64 = -0.999;

/// Advice on a document's animations.
pub fn advise(document: &Document) -> Vec<Finding> {
    let mut findings = Findings::default();
    let Ok(found) = read(document) else { return Vec::new() };
    for animation in &found.animations {
        for track in &animation.tracks {
            let at = format!("/animations/{}/channels/{}", animation.index, track.source.channel);
            let rotations = rotations(track);
            shape(document, &at, track, &rotations, &mut findings);
            turns(&at, track.curve.interpolation(), &rotations, &mut findings);
        }
    }
    let tracks = found.animations.iter().flat_map(|animation| &animation.tracks);
    shareable(tracks, &mut findings);
    // The rules report the reader's errors and warnings. Its notes are about channels that it left alone.
    let left = found.findings.into_iter().filter(|finding| finding.severity > Severity::Warning);
    left.filter(|finding| finding.code != khronos::TYPE_MISMATCH.name).chain(findings.sorted()).collect()
}

/// The keys of a rotation as unit quaternions, `None` for zero and infinite ones; no keys if it is no rotation.
fn rotations(track: &Track) -> Vec<Option<Quat>> {
    let keys = if track.target.kind() == Kind::Rotation { track.curve.keys() } else { 0 };
    let unit = |value: &[f32]| quat::try_normalize(<[f32; 4]>::try_from(value).ok()?.map(f64::from));
    (0..keys).map(|key| unit(track.curve.value(key))).collect()
}

fn shape(document: &Document, at: &str, track: &Track, rotations: &[Option<Quat>], findings: &mut Findings) {
    let curve = &track.curve;
    let constant = curve.is_constant();
    // The property's value in the document.
    let rest = || track.target.stated(document).map(|rest| rest.iter().map(|n| *n as f32).collect::<Vec<_>>());
    if constant && rest().is_some_and(|rest| rest == curve.value(0)) {
        findings.add(&own::ANIM_WITHOUT_EFFECT, at, "the track only holds the value that its target has anyway");
    } else if constant && curve.keys() > 1 {
        findings.add(&own::ANIM_CONSTANT_TRACK, at, format!("all {} keys are equal", curve.keys()));
    } else if !constant {
        let inner = 1..curve.keys().saturating_sub(1);
        let redundant = inner.filter(|key| is_redundant(curve, rotations, *key)).count();
        if redundant > 0 && redundant * WORTH_SAYING >= curve.keys() {
            let message = format!("{redundant} of {} keys say what their neighbours say already", curve.keys());
            findings.add(&own::ANIM_REDUNDANT_KEYS, at, message);
        }
    }
}

/// Whether a key can be removed without a change.
fn is_redundant(curve: &Curve, rotations: &[Option<Quat>], key: usize) -> bool {
    let (before, value, after) = (curve.value(key - 1), curve.value(key), curve.value(key + 1));
    match curve.interpolation() {
        Interpolation::Step => value == before,
        Interpolation::Linear => {
            let times = curve.times();
            let (start, end) = (f64::from(times[key - 1]), f64::from(times[key + 1]));
            let t = (f64::from(times[key]) - start) / (end - start);
            if let Some([Some(a), Some(v), Some(b)]) = rotations.get(key - 1..=key + 1) {
                return 1.0 - quat::dot(quat::slerp(*a, *b, t), *v).abs() < ON_THE_LINE * ON_THE_LINE;
            }
            let range = value.iter().chain(before).chain(after).fold(0.0, |most: f64, n| most.max(f64::from(n.abs())));
            let blend = before.iter().zip(after).map(|(a, b)| f64::from(*a) * (1.0 - t) + f64::from(*b) * t);
            blend.zip(value).all(|(line, v)| (line - f64::from(*v)).abs() <= ON_THE_LINE * range)
        }
        _ => false,
    }
}

/// Hints about rotations that turn another way between keys than expected.
fn turns(at: &str, interpolation: Interpolation, rotations: &[Option<Quat>], findings: &mut Findings) {
    let dots: Vec<f64> = rotations.windows(2).map(|w| w[0].zip(w[1]).map_or(1.0, |(a, b)| quat::dot(a, b))).collect();
    let count = |test: &dyn Fn(f64) -> bool| dots.iter().filter(|dot| test(**dot)).count();
    let jumps = count(&|dot| dot < 0.0);
    if jumps > 0 && interpolation != Interpolation::Step {
        findings.add(&own::ANIM_QUAT_SIGN_JUMP, at, format!("the sign changes between keys {jumps} times"));
    }
    let halves = count(&|dot| dot.abs() < HALF_TURN);
    if halves > 0 && interpolation == Interpolation::Linear {
        findings.add(&own::ANIM_HALF_TURN, at, format!("{halves} pairs of neighbouring keys are half a turn apart"));
    }
    let opposite = count(&|dot| dot < ANTIPODAL);
    if opposite > 0 && interpolation == Interpolation::CubicSpline {
        let message = format!("{opposite} pairs of neighbouring keys are opposite");
        findings.add(&own::ANIM_QUAT_ANTIPODAL_CUBIC, at, message);
    }
}

/// Hints about accessors with equal times.
fn shareable<'a>(tracks: impl Iterator<Item = &'a Track>, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    let mut first: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    for track in tracks.filter(|track| seen.insert(track.source.input)) {
        let input = track.source.input;
        let bits = track.curve.times().iter().map(|time| time.to_bits()).collect();
        let same = *first.entry(bits).or_insert(input);
        if same != input {
            let message = format!("has the times of accessor {same}");
            findings.add(&own::ANIM_SHAREABLE_INPUT, format!("/accessors/{input}"), message);
        }
    }
}
