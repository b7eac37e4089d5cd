//! Words and figures of the report.

use keyfold::report::{JointReport, TrackReport};
use keyfold::{Property, Target};

/// Text that cannot be taken for markup, whatever a file calls its nodes.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            // Neither line breaks nor marks that turn the direction of what follows.
            c if c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}') => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Bytes as people read them.
pub(super) fn bytes(count: u64) -> String {
    match count {
        0..10_000 => format!("{count}\u{a0}B"),
        10_000..1_000_000 => format!("{:.1}\u{a0}KB", count as f64 / 1e3),
        _ => format!("{:.2}\u{a0}MB", count as f64 / 1e6),
    }
}

/// What is saved, as a share.
pub(super) fn saved(before: u64, after: u64) -> String {
    if before == 0 { "–".into() } else { format!("{:.0} %", 100.0 - 100.0 * after as f64 / before as f64) }
}

/// A figure with at most three digits that matter.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-4..1e5).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = (2 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    if digits == 0 { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() }
}

/// A length in scene units, which glTF takes for metres, in the unit that suits it.
pub(super) fn length(metres: f64) -> String {
    let (value, unit) = match metres.abs() {
        0.0 => return "0".into(),
        size if size < 1e-6 => (metres * 1e9, "nm"),
        size if size < 1e-4 => (metres * 1e6, "µm"),
        size if size < 10.0 => (metres * 1e3, "mm"),
        _ => (metres, "m"),
    };
    format!("{}\u{a0}{unit}", number(value))
}

/// A share of the model's size.
pub(super) fn percent(share: f64) -> String {
    if share == 0.0 { "0 %".into() } else { format!("{} %", number(share * 100.0)) }
}

/// A time.
pub(super) fn seconds(time: f64) -> String {
    let text = format!("{time:.2}");
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A joint by its name, or its number.
pub(super) fn joint(joint: &JointReport) -> String {
    joint.name.clone().unwrap_or_else(|| format!("node {}", joint.node))
}

/// A track by the name of its node and its property, or its pointer.
pub(super) fn track(track: &TrackReport) -> String {
    match (&track.target, &track.name) {
        (Target::Node { property, axis, .. }, Some(name)) => {
            let axis = axis.map_or_else(String::new, |a| format!(".{}", a.name()));
            format!("{name} · {}{axis}", property.name())
        }
        (target, _) => target.to_string(),
    }
}

/// How far a track's own value is off, with its unit.
pub(super) fn difference(track: &TrackReport) -> String {
    unit(track, track.difference)
}

/// A difference of a track's values, with its unit.
pub(super) fn unit(track: &TrackReport, value: f64) -> String {
    match &track.target {
        Target::Node { property: Property::Rotation, .. } => format!("{}°", number(value)),
        Target::Node { property: Property::Translation, .. } => length(value),
        _ => number(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(escape("<b onload='x'>\"&\n\u{202E}"), "&lt;b onload=&#39;x&#39;&gt;&quot;&amp;  ");
    }

    #[test]
    fn figures_keep_three_digits_at_most() {
        let figures =
            [(0.0, "0"), (0.012345, "0.0123"), (1234.5, "1234"), (2.0, "2"), (1.5e-7, "1.50e-7"), (-0.5, "-0.5")];
        figures.into_iter().for_each(|(value, text)| assert_eq!(number(value), text));
        assert_eq!((bytes(9_999).as_str(), bytes(12_345).as_str()), ("9999\u{a0}B", "12.3\u{a0}KB"));
        assert_eq!(bytes(1_234_567), "1.23\u{a0}MB");
        let lengths =
            [(0.0, "0"), (2.5e-8, "25\u{a0}nm"), (3e-5, "30\u{a0}µm"), (1.93e-4, "0.193\u{a0}mm"), (12.0, "12\u{a0}m")];
        lengths.into_iter().for_each(|(metres, text)| assert_eq!(length(metres), text));
        assert_eq!((seconds(1.5), seconds(10.0), seconds(0.25)), ("1.5 s".into(), "10 s".into(), "0.25 s".into()));
    }
}
