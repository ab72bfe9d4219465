//! `plot`: the movement of bones over time as a picture, for looking at curves.

use std::io::{Write as _, stderr};
use std::path::Path;
use std::sync::Arc;

use ::render::{Encoding, FrameContent, FrameName, FrameOptions, FrameSink, FrameSize, NumberedFiles};
use ::render::{Pixmap, Raster, Resources, fontdb};
use rig::diagnostic::nearest;
use rig::plot::{Plot, Wanted};
use rig::span::Sources;
use rig::{Disk, Loaded, Scene, SceneClip, load, system_fonts};

use crate::args;
use crate::exit::Exit;
use crate::report;

/// The families that the labels ask for.
const FAMILIES: [fontdb::Family<'_>; 4] = [
    fontdb::Family::Name("DejaVu Sans"),
    fontdb::Family::Name("Verdana"),
    fontdb::Family::Name("Arial"),
    fontdb::Family::Name("Helvetica"),
];

pub(crate) fn run(args: &args::Plot) -> Exit {
    let Loaded { scene, diagnostics, sources, .. } = load(&args.rig, Arc::new(Disk), &system_fonts);
    report::show(&diagnostics, &sources, scene.is_none());
    let Some(scene) = scene else {
        complain(&format!("{}: {}", args.rig.display(), report::count(&diagnostics)));
        return Exit::Mistakes;
    };
    let plot = match plot(args, &scene, &sources) {
        Ok(plot) => plot,
        Err(words) => {
            complain(&format!("{words}\n\n`render-frames plot --help` tells more."));
            return Exit::Usage;
        }
    };
    match write(args, &plot) {
        Ok(()) => Exit::Fine,
        Err(words) => {
            complain(&words);
            Exit::Failed
        }
    }
}

fn plot(args: &args::Plot, scene: &Scene, sources: &Sources) -> Result<Plot, String> {
    if !is_png(&args.output) && !has_ending(&args.output, "svg") {
        return Err(format!("a plot is an .svg or a .png, and {} is neither", args.output.display()));
    }
    let same = |name: &str| {
        Path::new(name).canonicalize().is_ok_and(|path| args.output.canonicalize().is_ok_and(|to| to == path))
    };
    if sources.names().any(same) {
        return Err(format!("{} is what the plot is made from: choose another name", args.output.display()));
    }
    let clip = clip(args.clip.as_deref(), scene)?;
    let skeleton = scene.skeleton();
    let mut bones = Vec::with_capacity(args.bones.len());
    for name in &args.bones {
        let names = || skeleton.bones().map(|bone| skeleton.name(bone));
        bones.push(skeleton.find(name).ok_or_else(|| match nearest(name, names()) {
            Some(near) => format!("the rig has no bone called \"{name}\"; did you mean \"{near}\"?"),
            None => format!("the rig has no bone called \"{name}\""),
        })?);
    }
    let wanted = Wanted { bones: &bones, channel: args.channel.0 };
    Plot::new(scene, clip, wanted).map_err(|error| match error {
        rig::plot::PlotError::Still { .. } => {
            format!("\"{}\" moves nothing of what is to be plotted: {error}", clip.name())
        }
        _ => format!("{error}: choose with --bone and --channel"),
    })
}

fn clip<'s>(name: Option<&str>, scene: &'s Scene) -> Result<&'s SceneClip, String> {
    let Some(name) = name else {
        return scene.clips().first().ok_or_else(|| "the rig has no clips, so nothing moves".to_owned());
    };
    scene.clip(name).ok_or_else(|| match nearest(name, scene.clips().iter().map(SceneClip::name)) {
        Some(near) => format!("the rig has no clip called \"{name}\"; did you mean \"{near}\"?"),
        None => {
            let names: Vec<String> =
                scene.clips().iter().map(|clip| format!("\"{}\"", clip.name())).collect();
            let has = if names.is_empty() { "no clips at all".to_owned() } else { names.join(", ") };
            format!("the rig has no clip called \"{name}\"; it has {has}")
        }
    })
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn is_png(path: &Path) -> bool {
    has_ending(path, "png")
}

fn write(args: &args::Plot, plot: &Plot) -> Result<(), String> {
    if let Some(folder) = args.output.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("the folder {} cannot be made: {error}", folder.display()))?;
    }
    let name = args.output.clone();
    let sink = NumberedFiles::with(move |_| name.clone());
    let name = FrameName { number: 0 };
    let written = if is_png(&args.output) {
        let pixmap = pixels(plot, args.scale)?;
        sink.write(name, FrameContent::Pixels(&pixmap))
    } else {
        sink.encoded(Encoding::Svg).write(name, FrameContent::Svg(&plot.svg))
    };
    written.map(drop).map_err(|error| error.to_string())
}

fn pixels(plot: &Plot, scale: f64) -> Result<Pixmap, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let size = FrameSize::from_scale(plot.size, scale).map_err(|error| words(&error))?;
    let mut fonts = system_fonts();
    let query = fontdb::Query { families: &FAMILIES, ..fontdb::Query::default() };
    if fonts.query(&query).is_none() {
        // Any font is better than none.
        let family = fonts.faces().next().and_then(|face| Some(face.families.first()?.0.clone()));
        match family {
            Some(family) => fonts.set_sans_serif_family(family),
            None => complain("warning: there are no fonts here, so the plot has no words; an .svg has"),
        }
    }
    let raster = Raster::new(Resources { fonts: Arc::new(fonts), ..Resources::none() });
    let mut pixmap = Pixmap::new(size.width(), size.height()).ok_or("there is no memory for the plot")?;
    let options = FrameOptions { size, background: None };
    raster.draw(&plot.svg, &options, &mut pixmap).map_err(|error| words(&error))?;
    Ok(pixmap)
}

/// A line on standard error; nobody listening is no error.
fn complain(words: &str) {
    let _ = writeln!(stderr(), "{words}");
}
