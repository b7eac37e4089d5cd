//! What a writer of the extension may be asked for.

use super::{Encoding, Layout, Path};
use crate::{Bound, Property};

/// How animations are to be quantized. By default, the engine chooses each track's form within the bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// No integers wider than this: 8 or 16.
    pub bits: u32,
    /// How far anything in the scene may lie from where it was.
    pub max_error: Bound,
    /// How rotations are to be laid out, where they can be.
    pub rotation: Option<RotationForm>,
    /// How translations are to be laid out, where they can be.
    pub translation: Option<VectorForm>,
    /// How scales are to be laid out, where they can be.
    pub scale: Option<VectorForm>,
    /// What values are to be stored as, whatever that costs in precision; paths whose table does not list it choose for themselves.
    pub values: Option<Encoding>,
    /// What times are to be stored as, where they stay strictly increasing.
    pub times: Option<Encoding>,
    /// Whether axes stay that only hold the rest pose. They always do in motion that is made for other skeletons (VRMC_vrm_animation).
    pub keep_rest: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            bits: 16,
            max_error: Bound::default(),
            rotation: None,
            translation: None,
            scale: None,
            values: None,
            times: None,
            keep_rest: false,
        }
    }
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

impl Options {
    /// Whether a layout is wanted of a property.
    pub(crate) fn wants(&self, property: Property, layout: Layout) -> bool {
        let vector = |form: Option<VectorForm>| {
            use VectorForm::{Uniform, Vec3};
            matches!((form, layout), (None, _) | (Some(Vec3), Layout::Whole) | (Some(Uniform), Layout::Uniform))
        };
        match property {
            Property::Translation => vector(self.translation),
            Property::Scale => vector(self.scale),
            Property::Weights => true,
            Property::Rotation => matches!(
                (self.rotation, layout),
                (None, _)
                    | (Some(RotationForm::Vec4), Layout::Whole)
                    | (Some(RotationForm::Vec3), Layout::WithoutW)
                    | (Some(RotationForm::Vec2), Layout::OneAxisAndW(_))
                    | (Some(RotationForm::Scalar), Layout::OneAxis(_))
            ),
        }
    }

    /// Whether each axis of a property may (`None`: where that is cheaper) or must get a channel of its own.
    pub(crate) fn axes(&self, property: Property) -> Option<bool> {
        let form = match property {
            Property::Translation => self.translation,
            Property::Scale => self.scale,
            Property::Rotation | Property::Weights => return Some(false),
        };
        form.map(|form| form == VectorForm::Axes)
    }

    /// The encoding that is asked for and that the table lists for a path.
    pub(super) fn asked(&self, path: Path) -> Option<Encoding> {
        self.values.filter(|e| path.encodings().contains(e))
    }
}
