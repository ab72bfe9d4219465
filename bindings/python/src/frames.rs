//! The frames of a clip, drawn ahead by threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use bone_layer::Pixmap;
use bone_player::ClipKey;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::detached;
use crate::errors::plain;
use crate::frame::Frame;
use crate::rig::{DrawOptions, MOST_FRAMES, PooledState, SharedRig};

/// So many frames each thread is ahead.
const AHEAD: usize = 2;

/// Frames in their order. Threads draw some ahead, and end with it.
#[pyclass(frozen, module = "bone_layer")]
pub struct Frames {
    state: Mutex<FrameQueue>,
    count: usize,
    premultiplied: bool,
}

type Drawn = Result<Pixmap, String>;

struct FrameQueue {
    next: usize,
    /// Of each thread; they take turns.
    threads: Vec<Receiver<Drawn>>,
}

impl Frames {
    pub fn start(
        shared: &Arc<SharedRig>,
        key: ClipKey,
        fps: Option<f64>,
        frames: Option<&Bound<'_, PyAny>>,
        threads: usize,
        options: DrawOptions,
    ) -> PyResult<Self> {
        let fps = shared.rate(fps)?;
        let numbers = match frames {
            Some(given) => {
                let mut numbers = Vec::new();
                for number in given.try_iter()? {
                    if numbers.len() as u64 == MOST_FRAMES {
                        return Err(PyValueError::new_err(format!("more than {MOST_FRAMES} frames")));
                    }
                    numbers.push(number?.extract::<u64>()?);
                }
                numbers
            }
            None => (0..shared.frame_count(key, fps)?).collect(),
        };
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let count = if threads == 0 { processors() } else { threads };
        let count = count.clamp(1, numbers.len().clamp(1, 256));
        let numbers: Arc<[u64]> = numbers.into();
        let start = |first| {
            let (send, receive) = sync_channel::<Drawn>(AHEAD);
            let (shared, numbers) = (Arc::clone(shared), Arc::clone(&numbers));
            let draw = move || {
                let mut borrowed = PooledState::of(&shared);
                for number in numbers.iter().skip(first).step_by(count) {
                    let time = *number as f64 / fps;
                    let drawn = catch_unwind(AssertUnwindSafe(|| {
                        shared.pose(Some(key), time, borrowed.state())?;
                        borrowed.draw(&options.frame, true)
                    }));
                    let drawn = drawn.unwrap_or_else(|_| Err("a fault of bone_layer".to_owned()));
                    let failed = drawn.is_err();
                    // Nothing waits for frames any more.
                    if send.send(drawn).is_err() || failed {
                        return;
                    }
                }
            };
            std::thread::Builder::new().name("bone_layer".to_owned()).spawn(draw).map(|_| receive)
        };
        let threads = (0..count).map(start).collect::<Result<Vec<_>, _>>()?;
        let state = Mutex::new(FrameQueue { next: 0, threads });
        Ok(Self { state, count: numbers.len(), premultiplied: options.premultiplied })
    }
}

#[pymethods]
impl Frames {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Frame>> {
        let drawn = detached(py, || {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.next >= self.count {
                return None;
            }
            let at = state.next % state.threads.len();
            state.next += 1;
            let drawn = state.threads[at].recv().unwrap_or_else(|_| Err("the frames ended early".to_owned()));
            if drawn.is_err() {
                state.next = self.count;
            }
            Some(drawn)
        })?;
        drawn.transpose().map_err(plain).map(|pixels| pixels.map(|it| Frame::of(it, self.premultiplied)))
    }

    /// How many frames are left.
    fn __length_hint__(&self) -> usize {
        self.count - self.state.lock().unwrap_or_else(PoisonError::into_inner).next
    }
}
