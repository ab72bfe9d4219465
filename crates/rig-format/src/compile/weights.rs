//! The weights of a binding for editing: the same paths, fields and rows that are compiled into the skin.

use std::sync::Arc;

use bone_core::Skeleton;
use bone_drawing::{Drawing, ElementId, PosedArt};
use bone_skin::edit::{vertex_weights_at_anchors, vertex_weights_of_field};
use bone_skin::{BLine, SkinBlend, SolvedField, VertexWeights, Weights};

use super::bind::posed_lines;
use super::compute::ComputeOptions;
use super::memory::CompileMemory;
use super::pass::Pass;
use super::stencils::ArtOutline;
use crate::diagnostic::Diagnostics;
use crate::doc::{BindingDoc, FoundWeights, RigDoc};
use crate::span::SourceId;

/// What a path follows before anything is changed.
#[derive(Clone, Debug)]
pub enum PathWeightSource {
    /// Weights that were found, for all paths of the binding.
    Found(Arc<SolvedField>),
    /// Typed rows.
    Typed(Vec<VertexWeights>),
}

impl PathWeightSource {
    /// The same as what binding takes.
    pub fn weights(&self) -> Weights<'_> {
        match self {
            Self::Found(field) => Weights::Field(field.as_ref()),
            Self::Typed(rows) => Weights::Explicit(rows),
        }
    }
}

/// A path of a binding, drawn or in what cuts, with a row a vertex.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PathWeights {
    /// The shape.
    pub art: PosedArt,
    /// Its outlines.
    pub lines: Vec<BLine>,
    /// Where its weights come from.
    pub before: PathWeightSource,
    /// The weights of each vertex.
    pub rows: Vec<VertexWeights>,
    /// How bones are blended.
    pub blend: SkinBlend,
}

/// The weights of all paths that a binding bends, in the order in which they are drawn, and behind them those
/// of the clip paths and masks that bend with them; none for art that is bound with `Rigid`. The rig must
/// have been compiled without errors.
pub fn weights_of(
    binding: &BindingDoc,
    (doc, art): (&RigDoc, &Drawing),
    skeleton: &Skeleton,
) -> Vec<PathWeights> {
    // Findings were reported when the rig was compiled.
    let mut ignored = Diagnostics::new();
    let mut memory = CompileMemory::default();
    let how = (ComputeOptions::ALONE, None);
    let mut pass = Pass::new((doc, art, SourceId::default()), &mut ignored, &mut memory, how);
    pass.weights(binding, skeleton).unwrap_or_default()
}

impl Pass<'_> {
    fn weights(&mut self, binding: &BindingDoc, skeleton: &Skeleton) -> Option<Vec<PathWeights>> {
        let mut elements: Vec<ElementId> =
            binding.names().iter().filter_map(|name| self.find(name)).collect();
        elements.sort_unstable();
        match binding {
            BindingDoc::Rigid(_) | BindingDoc::Puppet(_) => None,
            BindingDoc::Explicit(explicit) => {
                let (element, lines) = self.path(&explicit.art, *elements.first()?)?;
                let count = lines.iter().map(|line| line.vertices().len()).sum();
                let rows = self.vertex_weights(explicit, count, skeleton)?;
                let blend = self.bind_options(&explicit.follow, skeleton).blend;
                let (art, before) = (PosedArt::Path(element), PathWeightSource::Typed(rows.clone()));
                Some(vec![PathWeights { art, lines, before, rows, blend }])
            }
            BindingDoc::Smooth(smooth) => {
                let (art, cuts) = self.art_to_bind(smooth, &elements);
                let field = self.solved(smooth, (&art, &cuts), skeleton)?;
                let blend = self.bind_options(&smooth.follow, skeleton).blend;
                let at_vertices = smooth.found_weights() == FoundWeights::Vertices;
                let path = |(art, outline): ArtOutline| {
                    let lines = posed_lines(&outline);
                    if at_vertices {
                        let rows = vertex_weights_at_anchors(&lines, field.as_ref());
                        let before = PathWeightSource::Typed(rows.clone());
                        return PathWeights { art, lines, before, rows, blend };
                    }
                    let rows = vertex_weights_of_field(&lines, field.as_ref(), skeleton);
                    let before = PathWeightSource::Found(Arc::clone(&field));
                    PathWeights { art, lines, before, rows, blend }
                };
                Some(art.into_iter().chain(cuts).map(path).collect())
            }
        }
    }
}
