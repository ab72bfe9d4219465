//! The setup pose is the drawing: points to 1e-9, and pixels within a stated tolerance of resvg's picture of
//! the original file, for every drawing in the repository.

use std::path::Path;
use std::sync::Arc;

use bone_core::{BoneSpec, Pose, SkeletonBuilder, WorldPose};
use bone_drawing::{CanvasPose, ElementId, ElementState, Frame, Moving, Posable, PosedArt, Skipped};
use bone_layer_tests::files::{drawings, shown};
use bone_layer_tests::picture::{Difference, difference};
use bone_render::{
    FrameOptions, FrameSize, Pixmap, Precision, Raster, Resources, decode_svg, read_svg, write_svg,
};
use bone_skin::{
    BLine, BindOptions, BoneWeights, Follow, PosedDrawing, Skin, SkinMatrices, VertexWeights, Weights, deform,
};
use kurbo::{Affine, BezPath, ParamCurve, ParamCurveNearest, PathEl, PathSeg, Point, Size};

/// Pixels of a drawing that may differ, and those that may by more than one level: numbers are written as
/// text once more and read back by way of f32, so an edge may fall on the other side of a pixel's threshold.
const ALLOWED: (usize, usize) = (20, 12);

/// The share of pixels that may differ, by any number of levels, if quadratic curves are posed point by
/// point: each becomes the cubic that it is, which tiny-skia cuts into other, finer lines than the quadratic.
const ALLOWED_QUADRATIC: f64 = 0.002;

/// The same for outlines that are followed as curves: quadratics become cubics there, too.
const ALLOWED_CURVES: f64 = 0.002;

/// And the pixels of drawings so small that they are mostly edges: straight sides become cubics, too.
const ALLOWED_SMALL: f64 = 40.0;

/// What is posed of a path.
#[derive(Clone, Copy, PartialEq)]
enum Followed {
    ControlPoints,
    Curves,
}

struct Drawing {
    text: String,
    art: bone_drawing::Drawing,
    resources: Resources,
}

fn read(path: &Path) -> Drawing {
    let bytes = std::fs::read(path).expect("a drawing");
    let text = decode_svg(bytes).unwrap_or_else(|e| panic!("{}: {e}", shown(path)));
    let folder = path.parent().unwrap_or(Path::new("")).to_owned();
    let images = move |href: &str| std::fs::read(folder.join(href)).ok();
    let resources = Resources { images: Arc::new(images), ..Resources::none() };
    let (art, _) = read_svg(&text, &resources).unwrap_or_else(|e| panic!("{}: {e}", shown(path)));
    Drawing { text, art, resources }
}

/// Everything that is drawn, and the paths among it.
fn bindable(art: &bone_drawing::Drawing) -> (Vec<ElementId>, Vec<ElementId>) {
    let drawn = |id: &ElementId| art.element(*id).is_some_and(|e| e.state == ElementState::Drawn);
    let all: Vec<ElementId> = art.ids().filter(drawn).collect();
    let paths = all.iter().copied().filter(|id| art.outline(*id).is_some()).collect();
    (all, paths)
}

/// Every path bound to three bones in turn, vertex by vertex, and posed at rest; and the matrix of a bone at
/// rest.
fn posed_at_rest(
    art: &bone_drawing::Drawing,
    paths: &[ElementId],
    followed: Followed,
) -> (PosedDrawing, Affine) {
    let skeleton = SkeletonBuilder::new()
        .bone(BoneSpec::new("a", 31.7).origin(13.3, 57.1).degrees(-71.3))
        .bone(BoneSpec::new("b", 22.9).parent("a").origin(29.9, 3.1).degrees(133.7))
        .bone(BoneSpec::new("c", 17.3).parent("b").origin(20.1, -7.7).degrees(-201.1))
        .build()
        .expect("sound bones");
    let bones: Vec<_> = skeleton.bones().collect();
    let mut skin = Skin::new();
    for id in paths {
        let outline = art.outline(*id).expect("a path");
        let lines = BLine::from_path(&outline.path);
        let vertices: usize = lines.iter().map(|line| line.vertices().len()).sum();
        let row = |n: usize| {
            let weight = |i: usize| ((n + i) % 4) as f64;
            let influences: Vec<_> = bones.iter().enumerate().map(|(i, bone)| (*bone, weight(i))).collect();
            BoneWeights::new(influences).expect("weights that hold")
        };
        let weights = (0..vertices).map(|n| VertexWeights {
            anchor: row(n),
            tangent_in: (n % 3 == 0).then(|| row(n + 1)),
            tangent_out: (n % 5 == 0).then(|| row(n + 2)),
        });
        let weights: Vec<VertexWeights> = weights.collect();
        let follow = match followed {
            Followed::ControlPoints => Follow::ControlPoints,
            Followed::Curves => Follow::Curves { skeleton: &skeleton, tolerance: 0.25 },
        };
        let options = BindOptions { follow, ..BindOptions::default() };
        skin.bind(&lines, &Weights::Explicit(&weights), &options).expect("one entry a vertex");
    }
    let (pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    let (mut matrices, mut posed) = (SkinMatrices::new(&skeleton), PosedDrawing::new(&skin));
    world.forward(&skeleton, &pose).expect("a tree");
    matrices.update(&skeleton, &pose, &world);
    deform(&skin, &matrices, None, &mut posed);
    (posed, matrices.of(bones[2]))
}

/// The anchors of a path in order. Closing a path adds no anchor.
fn anchors(path: &BezPath) -> Vec<Point> {
    path.elements().iter().filter_map(|element| element.end_point()).collect()
}

/// The largest distance of the outlines at equal parameters; quadratic curves are compared with the cubics
/// they become.
fn apart(drawn: &BezPath, posed: &BezPath) -> f64 {
    let (drawn, posed): (Vec<_>, Vec<_>) = (drawn.segments().collect(), posed.segments().collect());
    assert_eq!(drawn.len(), posed.len(), "segments");
    let pairs = drawn.iter().zip(&posed);
    let ends = pairs.flat_map(|(a, b)| {
        let (a, b) = (a.to_cubic(), b.to_cubic());
        [(a.p0, b.p0), (a.p1, b.p1), (a.p2, b.p2), (a.p3, b.p3)]
    });
    ends.map(|(a, b)| (a - b).hypot()).fold(0.0, f64::max)
}

#[test]
fn points_at_rest_match_the_drawing() {
    let (mut points, mut paths_seen, mut worst) = (0, 0, 0.0_f64);
    for path in drawings() {
        let art = read(&path).art;
        let (_, paths) = bindable(&art);
        let (posed, _) = posed_at_rest(&art, &paths, Followed::ControlPoints);
        for (id, posed) in paths.iter().zip(posed.paths()) {
            let outline = art.outline(*id).expect("a path");
            let distance = apart(&outline.path, posed);
            assert!(distance <= 1e-9, "{}: {} moved by {distance:e}", shown(&path), art.address(*id));
            worst = worst.max(distance);
            points += anchors(posed).len();
            paths_seen += 1;
        }
    }
    println!("{paths_seen} paths, {points} anchors, at most {worst:e} apart");
    assert!(paths_seen > 100, "{paths_seen} paths");
}

/// The largest distance of points of one outline from another outline.
fn distance_from(points_of: &BezPath, outline: &BezPath) -> f64 {
    let segments: Vec<PathSeg> = outline.segments().collect();
    let nearest = |p: Point| {
        let distances = segments.iter().map(|s| s.nearest(p, 1e-12).distance_sq);
        distances.fold(f64::INFINITY, f64::min).sqrt()
    };
    let points = points_of.segments().flat_map(|s| [0.0, 0.3, 0.5, 0.8, 1.0].map(|t| s.eval(t)));
    points.map(nearest).fold(0.0, f64::max)
}

#[test]
fn curves_at_rest_match_the_drawing() {
    let mut worst = 0.0_f64;
    for path in drawings() {
        let art = read(&path).art;
        let (_, paths) = bindable(&art);
        let (posed, _) = posed_at_rest(&art, &paths, Followed::Curves);
        for (id, posed) in paths.iter().zip(posed.paths()) {
            let outline = art.outline(*id).expect("a path");
            let distance = distance_from(posed, &outline.path).max(distance_from(&outline.path, posed));
            assert!(distance <= 1e-6, "{}: {} moved by {distance:e}", shown(&path), art.address(*id));
            worst = worst.max(distance);
        }
    }
    println!("at most {worst:e} apart");
}

/// The picture that resvg draws of the file.
fn untouched(drawing: &Drawing, folder: &Path, scale: f64) -> Pixmap {
    let options = usvg::Options { resources_dir: Some(folder.to_owned()), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(&drawing.text, &options).expect("a drawing");
    let size =
        FrameSize::from_scale(Size::new(tree.size().width().into(), tree.size().height().into()), scale)
            .expect("a usable size");
    let mut pixmap = Pixmap::new(size.width(), size.height()).expect("memory");
    // As resvg's own program draws it: nothing is stretched to whole pixels.
    let scale = scale as f32;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap
}

/// The drawing at rest with everything bound: each element to a bone, and `posed` paths point by point as
/// well.
fn rebuilt(drawing: &Drawing, posed: &[ElementId], followed: Followed, frame: FrameSize) -> Pixmap {
    let (all, _) = bindable(&drawing.art);
    let (at_rest, matrix) = posed_at_rest(&drawing.art, posed, followed);
    let posed: Vec<PosedArt> = posed.iter().copied().map(PosedArt::Path).collect();
    let moving = Moving { rigid: &all, posed: &posed, ..Moving::default() };
    let posable = Posable::new(&drawing.art, &moving).expect("everything is drawn");
    let (mut numbers, mut text) = (Frame::default(), String::new());
    let matrices = vec![matrix; all.len()];
    let pose = CanvasPose {
        rigid: &matrices,
        outlines: at_rest.paths(),
        at_rest: at_rest.at_rest(),
        ..CanvasPose::default()
    };
    let skipped = posable.frame(&pose, &mut numbers);
    write_svg(posable.drawing(), &numbers, Precision::Exact, &mut text);
    assert_eq!(skipped, Skipped::default());
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    let raster = Raster::new(drawing.resources.clone());
    raster.draw(&text, &FrameOptions { size: frame, background: None }, &mut pixmap).expect("a frame");
    pixmap
}

/// Art that follows bones as a whole is drawn from the numbers of the drawing itself, to the bit: at a pixel's
/// threshold rounding is visible. A matrix may be off by the rounding of a solver.
#[test]
fn whole_art_at_rest_keeps_its_numbers() {
    for path in drawings() {
        let drawing = read(&path);
        let (all, _) = bindable(&drawing.art);
        let posable =
            Posable::new(&drawing.art, &Moving { rigid: &all, ..Moving::default() }).expect("drawn");
        let text = |matrices: &[Affine]| {
            let (mut numbers, mut text) = (Frame::default(), String::new());
            posable.frame(&CanvasPose { rigid: matrices, ..CanvasPose::default() }, &mut numbers);
            write_svg(posable.drawing(), &numbers, Precision::Exact, &mut text);
            text
        };
        let (_, at_rest) = posed_at_rest(&drawing.art, &[], Followed::ControlPoints);
        let solved = Affine::new([1.0 - 3e-16, 2e-16, -2e-16, 1.0, 3e-14, -1e-14]);
        let mixed: Vec<Affine> = (0..all.len()).map(|k| if k % 2 == 0 { at_rest } else { solved }).collect();
        assert!(text(&[]) == text(&mixed), "{}", shown(&path));
    }
}

/// Two tests, so that two processors are used.
#[test]
fn pixels_at_rest_match_resvg() {
    compare_pixels(1.0);
}

#[test]
fn enlarged_pixels_at_rest_match_resvg() {
    compare_pixels(2.0);
}

fn compare_pixels(scale: f64) {
    let (mut total, mut pixels) = (Difference::default(), 0);
    // The small drawings of `svg` are for `walk.rs`: they cross the edge of the frame, where cropped curves
    // differ.
    for path in drawings().into_iter().filter(|path| !shown(path).starts_with("tests/svg/")) {
        let drawing = read(&path);
        // Ink is drawn here, and resvg has a stroke of one width; `inks.rs` judges it.
        if std::fs::read_to_string(&path)
            .is_ok_and(|text| ["data-ink", "path-effect"].iter().any(|ink| text.contains(ink)))
        {
            continue;
        }
        let (_, paths) = bindable(&drawing.art);
        let is_quadratic = |id: &ElementId| {
            let outline = drawing.art.outline(*id).expect("a path");
            outline.path.elements().iter().any(|element| matches!(element, PathEl::QuadTo(..)))
        };
        {
            let expected = untouched(&drawing, path.parent().unwrap_or(Path::new("")), scale);
            assert!(expected.pixels().iter().any(|p| p.alpha() > 0), "{} is empty", shown(&path));
            let size = FrameSize::from_scale(drawing.art.size(), scale).expect("a usable size");
            assert_eq!((size.width(), size.height()), (expected.width(), expected.height()));
            for (how, posed, followed) in [
                ("rigid", &[][..], Followed::ControlPoints),
                ("point by point", &paths, Followed::ControlPoints),
                ("as curves", &paths, Followed::Curves),
            ] {
                let apart = difference(&expected, &rebuilt(&drawing, posed, followed, size));
                let count = expected.pixels().len();
                let fine = if followed == Followed::Curves {
                    apart.pixels as f64 <= (ALLOWED_CURVES * count as f64).max(ALLOWED_SMALL)
                } else if posed.iter().any(is_quadratic) {
                    apart.pixels as f64 <= ALLOWED_QUADRATIC * count as f64
                } else {
                    apart.pixels <= ALLOWED.0 && apart.beyond_one <= ALLOWED.1
                };
                let words = format!(
                    "{} x{scale}, {how}: {} of {count} pixels differ, by up to {}",
                    shown(&path),
                    apart.pixels,
                    apart.largest
                );
                assert!(fine, "{words}");
                println!("{words}");
                total = total.and(apart);
                pixels += count;
            }
        }
    }
    println!("all: {} of {pixels} pixels differ, by up to {}", total.pixels, total.largest);
}
