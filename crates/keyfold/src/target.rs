//! Targets of tracks: a property of a node, one axis of it, or anything that a JSON pointer names.

use crate::{
    Document,
    object_model::{Match, Pointer, Registry, Valid, array_index},
};
use keyfold_core::curve::Kind;
use std::fmt;

/// A property of a node that core glTF can animate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// Three components.
    Translation,
    /// A unit quaternion XYZW.
    Rotation,
    /// Three components.
    Scale,
    /// One component per morph target.
    Weights,
}

impl Property {
    /// Its name in a glTF file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Translation => "translation",
            Self::Rotation => "rotation",
            Self::Scale => "scale",
            Self::Weights => "weights",
        }
    }

    /// The property with this name in a glTF file.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Translation, Self::Rotation, Self::Scale, Self::Weights].into_iter().find(|p| p.name() == name)
    }

    /// Components of a value; `None` for weights, whose number depends on the mesh.
    pub const fn width(self) -> Option<usize> {
        match self {
            Self::Translation | Self::Scale => Some(3),
            Self::Rotation => Some(4),
            Self::Weights => None,
        }
    }
}

/// One axis of a translation or a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axis {
    /// The first component.
    X,
    /// The second component.
    Y,
    /// The third component.
    Z,
}

impl Axis {
    /// All three, in order.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// `x`, `y` or `z`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}

/// The type of the value behind a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// Floats that are interpolated one by one.
    Float,
    /// A unit quaternion XYZW.
    Quaternion,
    /// An integer, kept exactly.
    Int,
    /// 0 or 1, kept exactly.
    Bool,
}

/// The target of a track.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A property of a node, however the file addresses it (core path, axis path, or an equivalent pointer).
    Node {
        /// The node's index.
        node: usize,
        /// Which property.
        property: Property,
        /// Where only one axis is driven.
        axis: Option<Axis>,
    },
    /// Anything else, by JSON pointer as in the ratified object model.
    Pointer {
        /// The pointer.
        pointer: String,
        /// What the value is.
        kind: ValueKind,
    },
}

impl Target {
    /// A whole property of a node.
    pub const fn node(node: usize, property: Property) -> Self {
        Self::Node { node, property, axis: None }
    }

    /// The JSON pointer to the target. One axis is an element: `/nodes/3/translation/0`.
    pub fn pointer(&self) -> String {
        match self {
            Self::Node { axis: Some(axis), node, property } => {
                format!("/nodes/{node}/{}/{}", property.name(), *axis as usize)
            }
            _ => self.to_string(),
        }
    }

    /// The value that a document itself gives it: what a player shows that does not animate it.
    pub(crate) fn stated(&self, document: &Document) -> Option<Vec<f64>> {
        let pointer = Pointer::parse(self.pointer()).ok()?;
        document.registry().find(&pointer)?.state(document.json()).value().map(<[f64]>::to_vec)
    }

    /// What the object model says of it.
    pub(crate) fn known(&self) -> Option<Match<'static>> {
        Registry::standard().find(&Pointer::parse(self.pointer()).ok()?)
    }

    /// The values that it may have.
    pub(crate) fn valid(&self) -> Valid {
        self.known().map_or(Valid::Any, |known| known.valid())
    }

    /// How values are interpolated between keys.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Node { property: Property::Rotation, .. } => Kind::Rotation,
            Self::Pointer { kind: ValueKind::Quaternion, .. } => Kind::Rotation,
            _ => Kind::Vector,
        }
    }

    /// Whether values must be kept exactly: booleans and integers.
    pub fn is_exact(&self) -> bool {
        matches!(self, Self::Pointer { kind: ValueKind::Int | ValueKind::Bool, .. })
    }

    /// The node that the property belongs to, whether or not it moves the node.
    pub fn owner(&self) -> Option<usize> {
        match self {
            Self::Node { node, .. } => Some(*node),
            Self::Pointer { pointer, .. } => array_index(pointer.strip_prefix("/nodes/")?.split('/').next()?),
        }
    }

    /// Whether it is a single axis of a node's property.
    pub fn is_one_axis(&self) -> bool {
        matches!(self, Self::Node { axis: Some(_), .. })
    }

    /// The node that the target moves in the scene.
    pub fn moved_node(&self) -> Option<usize> {
        match self {
            Self::Node { property: Property::Weights, .. } | Self::Pointer { .. } => None,
            Self::Node { node, .. } => Some(*node),
        }
    }
}

/// A JSON pointer as the ratified object model spells it; one axis is `/nodes/3/translation.x`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node { node, property, axis: None } => write!(f, "/nodes/{node}/{}", property.name()),
            Self::Node { node, property, axis: Some(axis) } => {
                write!(f, "/nodes/{node}/{}.{}", property.name(), axis.name())
            }
            Self::Pointer { pointer, .. } => f.write_str(pointer),
        }
    }
}

/// How a file addresses the targets of its animations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Targets {
    /// `node` and `path`, dotted axis paths included.
    Core,
    /// A JSON pointer as `path` (draft KHR_animation2).
    Animation2,
    /// KHR_animation_pointer.
    Pointer,
    /// EXT_property_animation, which is read but not written.
    PropertyAnimation,
}
