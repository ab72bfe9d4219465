//! Weights that clips key: gathered before their path is bound, which cuts it for all of them, and handed to
//! their clips afterwards. Rows themselves are checked with the document.

use std::collections::BTreeMap;

use bone_core::Skeleton;
use bone_core::clip::ClipTime;
use bone_drawing::ElementId;
use bone_skin::{PathWeightTracks, WeightTracks};

use super::bindings::Bindings;
use super::clips::part;
use super::memory::Mention;
use super::pass::Pass;
use super::skin::row;
use crate::curves::keys;
use crate::diagnostic::Diagnostic;
use crate::doc::{ArtWeightsDoc, BindingDoc, ExplicitDoc, VertexAddress};
use crate::span::Spanned;

impl<'a> Pass<'a> {
    /// What all clips key of a path with so many vertices, one entry a clip. What is unusable is left out,
    /// and reported with its clip.
    pub(super) fn tracks_of(
        &self,
        path: ElementId,
        count: usize,
        skeleton: &Skeleton,
    ) -> Vec<PathWeightTracks> {
        let tracks = self.art_index.keyed(path).iter().map(|art| rows(art, count, None, skeleton));
        tracks.filter(|tracks| !tracks.is_empty()).collect()
    }

    /// The keyed weights of a clip.
    pub(super) fn keyed_weights(
        &mut self,
        arts: &[ArtWeightsDoc],
        (time, skeleton): (Option<ClipTime>, Option<&Skeleton>),
        bindings: &mut Bindings,
    ) -> WeightTracks {
        let mut weights = WeightTracks::new();
        let mut seen: BTreeMap<ElementId, &Spanned<String>> = BTreeMap::new();
        for art in arts {
            let name = &art.art.value;
            let Some(element) = self.find(&art.art) else { continue };
            let Some((element, lines)) = self.path(&art.art, element) else { continue };
            if let Some(first) = seen.insert(element, &art.art) {
                // The same name twice was reported when the document was read.
                if first.value != *name {
                    let message = format!("art \"{name}\" has keyed weights twice, under two names");
                    let other = self.doc.place(first.span);
                    self.report(
                        art.art.span,
                        Diagnostic::error("duplicate", message).related(other, "first here"),
                    );
                }
                continue;
            }
            let Some(binding) = self.typed(&art.art, element) else { continue };
            if self.has_rotation_centers(&art.art, binding) {
                continue;
            }
            let count = lines.iter().map(|line| line.vertices().len()).sum();
            let beyond = |address: &&Spanned<VertexAddress>| address.value.vertex as usize >= count;
            for address in art.vertices.iter().map(|(vertex, _)| vertex).filter(beyond) {
                self.no_such_vertex(name, address.span, address.value, count);
            }
            self.check_tangents(name, art.vertices.iter().map(|(vertex, _)| *vertex), &lines);
            let Some(skeleton) = skeleton else { continue };
            let tracks = rows(art, count, time, skeleton);
            let listed = art.vertices.iter().filter(|(vertex, _)| (vertex.value.vertex as usize) < count);
            if let Some((vertex, _)) =
                listed.clone().find(|(_, channel)| keys(channel, |weights| row(weights, skeleton)).is_none())
            {
                self.fault(vertex.span, "a row of weights of this vertex");
            }
            for path in bindings.paths_of(element).to_vec() {
                self.mentions.push(Mention::Path(element, path));
                let Ok(skin) = bindings.skin.skin() else { continue };
                weights.add(skin, path, &tracks);
            }
        }
        weights
    }

    /// The `Explicit` binding of a path; none after reporting that it has another binding, or none.
    fn typed(&mut self, art: &Spanned<String>, path: ElementId) -> Option<&'a ExplicitDoc> {
        let doc = self.doc;
        let name = &art.value;
        let typed = self.art_index.typed(path);
        if typed.is_some() {
            return typed;
        }
        let (message, other, help) = match self.art_index.around(path) {
            Some(BindingDoc::Smooth(smooth)) => (
                format!("art \"{name}\" is bound with Smooth, and only weights of Explicit can have keys"),
                Some(smooth.span),
                "bind it with Explicit, with the weights of the setup pose",
            ),
            Some(BindingDoc::Puppet(puppet)) => (
                format!("art \"{name}\" is a Puppet, and only weights of Explicit can have keys"),
                Some(puppet.span),
                "key `move` of its pins",
            ),
            Some(binding) => (
                format!("art \"{name}\" is bound with Rigid, and only weights of Explicit can have keys"),
                Some(binding.art_span()),
                "bind it with Explicit, such as weights: {}, others: {\"bone\": 1}",
            ),
            None => (
                format!("art \"{name}\" has no binding, and only weights of Explicit can have keys"),
                None,
                "bind it with Explicit, such as weights: {}, others: {\"bone\": 1}",
            ),
        };
        let error = Diagnostic::error("not-possible-here", message).help(help);
        let place = other.map(|span| doc.place(span));
        let error = match place {
            Some(place) => error.related(place, "it is bound here"),
            None => error,
        };
        self.report(art.span, error);
        None
    }

    /// Keyed weights cannot be combined with centers of rotation, which are computed once.
    fn has_rotation_centers(&mut self, art: &Spanned<String>, binding: &ExplicitDoc) -> bool {
        let blend = binding.follow.blend.or(self.doc.follow.blend);
        let Some(blend) = blend.filter(|blend| blend.value.has_centres()) else {
            return false;
        };
        let message = format!(
            "the weights of art \"{}\" cannot have keys: its blend is `{}`, whose centers are computed once",
            art.value,
            blend.value.word()
        );
        let error = Diagnostic::error("not-possible-here", message)
            .help("write blend: AreaPreserving in its binding");
        let place = self.doc.place(blend.span);
        self.report(art.span, error.related(place, "the blend is set here"));
        true
    }
}

/// What is keyed of a path with so many vertices. Rows and keys that are unusable are left out: the check of
/// the document has reported them.
fn rows(art: &ArtWeightsDoc, count: usize, time: Option<ClipTime>, skeleton: &Skeleton) -> PathWeightTracks {
    let mut tracks = PathWeightTracks::new();
    for (address, channel) in &art.vertices {
        let vertex = address.value.vertex as usize;
        if vertex >= count {
            continue;
        }
        if let Some(keys) = keys(channel, |weights| row(weights, skeleton)) {
            // Keys out of order were reported, too.
            let _ = tracks.add(
                vertex,
                part(address.value.part),
                &keys,
                channel.extend.map(|extend| extend.value).unwrap_or_default(),
                time,
            );
        }
    }
    tracks
}
