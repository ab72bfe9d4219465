//! Channels that follow another one: whose keys they play in the end, how much later and by how much.

use std::collections::BTreeMap;

use bone_core::clip::{BoneProperty, Properties};

use crate::doc::{AnyChannel, ClipDoc, Shift};
use crate::span::{Span, Spanned};

/// A value of a bone in a clip: where the bone is in the list of the clip, and which of its values.
pub(crate) type BoneChannel = (usize, BoneProperty);

/// Whose keys a channel plays, as value = own rest + `amount` (value there - rest there) + `plus`, `delay` seconds
/// before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlayedSource {
    pub(crate) of: BoneChannel,
    pub(crate) delay: f64,
    pub(crate) amount: f64,
    pub(crate) plus: f64,
}

/// Why a channel follows nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FollowError<'d> {
    /// No value of bones has this name.
    NoSuchValue(&'d Spanned<String>),
    /// The one has two numbers, the other one.
    OtherKind(Span, BoneProperty),
    /// The clip has no keys there.
    NotKeyed(&'d Spanned<String>, BoneProperty),
    /// It follows itself, at once or by others.
    Cycle(Span),
}

/// The followers of a clip. Each is resolved once, however long the chain is.
pub(crate) struct Followers<'d> {
    clip: &'d ClipDoc,
    bones: BTreeMap<&'d str, usize>,
    known: BTreeMap<BoneChannel, Result<PlayedSource, FollowError<'d>>>,
}

impl<'d> Followers<'d> {
    pub(crate) fn new(clip: &'d ClipDoc) -> Self {
        let bones = clip.bones.iter().enumerate().map(|(at, bone)| (bone.bone.value.as_str(), at));
        Self { clip, bones: bones.collect(), known: BTreeMap::new() }
    }

    /// The channel of a clip.
    pub(crate) fn channel(&self, (bone, property): BoneChannel) -> Option<&'d AnyChannel> {
        self.clip.bones.get(bone)?.values.get(property)
    }

    /// Whose keys a channel plays; its own if it follows none.
    pub(crate) fn source(&mut self, of: BoneChannel) -> Result<PlayedSource, FollowError<'d>> {
        // The followers on the way to the keys.
        let (mut way, mut at) = (Vec::new(), of);
        let mut found = loop {
            if let Some(known) = self.known.get(&at) {
                break *known;
            }
            let shift = self.channel(at).map(AnyChannel::shift);
            let Some((shift, name)) = shift.and_then(|shift| Some((shift, shift.follow.as_ref()?))) else {
                let own = self.shifted(at, PlayedSource { of: at, delay: 0.0, amount: 1.0, plus: 0.0 });
                self.known.insert(at, Ok(own));
                break Ok(own);
            };
            // What holds if the way comes here again.
            self.known.insert(at, Err(FollowError::Cycle(name.span)));
            way.push(at);
            match self.next(at, shift, name) {
                Ok(next) => at = next,
                Err(error) => break Err(error),
            }
        };
        while let Some(follower) = way.pop() {
            found = found.map(|source| self.shifted(follower, source));
            self.known.insert(follower, found);
        }
        found
    }

    /// What a channel plays of what it follows, or of its own keys.
    fn shifted(&self, follower: BoneChannel, source: PlayedSource) -> PlayedSource {
        let Some(shift) = self.channel(follower).map(AnyChannel::shift) else { return source };
        let amount = shift.amount.map_or(1.0, |amount| amount.value);
        PlayedSource {
            delay: source.delay + shift.delay.map_or(0.0, |delay| delay.value),
            amount: amount * source.amount,
            plus: amount * source.plus + shift.plus.map_or(0.0, |plus| plus.value),
            ..source
        }
    }

    /// The channel that a channel follows.
    fn next(
        &self,
        (_, property): BoneChannel,
        shift: &'d Shift,
        name: &'d Spanned<String>,
    ) -> Result<BoneChannel, FollowError<'d>> {
        let followed = match &shift.channel {
            Some(channel) => BoneProperty::named(&channel.value).ok_or(FollowError::NoSuchValue(channel))?,
            None => property,
        };
        if followed.row().kind.is_pair() != property.row().kind.is_pair() {
            let span = shift.channel.as_ref().map_or(name.span, |channel| channel.span);
            return Err(FollowError::OtherKind(span, followed));
        }
        let bone = self.bones.get(name.value.as_str()).map(|bone| (*bone, followed));
        bone.filter(|next| self.channel(*next).is_some()).ok_or(FollowError::NotKeyed(name, followed))
    }
}
