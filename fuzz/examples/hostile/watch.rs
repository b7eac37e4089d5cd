//! Starts workers, ends those that take too long, and starts anew behind the job that ended one.

use super::jobs::Job;
use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// KiB of address space of a worker.
const ADDRESS_SPACE: u64 = 4 << 20;
/// Microseconds of processor time that a job may take, and seconds on a busy machine after which it hangs.
const LONGEST: u64 = 30_000_000;
const HANGING: Duration = Duration::from_secs(600);

/// How a job ended.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Code(u8),
    Panic(String),
    Signal(String),
    Late,
}

/// How a job ended, and what it took.
pub(crate) struct Ended {
    pub(crate) outcome: Outcome,
    /// Bytes of memory at most.
    pub(crate) peak: u64,
    /// Seconds of processor time.
    pub(crate) seconds: f64,
}

impl Ended {
    /// What a job is charged with, if anything.
    pub(crate) fn charge(&self, job: &Job) -> Option<String> {
        match &self.outcome {
            Outcome::Panic(text) => Some(format!("panic: {text}")),
            Outcome::Signal(text) => Some(format!("ended by {text}")),
            Outcome::Late => Some("took more than 30 s".into()),
            Outcome::Code(code) if *code > 2 => Some(format!("exit code {code}")),
            Outcome::Code(_) if self.peak > job.memory() => {
                Some(format!("took {} MiB, allowed are {}", self.peak >> 20, job.memory() >> 20))
            }
            Outcome::Code(_) => None,
        }
    }
}

/// Runs all jobs; what is charged is run again alone, so that nobody is charged with what others left behind.
pub(crate) fn all(jobs: Vec<Job>, folder: &Path) -> Vec<(Job, Ended)> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("there is a place for broken files");
    for job in &jobs {
        std::fs::write(&job.input, &job.bytes).expect("broken files can be written");
    }
    let mut ended: Vec<Ended> = Vec::new();
    while ended.len() < jobs.len() {
        ended.extend(run(&jobs[ended.len()..], folder));
    }
    for (job, ended) in jobs.iter().zip(&mut ended) {
        if ended.charge(job).is_some() {
            *ended = run(std::slice::from_ref(job), folder).remove(0);
        }
    }
    let _ = std::fs::remove_dir_all(folder);
    jobs.into_iter().zip(ended).collect()
}

/// Runs jobs in one process, up to the first that ends it: at least one.
fn run(jobs: &[Job], folder: &Path) -> Vec<Ended> {
    let (list, results) = (folder.join("jobs"), folder.join("results"));
    let _ = std::fs::remove_file(&results);
    let lines = jobs.iter().enumerate().map(|(i, job)| serde_json::json!([i, job.arguments]).to_string() + "\n");
    std::fs::write(&list, lines.collect::<String>()).expect("the list of jobs can be written");
    let program = std::env::current_exe().expect("this program has a place");
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {ADDRESS_SPACE} && exec \"$0\" \"$@\"")])
        .arg(program)
        .arg("--worker")
        .args([&list, &results])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process can be started");
    let late = watch(&mut child, &results);
    let status = child.wait().expect("the process was started");
    let text = std::fs::read_to_string(&results).unwrap_or_default();
    let mut ended: Vec<Ended> = text.lines().filter_map(end).collect();
    if ended.len() < jobs.len() {
        let outcome = if late { Outcome::Late } else { Outcome::Signal(status.to_string()) };
        ended.push(Ended { outcome, peak: 0, seconds: 0.0 });
    }
    ended
}

/// Waits for a process; whether a job took too long and was ended with it.
fn watch(child: &mut Child, results: &Path) -> bool {
    let pid = child.id().to_string();
    let (mut seen, mut since, mut spent) = (0, Instant::now(), 0);
    while child.try_wait().expect("the process was started").is_none() {
        std::thread::sleep(Duration::from_millis(100));
        let written = std::fs::metadata(results).map_or(0, |file| file.len());
        let now = processor_time(&pid).unwrap_or(spent);
        if written != seen {
            (seen, since, spent) = (written, Instant::now(), now);
        }
        if now - spent > LONGEST || since.elapsed() > HANGING {
            let _ = child.kill();
            return true;
        }
    }
    false
}

/// The end of a job as its worker wrote it down.
fn end(line: &str) -> Option<Ended> {
    let mut words = line.strip_prefix("end ")?.splitn(5, ' ');
    let _number = words.next()?;
    let code: u8 = words.next()?.parse().ok()?;
    let (peak, micros): (u64, u64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let panics = words.next().unwrap_or_default();
    let outcome = if panics.is_empty() { Outcome::Code(code) } else { Outcome::Panic(panics.to_owned()) };
    Some(Ended { outcome, peak, seconds: micros as f64 / 1e6 })
}

/// Microseconds of processor time of a process.
pub(crate) fn processor_time(pid: &str) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    // The clock that the kernel tells these in ticks a hundred times a second on every Linux.
    Some((user + system) * 10_000)
}
