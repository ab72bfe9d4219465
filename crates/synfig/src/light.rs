//! Translucent things of a film that blends in linear light, in a drawing that blends in sRGB: with the opacity that comes
//! nearest over all that may be below.

use std::rc::Rc;

use bone_core::{exp, ln};

use crate::layers::SceneBuilder;
use crate::scene::{ItemContent, ItemPaint, SceneItem};
use crate::value::LightColor;

/// How many levels of what is below are looked at.
const LEVELS: usize = 8;
/// How many opacities are kept.
const KEPT: usize = 50_000;
/// How many values of a table stand for a curve.
const TABLE: usize = 16;

/// What becomes of a level below and one on it.
type Mix = fn(f64, f64) -> f64;

impl SceneBuilder<'_> {
    /// The opacity in sRGB of a colour that has an opacity in linear light: the one with the least squared difference.
    pub(crate) fn opacity_of(&self, color: LightColor, alpha: f64, blend: Option<&'static str>) -> f64 {
        let gamma = self.page.gamma;
        let power = |n: f64, by: f64| if n > 0.0 { exp(ln(n) * by) } else { 0.0 };
        let screened: Mix = |below, color| below + color - below * color;
        // As it is meant, and as it is drawn.
        let (mixed, drawn): (Mix, Mix) = match blend {
            None => (|_, color| color, |_, color| color),
            Some("multiply") => (|below, color| below * color, |below, color| below * color),
            Some("screen") => (screened, screened),
            Some("plus-lighter") => (|below, color| below + color, screened),
            Some(_) => return alpha.min(1.0),
        };
        // What is solid stays so, but for light that is added or screened.
        let is_solid = alpha == 1.0 && matches!(blend, None | Some("multiply"));
        if gamma == 1.0 || alpha <= 0.0 || is_solid {
            return alpha.clamp(0.0, 1.0);
        }
        // The same ones come in each frame.
        let key = ([color[0], color[1], color[2], alpha].map(f64::to_bits), blend);
        if let Some(known) = self.opacities.borrow().get(&key) {
            return *known;
        }
        let (mut product, mut square) = (0.0, 0.0);
        for color in &color[..3] {
            for level in 0..=LEVELS {
                let below = level as f64 / LEVELS as f64;
                let light = power(below, gamma);
                let meant = light + alpha * (mixed(light, power(*color, gamma)) - light);
                let step = drawn(below, *color) - below;
                product += (power(meant.min(1.0), 1.0 / gamma) - below) * step;
                square += step * step;
            }
        }
        let found = if square > 1e-9 { (product / square).clamp(0.0, 1.0) } else { alpha.min(1.0) };
        let mut opacities = self.opacities.borrow_mut();
        if opacities.len() >= KEPT {
            opacities.clear();
        }
        opacities.insert(key, found);
        found
    }

    /// A blend mode of CSS as it is drawn: light that is added is more like a screen of what encodes it than like its sum.
    pub(crate) fn drawn_blend(&self, blend: &'static str) -> &'static str {
        if blend == "plus-lighter" && self.page.gamma != 1.0 { "screen" } else { blend }
    }

    /// The same for all opacities up to one, as a table.
    pub(crate) fn table_of(&self, color: LightColor, most: f64, blend: Option<&'static str>) -> Rc<[f64]> {
        (0..=TABLE).map(|n| self.opacity_of(color, most * n as f64 / TABLE as f64, blend)).collect()
    }

    /// Gives an item the opacities with which it looks as in linear light. Its amount is the same at all times.
    pub(crate) fn in_light(&self, item: &mut SceneItem, blend: Option<&'static str>) {
        let Some(mean) = mean_color(item).filter(|_| self.page.gamma != 1.0) else { return };
        let amount = item.opacity;
        item.opacity = self.opacity_of(mean, amount, blend);
        if amount <= 0.0 {
            return;
        }
        let alpha = |color: &mut LightColor| {
            let whole = self.opacity_of(*color, amount, blend).max(1e-9);
            color[3] = (self.opacity_of(*color, color[3] * amount, blend) / whole).clamp(0.0, 1.0);
        };
        match &mut item.content {
            _ if item.blur.is_some() => {
                let table = self.table_of(mean, amount, blend);
                item.softness = Some(table.iter().map(|alpha| alpha / item.opacity.max(1e-9)).collect());
            }
            ItemContent::Shape(shape) => match &mut shape.paint {
                ItemPaint::Color(color) => alpha(color),
                ItemPaint::Linear { stops, .. } | ItemPaint::Radial { stops, .. } => {
                    stops.iter_mut().for_each(|(_, color)| alpha(color));
                }
            },
            ItemContent::Text(text) => alpha(&mut text.color),
            _ => {}
        }
    }
}

/// The mean of the colours in an item; none without any.
fn mean_color(item: &SceneItem) -> Option<LightColor> {
    let (mut sum, mut weight) = ([0.0; 4], 0.0);
    let mut add = |color: &LightColor| {
        (0..4).for_each(|at| sum[at] += color[at] * if at < 3 { color[3] } else { 1.0 });
        weight += color[3];
    };
    let mut stack = vec![item];
    while let Some(item) = stack.pop() {
        match &item.content {
            ItemContent::Shape(shape) => match &shape.paint {
                ItemPaint::Color(color) => add(color),
                ItemPaint::Linear { stops, .. } | ItemPaint::Radial { stops, .. } => {
                    stops.iter().for_each(|(_, color)| add(color));
                }
            },
            ItemContent::Text(text) => add(&text.color),
            _ => stack.extend(item.children()),
        }
    }
    (weight > 0.0).then(|| sum.map(|n| n / weight))
}
