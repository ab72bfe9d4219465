//! Where encoded frames go: a small trait and its implementations.

mod encoder;
mod error;
mod files;
mod frame_sink;
mod memory;
mod pattern;
mod stream;
mod whole;
mod y4m;

pub use encoder::{Encoding, FrameContent, FrameEncoder};
pub use error::SinkError;
pub use files::NumberedFiles;
pub use frame_sink::{FrameName, FrameSink};
pub use memory::Memory;
pub use pattern::{FilePattern, PatternError};
pub use stream::Stream;
pub use whole::{WholeFile, keep_name, new_file, replace_file};
pub use y4m::FrameRate;
