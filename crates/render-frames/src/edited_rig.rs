//! A rig to which a command adds an entry: opened as a session, in its own file or as a copy at another place, and
//! written. Everything else in its text stays as it is.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bone_format::edit::EditError;
use bone_format::session::{DocPath, DocValue, Edit, Session};
use bone_format::{Files, InMemory, new_file};

use crate::args::Existing;
use crate::files::Inputs;
use crate::output_name;
use crate::report;

/// Texts that are not written yet, in front of other files.
struct Unwritten {
    texts: InMemory,
    behind: Arc<dyn Files>,
}

impl Files for Unwritten {
    fn read(&self, path: &Path) -> std::io::Result<Vec<u8>> {
        self.texts.read(path).or_else(|_| self.behind.read(path))
    }
}

/// Whether a rig may be written to the output: to its own file always, to another one under the name of a rig and if
/// nothing is there that stays.
pub(crate) fn check_output(rig: &Path, output: &Path, existing: Existing) -> Result<(), String> {
    if is_same_file(rig, output) {
        return Ok(());
    }
    output_name::notation(output)?;
    if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
    {
        // A copy there could not name the drawing.
        return Err(format!(
            "\"{}\" cannot be written: there is no folder \"{}\"",
            output.display(),
            folder.display()
        ));
    }
    existing.allow(output)
}

/// Whether the output is none of the files that were read, but for the rig itself.
pub(crate) fn check_inputs(rig: &Path, output: &Path, inputs: &Inputs) -> Result<(), String> {
    if is_same_file(rig, output) { Ok(()) } else { inputs.check(output, "rig") }
}

/// Opens a rig that will be written to the output. If that is another file, what is opened is a copy there, whose
/// paths lead from its folder to the same files. It may have mistakes.
pub(crate) fn open(rig: &Path, output: &Path, files: Arc<dyn Files>) -> Result<Session, EditError> {
    let session = Session::open(rig, Arc::clone(&files), crate::fonts::fonts);
    if !session.is_current() || is_same_file(rig, output) {
        return Ok(session);
    }
    let copy = Unwritten { texts: InMemory::new().with(output, session.text()), behind: files };
    let mut copy = Session::open(output, Arc::new(copy), crate::fonts::fonts);
    let moved: Vec<Edit> = [DocPath::from(["drawing"]), DocPath::from(["include"])]
        .into_iter()
        .filter_map(|at| {
            let old = copy.get(&at).ok()?;
            let new = with_paths(&old, |path| moved_path(rig, output, path));
            (new != old).then(|| Edit::set(at, new))
        })
        .collect();
    copy.apply_all("Move to another folder", &moved)?;
    Ok(copy)
}

/// Writes what changed in a rig of [`open()`], and returns the names of the files that were written.
pub(crate) fn save(
    session: &mut Session,
    rig: &Path,
    output: &Path,
    existing: Existing,
) -> Result<String, String> {
    if is_same_file(rig, output) {
        let written = session.save().map_err(|error| {
            let folder = output.parent().unwrap_or(Path::new(""));
            format!("\"{}\" cannot be written: {}", output.display(), report::reason(&error, folder))
        })?;
        return Ok(written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "));
    }
    if let Some(part) = session.unsaved().find(|file| file.path() != output) {
        return Err(format!(
            "the new entry belongs into \"{}\", which a copy of the rig includes, too: write to the rig itself, -o {}",
            part.path().display(),
            rig.display()
        ));
    }
    write_new(output, session.text(), existing)?;
    Ok(output.display().to_string())
}

/// A path that a rig names, as a rig in another folder names it.
fn moved_path(rig: &Path, output: &Path, path: &str) -> String {
    let [from, to] = [rig, output].map(|path| path.parent().unwrap_or(Path::new("")));
    let is_moved = Path::new(path).is_relative() && relative(to, &from.join("x")) != "x";
    if is_moved { relative(to, &from.join(path)) } else { path.to_owned() }
}

/// Texts with other paths in the place of those that are there.
fn with_paths(value: &DocValue, path: impl Fn(&str) -> String) -> DocValue {
    let one = |value: &DocValue| match value {
        DocValue::Text(text) => DocValue::text(&path(text)),
        other => other.clone(),
    };
    match value {
        DocValue::List(items) => DocValue::list(items.iter().map(one)),
        other => one(other),
    }
}

/// The relative path from a folder to a file, with `/` on every system; the absolute path if there is no
/// relative one.
pub(crate) fn relative(folder: &Path, file: &Path) -> String {
    let whole = |path: &Path| {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
    };
    // A link to a drawing keeps its own name.
    let name = file.file_name().unwrap_or_default();
    let (from, to) = (whole(folder), whole(file.parent().unwrap_or(Path::new(""))).join(name));
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let is_root = |part: &Component<'_>| matches!(part, Component::Prefix(_) | Component::RootDir);
    if to[..common].iter().all(is_root)
        && from.iter().any(|part| matches!(part, Component::Prefix(_)))
        && from.first() != to.first()
    {
        return slashes(&to.iter().collect::<PathBuf>());
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    slashes(&up.chain(to[common..].iter().copied()).collect::<PathBuf>())
}

fn slashes(path: &Path) -> String {
    let text = path.display().to_string();
    if std::path::MAIN_SEPARATOR == '/' { text } else { text.replace(std::path::MAIN_SEPARATOR, "/") }
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// Writes a new file atomically. What came there since it was looked at stays, too.
pub(crate) fn write_new(path: &Path, text: &str, existing: Existing) -> Result<(), String> {
    new_file(path, text.as_bytes(), existing.replace()).map_err(|error| {
        let folder = path.parent().unwrap_or(Path::new(""));
        format!("\"{}\" cannot be written: {}", path.display(), report::reason(&error, folder))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_the_drawing_is_the_shortest() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        for path in ["a/b", "c"] {
            std::fs::create_dir_all(at(path)).expect("folders");
        }
        assert_eq!(relative(&at("a"), &at("a/x.svg")), "x.svg");
        assert_eq!(relative(&at("a"), &at("a/b/x.svg")), "b/x.svg");
        assert_eq!(relative(&at("a/b"), &at("c/x y.svg")), "../../c/x y.svg");
        assert_eq!(relative(&at("a/../c"), &at("a/b/../b/x.svg")), "../a/b/x.svg");
        assert_eq!(relative(Path::new(""), Path::new("x.svg")), "x.svg");
    }
}
