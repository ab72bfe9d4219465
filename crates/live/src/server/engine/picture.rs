//! What a picture of the page shows: its part of the drawing, the paper behind it and the onion skin.

use bone_format::doc::RigDoc;
use bone_render::{
    Background, FrameOptions, FrameSize, Pixmap, Viewport, composite_over, fill_background, tint,
};
use bone_rig::{FrameState, Overrides, Rig, RigClip};
use kurbo::Affine;

use crate::message::{Reason, Wire as _};
use crate::server::proto::PictureWish;

/// A picture has at most so many pixels.
const MOST_PIXELS: u64 = 64_000_000;
/// The squares behind transparent art: their side in pixels, and their colours.
const CHECKER: (u32, [u8; 2]) = (8, [255, 224]);

/// What is drawn, and how.
pub(super) struct Picture {
    pub(super) size: FrameSize,
    pub(super) view: Option<[f64; 4]>,
    pub(super) paper: Paper,
    pub(super) onion: Option<OnionSkin>,
}

#[derive(Clone, Copy)]
pub(super) enum Paper {
    Checker,
    Colour(Background),
    None,
}

#[derive(Clone)]
pub(super) struct OnionSkin {
    before: usize,
    after: usize,
    step: usize,
    opacity: f64,
    keys: bool,
    /// The times of all keys of bones, in order.
    pub(super) key_times: Vec<f64>,
}

pub(super) fn picture(wish: PictureWish) -> Result<Picture, Reason> {
    let PictureWish { size: [width, height], view, paper, onion } = wish;
    let size = FrameSize::new(width, height).map_err(|error| error.to_string())?;
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(format!("a picture of {width} x {height} pixels is too large for a page"));
    }
    if view.is_some_and(|view| view[2].min(view[3]) <= 1e-6 || view.iter().any(|n| n.abs() >= 1e9)) {
        return Err(format!("`view` must be {}", <[f64; 4]>::WHAT));
    }
    let paper = match paper.as_deref() {
        None | Some("checker") => Paper::Checker,
        Some(colour) => match Background::parse(colour).map_err(|error| format!("`paper`: {error}"))? {
            Some(colour) => Paper::Colour(colour),
            None => Paper::Checker,
        },
    };
    let onion = onion.map(|onion| OnionSkin {
        before: onion.before.min(20),
        after: onion.after.min(20),
        step: onion.step.clamp(1, 1000),
        opacity: onion.opacity.clamp(0.0, 1.0),
        keys: onion.keys,
        key_times: Vec::new(),
    });
    Ok(Picture { size, view, paper, onion })
}

/// The part of the drawing that a picture shows.
pub(super) fn viewport(rig: &Rig, picture: &Picture) -> Viewport {
    let drawing = rig.posable().drawing();
    let background = match picture.paper {
        Paper::Colour(colour) => Some(colour),
        Paper::Checker | Paper::None => None,
    };
    let options = FrameOptions { size: picture.size, background };
    let mut view = Viewport::fit(drawing, &options);
    if let Some([x, y, width, height]) = picture.view {
        let (across, down) =
            (f64::from(picture.size.width()) / width, f64::from(picture.size.height()) / height);
        let canvas = Affine::scale_non_uniform(across, down) * Affine::translate((-x, -y));
        view.transform = canvas * drawing.canvas_to_output().inverse();
    }
    view
}

/// The pixels of a picture that are the page, if it is seen whole and is not all of the picture: x, y, width, height.
fn page_pixels(rig: &Rig, picture: &Picture) -> Option<[u32; 4]> {
    let [x, y, width, height] = picture.view?;
    let (whole, page) = ((picture.size.width(), picture.size.height()), rig.art().canvas());
    let (across, down) = (f64::from(whole.0) / width, f64::from(whole.1) / height);
    let pixel = |at: f64, most: u32| {
        let near = at.round();
        ((at - near).abs() < 1e-4 && (0.0..=f64::from(most)).contains(&near)).then_some(near as u32)
    };
    let (left, top) = (pixel((page.x0 - x) * across, whole.0)?, pixel((page.y0 - y) * down, whole.1)?);
    let (right, bottom) = (pixel((page.x1 - x) * across, whole.0)?, pixel((page.y1 - y) * down, whole.1)?);
    (right > left && bottom > top).then_some([left, top, right - left, bottom - top])
}

/// Draws what is posed. A page that is seen whole has the pixels of a frame of its size.
pub(super) fn paint(
    rig: &Rig,
    state: &mut FrameState,
    moment: (Option<&RigClip>, f64),
    picture: &Picture,
    pixmap: &mut Pixmap,
    kept: &mut Option<Pixmap>,
) -> Result<(), Reason> {
    let draw = |state: &mut FrameState, picture: &Picture, pixmap: &mut Pixmap| match &picture.onion {
        Some(onion) => draw_onion(rig, state, moment, picture, onion, pixmap),
        None => {
            let drawn = rig.draw_into(state, &viewport(rig, picture), pixmap.data_mut());
            drawn.map(drop).map_err(|error| error.to_string())
        }
    };
    let Some([x, y, width, height]) = page_pixels(rig, picture) else {
        return draw(state, picture, pixmap);
    };
    let canvas = rig.art().canvas_to_output().transform_rect_bbox(rig.art().canvas());
    let is_inside = rig.painted_box(state).is_none_or(|painted| canvas.contains_rect(painted));
    if is_inside && picture.onion.is_none() {
        fill_background(pixmap, viewport(rig, picture).background);
    } else {
        draw(state, picture, pixmap)?;
    }
    let size = FrameSize::new(width, height).map_err(|error| error.to_string())?;
    let page = Picture { size, view: None, paper: picture.paper, onion: picture.onion.clone() };
    let mut inside = pixmap_of(size, kept.take())?;
    draw(state, &page, &mut inside)?;
    let (row, stride, from) = (4 * width as usize, 4 * pixmap.width() as usize, 4 * x as usize);
    let rows = pixmap.data_mut().chunks_exact_mut(stride).skip(y as usize);
    for (to, pixels) in rows.zip(inside.data().chunks_exact(row)) {
        to[from..from + row].copy_from_slice(pixels);
    }
    *kept = Some(inside);
    Ok(())
}

/// Memory for a picture: that of the last one if it has this size.
pub(super) fn pixmap_of(size: FrameSize, kept: Option<Pixmap>) -> Result<Pixmap, Reason> {
    let (width, height) = (size.width(), size.height());
    let kept = kept.filter(|kept| (kept.width(), kept.height()) == (width, height));
    kept.or_else(|| Pixmap::new(width, height)).ok_or_else(|| "there is no memory for the picture".to_owned())
}

/// Puts squares behind transparent pixels.
pub(super) fn checker(pixmap: &mut Pixmap) {
    let width = pixmap.width();
    let (side, colours) = CHECKER;
    for (at, pixel) in pixmap.data_mut().chunks_exact_mut(4).enumerate() {
        let alpha = pixel[3];
        if alpha == 255 {
            continue;
        }
        let at = u32::try_from(at).unwrap_or(0);
        let (x, y) = (at % width / side, at / width / side);
        let behind = colours[((x + y) % 2) as usize];
        let added = u32::from(behind) * u32::from(255 - alpha);
        let added = u8::try_from((added + 127) / 255).unwrap_or(255);
        for channel in &mut pixel[..3] {
            *channel = channel.saturating_add(added);
        }
        pixel[3] = 255;
    }
}

/// Draws the moment that is posed, and other moments behind it, tinted: earlier ones red, later ones green.
fn draw_onion(
    rig: &Rig,
    state: &mut FrameState,
    (clip, time): (Option<&RigClip>, f64),
    picture: &Picture,
    onion: &OnionSkin,
    pixmap: &mut Pixmap,
) -> Result<(), Reason> {
    use bone_looks::onion::{EARLIER, LATER, TINTED};
    let view = viewport(rig, picture);
    let message = |error: bone_render::RasterError| error.to_string();
    let times = clip.map_or_else(Vec::new, |clip| ghost_times(clip, rig.fps(), time, onion));
    let (Some(clip), Some(farthest)) = (clip, times.first()) else {
        return rig.draw_into(state, &view, pixmap.data_mut()).map(drop).map_err(message);
    };
    let farthest = (farthest - time).abs();
    let mut ghost = FrameState::new(rig);
    let mut layer = Pixmap::new(picture.size.width(), picture.size.height()).ok_or("there is no memory")?;
    let clear = Viewport::new(picture.size, view.transform);
    fill_background(pixmap, view.background);
    let overrides = Overrides { camera: rig.page_camera(), ..Overrides::new() };
    for at in times {
        rig.pose_with(Some(clip), at, &overrides, &mut ghost).map_err(|error| error.to_string())?;
        rig.draw_into(&mut ghost, &clear, layer.data_mut()).map_err(message)?;
        tint(&mut layer, if at < time { EARLIER } else { LATER }, TINTED);
        let near = 1.0 - 0.6 * ((at - time).abs() / farthest);
        composite_over(pixmap, &layer, (0, 0), (onion.opacity * near) as f32);
    }
    rig.draw_into(state, &clear, layer.data_mut()).map_err(message)?;
    composite_over(pixmap, &layer, (0, 0), 1.0);
    Ok(())
}

/// The times at which bones have keys, in order.
pub(super) fn key_times(doc: &RigDoc, clip: &str) -> Vec<f64> {
    let bones = doc.keyed(clip).into_iter().flat_map(|clip| &clip.bones);
    let channels = bones.flat_map(|bone| bone.values.iter());
    let mut all: Vec<f64> =
        channels.flat_map(|(_, channel)| channel.times()).map(|time| time.value).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
    all
}

/// The times of ghosts, those that are farthest away first.
fn ghost_times(clip: &RigClip, fps: f64, time: f64, onion: &OnionSkin) -> Vec<f64> {
    let length = clip.time().length;
    let step = onion.step as f64 / fps;
    let before = (1..=onion.before).map(|count| time - count as f64 * step);
    let after = (1..=onion.after).map(|count| time + count as f64 * step);
    let is_inside = |at: &f64| clip.time().looped || (-1e-9..=length + 1e-9).contains(at);
    let mut times: Vec<f64> = if onion.keys {
        let mut keyed: Vec<f64> = onion.key_times.clone();
        keyed.retain(|at| (at - time).abs() > 1e-6);
        let earlier = keyed.iter().rev().filter(|at| **at < time).take(onion.before);
        let later = keyed.iter().filter(|at| **at > time).take(onion.after);
        earlier.chain(later).copied().collect()
    } else {
        before.chain(after).filter(is_inside).collect()
    };
    times.sort_by(|a, b| (b - time).abs().total_cmp(&(a - time).abs()).then(a.total_cmp(b)));
    times
}
