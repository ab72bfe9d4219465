//! A line whose text is known: its phones, spoken one by one by a synthesiser, are found again in the recording. No model is
//! needed, and any language that the synthesiser speaks will do.

use super::phones::{is_stop, of_phone};
use super::spectrum::{Bands, Ear, SPEECH_RATE, STEP, spectra, without_noise};
use super::track::{LipTrack, MouthCue, MouthShape};
use super::warp::{Sound, warp};
use crate::error::Result;

/// The longest recording, in seconds: all pairs of moments are compared.
const LONGEST: f64 = 120.0;
/// Phones a second that no tongue speaks.
const FASTEST: f64 = 25.0;
/// The formants of voices beside those of the synthesiser, from a large man to a child.
const VOICES: [f64; 5] = [0.9, 1.0, 1.12, 1.25, 1.4];
/// Steps of silence while the lips or the tongue close for a stop.
const CLOSED: usize = 4;
/// The shortest time of a mouth, in seconds.
const LEAST: f64 = 0.01;
/// Steps of silence around a line.
const AROUND: usize = 5;

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
pub fn speak(recording: &[f64], phones: &[SpokenPhone], words: &[Vec<usize>]) -> Result<LipTrack> {
    #[allow(clippy::cast_precision_loss, reason = "a recording is short")]
    let (seconds, count) =
        (recording.len() as f64 / f64::from(SPEECH_RATE), words.iter().map(Vec::len).sum::<usize>() as f64);
    fail_if!(count == 0.0, "there is nothing to speak in the text");
    fail_if!(
        seconds > LONGEST,
        "it lasts {seconds:.0} s, and {LONGEST} s are the most: import its lines one by one, each at its time"
    );
    fail_if!(
        count > seconds * FASTEST + 3.0,
        "it lasts {seconds:.1} s, too short for the {count} sounds of the text: is it another line?"
    );
    let usual = Ear::new(1.0);
    let mut heard: Vec<Bands> = spectra(recording).iter().map(|spectrum| usual.hear(spectrum)).collect();
    without_noise(&mut heard);
    fail_if!(heard.iter().flatten().all(|power| *power < 1.0), "nothing is heard in it");
    // What is shown from each step of the line on; where it says nothing, it is a pause.
    let mut steps: Vec<Option<(usize, usize)>> = vec![None; AROUND];
    let mut shapes: Vec<(usize, Vec<MouthShape>, usize)> = vec![(0, vec![MouthShape::X], AROUND)];
    let sounds: Vec<_> = phones.iter().map(|phone| spectra(&phone.sound)).collect();
    for word in words {
        for phone in word {
            let closed = if is_stop(&phones[*phone].ipa) { CLOSED } else { 0 };
            let count = sounds[*phone].len();
            let found = of_phone(&phones[*phone].ipa).filter(|_| count > 0);
            let Some(found) = found else { continue };
            shapes.push((steps.len(), found, closed + count));
            steps.extend((0..closed + count).map(|at| Some((*phone, at.wrapping_sub(closed)))));
        }
        shapes.push((steps.len(), vec![MouthShape::X], 1));
        steps.push(None);
    }
    shapes.push((steps.len(), vec![MouthShape::X], AROUND));
    steps.extend(std::iter::repeat_n(None, AROUND));
    let pause: Vec<bool> = steps.iter().map(Option::is_none).collect();
    let said = |voice: f64| {
        let ear = Ear::new(voice);
        let step = |step: &Option<(usize, usize)>| {
            let spectrum = step.and_then(|(phone, at)| sounds[phone].get(at));
            spectrum.map_or_else(|| [0.0; _], |spectrum| ear.hear(spectrum))
        };
        Sound::pair(&heard, &steps.iter().map(step).collect::<Vec<_>>())
    };
    // A third of the moments tells the voices apart.
    let fit = |voice: f64| {
        let (heard, said) = said(voice);
        warp(&heard, &said, &pause, 3).1
    };
    let fits = VOICES.map(fit);
    let voice = (0..VOICES.len()).min_by(|a, b| fits[*a].total_cmp(&fits[*b])).map_or(1.0, |at| VOICES[at]);
    let (heard, said) = said(voice);
    let (first, _) = warp(&heard, &said, &pause, 1);
    #[allow(clippy::cast_precision_loss, reason = "a recording is short")]
    let time = |step: usize| {
        let step = first.get(step).copied().unwrap_or(heard.len());
        (step * STEP) as f64 / f64::from(SPEECH_RATE)
    };
    let mut track = LipTrack { end: seconds, ..LipTrack::default() };
    for (start, shapes, count) in shapes {
        let (from, to) = (time(start), time(start + count));

        for (at, shape) in
            shapes.iter().enumerate().filter(|(_, shape)| to > from || **shape == MouthShape::A)
        {
            let start = from + (to - from) * at as f64 / shapes.len() as f64;
            // A closing is there, however fast it is.
            let start = track.cues.last().map_or(start, |last| start.max(last.start + LEAST));
            if track.cues.last().is_none_or(|last| last.shape != *shape) {
                track.cues.push(MouthCue { start, shape: *shape });
            }
        }
    }
    Ok(track)
}
