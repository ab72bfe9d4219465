//! Where locks, addresses and journals are: in a folder of the user, under names made from the paths of rigs. They
//! are not beside the rig: a project of somebody else could hold links, pipes and files of these names.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::hash::Hasher as _;
use std::io;
use std::path::{Path, PathBuf};

use bone_render::keep_name;
use siphasher::sip128::{Hasher128 as _, SipHasher13};

/// The longest part of the rig's name in the names of its records.
const LONGEST_NAME: usize = 40;

/// The records of one rig.
pub(crate) struct Records {
    folder: PathBuf,
    name: String,
}

impl Records {
    /// Those in a folder of the user; the path of the rig may have links.
    pub(crate) fn of(folder: &Path, rig: &Path) -> Self {
        let rig = absolute(rig);
        let mut hasher = SipHasher13::new();
        hasher.write(rig.as_os_str().as_encoded_bytes());
        let stem = rig.file_stem().unwrap_or_default().to_string_lossy();
        let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
        let stem: String = stem.chars().take(LONGEST_NAME).map(plain).collect();
        Self { folder: folder.to_owned(), name: format!("{stem}-{:032x}", hasher.finish128().as_u128()) }
    }

    /// The path of a record, by the end of its name.
    pub(crate) fn path(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}", self.name))
    }

    /// Makes the folder, if it is not there.
    ///
    /// # Errors
    /// If others can write there.
    pub(crate) fn make_folder(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let missing: Vec<&Path> = self.folder.ancestors().take_while(|folder| !folder.exists()).collect();
        builder.create(&self.folder)?;
        // A journal whose folder has no name after a loss of power is lost, too.
        missing.into_iter().try_for_each(keep_name)?;
        let about = std::fs::symlink_metadata(&self.folder)?;
        if about.is_dir() && is_own(&about, 0o022) { Ok(()) } else { Err(not_own(&self.folder)) }
    }

    /// The journals, the oldest first.
    pub(crate) fn journals(&self) -> Vec<(u64, PathBuf)> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let number = |path: &Path| -> Option<u64> {
            let file = path.file_name()?.to_str()?;
            file.strip_prefix(self.name.as_str())?.strip_prefix('.')?.strip_suffix(".journal")?.parse().ok()
        };
        let mut list: Vec<(u64, PathBuf)> =
            entries.flatten().filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect();
        list.sort();
        list
    }

    /// Makes the names in the folder outlast a loss of power.
    pub(crate) fn keep_names(&self) -> io::Result<()> {
        keep_name(&self.path("lock"))
    }
}

/// Opens a record: a plain file that only this user can read and write. Links are not followed, and a pipe is not
/// waited for.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path)?;
    let about = file.metadata()?;
    if about.is_file() && is_own(&about, 0o077) { Ok(file) } else { Err(not_own(path)) }
}

fn not_own(path: &Path) -> io::Error {
    let message = format!("{} is not this user's alone", path.display());
    io::Error::new(io::ErrorKind::PermissionDenied, message)
}

/// Whether a file is of this user, and gives others none of these rights.
#[cfg(unix)]
fn is_own(about: &Metadata, rights: u32) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    about.uid() == rustix::process::geteuid().as_raw() && about.mode() & rights == 0
}

/// The folder of the user has the rights of all that is in it.
#[cfg(not(unix))]
fn is_own(_: &Metadata, _: u32) -> bool {
    true
}

/// A path without links, as far as it is there.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}
