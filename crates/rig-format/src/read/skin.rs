//! Bindings: which art follows which bones, and with what weights.
//! Whether the bones exist is for `check`, whether the art does for whoever has the drawing.

use crate::diagnostic::{Diagnostic, nearest};
use crate::doc::{
    ArtNames, BindingDoc, Blend, ClipFollow, ExplicitDoc, FollowDoc, Method, PaintDoc, PaintOptionsDoc,
    RigidDoc, SmoothDoc, Stroke, VertexWeightsDoc, WeightsDoc,
};
use crate::read::Reader;
use crate::read::fields::Fields;
use crate::span::{Span, Spanned};
use crate::text::{EntryNode, Node, NodeKind, shortened};

const KINDS: [&str; 3] = ["Rigid", "Smooth", "Explicit"];

/// Kinds that other tools have: here they are methods of `Smooth`.
const METHODS: [&str; 4] = ["Envelope", "Heat", "Biharmonic", "Auto"];

impl Reader<'_> {
    pub(super) fn binding(&mut self, node: &Node) -> Option<BindingDoc> {
        let name = match &node.kind {
            NodeKind::Struct(name, _) | NodeKind::Tuple(name, _) => name.as_deref(),
            NodeKind::Broken => return None,
            _ => {
                self.wrong(
                    node,
                    "this binding",
                    "`Rigid(…)`, `Smooth(…)` or `Explicit(…)`",
                    "Rigid(art: \"head\", bone: \"chest\")",
                );
                return None;
            }
        };
        let Some(name) = name else {
            let span = Span::new(node.span.start, node.span.start + 1);
            let diagnostic = Diagnostic::error("this binding has no kind");
            self.report(span, diagnostic.help("write `Rigid(`, `Smooth(` or `Explicit(`"));
            return None;
        };
        match name.value.as_str() {
            "Rigid" => self.rigid(node),
            "Smooth" => self.smooth(node),
            "Explicit" => self.explicit(node),
            other => {
                let shown = shortened(other);
                let mut diagnostic = Diagnostic::error(format!("there is no binding `{shown}`"));
                if METHODS.contains(&other) {
                    let help = "write Smooth(art: \"arm\", bones: [\"upper\", \"fore\"], method: Heat)";
                    self.report(name.span, diagnostic.help(help));
                    return None;
                }
                if let Some(near) = nearest(other, KINDS) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                let help = "write `Rigid` for one bone, `Smooth` for computed weights, or `Explicit` for your own weights";
                self.report(name.span, diagnostic.help(help));
                None
            }
        }
    }

    fn rigid(&mut self, node: &Node) -> Option<BindingDoc> {
        let example = "Rigid(art: \"head\", bone: \"chest\")";
        let mut fields = self.fields(node, "this binding", example, &["art", "bone"])?;
        let art = self.required(&mut fields, "art", "art: \"head\"");
        let art = art.and_then(|node| self.art_names(node, "\"head\""));
        let bone = self.required(&mut fields, "bone", "bone: \"chest\"");
        let bone = bone.and_then(|node| self.text(node, "`bone`", "\"chest\""));
        Some(BindingDoc::Rigid(RigidDoc { span: node.span, art: art?, bone: bone? }))
    }

    fn smooth(&mut self, node: &Node) -> Option<BindingDoc> {
        let example = "Smooth(art: \"arm\", bones: [\"upper\", \"fore\"])";
        let known = ["art", "bones", "method", "tolerance", "blend", "paint", "stroke", "clip"];
        let mut fields = self.fields(node, "this binding", example, &known)?;
        let art = self.required(&mut fields, "art", "art: \"arm\"");
        let art = art.and_then(|node| self.art_names(node, "\"arm\""));
        let bones = fields.take("bones").and_then(|node| {
            let items = self.list(node, "`bones`", "[\"upper\", \"fore\"]")?;
            let names =
                items.iter().filter_map(|item| self.text(item, "a bone of this binding", "\"upper\""));
            Some(Spanned::new(names.collect(), node.span))
        });
        let method = fields.take("method").and_then(|node| {
            let choices = [
                ("Nearest", Method::Nearest),
                ("Envelope", Method::Envelope),
                ("Heat", Method::Heat),
                ("Biharmonic", Method::Biharmonic),
            ];
            self.word(node, "`method`", &choices)
        });
        let follow = self.follow(&mut fields);
        let paint_options = self.paint_options(&mut fields);
        Some(BindingDoc::Smooth(SmoothDoc {
            span: node.span,
            art: art?,
            bones,
            method,
            follow,
            paint_options,
        }))
    }

    /// One name, or a list of names.
    fn art_names(&mut self, node: &Node, example: &str) -> Option<ArtNames> {
        let NodeKind::List(items) = &node.kind else {
            return self.text(node, "`art`", example).map(ArtNames::from);
        };
        let names: Vec<Spanned<String>> =
            items.iter().filter_map(|item| self.text(item, "a name in `art`", example)).collect();
        // A list of which nothing could be read was reported, name by name.
        (names.is_empty() == items.is_empty()).then_some(ArtNames { span: node.span, names })
    }

    /// The art of an `Explicit` binding: vertices belong to one path.
    fn one_name(&mut self, node: &Node) -> Option<Spanned<String>> {
        let NodeKind::List(items) = &node.kind else { return self.text(node, "`art`", "\"cape\"") };
        match items.as_slice() {
            [one] => self.text(one, "`art`", "\"cape\""),
            items => {
                let (message, help) = match items.len() {
                    0 => ("`art` of this binding is empty".to_owned(), "write art: \"cape\""),
                    count => (
                        format!("`Explicit` has the weights of one path, and {count} are listed"),
                        "write one `Explicit` for each path, or bind all of them together with `Smooth`",
                    ),
                };
                self.report(node.span, Diagnostic::error(message).help(help));
                None
            }
        }
    }

    /// `tolerance` and `blend`, of the rig or of a binding.
    pub(super) fn follow(&mut self, fields: &mut Fields<'_>) -> FollowDoc {
        let tolerance = fields.take("tolerance").and_then(|node| self.number(node, "`tolerance`", "0.25"));
        let blend = fields.take("blend").and_then(|node| {
            let choices = [
                ("Linear", Blend::Linear),
                ("AreaPreserving", Blend::AreaPreserving),
                ("RotationCenters", Blend::RotationCenters),
            ];
            self.word(node, "`blend`", &choices)
        });
        FollowDoc { tolerance, blend }
    }

    /// `paint`, `stroke` and `clip` of a binding.
    fn paint_options(&mut self, fields: &mut Fields<'_>) -> PaintOptionsDoc {
        let paint = fields.take("paint").and_then(|node| self.paint(node)).unwrap_or_default();
        let stroke = fields.take("stroke").and_then(|node| {
            self.word(node, "`stroke`", &[("Constant", Stroke::Constant), ("Uniform", Stroke::Uniform)])
        });
        let clip = fields.take("clip").and_then(|node| {
            self.word(node, "`clip`", &[("Follow", ClipFollow::Follow), ("Still", ClipFollow::Still)])
        });
        PaintOptionsDoc { paint, stroke, clip }
    }

    /// `Follow`, `Still` or `Bone("chest")`.
    fn paint(&mut self, node: &Node) -> Option<PaintDoc> {
        let help = "write one of `Follow`, `Still`, `Bone(\"chest\")`";
        match &node.kind {
            NodeKind::Tuple(Some(name), items) if name.value == "Bone" => match items.as_slice() {
                [bone] => return self.text(bone, "the bone of `paint`", "\"chest\"").map(PaintDoc::Bone),
                _ => {
                    let message = "`Bone` of `paint` needs one bone".to_owned();
                    self.report(
                        node.span,
                        Diagnostic::error(message).help("write for example Bone(\"chest\")"),
                    );
                }
            },
            NodeKind::Word(word) | NodeKind::Text(word) if word == "Bone" => {
                let message = "`Bone` of `paint` has no bone".to_owned();
                self.report(node.span, Diagnostic::error(message).help("write for example Bone(\"chest\")"));
            }
            NodeKind::Word(word) | NodeKind::Text(word) if !["Follow", "Still"].contains(&word.as_str()) => {
                let mut diagnostic = Diagnostic::error(format!("`paint` cannot be `{}`", shortened(word)));
                if let Some(near) = nearest(word, ["Follow", "Still", "Bone"]) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                self.report(node.span, diagnostic.help(help));
            }
            NodeKind::Word(_) | NodeKind::Text(_) => {
                let choices = [("Follow", false), ("Still", true)];
                let still = self.word(node, "`paint`", &choices)?;
                return Some(if still.value { PaintDoc::Still } else { PaintDoc::Follow });
            }
            NodeKind::Broken => {}
            _ => {
                let message = format!("`paint` must be a word, and it is {}", node.describe());
                self.report(node.span, Diagnostic::error(message).help(help));
            }
        }
        None
    }

    fn explicit(&mut self, node: &Node) -> Option<BindingDoc> {
        let example = "Explicit(art: \"cape\", weights: {0: {\"chest\": 1}})";
        let known = ["art", "weights", "others", "tolerance", "blend", "paint", "stroke", "clip"];
        let mut fields = self.fields(node, "this binding", example, &known)?;
        let art = self.required(&mut fields, "art", "art: \"cape\"");
        let art = art.and_then(|node| self.one_name(node));
        let weights = self.required(&mut fields, "weights", "weights: {0: {\"chest\": 1}}");
        let others = fields.take("others");
        let follow = self.follow(&mut fields);
        let paint_options = self.paint_options(&mut fields);
        let mut complete = fields.complete;
        let others = others.and_then(|node| {
            let others = self.weights(node, "`others`");
            complete &= others.is_some();
            others
        });
        let entries = weights.and_then(|node| self.map(node, "`weights`", "{0: {\"chest\": 1}}"))?;
        let mut rows = Vec::with_capacity(entries.len());
        for EntryNode { key, value } in entries {
            let vertex = self.address(key);
            let weights = self.weights(value, "the weight of a vertex");
            complete &= vertex.is_some() && weights.is_some();
            rows.extend(vertex.zip(weights));
        }
        let rows = self.once(rows, |address| format!("vertex {}", address.show()));
        let weights =
            rows.into_iter().map(|(vertex, weights)| VertexWeightsDoc { vertex, weights }).collect();
        Some(BindingDoc::Explicit(ExplicitDoc {
            span: node.span,
            art: art?,
            weights,
            others,
            follow,
            paint_options,
            complete,
        }))
    }

    /// `{"hip": 0.6, "chest": 0.4}`.
    pub(super) fn weights(&mut self, node: &Node, what: &str) -> Option<WeightsDoc> {
        let entries = self.map(node, what, "{\"hip\": 0.6, \"chest\": 0.4}")?;
        let mut list = Vec::with_capacity(entries.len());
        let mut complete = true;
        for EntryNode { key, value } in entries {
            let bone = self.key_text(key, "bone");
            let weight = self.number(value, "this weight", "0.5");
            complete &= bone.is_some() && weight.is_some();
            list.extend(bone.zip(weight));
        }
        let list = self.once(list, |bone| format!("the weight of bone \"{}\"", shortened(bone)));
        Some(WeightsDoc { span: node.span, list, complete })
    }
}
