//! How far the joints of a rig are from where they should be: it is played like any rig, with its constraints.

use bone_core::constraint::{Constraint, ConstraintParameters, ConstraintTrack};
use bone_core::{BoneId, Skeleton};
use bone_import::fit::{FitConstraints, FittedClip};
use bone_rig::{FrameState, Rig};
use kurbo::Point;

use crate::ShortNumber;

/// Distances of joints in all frames, in units of the canvas.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accuracy {
    worst: f64,
    /// The root mean square.
    usual: f64,
    /// The joint with the largest distance, and its second of the clip.
    at: (String, f64),
}

impl Accuracy {
    /// A sentence with both distances in percent of the height of a figure.
    pub(crate) fn sentence(&self, height: f64) -> String {
        let percent = |value: f64| {
            let percent = value / height * 100.0;
            // Two digits that count, rounded up.
            let digits = if percent < 0.1 { 4 } else { 2 };
            let unit = 10.0_f64.powi(digits);
            format!("{:.4}", ShortNumber((percent * unit - 1e-9).ceil() / unit))
        };
        format!(
            "joints are within {} % of the height ({} % root mean square; the farthest is {} at {:.3} s)",
            percent(self.worst),
            percent(self.usual),
            self.at.0,
            ShortNumber(self.at.1)
        )
    }
}

/// The density of keys, and how far the joints of the rig are from those of the recording.
pub(crate) fn cost(fitted: &FittedClip, accuracy: Option<Accuracy>, height: f64) -> String {
    let joints = accuracy.map_or(String::new(), |accuracy| format!("; {}", accuracy.sentence(height)));
    format!("{:.1} keys a second and channel{joints}.", fitted.density())
}

/// The constraints of a loaded rig that a clip switches on by its holds, in all frames. `skeleton` is that of the
/// motion that is fitted; nothing is returned if the rig has another one.
pub(crate) fn holding(
    rig: &Rig,
    skeleton: &Skeleton,
    clip: &str,
    frames: usize,
    rate: f64,
) -> FitConstraints {
    let names = |skeleton: &Skeleton| -> Vec<String> {
        skeleton.bones().map(|bone| skeleton.name(bone).to_owned()).collect()
    };
    let Some(clip) = rig.clip(clip).filter(|_| names(rig.skeleton()) == names(skeleton)) else {
        return FitConstraints::default();
    };
    let tracks = clip.data().map_or(&[][..], |data| &data.constraints.0);
    let held: Vec<(&Constraint, &ConstraintTrack)> = tracks
        .iter()
        .filter(|(_, track)| !track.holds.is_empty())
        .filter_map(|(index, track)| Some((rig.constraints().nth(*index)?.1, track)))
        .collect();
    let time = clip.time();
    let parameters = |frame: usize| -> Vec<ConstraintParameters> {
        let at = frame as f64 / rate;
        let looped = time.looped.then_some(time.length);
        let all = held.iter().map(|(constraint, track)| track.parameters(constraint, at, looped));
        let all: Vec<_> = all.collect();
        if all.iter().any(|one| one.mix > 0.0) { all } else { Vec::new() }
    };
    FitConstraints {
        constraints: held.iter().map(|(constraint, _)| (*constraint).clone()).collect(),
        parameters: (0..frames).map(parameters).collect(),
    }
}

/// The frames of a recording and the bones whose joints are compared.
pub(crate) struct ComparedFrames<'a> {
    pub(crate) clip: &'a str,
    pub(crate) frames: usize,
    pub(crate) rate: f64,
    pub(crate) bones: &'a [String],
}

/// Plays a clip and compares the origins and tips of bones with the positions that `ends` writes for each
/// frame: an origin and a tip for each bone.
pub(crate) fn measure(
    rig: &Rig,
    wanted: &ComparedFrames<'_>,
    mut ends: impl FnMut(usize, &mut Vec<[Point; 2]>),
) -> Option<Accuracy> {
    let skeleton = rig.skeleton();
    let bones: Vec<BoneId> = wanted.bones.iter().map(|name| skeleton.find(name)).collect::<Option<_>>()?;
    let clip = rig.clip(wanted.clip)?;
    let mut state = FrameState::new(rig);
    let (mut worst, mut sum, mut places) = ((0.0_f64, 0, 0, 0), 0.0, Vec::new());
    for frame in 0..wanted.frames {
        rig.pose(Some(clip), frame as f64 / wanted.rate, &mut state).ok()?;
        places.clear();
        ends(frame, &mut places);
        for (at, (bone, places)) in bones.iter().zip(&places).enumerate() {
            let world = state.world();
            let found = [world.origin(*bone), world.tip(skeleton, state.driven(), *bone)];
            for (end, (found, place)) in found.into_iter().zip(places).enumerate() {
                let square = (found - *place).hypot2();
                if square > worst.0 {
                    worst = (square, frame, at, end);
                }
                sum += square;
            }
        }
    }
    let (square, frame, bone, end) = worst;
    let name = format!("the {} of \"{}\"", ["start", "end"][end], wanted.bones.get(bone)?);
    let count = (2 * wanted.frames * bones.len()).max(1) as f64;
    let at = (name, frame as f64 / wanted.rate);
    Some(Accuracy { worst: square.sqrt(), usual: (sum / count).sqrt(), at })
}
