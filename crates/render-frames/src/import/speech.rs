//! `import line.wav --text "Hello" --rig hero.ron --mouth mouths`: the mouths of a recording. ffmpeg reads it, and espeak-ng, a
//! program of its own, speaks each phone of the text. Without a text Rhubarb Lip Sync looks for the mouths by itself.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write as _};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use bone_authoring::{LONGEST_SPEECH, SPEECH_RATE, SpokenPhone, speak};
use bone_export::SOUND_FORMATS;
use bone_import::lips::{LipFile, LipTrack, read};

use super::recording::{Failure, mistake_in};

/// The ends of the names of sounds.
const ENDS: [&str; 12] =
    ["wav", "ogg", "oga", "opus", "mp3", "flac", "m4a", "aac", "aif", "aiff", "caf", "w64"];
/// More is no line: pipes to programs that do not read yet have room for it.
const LONGEST_TEXT: usize = 8000;
/// Stands between phones in what espeak-ng prints; no name of a phone has it.
const BETWEEN: char = '\u{1f}';
/// Samples that are heard or not: 5 ms.
const MOMENT: usize = SPEECH_RATE as usize / 200;
/// The pause between phones that are spoken one by one, in 10 ms.
const PAUSE: &str = "8";
/// Moments of silence that are part of a phone: it has a closure, and a burst.
const WITHIN: usize = 11;
const VOWELS: &str = "aeiouyæøœɐɑɒɔəɘɚɛɜɝɞɤɨɪɯɵɶʉʊʌʏᵻ";

pub(super) fn is_meant(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    end.is_some_and(|end| ENDS.contains(&&*end))
}

/// The mouths of a recording whose text is known, or of any recording.
pub(super) fn track(path: &Path, text: Option<&str>, language: &str) -> Result<LipTrack, Failure> {
    if path.exists() && !path.is_file() {
        return Err(Failure::Usage(format!("{} is no file", path.display())));
    }
    let Some(text) = text else { return rhubarb(path) };
    let words = match text.strip_prefix('@') {
        Some(file) => std::fs::read_to_string(file)
            .map_err(|error| Failure::Failed(format!("the text {file} cannot be read: {error}")))?,
        None => text.to_owned(),
    };
    if words.len() > LONGEST_TEXT {
        let message = format!("the text has more than {LONGEST_TEXT} bytes: import a recording line by line");
        return Err(Failure::Usage(message));
    }
    // Most of the time is that of programs that start.
    let (spoken, recording) = std::thread::scope(|scope| {
        let recording = scope.spawn(|| samples(SpeechInput::File(path)));
        (spoken(&words, language), recording.join())
    });
    let (phones, words) = spoken?;
    let recording = recording.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let recording = recording
        .map_err(|reason| Failure::Failed(format!("{} cannot be used as sound: {reason}", path.display())))?;
    speak(&recording, &phones, &words).map_err(|error| mistake_in(path, None, &error))
}

fn rhubarb(path: &Path) -> Result<LipTrack, Failure> {
    let mut command = Command::new("rhubarb");
    command.args(["--quiet", "-f", "tsv"]).arg(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let output = command.stdin(Stdio::null()).output().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Usage(format!(
            "{} needs its text: --text \"What is said\", for espeak-ng; without it mouths are found by Rhubarb Lip Sync, and there is no \
             rhubarb in the PATH",
            path.display()
        )),
        _ => Failure::Failed(format!("rhubarb cannot be started: {error}")),
    })?;
    if !output.status.success() {
        let reason = last_line(&output.stderr).unwrap_or_else(|| output.status.to_string());
        return Err(Failure::Failed(format!("rhubarb finds no mouths in {}: {reason}", path.display())));
    }
    read(LipFile::Tsv, &output.stdout, 24.0)
        .map_err(|error| Failure::Failed(format!("what rhubarb prints is no lip sync: {}", error.message)))
}

/// The phones of a text, each as it sounds alone, and its words as lists of them.
fn spoken(text: &str, language: &str) -> Result<(Vec<SpokenPhone>, Vec<Vec<usize>>), Failure> {
    let ask = |words: &[&str], input: &str| -> Result<String, Failure> {
        let mut command = espeak(language, words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = fed(command, input)?.wait_with_output();
        let output = output.map_err(|error| Failure::Failed(format!("espeak-ng has failed: {error}")))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(Failure::Usage(format!(
                "espeak-ng does not speak \"{language}\": {}\n  help: espeak-ng --voices lists its languages",
                last_line(&output.stderr).unwrap_or_default()
            ))),
        }
    };
    // Mnemonics, which it can speak one by one, in words that a space ends.
    let said = ask(&["-q", "-x", &format!("--sep={BETWEEN}"), "--stdin"], text)?;
    let phones =
        |word: &str| word.split(BETWEEN).filter(|phone| !phone.is_empty()).map(str::to_owned).collect();
    let words: Vec<Vec<String>> = said.split_whitespace().map(phones).collect();
    let names: Vec<String> = words.iter().flatten().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    let lines: String = names.iter().map(|name| format!("[[{name}]]\n")).collect();
    let symbols = ask(&["-q", "--ipa"], &lines)?;
    let symbols: Vec<String> = symbols.split('\n').map(|line| line.trim().to_owned()).collect();
    let mut phones: Vec<SpokenPhone> =
        names.iter().zip(symbols).map(|(_, ipa)| SpokenPhone { ipa, sound: Vec::new() }).collect();
    let plain = |phone: &SpokenPhone| phone.ipa.trim_start_matches(['ˈ', 'ˌ']).to_owned();
    let vowel = (0..phones.len())
        .filter(|at| plain(&phones[*at]).starts_with(|letter| VOWELS.contains(letter)))
        .min_by_key(|at| phones[*at].ipa.len());
    // Marks of stress and of languages have no sound.
    let is_sound = |at: &usize| plain(&phones[*at]).starts_with(char::is_alphabetic);
    let mut groups: Vec<Vec<usize>> = vec![(0..phones.len()).filter(is_sound).collect()];
    while let (Some(group), Some(vowel)) = (groups.pop(), vowel) {
        // A stop is heard where a vowel follows.
        let line =
            group.iter().map(|at| format!("[[{}]] [[{}]] ", names[*at], names[vowel])).collect::<String>();
        let mut command = espeak(language, &["-z", "-g", PAUSE, "--stdout", "--stdin"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut speaker = fed(command, &line)?;
        let sound =
            samples(SpeechInput::Pipe(speaker.stdout.take().map_or_else(Stdio::null, Stdio::from)))
                .map_err(|reason| Failure::Failed(format!("what espeak-ng says cannot be read: {reason}")))?;
        let _ = speaker.wait();
        let heard = pieces(&sound);
        if heard.len() == 2 * group.len() {
            for (at, piece) in group.iter().zip(heard.into_iter().step_by(2)) {
                phones[*at].sound = sound[piece].to_vec();
            }
        } else if group.len() > 1 {
            // One of them is silent, or sounds twice.
            let (some, others) = group.split_at(group.len() / 2);
            groups.extend([some.to_vec(), others.to_vec()]);
        }
    }
    let index = |name: &String| names.binary_search(name).ok().filter(|at| *at < phones.len());
    let words = words.iter().map(|word| word.iter().filter_map(index).collect()).collect();
    Ok((phones, words))
}

fn espeak(language: &str, words: &[&str]) -> Command {
    let mut command = Command::new("espeak-ng");
    command.args(["-v", language]).args(words).stdin(Stdio::piped());
    command
}

/// A started program that has read its input.
fn fed(mut command: Command, input: &str) -> Result<std::process::Child, Failure> {
    let mut child = command.spawn().map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Failed(
            "--text needs espeak-ng, which is not installed (apt install espeak-ng, brew install espeak-ng, winget install \
             eSpeak-NG.eSpeak-NG)"
                .to_owned(),
        ),
        _ => Failure::Failed(format!("espeak-ng cannot be started: {error}")),
    })?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that takes no more says why when it has ended.
        let _ = stdin.write_all(input.as_bytes());
    }
    Ok(child)
}

/// The parts of a sound that are heard, with silence between them.
fn pieces(sound: &[f64]) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    for (at, moment) in sound.chunks_exact(MOMENT).enumerate() {
        // Of 16 bits: a level below 5 is silence.
        if moment.iter().map(|sample| sample * sample).sum::<f64>() < 25.0 * MOMENT as f64 {
            continue;
        }
        let (start, end) = (at * MOMENT, (at + 1) * MOMENT);
        match pieces.last_mut() {
            Some(last) if start <= last.end + WITHIN * MOMENT => last.end = end,
            _ => pieces.push(start..end),
        }
    }
    pieces
}

enum SpeechInput<'a> {
    File(&'a Path),
    Pipe(Stdio),
}

/// Samples of 16 bits, one channel.
fn samples(source: SpeechInput<'_>) -> Result<Vec<f64>, String> {
    let mut ffmpeg = Command::new("ffmpeg");
    ffmpeg.args(["-hide_banner", "-nostdin", "-v", "error"]);
    match source {
        SpeechInput::File(path) => {
            // A name alone could be an address or a list of other files.
            let mut name = std::ffi::OsString::from("file:");
            name.push(path);
            ffmpeg.args(["-protocol_whitelist", "file", "-format_whitelist", SOUND_FORMATS, "-i"]).arg(name);
            ffmpeg.stdin(Stdio::null());
        }
        SpeechInput::Pipe(pipe) => {
            ffmpeg.args(["-f", "wav", "-i", "pipe:0"]).stdin(pipe);
        }
    }
    // More is refused, and so not kept.
    let most = (LONGEST_SPEECH + 1.0).to_string();
    let rate = SPEECH_RATE.to_string();
    ffmpeg.args(["-map", "0:a:0", "-ac", "1", "-ar", &rate, "-t", &most, "-f", "s16le", "pipe:1"]);
    let output =
        ffmpeg.output().map_err(|error| format!("ffmpeg reads it, and cannot be started: {error}"))?;
    if !output.status.success() {
        return Err(last_line(&output.stderr).unwrap_or_else(|| output.status.to_string()));
    }
    Ok(output.stdout.as_chunks().0.iter().map(|two| f64::from(i16::from_le_bytes(*two))).collect())
}

fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).map(str::to_owned)
}
