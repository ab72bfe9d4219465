//! A compiled rig: immutable, shared between threads, asked for any moment in any order. Files are behind it, pixels
//! before it.

use bone_core::clip::{ClipTime, Driver, Step, Voice};
use bone_core::constraint::{Constraint, Outcome};
use bone_core::spring::{SpringMotion, Springs};
use bone_core::{BoneId, Pose, PoseError, Skeleton, WorldPose};
use drawing::{
    CanvasPose, Drawing, ElementId, Frame, Hit, PaintMotion, PaintSink, Posable, Skipped, Visibility,
};
use kurbo::{Affine, Point};
use render::{DrawReport, FrameOptions, Pixmap, Precision, RasterError, Renderer, Viewport, write_svg};
use skin::{
    Carried, Offsets, PlayedOffsets, PlayedSetups, PlayedWeights, PosedDrawing, Skin, SkinMatrices,
    deform_from,
};

use crate::look::LookRule;
use crate::movement::SceneClip;
use crate::rules::{RuleState, Rules, SceneConstraint};
use crate::stage::{ArtPose, ArtTracks, Stage};

/// What a bone's value does to bones, vertices and art.
#[derive(Clone, Debug)]
pub struct SceneDriver {
    pub(crate) motion: Driver,
    pub(crate) offsets: Offsets,
    pub(crate) art: ArtTracks,
    /// Whether it works after the constraints.
    pub(crate) late: bool,
}

impl SceneDriver {
    /// What drives, and what it does to the bones.
    pub fn motion(&self) -> &Driver {
        &self.motion
    }

    /// Whether it works after the constraints: one that reads what they move does.
    pub fn is_late(&self) -> bool {
        self.late
    }
}

/// What follows what, and what comes and goes, compiled.
pub(crate) struct Bound {
    pub(crate) skin: Skin,
    pub(crate) rigid_bones: Vec<BoneId>,
    pub(crate) rigid: Vec<ElementId>,
    pub(crate) carried: Vec<(ElementId, Carried)>,
    pub(crate) posed: Vec<ElementId>,
    pub(crate) looks: Vec<LookRule>,
    pub(crate) stage: Stage,
}

/// What moves, compiled.
pub(crate) struct Movements {
    pub(crate) drivers: Vec<SceneDriver>,
    pub(crate) rules: Rules,
    pub(crate) springs: Springs,
    pub(crate) clips: Vec<SceneClip>,
    pub(crate) fps: f64,
}

/// A drawing with its skeletons, skin, drivers and clips, ready to be posed.
///
/// A frame is a pure function of the scene, the clip and the time. All that changes from frame to frame is in a
/// [`FrameState`], one a thread.
#[derive(Debug)]
pub struct Scene {
    art: Drawing,
    posable: Posable,
    skeleton: Skeleton,
    skin: Skin,
    /// The bone of each rigid part of the drawing.
    rigid_bones: Vec<BoneId>,
    rigid: Vec<ElementId>,
    /// The images and markers that follow as a whole, with the element that shows each: rigid parts after those.
    carried: Vec<(ElementId, Carried)>,
    posed: Vec<ElementId>,
    /// How each of them is painted.
    looks: Vec<LookRule>,
    stage: Stage,
    drivers: Vec<SceneDriver>,
    rules: Rules,
    springs: Springs,
    clips: Vec<SceneClip>,
    fps: f64,
}

impl Scene {
    pub(crate) fn new(
        art: Drawing,
        posable: Posable,
        skeleton: Skeleton,
        bound: Bound,
        movements: Movements,
    ) -> Self {
        let Movements { drivers, rules, springs, clips, fps } = movements;
        let Bound { skin, rigid_bones, rigid, carried, posed, looks, stage } = bound;
        Self {
            art,
            posable,
            skeleton,
            skin,
            rigid_bones,
            rigid,
            carried,
            posed,
            looks,
            stage,
            drivers,
            rules,
            springs,
            clips,
            fps,
        }
    }

    /// The drawing.
    pub fn art(&self) -> &Drawing {
        &self.art
    }

    /// The bones at rest.
    pub fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// What follows bones point by point.
    pub fn skin(&self) -> &Skin {
        &self.skin
    }

    /// The elements that are posed point by point, one a path of the skin.
    pub fn posed_elements(&self) -> &[ElementId] {
        &self.posed
    }

    /// The elements that ride along with a bone each.
    pub fn rigid_elements(&self) -> impl ExactSizeIterator<Item = (ElementId, BoneId)> {
        self.rigid.iter().copied().zip(self.rigid_bones.iter().copied())
    }

    /// The element of each image and marker that follows bones as a whole.
    pub(crate) fn carried_elements(&self) -> impl Iterator<Item = ElementId> {
        self.carried.iter().map(|(element, _)| *element)
    }

    /// Where the images and markers that follow bones as a whole are in a posed state: the element that shows each, and the map from the
    /// canvas at rest.
    pub fn carried<'s>(
        &'s self,
        state: &'s FrameState,
    ) -> impl ExactSizeIterator<Item = (ElementId, Affine)> + 's {
        let maps = state.rigid.get(self.rigid.len()..).unwrap_or_default();
        self.carried.iter().map(|(element, _)| *element).zip(maps.iter().copied())
    }

    /// The art that can be hidden, fade and change places.
    pub fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The drivers, in the order in which they work.
    pub fn drivers(&self) -> &[SceneDriver] {
        &self.drivers
    }

    /// The constraints, in the order in which they work, with their names.
    pub fn constraints(&self) -> impl ExactSizeIterator<Item = (&SceneConstraint, &Constraint)> {
        self.rules.names.iter().zip(&self.rules.constraints)
    }

    /// The bones that lag and swing.
    pub fn springs(&self) -> &Springs {
        &self.springs
    }

    /// The clips, then the shots, in the order of the rig.
    pub fn clips(&self) -> &[SceneClip] {
        &self.clips
    }

    /// The clip or shot of this name.
    pub fn clip(&self, name: &str) -> Option<&SceneClip> {
        self.clips.iter().find(|clip| clip.name() == name)
    }

    /// Frames a second, unless the caller wants others.
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Holds every drawing for some frames of the rig, whatever its clips say: 2 is "on twos", 1 holds nothing.
    pub fn set_step(&mut self, frames: u32) {
        let step = (frames > 1).then_some(Step { frames, fps: self.fps });
        self.clips.iter_mut().for_each(|clip| clip.set_step(step));
    }

    /// Poses everything for a moment of a clip or shot, or the setup pose.
    ///
    /// # Errors
    /// Not for a clip of this scene: its parents were checked for loops when it was compiled.
    pub fn pose(&self, clip: Option<&SceneClip>, time: f64, state: &mut FrameState) -> Result<(), PoseError> {
        let Some(clip) = clip else {
            state.pose.reset(&self.skeleton);
            state.art.reset(&self.stage);
            return self.place(state);
        };
        clip.sample(&self.skeleton, time, &mut state.mixed, &mut state.pose);
        let mut voices = std::mem::take(&mut state.voices);
        clip.voices(time, &mut voices);
        clip.art(&voices, &self.stage, &mut state.art);
        clip.settings(&voices, &self.rules, &mut state.rules.settings);
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
        self.rules.own_settings(&mut state.rules.settings);
        let still = (std::iter::empty(), std::iter::empty());
        self.place_with(None, still, std::iter::empty(), state)
    }

    fn place_with<'o>(
        &'o self,
        swings: Option<(&SpringMotion, f64)>,
        drawing: (impl Iterator<Item = PlayedSetups<'o>>, impl Iterator<Item = PlayedWeights<'o>> + Clone),
        offsets: impl Iterator<Item = PlayedOffsets<'o>>,
        state: &mut FrameState,
    ) -> Result<(), PoseError> {
        self.drive(&state.pose, &mut state.driven, &mut state.driving);
        self.constrain(&mut state.driven, &mut state.world, &mut state.rules, &mut state.driving)?;
        state.driven_art.copy_from(&state.art);
        for (driver, value) in self.drivers.iter().zip(&state.driving) {
            driver.art.drive(*value, &mut state.driven_art);
        }
        if let Some((swings, time)) = swings {
            swings.apply(&self.skeleton, time, &mut state.driven);
            state.world.forward(&self.skeleton, &state.driven)?;
        }
        self.stage.visibilities(&state.driven_art, &mut state.visibilities);
        state.matrices.update(&self.skeleton, &state.driven, &state.world);
        let driving = self.drivers.iter().zip(&state.driving);
        let driven = driving.map(|(driver, at)| driver.offsets.at(*at));
        let offsets = offsets.chain(driven);
        deform_from(&self.skin, &state.matrices, drawing, offsets, &mut state.posed);
        state.rigid.clear();
        state.rigid.extend(self.rigid_bones.iter().map(|bone| state.matrices.of(*bone)));
        let carried = self.carried.iter().map(|(_, it)| it.affine(&self.skin, &state.matrices, &state.posed));
        state.rigid.extend(carried);
        state.looks.clear();
        let looks = self.looks.iter().map(|rule| rule.look(&self.skin, &state.matrices, &state.posed));
        state.looks.extend(looks);
        state.skipped = self.posable.frame(
            &CanvasPose {
                rigid: &state.rigid,
                outlines: state.posed.paths(),
                paints: &state.looks,
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
        driving.resize(self.drivers.len(), 0.0);
        for (driver, value) in self.drivers.iter().zip(driving).filter(|(driver, _)| !driver.late) {
            *value = driver.motion.apply(&self.skeleton, driven);
        }
    }

    /// Places the driven pose, lets the constraints work on both, and then the drivers that read what constraints move.
    fn constrain(
        &self,
        pose: &mut Pose,
        world: &mut WorldPose,
        rules: &mut RuleState,
        driving: &mut [f64],
    ) -> Result<(), PoseError> {
        world.forward(&self.skeleton, pose)?;
        self.rules.apply(self.rules.constraints.len(), &self.skeleton, pose, world, rules);
        let mut moved = false;
        for (driver, value) in self.drivers.iter().zip(driving).filter(|(driver, _)| driver.late) {
            *value = driver.motion.apply(&self.skeleton, pose);
            moved |= driver.motion.driven().next().is_some();
        }
        if moved { world.forward(&self.skeleton, pose) } else { Ok(()) }
    }

    /// How the spring bones swing in a clip.
    fn swings<'a>(&self, clip: &'a SceneClip) -> Option<&'a SpringMotion> {
        if self.springs.is_empty() {
            return None;
        }
        let bake = || {
            let (mut pose, mut mixed) = (Pose::new(&self.skeleton), Pose::new(&self.skeleton));
            let (mut driving, mut voices) = (Vec::new(), Vec::new());
            let mut rules = RuleState::new(&self.skeleton, &self.rules);
            // They swing as what is drawn moves; drawings are held afterwards.
            let animate = |time: f64, driven: &mut Pose, world: &mut WorldPose| {
                clip.sample_moving(&self.skeleton, time, &mut mixed, &mut pose);
                self.drive(&pose, driven, &mut driving);
                clip.voices(time, &mut voices);
                clip.settings(&voices, &self.rules, &mut rules.settings);
                self.constrain(driven, world, &mut rules, &mut driving)
            };
            let time = ClipTime { step: None, ..clip.time() };
            self.springs.bake(&self.skeleton, time, animate).ok()
        };
        clip.swings().get_or_init(bake).as_ref()
    }

    /// The drawing with slots for what moves: [`FrameState::frame`] is a frame of it.
    pub fn posable(&self) -> &Posable {
        &self.posable
    }

    /// Writes what was posed as an SVG into `state.svg()`: ids, groups and labels of the drawing kept.
    ///
    /// Says how many parts had numbers that no SVG can hold and stayed at rest.
    pub fn write_svg(&self, state: &mut FrameState) -> Skipped {
        let FrameState { frame, svg, skipped, .. } = state;
        write_svg(self.posable.drawing(), frame, Precision::Exact, svg);
        *skipped
    }

    /// Draws what was posed, to the pixel as its SVG would be drawn. What did not change since the last frame of this state
    /// is not drawn again.
    ///
    /// # Errors
    /// If there is no memory for the frame, or a pattern is too large to draw.
    pub fn draw(
        &self,
        state: &mut FrameState,
        options: &FrameOptions,
        pixmap: &mut Pixmap,
    ) -> Result<DrawReport, RasterError> {
        let FrameState { frame, renderer, skipped, .. } = state;
        let drawn = renderer.draw(self.posable.drawing(), frame, options, pixmap)?;
        Ok(DrawReport { skipped: *skipped, ..drawn })
    }

    /// Draws a view of what was posed into memory of the caller's, as [`Renderer::draw_into`] does.
    ///
    /// # Errors
    /// As [`Renderer::draw_into`].
    pub fn draw_into(
        &self,
        state: &mut FrameState,
        view: &Viewport,
        pixels: &mut [u8],
    ) -> Result<DrawReport, RasterError> {
        let FrameState { frame, renderer, skipped, .. } = state;
        let drawn = renderer.draw_into(self.posable.drawing(), frame, view, pixels)?;
        Ok(DrawReport { skipped: *skipped, ..drawn })
    }

    /// Hands what was posed to a sink, back to front. `view` maps pixels at scale 1 to the space of the sink.
    pub fn paint(&self, state: &FrameState, view: Affine, sink: &mut dyn PaintSink) {
        self.posable.drawing().paint(&state.frame, view, sink);
    }

    /// The art that is in front at a point of the canvas, or no farther from it than `reach` canvas units.
    pub fn hit_test(&self, state: &FrameState, at: Point, reach: f64) -> Option<Hit> {
        self.posable.drawing().hit_test(&state.frame, at, reach)
    }
}

/// Everything that changes from frame to frame: scratch memory of one thread.
#[derive(Clone, Debug)]
pub struct FrameState {
    /// The bones in their parents' frames, as a clip or a hand set them. To move them by hand, change it and call
    /// [`Scene::place`].
    pub pose: Pose,
    /// Memory for the clips that a shot mixes in.
    mixed: Pose,
    /// What plays at the moment.
    voices: Vec<Voice>,
    /// How art comes and goes, as a clip or a hand set it.
    pub art: ArtPose,
    /// The pose with what the drivers add.
    driven: Pose,
    /// The art with what the drivers say.
    driven_art: ArtPose,
    visibilities: Vec<Visibility>,
    /// The value that each driver read.
    driving: Vec<f64>,
    rules: RuleState,
    world: WorldPose,
    matrices: SkinMatrices,
    posed: PosedDrawing,
    rigid: Vec<Affine>,
    looks: Vec<PaintMotion>,
    frame: Frame,
    skipped: Skipped,
    svg: String,
    renderer: Renderer,
}

impl FrameState {
    /// Memory for the frames of a scene, in its setup pose.
    pub fn new(scene: &Scene) -> Self {
        let [mut pose, mut mixed, mut driven] = std::array::from_fn(|_| Pose::new(&scene.skeleton));
        let mut voices = Vec::new();
        for clip in &scene.clips {
            clip.prepare(&scene.skeleton, &mut [&mut pose, &mut mixed, &mut driven], &mut voices);
        }
        Self {
            pose,
            mixed,
            voices,
            art: ArtPose::new(&scene.stage),
            driven,
            driven_art: ArtPose::new(&scene.stage),
            visibilities: Vec::with_capacity(scene.stage.elements().len()),
            driving: Vec::with_capacity(scene.drivers.len()),
            rules: RuleState::new(&scene.skeleton, &scene.rules),
            world: WorldPose::new(&scene.skeleton),
            matrices: SkinMatrices::new(&scene.skeleton),
            posed: PosedDrawing::new(&scene.skin),
            rigid: vec![Affine::IDENTITY; scene.rigid_bones.len() + scene.carried.len()],
            looks: vec![PaintMotion::default(); scene.looks.len()],
            frame: Frame::default(),
            skipped: Skipped::default(),
            svg: String::new(),
            renderer: Renderer::new(),
        }
    }

    /// The bones in their parents' frames as they were placed: [`pose`](Self::pose) and what drivers, constraints and
    /// springs do to it.
    pub fn driven(&self) -> &Pose {
        &self.driven
    }

    /// How the elements of [`Scene::stage`] stand in the frame.
    pub fn visibilities(&self) -> &[Visibility] {
        &self.visibilities
    }

    /// What the moment changes about the drawing of [`Scene::posable`].
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// How each constraint ended, in their order.
    pub fn outcomes(&self) -> &[Outcome] {
        self.rules.outcomes()
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

    /// The posed drawing as [`Scene::write_svg`] left it.
    pub fn svg(&self) -> &str {
        &self.svg
    }
}
