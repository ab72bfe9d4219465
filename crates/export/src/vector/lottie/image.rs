//! Images, and art that Lottie does not have, drawn into images.

use bone_drawing::{Image, ImageFormat, NodeId, Sampling};
use bone_render::{
    Compress, FrameOptions, Pixmap, PngEncoder, Raster, RasterError, Resources, data_url_of, write_node,
};
use kurbo::{Affine, Point, Rect};

use super::json::{LottieJson, object};
use super::{LottieWriter, SampleRanges, keys};
use crate::vector::VectorError;
use crate::vector::affine::corners;

/// A picture with its place in the export.
struct ImagePicture {
    png: Vec<u8>,
    at: Point,
    width: u32,
    height: u32,
}

impl LottieWriter<'_> {
    /// Layers of an image of the drawing.
    pub(super) fn image(
        &mut self,
        node: NodeId,
        image: &Image,
        here: &[Affine],
        ranges: &SampleRanges,
    ) -> Result<Vec<LottieJson>, VectorError> {
        if self.refuses(|clip| clip.name_of(node), "it is an image") {
            return Ok(Vec::new());
        }
        if self.clip.tints(node).is_some() {
            return self.rasterised(
                node,
                here,
                ranges,
                "an image in tinted art is written in its colours, as a PNG",
            );
        }
        if !matches!(image.data.format, ImageFormat::Png | ImageFormat::Jpeg) {
            return self.rasterised(
                node,
                here,
                ranges,
                "an image that is no PNG or JPEG is written as a PNG",
            );
        }
        if !matches!(image.sampling, Sampling::Quality | Sampling::Smooth | Sampling::HighQuality) {
            let name = self.clip.name_of(node);
            self.report.lose(name, "its pixels are smoothed by players");
        }
        let (width, height) = (image.size.width, image.size.height);
        let name = self.asset(image.data.format.media_type(), &image.data.bytes, width, height);
        let track = self.matrix(here, &corners(image.size.to_rect()));
        self.image_layers(node, &name, &track, Affine::IDENTITY, ranges)
    }

    /// The asset of an image; images with the same bytes share it.
    fn asset(&mut self, media_type: &str, bytes: &[u8], width: f64, height: f64) -> String {
        if let Some((_, name)) = self.images.iter().find(|(other, _)| *other == bytes) {
            return name.clone();
        }
        let name = format!("image_{}", self.assets.len());
        let mut data = String::new();
        data_url_of(media_type, bytes, &mut data);
        self.assets.push(object! {
            "id": name.as_str(), "w": LottieJson::rounded(width, 0), "h": LottieJson::rounded(height, 0), "u": "", "p": data, "e": 1,
        });
        self.images.push((bytes.to_vec(), name.clone()));
        name
    }

    /// Layers that show an image. A matrix that is no rotation with scales takes two: an image has one
    /// transform, so the outer rotation is that of a layer without content.
    fn image_layers(
        &mut self,
        node: NodeId,
        asset: &str,
        track: &crate::vector::affine::AffineTrack,
        _before: Affine,
        ranges: &SampleRanges,
    ) -> Result<Vec<LottieJson>, VectorError> {
        let (transform, inner) = keys::transform(track, self.digits());
        let name = self.plain_name(node);
        let span = (ranges[0].0, ranges[ranges.len() - 1].1);
        let mut own = transform;
        let mut made = Vec::new();
        let mut parent = None;
        if let Some(LottieJson::Object(fields)) = inner {
            made.push(self.layer(3, format!("{name} frame"), span, own));
            parent = Some(self.layers);
            own = fields.into_iter().filter(|(name, _)| *name != "ty" && *name != "o").collect();
        }
        own.extend(self.shown(ranges));
        let mut layer = self.layer(2, name, span, own);
        if let Some(parent) = parent {
            layer.push("parent", parent.into());
        }
        layer.push("refId", asset.into());
        made.push(layer);
        Ok(made)
    }

    /// Layers of art that is drawn into images: one image if nothing in it changes but its place, else one for
    /// each frame that differs from the one before.
    pub(super) fn rasterised(
        &mut self,
        node: NodeId,
        here: &[Affine],
        ranges: &SampleRanges,
        what: &str,
    ) -> Result<Vec<LottieJson>, VectorError> {
        let clip = self.clip;
        if self.refuses(|clip| clip.name_of(node), what) {
            return Ok(Vec::new());
        }
        self.report.lose(clip.name_of(node), what);
        let texts: Vec<String> = clip
            .frames
            .iter()
            .map(|frame| {
                let mut text = String::new();
                write_node(&clip.drawing, frame, node, &mut text);
                text
            })
            .collect();
        let alike = texts.iter().all(|text| *text == texts[0]);
        let first = if alike { self.picture(&texts[0], here[0])? } else { None };
        // What is beyond the sides in the first frame may move into the picture.
        let stays = alike && here.iter().all(|at| *at == here[0]);
        let size = self.options.view.size;
        let inside = |picture: &ImagePicture| {
            let (right, bottom) =
                (picture.at.x + f64::from(picture.width), picture.at.y + f64::from(picture.height));
            let beyond = right >= f64::from(size.width()) || bottom >= f64::from(size.height());
            picture.at.x > 0.0 && picture.at.y > 0.0 && !beyond
        };
        if stays && first.is_none() {
            return Ok(Vec::new());
        }
        if let Some(picture) = first.filter(|picture| stays || inside(picture)) {
            let (width, height) = (f64::from(picture.width), f64::from(picture.height));
            let asset = self.asset("image/png", &picture.png, width, height);
            let start = Affine::translate(picture.at.to_vec2());
            let samples: Vec<Affine> = here.iter().map(|now| *now * here[0].inverse() * start).collect();
            let track = self.matrix(&samples, &corners(Rect::new(0.0, 0.0, width, height)));
            return self.image_layers(node, &asset, &track, start, ranges);
        }
        // One picture for each frame.
        let mut made = Vec::new();
        let mut run: Option<(Vec<u8>, Point, String, usize)> = None;
        let mut finish = |writer: &mut Self,
                          run: &mut Option<(Vec<u8>, Point, String, usize)>,
                          end: usize| {
            let Some((_, at, asset, start)) = run.take() else { return Ok(()) };
            let track = crate::vector::affine::AffineTrack::Still(Affine::translate(at.to_vec2()));
            for (from, to) in ranges {
                let range = ((*from).max(start), (*to).min(end));
                if range.0 < range.1 {
                    made.extend(writer.image_layers(node, &asset, &track, Affine::IDENTITY, &vec![range])?);
                }
            }
            Ok::<(), VectorError>(())
        };
        for frame in 0..clip.count {
            let sample = 2 * frame;
            let picture = self.picture(&texts[sample], here[sample])?;
            let same = run
                .as_ref()
                .zip(picture.as_ref())
                .is_some_and(|((png, at, ..), picture)| *png == picture.png && *at == picture.at);
            if same {
                continue;
            }
            finish(self, &mut run, sample)?;
            if let Some(picture) = picture {
                let asset = self.asset(
                    "image/png",
                    &picture.png,
                    f64::from(picture.width),
                    f64::from(picture.height),
                );
                run = Some((picture.png, picture.at, asset, sample));
            }
        }
        finish(self, &mut run, clip.len())?;
        Ok(made)
    }

    /// Draws a node, and cuts off what is transparent around it. None if nothing is visible.
    fn picture(&self, text: &str, to_pixels: Affine) -> Result<Option<ImagePicture>, VectorError> {
        let size = self.options.view.size;
        let (width, height) = (size.width(), size.height());
        let inside = text.split_once(">\n").map_or("", |(_, rest)| rest);
        let inside = inside.strip_suffix("</svg>").unwrap_or(inside);
        let [a, b, c, d, e, f] = to_pixels.as_coeffs();
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
             width=\"{width}\" height=\"{height}\"><g transform=\"matrix({a} {b} {c} {d} {e} {f})\">{inside}</g></svg>"
        );
        let options = FrameOptions { size, background: None };
        let no_memory = || VectorError::Image(RasterError::NoMemory { size });
        let mut pixmap = Pixmap::new(1, 1).ok_or_else(no_memory)?;
        Raster::new(Resources::default()).draw(&svg, &options, &mut pixmap).map_err(VectorError::Image)?;
        let mut bounds: Option<(u32, u32, u32, u32)> = None;
        for (at, pixel) in pixmap.pixels().iter().enumerate() {
            if pixel.alpha() > 0 {
                // A picture has fewer pixels than a u32 has numbers.
                let (x, y) = (at as u32 % width, at as u32 / width);
                bounds = Some(
                    bounds.map_or((x, y, x, y), |(x0, y0, x1, y1)| (x0.min(x), y0, x1.max(x), y1.max(y))),
                );
            }
        }
        let Some((x0, y0, x1, y1)) = bounds else { return Ok(None) };
        let (cut_width, cut_height) = (x1 - x0 + 1, y1 - y0 + 1);
        let mut cut = Pixmap::new(cut_width, cut_height).ok_or_else(no_memory)?;
        let row = 4 * cut_width as usize;
        for (y, target) in cut.data_mut().chunks_mut(row).enumerate() {
            let start = 4 * ((y0 as usize + y) * width as usize + x0 as usize);
            target.copy_from_slice(&pixmap.data()[start..start + row]);
        }
        let mut png = Vec::new();
        PngEncoder::new().encode(&cut, Compress::Balanced, &mut png).map_err(VectorError::Encode)?;
        let at = Point::new(f64::from(x0), f64::from(y0));
        Ok(Some(ImagePicture { png, at, width: cut_width, height: cut_height }))
    }
}
