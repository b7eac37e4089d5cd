//! Attribute values in the eleven data types that the format knows, and their raw storage (coder 0).

use alloc::vec::Vec;

/// The type of an attribute's values, with its number in the bitstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it")]
pub enum DataType {
    I8 = 1,
    U8 = 2,
    I16 = 3,
    U16 = 4,
    I32 = 5,
    U32 = 6,
    I64 = 7,
    U64 = 8,
    F32 = 9,
    F64 = 10,
    Bool = 11,
}

impl DataType {
    /// The type with this number in the bitstream.
    pub fn from_number(number: u8) -> Option<DataType> {
        use DataType::*;
        [I8, U8, I16, U16, I32, U32, I64, U64, F32, F64, Bool].into_iter().find(|&data_type| data_type as u8 == number)
    }

    /// Bytes of one value.
    pub const fn size(self) -> usize {
        match self {
            DataType::I8 | DataType::U8 | DataType::Bool => 1,
            DataType::I16 | DataType::U16 => 2,
            DataType::I32 | DataType::U32 | DataType::F32 => 4,
            DataType::I64 | DataType::U64 | DataType::F64 => 8,
        }
    }

    /// Whether values of this type go through the integer coder: integers of up to 32 bits.
    pub(crate) const fn is_small_integer(self) -> bool {
        matches!(self, DataType::I8 | DataType::U8 | DataType::I16 | DataType::U16 | DataType::I32 | DataType::U32)
    }
}

/// The values of one attribute: keyframe 0 with all its components, then keyframe 1, and so on.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Values {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// One byte each, as stored: 0 is false.
    Bool(Vec<u8>),
}

/// Runs `$body` with `$v` bound to the vector of whichever type it is.
macro_rules! each_type {
    ($values:expr, $v:ident => $body:expr) => {
        match $values {
            Values::I8($v) => $body,
            Values::U8($v) => $body,
            Values::I16($v) => $body,
            Values::U16($v) => $body,
            Values::I32($v) => $body,
            Values::U32($v) => $body,
            Values::I64($v) => $body,
            Values::U64($v) => $body,
            Values::F32($v) => $body,
            Values::F64($v) => $body,
            Values::Bool($v) => $body,
        }
    };
}

impl Values {
    /// The type of the values.
    pub const fn data_type(&self) -> DataType {
        match self {
            Values::I8(_) => DataType::I8,
            Values::U8(_) => DataType::U8,
            Values::I16(_) => DataType::I16,
            Values::U16(_) => DataType::U16,
            Values::I32(_) => DataType::I32,
            Values::U32(_) => DataType::U32,
            Values::I64(_) => DataType::I64,
            Values::U64(_) => DataType::U64,
            Values::F32(_) => DataType::F32,
            Values::F64(_) => DataType::F64,
            Values::Bool(_) => DataType::Bool,
        }
    }

    /// The number of values: keyframes times components.
    pub fn len(&self) -> usize {
        each_type!(self, v => v.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values, if they are floats of 32 bits, which is all that animation tools write.
    pub fn as_f32(&self) -> Option<&[f32]> {
        match self {
            Values::F32(values) => Some(values),
            _ => None,
        }
    }

    /// Little-endian bytes, as the raw coder stores them.
    pub fn to_bytes(&self) -> Vec<u8> {
        each_type!(self, v => v.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    /// Every value as a float of 64 bits, the nearest where a wide integer has none of its own.
    #[allow(clippy::unnecessary_cast)] // One arm of eleven is of that type already.
    pub(crate) fn to_f64(&self) -> Vec<f64> {
        each_type!(self, v => v.iter().map(|&value| value as f64).collect())
    }

    /// Values from little-endian bytes; what is left over at the end is dropped.
    pub fn from_bytes(data_type: DataType, bytes: &[u8]) -> Values {
        macro_rules! typed {
            ($variant:ident, $type:ty) => {{
                let (chunks, _) = bytes.as_chunks();
                Values::$variant(chunks.iter().map(|&chunk| <$type>::from_le_bytes(chunk)).collect())
            }};
        }
        match data_type {
            DataType::I8 => typed!(I8, i8),
            DataType::U8 => typed!(U8, u8),
            DataType::I16 => typed!(I16, i16),
            DataType::U16 => typed!(U16, u16),
            DataType::I32 => typed!(I32, i32),
            DataType::U32 => typed!(U32, u32),
            DataType::I64 => typed!(I64, i64),
            DataType::U64 => typed!(U64, u64),
            DataType::F32 => typed!(F32, f32),
            DataType::F64 => typed!(F64, f64),
            DataType::Bool => typed!(Bool, u8),
        }
    }

    /// Integers of up to 32 bits as `i32` (an `u32` by its bits), the form that the integer coder works on.
    pub(super) fn to_integers(&self) -> Option<Vec<i32>> {
        Some(match self {
            Values::I8(v) => v.iter().map(|&x| x.into()).collect(),
            Values::U8(v) => v.iter().map(|&x| x.into()).collect(),
            Values::I16(v) => v.iter().map(|&x| x.into()).collect(),
            Values::U16(v) => v.iter().map(|&x| x.into()).collect(),
            Values::I32(v) => v.clone(),
            Values::U32(v) => v.iter().map(|&x| x as i32).collect(),
            _ => return None,
        })
    }

    /// The reverse of [`Self::to_integers`]; integers that do not fit the type are cut.
    pub(super) fn from_integers(data_type: DataType, integers: Vec<i32>) -> Values {
        match data_type {
            DataType::I8 => Values::I8(integers.iter().map(|&x| x as i8).collect()),
            DataType::U8 => Values::U8(integers.iter().map(|&x| x as u8).collect()),
            DataType::I16 => Values::I16(integers.iter().map(|&x| x as i16).collect()),
            DataType::U16 => Values::U16(integers.iter().map(|&x| x as u16).collect()),
            DataType::I32 => Values::I32(integers),
            DataType::U32 => Values::U32(integers.into_iter().map(|x| x as u32).collect()),
            _ => Values::I32(integers),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn bytes_round_trip_in_every_type() {
        let bytes: Vec<u8> = (0..48).map(|i| i * 5).collect();
        for number in 1..=11 {
            let data_type = DataType::from_number(number).unwrap();
            let values = Values::from_bytes(data_type, &bytes);
            assert_eq!(values.data_type(), data_type);
            assert_eq!(values.len() * data_type.size(), bytes.len());
            assert_eq!(values.to_bytes(), bytes);
        }
        assert_eq!((DataType::from_number(0), DataType::from_number(12)), (None, None));
    }

    #[test]
    fn integers_are_cut_to_their_type() {
        let wide = vec![-1, 256, 70_000];
        let cut = |data_type| Values::from_integers(data_type, wide.clone());
        assert_eq!(cut(DataType::U8), Values::U8(vec![255, 0, 112]));
        assert_eq!(cut(DataType::I16), Values::I16(vec![-1, 256, 4464]));
        assert_eq!(cut(DataType::U32), Values::U32(vec![u32::MAX, 256, 70_000]));
        assert_eq!(cut(DataType::U32).to_integers(), Some(wide.clone()));
        assert_eq!(Values::F32(vec![]).to_integers(), None);
    }
}
