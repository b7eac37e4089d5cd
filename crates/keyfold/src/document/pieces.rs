//! Bytes in pieces that documents share. Bytes that an edit does not change are the same memory in the document
//! before and after it, in the draft, and in what is reopened from that. So a file with much beside its animations is
//! in memory once, however many forms of it are tried.

use super::Bytes;
use std::ops::Range;

/// What is shorter goes into one piece with what is beside it. So pieces are few, and short files are in one.
const SHORT: usize = 1 << 16;

/// Bytes in consecutive pieces. Cloning copies no bytes.
#[derive(Clone, Debug, Default)]
pub struct Pieces(Vec<Bytes>);

impl Pieces {
    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.iter().map(<[u8]>::len).sum()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pieces.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|piece| &**piece)
    }

    /// A contiguous copy.
    pub fn to_vec(&self) -> Vec<u8> {
        self.iter().collect::<Vec<_>>().concat()
    }

    /// All bytes as one piece; copies if there are several.
    pub fn joined(&self) -> Bytes {
        match self.0.as_slice() {
            [piece] => piece.clone(),
            _ => self.to_vec().into(),
        }
    }

    /// A part of them; `None` if it reaches past their end.
    pub(crate) fn slice(&self, range: Range<usize>) -> Option<Self> {
        let (mut parts, mut at) = (Vec::new(), 0);
        for piece in &self.0 {
            let within = |place: usize| place.clamp(at, at + piece.len()) - at;
            parts.extend(piece.slice(within(range.start)..within(range.end)).filter(|part| !part.is_empty()));
            at += piece.len();
        }
        (range.start <= range.end && range.end <= at).then_some(Self(parts))
    }

    /// Whether they begin with others, byte by byte, whichever pieces those are in.
    pub(super) fn starts_with(&self, others: &Self) -> bool {
        let mut at = 0;
        others.iter().all(|mut other| {
            let part = self.slice(at..at + other.len());
            at += other.len();
            part.is_some_and(|part| {
                part.iter().all(|piece| other.split_off(..piece.len()).is_some_and(|o| is_same(piece, o)))
            })
        })
    }
}

/// Whether bytes are the same; those that are shared are.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    std::ptr::eq(one, other) || one == other
}

impl<T: Into<Bytes>> From<T> for Pieces {
    fn from(bytes: T) -> Self {
        Self(vec![bytes.into()])
    }
}

impl PartialEq for Pieces {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.starts_with(other)
    }
}

impl Eq for Pieces {}

impl IntoIterator for Pieces {
    type Item = Bytes;
    type IntoIter = std::vec::IntoIter<Bytes>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl FromIterator<Bytes> for Pieces {
    fn from_iter<I: IntoIterator<Item = Bytes>>(pieces: I) -> Self {
        let (mut list, mut short) = (Vec::new(), Vec::new());
        let finish = |short: &mut Vec<u8>, list: &mut Vec<Bytes>| {
            if !short.is_empty() {
                short.shrink_to_fit();
                list.push(Bytes::from(std::mem::take(short)));
            }
        };
        for piece in pieces {
            if piece.len() < SHORT {
                short.extend_from_slice(&piece);
            } else {
                finish(&mut short, &mut list);
                list.push(piece);
            }
        }
        finish(&mut short, &mut list);
        Self(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pieces of these lengths that count up together, none joined.
    fn counting(lengths: &[usize]) -> Pieces {
        let mut next = 0u8..;
        Pieces(lengths.iter().map(|length| next.by_ref().take(*length).collect::<Vec<u8>>().into()).collect())
    }

    #[test]
    fn whatever_pieces_bytes_are_in_they_are_the_same() {
        let whole = counting(&[9]);
        for lengths in [&[9][..], &[4, 5], &[1, 0, 7, 1], &[3, 3, 3], &[0, 9, 0]] {
            let pieces = counting(lengths);
            assert_eq!((&pieces, &whole), (&whole, &pieces), "{lengths:?}");
            for (start, end) in (0..=9).flat_map(|end| (0..=end).map(move |start| (start, end))) {
                let part = pieces.slice(start..end).unwrap();
                assert_eq!(part.joined()[..], whole.joined()[start..end], "{lengths:?}");
                assert_eq!((part.len(), part.is_empty()), (end - start, start == end));
                assert_eq!(pieces.starts_with(&part), start == 0 || start == end, "{lengths:?} {start}..{end}");
            }
        }
    }

    #[test]
    fn nothing_reaches_past_the_end() {
        let pieces = counting(&[2, 3]);
        assert!([4..6, 6..6, usize::MAX - 1..usize::MAX].into_iter().all(|range| pieces.slice(range).is_none()));
        #[expect(clippy::reversed_empty_ranges, reason = "a file may say so")]
        let reversed = pieces.slice(3..2);
        assert!(reversed.is_none() && !pieces.starts_with(&counting(&[2, 4])));
    }

    #[test]
    fn short_pieces_are_joined_and_long_ones_are_shared() {
        let long = Bytes::from(vec![7; SHORT]);
        let short = || Bytes::from(vec![1, 2]);
        let pieces: Pieces = [short(), short(), long.clone(), short(), Bytes::default()].into_iter().collect();
        assert_eq!(pieces.iter().map(<[u8]>::len).collect::<Vec<_>>(), [4, SHORT, 2]);
        assert_eq!(pieces.iter().nth(1).unwrap().as_ptr(), long.as_ptr());
    }
}
