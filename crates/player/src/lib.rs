//! One object for tools, bindings and games: a [`Player`] plays the clips of a [`Character`], reports events, takes
//! inputs, and paints into any sink.
//!
//! A character is immutable and shared by threads. A player is small: a few hundred bytes a bone. What a picture needs
//! besides is in a [`PlayerScratch`], one for each thread and for players of any characters.
//!
//! ```no_run
//! use bone_drawing::FlatFrame;
//! use bone_player::{Character, PlayOptions, PlayerScratch};
//! use kurbo::Affine;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let hero = Character::from_pack(&std::fs::read("hero.bones")?)?;
//! let walk = hero.clip("walk")?;
//! let (mut player, mut scratch) = (hero.player(), PlayerScratch::new());
//! player.play(walk, PlayOptions::default())?;
//! let mut flat = FlatFrame::default();
//! for _frame in 0..600 {
//!     player.step(1.0 / 60.0, &mut scratch)?;
//!     flat.clear();
//!     player.paint(&mut scratch, Affine::IDENTITY, &mut flat);
//! }
//! # Ok(())
//! # }
//! ```

#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod character;
mod error;
mod input;
mod player;
mod repeat;
mod scratch;
mod sets;

pub use bone_rig::{ArchiveError, BoneOverride, Handle, LayerOptions, Playback};
pub use character::{Character, ClipKey, ClipSummary, MachineKey, StateKey};
pub use error::{NameError, NameKind, PlayerError};
pub use input::{InputId, InputInfo, InputKind, InputValue};
pub use player::{PlayOptions, Player, PlayerEvent};
pub use repeat::PlayRepeat;
pub use scratch::PlayerScratch;
#[cfg(feature = "mesh")]
pub use scratch::rest_frames;
