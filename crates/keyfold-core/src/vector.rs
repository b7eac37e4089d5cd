//! Vectors of three numbers.

/// A vector, or a point.
pub type Vector = [f64; 3];

/// A matrix by its columns, or a symmetric one.
pub type Matrix = [Vector; 3];

/// The unit vectors of the axes.
pub const AXES: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The dot product.
#[inline]
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The cross product.
#[inline]
pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The length of a vector.
#[inline]
pub fn length(v: Vector) -> f64 {
    libm::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
}

/// The distance between two points.
#[inline]
pub fn distance(a: Vector, b: Vector) -> f64 {
    length([0, 1, 2].map(|i| a[i] - b[i]))
}

/// The value of a quadratic form.
pub fn form(m: &Matrix, v: &Vector) -> f64 {
    dot(*v, m.map(|row| dot(row, *v)))
}

/// Solves `m x = b` for a matrix given by its columns, by Cramer's rule; `None` if there is no unique solution.
pub(crate) fn solve(m: Matrix, b: Vector) -> Option<Vector> {
    let determinant = dot(m[0], cross(m[1], m[2]));
    let x = [dot(b, cross(m[1], m[2])), dot(m[0], cross(b, m[2])), dot(m[0], cross(m[1], b))];
    (determinant != 0.0 && determinant.is_finite()).then(|| x.map(|c| c / determinant))
}

/// The eigenvectors of a symmetric matrix, that of the largest eigenvalue first, by Jacobi rotations.
pub(crate) fn eigenvectors(mut m: [Vector; 3]) -> [Vector; 3] {
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = libm::copysign(1.0, theta) / (libm::fabs(theta) + libm::sqrt(theta * theta + 1.0));
            let c = 1.0 / libm::sqrt(t * t + 1.0);
            let s = t * c;
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = (c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]);
                (vectors[p][k], vectors[q][k]) =
                    (c * vectors[p][k] - s * vectors[q][k], s * vectors[p][k] + c * vectors[q][k]);
            }
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| m[*b][*b].total_cmp(&m[*a][*a]));
    order.map(|i| vectors[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solution_is_one() {
        let m = [[4.0, 1.0, -2.0], [1.0, 3.0, 0.5], [-2.0, 0.5, 5.0]];
        let x = solve(m, [1.0, 2.0, 3.0]).unwrap();
        assert!(distance(m.map(|row| dot(row, x)), [1.0, 2.0, 3.0]) < 1e-12);
        assert_eq!(solve([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0; 3]], [1.0, 0.0, 0.0]), None);
        assert_eq!(solve([[f64::NAN; 3]; 3], [1.0; 3]), None);
    }

    #[test]
    fn a_vector_product_is_normal_to_both() {
        let (a, b) = ([1.0, 2.0, 3.0], [-2.0, 0.5, 4.0]);
        let c = cross(a, b);
        assert_eq!((dot(a, c), dot(b, c)), (0.0, 0.0));
        assert_eq!(cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), [0.0, 0.0, 1.0]);
    }
}
