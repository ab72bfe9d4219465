//! Frames into a pipe: raw pixels, a video stream, PNG files, or a posed drawing. Frames are written as they
//! come, so the caller gives them in order.

use std::fmt;
use std::io::Write;
use std::sync::{Mutex, PoisonError};

use super::y4m::{FrameRate, header};
use super::{Encoding, FrameName, FrameSink, SinkError};
use crate::encode::Compress;
use crate::frame::FrameSize;

/// Writes frames to anything that takes bytes, each whole before the next.
pub struct Stream<W> {
    encoding: Encoding,
    state: Mutex<StreamState<W>>,
}

struct StreamState<W> {
    writer: W,
    /// The header before the first frame; empty once it is written.
    header: String,
}

impl<W> fmt::Debug for Stream<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("encoding", &self.encoding).finish_non_exhaustive()
    }
}

impl<W: Write + Send> Stream<W> {
    /// PNG files, one behind the other.
    pub fn png(writer: W, compress: Compress) -> Self {
        Self::new(writer, Encoding::Png(compress), String::new())
    }

    /// Pixels alone, four bytes each: red, green, blue, alpha. The reader needs the size.
    pub fn rgba(writer: W) -> Self {
        Self::new(writer, Encoding::Rgba, String::new())
    }

    /// A video stream: YUV4MPEG2 with BT.709 colours in their limited range, 4:4:4. Its reader needs
    /// the matrix, as in `ffmpeg -colorspace bt709 -i - -pix_fmt yuv420p out.mp4`.
    pub fn y4m(writer: W, size: FrameSize, rate: FrameRate) -> Self {
        Self::new(writer, Encoding::Y4m, header(size, rate))
    }

    /// A posed drawing. The caller writes only one: two would not be an SVG.
    pub fn svg(writer: W) -> Self {
        Self::new(writer, Encoding::Svg, String::new())
    }

    fn new(writer: W, encoding: Encoding, header: String) -> Self {
        Self { encoding, state: Mutex::new(StreamState { writer, header }) }
    }

    /// What the frames were written to.
    pub fn into_inner(self) -> W {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).writer
    }
}

impl<W: Write + Send> FrameSink for Stream<W> {
    fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn is_ordered(&self) -> bool {
        true
    }

    fn keep(&self, _: FrameName, bytes: &[u8]) -> Result<(), SinkError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let header = std::mem::take(&mut state.header);
        let written = (|| {
            state.writer.write_all(header.as_bytes())?;
            state.writer.write_all(bytes)?;
            // The reader gets each frame when it is done, and an error belongs to its frame.
            state.writer.flush()
        })();
        written.map_err(|source| SinkError::Stream { source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::FrameContent;
    use std::io;
    use tiny_skia::Pixmap;

    #[test]
    fn the_header_comes_once() {
        let size = FrameSize::new(3, 2).unwrap();
        let stream = Stream::y4m(Vec::new(), size, FrameRate::nearest(24.0));
        let pixmap = Pixmap::new(3, 2).unwrap();
        for number in 0..2 {
            stream.write(FrameName { number }, FrameContent::Pixels(&pixmap)).unwrap();
        }
        let bytes = stream.into_inner();
        let header = b"YUV4MPEG2 W3 H2 F24:1 Ip A1:1 C444 XCOLORRANGE=LIMITED\n";
        let frame = [&b"FRAME\n"[..], &[16; 6], &[128; 12]].concat();
        assert!(bytes == [&header[..], &frame, &frame].concat(), "{:?}", String::from_utf8_lossy(&bytes));
    }

    /// Takes a few bytes, then fails.
    struct Narrow(usize, io::ErrorKind);

    impl Write for Narrow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 && !bytes.is_empty() { Err(self.1.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_not_a_full_disk() {
        for (kind, closed) in [(io::ErrorKind::BrokenPipe, true), (io::ErrorKind::StorageFull, false)] {
            let stream = Stream::rgba(Narrow(10, kind));
            stream.keep(FrameName { number: 0 }, &[0; 8]).unwrap();
            let error = stream.keep(FrameName { number: 1 }, &[0; 8]).unwrap_err();
            assert_eq!(error.is_closed(), closed, "{error}");
        }
    }
}
