//! Figures of each drawing, their limits, and the table of `docs/corpus.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::packages::Package;

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

/// The starts of reasons that are mistakes of the engine.
pub(crate) const PANIC: &str = "panic";
pub(crate) const SLOW: &str = "too slow";
/// Longer than most, in seconds.
const LONG: f64 = 10.0;

/// What is printed of a drawing: why it is refused, and what is above a limit.
pub(crate) fn lines(name: &str, outcome: &Outcome) -> String {
    let mut text = String::new();
    if let Some(reason) = &outcome.refused {
        let _ = writeln!(text, "refused {name}: {reason}");
    }
    for (check, figure) in outcome.above() {
        let _ = writeln!(text, "above {} {name}: {:.2} {}", check.word(), figure.value, figure.place);
    }
    if outcome.seconds > LONG {
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

/// Drawings that may be above a limit: a check and a name, with the reason.
pub(crate) type Exceptions = BTreeMap<(String, String), String>;

/// Reads the list of exceptions.
pub(crate) fn exceptions(list: &str) -> Result<Exceptions, String> {
    let mut found = Exceptions::new();
    for (at, line) in list.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let mut words = line.splitn(3, ' ').map(str::trim).filter(|word| !word.is_empty());
        match (words.next(), words.next(), words.next()) {
            (None, ..) => {}
            (Some(check), Some(name), Some(why)) if Check::ALL.iter().any(|known| known.word() == check) => {
                found.insert((check.to_owned(), name.to_owned()), why.to_owned());
            }
            _ => return Err(format!("exceptions.txt, line {}: a check, a drawing and a reason", at + 1)),
        }
    }
    Ok(found)
}

fn is_known(known: &Exceptions, check: Check, name: &str) -> bool {
    known.contains_key(&(check.word().to_owned(), name.to_owned()))
}

/// Figures above their limits that the page has: a check, a drawing, and the value.
pub(crate) type Recorded = BTreeMap<(String, String), f64>;

/// Reads the figures above their limits from the page of the documents.
pub(crate) fn recorded(page: &str) -> Recorded {
    let rows = page.lines().skip_while(|line| !line.starts_with(ABOVE));
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim).skip(1);
        let (check, name) = (cells.next()?, cells.next()?);
        Some(((check.to_owned(), name.to_owned()), cells.next()?.parse().ok()?))
    })
    .collect()
}

/// What a figure may differ by without being worse: a share of it, and the rounding of the page.
const SLACK: (f64, f64) = (0.02, 0.01);

/// How many drawings are above a limit without being listed and worse than on the page, or are mistakes of the
/// engine.
pub(crate) fn unknown(outcomes: &[(String, Outcome)], known: &Exceptions, recorded: &Recorded) -> usize {
    let is_worse = |check: Check, name: &str, value: f64| {
        let before = recorded.get(&(check.word().to_owned(), name.to_owned()));
        before.is_none_or(|before| value > before * (1.0 + SLACK.0) + SLACK.1)
    };
    let is_mistake = |reason: &String| reason.starts_with(PANIC) || reason.starts_with(SLOW);
    let wrong = |(name, outcome): &&(String, Outcome)| {
        outcome.refused.as_ref().is_some_and(is_mistake)
            || outcome
                .above()
                .any(|(check, figure)| !is_known(known, check, name) && is_worse(check, name, figure.value))
    };
    outcomes.iter().filter(wrong).count()
}

/// The table of figures.
pub(crate) fn table(outcomes: &[(String, Outcome)], known: &Exceptions) -> String {
    let mut text = String::from(
        "| figure | drawings | median | 95 of 100 below | 99 of 100 below | worst | limit | above | of these listed |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for check in Check::ALL {
        let mut values = Vec::new();
        let (mut above, mut listed) = (0, 0);
        for (name, outcome) in outcomes {
            let Some(figure) = outcome.figures.get(&check) else { continue };
            values.push(figure.value);
            if figure.value > check.limit() {
                above += 1;
                listed += usize::from(is_known(known, check, name));
            }
        }
        values.sort_by(f64::total_cmp);
        let cells = [0.5, 0.95, 0.99, 1.0].map(|of| number(share(&values, of)));
        let (title, count, limit) = (check.title(), values.len(), number(check.limit()));
        let _ =
            writeln!(text, "| {title} | {count} | {} | {limit} | {above} | {listed} |", cells.join(" | "));
    }
    let count = |of: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, outcome)| of(outcome)).count();
    let _ = writeln!(
        text,
        "\n{} drawings: {} refused with a reason, {} without a silhouette, {} with a line around a fill.",
        outcomes.len(),
        count(|outcome| outcome.refused.is_some()),
        count(|outcome| outcome.empty),
        count(|outcome| outcome.pairs > 0),
    );
    text
}

/// The heading of the list of figures above their limits.
const ABOVE: &str = "## Above a limit";

/// The page of the documents.
pub(crate) fn page(packages: &[Package], outcomes: &[(String, Outcome)], known: &Exceptions) -> String {
    let mut text = String::from(
        "# Drawings of others\n\n\
         What the engine does with drawings that other people made. `tests/corpus` fetches them, gives each one\n\
         bone lines, binds it by `init`, bends it by 30, 75, 120 and 150 degrees, and writes this page\n\
         (`RENEW=1`). Nothing of them is part of this repository.\n\n\
         | package | version | from | drawings |\n|---|---|---|---|\n",
    );
    for package in packages {
        let start = format!("{}/", package.name);
        let count = outcomes.iter().filter(|(name, _)| name.starts_with(&start)).count();
        let _ = writeln!(text, "| {} | {} | {} | {count} |", package.name, package.version, package.client);
    }
    let _ = write!(text, "\n## Figures\n\n{}", table(outcomes, known));
    text += "\n## Refused\n\n| drawing | reason |\n|---|---|\n";
    for (name, outcome) in outcomes {
        if let Some(reason) = &outcome.refused {
            let _ = writeln!(text, "| {name} | {} |", reason.replace('|', "\\|").replace('\n', " "));
        }
    }
    let _ = write!(
        text,
        "\n{ABOVE}\n\nPictures of these: `PICTURES=folder`. None of them may become worse.\n\n\
         | figure | drawing | value | where | why |\n|---|---|---|---|---|\n"
    );
    for (name, outcome) in outcomes {
        for (check, figure) in outcome.above() {
            let why = known.get(&(check.word().to_owned(), name.clone())).map_or("", String::as_str);
            let (word, value) = (check.word(), number(figure.value));
            let _ = writeln!(text, "| {word} | {name} | {value} | {} | {why} |", figure.place);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_worse_than_the_page_fails() {
        let outcome = |value: f64| {
            let mut outcome = Outcome::default();
            outcome.note(Check::Lost, value, "arm at 30".to_owned());
            vec![("a.svg".to_owned(), outcome)]
        };
        let recorded = recorded(&page(&[], &outcome(40.0), &Exceptions::new()));
        let failed = |value| unknown(&outcome(value), &Exceptions::new(), &recorded);
        assert_eq!([failed(0.5), failed(39.0), failed(40.5), failed(45.0)], [0, 0, 0, 1]);
        assert_eq!(unknown(&outcome(2.0), &Exceptions::new(), &Recorded::new()), 1);
        let mut panicked = outcome(0.0);
        panicked[0].1.refused = Some(format!("{PANIC}: at x.rs"));
        assert_eq!(unknown(&panicked, &Exceptions::new(), &recorded), 1);
    }
}
