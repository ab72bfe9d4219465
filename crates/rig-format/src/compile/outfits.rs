//! Compiles outfits: names become places in lists.

use bone_core::{BoneId, Skeleton};
use bone_drawing::{ArtProperty, ElementId};
use bone_rig::parts::Constraints;
use bone_rig::{Outfit, OutfitSwap};

use super::art::DrawOrderBuilder;
use super::pass::Pass;
use crate::doc::{ArtDoc, Channel, OutfitDoc, PosedArtDoc};
use crate::span::Spanned;

impl Pass<'_> {
    /// The outfits, and which of them are worn.
    pub(super) fn outfits(
        &mut self,
        skeleton: Option<&Skeleton>,
        constraints: &Constraints,
        order: &mut DrawOrderBuilder,
    ) -> (Vec<Outfit>, Vec<usize>) {
        let doc = self.doc;
        // All rows come first: a group may be a switch for an outfit that is listed later.
        let art = doc.outfits.iter().map(|outfit| self.art(&values(outfit), None, order)).collect::<Vec<_>>();
        let place = |name: &Spanned<String>| {
            constraints.names.iter().position(|own| own.name.as_ref() == Some(&name.value))
        };
        let mut outfits = Vec::new();
        for (outfit, art) in doc.outfits.iter().zip(art) {
            outfits.push(Outfit {
                name: outfit.name.value.clone(),
                group: outfit.group.as_ref().map(|group| group.value.clone()),
                art,
                hidden: self.actors(&outfit.hide, order),
                swaps: outfit.swap.iter().filter_map(|swap| self.swap(swap, order)).collect(),
                constraints: outfit.constraints.iter().filter_map(place).collect(),
                springs: skeleton.map(|skeleton| self.worn_springs(outfit, skeleton)).unwrap_or_default(),
            });
        }
        self.mentions.clear();
        let place = |name: &Spanned<String>| outfits.iter().position(|outfit| outfit.name == name.value);
        let worn = doc.wear.iter().filter_map(place).collect();
        (outfits, worn)
    }

    /// The places of art among that which comes and goes.
    fn actors(&mut self, names: &[Spanned<String>], order: &mut DrawOrderBuilder) -> Vec<usize> {
        let hidden = |art| ArtDoc::new(art).with(ArtProperty::Visible, Channel::constant(false.into()));
        let tracks = self.art(&names.iter().cloned().map(hidden).collect::<Vec<_>>(), None, order);
        tracks.lanes.iter().map(|lane| lane.target).collect()
    }

    fn swap(
        &mut self,
        (from, to): &(Spanned<String>, Spanned<String>),
        order: &mut DrawOrderBuilder,
    ) -> Option<OutfitSwap> {
        let [first, second] = *self.actors(&[from.clone(), to.clone()], order) else { return None };
        let mut swap = OutfitSwap { from: first, to: second, ..OutfitSwap::default() };
        let [first, second] = [first, second].map(|place| order.draw_order.elements[place]);
        let Some(switch) = order.draw_order.switch(first) else { return Some(swap) };
        let other = self.switch_of(second, order);
        swap.switches = Some((switch, other));
        let children = |of: usize| -> Vec<ElementId> {
            let children = order.draw_order.switches[of].children.iter();
            children.map(|child| order.draw_order.elements[*child]).collect()
        };
        let (firsts, seconds) = (children(switch), children(other));
        for child in firsts {
            let name = Spanned::new(self.art.shown_name(child), to.span);
            let child = self.child(to, second, &name)?;
            swap.children.push(seconds.iter().position(|own| *own == child)?);
        }
        Some(swap)
    }

    /// The bones of the springs that an outfit names.
    fn worn_springs(&mut self, outfit: &OutfitDoc, skeleton: &Skeleton) -> Vec<BoneId> {
        let mut bones = Vec::new();
        for name in &outfit.springs {
            let Some(bone) = skeleton.find(&name.value) else { continue };
            let is_chain = self
                .doc
                .springs
                .iter()
                .any(|spring| spring.chain.as_ref().is_some_and(|chain| chain.value == name.value));
            match is_chain {
                true => bones.extend(skeleton.subtree(bone)),
                false => bones.push(bone),
            }
        }
        bones
    }
}

/// What an outfit makes of art where nothing is keyed.
fn values(outfit: &OutfitDoc) -> Vec<ArtDoc> {
    let mut values = PosedArtDoc::channels(&outfit.art);
    for art in outfit.shown() {
        let shown = Channel::constant(Spanned::new(true, art.span));
        match values.iter_mut().find(|own| own.art.value == art.value) {
            Some(own) => own.values.set(ArtProperty::Visible, shown),
            None => values.push(ArtDoc::new(art.clone()).with(ArtProperty::Visible, shown)),
        }
    }
    values
}
