//! Onion skins: several frames over each other, tinted by time, with only the art that moves repeated.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use bone_drawing::{ElementId, ElementKind, Skipped};
use bone_render::{Background, FrameSize, data_url, retain_art};
use kurbo::{Affine, BezPath};

use crate::inspect::PosedMoment;
use crate::sheet::write_paper;
use bone_rig::RigClip;
use bone_rig::{FrameState, Rig};

/// The tint of earlier frames.
pub const EARLIER: [u8; 3] = [222, 54, 60];
/// The tint of later frames.
pub const LATER: [u8; 3] = [28, 150, 84];
/// The share of the tint in the colour of a ghost.
pub const TINTED: f32 = 0.7;

/// A frame before or after the middle one.
#[derive(Clone, Debug, PartialEq)]
pub struct Ghost {
    /// The art that moves, at the time of the ghost.
    pub svg: String,
    /// Its tint.
    pub tint: [u8; 3],
    /// Its opacity, from 0 to 1.
    pub opacity: f32,
}

/// Frames over each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Onion {
    /// The art that does not move and is behind everything that moves.
    pub behind: String,
    /// The frames around the middle one, those that are farthest away first.
    pub ghosts: Vec<Ghost>,
    /// The frame in the middle, without that art.
    pub middle: String,
    /// The parts that stayed at rest, over all frames.
    pub skipped: Skipped,
}

impl Onion {
    /// Poses a clip at several times, around the one in the middle, which may be one of them. Leaves `state`
    /// at the middle one.
    ///
    /// # Errors
    /// As [`Rig::pose`].
    pub fn new(
        rig: &Rig,
        clip: Option<&RigClip>,
        (middle, times): (f64, &[f64]),
        state: &mut FrameState,
    ) -> Result<Self, bone_core::PoseError> {
        let mut around: Vec<f64> = times.iter().copied().filter(|time| *time != middle).collect();
        // Far ones first; of two that are equally far, the earlier one.
        around.sort_by(|a, b| (b - middle).abs().total_cmp(&(a - middle).abs()).then(a.total_cmp(b)));
        around.dedup();
        let farthest = around.first().map_or(1.0, |time| (time - middle).abs());
        let mut seen = Vec::with_capacity(around.len() + 1);
        let mut drawings = Vec::with_capacity(around.len() + 1);
        let mut skipped = Skipped::default();
        for &time in around.iter().chain([&middle]) {
            rig.pose(clip, time, state)?;
            let Skipped { rigid, posed } = rig.write_svg(state);
            skipped = Skipped { rigid: skipped.rigid + rigid, posed: skipped.posed + posed };
            seen.push(GhostArt::new(rig, state));
            drawings.push(state.svg().to_owned());
        }
        let keys: BTreeMap<&str, ElementId> =
            rig.art().ids().filter_map(|id| Some((&*rig.art().element(id)?.key, id))).collect();
        let moving = moving(&seen);
        let first = moving.first().copied();
        let moves = |ids: &[&str]| ids.iter().any(|key| keys.get(key).is_some_and(|id| moving.contains(id)));
        let is_behind = |ids: &[&str]| {
            let leaf = ids.iter().filter_map(|key| keys.get(key)).find(|id| is_leaf(rig, **id));
            leaf.is_some_and(|id| first.is_none_or(|first| *id < first))
        };
        let rest = |ids: &[&str]| !is_behind(ids);
        let middle_drawing = drawings.pop().unwrap_or_default();
        let ghost = |(svg, time): (&String, &f64)| {
            let near = 1.0 - ((time - middle).abs() / farthest).min(1.0) as f32;
            let tint = if *time < middle { EARLIER } else { LATER };
            Ghost { svg: retain_art(svg, &moves), tint, opacity: 0.22 + 0.38 * near }
        };
        Ok(Self {
            behind: retain_art(&middle_drawing, &is_behind),
            ghosts: drawings.iter().zip(&around).map(ghost).collect(),
            middle: retain_art(&middle_drawing, &rest),
            skipped,
        })
    }

    /// All of it as one SVG of so many pixels. The frames are pictures within it.
    pub fn svg(&self, size: FrameSize, paper: Option<Background>) -> String {
        let (width, height) = (size.width(), size.height());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n<defs>\n"
        );
        for (name, tint) in [("earlier", EARLIER), ("later", LATER)] {
            let row = |channel: usize| {
                let own: [f32; 3] = std::array::from_fn(|i| if i == channel { 1.0 - TINTED } else { 0.0 });
                let added = f32::from(tint[channel]) / 255.0 * TINTED;
                format!("{} {} {} 0 {added}", own[0], own[1], own[2])
            };
            let _ = writeln!(
                svg,
                "<filter id=\"{name}\" x=\"0\" y=\"0\" width=\"1\" height=\"1\" color-interpolation-filters=\"sRGB\">\
                 <feColorMatrix values=\"{} {} {} 0 0 0 1 0\"/></filter>",
                row(0),
                row(1),
                row(2)
            );
        }
        svg.push_str("</defs>\n");
        write_paper(paper, &mut svg);
        let mut image = |of: &str, look: &str| {
            let _ = writeln!(
                svg,
                "<image width=\"{width}\" height=\"{height}\"{look} href=\"{}\"/>",
                data_url(of)
            );
        };
        image(&self.behind, "");
        for ghost in &self.ghosts {
            let filter = if ghost.tint == EARLIER { "earlier" } else { "later" };
            image(&ghost.svg, &format!(" opacity=\"{}\" filter=\"url(#{filter})\"", ghost.opacity));
        }
        image(&self.middle, "");
        svg.push_str("</svg>\n");
        svg
    }
}

/// Whether an element is a shape, an image, a text or a clone.
fn is_leaf(rig: &Rig, id: ElementId) -> bool {
    rig.art().element(id).is_some_and(|element| {
        matches!(element.kind, ElementKind::Path | ElementKind::Image | ElementKind::Text | ElementKind::Use)
    })
}

/// The posed outlines of each element, and the matrix of each image.
struct GhostArt(BTreeMap<ElementId, (Vec<BezPath>, Affine)>);

impl GhostArt {
    fn new(rig: &Rig, state: &FrameState) -> Self {
        let art = rig.art();
        let mut seen: BTreeMap<ElementId, (Vec<BezPath>, Affine)> = BTreeMap::new();
        for path in PosedMoment::new(rig, state).paths {
            if let Some(element) = path.element {
                seen.entry(element).or_default().0.push(path.path);
            }
        }
        // Images have no outlines: their matrices are compared.
        let rigid: BTreeMap<ElementId, Affine> =
            rig.rigid_elements().map(|(id, bone)| (id, state.matrices().of(bone))).collect();
        let carried: BTreeMap<ElementId, Affine> = rig.carried(state).collect();
        for id in art.ids().filter(|id| art.element(*id).is_some_and(|e| e.kind == ElementKind::Image)) {
            let mut up = std::iter::successors(Some(id), |at| art.element(*at)?.parent);
            let own = carried.get(&id).copied();
            let matrix = own.or_else(|| up.find_map(|at| rigid.get(&at).copied())).unwrap_or_default();
            seen.insert(id, (Vec::new(), matrix));
        }
        Self(seen)
    }
}

/// The elements that differ between the frames.
fn moving(seen: &[GhostArt]) -> BTreeSet<ElementId> {
    let all: BTreeSet<ElementId> = seen.iter().flat_map(|seen| seen.0.keys().copied()).collect();
    let differs = |id: &ElementId| {
        let mut states = seen.iter().map(|seen| seen.0.get(id));
        let first = states.next().flatten();
        states.any(|state| state != first)
    };
    all.into_iter().filter(differs).collect()
}
