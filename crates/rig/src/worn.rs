//! What is worn, in a frame: art at rest, constraints and springs that hold, art that is hidden or in the place of other
//! art.

use bone_core::Pose;
use bone_core::constraint::ConstraintParameters;
use bone_drawing::Visibility;

use crate::draw_order::{ArtPose, Choice, DrawOrder};
use crate::outfit::{Outfit, OutfitSwap};
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

impl RigParts {
    /// The outfits that count of those that are worn, in their order, each with its place.
    pub(crate) fn places_worn<'r>(
        &'r self,
        worn: &'r [usize],
    ) -> impl Iterator<Item = (usize, &'r Outfit)> + Clone {
        worn.iter().enumerate().filter_map(move |(at, &place)| {
            let outfit = self.outfits.get(place)?;
            let mut later = worn.iter().skip(at + 1).filter_map(|later| self.outfits.get(*later));
            let is_covered = outfit.group.is_some() && later.any(|later| later.group == outfit.group);
            (!is_covered).then_some((place, outfit))
        })
    }

    fn worn<'r>(&'r self, worn: &'r [usize]) -> impl Iterator<Item = &'r Outfit> + Clone {
        self.places_worn(worn).map(|(_, outfit)| outfit)
    }

    /// What only outfits have that are not worn.
    fn off<'r, T: Copy + PartialEq + 'r>(
        &'r self,
        worn: &'r [usize],
        of: impl Fn(&'r Outfit) -> &'r [T] + Copy,
    ) -> impl Iterator<Item = T> {
        let is_worn = move |item: &T| self.worn(worn).any(|outfit| of(outfit).contains(item));
        self.outfits
            .iter()
            .flat_map(move |outfit| of(outfit).iter().copied())
            .filter(move |item| !is_worn(item))
    }

    /// Frees constraints that hold only with outfits that are not worn.
    pub(crate) fn free_constraints(&self, worn: &[usize], parameters: &mut [ConstraintParameters]) {
        for at in self.off(worn, |outfit| &outfit.constraints) {
            parameters[at].mix = 0.0;
        }
    }

    /// Takes bones out of a pose that springs have moved, whose springs move only with outfits that are not worn.
    pub(crate) fn still_springs(&self, worn: &[usize], before: &Pose, pose: &mut Pose) {
        for bone in self.off(worn, |outfit| &outfit.springs) {
            pose.bones[bone.index()] = before.bones[bone.index()];
        }
    }

    /// What outfits do to art after clips and drivers: the first of a swap gives what it does to the second.
    pub(crate) fn swap_worn(&self, worn: &[usize], pose: &mut ArtPose) {
        for swap in self.worn(worn).flat_map(|outfit| &outfit.swaps) {
            swap.apply(&self.draw_order, pose);
        }
    }

    /// Hides what outfits hide.
    pub(crate) fn hide_worn(&self, worn: &[usize], visibilities: &mut [Visibility]) {
        for outfit in self.worn(worn) {
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
        if state.worn == worn {
            return;
        }
        state.worn.clear();
        state.worn.extend(worn);
        state.art.set_rest(&mut state.driven_art, self.rest_art(), self.rests(worn));
    }
}
