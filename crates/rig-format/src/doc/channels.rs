//! The keyed values of one bone, piece of art or constraint, as they were written: one channel for each property
//! of its table.

use bone_core::clip::{BoneProperty, Properties, ValueKind};
use bone_core::constraint::ConstraintProperty;
use bone_drawing::{ArtProperty, FilterProperty, GradientProperty};
use bone_rig::CameraProperty;
use kurbo::{Point, Vec2};

use super::color::Rgb;
use super::keys::{Channel, Shift};
use super::shapes::ShapeDoc;
use crate::schema::Table;
use crate::schema::content::Content;
use crate::schema::keyed::{Keyed, keyed};
use crate::schema::record::{FieldWriter, Given, Reader, Record};
use crate::span::{Span, Spanned};

keyed! { BoneProperty; ArtProperty; ConstraintProperty; CameraProperty; GradientProperty; FilterProperty; }

/// A channel of any kind of value.
#[derive(Debug, Clone, PartialEq)]
pub enum AnyChannel {
    /// Numbers.
    Number(Channel<f64>),
    /// Pairs of numbers.
    Pair(Channel<Vec2>),
    /// Yes or no.
    Flag(Channel<bool>),
    /// Names.
    Name(Channel<Option<String>>),
    /// Colours.
    Color(Channel<Rgb>),
    /// Shapes.
    Shape(Channel<ShapeDoc>),
}

/// Evaluates an expression for a channel of any kind.
macro_rules! of_any {
    ($channel:expr, $one:ident => $value:expr) => {
        match $channel {
            AnyChannel::Number($one) => $value,
            AnyChannel::Pair($one) => $value,
            AnyChannel::Flag($one) => $value,
            AnyChannel::Name($one) => $value,
            AnyChannel::Color($one) => $value,
            AnyChannel::Shape($one) => $value,
        }
    };
}

impl AnyChannel {
    /// The whole list.
    pub fn span(&self) -> Span {
        of_any!(self, channel => channel.span)
    }

    /// How it differs from its keys.
    pub fn shift(&self) -> &Shift {
        of_any!(self, channel => &channel.shift)
    }

    /// A place where it says how it moves by itself; none if it says nothing.
    pub(crate) fn own(&self) -> Option<Span> {
        of_any!(self, channel => {
            let ease = channel.ease.map(|ease| ease.span);
            channel.keys.first().map(|key| key.span).or(ease).or(channel.extend.map(|extend| extend.span))
        })
    }

    /// How many keys it has.
    pub(crate) fn key_count(&self) -> usize {
        of_any!(self, channel => channel.keys.len())
    }

    /// Whether its keys are played again after the last of them.
    pub fn repeats(&self) -> bool {
        of_any!(self, channel => channel.repeats())
    }

    /// The times of its keys, as written.
    pub fn times(&self) -> Vec<Spanned<f64>> {
        of_any!(self, channel => channel.keys.iter().map(|key| key.time).collect())
    }
}

impl From<Channel<f64>> for AnyChannel {
    fn from(channel: Channel<f64>) -> Self {
        Self::Number(channel)
    }
}

impl From<Channel<Vec2>> for AnyChannel {
    fn from(channel: Channel<Vec2>) -> Self {
        Self::Pair(channel)
    }
}

impl From<Channel<Point>> for AnyChannel {
    fn from(channel: Channel<Point>) -> Self {
        Self::Pair(channel.map(Point::to_vec2))
    }
}

impl From<Channel<bool>> for AnyChannel {
    fn from(channel: Channel<bool>) -> Self {
        Self::Flag(channel)
    }
}

impl From<Channel<Option<String>>> for AnyChannel {
    fn from(channel: Channel<Option<String>>) -> Self {
        Self::Name(channel)
    }
}

impl From<Channel<Rgb>> for AnyChannel {
    fn from(channel: Channel<Rgb>) -> Self {
        Self::Color(channel)
    }
}

impl From<Channel<ShapeDoc>> for AnyChannel {
    fn from(channel: Channel<ShapeDoc>) -> Self {
        Self::Shape(channel)
    }
}

/// Channels by property, each at most once, in the order of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Channels<P>(Vec<(P, AnyChannel)>);

impl<P> Default for Channels<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P: Properties> Channels<P> {
    /// Sets a channel, in place of one for the same property. It is read and written as its row in the table says.
    pub fn set(&mut self, property: impl Into<P>, channel: impl Into<AnyChannel>) {
        let (property, channel) = (property.into(), channel.into());
        let place = |of: P| P::ALL.iter().position(|other| *other == of);
        match self.0.binary_search_by_key(&place(property), |(own, _)| place(*own)) {
            Ok(at) => self.0[at].1 = channel,
            Err(at) => self.0.insert(at, (property, channel)),
        }
    }

    /// The same with a further channel.
    #[must_use]
    pub fn with(mut self, property: impl Into<P>, channel: impl Into<AnyChannel>) -> Self {
        self.set(property, channel);
        self
    }

    /// The channel of a property.
    pub fn get(&self, property: impl Into<P>) -> Option<&AnyChannel> {
        let property = property.into();
        self.0.iter().find(|(own, _)| *own == property).map(|(_, channel)| channel)
    }

    /// The channel of a property, to be changed.
    pub(crate) fn get_mut(&mut self, property: P) -> Option<&mut AnyChannel> {
        self.0.iter_mut().find(|(own, _)| *own == property).map(|(_, channel)| channel)
    }

    /// The numbers of a property.
    pub fn number(&self, property: impl Into<P>) -> Option<&Channel<f64>> {
        if let Some(AnyChannel::Number(channel)) = self.get(property) { Some(channel) } else { None }
    }

    /// The numbers of a property, to be changed.
    pub fn number_mut(&mut self, property: impl Into<P>) -> Option<&mut Channel<f64>> {
        let property = property.into();
        self.0.iter_mut().find_map(|(own, channel)| match channel {
            AnyChannel::Number(channel) if *own == property => Some(channel),
            _ => None,
        })
    }

    /// The pairs of a property.
    pub fn pair(&self, property: impl Into<P>) -> Option<&Channel<Vec2>> {
        if let Some(AnyChannel::Pair(channel)) = self.get(property) { Some(channel) } else { None }
    }

    /// The flags of a property.
    pub fn flag(&self, property: impl Into<P>) -> Option<&Channel<bool>> {
        if let Some(AnyChannel::Flag(channel)) = self.get(property) { Some(channel) } else { None }
    }

    /// The names of a property.
    pub fn name(&self, property: impl Into<P>) -> Option<&Channel<Option<String>>> {
        if let Some(AnyChannel::Name(channel)) = self.get(property) { Some(channel) } else { None }
    }

    /// The colours of a property.
    pub fn color(&self, property: impl Into<P>) -> Option<&Channel<Rgb>> {
        if let Some(AnyChannel::Color(channel)) = self.get(property) { Some(channel) } else { None }
    }

    /// The shapes of a property.
    pub fn shape(&self, property: impl Into<P>) -> Option<&Channel<ShapeDoc>> {
        if let Some(AnyChannel::Shape(channel)) = self.get(property) { Some(channel) } else { None }
    }

    /// All of them, in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (P, &AnyChannel)> {
        self.0.iter().map(|(property, channel)| (*property, channel))
    }

    /// Whether nothing is keyed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Channels of which each is written as one value, in place of a list with one key.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleValues<P>(pub Channels<P>);

impl<P> Default for SingleValues<P> {
    fn default() -> Self {
        Self(Channels::default())
    }
}

impl<P: Keyed> Record for SingleValues<P> {
    const TABLE: &'static Table = P::SINGLE;

    fn read_fields(&mut self, reader: &mut Reader<'_>, given: &mut Given<'_>) -> bool {
        self.0.read_fields(reader, given)
    }

    fn write_fields(&self, out: &mut FieldWriter) {
        self.0.write_fields(out);
    }
}

impl<P: Properties> Content for SingleValues<P> {
    fn write(&self, words: &mut Vec<u64>) {
        self.0.write(words);
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        self.0.places(see);
    }
}

impl<P: Keyed> Record for Channels<P> {
    const TABLE: &'static Table = P::TABLE;

    fn read_fields(&mut self, reader: &mut Reader<'_>, given: &mut Given<'_>) -> bool {
        for &property in P::ALL {
            let row = property.row();
            let channel = match row.kind {
                ValueKind::Flag => given.value(reader, row.name).map(AnyChannel::Flag),
                ValueKind::Child => given.value(reader, row.name).map(AnyChannel::Name),
                ValueKind::Text => given
                    .value(reader, row.name)
                    .map(|words: Channel<String>| AnyChannel::Name(words.map(Some))),
                ValueKind::Color => given.value(reader, row.name).map(AnyChannel::Color),
                ValueKind::Shape => given.value(reader, row.name).map(AnyChannel::Shape),
                kind if kind.is_pair() => given.value(reader, row.name).map(AnyChannel::Pair),
                _ => given.value(reader, row.name).map(AnyChannel::Number),
            };
            self.0.extend(channel.map(|channel| (property, channel)));
        }
        true
    }

    fn write_fields(&self, out: &mut FieldWriter) {
        for (property, channel) in &self.0 {
            of_any!(channel, channel => out.field(property.row().name, channel));
        }
    }
}

impl<P: Properties> Content for Channels<P> {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.0.len() as u64);
        for (property, channel) in &self.0 {
            property.row().name.write(words);
            of_any!(channel, channel => channel.write(words));
        }
    }

    fn places(&mut self, see: &mut dyn FnMut(&mut Span)) {
        for (_, channel) in &mut self.0 {
            of_any!(channel, channel => channel.places(see));
        }
    }
}
