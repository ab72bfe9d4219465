//! A skeleton made from a recording: the bones of a body if its parts are known, else one bone for each
//! joint; and the values of these bones in every frame.
//!
//! A bone is as long as it appears at its longest. Where it appears shorter it is foreshortened, which
//! becomes `stretch`. The direction of a limb that points at the viewer is poorly defined: if less than a
//! given share of its length is visible the last direction is kept.

mod measure;
mod rest;
mod seen;
mod spec;

use bone_core::{Angle, BoneId, BoneSpec, Joint, Skeleton, SkeletonBuilder};
use kurbo::{Point, Vec2};

use crate::animal::AnimalPart;
use crate::body::Body;
use crate::fit::{ChannelSamples, RecordedTrack, Take};
use crate::parts::BodyPart;
use crate::planted::StandingFoot;
use crate::retarget::{FootLock, TOES, keep_toes};
use crate::{ImportError, PlanarMotion};
pub use measure::height;
pub(crate) use measure::{drift, longest, longest_of};
use rest::{RestBone, rest};
use seen::{SeenBone, pointing};
pub(crate) use seen::{directions_of, held_directions, visible_shares};
pub use spec::{FigureBone, FigureOptions, Foreshortening};

/// A generated skeleton and its motion.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The skeleton; its bones come in the order of `bones`.
    pub skeleton: Skeleton,
    /// The bones, parents first.
    pub bones: Vec<FigureBone>,
    /// The recorded values of the bones.
    pub take: Take,
    /// The speed of the ground, in units a second, if the figure moves on the spot.
    pub drift: f64,
    /// The height of the figure.
    pub height: f64,
    /// The size of a canvas that contains all frames.
    pub canvas: kurbo::Size,
    /// The y of the ground on the canvas.
    pub ground: f64,
    placement: Placement,
}

/// From positions of the recording to the canvas.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Placement {
    scale: f64,
    shift: Vec2,
    /// The advance of the ground in a frame, in units of the recording.
    drift: f64,
}

impl Placement {
    fn place(self, frame: usize, at: Point) -> Point {
        ((at.to_vec2() - Vec2::new(self.drift * frame as f64, 0.0)) * self.scale + self.shift).to_point()
    }
}

impl Figure {
    /// Units of the canvas for a unit of the recording.
    pub fn scale(&self) -> f64 {
        self.placement.scale
    }

    /// Where a joint of the recording is on the canvas: a bone of the figure should begin and end there.
    ///
    /// # Panics
    /// If the motion has no such frame or joint.
    pub fn recorded(&self, motion: &PlanarMotion, frame: usize, joint: usize) -> Point {
        self.placement.place(frame, motion.position(frame, joint))
    }

    /// The standing feet as locks of the bones that end at their joints. `until` may lie beyond the end of a
    /// loop.
    pub fn foot_locks(&self, standing: &[StandingFoot]) -> Vec<FootLock> {
        let lock = |foot: &StandingFoot| {
            let ends_there = |bone: &&FigureBone| {
                let side = match bone.animal {
                    Some(AnimalPart::Leg(leg, _)) => Some(leg.side),
                    _ => bone.part.and_then(BodyPart::side),
                };
                bone.to == foot.joint && side == Some(foot.side)
            };
            let bone = self.bones.iter().find(ends_there)?;
            let rate = self.take.rate;
            Some(FootLock {
                bone: self.skeleton.find(&bone.name)?,
                side: foot.side,
                from: foot.from as f64 / rate,
                until: foot.until as f64 / rate,
                at: self.placement.place(foot.from, foot.at),
                drift: 0.0,
            })
        };
        standing.iter().filter_map(lock).collect()
    }

    /// The position of the root on the canvas in the first frame.
    pub fn start(&self) -> kurbo::Point {
        let Some(root) = self.bones.first().and_then(|bone| self.skeleton.find(&bone.name)) else {
            return Point::ZERO;
        };
        let moves = self.take.tracks.iter().find_map(|track| match &track.samples {
            ChannelSamples::Move(samples) if track.bone == root => samples.first().copied(),
            _ => None,
        });
        self.skeleton.setup_origin(root) + moves.unwrap_or_default()
    }
}

/// The margin around all joints, in heights of the figure.
const MARGIN: f64 = 0.18;

/// The possible parents of each part; the first one that the figure has is its parent.
fn parents(part: BodyPart) -> Vec<BodyPart> {
    use BodyPart::{Chest, Foot, ForeArm, Hand, Head, Hips, Neck, Shin, Spine, Thigh, Toe, UpperArm};
    match part {
        Hips | Spine => vec![],
        Chest | Thigh(_) => vec![Hips],
        Neck | UpperArm(_) => vec![Chest, Hips],
        Head => vec![Neck, Chest, Hips],
        ForeArm(side) => vec![UpperArm(side)],
        Hand(side) => vec![ForeArm(side)],
        Shin(side) => vec![Thigh(side)],
        Foot(side) => vec![Shin(side)],
        Toe(side) => vec![Foot(side)],
    }
}

/// The bones of a figure.
fn bones(motion: &PlanarMotion, body: &Body) -> Vec<FigureBone> {
    if !motion.bones().is_empty() {
        return motion.bones().to_vec();
    }
    if !body.is_whole() {
        return bones_of_joints(motion);
    }
    let mut bones: Vec<FigureBone> = Vec::new();
    for part in BodyPart::ALL {
        let (Some(from), Some(to)) = (body.start(part), body.end(part)) else { continue };
        let hangs_on = |bone: &FigureBone, on: &BodyPart| bone.part == Some(*on);
        let parent = parents(part).iter().find_map(|on| bones.iter().position(|bone| hangs_on(bone, on)));
        if parent.is_none() && part != BodyPart::Hips {
            continue;
        }
        bones.push(FigureBone {
            name: part.name().to_owned(),
            part: Some(part),
            animal: None,
            from,
            to,
            parent,
        });
    }
    bones
}

/// A bone for each joint that has a child at a distance above 0.
fn bones_of_joints(motion: &PlanarMotion) -> Vec<FigureBone> {
    let joints = motion.joints();
    let far = |joint: usize| {
        let children = (joint + 1..joints.len()).filter(|&child| joints[child].parent == Some(joint));
        children
            .map(|child| (longest(motion, joint, child), child))
            .filter(|(length, _)| *length > 0.0)
            .fold(None, |best: Option<(f64, usize)>, next| {
                best.filter(|best| best.0 >= next.0).or(Some(next))
            })
    };
    let mut bones: Vec<FigureBone> = Vec::new();
    // For each joint the bone that begins there, or at its nearest ancestor that has one.
    let mut bone_of: Vec<Option<usize>> = Vec::with_capacity(joints.len());
    for (joint, this) in joints.iter().enumerate() {
        let above = this.parent.and_then(|parent| bone_of[parent]);
        let Some((_, to)) = far(joint) else {
            bone_of.push(above);
            continue;
        };
        let mut name = this.name.rsplit(':').next().unwrap_or(&this.name).to_owned();
        while bones.iter().any(|bone| bone.name == name) {
            name.push('_');
        }
        bones.push(FigureBone { name, part: None, animal: None, from: joint, to, parent: above });
        bone_of.push(Some(bones.len() - 1));
    }
    bones
}

/// A skeleton for a recording, and the values of its bones.
///
/// # Errors
/// If no bone can be made.
pub fn build_figure(motion: &PlanarMotion, options: &FigureOptions) -> Result<Figure, ImportError> {
    let body = motion.body();
    let plan = bones(motion, &body);
    fail_if!(plan.is_empty(), "all joints are at one position: no bones can be made");
    let drift = if options.on_the_spot { drift(motion, plan[0].from, options.looped) } else { 0.0 };
    let on_ground = |frame: usize, joint: usize| {
        let position = motion.position(frame, joint);
        Point::new(position.x - drift * frame as f64, position.y)
    };
    let stage = FigureExtent::new(motion.frames(), &plan, on_ground);
    let size = height(motion, &body);
    // If the figure covers a long distance it is drawn smaller, so that the canvas fits on a screen.
    let scale = (options.height / size)
        // The largest width of a canvas.
        .min((1600.0 - 2.0 * options.height * MARGIN) / stage.extent.width().max(1e-9));
    let margin = size * scale * MARGIN;
    let shift = Vec2::new(margin, margin) - stage.extent.origin().to_vec2() * scale;
    let placement = Placement { scale, shift, drift };
    let ground = stage.ground * scale + shift.y;
    let at_rest = rest(motion, &plan, scale, placement.place(0, motion.position(0, plan[0].from)), ground);
    let skeleton = skeleton(&plan, &at_rest)?;
    let mut seen = SeenFigure::new(motion, &plan, &at_rest, placement, options);
    seen.bend_toes();
    let tracks = seen.tracks(&skeleton)?;
    let canvas = kurbo::Size::new(
        (stage.extent.width() * scale + 2.0 * margin).ceil(),
        (ground + margin * 0.6).max(stage.extent.height() * scale + 1.6 * margin).ceil(),
    );
    Ok(Figure {
        skeleton,
        take: Take { rate: motion.rate(), tracks, looped: options.looped },
        drift: drift * scale * motion.rate(),
        height: size * scale,
        canvas,
        ground,
        placement,
        bones: plan,
    })
}

/// The bones at rest.
fn skeleton(plan: &[FigureBone], rest: &[RestBone]) -> Result<Skeleton, ImportError> {
    let mut builder = SkeletonBuilder::new();
    for (bone, at_rest) in plan.iter().zip(rest) {
        let mut spec = BoneSpec::new(&bone.name, at_rest.length);
        spec.joint = Joint::default();
        (spec.origin, spec.angle) = (at_rest.origin.to_vec2(), at_rest.angle);
        if let Some(parent) = bone.parent {
            let way = at_rest.origin - rest[parent].origin;
            spec.parent = Some(plan[parent].name.clone());
            spec.origin = way.rotate_scale((-rest[parent].angle).direction());
            spec.angle = at_rest.angle - rest[parent].angle;
        }
        builder.push(spec);
    }
    builder.build().map_err(|error| ImportError::new(error.to_string()))
}

/// The bones of a figure on the canvas, in every frame.
struct SeenFigure<'a> {
    motion: &'a PlanarMotion,
    plan: &'a [FigureBone],
    rest: &'a [RestBone],
    placement: Placement,
    options: &'a FigureOptions,
    bones: Vec<SeenBone>,
    /// Where each bone ends in each frame.
    tips: Vec<Vec<Point>>,
    /// The limits of the toes.
    limits: Vec<Option<(f64, f64)>>,
}

impl<'a> SeenFigure<'a> {
    /// Directions and lengths in the plane.
    fn new(
        motion: &'a PlanarMotion,
        plan: &'a [FigureBone],
        rest: &'a [RestBone],
        placement: Placement,
        options: &'a FigureOptions,
    ) -> Self {
        let (bones, tips) = (Vec::with_capacity(plan.len()), Vec::with_capacity(plan.len()));
        let limits = vec![None; plan.len()];
        let mut seen = Self { motion, plan, rest, placement, options, bones, tips, limits };
        for (bone, rest) in plan.iter().zip(rest) {
            // A bone that gets shorter ends where it was recorded, also where its parent does not quite.
            let on_tip = |parent: &usize| plan[*parent].to == bone.from;
            let keeps = options.foreshortening == Foreshortening::Keep;
            let parent = bone.parent.filter(on_tip).filter(|_| keeps);
            let from = |frame: usize| match parent {
                Some(parent) => seen.tips[parent][frame],
                None => seen.at(frame, bone.from),
            };
            let one =
                SeenBone::new(motion.frames(), |frame| seen.at(frame, bone.to) - from(frame), rest, options);
            let tip = |frame: usize| {
                let direction = Angle::from_degrees(one.angles[frame]).direction();
                from(frame) + direction * (one.stretches[frame] * rest.length)
            };
            let ends = (0..motion.frames()).map(tip).collect();
            seen.tips.push(ends);
            seen.bones.push(one);
        }
        seen
    }

    /// The position of a joint on the canvas.
    fn at(&self, frame: usize, joint: usize) -> Point {
        self.placement.place(frame, self.motion.position(frame, joint))
    }

    /// Keeps toes within their limits, and notes the limits.
    fn bend_toes(&mut self) {
        let (plan, rest) = (self.plan, self.rest);
        for (index, bone) in plan.iter().enumerate() {
            let (Some(BodyPart::Toe(_)), Some(foot)) = (bone.part, bone.parent) else { continue };
            let at_rest = (rest[index].angle - rest[foot].angle).degrees();
            let x = rest[foot].angle.direction().x;
            // On a foot that points to the other side than at rest toes bend to the other side. A foot at rest
            // points at the viewer up to this share of its length along the ground; seen from its side it has
            // about 30 degrees against its toes.
            let (side, bend) = if x.abs() < 0.2 { (1.0, -30.0) } else { (x.signum(), at_rest) };
            let shares = pointing(self.motion, (plan[foot].from, bone.to), side);
            let flat: Vec<f64> = shares.into_iter().map(|share| share * bend).collect();
            let feet: Vec<f64> =
                self.bones[foot].angles.iter().zip(&flat).map(|(foot, flat)| foot + flat).collect();
            let ends: Vec<Point> = (0..feet.len()).map(|frame| self.at(frame, bone.to)).collect();
            keep_toes(&mut self.bones[index].angles, &feet, 0.0);
            let starts = &self.tips[foot];
            self.bones[index].see(|frame| ends[frame] - starts[frame], &rest[index], self.options);
            let least = flat.iter().copied().fold(f64::MAX, f64::min) - at_rest;
            let most = flat.iter().copied().fold(f64::MIN, f64::max) - at_rest;
            self.limits[index] = Some((least - TOES, most + TOES));
        }
    }

    /// The values of each bone relative to its parent.
    fn tracks(&self, skeleton: &Skeleton) -> Result<Vec<RecordedTrack>, ImportError> {
        let (motion, plan, seen) = (self.motion, self.plan, &self.bones);
        let id = |bone: &FigureBone| {
            skeleton.find(&bone.name).ok_or_else(|| ImportError::new("a bone is missing"))
        };
        let ids: Vec<BoneId> = plan.iter().map(id).collect::<Result<_, _>>()?;
        let frames = motion.frames();
        let mut rotates = vec![Vec::with_capacity(frames); plan.len()];
        let mut shifts: Vec<Vec<Vec2>> = vec![Vec::with_capacity(frames); plan.len()];
        // The origin and the direction of each bone.
        let mut origins = vec![Point::ZERO; plan.len()];
        let mut directions = vec![Vec2::ZERO; plan.len()];
        for frame in 0..frames {
            for (index, bone) in plan.iter().enumerate() {
                let setup = skeleton.setup(ids[index]);
                let turn = Angle::from_degrees(seen[index].angles[frame]);
                directions[index] = turn.direction();
                let on = bone.parent.map_or(0.0, |parent| seen[parent].angles[frame]);
                rotates[index].push(turn.degrees() - on - setup.angle.degrees());
                let (setup, wanted) = (setup.origin, self.at(frame, bone.from));
                // Parents come first, so their origins are known.
                let (origin, shift) = match bone.parent {
                    None => (wanted, wanted.to_vec2() - setup),
                    Some(parent) => {
                        let (x, stretch) = (directions[parent], seen[parent].stretches[frame]);
                        let y = Vec2::new(-x.y, x.x);
                        if plan[parent].to == bone.from {
                            (origins[parent] + x * (setup.x * stretch) + y * setup.y, Vec2::ZERO)
                        } else {
                            let way = wanted - origins[parent];
                            (wanted, Vec2::new(way.dot(x) / stretch, way.dot(y)) - setup)
                        }
                    }
                };
                origins[index] = origin;
                shifts[index].push(shift);
            }
        }
        let mut tracks = Vec::new();
        for (index, (rotates, shifts)) in rotates.into_iter().zip(shifts).enumerate() {
            let (bone, parent) = (ids[index], plan[index].parent);
            let mut add = |samples, limits| tracks.push(RecordedTrack { bone, samples, limits });
            if parent.is_none_or(|parent| plan[parent].to != plan[index].from) {
                add(ChannelSamples::Move(shifts), None);
            }
            add(ChannelSamples::Rotate(rotates), self.limits[index]);
            if self.options.foreshortening != Foreshortening::Ignore {
                add(ChannelSamples::Stretch(seen[index].stretches.clone()), None);
            }
        }
        Ok(tracks)
    }
}

/// The extent of a figure over all its frames, in units of the recording.
struct FigureExtent {
    extent: kurbo::Rect,
    /// The y of the ground: the lowest joint in most frames.
    ground: f64,
}

impl FigureExtent {
    fn new(frames: usize, plan: &[FigureBone], at: impl Fn(usize, usize) -> Point) -> Self {
        let mut extent = kurbo::Rect::from_points(at(0, plan[0].from), at(0, plan[0].to));
        let mut lowest = Vec::with_capacity(frames);
        for frame in 0..frames {
            let mut low = f64::MIN;
            for joint in plan.iter().flat_map(|bone| [bone.from, bone.to]) {
                extent = extent.union_pt(at(frame, joint));
                low = low.max(at(frame, joint).y);
            }
            lowest.push(low);
        }
        lowest.sort_by(f64::total_cmp);
        Self { extent, ground: lowest[(frames - 1) * 6 / 10] }
    }
}
