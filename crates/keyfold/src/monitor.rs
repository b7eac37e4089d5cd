//! Progress and cancellation of long work.

use crate::{Error, Result};

/// Observes the progress of long work, and can cancel it. `()` does neither.
///
/// ```
/// use keyfold::Monitor;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// struct Button(AtomicBool);
///
/// impl Monitor for Button {
///     fn progress(&self, done: f64, what: &str) {
///         eprintln!("{:3.0} % {what}", done * 100.0);
///     }
///
///     fn cancelled(&self) -> bool {
///         self.0.load(Ordering::Relaxed)
///     }
/// }
/// ```
pub trait Monitor: Sync {
    /// Work has come so far, from 0 to 1, and is now at this. Threads may call it out of order.
    fn progress(&self, done: f64, what: &str);

    /// Whether to stop: the work then ends soon, with [`Error::Cancelled`].
    fn cancelled(&self) -> bool {
        false
    }
}

impl Monitor for () {
    fn progress(&self, _: f64, _: &str) {}
}

impl dyn Monitor + '_ {
    /// Tells how far work has come, unless it is to stop.
    pub(crate) fn step(&self, done: f64, what: &str) -> Result<()> {
        if self.cancelled() {
            return Err(Error::Cancelled);
        }
        self.progress(done, what);
        Ok(())
    }
}

/// One of several jobs that a monitor watches.
pub struct Part<'a> {
    /// The monitor of the whole work.
    pub whole: &'a dyn Monitor,
    /// The progress when this job begins, from 0 to 1.
    pub from: f64,
    /// This job's fraction of the whole work.
    pub share: f64,
}

impl Monitor for Part<'_> {
    fn progress(&self, done: f64, what: &str) {
        self.whole.progress(self.from + self.share * done, what);
    }

    fn cancelled(&self) -> bool {
        self.whole.cancelled()
    }
}

#[cfg(all(test, feature = "fs", feature = "pack"))]
mod tests {
    use super::*;
    use crate::{
        Bound, ClipOptions, ConvertOptions, Document, Interpolation, StorageForm, build_clip_with, convert_with,
        diff_with, draco, kept_with,
        pack::{Choice, Options, choose_with, estimates, pack, pack_with},
        quantization,
        rotation::{CoreSampler, RotationOptions, convert_rotations_with},
        unpack_with,
    };

    struct Stop;

    impl Monitor for Stop {
        fn progress(&self, _: f64, _: &str) {
            panic!("nothing is begun");
        }

        fn cancelled(&self) -> bool {
            true
        }
    }

    #[test]
    fn every_long_job_is_cancelled() {
        let open = |name: &str| Document::open(format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        let (document, bound) = (open("machine.glb"), Bound::default());
        let rotation = RotationOptions {
            interpolation: Interpolation::CubicSlerp,
            only: None,
            max_error: bound,
            core: CoreSampler::None,
        };
        let rotations = ConvertOptions {
            rotation: Some((Interpolation::CubicSpline, CoreSampler::None)),
            ..ConvertOptions::default()
        };
        let storage = |storage| ConvertOptions { storage: Some(storage), ..ConvertOptions::default() };
        let options = Options::default();
        let packed = pack(&document, &options).unwrap();
        let choice = Choice::from(crate::Storage::Core);
        let ends = [
            diff_with(&document, &document, None, &Stop).err(),
            kept_with(&document, &document, bound, &Stop).err(),
            unpack_with(&document, bound, &Stop).err(),
            convert_rotations_with(&document, &rotation, &Stop).err(),
            convert_with(&document, &rotations, &Stop).err(),
            convert_with(&document, &storage(StorageForm::Draco(draco::Options::default())), &Stop).err(),
            convert_with(&document, &storage(StorageForm::Quantization(quantization::Options::default())), &Stop).err(),
            draco::compress_with(&document, Bound::default(), &draco::Options::default(), &Stop).err(),
            quantization::quantize_with(&document, Bound::default(), &quantization::Options::default(), &Stop).err(),
            build_clip_with(&document, 0, &ClipOptions::default(), &Stop).err(),
            pack_with(&document, &options, &Stop).err(),
            choose_with(&document, &options, &choice, &Stop).err(),
            estimates(&document, &options, &packed, &[crate::Storage::Meshopt], &Stop).err(),
        ];
        for (job, end) in ends.iter().enumerate() {
            assert!(matches!(end, Some(Error::Cancelled)), "{job}: {end:?}");
        }
    }
}
