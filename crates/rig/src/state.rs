//! The memory of one thread that poses a rig.

use bone_core::clip::WeightedClip;
use bone_core::constraint::{ConstraintParameters, ConstraintStatus};
use bone_core::{Pose, WorldPose};
use bone_drawing::{Frame, PaintMotion, Skipped, Visibility};
#[cfg(feature = "raster")]
use bone_render::Renderer;
use bone_skin::{PosedDrawing, PosedPatches, PuppetScratch, SkinMatrices, WarpScratch};
use kurbo::{Affine, BezPath};

use crate::constraints::ConstraintState;
use crate::draw_order::ArtPose;
use crate::identity::RigIdentity;
use crate::outfit::Worn;
use crate::parts::RigParts;

/// Everything that changes from frame to frame: the scratch memory of one thread. It works with the rig that
/// it was made for.
#[derive(Clone, Debug)]
pub struct FrameState {
    pub(crate) rig: RigIdentity,
    /// The pose of the clip and the overrides.
    pub(crate) pose: Pose,
    /// The pose of a clip that a sequence mixes in.
    pub(crate) mixed: Pose,
    /// The clips that play at the moment.
    pub(crate) weighted_clips: Vec<WeightedClip>,
    /// What is worn, and gives art its values at rest.
    pub(crate) worn: Worn,
    /// The art of the clip and the overrides.
    pub(crate) art: ArtPose,
    /// The pose after drivers, constraints and springs.
    pub(crate) driven: Pose,
    /// The art after drivers.
    pub(crate) driven_art: ArtPose,
    /// Where the camera shows the points of the canvas.
    pub(crate) camera: Option<Affine>,
    pub(crate) visibilities: Vec<Visibility>,
    /// The value that each driver read.
    pub(crate) driver_values: Vec<f64>,
    pub(crate) constraints: ConstraintState,
    pub(crate) world: WorldPose,
    pub(crate) matrices: SkinMatrices,
    pub(crate) puppets: Vec<PuppetScratch>,
    pub(crate) warps: WarpScratch,
    pub(crate) posed: PosedDrawing,
    pub(crate) rigid: Vec<Affine>,
    pub(crate) paints: Vec<PaintMotion>,
    pub(crate) patches: PosedPatches,
    /// Whether the gradients of each shape with patches are bent.
    pub(crate) bent: Vec<bool>,
    /// The parts of each shape of which a part can be mirrored, and whether one is.
    pub(crate) parts: Vec<BezPath>,
    pub(crate) mirrored: Vec<bool>,
    pub(crate) frame: Frame,
    pub(crate) skipped: Skipped,
    #[cfg(feature = "svg")]
    pub(crate) svg: String,
    #[cfg(feature = "raster")]
    pub(crate) renderer: Renderer,
}

impl FrameState {
    /// Memory for the frames of a rig, in its setup pose.
    pub(crate) fn of(parts: &RigParts, rig: &RigIdentity) -> Self {
        let [mut pose, mut mixed, mut driven] = std::array::from_fn(|_| Pose::new(&parts.skeleton));
        let mut weighted_clips = Vec::new();
        for clip in &parts.clips {
            clip.prepare(&parts.skeleton, &mut [&mut pose, &mut mixed, &mut driven], &mut weighted_clips);
        }
        let (art, worn) = art_of(parts);
        Self {
            rig: rig.clone(),
            pose,
            mixed,
            weighted_clips,
            worn,
            art: art.clone(),
            driven,
            driven_art: art,
            camera: None,
            visibilities: Vec::with_capacity(parts.draw_order.elements.len()),
            driver_values: Vec::with_capacity(parts.drivers.len()),
            constraints: ConstraintState::new(&parts.skeleton, &parts.constraints),
            world: WorldPose::new(&parts.skeleton),
            matrices: parts.matrices(),
            puppets: parts.puppet_scratch(),
            warps: WarpScratch::default(),
            posed: PosedDrawing::new(&parts.skin),
            rigid: vec![Affine::IDENTITY; parts.rigid_bones.len() + parts.carried.len()],
            paints: vec![PaintMotion::default(); parts.paints.len()],
            patches: parts.posed_patches(),
            bent: Vec::with_capacity(parts.patches.len()),
            parts: parts.posed_parts(),
            mirrored: Vec::with_capacity(parts.mirrored.len()),
            frame: Frame::default(),
            skipped: Skipped::default(),
            #[cfg(feature = "svg")]
            svg: String::new(),
            #[cfg(feature = "raster")]
            renderer: Renderer::new(),
        }
    }

    /// Becomes the memory for the frames of another rig, in its setup pose.
    pub(crate) fn become_of(&mut self, parts: &RigParts, rig: &RigIdentity) {
        self.rig = rig.clone();
        let Self { pose, mixed, driven, weighted_clips, .. } = self;
        for pose in [&mut *pose, &mut *mixed, &mut *driven] {
            pose.reset(&parts.skeleton);
        }
        weighted_clips.clear();
        for clip in &parts.clips {
            clip.prepare(&parts.skeleton, &mut [&mut *pose, &mut *mixed, &mut *driven], weighted_clips);
        }
        (self.art, self.worn) = art_of(parts);
        self.driven_art = self.art.clone();
        self.camera = None;
        self.visibilities.clear();
        self.visibilities.reserve(parts.draw_order.elements.len());
        self.driver_values.clear();
        self.driver_values.reserve(parts.drivers.len());
        self.constraints = ConstraintState::new(&parts.skeleton, &parts.constraints);
        self.world = WorldPose::new(&parts.skeleton);
        self.matrices = parts.matrices();
        self.puppets = parts.puppet_scratch();
        self.posed.renew(&parts.skin);
        self.rigid.clear();
        self.rigid.resize(parts.rigid_bones.len() + parts.carried.len(), Affine::IDENTITY);
        self.paints.clear();
        self.paints.resize(parts.paints.len(), PaintMotion::default());
        self.patches = parts.posed_patches();
        self.bent.clear();
        self.bent.reserve(parts.patches.len());
        self.parts = parts.posed_parts();
        self.mirrored.clear();
        self.mirrored.reserve(parts.mirrored.len());
        self.frame = Frame::default();
        self.skipped = Skipped::default();
        #[cfg(feature = "svg")]
        self.svg.clear();
    }

    /// The bones in their parents' frames, as the clip and the overrides set them.
    pub fn pose(&self) -> &Pose {
        &self.pose
    }

    /// The visibility, opacity and draw order of art, as the clip and the overrides set them.
    pub fn art(&self) -> &ArtPose {
        &self.art
    }

    /// The bones in their parents' frames as they were placed: [`pose`](Self::pose) after drivers,
    /// constraints and springs.
    pub fn driven(&self) -> &Pose {
        &self.driven
    }

    /// The visibility, opacity and draw order of each element of [`Rig::draw_order`](crate::Rig::draw_order) in the frame.
    pub fn visibilities(&self) -> &[Visibility] {
        &self.visibilities
    }

    /// The values of the frame, for the slots of [`Rig::posable`](crate::Rig::posable).
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The parameters of each constraint as clips and overrides set them, in their order.
    pub fn constraint_parameters(&self) -> &[ConstraintParameters] {
        &self.constraints.parameters
    }

    /// The status of each constraint, in their order.
    pub fn statuses(&self) -> &[ConstraintStatus] {
        self.constraints.statuses()
    }

    /// The bones on the canvas.
    pub fn world(&self) -> &WorldPose {
        &self.world
    }

    /// The skin matrix of each bone.
    pub fn matrices(&self) -> &SkinMatrices {
        &self.matrices
    }

    /// The deformed outlines on the canvas.
    pub fn posed(&self) -> &PosedDrawing {
        &self.posed
    }

    /// The posed drawing as [`Rig::write_svg`](crate::Rig::write_svg) wrote it last.
    #[cfg(feature = "svg")]
    pub fn svg(&self) -> &str {
        &self.svg
    }
}

/// Art at rest as it is drawn, with memory for all outfits.
fn art_of(parts: &RigParts) -> (ArtPose, Worn) {
    let mut art = ArtPose::new(&parts.draw_order);
    if !parts.outfits.is_empty() {
        art.own_rows();
    }
    (art, parts.unworn())
}
