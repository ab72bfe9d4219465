//! Paths of which a part is stroked. The stroke of each is a shape of its own in the drawing with slots, whose outline
//! a frame cuts; what else paints the path stays whole.

use std::sync::Arc;

use kurbo::Affine;

use crate::bent_paint::{Place, group};
use crate::build_posable::{Builder, name};
use crate::drawing::{Drawing, invert};
use crate::element::ElementId;
use crate::error::MoveError;
use crate::ink_outline::InkedPath;
use crate::moving::{Moving, OwnedMoving};
use crate::node::{Group, Node, NodeKind, Shape};
use crate::node_id::NodeId;
use crate::posable::{Posable, Posed, StrokeOf, TrimSlot};
use crate::trim::TrimmedPath;

impl Builder<'_> {
    /// Keeps the values of paths that change, and measures those of which a part is stroked, or with ink.
    pub(crate) fn measure(&mut self, moving: &Moving<'_>) -> Result<(), MoveError> {
        let Moving { looks, trims, inks, .. } = *moving;
        let shape = |id: ElementId| {
            let node = self.source.shape_node(id);
            let shape = node.and_then(|node| Some((node, self.source.node(node)?.shape()?)));
            shape.ok_or_else(|| MoveError::NotAPath { element: id, name: name(self.source, id) })
        };
        for id in looks {
            self.posable.look_values.push(shape(*id)?.1.look_values());
        }
        for (at, trim) in trims.iter().enumerate() {
            let (node, shape) = shape(trim.path)?;
            if trims[..at].iter().any(|other| other.path == trim.path) {
                return Err(MoveError::Duplicate { element: trim.path, name: name(self.source, trim.path) });
            }
            // Lengths are those of the path's own space, as the width of its stroke is.
            let rest = match (trim.pieces.elements(), invert(self.source.to_canvas(node))) {
                ([], _) => (*shape.outline).clone(),
                (_, Some(to_local)) => to_local * &trim.pieces,
                (_, None) => trim.pieces.clone(),
            };
            let is_dashed = shape.stroke.as_ref().is_some_and(|stroke| !stroke.dashes.is_empty());
            self.posable.trims.push(TrimmedPath::new(rest, trim.may_wrap, is_dashed));
        }
        for (at, ink) in inks.iter().enumerate() {
            let (node, shape) = shape(ink.path)?;
            let is_taken = inks[..at].iter().any(|other| other.path == ink.path)
                || trims.iter().any(|trim| trim.path == ink.path);
            if is_taken {
                return Err(MoveError::Duplicate { element: ink.path, name: name(self.source, ink.path) });
            }
            if !ink.profile.is_sound() {
                return Err(MoveError::UnsoundInk { name: name(self.source, ink.path) });
            }
            let to_canvas = self.source.to_canvas(node);
            self.posable.inks.push(InkedPath::of(ink, &shape.outline, to_canvas));
        }
        Ok(())
    }

    /// Makes the stroke of a path of which a part is stroked, or with ink, a shape of its own, with which of these paths
    /// it is.
    pub(crate) fn split(&mut self, node: NodeId) -> Option<(NodeId, StrokeOf)> {
        let OwnedMoving { trims, inks, .. } = &self.posable.moving;
        let is_of = |path: ElementId| self.source.shape_node(path) == Some(node);
        let trim = trims.iter().position(|trim| is_of(trim.path)).map(StrokeOf::Trim);
        let of = trim.or_else(|| inks.iter().position(|ink| is_of(ink.path)).map(StrokeOf::Ink))?;
        let shape = self.drawing.nodes[node.index()].shape().filter(|shape| shape.stroke.is_some())?.clone();
        let Node { parent, element, own, .. } = self.drawing.nodes[node.index()];
        if shape.fill.is_none() {
            self.posable.own_stroke(&mut self.drawing, (node, node, node), of);
            return Some((node, of));
        }
        let unit = group(&mut self.drawing, Group::new());
        let only_stroke = NodeKind::Shape(Arc::new(Shape { fill: None, ..shape.clone() }));
        let stroke = self.drawing.push(Node { parent: None, element, own, kind: only_stroke });
        let stroke_first = shape.stroke_first;
        self.drawing.nodes[node.index()].kind = NodeKind::Shape(Arc::new(Shape { stroke: None, ..shape }));
        self.drawing.replace_child(parent, node, &[unit]);
        self.drawing.adopt(unit, if stroke_first { vec![stroke, node] } else { vec![node, stroke] });
        self.posable.own_stroke(&mut self.drawing, (stroke, node, unit), of);
        Some((stroke, of))
    }

    /// Outlines for the strokes of paths that are not posed.
    pub(crate) fn still_strokes(&mut self) {
        let OwnedMoving { trims, inks, .. } = &self.posable.moving;
        let paths = trims.iter().map(|trim| trim.path).chain(inks.iter().map(|ink| ink.path));
        for id in paths.collect::<Vec<_>>() {
            let node = self.source.shape_node(id).filter(|node| !self.posed_paths.contains_key(node));
            let Some((node, (stroke, of))) = node.and_then(|node| Some((node, self.split(node)?))) else {
                continue;
            };
            for at in [Some(node).filter(|node| *node != stroke), Some(stroke)].into_iter().flatten() {
                if let Some(shape) = self.drawing.nodes[at.index()].shape().cloned() {
                    self.posable.look_slot(&mut self.drawing, at, &shape, (None, Some(id)));
                }
            }
            let Some(at_rest) = self.drawing.nodes[stroke.index()].shape() else { continue };
            self.posable.posed.push(Posed {
                outline: TrimSlot::STILL,
                inside: None,
                to_canvas: Affine::IDENTITY,
                to_local: Some(Affine::IDENTITY),
                at_rest: Arc::clone(&at_rest.outline),
                turned: Vec::new(),
                parts: None,
                trim: None,
                ink: None,
                carrier: None,
            });
            self.drawing.slots.outlines.push(stroke);
            self.posable.stroke_last(&mut self.drawing, stroke, of);
        }
    }
}

impl Posable {
    /// A node of the drawing with slots, for the node of a path and the one that stands for it, becomes its stroke.
    fn own_stroke(
        &mut self,
        drawing: &mut Drawing,
        (stroke, node, unit): (NodeId, NodeId, NodeId),
        of: StrokeOf,
    ) {
        match of {
            StrokeOf::Trim(path) => self.trimmed.push(TrimSlot { path, node, unit }),
            StrokeOf::Ink(path) => {
                self.inked.push((stroke, node, unit));
                let Some(shape) = drawing.nodes[stroke.index()].shape() else { return };
                let shape = self.inks[path].shape(shape);
                drawing.nodes[stroke.index()].kind = NodeKind::Shape(Arc::new(shape));
            }
        }
    }

    /// The shape that was posed last is the part of a stroke, or ink.
    pub(crate) fn stroke_last(&mut self, drawing: &mut Drawing, stroke: NodeId, of: StrokeOf) {
        let Some(posed) = self.posed.last_mut() else { return };
        let path = match of {
            StrokeOf::Ink(path) => {
                posed.ink = Some(path);
                return;
            }
            StrokeOf::Trim(path) => path,
        };
        posed.trim = Some((path, drawing.slots.trims.push(stroke)));
        drawing.slots.still.push(posed.outline == TrimSlot::STILL);
        if let (Some(look), Some(last)) = (self.looks.last_mut(), drawing.slots.looks.keys().last())
            && *last == stroke
        {
            look.trim = Some(path);
        }
    }

    /// The node that stands for a path: its own, or the group of its fill and the part of its stroke.
    pub(crate) fn unit_of(&self, node: NodeId) -> NodeId {
        let trimmed = self.trimmed.iter().map(|slot| (slot.node, slot.unit));
        let mut units = trimmed.chain(self.inked.iter().map(|(_, node, unit)| (*node, *unit)));
        units.find(|(own, _)| *own == node).map_or(node, |(_, unit)| unit)
    }

    /// Adds a shape that is only the stroke of a posed one.
    pub(crate) fn add_stroke(&mut self, drawing: &mut Drawing, shape: Shape, place: Place) -> NodeId {
        let path = self.path_of(place.outline);
        if let Some(ink) = self.moving.inks.iter().position(|ink| Some(ink.path) == path) {
            let shape = self.inks[ink].shape(&shape);
            let node = self.add(drawing, shape, Place { parts: None, ..place });
            self.stroke_last(drawing, node, StrokeOf::Ink(ink));
            return node;
        }
        let stroke = self.add(drawing, shape, Place { parts: None, ..place });
        let trim = self.moving.trims.iter().position(|trim| Some(trim.path) == path);
        if let Some(path) = trim {
            self.trimmed.push(TrimSlot { path, node: stroke, unit: stroke });
            self.stroke_last(drawing, stroke, StrokeOf::Trim(path));
        }
        stroke
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use kurbo::{BezPath, Point, Rect};

    use crate::builder::DrawingBuilder;
    use crate::flat::{FlatCommand, FlatFrame};
    use crate::frame::Frame;
    use crate::moving::{PosedArt, TrimmedStroke};
    use crate::paint::Stroke;
    use crate::posable::CanvasPose;

    fn path(data: &str) -> BezPath {
        BezPath::from_svg(data).expect("path data")
    }

    /// A filled square with a stroke, and a line.
    fn drawing(stroke_first: bool) -> Drawing {
        let mut builder = DrawingBuilder::new(Rect::new(0.0, 0.0, 100.0, 100.0));
        let square = Shape::filled(path("M10 10H50V50H10Z"), [9; 3]);
        let stroke = Some(Stroke::new([0; 3], 4.0));
        builder.shape("square", Shape { stroke: stroke.clone(), stroke_first, ..square.clone() });
        builder.shape("line", Shape { fill: None, stroke, outline: Arc::new(path("M20 80H60")), ..square });
        builder.finish().expect("a drawing")
    }

    fn trims(drawing: &Drawing) -> Vec<TrimmedStroke> {
        let trim = |name| {
            let path = drawing.find(name).expect("a path");
            TrimmedStroke { path, pieces: BezPath::new(), may_wrap: false }
        };
        ["square", "line"].map(trim).to_vec()
    }

    fn painted(posable: &Posable, frame: &Frame) -> Vec<String> {
        let mut flat = FlatFrame::default();
        posable.drawing().paint(frame, Affine::IDENTITY, &mut flat);
        let call = |command: &FlatCommand| match command {
            FlatCommand::Fill { outline, .. } => format!("fill {}", flat.path(outline).to_svg()),
            FlatCommand::Stroke { outline, .. } => format!("stroke {}", flat.path(outline).to_svg()),
            other => format!("{other:?}"),
        };
        flat.commands().iter().map(call).collect()
    }

    #[test]
    fn strokes_are_cut_and_fills_are_whole() {
        let square = "M10,10 L50,10 L50,50 L10,50 Z";
        for stroke_first in [false, true] {
            let source = drawing(stroke_first);
            let trims = trims(&source);
            let posable = Posable::new(&source, &Moving { trims: &trims, ..Moving::default() }).unwrap();
            let mut frame = Frame::default();
            let frame_of = |values: &[[f64; 3]], frame: &mut Frame| {
                posable.frame(&CanvasPose { trims: values, ..CanvasPose::default() }, frame)
            };
            let order = |[fill, stroke]: [String; 2], line: &str| {
                let mut calls = if stroke_first { vec![stroke, fill] } else { vec![fill, stroke] };
                calls.extend((!line.is_empty()).then(|| format!("stroke {line}")));
                calls
            };
            assert_eq!(frame_of(&[[0.0, 0.5, 0.0]; 2], &mut frame), Default::default());
            let stroke = "stroke M10,10 L50,10 L50,50 L50,50 L50,50 L50,50".to_owned();
            let expected = order([format!("fill {square}"), stroke], "M20,80 L40,80");
            assert_eq!(painted(&posable, &frame), expected);
            // As drawn, without a frame and with one.
            let whole = order([format!("fill {square}"), format!("stroke {square}")], "M20,80 L60,80");
            assert_eq!(painted(&posable, &Frame::default()), whole);
            frame_of(&[], &mut frame);
            assert_eq!(painted(&posable, &frame), whole);
            frame_of(&[[0.5, 0.5, 0.2], [0.3, 0.3, 0.0]], &mut frame);
            assert_eq!(painted(&posable, &frame), [format!("fill {square}")]);
        }
    }

    #[test]
    fn what_is_cut_is_not_hit() {
        let source = drawing(false);
        let trims = trims(&source);
        let posable = Posable::new(&source, &Moving { trims: &trims, ..Moving::default() }).unwrap();
        let mut frame = Frame::default();
        let hit = |frame: &Frame, x: f64, y: f64, reach: f64| {
            let hit = posable.drawing().hit_test(frame, Point::new(x, y), reach)?;
            source.element(hit.element?).map(|element| element.key.to_string())
        };
        posable.frame(
            &CanvasPose { trims: &[[0.0, 0.25, 0.0], [0.0, 0.5, 0.0]], ..CanvasPose::default() },
            &mut frame,
        );
        assert_eq!(hit(&frame, 30.0, 81.0, 0.0).as_deref(), Some("line"));
        assert_eq!(hit(&frame, 50.0, 81.0, 0.0), None);
        assert_eq!(hit(&frame, 30.0, 9.0, 0.0).as_deref(), Some("square"));
        assert_eq!(hit(&frame, 9.0, 30.0, 0.0), None);
        assert_eq!(hit(&frame, 11.0, 30.0, 0.0).as_deref(), Some("square"));
        posable.frame(&CanvasPose { trims: &[[0.0; 3]; 2], ..CanvasPose::default() }, &mut frame);
        assert_eq!(hit(&frame, 20.0, 80.0, 3.0), None);
        assert_eq!(posable.drawing().painted_box(&frame), Some(Rect::new(10.0, 10.0, 50.0, 50.0)));
    }

    /// A share is the same place of the path where bones stretch one end of it.
    #[test]
    fn shares_are_of_the_length_at_rest() {
        let source = drawing(false);
        let line = source.find("line").unwrap();
        let pieces = path("M20 80C25 80 25 80 30 80C40 80 50 80 60 80");
        let trims = [TrimmedStroke { path: line, pieces, may_wrap: false }];
        let posed = [PosedArt::Path(line)];
        let posable =
            Posable::new(&source, &Moving { posed: &posed, trims: &trims, ..Moving::default() }).unwrap();
        let bent = [path("M20 80C25 80 25 80 30 80C30 100 30 120 30 140")];
        let mut frame = Frame::default();
        for (share, end) in [(0.25, (30.0, 80.0)), (1.0, (30.0, 140.0))] {
            let pose = CanvasPose { outlines: &bent, trims: &[[0.0, share, 0.0]], ..CanvasPose::default() };
            posable.frame(&pose, &mut frame);
            let outline = &frame.outlines[0];
            assert_eq!(outline.elements().len(), 3, "{}", outline.to_svg());
            assert_eq!(outline.elements()[2].end_point(), Some(end.into()));
        }
    }

    #[test]
    fn only_paths_are_trimmed_and_each_once() {
        let source = drawing(false);
        let twice = [trims(&source), trims(&source)].concat();
        let moving = Moving { trims: &twice, ..Moving::default() };
        assert!(matches!(Posable::new(&source, &moving), Err(MoveError::Duplicate { .. })));
        let none = TrimmedStroke { path: ElementId::from_index(99), ..twice[0].clone() };
        let moving = Moving { trims: &[none], ..Moving::default() };
        assert!(matches!(Posable::new(&source, &moving), Err(MoveError::NotAPath { .. })));
    }
}
