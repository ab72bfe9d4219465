//! Compiles springs. Values out of range were reported by `check`.

use bone_core::spring::{Spring, Springs, Stop, StopShape, Wind};
use bone_core::{BoneId, Skeleton};

use super::pass::Pass;
use crate::doc::{SpringDoc, StopDoc, WindDoc};

impl Pass<'_> {
    pub(super) fn springs(&mut self, skeleton: &Skeleton) -> Springs {
        let mut chosen: Vec<Option<&SpringDoc>> = vec![None; skeleton.len()];
        // Outer chains first, so that inner ones win; what is listed by name wins over all.
        let doc = self.doc;
        let mut chains: Vec<(BoneId, &SpringDoc)> = Vec::new();
        for spring in &doc.springs {
            let chain = spring.chain.as_ref().and_then(|name| self.named_bone(name, skeleton));
            chains.extend(chain.map(|bone| (bone, spring)));
        }
        chains.sort_by_key(|(bone, _)| *bone);
        for (chain, spring) in chains {
            for bone in skeleton.subtree(chain) {
                chosen[bone.index()] = Some(spring);
            }
        }
        for spring in &doc.springs {
            for name in spring.bones.iter().flatten() {
                if let Some(bone) = self.named_bone(name, skeleton) {
                    chosen[bone.index()] = Some(spring);
                }
            }
        }
        let springs =
            skeleton.bones().zip(chosen).filter_map(|(bone, doc)| Some(spring(skeleton, bone, doc?)));
        Springs::new(skeleton, springs.collect()).unwrap_or_else(|_| {
            let span = self.doc.springs.first().map_or(self.doc.span, |spring| spring.span);
            self.fault(span, "a spring of this rig");
            Springs::default()
        })
    }
}

fn spring(skeleton: &Skeleton, bone: BoneId, doc: &SpringDoc) -> Spring {
    let default = Spring::new(bone);
    Spring {
        bone,
        mass: doc.mass.map_or(default.mass, |mass| mass.value),
        stiffness: doc.stiffness.map_or(default.stiffness, |stiffness| stiffness.value),
        damping: doc.damping.map_or(default.damping, |damping| damping.value),
        gravity: doc.gravity.map_or(default.gravity, |gravity| gravity.value),
        wind: doc.wind.as_ref().map(wind),
        stop: doc.stop.as_ref().and_then(|doc| stop(skeleton, doc)),
        mix: doc.mix.map_or(default.mix, |mix| mix.value),
    }
}

fn wind(doc: &WindDoc) -> Wind {
    let default = Wind::steady(doc.force.value);
    Wind {
        turbulence: doc.turbulence.map_or(0.5, |turbulence| turbulence.value),
        eddies: doc.eddies.map_or(default.eddies, |eddies| eddies.value),
        speed: doc.speed.map_or(default.speed, |speed| speed.value),
        ..default
    }
}

/// None without a shape, or with a bone that is missing: `check` reports both.
fn stop(skeleton: &Skeleton, doc: &StopDoc) -> Option<Stop> {
    let shape = match (doc.radius, doc.to) {
        (Some(radius), _) => StopShape::Circle { centre: doc.at.value, radius: radius.value },
        (None, Some(to)) => StopShape::Line { from: doc.at.value, to: to.value },
        (None, None) => return None,
    };
    let carrier = match &doc.bone {
        Some(name) => Some(skeleton.find(&name.value)?),
        None => None,
    };
    Some(Stop { shape, carrier })
}
