//! Gradients of the drawing, and the keys of their ends and stops.

use bone_drawing::GradientProperty;
use bone_format::doc::{GradientKeysDoc, Rgb};
use kurbo::{Affine, Vec2};

use crate::film::{FilmWriter, NEAR, SHARE, bytes, hex};
use crate::scene::{ItemPaint, ItemShape};
use crate::svg::number;
use crate::value::LightColor;

impl FilmWriter<'_> {
    /// A gradient, with its keys.
    pub(crate) fn gradient(&mut self, shapes: &[&ItemShape], name: &str, bake: Affine) -> String {
        let id = self.fresh(&format!("{name}_paint"));
        let Some(first) = shapes.first() else { return id };
        let mut keys = GradientKeysDoc { gradient: id.clone().into(), ..GradientKeysDoc::default() };
        let (tag, stops, spread) = match &first.paint {
            ItemPaint::Radial { stops, spread, .. } => ("radialGradient", stops, *spread),
            ItemPaint::Linear { stops, spread, .. } => ("linearGradient", stops, *spread),
            ItemPaint::Color(_) => return id,
        };
        self.defs.open(tag);
        self.defs.attribute("id", &id);
        self.defs.attribute("gradientUnits", "userSpaceOnUse");
        self.defs.transform_as("gradientTransform", bake);
        if spread != "pad" {
            self.defs.attribute("spreadMethod", spread);
        }
        let ends: Vec<(Vec2, Vec2, f64)> = shapes
            .iter()
            .map(|shape| match &shape.paint {
                ItemPaint::Linear { from, to, .. } => (*from, *to, 0.0),
                ItemPaint::Radial { center, radius, .. } => (*center, Vec2::ZERO, *radius),
                ItemPaint::Color(_) => (Vec2::ZERO, Vec2::ZERO, 0.0),
            })
            .collect();
        let (a, b, radius) = ends.first().copied().unwrap_or_default();
        let is_linear = tag == "linearGradient";
        let attributes = if is_linear {
            [("x1", a.x), ("y1", a.y), ("x2", b.x), ("y2", b.y)]
        } else {
            [("cx", a.x), ("cy", a.y), ("r", radius), ("fr", 0.0)]
        };
        attributes.iter().for_each(|(side, value)| self.defs.attribute(side, &number(*value)));
        self.defs.inside();
        for (at, color) in stops {
            self.defs.open("stop");
            self.defs.attribute("offset", &number(*at));
            self.defs.attribute("stop-color", &hex(*color));
            if color[3] < 1.0 {
                self.defs.attribute("stop-opacity", &number(color[3]));
            }
            self.defs.end();
        }
        self.defs.close(tag);
        let mut pair = |property: GradientProperty, values: Vec<Vec2>| {
            if values.iter().any(|value| (*value - values[0]).hypot() > 1e-3) {
                keys.values.set(property, self.times.pairs(&values, NEAR));
            }
        };
        let firsts: Vec<Vec2> = ends.iter().map(|end| end.0).collect();
        if is_linear {
            pair(GradientProperty::From, firsts);
            pair(GradientProperty::To, ends.iter().map(|end| end.1).collect());
        } else {
            pair(GradientProperty::Center, firsts);
            let radii: Vec<f64> = ends.iter().map(|end| end.2).collect();
            if radii.iter().any(|other| (other - radius).abs() > 1e-3) {
                keys.values.set(GradientProperty::Radius, self.times.numbers(&radii, NEAR));
            }
        }
        self.stops(shapes, stops.len(), &mut keys);
        if keys != (GradientKeysDoc { gradient: id.clone().into(), ..GradientKeysDoc::default() }) {
            self.clip.paints.push(keys);
        }
        id
    }

    /// Keys of stops whose colours change.
    fn stops(&mut self, shapes: &[&ItemShape], count: usize, keys: &mut GradientKeysDoc) {
        for stop in 0..count {
            let of = |shape: &&ItemShape| match &shape.paint {
                ItemPaint::Linear { stops, .. } | ItemPaint::Radial { stops, .. } => stops.get(stop).copied(),
                ItemPaint::Color(_) => None,
            };
            let values: Vec<(f64, LightColor)> = shapes.iter().filter_map(of).collect();
            let Some((_, color)) = values.first().copied() else { continue };
            if values.len() < shapes.len() {
                continue;
            }
            let address = u32::try_from(stop).unwrap_or(u32::MAX);
            if values.iter().any(|(_, other)| other[..3] != color[..3]) {
                let rows: Vec<Vec<f64>> = values.iter().map(|(_, color)| color[..3].to_vec()).collect();
                let at = |frame: usize| Rgb(bytes(values.get(frame).map_or([0.0; 4], |(_, color)| *color)));
                keys.colors.push((address.into(), self.times.thinned(&rows, SHARE, at)));
            }
            if values.iter().any(|(_, other)| other[3] != color[3]) {
                let alphas: Vec<f64> = values.iter().map(|(_, color)| color[3]).collect();
                keys.opacities.push((address.into(), self.times.numbers(&alphas, SHARE)));
            }
        }
    }
}
