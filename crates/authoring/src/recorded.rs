//! A recording that is made ready: cut, turned to the viewer, closed to a loop.

use std::fmt::{self, Write as _};

use bone_core::clip::Ease;
use bone_format::write::Digits;
use bone_import::figure::Foreshortening;
use bone_import::fit::{ChannelKeys, KeyedClip};
use bone_import::planted::{LooseFoot, PlantedMotion};
use bone_import::{ImportError, PlanarMotion, cycle, facing};
use kurbo::Point;

use crate::AuthoringError;

/// How a recording becomes a clip.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClipOptions {
    /// The name of the clip.
    pub name: String,
    /// The clip is a loop: the best cycle of the recording, closed.
    pub looped: bool,
    /// The figure stays where it is, and the ground moves.
    pub on_the_spot: bool,
    /// The ground moves where the figure would leave the page; on the bones of a rig alone.
    pub keep_in_view: bool,
    /// What bones do that point at the viewer. `None` is `Keep` for a new figure, and `Ignore` on a rig.
    pub foreshortening: Option<Foreshortening>,
    /// The largest error of a joint, in percent of the figure's height.
    pub tolerance: f64,
}

impl ClipOptions {
    /// The options of a clip of that name: within 1 %, as recorded.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            looped: false,
            on_the_spot: false,
            keep_in_view: false,
            foreshortening: None,
            tolerance: 1.0,
        }
    }
}

/// A recording of one figure in the plane.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recorded {
    /// The motion that becomes a clip.
    pub(crate) motion: PlanarMotion,
    /// The same before it was closed to a loop: what the clip is compared with.
    pub(crate) as_recorded: PlanarMotion,
    /// What was assumed and repaired.
    pub notes: Vec<String>,
    /// Where it comes from, for the comment on the clip.
    pub origin: String,
    /// The ground as polylines, in the units of the motion; empty where it is level.
    pub ground: Vec<Vec<Point>>,
    /// The first of its frames that were kept.
    first: usize,
}

impl Recorded {
    /// A recording as it is.
    pub fn new(motion: PlanarMotion, origin: &str) -> Self {
        let as_recorded = motion.clone();
        let origin = origin.to_owned();
        Self { motion, as_recorded, notes: Vec::new(), origin, ground: Vec::new(), first: 0 }
    }

    /// Keeps the frames from the first to the last one.
    ///
    /// # Errors
    /// The recording does not have them, or they are fewer than two.
    pub fn cut(&mut self, first: usize, last: usize) -> Result<(), AuthoringError> {
        let frames = self.motion.frames();
        let cut = self.motion.cut(first, last.saturating_add(1)).ok();
        let cut = cut.filter(|motion| motion.frames() > 1).ok_or_else(|| {
            AuthoringError::Request(format!(
                "frames {first}-{last}: the recording has frames 0 to {}",
                frames.saturating_sub(1)
            ))
        })?;
        (self.motion, self.first) = (cut, self.first + first);
        self.as_recorded = self.motion.clone();
        Ok(())
    }

    /// Mirrors the frames in which the figure faces away, if it should, or notes them.
    ///
    /// # Errors
    /// The mirrored motion has numbers that are none.
    pub fn face_viewer(&mut self, flip: bool) -> Result<(), AuthoringError> {
        let away = facing::facing_away(&self.motion).filter(|away| away.iter().any(|away| *away));
        let Some(away) = away else { return Ok(()) };
        let share = 100.0 * away.iter().filter(|away| **away).count() as f64 / away.len() as f64;
        // A drawing has one side; a new figure is drawn for all.
        if flip {
            self.motion = facing::mirrored_where(&self.motion, &away)?;
            self.as_recorded = self.motion.clone();
        }
        self.notes.push(if flip {
            format!("in {share:.0} % of the frames the figure faces away: there it is mirrored (--facing keep shows it as it is)")
        } else {
            format!("in {share:.0} % of the frames the figure faces away (--facing flip mirrors it there)")
        });
        Ok(())
    }

    /// Finds the best cycle and closes it, or notes that the recording is one.
    ///
    /// # Errors
    /// There are fewer than two frames, or no pose repeats.
    pub fn close(&mut self, looped: bool) -> Result<(), AuthoringError> {
        self.check_frames()?;
        let is_loop = cycle::whole(&self.motion);
        if !looped {
            if is_loop.is_some() && self.ground.is_empty() {
                let note = "the last frame equals the first one: --loop makes the clip loop";
                self.notes.push(note.to_owned());
            }
            return Ok(());
        }
        let found = is_loop.or_else(|| cycle::find(&self.motion)).ok_or_else(|| {
            ImportError::new("no cycle was found: no pose repeats with the same motion")
                .help("a cycle takes 0.35 to 12 seconds, and the recording has to be a little longer than it; or omit --loop")
        })?;
        self.as_recorded = self.motion.cut(found.start, found.start + found.period + 1)?;
        self.motion = cycle::closed(&self.motion, &found)?;
        let start = found.start + self.first;
        self.notes.push(format!(
            "the cycle is {:.3} s: frames {start} to {}; the remaining difference at its end, {:.1} % of the height, is spread over it",
            found.period as f64 / self.motion.rate(),
            start + found.period,
            found.distance * 100.0
        ));
        Ok(())
    }

    fn check_frames(&self) -> Result<(), AuthoringError> {
        if self.motion.frames() < 2 {
            let message = "the recording has only one frame: a clip needs at least two";
            return Err(ImportError::new(message).into());
        }
        Ok(())
    }

    /// Whether a clip can be made with these options.
    pub(crate) fn check(&self, options: &ClipOptions) -> Result<(), AuthoringError> {
        self.check_frames()?;
        if !(options.tolerance > 0.0 && options.tolerance <= 100.0) {
            return Err(AuthoringError::Request("a tolerance is above 0 and at most 100 %".to_owned()));
        }
        Ok(())
    }

    /// The comment on the clip: its origin and the notes.
    pub(crate) fn comment(&self) -> String {
        let mut comment = self.origin.clone();
        if !comment.is_empty() && !comment.ends_with('\n') {
            comment.push('\n');
        }
        for note in &self.notes {
            let mut note = note.clone();
            if let Some(first) = note.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            let _ = writeln!(comment, "{note}.");
        }
        comment
    }
}

/// The largest number of contacts that are named.
const NAMED: usize = 5;

/// Which feet stand, and which do not although they are on the ground.
pub(crate) fn planted_note(planted: &PlantedMotion, rate: f64) -> Option<String> {
    let joint = |joint: usize| planted.motion.joints()[joint].name.as_str();
    let named = |feet: &[&LooseFoot]| {
        let foot = |foot: &&LooseFoot| {
            let (from, until) = (ShortNumber(foot.from as f64 / rate), ShortNumber(foot.until as f64 / rate));
            let why = match foot.jerk {
                Some(jerk) => format!("{jerk:.0} degrees"),
                None => format!("{:.1} %", 100.0 * foot.moves),
            };
            format!("\"{}\" {from} to {until} s, {why}", joint(foot.joint))
        };
        let names: Vec<String> = feet.iter().take(NAMED).map(foot).collect();
        let more = match feet.len() - names.len() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!("{}{more}", names.join(", "))
    };
    let mut note = format!(
        "standing feet: {} contacts, moved by up to {:.1} % of the height so that they stand still",
        planted.standing.len(),
        100.0 * planted.largest_shift
    );
    let (jerking, moving): (Vec<&LooseFoot>, Vec<&LooseFoot>) =
        planted.loose.iter().partition(|foot| foot.jerk.is_some());
    if !moving.is_empty() {
        let _ = write!(note, "; not those that move by more on the ground: {}", named(&moving));
    }
    if !jerking.is_empty() {
        let _ = write!(note, "; not those whose knees would jerk: {}", named(&jerking));
    }
    (planted.largest_shift > 0.001 || !planted.loose.is_empty()).then_some(note)
}

/// The digits of a rig: its rounding is small beside a tolerance, which is in percent of the height. Keys are
/// rounded by the fit already; these digits are for the setup pose.
pub(crate) fn digits(tolerance: f64, height: f64) -> Digits {
    let room = 0.01 * tolerance / 100.0 * height;
    let places = (2..6).find(|&places| 0.5 * 10.0_f64.powi(-places) <= room).unwrap_or(6);
    let fine = if tolerance < 0.2 { 6 } else { 3 };
    Digits { places: places as usize, times: fine, shares: fine }
}

/// The same digits, or more where the keys of a fitted clip have more: they are rounded already.
pub(crate) fn digits_of(clip: &KeyedClip, digits: Digits) -> Digits {
    let usual = |number: f64| (number * 1e3 - (number * 1e3).round()).abs() < 1e-6;
    let plain = |ease: &Ease| match *ease {
        Ease::Bezier { x1, y1, x2, y2 } => [x1, y1, x2, y2].into_iter().all(usual),
        _ => true,
    };
    let all = clip.tracks.iter().all(|track| match &track.keys {
        ChannelKeys::Rotate(keys) | ChannelKeys::Stretch(keys) => {
            keys.iter().all(|key| usual(key.time) && plain(&key.ease))
        }
        ChannelKeys::Move(keys) => keys.iter().all(|key| usual(key.time) && plain(&key.ease)),
    });
    if all { digits } else { Digits { times: 6, shares: 6, ..digits } }
}

/// A number without trailing zeros, with two digits after the point or as many as the precision.
pub struct ShortNumber(pub f64);

impl fmt::Display for ShortNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2) as i32;
        let unit = 10.0_f64.powi(digits);
        write!(f, "{}", (self.0 * unit).round() / unit)
    }
}
