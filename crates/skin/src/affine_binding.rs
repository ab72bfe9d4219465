//! Art that follows bones as a whole, such as an image: by the affine map nearest to the deformation of its
//! points. Allocates only when it is made.

use bone_archive::archive;
use bone_core::BoneId;
use kurbo::{Affine, Point, Vec2};

use crate::blend::{Influence, SkinBlend, blend};
use crate::bline::VertexPoint;
use crate::centres::centre;
use crate::nearest_affine::NearestAffine;
use crate::weight_curve::{WeightField, field_row};
use crate::{PathId, PosedDrawing, Skin, SkinMatrices};

/// A piece of art that follows bones by one affine map.
///
/// With the points `p_i` of the art at rest, and their deformed positions, `q_i = D(p_i)` with `D` the blend
/// of the bones by the weights at `p_i`, the map `A` minimises `sum |A p_i - q_i|^2`. If all points follow
/// one bone it is that bone's matrix, to the bit.
#[derive(Clone, Debug)]
pub struct AffineBinding {
    places: Vec<Place>,
    influences: Vec<Influence>,
    blend: SkinBlend,
    fit: NearestAffine,
    /// The only bone of all points.
    only: Option<BoneId>,
    vertex: Option<(PathId, usize)>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    at: Point,
    /// The range of its weights in `influences`.
    row: (u32, u32),
    /// The centre of rotation for its weights.
    centre: Point,
    coefficient: Vec2,
}

impl AffineBinding {
    /// Art with points spread over it, with the weights of a field at these points. A field without bones
    /// moves nothing.
    pub fn new(places: &[Point], field: &dyn WeightField, blend: SkinBlend) -> Self {
        let rows: Vec<(Point, Vec<Influence>)> = match field.bones() {
            [] => Vec::new(),
            _ => places.iter().map(|at| (*at, field_row(field, *at))).collect(),
        };
        let share = 1.0 / rows.len().max(1) as f64;
        let (fit, coefficients) = NearestAffine::new(rows.iter().map(|(at, _)| (*at, share)));
        let first = rows.first().and_then(|(_, row)| Some(row.first()?.0));
        let only = first.filter(|bone| rows.iter().all(|(_, row)| row.len() == 1 && row[0].0 == *bone));
        let mut influences: Vec<Influence> = Vec::new();
        let mut place = |((at, row), coefficient): (&(Point, Vec<Influence>), Vec2)| {
            let start = influences.len() as u32;
            influences.extend(row);
            let centre = if blend.has_centres() { centre(&rows, row) } else { Point::ZERO };
            Place { at: *at, row: (start, influences.len() as u32), centre, coefficient }
        };
        let places = rows.iter().zip(coefficients).map(&mut place).collect();
        Self { places, influences, blend, fit, only, vertex: None }
    }

    /// Attaches the art to a vertex of a path, so that it also follows offsets of the vertex: a marker.
    #[must_use]
    pub fn at_vertex(self, path: PathId, vertex: usize) -> Self {
        Self { vertex: Some((path, vertex)), ..self }
    }

    /// The vertex that it is attached to.
    pub fn vertex(&self) -> Option<(PathId, usize)> {
        self.vertex
    }

    /// The map of a pose, from the canvas at rest to the canvas. Does not allocate.
    pub fn affine(&self, skin: &Skin, matrices: &SkinMatrices, posed: &PosedDrawing) -> Affine {
        let affine = self.blended(matrices);
        let vertex = self.vertex.and_then(|(path, vertex)| {
            let (rest, _) = skin.vertex_point(path, vertex, VertexPoint::Anchor)?;
            Some((rest, skin.posed_part((matrices, posed), path, vertex, VertexPoint::Anchor)?))
        });
        match vertex {
            Some((rest, now)) => affine.then_translate(now - affine * rest),
            None => affine,
        }
    }

    fn blended(&self, matrices: &SkinMatrices) -> Affine {
        if let Some(bone) = self.only {
            return matrices.of_known(bone);
        }
        if self.places.is_empty() {
            return Affine::IDENTITY;
        }
        let share = 1.0 / self.places.len() as f64;
        self.fit.affine(self.places.iter().map(|place| {
            let row = &self.influences[place.row.0 as usize..place.row.1 as usize];
            let to = Affine::new(blend(self.blend, row, place.centre, matrices.motions()));
            (to * place.at, share, place.coefficient)
        }))
    }
}

archive!(struct Place { at, row, centre, coefficient });

archive!(struct AffineBinding { places, influences, blend, fit, only, vertex }
    if |it| it.places.iter().all(|place| {
        place.row.0 <= place.row.1 && place.row.1 as usize <= it.influences.len()
    }), "art that follows bones");
