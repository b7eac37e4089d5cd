//! An animation, encoded: attribute by attribute, and then put together as a stream.

use alloc::vec::Vec;

use super::animation::{Animation, Attribute};
use super::descriptor::{self, AttributeKind, Coder, Descriptor};
use super::error::{EncodeError, EncodeFault};
use super::header::Header;
use super::integer_encoder;
use super::quantizer::Quantizer;
use super::values::{DataType, Values};

/// How a whole animation is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Who chooses between the forms that the bitstream has for the same integers.
    pub choice: Choice,
    /// libdraco's speed, 0 to 10. It sets the precision of some tables; [`Choice::Smallest`] ignores it.
    pub speed: u8,
    /// Whether integers are entropy coded.
    pub entropy: bool,
}

impl Default for Options {
    /// As libdraco does without options: speed 5, entropy coding.
    fn default() -> Self {
        Options { choice: Choice::Reference, speed: 5, entropy: true }
    }
}

/// Who chooses between the forms that the bitstream has for the same integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// libdraco's rules: the same bytes as libdraco 1.5.5.
    Reference,
    /// Whatever turns out smallest: prediction or none, tagged or raw symbols, the precision of the table.
    /// Every decoder reads it to the same values.
    Smallest,
}

/// How one attribute is encoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Coding {
    /// What to do with floats; other types are never quantized.
    pub quantize: Quantize,
    /// Whether integers are predicted ([`Choice::Smallest`]: may be).
    pub predict: bool,
}

/// What to do with floats.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantize {
    /// Keep them exactly: four bytes each.
    Off,
    /// Lay the tightest grid of so many bits (1..=30) over them.
    Bits(u8),
    /// Use this grid.
    Grid(Quantizer),
}

impl Coding {
    /// Exact values. Integers are predicted.
    pub const LOSSLESS: Coding = Coding { quantize: Quantize::Off, predict: true };

    /// Floats in so many bits, predicted.
    pub const fn bits(bits: u8) -> Coding {
        Coding { quantize: Quantize::Bits(bits), predict: true }
    }
}

/// Encodes an animation; `coding` says how for each attribute.
///
/// ```
/// use keyfold_core::draco::{self, Animation, Attribute, Coding, Limits, Options};
/// let animation = Animation {
///     keys: 2,
///     attributes: vec![
///         Attribute::floats(0, 1, vec![0.0, 1.0]),
///         Attribute::floats(1, 3, vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0]),
///     ],
///     ..Animation::default()
/// };
/// let exact_times = |attribute: &Attribute| match attribute.unique_id {
///     draco::TIMESTAMPS => Coding::LOSSLESS,
///     _ => Coding::bits(16),
/// };
/// let stream = draco::encode(&animation, exact_times, &Options::default())?;
/// let decoded = draco::decode(&stream, &Limits::default()).unwrap();
/// assert_eq!(decoded.timestamps(), Some(&[0.0, 1.0][..]));
/// # Ok::<(), draco::EncodeError>(())
/// ```
pub fn encode(
    animation: &Animation,
    coding: impl Fn(&Attribute) -> Coding,
    options: &Options,
) -> Result<Vec<u8>, EncodeError> {
    let mut encoded = Vec::with_capacity(animation.attributes.len());
    for (index, attribute) in animation.attributes.iter().enumerate() {
        let attribute = EncodedAttribute::new(attribute, animation.keys, &coding(attribute), options);
        encoded.push(attribute.map_err(|fault| EncodeError { fault, attribute: Some(index) })?);
    }
    assemble(animation.keys, &encoded, &animation.metadata).map_err(|fault| EncodeError { fault, attribute: None })
}

/// Puts attributes, all of `keys` keyframes, together as a stream. `metadata` is a block as
/// [`Animation::metadata`] holds it, or empty.
pub fn assemble(keys: u32, attributes: &[EncodedAttribute], metadata: &[u8]) -> Result<Vec<u8>, EncodeFault> {
    let points = i32::try_from(keys).map_err(|_| EncodeFault::TooManyKeys)?;
    if attributes.is_empty() {
        return Err(EncodeFault::NoAttributes);
    }
    if attributes.iter().any(|attribute| attribute.keys != keys) {
        return Err(EncodeFault::Length);
    }
    let mut out = Vec::new();
    Header { has_metadata: !metadata.is_empty() }.write(&mut out);
    out.extend_from_slice(metadata);
    out.extend_from_slice(&points.to_le_bytes());
    out.push(1);
    descriptor::write_all(&mut out, attributes.iter().map(|attribute| attribute.descriptor));
    attributes.iter().for_each(|attribute| out.extend_from_slice(&attribute.values));
    attributes.iter().for_each(|attribute| out.extend_from_slice(&attribute.parameters));
    Ok(out)
}

/// One attribute in its encoded form, to be compared with another or put into a stream by [`assemble`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedAttribute {
    keys: u32,
    descriptor: Descriptor,
    values: Vec<u8>,
    parameters: Vec<u8>,
}

impl EncodedAttribute {
    /// Encodes an attribute of `keys` keyframes.
    pub fn new(
        attribute: &Attribute,
        keys: u32,
        coding: &Coding,
        options: &Options,
    ) -> Result<EncodedAttribute, EncodeFault> {
        check_shape(keys, attribute.components, attribute.values.len())?;
        let quantizer = match (&attribute.values, &coding.quantize) {
            (Values::F32(values), Quantize::Bits(bits)) if keys > 0 => {
                Some(Quantizer::fit(values, attribute.components.into(), *bits)?)
            }
            (Values::F32(_), Quantize::Bits(_)) => return Err(EncodeFault::NoKeys),
            (Values::F32(_), Quantize::Grid(quantizer)) => Some(quantizer.clone()),
            _ => None,
        };
        let descriptor = |coder| Descriptor {
            kind: attribute.kind,
            data_type: attribute.values.data_type(),
            components: attribute.components,
            normalized: attribute.normalized,
            unique_id: attribute.unique_id,
            coder,
        };
        if let (Values::F32(values), Some(quantizer)) = (&attribute.values, quantizer) {
            let indices = quantizer.quantize(values)?;
            let descriptor = descriptor(Coder::Quantized);
            return Self::from_integers(keys, descriptor, &indices, Some(&quantizer), coding.predict, options);
        }
        if let Some(integers) = attribute.values.to_integers() {
            return Self::from_integers(keys, descriptor(Coder::Integer), &integers, None, coding.predict, options);
        }
        let descriptor = descriptor(Coder::Raw);
        Ok(EncodedAttribute { keys, descriptor, values: attribute.values.to_bytes(), parameters: Vec::new() })
    }

    /// Encodes floats that are already on a grid, given by their indices, keyframe by keyframe.
    pub fn from_indices(
        unique_id: u32,
        quantizer: &Quantizer,
        indices: &[i32],
        options: &Options,
    ) -> Result<EncodedAttribute, EncodeFault> {
        let components = u8::try_from(quantizer.minimum.len()).map_err(|_| EncodeFault::Components)?;
        let keys = indices.len() / usize::from(components).max(1);
        let keys = u32::try_from(keys).map_err(|_| EncodeFault::TooManyKeys)?;
        check_shape(keys, components, indices.len())?;
        let (kind, data_type) = (AttributeKind::Generic, DataType::F32);
        let coder = Coder::Quantized;
        let descriptor = Descriptor { kind, data_type, components, normalized: false, unique_id, coder };
        Self::from_integers(keys, descriptor, indices, Some(quantizer), true, options)
    }

    fn from_integers(
        keys: u32,
        descriptor: Descriptor,
        integers: &[i32],
        quantizer: Option<&Quantizer>,
        predict: bool,
        options: &Options,
    ) -> Result<EncodedAttribute, EncodeFault> {
        if integers.is_empty() {
            return Err(EncodeFault::NoKeys);
        }
        let mut parameters = Vec::new();
        if let Some(quantizer) = quantizer {
            quantizer.check(descriptor.components.into())?;
            quantizer.write(&mut parameters);
        }
        let values = integer_encoder::encode(integers, descriptor.components.into(), predict, options)?;
        Ok(EncodedAttribute { keys, descriptor, values, parameters })
    }

    /// How many bytes this attribute adds to a stream, its descriptor included.
    pub fn size(&self) -> usize {
        let mut descriptor = Vec::new();
        descriptor::write_all(&mut descriptor, core::iter::once(self.descriptor));
        descriptor.len() - 1 + self.values.len() + self.parameters.len()
    }
}

fn check_shape(keys: u32, components: u8, values: usize) -> Result<(), EncodeFault> {
    if components == 0 {
        return Err(EncodeFault::Components);
    }
    if (keys as usize).checked_mul(components.into()) != Some(values) {
        return Err(EncodeFault::Length);
    }
    Ok(())
}
