//! Vertices with the numbers by which a rig names them, and their tangents: `3`, `3.in`, `3.out`.

use drawing::{ElementId, ElementState};
use kurbo::{Affine, BezPath, Point, Size, Vec2};
use skin::{BLine, VertexPoint};

use super::labels::around;
use super::{HALO, Pen, Stroke};
use crate::lettering::{Anchor, Words};
use rig::{FrameState, Rig};
use rig_format::doc::{VertexAddress, VertexPart};

const COLOUR: &str = "#0b57a4";
const TANGENT: &str = "#b0306a";
/// Heights of numbers, in pixels.
const NUMBER: f64 = 9.0;
const TANGENT_NUMBER: f64 = 7.5;
/// Handles that are nearer to their vertex than this many pixels get no number.
const NEAR: f64 = 14.0;

/// A vertex of the picture, in pixels.
struct Mark {
    vertex: u32,
    at: Point,
    tangents: [Option<Point>; 2],
}

pub(super) fn write(scene: &Rig, state: &FrameState, only: Option<&str>, pen: &mut Pen<'_>) {
    let marks: Vec<Mark> =
        paths(scene, only).into_iter().flat_map(|id| marks(scene, state, id, pen)).collect();
    for mark in &marks {
        for handle in mark.tangents.into_iter().flatten() {
            let mut line = BezPath::new();
            line.move_to(mark.at);
            line.line_to(handle);
            pen.path(&line, "fill=\"none\"", Stroke { halo: 0.8, ..Stroke::new(TANGENT, 0.7) });
            pen.dot(handle, 1.6, "fill=\"#fff\"", Stroke { halo: 0.6, ..Stroke::new(TANGENT, 0.9) });
        }
    }
    for mark in &marks {
        let square = kurbo::Rect::from_center_size(mark.at, Size::new(4.4, 4.4));
        let shape: BezPath = kurbo::Shape::to_path(&square, 0.1);
        pen.path(&shape, "fill=\"#fff\"", Stroke { halo: 0.8, ..Stroke::new(COLOUR, 1.1) });
        pen.labels.mark(mark.at, 3.0);
    }
    for mark in &marks {
        let away =
            mark.tangents.into_iter().flatten().fold(Vec2::ZERO, |sum, handle| sum + (mark.at - handle));
        number(mark.vertex, VertexPart::Anchor, mark.at, away, pen);
    }
    for mark in &marks {
        for (handle, part) in mark.tangents.into_iter().zip([VertexPart::In, VertexPart::Out]) {
            if let Some(handle) = handle.filter(|handle| (*handle - mark.at).hypot() > NEAR) {
                number(mark.vertex, part, handle, handle - mark.at, pen);
            }
        }
    }
}

/// Writes an address beside its point if there is room.
fn number(vertex: u32, part: VertexPart, at: Point, along: Vec2, pen: &mut Pen<'_>) {
    let words = VertexAddress { vertex, part }.show();
    let (size, colour, rings): (_, _, &[f64]) = match part {
        VertexPart::Anchor => (NUMBER, COLOUR, &[4.0, 7.0, 11.0]),
        _ => (TANGENT_NUMBER, TANGENT, &[3.0, 6.0]),
    };
    let words = Words::new(&words, size, at, colour).halo(HALO);
    let room = Size::new(words.width() + 0.5, size + 1.0);
    // Turned, so that what lies ahead comes first.
    let ahead = Vec2::new(along.y, -along.x);
    let places = around(at, ahead, room, rings);
    if let Some(place) = pen.labels.take(&places, room, part != VertexPart::Anchor) {
        let at = Point::new(place.x, place.y + 0.36 * size);
        Words { at, ..words }.anchor(Anchor::Middle).write(pen.svg);
    }
}

/// The paths whose vertices are shown: those of some art, else all that follow bones.
fn paths(scene: &Rig, only: Option<&str>) -> Vec<ElementId> {
    let art = scene.art();
    if let Some(element) = only.and_then(|name| art.find(name).ok()) {
        return art.paths_in(element);
    }
    let drawn = |id: &ElementId| art.element(*id).is_some_and(|e| e.state == ElementState::Drawn);
    let rigid = scene.rigid_elements().flat_map(|(element, _)| art.paths_in(element));
    let mut all: Vec<ElementId> = scene.posed_elements().iter().copied().filter(drawn).chain(rigid).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn marks(scene: &Rig, state: &FrameState, id: ElementId, pen: &Pen<'_>) -> Vec<Mark> {
    let art = scene.art();
    let Some(outline) = art.outline(id).filter(|outline| outline.visible) else { return Vec::new() };
    let up = || std::iter::successors(Some(id), |at| art.element(*at)?.parent);
    let hidden = |at: ElementId| {
        let mut stage = scene.draw_order().elements.iter().zip(state.visibilities());
        stage.any(|(element, presence)| *element == at && !presence.visible)
    };
    if up().any(hidden) {
        return Vec::new();
    }
    let posed = scene.posed_elements().iter().position(|element| *element == id);
    let path = posed.and_then(|at| scene.skin().paths().nth(at));
    let rigid = |at| scene.rigid_elements().find(|(element, _)| *element == at);
    let matrix = up().find_map(rigid).map_or(Affine::IDENTITY, |(_, bone)| state.matrices().of(bone));
    let lines = BLine::from_path(&outline.path);
    let mut marks = Vec::new();
    for (number, vertex) in lines.iter().flat_map(|line| line.vertices()).enumerate() {
        let place = |part: VertexPoint, rest: Point| match path {
            Some(path) => scene.skin().posed_part((state.matrices(), state.posed()), path, number, part),
            None => Some(matrix * rest),
        };
        let Some(at) = place(VertexPoint::Anchor, vertex.anchor).and_then(|at| pen.at(at)) else { continue };
        let tangent = |part: VertexPoint, rest: Point| {
            if rest == vertex.anchor { None } else { place(part, rest).and_then(|at| pen.at(at)) }
        };
        let tangents =
            [tangent(VertexPoint::In, vertex.tangent_in), tangent(VertexPoint::Out, vertex.tangent_out)];
        marks.push(Mark { vertex: number as u32, at, tangents });
    }
    marks
}
