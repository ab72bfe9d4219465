//! Whether the parts of a document agree: names that exist, values in range, keys in order.
//! It needs the document alone; what needs the drawing, such as names of art, is checked in `compile`.

mod art;
mod bones;
mod clips;
mod constraints;
mod controls;
mod drivers;
mod events;
mod halves;
mod inks;
mod machines;
mod outfits;
mod parents;
mod poses;
mod puppets;
mod sequences;
mod shifts;
mod skin;
mod springs;
mod warps;

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::doc::{BoneDoc, ClipDoc, ConstraintDoc, RigDoc, SliderDoc};
use crate::poses::Poses;
use crate::read::read_whole;
use crate::span::{Span, Spanned};
use crate::text::{Parsed, Syntax, shortened};
use crate::write::{Digits, node};

/// Checks a document and reports everything that does not fit. The values of a document that was not read from
/// a text are checked, too, as reading does.
pub fn check(doc: &RigDoc, diagnostics: &mut Diagnostics) {
    check_parts(doc, diagnostics, &Sound::default());
}

/// The large parts of a document in which nothing is to be found: their own content and all that they are
/// compared with decide that, not their places.
#[derive(Debug, Default)]
pub(crate) struct Sound {
    /// The bindings.
    pub(crate) skin: bool,
    /// Each clip; missing ones are not known.
    pub(crate) clips: Vec<bool>,
}

/// Checks a document but for the parts that are known to be sound. Returns which of them are.
pub(crate) fn check_parts(doc: &RigDoc, diagnostics: &mut Diagnostics, known: &Sound) -> Sound {
    if doc.is_written() {
        return compare_parts(doc, diagnostics, known);
    }
    let mut found = Diagnostics::new();
    let root = Some(node(doc, Digits::ALL));
    read_whole(doc.source, Parsed { root, whole: true, syntax: Syntax::Ron }, &mut found);
    let sound = compare_parts(doc, &mut found, known);
    found.iter().for_each(|found| diagnostics.push(found.clone().without_places(doc.source)));
    sound
}

/// Whether the parts of a document agree.
fn compare_parts<'a>(doc: &'a RigDoc, diagnostics: &mut Diagnostics, known: &Sound) -> Sound {
    let mut names = BTreeMap::new();
    for (index, bone) in doc.bones.iter().enumerate() {
        names.entry(bone.name.value.as_str()).or_insert(index);
    }
    let parent = |bone: &BoneDoc| names.get(bone.parent.as_ref()?.value.as_str()).copied();
    let parents = doc.bones.iter().map(parent).collect();
    let mut constraints = BTreeMap::new();
    for constraint in &doc.constraints {
        if let Some(name) = &constraint.name {
            constraints.entry(name.value.as_str()).or_insert(constraint);
        }
    }
    let poses = &Poses::new(doc);
    let sliders = doc.sliders.iter().map(|slider| (slider.name.value.as_str(), slider)).collect();
    let mut checker = Checker { doc, names, parents, sliders, constraints, poses, diagnostics, found: 0 };
    checker.bones();
    checker.pins();
    checker.sliders();
    checker.inks();
    checker.warps();
    let skin = known.skin || checker.finds_nothing(Checker::skin);
    checker.drivers();
    checker.constraints();
    checker.springs();
    checker.all_poses();
    let known = known.clips.iter().copied().chain(std::iter::repeat(false));
    // Content that is known to be sound may have another name.
    let check = |(clip, known): (&'a ClipDoc, bool)| {
        checker.file_name("clip", &clip.name);
        known || checker.finds_nothing(|checker| checker.clip(clip))
    };
    let clips = doc.clips.iter().zip(known).map(check).collect();
    checker.event_names();
    checker.sequences();
    checker.machines();
    checker.outfits();
    Sound { skin, clips }
}

struct Checker<'a, 'd> {
    doc: &'a RigDoc,
    /// Where in `doc.bones` a name is.
    names: BTreeMap<&'a str, usize>,
    /// The parent of each bone, if it has one that exists.
    parents: Vec<Option<usize>>,
    sliders: BTreeMap<&'a str, &'a SliderDoc>,
    /// The first constraint of each name.
    constraints: BTreeMap<&'a str, &'a ConstraintDoc>,
    /// The poses, those of the other side too.
    poses: &'d Poses,
    diagnostics: &'d mut Diagnostics,
    /// How often something was found.
    found: usize,
}

impl<'a> Checker<'a, '_> {
    /// Whether a check finds nothing.
    fn finds_nothing(&mut self, check: impl FnOnce(&mut Self)) -> bool {
        let before = self.found;
        check(self);
        self.found == before
    }

    fn error(&mut self, span: Span, diagnostic: Diagnostic) {
        self.found += 1;
        self.diagnostics.push(diagnostic.at(self.place(span)));
    }

    fn place(&self, span: Span) -> Place {
        self.doc.place(span)
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// Reports two fields that give the same thing, at the later one.
    fn both(&mut self, owner: &str, first: (&str, Option<Span>), second: (&str, Option<Span>), help: &str) {
        let ((one, Some(first)), (two, Some(second))) = (first, second) else { return };
        let (earlier, name, later) = if first < second { (first, one, second) } else { (second, two, first) };
        let error = Diagnostic::error("conflicting-fields", format!("{owner} has both `{one}` and `{two}`"));
        let place = self.place(earlier);
        self.error(later, error.related(place, format!("`{name}` is here")).help(help));
    }

    /// The bone of this name. If there is none, it is reported; `field` begins the message: `the parent of
    /// bone "hand" is`.
    fn refer(&mut self, name: &Spanned<String>, field: &str) -> Option<usize> {
        let index = self.index(&name.value);
        if index.is_none() && self.doc.complete {
            let message = format!("{field} \"{}\", and there is no such bone", shortened(&name.value));
            let mut diagnostic = Diagnostic::error("unknown-bone", message);
            // Names are only compared while the finding has a chance to be kept.
            if self.diagnostics.error_count() < Diagnostics::KEPT {
                diagnostic =
                    diagnostic.suggest(&name.value, self.doc.bones.iter().map(|b| b.name.value.as_str()));
            }
            if self.doc.bones.is_empty() {
                diagnostic = diagnostic.help("this rig has no bones");
            }
            self.error(name.span, diagnostic);
        }
        index
    }

    fn name(&self, bone: usize) -> &'a str {
        self.doc.bones.get(bone).map_or("", |bone| bone.name.value.as_str())
    }

    /// The names of a cycle of parents: `"a" -> "b" -> "a"`.
    fn cycle_text(&self, members: &[usize]) -> String {
        const SHOWN: usize = 6;
        let name = |bone: &usize| format!("\"{}\"", shortened(self.name(*bone)));
        let mut words: Vec<String> = members.iter().take(SHOWN).map(name).collect();
        if members.len() > SHOWN {
            words.push(format!("{} more", members.len() - SHOWN));
        }
        words.extend(members.first().map(name));
        words.join(" -> ")
    }
}
