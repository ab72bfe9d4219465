//! A rig that is edited: its texts keep their comments and their order.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bone_layer::format::doc::{Ease, Extend};
use bone_layer::format::edit::EditError as Refused;
use bone_layer::kurbo::Point;
use bone_layer::session::{DocPath, DocValue, Edit, Named, Session as Engine};
use bone_layer::{Disk, no_fonts, system_fonts};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::detached;
use crate::errors::{Diagnostic, findings, not_edited, plain};
use crate::rig::{Rig, RigSource};
use crate::values::{FromArgument, path, steps, to_python, value};

/// The files of a rig while they are edited.
#[pyclass(frozen, module = "bone_layer")]
pub struct Session {
    engine: Mutex<Engine>,
    source: RigSource,
}

macro_rules! read_edits {
    ($( $(#[$meta:meta])* $Edit:ident {
        $( $(#[$field_meta:meta])* $field:ident: $of:ty $(= $default:expr)?, )*
    }, )*) => {
        /// An edit by its name, with its fields as arguments.
        fn edit_of(name: &str, given: &Bound<'_, PyDict>) -> PyResult<Edit> {
            let mut given = Arguments { given, read: 0 };
            let edit = match name {
                $( stringify!($Edit) => Edit::$Edit {
                    $( $field: given.get::<$of>(stringify!($field), None $(.or(Some($default)))?)?, )*
                }, )*
                _ => {
                    let names = [$( stringify!($Edit) ),*].join(", ");
                    return Err(PyTypeError::new_err(format!("\"{name}\" is no edit: there are {names}")));
                }
            };
            given.all_read(name, &[$( (stringify!($Edit), &[$( stringify!($field) ),*]) ),*])?;
            Ok(edit)
        }
    };
}

bone_layer::format::for_edits!(read_edits!);

/// The arguments of an edit. Python has words that fields may not have: `from_` is `from`.
struct Arguments<'a, 'py> {
    given: &'a Bound<'py, PyDict>,
    read: usize,
}

impl Arguments<'_, '_> {
    fn get<T: FromArgument>(&mut self, name: &str, default: Option<T>) -> PyResult<T> {
        let found = match self.given.get_item(name)? {
            Some(found) => Some(found),
            None => self.given.get_item(format!("{name}_"))?,
        };
        if let Some(found) = found {
            self.read += 1;
            return T::read(&found).map_err(|error| {
                PyTypeError::new_err(format!("`{name}`: {}", error.value(self.given.py())))
            });
        }
        // What may be left out reads `None`.
        let left_out = default
            .or_else(|| T::read(self.given.py().None().bind(self.given.py())).ok().filter(|_| T::OPTIONAL));
        left_out.ok_or_else(|| PyTypeError::new_err(format!("`{name}` is missing")))
    }

    fn all_read(&self, edit: &str, known: &[(&str, &[&str])]) -> PyResult<()> {
        if self.read == self.given.len() {
            return Ok(());
        }
        let fields = known.iter().find(|(name, _)| *name == edit).map_or(&[][..], |(_, fields)| fields);
        Err(PyTypeError::new_err(format!("{edit} has the arguments {}", fields.join(", "))))
    }
}

impl Session {
    pub fn of(py: Python<'_>, source: RigSource) -> PyResult<Self> {
        let RigSource { path, files, fonts, .. } = source.clone();
        let engine = detached(py, move || match fonts {
            true => Engine::open(path, files, system_fonts),
            false => Engine::open(path, files, no_fonts),
        })?;
        Ok(Self { engine: Mutex::new(engine), source })
    }

    fn lock(&self) -> MutexGuard<'_, Engine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the texts while other threads of Python run.
    fn change<T: Send>(
        &self,
        py: Python<'_>,
        change: impl FnOnce(&mut Engine) -> Result<T, Refused> + Send,
    ) -> PyResult<T> {
        let changed = detached(py, || {
            let mut engine = self.lock();
            change(&mut engine).map_err(|error| (error, engine.sources().clone()))
        })?;
        changed.map_err(|(error, sources)| not_edited(py, &error, &sources))
    }

    fn apply(&self, py: Python<'_>, edit: Edit) -> PyResult<()> {
        self.change(py, move |engine| engine.apply(&edit).map(|_| ()))
    }
}

#[pymethods]
impl Session {
    /// Opens the files of a rig, which may have mistakes: `diagnostics` lists them.
    #[staticmethod]
    #[pyo3(signature = (path, *, fonts=true))]
    fn open(py: Python<'_>, path: PathBuf, fonts: bool) -> PyResult<Self> {
        Self::of(py, RigSource { path, files: Arc::new(Disk), fonts, is_on_disk: true })
    }

    /// Makes an edit by its name: `edit("SetParent", bone="hand", parent="arm")`.
    #[pyo3(signature = (name, /, **fields))]
    fn edit(&self, py: Python<'_>, name: &str, fields: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let none = PyDict::new(py);
        self.apply(py, edit_of(name, fields.unwrap_or(&none))?)
    }

    /// Makes several edits as one step, all or none: pairs of a name and a dict of its fields.
    fn edit_all(
        &self,
        py: Python<'_>,
        title: String,
        edits: Vec<(String, Bound<'_, PyDict>)>,
    ) -> PyResult<()> {
        let edits = edits.iter().map(|(name, fields)| edit_of(name, fields)).collect::<PyResult<Vec<_>>>()?;
        self.change(py, move |engine| engine.apply_all(&title, &edits).map(|_| ()))
    }

    /// Gives a field, an entry or an item a value.
    fn set(&self, py: Python<'_>, at: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.apply(py, Edit::Set { at: path(at)?, value: self::value(value)? })
    }

    /// Takes a field, an entry or an item out.
    fn remove(&self, py: Python<'_>, at: &Bound<'_, PyAny>) -> PyResult<()> {
        self.apply(py, Edit::Remove { at: path(at)? })
    }

    /// Sets a key of a bone in a clip.
    #[pyo3(signature = (clip, bone, channel, time, value, *, ease=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn key(
        &self,
        py: Python<'_>,
        clip: &str,
        bone: &str,
        channel: &str,
        time: f64,
        value: &Bound<'_, PyAny>,
        ease: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (channel, ease) = (DocPath::channel(clip, bone, channel), ease.map(Ease::read).transpose()?);
        self.apply(py, Edit::SetKey { channel, time, value: self::value(value)?, ease })
    }

    /// Renames something wherever a file of the rig names it: a bone, art, a clip, and so on.
    fn rename(&self, py: Python<'_>, of: &Bound<'_, PyAny>, from_: String, to: String) -> PyResult<()> {
        self.apply(py, Edit::Rename { of: Named::read(of)?, from: from_, to, within: None })
    }

    /// Takes something out that has a name; what uses it goes along with `dependants`.
    #[pyo3(signature = (of, name, *, dependants=false))]
    fn delete(&self, py: Python<'_>, of: &Bound<'_, PyAny>, name: String, dependants: bool) -> PyResult<()> {
        self.apply(py, Edit::Delete { of: Named::read(of)?, name, dependants, within: None })
    }

    /// What uses something that has a name: paths.
    fn dependants<'py>(
        &self,
        py: Python<'py>,
        of: &Bound<'py, PyAny>,
        name: &str,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let of = Named::read(of)?;
        let found = self.change(py, |engine| engine.dependants(of, name))?;
        found.iter().map(|path| steps(py, path)).collect()
    }

    /// What stands at a path.
    fn get<'py>(&self, py: Python<'py>, at: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let at = path(at)?;
        let found = self.change(py, |engine| engine.get(&at))?;
        to_python(py, &found)
    }

    /// Takes the last step back; its title, or none if there is none.
    fn undo(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.change(py, |engine| engine.undo().map(|done| done.map(|done| done.title)))
    }

    /// Makes a step again.
    fn redo(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.change(py, |engine| engine.redo().map(|done| done.map(|done| done.title)))
    }

    /// Writes the texts that have changed, each whole or not at all; the files that it wrote.
    fn save(&self, py: Python<'_>) -> PyResult<Vec<PathBuf>> {
        if !self.source.is_on_disk {
            return Err(plain("the files of this rig are in memory: `texts` has them"));
        }
        let saved = detached(py, || {
            let mut engine = self.lock();
            let waiting: Vec<PathBuf> = engine.unsaved().map(|file| file.path().to_owned()).collect();
            for path in &waiting {
                let saved = engine.save_file(path);
                saved
                    .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
            }
            Ok::<_, io::Error>(waiting)
        })?;
        Ok(saved?)
    }

    /// Takes in what other programs have written; the files that changed.
    fn sync(&self, py: Python<'_>) -> PyResult<Vec<PathBuf>> {
        let found = self.change(py, Engine::sync)?;
        Ok(found.into_iter().map(|(path, _)| path).collect())
    }

    /// The text of the rig file.
    #[getter]
    fn text(&self) -> String {
        self.lock().text().to_owned()
    }

    /// The texts of all files of the rig, by their paths.
    #[getter]
    fn texts(&self) -> BTreeMap<String, String> {
        let engine = self.lock();
        engine
            .files()
            .iter()
            .map(|file| (file.path().display().to_string(), file.text().to_owned()))
            .collect()
    }

    /// The files whose texts are not saved.
    #[getter]
    fn unsaved(&self) -> Vec<PathBuf> {
        self.lock().unsaved().map(|file| file.path().to_owned()).collect()
    }

    /// What is wrong with the rig, and warnings.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        let engine = self.lock();
        findings(engine.diagnostics(), engine.sources())
    }

    /// The rig as it is now; none while it has errors.
    #[getter]
    fn rig(&self) -> Option<Rig> {
        let engine = self.lock();
        let rig = engine.rig().filter(|_| engine.is_current())?;
        let found = findings(engine.diagnostics(), engine.sources());
        Some(Rig::of(Arc::clone(rig), found, None))
    }

    fn __repr__(&self) -> String {
        format!("<Session of {}>", self.lock().path().display())
    }
}
