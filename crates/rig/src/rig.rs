//! A compiled rig: immutable, shared between threads, asked for any moment in any order. Files are behind it, pixels
//! before it.

use bone_core::clip::{ClipTime, Driver, Step, WeightedClip};
use bone_core::constraint::{Constraint, ConstraintStatus};
use bone_core::spring::{BakedSprings, Springs};
use bone_core::{BoneId, Pose, PoseError, Skeleton, WorldPose};
use drawing::{
    CanvasPose, Drawing, ElementId, Frame, Hit, PaintMotion, PaintSink, Posable, Skipped, Visibility,
};
use kurbo::{Affine, Point};
#[cfg(feature = "raster")]
use render::{DrawReport, FrameOptions, Pixmap, RasterError, Renderer, Viewport};
#[cfg(feature = "svg")]
use render::{Precision, write_svg};
use skin::{
    AffineBinding, Offsets, PlayedOffsets, PlayedSetups, PlayedWeights, PosedDrawing, Skin, SkinMatrices,
    deform_from,
};

use crate::clip::RigClip;
use crate::constraints::{ConstraintState, Constraints, RigConstraint};
use crate::draw_order::{ArtPose, ArtTracks, DrawOrder};
use crate::paint::PaintRule;

/// What a bone's value does to bones, vertices and art.
#[derive(Clone, Debug)]
pub struct RigDriver {
    /// What drives, and what it does to the bones.
    pub motion: Driver,
    /// What it does to vertices.
    pub offsets: Offsets,
    /// What it does to art.
    pub art: ArtTracks,
    /// Whether it works after the constraints.
    pub late: bool,
}

/// What a rig is made of. All ids are those of `drawing`, `skeleton` and `skin`.
#[derive(Debug)]
pub struct RigParts {
    /// The drawing at rest.
    pub drawing: Drawing,
    /// The same with slots for what moves.
    pub posable: Posable,
    /// The bones at rest.
    pub skeleton: Skeleton,
    /// What follows bones point by point.
    pub skin: Skin,
    /// The elements that move rigidly with a bone each.
    pub rigid: Vec<ElementId>,
    /// The bone of each.
    pub rigid_bones: Vec<BoneId>,
    /// The images and markers that follow bones as a whole, with the element that shows each.
    pub carried: Vec<(ElementId, AffineBinding)>,
    /// The elements that are posed point by point, one a path of the skin.
    pub posed: Vec<ElementId>,
    /// How each of them is painted.
    pub paints: Vec<PaintRule>,
    /// The art that can be hidden, fade and change places.
    pub draw_order: DrawOrder,
    /// The drivers, in the order in which they work.
    pub drivers: Vec<RigDriver>,
    /// The constraints, in the order in which they work.
    pub constraints: Constraints,
    /// The bones with secondary motion.
    pub springs: Springs,
    /// The clips, then the sequences.
    pub clips: Vec<RigClip>,
    /// Frames a second.
    pub fps: f64,
}

/// A drawing with its skeletons, skin, drivers and clips, ready to be posed.
///
/// A frame is a pure function of the scene, the clip and the time. All that changes from frame to frame is in a
/// [`FrameState`], one a thread.
#[derive(Debug)]
pub struct Rig {
    parts: RigParts,
}

impl Rig {
    /// A rig of its parts; none if their lists are not as long as each other say.
    pub fn new(parts: RigParts) -> Option<Self> {
        let (rigid, posed) = parts.posable.counts();
        let fits = parts.rigid.len() == parts.rigid_bones.len()
            && rigid == parts.rigid.len() + parts.carried.len()
            && posed == parts.posed.len()
            && parts.paints.len() == posed
            && parts.skin.paths().len() == posed
            && parts.constraints.names.len() == parts.constraints.constraints.len();
        fits.then_some(Self { parts })
    }

    /// The drawing.
    pub fn art(&self) -> &Drawing {
        &self.parts.drawing
    }

    /// The bones at rest.
    pub fn skeleton(&self) -> &Skeleton {
        &self.parts.skeleton
    }

    /// What follows bones point by point.
    pub fn skin(&self) -> &Skin {
        &self.parts.skin
    }

    /// The elements that are posed point by point, one a path of the skin.
    pub fn posed_elements(&self) -> &[ElementId] {
        &self.parts.posed
    }

    /// The elements that ride along with a bone each.
    pub fn rigid_elements(&self) -> impl ExactSizeIterator<Item = (ElementId, BoneId)> {
        self.parts.rigid.iter().copied().zip(self.parts.rigid_bones.iter().copied())
    }

    /// The element of each image and marker that follows bones as a whole.
    pub fn carried_elements(&self) -> impl Iterator<Item = ElementId> {
        self.parts.carried.iter().map(|(element, _)| *element)
    }

    /// Where the images and markers that follow bones as a whole are in a posed state: the element that shows each, and the map from the
    /// canvas at rest.
    pub fn carried<'s>(
        &'s self,
        state: &'s FrameState,
    ) -> impl ExactSizeIterator<Item = (ElementId, Affine)> + 's {
        let maps = state.rigid.get(self.parts.rigid.len()..).unwrap_or_default();
        self.parts.carried.iter().map(|(element, _)| *element).zip(maps.iter().copied())
    }

    /// The art that can be hidden, fade and change places.
    pub fn draw_order(&self) -> &DrawOrder {
        &self.parts.draw_order
    }

    /// The drivers, in the order in which they work.
    pub fn drivers(&self) -> &[RigDriver] {
        &self.parts.drivers
    }

    /// The constraints, in the order in which they work, with their names.
    pub fn constraints(&self) -> impl ExactSizeIterator<Item = (&RigConstraint, &Constraint)> {
        self.parts.constraints.names.iter().zip(&self.parts.constraints.constraints)
    }

    /// The bones that lag and swing.
    pub fn springs(&self) -> &Springs {
        &self.parts.springs
    }

    /// The clips, then the shots, in the order of the rig.
    pub fn clips(&self) -> &[RigClip] {
        &self.parts.clips
    }

    /// The clip or shot of this name.
    pub fn clip(&self, name: &str) -> Option<&RigClip> {
        self.parts.clips.iter().find(|clip| clip.name() == name)
    }

    /// Frames a second, unless the caller wants others.
    pub fn fps(&self) -> f64 {
        self.parts.fps
    }

    /// Holds every drawing for some frames of the rig, whatever its clips say: 2 is "on twos", 1 holds nothing.
    pub fn set_step(&mut self, frames: u32) {
        let step = (frames > 1).then_some(Step { frames, fps: self.parts.fps });
        self.parts.clips.iter_mut().for_each(|clip| clip.set_step(step));
    }

    /// Poses everything for a moment of a clip or shot, or the setup pose.
    ///
    /// # Errors
    /// Not for a clip of this scene: its parents were checked for loops when it was compiled.
    pub fn pose(&self, clip: Option<&RigClip>, time: f64, state: &mut FrameState) -> Result<(), PoseError> {
        let Some(clip) = clip else {
            state.pose.reset(&self.parts.skeleton);
            state.art.reset(&self.parts.draw_order);
            return self.place(state);
        };
        clip.sample(&self.parts.skeleton, time, &mut state.mixed, &mut state.pose);
        let mut voices = std::mem::take(&mut state.voices);
        clip.voices(time, &mut voices);
        clip.art(&voices, &self.parts.draw_order, &mut state.art);
        clip.settings(&voices, &self.parts.constraints, &mut state.constraints.settings);
        let swings = self.swings(clip).map(|swings| (swings, clip.time().local(time)));
        let drawing = (clip.setups(&voices), clip.weights(&voices));
        let placed = self.place_with(swings, drawing, clip.offsets(&voices), state);
        state.voices = voices;
        placed
    }

    /// Places the pose that stands in `state.pose` and `state.art`, as a tool that moves bones by hand does: with what drivers add to
    /// it, without the free offsets, the setup positions, the
    /// weights and the swings of a clip. The pose itself stays as it is, so it can be placed
    /// again and again.
    ///
    /// # Errors
    /// If parents that were changed by hand form a loop.
    pub fn place(&self, state: &mut FrameState) -> Result<(), PoseError> {
        self.parts.constraints.own_settings(&mut state.constraints.settings);
        let still = (std::iter::empty(), std::iter::empty());
        self.place_with(None, still, std::iter::empty(), state)
    }

    fn place_with<'o>(
        &'o self,
        swings: Option<(&BakedSprings, f64)>,
        drawing: (impl Iterator<Item = PlayedSetups<'o>>, impl Iterator<Item = PlayedWeights<'o>> + Clone),
        offsets: impl Iterator<Item = PlayedOffsets<'o>>,
        state: &mut FrameState,
    ) -> Result<(), PoseError> {
        self.drive(&state.pose, &mut state.driven, &mut state.driving);
        self.constrain(&mut state.driven, &mut state.world, &mut state.constraints, &mut state.driving)?;
        state.driven_art.copy_from(&state.art);
        for (driver, value) in self.parts.drivers.iter().zip(&state.driving) {
            driver.art.drive(*value, &mut state.driven_art);
        }
        if let Some((swings, time)) = swings {
            swings.apply(&self.parts.skeleton, time, &mut state.driven);
            state.world.forward(&self.parts.skeleton, &state.driven)?;
        }
        self.parts.draw_order.visibilities(&state.driven_art, &mut state.visibilities);
        state.matrices.update(&self.parts.skeleton, &state.driven, &state.world);
        let driving = self.parts.drivers.iter().zip(&state.driving);
        let driven = driving.map(|(driver, at)| driver.offsets.at(*at));
        let offsets = offsets.chain(driven);
        deform_from(&self.parts.skin, &state.matrices, drawing, offsets, &mut state.posed);
        state.rigid.clear();
        state.rigid.extend(self.parts.rigid_bones.iter().map(|bone| state.matrices.of(*bone)));
        let carried = self
            .parts
            .carried
            .iter()
            .map(|(_, it)| it.affine(&self.parts.skin, &state.matrices, &state.posed));
        state.rigid.extend(carried);
        state.paints.clear();
        let looks =
            self.parts.paints.iter().map(|rule| rule.look(&self.parts.skin, &state.matrices, &state.posed));
        state.paints.extend(looks);
        state.skipped = self.parts.posable.frame(
            &CanvasPose {
                rigid: &state.rigid,
                outlines: state.posed.paths(),
                paints: &state.paints,
                visibilities: &state.visibilities,
            },
            &mut state.frame,
        );
        Ok(())
    }

    /// The pose with what the drivers add, before anything swings; and the value that each driver read.
    fn drive(&self, pose: &Pose, driven: &mut Pose, driving: &mut Vec<f64>) {
        driven.copy_from(pose);
        driving.clear();
        driving.resize(self.parts.drivers.len(), 0.0);
        for (driver, value) in self.parts.drivers.iter().zip(driving).filter(|(driver, _)| !driver.late) {
            *value = driver.motion.apply(&self.parts.skeleton, driven);
        }
    }

    /// Places the driven pose, lets the constraints work on both, and then the drivers that read what constraints move.
    fn constrain(
        &self,
        pose: &mut Pose,
        world: &mut WorldPose,
        rules: &mut ConstraintState,
        driving: &mut [f64],
    ) -> Result<(), PoseError> {
        world.forward(&self.parts.skeleton, pose)?;
        self.parts.constraints.apply(
            self.parts.constraints.constraints.len(),
            &self.parts.skeleton,
            pose,
            world,
            rules,
        );
        let mut moved = false;
        for (driver, value) in self.parts.drivers.iter().zip(driving).filter(|(driver, _)| driver.late) {
            *value = driver.motion.apply(&self.parts.skeleton, pose);
            moved |= driver.motion.driven().next().is_some();
        }
        if moved { world.forward(&self.parts.skeleton, pose) } else { Ok(()) }
    }

    /// How the spring bones swing in a clip.
    fn swings<'a>(&self, clip: &'a RigClip) -> Option<&'a BakedSprings> {
        if self.parts.springs.is_empty() {
            return None;
        }
        let bake = || {
            let (mut pose, mut mixed) = (Pose::new(&self.parts.skeleton), Pose::new(&self.parts.skeleton));
            let (mut driving, mut voices) = (Vec::new(), Vec::new());
            let mut rules = ConstraintState::new(&self.parts.skeleton, &self.parts.constraints);
            // They swing as what is drawn moves; drawings are held afterwards.
            let animate = |time: f64, driven: &mut Pose, world: &mut WorldPose| {
                clip.sample_moving(&self.parts.skeleton, time, &mut mixed, &mut pose);
                self.drive(&pose, driven, &mut driving);
                clip.voices(time, &mut voices);
                clip.settings(&voices, &self.parts.constraints, &mut rules.settings);
                self.constrain(driven, world, &mut rules, &mut driving)
            };
            let time = ClipTime { step: None, ..clip.time() };
            self.parts.springs.bake(&self.parts.skeleton, time, animate).ok()
        };
        clip.swings().get_or_init(bake).as_ref()
    }

    /// The drawing with slots for what moves: [`FrameState::frame`] is a frame of it.
    pub fn posable(&self) -> &Posable {
        &self.parts.posable
    }

    /// Writes what was posed as an SVG into `state.svg()`: ids, groups and labels of the drawing kept.
    ///
    /// Says how many parts had numbers that no SVG can hold and stayed at rest.
    #[cfg(feature = "svg")]
    pub fn write_svg(&self, state: &mut FrameState) -> Skipped {
        let FrameState { frame, svg, skipped, .. } = state;
        write_svg(self.parts.posable.drawing(), frame, Precision::Exact, svg);
        *skipped
    }

    /// Draws what was posed, to the pixel as its SVG would be drawn. What did not change since the last frame of this state
    /// is not drawn again.
    ///
    /// # Errors
    /// If there is no memory for the frame, or a pattern is too large to draw.
    #[cfg(feature = "raster")]
    pub fn draw(
        &self,
        state: &mut FrameState,
        options: &FrameOptions,
        pixmap: &mut Pixmap,
    ) -> Result<DrawReport, RasterError> {
        let FrameState { frame, renderer, skipped, .. } = state;
        let drawn = renderer.draw(self.parts.posable.drawing(), frame, options, pixmap)?;
        Ok(DrawReport { skipped: *skipped, ..drawn })
    }

    /// Draws a view of what was posed into memory of the caller's, as [`Renderer::draw_into`] does.
    ///
    /// # Errors
    /// As [`Renderer::draw_into`].
    #[cfg(feature = "raster")]
    pub fn draw_into(
        &self,
        state: &mut FrameState,
        view: &Viewport,
        pixels: &mut [u8],
    ) -> Result<DrawReport, RasterError> {
        let FrameState { frame, renderer, skipped, .. } = state;
        let drawn = renderer.draw_into(self.parts.posable.drawing(), frame, view, pixels)?;
        Ok(DrawReport { skipped: *skipped, ..drawn })
    }

    /// Hands what was posed to a sink, back to front. `view` maps pixels at scale 1 to the space of the sink.
    pub fn paint(&self, state: &FrameState, view: Affine, sink: &mut dyn PaintSink) {
        self.parts.posable.drawing().paint(&state.frame, view, sink);
    }

    /// The art that is in front at a point of the canvas, or no farther from it than `reach` canvas units.
    pub fn hit_test(&self, state: &FrameState, at: Point, reach: f64) -> Option<Hit> {
        self.parts.posable.drawing().hit_test(&state.frame, at, reach)
    }
}

/// Everything that changes from frame to frame: scratch memory of one thread.
#[derive(Clone, Debug)]
pub struct FrameState {
    /// The bones in their parents' frames, as a clip or a hand set them. To move them by hand, change it and call
    /// [`Rig::place`].
    pub pose: Pose,
    /// Memory for the clips that a shot mixes in.
    mixed: Pose,
    /// What plays at the moment.
    voices: Vec<WeightedClip>,
    /// How art comes and goes, as a clip or a hand set it.
    pub art: ArtPose,
    /// The pose with what the drivers add.
    driven: Pose,
    /// The art with what the drivers say.
    driven_art: ArtPose,
    visibilities: Vec<Visibility>,
    /// The value that each driver read.
    driving: Vec<f64>,
    constraints: ConstraintState,
    world: WorldPose,
    matrices: SkinMatrices,
    posed: PosedDrawing,
    rigid: Vec<Affine>,
    paints: Vec<PaintMotion>,
    frame: Frame,
    skipped: Skipped,
    #[cfg(feature = "svg")]
    svg: String,
    #[cfg(feature = "raster")]
    renderer: Renderer,
}

impl FrameState {
    /// Memory for the frames of a scene, in its setup pose.
    pub fn new(rig: &Rig) -> Self {
        let [mut pose, mut mixed, mut driven] = std::array::from_fn(|_| Pose::new(&rig.parts.skeleton));
        let mut voices = Vec::new();
        for clip in &rig.parts.clips {
            clip.prepare(&rig.parts.skeleton, &mut [&mut pose, &mut mixed, &mut driven], &mut voices);
        }
        Self {
            pose,
            mixed,
            voices,
            art: ArtPose::new(&rig.parts.draw_order),
            driven,
            driven_art: ArtPose::new(&rig.parts.draw_order),
            visibilities: Vec::with_capacity(rig.parts.draw_order.elements.len()),
            driving: Vec::with_capacity(rig.parts.drivers.len()),
            constraints: ConstraintState::new(&rig.parts.skeleton, &rig.parts.constraints),
            world: WorldPose::new(&rig.parts.skeleton),
            matrices: SkinMatrices::new(&rig.parts.skeleton),
            posed: PosedDrawing::new(&rig.parts.skin),
            rigid: vec![Affine::IDENTITY; rig.parts.rigid_bones.len() + rig.parts.carried.len()],
            paints: vec![PaintMotion::default(); rig.parts.paints.len()],
            frame: Frame::default(),
            skipped: Skipped::default(),
            #[cfg(feature = "svg")]
            svg: String::new(),
            #[cfg(feature = "raster")]
            renderer: Renderer::new(),
        }
    }

    /// The bones in their parents' frames as they were placed: [`pose`](Self::pose) and what drivers, constraints and
    /// springs do to it.
    pub fn driven(&self) -> &Pose {
        &self.driven
    }

    /// How the elements of [`Rig::draw_order`] stand in the frame.
    pub fn visibilities(&self) -> &[Visibility] {
        &self.visibilities
    }

    /// How many parts had numbers that cannot be used and stayed at rest.
    pub fn skipped(&self) -> Skipped {
        self.skipped
    }

    /// What the moment changes about the drawing of [`Rig::posable`].
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// How each constraint ended, in their order.
    pub fn outcomes(&self) -> &[ConstraintStatus] {
        self.constraints.outcomes()
    }

    /// The bones on the canvas.
    pub fn world(&self) -> &WorldPose {
        &self.world
    }

    /// What each bone does to its skin.
    pub fn matrices(&self) -> &SkinMatrices {
        &self.matrices
    }

    /// The outlines on the canvas.
    pub fn posed(&self) -> &PosedDrawing {
        &self.posed
    }

    /// The posed drawing as [`Rig::write_svg`] left it.
    #[cfg(feature = "svg")]
    pub fn svg(&self) -> &str {
        &self.svg
    }
}
