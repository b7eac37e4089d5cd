//! A file's animations in the report: the worst of each is drawn large, everything else small in rows that unfold.

use super::{
    LARGE, SMALL, chart,
    text::{bytes, difference, escape, joint, length, seconds, track},
};
use keyfold::report::{AnimationReport, JointReport, TrackReport, TrackSide};
use std::fmt::Write;

/// All animations of one of so many files.
pub(super) fn animations(animations: &[AnimationReport], bound: f64, files: usize) -> String {
    let mut paper = Paper { large: (LARGE.1 / files).max(2), small: SMALL.0 / files, rows: SMALL.1 / files };
    let worst = worst_first(animations);
    let draw = |(rank, index): (usize, &usize)| (*index, paper.animation(&animations[*index], bound, rank == 0));
    let mut drawn: Vec<(usize, String)> = worst.iter().enumerate().map(draw).collect();
    drawn.sort_by_key(|(index, _)| *index);
    drawn.into_iter().map(|(_, text)| text).collect()
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
                "<figure><figcaption><span><b>Error over time</b> <span class=soft>hill: the worst joint; dashed: what is allowed</span></span><span class=legend>{}</span></figcaption>{}</figure>",
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
                length(one.error),
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
         <span class=soft>{} → {} keys, {} → {}; below: how far apart</span><span class=legend>{axes}</span></figcaption>{}</figure>",
        escape(&track(one)),
        difference(one),
        before.0,
        after.0,
        before.1,
        after.1,
        chart::curves(one, (animation.start, animation.end)),
    )
}
