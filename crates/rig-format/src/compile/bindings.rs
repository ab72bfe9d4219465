//! The compiled bindings of a rig, while they are collected.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::{BoneId, Skeleton};
use bone_drawing::{BentPaint, ElementId, Leaf, NodeId, Posable, PosedArt, TrimmedStroke};
use bone_skin::{AffineBinding, PaintPatches, PathId, PosedDrawing, Puppet, Skin};
use kurbo::BezPath;

use super::assembly::{Assembled, Assembly};

use crate::doc::{PaintDoc, PaintOptionsDoc, Stroke};
use crate::span::Span;
use bone_rig::parts::{PaintMotionSource, PaintRule};

/// Which art follows which bones, while it is collected.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    pub(super) skin: Assembly,
    /// Elements of `Rigid` bindings with their bones, in the order of the document.
    pub(super) rigid: Vec<(ElementId, BoneId)>,
    /// The bone of each of them.
    pub(super) rigid_bones: BTreeMap<ElementId, BoneId>,
    /// Images and markers that follow as a whole, with the element that shows each.
    pub(super) carried: Vec<(ElementId, NodeId, AffineBinding)>,
    /// Paths that are posed point by point, in the order of the skin.
    pub(super) posed: Vec<PosedArt>,
    /// The paths of each element: one of a clip path or mask may be posed in several places.
    paths: BTreeMap<ElementId, Vec<PathId>>,
    /// How the paint of each of them follows.
    paint_options: Vec<PaintOptionsDoc>,
    /// Their patches, where their gradients bend.
    pub(super) patches: Vec<Option<Arc<PaintPatches>>>,
    /// Puppets, in the order of the document.
    pub(super) puppets: Vec<Arc<Puppet>>,
    /// Where each element was bound, even if the binding has other mistakes.
    pub(super) bound: BTreeMap<ElementId, Span>,
}

impl Bindings {
    /// None yet, to be compared with those of the skin before.
    pub(super) fn over_last(last: Assembled) -> Self {
        Self { skin: Assembly::new(last), ..Self::default() }
    }

    /// The same, to be compared with another skin.
    pub(super) fn over(&self, last: Assembled) -> Self {
        Self { skin: self.skin.over(last), ..self.clone() }
    }

    pub(super) fn path_of(&self, element: ElementId) -> Option<PathId> {
        self.paths_of(element).first().copied()
    }

    /// All paths of an element.
    pub(super) fn paths_of(&self, element: ElementId) -> &[PathId] {
        self.paths.get(&element).map_or(&[], Vec::as_slice)
    }

    /// The path that was bound last is posed point by point.
    pub(super) fn pose(
        &mut self,
        path: PathId,
        art: PosedArt,
        paint_options: &PaintOptionsDoc,
        patches: Option<Arc<PaintPatches>>,
    ) {
        // Clones, texts and markers have no vertices that a rig could name.
        if !matches!(art, PosedArt::Part(..)) {
            self.paths.entry(art.element()).or_default().push(path);
        }
        self.posed.push(art);
        self.paint_options.push(paint_options.clone());
        self.patches.push(patches);
    }

    /// The paths of which a part is stroked, with the pieces of those that are posed.
    pub(super) fn trims(&self, paths: &[ElementId], may_wrap: &[bool]) -> Vec<TrimmedStroke> {
        let trim = |(path, may_wrap): (&ElementId, &bool)| TrimmedStroke {
            path: *path,
            pieces: self.pieces(*path),
            may_wrap: *may_wrap,
        };
        paths.iter().zip(may_wrap).map(trim).collect()
    }

    /// The outline of a path at rest in the pieces that poses have; nothing of one that is not posed.
    pub(super) fn pieces(&self, path: ElementId) -> BezPath {
        let is_path = |art: &PosedArt| matches!(art, PosedArt::Path(own) if *own == path);
        let posed = self.posed.iter().position(is_path);
        // Each is a skin of one path.
        let skin = posed.and_then(|posed| self.skin.from(posed).first());
        skin.and_then(|(_, part)| PosedDrawing::new(part).paths().first().cloned()).unwrap_or_default()
    }

    /// The paths with patches.
    pub(super) fn bent_paints(&self) -> Vec<BentPaint> {
        let numbered = self.patches.iter().enumerate();
        let bent = numbered.filter_map(|(posed, it)| Some(BentPaint { posed, patches: it.as_ref()?.len() }));
        bent.collect()
    }

    /// An image or a marker follows as a whole.
    pub(super) fn carry(&mut self, leaf: &Leaf, carried: AffineBinding) {
        self.carried.push((leaf.owner, leaf.node, carried));
    }

    /// The nodes of what follows as a whole.
    pub(super) fn carried_nodes(&self) -> Vec<NodeId> {
        self.carried.iter().map(|(_, node, _)| *node).collect()
    }

    /// How the paint of each path that is posed point by point follows.
    pub(super) fn paints(&self, skin: &Skin, posable: &Posable, skeleton: &Skeleton) -> Vec<PaintRule> {
        let servers = posable.paint_servers();
        let paint_options = self.paint_options.iter().enumerate().zip(skin.paths());
        let rule = |((k, paint_options), path): ((usize, &PaintOptionsDoc), PathId)| {
            let fit = || skin.paint_fit(path);
            let paint = match &paint_options.paint {
                // Most paths have plain colours, and nothing is to be found out for them.
                _ if !servers[k] => PaintMotionSource::Still,
                PaintDoc::Still => PaintMotionSource::Still,
                PaintDoc::Follow => PaintMotionSource::Follow(fit()),
                PaintDoc::Bone(bone) => {
                    skeleton.find(&bone.value).map_or(PaintMotionSource::Still, PaintMotionSource::Bone)
                }
            };
            let uniform = paint_options.stroke.is_some_and(|stroke| stroke.value == Stroke::Uniform);
            PaintRule { paint, stroke: uniform.then(fit) }
        };
        paint_options.map(rule).collect()
    }
}
