//! Players: clips that fade and loop, inputs, what a program sets.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use bone_layer::Pixmap;
use bone_layer::drawing::{ElementId, ImageData, ImageFormat, PaintPart};
use bone_layer::kurbo::Point;
use bone_layer::motion::constraint::AttachmentPoint;
use bone_layer::render::{Background, Viewport};
use bone_player::{
    Handle, InputKind, InputValue, LayerOptions, NameError, PlayOptions, PlayRepeat, Playback,
    Player as Engine, PlayerError, PlayerEvent, PlayerScratch,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString};

use crate::detached;
use crate::errors::{plain, refused, unknown};
use crate::frame::Frame;
use crate::pose::BonePose;
use crate::rig::SharedRig;

thread_local! {
    /// The memory of a thread, for all players.
    static SCRATCH: RefCell<PlayerScratch> = RefCell::default();
}

/// What happened in a step.
#[pyclass(frozen, get_all, module = "bone_layer")]
pub struct Event {
    /// `loop`, `end`, `removed`, `marker`, `input`, `state`, `stuck` or `overflow`.
    kind: &'static str,
    /// Of a marker, an input or a state.
    name: Option<String>,
    /// The number of what plays.
    playback: Option<u64>,
    /// Of a loop how many times, of a marker its weight, of a state its layer.
    value: f64,
}

#[pymethods]
impl Event {
    fn __repr__(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" {name:?}")).unwrap_or_default();
        format!("<Event {}{name}>", self.kind)
    }
}

/// Plays the clips of a rig.
#[pyclass(frozen, module = "bone_layer")]
pub struct Player {
    shared: Arc<SharedRig>,
    engine: Mutex<Engine>,
}

impl Player {
    pub fn of(shared: Arc<SharedRig>) -> Self {
        Self { engine: Mutex::new(shared.character.player()), shared }
    }

    /// Calls the player with the memory of the thread, while other threads of Python run.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&mut Engine, &mut PlayerScratch) -> Result<T, PlayerError> + Send,
    ) -> PyResult<T> {
        let done = detached(py, || {
            let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
            SCRATCH.with_borrow_mut(|scratch| call(&mut engine, scratch))
        })?;
        done.map_err(|error| refused(&error))
    }

    fn found<T>(&self, py: Python<'_>, found: Result<T, NameError>) -> PyResult<T> {
        found.map_err(|error| unknown(py, &error))
    }

    fn element(&self, py: Python<'_>, name: &str) -> PyResult<ElementId> {
        self.found(py, self.shared.character.element(name))
    }
}

#[pymethods]
impl Player {
    /// Fades from what has played into a clip; the number of what plays.
    #[pyo3(signature = (clip, *, fade=0.0, speed=1.0, repeat=None, at=0.0))]
    fn play(
        &self,
        py: Python<'_>,
        clip: &Bound<'_, PyAny>,
        fade: f64,
        speed: f64,
        repeat: Option<&Bound<'_, PyAny>>,
        at: f64,
    ) -> PyResult<u64> {
        let key = self.shared.clip(py, clip)?;
        let repeat = match repeat {
            None => PlayRepeat::AsClip,
            Some(given) if given.is_instance_of::<PyString>() => match &*given.extract::<String>()? {
                "forever" => PlayRepeat::Forever,
                _ => return Err(PyValueError::new_err("`repeat` is None, \"forever\" or how many times")),
            },
            Some(given) => PlayRepeat::Times(given.extract()?),
        };
        let options = PlayOptions { fade, speed, repeat, at };
        self.with(py, |player, _| player.play(key, options)).map(Playback::number)
    }

    /// Puts a clip above all others, for some bones and all below them; the number of what plays.
    #[pyo3(signature = (clip, *, add=false, bones=None, weight=1.0, fade=0.0))]
    fn layer(
        &self,
        py: Python<'_>,
        clip: &Bound<'_, PyAny>,
        add: bool,
        bones: Option<Vec<String>>,
        weight: f64,
        fade: f64,
    ) -> PyResult<u64> {
        use bone_layer::motion::clip::LayerBlend;
        let key = self.shared.clip(py, clip)?;
        let bones: Option<Vec<_>> = bones
            .map(|names| names.iter().map(|name| self.found(py, self.shared.character.bone(name))).collect())
            .transpose()?;
        let blend = if add { LayerBlend::Add } else { LayerBlend::Replace };
        let options = LayerOptions { blend, bones: bones.as_deref(), weight, fade };
        self.with(py, |player, _| player.layer(key, options)).map(Playback::number)
    }

    /// Fades from what has played into a state machine.
    #[pyo3(signature = (machine, *, fade=0.0))]
    fn start(&self, py: Python<'_>, machine: &str, fade: f64) -> PyResult<()> {
        let key = self.found(py, self.shared.character.machine(machine))?;
        self.with(py, |player, _| player.start(key, fade))
    }

    /// The state of a layer of the machine that runs.
    #[pyo3(signature = (layer=0))]
    fn state(&self, layer: usize) -> Option<String> {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        let state = engine.state(layer)?;
        self.shared.character.states().nth(state.index()).map(|state| state.name.clone())
    }

    /// Fades from what has played into the setup pose.
    #[pyo3(signature = (*, fade=0.0))]
    fn rest(&self, py: Python<'_>, fade: f64) -> PyResult<u64> {
        self.with(py, |player, _| player.rest(fade)).map(Playback::number)
    }

    /// Fades out what plays.
    #[pyo3(signature = (playback, *, fade=0.0))]
    fn stop(&self, py: Python<'_>, playback: u64, fade: f64) -> PyResult<()> {
        self.with(py, |player, _| player.stop(Playback::from_number(playback), fade))
    }

    /// Moves what plays to a time of its clip.
    fn seek(&self, py: Python<'_>, playback: u64, time: f64) -> PyResult<()> {
        self.with(py, |player, _| player.seek(Playback::from_number(playback), time))
    }

    /// Sets how many seconds of a clip play in a second; below 0 it plays backwards.
    fn set_speed(&self, py: Python<'_>, playback: u64, speed: f64) -> PyResult<()> {
        self.with(py, |player, _| player.set_speed(Playback::from_number(playback), speed))
    }

    /// Sets the weight of a layer, from 0 to 1.
    fn set_weight(&self, py: Python<'_>, playback: u64, weight: f64) -> PyResult<()> {
        self.with(py, |player, _| player.set_weight(Playback::from_number(playback), weight))
    }

    /// The time of what plays in its clip; none if it has ended.
    fn time(&self, playback: u64) -> Option<f64> {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        engine.time(Playback::from_number(playback))
    }

    /// Advances everything by some seconds; what happened.
    fn step(&self, py: Python<'_>, seconds: f64) -> PyResult<Vec<Event>> {
        let events = self.with(py, |player, scratch| {
            player.step(seconds, scratch)?;
            Ok(player.events().to_vec())
        })?;
        Ok(events.iter().map(|event| self.event(*event)).collect())
    }

    /// Poses a moment of a clip as `render-frames` draws it, with what is set on top.
    fn exact(&self, py: Python<'_>, clip: &Bound<'_, PyAny>, time: f64) -> PyResult<()> {
        let key = self.shared.clip(py, clip)?;
        self.with(py, |player, scratch| player.exact(key, time, scratch))
    }

    /// Sets an input: a number, a bool, or a place on the canvas. None gives it back to the clips.
    fn set_input(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = self.found(py, self.shared.character.input(name))?;
        let is_place =
            self.shared.character.inputs().get(input.index()).is_some_and(|it| it.kind == InputKind::Target);
        let value = match is_place {
            _ if value.is_none() => InputValue::Rest,
            true => InputValue::Point(Point::from(value.extract::<(f64, f64)>()?)),
            false => InputValue::Number(match value.cast::<PyBool>() {
                Ok(flag) => f64::from(u8::from(flag.is_true())),
                Err(_) => value.extract()?,
            }),
        };
        self.with(py, |player, _| player.set_input(input, value))
    }

    /// Sets a trigger, which counts in the next step.
    fn fire(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let input = self.found(py, self.shared.character.input(name))?;
        self.with(py, |player, _| player.fire(input))
    }

    /// Sets the colour of all shapes in an element: as CSS writes it, or red, green, blue and alpha from 0 to 1. None
    /// gives back what the clips have.
    #[pyo3(signature = (element, color, *, part="fill"))]
    fn set_color(&self, py: Python<'_>, element: &str, color: &Bound<'_, PyAny>, part: &str) -> PyResult<()> {
        let part = match part {
            "fill" => PaintPart::Fill,
            "stroke" => PaintPart::Stroke,
            _ => return Err(PyValueError::new_err("`part` is \"fill\" or \"stroke\"")),
        };
        let color = match color {
            none if none.is_none() => None,
            text if text.is_instance_of::<PyString>() => {
                let parsed = Background::parse(&text.extract::<String>()?);
                let parsed = parsed.map_err(|error| PyValueError::new_err(error.to_string()))?;
                Some(parsed.map_or([0.0; 4], |color| color.rgba.map(|level| f32::from(level) / 255.0)))
            }
            levels => Some(levels.extract::<[f32; 4]>()?),
        };
        let element = self.element(py, element)?;
        self.with(py, |player, _| player.set_color(element, part, color))
    }

    /// Sets the words of a text, to some that the clips show. None gives it back to the clips.
    fn set_text(&self, py: Python<'_>, element: &str, words: Option<&str>) -> PyResult<()> {
        let element = self.element(py, element)?;
        self.with(py, |player, _| player.set_text(element, words))
    }

    /// Sets the picture of all images in an element: a PNG, JPEG, GIF or WebP file. None gives back the drawing's own.
    fn set_image(&self, py: Python<'_>, element: &str, file: Option<Vec<u8>>) -> PyResult<()> {
        let element = self.element(py, element)?;
        let image = file.map(|bytes| {
            let format = match bytes.as_slice() {
                [0x89, b'P', b'N', b'G', ..] => ImageFormat::Png,
                [0xff, 0xd8, 0xff, ..] => ImageFormat::Jpeg,
                [b'G', b'I', b'F', b'8', ..] => ImageFormat::Gif,
                [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => ImageFormat::Webp,
                _ => return Err(PyValueError::new_err("the picture is no PNG, JPEG, GIF or WebP file")),
            };
            Ok(ImageData { format, bytes: Arc::new(bytes) })
        });
        let image = image.transpose()?;
        self.with(py, |player, _| player.set_image(element, image.as_ref()))
    }

    /// Leaves an element out, or shows it. None gives back what the clips have.
    fn set_visible(&self, py: Python<'_>, element: &str, on: Option<bool>) -> PyResult<()> {
        let element = self.element(py, element)?;
        self.with(py, |player, _| player.set_visible(element, on))
    }

    /// Puts outfits on, in this order. None gives back what the rig wears by itself.
    fn wear(&self, py: Python<'_>, outfits: Option<Vec<String>>) -> PyResult<()> {
        let places: Option<Vec<usize>> = outfits
            .map(|names| {
                names.iter().map(|name| self.found(py, self.shared.character.outfit(name))).collect()
            })
            .transpose()?;
        self.with(py, |player, _| player.wear(places.as_deref()))
    }

    /// A bone in the last moment: the numbers of its matrix to the canvas, as SVG has them.
    fn bone(&self, py: Python<'_>, name: &str) -> PyResult<(f64, f64, f64, f64, f64, f64)> {
        let bone = self.found(py, self.shared.character.bone(name))?;
        let matrix = self.with(py, |player, _| player.bone(bone).ok_or(PlayerError::OtherCharacter))?;
        let [a, b, c, d, e, f] = matrix.as_coeffs();
        Ok((a, b, c, d, e, f))
    }

    /// Sets a bone on top of the clips. None gives it back.
    fn set_bone(&self, py: Python<'_>, name: &str, pose: Option<Bound<'_, BonePose>>) -> PyResult<()> {
        let pose = pose.map(|pose| pose.get().of());
        let bone = self.found(py, self.shared.character.bone(name))?;
        self.with(py, |player, _| player.set_bone(bone, pose))
    }

    /// Brings the tip of a bone to a place on the canvas, by so many bones, in the setup pose or in an exact moment;
    /// where the tip is now.
    #[pyo3(signature = (bone, x, y, *, chain=2))]
    fn drag(&self, py: Python<'_>, bone: &str, x: f64, y: f64, chain: usize) -> PyResult<(f64, f64)> {
        let bone = self.found(py, self.shared.character.bone(bone))?;
        let handle = Handle::Tip { bone, point: AttachmentPoint::Tip, chain };
        self.with(py, |player, scratch| player.drag(handle, Point::new(x, y), scratch)).map(Into::into)
    }

    /// The element in front at a point of the canvas, or no farther from it than `reach`.
    #[pyo3(signature = (x, y, reach=0.0))]
    fn hit(&self, py: Python<'_>, x: f64, y: f64, reach: f64) -> PyResult<Option<String>> {
        let hit = self.with(py, |player, scratch| Ok(player.hit(Point::new(x, y), reach, scratch)))?;
        Ok(hit.map(|element| self.shared.rig().art().address(element)))
    }

    /// The box of what is painted on the canvas: left, top, right, bottom.
    #[pyo3(signature = (element=None))]
    fn bounds(&self, py: Python<'_>, element: Option<&str>) -> PyResult<Option<(f64, f64, f64, f64)>> {
        let of = element.map(|name| self.element(py, name)).transpose()?;
        let found = self.with(py, |player, scratch| Ok(player.bounds(of, scratch)))?;
        Ok(found.map(|found| (found.x0, found.y0, found.x1, found.y1)))
    }

    /// Draws the last moment.
    #[pyo3(signature = (*, size=None, scale=None, background=None, premultiplied=false, out=None))]
    #[allow(clippy::too_many_arguments, reason = "they have names in Python")]
    fn render<'py>(
        &self,
        py: Python<'py>,
        size: Option<(u32, u32)>,
        scale: Option<f64>,
        background: Option<&str>,
        premultiplied: bool,
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = self.shared.draw_options(size, scale, background, premultiplied)?;
        let frame = options.frame;
        let view = Viewport::fit(self.shared.rig().posable().drawing(), &frame);
        let drawn = self.with(py, |player, scratch| {
            let Some(mut pixels) = Pixmap::new(frame.size.width(), frame.size.height()) else {
                return Ok(Err("there is no memory for a frame".to_owned()));
            };
            let drawn = player.draw_into(scratch, &view, pixels.data_mut());
            Ok(drawn.map(|_| pixels).map_err(|error| error.to_string()))
        })?;
        Frame::of(drawn.map_err(plain)?, premultiplied).into_python(py, out, drop)
    }
}

impl Player {
    fn event(&self, event: PlayerEvent) -> Event {
        let new = |kind, name, of: Option<Playback>, value| Event {
            kind,
            name,
            playback: of.map(Playback::number),
            value,
        };
        match event {
            PlayerEvent::Looped { of, times } => new("loop", None, Some(of), f64::from(times)),
            PlayerEvent::Ended { of } => new("end", None, Some(of), 0.0),
            PlayerEvent::Removed { of } => new("removed", None, Some(of), 0.0),
            PlayerEvent::Marker { of, event, weight } => {
                let name = self.shared.rig().events().get(event.index()).map(|event| event.name.clone());
                new("marker", name, Some(of), weight)
            }
            PlayerEvent::Input { input } => {
                let name = self.shared.character.inputs().get(input.index()).map(|input| input.name.clone());
                new("input", name, None, 0.0)
            }
            PlayerEvent::State { layer, state } => {
                let name = self.shared.character.states().nth(state.index()).map(|state| state.name.clone());
                new("state", name, None, layer as f64)
            }
            PlayerEvent::Stuck { layer } => new("stuck", None, None, layer as f64),
            _ => new("overflow", None, None, 0.0),
        }
    }
}
