//! `convert --rotation`: the options, and what it has to say.

use clap::ValueEnum;
use keyfold::{
    Interpolation,
    rotation::{CoreSampler, RotationReport},
};

#[derive(clap::Args)]
pub(crate) struct RotationArgs {
    /// Interpolation of rotations: those in another one get new keys, within --max-error
    #[arg(long, value_name = "R")]
    rotation: Option<Rotation>,
    /// Name the sampler of CUBICSLERP channels in core's place as well, for readers that need one there
    #[arg(long, requires = "rotation", conflicts_with = "fallback")]
    core_sampler: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Rotation {
    /// LINEAR: shortest arcs
    Linear,
    /// CUBICSPLINE: core's Hermite splines
    Cubicspline,
    /// CUBICSLERP: spherical cubic interpolation (draft EXT_animation_sqlerp)
    Cubicslerp,
}

impl From<Rotation> for Interpolation {
    fn from(rotation: Rotation) -> Self {
        match rotation {
            Rotation::Linear => Self::Linear,
            Rotation::Cubicspline => Self::CubicSpline,
            Rotation::Cubicslerp => Self::CubicSlerp,
        }
    }
}

impl RotationArgs {
    /// Whether they ask for anything.
    pub(super) fn is_given(&self) -> bool {
        self.rotation.is_some()
    }

    /// What they ask for.
    pub(super) fn wanted(&self, fallback: bool) -> Option<(Interpolation, CoreSampler)> {
        let core = match (fallback, self.core_sampler) {
            (true, _) => CoreSampler::Linear,
            (false, true) => CoreSampler::Same,
            (false, false) => CoreSampler::None,
        };
        self.rotation.map(|rotation| (rotation.into(), core))
    }
}

/// What became of rotations.
pub(super) fn summary(report: &RotationReport) -> String {
    if report.tracks == 0 {
        return "no rotation had to change".into();
    }
    let RotationReport { tracks, keys, bytes, .. } = report;
    let plural = if *tracks == 1 { "" } else { "s" };
    let fallback = report.fallback.map_or(String::new(), |keys| format!(", {keys} of the fallback"));
    format!(
        "{tracks} rotation{plural}: {} -> {} keys{fallback}; {} -> {} bytes as floats",
        keys.before, keys.after, bytes.before, bytes.after
    )
}
