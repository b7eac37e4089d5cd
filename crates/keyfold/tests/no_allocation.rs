//! Sampling a whole animation into the transforms of nodes allocates nothing, and gives what each track gives.

use keyfold::{Document, Property, Scene, Target, read};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn nodes_are_sampled_without_allocation() {
    let mut checked = 0;
    for name in ["figure.glb", "machine.glb"] {
        let document = Document::open(format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let animations = read(&document).unwrap().animations;
        let scene = Scene::new(&document, &animations, None).unwrap();
        for animation in &animations {
            let mut nodes = scene.rest_pose();
            let region = Region::new(ALLOCATOR);
            for i in 0..50 {
                animation.sample_nodes(f64::from(i) / 20.0, &mut nodes);
            }
            assert_eq!(region.change().allocations, 0, "{name}");
            for track in &animation.tracks {
                let Target::Node { node, property, axis: None } = &track.target else { continue };
                let value = match property {
                    Property::Translation => nodes[*node].translation.to_vec(),
                    Property::Rotation => nodes[*node].rotation.to_vec(),
                    Property::Scale => nodes[*node].scale.to_vec(),
                    Property::Weights => continue,
                };
                assert_eq!(value, track.sample(49.0 / 20.0), "{name} {}", track.target);
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "{checked} tracks");
}
