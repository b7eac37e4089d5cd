//! libdraco, through a small program of ours (`oracle/draco/oracle.cpp`) that is built when it is first asked for.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

use anyhow::{Context, Result, anyhow, bail, ensure};
use keyfold_core::draco::{Animation, Attribute, AttributeKind, Coding, DataType, Options, Quantize, Values};

const SOURCE: &str = include_str!("../draco/oracle.cpp");

/// A running oracle.
pub struct Libdraco {
    child: Child,
    requests: ChildStdin,
    answers: ChildStdout,
}

/// What libdraco made of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer<T> {
    /// It did it.
    Done(T),
    /// It said no, and why.
    Refused(String),
    /// It crashed, and how.
    Crashed(String),
}

impl<T> Answer<T> {
    /// The result, if there is one.
    pub fn done(self) -> Option<T> {
        match self {
            Answer::Done(done) => Some(done),
            _ => None,
        }
    }

    fn map<U>(self, map: impl FnOnce(T) -> Result<U>) -> Result<Answer<U>> {
        Ok(match self {
            Answer::Done(done) => Answer::Done(map(done)?),
            Answer::Refused(why) => Answer::Refused(why),
            Answer::Crashed(how) => Answer::Crashed(how),
        })
    }
}

impl Libdraco {
    /// Starts the oracle; `None`, with a note on stderr, where libdraco or a compiler is not installed.
    pub fn start() -> Option<Libdraco> {
        match Self::try_start() {
            Ok(oracle) => Some(oracle),
            Err(why) => {
                crate::skip(&format!("no libdraco: {why:#}"));
                None
            }
        }
    }

    fn try_start() -> Result<Libdraco> {
        // One thread builds, the others of this program wait for it.
        static PROGRAM: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| build().map_err(|why| format!("{why:#}")));
        let program = PROGRAM.as_ref().map_err(|why| anyhow!("{why}"))?;
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take().context("no stdin")?;
        let answers = child.stdout.take().context("no stdout")?;
        Ok(Libdraco { child, requests, answers })
    }

    fn ask(&mut self, request: &[u8]) -> Result<Answer<Vec<u8>>> {
        self.requests.write_all(&u32::try_from(request.len())?.to_le_bytes())?;
        self.requests.write_all(request)?;
        self.requests.flush()?;
        let mut head = [0; 5];
        self.answers.read_exact(&mut head)?;
        let [status, length @ ..] = head;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        self.answers.read_exact(&mut bytes)?;
        Ok(match status {
            0 => Answer::Done(bytes),
            1 => Answer::Refused(String::from_utf8_lossy(&bytes).into_owned()),
            _ => Answer::Crashed(String::from_utf8_lossy(&bytes).into_owned()),
        })
    }

    /// Encodes with the same options as [`keyfold_core::draco::encode`]. The first attribute must be the timestamps,
    /// and unique ids must count up from 0, as libdraco's own do.
    pub fn encode(
        &mut self,
        animation: &Animation,
        coding: impl Fn(&Attribute) -> Coding,
        options: &Options,
    ) -> Result<Answer<Vec<u8>>> {
        let mut request = vec![b'E'];
        put_job(&mut request, animation, coding, options);
        self.ask(&request)
    }

    /// Decodes; also says how many bytes were read.
    pub fn decode(&mut self, stream: &[u8]) -> Result<Answer<(Animation, usize)>> {
        let request = [b"D", stream].concat();
        self.ask(&request)?.map(|bytes| parse_decoded(&bytes))
    }

    /// Nanoseconds of each of `runs` times encoding an animation.
    pub fn time_encoding(
        &mut self,
        runs: u32,
        animation: &Animation,
        coding: impl Fn(&Attribute) -> Coding,
        options: &Options,
    ) -> Result<Vec<f64>> {
        let mut request = vec![b'e'];
        request.extend(runs.to_le_bytes());
        put_job(&mut request, animation, coding, options);
        self.times(&request)
    }

    /// Nanoseconds of each of `runs` times decoding a stream.
    pub fn time_decoding(&mut self, runs: u32, stream: &[u8]) -> Result<Vec<f64>> {
        self.times(&[b"d", &runs.to_le_bytes()[..], stream].concat())
    }

    fn times(&mut self, request: &[u8]) -> Result<Vec<f64>> {
        match self.ask(request)? {
            Answer::Done(bytes) => Ok(bytes.as_chunks().0.iter().map(|&time| f64::from_le_bytes(time)).collect()),
            other => bail!("libdraco: {other:?}"),
        }
    }
}

impl Drop for Libdraco {
    fn drop(&mut self) {
        // It ends by itself at the end of its input; killing it here keeps that independent of field order.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, built if its source has changed. Several test programs may do this at once: the last rename wins.
fn build() -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/oracle");
    let program = folder.join("libdraco");
    let stamp = folder.join("libdraco.cpp");
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|built| built == SOURCE) {
        return Ok(program);
    }
    fs::create_dir_all(&folder)?;
    let own = folder.join(format!("libdraco.{}", std::process::id()));
    let own_source = own.with_extension(format!("{}.cpp", std::process::id()));
    fs::write(&own_source, SOURCE)?;
    let compiled = Command::new("g++")
        .args(["-std=c++17", "-O2", "-o"])
        .args([&own, &own_source])
        .arg("-ldraco")
        .output()
        .context("g++")?;
    let said = String::from_utf8_lossy(&compiled.stderr);
    let first = said.lines().find(|line| line.contains("error")).unwrap_or("g++ failed");
    ensure!(compiled.status.success(), "{first}");
    fs::rename(own, &program)?;
    fs::rename(own_source, stamp)?;
    Ok(program)
}

fn put_job(request: &mut Vec<u8>, animation: &Animation, coding: impl Fn(&Attribute) -> Coding, options: &Options) {
    request.extend(i32::from(options.speed).to_le_bytes());
    request.extend((-1i32).to_le_bytes());
    request.push(options.entropy.into());
    request.extend(animation.keys.to_le_bytes());
    request.extend((animation.attributes.len() as u32).to_le_bytes());
    for attribute in &animation.attributes {
        put_attribute(request, attribute, &coding(attribute));
    }
}

fn put_attribute(request: &mut Vec<u8>, attribute: &Attribute, coding: &Coding) {
    request.push(attribute.values.data_type() as u8);
    request.extend(u32::from(attribute.components).to_le_bytes());
    let bits = match &coding.quantize {
        Quantize::Off => 0,
        Quantize::Bits(bits) => i32::from(*bits),
        Quantize::Grid(grid) => i32::from(grid.bits),
    };
    request.extend(bits.to_le_bytes());
    request.extend(if coding.predict { -1i32 } else { -2 }.to_le_bytes());
    if let Quantize::Grid(grid) = &coding.quantize {
        request.push(1);
        request.extend(grid.minimum.iter().chain([&grid.range]).flat_map(|value| value.to_le_bytes()));
    } else {
        request.push(0);
    }
    request.extend(attribute.values.to_bytes());
}

fn parse_decoded(bytes: &[u8]) -> Result<(Animation, usize)> {
    let mut rest = bytes;
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at_checked(count).context("answer too short")?;
        rest = left;
        Ok::<_, anyhow::Error>(taken)
    };
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    let consumed = number(take(8)?) as usize;
    let keys = number(take(4)?) as u32;
    let count = number(take(4)?);
    let mut attributes = Vec::new();
    for _ in 0..count {
        let head = take(8)?;
        let data_type = DataType::from_number(head[1]).context("data type")?;
        let values = take(keys as usize * usize::from(head[2]) * data_type.size())?;
        attributes.push(Attribute {
            kind: AttributeKind::from_number(head[0]).context("kind")?,
            components: head[2],
            normalized: head[3] != 0,
            unique_id: number(&head[4..]) as u32,
            values: Values::from_bytes(data_type, values),
        });
    }
    Ok((Animation { keys, attributes, metadata: Vec::new() }, consumed))
}
