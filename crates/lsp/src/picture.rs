//! Pictures in hovers: a piece of art by itself, or the rig at a moment of a clip, as a data URI for Markdown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bone_looks::shapes::isolated;
use bone_render::{Background, Compress, FrameOptions, FrameSize, Pixmap, PngEncoder, Raster};
use bone_rig::{FrameState, Rig};

/// What a picture shows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PictureOf {
    /// Art, by its name.
    Art(String),
    /// A clip at a time in seconds.
    Moment(String, f64),
}

/// Pictures are no larger than this, in pixels.
const LARGEST: (f64, f64) = (240.0, 180.0);
/// Editors print a longer address as text.
const LONGEST_URI: usize = 30_000;
/// Art is drawn for light paper, and hovers may be dark.
const PAPER: Background = Background { rgba: [255, 255, 255, 255] };

/// The address of a picture; none if there is nothing to show, or it is too large in any size.
pub(crate) fn picture(rig: &Rig, of: &PictureOf) -> Option<String> {
    [1.0, 0.5, 0.25].into_iter().find_map(|share| {
        let pixmap = match of {
            PictureOf::Art(name) => art(rig, name, share)?,
            PictureOf::Moment(clip, time) => moment(rig, clip, *time, share)?,
        };
        let mut png = Vec::new();
        PngEncoder::new().encode(&pixmap, Compress::Balanced, &mut png).ok()?;
        let uri = format!("data:image/png;base64,{}", STANDARD.encode(png));
        (uri.len() < LONGEST_URI).then_some(uri)
    })
}

fn art(rig: &Rig, name: &str, share: f64) -> Option<Pixmap> {
    let side = |side: f64| (side * share) as u32;
    let size = FrameSize::new(side(LARGEST.0), side(LARGEST.1)).ok()?;
    let svg = isolated(rig.art(), rig.art().find(name).ok()?, size)?;
    let mut pixmap = Pixmap::new(size.width(), size.height())?;
    let options = FrameOptions { size, background: Some(PAPER) };
    // Its texts are outlines.
    Raster::default().draw(&svg, &options, &mut pixmap).ok()?;
    Some(pixmap)
}

fn moment(rig: &Rig, clip: &str, time: f64, share: f64) -> Option<Pixmap> {
    let canvas = rig.art().size();
    let scale = (LARGEST.0 / canvas.width).min(LARGEST.1 / canvas.height);
    let size = FrameSize::from_scale(canvas, scale * share).ok()?;
    let mut state = FrameState::new(rig);
    rig.pose(Some(rig.clip(clip)?), time, &mut state).ok()?;
    let mut pixmap = Pixmap::new(size.width(), size.height())?;
    rig.draw(&mut state, &FrameOptions { size, background: Some(PAPER) }, &mut pixmap).ok()?;
    Some(pixmap)
}
