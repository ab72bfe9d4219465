//! Puppets as they were written.

use super::art::ArtNames;
use super::binding::{FollowDoc, FoundWeights, PaintOptionsDoc, SmoothDoc};
use crate::schema::types::{ARTS, BONES, EDGE, STARCH, TOLERANCE};
use crate::schema::{Title, WordType, record};
use crate::span::{Span, Spanned};
use bone_skin::{FoldRule, SkinBlend};

record! {
    /// A `Puppet` binding.
    pub struct PuppetDoc = "Puppet", Title::This("this binding"), "Puppet(art: \"cookie\", pins: [\"hand\", \"chest\"])" {
        /// The whole of it.
        span: Span,
    }
    seen |doc, span, _complete| doc.span = span;
    fields {
        /// What bends.
        req art: ArtNames = (ARTS, "\"cookie\"") also ["name", "element", "attachment", "slot"];
        /// The bones that hold it: points as pins, bones with a length as rods.
        req pins: Spanned<Vec<Spanned<String>>> = (BONES, "[\"hand\", \"chest\"]") also ["bones", "joints"];
        /// The length of the edges of its triangles, in units of the drawing.
        opt mesh: Spanned<f64> = (EDGE, "1/12 of the art's shorter side, for 150 to 400 vertices", "14");
        /// Art that keeps its shape within the puppet: so many times as stiff as the rest.
        def stiff: Vec<(Spanned<String>, Spanned<f64>)> = (STARCH, "none", "{\"left_arm\": 4}") also ["starch"];
        /// The largest distance of a posed outline from the exact one, at the drawing's own size.
        opt tolerance: Spanned<f64> = (TOLERANCE, "the rig's", "0.1");
        /// Where it is turned inside out; as in `Smooth`.
        opt folds: Spanned<FoldRule> = (FoldRule::TYPE, "the rig's", "Keep");
        /// How its paint follows.
        flat paint_options: PaintOptionsDoc = ();
    }
}

impl PuppetDoc {
    /// How its art follows the vertices of the mesh, which are its bones there.
    pub(crate) fn smooth(&self) -> SmoothDoc {
        let follow =
            FollowDoc { tolerance: self.tolerance, blend: Some(SkinBlend::Linear.into()), folds: self.folds };
        SmoothDoc {
            span: self.span,
            art: self.art.clone(),
            bones: Some(self.pins.clone()),
            weights: Some(FoundWeights::Own.into()),
            follow,
            paint_options: self.paint_options.clone(),
            ..SmoothDoc::default()
        }
    }
}
