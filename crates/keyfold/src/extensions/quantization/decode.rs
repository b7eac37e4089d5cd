//! From stored numbers to times and values: normalize, multiply by `scale`, add `offset`, rebuild the components that
//! the layout leaves out. All of it is in `f64` and rounded once at the end.

use super::{Layout, NAME};
use crate::{
    Error, Result,
    document::{Object, Shape},
};
use serde_json::{Map, Value, json};

/// A channel's parameters. Two channels with different ones may share a sampler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Added to each component of each stored element, after scaling.
    pub offset: Option<Vec<f64>>,
    /// Multiplies each component of each stored element.
    pub scale: Option<Vec<f64>>,
    /// Multiplies stored times.
    pub time_scale: Option<f64>,
}

impl Parameters {
    /// The parameters of a channel whose output has this shape.
    pub(crate) fn of_channel(channel: &Object<'_>, shape: Shape) -> Result<Self> {
        let Some(object) = channel.extension(NAME)? else { return Ok(Self::default()) };
        let [offset, scale] = ["offset", "scale"].map(|key| numbers(&object, key, shape));
        Ok(Self { time_scale: time_scale(&object)?, offset: offset?, scale: scale? })
    }

    /// The extension's object; `None` if all parameters have their defaults.
    pub fn to_json(&self) -> Option<Value> {
        let mut object = Map::new();
        for (key, numbers, default) in [("offset", &self.offset, 0.0), ("scale", &self.scale, 1.0)] {
            if let Some(numbers) = numbers.as_ref().filter(|n| n.iter().any(|v| *v != default)) {
                object.insert(key.into(), numbers.iter().copied().map(number).collect());
            }
        }
        if let Some(scale) = self.time_scale.filter(|s| *s != 1.0) {
            object.insert("timeScale".into(), number(scale));
        }
        (!object.is_empty()).then_some(Value::Object(object))
    }

    /// Seconds from stored times.
    pub fn times(&self, stored: &[f64]) -> Vec<f32> {
        let scale = self.time_scale.unwrap_or(1.0);
        stored.iter().map(|t| (t * scale) as f32).collect()
    }

    /// Values from stored elements of a layout.
    pub fn values(&self, stored: &[f64], shape: Shape, layout: Layout) -> Vec<f32> {
        let at = |numbers: &Option<Vec<f64>>, i: usize, default: f64| {
            numbers.as_ref().and_then(|n| n.get(i)).copied().unwrap_or(default)
        };
        let mut values = Vec::with_capacity(stored.len());
        for element in stored.chunks_exact(shape.components()) {
            let scaled = |(i, v): (usize, &f64)| v * at(&self.scale, i, 1.0) + at(&self.offset, i, 0.0);
            let mut scaled = element.iter().enumerate().map(scaled);
            if layout == Layout::Whole {
                values.extend(scaled.map(|v| v as f32));
            } else {
                let stored = [(); 4].map(|()| scaled.next().unwrap_or_default());
                let width = if layout == Layout::Uniform { 3 } else { 4 };
                values.extend(layout.rebuilt(stored)[..width].iter().map(|v| *v as f32));
            }
        }
        values
    }
}

/// An array of the extension's object with one number for each component.
pub(super) fn numbers(object: &Object<'_>, key: &str, shape: Shape) -> Result<Option<Vec<f64>>> {
    let numbers = object.numbers(key)?;
    if numbers.as_ref().is_none_or(|numbers| numbers.len() == shape.components()) {
        return Ok(numbers);
    }
    let what = format!("{} elements need {} numbers", shape.name(), shape.components());
    Err(Error::malformed(object.place(key), what))
}

/// The time scale of the extension's object.
pub(super) fn time_scale(object: &Object<'_>) -> Result<Option<f64>> {
    let scale = object.number("timeScale")?;
    let is_sound = scale.is_none_or(|scale| scale > 0.0 && scale.is_finite());
    if is_sound { Ok(scale) } else { Err(Error::malformed(object.place("timeScale"), "should be greater than zero")) }
}

/// A number as JSON. Whole numbers have no fraction: `1`, not `1.0`.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}
