//! What goes into which stream: tracks with equal times share one, and what a stream would not make smaller stays outside.
//!
//! An accessor holds the values of one stream only, and every sampler that uses it has that stream's times. Tracks of equal content
//! share an accessor; where they could not all keep to that, they stay outside.

use super::{
    grids::Gridded,
    times,
    write::{Planned, StreamOptions},
};
use crate::{
    Error, Result, Track,
    write::{AnimationForm, ChannelForm, SamplerForm, Stored, core_form, samplers_of},
};
use keyfold_core::draco::{Choice, EncodeFault, EncodedAttribute, Options as Codec, assemble};
use std::collections::{BTreeMap, BTreeSet};

/// Animations, and the streams that some of their values are in.
pub(crate) struct Streamed {
    pub(crate) forms: Vec<AnimationForm>,
    pub(super) streams: Vec<Stream>,
    /// What fallbacks hold: the floats before compression, by what a decoder sees in their place.
    pub(super) originals: BTreeMap<Stored, Stored>,
}

impl Streamed {
    /// What accessors hold whose values are in the streams.
    pub(crate) fn inside(&self) -> BTreeSet<&Stored> {
        self.streams.iter().flat_map(Stream::contents).collect()
    }

    /// All streams, one after the other.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        Ok(self.streams.iter().map(Stream::bytes).collect::<Result<Vec<_>>>()?.concat())
    }
}

/// What an accessor holds as a decoder will see it, and how a stream says it.
pub(super) type Part = (Stored, EncodedAttribute);

/// One stream to be written, the times first.
pub(super) struct Stream(Vec<Part>);

impl Stream {
    pub(super) fn contents(&self) -> impl Iterator<Item = &Stored> {
        self.0.iter().map(|(stored, _)| stored)
    }

    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let attributes: Vec<EncodedAttribute> = self.0.iter().map(|(_, attribute)| attribute.clone()).collect();
        assemble(self.0[0].0.count() as u32, &attributes, &[]).map_err(refused)
    }
}

/// A track that may go into a stream.
struct Candidate<'p> {
    grid: &'p Gridded,
    times: &'p Part,
    /// Its sampler as it is.
    plain: SamplerForm,
    /// Its sampler as a decoder of the stream will see it.
    packed: SamplerForm,
}

/// A channel as it is, with its candidate.
type Channel<'p> = (ChannelForm, Option<Candidate<'p>>);

/// Puts those tracks into streams that have a grid, wherever that pays or `all` are wanted.
pub(crate) fn streamed(planned: &[Planned], all: bool, options: &StreamOptions) -> Result<Streamed> {
    let gridded = planned.iter().flat_map(|planned| &planned.tracks).filter(|(_, grid)| grid.is_some());
    let times = times::encode_all(gridded.map(|(track, _)| track), options)?;
    let channels = planned.iter().map(|planned| {
        // Values that only exact storage keeps stay where they are.
        let inexact = planned.tracks.iter().filter(|(track, _)| !track.target.is_exact());
        inexact.map(|(track, grid)| channel(track, grid.as_ref(), &times)).collect()
    });
    let channels: Vec<Vec<Channel<'_>>> = channels.collect::<Result<_>>()?;
    let candidates = || channels.iter().flatten().filter_map(|(_, candidate)| candidate.as_ref());
    let sides = candidates().flat_map(|Candidate { packed, plain, .. }| {
        [(&packed.input, &plain.input), (&packed.output, &plain.output)].map(|(a, b)| (a.clone(), b.clone()))
    });
    let originals = sides.collect();
    let outside = channels.iter().flatten().filter(|(_, candidate)| candidate.is_none());
    let outside = outside.flat_map(|(form, _)| samplers_of(form));
    let contested = contested(candidates(), outside, options.fallback.then_some(&originals));
    let mut groups: BTreeMap<&Stored, Vec<&Candidate<'_>>> = BTreeMap::new();
    for candidate in candidates().filter(|c| !contested.contains(&c.packed.output)) {
        groups.entry(&candidate.packed.input).or_default().push(candidate);
    }
    let streams = groups.values().filter_map(|group| encode(group, all).transpose());
    let mut streamed = Streamed { forms: Vec::new(), streams: streams.collect::<Result<_>>()?, originals };
    let inside = streamed.inside();
    let form = |(planned, channels): (&Planned, &Vec<Channel<'_>>)| {
        let channels: Vec<ChannelForm> = channels.iter().map(|channel| written(channel, &inside)).collect();
        let replaces = channels.iter().filter_map(|c| c.source).chain(planned.dropped.iter().copied()).collect();
        AnimationForm { index: planned.index, replaces, channels, repeats_samplers: false }
    };
    streamed.forms = planned.iter().zip(&channels).map(form).collect();
    Ok(streamed)
}

fn channel<'p>(track: &Track, grid: Option<&'p Gridded>, times: &'p BTreeMap<Stored, Part>) -> Result<Channel<'p>> {
    let form = core_form(track)?;
    let Some(grid) = grid else { return Ok((form, None)) };
    let decoded = core_form(&Track { curve: grid.decoded.clone(), ..track.clone() })?;
    let samplers = samplers_of(&form).cloned().zip(samplers_of(&decoded)).next();
    let candidate = samplers.map(|(plain, decoded)| {
        let times = &times[&plain.input];
        Candidate { grid, times, plain, packed: SamplerForm { input: times.0.clone(), ..decoded.clone() } }
    });
    Ok((form, candidate))
}

/// A channel as it will stand in the file: where its values are in a stream, as a decoder will see them.
fn written((form, candidate): &Channel<'_>, inside: &BTreeSet<&Stored>) -> ChannelForm {
    let mut form = form.clone();
    if let Some(candidate) = candidate.as_ref().filter(|c| inside.contains(&c.packed.output)) {
        let extended = form.extension_sampler.iter_mut().map(|(_, sampler)| sampler);
        form.sampler.iter_mut().chain(extended).for_each(|sampler| *sampler = candidate.packed.clone());
    }
    form
}

/// The outputs that one accessor cannot hold for all tracks of that content: their times differ, or originals that are kept.
fn contested<'c>(
    candidates: impl Iterator<Item = &'c Candidate<'c>> + Clone,
    outside: impl Iterator<Item = &'c SamplerForm>,
    originals: Option<&BTreeMap<Stored, Stored>>,
) -> BTreeSet<&'c Stored> {
    let mut inputs: BTreeMap<&Stored, BTreeSet<&Stored>> = BTreeMap::new();
    let changed = candidates.clone().filter(|c| c.plain.output != c.packed.output).map(|c| &c.plain);
    for sampler in candidates.clone().map(|c| &c.packed).chain(changed).chain(outside) {
        inputs.entry(&sampler.output).or_default().insert(&sampler.input);
    }
    let differs = |c: &&Candidate<'_>| {
        originals.is_some_and(|kept| kept[&c.packed.output] != c.plain.output || kept[&c.packed.input] != c.plain.input)
    };
    let several = inputs.iter().filter(|(_, inputs)| inputs.len() > 1).map(|(output, _)| *output);
    several.chain(candidates.filter(differs).map(|c| &c.packed.output)).collect()
}

pub(super) const CODEC: Codec = Codec { choice: Choice::Smallest, speed: 5, entropy: true };

pub(super) fn refused(fault: EncodeFault) -> Error {
    Error::Unsupported { extension: super::NAME.into(), what: fault.to_string() }
}

/// A stream of the tracks that it makes smaller, or of all; `None` where there is none.
fn encode(tracks: &[&Candidate<'_>], all: bool) -> Result<Option<Stream>> {
    let mut parts = vec![tracks[0].times.clone()];
    const HEADER: isize = 32;
    let mut saved = parts[0].0.bytes.len() as isize - parts[0].1.size() as isize - HEADER;
    let mut seen = BTreeSet::new();
    for Candidate { grid, packed, .. } in tracks.iter().filter(|c| seen.insert(&c.packed.output)) {
        let id = parts.len() as u32;
        let encoded = EncodedAttribute::from_indices(id, &grid.quantizer, &grid.indices, &CODEC).map_err(refused)?;
        let gain = packed.output.bytes.len() as isize - encoded.size() as isize;
        if gain > 0 || all {
            saved += gain;
            parts.push((packed.output.clone(), encoded));
        }
    }
    Ok((parts.len() > 1 && (saved > 0 || all)).then_some(Stream(parts)))
}
