//! Pictures that a film takes from its folder, or from its archive. They are put into the drawing.

use std::collections::BTreeMap;
use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kurbo::{Rect, Shape as _, Vec2};

use crate::document::{FilmImages, SourceKind, SynfigDocument, SynfigLayer};
use crate::film::{FilmWriter, Frames};
use crate::layers::{LayerContext, MadeLayer, SceneBuilder};
use crate::scene::{Cover, ItemContent, ItemImage, ItemMotion, ItemPaint, ItemShape};
use crate::svg::number;
use crate::unpack;
use crate::value::NodeValue;

/// Most bytes of all pictures of a film.
const MAX_IMAGES: usize = 64 << 20;

/// Reads the pictures of a document.
pub(crate) fn images(
    document: &SynfigDocument,
    bytes: &[u8],
    open: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> FilmImages {
    let mut known: BTreeMap<String, Result<Rc<str>, String>> = BTreeMap::new();
    let mut all = FilmImages::new();
    let mut total = 0;
    let layers = document.canvases.iter().flat_map(|canvas| &canvas.layers);
    for layer in layers.filter(|layer| layer.kind == "import") {
        let name = layer.params.get("filename").and_then(|node| document.kind(*node));
        let Some(SourceKind::Constant(NodeValue::Text(name))) = name else { continue };
        let name = name.replace('\\', "/");
        // Names are relative to the file that has them.
        let from = document.files.get(layer.place.file).filter(|_| layer.place.file > 0);
        let folder = from.and_then(|(file, _)| file.rsplit_once('/'));
        let path = folder.map_or(name.clone(), |(folder, _)| format!("{folder}/{name}"));
        let found = known.entry(path.clone()).or_insert_with(|| {
            let data = match name.strip_prefix('#') {
                Some(inside) => unpack::entry(bytes, inside),
                None => open(&path),
            }?;
            total += data.len();
            if total > MAX_IMAGES {
                return Err(format!("all images together have more than {} MB", MAX_IMAGES >> 20));
            }
            let kind = kind(&data).ok_or("it is neither PNG, JPEG, GIF nor WebP")?;
            Ok(format!("data:image/{kind};base64,{}", STANDARD.encode(data)).into())
        });
        all.insert(layer.place, found.clone());
    }
    all
}

/// The format of a picture, by its first bytes.
fn kind(data: &[u8]) -> Option<&'static str> {
    let begins = |with: &[u8]| data.starts_with(with);
    if begins(b"\x89PNG") {
        Some("png")
    } else if begins(b"\xff\xd8\xff") {
        Some("jpeg")
    } else if begins(b"GIF8") {
        Some("gif")
    } else if begins(b"RIFF") && data.get(8..12) == Some(b"WEBP") {
        Some("webp")
    } else {
        None
    }
}

impl SceneBuilder<'_> {
    /// A picture from one corner to the other one. Where these change it is moved and scaled.
    pub(crate) fn image(&self, layer: &SynfigLayer, context: &LayerContext) -> MadeLayer {
        let address = match self.evaluator.document.images.get(&layer.place) {
            Some(Ok(address)) => Rc::clone(address),
            found => {
                let why = found.and_then(|found| found.as_ref().err());
                self.note(layer, format!("an image: {}", why.map_or("it has no name", String::as_str)));
                return MadeLayer::Item(ItemContent::Group(Vec::new()), ItemMotion::default());
            }
        };
        let corners = |context: &LayerContext| {
            ["tl", "br"].map(|name| self.point(self.param(layer, &[name], context).pair()))
        };
        let [from, to] = corners(context);
        let first = corners(&LayerContext { time: self.page.begin, ..context.clone() });
        let size = |side: f64| if side == 0.0 { 1.0 } else { side.abs() };
        let size = Vec2::new(size(first[1].x - first[0].x), size(first[1].y - first[0].y));
        let scale = Vec2::new((to.x - from.x) / size.x, (to.y - from.y) / size.y);
        let motion = ItemMotion { scale, ..ItemMotion::by(from) };
        let is_crisp = self.number_or(layer, "c", 1.0, context) == 0.0;
        let path = Rect::from_origin_size((0.0, 0.0), size.to_size()).to_path(0.1);
        let paint = ItemPaint::Color([0.0, 0.0, 0.0, 1.0]);
        let shape =
            ItemShape { path, even_odd: false, paint, stroke: None, covers: Cover::Part, crisp: false };
        MadeLayer::Item(ItemContent::Image(ItemImage { address, size, shape, is_crisp }), motion)
    }
}

impl FilmWriter<'_> {
    pub(crate) fn image(&mut self, frames: &Frames<'_>, name: &str, drawn: kurbo::Affine) {
        let Some(item) = frames.first() else { return };
        let ItemContent::Image(image) = &item.content else { return };
        self.svg.open("image");
        self.svg.attribute("id", name);
        self.svg.transform(drawn);
        self.svg.attribute("width", &number(image.size.x));
        self.svg.attribute("height", &number(image.size.y));
        self.svg.attribute("preserveAspectRatio", "none");
        if image.is_crisp {
            self.svg.attribute("image-rendering", "optimizeSpeed");
        }
        self.look(frames, name);
        self.svg.attribute("href", &image.address);
        self.svg.end();
    }
}
