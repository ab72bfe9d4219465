//! Bindings: bones that exist, weights in range, no art bound twice.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{
    BindingDoc, ClipFollow, FoldRule, FollowDoc, PaintDoc, PaintOptionsDoc, StrokeDoc, WeightsDoc,
};
use crate::span::Span;
use crate::text::shortened;

/// Strokes that even shares out cost the square of their number.
const MOST_SMOOTHED: usize = 64;

impl Checker<'_, '_> {
    pub(super) fn skin(&mut self) {
        let mut bound: BTreeMap<&str, Span> = BTreeMap::new();
        for binding in &self.doc.skin {
            let title = binding.title();
            let name = shortened(&title);
            let mut listed: BTreeMap<&str, Span> = BTreeMap::new();
            for art in binding.names() {
                let name = shortened(&art.value);
                if let Some(first) = listed.insert(&art.value, art.span) {
                    let place = self.place(first);
                    let diagnostic =
                        Diagnostic::error("duplicate", format!("art \"{name}\" is in this list twice"));
                    self.error(art.span, diagnostic.related(place, "first here"));
                } else if let Some(&first) = bound.get(art.value.as_str()) {
                    let place = self.place(first);
                    let diagnostic = Diagnostic::error("duplicate", format!("art \"{name}\" is bound twice"));
                    self.error(art.span, diagnostic.related(place, "first here"));
                } else {
                    bound.insert(&art.value, art.span);
                }
                if art.value.trim().is_empty() {
                    self.error(art.span, Diagnostic::error("empty", "`art` of this binding is empty"));
                }
            }
            match binding {
                BindingDoc::Rigid(rigid) => {
                    self.refer(&rigid.bone, &format!("art \"{name}\" is bound to bone"));
                }
                BindingDoc::Smooth(smooth) => {
                    self.paint_options(&smooth.paint_options, name.as_ref());
                    let bones = smooth.bones.as_ref().map_or(self.doc.bones.len(), |bones| bones.value.len());
                    self.folds(&smooth.follow, bones, name.as_ref());
                    let named = smooth.bones.as_ref();
                    for bone in named.iter().flat_map(|bones| &bones.value) {
                        self.refer(bone, &format!("`bones` of the binding of art \"{name}\" names"));
                    }
                    if let Some(bones) = named.filter(|bones| bones.value.is_empty()) {
                        let message = format!("`bones` of the binding of art \"{name}\" is empty");
                        let help =
                            "name the bones that the art may follow, or remove `bones` to use all bones";
                        self.error(bones.span, Diagnostic::error("empty", message).help(help));
                    }
                    smooth.brush.iter().for_each(|stroke| self.stroke(stroke, name.as_ref()));
                    let evening = smooth.brush.iter().filter(|stroke| stroke.smooth.is_some());
                    if let Some(beyond) = evening.clone().nth(MOST_SMOOTHED) {
                        let message = format!(
                            "{} strokes on art \"{name}\" even shares out, and {MOST_SMOOTHED} are the most",
                            evening.count()
                        );
                        let help = "each looks at all before it: take some out, or type the weights (`render-frames weights`)";
                        self.error(beyond.span, Diagnostic::error("too-many", message).help(help));
                    }
                }
                BindingDoc::Puppet(puppet) => {
                    self.paint_options(&puppet.paint_options, name.as_ref());
                    self.puppet(puppet, name.as_ref());
                }
                BindingDoc::Explicit(explicit) => {
                    self.paint_options(&explicit.paint_options, name.as_ref());
                    let rows = explicit.weights.iter().map(|row| &row.weights).chain(&explicit.others);
                    let bones = rows.flat_map(|row| &row.list).map(|(bone, _)| bone.value.as_str());
                    self.folds(&explicit.follow, bones.collect::<BTreeSet<_>>().len(), name.as_ref());
                    if let Some(clip) =
                        explicit.paint_options.clip.filter(|clip| clip.value == ClipFollow::Follow)
                    {
                        let message =
                            format!("the clip path of art \"{name}\" has no weights, so it cannot follow");
                        let help = "bind the path of the clip path by its name, or write clip: Still";
                        self.error(clip.span, Diagnostic::error("not-possible-here", message).help(help));
                    }
                    for row in &explicit.weights {
                        let vertex_of = format!("vertex {} of art \"{name}\"", row.vertex.value.show());
                        self.weights(&row.weights, &vertex_of);
                    }
                    if let Some(others) = &explicit.others {
                        self.weights(others, &format!("`others` of art \"{name}\""));
                    }
                    if explicit.weights.is_empty() && explicit.others.is_none() && explicit.complete {
                        let diagnostic = Diagnostic::error(
                            "missing-field",
                            format!("the binding of art \"{name}\" has no weights"),
                        );
                        self.error(
                            explicit.span,
                            diagnostic.help("add weights for its vertices, or add `others`"),
                        );
                    }
                }
            }
        }
    }

    /// A stroke on the weights of a binding.
    fn stroke(&mut self, stroke: &StrokeDoc, art: &str) {
        for bone in stroke.bone.iter().chain(stroke.lock.iter().flatten()) {
            self.refer(bone, &format!("a stroke on art \"{art}\" names"));
        }
        if !stroke.complete {
            return;
        }
        let example = "write (bone: \"fore.L\", add: 0.3, width: 14, at: [(214, 196), (230, 226)])";
        let wrong = match (&stroke.bone, stroke.add, stroke.smooth) {
            (Some(_), Some(_), None) | (None, None, Some(_)) => None,
            (_, None, None) => Some(("missing-field", "has neither `add` nor `smooth`", stroke.span)),
            (_, Some(_), Some(smooth)) => {
                Some(("conflicting-fields", "has both `add` and `smooth`", smooth.span))
            }
            (None, Some(add), None) => Some(("missing-field", "adds a share, but names no `bone`", add.span)),
            (Some(bone), None, Some(_)) => {
                let what = "evens out the shares of all bones, so `bone` has no effect; `lock` keeps some";
                Some(("conflicting-fields", what, bone.span))
            }
        };
        if let Some((code, what, span)) = wrong {
            let message = format!("a stroke on art \"{art}\" {what}");
            self.error(span, Diagnostic::error(code, message).help(example));
        }
        if stroke.at.is_empty() {
            let message = format!("a stroke on art \"{art}\" has no points");
            self.error(stroke.span, Diagnostic::error("empty", message).help(example));
        }
    }

    /// The `folds` of a binding to so many bones.
    fn folds(&mut self, follow: &FollowDoc, bones: usize, art: &str) {
        if let Some(folds) = follow.folds.filter(|folds| folds.value == FoldRule::Hide && bones == 1) {
            let message = format!("`folds: Hide` hides nothing of art \"{art}\": it follows one bone");
            let help = "remove `folds`, or bind the art to several bones";
            self.error(folds.span, Diagnostic::warning("no-effect", message).help(help));
        }
    }

    /// The `paint` of a binding.
    fn paint_options(&mut self, paint_options: &PaintOptionsDoc, art: &str) {
        if let PaintDoc::Bone(bone) = &paint_options.paint {
            self.refer(bone, &format!("`paint` of art \"{art}\" follows bone"));
        }
    }

    pub(super) fn weights(&mut self, weights: &WeightsDoc, owner: &str) {
        let mut sum = 0.0;
        for (bone, weight) in &weights.list {
            self.refer(bone, &format!("{owner} has a weight for bone"));
            sum += weight.value;
        }
        if !weights.complete || weights.list.iter().any(|(_, weight)| weight.value < 0.0) {
            return;
        }
        if weights.list.is_empty() {
            let diagnostic = Diagnostic::error("empty", format!("{owner} has no weights"));
            self.error(weights.span, diagnostic.help("write for example {\"hip\": 0.6, \"chest\": 0.4}"));
        } else if sum == 0.0 {
            let diagnostic = Diagnostic::error("no-weight", format!("the weights of {owner} are all 0"));
            self.error(weights.span, diagnostic.help("give at least one bone a weight above 0"));
        } else if !sum.is_finite() {
            self.error(
                weights.span,
                Diagnostic::error("out-of-range", format!("the weights of {owner} are too large")),
            );
        }
    }
}
