//! The smallest of what several searches come to. A longer search mostly finds smaller files, but not always.

use super::{Level, Optimize, Packed, Settings, floats, pack_below, weigh::Weight};
use crate::{Document, Monitor, Part, Result, Storage, read_shared};
use core::mem::replace;

/// Documents of more floats than this are not also packed by the quickest search and as `convert` does: what the engine chooses for them is smaller.
const MUCH: usize = 1 << 16;
/// What has no more floats than this is short.
pub(super) const SHORT: usize = 1 << 14;
/// How much tighter the bounds are that short documents are also packed within, down to no loss at all: what gzip leaves of few bytes does not follow the bound closely,
/// and where most of them are JSON, more freedom is not always used well.
const TIGHTER: [f64; 5] = [0.98, 0.95, 0.5, 0.25, 0.0];
/// A search is begun where so many times the work is left that one took: estimates and measurements still need some.
const RESERVE: u64 = 8;

/// The smallest of what was packed and what other searches come to, as long as there is work left for another one that takes as much.
pub(super) fn smallest(
    document: &Document,
    settings: &Settings,
    packed: Packed,
    took: u64,
    monitor: &dyn Monitor,
) -> Result<Packed> {
    let (bound, floats) = (packed.bound, floats(&read_shared(document)?.animations));
    let affords = |most: usize| floats <= most && document.account().left().work / RESERVE >= took;
    let tries = others(settings);
    let share = 1.0 / (1 + tries.len()) as f64;
    let part = |index: usize| Part { whole: monitor, from: index as f64 * share, share };
    let converted = converted(settings).filter(|_| affords(MUCH));
    let converted = converted.map(|settings| pack_below(document, &settings, None, &part(0))).transpose()?.flatten();
    let mut found = Found::new(packed, converted, settings.optimize);
    for (index, (_, other)) in tries.iter().enumerate().filter(|(_, (most, _))| affords(*most)) {
        let wanted = |weight: &Weight| found.wants(weight);
        if let Some(packed) = pack_below(document, other, Some(&wanted), &part(1 + index))? {
            found.take(packed);
        }
    }
    Ok(Packed { bound, ..found.least() })
}

/// What searches came to.
struct Found {
    /// Which bytes are to be few.
    optimize: Optimize,
    /// What has the fewest of them.
    least: Packed,
    /// What `convert` takes as it is, where that was looked at.
    converted: Option<usize>,
    /// What has the fewest of those that take no more as they are, where the least does.
    on_disk: Option<Packed>,
}

impl Found {
    fn new(packed: Packed, converted: Option<Packed>, optimize: Optimize) -> Self {
        // What leaves more animations as they were keeps nothing from being larger.
        let converted = converted.filter(|converted| converted.left.len() <= packed.left.len());
        let raw = converted.as_ref().map(|converted| converted.raw_bytes);
        let mut found = Self { optimize, least: packed, converted: raw, on_disk: None };
        if let Some(converted) = converted.filter(|packed| found.wants(&packed.both())) {
            found.take(converted);
        }
        found
    }

    /// Whether something of this weight has a place here.
    fn wants(&self, weight: &Weight) -> bool {
        let is_less = |than: &Packed| weight.of(self.optimize) < than.weight(self.optimize);
        let on_disk = if self.is_within(self.least.raw_bytes) { Some(&self.least) } else { self.on_disk.as_ref() };
        is_less(&self.least) || self.is_within(weight.raw) && on_disk.is_none_or(is_less)
    }

    fn is_within(&self, raw: usize) -> bool {
        self.converted.is_some_and(|converted| raw <= converted)
    }

    /// Takes what is wanted.
    fn take(&mut self, packed: Packed) {
        if packed.weight(self.optimize) >= self.least.weight(self.optimize) {
            self.on_disk = Some(packed);
            return;
        }
        let before = replace(&mut self.least, packed);
        if self.is_within(before.raw_bytes) {
            self.on_disk = Some(before);
        }
    }

    fn least(self) -> Packed {
        let is_within_convert = self.is_within(self.least.raw_bytes);
        let within = |packed: Packed| Box::new(Packed { is_within_convert: true, ..packed });
        let on_disk = self.on_disk.filter(|_| !is_within_convert).map(within);
        Packed { is_within_convert, on_disk, ..self.least }
    }
}

/// What `convert` does: storages whose steps are searched keep their keys, others lose nothing. Core's floats stay, which is no form that anything has to be held against, and
/// the quickest search is held against nothing.
fn converted(settings: &Settings) -> Option<Settings> {
    let kept = Settings { keep_keys: true, level: Level::Fast, ..settings.clone() };
    match settings.storage {
        _ if settings.level == Level::Fast => None,
        Storage::Core => None,
        Storage::Draco | Storage::Quantization => Some(kept),
        Storage::Meshopt | Storage::Stream => {
            Some(Settings { keep: vec!["*".into()], optimize: Optimize::Raw, ..kept })
        }
    }
}

/// Other searches that a level is worth, and of how many floats at most: a level keeps what the one before it finds where that is smaller, and what is searched for other bytes
/// can have fewer of those that are asked for.
fn others(settings: &Settings) -> Vec<(usize, Settings)> {
    let at = |level: Level| Settings { level, ..settings.clone() };
    let kept = (MUCH, Settings { keep_keys: true, ..at(Level::Fast) });
    let optimize = match settings.optimize {
        Optimize::Gzip => Optimize::Raw,
        Optimize::Raw => Optimize::Gzip,
    };
    let other = (MUCH, Settings { optimize, ..at(Level::Default) });
    let tighter = |share: &f64| (SHORT, Settings { bound: settings.bound.scaled(*share), ..at(Level::Default) });
    let shorter = [(MUCH, at(Level::Fast)), kept, other].into_iter().chain(TIGHTER.iter().map(tighter));
    match settings.level {
        Level::Fast => Vec::new(),
        Level::Default => shorter.collect(),
        Level::Max => [(usize::MAX, at(Level::Default))].into_iter().chain(shorter).collect(),
    }
}
