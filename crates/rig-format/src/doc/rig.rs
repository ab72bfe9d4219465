//! The whole of a document.

use super::any_binding::BindingDoc;
use super::binding::FollowDoc;
use super::constraint::{ConstraintDoc, ConstraintKind};
use super::controls::SliderDoc;
use super::ink::InkDoc;
use super::machines::MachineDoc;
use super::masks::MaskDoc;
use super::motion::{ClipDoc, DriverDoc};
use super::outfits::OutfitDoc;
use super::poses::{PoseDoc, PosedArtDoc};
use super::scene::{STAGE, StagedActor};
use super::sequences::SequenceDoc;
use super::skeleton::BoneDoc;
use super::springs::SpringDoc;
use super::warps::{FormsDoc, WarpDoc};
use crate::diagnostic::Place;
use crate::schema::types::{PATH, RATE};
use crate::schema::{self, Change, Title, Type, record};
use crate::span::{SourceId, Span, Spanned};
use bone_core::mirrored_name;
use bone_drawing::ArtProperty;

record! {
    /// A rig file. A part that could not be read is left out, and `complete` is then false.
    pub struct RigDoc = "Rig", Title::This("the rig"), "Rig(version: 1, drawing: \"hero.svg\", …)" {
        /// The text it was read from.
        source: SourceId,
        /// The whole of `Rig( … )`.
        span: Span,
        /// Where the included files are in its spans, in their order. Without any all spans are in its own text.
        parts: Vec<PartDoc>,
        /// Whether it was a scene.
        is_scene: bool,
        /// The actors of a scene; none in a rig.
        actors: Vec<StagedActor>,
        /// Whether every bone and clip name of its own text is here.
        own_names: bool = true,
        /// Whether every bone and clip name is here, those of what it includes, too. If not, a name that is
        /// missing may still exist.
        complete: bool = true,
    }
    seen |doc, span, complete| (doc.span, doc.own_names) = (span, doc.own_names && complete);
    fields {
        /// The version of this format.
        opt version: Spanned<u32> = (Type::Version, "1");
        /// The SVG file, relative to the rig.
        opt drawing: Spanned<String> = (PATH, "\"hero.svg\"") also ["svg", "image", "file", "art"];
        /// Other files with bones, clips and so on: see [Several files](#several-files).
        def include: Vec<Spanned<String>> = (INCLUDES, "none", "[\"skeleton.ron\"]")
            also ["includes", "import", "imports"];
        /// Frames a second, unless an option gives another rate.
        opt fps: Spanned<f64> = (RATE, "24", "30") also ["framerate", "frame_rate"];
        /// How art that bends follows its bones, unless a binding has its own options.
        flat follow: FollowDoc = (("tolerance", Change::Default("a 4000th of the drawing's longer side, at most 0.25")), ("blend", Change::Default("`AreaPreserving`")), ("folds", Change::Default("`Clean`")));
        /// The skeletons.
        def bones: Vec<BoneDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "bone" }, of: &Type::Record(BoneDoc::TABLE), each: "this bone" },
            "none", "{\"nose\": (parent: \"hip\", length: 9)}"
        ) also ["skeleton", "joints", "armature"];
        /// Numbers without a bone: see [Slider](#slider).
        def sliders: Vec<SliderDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "slider" }, of: &Type::Record(SliderDoc::TABLE), each: "this slider" },
            "none", "{\"smile\": (range: (-1, 1))}"
        ) also ["controls", "parameters", "params"];
        /// Which art follows which bones.
        def skin: Vec<BindingDoc> = (
            Type::List { of: &Type::Variants(BindingDoc::VARIANTS), each: "this binding" },
            "none", "[Rigid(art: \"head\", bone: \"chest\")]"
        ) also ["slots", "bindings", "attachments", "skins"];
        /// Strokes whose width changes along their path: see [Ink](#ink).
        def ink: Vec<InkDoc> = (
            Type::Map { key: schema::Key::Name { shown: "art name", of: "art" }, of: &Type::Record(InkDoc::TABLE), each: "this ink" },
            "that of the drawing", "{\"brow.L\": (at: [(0, 1), (0.4, 6), (1, 0)])}"
        ) also ["inks", "widths"];
        /// Art that is seen only inside or outside of other art: see [Masks](#masks).
        def masks: Vec<MaskDoc> = (
            Type::List { of: &Type::Record(MaskDoc::TABLE), each: "this mask" },
            "none", "[(art: \"nose\", by: \"face\")]"
        ) also ["clips_by", "stencils"];
        /// Lattices that bend art before its bones: see [Lattices](#lattices).
        def warps: Vec<WarpDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "warp" }, of: &Type::Record(WarpDoc::TABLE), each: "this warp" },
            "none", "{\"head\": (art: \"face\", cells: (3, 3))}"
        ) also ["lattices"];
        /// What lattices and vertices do at values of sliders: see [Lattices](#lattices).
        def forms: Vec<FormsDoc> = (
            Type::List { of: &Type::Record(FormsDoc::TABLE), each: "these forms" },
            "none", "[(by: [\"yaw\"], at: {30: (warps: {\"head\": {(1, 1): (9, 0)}})})]"
        );
        /// Values of bones and sliders that drive bones, vertices and art, in every clip.
        def drivers: Vec<DriverDoc> = (
            Type::List { of: &Type::Record(DriverDoc::TABLE), each: "this driver" },
            "none", "[(bone: \"fore.L\", bones: {\"chest\": (rotate: [(0, 0), (90, 5)])})]"
        );
        /// What holds for bones besides their keys, in every clip.
        def constraints: Vec<ConstraintDoc> = (
            Type::List { of: &Type::Variants(ConstraintKind::VARIANTS), each: "this constraint" },
            "none", "[Aim(bone: \"head\", target: (320, 90))]"
        );
        /// Bones with secondary motion, in every clip.
        def springs: Vec<SpringDoc> = (
            Type::List { of: &Type::Record(SpringDoc::TABLE), each: "this spring" }, "none", "[(chain: \"fore.L\")]"
        ) also ["physics", "dynamics"];
        /// Values of bones and art by a name, which clips use.
        def poses: Vec<PoseDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "pose" }, of: &Type::Record(PoseDoc::TABLE), each: "this pose" },
            "none", "{\"nod\": (bones: {\"head\": (rotate: 20)})}"
        );
        /// The movements.
        def clips: Vec<ClipDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "clip" }, of: &Type::Record(ClipDoc::TABLE), each: "this clip" },
            "none", "{\"nod\": (bones: {\"head\": (rotate: [(0, 0), (1, 20)])})}"
        ) also ["animations", "animation", "actions"];
        /// Sequences of clips: one after the other, with fades and layers.
        def shots: Vec<SequenceDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "shot" }, of: &Type::Record(SequenceDoc::TABLE), each: "this shot" },
            "none", "{\"intro\": (play: [\"walk\", \"walk\"])}"
        ) also ["sequences", "scenes"];
        /// Which clips play in a program, and when others take over: see [State machines](#state-machines).
        def machines: Vec<MachineDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "machine" }, of: &Type::Record(MachineDoc::TABLE), each: "this machine" },
            "none", "{\"hero\": (states: {\"walk\": (clip: \"walk\")})}"
        ) also ["state_machines"];
        /// What the figure can wear: see [Outfits](#outfits).
        def outfits: Vec<OutfitDoc> = (
            Type::Map { key: schema::Key::Name { shown: "name", of: "outfit" }, of: &Type::Record(OutfitDoc::TABLE), each: "this outfit" },
            "none", "{\"winter\": (show: [\"cape\"])}"
        ) also ["costumes"];
        /// The outfits that it wears unless an option or a program gives others. They are put on in this order.
        def wear: Vec<Spanned<String>> = (
            Type::List { of: &schema::types::OUTFIT, each: "an outfit" }, "none", "[\"winter\"]"
        );
    }
}

const INCLUDES: Type = Type::List { of: &PATH, each: "a file in `include`" };

/// An included file in the spans of a whole document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartDoc {
    /// The place of its first byte.
    pub base: u32,
    /// Its text.
    pub source: SourceId,
}

impl RigDoc {
    /// Which bytes of which file a span of this document means.
    pub fn place(&self, span: Span) -> Place {
        let part = self.parts.iter().rev().find(|part| part.base <= span.start);
        part.map_or(Place::new(self.source, span), |part| Place::new(part.source, span.back(part.base)))
    }

    /// Whether it was read from a text. One that a program made has no places.
    pub fn is_written(&self) -> bool {
        !self.span.is_empty()
    }

    /// The greatest default of `tolerance`.
    pub const TOLERANCE: f64 = 0.25;

    /// The default of `tolerance` as a share of the drawing's longer side: 0.25 of 1000.
    pub const SHARE: f64 = 0.25e-3;

    /// The default of `fps`.
    pub const FPS: f64 = 24.0;

    /// The bone of this name. Looks through all of them.
    pub fn bone(&self, name: &str) -> Option<&BoneDoc> {
        self.bones.iter().find(|bone| bone.name.value == name)
    }

    /// The clip of this name. Looks through all of them.
    pub fn clip(&self, name: &str) -> Option<&ClipDoc> {
        self.clips.iter().find(|clip| clip.name.value == name)
    }

    /// What has the keys of a clip or of a shot: the clip itself, or of a shot of a scene the one with what the scene
    /// does in it. None of a shot of a rig.
    pub fn keyed(&self, name: &str) -> Option<&ClipDoc> {
        self.clip(name).or_else(|| {
            let own = self.clips.iter().find(|clip| self.shot_of(&clip.name.value) == Some(name));
            own.filter(|_| self.shots.iter().any(|shot| shot.name.value == name))
        })
    }

    /// The shot of a scene whose keys a clip has.
    pub fn shot_of<'n>(&self, clip: &'n str) -> Option<&'n str> {
        clip.strip_suffix(STAGE).filter(|_| self.is_scene)
    }
}

impl RigDoc {
    /// The names of all art whose shape changes, each with that of a shape, in their order.
    pub(crate) fn shapes(&self) -> Vec<(String, String)> {
        let clips = self.clips.iter().map(|clip| (&clip.art, clip.half.is_some()));
        let keyed = clips.chain(self.drivers.iter().map(|driver| (&driver.art, false)));
        let keyed =
            keyed.flat_map(|(arts, turns)| arts.iter().map(move |art| (&art.art, &art.values, turns)));
        let posed = self.posed_art().map(|art| (&art.art, &art.values.0, true));
        let partner = |name: &str| mirrored_name(name).map_or(name.to_owned(), |(_, other)| other);
        let mut all = Vec::new();
        for (art, values, turns) in keyed.chain(posed) {
            for (shape, _) in values.shape(ArtProperty::Shape).into_iter().flat_map(|channel| channel.names())
            {
                all.push((art.value.clone(), shape.to_owned()));
                // Also with its sides changed.
                if turns {
                    all.push((partner(&art.value), partner(shape)));
                }
            }
        }
        all
    }

    /// The values of art of poses and outfits.
    pub(crate) fn posed_art(&self) -> impl Iterator<Item = &PosedArtDoc> + Clone {
        let outfits = self.outfits.iter().flat_map(|outfit| &outfit.art);
        self.poses.iter().flat_map(|pose| &pose.art).chain(outfits)
    }

    /// The art that clips, drivers and outfits may show although the drawing hides it: what the drawing has to be read
    /// with.
    pub fn showable(&self) -> bone_render::Showable {
        let clips = self.clips.iter().flat_map(|clip| &clip.art);
        let all = || clips.clone().chain(self.drivers.iter().flat_map(|driver| &driver.art));
        let names = |with: ArtProperty| {
            let own = all().filter(|art| art.values.get(with).is_some()).map(|art| art.art.value.clone());
            let posed =
                self.posed_art().filter(|art| art.values.0.get(with).is_some()).map(|art| &art.art.value);
            // Poses may be used with their sides changed.
            let posed = posed
                .flat_map(|art| mirrored_name(art).map(|(_, other)| other).into_iter().chain([art.clone()]));
            own.chain(posed).collect()
        };
        let lines = self.bones.iter().filter_map(|bone| bone.line.as_ref()).map(|line| line.value.clone());
        let shapes = self.shapes().into_iter().map(|(_, shape)| shape);
        let masking = self.masks.iter().map(|mask| mask.by.value.clone());
        let worn = self.outfits.iter().flat_map(OutfitDoc::shown).map(|art| art.value.clone());
        let mut elements: Vec<String> = names(ArtProperty::Visible);
        elements.extend(worn);
        bone_render::Showable {
            elements,
            children_of: names(ArtProperty::Switch),
            outlines: lines.chain(shapes).chain(masking).collect(),
            texts: self.texts(),
        }
    }

    /// The texts whose words clips, drivers and poses change, and all their words.
    fn texts(&self) -> Vec<(String, Vec<String>)> {
        let own = self.clips.iter().flat_map(|clip| &clip.art);
        let own = own.chain(self.drivers.iter().flat_map(|driver| &driver.art));
        let own = own.map(|art| (&art.art.value, &art.values));
        let all = own.chain(self.posed_art().map(|art| (&art.art.value, &art.values.0)));
        let keyed = all.filter_map(|(art, values)| Some((art, values.name(ArtProperty::Text)?)));
        let mut texts: Vec<(String, Vec<String>)> = Vec::new();
        for (art, channel) in keyed {
            let words: Vec<String> = channel.keys.iter().filter_map(|key| key.value.value.clone()).collect();
            // Poses may be used with their sides changed.
            texts.extend(mirrored_name(art).map(|(_, other)| (other, words.clone())));
            texts.push((art.clone(), words));
        }
        texts
    }
}
