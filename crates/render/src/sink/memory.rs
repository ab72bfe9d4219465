//! Frames kept in memory, for tests and for programs that show them.
//! Refuses to limit itself: the caller knows how many frames there are.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use tiny_skia::Pixmap;

use super::{FrameContent, FrameName, FrameSink, SinkError};

/// Keeps every frame in memory.
#[derive(Debug, Default)]
pub struct Memory {
    frames: Mutex<BTreeMap<FrameName, MemoryFrame>>,
}

/// A frame in memory.
#[derive(Clone, Debug)]
pub enum MemoryFrame {
    /// Pixels, with alpha multiplied in.
    Pixels(Pixmap),
    /// The posed drawing.
    Svg(String),
}

impl Memory {
    /// A sink without frames.
    pub fn new() -> Self {
        Self::default()
    }

    /// The frames kept, by number.
    pub fn into_frames(self) -> BTreeMap<FrameName, MemoryFrame> {
        self.frames.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrameSink for Memory {
    fn write(&self, frame: FrameName, content: FrameContent<'_>) -> Result<u64, SinkError> {
        let (kept, bytes) = match content {
            FrameContent::Pixels(pixmap) => (MemoryFrame::Pixels(pixmap.clone()), pixmap.data().len()),
            FrameContent::Svg(text) => (MemoryFrame::Svg(text.to_owned()), text.len()),
        };
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).insert(frame, kept);
        Ok(bytes as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_back_in_order() {
        let sink = Memory::new();
        for number in [2, 0, 1] {
            assert_eq!(sink.write(FrameName { number }, FrameContent::Svg("<svg/>")).unwrap(), 6);
        }
        let numbers: Vec<u64> = sink.into_frames().keys().map(|frame| frame.number).collect();
        assert_eq!(numbers, [0, 1, 2]);
    }
}
