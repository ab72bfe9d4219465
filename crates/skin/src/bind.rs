//! Binding: outlines and weights become columns of points and vertex weights, once, so that a frame is a few
//! loops.

use std::ops::Range;
use std::sync::Arc;

use bone_core::Skeleton;

use crate::bline::BLine;
use crate::error::BindError;
use crate::fold_places::add_fold_places;
use crate::keyed::check_keyed;
use crate::options::{BindOptions, Follow, Weights, vertex_count};
use crate::pack::Packer;
use crate::plan::PathPlan;
use crate::skin::{BoundPath, DeformingSegment, NodeDirection, PathId, Piece, Places, Skin};

impl Skin {
    /// Binds the outlines of a path.
    ///
    /// # Errors
    /// If the weights do not match the outlines, or are keyed for a mode that does not allow it, or the tolerance is
    /// not above 0.
    pub fn bind(
        &mut self,
        lines: &[BLine],
        weights: &Weights<'_>,
        options: &BindOptions<'_>,
    ) -> Result<PathId, BindError> {
        let path = self.next_path();
        self.append(&Self::of_path(lines, weights, options)?)?;
        Ok(path)
    }

    /// A skin of one path, to be [appended](Self::append) to others.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub fn of_path(
        lines: &[BLine],
        weights: &Weights<'_>,
        options: &BindOptions<'_>,
    ) -> Result<Self, BindError> {
        match weights {
            Weights::Explicit(rest) | Weights::Keyed { rest, .. } if !weights.fit(lines) => {
                return Err(BindError::VertexCount { vertices: vertex_count(lines), weights: rest.len() });
            }
            Weights::Field(field) if field.bones().is_empty() => return Err(BindError::NoBones),
            Weights::Keyed { rest, tracks } => check_keyed(rest, tracks, options.blend)?,
            _ => {}
        }
        if let Follow::Curves { tolerance, .. } = options.follow
            && !(tolerance.is_finite() && tolerance > 0.0)
        {
            return Err(BindError::Tolerance);
        }
        let skeleton = match options.follow {
            Follow::ControlPoints => None,
            Follow::Curves { skeleton, .. } => Some(skeleton),
        };
        let skin = Self::of_plan(Arc::new(PathPlan::new(lines, weights, options)), skeleton);
        skin.check_size(&Self::new())?;
        Ok(skin)
    }

    /// The columns of a planned path.
    pub(crate) fn of_plan(plan: Arc<PathPlan>, skeleton: Option<&Skeleton>) -> Self {
        let mut skin = Self::new();
        let mut packer = Packer::new(&mut skin, &plan);
        for line in &plan.lines {
            packer.line(line);
        }
        let (elements, vertices, keyed) = packer.finish();
        let (apart, turned) = add_fold_places(&mut skin, &elements, skeleton.zip(plan.tolerance), plan.fill);
        let path = skin.next_path();
        skin.paths.push(BoundPath {
            first: Places::default(),
            points: 0..skin.points.len(),
            elements: elements.into(),
            vertices: vertices.into(),
            table_rows: (0..skin.table.counts().0 as u32).collect(),
            folds: plan.folds,
            fill: plan.fill,
            apart,
            turned: turned.into(),
            plan,
        });
        skin.keyed.extend(keyed.map(|keyed| (path, keyed)));
        skin
    }

    /// Adds the paths of another skin behind those of this one: a path that is bound once can be a part of
    /// several skins. The result is the same as that of binding them all in this order.
    ///
    /// # Errors
    /// [`BindError::TooMany`], and then nothing was added.
    pub fn append(&mut self, other: &Self) -> Result<(), BindError> {
        self.check_size(other)?;
        let first = self.ends();
        let (first_path, first_piece, first_bone) =
            (self.paths.len() as u32, self.pieces.len(), self.segment_bones.len());
        let added = self.table.append(&other.table);
        let row = |row: &u32| added.rows[*row as usize];
        self.points.extend_from_slice(&other.points);
        self.rows.extend(other.rows.iter().map(row));
        self.samples.extend_from_slice(&other.samples);
        self.sample_rows.extend(other.sample_rows.iter().map(row));
        self.directions.extend(other.directions.iter().map(|direction| NodeDirection {
            row: row(&direction.row),
            slope: direction.slope.map(|slope| slope + added.first_gradient),
            ..*direction
        }));
        self.fold_places.extend_from_slice(&other.fold_places);
        self.pieces.extend(other.pieces.iter().map(|piece| Piece {
            point: piece.point + first.points as u32,
            sample: piece.sample + first.samples as u32,
            directions: piece.directions.map(|direction| direction + first.directions as u32),
            ..*piece
        }));
        let shift = |range: &Range<usize>, by: usize| range.start + by..range.end + by;
        self.deforming_segments.extend(other.deforming_segments.iter().map(|segment| DeformingSegment {
            pieces: shift(&segment.pieces, first_piece),
            point: segment.point + first.points,
            bones: shift(&segment.bones, first_bone),
        }));
        self.segment_bones.extend_from_slice(&other.segment_bones);
        self.paths.extend(other.paths.iter().map(|path| BoundPath {
            first: path.first.after(&first),
            points: shift(&path.points, first.points),
            elements: Arc::clone(&path.elements),
            vertices: Arc::clone(&path.vertices),
            table_rows: path.table_rows.iter().map(row).collect(),
            folds: path.folds,
            fill: path.fill,
            apart: path.apart,
            turned: Arc::clone(&path.turned),
            plan: Arc::clone(&path.plan),
        }));
        let keyed = other.keyed.iter();
        self.keyed.extend(keyed.map(|(path, keyed)| (path.after(first_path), keyed.in_table(&added))));
        Ok(())
    }

    /// Whether the places of this skin and another one together can be numbered.
    fn check_size(&self, other: &Self) -> Result<(), BindError> {
        let (own, more) = (self.ends(), other.ends());
        let most = [own.points + more.points, own.samples + more.samples, own.directions + more.directions];
        if most.into_iter().any(|count| count > u32::MAX as usize) { Err(BindError::TooMany) } else { Ok(()) }
    }
}
