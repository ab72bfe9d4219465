//! What is wrong with a file, as plain data: the message, the place, what to do about it.
//! Prints nothing: the command line prints them, an editor may underline them.

use crate::span::{SourceId, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The rig cannot be used as written.
    Error,
    /// The rig can be used, but probably does not do what was meant.
    Warning,
}

/// A span in one of several texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The text.
    pub source: SourceId,
    /// The bytes in it; empty where something is missing.
    pub span: Span,
}

impl Place {
    /// A span in a text.
    pub const fn new(source: SourceId, span: Span) -> Self {
        Self { source, span }
    }
}

/// The codes of findings, each with the kind of finding it stands for. A code keeps its meaning.
pub const CODES: [(&str, &str); 77] = [
    ("ambiguous-art", "several elements of the drawing have this name"),
    ("beyond-limits", "a key turns a joint beyond its limits"),
    ("brackets", "a bracket is missing, swapped or one too many"),
    ("cannot-bend", "art that cannot bend is transformed as a whole, or stays"),
    ("chain-too-long", "a chain has more bones than can move"),
    ("changes-setup-pose", "a driver changes the drawing at rest"),
    ("character", "a character is not allowed here, or stands in place of another"),
    ("comment", "a comment is written as in another language, or not closed"),
    ("conflicting-fields", "two fields give the same thing"),
    ("cycle", "bones, constraints, drivers or files depend on each other in a cycle"),
    ("does-not-fit-drawing", "the rig asks for what the drawing, or a clip, cannot do"),
    ("drawing", "a note about the drawing"),
    ("duplicate", "a name, a key or a field occurs twice"),
    ("edit-refused", "an edit of a rig was not made"),
    ("empty", "a text, a list or a file is empty"),
    ("excludes-setup-pose", "a range does not contain the setup pose"),
    ("fade-does-not-fit", "a fade is longer than what it fades, or has nothing before it"),
    ("file-name", "the name of a clip cannot be that of a file"),
    ("form-is-sum", "a form is missing, and is the sum of those on the axes"),
    ("frames-for-seconds", "times seem to count frames"),
    ("ink-step", "the ink of a closed path does not end as wide as it starts"),
    ("inside-out", "a form turns a cell of a lattice inside out"),
    ("internal-error", "a fault of the program"),
    ("key-order", "keys are not in order"),
    ("key-outside-clip", "a key or a start is outside of its clip"),
    ("loop-jumps", "a channel jumps where its clip repeats"),
    ("missing-field", "a field that is needed is not given"),
    ("missing-kind", "a binding or a constraint has no name before its brackets"),
    ("missing-value", "a name, a key or a value is missing"),
    ("no-effect", "what is written does nothing"),
    ("no-length", "a bone has no length"),
    ("no-paint", "art has no paint of the kind that is keyed"),
    ("no-text", "words are keyed of art that is no text"),
    ("no-weight", "weights are all 0"),
    ("not-drawn", "art is in the drawing, and is not drawn itself"),
    ("not-keyed", "a channel follows one without keys"),
    ("not-possible-here", "a field, an ease or a value is not possible for this"),
    ("not-text", "the file is no text in UTF-8"),
    ("number", "a number cannot be read, or is written as in another language"),
    ("one-sided", "half a cycle keys one side alone"),
    ("order", "something reads what a later entry changes"),
    ("out-of-range", "a number is out of its range"),
    ("parent-jumps", "a bone may jump where its parent changes"),
    ("path", "a path has special characters"),
    ("quotes", "quotes are missing, of another kind, or not needed"),
    ("range-reversed", "the end of a range is before its start"),
    ("same-bone", "a bone is to copy itself"),
    ("shape-differs", "art has another structure than the path that takes its shape"),
    ("sides-differ", "bones that change sides are not of one length"),
    ("target-moves-along", "a target moves with the chain that follows it"),
    ("too-many", "there is more than the program takes"),
    ("unbound-art", "art is not bound, and its neighbours are"),
    ("unknown-actor", "the scene has no such actor"),
    ("unknown-art", "the drawing has no such art"),
    ("unknown-bone", "the rig has no such bone"),
    ("unknown-clip", "the rig has no such clip"),
    ("unknown-constraint", "the rig has no such constraint"),
    ("unknown-field", "there is no such field"),
    ("unknown-filter", "no art of the drawing has such a filter, or a filter no such step"),
    ("unknown-gradient", "no art of the drawing has such a gradient"),
    ("unknown-input", "a machine has no such input"),
    ("unknown-outfit", "the rig has no such outfit"),
    ("unknown-pose", "the rig has no such pose"),
    ("unknown-slider", "the rig has no such slider"),
    ("unknown-state", "a layer of a machine has no such state"),
    ("unknown-warp", "the rig has no such warp"),
    ("unknown-word", "a word is none of those that are possible"),
    ("unreachable-state", "no transition leads to a state"),
    ("unreadable-drawing", "the drawing cannot be used"),
    ("unreadable-file", "a file cannot be read"),
    ("unreadable-recording", "a recording cannot be used"),
    ("version", "the rig is of another version of the format"),
    ("weights-found", "a note about weights that the program found"),
    ("wrong-count", "there are too many or too few values"),
    ("wrong-file", "the file is of another kind than is needed"),
    ("wrong-input", "an input of a machine is used as what it is not"),
    ("wrong-type", "a value is of another type"),
];

/// The kind of a finding: one of [`CODES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code(u8);

impl Code {
    fn of(name: &str) -> Self {
        let at = CODES.iter().position(|(known, _)| *known == name);
        debug_assert!(at.is_some(), "{name} is not in CODES");
        Self(at.unwrap_or_default() as u8)
    }

    /// Its name: `unknown-bone`.
    pub fn name(self) -> &'static str {
        CODES.get(usize::from(self.0)).map_or("", |(name, _)| name)
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind: one of [`CODES`].
    pub code: Code,
    /// What is wrong: one sentence in the terms of the file format.
    pub message: String,
    /// Where, if it has a place.
    pub place: Option<Place>,
    /// A short text under the place; may be empty.
    pub label: String,
    /// What to do about it.
    pub help: Vec<String>,
    /// Other places that matter, and why.
    pub related: Vec<(Place, String)>,
    /// What an editor may write to correct it: the bytes that go, and the text that takes their place.
    pub fix: Option<(Place, String)>,
    /// The text of a fix whose bytes are those of the finding, until it has a place.
    replacement: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        let (code, message) = (Code::of(code), message.into());
        Self {
            severity,
            code,
            message,
            place: None,
            label: String::new(),
            help: Vec::new(),
            related: Vec::new(),
            fix: None,
            replacement: None,
        }
    }

    /// An error: the rig cannot be used as written.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning: the rig can be used, but probably does not do what was meant.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// Sets its place.
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        let replacement = self.replacement.take().map(|text| (place, text));
        self.fix = self.fix.or(replacement);
        self
    }

    /// What takes the place of some bytes to correct it.
    pub(crate) fn fixed(mut self, place: Place, text: impl Into<String>) -> Self {
        self.fix = Some((place, text.into()));
        self
    }

    /// What takes the place of its own bytes to correct it; before [`at`](Self::at).
    pub(crate) fn replaced(mut self, text: impl Into<String>) -> Self {
        self.replacement = Some(text.into());
        self
    }

    /// Adds a short text under the place.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// The same where it is replaced by the name of another file, which is in the folder of a path.
    pub(crate) fn in_folder_of(mut self, path: &str) -> Self {
        if let (Some((folder, _)), Some(name)) = (path.rsplit_once('/'), &mut self.replacement) {
            name.insert_str(1, &format!("{folder}/"));
        }
        self
    }

    /// Adds another place that matters.
    pub fn related(mut self, place: Place, why: impl Into<String>) -> Self {
        self.related.push((place, why.into()));
        self
    }

    /// Without its places in a text that there is not.
    pub(crate) fn without_places(mut self, source: SourceId) -> Self {
        self.place = self.place.filter(|place| place.source != source);
        self.related.retain(|(place, _)| place.source != source);
        self.fix = self.fix.filter(|(place, _)| place.source != source);
        self
    }

    /// Adds "did you mean" when one of `candidates` resembles a name; without its quotes in a text.
    pub(crate) fn suggest<'a>(self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(name, candidates) {
            Some(near) => self.replaced(format!("{near:?}")).help(format!("did you mean \"{near}\"?")),
            None => self,
        }
    }

    /// The same for names that are written without quotes: of fields, words and kinds.
    pub(crate) fn suggest_word<'a>(self, word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(word, candidates) {
            Some(near) => self.replaced(near).help(format!("did you mean `{near}`?")),
            None => self,
        }
    }
}

/// Everything that was found, in the order of the text.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

impl Diagnostics {
    /// How many of each severity are kept. The rest is only counted: a hostile file must not
    /// fill the memory with messages.
    pub const KEPT: usize = 500;

    /// Nothing found yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one finding, unless the very same is there already.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let key = |d: &Diagnostic| (d.place, d.severity);
        let from = self.list.partition_point(|d| key(d) < key(&diagnostic));
        let to = self.list.partition_point(|d| key(d) <= key(&diagnostic));
        if self.list.get(from..to).is_some_and(|same| same.contains(&diagnostic)) {
            return;
        }
        let count = match diagnostic.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= Self::KEPT {
            self.list.insert(to, diagnostic);
        }
    }

    /// Changes every finding that was kept; places and severities stay.
    pub(crate) fn change(&mut self, change: impl FnMut(&mut Diagnostic)) {
        self.list.iter_mut().for_each(change);
    }

    /// Whether there is an error.
    pub const fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors were found, kept or not.
    pub const fn error_count(&self) -> usize {
        self.errors
    }

    /// How many warnings were found, kept or not.
    pub const fn warning_count(&self) -> usize {
        self.warnings
    }

    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The findings that were kept: those without a place first, then by text and place, errors before
    /// warnings.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Longer names are never compared: the cost grows with the square of the length.
const LONGEST_COMPARED: usize = 48;
/// Fewer letters are short for anything.
const SHORTEST_PREFIX: usize = 3;
/// More names are never compared, so that many unknown names in a large file still cost little.
const MOST_COMPARED: usize = 2000;

/// The candidate that resembles `name` most, if one does: few letters wrong, missing, too many or swapped.
/// The wrong case counts less than a wrong letter. The first of equals wins. Where none does, the only one
/// that begins with `name` is meant: `soft` is short for `softness`.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(LONGEST_COMPARED + 1).collect();
    if wanted.is_empty() || wanted.len() > LONGEST_COMPARED {
        return None;
    }
    // A third of the letters may be wrong, costs being counted in halves; one letter always may, if another
    // is right.
    let cutoff = 2 * (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    // The longer names that begin so: none, the only one, or several.
    let mut longer: Option<Option<&str>> = None;
    for candidate in candidates.into_iter().take(MOST_COMPARED) {
        if candidate == name {
            continue;
        }
        if wanted.len() >= SHORTEST_PREFIX && candidate.starts_with(name) {
            longer = Some(if longer.is_none() { Some(candidate) } else { None });
        }
        let letters: Vec<char> = candidate.chars().take(LONGEST_COMPARED + 1).collect();
        if letters.len() > LONGEST_COMPARED || 2 * letters.len().abs_diff(wanted.len()) > cutoff {
            continue;
        }
        let only_case = candidate.to_lowercase() == name.to_lowercase();
        let cost = if only_case { 1 } else { distance(&wanted, &letters) };
        let all_wrong = cost >= 2 * wanted.len().max(letters.len());
        if cost <= cutoff && !all_wrong && best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, candidate));
        }
    }
    best.map(|(_, candidate)| candidate).or(longer.flatten())
}

/// Edit distance with swapped neighbours (optimal string alignment), in halves: a wrong case costs one, all
/// else two.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut two_above = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).map(|column| 2 * column).collect();
    let mut row = vec![0; b.len() + 1];
    for (i, &x) in a.iter().enumerate() {
        row[0] = 2 * (i + 1);
        for (j, &y) in b.iter().enumerate() {
            let change = if x == y { 0 } else { 2 - usize::from(x.to_lowercase().eq(y.to_lowercase())) };
            let mut cost = (above[j] + change).min(above[j + 1] + 2).min(row[j] + 2);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                cost = cost.min(two_above[j - 1] + 2);
            }
            row[j + 1] = cost;
        }
        std::mem::swap(&mut two_above, &mut above);
        std::mem::swap(&mut above, &mut row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_the_misspelled_name() {
        let bones = ["hip", "chest", "upper.L", "upper.R", "fore.L"];
        assert_eq!(nearest("uper.L", bones), Some("upper.L"));
        assert_eq!(nearest("uppre.R", bones), Some("upper.R"));
        assert_eq!(nearest("Chest", bones), Some("chest"));
        assert_eq!(nearest("hpi", bones), Some("hip"));
        assert_eq!(nearest("hi", bones), Some("hip"));
        assert_eq!(nearest("tail", bones), None);
        assert_eq!(nearest("", bones), None);
        assert_eq!(nearest("a", ["b"]), None);
        assert_eq!(nearest("arm", ["leg", "Arm", "aim"]), Some("Arm"));
        assert_eq!(nearest("soft", ["stiffness", "softness"]), Some("softness"));
        assert_eq!(nearest("tail", ["tail_one", "tail_two"]), None);
        assert_eq!(nearest("so", ["softness"]), None);
    }

    #[test]
    fn findings_are_sorted_and_unique() {
        let place = |start| Place::new(SourceId::default(), Span::at(start));
        let mut all = Diagnostics::new();
        all.push(Diagnostic::error("order", "second").at(place(9)));
        all.push(Diagnostic::warning("order", "first").at(place(2)));
        all.push(Diagnostic::error("order", "second").at(place(9)));
        all.push(Diagnostic::error("order", "third").at(place(9)));
        all.push(Diagnostic::error("order", "nowhere"));
        let messages: Vec<&str> = all.iter().map(|d| d.message.as_str()).collect();
        assert_eq!(messages, ["nowhere", "first", "second", "third"]);
        assert_eq!((all.error_count(), all.warning_count()), (3, 1));
    }

    #[test]
    fn findings_beyond_the_limit_are_only_counted() {
        let mut all = Diagnostics::new();
        for n in 0..2000 {
            all.push(Diagnostic::warning("order", "much").at(Place::new(SourceId::default(), Span::at(n))));
        }
        all.push(Diagnostic::error("order", "still counted"));
        assert_eq!(all.iter().count(), Diagnostics::KEPT + 1);
        assert!(all.has_errors());
        assert_eq!(all.warning_count(), 2000);
    }
}
