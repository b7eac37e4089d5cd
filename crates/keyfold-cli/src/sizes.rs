//! A line for each file: what it took, what it takes now, and how far off it is.

use crate::output::{in_line, length, percent};
use keyfold::pack::Sizes;

/// What stands above the lines.
pub(crate) fn header() -> String {
    columns(["before", "after", "saved", "error", "of size"], "file")
}

/// A file's line; its error in scene units and as a share of the model's size.
pub(crate) fn line(bytes: Sizes, error: Option<[f64; 2]>, file: &str) -> String {
    let [error, share] = error.map_or(["".into(), "".into()], |[error, share]| [length(error), percent(share)]);
    let Sizes { before, after } = bytes;
    let saved = match before {
        0 => String::new(),
        _ => format!("{:.1} %", 100.0 - 100.0 * after as f64 / before as f64),
    };
    columns([&before.to_string(), &after.to_string(), &saved, &error, &share], file)
}

/// The line of a file that nothing came of.
pub(crate) fn failed(file: &str) -> String {
    columns(["-"; 5], &format!("{file}: failed"))
}

/// Columns of a fixed width: no line has to wait for the others.
fn columns(figures: [&str; 5], file: &str) -> String {
    let [before, after, saved, error, share] = figures;
    format!("{before:>10}  {after:>10}  {saved:>6}  {error:>9}  {share:>10}  {}\n", in_line(file))
}

/// All files together.
#[derive(Default)]
pub(crate) struct Total {
    bytes: Sizes,
    files: usize,
    failed: usize,
}

impl Total {
    pub(crate) fn add(&mut self, bytes: Sizes) {
        self.bytes.before += bytes.before;
        self.bytes.after += bytes.after;
        self.files += 1;
    }

    pub(crate) fn fail(&mut self) {
        self.failed += 1;
    }

    pub(crate) fn failures(&self) -> usize {
        self.failed
    }

    /// The last line. Files that nothing came of are told apart: their bytes are in no sum.
    pub(crate) fn line(&self) -> String {
        let failed = if self.failed > 0 { format!(", {} failed", self.failed) } else { String::new() };
        let plural = if self.files == 1 { "" } else { "s" };
        line(self.bytes, None, &format!("{} file{plural}{failed}", self.files))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_failed_are_counted_apart() {
        let mut total = Total::default();
        total.add(Sizes { before: 100, after: 25 });
        total.fail();
        assert_eq!(total.line().trim_end(), "       100          25  75.0 %                         1 file, 1 failed");
    }
}
