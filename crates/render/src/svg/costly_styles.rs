//! Style sheets that would take hours. usvg matches every rule with every element, and a selector like `a b c`
//! by trying all ancestors for each of its words (simplecss 0.2), so a few bytes can ask for any amount of work.
//! The work is bounded from the number of rules, words and elements; where the bound is too great, it is counted.

use roxmltree::{Document, Node};
use simplecss::{AttributeOperator, Element as _, SelectorToken, SelectorTokenizer, StyleSheet};

use super::limits::{MAX_DECLARATIONS, MAX_STYLE_STEPS};
use super::place::{LineIndex, SvgError};
use super::showable::Xml;
use super::source::tag_range;

/// Bytes of an attribute that are searched for a class in the time of one step.
const BYTES_OF_A_STEP: usize = 32;

/// Fails for a drawing whose style sheets take too long to apply. `drawn` is how many elements there are once
/// every link is followed: what a `use` shows is matched again.
pub(crate) fn check(
    doc: &Document<'_>,
    text: &str,
    lines: &LineIndex<'_>,
    drawn: u64,
) -> Result<(), SvgError> {
    let mut sheet = StyleSheet::new();
    let mut first = None;
    let too_much = |node: Node<'_, '_>, what: String| {
        Err(SvgError::LimitExceeded { what, place: Some(lines.place(tag_range(text, node))) })
    };
    let mut work = 0_u64;
    for node in doc.descendants().filter(|node| node.has_tag_name("style")) {
        let is_css = matches!(node.attribute("type"), None | Some("text/css"));
        let Some(css) = node.text().filter(|_| is_css) else { continue };
        first = first.or(Some(node));
        if declarations(css) > MAX_DECLARATIONS {
            return too_much(
                node,
                format!(
                    "its style sheet gives more than {MAX_DECLARATIONS} properties to lists of selectors"
                ),
            );
        }
        sheet.parse_more(css);
        // All rules are sorted again after each style element.
        work = work.saturating_add(sheet.rules.len() as u64);
        if work > MAX_STYLE_STEPS / 10 {
            return too_much(
                node,
                "its style elements are too many for their rules; one element can hold all".into(),
            );
        }
    }
    let Some(first) = first else { return Ok(()) };
    let elements = Elements::new(doc);
    let selectors: Vec<String> = sheet.rules.iter().map(|rule| rule.selector.to_string()).collect();
    let rules: Vec<Vec<Compound<'_>>> = selectors.iter().map(|selector| compounds(selector)).collect();
    for rule in &sheet.rules {
        work = work.saturating_add((rule.declarations.len() as u64).saturating_mul(drawn));
    }
    let again = drawn / (elements.nodes.len() as u64).max(1) + 1;
    if elements.steps(&rules, work, again) > MAX_STYLE_STEPS {
        let what = format!(
            "its style sheets take more than {} million steps to apply; fewer rules, or selectors with fewer words, take less",
            MAX_STYLE_STEPS / 1_000_000
        );
        return too_much(first, what);
    }
    Ok(())
}

/// An upper bound of how many declarations rules get: each selector of a list has all declarations of its block.
fn declarations(css: &str) -> u64 {
    let parts = |text: &str, mark: u8| text.bytes().filter(|byte| *byte == mark).count() as u64 + 1;
    css.split('}').fold(0, |sum: u64, rule| {
        let (selectors, block) = rule.split_once('{').unwrap_or((rule, ""));
        sum.saturating_add(parts(selectors, b',').saturating_mul(parts(block, b';')))
    })
}

/// What stands before a part of a selector.
#[derive(Clone, Copy, PartialEq)]
enum Combinator {
    None,
    Descendant,
    Child,
    Adjacent,
}

/// A part of a selector that is about one element.
struct Compound<'a> {
    combinator: Combinator,
    tests: Vec<Test<'a>>,
}

enum Test<'a> {
    Name(&'a str),
    Attribute(&'a str, AttributeOperator<'a>),
    FirstChild,
}

fn compounds(selector: &str) -> Vec<Compound<'_>> {
    let mut parts = vec![Compound { combinator: Combinator::None, tests: Vec::new() }];
    for token in SelectorTokenizer::from(selector).flatten() {
        let combinator = match token {
            SelectorToken::DescendantCombinator => Combinator::Descendant,
            SelectorToken::ChildCombinator => Combinator::Child,
            SelectorToken::AdjacentCombinator => Combinator::Adjacent,
            _ => Combinator::None,
        };
        if combinator != Combinator::None {
            parts.push(Compound { combinator, tests: Vec::new() });
            continue;
        }
        let test = match token {
            SelectorToken::TypeSelector(name) => Test::Name(name),
            SelectorToken::ClassSelector(class) => {
                Test::Attribute("class", AttributeOperator::Contains(class))
            }
            SelectorToken::IdSelector(id) => Test::Attribute("id", AttributeOperator::Matches(id)),
            SelectorToken::AttributeSelector(name, operator) => Test::Attribute(name, operator),
            SelectorToken::PseudoClass("first-child") => Test::FirstChild,
            // Other states are those of no element of a picture; without them the count is greater.
            _ => continue,
        };
        if let Some(part) = parts.last_mut() {
            part.tests.push(test);
        }
    }
    parts
}

/// The elements of a document, in its order.
struct Elements<'a, 'input> {
    nodes: Vec<Node<'a, 'input>>,
    parents: Vec<Option<usize>>,
    /// The element before each, under the same parent.
    before: Vec<Option<usize>>,
    /// How many elements are above each.
    depths: Vec<u32>,
}

impl<'a, 'input> Elements<'a, 'input> {
    fn new(doc: &'a Document<'input>) -> Self {
        let mut elements = Self { nodes: vec![], parents: vec![], before: vec![], depths: vec![] };
        // By the numbers of the nodes, and the last child so far of each element.
        let mut indices: Vec<Option<usize>> = Vec::new();
        let mut last: Vec<Option<usize>> = Vec::new();
        for node in doc.descendants().filter(Node::is_element) {
            let index = elements.nodes.len();
            let parent =
                node.parent().and_then(|parent| indices.get(parent.id().get_usize()).copied().flatten());
            indices.resize(node.id().get_usize(), None);
            indices.push(Some(index));
            last.push(None);
            elements.before.push(parent.and_then(|parent| last[parent].replace(index)));
            elements.depths.push(parent.map_or(0, |parent| elements.depths[parent] + 1));
            elements.parents.push(parent);
            elements.nodes.push(node);
        }
        elements
    }

    /// The steps that all rules take if each element is matched some times, added to `work`. Where the bound is
    /// within the limit it is the answer.
    fn steps(&self, rules: &[Vec<Compound<'_>>], work: u64, times: u64) -> u64 {
        let weights = self.weights(rules);
        let of_depths = self.of_depths(&weights);
        let bound = |rule: &Vec<Compound<'_>>| Self::bound(rule, &of_depths).saturating_mul(times);
        let bounded = rules.iter().map(bound).fold(work, u64::saturating_add);
        if bounded <= MAX_STYLE_STEPS {
            return bounded;
        }
        // Without ancestors the bound is what a rule takes.
        let (with_ancestors, plain): (Vec<_>, Vec<_>) = rules
            .iter()
            .partition(|rule| rule.iter().any(|compound| compound.combinator == Combinator::Descendant));
        let mut sum = plain.into_iter().map(bound).fold(work, u64::saturating_add);
        for rule in with_ancestors {
            if sum > MAX_STYLE_STEPS {
                break;
            }
            let most = (MAX_STYLE_STEPS - sum) / times;
            sum = sum.saturating_add(self.count(rule, &weights, most).saturating_mul(times));
        }
        sum
    }

    /// The steps that one comparison with each element takes: long attributes take more.
    fn weights(&self, rules: &[Vec<Compound<'_>>]) -> Vec<u64> {
        let mut names: Vec<&str> = Vec::new();
        for test in rules.iter().flatten().flat_map(|compound| &compound.tests) {
            if let Test::Attribute(name, _) = test
                && !names.contains(name)
                && names.len() < 64
            {
                names.push(name);
            }
        }
        let length = |node: &Node<'_, '_>| {
            let tested = node.attributes().filter(|a| names.len() == 64 || names.contains(&a.name()));
            tested.map(|attribute| attribute.value().len()).max().unwrap_or(0)
        };
        self.nodes.iter().map(|node| (1 + length(node) / BYTES_OF_A_STEP) as u64).collect()
    }

    /// The most steps that a selector takes with all elements: every choice of ancestors for its words.
    fn bound(rule: &[Compound<'_>], of_depths: &[u64]) -> u64 {
        let tests = rule.iter().map(|compound| 1 + compound.tests.len() as u64).fold(0, u64::saturating_add);
        let words = rule.iter().filter(|compound| compound.combinator == Combinator::Descendant).count();
        // Choices of at most so many of the ancestors: the sum of the binomials.
        let choices = |depth: u32| {
            let (mut sum, mut term) = (1_u64, 1_u64);
            for word in 1..=words.min(depth as usize) as u64 {
                term = term.saturating_mul(u64::from(depth) + 1 - word) / word;
                sum = sum.saturating_add(term);
            }
            sum
        };
        let of_depth =
            |(depth, weight): (u32, &u64)| weight.saturating_mul(choices(depth).saturating_mul(tests));
        (0..).zip(of_depths).map(of_depth).fold(0, u64::saturating_add)
    }

    /// The sum of the weights of the elements at each depth.
    fn of_depths(&self, weights: &[u64]) -> Vec<u64> {
        let mut sums = vec![0_u64; self.depths.iter().max().map_or(0, |depth| *depth as usize + 1)];
        for (depth, weight) in self.depths.iter().zip(weights) {
            let sum = &mut sums[*depth as usize];
            *sum = sum.saturating_add(*weight);
        }
        sums
    }

    /// The steps that a selector takes with all elements, or more than `most`. Linear in words times elements,
    /// as the steps from an element with the words up to one depend on these two alone.
    fn count(&self, rule: &[Compound<'_>], weights: &[u64], most: u64) -> u64 {
        let count = self.nodes.len();
        // For the words so far: the steps from an element, those from it upwards to the first that matches,
        // whether it matches, and whether it or one above it does.
        let mut steps = vec![0_u64; count];
        let mut upwards = vec![0_u64; count];
        let mut matched = vec![false; count];
        let mut found_above = vec![false; count];
        let (mut next_steps, mut next_matched) = (steps.clone(), matched.clone());
        let mut own = 0_u64;
        for compound in rule {
            for (at, node) in self.nodes.iter().enumerate() {
                let fits = compound.tests.iter().all(|test| test.fits(*node));
                let before = match compound.combinator {
                    Combinator::Adjacent => self.before[at],
                    _ => self.parents[at],
                };
                let (more, found) = match (compound.combinator, before) {
                    (Combinator::None, _) => (0, true),
                    (Combinator::Descendant, Some(parent)) => (upwards[parent], found_above[parent]),
                    (_, Some(before)) => (steps[before], matched[before]),
                    (_, None) => (0, false),
                };
                let tests = weights[at].saturating_mul(1 + compound.tests.len() as u64);
                next_steps[at] = tests.saturating_add(if fits { more } else { 0 });
                next_matched[at] = fits && found;
                own = own.saturating_add(tests);
            }
            std::mem::swap(&mut steps, &mut next_steps);
            std::mem::swap(&mut matched, &mut next_matched);
            for at in 0..count {
                let above = self.parents[at].filter(|_| !matched[at]);
                upwards[at] = steps[at].saturating_add(above.map_or(0, |parent| upwards[parent]));
                found_above[at] = matched[at] || above.is_some_and(|parent| found_above[parent]);
            }
            if own > most {
                return own;
            }
        }
        steps.iter().copied().fold(0, u64::saturating_add)
    }
}

impl Test<'_> {
    fn fits(&self, node: Node<'_, '_>) -> bool {
        match self {
            Test::Name(name) => Xml(node).has_local_name(name),
            Test::Attribute(name, operator) => Xml(node).attribute_matches(name, *operator),
            Test::FirstChild => Xml(node).pseudo_class_matches(simplecss::PseudoClass::FirstChild),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use proptest::prelude::*;
    use simplecss::{PseudoClass, Selector};

    /// Counts each comparison that simplecss makes with a part of a selector.
    struct Counted<'a, 'input>(Xml<'a, 'input>, &'a Cell<u64>);

    impl simplecss::Element for Counted<'_, '_> {
        fn parent_element(&self) -> Option<Self> {
            self.0.parent_element().map(|xml| Counted(xml, self.1))
        }
        fn prev_sibling_element(&self) -> Option<Self> {
            self.0.prev_sibling_element().map(|xml| Counted(xml, self.1))
        }
        fn has_local_name(&self, name: &str) -> bool {
            self.1.set(self.1.get() + 1);
            self.0.has_local_name(name)
        }
        fn attribute_matches(&self, name: &str, operator: AttributeOperator<'_>) -> bool {
            self.0.attribute_matches(name, operator)
        }
        fn pseudo_class_matches(&self, class: PseudoClass<'_>) -> bool {
            self.0.pseudo_class_matches(class)
        }
    }

    fn tree() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec!["<a/>", "<b/>", "<c/>"]).prop_map(str::to_owned);
        leaf.prop_recursive(6, 40, 4, |inside| {
            (prop::sample::select(vec!["a", "b", "c"]), prop::collection::vec(inside, 1..4))
                .prop_map(|(tag, inside)| format!("<{tag}>{}</{tag}>", inside.concat()))
        })
    }

    proptest! {
        #[test]
        fn steps_are_those_of_the_library_and_within_the_bound(
            xml in tree(),
            words in prop::collection::vec(
                (prop::sample::select(vec!["a", "b", "c"]), prop::sample::select(vec![" ", " ", " > ", " + "])), 1..5),
        ) {
            let selector: String = words.iter().enumerate()
                .map(|(at, (name, space))| format!("{}{name}", if at == 0 { "" } else { space })).collect();
            let doc = Document::parse(&xml).unwrap();
            let elements = Elements::new(&doc);
            let rule = compounds(&selector);
            let weights = vec![1; elements.nodes.len()];
            let calls = Cell::new(0);
            let parsed = Selector::parse(&selector).unwrap();
            for node in &elements.nodes {
                parsed.matches(&Counted(Xml(*node), &calls));
            }
            // Two steps a comparison: one for the element, one for its name.
            let counted = elements.count(&rule, &weights, u64::MAX);
            prop_assert_eq!(counted, 2 * calls.get(), "{} in {}", selector, xml);
            prop_assert!(Elements::bound(&rule, &elements.of_depths(&weights)) >= counted);
        }
    }

    fn check_drawing(css: &str, body: &str) -> Result<(), SvgError> {
        let text = format!("<svg>\n<style>{css}</style>{body}</svg>");
        let doc = Document::parse(&text).unwrap();
        let elements = doc.descendants().filter(Node::is_element).count() as u64;
        check(&doc, &text, &LineIndex::new(&text), elements)
    }

    #[test]
    fn style_sheets_that_never_end_are_errors_with_their_place() {
        let deep = format!("{}<path/>{}", "<g>".repeat(90), "</g>".repeat(90));
        let many = "<g class='k'/>".repeat(20_000);
        for (css, body) in [
            (format!("x {}path{{fill:red}}", "* ".repeat(6)), &deep),
            ("a{fill:red}".repeat(20_000), &many),
            (format!("{}a{{{}}}", "a,".repeat(20_000), "b:c;".repeat(20_000)), &deep),
            (".k{fill:red}".repeat(4_000), &format!("<g class='{}'/>", "j ".repeat(2_000_000))),
            ("a{fill:red}</style><style>".repeat(30_000), &deep),
        ] {
            let error = check_drawing(&css, body).unwrap_err();
            assert_eq!(error.place().map(|place| place.line), Some(2), "{}", &css[..css.len().min(40)]);
        }
    }

    #[test]
    fn style_sheets_of_drawing_programs_pass() {
        let classes: String =
            (0..500).map(|n| format!(".cls-{n},.st{n}{{fill:#{n:03};stroke:none}}")).collect();
        let deep = format!("{}{}", "<g>".repeat(90), "</g>".repeat(90));
        let body = format!("<g><g class='a'>{}</g></g>", "<path class='cls-7 st9'/>".repeat(20_000));
        for (css, body) in [
            (classes.as_str(), &body),
            ("svg g .a > path, svg g g g path{fill:red}", &body),
            ("svg g g g.a path{fill:red}", &deep),
        ] {
            assert!(check_drawing(css, body).is_ok(), "{}", &css[..css.len().min(40)]);
        }
    }
}
