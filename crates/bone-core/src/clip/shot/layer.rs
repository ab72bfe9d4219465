//! A clip on top of a shot's sequence: how much of it is there at a time, and what it does to the pose.

use super::run::Part;
use crate::clip::mix::{self, Keyed, Way};
use crate::clip::{Curve, Extend, Key};
use crate::{BoneId, Pose, Skeleton};

/// How a layer meets what is below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Blend {
    /// What the clip keys takes the place of what is below.
    #[default]
    Replace,
    /// What the clip differs from rest by comes on top: turns, shifts and stretches are added, scales multiplied.
    Add,
}

/// Seconds in which a layer comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Fades {
    /// At its start.
    pub start: f64,
    /// At its end.
    pub end: f64,
}

/// A clip on top of the sequence of a shot: of the bones that it may move, what the clip keys.
#[derive(Clone, Debug)]
pub struct Layer {
    /// What plays and how long. Its `fade` is not used: a layer has [`fades`](Self::fades).
    pub part: Part,
    /// Seconds of the shot at which it starts.
    pub start: f64,
    /// How it comes and goes.
    pub fades: Fades,
    /// How much of it is there, over the seconds since its start; what is outside [0, 1] counts as the nearer of both.
    pub weight: Curve<f64>,
    /// How it meets what is below.
    pub blend: Blend,
    /// The bones that it may move, each with all that hangs on it at rest; none for all bones.
    pub bones: Option<Vec<BoneId>>,
}

impl Layer {
    /// The whole of a part from a time on, in place of what is below.
    ///
    /// # Panics
    /// Never: a curve of one key is sound.
    pub fn new(part: Part, start: f64) -> Self {
        let full = Curve::new(vec![Key::new(0.0, 1.0)], Extend::Hold);
        let weight = full.unwrap_or_else(|_| unreachable!("one key is a curve"));
        Self { part, start, fades: Fades::default(), weight, blend: Blend::default(), bones: None }
    }
}

/// A share of time as a share of a fade: it starts and ends at rest.
pub(super) fn soft(share: f64) -> f64 {
    let s = share.clamp(0.0, 1.0);
    s * s * (3.0 - 2.0 * s)
}

/// A layer, ready to play.
#[derive(Clone, Debug)]
pub(super) struct LayerRun {
    pub(super) part: Part,
    pub(super) start: f64,
    fades: Fades,
    curve: Curve<f64>,
    blend: Blend,
    keyed: Vec<Keyed>,
    /// The times since its start in which it is partly there, in order, and how angles get to it then.
    pub(super) partly: Vec<(Partly, Way)>,
}

/// A time in which a layer is neither away nor wholly there, in seconds since its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Partly {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl LayerRun {
    pub(super) fn new(skeleton: &Skeleton, layer: Layer) -> Self {
        let Layer { part, start, fades, weight, blend, bones } = layer;
        // Subtrees are ranges, and either apart or one within the other: the last that begins before a bone may be a small
        // one inside the one that holds it, so those are left out.
        let mut roots = bones.clone().unwrap_or_default();
        roots.sort_unstable();
        let mut end = BoneId::from_index(0);
        roots.retain(|&root| {
            let outside = root >= end;
            if outside {
                end = skeleton.subtree_end(root);
            }
            outside
        });
        let keyed = part.clip.keyed(|bone| {
            let after = roots.partition_point(|&root| root <= bone);
            let root = after.checked_sub(1).map(|at| roots[at]);
            bones.is_none() || root.is_some_and(|root| bone < skeleton.subtree_end(root))
        });
        Self { part, start, fades, curve: weight, blend, keyed, partly: Vec::new() }
    }

    /// A bone whose parent it changes.
    pub(super) fn changes_parent(&self) -> Option<BoneId> {
        self.keyed.iter().find(|keyed| keyed.parent).map(|keyed| keyed.bone)
    }

    pub(super) fn adds(&self) -> bool {
        self.blend == Blend::Add
    }

    /// How much of it is there at a time of the shot, in [0, 1].
    pub(super) fn weight(&self, time: f64) -> f64 {
        self.weight_since(time - self.start)
    }

    fn weight_since(&self, since: f64) -> f64 {
        // Also false for NaN.
        if !(since >= 0.0 && since <= self.part.length) {
            return 0.0;
        }
        let share = |of: f64, fade: f64| if fade > 0.0 { soft(of / fade) } else { 1.0 };
        let fades = share(since, self.fades.start) * share(self.part.length - since, self.fades.end);
        fades * self.curve.at(since).clamp(0.0, 1.0)
    }

    /// The clip's time at a time of the shot.
    pub(super) fn clip_time(&self, time: f64) -> f64 {
        self.part.clip_time(time - self.start)
    }

    /// The times in which it is partly there: between the moments at which that can change.
    pub(super) fn find_partly(&self) -> Vec<Partly> {
        let length = self.part.length;
        let keys = self.curve.keys().map(|key| key.time);
        let mut moments: Vec<f64> = keys
            .chain([0.0, self.fades.start, length - self.fades.end, length])
            .filter(|moment| (0.0..=length).contains(moment))
            .collect();
        moments.sort_by(f64::total_cmp);
        moments.dedup();
        let partial = |since: f64| {
            let weight = self.weight_since(since);
            weight > 0.0 && weight < 1.0
        };
        let mut found: Vec<Partly> = Vec::new();
        for pair in moments.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if !partial(0.5 * (from + to)) {
                continue;
            }
            match found.last_mut().filter(|last| last.to == from && partial(from)) {
                Some(last) => last.to = to,
                None => found.push(Partly { from, to }),
            }
        }
        found
    }

    /// Puts the layer of a time into the pose of what is below it.
    pub(super) fn apply(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        let weight = self.weight(time);
        if weight <= 0.0 || self.keyed.is_empty() {
            return;
        }
        self.part.clip.sample(skeleton, self.clip_time(time), scratch);
        match self.blend {
            Blend::Add => mix::add(skeleton, pose, scratch, weight, &self.keyed),
            Blend::Replace => {
                let since = time - self.start;
                let after = self.partly.partition_point(|(partly, _)| partly.from <= since);
                let straight = Way::default();
                let way = after.checked_sub(1).map_or(&straight, |at| &self.partly[at].1);
                mix::replace(skeleton, pose, scratch, weight, way, &self.keyed);
            }
        }
    }
}
