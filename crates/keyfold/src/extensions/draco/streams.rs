//! Distributes tracks among streams. Tracks with equal times share a stream. Tracks that a stream would not make
//! smaller stay outside.
//!
//! An accessor's values come from one stream, and all samplers that use it have that stream's times. Tracks of equal
//! content share an accessor. If their times differ, they stay outside.

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

/// Animations, and the streams that hold some of their values.
pub(crate) struct Streamed {
    pub(crate) forms: Vec<AnimationForm>,
    pub(super) streams: Vec<Stream>,
    /// The content of fallbacks: the floats before compression, by the floats that decoders get.
    pub(super) originals: BTreeMap<Stored, Stored>,
}

impl Streamed {
    /// The content of all accessors of the streams.
    pub(crate) fn inside(&self) -> BTreeSet<&Stored> {
        self.streams.iter().flat_map(|stream| &stream.contents).collect()
    }

    /// The bytes of all streams.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>> {
        Ok(self.streams.iter().map(Stream::bytes).collect::<Result<Vec<_>>>()?.concat())
    }
}

/// The content of an accessor as decoders get it, and as a stream holds it.
pub(super) type Part = (Stored, EncodedAttribute);

/// A stream to be written. Its times are the first of both lists.
pub(super) struct Stream {
    pub(super) contents: Vec<Stored>,
    attributes: Vec<EncodedAttribute>,
}

impl Stream {
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        assemble(self.contents[0].count() as u32, &self.attributes, &[]).map_err(refused)
    }
}

/// A track that may go into a stream.
struct Candidate<'p> {
    grid: &'p Gridded,
    times: &'p Part,
    /// Its sampler without a stream.
    plain: SamplerForm,
    /// Its sampler as decoders of the stream get it.
    packed: SamplerForm,
}

/// A channel without a stream, and its candidate.
type Channel<'p> = (ChannelForm, Option<Candidate<'p>>);

/// Puts tracks with a grid into streams where that is smaller, or `all` of them.
pub(crate) fn streamed(planned: &[Planned], all: bool, options: &StreamOptions) -> Result<Streamed> {
    let gridded = planned.iter().flat_map(|planned| &planned.tracks).filter(|(_, grid)| grid.is_some());
    let times = times::encode_all(gridded.map(|(track, _)| track), options)?;
    let channels = planned.iter().map(|planned| {
        // Values that need exact storage stay where they are.
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

/// A channel as it will be in the file. Its values in a stream are those that decoders get.
fn written((form, candidate): &Channel<'_>, inside: &BTreeSet<&Stored>) -> ChannelForm {
    let mut form = form.clone();
    if let Some(candidate) = candidate.as_ref().filter(|c| inside.contains(&c.packed.output)) {
        let extended = form.extension_sampler.iter_mut().map(|(_, sampler)| sampler);
        form.sampler.iter_mut().chain(extended).for_each(|sampler| *sampler = candidate.packed.clone());
    }
    form
}

/// The outputs that tracks of equal content cannot share in one accessor: their times or their kept originals differ.
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

/// A stream of the tracks that it makes smaller, or of `all`; `None` if there are none.
fn encode(tracks: &[&Candidate<'_>], all: bool) -> Result<Option<Stream>> {
    let (times, attribute) = tracks[0].times.clone();
    const HEADER: isize = 32;
    let mut saved = times.bytes.len() as isize - attribute.size() as isize - HEADER;
    let mut stream = Stream { contents: vec![times], attributes: vec![attribute] };
    let mut seen = BTreeSet::new();
    for Candidate { grid, packed, .. } in tracks.iter().filter(|c| seen.insert(&c.packed.output)) {
        let id = stream.contents.len() as u32;
        let encoded = EncodedAttribute::from_indices(id, &grid.quantizer, &grid.indices, &CODEC).map_err(refused)?;
        let gain = packed.output.bytes.len() as isize - encoded.size() as isize;
        if gain > 0 || all {
            saved += gain;
            stream.contents.push(packed.output.clone());
            stream.attributes.push(encoded);
        }
    }
    Ok((stream.contents.len() > 1 && (saved > 0 || all)).then_some(stream))
}
