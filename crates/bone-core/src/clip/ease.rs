//! How a value travels from one key to the next. Time is always monotone; only the value bends.

/// The way from a key to the one after it.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum Ease {
    /// Stays, then jumps.
    Hold,
    /// Straight.
    Linear,
    /// A cubic that never overshoots: between two keys the value stays between theirs, and the speed is continuous
    /// where two such stretches meet.
    #[default]
    Smooth,
    /// CSS's cubic-bezier: a curve from (0, 0) to (1, 1) of share of time against share of the way. The handles'
    /// x lie in [0, 1]; y may overshoot.
    Bezier {
        /// Time of the first handle.
        x1: f64,
        /// Value of the first handle.
        y1: f64,
        /// Time of the second handle.
        x2: f64,
        /// Value of the second handle.
        y2: f64,
    },
}

/// The share of the way at a share of the time, for handles with x in [0, 1].
///
/// The parameter is found by bisection kept honest Newton steps: the same steps, so the same bits, everywhere.
pub(super) fn bezier(x1: f64, y1: f64, x2: f64, y2: f64, time: f64) -> f64 {
    let cubic = |p1: f64, p2: f64, s: f64| {
        let r = 1.0 - s;
        3.0 * r * r * s * p1 + 3.0 * r * s * s * p2 + s * s * s
    };
    let slope = |p1: f64, p2: f64, s: f64| {
        let r = 1.0 - s;
        3.0 * r * r * p1 + 6.0 * r * s * (p2 - p1) + 3.0 * s * s * (1.0 - p2)
    };
    let (mut low, mut high) = (0.0, 1.0);
    let mut s = time;
    // Bisection alone would end in 53 steps; Newton ends most searches in five.
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
        // Also false for NaN: a flat spot falls back to the middle.
        s = if newton > low && newton < high { newton } else { low + (high - low) * 0.5 };
    }
    cubic(y1, y2, s)
}

/// What a curve does before its first and after its last key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Extend {
    /// Keeps the value of the key.
    #[default]
    Hold,
    /// Goes on straight with the speed it has at the key.
    Linear,
    /// Starts over.
    Loop,
    /// Starts over from where it ended: a walk that gets somewhere, a wheel that turns on.
    LoopOffset,
    /// Goes back and forth.
    PingPong,
}
