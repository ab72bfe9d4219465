//! The arguments of `import`.

use std::path::PathBuf;

use clap::ValueEnum;
use import::{SignedAxis, ViewDirection};

use super::Existing;
use crate::frames::Fps;

/// Turn recorded motion into a clip with few keys.
///
/// Reads a BVH file, or keypoints that an estimator read off a video. Without --rig it makes a figure of its own that renders at once; with --rig the motion is put onto the bones of that rig.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ImportArgs {
    /// The recording: a .bvh, or keypoints: a folder with a .json a frame, or one .json
    pub(crate) motion: PathBuf,

    /// Where the rig goes; the drawing of a figure goes beside it, as an .svg [default: the recording's name]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Put the motion onto the bones of this rig instead of a figure of its own
    #[arg(long, value_name = "RIG")]
    pub(crate) rig: Option<PathBuf>,

    /// Which bones and joints are which parts of a body, as RON: (bones: {"thigh_l": "Leg1"}, joints: {"thigh_l": "LHip"})
    #[arg(long, value_name = "FILE", requires = "rig")]
    pub(crate) map: Option<PathBuf>,

    /// The side to look from: side, front, back, or degrees from the front towards the figure's right
    #[arg(long, value_name = "VIEW", default_value = "side", value_parser = view, allow_negative_numbers = true)]
    pub(crate) view: ViewDirection,

    /// What happens to bones that point towards the viewer
    #[arg(long, value_enum, value_name = "HOW", default_value_t = ForeshorteningArg::Keep, conflicts_with = "rig")]
    pub(crate) foreshortening: ForeshorteningArg,

    /// Which axis of the file is up: +x, -x, +y, -y, +z or -z [default: from hips to head]
    #[arg(long, value_name = "AXIS", value_parser = axis, allow_hyphen_values = true)]
    pub(crate) up: Option<SignedAxis>,

    /// Which frames of the recording, from the first, 0, like 40-160 [default: all]
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    pub(crate) frames: Option<(usize, usize)>,

    /// Find the best cycle, close it, and make the clip loop
    #[arg(long = "loop")]
    pub(crate) looped: bool,

    /// The figure does not get anywhere: the ground goes by
    #[arg(long)]
    pub(crate) on_the_spot: bool,

    /// How far a joint may be off, in percent of the figure's height
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub(crate) tolerance: f64,

    /// Name of the clip [default: the recording's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) clip: Option<String>,

    /// Frames a second of the rig that is made
    #[arg(long, value_name = "FPS", default_value = "24", conflicts_with = "rig")]
    pub(crate) fps: Fps,

    /// Walk along a way, the first path of this SVG, through a capture or a folder of them
    #[arg(long, value_name = "SVG", conflicts_with_all = ["looped", "on_the_spot", "frames"])]
    pub(crate) along: Option<PathBuf>,

    /// How high the figure is beside the way [default: a quarter of its SVG]
    #[arg(long, value_name = "UNITS", requires = "along", value_parser = units)]
    pub(crate) height: Option<f64>,

    #[command(flatten)]
    pub(crate) keypoints: KeypointArgs,

    /// What to do with files that exist already
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Existing::Error)]
    pub(crate) existing: Existing,

    /// Say nothing unless something is wrong
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// How keypoints are read.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct KeypointArgs {
    /// Frames a second of the keypoints' video [default: 30]
    #[arg(long, value_name = "FPS")]
    pub(crate) video_fps: Option<Fps>,

    /// Person of the keypoints; 1 is the largest for longest
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) person: u32,

    /// Size of the video, where keypoints are shares of its picture
    #[arg(long, value_name = "WxH", value_parser = super::size)]
    pub(crate) picture: Option<::render::FrameSize>,

    /// Bridge frames whose files are missing
    #[arg(long)]
    pub(crate) allow_missing: bool,

    /// Swings a second to keep of keypoints; 0 smooths nothing
    #[arg(long, value_name = "HZ", default_value_t = 6.0, value_parser = swings)]
    pub(crate) smooth: f64,
}

fn units(text: &str) -> Result<f64, String> {
    let units: f64 = text.parse().map_err(|_| "units of the drawing, like 120")?;
    if units.is_finite() && units > 0.0 { Ok(units) } else { Err("a height above 0".to_owned()) }
}

fn swings(text: &str) -> Result<f64, String> {
    let swings: f64 = text.parse().map_err(|_| "swings a second, like 6 or 3.5")?;
    if (0.0..=1000.0).contains(&swings) {
        Ok(swings)
    } else {
        Err("from 0 to 1000 swings a second".to_owned())
    }
}

const EXAMPLES: &str = "\
Examples:
  render-frames import walk.bvh -o walk.ron && render-frames walk.ron -o out/
  render-frames import walk.bvh -o cycle.ron --loop --on-the-spot
  render-frames import dance.bvh -o dance.ron --view front --frames 100-400
  render-frames import openpose/ -o me.ron --video-fps 25
  render-frames import walk.bvh --rig hero.ron -o hero-walks.ron --clip walk --loop --on-the-spot
  render-frames import captures/ --along way.svg -o stroll.ron";

/// What happens to bones that are seen at an angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForeshorteningArg {
    /// They get shorter
    Keep,
    /// They get shorter, down to half their length
    Clamp,
    /// They keep their length
    Ignore,
}

impl From<ForeshorteningArg> for import::figure::Foreshortening {
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

/// The first and the last frame of a range.
fn frames(text: &str) -> Result<(usize, usize), String> {
    let message = || format!("`{text}` is no range of frames; write 40-160");
    let (first, last) = text.split_once('-').ok_or_else(message)?;
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| message());
    let (first, last) = (number(first)?, number(last)?);
    if first < last { Ok((first, last)) } else { Err(format!("`{text}` leaves no movement: write 40-160")) }
}
