//! Reads the animations of a document: the target and keys of each channel. Core glTF 2.0 section 3.11; extensions
//! are asked first (`crate::extensions`).
//!
//! Nothing is dropped silently: a channel that cannot be read stays in the document and becomes a finding.

use crate::{
    Animation, Document, Error, Finding, Kind, Property, Result, Severity, Source, Target, Targets, Track, ValueKind,
    document::{Object, Shape},
    extensions,
};
use keyfold_core::{
    curve::{Curve, Interpolation},
    quat,
};
use std::sync::Arc;

/// A document's animations, and the channels that could not be read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Animations {
    /// The animations, in the document's order. One that could not be read at all has no tracks.
    pub animations: Vec<Animation>,
    /// The channels that were left out, and why.
    pub findings: Vec<Finding>,
}

/// Reads all animations of a document. They are read once; further calls are cheap.
///
/// ```
/// # let figure = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/figure.glb");
/// let document = keyfold::Document::open(figure)?;
/// let walk = &keyfold::read(&document)?.animations[0];
/// assert_eq!(walk.name.as_deref(), Some("walk"));
/// let hips = &walk.tracks[0];
/// println!("{} is {:?} after half a second", hips.target, hips.sample(0.5));
/// # Ok::<(), keyfold::Error>(())
/// ```
pub fn read(document: &Document) -> Result<Animations> {
    Ok((*read_shared(document)?).clone())
}

/// As [`read`], without a copy.
pub(crate) fn read_shared(document: &Document) -> Result<Arc<Animations>> {
    document.known.animations(|| read_all(document))
}

fn read_all(document: &Document) -> Result<Animations> {
    let floats = vec![None; document.count("accessors")];
    let mut reader = Reader { document, floats, bytes: 0 };
    let mut found = Animations::default();
    for (index, animation) in document.root().objects("animations")?.enumerate() {
        let (name, tracks) = match animation {
            Ok(animation) => (reader.name(&animation), reader.tracks(&animation, &mut found.findings)),
            Err(error) => (None, Err(error)),
        };
        let tracks = tracks.unwrap_or_else(|error| {
            found.findings.push(unreadable("ANIMATION_UNREADABLE", &format!("/animations/{index}"), &error));
            Vec::new()
        });
        found.animations.push(Animation { index, name, tracks });
    }
    document.account().check()?;
    Ok(found)
}

/// A channel to be read.
pub(crate) struct Channel<'a> {
    pub(crate) document: &'a Document,
    /// The animation that it belongs to.
    pub(crate) animation: Object<'a>,
    /// The channel itself.
    pub(crate) object: Object<'a>,
    pub(crate) index: usize,
}

/// What a channel drives.
pub(crate) struct ChannelTarget {
    pub(crate) target: Target,
    pub(crate) targets: Targets,
    /// Components of a value; `None` if the number of values decides (weights, application data).
    pub(crate) width: Option<usize>,
}

impl ChannelTarget {
    /// What core's `node` in a channel's target leads to, which has to be there.
    pub(crate) fn of_node(document: &Document, at: &Object<'_>, target: Target, width: Option<usize>) -> Result<Self> {
        match at.required_index("node")? {
            node if node < document.count("nodes") => Ok(Self { target, targets: Targets::Core, width }),
            node => Err(Error::malformed(at.place("node"), format!("node {node} does not exist"))),
        }
    }
}

/// A sampler, its references checked.
pub(crate) struct Sampler {
    pub(crate) index: usize,
    pub(crate) interpolation: Interpolation,
    pub(crate) input: usize,
    pub(crate) output: usize,
}

/// A curve's floats, decoded.
pub(crate) struct KeyArrays {
    pub(crate) times: Arc<[f32]>,
    pub(crate) values: Arc<[f32]>,
    pub(crate) width: usize,
}

/// Why a channel has no track.
enum Skip {
    Finding(Finding),
    Error(Error),
}

impl From<Error> for Skip {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

fn unreadable(code: &'static str, at: &str, error: &Error) -> Finding {
    let at = if error.at().is_empty() { at } else { error.at() };
    let message = match error {
        Error::Malformed { what, .. } | Error::Refused { what, .. } => what.clone(),
        other => other.to_string(),
    };
    Finding { severity: Severity::Error, code, at: at.to_owned(), message }
}

fn skip(code: &'static str, severity: Severity, at: String, message: String) -> Skip {
    Skip::Finding(Finding { severity, code, at, message })
}

type Floats = (Shape, Arc<[f32]>);

struct Reader<'a> {
    document: &'a Document,
    /// What was decoded so far, by accessor: tracks on one input or output share one allocation.
    floats: Vec<Option<Floats>>,
    /// How many bytes of floats there are so far; channels that share an accessor count each, because whatever
    /// becomes of them is theirs.
    bytes: usize,
}

impl<'a> Reader<'a> {
    fn name(&self, animation: &Object<'_>) -> Option<String> {
        animation.get("name").and_then(|n| n.as_str()).map(str::to_owned)
    }

    fn tracks(&mut self, animation: &Object<'a>, findings: &mut Vec<Finding>) -> Result<Vec<Track>> {
        let channels = extensions::channels(self.document, animation)?;
        let mut tracks = Vec::with_capacity(channels.len());
        for (index, object) in channels.into_iter().enumerate() {
            let read = object.map_err(Skip::from).and_then(|object| {
                let channel = Channel { document: self.document, animation: animation.clone(), object, index };
                self.channel(&channel, &mut tracks, findings)
            });
            match read {
                Ok(()) => {}
                Err(Skip::Finding(finding)) => findings.push(finding),
                Err(Skip::Error(error)) => {
                    let at = format!("{}/channels/{index}", animation.at());
                    findings.push(unreadable("ANIMATION_CHANNEL_UNREADABLE", &at, &error));
                }
            }
        }
        Ok(tracks)
    }

    /// A channel's tracks: one, but for pointers of the past that mean several nodes.
    fn channel(
        &mut self,
        channel: &Channel<'a>,
        tracks: &mut Vec<Track>,
        findings: &mut Vec<Finding>,
    ) -> Result<(), Skip> {
        match extensions::channel_targets(channel, findings)? {
            Some(targets) => {
                let read = targets.into_iter().map(|driven| self.track(channel, driven, findings));
                tracks.extend(read.collect::<Result<Vec<_>, _>>()?);
            }
            None => tracks.push(self.track(channel, core_target(channel)?, findings)?),
        }
        Ok(())
    }

    fn track(
        &mut self,
        channel: &Channel<'a>,
        driven: ChannelTarget,
        findings: &mut Vec<Finding>,
    ) -> Result<Track, Skip> {
        let mut sampler = self.sampler(channel, driven.target.kind(), findings)?;
        if driven.target.is_exact() && sampler.interpolation == Interpolation::Linear {
            let at = format!("{}/samplers/{}", channel.animation.at(), sampler.index);
            let message = format!("{} has no values between two keys; the channel is played as STEP", driven.target);
            findings.push(Finding { severity: Severity::Info, code: "POINTER_INT_NOT_STEP", at, message });
            sampler.interpolation = Interpolation::Step;
        }
        if sampler.interpolation == Interpolation::CubicSlerp && driven.target.kind() != Kind::Rotation {
            let at = format!("{}/samplers/{}/interpolation", channel.animation.at(), sampler.index);
            return Err(Error::malformed(at, "CUBICSLERP is for rotations only; use CUBICSPLINE").into());
        }
        let asked =
            extensions::first(self.document, |e| e.keys.map(|keys| keys(channel, &driven, &sampler, findings)))?;
        let mut keys = asked.map_or_else(|| self.core_keys(&driven, &sampler), Ok)?;
        if matches!(driven.target, Target::Pointer { kind: ValueKind::Bool, .. }) {
            keys.values = keys.values.iter().map(|v| if *v == 0.0 { 0.0 } else { 1.0 }).collect();
        }
        self.hold(keys.values.len(), || channel.object.at())?;
        let curve = Curve::new(sampler.interpolation, keys.width, keys.times, keys.values);
        let curve = curve.map_err(|e| Error::malformed(channel.object.at(), e.to_string()))?;
        let Sampler { index, input, output, .. } = sampler;
        let source = Source { channel: channel.index, sampler: index, input, output, targets: driven.targets };
        Ok(Track { target: driven.target, curve, source })
    }

    fn hold(&mut self, floats: usize, at: impl FnOnce() -> String) -> Result<()> {
        self.bytes = self.bytes.saturating_add(floats.saturating_mul(size_of::<f32>()));
        self.document.account().hold_curves(self.bytes, at)
    }

    fn sampler(&self, channel: &Channel<'a>, kind: Kind, findings: &mut Vec<Finding>) -> Result<Sampler, Skip> {
        let named = extensions::sampled(channel)?;
        let index = named.required_index("sampler")?;
        let Some(object) = channel.animation.element("samplers", index)? else {
            let what = format!("{}/samplers/{index} does not exist", channel.animation.at());
            return Err(Error::malformed(named.place("sampler"), what).into());
        };
        Ok(Sampler {
            index,
            interpolation: self.interpolation(&object, kind, findings)?,
            input: object.required_index("input")?,
            output: object.required_index("output")?,
        })
    }

    fn interpolation(
        &self,
        sampler: &Object<'_>,
        kind: Kind,
        findings: &mut Vec<Finding>,
    ) -> Result<Interpolation, Skip> {
        let at = || sampler.place("interpolation");
        let Some(value) = sampler.get("interpolation") else { return Ok(Interpolation::Linear) };
        let Some(name) = value.as_str() else {
            // Written by an exporter of Babylon.js; every viewer takes the default.
            let message = format!("interpolation {value} is not known; the channel is played as LINEAR");
            findings.push(Finding { severity: Severity::Info, code: "TYPE_MISMATCH", at: at(), message });
            return Ok(Interpolation::Linear);
        };
        let extended = || extensions::used(self.document).filter_map(|e| e.interpolation).find_map(|f| f(name, kind));
        Interpolation::from_name(name).or_else(extended).ok_or_else(|| {
            skip(
                "ANIMATION_INTERPOLATION_UNKNOWN",
                Severity::Warning,
                at(),
                format!("interpolation `{name}` is not known; the channel stays as it is, and is not played"),
            )
        })
    }

    /// The sampler's accessors, taken as they are.
    fn core_keys(&mut self, driven: &ChannelTarget, sampler: &Sampler) -> Result<KeyArrays> {
        let times = self.times(sampler.input)?;
        let (shape, values) = self.floats(sampler.output)?;
        let width = driven.width.map_or_else(|| sampler.width_of(&values, times.len()), Ok)?;
        if shape.components() != width && shape != Shape::Scalar {
            let what = format!("{} does not fit {}, which has {width} components", shape.name(), driven.target);
            return Err(Error::malformed(format!("/accessors/{}/type", sampler.output), what));
        }
        let values = if width == 4 && self.is_coarse(driven, sampler) { unit_rotations(&values) } else { values };
        Ok(KeyArrays { times, values, width })
    }

    /// Whether rotations come from a stream whose grid may be coarse. Splines are taken as they are: their tangents
    /// belong to them.
    fn is_coarse(&self, driven: &ChannelTarget, sampler: &Sampler) -> bool {
        let alone = matches!(sampler.interpolation, Interpolation::Linear | Interpolation::Step);
        alone && driven.target.kind() == Kind::Rotation && self.document.provided(sampler.output).is_some()
    }

    fn times(&mut self, input: usize) -> Result<Arc<[f32]>> {
        match self.floats(input)? {
            (Shape::Scalar, times) => Ok(times),
            _ => Err(Error::malformed(format!("/accessors/{input}/type"), "the times of a sampler should be SCALAR")),
        }
    }

    fn floats(&mut self, index: usize) -> Result<Floats> {
        if let Some(Some(floats)) = self.floats.get(index) {
            return Ok(floats.clone());
        }
        let accessor = self.document.accessor(index)?;
        let floats = (accessor.shape, self.document.floats_of(&accessor)?);
        self.hold(floats.1.len(), || format!("/accessors/{index}"))?;
        self.floats[index] = Some(floats.clone());
        Ok(floats)
    }
}

impl Sampler {
    /// Weights: as many components as the values have room for at each key.
    pub(crate) fn width_of(&self, values: &[f32], keys: usize) -> Result<usize> {
        let elements = keys * self.interpolation.elements_per_key();
        match values.len().checked_div(elements) {
            Some(width) if width > 0 && width * elements == values.len() => Ok(width),
            _ => {
                let what = format!(
                    "the output's {} values do not divide among {keys} keys; every key needs as many",
                    values.len()
                );
                Err(Error::malformed(format!("/accessors/{}", self.output), what))
            }
        }
    }
}

/// Rotations rounded to a grid are not of unit length; each stands for the rotation of its direction.
fn unit_rotations(values: &[f32]) -> Arc<[f32]> {
    let mut keys = values.to_vec();
    quat::normalize_keys(&mut keys);
    keys.into()
}

fn core_target(channel: &Channel<'_>) -> Result<ChannelTarget, Skip> {
    let target = channel.object.required_object("target")?;
    let path = target.required_text("path")?;
    let Some(property) = Property::from_name(path) else {
        let message = format!("path `{path}` is not known; the channel stays as it is, and is not played");
        return Err(skip("ANIMATION_PATH_UNKNOWN", Severity::Warning, target.place("path"), message));
    };
    let Some(node) = target.index("node")? else {
        let message = "the channel names no node, so it drives nothing".to_owned();
        return Err(skip("ANIMATION_CHANNEL_WITHOUT_NODE", Severity::Info, target.at(), message));
    };
    Ok(ChannelTarget::of_node(channel.document, &target, Target::node(node, property), property.width())?)
}

#[cfg(test)]
mod tests;
