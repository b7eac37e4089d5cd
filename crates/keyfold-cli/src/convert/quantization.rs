//! `convert --storage quantization`: the options of the writer.

use anyhow::{Result, bail};
use clap::ValueEnum;
use keyfold::{
    document::ComponentType,
    quantization::{Encoding, LayoutOptions, Options, RotationForm, VectorForm},
};

#[derive(clap::Args)]
#[command(next_help_heading = "Options of --storage quantization (default: the cheapest form within the error bound)")]
pub(crate) struct QuantizationArgs {
    /// Layout of rotations, where possible
    #[arg(long, value_name = "FORM")]
    store_rotation: Option<Rotation>,
    /// Layout of translations
    #[arg(long, value_name = "FORM")]
    store_translation: Option<Translation>,
    /// Layout of scales, where possible
    #[arg(long, value_name = "FORM")]
    store_scale: Option<Scale>,
    /// Type of values, whatever that costs in precision; `n` means normalized
    #[arg(long, value_name = "TYPE")]
    store_values: Option<Type>,
    /// Type of times, where they stay distinct
    #[arg(long, value_name = "TYPE")]
    store_times: Option<Type>,
    /// Keep axes that only hold the rest pose, for motion made for other skeletons; .vrma files always keep them
    #[arg(long)]
    keep_rest: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Rotation {
    Vec4,
    Vec3,
    Vec2,
    Scalar,
}

#[derive(Clone, Copy, ValueEnum)]
enum Translation {
    Vec3,
    Axes,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scale {
    Vec3,
    Axes,
    Scalar,
}

#[derive(Clone, Copy, ValueEnum)]
enum Type {
    Float,
    U8,
    U8n,
    U16,
    U16n,
    I8n,
    I16n,
}

impl From<Type> for Encoding {
    fn from(kind: Type) -> Self {
        match kind {
            Type::Float => Self::FLOAT,
            Type::U8 => Self::new(ComponentType::U8, false),
            Type::U8n => Self::new(ComponentType::U8, true),
            Type::U16 => Self::new(ComponentType::U16, false),
            Type::U16n => Self::new(ComponentType::U16, true),
            Type::I8n => Self::new(ComponentType::I8, true),
            Type::I16n => Self::new(ComponentType::I16, true),
        }
    }
}

impl QuantizationArgs {
    /// The first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.store_rotation.is_some(), "--store-rotation"),
            (self.store_translation.is_some(), "--store-translation"),
            (self.store_scale.is_some(), "--store-scale"),
            (self.store_values.is_some(), "--store-values"),
            (self.store_times.is_some(), "--store-times"),
            (self.keep_rest, "--keep-rest"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, name)| name)
    }

    /// What they ask the writer for.
    pub(super) fn options(&self, bits: Option<u8>) -> Result<Options> {
        if bits.is_some_and(|bits| bits != 8 && bits != 16) {
            bail!("--bits is 8 or 16 with --storage quantization");
        }
        let layouts = LayoutOptions {
            bytes_only: bits == Some(8),
            rotation: self.store_rotation.map(|form| match form {
                Rotation::Vec4 => RotationForm::Vec4,
                Rotation::Vec3 => RotationForm::Vec3,
                Rotation::Vec2 => RotationForm::Vec2,
                Rotation::Scalar => RotationForm::Scalar,
            }),
            translation: self.store_translation.map(|form| match form {
                Translation::Vec3 => VectorForm::Vec3,
                Translation::Axes => VectorForm::Axes,
            }),
            scale: self.store_scale.map(|form| match form {
                Scale::Vec3 => VectorForm::Vec3,
                Scale::Axes => VectorForm::Axes,
                Scale::Scalar => VectorForm::Uniform,
            }),
        };
        Ok(Options {
            layouts,
            values: self.store_values.map(Encoding::from),
            times: self.store_times.map(Encoding::from),
            keep_rest: self.keep_rest,
        })
    }
}
