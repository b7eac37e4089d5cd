//! Prints the vectors of the object model as TypeScript, for `cargo xtask web`: patterns of their pointers, with what they are where the
//! document does not say. Drafts animate them component by component.

use keyfold::object_model::{Initial, Registry, Row};

fn main() {
    println!("const vectors: readonly (readonly [pattern: string, initial: readonly number[]])[] = [");
    for row in Registry::standard().rows() {
        if let Some(initial) = vector(row) {
            println!("  [{:?}, {initial:?}],", pattern(&row.template));
        }
    }
    println!("];\nexport default vectors;");
}

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
