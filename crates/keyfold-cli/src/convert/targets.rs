//! `convert --targets`, `--weights`, `--static-first`: how channels say what they drive.

use clap::ValueEnum;
use keyfold::{RetargetOptions, Targets, Weights};

/// How channels say what they drive.
#[derive(clap::Args)]
pub(super) struct TargetArgs {
    /// How channels address their targets
    #[arg(long, value_name = "T")]
    targets: Option<Way>,
    /// Animate morph weights one by one (as pointers), or all weights of a node by one channel
    #[arg(long, value_name = "HOW")]
    weights: Option<Grouping>,
    /// Write the first key of every pointer as the property's static value, for loaders without pointers
    #[arg(long)]
    static_first: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Way {
    /// KHR_animation_pointer, the ratified extension
    Pointer,
    /// KHR_animation2, the draft before it
    Animation2,
    /// core's node and path; targets that core cannot express become KHR_animation_pointer, and the exit code is 1
    Core,
}

#[derive(Clone, Copy, ValueEnum)]
enum Grouping {
    /// /nodes/N/weights/I, one channel each
    Split,
    /// /nodes/N/weights
    Whole,
}

impl TargetArgs {
    /// What they ask for.
    pub(super) fn wanted(&self) -> RetargetOptions {
        RetargetOptions {
            targets: self.targets.map(|way| match way {
                Way::Pointer => Targets::Pointer,
                Way::Animation2 => Targets::Animation2,
                Way::Core => Targets::Core,
            }),
            weights: self.weights.map(|grouping| match grouping {
                Grouping::Split => Weights::Split,
                Grouping::Whole => Weights::Whole,
            }),
            first_as_static: self.static_first,
        }
    }
}
