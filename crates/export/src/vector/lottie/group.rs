//! Groups that are pictures of their own: compositions with clip paths, masks, opacity and blend modes.

use bone_drawing::{
    BlendMode, ClipId, FillRule, Group, MaskId, MaskKind, NodeId, NodeKind, Paint, Visibility,
};
use kurbo::{Affine, Rect, Shape as _};

use super::json::{LottieJson, object};
use super::{LottieWriter, SampleRanges, keys, opacity, plain_group};
use crate::vector::VectorError;
use crate::vector::outline;
use crate::vector::thin::SampledOutlines;

impl LottieWriter<'_> {
    /// A group that is a picture of its own.
    pub(super) fn isolated(
        &mut self,
        node: NodeId,
        group: &Group,
        around: &[Affine],
        ranges: &SampleRanges,
    ) -> Result<Vec<LottieJson>, VectorError> {
        if !group.filters.is_empty() {
            return self.rasterised(node, around, ranges, "a filter is written as an image");
        }
        let clip = self.clip;
        let inside = self.inside(&[node], around);
        let layers = self.layers(&group.children, &inside)?;
        if layers.is_empty() {
            return Ok(Vec::new());
        }
        let mut content = self.composition(layers);
        let name = self.plain_name(node);
        // A clip path of a clip path: each clips a composition of its own.
        let mut clips: Vec<ClipId> = Vec::new();
        let mut next = group.clip;
        while let Some(id) = next.filter(|id| !clips.contains(id)) {
            clips.push(id);
            next = clip.drawing.clip(id).and_then(|it| it.clip);
        }
        let mut masks: Vec<MaskId> = Vec::new();
        let mut next = group.mask;
        while let Some(id) = next.filter(|id| !masks.contains(id)) {
            masks.push(id);
            next = clip.drawing.mask(id).and_then(|it| it.mask);
        }
        for id in clips {
            let Some(layers) = self.clipped(id, &content, &name, &inside) else { return Ok(Vec::new()) };
            content = self.composition(layers);
        }
        for id in masks {
            let wrapped = self.masked(id, &content, &name, &inside)?;
            content = self.composition(wrapped);
        }
        let percent = |visibility: Visibility| {
            vec![100.0 * group.opacity * visibility.fading().unwrap_or(1.0).max(0.0)]
        };
        let samples: Vec<Vec<f64>> =
            clip.frames.iter().map(|frame| percent(frame.visibility(&clip.drawing, node))).collect();
        let mut made = Vec::new();
        for range in ranges {
            let track = self.percents_until(range.1, &samples);
            let layer = self.shows(&content, name.clone(), *range, opacity(keys::scalar(&track, 2)));
            made.push(blended(layer, group.blend));
        }
        if group.blend != BlendMode::Normal {
            let name = clip.name_of(node);
            let what = format!("players without blend modes draw it without `{}`", group.blend.name());
            self.report.lose(name, what);
        }
        Ok(made)
    }

    /// The layers of a composition that shows another one through a clip path, the front one first; none if it
    /// hides everything.
    fn clipped(
        &mut self,
        id: ClipId,
        content: &str,
        name: &str,
        inside: &[Affine],
    ) -> Option<Vec<LottieJson>> {
        let whole = (0, self.clip.len());
        let (outlines, even_odd) = self.clip_outlines(id, inside);
        let is_sticker = self.refused.is_some();
        if is_sticker && outlines.is_empty() {
            return None;
        }
        let mut layer = self.shows(content, name.to_owned(), whole, Vec::new());
        if !even_odd && !is_sticker {
            let listed = masks(outlines.into_iter().flat_map(|(points, _)| points));
            // A clip path without a shape hides everything.
            if listed.is_empty() {
                return None;
            }
            layer.push("hasMask", LottieJson::Bool(true));
            layer.push("masksProperties", listed.into());
            return Some(vec![layer]);
        }
        // Masks have no even-odd rule: an alpha matte has.
        Some(self.matted(layer, &format!("{name} clip"), outlines))
    }

    /// A layer below a matte of outlines.
    fn matted(
        &mut self,
        mut layer: LottieJson,
        name: &str,
        outlines: Vec<(Vec<LottieJson>, FillRule)>,
    ) -> Vec<LottieJson> {
        let shapes = outlines.into_iter().map(|(points, rule)| {
            let mut items = points;
            items.push(fill_white(rule));
            items.push(plain_group());
            object! { "ty": "gr", "it": items }
        });
        let shapes: Vec<LottieJson> = shapes.collect();
        let mut matte = self.layer(4, name.to_owned(), (0, self.clip.len()), Vec::new());
        matte.push("td", 1.into());
        matte.push("shapes", shapes.into());
        layer.push("tt", 1.into());
        layer.push("tp", self.layers.into());
        vec![matte, layer]
    }

    /// The layers of a composition that shows another one through a mask, the front one first.
    fn masked(
        &mut self,
        id: MaskId,
        content: &str,
        name: &str,
        inside: &[Affine],
    ) -> Result<Vec<LottieJson>, VectorError> {
        let clip = self.clip;
        let whole = (0, clip.len());
        let Some(mask) = clip.drawing.mask(id) else { return Ok(Vec::new()) };
        let hiding = clip.drawing.hiding(id);
        let layers = self.layers(hiding.unwrap_or(&mask.children), inside)?;
        let picture = self.composition(layers);
        let rects: Vec<Vec<f64>> = clip
            .frames
            .iter()
            .zip(inside)
            .map(|(frame, affine)| outline::numbers(&frame.mask(&clip.drawing, id).to_path(0.1), *affine))
            .collect();
        let region = self.outline_track(&rects, self.tolerance());
        self.count(&region);
        let verbs = outline::verbs(&Rect::ZERO.to_path(0.1));
        let paths = keys::outlines(&verbs, &region, self.digits());
        // The opacity of a matte of one colour is its luminance.
        let is_alpha = mask.kind == MaskKind::Alpha || hiding.is_some();
        let luminance = if is_alpha { Some(1.0) } else { self.luminance(&mask.children) };
        let transform = opacity(keys::still(LottieJson::rounded(100.0 * luminance.unwrap_or(1.0), 2)));
        let mut matte = if hiding.is_some() {
            // What is outside of an inverted matte is seen everywhere.
            self.shows(&picture, format!("{name} mask"), whole, transform)
        } else if self.refused.is_some() {
            if luminance.is_none() {
                self.refuses(|_| format!("\"{name}\""), "it has a mask of several colours");
            }
            let shown = self.shows(&picture, format!("{name} mask"), whole, Vec::new());
            let region = self.matted(shown, &format!("{name} region"), vec![(paths, FillRule::NonZero)]);
            let region = self.composition(region);
            self.shows(&region, format!("{name} mask"), whole, transform)
        } else {
            let mut matte = self.shows(&picture, format!("{name} mask"), whole, transform);
            matte.push("hasMask", LottieJson::Bool(true));
            matte.push("masksProperties", masks(paths).into());
            matte
        };
        matte.push("td", 1.into());
        let above = self.layers;
        let mut layer = self.shows(content, name.to_owned(), whole, Vec::new());
        let kind = if hiding.is_some() {
            2
        } else if luminance.is_some() {
            1
        } else {
            3
        };
        layer.push("tt", kind.into());
        layer.push("tp", above.into());
        if luminance.is_none() {
            let name = format!("\"{name}\"");
            self.report
                .lose(name, "players on Android, iOS and Windows do not draw a mask of several colours");
        }
        Ok(vec![matte, layer])
    }

    /// The luminance of a mask whose shapes all have one colour.
    fn luminance(&self, nodes: &[NodeId]) -> Option<f64> {
        let mut colour: Option<[u8; 3]> = None;
        for leaf in nodes.iter().flat_map(|node| self.clip.leaves(*node)) {
            let shape = self.clip.node(leaf)?.shape()?;
            let paints =
                [shape.fill.map(|fill| fill.paint), shape.stroke.as_ref().map(|stroke| stroke.paint)];
            for paint in paints.into_iter().flatten() {
                let Paint::Color(here) = paint else { return None };
                if colour.is_some_and(|colour| colour != here) {
                    return None;
                }
                colour = Some(here);
            }
        }
        let [red, green, blue] = colour?.map(|level| f64::from(level) / 255.0);
        // The coefficients of SVG's luminance masks.
        Some(0.2125 * red + 0.7154 * green + 0.0721 * blue)
    }

    /// The outlines of a clip path in pixels, and whether one of them needs the even-odd rule.
    fn clip_outlines(&mut self, id: ClipId, inside: &[Affine]) -> (Vec<(Vec<LottieJson>, FillRule)>, bool) {
        let clip = self.clip;
        let Some(path) = clip.drawing.clip(id) else { return (Vec::new(), false) };
        let start: Vec<Affine> = inside.iter().map(|affine| *affine * path.transform).collect();
        let mut next: Vec<(NodeId, Vec<Affine>)> =
            path.children.iter().rev().map(|node| (*node, start.clone())).collect();
        let (mut found, mut even_odd) = (Vec::new(), false);
        while let Some((node, around)) = next.pop() {
            let Some(here) = clip.node(node) else { continue };
            match &here.kind {
                NodeKind::Group(group) => {
                    if group.clip.is_some() {
                        let name = clip.name_of(node);
                        self.report.lose(name, "a clip path of a shape in a clip path is left out");
                    }
                    let inside = self.inside(&[node], &around);
                    next.extend(group.children.iter().rev().map(|child| (*child, inside.clone())));
                }
                NodeKind::Shape(shape) => {
                    let Some(fill) = shape.fill.filter(|_| shape.visible) else { continue };
                    let Some(outlines) = self.samples(node, &around) else { continue };
                    let weights = vec![1.0; outlines.samples.len()];
                    let (SampledOutlines { verbs, .. }, track) =
                        outlines.fewest(&weights, self.tolerance(), |outlines, tolerance| {
                            let track = self.outline_track(&outlines.samples, tolerance);
                            let cost = track.keys.len() * outlines.samples[0].len();
                            (track, cost)
                        });
                    self.count(&track);
                    let figures = keys::outlines(&verbs, &track, self.digits());
                    // Of several figures in one shape, one may be a hole in another.
                    even_odd |= figures.len() > 1 || fill.rule == FillRule::EvenOdd;
                    found.push((figures, fill.rule));
                }
                NodeKind::Image(_) => {}
            }
        }
        (found, even_odd)
    }
}

/// The masks of a layer that shows what is in any of some outlines.
fn masks(outlines: impl IntoIterator<Item = LottieJson>) -> Vec<LottieJson> {
    let mask = |outline| {
        let LottieJson::Object(fields) = outline else { return None };
        let path = fields.into_iter().find(|(name, _)| *name == "ks")?.1;
        Some(object! {
            "mode": "a", "inv": LottieJson::Bool(false), "pt": path, "o": keys::still(100.into()),
            "x": keys::still(0.into()),
        })
    };
    outlines.into_iter().filter_map(mask).collect()
}

fn fill_white(rule: FillRule) -> LottieJson {
    object! {
        "ty": "fl", "c": keys::still(LottieJson::list(&[1.0, 1.0, 1.0], 0)), "o": keys::still(100.into()),
        "r": if rule == FillRule::EvenOdd { 2 } else { 1 },
    }
}

/// A layer with a blend mode.
fn blended(layer: LottieJson, blend: BlendMode) -> LottieJson {
    let mode = match blend {
        BlendMode::Normal => return layer,
        BlendMode::Multiply => 1,
        BlendMode::Screen => 2,
        BlendMode::Overlay => 3,
        BlendMode::Darken => 4,
        BlendMode::Lighten => 5,
        BlendMode::ColorDodge => 6,
        BlendMode::ColorBurn => 7,
        BlendMode::HardLight => 8,
        BlendMode::SoftLight => 9,
        BlendMode::Difference => 10,
        BlendMode::Exclusion => 11,
        BlendMode::Hue => 12,
        BlendMode::Saturation => 13,
        BlendMode::Color => 14,
        BlendMode::Luminosity => 15,
        BlendMode::PlusLighter => 16,
    };
    let LottieJson::Object(mut fields) = layer else { return layer };
    if let Some(field) = fields.iter_mut().find(|(name, _)| *name == "bm") {
        field.1 = mode.into();
    }
    LottieJson::Object(fields)
}
