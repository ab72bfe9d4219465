//! A compiled rig: immutable, shared between threads, asked for any moment in any order. Files are behind it, pixels
//! before it.

use bone_core::clip::{Clip, Driver};
use bone_core::constraint::{self, Constraint, ConstraintTrack, Outcome, Setting};
use bone_core::{BoneId, Pose, PoseError, Skeleton, WorldPose};
use kurbo::Affine;
use render::{Art, ElementId, Look, Skipped, Template};
use skin::{Offsets, PosedDrawing, Skin, SkinMatrices, deform};

use crate::look::LookRule;

/// A movement of the rig: its bones, and the free offsets of its art.
#[derive(Clone, Debug)]
pub struct SceneClip {
    pub(crate) name: String,
    pub(crate) motion: Clip,
    pub(crate) offsets: Offsets,
    /// What it does with constraints, by their places in the scene.
    pub(crate) constraints: Vec<(usize, ConstraintTrack)>,
}

impl SceneClip {
    /// The name in the rig.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The movement of the bones.
    pub fn motion(&self) -> &Clip {
        &self.motion
    }

    /// How many frames it has: a loop ends with the frame before it repeats, any other clip includes its end.
    pub fn frame_count(&self, fps: f64) -> u64 {
        // A length that was typed as 0.1 must not gain or lose a frame to the last bit.
        const SLACK: f64 = 1e-6;
        let time = self.motion.time();
        let frames = time.length * fps;
        let count = if time.looped { (frames - SLACK).ceil() } else { (frames + SLACK).floor() + 1.0 };
        // A float to integer conversion saturates.
        count.max(1.0) as u64
    }
}

/// A constraint and the name by which clips speak of it.
#[derive(Clone, Debug)]
pub struct SceneConstraint {
    pub(crate) name: Option<String>,
    /// Whether it is off but for the times that a clip says.
    pub(crate) only_held: bool,
}

impl SceneConstraint {
    /// The name in the rig.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

/// What a bone's value adds to bones and vertices.
#[derive(Clone, Debug)]
pub struct SceneDriver {
    pub(crate) motion: Driver,
    pub(crate) offsets: Offsets,
}

impl SceneDriver {
    /// What drives, and what it does to the bones.
    pub fn motion(&self) -> &Driver {
        &self.motion
    }
}

/// What follows what, compiled.
pub(crate) struct Bound {
    pub(crate) skin: Skin,
    pub(crate) rigid_bones: Vec<BoneId>,
    pub(crate) rigid: Vec<ElementId>,
    pub(crate) posed: Vec<ElementId>,
    pub(crate) looks: Vec<LookRule>,
}

/// A drawing with its skeletons, skin, drivers and clips, ready to be posed.
///
/// A frame is a pure function of the scene, the clip and the time. All that changes from frame to frame is in a
/// [`FrameState`], one a thread.
#[derive(Debug)]
pub struct Scene {
    art: Art,
    template: Template,
    skeleton: Skeleton,
    skin: Skin,
    /// The bone of each rigid element of the template.
    rigid_bones: Vec<BoneId>,
    rigid: Vec<ElementId>,
    posed: Vec<ElementId>,
    /// How each of them is painted.
    looks: Vec<LookRule>,
    motion: Motion,
    clips: Vec<SceneClip>,
    fps: f64,
}

/// What comes on top of a clip's pose, in this order.
#[derive(Debug, Default)]
pub(crate) struct Motion {
    pub(crate) drivers: Vec<SceneDriver>,
    pub(crate) constraints: Vec<Constraint>,
    /// One a constraint.
    pub(crate) names: Vec<SceneConstraint>,
}

impl Motion {
    /// How much each of the first constraints counts at a moment of a clip, or without one.
    pub(crate) fn settings_into(
        &self,
        tracks: Option<(&[(usize, ConstraintTrack)], &Clip, f64)>,
        settings: &mut Vec<Setting>,
    ) {
        settings.clear();
        for (constraint, name) in self.constraints.iter().zip(&self.names) {
            let mut setting = constraint.setting();
            if name.only_held {
                setting.mix = 0.0;
            }
            settings.push(setting);
        }
        let Some((tracks, clip, time)) = tracks else { return };
        let length = clip.time().looped.then_some(clip.time().length);
        for (which, track) in tracks {
            if let (Some(constraint), Some(setting)) =
                (self.constraints.get(*which), settings.get_mut(*which))
            {
                *setting = track.setting(constraint, clip.time().local(time), length);
            }
        }
    }

    /// Drivers, the forward pass, and so many of the constraints.
    pub(crate) fn apply(
        &self,
        skeleton: &Skeleton,
        count: usize,
        moved: &mut Moved,
    ) -> Result<(), PoseError> {
        moved.driving.clear();
        for driver in &self.drivers {
            moved.driving.push(driver.motion.apply(skeleton, &mut moved.pose));
        }
        moved.world.forward(skeleton, &moved.pose)?;
        let (constraints, settings) = (&self.constraints[..count], &moved.settings[..count]);
        constraint::apply(
            constraints,
            settings,
            skeleton,
            &mut moved.pose,
            &mut moved.world,
            &mut moved.scratch,
        );
        Ok(())
    }
}

/// A pose with everything that comes on top of it, and the memory for that.
#[derive(Clone, Debug)]
pub(crate) struct Moved {
    pub(crate) pose: Pose,
    pub(crate) world: WorldPose,
    /// The value that each driver read.
    driving: Vec<f64>,
    pub(crate) settings: Vec<Setting>,
    scratch: constraint::Scratch,
}

impl Moved {
    pub(crate) fn new(skeleton: &Skeleton, motion: &Motion) -> Self {
        let mut scratch = constraint::Scratch::new();
        scratch.reserve(skeleton, &motion.constraints);
        Self {
            pose: Pose::new(skeleton),
            world: WorldPose::new(skeleton),
            driving: Vec::with_capacity(motion.drivers.len()),
            settings: Vec::with_capacity(motion.constraints.len()),
            scratch,
        }
    }
}

impl Scene {
    pub(crate) fn new(
        art: Art,
        template: Template,
        skeleton: Skeleton,
        bound: Bound,
        motion: Motion,
        clips: Vec<SceneClip>,
        fps: f64,
    ) -> Self {
        let Bound { skin, rigid_bones, rigid, posed, looks } = bound;
        Self { art, template, skeleton, skin, rigid_bones, rigid, posed, looks, motion, clips, fps }
    }

    /// The drawing.
    pub fn art(&self) -> &Art {
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

    /// The drivers, in the order in which they work.
    pub fn drivers(&self) -> &[SceneDriver] {
        &self.motion.drivers
    }

    /// The constraints, in the order in which they work, with their names.
    pub fn constraints(&self) -> impl ExactSizeIterator<Item = (&SceneConstraint, &Constraint)> {
        self.motion.names.iter().zip(&self.motion.constraints)
    }

    /// The clips, in the order of the rig.
    pub fn clips(&self) -> &[SceneClip] {
        &self.clips
    }

    /// The clip of this name.
    pub fn clip(&self, name: &str) -> Option<&SceneClip> {
        self.clips.iter().find(|clip| clip.name == name)
    }

    /// Frames a second, unless the caller wants others.
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Poses everything for a moment of a clip, or the setup pose.
    ///
    /// # Errors
    /// Not for a clip of this scene: its parents were checked for loops when it was compiled.
    pub fn pose(&self, clip: Option<&SceneClip>, time: f64, state: &mut FrameState) -> Result<(), PoseError> {
        let Some(clip) = clip else {
            state.pose.reset(&self.skeleton);
            return self.place(state);
        };
        clip.motion.sample(&self.skeleton, time, &mut state.pose);
        self.place_with(Some((clip, time)), state)
    }

    /// Places the pose that stands in `state.pose`, as a tool that moves bones by hand does: with what drivers and
    /// constraints do to it, without free offsets of a clip. The pose itself stays as it is, so it can be placed again and again.
    ///
    /// # Errors
    /// If parents that were changed by hand form a loop.
    pub fn place(&self, state: &mut FrameState) -> Result<(), PoseError> {
        self.place_with(None, state)
    }

    fn place_with(&self, clip: Option<(&SceneClip, f64)>, state: &mut FrameState) -> Result<(), PoseError> {
        let moved = &mut state.moved;
        moved.pose.copy_from(&state.pose);
        let tracks = clip.map(|(clip, time)| (&clip.constraints[..], &clip.motion, time));
        self.motion.settings_into(tracks, &mut moved.settings);
        self.motion.apply(&self.skeleton, self.motion.constraints.len(), moved)?;
        state.matrices.update(&self.skeleton, &moved.pose, &moved.world);
        let offsets = clip.map(|(clip, time)| (&clip.offsets, clip.motion.time().local(time)));
        let driven =
            self.motion.drivers.iter().map(|driver| &driver.offsets).zip(moved.driving.iter().copied());
        deform(&self.skin, &state.matrices, offsets.into_iter().chain(driven), &mut state.posed);
        state.rigid.clear();
        state.rigid.extend(self.rigid_bones.iter().map(|bone| state.matrices.of(*bone)));
        state.looks.clear();
        let looks = self.looks.iter().map(|rule| rule.look(&self.skin, &state.matrices, &state.posed));
        state.looks.extend(looks);
        Ok(())
    }

    /// Writes what was posed as an SVG into `state.svg()`: ids and groups of the drawing kept.
    ///
    /// Says how many parts had numbers that no SVG can hold and stayed at rest.
    pub fn write_svg(&self, state: &mut FrameState) -> Skipped {
        self.template.write_into(&state.rigid, state.posed.paths(), &state.looks, &mut state.svg)
    }
}

/// Everything that changes from frame to frame: scratch memory of one thread.
#[derive(Clone, Debug)]
pub struct FrameState {
    /// The bones in their parents' frames, as a clip or a hand set them. To move them by hand, change it and call
    /// [`Scene::place`].
    pub pose: Pose,
    /// The same with what drivers and constraints do to it, on the canvas too.
    moved: Moved,
    matrices: SkinMatrices,
    posed: PosedDrawing,
    rigid: Vec<Affine>,
    looks: Vec<Look>,
    svg: String,
}

impl FrameState {
    /// Memory for the frames of a scene, in its setup pose.
    pub fn new(scene: &Scene) -> Self {
        Self {
            pose: Pose::new(&scene.skeleton),
            moved: Moved::new(&scene.skeleton, &scene.motion),
            matrices: SkinMatrices::new(&scene.skeleton),
            posed: PosedDrawing::new(&scene.skin),
            rigid: vec![Affine::IDENTITY; scene.rigid_bones.len()],
            looks: vec![Look::default(); scene.looks.len()],
            svg: String::new(),
        }
    }

    /// The bones in their parents' frames as they were placed: [`pose`](Self::pose) and what drivers and constraints do
    /// to it.
    pub fn driven(&self) -> &Pose {
        &self.moved.pose
    }

    /// The bones on the canvas.
    pub fn world(&self) -> &WorldPose {
        &self.moved.world
    }

    /// How each constraint ended, in their order.
    pub fn outcomes(&self) -> &[Outcome] {
        self.moved.scratch.outcomes()
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
