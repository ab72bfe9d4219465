//! What changes the picture of all layers below: blurs, shadows, bevels, corrections of colours. They become filters.

use bone_core::{Angle, exp, ln};
use bone_drawing::FilterProperty;
use bone_format::doc::{FilterKeysDoc, Rgb};
use kurbo::Vec2;

use crate::document::SynfigLayer;
use crate::film::{FilmWriter, Frames, NEAR, SHARE, bytes, hex};
use crate::layers::{LayerContext, MadeLayer, SceneBuilder, css_blend};
use crate::scene::{EffectJoin, ItemBevel, ItemCorrection, ItemEffect, ItemShade, SceneItem};
use crate::svg::number;
use crate::value::LightColor;

/// Colours as luma and two differences (`Color::get_y`, `get_u`, `get_v`), and back.
const TO_YUV: [[f64; 3]; 3] =
    [[0.299, 0.587, 0.114], [-0.168_736, -0.331_264, 0.5], [0.5, -0.418_688, -0.081_312]];
const FROM_YUV: [[f64; 3]; 3] = [[1.0, 0.0, 1.402], [1.0, -0.344_136, -0.714_136], [1.0, 1.772, 0.0]];
const SAME: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Deviation of the blur of a bevel, per unit of its softness: twice a box of 0.75 (`Blur::operator()`).
const BEVEL_DEVIATION: f64 = 0.306;

impl SceneBuilder<'_> {
    /// An effect by its layer.
    pub(crate) fn effect(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let param = |names: &[&str]| self.param(layer, names, context);
        let number = |name: &str, default: f64| self.number_or(layer, name, default, context);
        let amount = number("amount", if layer.kind == "shade" { 0.75 } else { 1.0 }).clamp(0.0, 10.0);
        let color = |name: &str| {
            let mut color = self.color(param(&[name]).color());
            color[3] *= amount;
            color
        };
        MadeLayer::Alters(match &*layer.kind {
            "shade" => ItemEffect::Shade(ItemShade {
                color: color("color"),
                offset: self.vector(param(&["origin", "offset"]).pair()),
                blur: self.deviation(param(&["size"]).pair()),
                is_around: param(&["invert"]).flag(),
                join: self.join(layer, 12.0, context),
            }),
            "bevel" => {
                if param(&["use_luma"]).flag() || param(&["solid"]).flag() {
                    return MadeLayer::Unknown;
                }
                let (angle, depth) = (Angle::from_degrees(number("angle", 135.0)), number("depth", 0.2));
                let softness = number("softness", 0.1).max(0.0);
                let aside = angle - Angle::from_degrees(45.0);
                let half: f64 = 0.5;
                ItemEffect::Bevel(ItemBevel {
                    light: color("color1"),
                    dark: color("color2"),
                    offset: self.vector(angle.direction() * depth),
                    beside: self.vector(aside.direction() * (depth * half.sqrt())),
                    blur: BEVEL_DEVIATION * softness * Vec2::new(self.unit.x.abs(), self.unit.y.abs()),
                    join: self.join(layer, 13.0, context),
                })
            }
            _ => {
                let contrast = number("contrast", 1.0);
                let by = exp(number("exposure", 0.0)) * contrast;
                let turn = Angle::from_degrees(number("hue_adjust", 0.0)).direction();
                // Luma stays; the differences turn.
                let turned = [[1.0, 0.0, 0.0], [0.0, turn.x, -turn.y], [0.0, turn.y, turn.x]];
                let keeps_hue = turn == Vec2::new(1.0, 0.0);
                let rows = if keeps_hue { SAME } else { product(FROM_YUV, product(turned, TO_YUV)) };
                let plus = (number("brightness", 0.0) - 0.5) * contrast + 0.5;
                if number("saturation", 1.0) != 1.0 {
                    self.note(layer, "the saturation of a correction of colours");
                }
                ItemEffect::Correct(ItemCorrection {
                    power: 1.0 / number("gamma", 1.0).max(1e-3),
                    rows: rows.map(|row| row.map(|n| n * by)),
                    plus,
                    is_factor: keeps_hue && plus == 0.0,
                })
            }
        })
    }

    fn join(&self, layer: &SynfigLayer, default: f64, context: &LayerContext) -> EffectJoin {
        let method = self.number_or(layer, "blend_method", default, context).round() as i64;
        match (method, css_blend(method)) {
            (0 | 22, _) => EffectJoin::Over,
            (12, _) => EffectJoin::Behind,
            (13, _) => EffectJoin::Onto,
            (_, Some(mode)) => EffectJoin::Blend(mode),
            (other, None) => {
                self.note(layer, format!("its blend method ({other}): drawn as composite"));
                EffectJoin::Over
            }
        }
    }
}

fn product(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    a.map(|row| [0, 1, 2].map(|column| (0..3).map(|at| row[at] * b[at][column]).sum()))
}

impl FilmWriter<'_> {
    /// Blur and effect of an item as a filter.
    pub(crate) fn filter(&mut self, frames: &Frames<'_>, name: &str) {
        if let Some(id) = self.filter_of(frames, name, true) {
            self.svg.attribute("filter", &format!("url(#{id})"));
        }
    }

    /// The filter of an item: all of it, or the blur alone.
    pub(crate) fn filter_of(&mut self, frames: &Frames<'_>, name: &str, whole: bool) -> Option<String> {
        let first = frames.first()?;
        let blurs: Vec<Vec2> = frames.iter().map(|item| item.blur.unwrap_or_default()).collect();
        let is_blurred = blurs.iter().any(|blur| *blur != Vec2::ZERO);
        let effect = first.effect.filter(|_| whole);
        if !is_blurred && effect.is_none() {
            return None;
        }
        let id = self.fresh(&format!("{name}_{}", if is_blurred { "blur" } else { "effect" }));
        let (width, height) = self.builder.page.size;
        self.defs.open("filter");
        self.defs.attribute("id", &id);
        self.defs.attribute("filterUnits", "userSpaceOnUse");
        let region = [("x", -width), ("y", -height), ("width", 3.0 * width), ("height", 3.0 * height)];
        region.iter().for_each(|(side, value)| self.defs.attribute(side, &number(*value)));
        // What is mixed in linear light has too few levels in the dark for what only moves and covers.
        let gamma = self.builder.page.gamma;
        let in_light = match &effect {
            None | Some(ItemEffect::Negative) => true,
            Some(ItemEffect::Correct(correction)) => !correction.is_factor,
            Some(_) => false,
        };
        if gamma == 1.0 || !in_light {
            self.defs.attribute("color-interpolation-filters", "sRGB");
        }
        self.defs.inside();
        let mut keys = FilterKeysDoc { filter: id.clone().into(), ..FilterKeysDoc::default() };
        if is_blurred {
            let blur = blurs.first().copied().unwrap_or_default();
            self.primitive(&format!("feGaussianBlur {}", deviations(blur)));
            if blurs.iter().any(|other| (*other - blur).hypot() > 1e-6) {
                keys.values.set(FilterProperty::Blur, self.times.pairs(&blurs, NEAR));
            }
        }
        if let Some(table) = first.softness.as_ref().filter(|_| whole) {
            self.softened(table, "");
        }
        if let Some(effect) = effect {
            match effect {
                ItemEffect::Shade(shade) => self.shade(shade, frames, &mut keys),
                ItemEffect::Bevel(bevel) => self.bevel(bevel),
                ItemEffect::Correct(correction) => self.correct(correction, gamma),
                ItemEffect::Negative => self.transfer("type=\"table\" tableValues=\"1 0\""),
            }
            let changes = frames.iter().any(|item| item.effect != Some(effect));
            if changes && !matches!(effect, ItemEffect::Shade(_)) {
                self.lose(first.place, "the values of its effect, which change");
            }
        }
        self.defs.close("filter");
        if keys != (FilterKeysDoc { filter: id.clone().into(), ..FilterKeysDoc::default() }) {
            self.clip.filters.push(keys);
        }
        Some(id)
    }

    fn primitive(&mut self, tag: &str) {
        self.defs.line(&format!("<{tag}/>\n"));
    }

    fn shade(&mut self, shade: ItemShade, frames: &Frames<'_>, keys: &mut FilterKeysDoc) {
        let of = |item: &&SceneItem| match item.effect {
            Some(ItemEffect::Shade(shade)) => Some(shade),
            _ => None,
        };
        let all: Vec<ItemShade> = frames.iter().filter_map(of).collect();
        let is_soft = all.iter().any(|shade| shade.blur != Vec2::ZERO);
        if is_soft {
            self.primitive(&format!("feGaussianBlur in=\"SourceAlpha\" {}", deviations(shade.blur)));
        }
        let input = if is_soft { "" } else { "in=\"SourceAlpha\" " };
        self.primitive(&format!("feOffset {input}{} result=\"shadow\"", offsets(shade.offset)));
        let color = self.flood(shade.color);
        let operator = if shade.is_around { "out" } else { "in" };
        self.primitive(&format!("feComposite in2=\"shadow\" operator=\"{operator}\" result=\"effect\""));
        self.in_light(color, shade.join, "effect");
        self.joined(shade.join);
        let mut pairs = |property: FilterProperty, of: fn(&ItemShade) -> Vec2| {
            let values: Vec<Vec2> = all.iter().map(of).collect();
            if values.iter().any(|value| *value != values[0]) {
                keys.values.set(property, self.times.pairs(&values, NEAR));
            }
        };
        pairs(FilterProperty::Offset, |shade| shade.offset);
        pairs(FilterProperty::Blur, |shade| shade.blur);
        let is_faded = all.iter().any(|other| other.color[3] != shade.color[3]);
        if is_faded && color.is_some() {
            self.lose(frames[0].place, "the amount of its effect, which changes");
        } else if is_faded {
            let alphas: Vec<f64> = all.iter().map(|shade| shade.color[3]).collect();
            keys.values.set(FilterProperty::FloodOpacity, self.times.numbers(&alphas, SHARE));
        }
        if all.iter().any(|other| other.color[..3] != shade.color[..3]) {
            let rows: Vec<Vec<f64>> = all.iter().map(|shade| shade.color[..3].to_vec()).collect();
            let at = |frame: usize| Rgb(bytes(all.get(frame).map_or([0.0; 4], |shade| shade.color)));
            keys.values.set(FilterProperty::Flood, self.times.thinned(&rows, SHARE, at));
        }
    }

    /// Light is where the blurred shape is denser away from the light than towards it, and shadow the other way round
    /// (`TaskBevelSW::run`): half of the difference of both sides, each the shape and half of two beside it.
    fn bevel(&mut self, bevel: ItemBevel) {
        if bevel.blur == Vec2::ZERO {
            self.primitive("feOffset in=\"SourceAlpha\" result=\"soft\"");
        } else {
            let deviations = deviations(bevel.blur);
            self.primitive(&format!("feGaussianBlur in=\"SourceAlpha\" {deviations} result=\"soft\""));
        }
        // Synfig's second one is 135 degrees from the light, not 45.
        let across = Vec2::new(-bevel.beside.y, bevel.beside.x);
        for (side, sign) in [("near", 1.0), ("far", -1.0)] {
            for (name, offset) in [("a", bevel.beside), ("b", across), ("c", bevel.offset)] {
                self.primitive(&format!("feOffset in=\"soft\" {} result=\"{name}\"", offsets(sign * offset)));
            }
            self.primitive(
                "feComposite in=\"a\" in2=\"b\" operator=\"arithmetic\" k2=\"0.25\" k3=\"0.25\" result=\"d\"",
            );
            self.primitive(&format!(
                "feComposite in=\"c\" in2=\"d\" operator=\"arithmetic\" k2=\"0.5\" k3=\"1\" result=\"{side}\""
            ));
        }
        for (name, (more, less), color) in
            [("light", ("near", "far"), bevel.light), ("dark", ("far", "near"), bevel.dark)]
        {
            self.primitive(&format!(
                "feComposite in=\"{more}\" in2=\"{less}\" operator=\"arithmetic\" k2=\"1\" k3=\"-1\" result=\"{name}\""
            ));
            let color = self.flood(color);
            self.primitive(&format!("feComposite in2=\"{name}\" operator=\"in\" result=\"{name}\""));
            self.in_light(color, bevel.join, name);
        }
        self.merged(["light", "dark"], "result=\"effect\"");
        self.joined(bevel.join);
    }

    /// One picture over another.
    fn merged(&mut self, [below, above]: [&str; 2], result: &str) {
        self.defs.line(&format!(
            "<feMerge {result}><feMergeNode in=\"{below}\"/><feMergeNode in=\"{above}\"/></feMerge>\n"
        ));
    }

    /// The effect with the picture that it is of.
    fn joined(&mut self, join: EffectJoin) {
        const CUT: &str = "feComposite in2=\"SourceAlpha\" operator=\"in\"";
        match join {
            EffectJoin::Behind => self.merged(["effect", "SourceGraphic"], ""),
            EffectJoin::Over => self.merged(["SourceGraphic", "effect"], ""),
            EffectJoin::Onto => {
                self.primitive("feComposite in=\"effect\" in2=\"SourceGraphic\" operator=\"atop\"");
            }
            EffectJoin::Blend("plus-lighter") if self.builder.page.gamma == 1.0 => {
                self.primitive(
                    "feComposite in=\"effect\" in2=\"SourceGraphic\" operator=\"arithmetic\" k2=\"1\" k3=\"1\"",
                );
                self.primitive(CUT);
            }
            EffectJoin::Blend(mode) => {
                let mode = self.builder.drawn_blend(mode);
                self.primitive(&format!("feBlend in=\"effect\" in2=\"SourceGraphic\" mode=\"{mode}\""));
                self.primitive(CUT);
            }
        }
    }

    fn correct(&mut self, correction: ItemCorrection, gamma: f64) {
        if correction.power != 1.0 {
            // A power of light is the same power of what encodes it.
            self.transfer(&format!("type=\"gamma\" exponent=\"{}\"", number(correction.power)));
        }
        if correction.rows == SAME && correction.plus == 0.0 {
            return;
        }
        let encoded = |n: f64| {
            if correction.is_factor && n > 0.0 { exp(ln(n) / gamma) } else { n }
        };
        let mut values = String::new();
        for row in correction.rows {
            let [r, g, b] = row.map(|n| number(encoded(n)));
            values += &format!("{r} {g} {b} 0 {} ", number(correction.plus));
        }
        self.primitive(&format!("feColorMatrix values=\"{values}0 0 0 1 0\""));
    }

    /// Gives the alphas of one colour those with which it looks as in linear light, if there is one.
    fn in_light(&mut self, color: Option<LightColor>, join: EffectJoin, name: &str) {
        if let Some(color) = color {
            let blend = if let EffectJoin::Blend(mode) = join { Some(mode) } else { None };
            let table = self.builder.table_of(color, color[3], blend);
            self.softened(&table, &format!(" result=\"{name}\""));
        }
    }

    /// The plane in a colour. One whose alphas are not these is solid, and is returned.
    fn flood(&mut self, color: LightColor) -> Option<LightColor> {
        let is_changed = self.builder.page.gamma != 1.0 || color[3] > 1.0;
        let alpha = if is_changed { 1.0 } else { color[3] };
        self.primitive(&format!(
            "feFlood flood-color=\"{}\" flood-opacity=\"{}\"",
            hex(color),
            number(alpha)
        ));
        is_changed.then_some(color)
    }

    fn softened(&mut self, table: &[f64], result: &str) {
        let values: Vec<String> = table.iter().map(|alpha| number(*alpha)).collect();
        let function = format!("<feFuncA type=\"table\" tableValues=\"{}\"/>", values.join(" "));
        self.defs.line(&format!("<feComponentTransfer{result}>{function}</feComponentTransfer>\n"));
    }

    /// The same function of red, green and blue.
    fn transfer(&mut self, function: &str) {
        let functions: String =
            ["R", "G", "B"].iter().map(|channel| format!("<feFunc{channel} {function}/>")).collect();
        self.defs.line(&format!("<feComponentTransfer>{functions}</feComponentTransfer>\n"));
    }
}

fn deviations(blur: Vec2) -> String {
    format!("stdDeviation=\"{} {}\"", number(blur.x), number(blur.y))
}

fn offsets(by: Vec2) -> String {
    format!("dx=\"{}\" dy=\"{}\"", number(by.x), number(by.y))
}
