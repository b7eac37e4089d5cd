//! `--report FILE.html`: what an artist looks at before shipping. One page that asks nothing of the network and runs no script.
//!
//! One page for one run: with many files a table of all, and below it a part to unfold for each of the first [`PARTS`]. The worst
//! of each animation is drawn large, everything else small in rows that unfold, and both only so often that a page stays one
//! that a browser opens at once.

mod chart;
mod text;

use super::report::{Row, file_name};
use keyfold::{
    Storage,
    pack::{Candidate, ErrorReport, FileReport},
    report::{AnimationReport, JointReport, TrackReport, TrackSide},
};
use std::{fmt::Write, fs::File, io::Read, path::Path};
use text::{bytes, difference, escape, joint, number, percent, saved, seconds, track};

/// How many files get a part of their own.
pub(super) const PARTS: usize = 40;
/// How many tracks are drawn large, in an animation and in a file.
const LARGE: (usize, usize) = (4, 40);
/// How many tracks and joints are drawn small, and how many are listed.
const SMALL: (usize, usize) = (800, 8000);

/// What every page begins with.
const HEAD: &str =
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">";

/// Whether a file is such a page.
pub(super) fn is_page(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD.len() as u64).read_to_end(&mut start));
    read.is_ok() && start == HEAD.as_bytes()
}

/// A page about one run.
pub(super) fn page(files: &[Row], settings: &[(&str, String)]) -> String {
    let (title, body) = match files {
        [file] => (file.name(), format!("<h1>{}</h1>{}", escape(&file.name()), file.part.clone().unwrap_or_default())),
        files => (format!("{} files", files.len()), many(files)),
    };
    let settings: String = settings.iter().map(|(k, v)| format!("<dt>{k}</dt><dd>{}</dd>", escape(v))).collect();
    format!(
        "{HEAD}<title>{} · Keyfold</title><style>{}</style><main><div class=\"soft small\">Keyfold · what packing changed</div>{body}\
         <h2>Settings</h2><div class=card><dl>{settings}</dl></div>\
         <footer>Written by keyfold {}. The figures are of the file as written: read back and measured at every key of both files, \
         between keys, and at random times. In the drawings the pale band is the original and the thin line what was packed.</footer></main></html>\n",
        escape(&title),
        include_str!("style.css"),
        env!("CARGO_PKG_VERSION"),
    )
}

fn many(files: &[Row]) -> String {
    let sum = |of: fn(&FileReport) -> u64| files.iter().map(|file| of(&file.report)).sum::<u64>();
    let (before, after) = (sum(|f| f.bytes.before), sum(|f| f.bytes.after));
    let mut out = format!(
        "<h1>{} files</h1><p>{} became {}: {} saved.</p><div class=\"card scroll\"><table><tr><th>file<th class=n>before<th class=n>after<th class=n>saved<th class=n>largest error<th>where</tr>",
        files.len(),
        bytes(before),
        bytes(after),
        saved(before, after)
    );
    files.iter().for_each(|file| out += &overview(&file.report));
    out += "</table></div>";
    for file in files.iter().filter(|f| f.part.is_some()) {
        let (name, part) = (escape(&file.name()), file.part.clone().unwrap_or_default());
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

fn overview(file: &FileReport) -> String {
    let (error, place) = match (&file.failed, &file.error) {
        (Some(why), _) => ("–".into(), escape(why)),
        (_, Some(error)) => (percent(error.relative), escape(&error.to_string())),
        _ => ("–".into(), if file.up_to_date { "up to date".into() } else { String::new() }),
    };
    format!(
        "<tr><td class=name>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{error}<td>{place}</tr>",
        escape(&file_name(&file.input)),
        bytes(file.bytes.before),
        bytes(file.bytes.after),
        saved(file.bytes.before, file.bytes.after),
    )
}

/// The part of a page that is about one of so many files.
pub(super) fn part(file: &FileReport, animations: &[AnimationReport], files: usize) -> String {
    let bound = file.error.as_ref().map_or(0.0, |e| e.bound);
    let mut out = verdict(file) + &tiles(file);
    for what in &file.left {
        let _ = write!(out, "<p><b>Left as it was:</b> {}</p>", escape(what));
    }
    out += "<h2>Animations</h2>";
    if animations.is_empty() {
        out += "<p class=soft>There are none.</p>";
    }
    let files = files.clamp(1, PARTS);
    let mut paper = Paper { large: (LARGE.1 / files).max(2), small: SMALL.0 / files, rows: SMALL.1 / files };
    let worst = worst_first(animations);
    let mut drawn: Vec<(usize, String)> = worst
        .iter()
        .enumerate()
        .map(|(rank, index)| (*index, paper.animation(&animations[*index], bound, rank == 0)))
        .collect();
    drawn.sort_by_key(|(index, _)| *index);
    drawn.iter().for_each(|(_, text)| out += text);
    out + &storages(&file.candidates, file.storage)
}

fn verdict(file: &FileReport) -> String {
    let Some(error) = &file.error else { return String::new() };
    if file.copied {
        return "<p>Nothing could be saved: the output is a copy of the input.</p>".into();
    }
    let points = if error.max == 0.0 {
        "<p>Every point of the model moves exactly as before.</p>".to_owned()
    } else {
        let (most, allowed) = (percent(error.relative), percent(error.allowed()));
        format!(
            "<p>At no time is any point of the model farther than <b>{most} of its size</b> from where it was; allowed were {allowed}.</p>"
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

fn tiles(file: &FileReport) -> String {
    let size = |label: &str, before: u64, after: u64| {
        let share = 100.0 * after as f64 / before.max(1) as f64;
        let figure = format!("{} → {}", bytes(before), bytes(after));
        tile(label, &figure, "", share, &format!("{} saved", saved(before, after)))
    };
    let (whole, own) = (file.bytes, file.animation_bytes);
    let mut out = size("The file", whole.before, whole.after);
    if own.before > 0 {
        out += &size("Its animations", own.before, own.after);
    }
    if let Some(error) = &file.error {
        let share = if error.bound > 0.0 { 100.0 * error.max / error.bound } else { 0.0 };
        let note = format!("{} of {} scene units allowed", number(error.max), number(error.bound));
        out += &tile("Largest error", &percent(error.relative), "held", share, &note);
        if error.node.is_some() {
            out += &tile(
                "Worst joint",
                &escape(error.node.as_deref().unwrap_or_default()),
                "",
                -1.0,
                &escape(&error.moment()),
            );
        }
    }
    format!("<div class=tiles>{out}</div>")
}

/// A figure with a bar below it; a negative share is no bar.
fn tile(label: &str, figure: &str, kind: &str, share: f64, note: &str) -> String {
    let width = share.min(100.0);
    let bar = if share >= 0.0 {
        format!("<span class=\"bar {kind}\"><i style=\"width:{width:.1}%\"></i></span>")
    } else {
        String::new()
    };
    format!(
        "<div class=tile><div class=label>{label}</div><div class=figure>{figure}</div>{bar}<div class=\"soft small\">{note}</div></div>"
    )
}

/// The animations, the worst first: in this order they get paper.
fn worst_first(animations: &[AnimationReport]) -> Vec<usize> {
    let error = |index: &usize| animations[*index].joints.first().map_or(0.0, |j| j.error);
    let mut order: Vec<usize> = (0..animations.len()).collect();
    order.sort_by(|a, b| error(b).total_cmp(&error(a)));
    order
}

/// How many drawings and rows there is room for yet.
struct Paper {
    large: usize,
    small: usize,
    rows: usize,
}

impl Paper {
    fn animation(&mut self, animation: &AnimationReport, bound: f64, open: bool) -> String {
        let name = animation.name.clone().unwrap_or_else(|| format!("animation {}", animation.index));
        let sum = |of: fn(&TrackReport) -> &Option<TrackSide>| {
            animation.tracks.iter().filter_map(|t| of(t).as_ref()).map(|s| s.bytes as u64).sum::<u64>()
        };
        let (before, after) = (sum(|t| &t.before), sum(|t| &t.after));
        let worst = animation.joints.first().filter(|j| j.error > 0.0);
        let place = worst.map_or_else(String::new, |j| format!("{} at {}", escape(&joint(j)), seconds(j.time)));
        let mut out = format!(
            "<details class=animation{}><summary><span class=title>{}</span><span class=fact>{}</span><span class=fact>{} → {}</span>\
             <span class=fact>{place}</span></summary>",
            if open { " open" } else { "" },
            escape(&name),
            seconds(animation.end),
            bytes(before),
            bytes(after),
        );
        if worst.is_some() {
            let _ = write!(
                out,
                "<figure><figcaption><b>Error over time</b><span class=legend>{}</span></figcaption>{}</figure>",
                chart::legend(animation),
                chart::errors(animation, bound)
            );
            out += &self.joints(&animation.joints, bound);
        }
        self.large_curves(animation).iter().for_each(|drawing| out += drawing);
        out + &self.tracks(animation) + "</details>"
    }

    /// Every joint with its error over time.
    fn joints(&mut self, joints: &[JointReport], bound: f64) -> String {
        let (listed, mut rows) = self.take_rows(joints.len());
        for one in &joints[..listed] {
            let spark = if self.take_small() { chart::joint_spark(one, bound) } else { String::new() };
            let _ = write!(
                rows,
                "<tr><td class=name>{}<td class=n>{}<td class=n>{}<td>{spark}</tr>",
                escape(&joint(one)),
                number(one.error),
                seconds(one.time),
            );
        }
        format!(
            "<details class=more><summary>All {} joints</summary><div class=scroll><table><tr><th>joint<th class=n>largest error<th class=n>at<th>over time, up to the bound</tr>{rows}</table></div></details>",
            joints.len()
        )
    }

    /// The worst track of each kind, large.
    fn large_curves(&mut self, animation: &AnimationReport) -> Vec<String> {
        let mut kinds: Vec<&str> = Vec::new();
        let mut order: Vec<&TrackReport> = animation.tracks.iter().filter(|t| t.difference > 0.0).collect();
        order.sort_by(|a, b| b.difference.total_cmp(&a.difference));
        let first_of_kind = |track: &&TrackReport| {
            let kind = kind(track);
            let new = !kinds.contains(&kind);
            kinds.push(kind);
            new
        };
        let chosen: Vec<&TrackReport> = order.into_iter().filter(first_of_kind).take(LARGE.0.min(self.large)).collect();
        self.large -= chosen.len();
        chosen.into_iter().map(|track| large(track, animation)).collect()
    }

    /// Every track with its bytes.
    fn tracks(&mut self, animation: &AnimationReport) -> String {
        let (listed, mut rows) = self.take_rows(animation.tracks.len());
        for one in &animation.tracks[..listed] {
            let moves = one.before.iter().chain(&one.after).any(|s| s.track.curve.keys() > 1);
            let spark = if moves && self.take_small() {
                chart::track_spark(one, (animation.start, animation.end))
            } else {
                String::new()
            };
            let (before, after) = (weight(&one.before), weight(&one.after));
            let off = if one.difference > 0.0 { difference(one) } else { "–".into() };
            let _ = write!(
                rows,
                "<tr><td class=name>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{off}<td>{spark}</tr>",
                escape(&track(one)),
                before.0,
                after.0,
                before.1,
                after.1,
            );
        }
        format!(
            "<details class=more><summary>All {} tracks: bytes before and after</summary><div class=scroll><table><tr><th>track<th class=n>keys<th class=n>now<th class=n>bytes<th class=n>now<th class=n>off by<th>before and after</tr>{rows}</table></div></details>",
            animation.tracks.len()
        )
    }

    /// How many of `count` rows there is room for, and what stands before them.
    fn take_rows(&mut self, count: usize) -> (usize, String) {
        let listed = count.min(self.rows);
        self.rows -= listed;
        let more = if listed < count {
            format!("<tr><td class=soft colspan=7>{listed} of {count} are listed</tr>")
        } else {
            String::new()
        };
        (listed, more)
    }

    fn take_small(&mut self) -> bool {
        let left = self.small > 0;
        self.small = self.small.saturating_sub(1);
        left
    }
}

fn kind(track: &TrackReport) -> &'static str {
    match &track.target {
        keyfold::Target::Node { property, .. } => property.name(),
        keyfold::Target::Pointer { .. } => "pointer",
    }
}

/// Keys and bytes of one side.
fn weight(side: &Option<TrackSide>) -> (String, String) {
    let gone = || ("–".to_owned(), "–".to_owned());
    side.as_ref().map_or_else(gone, |s| (s.track.curve.keys().to_string(), bytes(s.bytes as u64)))
}

fn large(one: &TrackReport, animation: &AnimationReport) -> String {
    let axis = |(i, name): (usize, &&str)| format!("<span class=c{i}><b>{name}</b></span>");
    let axes: String = one.axes().iter().enumerate().map(axis).collect();
    let (before, after) = (weight(&one.before), weight(&one.after));
    let counted = match kind(one) {
        "rotation" => "degrees turned from the first key, ",
        "translation" | "scale" => "way from the first key, ",
        _ => "",
    };
    format!(
        "<figure><figcaption><span><b>{}</b> <span class=soft>{counted}off by {} at most</span></span>\
         <span class=soft>{} → {} keys, {} → {}</span><span class=legend>{axes}</span></figcaption>{}</figure>",
        escape(&track(one)),
        difference(one),
        before.0,
        after.0,
        before.1,
        after.1,
        chart::curves(one, (animation.start, animation.end)),
    )
}

fn storages(candidates: &[Candidate], chosen: Option<Storage>) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    let row = |c: &Candidate| {
        let class = if Some(c.storage) == chosen { " class=chosen" } else { "" };
        format!(
            "<tr{class}><td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td>{}</tr>",
            c.storage,
            bytes(c.animation_bytes),
            bytes(c.gzip_bytes as u64),
            number(c.error),
            c.plays,
        )
    };
    let rows: String = candidates.iter().map(row).collect();
    let more = if candidates.len() == 1 {
        "<p class=\"soft small\"><code>--dry-run</code> tries the other storages, too.</p>"
    } else {
        ""
    };
    format!(
        "<h2>Storages</h2><div class=\"card scroll\"><table><tr><th>storage<th class=n>animation bytes<th class=n>gzip, with JSON<th class=n>error<th>plays</tr>{rows}</table></div>{more}"
    )
}
