//! Single values: numbers, texts, pairs, words, lists and maps, each with the message for a value of another
//! type.

use std::fmt::Display;

use bone_core::in_few_digits_beside;
use kurbo::{Point, Vec2};

use crate::diagnostic::Diagnostic;
use crate::doc::{GridPlace, Limits, Region, Rgb, VertexAddress, VertexPart};
use crate::schema::record::{Key, Reader, Slot, Value};
use crate::schema::{Number, One, Pair, Precision, Range, Type};
use crate::span::{Span, Spanned};
use crate::text::{EntryNode, Node, NodeKind, shortened};
use crate::write::NumberHand;

impl Reader<'_> {
    /// `what` is something else than `wanted`. Does nothing if that was reported already.
    pub(super) fn wrong(&mut self, node: &Node, what: &dyn Display, wanted: &str, example: &str) {
        if !matches!(node.kind, NodeKind::Broken) {
            let diagnostic = Diagnostic::error(
                "wrong-type",
                format!("{what} must be {wanted}, and it is {}", node.describe()),
            );
            self.report(node.span, diagnostic.help(format!("write for example {example}")));
        }
    }

    pub(super) fn number(&mut self, node: &Node, what: &dyn Display, example: &str) -> Option<f64> {
        match &node.kind {
            NodeKind::Number(value) => return Some(*value),
            NodeKind::Text(text) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
                let diagnostic = Diagnostic::error(
                    "quotes",
                    format!("{what} is in quotes, and numbers are written without quotes"),
                );
                self.report(node.span, diagnostic.help(format!("write {}", shortened(text.trim()))));
            }
            _ => self.wrong(node, what, "a number", example),
        }
        None
    }

    pub(super) fn text(&mut self, node: &Node, what: &dyn Display, example: &str) -> Option<String> {
        match &node.kind {
            NodeKind::Text(text) => return Some(text.clone()),
            NodeKind::Word(word) => {
                let diagnostic = Diagnostic::error("quotes", format!("{what} has no quotes"));
                self.report(node.span, diagnostic.help(format!("write \"{}\"", shortened(word))));
            }
            _ => self.wrong(node, what, "a text in double quotes", example),
        }
        None
    }

    fn boolean(&mut self, node: &Node, what: &dyn Display) -> Option<bool> {
        let meant = match &node.kind {
            NodeKind::Bool(value) => return Some(*value),
            NodeKind::Word(word) | NodeKind::Text(word) => match word.to_lowercase().as_str() {
                "true" | "yes" | "on" => Some("true"),
                "false" | "no" | "off" => Some("false"),
                _ => None,
            },
            NodeKind::Number(1.0) => Some("true"),
            NodeKind::Number(0.0) => Some("false"),
            _ => None,
        };
        match meant {
            Some(meant) => {
                let message = format!("{what} must be `true` or `false`, and it is {}", node.describe());
                self.report(
                    node.span,
                    Diagnostic::error("wrong-type", message).help(format!("write {meant}")),
                );
            }
            None => self.wrong(node, what, "`true` or `false`", "true"),
        }
        None
    }

    /// `(1, 2)`.
    fn pair(&mut self, node: &Node, what: &dyn Display, example: &str) -> Option<(f64, f64)> {
        match &node.kind {
            NodeKind::Tuple(None, items) => match items.as_slice() {
                [first, second] => {
                    let first = self.number(first, what, "12.5");
                    let second = self.number(second, what, "12.5");
                    return Some((first?, second?));
                }
                items if items.iter().any(|item| matches!(item.kind, NodeKind::Broken)) => {}
                items => {
                    let count = items.len();
                    if let Some((comma, help)) = split_number(items) {
                        self.report(
                            comma,
                            Diagnostic::error("number", "this comma splits a number").help(help),
                        );
                        return None;
                    }
                    let are = if count == 1 { "is" } else { "are" };
                    let message = format!("{what} must be a pair of numbers, and here {are} {count}");
                    self.report(
                        node.span,
                        Diagnostic::error("wrong-count", message)
                            .help(format!("write for example {example}")),
                    );
                }
            },
            NodeKind::List(items) if items.len() == 2 => {
                let diagnostic = Diagnostic::error(
                    "wrong-type",
                    format!("{what} is a pair, and pairs are written in round brackets"),
                );
                let shown = match items.as_slice() {
                    [Node { kind: NodeKind::Number(x), .. }, Node { kind: NodeKind::Number(y), .. }] => {
                        format!("({x}, {y})")
                    }
                    _ => example.to_owned(),
                };
                self.report(node.span, diagnostic.help(format!("write {shown}")));
            }
            NodeKind::Struct(None, fields) if fields.len() == 2 => {
                let diagnostic = Diagnostic::error(
                    "wrong-type",
                    format!("{what} is a pair, and pairs have no field names"),
                );
                self.report(node.span, diagnostic.help(format!("write for example {example}")));
            }
            _ => self.wrong(node, what, "a pair of numbers", example),
        }
        None
    }

    /// One of several words.
    pub(crate) fn word<T: Copy>(
        &mut self,
        node: &Node,
        what: &dyn Display,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let list: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
        self.word_of(node, what, choices, &list.join(", "))
    }

    /// One of several words; `all` lists them, and what else may be written.
    pub(super) fn word_of<T: Copy>(
        &mut self,
        node: &Node,
        what: &dyn Display,
        choices: &[(&str, T)],
        all: &str,
    ) -> Option<T> {
        let help = format!("write one of {all}");
        let (NodeKind::Word(name) | NodeKind::Text(name)) = &node.kind else {
            if !matches!(node.kind, NodeKind::Broken) {
                let message = format!("{what} must be a word, and it is {}", node.describe());
                self.report(node.span, Diagnostic::error("wrong-type", message).help(help));
            }
            return None;
        };
        let choice = choices.iter().find(|(choice, _)| choice == name);
        if matches!(node.kind, NodeKind::Text(_)) && choice.is_some() {
            let diagnostic = Diagnostic::error("quotes", format!("{what} is written without quotes"));
            self.report(node.span, diagnostic.help(format!("write {name}")).replaced(name.as_str()));
            return None;
        }
        if let Some(&(_, value)) = choice {
            return Some(value);
        }
        let diagnostic = Diagnostic::error("unknown-word", format!("{what} cannot be `{}`", shortened(name)))
            .suggest_word(name, choices.iter().map(|&(name, _)| name));
        self.report(node.span, diagnostic.help(help));
        None
    }

    pub(super) fn list<'t>(
        &mut self,
        node: &'t Node,
        what: &dyn Display,
        example: &str,
    ) -> Option<&'t [Node]> {
        match &node.kind {
            NodeKind::List(items) => return Some(items),
            _ => self.wrong(node, what, "a list in square brackets", example),
        }
        None
    }

    pub(super) fn map<'t>(
        &mut self,
        node: &'t Node,
        what: &dyn Display,
        example: &str,
    ) -> Option<&'t [EntryNode]> {
        match &node.kind {
            NodeKind::Map(entries) => return Some(entries),
            NodeKind::Struct(None, _) => {
                let diagnostic = Diagnostic::error(
                    "wrong-type",
                    format!("{what} is in round brackets, and curly brackets are needed here"),
                );
                self.report(node.span, diagnostic.help(format!("write for example {example}")));
            }
            _ => self.wrong(node, what, "a map in curly brackets", example),
        }
        None
    }
}

/// The first comma that stands within a number, and the numbers as they should be. Commas that separate
/// numbers have a blank behind them, unless all have none.
pub(super) fn split_number(items: &[Node]) -> Option<(Span, String)> {
    let number = |item: &Node| if let NodeKind::Number(number) = item.kind { Some(number) } else { None };
    let numbers: Vec<f64> = items.iter().map(number).collect::<Option<_>>()?;
    let glued = |at: usize| {
        let (Some(before), Some(after)) = (items.get(at), items.get(at + 1)) else { return false };
        let whole = |number: Option<&f64>| number.is_some_and(|number| number.fract() == 0.0);
        let digits = numbers.get(at + 1).is_some_and(|number| *number >= 0.0);
        before.span.end + 1 == after.span.start
            && digits
            && whole(numbers.get(at))
            && whole(numbers.get(at + 1))
    };
    let commas: Vec<usize> = (0..items.len().saturating_sub(1)).filter(|at| glued(*at)).collect();
    let first = *commas.first()?;
    if items.len() - commas.len() != 2 || commas.windows(2).any(|pair| pair[1] == pair[0] + 1) {
        return None;
    }
    let (mut right, mut at) = (Vec::new(), 0);
    while let Some(number) = numbers.get(at) {
        let fraction = numbers.get(at + 1).filter(|_| commas.contains(&at));
        right.push(fraction.map_or_else(|| number.to_string(), |fraction| format!("{number}.{fraction}")));
        at += if fraction.is_some() { 2 } else { 1 };
    }
    let (before, after) = (items.get(first)?.span, items.get(first + 1)?.span);
    let help = format!("write decimal numbers with a point: ({})", right.join(", "));
    Some((Span::new(before.end, after.start), help))
}

impl<T: Value> Value for Spanned<T> {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        T::read(reader, node, slot).map(|value| Self::new(value, node.span))
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        self.value.write(hand, of)
    }
}

impl Value for bool {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        reader.boolean(node, slot.what)
    }

    fn write(&self, _: NumberHand, _: &Type) -> Node {
        Node::new(NodeKind::Bool(*self))
    }
}

/// The only version.
impl Value for u32 {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let version = reader.number(node, slot.what, slot.example)?;
        if version != 1.0 {
            let message = format!(
                "{} is {}, and this program reads only version 1",
                slot.what,
                in_few_digits_beside(version, &[1.0])
            );
            reader.report(node.span, Diagnostic::error("version", message).help("write version: 1"));
            return None;
        }
        Some(1)
    }

    fn write(&self, _: NumberHand, _: &Type) -> Node {
        Node::number(f64::from(*self))
    }
}

impl Value for f64 {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let number = reader.number(node, slot.what, slot.example)?;
        reader.in_range(&[number], node, slot);
        Some(number)
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        let precision = if let Type::Number(number) = of { number.precision } else { Precision::Share };
        Node::number(hand.number(*self, precision))
    }
}

/// What is written as two numbers.
trait TwoNumbers: Copy {
    fn of(pair: (f64, f64)) -> Self;
    fn pair(self) -> (f64, f64);

    /// The same as it is written.
    fn in_hand(self, _: NumberHand) -> Self {
        self
    }
}

macro_rules! two_numbers {
    ($($Type:ty { $first:tt, $second:tt } = $make:expr $(, $in_hand:item)?;)*) => {
        $(
            impl TwoNumbers for $Type {
                fn of((first, second): (f64, f64)) -> Self {
                    $make(first, second)
                }

                fn pair(self) -> (f64, f64) {
                    (self.$first, self.$second)
                }

                $($in_hand)?
            }
        )*
    };
}

two_numbers! {
    (f64, f64) { 0, 1 } = |first, second| (first, second);
    Point { x, y } = Point::new, fn in_hand(self, hand: NumberHand) -> Self { hand.position(self) };
    Vec2 { x, y } = Vec2::new;
    Limits { least, most } = |least, most| Limits { least, most };
    Region { start, tip } = |start, tip| Region { start, tip };
    crate::doc::Fade { start, end } = |start, end| crate::doc::Fade { start, end };
}

impl<T: TwoNumbers> Value for T {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let pair = match (slot.of, &node.kind) {
            (Type::Pair(Pair { one: Some(One::Both), .. }), NodeKind::Number(both)) => (*both, *both),
            (Type::Pair(Pair { one: Some(One::First), .. }), NodeKind::Number(first)) => (*first, 0.0),
            (Type::Pair(Pair { one: Some(One::Second), .. }), NodeKind::Number(second)) => (0.0, *second),
            (Type::Pair(Pair { one: Some(One::Halves), .. }), NodeKind::Number(sum)) => {
                (0.5 * sum, 0.5 * sum)
            }
            (Type::Pair(Pair { one: Some(_), .. }), kind) if !matches!(kind, NodeKind::Tuple(None, _)) => {
                reader.wrong(node, slot.what, "a number or a pair of numbers", slot.example);
                return None;
            }
            (Type::Number(_), _) => (reader.number(node, slot.what, slot.example)?, 0.0),
            _ => reader.pair(node, slot.what, slot.example)?,
        };
        match (slot.of, &node.kind) {
            // As it is written.
            (Type::Pair(Pair { one: Some(One::Halves), .. }), NodeKind::Number(sum)) => {
                reader.in_range(&[*sum], node, slot);
            }
            _ => reader.in_range(&[pair.0, pair.1], node, slot),
        }
        Some(T::of(pair))
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        let (first, second) = self.in_hand(hand).pair();
        let (precision, one) = match of {
            Type::Pair(Pair { precision, one: Some(One::Both), .. }) => {
                (precision, (first == second).then_some(first))
            }
            Type::Pair(Pair { precision, one: Some(One::First), .. }) => {
                (precision, (second == 0.0).then_some(first))
            }
            Type::Pair(Pair { precision, one: Some(One::Second), .. }) => {
                (precision, (first == 0.0).then_some(second))
            }
            Type::Pair(Pair { precision, one: Some(One::Halves), .. }) => {
                (precision, (first == second).then_some(first + second))
            }
            Type::Number(Number { precision, .. }) => (precision, Some(first)),
            Type::Pair(Pair { precision, one: None, .. }) => (precision, None),
            _ => (&Precision::Place, None),
        };
        let number = |value: f64| Node::number(hand.number(value, *precision));
        one.map_or_else(|| Node::tuple(vec![number(first), number(second)]), number)
    }
}

impl Value for String {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        match slot.of {
            Type::Text(text) if text.shown == "path" => reader.path(node, slot),
            Type::Text(text) => match &node.kind {
                NodeKind::List(items) if !text.one.is_empty() => match items.as_slice() {
                    [one] => <Self as Value>::read(reader, one, slot),
                    [] => {
                        let error = Diagnostic::error("empty", format!("{} is empty", slot.what));
                        reader.report(node.span, error.help(format!("write for example {}", slot.example)));
                        None
                    }
                    several => {
                        let (what, count) = (slot.what, several.len());
                        let message = format!("{what} is the name of one path, and {count} are listed");
                        reader.report(node.span, Diagnostic::error("wrong-count", message).help(text.one));
                        None
                    }
                },
                _ => reader.text(node, slot.what, slot.example),
            },
            _ => reader.text(node, slot.what, slot.example),
        }
    }

    fn write(&self, _: NumberHand, _: &Type) -> Node {
        Node::new(NodeKind::Text(self.clone()))
    }
}

impl Value for Rgb {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let text = reader.text(node, slot.what, slot.example)?;
        if let Ok(color) = text.parse() {
            return Some(color);
        }
        let message = format!("{} is not a colour: \"{}\"", slot.what, shortened(&text));
        let opaque = text.strip_prefix('#').and_then(|hex| match hex.len() {
            4 => hex.get(..3),
            8 => hex.get(..6),
            _ => None,
        });
        let help = match opaque {
            Some(hex) => {
                format!("write \"#{hex}\", and key `fill_opacity` or `stroke_opacity` for how solid it is")
            }
            None => "write \"#rgb\", \"#rrggbb\" or a colour's name of CSS, as \"tomato\"".to_owned(),
        };
        reader.report(node.span, Diagnostic::error("wrong-type", message).help(help));
        None
    }

    fn write(&self, _: NumberHand, _: &Type) -> Node {
        Node::new(NodeKind::Text(self.to_string()))
    }
}

/// A name, or `None`.
impl Value for Option<String> {
    fn read(reader: &mut Reader<'_>, node: &Node, slot: &Slot<'_>) -> Option<Self> {
        let node = node.inner();
        match node.kind {
            NodeKind::None => Some(None),
            _ => reader.text(node, slot.what, &format!("{}, or None", slot.example)).map(Some),
        }
    }

    fn write(&self, hand: NumberHand, of: &Type) -> Node {
        self.as_ref().map_or_else(|| Node::new(NodeKind::None), |name| Value::write(name, hand, of))
    }
}

impl Reader<'_> {
    /// Reports the first number that is out of the range of its type.
    fn in_range(&mut self, numbers: &[f64], node: &Node, slot: &Slot<'_>) {
        let (range, precision, help) = match slot.of {
            Type::Pair(Pair { range, precision, help, .. }) => (*range, *precision, *help),
            Type::Number(Number { range, precision, help, .. }) => (*range, *precision, *help),
            _ => (Range::Any, Precision::Place, ""),
        };
        if let Some(wrong) = numbers.iter().find(|number| !range.holds(**number)) {
            let rule = range.rule(if precision == Precision::Time { " seconds" } else { "" });
            let is = if range == Range::NotZero {
                String::new()
            } else {
                format!(", and it is {}", in_few_digits_beside(*wrong, &range.ends()))
            };
            let error = Diagnostic::error("out-of-range", format!("{} must {rule}{is}", slot.what));
            self.report(node.span, if help.is_empty() { error } else { error.help(help) });
        }
    }

    /// The path of a file.
    fn path(&mut self, node: &Node, slot: &Slot<'_>) -> Option<String> {
        let path = self.text(node, slot.what, slot.example)?;
        if path.trim().is_empty() {
            let diagnostic = Diagnostic::error("empty", format!("{} is empty", slot.what));
            self.report(node.span, diagnostic.help(format!("write {}", slot.example)));
            return None;
        }
        if path.contains(char::is_control) {
            // `C:\new\tree.svg` holds a line break and a tab.
            let diagnostic = Diagnostic::error("path", "this path contains a line break, a tab or the like");
            let help = "`\\n` and `\\t` are special characters: write paths with `/`";
            self.report(node.span, diagnostic.help(help));
            return None;
        }
        Some(path)
    }
}

impl Key for String {
    fn read(reader: &mut Reader<'_>, node: &Node, of: &str) -> Option<Spanned<Self>> {
        if let NodeKind::Word(word) = &node.kind {
            // It is as good as a name once it is reported, and others may refer to it.
            let diagnostic = Diagnostic::error("quotes", format!("the name of this {of} has no quotes"));
            reader.report(node.span, diagnostic.help(format!("write \"{}\"", shortened(word))));
            return Some(Spanned::new(word.clone(), node.span));
        }
        let name = reader.text(node, &format!("the name of this {of}"), "\"hip\"")?;
        if name.is_empty() {
            reader.report(node.span, Diagnostic::error("empty", format!("the name of this {of} is empty")));
            return None;
        }
        Some(Spanned::new(name, node.span))
    }

    fn show(&self, of: &str) -> String {
        format!("{of} \"{}\"", shortened(self))
    }

    fn write(&self) -> Node {
        Node::new(NodeKind::Text(self.clone()))
    }
}

/// The items of lists have none.
impl Key for () {
    fn read(_: &mut Reader<'_>, node: &Node, _: &str) -> Option<Spanned<Self>> {
        Some(Spanned::new((), node.span))
    }

    fn show(&self, _: &str) -> String {
        String::new()
    }

    fn write(&self) -> Node {
        Node::new(NodeKind::None)
    }
}

impl Key for VertexAddress {
    /// `3`, `"3.in"` or `"3.out"`.
    fn read(reader: &mut Reader<'_>, node: &Node, _: &str) -> Option<Spanned<Self>> {
        let address = match &node.kind {
            NodeKind::Broken => return None,
            NodeKind::Number(value) if value.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(value) => {
                Some(Self { vertex: *value as u32, part: VertexPart::Anchor })
            }
            NodeKind::Text(text) => Self::parse(text),
            _ => None,
        };
        if address.is_none() {
            let message = format!("{} is not a vertex", node.describe());
            let help = "write the number of a vertex, from 0; its tangents are \"3.in\" and \"3.out\"";
            reader.report(node.span, Diagnostic::error("wrong-type", message).help(help));
        }
        address.map(|address| Spanned::new(address, node.span))
    }

    fn show(&self, _: &str) -> String {
        format!("vertex {}", Self::show(*self))
    }

    fn write(&self) -> Node {
        match self.part {
            VertexPart::Anchor => Node::number(f64::from(self.vertex)),
            _ => Node::new(NodeKind::Text(Self::show(*self))),
        }
    }
}

/// `(1, 1)` or `3`.
impl Key for GridPlace {
    fn read(reader: &mut Reader<'_>, node: &Node, _: &str) -> Option<Spanned<Self>> {
        let number = |node: &Node| if let NodeKind::Number(number) = node.kind { Some(number) } else { None };
        let numbers: Option<Vec<f64>> = match &node.kind {
            NodeKind::Broken => return None,
            NodeKind::Tuple(None, items) | NodeKind::List(items) => items.iter().map(number).collect(),
            _ => number(node).map(|number| vec![number]),
        };
        // As JSON and serde have it.
        let text = || if let NodeKind::Text(text) = &node.kind { Self::parse(text) } else { None };
        let place = numbers.and_then(Self::new).or_else(text);
        if place.is_none() {
            let message = format!("{} is not a place of a grid", node.describe());
            let help = "write its numbers in round brackets: (1, 1)";
            reader.report(node.span, Diagnostic::error("wrong-type", message).help(help));
        }
        place.map(|place| Spanned::new(place, node.span))
    }

    fn show(&self, _: &str) -> String {
        format!("place {}", Self::show(self))
    }

    fn write(&self) -> Node {
        match self.0.as_slice() {
            [one] => Node::number(*one),
            numbers => Node::new(NodeKind::Tuple(None, numbers.iter().map(|n| Node::number(*n)).collect())),
        }
    }
}

/// The number of a stop of a gradient, or of a place of ink.
impl Key for u32 {
    fn read(reader: &mut Reader<'_>, node: &Node, _: &str) -> Option<Spanned<Self>> {
        let number = match &node.kind {
            NodeKind::Broken => return None,
            NodeKind::Number(value) if value.fract() == 0.0 && (0.0..f64::from(u32::MAX)).contains(value) => {
                Some(*value as u32)
            }
            _ => None,
        };
        if number.is_none() {
            let message = format!("{} is not the number of a stop or a place", node.describe());
            let help = "write its number in the list, from 0";
            reader.report(node.span, Diagnostic::error("wrong-type", message).help(help));
        }
        number.map(|number| Spanned::new(number, node.span))
    }

    fn show(&self, _: &str) -> String {
        format!("number {}", self)
    }

    fn write(&self) -> Node {
        Node::number(f64::from(*self))
    }
}
