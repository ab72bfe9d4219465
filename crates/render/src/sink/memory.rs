//! Frames in memory, for tests and for programs that show them. The number of frames is not limited.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{Encoding, FrameName, FrameSink, SinkError};

/// Keeps every frame in memory.
#[derive(Debug)]
pub struct Memory {
    encoding: Encoding,
    frames: Mutex<BTreeMap<FrameName, Vec<u8>>>,
}

impl Memory {
    /// A sink without frames.
    pub fn new(encoding: Encoding) -> Self {
        Self { encoding, frames: Mutex::default() }
    }

    /// The bytes of the frames kept, by number.
    pub fn into_frames(self) -> BTreeMap<FrameName, Vec<u8>> {
        self.frames.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FrameSink for Memory {
    fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn is_ordered(&self) -> bool {
        false
    }

    fn keep(&self, frame: FrameName, bytes: &[u8]) -> Result<(), SinkError> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).insert(frame, bytes.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::FrameContent;

    #[test]
    fn frames_come_back_in_order() {
        let sink = Memory::new(Encoding::Svg);
        for number in [2, 0, 1] {
            assert_eq!(sink.write(FrameName { number }, FrameContent::Svg("<svg/>")).unwrap(), 6);
        }
        let numbers: Vec<u64> = sink.into_frames().keys().map(|frame| frame.number).collect();
        assert_eq!(numbers, [0, 1, 2]);
    }
}
