//! What the modules export: the only place with `unsafe` attributes, and no unsafe code behind them.
//!
//! A call takes its bytes from the input, which JavaScript fills first ([`input`]), and leaves its bytes in the output ([`output`],
//! [`output_length`]). It answers with 0, or with 1 where the output is a message that says what is wrong. There is one thread, and no call
//! happens inside another.
#![allow(unsafe_code)]

use crate::wire::Failure;
use alloc::{vec, vec::Vec};
use atomic_refcell::AtomicRefCell;

struct State {
    input: Vec<u8>,
    output: Vec<u8>,
    #[cfg(feature = "decode")]
    stream: keyfold_core::draco::Animation,
    /// Clips by the number that JavaScript knows them by.
    #[cfg(feature = "clip")]
    clips: Vec<Option<crate::clip::Player>>,
}

static STATE: AtomicRefCell<State> = AtomicRefCell::new(State {
    input: Vec::new(),
    output: Vec::new(),
    #[cfg(feature = "decode")]
    stream: keyfold_core::draco::Animation { keys: 0, attributes: Vec::new(), metadata: Vec::new() },
    #[cfg(feature = "clip")]
    clips: Vec::new(),
});

/// Runs an operation over the input and puts what comes of it into the output.
fn answer(operation: impl FnOnce(&mut State) -> Result<Vec<u8>, Failure>) -> u32 {
    let mut state = STATE.borrow_mut();
    let (failed, bytes) = match operation(&mut state) {
        Ok(bytes) => (0, bytes),
        Err(what) => (1, what.into_bytes()),
    };
    state.output = bytes;
    failed
}

/// Room for the input of the next call.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut state = STATE.borrow_mut();
    state.input = vec![0; length];
    state.input.as_mut_ptr()
}

/// Where the last call's output lies.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    STATE.borrow().output.as_ptr()
}

/// How long it is.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    STATE.borrow().output.len()
}

/// A buffer view's bytes from its stream of KEYFOLD_animation_stream, which may hold `values` numbers.
#[cfg(any(feature = "decode", feature = "stream"))]
#[unsafe(no_mangle)]
pub extern "C" fn stream_view(values: f64) -> u32 {
    answer(|state| crate::stream::stream_view(values as u64, &state.input))
}

/// Storages undone, curves.
#[cfg(feature = "decode")]
pub mod decoding {
    use super::answer;
    use crate::{curves, decode};
    use std::cell::Cell;

    /// Opens the Draco stream in the input; decoding may take up `memory` bytes.
    #[unsafe(no_mangle)]
    pub extern "C" fn draco_stream(memory: f64) -> u32 {
        answer(|state| {
            state.stream = decode::draco_stream(memory as u64, &state.input)?;
            Ok(Vec::new())
        })
    }

    /// The floats of one attribute of the stream that was opened last.
    #[unsafe(no_mangle)]
    pub extern "C" fn draco_attribute(id: u32, normalized: bool) -> u32 {
        answer(|state| decode::draco_attribute(&state.stream, id, normalized))
    }

    /// A compressed buffer view's bytes; the lengths are those of the names before it.
    #[unsafe(no_mangle)]
    pub extern "C" fn meshopt_view(mode_length: usize, filter_length: usize, count: usize, stride: usize) -> u32 {
        answer(|state| decode::meshopt_view([mode_length, filter_length], count, stride, &state.input))
    }

    /// Times from quantized elements.
    #[unsafe(no_mangle)]
    pub extern "C" fn quantized_times(component: u32, normalized: bool, scale: f64) -> u32 {
        answer(|state| decode::quantized_times(component, normalized, scale, &state.input))
    }

    /// Values from quantized elements; `path_length` is that of the path before them.
    #[unsafe(no_mangle)]
    pub extern "C" fn quantized_values(
        path_length: usize,
        components: usize,
        component: u32,
        normalized: bool,
        cubic: bool,
    ) -> u32 {
        answer(|state| decode::quantized_values(path_length, components, component, normalized, cubic, &state.input))
    }

    /// Curves of one component each as one curve.
    #[unsafe(no_mangle)]
    pub extern "C" fn join(count: usize) -> u32 {
        answer(|state| curves::joined(count, &state.input))
    }

    /// A CUBICSLERP curve as CUBICSPLINE.
    #[unsafe(no_mangle)]
    pub extern "C" fn as_spline(tolerance: f64) -> u32 {
        answer(|state| curves::as_spline(tolerance, &state.input))
    }

    thread_local! {
        /// Two keys of a CUBICSLERP curve, which JavaScript fills in, and the point that [`between`] finds. Both stay where they are.
        static SEGMENT: Cell<[f32; 24]> = const { Cell::new([0.0; 24]) };
        static POINT: Cell<[f64; 4]> = const { Cell::new([0.0; 4]) };
    }

    /// Where two keys are put.
    #[unsafe(no_mangle)]
    pub extern "C" fn segment() -> *mut f32 {
        SEGMENT.with(Cell::as_ptr).cast()
    }

    /// Evaluates the segment; the four numbers lie where the answer says.
    #[unsafe(no_mangle)]
    pub extern "C" fn between(s: f64) -> *const f64 {
        POINT.set(curves::between(SEGMENT.get(), s));
        POINT.with(Cell::as_ptr).cast_const().cast()
    }
}

/// Runtime clips.
#[cfg(feature = "clip")]
pub mod playing {
    use super::{STATE, answer};
    use crate::clip::Player;

    /// Opens the clip in the input, which may take up `memory` bytes. The output is its number, then what is in it.
    #[unsafe(no_mangle)]
    pub extern "C" fn clip_open(memory: f64) -> u32 {
        answer(|state| {
            let player = Player::open(memory as usize, &std::mem::take(&mut state.input))?;
            let free = state.clips.iter().position(Option::is_none).unwrap_or(state.clips.len());
            if free == state.clips.len() {
                state.clips.push(None);
            }
            let mut out = (free as u32).to_le_bytes().to_vec();
            out.extend(player.described());
            state.clips[free] = Some(player);
            Ok(out)
        })
    }

    /// Where a clip's pose at a time lies: nowhere, where the clip is closed.
    #[unsafe(no_mangle)]
    pub extern "C" fn clip_sample(clip: usize, time: f64) -> *const f32 {
        match STATE.borrow_mut().clips.get_mut(clip) {
            Some(Some(player)) => player.sample(time).as_ptr(),
            _ => std::ptr::null(),
        }
    }

    /// Gives a clip's memory back.
    #[unsafe(no_mangle)]
    pub extern "C" fn clip_close(clip: usize) {
        drop(STATE.borrow_mut().clips.get_mut(clip).and_then(Option::take));
    }
}
