//! How much a file may ask for: `--max-memory` and `--max-work`, for every command.

use keyfold::{Allowance, Limits};
use keyfold_core::clip::ClipError;

/// The options as they stand before or behind any command.
#[derive(clap::Args)]
pub(crate) struct Global {
    /// Memory limit per file: 4GB, 512MiB, none for no limit [default: 128 MiB plus 8 times its size]
    #[arg(long, global = true, value_name = "BYTES", value_parser = amount, help_heading = "Limits")]
    max_memory: Option<u64>,
    /// Limit of work per file, in steps of a few nanoseconds: 20G, none for no limit [default: 2 billion plus 10000 per byte]
    #[arg(long, global = true, value_name = "STEPS", value_parser = amount, help_heading = "Limits")]
    max_work: Option<u64>,
}

/// The same as a command sees them.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct LimitArgs {
    #[arg(from_global)]
    max_memory: Option<u64>,
    #[arg(from_global)]
    max_work: Option<u64>,
}

impl LimitArgs {
    /// The limits that the options ask for.
    pub(crate) fn limits(&self) -> Limits {
        let usual = Limits::default();
        Limits {
            // Whoever lets a file take more memory than a file may be long has a file as long as that.
            file_bytes: usual.file_bytes.max(self.max_memory.unwrap_or(0)),
            memory: self.max_memory.map_or(usual.memory, Allowance::exactly),
            work: self.max_work.map_or(usual.work, Allowance::exactly),
        }
    }

    /// The bytes of memory that a clip may take.
    pub(crate) fn memory(&self, bytes: usize) -> usize {
        let limit = self.limits().memory.of(bytes as u64);
        usize::try_from(limit).unwrap_or(usize::MAX)
    }
}

/// An error for people: what is over a limit can be raised.
pub(crate) fn explained(error: &anyhow::Error) -> String {
    let over = error.chain().any(|cause| {
        matches!(cause.downcast_ref(), Some(keyfold::Error::Limit { .. }))
            || matches!(cause.downcast_ref(), Some(ClipError::Limit))
    });
    let hint = if over { " (--max-memory and --max-work raise the limits)" } else { "" };
    format!("{error:#}{hint}")
}

/// A number with a unit: `4GB`, `1.5 GiB`, `20G`, `3e9`; `none` for as much as there is.
fn amount(text: &str) -> Result<u64, String> {
    if ["none", "unlimited"].contains(&text) {
        return Ok(u64::MAX);
    }
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit = text[digits.len()..].trim().to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (prefix, base) = unit.strip_suffix('i').map_or((unit, 1000.0), |prefix| (prefix, 1024.0));
    let power = ["", "k", "m", "g", "t"].iter().position(|p| *p == prefix).filter(|p| *p > 0 || base == 1000.0);
    let number = digits.parse::<f64>().ok().filter(|n| *n >= 0.0 && n.is_finite());
    match (number, power) {
        (Some(number), Some(power)) => Ok((number * f64::powi(base, power as i32)) as u64),
        _ => Err("give a number with or without a unit (512MiB, 4GB, 20G), or none".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_units() {
        for (text, expected) in [
            ("0", 0),
            ("1024", 1024),
            ("4GB", 4_000_000_000),
            ("4g", 4_000_000_000),
            ("512MiB", 512 << 20),
            ("1.5 GiB", 3 << 29),
            ("2e9", 2_000_000_000),
            ("none", u64::MAX),
        ] {
            assert_eq!(amount(text), Ok(expected), "{text}");
        }
        for text in ["", "-1", "GB", "4XB", "4iB", "nan", "inf"] {
            assert!(amount(text).is_err(), "{text}");
        }
    }
}
