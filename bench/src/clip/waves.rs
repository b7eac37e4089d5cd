//! Clips of any size: bodies of chains of five joints that wave.

use std::f32::consts::TAU;
use std::fmt;

use anyhow::Result;
use keyfold_core::clip::build::{Limits, Options, Source, SourceTrack, build};
use keyfold_core::clip::{Encoding, NodeProperty, Target};
use keyfold_core::curve::{Curve, CurveError, Interpolation};
use keyfold_core::skeleton::{Rest, Skeleton, Transform};

/// A clip to be made.
#[derive(Clone, Copy)]
pub(super) struct Waves {
    pub(super) joints: usize,
    pub(super) keys: usize,
    /// Translations and scales move as well.
    pub(super) whole: bool,
}

impl fmt::Display for Waves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.joints, if self.whole { " whole" } else { "" })
    }
}

impl Waves {
    /// How many tracks move.
    pub(super) fn tracks(&self) -> usize {
        if self.whole { 3 * self.joints } else { self.joints }
    }

    /// The clip's bytes; `fixed` has 16 bits.
    pub(super) fn clip(&self, encoding: Encoding) -> Result<Vec<u8>> {
        let parent = |n: usize| if n.is_multiple_of(5) { (n > 0).then_some(0) } else { Some(n - 1) };
        let rest = Rest::Transform(Transform { translation: [0.0, 0.2, 0.0], ..Transform::IDENTITY });
        let skeleton = Skeleton::new((0..self.joints).map(parent).collect(), &vec![rest; self.joints])?;
        let properties: &[NodeProperty] = match self.whole {
            true => &[NodeProperty::Translation, NodeProperty::Rotation, NodeProperty::Scale],
            false => &[NodeProperty::Rotation],
        };
        let all = (0..self.joints).flat_map(|n| properties.iter().map(move |p| (n, *p)));
        let curves = all
            .map(|(n, p)| Ok((Target::Node(n as u32, p), self.curve(n, p)?)))
            .collect::<Result<Vec<_>, CurveError>>()?;
        let tracks: Vec<SourceTrack<'_>> = curves
            .iter()
            .map(|(target, curve)| SourceTrack { target: target.clone(), curve, rest: None, tolerance: 1e-3 })
            .collect();
        let source =
            Source { name: "", index: 0, skeleton: &skeleton, probe_radii: &vec![0.03; self.joints], tracks: &tracks };
        let bits = (encoding == Encoding::Fixed).then_some(16);
        Ok(build(
            &source,
            &Options { rate: Some(30.0), encoding, bits, max_error: 2e-4, limits: Limits::NONE },
            &|_| true,
        )?
        .bytes)
    }

    fn curve(&self, joint: usize, property: NodeProperty) -> Result<Curve, CurveError> {
        let wave = |k: usize| 0.25 * (k as f32 * TAU / (20.0 + joint as f32)).sin();
        let value = |k: usize| match property {
            NodeProperty::Rotation => vec![wave(k).sin() * 0.8, wave(k).sin() * 0.6, 0.0, wave(k).cos()],
            NodeProperty::Scale => [1.0, -0.5, 0.3].map(|part| 1.0 + 0.2 * part * wave(k)).to_vec(),
            _ => [0.1, -0.2, 0.05].map(|part| part * wave(k)).to_vec(),
        };
        let times: Vec<f32> = (0..self.keys).map(|k| k as f32 / 30.0).collect();
        Curve::new(Interpolation::Linear, value(0).len(), times, (0..self.keys).flat_map(value).collect::<Vec<_>>())
    }
}
