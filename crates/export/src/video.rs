//! The arguments with which ffmpeg makes a video of raw frames, and of sounds. Colours are BT.709 in the limited range,
//! converted and tagged as such: players guess otherwise.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::raster::PixelSize;
use crate::timing::PlayRate;

/// A kind of video file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoFormat {
    /// H.264, which plays everywhere. It has no alpha; sizes are padded to even ones.
    Mp4,
    /// VP9, with alpha if the frames have it.
    Webm,
    /// ProRes 4444 with 16 bits of alpha, for video editors.
    Mov,
    /// An animated WebP whose frames lose some of the picture (VP8), with alpha.
    Webp,
}

/// The arguments of one video.
#[derive(Clone, Copy, Debug)]
pub struct VideoOptions {
    /// The kind of file.
    pub format: VideoFormat,
    /// The size of the frames.
    pub size: PixelSize,
    /// Frames a second.
    pub rate: PlayRate,
    /// Whether frames are RGBA, straight; else they are RGB.
    pub alpha: bool,
    /// From 0 to 100, which is nearly exact. ProRes has no such choice.
    pub quality: u8,
    /// The colour of a column or a row that makes the size even.
    pub padding: [u8; 3],
}

/// A sound of a video.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmSound {
    /// Its file.
    pub path: PathBuf,
    /// When it begins, seconds since the first frame. Before that, its beginning is not heard.
    pub at: f64,
    /// Seconds of the file that are left out before it.
    pub from: f64,
    /// Seconds from there to its end.
    pub length: f64,
    /// Whether it has one channel, which both sides then have, as loud as it is.
    pub mono: bool,
    /// Decibels by which it is louder.
    pub gain: f64,
    /// Seconds in which it comes and goes.
    pub fade: (f64, f64),
}

/// The most sounds of a video: what mixes them is one argument, which systems limit.
pub const MOST_SOUNDS: usize = 400;

/// Samples a second of all sound.
const SOUND_RATE: f64 = 48_000.0;

/// What ffmpeg may take a sound for: files that hold their sound themselves, and name no others.
pub const SOUND_FORMATS: &str = "aac,aiff,caf,flac,matroska,mov,mp3,ogg,w64,wav";

impl FilmSound {
    /// The filters from its file to the sound of the video, without their ends.
    fn filters(&self) -> String {
        let Self { at, from, length, mono, gain, fade: (comes, goes), .. } = self;
        let sides = if *mono { "pan=stereo|c0=c0|c1=c0" } else { "aformat=channel_layouts=stereo" };
        let (late, early) = (at.max(0.0), (-at).max(0.0));
        let mut filters = format!(
            "aresample={SOUND_RATE},aformat=sample_fmts=fltp,{sides},atrim=start={from:.6},asetpts=PTS-STARTPTS"
        );
        for (way, start, seconds) in [("in", 0.0, comes), ("out", (length - goes).max(0.0), goes)] {
            if *seconds > 0.0 {
                filters.push_str(&format!(",afade=t={way}:st={start:.6}:d={seconds:.6}"));
            }
        }
        if *gain != 0.0 {
            filters.push_str(&format!(",volume={gain:.3}dB"));
        }
        if early > 0.0 {
            filters.push_str(&format!(",atrim=start={early:.6},asetpts=PTS-STARTPTS"));
        }
        filters.push_str(&format!(",adelay={:.0}S:all=1", late * SOUND_RATE));
        filters
    }
}

/// Quality where none is chosen. Areas of one colour come back within 2 levels of their BT.709 values; of a
/// difference of 4 levels, as at 80, flat art shows traces beside its edges.
pub const VIDEO_QUALITY: u8 = 96;

impl VideoFormat {
    /// How it holds sound; none if it holds none.
    fn sound_encoder(self) -> Option<&'static str> {
        match self {
            Self::Mp4 => Some("aac -b:a 192k"),
            Self::Webm => Some("libopus -b:a 128k"),
            Self::Mov => Some("pcm_s16le"),
            Self::Webp => None,
        }
    }

    /// Whether its pixels may be transparent.
    pub fn has_alpha(self) -> bool {
        self != Self::Mp4
    }

    /// The encoder that ffmpeg needs.
    pub fn encoder(self) -> &'static str {
        match self {
            Self::Mp4 => "libx264",
            Self::Webm => "libvpx-vp9",
            Self::Mov => "prores_ks",
            Self::Webp => "libwebp_anim",
        }
    }
}

impl VideoOptions {
    /// The arguments for a video of so many frames, without the name of the program and that of the file, which comes
    /// last. Frames are read from standard input. Sounds end with the last frame.
    pub fn arguments(&self, sounds: &[FilmSound], frames: u64) -> Vec<OsString> {
        let Self { format, size, rate, alpha, quality, padding: [red, green, blue] } = *self;
        let worse = u32::from(100 - quality.min(100));
        let input = if alpha { "rgba" } else { "rgb24" };
        let pixels = match (format, alpha) {
            (VideoFormat::Mp4, _) | (VideoFormat::Webm, false) => "yuv420p",
            (VideoFormat::Webm, true) => "yuva420p",
            (VideoFormat::Mov, _) => "yuva444p10le",
            (VideoFormat::Webp, _) => "bgra",
        };
        let pad = match format {
            VideoFormat::Mp4 => {
                format!("pad=ceil(iw/2)*2:ceil(ih/2)*2:color=0x{red:02x}{green:02x}{blue:02x},")
            }
            VideoFormat::Webm | VideoFormat::Mov | VideoFormat::Webp => String::new(),
        };
        // Some encoders take the tags of the frames, not those of the arguments.
        let tags = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv";
        let filter = format!("{pad}scale=out_color_matrix=bt709:out_range=tv,format={pixels},{tags}");
        let mut arguments = Vec::new();
        let add =
            |arguments: &mut Vec<OsString>, text: &str| arguments.extend(text.split(' ').map(OsString::from));
        add(&mut arguments, "-hide_banner -nostdin -xerror -loglevel error -y -f rawvideo");
        add(&mut arguments, &format!("-pix_fmt {input} -s {size} -r {}/{} -i -", rate.frames, rate.seconds));
        let encoder = format.sound_encoder().filter(|_| !sounds.is_empty());
        let seconds = frames as f64 * f64::from(rate.seconds) / f64::from(rate.frames);
        if encoder.is_some() {
            let files: BTreeSet<&Path> = sounds.iter().map(|sound| &*sound.path).collect();
            let (mut mixed, mut ends) = (String::new(), String::new());
            // A step that is heard a hundred times is read once.
            for (file, path) in (1..).zip(files) {
                // A name alone could be an address or a list of other files.
                add(
                    &mut arguments,
                    &format!("-protocol_whitelist file -format_whitelist {SOUND_FORMATS} -i"),
                );
                arguments.push([OsStr::new("file:"), path.as_os_str()].into_iter().collect());
                let of_file = || sounds.iter().enumerate().filter(|(_, sound)| *sound.path == *path);
                let parts: String = of_file().map(|(at, _)| format!("[p{at}]")).collect();
                mixed.push_str(&format!("[{file}:a:0]asplit={}{parts};", of_file().count()));
                for (at, sound) in of_file() {
                    mixed.push_str(&format!("[p{at}]{}[s{at}];", sound.filters()));
                    ends.push_str(&format!("[s{at}]"));
                }
            }
            let count = sounds.len();
            // Where all sounds have ended, the mixer leaves out the times after which silence is added.
            mixed.push_str(&format!("{ends}amix=inputs={count}:normalize=0:dropout_transition=0,asetpts=N/SR/TB,apad,atrim=end={seconds:.6}[sound]"));
            arguments.extend(["-filter_complex".into(), mixed.into()]);
            add(&mut arguments, "-map 0:v -map [sound]");
        }
        let mut add = |text: &str| add(&mut arguments, text);
        let sound = encoder.map_or("-an".to_owned(), |encoder| format!("-c:a {encoder} -flags:a +bitexact"));
        if format == VideoFormat::Webp {
            // The encoder converts colours by the rules of its own format.
            add(&format!("-an -c:v {} -pix_fmt {pixels} -lossless 0 -quality {quality}", format.encoder()));
            // Level 6 takes twelve times as long for 3 % fewer bytes.
            add("-compression_level 4 -loop 0 -map_metadata -1 -fflags +bitexact -flags:v +bitexact -f webp");
            return arguments;
        }
        add(&format!("-vf {filter} {sound} -c:v {}", format.encoder()));
        match format {
            // 0 would be another profile, which few players have.
            VideoFormat::Mp4 => {
                add(&format!("-preset slow -crf {} -tune animation", (worse * 4 / 5).clamp(1, 51)));
            }
            VideoFormat::Webm => add(&format!("-b:v 0 -crf {} -auto-alt-ref 0 -row-mt 1", worse / 2)),
            VideoFormat::Mov | VideoFormat::Webp => add("-profile:v 4444 -alpha_bits 16 -vendor apl0"),
        }
        add("-colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv");
        // No dates, no versions, no random numbers: the same bytes each time.
        add("-map_metadata -1 -fflags +bitexact -flags:v +bitexact");
        match format {
            VideoFormat::Mp4 => add("-movflags +faststart -f mp4"),
            VideoFormat::Webm => add("-f webm"),
            VideoFormat::Mov | VideoFormat::Webp => add("-f mov"),
        }
        arguments
    }
}
