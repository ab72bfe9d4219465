//! Sprite sheets: the frames of clips packed into pages, with straight alpha, and the data by which game
//! engines find them. Frames that look the same share a place.

mod data;
mod pack;
mod page;

use std::collections::HashMap;

use crate::error::{ExportError, check_frame};
use crate::events::ExportEvent;
use crate::raster::{PixelRect, PixelSize, Rgba, bounds, visible};
use crate::timing::PlayRate;
use pack::{PagePlace, PageRules};
pub use page::AtlasPage;

/// No page is larger, whatever is asked for: graphics cards have no larger textures.
const LONGEST_SIDE: u32 = 32_768;

/// Which part of a frame is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum AtlasTrim {
    /// For all frames of a clip the smallest box around what any of them shows: nothing jitters, whatever the
    /// reader does with offsets.
    #[default]
    Clip,
    /// For each frame the box around what it shows. The data have the offsets.
    Frame,
}

/// How a sheet is laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtlasOptions {
    /// Which part of a frame is packed.
    pub trim: AtlasTrim,
    /// How often the pixels at the edge of a sprite are repeated outside, so that no neighbour shows where
    /// the sheet is scaled.
    pub extrude: u32,
    /// Empty pixels between sprites.
    pub padding: u32,
    /// Whether sides of pages are powers of two.
    pub power_of_two: bool,
    /// The longest side of a page.
    pub max_side: u32,
    /// The point of a frame that its owner has in the game, in pixels from the upper left corner of the
    /// untrimmed frame; the middle if there is none.
    pub pivot: Option<(f64, f64)>,
}

impl Default for AtlasOptions {
    fn default() -> Self {
        Self {
            trim: AtlasTrim::Clip,
            extrude: 1,
            padding: 2,
            power_of_two: false,
            max_side: 4096,
            pivot: None,
        }
    }
}

/// Different pixels, once.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SpritePicture {
    width: u32,
    pixels: Vec<Rgba>,
}

/// A frame of a clip.
#[derive(Clone, Copy, Debug)]
struct ClipFrame {
    picture: usize,
    /// The place of the picture in the frame; `None` if nothing can be seen.
    visible: Option<PixelRect>,
}

#[derive(Debug)]
struct AtlasClip {
    name: String,
    rate: PlayRate,
    looped: bool,
    frames: Vec<ClipFrame>,
    events: Vec<ExportEvent>,
}

/// Collects the frames of a sheet. The memory is that of the visible parts of different frames.
#[derive(Debug)]
pub struct AtlasBuilder {
    size: PixelSize,
    options: AtlasOptions,
    clips: Vec<AtlasClip>,
    pictures: Vec<SpritePicture>,
    /// Pictures by a hash of their pixels. It is never iterated.
    known: HashMap<u64, Vec<usize>>,
    incoming: Vec<Rgba>,
}

/// A part of a page.
#[derive(Clone, Copy, Debug)]
struct Sprite {
    picture: usize,
    /// The place of the picture in the sprite, and the size of the sprite.
    inside: (u32, u32),
    size: PixelSize,
    place: PagePlace,
}

/// A frame of the sheet.
#[derive(Clone, Copy, Debug)]
struct AtlasFrame {
    sprite: usize,
    /// The place of the sprite in the untrimmed frame.
    source: PixelRect,
}

/// A packed sheet.
#[derive(Debug)]
pub struct Atlas {
    size: PixelSize,
    options: AtlasOptions,
    clips: Vec<AtlasClip>,
    /// Frames of all clips in order.
    frames: Vec<AtlasFrame>,
    sprites: Vec<Sprite>,
    pages: Vec<PixelSize>,
    pictures: Vec<SpritePicture>,
}

impl AtlasBuilder {
    /// A sheet without frames.
    pub fn new(size: PixelSize, options: AtlasOptions) -> Self {
        Self {
            size,
            options,
            clips: Vec::new(),
            pictures: Vec::new(),
            known: HashMap::new(),
            incoming: Vec::new(),
        }
    }

    /// Begins a clip: the next frames are its frames.
    pub fn clip(&mut self, name: &str, rate: PlayRate, looped: bool) {
        self.clips.push(AtlasClip {
            name: name.to_owned(),
            rate,
            looped,
            frames: Vec::new(),
            events: Vec::new(),
        });
    }

    /// Adds events to the last clip, if there is one.
    pub fn events(&mut self, events: Vec<ExportEvent>) {
        if let Some(clip) = self.clips.last_mut() {
            clip.events.extend(events);
        }
    }

    /// Adds a frame to the last clip: straight RGBA, row by row.
    ///
    /// # Errors
    /// If the frame has another size, or there is no clip.
    pub fn push(&mut self, frame: &[u8]) -> Result<(), ExportError> {
        check_frame(frame, self.size)?;
        if frame.is_empty() {
            return Err(ExportError::FrameSize { found: 0, expected: 4 });
        }
        visible(frame, &mut self.incoming);
        let pixels = &self.incoming;
        let shown = bounds(self.size, |at| pixels[at][3] > 0);
        // Nothing is a pixel that shows nothing.
        let rect = shown.unwrap_or(PixelRect { x: 0, y: 0, width: 1, height: 1 });
        let picture = SpritePicture {
            width: rect.width,
            pixels: rect.rows(self.size.width).flat_map(|row| &pixels[row]).copied().collect(),
        };
        let clip = self.clips.last_mut().ok_or(ExportError::TooFewFrames)?;
        let same = self.known.entry(hash(&picture)).or_default();
        let found = same.iter().copied().find(|at| self.pictures[*at] == picture);
        let picture = found.unwrap_or_else(|| {
            same.push(self.pictures.len());
            self.pictures.push(picture);
            self.pictures.len() - 1
        });
        clip.frames.push(ClipFrame { picture, visible: shown });
        Ok(())
    }

    /// Packs the frames.
    ///
    /// # Errors
    /// If there are no frames, or one does not fit into a page.
    pub fn build(self) -> Result<Atlas, ExportError> {
        let Self { size, options, clips, pictures, .. } = self;
        let nothing = PixelRect { x: 0, y: 0, width: 1, height: 1 };
        let mut frames = Vec::new();
        let mut sprites: Vec<Sprite> = Vec::new();
        // Sprites by what they show; sorted lookups only.
        let mut known = std::collections::BTreeMap::new();
        for clip in &clips {
            let all = clip.frames.iter().filter_map(|frame| frame.visible).reduce(PixelRect::union);
            for frame in &clip.frames {
                let own = frame.visible.unwrap_or(nothing);
                let source = match options.trim {
                    AtlasTrim::Clip => all.unwrap_or(nothing),
                    AtlasTrim::Frame => own,
                };
                // Where nothing is seen, the place of the pixel does not matter.
                let inside = frame.visible.map_or((0, 0), |own| (own.x - source.x, own.y - source.y));
                let size = PixelSize { width: source.width, height: source.height };
                let key = (frame.picture, inside, size.width, size.height);
                let sprite = *known.entry(key).or_insert_with(|| {
                    let place = PagePlace { page: 0, x: 0, y: 0 };
                    sprites.push(Sprite { picture: frame.picture, inside, size, place });
                    sprites.len() - 1
                });
                frames.push(AtlasFrame { sprite, source });
            }
        }
        if frames.is_empty() {
            return Err(ExportError::TooFewFrames);
        }
        let border = options.extrude.saturating_mul(2);
        let cells: Vec<PixelSize> = sprites
            .iter()
            .map(|sprite| PixelSize {
                width: sprite.size.width.saturating_add(border),
                height: sprite.size.height.saturating_add(border),
            })
            .collect();
        // The longest side is a power of two, too, where sides are.
        let most = match options.max_side.max(1) {
            side if options.power_of_two => 1 << side.ilog2(),
            side => side,
        }
        .min(LONGEST_SIDE);
        if let Some(cell) = cells.iter().find(|cell| cell.width.max(cell.height) > most) {
            return Err(ExportError::SpriteTooLarge { size: *cell, most });
        }
        let rules =
            PageRules { most, padding: options.padding.min(most), power_of_two: options.power_of_two };
        let (places, pages) = pack::pack(&cells, rules);
        for (sprite, place) in sprites.iter_mut().zip(places) {
            sprite.place = PagePlace { x: place.x + options.extrude, y: place.y + options.extrude, ..place };
        }
        Ok(Atlas { size, options, clips, frames, sprites, pages, pictures })
    }
}

fn hash(picture: &SpritePicture) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    picture.hash(&mut hasher);
    hasher.finish()
}
