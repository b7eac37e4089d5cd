//! A keyframe animation as the bitstream sees it: attributes that all have one value for each keyframe.

use alloc::vec::Vec;

use super::descriptor::AttributeKind;
use super::values::{DataType, Values};

/// The unique id of the timestamps.
pub const TIMESTAMPS: u32 = 0;

/// The content of one stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// The number of keyframes.
    pub keys: u32,
    /// Timestamps and tracks, in the order of the stream.
    pub attributes: Vec<Attribute>,
    /// The metadata block as stored, empty if there is none. It is written as it is.
    pub metadata: Vec<u8>,
}

impl Animation {
    /// The attribute with this unique id; the first, should a stream have several.
    pub fn attribute(&self, unique_id: u32) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.unique_id == unique_id)
    }

    /// The timestamps, if the stream has them as single floats.
    pub fn timestamps(&self) -> Option<&[f32]> {
        self.attribute(TIMESTAMPS).filter(|attribute| attribute.components == 1)?.values.as_f32()
    }
}

/// Timestamps (unique id 0) or one track (unique ids from 1 on).
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The number by which a container refers to this attribute.
    pub unique_id: u32,
    /// Always generic in an animation.
    pub kind: AttributeKind,
    /// Whether integers are normalized; never set by animation tools.
    pub normalized: bool,
    /// Values for each keyframe. Readers older than libdraco 1.5.4 take more than 127 as negative.
    pub components: u8,
    /// All values, keyframe by keyframe.
    pub values: Values,
}

impl Attribute {
    /// A generic attribute of floats.
    pub fn floats(unique_id: u32, components: u8, values: Vec<f32>) -> Attribute {
        let kind = AttributeKind::Generic;
        Attribute { unique_id, kind, normalized: false, components, values: Values::F32(values) }
    }

    /// All values as floats; integers by glTF's equations where the attribute or its reader takes them as fractions.
    pub fn to_floats(&self, normalized: bool) -> Vec<f32> {
        if let Some(floats) = self.values.as_f32() {
            return floats.to_vec();
        }
        let most = match self.values.data_type() {
            DataType::I8 => 127.0,
            DataType::U8 => 255.0,
            DataType::I16 => 32767.0,
            DataType::U16 => 65535.0,
            _ => 1.0,
        };
        let fraction = |v: f64| if normalized || self.normalized { (v / most).max(-1.0) } else { v };
        self.values.to_f64().into_iter().map(|v| fraction(v) as f32).collect()
    }
}
