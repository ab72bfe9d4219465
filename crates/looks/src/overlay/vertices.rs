//! Vertices with their numbers in a rig, and their tangents: `3`, `3.in`, `3.out`.

use bone_drawing::{ElementId, ElementState};
use bone_skin::{BLine, VertexPoint};
use kurbo::{Affine, BezPath, Point, Size, Vec2};

use super::labels::around;
use super::writer::{HALO, OverlayStroke, OverlayWriter};
use crate::lettering::{Anchor, TextLine};
use bone_format::doc::{VertexAddress, VertexPart};
use bone_rig::{FrameState, Rig};

const COLOUR: &str = "#0b57a4";
const TANGENT: &str = "#b0306a";
/// Heights of numbers, in pixels.
const NUMBER: f64 = 9.0;
const TANGENT_NUMBER: f64 = 7.5;
/// Handles nearer to their vertex than this many pixels have no number.
const NEAR: f64 = 14.0;

/// A vertex, in pixels.
struct VertexMark {
    vertex: u32,
    at: Point,
    tangents: [Option<Point>; 2],
}

pub(super) fn write(rig: &Rig, state: &FrameState, only: Option<&str>, out: &mut OverlayWriter<'_>) {
    let marks: Vec<VertexMark> =
        paths(rig, only).into_iter().flat_map(|id| marks(rig, state, id, out)).collect();
    for mark in &marks {
        for handle in mark.tangents.into_iter().flatten() {
            let mut line = BezPath::new();
            line.move_to(mark.at);
            line.line_to(handle);
            out.path(&line, "fill=\"none\"", OverlayStroke { halo: 0.8, ..OverlayStroke::new(TANGENT, 0.7) });
            out.dot(
                handle,
                1.6,
                "fill=\"#fff\"",
                OverlayStroke { halo: 0.6, ..OverlayStroke::new(TANGENT, 0.9) },
            );
        }
    }
    for mark in &marks {
        let square = kurbo::Rect::from_center_size(mark.at, Size::new(4.4, 4.4));
        let shape: BezPath = kurbo::Shape::to_path(&square, 0.1);
        out.path(&shape, "fill=\"#fff\"", OverlayStroke { halo: 0.8, ..OverlayStroke::new(COLOUR, 1.1) });
        out.labels.mark(mark.at, 3.0);
    }
    for mark in &marks {
        let away =
            mark.tangents.into_iter().flatten().fold(Vec2::ZERO, |sum, handle| sum + (mark.at - handle));
        number(mark.vertex, VertexPart::Anchor, mark.at, away, out);
    }
    for mark in &marks {
        for (handle, part) in mark.tangents.into_iter().zip([VertexPart::In, VertexPart::Out]) {
            if let Some(handle) = handle.filter(|handle| (*handle - mark.at).hypot() > NEAR) {
                number(mark.vertex, part, handle, handle - mark.at, out);
            }
        }
    }
}

/// Writes an address beside its point if there is space.
fn number(vertex: u32, part: VertexPart, at: Point, along: Vec2, out: &mut OverlayWriter<'_>) {
    let words = VertexAddress { vertex, part }.show();
    let (size, colour, rings): (_, _, &[f64]) = match part {
        VertexPart::Anchor => (NUMBER, COLOUR, &[4.0, 7.0, 11.0]),
        _ => (TANGENT_NUMBER, TANGENT, &[3.0, 6.0]),
    };
    let words = TextLine::new(&words, size, at, colour).halo(HALO);
    let room = Size::new(words.width() + 0.5, size + 1.0);
    // Rotated, so that positions ahead come first.
    let ahead = Vec2::new(along.y, -along.x);
    let places = around(at, ahead, room, rings);
    if let Some(place) = out.labels.take(&places, room, part != VertexPart::Anchor) {
        let at = Point::new(place.x, place.y + 0.36 * size);
        TextLine { at, ..words }.anchor(Anchor::Middle).write(out.svg);
    }
}

/// The paths whose vertices are shown: those of the named art, or else all that follow bones.
fn paths(rig: &Rig, only: Option<&str>) -> Vec<ElementId> {
    let art = rig.art();
    if let Some(element) = only.and_then(|name| art.find(name).ok()) {
        return art.paths_in(element);
    }
    let drawn = |id: &ElementId| art.element(*id).is_some_and(|e| e.state == ElementState::Drawn);
    let rigid = rig.rigid_elements().flat_map(|(element, _)| art.paths_in(element));
    let mut all: Vec<ElementId> = rig.posed_elements().iter().copied().filter(drawn).chain(rigid).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn marks(rig: &Rig, state: &FrameState, id: ElementId, out: &OverlayWriter<'_>) -> Vec<VertexMark> {
    let art = rig.art();
    let Some(outline) = art.outline(id).filter(|outline| outline.visible) else { return Vec::new() };
    let up = || std::iter::successors(Some(id), |at| art.element(*at)?.parent);
    let hidden = |at: ElementId| {
        let mut draw_order = rig.draw_order().elements.iter().zip(state.visibilities());
        draw_order.any(|(element, visibility)| *element == at && !visibility.visible)
    };
    if up().any(hidden) {
        return Vec::new();
    }
    let posed = rig.posed_elements().iter().position(|element| *element == id);
    let path = posed.and_then(|at| rig.skin().paths().nth(at));
    let rigid = |at| rig.rigid_elements().find(|(element, _)| *element == at);
    let matrix = up().find_map(rigid).map_or(Affine::IDENTITY, |(_, bone)| state.matrices().of(bone));
    let lines = BLine::from_path(&outline.path);
    let mut marks = Vec::new();
    for (number, vertex) in lines.iter().flat_map(|line| line.vertices()).enumerate() {
        let place = |part: VertexPoint, rest: Point| match path {
            Some(path) => rig.skin().posed_part((state.matrices(), state.posed()), path, number, part),
            None => Some(matrix * rest),
        };
        let Some(at) = place(VertexPoint::Anchor, vertex.anchor).and_then(|at| out.at(at)) else { continue };
        let tangent = |part: VertexPoint, rest: Point| {
            if rest == vertex.anchor { None } else { place(part, rest).and_then(|at| out.at(at)) }
        };
        let tangents =
            [tangent(VertexPoint::In, vertex.tangent_in), tangent(VertexPoint::Out, vertex.tangent_out)];
        marks.push(VertexMark { vertex: number as u32, at, tangents });
    }
    marks
}
