//! The draft's tables: the types and shapes that each path may have. Reader, writer, rules and tests use them.

use crate::{
    Axis, Property,
    document::{Accessor, ComponentType, Shape},
};
use keyfold_core::engine::Layout;
use std::fmt;

/// A channel's `path`: a property, or one axis of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Path {
    /// The property.
    pub property: Property,
    /// The axis of a dotted path. The other axes of a translation or scale stay as they are, those of a rotation
    /// become zero.
    pub axis: Option<Axis>,
}

impl Path {
    /// One axis of a property.
    pub const fn axis(property: Property, axis: Axis) -> Self {
        Self { property, axis: Some(axis) }
    }

    /// The path with this name in a file. Weights have no axes.
    pub fn from_name(name: &str) -> Option<Self> {
        let Some((property, axis)) = name.split_once('.') else {
            return Property::from_name(name).map(|property| Self { property, axis: None });
        };
        let axis = Axis::ALL.into_iter().find(|a| a.name() == axis)?;
        let property = Property::from_name(property).filter(|p| *p != Property::Weights)?;
        Some(Self::axis(property, axis))
    }

    /// The layout of elements of a shape; `None` if the path cannot have that shape.
    pub fn layout(self, shape: Shape) -> Option<Layout> {
        use Property::{Rotation, Scale, Translation, Weights};
        match (self.property, self.axis, shape) {
            (Translation | Scale, None, Shape::Vec3)
            | (Translation | Scale, Some(_), Shape::Scalar)
            | (Rotation, None, Shape::Vec4)
            | (Weights, None, Shape::Scalar) => Some(Layout::Whole),
            (Scale, None, Shape::Scalar) => Some(Layout::Uniform),
            (Rotation, None, Shape::Vec3) => Some(Layout::WithoutW),
            (Rotation, Some(axis), Shape::Scalar) => Some(Layout::OneAxis(axis as usize)),
            (Rotation, Some(axis), Shape::Vec2) => Some(Layout::OneAxisAndW(axis as usize)),
            _ => None,
        }
    }

    /// The component types that the table lists for the path's values.
    pub fn encodings(self) -> &'static [Encoding] {
        match self.property {
            Property::Rotation => &ROTATION,
            Property::Translation | Property::Scale | Property::Weights => &UNSIGNED,
        }
    }
}

/// The name in a file: `translation`, `rotation.x`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.property.name())?;
        self.axis.map_or(Ok(()), |axis| write!(f, ".{}", axis.name()))
    }
}

/// A component type, and whether its integers are normalized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Encoding {
    /// The component type.
    pub component: ComponentType,
    /// Whether integers are normalized.
    pub normalized: bool,
}

impl Encoding {
    /// 32-bit floats.
    pub const FLOAT: Self = Self::new(ComponentType::F32, false);

    /// A component type, normalized or not.
    pub const fn new(component: ComponentType, normalized: bool) -> Self {
        Self { component, normalized }
    }

    /// The encoding of an accessor's components.
    pub(crate) const fn of(accessor: &Accessor) -> Self {
        Self::new(accessor.component, accessor.normalized)
    }

    /// Whether codes may be negative.
    pub const fn signed(self) -> bool {
        matches!(self.component, ComponentType::I8 | ComponentType::I16)
    }

    /// How far a list of the table has this encoding.
    pub fn support(self, listed: &[Self]) -> TypeSupport {
        match self {
            _ if listed.contains(&self) => TypeSupport::Listed,
            // Rotations list signed integers. Integers that are not normalized are a mistake there.
            _ if self.signed() && !listed.iter().any(|e| e.signed()) => TypeSupport::Understood,
            _ => TypeSupport::Refused,
        }
    }
}

/// The name in messages: `5123 normalized`.
impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.component.code(), if self.normalized { " normalized" } else { "" })
    }
}

/// The encodings of translations, scales and times.
pub const UNSIGNED: [Encoding; 5] = [
    Encoding::FLOAT,
    Encoding::new(ComponentType::U8, false),
    Encoding::new(ComponentType::U8, true),
    Encoding::new(ComponentType::U16, false),
    Encoding::new(ComponentType::U16, true),
];

/// The encodings of rotations.
pub const ROTATION: [Encoding; 5] = [
    Encoding::FLOAT,
    Encoding::new(ComponentType::I8, true),
    Encoding::new(ComponentType::U8, true),
    Encoding::new(ComponentType::I16, true),
    Encoding::new(ComponentType::U16, true),
];

/// How far a list of the table has an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeSupport {
    /// The table lists it.
    Listed,
    /// The table does not list it, but its meaning is clear: signed integers where only unsigned ones are listed.
    Understood,
    /// The table does not list it, and readers refuse it.
    Refused,
}

/// The shape of a path's elements in a layout.
pub(crate) fn shape(path: Path, layout: Layout) -> Shape {
    let shapes = [Shape::Vec2, Shape::Vec3, Shape::Vec4];
    shapes.into_iter().find(|shape| path.layout(*shape) == Some(layout)).unwrap_or(Shape::Scalar)
}

/// The path for a layout: `rotation.x` if only X is stored.
pub(crate) fn path_of(path: Path, layout: Layout) -> Path {
    match layout {
        Layout::OneAxis(axis) | Layout::OneAxisAndW(axis) => Path::axis(path.property, Axis::ALL[axis]),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are_spelled() {
        for property in [Property::Translation, Property::Rotation, Property::Scale] {
            for axis in [None, Some(Axis::X), Some(Axis::Y), Some(Axis::Z)] {
                let path = Path { property, axis };
                assert_eq!(Path::from_name(&path.to_string()), Some(path));
            }
        }
        for name in ["translation.w", "weights.x", "x", "translation.", ".x", "rotation.x.y", "TRANSLATION"] {
            assert_eq!(Path::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn signed_integers_are_understood_where_only_unsigned_ones_are_listed() {
        let signed = Encoding::new(ComponentType::I16, false);
        assert_eq!(signed.support(&UNSIGNED), TypeSupport::Understood);
        assert_eq!(signed.support(&ROTATION), TypeSupport::Refused);
        assert_eq!(Encoding::new(ComponentType::U32, false).support(&UNSIGNED), TypeSupport::Refused);
    }
}
