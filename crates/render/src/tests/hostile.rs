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

/// A link with these bytes.
fn link(mime: &str, bytes: &[u8]) -> String {
    let text: String = bytes.iter().map(|byte| format!("%{byte:02x}")).collect();
    format!("data:{mime},{text}")
}

#[test]
fn pictures_that_are_cut_or_damaged_are_drawn_or_reported() {
    let mut pixmap = Pixmap::new(40, 40).unwrap();
    pixmap.fill(tiny_skia::Color::from_rgba8(200, 30, 90, 255));
    let png = pixmap.encode_png().unwrap();
    let notes = |bytes: &[u8]| {
        let href = link("image/png", bytes);
        let text = drawing(&format!("\n<g id='g'><image id='i' href='{href}' width='40' height='40'/></g>"));
        let (art, notes) = match read_svg(&text, &Resources::none()) {
            Ok(read) => read,
            // A damaged header can claim more pixels than an image may have.
            Err(error @ SvgError::LimitExceeded { .. }) => return (error.place().map(|place| place.line), 0),
            Err(error) => panic!("{error}"),
        };
        let found = notes.iter().filter(|note| note.message.contains("the image “i”"));
        let lines: Vec<u32> = found.map(|note| note.place.as_ref().unwrap().line).collect();
        assert!(lines.len() <= 1, "{notes:?}");
        let (shown, expected) = (draw(&svg_text(&art)), draw(&text));
        assert_eq!(difference(&shown, &expected), (0, 0));
        (lines.first().copied(), inked(&shown))
    };
    assert_eq!(notes(&png), (None, 80 * 80));
    let mut reported = 0;
    for cut in (0..png.len()).step_by(3) {
        let mut damaged = png.clone();
        damaged[cut] ^= 0x55;
        for bytes in [&png[..cut], &damaged] {
            match notes(bytes) {
                (Some(line), _) => {
                    assert_eq!(line, 2);
                    reported += 1;
                }
                (None, visible) => assert!(visible > 0, "{cut}"),
            }
        }
    }
    assert!(reported > 20, "{reported}");
}

/// What `gzip -9n` makes of `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="30" height="20" fill="teal"/></svg>`.
const GZIPPED: &str = "1f8b08000000000002034d8c5b0a80201000af227b8056b4af50ef12652ad8035dda8e9f05417f03338ca96710d79ab76a21121d03223377acbbbd0454524a6c05084e33450bbd04117d0a915e76a6f8893ea97f52355e52ce16c88f19d099e7e36e995d3cc46f000000";

#[test]
fn compressed_drawings_are_images() {
    let bytes: Vec<u8> = (0..GZIPPED.len() / 2)
        .map(|at| u8::from_str_radix(&GZIPPED[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let image = |bytes: &[u8]| {
        let href = link("image/svg+xml", bytes);
        drawing(&format!("<image id='i' href='{href}' width='80' height='80'/><rect width='9' height='9'/>"))
    };
    let plain = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"40\" height=\"40\"><rect width=\"30\" height=\"20\" fill=\"teal\"/></svg>";
    let expected = draw(&image(plain.as_bytes()));
    assert_eq!(inked(&expected), 120 * 80);
    let (art, notes) = read_svg(&image(&bytes), &Resources::none()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(difference(&draw(&svg_text(&art)), &expected), (0, 0));
    // Cut, or with another length than it claims: left out with a note, whatever the length is.
    let with_length = |length: u32| [&bytes[..bytes.len() - 4], &length.to_le_bytes()].concat();
    for damaged in [bytes[..40].to_vec(), with_length(1), with_length(u32::MAX), with_length(60 << 20)] {
        let (_, notes) = read_svg(&image(&damaged), &Resources::none()).unwrap();
        assert!(notes.iter().any(|note| note.message.contains("the image “i”")), "{notes:?}");
    }
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

/// A drawing that refers to itself, and whether resvg draws it as a whole.
const LOOPS: [(&str, bool); 13] = [
    ("<g id='a'><rect width='9' height='9'/><use href='#a' x='9'/></g>", true),
    ("<g id='a'><use href='#b'/></g><g id='b'><use href='#c'/></g><g id='c'><use href='#a'/></g>", false),
    (
        "<mask id='a'><rect mask='url(#b)' width='9' height='9' fill='white'/></mask><mask id='b'><rect mask='url(#c)' width='5' height='9' fill='white'/></mask><mask id='c'><rect mask='url(#a)' width='9' height='4' fill='white'/></mask><rect mask='url(#a)' width='9' height='9'/>",
        false,
    ),
    (
        "<style>.p{fill:url(#a);stroke:red}</style><pattern id='a' width='1' height='1'><rect class='p' width='9' height='9'/></pattern><rect width='30' height='30' style='fill:url(#a)'/>",
        true,
    ),
    (
        "<pattern id='a' href='#b'/><pattern id='b' href='#a'/><rect width='9' height='9' fill='url(#a)'/>",
        false,
    ),
    (
        "<rect width='30' height='30' clip-path='url(#b)'/><clipPath id='a'><circle r='20' clip-path='url(#b)'/></clipPath><clipPath id='b'><rect width='20' height='9' clip-path='url(#a)'/></clipPath>",
        true,
    ),
    (
        "<rect width='30' height='30' mask='url(#a)'/><mask id='a' x='0' y='0' width='1' height='1'><g fill='white' mask='url(#a)'><circle r='20'/></g></mask>",
        true,
    ),
    (
        "<rect id='r' x='20' y='20' width='30' height='30' fill='green' filter='url(#f)'/><filter id='f'><feImage href='#r'/></filter>",
        true,
    ),
    (
        "<pattern id='a' patternUnits='userSpaceOnUse' width='10' height='10'><circle r='5' style='stroke:blue;fill:url(#a) red'/></pattern><circle r='40' fill='url(#a)'/>",
        true,
    ),
    (
        "<marker id='m' markerWidth='5' markerHeight='5'><path d='M0 0H3V3' marker-start='url(#m)'/></marker><path d='M20 20H40V40' stroke='red' marker-mid='url(#m)'/>",
        true,
    ),
    (
        "<clipPath id='a' clip-path='url(#b)'><path d='M0 0H5V5Z'/></clipPath><clipPath id='b' clip-path='url(#a)'><path d='M0 0H5V5Z'/></clipPath><path clip-path='url(#a)' d='M0 0H9V9Z'/>",
        true,
    ),
    (
        "<mask id='a'><g mask='url(#b)'><path fill='white' d='M0 0H5V5Z'/></g></mask><mask id='b'><path id='q' d='M0 0H5V5Z' style='mask:url(#a)'/></mask><path mask='url(#a)' d='M0 0H9V9Z'/>",
        true,
    ),
    (
        "<g id='a'><g id='b'><use href='#c'/></g><g id='c'><rect width='9' height='9'/><use href='#b' x='9'/></g></g>",
        false,
    ),
];

#[test]
fn of_drawings_that_refer_to_themselves_the_rest_is_drawn() {
    for (body, is_drawn_by_resvg) in LOOPS {
        let text = drawing(&format!("{body}\n<rect id='rest' x='60' y='60' width='9' height='9'/>"));
        let (art, notes) =
            read_svg(&text, &Resources::none()).unwrap_or_else(|error| panic!("{error} {body}"));
        let found = notes.iter().find(|note| note.message.contains("stands inside what"));
        let place = found.and_then(|note| note.place.clone()).unwrap_or_else(|| panic!("{notes:?} {body}"));
        assert_eq!(place.line, 1, "{body}");
        assert!(text[place.span.clone()].starts_with('<'), "{place:?} {body}");
        assert!(art.find("rest").is_ok(), "{body}");
        let shown = draw(&svg_text(&art));
        assert!(inked(&shown) >= 18 * 18, "{body}");
        if is_drawn_by_resvg {
            assert_eq!(difference(&shown, &draw(&text)), (0, 0), "{body}");
        }
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
        "{HEAD} width='1e7' height='1e7' viewBox='0 0 10 10'><rect width='5' height='5'/></svg>"
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
