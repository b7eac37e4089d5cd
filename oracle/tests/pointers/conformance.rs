//! The conformance files against their manifest.

use std::collections::BTreeSet;

use keyfold::{freeze, object_model::Pointer, object_model::Registry, read, unpack};

use crate::{manifest, to};

#[test]
fn every_mutable_property_is_there_in_every_form() {
    let manifest = manifest();
    let registry = Registry::standard();
    let row = |template: &str| {
        let pointer = Pointer::parse(template.replace("{}", "0")).expect("a pointer");
        registry.find(&pointer).unwrap_or_else(|| panic!("{template}")).row.template.clone()
    };
    let seen: BTreeSet<_> = manifest.valid.iter().map(|file| row(&file.template)).collect();
    for row in registry.rows().iter().filter(|row| row.mutable) {
        assert!(seen.contains(&row.template), "{} has no file", row.template);
    }
    let templates: BTreeSet<&str> = manifest.valid.iter().map(|file| file.template.as_str()).collect();
    let forms: usize = manifest.valid.iter().map(|file| file.animations.len()).sum();
    println!("{} mutable templates, {forms} animations in {} files", templates.len(), manifest.valid.len());
    assert_eq!(templates.len(), 130);
    assert_eq!(forms, 120 + 130 * 4);
}

#[test]
fn every_form_is_read_sampled_written_and_converted_both_ways() {
    let mut conversions = 0;
    for file in manifest().valid {
        let document = file.open();
        file.assert_played(&document, "as it is");
        for there in file.ways() {
            let converted = to(&document, *there);
            file.assert_played(&converted, "converted");
            for back in file.ways() {
                file.assert_played(&to(&converted, *back), "and back");
                conversions += 1;
            }
        }
        let plain = unpack(&document, keyfold::Bound::default()).expect("unpacked").document;
        file.assert_played(&plain, "unpacked");
    }
    println!("{conversions} conversions there and back");
}

#[test]
fn a_frozen_file_holds_the_values() {
    for file in manifest().valid.iter().filter(|file| file.is_ratified()) {
        let document = file.open();
        let animation = &read(&document).expect("readable").animations[0];
        for (time, expected) in file.times.iter().zip(&file.values) {
            let keyfold::Changed { document: frozen, findings, .. } =
                freeze(&document, animation, *time, false).expect("frozen");
            assert!(findings.is_empty(), "{}: {findings:?}", file.file.display());
            assert!(frozen.json().get("animations").is_none());
            let pointer = Pointer::parse(file.target.as_str()).expect("a pointer");
            let found = Registry::standard().find(&pointer).expect("a property").state(frozen.json());
            let found = found.value().unwrap_or_else(|| panic!("{}: not set", file.file.display())).to_vec();
            let near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1.0));
            assert!(near && found.len() == expected.len(), "{}: {found:?}, not {expected:?}", file.file.display());
        }
    }
}
