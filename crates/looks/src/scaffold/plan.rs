//! What a first rig is going to say: bones, bindings, a movement; and less of it where a try shows mistakes.

use std::collections::BTreeMap;

use drawing::{Drawing, ElementId};

use super::art::{self, Piece};
use super::bind::{self, How};
use super::bones::{self, Found};
use super::{
    BoneStyle, FileNames, PAGE, Scaffold, clip, extent, guide_lines, is_near, one_bone, page, shown,
};
use rig_format::Loaded;
use rig_format::diagnostic::{Diagnostic, Severity};
use rig_format::doc::{
    ArtNames, BindingDoc, BoneChannelsDoc, BoneDoc, Channel, ClipDoc, Key, RigDoc, RigidDoc, SmoothDoc,
};
use rig_format::no_weight_message;
use rig_format::span::{SourceId, Span, Spanned};
use rig_format::write::{Digits, write};

/// Coordinates have no more digits after the point than this.
const MOST_PLACES: usize = 12;
/// More bones than this do not all swing in the first movement.
const SWINGING: usize = 24;

/// What the rig is going to say.
pub(super) struct Plan<'a> {
    pub(super) art: &'a Drawing,
    pub(super) svg: &'a str,
    pub(super) called: FileNames<'a>,
    pub(super) style: BoneStyle,
    pub(super) guides: Option<ElementId>,
    pub(super) drawn: bool,
    /// Lines in the group of guides that are no bones.
    pub(super) passed_over: usize,
    pub(super) bones: Vec<Found>,
    pub(super) pieces: Vec<(Piece, How)>,
    /// Pieces beyond those.
    pub(super) more: usize,
}

impl<'a> Plan<'a> {
    pub(super) fn new(art: &'a Drawing, svg: &'a str, called: FileNames<'a>, style: BoneStyle) -> Self {
        let guides = art::guides(art);
        let canvas = page(art);
        let (lines, passed_over) = guides.map(|group| guide_lines(art, group)).unwrap_or_default();
        let mut bones = bones::hang(&lines, extent(canvas));
        let drawn = !bones.is_empty();
        let has_bone = |shapes: &[art::Shape]| bind::has_bone(shapes, &bones);
        let (pieces, more) = art::pieces(art, svg, guides, &has_bone);
        if bones.is_empty() {
            let boxes = pieces.iter().filter(|piece| !piece.background).filter_map(|piece| piece.bounds);
            let around = boxes.reduce(|all, one| all.union(one)).filter(is_near).unwrap_or(canvas);
            bones.push(one_bone(around, canvas));
        }
        let how =
            |piece: &Piece| if drawn { bind::to_bones(piece, &bones, canvas) } else { bind::to_one(piece) };
        let pieces = pieces.into_iter().map(|piece| (piece.clone(), how(&piece))).collect();
        Self { art, svg, called, style, guides, drawn, passed_over, bones, pieces, more }
    }

    /// Changes what a try has shown to be wrong, and says whether there was anything: art whose binding has a
    /// mistake is asked for less, and bones that hold nothing of art that bends are left out of its binding.
    /// Other warnings change nothing.
    pub(super) fn corrected(&mut self, tried: &Loaded) -> bool {
        let of_the_rig = |d: &&Diagnostic| d.place.is_some_and(|place| place.source == SourceId::default());
        let found: Vec<&Diagnostic> = tried.diagnostics.iter().filter(of_the_rig).collect();
        let errors: Vec<&Diagnostic> =
            found.iter().copied().filter(|d| d.severity == Severity::Error).collect();
        let bindings = || tried.doc.iter().flat_map(|doc| &doc.skin);
        let about = |binding: &BindingDoc, d: &Diagnostic| {
            let span = binding.span();
            d.place.is_some_and(|place| span.start <= place.span.start && place.span.start < span.end)
        };
        let mut wrong: BTreeMap<String, String> = BTreeMap::new();
        for binding in bindings() {
            if let Some(error) = errors.iter().find(|d| about(binding, d)) {
                wrong.extend(first_name(binding).map(|name| (name, error.message.clone())));
            }
        }
        if !errors.is_empty() && wrong.is_empty() && self.style == BoneStyle::Lines {
            // Places say the same.
            self.style = BoneStyle::Places;
            return true;
        }
        if let (Some(error), true) = (errors.first(), wrong.is_empty()) {
            let names = self.pieces.iter().filter_map(|(piece, _)| piece.names.first());
            wrong = names.map(|name| (name.clone(), error.message.clone())).collect();
        }
        if !wrong.is_empty() {
            return self.demote(&wrong);
        }
        let mut changed = false;
        for binding in bindings() {
            let about_it: Vec<&str> =
                found.iter().filter(|d| about(binding, d)).map(|d| d.message.as_str()).collect();
            let name = first_name(binding).filter(|_| !about_it.is_empty());
            changed |= name.is_some_and(|name| self.leave_out(&name, &about_it));
        }
        changed
    }

    /// Leaves bones out of a binding that hold nothing of its art.
    fn leave_out(&mut self, name: &str, messages: &[&str]) -> bool {
        let bones = &self.bones;
        let Some((_, how)) =
            self.pieces.iter_mut().find(|(piece, _)| piece.names.first().is_some_and(|first| first == name))
        else {
            return false;
        };
        let How::Smooth(list) = how else { return false };
        let holds = |bone: &usize| {
            let idle = no_weight_message(&bones[*bone].name);
            !messages.iter().any(|message| message.starts_with(&idle))
        };
        let kept: Vec<usize> = list.iter().copied().filter(holds).collect();
        if kept.is_empty() || kept.len() == list.len() {
            return false;
        }
        *list = kept;
        true
    }

    /// Asks less of art: what bent rides along, what rode along stays.
    fn demote(&mut self, wrong: &BTreeMap<String, String>) -> bool {
        let mut changed = false;
        for (piece, how) in &mut self.pieces {
            let inside = piece.stiff.iter().find_map(|stiff| Some((&stiff.name, wrong.get(&stiff.name)?)));
            if let Some((name, _)) = inside {
                let name = name.clone();
                piece.stiff.retain(|stiff| stiff.name != name);
                changed = true;
            }
            let Some(why) = piece.names.first().and_then(|name| wrong.get(name)) else { continue };
            *how = match how {
                How::Not(_) => continue,
                How::Smooth(bones) => How::Rigid(bones.first().copied().unwrap_or_default()),
                How::Rigid(_) => How::Not(why.clone()),
            };
            changed = true;
        }
        changed
    }

    /// One bone and nothing that follows it: there is no drawing to which this cannot be done.
    pub(super) fn give_up(&mut self, tried: &Loaded) {
        let error = tried.diagnostics.iter().find(|d| d.severity == Severity::Error);
        let why = error.map_or("the rig could not be loaded with it", |error| error.message.as_str());
        self.bones = vec![one_bone(PAGE, PAGE)];
        self.drawn = false;
        self.pieces.iter_mut().for_each(|(_, how)| *how = How::Not(why.to_owned()));
    }

    pub(super) fn rig(&self, bare: &RigDoc) -> Scaffold {
        let mut doc = bare.clone();
        doc.bones = self.bones.iter().map(|bone| self.bone(bone)).collect();
        doc.skin = self.pieces.iter().flat_map(|(piece, how)| self.bindings(piece, how)).collect();
        doc.clips = vec![self.first_movement()];
        let text = write(&doc, &self.comments(), self.digits());
        let count = |is_bound: bool| -> usize {
            let pieces = self.pieces.iter().filter(|(_, how)| matches!(how, How::Not(_)) != is_bound);
            pieces.map(|(piece, _)| piece.names.len()).sum()
        };
        let (bound, unbound) = (count(true), count(false) + self.more);
        Scaffold { text, bones: doc.bones.len(), drawn: self.drawn, bound, unbound }
    }

    /// A ten-thousandth of the drawing is too small to be seen.
    fn digits(&self) -> Digits {
        digits(extent(page(self.art)))
    }

    fn bone(&self, bone: &Found) -> BoneDoc {
        let line = bone.line.clone().filter(|_| self.style == BoneStyle::Lines);
        let typed = line.is_none();
        BoneDoc {
            name: bone.name.clone().into(),
            parent: bone.parent.map(|parent| self.bones[parent].name.clone().into()),
            from: (typed && !bone.at_tip).then_some(bone.from.into()),
            to: typed.then_some(bone.to.into()),
            line: line.map(Into::into),
            ..BoneDoc::default()
        }
    }

    fn bindings(&self, piece: &Piece, how: &How) -> Vec<BindingDoc> {
        let name = |bone: usize| Spanned::from(self.bones[bone].name.clone());
        let names = |names: &[String]| ArtNames {
            names: names.iter().cloned().map(Spanned::from).collect(),
            ..ArtNames::default()
        };
        let rigid = |art: ArtNames, bone: usize| {
            BindingDoc::Rigid(RigidDoc { art, bone: name(bone), ..RigidDoc::default() })
        };
        match how {
            How::Not(_) => Vec::new(),
            How::Rigid(bone) => vec![rigid(names(&piece.names), *bone)],
            How::Smooth(bones) => {
                let art = names(&piece.names);
                let named: Vec<Spanned<String>> = bones.iter().map(|bone| name(*bone)).collect();
                let bends = SmoothDoc { art, bones: Some(named.into()), ..SmoothDoc::default() };
                let stiff = piece.stiff.iter().map(|stiff| {
                    let bone = bind::nearest(stiff.bounds, bones, &self.bones);
                    rigid(names(std::slice::from_ref(&stiff.name)), bone)
                });
                std::iter::once(BindingDoc::Smooth(bends)).chain(stiff).collect()
            }
        }
    }

    /// Whether each bone moves art, by itself or by its descendants.
    pub(super) fn moving(&self) -> Vec<bool> {
        let mut moving = vec![false; self.bones.len()];
        for (_, how) in &self.pieces {
            match how {
                How::Not(_) => {}
                How::Rigid(bone) => moving[*bone] = true,
                How::Smooth(bones) => bones.iter().for_each(|bone| moving[*bone] = true),
            }
        }
        // Parents stand before their children.
        for bone in (0..self.bones.len()).rev() {
            if let Some(parent) = self.bones[bone].parent.filter(|_| moving[bone]) {
                moving[parent] = true;
            }
        }
        moving
    }

    /// Bones swing a little to and fro, and guide lines are out of sight.
    fn first_movement(&self) -> ClipDoc {
        let moving = self.moving();
        let moves = |at: &usize| moving[*at];
        let hung = |at: &usize| self.bones[*at].parent.is_some();
        let all = 0..self.bones.len();
        let mut swinging: Vec<usize> = all.clone().filter(hung).filter(moves).take(SWINGING).collect();
        if swinging.is_empty() {
            swinging = all.clone().filter(moves).take(SWINGING).collect();
        }
        if swinging.is_empty() {
            swinging = all.take(SWINGING).collect();
        }
        let degrees = if self.drawn { 5.0 } else { 4.0 };
        let key = |(time, value): (f64, f64)| Key {
            span: Span::default(),
            time: time.into(),
            value: value.into(),
            ease: None,
        };
        let swing = |bone: usize| BoneChannelsDoc {
            bone: self.bones[bone].name.clone().into(),
            rotate: Some(Channel {
                keys: [(0.0, -degrees), (1.0, degrees), (2.0, -degrees)].map(key).to_vec(),
                ..Channel::default()
            }),
            ..BoneChannelsDoc::default()
        };
        let guides = self.guides.filter(|id| self.drawn && !self.art.is_hidden(*id));
        let guides = guides.map(|id| shown(&art::name(self.art, id), false));
        ClipDoc {
            length: Some(2.0.into()),
            looped: Some(true.into()),
            bones: swinging.into_iter().map(swing).collect(),
            art: guides.into_iter().collect(),
            ..clip("first")
        }
    }
}

/// The first name of the art of a binding.
fn first_name(binding: &BindingDoc) -> Option<String> {
    binding.names().first().map(|name| name.value.clone())
}

/// How many digits places have in a drawing of some extent: a ten-thousandth of it is too small to be seen.
pub(super) fn digits(mut extent: f64) -> Digits {
    let mut digits = Digits::default();
    while extent < 100.0 && digits.places < MOST_PLACES {
        extent *= 10.0;
        digits.places += 1;
    }
    digits
}
