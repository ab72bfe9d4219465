//! The deformation `D`: each row of weights blends its bones' matrices once, each point meets its row's blend.

use kurbo::{Affine, Point};

use crate::bline::Part;
use crate::offset::Offsets;
use crate::{PathId, PosedDrawing, Skin, SkinMatrices};

/// Poses every bound path: `V(t) = VF(t) + D(VS)`, offsets as they are at `time` on the keys' own axis.
///
/// Allocates nothing once `posed` has been used with this skin.
pub fn deform(
    skin: &Skin,
    matrices: &SkinMatrices,
    offsets: Option<(&Offsets, f64)>,
    posed: &mut PosedDrawing,
) {
    blend_rows(skin, matrices, &mut posed.blended);
    transform_points(skin, &posed.blended, &mut posed.points);
    if let Some((offsets, time)) = offsets {
        offsets.add_to(matrices, time, &mut posed.points);
    }
    posed.fill_elements(skin);
}

/// The linear blend `sum w_j M_j` of each row. A row with one bone is that bone's matrix, to the bit.
fn blend_rows(skin: &Skin, matrices: &SkinMatrices, blended: &mut Vec<Affine>) {
    let matrices = matrices.as_slice();
    blended.clear();
    blended.extend(skin.table.rows().map(|row| {
        match row {
            [] => return Affine::IDENTITY,
            [(bone, _)] => return matrices[bone.index()],
            _ => {}
        }
        let mut sum = [0.0; 6];
        for (bone, weight) in row {
            let m = matrices[bone.index()].as_coeffs();
            for (sum, m) in sum.iter_mut().zip(m) {
                *sum += weight * m;
            }
        }
        Affine::new(sum)
    }));
}

fn transform_points(skin: &Skin, blended: &[Affine], points: &mut Vec<Point>) {
    points.clear();
    points.extend(skin.points.iter().zip(&skin.rows).map(|(point, row)| blended[*row as usize] * *point));
}

impl Skin {
    /// D(VS): where the bones alone put a part of a vertex. `None` if the path has no such part.
    pub fn deformed(
        &self,
        matrices: &SkinMatrices,
        path: PathId,
        vertex: usize,
        part: Part,
    ) -> Option<Point> {
        let place = self.place(path, vertex, part)?;
        let rest = self.points[place];
        let row = self.table.row(self.rows[place]);
        match row {
            [] => return Some(rest),
            [(bone, _)] => return Some(matrices.of(*bone) * rest),
            _ => {}
        }
        let sum = row.iter().fold(kurbo::Vec2::ZERO, |sum, (bone, weight)| {
            sum + (matrices.of(*bone) * rest).to_vec2() * *weight
        });
        Some(sum.to_point())
    }

    /// `VF = P' - D(VS)`: the free offset, on the canvas, that brings a part of a vertex to `target` in this pose.
    /// This is what dragging a point does. `None` if the path has no such part.
    pub fn offset_to(
        &self,
        matrices: &SkinMatrices,
        path: PathId,
        vertex: usize,
        part: Part,
        target: Point,
    ) -> Option<kurbo::Vec2> {
        self.deformed(matrices, path, vertex, part).map(|deformed| target - deformed)
    }
}
