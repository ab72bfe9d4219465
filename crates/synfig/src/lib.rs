//! Files of Synfig Studio as a drawing and a rig. A file is read into canvases, layers and value nodes; the layers are
//! evaluated at each frame; what is the same in all frames is drawn, what changes is keyed.
//!
//! ```
//! use bone_synfig::{SynfigOptions, import};
//!
//! let film = r#"<canvas version="1.2" width="80" height="60" view-box="-4 3 4 -3" gamma-r="1" fps="24" end-time="1s">
//!   <layer type="circle" active="true" desc="ball">
//!     <param name="color"><color><r>1</r><g>0</g><b>0</b><a>1</a></color></param>
//!     <param name="radius"><real value="1"/></param>
//!     <param name="origin"><animated type="vector">
//!       <waypoint time="0s" before="linear" after="linear"><vector><x>-2</x><y>0</y></vector></waypoint>
//!       <waypoint time="1s" before="linear" after="linear"><vector><x>2</x><y>0</y></vector></waypoint>
//!     </animated></param>
//!   </layer>
//! </canvas>"#;
//! let made = import("ball.sif", film.as_bytes(), &SynfigOptions::new("ball.svg", "ball"), &mut |_| Err(String::new()))?;
//! assert!(made.svg.contains("fill=\"#ff0000\""));
//! assert!(made.rig.contains("origin_x: [(0, 20), (1, 60)]") || made.rig.contains("origin_x: [(0, 20, Linear), (1, 60)]"));
//! assert!(made.losses.is_empty());
//! # Ok::<(), bone_synfig::SynfigError>(())
//! ```

// What tests, benches and examples use is checked by the test of the manifests.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod bands;
mod bones;
mod carriers;
mod contours;
mod curves;
mod cuts;
mod document;
mod effects;
mod error;
mod evaluate;
mod film;
mod gradients;
mod images;
mod ink;
mod keys;
mod layers;
mod light;
mod outlines;
mod paths;
mod read;
mod scene;
mod shapes;
mod spline;
mod svg;
mod texts;
mod unpack;
mod value;

use bone_format::write::{Digits, write};

pub use error::SynfigError;
use evaluate::Evaluator;
use film::FilmWriter;
use keys::FilmTimes;
use layers::SceneBuilder;

/// Most frames of a film: more are too much to be kept.
const MAX_FRAMES: usize = 5000;
/// Most points of all frames together.
const MAX_WORK: usize = 40_000_000;

/// How a file becomes a rig.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SynfigOptions {
    /// The drawing, as the rig names it.
    pub drawing: String,
    /// The name of the clip.
    pub clip: String,
}

impl SynfigOptions {
    /// The names of drawing and clip.
    pub fn new(drawing: &str, clip: &str) -> Self {
        Self { drawing: drawing.to_owned(), clip: clip.to_owned() }
    }
}

/// A drawing and its rig.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SynfigImport {
    /// The text of the drawing.
    pub svg: String,
    /// The text of the rig.
    pub rig: String,
    /// What was left out, each with its line.
    pub losses: Vec<String>,
    /// What there is, and the share that was kept.
    pub summary: String,
}

/// Makes a drawing and a rig of a file. `open` reads the files of the folder that it takes canvases from.
///
/// # Errors
/// The file is none of Synfig, is broken, or is too large.
pub fn import(
    file: &str,
    bytes: &[u8],
    options: &SynfigOptions,
    open: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<SynfigImport, SynfigError> {
    let document = read::document(file, bytes, open)?;
    let page = document.page.clone();
    // Whole frames, the last one included.
    let count = ((page.end - page.begin) * page.fps + 1e-6).floor() as usize + 1;
    if count > MAX_FRAMES {
        let message = format!("the film has {count} frames, and {MAX_FRAMES} are the most");
        return Err(
            SynfigError::new(file, message).help("set a shorter time in the properties of the canvas")
        );
    }
    let times = FilmTimes {
        begin: page.begin,
        end: page.end,
        frames: (0..count).map(|frame| frame as f64 / page.fps).collect(),
    };
    let builder = SceneBuilder::new(Evaluator::new(&document));
    let mut frames = Vec::new();
    // The first round finds what changes its kind from frame to frame.
    for round in 0..2 {
        let mut work = 0;
        frames.clear();
        for time in &times.frames {
            let frame = builder.frame(page.begin + time);
            work += weight(&frame);
            if builder.is_exhausted() || work > MAX_WORK {
                return Err(SynfigError::new(file, "the film has more in it than can be imported")
                    .help("import a part of its layers, or a shorter time"));
            }
            if round == 1 {
                frames.push(frame);
            }
        }
    }
    let mut writer = FilmWriter::new(&builder, times, &options.clip);
    writer.film(&frames);
    let (doc, comments, svg) = writer.rig(&options.drawing, page.fps);
    for (node, what) in builder.evaluator.unknown.borrow().iter() {
        let place = document.nodes.get(*node).map(|node| node.place).unwrap_or_default();
        builder.notes.borrow_mut().insert((place, what.clone()));
    }
    for (place, name) in &document.lost {
        let what = format!("\"{name}\", which is not exported, or not in the folder of the file");
        builder.notes.borrow_mut().insert((*place, what));
    }
    let notes = builder.notes.borrow();
    let losses: Vec<String> =
        notes.iter().map(|(place, what)| format!("{}: {what}", document.shown(*place))).collect();
    let layers: usize = document.canvases.iter().map(|canvas| canvas.layers.len()).sum();
    let kept = builder.drawn.borrow().len();
    let mut top = format!("Made from {file}: {kept} of {layers} layers.");
    if page.gamma != 1.0 {
        top += "\nColours of Synfig blend in linear light, and here in sRGB: soft edges and what is translucent differ.";
    }
    if !losses.is_empty() {
        top += "\nLeft out:\n";
        top += &losses.join("\n");
    }
    let summary = format!(
        "{kept} of {layers} layers, {count} frames, {} bones, {} left out",
        doc.bones.len(),
        losses.len()
    );
    let digits = Digits { places: 3, times: 4, shares: 4 };
    Ok(SynfigImport { rig: write(&doc, &comments.top(&top), digits), svg, losses, summary })
}

/// How much memory items take, in points.
fn weight(items: &[scene::SceneItem]) -> usize {
    let mut stack: Vec<&scene::SceneItem> = items.iter().collect();
    let mut sum = 0;
    while let Some(item) = stack.pop() {
        sum += 4 + film::shape_of(item).map_or(0, |shape| shape.path.elements().len());
        stack.extend(item.children());
    }
    sum
}
