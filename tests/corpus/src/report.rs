//! Figures of each drawing, their limits, and the table of `docs/corpus.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What is measured of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Check {
    Setup,
    Unbound,
    Apart,
    Lost,
    Leap,
    Sliver,
    Text,
    Svg,
}

impl Check {
    pub(crate) const ALL: [Self; 8] = [
        Self::Setup,
        Self::Unbound,
        Self::Apart,
        Self::Lost,
        Self::Leap,
        Self::Sliver,
        Self::Text,
        Self::Svg,
    ];

    /// A word for the option and the lists.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Unbound => "unbound",
            Self::Apart => "apart",
            Self::Lost => "lost",
            Self::Leap => "leap",
            Self::Sliver => "sliver",
            Self::Text => "text",
            Self::Svg => "svg",
        }
    }

    /// What it is, with its unit.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Setup => "pixels that the setup pose changes",
            Self::Unbound => "pieces that `init` leaves unbound, %",
            Self::Apart => "filled pieces whose line has another binding",
            Self::Lost => "right paint lost in a bend, % of a path",
            Self::Leap => "leap of painted area in one degree, % of a path",
            Self::Sliver => "slivers of background between neighbours, % of the longer side",
            Self::Text => "rigs that differ after writing and reading",
            Self::Svg => "pixels that differ after writing a bend as SVG and reading it",
        }
    }

    /// The greatest figure that a drawing may have.
    pub(crate) fn limit(self) -> f64 {
        match self {
            Self::Setup | Self::Apart | Self::Text => 0.0,
            // What has no outline, what fills the page, and what `init` says why in a comment.
            Self::Unbound => 99.0,
            Self::Lost => 1.0,
            Self::Leap => 5.0,
            Self::Sliver => 2.0,
            Self::Svg => 12.0,
        }
    }
}

/// A figure, and what of the drawing has it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figure {
    pub(crate) value: f64,
    pub(crate) place: String,
}

/// What was found about a drawing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// Why it cannot be read, or not be posed.
    pub(crate) refused: Option<String>,
    /// Whether it has no silhouette of some pixels.
    pub(crate) empty: bool,
    pub(crate) bones: usize,
    /// Filled pieces that have a line around them.
    pub(crate) pairs: usize,
    pub(crate) figures: BTreeMap<Check, Figure>,
    pub(crate) seconds: f64,
}

impl Outcome {
    /// Keeps the greatest figure of each check.
    pub(crate) fn note(&mut self, check: Check, value: f64, place: String) {
        let figure = self.figures.entry(check).or_insert(Figure { value: -1.0, place: String::new() });
        if value > figure.value {
            *figure = Figure { value, place };
        }
    }

    /// The checks whose limit is passed.
    pub(crate) fn above(&self) -> impl Iterator<Item = (Check, &Figure)> {
        self.figures.iter().filter(|(check, figure)| figure.value > check.limit()).map(|(c, f)| (*c, f))
    }
}

/// A drawing takes longer than most.
const SLOW: f64 = 10.0;

/// What is printed of a drawing: why it is refused, and what is above a limit.
pub(crate) fn lines(name: &str, outcome: &Outcome) -> String {
    let mut text = String::new();
    if let Some(reason) = &outcome.refused {
        let _ = writeln!(text, "refused {name}: {reason}");
    }
    for (check, figure) in outcome.above() {
        let _ = writeln!(text, "above {} {name}: {:.2} {}", check.word(), figure.value, figure.place);
    }
    if outcome.seconds > SLOW {
        let _ = writeln!(text, "slow {name}: {:.1} s", outcome.seconds);
    }
    text
}

/// The value below which a share of sorted values lie.
fn share(sorted: &[f64], of: f64) -> f64 {
    let at = (of * sorted.len() as f64).ceil() as usize;
    sorted.get(at.saturating_sub(1)).copied().unwrap_or_default()
}

fn number(value: f64) -> String {
    if value == value.round() { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// The table of figures.
pub(crate) fn table(outcomes: &[(String, Outcome)]) -> String {
    let mut text = String::from(
        "| figure | drawings | median | 95 of 100 below | 99 of 100 below | worst | limit | above |\n|---|---|---|---|---|---|---|---|\n",
    );
    for check in Check::ALL {
        let figures = outcomes.iter().filter_map(|(_, outcome)| outcome.figures.get(&check));
        let mut values: Vec<f64> = figures.map(|figure| figure.value).collect();
        values.sort_by(f64::total_cmp);
        let above = values.iter().filter(|value| **value > check.limit()).count();
        let cells = [0.5, 0.95, 0.99, 1.0].map(|of| number(share(&values, of)));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {above} |",
            check.title(),
            values.len(),
            cells.join(" | "),
            number(check.limit())
        );
    }
    text
}
