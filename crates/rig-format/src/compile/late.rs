//! Which drivers work after the constraints: those that read what a constraint moves, so that an elbow which a hand bends
//! from its goal is corrected as one that is keyed. A driver that also moves what constraints build on cannot wait; it is
//! reported.

use std::collections::BTreeSet;

use bone_core::{BoneId, Skeleton};

use super::Compiler;
use crate::diagnostic::Diagnostic;
use crate::text::shortened;
use rig::{RigDriver, parts::Constraints};

impl Compiler<'_> {
    pub(super) fn late_drivers(
        &mut self,
        skeleton: &Skeleton,
        rules: &Constraints,
        drivers: &mut [RigDriver],
    ) {
        // Where one could not be read, the places in the document are not those of the list.
        let docs = Some(&self.doc.drivers).filter(|docs| docs.len() == drivers.len());
        let mut late: BTreeSet<BoneId> = BTreeSet::new();
        let mut ground: BTreeSet<BoneId> = BTreeSet::new();
        for constraint in &rules.constraints {
            let moves = constraint.rule.bones_written(skeleton);
            for bone in moves.iter().copied().chain(constraint.rule.bones_read()) {
                let mut at = Some(bone);
                // What a bone hangs on is known once it has been seen.
                while let Some(bone) = at.filter(|bone| ground.insert(*bone)) {
                    at = skeleton.parent(bone);
                }
            }
            late.extend(moves);
        }
        let mut waiting = Vec::new();
        for (which, driver) in drivers.iter_mut().enumerate() {
            let read = driver.motion.bone();
            if !late.contains(&read) {
                continue;
            }
            match driver.motion.driven().find(|bone| ground.contains(bone)) {
                Some(bone) => waiting.push((which, read, bone)),
                None => {
                    driver.after_constraints = true;
                    late.extend(driver.motion.driven());
                }
            }
        }
        for (which, read, bone) in waiting {
            let Some(doc) = docs.map(|docs| &docs[which]) else { continue };
            let (span, read, bone) = (doc.bone.span, skeleton.name(read), skeleton.name(bone));
            let message = format!(
                "this driver reads \"{}\" before a constraint moves it: it moves \"{}\", on which constraints build",
                shortened(read),
                shortened(bone)
            );
            let help = "let another driver move that bone; what is left works after the constraints, and sees what they do";
            self.report(span, Diagnostic::warning(message).help(help));
        }
    }
}
