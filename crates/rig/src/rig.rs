//! A compiled rig: immutable, shared by threads, posed at any time in any order. It reads no files.

use std::sync::OnceLock;

use bone_core::clip::{Channels, Step};
use bone_core::constraint::Constraint;
use bone_core::spring::{BakedSprings, Springs};
use bone_core::{BoneId, Pose, PoseError, Skeleton, WorldPose};
#[cfg(any(feature = "svg", feature = "raster"))]
use bone_drawing::Skipped;
use bone_drawing::{CanvasPose, Drawing, ElementId, Frame, Hit, PaintSink, Posable};
#[cfg(any(feature = "raster", feature = "svg"))]
use bone_render::Viewport;
#[cfg(feature = "raster")]
use bone_render::{DrawReport, FrameOptions, Pixmap, RasterError};
#[cfg(feature = "svg")]
use bone_render::{Precision, write_svg, write_svg_view};
use bone_skin::{PathId, PlayedSetups, Skin, deform_from, take_out_folds};
use kurbo::{Affine, Point, Rect};

use crate::clip::{PlayedClip, RigClip, mix_parameters};
use crate::constraints::{ConstraintState, RigConstraint};
use crate::draw_order::{ArtPose, DrawOrder, PlacedTracks};
use crate::events::RigEvent;
use crate::identity::RigIdentity;
use crate::machine::{Machine, MachineLayer};
use crate::outfit::Worn;
use crate::overrides::{OverrideError, Overrides};
use crate::parts::{RigDriver, RigParts};
use crate::property::{Camera, Slider};
use crate::state::FrameState;

/// The greatest weight of a shape, in both directions: what drivers add up to is clamped.
const MOST_SHAPE: f64 = 2.0;

/// A drawing with its skeletons, skin, drivers and clips, ready to be posed.
///
/// A frame is a pure function of the rig, the clip and the time. Everything that changes from frame to frame
/// is in a [`FrameState`], one for each thread.
#[derive(Debug)]
pub struct Rig {
    parts: RigParts,
    identity: RigIdentity,
    /// The row of each lane of art of each driver.
    driver_rows: Vec<Vec<u32>>,
    /// The rows that each outfit sets, and their values at rest.
    rests: Vec<Vec<(u32, f64)>>,
    /// The channels that each clip keys, then those that the clips of each layer of machines key; mixers alone need
    /// them.
    channels: OnceLock<Vec<Channels>>,
    rest_art: ArtPose,
}

impl Rig {
    /// A rig of these parts; none if the lengths of their lists do not agree, or a part names a bone that is
    /// not in the skeleton.
    pub fn new(mut parts: RigParts) -> Option<Self> {
        if !parts.fit() {
            return None;
        }
        let identity = RigIdentity::new();
        parts.clips.iter_mut().for_each(|clip| clip.set_rig(&identity, &parts.draw_order));
        let driver_rows = parts.drivers.iter().map(|driver| driver.art.rows(&parts.draw_order)).collect();
        let rest_art = ArtPose::new(&parts.draw_order);
        let rests = parts.outfits.iter().map(|outfit| outfit.rest(&parts.draw_order)).collect();
        Some(Self { parts, identity, driver_rows, rests, channels: OnceLock::new(), rest_art })
    }

    pub(crate) fn parts(&self) -> &RigParts {
        &self.parts
    }

    pub(crate) fn channels(&self) -> &[Channels] {
        let clips = &self.parts.clips;
        let all = || {
            let layers = self.parts.machines.iter().flat_map(|machine| &machine.layers);
            let of_layer =
                |layer: &MachineLayer| Channels::of(layer.clips().flat_map(|clip| clips[clip].motions()));
            clips.iter().map(|clip| Channels::of(clip.motions())).chain(layers.map(of_layer)).collect()
        };
        self.channels.get_or_init(all)
    }

    /// The channels that the clips of a layer of a machine key.
    pub(crate) fn layer_channels(&self, machine: usize, layer: usize) -> &Channels {
        let before = self.parts.machines[..machine].iter().map(|machine| machine.layers.len());
        &self.channels()[self.parts.clips.len() + before.sum::<usize>() + layer]
    }

    /// The state machines.
    pub fn machines(&self) -> &[Machine] {
        &self.parts.machines
    }

    /// The rows that what is worn sets, and their values at rest.
    pub(crate) fn rests<'r>(&'r self, worn: &'r Worn) -> impl Iterator<Item = (u32, f64)> {
        worn.counted.iter().flat_map(|at| self.rests[*at].iter().copied())
    }

    pub(crate) fn rest_art(&self) -> &ArtPose {
        &self.rest_art
    }

    pub(crate) fn identity(&self) -> &RigIdentity {
        &self.identity
    }

    /// Whether a state was made for this rig. One made for another rig is not, even if both were loaded from
    /// the same file.
    pub fn owns_state(&self, state: &FrameState) -> bool {
        state.rig == self.identity
    }

    /// Whether a clip or sequence is a part of this rig, or a clone of one.
    pub fn owns_clip(&self, clip: &RigClip) -> bool {
        clip.is_of(&self.identity)
    }

    /// The drawing at rest.
    pub fn art(&self) -> &Drawing {
        &self.parts.drawing
    }

    /// The bones at rest.
    pub fn skeleton(&self) -> &Skeleton {
        &self.parts.skeleton
    }

    /// The bones that are points, for overlays: a pin has no direction.
    pub fn points(&self) -> &[BoneId] {
        &self.parts.points
    }

    /// The outlines that are deformed by bones.
    pub fn skin(&self) -> &Skin {
        &self.parts.skin
    }

    /// The elements with deformed outlines, one for each path of the skin.
    pub fn posed_elements(&self) -> &[ElementId] {
        &self.parts.posed
    }

    /// The elements that move rigidly with one bone each.
    pub fn rigid_elements(&self) -> impl ExactSizeIterator<Item = (ElementId, BoneId)> {
        self.parts.rigid.iter().copied().zip(self.parts.rigid_bones.iter().copied())
    }

    /// The element of each image and marker that follows bones as a whole.
    pub fn carried_elements(&self) -> impl Iterator<Item = ElementId> {
        self.parts.carried.iter().map(|(element, _)| *element)
    }

    /// The images and markers that follow bones as a whole in a posed state: the element of each, and its map
    /// from the canvas at rest. Empty for a state of another rig.
    pub fn carried<'s>(
        &'s self,
        state: &'s FrameState,
    ) -> impl ExactSizeIterator<Item = (ElementId, Affine)> + 's {
        let maps =
            state.rigid.get(self.parts.rigid.len()..).filter(|_| self.owns_state(state)).unwrap_or_default();
        self.parts.carried.iter().map(|(element, _)| *element).zip(maps.iter().copied())
    }

    /// The art whose visibility, opacity and draw order can change.
    pub fn draw_order(&self) -> &DrawOrder {
        &self.parts.draw_order
    }

    /// The drivers, in the order in which they are applied.
    pub fn drivers(&self) -> &[RigDriver] {
        &self.parts.drivers
    }

    /// The constraints with their names, in the order in which they are applied.
    pub fn constraints(
        &self,
    ) -> impl ExactSizeIterator<Item = (&RigConstraint, &Constraint)> + DoubleEndedIterator {
        self.parts.constraints.names.iter().zip(&self.parts.constraints.constraints)
    }

    /// The bones with secondary motion.
    pub fn springs(&self) -> &Springs {
        &self.parts.springs
    }

    /// The names of the poses in the rig file. Clips have them in their curves.
    pub fn poses(&self) -> &[String] {
        &self.parts.poses
    }

    /// Names and payloads of the events of all clips, in the order of the rig.
    pub fn events(&self) -> &[RigEvent] {
        &self.parts.events
    }

    /// The clips, then the sequences, in the order of the rig.
    pub fn clips(&self) -> &[RigClip] {
        &self.parts.clips
    }

    /// The clip or sequence with this name.
    pub fn clip(&self, name: &str) -> Option<&RigClip> {
        self.parts.clips.iter().find(|clip| clip.name() == name)
    }

    /// Frames per second, unless the caller sets others.
    pub fn fps(&self) -> f64 {
        self.parts.fps
    }

    /// Holds every drawing for some frames of the rig, in place of what its clips say: 2 is "on twos", 1
    /// holds nothing.
    pub fn set_step(&mut self, frames: u32) {
        let step = (frames > 1).then_some(Step { frames, fps: self.parts.fps });
        self.parts.clips.iter_mut().for_each(|clip| clip.set_step(step));
    }

    /// Wears outfits, by places in [`outfits`](Self::outfits), in place of what the rig says. False, and nothing
    /// changes, if it does not have one of them.
    pub fn set_worn(&mut self, worn: &[usize]) -> bool {
        let has_all = worn.iter().all(|at| *at < self.parts.outfits.len());
        if has_all {
            self.parts.worn = worn.to_owned();
            self.parts.clips.iter_mut().for_each(RigClip::forget_springs);
        }
        has_all
    }

    /// The index of the constraint with this name.
    pub fn find_constraint(&self, name: &str) -> Option<usize> {
        self.parts.constraints.names.iter().position(|constraint| constraint.name.as_deref() == Some(name))
    }

    /// Poses everything at a time of a clip or sequence, or in the setup pose.
    ///
    /// # Errors
    /// [`PoseError::OtherRig`] if the clip or the state is of another rig; then the state does not change.
    /// Clips of this rig have no other error: the parents that they change were checked when they were
    /// compiled.
    pub fn pose(&self, clip: Option<&RigClip>, time: f64, state: &mut FrameState) -> Result<(), PoseError> {
        static NONE: Overrides = Overrides::new();
        self.owns(clip, state)?;
        self.pose_bones(clip, time, &NONE, state)?;
        self.deform(clip, &NONE, state);
        Ok(())
    }

    /// Poses everything at a time of a clip or sequence, or in the setup pose, with overrides on top: as a
    /// tool does whose user drags a bone, or a game whose head follows a target. Everything that is not
    /// overridden is as [`pose`](Self::pose) has it, to the bit. Springs swing as they do in the clip alone.
    ///
    /// Allocates nothing.
    ///
    /// # Errors
    /// If the clip or the state is of another rig, the rig does not have what is overridden, or a number is
    /// not finite; then the state does not change.
    pub fn pose_with(
        &self,
        clip: Option<&RigClip>,
        time: f64,
        overrides: &Overrides,
        state: &mut FrameState,
    ) -> Result<(), OverrideError> {
        self.owns(clip, state)?;
        overrides.check(self.parts())?;
        self.pose_bones(clip, time, overrides, state)?;
        self.deform(clip, overrides, state);
        Ok(())
    }

    /// Whether clip and state are of this rig.
    pub(crate) fn owns(&self, clip: Option<&RigClip>, state: &FrameState) -> Result<(), PoseError> {
        let owned = self.owns_state(state) && clip.is_none_or(|clip| self.owns_clip(clip));
        if owned { Ok(()) } else { Err(PoseError::OtherRig) }
    }

    /// The local transforms that a clip or sequence gives at a time, before drivers, constraints and springs.
    /// `scratch` is overwritten. Allocates nothing in poses that were used for this clip before.
    ///
    /// # Errors
    /// [`PoseError::OtherRig`] if the clip is of another rig.
    pub fn sample(
        &self,
        clip: &RigClip,
        time: f64,
        scratch: &mut Pose,
        pose: &mut Pose,
    ) -> Result<(), PoseError> {
        if !self.owns_clip(clip) {
            return Err(PoseError::OtherRig);
        }
        clip.sample(&self.parts.skeleton, time, scratch, pose);
        Ok(())
    }

    /// The bones: clip, overrides, drivers, constraints, springs. Overrides were checked.
    pub(crate) fn pose_bones(
        &self,
        clip: Option<&RigClip>,
        time: f64,
        overrides: &Overrides,
        state: &mut FrameState,
    ) -> Result<(), PoseError> {
        self.wear(overrides.worn(&self.parts), state);
        let FrameState { pose, mixed, weighted_clips, art, constraints, .. } = state;
        match clip {
            Some(clip) => {
                clip.sample(&self.parts.skeleton, time, mixed, pose);
                clip.weighted_clips(time, weighted_clips);
                clip.mix_art((time, weighted_clips), art);
                let playing = clip.playing(weighted_clips);
                mix_parameters(playing, &self.parts.constraints, &mut constraints.parameters);
            }
            None => {
                pose.reset(&self.parts.skeleton);
                weighted_clips.clear();
                art.reset();
                self.parts.constraints.own_parameters(&mut constraints.parameters);
            }
        }
        self.place(overrides, state)?;
        if let Some((springs, time)) =
            clip.and_then(|clip| Some((self.baked_springs(clip)?, clip.time().local(time))))
        {
            let apply = |pose: &mut Pose| springs.apply(&self.parts.skeleton, time, pose);
            self.parts.spring(&state.worn, &mut state.mixed, &mut state.driven, apply);
            state.world.forward(&self.parts.skeleton, &state.driven)?;
        }
        Ok(())
    }

    /// Overrides, drivers and constraints on the pose, the art and the parameters of a state. Overrides were
    /// checked.
    pub(crate) fn place(&self, overrides: &Overrides, state: &mut FrameState) -> Result<(), PoseError> {
        let FrameState { pose, art, driven, world, constraints, driver_values, worn, .. } = state;
        overrides.apply(&self.parts, pose, art, &mut constraints.parameters);
        worn.free_constraints(&mut constraints.parameters);
        self.drive(art, pose, driven, driver_values);
        self.constrain(driven, world, constraints, driver_values)
    }

    /// The drawing on the posed bones: art, outlines, paint, and the frame.
    pub(crate) fn deform(&self, clip: Option<&RigClip>, overrides: &Overrides, state: &mut FrameState) {
        let weighted_clips = std::mem::take(&mut state.weighted_clips);
        let playing = clip.into_iter().flat_map(|clip| clip.playing(&weighted_clips));
        self.deform_playing(playing, overrides, state);
        state.weighted_clips = weighted_clips;
    }

    /// The same for clips that play at a moment.
    pub(crate) fn deform_playing<'s>(
        &'s self,
        playing: impl Iterator<Item = PlayedClip<'s>> + Clone,
        overrides: &Overrides,
        state: &mut FrameState,
    ) {
        state.driven_art.copy_from(&state.art);
        let drivers = self.parts.drivers.iter().zip(&self.driver_rows);
        for ((driver, rows), value) in drivers.zip(&state.driver_values) {
            PlacedTracks { tracks: &driver.art, rows }.drive(*value, &mut state.driven_art);
        }
        self.parts.swap_worn(&state.worn, &mut state.driven_art);
        let camera = overrides.camera.or_else(|| state.art.camera(&self.parts.draw_order));
        state.camera = camera.map(|camera| camera.view(self.parts.drawing.canvas()));
        self.parts.draw_order.visibilities(&state.driven_art, &mut state.visibilities);
        self.parts.hide_worn(&state.worn, &mut state.visibilities);
        state.matrices.update(&self.parts.skeleton, &state.driven, &state.world);
        for (puppet, scratch) in self.parts.puppets.iter().zip(&mut state.puppets) {
            puppet.pose(&mut state.matrices, scratch);
        }
        let slider = |at: usize| state.driven_art.slider(&self.parts.draw_order, at).unwrap_or_default();
        let warps = self.parts.warps.pose(slider, &mut state.warps);
        let setups = playing.clone().map(PlayedClip::setups);
        let setups = setups.chain(self.played_shapes(&state.driven_art));
        let weights = playing.clone().map(PlayedClip::weights);
        let offsets = playing.map(PlayedClip::offsets);
        let driven = self.parts.drivers.iter().zip(&state.driver_values);
        let offsets = offsets.chain(driven.map(|(driver, value)| driver.offsets.at(*value)));
        let offsets = (offsets.chain(warps.offsets()), overrides.fixed_offsets());
        deform_from(
            &self.parts.skin,
            (&state.matrices, Some(warps)),
            (setups, weights.clone()),
            offsets,
            &mut state.posed,
        );
        take_out_folds(&self.parts.skin, &mut state.posed);
        state.rigid.clear();
        state.rigid.extend(self.parts.rigid_bones.iter().map(|bone| state.matrices.of(*bone)));
        let carried = self.parts.carried.iter();
        let carried = carried.map(|(_, it)| it.affine(&self.parts.skin, &state.matrices, &state.posed));
        state.rigid.extend(carried);
        state.paints.clear();
        let paints = self.parts.paints.iter();
        let paints = paints.map(|rule| rule.motion(&self.parts.skin, &state.matrices, &state.posed));
        state.paints.extend(paints);
        state.patches.clear();
        state.bent.clear();
        for (bent, patches) in self.parts.posable.bent_paints().iter().zip(&self.parts.patches) {
            let whole = state.paints[bent.posed].paint.unwrap_or(Affine::IDENTITY);
            let path = (&*self.parts.skin, PathId::new(bent.posed as u32));
            let (moved, drawing) = ((&state.matrices, weights.clone()), (whole, &mut state.posed));
            state.bent.push(patches.pose(path, moved, drawing, &mut state.patches));
        }
        state.mirrored.clear();
        let fills = self.parts.posable.mirrored_fills().iter().zip(&self.parts.mirrored);
        for ((fill, parts), out) in fills.zip(&mut state.parts) {
            let path = &state.posed.paths()[fill.posed];
            state.mirrored.push(parts.pose(&state.matrices, path, out));
        }
        // Its memory is used again.
        let mut frame = std::mem::take(&mut state.frame);
        let pose = CanvasPose {
            at_rest: state.posed.at_rest(),
            bent: &state.bent,
            patches: state.patches.outlines(),
            patch_paints: state.patches.maps(),
            ..canvas_pose(&self.parts.draw_order, state)
        };
        state.skipped = self.parts.posable.frame(&pose, &mut frame);
        frame.repaints = None;
        state.frame = frame;
    }

    /// The other shapes that paths take in a pose of art.
    fn played_shapes<'r>(&'r self, art: &ArtPose) -> impl Iterator<Item = PlayedSetups<'r>> + Clone {
        let weights =
            art.shapes(&self.parts.draw_order).iter().map(|weight| weight.clamp(-MOST_SHAPE, MOST_SHAPE));
        let shapes = self.parts.shapes.iter().zip(weights);
        // A weight that is not a number is none.
        let shapes = shapes.filter(|(_, weight)| weight.abs() > 0.0);
        shapes.map(|(setups, weight)| PlayedSetups { setups, at: 0.0, weight })
    }

    /// The frame of a posed state with outlines that have the same pieces in every pose, for what is
    /// interpolated between frames. [`FrameState::frame`] has art at rest as it is drawn, and gradients of bent
    /// art in patches; here they follow it by one affine map.
    pub fn frame_in_pieces(&self, state: &FrameState, frame: &mut Frame) {
        let pose = CanvasPose { in_pieces: true, ..canvas_pose(&self.parts.draw_order, state) };
        self.parts.posable.frame(&pose, frame);
    }

    /// Where the camera of a posed state shows each point of the canvas, on the canvas; none if the rig has no camera
    /// that moves. Bones, outlines and handles are on the canvas without it; frames, hits and bounds are with it.
    pub fn camera(&self, state: &FrameState) -> Option<Affine> {
        state.camera.filter(|_| self.owns_state(state))
    }

    /// The camera that shows the drawing as it is, for [`Overrides::camera`]; none if the rig has no camera that moves.
    pub fn page_camera(&self) -> Option<Camera> {
        self.parts.draw_order.camera.map(|_| Camera::of_page(self.parts.drawing.canvas()))
    }

    /// The sliders, in the order of the rig.
    pub fn sliders(&self) -> &[Slider] {
        &self.parts.draw_order.sliders
    }

    /// The art whose gradients are bent in a posed state, in a way that one affine map does not show: see
    /// [`frame_in_pieces`](Self::frame_in_pieces). None for a state of another rig.
    pub fn bent_paints<'s>(&'s self, state: &'s FrameState) -> impl Iterator<Item = ElementId> + 's {
        let bent = if self.owns_state(state) { &state.bent[..] } else { &[] };
        let shapes = self.parts.posable.bent_paints().iter().zip(bent);
        shapes.filter(|(_, is_bent)| **is_bent).map(|(shape, _)| self.parts.posed[shape.posed])
    }

    /// Adds what the drivers add to a pose before the constraints, and gets the value that each driver read.
    fn drive(&self, art: &ArtPose, pose: &Pose, driven: &mut Pose, driver_values: &mut Vec<f64>) {
        driven.copy_from(pose);
        driver_values.clear();
        driver_values.resize(self.parts.drivers.len(), 0.0);
        let drivers = self.parts.drivers.iter().zip(driver_values);
        for (driver, value) in drivers.filter(|(driver, _)| !driver.after_constraints) {
            *value = match driver.slider {
                Some(slider) => {
                    let value = art.slider(&self.parts.draw_order, slider).unwrap_or_default();
                    driver.motion.apply_at(value, driven);
                    value
                }
                None => driver.motion.apply(&self.parts.skeleton, driven),
            };
        }
    }

    /// Places the driven pose, applies the constraints to both, and then the drivers that read what
    /// constraints move.
    fn constrain(
        &self,
        pose: &mut Pose,
        world: &mut WorldPose,
        constraints: &mut ConstraintState,
        driver_values: &mut [f64],
    ) -> Result<(), PoseError> {
        world.forward(&self.parts.skeleton, pose)?;
        let count = self.parts.constraints.constraints.len();
        self.parts.constraints.apply(count, &self.parts.skeleton, pose, world, constraints);
        let mut moved = false;
        let drivers = self.parts.drivers.iter().zip(driver_values);
        for (driver, value) in drivers.filter(|(driver, _)| driver.after_constraints) {
            *value = driver.motion.apply(&self.parts.skeleton, pose);
            moved |= driver.motion.driven().next().is_some();
        }
        if moved { world.forward(&self.parts.skeleton, pose) } else { Ok(()) }
    }

    /// Radians by which the springs of a looped clip differ at its ends before they are corrected, and the
    /// bone that differs most. None without springs, without a loop, or for a clip of another rig.
    pub fn spring_seam(&self, clip: &RigClip) -> Option<(BoneId, f64)> {
        if !self.owns_clip(clip) || !clip.time().looped {
            return None;
        }
        self.baked_springs(clip)?.seam_at()
    }

    /// Computes what all frames of a clip share: its secondary motion, which takes long. Otherwise its first
    /// frame does it. Nothing is done for a clip of another rig.
    pub fn prepare(&self, clip: &RigClip) {
        if self.owns_clip(clip) {
            self.baked_springs(clip);
        }
    }

    /// The secondary motion of the spring bones in a clip.
    fn baked_springs<'a>(&self, clip: &'a RigClip) -> Option<&'a BakedSprings> {
        if self.parts.springs.is_empty() {
            return None;
        }
        let bake = || {
            let (mut pose, mut mixed) = (Pose::new(&self.parts.skeleton), Pose::new(&self.parts.skeleton));
            let (mut driver_values, mut weighted_clips) = (Vec::new(), Vec::new());
            let mut art = ArtPose::new(&self.parts.draw_order);
            let mut constraints = ConstraintState::new(&self.parts.skeleton, &self.parts.constraints);
            let worn = self.parts.own_worn();
            // The motion is continuous; drawings are held afterwards.
            let animate = |time: f64, driven: &mut Pose, world: &mut WorldPose| {
                clip.sample_moving(&self.parts.skeleton, time, &mut mixed, &mut pose);
                clip.weighted_clips(time, &mut weighted_clips);
                let playing = clip.playing(&weighted_clips);
                if !self.parts.draw_order.sliders.is_empty() {
                    clip.mix_art((time, &weighted_clips), &mut art);
                }
                self.drive(&art, &pose, driven, &mut driver_values);
                mix_parameters(playing, &self.parts.constraints, &mut constraints.parameters);
                worn.free_constraints(&mut constraints.parameters);
                self.constrain(driven, world, &mut constraints, &mut driver_values)
            };
            let time = clip.time().moving();
            let (springs, skeleton) = (&self.parts.springs, &self.parts.skeleton);
            let baked = clip.with_last_bake(|last| match last {
                _ if !clip.cuts().is_empty() => springs.bake_pieces(skeleton, time, clip.cuts(), animate),
                Some(last) => springs.bake_again(skeleton, time, animate, last),
                None => springs.bake(skeleton, time, animate),
            });
            baked.ok()
        };
        clip.baked_springs().get_or_init(bake).as_ref()
    }

    /// The drawing with slots for everything that moves: [`FrameState::frame`] is a frame of it.
    pub fn posable(&self) -> &Posable {
        &self.parts.posable
    }

    /// Writes the posed drawing as an SVG into `state.svg()`: ids, groups and labels of the drawing are kept.
    /// A state of another rig gives the drawing at rest.
    ///
    /// Returns how many parts had numbers that no SVG can hold and stayed at rest.
    #[cfg(feature = "svg")]
    pub fn write_svg(&self, state: &mut FrameState) -> Skipped {
        let (owned, rest) = (self.owns_state(state), Frame::default());
        let FrameState { frame, svg, skipped, .. } = state;
        let (frame, skipped) = if owned { (&*frame, *skipped) } else { (&rest, Skipped::default()) };
        write_svg(frame.repainted(self.parts.posable.drawing()), frame, Precision::Exact, svg);
        skipped
    }

    /// The same for a view: an SVG of the size of the picture that shows this part of the drawing.
    #[cfg(feature = "svg")]
    pub fn write_svg_view(&self, state: &mut FrameState, view: &Viewport) -> Skipped {
        let (owned, rest) = (self.owns_state(state), Frame::default());
        let FrameState { frame, svg, skipped, .. } = state;
        let (frame, skipped) = if owned { (&*frame, *skipped) } else { (&rest, Skipped::default()) };
        write_svg_view(frame.repainted(self.parts.posable.drawing()), frame, view, Precision::Exact, svg);
        skipped
    }

    /// Draws the posed drawing, pixel for pixel as its SVG would be drawn. What did not change since the last
    /// frame of this state is not drawn again. A state of another rig gives the drawing at rest.
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
        let (owned, rest) = (self.owns_state(state), Frame::default());
        let FrameState { frame, renderer, skipped, .. } = state;
        let (frame, skipped) = if owned { (&*frame, *skipped) } else { (&rest, Skipped::default()) };
        let drawn = renderer.draw(frame.repainted(self.parts.posable.drawing()), frame, options, pixmap)?;
        Ok(DrawReport { skipped, ..drawn })
    }

    /// Draws a view of the posed drawing into the caller's memory, as
    /// [`Renderer::draw_into`](bone_render::Renderer::draw_into) does. A state of another rig gives the drawing at
    /// rest.
    ///
    /// # Errors
    /// As [`Renderer::draw_into`](bone_render::Renderer::draw_into).
    #[cfg(feature = "raster")]
    pub fn draw_into(
        &self,
        state: &mut FrameState,
        view: &Viewport,
        pixels: &mut [u8],
    ) -> Result<DrawReport, RasterError> {
        let (owned, rest) = (self.owns_state(state), Frame::default());
        let FrameState { frame, renderer, skipped, .. } = state;
        let (frame, skipped) = if owned { (&*frame, *skipped) } else { (&rest, Skipped::default()) };
        let drawn = renderer.draw_into(frame.repainted(self.parts.posable.drawing()), frame, view, pixels)?;
        Ok(DrawReport { skipped, ..drawn })
    }

    /// Paints the posed drawing into a sink, back to front. `view` maps pixels at scale 1 to the space of the
    /// sink. A state of another rig gives the drawing at rest.
    pub fn paint(&self, state: &FrameState, view: Affine, sink: &mut dyn PaintSink) {
        let rest = Frame::default();
        let frame = if self.owns_state(state) { &state.frame } else { &rest };
        self.parts.posable.drawing().paint(frame, view, sink);
    }

    /// The box of everything that is painted in a posed state, in the drawing's pixels at scale 1. None if
    /// nothing is. A state of another rig gives that of the drawing at rest.
    pub fn painted_box(&self, state: &FrameState) -> Option<Rect> {
        let rest = Frame::default();
        let frame = if self.owns_state(state) { &state.frame } else { &rest };
        self.parts.posable.drawing().painted_box(frame)
    }

    /// The art that is in front at a point of the canvas, as the camera shows it, or no farther from it than `reach`
    /// canvas units. None for a state of another rig.
    pub fn hit_test(&self, state: &FrameState, at: Point, reach: f64) -> Option<Hit> {
        let drawing = self.parts.posable.drawing();
        if self.owns_state(state) { drawing.hit_test(&state.frame, at, reach) } else { None }
    }
}

impl FrameState {
    /// Memory for the frames of a rig, in its setup pose.
    pub fn new(rig: &Rig) -> Self {
        Self::of(rig.parts(), rig.identity())
    }

    /// Becomes the memory for the frames of another rig, in its setup pose, like a new one. It keeps the memory
    /// that it has, and the picture of a drawing that both rigs show, for rigs that are compiled one after the
    /// other.
    pub fn renew(&mut self, rig: &Rig) {
        self.become_of(rig.parts(), rig.identity());
    }
}

/// What frames of both kinds have in common.
fn canvas_pose<'s>(draw_order: &DrawOrder, state: &'s FrameState) -> CanvasPose<'s> {
    CanvasPose {
        rigid: &state.rigid,
        outlines: state.posed.paths(),
        paints: &state.paints,
        visibilities: &state.visibilities,
        looks: state.driven_art.looks(draw_order),
        trims: state.driven_art.trims(draw_order),
        inks: state.driven_art.inks(draw_order),
        tints: state.driven_art.tints(draw_order),
        gradient_values: state.driven_art.gradients(draw_order),
        filter_steps: state.driven_art.filter_steps(draw_order),
        camera: state.camera,
        mirrored: &state.mirrored,
        parts: &state.parts,
        ..CanvasPose::default()
    }
}
