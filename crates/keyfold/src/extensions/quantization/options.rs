//! What a writer of the extension may be asked for.

use super::{Encoding, Layout, Path};
use crate::{Property, document::ComponentType};

/// How animations are to be quantized. By default, the engine chooses each track's form within the bound.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How tracks are to be laid out.
    pub layouts: LayoutOptions,
    /// What values are to be stored as, whatever that costs in precision; paths whose table does not list it choose for themselves.
    pub values: Option<Encoding>,
    /// What times are to be stored as, where they stay strictly increasing.
    pub times: Option<Encoding>,
    /// Whether axes stay that only hold the rest pose. They always do in motion that is made for other skeletons (VRMC_vrm_animation).
    pub keep_rest: bool,
}

/// How tracks are to be laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayoutOptions {
    /// No integers wider than a byte.
    pub bytes_only: bool,
    /// How rotations are to be laid out, where they can be.
    pub rotation: Option<RotationForm>,
    /// How translations are to be laid out, where they can be.
    pub translation: Option<VectorForm>,
    /// How scales are to be laid out, where they can be.
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
    /// Whether a layout is wanted of a property.
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

    /// Whether each axis of a property may (`None`: where that is cheaper) or must get a channel of its own.
    pub(crate) fn axes(&self, property: Property) -> Option<bool> {
        self.vector(property).map(|form| form == VectorForm::Axes)
    }

    /// Rotations and weights are never taken apart.
    fn vector(&self, property: Property) -> Option<VectorForm> {
        match property {
            Property::Translation => self.translation,
            Property::Scale => self.scale,
            Property::Rotation | Property::Weights => Some(VectorForm::Vec3),
        }
    }
}

impl Options {
    /// What is asked for where the table lists it for a path; integers where only times are asked for.
    pub(super) fn encoding(&self, path: Path) -> Encoding {
        let component = if self.layouts.bytes_only { ComponentType::U8 } else { ComponentType::U16 };
        let asked = self.values.filter(|e| path.encodings().contains(e));
        asked.unwrap_or(Encoding::new(component, path.property == Property::Rotation))
    }
}
