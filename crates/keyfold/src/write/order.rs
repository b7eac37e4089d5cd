//! In which order accessors stand: alike ones beside each other, so that a general compressor (gzip on the wire,
//! Brotli in a bundle), which learns how often each byte occurs from what it saw last, seldom has to learn anew.
//!
//! Times come first, as they come: they repeat each other. Values follow by kind, and among a kind as a chain in
//! which each one is the most like the one before it.

use super::Stored;
use crate::document::{ComponentType, Shape};

/// How many accessors are compared with each other at most.
const NEIGHBOURS: usize = 256;
/// What a byte that does not occur counts as: another may have it once.
const UNSEEN: f64 = 0.05;
/// How many sums are kept beside each other.
const LANES: usize = 8;

/// The places of contents in the order in which they should stand.
pub(crate) fn alike(contents: &[&Stored]) -> Vec<usize> {
    let entropies: Vec<f64> = contents.iter().map(|content| Bytes::of(content).entropy()).collect();
    let mut order: Vec<usize> = (0..contents.len()).collect();
    order.sort_by(|a, b| {
        let kinds = kind(contents[*a]).cmp(&kind(contents[*b]));
        kinds.then(entropies[*a].total_cmp(&entropies[*b])).then(a.cmp(b))
    });
    for one_kind in order.chunk_by_mut(|a, b| kind(contents[*a]) == kind(contents[*b])) {
        if contents[one_kind[0]].bounds {
            one_kind.sort_unstable();
        } else {
            one_kind.chunks_mut(NEIGHBOURS).for_each(|near| chain(near, contents));
        }
    }
    order
}

/// What contents have in common that stand together, times before values.
pub(super) type Kind = (bool, ComponentType, Shape, bool);

pub(super) fn kind(content: &Stored) -> Kind {
    (!content.bounds, content.component, content.shape, content.normalized)
}

/// Puts behind each one the one that is most like it. Their bytes are counted again, because the counts of all
/// contents would take more memory than the contents.
fn chain(near: &mut [usize], contents: &[&Stored]) {
    let bytes: Vec<Bytes> = near.iter().map(|index| Bytes::of(contents[*index])).collect();
    let mut order: Vec<usize> = (0..near.len()).collect();
    for place in 1..order.len() {
        let last = &bytes[order[place - 1]];
        let (mut best, mut least) = (place, f64::INFINITY);
        for (other, index) in order.iter().enumerate().skip(place) {
            let much = last.unlike(&bytes[*index]);
            if much < least {
                (best, least) = (other, much);
            }
        }
        order[place..=best].rotate_right(1);
    }
    let before = near.to_vec();
    near.iter_mut().zip(order).for_each(|(index, place)| *index = before[place]);
}

/// How many accessors are connected with each other at most.
const CONNECTED: usize = 2048;

/// The order in which contents of `stride` bytes an element should stand where a codec stores the differences of
/// bytes: behind each one the one whose first element is nearest to its last, and which changes about as much from
/// element to element. Both count in bits.
pub(super) fn connected(contents: &[&[u8]], stride: usize) -> Vec<usize> {
    let pace: Vec<f64> = contents.iter().map(|bytes| pace(bytes, stride)).collect();
    let mut order: Vec<usize> = (0..contents.len()).collect();
    order.sort_by(|a, b| pace[*a].total_cmp(&pace[*b]));
    for near in order.chunks_mut(CONNECTED) {
        for place in 1..near.len() {
            let before = near[place - 1];
            let bytes = contents[before];
            let last = &bytes[bytes.len().saturating_sub(stride)..];
            let gap = |other: usize| {
                let first = &contents[other][..stride.min(contents[other].len())];
                f64::from(bits_between(last, first)) + (pace[other] - pace[before]).abs()
            };
            let next = (place..near.len()).min_by(|a, b| gap(near[*a]).total_cmp(&gap(near[*b])));
            near.swap(place, next.unwrap_or(place));
        }
    }
    order
}

/// How many bits change on average from an element to the next.
fn pace(bytes: &[u8], stride: usize) -> f64 {
    let after = bytes.get(stride..).unwrap_or_default();
    let steps = (after.len() / stride).max(1);
    f64::from(bits_between(&bytes[..after.len()], after)) / steps as f64
}

/// The bits that differences of bytes take, to either side.
fn bits_between(a: &[u8], b: &[u8]) -> u32 {
    let bits = |(a, b): (&u8, &u8)| {
        let difference = b.wrapping_sub(*a) as i8;
        8 - (difference << 1 ^ difference >> 7).leading_zeros()
    };
    a.iter().zip(b).map(bits).sum()
}

/// How often each byte occurs in a content.
struct Bytes {
    shares: [f64; 256],
    /// The logarithms of the shares: what a byte costs.
    costs: [f64; 256],
}

impl Bytes {
    fn of(content: &Stored) -> Self {
        let mut counts = [0u32; 256];
        content.bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        let sum = content.bytes.len() as f64 + 256.0 * UNSEEN;
        let shares = counts.map(|count| (f64::from(count) + UNSEEN) / sum);
        // Most bytes do not occur, and logarithms take long.
        let unseen = -libm::log2(UNSEEN / sum);
        let mut costs = [unseen; 256];
        for (cost, (share, count)) in costs.iter_mut().zip(shares.iter().zip(counts)) {
            if count > 0 {
                *cost = -libm::log2(*share);
            }
        }
        Self { shares, costs }
    }

    fn entropy(&self) -> f64 {
        self.shares.iter().zip(&self.costs).map(|(share, cost)| share * cost).sum()
    }

    /// What it costs more to write each of two with what was learned from the other. Summed up in lanes, which
    /// processors do at once.
    fn unlike(&self, other: &Self) -> f64 {
        let mut sums = [0.0; LANES];
        for i in (0..256).step_by(LANES) {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let i = i + lane;
                *sum += (self.shares[i] - other.shares[i]) * (other.costs[i] - self.costs[i]);
            }
        }
        sums.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_connected_where_little_changes() {
        let [still, near, far] = [[7, 7, 7], [7, 8, 9], [90, 91, 92]].map(|bytes: [u8; 3]| bytes);
        assert_eq!(connected(&[&far, &near, &still], 1), [2, 1, 0]);
        assert_eq!([bits_between(&[0, 0], &[0, 255]), bits_between(&[5], &[6]), bits_between(&[0], &[128])], [1, 2, 8]);
        assert_eq!(pace(&[1, 1, 2, 1], 2), 2.0);
    }

    fn bytes(values: &[i64]) -> Stored {
        Stored::integers(ComponentType::U8, Shape::Vec3, true, values)
    }

    #[test]
    fn times_stay_as_they_come_and_values_stand_beside_their_like() {
        let times = [Stored::times(&[0.0, 2.0]), Stored::times(&[0.0, 1.0])];
        let few = [bytes(&[1, 2, 1, 2, 1, 2]), bytes(&[1, 2, 2, 2, 1, 2])];
        let many = [bytes(&[10, 20, 30, 40, 50, 60]), bytes(&[10, 20, 30, 40, 50, 61])];
        let contents = [&few[0], &times[0], &many[0], &few[1], &many[1], &times[1]];
        let order = alike(&contents);
        assert_eq!(order[..2], [1, 5]);
        let mut pairs = [[order[2], order[3]], [order[4], order[5]]];
        pairs.iter_mut().for_each(|pair| pair.sort_unstable());
        assert_eq!(pairs, [[0, 3], [2, 4]]);
    }
}
