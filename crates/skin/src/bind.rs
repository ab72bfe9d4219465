//! Binding: outlines and weights become columns of points and vertex weights, once, so that a frame is a few
//! loops.

use crate::bline::BLine;
use crate::error::BindError;
use crate::keyed::check_keyed;
use crate::options::{BindOptions, Weights};
use crate::pack::Packer;
use crate::skin::{BoundPath, PathId, Skin};

impl Skin {
    /// Binds the outlines of a path.
    ///
    /// # Errors
    /// If the weights do not match the outlines, or are keyed for a mode that does not allow it.
    pub fn bind(
        &mut self,
        lines: &[BLine],
        weights: &Weights<'_>,
        options: &BindOptions<'_>,
    ) -> Result<PathId, BindError> {
        let count: usize = lines.iter().map(|line| line.vertices().len()).sum();
        match weights {
            Weights::Explicit(rest) | Weights::Keyed { rest, .. } if rest.len() != count => {
                return Err(BindError::VertexCount { vertices: count, weights: rest.len() });
            }
            Weights::Field(field) if field.bones().is_empty() => return Err(BindError::NoBones),
            Weights::Keyed { rest, tracks } => check_keyed(rest, tracks, options.blend)?,
            _ => {}
        }
        let start = self.points.len();
        let mut packer = Packer::new(self, weights, options, lines);
        for line in lines {
            packer.line(line);
        }
        let (elements, vertices, keyed) = packer.finish();
        let points = start..self.points.len();
        if self.points.len() > u32::MAX as usize || self.samples.len() > u32::MAX as usize {
            return Err(BindError::TooMany);
        }
        let path = self.next_path();
        self.paths.push(BoundPath { points, elements, vertices });
        self.keyed.extend(keyed.map(|keyed| (path, keyed)));
        Ok(path)
    }
}
