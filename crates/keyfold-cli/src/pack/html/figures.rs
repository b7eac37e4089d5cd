//! What the report says of a file at a glance: the verdict, tiles with bars, and what each storage takes.

use super::text::{bytes, escape, length, percent, saved};
use keyfold::{
    Storage,
    pack::{Candidate, ErrorReport, FileReport},
};

/// Whether the bound is kept, in a sentence.
pub(super) fn verdict(file: &FileReport) -> String {
    let Some(error) = &file.error else { return String::new() };
    if file.copied {
        return "<p>Nothing could be saved: the output is a copy of the input.</p>".into();
    }
    let points = if error.max == 0.0 {
        "<p>Every measured point of the model moves exactly as before.</p>".to_owned()
    } else {
        let share = |length: f64| percent(length * error.relative / error.max);
        let (most, allowed) = (share(error.possible), share(error.bound));
        format!(
            "<p>At no time is any measured point of the model farther than <b>{}</b> from where it was, {most} of the model’s size; allowed were {}, {allowed}.</p>",
            length(error.possible),
            length(error.bound),
        )
    };
    points + &properties(error)
}

/// What is said of properties that move no points.
fn properties(error: &ErrorReport) -> String {
    let Some(target) = error.properties.target.as_ref().filter(|_| error.properties.max > 0.0) else {
        return String::new();
    };
    let (most, target) = (percent(error.properties.max), escape(target));
    format!("<p>Of what moves no points, <code>{target}</code> is off most: by {most} of its range.</p>")
}

/// Sizes, the error and where it is worst.
pub(super) fn tiles(file: &FileReport) -> String {
    let size = |label: &str, before: u64, after: u64| {
        let share = 100.0 * after as f64 / before.max(1) as f64;
        let figure = format!("{} → {}", bytes(before), bytes(after));
        let note = format!("{} saved; the bar is what is left", saved(before, after));
        tile(label, &figure, Some(Bar { kind: "", share }), &note)
    };
    let (whole, own) = (file.bytes, file.animation_bytes);
    let mut out = size("The file", whole.before, whole.after);
    if own.before > 0 {
        out += &size("Its animations", own.before, own.after);
    }
    if let Some(error) = &file.error {
        let share = if error.bound > 0.0 { 100.0 * error.max / error.bound } else { 0.0 };
        let note =
            format!("{} of the model’s size; the bar is {share:.0} % of what is allowed", percent(error.relative));
        let figure = format!("{} of {}", length(error.max), length(error.bound));
        out += &tile("Largest error", &figure, Some(Bar { kind: "held", share }), &note);
        if let Some(node) = &error.node {
            out += &tile("Worst joint", &escape(node), None, &escape(&error.moment()));
        }
    }
    format!("<div class=tiles>{out}</div>")
}

/// A bar that is so many per cent full.
struct Bar {
    kind: &'static str,
    share: f64,
}

/// A figure, with a bar below it where it is a share of something.
fn tile(label: &str, figure: &str, bar: Option<Bar>, note: &str) -> String {
    let bar = bar.map_or_else(String::new, |Bar { kind, share }| {
        let width = share.min(100.0);
        format!("<span class=\"bar {kind}\" title=\"{share:.1} %\"><i style=\"width:{width:.1}%\"></i></span>")
    });
    format!(
        "<div class=tile><div class=label>{label}</div><div class=figure>{figure}</div>{bar}<div class=\"soft small\">{note}</div></div>"
    )
}

/// What each storage takes. Estimates say that they are.
pub(super) fn storages(candidates: &[Candidate], chosen: Option<Storage>) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    let row = |c: &Candidate| {
        let class = if Some(c.storage) == chosen { " class=chosen" } else { "" };
        let about = if c.quick { "about " } else { "" };
        format!(
            "<tr{class}><td>{}<td class=n>{about}{}<td class=n>{about}{}<td class=n>{}<td>{}</tr>",
            c.storage,
            bytes(c.animation_bytes),
            bytes(c.gzip_bytes as u64),
            c.error.map_or_else(|| "–".to_owned(), length),
            escape(&c.plays),
        )
    };
    let rows: String = candidates.iter().map(row).collect();
    let more = match candidates {
        [_] => "<p class=\"soft small\"><code>--dry-run</code> tries the other storages, too.</p>",
        _ if candidates.iter().any(|c| c.quick) => {
            "<p class=\"soft small\">“About” marks an estimate; <code>--dry-run</code> packs to every storage and measures.</p>"
        }
        _ => "",
    };
    format!(
        "<h2>Storages</h2><div class=\"card scroll\"><table><tr><th>storage<th class=n>animation bytes<th class=n>gzip, with JSON<th class=n>error<th>plays</tr>{rows}</table></div>{more}"
    )
}
