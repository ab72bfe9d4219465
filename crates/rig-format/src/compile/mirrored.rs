//! Warns about keys that mirror a part of a filled path.

use bone_core::{Pose, Skeleton, WorldPose};
use drawing::PosedArt;
use kurbo::Vec2;
use skin::{Skin, SkinMatrices};

use super::Pass;
use super::memory::KeptClip;
use crate::diagnostic::Diagnostic;
use crate::doc::Key;
use crate::text::shortened;

/// The greatest number of keys of a clip that are looked at.
const KEYS: usize = 1000;

impl Pass<'_> {
    /// Reports the first key of each bone in each clip that mirrors a part of a filled path, as the keys alone
    /// pose the bones.
    pub(super) fn lint_mirrored_parts(
        &mut self,
        skeleton: &Skeleton,
        (skin, posed): (&Skin, &[PosedArt]),
        clips: &[KeptClip],
    ) {
        let doc = self.doc;
        let mirrors = |key: &&Key<Vec2>| key.value.value.x * key.value.value.y < 0.0;
        let (mut pose, mut world) = (Pose::new(skeleton), WorldPose::new(skeleton));
        let mut matrices = SkinMatrices::new(skeleton);
        // A clip that cannot be played is an error, so that both lists have the same clips.
        for (clip, kept) in doc.clips.iter().zip(clips) {
            let mut left = KEYS;
            for channels in &clip.bones {
                let keys = channels.scale.iter().flat_map(|scale| &scale.keys).filter(mirrors);
                for key in keys.take(left) {
                    left -= 1;
                    pose.reset(skeleton);
                    kept.motion.motion.sample(skeleton, key.time.value, &mut pose);
                    if world.forward(skeleton, &pose).is_err() {
                        continue;
                    }
                    matrices.update(skeleton, &pose, &world);
                    let mut paths = skin.paths().zip(posed);
                    let Some((_, art)) = paths.find(|(path, _)| skin.is_partly_mirrored(*path, &matrices))
                    else {
                        continue;
                    };
                    let (art, bone) = (self.art.shown_name(art.element()), &channels.bone.value);
                    let message = format!(
                        "art \"{}\" is mirrored only in part when bone \"{}\" is: it has no fill where its parts overlap",
                        shortened(&art),
                        shortened(bone)
                    );
                    let help = "cut the art in two at the joint and bind what is mirrored by itself, or mirror all of its bones";
                    self.report(key.value.span, Diagnostic::warning("mirrored-part", message).help(help));
                    break;
                }
            }
        }
    }
}
