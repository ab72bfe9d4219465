//! Texts that are broken, or written to hang or crash a reader.

use super::*;
use proptest::prelude::*;

fn error(svg: &str) -> SvgError {
    match read_svg(svg, &Resources::none()) {
        Err(error) => error,
        Ok(_) => panic!("read: {}", &svg[..svg.len().min(200)]),
    }
}

#[test]
fn what_is_not_an_svg_is_refused_with_its_place() {
    assert!(matches!(error(""), SvgError::NotSvg { .. }));
    assert!(error("<html/>").to_string().contains("<html>"));
    assert!(error("<svg><g></svg>").to_string().contains("</svg> closes <g>"));
    assert!(error("<svg xmlns='http://www.w3.org/2000/svg'><g>").to_string().contains("cut off"));
    let place = error("<svg>\n  <a b='1' b='2'/></svg>");
    assert_eq!(place.place().map(|place| place.line), Some(2));
    assert!(matches!(error("\u{0}\u{1}\u{2}"), SvgError::NotSvg { .. }));
    for size in ["width='0' height='10'", "width='-5' height='5'", "width='nan' viewBox='0 0 0 0' height='0'"]
    {
        assert!(matches!(error(&format!("{HEAD} {size}/>")), SvgError::Size { .. }), "{size}");
    }
}

#[test]
fn a_byte_order_mark_does_no_harm() {
    assert!(
        read_svg(&format!("\u{feff}{}", drawing("<rect width='1' height='1'/>")), &Resources::none()).is_ok()
    );
}

#[test]
fn deep_nesting_is_refused() {
    for depth in [10_000, 100_000] {
        let svg = drawing(&format!("{}{}", "<g>".repeat(depth), "</g>".repeat(depth)));
        assert!(matches!(error(&svg), SvgError::LimitExceeded { .. }));
        assert!(matches!(error(&drawing(&"<g>".repeat(depth))), SvgError::NotSvg { .. }));
    }
}

/// As deep as may be, in every way that nests, on a thread with the stack of a worker.
#[test]
fn the_deepest_drawings_allowed_fit_on_a_workers_stack() {
    let levels = 90;
    let groups = drawing(&format!(
        "{}<rect width='9' height='9'/>{}",
        "<g opacity='.9' transform='translate(1 0)'>".repeat(levels),
        "</g>".repeat(levels)
    ));
    let chain = |tag: &str, link: &dyn Fn(usize) -> String| {
        let levels: String = (1..levels / 3)
            .map(|n| format!("<{tag} id='i{n}'><rect width='9' height='9' {}/></{tag}>", link(n - 1)))
            .collect();
        drawing(&format!(
            "<{tag} id='i0'><rect width='9' height='9'/></{tag}>{levels}<rect width='50' height='50' {}/>",
            link(levels.matches("id=").count())
        ))
    };
    let uses: String =
        (1..levels / 3).map(|n| format!("<g id='i{n}'><use href='#i{}'/></g>", n - 1)).collect();
    let all = [
        groups,
        chain("mask", &|n| format!("mask='url(#i{n})'")),
        chain("clipPath", &|n| format!("clip-path='url(#i{n})'")),
        chain("pattern", &|n| format!("fill='url(#i{n})'")),
        drawing(&format!("<defs><g id='i0'><rect width='9' height='9'/></g>{uses}</defs><use href='#i20'/>")),
    ];
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        for svg in all {
            match read_svg(&svg, &Resources::none()) {
                Ok((art, _)) => drop(draw(&svg_text(&art))),
                Err(error) => assert!(matches!(error, SvgError::LimitExceeded { .. }), "{error}"),
            }
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn bombs_are_refused() {
    let level =
        |n: usize, link: &str| format!("<g id='l{n}'>{}</g>", format!("<use href='#{link}'/>").repeat(10));
    let uses: String = (1..10).map(|n| level(n, &format!("l{}", n - 1))).collect();
    let svg = drawing(&format!("<defs><rect id='l0' width='1' height='1'/>{uses}</defs><use href='#l9'/>"));
    assert!(matches!(error(&svg), SvgError::LimitExceeded { .. }));

    let pattern = |n: usize| {
        format!(
            "<pattern id='p{n}' width='1' height='1'>{}</pattern>",
            format!("<rect width='1' height='1' fill='url(#p{})'/>", n - 1).repeat(10)
        )
    };
    let patterns: String = (1..10).map(pattern).collect();
    let svg = drawing(&format!("{patterns}<rect width='9' height='9' fill='url(#p9)'/>"));
    assert!(matches!(error(&svg), SvgError::LimitExceeded { .. }));

    let vertices = "h1".repeat(100_000);
    let svg = drawing(&format!(
        "<marker id='m'>{}</marker><path marker-mid='url(#m)' d='M0 0{vertices}'/>",
        "<rect width='1' height='1'/>".repeat(100)
    ));
    assert!(matches!(error(&svg), SvgError::LimitExceeded { .. }));

    let laughs: String =
        (1..9).map(|n| format!("<!ENTITY l{n} '{}'>", format!("&l{};", n - 1).repeat(10))).collect();
    let svg = format!("<!DOCTYPE svg [<!ENTITY l0 '<g/>'>{laughs}]><svg>&l8;</svg>");
    assert!(matches!(error(&svg), SvgError::LimitExceeded { .. }));
}

#[test]
fn a_pattern_larger_than_memory_is_an_error() {
    let art = read(&drawing(
        "<pattern id='p' patternUnits='userSpaceOnUse' width='90000' height='90000'><rect width='9' height='9'/></pattern><rect width='9' height='9' fill='url(#p)'/>",
    ));
    let options = FrameOptions { size: FrameSize::new(80, 80).unwrap(), background: None };
    let drawn = Raster::default().draw(&svg_text(&art), &options, &mut Pixmap::new(80, 80).unwrap());
    assert!(matches!(drawn, Err(crate::RasterError::TileTooLarge { .. })));
}

#[test]
fn a_damaged_image_costs_the_image_only() {
    // A PNG with a height of 0 in its header.
    let image = "data:image/png,%89PNG%0d%0a%1a%0a%00%00%00%0dIHDR%00%00%00%02%00%00%00%00%08%06%00%00%00";
    let svg = drawing(&format!(
        "<image id='i' href='{image}' width='9' height='9'/><rect id='r' width='9' height='9'/>"
    ));
    let (art, notes) = read_svg(&svg, &Resources::none()).unwrap();
    assert!(art.find("r").is_ok());
    assert!(notes.iter().any(|note| note.message.contains("the image “i”")), "{notes:?}");
}

/// The beginning of a PNG of this size; what follows is missing.
fn png_header(width: u32, height: u32) -> String {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes().into_iter().chain(height.to_be_bytes()));
    bytes.extend([8, 6, 0, 0, 0]);
    let text: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    format!("data:image/png,{text}")
}

#[test]
fn an_image_of_a_hundred_megapixels_is_refused_with_its_place() {
    let image = png_header(10_000, 10_000);
    for body in [
        format!("<g id='g'><image id='i' href='{image}' width='9' height='9'/></g>"),
        format!(
            "<pattern id='p' width='9' height='9'><image id='i' href='{image}' width='9' height='9'/></pattern><rect id='r' width='9' height='9' fill='url(#p)'/>"
        ),
    ] {
        let error = read_svg(&drawing(&body), &Resources::none()).unwrap_err();
        let message = error.message();
        assert!(message.contains("10000 x 10000 pixels; 64 million are the most"), "{message}");
        assert!(message.contains("“i”") && error.place().is_some_and(|place| place.line == 1), "{error}");
    }
}

#[test]
fn an_image_with_a_wrong_header_is_left_out_of_the_frame() {
    let lie = png_header(5_000, 4_000);
    let with = drawing(&format!(
        "<image id='i' href='{lie}' width='80' height='80'/><rect id='r' width='9' height='9'/>"
    ));
    let without = drawing("<rect id='r' width='9' height='9'/>");
    let (art, other) = (read(&with), read(&without));
    let options = FrameOptions { size: FrameSize::new(80, 80).unwrap(), background: None };
    let drawn_from_tree = |art: &Drawing| {
        let (posable, mut pixmap) = (posable(art, &[], &[]).unwrap(), Pixmap::new(1, 1).unwrap());
        let drawn = Renderer::new().draw(posable.drawing(), &Frame::default(), &options, &mut pixmap);
        assert!(drawn.is_ok_and(|drawn| !drawn.fell_back));
        pixmap
    };
    assert!(drawn_from_tree(&art) == drawn_from_tree(&other));
}

#[test]
fn the_deepest_groups_that_move_and_fade_fit_the_stack_of_a_thread() {
    let depth = 90;
    let open: String = (0..depth)
        .map(|k| format!("<g id='g{k}' transform='rotate(1)'><path id='p{k}' d='M1 1h9v9z'/>"))
        .collect();
    let svg = drawing(&format!("{open}<path id='x' d='M20 20h30v30z'/>{}", "</g>".repeat(depth)));
    let work = move || {
        let art = read(&svg);
        let groups: Vec<ElementId> = (0..depth).map(|k| art.find(&format!("g{k}")).unwrap()).collect();
        let posed: Vec<PosedArt> = outlines(&art).0.into_iter().map(PosedArt::Path).collect();
        let moving = Moving { rigid: &groups, posed: &posed, visible: &groups, ..Moving::default() };
        let posable = Posable::new(&art, &moving).unwrap();
        let rigid: Vec<Affine> = (0..depth).map(|k| Affine::translate((k as f64 * 0.1, 0.0))).collect();
        let outlines = outlines(&art).1;
        let visibilities = vec![Visibility { opacity: 0.99, order: -1.0, ..Visibility::SHOWN }; depth];
        let mut frame = Frame::default();
        let pose = CanvasPose {
            rigid: &rigid,
            outlines: &outlines,
            visibilities: &visibilities,
            ..CanvasPose::default()
        };
        posable.frame(&pose, &mut frame);
        let options = FrameOptions { size: FrameSize::new(80, 80).unwrap(), background: None };
        let mut pixmap = Pixmap::new(1, 1).unwrap();
        let drawn = Renderer::new().draw(posable.drawing(), &frame, &options, &mut pixmap).unwrap();
        assert!(!drawn.fell_back && inked(&pixmap) > 100);
    };
    // The default stack of a thread.
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn ten_thousand_paths_are_drawn_from_the_tree() {
    let paths: String =
        (0..10_000).map(|k| format!("<path id='p{k}' d='M{} {}l3 1l-2 2z'/>", k % 80, k / 130)).collect();
    let art = read(&drawing(&paths));
    let (ids, outlines) = outlines(&art);
    let posable = posable(&art, &[], &ids).unwrap();
    let options = FrameOptions { size: FrameSize::new(80, 80).unwrap(), background: None };
    let (mut renderer, mut pixmap) = (Renderer::new(), Pixmap::new(1, 1).unwrap());
    let mut frame = Frame::default();
    for shift in [0.0, 1.3] {
        let posed: Vec<BezPath> =
            outlines.iter().map(|path| Affine::translate((shift, 0.0)) * path.clone()).collect();
        posable.frame(&CanvasPose { outlines: &posed, ..CanvasPose::default() }, &mut frame);
        let drawn = renderer.draw(posable.drawing(), &frame, &options, &mut pixmap).unwrap();
        assert!(!drawn.fell_back);
        let mut text = String::new();
        write(&posable, &[], &posed, &[], &mut text);
        let mut reference = Pixmap::new(1, 1).unwrap();
        Raster::default().draw(&text, &options, &mut reference).unwrap();
        assert!(pixmap == reference, "{shift}");
    }
}

#[test]
fn loops_are_refused() {
    let bodies = [
        "<g id='a'><use href='#a'/></g>",
        "<g id='a'><use href='#b'/></g><g id='b'><use href='#c'/></g><g id='c'><use href='#a'/></g>",
        "<mask id='a'><rect mask='url(#b)' width='1' height='1'/></mask><mask id='b'><rect mask='url(#c)' width='1' height='1'/></mask><mask id='c'><rect mask='url(#a)' width='1' height='1'/></mask><rect mask='url(#a)' width='1' height='1'/>",
        "<style>.p{fill:url(#a)}</style><pattern id='a' width='1' height='1'><rect class='p' width='1' height='1'/></pattern>",
        "<pattern id='a' href='#b'/><pattern id='b' href='#a'/>",
    ];
    for body in bodies {
        assert!(matches!(error(&drawing(body)), SvgError::Cycle { .. }), "{body}");
    }
}

#[test]
fn extreme_numbers_are_read_or_rejected() {
    for number in
        ["NaN", "inf", "1e999", "-1e999", "1e38", "1e-45", "99999999999999999999", "0", "-1", "1e", "", "%"]
    {
        let svg = format!(
            "{HEAD} width='50' height='50' viewBox='{number} 0 50 50'><g transform='scale({number})'><path d='M{number} 0L5 {number}z' stroke='red' stroke-width='{number}' stroke-dasharray='{number} 1'/><rect x='{number}' width='{number}' height='9'/></g></svg>"
        );
        if let Ok((art, _)) = read_svg(&svg, &Resources::none()) {
            let (paths, rest) = outlines(&art);
            let posable = posable(&art, &[], &paths).unwrap();
            let mut out = String::new();
            write(&posable, &[], &rest, &[], &mut out);
            let size = FrameSize::new(50, 50).unwrap();
            let mut pixmap = Pixmap::new(50, 50).unwrap();
            Raster::default().draw(&out, &FrameOptions { size, background: None }, &mut pixmap).unwrap();
        }
        let _ = read_svg(&format!("{HEAD} width='{number}' height='{number}'/>"), &Resources::none());
    }
}

#[test]
fn a_huge_drawing_is_read_but_has_no_frame_of_its_size() {
    let art = read(&format!(
        "{HEAD} width='1e9' height='1e9' viewBox='0 0 10 10'><rect width='5' height='5'/></svg>"
    ));
    assert!(FrameSize::from_scale(art.size(), 1.0).is_err());
    let size = FrameSize::new(20, 20).unwrap();
    let mut pixmap = Pixmap::new(1, 1).unwrap();
    Raster::default().draw(&svg_text(&art), &FrameOptions { size, background: None }, &mut pixmap).unwrap();
    assert_eq!(inked(&pixmap), 100);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        let _ = read_svg(&text, &Resources::none());
    }

    #[test]
    fn any_bytes_are_text_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
        if let Ok(text) = decode_svg(bytes) {
            let _ = read_svg(&text, &Resources::none());
        }
    }

    #[test]
    fn a_drawing_with_a_piece_missing_or_doubled_is_read_or_refused(from in 0_usize..900, length in 0_usize..60, twice: bool) {
        let svg = drawing("<defs><linearGradient id='g'><stop offset='.5'/></linearGradient><clipPath id='c'><rect width='9' height='9'/></clipPath><mask id='m'><circle r='5'/></mask><filter id='f'><feGaussianBlur stdDeviation='2'/></filter></defs><g id='a' transform='rotate(5)' clip-path='url(#c)'><path d='M0 0h9v9z' fill='url(#g)' mask='url(#m)'/><use href='#a1' filter='url(#f)'/><svg viewBox='0 0 5 5'><text>a</text></svg></g><rect id='a1' width='5' height='5'/>");
        let from = from.min(svg.len());
        let to = (from + length).min(svg.len());
        if let (Some(before), Some(piece), Some(after)) = (svg.get(..from), svg.get(from..to), svg.get(to..)) {
            let broken = if twice { format!("{before}{piece}{piece}{after}") } else { format!("{before}{after}") };
            if let Ok((art, _)) = read_svg(&broken, &Resources::none()) {
                let (paths, rest) = outlines(&art);
                let mut out = String::new();
                write(&posable(&art, &[], &paths).unwrap(), &[], &rest, &[], &mut out);
            }
        }
    }
}
