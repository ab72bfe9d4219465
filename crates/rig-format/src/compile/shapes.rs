//! The other shapes that paths take: art of equal structure, and channels of their weights.

use std::collections::BTreeMap;

use bone_core::Skeleton;
use bone_core::clip::ClipTime;
use bone_drawing::{ArtProperty, ElementId, PosedArt};
use bone_rig::parts::Lane;
use bone_skin::{BLine, Closing, Setups};

use super::art::DrawOrderBuilder;
use super::bindings::Bindings;
use super::memory::Mention;
use super::pass::Pass;
use crate::curves::{curve, delayed};
use crate::diagnostic::Diagnostic;
use crate::doc::{Channel, ShapeDoc};
use crate::span::Spanned;

impl Pass<'_> {
    /// The weight of each shape that a path takes anywhere in the rig: a key sets all of them. `time` is that of a
    /// clip; none in a driver or a pose.
    pub(super) fn shape_lanes(
        &mut self,
        (art, element): (&Spanned<String>, ElementId),
        channel: &Channel<ShapeDoc>,
        time: Option<ClipTime>,
        order: &mut DrawOrderBuilder,
    ) -> Vec<Lane> {
        let Some((path, _)) = self.path(art, element) else { return Vec::new() };
        if self.is_in_several_places(art, path) {
            return Vec::new();
        }
        let mut shapes: BTreeMap<&str, Option<ElementId>> = BTreeMap::new();
        for (name, span) in channel.names() {
            if !shapes.contains_key(name) {
                shapes.insert(name, self.shape_of((art, path), &Spanned::new(name.to_owned(), span)));
            }
        }
        if shapes.values().any(Option::is_none) {
            return Vec::new();
        }
        let first = self.shape_places(path, order);
        let mut lanes = Vec::new();
        for (at, shape) in self.art_index.shapes(path).iter().enumerate() {
            let weights = channel.weights(|name| shapes.get(name) == Some(&Some(*shape)));
            let Some(mut curve) = curve(&weights, |weight: f64| weight) else { continue };
            time.iter().for_each(|time| time.fit(&mut curve));
            let Some(curve) = delayed(curve, &channel.shift, time) else { continue };
            lanes.push(Lane { property: ArtProperty::Shape.into(), target: first + at, part: 0, curve });
        }
        lanes
    }

    /// Whether a path is a clip path or mask in several places, after saying so.
    pub(super) fn is_in_several_places(&mut self, art: &Spanned<String>, path: ElementId) -> bool {
        let several = self.art.stencils_of(path).len() > 1;
        if several {
            let message = format!("art \"{}\" is a clip path or mask in several places", art.value);
            self.error(art.span, message, "give each place its own clip path or mask in the drawing");
        }
        several
    }

    /// The path whose shape another one takes; none after saying why it cannot.
    fn shape_of(
        &mut self,
        (art, path): (&Spanned<String>, ElementId),
        name: &Spanned<String>,
    ) -> Option<ElementId> {
        let found = self.find(name)?;
        let (shape, _) = self.path(name, found)?;
        let lines = self.lines_of(path)?;
        let Some(differs) = difference(&lines, &self.shape_lines(path, shape)?) else { return Some(shape) };
        let (one, other) = (self.art.shown_name(path), self.art.shown_name(shape));
        let message = format!("\"{other}\" cannot be a shape of \"{one}\": {}", differs.replace("{}", &one));
        let help = format!("draw the shape by moving the points of a copy of \"{}\"", art.value);
        let error = Diagnostic::error("shape-differs", message).help(help);
        let error = self.point_at(error, path, &format!("\"{one}\" is here"));
        let error = self.point_at(error, shape, &format!("\"{other}\" is here"));
        self.report(name.span, error);
        None
    }

    /// The place of the first shape of a path among those of all paths; the others are behind it.
    pub(super) fn shape_places(&mut self, path: ElementId, order: &mut DrawOrderBuilder) -> usize {
        let all = &mut order.draw_order.shapes;
        let place = all.iter().position(|(own, _)| *own == path).unwrap_or_else(|| {
            all.extend(self.art_index.shapes(path).iter().map(|shape| (path, *shape)));
            all.len() - self.art_index.shapes(path).len()
        });
        self.mentions.push(Mention::Shapes(path, place));
        place
    }

    /// The outlines of a path that another one takes, closed where a fill closes that one.
    fn shape_lines(&self, path: ElementId, shape: ElementId) -> Option<Vec<BLine>> {
        let outline = |path| {
            let stencil = || self.art.stencils_of(path).into_iter().next();
            self.art.outline(path).or_else(|| Some(stencil()?.outline))
        };
        let (own, mut outline) = (outline(path)?, outline(shape)?);
        (outline.even_odd, outline.stroke) = (own.even_odd, own.stroke);
        Some(super::bind::posed_lines(&outline))
    }

    /// The lines of posed art, with curves where one of its other shapes has curves, and these shapes.
    pub(super) fn with_shapes(&self, art: &PosedArt, lines: Vec<BLine>) -> (Vec<BLine>, Vec<Vec<BLine>>) {
        let path = match art {
            PosedArt::Part(..) => return (lines, Vec::new()),
            _ => art.element(),
        };
        let shapes = self.art_index.shapes(path).iter();
        let shapes = shapes.filter_map(|shape| self.shape_lines(path, *shape));
        // What differs is reported with its keys.
        let shapes: Vec<Vec<BLine>> = shapes.filter(|shape| difference(&lines, shape).is_none()).collect();
        let like = |lines: Vec<BLine>, other: &[BLine]| -> Vec<BLine> {
            lines.into_iter().zip(other).map(|(line, other)| line.curved_like(other)).collect()
        };
        let lines = shapes.iter().fold(lines, |lines, shape| like(lines, shape));
        let shapes = shapes.into_iter().map(|shape| like(shape, &lines)).collect();
        (lines, shapes)
    }

    /// The setup positions of all shapes of all paths.
    pub(super) fn shapes(
        &mut self,
        (skeleton, bindings): (Option<&Skeleton>, &mut Bindings),
        order: &DrawOrderBuilder,
    ) -> Vec<Setups> {
        let mut all = Vec::new();
        let mut paths: Vec<ElementId> = order.draw_order.shapes.iter().map(|(path, _)| *path).collect();
        paths.dedup();
        for path in paths {
            let Some(lines) = self.lines_of(path) else { continue };
            let Some(posed) = self.posed_path(path, &lines, skeleton, bindings) else { continue };
            let (_, shapes) = self.with_shapes(&PosedArt::Path(path), lines);
            let Ok(skin) = bindings.skin.skin() else { continue };
            all.extend(shapes.iter().map(|shape| Setups::of_shape(skin, posed, shape)));
        }
        all
    }
}

/// Whether a lane of a driver never changes the shape that it could change.
pub(super) fn is_no_shape(lane: &Lane) -> bool {
    lane.property == ArtProperty::Shape.into() && lane.curve.keys().all(|key| key.value == 0.0)
}

/// What differs between the structures of a path, `{}`, and of another one; none if they are equal.
fn difference(own: &[BLine], other: &[BLine]) -> Option<String> {
    let count = |count: usize, what: &str| match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    };
    if own.len() != other.len() {
        return Some(format!("it has {}, and \"{{}}\" has {}", count(other.len(), "subpath"), own.len()));
    }
    own.iter().zip(other).enumerate().find_map(|(at, (line, shape))| {
        let (whose, theirs) = match own.len() {
            1 => ("it".to_owned(), "\"{}\""),
            _ => (format!("its subpath {}", at + 1), "that of \"{}\""),
        };
        let [is_closed, closed] = [line, shape].map(|line| line.closing() != Closing::Open);
        let [own, count_of_it] = [line, shape].map(|line| line.segments().len());
        if is_closed != closed {
            let words = |closed| if closed { "closed" } else { "open" };
            return Some(format!("{whose} is {}, and {theirs} is {}", words(closed), words(is_closed)));
        }
        let differs = format!("{whose} has {}, and {theirs} has {own}", count(count_of_it, "curve"));
        (own != count_of_it).then_some(differs)
    })
}
