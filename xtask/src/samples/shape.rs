//! Solid shapes as loose triangles, and their way into a glTF primitive.
//!
//! Everything is lofted: rings of points, one after the other, skinned with triangles. A ring that has shrunk to a point
//! closes an end. Normals are found last: faces that meet at less than the crease angle share one.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use glam::{DVec2, DVec3};
use serde_json::{Value, json};

use super::gltf::{Gltf, Usage};

/// Faces that turn less than this (a cosine: 53 degrees) against each other are shaded as one surface.
const CREASE: f64 = 0.6;

/// Triangles whose corners carry an attribute `A` besides their position.
#[derive(Clone)]
pub(crate) struct Shape<A> {
    triangles: Vec<[(DVec3, A); 3]>,
}

/// Vertices as a primitive stores them.
pub(crate) struct Vertices<A> {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    pub(crate) attributes: Vec<A>,
    pub(crate) indices: Vec<u16>,
}

impl<A: Copy + PartialEq> Shape<A> {
    pub(crate) fn empty() -> Self {
        Shape { triangles: Vec::new() }
    }

    /// A skin over closed rings of equally many points, each ring counter-clockwise seen from the last one.
    pub(crate) fn loft(rings: &[Vec<DVec3>], attribute: impl Fn(DVec3) -> A) -> Self {
        let mut shape = Shape::empty();
        for pair in rings.windows(2) {
            let count = pair[0].len();
            for i in 0..count {
                let j = (i + 1) % count;
                let [a, b, c, d] = [pair[0][i], pair[0][j], pair[1][j], pair[1][i]];
                shape.triangle([a, b, c], &attribute);
                shape.triangle([a, c, d], &attribute);
            }
        }
        shape
    }

    fn triangle(&mut self, corners: [DVec3; 3], attribute: &impl Fn(DVec3) -> A) {
        if face(corners).length() > 1e-12 {
            self.triangles.push(corners.map(|position| (position, attribute(position))));
        }
    }

    pub(crate) fn add(&mut self, other: Shape<A>) {
        self.triangles.extend(other.triangles);
    }

    /// The shape with every position moved. No mirror images: they would be inside out.
    pub(crate) fn map(mut self, change: impl Fn(DVec3) -> DVec3) -> Self {
        for (position, _) in self.triangles.as_flattened_mut() {
            *position = change(*position);
        }
        self
    }

    /// Finds normals and merges corners that are equal in everything.
    pub(crate) fn vertices(&self) -> Vertices<A> {
        let mut faces: BTreeMap<[u64; 3], Vec<DVec3>> = BTreeMap::new();
        for triangle in &self.triangles {
            let normal = face(triangle.map(|corner| corner.0));
            for (position, _) in triangle {
                faces.entry(bits(*position)).or_default().push(normal);
            }
        }
        let mut known: BTreeMap<[u64; 3], Vec<u16>> = BTreeMap::new();
        let mut out = Vertices { positions: vec![], normals: vec![], attributes: vec![], indices: vec![] };
        for triangle in &self.triangles {
            let own = face(triangle.map(|corner| corner.0));
            for &(position, attribute) in triangle {
                let normal = smooth(own, &faces[&bits(position)]);
                let twins = known.entry(bits(position)).or_default();
                let index = out.find_or_add(twins, position, normal, attribute);
                out.indices.push(index);
            }
        }
        out
    }
}

impl<A: Copy + PartialEq> Vertices<A> {
    fn find_or_add(&mut self, twins: &mut Vec<u16>, position: DVec3, normal: DVec3, attribute: A) -> u16 {
        let is_same = |&&i: &&u16| {
            let i = usize::from(i);
            self.attributes[i] == attribute && (self.normals[i] - normal).length() < 1e-9
        };
        if let Some(&twin) = twins.iter().find(is_same) {
            return twin;
        }
        let index = u16::try_from(self.positions.len()).expect("samples are small");
        self.positions.push(position);
        self.normals.push(normal);
        self.attributes.push(attribute);
        twins.push(index);
        index
    }

    /// Stores positions, normals and indices; the caller adds what its attributes mean.
    pub(crate) fn primitive(&self, gltf: &mut Gltf, material: usize) -> Value {
        let triangles: Vec<[u16; 1]> = self.indices.iter().map(|&i| [i]).collect();
        json!({
            "attributes": {
                "POSITION": gltf.accessor(&floats(&self.positions), Usage::Position),
                "NORMAL": gltf.accessor(&floats(&self.normals), Usage::Vertex),
            },
            "indices": gltf.accessor(&triangles, Usage::Index),
            "material": material,
        })
    }
}

/// Vectors as they are stored.
pub(crate) fn floats(vectors: &[DVec3]) -> Vec<[f32; 3]> {
    vectors.iter().map(|v| v.to_array().map(|x| x as f32)).collect()
}

/// A closed ring: `center`, and the half axes of its ellipse.
pub(crate) fn ring(center: DVec3, u: DVec3, v: DVec3, points: usize) -> Vec<DVec3> {
    (0..points)
        .map(|i| {
            let angle = TAU * i as f64 / points as f64;
            center + u * libm::cos(angle) + v * libm::sin(angle)
        })
        .collect()
}

/// A solid of revolution about the Y axis through (radius, height) points from the bottom to the top.
pub(crate) fn lathe<A: Copy + PartialEq>(profile: &[(f64, f64)], points: usize, attribute: A) -> Shape<A> {
    let rings: Vec<_> = profile.iter().map(|&(r, y)| ring(DVec3::Y * y, DVec3::Z * r, DVec3::X * r, points)).collect();
    Shape::loft(&rings, |_| attribute)
}

/// An outline in the XZ plane, drawn up along Y, its rims bevelled. The outline surrounds the origin.
pub(crate) fn prism<A: Copy + PartialEq>(outline: &[DVec2], height: f64, bevel: f64, attribute: A) -> Shape<A> {
    let reach = outline.iter().fold(0.0, |reach: f64, p| reach.max(p.length()));
    let inset = 1.0 - bevel / reach;
    let steps = [(0.0, 0.0), (inset, 0.0), (1.0, bevel), (1.0, height - bevel), (inset, height), (0.0, height)];
    let rings: Vec<Vec<DVec3>> = steps
        .iter()
        .map(|&(size, y)| outline.iter().map(|p| DVec3::new(p.y * size, y, p.x * size)).collect())
        .collect();
    Shape::loft(&rings, |_| attribute)
}

/// A box with bevelled rims, standing on the origin.
pub(crate) fn block<A: Copy + PartialEq>(size: DVec3, bevel: f64, attribute: A) -> Shape<A> {
    let (x, z) = (size.x / 2.0, size.z / 2.0);
    let outline = [DVec2::new(z, x), DVec2::new(-z, x), DVec2::new(-z, -x), DVec2::new(z, -x)];
    prism(&outline, size.y, bevel, attribute)
}

/// An upright cylinder with bevelled rims, standing on the origin.
pub(crate) fn cylinder<A: Copy + PartialEq>(radius: f64, height: f64, bevel: f64, attribute: A) -> Shape<A> {
    let inner = radius - bevel;
    let profile = [(0.0, 0.0), (inner, 0.0), (radius, bevel), (radius, height - bevel), (inner, height), (0.0, height)];
    lathe(&profile, 20, attribute)
}

/// An ellipsoid about the origin.
pub(crate) fn ellipsoid<A: Copy + PartialEq>(radii: DVec3, points: usize, attribute: A) -> Shape<A> {
    let bands = points / 2;
    let profile: Vec<_> = (0..=bands)
        .map(|i| {
            let angle = PI * i as f64 / bands as f64;
            (if i % bands == 0 { 0.0 } else { libm::sin(angle) }, -libm::cos(angle))
        })
        .collect();
    lathe(&profile, points, attribute).map(|p| p * radii)
}

/// A face's normal, as long as twice its area.
fn face([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// The mean of the faces at a corner that lie in one smooth surface with the corner's own.
fn smooth(own: DVec3, faces: &[DVec3]) -> DVec3 {
    let own = own.normalize();
    faces.iter().filter(|face| face.normalize().dot(own) > CREASE).sum::<DVec3>().normalize()
}

/// A position as a key; both zeros are one.
fn bits(position: DVec3) -> [u64; 3] {
    position.to_array().map(|x| (x + 0.0).to_bits())
}
