//! A drawing with bone lines, and the rig that `init` makes of it.

use bone_layer::motion::clip::Scalar;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bone_layer::authoring::{FileNames, Scaffold, scaffold};
use bone_layer::drawing::Drawing;
use bone_layer::format::doc::{BoneChannelsDoc, Channel, ClipDoc, Key};
use bone_layer::format::fontdb::Database;
use bone_layer::format::write::{Comments, Digits, write};
use bone_layer::format::{load_drawing, system_fonts};
use bone_layer::kurbo::{Affine, Point};
use bone_layer::motion::BonePose;
use bone_layer::rig::BoneOverride;
use bone_layer::{
    Angle, Diagnostics, Files, FrameOptions, FrameSize, FrameState, InMemory, Loaded, Overrides, Pixmap, Rig,
    load,
};

use crate::medial::{self, BoneChain, Mask};

pub(crate) const DRAWING: &str = "drawing.svg";
pub(crate) const RIG: &str = "rig.ron";

/// The fonts of the system, read once for all drawings.
pub(crate) fn fonts() -> Database {
    static FONTS: OnceLock<Database> = OnceLock::new();
    FONTS.get_or_init(system_fonts).clone()
}

/// The first error, or the first finding.
fn reason(found: &Diagnostics) -> String {
    let first = found.iter().next().map(|finding| finding.message.clone());
    first.unwrap_or_else(|| "no reason is given".to_owned())
}

/// Draws a rig in a state, with transparent ground, its longer side so many pixels long.
pub(crate) fn drawn(rig: &Rig, state: &mut FrameState, side: f64) -> Result<Pixmap, String> {
    let size = rig.art().size();
    let scale = side / size.width.max(size.height);
    let size = FrameSize::from_scale(size, scale).map_err(|error| error.to_string())?;
    let mut pixmap = Pixmap::new(1, 1).ok_or("no memory for a pixel")?;
    rig.draw(state, &FrameOptions { size, background: None }, &mut pixmap).map_err(|e| e.to_string())?;
    Ok(pixmap)
}

/// Pictures in a row, over white.
pub(crate) fn side_by_side(pictures: &[Pixmap]) -> Option<Pixmap> {
    let width = pictures.iter().map(|picture| picture.width() as usize).sum::<usize>();
    let height = pictures.iter().map(|picture| picture.height() as usize).max()?;
    let mut sheet = Pixmap::new(width as u32, height as u32)?;
    sheet.data_mut().fill(255);
    let mut left = 0;
    for picture in pictures {
        for (y, row) in picture.data().chunks_exact(4 * picture.width() as usize).enumerate() {
            let at = 4 * (y * width + left);
            let pairs = sheet.data_mut()[at..at + row.len()].chunks_exact_mut(4).zip(row.chunks_exact(4));
            for (to, from) in pairs {
                let ground = 255 - from[3];
                for (to, from) in to.iter_mut().zip(from).take(3) {
                    *to = from.saturating_add(ground);
                }
            }
        }
        left += picture.width() as usize;
    }
    Some(sheet)
}

/// A drawing that nothing is bound to.
pub(crate) struct Plain {
    pub(crate) text: String,
    pub(crate) rig: Rig,
}

/// Reads a drawing, or says why not.
pub(crate) fn read(bytes: Vec<u8>) -> Result<Plain, String> {
    let files: Arc<dyn Files> = Arc::new(InMemory::new().with(DRAWING, bytes));
    let Loaded { rig, drawing, diagnostics, sources, .. } = load_drawing(Path::new(DRAWING), files, &fonts);
    let Some(rig) = rig else { return Err(reason(&diagnostics)) };
    let text = drawing.map(|id| sources.text(id).to_owned()).ok_or("the text of the drawing is not kept")?;
    Ok(Plain { text, rig })
}

/// A drawing with bone lines and its rig.
pub(crate) struct Bound {
    pub(crate) svg: String,
    pub(crate) scaffold: Scaffold,
    pub(crate) rig: Rig,
    pub(crate) loaded: Loaded,
    /// The names of the bones that are bent, and the sign of their turns.
    pub(crate) joints: Vec<(String, f64)>,
}

/// Gives a drawing bone lines and a rig by `init`. None if it has no silhouette.
pub(crate) fn bound(plain: &Plain) -> Result<Option<Bound>, String> {
    let mut state = FrameState::new(&plain.rig);
    let picture = drawn(&plain.rig, &mut state, medial::SIDE as f64)?;
    let chains = medial::chains(&silhouette(&picture));
    if chains.is_empty() {
        return Ok(None);
    }
    let size = plain.rig.art().size();
    let scale = medial::SIDE as f64 / size.width.max(size.height);
    let to_canvas = plain.rig.art().canvas_to_output().inverse() * Affine::scale(1.0 / scale);
    let (svg, joints) = with_lines(&plain.text, &chains, plain.rig.art(), to_canvas)?;
    let (scaffold, loaded) = scaffolded(&svg)?;
    let mut loaded = loaded;
    let Some(rig) = loaded.rig.take() else {
        return Err(format!("the rig of init does not load: {}", reason(&loaded.diagnostics)));
    };
    Ok(Some(Bound { svg, scaffold, rig, loaded, joints }))
}

/// The rig that `init` writes for a drawing, loaded.
fn scaffolded(svg: &str) -> Result<(Scaffold, Loaded), String> {
    let files: Arc<dyn Files> = Arc::new(InMemory::new().with(DRAWING, svg));
    let names = FileNames { drawing: DRAWING, rig: RIG };
    let made = scaffold(Path::new(DRAWING), names, &files, &fonts);
    let Some(made) = made.rig else { return Err(format!("init: {}", reason(&made.diagnostics))) };
    let loaded = loaded(svg, &made.text);
    Ok((made, loaded))
}

/// Loads the text of a rig beside its drawing.
pub(crate) fn loaded(svg: &str, rig: &str) -> Loaded {
    let files = InMemory::new().with(DRAWING, svg).with(RIG, rig);
    load(Path::new(RIG), Arc::new(files), &fonts)
}

/// The pixels that are painted; where the corners are painted alike, those that differ from them.
fn silhouette(picture: &Pixmap) -> Mask {
    let (width, height) = (picture.width() as usize, picture.height() as usize);
    let pixels: Vec<[u8; 4]> = picture.data().chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]).collect();
    let corners = [0, width - 1, (height - 1) * width, height * width - 1].map(|at| pixels[at]);
    let apart = |a: &[u8; 4], b: &[u8; 4]| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
    let ground = corners[0];
    let is_ground = ground[3] > 128 && corners.iter().all(|corner| apart(corner, &ground) < 16);
    let inside = |pixel: &[u8; 4]| if is_ground { apart(pixel, &ground) > 24 } else { pixel[3] > 128 };
    Mask { width, height, inside: pixels.iter().map(inside).collect() }
}

/// Adds the lines of bones before the end of the root element, and lists the joints that are bent.
fn with_lines(
    svg: &str,
    chains: &[BoneChain],
    art: &Drawing,
    to_canvas: Affine,
) -> Result<(String, Vec<(String, f64)>), String> {
    // The last end tag is that of the root element, unless a comment follows that has one.
    let end = svg.rfind("</").ok_or("the root element has no end")?;
    let tag = svg[end + 2..].split('>').next().unwrap_or_default().trim_end();
    let prefix = tag.strip_suffix("svg").ok_or("the text does not end with the root element")?;
    let mut lines = format!("<{prefix}g id=\"bones\" display=\"none\">");
    let mut joints = Vec::new();
    let turn = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
    let width = art.canvas().width() / 200.0;
    for (chain_at, chain) in chains.iter().enumerate() {
        let name = |bone: usize| match chain_at {
            0 => format!("corpus_trunk_{bone}"),
            limb => format!("corpus_limb_{limb}_{bone}"),
        };
        let places: Vec<Point> = chain.joints.iter().map(|at| to_canvas * *at).collect();
        for (bone, ends) in places.windows(2).enumerate() {
            let [a, b] = [ends[0], ends[1]];
            lines += &format!(
                "<{prefix}path id=\"{}\" fill=\"none\" stroke=\"#f0f\" stroke-width=\"{width}\" d=\"M{} {}L{} {}\"/>",
                name(bone),
                a.x,
                a.y,
                b.x,
                b.y
            );
        }
        joints.push((name((places.len() - 1) / 2), turn(chain_at)));
    }
    lines += &format!("</{prefix}g>");
    Ok((format!("{}{lines}{}", &svg[..end], &svg[end..]), joints))
}

impl Bound {
    /// The text of a rig whose only clip bends the joints by so many degrees and lasts a second.
    pub(crate) fn bending(&self, degrees: f64) -> Option<String> {
        let mut doc = self.loaded.doc.clone()?;
        let bones = self.joints.iter().filter(|(name, _)| self.rig.skeleton().find(name).is_some());
        let bones = bones.map(|(name, sign)| {
            let keys = [Key::new(0.0, 0.0), Key::new(1.0, sign * degrees)];
            BoneChannelsDoc::new(name.clone()).with(Scalar::Rotate, Channel::from_keys(keys))
        });
        let (name, length) = ("bend".to_owned().into(), Some(1.0.into()));
        doc.clips = vec![ClipDoc { name, length, bones: bones.collect(), ..ClipDoc::default() }];
        Some(write(&doc, &Comments::new(), Digits::ALL))
    }

    /// Poses the rig with its joints bent by so many degrees. Returns how many bones turn.
    pub(crate) fn bend(&self, degrees: f64, state: &mut FrameState) -> Result<usize, String> {
        let mut overrides = Overrides::new();
        let mut turned = 0;
        for (name, sign) in &self.joints {
            if let Some(bone) = self.rig.skeleton().find(name) {
                let angle = Angle::from_degrees(sign * degrees);
                overrides.bones.set(bone, BoneOverride::Add(BonePose { angle, ..BonePose::REST }));
                turned += 1;
            }
        }
        self.rig.pose_with(None, 0.0, &overrides, state).map_err(|error| error.to_string())?;
        Ok(turned)
    }
}
