//! Outfits: what a figure wears, below what its clips do.

use bone_core::BoneId;

use crate::draw_order::{ArtTracks, DrawOrder};

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

    /// Whether its art is in these rows.
    pub(crate) fn fits(&self, order: &DrawOrder) -> bool {
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
        self.hidden.iter().all(has) && self.swaps.iter().all(swap_fits)
    }
}
