//! The joints of one figure in the plane, frame by frame: readers of recordings make it, everything that
//! makes clips takes it. Every joint has a position in every frame; a reader fills gaps first.

use kurbo::{Point, Vec2};

use crate::body::{Body, JointTree};
use crate::control_tracks::ControlTrack;
use crate::error::Result;
use crate::figure::FigureBone;
use crate::parts::BodyPart;

/// One joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanarJoint {
    /// Its name in the recording.
    pub name: String,
    /// The index of its parent joint; `None` for the root.
    pub parent: Option<usize>,
}

/// The motion of one figure in the plane. Space: x right, y **down**, as on a canvas, in the units of the
/// recording.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanarMotion {
    joints: Vec<PlanarJoint>,
    /// Frames a second.
    rate: f64,
    /// The joints of frame 0, then those of frame 1, and so on.
    positions: Vec<Point>,
    /// Distances towards the viewer, in the same units and order; empty if unknown.
    depths: Vec<f64>,
    /// The figure at rest, a T-pose for example; empty if there is no such pose.
    rest: Vec<Point>,
    /// The distance of each joint from its parent in space; empty if only the plane is known.
    lengths: Vec<f64>,
    /// The parts of the body, if they were found from more than the plane or are given by a map.
    body: Option<Body>,
    /// The bones of a figure that is no human body; empty if they follow from the joints.
    bones: Vec<FigureBone>,
    /// Values of hands and face, one track for each that was recorded.
    controls: Vec<ControlTrack>,
}

/// A column of a motion, if it has this number of entries and all of them are finite.
fn column<T>(entries: Vec<T>, count: usize, is_finite: impl Fn(&T) -> bool) -> Result<Vec<T>> {
    fail_if!(entries.len() != count, "a column without one entry for each joint and frame");
    fail_if!(!entries.iter().all(is_finite), "a position, a depth or a share that is not a usable number");
    Ok(entries)
}

impl PlanarMotion {
    /// A motion from its joints, parents first, and its positions: all joints of the first frame, then of the
    /// second.
    ///
    /// # Errors
    /// If the lengths of the columns do not match, or a number is not finite.
    pub fn new(joints: Vec<PlanarJoint>, rate: f64, positions: Vec<Point>) -> Result<Self> {
        fail_if!(joints.is_empty() || positions.is_empty(), "a figure without joints or frames");
        if let Some(joint) = (0..joints.len()).find(|&j| joints[j].parent.is_some_and(|parent| parent >= j)) {
            fail!("joint {joint} does not come after its parent");
        }
        check_rate(rate)?;
        let count = positions.len().next_multiple_of(joints.len());
        let positions = column(positions, count, |position| position.is_finite())?;
        let (depths, rest, lengths) = (Vec::new(), Vec::new(), Vec::new());
        let (bones, controls) = (Vec::new(), Vec::new());
        Ok(Self { joints, rate, positions, depths, rest, lengths, body: None, bones, controls })
    }

    /// The same motion with depths, in the order of the positions; larger is nearer to the viewer.
    ///
    /// # Errors
    /// If there is not one finite depth for each position.
    pub fn with_depths(mut self, depths: Vec<f64>) -> Result<Self> {
        self.depths = column(depths, self.positions.len(), |depth| depth.is_finite())?;
        Ok(self)
    }

    /// The same motion with a rest pose: one position for each joint.
    ///
    /// # Errors
    /// If there is not one finite position for each joint.
    pub(crate) fn with_rest(mut self, rest: Vec<Point>) -> Result<Self> {
        self.rest = column(rest, self.joints.len(), |position| position.is_finite())?;
        Ok(self)
    }

    /// The same motion with the distance of each joint from its parent in space; the value of a root is not
    /// used.
    ///
    /// # Errors
    /// If there is not one finite length for each joint.
    pub(crate) fn with_lengths(mut self, lengths: Vec<f64>) -> Result<Self> {
        self.lengths = column(lengths, self.joints.len(), |length| length.is_finite())?;
        Ok(self)
    }

    /// The same motion with these parts of the body; [`PlanarMotion::body`] returns them. A body with joints that
    /// the motion does not have is not taken.
    #[must_use]
    pub fn with_body(self, body: Body) -> Self {
        let body = Some(body).filter(|body| body.is_within(self.joints.len())).or(self.body);
        Self { body, ..self }
    }

    /// The same motion with the bones of its figure, parents first.
    #[must_use]
    pub(crate) fn with_bones(self, bones: Vec<FigureBone>) -> Self {
        Self { bones, ..self }
    }

    /// The bones of a figure that is no human body; empty if they follow from the joints.
    pub(crate) fn bones(&self) -> &[FigureBone] {
        &self.bones
    }

    /// The same motion with values of hands and face.
    ///
    /// # Errors
    /// If a track does not have one finite share for each frame.
    pub(crate) fn with_controls(self, controls: Vec<ControlTrack>) -> Result<Self> {
        let check = |track: ControlTrack| {
            let shares = column(track.shares, self.frames(), |share| share.is_finite())?;
            Ok(ControlTrack { shares, ..track })
        };
        Ok(Self { controls: controls.into_iter().map(check).collect::<Result<_>>()?, ..self })
    }

    /// The recorded values of hands and face.
    pub fn controls(&self) -> &[ControlTrack] {
        &self.controls
    }

    /// The joints, parents first.
    pub fn joints(&self) -> &[PlanarJoint] {
        &self.joints
    }

    /// The index of the joint with this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Frames a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The number of frames, at least one.
    pub fn frames(&self) -> usize {
        self.positions.len() / self.joints.len()
    }

    /// The positions of all joints in a frame.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn frame(&self, frame: usize) -> &[Point] {
        let count = self.joints.len();
        let start = frame.saturating_mul(count);
        &self.positions[start..start.saturating_add(count)]
    }

    /// The position of one joint in a frame.
    ///
    /// # Panics
    /// If there is no such frame or joint.
    pub fn position(&self, frame: usize, joint: usize) -> Point {
        self.frame(frame)[joint]
    }

    /// The vector from one joint to another in a frame.
    ///
    /// # Panics
    /// If there is no such frame or joint.
    pub fn offset(&self, frame: usize, from: usize, to: usize) -> Vec2 {
        self.position(frame, to) - self.position(frame, from)
    }

    /// The depth of a joint in a frame, if it is known; larger is nearer to the viewer.
    pub fn depth(&self, frame: usize, joint: usize) -> Option<f64> {
        self.depths(frame).get(joint).copied()
    }

    /// The depths of all joints in a frame; empty if they are not known.
    pub fn depths(&self, frame: usize) -> &[f64] {
        let count = self.joints.len();
        self.depths.chunks_exact(count).nth(frame).unwrap_or_default()
    }

    /// The rest pose, if there is one.
    pub fn rest(&self) -> Option<&[Point]> {
        (!self.rest.is_empty()).then_some(&*self.rest)
    }

    /// The distance of a joint from its parent in space, if it is known.
    pub fn length(&self, joint: usize) -> Option<f64> {
        self.lengths.get(joint).copied()
    }

    /// The parts of the body among the joints: those that were set, else found by name and by the tree.
    pub fn body(&self) -> Body {
        if let Some(body) = &self.body {
            return body.clone();
        }
        let first = self.frame(0);
        let distance = |joint: usize| {
            let parent = self.joints[joint].parent;
            self.length(joint)
                .unwrap_or_else(|| parent.map_or(0.0, |parent| first[joint].distance(first[parent])))
        };
        Body::find(&JointTree {
            names: self.joints.iter().map(|joint| joint.name.as_str()).collect(),
            parents: self.joints.iter().map(|joint| joint.parent).collect(),
            lengths: (0..self.joints.len()).map(distance).collect(),
            pose: Vec::new(),
        })
    }

    /// The joint that carries the figure: the hips, else the first joint. Joints above the hips may stay at
    /// the origin of the world.
    pub fn base(&self) -> usize {
        self.body().start(BodyPart::Hips).unwrap_or_default()
    }

    /// The same figure with other positions, and with depths if `depths` is not empty. The number of frames
    /// stays the same.
    ///
    /// # Errors
    /// If they do not match its joints and frames.
    pub fn with_positions(self, positions: Vec<Point>, depths: Vec<f64>) -> Result<Self> {
        let positions = column(positions, self.positions.len(), |position| position.is_finite())?;
        let motion = Self { positions, depths: Vec::new(), ..self };
        if depths.is_empty() { Ok(motion) } else { motion.with_depths(depths) }
    }

    /// The same motion mirrored: x changes its sign; the left side stays the left side.
    pub fn mirrored(&self) -> Self {
        let turned = |positions: &[Point]| {
            positions.iter().map(|position| Point::new(-position.x, position.y)).collect()
        };
        Self { positions: turned(&self.positions), rest: turned(&self.rest), ..self.clone() }
    }

    /// The same motion at another frame rate, interpolated linearly.
    ///
    /// # Errors
    /// If the rate is not above 0, or there would be too many frames.
    pub fn resampled(&self, rate: f64) -> Result<Self> {
        check_rate(rate)?;
        let (last, step) = (self.frames() - 1, self.rate / rate);
        let count = last as f64 * rate / self.rate;
        fail_if!(count >= 1e8, "a rate that makes too many frames");
        let frames = count.floor() as usize + 1;
        // The frames before and after each new one, and the share of the second.
        let between = (0..frames).map(|frame| {
            let at = frame as f64 * self.rate / rate;
            let before = (at as usize).min(last);
            (before, (before + 1).min(last), at.fract())
        });
        let mut motion = Self { rate, positions: Vec::new(), depths: Vec::new(), ..self.clone() };
        for (before, after, share) in between {
            let places = self.frame(before).iter().zip(self.frame(after));
            motion.positions.extend(places.map(|(one, other)| one.lerp(*other, share)));
            let depths = self.depths(before).iter().zip(self.depths(after));
            motion.depths.extend(depths.map(|(one, other)| one + (other - one) * share));
        }
        motion.controls = self.controls.iter().map(|track| track.resampled(frames, step)).collect();
        Ok(motion)
    }

    /// The frames from `from` up to, but not including, `until`.
    ///
    /// # Errors
    /// If no frame is left.
    pub fn cut(&self, from: usize, until: usize) -> Result<Self> {
        let until = until.min(self.frames());
        fail_if!(from >= until, "a figure without joints or frames");
        let range = from * self.joints.len()..until * self.joints.len();
        let shares =
            |track: &ControlTrack| ControlTrack { shares: track.shares[from..until].to_vec(), ..*track };
        Ok(Self {
            positions: self.positions[range.clone()].to_vec(),
            depths: self.depths.get(range).map(<[f64]>::to_vec).unwrap_or_default(),
            controls: self.controls.iter().map(shares).collect(),
            ..self.clone()
        })
    }
}

/// Checks a number of frames a second.
fn check_rate(rate: f64) -> Result<()> {
    // More frames a second than any recording has.
    fail_if!(!(rate > 0.0 && rate <= 1e9), "a rate that is not a usable number");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joint(name: &str, parent: Option<usize>) -> PlanarJoint {
        PlanarJoint { name: name.to_owned(), parent }
    }

    #[test]
    fn frames_are_rows() {
        let joints = vec![joint("hip", None), joint("knee", Some(0))];
        let positions = (0..6).map(|n| Point::new(f64::from(n), 0.0)).collect();
        let motion = PlanarMotion::new(joints, 30.0, positions).expect("fits");
        assert_eq!(motion.frames(), 3);
        assert_eq!(motion.position(2, 1), Point::new(5.0, 0.0));
        assert_eq!(motion.cut(1, 9).expect("two are left").frame(0), motion.frame(1));
        assert!(motion.cut(3, 9).is_err());
    }

    #[test]
    fn columns_that_do_not_match_are_errors() {
        let two = || vec![joint("hip", None), joint("knee", Some(0))];
        let at = |n: usize| vec![Point::ZERO; n];
        let message = |joints, rate, positions| {
            PlanarMotion::new(joints, rate, positions).expect_err("does not match").message
        };
        assert_eq!(message(Vec::new(), 30.0, at(2)), "a figure without joints or frames");
        assert!(message(two(), 30.0, at(3)).starts_with("a column without one entry"));
        assert_eq!(message(two(), 0.0, at(2)), "a rate that is not a usable number");
        assert_eq!(message(vec![joint("a", Some(0))], 30.0, at(1)), "joint 0 does not come after its parent");
        let motion = PlanarMotion::new(two(), 30.0, at(4)).expect("fits");
        assert!(motion.with_depths(vec![0.0; 3]).is_err());
    }
}
