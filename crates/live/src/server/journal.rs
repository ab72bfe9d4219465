//! What keeps the work of a run that is killed, among the [`Records`]: a lock with the address of the running
//! server, and a journal for each run: the texts before its first change, then its steps, each on the disk before the
//! step is answered. A step behind the last `saved` is not in the files: the next run offers it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bone_format::session::Session;

use crate::message::{Reason, WireEnum as _};
use crate::server::address::Address;
use crate::server::proto::{Lost, SavedText, Step};
use crate::server::records::{Records, open};

/// Journals of so many runs are kept, and so many bytes of them.
const MOST_RUNS: usize = 20;
const MOST_BYTES: u64 = 20 << 20;
/// A longer journal is not read.
const LONGEST_JOURNAL: u64 = 512 << 20;
/// After so many steps that are saved a journal begins anew.
const MOST_STEPS: usize = 500;
/// So long a server that was killed is taken up under its old address.
const FORMER: Duration = Duration::from_secs(24 * 60 * 60);

/// The sole right to serve a rig.
pub(crate) struct RigLock {
    /// Locked as long as it is open, and where it and the address are. None where nothing can be kept.
    kept: Option<(File, Records)>,
}

/// Whether a rig is served already.
pub(crate) enum Locked {
    Mine(RigLock),
    /// The address of the server, if it is known.
    Other(Option<Address>),
}

impl RigLock {
    pub(crate) fn take(records: Option<Records>) -> Locked {
        let Some(records) = records else { return Locked::Mine(Self { kept: None }) };
        let path = records.path("lock");
        let opened = records
            .make_folder()
            .and_then(|()| open(&path, OpenOptions::new().create(true).write(true).truncate(false)));
        let Ok(file) = opened else { return Locked::Mine(Self { kept: None }) };
        match file.try_lock() {
            Err(std::fs::TryLockError::WouldBlock) => {
                // The other server may be about to write it.
                for _ in 0..20 {
                    match read_address(&records) {
                        Some((address, _)) => return Locked::Other(Some(address)),
                        None => std::thread::sleep(Duration::from_millis(50)),
                    }
                }
                Locked::Other(None)
            }
            // A file system without locks has none to wait for.
            _ => Locked::Mine(Self { kept: Some((file, records)) }),
        }
    }

    /// The address of a server that was killed not long ago: pages that are open find the next one there.
    pub(crate) fn former(&self) -> Option<Address> {
        let (address, file) = read_address(&self.kept.as_ref()?.1)?;
        let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
        (age < FORMER).then_some(address)
    }

    /// Writes the address, which others may not read: it has the secret.
    pub(crate) fn announce(&self, address: &Address) {
        let Some((_, records)) = &self.kept else { return };
        let path = records.path("address");
        // Without it a second server cannot open the page of this one; nothing else depends on it.
        let _ = std::fs::remove_file(&path);
        let _ = open(&path, OpenOptions::new().create_new(true).write(true))
            .and_then(|mut file| file.write_all(address.to_string().as_bytes()));
    }

    /// Removes what is only for a running server.
    pub(crate) fn release(self) {
        let Some((file, records)) = self.kept else { return };
        let _ = std::fs::remove_file(records.path("address"));
        let _ = std::fs::remove_file(records.path("lock"));
        drop(file);
    }
}

/// What the record of the address says, and its file.
fn read_address(records: &Records) -> Option<(Address, File)> {
    let file = open(&records.path("address"), OpenOptions::new().read(true)).ok()?;
    let mut text = String::new();
    (&file).take(Address::LONGEST).read_to_string(&mut text).ok()?;
    Some((Address::parse(&text)?, file))
}

/// The journal of this run, and what an earlier one did not save.
pub(crate) struct Journal {
    /// None where nothing can be kept.
    records: Option<Records>,
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
    steps: Vec<Step>,
    titles: Vec<String>,
    since: u64,
    /// What is wrong with the first step that cannot be read.
    unread: Option<Reason>,
}

impl LostWork {
    /// The texts before the first of the steps.
    pub(crate) fn base(&self) -> Vec<(PathBuf, String)> {
        self.base.clone()
    }

    /// All steps since then, saved ones too, up to one that cannot be read.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Why not all steps can be read, and where they are.
    pub(crate) fn unread(&self) -> Option<String> {
        let why = self.unread.as_ref()?;
        Some(format!("{why}; the steps stay in \"{}\"", self.path.display()))
    }

    /// Is not offered again.
    pub(crate) fn forget(self) {
        // If it cannot be noted, it is offered again.
        let _ = open(&self.path, OpenOptions::new().append(true)).and_then(|mut file| {
            file.write_all(b"{\"t\":\"saved\"}\n")?;
            file.sync_data()
        });
    }

    /// Reads a journal; none if all of it was saved, or it cannot be read.
    fn read(path: &Path) -> Option<Self> {
        let mut text = String::new();
        let file = open(path, OpenOptions::new().read(true)).ok()?;
        // A run that goes on holds its journal locked.
        if matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock)) {
            return None;
        }
        if (&file).take(LONGEST_JOURNAL).read_to_string(&mut text).ok()? as u64 == LONGEST_JOURNAL {
            return None;
        }
        let since = file.metadata().ok()?.modified().ok()?;
        let since = since.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        let mut lost = Self {
            path: path.to_owned(),
            base: Vec::new(),
            steps: Vec::new(),
            titles: Vec::new(),
            since,
            unread: None,
        };
        // The last line may be cut off.
        for step in text.lines().map_while(Step::read) {
            let step = match step {
                Ok(step) => step,
                Err(why) => {
                    lost.unread = Some(why);
                    lost.titles.push("A step that this version cannot read".to_owned());
                    break;
                }
            };
            match &step {
                Step::Base { files } => {
                    let file = |file: &SavedText| (PathBuf::from(&file.path), file.text.clone());
                    lost.base = files.iter().map(file).collect();
                    lost.steps.clear();
                    lost.titles.clear();
                    continue;
                }
                Step::Saved {} => lost.titles.clear(),
                Step::Edit { title, .. } => lost.titles.push(title.clone()),
                Step::Paint { .. } => lost.titles.push("Change weights".to_owned()),
                Step::Undo {} => lost.titles.push("Undo".to_owned()),
                Step::Redo {} => lost.titles.push("Redo".to_owned()),
                _ => {}
            }
            lost.steps.push(step);
        }
        (!lost.titles.is_empty()).then_some(lost)
    }
}

impl Journal {
    /// The journal of a new run.
    pub(crate) fn open(records: Option<Records>) -> Self {
        let journals = records.as_ref().map(Records::journals).unwrap_or_default();
        let lost = journals.iter().rev().find_map(|(_, path)| LostWork::read(path));
        Self { records, file: None, base: None, steps: 0, lost, failed: None }
    }

    /// What an earlier run left, for pages.
    pub(crate) fn lost(&self) -> Option<Lost> {
        self.lost.as_ref().map(|lost| Lost { since: lost.since, steps: lost.titles.clone() })
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
    pub(crate) fn again(&mut self, base: Vec<(PathBuf, String)>, steps: &[Step]) {
        self.base = Some(base);
        self.steps = 0;
        steps.iter().for_each(|step| self.step(step));
    }

    /// Notes a step; it is on the disk then.
    pub(crate) fn step(&mut self, step: &Step) {
        let mut text = String::new();
        if let Some(base) = self.base.take() {
            let file = |(path, text): (PathBuf, String)| SavedText {
                path: path.to_string_lossy().into_owned(),
                text,
            };
            let base = Step::Base { files: base.into_iter().map(file).collect() };
            text.push_str(&format!("{}\n", base.message()));
        }
        text.push_str(&format!("{}\n", step.message()));
        self.steps += 1;
        let written = self.file().and_then(|file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        });
        self.failed = written.err().map(|error| error.to_string());
    }

    /// The rig has another name: its journal, too, and what that says of its files.
    pub(crate) fn follow(&mut self, (from, to): (&Path, &Path), records: Option<Records>) {
        let (old, new) = (from.to_string_lossy(), to.to_string_lossy());
        let rename = |step: &mut Step| {
            let paths: Vec<&mut String> = match step {
                Step::Base { files } => files.iter_mut().map(|file| &mut file.path).collect(),
                Step::Outside { path, .. } | Step::Resolve { path, .. } => vec![path],
                _ => Vec::new(),
            };
            paths.into_iter().filter(|path| **path == *old).for_each(|path| *path = new.clone().into_owned());
        };
        for (path, _) in self.base.iter_mut().flatten().filter(|(path, _)| path == from) {
            *path = to.to_owned();
        }
        let before = self.file.take().and_then(|mut file| {
            let (_, path) = self.records.as_ref()?.journals().pop()?;
            let mut text = String::new();
            file.rewind().and_then(|()| file.read_to_string(&mut text)).ok()?;
            Some((path, text))
        });
        self.records = records;
        let Some((path, text)) = before else { return };
        let mut records = String::new();
        // This run has written them.
        for mut step in text.lines().filter_map(Step::read).flatten() {
            rename(&mut step);
            records.push_str(&format!("{}\n", step.message()));
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
            let records =
                self.records.as_ref().ok_or_else(|| io::Error::other("there is no folder for it"))?;
            records.make_folder()?;
            let known = records.journals();
            let next = known.last().map_or(1, |(number, _)| number + 1);
            let path = records.path(&format!("{next}.journal"));
            let file = open(&path, OpenOptions::new().create_new(true).append(true).read(true))?;
            // A file system without locks has one server a rig by the promise of its users.
            let _ = file.try_lock();
            records.keep_names()?;
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
