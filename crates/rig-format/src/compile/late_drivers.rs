//! Which drivers are evaluated after the constraints: those that read a bone that a constraint moves.
//! A driver that also moves a bone that constraints read cannot be evaluated after them; it is reported.

use std::collections::BTreeSet;

use bone_core::{BoneId, Skeleton};

use super::pass::Pass;
use crate::diagnostic::Diagnostic;
use crate::text::shortened;
use bone_rig::{RigDriver, parts::Constraints};

impl Pass<'_> {
    pub(super) fn late_drivers(
        &mut self,
        skeleton: &Skeleton,
        constraints: &Constraints,
        drivers: &mut [RigDriver],
    ) {
        // Where one could not be read, the places in the document are not those of the list.
        let docs = Some(&self.doc.drivers).filter(|docs| docs.len() == drivers.len());
        let mut late: BTreeSet<BoneId> = BTreeSet::new();
        let mut needed: BTreeSet<BoneId> = BTreeSet::new();
        for constraint in &constraints.constraints {
            let moves = constraint.rule.bones_written(skeleton);
            for bone in moves.iter().copied().chain(constraint.rule.bones_read()).chain(constraint.on) {
                let mut at = Some(bone);
                // The ancestors of a bone in the set are in the set too.
                while let Some(bone) = at.filter(|bone| needed.insert(*bone)) {
                    at = skeleton.parent(bone);
                }
            }
            late.extend(moves);
        }
        let mut waiting = Vec::new();
        for (which, driver) in drivers.iter_mut().enumerate() {
            let source = driver.motion.source();
            let Some((read, _)) = source.filter(|(bone, _)| late.contains(bone)) else { continue };
            match driver.motion.driven().find(|bone| needed.contains(bone)) {
                Some(bone) => waiting.push((which, read, bone)),
                None => {
                    driver.after_constraints = true;
                    late.extend(driver.motion.driven());
                }
            }
        }
        for (which, read, bone) in waiting {
            let Some(doc) = docs.map(|docs| &docs[which]) else { continue };
            let span = doc.source().map_or(doc.span, |name| name.span);
            let (read, bone) = (skeleton.name(read), skeleton.name(bone));
            let message = format!(
                "this driver reads \"{}\" before a constraint moves it: it cannot run after the constraints, because it moves \"{}\", which constraints need",
                shortened(read),
                shortened(bone)
            );
            let help =
                "move that bone in another driver; the rest of this driver then runs after the constraints";
            self.report(span, Diagnostic::warning("order", message).help(help));
        }
    }
}
