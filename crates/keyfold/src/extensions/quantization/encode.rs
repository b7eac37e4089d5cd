//! From curves to stored numbers: a layout leaves out what can be rebuilt, a grid turns the rest into integers, a time scale turns
//! times into frame numbers. Nothing is chosen here, and nothing measured.

use super::{Encoding, Layout, Parameters, Path};
use crate::{
    Axis, Curve, Property,
    document::{Elements, Shape},
    write::Stored,
};
use keyfold_core::{
    quantize::{QuantizeError, Quantizer, Range},
    quat::{self, Quat},
};
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
        Layout::OneAxis(axis) => rotations(curve, layout).into_iter().map(|q| q[axis]).collect(),
        Layout::OneAxisAndW(axis) => rotations(curve, layout).into_iter().flat_map(|q| [q[axis], q[3]]).collect(),
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

/// Puts stored numbers on grids, one per component and no fewer; floats are stored as they are and need none.
///
/// Values that a grid does not reach take its nearer end.
///
/// ```
/// use keyfold::{Axis, Property, document::ComponentType};
/// use keyfold::quantization::{Encoding, Layout, Path, encode_values};
/// use keyfold_core::quantize::{Quantizer, Range};
/// let grid = Quantizer::unsigned(8, Range::new(-1.0, 1.0)?)?;
/// let path = Path::axis(Property::Translation, Axis::X);
/// let coded = encode_values(path, Layout::Whole, &[-1.0, 0.25, 1.0], Encoding::new(ComponentType::U8, true), &[grid])?;
/// assert_eq!(coded.output.bytes, [0, 159, 255]);
/// assert_eq!(coded.parameters.to_json().unwrap().to_string(), r#"{"offset":[-1],"scale":[2]}"#);
/// assert!((coded.decode()[1] - 0.25).abs() < 0.004);
/// # Ok::<(), keyfold_core::quantize::QuantizeError>(())
/// ```
pub fn encode_values(
    path: Path,
    layout: Layout,
    stored: &[f64],
    encoding: Encoding,
    grids: &[Quantizer],
) -> Result<Coded, QuantizeError> {
    let shape = shape(path, layout);
    if encoding == Encoding::FLOAT {
        let floats: Vec<f32> = stored.iter().map(|v| *v as f32).collect();
        return Ok(Coded { path, layout, output: Stored::floats(shape, &floats), parameters: Parameters::default() });
    }
    let (needed, given) = (shape.components(), grids.len());
    if needed != given {
        return Err(QuantizeError::Grids { needed, given });
    }
    let code = |(value, grid): (&f64, &Quantizer)| grid.encode(*value).map(i64::from);
    let codes: Vec<i64> = stored.iter().zip(grids.iter().cycle()).map(code).collect::<Result<_, _>>()?;
    let output = Stored::integers(encoding.component, shape, encoding.normalized, &codes);
    Ok(Coded { path, layout, output, parameters: parameters(encoding, grids) })
}

/// `offset` and `scale` of grids; none where they say nothing.
fn parameters(encoding: Encoding, grids: &[Quantizer]) -> Parameters {
    let given = |numbers: Vec<f64>, default: f64| numbers.iter().any(|n| *n != default).then_some(numbers);
    let scale = |grid: &Quantizer| if encoding.normalized { grid.extent() } else { grid.step() };
    Parameters {
        offset: given(grids.iter().map(|grid| grid.decode(0)).collect(), 0.0),
        scale: given(grids.iter().map(scale).collect(), 1.0),
        time_scale: None,
    }
}

/// The tightest grid of an encoding over each component of stored elements; none for floats. Signed codes span a range about zero, and their own
/// where that is wide enough.
pub fn grids(stored: &[f64], components: usize, encoding: Encoding) -> Result<Vec<Quantizer>, QuantizeError> {
    if encoding == Encoding::FLOAT {
        return Ok(Vec::new());
    }
    let bits = 8 * encoding.component.size() as u32;
    let own = |c: usize| Range::of(stored.iter().skip(c).step_by(components).map(|v| *v as f32));
    let ranges = (0..components).map(own).collect::<Result<Vec<_>, _>>()?;
    let largest = ranges.iter().map(|range| range.max().max(-range.min())).fold(0.0, f64::max);
    let grid = |range: &Range| match encoding.signed() {
        true if encoding.normalized && largest <= 1.0 => Quantizer::gltf_signed(bits),
        true => Quantizer::signed(bits, range.max().max(-range.min())),
        false => Quantizer::unsigned(bits, *range),
    };
    ranges.iter().map(grid).collect()
}

/// How many components a layout stores.
pub(crate) fn shape(path: Path, layout: Layout) -> Shape {
    match (layout, path.property, path.axis) {
        (Layout::Whole, Property::Rotation, _) => Shape::Vec4,
        (Layout::Whole, _, None) | (Layout::WithoutW, ..) => Shape::Vec3,
        (Layout::OneAxisAndW(_), ..) => Shape::Vec2,
        (Layout::Whole, _, Some(_)) | (Layout::Uniform | Layout::OneAxis(_), ..) => Shape::Scalar,
    }
}

/// The path that a layout of a property needs: `rotation.x` where only X is stored.
pub(crate) fn path_of(path: Path, layout: Layout) -> Path {
    match layout {
        Layout::OneAxis(axis) | Layout::OneAxisAndW(axis) => Path::axis(path.property, Axis::ALL[axis]),
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
