//! Springs: bones that exist, each in one spring, and numbers in range.

use std::collections::BTreeMap;

use kurbo::Vec2;

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{Joint, SpringDoc, StopDoc, WindDoc};
use crate::span::Span;
use crate::text::shortened;

impl Checker<'_, '_> {
    pub(super) fn springs(&mut self) {
        let doc = self.doc;
        let mut seen: BTreeMap<usize, Span> = BTreeMap::new();
        for spring in &doc.springs {
            for name in spring.names() {
                let Some(bone) = self.refer(name, "this spring names bone") else { continue };
                if let Some(first) = seen.insert(bone, name.span) {
                    let message = format!("bone \"{}\" is in two springs", shortened(&name.value));
                    let diagnostic =
                        Diagnostic::error("duplicate", message).related(self.place(first), "first here");
                    self.error(name.span, diagnostic);
                }
                let joint = doc.bones.get(bone).and_then(|bone| bone.joint);
                if let Some(joint) = joint.filter(|joint| matches!(joint.value, Joint::Slide | Joint::Fixed))
                {
                    let message = format!(
                        "bone \"{}\" does not rotate, so a spring cannot move it",
                        shortened(&name.value)
                    );
                    let diagnostic = Diagnostic::warning("no-effect", message);
                    let place = self.place(joint.span);
                    self.error(
                        name.span,
                        diagnostic.related(place, "its joint").help(
                            "give the bone `joint: Pin` or `joint: Free`, or remove it from the spring",
                        ),
                    );
                }
            }
            self.parameters(spring);
        }
    }

    /// Whether there are bones, and whether the numbers are in range.
    fn parameters(&mut self, spring: &SpringDoc) {
        let head = Span::new(spring.span.start, (spring.span.start + 1).min(spring.span.end));
        match (&spring.chain, &spring.bones) {
            (Some(chain), Some(_)) => {
                let error =
                    Diagnostic::error("conflicting-fields", "this spring has both `chain` and `bones`");
                self.error(
                    chain.span,
                    error.help("keep one of them, and write another spring for the other"),
                );
            }
            (None, None) if spring.complete => {
                let error = Diagnostic::error("missing-field", "this spring has no `chain` and no `bones`");
                self.error(
                    head,
                    error.help(
                        "add chain: \"hair_1\" for this bone and all its children, or bones: [\"hair_1\"]",
                    ),
                );
            }
            (None, Some(bones)) if spring.complete && bones.is_empty() => {
                self.error(head, Diagnostic::warning("empty", "`bones` of this spring is empty"));
            }
            _ => {}
        }
        if let Some(wind) = &spring.wind {
            self.wind(wind);
        }
        if let Some(stop) = &spring.stop {
            self.stop(spring, stop);
        }
        let pulled = spring.gravity.is_some_and(|gravity| gravity.value != Vec2::ZERO);
        if let Some(stiffness) = spring.stiffness.filter(|stiffness| stiffness.value == 0.0 && !pulled) {
            let warning = Diagnostic::warning(
                "no-effect",
                "`stiffness` is 0 and there is no `gravity`, so these bones do not return to their pose",
            );
            self.error(stiffness.span, warning.help("add gravity: 1000, or write stiffness: 0.5 or more"));
        }
    }

    /// Whether it blows, and whether what is given about eddies can be seen.
    fn wind(&mut self, wind: &WindDoc) {
        if wind.force.value == Vec2::ZERO {
            let warning = Diagnostic::warning("no-effect", "this wind has no `force`, so it moves nothing");
            self.error(wind.force.span, warning.help("write force: (600, 0), or remove the wind"));
            return;
        }
        let Some(_) = wind.turbulence.filter(|turbulence| turbulence.value == 0.0) else { return };
        for (field, given) in [("eddies", wind.eddies), ("speed", wind.speed)] {
            let Some(given) = given else { continue };
            let message = format!("`turbulence` is 0, so `{field}` has no effect");
            let warning = Diagnostic::warning("no-effect", message);
            self.error(given.span, warning.help(format!("write turbulence: 0.5, or remove `{field}`")));
        }
    }

    /// Whether it is a circle or a line, and whether the bone that carries it exists and is not moved by the
    /// spring.
    fn stop(&mut self, spring: &SpringDoc, stop: &StopDoc) {
        match (stop.radius, stop.to) {
            (Some(_), Some(to)) => {
                let error = Diagnostic::error("conflicting-fields", "this stop has both `radius` and `to`");
                self.error(to.span, error.help("keep `radius` for a circle, or `to` for a line"));
            }
            (None, None) if stop.complete => {
                let error = Diagnostic::error("missing-field", "this stop has no `radius` and no `to`");
                self.error(
                    stop.at.span,
                    error.help("add radius: 45 for a circle, or to: (600, 300) for a line"),
                );
            }
            (None, Some(to)) if to.value == stop.at.value => {
                let error = Diagnostic::error("no-length", "this line ends where it starts");
                self.error(to.span, error.help("write a place to the right of `at`, to stay above the line"));
            }
            _ => {}
        }
        let Some(name) = &stop.bone else { return };
        let Some(carrier) = self.refer(name, "this stop names bone") else { return };
        let parents = self.setup_parents();
        let mut moved: Vec<usize> =
            spring.bones.iter().flatten().filter_map(|n| self.index(&n.value)).collect();
        moved.extend(spring.chain.as_ref().and_then(|name| self.index(&name.value)));
        // A cycle of parents is reported elsewhere.
        let above = std::iter::successors(Some(carrier), |bone| parents.get(*bone).copied().flatten());
        if above.take(parents.len()).any(|bone| moved.contains(&bone)) {
            let message =
                format!("bone \"{}\" is moved by the spring that its stop holds", shortened(&name.value));
            let error = Diagnostic::error("not-possible-here", message);
            self.error(name.span, error.help("name the bone that carries the spring, or leave out `bone`"));
        }
    }
}
