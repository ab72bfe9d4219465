//! The contents of a scaffold: bones, bindings and a clip. Bindings with errors are simplified until the rig
//! loads.

use bone_core::clip::Scalar;
use std::collections::BTreeMap;

use bone_drawing::{Drawing, ElementId};

use super::art::{self, ArtPiece};
use super::bind::{self, PieceBinding};
use super::bones::{self, GuideBone};
use super::classes::{self, Alone, InClasses};
use super::page::{PAGE, clip, extent, guide_lines, is_near, one_bone, page, shown};
use super::request::{BoneStyle, FileNames, Scaffold};
use super::turn::HeadTurn;
use bone_format::Loaded;
use bone_format::diagnostic::{Diagnostic, Diagnostics, Severity};
use bone_format::doc::{
    ArtNames, BindingDoc, BoneChannelsDoc, BoneDoc, Channel, ClipDoc, Key, RigDoc, RigidDoc, SmoothDoc,
};
use bone_format::no_weight_message;
use bone_format::span::{SourceId, Span, Spanned};
use bone_format::write::{Digits, write};

/// The largest number of digits after the point in coordinates.
const MOST_PLACES: usize = 12;
/// At most this many bones are keyed in the clip.
const MOST_KEYED: usize = 24;

/// A scaffold before it is written.
pub(super) struct ScaffoldDraft<'a> {
    pub(super) art: &'a Drawing,
    pub(super) svg: &'a str,
    pub(super) called: FileNames<'a>,
    pub(super) style: BoneStyle,
    pub(super) guides: Option<ElementId>,
    pub(super) drawn: bool,
    /// The number of shapes in the group of guide lines that are not lines.
    pub(super) other_shapes: usize,
    pub(super) bones: Vec<GuideBone>,
    pub(super) pieces: Vec<(ArtPiece, PieceBinding)>,
    /// The names of lines, each with the colours that it is drawn around and bound with.
    pub(super) lines: Vec<(String, Vec<String>)>,
    /// The names of pieces, each with the piece that it lies on and is bound with.
    pub(super) covered: Vec<(String, String)>,
    /// The number of further pieces, which are not bound.
    pub(super) more: usize,
    /// The head that turns.
    pub(super) turn: Option<HeadTurn>,
}

impl<'a> ScaffoldDraft<'a> {
    pub(super) fn new(art: &'a Drawing, svg: &'a str, called: FileNames<'a>, style: BoneStyle) -> Self {
        let lines = art::guides(art).map(|group| guide_lines(art, group));
        let (lines, other_shapes) = lines.unwrap_or_default();
        let bones = bones::connect(&lines, extent(page(art)));
        Self { other_shapes, ..Self::with_bones(art, svg, called, style, bones) }
    }

    /// The art of a drawing, bound to bones.
    pub(super) fn with_bones(
        art: &'a Drawing,
        svg: &'a str,
        called: FileNames<'a>,
        style: BoneStyle,
        mut bones: Vec<GuideBone>,
    ) -> Self {
        let guides = art::guides(art);
        let canvas = page(art);
        let drawn = !bones.is_empty();
        let bones_in = |shapes: &[art::Shape]| bind::bones_in(shapes, &bones);
        let (pieces, more) = art::pieces(art, svg, guides, &bones_in);
        if bones.is_empty() {
            let boxes = pieces.iter().filter(|piece| !piece.background).filter_map(|piece| piece.bounds);
            let around = boxes.reduce(|all, one| all.union(one)).filter(is_near).unwrap_or(canvas);
            bones.push(one_bone(around, canvas));
        }
        let how = |piece: &ArtPiece| {
            if drawn { bind::to_bones(piece, &bones, canvas) } else { bind::to_one(piece) }
        };
        let has_bone = |shapes: &[art::Shape]| !bind::bones_in(shapes, &bones).is_empty();
        let InClasses { pieces, lines, covered } = if drawn {
            classes::bound(pieces, canvas, more == 0, &Alone { how: &how, has_bone: &has_bone })
        } else {
            let alone = pieces.into_iter().map(|piece| (piece.clone(), how(&piece)));
            InClasses { pieces: alone.collect(), lines: Vec::new(), covered: Vec::new() }
        };
        Self {
            art,
            svg,
            called,
            style,
            guides,
            drawn,
            other_shapes: 0,
            bones,
            pieces,
            lines,
            covered,
            more,
            turn: None,
        }
    }

    /// Corrects what has errors in a loaded trial, and returns whether anything changed: a binding with an
    /// error is simplified, and bones without influence are removed from smooth bindings. Other warnings
    /// change nothing.
    pub(super) fn corrected(&mut self, doc: Option<&RigDoc>, diagnostics: &Diagnostics) -> bool {
        let of_the_rig = |d: &&Diagnostic| d.place.is_some_and(|place| place.source == SourceId::default());
        let found: Vec<&Diagnostic> = diagnostics.iter().filter(of_the_rig).collect();
        let errors: Vec<&Diagnostic> =
            found.iter().copied().filter(|d| d.severity == Severity::Error).collect();
        let bindings = || doc.iter().flat_map(|doc| &doc.skin);
        let about = |binding: &BindingDoc, d: &Diagnostic| {
            let span = binding.span();
            d.place.is_some_and(|place| span.start <= place.span.start && place.span.start < span.end)
        };
        let mut errors_by_art: BTreeMap<String, String> = BTreeMap::new();
        for binding in bindings() {
            if let Some(error) = errors.iter().find(|d| about(binding, d)) {
                errors_by_art.extend(first_name(binding).map(|name| (name, error.message.clone())));
            }
        }
        if !errors.is_empty() && errors_by_art.is_empty() && self.style == BoneStyle::Lines {
            // Coordinates are the same bones.
            self.style = BoneStyle::Coordinates;
            return true;
        }
        if let (Some(error), true) = (errors.first(), errors_by_art.is_empty()) {
            let names = self.pieces.iter().filter_map(|(piece, _)| piece.names.first());
            errors_by_art = names.map(|name| (name.clone(), error.message.clone())).collect();
        }
        if !errors_by_art.is_empty() {
            return self.simplify(&errors_by_art);
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

    /// Removes bones without influence from a binding.
    fn leave_out(&mut self, name: &str, messages: &[&str]) -> bool {
        let bones = &self.bones;
        let Some((_, how)) =
            self.pieces.iter_mut().find(|(piece, _)| piece.names.first().is_some_and(|first| first == name))
        else {
            return false;
        };
        let PieceBinding::Smooth(list) = how else { return false };
        let holds = |bone: &usize| {
            let unused = no_weight_message(&bones[*bone].name);
            !messages.iter().any(|message| message.starts_with(&unused))
        };
        let kept: Vec<usize> = list.iter().copied().filter(holds).collect();
        if kept.is_empty() || kept.len() == list.len() {
            return false;
        }
        *list = kept;
        true
    }

    /// Simplifies bindings with errors: a smooth binding becomes a rigid one, a rigid one is removed.
    pub(super) fn simplify(&mut self, errors_by_art: &BTreeMap<String, String>) -> bool {
        let mut changed = false;
        for (piece, how) in &mut self.pieces {
            let inside = piece
                .rigid_parts
                .iter()
                .find_map(|rigid_parts| Some((&rigid_parts.name, errors_by_art.get(&rigid_parts.name)?)));
            if let Some((name, _)) = inside {
                let name = name.clone();
                piece.rigid_parts.retain(|rigid_parts| rigid_parts.name != name);
                changed = true;
            }
            let Some(why) = piece.names.first().and_then(|name| errors_by_art.get(name)) else { continue };
            *how = match how {
                PieceBinding::Not(_) => continue,
                PieceBinding::Smooth(bones) => {
                    PieceBinding::Rigid(bones.first().copied().unwrap_or_default())
                }
                PieceBinding::Rigid(_) => PieceBinding::Not(why.clone()),
            };
            changed = true;
        }
        changed
    }

    /// One bone and no bindings: this loads for every drawing.
    pub(super) fn give_up(&mut self, tried: &Loaded) {
        let error = tried.diagnostics.iter().find(|d| d.severity == Severity::Error);
        let why = error.map_or("the rig could not be loaded with it", |error| error.message.as_str());
        self.bones = vec![one_bone(PAGE, PAGE)];
        self.drawn = false;
        self.pieces.iter_mut().for_each(|(_, how)| *how = PieceBinding::Not(why.to_owned()));
    }

    pub(super) fn rig(&self, bare: &RigDoc) -> Scaffold {
        let mut doc = bare.clone();
        doc.bones = self.bones.iter().map(|bone| self.bone(bone)).collect();
        doc.skin = self.pieces.iter().flat_map(|(piece, how)| self.bindings(piece, how)).collect();
        doc.clips = vec![self.first_clip()];
        self.turn.iter().for_each(|turn| turn.add_to(&mut doc));
        let text = write(&doc, &self.comments(), self.digits());
        let count = |is_bound: bool| -> usize {
            let pieces =
                self.pieces.iter().filter(|(_, how)| matches!(how, PieceBinding::Not(_)) != is_bound);
            pieces.map(|(piece, _)| piece.names.len()).sum()
        };
        let (bound, unbound) = (count(true), count(false) + self.more);
        Scaffold { text, bones: doc.bones.len(), drawn: self.drawn, bound, unbound }
    }

    /// The digits of coordinates: smaller steps than a ten-thousandth of the drawing are not visible.
    fn digits(&self) -> Digits {
        digits(extent(page(self.art)))
    }

    fn bone(&self, bone: &GuideBone) -> BoneDoc {
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

    pub(super) fn bindings(&self, piece: &ArtPiece, how: &PieceBinding) -> Vec<BindingDoc> {
        let name = |bone: usize| Spanned::from(self.bones[bone].name.clone());
        let names = |names: &[String]| ArtNames {
            names: names.iter().cloned().map(Spanned::from).collect(),
            ..ArtNames::default()
        };
        let rigid = |art: ArtNames, bone: usize| {
            BindingDoc::Rigid(RigidDoc { art, bone: name(bone), ..RigidDoc::default() })
        };
        match how {
            PieceBinding::Not(_) => Vec::new(),
            PieceBinding::Rigid(bone) => vec![rigid(names(&piece.names), *bone)],
            PieceBinding::Smooth(bones) => {
                let art = names(&piece.names);
                let named: Vec<Spanned<String>> = bones.iter().map(|bone| name(*bone)).collect();
                let bends = SmoothDoc { art, bones: Some(named.into()), ..SmoothDoc::default() };
                let rigid_parts = piece.rigid_parts.iter().map(|rigid_parts| {
                    let bone = bind::nearest(rigid_parts.bounds, bones, &self.bones);
                    rigid(names(std::slice::from_ref(&rigid_parts.name)), bone)
                });
                std::iter::once(BindingDoc::Smooth(bends)).chain(rigid_parts).collect()
            }
        }
    }

    /// Whether each bone moves art, by itself or by its descendants.
    pub(super) fn moving(&self) -> Vec<bool> {
        let mut moving = vec![false; self.bones.len()];
        for (_, how) in &self.pieces {
            match how {
                PieceBinding::Not(_) => {}
                PieceBinding::Rigid(bone) => moving[*bone] = true,
                PieceBinding::Smooth(bones) => bones.iter().for_each(|bone| moving[*bone] = true),
            }
        }
        // Parents are before their children.
        for bone in (0..self.bones.len()).rev() {
            if let Some(parent) = self.bones[bone].parent.filter(|_| moving[bone]) {
                moving[parent] = true;
            }
        }
        moving
    }

    /// A clip that rotates bones a little and hides the guide lines.
    fn first_clip(&self) -> ClipDoc {
        let moving = self.moving();
        let moves = |at: &usize| moving[*at];
        let has_parent = |at: &usize| self.bones[*at].parent.is_some();
        let all = 0..self.bones.len();
        let mut keyed: Vec<usize> = all.clone().filter(has_parent).filter(moves).take(MOST_KEYED).collect();
        if keyed.is_empty() {
            keyed = all.clone().filter(moves).take(MOST_KEYED).collect();
        }
        if keyed.is_empty() {
            keyed = all.take(MOST_KEYED).collect();
        }
        let degrees = if self.drawn { 5.0 } else { 4.0 };
        let key = |(time, value): (f64, f64)| Key {
            span: Span::default(),
            time: time.into(),
            value: value.into(),
            ease: None,
        };
        let channels = |bone: usize| {
            let keys = [(0.0, -degrees), (1.0, degrees), (2.0, -degrees)].map(key);
            BoneChannelsDoc::new(self.bones[bone].name.clone()).with(Scalar::Rotate, Channel::from_keys(keys))
        };
        let guides = self.guides.filter(|id| self.drawn && !self.art.is_hidden(*id));
        let guides = guides.map(|id| shown(&art::name(self.art, id), false));
        ClipDoc {
            length: Some(2.0.into()),
            looped: Some(bone_core::clip::Repeat::Loop.into()),
            bones: keyed.into_iter().map(channels).collect(),
            art: guides.into_iter().collect(),
            ..clip("first")
        }
    }
}

/// The first name of the art of a binding.
fn first_name(binding: &BindingDoc) -> Option<String> {
    binding.names().first().map(|name| name.value.clone())
}

/// The digits of coordinates in a drawing of this extent: smaller steps than a ten-thousandth are not
/// visible.
pub(super) fn digits(mut extent: f64) -> Digits {
    let mut digits = Digits::default();
    while extent < 100.0 && digits.places < MOST_PLACES {
        extent *= 10.0;
        digits.places += 1;
    }
    digits
}
