//! What `sheet`, `onion` and `plot` share: a rig is loaded, a frame is drawn, a file is written.

use std::path::Path;
use std::sync::Arc;

use bone_drawing::Skipped;
use bone_format::doc::RigDoc;
use bone_format::load_drawing;
use bone_format::{Files, SkinDetail};
use bone_looks::overlay::{Layers, Overlay};
use bone_render::{
    Compress, Encoding, FrameContent, FrameName, FrameOptions, FrameSink as _, FrameSize, NumberedFiles,
    Pixmap, Raster, Resources, Viewport,
};
use bone_rig::{FrameState, Rig, RigClip};

use crate::args::{ResultFileArgs, WornRigArgs};
use crate::exit::Exit;
use crate::files::Inputs;
use crate::memory;
use crate::report::{self, print_line};
use crate::steps::{self, StepLog};

/// A rig without errors.
pub(crate) struct LoadedRig {
    pub(crate) scene: Rig,
    /// None for a packed rig.
    pub(crate) doc: Option<RigDoc>,
    pub(crate) inputs: Inputs,
}

/// Loads a rig, or a drawing without one, and reports its mistakes; with `json` also as JSON on standard
/// output.
pub(crate) fn open(
    rig: &Path,
    from: &WornRigArgs,
    detail: SkinDetail,
    warnings: bool,
    json: bool,
) -> Result<LoadedRig, Exit> {
    let files = Arc::new(from.files());
    let loaded = match has_ending(rig, "svg") {
        true => load_drawing(rig, Arc::clone(&files) as Arc<dyn Files>, &crate::fonts::fonts),
        false => steps::load(rig, Arc::clone(&files) as Arc<dyn Files>, detail, &mut StepLog::new(false)),
    };
    report::show(&loaded.diagnostics, &loaded.sources, warnings || loaded.rig.is_none());
    match loaded.rig {
        Some(mut scene) => match from.wear(&mut scene) {
            Ok(()) => Ok(LoadedRig { scene, doc: loaded.doc, inputs: files.inputs() }),
            Err(message) => Err(Exit::Usage.because(message)),
        },
        None => {
            if json {
                let json = bone_live::describe::findings(&loaded.diagnostics, &loaded.sources);
                // A full disk is reported; the exit code is that of the mistakes.
                report::print_result(format!("{json:#}\n"));
            }
            print_line(&format!("{}: {}", rig.display(), report::count(&loaded.diagnostics)));
            Err(Exit::Mistakes)
        }
    }
}

/// What is drawn unless another clip is asked for: the film of a scene, or else the first clip.
pub(crate) fn usual_clip(scene: &Rig) -> Option<&RigClip> {
    scene.clip(bone_format::FILM).or(scene.clips().first())
}

/// The clip or shot with this name; without a name the usual one, or `None` if the rig has no clips.
pub(crate) fn clip<'s>(name: Option<&str>, scene: &'s Rig) -> Result<Option<&'s RigClip>, String> {
    let Some(name) = name else { return Ok(usual_clip(scene)) };
    let names = scene.clips().iter().map(RigClip::name);
    scene.clip(name).map(Some).ok_or_else(|| report::not_called("clip", name, names))
}

/// Returns an error for files that are neither .png nor .svg, and for the inputs of the picture.
pub(crate) fn check_output(
    output: &Path,
    existing: ResultFileArgs,
    inputs: &Inputs,
    what: &str,
) -> Result<(), String> {
    if !is_png(output) && !has_ending(output, "svg") {
        return Err(format!("a {what} is an .svg or a .png, and {} is neither", output.display()));
    }
    inputs.check(output, what)?;
    existing.allow(output)
}

pub(crate) fn is_png(path: &Path) -> bool {
    has_ending(path, "png")
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// Writes a picture and creates its folder.
pub(crate) fn write(output: &Path, content: FrameContent<'_>) -> Result<(), String> {
    if let Some(folder) = output.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("the folder {} cannot be created: {error}", folder.display()))?;
    }
    let name = output.to_owned();
    let encoding = match content {
        FrameContent::Svg(_) => Encoding::Svg,
        _ => Encoding::Png(Compress::Balanced),
    };
    let sink = NumberedFiles::with(move |_| name.clone()).encoded(encoding);
    sink.write(FrameName { number: 0 }, content).map(drop).map_err(|error| error.to_string())
}

/// A renderer for generated drawings. Fonts are loaded only if text needs them.
pub(crate) fn raster_for(svg: &str) -> Raster {
    if !svg.contains("<text") {
        return Raster::default();
    }
    let fonts = crate::fonts::fonts();
    if fonts.is_empty() {
        print_line("warning: no fonts were found, so some text is not in the picture; an .svg contains it");
    }
    Raster::new(Resources { fonts: Arc::new(fonts), ..Resources::none() })
}

/// A generated drawing as pixels.
pub(crate) fn pixels(svg: &str, size: FrameSize) -> Result<Pixmap, String> {
    let mut pixmap = blank(size)?;
    let options = FrameOptions { size, background: None };
    raster_for(svg).draw(svg, &options, &mut pixmap).map_err(|error| error.to_string())?;
    Ok(pixmap)
}

pub(crate) fn blank(size: FrameSize) -> Result<Pixmap, String> {
    memory::jobs_that_fit(size, 1)?;
    Pixmap::new(size.width(), size.height()).ok_or_else(|| "there is no memory for the picture".to_owned())
}

/// The overlay with these layers.
pub(crate) fn overlay(
    layers: Option<&Layers>,
    scene: &Rig,
    doc: Option<&RigDoc>,
) -> Result<Option<Overlay>, String> {
    let Some(layers) = layers else { return Ok(None) };
    let doc = doc.ok_or("--overlay needs the rig file: a packed rig does not have what was typed")?;
    Overlay::new(scene, doc, layers.clone()).map(Some).map_err(|error| error.to_string())
}

/// The view of the whole drawing in a picture of this size.
fn whole(scene: &Rig, size: FrameSize) -> Viewport {
    Viewport::fit(scene.art(), &FrameOptions { size, background: None })
}

/// Draws an overlay over a drawn frame.
pub(crate) fn draw_over(
    overlay: &Overlay,
    scene: &Rig,
    state: &FrameState,
    view: &Viewport,
    pixmap: &mut Pixmap,
) -> Result<(), String> {
    let svg = overlay.svg(scene, state, view);
    raster_for(&svg).draw_over(&svg, pixmap).map_err(|error| error.to_string())
}

/// Draws frames one after the other.
pub(crate) struct PictureRenderer<'s> {
    scene: &'s Rig,
    overlay: Option<Overlay>,
    pub(crate) state: FrameState,
    /// Whether it was reported that parts stayed at rest.
    has_warned: bool,
}

impl<'s> PictureRenderer<'s> {
    pub(crate) fn new(scene: &'s Rig, overlay: Option<Overlay>) -> Self {
        Self { scene, overlay, state: FrameState::new(scene), has_warned: false }
    }

    /// A frame as pixels.
    pub(crate) fn pixels(
        &mut self,
        clip: Option<&RigClip>,
        time: f64,
        options: &FrameOptions,
        pixmap: &mut Pixmap,
    ) -> Result<(), String> {
        self.pose(clip, time)?;
        let drawn = self.scene.draw(&mut self.state, options, pixmap).map_err(|error| error.to_string())?;
        self.warn(drawn.skipped != Skipped::default() || drawn.left_out > 0);
        self.cover(pixmap)
    }

    /// A frame as SVG, and its overlay for this size in pixels; the overlay may be empty.
    pub(crate) fn svg(
        &mut self,
        clip: Option<&RigClip>,
        time: f64,
        size: FrameSize,
    ) -> Result<(String, String), String> {
        self.pose(clip, time)?;
        let skipped = self.scene.write_svg(&mut self.state);
        self.warn(skipped != Skipped::default());
        let mut on_top = String::new();
        if let Some(overlay) = &self.overlay {
            overlay.write(self.scene, &self.state, &whole(self.scene, size), &mut on_top);
        }
        Ok((self.state.svg().to_owned(), on_top))
    }

    /// Draws the overlay of the last pose.
    pub(crate) fn cover(&self, pixmap: &mut Pixmap) -> Result<(), String> {
        match &self.overlay {
            Some(overlay) => {
                let size = FrameSize::new(pixmap.width(), pixmap.height());
                let view = whole(self.scene, size.map_err(|error| error.to_string())?);
                draw_over(overlay, self.scene, &self.state, &view, pixmap)
            }
            None => Ok(()),
        }
    }

    /// Adds the overlay of the last pose to an SVG of this size in pixels.
    pub(crate) fn cover_svg(&self, mut svg: String, size: FrameSize) -> String {
        if let (Some(overlay), Some(end)) = (&self.overlay, svg.rfind("</svg>")) {
            let mut on_top = String::new();
            overlay.write(self.scene, &self.state, &whole(self.scene, size), &mut on_top);
            svg.insert_str(end, &on_top);
        }
        svg
    }

    /// Reports once that parts stayed at rest.
    pub(crate) fn warn(&mut self, skipped: bool) {
        if skipped && !self.has_warned {
            self.has_warned = true;
            print_line(
                "warning: parts stayed at rest or were left out, because their numbers are too large or not numbers",
            );
        }
    }

    fn pose(&mut self, clip: Option<&RigClip>, time: f64) -> Result<(), String> {
        self.scene.pose(clip, time, &mut self.state).map_err(|error| error.to_string())
    }
}

/// The exit code of a command, after its errors are printed.
pub(crate) fn end(command: &str, done: Result<Result<(), String>, String>) -> Exit {
    match done {
        Ok(Ok(())) => Exit::Fine,
        Ok(Err(message)) => {
            print_line(&message);
            Exit::Failed
        }
        Err(message) => {
            print_line(&format!("{message}\n\n`render-frames {command} --help` prints more."));
            Exit::Usage
        }
    }
}
