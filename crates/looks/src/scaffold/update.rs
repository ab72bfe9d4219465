//! Reads the guide lines of a drawing again and moves the bones of its rig: by small edits of the rig's text,
//! which keep everything else. A parent changes only if its line touches another one than before; a parent
//! that was typed and is not the one in the drawing is kept.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use drawing::Drawing;
use kurbo::Point;

use super::bones::{self, GuideBone, GuideSegment};
use super::draft;
use super::{art, drawing_with_guides, extent, guide_lines, page};
use rig::Rig;
use rig_format::Files;
use rig_format::diagnostic::{Diagnostic, Diagnostics, Severity};
use rig_format::doc::{BoneDoc, PartDoc, RigDoc};
use rig_format::edit::bones::{BoneChange, added, changed, entry_at, map_of, point};
use rig_format::edit::text::{Style, TextEdit, apply};
use rig_format::edit::writable;
use rig_format::span::{SourceId, Sources};
use rig_format::text::{Node, parse};
use rig_format::write::quoted;
use rig_format::{Fonts, Loaded, load};

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
pub fn update_bones(path: &Path, files: &Arc<dyn Files>, fonts: Fonts<'_>) -> UpdatedBones {
    let Loaded { rig, doc, mut diagnostics, sources, .. } = load(path, Arc::clone(files), fonts);
    let (Some(rig), Some(doc)) = (&rig, &doc) else {
        return UpdatedBones { texts: Vec::new(), report: None, diagnostics, sources };
    };
    let name =
        doc.drawing.as_ref().ok_or_else(|| Diagnostic::error("missing-field", "the rig names no drawing"));
    let made = writable(doc, &sources).and(name).and_then(|name| {
        let drawing = path.parent().unwrap_or(Path::new("")).join(&name.value);
        let with_guides = drawing_with_guides(&drawing, files, fonts);
        let Some(again) = &with_guides.rig else {
            let message = format!("the lines of the drawing \"{}\" cannot be read", name.value);
            return Err(Diagnostic::error("unreadable-drawing", message).at(doc.place(name.span)));
        };
        let lines =
            art::guides(again.art()).map(|group| guide_lines(again.art(), group).0).unwrap_or_default();
        if lines.is_empty() {
            let message = format!("the drawing \"{}\" shows no bones", name.value);
            let help = "draw a line for each on a layer or in a group called \"bones\"";
            return Err(Diagnostic::error("unreadable-drawing", message).at(doc.place(name.span)).help(help));
        }
        let mut update = BoneUpdate::new(doc, rig, again.art(), &lines);
        update.bones();
        // Bones that are typed relative to a moved parent change, too.
        update.moving = update.changes.keys().copied().collect();
        update.bones();
        let texts = update.texts(&sources);
        still_loads(path, files, fonts, &sources, &texts)?;
        Ok((texts, update.report))
    });
    match made {
        Ok((texts, report)) => UpdatedBones { texts, report: Some(report), diagnostics, sources },
        Err(error) => {
            diagnostics.push(error);
            UpdatedBones { texts: Vec::new(), report: None, diagnostics, sources }
        }
    }
}

/// Checks that the changed rig loads without errors.
fn still_loads(
    path: &Path,
    files: &Arc<dyn Files>,
    fonts: Fonts<'_>,
    sources: &Sources,
    texts: &[(SourceId, String)],
) -> Result<(), Diagnostic> {
    let named = |(source, text): &(SourceId, String)| (PathBuf::from(sources.name(*source)), text.clone());
    let changed = EditedFiles { texts: texts.iter().map(named).collect(), files: Arc::clone(files) };
    let tried = load(path, Arc::new(changed), fonts);
    match tried.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        None => Ok(()),
        Some(error) => {
            let message = format!("with these lines the rig would have an error: {}", error.message);
            Err(Diagnostic::error("edit-refused", message)
                .help("nothing was changed; correct the lines in the drawing"))
        }
    }
}

/// The files of the caller, some with changed texts.
struct EditedFiles {
    texts: Vec<(PathBuf, String)>,
    files: Arc<dyn Files>,
}

impl Files for EditedFiles {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.texts.iter().find(|(name, _)| name == path) {
            Some((_, text)) => Ok(text.clone().into_bytes()),
            None => self.files.read(path),
        }
    }

    fn beside(&self, path: &Path) -> Vec<String> {
        self.files.beside(path)
    }
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
    new: Vec<(String, String)>,
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
        let parent = parent_line.map(|parent| format!("parent: {}, ", quoted(&parent)));
        let from = (!line.at_tip).then(|| format!("from: {}, ", point(line.from, self.places)));
        let to = format!("to: {}", point(line.to, self.places));
        self.new.push((line.name.clone(), parent.unwrap_or_default() + &from.unwrap_or_default() + &to));
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
        let same = |a: Point, b: Point| point(a, self.places) == point(b, self.places);
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
        if change.is_empty() {
            self.report.unchanged += 1;
            return;
        }
        match &change.parent {
            Some(parent) => self.report.reparented.push((name.to_owned(), parent.clone())),
            None => self.report.moved.push(name.to_owned()),
        }
        self.changes.insert(name, change);
    }

    /// The whole text of each file that changes.
    fn texts(&self, sources: &Sources) -> Vec<(SourceId, String)> {
        let own = PartDoc { base: 0, source: self.doc.source };
        let files: Vec<(SourceId, Node)> = std::iter::once(own)
            .chain(self.doc.parts.iter().copied())
            .filter_map(|file| {
                let text = sources.text(file.source);
                Some((file.source, parse(file.source, text, &mut Diagnostics::new()).root?))
            })
            .collect();
        let mut edits: BTreeMap<SourceId, Vec<TextEdit>> = BTreeMap::new();
        for bone in &self.doc.bones {
            let Some(change) = self.changes.get(bone.name.value.as_str()) else { continue };
            let place = self.doc.place(bone.name.span);
            let root = files.iter().find(|(source, _)| *source == place.source).map(|(_, root)| root);
            let entry = root.and_then(|root| entry_at(root, place.span));
            let text = sources.text(place.source);
            let list = entry.map(|entry| changed(text, &entry.value, change, self.places));
            edits.entry(place.source).or_default().extend(list.unwrap_or_default());
        }
        // New bones are written beside the others: into the rig if it has some, or else into the last part
        // with bones.
        let with_bones = files.iter().enumerate().filter(|(_, (_, root))| map_of(root).is_some());
        let home = with_bones.map(|(at, _)| at).reduce(|first, next| if first == 0 { 0 } else { next });
        if let Some((source, root)) = files.get(home.unwrap_or_default()) {
            let text = sources.text(*source);
            let list = added(text, root, &Style::of(text), &self.new);
            edits.entry(*source).or_default().extend(list);
        }
        let texts = edits.into_iter().filter(|(_, edits)| !edits.is_empty());
        texts.map(|(source, edits)| (source, apply(sources.text(source), &edits))).collect()
    }
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
