//! A rig with its names, shared by players.

use std::sync::Arc;

use bone_core::BoneId;
use bone_drawing::{ElementId, FindError};
use bone_rig::{ArchiveError, MachineState, Rig, RigClip};
use kurbo::Size;

use crate::error::{NameError, NameKind, PlayerError};
use crate::input::{InputId, InputInfo};

/// A rig that players play: immutable, shared by threads.
#[derive(Clone, Debug)]
pub struct Character(Arc<CharacterParts>);

#[derive(Debug)]
struct CharacterParts {
    rig: Arc<Rig>,
    inputs: Vec<InputInfo>,
}

/// A clip or sequence of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClipKey(u32);

impl ClipKey {
    /// The clip at a place of [`Character::clips`].
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Its place.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A state machine of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MachineKey(u32);

impl MachineKey {
    /// The machine at a place of [`Character::machines`].
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }

    /// Its place.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A state of the machines of a character, by its place in [`Character::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateKey(u32);

impl StateKey {
    /// Its place.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a program shows of a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipSummary<'a> {
    /// Its name.
    pub name: &'a str,
    /// Seconds.
    pub length: f64,
    /// Whether it begins anew after its length.
    pub looped: bool,
}

impl Character {
    /// The character of a packed rig, as `render-frames pack` makes it.
    ///
    /// # Errors
    /// If the bytes are not those of a packed rig of this version.
    pub fn from_pack(bytes: &[u8]) -> Result<Self, ArchiveError> {
        Rig::load(bytes).map(|rig| Self::from_rig(Arc::new(rig)))
    }

    /// The character of a compiled rig.
    pub fn from_rig(rig: Arc<Rig>) -> Self {
        let inputs = InputInfo::all(&rig);
        Self(Arc::new(CharacterParts { rig, inputs }))
    }

    /// The compiled rig.
    pub fn rig(&self) -> &Arc<Rig> {
        &self.0.rig
    }

    /// The size of the page, in its pixels.
    pub fn size(&self) -> Size {
        self.rig().art().size()
    }

    /// The clips, then the sequences.
    pub fn clips(&self) -> impl ExactSizeIterator<Item = ClipSummary<'_>> {
        self.rig().clips().iter().map(|clip| {
            let time = clip.time();
            ClipSummary { name: clip.name(), length: time.length, looped: time.looped }
        })
    }

    /// The names of the state machines.
    pub fn machines(&self) -> impl ExactSizeIterator<Item = &str> {
        self.rig().machines().iter().map(|machine| &*machine.name)
    }

    /// The state machine with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn machine(&self, name: &str) -> Result<MachineKey, NameError> {
        find(NameKind::Machine, name, &self.machines().collect::<Vec<_>>()).map(MachineKey::from_index)
    }

    /// The names of the outfits.
    pub fn outfits(&self) -> impl ExactSizeIterator<Item = &str> {
        self.rig().outfits().iter().map(|outfit| &*outfit.name)
    }

    /// The place of the outfit with this name, for [`Player::wear`](crate::Player::wear).
    ///
    /// # Errors
    /// If there is none.
    pub fn outfit(&self, name: &str) -> Result<usize, NameError> {
        find(NameKind::Outfit, name, &self.outfits().collect::<Vec<_>>())
    }

    /// The states of all machines: those of the first layer of the first machine, then those of its other layers.
    pub fn states(&self) -> impl Iterator<Item = &MachineState> {
        let layers = self.rig().machines().iter().flat_map(|machine| &machine.layers);
        layers.flat_map(|layer| &layer.states)
    }

    /// The place of a state of a layer in [`states`](Self::states).
    pub(crate) fn state_key(&self, machine: usize, layer: usize, state: usize) -> StateKey {
        let machines = self.rig().machines();
        let before = machines.iter().take(machine).flat_map(|machine| &machine.layers);
        let below = machines.get(machine).into_iter().flat_map(|machine| machine.layers.iter().take(layer));
        let first: usize = before.chain(below).map(|layer| layer.states.len()).sum();
        // A rig of more states has no memory.
        StateKey((first + state) as u32)
    }

    /// The inputs: see [`InputInfo::name`].
    pub fn inputs(&self) -> &[InputInfo] {
        &self.0.inputs
    }

    /// The clip with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn clip(&self, name: &str) -> Result<ClipKey, NameError> {
        let names: Vec<&str> = self.clips().map(|clip| clip.name).collect();
        find(NameKind::Clip, name, &names).map(ClipKey::from_index)
    }

    /// The bone with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn bone(&self, name: &str) -> Result<BoneId, NameError> {
        let skeleton = self.rig().skeleton();
        skeleton.find(name).ok_or_else(|| {
            let names: Vec<&str> = skeleton.bones().map(|bone| skeleton.name(bone)).collect();
            let missing = find(NameKind::Bone, name, &names);
            missing.err().unwrap_or_else(|| NameError::of(NameKind::Bone, name))
        })
    }

    /// The input with this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn input(&self, name: &str) -> Result<InputId, NameError> {
        let names: Vec<&str> = self.inputs().iter().map(|input| &*input.name).collect();
        find(NameKind::Input, name, &names).map(InputId::from_index)
    }

    /// The element with this id, label or address, such as `Body/Arm/hand`.
    ///
    /// # Errors
    /// If there is none, or several have the name.
    pub fn element(&self, name: &str) -> Result<ElementId, NameError> {
        self.rig().art().find(name).map_err(|error| {
            let near = match error {
                FindError::Missing { near, .. } => near,
                FindError::Ambiguous { addresses, .. } => addresses,
                _ => Vec::new(),
            };
            NameError { near, ..NameError::of(NameKind::Element, name) }
        })
    }

    /// Computes the secondary motion of a clip, which its first [exact](crate::Player::exact) moment does otherwise. Players
    /// that step do not need it.
    ///
    /// # Errors
    /// If it is a clip of another character.
    pub fn prepare(&self, clip: ClipKey) -> Result<(), PlayerError> {
        self.rig().prepare(self.get(clip)?);
        Ok(())
    }

    pub(crate) fn get(&self, clip: ClipKey) -> Result<&RigClip, PlayerError> {
        self.rig().clips().get(clip.index()).ok_or(PlayerError::OtherCharacter)
    }
}

impl NameError {
    fn of(kind: NameKind, name: &str) -> Self {
        Self { kind, name: name.to_owned(), near: Vec::new() }
    }
}

/// How many names a message lists.
const MOST_NEAR: usize = 3;

/// The place of a name. If there is none, those that begin alike are listed.
fn find(kind: NameKind, name: &str, names: &[&str]) -> Result<usize, NameError> {
    let same =
        |own: &str| own.chars().zip(name.chars()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    names.iter().position(|own| *own == name).ok_or_else(|| {
        let mut near: Vec<(usize, &str)> =
            names.iter().map(|own| (same(own), *own)).filter(|(same, _)| *same > 1).collect();
        near.sort_by_key(|(same, _)| std::cmp::Reverse(*same));
        let near = near.iter().take(MOST_NEAR).map(|(_, own)| (*own).to_owned()).collect();
        NameError { near, ..NameError::of(kind, name) }
    })
}
