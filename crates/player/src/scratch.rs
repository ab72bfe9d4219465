//! The memory in which players of one thread pose and paint.

use std::sync::Arc;

use bone_drawing::PaintStack;
use bone_rig::{FrameState, Rig};

/// The memory of one thread: for any number of players of any characters, in any order.
///
/// It keeps outlines and paints of the last characters that it was used for. What a player shows does not depend on
/// it.
#[derive(Clone, Debug, Default)]
pub struct PlayerScratch {
    /// The one that was used last is the last.
    states: Vec<RigMemory>,
    pub(crate) stack: PaintStack,
    /// The moment that the last state shows.
    shown: Option<MomentStamp>,
}

/// The memory for the frames of a rig.
#[derive(Clone, Debug)]
pub(crate) struct RigMemory {
    pub(crate) state: FrameState,
    #[cfg(feature = "mesh")]
    pub(crate) meshes: bone_mesh::MeshCache,
}

/// A moment of a player. It keeps the identity of the player alive, so that no other one has the same.
#[derive(Clone, Debug)]
pub(crate) struct MomentStamp {
    pub(crate) player: Arc<()>,
    pub(crate) moment: u64,
}

impl PartialEq for MomentStamp {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.player, &other.player) && self.moment == other.moment
    }
}

/// For how many characters memory is kept.
const MOST_STATES: usize = 8;

impl PlayerScratch {
    /// Without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the state shows a moment already.
    pub(crate) fn shows(&self, stamp: &MomentStamp) -> bool {
        self.shown.as_ref() == Some(stamp)
    }

    pub(crate) fn showing(&mut self, stamp: MomentStamp) {
        self.shown = Some(stamp);
    }

    /// The state for the frames of a rig, with whatever it had last.
    pub(crate) fn state(&mut self, rig: &Rig) -> &mut FrameState {
        &mut self.memory(rig).state
    }

    fn memory(&mut self, rig: &Rig) -> &mut RigMemory {
        let at = self.states.iter().rposition(|memory| rig.owns_state(&memory.state));
        let last = self.states.len().saturating_sub(1);
        match at {
            Some(at) if at == last => {}
            Some(at) => {
                self.states[at..].rotate_left(1);
                self.shown = None;
            }
            None => {
                self.shown = None;
                if self.states.len() < MOST_STATES {
                    self.states.push(RigMemory {
                        state: FrameState::new(rig),
                        #[cfg(feature = "mesh")]
                        meshes: bone_mesh::MeshCache::new(),
                    });
                } else {
                    self.states.rotate_left(1);
                    self.states[last].state.renew(rig);
                    #[cfg(feature = "mesh")]
                    std::mem::take(&mut self.states[last].meshes);
                }
            }
        }
        let last = self.states.len() - 1;
        &mut self.states[last]
    }

    /// The state that shows a moment, the memory of its triangles, and that of what is painted.
    #[cfg(feature = "mesh")]
    pub(crate) fn shown(&mut self) -> Option<(&mut FrameState, &mut bone_mesh::MeshCache, &mut PaintStack)> {
        let Self { states, stack, .. } = self;
        states.last_mut().map(|RigMemory { state, meshes }| (state, meshes, stack))
    }

    /// The state is about to be overwritten.
    pub(crate) fn begin(&mut self, rig: &Rig) -> &mut FrameState {
        self.shown = None;
        self.state(rig)
    }
}
