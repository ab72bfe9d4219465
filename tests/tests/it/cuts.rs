//! Clip paths and gradients that are deformed with art, compared with the drawing at rest.

use bone_core::{BoneId, BoneSpec, Pose, Skeleton, SkeletonBuilder, WorldPose};
use bone_drawing::{CanvasPose, Drawing, Frame, Moving, PaintMotion, Posable, PosedArt};
use bone_layer_tests::player::Player;
use bone_render::{
    FrameOptions, FrameSize, Pixmap, Precision, Raster, Resources, read_svg, svg_text, write_svg,
};
use bone_rig::FrameState;
use bone_skin::{
    BLine, BindOptions, Follow, PosedDrawing, Skin, SkinBlend, SkinMatrices, WeightField, Weights, deform,
};
use kurbo::{Affine, Point};

/// The clip path of the cape is its outline once more: they must be one line in every frame.
#[test]
fn a_clip_path_stays_on_the_outline_it_was_drawn_along() {
    let player = Player::open("examples/cloak/rig.ron");
    let mut state = FrameState::new(&player.rig);
    let art = player.rig.art();
    let id = |name: &str| art.find(name).expect("art of the example");
    let at = |name: &str| player.rig.posed_elements().iter().position(|e| *e == id(name)).expect("posed");
    let (cloth, edge, outline) = (at("cloth"), at("cape_edge"), at("outline"));
    for (clip, frame) in player.moments() {
        player.pose(clip, frame, &mut state);
        let paths = state.posed().paths();
        assert_eq!(paths[cloth], paths[edge], "frame {frame}");
        assert_eq!(paths[outline], paths[edge], "frame {frame}");
    }
}

const LENGTH: f64 = 200.0;

/// A limb along x from 100 to 300, drawn with a gradient along or across it.
fn limb(direction: &str) -> Drawing {
    let text = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='400' height='240'><linearGradient id='g' gradientUnits='userSpaceOnUse' {direction}>\
         <stop stop-color='black'/><stop offset='1' stop-color='white'/></linearGradient>\
         <path id='limb' fill='url(#g)' d='M100 100C160 100 240 100 300 100L300 140C240 140 160 140 100 140Z'/></svg>"
    );
    read_svg(&text, &Resources::none()).expect("a drawing").0
}

fn bones() -> Skeleton {
    SkeletonBuilder::new()
        .bone(BoneSpec::new("first", LENGTH / 2.0).origin(100.0, 120.0))
        .bone(BoneSpec::new("second", LENGTH / 2.0).parent("first").origin(LENGTH / 2.0, 0.0))
        .build()
        .expect("sound bones")
}

/// Weights that change along x alone, so that every point of the plane has its place in a bend.
struct Ramp([BoneId; 2]);

impl WeightField for Ramp {
    fn bones(&self) -> &[BoneId] {
        &self.0
    }

    fn weights_at(&self, point: Point, weights: &mut [f64]) {
        let t = ((point.x - 150.0) / 100.0).clamp(0.0, 1.0);
        let t = t * t * (3.0 - 2.0 * t);
        (weights[0], weights[1]) = (1.0 - t, t);
    }

    fn grain(&self) -> f64 {
        2.0
    }
}

/// The limb in a pose: what is drawn, and the matrices of the bones.
fn posed(art: &Drawing, change: impl Fn(&mut Pose, [BoneId; 2])) -> (Pixmap, [Affine; 2]) {
    let skeleton = bones();
    let ids = ["first", "second"].map(|name| skeleton.find(name).expect("added"));
    let limb = art.find("limb").expect("drawn");
    let mut skin = Skin::new();
    let options = BindOptions {
        blend: SkinBlend::Linear,
        follow: Follow::Curves { skeleton: &skeleton, tolerance: 0.1 },
        ..BindOptions::default()
    };
    let lines = BLine::from_path(&art.outline(limb).expect("a path").path);
    let path = skin.bind(&lines, &Weights::Field(&Ramp(ids)), &options).expect("bound");
    let (mut pose, mut world) = (Pose::new(&skeleton), WorldPose::new(&skeleton));
    let (mut matrices, mut shape) = (SkinMatrices::new(&skeleton), PosedDrawing::new(&skin));
    change(&mut pose, ids);
    world.forward(&skeleton, &pose).expect("a tree");
    matrices.update(&skeleton, &pose, &world);
    deform(&skin, &matrices, None, &mut shape);
    let motion = PaintMotion { paint: Some(skin.paint_fit(path).affine(&shape)), stroke: None };
    let moving = Moving { posed: &[PosedArt::Path(limb)], ..Moving::default() };
    let posable = Posable::new(art, &moving).expect("a path");
    let (mut frame, mut text) = (Frame::default(), String::new());
    let pose = CanvasPose { outlines: shape.paths(), paints: &[motion], ..CanvasPose::default() };
    posable.frame(&pose, &mut frame);
    write_svg(posable.drawing(), &frame, Precision::Exact, &mut text);
    (draw(&text), ids.map(|id| matrices.of(id)))
}

fn draw(text: &str) -> Pixmap {
    let mut pixmap = Pixmap::new(1, 1).expect("memory");
    let options = FrameOptions { size: FrameSize::new(400, 240).expect("a size"), background: None };
    Raster::default().draw(text, &options, &mut pixmap).expect("a frame");
    pixmap
}

/// The grey at a point between pixel centres; none near an edge.
fn grey(pixmap: &Pixmap, p: Point) -> Option<f64> {
    let (x, y) = (p.x - 0.5, p.y - 0.5);
    let at = |dx: f64, dy: f64| {
        let pixel = pixmap.pixel((x.floor() + dx) as u32, (y.floor() + dy) as u32)?;
        (pixel.alpha() == 255).then(|| f64::from(pixel.red()))
    };
    let (u, v) = (x - x.floor(), y - y.floor());
    let (top, bottom) = ((at(0.0, 0.0)?, at(1.0, 0.0)?), (at(0.0, 1.0)?, at(1.0, 1.0)?));
    Some((top.0 * (1.0 - u) + top.1 * u) * (1.0 - v) + (bottom.0 * (1.0 - u) + bottom.1 * u) * v)
}

/// The largest difference in grey levels between places at rest and where the bones bring them.
fn disagreement(direction: &str, change: impl Fn(&mut Pose, [BoneId; 2])) -> f64 {
    let art = limb(direction);
    let rest = draw(&svg_text(&art));
    let (shown, matrices) = posed(&art, change);
    let skeleton = bones();
    let ids = ["first", "second"].map(|name| skeleton.find(name).expect("added"));
    let (mut worst, mut seen) = (0.0_f64, 0);
    for x in (104..=296).step_by(4) {
        for y in (104..=136).step_by(4) {
            let p = Point::new(f64::from(x), f64::from(y));
            let mut weights = [0.0; 2];
            Ramp(ids).weights_at(p, &mut weights);
            let moved = (matrices[0] * p).to_vec2() * weights[0] + (matrices[1] * p).to_vec2() * weights[1];
            let Some((a, b)) = grey(&rest, p).zip(grey(&shown, moved.to_point())) else { continue };
            worst = worst.max((a - b).abs());
            seen += 1;
        }
    }
    assert!(seen > 350, "{seen} places");
    worst
}

const ALONG: &str = "x1='100' y1='0' x2='300' y2='0'";
const ACROSS: &str = "x1='0' y1='100' x2='0' y2='140'";

#[test]
fn a_gradient_follows_affine_motion_exactly() {
    for direction in [ALONG, ACROSS] {
        let apart = disagreement(direction, |pose, [first, _]| {
            let bone = &mut pose.bones[first.index()];
            bone.angle = bone_core::Angle::from_degrees(17.0);
            bone.scale = kurbo::Vec2::new(0.9, 1.1);
        });
        // Two roundings to levels and a gradient table.
        assert!(apart <= 2.5, "{direction}: {apart} levels");
    }
}

/// One affine map cannot be the bend. By 10 degrees the axis of the limb becomes a V of two sides at 5
/// degrees, whose ends are 100 sin 5 = 8.7 units off its tip; the map turns it into the line half way: 4.4 of
/// 40 units across, 28 levels. Along, places at the rim are off by 20 sin 5 = 1.7 of 200 units, 2.2 levels.
/// Both with 2.5 levels of rounding, and a little for the ends, which weigh more than the sides.
#[test]
fn a_gradient_follows_mild_deformation_closely() {
    for (direction, allowed) in [(ALONG, 4.7), (ACROSS, 32.0)] {
        let bend = |degrees: f64| {
            disagreement(direction, move |pose, [_, second]| {
                pose.bones[second.index()].angle = bone_core::Angle::from_degrees(degrees);
            })
        };
        for degrees in [-10.0, 5.0, 10.0] {
            let apart = bend(degrees);
            println!("{direction}, {degrees} degrees: {apart:.1} levels");
            assert!(apart <= allowed, "{direction}, {degrees} degrees: {apart} levels");
        }
    }
}
