//! From counts to the probabilities of a rANS table, by libdraco's rule.
//!
//! Counts are scaled to 2^precision and rounded, none below 1. What is missing then goes to the most
//! probable symbol; what is too much is taken from the probable ones in proportion.

use alloc::vec::Vec;

use super::histogram::Histogram;
use super::table::{Entry, Table};

/// The table for a histogram. `None` if it has more symbols than 2^precision.
pub(super) fn table(histogram: &Histogram, precision: u32) -> Option<Table> {
    let slots = 1 << precision;
    let mut probabilities = scaled(histogram, slots);
    let sum: u32 = probabilities.iter().sum();
    if sum < slots {
        // The last of the largest, as a stable sort would put it.
        *probabilities.iter_mut().max()? += slots - sum;
    } else if sum > slots {
        take_back(&mut probabilities, histogram.counts.last()?.0 + 1, slots)?;
    }
    let mut start = 0;
    let entry = |(&(symbol, _), probability): (&(u32, u32), u32)| {
        start += probability;
        Entry { symbol, probability, start: start - probability }
    };
    Some(Table { precision, entries: histogram.counts.iter().zip(probabilities).map(entry).collect() })
}

fn scaled(histogram: &Histogram, slots: u32) -> Vec<u32> {
    let (total, slots) = (f64::from(histogram.total), f64::from(slots));
    let scale = |&(_, count): &(u32, u32)| (f64::from(count) / total * slots + 0.5) as u32;
    histogram.counts.iter().map(scale).map(|probability| probability.max(1)).collect()
}

/// Lowers probabilities until they sum to `slots`, in passes from the largest to the smallest.
/// `alphabet` is the number of symbols, those of probability zero included.
fn take_back(probabilities: &mut [u32], alphabet: u32, slots: u32) -> Option<()> {
    let mut order: Vec<usize> = (0..probabilities.len()).filter(|&i| probabilities[i] > 1).collect();
    order.sort_by_key(|&i| probabilities[i]);
    // A pass never reaches the very first of the order, if that is not one of probability 0 or 1 anyway.
    let spared = usize::from(order.len() == alphabet as usize);
    let mut sum: u32 = probabilities.iter().sum();
    while sum > slots {
        let ratio = f64::from(slots) / f64::from(sum);
        let before = sum;
        for &i in order[spared..].iter().rev() {
            let probability = probabilities[i];
            if probability <= 1 || sum == slots {
                break;
            }
            let less = probability - (ratio * f64::from(probability)) as u32;
            let less = less.max(1).min(probability - 1).min(sum - slots);
            probabilities[i] -= less;
            sum -= less;
        }
        if sum == before {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probabilities(counts: &[u32], precision: u32) -> Option<Vec<u32>> {
        let table = table(&Histogram::from_counts(counts), precision)?;
        Some(table.entries.iter().map(|entry| entry.probability).collect())
    }

    #[test]
    fn a_single_symbol_is_certain() {
        assert_eq!(probabilities(&[0, 7], 12), Some(alloc::vec![4096]));
    }

    #[test]
    fn the_last_of_the_largest_gets_what_is_missing() {
        assert_eq!(probabilities(&[1, 1, 1], 12), Some(alloc::vec![1365, 1365, 1366]));
    }

    #[test]
    fn many_rare_symbols_are_paid_by_the_frequent_ones() {
        let mut counts = alloc::vec![1; 3000];
        counts[17] = 1_000_000;
        counts[18] = 500_000;
        let probabilities = probabilities(&counts, 12).unwrap();
        assert_eq!(probabilities.iter().sum::<u32>(), 4096);
        assert!(probabilities.iter().all(|&probability| probability > 0));
        assert!(probabilities[17] > probabilities[18]);
    }

    #[test]
    fn more_symbols_than_slots_have_no_table() {
        assert_eq!(probabilities(&alloc::vec![1; 4097], 12), None);
        assert!(probabilities(&alloc::vec![1; 4096], 12).is_some());
    }
}
