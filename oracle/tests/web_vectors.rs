//! `web/keyfold/src/vectors.ts` says what the object model's registry says: patterns of the pointers that are vectors, with what they are where a
//! document does not say. Drafts animate them component by component. `cargo xtask docs` writes it.

use keyfold::object_model::{Initial, Registry, Row};
use keyfold_oracle::root;
use std::{env, fs};

#[test]
fn the_package_knows_the_vectors_of_the_registry() {
    let page = root().join("web/keyfold/src/vectors.ts");
    let rows = Registry::standard().rows().iter();
    let lines = rows.filter_map(|row| Some(format!("  [{:?}, {:?}],\n", pattern(&row.template), vector(row)?)));
    let lines: Vec<String> = lines.collect();
    assert!(lines.len() > 10);
    let wanted = format!("{HEAD}{}];\nexport default vectors;\n", lines.concat());
    if env::var_os("KEYFOLD_WRITE_DOCS").is_some() {
        fs::write(&page, &wanted).unwrap();
    }
    let written = fs::read_to_string(&page).unwrap_or_default();
    assert!(written == wanted, "{} is out of date: run `cargo xtask docs`", page.display());
}

const HEAD: &str = "\
// The vectors of the object model: patterns of their pointers, with what they are where the document does not say. Written by `cargo xtask docs` from
// the library's registry.
const vectors: readonly (readonly [pattern: string, initial: readonly number[]])[] = [
";

/// The default of a row that is a vector; nodes have words of their own for theirs.
fn vector(row: &Row) -> Option<&[f64]> {
    let other =
        row.mutable && !row.quaternion && !matches!(&*row.template, "/nodes/{}/translation" | "/nodes/{}/scale");
    match (&row.initial, row.value_type.width()) {
        (Initial::Value(value), Some(2..=4)) if other => Some(value),
        _ => None,
    }
}

/// A template as a regular expression.
fn pattern(template: &str) -> String {
    let steps = template.split('/').skip(1).map(|step| match step {
        "{}" => "/(0|[1-9][0-9]*)".to_owned(),
        "**" => "(/(?!extras(/|$))[^/]*)*".to_owned(),
        _ => format!("/{}", step.replace('*', "[^/]*")),
    });
    format!("^{}$", steps.collect::<String>())
}
