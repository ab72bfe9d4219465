//! Interpolation between keys. Time is always monotone; only the value is eased.

use bone_archive::{Words, archive, words};

use super::way::{self, EaseShape, EaseSide, Handles, Jumps};

archive! {
    /// The interpolation from a key to the next one.
    #[derive(Clone, Copy, Debug, PartialEq, Default)]
    #[non_exhaustive]
    pub enum Ease {
        /// Holds the value, then jumps.
        Hold = 0,
        /// Linear.
        Linear = 1,
        /// A cubic that never overshoots: between two keys the value stays between theirs, and the speed is
        /// continuous where two such segments meet.
        #[default]
        Smooth = 2,
        /// Slow at both ends, each by its own parameter: 0 is linear, 1 the slowest. It is the Bezier `(start,
        /// 0)`, `(1 - end, 1)`, so (0.42, 0) is CSS's `ease-in`, (0, 0.42) its `ease-out` and (0.42, 0.42) its
        /// `ease-in-out`. It never overshoots; each segment is independent of its neighbours.
        InOut {
            /// How slowly it starts, in [0, 1].
            start: f64,
            /// How slowly it ends, in [0, 1].
            end: f64,
        } = 3,
        /// CSS's cubic-bezier: a curve from (0, 0) to (1, 1) of progress against time. The x of the handles lie
        /// in [0, 1]; their y may overshoot.
        Bezier {
            /// Time of the first handle.
            x1: f64,
            /// Value of the first handle.
            y1: f64,
            /// Time of the second handle.
            x2: f64,
            /// Value of the second handle.
            y2: f64,
        } = 4,
        /// A spline through the keys (Kochanek and Bartels 1984, "Interpolating splines with local tension,
        /// continuity, and bias control"): the three parameters, each in [-1, 1], shape the curve at this key.
        /// All 0 is the Catmull-Rom spline, which overshoots. At a following key with another ease the segment
        /// arrives as `Smooth` does.
        Tcb {
            /// 1 passes the key with speed 0, -1 with twice the speed.
            tension: f64,
            /// 0 passes smoothly; -1 makes a corner, 1 the opposite corner.
            continuity: f64,
            /// 1 overshoots after the key, -1 before it.
            bias: f64,
        } = 5,
        /// Equal steps, as CSS's `steps()`.
        Steps {
            /// How many, 1 or more.
            count: u32,
            /// Which of the first and last value it holds, too.
            jumps: Jumps,
        } = 6,
        /// A spline through the key with these speeds, value per second: the free tangents of a graph editor. At a
        /// following key with another ease the segment arrives as `Smooth` does.
        Slope {
            /// The speed of a segment of this ease that ends at the key.
            arrive: f64,
            /// The speed with which it leaves the key.
            leave: f64,
        } = 7,
        /// A damped spring: overshoots and settles at the next key.
        Spring {
            /// From 0, without overshoot, to 0.95.
            bounce: f64,
        } = 8,
        /// One of Penner's (2001, "Robert Penner's easing functions").
        Penner(EaseSide, EaseShape) = 9,
    }
}

/// A parameter of an ease. A word among some stands as its index where numbers are asked for.
#[derive(Clone, Copy, Debug)]
pub struct EaseParameter {
    /// What it is called.
    pub name: &'static str,
    /// The smallest number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
    /// Whether it is a whole number.
    pub whole: bool,
    /// The words from which one is chosen; none if it is a number.
    pub words: &'static [&'static str],
    /// Whether it may be left out, with all that follow.
    pub optional: bool,
}

impl EaseParameter {
    const fn number(name: &'static str, low: f64, high: f64) -> Self {
        Self { name, low, high, whole: false, words: &[], optional: false }
    }

    const fn word(name: &'static str, words: &'static [&'static str]) -> Self {
        Self { whole: true, words, ..Self::number(name, 0.0, words.len() as f64 - 1.0) }
    }

    /// The word that a number stands for.
    pub fn word_of(&self, number: f64) -> Option<&'static str> {
        // The conversion saturates.
        self.words.get(number as usize).copied()
    }

    /// Whether a number is in range.
    pub fn holds(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
            && number.is_finite()
            && !(self.whole && number.fract() != 0.0)
    }
}

/// A row of the table of eases: what reading, writing, the schema, the documents and the page follow.
#[derive(Clone, Copy, Debug)]
pub struct EaseRow {
    /// Its name in a rig.
    pub name: &'static str,
    /// Its parameters.
    pub parameters: &'static [EaseParameter],
    /// Values of the parameters to begin with.
    pub example: &'static [f64],
    /// How it is written.
    pub help: &'static str,
    /// The ease of these parameters; they are as many as the row has, but for those that may be left out.
    make: fn(&[f64]) -> Ease,
}

/// No limit: the parameter must be finite.
const ANY: f64 = f64::INFINITY;

/// A row without parameters.
const fn plain(name: &'static str, help: &'static str, make: fn(&[f64]) -> Ease) -> EaseRow {
    EaseRow { name, parameters: &[], example: &[], help, make }
}

const SHAPE: &[EaseParameter] = &[EaseParameter::word("shape", EaseShape::NAMES)];

const fn penner(name: &'static str, help: &'static str, make: fn(&[f64]) -> Ease) -> EaseRow {
    EaseRow { name, parameters: SHAPE, example: &[2.0], help, make }
}

/// What a number stands for.
fn word<W: Words>(number: f64) -> W {
    W::WORDS[(number as usize).min(W::WORDS.len() - 1)].1
}

/// What is used most comes first.
const EASES: [EaseRow; 15] = [
    plain("Smooth", "write Smooth", |_| Ease::Smooth),
    plain("Linear", "write Linear", |_| Ease::Linear),
    plain("Hold", "write Hold", |_| Ease::Hold),
    plain("EaseInOut", "write EaseInOut", |_| Ease::InOut { start: 0.42, end: 0.42 }),
    plain("EaseIn", "write EaseIn", |_| Ease::InOut { start: 0.42, end: 0.0 }),
    plain("EaseOut", "write EaseOut", |_| Ease::InOut { start: 0.0, end: 0.42 }),
    EaseRow {
        name: "Ease",
        parameters: &[EaseParameter::number("in", 0.0, 1.0), EaseParameter::number("out", 0.0, 1.0)],
        example: &[0.42, 0.3],
        help: "write Ease(start, end): how smooth the start and the end of the movement are",
        make: |of| Ease::InOut { start: of[0], end: of[1] },
    },
    EaseRow {
        name: "Bezier",
        parameters: &[
            EaseParameter::number("x1", 0.0, 1.0),
            EaseParameter::number("y1", -ANY, ANY),
            EaseParameter::number("x2", 0.0, 1.0),
            EaseParameter::number("y2", -ANY, ANY),
        ],
        example: &[0.4, 0.0, 0.6, 1.0],
        help: "write Bezier(x1, y1, x2, y2); only y1 and y2 may be outside of 0 to 1",
        make: |of| Ease::Bezier { x1: of[0], y1: of[1], x2: of[2], y2: of[3] },
    },
    penner("In", "write In(Back), or another shape", |of| Ease::Penner(EaseSide::In, word(of[0]))),
    penner("Out", "write Out(Back), or another shape", |of| Ease::Penner(EaseSide::Out, word(of[0]))),
    penner("InOut", "write InOut(Back), or another shape", |of| Ease::Penner(EaseSide::InOut, word(of[0]))),
    EaseRow {
        name: "Spring",
        parameters: &[EaseParameter::number("bounce", 0.0, 0.95)],
        example: &[0.5],
        help: "write Spring(bounce): 0 does not overshoot, 0.5 does by a sixth",
        make: |of| Ease::Spring { bounce: of[0] },
    },
    EaseRow {
        name: "Steps",
        parameters: &[
            EaseParameter { whole: true, ..EaseParameter::number("count", 1.0, 10_000.0) },
            EaseParameter { optional: true, ..EaseParameter::word("jumps", Jumps::NAMES) },
        ],
        example: &[4.0],
        help: "write Steps(4), with a whole number, or Steps(4, Start), None or Both",
        make: |of| Ease::Steps { count: of[0] as u32, jumps: word(of.get(1).copied().unwrap_or_default()) },
    },
    EaseRow {
        name: "Slope",
        parameters: &[
            EaseParameter::number("speed", -ANY, ANY),
            EaseParameter { optional: true, ..EaseParameter::number("leaving", -ANY, ANY) },
        ],
        example: &[0.0],
        help: "write Slope(speed), or Slope(arriving, leaving), in values a second",
        make: |of| Ease::Slope { arrive: of[0], leave: of.get(1).copied().unwrap_or(of[0]) },
    },
    EaseRow {
        name: "Tcb",
        parameters: &[
            EaseParameter::number("tension", -1.0, 1.0),
            EaseParameter::number("continuity", -1.0, 1.0),
            EaseParameter::number("bias", -1.0, 1.0),
        ],
        example: &[0.0, 0.0, 0.0],
        help: "write Tcb(tension, continuity, bias)",
        make: |of| Ease::Tcb { tension: of[0], continuity: of[1], bias: of[2] },
    },
];

impl EaseRow {
    /// How many parameters it needs.
    pub fn least(&self) -> usize {
        self.parameters.iter().filter(|parameter| !parameter.optional).count()
    }

    /// The ease of these parameters; none if they are not as many as it has.
    pub fn ease(&self, parameters: &[f64]) -> Option<Ease> {
        (self.least()..=self.parameters.len()).contains(&parameters.len()).then(|| (self.make)(parameters))
    }

    /// The first parameter that is out of its range, with its value.
    pub fn out_of_range(&self, parameters: &[f64]) -> Option<(&'static EaseParameter, f64)> {
        let mut each = self.parameters.iter().zip(parameters);
        each.find(|(parameter, value)| !parameter.holds(**value))
            .map(|(parameter, value)| (parameter, *value))
    }
}

impl Ease {
    /// The table of eases, in the order of the documents.
    pub const TABLE: &'static [EaseRow] = &EASES;

    /// One of each row to choose from, and one for each word of a row that has nothing but a word.
    pub fn examples() -> impl Iterator<Item = Self> {
        Self::TABLE.iter().flat_map(|row| {
            let words = match row.parameters {
                [of] => of.words.len(),
                _ => 0,
            };
            let one = (words == 0).then(|| row.ease(row.example)).flatten();
            (0..words).filter_map(|word| row.ease(&[word as f64])).chain(one)
        })
    }

    /// The row with this name.
    pub fn row_of(name: &str) -> Option<&'static EaseRow> {
        Self::TABLE.iter().find(|row| row.name == name)
    }

    /// What rigs call it, and its parameters in their order there.
    pub fn named(self) -> (&'static str, [Option<f64>; 4]) {
        let one = |value: f64| [Some(value), None, None, None];
        match self {
            Self::Hold => ("Hold", [None; 4]),
            Self::Linear => ("Linear", [None; 4]),
            Self::Smooth => ("Smooth", [None; 4]),
            Self::InOut { start: 0.42, end: 0.42 } => ("EaseInOut", [None; 4]),
            Self::InOut { start: 0.42, end: 0.0 } => ("EaseIn", [None; 4]),
            Self::InOut { start: 0.0, end: 0.42 } => ("EaseOut", [None; 4]),
            Self::InOut { start, end } => ("Ease", [Some(start), Some(end), None, None]),
            Self::Bezier { x1, y1, x2, y2 } => ("Bezier", [x1, y1, x2, y2].map(Some)),
            Self::Tcb { tension, continuity, bias } => {
                ("Tcb", [Some(tension), Some(continuity), Some(bias), None])
            }
            Self::Steps { count, jumps } => {
                let jumps = (jumps != Jumps::End).then_some(f64::from(jumps as u8));
                ("Steps", [Some(f64::from(count)), jumps, None, None])
            }
            Self::Slope { arrive, leave } if arrive == leave => ("Slope", one(leave)),
            Self::Slope { arrive, leave } => ("Slope", [Some(arrive), Some(leave), None, None]),
            Self::Spring { bounce } => ("Spring", one(bounce)),
            Self::Penner(side, shape) => (side.word(), one(f64::from(shape as u8))),
        }
    }

    /// Its parameters as they are written: a number, or a word.
    pub fn written(self) -> impl Iterator<Item = Result<f64, &'static str>> {
        let (name, numbers) = self.named();
        let parameters = Self::row_of(name).map_or(&[][..], |row| row.parameters);
        let written = |(number, of): (f64, &EaseParameter)| of.word_of(number).map_or(Ok(number), Err);
        numbers.into_iter().flatten().zip(parameters).map(written)
    }

    /// Whether its parameters are in range.
    pub fn is_sound(self) -> bool {
        let (name, parameters) = self.named();
        Self::row_of(name).is_some_and(|row| {
            let mut each = row.parameters.iter().zip(parameters.into_iter().flatten());
            each.all(|(parameter, value)| parameter.holds(value))
        }) && self != Self::Steps { count: 1, jumps: Jumps::None }
    }

    /// Whether the speeds at both keys shape the way between them.
    pub(super) fn is_spline(self) -> bool {
        matches!(self, Self::Smooth | Self::Tcb { .. } | Self::Slope { .. })
    }

    /// Whether it meets the next key with that key's own speed, and not as `Smooth` does.
    pub(super) fn meets_speeds(self) -> bool {
        matches!(self, Self::Tcb { .. } | Self::Slope { .. })
    }

    /// Tension, continuity and bias of a spline that has them.
    pub(super) fn tension(self) -> Option<[f64; 3]> {
        if let Self::Tcb { tension, continuity, bias } = self {
            Some([tension, continuity, bias])
        } else {
            None
        }
    }

    /// The progress at a share of the time. Apart from the curves, most of whose keys need none.
    #[inline(never)]
    pub(super) fn progress(self, share: f64) -> f64 {
        self.way(share).0
    }

    /// The progress at a share of the time, and its derivative by time: infinite where it is vertical. For a
    /// spline, which depends on other keys, that of `Linear`.
    // Inlined, so that who wants one of the two computes one.
    #[inline(always)]
    pub(super) fn way(self, share: f64) -> (f64, f64) {
        let handles = |x1, y1, x2, y2| Handles { x1, y1, x2, y2 };
        match self {
            Self::Hold => (0.0, 0.0),
            Self::Linear | Self::Smooth | Self::Tcb { .. } | Self::Slope { .. } => (share, 1.0),
            Self::InOut { start, end } => handles(start, 0.0, 1.0 - end, 1.0).way(share),
            Self::Bezier { x1, y1, x2, y2 } => handles(x1, y1, x2, y2).way(share),
            Self::Steps { count, jumps } => (way::steps(share, f64::from(count), jumps), 0.0),
            Self::Spring { bounce } => way::spring(share, bounce),
            Self::Penner(side, shape) => way::penner(share, side, shape),
        }
    }
}

words! {
    /// How a curve continues before its first and after its last key.
    #[non_exhaustive]
    pub enum Extend {
        /// Holds the value of the key.
        #[default]
        Hold = 0,
        /// Continues linearly with the speed at the key.
        Linear = 1,
        /// Repeats.
        Loop = 2,
        /// Repeats from the value at its end: a walk that moves forward, a wheel that turns on.
        LoopOffset = 3,
        /// Repeats forwards and backwards in turn.
        PingPong = 4,
    }
}
