//! Compiled rigs, kept beside the user's other caches: a rig that is rendered again starts as fast as its pack. A kept
//! rig is used only if every file that it was made of has the same bytes, and only by the build that kept it. The
//! folder is bounded, and may be deleted at any time; `BONE_LAYER_CACHE=off` neither reads nor writes it.

use std::fs::{self, DirBuilder};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bone_drawing::ElementKind;
use bone_format::{Disk, Files as _};
use bone_render::WholeFile;
use bone_rig::Rig;
use serde::{Deserialize, Serialize};

use crate::files::CommandFiles;
use crate::render::{build, of_bytes};
use crate::user_folder;

/// What loads faster is not kept.
const SLOW: Duration = Duration::from_millis(10);

/// The most files, and the most bytes of all together.
const MOST_FILES: usize = 64;
const MOST_BYTES: u64 = 256 << 20;

/// The end of their names.
const END: &str = "kept";

/// Names another folder, or is `off`.
const VARIABLE: &str = "BONE_LAYER_CACHE";

/// The place of one rig.
pub(crate) struct KeptRig {
    path: PathBuf,
}

/// The line before the pack.
#[derive(Serialize, Deserialize)]
struct KeptHeader {
    /// The files that the rig was made of, and the hashes of their bytes.
    inputs: Vec<(PathBuf, String)>,
}

impl KeptRig {
    /// The place of a rig file that is read by these rules. None for a pipe or a pack, where a user has no such
    /// folder, and where programs have no build id.
    pub(crate) fn of(rig: &Path, files: &CommandFiles) -> Option<Self> {
        if crate::files::is_input(rig) || crate::steps::is_packed(rig) {
            return None;
        }
        let folder = match std::env::var_os(VARIABLE) {
            Some(off) if off == "off" => return None,
            Some(folder) => std::path::absolute(folder).ok()?,
            None => user_folder::cache()?.join("rigs"),
        };
        let rig = rig.canonicalize().ok()?;
        let name = of_bytes(format!("{:x} {:?} {rig:?}", build()?, files.rules()).as_bytes());
        Some(Self { path: folder.join(format!("{name:032x}.{END}")) })
    }

    /// The rig, if it is kept and nothing that it was made of has changed. Its inputs count as read.
    pub(crate) fn load(&self, files: &CommandFiles) -> Option<Rig> {
        let bytes = Disk.read(&self.path).ok()?;
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let KeptHeader { inputs } = serde_json::from_slice(&bytes[..end]).ok()?;
        let is_same = |(path, hash): &(PathBuf, String)| {
            Disk.read(path).is_ok_and(|bytes| format!("{:032x}", of_bytes(&bytes)) == *hash)
        };
        if inputs.is_empty() || !inputs.iter().all(is_same) {
            return None;
        }
        let rig = Rig::load(&bytes[end + 1..]).ok()?;
        inputs.into_iter().for_each(|(path, _)| files.note(path));
        // The oldest are removed first. On a disk that cannot be written it stays as old as it is.
        _ = fs::File::options()
            .append(true)
            .open(&self.path)
            .map(|file| file.set_modified(SystemTime::now()));
        Some(rig)
    }

    /// Keeps a rig that took so long to load from these files. Where that fails, it is compiled again.
    pub(crate) fn keep(&self, rig: &Rig, files: &CommandFiles, took: Duration) {
        // The fonts of a system change without a file that is named anywhere.
        let has_text = rig.art().elements().iter().any(|element| element.kind == ElementKind::Text);
        if took < SLOW || has_text {
            return;
        }
        _ = self.write(rig, files);
    }

    fn write(&self, rig: &Rig, files: &CommandFiles) -> Option<()> {
        let hashed =
            |path: &PathBuf| Some((path.clone(), format!("{:032x}", of_bytes(&Disk.read(path).ok()?))));
        let inputs = files.read_files().iter().map(hashed).collect::<Option<Vec<_>>>()?;
        // Paths that are no text have no place in JSON.
        let mut bytes = serde_json::to_vec(&KeptHeader { inputs }).ok()?;
        bytes.push(b'\n');
        bytes.extend(rig.save());
        if bytes.len() as u64 > MOST_BYTES / 4 {
            return None;
        }
        let folder = self.path.parent()?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder).ok()?;
        let mut file = WholeFile::create(&self.path).ok()?;
        file.write_all(&bytes).ok()?;
        file.finish().ok()?;
        bound(folder, MOST_FILES, MOST_BYTES);
        Some(())
    }
}

/// Removes the oldest kept rigs until the others are within the bounds.
fn bound(folder: &Path, most_files: usize, most_bytes: u64) {
    let Ok(all) = fs::read_dir(folder) else { return };
    let kept =
        all.filter_map(Result::ok).filter(|entry| entry.path().extension().is_some_and(|end| end == END));
    let mut kept: Vec<(SystemTime, PathBuf, u64)> = kept
        .filter_map(|entry| {
            let data = entry.metadata().ok()?;
            Some((data.modified().ok()?, entry.path(), data.len()))
        })
        .collect();
    kept.sort_by(|a, b| b.cmp(a));
    let mut bytes = 0;
    for (at, (_, path, length)) in kept.iter().enumerate() {
        bytes += length;
        if at >= most_files || bytes > most_bytes {
            // Another program may have removed it.
            _ = fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first_and_other_files_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for (age, name) in ["c.kept", "a.kept", "b.kept", "other.txt"].iter().enumerate() {
            fs::write(path(name), [0; 100]).unwrap();
            let file = fs::File::options().append(true).open(path(name)).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60 * age as u64)).unwrap();
        }
        let left = |files, bytes| {
            bound(folder.path(), files, bytes);
            ["a.kept", "b.kept", "c.kept", "other.txt"].map(|name| path(name).exists())
        };
        assert_eq!(left(3, 1000), [true; 4]);
        assert_eq!(left(2, 1000), [true, false, true, true]);
        assert_eq!(left(2, 150), [false, false, true, true]);
        bound(&path("missing"), 1, 1);
    }
}
