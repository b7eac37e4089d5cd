//! What goes into which stream: tracks with equal times share one, and what a stream would not make smaller stays outside.
//!
//! An accessor holds the values of one stream only, and every sampler that uses it has that stream's times. Tracks of equal content
//! share an accessor; where they could not all keep to that, they stay outside.

use super::{
    grids::Gridded,
    times::{self, EncodedTimes},
    write::{Options, Planned},
};
use crate::{
    Error, Result, Track,
    write::{ChannelForm, SamplerForm, Stored, core_form, samplers_of},
};
use keyfold_core::draco::{Choice, EncodeFault, EncodedAttribute, Options as Codec, assemble};
use std::collections::{BTreeMap, BTreeSet};

/// A track that may go into a stream.
pub(super) struct Candidate<'p> {
    grid: &'p Gridded,
    /// Its sampler as it is.
    plain: SamplerForm,
    /// Its sampler as a decoder of the stream will see it.
    pub(super) packed: SamplerForm,
}

/// All tracks, and the times that their streams may have.
pub(super) struct Candidates<'p> {
    /// By animation, each track as it is, and whether it may go into a stream.
    pub(super) tracks: Vec<Vec<(ChannelForm, Option<Candidate<'p>>)>>,
    /// By what they are before they are encoded.
    times: BTreeMap<Stored, EncodedTimes>,
}

impl<'p> Candidates<'p> {
    fn iter(&self) -> impl Iterator<Item = &Candidate<'p>> {
        self.tracks.iter().flatten().filter_map(|(_, candidate)| candidate.as_ref())
    }
}

/// The tracks, those that have a grid with their samplers before and after.
pub(super) fn candidates<'p>(planned: &'p [Planned], options: &Options) -> Result<Candidates<'p>> {
    let gridded = planned.iter().flat_map(Planned::tracks).filter(|(_, grid)| grid.is_some());
    let times = times::encode_all(gridded.map(|(track, _)| track), options)?;
    let candidate = |(track, grid): (&Track, Option<&'p Gridded>)| {
        let form = core_form(track)?;
        let Some(grid) = grid else { return Ok((form, None)) };
        let decoded = core_form(&Track { curve: grid.decoded.clone(), ..track.clone() })?;
        let samplers = samplers_of(&form).zip(samplers_of(&decoded)).next();
        let candidate = samplers.map(|(plain, decoded)| {
            let packed = SamplerForm { input: times[&plain.input].stored.clone(), ..decoded.clone() };
            Candidate { grid, plain: plain.clone(), packed }
        });
        Ok((form, candidate))
    };
    // Values that only exact storage keeps stay where they are.
    let inexact = |planned: &'p Planned| planned.tracks().filter(|(track, _)| !track.target.is_exact());
    let tracks = planned.iter().map(|planned| inexact(planned).map(candidate).collect());
    Ok(Candidates { tracks: tracks.collect::<Result<_>>()?, times })
}

/// What fallbacks hold: the floats before compression, by what a decoder sees in their place.
pub(super) fn originals<'c>(candidates: &'c Candidates<'_>) -> BTreeMap<&'c Stored, &'c Stored> {
    let pairs = |c: &'c Candidate<'_>| [(&c.packed.input, &c.plain.input), (&c.packed.output, &c.plain.output)];
    candidates.iter().flat_map(pairs).collect()
}

/// One stream to be written.
pub(super) struct Stream {
    pub(super) times: EncodedTimes,
    /// The tracks by what their accessors hold.
    pub(super) outputs: Vec<(Stored, EncodedAttribute)>,
}

impl Stream {
    /// What accessors hold whose values are in the stream.
    pub(super) fn contents(&self) -> impl Iterator<Item = &Stored> {
        self.outputs.iter().map(|(output, _)| output).chain([&self.times.stored])
    }

    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let attributes = [&self.times.attribute].into_iter().chain(self.outputs.iter().map(|(_, encoded)| encoded));
        let attributes: Vec<EncodedAttribute> = attributes.cloned().collect();
        assemble(self.times.stored.count() as u32, &attributes, &[]).map_err(refused)
    }
}

/// The streams that pay.
pub(super) fn streams(candidates: &Candidates<'_>, options: &Options) -> Result<Vec<Stream>> {
    let contested = contested(candidates, options);
    let mut groups: BTreeMap<&Stored, Vec<&Candidate<'_>>> = BTreeMap::new();
    for candidate in candidates.iter().filter(|c| !contested.contains(&c.packed.output)) {
        groups.entry(&candidate.packed.input).or_default().push(candidate);
    }
    let times: BTreeMap<&Stored, &EncodedTimes> = candidates.times.values().map(|t| (&t.stored, t)).collect();
    groups.iter().filter_map(|(input, group)| encode(group, times[*input], options).transpose()).collect()
}

/// The outputs that one accessor cannot hold for all tracks of that content: their times differ, or originals that are kept.
fn contested<'c>(candidates: &'c Candidates<'_>, options: &Options) -> BTreeSet<&'c Stored> {
    let mut inputs: BTreeMap<&Stored, BTreeSet<&Stored>> = BTreeMap::new();
    let changed = candidates.iter().filter(|c| c.plain.output != c.packed.output).map(|c| &c.plain);
    let outside = candidates.tracks.iter().flatten().filter(|(_, candidate)| candidate.is_none());
    let outside = outside.flat_map(|(form, _)| samplers_of(form));
    for sampler in candidates.iter().map(|c| &c.packed).chain(changed).chain(outside) {
        inputs.entry(&sampler.output).or_default().insert(&sampler.input);
    }
    let mut contested: BTreeSet<&Stored> = inputs.iter().filter(|(_, i)| i.len() > 1).map(|(o, _)| *o).collect();
    if options.fallback {
        let originals = originals(candidates);
        let differs = |c: &&Candidate<'_>| {
            originals[&c.packed.output] != &c.plain.output || originals[&c.packed.input] != &c.plain.input
        };
        contested.extend(candidates.iter().filter(differs).map(|c| &c.packed.output));
    }
    contested
}

pub(super) const CODEC: Codec = Codec { choice: Choice::Smallest, speed: 5, entropy: true };

pub(super) fn refused(fault: EncodeFault) -> Error {
    Error::Unsupported { extension: super::NAME.into(), what: fault.to_string() }
}

/// A stream of the tracks that it makes smaller; `None` where there is none.
fn encode(tracks: &[&Candidate<'_>], times: &EncodedTimes, options: &Options) -> Result<Option<Stream>> {
    // Asked-for bits are for every track, whether they pay or not.
    let asked = options.bits.is_some();
    let mut outputs: Vec<(Stored, EncodedAttribute)> = Vec::new();
    let mut saved = 0isize;
    let mut seen = BTreeSet::new();
    for Candidate { grid, packed, .. } in tracks.iter().filter(|c| seen.insert(&c.packed.output)) {
        let id = outputs.len() as u32 + 1;
        let encoded = EncodedAttribute::from_indices(id, &grid.quantizer, &grid.indices, &CODEC).map_err(refused)?;
        let gain = packed.output.bytes.len() as isize - encoded.size() as isize;
        if gain > 0 || asked {
            saved += gain;
            outputs.push((packed.output.clone(), encoded));
        }
    }
    const HEADER: isize = 32;
    let pays = saved + times.stored.bytes.len() as isize > HEADER + times.attribute.size() as isize;
    let wanted = !outputs.is_empty() && (pays || asked);
    Ok(wanted.then(|| Stream { times: times.clone(), outputs }))
}
