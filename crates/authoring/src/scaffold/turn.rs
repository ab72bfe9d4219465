//! A head that turns: a lattice over its art with the nine forms of a half ellipsoid in its box.

use bone_core::Angle;
use bone_drawing::{Drawing, FindError};
use bone_format::doc::{
    ArtNames, Channel, ClipDoc, FormDoc, FormsDoc, GridPlace, Key, RigDoc, SliderDoc, WarpDoc,
};
use bone_format::span::Spanned;
use bone_skin::Lattice;
use kurbo::{Point, Rect, Shape, Vec2};

use super::page::clip;

/// The greatest turn to each side, in degrees.
const TURN: f64 = 30.0;
/// The cells of the lattice along both axes.
const CELLS: u32 = 3;
/// The part of the ellipsoid that is fitted in full, as a share of its radius: at its rim it turns away from sight.
const SEEN: f64 = 0.9;
/// The weight of what lies beyond, which goes with the rim.
const BEYOND: f64 = 0.02;
/// How smooth the nodes are: features of a face are within 2 % of the radius, and no node moves farther than two
/// thirds of it.
const SMOOTHNESS: f64 = 5e-6;
/// Places along each axis at which the moves are fitted.
const PLACES: i32 = 24;

/// What makes a head turn.
pub(super) struct HeadTurn {
    name: String,
    area: Rect,
}

impl HeadTurn {
    /// The turn of art with this name.
    ///
    /// # Errors
    /// If the drawing has no such art, or the art has no outline with an area: then there is no message of the drawing.
    pub(super) fn new(art: &Drawing, name: &str) -> Result<Self, Option<FindError>> {
        let head = art.find(name)?;
        let outlines = art.paths_in(head).into_iter().chain([head]).filter_map(|path| art.outline(path));
        let area = outlines.map(|outline| outline.path.bounding_box()).reduce(|all, one| all.union(one));
        let area = area.filter(|area| Lattice::new(*area, [CELLS; 2], None).is_some()).ok_or(None)?;
        Ok(Self { name: name.to_owned(), area })
    }

    /// Adds sliders, the lattice, its forms and a clip to a rig.
    pub(super) fn add_to(&self, doc: &mut RigDoc) {
        let Some(lattice) = Lattice::new(self.area, [CELLS; 2], None) else { return };
        let slider = |name: &str| SliderDoc {
            name: name.to_owned().into(),
            range: Some((-TURN, TURN).into()),
            ..SliderDoc::default()
        };
        doc.sliders.extend(["yaw", "pitch"].map(slider));
        let corners = vec![self.area.origin().into(), Point::new(self.area.x1, self.area.y1).into()];
        doc.warps.push(WarpDoc {
            name: self.name.clone().into(),
            art: ArtNames::from(Spanned::from(self.name.clone())),
            corners: Some(corners.into()),
            cells: Some((f64::from(CELLS), f64::from(CELLS)).into()),
            ..WarpDoc::default()
        });
        let turns = [-TURN, 0.0, TURN];
        let both = turns.into_iter().flat_map(|yaw| turns.map(|pitch| (yaw, pitch)));
        let at = both.filter(|turn| *turn != (0.0, 0.0)).filter_map(|(yaw, pitch)| {
            Some((GridPlace::new([yaw, pitch])?.into(), self.form(&lattice, yaw, pitch)))
        });
        let by = ["yaw", "pitch"].map(|name| Spanned::from(name.to_owned()));
        doc.forms.push(FormsDoc { by: by.to_vec().into(), at: at.collect(), ..FormsDoc::default() });
        let keys =
            |keys: &[(f64, f64)]| Channel::from_keys(keys.iter().map(|(time, at)| Key::new(*time, *at)));
        let yaw = keys(&[(0.0, 0.0), (0.5, TURN), (1.0, 0.0), (1.5, -TURN), (2.0, 0.0)]);
        let pitch = keys(&[(0.0, 0.0), (0.5, 0.0), (1.0, TURN), (1.5, 0.0), (2.0, 0.0)]);
        let sliders = vec![("yaw".to_owned().into(), yaw), ("pitch".to_owned().into(), pitch)];
        doc.clips.push(ClipDoc { length: Some(2.0.into()), sliders, ..clip("look") });
    }

    /// The form at a turn: the nodes nearest to the moves of the half ellipsoid.
    fn form(&self, lattice: &Lattice, yaw: f64, pitch: f64) -> FormDoc {
        let (center, half) =
            (self.area.center(), Vec2::new(0.5 * self.area.width(), 0.5 * self.area.height()));
        let [Vec2 { x: cos_yaw, y: sin_yaw }, Vec2 { x: cos_pitch, y: sin_pitch }] =
            [yaw, pitch].map(|degrees| Angle::from_degrees(degrees).direction());
        // It is as deep as it is wide. Its front looks at us; a positive pitch looks up.
        let turned = |x: f64, y: f64, z: f64| {
            let depth = half.x * (z * cos_yaw - x * sin_yaw);
            Point::new(half.x * (x * cos_yaw + z * sin_yaw), half.y * y * cos_pitch - depth * sin_pitch)
        };
        let wanted =
            (-PLACES..=PLACES).flat_map(|i| (-PLACES..=PLACES).map(move |j| (i, j))).map(|(i, j)| {
                let at = Vec2::new(f64::from(i), f64::from(j)) / f64::from(PLACES);
                let scale = |at: Vec2| Point::new(half.x * at.x, half.y * at.y);
                let radius = at.hypot2().sqrt();
                let (on, weight) = if radius <= SEEN { (at, 1.0) } else { (at * (SEEN / radius), BEYOND) };
                let by = turned(on.x, on.y, (1.0 - on.hypot2()).sqrt()) - scale(on);
                (center + scale(at).to_vec2(), by, weight)
            });
        let moves = lattice.fitted(&wanted.collect::<Vec<_>>(), SMOOTHNESS);
        let nodes = lattice
            .nodes()
            .zip(moves)
            .filter_map(|((at, _), by)| Some((GridPlace::new(at.map(f64::from))?.into(), by)));
        FormDoc { warps: vec![(self.name.clone().into(), nodes.collect())], ..FormDoc::default() }
    }
}
