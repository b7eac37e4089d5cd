//! Work on all processors (feature `parallel`), or the same calls one after the other. Results are collected in
//! order: they are the same either way.

#[cfg(feature = "parallel")]
pub(crate) use rayon::prelude::*;

#[cfg(not(feature = "parallel"))]
pub(crate) use sequential::*;

#[cfg(not(feature = "parallel"))]
mod sequential {
    /// What slices offer.
    pub(crate) trait InTurn<T> {
        fn par_iter(&self) -> std::slice::Iter<'_, T>;
        fn par_chunks(&self, length: usize) -> std::slice::Chunks<'_, T>;
        fn par_windows(&self, length: usize) -> std::slice::Windows<'_, T>;
    }

    impl<T> InTurn<T> for [T] {
        fn par_iter(&self) -> std::slice::Iter<'_, T> {
            self.iter()
        }

        fn par_chunks(&self, length: usize) -> std::slice::Chunks<'_, T> {
            self.chunks(length)
        }

        fn par_windows(&self, length: usize) -> std::slice::Windows<'_, T> {
            self.windows(length)
        }
    }

    /// What collections offer.
    pub(crate) trait IntoTurns: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<C: IntoIterator> IntoTurns for C {}
}
