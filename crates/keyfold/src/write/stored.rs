//! Contents of accessors: bytes ready to be placed, compared by content so that equal ones are written once.

use crate::document::{ComponentType, Shape};
use keyfold_core::stream::RotationGrid;
use serde_json::{Map, Value, json};

/// An accessor's content before it has a place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stored {
    /// The type of its components.
    pub component: ComponentType,
    /// The shape of an element.
    pub shape: Shape,
    /// Whether integers are normalized.
    pub normalized: bool,
    /// Whether the accessor has `min` and `max`, which times require.
    pub bounds: bool,
    /// The filter that a reader applies to the bytes.
    pub filter: Filter,
    /// The elements, little endian, tightly packed.
    pub bytes: Vec<u8>,
    /// The grid of rotations, if a search chose one: a stream stores codes on it.
    pub grid: Option<RotationGrid>,
}

/// The filter that a reader applies to the bytes of a compressed buffer view. Elements keep their size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Filter {
    /// Nothing.
    #[default]
    None,
    /// meshopt's QUATERNION filter.
    Quaternion,
    /// meshopt's EXPONENTIAL filter.
    Exponential,
}

impl Filter {
    /// Its name in meshopt's extensions.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Quaternion => "QUATERNION",
            Self::Exponential => "EXPONENTIAL",
        }
    }
}

impl Stored {
    /// Floats as they are.
    pub fn floats(shape: Shape, values: &[f32]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        Self {
            component: ComponentType::F32,
            shape,
            normalized: false,
            bounds: false,
            filter: Filter::None,
            bytes,
            grid: None,
        }
    }

    /// Times in seconds as they are.
    pub fn times(times: &[f32]) -> Self {
        Self { bounds: true, ..Self::floats(Shape::Scalar, times) }
    }

    /// Integers of a type; those outside of its range wrap.
    pub fn integers(component: ComponentType, shape: Shape, normalized: bool, values: &[i64]) -> Self {
        let bytes = values.iter().flat_map(|v| v.to_le_bytes().into_iter().take(component.size())).collect();
        Self { component, shape, normalized, bounds: false, filter: Filter::None, bytes, grid: None }
    }

    /// Bytes of one element.
    pub fn element_size(&self) -> usize {
        self.shape.components() * self.component.size()
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.bytes.len() / self.element_size()
    }

    /// The accessor object with the place of its elements, a buffer view and an offset. Members that most accessors
    /// have in common come first, those that distinguish them last, which takes least after gzip.
    pub fn accessor(&self, place: Option<(usize, usize)>) -> Map<String, Value> {
        let mut object = Map::from_iter([("componentType".to_owned(), json!(self.component.code()))]);
        if self.normalized {
            object.insert("normalized".into(), json!(true));
        }
        object.insert("type".into(), json!(self.shape.name()));
        object.extend(place.map(|(view, _)| ("bufferView".into(), json!(view))));
        object.insert("count".into(), json!(self.count()));
        let offset = place.map_or(0, |(_, offset)| offset);
        if offset > 0 {
            object.insert("byteOffset".into(), json!(offset));
        }
        if self.bounds {
            object.insert("max".into(), self.extremes(f64::max));
            object.insert("min".into(), self.extremes(f64::min));
        }
        object
    }

    /// The least or largest value of each component, as stored (normalized or not).
    fn extremes(&self, pick: fn(f64, f64) -> f64) -> Value {
        let components = self.shape.components();
        let mut values = vec![f64::NAN; components];
        for (i, bytes) in self.bytes.chunks_exact(self.component.size()).enumerate() {
            let value = self.component.decode(bytes, false);
            values[i % components] = pick(values[i % components], value);
        }
        Value::Array(values.into_iter().map(|v| number(v, self.component)).collect())
    }
}

fn number(value: f64, component: ComponentType) -> Value {
    if component == ComponentType::F32 { short(value as f32) } else { json!(value as i64) }
}

/// The shortest JSON number that rounds to a float: `0.1`, not `0.10000000149011612`.
pub fn short(value: f32) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        return json!(value as i64);
    }
    value.to_string().parse::<f64>().map_or(Value::Null, |v| json!(v))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_round_to_the_stored_floats_and_are_short() {
        let stored = Stored::times(&[0.1, 1.0 / 3.0, 2.0]);
        let object = stored.accessor(None);
        assert_eq!(object["min"].to_string(), "[0.1]");
        assert_eq!(object["max"].to_string(), "[2]");
        for v in [0.1f32, 1.0 / 3.0, f32::MIN_POSITIVE, 1e-45, 3.4e38, 16_777_217.0] {
            assert_eq!(short(v).as_f64().unwrap() as f32, v);
        }
    }

    #[test]
    fn integers_keep_their_low_bytes_and_raw_bounds() {
        let stored =
            Stored { bounds: true, ..Stored::integers(ComponentType::I16, Shape::Scalar, true, &[-32767, 5, 300]) };
        assert_eq!(stored.count(), 3);
        assert_eq!(stored.accessor(None)["min"].to_string(), "[-32767]");
        assert_eq!(stored.accessor(None)["max"].to_string(), "[300]");
    }
}
