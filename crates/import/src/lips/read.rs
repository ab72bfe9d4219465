//! Readers of lip sync: Rhubarb's TSV, XML and JSON, the switches of Moho and Papagayo, Praat's TextGrid, and subtitles.

use std::ops::Range;

use super::phones::{of_phone, of_word};
use super::track::{LipTrack, MouthCue, MouthShape};
use crate::error::{Result, number, start_of};
use crate::json::Json;
use crate::text::place;

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LipFile {
    /// Rhubarb's `time<TAB>shape`.
    Tsv,
    /// Rhubarb's XML.
    Xml,
    /// Rhubarb's JSON.
    Json,
    /// `MohoSwitch1`: frames from 1 on, with the mouths of Preston Blair or Rhubarb's letters.
    Moho,
    /// Praat's TextGrid, long or short: a tier of phones, or of words that are spelled.
    TextGrid,
    /// Subtitles, whose words are spelled.
    Subtitles,
}

impl LipFile {
    /// The kind of a file by the end of its name.
    pub fn by_name(name: &str) -> Option<Self> {
        let end = name.rsplit_once('.')?.1.to_ascii_lowercase();
        Some(match end.as_str() {
            "tsv" => Self::Tsv,
            "xml" => Self::Xml,
            "json" => Self::Json,
            "dat" => Self::Moho,
            "textgrid" => Self::TextGrid,
            "srt" | "vtt" => Self::Subtitles,
            _ => return None,
        })
    }
}

/// Reads the mouths of a file. `fps` counts the frames of kinds that have no seconds.
///
/// # Errors
/// If the file is not of this kind, or its times are not in order.
pub fn read(kind: LipFile, bytes: &[u8], fps: f64) -> Result<LipTrack> {
    let text = text_of(bytes)?;
    let track = match kind {
        LipFile::Tsv => tsv(&text),
        LipFile::Xml => xml(&text),
        LipFile::Json => json(&text),
        LipFile::Moho => moho(&text, fps),
        LipFile::TextGrid => text_grid(&text),
        LipFile::Subtitles => subtitles(&text),
    }?;
    fail_if!(track.cues.is_empty(), "there are no mouths in it");
    Ok(track)
}

/// UTF-8, or UTF-16 with a byte order mark, as Praat writes it.
fn text_of(bytes: &[u8]) -> Result<String> {
    let wide = |from: fn([u8; 2]) -> u16| {
        let words = bytes[2..].as_chunks::<2>().0.iter().map(|pair| from(*pair));
        char::decode_utf16(words).collect::<std::result::Result<String, _>>().ok()
    };
    let text = match bytes {
        [0xFF, 0xFE, ..] => wide(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => wide(u16::from_be_bytes),
        _ => std::str::from_utf8(bytes).ok().map(str::to_owned),
    };
    match text {
        Some(text) => Ok(text.trim_start_matches('\u{feff}').to_owned()),
        None => fail!("this is no text: lip sync is UTF-8, or UTF-16 with a byte order mark"),
    }
}

/// Cues as they are read.
#[derive(Default)]
struct Cues(LipTrack);

impl Cues {
    /// A mouth from a time to another one. Between it and the one before the mouth is at rest.
    fn add(&mut self, (start, end): (f64, f64), shape: MouthShape, span: &Range<usize>) -> Result<()> {
        let last = self.0.end;
        // Programs round both ends on their own.
        fail_if!(
            start < last - 0.02,
            span.clone(),
            "{start} s is before the end of the mouth above it, {last} s"
        );
        fail_if!(end < start, span.clone(), "it ends at {end} s, before it begins at {start} s");
        let start = start.max(last);
        if start > last && !self.0.cues.is_empty() {
            self.0.cues.push(MouthCue { start: last, shape: MouthShape::X });
        }
        self.0.cues.push(MouthCue { start, shape });
        self.0.end = end.max(start);
        Ok(())
    }

    /// Mouths one after the other, with their shares of the time.
    fn share(
        &mut self,
        (start, end): (f64, f64),
        shapes: &[(MouthShape, f64)],
        span: &Range<usize>,
    ) -> Result<()> {
        let all: f64 = shapes.iter().map(|(_, share)| share).sum();
        let mut sum = 0.0;
        for (shape, share) in shapes {
            let at = |sum: f64| start + (end - start) * sum / all;
            self.add((at(sum), at(sum + share)), *shape, span)?;
            sum += share;
        }
        Ok(())
    }

    fn done(mut self) -> LipTrack {
        self.0.cues.dedup_by(|next, last| next.shape == last.shape);
        self.0
    }
}

/// Whether seconds are within a day: no line is longer.
fn is_time(seconds: f64) -> bool {
    (0.0..=86_400.0).contains(&seconds)
}

fn seconds(word: &str, span: &Range<usize>) -> Result<f64> {
    let seconds = number(word, span, 86_400.0, "a time in seconds")?;
    fail_if!(seconds < 0.0, span.clone(), "a time before 0: {seconds} s");
    Ok(seconds)
}

fn shape(word: &str, span: &Range<usize>) -> Result<MouthShape> {
    match MouthShape::of_letter(word).or_else(|| MouthShape::of_blair(word)) {
        Some(shape) => Ok(shape),
        None => fail!(
            span.clone(),
            "\"{}\" is no mouth: they are A to H and X, or those of Preston Blair (AI, E, etc, FV, L, MBP, O, U, WQ, rest)",
            start_of(word)
        ),
    }
}

/// Starts alone: each lasts to the next, the last one marks the end.
fn from_starts(starts: &[(f64, MouthShape, Range<usize>)]) -> Result<LipTrack> {
    let mut cues = Cues::default();
    let ends = starts.iter().skip(1).map(|(start, ..)| *start).chain(starts.last().map(|(start, ..)| *start));
    for ((start, shape, span), end) in starts.iter().zip(ends) {
        fail_if!(end < *start, span.clone(), "{start} s is followed by {end} s: times are in order");
        cues.add((*start, end), *shape, span)?;
    }
    Ok(cues.done())
}

fn tsv(text: &str) -> Result<LipTrack> {
    let mut starts = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let span = place(text, line.trim());
        let mut words = line.split_whitespace();
        let (Some(time), Some(mouth), None) = (words.next(), words.next(), words.next()) else {
            fail!(span, "a line has a time and a mouth");
        };
        starts.push((seconds(time, &place(text, time))?, shape(mouth, &place(text, mouth))?, span));
    }
    from_starts(&starts)
}

fn moho(text: &str, fps: f64) -> Result<LipTrack> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or("").trim();
    fail_if!(first != "MohoSwitch1", place(text, first), "the first line of a switch of Moho is MohoSwitch1");
    let mut starts = Vec::new();
    for line in lines {
        let span = place(text, line.trim());
        let mut words = line.split_whitespace();
        let (Some(frame), Some(mouth), None) = (words.next(), words.next(), words.next()) else {
            fail!(span, "a line has a frame and a mouth");
        };
        let at = place(text, frame);
        let Some(number) = frame.parse::<u32>().ok().filter(|frame| *frame > 0) else {
            fail!(at, "\"{}\" where a frame from 1 on should be", start_of(frame));
        };
        let time = f64::from(number - 1) / fps;
        fail_if!(!is_time(time), at, "frame {number} is after a day");
        starts.push((time, shape(mouth, &place(text, mouth))?, span));
    }
    from_starts(&starts)
}

fn xml(text: &str) -> Result<LipTrack> {
    let doc = roxmltree::Document::parse(text);
    let doc = match doc {
        Ok(doc) => doc,
        Err(error) => fail!("this is no XML: {error}"),
    };
    let mut cues = Cues::default();
    for node in doc.descendants().filter(|node| node.has_tag_name("mouthCue")) {
        let span = node.range();
        let time = |name: &str| match node.attribute(name) {
            Some(word) => seconds(word, &span),
            None => fail!(span.clone(), "a mouthCue has a {name}"),
        };
        let ends = (time("start")?, time("end")?);
        cues.add(ends, shape(node.text().unwrap_or("").trim(), &span)?, &span)?;
    }
    Ok(cues.done())
}

fn json(text: &str) -> Result<LipTrack> {
    let file = Json::read(text.as_bytes())?.object()?;
    let Some(list) = file.get("mouthCues") else {
        fail!("there are no \"mouthCues\" in it, which Rhubarb writes");
    };
    let mut cues = Cues::default();
    for cue in list.list_of("a list of mouths")? {
        let (span, fields) = (cue.span(), cue.object()?);
        let field = |name: &str| match fields.get(name) {
            Some(value) => Ok(value),
            None => fail!(span.clone(), "a mouth has \"{name}\""),
        };
        let (start, end) = (field("start")?.number()?, field("end")?.number()?);
        fail_if!(!is_time(start) || !is_time(end), span, "times are from 0 s to a day");
        let value = field("value")?;
        let Some(word) = value.text_value() else { return Err(value.mismatch("a mouth")) };
        cues.add((start, end), shape(&word, &value.span())?, &span)?;
    }
    Ok(cues.done())
}

/// What Praat reads of a text: numbers, texts and flags that stand alone. All other words are for people, so the long
/// form and the short one are alike.
enum PraatWord<'t> {
    Number(f64),
    Text(String),
    Flag(&'t str),
}

fn tokens(text: &str) -> Result<Vec<(PraatWord<'_>, Range<usize>)>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let from = place(text, rest).start;
        if let Some(inside) = rest.strip_prefix('"') {
            let mut value = String::new();
            let mut after = inside;
            loop {
                let Some((part, behind)) = after.split_once('"') else {
                    fail!(from..from + 1, "a text that begins here has no end");
                };
                value.push_str(part);
                after = behind;
                match after.strip_prefix('"') {
                    Some(more) => {
                        value.push('"');
                        after = more;
                    }
                    None => break,
                }
            }
            tokens.push((PraatWord::Text(value), from..place(text, after).start));
            rest = after;
            continue;
        }
        let word = rest.split_whitespace().next().unwrap_or("");
        if word.is_empty() {
            return Ok(tokens);
        }
        let span = from..from + word.len();
        if word.starts_with('!') {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        if let Some(number) = word.parse::<f64>().ok().filter(|number| is_time(number.abs())) {
            tokens.push((PraatWord::Number(number), span));
        } else if word.starts_with('<') {
            tokens.push((PraatWord::Flag(word), span));
        }
        rest = &rest[word.len()..];
    }
}

struct Tier {
    name: String,
    intervals: Vec<(f64, f64, String, Range<usize>)>,
}

fn text_grid(text: &str) -> Result<LipTrack> {
    let tiers = tiers(text)?;
    let named = |words: &[&str]| {
        let has = |tier: &&Tier| words.iter().any(|word| tier.name.to_ascii_lowercase().contains(word));
        tiers.iter().find(has)
    };
    let phones = named(&["phon", "mau", "segment"]);
    let (tier, is_spelled) = match (phones, named(&["word", "ort"])) {
        (Some(phones), _) => (phones, false),
        (None, Some(words)) => (words, true),
        // The finest one has the phones.
        (None, None) => match tiers.iter().max_by_key(|tier| tier.intervals.len()) {
            Some(tier) => (tier, false),
            None => fail!("there is no tier of intervals in it"),
        },
    };
    let (mut cues, mut unknown) = (Cues::default(), Vec::new());
    for (start, end, label, span) in &tier.intervals {
        let label = label.trim();
        let shapes = match is_spelled {
            true => of_word(label),
            false => of_phone(label)
                .map_or_else(Vec::new, |all| all.into_iter().map(|shape| (shape, 1.0)).collect()),
        };
        if shapes.is_empty() && !label.is_empty() && !unknown.contains(&label) {
            unknown.push(label);
        }
        // A sound that is not known moves the jaw, silence does not.
        let other = if label.is_empty() { MouthShape::X } else { MouthShape::B };
        let shapes = if shapes.is_empty() { vec![(other, 1.0)] } else { shapes };
        cues.share((*start, *end), &shapes, span)?;
    }
    let mut track = cues.done();
    track.notes.push(format!(
        "the tier \"{}\" was read{}",
        start_of(&tier.name),
        if is_spelled { ", and its words were spelled" } else { "" }
    ));
    if !unknown.is_empty() {
        let shown: Vec<String> =
            unknown.iter().take(8).map(|label| format!("\"{}\"", start_of(label))).collect();
        track
            .notes
            .push(format!("{} are no sounds that are known: the mouth is slightly open", shown.join(", ")));
    }
    Ok(track)
}

fn tiers(text: &str) -> Result<Vec<Tier>> {
    let all = tokens(text)?;
    let mut from = all.iter();
    let end = text.len()..text.len();
    let is_grid = matches!(from.next(), Some((PraatWord::Text(kind), _)) if kind == "ooTextFile")
        && matches!(from.next(), Some((PraatWord::Text(kind), _)) if kind == "TextGrid");
    fail_if!(!is_grid, 0..0, "a TextGrid begins with \"ooTextFile\" and \"TextGrid\"");
    macro_rules! next {
        ($kind:ident, $what:literal) => {
            match from.next() {
                Some((PraatWord::$kind(value), span)) => (value, span.clone()),
                Some((_, span)) => fail!(span.clone(), "{} should be here", $what),
                None => fail!(end.clone(), "the file ends where {} should be", $what),
            }
        };
    }
    _ = (next!(Number, "the start"), next!(Number, "the end"));
    let (exists, span) = next!(Flag, "<exists>");
    fail_if!(*exists != "<exists>", span, "there are no tiers in it");
    let (count, _) = next!(Number, "the number of tiers");
    let mut tiers = Vec::new();
    let mut left = *count;
    while left >= 1.0 {
        left -= 1.0;
        let (class, _) = next!(Text, "the kind of a tier");
        let (name, _) = next!(Text, "the name of a tier");
        _ = (next!(Number, "the start of the tier"), next!(Number, "the end of the tier"));
        let (entries, _) = next!(Number, "the number of entries");
        let mut entries = *entries;
        let mut intervals = Vec::new();
        while entries >= 1.0 {
            entries -= 1.0;
            let (start, span) = next!(Number, "a time");
            if class == "IntervalTier" {
                let (stop, _) = next!(Number, "a time");
                let (label, _) = next!(Text, "a label");
                fail_if!(*start < 0.0, span, "a time before 0: {start} s");
                intervals.push((*start, *stop, label.clone(), span));
            } else {
                _ = next!(Text, "a mark");
            }
        }
        if !intervals.is_empty() {
            tiers.push(Tier { name: name.clone(), intervals });
        }
    }
    Ok(tiers)
}

fn subtitles(text: &str) -> Result<LipTrack> {
    let mut cues = Cues::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some((from, to)) = line.split_once("-->") else { continue };
        let span = place(text, line);
        let to = to.split_whitespace().next().unwrap_or("");
        let (start, end) = (clock(from.trim(), &span)?, clock(to, &span)?);
        let mut shapes: Vec<(MouthShape, f64)> = Vec::new();
        while let Some(words) = lines.next_if(|line| !line.trim().is_empty()) {
            for word in without_tags(words).split_whitespace() {
                shapes.extend(of_word(word));
            }
        }
        if shapes.is_empty() {
            continue;
        }
        cues.share((start, end), &shapes, &span)?;
    }
    let mut track = cues.done();
    track.notes.push("the words were spelled: each letter has a share of the time of its line".to_owned());
    Ok(track)
}

/// `01:02:03,456`, `02:03.456`.
fn clock(word: &str, span: &Range<usize>) -> Result<f64> {
    let parts: Vec<&str> = word.split(':').collect();
    fail_if!(
        parts.len() < 2 || parts.len() > 3,
        span.clone(),
        "\"{}\" is no time like 00:00:01,500",
        start_of(word)
    );
    let mut all = 0.0;
    for part in parts {
        let part = part.replace(',', ".");
        let digits = part.chars().all(|c| c.is_ascii_digit() || c == '.');
        fail_if!(!digits, span.clone(), "\"{}\" is no time like 00:00:01,500", start_of(word));
        all = all * 60.0 + seconds(&part, span)?;
    }
    fail_if!(!is_time(all), span.clone(), "\"{}\" is after a day", start_of(word));
    Ok(all)
}

/// A line without `<i>` and other tags.
fn without_tags(line: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for letter in line.chars() {
        match letter {
            '<' | '{' => depth += 1,
            '>' | '}' => depth = depth.saturating_sub(1),
            letter if depth == 0 => plain.push(letter),
            _ => {}
        }
    }
    plain
}
