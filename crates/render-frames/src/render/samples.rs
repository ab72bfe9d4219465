//! Frames that are drawn larger and averaged. Each edge of a shape covers a part of a pixel, and two shapes that
//! touch cover it one over the other: a bit of what is behind shows through. Of the pixels of a larger picture
//! few are on the edge.

use bone_render::{DrawReport, FrameSize, Pixmap, Viewport};
use bone_rig::{FrameState, Rig};
use kurbo::Affine;

/// The larger picture of one thread.
#[derive(Debug, Default)]
pub(super) struct Samples {
    large: Option<Pixmap>,
}

/// The size of the larger picture.
///
/// # Errors
/// If it is too large.
pub(super) fn large(size: FrameSize, samples: u32) -> Result<FrameSize, String> {
    let large = FrameSize::new(size.width().saturating_mul(samples), size.height().saturating_mul(samples));
    large.map_err(|error| format!("--samples {samples}: {error}"))
}

impl Samples {
    /// Draws a frame of a posed state. The pixmap has its size.
    pub(super) fn draw(
        &mut self,
        scene: &Rig,
        state: &mut FrameState,
        view: &Viewport,
        samples: u32,
        pixmap: &mut Pixmap,
    ) -> Result<DrawReport, String> {
        let mut view = *view;
        view.size = large(view.size, samples)?;
        let scale = f64::from(samples);
        view.transform = Affine::scale(scale) * view.transform;
        view.cut = view.cut.map(|cut| cut.scale_from_origin(scale));
        let (width, height) = (view.size.width(), view.size.height());
        let large = match &mut self.large {
            Some(large) => large,
            none => none.insert(Pixmap::new(width, height).ok_or("there is no memory for the samples")?),
        };
        let report = scene.draw_into(state, &view, large.data_mut()).map_err(|error| error.to_string())?;
        average(large, samples as usize, pixmap);
        Ok(report)
    }
}

/// The means of squares of pixels, colours multiplied by alpha.
fn average(large: &Pixmap, samples: usize, pixmap: &mut Pixmap) {
    let (width, all) = (pixmap.width() as usize, u32::try_from(samples * samples).unwrap_or(u32::MAX));
    let (pixels, _) = pixmap.data_mut().as_chunks_mut::<4>();
    let (large, _) = large.data().as_chunks::<4>();
    let mut sums = vec![[0_u32; 4]; width];
    let bands = large.chunks_exact(width * samples * samples);
    for (row, band) in pixels.chunks_exact_mut(width).zip(bands) {
        sums.fill([0; 4]);
        for line in band.chunks_exact(width * samples) {
            for (sum, group) in sums.iter_mut().zip(line.chunks_exact(samples)) {
                for pixel in group {
                    sum.iter_mut().zip(pixel).for_each(|(sum, value)| *sum += u32::from(*value));
                }
            }
        }
        for (pixel, sum) in row.iter_mut().zip(&sums) {
            *pixel = sum.map(|sum| u8::try_from((sum + all / 2) / all).unwrap_or(u8::MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_rounded() {
        let mut large = Pixmap::new(4, 2).unwrap();
        large.data_mut().copy_from_slice(&[
            4, 0, 0, 255, 5, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, //
            4, 0, 0, 255, 5, 0, 0, 255, 0, 9, 0, 255, 0, 0, 0, 0,
        ]);
        let mut small = Pixmap::new(2, 1).unwrap();
        average(&large, 2, &mut small);
        assert_eq!(small.data(), [5, 0, 0, 255, 0, 2, 0, 64]);
    }
}
