//! The parts that a rig is built from, for programs that build rigs.

use std::sync::Arc;

use bone_core::clip::Driver;
use bone_core::spring::Springs;
use bone_core::{BoneId, Skeleton};
use bone_drawing::{BentPaint, Drawing, ElementId, MirroredFill, Posable};
use bone_skin::{
    AffineBinding, MirroredParts, Offsets, PaintPatches, PathId, PosedPatches, Puppet, PuppetScratch, Setups,
    Skin, SkinMatrices, Warps,
};
use kurbo::BezPath;

pub use crate::clip::ClipData;
pub use crate::constraints::{ConstraintState, ConstraintTracks, Constraints};
pub use crate::draw_order::{ArtTracks, Lane, NOTHING};
pub use crate::paint::{PaintMotionSource, PaintRule};

use crate::clip::RigClip;
use crate::draw_order::DrawOrder;
use crate::events::RigEvent;
use crate::machine::Machine;
use crate::outfit::Outfit;
use crate::property::Slider;

/// What a value of a bone, or a slider, changes: bones, vertices and art.
#[derive(Clone, Debug)]
pub struct RigDriver {
    /// The driving value and the driven bone values.
    pub motion: Driver,
    /// The slider that drives, by its place in [`DrawOrder::sliders`](crate::DrawOrder); none if a bone drives.
    pub slider: Option<usize>,
    /// The driven offsets of vertices.
    pub offsets: Offsets,
    /// The driven art.
    pub art: ArtTracks,
    /// Whether it is applied after the constraints.
    pub after_constraints: bool,
}

impl RigDriver {
    /// The driving value where nothing is keyed.
    pub fn at_rest(&self, sliders: &[Slider]) -> f64 {
        match (self.motion.source(), self.slider) {
            (Some((_, drive)), _) => drive.at_rest(),
            (None, slider) => slider.and_then(|slider| sliders.get(slider)).map_or(0.0, |slider| slider.rest),
        }
    }

    /// Whether it reads a bone that is known, or one of so many sliders.
    fn has_source(&self, is_known: impl Fn(BoneId) -> bool, sliders: usize) -> bool {
        match (self.motion.source(), self.slider) {
            (Some((bone, _)), None) => is_known(bone),
            (None, Some(slider)) => slider < sliders,
            _ => false,
        }
    }
}

/// Everything that a rig consists of. All ids are those of `drawing`, `skeleton` and `skin`. What is large is
/// shared, so that rigs that were compiled one after the other have it in common.
#[derive(Debug)]
pub struct RigParts {
    /// The drawing at rest.
    pub drawing: Arc<Drawing>,
    /// The same drawing with slots for everything that moves.
    pub posable: Posable,
    /// The bones at rest.
    pub skeleton: Skeleton,
    /// The bones that are points: their length is a size for drags and constraints alone.
    pub points: Vec<BoneId>,
    /// The outlines that are deformed by bones.
    pub skin: Arc<Skin>,
    /// The puppets, whose vertices have ids behind those of the bones.
    pub puppets: Vec<Arc<Puppet>>,
    /// The lattices, which bend outlines before the bones. Their parameters are the sliders.
    pub warps: Arc<Warps>,
    /// The elements that move rigidly with one bone each.
    pub rigid: Vec<ElementId>,
    /// The bone of each rigid element.
    pub rigid_bones: Vec<BoneId>,
    /// The images and markers that follow bones as a whole, with the element of each.
    pub carried: Vec<(ElementId, AffineBinding)>,
    /// The elements with deformed outlines, one for each path of the skin.
    pub posed: Vec<ElementId>,
    /// How each of them is painted.
    pub paints: Vec<PaintRule>,
    /// The patches of each shape whose gradients bend, as the posable drawing has them.
    pub patches: Vec<Arc<PaintPatches>>,
    /// The parts of each shape of which a part can be mirrored, as the posable drawing has them.
    pub mirrored: Vec<Arc<MirroredParts>>,
    /// The art whose visibility, opacity and draw order can change.
    pub draw_order: DrawOrder,
    /// The other shapes that paths take, as setup positions, in the order of [`DrawOrder::shapes`](crate::DrawOrder).
    pub shapes: Vec<Setups>,
    /// The drivers, in the order in which they are applied.
    pub drivers: Vec<RigDriver>,
    /// The constraints, in the order in which they are applied.
    pub constraints: Constraints,
    /// The bones with secondary motion.
    pub springs: Springs,
    /// The clips, then the sequences.
    pub clips: Vec<RigClip>,
    /// The state machines.
    pub machines: Vec<Machine>,
    /// The outfits.
    pub outfits: Vec<Outfit>,
    /// What is worn unless overrides say it, by places in `outfits`.
    pub worn: Vec<usize>,
    /// The names of the poses that its clips can have.
    pub poses: Vec<String>,
    /// The events of all clips.
    pub events: Vec<RigEvent>,
    /// Frames per second.
    pub fps: f64,
}

impl RigParts {
    /// Memory for the patches of all shapes.
    pub(crate) fn posed_patches(&self) -> PosedPatches {
        let paths = self.posable.bent_paints().iter().map(|bent| PathId::new(bent.posed as u32));
        PosedPatches::new(&self.skin, self.patches.iter().map(Arc::as_ref).zip(paths))
    }

    /// The number of vertices of all puppets.
    fn vertices(&self) -> usize {
        self.puppets.iter().map(|puppet| puppet.vertices()).sum()
    }

    /// Memory for the motions of bones and vertices.
    pub(crate) fn matrices(&self) -> SkinMatrices {
        let mut matrices = SkinMatrices::new(&self.skeleton);
        matrices.reserve(self.vertices());
        matrices
    }

    /// Memory for the puppets.
    pub(crate) fn puppet_scratch(&self) -> Vec<PuppetScratch> {
        self.puppets.iter().map(|puppet| PuppetScratch::new(puppet)).collect()
    }

    /// Memory for the parts of all shapes.
    pub(crate) fn posed_parts(&self) -> Vec<BezPath> {
        self.mirrored.iter().map(|parts| BezPath::with_capacity(parts.element_count())).collect()
    }

    /// Whether the ink of the drawing with slots is that of the rows.
    fn has_inks(&self) -> bool {
        let own = self.draw_order.inks.iter().map(|(path, values)| (*path, values.len()));
        self.posable.inks().iter().map(|ink| (ink.path, 2 * ink.profile.places.len())).eq(own)
    }

    /// Whether the lengths of all lists agree, all bones of rigid elements, paints, drivers and clips are in
    /// the skeleton, and all points of paints, drivers and clips in the skin.
    pub(crate) fn fit(&self) -> bool {
        let (rigid, posed) = self.posable.counts();
        let known = |bone: BoneId| self.skeleton.contains(bone);
        let moving = self.skeleton.len() + self.vertices();
        let moves = |bone: BoneId| bone.index() < moving;
        let constraints = self.constraints.constraints.len();
        let driver_fits = |driver: &RigDriver| {
            driver.has_source(known, self.draw_order.sliders.len()) && driver.motion.driven().all(known)
        };
        let bent = self.posable.bent_paints();
        let has_patches = |(bent, patches): (&BentPaint, &Arc<PaintPatches>)| {
            bent.posed < posed
                && bent.patches == patches.len()
                && patches.bones().all(moves)
                && patches.fit(&self.skin, PathId::new(bent.posed as u32))
        };
        let mirrored = self.posable.mirrored_fills();
        let has_parts = |(fill, parts): (&MirroredFill, &Arc<MirroredParts>)| {
            fill.posed < posed
                && fill.subpaths.iter().copied().eq(parts.subpaths())
                && parts.bones().all(moves)
                && parts.fit(&self.skin, PathId::new(fill.posed as u32))
        };
        self.rigid.len() == self.rigid_bones.len()
            && self.puppets.iter().all(|puppet| puppet.fits(&self.skeleton))
            && self.warps.fit(&self.skin, self.draw_order.sliders.len())
            && mirrored.len() == self.mirrored.len()
            && mirrored.iter().zip(&self.mirrored).all(has_parts)
            && bent.len() == self.patches.len()
            && bent.iter().zip(&self.patches).all(has_patches)
            && rigid == self.rigid.len() + self.carried.len()
            && posed == self.posed.len()
            && self.paints.len() == posed
            && self.skin.paths().len() == posed
            && self.constraints.names.len() == constraints
            && self.draw_order.fits()
            && self.shapes.len() == self.draw_order.shapes.len()
            && self.shapes.iter().all(|shape| shape.fit(&self.skin))
            && self.posable.tints() == self.draw_order.tints
            && self.posable.keyed_gradients().len() == self.draw_order.gradients.len()
            && self.posable.keyed_steps() == self.draw_order.filter_steps.len()
            && self.posable.trims().iter().map(|trim| trim.path).eq(self.draw_order.trims.iter().copied())
            && self.has_inks()
            && self.rigid_bones.iter().chain(&self.points).copied().all(known)
            && self.paints.iter().filter_map(PaintRule::bone).all(known)
            && self.drivers.iter().all(driver_fits)
            && self.clips.iter().flat_map(RigClip::bones).all(known)
            && self.paints.iter().all(|paint| paint.fits(&self.skin))
            && self.drivers.iter().all(|driver| driver.offsets.fit(&self.skin))
            && self.clips.iter().all(|clip| clip.fits(&self.skin, self.events.len()))
            && self.machines.iter().all(|machine| machine.fits(self.clips.len(), known))
            && self.outfits.iter().all(|outfit| outfit.fits(&self.draw_order))
            && self.outfits.iter().flat_map(|outfit| &outfit.constraints).all(|at| *at < constraints)
            && self.outfits.iter().flat_map(|outfit| &outfit.springs).copied().all(known)
            && self.worn.iter().all(|at| *at < self.outfits.len())
    }
}
