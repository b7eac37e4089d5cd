//! Transforms: translation, rotation and scale as glTF nodes hold them, and the affine matrices they make, in `f64`.

use crate::quat::{self, Quat};
use crate::vector::{cross, dot, length, solve};

/// A node's local transform: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// The node's origin in its parent.
    pub translation: [f64; 3],
    /// A unit quaternion, XYZW.
    pub rotation: Quat,
    /// A factor per axis.
    pub scale: [f64; 3],
}

impl Transform {
    /// The identity, glTF's default.
    pub const IDENTITY: Self = Self { translation: [0.0; 3], rotation: quat::IDENTITY, scale: [1.0; 3] };
}

/// An affine matrix: the images of the three axes, and of the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// The images of the unit vectors along x, y and z: the columns of the linear part.
    pub axes: [[f64; 3]; 3],
    /// The image of the origin.
    pub origin: [f64; 3],
}

impl Affine {
    /// The identity.
    pub const IDENTITY: Self = Self { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], origin: [0.0; 3] };

    /// The matrix of a transform.
    #[inline]
    pub fn from_transform(t: &Transform) -> Self {
        let [x, y, z, w] = t.rotation;
        let (x2, y2, z2) = (x + x, y + y, z + z);
        let (xx, yy, zz) = (x * x2, y * y2, z * z2);
        let (xy, xz, yz) = (x * y2, x * z2, y * z2);
        let (wx, wy, wz) = (w * x2, w * y2, w * z2);
        let axes = [
            [1.0 - (yy + zz), xy + wz, xz - wy],
            [xy - wz, 1.0 - (xx + zz), yz + wx],
            [xz + wy, yz - wx, 1.0 - (xx + yy)],
        ];
        Self { axes: [0, 1, 2].map(|i| axes[i].map(|c| c * t.scale[i])), origin: t.translation }
    }

    /// The matrix of glTF's `node.matrix`, column by column; its last row is taken to be 0 0 0 1.
    pub fn from_columns(m: &[f64; 16]) -> Self {
        let column = |i: usize| [m[i * 4], m[i * 4 + 1], m[i * 4 + 2]];
        Self { axes: [column(0), column(1), column(2)], origin: column(3) }
    }

    /// The translation, rotation and scale of a matrix. Shear is lost. A mirror becomes a negative scale along x.
    pub fn to_transform(&self) -> Transform {
        let mut scale = self.axes.map(length);
        let [x, y, z] = self.axes;
        if dot(x, cross(y, z)) < 0.0 {
            scale[0] = -scale[0];
        }
        let unit = [0, 1, 2].map(|i| self.axes[i].map(|c| if scale[i] == 0.0 { 0.0 } else { c / scale[i] }));
        Transform { translation: self.origin, rotation: rotation_of(&unit), scale }
    }

    /// First `inner`, then `self`: the global matrix of a child is its parent's, then its own.
    #[inline]
    pub fn then_inner(&self, inner: &Self) -> Self {
        Self { axes: inner.axes.map(|v| self.direction(v)), origin: self.point(inner.origin) }
    }

    /// The inverse; `None` if the matrix is singular.
    pub fn inverse(&self) -> Option<Self> {
        let [x, y, z] = Self::IDENTITY.axes.map(|unit| solve(self.axes, unit));
        let inverse = Self { axes: [x?, y?, z?], origin: [0.0; 3] };
        Some(Self { origin: inverse.direction(self.origin).map(|c| -c), ..inverse })
    }

    /// Transforms a point.
    #[inline]
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let v = self.direction(p);
        [v[0] + self.origin[0], v[1] + self.origin[1], v[2] + self.origin[2]]
    }

    /// Transforms a direction, by the linear part only.
    #[inline]
    pub fn direction(&self, v: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = &self.axes;
        [0, 1, 2].map(|i| x[i] * v[0] + y[i] * v[1] + z[i] * v[2])
    }
}

/// The quaternion of a rotation matrix given by its columns: Shepperd's method, the largest component first.
fn rotation_of(m: &[[f64; 3]; 3]) -> Quat {
    let (xx, yy, zz) = (m[0][0], m[1][1], m[2][2]);
    let squares = [1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz, 1.0 + xx + yy + zz];
    let largest = (1..4).fold(0, |best, i| if squares[i] > squares[best] { i } else { best });
    let (sum, difference) = (|a: usize, b: usize| m[a][b] + m[b][a], |a: usize, b: usize| m[a][b] - m[b][a]);
    let q = match largest {
        0 => [squares[0], sum(0, 1), sum(0, 2), difference(1, 2)],
        1 => [sum(0, 1), squares[1], sum(1, 2), difference(2, 0)],
        2 => [sum(0, 2), sum(1, 2), squares[2], difference(0, 1)],
        _ => [difference(1, 2), difference(2, 0), difference(0, 1), squares[3]],
    };
    quat::normalize(q)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::distance;

    fn some() -> Transform {
        Transform {
            translation: [1.0, -2.0, 3.0],
            rotation: quat::normalize([0.1, -0.7, 0.3, 0.2]),
            scale: [2.0, 0.5, 3.0],
        }
    }

    #[test]
    fn a_matrix_does_what_its_transform_says() {
        let t = some();
        let (v, m) = ([0.3, 0.4, -5.0], Affine::from_transform(&t));
        let turned = quat::rotate(t.rotation, [0, 1, 2].map(|i| v[i] * t.scale[i]));
        assert!(distance(m.point(v), [0, 1, 2].map(|i| turned[i] + t.translation[i])) < 1e-12);
    }

    #[test]
    fn a_product_applies_the_inner_matrix_first() {
        let (a, b) = (Affine::from_transform(&some()), Affine { origin: [0.0, 7.0, 0.0], ..Affine::IDENTITY });
        let v = [0.1, 0.2, 0.3];
        assert!(distance(a.then_inner(&b).point(v), a.point(b.point(v))) < 1e-12);
    }

    #[test]
    fn a_matrix_comes_apart_into_its_transform() {
        for q in [[0.9, 0.1, 0.0, 0.1], [0.1, 0.9, 0.0, 0.1], [0.1, 0.0, 0.9, 0.1], [0.1, 0.2, 0.0, 0.9]] {
            let t = Transform { rotation: quat::normalize(q), scale: [-2.0, 0.5, 3.0], ..some() };
            let back = Affine::from_transform(&t).to_transform();
            assert!(quat::angle(back.rotation, t.rotation) < 1e-12);
            assert!(distance(back.scale, t.scale) < 1e-12);
        }
    }
}
