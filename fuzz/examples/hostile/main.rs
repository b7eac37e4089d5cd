//! `cargo xtask hostile`: broken files through the program's commands, in processes whose memory and time are limited and measured.
//!
//! | file | what it is |
//! |---|---|
//! | `jobs` | which broken file goes through which command |
//! | `worker` | a process that runs jobs one after the other and writes down what each took |
//! | `watch` | starts workers, ends those that take too long, starts anew behind what ended one |
//!
//! A process serves many files, because starting one takes longer than most of them. What a job is charged with (a panic, a signal, more than
//! 30 s of processor time, more memory than 16 times its input and 256 MiB) is found out again with a process of its own.

mod jobs;
mod watch;
mod worker;

use jobs::Job;
use std::{collections::BTreeMap, path::PathBuf, process::ExitCode};
use watch::{Ended, Outcome};

/// How many jobs a process serves.
const PER_PROCESS: usize = 200;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [worker, list, results] = arguments.as_slice()
        && worker == "--worker"
    {
        worker::run(list.as_ref(), results.as_ref());
        return ExitCode::SUCCESS;
    }
    let number = |name: &str, usual: u64| {
        let value = arguments.iter().position(|a| a == name).and_then(|i| arguments.get(i + 1));
        value.map_or(usual, |text| text.parse().expect("options take numbers"))
    };
    run(number("--count", 1000) as usize, number("--seed", 1), number("--workers", 2) as usize)
}

fn run(count: usize, seed: u64, workers: usize) -> ExitCode {
    let folder = keyfold_oracle::root().join("target/hostile");
    let seeds = jobs::seeds(&folder);
    println!("{} files to break", seeds.len());
    let (mut told, mut failures) = (Told::default(), Vec::new());
    let starts: Vec<usize> = (0..count).step_by(PER_PROCESS * workers).collect();
    for start in starts {
        let rounds = (0..workers).map(|w| start + w * PER_PROCESS).filter(|from| *from < count);
        let done: Vec<Vec<(Job, Ended)>> = std::thread::scope(|scope| {
            let threads: Vec<_> = rounds
                .map(|from| {
                    let (seeds, folder) = (&seeds, &folder);
                    scope.spawn(move || {
                        let numbers = from..(from + PER_PROCESS).min(count);
                        let folder = folder.join(format!("worker-{}", from / PER_PROCESS % workers));
                        let jobs = numbers.map(|n| Job::new(seeds, seed, n, &folder)).collect();
                        watch::all(jobs, &folder)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("watching does not panic")).collect()
        });
        for (job, ended) in done.into_iter().flatten() {
            told.add(&job, &ended);
            if let Some(charge) = ended.charge(&job) {
                failures.push(keep(&folder, &job, &charge));
            }
        }
    }
    told.print(count);
    failures.iter().for_each(|failure| println!("FAILED {failure}"));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Puts what failed aside, with what was done with it.
fn keep(folder: &std::path::Path, job: &Job, charge: &str) -> String {
    let folder = folder.join("failures");
    let place: PathBuf = folder.join(job.input.file_name().unwrap_or_default());
    let text = format!("{}: {charge}", job.arguments.join(" "));
    let kept = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&place, &job.bytes));
    let written = kept.and_then(|()| std::fs::write(place.with_extension("txt"), &text));
    written.expect("the folder of failures can be written");
    format!("{}: {text}", place.display())
}

/// What is told in the end.
#[derive(Default)]
struct Told {
    /// Runs of each command, by exit code.
    commands: BTreeMap<String, BTreeMap<u8, usize>>,
    /// The most memory, as a share of what was allowed, and which run took it.
    memory: (f64, String),
    /// The most processor time, in seconds.
    seconds: (f64, String),
}

impl Told {
    fn add(&mut self, job: &Job, ended: &Ended) {
        if let Outcome::Code(code) = ended.outcome {
            *self.commands.entry(job.command.clone()).or_default().entry(code).or_default() += 1;
        }
        let share = ended.peak as f64 / job.memory() as f64;
        if share > self.memory.0 {
            self.memory = (share, format!("{} MiB by {}", ended.peak >> 20, job.arguments.join(" ")));
        }
        if ended.seconds > self.seconds.0 {
            self.seconds = (ended.seconds, job.arguments.join(" "));
        }
    }

    fn print(&self, count: usize) {
        let runs: usize = self.commands.values().flat_map(BTreeMap::values).sum();
        println!("{count} broken files, {runs} runs that ended by themselves");
        for (command, codes) in &self.commands {
            let codes: Vec<String> = codes.iter().map(|(code, runs)| format!("exit {code}: {runs}")).collect();
            println!("  {command:36} {}", codes.join(", "));
        }
        println!("most memory: {:.2} of what is allowed, {}", self.memory.0, self.memory.1);
        println!("most time: {:.1} s of processor time, {}", self.seconds.0, self.seconds.1);
    }
}
