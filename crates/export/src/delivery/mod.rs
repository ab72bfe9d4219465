//! What services take as a sticker or an emoji: the format, the size, the rate, the length and the bytes of a file,
//! a row each; and the tries of a search for the best file within them.

mod facts;
mod reduce;

use crate::formats::ANIMATED_PNG;

pub use facts::DeliveredFacts;
pub use reduce::reduce_colours;

/// Which files a service takes.
#[derive(Clone, Copy, Debug)]
pub struct DeliveryTarget {
    /// Its name, as `--for` has it.
    pub name: &'static str,
    /// What it is called in a list.
    pub label: &'static str,
    /// The ending of the format.
    pub ending: &'static str,
    /// The size if none is chosen.
    pub size: (u32, u32),
    /// Whether the size becomes that of the drawing within it, one side as it is.
    pub shaped: bool,
    /// All sizes that are allowed, and a test of one.
    pub sizes: &'static str,
    /// Whether a size is allowed.
    pub fits: fn(u32, u32) -> bool,
    /// The highest rate of frames.
    pub most_fps: u32,
    /// The fewest and the most frames.
    pub frames: (u64, u64),
    /// The longest duration of one play in seconds.
    pub most_seconds: u32,
    /// The largest file.
    pub most_bytes: u64,
    /// Whether all plays together last whole seconds, at most the longest duration; else it plays for ever.
    pub counted: bool,
    /// Empty pixels around the page.
    pub margin: u32,
}

/// Colours, edges and rates are kept as well as they are within this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryLevel {
    /// Every pixel as it was drawn.
    Exact,
    /// So many colours, with that of transparent pixels.
    Colours(u16),
    /// The quality of an encoder that loses some of the picture, from 0 to 100.
    Quality(u8),
    /// Hundredths of a pixel that outlines may be off.
    Tolerance(u16),
}

impl std::fmt::Display for DeliveryLevel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact => f.write_str("every colour"),
            Self::Colours(colours) => write!(f, "{colours} colours"),
            Self::Quality(quality) => write!(f, "quality {quality}"),
            Self::Tolerance(hundredths) => write!(f, "tolerance {} px", f64::from(*hundredths) / 100.0),
        }
    }
}

/// What most rows have in common: square, at most 30 frames a second, any number of frames, for ever.
const STICKER: DeliveryTarget = DeliveryTarget {
    name: "",
    label: "",
    ending: ANIMATED_PNG,
    size: (512, 512),
    shaped: false,
    sizes: "512x512",
    fits: |width, height| (width, height) == (512, 512),
    most_fps: 30,
    frames: (1, u64::MAX),
    most_seconds: 3,
    most_bytes: 0,
    counted: false,
    margin: 0,
};

/// All targets, in the order in which they are listed. The sources of the rules are in `docs/deliveries.md`.
pub const DELIVERIES: &[DeliveryTarget] = &[
    #[cfg(feature = "vector")]
    DeliveryTarget {
        name: "telegram",
        label: "Telegram sticker",
        ending: "tgs",
        most_fps: 60,
        most_bytes: 65_536,
        ..STICKER
    },
    DeliveryTarget {
        name: "telegram-video",
        label: "Telegram video sticker",
        ending: "webm",
        shaped: true,
        sizes: "one side 512, the other at most 512; 100x100",
        fits: |width, height| width.max(height) == 512 || (width, height) == (100, 100),
        most_bytes: 262_144,
        ..STICKER
    },
    DeliveryTarget {
        name: "whatsapp",
        label: "WhatsApp sticker",
        ending: "webp",
        most_seconds: 10,
        most_bytes: 512_000,
        margin: 16,
        ..STICKER
    },
    DeliveryTarget {
        name: "signal",
        label: "Signal sticker",
        sizes: "square, 10 to 512",
        fits: |width, height| width == height && (10..=512).contains(&width),
        most_bytes: 307_200,
        ..STICKER
    },
    DeliveryTarget {
        name: "discord",
        label: "Discord sticker",
        size: (320, 320),
        sizes: "320x320",
        fits: |width, height| (width, height) == (320, 320),
        most_seconds: 5,
        most_bytes: 524_288,
        ..STICKER
    },
    DeliveryTarget {
        name: "discord-emoji",
        label: "Discord emoji",
        most_seconds: 60,
        most_bytes: 262_144,
        ..EMOJI
    },
    DeliveryTarget {
        name: "slack",
        label: "Slack emoji",
        frames: (1, 50),
        most_seconds: 60,
        most_bytes: 131_072,
        ..EMOJI
    },
    DeliveryTarget {
        name: "twitch",
        label: "Twitch emote",
        size: (112, 112),
        sizes: "square: 28, 56 or 112 to 4096",
        fits: |width, height| width == height && (matches!(width, 28 | 56) || (112..=4096).contains(&width)),
        frames: (1, 60),
        most_seconds: 60,
        most_bytes: 524_288,
        ..EMOJI
    },
    DeliveryTarget {
        name: "imessage",
        label: "iMessage sticker",
        size: (408, 408),
        sizes: "300x300, 408x408 or 618x618",
        fits: |width, height| width == height && matches!(width, 300 | 408 | 618),
        most_seconds: 60,
        most_bytes: 500_000,
        ..STICKER
    },
    DeliveryTarget {
        name: "line",
        label: "LINE sticker",
        size: (320, 270),
        sizes: "at most 320x270, one side at least 270",
        fits: |width, height| width <= 320 && height <= 270 && width.max(height) >= 270,
        frames: (5, 20),
        most_seconds: 4,
        most_bytes: 307_200,
        counted: true,
        ..STICKER
    },
];

const EMOJI: DeliveryTarget = DeliveryTarget {
    ending: "gif",
    size: (128, 128),
    sizes: "128x128",
    fits: |width, height| (width, height) == (128, 128),
    ..STICKER
};

/// Rates below that of the clip, the next best first. Motion at less than 12 a second falls apart: these are
/// tried only where no more frames are allowed.
const RATES: [f64; 9] = [30.0, 24.0, 20.0, 15.0, 12.0, 10.0, 8.0, 6.0, 5.0];
const SMOOTH: f64 = 12.0;

impl DeliveryTarget {
    /// The target of a name.
    pub fn find(name: &str) -> Option<&'static Self> {
        DELIVERIES.iter().find(|target| target.name == name)
    }

    /// Rates with what is tried at each, from the best file to the smallest, for a clip with `fps` frames a second
    /// that has `count` frames at a rate. `lossy` is whether the encoder that loses some of the picture is there.
    pub fn stages(
        &self,
        fps: f64,
        count: impl Fn(f64) -> u64,
        lossy: bool,
    ) -> Vec<(f64, Vec<DeliveryLevel>)> {
        if self.ending == "tgs" {
            // Telegram takes these rates alone.
            let levels = [25, 35, 50, 70, 100].map(DeliveryLevel::Tolerance).to_vec();
            let rates = if fps > 30.0 { &[60.0, 30.0][..] } else { &[30.0] };
            return rates.iter().map(|rate| (*rate, levels.clone())).collect();
        }
        let first = fps.min(self.most_fps.into());
        let allowed = |rate: &f64| (self.frames.0..=self.frames.1).contains(&count(*rate));
        let lower = RATES.into_iter().filter(|rate| *rate < first);
        let rates: Vec<f64> = std::iter::once(first).chain(lower).filter(allowed).collect();
        let smooth = rates.iter().filter(|rate| **rate >= SMOOTH).count();
        let rates = &rates[..smooth.max(2).min(rates.len())];
        let colours = |all: &[u16]| all.iter().map(|n| DeliveryLevel::Colours(*n)).collect::<Vec<_>>();
        let qualities = || (4..25).rev().map(|step| DeliveryLevel::Quality(4 * step)).collect::<Vec<_>>();
        let few = colours(&[256, 128, 64]);
        let exact = || [vec![DeliveryLevel::Exact], few.clone()].concat();
        let mut stages = Vec::new();
        for (at, rate) in rates.iter().enumerate() {
            let is_last = at + 1 == rates.len();
            match (self.ending, lossy) {
                ("webm", _) => stages.push((*rate, qualities())),
                ("webp", true) => {
                    stages.extend((at == 0).then(|| (*rate, exact())));
                    stages.push((*rate, qualities()));
                }
                _ => {
                    let mut levels = if at == 0 && self.ending != "gif" { exact() } else { few.clone() };
                    levels.extend(colours(if is_last { &[48, 32, 24] } else { &[] }));
                    stages.push((*rate, levels));
                }
            }
        }
        stages
    }

    /// How often a clip of so many seconds is played; 0 is for ever.
    ///
    /// # Errors
    /// What is wrong with its length.
    pub fn plays(&self, seconds: f64) -> Result<u16, String> {
        let Self { label, most_seconds, counted, .. } = *self;
        let most = f64::from(most_seconds);
        if seconds > most + 1e-6 {
            return Err(format!("a {label} lasts at most {most_seconds} s, and the clip {seconds:.2} s"));
        }
        if !counted {
            return Ok(0);
        }
        let whole = |plays: &u16| {
            let all = seconds * f64::from(*plays);
            all <= most + 1e-6 && (all - all.round()).abs() < 1e-6
        };
        (1..=4).rev().find(whole).ok_or_else(|| {
            format!(
                "a {label} plays 1 to 4 times and lasts 1 to {most_seconds} whole seconds in all, and the clip \
                 {seconds:.2} s"
            )
        })
    }

    /// The rules that a file breaks, in words. `clear` is whether pixels of its frames are transparent.
    pub fn broken(&self, facts: &DeliveredFacts, plays: u16, clear: bool) -> Vec<String> {
        let DeliveredFacts { width, height, frames, milliseconds, shortest, bytes, .. } = *facts;
        let mut broken = Vec::new();
        let mut rule = |holds: bool, what: String| broken.extend((!holds).then_some(what));
        rule((self.fits)(width, height), format!("{width}x{height} pixels in place of {}", self.sizes));
        rule((self.frames.0..=self.frames.1).contains(&frames), format!("{frames} frames"));
        rule(milliseconds <= u64::from(self.most_seconds) * 1000 + 10, format!("{milliseconds} ms long"));
        // Times are rounded to milliseconds, of a GIF to hundredths.
        let least = 1000 / u64::from(self.most_fps) - if self.ending == "gif" { 9 } else { 1 };
        rule(shortest >= least, format!("a frame of {shortest} ms"));
        rule(facts.plays.is_none_or(|found| found == u32::from(plays)), format!("{:?} plays", facts.plays));
        rule(facts.alpha || !clear, "no transparency".to_owned());
        rule(!facts.audio, "sound".to_owned());
        rule(bytes <= self.most_bytes, format!("{bytes} bytes"));
        broken
    }
}
