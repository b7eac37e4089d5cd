//! How far each track may stray: budgets by reach, corrected by where the error really is.
//!
//! To spend the fewest bits, sum log(1 / budget), while every probe's error, modelled as a sum of squares of budget x reach, stays
//! within the bound, a track's budget is budget^2 = 1 / sum(price x reach^2) over the probes that hang on it. Prices are raised
//! where a probe's measured error is over the bound and lowered where it is under, until the bound is just met.

use super::Reach;
use alloc::{vec, vec::Vec};

/// A probe without any error still keeps this much of its price in one round.
const LEAST: f64 = 0.1;
/// The error that the search aims at, as a share of the bound: quantized clips differ a little between keys.
const AIM: f64 = 0.97;

/// Where a search for budgets stands: what each probe's error costs, and how far the model is off.
#[derive(Clone, Debug)]
pub struct Prices {
    prices: Vec<f64>,
    off: f64,
}

impl Prices {
    /// All probes alike.
    pub fn new(reach: &Reach) -> Self {
        Self { prices: vec![1.0; reach.probes()], off: 1.0 }
    }
}

/// Searches budgets within `bound` in so many rounds, from prices that it leaves as it found them best. `errors` measures what budgets lead to, probe by
/// probe; nothing where that is enough.
pub fn search(
    reach: &Reach,
    prices: &mut Prices,
    bound: f64,
    rounds: usize,
    mut errors: impl FnMut(&[f64]) -> Option<Vec<f64>>,
) -> Vec<f64> {
    let mut best: Option<((bool, f64), Vec<f64>)> = None;
    for _ in 0..rounds {
        // The model says what the budgets should lead to, the last measurement how far it is off.
        let model = reach.modelled(&prices.prices);
        let scale = if model > 0.0 { AIM * bound / (model * prices.off) } else { 0.0 };
        let budgets = reach.budgets(&prices.prices, scale);
        let Some(errors) = errors(&budgets) else { break };
        let error = errors.iter().copied().fold(0.0, f64::max);
        // Within the bound beats over it; within, larger budgets are better; over, smaller errors.
        let within = error <= bound;
        let rank = (!within, if within { bits(&budgets) } else { error });
        if best.as_ref().is_none_or(|(least, _)| rank < *least) {
            best = Some((rank, budgets));
        }
        if !(error > 0.0 && model > 0.0) {
            break;
        }
        prices.off = (error / (model * scale)).clamp(prices.off / 4.0, prices.off * 4.0);
        for (price, probe) in prices.prices.iter_mut().zip(&errors) {
            *price = (*price * libm::sqrt((probe / error).max(LEAST))).max(1e-9);
        }
    }
    best.map_or_else(|| vec![0.0; reach.tracks()], |(_, budgets)| budgets)
}

fn bits(budgets: &[f64]) -> f64 {
    budgets.iter().filter(|b| **b > 0.0).map(|b| -libm::log(*b)).sum()
}
