//! A line whose text is known: its phones, spoken one by one by a synthesiser, are found again in the recording. No model is
//! needed, and any language that the synthesiser speaks will do.

mod spectrum;
mod warp;

use bone_import::ImportError;
use bone_import::lips::{LipTrack, MouthCue, MouthShape, is_stop, of_phone};

pub use self::spectrum::SPEECH_RATE;
use self::spectrum::{BandPowers, Ear, STEP, Spectrum, spectra, without_noise};
use self::warp::{HeardSound, warp};

/// The longest recording, in seconds: all pairs of moments are compared.
pub const LONGEST_SPEECH: f64 = 120.0;
/// Phones a second that no tongue speaks.
const FASTEST: f64 = 25.0;
/// The formants of voices beside those of the synthesiser, from a large man to a child.
const VOICES: [f64; 5] = [0.9, 1.0, 1.12, 1.25, 1.4];
/// Steps of silence while the lips or the tongue close for a stop.
const CLOSED: usize = 4;
/// Steps of silence around a line.
const AROUND: usize = 5;
/// The shortest time of a mouth, in seconds.
const LEAST: f64 = 0.01;

/// A sound of a language.
#[derive(Clone, Debug)]
pub struct SpokenPhone {
    /// Its symbol in the International Phonetic Alphabet.
    pub ipa: String,
    /// How it sounds alone: [`SPEECH_RATE`] samples a second, of 16 bits.
    pub sound: Vec<f64>,
}

/// The mouths of a recording: [`SPEECH_RATE`] samples a second, of 16 bits. Each word is a list of phones by their index.
///
/// # Errors
/// Nothing is heard or spoken, the recording is too long, or far too short for the words.
pub fn speak(
    recording: &[f64],
    phones: &[SpokenPhone],
    words: &[Vec<usize>],
) -> Result<LipTrack, ImportError> {
    #[allow(clippy::cast_precision_loss, reason = "a recording is short")]
    let (seconds, count) =
        (recording.len() as f64 / f64::from(SPEECH_RATE), words.iter().map(Vec::len).sum::<usize>() as f64);
    let fail = |message: String| Err(ImportError::new(message));
    if count == 0.0 {
        return fail("there is nothing to speak in the text".to_owned());
    }
    if seconds > LONGEST_SPEECH {
        return fail(format!(
            "it is longer than {LONGEST_SPEECH} s: import its lines one by one, each at its time"
        ));
    }
    if count > seconds * FASTEST + 3.0 {
        return fail(format!(
            "it lasts {seconds:.1} s, too short for the {count} sounds of the text: is it another line?"
        ));
    }
    let usual = Ear::new(1.0);
    let mut heard: Vec<BandPowers> = spectra(recording).iter().map(|spectrum| usual.hear(spectrum)).collect();
    without_noise(&mut heard);
    if heard.iter().flatten().all(|power| *power < 1.0) {
        return fail("nothing is heard in it".to_owned());
    }
    let sounds: Vec<Vec<Spectrum>> = phones.iter().map(|phone| spectra(&phone.sound)).collect();
    let line = SpokenLine::new(phones, &sounds, words);
    let pauses: Vec<bool> = line.steps.iter().map(Option::is_none).collect();
    // The silence before a stop has no spectrum, as a pause has none.
    let said = |voice: f64| {
        let ear = Ear::new(voice);
        let step = |step: &Option<(usize, usize)>| {
            let spectrum = step.and_then(|(phone, at)| sounds[phone].get(at));
            spectrum.map_or_else(BandPowers::default, |spectrum| ear.hear(spectrum))
        };
        HeardSound::pair(&heard, &line.steps.iter().map(step).collect::<Vec<_>>())
    };
    // A third of the moments tells the voices apart.
    let fits = VOICES.map(|voice| {
        let (heard, said) = said(voice);
        warp(&heard, &said, &pauses, 3).1
    });
    let voice = (0..VOICES.len()).min_by(|a, b| fits[*a].total_cmp(&fits[*b])).map_or(1.0, |at| VOICES[at]);
    let (heard, said) = said(voice);
    let (first, _) = warp(&heard, &said, &pauses, 1);
    #[allow(clippy::cast_precision_loss, reason = "a recording is short")]
    let time = |step: usize| {
        (first.get(step).copied().unwrap_or(heard.len()) * STEP) as f64 / f64::from(SPEECH_RATE)
    };
    Ok(line.track(time, seconds))
}

/// A line as the synthesiser speaks it.
#[derive(Default)]
struct SpokenLine {
    /// The phone and the step of its sound; none in a pause.
    steps: Vec<Option<(usize, usize)>>,
    /// The steps from which on mouths are seen, and which.
    mouths: Vec<(usize, Vec<MouthShape>)>,
}

impl SpokenLine {
    /// Phones that have no sound or no mouth are left out. After each word there may be a pause.
    fn new(phones: &[SpokenPhone], sounds: &[Vec<Spectrum>], words: &[Vec<usize>]) -> Self {
        let mut line = Self::default();
        line.pause(AROUND);
        for word in words {
            for &phone in word {
                let (ipa, steps) = (&phones[phone].ipa, sounds[phone].len());
                let Some(shapes) = of_phone(ipa).filter(|_| steps > 0) else { continue };
                line.mouths.push((line.steps.len(), shapes));
                let closed = if is_stop(ipa) { CLOSED } else { 0 };
                // Before its sound there is none: the index is past all of them.
                line.steps.extend((0..closed + steps).map(|at| Some((phone, at.wrapping_sub(closed)))));
            }
            line.pause(1);
        }
        line.pause(AROUND - 1);
        line
    }

    fn pause(&mut self, steps: usize) {
        self.mouths.push((self.steps.len(), vec![MouthShape::X]));
        self.steps.extend(std::iter::repeat_n(None, steps));
    }

    /// The mouths at the times of steps.
    fn track(&self, time: impl Fn(usize) -> f64, seconds: f64) -> LipTrack {
        let mut track = LipTrack { end: seconds, ..LipTrack::default() };
        let ends = self.mouths.iter().skip(1).map(|(start, _)| *start).chain([self.steps.len()]);
        for ((start, shapes), end) in self.mouths.iter().zip(ends) {
            let (from, to) = (time(*start), time(end));
            for (at, shape) in shapes.iter().enumerate() {
                let last = track.cues.last();
                // A closing is there, however fast it is.
                let is_seen = to > from || *shape == MouthShape::A;
                if !is_seen || last.is_some_and(|last| last.shape == *shape) {
                    continue;
                }
                #[allow(clippy::cast_precision_loss, reason = "a phone has few mouths")]
                let start = from + (to - from) * at as f64 / shapes.len() as f64;
                let start = last.map_or(start, |last| start.max(last.start + LEAST));
                track.cues.push(MouthCue { start, shape: *shape });
            }
        }
        track
    }
}
