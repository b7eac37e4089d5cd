//! What can be wrong with a Draco stream, or with an animation that should become one.
//!
//! Both errors are small and `Copy`: they name the element of the bitstream (or the attribute) and
//! leave the wording to [`core::fmt::Display`].

use core::fmt;

/// Why a stream was refused: what was wrong, with which element, at which byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The kind of fault.
    pub fault: Fault,
    /// The element of the bitstream that could not be read.
    pub element: Element,
    /// The offset in the stream where that element, or the unreadable part of it, begins.
    pub at: usize,
}

/// The kind of fault of a [`DecodeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The stream ends before the element does.
    Truncated,
    /// The element has a value that the format does not allow.
    Invalid,
    /// The element is legal Draco, but nothing that an animation uses.
    Unsupported,
    /// The element asks for more than [`Limits`](super::Limits) grant.
    Limit,
}

/// The elements of the bitstream, in the order in which a stream has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of the bitstream description")]
pub enum Element {
    Magic,
    Version,
    GeometryType,
    Method,
    Flags,
    Metadata,
    PointCount,
    DecoderCount,
    AttributeCount,
    AttributeType,
    DataType,
    ComponentCount,
    Normalized,
    UniqueId,
    Coder,
    RawValues,
    Prediction,
    Transform,
    CompressedFlag,
    PlainWidth,
    PlainValues,
    SymbolScheme,
    RawBitLength,
    ProbabilityTable,
    RansSize,
    RansState,
    Tag,
    Bounds,
    QuantizationMinimum,
    QuantizationRange,
    QuantizationBits,
}

impl Element {
    const fn name(self) -> &'static str {
        match self {
            Element::Magic => "magic",
            Element::Version => "version",
            Element::GeometryType => "geometry type",
            Element::Method => "encoding method",
            Element::Flags => "flags",
            Element::Metadata => "metadata",
            Element::PointCount => "number of keyframes",
            Element::DecoderCount => "number of decoders",
            Element::AttributeCount => "number of attributes",
            Element::AttributeType => "attribute type",
            Element::DataType => "data type",
            Element::ComponentCount => "number of components",
            Element::Normalized => "normalized flag",
            Element::UniqueId => "unique id",
            Element::Coder => "attribute coder",
            Element::RawValues => "raw values",
            Element::Prediction => "prediction method",
            Element::Transform => "prediction transform",
            Element::CompressedFlag => "compressed flag",
            Element::PlainWidth => "width of plain integers",
            Element::PlainValues => "plain integers",
            Element::SymbolScheme => "symbol scheme",
            Element::RawBitLength => "bit length of raw symbols",
            Element::ProbabilityTable => "probability table",
            Element::RansSize => "size of the rANS block",
            Element::RansState => "final state of the rANS block",
            Element::Tag => "bit length tag",
            Element::Bounds => "bounds of the wrap transform",
            Element::QuantizationMinimum => "quantization minimum",
            Element::QuantizationRange => "quantization range",
            Element::QuantizationBits => "quantization bits",
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            Fault::Truncated => "ends early",
            Fault::Invalid => "is not valid",
            Fault::Unsupported => "is not supported",
            Fault::Limit => "asks for more than the limits grant",
        };
        let element = self.element.name();
        write!(f, "Draco stream: {element} {what} (at byte {})", self.at)
    }
}

impl core::error::Error for DecodeError {}

/// Why an animation cannot be encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncodeError {
    /// What is wrong.
    pub fault: EncodeFault,
    /// The position of the attribute in the animation (not its id), if it is about one.
    pub attribute: Option<usize>,
}

/// What [`EncodeError`] can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EncodeFault {
    /// There is no attribute at all: a stream must have one.
    NoAttributes,
    /// More keyframes than the signed 32-bit count of a stream can say.
    TooManyKeys,
    /// The component count is zero.
    Components,
    /// The number of values is not keyframes times components.
    Length,
    /// No keyframes: only raw values can say that.
    NoKeys,
    /// The quantization bits are not in 1..=30.
    Bits,
    /// A value to be quantized is NaN or infinite.
    NotFinite,
    /// The values span more than a float can say, or lie so far outside of the grid that an index leaves 32 bits,
    /// or so close together that the number of steps over their range does.
    Range,
    /// The integers span 2^31 - 1 or more, or reach so near to the ends of 32 bits that prediction cannot be undone.
    Span,
}

impl fmt::Display for EncodeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EncodeFault::NoAttributes => "no attributes",
            EncodeFault::TooManyKeys => "more keyframes than 2^31 - 1",
            EncodeFault::Components => "no components",
            EncodeFault::Length => "values are not keyframes x components",
            EncodeFault::NoKeys => "no keyframes to quantize or to predict",
            EncodeFault::Bits => "quantization bits are not 1 to 30",
            EncodeFault::NotFinite => "a value to quantize is not finite",
            EncodeFault::Range => "the quantization range does not fit the values",
            EncodeFault::Span => "integers span 2^31 - 1 or more",
        })
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.attribute {
            Some(attribute) => write!(f, "Draco attribute {attribute}: {}", self.fault),
            None => write!(f, "Draco animation: {}", self.fault),
        }
    }
}

impl core::error::Error for EncodeFault {}
impl core::error::Error for EncodeError {}
