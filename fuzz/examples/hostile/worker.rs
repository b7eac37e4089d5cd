//! A process that runs jobs one after the other, and writes down what each took: `start N`, then `end N CODE PEAK MICROSECONDS PANICS`.

use std::{
    ffi::OsString,
    fs::{File, OpenOptions, read_to_string},
    io::Write,
    panic,
    path::Path,
    sync::Mutex,
};

/// Where panics happened, also those that were caught.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Runs the jobs of a list: a line of JSON each.
pub(crate) fn run(list: &Path, results: &Path) {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(|l| format!("{}:{}", l.file(), l.line())).unwrap_or_default();
        PANICS
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .push(format!("{place} {info}").replace('\n', " "));
    }));
    let jobs = read_to_string(list).expect("the list of jobs can be read");
    let mut out = OpenOptions::new().append(true).create(true).open(results).expect("results can be written");
    for line in jobs.lines() {
        let (number, arguments): (usize, Vec<String>) =
            serde_json::from_str(line).expect("a job is a number and arguments");
        say(&mut out, &format!("start {number}"));
        forget_peak();
        let before = processor_time();
        let arguments = std::iter::once("keyfold".to_owned()).chain(arguments).map(OsString::from);
        let code = panic::catch_unwind(|| keyfold_cli::run(arguments)).unwrap_or(101);
        let panics = std::mem::take(&mut *PANICS.lock().unwrap_or_else(|poisoned| poisoned.into_inner()));
        let took = processor_time() - before;
        say(&mut out, &format!("end {number} {code} {} {took} {}", peak(), panics.join(" | ")));
    }
}

fn say(out: &mut File, line: &str) {
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("results can be written");
}

/// Lets the system measure the largest memory anew.
fn forget_peak() {
    // Where that cannot be done, the peak of all jobs so far counts: too much rather than too little.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The largest memory since then, in bytes.
fn peak() -> u64 {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Microseconds of processor time of all threads so far.
fn processor_time() -> u64 {
    super::watch::processor_time("self").unwrap_or(0)
}
