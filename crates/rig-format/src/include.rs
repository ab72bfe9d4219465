//! Rigs of several files: finds the parts that a rig includes, each once, and merges them into one document.
//! Reports cycles, and names that two files give.
//!
//! Spans of the whole document count through all of its files, one behind the other with a byte between them,
//! so that a span identifies the file it is in: [`RigDoc::place`](crate::RigDoc::place).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, Diagnostics, Place};
use crate::doc::{PartDoc, RigDoc};
use crate::files::plain_path;
use crate::span::{Sources, Span, Spanned};
use crate::text;

/// More files than this are no rig: something goes wrong.
const MOST_PARTS: usize = 64;

/// Reads the bytes of a part, or returns why it cannot.
pub(crate) type ReadPart<'a> = &'a mut dyn FnMut(&Path) -> Result<Vec<u8>, Box<Diagnostic>>;

/// A document whose parts are being gathered.
struct OpenFile {
    doc: RigDoc,
    path: PathBuf,
    key: PathBuf,
    /// Where its spans begin.
    base: u32,
    /// Which of its parts is next.
    next: usize,
}

impl OpenFile {
    fn place(&self, span: Span) -> Place {
        Place::new(self.doc.source, span.back(self.base))
    }

    /// The name of its file.
    fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Merges a rig and all parts that it includes; `doc` was read at `path`.
pub(crate) fn resolve_includes(
    doc: RigDoc,
    path: &Path,
    (sources, diagnostics): (&mut Sources, &mut Diagnostics),
    read: ReadPart<'_>,
) -> RigDoc {
    if doc.include.is_empty() {
        return doc;
    }
    let end_of = |sources: &Sources, doc: &RigDoc, base: u32| {
        base.saturating_add(u32::try_from(sources.text(doc.source).len()).unwrap_or(u32::MAX))
            .saturating_add(1)
    };
    let mut next_base = end_of(sources, &doc, 0);
    let mut parts: Vec<PartDoc> = Vec::new();
    // Those that were read, by path.
    let mut known: Vec<PathBuf> = vec![plain_path(path)];
    let mut finished: Vec<RigDoc> = Vec::new();
    let mut complete = true;
    let mut open = vec![OpenFile { doc, path: path.to_owned(), key: plain_path(path), base: 0, next: 0 }];
    while let Some(top) = open.last_mut() {
        let Some(name) = top.doc.include.get(top.next).cloned() else {
            finished.extend(open.pop().map(|open| open.doc));
            continue;
        };
        top.next += 1;
        let place = top.place(name.span);
        let path = top.path.parent().unwrap_or(Path::new("")).join(&name.value);
        let key = plain_path(&path);
        if let Some(at) = open.iter().position(|open| open.key == key) {
            diagnostics.push(include_cycle(&open[at..], &name).at(place));
            complete = false;
            continue;
        }
        if known.contains(&key) {
            // Several files may build on one skeleton.
            continue;
        }
        if known.len() > MOST_PARTS {
            let message = format!("this rig includes more than {MOST_PARTS} files");
            diagnostics.push(
                Diagnostic::error("too-many", message).at(place).help("merge some of them into one file"),
            );
            complete = false;
            break;
        }
        known.push(key.clone());
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(diagnostic) => {
                diagnostics.push(diagnostic.in_folder_of(&name.value).at(place));
                complete = false;
                continue;
            }
        };
        let source = sources.upcoming();
        let text = text::decode(source, &bytes, diagnostics);
        sources.add(path.display().to_string(), text.as_ref());
        let base = next_base;
        let Some(part) = crate::read::read_part(source, base, &text, diagnostics) else {
            complete = false;
            continue;
        };
        parts.push(PartDoc { base, source });
        next_base = end_of(sources, &part, base);
        open.push(OpenFile { doc: part, path, key, base, next: 0 });
    }
    finished.extend(open.into_iter().rev().map(|open| open.doc));
    merge(finished, parts, complete, diagnostics)
}

/// The error about files that include each other.
fn include_cycle(open: &[OpenFile], closing: &Spanned<String>) -> Diagnostic {
    let diagnostic = match open {
        [] | [_] => {
            Diagnostic::error("cycle", format!("\"{}\" includes itself", text::shortened(&closing.value)))
        }
        several => {
            let names: Vec<String> =
                several.iter().chain(several.first()).map(|open| format!("\"{}\"", open.name())).collect();
            Diagnostic::error(
                "cycle",
                format!("these files include each other: {}", names.join(" includes ")),
            )
        }
    };
    diagnostic.help("move the parts that several files need into another file, and include that")
}

/// One document of several: what is included stands before what includes it. The last one is the rig itself.
pub(crate) fn merge(
    docs: Vec<RigDoc>,
    parts: Vec<PartDoc>,
    complete: bool,
    diagnostics: &mut Diagnostics,
) -> RigDoc {
    // The fields that only the rig has.
    let own = docs.last().map(|rig| RigDoc {
        source: rig.source,
        span: rig.span,
        version: rig.version,
        drawing: rig.drawing.clone(),
        fps: rig.fps,
        follow: rig.follow,
        include: rig.include.clone(),
        wear: rig.wear.clone(),
        own_names: rig.own_names,
        ..RigDoc::default()
    });
    let mut whole = RigDoc { parts, complete, ..own.unwrap_or_default() };
    for doc in docs {
        whole.complete &= doc.own_names;
        whole.bones.extend(doc.bones);
        whole.skin.extend(doc.skin);
        whole.drivers.extend(doc.drivers);
        whole.constraints.extend(doc.constraints);
        whole.springs.extend(doc.springs);
        whole.sliders.extend(doc.sliders);
        whole.ink.extend(doc.ink);
        whole.masks.extend(doc.masks);
        whole.warps.extend(doc.warps);
        whole.forms.extend(doc.forms);
        whole.poses.extend(doc.poses);
        whole.clips.extend(doc.clips);
        whole.shots.extend(doc.shots);
        whole.machines.extend(doc.machines);
        whole.outfits.extend(doc.outfits);
    }
    let doubles = [
        remove_duplicates("warp", &mut whole.warps, |warp| &warp.name),
        remove_duplicates("bone", &mut whole.bones, |bone| &bone.name),
        remove_duplicates("slider", &mut whole.sliders, |slider| &slider.name),
        remove_duplicates("ink", &mut whole.ink, |ink| &ink.art),
        remove_duplicates("pose", &mut whole.poses, |pose| &pose.name),
        remove_duplicates("clip", &mut whole.clips, |clip| &clip.name),
        remove_duplicates("shot", &mut whole.shots, |shot| &shot.name),
        remove_duplicates("outfit", &mut whole.outfits, |outfit| &outfit.name),
        remove_duplicates("machine", &mut whole.machines, |machine| &machine.name),
    ];
    for (again, first, message) in doubles.into_iter().flatten() {
        let diagnostic = Diagnostic::error("duplicate", message).at(whole.place(again));
        let help = "a name must be unique in all files of a rig: rename one of them";
        diagnostics.push(diagnostic.related(whole.place(first), "first here").help(help));
    }
    whole
}

/// Removes entries whose name is used before; returns both places and the message.
fn remove_duplicates<T>(
    what: &str,
    list: &mut Vec<T>,
    name: fn(&T) -> &Spanned<String>,
) -> Vec<(Span, Span, String)> {
    let mut first: BTreeMap<String, Span> = BTreeMap::new();
    let mut doubles = Vec::new();
    list.retain(|entry| {
        let name = name(entry);
        let Some(before) = first.insert(name.value.clone(), name.span) else { return true };
        first.insert(name.value.clone(), before);
        doubles.push((
            name.span,
            before,
            format!("{what} \"{}\" occurs twice", text::shortened(&name.value)),
        ));
        false
    });
    doubles
}
