//! Bindings as text: kinds, weights, and how art is painted.

use super::tree::{Group, Tree, quoted};
use super::{RigFormatter, names, text};
use crate::doc::{
    ArtNames, BindingDoc, Blend, ClipFollow, FollowDoc, Method, PaintDoc, PaintOptionsDoc, Stroke, WeightsDoc,
};

pub(super) fn blend(blend: Blend) -> &'static str {
    match blend {
        Blend::Linear => "Linear",
        Blend::AreaPreserving => "AreaPreserving",
        Blend::RotationCenters => "RotationCenters",
    }
}

impl RigFormatter {
    pub(super) fn binding(self, binding: &BindingDoc) -> Group {
        match binding {
            BindingDoc::Rigid(rigid) => {
                let mut fields = Group::fields("Rigid");
                fields.field("art", art_names(&rigid.art));
                fields.field("bone", quoted(&rigid.bone.value));
                fields
            }
            BindingDoc::Smooth(smooth) => {
                let mut fields = Group::fields("Smooth");
                fields.field("art", art_names(&smooth.art));
                fields.given("bones", smooth.bones.as_ref().map(|bones| names(&bones.value)));
                let method = |method| match method {
                    Method::Nearest => "Nearest",
                    Method::Envelope => "Envelope",
                    Method::Heat => "Heat",
                    Method::Biharmonic => "Biharmonic",
                };
                fields.given("method", smooth.method.map(|word| method(word.value)));
                self.follow(&mut fields, &smooth.follow, &smooth.paint_options);
                fields
            }
            BindingDoc::Explicit(explicit) => {
                let mut fields = Group::fields("Explicit");
                fields.field("art", quoted(&explicit.art.value));
                self.follow(&mut fields, &explicit.follow, &explicit.paint_options);
                let mut rows = Group::map();
                for row in &explicit.weights {
                    rows.field(&address(row.vertex.value), self.weights(&row.weights));
                }
                fields.field("weights", rows);
                fields.given("others", explicit.others.as_ref().map(|others| self.weights(others)));
                fields
            }
        }
    }

    fn follow(self, fields: &mut Group, follow: &FollowDoc, paint_options: &PaintOptionsDoc) {
        fields.given("tolerance", follow.tolerance.map(|tolerance| self.share(tolerance.value)));
        fields.given("blend", follow.blend.map(|word| blend(word.value)));
        let paint = match &paint_options.paint {
            PaintDoc::Follow => None,
            PaintDoc::Still => Some("Still".to_owned()),
            PaintDoc::Bone(bone) => Some(format!("Bone({})", quoted(&bone.value))),
        };
        fields.given("paint", paint);
        let stroke = |stroke| match stroke {
            Stroke::Constant => "Constant",
            Stroke::Uniform => "Uniform",
        };
        fields.given("stroke", paint_options.stroke.map(|word| stroke(word.value)));
        let clip = |clip| match clip {
            ClipFollow::Follow => "Follow",
            ClipFollow::Still => "Still",
        };
        fields.given("clip", paint_options.clip.map(|word| clip(word.value)));
    }

    pub(super) fn weights(self, weights: &WeightsDoc) -> Group {
        let mut map = Group::map();
        weights.list.iter().for_each(|(bone, weight)| map.entry(&bone.value, self.share(weight.value)));
        map
    }

    /// `bone: "chest"`, `parent: …`: a name that may be missing.
    pub(super) fn named(self, fields: &mut Group, field: &str, name: &Option<crate::span::Spanned<String>>) {
        fields.given(field, text(name));
    }
}

/// `"arm"`, or `["arm", "Body/#3"]`.
fn art_names(art: &ArtNames) -> Tree {
    match art.names.as_slice() {
        [one] => quoted(&one.value).into(),
        several => names(several).into(),
    }
}

/// `3`, or `"3.in"`.
pub(super) fn address(vertex: crate::doc::VertexAddress) -> String {
    let shown = vertex.show();
    if shown.contains('.') { quoted(&shown) } else { shown }
}
