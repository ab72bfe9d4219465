//! What is kept of a posed moment between a step and its picture: bones, art and what drivers read. The drawing
//! follows from it, in the memory of whichever thread paints.

use std::sync::Arc;

use bone_core::clip::WeightedClip;
use bone_core::{Pose, PoseError, WorldPose};
use bone_drawing::Repaints;

use crate::clip::{PlayedClip, RigClip};
use crate::draw_order::ArtPose;
use crate::identity::RigIdentity;
use crate::overrides::{OverrideError, Overrides};
use crate::rig::Rig;
use crate::state::FrameState;

/// A posed moment of a rig without its deformed drawing: a hundred bytes a bone, where a [`FrameState`] takes many
/// thousands for outlines and paints.
///
/// [`Mixer::step_bones`](crate::Mixer::step_bones) and [`Rig::moment`] fill it, [`Rig::show`] deforms the drawing in
/// a state.
#[derive(Clone, Debug)]
pub struct KeptMoment {
    rig: RigIdentity,
    driven: Pose,
    world: WorldPose,
    art: ArtPose,
    worn: Vec<usize>,
    driver_values: Vec<f64>,
    /// The keyed clips, each with the clip of the rig.
    playing: Vec<(usize, WeightedClip)>,
}

impl KeptMoment {
    /// The setup pose.
    pub fn new(rig: &Rig) -> Self {
        let parts = rig.parts();
        let mut art = rig.rest_art().clone();
        rig.rests(&parts.own_worn()).for_each(|(row, value)| art.set(row as usize, value));
        Self {
            rig: rig.identity().clone(),
            driven: Pose::new(&parts.skeleton),
            world: WorldPose::kept(&parts.skeleton),
            art,
            worn: rig.worn().to_vec(),
            driver_values: vec![0.0; parts.drivers.len()],
            playing: Vec::new(),
        }
    }

    /// The bones on the canvas.
    pub fn world(&self) -> &WorldPose {
        &self.world
    }

    /// The bones in their parents' frames as they were placed.
    pub fn driven(&self) -> &Pose {
        &self.driven
    }

    pub(crate) fn is_of(&self, rig: &Rig) -> bool {
        self.rig == *rig.identity()
    }

    /// Takes over the bones of a state. Allocates nothing after the first moments.
    pub(crate) fn keep(&mut self, state: &FrameState, playing: impl Iterator<Item = (usize, WeightedClip)>) {
        self.driven.copy_from(&state.driven);
        self.world.copy_from(&state.world);
        self.art.copy_from(&state.art);
        self.worn.clone_from(&state.worn.list);
        self.driver_values.clone_from(&state.driver_values);
        self.playing.clear();
        self.playing.extend(playing);
    }
}

impl Rig {
    /// Poses the bones at a time of a clip or sequence, with its baked springs and overrides on top: the moment
    /// that [`show`](Self::show) makes the frame of [`pose_with`](Self::pose_with) of.
    ///
    /// # Errors
    /// As [`pose_with`](Self::pose_with), or if the moment is of another rig; then it does not change.
    pub fn moment(
        &self,
        clip: Option<&RigClip>,
        time: f64,
        overrides: &Overrides,
        state: &mut FrameState,
        moment: &mut KeptMoment,
    ) -> Result<(), OverrideError> {
        self.owns(clip, state)?;
        if !moment.is_of(self) {
            return Err(PoseError::OtherRig.into());
        }
        overrides.check(self.parts())?;
        self.pose_bones(clip, time, overrides, state)?;
        let at = clip.and_then(|clip| self.place_of(clip));
        let playing = at.into_iter().flat_map(|at| state.weighted_clips.iter().map(move |it| (at, *it)));
        moment.keep(state, playing);
        Ok(())
    }

    /// Deforms the drawing as a moment has it, with the offsets and the camera of overrides, and what a program sets of
    /// nodes.
    ///
    /// # Errors
    /// [`PoseError::OtherRig`] if the moment or the state is of another rig; then the state does not change. So it is
    /// with overrides of another rig.
    pub fn show(
        &self,
        moment: &KeptMoment,
        overrides: &Overrides,
        repaints: Option<&Arc<Repaints>>,
        state: &mut FrameState,
    ) -> Result<(), OverrideError> {
        self.owns(None, state)?;
        if !moment.is_of(self) {
            return Err(PoseError::OtherRig.into());
        }
        overrides.check(self.parts())?;
        self.wear(&moment.worn, state);
        state.driven.copy_from(&moment.driven);
        state.world.copy_from(&moment.world);
        state.art.copy_from(&moment.art);
        state.driver_values.clone_from(&moment.driver_values);
        self.deform_playing(self.played(&moment.playing), overrides, state);
        state.frame.set_repaints(self.posable().drawing(), repaints.cloned());
        Ok(())
    }

    /// Keyed clips with the clips of the rig that they are of.
    pub(crate) fn played<'s>(
        &'s self,
        playing: &'s [(usize, WeightedClip)],
    ) -> impl Iterator<Item = PlayedClip<'s>> + Clone {
        playing.iter().filter_map(|(clip, played)| {
            Some(PlayedClip { data: self.clips().get(*clip)?.sources().get(played.clip)?, played })
        })
    }

    /// The index of a clip of this rig.
    pub(crate) fn place_of(&self, clip: &RigClip) -> Option<usize> {
        let own = self.clips().iter().position(|own| std::ptr::eq(own, clip));
        // A clone has the name alone in common.
        own.or_else(|| self.clips().iter().position(|own| own.name() == clip.name()))
    }
}
