//! The files of the corpus that use pointers: sampled, frozen, converted and back without a change in any value.

use keyfold::{Document, Targets, freeze, object_model::Pointer, read};
use keyfold_oracle::{root, shared_dir};

use crate::{said, to};

pub(crate) const FILES: [&str; 4] =
    ["whack_a_mole.glb", "animated_colors_cube.glb", "cube_visibility.glb", "light_visibility.glb"];

fn documents() -> Vec<(&'static str, Document)> {
    let Some(shared) = shared_dir() else {
        let lamp = Document::open(root().join("samples/lamp.gltf")).expect("a sample of our own");
        return vec![("lamp.gltf", lamp)];
    };
    FILES.map(|name| (name, Document::open(shared.join("corpus").join(name)).expect("a file of the corpus"))).into()
}

#[test]
fn there_and_back_no_value_changes() {
    for (name, document) in documents() {
        let found = read(&document).expect("readable");
        assert!(found.findings.is_empty(), "{name}: {:?}", found.findings);
        let tracks: usize = found.animations.iter().map(|animation| animation.tracks.len()).sum();
        for there in [Targets::Pointer, Targets::Animation2, Targets::Core] {
            let converted = to(&document, there);
            assert_eq!(said(&converted), said(&document), "{name}");
            let back = to(&converted, Targets::Pointer);
            assert_eq!(said(&back), said(&document), "{name}");
            assert_eq!(back.json()["animations"], to(&document, Targets::Pointer).json()["animations"], "{name}");
            for data in ["accessors", "bufferViews", "buffers", "nodes", "materials", "meshes"] {
                assert_eq!(converted.json().get(data), document.json().get(data), "{name} {data}");
            }
        }
        assert!(tracks > 0, "{name}: nothing is converted");
        println!("{name}: {} animations, {tracks} tracks there and back", found.animations.len());
    }
}

#[test]
fn frozen_documents_hold_the_samples() {
    for (name, document) in documents() {
        let mut set = 0;
        for animation in &read(&document).expect("readable").animations {
            let time = f64::from(animation.duration()) * 0.37;
            let keyfold::Changed { document: frozen, findings, .. } =
                freeze(&document, animation, time, true).expect("frozen");
            assert!(findings.is_empty(), "{name}: {findings:?}");
            for track in &animation.tracks {
                let pointer = Pointer::parse(track.target.pointer()).expect("a pointer");
                let state = document.registry().find(&pointer).expect("a property").state(frozen.json());
                let (found, expected) = (state.value().expect("set").to_vec(), track.sample(time));
                let near = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-7 * b.abs().max(1.0));
                assert!(near && found.len() == expected.len(), "{name} {}: {found:?}, not {expected:?}", track.target);
                set += 1;
            }
        }
        assert!(set > 0, "{name}: nothing is frozen");
        println!("{name}: {set} properties frozen");
    }
}
