//! Bytes that are nearly right: the hostile input of tests that must run without a fuzzer.

/// Makes mutations of good input, the same ones on every run.
pub struct Mutator {
    state: u64,
}

/// Bytes that lie at the ends of ranges.
const EDGES: [u8; 8] = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xc0, 0xfe, 0xff];

impl Mutator {
    /// A mutator; other seeds make other mutations.
    pub fn new(seed: u64) -> Mutator {
        Mutator { state: seed }
    }

    /// How many rounds a test should run: more with `cargo xtask test --full`.
    pub fn rounds(few: u32) -> u32 {
        if std::env::var_os("KEYFOLD_FULL").is_some() { few * 20 } else { few }
    }

    /// A number below `end`, by SplitMix64.
    pub fn below(&mut self, end: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end.max(1) as u64) as usize
    }

    /// `good` with one to four changes: bytes flipped, set, put in, taken out, copied or cut off.
    pub fn mutate(&mut self, good: &[u8]) -> Vec<u8> {
        let mut bytes = good.to_vec();
        for _ in 0..=self.below(4) {
            self.change(&mut bytes);
        }
        bytes
    }

    /// `good` with one to four digits of its text changed: the most sensitive part, still readable.
    pub fn change_digits(&mut self, good: &[u8]) -> Vec<u8> {
        let mut bytes = good.to_vec();
        let text = bytes.len().min(1 << 16);
        for _ in 0..=self.below(4) {
            let from = self.below(text);
            if let Some(digit) = bytes[from..text].iter_mut().find(|byte| byte.is_ascii_digit()) {
                *digit = b'0' + self.below(10) as u8;
            }
        }
        bytes
    }

    /// Feeds a job broken copies of good input, in turn.
    pub fn feed(seed: u64, rounds: u32, good: &[Vec<u8>], mut job: impl FnMut(&[u8])) {
        let mut mutator = Mutator::new(seed);
        for (_, good) in (0..Mutator::rounds(rounds)).zip(good.iter().cycle()) {
            job(&mutator.mutate(good));
        }
    }

    /// Feeds a job what is left of good input where its end is cut off: up to so many lengths of each.
    pub fn feed_beginnings(most: usize, good: &[Vec<u8>], mut job: impl FnMut(&[u8])) {
        for good in good {
            (0..good.len()).step_by(good.len().div_ceil(most).max(1)).for_each(|end| job(&good[..end]));
        }
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return bytes.push(self.below(256) as u8);
        }
        let at = self.below(bytes.len());
        match self.below(10) {
            0..=2 => bytes[at] ^= 1 << self.below(8),
            3..=4 => bytes[at] = EDGES[self.below(EDGES.len())],
            5..=6 => bytes[at] = self.below(256) as u8,
            7 => bytes.insert(at, self.below(256) as u8),
            8 => {
                let end = (at + 1 + self.below(8)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => bytes.truncate(at),
        }
    }
}
