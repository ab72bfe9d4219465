//! What is worn, in a frame: art at rest, constraints and springs that hold, art that is hidden or in the place of other
//! art.

use bone_core::Pose;
use bone_core::constraint::ConstraintParameters;
use bone_drawing::Visibility;

use crate::draw_order::{ArtPose, Choice, DrawOrder};
use crate::outfit::{Outfit, OutfitSwap, Worn};
use crate::parts::RigParts;
use crate::rig::Rig;
use crate::state::FrameState;

impl OutfitSwap {
    /// Gives art what clips and drivers do to other art.
    fn apply(&self, draw_order: &DrawOrder, pose: &mut ArtPose) {
        pose.copy_element(draw_order, self.from, self.to);
        let Some((from, to)) = self.switches else { return };
        let chosen = match pose.choice(draw_order, from) {
            Choice::Child(child) => Some(child),
            Choice::Nothing => None,
            Choice::AsDrawn => {
                draw_order.switches[from].children.iter().position(|child| draw_order.drawn[*child])
            }
        };
        let child = chosen.and_then(|child| self.children.get(child));
        pose.choose(draw_order, to, child.map_or(Choice::Nothing, |child| Choice::Child(*child)));
    }
}

impl Worn {
    /// Frees constraints that hold only with outfits that are not worn.
    pub(crate) fn free_constraints(&self, parameters: &mut [ConstraintParameters]) {
        for (parameters, _) in parameters.iter_mut().zip(&self.free).filter(|(_, free)| **free) {
            parameters.mix = 0.0;
        }
    }
}

impl RigParts {
    /// Nothing worn, with memory for all outfits.
    pub(crate) fn unworn(&self) -> Worn {
        Worn::new(&self.outfits, self.constraints.constraints.len(), self.skeleton.len())
    }

    /// What is worn unless overrides say it.
    pub(crate) fn own_worn(&self) -> Worn {
        let mut worn = self.unworn();
        worn.put_on(&self.outfits, &self.worn);
        worn
    }

    fn counted<'r>(&'r self, worn: &'r Worn) -> impl Iterator<Item = &'r Outfit> {
        worn.counted.iter().map(|at| &self.outfits[*at])
    }

    /// Lets springs move a pose, but for those that move bones only with outfits that are not worn. `before` is
    /// overwritten.
    pub(crate) fn spring(
        &self,
        worn: &Worn,
        before: &mut Pose,
        pose: &mut Pose,
        apply: impl FnOnce(&mut Pose),
    ) {
        if !self.outfits.is_empty() {
            before.copy_from(pose);
        }
        apply(pose);
        for ((bone, before), _) in
            pose.bones.iter_mut().zip(&before.bones).zip(&worn.still).filter(|(_, still)| **still)
        {
            *bone = *before;
        }
    }

    /// What outfits do to art after clips and drivers: the first of a swap gives what it does to the second.
    pub(crate) fn swap_worn(&self, worn: &Worn, pose: &mut ArtPose) {
        for swap in self.counted(worn).flat_map(|outfit| &outfit.swaps) {
            swap.apply(&self.draw_order, pose);
        }
    }

    /// Hides what outfits hide.
    pub(crate) fn hide_worn(&self, worn: &Worn, visibilities: &mut [Visibility]) {
        for outfit in self.counted(worn) {
            for k in outfit.hidden.iter().chain(outfit.swaps.iter().map(|swap| &swap.from)) {
                visibilities[*k].visible = false;
            }
        }
    }
}

impl Rig {
    /// The outfits, in the order of the rig.
    pub fn outfits(&self) -> &[Outfit] {
        &self.parts().outfits
    }

    /// The place of the outfit with this name.
    pub fn outfit(&self, name: &str) -> Option<usize> {
        self.outfits().iter().position(|outfit| outfit.name == name)
    }

    /// What is worn unless overrides say it, by places in [`outfits`](Self::outfits), in this order.
    pub fn worn(&self) -> &[usize] {
        &self.parts().worn
    }

    /// Sets where art is at rest in a state. Does nothing where it wears the same already; allocates nothing.
    pub(crate) fn wear(&self, worn: &[usize], state: &mut FrameState) {
        if state.worn.list == worn {
            return;
        }
        state.worn.put_on(&self.parts().outfits, worn);
        state.art.set_rest(&mut state.driven_art, self.rest_art(), self.rests(&state.worn));
    }
}
