//! What a file says of itself, read back from its bytes without anything of the code that writes it: PNG, GIF, WebP
//! and WebM, and the Lottie of a sticker, as far as the rules of services go.

/// What is known of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveredFacts {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Frames that are stored.
    pub frames: u64,
    /// One play.
    pub milliseconds: u64,
    /// The shortest frame in milliseconds.
    pub shortest: u64,
    /// How often it is played, 0 is for ever; none where the format leaves this to the player.
    pub plays: Option<u32>,
    /// Whether pixels can be transparent.
    pub alpha: bool,
    /// Whether it has sound.
    pub audio: bool,
    /// The bytes of the file.
    pub bytes: u64,
}

impl DeliveredFacts {
    /// Reads them; `None` if the bytes are not a whole file of one of the formats.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let found = match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', rest @ ..] => png(rest),
            [b'G', b'I', b'F', b'8', b'9', b'a', rest @ ..] => gif(rest),
            [b'R', b'I', b'F', b'F', ..] => webp(bytes),
            [0x1a, 0x45, 0xdf, 0xa3, ..] => webm(bytes),
            #[cfg(feature = "vector")]
            [0x1f, 0x8b, ..] => tgs(bytes),
            _ => None,
        }?;
        Some(Self { bytes: bytes.len() as u64, ..found })
    }

    /// Notes a frame that is shown for so many milliseconds.
    fn frame(&mut self, milliseconds: u64) {
        self.shortest = if self.frames == 0 { milliseconds } else { self.shortest.min(milliseconds) };
        self.frames += 1;
        self.milliseconds += milliseconds;
    }
}

/// Takes bytes off the front.
fn take<'a>(bytes: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (front, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(front)
}

fn big(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn small(n: u64) -> Option<u32> {
    u32::try_from(n).ok()
}

/// PNG specification, third edition, sections 5 and 11.
fn png(mut rest: &[u8]) -> Option<DeliveredFacts> {
    let mut facts = DeliveredFacts { plays: Some(1), ..DeliveredFacts::default() };
    // Of a frame the control comes first; times are added as a fraction, and rounded at the end.
    let (mut seconds, mut has_end) = (0.0_f64, false);
    while !rest.is_empty() {
        let length = usize::try_from(big(take(&mut rest, 4)?)).ok()?;
        let name = take(&mut rest, 4)?;
        let content = take(&mut rest, length)?;
        take(&mut rest, 4)?;
        match name {
            b"IHDR" => {
                facts.width = small(big(content.get(..4)?))?;
                facts.height = small(big(content.get(4..8)?))?;
                facts.alpha = matches!(content.get(9)?, 4 | 6);
            }
            b"tRNS" => facts.alpha = true,
            b"acTL" => facts.plays = Some(small(big(content.get(4..8)?))?),
            b"fcTL" => {
                let (over, under) = (big(content.get(20..22)?), big(content.get(22..24)?));
                let time = over as f64 / if under == 0 { 100.0 } else { under as f64 };
                seconds += time;
                facts.frame(rounded(time * 1000.0));
            }
            b"IEND" => has_end = true,
            _ => {}
        }
    }
    facts.milliseconds = rounded(seconds * 1000.0);
    has_end.then_some(facts)
}

fn rounded(n: f64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = n.round() as u64;
    whole
}

/// GIF89a, sections 18 to 27.
fn gif(mut rest: &[u8]) -> Option<DeliveredFacts> {
    let mut facts = DeliveredFacts { plays: Some(1), ..DeliveredFacts::default() };
    let screen = take(&mut rest, 7)?;
    (facts.width, facts.height) = (small(little(&screen[..2]))?, small(little(&screen[2..4]))?);
    let table = |flags: u8| if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 7) + 1) };
    take(&mut rest, table(screen[4]))?;
    let mut delay = 0;
    loop {
        match take(&mut rest, 1)? {
            [0x21] => {
                let label = take(&mut rest, 1)?[0];
                let mut first = true;
                let mut is_loop = false;
                loop {
                    let length = usize::from(take(&mut rest, 1)?[0]);
                    if length == 0 {
                        break;
                    }
                    let block = take(&mut rest, length)?;
                    if label == 0xf9 && first {
                        facts.alpha |= block.first()? & 1 == 1;
                        delay = little(block.get(1..3)?) * 10;
                    }
                    if is_loop && block.first() == Some(&1) {
                        let repetitions = small(little(block.get(1..3)?))?;
                        facts.plays = Some(if repetitions == 0 { 0 } else { repetitions + 1 });
                    }
                    is_loop |= label == 0xff && first && block == b"NETSCAPE2.0";
                    first = false;
                }
            }
            [0x2c] => {
                let place = take(&mut rest, 9)?;
                take(&mut rest, table(place[8]) + 1)?;
                loop {
                    let length = usize::from(take(&mut rest, 1)?[0]);
                    if length == 0 {
                        break;
                    }
                    take(&mut rest, length)?;
                }
                facts.frame(delay);
            }
            [0x3b] => return Some(facts),
            _ => return None,
        }
    }
}

/// RFC 9649, section 2.
fn webp(bytes: &[u8]) -> Option<DeliveredFacts> {
    let mut facts = DeliveredFacts { plays: Some(1), ..DeliveredFacts::default() };
    let length = usize::try_from(little(bytes.get(4..8)?)).ok()?;
    if length.checked_add(8)? != bytes.len() || bytes.get(8..12)? != b"WEBP" {
        return None;
    }
    let mut rest = bytes.get(12..)?;
    let side = |three: &[u8]| small(little(three) + 1);
    while !rest.is_empty() {
        let name = take(&mut rest, 4)?;
        let length = usize::try_from(little(take(&mut rest, 4)?)).ok()?;
        let content = take(&mut rest, length)?;
        take(&mut rest, length % 2)?;
        match name {
            b"VP8X" => {
                facts.alpha = content.first()? & 0x10 > 0;
                (facts.width, facts.height) = (side(content.get(4..7)?)?, side(content.get(7..10)?)?);
            }
            b"ANIM" => facts.plays = Some(small(little(content.get(4..6)?))?),
            b"ANMF" => {
                facts.frame(little(content.get(12..15)?));
            }
            _ => {}
        }
    }
    Some(facts)
}

/// Matroska (RFC 9559), its elements one after the other: of those that contain others the content follows at once.
fn webm(bytes: &[u8]) -> Option<DeliveredFacts> {
    /// Segment, Info, Tracks, TrackEntry, Video, Cluster, BlockGroup.
    const PARENTS: [u64; 7] = [0x1853_8067, 0x1549_a966, 0x1654_ae6b, 0xae, 0xe0, 0x1f43_b675, 0xa0];
    let mut facts = DeliveredFacts::default();
    let (mut rest, mut scale, mut duration) = (bytes, 1_000_000.0, 0.0);
    // Times of frames in the units of the file.
    let (mut cluster, mut times) = (0_i64, Vec::new());
    while !rest.is_empty() {
        let first = *rest.first()?;
        let id = big(take(&mut rest, first.leading_zeros() as usize + 1)?);
        let first = *rest.first()?;
        let width = first.leading_zeros() as usize + 1;
        if width > 8 {
            return None;
        }
        let length = big(take(&mut rest, width)?) & ((1 << (7 * width)) - 1);
        if PARENTS.contains(&id) {
            continue;
        }
        let content = take(&mut rest, usize::try_from(length).ok()?)?;
        match id {
            0x2a_d7b1 => scale = big(content) as f64,
            0x4489 if content.len() == 4 => duration = f64::from(f32::from_bits(small(big(content))?)),
            0x4489 => duration = f64::from_bits(big(content)),
            0x83 => facts.audio |= big(content) == 2,
            0xb0 => facts.width = small(big(content))?,
            0xba => facts.height = small(big(content))?,
            0x53c0 => facts.alpha = big(content) == 1,
            0xe7 => cluster = i64::try_from(big(content)).ok()?,
            // The number of the track is one byte, then comes the time.
            0xa3 | 0xa1 => {
                let [high, low] = *content.get(1..3)? else { return None };
                times.push(cluster + i64::from(i16::from_be_bytes([high, low])));
            }
            _ => {}
        }
    }
    times.sort_unstable();
    let milliseconds = |units: f64| rounded(units * scale / 1e6);
    let gaps = times.windows(2).map(|two| two[1] - two[0]).min();
    facts.frames = times.len() as u64;
    facts.milliseconds = milliseconds(duration);
    facts.shortest = gaps.map_or(facts.milliseconds, |gap| milliseconds(gap as f64));
    Some(facts)
}

/// A Lottie within gzip; `None` also where it has a layer or a shape that Telegram refuses.
#[cfg(feature = "vector")]
fn tgs(bytes: &[u8]) -> Option<DeliveredFacts> {
    use serde_json::Value;
    use std::io::Read as _;
    /// The longest text that is looked at.
    const MOST: u64 = 64 << 20;
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).take(MOST).read_to_string(&mut text).ok()?;
    let document: Value = serde_json::from_str(&text).ok()?;
    let number = |name: &str| document.get(name)?.as_f64();
    let (fps, first, end) = (number("fr")?, number("ip")?, number("op")?);
    if fps <= 0.0 || document.get("tgs")? != 1 || document.get("markers").is_some() {
        return None;
    }
    let mut next = vec![&document];
    while let Some(value) = next.pop() {
        match value {
            Value::Array(values) => next.extend(values),
            Value::Object(fields) => {
                // Solids, images, texts and videos; repeaters, stars, strokes with gradients.
                let kind = fields.get("ty");
                let layer = kind.and_then(Value::as_u64).is_some_and(|kind| matches!(kind, 1 | 2 | 5 | 9));
                let shape =
                    kind.and_then(Value::as_str).is_some_and(|kind| matches!(kind, "rp" | "sr" | "gs"));
                let matte = fields.get("tt").and_then(Value::as_u64).is_some_and(|kind| kind > 2);
                let named =
                    ["hasMask", "masksProperties", "tm", "ef"].iter().any(|name| fields.contains_key(*name));
                if layer || shape || matte || named {
                    return None;
                }
                next.extend(fields.values());
            }
            _ => {}
        }
    }
    let sides = (small(rounded(number("w")?))?, small(rounded(number("h")?))?);
    Some(DeliveredFacts {
        width: sides.0,
        height: sides.1,
        frames: rounded(end - first),
        milliseconds: rounded((end - first) * 1000.0 / fps),
        shortest: rounded(1000.0 / fps),
        alpha: true,
        ..DeliveredFacts::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bytes_are_a_panic() {
        let starts: [&[u8]; 4] =
            [b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\x40\0\0\0WEBP", b"\x1a\x45\xdf\xa3"];
        for start in starts {
            for seed in 0..2000_u32 {
                let noise = (0..60_u32).map(|at| {
                    let mixed = (seed ^ at.wrapping_mul(0x9e37_79b9)).wrapping_mul(0x85eb_ca6b);
                    (mixed >> 24) as u8 >> (mixed >> 20 & 7)
                });
                let bytes: Vec<u8> = start.iter().copied().chain(noise).collect();
                let _ = DeliveredFacts::read(&bytes);
            }
        }
    }
}
