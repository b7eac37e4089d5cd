//! meshoptimizer's codecs, as `meshopt-pure` has them, over plain bytes. `None` is what they refuse; without the feature `meshopt` that is
//! everything.

/// How elements are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Elements of any kind, one after the other.
    Attributes,
    /// Indices of triangles.
    Triangles,
    /// Indices in any order.
    Indices,
}

/// What is done to elements before they are compressed. The quaternion filter is in the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filter {
    Octahedral,
    Exponential,
    Color,
}

#[cfg(feature = "meshopt")]
mod built_in {
    use super::{Filter, Mode};
    use meshoptimizer as meshopt;

    /// How hard to compress: above the default, where the second version of the format gains.
    const LEVEL: i32 = 3;

    /// `count` elements of `stride` bytes.
    pub(crate) fn decode(mode: Mode, encoded: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; count.checked_mul(stride)?];
        match (mode, stride) {
            (Mode::Attributes, _) => {
                meshopt::decode_vertex_buffer(&mut bytes, count, stride, encoded, encoded.len()).ok()?;
            }
            (_, 2 | 4) => {
                let mut indices = vec![0u32; count];
                let decode = match mode {
                    Mode::Triangles => meshopt::decode_index_buffer::<u32>,
                    _ => meshopt::decode_index_sequence::<u32>,
                };
                decode(&mut indices, count, encoded, encoded.len()).ok()?;
                let elements = bytes.chunks_exact_mut(stride).zip(&indices);
                elements.for_each(|(element, index)| element.copy_from_slice(&index.to_le_bytes()[..stride]));
            }
            _ => return None,
        }
        Some(bytes)
    }

    /// Elements of `stride` bytes in a version of the format.
    pub(crate) fn encode(bytes: &[u8], stride: usize, version: i32) -> Option<Vec<u8>> {
        let count = bytes.len().checked_div(stride)?;
        let mut encoded = vec![0; meshopt::encode_vertex_buffer_bound(count, stride).ok()?];
        let room = encoded.len();
        let length =
            meshopt::encode_vertex_buffer_level(&mut encoded, room, bytes, count, stride, LEVEL, version).ok()?;
        encoded.truncate(length);
        Some(encoded)
    }

    /// Undoes a filter in place.
    pub(crate) fn unfilter(filter: Filter, bytes: &mut [u8], stride: usize) -> Option<()> {
        let count = bytes.len().checked_div(stride)?;
        let undo = match filter {
            Filter::Octahedral => meshopt::decode_filter_oct,
            Filter::Exponential => meshopt::decode_filter_exp,
            Filter::Color => meshopt::decode_filter_color,
        };
        undo(bytes, count, stride).ok()
    }
}

#[cfg(not(feature = "meshopt"))]
mod built_in {
    use super::{Filter, Mode};

    pub(crate) fn decode(_: Mode, _: &[u8], _: usize, _: usize) -> Option<Vec<u8>> {
        None
    }

    pub(crate) fn encode(_: &[u8], _: usize, _: i32) -> Option<Vec<u8>> {
        None
    }

    pub(crate) fn unfilter(_: Filter, _: &mut [u8], _: usize) -> Option<()> {
        None
    }
}

pub(crate) use built_in::{decode, encode, unfilter};
