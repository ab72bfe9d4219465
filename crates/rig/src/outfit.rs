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

/// What is worn in a state, and what follows from it. It is found when something is put on: a frame reads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Worn {
    /// As it was put on.
    pub(crate) list: Vec<usize>,
    /// The outfits that count, in their order.
    pub(crate) counted: Vec<usize>,
    /// Whether each constraint is free, for it belongs to an outfit that is not worn. Empty for a rig without outfits.
    pub(crate) free: Vec<bool>,
    /// Whether springs do not move each bone, in the same way.
    pub(crate) still: Vec<bool>,
}

impl Worn {
    /// Nothing, with memory for all outfits of a rig with so many constraints and bones.
    pub(crate) fn new(outfits: &[Outfit], constraints: usize, bones: usize) -> Self {
        let [constraints, bones] =
            [constraints, bones].map(|count| if outfits.is_empty() { 0 } else { count });
        let mut worn = Self {
            list: Vec::with_capacity(outfits.len()),
            counted: Vec::with_capacity(outfits.len()),
            free: vec![false; constraints],
            still: vec![false; bones],
        };
        worn.put_on(outfits, &[]);
        worn
    }

    /// Puts these on in place of what is worn.
    pub(crate) fn put_on(&mut self, outfits: &[Outfit], list: &[usize]) {
        self.list.clear();
        self.list.extend(list);
        self.counted.clear();
        for (at, place) in list.iter().enumerate() {
            let Some(outfit) = outfits.get(*place) else { continue };
            let mut later = list.iter().skip(at + 1).filter_map(|later| outfits.get(*later));
            if outfit.group.is_none() || !later.any(|later| later.group == outfit.group) {
                self.counted.push(*place);
            }
        }
        let all = outfits.iter().map(|outfit| (outfit, true));
        for (outfit, off) in all.chain(self.counted.iter().map(|place| (&outfits[*place], false))) {
            outfit.constraints.iter().for_each(|at| self.free[*at] = off);
            outfit.springs.iter().for_each(|bone| self.still[bone.index()] = off);
        }
    }
}
