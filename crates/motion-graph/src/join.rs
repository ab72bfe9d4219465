//! Turns a walk through a graph into one motion: plays its edges one after another, fades so that bones keep
//! their length, and puts the feet onto the ground of the path.

use bone_core::Angle;
use bone_import::{ImportError, PlanarMotion};
use kurbo::{Point, Vec2};

use super::footing::{lock_feet, stand_on_ground};
use super::turn_around::turn_around;
use super::{GraphEdge, GraphWalk, GroundPath, MotionGraph};

/// The weight of the second motion in frame `k` of a fade: 0 in the first frame, 1 in the last, with zero
/// slope at both ends (a cubic, as in the paper).
pub(super) fn share(k: usize, window: usize) -> f64 {
    let t = k as f64 / (window - 1) as f64;
    t * t * (3.0 - 2.0 * t)
}

impl MotionGraph {
    /// The motion of a walk along a path, in units of the path. Ankles and toes stand on its ground, knees
    /// follow.
    ///
    /// # Errors
    /// If the walk does not belong to this graph.
    pub fn motion(
        &self,
        walk: &GraphWalk,
        path: &GroundPath,
        height: f64,
    ) -> Result<PlanarMotion, ImportError> {
        let foreign = || ImportError::new("the walk does not belong to this graph");
        let base = self.clips.first().map_or(0, |clip| clip.motion.base());
        let start = *self.nodes.get(walk.start).ok_or_else(foreign)?;
        let mut frames: Vec<Vec<Point>> = vec![self.clips[start.clip].motion.frame(start.frame).to_vec()];
        let mut depths: Vec<f64> = self.clips[start.clip].motion.depths(start.frame).to_vec();
        // The shift of the capture that is playing.
        let mut shift = path.start().x / height - self.clips[start.clip].poses.middle(start.frame);
        let mut at = vec![path.start().x / height];
        frames[0].iter_mut().for_each(|position| position.x += shift);
        for (number, &edge) in walk.edges.iter().enumerate() {
            let edge = self.edges.get(edge).ok_or_else(foreign)?;
            let last = number + 1 == walk.edges.len();
            let count = if last { walk.last_frames.min(edge.travel.len()) } else { edge.travel.len() };
            let here = at[at.len() - 1];
            for k in 1..=count {
                frames.push(self.frame(edge, k, shift, base));
                depths.extend(self.depths(edge, k));
                at.push(here + edge.travel[k - 1]);
            }
            shift += edge.shift;
        }
        let joints = self.clips[start.clip].motion.joints().to_vec();
        let body = self.clips[start.clip].motion.body();
        // Depths are used only if all captures have them.
        let known = depths.len() == frames.len() * joints.len();
        lock_feet(&mut frames, &body, self.rate);
        if known {
            let turns = self.turns(walk);
            turn_around(&mut frames, &depths, &at, &turns, self.rate);
        }
        let run_of = runs(&at, path, height);
        for ((frame, &x), &run) in frames.iter_mut().zip(&at).zip(&run_of) {
            stand_on_ground(frame, x, &body, &|x| path.ground(run, x * height) / height);
        }
        let scaled = |at: Point| Point::new(at.x * height, at.y * height);
        let positions: Vec<Point> = frames.into_iter().flatten().map(scaled).collect();
        let motion = PlanarMotion::new(joints, self.rate, positions).map(|motion| motion.with_body(body));
        motion.and_then(|motion| match known {
            true => motion.with_depths(depths.iter().map(|depth| depth * height).collect()),
            false => Ok(motion),
        })
    }

    /// The frames of a walk in which the figure begins to face the other side.
    fn turns(&self, walk: &GraphWalk) -> Vec<usize> {
        let Some(originals) = self.originals else { return Vec::new() };
        let mirrored = |node: usize| self.nodes[node].clip >= originals;
        let mut frame = 0;
        let mut turns = Vec::new();
        for edge in walk.edges.iter().map(|edge| &self.edges[*edge]) {
            if mirrored(edge.from) != mirrored(edge.to) {
                turns.push(frame + edge.travel.len());
            }
            frame += edge.travel.len();
        }
        turns
    }

    /// The depths of the joints in frame `k` of an edge.
    fn depths(&self, edge: &GraphEdge, k: usize) -> Vec<f64> {
        let (from, to) = (self.nodes[edge.from], self.nodes[edge.to]);
        let one = self.clips[from.clip].motion.depths(from.frame + k);
        if edge.fade.is_none() {
            return one.to_vec();
        }
        let window = edge.travel.len() + 1;
        let other = self.clips[to.clip].motion.depths(to.frame + 1 + k - window);
        one.iter().zip(other).map(|(one, other)| one + (other - one) * share(k, window)).collect()
    }

    /// The joints in frame `k` of an edge, moved along the ground.
    fn frame(&self, edge: &GraphEdge, k: usize, shift: f64, base: usize) -> Vec<Point> {
        let (from, to) = (self.nodes[edge.from], self.nodes[edge.to]);
        let moved = |positions: &[Point], by: f64| -> Vec<Point> {
            positions.iter().map(|at| Point::new(at.x + by, at.y)).collect()
        };
        let one = moved(self.clips[from.clip].motion.frame(from.frame + k), shift);
        if edge.fade.is_none() {
            return one;
        }
        let window = edge.travel.len() + 1;
        let begins = to.frame + 1 - window;
        let other = moved(self.clips[to.clip].motion.frame(begins + k), shift + edge.shift);
        self.mixed(&one, &other, share(k, window), base)
    }

    /// Interpolates two poses: the hips (`base`) and what is not below them linearly, each bone below them by
    /// the shorter rotation and linear length. A joint above the hips may be far away from the figure, so no
    /// rotation about it is mixed.
    fn mixed(&self, one: &[Point], other: &[Point], share: f64, base: usize) -> Vec<Point> {
        let joints = self.clips[0].motion.joints();
        let mut mixed: Vec<Point> = one.iter().zip(other).map(|(a, b)| a.lerp(*b, share)).collect();
        let mut below = vec![false; joints.len()];
        below[base] = true;
        for (at, joint) in joints.iter().enumerate().skip(base + 1) {
            let Some(parent) = joint.parent.filter(|&parent| below[parent]) else { continue };
            below[at] = true;
            mixed[at] = mixed[parent] + between(one[at] - one[parent], other[at] - other[parent], share);
        }
        mixed
    }
}

fn between(a: Vec2, b: Vec2, share: f64) -> Vec2 {
    let (long, longer) = (a.hypot(), b.hypot());
    if long.min(longer) < 1e-9 {
        return a.lerp(b, share);
    }
    let first = Angle::of(a);
    let last = Angle::of(b).nearest_to(first);
    let angle = Angle::from_degrees(first.degrees() + (last.degrees() - first.degrees()) * share);
    angle.direction() * (long + (longer - long) * share)
}

/// The run of the path for each frame: the next run begins where the end of one is reached.
fn runs(at: &[f64], path: &GroundPath, height: f64) -> Vec<usize> {
    let mut run = 0;
    at.iter()
        .map(|x| {
            let (from, to) = path.run(run);
            if run + 1 < path.runs() && (x * height - to) * (to - from).signum() >= 0.0 {
                run += 1;
            }
            run
        })
        .collect()
}
