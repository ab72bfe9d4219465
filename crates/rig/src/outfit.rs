//! Outfits: what a figure wears, below what its clips do.

use bone_core::constraint::ConstraintParameters;
use bone_core::{BoneId, Pose};
use bone_drawing::Visibility;

use crate::draw_order::{ArtPose, ArtTracks, DrawOrder};
use crate::parts::RigParts;
use crate::rig::Rig;
use crate::state::FrameState;

/// What a figure wears. Any number of outfits can be worn at once, in an order.
#[derive(Clone, Debug, Default)]
pub struct Outfit {
    /// Its name in the rig.
    pub name: String,
    /// Of the outfits of one group, the one that is worn last counts alone.
    pub group: Option<String>,
    /// The values of art where nothing is keyed: lanes with one key each.
    pub art: ArtTracks,
    /// Art that is hidden, whatever clips and drivers do, by its place in [`DrawOrder::elements`](crate::DrawOrder).
    pub hidden: Vec<usize>,
    /// Art that takes the place of other art.
    pub swaps: Vec<OutfitSwap>,
    /// Constraints that hold only while it, or another outfit that lists them, is worn.
    pub constraints: Vec<usize>,
    /// Bones whose springs move them only while it, or another outfit that lists them, is worn.
    pub springs: Vec<BoneId>,
}

/// Art that takes the place of other art, and does what clips and drivers do to that.
#[derive(Clone, Debug, Default)]
pub struct OutfitSwap {
    /// What is hidden, by its place in [`DrawOrder::elements`](crate::DrawOrder).
    pub from: usize,
    /// What is shown, in the same way.
    pub to: usize,
    /// The switches of both, if the first is one.
    pub switches: Option<(usize, usize)>,
    /// The child of the second switch for each of the first.
    pub children: Vec<usize>,
}

impl Outfit {
    /// The rows that it sets, and their values.
    pub(crate) fn rest(&self, draw_order: &DrawOrder) -> Vec<(u32, f64)> {
        self.art
            .rows(draw_order)
            .into_iter()
            .zip(self.art.lanes.iter().map(|lane| lane.curve.at(0.0)))
            .collect()
    }

    /// Whether everything is in the rig that it names.
    pub(crate) fn fits(&self, rig: &RigParts) -> bool {
        let order = &rig.draw_order;
        let has = |k: &usize| *k < order.elements.len();
        let children = |switch: usize| order.switches.get(switch).map(|switch| switch.children.len());
        let swap_fits = |swap: &OutfitSwap| {
            let of = swap.switches.map(|(from, to)| (children(from), children(to)));
            has(&swap.from)
                && has(&swap.to)
                && of.is_none_or(|(from, to)| {
                    from == Some(swap.children.len()) && swap.children.iter().all(|child| Some(*child) < to)
                })
        };
        self.hidden.iter().all(has)
            && self.swaps.iter().all(swap_fits)
            && self.constraints.iter().all(|at| *at < rig.constraints.constraints.len())
            && self.springs.iter().all(|bone| rig.skeleton.contains(*bone))
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
            pose.swap(&self.draw_order, swap);
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
