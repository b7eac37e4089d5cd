//! `--report FILE.html`: what an artist looks at before shipping. One page that asks nothing of the network and runs no script.
//!
//! One page for one run: with many files a table of all, and below it a part to unfold for each of the first [`PARTS`]. The worst
//! of each animation is drawn large, everything else small in rows that unfold, and both only so often that a page stays one
//! that a browser opens at once.

mod animation;
mod chart;
mod figures;
mod text;

use super::report::Row;
use crate::input;
use keyfold::{pack::FileReport, report::AnimationReport};
use std::{fmt::Write, path::Path};
use text::{bytes, escape, length, percent, saved};

/// How many files get a part of their own.
pub(super) const PARTS: usize = 40;
/// How many tracks are drawn large, in an animation and in a file.
const LARGE: (usize, usize) = (4, 40);
/// How many tracks and joints are drawn small, and how many are listed.
const SMALL: (usize, usize) = (800, 8000);

/// What every page begins with.
const HEAD: &str =
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">";

/// Whether a page may take a place: nothing is there but perhaps such a page.
pub(super) fn may_be_page(path: &Path) -> bool {
    input::may_replace(path, |start| start.starts_with(HEAD.as_bytes()))
}

/// A page about one run; `settings` are what was asked for.
pub(super) fn page(files: &[Row], settings: &[(&str, String)]) -> String {
    let (title, body) = match files {
        [file] => (file.name(), format!("<h1>{}</h1>{}", escape(&file.name()), file.part.clone().unwrap_or_default())),
        files => (format!("{} files", files.len()), many(files)),
    };
    let failed = |file: &Row| file.report.failed.as_ref().map(|why| failure(why));
    let alone = if let [file] = files { failed(file).unwrap_or_default() } else { String::new() };
    let settings: String = settings.iter().map(|(k, v)| format!("<dt>{k}</dt><dd>{}</dd>", escape(v))).collect();
    format!(
        "{HEAD}<title>{} · Keyfold</title><style>{}</style><main><div class=\"soft small\">Keyfold · what packing changed</div>{body}{alone}\
         <h2>Settings</h2><div class=card><dl>{settings}</dl></div>\
         <footer>The figures are of the file as written: it was opened again from its own bytes and measured, at three points of every node that \
         moves, as far out as the farthest vertex that it carries. Between the times that were looked at it is proven that none of these points is farther off than what \
         is said to be possible; vertices at other places around a node may be. In the drawings the pale band is the original and the \
         thin line what was packed; point at a drawing for its values.</footer></main></html>\n",
        escape(&title),
        include_str!("style.css"),
    )
}

fn failure(why: &str) -> String {
    format!("<p class=wrong><b>Failed:</b> {}</p>", escape(why))
}

fn many(files: &[Row]) -> String {
    let (failed, done): (Vec<&Row>, Vec<&Row>) = files.iter().partition(|file| file.report.failed.is_some());
    let sum = |of: fn(&FileReport) -> u64| done.iter().map(|file| of(&file.report)).sum::<u64>();
    let (before, after) = (sum(|f| f.bytes.before), sum(|f| f.bytes.after));
    let told = if failed.is_empty() { String::new() } else { format!(", <b class=wrong>{} failed</b>", failed.len()) };
    let mut out = format!(
        "<h1>{} files{told}</h1><p>{} became {}: {} saved.</p><div class=\"card scroll\"><table><tr><th>file<th class=n>before<th class=n>after<th class=n>saved<th class=n>largest error<th class=n>of size<th>where</tr>",
        files.len(),
        bytes(before),
        bytes(after),
        saved(before, after)
    );
    // What failed is what somebody has to look at.
    failed.into_iter().chain(done).for_each(|file| out += &overview(&file.report));
    out += "</table></div>";
    for file in files.iter().filter(|f| f.part.is_some()) {
        let (name, part) = (escape(&file.report.input), file.part.clone().unwrap_or_default());
        let _ = write!(out, "<details class=file><summary><span class=title>{name}</span>");
        let _ = write!(
            out,
            "<span class=fact>{} → {}</span></summary>{part}</details>",
            bytes(file.report.bytes.before),
            bytes(file.report.bytes.after)
        );
    }
    if files.len() > PARTS {
        let _ = write!(
            out,
            "<p class=\"soft small\">Drawn are the first {PARTS} files; pack a single one to see it here.</p>"
        );
    }
    out
}

/// A file's row, with its folder: names alone are not enough to find a file by.
fn overview(file: &FileReport) -> String {
    let name = escape(&file.input);
    if let Some(why) = &file.failed {
        return format!("<tr class=wrong><td class=name>{name}<td colspan=6>failed: {}</tr>", escape(why));
    }
    let [error, share, place] = match &file.error {
        Some(error) => [length(error.max), percent(error.relative), escape(&error.to_string())],
        None => ["–".into(), "–".into(), if file.up_to_date { "up to date".into() } else { String::new() }],
    };
    format!(
        "<tr><td class=name>{name}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{error}<td class=n>{share}<td>{place}</tr>",
        bytes(file.bytes.before),
        bytes(file.bytes.after),
        saved(file.bytes.before, file.bytes.after),
    )
}

/// The part of a page that is about one of so many files; `hashes` are of the file as it was and as it is.
pub(super) fn part(file: &FileReport, animations: &[AnimationReport], hashes: &[String; 2], files: usize) -> String {
    let bound = file.error.as_ref().map_or(0.0, |e| e.bound);
    let mut out = figures::verdict(file) + &figures::tiles(file);
    for what in &file.left {
        let _ = write!(out, "<p><b>Left as it was:</b> {}</p>", escape(what));
    }
    out += "<h2>Animations</h2>";
    if animations.is_empty() {
        out += "<p class=soft>There are none.</p>";
    }
    out += &animation::animations(animations, bound, files.clamp(1, PARTS));
    out += &figures::storages(&file.candidates, file.storage);
    let output = file.output.as_deref().unwrap_or("written nowhere");
    let rows = [("Input", file.input.as_str(), &hashes[0]), ("Output", output, &hashes[1])];
    let row = |(what, name, hash): (&str, &str, &String)| {
        format!("<dt>{what}</dt><dd>{}<br><code class=soft>BLAKE3 {hash}</code></dd>", escape(name))
    };
    let rows: String = rows.into_iter().map(row).collect();
    out + &format!("<h2>Files</h2><div class=card><dl>{rows}</dl></div>")
}
