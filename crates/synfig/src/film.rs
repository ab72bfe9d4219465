//! Frames of one tree as a drawing and a rig: what stays is drawn, what changes is keyed. Groups and shapes that move
//! become bones.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

use bone_core::clip::{Scalar, Vector};
use bone_core::{Angle, Inherit};
use bone_drawing::ArtProperty;
use bone_format::doc::{
    AnyChannel, ArtDoc, ArtSetupDoc, BindingDoc, BoneChannelsDoc, BoneDoc, BoneKind, Channel, ClipDoc, Key,
    Rgb, RigDoc, RigidDoc, VertexPart,
};
use bone_format::write::Comments;
use kurbo::{Affine, BezPath, Point, Vec2};

use crate::document::FilePlace;
use crate::keys::FilmTimes;
use crate::layers::SceneBuilder;
use crate::paths::{addressed, structure};
use crate::scene::{
    ItemContent, ItemMotion, ItemPaint, ItemShape, ItemStroke, LEAST_WIDTH, SceneItem, is_without_width,
    widths,
};
use crate::svg::{Tag, has_extent, number, slug};
use crate::value::LightColor;

/// The largest distance of a keyed point from its place in a frame, in pixels.
pub(crate) const NEAR: f64 = 0.05;
/// The largest difference of a keyed share, such as an opacity.
pub(crate) const SHARE: f64 = 0.002;

/// One item in all frames.
pub(crate) type Frames<'i> = Vec<&'i SceneItem>;

/// The coordinates in which an item is.
#[derive(Clone, Debug)]
pub(crate) struct ItemSpace {
    /// The bone that moves it.
    bone: Option<String>,
    /// Where the bone is in its own coordinates.
    bone_origin: Vec2,
    /// How much larger the coordinates of the bone are drawn at rest.
    gain: f64,
    /// From here to the coordinates of the bone.
    between: Affine,
    /// From here to the page, at rest.
    pub(crate) setup: Affine,
    /// From what is drawn here to here, in each frame, where no bone can do it.
    baked: Option<Rc<[Affine]>>,
}

impl ItemSpace {
    fn moved(&self, by: Affine) -> Self {
        Self { between: self.between * by, setup: self.setup * by, ..self.clone() }
    }
}

/// Collects drawing and rig.
pub(crate) struct FilmWriter<'a> {
    pub(crate) builder: &'a SceneBuilder<'a>,
    pub(crate) times: FilmTimes,
    pub(crate) svg: Tag,
    pub(crate) defs: Tag,
    names: BTreeMap<Rc<str>, String>,
    /// The names of art, each with the last number behind it.
    used: BTreeMap<String, u32>,
    spaces: BTreeMap<Rc<str>, ItemSpace>,
    /// The coordinates of bones, and how these are drawn at rest.
    carriers: BTreeMap<Rc<str>, (ItemSpace, Affine)>,
    bones: Vec<BoneDoc>,
    skin: Vec<BindingDoc>,
    pub(crate) clip: ClipDoc,
    comments: Comments,
}

impl<'a> FilmWriter<'a> {
    pub(crate) fn new(builder: &'a SceneBuilder<'a>, times: FilmTimes, clip: &str) -> Self {
        Self {
            builder,
            times,
            svg: Tag::default(),
            defs: Tag::default(),
            names: BTreeMap::new(),
            used: BTreeMap::new(),
            spaces: BTreeMap::new(),
            carriers: BTreeMap::new(),
            bones: Vec::new(),
            skin: Vec::new(),
            clip: ClipDoc { name: clip.to_owned().into(), ..ClipDoc::default() },
            comments: Comments::new(),
        }
    }

    /// Everything.
    pub(crate) fn film(&mut self, frames: &[Vec<SceneItem>]) {
        let space = ItemSpace {
            bone: None,
            bone_origin: Vec2::ZERO,
            gain: 1.0,
            between: Affine::IDENTITY,
            setup: Affine::IDENTITY,
            baked: None,
        };
        let lists: Vec<&[SceneItem]> = frames.iter().map(Vec::as_slice).collect();
        self.list(&lists, &space);
    }

    /// The rig, and the comments on it.
    pub(crate) fn rig(mut self, drawing: &str, fps: f64) -> (RigDoc, Comments, String) {
        let length = self.times.frames.last().copied().unwrap_or(0.0);
        self.clip.length = Some(length.into());
        let is_still = length <= 0.0;
        let svg = self.page();
        let doc = RigDoc {
            version: Some(1.into()),
            drawing: Some(drawing.to_owned().into()),
            fps: Some(fps.into()),
            bones: self.bones,
            skin: self.skin,
            clips: if is_still { Vec::new() } else { vec![self.clip] },
            ..RigDoc::default()
        };
        (doc, self.comments, svg)
    }

    fn page(&self) -> String {
        let (width, height) = self.builder.page.size;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\">\n",
            w = number(width),
            h = number(height)
        );
        if !self.defs.is_empty() {
            let _ = writeln!(text, "<defs>\n{}</defs>", self.defs.text());
        }
        text + self.svg.text() + "</svg>\n"
    }

    /// A name that no other art has.
    pub(crate) fn fresh(&mut self, name: &str) -> String {
        let base = slug(name);
        // Lower numbers of this name are taken.
        let mut number = self.used.get(&base).copied().unwrap_or(0);
        let name = loop {
            number += 1;
            let name = if number == 1 { base.clone() } else { format!("{base}_{number}") };
            if !self.used.contains_key(&name) {
                break name;
            }
        };
        self.used.insert(name.clone(), 1);
        self.used.insert(base, number);
        name
    }

    fn name_of(&mut self, item: &SceneItem) -> String {
        if let Some(name) = self.names.get(&item.key) {
            return name.clone();
        }
        let name = self.fresh(&item.name);
        self.names.insert(Rc::clone(&item.key), name.clone());
        name
    }

    pub(crate) fn lose(&self, place: FilePlace, what: impl Into<String>) {
        self.builder.notes.borrow_mut().insert((place, what.into()));
    }

    /// The items of a list, each in all frames.
    fn list(&mut self, lists: &[&[SceneItem]], space: &ItemSpace) {
        let is_reordered = is_reordered(lists);
        for frames in columns(lists) {
            let Some(first) = frames.first() else { continue };
            let is_flat = |item: &SceneItem| item.motion.scale.x * item.motion.scale.y == 0.0;
            if frames.iter().all(|item| item.opacity == 0.0 || is_flat(item) || !item.draws()) {
                continue;
            }
            if lists.iter().any(|list| list.len() != lists[0].len()) {
                self.lose(first.place, "how many pieces it has, which changes");
            }
            let Some(outer) = self.opened(first, &frames, lists, space) else { continue };
            self.item(&frames, space);
            if outer {
                self.svg.close("g");
            }
            if is_reordered && let Some(name) = self.names.get(&first.key).cloned() {
                let orders: Vec<f64> = frames.iter().map(|item| item.order.unwrap_or(0.0)).collect();
                let channel = self.stepped(&orders);
                self.art(&name, ArtProperty::Order, channel);
            }
        }
    }

    /// Begins a group around an item that is cut or blended, and returns whether there is one; none if nothing of the
    /// item is seen.
    fn opened(
        &mut self,
        first: &SceneItem,
        frames: &Frames<'_>,
        lists: &[&[SceneItem]],
        space: &ItemSpace,
    ) -> Option<bool> {
        let cut = first.onto.as_ref().and_then(|keys| self.cut(keys, lists, space));
        if first.onto.is_some() && cut.is_none() {
            return None;
        }
        let mask = first.mask.as_ref().map(|mask| {
            let items: Frames<'_> =
                frames.iter().map(|item| item.mask.as_ref().map_or(&mask.item, |mask| &mask.item)).collect();
            self.mask(&items, mask.cuts, space)
        });
        if first.mask.as_ref().is_some_and(|mask| !mask.cuts) && mask == Some(None) {
            return None;
        }
        let cut = cut.or_else(|| mask.flatten().map(|id| ("mask", id)));
        if cut.is_none() && first.blend.is_none() {
            return Some(false);
        }
        self.svg.open("g");
        if let Some((attribute, id)) = cut {
            self.svg.attribute(attribute, &format!("url(#{id})"));
        }
        if let Some(blend) = first.blend {
            let blend = self.builder.drawn_blend(blend);
            self.svg.attribute("style", &format!("mix-blend-mode:{blend}"));
        }
        self.svg.inside();
        Some(true)
    }

    /// One item in its place.
    fn item(&mut self, frames: &Frames<'_>, space: &ItemSpace) {
        let Some(first) = frames.first() else { return };
        if let Some(plain) = plain(frames, space) {
            return self.item(&plain.iter().collect(), space);
        }
        let name = self.name_of(first);
        let (carrier, before) = self.carried(frames, space);
        let (inner, drawn) = self.moved(frames, &name, &carrier, true);
        let drawn = if first.unlinked.is_some() { drawn } else { before * drawn };
        if !first.bones.is_empty() && inner.bone == carrier.bone {
            self.bind(&name, inner.bone.as_deref());
        }
        match &first.content {
            ItemContent::Group(_) | ItemContent::Switch(..) => {
                self.svg.open("g");
                self.svg.attribute("id", &name);
                self.svg.transform(drawn);
                self.look(frames, &name);
                let lists: Vec<&[SceneItem]> = frames.iter().map(|item| item.children()).collect();
                if is_reordered(&lists) {
                    // Its contents change places among themselves alone.
                    self.svg.attribute("style", "isolation:isolate");
                }
                self.svg.inside();
                self.list(&lists, &inner);
                self.svg.close("g");
                self.switch(frames, &name);
            }
            ItemContent::Shape(_) => self.shape(frames, &name, &inner, drawn),
            ItemContent::Text(_) => self.text(frames, &name, drawn),
            ItemContent::Image(_) => self.image(frames, &name, drawn),
        }
    }

    /// Which child of a switch is drawn.
    fn switch(&mut self, frames: &Frames<'_>, name: &str) {
        let chosen = |item: &&SceneItem| match &item.content {
            ItemContent::Switch(_, chosen) => chosen.as_ref().and_then(|key| self.names.get(key)).cloned(),
            _ => None,
        };
        if !matches!(frames.first().map(|item| &item.content), Some(ItemContent::Switch(..))) {
            return;
        }
        let values: Vec<Option<String>> = frames.iter().map(chosen).collect();
        let channel = self.stepped(&values);
        self.art(name, ArtProperty::Switch, channel);
    }

    /// Keys of values that hold.
    pub(crate) fn stepped<T: Clone + PartialEq>(&self, values: &[T]) -> Channel<T> {
        let mut keys: Vec<Key<T>> = Vec::new();
        for (value, time) in values.iter().zip(&self.times.frames) {
            if keys.last().is_none_or(|last| last.value.value != *value) {
                keys.push(Key::new(*time, value.clone()));
            }
        }
        Channel::from_keys(keys)
    }

    pub(crate) fn art(&mut self, name: &str, property: ArtProperty, channel: impl Into<AnyChannel>) {
        match self.clip.art.iter_mut().find(|art| art.art.value == name) {
            Some(art) => art.values.set(property, channel),
            None => self.clip.art.push(ArtDoc::new(name.to_owned()).with(property, channel)),
        }
    }

    /// The coordinates of the bone of Synfig that carries an item, and how these are drawn at rest. Each bone is made once,
    /// also where it stays.
    fn carried(&mut self, frames: &Frames<'_>, space: &ItemSpace) -> (ItemSpace, Affine) {
        let within = format!("{:?} {:?}", space.bone, space.setup.as_coeffs());
        let (mut space, mut drawn) = (space.clone(), Affine::IDENTITY);
        let count = frames.first().map_or(0, |item| item.bones.len());
        for at in 0..count {
            let of_frame = |item: &&SceneItem| Some(item.bones.get(at)?.item(&within));
            let items: Vec<SceneItem> = frames.iter().filter_map(of_frame).collect();
            let Some(first) = items.first() else { continue };
            let (inner, own) = match self.carriers.get(&first.key) {
                Some(known) => known.clone(),
                None => {
                    let name = self.name_of(first);
                    let made = self.made(&items.iter().collect(), false, (&name, &space));
                    self.carriers.insert(Rc::clone(&first.key), made.clone());
                    made
                }
            };
            (space, drawn) = (inner, drawn * own);
        }
        (space, drawn)
    }

    /// The coordinates of the contents of an item, and how these are drawn at rest. A bone is made of what moves, if it
    /// keeps right angles; else the points are keyed.
    pub(crate) fn moved(
        &mut self,
        frames: &Frames<'_>,
        name: &str,
        space: &ItemSpace,
        is_art: bool,
    ) -> (ItemSpace, Affine) {
        let Some(first) = frames.first() else { return (space.clone(), Affine::IDENTITY) };
        let motion = &first.motion;
        let moves = frames.iter().any(|item| !item.motion.is_at(motion));
        let sheared = || frames.iter().any(|item| item.motion.skew != 0.0);
        let (inner, drawn) = if space.baked.is_some() || (moves && (!is_similar(space.between) || sheared()))
        {
            let before = |frame: usize| space.baked.as_ref().and_then(|maps| maps.get(frame)).copied();
            let map = |(frame, item): (usize, &&SceneItem)| {
                before(frame).unwrap_or_default() * item.motion.matrix()
            };
            let maps: Vec<Affine> = frames.iter().enumerate().map(map).collect();
            (ItemSpace { baked: Some(maps.into()), ..space.clone() }, Affine::IDENTITY)
        } else if first.unlinked.is_some() {
            self.bone(frames, name, space, 1.0);
            if is_art {
                self.bind(name, Some(name));
            }
            let setup = Affine::translate((space.setup * motion.offset.to_point()).to_vec2());
            let (bone, between) = (Some(name.to_owned()), Affine::IDENTITY);
            let inner =
                ItemSpace { bone, bone_origin: motion.origin, gain: 1.0, between, setup, baked: None };
            (inner, setup)
        } else if !moves {
            (space.moved(motion.matrix()), motion.matrix())
        } else {
            self.made(frames, is_art, (name, space))
        };
        self.spaces.insert(Rc::clone(&first.key), inner.clone());
        (inner, drawn)
    }

    /// A bone, its coordinates, and how these are drawn at rest.
    fn made(
        &mut self,
        frames: &Frames<'_>,
        is_art: bool,
        (name, space): (&str, &ItemSpace),
    ) -> (ItemSpace, Affine) {
        let Some(motion) = frames.first().map(|item| &item.motion) else {
            return (space.clone(), Affine::IDENTITY);
        };
        // At rest a bone has one size along both axes.
        let even = (motion.scale.x - motion.scale.y).abs() < 1e-9 && motion.scale.x > 1e-6;
        let size = if even { motion.scale.x } else { 1.0 };
        let rest = ItemMotion { scale: Vec2::new(size, size), ..motion.clone() }.matrix();
        self.bone(frames, name, space, size);
        if is_art {
            self.bind(name, Some(name));
        }
        let inner = ItemSpace {
            bone: Some(name.to_owned()),
            bone_origin: motion.origin,
            gain: space.gain * stretch(space.between) * size,
            between: Affine::IDENTITY,
            setup: space.setup * rest,
            baked: None,
        };
        (inner, rest)
    }

    /// The shapes of an item in all frames, as they are drawn in its coordinates.
    pub(crate) fn shapes(&self, frames: &Frames<'_>, space: &ItemSpace) -> Vec<ItemShape> {
        let map = |frame: usize| space.baked.as_ref().and_then(|maps| maps.get(frame)).copied();
        let shape = |(frame, item): (usize, &&SceneItem)| {
            let shape = shape_of(item)?;
            Some(map(frame).map_or_else(|| shape.clone(), |map| shape.mapped(map)))
        };
        frames.iter().enumerate().filter_map(shape).collect()
    }

    /// The bone of an item, with its keys.
    fn bone(&mut self, frames: &Frames<'_>, name: &str, space: &ItemSpace, size: f64) {
        let Some(first) = frames.first() else { return };
        let motion = &first.motion;
        let turned = Angle::of(space.between * Point::new(1.0, 0.0) - space.between * Point::ZERO).degrees();
        self.bones.push(BoneDoc {
            name: name.to_owned().into(),
            parent: space.bone.clone().map(Into::into),
            from: Some((space.setup * motion.offset.to_point()).into()),
            angle: (motion.angle + turned != 0.0).then(|| (motion.angle + turned).into()),
            kind: Some(BoneKind::Point.into()),
            inherit: first.unlinked.is_some().then(|| Inherit::TranslationOnly.into()),
            ..BoneDoc::default()
        });
        let what = self.builder.evaluator.document.shown(first.place);
        self.comments =
            std::mem::take(&mut self.comments).on("bones", name, &format!("{}, {what}.", first.name));
        // What turns about a point that is keyed itself turns about the first one, moved by the difference.
        let offset = |item: &&SceneItem| {
            let motion = &item.motion;
            let origin = first.motion.origin;
            let at = (motion.matrix() * origin.to_point()).to_vec2();
            if (motion.origin - origin).hypot() < 1e-9 { motion.offset } else { at }
        };
        let to_parent = |at: Vec2| {
            let at = (space.between * at.to_point()).to_vec2();
            if space.bone.is_some() { space.gain * (at - space.bone_origin) } else { at }
        };
        let offsets: Vec<Vec2> = frames.iter().map(|item| to_parent(offset(item))).collect();
        let angles: Vec<f64> = frames.iter().map(|item| item.motion.angle - motion.angle).collect();
        let scales: Vec<Vec2> = frames.iter().map(|item| item.motion.scale / size).collect();
        let mut channels = BoneChannelsDoc::new(name.to_owned());
        let exact = |source: Option<(usize, f64)>, part: usize, plus: f64| {
            let (node, factor) = source?;
            self.times.exact(&self.builder.evaluator, node, part, factor, plus)
        };
        let changes = |values: &[Vec2], by: f64| values.iter().any(|value| (*value - values[0]).hypot() > by);
        if changes(&offsets, 1e-6) {
            let origin_stays = frames.iter().all(|item| item.motion.origin == motion.origin);
            let straight = space.between.as_coeffs()[1] == 0.0 && space.between.as_coeffs()[2] == 0.0;
            let source = motion.sources.offset.filter(|_| origin_stays && straight);
            let part = |part: usize| {
                let (node, factors, plus) = source?;
                let (factor, plus) = if part == 0 { (factors.x, plus.x) } else { (factors.y, plus.y) };
                // Two points of the axis give the map of its numbers.
                let at = |n: f64| {
                    let both = to_parent(Vec2::new(n, n));
                    if part == 0 { both.x } else { both.y }
                };
                let slope = at(1.0) - at(0.0);
                exact(Some((node, factor * slope)), part, plus * slope + at(0.0))
            };
            match (part(0), part(1)) {
                (Some(x), Some(y)) => {
                    channels.values.set(Scalar::OriginX, x);
                    channels.values.set(Scalar::OriginY, y);
                }
                _ => channels.values.set(Vector::Origin, self.times.pairs(&offsets, NEAR)),
            }
        }
        if angles.iter().any(|angle| angle.abs() > 1e-7) {
            let keys = exact(motion.sources.angle, 0, -motion.angle);
            channels.values.set(Scalar::Rotate, keys.unwrap_or_else(|| self.times.numbers(&angles, 0.02)));
        }
        let one = Vec2::new(1.0, 1.0);
        if scales.iter().any(|scale| (*scale - one).hypot() > 1e-9) {
            let part = |part: usize| exact(motion.sources.scale.map(|node| (node, 1.0 / size)), part, 0.0);
            match (part(0), part(1)) {
                (Some(x), Some(y)) => {
                    channels.values.set(Scalar::ScaleX, x);
                    channels.values.set(Scalar::ScaleY, y);
                }
                _ => channels.values.set(Vector::Scale, self.times.pairs(&scales, 2e-4)),
            }
        }
        if !channels.values.is_empty() {
            self.clip.bones.push(channels);
        }
    }

    pub(crate) fn bind(&mut self, art: &str, bone: Option<&str>) {
        if let Some(bone) = bone {
            self.skin.push(BindingDoc::Rigid(RigidDoc {
                art: art.to_owned().into(),
                bone: bone.to_owned().into(),
                ..RigidDoc::default()
            }));
        }
    }

    /// Opacity and filter of an item.
    pub(crate) fn look(&mut self, frames: &Frames<'_>, name: &str) {
        let Some(first) = frames.first() else { return };
        let opacities: Vec<f64> = frames.iter().map(|item| item.opacity).collect();
        if opacities.iter().any(|opacity| (opacity - first.opacity).abs() > 1e-6) {
            let source = first.opacity_source;
            let exact = source.and_then(|node| self.times.exact(&self.builder.evaluator, node, 0, 1.0, 0.0));
            let inside = |channel: &Channel<f64>| {
                channel.keys.iter().all(|key| (0.0..=1.0).contains(&key.value.value))
            };
            let keys = exact.filter(inside).unwrap_or_else(|| self.times.numbers(&opacities, SHARE));
            self.art(name, ArtProperty::Opacity, keys);
        } else if first.opacity < 1.0 {
            self.svg.attribute("opacity", &number(first.opacity));
        }
        self.filter(frames, name);
    }

    /// A shape, or one for each structure that its path takes.
    fn shape(&mut self, frames: &Frames<'_>, name: &str, space: &ItemSpace, drawn: Affine) {
        let shapes = self.shapes(frames, space);
        let shapes: Vec<&ItemShape> = shapes.iter().collect();
        let Some(first) = shapes.first() else { return };
        let kinds: Vec<Vec<u8>> = shapes.iter().map(|shape| structure(&shape.path)).collect();
        let distinct: BTreeSet<&Vec<u8>> = kinds.iter().collect();
        // Strokes keep their shape under a map that is the same in all directions alone.
        let bakes = first.stroke.is_none() || drawn.as_coeffs()[..4] == [1.0, 0.0, 0.0, 1.0];
        if distinct.len() <= 1 {
            self.svg.open("path");
            self.svg.attribute("id", name);
            self.look(frames, name);
            self.path(
                &shapes,
                name,
                space,
                if bakes { drawn } else { Affine::IDENTITY },
                (!bakes).then_some(drawn),
            );
            return;
        }
        self.svg.open("g");
        self.svg.attribute("id", name);
        self.svg.transform(drawn);
        self.look(frames, name);
        self.svg.inside();
        let mut names = BTreeMap::new();
        for kind in distinct {
            // Frames of another structure have that of the nearest one before, or of the first.
            let own = kinds.iter().position(|other| other == kind).unwrap_or(0);
            let mut last = own;
            let held: Vec<&ItemShape> = (0..shapes.len())
                .map(|frame| {
                    last = if kinds[frame] == *kind { frame } else { last };
                    shapes[last]
                })
                .collect();
            // What is nothing in all of its frames is no art; in these frames there is none.
            if !held.iter().any(|shape| has_extent(&shape.path)) || is_without_width(&held) {
                continue;
            }
            let part = self.fresh(&format!("{name}_shape"));
            names.insert(kind, part.clone());
            self.svg.open("path");
            self.svg.attribute("id", &part);
            self.path(&held, &part, space, Affine::IDENTITY, None);
        }
        self.svg.close("g");
        if names.is_empty() {
            return;
        }
        let values: Vec<Option<String>> = kinds.iter().map(|kind| names.get(kind).cloned()).collect();
        let channel = self.stepped(&values);
        self.art(name, ArtProperty::Switch, channel);
    }

    /// The rest of the tag of a path, with its keys.
    fn path(
        &mut self,
        shapes: &[&ItemShape],
        name: &str,
        space: &ItemSpace,
        bake: Affine,
        transform: Option<Affine>,
    ) {
        let Some(first) = shapes.first() else { return };
        if let Some(transform) = transform {
            self.svg.transform(transform);
        }
        // A path without an extent is no art. Where it has none at first, the keys of its points say so.
        let extended = shapes.iter().find(|shape| has_extent(&shape.path)).unwrap_or(first);
        self.svg.attribute("d", &crate::svg::path(&(bake * extended.path.clone())));
        self.paint(shapes, name, bake);
        if first.even_odd {
            self.svg.attribute("fill-rule", "evenodd");
        }
        if first.crisp {
            self.svg.attribute("shape-rendering", "crispEdges");
        }
        self.svg.end();
        self.points(shapes, name, space.setup);
    }

    /// Keys of the points of a path.
    pub(crate) fn points(&mut self, shapes: &[&ItemShape], name: &str, setup: Affine) {
        let Some(first) = shapes.first() else { return };
        if shapes.iter().all(|shape| shape.path == first.path) {
            return;
        }
        let rows: Vec<_> = shapes.iter().map(|shape| addressed(&(setup * shape.path.clone()))).collect();
        let mut keyed = ArtSetupDoc { art: name.to_owned().into(), ..ArtSetupDoc::default() };
        for (at, (address, start)) in rows.first().into_iter().flatten().enumerate() {
            let values: Vec<Vec2> =
                rows.iter().map(|row| row.get(at).map_or(*start, |(_, point)| *point).to_vec2()).collect();
            let anchor = |row: &Vec<(bone_format::doc::VertexAddress, Point)>| {
                let found = row
                    .iter()
                    .find(|(other, _)| other.vertex == address.vertex && other.part == VertexPart::Anchor);
                found.map_or(Vec2::ZERO, |(_, point)| point.to_vec2())
            };
            // Tangents go along with their vertex.
            let still = match address.part {
                VertexPart::Anchor => values.iter().all(|value| (*value - values[0]).hypot() < 0.01),
                _ => {
                    let offsets: Vec<Vec2> =
                        rows.iter().zip(&values).map(|(row, value)| *value - anchor(row)).collect();
                    offsets.iter().all(|offset| (*offset - offsets[0]).hypot() < 0.01)
                }
            };
            if !still {
                let channel = self.times.pairs(&values, NEAR).map(Vec2::to_point);
                keyed.vertices.push(((*address).into(), channel));
            }
        }
        if !keyed.vertices.is_empty() {
            self.clip.setup.push(keyed);
        }
    }

    /// Fill or stroke of a path.
    fn paint(&mut self, shapes: &[&ItemShape], name: &str, bake: Affine) {
        let Some(first) = shapes.first() else { return };
        let (paint, opacity) =
            if first.stroke.is_some() { ("stroke", "stroke-opacity") } else { ("fill", "fill-opacity") };
        if let Some(stroke) = first.stroke
            && !self.stroke(shapes, name, stroke)
        {
            return;
        }
        match &first.paint {
            ItemPaint::Color(color) => {
                self.svg.attribute(paint, &hex(*color));
                let colors: Vec<LightColor> = shapes.iter().map(|shape| plain_color(&shape.paint)).collect();
                let (of_color, of_opacity) = if first.stroke.is_some() {
                    (ArtProperty::Stroke, ArtProperty::StrokeOpacity)
                } else {
                    (ArtProperty::Fill, ArtProperty::FillOpacity)
                };
                if colors.iter().any(|other| other[3] != color[3]) {
                    let alphas: Vec<f64> = colors.iter().map(|color| color[3]).collect();
                    self.art(name, of_opacity, self.times.numbers(&alphas, SHARE));
                } else if color[3] < 1.0 {
                    self.svg.attribute(opacity, &number(color[3]));
                }
                if colors.iter().any(|other| other[..3] != color[..3]) {
                    let rows: Vec<Vec<f64>> = colors.iter().map(|color| color[..3].to_vec()).collect();
                    let at = |frame: usize| Rgb(bytes(colors.get(frame).copied().unwrap_or_default()));
                    self.art(name, of_color, self.times.thinned(&rows, SHARE, at));
                }
            }
            _ => {
                let id = self.gradient(shapes, name, bake);
                self.svg.attribute(paint, &format!("url(#{id})"));
            }
        }
    }

    /// False if the line has no width at any time: then nothing of it can change.
    fn stroke(&mut self, shapes: &[&ItemShape], name: &str, stroke: ItemStroke) -> bool {
        self.svg.attribute("fill", "none");
        if is_without_width(shapes) {
            return false;
        }
        let widths: Vec<f64> = widths(shapes).collect();
        // What begins without a width is drawn with one, which the keys replace: a line of width 0 is none.
        let widest = || widths.iter().copied().fold(0.0, f64::max);
        let drawn = if stroke.width < LEAST_WIDTH { widest() } else { stroke.width };
        self.svg.attribute("stroke-width", &number(drawn));
        self.svg.attribute("stroke-linecap", if stroke.round_cap { "round" } else { "butt" });
        if stroke.round_join {
            self.svg.attribute("stroke-linejoin", "round");
        } else {
            self.svg.attribute("stroke-miterlimit", "2");
        }
        if widths.iter().any(|width| (width - drawn).abs() > 1e-4) {
            self.art(name, ArtProperty::StrokeWidth, self.times.numbers(&widths, NEAR));
        }
        true
    }

    /// The coordinates of an item that was drawn already, or is in a mask alone.
    pub(crate) fn space_of(&mut self, frames: &Frames<'_>, parent: &ItemSpace) -> ItemSpace {
        let Some(first) = frames.first() else { return parent.clone() };
        if let Some(space) = self.spaces.get(&first.key) {
            return space.clone();
        }
        if let Some(plain) = plain(frames, parent) {
            return self.space_of(&plain.iter().collect(), parent);
        }
        let name = self.name_of(first);
        let (carrier, _) = self.carried(frames, parent);
        self.moved(frames, &name, &carrier, false).0
    }

    pub(crate) fn bone_of(&self, space: &ItemSpace) -> Option<String> {
        space.bone.clone()
    }
}

/// Items without bones where what moves their places alone, and not what they are in, would turn them as little as the
/// bones do: anywhere but on the page itself.
fn plain(frames: &Frames<'_>, space: &ItemSpace) -> Option<Vec<SceneItem>> {
    let is_page = space.bone.is_none() && space.baked.is_none() && space.setup == Affine::IDENTITY;
    let plain = |item: &&SceneItem| {
        let motion = item.unlinked.clone()?;
        Some(SceneItem { motion, bones: Vec::new(), unlinked: None, ..(*item).clone() })
    };
    if is_page { None } else { frames.iter().map(plain).collect() }
}

/// The items of lists by their places, each in all lists.
pub(crate) fn columns<'i>(lists: &[&'i [SceneItem]]) -> Vec<Frames<'i>> {
    let count = lists.iter().map(|list| list.len()).min().unwrap_or(0);
    (0..count).map(|at| lists.iter().filter_map(|list| list.get(at)).collect()).collect()
}

/// Whether items of lists change their places.
fn is_reordered(lists: &[&[SceneItem]]) -> bool {
    let orders = |list: &[SceneItem]| list.iter().map(|item| item.order).collect::<Vec<_>>();
    let first = lists.first().map(|list| orders(list));
    lists.iter().any(|list| Some(orders(list)) != first)
}

pub(crate) fn shape_of(item: &SceneItem) -> Option<&ItemShape> {
    match &item.content {
        ItemContent::Shape(shape) => Some(shape),
        ItemContent::Image(image) => Some(&image.shape),
        _ => None,
    }
}

/// Whether a map turns, moves and scales alike in all directions, and does not mirror.
fn is_similar(map: Affine) -> bool {
    let [a, b, c, d, ..] = map.as_coeffs();
    let size = a.abs().max(b.abs());
    (a - d).abs() <= 1e-9 * size && (b + c).abs() <= 1e-9 * size && size > 0.0
}

/// How much longer a map makes the x axis.
fn stretch(map: Affine) -> f64 {
    (map * Point::new(1.0, 0.0) - map * Point::ZERO).hypot()
}

fn plain_color(paint: &ItemPaint) -> LightColor {
    if let ItemPaint::Color(color) = paint { *color } else { [0.0; 4] }
}

pub(crate) fn bytes(color: LightColor) -> [u8; 3] {
    // The conversion saturates.
    [color[0], color[1], color[2]].map(|n| (255.0 * n).round() as u8)
}

pub(crate) fn hex(color: LightColor) -> String {
    let [r, g, b] = bytes(color);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A path as it is drawn in other coordinates.
pub(crate) fn mapped(path: &BezPath, map: Affine) -> BezPath {
    map * path.clone()
}
