//! A player: what plays, what is set, and the moment that came of it.

use std::sync::Arc;

use bone_core::BoneId;
use bone_drawing::{ElementId, ImageData, PaintPart, PaintSink};
#[cfg(feature = "raster")]
use bone_render::{DrawReport, RasterError, Viewport};
use bone_rig::{
    BoneOverride, EventId, FrameState, Handle, KeptMoment, LayerOptions, Mixer, MixerError, MixerEvent,
    Overrides, Playback,
};
use kurbo::{Affine, Point, Rect};

use crate::character::{Character, ClipKey, MachineKey, StateKey};
use crate::error::PlayerError;
use crate::input::{InputId, InputKind, InputValue, replace};
use crate::repeat::{AtEnd, PlayRepeat, PlayRound};
use crate::scratch::{MomentStamp, PlayerScratch};
use crate::sets::{NodeSets, set_text};

/// Plays the clips of a [`Character`]. The same calls with the same numbers give the same frames to the bit, whatever
/// scratch memory they use.
///
/// Places are on the canvas of the drawing, as those of bones are; the view of [`paint`](Self::paint) is of its pixels.
/// Colours and pictures are seen at once; inputs, words and bones that are set are seen from the next
/// [`step`](Self::step) on, be it one of 0 seconds.
#[derive(Debug)]
pub struct Player {
    character: Character,
    mixer: Mixer,
    overrides: Overrides,
    sets: NodeSets,
    moment: KeptMoment,
    source: MomentSource,
    identity: Arc<()>,
    /// Counts what changes the picture.
    changes: u64,
    rounds: Vec<PlayRound>,
    turns: Vec<(Playback, AtEnd)>,
    inputs: Vec<InputId>,
    /// Inputs of machines that were set: the machine, its input and the number.
    machine_values: Vec<(usize, usize, f64)>,
    events: Vec<PlayerEvent>,
}

/// For how many events of a step memory is reserved.
const USUAL_EVENTS: usize = 16;

/// Where the moment comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum MomentSource {
    Setup,
    Exact(ClipKey, f64),
    Mixed,
}

/// How a clip is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayOptions {
    /// Seconds in which it replaces what has played.
    pub fade: f64,
    /// Seconds of the clip in a second; below 0 it plays backwards.
    pub speed: f64,
    /// How often it plays.
    pub repeat: PlayRepeat,
    /// The time of the clip at which it begins.
    pub at: f64,
}

impl Default for PlayOptions {
    fn default() -> Self {
        Self { fade: 0.0, speed: 1.0, repeat: PlayRepeat::AsClip, at: 0.0 }
    }
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum PlayerEvent {
    /// A clip began anew.
    Looped {
        /// The clip.
        of: Playback,
        /// How many times within the step.
        times: u32,
    },
    /// A clip came to its end, and stays there.
    Ended {
        /// The clip.
        of: Playback,
    },
    /// A clip has faded out, or another one has covered it.
    Removed {
        /// The clip.
        of: Playback,
    },
    /// A clip passed an event of its keys.
    Marker {
        /// The clip.
        of: Playback,
        /// The event; [`Rig::events`](bone_rig::Rig::events) has its name and what it carries.
        event: EventId,
        /// The share that the clip has in the pose.
        weight: f64,
    },
    /// An input was set to another value before the step.
    Input {
        /// The input.
        input: InputId,
    },
    /// A layer of the machine entered a state.
    State {
        /// The layer.
        layer: usize,
        /// The state.
        state: StateKey,
    },
    /// The transitions of a layer of the machine lead round in a circle without taking time.
    Stuck {
        /// The layer.
        layer: usize,
    },
    /// More than 1,000 markers were passed; the rest is left out.
    Overflow,
}

impl Character {
    /// A player in the setup pose.
    pub fn player(&self) -> Player {
        Player::of(self.clone())
    }
}

impl Player {
    fn of(character: Character) -> Self {
        let rig = character.rig();
        Self {
            mixer: Mixer::new(rig),
            moment: KeptMoment::new(rig),
            overrides: Overrides::new(),
            sets: NodeSets::default(),
            source: MomentSource::Setup,
            identity: Arc::new(()),
            changes: 0,
            rounds: Vec::new(),
            turns: Vec::new(),
            inputs: Vec::new(),
            machine_values: Vec::new(),
            events: Vec::new(),
            character,
        }
    }

    /// What it plays the clips of.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// Fades from what has played into a clip. Layers stay above it.
    ///
    /// # Errors
    /// If it is a clip of another character, or a number is not usable.
    pub fn play(&mut self, clip: ClipKey, options: PlayOptions) -> Result<Playback, PlayerError> {
        let PlayOptions { fade, speed, repeat, at } = options;
        let own = self.character.get(clip)?;
        check(speed, "speed")?;
        check(at, "time")?;
        let of = self.mixer.play(self.character.rig(), own, fade)?;
        self.events.reserve(USUAL_EVENTS.saturating_sub(self.events.len()));
        self.turns.reserve(1);
        self.mixer.set_speed(of, speed)?;
        self.mixer.set_time(of, at)?;
        self.rounds.push(PlayRound::new(of, own.time().length, speed, repeat));
        Ok(of)
    }

    /// Puts a clip above all others: the values that it keys.
    ///
    /// # Errors
    /// If the clip or a bone is another character's, or a number is not usable.
    pub fn layer(&mut self, clip: ClipKey, options: LayerOptions<'_>) -> Result<Playback, PlayerError> {
        let own = self.character.get(clip)?;
        let of = self.mixer.layer(self.character.rig(), own, options)?;
        self.rounds.push(PlayRound::new(of, own.time().length, 1.0, PlayRepeat::AsClip));
        Ok(of)
    }

    /// Fades from what has played into a state machine, which plays its clips by the inputs of its name until something
    /// else is played. Layers stay above it. Numbers and flags that were set before count from its beginning.
    ///
    /// # Errors
    /// If it is a machine of another character, or `fade` is not usable.
    pub fn start(&mut self, machine: MachineKey, fade: f64) -> Result<(), PlayerError> {
        let rig = self.character.rig();
        self.mixer.start(rig, machine.index(), fade)?;
        for (_, part, value) in self.machine_values.iter().filter(|(of, ..)| *of == machine.index()) {
            self.mixer.set_machine_input(rig, *part, *value)?;
        }
        Ok(())
    }

    /// The state that a layer of the machine that runs is in.
    pub fn state(&self, layer: usize) -> Option<StateKey> {
        let (machine, state) = self.mixer.machine().zip(self.mixer.machine_state(layer))?;
        Some(self.character.state_key(machine, layer, state))
    }

    /// Fades from what has played into the setup pose. Layers stay above it.
    ///
    /// # Errors
    /// If `fade` is not usable.
    pub fn rest(&mut self, fade: f64) -> Result<Playback, PlayerError> {
        Ok(self.mixer.rest(self.character.rig(), fade)?)
    }

    /// Fades a clip out within some seconds, at once for 0. What was played last fades into the setup pose.
    ///
    /// # Errors
    /// If it has ended, or `fade` is not usable.
    pub fn stop(&mut self, of: Playback, fade: f64) -> Result<(), PlayerError> {
        Ok(self.mixer.stop(self.character.rig(), of, fade)?)
    }

    /// Moves a clip to a time of its own.
    ///
    /// # Errors
    /// If it has ended, or the time is not finite.
    pub fn seek(&mut self, of: Playback, time: f64) -> Result<(), PlayerError> {
        Ok(self.mixer.set_time(of, time)?)
    }

    /// Sets how many seconds of a clip play in a second; below 0 it plays backwards.
    ///
    /// # Errors
    /// If it has ended, or the speed is not finite.
    pub fn set_speed(&mut self, of: Playback, speed: f64) -> Result<(), PlayerError> {
        self.mixer.set_speed(of, speed)?;
        self.rounds.iter_mut().filter(|round| round.of == of).for_each(|round| round.speed = speed);
        Ok(())
    }

    /// Sets the weight of a layer, from 0 to 1.
    ///
    /// # Errors
    /// If it has ended or is no layer, or the weight is not finite.
    pub fn set_weight(&mut self, of: Playback, weight: f64) -> Result<(), PlayerError> {
        Ok(self.mixer.set_weight(of, weight)?)
    }

    /// The time of a clip, in its own seconds; none if it has ended.
    pub fn time(&self, of: Playback) -> Option<f64> {
        self.mixer.time(of)
    }

    /// Advances all clips by some seconds: bones, springs and events. The drawing follows where it is asked for.
    /// Allocates nothing after the first steps with as many clips.
    ///
    /// # Errors
    /// If `seconds` is below 0 or not finite, or the parents of bones in two clips form a cycle.
    pub fn step(&mut self, seconds: f64, scratch: &mut PlayerScratch) -> Result<(), PlayerError> {
        let rig = self.character.rig();
        for round in &mut self.rounds {
            round.at = self.mixer.time(round.of).unwrap_or_default();
        }
        let state = scratch.begin(rig);
        self.mixer.step_bones(rig, seconds, &self.overrides, state, &mut self.moment)?;
        self.source = MomentSource::Mixed;
        self.changes += 1;
        self.report(seconds);
        Ok(())
    }

    /// Translates the events of the step, and lets clips begin anew or stay at their end.
    fn report(&mut self, seconds: f64) {
        self.events.clear();
        self.events.extend(self.inputs.drain(..).map(|input| PlayerEvent::Input { input }));
        for event in self.mixer.events() {
            let rounds = &mut self.rounds;
            match *event {
                MixerEvent::Looped { of, times } => {
                    self.events.push(PlayerEvent::Looped { of, times });
                    if let Some(turn @ AtEnd::Stop) = round_of(rounds, of).map(|round| round.looped(times)) {
                        self.events.push(PlayerEvent::Ended { of });
                        self.turns.push((of, turn));
                    }
                }
                MixerEvent::Ended { of } => match round_of(rounds, of).map(|round| round.ended(seconds)) {
                    Some(turn @ AtEnd::Again(_)) => {
                        self.events.push(PlayerEvent::Looped { of, times: 1 });
                        self.turns.push((of, turn));
                    }
                    _ => self.events.push(PlayerEvent::Ended { of }),
                },
                MixerEvent::Key { of, event, weight } => {
                    self.events.push(PlayerEvent::Marker { of, event, weight });
                }
                MixerEvent::Removed { of } => {
                    self.events.push(PlayerEvent::Removed { of });
                    rounds.retain(|round| round.of != of);
                }
                MixerEvent::State { layer, state } => {
                    let machine = self.mixer.machine().unwrap_or_default();
                    let state = self.character.state_key(machine, layer, state);
                    self.events.push(PlayerEvent::State { layer, state });
                }
                MixerEvent::Stuck { layer } => self.events.push(PlayerEvent::Stuck { layer }),
                MixerEvent::Overflow => self.events.push(PlayerEvent::Overflow),
                _ => {}
            }
        }
        while let Some((of, turn)) = self.turns.pop() {
            // What has been removed in the same step has no time any more.
            let _: Result<(), MixerError> = match turn {
                AtEnd::AsItIs => Ok(()),
                AtEnd::Again(at) => self.mixer.set_time(of, at),
                AtEnd::Stop => self.mixer.set_speed(of, 0.0).and_then(|()| self.mixer.set_time(of, 0.0)),
            };
        }
    }

    /// What happened in the last step.
    pub fn events(&self) -> &[PlayerEvent] {
        &self.events
    }

    /// Poses a moment of a clip as `render-frames` draws it, its baked springs included, with what is set on top. What
    /// plays goes on with the next step.
    ///
    /// # Errors
    /// If it is a clip of another character, or the time is not finite.
    pub fn exact(
        &mut self,
        clip: ClipKey,
        time: f64,
        scratch: &mut PlayerScratch,
    ) -> Result<(), PlayerError> {
        check(time, "time")?;
        let own = self.character.get(clip)?;
        let rig = self.character.rig();
        let state = scratch.begin(rig);
        rig.moment(Some(own), time, &self.overrides, state, &mut self.moment)?;
        self.source = MomentSource::Exact(clip, time);
        self.changes += 1;
        self.events.clear();
        Ok(())
    }

    /// Sets an input.
    ///
    /// # Errors
    /// If it is an input of another character, or takes another value.
    pub fn set_input(&mut self, input: InputId, value: InputValue) -> Result<(), PlayerError> {
        let info = self.character.inputs().get(input.index()).ok_or(PlayerError::OtherCharacter)?;
        if let Some((machine, part, value)) = info.of_machine(value)? {
            if self.mixer.machine() == Some(machine) {
                self.mixer.set_machine_input(self.character.rig(), part, value)?;
            }
            if info.kind != InputKind::Trigger {
                self.machine_values.retain(|(of, own, _)| (*of, *own) != (machine, part));
                self.machine_values.push((machine, part, value));
            }
            if !self.inputs.contains(&input) {
                self.inputs.push(input);
            }
            return Ok(());
        }
        let changed = info.set(self.character.rig(), value, &mut self.overrides)?;
        if changed && !self.inputs.contains(&input) {
            self.inputs.push(input);
        }
        Ok(())
    }

    /// Sets a trigger, which counts in the next step.
    ///
    /// # Errors
    /// If it is an input of another character, or no trigger.
    pub fn fire(&mut self, input: InputId) -> Result<(), PlayerError> {
        let info = self.character.inputs().get(input.index()).ok_or(PlayerError::OtherCharacter)?;
        if info.kind != InputKind::Trigger {
            return Err(PlayerError::Input { name: info.name.clone(), wanted: "a value: it is no trigger" });
        }
        self.set_input(input, InputValue::Number(1.0))
    }

    /// Sets the colour of a part of all shapes in an element, in place of any paint: red, green, blue and alpha in
    /// sRGB, from 0 to 1. None gives back what the clips have.
    ///
    /// # Errors
    /// If it is an element of another character or has no such paint, or a number is not finite.
    pub fn set_color(
        &mut self,
        element: ElementId,
        part: PaintPart,
        color: Option<[f32; 4]>,
    ) -> Result<(), PlayerError> {
        self.sets.color(self.character.rig(), element, part, color)?;
        self.changes += 1;
        Ok(())
    }

    /// Sets the picture of all images in an element; it fills the box of the drawing's own.
    ///
    /// # Errors
    /// If it is an element of another character, or has no image.
    pub fn set_image(&mut self, element: ElementId, image: Option<&ImageData>) -> Result<(), PlayerError> {
        self.sets.image(self.character.rig(), element, image)?;
        self.changes += 1;
        Ok(())
    }

    /// Leaves an element out, or shows it where a clip hides it. None gives back what the clips have.
    ///
    /// # Errors
    /// If it is an element of another character, or not drawn.
    pub fn set_visible(&mut self, element: ElementId, on: Option<bool>) -> Result<(), PlayerError> {
        self.sets.visible(self.character.rig(), element, on, &mut self.overrides)?;
        self.changes += 1;
        Ok(())
    }

    /// Sets the words of a text: some that the clips of the rig show, or its own.
    ///
    /// # Errors
    /// If it is an element of another character, no text, or the rig has not kept these words.
    pub fn set_text(&mut self, element: ElementId, text: Option<&str>) -> Result<(), PlayerError> {
        set_text(self.character.rig(), element, text, &mut self.overrides).map(|_| ())
    }

    /// Puts outfits on, in this order, in place of those that the character wears by itself. None gives these back. The
    /// next moment shows it: a step of 0 seconds, where the player stands still.
    ///
    /// # Errors
    /// If it is an outfit of another character.
    pub fn wear(&mut self, outfits: Option<&[usize]>) -> Result<(), PlayerError> {
        let outfits = outfits.unwrap_or(self.character.rig().worn());
        if outfits.iter().any(|at| *at >= self.character.outfits().len()) {
            return Err(PlayerError::OtherCharacter);
        }
        let worn = self.overrides.worn.get_or_insert_default();
        worn.clear();
        worn.extend_from_slice(outfits);
        Ok(())
    }

    /// A bone in the last moment: from its own frame to the canvas. None for a bone of another character.
    pub fn bone(&self, bone: BoneId) -> Option<Affine> {
        self.moment.world().matrices().get(bone.index()).copied()
    }

    /// Sets the transform of a bone in the frame of its parent, or adds to it.
    ///
    /// # Errors
    /// If it is a bone of another character, or a number is not finite.
    pub fn set_bone(&mut self, bone: BoneId, set: Option<BoneOverride>) -> Result<(), PlayerError> {
        if !self.character.rig().skeleton().contains(bone) {
            return Err(PlayerError::OtherCharacter);
        }
        if let Some(BoneOverride::Set(pose) | BoneOverride::Add(pose)) = set
            && !pose.is_finite()
        {
            return Err(PlayerError::Number { what: "bone" });
        }
        replace(&mut self.overrides.bones, bone, set);
        Ok(())
    }

    /// Drags a handle to a place on the canvas, in the setup pose or in the last [exact](Self::exact) moment: what is
    /// set of bones, targets or vertices changes. Returns where the handle is now.
    ///
    /// # Errors
    /// If clips play, or the handle cannot be moved.
    pub fn drag(
        &mut self,
        handle: Handle,
        to: Point,
        scratch: &mut PlayerScratch,
    ) -> Result<Point, PlayerError> {
        let (clip, time) = match self.source {
            MomentSource::Setup => (None, 0.0),
            MomentSource::Exact(clip, time) => (Some(self.character.get(clip)?), time),
            MomentSource::Mixed => return Err(PlayerError::Playing),
        };
        let rig = self.character.rig();
        let state = scratch.begin(rig);
        let place =
            rig.drag(clip, time, &mut self.overrides, handle, to, state).map_err(PlayerError::Drag)?;
        rig.moment(clip, time, &self.overrides, state, &mut self.moment)?;
        self.changes += 1;
        Ok(place)
    }

    /// The state with the drawing of the last moment.
    fn shown<'s>(&self, scratch: &'s mut PlayerScratch) -> &'s mut FrameState {
        let rig = self.character.rig();
        let stamp = MomentStamp { player: self.identity.clone(), moment: self.changes };
        // A state of the same rig may have been moved to the end.
        scratch.state(rig);
        if !scratch.shows(&stamp) {
            let state = scratch.begin(rig);
            // All of them were checked as they were set.
            let shown = rig.show(&self.moment, &self.overrides, self.sets.repaints(), state);
            if shown.is_ok() {
                scratch.showing(stamp);
            }
        }
        scratch.state(rig)
    }

    /// The box of what is painted on the canvas of an element, or of everything. None if nothing is.
    pub fn bounds(&self, of: Option<ElementId>, scratch: &mut PlayerScratch) -> Option<Rect> {
        let drawing = self.character.rig().posable().drawing();
        let frame = self.shown(scratch).frame();
        let painted = match of {
            None => drawing.painted_box(frame),
            Some(element) => drawing.painted_box_of(frame, &|node| {
                drawing.element_around(node).is_some_and(|own| drawing.is_within(own, element))
            }),
        };
        let to_canvas = drawing.canvas_to_output().inverse();
        painted.map(|painted| to_canvas.transform_rect_bbox(painted))
    }

    /// The element that is in front at a point of the canvas, or no farther from it than `reach`.
    pub fn hit(&self, at: Point, reach: f64, scratch: &mut PlayerScratch) -> Option<ElementId> {
        let usable = at.is_finite() && reach.is_finite();
        let state = self.shown(scratch);
        let hit = usable.then(|| self.character.rig().hit_test(state, at, reach)).flatten();
        hit.and_then(|hit| hit.element)
    }

    /// Paints the last moment into a sink, back to front. `view` maps pixels at scale 1 to the space of the sink.
    pub fn paint(&self, scratch: &mut PlayerScratch, view: Affine, sink: &mut dyn PaintSink) {
        let drawing = self.character.rig().posable().drawing();
        let mut stack = std::mem::take(&mut scratch.stack);
        drawing.paint_with(self.shown(scratch).frame(), view, sink, &mut stack);
        scratch.stack = stack;
    }

    /// Puts the triangles of the last moment into a mesh. Allocates nothing after the first frames, but for outlines
    /// whose triangles turn over or are not opaque, and for strokes.
    #[cfg(feature = "mesh")]
    pub fn mesh(
        &self,
        scratch: &mut PlayerScratch,
        view: bone_mesh::MeshView,
        mesh: &mut bone_mesh::FrameMesh,
    ) {
        let drawing = self.character.rig().posable().drawing();
        self.shown(scratch);
        let Some((state, meshes, stack)) = scratch.shown(self.character.rig()) else { return };
        bone_mesh::fill_mesh(drawing, state.frame(), view, stack, meshes, mesh);
    }

    /// The file of an image as it is shown.
    pub fn image(&self, node: bone_drawing::NodeId) -> Option<&ImageData> {
        let set = self.sets.repaints().and_then(|repaints| repaints.image(node));
        set.or_else(|| match &self.character.rig().posable().drawing().node(node)?.kind {
            bone_drawing::NodeKind::Image(image) => Some(&image.data),
            _ => None,
        })
    }

    /// Draws the last moment into memory of the caller's: four bytes a pixel, colours multiplied by alpha.
    /// After colours, pictures or visibility were set, the first picture takes as long as that of a new character.
    ///
    /// # Errors
    /// If `pixels` has not the size of the view, or there is no memory.
    #[cfg(feature = "raster")]
    pub fn draw_into(
        &self,
        scratch: &mut PlayerScratch,
        view: &Viewport,
        pixels: &mut [u8],
    ) -> Result<DrawReport, RasterError> {
        let state = self.shown(scratch);
        self.character.rig().draw_into(state, view, pixels)
    }
}

fn round_of(rounds: &mut [PlayRound], of: Playback) -> Option<&mut PlayRound> {
    rounds.iter_mut().find(|round| round.of == of)
}

fn check(number: f64, what: &'static str) -> Result<(), PlayerError> {
    if number.is_finite() { Ok(()) } else { Err(PlayerError::Number { what }) }
}
