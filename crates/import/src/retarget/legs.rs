//! A leg of a rig: hip, knee and ankle, its reach, and the rotations that bring its ankle to a position.

use bone_core::{Angle, BoneId, Joint, Skeleton};
use kurbo::{Point, Vec2};

/// The bones of a leg at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigLeg {
    pub(super) thigh: BoneId,
    pub(super) shin: BoneId,
    pub(super) foot: BoneId,
    /// Knee and ankle in the frames of thigh and shin, and the angle of the shin at rest.
    knee: Vec2,
    ankle: Vec2,
    shin_angle: Angle,
    /// The limits of the shin's rotation from its setup pose; `None` if the joint has none.
    shin_limits: Option<(f64, f64)>,
    forward: f64,
    /// The distances from hip to knee and from knee to ankle.
    upper: f64,
    lower: f64,
    /// The direction of the knee in the thigh's frame.
    upper_turn: Angle,
    /// The bend of the knee at rest, and its limits, in degrees.
    rest: f64,
    least: f64,
    most: f64,
}

/// The least share of the length of a thigh or shin.
const SHORTEST: f64 = 0.05;

/// The farthest that hips move up for limits, in lengths of the leg, and the number of steps in which this is tried.
const HIGHEST: f64 = 0.7;
const RISES: u32 = 56;

pub(super) fn limits(skeleton: &Skeleton, bone: BoneId) -> Option<(f64, f64)> {
    match skeleton.joint(bone) {
        Joint::Pin { limits: Some((least, most)) } => Some((least.degrees(), most.degrees())),
        _ => None,
    }
}

impl RigLeg {
    /// `forward` is the facing of the figure: 1 for right.
    pub(super) fn new(skeleton: &Skeleton, thigh: BoneId, shin: BoneId, foot: BoneId, forward: f64) -> Self {
        let (knee, ankle) = (skeleton.setup(shin).origin, skeleton.setup(foot).origin);
        let leg = Self {
            thigh,
            shin,
            foot,
            knee,
            ankle,
            shin_angle: skeleton.setup(shin).angle,
            shin_limits: limits(skeleton, shin),
            forward,
            upper: 0.0,
            lower: 0.0,
            upper_turn: Angle::ZERO,
            rest: 0.0,
            least: 0.0,
            most: 0.0,
        };
        leg.stretched([1.0; 2])
    }

    /// The same leg with thigh and shin at these shares of their lengths.
    pub(super) fn stretched(&self, [thigh, shin]: [f64; 2]) -> Self {
        let (knee, ankle) =
            (Vec2::new(self.knee.x * thigh, self.knee.y), Vec2::new(self.ankle.x * shin, self.ankle.y));
        let (upper_turn, lower_turn) = (Angle::of(knee), Angle::of(ankle));
        let rest = (self.shin_angle + lower_turn - upper_turn).nearest_to(Angle::ZERO).degrees();
        // Knees bend backwards: clockwise for a figure that faces right.
        let limits = if self.forward > 0.0 { (-rest, 150.0) } else { (-150.0, -rest) };
        let (least, most) = self.shin_limits.unwrap_or(limits);
        Self {
            upper: knee.hypot(),
            lower: ankle.hypot(),
            upper_turn,
            rest,
            least: rest + least,
            most: rest + most,
            ..*self
        }
    }

    /// The same leg with a knee that bends to the side to which it is bent with this direction of the thigh: where
    /// a leg points at the viewer both sides may be seen. Limits of the joint stay.
    pub(super) fn bending_as_seen(&self, hip: Point, thigh: Angle, ankle: Point) -> Self {
        if self.shin_limits.is_some() {
            return *self;
        }
        let upper = (thigh + self.upper_turn).direction() * self.upper;
        let (least, most) =
            if upper.cross(ankle - hip - upper) >= 0.0 { (0.0, 150.0) } else { (-150.0, 0.0) };
        Self { least, most, ..*self }
    }

    /// The shares of thigh and shin nearest to these with which the ankle is at a position while the thigh keeps
    /// its direction on the canvas, if there are any: the shin changes its length, up to its whole one, and then
    /// the thigh.
    pub(super) fn along_thigh(
        &self,
        shares: [f64; 2],
        hip: Point,
        thigh: Angle,
        ankle: Point,
    ) -> Option<[f64; 2]> {
        let leg = self.stretched([shares[0], 1.0]);
        let direction = (thigh + leg.upper_turn).direction();
        let way = ankle - hip;
        let shin = (way - direction * leg.upper).hypot() / leg.lower.max(1e-9);
        if shin <= 1.0 {
            return (shin >= SHORTEST).then_some([shares[0], shin]);
        }
        // From the knee along the thigh to where a whole shin reaches the ankle.
        let (along, across) = (way.dot(direction), way.cross(direction));
        let half = (leg.lower * leg.lower - across * across).max(0.0).sqrt();
        let ends = [along - half, along + half].map(|upper| shares[0] * upper / leg.upper.max(1e-9));
        let nearest =
            if (ends[0] - shares[0]).abs() <= (ends[1] - shares[0]).abs() { ends[0] } else { ends[1] };
        (across.abs() <= leg.lower && (SHORTEST..=1.0).contains(&nearest)).then_some([nearest, 1.0])
    }

    /// The shares of thigh and shin nearest to these with which the ankle can be at a distance from the hip:
    /// a leg that is too short gets longer up to its whole length, one that cannot fold enough gets shorter.
    pub(super) fn reaching(&self, shares: [f64; 2], distance: f64) -> [f64; 2] {
        let leg = self.stretched(shares);
        let (short, long) = (leg.reach(), self.reach());
        if distance > short && long > short {
            let part = ((distance - short) / (long - short)).min(1.0);
            return shares.map(|share| share + (1.0 - share) * part);
        }
        if leg.upper > leg.lower + distance {
            [shares[0] * (leg.lower + distance) / leg.upper, shares[1]]
        } else if leg.lower > leg.upper + distance {
            [shares[0], shares[1] * (leg.upper + distance) / leg.lower]
        } else {
            shares
        }
    }

    pub(super) fn length(&self) -> f64 {
        self.upper + self.lower
    }

    fn distance(&self, bend: f64) -> f64 {
        let turn = Angle::from_degrees(bend);
        let (_, cos) = turn.sin_cos();
        (self.upper * self.upper + self.lower * self.lower + 2.0 * self.upper * self.lower * cos).sqrt()
    }

    /// The largest distance of the ankle from the hip for a locked leg.
    pub(super) fn reach(&self) -> f64 {
        let nearest_to_straight =
            if self.least <= 0.0 && self.most >= 0.0 { 0.0 } else { self.least.abs().min(self.most.abs()) };
        // The share of its length that a locked leg keeps in reserve, so that it still reaches its target
        // when the keyed hips deviate a little.
        self.distance(nearest_to_straight) * (1.0 - 0.008)
    }

    /// How far the hip has to move up so that the ankle reaches a position while the thigh turns within limits from
    /// the direction that it has at rest; 0 if it reaches it, or if it never does.
    pub(super) fn rise(&self, hip: Point, to: Point, rest: Angle, limits: (f64, f64), near: Angle) -> f64 {
        if hip.distance(to) > self.reach() {
            return 0.0;
        }
        let reaches = |rise: f64| {
            let (thigh, knee) = self.solve(hip - Vec2::new(0.0, rise), to, near);
            let turn = (thigh - rest).degrees();
            let within = super::poser::within(turn, limits);
            let upper = rest + Angle::from_degrees(within) + self.upper_turn;
            let lower = upper + Angle::from_degrees(knee + self.rest);
            let end =
                hip - Vec2::new(0.0, rise) + upper.direction() * self.upper + lower.direction() * self.lower;
            // The distance, in lengths of the leg, up to which an ankle is at a position.
            end.distance(to) < 2e-4 * self.length()
        };
        if reaches(0.0) {
            return 0.0;
        }
        let step = HIGHEST * self.length() / f64::from(RISES);
        let Some(first) = (1..=RISES).map(|at| f64::from(at) * step).find(|rise| reaches(*rise)) else {
            return 0.0;
        };
        let (mut below, mut above) = (first - step, first);
        for _ in 0..16 {
            let middle = (below + above) / 2.0;
            if reaches(middle) {
                above = middle;
            } else {
                below = middle;
            }
        }
        above
    }

    /// The rotation of the thigh on the canvas, and of the shin from its setup pose, that bring the ankle to
    /// `to` or as near as possible. The thigh is unwrapped to be nearest to `near`.
    pub(super) fn solve(&self, hip: Point, to: Point, near: Angle) -> (Angle, f64) {
        let way = to - hip;
        let (a, b) = (self.upper, self.lower);
        // If one part of the leg has almost no length, folded and straight coincide.
        // The largest extension of a leg, as a share of its length.
        let far = way.hypot().max((a - b).abs() + 1e-9).min((a + b) * 0.9995);
        let both = 2.0 * a * b;
        let cos = if both > 0.0 { ((far * far - a * a - b * b) / both).clamp(-1.0, 1.0) } else { 1.0 };
        let open = Angle::of(Vec2::new(cos, (1.0 - cos * cos).max(0.0).sqrt())).degrees();
        let side = if (self.least + self.most) >= 0.0 { 1.0 } else { -1.0 };
        let bend = (side * open).max(self.least).min(self.most);
        let bend_angle = Angle::from_degrees(bend);
        let end = Vec2::new(a, 0.0) + bend_angle.direction() * b;
        let thigh = Angle::of(way) - Angle::of(end) - self.upper_turn;
        (thigh.nearest_to(near), bend - self.rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bone_core::{BoneSpec, Pose, SkeletonBuilder, WorldPose};

    #[test]
    fn an_ankle_reaches_its_target() {
        let mut shin = BoneSpec::new("shin", 40.0).parent("thigh").origin(50.0, 0.0).degrees(4.0);
        shin.joint = Joint::Pin { limits: Some((Angle::ZERO, Angle::from_degrees(140.0))) };
        let skeleton = SkeletonBuilder::new()
            .bone(BoneSpec::new("thigh", 50.0).origin(7.0, 9.0).degrees(88.0))
            .bone(shin)
            .bone(BoneSpec::new("foot", 10.0).parent("shin").origin(39.0, 2.0).degrees(-60.0))
            .build()
            .expect("a leg");
        let find = |name: &str| skeleton.find(name).expect("a bone");
        let leg = RigLeg::new(&skeleton, find("thigh"), find("shin"), find("foot"), 1.0);
        let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
        for target in [Point::new(20.0, 80.0), Point::new(-30.0, 60.0), Point::new(60.0, 50.0)] {
            let (thigh, knee) = leg.solve(Point::new(7.0, 9.0), target, Angle::from_degrees(90.0));
            assert!((0.0..=140.0).contains(&knee), "{knee}");
            pose.reset(&skeleton);
            pose.bones[leg.thigh.index()].angle = thigh;
            pose.bones[leg.shin.index()].angle += Angle::from_degrees(knee);
            world.forward(&skeleton, &pose).expect("placed");
            assert!(world.origin(leg.foot).distance(target) < 1e-6, "{target}");
        }
        // Out of reach the leg is as straight as its knee allows.
        let (_, knee) = leg.solve(Point::new(7.0, 9.0), Point::new(7.0, 500.0), Angle::from_degrees(90.0));
        assert!((0.0..3.0).contains(&knee), "{knee}");
    }
}
