//! Grids in parameters, with codes that may be relative to neighbours: how runtime clips hold keys.
//!
//! Rotations have modified Rodrigues parameters within a frame. With [`Counting::Halfway`], keys are anchors
//! (0, 2, 4 ...) and middles, coded as differences from halfway between the adjacent anchors: small for
//! smooth motion.

use super::grid::{Code, round};
use crate::quat::{self, Quat};
use alloc::{vec, vec::Vec};

/// The values whose parameters are `origin + code x step`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// For rotations: the factors to the left and right of the one with the parameters; signs matter.
    pub frame: Option<[Quat; 2]>,
    /// The parameters of code 0.
    pub origin: [f64; 3],
    /// The step, by component.
    pub steps: [f64; 3],
    /// The least and the largest code.
    pub codes: (i32, i32),
    /// What codes are relative to.
    pub counting: Counting,
}

/// What codes are relative to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Counting {
    /// All codes are relative to the origin.
    Origin,
    /// Middles are relative to halfway between anchors. These are the parameters of an anchor after the last
    /// key, if there is one.
    Halfway(Option<[f64; 3]>),
}

impl Parameters {
    /// Whether a key is a middle, with anchors on both sides.
    pub fn is_middle(&self, key: usize, keys: usize) -> bool {
        match self.counting {
            Counting::Origin => false,
            Counting::Halfway(after) => !key.is_multiple_of(2) && (key + 1 < keys || after.is_some()),
        }
    }

    /// The grid of a key's code, given the codes of the anchors.
    pub(super) fn at(&self, codes: &[Code], key: usize) -> Self {
        if !self.is_middle(key, codes.len()) {
            return *self;
        }
        let before = self.parameters(codes[key - 1]);
        let after = match (self.counting, codes.get(key + 1)) {
            (_, Some(code)) => self.parameters(*code),
            (Counting::Halfway(Some(after)), None) => after,
            _ => before,
        };
        Self { origin: [0, 1, 2].map(|c| (before[c] + after[c]) / 2.0), ..*self }
    }

    /// Encodes keys, anchors first.
    pub fn encode_keys(&self, values: &[[f64; 4]]) -> Vec<Code> {
        let mut codes = vec![[0; 4]; values.len()];
        for middles in [false, true] {
            for key in (0..values.len()).filter(|key| self.is_middle(*key, values.len()) == middles) {
                codes[key] = self.at(&codes, key).encode(values[key]);
            }
        }
        codes
    }

    /// The distance of neighbouring values in the finest component. At the centre of its frame, a quaternion
    /// changes twice as fast as its parameters.
    pub(super) fn spacing(&self) -> f64 {
        let finest = self.steps.iter().copied().fold(f64::INFINITY, f64::min);
        if self.frame.is_some() { 2.0 * finest } else { finest }
    }

    /// The parameters of a value.
    pub fn parameters_of(&self, value: [f64; 4]) -> [f64; 3] {
        match self.frame {
            Some([left, right]) => {
                quat::project(quat::mul(quat::mul(quat::conjugate(left), value), quat::conjugate(right)))
            }
            None => [value[0], value[1], value[2]],
        }
    }

    pub(super) fn encode(&self, value: [f64; 4]) -> Code {
        let parameters = self.parameters_of(value);
        let code = |c: usize| round((parameters[c] - self.origin[c]) / self.steps[c]);
        let [x, y, z] = [0, 1, 2].map(|c| code(c).clamp(self.codes.0, self.codes.1));
        [x, y, z, 0]
    }

    pub(super) fn decode(&self, code: Code) -> [f32; 4] {
        let parameters = self.parameters(code);
        let value = match self.frame {
            Some([left, right]) => quat::mul(quat::mul(left, quat::unproject(parameters)), right),
            None => [parameters[0], parameters[1], parameters[2], 0.0],
        };
        value.map(|c| c as f32)
    }

    /// The parameters of a code.
    pub fn parameters(&self, code: Code) -> [f64; 3] {
        [0, 1, 2].map(|c| self.origin[c] + f64::from(code[c]) * self.steps[c])
    }
}
