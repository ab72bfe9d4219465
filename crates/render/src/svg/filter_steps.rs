//! The steps of filters as tags and attributes that any SVG renderer reads, with every number unchanged.

use std::borrow::Cow;
use std::fmt::Display;

use bone_drawing::{FilterStep, StepValues};
use usvg::filter::{
    ColorChannel, ColorInterpolation, ColorMatrix, ColorMatrixKind, Composite, CompositeOperator,
    ConvolveMatrix, EdgeMode, Input, Kind, LightSource, MorphologyOperator, Primitive, TransferFunction,
    Turbulence, TurbulenceKind,
};

/// Gathers the attributes of a step.
struct Attributes(Vec<(Cow<'static, str>, String)>);

impl Attributes {
    fn put(&mut self, name: &'static str, value: impl Display) {
        self.0.push((Cow::Borrowed(name), value.to_string()));
    }

    fn pair(&mut self, name: &'static str, a: impl Display, b: impl Display) {
        self.put(name, format_args!("{a} {b}"));
    }

    fn input(&mut self, name: &'static str, input: &Input) {
        match input {
            Input::SourceGraphic => self.put(name, "SourceGraphic"),
            Input::SourceAlpha => self.put(name, "SourceAlpha"),
            Input::Reference(result) => self.put(name, result),
        }
    }

    fn color(&mut self, name: &'static str, usvg::Color { red, green, blue }: usvg::Color) {
        self.put(name, format_args!("#{red:02x}{green:02x}{blue:02x}"));
    }
}

fn numbers(list: &[f32]) -> String {
    list.iter().map(f32::to_string).collect::<Vec<_>>().join(" ")
}

/// A step without its region.
pub(super) fn step(primitive: &Primitive) -> FilterStep {
    let mut all = Attributes(Vec::new());
    all.put(
        "color-interpolation-filters",
        match primitive.color_interpolation() {
            ColorInterpolation::SRGB => "sRGB",
            ColorInterpolation::LinearRGB => "linearRGB",
        },
    );
    let mut content = String::new();
    let tag = kind(primitive.kind(), &mut all, &mut content);
    all.put("result", primitive.result());
    let (tag, values) = (Cow::Borrowed(tag), StepValues::default());
    let mut step = FilterStep { tag, rect: None, attributes: all.0, values, content, image: None };
    step.values = step.read_values();
    step
}

/// The tag of a step.
fn kind(kind: &Kind, all: &mut Attributes, content: &mut String) -> &'static str {
    match kind {
        Kind::Blend(blend) => {
            all.input("in", blend.input1());
            all.input("in2", blend.input2());
            all.put("mode", blend.mode());
            "feBlend"
        }
        Kind::ColorMatrix(matrix) => color_matrix(matrix, all),
        Kind::ComponentTransfer(transfer) => {
            all.input("in", transfer.input());
            let functions = [
                ("feFuncR", transfer.func_r()),
                ("feFuncG", transfer.func_g()),
                ("feFuncB", transfer.func_b()),
                ("feFuncA", transfer.func_a()),
            ];
            for (tag, function) in functions {
                content.push_str(&transfer_function(tag, function));
            }
            "feComponentTransfer"
        }
        Kind::Composite(step) => composite(step, all),
        Kind::ConvolveMatrix(convolve) => convolve_matrix(convolve, all),
        Kind::DisplacementMap(map) => {
            all.input("in", map.input1());
            all.input("in2", map.input2());
            all.put("scale", map.scale());
            all.put("xChannelSelector", channel(map.x_channel_selector()));
            all.put("yChannelSelector", channel(map.y_channel_selector()));
            "feDisplacementMap"
        }
        Kind::DropShadow(shadow) => {
            all.input("in", shadow.input());
            all.pair("stdDeviation", shadow.std_dev_x().get(), shadow.std_dev_y().get());
            all.put("dx", shadow.dx());
            all.put("dy", shadow.dy());
            all.color("flood-color", shadow.color());
            all.put("flood-opacity", shadow.opacity().get());
            "feDropShadow"
        }
        Kind::Flood(flood) => {
            all.color("flood-color", flood.color());
            all.put("flood-opacity", flood.opacity().get());
            "feFlood"
        }
        Kind::GaussianBlur(blur) => {
            all.input("in", blur.input());
            all.pair("stdDeviation", blur.std_dev_x().get(), blur.std_dev_y().get());
            "feGaussianBlur"
        }
        // The image is a node of the drawing.
        Kind::Image(_) => "feImage",
        Kind::DiffuseLighting(light) => {
            all.input("in", light.input());
            all.put("surfaceScale", light.surface_scale());
            all.put("diffuseConstant", light.diffuse_constant());
            all.color("lighting-color", light.lighting_color());
            content.push_str(&light_source(light.light_source()));
            "feDiffuseLighting"
        }
        Kind::SpecularLighting(light) => {
            all.input("in", light.input());
            all.put("surfaceScale", light.surface_scale());
            all.put("specularConstant", light.specular_constant());
            all.put("specularExponent", light.specular_exponent());
            all.color("lighting-color", light.lighting_color());
            content.push_str(&light_source(light.light_source()));
            "feSpecularLighting"
        }
        Kind::Merge(merge) => {
            for input in merge.inputs() {
                let mut node = Attributes(Vec::new());
                node.input("in", input);
                content.push_str(&element("feMergeNode", &node));
            }
            "feMerge"
        }
        Kind::Morphology(morphology) => {
            all.input("in", morphology.input());
            let is_erosion = morphology.operator() == MorphologyOperator::Erode;
            all.put("operator", if is_erosion { "erode" } else { "dilate" });
            all.pair("radius", morphology.radius_x().get(), morphology.radius_y().get());
            "feMorphology"
        }
        Kind::Offset(offset) => {
            all.input("in", offset.input());
            all.put("dx", offset.dx());
            all.put("dy", offset.dy());
            "feOffset"
        }
        Kind::Tile(tile) => {
            all.input("in", tile.input());
            "feTile"
        }
        Kind::Turbulence(step) => turbulence(step, all),
    }
}

fn color_matrix(matrix: &ColorMatrix, all: &mut Attributes) -> &'static str {
    all.input("in", matrix.input());
    match matrix.kind() {
        ColorMatrixKind::Matrix(values) => {
            all.put("type", "matrix");
            all.put("values", numbers(values));
        }
        // The attribute is cut off at 1 where it is read; what a function like `saturate(2)` asks for is not.
        ColorMatrixKind::Saturate(value) if value.get() > 1.0 => {
            let more = value.get();
            let [red, green, blue] = [0.213, 0.715, 0.072].map(|share: f32| share - share * more);
            let rows = [
                [red + more, green, blue, 0.0, 0.0],
                [red, green + more, blue, 0.0, 0.0],
                [red, green, blue + more, 0.0, 0.0],
                [0.0, 0.0, 0.0, 1.0, 0.0],
            ];
            all.put("type", "matrix");
            all.put("values", numbers(rows.as_flattened()));
        }
        ColorMatrixKind::Saturate(value) => {
            all.put("type", "saturate");
            all.put("values", value.get());
        }
        ColorMatrixKind::HueRotate(angle) => {
            all.put("type", "hueRotate");
            all.put("values", angle);
        }
        ColorMatrixKind::LuminanceToAlpha => all.put("type", "luminanceToAlpha"),
    }
    "feColorMatrix"
}

fn composite(composite: &Composite, all: &mut Attributes) -> &'static str {
    all.input("in", composite.input1());
    all.input("in2", composite.input2());
    all.put(
        "operator",
        match composite.operator() {
            CompositeOperator::Over => "over",
            CompositeOperator::In => "in",
            CompositeOperator::Out => "out",
            CompositeOperator::Atop => "atop",
            CompositeOperator::Xor => "xor",
            CompositeOperator::Lighter => "lighter",
            CompositeOperator::Arithmetic { .. } => "arithmetic",
        },
    );
    if let CompositeOperator::Arithmetic { k1, k2, k3, k4 } = composite.operator() {
        for (name, k) in [("k1", k1), ("k2", k2), ("k3", k3), ("k4", k4)] {
            all.put(name, k);
        }
    }
    "feComposite"
}

fn convolve_matrix(convolve: &ConvolveMatrix, all: &mut Attributes) -> &'static str {
    let matrix = convolve.matrix();
    all.input("in", convolve.input());
    all.pair("order", matrix.columns(), matrix.rows());
    all.put("kernelMatrix", numbers(matrix.data()));
    all.put("divisor", convolve.divisor().get());
    all.put("bias", convolve.bias());
    all.put("targetX", matrix.target_x());
    all.put("targetY", matrix.target_y());
    all.put(
        "edgeMode",
        match convolve.edge_mode() {
            EdgeMode::None => "none",
            EdgeMode::Duplicate => "duplicate",
            EdgeMode::Wrap => "wrap",
        },
    );
    all.put("preserveAlpha", convolve.preserve_alpha());
    "feConvolveMatrix"
}

fn channel(channel: ColorChannel) -> &'static str {
    match channel {
        ColorChannel::R => "R",
        ColorChannel::G => "G",
        ColorChannel::B => "B",
        ColorChannel::A => "A",
    }
}

fn turbulence(turbulence: &Turbulence, all: &mut Attributes) -> &'static str {
    let (across, down) = (turbulence.base_frequency_x().get(), turbulence.base_frequency_y().get());
    all.pair("baseFrequency", across, down);
    all.put("numOctaves", turbulence.num_octaves());
    all.put("seed", turbulence.seed());
    all.put("stitchTiles", if turbulence.stitch_tiles() { "stitch" } else { "noStitch" });
    let is_fractal = turbulence.kind() == TurbulenceKind::FractalNoise;
    all.put("type", if is_fractal { "fractalNoise" } else { "turbulence" });
    "feTurbulence"
}

fn transfer_function(tag: &'static str, function: &TransferFunction) -> String {
    let mut all = Attributes(Vec::new());
    match function {
        TransferFunction::Identity => all.put("type", "identity"),
        TransferFunction::Table(values) => {
            all.put("type", "table");
            all.put("tableValues", numbers(values));
        }
        TransferFunction::Discrete(values) => {
            all.put("type", "discrete");
            all.put("tableValues", numbers(values));
        }
        TransferFunction::Linear { slope, intercept } => {
            all.put("type", "linear");
            all.put("slope", slope);
            all.put("intercept", intercept);
        }
        TransferFunction::Gamma { amplitude, exponent, offset } => {
            all.put("type", "gamma");
            all.put("amplitude", amplitude);
            all.put("exponent", exponent);
            all.put("offset", offset);
        }
    }
    element(tag, &all)
}

fn light_source(light: LightSource) -> String {
    let mut all = Attributes(Vec::new());
    let tag = match light {
        LightSource::DistantLight(light) => {
            all.put("azimuth", light.azimuth);
            all.put("elevation", light.elevation);
            "feDistantLight"
        }
        LightSource::PointLight(light) => {
            for (name, value) in [("x", light.x), ("y", light.y), ("z", light.z)] {
                all.put(name, value);
            }
            "fePointLight"
        }
        LightSource::SpotLight(light) => {
            let places = [
                ("x", light.x),
                ("y", light.y),
                ("z", light.z),
                ("pointsAtX", light.points_at_x),
                ("pointsAtY", light.points_at_y),
                ("pointsAtZ", light.points_at_z),
            ];
            for (name, value) in places {
                all.put(name, value);
            }
            all.put("specularExponent", light.specular_exponent.get());
            if let Some(angle) = light.limiting_cone_angle {
                all.put("limitingConeAngle", angle);
            }
            "feSpotLight"
        }
    };
    element(tag, &all)
}

/// An element without content. Values are escaped; only names of results need it.
fn element(tag: &str, all: &Attributes) -> String {
    let mut out = format!("<{tag}");
    for (name, value) in &all.0 {
        out.push(' ');
        out.push_str(name);
        out.push_str("=\"");
        super::escape::escape(value, &mut out);
        out.push('"');
    }
    out.push_str("/>");
    out
}
