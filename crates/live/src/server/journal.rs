//! What keeps the work of a run that is killed. Beside the rig, in `.bone-layer/live/`: a lock with the
//! address of the running server, and a journal for each run: the texts before its first change, then its steps, each
//! on the disk before the step is answered. A step behind the last `saved` is not in the files: the next run
//! offers it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use rig_format::session::Session;
use serde_json::{Value, json};

/// Journals of so many runs are kept, and so many bytes of them.
const MOST_RUNS: usize = 20;
const MOST_BYTES: u64 = 20 << 20;
/// After so many steps that are saved a journal begins anew.
const MOST_STEPS: usize = 500;

/// The folder of all that is kept beside a rig.
fn folder(rig: &Path) -> PathBuf {
    let beside = rig.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    beside.join(".bone-layer").join("live")
}

fn name(rig: &Path) -> String {
    rig.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The sole right to serve a rig.
pub(crate) struct RigLock {
    /// Locked as long as it is open. None where nothing can be written.
    file: Option<File>,
    path: PathBuf,
    address: PathBuf,
}

/// Whether a rig is served already.
pub(crate) enum Locked {
    Mine(RigLock),
    /// The address of the server.
    Other(String),
}

impl RigLock {
    pub(crate) fn take(rig: &Path) -> Locked {
        let folder = folder(rig);
        let path = folder.join(format!("{}.lock", name(rig)));
        let address = folder.join(format!("{}.address", name(rig)));
        let opened = std::fs::create_dir_all(&folder)
            .and_then(|()| OpenOptions::new().create(true).write(true).truncate(false).open(&path));
        let Ok(file) = opened else { return Locked::Mine(Self { file: None, path, address }) };
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                // The other server may be about to write it.
                for _ in 0..20 {
                    match std::fs::read_to_string(&address) {
                        Ok(text) if !text.trim().is_empty() => return Locked::Other(text.trim().to_owned()),
                        _ => std::thread::sleep(std::time::Duration::from_millis(50)),
                    }
                }
                Locked::Other(String::new())
            }
            // A file system without locks has none to wait for.
            _ => Locked::Mine(Self { file: Some(file), path, address }),
        }
    }

    /// The address of a server that was killed: pages that are open find the next one there.
    pub(crate) fn former(&self) -> Option<(u16, String)> {
        let text = std::fs::read_to_string(&self.address).ok()?;
        let (before, token) = text.trim().split_once("/?token=")?;
        let port = before.rsplit(':').next()?.parse().ok()?;
        let is_token = token.len() == 32 && token.bytes().all(|b| b.is_ascii_hexdigit());
        is_token.then(|| (port, token.to_owned()))
    }

    /// Writes the address, which others may not read: it has the token.
    pub(crate) fn announce(&self, address: &str) {
        if self.file.is_none() {
            return;
        }
        let mut options = OpenOptions::new();
        options.create(true).write(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Without it a second server cannot open the page of this one; nothing else depends on it.
        let _ = options.open(&self.address).and_then(|mut file| file.write_all(address.as_bytes()));
    }

    /// Removes what is only for a running server.
    pub(crate) fn release(self) {
        let _ = std::fs::remove_file(&self.address);
        let _ = std::fs::remove_file(&self.path);
        drop(self.file);
        // Only if they are empty.
        if let Some(folder) = self.path.parent() {
            let _ = std::fs::remove_dir(folder);
            let _ = folder.parent().map(std::fs::remove_dir);
        }
    }
}

/// The journal of this run, and what an earlier one did not save.
pub(crate) struct Journal {
    folder: PathBuf,
    name: String,
    file: Option<File>,
    /// The texts that are to be written before the next step.
    base: Option<Vec<(PathBuf, String)>>,
    /// The steps since the texts.
    steps: usize,
    lost: Option<LostWork>,
    /// Why nothing can be kept.
    failed: Option<String>,
}

/// Steps of an earlier run that are in no file.
pub(crate) struct LostWork {
    path: PathBuf,
    base: Vec<(PathBuf, String)>,
    steps: Vec<Value>,
    titles: Vec<String>,
    since: u64,
}

impl LostWork {
    /// The texts before the first of the steps.
    pub(crate) fn base(&self) -> Vec<(PathBuf, String)> {
        self.base.clone()
    }

    /// All steps since then, saved ones too.
    pub(crate) fn steps(&self) -> &[Value] {
        &self.steps
    }

    /// Is not offered again.
    pub(crate) fn forget(self) {
        // If it cannot be noted, it is offered again.
        let _ = OpenOptions::new().append(true).open(&self.path).and_then(|mut file| {
            file.write_all(b"{\"t\":\"saved\"}\n")?;
            file.sync_data()
        });
    }

    /// Reads a journal; none if all of it was saved, or it cannot be read.
    fn read(path: &Path) -> Option<Self> {
        let mut text = String::new();
        let mut file = File::open(path).ok()?;
        // A run that goes on holds its journal locked.
        if matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)) {
            return None;
        }
        file.read_to_string(&mut text).ok()?;
        let since = file.metadata().ok()?.modified().ok()?;
        let since = since.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        let mut lost =
            Self { path: path.to_owned(), base: Vec::new(), steps: Vec::new(), titles: Vec::new(), since };
        // The last line may be cut off.
        for record in text.lines().map_while(|line| serde_json::from_str::<Value>(line).ok()) {
            match record.get("t").and_then(Value::as_str) {
                Some("base") => {
                    let file = |file: &Value| {
                        let path = file.get("path")?.as_str()?;
                        Some((PathBuf::from(path), file.get("text")?.as_str()?.to_owned()))
                    };
                    lost.base = record.get("files")?.as_array()?.iter().filter_map(file).collect();
                    lost.steps.clear();
                    lost.titles.clear();
                    continue;
                }
                Some("saved") => lost.titles.clear(),
                Some("edit") => {
                    let title = record.get("title").and_then(Value::as_str).unwrap_or("Edit");
                    lost.titles.push(title.to_owned());
                }
                Some("paint") => lost.titles.push("Change weights".to_owned()),
                Some("undo") => lost.titles.push("Undo".to_owned()),
                Some("redo") => lost.titles.push("Redo".to_owned()),
                _ => {}
            }
            lost.steps.push(record);
        }
        (!lost.titles.is_empty()).then_some(lost)
    }
}

impl Journal {
    /// The journal of a new run.
    pub(crate) fn open(rig: &Path) -> Self {
        let (folder, name) = (folder(rig), name(rig));
        let mut journals = journals(&folder, &name);
        journals.reverse();
        let lost = journals.iter().find_map(|(_, path)| LostWork::read(path));
        Self { folder, name, file: None, base: None, steps: 0, lost, failed: None }
    }

    /// What an earlier run left, for pages.
    pub(crate) fn lost_json(&self) -> Value {
        match &self.lost {
            Some(lost) => json!({ "since": lost.since, "steps": lost.titles }),
            None => Value::Null,
        }
    }

    pub(crate) fn take_lost(&mut self) -> Option<LostWork> {
        self.lost.take()
    }

    /// Puts back what could not be made again.
    pub(crate) fn keep_lost(&mut self, lost: LostWork) {
        self.lost = Some(lost);
    }

    /// Why nothing is kept.
    pub(crate) fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// The texts of a session are the ground of the next steps. All of them must be saved.
    pub(crate) fn base(&mut self, session: &Session) {
        self.base = Some(
            session.files().iter().map(|file| (file.path().to_owned(), file.text().to_owned())).collect(),
        );
        self.steps = 0;
    }

    /// Begins with the texts and steps of an earlier run.
    pub(crate) fn again(&mut self, base: Vec<(PathBuf, String)>, steps: &[Value]) {
        self.base = Some(base);
        self.steps = 0;
        steps.iter().for_each(|step| self.step(step));
    }

    /// Notes a step; it is on the disk then.
    pub(crate) fn step(&mut self, step: &Value) {
        let mut text = String::new();
        if let Some(base) = self.base.take() {
            let files: Vec<Value> = base
                .iter()
                .map(|(path, text)| json!({ "path": path.to_string_lossy(), "text": text }))
                .collect();
            text.push_str(&json!({ "t": "base", "files": files }).to_string());
            text.push('\n');
        }
        text.push_str(&step.to_string());
        text.push('\n');
        self.steps += 1;
        let written = self.file().and_then(|file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        });
        self.failed = written.err().map(|error| error.to_string());
    }

    /// The rig has another name: its journal, too, and what that says of its files.
    pub(crate) fn follow(&mut self, from: &Path, to: &Path) {
        let (old, new) = (json!(from.to_string_lossy()), json!(to.to_string_lossy()));
        let rename = |record: &mut Value| {
            let files = record.get_mut("files").and_then(Value::as_array_mut).map(|it| it.iter_mut());
            for entry in files.into_iter().flatten() {
                if entry["path"] == old {
                    entry["path"] = new.clone();
                }
            }
            if record.get("path") == Some(&old) {
                record["path"] = new.clone();
            }
        };
        for (path, _) in self.base.iter_mut().flatten().filter(|(path, _)| path == from) {
            *path = to.to_owned();
        }
        let number = journals(&self.folder, &self.name).last().map(|(number, _)| *number);
        let before = number.filter(|_| self.file.is_some());
        let before = before.map(|number| self.folder.join(format!("{}.{number}.journal", self.name)));
        let text = before.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
        self.name = name(to);
        self.file = None;
        let Some((path, text)) = before.zip(text) else { return };
        let mut records = String::new();
        for mut record in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            rename(&mut record);
            records.push_str(&format!("{record}\n"));
        }
        let written = self.file().and_then(|file| {
            file.write_all(records.as_bytes())?;
            file.sync_data()
        });
        match written {
            // If it stays, it is offered for a rig that is not there.
            Ok(()) => drop(std::fs::remove_file(path)),
            Err(error) => self.failed = Some(error.to_string()),
        }
    }

    /// Notes that all texts are in their files.
    pub(crate) fn saved(&mut self, session: &Session) {
        let Some(file) = &mut self.file else { return };
        // If this is lost, steps are offered that the files have: making them again changes nothing.
        let _ = file.write_all(b"{\"t\":\"saved\"}\n");
        if self.steps >= MOST_STEPS {
            self.base(session);
        }
    }

    fn file(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            std::fs::create_dir_all(&self.folder)?;
            let known = journals(&self.folder, &self.name);
            let next = known.last().map_or(1, |(number, _)| number + 1);
            let path = self.folder.join(format!("{}.{next}.journal", self.name));
            let mut options = OpenOptions::new();
            options.create_new(true).append(true).read(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = options.open(path)?;
            // A file system without locks has one server a rig by the promise of its users.
            let _ = file.try_lock();
            thin_out(&known);
            self.file = Some(file);
        }
        self.file.as_mut().ok_or_else(|| io::Error::other("no journal"))
    }

    /// The run ends.
    pub(crate) fn finish(mut self, all_saved: bool) {
        if let (Some(file), true) = (&mut self.file, all_saved) {
            let _ = file.seek(io::SeekFrom::End(0)).and_then(|_| file.write_all(b"{\"t\":\"saved\"}\n"));
        }
    }
}

/// The journals of a rig, the oldest first.
fn journals(folder: &Path, name: &str) -> Vec<(u64, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let number = |path: &Path| -> Option<u64> {
        let file = path.file_name()?.to_str()?;
        file.strip_prefix(name)?.strip_prefix('.')?.strip_suffix(".journal")?.parse().ok()
    };
    let mut list: Vec<(u64, PathBuf)> =
        entries.flatten().filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect();
    list.sort();
    list
}

/// Removes the oldest journals, but none with work that is in no file.
fn thin_out(journals: &[(u64, PathBuf)]) {
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |about| about.len());
    let mut kept = 1;
    let mut bytes = 0;
    for (_, path) in journals.iter().rev() {
        kept += 1;
        bytes += size(path);
        if (kept > MOST_RUNS || bytes > MOST_BYTES) && LostWork::read(path).is_none() {
            let _ = std::fs::remove_file(path);
        }
    }
}
