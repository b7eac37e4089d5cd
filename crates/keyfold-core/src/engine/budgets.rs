//! Error budgets of tracks: by reach, corrected by measured errors.
//!
//! The aim is the fewest bits, sum log(1 / budget), with every probe's error within the bound. With errors
//! modelled as sums of squares of budget x reach, budget^2 = 1 / sum(price x reach^2) over the probes that a
//! track moves. Prices rise where a probe's measured error is over the bound and fall where it is under,
//! until the bound is just met.

use super::Reach;
use alloc::{vec, vec::Vec};

/// The least share of its price that a probe keeps in one round.
const LEAST: f64 = 0.1;
/// The targeted share of the bound: quantized clips differ a little between keys.
const AIM: f64 = 0.97;

/// The state of a search for budgets: the price of each probe's error, and the error of the model.
#[derive(Clone, Debug)]
pub struct Prices {
    prices: Vec<f64>,
    off: f64,
}

impl Prices {
    /// Equal prices for all probes.
    pub fn new(reach: &Reach) -> Self {
        Self { prices: vec![1.0; reach.probes()], off: 1.0 }
    }
}

/// Searches budgets within `bound` in at most `rounds` rounds and updates the prices. `errors` measures the
/// error of each probe with given budgets; `None` ends the search.
pub fn search(
    reach: &Reach,
    prices: &mut Prices,
    bound: f64,
    rounds: usize,
    mut errors: impl FnMut(&[f64]) -> Option<Vec<f64>>,
) -> Vec<f64> {
    let mut best: Option<((bool, f64), Vec<f64>)> = None;
    for _ in 0..rounds {
        // The model predicts the error of the budgets; the last measurement corrects the model.
        let model = reach.modelled(&prices.prices);
        let scale = if model > 0.0 { AIM * bound / (model * prices.off) } else { 0.0 };
        let budgets = reach.budgets(&prices.prices, scale);
        let Some(errors) = errors(&budgets) else { break };
        let error = errors.iter().copied().fold(0.0, f64::max);
        // Within the bound beats over it. Within, larger budgets win; over, smaller errors.
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
