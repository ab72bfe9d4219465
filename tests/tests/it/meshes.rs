//! Triangles beside pixels: a brute-force rasteriser, which takes one sample a pixel as a graphics card does, draws the
//! triangles of each rig, and its pictures are compared with those of the renderer, whose edges are exact.

use bone_drawing::{Frame, ImageData, NodeId, PaintStack};
use bone_layer_tests::files::{drawings, good_rigs, shown};
use bone_layer_tests::picture::by_resvg;
use bone_layer_tests::player::Player;
use bone_mesh::{FrameMesh, MeshCache, MeshDraw, MeshVertex, MeshView, RAMP_WIDTH, fill_mesh, left_out};
use bone_render::Pixmap;
use bone_rig::FrameState;
use kurbo::{Affine, Vec2};

/// Mean levels of 255 by which a picture may differ.
const MOST: f64 = 1.0;
/// The same of a drawing, which may be thin lines from border to border, or a clip path with hard edges.
const MOST_OF_DRAWING: f64 = 2.5;

/// A picture on white.
struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<[f64; 3]>,
}

/// The share of each corner at a point; none outside. Edges belong to the triangle that is above or left of them.
fn shares(corners: [Vec2; 3], at: Vec2) -> Option<[f64; 3]> {
    let [a, b, c] = corners;
    let area = (b - a).cross(c - a);
    let edges = [(b, c), (c, a), (a, b)].map(|(from, to)| {
        let turned = if area < 0.0 { (to, from) } else { (from, to) };
        let along = turned.1 - turned.0;
        let part = along.cross(at - turned.0);
        let owns = along.y < 0.0 || (along.y == 0.0 && along.x > 0.0);
        (part > 0.0 || (part == 0.0 && owns)).then_some(part / area.abs())
    });
    (area != 0.0).then_some(())?;
    Some([edges[0]?, edges[1]?, edges[2]?])
}

/// The colour of a place with so many shares of three corners, multiplied by alpha.
fn color(mesh: &FrameMesh, corners: [MeshVertex; 3], share: [f64; 3]) -> [f64; 4] {
    let mix = |value: fn(&MeshVertex) -> f64| (0..3).map(|at| value(&corners[at]) * share[at]).sum::<f64>();
    let (red, green) = (mix(|v| f64::from(v.color[0])), mix(|v| f64::from(v.color[1])));
    let blue = mix(|v| f64::from(v.color[2]));
    let alpha = mix(|v| f64::from(v.color[3])) / 255.0;
    let [low, high, kind, focus] = corners[0].paint;
    let (u, v) = (mix(|v| f64::from(v.u)), mix(|v| f64::from(v.v)));
    if kind & 3 == 0 {
        return [red * alpha, green * alpha, blue * alpha, alpha];
    }
    let along = if kind & 3 == 1 {
        u
    } else {
        // SVG 1.1, section 13.2.3: the ray from the focus through the point ends at the circle.
        let focus = f64::from(focus) / 255.0;
        let (x, rest) = (u - focus, 1.0 - focus * focus);
        (focus * x + (focus * focus * x * x + (x * x + v * v) * rest).sqrt()) / rest
    };
    let along = match kind >> 2 {
        0 => along.clamp(0.0, 1.0),
        1 => 1.0 - (along.rem_euclid(2.0) - 1.0).abs(),
        _ => along.rem_euclid(1.0),
    };
    let row = usize::from(low) + 256 * usize::from(high);
    let at = 4 * (row * RAMP_WIDTH + (along * (RAMP_WIDTH - 1) as f64).round() as usize);
    let texel = |channel: usize| f64::from(mesh.ramps()[at + channel]) * alpha;
    [texel(0), texel(1), texel(2), texel(3) / 255.0]
}

fn draw(mesh: &FrameMesh, width: usize, height: usize, picture: impl Fn(NodeId) -> Option<Pixmap>) -> Canvas {
    let mut canvas = Canvas { width, height, pixels: vec![[255.0; 3]; width * height] };
    let mut clips: Vec<Vec<bool>> = Vec::new();
    for call in mesh.draws() {
        let (indices, image) = match call {
            MeshDraw::Triangles(indices) | MeshDraw::Clip(indices) => (indices.clone(), None),
            MeshDraw::Picture { node, indices } => (indices.clone(), picture(*node)),
            MeshDraw::Unclip => {
                clips.pop();
                continue;
            }
            _ => unreachable!(),
        };
        let is_clip = matches!(call, MeshDraw::Clip(_));
        let around = clips.last().cloned();
        let mut inside = vec![false; width * height];
        for corners in mesh.indices()[indices].chunks(3) {
            let corners = [0, 1, 2].map(|at| mesh.vertices()[corners[at] as usize]);
            let places = corners.map(|corner| Vec2::new(f64::from(corner.x), f64::from(corner.y)));
            let range = |value: fn(&Vec2) -> f64, most: usize| {
                let values = || places.iter().map(value);
                let least = values().fold(f64::INFINITY, f64::min).floor().clamp(0.0, most as f64);
                let last = values().fold(0.0, f64::max).ceil().clamp(0.0, most as f64);
                least as usize..last as usize
            };
            for y in range(|at| at.y, height) {
                for x in range(|at| at.x, width) {
                    let Some(share) = shares(places, Vec2::new(x as f64 + 0.5, y as f64 + 0.5)) else {
                        continue;
                    };
                    let at = y * width + x;
                    if around.as_ref().is_some_and(|around| !around[at]) {
                        continue;
                    }
                    inside[at] = true;
                    if is_clip {
                        continue;
                    }
                    let color = match &image {
                        Some(image) => sampled(image, corners, share),
                        None => color(mesh, corners, share),
                    };
                    let pixel = &mut canvas.pixels[at];
                    for channel in 0..3 {
                        pixel[channel] = color[channel] + pixel[channel] * (1.0 - color[3]);
                    }
                }
            }
        }
        if is_clip {
            clips.push(inside);
        }
    }
    canvas
}

/// A pixel of a picture, by the nearest of its own.
fn sampled(image: &Pixmap, corners: [MeshVertex; 3], share: [f64; 3]) -> [f64; 4] {
    let mix = |value: fn(&MeshVertex) -> f64| (0..3).map(|at| value(&corners[at]) * share[at]).sum::<f64>();
    let (u, v) = (mix(|v| f64::from(v.u)), mix(|v| f64::from(v.v)));
    let at = |share: f64, size: u32| ((share * f64::from(size)) as u32).min(size - 1);
    let pixel = image.pixel(at(u, image.width()), at(v, image.height())).expect("a pixel");
    let tint = |channel: usize| f64::from(corners[0].color[channel]) / 255.0;
    let alpha = mix(|v| f64::from(v.color[3])) / 255.0;
    [
        f64::from(pixel.red()) * tint(0) * alpha,
        f64::from(pixel.green()) * tint(1) * alpha,
        f64::from(pixel.blue()) * tint(2) * alpha,
        f64::from(pixel.alpha()) / 255.0 * alpha,
    ]
}

fn pixels_of(image: &ImageData) -> Option<Pixmap> {
    Pixmap::decode_png(&image.bytes).ok()
}

/// The mean difference, and the picture to look at.
fn compared(
    player: &Player,
    frame: u64,
    clip: Option<&bone_rig::RigClip>,
    scale: f64,
) -> Result<(f64, Pixmap), u32> {
    let mut state = FrameState::new(&player.rig);
    player.pose(None, 0, &mut state);
    let rests = bone_player::rest_frames(&player.rig);
    let truth = player.draw(clip, frame, scale, &mut state);
    let drawing = player.rig.posable().drawing();
    let (mut mesh, mut cache, mut stack) =
        (FrameMesh::new(), MeshCache::new(rests.clone()), PaintStack::default());
    let view = MeshView { transform: Affine::scale(scale), pixel: 1.0 };
    fill_mesh(drawing, state.frame(), view, &mut stack, &mut cache, &mut mesh);
    let mut again = FrameMesh::new();
    fill_mesh(drawing, state.frame(), view, &mut stack, &mut MeshCache::new(rests), &mut again);
    assert_eq!(mesh.vertices(), again.vertices(), "whatever is kept");
    assert_eq!(mesh.indices(), again.indices(), "whatever is kept");
    if mesh.left_out() != 0 {
        return Err(mesh.left_out());
    }
    let picture = |node: NodeId| match &drawing.node(node)?.kind {
        bone_drawing::NodeKind::Image(image) => pixels_of(&image.data),
        _ => None,
    };
    let found = draw(&mesh, truth.width() as usize, truth.height() as usize, picture);
    let mut sum = 0.0;
    let mut shown = Pixmap::new(truth.width(), truth.height()).expect("memory");
    for ((found, truth), shown) in found.pixels.iter().zip(truth.pixels()).zip(shown.pixels_mut()) {
        let levels = found.map(|level| level.round() as u8);
        *shown = tiny_skia::PremultipliedColorU8::from_rgba(levels[0], levels[1], levels[2], 255)
            .expect("a colour");
        let of_truth = [truth.red(), truth.green(), truth.blue()];
        sum += found.iter().zip(of_truth).map(|(a, b)| (a - f64::from(b)).abs()).sum::<f64>() / 3.0;
    }
    Ok((sum / (found.width * found.height) as f64, shown))
}

#[test]
fn triangles_are_the_picture() {
    let (mut drawn, mut most) = (0, 0.0_f64);
    let mut left_out = Vec::new();
    let mut wrong = Vec::new();
    for path in good_rigs() {
        let player = Player::open(&path);
        let scale = (300.0_f64 / player.rig.art().size().width.max(1.0)).min(1.0);
        let clip = player.rig.clips().first();
        let count = clip.map_or(1, |clip| clip.frame_count(player.rig.fps()));
        for frame in [0, count / 3, 2 * count / 3] {
            let (mean, picture) = match compared(&player, frame, clip, scale) {
                Ok(compared) => compared,
                Err(missing) => {
                    left_out.push((shown(&path), missing));
                    break;
                }
            };
            drawn += 1;
            most = most.max(mean);
            if mean > MOST {
                wrong.push(format!("{} at {frame}: {mean:.2}", shown(&path)));
            }
            if let Ok(folder) = std::env::var("KEEP") {
                let name = shown(&path).replace('/', "_");
                std::fs::write(format!("{folder}/{name}_{frame}.png"), picture.encode_png().expect("a PNG"))
                    .expect("a file");
            }
        }
    }
    println!("{drawn} frames, at most {most:.2} of 255 off; left out: {left_out:?}");
    assert!(drawn > 120, "{drawn}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What has no triangles is named.
#[test]
fn what_has_no_triangles_is_named() {
    let square = r#"<rect width="9" height="9" fill="red"/>"#;
    let two = format!("{square}<rect x=\"5\" width=\"9\" height=\"9\"/>");
    let filled = |definition: &str| {
        format!("<defs>{definition}</defs><rect width=\"9\" height=\"9\" fill=\"url(#a)\"/>")
    };
    let grouped = |definition: &str, uses: &str| format!("<defs>{definition}</defs><g {uses}>{two}</g>");
    let pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
    let stops = r##"<stop stop-color="#fff"/><stop offset="1" stop-color="#000"/>"##;
    let cases = [
        (square.to_owned(), 0),
        (format!("<g opacity=\".5\">{square}</g>"), 0),
        (format!("<g opacity=\".5\">{two}</g>"), left_out::GROUP_OPACITY),
        (grouped("", "style=\"mix-blend-mode: multiply\""), left_out::BLENDING),
        (grouped(&format!("<mask id=\"a\">{square}</mask>"), "mask=\"url(#a)\""), left_out::MASKS),
        (
            grouped("<filter id=\"a\"><feGaussianBlur stdDeviation=\"2\"/></filter>", "filter=\"url(#a)\""),
            left_out::FILTERS,
        ),
        (
            filled(
                "<pattern id=\"a\" width=\"3\" height=\"3\" patternUnits=\"userSpaceOnUse\"><rect width=\"1\" height=\"1\"/></pattern>",
            ),
            left_out::PATTERNS,
        ),
        (filled(&format!("<radialGradient id=\"a\" fx=\".3\">{stops}</radialGradient>")), 0),
        (
            filled(&format!("<radialGradient id=\"a\" fr=\".2\">{stops}</radialGradient>")),
            left_out::FOCAL_CIRCLES,
        ),
        (grouped("<clipPath id=\"a\"><circle r=\"5\"/></clipPath>", "clip-path=\"url(#a)\""), 0),
        (
            grouped(
                "<clipPath id=\"b\"><circle r=\"5\"/></clipPath><clipPath id=\"a\"><circle r=\"6\" clip-path=\"url(#b)\"/></clipPath>",
                "clip-path=\"url(#a)\"",
            ),
            left_out::CLIPPED_CLIPS,
        ),
        (format!("<image width=\"9\" height=\"9\" href=\"{pixel}\"/>"), 0),
        (
            "<path d=\"M0 9L9 8L0 7\" fill=\"none\" stroke=\"red\" stroke-linejoin=\"miter-clip\"/>"
                .to_owned(),
            left_out::CLIPPED_MITERS,
        ),
        ("<rect width=\"3e7\" height=\"9\"/>".to_owned(), left_out::OUTLINES),
    ];
    for (body, wanted) in cases {
        let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 20 20\">{body}</svg>");
        let (drawing, _) = bone_render::read_svg(&svg, &bone_render::Resources::default()).expect(&body);
        let mut mesh = FrameMesh::new();
        let view = MeshView { transform: Affine::IDENTITY, pixel: 1.0 };
        let (stack, cache) = (&mut PaintStack::default(), &mut MeshCache::new(Vec::new()));
        fill_mesh(&drawing, &Frame::default(), view, stack, cache, &mut mesh);
        assert_eq!(mesh.left_out(), wanted, "{body}");
        assert_eq!(mesh.draws().is_empty(), wanted == left_out::OUTLINES, "{body}");
    }
}

/// Drawings by themselves, beside resvg: those of the tests, and those of the folder in `FOREIGN`.
#[test]
fn drawings_as_triangles_are_those_of_resvg() {
    // Ink is drawn by its rig.
    let is_ink = |path: &std::path::PathBuf| {
        path.ends_with("examples/brush/drawing.svg") || shown(path).contains("inks")
    };
    let mut paths = drawings();
    paths.retain(|path| !is_ink(path));
    let foreign = std::env::var_os("FOREIGN").map(std::path::PathBuf::from);
    let entries = foreign.iter().flat_map(|folder| std::fs::read_dir(folder).expect("the folder"));
    paths.extend(
        entries
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|end| end == "svg")),
    );
    paths.sort();
    let (mut drawn, mut wrong) = (0, Vec::new());
    for path in paths {
        let Ok(svg) = std::fs::read_to_string(&path) else { continue };
        let Ok((drawing, _)) = bone_render::read_svg(&svg, &bone_render::Resources::default()) else {
            continue;
        };
        let size = drawing.size();
        let scale = 300.0 / size.width.max(size.height);
        let Ok(frame) = bone_render::FrameSize::from_scale(size, scale) else { continue };
        let mut mesh = FrameMesh::new();
        let view = MeshView { transform: Affine::scale(scale), pixel: 1.0 };
        let (stack, cache) = (&mut PaintStack::default(), &mut MeshCache::new(vec![Frame::default()]));
        fill_mesh(&drawing, &Frame::default(), view, stack, cache, &mut mesh);
        let has_pictures = mesh.draws().iter().any(|draw| matches!(draw, MeshDraw::Picture { .. }));
        if mesh.left_out() != 0 || has_pictures {
            continue;
        }
        let truth = by_resvg(&svg, frame);
        let found = draw(&mesh, truth.width() as usize, truth.height() as usize, |_| None);
        let mean = mean(&found, &truth);
        drawn += 1;
        if mean > MOST_OF_DRAWING {
            wrong.push(format!("{}: {mean:.2}", path.display()));
        }
    }
    println!("{drawn} drawings; {wrong:#?}");
    assert!(drawn > 60, "{drawn}");
    assert!(wrong.is_empty());
}

/// The mean difference in levels of 255.
fn mean(found: &Canvas, truth: &Pixmap) -> f64 {
    let pixels = found.pixels.iter().zip(truth.pixels());
    let sum: f64 = pixels
        .map(|(found, truth)| {
            let truth = [truth.red(), truth.green(), truth.blue()];
            found.iter().zip(truth).map(|(a, b)| (a - f64::from(b)).abs()).sum::<f64>() / 3.0
        })
        .sum();
    sum / found.pixels.len() as f64
}
