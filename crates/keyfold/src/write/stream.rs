//! Accessors in streams of KEYFOLD_animation_stream: one stream for each animation, small ones together, and one
//! buffer view for each stream, so that JSON stays small.
//!
//! Nothing is lost here: rotations that lie on a grid are stored as codes on it, everything else as integers that
//! give back the very bytes.

use super::{AnimationForm, ChannelForm, SamplerForm, Stored};
use crate::{
    Error, Result,
    document::{ComponentType, Edit},
    extensions::stream::NAME,
};
use keyfold_core::stream::{Array, Clock, Coding, Limits, Rotations, Stream, StreamError, encode, fitting};
use serde_json::{Map, json};
use std::collections::BTreeMap;

/// A stream that holds fewer values than this takes in the next animation.
const FEW: usize = 4096;
/// Animations longer than this (seconds) are cut into segments, and about how long those are.
const LONG: f64 = 10.0;
const SEGMENT: f64 = 2.0;

/// Places accessors in streams and, with `fallback`, also as plain bytes.
pub fn place_stream(
    edit: &mut Edit<'_>,
    contents: &[&Stored],
    forms: &[AnimationForm],
    fallback: bool,
) -> Result<Vec<usize>> {
    let groups = grouped(contents, forms);
    if groups.is_empty() {
        return Ok(Vec::new());
    }
    edit.declare(NAME, !fallback);
    let placed: Vec<Placed> = groups.iter().map(|group| group.place(contents)).collect::<Result<_>>()?;
    let lengths = placed.iter().map(|placed| placed.length);
    let buffer = (!fallback).then(|| {
        let byte_length = lengths.clone().sum::<usize>();
        // three.js refuses buffers of a type that it does not know (`document/guard.rs`); without one, it would fetch the page's own address for this one.
        let absent = json!({ "byteLength": byte_length, "type": NAME, "extensions": { NAME: { "fallback": true } } });
        edit.push("buffers", absent)
    });
    let (mut accessors, mut begin) = (vec![0; contents.len()], 0);
    for (group, Placed { stream, offsets, length }) in groups.iter().zip(placed) {
        let view = match buffer {
            Some(buffer) => edit.push_compressed_view(buffer, (begin, length), NAME, Map::new(), stream),
            None => edit.push_view_twice(group.plain(contents, &offsets, length), NAME, stream),
        };
        begin += length;
        for (index, offset) in group.contents.iter().zip(offsets) {
            accessors[*index] = edit.push("accessors", contents[*index].accessor(Some((view, offset))).into());
        }
    }
    Ok(accessors)
}

/// The bytes that contents of some channels take in one stream.
pub(crate) fn stream_bytes(contents: &[&Stored], channels: &[ChannelForm]) -> Result<Vec<u8>> {
    let uses = uses(channels.iter().flat_map(super::samplers_of));
    let mut group = Group::default();
    (0..contents.len()).for_each(|index| group.add(index, uses.get(contents[index]).copied(), contents));
    group.encode(contents)
}

/// By content, the times that it is used with.
fn uses<'s>(samplers: impl Iterator<Item = &'s SamplerForm>) -> BTreeMap<&'s Stored, &'s Stored> {
    let mut uses = BTreeMap::new();
    for sampler in samplers {
        uses.entry(&sampler.input).or_insert(&sampler.input);
        uses.entry(&sampler.output).or_insert(&sampler.input);
    }
    uses
}

/// Contents of one stream.
#[derive(Default)]
struct Group<'s> {
    contents: Vec<usize>,
    /// By content of the group, the times that it is used with.
    times: Vec<&'s Stored>,
    values: usize,
}

fn grouped<'s>(contents: &[&'s Stored], forms: &'s [AnimationForm]) -> Vec<Group<'s>> {
    let mut places: BTreeMap<&Stored, usize> = contents.iter().enumerate().map(|(i, c)| (*c, i)).collect();
    let mut groups: Vec<Group<'s>> = Vec::new();
    for form in forms {
        if groups.last().is_none_or(|group| group.values >= FEW) {
            groups.push(Group::default());
        }
        let Some(group) = groups.last_mut() else { continue };
        let uses = uses(form.channels.iter().flat_map(super::samplers_of));
        let mut new: Vec<usize> = uses.keys().filter_map(|content| places.remove(content)).collect();
        // Alike beside each other: what never changes comes last.
        new.sort_unstable_by_key(|index| (contents[*index].count() == 1, *index));
        new.into_iter().for_each(|index| group.add(index, uses.get(contents[index]).copied(), contents));
    }
    groups.retain(|group| !group.contents.is_empty());
    groups
}

impl<'s> Group<'s> {
    fn add(&mut self, index: usize, times: Option<&'s Stored>, contents: &[&'s Stored]) {
        let content = contents[index];
        self.contents.push(index);
        self.times.push(times.unwrap_or(content));
        self.values += content.count() * content.shape.components();
    }

    fn place(&self, contents: &[&Stored]) -> Result<Placed> {
        let stream = self.encode(contents)?;
        let limits = Limits { values: u64::MAX, memory: u64::MAX, ..Limits::default() };
        let head = Stream::open(&stream, &limits).map_err(refused)?;
        let offsets = (0..self.contents.len()).filter_map(|array| head.offset(array)).collect();
        let length = head.byte_length();
        Ok(Placed { stream, offsets, length })
    }

    /// The bytes that the stream stands for.
    fn plain(&self, contents: &[&Stored], offsets: &[usize], length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        for (index, offset) in self.contents.iter().zip(offsets) {
            let content = &contents[*index].bytes;
            bytes[*offset..offset + content.len()].copy_from_slice(content);
        }
        bytes
    }

    fn encode(&self, contents: &[&Stored]) -> Result<Vec<u8>> {
        let mut clocks: Vec<&Stored> = Vec::new();
        let mut arrays = Vec::new();
        for (index, times) in self.contents.iter().zip(&self.times) {
            let clock = clocks.iter().position(|known| known == times).unwrap_or_else(|| {
                clocks.push(times);
                clocks.len() - 1
            });
            arrays.push(array(contents[*index], clock, times.count()));
        }
        let clocks: Vec<Clock> = cut(&clocks.into_iter().map(floats).collect::<Vec<_>>());
        encode(&clocks, &arrays).map_err(refused)
    }
}

fn refused(error: StreamError) -> Error {
    Error::Unsupported { extension: NAME.into(), what: error.to_string() }
}

/// Where a group of contents comes to lie.
struct Placed {
    stream: Vec<u8>,
    /// By content of the group, where it begins in the view.
    offsets: Vec<usize>,
    length: usize,
}

/// The clocks of times: in one segment or, where they last long, in several. What has one key is needed from the
/// beginning.
fn cut(times: &[Vec<f32>]) -> Vec<Clock> {
    let end = f64::from(times.iter().flatten().fold(0.0f32, |end, time| end.max(*time)));
    // Keys may lie far apart: there are no more segments than keys.
    let keys = times.iter().map(Vec::len).max().unwrap_or(1);
    let length = SEGMENT.max(end / keys as f64);
    let segments = if end > LONG { (end / length).ceil() as usize } else { 1 };
    let clock = |times: &Vec<f32>| {
        let before = |segment: usize| match segment {
            _ if segment == segments => times.len(),
            0 => 0,
            _ if times.len() == 1 => 1,
            _ => times.partition_point(|time| f64::from(*time) < segment as f64 * length),
        };
        Clock { keys: (0..segments).map(|segment| (before(segment + 1) - before(segment)) as u32).collect() }
    };
    times.iter().map(clock).collect()
}

fn array(content: &Stored, clock: usize, keys: usize) -> Array {
    let width = content.count() * content.shape.components() / keys.max(1);
    if let Some(grid) = content.grid {
        let rotations = Rotations::new(&grid);
        let codes = floats(content).as_chunks().0.iter().flat_map(|q| rotations.codes(*q)).collect();
        return Array { clock, width, coding: Coding::Rotations(grid), codes };
    }
    let (coding, codes) = match content.component {
        ComponentType::F32 => fitting(&floats(content), width),
        component => (Coding::Integers { bytes: component.size() as u8 }, integers(content)),
    };
    Array { clock, width, coding, codes }
}

fn floats(content: &Stored) -> Vec<f32> {
    content.bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn integers(content: &Stored) -> Vec<i32> {
    let b = &content.bytes;
    match content.component {
        ComponentType::I8 => b.iter().map(|b| i32::from(*b as i8)).collect(),
        ComponentType::U8 => b.iter().map(|b| i32::from(*b)).collect(),
        ComponentType::I16 => b.as_chunks().0.iter().map(|b| i16::from_le_bytes(*b).into()).collect(),
        ComponentType::U16 => b.as_chunks().0.iter().map(|b| u16::from_le_bytes(*b).into()).collect(),
        ComponentType::U32 | ComponentType::F32 => b.as_chunks().0.iter().map(|b| i32::from_le_bytes(*b)).collect(),
    }
}
