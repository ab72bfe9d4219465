//! A sink that writes each call as SVG text with nothing but the numbers of the call, and draws the text with
//! resvg: what a library that gets the calls of `Drawing::paint` can come to.

use std::fmt::Write as _;

use bone_drawing::{
    Brush, FillCall, FillRule, GradientKind, ImageCall, LayerCall, LineJoin, MaskKind, PaintSink, PosedClip,
    PosedMask, Sampling, Spread, StrokeCall,
};
use bone_render::{FrameOptions, FrameSize, Pixmap, Raster, as_written, data_url_of, write_node};
use kurbo::{Affine, BezPath, Cap, PathEl, Point, Rect};

/// The text of a picture so far.
#[derive(Debug, Default)]
pub struct SvgSink {
    text: String,
    /// How many definitions there are.
    defined: usize,
    /// How many layers were opened, but for those with filters.
    pub layers: usize,
}

impl SvgSink {
    /// The picture of the calls.
    ///
    /// # Panics
    /// If resvg cannot draw it.
    pub fn picture(&self, size: FrameSize) -> Pixmap {
        let (width, height) = (size.width(), size.height());
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\">{}</svg>",
            self.text
        );
        let mut pixmap = Pixmap::new(width, height).expect("memory");
        // The calls are in pixels: nothing is scaled any more.
        let size = FrameSize::new(width, height).expect("a usable size");
        let options = FrameOptions { size, background: None };
        Raster::default().draw(&text, &options, &mut pixmap).expect("a picture");
        pixmap
    }

    /// The calls as text.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn id(&mut self) -> String {
        self.defined += 1;
        format!("d{}", self.defined)
    }

    /// Text that `write` adds, taken out again: a definition stands before what uses it.
    fn within(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let text = std::mem::take(&mut self.text);
        write(self);
        std::mem::replace(&mut self.text, text)
    }

    fn put(&mut self, text: impl std::fmt::Display) {
        // Writing into a String cannot fail.
        let _ = write!(self.text, "{text}");
    }

    /// An attribute that paints with a brush.
    fn brush(&mut self, name: &str, brush: &Brush<'_>, opacity: f64) -> String {
        let mut out = match brush {
            Brush::Color([red, green, blue]) => format!(" {name}=\"#{red:02x}{green:02x}{blue:02x}\""),
            Brush::Gradient { gradient, transform } => {
                let (tag, numbers) = match gradient.kind {
                    GradientKind::Linear { start, end } => (
                        "linearGradient",
                        vec![("x1", start.x), ("y1", start.y), ("x2", end.x), ("y2", end.y)],
                    ),
                    GradientKind::Radial { center, radius, focus, focus_radius } => {
                        let [cx, cy, fx, fy] = [center.x, center.y, focus.x, focus.y];
                        let numbers = vec![
                            ("cx", cx),
                            ("cy", cy),
                            ("r", radius),
                            ("fx", fx),
                            ("fy", fy),
                            ("fr", focus_radius),
                        ];
                        ("radialGradient", numbers)
                    }
                };
                let spread = match gradient.spread {
                    Spread::Pad => "pad",
                    Spread::Reflect => "reflect",
                    Spread::Repeat => "repeat",
                };
                let id = self.id();
                self.put(format_args!("<{tag} id=\"{id}\" gradientUnits=\"userSpaceOnUse\""));
                self.put(format_args!(" spreadMethod=\"{spread}\""));
                self.put(matrix("gradientTransform", *transform));
                numbers.into_iter().for_each(|(name, n)| self.put(number(name, n)));
                self.put(">");
                for (at, stop) in gradient.stops.iter().enumerate() {
                    let [red, green, blue] = stop.color;
                    // Of stops that a reader has shifted apart the second one's place is theirs.
                    let next = gradient.stops.get(at + 1).map_or(f64::NAN, |next| next.offset);
                    let offset = if next - stop.offset < 1e-6 { next } else { stop.offset };
                    self.put(format_args!("<stop stop-color=\"#{red:02x}{green:02x}{blue:02x}\""));
                    self.put(number("offset", offset));
                    self.put(number("stop-opacity", stop.opacity));
                    self.put("/>");
                }
                self.put(format_args!("</{tag}>"));
                format!(" {name}=\"url(#{id})\"")
            }
            Brush::Pattern { rect, transform, content } => {
                let id = self.id();
                let inside = self.within(|sink| content.paint(Affine::IDENTITY, sink));
                self.put(format_args!("<pattern id=\"{id}\" patternUnits=\"userSpaceOnUse\""));
                self.put(box_of(*rect) + &matrix("patternTransform", *transform));
                self.put(format_args!(">{inside}</pattern>"));
                format!(" {name}=\"url(#{id})\"")
            }
        };
        out += &number(&format!("{name}-opacity"), opacity);
        out
    }

    /// Defines a clip path whose outlines are moved by a transform, and returns the attribute that uses it.
    fn clip(&mut self, clip: PosedClip<'_>, transform: Affine) -> String {
        let outer = clip.clip().map(|outer| self.clip(outer, transform)).unwrap_or_default();
        let mut inside = String::new();
        for outline in clip.outlines() {
            let within = transform * outline.transform;
            let own = outline.clip.map(|clip| self.clip(clip, within)).unwrap_or_default();
            let rule = if outline.rule == FillRule::EvenOdd { " clip-rule=\"evenodd\"" } else { "" };
            let (data, moved, edges) =
                (path(outline.outline), matrix("transform", within), edges(outline.smooth));
            let shape = format!("<path d=\"{data}\"{rule}{moved}{edges}/>");
            if own.is_empty() {
                inside += &shape;
            } else {
                // The clip path is on the canvas, and the outline in a space of its own.
                let id = self.id();
                self.put(format_args!(
                    "<defs>{}</defs>",
                    shape.replace("<path", &format!("<path id=\"{id}\""))
                ));
                let _ = write!(inside, "<use href=\"#{id}\"{own}/>");
            }
        }
        let id = self.id();
        self.put(format_args!("<clipPath id=\"{id}\"{outer}>{inside}</clipPath>"));
        format!(" clip-path=\"url(#{id})\"")
    }

    /// The same for a mask.
    fn mask(&mut self, mask: PosedMask<'_>, transform: Affine) -> String {
        let outer = mask.mask().map(|outer| self.mask(outer, transform)).unwrap_or_default();
        let inside = self.within(|sink| mask.content().paint(transform, sink));
        let (region, id) = (self.id(), self.id());
        let region_path = path(&kurbo::Shape::to_path(&mask.rect(), 0.1));
        let moved = matrix("transform", transform);
        self.put(format_args!("<clipPath id=\"{region}\"><path d=\"{region_path}\"{moved}/></clipPath>"));
        let kind = if mask.kind() == MaskKind::Alpha { " mask-type=\"alpha\"" } else { "" };
        self.put(format_args!(
            "<mask id=\"{id}\"{kind}{outer} maskUnits=\"userSpaceOnUse\" x=\"-1e5\" y=\"-1e5\" width=\"2e5\" height=\"2e5\">\
             <g clip-path=\"url(#{region})\">{inside}</g></mask>"
        ));
        format!(" mask=\"url(#{id})\"")
    }
}

fn number(name: &str, n: f64) -> String {
    format!(" {name}=\"{}\"", as_written(n))
}

fn box_of(rect: Rect) -> String {
    number("x", rect.x0)
        + &number("y", rect.y0)
        + &number("width", rect.width())
        + &number("height", rect.height())
}

fn matrix(name: &str, transform: Affine) -> String {
    let numbers: Vec<String> = transform.as_coeffs().iter().map(f64::to_string).collect();
    format!(" {name}=\"matrix({})\"", numbers.join(" "))
}

fn path(outline: &BezPath) -> String {
    let written = |p: Point| Point::new(as_written(p.x), as_written(p.y));
    let elements = outline.elements().iter().map(|element| match *element {
        PathEl::MoveTo(p) => PathEl::MoveTo(written(p)),
        PathEl::LineTo(p) => PathEl::LineTo(written(p)),
        PathEl::QuadTo(a, p) => PathEl::QuadTo(written(a), written(p)),
        PathEl::CurveTo(a, b, p) => PathEl::CurveTo(written(a), written(b), written(p)),
        PathEl::ClosePath => PathEl::ClosePath,
    });
    BezPath::from_vec(elements.collect()).to_svg()
}

fn edges(smooth: bool) -> &'static str {
    if smooth { "" } else { " shape-rendering=\"crispEdges\"" }
}

impl PaintSink for SvgSink {
    fn fill(&mut self, fill: &FillCall<'_>) {
        let brush = self.brush("fill", &fill.brush, fill.opacity);
        let rule = if fill.rule == FillRule::EvenOdd { " fill-rule=\"evenodd\"" } else { "" };
        let (data, moved, edges) =
            (path(fill.outline), matrix("transform", fill.transform), edges(fill.smooth));
        self.put(format_args!("<path d=\"{data}\"{brush}{rule}{moved}{edges}/>\n"));
    }

    fn stroke(&mut self, stroke: &StrokeCall<'_>) {
        let brush = self.brush("stroke", &stroke.brush, stroke.opacity);
        let style = &stroke.style;
        let cap = match style.start_cap {
            Cap::Butt => "butt",
            Cap::Round => "round",
            Cap::Square => "square",
        };
        let join = match stroke.join {
            LineJoin::Miter => "miter",
            LineJoin::MiterClip => "miter-clip",
            LineJoin::Round => "round",
            LineJoin::Bevel => "bevel",
        };
        let dashes: Vec<String> =
            style.dash_pattern.iter().map(|dash| as_written(*dash).to_string()).collect();
        let dashes = if dashes.is_empty() {
            String::new()
        } else {
            format!(" stroke-dasharray=\"{}\"", dashes.join(" "))
        };
        let numbers = number("stroke-width", style.width)
            + &number("stroke-miterlimit", style.miter_limit)
            + &number("stroke-dashoffset", style.dash_offset);
        let (data, moved, edges) =
            (path(stroke.outline), matrix("transform", stroke.transform), edges(stroke.smooth));
        self.put(format_args!(
            "<path d=\"{data}\" fill=\"none\"{brush} stroke-linecap=\"{cap}\" stroke-linejoin=\"{join}\"{numbers}{dashes}{moved}{edges}/>\n"
        ));
    }

    fn image(&mut self, image: &ImageCall<'_>) {
        let mut url = String::new();
        data_url_of(image.image.data.format.media_type(), &image.image.data.bytes, &mut url);
        let size = number("width", image.image.size.width) + &number("height", image.image.size.height);
        let how = match image.image.sampling {
            Sampling::Quality => "optimizeQuality",
            Sampling::Speed => "optimizeSpeed",
            Sampling::Smooth => "smooth",
            Sampling::HighQuality => "high-quality",
            Sampling::Crisp => "crisp-edges",
            Sampling::Pixelated => "pixelated",
        };
        let moved = matrix("transform", image.transform);
        self.put(format_args!("<image href=\"{url}\"{size} style=\"image-rendering:{how}\"{moved}/>\n"));
    }

    fn push_layer(&mut self, layer: &LayerCall<'_>) -> bool {
        if !layer.filters.is_empty() {
            // A filter is no call: a library draws the group in its own way.
            let mut text = String::new();
            write_node(layer.drawing, layer.frame, layer.node, &mut text);
            let start = text.find('>').map_or(0, |end| end + 1);
            let inside = text[start..].trim_end().trim_end_matches("</svg>");
            self.put(format_args!("<g{}>{inside}</g>\n", matrix("transform", layer.around)));
            return false;
        }
        self.layers += 1;
        let clip = layer.clip.map(|clip| self.clip(clip, layer.transform)).unwrap_or_default();
        let mask = layer.mask.map(|mask| self.mask(mask, layer.transform)).unwrap_or_default();
        self.put(format_args!(
            "<g{}{clip}{mask} style=\"mix-blend-mode:{};isolation:isolate\">",
            number("opacity", layer.opacity),
            layer.blend.name()
        ));
        true
    }

    fn pop_layer(&mut self) {
        self.put("</g>\n");
    }
}
