//! Differences of pictures, and golden pictures for tests to compare with. On failure a picture of three
//! panels is written beside the golden one: expected, found, difference.

use std::path::{Path, PathBuf};

use bone_render::{Background, FrameOptions, FrameSize, Pixmap, Raster, Resources};
use tiny_skia::{FilterQuality, PixmapPaint, PremultipliedColorU8, Transform};

use crate::files::{root, shown};
use crate::renew;

/// The difference of two pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Pixels that differ at all.
    pub pixels: usize,
    /// Pixels of which a channel differs by more than one level.
    pub beyond_one: usize,
    /// The largest difference of a channel, in levels.
    pub largest: u8,
}

impl Difference {
    /// The sum of two differences.
    pub fn and(self, other: Self) -> Self {
        Self {
            pixels: self.pixels + other.pixels,
            beyond_one: self.beyond_one + other.beyond_one,
            largest: self.largest.max(other.largest),
        }
    }
}

/// The difference of two pictures of the same size.
///
/// # Panics
/// If their sizes differ.
pub fn difference(a: &Pixmap, b: &Pixmap) -> Difference {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()), "sizes");
    a.pixels().iter().zip(b.pixels()).fold(Difference::default(), |all, (a, b)| {
        let most = apart(*a, *b).into_iter().max().unwrap_or(0);
        all.and(Difference {
            pixels: usize::from(most > 0),
            beyond_one: usize::from(most > 1),
            largest: most,
        })
    })
}

/// A drawing as resvg draws it, on white.
///
/// # Panics
/// If it cannot be drawn.
pub fn by_resvg(svg: &str, size: FrameSize) -> Pixmap {
    let options = FrameOptions { size, background: Background::parse("white").expect("a colour") };
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    Raster::new(Resources::default()).draw(svg, &options, &mut pixmap).expect("a picture");
    pixmap
}

fn apart(a: PremultipliedColorU8, b: PremultipliedColorU8) -> [u8; 4] {
    [
        a.red().abs_diff(b.red()),
        a.green().abs_diff(b.green()),
        a.blue().abs_diff(b.blue()),
        a.alpha().abs_diff(b.alpha()),
    ]
}

/// Pictures in rows on one sheet, each at a share of its size.
///
/// # Panics
/// If there is no memory for it.
pub fn contact_sheet(rows: &[Vec<Pixmap>], scale: f32) -> Pixmap {
    let size = |side: u32| (side as f32 * scale).ceil() as u32;
    let row_size = |row: &Vec<Pixmap>| {
        let (widths, heights) =
            (row.iter().map(|it| size(it.width())), row.iter().map(|it| size(it.height())));
        (widths.sum::<u32>(), heights.max().unwrap_or(0))
    };
    let width = rows.iter().map(|row| row_size(row).0).max().unwrap_or(0);
    let height = rows.iter().map(|row| row_size(row).1).sum::<u32>();
    let mut sheet = Pixmap::new(width.max(1), height.max(1)).expect("memory for a sheet");
    let paint = PixmapPaint { quality: FilterQuality::Bilinear, ..PixmapPaint::default() };
    let mut y = 0;
    for row in rows {
        let mut x = 0;
        for picture in row {
            let place = Transform::from_scale(scale, scale).post_translate(x as f32, y as f32);
            sheet.draw_pixmap(0, 0, picture.as_ref(), &paint, place, None);
            x += size(picture.width());
        }
        y += row_size(row).1;
    }
    sheet
}

/// Levels of the third panel for one level of difference, so that a small one is seen.
const AMPLIFIED: u8 = 16;

/// Expected, found and difference side by side.
fn panels(expected: &Pixmap, found: &Pixmap) -> Option<Pixmap> {
    let (width, height) = (expected.width().max(found.width()), expected.height().max(found.height()));
    let mut all = Pixmap::new(width * 3, height)?;
    let at = |x: u32, y: u32| (y * width * 3 + x) as usize;
    for y in 0..height {
        for x in 0..width {
            let (a, b) = (expected.pixel(x, y), found.pixel(x, y));
            let clear = PremultipliedColorU8::TRANSPARENT;
            let loud = match (a, b) {
                (Some(a), Some(b)) => apart(a, b).map(|levels| levels.saturating_mul(AMPLIFIED)),
                // Beyond the edge of one of them.
                _ => [255, 0, 255, 0],
            };
            let pixels = all.pixels_mut();
            pixels[at(x, y)] = a.unwrap_or(clear);
            pixels[at(x + width, y)] = b.unwrap_or(clear);
            let [red, green, blue, alpha] = loud;
            let shown = PremultipliedColorU8::from_rgba(red.max(alpha), green, blue, 255);
            pixels[at(x + 2 * width, y)] = shown.unwrap_or(clear);
        }
    }
    Some(all)
}

/// Pixels of a golden picture that may differ by more than one level: edges that fall between two pixels, on
/// another kind of processor.
pub const ALLOWED: usize = 12;

/// Golden pictures are kept this small, so that there can be many.
pub const LARGEST_GOLDEN: usize = 20 << 10;

/// Where a golden picture is kept.
pub fn golden_path(name: &str) -> PathBuf {
    root().join("tests/golden").join(format!("{name}.png"))
}

/// Compares a picture with the golden one of this name, or renews it. The error names the picture of the
/// panels.
///
/// # Errors
/// If it is another picture, or there is none.
pub fn compare_golden(name: &str, found: &Pixmap) -> Result<Difference, String> {
    let path = golden_path(name);
    compare_at(&path, found, renew())
}

fn compare_at(path: &Path, found: &Pixmap, renew: bool) -> Result<Difference, String> {
    let beside = path.with_extension("mismatch.png");
    // What a former failure left would mislead.
    let _ = std::fs::remove_file(&beside);
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{}: {what}: {error}", shown(path));
    let expected = Pixmap::load_png(path);
    let difference = match &expected {
        Ok(expected) if (expected.width(), expected.height()) == (found.width(), found.height()) => {
            Some(difference(expected, found))
        }
        _ => None,
    };
    if let Some(same) = difference.filter(|difference| difference.beyond_one <= ALLOWED) {
        return Ok(same);
    }
    let encode = |pixmap: &Pixmap| pixmap.encode_png().map_err(|error| failed("encoding", &error));
    if renew {
        let bytes = encode(found)?;
        if bytes.len() > LARGEST_GOLDEN {
            return Err(format!("{}: {} bytes are too many for a golden picture", shown(path), bytes.len()));
        }
        std::fs::write(path, bytes).map_err(|error| failed("writing", &error))?;
        return Ok(Difference::default());
    }
    let expected = expected.map_err(|error| failed("no golden picture; RENEW=1 makes one", &error))?;
    if let Some(panels) = panels(&expected, found) {
        std::fs::write(&beside, encode(&panels)?).map_err(|error| failed("writing", &error))?;
    }
    let words = match difference {
        Some(d) => format!("{} pixels differ by more than 1, up to {}", d.beyond_one, d.largest),
        None => "it has another size".to_owned(),
    };
    Err(format!("{}: {words}; expected, found and difference: {}", shown(path), beside.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(level: u8) -> Pixmap {
        let mut pixmap = Pixmap::new(20, 10).expect("memory");
        pixmap.fill(tiny_skia::Color::from_rgba8(level, level, level, 255));
        pixmap
    }

    #[test]
    fn a_golden_picture_forgives_one_level_and_shows_more() {
        let folder = std::env::temp_dir().join(format!("golden-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let (golden, mismatch) = (folder.join("a.png"), folder.join("a.mismatch.png"));
        assert!(compare_at(&golden, &grey(100), false).is_err(), "there is none yet");
        assert!(compare_at(&golden, &grey(100), true).is_ok());
        let near = compare_at(&golden, &grey(101), false).expect("one level is forgiven");
        assert_eq!((near.pixels, near.beyond_one, near.largest), (200, 0, 1));
        let error = compare_at(&golden, &grey(104), false).expect_err("four levels are not");
        assert!(error.contains("200 pixels") && error.contains("a.mismatch.png"), "{error}");
        let shown = Pixmap::load_png(&mismatch).expect("three panels");
        assert_eq!((shown.width(), shown.height()), (60, 10));
        assert_eq!(shown.pixel(59, 9).map(|p| p.green()), Some(4 * AMPLIFIED));
        assert!(compare_at(&golden, &grey(100), false).is_ok());
        assert!(!mismatch.exists(), "what a former failure left is gone");
        std::fs::remove_dir_all(&folder).expect("the temporary folder");
    }
}
