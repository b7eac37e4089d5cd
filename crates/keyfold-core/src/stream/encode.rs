//! Writing a stream.

use super::{
    decode::{END, VERSION},
    error::StreamError,
    head::{self, Clock, Coding, Head, Layout},
    number::Numbers,
    range_coder::{Coder, Encoder},
    series::{self, cheapest},
};
use alloc::vec::Vec;

/// An array to be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Which clock its keys are counted by.
    pub clock: usize,
    /// Stored components at each key: four of rotations.
    pub width: usize,
    /// What its codes stand for.
    pub coding: Coding,
    /// The codes of all keys: three at each key of rotations, else `width`.
    pub codes: Vec<i32>,
}

/// The stream that holds `arrays`, cut into as many segments as its clocks are.
pub fn encode(clocks: &[Clock], arrays: &[Array]) -> Result<Vec<u8>, StreamError> {
    let segments = clocks.first().map_or(1, |clock| clock.keys.len());
    let fits = |array: &Array| {
        let keys = clocks.get(array.clock).map(Clock::total);
        let coded = array.coding.codes(array.width);
        array.width > 0 && keys.and_then(|keys| keys.checked_mul(coded as u64)) == Some(array.codes.len() as u64)
    };
    if segments == 0 || clocks.iter().any(|clock| clock.keys.len() != segments) || !arrays.iter().all(fits) {
        return Err(StreamError::Unfit);
    }
    let head = Head { clocks: clocks.to_vec(), arrays: arrays.iter().map(layout).collect() };
    let mut rest: Vec<&[i32]> = arrays.iter().map(|array| array.codes.as_slice()).collect();
    let blocks = (0..segments).map(|segment| block(&head, arrays, &mut rest, segment));
    let blocks: Vec<Vec<u8>> = blocks.collect::<Result<_, _>>()?;
    let mut out = Vec::from([VERSION]);
    leb128(&mut out, segments);
    blocks.iter().for_each(|block| leb128(&mut out, block.len()));
    blocks.iter().for_each(|block| out.extend_from_slice(block));
    Ok(out)
}

fn layout(array: &Array) -> Layout {
    let (predictor, _) = cheapest(&array.codes, array.coding.codes(array.width));
    Layout { clock: array.clock as u32, width: array.width as u32, coding: array.coding, predictor }
}

/// A segment's block; `rest` is what is left of each array's codes.
fn block(head: &Head, arrays: &[Array], rest: &mut [&[i32]], segment: usize) -> Result<Vec<u8>, StreamError> {
    let mut encoder = Encoder::new();
    if segment == 0 {
        let segments = head.clocks.first().map_or(1, |clock| clock.keys.len());
        head::code(&mut encoder, head.clone(), segments, usize::MAX)?;
    }
    let mut numbers = Numbers::start();
    for ((array, layout), rest) in arrays.iter().zip(&head.arrays).zip(rest) {
        let coded = array.coding.codes(array.width);
        let (codes, behind) = rest.split_at(head.clocks[array.clock].keys[segment] as usize * coded);
        *rest = behind;
        series::code(&mut encoder, &mut numbers, layout.predictor, coded, &mut codes.to_vec());
    }
    encoder.raw(8, END);
    Ok(encoder.finish())
}

fn leb128(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
