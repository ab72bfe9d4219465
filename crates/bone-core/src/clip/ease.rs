//! Interpolation between keys. Time is always monotone; only the value is eased.

use bone_archive::{archive, words};

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
    }
}

/// A row of the table of eases: what reading, writing, the schema, the documents and the page follow.
#[derive(Clone, Copy, Debug)]
pub struct EaseRow {
    /// Its name in a rig.
    pub name: &'static str,
    /// Its parameters, and the range of each.
    pub parameters: &'static [(&'static str, f64, f64)],
    /// Values of the parameters to begin with.
    pub example: &'static [f64],
    /// How it is written.
    pub help: &'static str,
    /// The ease of these parameters; they are as many as the row has.
    make: fn(&[f64]) -> Ease,
}

/// No limit: the parameter must be finite.
const ANY: f64 = f64::INFINITY;

/// What is used most comes first.
const EASES: [EaseRow; 6] = [
    EaseRow { name: "Smooth", parameters: &[], example: &[], help: "write Smooth", make: |_| Ease::Smooth },
    EaseRow { name: "Linear", parameters: &[], example: &[], help: "write Linear", make: |_| Ease::Linear },
    EaseRow { name: "Hold", parameters: &[], example: &[], help: "write Hold", make: |_| Ease::Hold },
    EaseRow {
        name: "Ease",
        parameters: &[("in", 0.0, 1.0), ("out", 0.0, 1.0)],
        example: &[0.42, 0.42],
        help: "write Ease(start, end): how smooth the start and the end of the movement are",
        make: |of| Ease::InOut { start: of[0], end: of[1] },
    },
    EaseRow {
        name: "Bezier",
        parameters: &[("x1", 0.0, 1.0), ("y1", -ANY, ANY), ("x2", 0.0, 1.0), ("y2", -ANY, ANY)],
        example: &[0.4, 0.0, 0.6, 1.0],
        help: "write Bezier(x1, y1, x2, y2); only y1 and y2 may be outside of 0 to 1",
        make: |of| Ease::Bezier { x1: of[0], y1: of[1], x2: of[2], y2: of[3] },
    },
    EaseRow {
        name: "Tcb",
        parameters: &[("tension", -1.0, 1.0), ("continuity", -1.0, 1.0), ("bias", -1.0, 1.0)],
        example: &[0.0, 0.0, 0.0],
        help: "write Tcb(tension, continuity, bias)",
        make: |of| Ease::Tcb { tension: of[0], continuity: of[1], bias: of[2] },
    },
];

impl EaseRow {
    /// The ease of these parameters; none if they are not as many as it has.
    pub fn ease(&self, parameters: &[f64]) -> Option<Ease> {
        (parameters.len() == self.parameters.len()).then(|| (self.make)(parameters))
    }

    /// The first parameter that is out of its range, with the range.
    pub fn out_of_range(&self, parameters: &[f64]) -> Option<(f64, f64, f64)> {
        let mut each = parameters.iter().zip(self.parameters);
        let wrong = |(value, (_, low, high)): &(&f64, &(&str, f64, f64))| {
            !((low..=high).contains(value) && value.is_finite())
        };
        each.find(wrong).map(|(value, (_, low, high))| (*value, *low, *high))
    }
}

impl Ease {
    /// The table of eases, in the order of the documents.
    pub const TABLE: &'static [EaseRow] = &EASES;

    /// The row with this name.
    pub fn row_of(name: &str) -> Option<&'static EaseRow> {
        Self::TABLE.iter().find(|row| row.name == name)
    }

    /// What rigs call it, and its parameters in their order there.
    pub fn named(self) -> (&'static str, [Option<f64>; 4]) {
        match self {
            Self::Hold => ("Hold", [None; 4]),
            Self::Linear => ("Linear", [None; 4]),
            Self::Smooth => ("Smooth", [None; 4]),
            Self::InOut { start, end } => ("Ease", [Some(start), Some(end), None, None]),
            Self::Bezier { x1, y1, x2, y2 } => ("Bezier", [x1, y1, x2, y2].map(Some)),
            Self::Tcb { tension, continuity, bias } => {
                ("Tcb", [Some(tension), Some(continuity), Some(bias), None])
            }
        }
    }

    /// Whether its parameters are in range.
    pub(super) fn is_sound(self) -> bool {
        let (name, parameters) = self.named();
        let parameters = parameters.map(|parameter| parameter.unwrap_or_default());
        Self::row_of(name).is_some_and(|row| row.out_of_range(&parameters[..row.parameters.len()]).is_none())
    }

    /// Whether the speeds at both keys shape the way between them.
    pub(super) fn is_spline(self) -> bool {
        matches!(self, Self::Smooth | Self::Tcb { .. })
    }

    /// Tension, continuity and bias of a spline that has them.
    pub(super) fn tension(self) -> Option<[f64; 3]> {
        if let Self::Tcb { tension, continuity, bias } = self {
            Some([tension, continuity, bias])
        } else {
            None
        }
    }

    /// The Bezier curve of progress over time, if the ease is one.
    pub(super) fn handles(self) -> Option<Handles> {
        match self {
            Self::InOut { start, end } => Some(Handles { x1: start, y1: 0.0, x2: 1.0 - end, y2: 1.0 }),
            Self::Bezier { x1, y1, x2, y2 } => Some(Handles { x1, y1, x2, y2 }),
            _ => None,
        }
    }
}

/// The handles of a cubic from (0, 0) to (1, 1), x in [0, 1].
#[derive(Clone, Copy)]
pub(super) struct Handles {
    x1: f64,
    y1: f64,
    x2: f64,
    y2: f64,
}

impl Handles {
    /// The progress at a share of the time.
    pub(super) fn way(self, time: f64) -> f64 {
        cubic(self.y1, self.y2, self.parameter(time))
    }

    /// The derivative of progress by time: infinite where the curve is vertical.
    pub(super) fn speed(self, time: f64) -> f64 {
        let Self { x1, y1, x2, y2 } = self;
        let s = self.parameter(time);
        // At its ends the tangent of a cubic points to the first control point that differs from the end.
        let towards = |points: [(f64, f64); 2]| {
            let away = points.into_iter().find(|point| *point != (0.0, 0.0));
            away.map_or(1.0, |(x, y)| y / x)
        };
        if s <= 0.0 {
            return towards([(x1, y1), (x2, y2)]);
        }
        if s >= 1.0 {
            return towards([(1.0 - x2, 1.0 - y2), (1.0 - x1, 1.0 - y1)]);
        }
        let (dx, dy) = (slope(x1, x2, s), slope(y1, y2, s));
        if dx == 0.0 && dy == 0.0 { 1.0 } else { dy / dx.max(0.0) }
    }

    /// The curve parameter at a share of the time.
    ///
    /// Newton's method, safeguarded by bisection. It takes the same steps, so it gives the same bits, on
    /// every machine.
    fn parameter(self, time: f64) -> f64 {
        let Self { x1, x2, .. } = self;
        let (mut low, mut high) = (0.0, 1.0);
        let mut s = time;
        // Bisection alone would end in 53 steps; Newton's method ends most searches in five.
        for _ in 0..60 {
            let off = cubic(x1, x2, s) - time;
            if off.abs() < 1e-15 {
                break;
            }
            if off > 0.0 {
                high = s;
            } else {
                low = s;
            }
            let newton = s - off / slope(x1, x2, s);
            // Also false for NaN: where the slope is 0, the midpoint is taken.
            s = if newton > low && newton < high { newton } else { low + (high - low) * 0.5 };
        }
        s
    }
}

/// A cubic from 0 to 1 with these control values.
fn cubic(p1: f64, p2: f64, s: f64) -> f64 {
    let r = 1.0 - s;
    3.0 * r * r * s * p1 + 3.0 * r * s * s * p2 + s * s * s
}

/// Its derivative.
fn slope(p1: f64, p2: f64, s: f64) -> f64 {
    let r = 1.0 - s;
    3.0 * r * r * p1 + 6.0 * r * s * (p2 - p1) + 3.0 * s * s * (1.0 - p2)
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
