//! Compiles outfits: names become places in lists.

use bone_core::Skeleton;
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
        let mut outfits = Vec::new();
        for outfit in &doc.outfits {
            let mut values = PosedArtDoc::channels(&outfit.art);
            for art in outfit.shown() {
                let shown = Channel::constant(Spanned::new(true, art.span));
                match values.iter_mut().find(|own| own.art.value == art.value) {
                    Some(own) => own.values.set(ArtProperty::Visible, shown),
                    None => values.push(ArtDoc::new(art.clone()).with(ArtProperty::Visible, shown)),
                }
            }
            let art = self.art(&values, None, order);
            let hidden = outfit.hide.iter().filter_map(|art| self.drawn_actor(art, order)).collect();
            let swaps = outfit.swap.iter().filter_map(|swap| self.swap(swap, order)).collect();
            let place = |name: &Spanned<String>| {
                constraints.names.iter().position(|own| own.name.as_ref() == Some(&name.value))
            };
            outfits.push(Outfit {
                name: outfit.name.value.clone(),
                group: outfit.group.as_ref().map(|group| group.value.clone()),
                art,
                hidden,
                swaps,
                constraints: outfit.constraints.iter().filter_map(place).collect(),
                springs: skeleton.map(|skeleton| self.worn_springs(outfit, skeleton)).unwrap_or_default(),
            });
        }
        self.mentions.clear();
        let place = |name: &Spanned<String>| outfits.iter().position(|outfit| outfit.name == name.value);
        let worn = doc.wear.iter().filter_map(place).collect();
        (outfits, worn)
    }

    fn drawn_actor(&mut self, art: &Spanned<String>, order: &mut DrawOrderBuilder) -> Option<usize> {
        let element = self.find(art)?;
        Some(self.actor(element, order))
    }

    fn swap(
        &mut self,
        (from, to): &(Spanned<String>, Spanned<String>),
        order: &mut DrawOrderBuilder,
    ) -> Option<OutfitSwap> {
        let (first, second) = (self.find(from)?, self.find(to)?);
        let mut swap = OutfitSwap {
            from: self.actor(first, order),
            to: self.actor(second, order),
            ..OutfitSwap::default()
        };
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
    fn worn_springs(&mut self, outfit: &OutfitDoc, skeleton: &Skeleton) -> Vec<bone_core::BoneId> {
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
