//! What a program sets on top of a clip: bones, art, offsets of vertices, and parameters of constraints.

use std::error::Error;
use std::fmt;

use bone_core::constraint::{Bend, ConstraintParameters};
use bone_core::{BoneId, BonePose, Pose, PoseError};
use bone_drawing::{ArtProperty, ElementId};
use bone_skin::{FixedOffset, OffsetSpace, PathId, VertexPoint};
use kurbo::{Point, Vec2};

use crate::draw_order::{ArtPose, ArtValue, Choice};
use crate::parts::RigParts;
use crate::property::Camera;

/// What [`Rig::pose_with`](crate::Rig::pose_with) puts on top of a clip. Plain data: it can be kept, copied and used with another
/// rig of the same bones, and what that rig does not have is an error of `pose_with`.
///
/// It is applied where clips are: to the pose before drivers, constraints and springs, which then act as
/// always. Nothing is allocated but by new entries; [`clear`](Self::clear) keeps the memory.
///
/// To set a whole pose by hand, set each bone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// The local transforms of bones.
    pub bones: OverrideList<BoneId, BoneOverride>,
    /// The values of art that the rig has in its [`DrawOrder`](crate::DrawOrder), in place of those of the clip:
    /// 0 hides and 1 shows; a child is chosen by [`Choice::value`](crate::Choice::value). Drivers act on them as on a clip's.
    pub art: OverrideList<(ElementId, ArtProperty), ArtValue>,
    /// Offsets of vertex points. They are added to those of clips and drivers.
    pub offsets: OverrideList<(PathId, usize, VertexPoint), VertexOffset>,
    /// Values of sliders, by their place in [`Rig::sliders`](crate::Rig::sliders).
    pub sliders: OverrideList<usize, f64>,
    /// Weights of shapes, by their place in [`DrawOrder::shapes`](crate::DrawOrder::shapes).
    pub shapes: OverrideList<usize, f64>,
    /// The camera, in place of that of the clip, which [`FrameState::art`](crate::FrameState::art) still has.
    /// [`Camera::of_page`] shows everything where it is.
    pub camera: Option<Camera>,
    /// What is worn, by places in [`Rig::outfits`](crate::Rig::outfits), in place of what the rig wears. Springs of a
    /// clip, which are computed once, swing as with what the rig wears.
    pub worn: Option<Vec<usize>>,
    /// Parameters of constraints, by their index in [`Rig::constraints`](crate::Rig::constraints); see [`Rig::find_constraint`](crate::Rig::find_constraint).
    pub constraints: OverrideList<usize, ConstraintOverride>,
}

/// Values by their keys, sorted.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideList<K, V>(Vec<(K, V)>);

impl<K, V> Default for OverrideList<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> OverrideList<K, V> {
    /// Without entries.
    pub const fn new() -> Self {
        Self(Vec::new())
    }
}

impl<K: Copy + Ord, V: Copy> OverrideList<K, V> {
    /// Sets a value, in place of one with the same key.
    pub fn set(&mut self, key: K, value: impl Into<V>) {
        let value = value.into();
        match self.place(key) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (key, value)),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: K) -> Option<V> {
        self.place(key).ok().map(|at| self.0[at].1)
    }

    /// Removes a value, and returns it.
    pub fn remove(&mut self, key: K) -> Option<V> {
        self.place(key).ok().map(|at| self.0.remove(at).1)
    }

    /// All entries, in the order of their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (K, V)> + '_ {
        self.0.iter().copied()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all entries and keeps their memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn place(&self, key: K) -> Result<usize, usize> {
        self.0.binary_search_by_key(&key, |entry| entry.0)
    }
}

/// The local transform of a bone, in the frame of the parent that the clip gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BoneOverride {
    /// In place of the clip's: the bone does not move in its parent's frame.
    Set(BonePose),
    /// On top of the clip's, so that its motion stays: the origin and the angle are added, scale and stretch
    /// are factors. [`BonePose::REST`] changes nothing.
    Add(BonePose),
}

impl BoneOverride {
    /// The transform of a bone that a clip has posed.
    pub fn of(self, pose: &BonePose) -> BonePose {
        match self {
            Self::Set(own) => own,
            Self::Add(by) => add(pose, &by),
        }
    }

    /// The same with a further increment, in the sense of [`Self::Add`].
    #[must_use]
    pub fn plus(self, by: &BonePose) -> Self {
        match self {
            Self::Set(own) => Self::Set(add(&own, by)),
            Self::Add(own) => Self::Add(add(&own, by)),
        }
    }

    fn is_finite(&self) -> bool {
        let (Self::Set(pose) | Self::Add(pose)) = self;
        pose.is_finite()
    }
}

fn add(pose: &BonePose, by: &BonePose) -> BonePose {
    BonePose {
        origin: pose.origin + by.origin,
        angle: pose.angle + by.angle,
        scale: Vec2::new(pose.scale.x * by.scale.x, pose.scale.y * by.scale.y),
        stretch: pose.stretch * by.stretch,
    }
}

/// The offset of a vertex point; the tangents of an anchor move with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VertexOffset {
    /// Its axes.
    pub space: OffsetSpace,
    /// In these axes.
    pub by: Vec2,
}

/// What is set of a constraint; `None` leaves what the clip or the constraint gives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintOverride {
    /// The strength, from 0 to 1.
    pub mix: Option<f64>,
    /// The position that replaces its target, be it a point of the canvas or of a bone.
    pub place: Option<Point>,
    /// The bend side.
    pub bend: Option<Bend>,
    /// The softness of inverse kinematics, or of an aim.
    pub softness: Option<f64>,
    /// The position on a path, or the distance.
    pub amount: Option<f64>,
}

/// Overrides that a rig cannot be posed with.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum OverrideError {
    /// The clip or the state is of another rig.
    Pose(PoseError),
    /// The skeleton does not have the bone.
    UnknownBone {
        /// The bone.
        bone: BoneId,
    },
    /// The rig has no way to change this element: it is not in [`DrawOrder::elements`](crate::DrawOrder).
    UnknownArt {
        /// The element.
        element: ElementId,
    },
    /// The element is not a group of which the rig shows one child at a time, or has no such child.
    UnknownSwitch {
        /// The element.
        element: ElementId,
    },
    /// A number in the place of a colour, or a colour in the place of a number.
    WrongValue {
        /// The element.
        element: ElementId,
        /// What was set of it.
        property: ArtProperty,
    },
    /// The skin does not have the vertex point.
    UnknownVertex {
        /// The path.
        path: PathId,
        /// The vertex.
        vertex: usize,
        /// The point of the vertex.
        part: VertexPoint,
    },
    /// The rig does not have the slider.
    UnknownSlider {
        /// The index.
        slider: usize,
    },
    /// The rig does not have the shape.
    UnknownShape {
        /// The index.
        shape: usize,
    },
    /// No clip of the rig has a camera: then its drawing has no place for one.
    NoCamera,
    /// The rig does not have the constraint.
    UnknownConstraint {
        /// The index.
        constraint: usize,
    },
    /// The rig does not have the outfit.
    UnknownOutfit {
        /// The index.
        outfit: usize,
    },
    /// A number is not finite.
    NotFinite {
        /// What it belongs to: "bone", "art", "offset", "slider", "shape", "camera" or "constraint".
        of: &'static str,
    },
}

impl fmt::Display for OverrideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pose(error) => error.fmt(f),
            Self::UnknownBone { bone } => write!(f, "the skeleton has no {bone:?}"),
            Self::UnknownArt { element } => {
                write!(f, "the rig cannot change the visibility of element {}", element.index())
            }
            Self::UnknownSwitch { element } => {
                write!(f, "element {} is not a switch of the rig, or has no such child", element.index())
            }
            Self::WrongValue { element, property } => {
                let needed = if property.row().kind.parts() == 1 { "a number" } else { "a colour" };
                write!(f, "`{}` of element {} needs {needed}", property.name(), element.index())
            }
            Self::UnknownVertex { path, vertex, part } => {
                write!(
                    f,
                    "path {} of the skin has no vertex {vertex} with this point ({part:?})",
                    path.index()
                )
            }
            Self::UnknownSlider { slider } => write!(f, "the rig has no slider {slider}"),
            Self::UnknownShape { shape } => write!(f, "the rig has no shape {shape}"),
            Self::NoCamera => f.write_str("no clip of the rig has a camera"),
            Self::UnknownConstraint { constraint } => write!(f, "the rig has no constraint {constraint}"),
            Self::UnknownOutfit { outfit } => write!(f, "the rig has no outfit {outfit}"),
            Self::NotFinite { of } => write!(f, "a number of the {of} override is not finite"),
        }
    }
}

impl Error for OverrideError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        if let Self::Pose(error) = self { Some(error) } else { None }
    }
}

impl From<PoseError> for OverrideError {
    fn from(error: PoseError) -> Self {
        Self::Pose(error)
    }
}

impl Overrides {
    /// Nothing is overridden.
    pub const fn new() -> Self {
        Self {
            bones: OverrideList::new(),
            art: OverrideList::new(),
            offsets: OverrideList::new(),
            sliders: OverrideList::new(),
            shapes: OverrideList::new(),
            camera: None,
            worn: None,
            constraints: OverrideList::new(),
        }
    }

    /// Whether nothing is overridden.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
            && self.art.is_empty()
            && self.offsets.is_empty()
            && self.sliders.is_empty()
            && self.shapes.is_empty()
            && self.camera.is_none()
            && self.worn.is_none()
            && self.constraints.is_empty()
    }

    /// What is worn on a rig.
    pub(crate) fn worn<'o>(&'o self, rig: &'o RigParts) -> &'o [usize] {
        self.worn.as_deref().unwrap_or(&rig.worn)
    }

    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.bones.clear();
        self.art.clear();
        self.offsets.clear();
        self.sliders.clear();
        self.shapes.clear();
        self.camera = None;
        self.worn = None;
        self.constraints.clear();
    }

    /// Adds an increment to a bone, in the sense of [`BoneOverride::Add`]. A bone that is not overridden is
    /// set to that, starting from `pose`.
    pub(crate) fn move_bone(&mut self, bone: BoneId, pose: &Pose, by: &BonePose) {
        let own = self.bones.get(bone).unwrap_or(BoneOverride::Set(pose.bones[bone.index()]));
        self.bones.set(bone, own.plus(by));
    }

    /// Takes over the bones of other overrides.
    pub(crate) fn restore_bones(&mut self, from: &Self) {
        self.bones.0.clone_from(&from.bones.0);
    }

    /// Whether the rig has everything that is overridden, and all numbers are finite.
    pub(crate) fn check(&self, rig: &RigParts) -> Result<(), OverrideError> {
        let finite = |finite: bool, of| if finite { Ok(()) } else { Err(OverrideError::NotFinite { of }) };
        for (bone, value) in self.bones.iter() {
            if !rig.skeleton.contains(bone) {
                return Err(OverrideError::UnknownBone { bone });
            }
            finite(value.is_finite(), "bone")?;
        }
        for ((element, property), value) in self.art.iter() {
            match rig.draw_order.row(property, element) {
                None if is_choice(property) => {
                    return Err(OverrideError::UnknownSwitch { element });
                }
                None => return Err(OverrideError::UnknownArt { element }),
                Some(_) if value.numbers().len() != property.row().kind.parts() => {
                    return Err(OverrideError::WrongValue { element, property });
                }
                Some(_) => finite(value.numbers().iter().all(|number| number.is_finite()), "art")?,
            }
            if is_choice(property) && !rig.draw_order.has_child(element, Choice::of(value.numbers()[0])) {
                return Err(OverrideError::UnknownSwitch { element });
            }
        }
        for ((path, vertex, part), offset) in self.offsets.iter() {
            if !rig.skin.has(path, vertex, part) {
                return Err(OverrideError::UnknownVertex { path, vertex, part });
            }
            if let OffsetSpace::Bone(bone) = offset.space
                && !rig.skeleton.contains(bone)
            {
                return Err(OverrideError::UnknownBone { bone });
            }
            finite(offset.by.is_finite(), "offset")?;
        }
        for (slider, value) in self.sliders.iter() {
            if slider >= rig.draw_order.sliders.len() {
                return Err(OverrideError::UnknownSlider { slider });
            }
            finite(value.is_finite(), "slider")?;
        }
        for (shape, value) in self.shapes.iter() {
            if shape >= rig.draw_order.shapes.len() {
                return Err(OverrideError::UnknownShape { shape });
            }
            finite(value.is_finite(), "shape")?;
        }
        if let Some(camera) = self.camera {
            finite(camera.is_sound(), "camera")?;
            if rig.draw_order.camera.is_none() {
                return Err(OverrideError::NoCamera);
            }
        }
        if let Some(&outfit) = self.worn.iter().flatten().find(|at| **at >= rig.outfits.len()) {
            return Err(OverrideError::UnknownOutfit { outfit });
        }
        for (constraint, value) in self.constraints.iter() {
            if constraint >= rig.constraints.constraints.len() {
                return Err(OverrideError::UnknownConstraint { constraint });
            }
            let numbers = [value.mix, value.softness, value.amount].into_iter().flatten();
            let place = value.place.into_iter().flat_map(|place| [place.x, place.y]);
            finite(numbers.chain(place).all(f64::is_finite), "constraint")?;
        }
        Ok(())
    }

    /// Applies what was checked, but the offsets.
    pub(crate) fn apply(
        &self,
        rig: &RigParts,
        pose: &mut Pose,
        art: &mut ArtPose,
        parameters: &mut [ConstraintParameters],
    ) {
        for (bone, value) in self.bones.iter() {
            let pose = &mut pose.bones[bone.index()];
            *pose = value.of(pose);
        }
        for ((element, property), value) in self.art.iter() {
            if let Some(row) = rig.draw_order.row(property, element) {
                value.numbers().iter().zip(row..).for_each(|(number, row)| art.set(row, *number));
            }
        }
        for (slider, value) in self.sliders.iter() {
            rig.draw_order.slider_row(slider).into_iter().for_each(|row| art.set(row, value));
        }
        for (shape, value) in self.shapes.iter() {
            rig.draw_order.shape_row(shape).into_iter().for_each(|row| art.set(row, value));
        }
        for (constraint, value) in self.constraints.iter() {
            let Some(parameters) = parameters.get_mut(constraint) else { continue };
            parameters.mix = value.mix.unwrap_or(parameters.mix);
            parameters.place = value.place.or(parameters.place);
            parameters.bend = value.bend.or(parameters.bend);
            parameters.softness = value.softness.or(parameters.softness);
            parameters.amount = value.amount.or(parameters.amount);
        }
    }

    /// The offsets of vertex points.
    pub(crate) fn fixed_offsets(&self) -> impl Iterator<Item = FixedOffset> + '_ {
        self.offsets.iter().map(|(target, VertexOffset { space, by })| FixedOffset { target, space, by })
    }
}

/// Whether a property chooses one of several children.
fn is_choice(property: ArtProperty) -> bool {
    matches!(property, ArtProperty::Switch | ArtProperty::Text)
}
