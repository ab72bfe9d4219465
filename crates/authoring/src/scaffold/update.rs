//! Reads the guide lines of a drawing again and moves the bones of its rig: by edits of a session, which keep
//! everything else. A parent changes only if its line touches another one than before; a parent that was typed
//! and is not the one in the drawing is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use bone_drawing::Drawing;
use kurbo::Point;

use super::bones::{self, GuideBone, GuideSegment};
use super::draft;
use super::page::{extent, guide_lines, page};
use super::{art, drawing_with_guides};
use bone_format::diagnostic::{Diagnostic, Diagnostics};
use bone_format::doc::{BoneDoc, RigDoc};
use bone_format::session::{DocPath, Edit, Session};
use bone_format::span::{SourceId, Sources, Spanned};
use bone_format::{Files, fontdb};
use bone_rig::Rig;

/// The result of [`update_bones`].
#[derive(Debug)]
pub struct UpdatedBones {
    /// The whole text of each file that changed.
    pub texts: Vec<(SourceId, String)>,
    /// What changed; none if the rig or its drawing has errors.
    pub report: Option<BoneReport>,
    /// The findings.
    pub diagnostics: Diagnostics,
    /// The texts that the findings point into, and the old text of each file.
    pub sources: Sources,
}

/// The names of the bones that changed, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoneReport {
    /// Bones with changed coordinates.
    pub moved: Vec<String>,
    /// Bones with another parent, with its name.
    pub reparented: Vec<(String, String)>,
    /// New bones.
    pub added: Vec<String>,
    /// Bones whose line no longer touches the line of their parent. They keep the parent.
    pub detached: Vec<String>,
    /// Bones without a line in the drawing. They are not changed.
    pub without_line: Vec<String>,
    /// The number of unchanged bones.
    pub unchanged: usize,
}

/// Reads the guide lines of a rig's drawing again, and changes the coordinates of its bones.
pub fn update_bones(
    path: &Path,
    files: &Arc<dyn Files>,
    fonts: impl Fn() -> fontdb::Database + Send + Clone + 'static,
) -> UpdatedBones {
    let mut session = Session::open(path, Arc::clone(files), fonts.clone());
    let (mut diagnostics, sources) = (session.diagnostics().clone(), session.sources().clone());
    let none = UpdatedBones { texts: Vec::new(), report: None, diagnostics: Diagnostics::new(), sources };
    if !session.is_current() {
        return UpdatedBones { diagnostics, ..none };
    }
    match update(&mut session, path, files, &fonts) {
        Ok(report) => {
            let changed = session.files().iter().filter(|file| file.is_changed());
            let text = |file: &bone_format::session::SessionFile| {
                let name = file.path().display().to_string();
                let source = none.sources.ids().find(|id| none.sources.name(*id) == name)?;
                Some((source, file.text().to_owned()))
            };
            let texts = changed.filter_map(text).collect();
            UpdatedBones { texts, report: Some(report), diagnostics, ..none }
        }
        Err(error) => {
            diagnostics.push(*error);
            UpdatedBones { diagnostics, ..none }
        }
    }
}

fn update(
    session: &mut Session,
    path: &Path,
    files: &Arc<dyn Files>,
    fonts: &dyn Fn() -> fontdb::Database,
) -> Result<BoneReport, Box<Diagnostic>> {
    let error = |code, message: String| Box::new(Diagnostic::error(code, message));
    let (Some(rig), Some(doc)) = (session.rig(), session.doc()) else {
        return Err(error("edit-refused", "the rig has errors".into()));
    };
    let name =
        doc.drawing.as_ref().ok_or_else(|| error("missing-field", "the rig names no drawing".into()))?;
    let drawing = path.parent().unwrap_or(Path::new("")).join(&name.value);
    let with_guides = drawing_with_guides(&drawing, files, fonts);
    let Some(again) = &with_guides.rig else {
        let message = format!("the lines of the drawing \"{}\" cannot be read", name.value);
        return Err(Box::new(error("unreadable-drawing", message).at(doc.place(name.span))));
    };
    let lines = art::guides(again.art()).map(|group| guide_lines(again.art(), group).0).unwrap_or_default();
    if lines.is_empty() {
        let message = format!("the drawing \"{}\" shows no bones", name.value);
        let help = "draw a line for each on a layer or in a group called \"bones\"";
        return Err(Box::new(error("unreadable-drawing", message).at(doc.place(name.span)).help(help)));
    }
    let mut update = BoneUpdate::new(doc, rig, again.art(), &lines);
    update.bones();
    // Bones that are typed relative to a moved parent change, too.
    update.moving = update.changes.keys().copied().collect();
    update.bones();
    let (edits, report) = (update.edits(), update.report);
    session.set_digits(draft::digits(extent(page(again.art()))));
    let made = session.apply_all("Update bones", &edits);
    made.map(|_| report).map_err(|error| {
        let refused = Diagnostic::error("edit-refused", format!("with these lines {error}"));
        Box::new(refused.help("nothing was changed; correct the lines in the drawing"))
    })
}

/// What changes about a bone.
#[derive(Clone, Debug, Default, PartialEq)]
struct BoneChange {
    /// Its new parent.
    parent: Option<String>,
    /// Its new ends, in canvas units.
    from: Option<Point>,
    to: Option<Point>,
}

/// A bone of the rig before the update.
#[derive(Clone, Copy)]
struct BoneBefore<'a> {
    doc: &'a BoneDoc,
    from: Point,
    to: Point,
}

struct BoneUpdate<'a> {
    doc: &'a RigDoc,
    places: usize,
    before: BTreeMap<&'a str, BoneBefore<'a>>,
    /// The bones of the guide lines, parents first.
    lines: Vec<GuideBone>,
    /// The parents that lines at the old coordinates of the bones have.
    parents_before: BTreeMap<String, Option<String>>,
    changes: BTreeMap<&'a str, BoneChange>,
    /// Bones whose own line moved.
    moving: BTreeSet<&'a str>,
    new: Vec<Edit>,
    report: BoneReport,
}

impl<'a> BoneUpdate<'a> {
    fn new(doc: &'a RigDoc, rig: &Rig, art: &Drawing, lines: &[GuideSegment]) -> Self {
        let skeleton = rig.skeleton();
        let place = |doc: &'a BoneDoc| {
            let bone = skeleton.find(&doc.name.value)?;
            let before = BoneBefore { doc, from: skeleton.setup_origin(bone), to: skeleton.setup_tip(bone) };
            Some((doc.name.value.as_str(), before))
        };
        let before: BTreeMap<&str, BoneBefore<'_>> = doc.bones.iter().filter_map(place).collect();
        let size = extent(page(art));
        let lines = bones::connect(lines, size);
        let of_lines = lines.iter().filter_map(|line| before.get(line.name.as_str()));
        let segment = |old: &BoneBefore<'_>| GuideSegment {
            name: old.doc.name.value.clone(),
            from: old.from,
            to: old.to,
            line: None,
        };
        let old = bones::connect(&of_lines.map(segment).collect::<Vec<_>>(), size);
        let parent = |bone: &GuideBone| bone.parent.map(|parent| old[parent].name.clone());
        let parents_before = old.iter().map(|bone| (bone.name.clone(), parent(bone))).collect();
        let places = draft::digits(size).places;
        let (changes, report) = (BTreeMap::new(), BoneReport::default());
        Self {
            doc,
            places,
            before,
            lines,
            parents_before,
            changes,
            moving: BTreeSet::new(),
            new: Vec::new(),
            report,
        }
    }

    /// Finds the changes.
    fn bones(&mut self) {
        (self.changes, self.new, self.report) = Default::default();
        let names: BTreeSet<&str> = self.lines.iter().map(|line| line.name.as_str()).collect();
        let follows = |bone: &&BoneDoc| bone.line.is_none() && !names.contains(bone.name.value.as_str());
        self.report.without_line =
            self.doc.bones.iter().filter(follows).map(|b| b.name.value.clone()).collect();
        let mut parents: BTreeMap<String, Option<String>> = self
            .doc
            .bones
            .iter()
            .map(|bone| (bone.name.value.clone(), bone.parent.as_ref().map(|parent| parent.value.clone())))
            .collect();
        for line in self.lines.clone() {
            let parent_line = line.parent.map(|parent| self.lines[parent].name.clone());
            match self.before.get(line.name.as_str()).copied() {
                Some(old) => self.update_bone(&line, parent_line, old, &mut parents),
                None => self.add_bone(&line, parent_line),
            }
        }
    }

    fn add_bone(&mut self, line: &GuideBone, parent_line: Option<String>) {
        let from = (!line.at_tip).then_some(line.from);
        self.new.push(Edit::add_bone(&line.name, parent_line.as_deref(), from, line.to));
        self.report.added.push(line.name.clone());
    }

    fn update_bone(
        &mut self,
        line: &GuideBone,
        parent_line: Option<String>,
        old: BoneBefore<'a>,
        parents: &mut BTreeMap<String, Option<String>>,
    ) {
        let name = old.doc.name.value.as_str();
        if old.doc.line.is_some() {
            self.report.unchanged += 1;
            return;
        }
        let places = self.places;
        let same = |a: Point, b: Point| {
            rounded(a.x, places) == rounded(b.x, places) && rounded(a.y, places) == rounded(b.y, places)
        };
        // The same line, drawn in reverse.
        if same(old.from, line.to) && same(old.to, line.from) {
            self.report.unchanged += 1;
            return;
        }
        let mut change = BoneChange::default();
        let typed = old.doc.parent.as_ref().map(|parent| parent.value.clone());
        let parent_before = self.parents_before.get(name).cloned().flatten();
        let mut parent = typed.clone();
        if parent_line.is_some() && parent_line != typed && parent_line != parent_before {
            parents.insert(name.to_owned(), parent_line.clone());
            if is_cycle(name, parents) {
                parents.insert(name.to_owned(), typed.clone());
            } else {
                parent = parent_line.clone();
                change.parent = parent_line.clone();
            }
        } else if parent_line.is_none() && typed.is_some() && typed == parent_before {
            self.report.detached.push(name.to_owned());
        }
        let ancestor_moves = ancestor_moves(name, parents, &self.moving);
        let at_tip = line.at_tip && parent == parent_line;
        let by_parent = match (old.doc.from, old.doc.origin) {
            (Some(_), _) => false,
            (None, Some(_)) => ancestor_moves || change.parent.is_some(),
            (None, None) => !at_tip && (ancestor_moves || change.parent.is_some()),
        };
        let starts_at_tip = at_tip && old.doc.from.is_none() && old.doc.origin.is_none();
        if by_parent || !starts_at_tip && !same(old.from, line.from) {
            change.from = Some(line.from);
        }
        let by_length =
            old.doc.to.is_none() && (ancestor_moves || change.parent.is_some() || change.from.is_some());
        if by_length || !same(old.to, line.to) {
            change.to = Some(line.to);
        }
        if change == BoneChange::default() {
            self.report.unchanged += 1;
            return;
        }
        match &change.parent {
            Some(parent) => self.report.reparented.push((name.to_owned(), parent.clone())),
            None => self.report.moved.push(name.to_owned()),
        }
        self.changes.insert(name, change);
    }

    /// The edits that make the changes. Of a pair only the numbers that differ change.
    fn edits(&mut self) -> Vec<Edit> {
        let (mut edits, places) = (Vec::new(), self.places);
        for bone in &self.doc.bones {
            let Some(change) = self.changes.get(bone.name.value.as_str()) else { continue };
            let path = DocPath::bone(&bone.name.value);
            let parent = change.parent.as_deref();
            edits.extend(parent.map(|parent| Edit::set(path.clone().name("parent"), parent)));
            let mut set = |end: &str, typed: Option<Spanned<Point>>, to: Option<Point>| {
                let (Some(to), path) = (to, path.clone().name(end)) else { return };
                let Some(typed) = typed else { return edits.push(Edit::set(path, to)) };
                for (at, old, new) in [(0, typed.value.x, to.x), (1, typed.value.y, to.y)] {
                    if rounded(old, places) != rounded(new, places) {
                        edits.push(Edit::set(path.clone().index(at), new));
                    }
                }
            };
            set("from", bone.from, change.from);
            set("to", bone.to, change.to);
            let replaced = [
                ("origin", change.from.is_some() && bone.origin.is_some()),
                ("length", change.to.is_some() && bone.length.is_some()),
                ("angle", change.to.is_some() && bone.angle.is_some()),
            ];
            let replaced = replaced.into_iter().filter(|(_, is_replaced)| *is_replaced);
            edits.extend(replaced.map(|(field, _)| Edit::remove(path.clone().name(field))));
        }
        edits.append(&mut self.new);
        edits
    }
}

/// A coordinate in units of the last digit that is written.
fn rounded(value: f64, places: usize) -> f64 {
    (value * 10_f64.powi(places as i32)).round()
}

/// Whether an ancestor of a bone moves.
fn ancestor_moves(bone: &str, parents: &BTreeMap<String, Option<String>>, moving: &BTreeSet<&str>) -> bool {
    let above = |bone: &str| parents.get(bone).and_then(Option::as_deref);
    let up = std::iter::successors(above(bone), |at| above(at));
    // Cycles of parents were reported before.
    up.take(parents.len()).any(|at| moving.contains(at))
}

/// Whether a bone is its own ancestor.
fn is_cycle(bone: &str, parents: &BTreeMap<String, Option<String>>) -> bool {
    let mut at = parents.get(bone).and_then(Option::as_deref);
    for _ in 0..parents.len() {
        match at {
            Some(above) if above == bone => return true,
            Some(above) => at = parents.get(above).and_then(Option::as_deref),
            None => return false,
        }
    }
    at.is_some()
}
