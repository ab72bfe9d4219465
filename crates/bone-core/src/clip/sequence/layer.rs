//! A clip above the parts of a sequence: its weight at a time, and its effect on the pose.

use super::part::SequencePart;
use super::smoothstep::smoothstep;
use crate::clip::mix::{self, KeyedChannels, SkippedTurns};
use crate::clip::{Curve, Extend, Key};
use crate::{BoneId, Pose, Skeleton};
use bone_archive::{archive, words};

words! {
    /// How a layer is combined with the pose below it.
    #[non_exhaustive]
    pub enum LayerBlend {
        /// The keyed values of the clip replace those below.
        #[default]
        Replace = 0,
        /// The difference of the clip from rest is added: rotations, shifts and stretches are added, scales
        /// multiplied.
        Add = 1,
    }
}

/// The fade-in and the fade-out of a layer, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Fades {
    /// At its start.
    pub start: f64,
    /// At its end.
    pub end: f64,
}

/// A clip above the parts of a sequence: the keyed channels of some bones.
#[derive(Clone, Debug)]
pub struct Layer {
    /// The clip and its timing. Its `fade` is not used: a layer has [`fades`](Self::fades).
    pub part: SequencePart,
    /// Seconds of the sequence at which it starts.
    pub start: f64,
    /// Its fades.
    pub fades: Fades,
    /// Its weight over the seconds since its start, clamped to [0, 1].
    pub weight: Curve<f64>,
    /// How it is combined with the pose below.
    pub blend: LayerBlend,
    /// The bones that it moves, each with its subtree at rest; none for all bones.
    pub bones: Option<Vec<BoneId>>,
}

impl Layer {
    /// A part with full weight from a time on, which replaces the pose below.
    pub fn new(part: SequencePart, start: f64) -> Self {
        let full = Curve::new(vec![Key::new(0.0, 1.0)], Extend::Hold);
        let weight = full.unwrap_or_else(|_| unreachable!("one key is a curve"));
        Self { part, start, fades: Fades::default(), weight, blend: LayerBlend::default(), bones: None }
    }
}

/// A layer of a sequence that is built.
#[derive(Clone, Debug)]
pub(super) struct PlacedLayer {
    pub(super) part: SequencePart,
    pub(super) start: f64,
    fades: Fades,
    curve: Curve<f64>,
    pub(super) blend: LayerBlend,
    keyed: Vec<KeyedChannels>,
    /// The intervals since its start in which its weight is between 0 and 1, in order.
    pub(super) partial_spans: Vec<PartialSpan>,
}

/// An interval in which the weight of a layer is between 0 and 1, in seconds since its start.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartialSpan {
    pub(super) from: f64,
    pub(super) to: f64,
    /// The turns that its angles skip from then on, until the next interval.
    pub(super) skipped: SkippedTurns,
    /// The turns that are added to the pose below from then on. They change where the layer covers it.
    pub(super) below: SkippedTurns,
}

impl PlacedLayer {
    pub(super) fn new(skeleton: &Skeleton, layer: Layer) -> Self {
        let Layer { part, start, fades, weight, blend, bones } = layer;
        // Subtrees are ranges, which are disjoint or nested. The last range that begins before a bone may be
        // nested in the one that has the bone, so nested ranges are left out.
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
        Self { part, start, fades, curve: weight, blend, keyed, partial_spans: Vec::new() }
    }

    /// Whether another layer differs in nothing but the keys of its clip.
    pub(super) fn plays_as(&self, other: &Self) -> bool {
        self.start == other.start
            && self.fades == other.fades
            && self.curve == other.curve
            && self.blend == other.blend
            && self.keyed == other.keyed
            && self.partial_spans == other.partial_spans
            && self.part.plays_as(&other.part)
    }

    /// A bone whose parent it keys.
    pub(super) fn changes_parent(&self) -> Option<BoneId> {
        self.keyed.iter().find(|keyed| keyed.parent).map(|keyed| keyed.bone)
    }

    pub(super) fn adds(&self) -> bool {
        self.blend == LayerBlend::Add
    }

    /// Its weight at a time of the sequence, in [0, 1].
    pub(super) fn weight(&self, time: f64) -> f64 {
        self.weight_since(time - self.start)
    }

    /// Its weight some seconds after its start.
    pub(super) fn weight_since(&self, since: f64) -> f64 {
        // Also false for NaN.
        if !(since >= 0.0 && since <= self.part.length) {
            return 0.0;
        }
        let share = |of: f64, fade: f64| if fade > 0.0 { smoothstep(of / fade) } else { 1.0 };
        let fades = share(since, self.fades.start) * share(self.part.length - since, self.fades.end);
        fades * self.curve.at(since).clamp(0.0, 1.0)
    }

    /// The clip's time at a time of the sequence.
    pub(super) fn clip_time(&self, time: f64) -> f64 {
        self.part.clip_time(time - self.start)
    }

    /// The intervals in which its weight is between 0 and 1: between the times at which that can change.
    pub(super) fn find_partial_spans(&self) -> Vec<PartialSpan> {
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
        let mut found: Vec<PartialSpan> = Vec::new();
        for pair in moments.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            if !partial(0.5 * (from + to)) {
                continue;
            }
            match found.last_mut().filter(|last| last.to == from && partial(from)) {
                Some(last) => last.to = to,
                None => found.push(PartialSpan {
                    from,
                    to,
                    skipped: SkippedTurns::default(),
                    below: SkippedTurns::default(),
                }),
            }
        }
        found
    }

    /// The last interval that has begun.
    fn span(&self, time: f64) -> Option<&PartialSpan> {
        let since = time - self.start;
        let after = self.partial_spans.partition_point(|span| span.from <= since);
        after.checked_sub(1).map(|at| &self.partial_spans[at])
    }

    /// Blends the layer into the pose below it.
    pub(super) fn apply(&self, skeleton: &Skeleton, time: f64, scratch: &mut Pose, pose: &mut Pose) {
        let (weight, span) = (self.weight(time), self.span(time));
        if let Some(span) = span {
            span.below.add(pose);
        }
        if weight <= 0.0 || self.keyed.is_empty() {
            return;
        }
        self.part.clip.sample(skeleton, self.clip_time(time), scratch);
        match self.blend {
            LayerBlend::Add => mix::add(skeleton, pose, scratch, weight, &self.keyed),
            LayerBlend::Replace => {
                if let Some(span) = span {
                    span.skipped.skip(scratch);
                }
                mix::replace(skeleton, pose, scratch, weight, &self.keyed);
            }
        }
    }

    /// Chooses the shorter way of each angle for an interval, between the pose below and that of the layer in
    /// its middle, both without turns.
    pub(super) fn choose_turns(&mut self, span: usize, below: &mut Pose, own: &mut Pose) {
        let before = span.checked_sub(1).map(|at| &self.partial_spans[at]);
        let (mut skipped, mut added) =
            before.map_or_else(Default::default, |span| (span.skipped.clone(), span.below.clone()));
        if !self.part.spin {
            added.add(below);
            skipped.skip(own);
            let turns = SkippedTurns::shortest(below, own).of_keyed(&self.keyed);
            // What is not seen at the start of the interval can turn there.
            let covers = self.weight_since(self.partial_spans[span].from) >= 1.0;
            let turning = if covers { &mut added } else { &mut skipped };
            *turning = turning.and(&turns);
        }
        let span = &mut self.partial_spans[span];
        (span.skipped, span.below) = (skipped, added);
    }
}
archive!(struct Fades { start, end });
archive!(struct PartialSpan { from, to, skipped, below });
archive!(struct PlacedLayer { part, start, fades, curve, blend, keyed, partial_spans });
