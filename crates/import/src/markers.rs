//! From markers on the skin to the joints of a body. Markers may have the names of joints (Pose2Sim, OpenCap),
//! or stand at bones: Vicon's Plug-in Gait, the sets of OpenSim and Motion Analysis, and those of the CMU
//! database. Joints that no marker shows are rebuilt by the clusters of their bones.

use crate::ImportError;
use crate::marker_tracks::{MarkerMotion, MarkerNames, MarkerTrack, Markers, middle};
use crate::parts::{BodyPart, find_parts};
use crate::segments;
use crate::space::{Vec3, add, cross, direction, dot, length, scaled, sub};
use crate::space_motion::SpaceMotion;
use crate::statistics::bridged;
use bone_core::Side;

/// The names of the markers at the tip of a hand.
const FINGER: MarkerNames = &[&["fin", "finger"], &["hand"]];

/// The names of the markers where a part begins, without side, in lower case and without separators: centres of
/// joints first.
fn marker_names(part: BodyPart) -> MarkerNames {
    match part {
        BodyPart::Thigh(_) => &[&["hjc", "hipjoint", "hipjointcenter"]],
        BodyPart::Shin(_) => &[
            &["kjc", "kneejoint", "kneejointcenter"],
            &["kne", "knelat", "kneelat", "kneel", "kneemed", "kneem", "knm", "lfc", "mfc"],
            &["knee", "mknee"],
        ],
        BodyPart::Foot(_) => &[
            &["ajc", "anklejoint", "anklejointcenter"],
            &["ank", "anklat", "anklelat", "anklel", "anklemed", "anklem", "lmal", "mmal"],
            &["ankle", "mankle"],
        ],
        BodyPart::Toe(_) => {
            &[&["toe"], &["toetip", "toecenter", "mt2"], &["mt1", "mt5", "toelat", "toemed", "bigtoe"]]
        }
        BodyPart::UpperArm(_) => &[&["sjc"], &["sho"], &["shoulder", "acromium", "acromion", "acr"]],
        BodyPart::ForeArm(_) => &[
            &["ejc"],
            &["elb", "elblat", "elbowlat", "elbowmed", "elbm", "lel", "mel"],
            &["elbow", "melbow"],
        ],
        BodyPart::Hand(_) => &[
            &["wra", "wrb", "wristlat", "wristmed", "radius", "ulna", "faradius", "faulna", "wrt", "wrm"],
            &["wrist"],
        ],
        _ => &[],
    }
}

/// The parts that a body needs.
fn of_legs() -> impl Iterator<Item = BodyPart> {
    [Side::Left, Side::Right]
        .into_iter()
        .flat_map(|side| [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)])
}

/// A trial in which a person stands with more markers than in those that move: one frame of it.
#[derive(Clone, Debug)]
pub struct StaticTrial(MarkerMotion);

impl StaticTrial {
    pub(crate) fn new(motion: MarkerMotion) -> Self {
        Self(motion.one_frame())
    }
}

/// The joints that the markers of a file show.
struct MarkedJoints {
    markers: Markers,
    pelvis: Option<Pelvis>,
    /// Whether the markers are at bones; else they are joints, with the marker of each part.
    at_bones: bool,
    joints: Vec<Option<usize>>,
}

impl MarkedJoints {
    fn new(names: &[String], markers: Markers) -> Self {
        let pelvis = Pelvis::of(&markers);
        let centres =
            [Side::Left, Side::Right].map(|side| markers.of_side(side, marker_names(BodyPart::Thigh(side))));
        let at_bones = pelvis.is_some() || centres.iter().all(|centre| !centre.is_empty());
        let joints = find_parts(names.iter().map(String::as_str), &[]);
        Self { markers, pelvis, at_bones, joints }
    }

    /// The markers of a part.
    fn used(&self, part: BodyPart) -> Vec<usize> {
        match part.side() {
            Some(side) if self.at_bones => self.markers.of_side(side, marker_names(part)),
            _ => Vec::new(),
        }
    }

    fn found(&self, part: BodyPart) -> Option<MarkerTrack> {
        if !self.at_bones {
            return self.markers.mean(&[self.joints[part.index()]?]);
        }
        let of_pelvis = || match (part, self.pelvis.as_ref()?) {
            (BodyPart::Hips, pelvis) => Some(pelvis.centre.clone()),
            (BodyPart::Thigh(side), pelvis) => Some(pelvis.hips[usize::from(side == Side::Right)].clone()),
            _ => None,
        };
        match part {
            BodyPart::Neck => self.markers.any(&["c7", "clav"]),
            BodyPart::Head => self.markers.any(&["lfhd", "rfhd", "lbhd", "rbhd"]),
            _ => self.markers.mean(&self.used(part)).or_else(of_pelvis),
        }
    }
}

/// The joints of the legs as tracks, with those that were rebuilt.
struct Rebuilt {
    tracks: Vec<(BodyPart, Option<MarkerTrack>)>,
    notes: Vec<String>,
}

impl Rebuilt {
    /// The joints of the legs: those that markers show, and the others by the trial, or by the bones' motion.
    fn new(shown: &MarkedJoints, trial: Option<&MarkedJoints>) -> Self {
        let (mut carried, mut shared): (Vec<_>, Vec<_>) = Default::default();
        // Gaps are in percent of the height, which is that of all markers of a frame.
        let height = trial.unwrap_or(shown).markers.height().max(1e-12);
        let mut one = |part: BodyPart| {
            let of_trial = trial.and_then(|trial| {
                let markers = &trial.markers;
                let same = |&marker: &usize| shown.markers.names.contains(&markers.names[marker]);
                let is_shown = trial.used(part).iter().all(same) && shown.found(part).is_some();
                let at = trial.found(part).filter(|_| !is_shown)?.first().copied()??;
                segments::carried(&shown.markers, markers, part, at)
            });
            if let Some((track, gap)) = of_trial {
                carried.push((part.name(), 100.0 * gap / height));
                return Some(track);
            }
            shown.found(part).or_else(|| {
                let (track, gap) = segments::shared(&shown.markers, part)?;
                shared.push((part.name(), 100.0 * gap / height));
                Some(track)
            })
        };
        let tracks = of_legs().map(|part| (part, one(part))).collect();
        let listed = |found: &[(&str, f64)]| {
            let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
            let widest = found.iter().map(|(_, gap)| *gap).fold(0.0, f64::max);
            format!("{} (its bones place it up to {widest:.1} % of the height apart)", names.join(", "))
        };
        let mut notes = Vec::new();
        if !carried.is_empty() {
            notes.push(format!("placed by the static trial: {}", listed(&carried)));
        }
        if !shared.is_empty() {
            notes.push(format!(
                "no marker shows {}: found as the points that two bones share, which is less exact sideways; --static \
                 with the trial that has their markers is better",
                listed(&shared)
            ));
        }
        Self { tracks, notes }
    }
}

/// The joints of a body at `rate` frames a second; `trial` has joints that the motion lacks.
///
/// # Errors
/// If the markers are not those of one.
pub(crate) fn body_of(
    motion: &MarkerMotion,
    rate: f64,
    trial: Option<&StaticTrial>,
) -> Result<SpaceMotion, ImportError> {
    let mut notes = Vec::new();
    let mut markers = Markers::new(motion);
    let filled = segments::fill_in(&mut markers);
    let gaps = motion.seen.iter().filter(|seen| seen.is_none()).count();
    if gaps > 0 {
        let by_bones = match filled {
            0 => String::new(),
            _ => format!(", {filled} of them by the other markers of their bones"),
        };
        notes.push(format!("{gaps} positions of markers were hidden and are filled in{by_bones}"));
    }
    let mut shown = MarkedJoints::new(&motion.names, markers);
    let trial = trial.map(|StaticTrial(trial)| MarkedJoints::new(&trial.names, Markers::new(trial)));
    shown.at_bones |= trial.as_ref().is_some_and(|trial| trial.at_bones);
    let source = match shown.at_bones {
        true => "the joints are computed from markers at the bones",
        false => "the markers have the names of joints",
    };
    notes.push(source.to_owned());
    let legs = Rebuilt::new(&shown, trial.as_ref());
    let leg =
        |part: BodyPart| legs.tracks.iter().find(|(of, _)| *of == part).and_then(|(_, track)| track.clone());
    let found = |part: BodyPart| leg(part).or_else(|| shown.found(part));
    let both =
        |part: fn(Side) -> BodyPart| Some(middle(&found(part(Side::Left))?, &found(part(Side::Right))?));
    let hips = found(BodyPart::Hips).or_else(|| both(BodyPart::Thigh));
    let missing: Vec<&str> =
        legs.tracks.iter().filter(|(_, track)| track.is_none()).map(|(part, _)| part.name()).collect();
    let Some(hips) = hips.filter(|_| missing.is_empty()) else {
        return Err(no_body(&motion.names, &missing, shown.at_bones));
    };
    let needed: Vec<&MarkerTrack> =
        legs.tracks.iter().filter_map(|(_, track)| track.as_ref()).chain([&hips]).collect();
    let kept = seen_frames(&needed);
    if kept.len() < 2.min(shown.markers.frames) {
        return Err(ImportError::new(format!(
            "the markers of hips and legs are seen together in {} of {} frames only",
            kept.len(),
            shown.markers.frames
        ))
        .help("a motion needs two frames or more"));
    }
    if kept.len() < shown.markers.frames {
        notes.push(format!(
            "the legs are seen from line {} to line {} of {}: the others are left out",
            kept.start + 1,
            kept.end,
            shown.markers.frames
        ));
    }
    notes.extend(legs.notes.iter().cloned());
    let mut joints: Vec<(String, Option<usize>, Vec<Vec3>)> = Vec::new();
    let mut push = |name: &str, parent: Option<usize>, track: &MarkerTrack| {
        let track = bridged(track.iter().copied(), |a, b, share| add(a, scaled(sub(b, a), share)))?;
        joints.push((name.to_owned(), parent, track[kept.clone()].to_vec()));
        Some(joints.len() - 1)
    };
    let root = push("Hips", None, &hips);
    let neck = found(BodyPart::Neck).or_else(|| both(BodyPart::UpperArm));
    let neck = neck.and_then(|track| push("Neck", root, &track));
    if neck.is_some() {
        let head = found(BodyPart::Head).and_then(|track| push("Head", neck, &track));
        if let Some(top) = shown.markers.any(&["tophead", "headtop", "vertex", "ariel"]) {
            push("HeadTop_End", head.or(neck), &top);
        }
    }
    for (side, word) in [(Side::Left, "Left"), (Side::Right, "Right")] {
        let arm = [BodyPart::UpperArm(side), BodyPart::ForeArm(side), BodyPart::Hand(side)];
        let mut parent = neck.or(root);
        for (part, name) in arm.into_iter().zip(["Arm", "ForeArm", "Hand"]) {
            let Some(track) = found(part) else { break };
            parent = push(&format!("{word}{name}"), parent, &track);
            let tip = shown.markers.sided(side, FINGER).filter(|_| matches!(part, BodyPart::Hand(_)));
            if let Some(tip) = tip {
                push(&format!("{word}Hand_End"), parent, &tip);
            }
        }
        let leg = [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side), BodyPart::Toe(side)];
        let mut parent = root;
        for (part, name) in leg.into_iter().zip(["UpLeg", "Leg", "Foot", "ToeBase"]) {
            let Some(track) = found(part) else { break };
            parent = push(&format!("{word}{name}"), parent, &track);
        }
    }
    let place = |frame: usize| joints.iter().map(move |(.., track)| track[frame]);
    let positions = (0..kept.len()).flat_map(place).collect();
    let parents = joints.iter().map(|joint| joint.1).collect();
    let rest = place(0).collect();
    let names = joints.into_iter().map(|joint| joint.0).collect();
    Ok(SpaceMotion::new(names, parents, rate, positions, rest).noted(&notes))
}

/// The frames from the first one in which all tracks have been seen to the last one in which all are still seen.
fn seen_frames(tracks: &[&MarkerTrack]) -> std::ops::Range<usize> {
    let first = |track: &&MarkerTrack| track.iter().position(Option::is_some).unwrap_or(track.len());
    let end = |track: &&MarkerTrack| track.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    tracks.iter().map(first).max().unwrap_or(0)..tracks.iter().map(end).min().unwrap_or(0)
}

/// The error about markers that are not those of a body.
fn no_body(names: &[String], missing: &[&str], at_bones: bool) -> ImportError {
    let lacks = if missing.is_empty() { "the hips".to_owned() } else { missing.join(", ") };
    let listed: Vec<&str> = names.iter().take(12).map(String::as_str).collect();
    let more = if names.len() > listed.len() { " and others" } else { "" };
    let help = if at_bones {
        "knees and ankles need markers of their own, a static trial that has them (--static), or three markers on \
         each bone and a motion that bends the joint by 20 degrees"
    } else {
        "known are the names of joints (RHip, RKnee), of Plug-in Gait (RASI, RKNE) and of OpenSim's sets (R.ASIS, \
         R.Knee.Lat); a body needs both legs"
    };
    ImportError::new(format!("the markers are not those of a body: {lacks} cannot be found"))
        .help(format!("{help}; here are {}{more}", listed.join(", ")))
}

/// The centre of the pelvis and those of both hip joints, left and right.
struct Pelvis {
    centre: MarkerTrack,
    hips: [MarkerTrack; 2],
}

impl Pelvis {
    /// The hip joints after A. L. Bell, D. R. Pedersen and R. A. Brand (1990), from the front points of the
    /// pelvis and those behind.
    fn of(markers: &Markers) -> Option<Self> {
        let both =
            |lists: &[&[&str]]| Some([markers.sided(Side::Left, lists)?, markers.sided(Side::Right, lists)?]);
        let [left, right] = both(&[&["asi", "asis", "fwt"]])?;
        let back = both(&[&["psi", "psis", "bwt"]]).map(|[left, right]| middle(&left, &right));
        let back = back.or_else(|| markers.any(&["vsacral", "vsacrum", "sacr", "sacrum", "sacral", "s2"]))?;
        let mut found = Self { centre: Vec::new(), hips: [Vec::new(), Vec::new()] };
        for ((left, right), back) in left.into_iter().zip(right).zip(back) {
            let hips = left.zip(right).zip(back).map(|((left, right), back)| {
                let front = scaled(add(left, right), 0.5);
                let wide = length(sub(left, right));
                let leftwards = direction(sub(left, right)).unwrap_or([0.0; 3]);
                let ahead = sub(front, back);
                let ahead =
                    direction(sub(ahead, scaled(leftwards, dot(ahead, leftwards)))).unwrap_or([0.0; 3]);
                let up = cross(ahead, leftwards);
                let middle = add(front, add(scaled(ahead, -0.19 * wide), scaled(up, -0.3 * wide)));
                let hip = |sign: f64| add(middle, scaled(leftwards, 0.36 * sign * wide));
                (scaled(add(front, back), 0.5), [hip(1.0), hip(-1.0)])
            });
            found.centre.push(hips.map(|(centre, _)| centre));
            for (side, hip) in found.hips.iter_mut().enumerate() {
                hip.push(hips.map(|(_, hips)| hips[side]));
            }
        }
        Some(found)
    }
}
