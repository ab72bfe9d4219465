//! The filters of a drawing as typed steps. What is not written as this crate writes it is not supported.

use bone_drawing::{Drawing, Filter, FilterId, FilterStep};
use tiny_skia::{BlendMode, Color};

use super::chain::{FilterChain, Input, RenderFilter, Step, StepKind};
use super::transfer;
use crate::number::{narrow, rect_as_read};

/// The filters of a group. None if one of them is not supported.
pub(crate) fn read(drawing: &Drawing, filters: &[FilterId]) -> Option<FilterChain> {
    let filters =
        filters.iter().map(|id| filter(drawing, *id, drawing.filter(*id)?)).collect::<Option<_>>()?;
    Some(FilterChain { filters })
}

fn filter(drawing: &Drawing, id: FilterId, filter: &Filter) -> Option<RenderFilter> {
    let mut names: Vec<&str> = Vec::new();
    let mut steps = Vec::with_capacity(filter.steps.len());
    for (at, step) in filter.steps.iter().enumerate() {
        let attributes = Attributes { step, names: &names };
        let kind = kind(&attributes)?;
        let linear = match attributes.text("color-interpolation-filters")? {
            "sRGB" => false,
            "linearRGB" => true,
            _ => return None,
        };
        let rect = step.rect.map_or(Some(None), |rect| rect_as_read(rect).map(Some))?;
        steps.push(Step { kind, linear, rect, slot: drawing.slots().step(id, at) });
        names.push(attribute(step, "result")?);
    }
    // A filter without steps hides its group.
    (!steps.is_empty()).then_some(())?;
    Some(RenderFilter {
        rect: rect_as_read(filter.rect)?,
        slot: drawing.slots().filters.slot(id),
        look: drawing.slots().filter_looks.slot(id),
        steps,
    })
}

fn attribute<'s>(step: &'s FilterStep, name: &str) -> Option<&'s str> {
    step.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// The attributes of a step, and the names of the results before it.
struct Attributes<'a> {
    step: &'a FilterStep,
    names: &'a [&'a str],
}

fn kind(all: &Attributes<'_>) -> Option<StepKind> {
    // Attributes that are not listed could have a meaning.
    let known = |names: &[&str]| {
        let always = ["color-interpolation-filters", "result"];
        all.step.attributes.iter().all(|(name, _)| always.contains(&&**name) || names.contains(&&**name))
    };
    let plain = all.step.content.is_empty() && all.step.image.is_none();
    Some(match &*all.step.tag {
        "feGaussianBlur" if plain && known(&["in", "stdDeviation"]) => {
            StepKind::Blur { input: all.input("in")?, deviation: all.deviation()? }
        }
        "feDropShadow"
            if plain && known(&["in", "stdDeviation", "dx", "dy", "flood-color", "flood-opacity"]) =>
        {
            StepKind::DropShadow {
                input: all.input("in")?,
                deviation: all.deviation()?,
                shift: (all.number("dx")?, all.number("dy")?),
                color: all.color()?,
            }
        }
        "feOffset" if plain && known(&["in", "dx", "dy"]) => {
            StepKind::Offset { input: all.input("in")?, shift: (all.number("dx")?, all.number("dy")?) }
        }
        "feFlood" if plain && known(&["flood-color", "flood-opacity"]) => {
            StepKind::Flood { color: all.color()? }
        }
        "feMerge" if all.step.image.is_none() && known(&[]) => StepKind::Merge { inputs: all.merged()? },
        "feComposite" if plain && all.text("operator")? == "arithmetic" => {
            known(&["in", "in2", "operator", "k1", "k2", "k3", "k4"]).then_some(())?;
            let [k1, k2, k3, k4] = ["k1", "k2", "k3", "k4"].map(|name| all.number(name));
            let inputs = [all.input("in")?, all.input("in2")?];
            StepKind::Arithmetic { inputs, factors: [k1?, k2?, k3?, k4?] }
        }
        "feComponentTransfer" if all.step.image.is_none() && known(&["in"]) => {
            StepKind::Transfer { input: all.input("in")?, tables: transfer::read(&all.step.content)? }
        }
        "feComposite" if plain && known(&["in", "in2", "operator"]) => {
            let mode = match all.text("operator")? {
                "over" => BlendMode::SourceOver,
                "in" => BlendMode::SourceIn,
                "out" => BlendMode::SourceOut,
                "atop" => BlendMode::SourceAtop,
                "xor" => BlendMode::Xor,
                "lighter" => BlendMode::Plus,
                _ => return None,
            };
            StepKind::Blend { inputs: [all.input("in")?, all.input("in2")?], mode }
        }
        "feBlend" if plain && known(&["in", "in2", "mode"]) => {
            let mode = match all.text("mode")? {
                "normal" => BlendMode::SourceOver,
                "multiply" => BlendMode::Multiply,
                "screen" => BlendMode::Screen,
                "overlay" => BlendMode::Overlay,
                "darken" => BlendMode::Darken,
                "lighten" => BlendMode::Lighten,
                "color-dodge" => BlendMode::ColorDodge,
                "color-burn" => BlendMode::ColorBurn,
                "hard-light" => BlendMode::HardLight,
                "soft-light" => BlendMode::SoftLight,
                "difference" => BlendMode::Difference,
                "exclusion" => BlendMode::Exclusion,
                "hue" => BlendMode::Hue,
                "saturation" => BlendMode::Saturation,
                "color" => BlendMode::Color,
                "luminosity" => BlendMode::Luminosity,
                _ => return None,
            };
            StepKind::Blend { inputs: [all.input("in")?, all.input("in2")?], mode }
        }
        "feColorMatrix" if plain && known(&["in", "type", "values"]) && all.text("type")? == "matrix" => {
            let values: Box<[f32; 20]> = Box::new(all.numbers("values")?.try_into().ok()?);
            StepKind::Matrix { input: all.input("in")?, values }
        }
        "feMorphology" if plain && known(&["in", "operator", "radius"]) => {
            let radius: [f32; 2] = all.numbers("radius")?.try_into().ok()?;
            // Zero has meanings of its own.
            (radius[0] > 0.0 && radius[1] > 0.0).then_some(())?;
            let dilate = match all.text("operator")? {
                "dilate" => true,
                "erode" => false,
                _ => return None,
            };
            StepKind::Morphology { input: all.input("in")?, dilate, radius: radius.into() }
        }
        _ => return None,
    })
}

impl<'a> Attributes<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        attribute(self.step, name)
    }

    fn numbers(&self, name: &str) -> Option<Vec<f32>> {
        let words = self.text(name)?.split(' ');
        words.map(|word| word.parse().ok().map(narrow).filter(|n| n.is_finite())).collect()
    }

    fn number(&self, name: &str) -> Option<f32> {
        match self.numbers(name)?.as_slice() {
            [number] => Some(*number),
            _ => None,
        }
    }

    fn deviation(&self) -> Option<(f32, f32)> {
        match self.numbers("stdDeviation")?.as_slice() {
            [across, down] if *across >= 0.0 && *down >= 0.0 => Some((*across, *down)),
            _ => None,
        }
    }

    fn color(&self) -> Option<Color> {
        let hex =
            self.text("flood-color")?.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.is_ascii())?;
        let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
        let opacity = usvg::Opacity::new_clamped(self.number("flood-opacity")?);
        Some(Color::from_rgba8(byte(0)?, byte(2)?, byte(4)?, opacity.to_u8()))
    }

    fn input(&self, name: &str) -> Option<Input> {
        self.named(self.text(name)?)
    }

    fn named(&self, name: &str) -> Option<Input> {
        match name {
            "SourceGraphic" => Some(Input::Source),
            "SourceAlpha" => Some(Input::SourceAlpha),
            "BackgroundImage" | "BackgroundAlpha" | "FillPaint" | "StrokePaint" => None,
            // Of equal names the last one counts.
            name => self.names.iter().rposition(|known| *known == name).map(Input::Step),
        }
    }

    /// The inputs of the elements `<feMergeNode in="name"/>`.
    fn merged(&self) -> Option<Vec<Input>> {
        let nodes = self.step.content.split_inclusive("/>");
        nodes
            .map(|node| {
                let name = node.strip_prefix("<feMergeNode in=\"")?.strip_suffix("\"/>")?;
                // An escaped name is left to a reader of XML.
                (!name.contains(['&', '"', '<'])).then(|| self.named(name))?
            })
            .collect()
    }
}
