//! Drawings for the report, as SVG: error over time, curves over each other, and small ones for rows of a table.
//!
//! Coordinates of curves are whole quarters, relative to the point before, so that a page of many curves stays small.

use super::text::{escape, joint, length, number, seconds, unit};
use keyfold::report::{AnimationReport, JointReport, TrackReport};
use std::fmt::Write;

/// How many joints get a line of their own.
const LINES: usize = 5;
const WIDTH: f64 = 980.0;
/// What holds curves.
const FINER: &str = "<g transform=scale(.25)>";
/// Curves are drawn in coordinates so many times finer than the drawing's own.
const FINE: f64 = 4.0;
/// Where axes stand.
const LEFT: f64 = 88.0;

/// How many places of a large drawing tell their values.
const COLUMNS: usize = 64;

/// A rectangle on paper, and what its edges stand for.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    x: (f64, f64),
    y: (f64, f64),
}

impl Area {
    fn place(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let share = |v: f64, (low, high): (f64, f64)| if high > low { (v - low) / (high - low) } else { 0.5 };
        let (x, y) = (share(x, self.x), share(y, self.y).clamp(-0.05, 1.05));
        (self.left + x * self.width, self.top + (1.0 - y) * self.height)
    }

    /// A path through points; stepped ones hold their value up to the next.
    fn path(&self, points: impl Iterator<Item = (f64, f64)>, stepped: bool) -> String {
        let (mut text, mut last) = (String::new(), None::<(i64, i64)>);
        for point in points {
            let (x, y) = self.place(point);
            let (x, y) = ((x * FINE).round() as i64, (y * FINE).round() as i64);
            match last {
                None => drop(write!(text, "M{x} {y}l")),
                Some((px, py)) if stepped && py != y => drop(write!(text, "{} 0 0 {} ", x - px, y - py)),
                Some((px, py)) => drop(write!(text, "{} {} ", x - px, y - py)),
            }
            last = Some((x, y));
        }
        text.trim_end_matches(['l', ' ']).to_owned()
    }

    fn frame(&self) -> String {
        let Self { left, top, width, height, .. } = self;
        format!("<path class=frame d=\"M{left} {top}v{height}h{width}\"/>")
    }

    /// Marks along the time axis.
    fn times(&self) -> String {
        let step = nice((self.x.1 - self.x.0) / 8.0);
        let (mut text, mut time) = (String::new(), (self.x.0 / step).ceil() * step);
        while step > 0.0 && time <= self.x.1 + step * 1e-6 {
            let (x, y) = (self.place((time, 0.0)).0, self.top + self.height + 14.0);
            let _ = write!(text, "<text x={x:.1} y={y:.0} text-anchor=middle>{}</text>", seconds(time));
            time += step;
        }
        text
    }

    /// Columns over the whole area that tell what is there when they are pointed at; `values` tells it of a share of the time.
    fn hover(&self, values: impl Fn(f64) -> String) -> String {
        let (mut text, width) = ("<g class=hover>".to_owned(), self.width / COLUMNS as f64);
        for column in 0..COLUMNS {
            let part = (column as f64 + 0.5) / COLUMNS as f64;
            let (x, time) = (self.left + column as f64 * width, self.x.0 + part * (self.x.1 - self.x.0));
            let _ = write!(
                text,
                "<rect x={x:.1} y={} width={width:.1} height={}><title>{}: {}</title></rect>",
                self.top,
                self.height,
                seconds(time),
                escape(&values(part))
            );
        }
        text + "</g>"
    }

    fn label(&self, value: f64, words: &str) -> String {
        let y = self.place((self.x.0, value)).1 + 4.0;
        format!("<text x={} y={y:.1} text-anchor=end>{words}</text>", self.left - 7.0)
    }
}

/// The next of 1, 2 or 5 times a power of ten.
fn nice(step: f64) -> f64 {
    if !(step > 0.0 && step.is_finite()) {
        return 0.0;
    }
    let power = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= step * 0.999).unwrap_or(step)
}

fn svg(width: f64, height: f64, what: &str, content: &str) -> String {
    format!("<svg viewBox=\"0 0 {width} {height}\" role=img aria-label=\"{what}\">{content}</svg>")
}

/// The joints' errors over time: the largest of all as a hill, the worst ones as lines, the bound above.
pub(super) fn errors(animation: &AnimationReport, bound: f64) -> String {
    let worst = animation.joints.first().map_or(0.0, |j| j.error);
    let top = (1.15 * bound).max(1.05 * worst);
    let area = Area {
        left: LEFT,
        top: 8.0,
        width: WIDTH - LEFT - 8.0,
        height: 170.0,
        x: (animation.start, animation.end),
        y: (0.0, if top > 0.0 { top } else { 1.0 }),
    };
    let mut content = format!("{FINER}<path class=most d=\"{}\"/>", hill(&area, &most(&animation.joints)));
    for (index, joint) in animation.joints.iter().take(LINES).enumerate().rev() {
        let line = area.path(spread(&area, &joint.parts), false);
        let _ = write!(content, "<path class=\"is c{index}\" d=\"{line}\"/>");
    }
    let y = area.place((0.0, bound)).1;
    let _ = write!(content, "</g><path class=bound d=\"M{LEFT} {y:.1}h{}\"/>", area.width);
    content += &(area.frame() + &area.times() + &area.label(0.0, "0") + &area.label(bound, &length(bound)));
    let values = |part: f64| {
        let at = |parts: &[f64]| parts[((part * parts.len() as f64) as usize).min(parts.len() - 1)];
        let worst = animation.joints.iter().filter(|j| !j.parts.is_empty());
        let worst = worst.map(|j| (at(&j.parts), j)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        worst.map_or_else(String::new, |(error, j)| format!("{} {}", joint(j), length(error)))
    };
    content += &area.hover(values);
    svg(WIDTH, 200.0, "error over time", &content)
}

/// What the lines of [`errors`] stand for.
pub(super) fn legend(animation: &AnimationReport) -> String {
    let entry = |(i, one): (usize, &JointReport)| format!("<span class=c{i}><b>—</b> {}</span>", escape(&joint(one)));
    animation.joints.iter().take(LINES).enumerate().map(entry).collect()
}

fn most(joints: &[JointReport]) -> Vec<f64> {
    let count = joints.first().map_or(0, |j| j.parts.len());
    (0..count).map(|p| joints.iter().map(|j| j.parts[p]).fold(0.0, f64::max)).collect()
}

/// Parts of an animation's time as points in their middles.
fn spread<'a>(area: &Area, parts: &'a [f64]) -> impl Iterator<Item = (f64, f64)> + 'a {
    let (start, end, count) = (area.x.0, area.x.1, parts.len() as f64);
    parts.iter().enumerate().map(move |(i, v)| (start + (end - start) * (i as f64 + 0.5) / count, *v))
}

fn hill(area: &Area, parts: &[f64]) -> String {
    let ends = |x: f64| std::iter::once((x, 0.0));
    area.path(ends(area.x.0).chain(spread(area, parts)).chain(ends(area.x.1)), false) + "z"
}

/// One joint's error over time, for a row of a table.
pub(super) fn joint_spark(one: &JointReport, bound: f64) -> String {
    let top = if bound > 0.0 { bound.max(one.error) } else { one.error.max(f64::MIN_POSITIVE) };
    let area = Area { left: 0.0, top: 1.0, width: 190.0, height: 28.0, x: (0.0, 1.0), y: (0.0, top) };
    let coarse: Vec<f64> = one.parts.chunks(2).map(|pair| pair.iter().copied().fold(0.0, f64::max)).collect();
    let bound = area.place((0.0, bound)).1;
    format!(
        "<svg class=spark viewBox=\"0 0 190 30\"><title>{} at {}</title>{FINER}<path class=area d=\"{}\"/></g><path class=bound d=\"M0 {bound:.1}h190\"/></svg>",
        length(one.error),
        seconds(one.time),
        hill(&area, &coarse)
    )
}

/// A track before and after, drawn over each other; below it how far one is from the other, and the keys that are left.
pub(super) fn curves(track: &TrackReport, (start, end): (f64, f64)) -> String {
    let times = times(start, end, 320);
    let rows = track.rows(&times);
    let range = range(&rows);
    let area =
        Area { left: LEFT, top: 8.0, width: WIDTH - LEFT - 8.0, height: 150.0, x: (start, end), y: padded(range) };
    let mut content = lines(&area, &times, &rows, track.is_stepped());
    content += &(area.frame() + &area.label(range.0, &number(range.0)) + &area.label(range.1, &number(range.1)));
    let off = apart(&rows);
    let worst = off.iter().copied().fold(0.0, f64::max);
    let below = Area { top: 172.0, height: 34.0, y: (0.0, if worst > 0.0 { worst } else { 1.0 }), ..area };
    let line = below.path(times.iter().copied().zip(off.iter().copied()), track.is_stepped());
    let _ = write!(content, "{FINER}<path class=off d=\"{line}\"/></g><path class=key d=\"{}\"/>", keys(track, &below));
    content += &(below.frame() + &below.times() + &below.label(0.0, "0") + &below.label(worst, &unit(track, worst)));
    let values = |part: f64| {
        let row = (part * (times.len() - 1) as f64).round() as usize;
        let numbers: Vec<String> = rows[1].get(row).into_iter().flatten().take(6).map(|v| number(*v)).collect();
        format!("{}; apart {}", numbers.join(", "), unit(track, off[row]))
    };
    content += &Area { height: below.top + below.height - area.top, ..area }.hover(values);
    svg(WIDTH, 224.0, "curves before and after", &content)
}

/// A track before and after, for a row of a table.
pub(super) fn track_spark(track: &TrackReport, (start, end): (f64, f64)) -> String {
    let times = times(start, end, 40);
    let rows = track.rows(&times);
    let area = Area { left: 0.0, top: 2.0, width: 190.0, height: 26.0, x: (start, end), y: padded(range(&rows)) };
    let drawn = lines(&area, &times, &rows, track.is_stepped());
    let (low, high) = range(&rows);
    format!("<svg class=spark viewBox=\"0 0 190 30\"><title>{} to {}</title>{drawn}</svg>", number(low), number(high))
}

fn times(start: f64, end: f64, count: usize) -> Vec<f64> {
    (0..=count).map(|i| start + (end - start) * i as f64 / count as f64).collect()
}

/// The first few components of both sides.
fn lines(area: &Area, times: &[f64], rows: &[Vec<Vec<f64>>; 2], stepped: bool) -> String {
    let mut text = FINER.to_owned();
    for (class, rows) in ["was", "is"].iter().zip(rows) {
        for component in 0..rows.first().map_or(0, |r| r.len().min(6)) {
            let points = times.iter().zip(rows).map(|(t, row)| (*t, row[component]));
            let _ = write!(text, "<path class=\"{class} c{component}\" d=\"{}\"/>", area.path(points, stepped));
        }
    }
    text + "</g>"
}

/// A short stroke for each key that is left.
fn keys(track: &TrackReport, area: &Area) -> String {
    let after = track.after.as_ref().map(|side| side.track.curve.times());
    let mut last = f64::NEG_INFINITY;
    let mut text = String::new();
    for time in after.into_iter().flatten() {
        let x = area.place((f64::from(*time), 0.0)).0.round();
        if x > last {
            let _ = write!(text, "M{x} {}v4", area.top + area.height);
        }
        last = x;
    }
    text
}

fn range(rows: &[Vec<Vec<f64>>; 2]) -> (f64, f64) {
    let values = || rows.iter().flatten().flatten().copied();
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    if low <= high { (low, high) } else { (0.0, 0.0) }
}

/// What is drawn of a range: flat curves in the middle, not noise blown up.
fn padded((low, high): (f64, f64)) -> (f64, f64) {
    let least = 1e-6 * low.abs().max(high.abs()).max(1e-9);
    if high - low > least { (low, high) } else { (low - 1.0, high + 1.0) }
}

/// The largest difference of a component at each time.
fn apart(rows: &[Vec<Vec<f64>>; 2]) -> Vec<f64> {
    let largest = |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    rows[0].iter().zip(&rows[1]).map(largest).collect()
}
