//! The arguments of `import`.

use std::path::PathBuf;

use bone_import::keypoints::KeypointLayout;
use bone_import::lips::MouthShape;
use bone_import::{SignedAxis, ViewDirection};
use clap::ValueEnum;
use clap::builder::ArgPredicate;

use super::{Existing, whole_files};
use crate::frames::Fps;
use crate::output_name;

/// Convert recorded motion to a clip with few keys.
///
/// Reads a BVH, AMC, TRC or glTF file, or keypoints that a pose estimator detected in a video. Without --rig it makes a new
/// figure that renders at once; with --rig it puts the motion onto the bones of that rig. A film of Synfig Studio becomes
/// a drawing and a rig.
#[derive(Debug, clap::Args)]
#[command(after_help = format!("{EXAMPLES}{WALK}"))]
pub(crate) struct ImportArgs {
    /// The recording: a .bvh, .amc, .trc, .glb, .gltf or .vrma file, or keypoints: a folder with a .json for
    /// each frame, one .json, or a .csv of points; or a film of Synfig Studio: .sif, .sifz or .sfg
    pub(crate) motion: PathBuf,

    /// The rig file to write; the drawing of a figure is written beside it, as an .svg [default: the
    /// recording's name]
    #[arg(short, long, value_name = "FILE", value_parser = output_name::file())]
    pub(crate) output: Option<PathBuf>,

    /// Write a sheet of the recording beside the figure to this .png, and nothing else
    #[arg(long, value_name = "FILE")]
    pub(crate) look: Option<PathBuf>,

    /// Put the motion onto the bones of this rig in place of a new figure
    #[arg(long, value_name = "RIG")]
    pub(crate) rig: Option<PathBuf>,

    /// A map from parts of a body to bones and joints, as RON: (bones: {"thigh_l": "Leg1"}, joints:
    /// {"thigh_l": "LHip"})
    #[arg(long, value_name = "FILE")]
    pub(crate) map: Option<PathBuf>,

    /// View of the figure: side, front, back, or degrees from the front towards the figure's right
    #[arg(long, value_name = "VIEW", default_value = "side", value_parser = view, allow_negative_numbers = true)]
    pub(crate) view: ViewDirection,

    /// Treatment of bones that point towards the viewer; with --rig that of its arms and legs [default: keep,
    /// with --rig ignore]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(crate) foreshortening: Option<ForeshorteningArg>,

    /// Frames in which the figure faces away: mirror them, or keep them as they are [default: flip with --rig,
    /// else keep]
    #[arg(hide_short_help = true, long, value_enum, value_name = "HOW")]
    pub(crate) facing: Option<FacingArg>,

    /// What is made of the skeleton [default: a person, unless it has the shape of an animal]
    #[arg(hide_short_help = true, long, value_enum, value_name = "KIND")]
    pub(crate) figure: Option<FigureArg>,

    /// Up axis: +x, -x, +y, -y, +z or -z [default: from hips to head]
    #[arg(hide_short_help = true, long, value_name = "AXIS", value_parser = axis, allow_hyphen_values = true)]
    pub(crate) up: Option<SignedAxis>,

    /// Animation of a glTF file with several: its name, or its number from 1 on [default: the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) animation: Option<String>,

    /// Static trial of a .trc file: a .trc with the markers of knees and ankles, which the motion lacks
    #[arg(hide_short_help = true, long = "static", value_name = "FILE")]
    pub(crate) static_trial: Option<PathBuf>,

    /// Frames of the recording, from 0 on, like 40-160 [default: all]
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    pub(crate) frames: Option<(usize, usize)>,

    /// Find the best cycle, close it, and make the clip loop
    #[arg(long = "loop")]
    pub(crate) looped: bool,

    /// Keep the figure on the spot while the ground moves
    #[arg(long)]
    pub(crate) on_the_spot: bool,

    /// Keep the figure on the page: the ground moves where it would leave
    #[arg(long, requires = "rig", conflicts_with_all = ["looped", "on_the_spot"])]
    pub(crate) keep_in_view: bool,

    /// Largest error of a joint, in percent of the figure's height
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) tolerance: f64,

    /// Name of the clip [default: the recording's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Frames a second of the new rig
    #[arg(long, value_name = "FPS", default_value = "24", conflicts_with = "rig")]
    pub(crate) fps: Fps,

    /// Walk along the first path of this SVG, through a capture or a folder of captures
    #[cfg(feature = "motion-graphs")]
    #[arg(long, value_name = "SVG", conflicts_with_all = ["looped", "on_the_spot", "frames"])]
    pub(crate) along: Option<PathBuf>,

    /// Height of the figure along the path [default: a quarter of the height of its SVG]
    #[cfg(feature = "motion-graphs")]
    #[arg(hide_short_help = true, long, value_name = "UNITS", requires = "along", value_parser = units)]
    pub(crate) height: Option<f64>,

    /// Key this group of mouths of the rig by lip sync: a .tsv, .xml or .json of Rhubarb, a .dat of Moho or
    /// Papagayo, a .TextGrid of Praat, or subtitles, .srt or .vtt; or by a sound, as .wav, .ogg or .mp3
    #[arg(hide_short_help = true, long, value_name = "GROUP", requires = "rig", conflicts_with_all = ["look", "map", "looped", "on_the_spot", "keep_in_view", "frames"])]
    pub(crate) mouth: Option<String>,

    /// What is said in the sound, for espeak-ng; @FILE reads it [default: rhubarb finds the mouths]
    #[arg(hide_short_help = true, long, value_name = "TEXT", requires = "mouth")]
    pub(crate) text: Option<String>,

    /// Language of the text, as espeak-ng names it
    #[arg(hide_short_help = true, long, value_name = "NAME", requires = "text", default_value = "en-us")]
    pub(crate) language: String,

    /// Mouths of the group with names of their own, as A=closed,X=rest
    #[arg(hide_short_help = true, long, value_name = "MOUTHS", requires = "mouth", value_delimiter = ',', value_parser = mouth)]
    pub(crate) mouths: Vec<(MouthShape, String)>,

    /// Where the line begins in the clip, in seconds
    #[arg(hide_short_help = true, long, value_name = "SECONDS", requires = "mouth", default_value_t = 0.0, value_parser = moment)]
    pub(crate) at: f64,

    #[command(flatten)]
    pub(crate) keypoints: KeypointArgs,

    /// Write nothing if a part of a film of Synfig Studio would be left out
    #[cfg(feature = "synfig")]
    #[arg(hide_short_help = true, long, conflicts_with_all = ["rig", "look"])]
    pub(crate) strict: bool,

    /// What to do with existing files
    #[arg(hide_short_help = true, long, value_name = "WHAT", default_value = "error", default_value_if("force", ArgPredicate::IsPresent, "overwrite"), value_parser = whole_files())]
    pub(crate) existing: Existing,

    /// The same as --existing overwrite
    #[arg(hide_short_help = true, long, conflicts_with = "existing")]
    pub(crate) force: bool,

    /// Print nothing but errors and warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// The arguments for keypoints.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct KeypointArgs {
    /// Frames a second of recordings that have no rate [default: 30 for keypoints, 120 for
    /// .amc, that of the keys for glTF]
    #[arg(long, value_name = "FPS")]
    pub(crate) video_fps: Option<Fps>,

    /// Person of the keypoints; 1 is the largest for the longest time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) person: u32,

    /// Order of points without names: coco, openpose-18, body-25, mediapipe, halpe-26, wholebody, ap-10k, animalpose
    /// or apple-animal [default: by their number]
    #[arg(hide_short_help = true, long, value_name = "NAME", value_parser = points)]
    pub(crate) points: Option<KeypointLayout>,

    /// Size of the video, for keypoints that are relative to its picture
    #[arg(hide_short_help = true, long, value_name = "WxH", value_parser = super::values::size)]
    pub(crate) picture: Option<bone_render::FrameSize>,

    /// Bridge frames whose files are missing
    #[arg(hide_short_help = true, long)]
    pub(crate) allow_missing: bool,

    /// Cutoff of the smoothing of keypoints; 0 is off
    #[arg(hide_short_help = true, long, value_name = "HZ", default_value_t = 6.0, value_parser = swings)]
    pub(crate) smooth: f64,
}

#[cfg(feature = "motion-graphs")]
fn units(text: &str) -> Result<f64, String> {
    let units: f64 = text.parse().map_err(|_| "units of the drawing, like 120")?;
    if units.is_finite() && units > 0.0 { Ok(units) } else { Err("a height above 0".to_owned()) }
}

fn points(text: &str) -> Result<KeypointLayout, String> {
    KeypointLayout::by_word(text).ok_or_else(|| {
        let words: Vec<&str> = KeypointLayout::ALL.into_iter().map(KeypointLayout::word).collect();
        format!("one of {}", words.join(", "))
    })
}

fn swings(text: &str) -> Result<f64, String> {
    let swings: f64 = text.parse().map_err(|_| "cycles a second, like 6 or 3.5")?;
    if (0.0..=1000.0).contains(&swings) {
        Ok(swings)
    } else {
        Err("from 0 to 1000 cycles a second".to_owned())
    }
}

const EXAMPLES: &str = "\
Examples:
  render-frames import walk.bvh -o walk.ron && render-frames walk.ron -o out/
  render-frames import walk.bvh -o cycle.ron --loop --on-the-spot
  render-frames import hero.glb -o run.ron --animation Run --view front
  render-frames import dog.csv -o dog.ron --video-fps 60
  render-frames import openpose/ -o me.ron --video-fps 25
  render-frames import walk.bvh --rig hero.ron -o hero-walks.ron --clip walk --loop --on-the-spot
  render-frames import film.sif -o film.ron";

const WALK: &str = if cfg!(feature = "motion-graphs") {
    "\n  render-frames import captures/ --along way.svg -o stroll.ron"
} else {
    ""
};

impl ImportArgs {
    /// The drawing with the path to walk along.
    pub(crate) fn path(&self) -> Option<&PathBuf> {
        #[cfg(feature = "motion-graphs")]
        return self.along.as_ref();
        #[cfg(not(feature = "motion-graphs"))]
        None
    }
}

/// What is made of the skeleton of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FigureArg {
    /// A person
    Person,
    /// A figure of the joints of the recording, with their names
    Joints,
}

impl From<FigureArg> for bone_import::FigureKind {
    fn from(figure: FigureArg) -> Self {
        match figure {
            FigureArg::Person => Self::Person,
            FigureArg::Joints => Self::Joints,
        }
    }
}

/// Treatment of frames in which the figure faces away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FacingArg {
    /// Mirror them: the figure always shows the same side
    Flip,
    /// Keep them as they were recorded
    Keep,
}

/// Treatment of foreshortened bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForeshorteningArg {
    /// They get shorter
    Keep,
    /// They get shorter, down to half their length
    Clamp,
    /// They keep their length
    Ignore,
}

impl From<ForeshorteningArg> for bone_import::figure::Foreshortening {
    fn from(how: ForeshorteningArg) -> Self {
        match how {
            ForeshorteningArg::Keep => Self::Keep,
            ForeshorteningArg::Clamp => Self::Clamp,
            ForeshorteningArg::Ignore => Self::Ignore,
        }
    }
}

pub(super) fn view(text: &str) -> Result<ViewDirection, String> {
    Ok(match text {
        "side" => ViewDirection::SIDE,
        "front" => ViewDirection::FRONT,
        "back" => ViewDirection::BACK,
        _ => {
            let degrees: f64 =
                text.trim_end_matches('°').parse().map_err(|_| "side, front, back, or degrees like 45")?;
            if degrees.is_nan() || degrees.abs() > 360.0 {
                return Err("degrees from -360 to 360".to_owned());
            }
            ViewDirection::degrees(degrees)
        }
    })
}

fn mouth(text: &str) -> Result<(MouthShape, String), String> {
    let (letter, name) = text.split_once('=').ok_or("a mouth and its name, like A=closed")?;
    let shape = MouthShape::of_letter(letter.trim()).or_else(|| MouthShape::of_blair(letter.trim()));
    Ok((shape.ok_or("mouths are A to H and X")?, name.trim().to_owned()))
}

fn moment(text: &str) -> Result<f64, String> {
    let seconds: f64 = text.trim_end_matches('s').parse().map_err(|_| "seconds, like 0.5")?;
    if (0.0..=86_400.0).contains(&seconds) { Ok(seconds) } else { Err("from 0 to 86400 seconds".to_owned()) }
}

fn axis(text: &str) -> Result<SignedAxis, String> {
    let negative = text.starts_with('-');
    let axis = match text.trim_start_matches(['+', '-']) {
        "x" | "X" => 0,
        "y" | "Y" => 1,
        "z" | "Z" => 2,
        _ => return Err("an axis is +x, -x, +y, -y, +z or -z".to_owned()),
    };
    Ok(SignedAxis { axis, negative })
}

pub(super) fn percent(text: &str) -> Result<f64, String> {
    let percent: f64 =
        text.trim_end_matches('%').parse().map_err(|_| "percent of the figure's height, like 1 or 0.5")?;
    if (0.01..=20.0).contains(&percent) { Ok(percent) } else { Err("from 0.01 to 20 percent".to_owned()) }
}

/// Parses the first and the last frame of a range.
fn frames(text: &str) -> Result<(usize, usize), String> {
    let message = || format!("`{text}` is not a range of frames; write 40-160");
    let (first, last) = text.split_once('-').ok_or_else(message)?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| message());
    let (first, last) = (number(first)?, number(last)?);
    if first < last {
        Ok((first, last))
    } else {
        Err(format!("`{text}` needs at least two frames: write 40-160"))
    }
}
