//! From curves to stored numbers: a layout leaves out what can be rebuilt, a grid turns the rest into integers, a time scale turns
//! times into frame numbers. Nothing is chosen here, and nothing measured: see `choose`.

use super::{Encoding, Grid, Layout, Parameters, Path};
use crate::{
    Axis, Curve, Property,
    document::{Elements, Shape},
    write::Stored,
};
use keyfold_core::quat::{self, Quat};
use std::borrow::Cow;

/// A channel's values, ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Coded {
    /// The channel's path.
    pub path: Path,
    /// What the elements mean.
    pub layout: Layout,
    /// The elements.
    pub output: Stored,
    /// `offset` and `scale`.
    pub parameters: Parameters,
}

/// A channel's times, ready to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct CodedTimes {
    /// The elements.
    pub input: Stored,
    /// `timeScale`, where it is not 1.
    pub time_scale: Option<f64>,
}

/// The numbers that a layout stores of a curve, element by element. Rotations that are not splines become unit quaternions whose signs
/// follow one another, with W >= 0 where it will be rebuilt.
pub fn reduce(curve: &Curve, property: Property, layout: Layout) -> Vec<f64> {
    let values = || curve.values().iter().map(|v| f64::from(*v));
    match layout {
        Layout::Whole if property != Property::Rotation || curve.interpolation().elements_per_key() == 3 => {
            values().collect()
        }
        Layout::Uniform => values().step_by(3).collect(),
        Layout::Whole => rotations(curve, layout).into_iter().flatten().collect(),
        Layout::WithoutW => rotations(curve, layout).into_iter().flat_map(|[x, y, z, _]| [x, y, z]).collect(),
        Layout::OneAxis(axis) => rotations(curve, layout).into_iter().map(|q| q[axis as usize]).collect(),
        Layout::OneAxisAndW(axis) => {
            rotations(curve, layout).into_iter().flat_map(|q| [q[axis as usize], q[3]]).collect()
        }
    }
}

fn rotations(curve: &Curve, layout: Layout) -> Vec<Quat> {
    let mut last = quat::IDENTITY;
    let key = |v: &[f32]| quat::normalize([0, 1, 2, 3].map(|i| f64::from(v.get(i).copied().unwrap_or(0.0))));
    let turn = |q: Quat| {
        let away = if layout.lacks_w() { q[3] < 0.0 } else { quat::dot(last, q) < 0.0 };
        last = if away { quat::negate(q) } else { q };
        last
    };
    (0..curve.keys()).map(|k| key(curve.value(k))).map(turn).collect()
}

/// Puts stored numbers on grids, one per component; floats are stored as they are and need none.
///
/// Values that a grid does not reach take its nearer end.
///
/// ```
/// use keyfold::{Axis, Property, document::ComponentType};
/// use keyfold::quantization::{Encoding, Grid, Layout, Path, encode_values};
/// // Millimetres, from a metre below zero on.
/// let grid = Grid { offset: -1.0, step: 0.001 };
/// let path = Path::axis(Property::Translation, Axis::X);
/// let u16 = Encoding::new(ComponentType::U16, false);
/// let coded = encode_values(path, Layout::Whole, &[-1.0, 0.25, 0.5004], u16, &[grid]);
/// assert_eq!(coded.output.bytes, [0, 0, 226, 4, 220, 5]);
/// assert_eq!(coded.parameters.to_json().unwrap().to_string(), r#"{"offset":[-1],"scale":[0.001]}"#);
/// assert_eq!(coded.decode(), [-1.0, 0.25, 0.5]);
/// ```
pub fn encode_values(path: Path, layout: Layout, stored: &[f64], encoding: Encoding, grids: &[Grid]) -> Coded {
    let shape = shape(path, layout);
    if encoding == Encoding::FLOAT {
        let floats: Vec<f32> = stored.iter().map(|v| *v as f32).collect();
        return Coded { path, layout, output: Stored::floats(shape, &floats), parameters: Parameters::default() };
    }
    let natural = [Grid::natural(encoding)];
    let grids = if grids.is_empty() { &natural[..] } else { grids };
    let codes: Vec<i64> = stored.iter().zip(grids.iter().cycle()).map(|(v, grid)| grid.code(*v, encoding)).collect();
    let output = Stored::integers(encoding.component, shape, encoding.normalized, &codes);
    Coded { path, layout, output, parameters: parameters(encoding, grids) }
}

/// `offset` and `scale` of grids; none where they say nothing.
pub(super) fn parameters(encoding: Encoding, grids: &[Grid]) -> Parameters {
    let given = |numbers: Vec<f64>, default: f64| numbers.iter().any(|n| *n != default).then_some(numbers);
    Parameters {
        offset: given(grids.iter().map(|g| g.offset).collect(), 0.0),
        scale: given(grids.iter().map(|g| g.scale(encoding)).collect(), 1.0),
        time_scale: None,
    }
}

/// How many components a layout stores.
pub(super) fn shape(path: Path, layout: Layout) -> Shape {
    match (layout, path.property, path.axis) {
        (Layout::Whole, Property::Rotation, _) => Shape::Vec4,
        (Layout::Whole, _, None) | (Layout::WithoutW, ..) => Shape::Vec3,
        (Layout::OneAxisAndW(_), ..) => Shape::Vec2,
        (Layout::Whole, _, Some(_)) | (Layout::Uniform | Layout::OneAxis(_), ..) => Shape::Scalar,
    }
}

/// The path that a layout of a property needs: `rotation.x` where only X is stored.
pub(super) fn path_of(path: Path, layout: Layout) -> Path {
    match layout {
        Layout::OneAxis(axis) | Layout::OneAxisAndW(axis) => Path::axis(path.property, axis),
        _ => path,
    }
}

impl Coded {
    /// The values as a reader of the file will see them.
    pub fn decode(&self) -> Vec<f32> {
        self.parameters.values(&numbers(&self.output), self.output.shape, self.layout)
    }
}

impl CodedTimes {
    /// Times as they are.
    pub fn floats(times: &[f32]) -> Self {
        Self { input: Stored::times(times), time_scale: None }
    }

    /// Times as multiples of `step` seconds; `None` where two of them would fall on one code, or one is out of reach.
    pub fn steps(times: &[f32], encoding: Encoding, step: f64) -> Option<Self> {
        let largest = encoding.largest()?;
        let codes: Vec<i64> = times.iter().map(|t| libm::round(f64::from(*t) / step) as i64).collect();
        let fits = codes.iter().all(|c| (0..=largest).contains(c)) && codes.windows(2).all(|w| w[0] < w[1]);
        let input =
            Stored { bounds: true, ..Stored::integers(encoding.component, Shape::Scalar, encoding.normalized, &codes) };
        let scale = if encoding.normalized { step * largest as f64 } else { step };
        fits.then_some(Self { input, time_scale: Some(scale).filter(|s| *s != 1.0) })
    }

    /// The times as a reader of the file will see them.
    pub fn decode(&self) -> Vec<f32> {
        Parameters { time_scale: self.time_scale, ..Parameters::default() }.times(&numbers(&self.input))
    }

    /// Whether a reader that multiplies in floats has the same times as one that multiplies in doubles.
    pub fn is_plain(&self) -> bool {
        let scale = self.time_scale.unwrap_or(1.0) as f32;
        let floats = numbers(&self.input).into_iter().map(|t| t as f32 * scale);
        floats.eq(self.decode())
    }
}

fn numbers(stored: &Stored) -> Vec<f64> {
    let Stored { component, shape, normalized, bytes, .. } = stored;
    Elements { component: *component, shape: *shape, normalized: *normalized, bytes: Cow::Borrowed(bytes) }.to_numbers()
}

/// One component of a curve as a curve of its own.
pub fn component(curve: &Curve, axis: Axis) -> Curve {
    let values: Vec<f32> = curve.values().iter().skip(axis as usize).step_by(curve.width()).copied().collect();
    Curve::new(curve.interpolation(), 1, curve.shared_times().clone(), values).expect("a part of a curve is a curve")
}
