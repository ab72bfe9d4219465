//! Compiles sequences (`shots` in the file): names become clips, masks become bones. Errors in the document
//! alone were reported by `check`; here is what needs the compiled clips, above all parents at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use bone_core::clip::{
    Clip, Curve, Extend, Fades, KeepTransform, Key, Layer, SequenceBuilder, SequenceError, SequencePart,
};
use bone_core::spring::Springs;
use bone_core::{BoneId, Skeleton};

use super::Modifiers;
use super::memory::{KeptClip, KeptSequence};
use super::pass::Pass;
use crate::curves::curve;
use crate::diagnostic::Diagnostic;
use crate::doc::{ClipDoc, LayerDoc, Piece, PlayDoc, SequenceDoc};
use crate::schema::content::words;
use crate::span::Span;
use bone_rig::{
    RigClip,
    parts::{ArtTracks, ClipData},
};

/// Bones that are looked at to settle the fades of all shots. A thousand fades of a thousand bones take a
/// thirtieth of it; only a file made to be slow takes more.
const MOST_SETTLED: usize = 30_000_000;

/// A clip that shots can play.
#[derive(Clone, Copy)]
struct CompiledClip<'d> {
    doc: &'d ClipDoc,
    source: &'d Arc<ClipData>,
}

impl Pass<'_> {
    /// The shots, as they are where nothing of them and of their clips was changed. Those that cannot be built
    /// are reported.
    pub(super) fn sequences(
        &mut self,
        skeleton: Option<&Skeleton>,
        modifiers: Modifiers<'_>,
        clips: &[KeptClip],
        last: &[KeptSequence],
    ) -> Vec<KeptSequence> {
        let doc = self.doc;
        // With an error anywhere there is no rig, and a clip may be missing because of it.
        let Some(skeleton) = skeleton.filter(|_| !doc.shots.is_empty() && !self.diagnostics.has_errors())
        else {
            return Vec::new();
        };
        let mut known: BTreeMap<&str, CompiledClip<'_>> = BTreeMap::new();
        for (doc, clip) in doc.clips.iter().zip(clips.iter().map(|kept| &kept.clip)) {
            known.extend(clip.data().map(|source| (clip.name(), CompiledClip { doc, source })));
        }
        let by_name: BTreeMap<&str, &KeptSequence> =
            last.iter().map(|kept| (kept.clip.name(), kept)).collect();
        let mut settled = 0_usize;
        let mut sequences = Vec::new();
        for shot in &doc.shots {
            let words = words(&(doc.fps, shot));
            let before = by_name.get(shot.name.value.as_str()).copied().filter(|_| modifiers.are_same);
            let kept = before.filter(|kept| kept.words == words);
            if let Some(kept) = kept
                && let Some(cost) = kept.settled
                && settled.saturating_add(cost) <= MOST_SETTLED
                && plays(shot, &known, &kept.clip, Arc::ptr_eq)
            {
                self.is_reused = true;
                settled += cost;
                sequences.push(KeptSequence { words, settled: kept.settled, clip: kept.clip.clone() });
                continue;
            }
            let (found_before, settled_before) = (self.findings.len(), settled);
            let built = self.sequence(shot, (skeleton, modifiers.springs), &known, &mut settled);
            let Some(built) = built else {
                self.fault(shot.name.span, "this shot");
                continue;
            };
            self.recompiled.sequences += 1;
            let has_motions = |a: &Arc<ClipData>, b: &Arc<ClipData>| Arc::ptr_eq(&a.motion, &b.motion);
            let clip = match (kept.filter(|kept| plays(shot, &known, &kept.clip, has_motions)), before) {
                (Some(kept), _) => built.with_springs_of(&kept.clip),
                (None, Some(before)) => built.with_springs_after(&before.clip),
                (None, None) => built,
            };
            let is_sound = self.findings.len() == found_before;
            sequences.push(KeptSequence {
                words,
                settled: is_sound.then_some(settled - settled_before),
                clip,
            });
        }
        sequences
    }

    fn sequence(
        &mut self,
        shot: &SequenceDoc,
        (skeleton, springs): (&Skeleton, &Springs),
        clips: &BTreeMap<&str, CompiledClip<'_>>,
        settled: &mut usize,
    ) -> Option<RigClip> {
        let mut sources: Vec<Arc<ClipData>> = Vec::with_capacity(shot.play.len() + shot.layers.len());
        let mut builder = SequenceBuilder::new()
            .looped(shot.is_looped())
            .length(shot.length.map(|length| length.value))
            .step(self.step(shot.step));
        let (mut end, mut cuts) = (0.0, Vec::new());
        let mut parent_changes = ParentChanges::default();
        for play in &shot.play {
            let clip = clips.get(play.clip.value.as_str())?;
            let piece = play.piece(clip.source.motion.time().length)?;
            let fade = play.fades().start;
            if play.cut.is_some_and(|cut| cut.value) {
                cuts.push(end);
            }
            end += piece.length - fade;
            *settled = settled.saturating_add(if fade > 0.0 { skeleton.len() } else { 1 });
            parent_changes.add(clip.doc, skeleton);
            sources.push(Arc::clone(clip.source));
            builder = builder.part(part(play, piece, fade, &clip.source.motion));
        }
        let end = shot.length.map_or(end, |length| length.value);
        for (i, layer) in shot.layers.iter().enumerate() {
            let clip = clips.get(layer.play.clip.value.as_str())?;
            let time = clip.source.motion.time();
            let piece = layer.piece(time.length, time.looped, end)?;
            // Each time in which it is partly there is settled over what is below.
            let times = layer.weight.as_ref().map_or(0, |weight| weight.keys.len()) + 2;
            let named = layer.bones.as_ref().map_or(0, |bones| bones.value.len());
            *settled = settled.saturating_add((times * (i + 3) + named) * skeleton.len());
            if *settled > MOST_SETTLED {
                break;
            }
            let runtime = self::layer(layer, piece, &clip.source.motion, skeleton)?;
            self.lint_layer(layer, &runtime, skeleton, &parent_changes);
            parent_changes.add(clip.doc, skeleton);
            sources.push(Arc::clone(clip.source));
            builder = builder.layer(runtime);
        }
        if *settled > MOST_SETTLED {
            let message = format!("shot \"{}\" has too many fades and layers", shot.name.value);
            self.error(
                shot.name.span,
                message,
                "split the shot, or list fewer bones in the `bones` of its layers",
            );
            return None;
        }
        match builder.build(skeleton) {
            Ok(runtime) if springs.fits(runtime.time()).is_err() => {
                let help = "make the shot shorter, or give fewer bones a spring";
                let message = format!("shot \"{}\" is too long for its springs", shot.name.value);
                self.error(shot.name.span, message, help);
                None
            }
            Ok(runtime) => {
                let time = Some(runtime.time()).filter(|time| time.looped);
                let camera = ArtTracks { lanes: self.camera_lanes(shot.camera.as_ref(), time) };
                let clip = RigClip::from_sequence(shot.name.value.clone(), runtime, sources);
                Some(clip.with_camera(camera).with_cuts(cuts))
            }
            Err(error) => {
                self.sequence_error(shot, &error);
                None
            }
        }
    }

    fn sequence_error(&mut self, shot: &SequenceDoc, error: &SequenceError) {
        let span = |source: usize| -> Span {
            let layer = source.checked_sub(shot.play.len()).and_then(|layer| shot.layers.get(layer));
            let play = shot.play.get(source).or(layer.map(|layer| &layer.play));
            play.map_or(shot.name.span, |play| play.fade.map_or(play.span, |fade| fade.span))
        };
        match error {
            SequenceError::Parents { clip: source, bone } if *source < shot.play.len() => {
                let message = format!(
                    "the parent of bone \"{bone}\" changes during this fade, or differs between its two clips"
                );
                let help = "remove `fade`, or fade at times when the parent is the same bone in both clips";
                self.error(span(*source), message, help);
            }
            SequenceError::Parents { clip: source, bone } => {
                let message = format!(
                    "the parent of bone \"{bone}\" changes in this layer, and the layer does not always have its full weight"
                );
                let help = "remove `fade`, `weight` and `mode: Add`, or list other bones in `bones`";
                self.error(span(*source), message, help);
            }
            SequenceError::Fade { clip: source } => {
                let message = "this fade is longer than what it fades";
                self.error(span(*source), message.to_owned(), "make the fade shorter, or the shot longer");
            }
            SequenceError::Number { clip: source } => {
                self.error(span(*source), format!("this cannot be played: {error}"), "");
            }
            _ => self.error(
                shot.name.span,
                format!("shot \"{}\" cannot be played: {error}", shot.name.value),
                "",
            ),
        }
    }

    /// A layer that does nothing, or that moves what another clip holds something with.
    fn lint_layer(
        &mut self,
        doc: &LayerDoc,
        layer: &Layer,
        skeleton: &Skeleton,
        parent_changes: &ParentChanges,
    ) {
        let moved = moved(layer, skeleton);
        let name = &doc.play.clip.value;
        if let Some(bones) =
            doc.bones.as_ref().filter(|_| moved.is_empty() && !layer.part.clip.tracks().is_empty())
        {
            let diagnostic = Diagnostic::warning(
                "no-effect",
                format!("\"{name}\" has no keys for these bones or their children"),
            );
            self.report(
                bones.span,
                diagnostic.help("name bones that the clip moves; their children are included"),
            );
        }
        if let Some((bone, carrier, clip)) = moved.iter().find_map(|bone| parent_changes.holds(*bone)) {
            let (bone, carrier) = (skeleton.name(bone), skeleton.name(carrier));
            let message = format!("bone \"{bone}\" may jump where its parent changes in \"{clip}\"");
            let help = format!(
                "this layer moves \"{carrier}\", which is an ancestor of it: list other bones in `bones`"
            );
            self.report(doc.play.clip.span, Diagnostic::warning("parent-jumps", message).help(help));
        }
    }
}

/// Whether a shot plays the clips of a sequence.
fn plays(
    shot: &SequenceDoc,
    clips: &BTreeMap<&str, CompiledClip<'_>>,
    sequence: &RigClip,
    is_same: impl Fn(&Arc<ClipData>, &Arc<ClipData>) -> bool,
) -> bool {
    let played = shot.play.iter().chain(shot.layers.iter().map(|layer| &layer.play));
    let sources = played.map(|play| clips.get(play.clip.value.as_str()).map(|clip| clip.source));
    let count = shot.play.len() + shot.layers.len();
    sequence.sources().len() == count
        && sources.zip(sequence.sources()).all(|(own, kept)| own.is_some_and(|own| is_same(own, kept)))
}

/// The bones that a layer moves.
fn moved(layer: &Layer, skeleton: &Skeleton) -> Vec<BoneId> {
    let tracks = layer.part.clip.tracks();
    let keyed = tracks.scalars().map(|track| track.0).chain(tracks.vectors().map(|track| track.0));
    let mut moved: Vec<BoneId> = keyed.chain(layer.part.clip.parents()).collect();
    moved.sort_unstable();
    moved.dedup();
    if let Some(roots) = &layer.bones {
        let mut allowed = vec![false; skeleton.len()];
        // Parents come before their children.
        for bone in skeleton.bones() {
            let above = skeleton.parent(bone).is_some_and(|parent| allowed[parent.index()]);
            allowed[bone.index()] = above;
            if roots.binary_search(&bone).is_ok() {
                allowed[bone.index()] = true;
            }
        }
        moved.retain(|bone| allowed[bone.index()]);
    }
    moved
}

/// The bones that carry what changes dependencies while a clip plays.
#[derive(Default)]
struct ParentChanges {
    /// For each carrier, what it carries and in which clip.
    of: BTreeMap<BoneId, (BoneId, String)>,
    /// The clips that are in it.
    clips: BTreeMap<String, ()>,
}

impl ParentChanges {
    fn add(&mut self, clip: &ClipDoc, skeleton: &Skeleton) {
        if self.clips.insert(clip.name.value.clone(), ()).is_some() {
            return;
        }
        for channels in &clip.bones {
            let Some(bone) = skeleton.find(&channels.bone.value) else { continue };
            let keys = channels.parent.iter().flat_map(|channel| &channel.keys);
            let keeps = |keep: Option<KeepTransform>| keep.unwrap_or_default() == KeepTransform::World;
            let changes = keys.filter(|key| key.time.value > 0.0 && keeps(key.keep.map(|keep| keep.value)));
            let mut changes = changes.peekable();
            if changes.peek().is_none() {
                continue;
            }
            let named = changes.filter_map(|key| skeleton.find(key.parent.value.as_ref()?));
            for parent in named.chain(skeleton.parent(bone)) {
                let mut up = Some(parent);
                // What is there already has brought along all that carries it.
                while let Some(carrier) = up.filter(|carrier| !self.of.contains_key(carrier)) {
                    self.of.insert(carrier, (bone, clip.name.value.clone()));
                    up = skeleton.parent(carrier);
                }
            }
        }
    }

    fn holds(&self, carrier: BoneId) -> Option<(BoneId, BoneId, &str)> {
        self.of.get(&carrier).map(|(bone, clip)| (*bone, carrier, clip.as_str()))
    }
}

fn part(play: &PlayDoc, piece: Piece, fade: f64, clip: &Arc<Clip>) -> SequencePart {
    let Piece { from, speed, length, rounds } = piece;
    let spin = play.spin.is_some_and(|spin| spin.value);
    SequencePart { clip: Arc::clone(clip), from, speed, length, rounds, fade, spin }
}

/// A layer; none if its weight or a bone is unusable, which is reported.
fn layer(doc: &LayerDoc, piece: Piece, clip: &Arc<Clip>, skeleton: &Skeleton) -> Option<Layer> {
    let weight = match &doc.weight {
        Some(weight) => curve(weight, |weight: f64| weight)?,
        None => Curve::new(vec![Key::new(0.0, 1.0)], Extend::Hold).ok()?,
    };
    let bones = doc.bones.as_ref().map(|bones| {
        let found: Option<Vec<BoneId>> = bones.value.iter().map(|bone| skeleton.find(&bone.value)).collect();
        found.map(|mut found| {
            found.sort_unstable();
            found
        })
    });
    let fades = doc.play.fades();
    Some(Layer {
        part: part(&doc.play, piece, 0.0, clip),
        start: doc.start(),
        fades: Fades { start: fades.start, end: fades.end },
        weight,
        blend: doc.mode.map(|mode| mode.value).unwrap_or_default(),
        bones: match bones {
            Some(bones) => Some(bones?),
            None => None,
        },
    })
}
