//! Drawings at rest with every element bound, compared with resvg on the author's SVG.

use super::*;

fn drawings() -> Vec<(&'static str, String)> {
    let body = |body: &str| drawing(body);
    vec![
        (
            "groups",
            body(
                "<g transform='translate(10.3 5.7) rotate(13)'><g transform='scale(1.7 .8)'><rect x='3.1' y='2.2' width='20' height='21.3' transform='skewX(11)' fill='#c40' stroke='#024' stroke-width='1.3'/><circle cx='31' cy='15' r='9.9' fill='teal'/></g></g>",
            ),
        ),
        (
            "viewbox offset",
            format!(
                "{HEAD} width='90' height='60' viewBox='-13.5 7.25 37 51'><path d='M-10 10 C 5 8 20 30 22 55 L -12 50 Z' fill='#393' stroke='black'/></svg>"
            ),
        ),
        (
            "millimetres",
            format!(
                "{HEAD} width='21mm' height='29.7mm' viewBox='0 0 210 297' preserveAspectRatio='xMinYMax slice'><ellipse cx='100.1' cy='140.7' rx='80.3' ry='50.5' fill='#639' stroke='#000' stroke-width='5'/></svg>"
            ),
        ),
        (
            "gradients",
            body(
                "<defs><linearGradient id='a'><stop stop-color='red'/><stop offset='1' stop-color='blue' stop-opacity='.3'/></linearGradient><radialGradient id='b' gradientUnits='userSpaceOnUse' cx='50' cy='50' r='25' fx='45' gradientTransform='rotate(7.3)' spreadMethod='reflect'><stop stop-color='yellow'/><stop offset='.7' stop-color='green'/></radialGradient></defs><rect x='3' y='3' width='40' height='25' fill='url(#a)' transform='rotate(5)'/><circle cx='50' cy='50' r='23.3' fill='url(#b)' stroke='url(#a)' stroke-width='4'/>",
            ),
        ),
        (
            "patterns",
            body(
                "<pattern id='p' width='.2' height='.25' patternTransform='rotate(17)'><circle cx='3' cy='3' r='2.7' fill='red'/></pattern><pattern id='q' patternUnits='userSpaceOnUse' width='7.3' height='5.1'><path d='M0 0L7 5' stroke='navy'/></pattern><rect x='5' y='5' width='40' height='40' fill='url(#p)'/><rect x='35' y='35' width='40' height='40' fill='url(#q)' stroke='black'/>",
            ),
        ),
        (
            "clips",
            body(
                "<clipPath id='c'><circle cx='40' cy='40' r='25.5'/><rect width='20' height='20' transform='rotate(9)'/></clipPath><clipPath id='d' clipPathUnits='objectBoundingBox' clip-path='url(#c)'><path d='M0 0L1 .5L0 1Z'/></clipPath><rect x='7' y='7' width='60' height='60' fill='#06c' clip-path='url(#c)'/><g clip-path='url(#d)' transform='translate(3 3)'><rect x='30' y='30' width='40' height='40' fill='#c60'/></g>",
            ),
        ),
        (
            "clip with use",
            body(
                "<defs><path id='u' d='M0 0H30V20Z' transform='rotate(11)'/></defs><clipPath id='c'><use href='#u' transform='translate(12.3 9.1) scale(1.3)'/></clipPath><rect width='80' height='80' fill='#283' clip-path='url(#c)'/>",
            ),
        ),
        (
            "masks",
            body(
                "<mask id='m'><linearGradient id='g'><stop stop-color='#fff'/><stop offset='1'/></linearGradient><rect width='80' height='80' fill='url(#g)'/></mask><mask id='n' mask-type='alpha' maskContentUnits='objectBoundingBox'><circle cx='.5' cy='.5' r='.4' opacity='.7'/></mask><rect x='5' y='5' width='50' height='50' mask='url(#m)' fill='purple'/><rect x='33' y='33' width='40' height='40' mask='url(#n)' fill='olive'/>",
            ),
        ),
        (
            "blur",
            body(
                "<filter id='f'><feGaussianBlur stdDeviation='2.3'/></filter><rect x='15' y='15' width='40' height='40' fill='#d11' filter='url(#f)' transform='rotate(4)'/>",
            ),
        ),
        (
            "drop shadow",
            body(
                "<filter id='f' x='-30%' y='-30%' width='160%' height='160%'><feDropShadow dx='3' dy='4' stdDeviation='1.5' flood-color='#013' flood-opacity='.6'/></filter><g filter='url(#f)'><circle cx='30' cy='30' r='17' fill='gold'/><path d='M40 40h20v20z' fill='#084'/></g>",
            ),
        ),
        (
            "opacity and blending",
            body(
                "<g opacity='.6'><rect width='50' height='50' fill='#f80'/><rect x='20' y='20' width='50' height='50' fill='#08f' style='mix-blend-mode:multiply'/></g><circle cx='60' cy='20' r='15' fill='#0a0' fill-opacity='.4' style='mix-blend-mode:screen;isolation:isolate'/>",
            ),
        ),
        (
            "dashes",
            body(
                "<path d='M5 40C20 -10 60 90 75 40' fill='none' stroke='#222' stroke-width='4' stroke-dasharray='7.1 3.3 1' stroke-dashoffset='2.2' stroke-linecap='round' stroke-linejoin='bevel' transform='scale(1 .9)'/>",
            ),
        ),
        (
            "markers",
            body(
                "<marker id='m' orient='auto' markerWidth='4' markerHeight='4' refX='2' refY='2'><path d='M0 0L4 2L0 4Z' fill='context-stroke'/></marker><path d='M10 60L40 20L70 60' fill='none' stroke='#a0a' stroke-width='3' marker-start='url(#m)' marker-mid='url(#m)' marker-end='url(#m)'/>",
            ),
        ),
        (
            "use and symbol",
            body(
                "<symbol id='s' viewBox='0 0 10 10'><circle cx='5' cy='5' r='6' fill='inherit'/></symbol><g id='o'><rect width='9' height='14.5'/></g><use href='#s' x='5' y='5' width='30' height='20' fill='crimson'/><use xlink:href='#o' transform='translate(50 45) rotate(21)' fill='#159'/>",
            ),
        ),
        (
            "nested svg and switch",
            body(
                "<svg x='10' y='12' width='50' height='40' viewBox='0 0 25 30'><rect x='-5' width='20' height='40' fill='#470'/></svg><svg x='3' y='40' overflow='visible'><circle cx='20' cy='20' r='12' fill='#747'/></svg><switch><g systemLanguage='xx'><rect width='80' height='80'/></g><g><path d='M60 60h15v15z'/></g></switch>",
            ),
        ),
        (
            "images",
            body(&format!(
                "<image href='{}' x='10' y='10' width='30' height='30' image-rendering='optimizeSpeed'/><image href='{}' x='45' y='30' width='30' height='15' preserveAspectRatio='xMidYMid slice' transform='rotate(10)' opacity='.5'/>",
                dot(),
                dot()
            )),
        ),
        (
            "style sheet",
            body(
                "<style>.a{fill:#b22;stroke:#000} g > .b{fill:#22b} rect:first-child{opacity:.5}</style><g><rect class='a' width='30' height='30'/><rect class='b' x='35' y='20' width='30' height='30'/></g>",
            ),
        ),
        ("no size", format!("{HEAD}><rect x='5' y='5' width='33.3' height='22.2' fill='#345'/></svg>")),
        (
            "entities",
            "<!DOCTYPE svg [<!ENTITY ns 'http://www.w3.org/2000/svg'><!ENTITY st 'fill:#357'>]><svg xmlns='&ns;' width='40' height='40'><rect style='&st;' width='33' height='21'/></svg>".to_owned(),
        ),
        (
            "ids that usvg makes up",
            body(
                "<clipPath id='c' clipPathUnits='objectBoundingBox'><circle cx='.5' cy='.5' r='.4'/></clipPath><linearGradient id='g'><stop stop-color='red'/><stop offset='1'/></linearGradient><g id='clipPath1'><rect width='30' height='30' clip-path='url(#c)' fill='url(#g)'/></g><rect id='linearGradient1' x='40' y='20' width='35' height='50' clip-path='url(#c)' fill='url(#g)'/>",
            ),
        ),
        (
            "files in filters, and an id that one could have had",
            body(&format!(
                "<filter id='f'><feImage href='{0}' x='5' y='5' width='30' height='20' result='one'/>\
                 <feImage href='{0}' x='30' y='20' width='20' height='30' preserveAspectRatio='none'/>\
                 <feMerge><feMergeNode/><feMergeNode in='one'/></feMerge></filter>\
                 <rect id='f-file0' x='60' y='60' width='9' height='9'/><rect width='50' height='50' filter='url(#f)'/>",
                dot()
            )),
        ),
        (
            "elements in filters",
            body(
                "<filter id='f'><feImage href='#dot'/></filter><circle id='dot' cx='30' cy='20' r='9' fill='#393'/>\
                 <rect x='20' y='10' width='50' height='50' filter='url(#f)'/>",
            ),
        ),
        (
            "more colour than there was",
            body("<rect x='9' y='9' width='50' height='50' fill='#2e8b57' filter='saturate(2)'/>"),
        ),
        (
            "odd ids",
            body(
                "<linearGradient id='a&amp;b'><stop stop-color='red'/><stop offset='1'/></linearGradient><rect id='x&lt;y' width='50' height='50' fill='url(#a&amp;b)'/>",
            ),
        ),
    ]
}

/// Pixels that may differ in all drawings together, and by how many levels: numbers are read twice, by way of
/// f32. None of 480,000 did when this was written; another machine's pixels may.
const ALLOWED: (usize, u8) = (50, 1);

#[test]
fn drawings_at_rest_are_as_resvg_draws_them() {
    let mut total = (0, 0);
    for (name, svg) in drawings() {
        let art = read(&svg);
        let (paths, rest) = outlines(&art);
        let rigid: Vec<ElementId> = art
            .ids()
            .filter(|id| art.element(*id).is_some_and(|e| e.state == bone_drawing::ElementState::Drawn))
            .collect();
        let posable = posable(&art, &rigid, &paths).unwrap();
        let mut text = String::new();
        let skipped = write(&posable, &vec![Affine::IDENTITY; rigid.len()], &rest, &[], &mut text);
        assert_eq!(skipped, Skipped::default(), "{name}");
        let original = draw(&svg);
        assert!(inked(&original) > 100, "{name} draws nothing");
        let (count, largest) = difference(&original, &draw(&text));
        assert!(
            count <= ALLOWED.0 && largest <= ALLOWED.1,
            "{name}: {count} pixels differ by up to {largest}"
        );
        total = (total.0 + count, total.1.max(largest));
    }
    assert!(total.0 <= ALLOWED.0 && total.1 <= ALLOWED.1, "{total:?}");
}

#[test]
fn canvas_space_is_the_view_box() {
    let (_, millimetres) = drawings().into_iter().find(|(name, _)| *name == "millimetres").unwrap();
    let art = read(&millimetres);
    assert_eq!(art.canvas(), kurbo::Rect::new(0.0, 0.0, 210.0, 297.0));
    assert!((art.size().width - 79.37).abs() < 0.01);
    let ellipse = art.ids().find_map(|id| art.outline(id)).unwrap();
    let bounds = kurbo::Shape::bounding_box(&ellipse.path);
    assert!((bounds.center() - kurbo::Point::new(100.1, 140.7)).hypot() < 1e-4);
    assert_eq!(ellipse.local_to_canvas, Affine::IDENTITY);

    let (_, offset) = drawings().into_iter().find(|(name, _)| *name == "viewbox offset").unwrap();
    let art = read(&offset);
    assert_eq!(art.canvas(), kurbo::Rect::new(-13.5, 7.25, 23.5, 58.25));
    assert_eq!(
        art.ids().find_map(|id| art.outline(id)).unwrap().path.elements()[0],
        kurbo::PathEl::MoveTo((-10.0, 10.0).into())
    );
}

#[test]
fn text_without_a_font_is_reported() {
    let (art, notes) =
        read_svg(&drawing("<text id='t' font-family='Nowhere Sans' y='20'>hi</text>"), &Resources::none())
            .unwrap();
    assert!(
        notes.iter().any(|note| note.message.contains("Nowhere Sans") && note.place.is_some()),
        "{notes:?}"
    );
    assert!(notes.iter().any(|note| note.message.contains("“t” is not drawn")), "{notes:?}");
    assert!(matches!(art.find("t"), Err(bone_drawing::FindError::NotDrawn { .. })));
}

#[test]
fn what_is_not_drawn_is_reported() {
    let svg = drawing(
        "<foreignObject width='9' height='9'/><script/><rect width='9' height='9' fill='url(#nope)'><animate attributeName='x'/></rect>\
         <use href='#gone'/><image href='far.png' width='9' height='9'/><path id='p'/><rect id='p' width='1' height='1'/><blink/>",
    );
    let (_, notes) = read_svg(&svg, &Resources::none()).unwrap();
    for word in
        ["foreignObject", "script", "animations", "#nope", "#gone", "far.png", "used twice", "<blink>"]
    {
        assert!(notes.iter().any(|note| note.message.contains(word)), "{word}: {notes:#?}");
    }
    assert!(notes.iter().all(|note| note.place.is_some()));
}

#[test]
fn what_a_shape_was_made_from_is_not_missed() {
    // As Inkscape writes a linked offset whose path was deleted, and one that is kept in a group made from itself.
    let svg = format!(
        "{HEAD} width='9' height='9'>\
         <path id='soft' xlink:href='#gone' d='M0 0H4V4Z'/><g id='all'><path xlink:href='#all' d='M5 5H9V9Z'/></g></svg>"
    );
    let (art, notes) = read_svg(&svg, &Resources::none()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert!(art.find("soft").is_ok());
}

#[test]
fn linked_images_come_from_the_caller() {
    let png = Pixmap::new(4, 4)
        .map(|mut p| {
            p.fill(tiny_skia::Color::BLACK);
            p.encode_png().unwrap()
        })
        .unwrap();
    let images = move |href: &str| (href == "dot.png").then(|| png.clone());
    let resources = Resources { images: std::sync::Arc::new(images), ..Resources::none() };
    let (art, notes) =
        read_svg(&drawing("<image href='dot.png' width='20' height='20'/>"), &resources).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(inked(&draw(&svg_text(&art))), 1600);
}

#[test]
fn names_lead_to_elements() {
    let svg = format!(
        "{HEAD} xmlns:inkscape='http://www.inkscape.org/namespaces/inkscape' width='9' height='9'>\
         <g inkscape:label='Body'><g inkscape:label='Arm'><path id='hand' d='M0 0H1V1Z'/></g></g>\
         <g inkscape:label='Other'><g inkscape:label='Arm'><path d='M0 0H1V1Z' inkscape:label='glove'/></g></g>\
         <defs><g id='wheel'><rect id='spoke' width='1' height='1'/></g></defs><use id='left' href='#wheel'/></svg>"
    );
    let art = read(&svg);
    assert!(art.find("hand").is_ok());
    assert_eq!(art.find("Body/Arm/hand"), art.find("Arm/hand"));
    assert!(
        matches!(art.find("Arm"), Err(bone_drawing::FindError::Ambiguous { candidates, .. }) if candidates.len() == 2)
    );
    assert!(art.find("Other/Arm").is_ok());
    assert!(
        matches!(art.find("hnad"), Err(bone_drawing::FindError::Missing { near, .. }) if near.is_empty())
    );
    assert!(
        matches!(art.find("gloves"), Err(bone_drawing::FindError::Missing { near, .. }) if near == ["glove"])
    );
    let error = art.find("spoke").unwrap_err();
    assert!(error.to_string().contains("left"), "{error}");
    assert_eq!(art.address(art.find("Body/Arm/hand").unwrap()), "hand");
    assert_eq!(art.paths_in(art.find("Body").unwrap()).len(), 1);
}

/// A drawing at rest by the renderer, which has to have a way of its own, beside resvg's.
fn same_as_resvg(text: &str) {
    let expected = draw(text);
    let art = std::sync::Arc::new(read(text));
    let size = FrameSize::new(expected.width(), expected.height()).unwrap();
    let mut pixmap = Pixmap::new(1, 1).unwrap();
    let options = FrameOptions { size, background: None };
    let report = Renderer::new().draw(&art, &Frame::default(), &options, &mut pixmap).unwrap();
    assert!(!report.fell_back, "{text}");
    assert!(inked(&expected) > 50, "{text}");
    assert_eq!(difference(&pixmap, &expected), (0, 0), "{text}");
}

/// The region of a mask cuts its content at each of its sides, whether or not it covers the others.
#[test]
fn masks_end_at_each_side_of_their_region() {
    let regions = [
        [-9, -9, 99, 50],
        [-9, -9, 50, 99],
        [-9, 40, 99, 99],
        [40, -9, 99, 99],
        [-9, -9, 99, 99],
        [9, 9, 60, 50],
    ];
    for [x, y, width, height] in regions {
        same_as_resvg(&drawing(&format!(
            "<mask id='m' maskUnits='userSpaceOnUse' x='{x}' y='{y}' width='{width}' height='{height}'><rect x='-20' y='-20' width='140' height='140' fill='#ccc'/></mask>\
             <g mask='url(#m)'><circle cx='40' cy='40' r='36' fill='#c63'/></g>"
        )));
    }
}

/// Edges that lie on samples, near the corner of the frame and of a layer whose box begins a part of a pixel
/// beside it.
#[test]
fn edges_on_samples_fall_in_layers_as_in_resvg() {
    for k in 0..240_u8 {
        // At twice the size samples lie on odd sixteenths.
        let at = f32::from(2 * (k % 8) + 1) / 16.0;
        let (left, top) = (f32::from(k / 8) * 0.069 - 1.04, f32::from(k / 8 % 7) * 0.31 - 0.95);
        same_as_resvg(&drawing(&format!(
            "<g opacity='.7'><circle cx='{}' cy='{}' r='12.3' fill='#c63'/>\
             <path d='M{at} 30v40h2.125v-40zM30 {at}h40v1.25h-40z' fill='#146' fill-opacity='.6'/></g>",
            left + 12.3,
            top + 12.3
        )));
    }
}

/// Tiles whose sides are no whole numbers of pixels are rounded as resvg rounds them.
#[test]
fn tiles_of_any_size_are_laid_out_as_resvg_lays_them_out() {
    for (width, height) in [(7.2, 5.1), (6.3, 8.4), (9.24, 7.26), (3.1, 3.3)] {
        same_as_resvg(&drawing(&format!(
            "<pattern id='p' width='{width}' height='{height}' patternUnits='userSpaceOnUse'><circle cx='2' cy='2' r='2' fill='teal'/><path d='M0 0L9 9' stroke='#c30'/></pattern>\
             <rect x='5' y='6' width='66' height='61' fill='url(#p)'/>"
        )));
    }
}

/// Each way in which the pixels of an image are interpolated.
#[test]
fn images_are_sampled_as_resvg_samples_them() {
    for sampling in
        ["auto", "optimizeQuality", "optimizeSpeed", "smooth", "high-quality", "crisp-edges", "pixelated"]
    {
        same_as_resvg(&drawing(&format!(
            "<image x='7' y='9' width='61' height='57' transform='rotate(7)' style='image-rendering:{sampling}' xlink:href='{}'/>",
            dot()
        )));
    }
}

/// A layer of a tile that lies beyond a small frame is in a larger one at the same scale, by the same
/// renderer.
#[test]
fn larger_frames_show_more_of_a_tile() {
    let text = drawing(
        "<pattern id='p' x='-200' width='260' height='80' patternUnits='userSpaceOnUse'><rect width='260' height='80' fill='#eec'/>\
         <g opacity='.5'><circle cx='250' cy='40' r='9' fill='#03c'/></g></pattern><rect width='80' height='80' fill='url(#p)'/>",
    );
    let art = std::sync::Arc::new(read(&text));
    let (mut kept, mut found) = (Renderer::new(), Pixmap::new(1, 1).unwrap());
    for width in [160, 160, 320, 320, 160] {
        let options = FrameOptions { size: FrameSize::new(width, 160).unwrap(), background: None };
        let mut expected = Pixmap::new(1, 1).unwrap();
        Raster::default().draw(&text, &options, &mut expected).unwrap();
        kept.draw(&art, &Frame::default(), &options, &mut found).unwrap();
        assert_eq!(difference(&found, &expected), (0, 0), "{width}");
    }
}
