//! Lip sync of other programs: which mouth is seen when. Shapes are those of Rhubarb Lip Sync, which follow the nine
//! mouths of the Hanna-Barbera studio: six that every face needs, and three that may be missing.

mod phones;
mod read;
#[cfg(test)]
mod tests;
mod track;

pub use phones::{is_stop, of_phone};
pub use read::{LipFile, read};
pub use track::{LipTrack, MouthCue, MouthShape};
