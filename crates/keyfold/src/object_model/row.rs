//! A row of the registry, which describes one kind of property.

use std::borrow::Cow;

use super::valid::Valid;

/// The type of a property, as the glTF Asset Object Model names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are the object model's own.
pub enum ValueType {
    Bool,
    Int,
    Float,
    Float2,
    Float3,
    Float4,
    Float4x4,
    /// An array of floats whose length the object decides; animated by a SCALAR accessor that holds all of them for
    /// every key.
    FloatArray,
}

impl ValueType {
    /// The `type` of an accessor for it.
    pub const fn accessor(self) -> &'static str {
        match self {
            Self::Bool | Self::Int | Self::Float | Self::FloatArray => "SCALAR",
            Self::Float2 => "VEC2",
            Self::Float3 => "VEC3",
            Self::Float4 => "VEC4",
            Self::Float4x4 => "MAT4",
        }
    }

    /// The number of components of a value; for an array, the document decides.
    pub const fn width(self) -> Option<usize> {
        match self {
            Self::Bool | Self::Int | Self::Float => Some(1),
            Self::Float2 => Some(2),
            Self::Float3 => Some(3),
            Self::Float4 => Some(4),
            Self::Float4x4 => Some(16),
            Self::FloatArray => None,
        }
    }

    /// Whether values step from key to key: nothing lies between two bools, or two ints.
    pub const fn steps(self) -> bool {
        matches!(self, Self::Bool | Self::Int)
    }

    /// Its name in the object model.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Float2 => "float2",
            Self::Float3 => "float3",
            Self::Float4 => "float4",
            Self::Float4x4 => "float4x4",
            Self::FloatArray => "float[]",
        }
    }
}

/// The value of a property that the document does not write.
#[derive(Clone, Debug, PartialEq)]
pub enum Initial {
    /// No value: the property must be written to be animated.
    Undefined,
    /// This value.
    Value(Cow<'static, [f64]>),
    /// The weights of the instantiated mesh, else zeros.
    Weights,
    /// A value that is never written, because it follows from the rest of the document.
    Derived,
}

/// A required relation between a property and another member of the same object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Greater than the member of this name.
    Above(&'static str),
    /// Less than the member of this name.
    Below(&'static str),
}

impl Relation {
    /// The member that the property is compared with.
    pub const fn other(self) -> &'static str {
        match self {
            Self::Above(other) | Self::Below(other) => other,
        }
    }

    /// Whether the relation holds, in the precision of the values.
    pub fn holds(self, value: f64, other: f64) -> bool {
        match self {
            Self::Above(_) => value as f32 > other as f32,
            Self::Below(_) => (value as f32) < other as f32,
        }
    }
}

/// Where a row comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The object model, or a ratified extension's addition to it.
    Ratified,
    /// An extension that the object model does not list yet.
    Unlisted,
    /// Formerly in the object model; read, never written.
    Legacy,
    /// Only in the KHR_animation2 draft.
    Draft,
    /// Added by the caller.
    User,
}

/// The description of all properties whose pointers match one template.
///
/// In a template `{}` matches an array index, `**` any number of members, and `*Texture` a member whose name ends in
/// `Texture`. Create your own rows with [`Row::new`], and add them with [`Registry::with`](super::Registry::with):
///
/// ```
/// use keyfold::object_model::{Pointer, Registry, Row, Valid, ValueType};
///
/// let registry = Registry::standard().with([
///     Row::new("/nodes/{}/extensions/ACME_wind/strength", ValueType::Float).default(&[0.0]).valid(Valid::at_least(0.0)),
///     Row::new("/nodes/{}/extras/facing", ValueType::Float4).quaternion(),
/// ]);
/// let facing = Pointer::parse("/nodes/7/extras/facing")?;
/// assert!(registry.find(&facing).is_some_and(|found| found.row.quaternion));
/// # Ok::<(), keyfold::object_model::PointerError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Row {
    /// The template of its pointers.
    pub template: Cow<'static, str>,
    /// The type.
    pub value_type: ValueType,
    /// Whether the four floats are a rotation, interpolated by slerp and kept at unit length.
    pub quaternion: bool,
    /// Whether it may be animated.
    pub mutable: bool,
    /// The default value.
    pub initial: Initial,
    /// The values that it must have.
    pub valid: Valid,
    /// The values that it should have.
    pub advised: Valid,
    /// A required relation to another member.
    pub relation: Option<Relation>,
    /// Where the row comes from.
    pub status: Status,
    range: Option<f64>,
}

impl Row {
    /// A mutable property without default that takes any value; the other methods refine it.
    pub fn new(template: impl Into<Cow<'static, str>>, value_type: ValueType) -> Self {
        Self {
            template: template.into(),
            value_type,
            quaternion: false,
            mutable: true,
            initial: Initial::Undefined,
            valid: Valid::Any,
            advised: Valid::Any,
            relation: None,
            status: Status::User,
            range: None,
        }
    }

    /// Sets the default value.
    pub fn default(mut self, value: &'static [f64]) -> Self {
        self.initial = Initial::Value(Cow::Borrowed(value));
        self
    }

    /// The values that it must have.
    pub fn valid(mut self, valid: Valid) -> Self {
        self.valid = valid;
        self
    }

    /// Makes the four floats a rotation whose default is the identity.
    pub fn quaternion(mut self) -> Self {
        self.quaternion = true;
        self.valid(Valid::UnitQuaternion).default(&[0.0, 0.0, 0.0, 1.0])
    }

    /// Makes the property immutable.
    pub fn read_only(mut self) -> Self {
        self.mutable = false;
        self
    }

    /// Sets the usual range of values, relative to which errors are measured.
    pub fn range(mut self, range: f64) -> Self {
        self.range = Some(range);
        self
    }

    /// The values that it should have.
    pub(super) fn advised(mut self, advised: Valid) -> Self {
        self.advised = advised;
        self
    }

    pub(super) fn relation(mut self, relation: Relation) -> Self {
        self.relation = Some(relation);
        self
    }

    pub(super) fn initial(mut self, initial: Initial) -> Self {
        self.initial = initial;
        self
    }

    pub(super) fn status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// The range of values relative to which errors are measured: 1 for colours, factors and weights. Without one, a
    /// track is measured relative to its own range; bools and ints stay exact.
    pub fn natural_range(&self) -> Option<f64> {
        self.range.or((self.valid == Valid::UNIT).then_some(1.0))
    }

    /// The extensions on the way to the property, outermost first; none for core.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.template.split("/extensions/").skip(1).filter_map(|rest| rest.split('/').next())
    }
}
