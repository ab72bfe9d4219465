//! Springs: bones that exist, each in one spring, and numbers with which they can swing.

use std::collections::BTreeMap;

use kurbo::Vec2;

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{Joint, SpringDoc};
use crate::span::{Span, Spanned};
use crate::text::shortened;

impl Checker<'_, '_> {
    pub(super) fn springs(&mut self) {
        let doc = self.doc;
        let mut seen: BTreeMap<usize, Span> = BTreeMap::new();
        for spring in &doc.springs {
            for name in spring.names() {
                let Some(bone) = self.refer(name, "this spring swings") else { continue };
                if let Some(first) = seen.insert(bone, name.span) {
                    let message = format!("bone \"{}\" is in a spring already", shortened(&name.value));
                    let diagnostic = Diagnostic::error(message).related(self.place(first), "first here");
                    self.error(name.span, diagnostic);
                }
                let joint = doc.bones.get(bone).and_then(|bone| bone.joint);
                if let Some(joint) = joint.filter(|joint| matches!(joint.value, Joint::Slide | Joint::Fixed))
                {
                    let message =
                        format!("bone \"{}\" cannot swing: its joint does not turn", shortened(&name.value));
                    let diagnostic = Diagnostic::warning(message);
                    let place = self.place(joint.span);
                    self.error(
                        name.span,
                        diagnostic
                            .related(place, "its joint")
                            .help("springs turn bones with `joint: Pin` or `Free`"),
                    );
                }
            }
            self.swinging(spring);
        }
    }

    /// Whether there is something to swing, and whether it can.
    fn swinging(&mut self, spring: &SpringDoc) {
        let head = Span::new(spring.span.start, (spring.span.start + 1).min(spring.span.end));
        match (&spring.chain, &spring.bones) {
            (Some(chain), Some(_)) => {
                let error = Diagnostic::error("a spring has either `chain` or `bones`, not both");
                self.error(chain.span, error.help("write the second one as a spring of its own"));
            }
            (None, None) if spring.complete => {
                let error = Diagnostic::error("this spring does not say what swings");
                self.error(
                    head,
                    error.help("add chain: \"hair_1\" for that bone and all on it, or bones: [\"hair_1\"]"),
                );
            }
            (None, Some(bones)) if spring.complete && bones.is_empty() => {
                self.error(head, Diagnostic::warning("this spring swings no bones"));
            }
            _ => {}
        }
        let least = |value: Option<Spanned<f64>>, least: f64, most: f64| {
            value.filter(|value| !(least..=most).contains(&value.value))
        };
        let ranges = [
            (least(spring.stiffness, 0.0, f64::MAX), "`stiffness`", "is 0 or more swings a second", "2"),
            (least(spring.damping, 0.0, f64::MAX), "`damping`", "is 0 or more", "0.2"),
            (least(spring.mass, 1e-6, 1e6), "`mass`", "lies between 0.000001 and 1000000", "1"),
            (least(spring.mix, 0.0, 1.0), "`mix`", "lies between 0 and 1", "1"),
        ];
        for (value, name, range, example) in ranges {
            if let Some(value) = value {
                let error = Diagnostic::error(format!("{name} {range}, and not {}", value.value));
                self.error(
                    value.span,
                    error.help(format!("write {}: {example}, or leave it out", name.trim_matches('`'))),
                );
            }
        }
        if let Some(gravity) = spring.gravity.filter(|gravity| gravity.value.hypot() > 1e9) {
            self.error(
                gravity.span,
                Diagnostic::error("`gravity` is too strong").help("1000 pulls as the ground does"),
            );
        }
        let pulled = spring.gravity.is_some_and(|gravity| gravity.value != Vec2::ZERO);
        if let Some(stiffness) = spring.stiffness.filter(|stiffness| stiffness.value == 0.0 && !pulled) {
            let warning =
                Diagnostic::warning("with `stiffness` 0 and no `gravity` nothing brings these bones back");
            self.error(stiffness.span, warning.help("add gravity: 1000, or a stiffness of 0.5 or more"));
        }
    }
}
