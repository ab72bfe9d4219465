//! Lints for a rig without errors: unbound art among bound art, and bones without effect.
//! Art by itself is not reported: most drawings have some that does not move.

use std::collections::{BTreeMap, BTreeSet};

use bone_drawing::{Drawing, ElementId, ElementKind, ElementState};
use kurbo::{Rect, Shape};

use super::pass::Pass;
use crate::diagnostic::{Diagnostic, Place};
use crate::doc::{BindingDoc, BoneDoc, ConstraintKind, EndDoc, OutfitDoc, PaintDoc, RigDoc, TargetDoc};
use crate::span::{Span, Spanned};
use crate::text::shortened;

/// The largest number of names in a message.
const SHOWN: usize = 8;
/// A group needs this many bound elements, and this many for each unbound one.
const FEW: usize = 3;
/// Art is among other art if this share of it is in the box around that.
const AMONG: f64 = 0.9;

impl Pass<'_> {
    /// Reports lints; only without errors, because a misspelled name would cause two of them.
    pub(super) fn lints(&mut self, bones_of_skin: Option<&BTreeSet<String>>) {
        if self.diagnostics.has_errors() || self.art_index.named().is_empty() || self.doc.bones.is_empty() {
            return;
        }
        self.lint_unbound_art();
        self.lint_unused_bones(bones_of_skin);
    }

    fn lint_unbound_art(&mut self) {
        let unbound = self.unbound();
        let Some(first) = unbound.first().and_then(|id| self.art.element(*id)) else { return };
        let names: Vec<String> = unbound
            .iter()
            .take(SHOWN)
            .map(|id| format!("\"{}\"", shortened(&self.art.shown_name(*id))))
            .collect();
        let more = unbound.len().saturating_sub(SHOWN);
        let message = match names.as_slice() {
            [one] => format!("{one} follows no bone, and the art around it in its group does"),
            many => {
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("these follow no bone, and the art around them does: {}{more}", many.join(", "))
            }
        };
        let place = Place::new(self.drawing, Span::from_range(&first.source));
        let help = "bind them too, or move them out of that group";
        let help = if names.len() == 1 { help.replace("them", "it") } else { help.to_owned() };
        self.push(Diagnostic::warning("unbound-art", message).at(place).help(help));
    }

    /// Elements that a binding or a movement names.
    fn named_elements(&self) -> BTreeSet<ElementId> {
        let doc = self.doc;
        let clips = doc.clips.iter().flat_map(|clip| &clip.art);
        let arts = clips.chain(doc.drivers.iter().flat_map(|driver| &driver.art)).map(|art| &art.art);
        let clip_offsets = doc.clips.iter().flat_map(|clip| &clip.offsets);
        let offsets = clip_offsets.chain(doc.drivers.iter().flat_map(|driver| &driver.offsets));
        let setups = doc.clips.iter().flat_map(|clip| &clip.setup).map(|setup| &setup.art);
        let paths = doc.constraints.iter().filter_map(|constraint| match &constraint.kind {
            ConstraintKind::Path(path) => Some(&path.art),
            _ => None,
        });
        let lines = doc.bones.iter().filter_map(|bone| bone.line.as_ref());
        let lines = lines.chain(doc.posed_art().map(|art| &art.art));
        let lines = lines.chain(doc.outfits.iter().flat_map(OutfitDoc::names));
        let arts = arts.chain(doc.ink.iter().map(|ink| &ink.art));
        let arts = arts.chain(doc.warps.iter().flat_map(|warp| &warp.art.names));
        let names = arts.chain(offsets.map(|offset| &offset.art)).chain(setups).chain(paths).chain(lines);
        let found = names.filter_map(|name| self.art.find(&name.value).ok());
        self.art_index.named().iter().copied().chain(found).collect()
    }

    /// Paths among bound art, in document order. Every element is looked at once, however many there are.
    fn unbound(&mut self) -> Vec<ElementId> {
        let (kept, art) = (self.named_elements(), self.art);
        let elements = art.elements();
        let parent = |id: ElementId| elements.get(id.index()).and_then(|element| element.parent);
        let seen = |id: &ElementId| {
            elements.get(id.index()).is_some_and(|element| element.state == ElementState::Drawn)
                && !art.is_hidden(*id)
        };
        // Children come after what they are in.
        let ids: Vec<ElementId> = art.ids().collect();
        let own =
            self.memory.bounds.get_or_insert_with(|| ids.iter().map(|id| bounds_of(art, *id)).collect());
        let mut bounds: Vec<Option<Rect>> = own.clone();
        for id in ids.iter().rev() {
            let Some((above, own)) = parent(*id).zip(bounds[id.index()]) else { continue };
            bounds[above.index()] = Some(bounds[above.index()].map_or(own, |all| all.union(own)));
        }
        // What is in something bound goes with it.
        let mut goes: Vec<bool> = Vec::with_capacity(ids.len());
        let mut groups: BTreeMap<ElementId, GroupBindings> = BTreeMap::new();
        for id in &ids {
            let above = parent(*id);
            let inside = above.is_some_and(|above| goes[above.index()]);
            let bound = kept.contains(id);
            goes.push(inside || bound);
            let (false, Some(above), true) = (inside, above, seen(id)) else { continue };
            let group = groups.entry(above).or_default();
            if bound {
                group.bound += 1;
                let own = bounds[id.index()];
                group.around = group.around.into_iter().chain(own).reduce(|all, one| all.union(one));
            } else if elements.get(id.index()).is_some_and(|element| element.kind == ElementKind::Path) {
                group.others.push(*id);
            }
        }
        let mut unbound: Vec<ElementId> = Vec::new();
        for group in groups.into_values().filter(|group| group.bound >= FEW) {
            let Some(around) = group.around else { continue };
            let among = |id: &ElementId| bounds[id.index()].is_some_and(|bounds| is_among(bounds, around));
            let among: Vec<ElementId> = group.others.into_iter().filter(among).collect();
            // Where more stays than goes, that is how it is meant.
            if among.len() * FEW <= group.bound {
                unbound.extend(among);
            }
        }
        unbound.sort_unstable();
        unbound
    }

    fn lint_unused_bones(&mut self, bones_of_skin: Option<&BTreeSet<String>>) {
        let followed = followed(self.doc);
        let in_skin = |bone: &str| bones_of_skin.is_some_and(|bones| bones.contains(bone));
        let names = self.doc.bones.iter().map(|bone| bone.name.value.as_str());
        let mut moves: Vec<bool> = names.map(|bone| followed.contains(bone) || in_skin(bone)).collect();
        carried(self.doc, &mut moves);
        let index: BTreeMap<&str, usize> =
            self.doc.bones.iter().enumerate().map(|(at, bone)| (bone.name.value.as_str(), at)).collect();
        let place = |name: &Spanned<String>| index.get(name.value.as_str()).copied();
        // The end of a chain that moves art has an effect, as the foot of a leg that is pinned.
        for end in self.doc.constraints.iter().flat_map(|constraint| ends(&constraint.kind)) {
            let moved = |bone: usize| {
                self.doc.bones[bone].parent.as_ref().and_then(place).is_some_and(|it| moves[it])
            };
            let chain = end.chain.map_or(EndDoc::CHAIN, |chain| chain.value);
            if let Some(bone) = place(&end.tip).filter(|bone| chain > 1.0 && moved(*bone)) {
                moves[bone] = true;
            }
        }
        let unused: Vec<&BoneDoc> = self
            .doc
            .bones
            .iter()
            .zip(&moves)
            .filter(|(bone, bone_moves)| {
                // Of a chain of unused bones, only the first is reported.
                let above = bone.parent.as_ref().and_then(place);
                !**bone_moves && above.is_none_or(|above| moves[above])
            })
            .map(|(bone, _)| bone)
            .collect();
        for bone in unused {
            let message = format!(
                "bone \"{}\" has no effect: no art follows it or its children",
                shortened(&bone.name.value)
            );
            let help = "bind art to it or to one of its children, or remove it; bones that constraints or drivers read need no art";
            self.report(bone.name.span, Diagnostic::warning("no-effect", message).help(help));
        }
    }
}

/// Around the outline of a path that is seen.
fn bounds_of(art: &Drawing, id: ElementId) -> Option<Rect> {
    art.outline(id).filter(|outline| outline.visible).map(|outline| outline.path.bounding_box())
}

/// The pieces of art directly in a group.
#[derive(Default)]
struct GroupBindings {
    /// How many are bound.
    bound: usize,
    /// Around those.
    around: Option<Rect>,
    /// Paths that are not.
    others: Vec<ElementId>,
}

/// Whether most of a box is in another one.
fn is_among(bounds: Rect, around: Rect) -> bool {
    // A line has no area.
    let thick = bounds.inflate(0.5, 0.5);
    let common = thick.intersect(around.inflate(0.5, 0.5));
    common.width().max(0.0) * common.height().max(0.0) >= AMONG * thick.area()
}

/// A bone moves its descendants, in the setup pose or in a clip.
fn carried(doc: &RigDoc, moves: &mut [bool]) {
    let index: BTreeMap<&str, usize> =
        doc.bones.iter().enumerate().map(|(at, bone)| (bone.name.value.as_str(), at)).collect();
    let mut waiting: Vec<usize> = (0..moves.len()).filter(|bone| moves[*bone]).collect();
    let keyed = doc.clips.iter().flat_map(|clip| &clip.bones);
    for channels in keyed {
        for key in channels.parent.iter().flat_map(|parent| &parent.keys) {
            let parent = key.parent.value.as_deref().and_then(|name| index.get(name).copied());
            waiting.extend(parent.filter(|parent| !std::mem::replace(&mut moves[*parent], true)));
        }
    }
    while let Some(bone) = waiting.pop() {
        let parent = doc.bones.get(bone).and_then(|bone| index.get(bone.parent.as_ref()?.value.as_str()));
        waiting.extend(parent.copied().filter(|parent| !std::mem::replace(&mut moves[*parent], true)));
    }
}

/// The bones that a binding names.
pub(super) fn bones_of(binding: &BindingDoc, doc: &RigDoc) -> Vec<String> {
    let mut bones: BTreeSet<&str> = BTreeSet::new();
    let all = || doc.bones.iter().map(|bone| bone.name.value.as_str());
    let paint_options = match binding {
        BindingDoc::Rigid(rigid) => return vec![rigid.bone.value.clone()],
        BindingDoc::Smooth(smooth) => {
            match &smooth.bones {
                Some(named) => bones.extend(named.value.iter().map(|bone| bone.value.as_str())),
                None => bones.extend(all()),
            }
            &smooth.paint_options
        }
        BindingDoc::Puppet(puppet) => {
            bones.extend(puppet.pins.value.iter().map(|pin| pin.value.as_str()));
            &puppet.paint_options
        }
        BindingDoc::Explicit(explicit) => {
            let rows = explicit.weights.iter().map(|row| &row.weights).chain(&explicit.others);
            bones.extend(rows.flat_map(|row| &row.list).map(|(bone, _)| bone.value.as_str()));
            &explicit.paint_options
        }
    };
    if let PaintDoc::Bone(bone) = &paint_options.paint {
        bones.insert(&bone.value);
    }
    bones.into_iter().map(str::to_owned).collect()
}

/// The bones that clips, constraints, drivers or springs build on.
fn followed(doc: &RigDoc) -> BTreeSet<&str> {
    let mut bones: BTreeSet<&str> = BTreeSet::new();
    for clip in &doc.clips {
        let rows = clip.weights.iter().flat_map(|art| &art.vertices).flat_map(|(_, channel)| &channel.keys);
        bones.extend(rows.flat_map(|key| &key.value.value.list).map(|(bone, _)| bone.value.as_str()));
    }
    let driven = doc.drivers.iter().flat_map(|driver| &driver.offsets);
    let offsets = doc.clips.iter().flat_map(|clip| &clip.offsets).chain(driven);
    let measured = offsets.flat_map(|art| &art.vertices).filter_map(|(_, offset)| offset.bone.as_ref());
    bones.extend(measured.map(|bone| bone.value.as_str()));
    bones.extend(doc.drivers.iter().filter_map(|driver| Some(driver.bone.as_ref()?.value.as_str())));
    bones.extend(doc.springs.iter().flat_map(|spring| spring.names()).map(|bone| bone.value.as_str()));
    for constraint in &doc.constraints {
        bones.extend(read_by(&constraint.kind));
    }
    bones
}

/// The bones that a constraint reads: what it moves alone must move something else.
fn read_by(kind: &ConstraintKind) -> Vec<&str> {
    match kind {
        ConstraintKind::Ik(_) | ConstraintKind::Pin(_) => {
            ends(kind).iter().filter_map(|end| target(end.target.as_ref()?)).collect()
        }
        ConstraintKind::Aim(aim) => target(&aim.target).into_iter().collect(),
        ConstraintKind::Copy(copy) => vec![&copy.from.value],
        ConstraintKind::Limit(_) | ConstraintKind::Path(_) => Vec::new(),
        ConstraintKind::Distance(distance) => target(&distance.target).into_iter().collect(),
    }
}

fn ends(kind: &ConstraintKind) -> &[EndDoc] {
    match kind {
        ConstraintKind::Ik(ik) | ConstraintKind::Pin(ik) => &ik.ends,
        _ => &[],
    }
}

fn target(target: &TargetDoc) -> Option<&str> {
    match target {
        TargetDoc::Bone(bone) => Some(&bone.value),
        TargetDoc::Place(_) => None,
    }
}
