//! How often each symbol occurs, and what that says about the size of its code.

use alloc::vec::Vec;

/// The symbols that occur, ascending, each with its count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Histogram {
    pub(super) counts: Vec<(u32, u32)>,
    pub(super) total: u32,
}

impl Histogram {
    /// Counts symbols of which `largest` is the largest.
    pub(super) fn new(symbols: &[u32], largest: u32) -> Histogram {
        let total = symbols.len() as u32;
        // An array for all possible symbols pays when they are not much more than those that occur.
        let counts = if largest as usize / 4 < symbols.len().max(256) {
            count_in_array(symbols, largest)
        } else {
            count_sorted(symbols)
        };
        Histogram { counts, total }
    }

    /// From counts by symbol.
    pub(super) fn from_counts(counts: &[u32]) -> Histogram {
        Histogram { counts: occurring(counts), total: counts.iter().sum() }
    }

    /// How many different symbols occur.
    pub(super) fn distinct(&self) -> u32 {
        self.counts.len() as u32
    }

    /// The Shannon entropy of all symbols together, in bits: the sum that libdraco makes, in its order.
    pub(super) fn entropy(&self) -> f64 {
        let total = f64::from(self.total);
        let term = |&(_, count): &(u32, u32)| f64::from(count) * libm::log2(f64::from(count) / total);
        -self.counts.iter().map(term).fold(0.0, |sum, term| sum + term)
    }
}

fn occurring(counts: &[u32]) -> Vec<(u32, u32)> {
    counts.iter().zip(0..).filter(|&(&count, _)| count > 0).map(|(&count, symbol)| (symbol, count)).collect()
}

fn count_in_array(symbols: &[u32], largest: u32) -> Vec<(u32, u32)> {
    let mut counts = alloc::vec![0; largest as usize + 1];
    symbols.iter().for_each(|&symbol| counts[symbol as usize] += 1);
    occurring(&counts)
}

fn count_sorted(symbols: &[u32]) -> Vec<(u32, u32)> {
    let mut sorted = symbols.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_counting_agree() {
        let symbols: Vec<u32> = (0..500u32).map(|i| i * i % 97).collect();
        let largest = 96;
        assert_eq!(count_in_array(&symbols, largest), count_sorted(&symbols));
        let sparse = [7, 1 << 30, 7];
        assert_eq!(Histogram::new(&sparse, 1 << 30).counts, [(7, 2), (1 << 30, 1)]);
    }

    #[test]
    fn entropy_of_equal_counts_is_their_logarithm() {
        let histogram = Histogram::from_counts(&[2, 0, 2, 2, 2]);
        assert_eq!((histogram.distinct(), histogram.entropy()), (4, 16.0));
        assert_eq!(Histogram::from_counts(&[9]).entropy(), 0.0);
    }
}
