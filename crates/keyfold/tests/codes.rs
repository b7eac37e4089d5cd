//! Each of Keyfold's own codes has two files in `tests/codes`: `CODE.bad.gltf` triggers it, `CODE.good.gltf` just does not.

use keyfold::{Document, validate};
use std::{collections::BTreeSet, path::PathBuf};

fn codes_of(name: &str) -> BTreeSet<&'static str> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/codes").join(name);
    let document = Document::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    let left_out = keyfold::read(&document).map(|animations| animations.findings).unwrap_or_default();
    let fixes = validate::fix(&document).unwrap().map(|fixed| fixed.done).unwrap_or_default();
    let all = [validate::validate(&document), validate::advise(&document), left_out, fixes].concat();
    all.into_iter().map(|finding| finding.code).collect()
}

#[test]
fn own_codes_are_triggered_by_the_bad_file_and_not_by_the_good_one() {
    for code in validate::registry().into_iter().filter(|code| code.origin == validate::Origin::Keyfold) {
        let (bad, good) = (format!("{}.bad.gltf", code.name), format!("{}.good.gltf", code.name));
        assert!(codes_of(&bad).contains(code.name), "{bad}: {:?}", codes_of(&bad));
        assert!(!codes_of(&good).contains(code.name), "{good}: {:?}", codes_of(&good));
    }
}
