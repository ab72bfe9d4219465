//! The triangles of a frame.

use std::ops::Range;

use bone_drawing::NodeId;
use kurbo::{Point, Vec2};

use crate::cache::PlaceWork;
use crate::paint::{Ramps, VertexPaint};
use crate::topology::Topology;

/// A corner of triangles. Its bytes can go to a graphics card as they are.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct MeshVertex {
    /// In the space of the view.
    pub x: f32,
    /// See `x`.
    pub y: f32,
    /// Red, green and blue in sRGB, not multiplied by alpha, which is opacity times coverage. White where the colour
    /// is that of a gradient or a picture.
    pub color: [u8; 4],
    /// Where it is in the gradient: along a linear one from 0 to 1; in the unit circle of a radial one, whose focus is
    /// on the first axis; of a picture the share of its width.
    pub u: f32,
    /// See `u`; nothing for linear gradients.
    pub v: f32,
    /// The row of the gradient, low byte first; the kind (0 a colour, 1 linear, 2 radial, 3 a picture) plus 4 times
    /// how it goes on beyond its ends (0 its last colours, 1 back and forth, 2 again); and how far the focus is from
    /// the centre, in parts of 255 of the radius.
    pub paint: [u8; 4],
}

/// A call of the graphics card. Ranges are of [`FrameMesh::indices`], three a triangle.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshDraw {
    /// Triangles with colours and gradients.
    Triangles(Range<usize>),
    /// Two triangles with the picture of a node.
    Picture {
        /// The image.
        node: NodeId,
        /// Its triangles.
        indices: Range<usize>,
    },
    /// What follows shows within these triangles alone, and within those of the clips around it.
    Clip(Range<usize>),
    /// The end of the last clip.
    Unclip,
}

/// The triangles of a frame, back to front.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameMesh {
    vertices: Vec<MeshVertex>,
    indices: Vec<u32>,
    draws: Vec<MeshDraw>,
    pub(crate) ramps: Ramps,
    pub(crate) left_out: u32,
}

/// What the triangles of a shape are drawn with.
#[derive(Clone, Copy)]
pub(crate) struct TriangleLook {
    pub(crate) paint: VertexPaint,
    /// The size of a pixel in the space of the view; 0 for hard edges.
    pub(crate) pixel: f64,
}

impl FrameMesh {
    /// Without triangles.
    pub fn new() -> Self {
        Self::default()
    }

    /// The corners.
    pub fn vertices(&self) -> &[MeshVertex] {
        &self.vertices
    }

    /// Corners of triangles, three each.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// What is drawn, in order.
    pub fn draws(&self) -> &[MeshDraw] {
        &self.draws
    }

    /// The texture of gradients: rows of [`RAMP_WIDTH`](crate::RAMP_WIDTH) colours, four bytes each, multiplied by
    /// alpha.
    pub fn ramps(&self) -> &[u8] {
        &self.ramps.pixels
    }

    /// Another number after the texture has changed.
    pub fn ramp_revision(&self) -> u64 {
        self.ramps.revision
    }

    /// What has no triangles and is drawn without its effect: bits of [`left_out`](crate::left_out).
    pub fn left_out(&self) -> u32 {
        self.left_out
    }

    /// Takes everything out, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.vertices.clear();
        self.indices.clear();
        self.draws.clear();
        self.ramps.begin();
        self.left_out = 0;
    }

    pub(crate) fn draw(&mut self, draw: MeshDraw) {
        if let (MeshDraw::Triangles(more), Some(MeshDraw::Triangles(last))) = (&draw, self.draws.last_mut())
            && last.end == more.start
        {
            last.end = more.end;
        } else {
            self.draws.push(draw);
        }
    }

    /// Adds corners of a picture, whose place in it is that of the corner.
    pub(crate) fn picture(&mut self, node: NodeId, corners: [Point; 4], color: [u8; 4], paint: [u8; 4]) {
        let (start, first) = (self.indices.len(), self.vertices.len() as u32);
        let places = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        self.vertices.extend(corners.into_iter().zip(places).map(|(at, (u, v))| MeshVertex {
            x: at.x as f32,
            y: at.y as f32,
            color,
            u,
            v,
            paint,
        }));
        self.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        self.draws.push(MeshDraw::Picture { node, indices: start..self.indices.len() });
    }

    /// Adds the triangles of a shape whose points are placed in the work, and which `around` has in its own space.
    /// Around them is a strip, along which the coverage falls to 0: half of it inside, half outside. What is thinner
    /// than a pixel is a pixel wide, and covers as much less. Returns the range of indices.
    pub(crate) fn shape(
        &mut self,
        own: &[Point],
        topology: &Topology,
        look: TriangleLook,
        work: &mut PlaceWork,
    ) -> Range<usize> {
        let start = self.indices.len();
        let PlaceWork { placed, normals } = work;
        let first = self.vertices.len() as u32;
        let TriangleLook { paint, pixel } = look;
        let area = topology.doubled_area(placed);
        if pixel <= 0.0 {
            let color = alpha(paint, 1.0);
            self.vertices.extend(placed.iter().zip(own).map(|(at, own)| vertex(*at, color, paint, *own)));
            self.indices.extend(topology.triangles.iter().flatten().map(|corner| first + corner));
            return start..self.indices.len();
        }
        normals.clear();
        normals.resize(placed.len(), (Vec2::ZERO, 0));
        let mut length = 0.0;
        for [a, b] in &topology.rim {
            let along = placed[*b as usize] - placed[*a as usize];
            let edge = along.hypot();
            if edge > 0.0 {
                length += edge;
                let outward = Vec2::new(along.y, -along.x) / if area < 0.0 { -edge } else { edge };
                for corner in [a, b] {
                    let (normal, edges) = &mut normals[*corner as usize];
                    *normal += outward;
                    *edges += 1;
                }
            }
        }
        let thickness = if length > 0.0 { area.abs() / (length * pixel) } else { 0.0 };
        let thin = thickness.min(1.0);
        let (inset, outset) = (0.5 * thin * pixel, 0.5 * pixel);
        let color = alpha(paint, 2.0 * thin / (1.0 + thin));
        let clear = alpha(paint, 0.0);
        let nowhere = MeshVertex { x: 0.0, y: 0.0, color, u: 0.0, v: 0.0, paint: paint.paint };
        self.vertices.resize(first as usize + 2 * placed.len(), nowhere);
        let pairs = self.vertices[first as usize..].chunks_exact_mut(2);
        for (((at, own), (normal, edges)), pair) in placed.iter().zip(own).zip(normals.iter()).zip(pairs) {
            // Of two unit vectors n and m, 2 (n + m) / |n + m|^2 is one from both edges as far as they are from the
            // corner; sharp corners are cut.
            let length = normal.hypot2();
            let miter = match edges {
                0 | 1 => *normal,
                _ if length > 1.0 => *normal * (2.0 / length),
                _ => *normal * 2.0,
            };
            let [u, v] = paint.at(*own);
            let (inner, outer) = (*at - miter * inset, *at + miter * outset);
            for (corner, at, color) in [(0, inner, color), (1, outer, clear)] {
                let corner = &mut pair[corner];
                corner.x = at.x as f32;
                corner.y = at.y as f32;
                corner.color = color;
                corner.u = u;
                corner.v = v;
            }
        }
        let inside = start + 3 * topology.triangles.len();
        self.indices.resize(inside + 6 * topology.rim.len(), 0);
        let (triangles, strip) = self.indices[start..].split_at_mut(inside - start);
        for (into, corners) in triangles.chunks_exact_mut(3).zip(&topology.triangles) {
            for (into, corner) in into.iter_mut().zip(corners) {
                *into = first + 2 * corner;
            }
        }
        for (into, [a, b]) in strip.chunks_exact_mut(6).zip(&topology.rim) {
            let [a, b] = [first + 2 * a, first + 2 * b];
            for (into, corner) in into.iter_mut().zip([a, b, b + 1, a, b + 1, a + 1]) {
                *into = corner;
            }
        }
        start..self.indices.len()
    }
}

/// A colour with what it covers.
fn alpha(paint: VertexPaint, coverage: f64) -> [u8; 4] {
    let [red, green, blue] = paint.color;
    [red, green, blue, (255.0 * (paint.opacity * coverage).clamp(0.0, 1.0)).round() as u8]
}

fn vertex(at: Point, color: [u8; 4], paint: VertexPaint, own: Point) -> MeshVertex {
    let [u, v] = paint.at(own);
    MeshVertex { x: at.x as f32, y: at.y as f32, color, u, v, paint: paint.paint }
}
