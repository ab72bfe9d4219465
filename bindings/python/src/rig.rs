//! Rigs: loaded, posed, drawn, packed.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use bone_layer::format::{LARGEST_FILE, load_packed};
use bone_layer::render::WholeFile;
use bone_layer::{
    Disk, Files, FrameOptions, FrameSize, FrameState, InMemory, Loaded, Overrides, Pixmap, Rig as Engine,
    RigClip, load, no_fonts, render, system_fonts,
};
use bone_player::{Character, ClipKey};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::clip::Clip;
use crate::detached;
use crate::errors::{Diagnostic, PackError, findings, plain, rig_error, unknown};
use crate::frame::Frame;
use crate::frames::Frames;
use crate::player::Player;
use crate::pose::{BonePose, Pose};
use crate::session::Session;

/// More frames of one call are a typing error.
pub const MOST_FRAMES: u64 = 1_000_000;

/// What all objects of one rig share.
pub struct SharedRig {
    pub character: Character,
    findings: Vec<Diagnostic>,
    source: Option<RigSource>,
    /// DrawMemory of frames that no thread uses at the moment.
    idle: Mutex<Vec<DrawMemory>>,
    clips: OnceLock<Vec<Py<Clip>>>,
}

/// Where a rig came from: what an edit opens again.
#[derive(Clone)]
pub struct RigSource {
    pub path: PathBuf,
    pub files: Arc<dyn Files>,
    pub fonts: bool,
    /// Whether edits can be saved there.
    pub is_on_disk: bool,
}

/// What a thread draws with.
struct DrawMemory {
    state: FrameState,
    /// Of frames that are copied into memory of the caller.
    pixels: Option<Pixmap>,
}

/// DrawMemory for frames, given back when it is dropped.
pub struct PooledState {
    shared: Arc<SharedRig>,
    memory: Option<DrawMemory>,
}

impl PooledState {
    pub fn of(shared: &Arc<SharedRig>) -> Self {
        let memory = shared.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Self { shared: Arc::clone(shared), memory }
    }

    fn memory(&mut self) -> &mut DrawMemory {
        let rig = self.shared.rig();
        self.memory.get_or_insert_with(|| DrawMemory { state: FrameState::new(rig), pixels: None })
    }

    pub fn state(&mut self) -> &mut FrameState {
        &mut self.memory().state
    }

    /// Draws the moment of the state: into memory that the frame keeps, or that is used again, for `out`.
    pub fn draw(&mut self, options: &FrameOptions, keeps: bool) -> Result<Pixmap, String> {
        let rig = Arc::clone(self.shared.rig());
        let DrawMemory { state, pixels } = self.memory();
        let again = if keeps { None } else { pixels.take() };
        let mut pixels = again.map_or_else(blank, Ok)?;
        rig.draw(state, options, &mut pixels).map_err(|error| error.to_string())?;
        Ok(pixels)
    }

    /// Keeps the memory of pixels that have been copied.
    pub fn keep(&mut self, pixels: Pixmap) {
        self.memory().pixels = Some(pixels);
    }
}

impl Drop for PooledState {
    fn drop(&mut self) {
        // What panicked in the middle of a frame is not used again.
        if let (Some(memory), false) = (self.memory.take(), std::thread::panicking()) {
            self.shared.idle.lock().unwrap_or_else(PoisonError::into_inner).push(memory);
        }
    }
}

/// How a frame is drawn.
#[derive(Clone, Copy)]
pub struct DrawOptions {
    pub frame: FrameOptions,
    pub premultiplied: bool,
}

impl SharedRig {
    pub fn rig(&self) -> &Arc<Engine> {
        self.character.rig()
    }

    pub fn clip_at(&self, key: ClipKey) -> Option<&RigClip> {
        self.rig().clips().get(key.index())
    }

    /// A clip by its name, or a clip of this rig.
    pub fn clip(&self, py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<ClipKey> {
        if let Ok(clip) = given.cast::<Clip>() {
            return self.character.clip(clip.get().name()).map_err(|error| unknown(py, &error));
        }
        let name =
            given.cast::<PyString>().map_err(|_| PyTypeError::new_err("a clip is a name or a Clip"))?;
        self.character.clip(&name.to_cow()?).map_err(|error| unknown(py, &error))
    }

    /// The same, or none for the setup pose.
    pub fn clip_or_rest(
        &self,
        py: Python<'_>,
        given: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<ClipKey>> {
        given.map(|given| self.clip(py, given)).transpose()
    }

    /// Frames in a second: those of the rig, or others.
    pub fn rate(&self, fps: Option<f64>) -> PyResult<f64> {
        let fps = fps.unwrap_or(self.rig().fps());
        if (1e-3..=1e5).contains(&fps) {
            return Ok(fps);
        }
        Err(PyValueError::new_err("frames a second are a number from 0.001 to 100000"))
    }

    /// How many frames a clip has at a rate.
    pub fn frame_count(&self, clip: ClipKey, fps: f64) -> PyResult<u64> {
        let count = self.clip_at(clip).map_or(0, |clip| clip.frame_count(fps));
        if count > MOST_FRAMES {
            return Err(PyValueError::new_err(format!("{count} frames are more than {MOST_FRAMES}")));
        }
        Ok(count)
    }

    /// A time at which there are frames.
    pub fn time(&self, time: f64) -> PyResult<f64> {
        if time.is_finite() { Ok(time) } else { Err(PyValueError::new_err("the time must be finite")) }
    }

    /// Size and background of frames.
    pub fn draw_options(
        &self,
        size: Option<(u32, u32)>,
        scale: Option<f64>,
        background: Option<&str>,
        premultiplied: bool,
    ) -> PyResult<DrawOptions> {
        let size = match (size, scale) {
            (Some(_), Some(_)) => {
                return Err(PyValueError::new_err("a frame has a size or a scale, not both"));
            }
            (Some((width, height)), None) => FrameSize::new(width, height),
            (None, scale) => FrameSize::from_scale(self.character.size(), scale.unwrap_or(1.0)),
        };
        let size = size.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let background = background.map(render::Background::parse).transpose();
        let background = background.map_err(|error| PyValueError::new_err(error.to_string()))?.flatten();
        Ok(DrawOptions { frame: FrameOptions { size, background }, premultiplied })
    }

    /// Poses a moment.
    pub fn pose(&self, clip: Option<ClipKey>, time: f64, state: &mut FrameState) -> Result<(), String> {
        let clip = clip.and_then(|clip| self.clip_at(clip));
        self.rig().pose(clip, time, state).map_err(|error| error.to_string())
    }
}

/// A pixmap that gets the size of a frame when it is drawn.
fn blank() -> Result<Pixmap, String> {
    Pixmap::new(1, 1).ok_or_else(|| "there is no memory for a frame".to_owned())
}

/// A bone at rest.
#[pyclass(frozen, get_all, module = "bone_layer")]
pub struct Bone {
    name: String,
    parent: Option<String>,
    length: f64,
}

#[pymethods]
impl Bone {
    fn __repr__(&self) -> String {
        format!("<Bone {:?}>", self.name)
    }
}

/// A drawing with its bones and clips: it does not change, and threads share it.
#[pyclass(frozen, module = "bone_layer")]
pub struct Rig(pub Arc<SharedRig>);

impl Rig {
    pub fn of(rig: Arc<Engine>, findings: Vec<Diagnostic>, source: Option<RigSource>) -> Self {
        let character = Character::from_rig(rig);
        let (idle, clips) = (Mutex::default(), OnceLock::new());
        Self(Arc::new(SharedRig { character, findings, source, idle, clips }))
    }

    fn loaded(py: Python<'_>, loaded: Loaded, source: Option<RigSource>) -> PyResult<Self> {
        let found = findings(&loaded.diagnostics, &loaded.sources);
        match loaded.rig {
            Some(rig) => Ok(Self::of(Arc::new(rig), found, source)),
            None => Err(rig_error(py, found)),
        }
    }
}

/// Loads the files of a rig.
fn open(py: Python<'_>, source: RigSource) -> PyResult<Rig> {
    let RigSource { path, files, fonts, .. } = source.clone();
    let loaded = detached(py, move || load(&path, files, if fonts { &system_fonts } else { &no_fonts }))?;
    Rig::loaded(py, loaded, Some(source))
}

#[pymethods]
impl Rig {
    /// Loads a rig file in RON or JSON with its drawing, or a packed rig (.bones).
    #[staticmethod]
    #[pyo3(signature = (path, *, fonts=true))]
    fn load(py: Python<'_>, path: PathBuf, fonts: bool) -> PyResult<Self> {
        if path.extension().is_some_and(|ending| ending == "bones") {
            let from = path.clone();
            let loaded = detached(py, move || load_packed(&from, &Disk, &mut |_| ()))?;
            let failed = loaded.diagnostics.iter().next().map(|first| first.message.clone());
            return match (loaded.rig, failed) {
                (None, message) => Err(PackError::new_err(message.unwrap_or_default())),
                (Some(rig), _) => Ok(Self::of(Arc::new(rig), Vec::new(), None)),
            };
        }
        open(py, RigSource { path, files: Arc::new(Disk), fonts, is_on_disk: true })
    }

    /// Loads a rig from texts and other files in memory; the rig is the first of them.
    #[staticmethod]
    #[pyo3(signature = (files, *, fonts=true))]
    fn from_files(py: Python<'_>, files: &Bound<'_, PyDict>, fonts: bool) -> PyResult<Self> {
        let (mut first, mut memory) = (None, InMemory::new());
        for (name, file) in files {
            let name = name.extract::<String>()?;
            let bytes = match file.cast::<PyString>() {
                Ok(text) => text.to_cow()?.as_bytes().to_vec(),
                Err(_) => file.extract::<Vec<u8>>()?,
            };
            if bytes.len() as u64 > LARGEST_FILE {
                return Err(PyValueError::new_err(format!("\"{name}\" is too large")));
            }
            first.get_or_insert_with(|| PathBuf::from(&name));
            memory = memory.with(name, bytes);
        }
        let path = first.ok_or_else(|| PyValueError::new_err("there are no files"))?;
        open(py, RigSource { path, files: Arc::new(memory), fonts, is_on_disk: false })
    }

    /// Loads a packed rig from bytes.
    #[staticmethod]
    fn unpack(py: Python<'_>, pack: &[u8]) -> PyResult<Self> {
        let rig = detached(py, || Engine::load(pack))?;
        let rig =
            rig.map_err(|error| PackError::new_err(format!("the packed rig cannot be used: {error}")))?;
        Ok(Self::of(Arc::new(rig), Vec::new(), None))
    }

    /// The rig as bytes that load without its files.
    fn pack<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = detached(py, || self.0.rig().save())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes the packed rig into a file, whole or not at all.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        detached(py, || write_whole(&path, &self.0.rig().save()))?
    }

    /// Warnings of the rig and its drawing.
    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.0.findings.clone()
    }

    /// Width and height of the drawing in its pixels.
    #[getter]
    fn size(&self) -> (f64, f64) {
        let size = self.0.character.size();
        (size.width, size.height)
    }

    /// Frames in a second of the clips.
    #[getter]
    fn fps(&self) -> f64 {
        self.0.rig().fps()
    }

    /// The clips, then the sequences.
    #[getter]
    fn clips(&self, py: Python<'_>) -> PyResult<Vec<Py<Clip>>> {
        if self.0.clips.get().is_none() {
            let all = (0..self.0.rig().clips().len()).map(ClipKey::from_index);
            let made = all.map(|key| Py::new(py, Clip::of(&self.0, key))).collect::<PyResult<Vec<_>>>()?;
            // Another thread may have been faster: its clips are as good.
            let _ = self.0.clips.set(made);
        }
        Ok(self
            .0
            .clips
            .get()
            .map(|all| all.iter().map(|clip| clip.clone_ref(py)).collect())
            .unwrap_or_default())
    }

    /// The clip or sequence with this name.
    fn clip(&self, py: Python<'_>, name: &str) -> PyResult<Py<Clip>> {
        let key = self.0.character.clip(name).map_err(|error| unknown(py, &error))?;
        self.clips(py).map(|mut clips| clips.swap_remove(key.index()))
    }

    /// The bones, parents before their children.
    #[getter]
    fn bones(&self) -> Vec<Bone> {
        let skeleton = self.0.rig().skeleton();
        let bones = skeleton.bones().map(|bone| Bone {
            name: skeleton.name(bone).to_owned(),
            parent: skeleton.parent(bone).map(|parent| skeleton.name(parent).to_owned()),
            length: skeleton.length(bone),
        });
        bones.collect()
    }

    /// The addresses of the elements that are drawn, like `Body/Arm/hand`.
    #[getter]
    fn elements(&self) -> Vec<String> {
        let drawing = self.0.rig().art();
        let ids = (0..drawing.elements().len()).map(bone_layer::drawing::ElementId::from_index);
        let drawn = ids.filter(|id| drawing.element(*id).is_some_and(|element| element.is_drawn()));
        drawn.map(|id| drawing.address(id)).collect()
    }

    /// The names of the inputs of players.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.0.character.inputs().iter().map(|input| input.name.clone()).collect()
    }

    /// The names of the outfits.
    #[getter]
    fn outfits(&self) -> Vec<&str> {
        self.0.character.outfits().collect()
    }

    /// The names of the state machines.
    #[getter]
    fn machines(&self) -> Vec<&str> {
        self.0.character.machines().collect()
    }

    /// A moment of a clip, or the setup pose, with bones set on top.
    #[pyo3(signature = (clip=None, time=0.0, *, bones=None))]
    fn pose(
        &self,
        py: Python<'_>,
        clip: Option<&Bound<'_, PyAny>>,
        time: f64,
        bones: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Pose> {
        let (clip, time) = (self.0.clip_or_rest(py, clip)?, self.0.time(time)?);
        let mut overrides = Overrides::new();
        for (name, pose) in bones.into_iter().flatten() {
            let name = name.extract::<String>()?;
            let bone = self.0.character.bone(&name).map_err(|error| unknown(py, &error))?;
            overrides.bones.set(bone, pose.cast::<BonePose>()?.get().of());
        }
        let shared = &self.0;
        let posed = detached(py, || {
            let mut borrowed = PooledState::of(shared);
            let clip = clip.and_then(|clip| shared.clip_at(clip));
            let posed = shared.rig().pose_with(clip, time, &overrides, borrowed.state());
            posed.map(|()| borrowed)
        })?;
        Ok(Pose::of(Arc::clone(shared), posed.map_err(plain)?))
    }

    /// Draws a moment of a clip, or the setup pose. `out`, memory that can be written, is filled and returned.
    #[pyo3(signature = (clip=None, time=0.0, *, size=None, scale=None, background=None, premultiplied=false, out=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn render<'py>(
        &self,
        py: Python<'py>,
        clip: Option<&Bound<'py, PyAny>>,
        time: f64,
        size: Option<(u32, u32)>,
        scale: Option<f64>,
        background: Option<&str>,
        premultiplied: bool,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (clip, time) = (self.0.clip_or_rest(py, clip)?, self.0.time(time)?);
        let options = self.0.draw_options(size, scale, background, premultiplied)?;
        let (shared, keeps) = (&self.0, out.is_none());
        let drawn = detached(py, || {
            let mut borrowed = PooledState::of(shared);
            shared.pose(clip, time, borrowed.state())?;
            Ok::<_, String>((borrowed.draw(&options.frame, keeps)?, borrowed))
        })?;
        let (pixels, mut borrowed) = drawn.map_err(plain)?;
        Frame::of(pixels, premultiplied).into_python(py, out, |pixels| borrowed.keep(pixels))
    }

    /// The frames of a clip in their order. Some are drawn ahead, by several threads (0: as many as there are
    /// processors).
    #[pyo3(signature = (clip, *, fps=None, frames=None, threads=0, size=None, scale=None, background=None, premultiplied=false))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn frames(
        &self,
        py: Python<'_>,
        clip: &Bound<'_, PyAny>,
        fps: Option<f64>,
        frames: Option<&Bound<'_, PyAny>>,
        threads: usize,
        size: Option<(u32, u32)>,
        scale: Option<f64>,
        background: Option<&str>,
        premultiplied: bool,
    ) -> PyResult<Frames> {
        let key = self.0.clip(py, clip)?;
        let options = self.0.draw_options(size, scale, background, premultiplied)?;
        Frames::start(&self.0, key, fps, frames, threads, options)
    }

    /// A player in the setup pose.
    fn player(&self) -> Player {
        Player::of(Arc::clone(&self.0))
    }

    /// Opens the files of the rig to edit them.
    fn edit(&self, py: Python<'_>) -> PyResult<Session> {
        let source = self.0.source.clone();
        let source = source.ok_or_else(|| {
            plain("the rig has no files to edit: it is packed, or a session edits it already")
        })?;
        Session::of(py, source)
    }

    /// The setup pose as a PNG: what notebooks show.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let shared = &self.0;
        let options = shared.draw_options(None, None, None, false)?.frame;
        let drawn = detached(py, || {
            let mut borrowed = PooledState::of(shared);
            shared.pose(None, 0.0, borrowed.state())?;
            borrowed.draw(&options, true)
        })?;
        Frame::of(drawn.map_err(plain)?, false).png(py, false)
    }

    fn __repr__(&self) -> String {
        let (rig, size) = (self.0.rig(), self.0.character.size());
        let (bones, clips) = (rig.skeleton().len(), rig.clips().len());
        format!("<Rig of {bones} bones and {clips} clips, {} x {}>", size.width, size.height)
    }
}

/// Writes a file, whole or not at all.
pub fn write_whole(path: &std::path::Path, bytes: &[u8]) -> PyResult<()> {
    use std::io::Write as _;
    let written = WholeFile::create(path).and_then(|mut file| {
        file.write_all(bytes).map_err(|source| file.error(source))?;
        file.finish()
    });
    written.map(|_| ()).map_err(|error| {
        // `FileNotFoundError`, `PermissionError` and so on, by the kind of the system's error.
        let kind = std::error::Error::source(&error).and_then(|own| own.downcast_ref::<io::Error>());
        io::Error::new(kind.map_or(io::ErrorKind::Other, io::Error::kind), error.to_string()).into()
    })
}
