//! What a stream holds: `docs/stream.md`, section 2. Clocks (how many keys there are in each segment) and arrays
//! (what stands at each key).

use super::{
    error::StreamError,
    number::Numbers,
    range_coder::Coder,
    rotation::{COARSEST_STEP, RotationGrid},
    series::PREDICTORS,
};
use alloc::vec::Vec;

/// Keys that arrays share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// How many keys there are in each segment.
    pub keys: Vec<u32>,
}

impl Clock {
    /// All keys.
    pub fn total(&self) -> u64 {
        self.keys.iter().map(|k| u64::from(*k)).sum()
    }
}

/// What an array's codes stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Coding {
    /// Three codes for a quaternion of four floats.
    Rotations(RotationGrid),
    /// Floats: code x multiplier / divisor x 2^exponent.
    Steps {
        /// What a code is multiplied by.
        multiplier: u32,
        /// What it is divided by; not 0.
        divisor: u32,
        /// The power of two.
        exponent: i32,
    },
    /// Floats of any value: codes count the floats from zero on.
    Floats,
    /// The lowest bytes of codes: 1, 2 or 4 of them.
    Integers {
        /// How many bytes.
        bytes: u8,
    },
}

impl Coding {
    /// Codes for each key of `width` stored components.
    pub(super) fn codes(&self, width: usize) -> usize {
        if matches!(self, Self::Rotations(_)) { 3 } else { width }
    }

    /// Bytes of a stored component.
    pub(super) fn component_bytes(&self) -> usize {
        if let Self::Integers { bytes } = self { usize::from(*bytes) } else { 4 }
    }
}

/// An array as the head describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Which clock its keys are counted by.
    pub clock: u32,
    /// Stored components at each key.
    pub width: u32,
    /// What its codes stand for.
    pub coding: Coding,
    /// Which predictor its codes take.
    pub predictor: u8,
}

/// The largest exponent of a power of two, either way.
pub(super) const LARGEST_EXPONENT: i32 = 150;

/// Kinds of numbers in a head.
mod field {
    pub(super) const CLOCKS: usize = 0;
    pub(super) const KEYS: usize = 1;
    pub(super) const ARRAYS: usize = 2;
    pub(super) const CODING: usize = 3;
    pub(super) const WIDTH: usize = 4;
    pub(super) const CLOCK: usize = 5;
    pub(super) const PREDICTOR: usize = 6;
    pub(super) const LEFT: usize = 7;
    pub(super) const RIGHT: usize = 8;
    pub(super) const STEP: usize = 9;
    pub(super) const OTHER_STEPS: usize = 10;
    pub(super) const MULTIPLIER: usize = 11;
    pub(super) const DIVISOR: usize = 12;
    pub(super) const EXPONENT: usize = 13;

    /// By kind, how probable it is in 256ths that a number is longer than 0, 1, 2, ... bits: learned from many files.
    pub(super) const START: [[u8; 9]; 14] = [
        [247, 237, 59, 37, 128, 128, 128, 128, 128],
        [214, 126, 248, 248, 201, 196, 181, 199, 85],
        [247, 247, 247, 247, 247, 76, 142, 85, 85],
        [56, 19, 15, 128, 128, 128, 128, 128, 128],
        [248, 181, 35, 12, 128, 128, 128, 128, 128],
        [40, 8, 43, 128, 128, 128, 128, 128, 128],
        [230, 190, 170, 120, 8, 128, 128, 128, 128],
        [162, 175, 71, 25, 9, 128, 128, 128, 128],
        [170, 158, 71, 8, 128, 128, 128, 128, 128],
        [243, 237, 210, 173, 114, 20, 18, 128, 128],
        [8, 128, 128, 128, 128, 128, 128, 128, 128],
        [248, 139, 233, 189, 106, 248, 248, 248, 248],
        [248, 36, 247, 247, 247, 115, 238, 18, 128],
        [219, 228, 221, 204, 141, 9, 85, 128, 128],
    ];
}

/// What the head of a stream says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) clocks: Vec<Clock>,
    pub(super) arrays: Vec<Layout>,
}

/// What fields are told by the difference from.
struct Before {
    clock: i32,
    step: i32,
    exponent: i32,
}

/// A head that is coded: what is there is written, what is not is read.
struct Fields<'a, C> {
    coder: &'a mut C,
    numbers: Numbers,
    before: Before,
}

/// Writes a head, or reads one into `head`, which has to be empty then. `most` is how many clocks and arrays may be
/// read at most.
pub(super) fn code<C: Coder>(coder: &mut C, head: Head, segments: usize, most: usize) -> Result<Head, StreamError> {
    let mut fields =
        Fields { coder, numbers: Numbers::new(&field::START), before: Before { clock: 0, step: 100, exponent: -16 } };
    let Head { clocks, arrays } = head;
    let clocks =
        fields.list(field::CLOCKS, clocks, most / segments.max(1), |fields, clock| fields.clock(clock, segments))?;
    let count = clocks.len();
    let arrays = fields.list(field::ARRAYS, arrays, most, |fields, array| fields.layout(array, count))?;
    Ok(Head { clocks, arrays })
}

impl<C: Coder> Fields<'_, C> {
    fn unsigned(&mut self, field: usize, value: u32) -> u32 {
        self.numbers.unsigned(self.coder, field, value)
    }

    fn signed(&mut self, field: usize, value: i32) -> i32 {
        self.numbers.signed(self.coder, field, value, 0)
    }

    /// A field that is told by how it differs from another number.
    fn differing(&mut self, field: usize, value: i32, from: i32) -> i32 {
        from.wrapping_add(self.signed(field, value.wrapping_sub(from)))
    }

    fn list<T>(
        &mut self,
        field: usize,
        list: Vec<T>,
        most: usize,
        mut code: impl FnMut(&mut Self, Option<T>) -> Result<T, StreamError>,
    ) -> Result<Vec<T>, StreamError> {
        let count = self.unsigned(field, list.len() as u32) as usize;
        if count > most {
            return Err(StreamError::Limit);
        }
        let mut given = list.into_iter();
        (0..count).map(|_| code(self, given.next())).collect()
    }

    fn clock(&mut self, clock: Option<Clock>, segments: usize) -> Result<Clock, StreamError> {
        let given = clock.unwrap_or_default().keys;
        let mut last = 0;
        let keys = (0..segments).map(|segment| {
            let keys = given.get(segment).copied().unwrap_or(0);
            last = self.differing(field::KEYS, keys as i32, last);
            last as u32
        });
        Ok(Clock { keys: keys.collect() })
    }

    fn layout(&mut self, array: Option<Layout>, clocks: usize) -> Result<Layout, StreamError> {
        let empty = Layout { clock: 0, width: 0, coding: Coding::Floats, predictor: 0 };
        let given = array.unwrap_or(empty);
        let coding = self.coding(given.coding)?;
        let width = if let Coding::Rotations(_) = coding { 4 } else { self.unsigned(field::WIDTH, given.width) };
        self.before.clock = self.differing(field::CLOCK, given.clock as i32, self.before.clock);
        let predictor = self.unsigned(field::PREDICTOR, given.predictor.into());
        let clock = self.before.clock as u32;
        if width == 0 || clock as usize >= clocks || predictor as usize >= PREDICTORS.len() {
            return Err(StreamError::Head);
        }
        Ok(Layout { clock, width, coding, predictor: predictor as u8 })
    }

    fn coding(&mut self, coding: Coding) -> Result<Coding, StreamError> {
        let number = match coding {
            Coding::Rotations(_) => 0,
            Coding::Steps { .. } => 1,
            Coding::Floats => 2,
            Coding::Integers { bytes } => 3 + bytes.ilog2(),
        };
        match (self.unsigned(field::CODING, number), coding) {
            (0, coding) => self.rotations(if let Coding::Rotations(grid) = coding { Some(grid) } else { None }),
            (1, Coding::Steps { multiplier, divisor, exponent }) => self.steps(multiplier, divisor, exponent),
            (1, _) => self.steps(0, 0, 0),
            (2, _) => Ok(Coding::Floats),
            (number @ 3..=5, _) => Ok(Coding::Integers { bytes: 1 << (number - 3) }),
            _ => Err(StreamError::Head),
        }
    }

    fn rotations(&mut self, grid: Option<RotationGrid>) -> Result<Coding, StreamError> {
        let given = grid.unwrap_or(RotationGrid { left: [0; 3], right: [0; 3], steps: [0; 3] });
        let left = given.left.map(|c| self.signed(field::LEFT, c.into()));
        let right = given.right.map(|c| self.signed(field::RIGHT, c.into()));
        let [x, y, z] = given.steps.map(i32::from);
        let first = self.differing(field::STEP, x, self.before.step);
        self.before.step = first;
        let steps = [first, self.differing(field::OTHER_STEPS, y, first), self.differing(field::OTHER_STEPS, z, first)];
        let fits = |c: &i32| i8::try_from(*c).is_ok();
        let legal = left.iter().chain(&right).all(fits) && steps.iter().all(|s| (0..=COARSEST_STEP.into()).contains(s));
        if !legal {
            return Err(StreamError::Head);
        }
        Ok(Coding::Rotations(RotationGrid {
            left: left.map(|c| c as i8),
            right: right.map(|c| c as i8),
            steps: steps.map(|s| s as u8),
        }))
    }

    fn steps(&mut self, multiplier: u32, divisor: u32, exponent: i32) -> Result<Coding, StreamError> {
        let multiplier = self.unsigned(field::MULTIPLIER, multiplier);
        let divisor = self.unsigned(field::DIVISOR, divisor);
        let exponent = self.differing(field::EXPONENT, exponent, self.before.exponent);
        self.before.exponent = exponent;
        let legal = divisor > 0 && exponent.unsigned_abs() <= LARGEST_EXPONENT as u32;
        if legal { Ok(Coding::Steps { multiplier, divisor, exponent }) } else { Err(StreamError::Head) }
    }
}
