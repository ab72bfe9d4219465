//! Lip sync, of other programs or of a recording whose text is known: which mouth is seen when. Shapes are those of Rhubarb Lip Sync, which follow the nine
//! mouths of the Hanna-Barbera studio: six that every face needs, and three that may be missing.

mod phones;
mod read;
mod spectrum;
mod spoken;
#[cfg(test)]
mod tests;
mod track;
mod warp;

pub use read::{LipFile, read};
pub use spectrum::SPEECH_RATE;
pub use spoken::{SpokenPhone, speak};
pub use track::{LipTrack, MouthCue, MouthShape};
