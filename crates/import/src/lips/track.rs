//! Mouths with times, and mouths on frames.

/// A mouth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MouthShape {
    /// Closed: M, B, P.
    A,
    /// Slightly open, teeth together: most consonants, and EE.
    B,
    /// Open: E as in men, A as in bat.
    C,
    /// Wide open: A as in father.
    D,
    /// Slightly rounded: O as in off, ER as in bird.
    E,
    /// Puckered: OO, OW, W.
    F,
    /// Upper teeth on the lower lip: F, V.
    G,
    /// Tongue behind the teeth: a long L.
    H,
    /// At rest: no voice.
    X,
}

impl MouthShape {
    /// All, in their order.
    pub fn all() -> [Self; 9] {
        [Self::A, Self::B, Self::C, Self::D, Self::E, Self::F, Self::G, Self::H, Self::X]
    }

    /// Its letter.
    pub fn letter(self) -> &'static str {
        ["A", "B", "C", "D", "E", "F", "G", "H", "X"][self as usize]
    }

    /// The shape of a letter of either case.
    pub fn of_letter(letter: &str) -> Option<Self> {
        Self::all().into_iter().find(|shape| shape.letter().eq_ignore_ascii_case(letter))
    }

    /// Its name among the ten mouths of Preston Blair, which Moho and Papagayo use.
    pub fn blair(self) -> &'static [&'static str] {
        [&["MBP"][..], &["etc"], &["E"], &["AI"], &["O"], &["U", "WQ"], &["FV"], &["L"], &["rest"]]
            [self as usize]
    }

    /// The shape of a mouth of Preston Blair.
    pub fn of_blair(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|shape| shape.blair().iter().any(|own| own.eq_ignore_ascii_case(name)))
    }

    /// What is seen in place of a shape that a face may lack.
    pub fn fallback(self) -> Option<Self> {
        match self {
            Self::G | Self::X => Some(Self::A),
            Self::H => Some(Self::C),
            _ => None,
        }
    }
}

/// A mouth from a moment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MouthCue {
    /// Seconds.
    pub start: f64,
    /// Which.
    pub shape: MouthShape,
}

/// The mouths of a line that is spoken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LipTrack {
    /// In order of time.
    pub cues: Vec<MouthCue>,
    /// The end of the last one, in seconds.
    pub end: f64,
    /// What was assumed.
    pub notes: Vec<String>,
}

impl LipTrack {
    /// The mouths on frames: each is seen for at least two, shorter ones are left out. But the lips of an M, B or P
    /// close in any case, which is seen more than anything else: a closing takes its frames from its neighbours.
    pub fn on_frames(&self, fps: f64) -> Vec<(u64, MouthShape)> {
        #[allow(clippy::cast_possible_truncation, reason = "readers allow at most a day")]
        let frame = |seconds: f64| (seconds * fps).round() as i64;
        // One frame alone is a flicker.
        let least = 2;
        let last = frame(self.end).max(1);
        let mut shown = vec![MouthShape::X; usize::try_from(last).unwrap_or(0)];
        let ends = self.cues.iter().skip(1).map(|cue| cue.start).chain([self.end]);
        let spans: Vec<(f64, f64, MouthShape)> =
            self.cues.iter().zip(ends).map(|(cue, end)| (cue.start, end, cue.shape)).collect();
        let mut fill = |from: i64, to: i64, shape| {
            let index = |frame: i64| usize::try_from(frame.clamp(0, last)).unwrap_or(0);
            shown[index(from)..index(to).max(index(from))].fill(shape);
        };
        let mut before = MouthShape::X;
        for &(start, end, shape) in spans.iter().filter(|(.., shape)| *shape != MouthShape::A) {
            let (from, to) = (frame(start), frame(end));
            let is_seen = to - from >= least;
            fill(from, to, if is_seen { shape } else { before });
            before = if is_seen { shape } else { before };
        }
        for &(start, end, shape) in spans.iter().filter(|(.., shape)| *shape == MouthShape::A) {
            let (mut from, mut to) = (frame(start), frame(end));
            if to - from < least {
                from = frame((start + end) / 2.0 - 1.0 / fps);
                from = from.clamp(0, (last - least).max(0));
                to = from + least;
            }
            fill(from, to, shape);
        }
        without_flicker(&mut shown);
        let mut keys: Vec<(u64, MouthShape)> = Vec::new();
        for (frame, shape) in (0..).zip(shown) {
            if keys.last().is_none_or(|(_, last)| *last != shape) {
                keys.push((frame, shape));
            }
        }
        keys
    }
}

/// What closings left one frame of belongs to the longer one of its neighbours that is no closing. Between two
/// closings it stays: lips that open for a frame are seen to close twice.
fn without_flicker(shown: &mut [MouthShape]) {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in 0..shown.len() {
        match runs.last_mut() {
            Some((start, length)) if shown[*start] == shown[at] => *length += 1,
            _ => runs.push((at, 1)),
        }
    }
    for (at, &(start, length)) in runs.iter().enumerate() {
        if length > 1 || shown[start] == MouthShape::A {
            continue;
        }
        let open = |run: Option<&(usize, usize)>| run.filter(|run| shown[run.0] != MouthShape::A).copied();
        let neighbours = [at.checked_sub(1).and_then(|at| open(runs.get(at))), open(runs.get(at + 1))];
        if let Some((other, _)) = neighbours.into_iter().flatten().max_by_key(|run| run.1) {
            shown[start] = shown[other];
        }
    }
}
