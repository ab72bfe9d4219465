//! Clips: their lengths, their markers, and files of them.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;

use bone_layer::export::{Animation, FileFormat, FormatKind, PixelSize, PlayRate};
use bone_layer::render::{data_url_of, escape_xml};
use bone_player::ClipKey;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::detached;
use crate::errors::plain;
use crate::frame::straight;
use crate::rig::{DrawOptions, PooledState, SharedRig, write_whole};

/// A moment of a clip that has a name.
#[pyclass(frozen, get_all, module = "bone_layer")]
pub struct Marker {
    time: f64,
    name: String,
}

#[pymethods]
impl Marker {
    fn __repr__(&self) -> String {
        format!("<Marker {:?} at {} s>", self.name, self.time)
    }
}

/// A clip or sequence of a rig.
#[pyclass(frozen, module = "bone_layer")]
pub struct Clip {
    shared: Arc<SharedRig>,
    key: ClipKey,
}

/// The longest side of what a notebook shows.
const SHOWN_SIDE: f64 = 400.0;
/// So many frames it shows, fewer a second in longer clips.
const SHOWN_FRAMES: f64 = 96.0;
/// So many markers of a clip are listed.
const MOST_MARKERS: usize = 10_000;

impl Clip {
    pub fn of(shared: &Arc<SharedRig>, key: ClipKey) -> Self {
        Self { shared: Arc::clone(shared), key }
    }

    pub fn name(&self) -> &str {
        self.shared.clip_at(self.key).map_or("", |clip| clip.name())
    }

    /// The bytes of a file of all frames.
    fn file(&self, ending: &str, fps: f64, count: u64, options: &DrawOptions) -> Result<Vec<u8>, String> {
        let size = options.frame.size;
        let size = PixelSize { width: size.width(), height: size.height() };
        let animation = Animation::new(size, count, play_rate(fps));
        let (mut borrowed, mut file) = (PooledState::of(&self.shared), Cursor::new(Vec::new()));
        let mut writer = animation.writer(ending).map_err(|error| error.to_string())?;
        let shown: Vec<usize> = (0..).map_while(|at| writer.shown(at)).collect();
        // Where colours are chosen, the writer looks at all frames before it writes.
        let looks = FileFormat::find(ending)
            .is_some_and(|format| matches!(format.kind, FormatKind::Frames { looks: true, .. }));
        for writes in [false, true].into_iter().skip(usize::from(!looks)) {
            for frame in &shown {
                let time = *frame as f64 / fps;
                self.shared.pose(Some(self.key), time, borrowed.state())?;
                let pixels = borrowed.draw(&options.frame, false)?;
                let frame = straight(&pixels);
                borrowed.keep(pixels);
                match writes {
                    false => writer.look(&frame),
                    true => writer.push(&frame, &mut file).map_err(|error| error.to_string())?,
                }
            }
        }
        writer.finish(&mut file).map_err(|error| error.to_string())?;
        Ok(file.into_inner())
    }
}

/// A rate as a ratio: whole, of American television, or in thousandths.
fn play_rate(fps: f64) -> PlayRate {
    let television = fps * 1001.0 / 1000.0;
    let near = |number: f64| (number - number.round()).abs() < 1e-6 * number;
    // At most 100,000 frames in a second: the numbers fit.
    if near(fps) {
        PlayRate { frames: fps.round() as u32, seconds: 1 }
    } else if near(television) {
        PlayRate { frames: (television.round() * 1000.0) as u32, seconds: 1001 }
    } else {
        PlayRate { frames: (fps * 1000.0).round().max(1.0) as u32, seconds: 1000 }
    }
}

#[pymethods]
impl Clip {
    /// Its name.
    #[getter(name)]
    fn name_of(&self) -> &str {
        self.name()
    }

    /// Seconds.
    #[getter]
    fn length(&self) -> f64 {
        self.shared.clip_at(self.key).map_or(0.0, |clip| clip.time().length)
    }

    /// Whether it begins anew after its length.
    #[getter]
    fn looped(&self) -> bool {
        self.shared.clip_at(self.key).is_some_and(|clip| clip.time().looped)
    }

    /// How many frames it has at the rate of the rig.
    #[getter]
    fn frames(&self) -> u64 {
        self.shared.clip_at(self.key).map_or(0, |clip| clip.frame_count(self.shared.rig().fps()))
    }

    /// Its moments with names, in their order.
    #[getter]
    fn markers(&self) -> Vec<Marker> {
        let (rig, fps) = (self.shared.rig(), self.shared.rig().fps());
        let Some(clip) = self.shared.clip_at(self.key) else { return Vec::new() };
        let (found, _) = clip.frame_events(fps, 0..clip.frame_count(fps), MOST_MARKERS);
        let markers = found.iter().filter_map(|found| {
            let name = rig.events().get(found.event.index())?.name.clone();
            Some(Marker { time: found.time, name })
        });
        markers.collect()
    }

    /// All frames as a file: `webp`, `gif` or `apng`.
    #[pyo3(signature = (format="webp", *, fps=None, size=None, scale=None, background=None))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        format: &str,
        fps: Option<f64>,
        size: Option<(u32, u32)>,
        scale: Option<f64>,
        background: Option<&str>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let options = self.shared.draw_options(size, scale, background, false)?;
        let fps = self.shared.rate(fps)?;
        let count = self.shared.frame_count(self.key, fps)?;
        let bytes = detached(py, || self.file(format, fps, count, &options))?.map_err(plain)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Writes that file, by the ending of its name, whole or not at all.
    #[pyo3(signature = (path, *, fps=None, size=None, scale=None, background=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        fps: Option<f64>,
        size: Option<(u32, u32)>,
        scale: Option<f64>,
        background: Option<&str>,
    ) -> PyResult<()> {
        let options = self.shared.draw_options(size, scale, background, false)?;
        let fps = self.shared.rate(fps)?;
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        let count = self.shared.frame_count(self.key, fps)?;
        detached(py, || write_whole(&path, &self.file(&ending, fps, count, &options).map_err(plain)?))?
    }

    /// The clip as it plays: what notebooks show.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let size = self.shared.character.size();
        let scale = (SHOWN_SIDE / size.width.max(size.height)).min(1.0);
        let options = self.shared.draw_options(None, Some(scale), None, false)?;
        let fps = self.shared.rig().fps().min(SHOWN_FRAMES / self.length().max(1.0)).max(1.0);
        let count = self.shared.frame_count(self.key, fps)?;
        let bytes = detached(py, || self.file("webp", fps, count, &options))?.map_err(plain)?;
        let mut html = "<img alt=\"".to_owned();
        escape_xml(self.name(), &mut html);
        html.push_str("\" src=\"");
        data_url_of("image/webp", &bytes, &mut html);
        html.push_str("\">");
        Ok(html)
    }

    fn __repr__(&self) -> String {
        format!("<Clip {:?}, {} s>", self.name(), self.length())
    }
}
