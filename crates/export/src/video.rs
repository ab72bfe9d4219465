//! The arguments with which ffmpeg makes a video of raw frames. Colours are BT.709 in the limited range,
//! converted and tagged as such: players guess otherwise.

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

/// Quality where none is chosen. Areas of one colour come back within 2 levels of their BT.709 values; of a
/// difference of 4 levels, as at 80, flat art shows traces beside its edges.
pub const VIDEO_QUALITY: u8 = 96;

impl VideoFormat {
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
    /// The arguments, without the name of the program and that of the file, which comes last. Frames are read
    /// from standard input.
    pub fn arguments(&self) -> Vec<String> {
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
        let mut arguments: Vec<String> =
            ["-hide_banner", "-nostdin", "-xerror", "-loglevel", "error", "-y", "-f", "rawvideo"]
                .into_iter()
                .map(str::to_owned)
                .collect();
        let mut add = |text: &str| arguments.extend(text.split(' ').map(str::to_owned));
        add(&format!("-pix_fmt {input} -s {size} -r {}/{} -i -", rate.frames, rate.seconds));
        if format == VideoFormat::Webp {
            // The encoder converts colours by the rules of its own format.
            add(&format!("-an -c:v {} -pix_fmt {pixels} -lossless 0 -quality {quality}", format.encoder()));
            // Level 6 takes twelve times as long for 3 % fewer bytes.
            add("-compression_level 4 -loop 0 -map_metadata -1 -fflags +bitexact -flags:v +bitexact -f webp");
            return arguments;
        }
        add(&format!("-vf {filter} -an -c:v {}", format.encoder()));
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
