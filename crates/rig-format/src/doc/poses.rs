//! Poses by name, and what clips do with them, as they were written.

use bone_core::clip::{BoneProperty, LayerBlend};
use bone_drawing::ArtProperty;

use super::channels::SingleValues;
use super::keys::{Channel, POSE_KEYS};
use crate::schema::types::{OF_ART, OF_BONES, POSE, POSE_WEIGHT};
use crate::schema::{Key, Title, Type, entry, record};
use crate::span::Spanned;

entry! {
    /// A pose: values of bones and art.
    pub struct PoseDoc = "Pose", Title::Named("pose"), "(bones: {\"finger.L\": (rotate: 80)})";
    fields {
        /// How bones are.
        def bones: Vec<PosedBoneDoc> = (POSED_BONES, "none", "{\"fore.L\": (rotate: 80)}");
        /// How art is.
        def art: Vec<PosedArtDoc> = (POSED_ART, "none", "{\"palm.L\": (switch: \"closed\")}");
    }
}

record! {
    /// How one bone is in a pose.
    pub struct PosedBoneDoc = "PosedBone", Title::EntryFor("bone"), "(rotate: 80)" {
        /// Which bone.
        bone: Spanned<String>,
    }
    named bone;
    fields {
        /// Its numbers.
        flat values: SingleValues<BoneProperty> = ();
    }
}

record! {
    /// How one piece of art is in a pose.
    pub struct PosedArtDoc = "PosedArt", Title::EntryFor("art"), "(switch: \"closed\")" {
        /// Which art.
        art: Spanned<String>,
    }
    named art;
    fields {
        /// Its values.
        flat values: SingleValues<ArtProperty> = ();
    }
}

impl PoseDoc {
    /// How many values it has.
    pub(crate) fn len(&self) -> usize {
        let bones = self.bones.iter().map(|bone| bone.values.0.iter().count());
        bones.chain(self.art.iter().map(|art| art.values.0.iter().count())).sum()
    }
}

/// By how much a clip is moved towards a pose.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PoseWeightDoc {
    /// Which pose.
    pub pose: Spanned<String>,
    /// The weight over time.
    pub weight: WeightDoc,
}

/// A weight over time, and what it does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WeightDoc {
    /// Its keys.
    pub channel: Channel<f64>,
    /// Whether it replaces what is below it or is added.
    pub mode: Option<Spanned<LayerBlend>>,
}

impl WeightDoc {
    /// Whether the difference of the pose from rest is added.
    pub(crate) fn is_added(&self) -> bool {
        self.mode.is_some_and(|mode| mode.value == LayerBlend::Add)
    }
}

const POSED_BONES: Type =
    Type::Map { key: OF_BONES, of: &Type::Record(PosedBoneDoc::TABLE), each: "this bone" };
pub(crate) const POSED_ART: Type =
    Type::Map { key: OF_ART, of: &Type::Record(PosedArtDoc::TABLE), each: "this art" };

/// Poses at times.
pub(crate) const POSES_AT: Type =
    Type::Keys { of: &POSE, example: "\"contact\"", third: Some(&Type::Ease), long: None };

/// Weights of poses.
pub(crate) const POSE_WEIGHTS: Type = Type::Map {
    key: Key::Name { shown: "pose name", of: "pose" },
    of: &Type::Keys { of: &POSE_WEIGHT, example: "1", third: Some(&Type::Ease), long: Some(POSE_KEYS) },
    each: "the weight of this pose",
};
