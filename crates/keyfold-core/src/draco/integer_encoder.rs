//! The value block of the integer and the quantized coder, encoded: as libdraco would, or as small as can be.

use alloc::vec::Vec;

use super::encode::{Choice, Options};
use super::error::EncodeFault;
use super::integer_decoder::{DIFFERENCE, NO_PREDICTION, WRAP};
use super::prediction::{Wrap, zigzag};
use super::smallest;
use super::symbol_encoder::{Symbols, bit_length};

/// The value block of some integers, at least one, rows of `components`.
pub(super) fn encode(
    integers: &[i32],
    components: usize,
    predict: bool,
    options: &Options,
) -> Result<Vec<u8>, EncodeFault> {
    let wrap = if predict { Wrap::around(integers) } else { None };
    let wrap = wrap.filter(|wrap| wrap.is_exact_for(integers, components));
    match options.choice {
        Choice::Reference if predict && wrap.is_none() => Err(EncodeFault::Span),
        Choice::Reference => Ok(block(integers, components, wrap, |symbols, out| {
            if options.entropy {
                out.push(1);
                Symbols::new(symbols, components).write_as_reference(options.speed, out);
            } else {
                write_plain(symbols, out);
            }
        })),
        Choice::Smallest => {
            let smallest = |wrap| {
                block(integers, components, wrap, |symbols, out| {
                    smallest::write(symbols, components, options.entropy, out);
                })
            };
            let plain = smallest(None);
            let predicted = wrap.map(|_| smallest(wrap));
            Ok(predicted.filter(|predicted| predicted.len() <= plain.len()).unwrap_or(plain))
        }
    }
}

/// Prediction bytes, then what `write_symbols` appends, then the bounds.
fn block(
    integers: &[i32],
    components: usize,
    wrap: Option<Wrap>,
    write_symbols: impl FnOnce(&[u32], &mut Vec<u8>),
) -> Vec<u8> {
    let mut out = Vec::new();
    let Some(wrap) = wrap else {
        out.push(NO_PREDICTION as u8);
        let symbols: Vec<u32> = integers.iter().map(|&integer| zigzag(integer)).collect();
        write_symbols(&symbols, &mut out);
        return out;
    };
    out.extend_from_slice(&[DIFFERENCE as u8, WRAP as u8]);
    write_symbols(&wrap.apply(integers, components), &mut out);
    out.extend(wrap.bounds().iter().flat_map(|bound| bound.to_le_bytes()));
    out
}

/// Symbols without entropy coding, all in as many bytes as the largest needs.
pub(super) fn write_plain(symbols: &[u32], out: &mut Vec<u8>) {
    let all_bits = symbols.iter().fold(0, |bits, symbol| bits | symbol);
    let width = bit_length(all_bits).div_ceil(8) as usize;
    out.extend_from_slice(&[0, width as u8]);
    out.extend(symbols.iter().flat_map(|symbol| symbol.to_le_bytes().into_iter().take(width)));
}
