//! A clip as Lottie. Everything is in pixels of the export: the matrices of all groups around art are one
//! matrix, so no player has to multiply many. Art that moves as one is a layer; a bent outline is a layer with
//! a rigid carrier; a group that is a picture of its own is a composition.

mod group;
mod image;
mod json;
mod keys;
mod shape;
mod sticker;
mod stops;

pub use sticker::{sticker_bytes, telegram_sticker};

use std::collections::BTreeMap;

use bone_drawing::{NodeId, NodeKind, Paint};
use kurbo::{Affine, BezPath, Point, Rect, Shape as _};

use self::json::{LottieJson, object};
use super::affine::{AffineFit, AffineTrack, MatrixForm, corners, joint_motion, miss, stretch};
use super::order::{arrange, is_isolated};
use super::outline::{self, OutlineFit, OutlineTrack};
use super::samples::ClipPart;
use super::thin::SampledOutlines;
use super::track::{Fit, KeyTrack};
use super::{Loss, SampledClip, VectorError, VectorOptions, VectorReport};
use crate::zip::{ZipEntry, archive};

/// Writes a clip as Lottie. A clip of several has a marker for each, with which players play it; so has each
/// event, without a duration.
///
/// # Errors
/// If a number of the options cannot be used, or if art that has to be an image cannot be drawn.
pub fn lottie(clip: &SampledClip, options: &VectorOptions) -> Result<(String, VectorReport), VectorError> {
    document(clip, options, None)
}

/// The document; of a sticker, what it may not have is added to the list.
fn document(
    clip: &SampledClip,
    options: &VectorOptions,
    refused: Option<&mut Vec<Loss>>,
) -> Result<(String, VectorReport), VectorError> {
    options.check()?;
    let mut writer = LottieWriter::new(clip, options);
    let is_sticker = refused.is_some();
    writer.refused = is_sticker.then(Vec::new);
    let (view, seen) = (&options.view, options.view.seen());
    let truth = vec![Affine::translate(-seen.origin().to_vec2()) * view.transform; clip.len()];
    let mut layers = writer.layers(clip.drawing.roots(), &truth)?;
    if seen != view.picture() {
        layers = vec![writer.cut(layers, seen)];
    }
    layers.extend(writer.background());
    let mut markers: Vec<LottieJson> = clip.parts.iter().map(marker).collect();
    markers.extend(clip.events.iter().map(|event| {
        object! { "cm": event.comment(), "tm": LottieJson::rounded(event.time * clip.fps, 4), "dr": 0 }
    }));
    if let (Some(refused), Some(found)) = (refused, writer.refused.take()) {
        *refused = found;
    }
    let mut document = object! {
        "v": "5.7.0",
        "fr": LottieJson::rounded(clip.fps, 6),
        "ip": 0,
        "op": clip.count,
        "w": LottieJson::rounded(f64::from(options.view.size.width()), 0),
        "h": LottieJson::rounded(f64::from(options.view.size.height()), 0),
        "nm": clip.name.as_str(),
        "ddd": 0,
        "assets": std::mem::take(&mut writer.assets),
        "markers": markers,
        "layers": layers,
    };
    if let LottieJson::Object(fields) = &mut document
        && is_sticker
    {
        fields.retain(|(name, _)| *name != "markers");
        fields.insert(0, ("tgs", 1.into()));
    }
    let mut out = String::new();
    document.write(&mut out);
    Ok((out, writer.report))
}

/// Writes a clip as a `.lottie`: an archive of a manifest and the animation.
///
/// # Errors
/// As [`lottie`]; or if the compressor fails.
pub fn dot_lottie(
    clip: &SampledClip,
    options: &VectorOptions,
) -> Result<(Vec<u8>, VectorReport), VectorError> {
    let (text, report) = lottie(clip, options)?;
    let manifest = object! {
        "version": "2",
        "generator": concat!("bone-layer ", env!("CARGO_PKG_VERSION")),
        "animations": vec![object! { "id": "clip" }],
    };
    let mut listed = String::new();
    manifest.write(&mut listed);
    let file = |name: &str, text: String| ZipEntry {
        name: name.to_owned(),
        bytes: text.into_bytes(),
        stored: false,
    };
    let files = [file("manifest.json", listed), file("a/clip.json", text)];
    Ok((archive(&files).map_err(|_| VectorError::Compressor)?, report))
}

/// From and up to which samples something is visible.
type SampleRanges = Vec<(usize, usize)>;

struct LottieWriter<'a> {
    clip: &'a SampledClip,
    options: &'a VectorOptions,
    report: VectorReport,
    assets: Vec<LottieJson>,
    /// The number of the last layer.
    layers: usize,
    /// The composition of art that is in several places.
    parts: BTreeMap<NodeId, String>,
    /// Images by their bytes.
    images: Vec<(Vec<u8>, String)>,
    /// For a sticker: the art that it may not have.
    refused: Option<Vec<Loss>>,
}

/// Art that moves by one matrix and is visible at the same times.
struct RigidLayer {
    /// The group whose matrix it is; none: it does not move.
    group: Option<NodeId>,
    ranges: SampleRanges,
    /// Back to front, each with the matrix from its own space to the inside of the group.
    leaves: Vec<(NodeId, Affine)>,
}

impl<'a> LottieWriter<'a> {
    fn new(clip: &'a SampledClip, options: &'a VectorOptions) -> Self {
        Self {
            clip,
            options,
            report: VectorReport::default(),
            assets: Vec::new(),
            layers: 0,
            parts: BTreeMap::new(),
            images: Vec::new(),
            refused: None,
        }
    }

    /// Whether a sticker may not have this, which is noted then.
    fn refuses(&mut self, art: impl FnOnce(&SampledClip) -> String, what: &str) -> bool {
        let Some(refused) = &mut self.refused else { return false };
        let loss = Loss { art: art(self.clip), what: what.to_owned() };
        if !refused.contains(&loss) {
            refused.push(loss);
        }
        true
    }

    fn digits(&self) -> u8 {
        self.options.digits(1.0)
    }

    fn tolerance(&self) -> f64 {
        0.94 * self.options.tolerance
    }

    /// The fields that all layers have.
    fn layer(
        &mut self,
        kind: i32,
        name: String,
        (start, end): (usize, usize),
        mut transform: Vec<(&'static str, LottieJson)>,
    ) -> LottieJson {
        self.layers += 1;
        if !transform.iter().any(|(name, _)| *name == "o") {
            transform.extend(self.shown(&vec![(start, end)]));
        }
        let out = if end >= self.clip.len() { LottieJson::from(self.clip.count) } else { keys::time(end) };
        object! {
            "ty": kind, "ind": self.layers, "nm": name, "ip": keys::time(start), "op": out, "st": 0, "sr": 1,
            "bm": 0, "ao": 0, "ddd": 0, "ks": LottieJson::Object(transform),
        }
    }

    fn background(&mut self) -> Option<LottieJson> {
        let [red, green, blue, alpha] = self.options.view.background?.rgba;
        if self.refuses(|_| "the background".to_owned(), "it is a solid layer") {
            return None;
        }
        let transform = opacity(keys::still(LottieJson::rounded(f64::from(alpha) / 2.55, 3)));
        let mut layer = self.layer(1, "background".to_owned(), (0, self.clip.len()), transform);
        layer.push("sc", format!("#{red:02x}{green:02x}{blue:02x}").into());
        layer.push("sw", LottieJson::rounded(f64::from(self.options.view.size.width()), 0));
        layer.push("sh", LottieJson::rounded(f64::from(self.options.view.size.height()), 0));
        Some(layer)
    }

    /// The layers of some nodes, the front one first. `truth`: from the space of the nodes to pixels.
    fn layers(&mut self, nodes: &[NodeId], truth: &[Affine]) -> Result<Vec<LottieJson>, VectorError> {
        let clip = self.clip;
        let around = nodes.first().and_then(|node| clip.node(*node)).and_then(|node| node.parent);
        let arranged = arrange(clip, nodes);
        let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
        for placement in &arranged.placements {
            *counts.entry(placement.node).or_default() += 1;
        }
        let mut layers: Vec<LottieJson> = Vec::new();
        let mut pending: Option<RigidLayer> = None;
        let mut carriers: Vec<CarrierLayer> = Vec::new();
        for placement in arranged.placements {
            let node = placement.node;
            let mut way: Vec<NodeId> = clip.drawing.ancestors(node).skip(1).collect();
            if let Some(end) = way.iter().position(|at| Some(*at) == around) {
                way.truncate(end);
            }
            let ranges = self.ranges(&way, node, placement.shown.as_deref());
            if ranges.is_empty() {
                continue;
            }
            let isolated = is_isolated(clip, node);
            let moved = way.iter().position(|at| clip.is_moved(*at));
            if !isolated && counts[&node] == 1 && self.is_rigid(node) {
                let group = moved.map(|at| way[at]);
                let inner = &way[..moved.unwrap_or(way.len())];
                let to_group = inner
                    .iter()
                    .rev()
                    .fold(Affine::IDENTITY, |all, at| all * clip.frames[0].transform(&clip.drawing, *at));
                match &mut pending {
                    Some(rigid) if rigid.group == group && rigid.ranges == ranges => {
                        rigid.leaves.push((node, to_group));
                    }
                    _ => {
                        layers.extend(self.rigid(pending.take(), around, truth, &mut carriers)?);
                        pending = Some(RigidLayer { group, ranges, leaves: vec![(node, to_group)] });
                    }
                }
                continue;
            }
            layers.extend(self.rigid(pending.take(), around, truth, &mut carriers)?);
            let here = self.inside(&way, truth);
            if counts[&node] > 1 {
                layers.extend(self.part(node, &here, &ranges)?);
            } else {
                layers.extend(self.item(node, &here, &ranges, &mut carriers)?);
            }
        }
        layers.extend(self.rigid(pending.take(), around, truth, &mut carriers)?);
        layers.reverse();
        Ok(layers)
    }

    /// From the inside of groups, the innermost first, to pixels.
    fn inside(&self, way: &[NodeId], truth: &[Affine]) -> Vec<Affine> {
        let mut all = truth.to_vec();
        for at in way.iter().rev() {
            let own = self.clip.transforms(*at);
            all.iter_mut().zip(own).for_each(|(all, own)| *all *= own);
        }
        all
    }

    /// When a node is visible.
    fn ranges(&self, way: &[NodeId], node: NodeId, shown: Option<&[(usize, usize)]>) -> SampleRanges {
        let drawing = &self.clip.drawing;
        let mut ranges: SampleRanges = Vec::new();
        for (at, frame) in self.clip.frames.iter().enumerate() {
            let group = drawing.node(node).is_some_and(|node| node.group().is_some());
            let own = group.then_some(&node).into_iter();
            let seen = way.iter().chain(own).all(|group| frame.visibility(drawing, *group).visible);
            let here =
                shown.is_none_or(|ranges| ranges.iter().any(|(start, end)| (*start..*end).contains(&at)));
            if !(seen && here) {
                continue;
            }
            match ranges.last_mut().filter(|last| last.1 == at) {
                Some(last) => last.1 = at + 1,
                None => ranges.push((at, at + 1)),
            }
        }
        ranges
    }

    /// Whether a leaf has nothing of its own that changes, and is a shape that Lottie has.
    fn is_rigid(&self, node: NodeId) -> bool {
        let slots = self.clip.drawing.slots();
        let Some(shape) = self.clip.node(node).and_then(|node| node.shape()) else { return false };
        let paints = [shape.fill.map(|fill| fill.paint), shape.stroke.as_ref().map(|stroke| stroke.paint)];
        let moves = |paint: &Paint| match paint {
            Paint::Color(_) => false,
            Paint::Gradient(id) => slots.gradients.slot(*id).is_some(),
            Paint::Pattern(_) => true,
        };
        slots.outlines.slot(node).is_none()
            && slots.looks.slot(node).is_none()
            && !paints.iter().flatten().any(moves)
    }

    /// A layer of art that moves by one matrix. One of `carriers` that moves alike is the parent, or one that has
    /// a joint with it if that makes the curves shorter.
    fn rigid(
        &mut self,
        rigid: Option<RigidLayer>,
        around: Option<NodeId>,
        truth: &[Affine],
        carriers: &mut Vec<CarrierLayer>,
    ) -> Result<Option<LottieJson>, VectorError> {
        let Some(RigidLayer { group, ranges, leaves }) = rigid else { return Ok(None) };
        let clip = self.clip;
        let samples = match group {
            Some(group) => {
                let mut way: Vec<NodeId> = clip.drawing.ancestors(group).collect();
                if let Some(end) = way.iter().position(|at| Some(*at) == around) {
                    way.truncate(end);
                }
                self.inside(&way, truth)
            }
            None => truth.to_vec(),
        };
        // Art is written in pixels, as it is in the first frame that can be inverted, and moved from there: so
        // what moves alike has equal matrices, whatever groups it is in.
        let first = samples.iter().copied().find(|affine| affine.determinant().abs() > 1e-6);
        let Some(first) = first else { return Ok(None) };
        let back = first.inverse();
        let samples: Vec<Affine> = samples.iter().map(|affine| *affine * back).collect();
        let mut all: Option<Rect> = None;
        for (leaf, to_group) in &leaves {
            let Some(rect) = self.bounds(*leaf, first * *to_group) else { continue };
            all = Some(all.map_or(rect, |all| all.union(rect)));
        }
        let Some(rect) = all else { return Ok(None) };
        let points = corners(rect);
        let scale = samples.iter().map(|affine| stretch(*affine)).fold(1.0, f64::max);
        let mut shapes = Vec::new();
        for (leaf, to_group) in leaves.iter().rev() {
            shapes.extend(self.still_shape(*leaf, first * *to_group, scale));
        }
        if shapes.is_empty() {
            return Ok(None);
        }
        let span = (ranges[0].0, ranges[ranges.len() - 1].1);
        // A group that was put around one leaf has no name of its own.
        let named = group.filter(|group| clip.node(*group).is_some_and(|node| node.element.is_some()));
        let name = self.plain_name(named.unwrap_or(leaves[0].0));
        let tolerance = self.tolerance();
        let within = |carrier: &&CarrierLayer| {
            carrier
                .found
                .iter()
                .zip(&samples)
                .all(|(found, truth)| miss(*found, *truth, &points) <= tolerance)
        };
        if let Some(parent) = carriers.iter().find(within).map(|carrier| carrier.layer) {
            let mut layer = self.layer(4, name, span, self.shown(&ranges).into_iter().collect());
            layer.push("parent", parent.into());
            layer.push("shapes", shapes.into());
            return Ok(Some(layer));
        }
        // Alone, or from the inside of a layer with which it has a joint.
        let mut best: Option<(AffineTrack, Option<&CarrierLayer>)> = None;
        let parents = related(&samples, carriers);
        for parent in std::iter::once(None).chain(parents.into_iter().map(Some)) {
            let (relative, weights) = seen_from(parent, &samples);
            let track = self.fit(&relative, &weights, &points).run();
            if best.as_ref().is_none_or(|(best, _)| track.cost() < best.cost()) {
                best = Some((track, parent));
            }
        }
        let Some((track, parent)) = best else { return Ok(None) };
        let found = inside_of(parent, &track, samples.len());
        self.report.keys += track.keys();
        self.report.compare(&found, &samples, &points);
        let parent = parent.map(|parent| parent.layer);
        let (layer, alone) = self.carrier_layer(&track, parent, (name, span, &ranges), shapes);
        if alone && matches!(track, AffineTrack::Moving(_)) {
            carriers.extend(CarrierLayer::new(self.layers, found));
        }
        Ok(Some(layer))
    }

    /// A layer of shapes with a matrix, and whether the matrix is that of the layer alone.
    fn carrier_layer(
        &mut self,
        track: &AffineTrack,
        parent: Option<usize>,
        (name, span, ranges): (String, (usize, usize), &SampleRanges),
        mut shapes: Vec<LottieJson>,
    ) -> (LottieJson, bool) {
        let (mut transform, inner) = keys::transform(track, self.digits());
        let alone = inner.is_none();
        if let Some(inner) = inner {
            shapes.push(inner);
            shapes = vec![object! { "ty": "gr", "it": shapes }];
        }
        transform.extend(self.shown(ranges));
        let mut layer = self.layer(4, name, span, transform);
        if let Some(parent) = parent {
            layer.push("parent", parent.into());
        }
        layer.push("shapes", shapes.into());
        (layer, alone)
    }

    /// The bounds of a leaf with its stroke, at rest.
    fn bounds(&self, leaf: NodeId, map: Affine) -> Option<Rect> {
        let here = self.clip.node(leaf)?;
        let shape = here.shape()?;
        let grow = shape.stroke.as_ref().map_or(0.0, |stroke| 0.5 * stroke.width);
        let rect = shape.outline.bounding_box().inflate(grow, grow);
        Some(map.transform_rect_bbox(rect))
    }

    fn fit<'f>(&self, samples: &'f [Affine], weights: &'f [f64], points: &'f [Point]) -> AffineFit<'f>
    where
        'a: 'f,
    {
        AffineFit {
            samples,
            points,
            weights,
            tolerance: self.tolerance(),
            form: MatrixForm::TwoRotations,
            digits: self.digits(),
            monotone: false,
            splits: true,
            breaks: &self.clip.breaks,
        }
    }

    /// Curves for a matrix in pixels, with its error in the report.
    fn matrix(&mut self, samples: &[Affine], points: &[Point]) -> AffineTrack {
        let weights = vec![1.0; samples.len()];
        let track = self.fit(samples, &weights, points).run();
        self.report.keys += track.keys();
        self.report.compare(&inside_of(None, &track, samples.len()), samples, points);
        track
    }

    /// Opacity by visibility; none for a layer that is visible at all times between its first and its last one.
    fn shown(&self, ranges: &SampleRanges) -> Option<(&'static str, LottieJson)> {
        // rlottie draws a layer in the frame in which it ends, too.
        if matches!(ranges[..], [(_, end)] if end >= self.clip.len()) {
            return None;
        }
        let mut listed = Vec::new();
        for (start, end) in ranges {
            listed.push(object! { "t": keys::time(*start), "s": vec![LottieJson::from(100)], "h": 1 });
            if *end < self.clip.len() {
                listed.push(object! { "t": keys::time(*end), "s": vec![LottieJson::from(0)], "h": 1 });
            }
        }
        Some(("o", object! { "a": 1, "k": listed }))
    }

    /// A node that stands in several places of the draw order: a composition that all of them show.
    fn part(
        &mut self,
        node: NodeId,
        here: &[Affine],
        ranges: &SampleRanges,
    ) -> Result<Vec<LottieJson>, VectorError> {
        let name = match self.parts.get(&node) {
            Some(name) => name.clone(),
            None => {
                let mut layers = self.item(node, here, &vec![(0, self.clip.len())], &mut Vec::new())?;
                layers.reverse();
                let name = self.composition(layers);
                self.parts.insert(node, name.clone());
                name
            }
        };
        let label = self.plain_name(node);
        Ok(ranges.iter().map(|range| self.shows(&name, label.clone(), *range, Vec::new())).collect())
    }

    /// A composition of layers, the front one first.
    fn composition(&mut self, layers: Vec<LottieJson>) -> String {
        let name = format!("comp_{}", self.assets.len());
        self.assets.push(object! { "id": name.as_str(), "layers": layers });
        name
    }

    /// Layers of which nothing is seen outside of a rectangle, in whose upper left corner they have 0, 0: a
    /// composition ends at its sides.
    fn cut(&mut self, layers: Vec<LottieJson>, cut: Rect) -> LottieJson {
        let composition = self.composition(layers);
        let at = AffineTrack::Still(Affine::translate(cut.origin().to_vec2()));
        let (transform, _) = keys::transform(&at, self.digits());
        let mut layer = self.layer(0, "page".to_owned(), (0, self.clip.len()), transform);
        layer.push("refId", composition.as_str().into());
        layer.push("w", LottieJson::rounded(cut.width(), 0));
        layer.push("h", LottieJson::rounded(cut.height(), 0));
        layer
    }

    /// A layer that shows a composition.
    fn shows(
        &mut self,
        composition: &str,
        name: String,
        range: (usize, usize),
        transform: Vec<(&'static str, LottieJson)>,
    ) -> LottieJson {
        let mut layer = self.layer(0, name, range, transform);
        layer.push("refId", composition.into());
        layer.push("w", LottieJson::rounded(f64::from(self.options.view.size.width()), 0));
        layer.push("h", LottieJson::rounded(f64::from(self.options.view.size.height()), 0));
        layer
    }

    fn plain_name(&self, node: NodeId) -> String {
        let element = self.clip.drawing.element_around(node).and_then(|id| self.clip.drawing.element(id));
        element.map_or_else(String::new, |element| element.name())
    }

    /// The layers of one item, back to front.
    fn item(
        &mut self,
        node: NodeId,
        here: &[Affine],
        ranges: &SampleRanges,
        carriers: &mut Vec<CarrierLayer>,
    ) -> Result<Vec<LottieJson>, VectorError> {
        let Some(found) = self.clip.node(node) else { return Ok(Vec::new()) };
        match &found.kind {
            NodeKind::Shape(shape) if !shape.is_visible() => Ok(Vec::new()),
            NodeKind::Shape(shape) => {
                let pattern = |paint: Option<Paint>| matches!(paint, Some(Paint::Pattern(_)));
                let stroke = shape.stroke.as_ref().map(|stroke| stroke.paint);
                if pattern(shape.fill.map(|fill| fill.paint)) || pattern(stroke) {
                    return self.rasterised(node, here, ranges, "a pattern is written as an image");
                }
                Ok(self.bent_shape(node, here, ranges, carriers).into_iter().collect())
            }
            NodeKind::Image(image) if image.visible => self.image(node, image, here, ranges),
            NodeKind::Image(_) => Ok(Vec::new()),
            NodeKind::Group(group) => self.isolated(node, group, here, ranges),
        }
    }

    /// The control points of a shape at each sample, in pixels; one sample if they do not change.
    fn samples(&mut self, node: NodeId, truth: &[Affine]) -> Option<SampledOutlines> {
        let outlines = match self.clip.whole_outline(node).filter(|_| shape::is_even_always(truth)) {
            Some(whole) => vec![whole],
            None => self.clip.outlines(node),
        };
        let cubic: Vec<BezPath> = outlines.iter().map(|path| outline::with_cubics(path)).collect();
        let first = cubic.first()?;
        let verbs = outline::verbs(first);
        let mut changed = false;
        let samples = truth.iter().enumerate().map(|(at, affine)| {
            let path = cubic.get(at).unwrap_or(first);
            let same = outline::verbs(path) == verbs;
            changed |= !same;
            outline::numbers(if same { path } else { first }, *affine)
        });
        let samples: Vec<Vec<f64>> = samples.collect();
        if changed {
            let name = self.clip.name_of(node);
            self.report
                .lose(name, "its outline has other curves in other frames, where it is as in the first");
        }
        let (bends, breaks) = (outlines.len() > 1, self.clip.outline_breaks(node));
        let is_cut = bends && self.clip.is_cut(node);
        let (digits, tolerance) = SampledOutlines::precision(is_cut, self.digits(), self.tolerance());
        Some(SampledOutlines { verbs, samples, bends, error: 0.0, breaks, digits, tolerance })
    }

    /// Keys of an outline without a carrier, in pixels.
    fn outline_track(&self, samples: &[Vec<f64>], tolerance: f64) -> KeyTrack {
        let weights = vec![1.0; samples.len()];
        let parts = 10.0_f64.powi(i32::from(self.digits()));
        let (weights, breaks) = (&weights, &self.clip.breaks);
        Fit { samples, group: 2, weights, tolerance, parts, monotone: false, breaks }.run_freely()
    }

    fn count(&mut self, track: &KeyTrack) {
        if !track.is_still() {
            self.report.keys += track.keys.len();
            self.report.outline_keys += track.keys.len();
        }
    }

    /// Some numbers over time.
    fn numbers(&mut self, samples: &[Vec<f64>], weight: f64, tolerance: f64, digits: u8) -> KeyTrack {
        self.numbers_within(samples, weight, (tolerance, false), digits)
    }

    /// The same; `monotone`: between two keys there is none beyond them.
    fn numbers_within(
        &mut self,
        samples: &[Vec<f64>],
        weight: f64,
        within: (f64, bool),
        digits: u8,
    ) -> KeyTrack {
        let clip = self.clip;
        self.numbers_between(&clip.breaks, samples, weight, within, digits)
    }

    /// The same with other jumps than those of the clip.
    fn numbers_between(
        &mut self,
        breaks: &[usize],
        samples: &[Vec<f64>],
        weight: f64,
        (tolerance, monotone): (f64, bool),
        digits: u8,
    ) -> KeyTrack {
        let weights = &vec![weight; samples.len()];
        let parts = 10.0_f64.powi(i32::from(digits));
        let track = Fit { samples, group: 1, weights, tolerance, parts, monotone, breaks }.run();
        self.report.keys += if track.is_still() { 0 } else { track.keys.len() };
        track
    }

    /// Percents over time of a layer that ends at a sample: 0 from there, as [`shown`](Self::shown).
    fn percents_until(&mut self, end: usize, samples: &[Vec<f64>]) -> KeyTrack {
        let mut samples = samples.to_vec();
        samples.iter_mut().skip(end).for_each(|percent| percent.fill(0.0));
        let mut breaks = self.clip.breaks.clone();
        breaks.extend((end < samples.len()).then_some(end));
        breaks.sort_unstable();
        self.numbers_between(&breaks, &samples, 1.0, (0.2, false), 2)
    }

    fn outline_fit<'f>(
        &self,
        (samples, breaks, digits): (&'f [Vec<f64>], &'f [usize], u8),
        weights: &'f [f64],
        tolerance: f64,
    ) -> OutlineFit<'f>
    where
        'a: 'f,
    {
        OutlineFit {
            samples,
            weights,
            tolerance,
            form: MatrixForm::TwoRotations,
            digits,
            monotone: false,
            point_bytes: 7 + 2 * usize::from(digits),
            carry: true,
            breaks,
        }
    }

    /// The curves of a bent outline with its carrier, and the layer that carries both.
    fn carried<'c>(
        &mut self,
        outlines: SampledOutlines,
        carriers: &'c [CarrierLayer],
    ) -> (SampledOutlines, OutlineTrack, Option<&'c CarrierLayer>) {
        let weights = vec![1.0; outlines.samples.len()];
        let tolerance = outlines.tolerance;
        let (outlines, (track, parent)) = outlines.fewest(&weights, tolerance, |outlines, tolerance| {
            self.fewest_keys(outlines, tolerance, carriers)
        });
        self.count(&track.points);
        self.report.keys += track.carrier.keys();
        let found = inside_of(parent, &track.carrier, weights.len());
        for (at, (sample, carrier)) in outlines.samples.iter().zip(found).enumerate() {
            for (a, b) in track.points.at(at).chunks(2).zip(sample.chunks(2)) {
                let miss = (carrier * Point::new(a[0], a[1]) - Point::new(b[0], b[1])).hypot();
                self.report.error = self.report.error.max(miss + outlines.error);
            }
        }
        (outlines, track, parent)
    }

    /// The curves of an outline with the layer that carries them, and their cost.
    fn fewest_keys<'c>(
        &self,
        outlines: &SampledOutlines,
        tolerance: f64,
        carriers: &'c [CarrierLayer],
    ) -> ((OutlineTrack, Option<&'c CarrierLayer>), usize) {
        let SampledOutlines { samples, breaks, digits, .. } = outlines;
        let weights = vec![1.0; samples.len()];
        let alone = self.outline_fit((samples, breaks, *digits), &weights, tolerance);
        let mut best = (alone.run(), None);
        let mut least = alone.cost(&best.0);
        for parent in related(&alone.motion(), carriers) {
            let (back, weights) = seen_from(Some(parent), &vec![Affine::IDENTITY; samples.len()]);
            let inside: Vec<Vec<f64>> =
                samples.iter().zip(&back).map(|(sample, back)| shape::mapped(sample, *back)).collect();
            let child = self.outline_fit((&inside, breaks, *digits), &weights, tolerance);
            let track = child.run();
            let cost = child.cost(&track);
            if cost < least {
                (best, least) = ((track, Some(parent)), cost);
            }
        }
        (best, least)
    }
}

/// A layer whose matrix is its own alone, so that others may have it as their parent.
struct CarrierLayer {
    layer: usize,
    /// From the inside of the layer to pixels at each sample, as players compute it.
    found: Vec<Affine>,
}

impl CarrierLayer {
    /// None if something inside would have no size.
    fn new(layer: usize, found: Vec<Affine>) -> Option<Self> {
        found.iter().all(|affine| affine.determinant().abs() > 1e-3).then_some(Self { layer, found })
    }
}

/// The carriers that have the best joints with a motion.
fn related<'c>(motion: &[Affine], carriers: &'c [CarrierLayer]) -> Vec<&'c CarrierLayer> {
    const MOST: usize = 2;
    let joint = |carrier: &'c CarrierLayer| {
        let moves = joint_motion(&seen_from(Some(carrier), motion).0)?;
        Some((moves, carrier))
    };
    let mut joints: Vec<(f64, &CarrierLayer)> = carriers.iter().filter_map(joint).collect();
    joints.sort_by(|a, b| a.0.total_cmp(&b.0));
    joints.into_iter().take(MOST).map(|(_, carrier)| carrier).collect()
}

/// Matrices as seen from the inside of a parent, and pixels for a unit there.
fn seen_from(parent: Option<&CarrierLayer>, samples: &[Affine]) -> (Vec<Affine>, Vec<f64>) {
    match parent {
        Some(parent) => (
            parent.found.iter().zip(samples).map(|(parent, own)| parent.inverse() * *own).collect(),
            parent.found.iter().map(|parent| stretch(*parent)).collect(),
        ),
        None => (samples.to_vec(), vec![1.0; samples.len()]),
    }
}

/// From the inside of a layer to pixels at each sample.
fn inside_of(parent: Option<&CarrierLayer>, track: &AffineTrack, count: usize) -> Vec<Affine> {
    let own = (0..count).map(|at| track.at(at));
    match parent {
        Some(parent) => parent.found.iter().zip(own).map(|(parent, own)| *parent * own).collect(),
        None => own.collect(),
    }
}

fn marker(part: &ClipPart) -> LottieJson {
    object! { "cm": part.name.as_str(), "tm": part.start, "dr": part.count }
}

/// A transform that does nothing, with an opacity in percent.
fn opacity(percent: LottieJson) -> Vec<(&'static str, LottieJson)> {
    vec![("o", percent)]
}

/// The end of a group: a transform that does nothing.
fn plain_group() -> LottieJson {
    LottieJson::Object(vec![("ty", LottieJson::from("tr")), keys::opaque()])
}
