//! Fewer colours for all frames of an animation, with alpha: each pixel gets the nearest of one palette. No
//! dithering, which flickers and does not compress.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::palette::Palette;
use crate::raster::Rgba;

/// Alpha from here on is made opaque: the inside of a shape must not show what is behind it.
const OPAQUE: u8 = 250;

/// Frames of straight RGBA with at most `most` colours in all, one of them for transparent pixels.
pub fn reduce_colours(frames: &[Arc<[u8]>], most: u16) -> Vec<Arc<[u8]>> {
    let mut counts: BTreeMap<Rgba, u32> = BTreeMap::new();
    for run in frames.iter().flat_map(|frame| frame.as_chunks::<4>().0.chunk_by(|a, b| a == b)) {
        if run[0][3] > 0 {
            let count = counts.entry(premultiplied(run[0])).or_default();
            *count = count.saturating_add(u32::try_from(run.len()).unwrap_or(u32::MAX));
        }
    }
    if counts.is_empty() {
        return frames.to_vec();
    }
    let most = usize::from(most.clamp(2, 256)) - 1;
    let palette = Palette::find(counts.iter().map(|(colour, count)| (*colour, *count)), most);
    let entries: Vec<Rgba> = palette.colours().iter().map(|entry| straight(*entry)).collect();
    // An opaque pixel stays opaque, if the palette has any such colour.
    let solid: Vec<Rgba> = entries.iter().copied().filter(|entry| entry[3] == 255).collect();
    let solids = Palette::new(solid.clone());
    let near = |pixel: Rgba| match pixel[3] {
        255 if !solid.is_empty() => solid[solids.nearest(pixel).0],
        _ => entries[palette.nearest(premultiplied(pixel)).0],
    };
    let mut known: BTreeMap<Rgba, Rgba> = BTreeMap::new();
    let mut reduced: Vec<Arc<[u8]>> = Vec::with_capacity(frames.len());
    for (at, frame) in frames.iter().enumerate() {
        if at > 0 && Arc::ptr_eq(frame, &frames[at - 1]) {
            reduced.push(Arc::clone(&reduced[at - 1]));
            continue;
        }
        let mut pixels = Vec::with_capacity(frame.len());
        for run in frame.as_chunks::<4>().0.chunk_by(|a, b| a == b) {
            let found = match run[0][3] {
                0 => [0; 4],
                _ => *known.entry(run[0]).or_insert_with(|| near(run[0])),
            };
            pixels.extend(std::iter::repeat_n(found, run.len()).flatten());
        }
        reduced.push(pixels.into());
    }
    reduced
}

/// Distances between colours are what is seen of them.
fn premultiplied([red, green, blue, alpha]: Rgba) -> Rgba {
    let [red, green, blue] = [red, green, blue].map(|channel| {
        let product = (u32::from(channel) * u32::from(alpha) + 127) / 255;
        u8::try_from(product).unwrap_or(255)
    });
    [red, green, blue, alpha]
}

fn straight([red, green, blue, alpha]: Rgba) -> Rgba {
    if alpha == 0 {
        return [0; 4];
    }
    let over = u32::from(alpha);
    let [red, green, blue] = [red, green, blue]
        .map(|channel| u8::try_from((u32::from(channel) * 255 + over / 2) / over).unwrap_or(255));
    [red, green, blue, if alpha >= OPAQUE { 255 } else { alpha }]
}
