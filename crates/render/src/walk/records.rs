//! What shapes cover that did not change since the last frame, wherever they stand in the stack: they are coloured anew, not
//! scanned. A colour with a cover does to a pixel what it did before, whatever lies beneath, so that no pixel differs.
//! Refuses more memory than it is allowed.

use crate::fill::Record;

/// Most bytes of kept runs, eight bytes each.
const MAX_KEPT: usize = 32 << 20;

/// What of a shape is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    Fill,
    Stroke,
}

#[derive(Debug, Default)]
pub(crate) struct Records {
    all: Vec<[Record; 2]>,
    kept: usize,
}

impl Records {
    /// For so many nodes.
    pub(crate) fn new(nodes: usize) -> Self {
        Self { all: std::iter::repeat_with(Default::default).take(nodes).collect(), kept: 0 }
    }

    /// How many bytes are kept.
    #[cfg(test)]
    pub(crate) fn kept(&self) -> usize {
        self.kept
    }

    /// Lends the record of a part of a shape.
    pub(crate) fn lend(&mut self, at: usize, part: Part) -> Record {
        let record = std::mem::take(&mut self.all[at][part as usize]);
        self.kept -= record.bytes();
        record.wanting(self.kept < MAX_KEPT)
    }

    /// Takes a record back.
    pub(crate) fn put(&mut self, at: usize, part: Part, record: Record) {
        self.kept += record.bytes();
        self.all[at][part as usize] = record;
    }

    /// Forgets a shape that changed.
    pub(crate) fn forget(&mut self, at: usize) {
        for record in &mut self.all[at] {
            self.kept -= std::mem::take(record).bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use kurbo::Affine;
    use tiny_skia::Pixmap;

    use crate::{Art, FrameOptions, FrameSize, Given, Resources, Template, Walker};

    /// Shapes that stay, above and within what moves.
    const DRAWING: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='80'>\
        <clipPath id='c'><circle cx='60' cy='50' r='18'/></clipPath>\
        <rect width='90' height='80' fill='#eef'/>\
        <g id='moves'><path d='M5 9h30v40h-30z' fill='#c33'/></g>\
        <path d='M20 20C70 10 70 60 30 70S1 40 20 20z' fill='#3a6' fill-opacity='.4' stroke='#222' stroke-width='3'/>\
        <g clip-path='url(#c)'><path d='M40 30h40v40h-40z' fill='#37c'/><g id='within'><path d='M50 40h9v30h-9z'/></g></g>\
        <path d='M70 5q20 30 -3 60' fill='none' stroke='#fc3' stroke-width='4' stroke-dasharray='7 3'/></svg>";

    #[test]
    fn shapes_that_stay_above_moving_ones_are_kept_to_the_pixel() {
        let art = Art::read(DRAWING, &Resources::none()).unwrap().0;
        let ids = ["moves", "within"].map(|name| art.find(name).unwrap());
        let template = Template::new(&art, &ids, &[]).unwrap();
        let mut kept = Walker::new();
        let mut most = 0;
        for frame in 0..12_u8 {
            // A larger frame in between, and one that is like the one before.
            let scale = if frame == 7 { 3.0 } else { 2.0 };
            let options =
                FrameOptions { size: FrameSize::from_scale(art.size(), scale).unwrap(), background: None };
            let rigid = [1.3, 0.7].map(|step| Affine::translate((step * f64::from(frame.min(10)), 2.0)));
            let given = Given { rigid: &rigid, ..Given::default() };
            let draw = |walker: &mut Walker| {
                let mut pixmap = Pixmap::new(1, 1).unwrap();
                assert!(!walker.draw(&template, &given, &options, &mut pixmap).unwrap().whole_by_text);
                pixmap
            };
            let (found, want) = (draw(&mut kept), draw(&mut Walker::new()));
            assert!(found == want, "frame {frame}");
            most = most.max(kept.memory.records.kept());
        }
        // Two parts of a shape, a stroke and the two shapes of a layer that is drawn anew in each frame.
        assert!(most > 5 * 8 * 40, "{most} bytes");
    }
}
