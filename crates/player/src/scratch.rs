//! The memory in which players of one thread pose and paint.

use std::sync::Arc;

use bone_drawing::PaintStack;
use bone_rig::{FrameState, Rig};
#[cfg(feature = "mesh")]
use bone_rig::{KeptMoment, Mixer, Overrides};

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
    pub(crate) meshes: Option<bone_mesh::MeshCache>,
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
                        meshes: None,
                    });
                } else {
                    self.states.rotate_left(1);
                    self.states[last].state.renew(rig);
                    #[cfg(feature = "mesh")]
                    self.states[last].meshes.take();
                }
            }
        }
        let last = self.states.len() - 1;
        &mut self.states[last]
    }

    /// The state that shows a moment of a rig, the memory of its triangles, and that of what is painted.
    #[cfg(feature = "mesh")]
    pub(crate) fn shown(
        &mut self,
        rig: &Rig,
    ) -> Option<(&mut FrameState, &mut bone_mesh::MeshCache, &mut PaintStack)> {
        let Self { states, stack, .. } = self;
        let RigMemory { state, meshes } = states.last_mut()?;
        let meshes = meshes.get_or_insert_with(|| bone_mesh::MeshCache::new(rest_frames(rig)));
        Some((state, meshes, stack))
    }

    /// The state is about to be overwritten.
    pub(crate) fn begin(&mut self, rig: &Rig) -> &mut FrameState {
        self.shown = None;
        self.state(rig)
    }
}

/// The setup pose of a rig, and moments of its clips, with the curves that all its frames have: where the triangles of
/// shapes come from.
#[cfg(feature = "mesh")]
pub fn rest_frames(rig: &Rig) -> Vec<bone_drawing::Frame> {
    /// How many moments there are at most.
    const MOMENTS: usize = 8;
    let (mut state, mut moment) = (FrameState::new(rig), KeptMoment::new(rig));
    let nothing = Overrides::new();
    let mut frames = Vec::new();
    let mut keep = |mixer: &mut Mixer| {
        let posed = mixer.step_bones(rig, 0.0, &nothing, &mut state, &mut moment);
        if posed.is_ok() && rig.show(&moment, &nothing, None, &mut state).is_ok() {
            let mut frame = bone_drawing::Frame::default();
            rig.frame_in_pieces(&state, &mut frame);
            frames.push(frame);
        }
    };
    keep(&mut Mixer::new(rig));
    let clips = rig.clips().len().min(MOMENTS);
    for clip in &rig.clips()[..clips] {
        let mut mixer = Mixer::new(rig);
        let Ok(of) = mixer.play(rig, clip, 0.0) else { continue };
        let moments = MOMENTS / clips;
        for at in 0..moments {
            if mixer.set_time(of, clip.time().length * at as f64 / moments as f64).is_ok() {
                keep(&mut mixer);
            }
        }
    }
    frames
}
