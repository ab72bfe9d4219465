//! Dithered gradients: beside formulas of the exact colour, and beside the frame that is not dithered.

use super::*;
use crate::Viewport;

fn drawn(svg: &str, scale: f64, dither: bool) -> Pixmap {
    let art = std::sync::Arc::new(read(svg));
    let size = FrameSize::from_scale(art.size(), scale).unwrap();
    let mut view = Viewport::fit(&art, &FrameOptions { size, background: None });
    view.dither = dither;
    let mut pixmap = Pixmap::new(size.width(), size.height()).unwrap();
    let report = Renderer::new().draw_into(&art, &Frame::default(), &view, pixmap.data_mut()).unwrap();
    assert!(!report.fell_back);
    pixmap
}

/// The largest distance of the mean of 8 x 8 pixels from the mean of the exact red, in levels.
fn worst_mean(pixmap: &Pixmap, exact: impl Fn(f64, f64) -> f64) -> f64 {
    let (width, height) = (pixmap.width() as usize, pixmap.height() as usize);
    let mut worst = 0.0_f64;
    for y in (0..height / 8).map(|y| y * 8) {
        for x in (0..width / 8).map(|x| x * 8) {
            let (mut found, mut expected) = (0.0, 0.0);
            for (x, y) in (0..64).map(|k| (x + k % 8, y + k / 8)) {
                found += f64::from(pixmap.pixels()[y * width + x].red());
                expected += exact(x as f64 + 0.5, y as f64 + 0.5);
            }
            worst = worst.max((found - expected).abs() / 64.0);
        }
    }
    worst
}

#[test]
fn means_of_neighbours_are_exact_and_bands_are_gone() {
    // Eight levels over 512 pixels: bands of 64 columns.
    let linear = format!(
        "{HEAD} width='512' height='64'><linearGradient id='a'><stop stop-color='#640000'/><stop offset='1' stop-color='#6c0000'/></linearGradient>\
         <rect width='512' height='64' fill='url(#a)'/></svg>"
    );
    let exact = |x: f64, _: f64| 100.0 + 8.0 * x / 512.0;
    let (plain, dithered) = (drawn(&linear, 1.0, false), drawn(&linear, 1.0, true));
    assert!(worst_mean(&plain, exact) > 0.4, "{}", worst_mean(&plain, exact));
    assert!(worst_mean(&dithered, exact) < 0.02, "{}", worst_mean(&dithered, exact));
    let longest = |pixmap: &Pixmap| {
        let row = &pixmap.pixels()[..512];
        row.chunk_by(|a, b| a.red() == b.red()).map(<[_]>::len).max().unwrap()
    };
    assert!(longest(&plain) >= 60 && longest(&dithered) <= 16, "{}, {}", longest(&plain), longest(&dithered));

    let radial = format!(
        "{HEAD} width='256' height='256'><radialGradient id='a' gradientUnits='userSpaceOnUse' cx='128' cy='128' r='200'>\
         <stop stop-color='#640000'/><stop offset='1' stop-color='#6c0000'/></radialGradient><rect width='256' height='256' fill='url(#a)'/></svg>"
    );
    let exact = |x: f64, y: f64| 100.0 + 8.0 * ((x - 128.0).powi(2) + (y - 128.0).powi(2)).sqrt() / 200.0;
    let worst = worst_mean(&drawn(&radial, 1.0, true), exact);
    assert!(worst < 0.1, "{worst}");
}

/// A focal point, its radius, spreads, transforms, strokes, opacity, layers and odd stops: a level at most
/// beside the frame that is not dithered.
#[test]
fn each_pixel_is_a_neighbouring_level() {
    let stops = "<stop offset='.1' stop-color='#204060'/><stop offset='.4' stop-color='#a06040' stop-opacity='.5'/><stop offset='.9' stop-color='#60a080'/>";
    let mut worst = Vec::new();
    for spread in ["pad", "repeat", "reflect"] {
        for gradient in [
            format!(
                "<linearGradient id='a' x1='.1' y1='.2' x2='.8' y2='.6' spreadMode='{spread}'>{stops}</linearGradient>"
            ),
            format!(
                "<radialGradient id='a' cx='.5' cy='.5' r='.4' fx='.3' fy='.35' spreadMode='{spread}' gradientTransform='rotate(20) scale(1 .7)'>{stops}</radialGradient>"
            ),
            format!(
                "<radialGradient id='a' cx='.5' cy='.5' r='.45' fx='.4' fy='.4' fr='.1' spreadMode='{spread}'>{stops}</radialGradient>"
            ),
        ] {
            for shape in [
                "<path d='M5 5H75V60L40 75Z' fill='url(#a)'/>",
                "<path d='M15 15H65L60 60Z' fill='none' stroke='url(#a)' stroke-width='9' transform='rotate(8 40 40)'/>",
                "<g opacity='.7'><circle cx='40' cy='40' r='30' fill='url(#a)' fill-opacity='.8'/></g>",
            ] {
                let svg = drawing(&format!("{gradient}{shape}"));
                let (plain, dithered) = (drawn(&svg, 3.0, false), drawn(&svg, 3.0, true));
                assert!(inked(&plain) == inked(&dithered));
                let differs = |most| {
                    plain.data().iter().zip(dithered.data()).filter(|(a, b)| a.abs_diff(**b) > most).count()
                };
                // Edges are blended once more; a colour that jumps may do so a pixel later.
                worst.push((differs(1), differs(2), svg));
            }
        }
    }
    for (two, more, svg) in worst {
        assert!(two <= 120 && more <= 60, "{two}, {more}: {svg}");
    }
}

#[test]
fn what_has_no_gradient_stays() {
    let svg = drawing(
        "<rect x='3.3' y='4' width='50' height='60' fill='#c63' stroke='#222' stroke-width='3'/>\
        <linearGradient id='a'><stop stop-color='#c63'/></linearGradient><circle cx='60' cy='60' r='12' fill='url(#a)'/>",
    );
    assert!(drawn(&svg, 2.0, false) == drawn(&svg, 2.0, true));
}

/// The corner of a stroke reaches far beyond the outline, and its gradient with it.
#[test]
fn corners_of_strokes_are_dithered_to_their_ends() {
    let svg = drawing(
        "<linearGradient id='a' gradientUnits='userSpaceOnUse' x1='0' y1='10' x2='0' y2='80'><stop stop-color='#f00'/><stop offset='1' stop-color='#00f'/></linearGradient>\
         <path d='M30 75L40 45L50 75' fill='none' stroke='url(#a)' stroke-width='7' stroke-miterlimit='9'/>",
    );
    let (plain, dithered) = (drawn(&svg, 3.0, false), drawn(&svg, 3.0, true));
    assert_eq!(inked(&plain), inked(&dithered));
    // The corner is at 45 - 3.5 / sin(18.4 degrees), 34.
    assert!(plain.pixels()[240 * 106 + 120].alpha() == 255);
    // Edges are blended once more.
    assert!(difference(&plain, &dithered).1 <= 4, "{:?}", difference(&plain, &dithered));
}
