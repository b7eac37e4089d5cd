//! The page of codes in the docs is what the registry says. `cargo xtask docs` writes it.

use keyfold::{
    Severity,
    validate::{self, Code, Origin},
};
use keyfold_oracle::root;

/// The page `docs/codes.md`.
fn page() -> String {
    let intro = "# Codes of `keyfold validate`\n\n\
        Written by `cargo xtask docs` from the registry of codes. `keyfold validate --explain CODE` says the same.\n";
    let severities = [
        (Severity::Error, "Errors", "A rule is broken. The exit code is 1."),
        (Severity::Warning, "Warnings", "Legal or nearly so, and likely not what was meant."),
        (Severity::Info, "Information", "Worth knowing; also what `--fix` has done."),
        (Severity::Hint, "Hints", "Advice: what could be better. `--quiet` leaves it out."),
    ];
    let mut page = intro.to_owned();
    for (severity, title, about) in severities {
        page += &format!("\n## {title}\n\n{about}\n\n| code | what it means | how to fix it |\n|---|---|---|\n");
        let codes = validate::registry().into_iter().filter(|code| code.severity == severity);
        codes.for_each(|code| page += &row(code));
    }
    page + "\n\\* Keyfold's own; the others are those of Khronos' glTF validator.\n"
}

fn row(code: &Code) -> String {
    let own = if code.origin == Origin::Keyfold { " \\*" } else { "" };
    format!("| `{}`{own} | {} | {} |\n", code.name, code.about.replace('|', "\\|"), code.fix.replace('|', "\\|"))
}

#[test]
fn the_page_in_the_docs_is_up_to_date() {
    let path = root().join("docs/codes.md");
    if std::env::var_os("KEYFOLD_WRITE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, page()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page(), "docs/codes.md is out of date: run `cargo xtask docs`");
}
