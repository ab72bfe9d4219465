//! Reads a BVH text. The tree is parsed with a stack, so its depth is not limited by recursion; memory is
//! reserved for what the text can contain, not for what its header announces.

use std::borrow::Cow;
use std::ops::Range;

use super::lexer::{BvhLexer, BvhToken};
use super::recording::{Bvh, BvhChannel, BvhJoint};
use crate::ImportError;
use crate::error::{Result, start_of};
use crate::space_motion::SpaceMotion;

/// The largest number of joints; a body with all fingers has about 80.
const MAX_JOINTS: usize = 4096;

/// The largest number of motion values; five minutes of a whole body at 120 frames a second have four
/// million.
const MAX_NUMBERS: usize = 20_000_000;

/// The text of a file. Bytes that are not UTF-8 are read as Latin-1, which old programs used for names.
///
/// # Errors
/// If the bytes are not text.
pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let strange = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c | 0x1a);
    if let Some(at) = bytes.iter().position(strange) {
        // The text cannot be displayed, so the error has no span but the offset of the byte.
        return Err(ImportError::new(format!("the file is not text: byte {at} is not a character")).help(
            "a BVH file is plain text that begins with HIERARCHY; FBX and C3D files have to be converted",
        ));
    }
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    })
}

/// Reads the joints of a BVH text. Heads and hands that end where they begin get ends that turn with their
/// joints, and a head that ends at its side ends above it.
///
/// # Errors
/// At the first place that is not valid.
pub fn read(text: &str) -> Result<SpaceMotion> {
    parse(text).map(|bvh| bvh.motion())
}

/// Parses a BVH text.
pub(super) fn parse(text: &str) -> Result<Bvh> {
    let mut reader =
        BvhParser { tokens: BvhLexer::new(text), end: text.trim_end().len(), joints: Vec::new() };
    reader.hierarchy()?;
    let motion = reader.motion()?;
    let width = reader.joints.iter().map(|joint| joint.channels.len()).sum::<usize>();
    fail_if!(width == 0, "no joint has channels, so nothing can move");
    let rows = rows(&reader.tokens, width, &motion, reader.end)?;
    Ok(Bvh { joints: reader.joints, frame_time: motion.frame_time, rows, width })
}

struct BvhParser<'a> {
    tokens: BvhLexer<'a>,
    /// The end of the text without trailing white space.
    end: usize,
    joints: Vec<BvhJoint>,
}

/// The header of the motion section.
struct MotionHeader {
    frames: usize,
    announced: Range<usize>,
    frame_time: f64,
}

/// A joint whose brackets are open.
struct OpenJoint {
    joint: usize,
    name: Range<usize>,
    offset: bool,
    channels: bool,
    end_site: bool,
}

impl<'a> BvhParser<'a> {
    fn token(&mut self, wanted: &str) -> Result<BvhToken<'a>> {
        self.tokens.next().ok_or_else(|| {
            let end = self.end.saturating_sub(1)..self.end;
            ImportError::at(end, format!("the file ends where {wanted} should follow"))
                .help("it may have been cut off")
        })
    }

    fn keyword(&mut self, keyword: &str) -> Result<BvhToken<'a>> {
        let token = self.token(keyword)?;
        if token.is(keyword) { Ok(token) } else { Err(unexpected(&token, keyword)) }
    }

    fn number(&mut self, what: &str) -> Result<(f64, Range<usize>)> {
        let token = self.token(what)?;
        Ok((number(&token, what)?, token.span))
    }

    fn hierarchy(&mut self) -> Result<()> {
        match self.tokens.next() {
            Some(token) if token.is("HIERARCHY") => {}
            Some(token) => {
                let other = "this is not a BVH file: it does not begin with HIERARCHY";
                return Err(ImportError::at(token.span, other)
                    .help("captures are read from .bvh, keypoints from .json"));
            }
            None => {
                let nothing = ImportError::at(0..0, "the file is empty");
                return Err(
                    nothing.help("a BVH file begins with HIERARCHY; it may not have been written to its end")
                );
            }
        }
        self.keyword("ROOT")?;
        let mut open = vec![self.joint(None, "ROOT")?];
        while let Some(inner) = open.last_mut() {
            let token = match self.tokens.next() {
                Some(token) => token,
                None => {
                    let name = &self.joints[inner.joint].name;
                    let message = format!("the file ends within the brackets of \"{name}\"");
                    let end = self.end.saturating_sub(1)..self.end;
                    return Err(ImportError::at(end, message).help("it may have been cut off"));
                }
            };
            if token.is("}") {
                if !inner.offset {
                    fail!(inner.name.clone(), "joint \"{}\" has no OFFSET", self.joints[inner.joint].name);
                }
                open.pop();
            } else if token.is("OFFSET") {
                if std::mem::replace(&mut inner.offset, true) {
                    fail!(token.span, "a second OFFSET for the same joint");
                }
                let joint = inner.joint;
                for axis in 0..3 {
                    self.joints[joint].offset[axis] = self.number("a number of the offset")?.0;
                }
            } else if token.is("CHANNELS") {
                if std::mem::replace(&mut inner.channels, true) || inner.end_site {
                    fail!(token.span, "CHANNELS are not allowed here");
                }
                let joint = inner.joint;
                self.joints[joint].channels = self.channels()?;
            } else if token.is("JOINT") || token.is("End") {
                fail_if!(inner.end_site, token.span, "an end site has no joints");
                let parent = inner.joint;
                let kind = if token.is("End") { self.keyword("Site")?.text } else { "JOINT" };
                let joint = self.joint(Some(parent), kind)?;
                open.push(joint);
            } else if token.is("ROOT") {
                return Err(second_root(token.span));
            } else {
                return Err(unexpected(&token, "OFFSET, CHANNELS, JOINT, End Site or }"));
            }
        }
        Ok(())
    }

    /// Parses a joint from its name to its opening bracket.
    fn joint(&mut self, parent: Option<usize>, kind: &str) -> Result<OpenJoint> {
        let end_site = kind.eq_ignore_ascii_case("Site");
        let token = self.tokens.name();
        let name = match parent {
            Some(parent) if end_site => format!("{}_End", self.joints[parent].name),
            _ => token.text.to_owned(),
        };
        fail_if!(name.is_empty(), token.span, "a joint without a name");
        fail_if!(self.joints.len() == MAX_JOINTS, token.span, "more than {MAX_JOINTS} joints");
        let bracket = self.token("{")?;
        if !bracket.is("{") {
            return Err(unexpected(&bracket, "{"));
        }
        self.joints.push(BvhJoint { name, parent, offset: [0.0; 3], channels: Vec::new() });
        let joint = self.joints.len() - 1;
        Ok(OpenJoint { joint, name: token.span, offset: false, channels: false, end_site })
    }

    fn channels(&mut self) -> Result<Vec<BvhChannel>> {
        let (count, span) = self.number("the number of channels")?;
        if !((0.0..=9.0).contains(&count) && count.fract() == 0.0) {
            fail!(span, "{count} channels: a joint has from 0 to 6");
        }
        let mut channels: Vec<BvhChannel> = Vec::new();
        for _ in 0..count as usize {
            let token = self.token("the name of a channel")?;
            let channel = channel(token.text).ok_or_else(|| {
                let message = format!("\"{}\" is not a channel", token.text);
                ImportError::at(token.span.clone(), message)
                    .label(format!("the joint announces {count} channels"))
                    .help("channels are Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation")
            })?;
            if matches!(channel, BvhChannel::Position(_)) && channels.contains(&channel) {
                fail!(token.span, "a second {} for the same joint", token.text);
            }
            channels.push(channel);
        }
        if let Some(more) = self.tokens.peek().filter(|token| channel(token.text).is_some()) {
            fail!(more.span, "more channels than the {count} that are announced");
        }
        Ok(channels)
    }

    fn motion(&mut self) -> Result<MotionHeader> {
        let token = self.token("MOTION")?;
        if token.is("ROOT") {
            return Err(second_root(token.span));
        }
        if !token.is("MOTION") {
            return Err(unexpected(&token, "MOTION"));
        }
        self.keyword("Frames")?;
        self.colon();
        let (frames, announced) = self.number("the number of frames")?;
        if !(frames >= 1.0 && frames.fract() == 0.0 && frames < 1e15) {
            fail!(announced, "{frames} frames: a whole number above 0 is needed");
        }
        self.keyword("Frame")?;
        self.keyword("Time")?;
        self.colon();
        let (frame_time, span) = self.number("the time of a frame")?;
        if !(1e-5..=100.0).contains(&frame_time) {
            let message = format!("a frame time of {frame_time} seconds is outside 0.00001 to 100");
            return Err(ImportError::at(span, message).help("0.0333333 is 30 frames a second"));
        }
        Ok(MotionHeader { frames: frames as usize, announced, frame_time })
    }

    fn colon(&mut self) {
        if self.tokens.peek().is_some_and(|token| token.is(":")) {
            self.tokens.next();
        }
    }
}

fn channel(token: &str) -> Option<BvhChannel> {
    let axis = match token.as_bytes().first()?.to_ascii_lowercase() {
        b'x' => 0,
        b'y' => 1,
        b'z' => 2,
        _ => return None,
    };
    let kind = token.get(1..)?;
    if kind.eq_ignore_ascii_case("position") {
        Some(BvhChannel::Position(axis))
    } else if kind.eq_ignore_ascii_case("rotation") {
        Some(BvhChannel::Rotation(axis))
    } else {
        None
    }
}

fn unexpected(token: &BvhToken<'_>, wanted: &str) -> ImportError {
    ImportError::unexpected(token.text, token.span.clone(), wanted)
}

fn second_root(span: Range<usize>) -> ImportError {
    ImportError::at(span, "a second ROOT: this file has several figures")
        .help("export each figure into a file of its own")
}

/// Parses a finite number.
fn number(token: &BvhToken<'_>, what: &str) -> Result<f64> {
    match token.text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err(lost(token, what)),
        // Microsoft's libraries write values that are not numbers like this: -1.#IND.
        Err(_) if token.text.contains('#') => Err(lost(token, what)),
        Err(_) => {
            let error = unexpected(token, what);
            let comma = token.text.contains(',') && token.text.replace(',', ".").parse::<f64>().is_ok();
            Err(if comma { error.help("numbers are written with a point, like 0.5") } else { error })
        }
    }
}

fn lost(token: &BvhToken<'_>, what: &str) -> ImportError {
    ImportError::at(token.span.clone(), format!("{what} is \"{}\"", start_of(token.text)))
        .help("the program that wrote the file lost this joint; export this part again, or cut it off")
}

/// Parses the rows of numbers, one for each line.
fn rows(tokens: &BvhLexer<'_>, width: usize, motion: &MotionHeader, end: usize) -> Result<Vec<f64>> {
    let here = tokens.at()..end;
    // A number takes at least two bytes, so the length of the text bounds the memory.
    let possible = (here.len() / 2 + 1).min(motion.frames.saturating_mul(width)).min(MAX_NUMBERS);
    let mut rows: Vec<f64> = Vec::with_capacity(possible);
    let mut frame = 0;
    for line in tokens.lines() {
        let start = tokens.token(line).span.start;
        if frame == motion.frames {
            fail!(
                start..start + line.trim_end().len().min(40),
                "more rows than the {} frames that are announced",
                motion.frames
            );
        }
        let before = rows.len();
        for word in line.split_whitespace() {
            let token = tokens.token(word);
            rows.push(number(&token, "a number of the motion")?);
            if rows.len() - before > width {
                let message = format!("frame {} has more than {width} numbers, one a channel", frame + 1);
                return Err(ImportError::at(token.span, message).label("from here on"));
            }
        }
        if rows.len() > MAX_NUMBERS {
            let message = format!("more than {MAX_NUMBERS} numbers of motion");
            return Err(ImportError::at(motion.announced.clone(), message)
                .help("cut the recording, or export it with fewer frames a second"));
        }
        let count = rows.len() - before;
        if count < width {
            let last = line.trim_end().len();
            let message =
                format!("frame {} has {count} numbers, and the joints have {width} channels", frame + 1);
            let error = ImportError::at(start + last.saturating_sub(1)..start + last, message)
                .label("the row ends here");
            return Err(if start + last >= end {
                error.help("the file may have been cut off")
            } else {
                error
            });
        }
        frame += 1;
    }
    if frame < motion.frames {
        let message = format!("{} frames are announced, and {frame} are there", motion.frames);
        return Err(ImportError::at(motion.announced.clone(), message).help("the file may have been cut off"));
    }
    Ok(rows)
}
