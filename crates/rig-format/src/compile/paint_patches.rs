//! Gradients that bend with their art: the patches in which they are painted.

use std::sync::Arc;

use bone_core::Skeleton;
use bone_drawing::{Outline, Paint, PosedArt};
use bone_skin::{CoveredShape, InnerWeights, PaintPatches, Skin};

use super::bind::{Requests, winding_rule};
use super::compute::SkinDetail;
use super::pass::Pass;
use super::plan::PlannedBinding;
use crate::doc::{FoundWeights, PaintDoc};

/// How far the colour of a patch may be off in bends of about 100 degrees, in levels of 8 bits.
const LEVELS: f64 = 0.7;

impl Pass<'_> {
    /// The patches of a path whose gradients bend visibly; none for others.
    pub(super) fn patches(
        &self,
        art: &PosedArt,
        part: &Skin,
        (origin, requests): (&PlannedBinding<'_>, &Requests),
        skeleton: &Skeleton,
    ) -> Option<Arc<PaintPatches>> {
        // On a lattice gradients follow by one affine map.
        if self.how.detail != SkinDetail::Outlines
            || self.warp_of(art).is_some()
            || origin.paint().1.paint != PaintDoc::Follow
        {
            return None;
        }
        let outline = match art {
            PosedArt::Path(element) => self.art.outline(*element)?,
            PosedArt::Part(_, node) => self.art.part_outline(*node)?,
            PosedArt::Stencil(_) => return None,
        };
        let tolerance = LEVELS / self.steepness(&outline)?;
        let tracks;
        let (weights, blend) = match origin {
            PlannedBinding::Rigid { .. } => return None,
            PlannedBinding::Smooth { smooth, field, .. } => {
                let blend = self.bind_options(&smooth.follow, skeleton).blend;
                match requests.solved.get(*field) {
                    Some(Some(Ok((field, _)))) if smooth.found_weights() != FoundWeights::Vertices => {
                        (InnerWeights::Field(field.as_ref()), blend)
                    }
                    _ => (InnerWeights::Outline(part, &[]), blend),
                }
            }
            PlannedBinding::Explicit { element, rest, blend, .. } => {
                tracks = self.tracks_of(*element, rest.len(), skeleton);
                (InnerWeights::Outline(part, &tracks), *blend)
            }
        };
        let fill = outline.even_odd.map(winding_rule);
        let shape = CoveredShape { path: &outline.path, fill, stroke_width: outline.stroke_width };
        PaintPatches::cut(&shape, weights, (blend, skeleton), tolerance).map(Arc::new)
    }

    /// The greatest change of colour along a unit of the canvas, of the gradients of a visible outline.
    fn steepness(&self, outline: &Outline) -> Option<f64> {
        let paints = [outline.fill, outline.stroke].into_iter().flatten().filter(|_| outline.visible);
        let steepness = paints.filter_map(|paint| match paint {
            Paint::Gradient(id) => self.art.gradient(id)?.steepness(outline.local_to_canvas),
            Paint::Color(_) | Paint::Pattern(_) => None,
        });
        steepness.max_by(f64::total_cmp)
    }
}
