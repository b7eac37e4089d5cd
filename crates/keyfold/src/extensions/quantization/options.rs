//! Options of the extension's writer.

use super::{Encoding, Layout, Path};
use crate::{Property, document::ComponentType};

/// Options for quantizing animations. By default, the engine chooses each track's form within the bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The layouts of tracks.
    pub layouts: LayoutOptions,
    /// The type of values, at any error. A path whose table does not list it gets another type.
    pub values: Option<Encoding>,
    /// The type of times, where they stay strictly increasing.
    pub times: Option<Encoding>,
    /// Whether axes that only hold the rest pose stay. They always stay in motion made for other skeletons
    /// (VRMC_vrm_animation).
    pub keep_rest: bool,
}

/// Options for the layouts of tracks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutOptions {
    /// No integers wider than a byte.
    pub bytes_only: bool,
    /// The layout of rotations, where possible.
    pub rotation: Option<RotationForm>,
    /// The layout of translations, where possible.
    pub translation: Option<VectorForm>,
    /// The layout of scales, where possible.
    pub scale: Option<VectorForm>,
}

/// The layouts of a rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RotationForm {
    /// All of X, Y, Z and W.
    Vec4,
    /// X, Y and Z.
    Vec3,
    /// One axis and W.
    Vec2,
    /// One axis.
    Scalar,
}

/// The layouts of a translation or a scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorForm {
    /// All of X, Y and Z.
    Vec3,
    /// Each axis on its own.
    Axes,
    /// One factor for all axes of a scale.
    Uniform,
}

impl LayoutOptions {
    /// Whether a property may have a layout.
    pub(crate) fn wants(&self, property: Property, layout: Layout) -> bool {
        let (rotation, vector) = match layout {
            Layout::Whole => (Some(RotationForm::Vec4), Some(VectorForm::Vec3)),
            Layout::WithoutW => (Some(RotationForm::Vec3), None),
            Layout::OneAxisAndW(_) => (Some(RotationForm::Vec2), None),
            Layout::OneAxis(_) => (Some(RotationForm::Scalar), None),
            Layout::Uniform => (None, Some(VectorForm::Uniform)),
        };
        match property {
            Property::Rotation => self.rotation.is_none() || self.rotation == rotation,
            _ => self.vector(property).is_none_or(|form| Some(form) == vector),
        }
    }

    /// Whether each axis of a property gets a channel of its own; `None`: if that is cheaper.
    pub(crate) fn axes(&self, property: Property) -> Option<bool> {
        self.vector(property).map(|form| form == VectorForm::Axes)
    }

    /// The layout of a property. Rotations and weights are never split into axes.
    fn vector(&self, property: Property) -> Option<VectorForm> {
        match property {
            Property::Translation => self.translation,
            Property::Scale => self.scale,
            Property::Rotation | Property::Weights => Some(VectorForm::Vec3),
        }
    }
}

impl Options {
    /// The requested type if the table lists it for a path, or else integers.
    pub(super) fn encoding(&self, path: Path) -> Encoding {
        let component = if self.layouts.bytes_only { ComponentType::U8 } else { ComponentType::U16 };
        let asked = self.values.filter(|e| path.encodings().contains(e));
        asked.unwrap_or(Encoding::new(component, path.property == Property::Rotation))
    }
}
