use super::*;
use crate::curve::{Curve, Interpolation, Kind};
use crate::quat;
use crate::vector::{distance, length};

/// A root that lies still, an arm of two joints, and a node beside them; numbered so that children come before parents.
fn arm() -> Skeleton {
    let at = |x: f64| Rest::Transform(Transform { translation: [x, 0.0, 0.0], ..Transform::IDENTITY });
    let squeezed = Rest::Transform(Transform { scale: [0.5, 2.0, 1.0], ..Transform::IDENTITY });
    Skeleton::new(vec![Some(1), Some(2), None, Some(2)], &[at(3.0), at(2.0), squeezed, at(-1.0)]).unwrap()
}

fn rotation(times: &[f32], angles: &[f64]) -> Curve {
    let values = angles.iter().flat_map(|a| quat::exp([0.0, 0.0, a / 2.0]).map(|c| c as f32)).collect::<Vec<_>>();
    Curve::new(Interpolation::Linear, 4, times, values).unwrap()
}

fn track(node: usize, property: Property, curve: &Curve) -> Track<'_> {
    Track { node, property, axis: None, curve }
}

/// The error written out straight from its definition.
fn brute_force(skeleton: &Skeleton, tracks: [&[Track<'_>]; 2], node: usize, shell: f64, moment: Moment) -> f64 {
    let global = |tracks: &[Track<'_>]| {
        let mut chain = vec![node];
        while let Some(p) = skeleton.parent(chain[chain.len() - 1]) {
            chain.push(p);
        }
        chain.iter().rev().fold(Affine::IDENTITY, |above, &n| {
            let mut t = *skeleton.rest(n);
            for track in tracks.iter().filter(|t| t.node == n) {
                let mut v = vec![0.0; track.curve.width()];
                let kind = if track.property == Property::Rotation { Kind::Rotation } else { Kind::Vector };
                if moment.left {
                    track.curve.sample_left(kind, moment.time, &mut v);
                } else {
                    track.curve.sample(kind, moment.time, &mut v);
                }
                match (track.property, track.axis) {
                    (Property::Rotation, _) => t.rotation.copy_from_slice(&v),
                    (Property::Translation, None) => t.translation.copy_from_slice(&v),
                    (Property::Translation, Some(axis)) => t.translation[axis] = v[0],
                    (Property::Scale, None) => t.scale.copy_from_slice(&v),
                    (Property::Scale, Some(axis)) => t.scale[axis] = v[0],
                }
            }
            above.then_inner(&Affine::from_transform(&t))
        })
    };
    let (a, b) = (global(tracks[0]), global(tracks[1]));
    (0..3)
        .map(|axis| {
            let mut p = [0.0; 3];
            p[axis] = shell / length(skeleton.rest_global(node).axes[axis]);
            distance(a.point(p), b.point(p))
        })
        .fold(0.0, f64::max)
}

#[test]
fn order_puts_parents_first_and_keeps_subtrees_together() {
    let s = arm();
    assert_eq!(s.order(), [2, 1, 0, 3]);
    assert_eq!(s.subtree(1), [1, 0]);
    assert_eq!(s.subtree(2), s.order());
    assert_eq!(s.moved(|n| n == 1), [true, true, false, false]);
    assert_eq!(s.rest_global(0).origin, [2.5, 0.0, 0.0]);
}

#[test]
fn parents_that_make_no_tree_are_refused() {
    let rest = [Rest::Transform(Transform::IDENTITY); 3];
    let error = |parents: &[Option<usize>]| Skeleton::new(parents.to_vec(), &rest).unwrap_err();
    assert_eq!(error(&[None]), SkeletonError::Count);
    assert_eq!(error(&[None, Some(9), None]), SkeletonError::NoSuchNode { node: 1 });
    assert_eq!(error(&[None, Some(2), Some(1)]), SkeletonError::Cycle { node: 1 });
    assert_eq!(error(&[Some(0), None, None]), SkeletonError::Cycle { node: 0 });
}

#[test]
fn compare_finds_what_the_definition_says() {
    let skeleton = arm();
    let (bend, bent) = (rotation(&[0.0, 0.5, 1.0], &[0.0, 1.0, 0.3]), rotation(&[0.0, 1.0], &[0.0, 0.3]));
    let lift = Curve::new(Interpolation::Step, 1, [0.0, 0.4], [0.0, 1.0]).unwrap();
    let grow = Curve::new(Interpolation::Linear, 3, [0.0, 0.9], [1.0, 1.0, 1.0, 2.0, 1.0, 0.5]).unwrap();
    let axis = Track { node: 0, property: Property::Translation, axis: Some(1), curve: &lift };
    let a = [track(1, Property::Rotation, &bend), axis, track(3, Property::Scale, &grow)];
    let b = [track(1, Property::Rotation, &bent), track(3, Property::Scale, &grow)];
    let (ma, mb) = (Motion::new(&skeleton, a), Motion::new(&skeleton, b));
    let times = moments(&[&ma, &mb], BETWEEN);
    let probes = probes(&skeleton, &ma.moved(), |node| 0.1 + node as f64);
    let found = compare(&ma, &mb, &probes, &times);
    let mut squares = 0.0;
    for (probe, worst) in probes.iter().zip(&found.probes) {
        let errors: Vec<f64> =
            times.iter().map(|m| brute_force(&skeleton, [&a, &b], probe.a, 0.1 + probe.a as f64, *m)).collect();
        let largest = errors.iter().copied().fold(0.0, f64::max);
        assert!((worst.error - largest).abs() < 1e-12, "node {}: {} {largest}", probe.a, worst.error);
        let at = times.iter().position(|m| *m == worst.moment).unwrap();
        assert!((errors[at] - largest).abs() < 1e-12);
        squares += errors.iter().map(|e| e * e).sum::<f64>();
    }
    assert_eq!(found.worst().unwrap().1.error, found.error());
    assert!((found.rms() - (squares / (times.len() * probes.len()) as f64).sqrt()).abs() < 1e-12);
    assert_eq!(found.probes[2].error, 0.0);
}

#[test]
fn moments_hold_all_keys_four_between_and_both_sides_of_steps() {
    let skeleton = arm();
    let (a, b) =
        (rotation(&[0.0, 1.0], &[0.0, 1.0]), Curve::new(Interpolation::Step, 1, [0.0, 0.5], [0.0, 1.0]).unwrap());
    let ma = Motion::new(&skeleton, [track(1, Property::Rotation, &a)]);
    let mb = Motion::new(&skeleton, [Track { node: 1, property: Property::Scale, axis: Some(0), curve: &b }]);
    let found = moments(&[&ma, &mb], BETWEEN);
    assert_eq!(found.len(), 3 + 2 * 4 + 1);
    assert_eq!(found[5..7], [Moment::before(0.5), Moment::at(0.5)]);
    assert!(found.windows(2).all(|w| w[0].time < w[1].time || w[0].left));
    assert_eq!(ma.span(), (0.0, 1.0));
}

#[test]
fn a_step_that_moved_a_little_is_seen() {
    // Both curves hold the same values at all keys but one instant: only the side before the edge tells them apart.
    let skeleton = arm();
    let step = |t: f32| Curve::new(Interpolation::Step, 1, [0.0, t], [0.0, 1.0]).unwrap();
    let (a, b) = (step(0.5), step(0.5f32.next_up()));
    let motion =
        |c| Motion::new(&skeleton, [Track { node: 1, property: Property::Translation, axis: Some(0), curve: c }]);
    let (ma, mb) = (motion(&a), motion(&b));
    let probes = probes(&skeleton, &ma.moved(), |_| 0.1);
    assert_eq!(compare(&ma, &mb, &probes, &moments(&[&ma, &mb], BETWEEN)).error(), 0.5);
    assert_eq!(compare(&ma, &ma, &probes, &moments(&[&ma], BETWEEN)).error(), 0.0);
}

#[test]
fn random_moments_repeat_and_stay_inside() {
    let a = random_moments(1.0, 3.0, 500, 7);
    assert_eq!(a, random_moments(1.0, 3.0, 500, 7));
    assert_ne!(a, random_moments(1.0, 3.0, 500, 8));
    assert!(a.iter().all(|m| (1.0..=3.0).contains(&m.time)) && a.windows(2).all(|w| w[0].time <= w[1].time));
}

#[test]
fn split_moments_merge_to_the_same_deviation() {
    let skeleton = arm();
    let (a, b) = (rotation(&[0.0, 0.3, 1.0], &[0.0, 2.0, 1.0]), rotation(&[0.0, 1.0], &[0.1, 1.0]));
    let motion = |c| Motion::new(&skeleton, [track(1, Property::Rotation, c)]);
    let (ma, mb) = (motion(&a), motion(&b));
    let probes = probes(&skeleton, &ma.moved(), |_| 0.1);
    let times = random_moments(0.0, 1.0, 3 * BLOCK + 5, 1);
    let mut merged = Deviation::none(probes.len());
    times.chunks(BLOCK).for_each(|c| merged.merge(&compare(&ma, &mb, &probes, c)));
    assert_eq!(merged, compare(&ma, &mb, &probes, &times));
}

#[test]
fn replaced_locals_renew_the_subtree_alone() {
    let skeleton = arm();
    let curves = [rotation(&[0.0, 1.0], &[0.0, 2.0]), rotation(&[0.0, 1.0], &[1.0, -1.0])];
    let motion = |c| Motion::new(&skeleton, [track(1, Property::Rotation, c)]);
    let times = random_moments(0.0, 1.0, 10, 1);
    let mut poses = Poses::new(&motion(&curves[0]), &times);
    let other = Poses::new(&motion(&curves[1]), &times);
    poses.set_locals(&skeleton, 1, motion(&curves[1]).locals(1, &times));
    for node in 0..4 {
        assert_eq!(poses.globals(node), other.globals(node));
    }
}

#[test]
fn a_model_is_as_large_as_the_box_around_what_counts() {
    let skeleton = arm();
    assert_eq!(model_size(&skeleton, |n| n != 3, |_| None), 2.5);
    let mesh = Bounds { min: [0.0; 3], max: [1.0, 2.0, 0.0] };
    let with_mesh = model_size(&skeleton, |n| n == 2, |_| Some(mesh));
    assert!((with_mesh - 16.25f64.sqrt()).abs() < 1e-12);
    assert_eq!(model_size(&skeleton, |_| false, |_| None), 0.0);
    let way = Curve::new(Interpolation::Linear, 3, [0.0, 1.0], [0.0, 0.0, 0.0, 4.0, 0.0, 0.0]).unwrap();
    assert_eq!(travel(&Motion::new(&skeleton, [track(2, Property::Translation, &way)])), 4.0);
}

#[test]
fn tracks_that_fit_nothing_move_nothing() {
    let skeleton = arm();
    let c = rotation(&[0.0, 1.0], &[0.0, 1.0]);
    let m = Motion::new(&skeleton, [track(9, Property::Rotation, &c), track(0, Property::Scale, &c)]);
    assert_eq!(m.moved(), [false; 4]);
    assert_eq!(Poses::new(&m, &[Moment::at(0.5)]).globals(0), [*skeleton.rest_global(0)]);
}

#[test]
fn a_matrix_is_undone() {
    let transform = Transform {
        translation: [1.0, -2.0, 0.5],
        rotation: quat::normalize([0.3, -0.2, 0.5, 0.7]),
        scale: [2.0, 0.5, -1.5],
    };
    let matrix = Affine::from_transform(&transform);
    let same = matrix.then_inner(&matrix.inverse().unwrap());
    let off = |a: [f64; 3], b: [f64; 3]| crate::vector::distance(a, b);
    assert!((0..3).all(|i| off(same.axes[i], Affine::IDENTITY.axes[i]) < 1e-12) && off(same.origin, [0.0; 3]) < 1e-12);
    assert!(Affine::from_transform(&Transform { scale: [1.0, 0.0, 1.0], ..transform }).inverse().is_none());
}
