//! The data of the engine drawn over a frame: bones, names, vertices with their numbers, regions, weights,
//! the mesh of the weights, outlines, addresses of art, a grid. Sizes are in pixels of the frame, whatever
//! its scale; lines have halos, so that they are visible on any drawing. The state was posed before; of a
//! state of another rig only the grid is drawn.

mod art;
mod bones;
mod grid;
mod labels;
mod layers;
mod paths;
mod ramp;
mod vertices;
mod weights;
mod writer;

use std::fmt::Write as _;

use bone_render::{SvgView, Viewport};
use kurbo::Affine;

use bone_format::doc::RigDoc;
use bone_rig::{FrameState, Rig};

pub use layers::{Layers, LayersError};

use labels::Labels;
use weights::WeightLayer;
use writer::OverlayWriter;

/// An overlay for the frames of a rig.
#[derive(Debug)]
pub struct Overlay {
    layers: Layers,
    /// Weights, for a rig with so many bones.
    weighted: Option<(WeightLayer, usize)>,
}

/// A bone or art that an overlay names and the rig does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OverlayError {
    /// There is no bone of this name.
    NoBone {
        /// The name.
        name: String,
        /// One that is spelled nearly so.
        near: Option<String>,
    },
    /// There is no art of this name.
    NoArt {
        /// What was found instead.
        reason: String,
    },
}

impl std::fmt::Display for OverlayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoBone { name, near } => {
                write!(f, "the rig has no bone called \"{name}\"")?;
                near.as_ref().map_or(Ok(()), |near| write!(f, "; did you mean \"{near}\"?"))
            }
            Self::NoArt { reason } => f.write_str(reason),
        }
    }
}

impl std::error::Error for OverlayError {}

impl Overlay {
    /// An overlay with these layers. Weights and meshes are computed once, here.
    ///
    /// # Errors
    /// If the rig does not have a bone or art that the layers name.
    pub fn new(rig: &Rig, doc: &RigDoc, layers: Layers) -> Result<Self, OverlayError> {
        let skeleton = rig.skeleton();
        let bone = layers.weights.as_ref().map(|name| {
            skeleton.find(name).ok_or_else(|| {
                let names = skeleton.bones().map(|bone| skeleton.name(bone));
                let near = bone_format::diagnostic::nearest(name, names).map(str::to_owned);
                OverlayError::NoBone { name: name.clone(), near }
            })
        });
        if let Some(name) = &layers.vertices_of {
            rig.art().find(name).map_err(|error| OverlayError::NoArt { reason: error.to_string() })?;
        }
        let weighted = match (bone.transpose()?, layers.mesh) {
            (None, false) => None,
            (bone, _) => Some((WeightLayer::new(rig, doc, bone), skeleton.len())),
        };
        Ok(Self { layers, weighted })
    }

    /// Its layers.
    pub fn layers(&self) -> &Layers {
        &self.layers
    }

    /// Writes the overlay of a frame with this view: a group of an SVG whose unit is the pixel.
    pub fn write(&self, rig: &Rig, state: &FrameState, view: &Viewport, svg: &mut String) {
        let frame = view.picture();
        let seen = rig.camera(state).unwrap_or(Affine::IDENTITY);
        let to_pixels = view.transform * rig.art().canvas_to_output() * seen;
        let mut out = OverlayWriter { svg, to_pixels, frame, labels: Labels::new(frame) };
        out.svg.push_str("<g class=\"overlay\">\n");
        if self.layers.grid {
            grid::write(&mut out);
        }
        if !rig.owns_state(state) {
            out.svg.push_str("</g>\n");
            return;
        }
        if let Some((weighted, bones)) = &self.weighted
            && *bones == rig.skeleton().len()
        {
            weighted.write(state, &mut out, self.layers.mesh);
        }
        if self.layers.regions {
            bones::regions(rig, state, &mut out);
        }
        if self.layers.paths {
            paths::write(rig, state, &mut out);
        }
        if self.layers.bones {
            bones::write(rig, state, &mut out);
        }
        if self.layers.vertices {
            vertices::write(rig, state, self.layers.vertices_of.as_deref(), &mut out);
        }
        if self.layers.names {
            bones::names(rig, state, &mut out);
        }
        if self.layers.art {
            art::write(rig, state, &mut out);
        }
        out.svg.push_str("</g>\n");
    }

    /// The same as an SVG document.
    pub fn svg(&self, rig: &Rig, state: &FrameState, view: &Viewport) -> String {
        let (width, height) = (view.size.width(), view.size.height());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
        );
        self.write(rig, state, view, &mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// Adds it to this view of the posed drawing, as [`Rig::write_svg_view`] has written it, on top of
    /// everything.
    pub fn write_into(&self, rig: &Rig, state: &FrameState, view: &Viewport, posed: &str) -> String {
        let end = posed.rfind("</svg>").unwrap_or(posed.len());
        let mut svg = posed[..end].to_owned();
        if let Some(place) = SvgView::new(view, |_| false) {
            let moved = place.from_pixels != Affine::IDENTITY;
            if moved {
                let [a, b, c, d, e, f] = place.from_pixels.as_coeffs();
                let _ = writeln!(svg, "<g transform=\"matrix({a} {b} {c} {d} {e} {f})\">");
            }
            self.write(rig, state, view, &mut svg);
            svg.push_str(if moved { "</g>\n" } else { "" });
        }
        svg.push_str(&posed[end..]);
        svg
    }
}
