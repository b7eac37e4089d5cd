use super::super::*;
use super::{Comparison, Part, links};
use crate::curve::{Curve, Interpolation};
use crate::quat;
use crate::vector::length;
use alloc::{vec, vec::Vec};

/// Numbers from -1 to 1 that are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn quaternion(&mut self) -> [f64; 4] {
        quat::normalize([self.next(), self.next(), self.next(), self.next()])
    }

    fn times(&mut self, keys: usize) -> Vec<f32> {
        let mut times: Vec<f32> = vec![0.0];
        (1..keys).for_each(|k| times.push(times[k - 1] + (1.2 + self.next()) as f32 * 0.3));
        times
    }

    /// A rotation whose keys lie up to `turn` apart.
    fn rotation(&mut self, form: Interpolation, keys: usize, turn: f64) -> Curve {
        let times = self.times(keys);
        let (mut values, mut q) = (Vec::new(), self.quaternion());
        for _ in 0..keys {
            let near = |random: &mut Self, q: [f64; 4], by: f64| {
                quat::mul(quat::exp([0, 1, 2].map(|_| by / 2.0 * random.next())), q)
            };
            q = near(self, q, turn);
            match form {
                Interpolation::CubicSlerp => {
                    let (arrive, leave) = (near(self, q, turn / 2.0), near(self, q, turn / 2.0));
                    values.extend([arrive, q, leave].concat());
                }
                Interpolation::CubicSpline => {
                    let mut tangent = || [0, 1, 2, 3].map(|_| 2.0 * turn * self.next());
                    let (arrive, leave) = (tangent(), tangent());
                    values.extend([arrive, q, leave].concat());
                }
                _ => values.extend(q),
            }
        }
        Curve::new(form, 4, times, values.iter().map(|v| *v as f32).collect::<Vec<_>>()).unwrap()
    }

    fn vector(&mut self, form: Interpolation, keys: usize, about: f64, by: f64) -> Curve {
        let times = self.times(keys);
        let mut values = Vec::new();
        for _ in 0..keys {
            for e in 0..form.elements_per_key() {
                let middle = if e == form.elements_per_key() / 2 { about } else { 0.0 };
                values.extend([0, 1, 2].map(|_| (middle + by * self.next()) as f32));
            }
        }
        Curve::new(form, 3, times, values).unwrap()
    }

    /// The curve with all its values up to `by` off, signs of rotations kept or not.
    fn near(&mut self, curve: &Curve, by: f64) -> Curve {
        let values: Vec<f32> = curve.values().iter().map(|v| (f64::from(*v) + by * self.next()) as f32).collect();
        Curve::new(curve.interpolation(), curve.width(), curve.shared_times().clone(), values).unwrap()
    }
}

fn chain(random: &mut Random, nodes: usize) -> Skeleton {
    let rest: Vec<Rest> = (0..nodes)
        .map(|_| {
            Rest::Transform(Transform {
                translation: [random.next(), random.next(), random.next()],
                rotation: random.quaternion(),
                scale: [1.0 + 0.2 * random.next(), 1.0, 1.1],
            })
        })
        .collect();
    Skeleton::new((0..nodes).map(|n| n.checked_sub(1)).collect(), &rest).unwrap()
}

fn tracks<'a>(curves: &'a [(usize, Property, Curve)]) -> impl Iterator<Item = Track<'a>> {
    curves.iter().map(|(node, property, curve)| Track { node: *node, property: *property, axis: None, curve })
}

fn sequential(parts: usize, part: &(dyn Fn(usize) -> Part + Sync)) -> Vec<Part> {
    (0..parts).map(part).collect()
}

/// The proof, compared with samples at very many moments.
fn checked(a: &Motion<'_>, b: &Motion<'_>, probes: &[Probe]) -> Proof {
    let proof = prove(a, b, probes, sequential);
    let (start, end) = a.span();
    let mut many: Vec<Moment> =
        (0..=4_000).map(|i| Moment::at(start + (end - start) * f64::from(i) / 4_000.0)).collect();
    many.extend(moments(&[a, b], 16));
    let seen = compare(a, b, probes, &many).error();
    // The last bits are not accounted for.
    assert!(seen <= proof.possible * (1.0 + 1e-9) + 1e-14, "seen {seen}, possible {}", proof.possible);
    assert!(proof.deviation.error() <= proof.possible);
    proof
}

fn tight(proof: &Proof) {
    assert!(proof.possible <= 1.01 * proof.deviation.error(), "{} {}", proof.possible, proof.deviation.error());
}

#[test]
fn nothing_seen_is_ever_more_than_what_is_possible() {
    use Interpolation::{CubicSlerp, CubicSpline, Linear};
    let mut random = Random(7);
    for round in 0..30 {
        let nodes = 1 + round % 5;
        let skeleton = chain(&mut random, nodes);
        let turn = [0.05, 0.4, 1.5][round % 3];
        let curves: Vec<(usize, Property, Curve)> = (0..nodes)
            .flat_map(|node| {
                let form = [Linear, CubicSpline, CubicSlerp][(round / 3 + node) % 3];
                let plain = if form == CubicSlerp { Linear } else { form };
                [
                    (node, Property::Rotation, random.rotation(form, 6, turn)),
                    (node, Property::Translation, random.vector(plain, 6, 0.0, 1.0)),
                    (node, Property::Scale, random.vector(plain, 3, 1.0, 0.3)),
                ]
            })
            .collect();
        let other: Vec<(usize, Property, Curve)> =
            curves.iter().map(|(n, p, c)| (*n, *p, random.near(c, [1e-4, 1e-2][round % 2]))).collect();
        let (a, b) = (Motion::new(&skeleton, tracks(&curves)), Motion::new(&skeleton, tracks(&other)));
        tight(&checked(&a, &b, &probes(&skeleton, &a.moved(), |_| 0.3)));
    }
}

/// A curve with `rotation`'s values at other times. It has no tangents, or its controls are its keys.
fn resampled(rotation: &Curve, form: Interpolation, times: &[f32]) -> Curve {
    let at = |time: &f32| {
        let mut q = [0.0; 4];
        rotation.sample(crate::curve::Kind::Rotation, f64::from(*time), &mut q);
        q.map(|c| c as f32).repeat(form.elements_per_key())
    };
    Curve::new(form, 4, times, times.iter().flat_map(at).collect::<Vec<_>>()).unwrap()
}

/// The proof for one joint that two rotations turn.
fn turned(a: &Curve, b: &Curve) -> Proof {
    let skeleton = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)]).unwrap();
    let motion = |curve| Motion::new(&skeleton, [Track { node: 0, property: Property::Rotation, axis: None, curve }]);
    checked(&motion(a), &motion(b), &probes(&skeleton, &[true], |_| 1.0))
}

#[test]
fn rotations_of_different_kinds_are_bounded_together() {
    use Interpolation::{CubicSlerp, CubicSpline, Linear};
    let mut random = Random(23);
    for round in 0..24 {
        let turn = [1e-6, 0.01, 0.3, 1.2][round % 4];
        let rotation = random.rotation([CubicSlerp, CubicSpline, Linear][round / 4 % 3], 5, turn);
        let end = rotation.end();
        let even: Vec<f32> = (0..=37).map(|i| end * i as f32 / 37.0).collect();
        let odd: Vec<f32> = (0..=20).map(|i| end * (i * i) as f32 / 400.0).collect();
        for (form, times) in [(Linear, &even), (CubicSlerp, &odd), (CubicSlerp, &even)] {
            tight(&turned(&rotation, &resampled(&rotation, form, times)));
        }
        // Unrelated rotations.
        let other = random.rotation([Linear, CubicSlerp][round % 2], 7, turn);
        tight(&turned(&rotation, &other));
        assert_eq!(turned(&rotation, &rotation).possible, 0.0);
        // A quadrangle with its controls on its keys is the arc between them.
        let [arcs, same] = [Linear, CubicSlerp].map(|form| resampled(&rotation, form, &odd));
        assert_eq!(turned(&arcs, &same).possible, 0.0);
    }
}

#[test]
fn quadrangles_that_are_hardly_defined_are_bounded() {
    let about = |axis: usize, angle: f64| {
        let mut v = [0.0; 3];
        v[axis] = angle / 2.0;
        quat::exp(v)
    };
    let quadrangle = |[a, b, c, d]: [[f64; 4]; 4]| {
        let values = [a, a, b, c, d, d].concat().into_iter().map(|v| v as f32).collect::<Vec<_>>();
        Curve::new(Interpolation::CubicSlerp, 4, [0.0, 1.0], values).unwrap()
    };
    let pi = core::f64::consts::PI;
    let mut random = Random(29);
    for off in [0.0, 1e-7, 1e-3, 0.1] {
        let still = about(0, 0.0);
        for corners in [
            // Half a turn from key to key, controls on them and across.
            [still, still, about(2, pi - off), about(2, pi - off)],
            [still, about(2, pi - off), still, about(2, pi - off)],
            // Controls that are opposite quaternions, or lie across from what the keys lead through.
            [still, about(1, pi - off), about(1, off - pi), still],
            [still, about(0, pi - off), about(1, pi - off), about(2, off)],
            [still, still, still, about(0, off)],
            [random.quaternion(), random.quaternion(), random.quaternion(), random.quaternion()],
        ] {
            let (a, twin) = (quadrangle(corners), quadrangle(corners.map(|q| quat::mul(q, about(1, 1e-3)))));
            let line = resampled(&a, Interpolation::Linear, &[0.0, 0.11, 0.35, 0.5, 0.83, 1.0]);
            for proof in [turned(&a, &twin), turned(&a, &line), turned(&line, &twin)] {
                assert!(proof.possible <= 2.0 + 1e-9, "{corners:?} {}", proof.possible);
            }
        }
    }
}

#[test]
fn an_even_turn_has_its_closed_form() {
    // Two arms that turn by 1 and by 1.1 within a second come 2 sin(0.05) apart, at the end.
    let skeleton = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)]).unwrap();
    let turn = |angle: f64| {
        let end = quat::exp([0.0, 0.0, angle / 2.0]).map(|c| c as f32);
        let values = [quat::IDENTITY.map(|c| c as f32), end].concat();
        Curve::new(Interpolation::Linear, 4, [0.0, 1.0], values).unwrap()
    };
    let (a, b) = (turn(1.0), turn(1.1));
    let motion = |curve| Motion::new(&skeleton, [Track { node: 0, property: Property::Rotation, axis: None, curve }]);
    let proof = prove(&motion(&a), &motion(&b), &probes(&skeleton, &[true], |_| 1.0), sequential);
    let exact = 2.0 * libm::sin(0.05);
    assert!((proof.deviation.error() - exact).abs() < 1e-7 && proof.possible >= proof.deviation.error());
    assert!(proof.possible < exact * 1.001, "{}", proof.possible / exact);
}

/// A spline from a rotation to its opposite quaternion, `off` zero in the middle.
fn flip(off: f64) -> Curve {
    let values = [[0.0; 4], [off, 0.0, 0.0, 1.0], [0.0; 4], [0.0; 4], [off, 0.0, 0.0, -1.0], [0.0; 4]].concat();
    Curve::new(Interpolation::CubicSpline, 4, [0.0, 1.0], values.iter().map(|v| *v as f32).collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_spike_between_keys_is_seen_however_short_it_is() {
    let skeleton = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)]).unwrap();
    for off in [1e-2, 1e-4, 1e-6] {
        // One of them spins about x, the other one the other way round: half a turn apart on the way.
        let (a, b) = (flip(off), flip(-off));
        let motion =
            |curve| Motion::new(&skeleton, [Track { node: 0, property: Property::Rotation, axis: None, curve }]);
        let (a, b) = (motion(&a), motion(&b));
        let proof = checked(&a, &b, &probes(&skeleton, &[true], |_| 1.0));
        assert!((proof.deviation.error() - 2.0).abs() < 2e-3, "{off}: {}", proof.deviation.error());
        tight(&proof);
    }
}

#[test]
fn what_is_equal_never_stands_in_the_way() {
    // A spline through zero, where no rotation is defined, above two joints that differ a little.
    let mut random = Random(3);
    let rest = |x: f64| Rest::Transform(Transform { translation: [x, 0.0, 0.0], ..Transform::IDENTITY });
    let skeleton = Skeleton::new(vec![None, Some(0), Some(1)], &[rest(0.0), rest(1.0), rest(2.0)]).unwrap();
    let (zero, bend) = (flip(0.0), random.rotation(Interpolation::Linear, 5, 0.8));
    let bent = random.near(&bend, 1e-3);
    let track = |node, curve| Track { node, property: Property::Rotation, axis: None, curve };
    let a = Motion::new(&skeleton, [track(0, &zero), track(1, &bend)]);
    let b = Motion::new(&skeleton, [track(0, &zero), track(1, &bent)]);
    tight(&checked(&a, &b, &probes(&skeleton, &a.moved(), |_| 0.5)));
    let same = prove(&a, &a, &probes(&skeleton, &a.moved(), |_| 0.5), sequential);
    assert_eq!((same.possible, same.deviation.error()), (0.0, 0.0));
}

#[test]
fn twins_under_other_parents_are_compared_too() {
    // The second hierarchy has a node in between that does nothing.
    let rest = |x: f64| Rest::Transform(Transform { translation: [x, 0.0, 0.0], ..Transform::IDENTITY });
    let short = Skeleton::new(vec![None, Some(0)], &[rest(0.0), rest(1.0)]).unwrap();
    let long = Skeleton::new(vec![None, Some(2), Some(0)], &[rest(0.0), rest(1.0), rest(0.0)]).unwrap();
    let mut random = Random(5);
    let bend = random.rotation(Interpolation::Linear, 5, 0.8);
    let bent = random.near(&bend, 1e-2);
    let motion =
        |skeleton, curve| Motion::new(skeleton, [Track { node: 0, property: Property::Rotation, axis: None, curve }]);
    let (a, b) = (motion(&short, &bend), motion(&long, &bent));
    tight(&checked(&a, &b, &probes(&short, &a.moved(), |_| 0.5)));
}

#[test]
fn rounding_is_nothing() {
    let skeleton = Skeleton::new(vec![None], &[Rest::Transform(Transform::IDENTITY)]).unwrap();
    let held = |times: &[f32]| {
        let value = [0.1f32, 0.2, 0.3].repeat(times.len());
        Curve::new(Interpolation::Linear, 3, times, value).unwrap()
    };
    let motion =
        |curve| Motion::new(&skeleton, [Track { node: 0, property: Property::Translation, axis: None, curve }]);
    let (few, many) = (held(&[0.0, 0.7]), held(&[0.0, 0.1, 0.23, 0.7]));
    let proof = prove(&motion(&few), &motion(&many), &probes(&skeleton, &[true], |_| 1.0), sequential);
    assert_eq!((proof.possible, proof.deviation.error()), (0.0, 0.0));
}

/// The divided differences of `f` at five times from 0 to 1, by order: means of the derivatives over k!.
fn divided(times: &[f64; 5], mut f: [[f64; 3]; 5]) -> [f64; 5] {
    core::array::from_fn(|k| {
        if k > 0 {
            for i in 0..5 - k {
                f[i] = [0, 1, 2].map(|c| (f[i + 1][c] - f[i][c]) / (times[i + k] - times[i]));
            }
        }
        length(f[0])
    })
}

#[test]
fn no_derivative_exceeds_its_bound() {
    use super::pace::Stretch;
    use Interpolation::{CubicSlerp, CubicSpline, Linear};
    let mut random = Random(11);
    let (mut checked, mut fullest) = (0, [0.0f64; 5]);
    for round in 0..600 {
        let skeleton = chain(&mut random, 1);
        let turn = [0.1, 0.8, 2.0][round % 3];
        let form = [Linear, CubicSpline, CubicSlerp][round / 3 % 3];
        let plain = if form == CubicSlerp { Linear } else { form };
        let curves = [
            (0, Property::Rotation, random.rotation(form, 3, turn)),
            (0, Property::Translation, random.vector(plain, 2, 0.0, 1.0)),
            (0, Property::Scale, random.vector(plain, 2, 1.0, 0.3)),
        ];
        let mut twins: Vec<(usize, Property, Curve)> =
            curves.iter().map(|(n, p, c)| (*n, *p, random.near(c, [1e-3, 0.1][round % 2]))).collect();
        if round >= 300 {
            let times = twins[0].2.times().to_vec();
            twins[0].2 = resampled(&twins[0].2, [Linear, CubicSlerp][round % 2], &times);
        }
        let (a, b) = (Motion::new(&skeleton, tracks(&curves)), Motion::new(&skeleton, tracks(&twins)));
        let end = curves.iter().map(|(_, _, c)| f64::from(c.times()[1])).fold(f64::INFINITY, f64::min);
        let (start, end) = (0.2 * end, end * if round % 2 == 0 { 1.0 } else { 0.5 });
        let at = |m: &Motion<'_>, x: f64| m.transforms(0, &[Moment::at(start + (end - start) * x)])[0];
        let samples = |m: &Motion<'_>| [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(|x| at(m, x));
        let (mine, theirs) = (samples(&a), samples(&b));
        let one = Stretch { pace: a.pace(0), samples: mine.each_ref(), start, end };
        let two = Stretch { pace: b.pace(0), samples: theirs.each_ref(), start, end };
        let both = one.beside(&two);
        for _ in 0..20 {
            let mut times = [0.0; 5].map(|_: f64| (random.next() + 1.0) / 2.0);
            times.sort_by(f64::total_cmp);
            if times.windows(2).any(|w| w[1] - w[0] < 0.02) {
                continue;
            }
            let v = quat::rotate(random.quaternion(), [1.0, 0.0, 0.0]);
            let matrices = times.map(|x| (Affine::from_transform(&at(&a, x)), Affine::from_transform(&at(&b, x))));
            let difference = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|k| p[k] - q[k]);
            for (bound, values) in [
                (both.a.linear, matrices.map(|(a, _)| a.direction(v))),
                (both.b.linear, matrices.map(|(_, b)| b.direction(v))),
                (both.a.origin, matrices.map(|(a, _)| a.origin)),
                (both.apart.linear, matrices.map(|(a, b)| difference(a.direction(v), b.direction(v)))),
                (both.apart.origin, matrices.map(|(a, b)| difference(a.origin, b.origin))),
            ] {
                let found = divided(&times, values);
                for k in 0..5 {
                    // Rounding of the values, divided by the least distances.
                    let slack = 1e-15 * libm::pow(50.0, k as f64) * 20.0;
                    assert!(found[k] <= bound.0[k] * (1.0 + 1e-9) + slack, "{form:?} {k}: {found:?} {bound:?}");
                    fullest[k] = fullest[k].max(found[k] / bound.0[k].max(1e-9));
                }
                checked += 1;
            }
        }
    }
    // Bounds must not be far too large: those would prove as much.
    assert!(checked > 10_000 && fullest.iter().all(|share| *share > 0.3), "{checked} {fullest:?}");
}

#[test]
fn a_long_chain_of_nodes_under_other_parents_is_gone_through_once_for_a_span() {
    const NODES: usize = 20_000;
    let chain = Skeleton::new(
        (0..NODES).map(|n| n.checked_sub(1)).collect(),
        &vec![Rest::Transform(Transform::IDENTITY); NODES],
    );
    let chain = chain.unwrap();
    let turn = Curve::new(Interpolation::Linear, 4, [0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.6, 0.0, 0.8]).unwrap();
    let motion = Motion::new(&chain, [Track { node: 0, property: Property::Rotation, axis: None, curve: &turn }]);
    // All are at one place, whatever their order.
    let probes: Vec<Probe> = (0..NODES).map(|n| Probe { a: n, b: NODES - 1 - n, offsets: [1.0; 3] }).collect();
    let each = |parts: usize, part: &(dyn Fn(usize) -> Part + Sync)| (0..parts).map(part).collect::<Vec<_>>();
    let proof = prove(&motion, &motion, &probes, each);
    assert_eq!(proof.deviation.error(), 0.0);
    assert!(proof.possible < 1.0, "{}", proof.possible);
}

#[test]
fn a_long_chain_is_gone_through_once_for_all_that_hang_on_it() {
    const NODES: usize = 300;
    let mut random = Random(7);
    let joint = Rest::Transform(Transform { translation: [0.0, 0.1, 0.0], ..Transform::IDENTITY });
    let skeleton = Skeleton::new((0..NODES).map(|n| n.checked_sub(1)).collect(), &vec![joint; NODES]).unwrap();
    let curves: Vec<_> =
        (0..NODES).map(|n| (n, Property::Rotation, random.rotation(Interpolation::Linear, 2, 0.2))).collect();
    let near: Vec<_> = curves.iter().map(|(n, property, curve)| (*n, *property, random.near(curve, 1e-4))).collect();
    let (a, b) = (Motion::new(&skeleton, tracks(&curves)), Motion::new(&skeleton, tracks(&near)));
    let probes = probes(&skeleton, &[true; NODES], |_| 1.0);
    let (links, order) = links(&a, &b, &probes);
    let comparison = Comparison { a: &a, b: &b, probes: &probes, links, order };
    assert_eq!(comparison.needed(&comparison.order), comparison.order);
    assert_eq!(comparison.needed(&comparison.order[NODES - 1..]), comparison.order);
}

#[test]
fn what_passes_between_neighbouring_floats_of_two_curves_is_seen() {
    // One begins to grow a float before the other. The node that would show this jumps to where it does not
    // as the other begins.
    let rest = Rest::Transform(Transform::IDENTITY);
    let skeleton = Skeleton::new(vec![None, Some(0)], &[rest, rest]).unwrap();
    let curve = |form, begins: f32, x: [f32; 3]| {
        let values: Vec<f32> = x.iter().flat_map(|x| [*x, 1.0, 1.0]).collect();
        Curve::new(form, 3, [0.0, begins, 1.0], values).unwrap()
    };
    let grows = [0.5f32.next_down(), 0.5].map(|begins| curve(Interpolation::Linear, begins, [1.0, 1.0, 1e7]));
    let jumps = curve(Interpolation::Step, 0.5, [1.0, 0.0, 0.0]);
    let [a, b] = grows.each_ref().map(|grows| {
        let track = |node, property, curve| Track { node, property, axis: None, curve };
        Motion::new(&skeleton, [track(0, Property::Scale, grows), track(1, Property::Translation, &jumps)])
    });
    let probes = probes(&skeleton, &[false, true], |_| 1e-6);
    let proof = prove(&a, &b, &probes, |parts, part| (0..parts).map(part).collect());
    let exact = 2e7 * (0.5 - f64::from(0.5f32.next_down()));
    assert!(proof.possible > 0.99 * exact && proof.possible < 1.01 * exact, "{} of {exact}", proof.possible);
}

#[test]
fn things_that_move_on_their_own_are_compared_at_their_own_keys() {
    let mut random = Random(11);
    let rest = [Rest::Transform(Transform::IDENTITY); 12];
    // Four pairs of joints below one root that rests, and three other roots.
    let parents: Vec<Option<usize>> = (0..12)
        .map(|node| match node {
            0 | 9.. => None,
            odd if odd % 2 == 1 => Some(0),
            even => Some(even - 1),
        })
        .collect();
    let skeleton = Skeleton::new(parents, &rest).unwrap();
    let curves: Vec<(usize, Property, Curve)> =
        (1..12).map(|node| (node, Property::Rotation, random.rotation(Interpolation::Linear, 9, 1.0))).collect();
    let off: Vec<(usize, Property, Curve)> =
        curves.iter().map(|(node, property, curve)| (*node, *property, random.near(curve, 1e-3))).collect();
    let (a, b) = (Motion::new(&skeleton, tracks(&curves)), Motion::new(&skeleton, tracks(&off)));
    let all = probes(&skeleton, &a.moved(), |_| 1.0);
    let proof = checked(&a, &b, &all);
    // Each joint below one that moves shares its keys: 4 pairs with 18 keys, less the common first, and 3 roots with 9.
    assert_eq!(a.keys_by_nodes(), 4 * 2 * 17 + 3 * 9);
    for (probe, worst) in all.iter().zip(&proof.deviation.probes) {
        let alone = prove(&a, &b, &[*probe], sequential);
        // One probe of a chain has no pair above it: the two find errors at other moments of the same spans.
        let error = alone.deviation.error();
        assert!((worst.error / error - 1.0).abs() < 0.05, "{} {error}", worst.error);
        assert!(worst.error <= proof.possible);
    }
}
