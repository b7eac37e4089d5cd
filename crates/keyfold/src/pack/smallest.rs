//! Searches a document several times and keeps the smallest result: longer searches do not always find it.

use super::{
    Level, Optimize, Options, Packed, floats, pack_below, pack_forms, storage,
    weigh::{self, WHOLE, Weight},
};
use crate::{Animation, Document, Error, Monitor, Part, Result, Storage, diff, read_shared, unpack::unpack_tracks};

/// The most floats of a document that is also packed at the fast level and, unless it has splines, as
/// `convert` does. Beyond, the engine's choice is smaller.
pub(super) const MUCH: usize = 1 << 16;
/// The most floats of a short document.
pub(super) const SHORT: usize = 1 << 14;
/// The most floats of a tiny document, whose search takes almost no time.
const TINY: usize = 1 << 11;
/// The shares of the bound that short and tiny documents are also packed within. The gzip size of few bytes
/// does not follow the bound closely.
const TIGHTER: [(usize, &[f64]); 2] =
    [(SHORT, &[0.98, 0.95, 0.5, 0.25, 0.0]), (TINY, &[0.995, 0.99, 0.985, 0.975, 0.97, 0.965, 0.96, 0.955])];
/// Another search needs this multiple of the last one's work left: estimates and measurements take some, too.
const RESERVE: u64 = 8;

/// The smallest result of all searches.
pub(super) struct Smallest {
    pub(super) packed: Packed,
    /// Whether the output of `convert` has fewer raw bytes than the original.
    pub(super) convert_saves: bool,
}

/// Runs as many searches as the document is worth and its work budget allows. If all tracks may change, data
/// in other storages is unpacked first, because tracks that stay would keep a storage in use.
pub(super) fn smallest(document: &Document, options: &Options, monitor: &dyn Monitor) -> Result<Smallest> {
    if let Some(plain) = unpacked(document, options)?
        && let Some(found) = search(document, &plain, options, monitor)?.against(document, options, monitor)?
    {
        return Ok(found);
    }
    search(document, document, options, monitor)
}

/// Core's result, if it is smaller: every reader can read it, and sparse arrays may make splines smaller. It is
/// taken only if it is no larger on disk and smaller in the bytes that are minimized. `took`: the work of `own`.
pub(super) fn smaller_core(
    document: &Document,
    options: &Options,
    own: &Packed,
    took: u64,
    monitor: &dyn Monitor,
) -> Result<Option<Packed>> {
    let animations = &read_shared(document)?.animations;
    let is_other = ![Storage::Core, Storage::Stream].contains(&options.storage) && options.level != Level::Fast;
    let affords = document.account().left().work / 2 >= took;
    if !(is_other && affords && has_splines(animations) && floats(animations) <= MUCH) {
        return Ok(None);
    }
    let core = smallest(document, &Options { storage: Storage::Core, ..options.clone() }, monitor)?.packed;
    // The list of required extensions is part of a file's size.
    let weight = |packed: &Packed| {
        let draft = packed.document.draft(None)?;
        Ok::<Weight, Error>(if draft.bytes() <= WHOLE { weigh::whole(&draft) } else { packed.both() })
    };
    let (before, after) = (weight(own)?, weight(&core)?);
    let is_smaller = after.raw <= before.raw && after.of(options.optimize) < before.of(options.optimize);
    Ok(Some(core).filter(|core| is_smaller && core.left.len() <= own.left.len()))
}

fn has_splines(animations: &[Animation]) -> bool {
    let mut tracks = animations.iter().flat_map(|animation| &animation.tracks);
    tracks.any(|track| track.curve.interpolation().is_spline())
}

/// The document unpacked, if all tracks may change and some are in a storage that was not asked for.
fn unpacked(document: &Document, options: &Options) -> Result<Option<Document>> {
    let animations = &read_shared(document)?.animations;
    let mut tracks = animations.iter().flat_map(|a| a.tracks.iter().map(move |track| (a.index, track)));
    let is_other = |storage: Storage| ![Storage::Core, options.storage].contains(&storage);
    let has_others = tracks.any(|(index, track)| is_other(Storage::of(document, index, track)));
    let is_free = options.animation.is_none() && options.keep.is_empty();
    (has_others && is_free).then(|| Ok(unpack_tracks(document)?.document)).transpose()
}

/// Runs all searches of a document, which is the original or plays like it.
fn search(original: &Document, document: &Document, options: &Options, monitor: &dyn Monitor) -> Result<Smallest> {
    let work = || document.account().left().work;
    let before = work();
    let mut forms = pack_forms(document, options, &Part { whole: monitor, from: 0.0, share: 0.7 })?;
    let (packed, sparse) = (forms.swap_remove(0), forms);
    let animations = &read_shared(document)?.animations;
    let (took, floats) = (before.saturating_sub(work()), floats(animations));
    let affords = |most: usize| floats <= most && work() / RESERVE >= took;
    let has_splines = has_splines(animations);
    let tries = others(options);
    let share = 0.3 / (1 + tries.len()) as f64;
    let part = |index: usize| Part { whole: monitor, from: 0.7 + index as f64 * share, share };
    // Splines are searched in core's form, however many they are; the storage's own form may be smaller.
    let comparable = if has_splines { usize::MAX } else { MUCH };
    let (mut converted, mut as_it_was) = (None, None);
    if affords(comparable) {
        converted = pack_below(document, &self::converted(options), None, &part(0))?.into_iter().next();
        as_it_was = Some(weigh::weight(original).raw);
    }
    let mut results = Results::new(packed, converted, as_it_was, options.optimize);
    sparse.into_iter().for_each(|packed| results.take(packed));
    for (index, (_, other)) in tries.iter().enumerate().filter(|(_, (most, _))| affords(*most)) {
        let wanted = |weight: &Weight| results.wants(weight);
        let forms = pack_below(document, other, Some(&wanted), &part(1 + index))?;
        forms.into_iter().for_each(|packed| results.take(packed));
    }
    Ok(results.smallest)
}

impl Smallest {
    /// The result with its error measured against the original itself; `None` if that is over the bound.
    fn against(mut self, original: &Document, options: &Options, monitor: &dyn Monitor) -> Result<Option<Self>> {
        let (packed, part) = (&mut self.packed, Part { whole: monitor, from: 0.99, share: 0.01 });
        packed.diff = diff::diff_with(original, &packed.document.read_back()?, options.probe_radius, &part)?;
        let properties = packed.diff.animations.iter().all(|a| a.properties.max <= options.max_property_error.0);
        let holds = packed.diff.possible <= packed.bound && properties && packed.diff.unmatched.is_empty();
        Ok(holds.then_some(self))
    }
}

/// The smallest of the results so far.
struct Results {
    smallest: Smallest,
    optimize: Optimize,
    /// The raw bytes of the original or of `convert`'s result, whichever are fewer. Larger results are kept
    /// only if all are larger.
    limit: usize,
}

impl Results {
    fn new(packed: Packed, converted: Option<Packed>, as_it_was: Option<usize>, optimize: Optimize) -> Self {
        // A result that leaves more animations as they were sets no limit.
        let other = converted.as_ref().filter(|converted| converted.left.len() <= packed.left.len());
        let limit = as_it_was.into_iter().chain(other.map(|converted| converted.raw_bytes)).min();
        let smallest = Smallest { packed, convert_saves: limit < as_it_was };
        let mut results = Self { smallest, optimize, limit: limit.unwrap_or(usize::MAX) };
        converted.into_iter().for_each(|converted| results.take(converted));
        results
    }

    /// Whether a result of this weight beats the current one.
    fn wants(&self, weight: &Weight) -> bool {
        let rank = |weight: &Weight| (weight.raw > self.limit, weight.of(self.optimize));
        rank(weight) < rank(&self.smallest.packed.both())
    }

    /// Keeps a result if it is wanted. Some have tighter bounds; the requested bound is what is promised.
    fn take(&mut self, packed: Packed) {
        if self.wants(&packed.both()) {
            self.smallest.packed = Packed { bound: self.smallest.packed.bound, ..packed };
        }
    }
}

/// The options that do what `convert` does.
fn converted(options: &Options) -> Options {
    let kept = Options { keep_keys: true, level: Level::Fast, ..options.clone() };
    match storage::of(options.storage).converts_exactly {
        true => Options { keep: vec!["*".into()], optimize: Optimize::Raw, ..kept },
        false => kept,
    }
}

/// The other searches of a level, each with the most floats it is for. They include the level below and a
/// search for the other size, which may end up smaller in the requested one.
fn others(options: &Options) -> Vec<(usize, Options)> {
    let at = |level: Level| Options { level, ..options.clone() };
    let kept = (MUCH, Options { keep_keys: true, ..at(Level::Fast) });
    let optimize = match options.optimize {
        Optimize::Gzip => Optimize::Raw,
        Optimize::Raw => Optimize::Gzip,
    };
    let other = (MUCH, Options { optimize, ..at(Level::Default) });
    let within = |share: &f64| Options { max_error: options.max_error.scaled(*share), ..at(Level::Default) };
    let tighter = TIGHTER.iter().flat_map(|(most, shares)| shares.iter().map(|share| (*most, within(share))));
    // If `convert` comes to the same options, they have been tried.
    let kept = Some(kept).filter(|_| storage::of(options.storage).converts_exactly);
    let shorter = [(MUCH, at(Level::Fast)), other].into_iter().chain(kept).chain(tighter);
    match options.level {
        Level::Fast => Vec::new(),
        Level::Max => [(usize::MAX, at(Level::Default))].into_iter().chain(shorter).collect(),
        _ => shorter.collect(),
    }
}
