//! Tracks of a clip: their targets and forms.

use super::ClipError;
use super::bits::{BitReader, BitWriter};
use super::memory::Memory;
use crate::curve::{Curve, Kind};
use crate::skeleton::{self, Property};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A property of a node that a track can drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NodeProperty {
    /// The node's origin: three components.
    Translation,
    /// A unit quaternion XYZW.
    Rotation,
    /// A factor per axis.
    Scale,
    /// The weights of the morph targets, all of them.
    Weights,
    /// One axis (0, 1, 2) of the translation.
    TranslationAxis(u8),
    /// One axis (0, 1, 2) of the scale.
    ScaleAxis(u8),
}

/// The target of a track.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Target {
    /// A property of the node with this index.
    Node(u32, NodeProperty),
    /// Anything else, by JSON pointer; `true` if its values are rotations.
    Pointer(String, bool),
}

impl NodeProperty {
    pub(super) const ALL: [Self; 10] = [
        Self::Translation,
        Self::Rotation,
        Self::Scale,
        Self::Weights,
        Self::TranslationAxis(0),
        Self::TranslationAxis(1),
        Self::TranslationAxis(2),
        Self::ScaleAxis(0),
        Self::ScaleAxis(1),
        Self::ScaleAxis(2),
    ];

    /// The number of components of a value; `None` if the property does not determine it.
    fn width(self) -> Option<usize> {
        match self {
            Self::Translation | Self::Scale => Some(3),
            Self::Rotation => Some(4),
            Self::TranslationAxis(_) | Self::ScaleAxis(_) => Some(1),
            Self::Weights => None,
        }
    }
}

impl Target {
    /// Whether the values are unit quaternions.
    pub fn is_rotation(&self) -> bool {
        matches!(self, Self::Node(_, NodeProperty::Rotation) | Self::Pointer(_, true))
    }

    /// The kind of the values, which determines their interpolation.
    pub(super) fn kind(&self) -> Kind {
        if self.is_rotation() { Kind::Rotation } else { Kind::Vector }
    }

    /// The skeleton's track for a curve that drives the target; `None` if it moves no points.
    pub(super) fn driven_by<'a>(&self, curve: &'a Curve) -> Option<skeleton::Track<'a>> {
        let Self::Node(node, property) = self else { return None };
        let (property, axis) = match *property {
            NodeProperty::Translation => (Property::Translation, None),
            NodeProperty::Rotation => (Property::Rotation, None),
            NodeProperty::Scale => (Property::Scale, None),
            NodeProperty::TranslationAxis(axis) => (Property::Translation, Some(axis.into())),
            NodeProperty::ScaleAxis(axis) => (Property::Scale, Some(axis.into())),
            NodeProperty::Weights => return None,
        };
        Some(skeleton::Track { node: *node as usize, property, axis, curve })
    }

    /// The number of components of a value; `None` if the target does not determine it.
    pub(super) fn width(&self) -> Option<usize> {
        match self {
            Self::Node(_, property) => property.width(),
            Self::Pointer(_, rotation) => rotation.then_some(4),
        }
    }
}

/// A JSON pointer as in the ratified object model; one axis as `.x`, `.y` or `.z`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (node, property) = match self {
            Self::Pointer(pointer, _) => return f.write_str(pointer),
            Self::Node(node, property) => (node, property),
        };
        write!(f, "/nodes/{node}/")?;
        let axis = |a: u8| ["x", "y", "z"].get(usize::from(a)).copied().unwrap_or("?");
        match *property {
            NodeProperty::Translation => f.write_str("translation"),
            NodeProperty::Rotation => f.write_str("rotation"),
            NodeProperty::Scale => f.write_str("scale"),
            NodeProperty::Weights => f.write_str("weights"),
            NodeProperty::TranslationAxis(a) => write!(f, "translation.{}", axis(a)),
            NodeProperty::ScaleAxis(a) => write!(f, "scale.{}", axis(a)),
        }
    }
}

/// The form of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Form {
    /// A single value.
    Constant,
    /// Exact values that hold from key to key.
    Step,
    /// Quantized values at the clip's keys, interpolated between them.
    Keyed,
}

impl Form {
    /// The name that the program uses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Step => "step",
            Self::Keyed => "keyed",
        }
    }
}

/// A track of a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    pub(super) target: Target,
    pub(super) width: usize,
    pub(super) form: Form,
    pub(super) offset: usize,
}

impl Track {
    /// The target of the track.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The number of components of a value.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The form of the track.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The range of the value among a pose's floats.
    pub fn range(&self) -> core::ops::Range<usize> {
        self.offset..self.offset + self.width
    }
}

/// The code of a target that is a pointer, among the indices of [`NodeProperty::ALL`].
const POINTER: u64 = 15;

/// The fewest bits of a track: same node, property, form.
const LEAST_BITS: usize = 7;

/// Approximate bytes of memory of an open track, and of each of its components, with everything that is laid
/// out for playing.
const TRACK_MEMORY: usize = 192;
const COMPONENT_MEMORY: usize = 48;

/// Writes the list of tracks. Each has its node as the difference from the one before, its property, its
/// form, and its width if the target does not determine it.
pub(super) fn write_tracks(tracks: &[Track], out: &mut BitWriter) {
    out.put_count(tracks.len() as u64);
    let mut last = 0u32;
    for track in tracks {
        match &track.target {
            Target::Node(node, property) => {
                write_node(*node, &mut last, out);
                let code = NodeProperty::ALL.iter().position(|p| p == property).unwrap_or(0);
                out.put(code as u64, 4);
            }
            Target::Pointer(pointer, rotation) => {
                out.put(0, 1);
                out.put(POINTER, 4);
                out.put_count(pointer.len() as u64);
                pointer.bytes().for_each(|b| out.put(b.into(), 8));
                out.put((*rotation).into(), 1);
            }
        }
        out.put(track.form as u64, 2);
        if track.target.width().is_none() {
            out.put_count(track.width as u64);
        }
    }
}

/// Writes `0` for the same node, `10` for the next one, or `11` and the node's index.
fn write_node(node: u32, last: &mut u32, out: &mut BitWriter) {
    match node.wrapping_sub(*last) {
        0 => out.put(0, 1),
        1 => out.put(0b01, 2),
        _ => {
            out.put(0b11, 2);
            out.put_count(node.into());
        }
    }
    *last = node;
}

fn read_node(last: &mut u32, from: &mut BitReader<'_>) -> Result<u32, ClipError> {
    *last = match (from.flag()?, *last) {
        (false, last) => last,
        (true, last) if !from.flag()? => last.checked_add(1).ok_or(ClipError::Malformed("a node number overflows"))?,
        (true, _) => from.count()? as u32,
    };
    Ok(*last)
}

/// Reads the list of [`write_tracks`].
pub(super) fn read_tracks(from: &mut BitReader<'_>, memory: &mut Memory) -> Result<Vec<Track>, ClipError> {
    let count = from.paid_count(LEAST_BITS)?;
    memory.pay(count, TRACK_MEMORY)?;
    let mut tracks = Vec::with_capacity(count);
    let (mut last, mut offset) = (0, 0usize);
    for _ in 0..count {
        let node = read_node(&mut last, from)?;
        let target = match from.take(4)? {
            POINTER => Target::Pointer(read_text(from)?, from.flag()?),
            code => {
                let property =
                    NodeProperty::ALL.get(code as usize).ok_or(ClipError::Malformed("an unknown property"))?;
                Target::Node(node, *property)
            }
        };
        let form = [Form::Constant, Form::Step, Form::Keyed].get(from.take(2)? as usize).copied();
        let form = form.ok_or(ClipError::Malformed("an unknown form of track"))?;
        // Whatever the form, a component takes at least one bit later in the file.
        let width = match target.width() {
            Some(width) => width,
            None => from.paid_count(1)?,
        };
        memory.pay(width, COMPONENT_MEMORY)?;
        tracks.push(Track { target, width, form, offset });
        offset = offset.saturating_add(width);
    }
    Ok(tracks)
}

/// Reads a length and as many bytes of UTF-8.
pub(super) fn read_text(from: &mut BitReader<'_>) -> Result<String, ClipError> {
    let count = from.paid_count(8)?;
    let bytes = (0..count).map(|_| Ok(from.take(8)? as u8)).collect::<Result<Vec<u8>, ClipError>>()?;
    String::from_utf8(bytes).map_err(|_| ClipError::Malformed("a name is not UTF-8"))
}
