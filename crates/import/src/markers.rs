//! From markers on the skin to the joints of a body. Markers may have the names of joints (Pose2Sim, OpenCap),
//! or stand at bones: Vicon's Plug-in Gait, the sets of OpenSim and Motion Analysis, and those of the CMU
//! database.

use crate::ImportError;
use crate::parts::{BodyPart, find_parts};
use crate::space::{Vec3, add, cross, direction, dot, length, scaled, sub};
use crate::space_motion::SpaceMotion;
use crate::statistics::bridged;
use bone_core::Side;

/// Markers and where they are, frame by frame.
pub(crate) struct MarkerMotion {
    pub(crate) names: Vec<String>,
    /// The markers of frame 0, then those of frame 1, and so on.
    pub(crate) seen: Vec<Option<Vec3>>,
}

/// A position in every frame.
type MarkerTrack = Vec<Vec3>;

/// Lists of names, the first of which that has a marker is used: all markers of it are averaged.
type MarkerNames = &'static [&'static [&'static str]];

/// The names of the markers at the tip of a hand.
const FINGER: MarkerNames = &[&["fin", "finger"], &["hand"]];

/// The names of the markers where a part begins, without side, in lower case and without separators.
fn marker_names(part: BodyPart) -> MarkerNames {
    match part {
        BodyPart::Shin(_) => {
            &[&["kne", "knelat", "kneelat", "kneel", "kneemed", "kneem", "knm", "lfc", "mfc"], &["knee"]]
        }
        BodyPart::Foot(_) => {
            &[&["ank", "anklat", "anklelat", "anklel", "anklemed", "anklem", "lmal", "mmal"], &["ankle"]]
        }
        BodyPart::Toe(_) => {
            &[&["toe"], &["toetip", "toecenter", "mt2"], &["mt1", "mt5", "toelat", "toemed", "bigtoe"]]
        }
        BodyPart::UpperArm(_) => &[&["sho"], &["shoulder", "acromium", "acromion", "acr"]],
        BodyPart::ForeArm(_) => {
            &[&["elb", "elblat", "elbowlat", "elbowmed", "elbm", "lel", "mel"], &["elbow"]]
        }
        BodyPart::Hand(_) => {
            &[&["wra", "wrb", "wristlat", "wristmed", "radius", "ulna", "wrt", "wrm"], &["wrist"]]
        }
        _ => &[],
    }
}

struct Markers<'m> {
    /// Without separators, in lower case.
    names: Vec<String>,
    tracks: Vec<Option<MarkerTrack>>,
    from: &'m MarkerMotion,
    frames: usize,
}

/// The joints of a body at `rate` frames a second.
///
/// # Errors
/// If the markers are not those of one.
pub(crate) fn body_of(motion: &MarkerMotion, rate: f64) -> Result<SpaceMotion, ImportError> {
    let markers = Markers::new(motion);
    let mut joints: Vec<(String, Option<usize>, MarkerTrack)> = Vec::new();
    let mut notes = Vec::new();
    let gaps = motion.seen.iter().filter(|seen| seen.is_none()).count();
    if gaps > 0 {
        notes.push(format!("{gaps} positions of markers were hidden and are filled in"));
    }
    let pelvis = markers.pelvis();
    let source = match &pelvis {
        Some(_) => "the joints are computed from markers at the bones",
        None => "the markers have the names of joints",
    };
    notes.push(source.to_owned());
    let parts = find_parts(motion.names.iter().map(String::as_str), &[]);
    let by_part = |part: BodyPart| {
        let marker = parts[part.index()]?;
        markers.tracks[marker].clone()
    };
    let found = |part: BodyPart| -> Option<MarkerTrack> {
        let Some(pelvis) = &pelvis else { return by_part(part) };
        match part {
            BodyPart::Hips => Some(pelvis.centre.clone()),
            BodyPart::Thigh(side) => Some(pelvis.hips[usize::from(side == Side::Right)].clone()),
            BodyPart::Neck => markers.any(&["c7", "clav"]),
            BodyPart::Head => markers.any(&["lfhd", "rfhd", "lbhd", "rbhd"]),
            _ => markers.sided(part.side()?, marker_names(part)),
        }
    };
    let both = |part: fn(Side) -> BodyPart| middle(&found(part(Side::Left))?, &found(part(Side::Right))?);
    let hips = found(BodyPart::Hips).or_else(|| both(BodyPart::Thigh));
    let legs = [Side::Left, Side::Right].into_iter().flat_map(|side| {
        [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side)].map(|part| (part, found(part)))
    });
    let missing: Vec<&str> = legs.filter(|(_, track)| track.is_none()).map(|(part, _)| part.name()).collect();
    let Some(hips) = hips.filter(|_| missing.is_empty()) else {
        let names: Vec<&str> = motion.names.iter().take(12).map(String::as_str).collect();
        let lacks = if missing.is_empty() { "the hips".to_owned() } else { missing.join(", ") };
        return Err(ImportError::new(format!(
            "the markers are not those of a body: {lacks} cannot be found"
        ))
        .help(format!(
            "known are the names of joints (RHip, RKnee), of Plug-in Gait (RASI, RKNE) and of OpenSim's sets \
                 (R.ASIS, R.Knee.Lat); here are {}",
            names.join(", ")
        )));
    };
    let mut push = |name: &str, parent: Option<usize>, track: MarkerTrack| {
        joints.push((name.to_owned(), parent, track));
        joints.len() - 1
    };
    let root = push("Hips", None, hips);
    let neck = found(BodyPart::Neck).or_else(|| both(BodyPart::UpperArm));
    let neck = neck.map(|track| push("Neck", Some(root), track));
    if let Some(neck) = neck {
        let head = found(BodyPart::Head).map(|track| push("Head", Some(neck), track));
        if let Some(top) = markers.any(&["tophead", "headtop", "vertex", "ariel"]) {
            push("HeadTop_End", Some(head.unwrap_or(neck)), top);
        }
    }
    for (side, word) in [(Side::Left, "Left"), (Side::Right, "Right")] {
        let arm = [BodyPart::UpperArm(side), BodyPart::ForeArm(side), BodyPart::Hand(side)];
        let mut parent = neck.unwrap_or(root);
        for (part, name) in arm.into_iter().zip(["Arm", "ForeArm", "Hand"]) {
            let Some(track) = found(part) else { break };
            parent = push(&format!("{word}{name}"), Some(parent), track);
            let tip = markers.sided(side, FINGER).filter(|_| matches!(part, BodyPart::Hand(_)));
            if let Some(tip) = tip {
                push(&format!("{word}Hand_End"), Some(parent), tip);
            }
        }
        let leg = [BodyPart::Thigh(side), BodyPart::Shin(side), BodyPart::Foot(side), BodyPart::Toe(side)];
        let mut parent = root;
        for (part, name) in leg.into_iter().zip(["UpLeg", "Leg", "Foot", "ToeBase"]) {
            let Some(track) = found(part) else { break };
            parent = push(&format!("{word}{name}"), Some(parent), track);
        }
    }
    let place = |frame: usize| joints.iter().map(move |(.., track)| track[frame]);
    let positions = (0..markers.frames).flat_map(place).collect();
    let parents = joints.iter().map(|joint| joint.1).collect();
    let rest = place(0).collect();
    let names = joints.into_iter().map(|joint| joint.0).collect();
    Ok(SpaceMotion::new(names, parents, rate, positions, rest).noted(&notes))
}

/// The centre of the pelvis and those of both hip joints, left and right.
struct Pelvis {
    centre: MarkerTrack,
    hips: [MarkerTrack; 2],
}

impl<'m> Markers<'m> {
    fn new(from: &'m MarkerMotion) -> Self {
        let count = from.names.len().max(1);
        let frames = from.seen.len() / count;
        let plain = |name: &String| {
            let name = name.rsplit([':', '|']).next().unwrap_or(name).to_lowercase();
            let name: String = name.chars().filter(|c| c.is_alphanumeric()).collect();
            let long = [("left", "l"), ("right", "r")];
            let short =
                long.iter().find_map(|(word, letter)| Some((*letter).to_owned() + name.strip_prefix(word)?));
            short.unwrap_or(name)
        };
        Self {
            names: from.names.iter().map(plain).collect(),
            tracks: (0..count)
                .map(|marker| {
                    let seen = (0..frames).map(|frame| from.seen[frame * count + marker]);
                    bridged(seen, |a, b, share| add(a, scaled(sub(b, a), share)))
                })
                .collect(),
            from,
            frames,
        }
    }

    /// The mean of the markers with these names.
    fn any(&self, names: &[&str]) -> Option<MarkerTrack> {
        let all: Vec<&MarkerTrack> = (0..self.from.names.len())
            .filter(|&at| names.contains(&self.names[at].as_str()))
            .filter_map(|at| self.tracks[at].as_ref())
            .collect();
        let share = 1.0 / all.len() as f64;
        let mean =
            |frame: usize| all.iter().fold([0.0; 3], |sum, track| add(sum, scaled(track[frame], share)));
        (!all.is_empty()).then(|| (0..self.frames).map(mean).collect())
    }

    /// The mean of the markers of a side in the first list that has some.
    fn sided(&self, side: Side, lists: &[&[&str]]) -> Option<MarkerTrack> {
        let letter = if side == Side::Left { "l" } else { "r" };
        lists.iter().find_map(|names| {
            let names: Vec<String> = names.iter().map(|name| format!("{letter}{name}")).collect();
            self.any(&names.iter().map(String::as_str).collect::<Vec<_>>())
        })
    }

    /// The hip joints after A. L. Bell, D. R. Pedersen and R. A. Brand (1990), from the front points of the
    /// pelvis and those behind.
    fn pelvis(&self) -> Option<Pelvis> {
        let both =
            |lists: &[&[&str]]| Some([self.sided(Side::Left, lists)?, self.sided(Side::Right, lists)?]);
        let [left, right] = both(&[&["asi", "asis", "fwt"]])?;
        let back = both(&[&["psi", "psis", "bwt"]]).and_then(|[left, right]| middle(&left, &right));
        let back = back.or_else(|| self.any(&["vsacral", "vsacrum", "sacr", "sacrum", "sacral"]))?;
        let mut found = Pelvis { centre: Vec::new(), hips: [Vec::new(), Vec::new()] };
        for frame in 0..self.frames {
            let front = scaled(add(left[frame], right[frame]), 0.5);
            let wide = length(sub(left[frame], right[frame]));
            let leftwards = direction(sub(left[frame], right[frame])).unwrap_or([0.0; 3]);
            let ahead = sub(front, back[frame]);
            let ahead = direction(sub(ahead, scaled(leftwards, dot(ahead, leftwards)))).unwrap_or([0.0; 3]);
            let up = cross(ahead, leftwards);
            let middle = add(front, add(scaled(ahead, -0.19 * wide), scaled(up, -0.3 * wide)));
            found.centre.push(scaled(add(front, back[frame]), 0.5));
            for (hip, sign) in found.hips.iter_mut().zip([1.0, -1.0]) {
                hip.push(add(middle, scaled(leftwards, 0.36 * sign * wide)));
            }
        }
        Some(found)
    }
}

fn middle(a: &MarkerTrack, b: &MarkerTrack) -> Option<MarkerTrack> {
    Some(a.iter().zip(b).map(|(a, b)| scaled(add(*a, *b), 0.5)).collect())
}
